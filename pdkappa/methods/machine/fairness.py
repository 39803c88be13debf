"""Whether a machine scores groups of people alike: `fairness`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.coefficients.influence import cluster_of_all
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.pair_kappas import from_lowest, in_units, joint_scores, moments
from pdkappa.coefficients.score_limits import ROUNDING, degrees_of, fdtrc, half_width, two_sided
from pdkappa.errors import MOST_SHOWN, OptionError, RatingsError, TooLargeError
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_by
from pdkappa.methods.estimates.pair_frames import in_turns, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.estimates.told import p_in_words
from pdkappa.methods.machine.evaluation import difference_of_means
from pdkappa.present import schema
from pdkappa.present.findings import range_of
from pdkappa.present.labels import listed
from pdkappa.present.text_tables import Bundle, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted

JOINED = 1e-9  # of eigenvalues between 0 and 2, and of vectors of length 1
ALONE = 1e-6  # part of an item that nothing else says something about
BLOCK = 1 << 20
FEW = 10.0  # items of a group, by simulation


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
    alone: int
    parts: IntArray


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


def model(
    rows: RatingRows, values: FloatArray, classes: IntArray, level: float, *, equal: bool = False
) -> Model:
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
    equal : bool
        Whether errors are taken to have one variance in all groups and classes.

    Returns
    -------
    Model
        The estimate of the base, the largest group, is its mean in the most frequent class;
        those of other groups are differences from it. NaN where nothing joins a group to the base.
        Of groups that classes join `parts` has the same number, and -1 of those without items.

    Notes
    -----
    With n items of value y in group g and class k, and classes swept out, the normal equations of
    the effects of the groups are :math:`A \beta = b` with

    .. math:: A_{gh} = [g = h] n_g - \sum_k \frac{n_{kg} n_{kh}}{n_k}, \qquad
              b_g = \sum_k (y_{kg} - n_{kg} \bar y_k),

    the Laplacian of the graph of groups that share a class, so that its generalised inverse comes
    from the eigenvectors of :math:`D^{-1/2} A D^{-1/2}`, :math:`D = \text{diag}(n_g)`. `r2` is
    the adjusted share of the variance explained, less that explained by the classes alone. With
    one variance F compares the two models. Else, with the covariances :math:`A^+ M A^+` of
    effects, see `_Swept.squares`, it is Wald's :math:`b' M^+ b / q`, with q the rank of A.
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
        error = after / df2
        explained = before / (df1 + df2) - error
        estimate, variance = swept.against_base(values, effect)
        found = _Robust((before - after) / df1 / error, variance * error, -1)
        if not equal and after > 0:
            found = swept.robust(away, rest, estimate)
            if rows.cluster is not None:
                df2 = np.float64(len(np.unique(cluster_of_all(rows))) - 1)
        f = found.f if after > 0 else np.nan
        se = np.sqrt(np.where((after > 0) & ~np.isnan(estimate), found.variance, np.nan))
        least = ROUNDING * np.sqrt(whole / total)  # a group may have no error of its own
        se = np.where(se > least, se, np.nan)
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
            p_of_group=two_sided(estimate / se, df2),
            alone=found.alone,
            parts=swept.parts,
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
    def parts(self) -> IntArray:
        """The first of the groups that classes join with each, (G,); -1 without items."""
        found = np.full(len(self.n), -1)
        for group in np.flatnonzero(self.n > 0)[::-1]:
            found[self.joined_with(group)] = group
        return found

    def joined_with(self, group: int) -> BoolArray:
        """Whether classes join each group with one, (G,)."""
        apart = np.abs(self.joined - self.joined[group])
        joined: BoolArray = (apart < JOINED).all(axis=1) & (self.n > 0)
        return joined

    @property
    def base(self) -> int:
        """The largest group."""
        return int(np.argmax(self.n))

    def mean_of(self, values: FloatArray) -> FloatArray:
        """Mean of a value in each class, shape (K,)."""
        weighted = np.bincount(self.classes, self.rows.count * values)
        return weighted / self.size

    def fitted(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Effects of the groups, (G,), up to a constant in what is joined, and residuals, (U,)."""
        away = values - self.mean_of(values)[self.classes]
        effect = self.inverse @ self.sums(away)
        rest: FloatArray = away - effect[self.rows.group] + (self.share @ effect)[self.classes]
        return effect, rest

    def sums(self, away: FloatArray) -> FloatArray:
        """Sum over each group what is away from the mean of its class, (G,)."""
        return sums_at(self.rows.group, self.rows.count * away, len(self.n))

    def against_base(self, values: FloatArray, effect: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return estimates against the base, and their variances by that of errors, each (G,).

        That of the base is its mean in the most frequent class. NaN for what nothing joins to it.
        """
        base, common = self.base, int(np.argmax(self.size))
        joined = self.joined_with(base)
        estimate = np.where(joined, effect - effect[base], np.nan)
        inverse = self.inverse - self.inverse[base]
        inverse = inverse - inverse[:, [base]]
        variance = np.where(joined, np.maximum(np.diag(inverse), 0), np.nan)
        held = self.share[common] > 0
        weights = self.share[common][held]
        estimate[base] = self.mean_of(values)[common] - weights @ estimate[held]
        variance[base] = 1 / self.size[common] + weights @ inverse[np.ix_(held, held)] @ weights
        return estimate, variance

    def robust(self, away: FloatArray, rest: FloatArray, estimate: FloatArray) -> _Robust:
        """Estimate F and the variances of the estimates, whatever those of the errors are."""
        base, common = self.base, int(np.argmax(self.size))
        held = np.where(np.isnan(estimate), 0.0, self.share[common])
        meat, of_base, alone = self.squares(rest, self.inverse @ (held - self.unit(base)), common)
        found, vectors = np.linalg.eigh(meat)
        used = found > ROUNDING * found.max(initial=0)
        score = vectors[:, used].T @ self.sums(away)
        f = (score**2 / found[used]).sum() / self.rank if used.sum() == self.rank > 0 else np.nan
        cov = self.inverse @ meat @ self.inverse
        variance = np.diag(cov) - 2 * cov[base] + cov[base, base]
        variance[base] = of_base
        return _Robust(float(f), variance, alone)

    def squares(
        self, rest: FloatArray, middle: FloatArray, common: int
    ) -> tuple[FloatArray, float, int]:
        r"""Sum the squared scores of items, or clusters: for the groups (G, G), and for the base.

        The third is a group whose effect rests on a single one, -1 without any.

        Notes
        -----
        HC3 of MacKinnon and White (1985), and for clusters CR3 of Bell and McCaffrey (2002): with
        z the row of an item for the groups, less the mean of its class, e the residuals and H the
        hat matrix of a cluster, its score is :math:`Z' (I - H)^{-1} e`, by which the jackknife
        moves the effects. Items of a cluster in one group and class are alike, so that what is
        inverted has a row for each such cell; of single items it is one less their leverage.
        """
        meat, of_base, rests = np.zeros_like(self.inverse), 0.0, np.zeros(len(self.n))
        cells = _Cells.of(self, rest)
        for some in cells.batches(len(self.n)):
            classes, weight = cells.classes[some], cells.weight[some]
            z, root = self.unit(cells.groups[some]) - self.share[classes], np.sqrt(weight)
            own = (classes[:, :, None] == classes[:, None]) / self.size[classes][:, None]
            hat = root[:, :, None] * (own + z @ self.inverse @ z.transpose(0, 2, 1)) * root[:, None]
            left, vectors = np.linalg.eigh(np.eye(classes.shape[1]) - hat)
            left = np.where(left < JOINED, np.inf, left)
            free = np.where(np.isinf(left)[:, None], vectors * root[:, :, None], 0.0)
            rests += np.abs(free.transpose(0, 2, 1) @ z).sum(axis=(0, 1))
            spread = np.einsum("uca,uc->ua", vectors, cells.total[some] / root) / left
            score = root * np.einsum("uca,ua->uc", vectors, spread)
            of_groups = np.einsum("uc,ucg->ug", score, z)
            meat += of_groups.T @ of_groups
            mean = np.where(classes == common, score, 0.0).sum(axis=1) / self.size[common]
            of_base += float(((mean - of_groups @ middle) ** 2).sum())
        alone = np.flatnonzero(rests > ALONE)
        return meat, of_base, int(alone[np.argmin(self.n[alone])]) if len(alone) else -1

    def unit(self, groups: Any) -> FloatArray:
        """Say with a 1 which group it is, (..., G)."""
        return np.eye(len(self.n))[groups]


class _Robust(NamedTuple):
    """What holds whatever the variances of the errors are."""

    f: float
    variance: FloatArray  # of the estimates, (G,)
    alone: int  # a group whose effect rests on a single item, or cluster; -1 without any


class _Cells(NamedTuple):
    """The cells of items of one group and class: those of a cluster, or single items; each (C,)."""

    unit: IntArray  # which cluster, or item, the cell belongs to; ascending
    classes: IntArray
    groups: IntArray
    weight: FloatArray  # number of items
    total: FloatArray  # of the residuals; of single items the root of the sum of their squares

    @classmethod
    def of(cls, swept: _Swept, rest: FloatArray) -> _Cells:
        """Merge the rows of a cell; single items that are alike have one leverage."""
        rows, n_groups = swept.rows, len(swept.n)
        places = swept.classes * n_groups + rows.group
        if rows.cluster is None:
            cell, place = np.unique(places, return_inverse=True)
            squares = np.bincount(place, rows.count * rest**2, len(cell))
            one = np.ones(len(cell))
            return cls(np.arange(len(cell)), *np.divmod(cell, n_groups), one, np.sqrt(squares))
        pairs = np.stack([cluster_of_all(rows), places])
        (unit, cell), place = np.unique(pairs, axis=1, return_inverse=True)
        weight, total = (
            sums_at(place.reshape(-1), one, len(cell)) for one in (rows.count, rows.count * rest)
        )
        return cls(unit, *np.divmod(cell, n_groups), weight, total)

    def batches(self, n_groups: int) -> Iterator[IntArray]:
        """Return the places of the cells of units with as many cells, (B, M) at a time."""
        start = np.flatnonzero(np.diff(self.unit, prepend=-1))
        size = np.diff(np.append(start, len(self.unit)))
        for m in np.unique(size):
            first = start[size == m]
            step = max(1, BLOCK // (m * (m + n_groups)))
            for place in range(0, len(first), step):
                yield first[place : place + step, None] + np.arange(m)


def _sum_of_squares(weight: FloatArray, values: FloatArray) -> np.float64:
    """Sum weighted squares; nothing where they are no more than rounding errors of about 1."""
    found = np.float64((weight * values**2).sum())
    return found if found > ROUNDING**2 * weight.sum() else np.float64(0)


@dataclass(frozen=True, eq=False, repr=False)
class Fairness(Bundle):
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
    def sentence(self) -> str:
        """Say how far the machine is above or below the human, whether that differs by group."""
        p = float(self.tests["p_value"].loc["osd"])
        tested = (
            "" if np.isnan(p) else f"; test of a difference between groups (osd): {p_in_words(p)}"
        )
        return (
            "Machine minus human, both standardised over all groups: "
            f"{range_of(self.differences['dsm'])}{tested}; the base is {self.base}."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the standardised difference of means of each group, with its limits.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all groups.

        Returns
        -------
        Axes
            With machine minus human on the horizontal axis; groups whose limits do not hold 0 are
            red diamonds.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_figures, in_brackets

        frame, figure = self.differences, ("dsm", "dsm_low", "dsm_high")
        groups = [name for name in frame.columns if name not in schema.DIFFERENCES]
        frame = frame.set_index(groups) if groups else frame
        return draw_figures(
            frame,
            figure,
            caption="machine minus human, both standardised over all groups",
            columns={"n": [f"{n:.10g}" for n in frame["n_items"]], "": in_brackets(frame, figure)},
            bad=(frame["dsm_low"] > 0) | (frame["dsm_high"] < 0),
            ax=ax,
        )


MODELS = ("osa", "osd", "csd")
LARGEST = 1 << 24  # numbers in a table of groups by groups and human scores
Errors: TypeAlias = Literal["hc3", "equal"]


class OfFairness(has.HumanAndMachine, has.ByGroups, has.Units, has.Level):
    """Options of `fairness`."""

    errors: Errors = option(
        'Whether the errors of the machine may vary more in some groups than in others, "hc3" '
        '[2]_, or are taken to vary equally, "equal": with unequal groups the tests are then '
        "wrong.",
        choices=Errors,
        default="hc3",
    )


@asks(OfFairness, cluster="Clusters may have items in several groups.")
def fairness(data: pd.DataFrame | Counted, asked: OfFairness) -> Fairness:
    r"""Test whether a machine scores groups of people alike.

    Is it equally accurate for all of them, does it favour some, and does it do so at equal human
    scores?

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
          (the model leaves no error, or none in some group), ``no_shared_score`` (of ``csd``: no
          two groups have a human score in common);
        - ``remark`` where a group has fewer than ten items, or clusters, or ``csd`` does not
          compare it with all others, as it has no human score in common with them.

        Its ``groups`` have one row for each group and ``test``: ``n_items, estimate, se, ci_low,
        ci_high, p_value, base, reason``. The estimate of the `base`, the largest group or the
        first of several, is its mean, for ``csd`` at the most frequent human score; those of
        others are differences from it. Reasons are those above, and ``no_shared_score``: no scores
        in common, of two groups or of several in turn, join the group with the base; or the base
        with a group that has the most frequent score.

        Its ``differences`` have one row for each group:

        - ``n_items``, and ``mean_a, mean_b``: means of human and machine;
        - ``dsm, se_dsm, dsm_low, dsm_high``: standardised difference of means, each scorer
          standardised by the mean and the standard deviation of all groups;
        - ``smd``: mean of the machine minus that of the human, by the human's standard deviation
          within the group;
        - ``reason``: also ``constant_rater``, ``n_lt_2``, and ``no_variance`` (standard scores are
          the same in all items, or all are in one group, so that ``dsm`` has no limits).

    Raises
    ------
    OptionError
        If errors that are equal are asked for beside clusters.
    RatingsError
        If a group has a single item, or cluster: nothing is known of its errors, which have the
        leverage 1.
    RatingTypeError
        If scores are not numbers.
    TooLargeError
        If there are too many groups and human scores.

    See Also
    --------
    evaluate : Agreement in each group.
    compare_groups : Whether agreement differs between groups.

    Notes
    -----
    Each is a linear model by least squares with the groups as a category [1]_; ``csd`` has the
    human scores as a category, too, and its `r2` and F are those beyond the model of these alone.
    Errors and F of "hc3" are those of MacKinnon and White, the jackknife's [2]_, and with `cluster`
    those of the jackknife of whole clusters [3]_, with as many degrees of freedom as clusters, less
    one. At the level .05 the tests of the errors rejected equal groups in .04 to .06 of samples of
    20 to 200 items a group whose standard deviations differed up to tenfold, and in up to .08 where
    a group had five; "equal" in .00 to .35. `se_dsm` is by influence values; it counts means and
    standard deviations of all groups as estimates.

    A large p-value does not prove fairness: look at the limits. Nor does a small one prove that
    the machine is unfair, since human scores may be.

    References
    ----------
    .. [1] Loukina et al., 2019
    .. [2] MacKinnon & White, 1985
    .. [3] Bell & McCaffrey, 2002

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set in [3, 4, 5]")
    >>> found = df.kappa.machine.fairness("human_1", "machine", by="essay_set")
    >>> found.tests[["n_items", "r2", "f", "p_value"]].round(3)
          n_items     r2       f  p_value
    test
    osa       780  0.007   3.975    0.019
    osd       780 -0.001   0.480    0.619
    csd       780  0.024  12.296    0.000

    The machine favours no set by much:

    >>> found.differences[["n_items", "dsm", "dsm_low", "dsm_high", "smd"]].round(3)
               n_items    dsm  dsm_low  dsm_high    smd
    essay_set
    3              260  0.020   -0.046     0.086  0.031
    4              260 -0.025   -0.084     0.035  0.000
    5              260  0.005   -0.055     0.064 -0.033
    """
    check_by(asked.by, {*schema.FAIRNESS, *schema.FAIRNESS_GROUPS, *schema.DIFFERENCES, "test"})
    scored = read_scores(data, [*asked.people, asked.machine], asked.reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed
    rows = rows.among_groups(scored.coded.groups.mean_weight)
    is_equal = asked.errors == "equal"
    if is_equal and rows.cluster is not None:
        raise OptionError(
            "errors='equal' takes items to be independent and to have one variance, so that there "
            "are no clusters, or weights of a sample. Leave errors out, or cluster and weight_type."
        )
    unit, scores = in_units(rows, scored.scores)
    models: dict[str, Model | None] = dict.fromkeys(MODELS)
    if len(rows.count):
        for name, (values, classes) in errors_of(rows, scores).items():
            _check_size(rows.n_groups, int(classes.max()) + 1)
            found = model(rows, values, classes, asked.level, equal=is_equal)
            _check_alone(scored, name, found.alone)
            models[name] = found
    tests = _tests(scored, rows, models)
    base = int(np.argmax(rows.n_items)) if rows.n_groups else 0
    fair = Fairness(
        tests,
        _groups(scored, rows, models, unit),
        _differences(scored, rows, asked.level),
        scored.coded.groups.name(base) if rows.n_items.any() else "none",
    )
    warn_if_undefined("test", tests["p_value"].isna(), tests["reason"])
    return fair


def _check_alone(scored: NumericRows, test: str, group: int) -> None:
    """Refuse a group whose effect rests on a single item, which has the leverage 1."""
    if group >= 0:
        what = "item" if scored.rows.cluster is None else "cluster"
        shared = " with a human score that other groups have" if test == "csd" else ""
        raise RatingsError(
            f"{scored.coded.groups.name(group)} has a single {what}{shared}, so that nothing is "
            f"known of its errors ({test}). Merge it with another group, or leave it out"
            + ("." if scored.rows.cluster is not None else ", or pass errors='equal'.")
        )


def _check_size(n_groups: int, n_classes: int) -> None:
    """Refuse groups that would take too long."""
    if n_groups * (n_groups + n_classes) > LARGEST:
        raise TooLargeError(
            f"fairness of {n_groups} groups with {n_classes} human scores takes more than "
            f"{LARGEST} numbers. Name fewer groups, or round the human scores."
        )


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
            cases = [n_groups == 1, one.df2 <= 0, one.df1 <= 0]
            lost = ["one_group", "few_items", "no_shared_score"]
            reason = str(np.select(cases, lost, "no_variance"))
        reason = reason if np.isnan(found["p_value"]) else ""
        records.append(found | {"reason": reason, "remark": _remark(scored, rows, one)})
    frame = pd.DataFrame(records, index=pd.Index(MODELS, name="test"))
    frame["n_items"] = whole(np.full(len(frame), rows.n_items.sum()))
    frame["n_groups"] = n_groups
    for name in ("df1", "df2"):
        frame[name] = whole(frame[name].to_numpy())
    return result(frame[list(schema.FAIRNESS)], scored.coded.raters)


def _remark(scored: NumericRows, rows: RatingRows, one: Model | None) -> str:
    """Say which groups have few items, and which are not compared with the others."""
    name, lists = scored.coded.groups.name, {f"fewer than {FEW:g} items": _are_few(rows)}
    if one is not None and one.df1 > 0:
        first, place, size = np.unique(one.parts, return_inverse=True, return_counts=True)
        size[first < 0] = 0  # groups without items
        lists["not compared, no human score in common with others"] = (size == 1)[place]
        joined = size > 1
        if joined.sum() > 1:
            lists["compared with some only, no human score in common with others"] = joined[place]
    return "; ".join(
        f"{text}: {listed([name(one) for one in np.flatnonzero(of).tolist()], MOST_SHOWN)}"
        for text, of in lists.items()
        if of.any()
    )


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
        columns: dict[str, Any] = {"n_items": rows.n_items, **figures}
        columns["p_value"] = unknown if one is None else one.p_of_group
        columns["base"] = np.arange(rows.n_groups) == (-1 if one is None else one.base)
        columns["reason"] = _why(scored, rows, one)
        columns["remark"] = np.where(_are_few(rows), f"fewer than {FEW:g} items", "")
        parts.append(columns)
    inner, groups = pd.Index(MODELS, name="test"), scored.coded.groups
    return result(in_turns(parts, schema.FAIRNESS_GROUPS, groups, inner), scored.coded.raters)


def _are_few(rows: RatingRows) -> BoolArray:
    """Whether a group has so few items, or clusters, that its errors are hardly known, (G,)."""
    units = rows.units
    return (units > 0) & (units < FEW - 1e-9)


def _why(scored: NumericRows, rows: RatingRows, one: Model | None) -> ObjectArray:
    """Say why a group has no p-value, shape (G,)."""
    empty = np.where(scored.empty == "", "no_joint_items", scored.empty)
    if one is None:
        return empty
    unknown = np.isnan(one.estimate)
    cases = [rows.n_items == 0, ~np.isnan(one.p_of_group), unknown, one.df2 <= 0]
    return np.select(cases, [empty, "", "no_shared_score", "few_items"], "no_variance").astype(
        object
    )


def _differences(scored: NumericRows, rows: RatingRows, level: float) -> pd.DataFrame:
    """Return one row for each group: how far the means are apart."""
    found = difference_of_means(rows, scored.scores)
    unit, lowest, scores = from_lowest(rows, scored.scores)
    spread, n = moments(rows, scores[None]), rows.n_items
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or one
        error = np.where(found.se > ROUNDING, found.se, np.nan)
        half = half_width(level, degrees_of(rows.units)) * error
        sd = np.sqrt(n / (n - 1)) * spread.sd_a
        smd = (spread.mean_b - spread.mean_a) / np.where((n > 1) & (sd > 0), sd, np.nan)
    cases: list[Any] = [scored.empty != "", n == 0, np.isnan(found.estimate)]
    why: list[Any] = [scored.empty, "no_joint_items", "constant_rater"]
    few = np.where(np.isnan(half), "no_variance", "")
    few = np.where(rows.units < 2, "n_lt_2", few)  # noqa: PLR2004
    columns: dict[str, Any] = {
        "n_items": whole(n),
        "dsm": found.estimate,
        "se_dsm": found.se,
        "dsm_low": found.estimate - half,
        "dsm_high": found.estimate + half,
        "smd": smd,
        "mean_a": lowest + unit * spread.mean_a,
        "mean_b": lowest + unit * spread.mean_b,
        "reason": np.select([*cases, np.isnan(smd) & (few == "")], [*why, "constant_rater"], few),
        "remark": "",
    }
    frame = pd.DataFrame(columns)[list(schema.DIFFERENCES)]
    return result(scored.coded.groups.label(frame), scored.coded.raters)
