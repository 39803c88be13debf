"""Pictures: the matrix, forests, tables of two raters, categories, raters, cut-points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import OptionError, check_choice, check_flag, shown
from pdkappa.methods.estimates.weightings import SYNONYMS
from pdkappa.present import schema
from pdkappa.present.labels import group_in_words, groups_of, name_of, titled
from pdkappa.present.plot_estimates import draw_attainable
from pdkappa.present.plot_heatmaps import draw_confusion, draw_heatmap, draw_heatmaps
from pdkappa.present.plot_ratings import draw_bland_altman, draw_categories, draw_raters
from pdkappa.present.text_markup import menu_of_methods, public_methods
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdkappa._typing import (
        Categories,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Missing,
        Raters,
    )


def residuals(table: FloatArray) -> FloatArray:
    r"""Compare the cells of a table with those of chance: Pearson's residuals, shape (K, K).

    .. math:: r_{ij} = (n_{ij} - E_{ij}) / \sqrt{E_{ij}}, \quad E_{ij} = n_{i.} n_{.j} / n.

    NaN where chance expects no item.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        return np.where(expected > 0, (table - expected) / np.sqrt(expected), np.nan)


MOST_OPTIMAL = 500  # raters whose leaves are put in the best order, which takes O(R**3) steps


def order_by_likeness(agreement: FloatArray) -> IntArray:
    """Put raters side by side who agree.

    Raters are clustered by their disagreement, one less agreement, with average linkage. Of
    the orders that the clusters allow, it is the one with the least disagreement between
    neighbours [1]_ (of up to 500 raters). Of its two directions it is that in which the
    first rater agrees more with all others than the last one. Where agreement is undefined,
    the mean of all pairs takes its place.

    Parameters
    ----------
    agreement : ndarray of float, shape (R, R)
        Symmetric, at most 1; NaN where undefined. The diagonal is not read.

    Returns
    -------
    ndarray of int, shape (R,)
        The raters in their new order; that given where no pair or one is defined.

    References
    ----------
    .. [1] Bar-Joseph, Z., Gifford, D. K., & Jaakkola, T. S. (2001). Fast optimal leaf ordering
           for hierarchical clustering. Bioinformatics, 17(suppl. 1), S22-S29.
           https://doi.org/10.1093/bioinformatics/17.suppl_1.S22
    """
    n_raters = len(agreement)
    pairs = np.triu_indices(n_raters, 1)
    apart = 1 - agreement[pairs]
    known = np.isfinite(apart)
    if known.sum() <= 1:
        return np.arange(n_raters)
    from scipy.cluster.hierarchy import leaves_list, linkage

    apart = np.where(known, apart, apart[known].mean())
    square = np.zeros((n_raters, n_raters))
    square[pairs] = square[pairs[::-1]] = apart
    tree = linkage(np.maximum(apart, 0), "average")
    order = _best_order(tree, square) if n_raters <= MOST_OPTIMAL else leaves_list(tree)
    total = square.sum(axis=0)
    return order[::-1] if total[order[0]] > total[order[-1]] else order


def _best_order(tree: FloatArray, apart: FloatArray) -> IntArray:
    """Find the order that a tree allows with the least sum of distances between neighbours.

    From the leaves upwards, the least sum for each cluster and each pair of its outermost
    leaves; two such leaves u and w belong to one cluster only, that in which they meet. What
    `optimal_leaf_ordering` of SciPy returns is often longer.
    """
    n = len(apart)
    least, meeting = np.zeros((n, n)), np.where(np.eye(n, dtype=bool), np.arange(n), -1)
    ends = np.zeros((2, n, n), dtype=np.intp)  # where the halves from u to w touch
    leaves = [np.array([leaf]) for leaf in range(n)]
    for number, (a, b) in enumerate(tree[:, :2].astype(int)):
        left, right = leaves[a], leaves[b]
        inner = [
            np.where(meeting[np.ix_(one, one)] == child, least[np.ix_(one, one)], np.inf)
            for one, child in ((left, a), (right, b))
        ]
        place, mirrored = np.ix_(left, right), np.ix_(right, left)
        crossed, last = _shortest(inner[0], apart[place])
        sums, first = _shortest(crossed, inner[1])
        last = np.take_along_axis(last, first, axis=1)
        least[place], least[mirrored] = sums, sums.T
        meeting[place] = meeting[mirrored] = n + number
        for there, back, found in ((0, 1, left[last]), (1, 0, right[first])):
            ends[there][place], ends[back][mirrored] = found, found.T
        leaves.append(np.concatenate([left, right]))
    u, w = np.unravel_index(np.where(meeting == 2 * n - 2, least, np.inf).argmin(), (n, n))
    return _walk(int(u), int(w), ends)


def _shortest(first: FloatArray, second: FloatArray) -> tuple[FloatArray, IntArray]:
    """Add distances (A, M) and (M, B) over the best of M places; tell which, both (A, B)."""
    place = np.stack([(row[:, None] + second).argmin(axis=0) for row in first])
    columns = np.arange(second.shape[1])
    return np.take_along_axis(first, place, axis=1) + second[place, columns], place


def _walk(u: int, w: int, ends: IntArray) -> IntArray:
    """List the leaves from one end to the other."""
    order, left = [], [(u, w)]
    while left:
        u, w = left.pop()
        if u == w:
            order.append(u)
        else:
            left += [(int(ends[1, u, w]), w), (u, int(ends[0, u, w]))]
    return np.array(order)


SHOWN = ("counts", "residuals")
MOST_FACETS = 36  # groups of a heatmap that are one below the other
NUMBERS = tuple(name for name in schema.PAIRS if schema.COLUMNS[name].kind not in ("label", "text"))


def check_one_group(holds: bool, name: str) -> None:  # noqa: FBT001
    """Refuse groups where a picture has no place for them."""
    if not holds:
        message = (
            f"plot.{name} shows one table, and by= makes one for each group. Draw one group: "
            f"df[df[...] == ...].kappa.plot.{name}(...)."
        )
        raise OptionError(message)


def check_facets(ax: object, n_groups: int) -> None:
    """Refuse more groups than can be seen, and other than as many Axes."""
    if n_groups > MOST_FACETS:
        message = (
            f"plot.heatmap draws a square for each group, {MOST_FACETS} at most, and there are "
            f"{n_groups}. Choose some of them: df[df[...].isin([...])]."
        )
        raise OptionError(message)
    n_axes = n_groups if ax is None else np.size(np.asarray(ax, dtype=object))
    if n_axes != n_groups:
        message = (
            f"ax must hold an Axes for each of the {n_groups} groups, and holds {n_axes}. Make "
            f"them with plt.subplots(1, {n_groups}, layout='constrained')."
        )
        raise OptionError(message)


def squares(
    pairs: pd.DataFrame, stat: str, *, order: bool
) -> dict[tuple[Any, ...], tuple[pd.DataFrame, pd.DataFrame]]:
    """Arrange a column of `pairs` and the number of items as squares, for each group.

    With `order` those raters are side by side who agree, over all groups.
    """
    groups = groups_of(pairs)
    parts = {
        group: pairs[np.array([one == group for one in groups], dtype=bool)]
        for group in dict.fromkeys(groups or [()])
    }
    places = None
    if order:
        estimates = np.array([square(part, "estimate").to_numpy() for part in parts.values()])
        n_known = np.isfinite(estimates).sum(axis=0)
        mean = np.where(n_known, np.nansum(estimates, axis=0) / np.maximum(n_known, 1), np.nan)
        places = order_by_likeness(mean)
    found = {}
    for group, part in parts.items():
        values, n_items = (square(part, name) for name in (stat, "n_items"))
        if places is not None:
            values, n_items = (frame.iloc[places, places] for frame in (values, n_items))
        found[group] = values, n_items
    return found


def square(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Arrange a column of `pairs` as a square of raters with NaN on its diagonal."""
    labels = list(dict.fromkeys([*pairs["rater_a"], *pairs["rater_b"]]))
    place = {label: number for number, label in enumerate(labels)}
    square = np.full((len(labels), len(labels)), np.nan)
    a, b = ([place[label] for label in pairs[column]] for column in ("rater_a", "rater_b"))
    square[a, b] = square[b, a] = pairs[name].to_numpy(dtype=np.float64)
    index = index_of(labels)
    return pd.DataFrame(square, index, index)


def worst_first(raters: pd.DataFrame) -> pd.DataFrame:
    """Sort raters by their effect within each group; those without one come last."""
    outer = list(range(raters.index.nlevels - 1))
    group = raters.groupby(level=outer, sort=False).ngroup() if outer else np.zeros(len(raters))
    return raters.iloc[np.lexsort((raters["effect"], group))]


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
            Options of `grouped`: `by`, which is needed unless the frame is grouped,
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
            The categories in order, or their scores ``{category: score}``. See `confusion`.
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
            Other options of `bland_altman` but `by`.

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
        figures = self._methods.scores.bland_altman(rater_a, rater_b, **options)
        check_one_group(figures.index.nlevels == 1, "bland_altman")
        of_points = {name: one for name, one in options.items() if name in OF_POINTS}
        points = self._methods.scores._differences(rater_a, rater_b, **of_points)  # noqa: SLF001
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
            Options of ``df.kappa.predictions.cutpoints`` but `by`: ``weights, categories,
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
        found = self._methods.predictions.cutpoints(truth, score, **options)
        check_one_group(hasattr(found, "plot"), "cutpoints")
        return found.plot(ax)


OF_POINTS = ("missing", "sample_weight")  # of `bland_altman`
SPLITS = (None, "linear")  # weights with which a coefficient is a mean over categories or cuts


@dataclass(frozen=True, repr=False)
class KappaPlots(PlotsOfTwo):
    """Pictures of the agreement of raters, as ``plot``.

    All take `ax` and return the Axes; without it they open a figure that is as large as its
    labels need. In small axes long labels are shortened, and figures at the right left out.

    See Also
    --------
    df.kappa.pairs : The figures of most of them.
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
            Two or more. Default: all columns that can be ratings. See `pairs`.
        stat : str, default "estimate"
            Which number of `pairs` to show.
        order : bool, default True
            Whether to place raters who agree side by side, by average-linkage clustering on one
            minus the estimate (its mean over groups); otherwise they keep their order.
        ax : matplotlib Axes, optional
            Where to draw; with groups, as many as these. Default: a new figure with room for
            everything.
        **options
            Other options of `pairs`: ``by, coefficient, weights, categories,
            missing, sample_weight, cluster, ci, confidence_level, n_resamples,
            rng, progress``.

        Returns
        -------
        Axes, or ndarray of Axes, shape (G,)
            The pair (i, j) is around (j, i), and the vertical axis points down. With groups, one
            for each, all with the same raters and colours.

        Raises
        ------
        OptionError
            If `stat` is not a number of `pairs`, there are more than 36 groups, or the
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
            in `categories`; with linear weights into the cuts between ordered categories,
            as in `cuts`. The label of the axis says which.
        cuts : bool, default False
            Whether to show the cuts, which is the same as ``weights="linear"``.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all categories.
        **options
            Other options of `categories` or `cuts`: ``by, coefficient,
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
            Two or more. Default: all columns that can be ratings. See `raters`.
        order : bool, default True
            Whether to put those first who lower agreement most (in each group); otherwise the
            raters keep their order.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all raters.
        **options
            Other options of `raters`: ``by, weights, categories, missing,
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
            Two or more. Default: all columns that can be ratings. See `attainable`.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all pairs.
        **options
            Other options of `attainable` but `together`: ``by, coefficient, weights,
            categories, missing, sample_weight``.

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
