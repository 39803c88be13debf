"""Moments of two raters' scores -> kappa, and its loss by bias, scale and noise."""

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


class SplitParts(NamedTuple):
    """One minus quadratic weighted kappa and the three parts of it, every field (G,).

    The parts are due to different means, to different standard deviations, and to a correlation
    below one; each is at least 0. Their sum is NaN where neither rater varies and both agree.
    """

    one_minus_kappa: FloatArray
    bias: FloatArray
    scale: FloatArray
    noise: FloatArray
    correlation: FloatArray  # Pearson's; NaN where a rater does not vary


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


def split_parts(found: Moments) -> SplitParts:
    r"""Split one minus quadratic weighted kappa into bias, scale and noise.

    .. math:: 1 - \kappa = \frac{(\mu_a - \mu_b)^2 + (\sigma_a - \sigma_b)^2
              + 2 \sigma_a \sigma_b (1 - \rho)}{\sigma_a^2 + \sigma_b^2 + (\mu_a - \mu_b)^2}.
    """
    product = found.sd_a * found.sd_b
    apart = (found.mean_a - found.mean_b) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        total = positive(found.sd_a**2 + found.sd_b**2 + apart)
        bias, scale = apart / total, (found.sd_a - found.sd_b) ** 2 / total
        # The covariance is at most the product (Cauchy, Schwarz), though not always in floats.
        noise = np.maximum(2 * (product - found.covariance), 0) / total
        correlation = np.clip(found.covariance / positive(product), -1, 1)
    return SplitParts(bias + scale + noise, bias, scale, noise, correlation)
