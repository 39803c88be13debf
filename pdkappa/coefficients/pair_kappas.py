"""Coefficients of pairs of raters on the same items, with what each item does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.influence import covariance, of_own_units, units_of
from pdkappa.coefficients.joint_items import of_pair
from pdkappa.coefficients.pairwise import FEWEST_ITEMS
from pdkappa.coefficients.rounding import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.joint_items import Functional
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows

SEVERITY = (
    "",
    "no_variance",
    "n_lt_2",
    "constant_rater",
    "constant_ratings",
    "no_joint_items",
    "no_items",
)


@dataclass(frozen=True)
class PairKappas:
    """Coefficients of C pairs of raters in G groups, of the items that some pair rated."""

    rows: RatingRows  # the U rows that at least one of the pairs rated
    units: FloatArray  # (G,), number of these items, or of the clusters they are nested in
    n_items: FloatArray  # (C, G), number of items that both raters of a pair rated
    estimate: FloatArray  # (C, G), NaN where undefined
    worst: FloatArray  # (C, G), largest disagreement in units of the expected one
    influence: FloatArray  # (C, U), zero where the pair did not rate the row; see `of_own_units`
    reason: ObjectArray  # (C, G), why an estimate or its standard error is undefined, or empty


def of_pairs(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
    *,
    keep_influence: bool = True,
) -> PairKappas:
    """Estimate the coefficients of some pairs of raters, with their influence values.

    The order within a pair changes nothing. `keep_influence` says whether the influence
    values, C x U of them, are wanted.
    """
    some_rating = rows.n_items > 0
    ordered = [(min(pair), max(pair)) for pair in pairs]
    some = np.zeros(rows.codes.shape[1], dtype=bool)
    for first, second in ordered:
        some |= (rows.codes[first] >= 0) & (rows.codes[second] >= 0)
    rows = rows.select(some)
    found, influence = [], []
    for pair in ordered:
        one = of_pair(rows, scale, coefficient, pair)
        if keep_influence:
            influence.append(_influence(one, rows))
        found.append(one._replace(influence=np.empty(0)))
    n_items = np.stack(
        [rows.total((rows.codes[a] >= 0) & (rows.codes[b] >= 0)) for a, b in ordered]
    )
    estimate = np.stack([one.estimate for one in found])
    fixed = coefficient.keeps_margins & np.stack(
        [rows.is_constant(pair).any(axis=0) for pair in ordered]
    )
    units = units_of(rows)
    joint = [(rows.codes[a] >= 0) & (rows.codes[b] >= 0) for a, b in ordered if influence]
    grown = [of_own_units(units, units_of(rows.select(one))) for one in joint]
    return PairKappas(
        rows=rows,
        units=units,
        n_items=n_items,
        estimate=np.where(fixed & ~np.isnan(estimate), 0.0, estimate),
        worst=np.stack([scale.largest / one.expected for one in found]),
        influence=np.stack(influence) * np.stack(grown)[:, rows.group]
        if influence
        else np.empty((len(found), 0)),
        reason=_reasons(estimate, n_items, units, fixed=fixed, some_rating=some_rating),
    )


def joint_items(rows: RatingRows, pairs: Sequence[tuple[int, int]]) -> float:
    """Count the items that both raters of some pair rated, each once."""
    joint = np.zeros(rows.codes.shape[1], dtype=bool)
    for a, b in pairs:
        joint |= (rows.codes[a] >= 0) & (rows.codes[b] >= 0)
    return float(rows.total(joint).sum())


def correlation(kappas: PairKappas) -> FloatArray:
    """Correlation of the first two estimates over samples of items, shape (G,).

    NaN where one of them is undefined or does not vary.
    """
    cov = covariance(kappas.rows, list(kappas.influence))
    known = _varies(kappas, cov)[:2].all(axis=0)
    return np.where(known, _correlations(kappas, cov)[:, 0, 1], np.nan)


def correlations(kappas: PairKappas) -> FloatArray:
    """Correlations of all estimates over samples of items, shape (G, C, C).

    One on the diagonal, and zero where one of two is undefined or does not vary.
    """
    return _correlations(kappas, covariance(kappas.rows, list(kappas.influence)))


def _correlations(kappas: PairKappas, cov: FloatArray) -> FloatArray:
    """Correlations of all estimates from their covariances, both of shape (G, C, C)."""
    size = np.where(_varies(kappas, cov).T, np.sqrt(np.diagonal(cov, axis1=1, axis2=2)), np.inf)
    found = np.clip(np.nan_to_num(cov) / (size[:, :, None] * size[:, None]), -1.0, 1.0)
    places = np.arange(cov.shape[1])
    found[:, places, places] = 1.0
    return found


def _varies(kappas: PairKappas, cov: FloatArray) -> BoolArray:
    """Whether an estimate is defined and has a standard error above zero, shape (C, G)."""
    se = np.sqrt(np.diagonal(cov, axis1=1, axis2=2)).T
    varies: BoolArray = (kappas.reason == "") & (se > ROUNDING)
    return varies


def worst(reasons: ObjectArray) -> ObjectArray:
    """Return the gravest reason of each column, shape (G,), of reasons of shape (C, G)."""
    rank = np.zeros(reasons.shape[1], dtype=np.intp)
    for k, reason in enumerate(SEVERITY):
        rank[(reasons == reason).any(axis=0)] = k
    return np.array(SEVERITY, dtype=object)[rank]


def _influence(found: Functional, rows: RatingRows) -> FloatArray:
    """Influence of each row, zero where the coefficient is undefined."""
    return np.where(np.isnan(found.estimate)[rows.group], 0.0, found.influence)


def _reasons(
    estimate: FloatArray,
    n_items: FloatArray,
    units: FloatArray,
    *,
    fixed: BoolArray,
    some_rating: BoolArray,
) -> ObjectArray:
    """Say why an estimate or its standard error is undefined, shape (C, G)."""
    reason = np.full(estimate.shape, "", dtype=object)
    reason[:, units < FEWEST_ITEMS] = "n_lt_2"
    reason[fixed] = "constant_rater"
    reason[np.isnan(estimate)] = "constant_ratings"
    reason[n_items == 0] = "no_joint_items"
    reason[:, ~some_rating] = "no_items"
    return reason
