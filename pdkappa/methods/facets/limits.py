"""Components of variance -> draws of what they may be, from which all limits are quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincinv
from scipy.stats import qmc

from pdkappa.methods.facets.components import anova

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.methods.facets.design import Design

LOG_DRAWS = 13
N_SAMPLES = 300
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
        """Their degrees of freedom: counted, or from samples of the model on unbalanced cells, (E,).

        These are 2 E**2 / Var of the mean squares, as of a multiple of chi-squared.
        """
        design = self.design
        if design.is_balanced:
            return design.df
        rng = np.random.default_rng(SEED)
        scores = np.zeros((len(design.scores), N_SAMPLES))
        sd = np.sqrt(np.maximum(self.components, 0.0))
        for one, size, spread in zip(design.effects, design.n_levels, sd, strict=True):
            scores += spread * rng.standard_normal((int(size), N_SAMPLES))[one.level]
        squares = self.factors @ anova(design, scores)
        return np.maximum(2 * squares.mean(axis=1) ** 2 / squares.var(axis=1, ddof=1), 1.0)

    @cached_property
    def variances(self) -> FloatArray:
        """Squared standard errors of the components (Brennan, 2001, ch. 6), (E,)."""
        return np.linalg.inv(self.factors) ** 2 @ (2 * self.squares**2 / (self.df + 2))

    @cached_property
    def components_drawn(self) -> FloatArray:
        """Components, below 0 too, (E, draws)."""
        points = qmc.Sobol(len(self.components), seed=SEED).random_base2(LOG_DRAWS).T
        chi2 = 2 * gammaincinv(self.df[:, None] / 2, points)
        squares = (self.squares * self.df)[:, None] / chi2
        return np.linalg.solve(self.factors, squares)


def quantiles(draws: FloatArray, level: float) -> FloatArray:
    """Cut off both tails of draws, of which none may be below 0, (2, ...)."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    return np.maximum(np.quantile(draws, tails, axis=-1), 0.0)
