"""Results of `cutpoints`: cuts that predict, with their tables and their picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, RatingTypeError, listing
from pdkappa.estimation.labels import whole
from pdkappa.methods.predictions.core.cutpoints import kappa_of, profile
from pdkappa.present.plots.cutpoints import draw_cutpoints
from pdkappa.present.text.shown import Shown
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import align, check_columns, check_weights, sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.methods.predictions.core.cutpoints import Costs, Scored
    from pdkappa.ratings.categories import CategorySet

LARGEST = np.finfo(np.float64).max
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False, repr=False)
class Cutpoints(Shown):
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
        `cv_estimate` of each rule that was tried.
    reason : str
        Why `estimate` is NaN; empty text where it is not.
    weights : str or None
        The weights by name; "custom" for a matrix or a callable.
    table : ndarray of float, shape (K, K)
        Items by true class (rows) and predicted class.

    See Also
    --------
    pdkappa.cutpoints : Compute it.
    """

    cuts: FloatArray
    estimate: float
    cv_estimate: float
    method: str
    cv_estimates: dict[str, float]
    reason: str
    weights: str | None
    classes: CategorySet = field(repr=False)
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
        return list(self.classes.labels)

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
        labels = self.classes.index().to_series().reset_index(drop=True)
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
        predicted, k = self._codes(x), len(self.classes)
        if len(truth) != len(predicted):
            message = (
                f"There are {len(truth)} classes and {len(predicted)} scores. "
                "Pass one of each for every item."
            )
            raise RatingsError(message)
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
        values = numbers_of(sequence(x, "x", "scores"), "x", RatingTypeError)
        codes = np.searchsorted(self.cuts, np.minimum(values, LARGEST), side="right")
        known = ~np.isnan(values) & (len(self.classes) > 0) & ~np.isnan(self.cuts).any()
        return np.where(known, codes, -1)

    def to_frame(self) -> pd.DataFrame:
        """Return the classes, with the scores that are given to each.

        Returns
        -------
        DataFrame
            One row for each class; columns ``category, lower, upper, n_truth, n_predicted,
            n_correct``. Scores from `lower` up to, but without, `upper` get the class. The
            last three count items of the truth, of the predictions and of both, by weight.
        """
        n_cuts = len(self.classes) - 1
        edge = np.nan if np.isnan(self.cuts).any() else np.inf
        return pd.DataFrame(
            {
                "category": self.classes.index(),
                "lower": np.append(-edge, self.cuts)[: n_cuts + 1],
                "upper": np.append(self.cuts, edge)[: n_cuts + 1],
                "n_truth": whole(self.table.sum(axis=1)),
                "n_predicted": whole(self.table.sum(axis=0)),
                "n_correct": whole(self.table.diagonal()),
            }
        )

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
            message = (
                "ax must hold two Axes, one for the scores and one for kappa. Make them with "
                "plt.subplots(2, 1, sharex=True)."
            )
            raise OptionError(message)
        return draw_cutpoints(
            self._spread().join(self.to_frame()), self.profile(), title=self.note(), ax=ax
        )

    def _spread(self) -> pd.DataFrame:
        """Quantiles of the scores of each class, shape (K, 5); NaN for a class without items."""
        found = np.full((len(self.classes), len(QUANTILES)), np.nan)
        if self.items is not None:
            for code, row in enumerate(found):
                of_class = self.items.truth == code
                if of_class.any():
                    below = np.cumsum(self.items.count[of_class])
                    places = np.searchsorted(below, np.multiply(QUANTILES, below[-1]))
                    row[:] = self.items.score[self.items.group[of_class][places]]
        return pd.DataFrame(found, columns=[f"q{100 * q:02.0f}" for q in QUANTILES])

    def note(self) -> str:
        """Say in one line how good the cuts are.

        Returns
        -------
        str
            Weights, method, and kappa with and without cross-validation.
        """
        weighting = f"{self.weights} weights, " if self.weights else ""
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"Cut-points, {weighting}method {self.method}: kappa {self.estimate:.3f}{why}, "
            f"cross-validated {self.cv_estimate:.3f}"
        )

    def _table(self) -> pd.DataFrame:
        """Return the classes."""
        return self.to_frame().set_index("category")


@dataclass(frozen=True, eq=False, repr=False)
class GroupedCutpoints(Shown, Mapping[Any, Cutpoints]):
    """Cut-points for each group: a mapping from the group to its `Cutpoints`.

    Attributes
    ----------
    groups : Index, shape (G,)
        Labels of the groups, named after their columns.
    score : label
        The column of the scores.

    See Also
    --------
    pdkappa.cutpoints : Compute the cut-points of one group.
    """

    groups: pd.Index
    score: Label
    parts: dict[Any, Cutpoints] = field(repr=False)

    def __getitem__(self, group: Any) -> Cutpoints:
        """Return the cut-points of one group."""
        return self.parts[group]

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
        return self.summary()["estimate"]

    @property
    def cv_estimate(self) -> pd.Series:
        """Kappa of predictions for items of each group that were left out.

        Returns
        -------
        Series
            Indexed by group; NaN where it is undefined.
        """
        return self.summary()["cv_estimate"]

    def summary(self) -> pd.DataFrame:
        """Return one row for each group.

        Returns
        -------
        DataFrame
            Indexed by group; columns ``n_items, n_categories, method, estimate, cv_estimate,
            reason``, as the attributes of `Cutpoints`.
        """
        rows = [
            {
                "n_items": part.table.sum(),
                "n_categories": len(part.classes),
                "method": part.method,
                "estimate": part.estimate,
                "cv_estimate": part.cv_estimate,
                "reason": part.reason,
            }
            for part in self.parts.values()
        ]
        names = ["n_items", "n_categories", "method", "estimate", "cv_estimate", "reason"]
        frame = pd.DataFrame(rows, index=self.groups, columns=names)
        return frame.assign(n_items=whole(frame["n_items"].to_numpy(dtype=np.float64)))

    def to_frame(self) -> pd.DataFrame:
        """Return the classes of every group.

        Returns
        -------
        DataFrame
            One row for each class of each group: the columns of the groups, and those of
            `Cutpoints.to_frame`.
        """
        frames = [part.to_frame() for part in self.parts.values()]
        if not frames:
            return self.groups.to_frame(index=False)
        outer = self.groups[np.repeat(np.arange(len(frames)), [len(frame) for frame in frames])]
        inner = pd.concat(frames, ignore_index=True)
        return pd.concat([outer.to_frame(index=False), inner], axis=1)

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
            message = (
                f"There are no cut-points for group(s) {listing(dict.fromkeys(lost))}. "
                f"There are some for {listing(self.groups)}."
            )
            raise RatingsError(message)
        labels = np.full(len(scores), np.nan, dtype=object)
        for place, part in enumerate(self.parts.values()):
            here = number == place
            labels[here] = part.predict(scores.to_numpy()[here])
        return pd.Series(labels, index=scores.index, name="prediction").infer_objects()

    def _scores_and_groups(self, data: Any, groups: Any) -> tuple[pd.Series, npt.NDArray[Any]]:
        """Read what is predicted from, with one label of a group for each score."""
        names = list(self.groups.names)
        if isinstance(data, pd.DataFrame):
            check_columns(data, [self.score], "score")
            check_columns(data, names, "group")
            scores = data[self.score]
            keyed = pd.MultiIndex.from_frame(data[names]) if len(names) > 1 else data[names[0]]
            return scores, keyed.to_numpy(dtype=object)
        scores, labels = sequence(data, "data", "scores"), sequence(groups, "groups", "labels")
        if isinstance(data, pd.Series) and isinstance(groups, pd.Series):
            labels = align(labels, scores.index, "groups")
        if len(labels) != len(scores):
            message = (
                f"There are {len(scores)} scores and {len(labels)} groups. Pass one group for "
                "each score."
            )
            raise RatingsError(message)
        return scores, labels.to_numpy(dtype=object)

    def note(self) -> str:
        """Say what the groups are.

        Returns
        -------
        str
            The names of their columns.
        """
        return f"Cut-points by {listing(self.groups.names)}"

    def _table(self) -> pd.DataFrame:
        """Return one row for each group."""
        return self.summary()


def _is_missing(group: Any) -> bool:
    """Whether the label of a group, or a part of it, is missing."""
    parts = group if isinstance(group, tuple) else (group,)
    return any(bool(pd.isna(part)) for part in parts)
