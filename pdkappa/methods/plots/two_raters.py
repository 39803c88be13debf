"""Pictures of two raters, or of a score and the truth, as ``df.kappa.plot``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import check_choice
from pdkappa.methods.plots.arrange import SHOWN, check_one_group
from pdkappa.methods.plots.core.crosstable import residuals
from pdkappa.present.plot_heatmaps import draw_confusion
from pdkappa.present.plot_ratings import draw_bland_altman
from pdkappa.present.text_markup import menu_of_methods, public_methods

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdkappa._typing import Categories, ItemWeights, Label, Missing


@dataclass(frozen=True, repr=False)
class PlotsOfTwo:
    """Pictures of two columns of ratings."""

    _methods: Any  # whatever has the ratings, with the methods of `df.kappa`

    def __repr__(self) -> str:
        """Show a menu of the pictures."""
        return f"Pictures of agreement\n\n{menu_of_methods(public_methods(type(self)))}"

    def forest(
        self, rater_a: Label, rater_b: Label, *, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draw the agreement of two raters in each group, and the pooled means below.

        Do the groups differ, and which ones?

        Parameters
        ----------
        rater_a, rater_b : column labels
            The two raters.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all groups.
        **options
            Options of `pdkappa.grouped`: `by`, which is needed unless the frame is grouped,
            and ``coefficient, weights, group_weights, confidence_level`` and others.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis.

        Raises
        ------
        KappaError
            If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.
        MissingDependencyError
            If Matplotlib is not installed.

        See Also
        --------
        GroupPlots.forest : What is drawn.
        """
        return self._methods.grouped(rater_a, rater_b, **options).plot.forest(ax)

    def confusion(
        self,
        rater_a: Label,
        rater_b: Label,
        *,
        categories: Categories | None = None,
        missing: Missing = "pairwise",
        sample_weight: ItemWeights | None = None,
        show: str = "counts",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw how often two raters gave which categories.

        Which categories are confused?

        Parameters
        ----------
        rater_a, rater_b : column labels
            The raters in the rows and in the columns.
        categories : list or dict, optional
            The categories in order, or their scores ``{category: score}``. See `pdkappa.confusion`.
        missing : {"pairwise", "listwise", "raise"}
            Use the items that both raters of a pair rated, use those that all raters rated, or
            raise an error.
        sample_weight : column label or array of shape (N,), optional
            Frequency weights: 2 counts an item twice.
        show : {"counts", "residuals"}
            What the colours show: the counts, or the residuals from chance, which are then given
            below the counts.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure with room for everything.

        Returns
        -------
        Axes
            The first rater on the vertical axis, which points down.

        Raises
        ------
        OptionError
            If there are groups, or `show` is not one of its choices.
        MissingDependencyError
            If Matplotlib is not installed.

        Notes
        -----
        A residual is Pearson's, ``(n - E) / sqrt(E)``, with the number E expected by chance, given
        the raters' shares: blue if there are more items, red if there are fewer. Values beyond 2
        are hardly due to chance; from 4 on the colour is the same. A cell is hatched if no item is
        expected. Cells that are too small for both numbers have the count alone, or none.
        """
        check_choice("show", show, SHOWN)
        counts = self._methods.confusion(
            rater_a, rater_b, categories=categories, missing=missing, sample_weight=sample_weight
        )
        check_one_group(counts.index.nlevels == 1, "confusion")
        values = None
        if show == "residuals":
            table = counts.to_numpy(dtype=np.float64)
            values = pd.DataFrame(residuals(table), counts.index, counts.columns)
        return draw_confusion(counts, values, ax=ax)

    def bland_altman(
        self, rater_a: Label, rater_b: Label, *, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draw the differences of two raters against their means, with the limits of agreement.

        How far apart are their scores, and is that the same along the whole scale?

        Parameters
        ----------
        rater_a, rater_b : column labels
            The two raters; the differences are second minus first.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure with room for everything.
        **options
            Other options of `pdkappa.bland_altman` but `by`: ``missing, sample_weight,
            confidence_level``.

        Returns
        -------
        Axes
            With the mean of the two scores on the horizontal axis.

        Raises
        ------
        OptionError
            If there are groups.
        MissingDependencyError
            If Matplotlib is not installed.

        Notes
        -----
        The area of a dot is the number of items with these scores. Bands are the confidence limits
        of the bias and of the limits of agreement.
        """
        figures = self._methods.bland_altman(rater_a, rater_b, **options)
        check_one_group(figures.index.nlevels == 1, "bland_altman")
        options.pop("confidence_level", None)
        points = self._methods._differences(rater_a, rater_b, **options)  # noqa: SLF001
        return draw_bland_altman(points, figures, ax=ax)

    def cutpoints(
        self, truth: Label, score: Label, *, ax: Any | None = None, **options: Any
    ) -> Any:
        """Draw the cuts on a score that maximise kappa with the true classes.

        How are the scores distributed in the true classes, where are the cuts, and how much do
        they matter? A chosen cut may lie below its curve unless the method is "exact": the others
        smooth.

        Parameters
        ----------
        truth, score : column labels
            The true class, and the score to be cut.
        ax : two matplotlib Axes, optional
            Where to draw the scores and the curves of kappa. Default: a new figure.
        **options
            Options of ``df.kappa.cutpoints`` but `by`: ``weights, categories, distance,
            method, sample_weight, n_folds, rng``.

        Returns
        -------
        ndarray of Axes, shape (2,)
            Both with the score on the horizontal axis.

        Raises
        ------
        OptionError
            If there are groups.
        MissingDependencyError
            If Matplotlib is not installed.

        See Also
        --------
        Cutpoints.plot : The same of a result.
        """
        found = self._methods.cutpoints(truth, score, **options)
        check_one_group(hasattr(found, "plot"), "cutpoints")
        return found.plot(ax)
