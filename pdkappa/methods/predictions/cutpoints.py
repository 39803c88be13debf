"""Cut-points on a score: `cutpoints`, its options, and its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.errors import (
    OptionError,
    RatingsError,
    TooLargeError,
    UndefinedKappaWarning,
    listing,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, held_anew, option
from pdkappa.methods.estimates.options import is_whole, number_that
from pdkappa.methods.estimates.pair_frames import stacked, warn_if_undefined, whole
from pdkappa.methods.estimates.weightings import LARGEST_MATRIX, scale_of
from pdkappa.methods.predictions.cutpoint_search import (
    AUTO,
    RULES,
    Costs,
    FoundCuts,
    Scored,
    find_cuts,
    items_of,
    kappa_of,
    profile,
)
from pdkappa.methods.predictions.inputs import read_sequences
from pdkappa.present.labels import rounded
from pdkappa.present.text_tables import Bundle, result, tidy
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.coded import check_complete, opened
from pdkappa.ratings.columns import code_column, native, numbers_of
from pdkappa.ratings.items import (
    align,
    check_columns,
    check_weights,
    column_of,
    columns_of_groups,
    item_weights,
    number_groups,
    sequence,
    warn_of_ungrouped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, IntArray, Label, Seed
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.options import Reading

LARGEST = np.finfo(np.float64).max
NO_BETTER = "No other cuts do better on these items; on new ones they may."
BELOW = (
    "A chosen cut may lie below the peak of its curve: the peak is partly luck with these items, "
    "and the method smooths."
)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False, repr=False)
class Cutpoints(Bundle):
    """Cut-points on a score that make classes of it.

    Attributes
    ----------
    cuts : ndarray of float, shape (K - 1,)
        Where each class but the lowest begins: the class of x is the number of cuts that are
        at most x. Not descending; two equal cuts have a class between them that is never
        predicted, and so have the ends: -inf and inf. NaN where no item has both a class and a
        score.
    estimate : float
        Kappa of the predictions for the items that the cuts were fitted to: too high as a
        forecast. NaN where it is undefined.
    cv_estimate : float
        Kappa of predictions for items that were left out, by the same method: what to expect
        of new items. With "auto" it is that of the rule that was chosen, and so a little too
        high where there are few items: by .02 for 30, by .01 for 400. NaN without
        cross-validation.
    method : str
        The rule: "exact", "isotonic" or "fixed_point"; the one chosen by "auto".
    cv_estimates : dict
        That of each rule that was tried, before what "auto" adds by choosing is taken away.
    reason : str
        Why `estimate` is NaN; empty text where it is not.
    weights : str or None
        The weights by name; "custom" for a matrix or a callable.
    table : ndarray of float, shape (K, K)
        Items by true class (rows) and predicted class.
    classes : DataFrame
        One row for each class, ``category``, with the columns ``lower, upper, n_truth,
        n_predicted, n_correct``: scores from `lower` up to, but without, `upper` get the class.
        The last three count items of the truth, of the predictions and of both, by weight.

    See Also
    --------
    df.kappa.predictions.cutpoints : Compute it.
    """

    cuts: FloatArray
    estimate: float
    cv_estimate: float
    method: str
    cv_estimates: dict[str, float]
    reason: str
    weights: str | None
    scale: CategorySet = field(repr=False)
    table: FloatArray = field(repr=False)
    items: Scored | None = field(repr=False)
    costs: Costs = field(repr=False)

    @property
    def categories(self) -> list[Any]:
        """The classes in ascending order.

        Returns
        -------
        list
            K labels.
        """
        return list(self.scale.labels)

    def predict(self, x: npt.ArrayLike) -> Any:
        """Give each score its class.

        Parameters
        ----------
        x : array-like of float, shape (N,)
            Scores.

        Returns
        -------
        Series or ndarray, shape (N,)
            Labels of the classes; a Series for a Series. NaN where the score is missing.
        """
        labels = self.scale.index().to_series().reset_index(drop=True)
        found = labels.reindex(self._codes(x))
        if isinstance(x, pd.Series):
            return found.set_axis(x.index).rename("prediction")
        return found.to_numpy()

    def kappa_of(
        self, truth: IntArray, x: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """Compute kappa of the predictions for other items, with the costs of the fit.

        Parameters
        ----------
        truth : ndarray of int, shape (N,)
            Position of the true class of each item in `categories`; -1 where it is missing.
        x : array-like of float, shape (N,)
            Scores.
        sample_weight : array-like, shape (N,), optional
            Frequency weights.

        Returns
        -------
        float
            At most 1; NaN where no disagreement is expected by chance.
        """
        predicted, k = self._codes(x), len(self.scale)
        if len(truth) != len(predicted):
            raise RatingsError(
                f"There are {len(truth)} classes and {len(predicted)} scores. "
                "Pass one of each for every item."
            )
        weight = np.ones(len(truth))
        if sample_weight is not None:
            weight = check_weights(sample_weight, "sample_weight", len(truth))
        known = (truth >= 0) & (predicted >= 0)
        cell = (truth.astype(np.int64) * k + predicted)[known]
        counts = np.bincount(cell, weights=weight[known], minlength=k * k)
        table: FloatArray = counts.astype(np.float64).reshape(k, k)
        return kappa_of(table, self.costs)

    def _codes(self, x: npt.ArrayLike) -> IntArray:
        """Find the number of the class of each score, -1 where there is none, shape (N,)."""
        values = numbers_of(sequence(x, "x", "scores"), "x")
        codes = np.searchsorted(self.cuts, np.minimum(values, LARGEST), side="right")
        known = ~np.isnan(values) & (len(self.scale) > 0) & ~np.isnan(self.cuts).any()
        return np.where(known, codes, -1)

    @property
    def classes(self) -> pd.DataFrame:
        """The classes, with the scores that are given to each."""
        n_cuts = len(self.scale) - 1
        edge = np.nan if np.isnan(self.cuts).any() else np.inf
        columns = {
            "lower": np.append(-edge, self.cuts)[: n_cuts + 1],
            "upper": np.append(self.cuts, edge)[: n_cuts + 1],
            "n_truth": whole(self.table.sum(axis=1)),
            "n_predicted": whole(self.table.sum(axis=0)),
            "n_correct": whole(self.table.diagonal()),
        }
        frame = pd.DataFrame(columns, index=self.scale.index().rename("category"))
        return self._told.of(tidy(frame.assign(reason=self.reason), []))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The classes."""
        return {"classes": self.classes}

    def profile(self) -> pd.DataFrame:
        """Move each cut between its neighbours, and see what that does to kappa.

        Returns
        -------
        DataFrame
            Columns ``category`` (the class that begins at the cut), ``cut`` (where it is put;
            about 200 places at most) and ``estimate``. With the method "exact", no
            place is better than that in `cuts`.
        """
        parts = []
        for j, category in enumerate(self.categories[1:]):
            if self.items is not None:
                cut, estimate = profile(self.items, self.costs, self.cuts, j)
                parts.append(pd.DataFrame({"cut": cut, "estimate": estimate}))
                parts[-1].insert(0, "category", pd.Series([category] * len(cut)))
        empty = pd.DataFrame(columns=["category", "cut", "estimate"])
        return pd.concat(parts, ignore_index=True) if parts else empty

    def plot(self, ax: Sequence[Axes] | None = None) -> Any:
        """Draw the scores of each class with the cuts, and kappa along each cut.

        Parameters
        ----------
        ax : two matplotlib Axes, optional
            Where to draw the scores and the curves of kappa. Default: a new figure.

        Returns
        -------
        ndarray of Axes, shape (2,)
            Both with the score on the horizontal axis.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        if ax is not None and np.size(np.asarray(ax, dtype=object)) != 2:  # noqa: PLR2004
            raise OptionError(
                "ax must hold two Axes, one for the scores and one for kappa. Make them with "
                "plt.subplots(2, 1, sharex=True)."
            )
        from pdkappa.present.plot_ratings import draw_cutpoints

        classes = self._spread().join(self.classes.reset_index())
        why = NO_BETTER if self.method == "exact" else BELOW
        why = "" if np.isnan(self.estimate) else why
        title = self.sentence.replace(self.method, self.method.replace("_", " "))
        return draw_cutpoints(classes, self.profile(), title=title, note=why, ax=ax)

    def _spread(self) -> pd.DataFrame:
        """Quantiles of the scores of each class, shape (K, 5); NaN for a class without items."""
        found = np.full((len(self.scale), len(QUANTILES)), np.nan)
        if self.items is not None:
            for code, row in enumerate(found):
                of_class = self.items.truth == code
                if of_class.any():
                    below = np.cumsum(self.items.count[of_class])
                    places = np.searchsorted(below, np.multiply(QUANTILES, below[-1]))
                    row[:] = self.items.score[self.items.group[of_class][places]]
        return pd.DataFrame(found, columns=[f"q{100 * q:02.0f}" for q in QUANTILES])

    @property
    def sentence(self) -> str:
        """Say in one line how good the cuts are."""
        weighting = f"{self.weights} weights, " if self.weights else ""
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"Cut-points, {weighting}method {self.method}: kappa {rounded(self.estimate, 3)}{why}, "
            f"cross-validated {rounded(self.cv_estimate, 3)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupedCutpoints(Bundle, Mapping[Any, Cutpoints]):
    """Cut-points for each group: a mapping from the group to its `Cutpoints`.

    Attributes
    ----------
    groups : Index, shape (G,)
        Labels of the groups, named after their columns.
    predictions : label
        The column of the scores.

    See Also
    --------
    cutpoints : Compute the cut-points of one group.
    """

    groups: pd.Index
    predictions: Label
    parts: dict[Any, Cutpoints] = field(repr=False)

    def __getitem__(self, group: Any) -> Cutpoints:
        """Return the cut-points of one group."""
        part = self.parts[group]
        object.__setattr__(part, "_told", self._told)
        return part

    def __iter__(self) -> Iterator[Any]:
        """Go through the labels of the groups."""
        return iter(self.parts)

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.parts)

    @property
    def estimate(self) -> pd.Series:
        """Kappa of the predictions for the items of each group.

        Returns
        -------
        Series
            Indexed by group; NaN where it is undefined.
        """
        return self.summary["estimate"]

    @property
    def cv_estimate(self) -> pd.Series:
        """Kappa of predictions for items of each group that were left out.

        Returns
        -------
        Series
            Indexed by group; NaN where it is undefined.
        """
        return self.summary["cv_estimate"]

    @property
    def summary(self) -> pd.DataFrame:
        """One row for each group; see the attributes of `Cutpoints`."""
        parts = self.parts.values()
        n_items = np.array([part.table.sum() for part in parts], dtype=np.float64)
        columns = {"n_items": whole(n_items), "n_categories": [len(part.scale) for part in parts]}
        for name in ("method", "estimate", "cv_estimate", "reason"):
            columns[name] = [getattr(part, name) for part in parts]
        return self._told.of(tidy(pd.DataFrame(columns, self.groups), []))

    @property
    def classes(self) -> pd.DataFrame:
        """One row for each class of each group; see `Cutpoints.classes`."""
        frames = [part.classes for part in self.parts.values()]
        if not frames:
            return result(pd.DataFrame(index=self.groups), [])
        return self._told.of(result(stacked(frames, self.groups), []))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The two frames by name."""
        return {"summary": self.summary, "classes": self.classes}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw kappa of each group for items that were left out.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all groups.

        Returns
        -------
        Axes
            With the cross-validated kappa on the horizontal axis.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_figures, in_decimals

        frame, caption = self.summary, "kappa, cross-validated"
        names = {"kappa": "estimate", "cross-validated": "cv_estimate"}
        columns = {head: in_decimals(frame[name]) for head, name in names.items()}
        return draw_figures(frame, ("cv_estimate",), caption=caption, columns=columns, ax=ax)

    def predict(self, data: pd.DataFrame | npt.ArrayLike, groups: Any = None) -> pd.Series:
        """Give each score its class by the cuts of its group.

        Parameters
        ----------
        data : DataFrame or array-like of float, shape (N,)
            A frame with the columns of the scores and of the groups, or scores.
        groups : array-like, shape (N,), optional
            The group of each score, a tuple if groups are named after several columns. Left
            out for a frame.

        Returns
        -------
        Series, shape (N,)
            Labels of the classes. NaN where the score or the group is missing.

        Raises
        ------
        RatingsError
            If a group has no cuts, or there is not one group for each score.
        """
        scores, keys = self._scores_and_groups(data, groups)
        number = self.groups.get_indexer(pd.Index(keys))
        lost = [key for key in keys[number < 0] if not _is_missing(key)]
        if lost:
            raise RatingsError(
                f"groups must be among those that have cut-points, {listing(self.groups)}, got "
                f"{listing(dict.fromkeys(lost))}."
            )
        labels = np.full(len(scores), np.nan, dtype=object)
        for place, part in enumerate(self.parts.values()):
            here = number == place
            labels[here] = part.predict(scores.to_numpy()[here])
        return pd.Series(labels, index=scores.index, name="prediction").infer_objects()

    def _scores_and_groups(self, data: Any, groups: Any) -> tuple[pd.Series, npt.NDArray[Any]]:
        """Read what is predicted from, with one label of a group for each score."""
        names = list(self.groups.names)
        if isinstance(data, pd.DataFrame):
            check_columns(data, [self.predictions], "predictions")
            check_columns(data, names, "group")
            scores = data[self.predictions]
            keyed = pd.MultiIndex.from_frame(data[names]) if len(names) > 1 else data[names[0]]
            return scores, keyed.to_numpy(dtype=object)
        scores, labels = sequence(data, "data", "scores"), sequence(groups, "groups", "labels")
        if isinstance(data, pd.Series) and isinstance(groups, pd.Series):
            labels = align(labels, scores.index, "groups")
        if len(labels) != len(scores):
            raise RatingsError(
                f"There are {len(scores)} scores and {len(labels)} groups. Pass one group for "
                "each score."
            )
        return scores, labels.to_numpy(dtype=object)

    @property
    def sentence(self) -> str:
        """Say what the groups are."""
        return f"Cut-points by {listing(self.groups.names)}"


def _is_missing(group: Any) -> bool:
    """Whether the label of a group, or a part of it, is missing."""
    parts = group if isinstance(group, tuple) else (group,)
    return any(bool(pd.isna(part)) for part in parts)


Rule: TypeAlias = Literal["auto", "exact", "isotonic", "fixed_point"]


class OfCuts(has.Chosen, has.Categories):
    """How the classes are read and the cuts are found."""

    method: Rule = anew(
        has.Method,
        "method",
        also='"exact": the greatest kappa that any cuts reach on these items. "isotonic": the best '
        "cuts for the mean of isotonic regressions of the truth on 30 bootstrap samples, which "
        'follow chance less. "fixed_point": the best cuts for a cubic regression of the truth '
        "on the normal scores of the score: steady with few items, wrong where the relation is "
        'not smooth. "auto": of the three, the steadiest (the last here) whose cross-validated '
        "kappa is within one standard error of the greatest.",
        choices=Rule,
        default=AUTO,
    )
    n_folds: int = option(
        "Number of folds, one for each item if there are fewer; 0 for no cross-validation, which "
        "the exact cuts need not have.",
        "int",
        default=5,
        check=number_that(
            lambda value: value == 0 or value > 1,
            "be a whole number from 2 upwards, or 0 for no cross-validation",
            is_one=is_whole,
        ),
    )
    rng: Seed = anew(has.Draws, "rng", default=None)

    def __post_init__(self) -> None:
        """Refuse a choice that nothing decides, too."""
        super().__post_init__()
        if self.n_folds == 0 and self.method == AUTO:
            raise OptionError(
                "method='auto' chooses by cross-validation, which n_folds=0 leaves out. Choose "
                f"one of: {', '.join(map(repr, RULES))}."
            )


def fit(
    truth: pd.Series,
    score: pd.Series,
    counts: FloatArray | None,
    asked: OfCuts,
    rng: np.random.Generator,
) -> Cutpoints:
    """Read the classes and scores of some items, two columns with a name, and find their cuts."""
    column = code_column(truth, truth.name)
    classes = unite([column], asked.reading.categories, "cutpoints")
    codes = recode([column], classes)[0]
    values = _finite(score)
    known = (codes >= 0) & ~np.isnan(values)
    joint = known if counts is None else known & (counts > 0)
    classes, costs, turned = _ordered(classes, asked.reading)
    codes = (len(classes) - 1 - codes if turned else codes)[joint]
    k, weights, items, exponent = len(classes), asked.reading.weights, None, 0
    if len(codes):
        kept = None if counts is None else counts[joint]
        items, exponent = items_of(values[joint], codes, kept, k)
        found = find_cuts(items, costs, method=asked.method, n_folds=asked.n_folds, rng=rng)
        reason = "constant_ratings" if np.isnan(found.estimate) else ""
    else:
        nothing = np.full(max(k - 1, 0), np.nan)
        found = FoundCuts(nothing, asked.method, np.zeros((k, k)), np.nan, {}, np.nan)
        reason = "zero_total_weight" if known.any() else "no_joint_items"
    return Cutpoints(
        **found._replace(table=np.ldexp(found.table, exponent))._asdict(),
        reason=reason,
        weights=weights if weights is None or isinstance(weights, str) else "custom",
        scale=classes,
        items=items,
        costs=costs,
    )


def _finite(score: pd.Series) -> FloatArray:
    """Return scores as floats, NaN where they are missing, shape (N,)."""
    values = numbers_of(score, str(score.name))
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise RatingsError(
            f"{score.name} must be finite, got {values[infinite[0]]} at index "
            f"{listing(score.index[infinite])}. Set it to missing, or to a large number."
        )
    return values


def _ordered(classes: CategorySet, reading: Reading) -> tuple[CategorySet, Costs, bool]:
    """Put the classes in ascending order, with their costs; tell whether that turned them."""
    k = len(classes)
    if not k:
        return classes, Costs(np.empty((0, 0))), False
    if k > LARGEST_MATRIX:
        raise TooLargeError(
            f"cutpoints with {k} classes would need a matrix of {k} x {k}; the limit is "
            f"{LARGEST_MATRIX}. Merge classes, or use the score itself."
        )
    in_use = np.ones((1, k), dtype=bool)
    scale = scale_of(reading.weights, classes, in_use, symmetric=False)
    matrix, scores = scale.matrix(), scale.scores[0]
    turned = classes.scores is not None and classes.scores[0] > classes.scores[-1]
    if turned:
        classes, matrix, scores = classes.turned(), matrix[::-1, ::-1], np.sort(scores)
    is_quadratic = isinstance(reading.weights, str) and reading.weights == "quadratic"
    return classes, Costs(matrix, scores if is_quadratic else None), turned


class OfCutpoints(OfCuts, has.ArrayWeight):
    """Options of `cutpoints`."""

    truth: npt.ArrayLike = anew(
        has.Predicted,
        "truth",
        kind="array-like, shape (N,)",
        kw_only=False,
        check=None,
        also="The classes must have an order, whatever the weights: numbers, an ordered "
        "Categorical, or any labels with `categories`.",
    )
    predictions: npt.ArrayLike = anew(
        has.Predicted,
        "predictions",
        kind="array-like of float, shape (N,)",
        kw_only=False,
        check=None,
        also="The greater, the higher the class. Two Series are aligned on their index. Items "
        "whose truth or prediction is missing are left out.",
    )


@asks(
    OfCutpoints,
    categories="Without them, the classes are those that occur in the truth, or all of an "
    "ordered Categorical; one that never occurs may be predicted if it is named.",
    rng="For folds and bootstrap samples.",
    weights="A matrix may be asymmetric: its rows are the true classes and its columns the "
    "predicted ones.",
    sample_weight="Whole numbers that add up to at most 4,194,304 are the same as repeated items, "
    "in folds and bootstrap samples, too; other weights stay with their item.",
)
def cutpoints(asked: OfCutpoints) -> Cutpoints:
    """Find the cuts on a score that maximise kappa with the truth.

    Where should a real-valued prediction be cut into classes? Rounding it loses kappa, and general
    optimisers such as Nelder and Mead's do not find the best cuts.

    Returns
    -------
    Cutpoints
        ``cuts``, shape (K - 1,), ``estimate``, ``cv_estimate``, ``method``, ``predict(x)``,
        ``classes``, ``profile()`` and ``plot()``. With a single true class every prediction
        is that class and `estimate` is NaN; the same with no item that has both.

    Raises
    ------
    CategoryError
        If the order of the classes is not known.
    RatingsError
        If the sequences differ in length, two Series in their labels, or a score is infinite.
    RatingTypeError
        If the scores are not numbers.
    WeightsError
        If weights cannot be used, or those of the items are further apart than 1 to 1e12.
    TooLargeError
        If there are more than 2,000 classes.

    Warns
    -----
    UndefinedKappaWarning
        If `estimate` is NaN.

    See Also
    --------
    decide : Labels from class probabilities rather than from a score.
    cuts : How well raters agree at each cut of the scale.

    Notes
    -----
    Equal scores are never separated, and classes may stay empty. Kappa of the predictions p is
    ``1 - A(p) / B(p)``, where both are sums over items because the margins of the truth are
    given. Dinkelbach's iteration [1]_ for the ratio, each step of which is minimised exactly
    along the chain of cuts, ends at the greatest kappa in a few steps. With quadratic weights
    the step has a closed form: x gets the class nearest to ``mean + (m(x) - mean) / kappa``,
    where m is the isotonic regression of the truth on the score. A cut lies halfway
    between two scores.

    The exact cuts fit these items better than new ones, especially if there are few items.
    `cv_estimate` is kappa of all predictions for items left out, taken together. The standard
    error by which "auto" chooses is that of the difference of two such kappas. The kappa of a
    rule chosen by its kappa is too high, by .02 to .05 on average where 40 to 150 scores are
    mere noise. That of "auto" is therefore lowered by what the choice adds on average among
    1,000 draws of the kappas around themselves, with their covariances.

    References
    ----------
    .. [1] Dinkelbach, 1967

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(1, 5, 300)
    >>> score = truth / 2 + rng.normal(size=300)
    >>> found = cutpoints(truth, score, weights="quadratic", rng=0)
    >>> found
    Cut-points, quadratic weights, method fixed_point: kappa 0.587, cross-validated 0.577
    <BLANKLINE>
              lower  upper n_truth n_predicted n_correct
    category
    1          -inf  0.288      65          62        37
    2         0.288  1.152      81          71        27
    3         1.152  1.921      66          84        27
    4         1.921    inf      88          83        49
    >>> found.predict([-1, 1.2, 3])
    array([1, 3, 4])

    The best cuts on these items are not the best ones for others:

    >>> exact = cutpoints(truth, score, weights="quadratic", method="exact", rng=0)
    >>> round(exact.estimate, 3), round(exact.cv_estimate, 3)
    (0.609, 0.57)
    """
    kinds = {"truth": "classes", "predictions": "numbers"}
    true, scores, counts = read_sequences(
        asked.truth, asked.predictions, asked.sample_weight, kinds
    )
    return _fit_one(true, scores, counts, asked)


class OfCutpointsOfAll(has.Predicted, OfCuts, has.Missing, has.SampleWeight):
    """Options of cuts on a column of scores."""

    rng: Seed = held_anew(has.Draws, "rng", default=None)
    predictions: Label = anew(has.Predicted, "predictions", also="A score, to cut.", kw_only=False)


class OfCutpointsBy(OfCutpointsOfAll, has.By):
    """Options of `cutpoints_by`."""


@asks(
    OfCutpointsBy,
    by="Without `categories`, the classes of a group are the numbers that occur in it.",
    rng="Each group has a stream of `rng` of its own.",
)
def cutpoints_by(
    data: pd.DataFrame | Counted, asked: OfCutpointsBy
) -> Cutpoints | GroupedCutpoints:
    """Find the cuts on a column of scores that maximise kappa with a column of true classes.

    With `by`, each group, such as an essay set, has its own cuts.

    Returns
    -------
    Cutpoints or GroupedCutpoints
        As `cutpoints` returns it; with `by`, a mapping from the group to its
        cut-points, with ``summary``, ``classes``, ``predict(frame)``, ``estimate`` and
        ``cv_estimate``.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some `estimate` is NaN.

    See Also
    --------
    df.kappa.predictions.cutpoints : The same for two sequences.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> df["mean"] = df[["human_2", "machine"]].mean(axis=1)
    >>> found = df.kappa(rng=0).predictions.cutpoints(
    ...     "human_1", "mean", weights="quadratic", by="essay_set",
    ... )
    >>> found.summary[["n_items", "n_categories", "estimate", "cv_estimate"]].head(3).round(3)
               n_items  n_categories  estimate  cv_estimate
    essay_set
    1              300             9     0.774        0.770
    2              300             6     0.811        0.805
    3              260             4     0.739        0.739
    >>> found[4].cuts
    array([0.75, 1.25, 2.25])
    >>> found.predict(df).tail(3).tolist()
    [34, 27, 29]
    """
    categories: Any
    data, weights, categories = opened(data, asked.sample_weight, asked.categories)
    data = native(data)
    asked = asked.but(categories=categories)
    true = column_of(data, asked.truth, "truth")
    scores = column_of(data, asked.predictions, "predictions")
    if asked.missing == "raise":
        check_complete([true, scores])
    counts = item_weights(data, weights)
    true, scores = true.rename(str(asked.truth)), scores.rename(str(asked.predictions))
    if asked.by is None:
        return _fit_one(true, scores, counts, asked)
    columns = columns_of_groups(data, asked.by)
    number, index = number_groups(data, columns)
    if (number < 0).any():
        warn_of_ungrouped(data, columns)
    order = np.argsort(number, kind="stable")
    edges = np.searchsorted(number[order], np.arange(len(index) + 1))
    parts = {}
    for place, stream in enumerate(np.random.default_rng(asked.rng).spawn(len(index))):
        here = order[edges[place] : edges[place + 1]]
        weight = None if counts is None else counts[here]
        parts[index[place]] = fit(true.iloc[here], scores.iloc[here], weight, asked, stream)
    names = list(map(str, parts))
    reasons = pd.Series([part.reason for part in parts.values()], dtype=object)
    warn_if_undefined("estimate", reasons != "", reasons, names.__getitem__)
    return GroupedCutpoints(index, asked.predictions, parts)


def _fit_one(
    truth: pd.Series, score: pd.Series, counts: FloatArray | None, asked: OfCuts
) -> Cutpoints:
    """Find the cuts of all items, and warn if their kappa is undefined."""
    found = fit(truth, score, counts, asked, np.random.default_rng(asked.rng))
    if found.reason:
        warn(
            f"The estimate of the cut-points is undefined (NaN): {found.reason}.",
            UndefinedKappaWarning,
        )
    return found
