"""Rows of ratings of two raters -> the cells of their table; bias, scale and noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.methods.drilldown.core.shared import positive

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows


class CellParts(NamedTuple):
    """What each cell of the tables of two raters does to kappa, all of shape (G, K, K).

    Attributes
    ----------
    n_items, expected_items : ndarray of float
        Number of items in the cell, and the number that the margins would give by chance.
    disagreement : ndarray of float
        Disagreement of the two categories, in [0, 1].
    contribution : ndarray of float
        Excess of expected over observed disagreement, relative to all that is expected;
        the cells of a table add up to kappa. NaN where no disagreement is expected.
    """

    n_items: FloatArray
    expected_items: FloatArray
    disagreement: FloatArray
    contribution: FloatArray


def cell_parts(rows: RatingRows, scale: Scale) -> CellParts:
    """Split Cohen's kappa of two raters into the cells of their table."""
    first, second = rows.codes
    both = (first >= 0) & (second >= 0)
    k = rows.n_categories
    place = (rows.group[both].astype(np.int64) * k + first[both]) * k + second[both]
    flat = np.bincount(place, weights=rows.count[both], minlength=rows.n_groups * k * k)
    table = flat.astype(np.float64, copy=False).reshape(rows.n_groups, k, k)
    n = table.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / n
        expected = np.nan_to_num(expected)
        tables = range(rows.n_groups)
        apart = (
            np.broadcast_to(scale.matrix(), table.shape)
            if scale.is_shared
            else np.stack([scale.matrix(number) for number in tables])
        )
        total = (apart * expected).sum(axis=(1, 2), keepdims=True)
        contribution = apart * (expected - table) / positive(total) + 0.0  # no minus zero
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[:, None, None]
    return CellParts(table, expected, apart / largest, contribution)


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

    Attributes
    ----------
    one_minus_kappa : ndarray of float
        The sum of the parts; NaN where neither rater varies and both agree.
    bias, scale, noise : ndarray of float
        Due to different means, to different standard deviations, and to a correlation
        below one; each at least 0.
    correlation : ndarray of float
        Pearson's correlation; NaN where a rater does not vary.
    """

    one_minus_kappa: FloatArray
    bias: FloatArray
    scale: FloatArray
    noise: FloatArray
    correlation: FloatArray


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
        noise = np.maximum(2 * (product - found.covariance), 0) / total
        correlation = np.clip(found.covariance / positive(product), -1, 1)
    return SplitParts(bias + scale + noise, bias, scale, noise, correlation)


def is_constant(rows: RatingRows) -> BoolArray:
    """Whether each of two raters gave all joint items one category, shape (2, G)."""
    both = np.asarray((rows.codes >= 0).all(axis=0), dtype=np.float64)
    used = np.stack([(rows.margin_of(codes, both) > 0).sum(axis=-1) for codes in rows.codes])
    result: BoolArray = used == 1
    return result
