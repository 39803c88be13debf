"""Weightings: how much two categories, or two sets of them, disagree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray

AT_MEAN = 1e-15  # of the distance of a score from the mean that is first found
PARTS = (1, 2, 4, 10)  # scores are mostly whole numbers, halves, quarters or tenths


class Disagreement(Protocol):
    """Disagreement of two scores, element by element, on a scale from `low` to `high`."""

    def __call__(
        self, x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """Return zero where `x` equals `y` and something positive elsewhere."""


def in_parts(values: FloatArray, parts: int) -> FloatArray | None:
    """Return so many times the values, if all are floats of whole numbers by it, or NaN."""
    with np.errstate(over="ignore"):
        whole = np.rint(values * parts)
    return whole if ((whole / parts == values) | np.isnan(values)).all() else None


@dataclass(frozen=True)
class Weighting:
    """A named way to weigh disagreements."""

    # Disagreement of two scores; only ratios of disagreements matter to a coefficient.
    disagreement: Disagreement
    ordered: bool = True  # whether the scores of the categories, and so their order, are used
    ranks: bool = False  # whether ranks replace the scores
    # Whether it is a convex function of the difference of the scores. The greatest agreement under
    # given margins then has a closed form (`pdkappa.coefficients.pair_kappas`).
    convex: bool = False
    # Closed form of `Scale.spread`, for scales too long for a K x K matrix.
    spread: Callable[[FloatArray, FloatArray, int], FloatArray] | None = None
    formula: str = ""  # the disagreement of the scores x and y, in print
    source: str = ""  # author and year of the publication


@dataclass(frozen=True)
class Scale:
    """The K categories of one or more tables, and the disagreement between them."""

    weighting: Weighting
    # Position of each category, monotone along the last axis; one row for all tables or a row for
    # each, (S, K) or (1, K).
    scores: FloatArray
    in_use: BoolArray  # the categories that belong to the scale of each table, (S, K) or (1, K)

    @property
    def n_categories(self) -> IntArray:
        """Number of categories of each table, shape (S,) or (1,)."""
        return self.in_use.sum(axis=-1)

    @property
    def is_shared(self) -> bool:
        """Whether one scale serves all tables."""
        return len(self.scores) == 1 and len(self.in_use) == 1

    @cached_property
    def low(self) -> FloatArray:
        """Smallest score in use, shape (S, 1) or (1, 1); inf for an empty scale."""
        used = np.ascontiguousarray(self.in_use.T)  # of which a column at a time is quick
        return np.where(used, self.scores.T, np.inf).min(axis=0, initial=np.inf)[:, None]

    @cached_property
    def high(self) -> FloatArray:
        """Largest score in use, shape (S, 1) or (1, 1); -inf for an empty scale."""
        used = np.ascontiguousarray(self.in_use.T)
        return np.where(used, self.scores.T, -np.inf).max(axis=0, initial=-np.inf)[:, None]

    def take(self, tables: IntArray) -> Scale:
        """Return the scale of the given tables."""
        if self.is_shared:
            return self
        scores = self.scores if len(self.scores) == 1 else self.scores[tables]
        in_use = self.in_use if len(self.in_use) == 1 else self.in_use[tables]
        return replace(self, scores=scores, in_use=in_use)

    def of_tables(self, tables: IntArray, n_tables: int) -> Scale:
        """Return the scale of some of `n_tables` tables, which lie group by group."""
        n_scales = max(len(self.scores), len(self.in_use), 1)  # there may be no groups
        return self.take(tables // max(n_tables // n_scales, 1))

    def between(self, table: IntArray, row: IntArray, col: IntArray) -> FloatArray:
        """Disagreement of the categories `row` and `col` in each `table`, all of shape (C,)."""
        if len(self.scores) == 1:
            x, y = self.scores[0].take(row), self.scores[0].take(col)
        else:
            x, y = self.scores[table, row], self.scores[table, col]
        low, high = self.low[:, 0], self.high[:, 0]
        if len(self.in_use) > 1:
            low, high = low[table], high[table]
        return self.weighting.disagreement(x, y, low, high)

    def matrix(self, table: int = 0) -> FloatArray:
        """Disagreement of every two categories in use of one table, shape (K, K)."""
        one = self.take(np.array([table]))
        x, used = one.scores[0], one.in_use[0]
        apart = self.weighting.disagreement(x[:, None], x, one.low, one.high)
        return np.where(used[:, None] & used, apart, 0.0)

    def spread(self, shares: FloatArray, power: int = 1) -> FloatArray:
        """Mean disagreement of each category with a category drawn from `shares`.

        Parameters
        ----------
        shares : ndarray of float, shape (..., S, K)
            Shares of the categories, zero outside the scale.
        power : {1, 2}
            The power of the disagreement that is averaged.

        Returns
        -------
        ndarray of float, shape (..., S, K)
            ``sum(disagreement[l, k] ** power * shares[l] for l in range(K))``.
        """
        one_for_all = len(self.scores) == 1 and (
            self.weighting.spread is not None or self.is_shared
        )
        if one_for_all and shares.shape[-1] <= FEW_CATEGORIES:
            return dot(shares[..., None, :], self._apart**power)
        if self.weighting.spread is not None:
            return self.weighting.spread(self.scores, shares, power)
        if self.is_shared:
            with np.errstate(invalid="ignore"):  # a table without items, to some NumPy
                return shares @ self._apart.T**power
        total = np.zeros(shares.shape)
        for k in range(self.scores.shape[-1]):
            total += self._from_category(k) ** power * shares[..., k : k + 1]
        return total

    @cached_property
    def _apart(self) -> FloatArray:
        """Disagreement of every category with each that may be drawn, in the columns, (K, K).

        What has a closed form does not depend on which categories are in use.
        """
        if self.weighting.spread is None:
            return np.ascontiguousarray(self.matrix().T)
        x = self.scores[0]
        return self.weighting.disagreement(x[:, None], x, x[:1], x[-1:])

    @cached_property
    def largest(self) -> FloatArray:
        """Largest disagreement on the scale, shape (S,) or (1,); 1 where there is none."""
        return self.largest_among(self.in_use)

    def largest_among(self, used: BoolArray) -> FloatArray:
        """Largest disagreement of the categories `used`, shape (S, K) or (1, K), (S,) or (1,).

        It is 1 where there is none.
        """
        if self.weighting.spread is not None:
            some = replace(self, in_use=used)
            low, high = some.low, some.high
            usable = low < high
            ends = (np.where(usable, low, 0.0), np.where(usable, high, 0.0))
            top = self.weighting.disagreement(*ends, low, high)[:, 0]
        else:
            top = np.zeros(len(used))
            for k in range(self.scores.shape[-1]):
                apart = np.where(used & used[:, k : k + 1], self._from_category(k), 0.0)
                top = np.maximum(top, apart.max(axis=-1))
        return np.where(top > 0, top, 1.0)

    def _from_category(self, k: int) -> FloatArray:
        """Disagreement of all categories in use with category `k`, shape (S, K) or (1, K)."""
        one = self.scores[:, k : k + 1]
        apart = self.weighting.disagreement(self.scores, one, self.low, self.high)
        return np.where(self.in_use & self.in_use[:, k : k + 1], apart, 0.0)


def nominal(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Every disagreement counts the same (Cohen, 1960)."""
    return (x != y).astype(np.float64)


def linear(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Distance of the scores (Cicchetti & Allison, 1971)."""
    return np.abs(x - y)


def quadratic(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Squared distance of the scores (Fleiss & Cohen, 1973)."""
    return (x - y) ** 2


def ordinal(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Count the pairs among the categories from one to the other (Gwet, 2014)."""
    steps = np.abs(x - y)
    return steps * (steps + 1) / 2


def radical(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Square root of the distance of the scores (Gwet, 2014)."""
    return np.sqrt(np.abs(x - y))


def ratio(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
    """Squared distance relative to the sum of the scores (Krippendorff, 2004)."""
    return _share((x - y) ** 2, (x + y) ** 2)


def circular(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Squared chord on a circle on which `high` is followed by `low` (Gwet, 2014)."""
    with np.errstate(invalid="ignore"):  # an empty scale reaches from inf to -inf
        return np.sin(np.pi * (x - y) / (high - low + 1)) ** 2


def bipolar(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Squared distance that counts more near the ends of the scale (Gwet, 2014)."""
    with np.errstate(invalid="ignore"):  # an empty scale reaches from inf to -inf
        # From the ends, as differences of scores that lie close together are exact.
        above, below = (x - low) + (y - low), (high - x) + (high - y)
        return _share((x - y) ** 2, above * below)


def from_matrix(disagreement: FloatArray) -> Weighting:
    """Weigh by a given (K, K) matrix; the scores are then positions in it."""

    def lookup(x: FloatArray, y: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:  # noqa: ARG001
        return disagreement[x.astype(np.intp), y.astype(np.intp)]

    return Weighting(lookup)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide, with zero for zero over zero (a score compared with itself)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(part == 0, 0.0, part / whole)


FEW_CATEGORIES = 32  # of which a sum over many tables takes a third of the time


def dot(first: FloatArray, second: FloatArray) -> FloatArray:
    """Sum products over the last axis; with the same bits every time, as BLAS has not."""
    if first.shape[-1] > FEW_CATEGORIES:
        return (first * second).sum(axis=-1)
    return np.asarray(np.einsum("...k,...k->...", first, second))


def _spread_nominal(scores: FloatArray, shares: FloatArray, power: int) -> FloatArray:  # noqa: ARG001
    """Share of all other categories."""
    return shares.sum(axis=-1, keepdims=True) - shares


def _spread_linear(scores: FloatArray, shares: FloatArray, power: int) -> FloatArray:
    """Mean distance, from the shares below and above every gap of the scale."""
    if power == 2:  # noqa: PLR2004
        return _spread_quadratic(scores, shares, 1)
    if shares.shape[-1] == 0:
        return np.zeros(shares.shape)
    gaps = np.abs(np.diff(scores, axis=-1))
    below = np.cumsum(shares, axis=-1)
    total, below = below[..., -1:], below[..., :-1]
    start = np.zeros_like(total)
    from_below = np.concatenate([start, np.cumsum(gaps * below, axis=-1)], axis=-1)
    above = np.cumsum((gaps * (total - below))[..., ::-1], axis=-1)[..., ::-1]
    return from_below + np.concatenate([above, start], axis=-1)


def _spread_quadratic(scores: FloatArray, shares: FloatArray, power: int) -> FloatArray:
    """Mean squared (or fourth power of the) distance, from central moments.

    The only category that was used is its own mean, though not always in floats.
    """
    total = shares.sum(axis=-1, keepdims=True)
    size = np.where(total > 0, total, 1.0)
    near = scores - dot(scores, shares)[..., None] / size
    # The mean misses by a rounding error, which is all there is between scores next to each other.
    u = near - dot(near, shares)[..., None] / size
    np.copyto(u, 0.0, where=np.abs(u) <= AT_MEAN * np.abs(near))
    square = u * u
    second = dot(square, shares)[..., None]
    if power == 1:
        return total * square + second
    third = dot(square * u, shares)[..., None]
    fourth = dot(square * square, shares)[..., None]
    # E(u - v)**4 with a mean of zero: the terms of the first moment are gone.
    return total * square * square + 6 * second * square - 4 * third * u + fourth


NOMINAL = Weighting(nominal, ordered=False, convex=False, spread=_spread_nominal)

WEIGHTS: dict[str | None, Weighting] = {
    None: NOMINAL,
    "linear": Weighting(
        linear,
        convex=True,
        spread=_spread_linear,
        formula="|x \N{MINUS SIGN} y|",
        source="Cicchetti & Allison, 1971",
    ),
    "quadratic": Weighting(
        quadratic,
        convex=True,
        spread=_spread_quadratic,
        formula="(x \N{MINUS SIGN} y)\N{SUPERSCRIPT TWO}",
        source="Fleiss & Cohen, 1973",
    ),
    "ordinal": Weighting(
        ordinal,
        ranks=True,
        convex=True,
        formula="m(m + 1)/2 for ratings that are m categories apart",
        source="Gwet, 2014",
    ),
    "radical": Weighting(
        radical, formula="\N{SQUARE ROOT}|x \N{MINUS SIGN} y|", source="Gwet, 2014"
    ),
    "ratio": Weighting(
        ratio,
        formula="(x \N{MINUS SIGN} y)\N{SUPERSCRIPT TWO}/(x + y)\N{SUPERSCRIPT TWO}",
        source="Krippendorff, 2004",
    ),
    "circular": Weighting(
        circular,
        formula=(
            "sin\N{SUPERSCRIPT TWO}(\N{GREEK SMALL LETTER PI}(x \N{MINUS SIGN} y)"
            "/(max \N{MINUS SIGN} min + 1))"
        ),
        source="Gwet, 2014",
    ),
    "bipolar": Weighting(
        bipolar,
        formula=(
            "(x \N{MINUS SIGN} y)\N{SUPERSCRIPT TWO}/((x + y \N{MINUS SIGN} 2 min)"
            "(2 max \N{MINUS SIGN} x \N{MINUS SIGN} y))"
        ),
        source="Gwet, 2014",
    ),
}


def jaccard(both: IntArray, size: IntArray) -> FloatArray:
    """One minus the share of the labels of either set that both have (Jaccard, 1912)."""
    return 1 - _shares(both, size)


def masi(both: IntArray, size: IntArray) -> FloatArray:
    """Measuring agreement on set-valued items, one minus J times M (Passonneau, 2006).

    J is Jaccard's share, and M is 1 for equal sets, 2/3 where one holds the other, 1/3 where
    they overlap and 0 where they do not.
    """
    smaller = np.minimum(size[:, None], size)
    equal = (both == size[:, None]) & (both == size)
    monotone = np.select([equal, both == smaller, both > 0], [1, 2 / 3, 1 / 3], 0.0)
    return 1 - _shares(both, size) * monotone


def _shares(both: IntArray, size: IntArray) -> FloatArray:
    """Share of the labels of either set that both have, 1 for two empty sets."""
    either = size[:, None] + size - both
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def distances(name: str, sets: list[frozenset[object]]) -> FloatArray:
    """Return the distances of K sets, shape (K, K).

    >>> distances("masi", [frozenset("ab"), frozenset("a"), frozenset("bc")]).round(3)
    array([[0.   , 0.667, 0.889],
           [0.667, 0.   , 1.   ],
           [0.889, 1.   , 0.   ]])
    """
    place = {
        label: number for number, label in enumerate(dict.fromkeys(x for s in sets for x in s))
    }
    size = np.array([len(one) for one in sets], dtype=np.int64)
    member = np.array([place[label] for one in sets for label in one], dtype=np.int64)
    cells = np.ones(len(member), dtype=np.int64), member, np.append(0, np.cumsum(size))
    holds = scipy.sparse.csr_array(cells, shape=(len(sets), max(len(place), 1)))
    return SETS[name]((holds @ holds.T).toarray(), size)


# Each takes how many labels every two sets have in common, (K, K), and how many each has, (K,).
SETS: dict[str, Callable[[IntArray, IntArray], FloatArray]] = {"jaccard": jaccard, "masi": masi}
