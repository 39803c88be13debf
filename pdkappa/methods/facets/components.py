"""Scores and a design -> components of variance by ANOVA or REML, and limits of what they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import chdtri, fdtrc, ndtri
from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray

RESIDUAL = "residual"
MOST_COLUMNS = 2000
MOST_CELLS = 1 << 26
LEAST_RESIDUAL = 1e-6  # of the variance of the scores: REML divides by it
LOG_DRAWS = 13
N_SAMPLES = 300
MOST_EXACT = 1 << 23  # numbers in memory
SEED = 20051
NO_SQUARE = 1e-12  # of the largest mean square
WITHIN = 0.975  # quantile of the difference of two scores that is error alone
FIGURES = ("g", "phi", "sem_relative", "sem_absolute", "sdc_relative", "sdc_absolute")
Factors = frozenset[str]


class Effect(NamedTuple):
    """An effect: its name, the factors that make its levels, and the level of each row, (N,)."""

    name: str
    factors: Factors
    level: IntArray


def closures(parents: dict[str, list[str]]) -> dict[str, Factors]:
    """Find what each factor is nested in, directly or not, and itself; none if in a circle."""
    found: dict[str, Factors] = {}
    while len(found) < len(parents):
        ready = [name for name in parents if name not in found and found.keys() >= {*parents[name]}]
        if not ready:
            return {}
        for name in ready:
            found[name] = frozenset({name}.union(*(found[one] for one in parents[name])))
    return {name: found[name] for name in parents}


def nested_in(levels: dict[str, IntArray], name: str) -> list[str]:
    """Find the factors in which one is nested: each of its levels has one of theirs, of fewer."""
    own = levels[name]
    one_of_each = np.unique(own, return_index=True)[1]
    return [
        other
        for other, codes in levels.items()
        if codes.max() < own.max() and (codes[one_of_each][own] == codes).all()
    ]


def effects_of(levels: dict[str, IntArray], closure: dict[str, Factors]) -> list[Effect]:
    """List all effects, the last of which is the residual: the distinct unions of closures."""
    order = [*levels]
    sets = {
        frozenset().union(*(closure[name] for name in some))
        for size in range(1, len(order) + 1)
        for some in combinations(order, size)
    }

    def places(one: Factors) -> tuple[int, list[int]]:
        return len(one), sorted(map(order.index, one))

    effects = []
    for one in sorted(sets, key=places):
        key = np.zeros(len(levels[order[0]]), dtype=np.int64)
        for name in one:
            _, key = np.unique(key * (levels[name].max() + 1) + levels[name], return_inverse=True)
        effects.append(Effect(name_of_effect(one, closure), one, key))
    last = effects[-1]
    if last.level.max() + 1 == len(last.level):
        return [*effects[:-1], last._replace(name=RESIDUAL)]
    return [*effects, Effect(RESIDUAL, last.factors | {RESIDUAL}, np.arange(len(last.level)))]


def name_of_effect(factors: Factors, closure: dict[str, Factors]) -> str:
    """Name an effect by its own factors, each followed by what it is nested in, innermost first."""

    def nested(name: str) -> str:
        outer = sorted(closure[name] - {name}, key=lambda one: (-len(closure[one]), one))
        return ":".join([name, *outer])

    inner = {outer for name in factors for outer in closure[name] - {name}}
    return " x ".join(nested(name) for name in closure if name in factors - inner)


@dataclass(frozen=True)
class Design:
    """Which effects may make N scores differ.

    Attributes
    ----------
    item : str
        The name of the effect of the items.
    effects : list of Effect
        The E effects; the residual is the last.
    closure : dict
        What each factor is nested in, and itself.
    fixed : frozenset of str
        The factors whose levels are all that there are.
    """

    item: str
    effects: list[Effect]
    closure: dict[str, Factors]
    fixed: Factors

    @property
    def names(self) -> list[str]:
        """The names of the effects."""
        return [one.name for one in self.effects]

    @property
    def n(self) -> int:
        """The number of scores."""
        return len(self.effects[-1].level)

    @cached_property
    def marks(self) -> list[Any]:
        """Which row has which level of an effect, a sparse matrix (N, levels) for each."""
        from scipy.sparse import csr_array

        rows, ones = np.arange(self.n), np.ones(self.n)
        return [csr_array((ones, (rows, one.level))) for one in self.effects]

    @cached_property
    def counts(self) -> list[FloatArray]:
        """How often each level of each effect occurs."""
        return [np.bincount(one.level).astype(np.float64) for one in self.effects]

    @cached_property
    def n_levels(self) -> FloatArray:
        """Number of levels of each effect, (E,)."""
        return np.array([len(one) for one in self.counts], dtype=np.float64)

    @cached_property
    def within(self) -> FloatArray:
        """Whether an effect (column) is one of the parts of another (row), or the same, (E, E)."""
        return np.array([[b.factors <= a.factors for b in self.effects] for a in self.effects])

    @cached_property
    def df(self) -> FloatArray:
        """Degrees of freedom, by counting levels, (E,)."""
        df = self.n_levels - 1
        for place, row in enumerate(self.within):
            df[place] -= df[:place][row[:place]].sum()
        return df

    @cached_property
    def is_balanced(self) -> bool:
        """Whether all levels occur equally often, and meet all that they are crossed with."""
        size = dict(zip([one.factors for one in self.effects], self.n_levels, strict=True))
        size[frozenset()] = 1.0
        return all((one == one[0]).all() for one in self.counts) and all(
            (self.marks[a].T @ self.marks[b]).nnz * size[x & y] == size[x] * size[y]
            for (a, x), (b, y) in combinations(enumerate(one.factors for one in self.effects), 2)
        )

    @cached_property
    def of_items(self) -> list[bool]:
        """Whether an effect is that of the items, or contains it, (E,)."""
        return [self.closure[self.item] <= one.factors for one in self.effects]

    @property
    def item_place(self) -> int:
        """Which effect is that of the items."""
        return self.of_items.index(True)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each effect in the mean of an item, mean of sum (n_ib / n_i)**2, (E,)."""
        item, n = self.marks[self.item_place], self.counts[self.item_place]
        return np.array([((item.T @ b).power(2).sum(axis=1) / n**2).mean() for b in self.marks])

    @cached_property
    def expected(self) -> FloatArray:
        r"""What each component adds to the sums of squares of Henderson's method I, (E, E).

        With n_a scores of a level of effect a, :math:`k_{ab} = \sum n_{ab}^2 / n_a` over the levels
        that a and b have together, and :math:`k_{\mu b} = \sum n_b^2 / N`,

        .. math:: E\{T(a) - T(\mu)\} = \sum_b \sigma^2_b (k_{ab} - k_{\mu b}), \qquad
                  T(a) = \sum (\sum y)^2 / n_a.
        """
        pairs = zip(self.marks, self.counts, strict=True)
        k = [[((a.T @ b).power(2).sum(axis=1) / n).sum() for b in self.marks] for a, n in pairs]
        return np.array(k) - [(n**2).sum() / self.n for n in self.counts]

    @cached_property
    def factors(self) -> FloatArray:
        r"""What a component adds to a mean square, (E, E).

        .. math:: MS_a = \sum_{b \supseteq a} \sigma^2_b N / K_b, \quad K_b \text{ levels of } b.
        """
        return self.within.T * (self.n / self.n_levels)

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
        found = np.zeros((len(self.effects),) * 3)
        if not len(self.few):
            return found
        columns = np.concatenate([self.marks[k].toarray() for k in self.few], axis=1)
        columns -= columns.mean(axis=0)
        owner = np.repeat(self.few, self.n_levels[self.few].astype(np.int64))
        means = [z.T @ columns / n[:, None] for z, n in zip(self.marks, self.counts, strict=True)]
        for b, own in enumerate(self.marks):
            parts = [(own.T @ z) @ mean for z, mean in zip(self.marks, means, strict=True)]
            for a, row in enumerate(self.solve):
                squares = (np.tensordot(row, parts, 1) ** 2).sum(axis=0)
                found[a, b] = np.bincount(owner, weights=squares, minlength=len(found))
        return np.maximum(found, found.swapaxes(1, 2))

    def sums_of_squares(self, scores: FloatArray) -> FloatArray:
        """Compute T(a) - T(mu) of each effect of scores (N, S), (E, S)."""
        scores = scores - scores.mean(axis=0)
        pairs = zip(self.marks, self.counts, strict=True)
        return np.array([((z.T @ scores) ** 2 / n[:, None]).sum(axis=0) for z, n in pairs])

    def without(self, name: str) -> Design:
        """Return the same without an effect, which becomes part of the residual."""
        return replace(self, effects=[one for one in self.effects if one.name != name])


def anova(design: Design, scores: FloatArray) -> FloatArray:
    """Solve for the components of scores (N,), (E,); NaN where effects cannot be told apart."""
    scale = np.sqrt(np.abs(np.diag(design.expected)))
    scale[scale == 0] = 1.0
    scaled = design.expected / np.outer(scale, scale)
    if (design.df < 1).any() or np.linalg.matrix_rank(scaled) < len(scaled):
        return np.full(len(scaled), np.nan)
    squares = design.sums_of_squares(scores[:, None])[:, 0]
    return np.linalg.solve(scaled, squares / scale) / scale


def reml(design: Design, scores: FloatArray) -> FloatArray:
    """Find the components that make the scores most likely, none below 0, (E,).

    Starts from those of the analysis of variance.
    """
    from scipy.optimize import minimize

    start, unit = anova(design, scores), scores.var()
    if np.isnan(start).any():
        return start
    least = np.zeros(len(start))
    least[-1] = LEAST_RESIDUAL
    found = minimize(
        Blocks(design, scores).deviance,
        np.maximum(start / unit, np.maximum(least, 1e-3)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(one, None) for one in least],
        options={"ftol": 1e-13, "gtol": 1e-7 * design.n, "maxiter": 500},
    )
    return found.x * unit


class Blocks:
    r"""The restricted likelihood: the variance is a block for each item, and a few columns.

    .. math:: V = \oplus V_i + Z G Z', \quad
              V^{-1} = D^{-1} - D^{-1} Z (I + G Z' D^{-1} Z)^{-1} G Z' D^{-1},

    where the blocks D hold the effects of which the item is a part, and Z the levels of all
    others. Rows are padded to the longest item: (I, L, ...).
    """

    def __init__(self, design: Design, scores: FloatArray) -> None:
        """Lay out the scores, the columns Z, and which rows of an item share a level."""
        own = design.effects[design.item_place].level
        counts = design.counts[design.item_place].astype(np.int64)
        self.inside = np.flatnonzero(design.of_items)
        self.others = np.flatnonzero(~np.array(design.of_items))
        levels = design.n_levels[self.others].astype(np.int64)
        n_cells = len(counts) * int(counts.max()) ** 2
        if levels.sum() > MOST_COLUMNS or n_cells > MOST_CELLS:
            message = (
                f"method='reml' would need {levels.sum()} columns (at most {MOST_COLUMNS}) and "
                f"{n_cells} cells of items (at most {MOST_CELLS}). Use method='anova'."
            )
            raise TooLargeError(message)
        order = np.argsort(own, kind="stable")
        rows = np.full((len(counts), counts.max()), -1)
        rows[own[order], np.arange(design.n) - np.repeat(np.cumsum(counts) - counts, counts)] = (
            order
        )
        self.there = rows >= 0
        self.right = np.stack([scores[rows] / scores.std(), np.ones(rows.shape)], -1)
        self.right[~self.there] = 0.0
        pairs = self.there[:, :, None] & self.there[:, None]
        level = [one.level[rows] for one in design.effects]
        self.same = [(level[k][:, :, None] == level[k][:, None]) & pairs for k in self.inside]
        columns = [level[k][:, :, None] == np.arange(design.n_levels[k]) for k in self.others]
        empty = np.zeros((*rows.shape, 0), dtype=bool)
        self.z = np.concatenate([*columns, empty], axis=2) * self.there[:, :, None].astype(float)
        self.owner = np.repeat(np.arange(len(levels)), levels)

    def deviance(self, variances: FloatArray) -> tuple[float, FloatArray]:
        """Return the deviance, halved, and its slopes: tr(P V_b) - y' P V_b P y, halved."""
        z, over = self.z, ((0, 1), (0, 1))
        d = ~self.there[:, :, None] * np.eye(self.there.shape[1])
        for number, same in zip(self.inside, self.same, strict=True):
            d += variances[number] * same
        inverse = np.linalg.inv(d)
        u, right = inverse @ z, inverse @ self.right
        a, g = np.tensordot(z, u, over), variances[self.others][self.owner]
        inner = np.eye(len(g)) + g[:, None] * a
        m = np.linalg.solve(inner, np.diag(g))
        um = u @ m
        right = right - um @ np.tensordot(z, right, over)
        yv, one_v = right[..., 0], right[..., 1]  # V^-1 y and V^-1 1
        total = one_v.sum()
        py = yv - one_v * (yv.sum() / total)
        roots = np.diagonal(np.linalg.cholesky(d), axis1=1, axis2=2)
        value = 2 * np.log(roots).sum() + np.linalg.slogdet(inner)[1] + np.log(total)
        value += (self.right[..., 0] * py).sum()
        slopes = np.empty(len(variances))
        both = np.stack([py, one_v / np.sqrt(total)], -1)
        for number, same in zip(self.inside, self.same, strict=True):
            trace = inverse[same].sum() - (um * (same @ u)).sum()
            slopes[number] = trace - (both * (same @ both)).sum()
        left = np.diagonal(a) - np.einsum("ij,jk,ki->i", a, m, a)
        left = left - (np.tensordot(z, both, over) ** 2).sum(axis=1)
        slopes[self.others] = np.bincount(self.owner, left, minlength=len(self.others))
        return value / 2, slopes / 2


@dataclass(frozen=True)
class Fit:
    """Scores (N,) of a design, their components, and what these may be."""

    design: Design
    scores: FloatArray
    method: str
    level: float

    @cached_property
    def estimates(self) -> FloatArray:
        """The components, (E,), below 0 too; NaN where they cannot be told apart."""
        if not np.ptp(self.scores):
            return np.full(len(self.design.effects), np.nan)
        return (reml if self.method == "reml" else anova)(self.design, self.scores)

    @property
    def positive(self) -> FloatArray:
        """The components, none below 0."""
        return np.maximum(self.estimates, 0.0)

    @property
    def reason(self) -> str:
        """Why there are none; empty where there are."""
        if not np.ptp(self.scores):
            return "constant_ratings"
        return "few_items" if np.isnan(self.estimates).any() else ""

    @cached_property
    def squares(self) -> FloatArray:
        """The mean squares, (E,), above 0; where cells are lost, of components none below 0."""
        known = self.estimates if self.design.is_balanced else self.positive
        found = self.design.factors @ known
        return np.maximum(found, NO_SQUARE * found.max())

    @cached_property
    def df(self) -> FloatArray:
        """Degrees of freedom of mean squares, 2 E**2 / Var as of multiples of chi-squared, (E,).

        Counted in balanced designs; else the variance is that under the fitted model: exact as far
        as effects of few levels have a part in it, from samples of the others alone.
        """
        design, positive = self.design, self.positive
        if design.is_balanced:
            return design.df
        variance: Any = 2 * positive @ design.traces @ positive
        many = np.setdiff1d(np.arange(len(positive)), design.few)
        if len(many):
            rng, scores = np.random.default_rng(SEED), np.zeros((design.n, N_SAMPLES))
            for k in many[np.argsort(design.n_levels[many])]:
                drawn = rng.standard_normal((int(design.n_levels[k]), N_SAMPLES))
                scores += (np.sqrt(positive[k]) * drawn)[design.effects[k].level]
            variance = variance + (design.solve @ design.sums_of_squares(scores)).var(
                axis=1, ddof=1
            )
        return np.maximum(2 * (design.factors @ positive) ** 2 / variance, 1.0)

    @property
    def se(self) -> FloatArray:
        """Standard errors of the components (Brennan, 2001, ch. 6), (E,)."""
        if self.reason:
            return np.full(len(self.estimates), np.nan)
        of_squares = 2 * self.squares**2 / (self.df + 2)
        return np.sqrt(np.linalg.inv(self.design.factors) ** 2 @ of_squares)

    @cached_property
    def drawn(self) -> FloatArray:
        r"""Components, below 0 too, (E, draws): :math:`MS\,df / \chi^2_{df}` (Weerahandi, 1993)."""
        from scipy.special import gammaincinv
        from scipy.stats import qmc

        points: Any = qmc.Sobol(len(self.estimates), seed=SEED).random_base2(LOG_DRAWS).T
        chi2 = 2 * gammaincinv(self.df[:, None] / 2, points)
        squares = (self.squares * self.df)[:, None] / chi2
        return np.linalg.solve(self.design.factors, squares)

    def limits(self, figure: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Find the limits of figures of components, none below 0, (2, figures)."""
        if self.reason:
            return np.full((2, len(figure(self.positive))), np.nan)
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        return np.maximum(np.quantile(figure(self.drawn), tails, axis=-1), 0.0)

    def figures(self, sizes: dict[str, float] | None = None) -> FloatArray:
        """Compute the six figures and their limits, of the study or of other sizes, (3, 6)."""
        figure = partial(self.of_mean, sizes=sizes)
        return np.stack([figure(self.positive), *self.limits(figure)])

    def of_mean(self, components: FloatArray, sizes: dict[str, float] | None = None) -> FloatArray:
        """Compute the six figures of components (E, ...), of the study or of other sizes."""
        shares = self.design.shares if sizes is None else self.shares_of(sizes)
        return six_figures(self.design, components, shares)

    @cached_property
    def usual(self) -> dict[str, float]:
        """One over the levels of each facet in the study, within a level of what it is in."""
        design, own = self.design, self.design.closure[self.design.item]
        shares = {one.factors: w for one, w in zip(design.effects, design.shares, strict=True)}
        others = {name: some for name, some in design.closure.items() if name not in own}
        found = {x: shares[some] / shares.get(some - {x}, 1.0) for x, some in others.items()}
        full = frozenset(design.closure)
        if full in shares and design.effects[-1].factors != full:
            found[RESIDUAL] = design.shares[-1] / shares[full]
        return found

    def shares_of(self, sizes: dict[str, float]) -> FloatArray:
        """Return the share of each effect in the mean of an item with some other sizes, (E,)."""
        inverse = self.usual | {name: 1 / size for name, size in sizes.items()}
        sets = [one.factors for one in self.design.effects]
        return np.array([np.prod([inverse.get(name, 1.0) for name in one]) for one in sets])

    def pooled(self, p: float | None) -> Fit:
        """Drop the interaction of items and the facet where its F test has a larger p-value."""
        if p is None or self.reason:
            return self
        [place] = [k for k, name in enumerate(self.design.names) if " x " in name]
        f = self.squares[place] / self.squares[-1]
        if fdtrc(self.df[place], self.df[-1], f) <= p:
            return self
        return replace(self, design=self.design.without(self.design.names[place]))

    def gauge(self) -> tuple[list[str], FloatArray]:
        """Name the sources of variation, and give their variances with limits, (3, sources).

        What is the sum of others has no limit below theirs.
        """
        item, names, one = self.design.item_place, self.design.names, np.eye(len(self.estimates))
        gauge, others = 1 - one[item], [k for k in range(len(names) - 1) if k != item]
        parts = [gauge, one[-1], gauge - one[-1], *one[others], one[item], np.ones(len(names))]
        matrix = np.array(parts)
        limits = np.where(
            matrix.sum(axis=1) > 1, self.limits_of_sums(matrix), self.limits(matrix.__matmul__)
        )
        inside = (matrix[:, None] >= matrix).all(axis=-1)
        limits = np.where(inside, limits[:, None], 0.0).max(axis=-1)
        rows = ["total_gauge", "repeatability", "reproducibility", *(names[k] for k in others)]
        return [*rows, self.design.item, "total"], np.stack([matrix @ self.positive, *limits])

    def limits_of_sums(self, sums: FloatArray) -> FloatArray:
        r"""Find the limits of sums of components (sums, E), by modified large samples, (2, sums).

        With :math:`\gamma = \sum c_a MS_a` (Graybill & Wang, 1980; Ting et al., 1990, without the
        terms of two mean squares),

        .. math:: \gamma - \sqrt{\sum_{c > 0} (G c\,MS)^2 + \sum_{c < 0} (H c\,MS)^2}, \quad
                  G = 1 - df / \chi^2_{df; (1 + level) / 2}, \quad
                  H = df / \chi^2_{df; (1 - level) / 2} - 1,

        and above with G and H exchanged. Draws of several mean squares of few degrees of freedom
        are skewed to the right, so that their quantile would lie above too many sums.
        """
        parts = np.linalg.solve(self.design.factors.T, sums.T).T * self.squares
        tails = np.array([[(1 - self.level) / 2], [(1 + self.level) / 2]])
        away = np.abs(self.df / chdtri(self.df, tails) - 1)
        slack = np.stack([np.where(parts > 0, *ends) for ends in (away, away[::-1])])
        half = np.sqrt(((slack * parts) ** 2).sum(axis=-1))
        return parts.sum(axis=-1) + np.stack([-half[0], half[1]])


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
    that of fixed facets alone; each times its share (Brennan, 2001, p. 97-132), no sum below 0.

    .. math:: g = \tau / (\tau + \delta), \quad \phi = \tau / (\tau + \Delta), \quad
              SEM = \sqrt\delta, \sqrt\Delta, \quad SDC = z_{.975} \sqrt 2\, SEM.
    """
    own = design.closure[design.item]
    fixed = np.array([one.factors - own <= design.fixed for one in design.effects])
    fixed[-1] = False
    true, of_items = fixed & design.of_items, np.array(design.of_items)
    tau, delta, more = (
        np.maximum(np.tensordot(some * shares, components, 1), 0.0)
        for some in (true, ~true & of_items, ~of_items & ~fixed)
    )
    sem = np.sqrt([delta, delta + more])
    whole = np.array([tau + delta, tau + delta + more])
    ratios = np.divide(tau, whole, out=np.zeros_like(whole), where=whole != 0)
    return np.concatenate([ratios, sem, ndtri(WITHIN) * np.sqrt(2) * sem])
