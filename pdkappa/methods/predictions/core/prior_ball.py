"""The least and the greatest kappa of all priors within some distance of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.methods.predictions.core.shift import Confusion

MOST_STARTS, FEWEST_STARTS = 32, 8
BLOCK_OF_STARTS = 1 << 16
MOST_STEPS = 10_000
TOLERANCE = 1e-13  # of the ratio of disagreements: a smaller gain is rounding error
VANISHING = 1e-13  # part of the expected disagreement below which the ratio is 0/0


def extremes(confusion: Confusion, prior: FloatArray, radius: float) -> tuple[float, float]:
    """Find the least and the greatest kappa in a ball of priors.

    Parameters
    ----------
    confusion : Confusion
        How the items of T classes are predicted.
    prior : ndarray of float, shape (T,)
        Centre of the ball.
    radius : float
        The largest total variation distance, the share that may move from some classes to
        others, in (0, 1].

    Returns
    -------
    tuple of float
        NaN if kappa is undefined under all priors that were tried. Where all items may get
        into a class that is never predicted wrongly, the limits of kappa there count; one is
        minus infinity if no disagreement with other classes counts, but their own does.

    Notes
    -----
    Kappa is one minus a ratio of a linear to a quadratic form of the prior, and priors move
    in the ball by carrying shares from one class to another: all directions are mixtures of
    such moves. From a start, the best of these moves, of the best size, is repeated until
    none gains any more. A ratio of quadratic forms may have several local optima; the
    search starts from the prior and from the corners of the ball that are best.
    """
    starts = _starts(confusion, prior, radius)
    limits = _limits(confusion, prior, radius)
    found = [
        np.append(_improved(confusion, prior, radius, starts, sign), limits) for sign in (1.0, -1.0)
    ]
    least, greatest = (ratio[~np.isnan(ratio)] for ratio in found)
    if not len(least):
        return np.nan, np.nan
    return float(1 - greatest.max()), float(1 - least.min())


def _starts(confusion: Confusion, prior: FloatArray, radius: float) -> FloatArray:
    """Return the prior, and corners of the ball, shape (S, T).

    In a corner one class has got all that may move, and others gave all they had, in the
    order of the classes or of how well they are predicted, or the reverse.
    """
    n_classes = len(prior)
    orders = [np.arange(n_classes), np.argsort(confusion.observed, kind="stable")]
    starts = [prior]
    for order in (*orders, *(order[::-1] for order in orders)):
        for gaining in range(n_classes):
            given = np.where(order == gaining, 0.0, prior[order])
            given = np.diff(np.minimum(np.cumsum(given), radius), prepend=0.0)
            corner = prior.copy()
            corner[order] -= given
            corner[gaining] += given.sum()
            starts.append(np.maximum(corner, 0.0))
    return np.stack(starts)


def _limits(confusion: Confusion, prior: FloatArray, radius: float) -> FloatArray:
    """Return the limits of the ratio where all items get into one class and the ratio is 0/0.

    That is so in each of the C classes in the ball that are never predicted wrongly. Close to
    one of them, observed and expected disagreement are both linear in the shares of the other
    classes, so that the extremes are the limits with a single one of these, shape (C * T,).
    NaN for the class itself.
    """
    in_reach = 1 - prior <= radius + ROUNDING
    alone = np.flatnonzero(in_reach & (np.diag(confusion.expected) == 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = confusion.observed / (confusion.expected + confusion.expected.T)[alone]
    return ratio.reshape(-1)


def _improved(
    confusion: Confusion, prior: FloatArray, radius: float, starts: FloatArray, sign: float
) -> FloatArray:
    """Improve the best starts until no move between two classes does, shape (S,).

    Returns the ratios of observed to expected disagreement, which are to be small for the
    sign 1 and large for -1; NaN where a start has none.
    """
    ratio = 1 - confusion.kappa(starts)
    n_kept = int(np.clip(BLOCK_OF_STARTS // len(prior) ** 2, FEWEST_STARTS, MOST_STARTS))
    best = np.argsort(sign * ratio[1:], kind="stable")[:n_kept] + 1  # NaN comes last
    keep = np.append(0, best)
    place, ratio = starts[keep], ratio[keep]
    every = np.arange(len(place))
    for _ in range(MOST_STEPS):
        size, value = _moves(confusion, prior, radius, place, sign)
        move = np.argmin(value.reshape(len(place), -1), axis=1)
        giving, gaining = np.divmod(move, len(prior))
        gain = sign * ratio - value[every, giving, gaining]
        better = gain > TOLERANCE * np.maximum(np.abs(ratio), 1.0)
        if not better.any():
            break
        step = np.where(better, size[every, giving, gaining], 0.0)
        place[every, giving] = np.maximum(place[every, giving] - step, 0.0)
        place[every, gaining] += step
        ratio = np.where(better, 1 - confusion.kappa(place), ratio)
    return ratio


def _moves(
    confusion: Confusion, prior: FloatArray, radius: float, place: FloatArray, sign: float
) -> tuple[FloatArray, FloatArray]:
    """Find the best share to move from each class to each, and what it gives, each (S, T, T).

    The second is the ratio after the move, times `sign`; infinite where nothing can move.
    """
    above, below = np.maximum(place - prior, 0.0), np.maximum(prior - place, 0.0)
    spare = np.maximum(radius - above.sum(axis=1), 0.0)
    most = np.minimum(place[:, :, None], above[:, :, None] + (below + spare[:, None])[:, None])
    both = confusion.expected + confusion.expected.T
    own = np.diag(confusion.expected)
    observed = (place @ confusion.observed)[:, None, None]
    slope = place @ both
    expected = (place * slope).sum(axis=1)[:, None, None] / 2
    # Moving x changes the ratio to (observed + a x) / (expected + b x + c x^2).
    a = confusion.observed - confusion.observed[:, None]
    b = slope[:, None] - slope[:, :, None]
    c = own + own[:, None] - both
    with np.errstate(divide="ignore", invalid="ignore"):
        # Its derivative is zero where a c x^2 + 2 c observed x + b observed - a expected is.
        half, rest = c * observed, b * observed - a * expected
        root = -(half + np.copysign(np.sqrt(half**2 - a * c * rest), half))
        sizes = np.stack([most, root / (a * c), rest / root])
        sizes = np.where((sizes > 0) & (sizes <= most), sizes, 0.0)
        after = expected + b * sizes + c * sizes**2
        values = sign * (observed + a * sizes) / after
        values = np.where((sizes > 0) & (after > VANISHING * expected), values, np.inf)
    which = np.argmin(values, axis=0)[None]
    return (
        np.take_along_axis(sizes, which, axis=0)[0],
        np.take_along_axis(values, which, axis=0)[0],
    )
