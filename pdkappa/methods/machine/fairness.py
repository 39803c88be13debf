"""Whether a machine scores groups of people alike: `fairness`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import in_units, joint_scores, moments
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    degrees_of,
    fdtrc,
    half_width,
    two_sided,
)
from pdkappa.errors import TooLargeError
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.machine.evaluation import difference_of_means
from pdkappa.present import schema
from pdkappa.present.text_tables import Shown, result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Missing,
        ObjectArray,
    )
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted

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


@dataclass(frozen=True, eq=False, repr=False)
class Fairness(Shown):
    """Whether a machine scores groups of people alike.

    Attributes
    ----------
    tests : DataFrame
        The rows ``osa, osd, csd``; see `df.kappa.machine.fairness`.
    groups : DataFrame
        One row for each group and test; see `df.kappa.machine.fairness`.
    differences : DataFrame
        One row for each group; see `df.kappa.machine.fairness`.
    base : str
        The largest group, which the others are compared with, in words.

    See Also
    --------
    df.kappa.machine.fairness : Compute it.
    """

    tests: pd.DataFrame = field(repr=False)
    groups: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    base: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The three frames by name."""
        return {"tests": self.tests, "groups": self.groups, "differences": self.differences}

    def note(self) -> str:
        """Say what the rows are, and which group is the base.

        Returns
        -------
        str
            One line.
        """
        return (
            "Overall score accuracy (osa), overall and conditional score difference (osd, csd); "
            f"the base is {self.base}."
        )

    def _table(self) -> pd.DataFrame:
        """Return the tests."""
        return self.tests


MODELS = ("osa", "osd", "csd")
LARGEST = 1 << 24  # numbers in a table of groups by groups and human scores


@gate
def fairness(
    data: pd.DataFrame | Counted,
    human: Label,
    machine: Label,
    *,
    by: By,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> Fairness:
    r"""Test whether a machine scores groups of people alike.

    Is it equally accurate for all of them, does it favour some, and does it do so at equal human
    scores?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    human, machine : column labels
        The human scores, and the machine's, which may be any numbers.
    by : column label or list of column labels
        The groups, such as the first language of the writers. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both scored (the first two choices are the same), or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    Fairness
        Its ``tests`` have the rows ``osa`` (overall score accuracy: the squared error, machine
        less human), ``osd`` (overall score difference: the error) and ``csd`` (conditional score
        difference: the error, given the human score), with

        - ``n_items, n_groups``: items with both scores, and groups with such items;
        - ``r2``: share of its variance that the groups explain, adjusted, at most 1; about 0 if
          they do not differ;
        - ``f, df1, df2, p_value``: of the hypothesis that they do not;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items``,
          ``one_group``, ``few_items`` (no more than groups and human scores), ``no_variance``
          (the model leaves no error).

        Its ``groups`` have one row for each group and ``test``: ``n_items, estimate, se, ci_low,
        ci_high, p_value, base, reason``. The estimate of the `base`, the largest group or the
        first of several, is its mean, for ``csd`` at the most frequent human score; those of
        others are differences from it. Reasons are those above, and ``no_shared_score``.

        Its ``differences`` have one row for each group:

        - ``n_items``, and ``mean_a, mean_b``: means of human and machine;
        - ``dsm, se, ci_low, ci_high``: standardised difference of means, each scorer standardised
          by the mean and the standard deviation of all groups;
        - ``smd``: mean of the machine minus that of the human, by the human's standard deviation
          within the group;
        - ``reason``: also ``constant_rater`` and ``n_lt_2``.

    Raises
    ------
    OptionError
        If `by` is None.
    RatingTypeError
        If scores are not numbers.
    TooLargeError
        If there are too many groups and human scores.
    KappaError
        If an option is not known, or the scores cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if the p-value of some test is NaN.

    See Also
    --------
    evaluation : Agreement in each group.
    compare_groups : Whether agreement differs between groups.

    Notes
    -----
    Each is a linear model by least squares with the groups as a category [1]_; ``csd`` has the
    human scores as a category, too, and its `r2` and F are those beyond the model of these alone.
    Items are taken to be independent, with one variance of errors in all groups. `se` of ``dsm``
    is by influence values; it counts means and standard deviations of all groups as estimates.

    A large p-value does not prove fairness: look at the limits. Nor does a small one prove that
    the machine is unfair, since human scores may be.

    References
    ----------
    .. [1] Loukina, A., Madnani, N., & Zechner, K. (2019). The many dimensions of algorithmic
           fairness in educational applications. Proceedings of BEA 14, 1-10.
           https://doi.org/10.18653/v1/W19-4401

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set in [3, 4, 5]")
    >>> found = df.kappa.machine.fairness("human_1", "machine", by="essay_set")
    >>> found.tests[["n_items", "r2", "f", "p_value"]].round(3)
          n_items     r2       f  p_value
    test
    osa       780  0.007   3.567    0.029
    osd       780 -0.001   0.528    0.590
    csd       780  0.024  12.527    0.000

    The machine favours no set by much:

    >>> found.differences[["n_items", "dsm", "ci_low", "ci_high", "smd"]].round(3)
               n_items    dsm  ci_low  ci_high    smd
    essay_set
    3              260  0.020  -0.046    0.086  0.031
    4              260 -0.025  -0.084    0.035  0.000
    5              260  0.005  -0.055    0.064 -0.033
    """
    level = check_level(confidence_level)
    check_by(by, {*schema.FAIRNESS, *schema.FAIRNESS_GROUPS, *schema.DIFFERENCES, "test"})
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, [human, machine], reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed()
    unit, scores = in_units(rows, scored.scores)
    models: dict[str, Model | None] = dict.fromkeys(MODELS)
    if len(rows.count):
        for name, (values, classes) in errors_of(rows, scores).items():
            _check_size(rows.n_groups, int(classes.max()) + 1)
            models[name] = model(rows, values, classes, level)
    tests = _tests(scored, rows, models)
    base = int(np.argmax(rows.n_items)) if rows.n_groups else 0
    found = Fairness(
        tests,
        _groups(scored, rows, models, unit),
        _differences(scored, rows, level),
        scored.coded.groups.name(base) if rows.n_items.any() else "none",
    )
    warn_if_undefined("test", tests["p_value"].isna(), tests["reason"])
    return found


def _check_size(n_groups: int, n_classes: int) -> None:
    """Refuse groups that would take too long."""
    if n_groups * (n_groups + n_classes) > LARGEST:
        message = (
            f"fairness of {n_groups} groups with {n_classes} human scores takes more than "
            f"{LARGEST} numbers. Name fewer groups, or round the human scores."
        )
        raise TooLargeError(message)


def _tests(scored: NumericRows, rows: RatingRows, models: dict[str, Model | None]) -> pd.DataFrame:
    """Return one row for each model."""
    n_groups = int((rows.n_items > 0).sum())
    records: list[dict[str, Any]] = []
    for one in models.values():
        if one is None:
            empty = scored.empty
            reason = empty[0] if len(empty) and (empty != "").all() else "no_joint_items"
            found = dict.fromkeys(("r2", "f", "df1", "df2", "p_value"), np.nan)
        else:
            found = {name: getattr(one, name) for name in ("r2", "f", "df1", "df2", "p_value")}
            lost = "few_items" if one.df2 <= 0 else "no_variance"
            reason = "one_group" if n_groups == 1 else lost
        records.append(found | {"reason": reason if np.isnan(found["p_value"]) else ""})
    frame = pd.DataFrame(records, index=pd.Index(MODELS, name="test"))
    frame["n_items"] = whole(np.full(len(frame), rows.n_items.sum()))
    frame["n_groups"] = n_groups
    for name in ("df1", "df2"):
        frame[name] = whole(frame[name].to_numpy())
    return result(frame[list(schema.FAIRNESS)], scored.coded.raters)


def _groups(
    scored: NumericRows, rows: RatingRows, models: dict[str, Model | None], unit: float
) -> pd.DataFrame:
    """Return one row for each group and model."""
    parts = []
    for name, one in models.items():
        scale = unit**2 if name == "osa" else unit
        unknown = np.full(rows.n_groups, np.nan)
        figures = {
            field: unknown if one is None else scale * getattr(one, field)
            for field in ("estimate", "se", "ci_low", "ci_high")
        }
        columns: dict[str, Any] = {"n_items": whole(rows.n_items), **figures}
        columns["p_value"] = unknown if one is None else one.p_of_group
        columns["base"] = np.arange(rows.n_groups) == (-1 if one is None else one.base)
        columns["reason"] = _why(scored, rows, one)
        parts.append(pd.DataFrame(columns))
    order = np.arange(len(parts) * rows.n_groups).reshape(len(parts), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order][list(schema.FAIRNESS_GROUPS)]
    frame.index = scored.coded.groups.each(pd.Index(MODELS, name="test"))
    return result(frame, scored.coded.raters)


def _why(scored: NumericRows, rows: RatingRows, one: Model | None) -> ObjectArray:
    """Say why a group has no p-value, shape (G,)."""
    empty = np.where(scored.empty == "", "no_joint_items", scored.empty)
    if one is None:
        return empty
    cases = [rows.n_items == 0, ~np.isnan(one.p_of_group), ~one.joined, one.df2 <= 0]
    found: ObjectArray = np.select(
        cases, [empty, "", "no_shared_score", "few_items"], "no_variance"
    ).astype(object)
    return found


def _differences(scored: NumericRows, rows: RatingRows, level: float) -> pd.DataFrame:
    """Return one row for each group: how far the means are apart."""
    found = difference_of_means(rows, scored.scores)
    unit, scores = in_units(rows, scored.scores)
    spread, n = moments(rows, scores[None]), rows.n_items
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or one
        half = half_width(level, degrees_of(n)) * found.se
        sd = np.sqrt(n / (n - 1)) * spread.sd_a
        smd = (spread.mean_b - spread.mean_a) / np.where((n > 1) & (sd > 0), sd, np.nan)
    cases: list[Any] = [scored.empty != "", n == 0, np.isnan(found.estimate)]
    why: list[Any] = [scored.empty, "no_joint_items", "constant_rater"]
    few = np.where(np.isnan(half) | (n < 2), "n_lt_2", "")  # noqa: PLR2004
    columns: dict[str, FloatArray | ObjectArray] = {
        "n_items": whole(n),
        "dsm": found.estimate,
        "se": found.se,
        "ci_low": found.estimate - half,
        "ci_high": found.estimate + half,
        "smd": smd,
        "mean_a": unit * spread.mean_a,
        "mean_b": unit * spread.mean_b,
        "reason": np.select([*cases, np.isnan(smd) & (few == "")], [*why, "constant_rater"], few),
    }
    frame = pd.DataFrame(columns)[list(schema.DIFFERENCES)]
    return result(scored.coded.groups.label(frame), scored.coded.raters)
