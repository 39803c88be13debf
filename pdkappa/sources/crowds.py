"""Ratings one below the other that are not in one frame -> `Ratings`, counted where they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.accessor import Ratings
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import LeftOutWarning, warn
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.drilldown.raters import usage
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.crowds import Names, known_of
from pdkappa.ratings.items import check_columns, check_distinct, columns_of_groups
from pdkappa.ratings.long_ratings import read_long
from pdkappa.sources.base import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import Categories, IntArray, Label
    from pdkappa.accessor import Method
    from pdkappa.ratings.crowds import Crowd, Found, Known
    from pdkappa.ratings.long_ratings import Listed

COUNTED = (agreement, pairs, pairwise, usage)
OF_ROWS = ("cluster", "sample_weight", "weight_type", "population", "sep")


class CrowdSource(ABC):
    """Where ratings one below the other are."""

    names: Names

    @property
    @abstractmethod
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""

    @abstractmethod
    def found(self, by: list[Label]) -> Found:
        """Look for all ratings (in groups) and raters."""

    @abstractmethod
    def crowd(self, known: Known, counts: IntArray, declared: Categories | None) -> Crowd:
        """Return what counts the ratings."""

    @abstractmethod
    def gather(self, columns: list[Label]) -> pd.DataFrame:
        """Return some columns of all ratings, if they are not too many."""


@dataclass(frozen=True, repr=False, eq=False)
class CrowdRatings(Ratings):
    """Ratings one below the other that are counted where they are, as far as a method needs them.

    Attributes
    ----------
    source : CrowdSource
        Where they are.
    declared : list, dict or None
        The categories in order, or their scores, if there is an order.
    gathered : callable
        What gives the methods to ratings that were read into memory.
    """

    source: CrowdSource
    declared: Categories | None
    gathered: Callable[[Listed], Ratings]
    _crowds: dict[tuple[Label, ...], Crowd] = field(default_factory=dict)

    def __str__(self) -> str:
        """Say where the ratings are."""
        return f"Ratings of {self.source}"

    @classmethod
    def of(
        cls,
        source: CrowdSource,
        declared: Categories | None,
        gathered: Callable[[Listed], Ratings],
    ) -> CrowdRatings:
        """Check the names of the columns."""
        header = pd.DataFrame(columns=pd.Index(source.columns, dtype=object))
        for role, name in source.names._asdict().items():
            check_columns(header, [name], role)
        check_distinct(list(source.names), "from_long", "column")
        if declared is not None:
            declared_set(declared)
        return cls(source, declared, gathered)

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for counts if it needs no more, or for all ratings in memory."""
        bound = method.bind(self, args, kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if "categories" in given and given["categories"] is None:
            given["categories"] = self.declared
        if _needs_counts(method, given):
            if method.function is agreement:
                given["coefficients"] = _without_light(given["coefficients"])
            header = pd.DataFrame(columns=pd.Index(self.source.columns, dtype=object))
            by = [] if given["by"] is None else columns_of_groups(header, given["by"])
            least = given.get("min_items", 0) if method.function is pairs else 0
            crowd = self._crowd(by)
            is_number = isinstance(least, int | float) and not isinstance(least, bool)
            given["data"] = replace(crowd, least=least if is_number else 0)
            return method.function(*bound.args, **bound.kwargs)
        return self._gathered(given)._call(method, *args, **kwargs)  # noqa: SLF001 (its own kind)

    def _crowd(self, by: list[Label]) -> Crowd:
        """Look at the labels of some groups, once."""
        key = tuple(by)
        if key not in self._crowds:
            found = self.source.found(by)
            known, counts = known_of(found, self.source.names, by)
            self._crowds[key] = self.source.crowd(known, counts, self.declared)
        return self._crowds[key]

    def _gathered(self, given: dict[str, Any]) -> Ratings:
        """Read the ratings and the columns that some options name into memory."""
        names = pd.Index(self.source.columns, dtype=object, tupleize_cols=False)
        options = ("by", "cluster", "sample_weight", "group_weights", "id", "columns")
        wanted = {*self.source.names}
        for option in options:
            found = given.get(option)
            if isinstance(found, np.ndarray | pd.Series):
                continue
            wanted |= {name for name in labels_of(found, names) if name in names}
        columns = [name for name in self.source.columns if name in wanted]
        read = read_long(
            self.source.gather(columns), **self.source.names._asdict(), categories=self.declared
        )
        return self.gathered(read)


def _needs_counts(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts, given its options."""
    if method.function not in COUNTED or any(given.get(name) is not None for name in OF_ROWS):
        return False
    if given.get("missing", "pairwise") != "pairwise" or given.get("vary", "items") != "items":
        return False
    named = given.get("coefficients")
    light = named == "light" or (isinstance(named, list | tuple) and "light" in named)
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
