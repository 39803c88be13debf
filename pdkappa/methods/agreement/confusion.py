"""The table of two raters: `confusion`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.errors import OptionError, TooLargeError, check_choice
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import confusion_frame
from pdkappa.ratings.coded import Counted, encode
from pdkappa.ratings.counted_pairs import pair_tables
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, ItemWeights, Label, Missing

NORMALIZE = (None, "all", "index", "columns")
LARGEST_TABLE = 1 << 22


@gate
def confusion(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    normalize: str | None = None,
    margins: bool = False,
    margins_name: Label = "All",
) -> pd.DataFrame:
    """Cross-tabulate two raters over all categories, used or not.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The raters in the rows and in the columns.
    by : column label or list of column labels, optional
        One table for each group, all with the same categories. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    normalize : {None, "all", "index", "columns"}
        Show counts, or shares of all items, of the items in a row or in a column; NaN
        where there is no such item.
    margins : bool, default False
        Whether to add sums in a last row and column.
    margins_name : label, default "All"
        Label of the sums.

    Returns
    -------
    DataFrame, shape (K, K)
        The index is named after `rater_a`, the columns after `rater_b`. With `by`, the
        tables of the groups stand one below the other.

    Raises
    ------
    TooLargeError
        If the table would have more than 2**22 cells.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": ["yes", "no", "no"], "bob": ["yes", "yes", "no"]})
    >>> pdkappa.confusion(df, "ann", "bob", margins=True)
    bob  no  yes  All
    ann
    no    1    1    2
    yes   0    1    1
    All   1    2    3
    """
    check_choice("normalize", normalize, NORMALIZE)
    if margins_name != "All" and not margins:
        message = "margins_name is for sums that are not shown. Pass margins=True, or leave it out."
        raise OptionError(message)
    reading = Reading(by=by, categories=categories, missing=missing, sample_weight=sample_weight)
    coded = encode(data, [rater_a, rater_b], reading)
    n_cells = coded.n_groups * len(coded.categories) ** 2
    if n_cells > LARGEST_TABLE:
        message = (
            f"The confusion table would have {n_cells} cells, from {len(coded.categories)} "
            f"categories; the limit is {LARGEST_TABLE}. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    if margins and margins_name in coded.categories.labels:
        message = f"margins_name={margins_name!r} is a category too. Choose another name."
        raise OptionError(message)
    tables = pair_tables(coded)
    return confusion_frame(tables, normalize=normalize, margins=margins, margins_name=margins_name)
