"""Scores and a design -> components of variance by ANOVA or REML, and limits of what they make."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.score_limits import chdtri, fdtrc, ndtri
from pdkappa.errors import OptionError, RatingsError, TooLargeError, listing, shown
from pdkappa.ratings.items import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray, Label

RESIDUAL, REPEATS = "residual", "repeats"
MOST_COLUMNS = 2000
MOST_CELLS = 1 << 26
LEAST_RESIDUAL = 1e-6  # of the variance of the scores: REML divides by it
N_DRAWS, MULTIPLIER = 8191, 5130
N_SAMPLES = 300
MOST_EXACT = 1 << 23  # numbers in memory
SEED = 20051
SAME_EFFECT = 1e-10  # least singular value of what effects that differ add to sums of squares
NO_PIVOT = 1e-9
# The mean square of an interaction is a difference of others if it has fewer degrees of freedom
# than 3, and than a fourth of those of its levels: 6 or more, none, or nobody knows how many.
OF_DIFFERENCE, FEWEST_OF_LEVELS, FOURTH = 3.0, 6, 4
NO_SQUARE = 1e-12  # of the largest mean square
WITHIN = 0.975  # quantile of the difference of two scores that is error alone
FIGURES = ("g", "phi", "sem_relative", "sem_absolute", "sdc_relative", "sdc_absolute")
LIMITS = ["estimate", "ci_low", "ci_high"]
SOURCES = ("total_gauge", "repeatability", "reproducibility")
Factors = frozenset[str]


class Effect(NamedTuple):
    """An effect: its name, the factors that make its levels, and the level of each row, (N,)."""

    name: str
    factors: Factors
    level: IntArray


def effects_of(levels: pd.DataFrame, closure: dict[str, Factors]) -> list[Effect]:
    """List all effects, the last of which is the residual: the distinct unions of closures."""
    names: list[Any] = [*levels]
    some = chain.from_iterable(combinations(names, n + 1) for n in range(len(names)))
    closed = [one for one in some if all(closure[x] <= {*one} for x in one)]
    told = [*(name_of_effect(frozenset(one), closure) for one in closed[:-1]), RESIDUAL]
    sets = [(frozenset(one), number(levels, [*one], "level")[0]) for one in closed]
    return [Effect(name, *one) for name, one in zip(told, sets, strict=True)]


def nested_in(levels: pd.DataFrame, name: str) -> list[str]:
    """Find the factors in which one is nested: each of its levels has one of theirs, of fewer."""
    n: Any = levels.nunique()
    fewer: list[Any] = [other for other in levels if n[other] < n[name]]
    return [other for other in fewer if len(levels[[name, other]].drop_duplicates()) == n[name]]


def name_of_effect(factors: Factors, closure: dict[str, Factors]) -> str:
    """Name an effect by its own factors, each followed by what it is nested in, innermost first."""

    def nested(name: str) -> str:
        outer = sorted(closure[name] - {name}, key=lambda one: (-len(closure[one]), one))
        return ":".join([name, *outer])

    inner = {outer for name in factors for outer in closure[name] - {name}}
    return " x ".join(nested(name) for name in closure if name in factors - inner)


class Design:
    """Which effects may make N scores differ.

    Attributes
    ----------
    item, title : str
        The names of the effect of the items, and of the design.
    effects : list of Effect
        The E effects, by `names`; the residual is the last.
    closure : dict
        What each factor is nested in, and itself.
    fixed : frozenset of str
        The factors whose levels are all that there are.
    marks, joint : sparse array, shape (N, P) and (P, P)
        Which row has which of the P levels of all effects, and how often two occur together.
    counts : ndarray of float, shape (P,)
        How often each level occurs.
    of : ndarray of float, shape (P, E)
        1 for the effect that has the level.
    n_levels, counted : ndarray of float, shape (E,)
        Number of levels of each effect, and what is left of it without those of its parts.
    within : ndarray of bool, shape (E, E)
        Whether an effect (column) is one of the parts of another (row), or the same.
    of_items : ndarray of bool, shape (E,)
        Whether an effect is that of the items, which has the place `item_place`, or contains it.
    shares : ndarray of float, shape (E,)
        Share of each effect in the mean of an item, mean of sum (n_ib / n_i)**2.
    factors : ndarray of float, shape (E, E)
        What a component adds to a mean square: N over its levels, where it contains the effect.
    """

    def __init__(
        self, item: str, effects: list[Effect], closure: dict[str, Factors], fixed: Factors
    ) -> None:
        """Count the levels, and what they have in common."""
        self.item, self.effects, self.closure, self.fixed = item, effects, closure, fixed
        self.names, self.n = [one.name for one in effects], len(effects[-1].level)
        self.title = name_of_effect(frozenset(closure) - {REPEATS}, closure)
        rows, ones = np.arange(self.n), np.ones(self.n)
        marks = [scipy.sparse.csr_array((ones, (rows, one.level))) for one in effects]
        self.marks: Any = scipy.sparse.hstack(marks, format="csr")
        self.joint, self.counts = self.marks.T @ self.marks, self.marks.sum(axis=0)
        self.of = np.repeat(np.eye(len(marks)), [one.shape[1] for one in marks], axis=0)
        self.n_levels = self.of.sum(axis=0)
        self.within = np.array([[b.factors <= a.factors for b in effects] for a in effects])
        self.factors = self.within.T * (self.n / self.n_levels)
        self.counted = np.rint(np.linalg.solve(self.within, self.n_levels - 1))
        self.of_items = np.array([closure[item] <= one.factors for one in effects])
        self.item_place = int(self.of_items.argmax())
        items = self.of[:, self.item_place] > 0
        shares = self.joint[items].power(2) @ self.of / self.counts[items, None] ** 2
        self.shares = shares.mean(axis=0)

    @cached_property
    def expected(self) -> FloatArray:
        r"""What each component adds to the sums of squares of Henderson's method I, (E, E).

        With n_a scores of a level of effect a, :math:`k_{ab} = \sum n_{ab}^2 / n_a` over the levels
        that a and b have together, and :math:`k_{\mu b} = \sum n_b^2 / N`,

        .. math:: E\{T(a) - T(\mu)\} = \sum_b \sigma^2_b (k_{ab} - k_{\mu b}), \qquad
                  T(a) = \sum (\sum y)^2 / n_a.
        """
        k = self.of.T / self.counts @ (self.joint.power(2) @ self.of)
        return k - self.counts**2 @ self.of / self.n

    @cached_property
    def is_balanced(self) -> bool:
        r"""Whether all levels occur equally often, and meet all that they are crossed with.

        No other design adds as little to sums of squares as its mean squares would have it, of
        effects a and of those within them: :math:`\sum_{c \subseteq a} df_c\, E\{MS_c\}`.
        """
        return np.allclose(self.expected, self.within * self.counted @ self.factors, rtol=1e-9)

    @cached_property
    def df(self) -> FloatArray:
        """Degrees of freedom: dimensions that the levels of an effect add to its parts', (E,).

        They are what is counted where all that is crossed meets, as in every balanced design. NaN
        where they would need a large matrix.
        """
        if self.is_balanced:
            return self.counted
        if self.n_levels[~self.of_items].sum() > MOST_COLUMNS:
            return np.full(len(self.names), np.nan)
        item = np.zeros(len(self.of))
        item[self.marks.indices] = np.repeat(self.effects[self.item_place].level, len(self.names))
        order = np.lexsort((item, self.of @ ~self.of_items))  # blocks of items, then all others
        proper = self.within & ~np.eye(len(self.within), dtype=bool)
        places = [order[some[order]] for some in proper @ self.of.T > 0]
        return self.n_levels - [_rank(self.joint[some][:, some]) for some in places]

    @cached_property
    def solve(self) -> FloatArray:
        """Mean squares from sums of squares, (E, E)."""
        return self.factors @ np.linalg.inv(self.expected)

    @cached_property
    def few(self) -> IntArray:
        """The effects whose part in the variance of mean squares is computed: of few levels."""
        order = np.argsort(self.n_levels)
        return order[np.cumsum(self.n_levels[order]) * self.n * len(order) <= MOST_EXACT]

    @cached_property
    def traces(self) -> FloatArray:
        r"""How mean squares vary, :math:`tr(Q_a V_b Q_a V_c)` of :math:`MS_a = y'Q_ay`, (E, E, E).

        V being the part of a component in the variance of the scores; 0 where neither b nor c has
        few levels.
        """
        few = self.of[:, self.few].any(axis=1)
        columns = self.marks[:, few].toarray()
        columns -= columns.mean(axis=0)
        means = self.marks.T @ columns / self.counts[:, None]
        parts = (self.joint @ ((self.of @ row)[:, None] * means) for row in self.solve)
        found = np.array([self.of.T @ part**2 @ self.of[few] for part in parts])
        return np.maximum(found, found.swapaxes(1, 2))

    def sums_of_squares(self, scores: FloatArray) -> FloatArray:
        """Compute T(a) - T(mu) of each effect of scores (N, ...), (E, ...)."""
        sums = self.marks.T @ (scores - scores.mean(axis=0))
        return self.of.T / self.counts @ np.square(sums, out=sums)  # there are many


def _rank(products: Any) -> float:
    """Return the rank of columns with these products, of all of none 1, that of the mean.

    Each pivot is the squared distance of a column from those before it.
    """
    if not products.shape[0]:
        return 1.0
    raised: Any = products + NO_PIVOT * scipy.sparse.eye_array(products.shape[0])
    symmetric = {"SymmetricMode": True}
    found = scipy.sparse.linalg.splu(raised.tocsc(), "NATURAL", 0.0, options=symmetric)
    return float((np.abs(found.U.diagonal()) > 1e3 * NO_PIVOT).sum())


def anova(design: Design, scores: FloatArray) -> FloatArray:
    """Solve for the components of scores (N,), (E,); NaN where effects cannot be told apart."""
    scale = np.sqrt(np.abs(np.diag(design.expected)))
    scale[scale == 0] = 1.0
    scaled = design.expected / np.outer(scale, scale)
    if np.linalg.matrix_rank(scaled, SAME_EFFECT) < len(scaled):
        return np.full(len(scaled), np.nan)
    return np.linalg.solve(scaled, design.sums_of_squares(scores) / scale) / scale


def reml(design: Design, scores: FloatArray) -> FloatArray:
    """Find the components that make the scores most likely, none below 0, (E,).

    L-BFGS-B starts from those of the analysis of variance.
    """
    start, unit = anova(design, scores), scores.var()
    if np.isnan(start).any():
        return start
    bounds = [(0.0, None)] * (len(start) - 1) + [(LEAST_RESIDUAL, None)]
    near: Any = {"ftol": 1e-13, "gtol": 1e-7 * design.n, "maxiter": 500}
    deviance, first = Blocks(design, scores).deviance, np.maximum(start / unit, 1e-3)
    found = scipy.optimize.minimize(deviance, first, jac=True, bounds=bounds, options=near)
    return found.x * unit


class Blocks:
    r"""The restricted likelihood: the variance is a block for each item, and a few columns.

    .. math:: V = \oplus V_i + Z G Z', \quad P = D^{-1} - D^{-1} Z H^{-1} Z' D^{-1}, \quad
              H = G^{-1} + Z' D^{-1} Z,

    where the blocks D hold the effects of which the item is a part, and Z the levels of all
    others. Its last column is the mean, whose variance has no bounds; then :math:`|V| |1'V^{-1}1|`
    is :math:`|D| |G| |H|`. Rows are padded to the longest item: (I, L, ...).
    """

    def __init__(self, design: Design, scores: FloatArray) -> None:
        """Lay out the scores, the columns Z, and which rows of an item share a level."""
        counts = design.counts[design.of[:, design.item_place] > 0].astype(np.int64)
        self.inside, others = np.flatnonzero(design.of_items), design.of @ ~design.of_items > 0
        self.of, n_cells = design.of[others], len(counts) * int(counts.max()) ** 2
        if len(self.of) > MOST_COLUMNS or n_cells > MOST_CELLS:
            raise TooLargeError(
                f"method='reml' would need {len(self.of)} columns (at most {MOST_COLUMNS}) and "
                f"{n_cells} cells of items (at most {MOST_CELLS}). Use method='anova'."
            )
        self.there = np.arange(counts.max()) < counts[:, None]
        rows, there = np.full(self.there.shape, -1), self.there[:, :, None]
        rows[self.there] = np.argsort(design.effects[design.item_place].level, kind="stable")
        self.scores = np.where(there, scores[rows, None] / scores.std(), 0.0)
        level = [np.where(self.there, design.effects[k].level[rows], -1) for k in self.inside]
        self.same = [(one[:, :, None] == one[:, None]) & there for one in level]
        columns = np.append(design.marks[:, others].toarray(), np.ones((design.n, 1)), axis=1)
        self.z = np.where(there, columns[rows], 0.0)

    def deviance(self, variances: FloatArray) -> tuple[float, FloatArray]:
        """Return the deviance, halved, and its slopes: tr(P V_b) - y' P V_b P y, halved."""
        z, over, parts = self.z, ((0, 1), (0, 1)), [*zip(self.inside, self.same, strict=True)]
        d = ~self.there[:, :, None] * np.eye(z.shape[1]) + sum(variances[k] * x for k, x in parts)
        inverse = np.linalg.inv(d)
        u, y = inverse @ z, inverse @ self.scores
        a, root = np.tensordot(z, u, over), np.sqrt(np.append(self.of @ variances, 1.0))
        inner = root[:, None] * a * root + np.diag(np.arange(len(a)) < len(a) - 1)
        m = root[:, None] * np.linalg.inv(inner) * root
        um = u @ m
        py = y - um @ np.tensordot(z, y, over)
        value = np.linalg.slogdet(d)[1].sum() + np.linalg.slogdet(inner)[1]
        value += (self.scores * py).sum()
        left = np.diagonal(a) - np.einsum("ij,jk,ki->i", a, m, a)
        slopes = (left - np.tensordot(z, py, over)[:, 0] ** 2)[:-1] @ self.of
        for k, same in parts:
            trace = inverse[same].sum() - (um * (same @ u)).sum()
            slopes[k] = trace - (py * (same @ py)).sum()
        return value / 2, slopes / 2


@lru_cache(maxsize=64)
def _on_lattice(df: float) -> FloatArray:
    """Chi-squared quantiles at each coordinate of the lattice; studies often share their df."""
    quantiles: FloatArray = chdtri(df, 1 - (np.arange(N_DRAWS) + 0.5) / N_DRAWS)
    return quantiles


class Fit:
    """Scores (N,) of a design, their components, and what these may be.

    Attributes
    ----------
    estimates, positive : ndarray of float, shape (E,)
        The components, below 0 too, and none below 0; NaN where they cannot be told apart.
    reason : str
        Why there are none; empty where there are.
    squares : ndarray of float, shape (E,)
        The mean squares, above 0; where cells are lost, of components none below 0.
    """

    def __init__(self, design: Design, scores: FloatArray, method: str, level: float) -> None:
        """Estimate the components."""
        self.design, self.scores, self.method, self.level = design, scores, method, level
        self.reason, self.estimates = "constant_ratings", np.full(len(design.names), np.nan)
        if np.ptp(scores):
            self.estimates = (reml if method == "reml" else anova)(design, scores)
            self.reason = "few_items" if np.isnan(self.estimates).any() else ""
        self.positive = np.maximum(self.estimates, 0.0)
        squares = design.factors @ (self.estimates if design.is_balanced else self.positive)
        self.squares = np.maximum(squares, NO_SQUARE * squares.max())

    @cached_property
    def spread(self) -> FloatArray:
        """Standard deviations of mean squares under the fitted model, (E,).

        Exact as far as effects of few levels have a part in it, from samples of the others alone.
        """
        design, positive = self.design, self.positive
        variance = 2 * positive @ design.traces @ positive
        rng, scores = np.random.default_rng(SEED), np.zeros((design.n, N_SAMPLES))
        for k in np.setdiff1d(np.arange(len(positive)), design.few):
            drawn = rng.standard_normal((int(design.n_levels[k]), N_SAMPLES))
            scores += (np.sqrt(positive[k]) * drawn)[design.effects[k].level]
        variance += (design.solve @ design.sums_of_squares(scores)).var(axis=1, ddof=1)
        return np.sqrt(variance)

    @cached_property
    def df(self) -> FloatArray:
        """Degrees of freedom of mean squares, 2 (E / sd)**2 as of multiples of chi-squared, (E,).

        Counted in balanced designs; NaN where a mean square is nearly normal: with so few, beside
        those that its levels have, it is the difference of others.
        """
        if self.design.is_balanced or self.reason:
            return self.design.df
        found, own = 2 * (self.design.factors @ self.positive / self.spread) ** 2, self.design.df
        few = np.where(own >= 1, 0.0, OF_DIFFERENCE)
        least = np.where(own >= FEWEST_OF_LEVELS, np.fmin(own / FOURTH, OF_DIFFERENCE), few)
        is_difference = (found < least) & (self.design.within.sum(axis=1) > 1)
        return np.where(is_difference, np.nan, np.maximum(found, 1.0))

    def squares_at(self, p: FloatArray) -> FloatArray:
        r"""Return what mean squares may be, (E, ...): :math:`MS\,df / \chi^2_{df; p}`.

        Of a difference :math:`MS - z_p\, sd`; p has the shape (1, ...) or (E, ...).
        """
        return self._squares(p, chdtri(self.df[:, None], 1 - p))

    def _squares(self, p: FloatArray, quantiles: FloatArray) -> FloatArray:
        df, squares = self.df[:, None], self.squares[:, None]
        found = squares * df / quantiles
        if np.isnan(df).any() and not self.reason:
            return np.where(np.isnan(df), squares - ndtri(p) * self.spread[:, None], found)
        return found

    @cached_property
    def drawn(self) -> FloatArray:
        r"""Components, below 0 too, (E, draws): :math:`MS\,df / \chi^2_{df}` (Weerahandi, 1993).

        The draws are those of a lattice that fills the cube evenly (Korobov, 1959).
        """
        powers = [pow(MULTIPLIER, k, N_DRAWS) for k in range(len(self.estimates))]
        order: Any = np.outer(powers, np.arange(N_DRAWS)) % N_DRAWS
        quantiles = np.stack([_on_lattice(df)[one] for df, one in zip(self.df, order, strict=True)])
        squares = self._squares((order + 0.5) / N_DRAWS, quantiles)
        return np.linalg.solve(self.design.factors, squares)

    def limits(self, figure: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Find the limits of figures of components, none below 0, (2, figures)."""
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        return np.maximum(np.quantile(figure(self.drawn), tails, axis=-1), 0.0)

    def components(self) -> pd.DataFrame:
        """One row for each effect; standard errors are those of Brennan (2001, ch. 6)."""
        low, high = self.limits(lambda drawn: drawn)
        of_squares = 2 * self.squares**2 / (self.df + 2)
        if np.isnan(self.df).any() and not self.reason:
            of_squares = np.where(np.isnan(self.df), self.spread**2, of_squares)
        se = np.sqrt(np.linalg.inv(self.design.factors) ** 2 @ of_squares)
        df = self.design.df
        known: Any = np.float64 if np.isnan(df).any() else np.int64
        columns = {"df": df.astype(known), "estimate": self.estimates, "se": se}
        columns |= {"ci_low": low, "ci_high": high, "share": self.positive / self.positive.sum()}
        return pd.DataFrame(columns, pd.Index(self.design.names, name="component"))

    def coefficients(self, shares: FloatArray | None = None) -> pd.DataFrame:
        """One row for each of the six figures, of the study or where effects have other shares."""
        shares = self.design.shares if shares is None else shares
        figure = partial(six_figures, self.design, shares=shares)
        values, (low, high) = figure(self.positive), self.limits(figure)
        around = [values, np.fmin(low, values), np.fmax(high, values)]  # that have none below 0
        return pd.DataFrame(np.transpose(around), pd.Index(FIGURES, name="figure"), LIMITS)

    @cached_property
    def usual(self) -> dict[str, float]:
        """One over the levels of each facet in the study, within a level of what it is in."""
        design, of = self.design, self.design.closure
        shares = {one.factors: w for one, w in zip(design.effects, design.shares, strict=True)}
        others = [name for name in of if name not in of[design.item]]
        return {x: shares[of[x]] / shares.get(of[x] - {x}, 1.0) for x in others}

    def shares_of(self, sizes: dict[str, float]) -> FloatArray:
        """Return the share of each effect in the mean of an item with some other sizes, (E,).

        Facets with other sizes are crossed with all others; those keep the share of the study.
        """
        sets, named = [one.factors for one in self.design.effects], {*sizes}
        shares = dict(zip(sets, self.design.shares, strict=True))

        def kept(others: Factors) -> float:
            product = np.prod([self.usual.get(name, 1.0) for name in others])
            return shares.get(others, float(product))

        return np.array([kept(x - named) / np.prod([sizes[y] for y in x & named]) for x in sets])

    def phi_of_twice(self, facet: str) -> float:
        """Return phi where items meet twice as many levels of a facet, or of none, ``""``."""
        shares = self.design.shares / [1 + (facet in one.factors) for one in self.design.effects]
        return float(six_figures(self.design, self.positive, shares)[1])

    def pooled(self, p: float) -> Fit:
        """Drop the interaction of items and the facet where its F test has a larger p-value."""
        design = self.design
        if [" x " in name for name in design.names] != [False, False, True, False]:
            told = f"the interaction of items and a single facet, which {design.title} lacks"
            raise OptionError(
                f"pool={shown(p)} drops {told} apart from the residual. Leave it out."
            )
        p_value = fdtrc(self.df[2], self.df[3], self.squares[2] / self.squares[3])
        if self.reason or not p_value > p:
            return self  # as is what has no F test
        effects = [*design.effects[:2], design.effects[-1]]
        without = Design(design.item, effects, design.closure, design.fixed)
        return Fit(without, self.scores, self.method, self.level)

    def gauge(self, tolerance: float | None = None, multiplier: float = 6) -> pd.DataFrame:
        """One row for each source of variation: the gauge, its parts, the items, and the total.

        What is the sum of others has no limit below theirs.
        """
        item, names, one = self.design.item_place, self.design.names, np.eye(len(self.estimates))
        gauge, others = 1 - one[item], [k for k in range(len(names) - 1) if k != item]
        parts = [gauge, one[-1], gauge - one[-1], *one[others], one[item], np.ones(len(names))]
        matrix = np.array(parts)
        single, are_sums = self.limits(matrix.__matmul__), matrix.sum(axis=1) > 1
        limits = np.where(are_sums, self.limits_of_sums(matrix), single)
        inside = (matrix[:, None] >= matrix).all(axis=-1)
        limits = np.where(inside, limits[:, None], 0.0).max(axis=-1)
        rows = [*SOURCES, *(names[k] for k in others), self.design.item, "total"]
        figures = np.transpose([matrix @ self.positive, *limits])
        frame = pd.DataFrame(figures, pd.Index(rows, name="source"), LIMITS)
        sd = np.sqrt(frame["estimate"])
        return frame.assign(
            contribution=frame["estimate"] / frame["estimate"].iloc[-1],
            sd=sd,
            study_variation=multiplier * sd,
            share_of_study=sd / sd.iloc[-1],
            share_of_tolerance=multiplier * sd / (tolerance or np.nan),
        )

    def limits_of_sums(self, sums: FloatArray) -> FloatArray:
        r"""Find the limits of sums of components (sums, E), by modified large samples, (2, sums).

        With :math:`\gamma = \sum c_a MS_a` (Graybill & Wang, 1980; Ting et al., 1990, without the
        terms of two mean squares),

        .. math:: \gamma - \sqrt{\sum_{c > 0} (G c\,MS)^2 + \sum_{c < 0} (H c\,MS)^2}, \quad
                  G = 1 - df / \chi^2_{df; (1 + level) / 2}, \quad
                  H = df / \chi^2_{df; (1 - level) / 2} - 1,

        and above with G and H exchanged, about the sum of components below 0, too: a sum of others
        alone is biased. Draws of several mean squares of few degrees of freedom are skewed to the
        right, so that their quantile would lie above too many sums.
        """
        parts = np.linalg.solve(self.design.factors.T, sums.T).T
        tails = np.array([[(1 + self.level) / 2, (1 - self.level) / 2]])
        away = np.abs(self.squares_at(tails).T - self.squares)
        slack = np.stack([np.where(parts > 0, *ends) for ends in (away, away[::-1])])
        half = np.sqrt(((slack * parts) ** 2).sum(axis=-1))
        return sums @ self.estimates + np.stack([-half[0], half[1]])


def six_figures(design: Design, components: FloatArray, shares: FloatArray) -> FloatArray:
    r"""Compute the coefficients of the mean of an item from components (E, ...), (6, ...).

    Parameters
    ----------
    design : Design
    components : ndarray of float, shape (E,) or (E, draws)
    shares : ndarray of float, shape (E,)
        Share of each effect in the mean, one over the number of its levels.

    Notes
    -----
    :math:`\tau` is the component of the items, with those of items and fixed facets alone,
    :math:`\delta` all others of which the item is a part, and :math:`\Delta` adds the rest but
    that of fixed facets alone; each times its share (Brennan, 2001, p. 97-132), no sum below 0. A
    facet that the items are in is of the rest: it harms decisions by level, across its levels.

    .. math:: g = \tau / (\tau + \delta), \quad \phi = \tau / (\tau + \Delta), \quad
              SEM = \sqrt\delta, \sqrt\Delta, \quad SDC = z_{.975} \sqrt 2\, SEM.
    """
    own, of_items = design.closure[design.item], design.of_items
    known = [(x.factors <= design.fixed | own, x.factors <= design.fixed) for x in design.effects]
    fixed = np.where(of_items, *np.transpose(known))
    fixed[-1] = False
    parts = np.array([of_items & fixed, of_items & ~fixed, ~of_items & ~fixed])
    tau, delta, more = np.maximum(np.tensordot(parts * shares, components, 1), 0.0)
    errors = np.array([delta, delta + more])
    whole, sem = tau + errors, np.sqrt(errors)
    ratios = np.divide(tau, whole, out=np.zeros_like(whole), where=whole != 0)
    return np.concatenate([ratios, sem, ndtri(WITHIN) * np.sqrt(2) * sem])


def design_of(frame: pd.DataFrame, parents: dict[Label, list[Label]], fixed: list[Label]) -> Design:
    """Find the levels of each factor, the item first, and what it is nested in."""
    item, *_ = names = {str(name): name for name in parents}
    if len(names) < len(parents):
        raise OptionError(f"The names {listing(parents)} are not different as text. Rename one.")
    outer: dict[str, Factors] = {one: frozenset(map(str, parents[names[one]])) for one in names}
    for _ in names:
        outer = {one: some.union(*(outer[x] for x in some)) for one, some in outer.items()}
    if any(one in some for one, some in outer.items()):
        raise OptionError("nested= goes in a circle. Say which facet is in which.")
    told = {one: outer[one] | {one} for one in names}
    named = {one: [names[other] for other in names if other in told[one]] for one in names}
    levels = pd.DataFrame({one: number(frame, named[one], f"level of {one}")[0] for one in names})
    sizes = levels.nunique()
    single = [names[one] for one in names if sizes[one] == 1]
    if names[item] in single:
        raise RatingsError(
            f"Column {shown(names[item])} holds a single item. Two or more are needed."
        )
    if single:
        raise OptionError(f"facets names {listing(single)}, which has one level. Leave it out.")
    if sizes[item] == len(frame):
        raise RatingsError(
            f"Column {shown(names[item])} has one score for each item, so that nothing tells items "
            "from errors. Pass all scores, one in each row."
        )
    closure = {one: told[one].union(nested_in(levels, one)) for one in names}
    if levels.duplicated().any():  # what tells the scores of a cell apart
        levels.insert(0, REPEATS, np.arange(len(frame)))
        closure |= {REPEATS: frozenset([REPEATS, *names])}
    effects = effects_of(levels, closure)
    n_named = Counter(one.name for one in effects)
    if twice := [names[name] for name in names if n_named[name] > 1]:
        raise OptionError(
            f"{listing(twice)} is the name of an interaction, too. Rename the column."
        )
    return Design(item, effects, closure, frozenset(map(str, fixed)))
