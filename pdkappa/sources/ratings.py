"""Tables, counts and long ratings -> `Ratings`: `from_long`, `from_table`, `from_counts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdkappa.accessor import Ratings
from pdkappa.errors import DuplicateRatingError, OptionError
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.counted_pairs import read_counts, read_table
from pdkappa.ratings.crowds import Names
from pdkappa.ratings.long_ratings import is_told_apart
from pdkappa.sources.source import ListedRatings, listed_in

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from pdkappa._typing import Label
    from pdkappa.accessor import Method


class CountedRatings(Counted, Ratings):
    """Ratings of which each distinct row has its count."""

    __repr__ = Ratings.__repr__

    def __str__(self) -> str:
        """Say how many ratings of whom there are."""
        if self.anonymous:
            return f"Ratings of {self.counts.sum():g} items by up to {self.frame.shape[1]} raters"
        names = " and ".join(map(repr, self.frame.columns))
        return f"Ratings of {self.counts.sum():g} items by {names}"


@dataclass(frozen=True, repr=False, eq=False)
class RepeatedRatings(Ratings):
    """Ratings one below the other of items that a rater rated once by each of several criteria."""

    data: pd.DataFrame  # the ratings
    item: list[Label]  # what tells the items apart, but for the criterion
    options: dict[str, Any]  # the other options of `from_long`
    error: DuplicateRatingError  # what is wrong with them all together

    def __str__(self) -> str:
        """Say what they are and what to do."""
        return f"{len(self.data)} ratings of items by several criteria, for methods with by="

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the items of each group, or say that items are rated repeatedly."""
        by = method.bind(self, args, kwargs).arguments.get("by")
        if by is None:
            raise DuplicateRatingError(str(self.error))
        item = [*self.item, *(by if isinstance(by, list) else [by])]
        read = ListedRatings.of(self.data, item=item, **self.options)
        return read._call(method, *args, **kwargs)  # noqa: SLF001 (its own kind)


class Placed(Asked):
    """The columns of ratings one below the other."""

    item: Label | list[Label] = anew(
        has.Item,
        "item",
        kind="column label or list of them",
        check=None,
        also="It may be a list of columns, such as those of the text and of the criterion that it "
        "is rated by; they can be named as `by` and `cluster`, too. Items that are rated once by "
        "each criterion may do without its name, for methods with the criterion as `by`.",
    )
    rater: Label = anew(has.Rater, "rater")
    rating: Label = anew(has.Rating, "rating", also="Rows without a rating are left out.")


class OfLong(Placed, has.Categories, has.Sep):
    """Options of `from_long`."""

    data: Any = option(
        "One row for each rating, in any order. Never changed. Of pandas; a Dask frame, which is "
        "shuffled by item once; or one of polars, pyarrow, DuckDB or another package that "
        "narwhals knows, whose three columns are read whole: `agreement`, `usage`, `pairs` and "
        "`pairwise` of these are counted part by part, and all else reads the ratings into "
        "memory; see `scan_long`.",
        "DataFrame, shape (M, ...)",
        kw_only=False,
    )


@asks(OfLong)
def from_long(asked: OfLong) -> Ratings:
    """Read long data: one row for each rating of an item by a rater.

    No wide frame is made if many raters share few items: only the categories of each item, those
    of each rater, and the joint ratings are needed.

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
        If a rater rated an item more than once, and no other column tells the ratings apart;
        if one does, by methods without `by`.
    RatingsError
        If a rating has no item or no rater, or there is none.
    RatingTypeError
        If two items or raters are a number and a text that look alike, such as 1 and "1".
    TooLargeError
        By methods that need all raters side by side, if items times raters are more than
        2**26: all but `agreement`, `pairs`, `pairwise`, `raters`, `usage`,
        `items` and `categories`, and these with resampled limits.
        What names raters, such as `confusion` and `compare`, needs no others.

    Warns
    -----
    LookalikeLabelsWarning
        If names of items or raters differ by white space alone.

    See Also
    --------
    scan_long : From files that need not fit in memory.
    from_label_studio, from_prodigy, from_doccano, from_argilla, from_mturk : From files of \
annotation tools.
    from_inspect, from_promptfoo, from_deepeval, from_lm_eval : From logs of evaluations.
    from_records : From records in which ratings are nested fields.

    Notes
    -----
    `pairs` and `pairwise` count the joint ratings, as the product of the sparse matrix of
    ratings (items by raters and categories) with itself does. Where this takes more than a
    wide frame would, as it does if all raters rated all items, the frame is made instead; by
    the other methods, where an eighth of its cells or more would be ratings. The figures are
    those of the wide frame, up to rounding errors.

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
    >>> print(ratings)
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
    from pdkappa.sources.other_frames import source_of

    data, item = asked.data, asked.item
    names = ("rater", "rating", "categories", "sep")
    options: dict[str, Any] = {name: getattr(asked, name) for name in names}
    source = source_of(data, "from_long")
    if source is not None and not source.in_memory:
        if isinstance(item, list) or asked.sep is not None:
            raise OptionError(
                f"A list of items and sep= are for frames of pandas, got {source}. Make one "
                "column of the items, and pass data.compute() or data.to_pandas() of sets."
            )
        return listed_in(source, Names(item, asked.rater, asked.rating), asked.categories)
    try:
        return ListedRatings.of(data, item=item, **options)
    except DuplicateRatingError as error:
        items = item if isinstance(item, list) else [item]
        if is_told_apart(data, items, asked.rater, asked.rating):
            return RepeatedRatings(data, items, options, error)
        raise


class OfTable(has.Categories):
    """Options of `from_table`."""

    table: pd.DataFrame | npt.ArrayLike = anew(
        has.Table,
        "table",
        kw_only=False,
        also="The labels of a frame must be the same in rows and columns, in any order; its axis "
        "names become the names of the raters. The categories of a bare array are those given as "
        "`categories`, or 0 to K - 1.",
    )


@asks(OfTable)
def from_table(asked: OfTable) -> Ratings:
    """Read a contingency table of two raters.

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
    (1, 16)
    """
    return CountedRatings(**vars(read_table(asked.table, categories=asked.categories)))


class OfCounts(has.Categories):
    """Options of `from_counts`."""

    counts: pd.DataFrame = option(
        "One row for each item, one column for each category; whole numbers. Items may have "
        "different numbers of ratings.",
        "DataFrame, shape (N, K)",
        kw_only=False,
    )


@asks(OfCounts)
def from_counts(asked: OfCounts) -> Ratings:
    """Read how many raters put each item into each category.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa`` that need not know who rated: `agreement`
        without "conger" and "light", `consensus`, and with ``coefficient="fleiss"`` or another
        one of these `items` and `categories`. All other methods raise `OptionError`.

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
    return CountedRatings(**vars(read_counts(asked.counts, categories=asked.categories)))
