"""Pictures: the matrix, forests, tables of two raters, categories, raters, cut-points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy

from pdkappa._typing import Label, Number, Shown
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import OptionError, check_flag
from pdkappa.methods.agreement.pairs import OfPairwise
from pdkappa.methods.comparisons.compare import machines_among
from pdkappa.methods.drilldown.raters import who_lowers
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.methods.predictions.cutpoints import OfCutpointsOfAll
from pdkappa.present.labels import group_in_words, groups_of, name_of, titled
from pdkappa.present.plot_drawing import About
from pdkappa.present.plot_estimates import draw_attainable, draw_trials
from pdkappa.present.plot_heatmaps import draw_confusion, draw_heatmap, draw_heatmaps
from pdkappa.present.plot_ratings import draw_bland_altman, draw_categories, draw_raters
from pdkappa.present.text_markup import Pictures
from pdkappa.present.text_tables import line_of
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, IntArray


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
    .. [1] Bar-Joseph et al., 2001
    """
    n_raters = len(agreement)
    pairs = np.triu_indices(n_raters, 1)
    apart = 1 - agreement[pairs]
    known = np.isfinite(apart)
    if known.sum() <= 1:
        return np.arange(n_raters)
    apart = np.where(known, apart, apart[known].mean())
    square = np.zeros((n_raters, n_raters))
    square[pairs] = square[pairs[::-1]] = apart
    cluster = scipy.cluster.hierarchy
    tree = cluster.linkage(np.maximum(apart, 0), "average")
    order = _best_order(tree, square) if n_raters <= MOST_OPTIMAL else cluster.leaves_list(tree)
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


MOST_FACETS = 36  # groups of a heatmap that are one below the other


def check_one_group(holds: bool, name: str) -> None:  # noqa: FBT001
    """Refuse groups where a picture has no place for them."""
    if not holds:
        raise OptionError(
            f"plot.{name} shows one table, and by= makes one for each group. Draw one group: "
            f"df[df[...] == ...].kappa.plot.{name}(...)."
        )


def check_facets(ax: object, n_groups: int) -> None:
    """Refuse more groups than can be seen, and other than as many Axes."""
    if n_groups > MOST_FACETS:
        raise OptionError(
            f"plot.heatmap draws a square for each group, {MOST_FACETS} at most, and there are "
            f"{n_groups}. Choose some of them: df[df[...].isin([...])]."
        )
    n_axes = n_groups if ax is None else np.size(np.asarray(ax, dtype=object))
    if n_axes != n_groups:
        raise OptionError(
            f"ax must hold an Axes for each of the {n_groups} groups, and holds {n_axes}. Make "
            f"them with plt.subplots(1, {n_groups}, layout='constrained')."
        )


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


def heatmap_of(
    pairs: pd.DataFrame,
    told: Mapping[str, Any],
    *,
    stat: Number = "estimate",
    order: bool = True,
    line: str = "",
    ax: Any = None,
) -> Any:
    """Draw the pairs of raters as a heat map, or as one for each group; `told` are the options."""
    found = squares(pairs, stat, order=order)
    spoken = titled(COEFFICIENTS[told["coefficient"]].spoken)
    about = About(spoken, name_of(told["weights"]), line=line)
    if () in found:
        return draw_heatmap(*found[()], stat, about, ax)
    check_facets(ax, len(found))
    names = pairs.index.names
    titles = {group_in_words(names, group): of for group, of in found.items()}
    return draw_heatmaps(titles, stat, about, ax)


def worst_first(raters: pd.DataFrame) -> pd.DataFrame:
    """Sort raters by their effect within each group; those without one come last."""
    outer = list(range(raters.index.nlevels - 1))
    group = raters.groupby(level=outer, sort=False).ngroup() if outer else np.zeros(len(raters))
    return raters.iloc[np.lexsort((raters["effect"], group))]


class Drawn(Asked):
    """Where a picture is drawn."""

    raises = {"MissingDependencyError": "If Matplotlib is not installed."}  # noqa: RUF012

    ax: Axes | None = option(
        "Where to draw. Default: a new figure with room for everything.",
        "matplotlib Axes",
        default=None,
    )


class DrawnTwice(Asked):
    """Where a picture of several Axes is drawn."""

    raises = Drawn.raises
    ax: Any | None = anew(Drawn, "ax", default=None, kind="several matplotlib Axes")


class Sorted(Asked):
    """The order of the rows."""

    order: bool = option("Whether rows are sorted.", "bool", default=True, check=check_flag)


def passed(asked: Asked, *own: str) -> dict[str, Any]:
    """Return what a method is passed: what was given, without what only the picture has."""
    return {name: one for name, one in asked.given.items() if name not in (*own, "ax", "order")}


class OfForest(has.Pair, has.By, has.MeanOfGroups, Sorted, Drawn):
    """Options of `plot.forest`."""


class OfConfusion(has.Pair, has.Ratings, Drawn):
    """Options of `plot.confusion`."""

    show: Shown = option(
        "What the colours show: the counts, or the residuals from chance, which are then given "
        "below the counts.",
        choices=Shown,
        default="counts",
    )


class OfBlandAltman(has.Pair, has.Units, has.Level, Drawn):
    """Options of `plot.bland_altman`."""


class OfCutpoints(OfCutpointsOfAll, DrawnTwice):
    """Options of `plot.cutpoints`."""


class OfTrials(has.Trial, has.Rating, has.Truth, has.Categories, has.Level, Drawn):
    """Options of `plot.trials`."""


class PlotsOfTwo(Pictures):
    """Pictures of two columns of ratings, by the methods of whatever has them."""

    @asks(OfForest, order="By the estimate, the greatest first; otherwise groups keep their order.")
    def forest(self, asked: OfForest) -> Axes:
        """Draw the agreement of two raters in each group, and the pooled means below.

        Do the groups differ, and which ones?

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis, from 0 to 1 unless something lies outside.

        See Also
        --------
        GroupPlots.forest : What is drawn.

        Notes
        -----
        `by` is needed, unless the frame is grouped.
        """
        found = self._of.grouped(**passed(asked))
        return found.plot.forest(asked.ax, order=asked.order)

    @asks(OfConfusion, rater_a="It is in the rows.", rater_b="It is in the columns.")
    def confusion(self, asked: OfConfusion) -> Axes:
        """Draw how often two raters gave which categories.

        Which categories are confused?

        Returns
        -------
        Axes
            The first rater on the vertical axis, which points down.

        Raises
        ------
        OptionError
            If there are groups.

        Notes
        -----
        A residual is Pearson's, ``(n - E) / sqrt(E)``, with the number E expected by chance, given
        the raters' shares: blue if there are more items, red if there are fewer. Values beyond 2
        are hardly due to chance; from 4 on the colour is the same. A cell is hatched if no item is
        expected. Cells that are too small for both numbers have the count alone, or none.
        """
        counts = self._of.confusion(**passed(asked, "show"))
        check_one_group(counts.index.nlevels == 1, "confusion")
        values = None
        if asked.show == "residuals":
            table = counts.to_numpy(dtype=np.float64)
            values = pd.DataFrame(residuals(table), counts.index, counts.columns)
        return draw_confusion(counts, values, line=line_of(counts), ax=asked.ax)

    @asks(OfBlandAltman)
    def bland_altman(self, asked: OfBlandAltman) -> Axes:
        """Draw the differences of two raters against their means, with the limits of agreement.

        How far apart are their scores, and is that the same along the whole scale?

        Returns
        -------
        Axes
            With the mean of the two scores on the horizontal axis.

        Raises
        ------
        OptionError
            If there are groups.

        Notes
        -----
        The area of a dot is the number of items with these scores. Bands are the confidence limits
        of the bias and of the limits of agreement.
        """
        scores, options = self._of.scores, passed(asked)
        figures = scores.bland_altman(**options)
        check_one_group(figures.index.nlevels == 1, "bland_altman")
        of_points = {name: one for name, one in options.items() if name in OF_POINTS}
        points = scores._differences(**of_points)  # noqa: SLF001
        return draw_bland_altman(points, figures, line=line_of(figures), ax=asked.ax)

    @asks(OfCutpoints)
    def cutpoints(self, asked: OfCutpoints) -> Any:
        """Draw the cuts on a score that maximise kappa with the true classes.

        How are the scores distributed in the true classes, where are the cuts, and how much do
        they matter? A chosen cut may lie below its curve unless the method is "exact": the others
        smooth.

        Returns
        -------
        ndarray of Axes, shape (2,)
            Both with the score on the horizontal axis.

        Raises
        ------
        OptionError
            If there are groups.

        See Also
        --------
        Cutpoints.plot : The same of a result.
        """
        found = self._of.predictions.cutpoints(**(passed(asked) | {"weights": asked.weights}))
        check_one_group(not hasattr(found, "parts"), "cutpoints")
        return found.plot(asked.ax)


OF_POINTS = ("rater_a", "rater_b", "missing", "sample_weight")  # of `bland_altman`


class OfHeatmap(has.OfStudy, has.Limits, has.MinItems, has.Sep, Sorted, DrawnTwice):
    """Options of `plot.heatmap`."""

    stat: Number = anew(OfPairwise, "stat", choices=Number, default="estimate")


class OfCategories(has.Raters, has.By, has.Additive, has.Ratings, has.Level, Drawn):
    """Options of `plot.categories`."""


class OfRaters(has.Raters, has.By, has.Weighted, has.Level, Sorted, Drawn):
    """Options of `plot.raters`."""

    machine: Label | list[Label] | None = anew(
        has.HumansAndMachines, "machine", default=None, check=None, also="They are orange."
    )


class OfAttainable(has.Raters, has.By, has.Coefficient, has.Weights, has.Ratings, Sorted, Drawn):
    """Options of `plot.attainable`."""


class KappaPlots(PlotsOfTwo):
    """Pictures of the agreement of raters, as ``plot``.

    All take `ax` and return the Axes; without it they open a figure that is as large as its
    labels need. In small axes long labels are shortened, and figures at the right left out. Below
    each stands what it shows. Humans are blue, machines orange, means black.

    See Also
    --------
    df.kappa.pairs : The figures of most of them.
    """

    @asks(
        OfHeatmap,
        order="Raters who agree are then side by side, by average-linkage clustering on one minus "
        "the estimate (its mean over groups).",
        ax="With groups, as many as these.",
    )
    def heatmap(self, asked: OfHeatmap) -> Any:
        """Draw the agreement of all pairs of raters as a heat map.

        Who agrees with whom, and who with nobody? And with `by`, in which group?

        Returns
        -------
        Axes, or ndarray of Axes, shape (G,)
            The figure of a pair is below the diagonal, the number of their joint items above it,
            and the vertical axis points down. With groups, one for each, all with the same raters
            and colours.

        Raises
        ------
        OptionError
            If `stat` is not a number of `pairs`, there are more than 36 groups, or the
            number of Axes differs from that of the groups.

        Notes
        -----
        White is no agreement beyond chance, blue is more and red is less, with the same colours in
        every plot. Undefined cells are hatched. Where cells are too small for text (beyond some 40
        raters), there is none.
        """
        pairs = self._of.pairs(**passed(asked, "stat"))
        how: dict[str, Any] = {"stat": asked.stat, "order": asked.order, "ax": asked.ax}
        return heatmap_of(pairs, pairs.options, line=line_of(pairs), **how)

    @asks(OfCategories)
    def categories(self, asked: OfCategories) -> Axes:
        """Draw how well the raters agree on each category, or on each cut of the scale.

        Where on the scale do they disagree?

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis, from 0 to 1 unless something lies outside;
            the vertical one points down. The line is the coefficient of the whole scale, the
            weighted mean of the kappas.

        Raises
        ------
        CategoryError
            If cuts are requested, and the order of the categories is not known.

        Notes
        -----
        Dots are kappas, and lines their limits, which are also given at the right. The larger a
        dot, the larger its weight in the coefficient of the whole scale. Diamonds are the specific
        agreement, which is not corrected for chance: it is high for a frequent category by chance
        alone.
        """
        frame = self._of.categories(**passed(asked))
        spoken = titled(MULTIRATER[asked.coefficient].spoken)
        weights = "linear" if asked.kind == "cut" else None
        return draw_categories(frame, About(spoken, weights, asked.level, line_of(frame)), asked.ax)

    @asks(OfRaters, order="Those who lower agreement most are then first (in each group).")
    def raters(self, asked: OfRaters) -> Axes:
        """Draw how each rater affects agreement, with its interval.

        Who differs from the others?

        Returns
        -------
        Axes
            With the effect on Light's kappa on the horizontal axis; the vertical one points
            down.

        Notes
        -----
        The effect is Light's kappa of all raters minus that of the others: below zero for a
        rater who lowers agreement. Each interval is for its rater alone: with ten equally good
        raters, one of them is below zero as a whole in one of eight plots. A diamond is a rater
        whom `report` names, because this is shown after adjustment for their number; no machine
        is. One bad rater makes all others look good: clarify that case first, then draw the others
        without that rater. At the right are the mean kappa with the others, the effect and its
        p-value, where rows are high enough for text (in a new figure: up to 100).
        """
        frame = self._of.raters(**passed(asked, "machine"))
        raters = frame.index.get_level_values(-1)
        machines = machines_among(asked.machine, raters.unique().tolist())
        lowers = who_lowers(frame[~raters.isin(machines)], asked.level)
        about = About("", name_of(frame.options["weights"]), asked.level, line_of(frame))
        rows, named = worst_first(frame) if asked.order else frame, lowers.labels if lowers else ()
        return draw_raters(rows, about, named=named, machines=machines, ax=asked.ax)

    @asks(OfAttainable, order="By the estimate, the greatest first.")
    def attainable(self, asked: OfAttainable) -> Axes:
        """Draw the agreement of each pair of raters and its attainable range.

        A bar extends from the smallest to the largest agreement that the raters' category shares
        allow, and the dot on it is their agreement. With more than 100 pairs, each rater has one
        row with a bar for each other rater, sorted by the agreement, and the means at the right.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis, from 0 to 1 unless an estimate or a
            maximum lies outside; the least agreement may lie further left.
        """
        frame = self._of.attainable(**passed(asked))
        rows = frame.sort_values("estimate", ascending=False) if asked.order else frame
        spoken = titled(COEFFICIENTS[asked.coefficient].spoken)
        about = About(spoken, name_of(frame.options["weights"]), line=line_of(frame))
        return draw_attainable(rows, about, asked.ax)

    @asks(OfTrials)
    def trials(self, asked: OfTrials) -> Axes:
        """Draw how often the trials of each rater match each other, and the standard.

        Returns
        -------
        Axes
            With a dot and its limits for each rater: at the left their trials with each other, at
            the right with the standard.

        Raises
        ------
        OptionError
            If there is one trial and no standard.
        """
        found = self._of.trials(**passed(asked))
        frame = found.xs("matched", level="figure")
        if not frame.index.get_level_values("comparison").isin(["within", "vs_truth"]).any():
            raise OptionError(
                "One trial and no standard leave nothing to draw. Name the standard: truth=..."
            )
        return draw_trials(frame, level=asked.level, line=line_of(found), ax=asked.ax)
