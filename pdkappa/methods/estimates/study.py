"""Data and options -> a study: coded ratings with their groups, clusters and weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.score_limits import units_of_sizes
from pdkappa.coefficients.sparse_rows import is_nearly_empty, listed, wide
from pdkappa.errors import (
    CrudeKappaWarning,
    FewClustersWarning,
    LeftOutWarning,
    OptionError,
    TooLargeError,
    UndeclaredCategoriesWarning,
    listing,
    plural,
    shown,
    warn,
)
from pdkappa.methods.estimates.options import is_number
from pdkappa.methods.estimates.weightings import needs_an_order as option_with_order
from pdkappa.methods.estimates.weightings import scale_of
from pdkappa.ratings.coded import LARGEST_SCALES, Counted, encode
from pdkappa.ratings.columns import code_column, native
from pdkappa.ratings.counted_pairs import (
    CountedPairs,
    counted_tables,
    listed_rows,
    listed_tables,
    pair_tables,
    rating_rows,
)
from pdkappa.ratings.crowds import Crowd
from pdkappa.ratings.long_ratings import CodedList, Listed, check_room, encode_list, names_among
from pdkappa.ratings.raters import values_of
from pdkappa.ratings.suspicious_labels import MOST_GROUPS, scores_of, splits_the_scale, step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label, Raters, Weights
    from pdkappa.coefficients.rating_rows import RatingRows, Rows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.options import IntervalOptions
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.columns import Column
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.ratings.items import Groups
    from pdkappa.ratings.options import Reading

LARGEST_TABLE = 1 << 26  # cells
FEWEST_TO_TRUST = 30
PAIR = 2


def warn_of_few_clusters(coded: Coded) -> None:
    """Warn once of groups whose clusters are worth fewer than thirty equal ones."""
    if coded.clusters is None:
        return
    number, place = coded.clusters, None
    if number.max(initial=0) > 4 * len(number):  # of clusters within many groups
        number, place = np.unique(number, return_inverse=True)
    of_item = coded.clusters if place is None else place
    sums = np.bincount(of_item, weights=coded.weights)
    size = spread = sums[sums > 0].astype(np.float64)
    if coded.spread is not None:
        spread = np.bincount(of_item, coded.spread)[sums > 0].astype(np.float64)
    group = (np.flatnonzero(sums) if place is None else number[sums > 0]) % coded.n_groups
    units = units_of_sizes(size, spread, group, coded.n_groups)
    few = np.flatnonzero((units > 0) & (units < FEWEST_TO_TRUST - 1e-9))
    if not len(few):
        return
    least = few[np.argmin(units[few])]
    others = f" and {len(few) - 1} more" if len(few) > 1 else ""
    warn(
        f"Standard errors{coded.groups.at(int(least))}{others} come from few clusters: "
        f"{np.count_nonzero(group == least)}, equivalent to {units[least]:.3g} of equal size. "
        f"Below {FEWEST_TO_TRUST}, limits and p-values are approximate; collect more clusters, "
        f"or report this.",
        FewClustersWarning,
    )


MOST_PAIRS = 1 << 23  # 4,000 raters: a minute, and 9 GB
EQUAL = 1 / 3  # the share of equal numbers by which a column is another rating


def warn_of_pooled(frame: pd.DataFrame, coded: Coded) -> Label | None:
    """Warn once of a column that is not used, by which the scale of the raters differs; return it.

    Only frames with such a column are looked at, and only raters who use five scores or more.
    """
    used = {*coded.raters, *coded.named}
    all_used = len(used) == frame.shape[1]
    unused = [] if all_used else [name for name in frame.columns if name not in used]
    if not unused or len(coded.items) != len(frame):
        return None
    step = step_of(len(frame))
    scores = scores_of(*coded.held.some(slice(None, None, step)))
    if scores is None:
        return None
    for name in unused:
        column = _few_values(frame[name].iloc[::step])
        if column is None or _is_rating(column, scores):
            continue
        if splits_the_scale(column.codes, scores):
            warn(
                f"Groups of {shown(name)} have different scales: agreement of all items together "
                f"credits the raters with telling the groups apart. Analyse each group with "
                f"by={shown(name)}, or average within them with grouped.",
                CrudeKappaWarning,
            )
            return name
    return None


def _few_values(column: pd.Series | pd.DataFrame) -> Column | None:
    """Code a column that may be of groups: whole numbers, texts, booleans or Categoricals."""
    if isinstance(column, pd.DataFrame) or column.dtype.kind in "fcmM":
        return None
    try:
        coded = code_column(column, column.name)
    except TypeError:  # whatever a column that is not used may hold
        return None
    return coded if 1 < len(coded.labels) <= MOST_GROUPS else None


def _is_rating(column: Column, scores: FloatArray) -> bool:
    """Whether a column often holds the score of a rater, as another rating of the items does."""
    if column.kinds != {"number"}:
        return False
    same = (values_of(column) == scores) & (column.codes >= 0)
    return bool((same.mean(axis=1) > EQUAL).any())


COUNTED = ("ratings", "rows", "tables")  # which are the same with other weights


@dataclass(frozen=True)
class Study:
    """Coded ratings with what the user said about them, and what is made of them when asked."""

    # The ratings as they were passed, of a list the frame that was read.
    data: pd.DataFrame | Counted
    reading: Reading  # what the user said about them
    coded: Coded  # ratings of N items by R raters in G groups
    only_joint: bool = False  # whether pairs of raters who share no item are meant, too

    @property
    def raters(self) -> list[Label]:
        """Names of the raters."""
        return self.coded.raters

    @property
    def named_raters(self) -> list[Label]:
        """Names of those who rated something, but none where nobody knows who rated."""
        return self.coded.named_raters

    def who_rated(self, also: tuple[Label, ...]) -> list[Label]:
        """Leave out who rated nothing, but some, and warn of it, if there are two others."""
        who = [one for one in self.raters if one in {*self.named_raters, *also}]
        lost = [one for one in self.raters if one not in who]
        if not lost or len(who) < PAIR or self.reading.missing != "pairwise":
            return self.raters
        warn(
            f"{listing(lost)} rated nothing, and {plural(len(lost), 'is', 'are')} left out of the "
            "report. Name the others in raters=[...] to say so.",
            LeftOutWarning,
        )
        return who

    @property
    def groups(self) -> Groups:
        """The G groups of the items."""
        return self.coded.groups

    @property
    def n_groups(self) -> int:
        """G; 1 without groups."""
        return self.coded.groups.n

    @property
    def frame(self) -> pd.DataFrame:
        """The frame that holds the columns of the items."""
        return native(self.data.frame if isinstance(self.data, Counted) else self.data)

    @cached_property
    def scale(self) -> Scale:
        """Where the K categories stand, and how far they are apart."""
        coded, weights = self.coded, self.reading.weights
        return scale_of(weights, coded.categories, coded.in_use, where=self.where)

    @property
    def where(self) -> Callable[[int], str] | None:
        """What tells where the ratings in a category stand, for messages; None of counts."""
        return None if isinstance(self.data, Counted) else self.coded.where

    @property
    def is_listed(self) -> bool:
        """Whether the ratings stand one below the other, as they were read."""
        return isinstance(self.coded, CodedList)

    @cached_property
    def ratings(self) -> Rows:
        """The ratings as rows with counts, one for each item, as they are kept."""
        if isinstance(self.data, Crowd):
            return self.data.rows(self.coded)
        if isinstance(self.coded, CodedList):
            return listed_rows(self.coded)
        return listed(self.rows) if is_nearly_empty(self.rows) else self.rows

    @cached_property
    def rows(self) -> RatingRows:
        """The ratings as rows with counts, in an array of all raters."""
        if self.is_listed:
            check_room(len(self.coded.items), len(self.raters))
            return wide(self.ratings)
        return rating_rows(self.coded)

    @cached_property
    def tables(self) -> PairTables:
        """Counts of all pairs of raters."""
        return self.count()

    def count(self, *, with_itself: bool = False) -> PairTables:
        """Count all pairs of raters, each rater with itself too if that is asked for."""
        if isinstance(self.data, Crowd):
            return self.data.tables(self.coded, with_itself=with_itself)
        if isinstance(self.coded, CodedList):
            return listed_tables(self.coded, with_itself=with_itself)
        self.check_pairs()
        if isinstance(self.data, CountedPairs):
            return counted_tables(self.coded, self.data, with_itself=with_itself)
        known = vars(self).get("tables") if with_itself and not self.only_joint else None
        tables = pair_tables(self.coded, with_itself=with_itself, known=known)
        return tables.joint() if self.only_joint else tables

    @property
    def alike(self) -> IntArray | None:
        """The codes, shape (R, N), of a frame whose items all count the same, in one group."""
        coded = self.coded
        if self.only_joint or coded.weights is not None or coded.groups.of_item is not None:
            return None
        return coded.codes

    @property
    def in_use(self) -> BoolArray:
        """Categories that tell something of each group, shape (G, K)."""
        return np.broadcast_to(self.coded.listed, (self.n_groups, len(self.coded.categories)))

    def check_pairs(self, most: int = MOST_PAIRS) -> None:
        """Refuse a frame of more pairs of raters, in all groups, than can be counted one by one."""
        n_raters = len(self.raters)
        n_pairs = n_raters * (n_raters - 1) // 2 * self.n_groups
        if n_pairs > most:
            of = f" in {self.n_groups} groups" if self.n_groups > 1 else ""
            raise TooLargeError(
                f"{n_raters} raters{of} are {n_pairs} pairs, which take too much time and memory; "
                f"the limit is {most}. Pass fewer raters, or use agreement for all of them "
                "together; of raters who share few items, read the ratings by from_long."
            )

    @property
    def has_order(self) -> bool:
        """Whether it is known in which order the categories stand."""
        return self.coded.categories.scores is not None

    def weighted(self, weights: Weights | None) -> Study:
        """Ask the same ratings with other weights."""
        coded = replace(self.coded, by_distance=option_with_order(weights) is not None)
        found = replace(self, reading=replace(self.reading, weights=weights), coded=coded)
        vars(found).update({name: vars(self)[name] for name in COUNTED if name in vars(self)})
        return found

    def warn_of_categories(self, coefficients: Iterable[str]) -> None:
        """Warn once if a coefficient depends on how many categories there are, and groups differ.

        That number is not known where groups use different categories and none are declared.
        """
        counting = [x for x in coefficients if x in COEFFICIENTS and COEFFICIENTS[x].of_number]
        if not counting or self.groups.labels is None or self.coded.categories.declared:
            return
        if self.n_groups * len(self.coded.categories) > LARGEST_SCALES:
            return
        rated = self.coded.occurring[self.groups.has_ratings]
        if len(rated) <= 1 or (rated == rated[0]).all():
            return
        labels = listing(self.coded.categories.labels)
        scale = "its own" if len(self.coded.in_use) > 1 else "those of all groups"
        warn(
            f"The number of categories matters to {' and '.join(map(repr, counting))}, and the "
            f"groups of {shown(self.reading.by)} use different ones; each group is given {scale}. "
            f"Declare the scale with categories=[...]; {labels} occur.",
            UndeclaredCategoriesWarning,
        )

    def of_items(self) -> Study:
        """Ask the same ratings as if items were not nested in clusters."""
        return replace(self, coded=replace(self.coded, clusters=None))


def read(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    reading: Reading,
    *,
    needs_order: str | None = None,
    needs_identity: bool = True,
    by_list: bool = False,
    of_crowds: bool = False,
    warns: bool = True,
) -> Study:
    """Check the ratings and code them; the first step of every method.

    Parameters
    ----------
    data, raters
        As the user passed them.
    reading : Reading
        What the user said about the ratings.
    needs_order : str, optional
        The option that needs an order, for the message; default: `weights`, if they do.
    needs_identity : bool
        Whether it must be known who gave which rating.
    by_list : bool
        Whether listed ratings of few joint items may be counted as they stand.
    of_crowds : bool
        Whether listed ratings of many raters who share few items may stay as they stand.
    warns : bool
        Whether to look for labels that look like mistakes; not where the ratings of some of
        the raters are read again.
    """
    option = option_with_order(reading.weights)
    options: dict[str, Any] = {
        "needs_order": needs_order or option,
        "by_distance": option is not None,
        "warns": warns,
    }
    if isinstance(data, Crowd):
        names = names_among(data.rater_labels, raters)
        coded: Coded = encode(
            data, [data.rating], reading, fewest_raters=1, rated_by=names, **options
        )
        study = Study(data, reading, coded, only_joint=True)
    elif isinstance(data, Listed) and (
        (by_list and data.is_sparse) or (of_crowds and data.is_crowd)
    ):
        coded = encode_list(data, raters, reading, **options)
        study = Study(data.item_frame, reading, coded, only_joint=True)
    else:
        only_joint = isinstance(data, Listed)
        if isinstance(data, Listed):
            raters = data.rater_labels if raters is None else raters
            data = data.wide
        coded = encode(data, raters, reading, needs_identity=needs_identity, **options)
        if warns and reading.by is None and isinstance(data, pd.DataFrame):
            warn_of_pooled(data, coded)
        study = Study(data, reading, coded, only_joint=only_joint)
    if warns and reading.cluster is not None:
        warn_of_few_clusters(study.coded)
    return study


LARGEST = 1 << 1000  # that is a number with a point, too
NEXT_TO_NOTHING = 1e-30  # is left of a population whose every item was drawn


def left_of_population(
    study: Study, interval: IntervalOptions, n_items: FloatArray
) -> FloatArray | None:
    """Compute the share of each population that was not drawn, shape (S,), or None without one.

    `n_items`, of shape (S,), are the items of tables that lie group by group.
    """
    if interval.population is None:
        return None
    _check_design(study, interval)
    sizes = _sizes(study, interval.population)
    size = sizes.repeat(len(n_items) // max(len(sizes), 1))
    low = np.flatnonzero(n_items > size)
    if len(low):
        where = study.groups.at(int(low[0] * len(sizes) // len(n_items)), " at ")
        raise OptionError(
            f"population={size[low[0]]:g}{where} is less than its {n_items[low[0]]:g} items. "
            "It is the number of items in the whole population."
        )
    return np.maximum(1 - n_items / size, NEXT_TO_NOTHING)


def _check_design(study: Study, interval: IntervalOptions) -> None:
    """Refuse what draws other things than items, or draws them anew."""
    reading, other = study.reading, ""
    if interval.ci != interval.first:
        other = f"ci={shown(interval.ci)}"
    elif reading.cluster is not None:
        other = "cluster"
    elif reading.is_sampled:
        other = "weight_type='probability'"
    elif interval.vary != "items":
        other = f"vary={shown(interval.vary)}"
    if other:
        raise OptionError(
            "population is for single items that are sampled once, and cannot be combined with "
            f"{other}. Leave one of the two out."
        )


def _sizes(study: Study, given: Any) -> FloatArray:
    """Return the size of the population of each group, shape (G,)."""
    labels = study.groups.labels
    if isinstance(given, dict | pd.Series):
        of_group = dict(given)
        if labels is None:
            raise OptionError(
                "population names groups, but there are none. Pass by, or one number."
            )
        for label in labels:
            if label not in of_group:
                raise OptionError(
                    f"population has no number for the group {shown(label)}. Name every group."
                )
        values = [of_group[label] for label in labels]
    else:
        values = [given] * study.groups.n
    for value in values:
        if not is_number(value) or not (0 < value < LARGEST or value == np.inf):
            raise OptionError(
                f"population must be a number of items above zero, or one for each group, got "
                f"{shown(value)}."
            )
    return np.array(values, dtype=np.float64)


def check_cells(study: Study) -> None:
    """Refuse more cells, of every two categories in every group, than memory holds."""
    k = len(study.coded.categories)
    if study.n_groups * k**2 > LARGEST_TABLE:
        raise TooLargeError(
            f"There would be {study.n_groups * k**2} cells, from {k} categories; the limit is "
            f"{LARGEST_TABLE}. Round the ratings or merge categories."
        )
