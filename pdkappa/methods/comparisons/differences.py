"""What all comparisons share: contrasts of coefficients, their tests and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import error_in_turn, moments_of, standard_error
from pdkappa.coefficients.pair_kappas import PairKappas, of_pairs, worst
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    fdtrc,
    positive,
    stdtr,
    stdtrit,
    without_rounding,
)
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    RatingsError,
    listing,
    shown,
)
from pdkappa.methods.estimates.pair_frames import remarks_of, warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.influence import Moments
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.options import Reading

MOST_OF_ITEM = 3  # degrees of freedom of differences, by simulation


class Contrast(NamedTuple):
    """A weighted sum of coefficients in S places, each of shape (S,).

    `se` is NaN where the estimate is, or where a coefficient has none; `df` are the degrees
    of freedom of the standard error; `reason` says why something is undefined.
    """

    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    reason: ObjectArray


class Inference(NamedTuple):
    """Limits, test statistic and two-sided p-value of a contrast, each of shape (S,)."""

    low: FloatArray
    high: FloatArray
    z: FloatArray
    p_value: FloatArray


class Homogeneity(NamedTuple):
    """Test that P coefficients are equal, each of shape (G,)."""

    f: FloatArray
    df1: FloatArray
    df2: FloatArray
    p_value: FloatArray
    reason: ObjectArray


def contrast(kappas: PairKappas, weights: FloatArray) -> Contrast:
    """Sum coefficients of the same items with weights.

    Parameters
    ----------
    kappas : PairKappas
        C coefficients in G groups.
    weights : ndarray of float, shape (C,) or (C, G)
        Weight of each coefficient; those with weight zero do not matter.

    Returns
    -------
    Contrast
        Each of shape (G,). The standard error is zero where no item has any influence on
        the sum, as for the difference of a coefficient and itself.

    Notes
    -----
    The influence of an item on the sum is the sum of its influences, which carries all
    covariances. The variance divides by ``n (n - 1)``, or is that of clusters with their
    degrees of freedom; see `standard_error`.
    """
    per_group = weights[:, None] if weights.ndim == 1 else weights
    per_group = np.broadcast_to(per_group, kappas.estimate.shape)
    used = per_group != 0
    estimate = np.where(used, per_group * kappas.estimate, 0.0).sum(axis=0)
    se = standard_error(kappas.rows, _influence(kappas, per_group))
    reason = worst(np.where(used, kappas.reason, ""))
    return Contrast(estimate, *_checked(se, reason, kappas.units - 1))


def in_turn(kappas: PairKappas, weights: FloatArray) -> Contrast:
    """Return the contrast of the first of R raters, its error steadied by those of the others.

    The weights, of shape (R, C, G), are those of the same contrast with each rater in the place
    of the first; NaN where there is none. See `error_in_turn`.
    """
    found = contrast(kappas, weights[0])
    defined = np.asarray(~np.isnan(weights).any(axis=1))
    influence = np.stack([_influence(kappas, one) for one in weights])
    se, df = (of_all[0] for of_all in error_in_turn(kappas.rows, influence, defined))
    reason = np.where(found.reason == "no_variance", "", found.reason)
    return Contrast(
        found.estimate, *_checked(se, reason, np.where(kappas.units > 1, df, kappas.units - 1))
    )


def _influence(kappas: PairKappas, weights: FloatArray) -> FloatArray:
    """Influence of each row on a sum of coefficients with weights of shape (C, G); shape (U,)."""
    per_row = weights[:, kappas.rows.group]
    influence: FloatArray = np.where(per_row != 0, per_row * kappas.influence, 0.0).sum(axis=0)
    return influence


def t_test(found: Contrast, level: float) -> Inference:
    """Test that a contrast is zero, by its standard error and a t distribution.

    All is NaN where the standard error is zero or NaN: zero says that the linear
    approximation sees no variation, not that there is none.
    """
    se, df = np.where(found.se > 0, found.se, np.nan), _positive(found.df)
    half = stdtrit(df, (1 + level) / 2) * se
    z = found.estimate / se
    return Inference(found.estimate - half, found.estimate + half, z, 2 * stdtr(df, -np.abs(z)))


def non_inferiority(found: Contrast, margin: float) -> FloatArray:
    """One-sided p-value of the hypothesis that a contrast is ``-margin`` or less, shape (S,)."""
    se = np.where(found.se > 0, found.se, np.nan)
    p_value: FloatArray = stdtr(_positive(found.df), -(found.estimate + margin) / se)
    return p_value


def equivalence(found: Contrast, margin: float) -> FloatArray:
    """p-value of the hypothesis that a contrast is `margin` or more away from 0, shape (S,).

    The greater one of two one-sided p-values (Schuirmann, 1987).
    """
    se = np.where(found.se > 0, found.se, np.nan)
    p_value: FloatArray = stdtr(_positive(found.df), (np.abs(found.estimate) - margin) / se)
    return p_value


def all_equal(kappas: PairKappas, moments: Moments | None = None) -> Homogeneity:
    """Test that all coefficients of a group are equal, by the ANOVA-type statistic.

    Parameters
    ----------
    kappas : PairKappas
        P coefficients, two or more, in G groups.
    moments : Moments, optional
        Where `kappas` does not hold the influence values.

    Returns
    -------
    Homogeneity
        With k the coefficients, S their covariances and ``T = I - J / P``: ``F = k'Tk / tr(TS)``,
        with the degrees of freedom `_degrees` and as many for each of n - 1 items (or
        clusters). NaN where a coefficient or its standard error is undefined, and where no
        difference varies (``no_variance``).

    Notes
    -----
    Nothing is inverted: a matrix of many covariances from few items is close to singular, and
    its inverse makes differences out of noise. For two coefficients it is the t test of their
    difference; for the means of P columns it is the F test of repeated measures.
    """
    cov, concentration = moments or moments_of(kappas.rows, kappas.influence)
    apart = cov - cov.mean(axis=1, keepdims=True)
    apart -= apart.mean(axis=2, keepdims=True)
    size, trace = (np.trace(of, axis1=1, axis2=2) for of in (cov, apart))
    reason = worst(kappas.reason)
    trace = np.where(reason == "", positive(trace, np.maximum(size, ROUNDING)), np.nan)
    reason[(reason == "") & np.isnan(trace)] = "no_variance"
    f = np.square(kappas.estimate - kappas.estimate.mean(axis=0)).sum(axis=0) / trace
    df1 = _degrees(apart, trace, concentration, kappas.units - 1)
    df2 = df1 * (kappas.units - 1)
    return Homogeneity(f, df1, df2, np.asarray(fdtrc(df1, df2, f)), reason)


def _degrees(
    apart: FloatArray, trace: FloatArray, concentration: FloatArray, n: FloatArray
) -> FloatArray:
    """Degrees of freedom of a sum of squares with covariances TST from n free items, shape (G,).

    ``f = tr(TST)**2 / tr(TSTTST)`` of Box is too low where S is estimated from few items.
    ``((n + 1) f - 2) / (n - f)`` of Huynh and Feldt corrects it for normal values, too little for
    those of which most are next to zero. Without products of an item and itself (Brunner, Bathke &
    Placzek, 2012) numerator and denominator do not depend on how heavy the tails of the values are;
    with fewer than twenty items they are too small, as values are centred, and they see nothing of
    the bend of a kappa of few items. By simulation, the geometric mean of both holds best; each is
    at most P - 1, and 3 n, as a handful of items says little of many differences.
    """
    box = trace**2 / np.einsum("gij,gij->g", apart, apart)
    most = np.maximum(np.minimum(apart.shape[1] - 1, MOST_OF_ITEM * n), box)

    def between(over: FloatArray, under: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # as many items as differences
            return np.where(under > 0, np.clip(over / under, box, most), most)

    normal = between((n + 1) * box - 2, n - box)
    of_two = between(1 - concentration, 1 / box - concentration)
    return np.where(n > 1, np.sqrt(normal * of_two), box)


def _checked(
    se: FloatArray, reason: ObjectArray, df: FloatArray
) -> tuple[FloatArray, FloatArray, ObjectArray]:
    """Set standard errors to NaN where there is a reason, to zero where they are rounding."""
    reason = reason.copy()
    se = without_rounding(se)
    reason[(reason == "") & (se == 0)] = "no_variance"
    known = (reason == "") | (reason == "no_variance")
    return np.where(known, se, np.nan), np.where(known, df, np.nan), reason


def _positive(df: FloatArray) -> FloatArray:
    """Degrees of freedom where there are any, else NaN."""
    return np.where(df > 0, df, np.nan)


PAIR = 2


def read_compared(
    data: pd.DataFrame | Counted, raters: Raters | None, reading: Reading, *coefficients: str
) -> Study:
    """Read the ratings of those who are compared."""
    study = read(data, raters, reading)
    study.warn_of_categories(coefficients)
    return study


def kappas_of(study: Study, pairs: Sequence[tuple[Label, Label]], coefficient: str) -> PairKappas:
    """Estimate the coefficients of some pairs of raters, in every group."""
    names = study.coded.raters
    places = [(names.index(a), names.index(b)) for a, b in pairs]
    return of_pairs(study.rows.compressed(), study.scale, COEFFICIENTS[coefficient], places)


def columns_named(given: Any, option: str, what: str) -> list[Label]:
    """Return the columns that the user listed, in order."""
    is_list = pd.api.types.is_list_like(given) and not isinstance(given, set | frozenset | dict)
    if not is_list:
        alone = isinstance(given, str) and what.startswith("a list")
        example = f"[{shown(given)}]" if alone else "('ann', 'bob')"
        message = f"{option} must be {what}, got {shown(given)}. Write {option}={example}."
        raise OptionError(message)
    names = list(given)
    for name in names:
        if name is pd.NA or not pd.api.types.is_hashable(name):
            message = f"{option} must hold column labels, got {shown(name)}. Name the columns."
            raise OptionError(message)
    return names


def check_different(names: Sequence[Label], option: str) -> None:
    """Make sure that no rater is paired with themselves."""
    twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if twice:
        message = f"{option} names {listing(twice)} more than once. Name different raters."
        raise DuplicateRatingError(message)


def measured_by(humans: Any, function: str, **given: list[Label]) -> list[Label]:
    """Return the raters that machines are measured by; these are `given` by the option's name."""
    [(option, machines)] = given.items()
    names = columns_named(humans, "humans", "a list of columns")
    check_different(names, "humans")
    both = [machine for machine in machines if machine in names]
    if both:
        message = f"{option}={both[0]!r} is among the humans too. Leave it out of humans."
        raise DuplicateRatingError(message)
    if len(names) < PAIR:
        message = (
            f"{function} needs two humans or more, got {len(names)}: "
            "a machine is measured by how well they agree with each other."
        )
        raise RatingsError(message)
    return names


def tested(difference: Contrast, level: float) -> dict[str, FloatArray]:
    """Return the columns of a difference and its test."""
    test = t_test(difference, level)
    return {
        "difference": difference.estimate,
        "se": difference.se,
        "ci_low": test.low,
        "ci_high": test.high,
        "z": test.z,
        "p_value": test.p_value,
    }


def by_margin(difference: Contrast, margin: float | None) -> dict[str, FloatArray | float]:
    """Return the columns of the tests by a margin, NaN without one."""
    if margin is None:
        return dict.fromkeys(schema.BY_MARGIN, np.nan)
    return {
        "margin": float(margin),
        "p_non_inferior": non_inferiority(difference, margin),
        "p_equivalent": equivalence(difference, margin),
    }


def with_no_weight(no_weight: BoolArray, reason: ObjectArray) -> ObjectArray:
    """Say that there are no items because none has a weight, where that is why.

    `no_weight` is that of each group, of as many rows one below the other.
    """
    of_row = no_weight.repeat(len(reason) // max(len(no_weight), 1))
    return np.where(of_row & (reason == "no_items"), "zero_total_weight", reason)


def repeated(value: Any, times: int) -> Any:
    """Repeat a label as it is, be it a tuple."""
    return index_of([value]).repeat(times)


def by_group(study: Study, columns: dict[str, Any], figure: str) -> Result:
    """Put the columns into a frame, after the labels of the groups; warn of what is NaN.

    The last column says of which groups the test is weak, if it says nothing else yet.
    """
    groups = study.groups
    if "remark" not in columns:
        columns["remark"] = remarks_of(study.rows, study.scale)
    columns["reason"] = with_no_weight(groups.no_weight, columns["reason"])
    frame = pd.DataFrame(columns)
    warn_if_undefined("comparison", frame[figure].isna(), frame["reason"], groups.name)
    return result(groups.label(frame), study.raters)
