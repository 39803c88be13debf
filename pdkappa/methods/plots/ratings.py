"""Pictures of ratings, as ``df.kappa.plot``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import OptionError, check_choice, check_flag, shown
from pdkappa.methods.estimates.weightings import SYNONYMS
from pdkappa.methods.plots.arrange import (
    NUMBERS,
    check_facets,
    squares,
    worst_first,
)
from pdkappa.methods.plots.two_raters import PlotsOfTwo
from pdkappa.present.labels import group_in_words, name_of, titled
from pdkappa.present.plot_estimates import draw_attainable
from pdkappa.present.plot_heatmaps import draw_heatmap, draw_heatmaps
from pdkappa.present.plot_ratings import draw_categories, draw_raters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdkappa._typing import Raters

SPLITS = (None, "linear")  # weights with which a coefficient is a mean over categories or cuts


@dataclass(frozen=True, repr=False)
class KappaPlots(PlotsOfTwo):
    """Pictures of the agreement of raters, as ``df.kappa.plot``.

    All take `ax` and return the Axes; without it they open a figure that is as large as its
    labels need. In small axes long labels are shortened, and figures at the right left out.

    See Also
    --------
    pdkappa.pairs : The figures of most of them.
    """

    def heatmap(
        self,
        raters: Raters | None = None,
        *,
        stat: str = "estimate",
        order: bool = True,
        ax: Any | None = None,
        **options: Any,
    ) -> Any:
        """Draw the agreement of all pairs of raters as a heat map.

        Who agrees with whom, and who with nobody? And with `by`, in which group?

        Parameters
        ----------
        raters : list of column labels, optional
            Two or more. Default: all columns that can be ratings. See `pdkappa.pairs`.
        stat : str, default "estimate"
            Which number of `pdkappa.pairs` to show.
        order : bool, default True
            Whether to place raters who agree side by side, by average-linkage clustering on one
            minus the estimate (its mean over groups); otherwise they keep their order.
        ax : matplotlib Axes, optional
            Where to draw; with groups, as many as these. Default: a new figure with room for
            everything.
        **options
            Other options of `pdkappa.pairs`: ``by, coefficient, weights, categories,
            distance, missing, sample_weight, cluster, ci, confidence_level, n_resamples,
            rng, progress``.

        Returns
        -------
        Axes, or ndarray of Axes, shape (G,)
            The pair (i, j) is around (j, i), and the vertical axis points down. With groups, one
            for each, all with the same raters and colours.

        Raises
        ------
        OptionError
            If `stat` is not a number of `pdkappa.pairs`, there are more than 36 groups, or the
            number of Axes differs from that of the groups.
        MissingDependencyError
            If Matplotlib is not installed.

        Notes
        -----
        White is no agreement beyond chance, blue is more and red is less, with the same colours in
        every plot. Undefined cells are hatched. Each cell has the value and the number of joint
        items; where cells are too small for both, the value alone, and where they are too small
        for that (beyond some 40 raters), nothing.
        """
        check_choice("stat", stat, NUMBERS, {"kappa": "'estimate'", "n": "'n_items'"})
        pairs = self._methods.pairs(raters=raters, **options)
        found = squares(pairs, stat, order=order)
        how: dict[str, Any] = {
            "stat": stat,
            "coefficient": titled(COEFFICIENTS[options.get("coefficient", "cohen")].spoken),
            "weights": name_of(options.get("weights")),
            "ax": ax,
        }
        if () in found:
            return draw_heatmap(*found[()], **how)
        check_facets(ax, len(found))
        names = pairs.index.names
        titles = {group_in_words(names, group): of for group, of in found.items()}
        return draw_heatmaps(titles, **how)

    def categories(
        self,
        raters: Raters | None = None,
        *,
        weights: Literal["linear"] | None = None,
        cuts: bool = False,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Draw how well the raters agree on each category, or on each cut of the scale.

        Where on the scale do they disagree?

        Parameters
        ----------
        raters : list of column labels, optional
            Two or more. Default: all columns that can be ratings.
        weights : {None, "linear"}
            The coefficient that is split: without weights into each category against the rest, as
            in `pdkappa.categories`; with linear weights into the cuts between ordered categories,
            as in `pdkappa.cuts`. The label of the axis says which.
        cuts : bool, default False
            Whether to show the cuts, which is the same as ``weights="linear"``.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all categories.
        **options
            Other options of `pdkappa.categories` or `pdkappa.cuts`: ``by, coefficient,
            categories, missing, sample_weight, confidence_level``, and ``distance`` of cuts.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis; the vertical one points down.

        Raises
        ------
        OptionError
            If other weights are asked for: with quadratic ones a coefficient is no mean of the
            kappas of categories, or cuts.
        CategoryError
            If cuts are requested, and the order of the categories is not known.
        MissingDependencyError
            If Matplotlib is not installed.

        Notes
        -----
        Dots are kappas, and lines their limits, which are also given at the right. The larger a
        dot, the larger its weight in the coefficient of the whole scale, which is the weighted
        mean of the kappas. Diamonds are the specific agreement, which is not corrected for chance:
        it is high for a frequent category by chance alone.
        """
        check_flag("cuts", cuts)
        _check_split(weights)
        weights = "linear" if cuts else weights
        function = self._methods.categories if weights is None else self._methods.cuts
        return draw_categories(
            function(raters=raters, **options),
            coefficient=titled(MULTIRATER[options.get("coefficient", "light")].spoken),
            level=options.get("confidence_level", 0.95),
            weights=weights,
            ax=ax,
        )

    def raters(
        self,
        raters: Raters | None = None,
        *,
        order: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Draw how each rater affects agreement, with its interval.

        Who differs from the others?

        Parameters
        ----------
        raters : list of column labels, optional
            Two or more. Default: all columns that can be ratings. See `pdkappa.raters`.
        order : bool, default True
            Whether to put those first who lower agreement most (in each group); otherwise the
            raters keep their order.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all raters.
        **options
            Other options of `pdkappa.raters`: ``by, weights, categories, distance, missing,
            sample_weight, cluster, confidence_level``.

        Returns
        -------
        Axes
            With the effect on Light's kappa on the horizontal axis; the vertical one points
            down.

        Raises
        ------
        KappaError
            If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.
        MissingDependencyError
            If Matplotlib is not installed.

        Notes
        -----
        The effect is Light's kappa of all raters minus that of the others: below zero for a
        rater who lowers agreement, and a red diamond if the whole interval is below zero. One bad
        rater makes all others look good: clarify that case first, then draw the others without
        that rater. Each interval is for its rater alone: with ten equally good raters, one of them
        is a red diamond in one of eight plots; raise `confidence_level` if there are many. At the
        right are the mean kappa with the others, the effect and its p-value, where rows are high
        enough for text (in a new figure: up to 100).
        """
        frame = self._methods.raters(raters=raters, **options)
        return draw_raters(
            worst_first(frame) if order else frame,
            level=options.get("confidence_level", 0.95),
            weights=name_of(options.get("weights")),
            ax=ax,
        )

    def attainable(
        self, raters: Raters | None = None, *, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draw the agreement of each pair of raters and its attainable range.

        A bar extends from the smallest to the largest agreement that the raters' category shares
        allow, and the dot on it is their agreement. With more than 100 pairs, each rater has one
        row with a bar for each other rater, sorted by the agreement, and the means at the right.

        Parameters
        ----------
        raters : list of column labels, optional
            Two or more. Default: all columns that can be ratings. See `pdkappa.attainable`.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all pairs.
        **options
            Other options of `pdkappa.attainable` but `together`: ``by, coefficient, weights,
            categories, distance, missing, sample_weight``.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis, which holds the dots and the maxima;
            the least agreement may lie further left.

        Raises
        ------
        OptionError
            If `together` is True: the smallest agreement of all raters is not known.
        MissingDependencyError
            If Matplotlib is not installed.
        """
        if options.get("together"):
            message = (
                "together=True has no picture: the least agreement of all raters is not known. "
                "Leave it out to draw the pairs."
            )
            raise OptionError(message)
        return draw_attainable(
            self._methods.attainable(raters=raters, **options),
            coefficient=titled(COEFFICIENTS[options.get("coefficient", "cohen")].spoken),
            weights=name_of(options.get("weights")),
            ax=ax,
        )


def _check_split(weights: object) -> None:
    """Refuse weights with which a coefficient is no mean over categories or cuts."""
    known = isinstance(weights, str) and weights in WEIGHTS and weights != "linear"
    if known or not isinstance(weights, str | None):
        message = (
            f"weights={shown(weights)} has no picture: only the coefficients without weights and "
            "with linear ones are means over categories, or cuts. Pass weights='linear' to draw "
            "the cuts, whose kappas are the same with all weights."
        )
        raise OptionError(message)
    check_choice("weights", weights, SPLITS, SYNONYMS)
