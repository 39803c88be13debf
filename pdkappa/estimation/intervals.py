"""What the user passes about intervals -> checked options, and limits from resampling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import INTERVALS, Limits
from pdkappa.coefficients.resampling import (
    RESAMPLED,
    ResampledLimits,
    model_of_pair,
    resampled_limits,
    resampled_limits_of_many,
)
from pdkappa.coefficients.samples import has_whole_counts
from pdkappa.errors import OptionError, UndefinedKappaWarning, check_choice, shown, warn
from pdkappa.present.progress import progress_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa.coefficients.figures import AnyFigures, PairFigures, RaterFigures
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows
    from pdkappa.counts.tables import PairTables

METHODS = (*INTERVALS, *RESAMPLED)
ONE_SIDED = "one_sided_resamples"
PLAIN = "wald"  # computed first where limits are resampled, and then replaced


@dataclass(frozen=True)
class IntervalOptions:
    """Checked options of an interval.

    Attributes
    ----------
    ci : str
        One of ``METHODS``.
    level : float
        Confidence level.
    n_resamples : int
        Number of resamples.
    rng : None, int or Generator
        Where they are drawn from.
    progress : callable or None
        What is told of the progress.
    """

    ci: str = "fisher"
    level: float = 0.95
    n_resamples: int = 2000
    rng: int | np.random.Generator | None = None
    progress: Callable[[int, int], object] | None = None

    @property
    def first(self) -> str:
        """The method that does without resampling."""
        return PLAIN if self.ci in RESAMPLED else self.ci

    @property
    def drawing(self) -> dict[str, Any]:
        """What the functions of the core take."""
        return {
            "method": self.ci,
            "level": self.level,
            "n_resamples": self.n_resamples,
            "rng": self.rng,
            "progress": self.progress,
        }


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number of Python or NumPy; True and False are none."""
    numbers = isinstance(value, float | int | np.floating | np.integer)
    return numbers and not isinstance(value, bool)


def check_level(level: object) -> float:
    """Return a confidence level; refuse what is no number between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        hint = ""
        if is_number(level) and 2 <= level < 100:  # noqa: PLR2004
            hint = f" Did you mean {level / 100:g}?"
        message = f"confidence_level={level!r} must lie between 0 and 1.{hint}"
        raise OptionError(message)
    return float(level)


def check_interval(
    ci: str, level: float, n_resamples: object, rng: Any, progress: Any
) -> IntervalOptions:
    """Check the options of an interval."""
    check_choice("ci", ci, METHODS)
    level = check_level(level)
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < 1:  # type: ignore[operator]
        message = f"n_resamples={shown(n_resamples)} must be a whole number from 1 upwards."
        raise OptionError(message)
    check_rng(rng)
    return IntervalOptions(ci, level, int(n_resamples), rng, progress_of(progress))  # type: ignore[call-overload]


def check_rng(rng: Any) -> None:
    """Refuse what random numbers cannot be drawn from."""
    is_seed = isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0
    if not (rng is None or is_seed or isinstance(rng, np.random.Generator)):
        message = (
            f"rng must be None, a whole number from 0 upwards or a numpy Generator, got "
            f"{shown(rng)}. Make one with numpy.random.default_rng."
        )
        raise OptionError(message)


def resample_pairs(
    summary: PairFigures,
    tables: PairTables,
    rows: RatingRows,
    scale: Scale,
    *,
    coefficient: str,
    options: IntervalOptions,
    quiet: bool = False,
) -> PairFigures:
    """Replace the limits of pairs of raters by resampled ones, if the options say so."""
    if options.ci not in RESAMPLED:
        return summary
    model, pairs = COEFFICIENTS[coefficient], tables.pairs
    shape = (rows.n_groups, len(pairs))
    _check_whole(rows, options)
    if rows.cluster is None:
        found = resampled_limits(
            summary,
            tables.counts,
            scale,
            model,
            n_all=np.repeat(rows.n_items, len(pairs)),
            **options.drawing,
        )
    else:
        found = resampled_limits_of_many(
            rows,
            scale,
            [model_of_pair(model, pair) for pair in pairs],
            summary.estimate.reshape(shape),
            summary.se.reshape(shape),
            **options.drawing,
        )
    if not quiet:
        _warn_of_undefined(found, options)
    low, high, lost = found
    found = ResampledLimits(low.reshape(-1), high.reshape(-1), lost.reshape(-1))
    return _with_limits(summary, found, options)


def resample_many(
    summaries: dict[str, RaterFigures],
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    options: IntervalOptions,
    *,
    by_items: bool,
    quiet: bool = False,
) -> dict[str, RaterFigures]:
    """Replace the limits of coefficients of all raters by resampled ones, if told so."""
    if options.ci not in RESAMPLED:
        return summaries
    _check_whole(rows, options)
    found = resampled_limits_of_many(
        rows,
        scale,
        list(models.values()),
        np.stack([summaries[name].estimate for name in models], axis=1),
        np.stack([summaries[name].se for name in models], axis=1),
        by_items=by_items,
        **options.drawing,
    )
    if not quiet:
        _warn_of_undefined(found, options)
    result = {}
    for number, name in enumerate(models):
        summary, at = summaries[name], (slice(None), number)
        one = ResampledLimits(found.low[at], found.high[at], found.n_undefined[at])
        result[name] = _with_limits(summary, one, options)
    return result


def _with_limits(
    summary: AnyFigures, found: ResampledLimits, options: IntervalOptions
) -> AnyFigures:
    """Put in resampled limits, and say why they are NaN where nothing else is."""
    low, high = Limits(found.low, found.high).within(summary.estimate, summary.se, summary.lowest)
    why = np.where(found.n_undefined == options.n_resamples, "undefined_resamples", ONE_SIDED)
    if options.ci == "jackknife":
        why = np.full(low.shape, "undefined_without", dtype=object)
    known = (summary.reason != "") & (summary.reason != "no_variance")
    lost = np.isnan(low) & ~np.isnan(summary.se) & ~known
    return replace(
        summary, ci_low=low, ci_high=high, reason=np.where(lost, why, summary.reason).astype(object)
    )


def _check_whole(rows: RatingRows, options: IntervalOptions) -> None:
    """Only whole items can be drawn anew."""
    if not has_whole_counts(rows):
        uneven = rows.count[rows.count != np.floor(rows.count)]
        value = uneven[0] if len(uneven) else rows.count.max()
        message = (
            f"ci={options.ci!r} draws items anew, so sample_weight must hold whole numbers that "
            f"add up to less than 2**53, got {value}. Use ci='fisher' or 'wald'."
        )
        raise OptionError(message)


def _warn_of_undefined(found: ResampledLimits, options: IntervalOptions) -> None:
    """Say how many resamples were left out because they are 0/0, or what has no jackknife."""
    lost = found.n_undefined.reshape(-1)
    if not lost.any():
        return
    where = f"{(lost > 0).sum()} of {lost.size} coefficient(s)"
    if options.ci == "jackknife":
        text = (
            f"{where} have no limits (NaN) by ci='jackknife': they are 0/0 without one of up to "
            f"{lost.max()} item(s) or cluster(s). 'fisher' needs no such coefficients."
        )
    else:
        text = (
            f"Up to {lost.max()} of {options.n_resamples} resample(s) are 0/0, in {where}. "
            f"ci={options.ci!r} leaves them out of its limits; 'fisher' does not need them."
        )
    warn(text, UndefinedKappaWarning)
