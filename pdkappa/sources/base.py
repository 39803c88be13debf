"""Ratings that are not one pandas frame: each method counts or gathers the columns it needs."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.accessor import Needs, Ratings
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import OptionError, TooLargeError
from pdkappa.ratings.counted_pairs import as_counted
from pdkappa.ratings.items import check_columns, check_fractional, columns_of_groups, is_column
from pdkappa.ratings.long_ratings import LARGEST_FRAME
from pdkappa.ratings.raters import rater_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdkappa._typing import Categories, Label
    from pdkappa.accessor import Method
    from pdkappa.ratings.counted_chunks import Chunk


class Source(ABC):
    """Where the columns of the ratings are read from."""

    @property
    @abstractmethod
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""

    @abstractmethod
    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Count the distinct rows of some columns, as `pdkappa.chunks.count_rows` does.

        Rows stand in the order of their first appearance, if the source has an order, and
        in one that does not depend on how the source was read otherwise.
        """

    @abstractmethod
    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:
        """Return all rows of some columns, in order.

        Raises
        ------
        TooLargeError
            By `check_room`: before they are read, where their number is known.
        CategoryError
            If a column is a Categorical of different orders, other than those of which the
            categories are declared.
        """


def check_room(n_rows: int, columns: list[Label]) -> None:
    """Refuse more cells than a frame of all rows should have."""
    n_cells = n_rows * len(columns)
    if n_cells > LARGEST_FRAME:
        message = (
            f"This needs every row at once: {n_rows} rows of {len(columns)} columns are {n_cells} "
            f"cells; the limit is {LARGEST_FRAME}. Pass fewer raters, or a sample of the rows as "
            "a pandas frame."
        )
        raise TooLargeError(message)


@dataclass(frozen=True, repr=False, eq=False)
class SourceRatings(Ratings):
    """Ratings that are read from their source by each method, as far as it needs them.

    Attributes
    ----------
    source : Source
        Where the columns are read from.
    declared : list, dict or None
        The categories in order, or their scores, if there is an order.
    """

    source: Source
    declared: Categories | None = field(default=None)

    def __str__(self) -> str:
        """Say where the ratings are."""
        return f"Ratings of {self.source}"

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the counts of what it needs, or for all rows of these columns."""
        bound = method.bind(self, args, kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if "categories" in given and given["categories"] is None:
            given["categories"] = self.declared
        items, raters = self._columns_of(method, given)
        declared = [] if given.get("categories") is None else raters
        weight = given.get("sample_weight")
        kind = given.get("weight_type")
        is_sampled = isinstance(kind, str) and kind == "probability"
        beside = {*items, *raters}  # where a weight is refused by the function, if not by itself
        if method.needs is not Needs.ROWS and weight not in beside and not is_sampled:
            columns = self._in_order({*items, *raters})
            of_pairs = raters if _needs_pairs(method, given) else None
            chunk = self.source.count(columns, weight=weight, of_pairs=of_pairs)
            if chunk.unit is not None and given.get("weight_type", "frequency") is None:
                check_fractional(chunk.unit, None)
            given["data"] = as_counted(chunk, weight, declared)
            given["sample_weight"] = None  # which the counts hold
        else:
            columns = self._in_order(beside if weight is None else {*beside, weight})
            given["data"] = self.source.gather(columns, declared=declared)
        return method.function(*bound.args, **bound.kwargs)

    def _in_order(self, names: set[Label]) -> list[Label]:
        """Return some of the columns in their order in the source."""
        return [name for name in self.source.columns if name in names]

    def _columns_of(self, method: Method, given: dict[str, Any]) -> tuple[list[Label], list[Label]]:
        """Find the columns that the arguments name: of the items but their weights, of raters."""
        names = pd.Index(self.source.columns, dtype=object, tupleize_cols=False)
        header = pd.DataFrame(columns=names)
        items = [] if given.get("by") is None else columns_of_groups(header, given["by"])
        if given.get("cluster") is not None:
            items.append(_named(header, "cluster", given["cluster"], "cluster"))
        if is_column(header, given.get("group_weights")):
            items.append(given["group_weights"])
        beside = [] if given.get("id") is None else [given["id"]]
        others: Any = given.get("columns")
        beside += list(others) if pd.api.types.is_list_like(others) else []
        check_columns(header, beside, "shown")
        weight = given.get("sample_weight")
        weights = [] if weight is None else [_named(header, "sample_weight", weight, "weight")]
        if "raters" in method.raters:
            others = [name for name in (*items, *weights) if name != given.get("group_weights")]
            raters = rater_names(header, given["raters"], others, 1, beside)
            return [*items, *beside], raters
        # What is left out names no rater, even where a column is called None.
        parameters = inspect.signature(method.function).parameters
        left_out = {name for name, one in parameters.items() if given.get(name) is one.default}
        named = [given[option] for option in method.raters if option not in left_out]
        mentioned = [labels_of(one, header.columns) for one in named]
        raters = list(dict.fromkeys(name for labels in mentioned for name in labels))
        check_columns(header, raters, "rater")
        return items, raters


def _named(header: pd.DataFrame, option: str, value: Any, role: str) -> Label:
    """Return the column that an option about the items names, which cannot be an array."""
    if not pd.api.types.is_hashable(value):
        message = (
            f"{option} must name a column, got {type(value).__name__}: the rows are not in memory "
            "to be lined up with it. Add it to the data as a column."
        )
        raise OptionError(message)
    check_columns(header, [value], role)
    return value


def _needs_pairs(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts of pairs of raters, given its options."""
    if method.needs is not Needs.PAIR_COUNTS or given["cluster"] is not None:
        return False
    return given["missing"] == "pairwise" and given["ci"] not in RESAMPLED


def labels_of(value: Any, known: pd.Index) -> list[Label]:
    """Return the columns that an argument names: one, a list of them, or of pairs, or a dict.

    What cannot name any is left to the function, which refuses it.
    """
    is_label = pd.api.types.is_hashable(value)
    if is_label and value in known:
        return [value]
    if value is None:
        return []
    if isinstance(value, dict):
        return [name for one in value.values() for name in labels_of(one, known)]
    if pd.api.types.is_list_like(value):
        return [name for one in value for name in labels_of(one, known)]
    return [value] if is_label else []
