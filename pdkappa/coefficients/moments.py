"""Moments of two raters' scores, and their correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.rounding import positive

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.counts.core.rows import RatingRows


class Moments(NamedTuple):
    """Moments of the scores of two raters over their joint items, every field (G,).

    The variances are divided by the number of items.
    """

    n_items: FloatArray
    mean_a: FloatArray
    mean_b: FloatArray
    sd_a: FloatArray
    sd_b: FloatArray
    covariance: FloatArray


def moments(rows: RatingRows, scores: FloatArray) -> Moments:
    """Compute the moments of two raters' scores, given those of the categories, (G or 1, K)."""
    both = np.asarray((rows.codes >= 0).all(axis=0), dtype=np.float64)
    n = rows.total(both)
    values = [rows.lookup(scores, codes) for codes in rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        means = [rows.total(both * one) / n for one in values]
        a, b = (
            both * (one - np.nan_to_num(mean)[rows.group])
            for one, mean in zip(values, means, strict=True)
        )
        return Moments(
            n,
            means[0],
            means[1],
            np.sqrt(rows.total(a * a) / n),
            np.sqrt(rows.total(b * b) / n),
            rows.total(a * b) / n,
        )


def correlation_of_moments(found: Moments) -> FloatArray:
    """Compute Pearson's correlation, shape (G,); NaN where a rater does not vary."""
    # The covariance is at most the product (Cauchy, Schwarz), though not always in floats.
    with np.errstate(invalid="ignore"):
        return np.clip(found.covariance / positive(found.sd_a * found.sd_b), -1, 1)
