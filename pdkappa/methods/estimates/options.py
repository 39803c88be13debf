"""What the user passes -> checked options, and limits from resampling."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, get_args

import numpy as np
import pandas as pd

from pdkappa._typing import Adjustment
from pdkappa.coefficients.intervals import Limits
from pdkappa.coefficients.resampling import (
    RESAMPLED,
    Drawing,
    ResampledLimits,
    has_whole_counts,
    model_of_pair,
    resampled_limits,
    resampled_limits_of_many,
)
from pdkappa.coefficients.score_limits import ndtri
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    TooLargeError,
    check_choice,
    plural,
    shown,
)
from pdkappa.methods.estimates.told import holm
from pdkappa.present.sheets import progress_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, Seed
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.intervals import AnyFigures, PairFigures, RaterFigures
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.ratings.counted_pairs import PairTables

SYNONYMS = {
    "hochberg": "'simes-hochberg'",
    "bh": "'fdr_bh'",
    "BH": "'fdr_bh'",
    "fdr": "'fdr_bh'",
    "by": "'fdr_by'",
    "BY": "'fdr_by'",
}


def check_adjustment(option: str, method: object) -> None:
    """Refuse a method of adjusting p-values that is not known."""
    if method is not None:
        check_choice(option, method, [None, *get_args(Adjustment)], SYNONYMS)


Frame = TypeVar("Frame", bound=pd.DataFrame)


def with_adjusted(frame: Frame, method: str | None) -> Frame:
    """Insert ``p_adjusted`` after ``p_value``; the family are all rows with a test.

    Parameters
    ----------
    frame : DataFrame
        A result of ours, with the column ``p_value``; it is changed.
    method : str or None
        An `Adjustment`, as statsmodels names them; None gives NaN.
    """
    adjusted = adjusted_for_number(frame["p_value"].to_numpy(dtype=np.float64), method)
    frame.insert(list(frame).index("p_value") + 1, "p_adjusted", adjusted)
    return frame


def adjusted_for_number(p_values: FloatArray, method: str | None) -> FloatArray:
    """Adjust p-values for their number, which are all that are not NaN; None gives NaN."""
    if method == "holm":
        return holm(p_values)  # that of statsmodels collects the garbage of all, for .1 s
    adjusted = np.full(p_values.shape, np.nan)
    tested = ~np.isnan(p_values)
    if method is not None and tested.any():
        from statsmodels.stats.multitest import multipletests

        with np.errstate(divide="ignore"):  # a p of 1
            adjusted[tested] = multipletests(p_values[tested], method=method)[1]
    return adjusted


LARGEST = int(sys.float_info.max)


def is_label(value: object) -> bool:
    """Whether a value can name a column."""
    return value is not pd.NA and pd.api.types.is_hashable(value)


def check_by(by: object, taken: set[str]) -> None:
    """Refuse to group by a column that is named as a column of the result."""
    for name in by if isinstance(by, list) else [by]:
        if isinstance(name, str) and name in taken:
            raise OptionError(
                f"by={shown(name)} is a column of the result, too. Rename the column in data with "
                "data.rename(columns=...)."
            )


def check_label(option: str, value: Any) -> None:
    """Refuse what cannot name one column, such as a list."""
    if not is_label(value):
        single = value[0] if isinstance(value, list) and value else "ann"
        raise OptionError(
            f"{option} must be one label, got {shown(value)}. Write {option}={shown(single)}."
        )


def check_one(option: str, value: object) -> None:
    """Refuse several columns where one is asked for; a list of one is it."""
    _check_columns(option, value, 1, "one column")


def check_one_or_two(option: str, value: object) -> None:
    """Refuse more than two columns."""
    _check_columns(option, value, 2, "one column or two")


def check_several(option: str, value: object) -> None:
    """Refuse what names no column, or one twice."""
    _check_columns(option, value, None, "columns")


def _check_columns(option: str, value: object, most: int | None, what: str) -> None:
    """Refuse what is neither a label nor a list of at most so many different ones."""
    named = value if isinstance(value, list) else [value]
    for one in named:
        check_label(option, one)
    if not named or (most is not None and len(named) > most):
        raise OptionError(f"{option}={shown(value)} must name {what}.")
    twice = next((one for place, one in enumerate(named) if one in named[:place]), None)
    if twice is not None:
        raise DuplicateRatingError(
            f"{option} names {shown(twice)} more than once. Name different ones."
        )


def check_size(option: str, value: Any) -> None:
    """Refuse a whole number that no float can hold."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise OptionError(f"{option} must not exceed the largest float, {sys.float_info.max:.4g}.")


def check_given(option: str, value: object) -> None:
    """Refuse None where groups are what a function is about."""
    if value is None:
        raise OptionError(
            f"{option}=None, but this function compares groups. Name the column that defines them, "
            "or use pairs for all items together."
        )


MOST_RESAMPLES = 1_000_000
MOST_REDRAWN = 1 << 27  # coefficients of resamples: some minutes
MOST_LEFT_OUT = 1 << 30  # ratings that are counted again: two minutes
ONE_SIDED = "one_sided_resamples"
WITHOUT_RESAMPLES = "Use ci='auto', 'fisher' or 'wald'."
PLAIN = "wald"  # computed first where limits are resampled, and then replaced


@dataclass(frozen=True)
class IntervalOptions:
    """How sure an estimate is: the options of an interval.

    Resamples are drawn from `rng`; `progress` becomes a function of (done, total), or None.
    """

    ci: str = "auto"
    level: float = 0.95
    n_resamples: int = 2000
    rng: Seed = None
    progress: Any = False
    null: float = 0.0
    vary: str = "items"
    population: Any = None

    def __post_init__(self) -> None:
        """Take Python's numbers; refuse raters as a sample where items alone are drawn anew."""
        of_python: Any = {
            "level": float,
            "n_resamples": int,
            "null": float,
            "progress": progress_of,
        }
        for name, made in of_python.items():
            object.__setattr__(self, name, made(getattr(self, name)))
        if self.vary != "items" and self.ci in RESAMPLED:
            raise OptionError(
                f"ci={shown(self.ci)} resamples items and not raters, so that "
                f"vary={shown(self.vary)} has no such limits. {WITHOUT_RESAMPLES}"
            )

    @property
    def first(self) -> str:
        """The method that does without resampling."""
        return PLAIN if self.ci in RESAMPLED else self.ci

    @property
    def drawing(self) -> Drawing:
        """What the arithmetic takes."""
        return Drawing(self.ci, self.level, self.n_resamples, self.rng, self.progress, self.null)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number that a float holds; True and False are none."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, float | np.floating | np.integer)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, however large; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def number_that(
    holds: Callable[[float], bool], must: str, *, is_one: Callable[[object], bool] = is_number
) -> Callable[[str, object], None]:
    """Make the check of an option that is a number, of which something holds, as the words say."""

    def check(name: str, value: Any) -> None:
        if not is_one(value) or not holds(value):
            raise OptionError(f"{name}={shown(value)} must {must}.")

    return check


check_share = number_that(lambda value: 0 < value < 1, "lie between 0 and 1")
check_null = number_that(
    lambda value: -1 < value < 1, "lie between -1 and 1. It is the coefficient that is tested"
)
check_margin = number_that(
    lambda value: 0 < value < np.inf,
    "be a number above zero: how much less agreement is acceptable. Leave it out to compare the "
    "difference with zero",
)


def whole_from(least: int, of: str = "") -> Callable[[str, object], None]:
    """Make the check of an option that is a whole number, such as one of items."""
    must = f"be a whole number{of} from {least} upwards"
    return number_that(lambda value: value >= least, must, is_one=is_whole)


def check_level(option: str, level: object) -> None:
    """Refuse a confidence level that is no number between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        hint = ""
        if is_number(level) and 2 <= level < 100:  # noqa: PLR2004
            hint = f" Did you mean {level / 100:g}?"
        raise OptionError(f"{option}={shown(level)} must lie between 0 and 1.{hint}")


def check_number(option: str, value: Any) -> None:
    """Refuse a number of resamples that is no whole number from 1 upwards, or too large."""
    whole_from(1)(option, value)
    if value > MOST_RESAMPLES:
        raise OptionError(f"{option}={shown(value)} is too many; the limit is {MOST_RESAMPLES}.")


def check_rng(option: str, rng: Any) -> None:
    """Refuse what random numbers cannot be drawn from."""
    is_seed = isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0
    if not (rng is None or is_seed or isinstance(rng, np.random.Generator)):
        raise OptionError(
            f"{option} must be None, a whole number from 0 upwards or a numpy Generator, got "
            f"{shown(rng)}. Make one with numpy.random.default_rng."
        )


def resample_pairs(
    summary: PairFigures,
    tables: PairTables,
    rows: RatingRows,
    scale: Scale,
    *,
    model: Coefficient,
    options: IntervalOptions,
) -> tuple[PairFigures, str]:
    """Replace the limits of pairs of raters by resampled ones; say what was lost on the way."""
    pairs = tables.pairs
    shape = (rows.n_groups, len(pairs))
    check_whole_items(rows, f"ci={shown(options.ci)} resamples items")
    if options.ci != "jackknife":  # which is quick for pairs
        check_work(tables.counts.n_tables, options)
    if rows.cluster is None:
        found = resampled_limits(
            summary,
            tables.counts,
            scale,
            model,
            options.drawing,
            n_all=np.repeat(rows.n_items, len(pairs)),
        )
    else:
        found = resampled_limits_of_many(
            rows,
            scale,
            [model_of_pair(model, pair) for pair in pairs],
            summary.estimate.reshape(shape),
            summary.se.reshape(shape),
            drawing=options.drawing,
        )
    lost = what_is_lost(found, options)
    flat = ResampledLimits(*(values.reshape(-1) for values in found))  # type: ignore[arg-type]
    tested = model.tested or options.null != 0
    return _with_limits(summary, flat, options, tested=tested), lost


def resample_many(
    summaries: dict[str, RaterFigures],
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    options: IntervalOptions,
    *,
    by_items: bool,
) -> tuple[dict[str, RaterFigures], str]:
    """Replace the limits of coefficients of all raters likewise."""
    check_whole_items(rows, f"ci={shown(options.ci)} resamples items")
    if options.ci == "jackknife":
        check_left_out(rows.compressed)
    else:
        check_work(rows.n_groups * len(models), options)
    found = resampled_limits_of_many(
        rows,
        scale,
        list(models.values()),
        np.stack([summaries[name].estimate for name in models], axis=1),
        np.stack([summaries[name].se for name in models], axis=1),
        by_items=by_items,
        drawing=options.drawing,
    )
    result = {}
    for number, name in enumerate(models):
        one = ResampledLimits(*(values[:, number] for values in found))  # type: ignore[arg-type]
        tested = name != "percent" or options.null != 0
        result[name] = _with_limits(summaries[name], one, options, tested=tested)
    return result, what_is_lost(found, options)


def _with_limits(
    summary: AnyFigures, found: ResampledLimits, options: IntervalOptions, *, tested: bool
) -> AnyFigures:
    """Put in resampled limits and tests, and say why they are NaN where nothing else is.

    Limits that are widened to the estimate reject no value between.
    """
    low, high = Limits(found.low, found.high).within(summary.estimate, summary.se, summary.lowest)
    why = np.where(found.n_undefined == options.n_resamples, "undefined_resamples", ONE_SIDED)
    if options.ci == "jackknife":
        why = np.full(low.shape, "undefined_without", dtype=object)
    known = (summary.reason != "") & (summary.reason != "no_variance")
    lost = np.isnan(low) & ~np.isnan(summary.se) & ~known
    inside = (low <= options.null) & (options.null <= high)
    p_value = np.where(inside, np.maximum(found.p_value, 1 - options.level), found.p_value)
    p_value = np.where(tested, np.maximum(p_value, 1 / (options.n_resamples + 1)), np.nan)
    return replace(
        summary,
        ci_low=low,
        ci_high=high,
        z=np.sign(summary.estimate - options.null) * -ndtri(p_value / 2),
        p_value=p_value,
        reason=np.where(lost, why, summary.reason).astype(object),
    )


def check_whole_items(rows: RatingRows, what: str, instead: str = WITHOUT_RESAMPLES) -> None:
    """Only whole items can be drawn anew; `what` does that, and `instead` says what to do."""
    if not has_whole_counts(rows):
        uneven = rows.count[rows.count != np.floor(rows.count)]
        value = uneven[0] if len(uneven) else rows.count.max()
        raise OptionError(
            f"{what}, so sample_weight must hold whole numbers that add up to less than 2**53, "
            f"got {value}. {instead}"
        )


def check_left_out(rows: RatingRows) -> None:
    """Refuse to leave out each of so many items, or clusters, that it would take hours."""
    each = np.bincount(rows.group, minlength=rows.n_groups)
    units = each if rows.cluster is None else rows.units
    n = rows.n_raters * float((units * np.maximum(each, rows.n_categories)).sum())
    if n > MOST_LEFT_OUT:
        raise TooLargeError(
            f"ci='jackknife' leaves out one item at a time and counts the others, {n:.0f} ratings "
            f"in all, which takes too long; the limit is {MOST_LEFT_OUT}. Use ci='auto'."
        )


def check_work(cells: int, options: IntervalOptions) -> None:
    """Refuse resamples that would take hours."""
    if cells * options.n_resamples > MOST_REDRAWN:
        raise TooLargeError(
            f"{options.n_resamples} resamples of {cells} coefficients take too long; the limit is "
            f"{MOST_REDRAWN} in all. Use ci='auto', fewer raters or a smaller n_resamples."
        )


def what_is_lost(found: ResampledLimits, options: IntervalOptions) -> str:
    """Say how many resamples were left out because they are 0/0, or what has no jackknife."""
    lost = found.n_undefined.reshape(-1)
    if not lost.any():
        return ""
    where = f"{(lost > 0).sum()} of {lost.size} {plural(lost.size, 'coefficient')}"
    if options.ci == "jackknife":
        return (
            f"ci='jackknife' finds no limits (NaN) for {where}: leaving out one item, or cluster, "
            f"gives 0/0, for up to {lost.max()} of them. 'fisher' leaves out none."
        )
    return (
        f"ci={shown(options.ci)} leaves resamples that are 0/0 out of the limits of {where}: up to "
        f"{lost.max()} of {options.n_resamples}. 'auto' does not need them."
    )


USUAL_INTERVALS = IntervalOptions("auto", 0.95, n_resamples=1, rng=None)  # that are not shown
