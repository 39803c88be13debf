"""Results of `cutpoints` with `by`: the cuts of each group, by the label of the group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import RatingsError, listing
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.methods.predictions.cutpoints_result import Cutpoints
from pdkappa.present.text_tables import Shown
from pdkappa.ratings.items import align, check_columns, sequence

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Label


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
