"""Means over all groups but one, for each of them, in a time that grows with their number.

Sums without one group are those of the groups before it and after it: nothing is subtracted, so
that the others keep their digits whatever its weight is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.means_over_groups import (
    FEWEST_TO_DIFFER,
    MOST_STEPS,
    dersimonian_laird,
    paule_mandel,
    weighted_fisher_mean,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray

TERMS = 17  # of a power series, whose last one is 1e-17 of the first
WIDTH = np.log(1.2)  # of an interval of log variances: its ends are a tenth from its middle
LAST_STEP = 1e-9  # of tau2, whose square is nothing


def fisher_means_without(
    estimates: FloatArray, weights: FloatArray, *, clip: float | None
) -> FloatArray:
    """Average coefficients as `weighted_fisher_mean` does without each, all of shape (G,)."""
    used = ~np.isnan(estimates) & (weights > 0)
    largest = int(np.argmax(np.where(used, weights, 0.0))) if used.any() else 0
    weight = np.where(used, weights, 0.0) / (weights[largest] if used.any() else 1.0)
    z = fisher_z(np.where(used, estimates, 0.0), clip)
    with np.errstate(divide="ignore", invalid="ignore"):  # no group, or +inf and -inf
        moments = np.stack([weight, np.where(used, weight * z, 0.0)])
        total, mean = without_each(moments)
        means: FloatArray = np.tanh(mean / total)
    if used.any():  # the others may be next to nothing beside it
        rest = (np.delete(one, largest) for one in (estimates, weights))
        means[largest] = weighted_fisher_mean(*rest, clip=clip).estimate
    return means


def fixed_effects_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Average z as `fixed_effect` does without each, all of shape (G,)."""
    return _means(z, se, np.zeros(z.shape))


def random_effects_without(z: FloatArray, se: FloatArray, tau2_method: str) -> FloatArray:
    """Average z as `pooling.random_effects` does without each, all of shape (G,)."""
    if len(z) - 1 < FEWEST_TO_DIFFER:
        return fixed_effects_without(z, se)
    return _means(z, se, TAU2_WITHOUT_EACH[tau2_method](z, se))


def without_each(values: FloatArray) -> FloatArray:
    """Sum all but each along the last axis."""
    before, after = np.zeros(values.shape), np.zeros(values.shape)
    np.cumsum(values[..., :-1], axis=-1, out=before[..., 1:])
    np.cumsum(values[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return before + after


def paule_mandel_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Solve for tau2 without each, of shape (G,), by Newton's steps for all of them at once.

    They begin at the tau2 of all groups. As Q falls in tau2 and is convex, no step but the first
    is backward, and each squares the error.
    """
    tau2, surest = np.full(z.shape, paule_mandel(z, se)), np.argmin(se)
    tau2[surest] = _without_the_surest(paule_mandel, z, se)
    for _ in range(MOST_STEPS):
        q, fall, _ = _cochran_q(z, se, tau2)
        with np.errstate(divide="ignore", invalid="ignore"):  # all others have the same z
            step = np.where(fall > 0, (q - (len(z) - 2)) / fall, -tau2)
        step[surest] = 0.0
        before, tau2 = tau2, np.maximum(tau2 + step, 0.0)
        if (np.abs(tau2 - before) <= LAST_STEP * tau2).all():
            break
    return tau2


def dersimonian_laird_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Estimate tau2 without each, of shape (G,), from the moments of Q."""
    q, _, (total, squares) = _cochran_q(z, se, np.zeros(z.shape))
    tau2 = np.maximum(0.0, (q - (len(z) - 2)) / (total - squares / total))
    tau2[np.argmin(se)] = _without_the_surest(dersimonian_laird, z, se)
    return tau2


def _without_the_surest(
    solve: Callable[[FloatArray, FloatArray], float], z: FloatArray, se: FloatArray
) -> float:
    """Solve for tau2 without the group of the least error, at which the sums are centred."""
    surest = np.argmin(se)
    return solve(np.delete(z, surest), np.delete(se, surest))


def _means(z: FloatArray, se: FloatArray, tau2: FloatArray) -> FloatArray:
    """Average z without each by its own tau2."""
    (total, weighted), _ = _weighted_sums(np.stack([np.ones(z.shape), z]), se, tau2)
    with np.errstate(divide="ignore", invalid="ignore"):  # no other group
        means: FloatArray = np.tanh(weighted / total)
    return means


def _cochran_q(
    z: FloatArray, se: FloatArray, tau2: FloatArray
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
    """Q without each at its own tau2, how fast it falls there, and sums of weights and squares.

    They are sums of squares less a square. About the group of the largest weight the squares are
    small, so that little is lost, unless that group is the one left out.
    """
    z = z - z[np.argmin(se)]
    powers = np.stack([np.ones(z.shape), z, z * z])
    (total, weighted, square), slopes = _weighted_sums(powers, se, tau2)
    mean = weighted / total
    return (
        square - mean * weighted,
        slopes[2] - 2 * mean * slopes[1] + mean**2 * slopes[0],
        (total, slopes[0]),
    )


def _weighted_sums(
    values: FloatArray, se: FloatArray, tau2: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum some values, shape (V, G), with the weights ``1 / (se**2 + tau2)`` without each group.

    Every group has its own tau2, and so the others other weights. In an interval of tau2 around
    a middle they are the power series ``sum((middle - tau2)**k / (se**2 + middle)**(k + 1))``,
    whose sums serve all groups. With the weights stand their squares, which are the slopes.
    """
    variance = se**2
    least = variance.min(initial=np.inf)
    intervals = np.floor(np.log1p(tau2 / least) / WIDTH)
    sums, slopes = np.empty(values.shape), np.empty(values.shape)
    for interval in np.unique(intervals):
        own = intervals == interval
        unit = least * np.exp((interval + 0.5) * WIDTH)  # the least variance with the middle
        weight = unit / (variance - least + unit)
        away = 1 - (tau2[own] + least) / unit
        total, slope = np.zeros((len(values), own.sum())), np.zeros((len(values), own.sum()))
        for power in range(TERMS, 0, -1):
            slope = slope * away + total
            total = total * away + without_each(weight**power * values)[:, own]
        sums[:, own], slopes[:, own] = total / unit, slope / unit**2
    return sums, slopes


TAU2_WITHOUT_EACH: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "paule_mandel": paule_mandel_without,
    "dersimonian_laird": dersimonian_laird_without,
}
