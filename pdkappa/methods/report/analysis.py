"""A call of `report` -> what is analysed, and its main figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
import pandas as pd

from pdkappa._typing import Detail, Label, ReportPart
from pdkappa.coefficients.all_raters import MULTIRATER, pairs_share_few
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import (
    CategoryError,
    OptionError,
    TooLargeError,
    check_choice,
    check_flag,
    plural,
    shown,
)
from pdkappa.methods.comparisons.compare import machines_among
from pdkappa.methods.drilldown.items import Beside, beside
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, option
from pdkappa.methods.estimates.options import IntervalOptions, check_by
from pdkappa.methods.estimates.pair_frames import agreement_frame, estimate, pairs_frame, read_pairs
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.methods.groups.grouped import Ask, mean_of_pairs, of_pair, of_pairs, panels_of_study
from pdkappa.methods.groups.mean_over_groups import Averaging
from pdkappa.methods.workbook.live_formulas import MOST_SHEET_CATEGORIES, check_fits
from pdkappa.methods.workbook.sheets import method_of
from pdkappa.present import (
    files,  # which the signature names
    schema,
)
from pdkappa.present.labels import groups_of, heading_of, listed, parts_of
from pdkappa.present.sheets import totals_in
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import is_column
from pdkappa.ratings.long_ratings import AllRaters
from pdkappa.ratings.raters import check_grouped, recognised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdkappa._typing import GroupWeights, Label, Weights
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.groups.grouped_results import GroupedAgreement, GroupedPairs
    from pdkappa.methods.groups.mean_over_groups import Panels
    from pdkappa.present.findings import Figures
    from pdkappa.present.sheets import Sheet

PAIR = 2
MOST_RATERS = 1000  # side by side
MOST_SHOWN_RATERS = 200  # whose pairs can be read
MOST_IN_GROUPS = 1 << 20  # pairs of raters in groups: a minute, and 4 GB
OF_A_PAIR = 40  # groups, that take as long as what is computed once for each pair


def check_title(title: object) -> None:
    """Refuse a title that is no text."""
    if title is not None and not (isinstance(title, str) and title.strip()):
        message = f"title must be a text, got {shown(title)}. Leave it out for none."
        raise OptionError(message)


EVERY_PART = get_args(ReportPart)
PARTS = {"brief": EVERY_PART[:2], "full": EVERY_PART}


def check_parts(option: str, value: object) -> None:
    """Refuse what is neither a word for some parts nor a list of them."""
    if not isinstance(value, list):
        check_choice(option, value, PARTS)
        return
    for one in value:
        check_choice(option, one, EVERY_PART)


class OfShown(Asked):
    """What a report is about, and how much of it is shown."""

    machine: Label | list[Label] | None = anew(
        has.HumansAndMachines,
        "machine",
        default=None,
        check=None,
        also="The report then starts with the agreement of humans with each other, that of the "
        "machine, or of each, with them, as means of pairs, and the difference, machine minus "
        "humans.",
    )
    detail: Detail = option(
        "What to read; or all, with what an audit needs: confusion tables, more matrices, the "
        "cross-check, and notes on the method.",
        choices=Detail,
        default="brief",
    )


class OfReport(has.OfStudy, has.Interval, has.Margin, has.Columns, has.GroupWeights, OfShown):
    """Options of `report`."""

    detail: Detail | list[ReportPart] = anew(  # type: ignore[assignment]
        OfShown,
        "detail",
        default="brief",
        kind="list of parts",
        check=check_parts,
        also='Or the parts that are wanted, of which "brief" is the first two: "drilldown", which '
        'raters, categories and items cost agreement; "counts", over which a workbook has '
        'formulas; "confusion", a table of each pair of raters (in each group), unless there are '
        'more than 200; "matrices" of more than the estimates; "crosscheck", the same numbers from '
        'other packages, of many tables for some; "notes" on the method. Tables of more than 200 '
        "categories are left out. Notes say what is.",
    )

    @property
    def parts(self) -> tuple[str, ...]:
        """What is wanted."""
        return PARTS[self.detail] if isinstance(self.detail, str) else tuple(self.detail)

    @property
    def also(self) -> tuple[str, ...]:
        """What even a brief workbook has, as there is no other one."""
        named = self.parts if self.is_brief else ()
        return tuple(name for name in ("confusion", "crosscheck") if name in named)

    @property
    def is_brief(self) -> bool:
        """Whether what only an audit needs is left out."""
        return "notes" not in self.parts


class OfPath(Asked):
    """Where a result is written."""

    path: files.Target = anew(
        has.Path,
        "path",
        kind="str, path-like or file object",
        kw_only=False,
        also="It is written; one that is open, such as `io.BytesIO`, stays open.",
    )


class OfPage(has.OfStudy, OfShown, OfPath):
    """Options of `to_html`."""

    beyond = {  # noqa: RUF012  # never changed
        one.name: f"Write df.kappa({one.name}=...).report(ci=...).to_html(path) or .to_excel(path)."
        if one.held
        else f"Write report({one.name}=...).to_html(path) or .to_excel(path)."
        for one in OfReport.options
    }

    title: str | None = option(
        "The title of page and workbook. Default: it names the raters.",
        "str",
        default=None,
        check=lambda _, value: check_title(value),
    )
    overwrite: bool = option(
        "Whether an existing file is replaced. The old file is kept if anything fails.",
        "bool",
        default=True,
        check=check_flag,
    )

    @property
    def of_report(self) -> OfReport:
        """The same of `report`."""
        own = {name: one for name, one in vars(self).items() if name in OfReport.known}
        return OfReport(**own)


class OfWorkbook(OfPage):
    """Options of `to_excel`."""

    formulas: bool = option(
        "Whether figures that depend only on the confusion tables in the workbook are formulas "
        "over them, so that they follow if a count is changed; otherwise plain values.",
        "bool",
        default=True,
        check=check_flag,
    )


@dataclass(frozen=True)
class Analysis:
    """A study with the coefficient, the limits and the weights of groups that are asked for."""

    study: Study
    estimates: Estimates
    coefficient: str
    interval: IntervalOptions
    group_weights: GroupWeights | None
    machines: tuple[Label, ...]
    beside: Beside
    given: OfReport
    is_of_list: bool  # of which all raters were taken

    @property
    def entry(self) -> str:
        """What has the methods: a frame, or ratings that are none."""
        is_frame = not isinstance(self.study.data, Counted) and not self.is_of_list
        return "df.kappa" if is_frame else "ratings"

    @property
    def raters(self) -> list[Label]:
        """Names of the raters."""
        return self.study.raters

    @property
    def humans(self) -> list[Label]:
        """The raters that are no machines."""
        return [name for name in self.raters if name not in self.machines]

    @property
    def several(self) -> bool:
        """Whether there are more than two raters."""
        return len(self.raters) > PAIR

    @property
    def by_group(self) -> bool:
        """Whether items are grouped."""
        return self.study.groups.labels is not None

    @property
    def is_mean(self) -> bool:
        """Whether the main figure is a mean of coefficients of groups, or of pairs in one."""
        return self.by_group and (self.several or self.study.n_groups > 1)

    @property
    def weights(self) -> Weights | None:
        """The weights, chosen if none were named."""
        return self.study.reading.weights

    @property
    def is_quadratic(self) -> bool:
        """Whether the weights are those of QWK."""
        return isinstance(self.weights, str) and self.weights == "quadratic"

    @cached_property
    def together(self) -> str:
        """The coefficient of all raters that is shown beside it, a key of ``MULTIRATER``.

        It is no mean of the kappas of pairs where these share too few items for one.
        """
        row = COEFFICIENTS[self.coefficient]
        return row.many if self.shares_few else row.together

    @cached_property
    def shares_few(self) -> bool:
        """Whether a mean of the pairs' coefficients is biased, as they share few items."""
        return self.several and pairs_share_few(self.study.ratings)

    @property
    def is_of_pairs(self) -> bool:
        """Whether figures of pairs are told, and not one of a crowd, of whom most share no item."""
        return self.by_group or bool(self.machines) or not self.shares_few

    @property
    def method(self) -> str:
        """The coefficient and its weights, in words."""
        return method_of(self.coefficient, self.weights)

    @property
    def is_large(self) -> bool:
        """Whether sheets and pictures of pairs are too many to be read."""
        return len(self.raters) > MOST_SHOWN_RATERS

    @property
    def has_few_categories(self) -> bool:
        """Whether a table of all categories can be read; of measured scores there are too many."""
        return len(self.study.coded.categories) <= MOST_SHEET_CATEGORIES

    @property
    def fisher(self) -> IntervalOptions:
        """The same without resampling."""
        one = self.interval
        return IntervalOptions("auto", one.level, one.n_resamples, one.rng)

    def weighted(self, weights: Weights | None) -> Analysis:
        """Ask the same with other weights."""
        study = self.study.weighted(weights)
        found = estimate(study, self.coefficient, self.interval)
        return replace(self, study=study, estimates=found)

    @cached_property
    def groups(self) -> GroupedAgreement | GroupedPairs:
        """Estimate the groups of every pair of raters, and their means.

        Pairs are those among all raters, with the items and categories of `pairs`.
        """
        panels, pairs = self.panels, list(combinations(self.raters, 2))
        results = {
            pair: of_pair(self.study, pair, panels, place, self._ask)
            for place, pair in enumerate(pairs)
        }
        if len(results) > 1:
            return of_pairs(self.study, results, [panels], self._ask)
        [one] = results.values()
        return one

    @cached_property
    def panels(self) -> Panels:
        """What the means over the groups of every pair are made of."""
        return panels_of_study(self.study, self.estimates, self._ask)

    @property
    def mean_of_groups(self) -> pd.Series:
        """The mean over all pairs and groups, as it stands below these."""
        if self.several:
            pairs = list(combinations(self.raters, 2))
            return pd.Series(mean_of_pairs(self.study, pairs, [self.panels], self._ask).figures)
        groups = self.groups
        return groups.to_frame().iloc[len(groups.groups)]

    @property
    def _ask(self) -> Ask:
        """What is asked of the groups."""
        averaging = Averaging(FISHER_CAP, "paule_mandel", self.interval.level)
        return Ask(self.coefficient, self.interval, averaging, self.group_weights)

    def options(self) -> dict[str, object]:
        """Return the options of the call, as the notes and the headline tell them."""
        reading, interval, (name, columns) = self.study.reading, self.interval, self.beside
        counted = isinstance(self.study.data, Counted)
        found: dict[str, object] = {
            "raters": self.raters,
            "by": reading.by,
            "weights": reading.weights,
            "categories": reading.categories,
            "missing": reading.missing,
            "sample_weight": self.study.data.weight if counted else reading.sample_weight,
            "coefficient": self.coefficient,
            "cluster": reading.cluster,
            "ci": interval.ci,
            "confidence_level": interval.level,
        }
        if reading.weight_type is not None:
            found["weight_type"] = reading.weight_type
        if interval.ci in RESAMPLED:
            found |= {"n_resamples": interval.n_resamples, "rng": interval.rng}
        if self.by_group:
            found["group_weights"] = self.group_weights
        if self.machines:
            found["machine"] = self.given.machine
        is_told = self.given.id is not None or self.given.columns is not None
        return found | {"id": name, "columns": list(columns)} if is_told else found

    def passed(self) -> dict[str, object]:
        """Return the options of the call as they were passed, of those that are told."""
        given = self.given.given
        told = self.options() | given
        names = [one.name for one in OfReport.options if not one.held or one.name in given]
        raters = None if self.is_of_list else self.given.raters
        return {name: told[name] for name in names if name in told} | {"raters": raters}


def analyse(
    data: pd.DataFrame | Counted, asked: OfReport, *, in_workbook: bool = False
) -> Analysis:
    """Read the ratings, estimate all pairs, and warn of what is undefined."""
    _check_used(asked)
    interval, coefficient, raters = asked.interval, asked.coefficient, asked.raters
    shown_beside = beside(data, asked.id, asked.columns, asked.by)
    others: list[Any] = list(shown_beside.names)
    if isinstance(data, pd.DataFrame) and is_column(data, asked.group_weights):
        others.append(asked.group_weights)
    reading = replace(asked.reading, beside=tuple(others))
    study = read_pairs(data, raters, reading, coefficient, interval)
    known = machines_among(asked.machine, study.raters)
    who = study.who_rated(known)
    if who != study.raters:
        study = read_pairs(data, who, reading, coefficient, interval, warns=False)
    if in_workbook:
        check_fits(study.n_groups, len(study.raters), only_joint=study.only_joint)
    _check_size(study.n_groups, study.ratings)
    if not shown_beside.names and isinstance(data, pd.DataFrame):
        ids, texts = recognised(data, study.raters, study.coded.named)
        taken = {*schema.ITEMS, *schema.DISCUSS}
        ids, texts = ([x for x in some if x not in taken] for some in (ids, texts))
        shown_beside = Beside(ids[0] if ids else None, tuple(texts[:1]))
    estimates = estimate(study, coefficient, interval)
    of_list = isinstance(raters, AllRaters)
    weights = asked.group_weights
    made = Analysis(
        study, estimates, coefficient, interval, weights, known, shown_beside, asked, of_list
    )
    if made.is_of_pairs:
        estimates.warn_if_undefined()
    return made


def _check_used(asked: OfReport) -> None:
    """Refuse options that would change nothing."""
    check_grouped(asked.by, asked.group_weights)
    machine = {"machine"} if asked.machine is not None else set()
    check_by(asked.by, {"coefficient", "effect"} | machine)
    if asked.machine is None:
        asked.refuse("margin", because="there is no machine", instead="Pass machine")


def _check_size(n_groups: int, rows: Rows) -> None:
    """Refuse more raters, or more groups of pairs, than there is time or memory for.

    Raters of a crowd, who mostly share no item with one another, are as many as `pairs` counts.
    """
    n_raters = rows.n_raters
    n_pairs = n_raters * (n_raters - 1) // 2
    if n_raters >= MOST_RATERS and rows.n_joint >= n_pairs:
        message = (
            f"A report of {n_raters} raters side by side takes too long; below {MOST_RATERS} it "
            "does not. Pass fewer raters, or use agreement, usage and pairs."
        )
        raise TooLargeError(message)
    most = MOST_IN_GROUPS // max(n_pairs, 1) - OF_A_PAIR
    if n_groups > max(most, 1):
        message = (
            f"A report of {n_raters} raters in {n_groups} groups takes too long; in {max(most, 1)} "
            "it does not. Pass fewer raters or groups, or use grouped, or pairs with by."
        )
        raise TooLargeError(message)


MOST_PAIRS = 10
ON_SCALES = (None, "quadratic")  # both are shown on an ordered scale
FEWEST_ORDERED = 3  # categories; of two, all weights are alike


class Line(NamedTuple):
    """One figure of the summary; its place is the sheet and row that it is read from."""

    name: str
    weights: Weights | None
    row: pd.Series
    place: tuple[Sheet, int] | None = None

    @property
    def figures(self) -> list[float]:
        """Number of items, estimate and limits."""
        return [self.row[name] for name in ("n_items", "estimate", "ci_low", "ci_high")]

    @property
    def limits(self) -> Figures:
        """The estimate and its limits."""
        estimate, low, high = map(float, self.figures[1:])
        return estimate, low, high

    @property
    def remark(self) -> str:
        """Why its limits are unreliable; empty if nothing speaks against them."""
        return str(self.row.get("remark", ""))


def main_figures(named: Mapping[str, Sheet], asked: Analysis) -> Iterator[Line]:
    """Name the main figures, and the sheet and row where they stand."""

    def line(name: str, sheet: Sheet, row: int) -> Line:
        return Line(name, asked.weights, sheet.frame.iloc[row], (sheet, row))

    groups, pairs = named.get("groups"), named["pairs"]
    if groups is not None:
        for name, row in _fisher_means(groups, asked):
            yield line(name, groups, row)
    elif asked.several:
        sheet = named["agreement"]
        spoken = MULTIRATER[asked.together].spoken
        what = "Light's kappa" if asked.together == "light" else spoken
        yield line(f"All raters: {what}", sheet, sheet.frame.index.tolist().index(asked.together))
    estimate = pairs.frame["estimate"].to_numpy(dtype=np.float64)
    if np.isnan(estimate).all() or asked.shares_few:  # of a handful of items
        return
    best, worst = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
    if best == worst:
        yield line(_pair_name(pairs.frame, best), pairs, best)
    else:
        yield line(f"Highest: {_pair_name(pairs.frame, best)}", pairs, best)
        yield line(f"Lowest: {_pair_name(pairs.frame, worst)}", pairs, worst)


def other_weights(asked: Analysis) -> Iterator[tuple[Weights | None, pd.Series]]:
    """Estimate the main figure without weights and with quadratic ones, if there is an order.

    Neither makes the other superfluous: weights forgive near misses, and the figure without them
    depends on how fine the scale is.
    """
    if not asked.study.has_order or len(asked.study.coded.categories) < FEWEST_ORDERED:
        return
    for weights in ON_SCALES:
        if isinstance(asked.weights, str | None) and asked.weights == weights:
            continue
        try:
            yield weights, _main_row(asked, weights)
        except CategoryError:  # infinite scores have no distances
            return


def _main_row(asked: Analysis, weights: Weights | None) -> pd.Series:
    """Return the main figure with its limits, with other weights."""
    if asked.by_group:
        return asked.weighted(weights).mean_of_groups
    if not asked.several:
        return pairs_frame(asked.weighted(weights).estimates).iloc[0]
    study = asked.study.weighted(weights)
    models: dict[str, MultiraterModel] = {asked.together: MULTIRATER[asked.together]}
    summaries, _ = summarise_together(study, models, asked.interval)
    return agreement_frame(summaries, study.groups, "landis_koch").iloc[0]


def _fisher_means(groups: Sheet, asked: Analysis) -> Iterator[tuple[str, int]]:
    """Name the Fisher-z means over the groups, of all pairs first."""
    index = groups.frame.index
    means = np.flatnonzero(totals_in(index, ["fisher_mean"])).tolist()
    if not asked.several:
        yield f"Fisher-z mean of the groups: {listed(asked.raters)}", means[-1]
        return
    yield "Fisher-z mean of all pairs and groups", means[-1]
    for row in means[:-1][:MOST_PAIRS]:
        pair = parts_of(index[row], index.names)[:PAIR]
        yield f"Fisher-z mean of the groups: {listed(pair)}", row


def _pair_name(pairs: pd.DataFrame, row: int) -> str:
    """Name the raters of a row, and their group."""
    one = pairs.iloc[row]
    group = zip(pairs.index.names, groups_of(pairs.iloc[[row]])[0], strict=False)
    where = "".join(f", {heading_of(name)} {value}" for name, value in group)
    return f"{one['rater_a']} with {one['rater_b']}{where}"


ROUNDING = 1e-9  # by which a sum of weights may be off


class Numbers(NamedTuple):
    """What was rated, in all groups; with numbers of items as weights, what these add up to."""

    n_raters: int
    items: float  # that somebody rated
    ratings: float
    joint: float | None  # items that both of two raters rated, if only these are compared
    left_out: float  # items with a rating that "listwise" left out, which are no `items`
    unrated: float  # items that nobody rated, which are none either

    @property
    def possible(self) -> float:
        """Ratings there would be if everybody had rated all items."""
        return self.items * self.n_raters

    @property
    def missing(self) -> float:
        """Possible ratings that there are not."""
        n = self.possible - self.ratings
        return n if n > ROUNDING * self.possible else 0.0

    @property
    def is_sparse(self) -> bool:
        """Whether more is missing than is there, so that nobody meant to rate all items."""
        return self.missing > self.possible / 2

    @property
    def of_missing(self) -> str:
        """Say how many ratings are missing, unless most are by design."""
        return "" if self.is_sparse else f"{self.missing:,.10g} of {self.possible:,.10g}"

    @property
    def of_unrated(self) -> str:
        """Say how many items of the data nobody rated; empty if there are none."""
        return f"{self.unrated:,.10g} more without any rating" if self.unrated else ""

    @property
    def of_joint(self) -> str:
        """Say how many items two raters are compared on; empty unless some are missing."""
        if self.joint is None or not self.missing:
            return ""
        were = plural(self.joint, "was", "were")
        return f"{self.joint:,.10g} of {self.items:,.10g} items, rated by both, {were} compared"

    @property
    def of_left_out(self) -> str:
        """Say how many items were left out; empty if none were."""
        if not self.left_out:
            return ""
        were = plural(self.left_out, "was", "were")
        every = self.items + self.left_out
        return f"{self.left_out:,.10g} of {every:,.10g} items {were} left out"


def numbers_of(asked: Analysis) -> Numbers:
    """Count items and ratings of the analysis.

    Two raters are compared on joint items; what one of them rated alone is a rating all the same.
    Of a sample, items are counted, not what they stand for.
    """
    coded, rows, n_raters = asked.study.coded, asked.study.ratings, len(asked.raters)
    if coded.spread is not None:
        rows = rows.with_rows(count=np.ones(rows.count.shape))
    items, ratings = rows.n_items.sum(), rows.total(rows.n_ratings).sum()
    joint = float(rows.total(rows.n_ratings > 1).sum()) if n_raters == PAIR else None
    unrated = getattr(coded, "unrated", 0.0)  # a list of ratings has no other items
    return Numbers(n_raters, float(items), float(ratings), joint, coded.left_out, unrated)
