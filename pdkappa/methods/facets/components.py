"""Scores and a design -> components of variance by ANOVA or REML, and draws for their limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray


RESIDUAL = "residual"
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
    n = own.max() + 1
    found = []
    for other, codes in levels.items():
        least, most = np.full(n, codes.max()), np.zeros(n, dtype=np.int64)
        np.minimum.at(least, own, codes)
        np.maximum.at(most, own, codes)
        if codes.max() + 1 < n and (least == most).all():
            found.append(other)
    return found


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
        key = np.zeros(len(next(iter(levels.values()))), dtype=np.int64)
        for name_of_factor in one:
            codes = levels[name_of_factor]
            _, key = np.unique(key * (codes.max() + 1) + codes, return_inverse=True)
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
    """N scores, and the effects that may make them differ.

    Attributes
    ----------
    item : str
        The name of the effect of the items.
    effects : list of Effect
        The residual is the last.
    scores : ndarray of float, shape (N,)
        Less their mean.
    closure : dict
        What each factor is nested in, and itself.
    fixed : frozenset of str
        The factors whose levels are all that there are.
    title : str
        The design in words.
    whole : Design or None
        What it was before effects were left out: their levels still meet.
    """

    item: str
    effects: list[Effect]
    scores: FloatArray
    closure: dict[str, Factors]
    fixed: Factors
    title: str
    whole: Design | None = None

    @cached_property
    def names(self) -> list[str]:
        """The names of the E effects."""
        return [one.name for one in self.effects]

    @property
    def facets(self) -> list[str]:
        """The factors that are no items, in the order given."""
        return [name for name in self.closure if name != self.item]

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
    def meets(self) -> list[list[int]]:
        """The effect whose levels are the joint ones of two others, (E, E)."""
        place = {one.factors: number for number, one in enumerate(self.effects)}
        last = len(self.effects) - 1
        return [
            [place.get(a.factors | b.factors, last) for b in self.effects] for a in self.effects
        ]

    @cached_property
    def first(self) -> list[IntArray]:
        """A row of each level of each effect."""
        return [np.unique(one.level, return_index=True)[1] for one in self.effects]

    @cached_property
    def is_balanced(self) -> bool:
        """Whether all levels occur equally often, and meet all that they are crossed with."""
        if self.whole is not None:
            return self.whole.is_balanced
        size = {one.factors: n for one, n in zip(self.effects, self.n_levels, strict=True)}
        size[frozenset()] = 1.0
        even = all((one == one[0]).all() for one in self.counts)
        crossed = all(
            size.get(a | b, np.nan) * size.get(a & b, np.nan) == size[a] * size[b]
            for a, b in combinations([one.factors for one in self.effects], 2)
        )
        return even and crossed

    @cached_property
    def item_place(self) -> int:
        """Which effect is that of the items."""
        own = self.closure[self.item]
        return next(place for place, one in enumerate(self.effects) if one.factors == own)

    @cached_property
    def of_items(self) -> list[bool]:
        """Whether an effect is that of the items, or contains it, (E,)."""
        own = self.closure[self.item]
        return [own <= one.factors for one in self.effects]

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each effect in the mean of an item, mean of sum (n_ib / n_i)**2, (E,)."""
        if self.whole is not None:
            return self.whole.shares[self.kept]
        item = self.item_place
        n_items, own = self.n_levels[item], self.effects[item].level
        found = []
        for place in self.meets[item]:
            of_item = self.counts[item][own[self.first[place]]]
            found.append(((self.counts[place] / of_item) ** 2).sum() / n_items)
        return np.array(found)

    def without(self, name: str) -> Design:
        """Return the same without an effect, which becomes part of the residual."""
        return replace(self, effects=[one for one in self.effects if one.name != name], whole=self)

    @property
    def kept(self) -> list[int]:
        """Which effects of the whole design are left."""
        whole = self if self.whole is None else self.whole
        return [whole.names.index(name) for name in self.names]


MOST_COLUMNS = 2000
MOST_CELLS = 1 << 26
LEAST_RESIDUAL = 1e-9  # of the variance of the scores: REML divides by it


def expected(design: Design) -> FloatArray:
    r"""Return what each component adds to the sums of squares of Henderson's method I, (E, E).

    With n_a scores of a level of effect a, :math:`k_{ab} = \sum n_{ab}^2 / n_a` over the levels
    that a and b have together, and :math:`k_{\mu b} = \sum n_b^2 / N`,

    .. math:: E\{T(a) - T(\mu)\} = \sum_b \sigma^2_b (k_{ab} - k_{\mu b}), \qquad
              T(a) = \sum (\sum y)^2 / n_a.
    """
    if design.whole is not None:
        return expected(design.whole)[np.ix_(design.kept, design.kept)]
    n = len(design.scores)
    of_mean = np.array([(one**2).sum() / n for one in design.counts])
    k = np.empty((len(design.effects),) * 2)
    for a, row in enumerate(design.meets):
        level = design.effects[a].level
        for b, joint in enumerate(row):
            own = design.counts[a][level[design.first[joint]]]
            k[a, b] = (design.counts[joint] ** 2 / own).sum()
    return k - of_mean


def level_sums(design: Design, place: int, values: FloatArray) -> FloatArray:
    """Sum values (N, S) over the rows of each level of an effect, (K, S)."""
    level, counts = design.effects[place].level, design.counts[place]
    order = np.argsort(level, kind="stable")
    starts = np.cumsum(counts.astype(np.int64)) - counts.astype(np.int64)
    return np.add.reduceat(values[order], starts, axis=0)


def sums_of_squares(design: Design, scores: FloatArray) -> FloatArray:
    """Compute T(a) - T(mu) of each effect of scores (N, S), which are centred here, (E, S)."""
    scores = scores - scores.mean(axis=0)
    return np.array(
        [
            (level_sums(design, place, scores) ** 2 / counts[:, None]).sum(axis=0)
            for place, counts in enumerate(design.counts)
        ]
    )


def anova(design: Design, scores: FloatArray) -> FloatArray:
    """Solve for the components of scores (N, S), (E, S); NaN where effects cannot be told apart."""
    system = expected(design)
    scale = np.sqrt(np.abs(np.diag(system)))
    scale[scale == 0] = 1.0
    scaled = system / np.outer(scale, scale)
    if (design.df < 1).any() or np.linalg.matrix_rank(scaled) < len(scaled):
        return np.full((len(scaled), scores.shape[1]), np.nan)
    squares = sums_of_squares(design, scores) / scale[:, None]
    return np.linalg.solve(scaled, squares) / scale[:, None]


def reml(design: Design) -> FloatArray:
    """Find the components that make the scores most likely, none below 0, (E,).

    Starts from those of the analysis of variance.
    """
    from scipy.optimize import minimize

    start = anova(design, design.scores[:, None])[:, 0]
    if np.isnan(start).any():
        return start
    blocks = Blocks(design)
    unit = design.scores.var()
    least = np.full(len(start), 0.0)
    least[-1] = LEAST_RESIDUAL
    found = minimize(
        blocks.deviance,
        np.maximum(start / unit, np.maximum(least, 1e-3)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(one, None) for one in least],
        options={"ftol": 1e-13, "gtol": 1e-7 * len(design.scores), "maxiter": 500},
    )
    return found.x * unit


class Blocks:
    r"""The restricted likelihood: the variance is a block for each item, and a few columns.

    .. math:: V = \oplus V_i + Z G Z', \quad
              V^{-1} = D^{-1} - D^{-1} Z (I + G Z' D^{-1} Z)^{-1} G Z' D^{-1},

    where the blocks D hold the effects of which the item is a part, and Z the levels of all
    others. Rows are padded to the longest item: (I, L, ...).
    """

    def __init__(self, design: Design) -> None:
        """Lay out the scores, the columns Z, and which rows of an item share a level."""
        own = design.effects[design.item_place].level
        others = [place for place, inside in enumerate(design.of_items) if not inside]
        n_columns = int(design.n_levels[others].sum())
        length = int(design.counts[design.item_place].max())
        n_items = int(design.n_levels[design.item_place])
        if n_columns > MOST_COLUMNS or n_items * length**2 > MOST_CELLS:
            message = (
                f"method='reml' would need {n_columns} columns (at most {MOST_COLUMNS}) and "
                f"{n_items * length**2} cells of items (at most {MOST_CELLS}). Use method='anova'."
            )
            raise TooLargeError(message)
        order = np.argsort(own, kind="stable")
        rank = np.arange(len(own)) - np.repeat(
            np.cumsum(design.counts[design.item_place]) - design.counts[design.item_place],
            design.counts[design.item_place].astype(np.int64),
        )
        place = own[order], rank.astype(np.int64)
        shape = n_items, length

        def laid(values: FloatArray | IntArray, empty: float) -> Any:
            found = np.full(shape, empty, dtype=values.dtype)
            found[place] = values[order]
            return found

        self.inside = [k for k in range(len(design.effects)) if design.of_items[k]]
        self.others = others
        self.there = laid(np.ones(len(own), dtype=np.int64), 0) > 0
        self.right = np.stack(
            [laid(design.scores / design.scores.std(), 0.0), self.there * 1.0], -1
        )
        self.same = []
        for number in self.inside:
            level = laid(design.effects[number].level, -1)
            self.same.append((level[:, :, None] == level[:, None]) & self.there[:, :, None])
        self.columns = [
            (laid(design.effects[k].level, -1)[:, :, None] == np.arange(design.n_levels[k])) * 1.0
            for k in others
        ]
        self.owner = np.repeat(np.arange(len(others)), design.n_levels[others].astype(np.int64))

    def deviance(self, variances: FloatArray) -> tuple[float, FloatArray]:
        """Return the deviance, halved, and its slopes: tr(P V_b) - y' P V_b P y, halved."""
        d = np.zeros(self.same[0].shape)
        for number, same in zip(self.inside, self.same, strict=True):
            d += variances[number] * same
        d += ~self.there[:, :, None] * np.eye(d.shape[1])
        root = np.linalg.cholesky(d)
        inverse = np.linalg.inv(d)
        log_det = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum()
        z = np.concatenate([*self.columns, np.zeros((*self.there.shape, 0))], axis=2)
        u, right = inverse @ z, inverse @ self.right
        a = np.tensordot(z, u, ((0, 1), (0, 1)))
        g = variances[self.others][self.owner] if self.others else np.zeros(0)
        inner = np.eye(len(g)) + g[:, None] * a
        m = np.linalg.solve(inner, np.diag(g))
        right = right - u @ (m @ np.tensordot(z, right, ((0, 1), (0, 1))))
        yv, one_v = right[..., 0], right[..., 1]  # V^-1 y and V^-1 1
        total = one_v[self.there].sum()
        py = yv - one_v * (yv[self.there].sum() / total)
        value = log_det + np.linalg.slogdet(inner)[1] + np.log(total)
        value += (self.right[..., 0] * py).sum()
        slopes = np.empty(len(variances))
        um = u @ m
        both = np.stack([py, one_v / np.sqrt(total)], -1)
        for number, same in zip(self.inside, self.same, strict=True):
            trace = inverse[same].sum() - (um * (same @ u)).sum()
            moved = (both * (same @ both)).sum(axis=(0, 1))
            slopes[number] = trace - moved[1] - moved[0]
        left = np.diagonal(a) - np.einsum("ij,jk,ki->i", a, m, a)
        onto = np.tensordot(z, both, ((0, 1), (0, 1))) ** 2
        for k, number in enumerate(self.others):
            own = self.owner == k
            slopes[number] = left[own].sum() - onto[own].sum()
        return value / 2, slopes / 2


LOG_DRAWS = 13
N_SAMPLES = 300
MOST_EXACT = 1 << 23  # numbers in memory
SEED = 20051
NO_SQUARE = 1e-12  # of the largest mean square


@dataclass(frozen=True)
class Draws:
    r"""Mean squares, their degrees of freedom, and draws of components (Weerahandi, 1993).

    .. math:: MS_a = \sum_{b \supseteq a} \sigma^2_b N / K_b,

    K_b being the number of levels of effect b; a draw is :math:`MS\,df / \chi^2_{df}`, inverted.
    """

    design: Design
    components: FloatArray

    @cached_property
    def factors(self) -> FloatArray:
        """What a component adds to a mean square, (E, E)."""
        design = self.design
        return design.within.T * (len(design.scores) / design.n_levels)

    @cached_property
    def squares(self) -> FloatArray:
        """The mean squares, (E,); above 0."""
        found = self.factors @ self.components
        return np.maximum(found, NO_SQUARE * found.max())

    @cached_property
    def df(self) -> FloatArray:
        """Their degrees of freedom, 2 E**2 / Var as of multiples of chi-squared, (E,).

        Counted in balanced designs; else the variance is that under the fitted model: exact as far
        as effects of few levels have a part in it, from samples of the others alone.
        """
        design, sd = self.design, np.sqrt(np.maximum(self.components, 0.0))
        if design.is_balanced:
            return design.df
        order, size = np.argsort(design.n_levels), len(design.scores) * len(sd)
        fits = np.cumsum(design.n_levels[order]) * size <= MOST_EXACT
        few, many = order[fits], order[~fits]
        solve = self.factors @ np.linalg.inv(expected(design))  # mean squares of sums of squares
        variance = self._exact(few, many, sd, solve) if len(few) else np.zeros(len(sd))
        if len(many):
            rng = np.random.default_rng(SEED)
            scores = np.zeros((len(design.scores), N_SAMPLES))
            for place in many:
                drawn = rng.standard_normal((int(design.n_levels[place]), N_SAMPLES))
                scores += (sd[place] * drawn)[design.effects[place].level]
            variance += (solve @ sums_of_squares(design, scores)).var(axis=1, ddof=1)
        return np.maximum(2 * (self.factors @ sd**2) ** 2 / variance, 1.0)

    def _exact(
        self, few: IntArray, many: IntArray, sd: FloatArray, solve: FloatArray
    ) -> FloatArray:
        r"""Compute the variance of mean squares in which effects of few levels have a part, (E,).

        A mean square is :math:`y'Qy`, and with :math:`y = Zu + v` its variance is
        :math:`2\,tr(Z'QZG)^2 + 4\,tr(G Z'Q V_v Q Z)` and that of :math:`v'Qv`.
        """
        design = self.design
        z = [np.eye(int(design.n_levels[k]))[design.effects[k].level] for k in few]
        g = np.repeat(sd[few] ** 2, design.n_levels[few].astype(np.int64))
        marks = np.concatenate(z, axis=1) - np.concatenate(z, axis=1).mean(axis=0)
        means = [
            (level_sums(design, k, marks) / counts[:, None])[design.effects[k].level]
            for k, counts in enumerate(design.counts)
        ]
        found = np.zeros(len(sd))
        for a, row in enumerate(solve):
            applied = np.tensordot(row, means, 1)  # Q Z, (N, columns)
            inner = marks.T @ applied * g
            found[a] = 2 * (inner * inner.T).sum()
            for k in many:
                found[a] += 4 * sd[k] ** 2 * (level_sums(design, int(k), applied) ** 2 @ g).sum()
        return found

    @cached_property
    def variances(self) -> FloatArray:
        """Squared standard errors of the components (Brennan, 2001, ch. 6), (E,)."""
        return np.linalg.inv(self.factors) ** 2 @ (2 * self.squares**2 / (self.df + 2))

    @cached_property
    def components_drawn(self) -> FloatArray:
        """Components, below 0 too, (E, draws)."""
        from scipy.special import gammaincinv
        from scipy.stats import qmc

        points = qmc.Sobol(len(self.components), seed=SEED).random_base2(LOG_DRAWS).T
        chi2 = 2 * gammaincinv(self.df[:, None] / 2, points)
        squares: FloatArray = (self.squares * self.df)[:, None] / chi2
        drawn: Any = np.linalg.solve(self.factors, squares)
        return drawn


def quantiles(draws: FloatArray, level: float) -> Any:
    """Cut off both tails of draws, of which none may be below 0, (2, ...)."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    return np.maximum(np.quantile(draws, tails, axis=-1), 0.0)
