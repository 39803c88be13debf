"""What a reader hands over: columns, and counts of distinct rows, which methods ask for."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from pdkappa.accessor import Needs, Ratings
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import LeftOutWarning, OptionError, TooLargeError, shown, warn
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.drilldown.raters import usage
from pdkappa.methods.estimates.told import hearing, keep, kept
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.counted_chunks import count_rows, merge
from pdkappa.ratings.counted_pairs import as_counted
from pdkappa.ratings.crowds import (
    Crowd,
    Names,
    Part,
    Parts,
    add_coded,
    add_found,
    coded_in,
    found_in,
    known_of,
)
from pdkappa.ratings.items import (
    check_columns,
    check_distinct,
    check_fractional,
    columns_of_groups,
    is_column,
    warn_of_names,
)
from pdkappa.ratings.long_ratings import LARGEST_FRAME, AllRaters, Listed, read_long
from pdkappa.ratings.options import labels_of
from pdkappa.ratings.raters import rater_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdkappa._typing import Add, Categories, Count, Label
    from pdkappa.accessor import Method
    from pdkappa.ratings.counted_chunks import Chunk
    from pdkappa.ratings.crowds import Known


MOST_HELD = 1 << 25  # ratings that are held as numbers


class Source(ABC):
    """Where the columns of the ratings are read from, in parts, of which counts add up.

    An engine reads; what is counted of a part, and how counts are added up, is the same for all.
    """

    # Whether the rows are a frame of pandas, which needs no reading.
    in_memory: ClassVar[bool] = False

    @property
    @abstractmethod
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""

    @abstractmethod
    def total(self, columns: list[Label], count: Count, add: Add) -> Any:
        """Count parts of the rows of some columns, and add up the counts in the order of the rows.

        What is counted must have a `size`, of which little may wait to be added up.
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

    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Count the distinct rows of some columns, as `count_rows` does.

        Rows stand in the order of their first appearance, if the source has an order, and
        in one that does not depend on how the source was read otherwise.
        """
        read = columns if weight is None else [*columns, weight]
        return self.total(
            read, partial(count_rows, columns=columns, weight=weight, of_pairs=of_pairs), merge
        )

    def whole(self, known: Known, n_ratings: int) -> Parts:
        """Give numbers to ratings one below the other, in parts of whole items.

        They are held if they are not too many, and else read again, some items at a time.
        """
        n_parts = max(-(-n_ratings // MOST_HELD), 1)

        def part(number: int) -> Part:
            code = partial(coded_in, known=known, number=number, n_parts=n_parts)
            made = Part.of(self.total(known.columns, code, add_coded), known)
            warn_of_names(made.alike, f"Column {shown(known.names.item)}")
            return made

        if n_parts > 1:
            return Parts(lambda: map(part, range(n_parts)))
        held = [part(0)]
        return Parts(lambda: held)


def check_room(n_rows: int, columns: list[Label]) -> None:
    """Refuse more cells than a frame of all rows should have."""
    n_cells = n_rows * len(columns)
    if n_cells > LARGEST_FRAME:
        raise TooLargeError(
            f"This needs every row at once: {n_rows} rows of {len(columns)} columns are {n_cells} "
            f"cells; the limit is {LARGEST_FRAME}. Pass fewer raters, or a sample of the rows as "
            "a pandas frame."
        )


@dataclass(frozen=True, repr=False, eq=False)
class SourceRatings(Ratings):
    """Ratings that are read from their source by each method, as far as it needs them."""

    source: Source  # where the columns are read from
    # The categories in order, or their scores, if there is an order.
    declared: Categories | None = None
    names: Names | None = None  # the columns of ratings one below the other
    _crowds: dict[tuple[Label, ...], Crowd] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was counted, which may be counted again, when it is pickled."""
        return {**vars(self), "_crowds": {}}

    def __copy__(self) -> SourceRatings:
        """Share what was counted, as between a study and its methods."""
        found: SourceRatings = object.__new__(type(self))
        vars(found).update(vars(self))
        return found

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
        if self.names is None:
            self._read(method, given)
        elif _needs_counts(method, given):
            given["data"] = self._crowd(method, given, self.names)
        else:
            read = self._gathered(given, self.names)
            return read._call(method, *args, **kwargs)  # noqa: SLF001 (its own kind)
        return method.function(*bound.args, **bound.kwargs)

    def _crowd(self, method: Method, given: dict[str, Any], names: Names) -> Crowd:
        """Count ratings one below the other, of which the labels are looked at once."""
        if method.function is agreement:
            given["coefficients"] = _without_light(given["coefficients"])
        header = pd.DataFrame(columns=pd.Index(self.source.columns, dtype=object))
        by = [] if given["by"] is None else columns_of_groups(header, given["by"])
        if tuple(by) not in self._crowds:
            columns = [*dict.fromkeys([*by, *names])]
            with hearing() as heard:
                found = self.source.total(columns, partial(found_in, names=names, by=by), add_found)
                known, counts = known_of(found, names, by)
                parts = self.source.whole(known, int(counts.sum()))
            keep(known.labels, heard.remarks)
            self._crowds[tuple(by)] = Crowd(
                known.labels, counts.astype(np.float64), self.declared, known=known, parts=parts
            )
        least = given.get("min_items", 0) if method.function is pairs else 0
        is_number = isinstance(least, int | float) and not isinstance(least, bool)
        return replace(self._crowds[tuple(by)], least=least if is_number else 0)

    def _gathered(self, given: dict[str, Any], names: Names) -> ListedRatings:
        """Read the ratings and the columns that some options name into memory."""
        known = pd.Index(self.source.columns, dtype=object, tupleize_cols=False)
        wanted = {*names}
        for option in ("by", "cluster", "sample_weight", "group_weights", "id", "columns"):
            found = given.get(option)
            if not isinstance(found, np.ndarray | pd.Series):
                wanted |= {name for name in labels_of(found, known) if name in known}
        data = self.source.gather(self._in_order(wanted)).reset_index(drop=True)
        return ListedRatings.of(data, **names._asdict(), categories=self.declared)

    def _read(self, method: Method, given: dict[str, Any]) -> None:
        """Count the rows that a function needs, or gather them."""
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


def listed_in(source: Source, names: Names, declared: Categories | None) -> SourceRatings:
    """Check the columns of ratings one below the other."""
    header = pd.DataFrame(columns=pd.Index(source.columns, dtype=object))
    for role, name in names._asdict().items():
        check_columns(header, [name], role)
    check_distinct(list(names), "from_long", "column")
    if declared is not None:
        declared_set(declared)
    return SourceRatings(source, declared, names)


def _named(header: pd.DataFrame, option: str, value: Any, role: str) -> Label:
    """Return the column that an option about the items names, which cannot be an array."""
    if not pd.api.types.is_hashable(value):
        raise OptionError(
            f"{option} must name a column, got {type(value).__name__}: the rows are not in memory "
            "to be lined up with it. Add it to the data as a column."
        )
    check_columns(header, [value], role)
    return value


def _needs_pairs(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts of pairs of raters, given its options."""
    if method.needs is not Needs.PAIR_COUNTS or given["cluster"] is not None:
        return False
    return given["missing"] == "pairwise" and given["ci"] not in RESAMPLED


COUNTED = (agreement, pairs, pairwise, usage)
OF_ROWS = ("cluster", "sample_weight", "weight_type", "population", "sep")


class ListedRatings(Listed, Ratings):
    """Ratings one below the other, whose raters are no columns."""

    @classmethod
    def of(cls, data: Any, **options: Any) -> ListedRatings:
        """Read them from a frame, with the options of `read_long`; remember what was said."""
        with hearing(kept(data)) as heard:
            read = read_long(data, **options)
        keep(read.data, heard.remarks)
        return cls(**vars(read))

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the list if it takes one, and any other one for a wide frame."""
        given = method.bind(self, args, kwargs)
        own: dict[str, Any] = {"categories": self.declared}
        if not method.takes_lists:
            given.arguments["data"] = self._beside_each_other(method, given.arguments)
            own["raters"] = AllRaters(self.rater_labels)
        given.arguments |= {
            option: value
            for option, value in own.items()
            if option in given.signature.parameters and given.arguments.get(option) is None
        }
        return method.function(*given.args, **given.kwargs)

    def _beside_each_other(self, method: Method, given: dict[str, Any]) -> pd.DataFrame:
        """Make the frame of the raters whom the arguments name, or of all of them."""
        if "raters" in method.raters and given.get("raters") is None:
            return self.wide
        known = pd.Index(self.rater_labels, dtype=object, tupleize_cols=False)
        named = [labels_of(given.get(option), known) for option in method.raters]
        raters = {name for labels in named for name in labels}
        return self._of_raters([name for name in self.rater_labels if name in raters])

    __repr__ = Ratings.__repr__

    def __str__(self) -> str:
        """Say how many ratings of how many items there are."""
        n_items, n_raters = len(self.item_labels), len(self.rater_labels)
        return f"{len(self.item)} ratings of {n_items} items by {n_raters} raters"


def _needs_counts(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts, given its options."""
    if method.function not in COUNTED or any(given.get(name) is not None for name in OF_ROWS):
        return False
    if given.get("missing", "pairwise") != "pairwise" or given.get("vary", "items") != "items":
        return False
    named = given.get("coefficients")
    names = named if isinstance(named, list | tuple) else [named]
    light = any(isinstance(one, str) and one == "light" for one in names)
    return given.get("ci", "auto") not in RESAMPLED and not light


def _without_light(coefficients: Any) -> Any:
    """Leave out what needs every rating at once, unless the user named it."""
    if coefficients is not None:
        return coefficients
    warn(
        "'light' is left out: its standard error needs every rating at once. Name it in "
        "coefficients=[...] to have all ratings read into memory.",
        LeftOutWarning,
    )
    return [name for name in MULTIRATER if name != "light"]
