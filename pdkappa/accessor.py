"""`df.kappa` and `df.groupby(...).kappa`: the public functions with the frame bound."""

from __future__ import annotations

import copy
import functools
import inspect
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import OptionError, listing
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.attainable import attainable
from pdkappa.methods.agreement.concordance import concordance
from pdkappa.methods.agreement.confusion import confusion
from pdkappa.methods.agreement.crosscheck import crosscheck
from pdkappa.methods.agreement.influence import covariance, influence
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.agreement.series import with_
from pdkappa.methods.comparisons.ceiling import ceiling
from pdkappa.methods.comparisons.compare import compare, homogeneity
from pdkappa.methods.comparisons.compare_groups import compare_groups
from pdkappa.methods.comparisons.leaderboards import shake, swaps
from pdkappa.methods.drilldown.categories import categories, cuts
from pdkappa.methods.drilldown.cells import cells, split
from pdkappa.methods.drilldown.items import items
from pdkappa.methods.drilldown.raters import raters, usage
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.plots.ratings import KappaPlots
from pdkappa.methods.predictions.cutpoints import cutpoints_by
from pdkappa.methods.predictions.evaluation import evaluation
from pdkappa.methods.predictions.scorecard import scorecard
from pdkappa.methods.predictions.shift import shift
from pdkappa.methods.report.report import report, to_excel
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.long import Listed, read_long
from pdkappa.ratings.tables import read_counts, read_table

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from pandas.api.typing import DataFrameGroupBy

    from pdkappa._typing import Categories, Label


def _bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a public function into a method that passes the data of its object."""

    @functools.wraps(function)
    def method(self: KappaMethods | KappaSeriesAccessor, *args: Any, **kwargs: Any) -> Any:
        return self._call(function, *args, **kwargs)

    signature = inspect.signature(function)
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [this, *list(signature.parameters.values())[1:]]
    method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return method


class KappaMethods:
    """The public functions as methods of whatever holds ratings."""

    _data: Any

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a public function for the data."""
        return function(self._data, *args, **kwargs)

    pairwise = _bound(pairwise)
    pairs = _bound(pairs)
    confusion = _bound(confusion)
    grouped = _bound(grouped)
    agreement = _bound(agreement)
    influence = _bound(influence)
    covariance = _bound(covariance)
    raters = _bound(raters)
    usage = _bound(usage)
    items = _bound(items)
    categories = _bound(categories)
    cuts = _bound(cuts)
    cells = _bound(cells)
    split = _bound(split)
    compare = _bound(compare)
    compare_groups = _bound(compare_groups)
    homogeneity = _bound(homogeneity)
    ceiling = _bound(ceiling)
    shake = _bound(shake)
    swaps = _bound(swaps)
    scorecard = _bound(scorecard)
    shift = _bound(shift)
    attainable = _bound(attainable)
    concordance = _bound(concordance)
    evaluation = _bound(evaluation)
    crosscheck = _bound(crosscheck)
    report = _bound(report)
    to_excel = _bound(to_excel)

    @property
    def plot(self) -> KappaPlots:
        """Pictures of agreement."""
        return KappaPlots(self)


@pd.api.extensions.register_dataframe_accessor("kappa")
class KappaAccessor(KappaMethods):
    """Inter-rater agreement of the columns of a frame, as ``df.kappa``.

    Every method is the function of the same name in `pdkappa`, with the frame as its data.
    """

    def __init__(self, data: pd.DataFrame) -> None:
        """Keep the frame; everything is checked by the methods."""
        self._data = data

    cutpoints = _bound(cutpoints_by)  # of columns, while the function has sequences


@pd.api.extensions.register_series_accessor("kappa")
class KappaSeriesAccessor:
    """Agreement of two Series of ratings, as ``s1.kappa.with_(s2)``.

    It stands before a label of the index: the value at ``"kappa"`` is ``s["kappa"]``.
    """

    def __init__(self, data: pd.Series) -> None:
        """Keep the Series; everything is checked by the method."""
        self._data = data

    with_ = _bound(with_)

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function for the Series."""
        return function(self._data, *args, **kwargs)


class KappaGroupBy(KappaMethods):
    """Inter-rater agreement group by group, as ``df.groupby(...).kappa``.

    Every method is the function of the same name in `pdkappa`, with the frame as its data
    and the columns of the groups as `by`. Raters are the columns selected, if any are, as
    in ``df.groupby("site")[["ann", "bob"]].kappa``.

    Groups are those that occur, so ``observed`` makes no difference: a category that nobody
    has is no group. Nor does ``as_index``: the result is that of the function with `by`.
    Groups are sorted, an ordered or unordered Categorical by its categories.
    """

    def __init__(self, grouped: DataFrameGroupBy[Any, Any]) -> None:
        """Find the columns that the groups are made of."""
        indexed: Any = copy.copy(grouped)
        indexed.as_index = True
        sizes = indexed.size()
        names = list(sizes.index.names)
        frame: Any = grouped.obj
        by: Any = names[0] if len(names) == 1 else names
        _check_groups(grouped, sizes[sizes > 0].index, frame, by)
        self._data = frame
        self._by = by
        self._raters = [name for name in grouped.head(0).columns if name not in names]

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function for the groups, and for the columns selected as its raters."""
        if "by" in kwargs:
            message = "by= is what the frame is grouped by already. Leave it out."
            raise OptionError(message)
        signature = inspect.signature(function)
        given = signature.bind_partial(self._data, *args, by=self._by, **kwargs)
        if "raters" in signature.parameters and given.arguments.get("raters") is None:
            given.arguments["raters"] = self._raters
        return function(*given.args, **given.kwargs)

    cutpoints = _bound(cutpoints_by)


def _check_groups(
    grouped: DataFrameGroupBy[Any, Any], used: pd.Index, frame: pd.DataFrame, by: Any
) -> None:
    """Make sure that the groups in use are those that the functions make of the columns."""
    names = list(used.names)
    known = set(names) <= set(frame.columns)
    if known and not grouped.dropna and frame[names].isna().to_numpy().any():
        message = (
            "df.groupby(..., dropna=False).kappa would need a group of the items without one, and "
            f"column(s) {listing(name for name in names if frame[name].isna().any())} have such. "
            "Name that group with df.fillna(...), or leave out dropna=False."
        )
        raise OptionError(message)

    def is_made_of(*, sort: bool) -> bool:
        again = frame.groupby(by, sort=sort, observed=True, dropna=True)
        return used.equals(again.size().index) and grouped.ngroup().equals(again.ngroup())

    if known and is_made_of(sort=True):
        return
    if known and not grouped.sort and is_made_of(sort=False):
        message = (
            "df.groupby(..., sort=False).kappa would have its groups in the order of the rows, but "
            "groups are sorted. Leave out sort=False, or give the order with pd.Categorical(..., "
            "categories=[...])."
        )
        raise OptionError(message)
    message = (
        "df.groupby(...).kappa needs groups that are the values of columns, with missing "
        "ones left out. Assign the groups to a column first, and pass by=."
    )
    raise OptionError(message)


class _OfGroups:
    """Reach `KappaGroupBy` as an attribute; a column of the same name comes first."""

    def __get__(self, grouped: DataFrameGroupBy[Any, Any] | None, owner: type) -> Any:
        if grouped is None:
            return KappaGroupBy
        return grouped["kappa"] if "kappa" in grouped.obj.columns else KappaGroupBy(grouped)


pd.api.typing.DataFrameGroupBy.kappa = _OfGroups()  # type: ignore[attr-defined]


class Ratings(KappaMethods):
    """Ratings that are not a wide frame, with the same methods as ``df.kappa``.

    See Also
    --------
    pdkappa.from_long : Make one from a frame with one rating in each row.
    pdkappa.from_table : Make one from a contingency table.
    pdkappa.from_counts : Make one from counts of ratings.
    pdkappa.scan : Make one from files that need not fit in memory.
    pdkappa.from_frame : Make one from a frame of another package.
    """

    @property
    def _data(self) -> Any:
        """The ratings themselves."""
        return self


class CountedRatings(Counted, Ratings):
    """Ratings of which each distinct row has its count."""

    def __repr__(self) -> str:
        """Say how many ratings of whom there are."""
        if self.anonymous:
            return f"Ratings of {self.counts.sum():g} items by up to {self.frame.shape[1]} raters"
        names = " and ".join(map(repr, self.frame.columns))
        return f"Ratings of {self.counts.sum():g} items by {names}"


class ListedRatings(Listed, Ratings):
    """Ratings one below the other, whose raters are no columns."""

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function of pairs for the list, and any other one for the wide frame."""
        of_pairs = function in (pairs, pairwise)
        own = {"categories": self.declared, "raters": None if of_pairs else self.rater_labels}
        signature = inspect.signature(function)
        given = signature.bind_partial(self if of_pairs else self.wide, *args, **kwargs)
        given.arguments |= {
            option: value
            for option, value in own.items()
            if option in signature.parameters and given.arguments.get(option) is None
        }
        return function(*given.args, **given.kwargs)

    def __repr__(self) -> str:
        """Say how many ratings of how many items there are."""
        n_items, n_raters = len(self.item_labels), len(self.rater_labels)
        return f"{len(self.item)} ratings of {n_items} items by {n_raters} raters"


def from_long(
    long: pd.DataFrame,
    *,
    item: Label,
    rater: Label,
    rating: Label,
    categories: Categories | None = None,
) -> Ratings:
    """Read ratings one below the other: one row for each rating of an item by a rater.

    No wide frame is made for `pairs` and `pairwise`, so that many raters may share few items.

    Parameters
    ----------
    long : DataFrame, shape (M, ...)
        One row for each rating, in any order. Never changed.
    item, rater, rating : column labels
        What was rated, by whom, and how. Rows without a rating are left out.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: numbers stand for
        themselves, an ordered Categorical for its order.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``. Items and raters are sorted, as by
        ``DataFrame.pivot``. Any other column that is the same in all ratings of an item can
        be named as `by`, `cluster` or `sample_weight`; an array or a Series has a value for
        each item. Pairs of raters who share no item are absent from `pairs`, and NaN in
        `pairwise`, with the reason ``no_joint_items``.

    Raises
    ------
    DuplicateRatingError
        If a rater rated an item more than once.
    RatingsError
        If a rating has no item or no rater, or there is none.
    TooLargeError
        By methods other than `pairs` and `pairwise`, and by these with `cluster`, with
        another choice of `missing`, with resampled limits or with weights that are no
        column: if items times raters are more than 2**26.

    See Also
    --------
    from_label_studio, from_prodigy, from_doccano, from_argilla, from_mturk : From files of \
annotation tools.

    Notes
    -----
    `pairs` and `pairwise` count the joint ratings, as the product of the sparse matrix of
    ratings (items by raters and categories) with itself does. Where this takes more than a
    wide frame would, as it does if all raters rated all items, the frame is made instead.

    Examples
    --------
    >>> df = pd.DataFrame(
    ...     {
    ...         "essay": [1, 1, 2, 2, 3, 3, 4, 5],
    ...         "who": ["ann", "bob", "ann", "bob", "ann", "bob", "eve", "eve"],
    ...         "score": [4, 4, 2, 3, 1, 1, 3, 2],
    ...     }
    ... )
    >>> ratings = pdkappa.from_long(df, item="essay", rater="who", rating="score")
    >>> ratings
    8 ratings of 5 items by 3 raters
    >>> ratings.pairs(weights="quadratic")[["rater_a", "rater_b", "n_items", "estimate"]].round(3)
      rater_a rater_b  n_items  estimate
    0     ann     bob        3     0.897

    Eve shares no essay with the others:

    >>> ratings.pairwise(weights="quadratic").round(3)
           ann    bob  eve
    ann  1.000  0.897  NaN
    bob  0.897  1.000  NaN
    eve    NaN    NaN  1.0
    """
    read = read_long(long, item=item, rater=rater, rating=rating, categories=categories)
    return ListedRatings(**vars(read))


def from_table(
    table: pd.DataFrame | npt.ArrayLike, *, categories: Categories | None = None
) -> Ratings:
    """Read a contingency table of two raters.

    Parameters
    ----------
    table : DataFrame or array, shape (K, K)
        Number of items for each category of the first rater (rows) and of the second
        (columns). The labels of a frame must be the same in rows and columns, in any
        order; its axis names become the names of the raters. The categories of a bare
        array are those given as `categories`, or 0 to K - 1.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: numbers stand for
        themselves, and an ordered `CategoricalIndex` for its order.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``.

    Raises
    ------
    RatingsError
        If rows and columns have different labels.
    WeightsError
        If a count is negative or not finite.

    Examples
    --------
    >>> cohen = pdkappa.datasets.load_cohen1968()
    >>> pdkappa.from_table(cohen).pairs()[["n_items", "estimate", "se"]].round(3)
       n_items  estimate     se
    0      200     0.492  0.051

    The order of text is never guessed, not even from the rows of a table:

    >>> pdkappa.from_table(cohen, categories=list(cohen.index)).pairs(weights="linear").shape
    (1, 13)
    """
    read = read_table(table, categories=categories)
    return CountedRatings(read.frame, read.counts, read.declared)


def from_counts(counts: pd.DataFrame, *, categories: Categories | None = None) -> Ratings:
    """Read how many raters put each item into each category.

    Parameters
    ----------
    counts : DataFrame, shape (N, K)
        One row for each item, one column for each category; whole numbers. Items may have
        different numbers of ratings.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: columns that are
        numbers stand for themselves.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa`` that need not know who rated:
        `agreement`, `influence`, `items`, `categories` and `cuts`, without the coefficients
        "conger" and "light". All other methods raise `OptionError`.

    Raises
    ------
    RatingsError
        If two columns have the same label.
    WeightsError
        If a count is no whole number from zero upwards.

    Examples
    --------
    Fleiss' own example, 30 patients with six diagnoses each:

    >>> df = pdkappa.datasets.load_psychiatric_diagnoses()
    >>> counts = df.apply(lambda row: row.value_counts(), axis=1).fillna(0)
    >>> pdkappa.from_counts(counts).agreement(coefficients="fleiss")["estimate"].round(3).item()
    0.43
    """
    read = read_counts(counts, categories=categories)
    return CountedRatings(read.frame, read.counts, read.declared, anonymous=True)
