"""Scores and a design -> components of variance, by analysis of variance or by REML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.methods.facets.design import Design

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
