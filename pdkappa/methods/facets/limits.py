"""Components of variance -> draws of what they may be, from which all limits are quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.methods.facets.components import expected, level_sums, sums_of_squares

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.methods.facets.design import Design

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
