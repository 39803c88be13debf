"""The public function of records in which ratings stand in fields of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa.methods.estimates.options import gate
from pdkappa.sources.eval_logs import read_records
from pdkappa.sources.evaluations import Wanted
from pdkappa.sources.tools import ratings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from pdkappa._typing import Categories, Fields, PathLike
    from pdkappa.accessor import Ratings


@gate
def from_records(
    records: PathLike | Iterable[dict[str, Any]] | pd.DataFrame,
    raters: Fields,
    *,
    item: str = "id",
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read records in which ratings are nested fields.

    Parameters
    ----------
    records : path, list of dict or DataFrame
        One record for each item, or a file of them: JSON lines, or a JSON list.
    raters : str, list of str or dict
        Fields that hold ratings, with dots between a field and one of what it holds, such as
        ``"judge.verdict.label"`` or ``"votes.0.label"``, or ``{rater: field}``: a label, or a
        dict ``{rater: label}``.
    item : str, default "id"
        The field that names the item.
    columns : str, list of str or dict, optional
        Fields to keep beside the ratings, such as ``"input.text"``, or ``{column: field}``;
        methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are named after
        the last part of the field, where it tells them apart.

    Raises
    ------
    ColumnNotFoundError
        If there is no such field.
    DuplicateRatingError
        If two records are about one item.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no label, or the file holds no records.

    Warns
    -----
    LeftOutWarning
        Once, if labels are missing, or are none.

    Examples
    --------
    >>> records = [
    ...     {"id": 1, "human": "good", "judge": {"label": "good"}},
    ...     {"id": 2, "human": "good", "judge": {"label": "bad"}},
    ...     {"id": 3, "human": "bad", "judge": {"label": "bad"}},
    ... ]
    >>> ratings = pdkappa.from_records(records, {"ann": "human", "gpt": "judge.label"})
    >>> ratings.pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(
        read_records(records, item, Wanted.of(None, raters, columns, relabel)), categories
    )
