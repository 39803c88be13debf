"""Standard errors -> how far a public and a private part of a test set differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.distributions import ndtr

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


def sd_between_parts(se: FloatArray, n_public: FloatArray, n_private: FloatArray) -> FloatArray:
    """Compute how far the public and the private value differ by chance.

    Parameters
    ----------
    se : ndarray of float, shape (S,)
        Standard error of a coefficient, or a difference of two, of all items.
    n_public, n_private : ndarray of float, shape (S,)
        Number of items of the two parts.

    Returns
    -------
    ndarray of float, shape (S,)
        Standard deviation of the difference over random splits,
        ``tau * sqrt(1 / n_public + 1 / n_private)`` with ``tau**2 = n * se**2``. NaN where
        the standard error is, or where a part has no items.
    """
    known = (n_public > 0) & (n_private > 0)
    product = np.where(known, n_public * n_private, np.nan)
    return se * (n_public + n_private) / np.sqrt(product)


def swap_probability(
    difference: FloatArray, se: FloatArray, n_public: FloatArray, n_private: FloatArray
) -> FloatArray:
    r"""Probability that a difference has opposite signs in the two parts of a random split.

    Parameters
    ----------
    difference, se : ndarray of float, shape (S,)
        Difference of two coefficients of all items, and its standard error.
    n_public, n_private : ndarray of float, shape (S,)
        Number of items of the two parts.

    Returns
    -------
    ndarray of float, shape (S,)
        In [0, 1]; 0 where the standard error is 0, since no split changes the difference.
        NaN where the standard error is, or where a part has no items.

    Notes
    -----
    To the first order the difference of all items is the mean of those of both parts,
    weighted by their sizes. The public one deviates from it by a normal variable with
    standard deviation :math:`s = \tau \sqrt{1 / n_1 - 1 / n}`, so that the private one
    deviates by :math:`-n_1 / n_2` times as much: either the public one or the private one
    has the wrong sign, never both,

    .. math:: P = \Phi(-|d| / s) + \Phi(-|d| n_2 / (s n_1)).
    """
    known = (n_public > 0) & (n_private > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = se * np.sqrt(np.where(known, n_private / n_public, np.nan))
        distance = np.abs(difference) / spread
        probability = ndtr(-distance) + ndtr(-distance * n_private / n_public)
        return np.where(spread == 0, 0.0, probability)
