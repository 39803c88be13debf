"""Results of `cutpoints`: cuts that predict, with their tables and their picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, RatingTypeError
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.methods.predictions.core.cutpoints import kappa_of, profile
from pdkappa.present.labels import rounded
from pdkappa.present.text_tables import Shown
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import check_weights, sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.methods.predictions.core.cutpoints import Costs, Scored
    from pdkappa.ratings.categories import CategorySet

LARGEST = np.finfo(np.float64).max
NO_BETTER = "No other cuts do better on these items; on new ones they may."
BELOW = (
    "A chosen cut may lie below the peak of its curve: the peak is partly luck with these items, "
    "and the method smooths."
)
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
        That of each rule that was tried, before what "auto" adds by choosing is taken away.
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
        from pdkappa.present.plot_ratings import draw_cutpoints

        classes = self._spread().join(self.to_frame())
        why = NO_BETTER if self.method == "exact" else BELOW
        why = "" if np.isnan(self.estimate) else why
        title = self.note().replace(self.method, self.method.replace("_", " "))
        return draw_cutpoints(classes, self.profile(), title=title, note=why, ax=ax)

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
            f"Cut-points, {weighting}method {self.method}: kappa {rounded(self.estimate, 3)}{why}, "
            f"cross-validated {rounded(self.cv_estimate, 3)}"
        )

    def _table(self) -> pd.DataFrame:
        """Return the classes."""
        return self.to_frame().set_index("category")
