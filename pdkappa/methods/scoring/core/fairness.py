"""Errors of a machine in groups of items -> linear models of them by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING, fdtrc, half_width, two_sided

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.rating_rows import RatingRows

JOINED = 1e-9  # of eigenvalues between 0 and 2, and of vectors of length 1


class Model(NamedTuple):
    """What the groups explain of a value of each item, beyond the classes of the items.

    Fields of the model are floats, those of the groups have shape (G,).
    """

    r2: float
    f: float
    df1: float
    df2: float
    p_value: float
    base: int
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    p_of_group: FloatArray
    joined: BoolArray


def errors_of(rows: RatingRows, scores: FloatArray) -> dict[str, tuple[FloatArray, IntArray]]:
    """Return the value and the class of each row, each (U,), of the three models by name.

    They are overall score accuracy, overall score difference and conditional score difference,
    whose classes are the scores of the first rater.
    """
    human, machine = scores[rows.codes]
    away = machine - human
    one = np.zeros(len(away), dtype=np.int64)
    classes = np.unique(rows.codes[0], return_inverse=True)[1].reshape(-1)
    return {"osa": (away**2, one), "osd": (away, one), "csd": (away, classes)}


def model(rows: RatingRows, values: FloatArray, classes: IntArray, level: float) -> Model:
    r"""Fit a value of each item by its group and its class, both as categories.

    Parameters
    ----------
    rows : RatingRows
        At least one row.
    values : ndarray of float, shape (U,)
    classes : ndarray of int, shape (U,)
        Class of each row, from 0 on without a gap.
    level : float
        Confidence level of the limits.

    Returns
    -------
    Model
        The estimate of the base, the largest group, is its mean in the most frequent class;
        those of other groups are differences from it. NaN where nothing joins a group to the base.

    Notes
    -----
    With n items of value y in group g and class k, and classes swept out, the normal equations of
    the effects of the groups are :math:`A \beta = b` with

    .. math:: A_{gh} = [g = h] n_g - \sum_k \frac{n_{kg} n_{kh}}{n_k}, \qquad
              b_g = \sum_k (y_{kg} - n_{kg} \bar y_k),

    the Laplacian of the graph of groups that share a class, so that its generalised inverse comes
    from the eigenvectors of :math:`D^{-1/2} A D^{-1/2}`, :math:`D = \text{diag}(n_g)`. `r2` is
    the adjusted share of the variance explained, less that explained by the classes alone, and F
    compares the two models.
    """
    swept = _Swept.of(rows, classes)
    effect, rest = swept.fitted(values)
    total, n_classes = float(swept.size.sum()), len(swept.size)
    df1, df2 = np.array([swept.rank, total - n_classes - swept.rank])
    away = values - swept.mean_of(values)[classes]
    whole, before, after = (
        _sum_of_squares(rows.count, one)
        for one in (values - (rows.count * values).sum() / total, away, rest)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        error = after / (df2 if df2 > 0 else np.nan)
        explained = before / (df1 + df2) - error
        f = (before - after) / df1 / (error if error > 0 else np.nan)
        estimate, variance, joined = swept.against_base(values, effect)
        se = np.sqrt(variance * error)
        half = half_width(level, df2) * se
        return Model(
            r2=float(explained / (whole if whole > 0 else np.nan) * (total - 1)),
            f=float(f),
            df1=float(df1),
            df2=float(df2),
            p_value=float(fdtrc(df1, df2, f)),
            base=swept.base,
            estimate=estimate,
            se=se,
            ci_low=estimate - half,
            ci_high=estimate + half,
            p_of_group=two_sided(estimate / np.where(se > 0, se, np.nan), df2),
            joined=joined,
        )


class _Swept(NamedTuple):
    """Items of G groups and K classes, and what remains of the groups without the classes."""

    rows: RatingRows
    classes: IntArray
    n: FloatArray  # items of each group, (G,)
    size: FloatArray  # items of each class, (K,)
    share: FloatArray  # of each group in the items of a class, (K, G)
    inverse: FloatArray  # generalised, of the normal equations, (G, G)
    joined: FloatArray  # equal in groups that classes join, (G, C), C components

    @classmethod
    def of(cls, rows: RatingRows, classes: IntArray) -> _Swept:
        """Count the items, and solve the normal equations."""
        n_groups = rows.n_groups
        size = np.bincount(classes, rows.count).astype(np.float64, copy=False)
        cells = np.bincount(classes * n_groups + rows.group, rows.count, len(size) * n_groups)
        cells = cells.reshape(len(size), n_groups)
        share, n = cells / size[:, None], cells.sum(axis=0).astype(np.float64)
        root = np.sqrt(np.where(n > 0, n, np.inf))
        values, vectors = np.linalg.eigh(np.eye(n_groups) - (cells / root).T @ (share / root))
        is_free = values < JOINED
        solved = vectors[:, ~is_free] / root[:, None]
        inverse = (solved / values[~is_free]) @ solved.T
        joined = np.sqrt(n.sum()) * vectors[:, is_free] / root[:, None]
        return cls(rows, classes, n, size, share, inverse, joined)

    @property
    def rank(self) -> int:
        """Degrees of freedom of the groups."""
        return int((self.n > 0).sum()) - self.joined.shape[1]

    @property
    def base(self) -> int:
        """The largest group."""
        return int(np.argmax(self.n))

    def mean_of(self, values: FloatArray) -> FloatArray:
        """Mean of a value in each class, shape (K,)."""
        weighted = np.bincount(self.classes, self.rows.count * values)
        mean: FloatArray = weighted / self.size
        return mean

    def fitted(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Effects of the groups, (G,), up to a constant in what is joined, and residuals, (U,)."""
        away = values - self.mean_of(values)[self.classes]
        sums = np.bincount(self.rows.group, self.rows.count * away, len(self.n))
        effect = self.inverse @ sums
        rest: FloatArray = away - effect[self.rows.group] + (self.share @ effect)[self.classes]
        return effect, rest

    def against_base(
        self, values: FloatArray, effect: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return estimates against the base, their variances by that of errors, and what is joined.

        That of the base is its mean in the most frequent class. NaN for what nothing joins to it.
        """
        base, common = self.base, int(np.argmax(self.size))
        joined = (np.abs(self.joined - self.joined[base]) < JOINED).all(axis=1) & (self.n > 0)
        estimate = np.where(joined, effect - effect[base], np.nan)
        inverse = self.inverse - self.inverse[base]
        inverse = inverse - inverse[:, [base]]
        variance = np.where(joined, np.maximum(np.diag(inverse), 0), np.nan)
        held = self.share[common] > 0
        weights = self.share[common][held]
        estimate[base] = self.mean_of(values)[common] - weights @ estimate[held]
        variance[base] = 1 / self.size[common] + weights @ inverse[np.ix_(held, held)] @ weights
        if not joined[held].all():
            variance[base] = np.nan
        return estimate, variance, joined


def _sum_of_squares(weight: FloatArray, values: FloatArray) -> np.float64:
    """Sum weighted squares; nothing where they are no more than rounding errors of about 1."""
    found = np.float64((weight * values**2).sum())
    return found if found > ROUNDING**2 * weight.sum() else np.float64(0)
