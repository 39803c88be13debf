"""An analysis and its frames -> what a reader must know before a figure is used."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import variances
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.score_limits import interpret, two_sided
from pdkappa.errors import (
    ColumnsLeftOutWarning,
    CrudeKappaWarning,
    FewClustersWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    UndeclaredCategoriesWarning,
    UndefinedKappaWarning,
    plural,
    shown,
)
from pdkappa.methods.drilldown.items import item_labels
from pdkappa.methods.estimates.told import SURE, worst_of
from pdkappa.methods.report.analysis import numbers_of
from pdkappa.present.findings import Caution, with_minus
from pdkappa.present.labels import one_line, place_of, weights_in_words
from pdkappa.present.text_markup import number_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from warnings import WarningMessage

    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.report.analysis import Analysis, Line
    from pdkappa.present.findings import Figures

PAIR = 2
MOST_NAMED, LONGEST = 6, 60  # raters in a sentence, and the characters of their names


class Seen(NamedTuple):
    """What was computed."""

    asked: Analysis
    frames: Mapping[str, pd.DataFrame]  # those of the report, by name
    main: Line | None  # the main figure; None where all is undefined
    others: Sequence[Line]  # the same with other weights
    # Agreement of humans, that of machines with them, and the difference; or the second alone.
    machines: Sequence[Line]
    # The same with quadratic weights, where ratings are ordered and nobody named weights.
    quadratic: Sequence[Line] = ()
    warned: Sequence[WarningMessage] = ()  # the warnings that were raised
    read: Sequence[str] = ()  # what was said of the ratings when they were read from a file

    def told(self, words: str) -> list[str]:
        """Return the warnings that have some words."""
        return [text for one in self.warned if words in (text := str(one.message))]

    @property
    def machine(self) -> str:
        """Who is compared with people."""
        return joined(self.asked.machines)

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.asked.interval.level

    def place(self, label: Any) -> str:
        """Name a group in a sentence."""
        return place_of(self.asked.study.groups.labels.names, label)  # type: ignore[union-attr]


def figure_of(seen: Seen) -> Line | None:
    """Choose the figure of the headline: that of machines with humans, or the main one."""
    if seen.machines:
        return seen.machines[len(seen.machines) > 1]
    return seen.main


def joined(names: Sequence[Any], *, begins: bool = False) -> str:
    """List names as a sentence does, or as it begins; of many, count them.

    >>> joined(["ann", "bob", "eve"]), joined(range(6)), joined(range(7), begins=True)
    ('ann, bob and eve', '0, 1, 2, 3, 4 and 5', 'Seven raters')
    """
    shown = [one_line(one) for one in names]
    if len(shown) > MOST_NAMED or (len(shown) > PAIR and sum(map(len, shown)) > LONGEST):
        number = number_in_words(len(shown))
        return f"{number.capitalize() if begins else number} raters"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def basis_of(seen: Seen) -> str:
    """Say in one line what the figures rest on."""
    asked = seen.asked
    numbers, n_groups = numbers_of(asked), asked.study.n_groups
    spoken = COEFFICIENTS[asked.coefficient].spoken
    mean = "mean of " if asked.is_mean or seen.machines else ""
    if asked.several and not (asked.by_group or seen.machines):
        spoken = MULTIRATER[asked.together].spoken
    missing = f"{numbers.of_missing} ratings missing" if numbers.missing else "no rating missing"
    missing = f"{numbers.ratings:,.10g} ratings" if numbers.is_sparse else missing
    parts = [
        f"{mean}{spoken}, {weights_in_words(asked.weights)}",
        f"{100 * seen.level:.10g}% CI",
        f"{len(asked.raters)} raters, {numbers.items:,.10g} {plural(numbers.items, 'item')}",
        *filter(None, [numbers.of_unrated]),
        *([f"{n_groups:,} {plural(n_groups, 'group')}"] if asked.by_group else []),
        numbers.of_left_out or missing,
    ]
    line = " · ".join(parts)
    return f"{line[0].upper()}{line[1:]}"


def words_of(seen: Seen, row: Figures) -> str:
    """Say what Landis and Koch call the size of a figure."""
    if not COEFFICIENTS[seen.asked.coefficient].tested or math.isnan(row[0]):
        return ""
    [word] = interpret(np.array([row[0]]), np.array([math.nan]), "landis_koch")
    return f"{word} (Landis and Koch)" if word else ""


FEWEST = 10  # joint items that prove something
MUCH_LESS = 3  # times
PEOPLE, MACHINES = "people", "machines with people"  # whose means there are
LOW_FOR_RARE = {"cohen", "scott", "krippendorff"}
RAISED = 0.03  # of a mean by Fisher's z, from which on the plain one is told, too
RARE = 0.1  # share of all categories but one, below which errors lower kappa more

# Warnings that void the figure, words of such, and the order of all others.
VOIDS = (CrudeKappaWarning,)
STRANGERS = "is shared with any other rater"
SERIOUS = (
    UndefinedKappaWarning,
    FewClustersWarning,
    UndeclaredCategoriesWarning,
    LookalikeLabelsWarning,
    LeftOutWarning,
    ColumnsLeftOutWarning,
)


def of_repeats(seen: Seen) -> Iterator[Caution]:
    """Find an identifier that several items of a group have, where nothing is said of clusters."""
    study, name = seen.asked.study, seen.asked.beside.id
    if name is None or study.reading.cluster is not None:
        return
    code, values = pd.factorize(item_labels(study, seen.asked.beside))
    place = code + len(values) * (0 if study.groups.of_item is None else study.groups.of_item)
    known = place[code >= 0]
    if (n_values := len(np.unique(known))) < len(known):
        yield Caution(
            f"{len(known):,} rows have {n_values:,} values of {shown(name)}: if rows of one belong "
            f"together, pass cluster={shown(name)}, as limits take each row for an item of its own."
        )


def of_warnings(seen: Seen) -> Iterator[Caution]:
    """Turn every warning into a caution: of the file, and then the most serious first."""
    yield from map(Caution, seen.read)

    def rank(one: WarningMessage) -> int:
        return next(
            (n for n, kind in enumerate(SERIOUS) if issubclass(one.category, kind)), len(SERIOUS)
        )

    for one in sorted(seen.warned, key=rank):
        text = str(one.message)
        yield Caution(text, issubclass(one.category, VOIDS) or STRANGERS in text)


def of_constant(seen: Seen) -> Iterator[Caution]:
    """Find raters who used one category only, everywhere or in groups where others used several."""
    margins, study, raters = seen.asked.study.ratings.by_rater, seen.asked.study, seen.asked.raters
    cells: BoolArray = margins.count > 0
    subject, first, used = np.unique(
        margins.subject[cells], return_index=True, return_counts=True
    )  # sorted, so that one category means one cell
    size = margins.count[cells][first]
    group, rater = np.divmod(subject, len(raters))
    most, several = np.zeros(len(raters), np.int64), np.zeros(study.n_groups, np.int64)
    np.maximum.at(most, rater, used)
    np.maximum.at(several, group, used)
    said = "used a single category: kappa with them is 0 or undefined"
    constant = np.flatnonzero(most == 1)
    if seen.asked.shares_few:  # where who rates one item cannot use two
        known = constant[np.bincount(rater, size, len(raters))[constant] >= FEWEST]
        if len(known):
            who = joined([raters[place] for place in known], begins=True)
            yield Caution(f"{who} {said} whatever the items are.")
        return
    if len(constant):
        who = joined([raters[place] for place in constant], begins=True)
        advice = " Leave them out." if len(constant) < len(raters) else ""
        yield Caution(f"{who} {said} whatever the items are.{advice}", voids=True)
    found = (used == 1) & (size >= FEWEST) & (several[group] > 1) & (most[rater] > 1)
    group, rater = group[found], rater[found]
    if len(group):
        names = [raters[one] for one in np.unique(rater)]
        n_groups = len(np.unique(group))
        where = seen.place(study.groups.labels[group[0]])  # type: ignore[index]
        if n_groups > 1:
            where = f"{n_groups} of {study.n_groups} groups, such as {where},"
        yield Caution(f"In {where} {joined(names)} {said} there, and has no standard error.")


def of_disjoint(seen: Seen) -> Iterator[Caution]:
    """Find pairs of raters who share no item, where pairs usually do."""
    pairs = seen.frames["pairs"]
    lost = pairs[pairs["reason"] == "no_joint_items"]
    few = seen.asked.shares_few or 2 * len(lost) > len(pairs)  # as those of a crowd do
    if seen.asked.study.only_joint or not len(lost) or few:
        return
    each = Counter(zip(lost["rater_a"], lost["rater_b"], strict=True))
    first, n_groups = next(iter(each)), seen.asked.study.n_groups
    where = f" in {each[first]} of {n_groups} groups" * (each[first] < n_groups)
    more = f" (and {len(each) - 1} more {plural(len(each) - 1, 'pair')})" * (len(each) > 1)
    both = " and ".join(map(one_line, first))
    said = f"{both} rated no item in common{where}{more}: the figure is that of the other pairs."
    yield Caution(" ".join([said, *seen.told("(no_joint_items)")]), voids=True)


def of_joint_items(seen: Seen) -> Iterator[Caution]:
    """Find a mean over pairs that share few items, which is biased."""
    asked = seen.asked
    if not (asked.shares_few and (asked.is_mean or seen.machines)):
        return
    said = (
        "Pairs of raters share few items: their coefficients are biased, and so are means of them."
    )
    call = ""
    if seen.machines:
        call = " machine.alt_test compares the machine with people item by item."
    elif asked.by_group:
        together = shown(asked.together)
        call = f" agreement(by=..., coefficients={together}) has one of all raters a group."
    yield Caution(f"{said}{call}", voids=True)


def of_strangers(seen: Seen) -> Iterator[Caution]:
    """Find raters whose labels nobody else gives, of whom no warning told."""
    if not seen.asked.several or seen.asked.weights is not None:
        return
    pairs, told = seen.frames["pairs"], " ".join(seen.told(STRANGERS))
    number = {name: place for place, name in enumerate(seen.asked.raters)}
    places = [number[name] for side in ("rater_a", "rater_b") for name in pairs[side]]
    most, agreed = np.zeros(len(number)), np.full(len(number), np.nan)
    np.maximum.at(most, places, np.tile(pairs["n_items"].to_numpy(np.float64), 2))
    np.fmax.at(agreed, places, np.tile(pairs["observed_agreement"].to_numpy(np.float64), 2))
    for name, place in number.items():
        if agreed[place] == 0 and most[place] >= FEWEST and shown(name) not in told:
            yield Caution(
                f"{one_line(name)} shares no label with any other rater. Is it a rater, and with "
                "the same labels? Leave it out, or rename the labels.",
                voids=True,
            )


def of_copies(seen: Seen) -> Iterator[Caution]:
    """Find two raters who hardly ever differ, though they differ from all others, each time."""
    if seen.asked.shares_few:
        return
    joint, apart, chance = _apart(seen.asked.study)
    rate = apart / joint
    nearest = np.where(np.isnan(rate), np.inf, rate).argmin(axis=1).tolist()
    for one, other in enumerate(nearest):
        if one != nearest[other] or one > other:
            continue
        n, differ, by_chance = (x[one, other] for x in (joint, apart, chance))
        rest = np.delete(rate[[one, other]], [one, other], axis=1)
        least = np.fmin.reduce(rest, axis=None, initial=np.nan)
        times, usual = MUCH_LESS, np.minimum(by_chance, least)
        if differ and len(rate) > PAIR + 1:
            alone = _explained(1 - rate / chance, [one, other])
            usual = np.minimum(usual, by_chance * (1 - alone))
        elif differ:  # from a third, who may err more
            times = MUCH_LESS**PAIR
        p_value = scipy.special.betainc(n - differ, differ + 1, 1 - usual)  # binomial
        if times * differ < n * usual and p_value * math.comb(len(rate), PAIR) < SURE:
            yield Caution(_of_two_alike(seen, [one, other], n, differ, least))


def _of_two_alike(seen: Seen, pair: list[int], n: float, differ: float, least: float) -> str:
    """Say that two raters differ on few items or on none, and what that may mean."""
    raters = seen.asked.raters
    who, of_all = joined([raters[one] for one in pair]), f"{n:,.0f} items that both rated"
    said, asks = f"the same rating to all {of_all}", "Is one a copy of the other"
    if differ:
        said = f"different ratings to {differ:,.0f} of {of_all}"
        asks = "Was one copied from the other, or did they rate together"
    rest = [one for place, one in enumerate(raters) if place not in pair]
    apart = f"{who} gave {said}, and differ from everybody else on {100 * least:.0f} % or more"
    errs = (
        "or do these two read the labels in a way of their own"
        if len(rest) > 1
        else f"or does {one_line(rest[0])} err"
    )
    return f"{apart}. {asks}, {errs}?"


def _apart(study: Study) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count what two raters both rated, and differ on, and what share by chance, each (R, R)."""
    tables, shape = study.tables, (len(study.raters), len(study.coded.categories))
    counts, sides = tables.counts, [*tables.sides, *tables.sides[::-1]]
    joint, apart = np.full((2, shape[0], shape[0]), np.nan)
    for found, count in ((joint, counts.count), (apart, counts.count * (counts.row != counts.col))):
        size = np.bincount(counts.table % max(tables.n_pairs, 1), count, tables.n_pairs)
        found[*sides[:PAIR]] = found[*sides[PAIR:]] = size * counts.unit
    joint[joint < FEWEST] = np.nan
    margins, given = study.ratings.by_rater, np.zeros(shape)
    np.add.at(given, (margins.subject % shape[0], margins.category), margins.count)
    shares = given / np.maximum(given.sum(axis=1, keepdims=True), 1)
    return joint, apart, 1 - shares @ shares.T


def _explained(alike: FloatArray, pair: list[int]) -> float:
    """Return the agreement, corrected for chance, of two who err on their own.

    It is a product of what is theirs, as that with others is: experts among novices agree more.
    """
    known, rest = np.ma.masked_invalid(alike), np.delete(np.arange(len(alike)), pair)
    own, among = known[pair][:, rest].mean(axis=1), known[rest][:, rest].mean()
    return float(own.prod() / among) if among > 0 else 1.0


def of_few(seen: Seen) -> Iterator[Caution]:
    """Repeat what is said of the limits of the headline."""
    for line in filter(None, (figure_of(seen),)):
        if line.remark:
            yield Caution(f"{line.remark[0].upper()}{line.remark[1:]}.")


class Raised(NamedTuple):
    """A mean of a headline that Fisher's z raises: of which pairs and groups, and the plain one."""

    ends: list[tuple[tuple[Any, Any], Any, float]]  # the lowest and the highest coefficient
    n_perfect: int
    plain: float


def raised_in(seen: Seen) -> dict[str, Raised]:
    """Find means above the plain ones, as of coefficients of 1, whose Fisher's z is infinite."""
    asked, found = seen.asked, dict[str, Raised]()
    if not (asked.by_group and (asked.is_mean or seen.machines)):
        return found
    estimate, pairs = asked.panels.summary.estimate, [*combinations(asked.raters, 2)]
    fisher_z = np.arctanh(np.clip(np.nan_to_num(estimate), -FISHER_CAP, FISHER_CAP))
    weight = np.where(np.isnan(estimate), 0.0, np.broadcast_to(asked.panels.weight, estimate.shape))
    n_machines = np.array([len({*pair} & {*asked.machines}) for pair in pairs])
    for n, whose in enumerate((PEOPLE, MACHINES)):
        own = weight * (n_machines == n)[:, None]
        used = np.where(own > 0, estimate, np.nan)
        if np.isnan(used).all():
            continue
        n_perfect = int((used > FISHER_CAP).sum())
        plain = float(np.average(np.nan_to_num(estimate), weights=own))
        rise = np.tanh(np.average(fisher_z, weights=own)) - plain
        if rise > (0 if n_perfect else RAISED):
            places = [np.unravel_index(x, used.shape) for x in (np.nanargmin(used), _first(used))]
            labels: Any = asked.study.groups.labels
            ends = [(pairs[pair], labels[group], used[pair, group]) for pair, group in places]
            found[whose] = Raised(ends, n_perfect, plain)
    return found


def without_z(seen: Seen, whose: str) -> str:
    """Tell the plain mean of a headline beside one that is above it, in brackets."""
    found = raised_in(seen).get(whose)
    return "" if found is None else f" ({with_minus(found.plain)} without Fisher's z)"


def _first(used: FloatArray) -> int:
    """Find the first coefficient of 1, or else the highest."""
    return int(np.nanargmax(np.minimum(used, np.nextafter(FISHER_CAP, 1))))


def of_raised(seen: Seen) -> Iterator[Caution]:
    """Say that the mean of the headline is above the plain one, and where that comes from."""
    for whose, one in raised_in(seen).items():
        of_whom = f" of {whose}" * bool(seen.machines)
        ends = [(joined(pair), seen.place(group), size) for pair, group, size in one.ends]
        if one.n_perfect:
            who, where, _ = ends[1]
            more = f" (and {one.n_perfect - 1} more)" * (one.n_perfect > 1)
            said = f"{who} agree perfectly in {where}{more}, which Fisher's z takes for "
            said += f"{FISHER_CAP}, and which raises the mean{of_whom}"
        else:
            low, high = (f"{with_minus(size)} ({who} in {where})" for who, where, size in ends)
            said = f"Coefficients{of_whom} go from {low} to {high}, and the larger they are the "
            said += "more they count in a mean on Fisher's z scale"
        yield Caution(f"{said}: without Fisher's z it is {with_minus(one.plain)}.")


def of_rare(seen: Seen) -> Iterator[Caution]:
    """Say that one category is so common in the lowest group that errors lower kappa more."""
    study, frame = seen.asked.study, seen.frames.get("by group")
    if frame is None or len(frame) != study.n_groups or len(frame) < PAIR:
        return
    ratings = study.ratings
    figures = frame["estimate_humans" if seen.asked.machines else "estimate"].to_numpy(float)
    if seen.asked.coefficient not in LOW_FOR_RARE or np.isnan(figures).all():
        return
    lowest = int(np.nanargmin(figures))
    outside = ratings.share_outside
    rest = float(np.delete(outside, lowest).mean())
    if outside[lowest] < RARE and 2 * outside[lowest] < rest:
        code = int(ratings.shares_by_ratings[lowest].argmax())
        name, where = one_line(study.coded.categories.labels[code]), frame.index[lowest]
        yield Caution(
            f"In {seen.place(where)} {100 * (1 - outside[lowest]):.0f} % of the ratings are "
            f"{name}, elsewhere "
            f"{100 * (1 - rest):.0f} % are of one category: the same errors lower kappa more where "
            "one is so common."
        )


def of_missing(seen: Seen) -> Iterator[Caution]:
    """Name the person who left out more than the others, if that is shown.

    Machines leave out nothing, and those of a crowd most.
    """
    n_items = numbers_of(seen.asked).items
    margins, raters = seen.asked.study.ratings.by_rater, seen.asked.raters
    given = np.bincount(margins.subject % len(raters), margins.count, len(raters))
    humans = seen.asked.humans
    given, n_raters = given[[raters.index(one) for one in humans]], len(humans)
    is_crowd = seen.asked.study.only_joint or seen.asked.shares_few
    if n_raters <= PAIR or not n_items or is_crowd:
        return
    share = 1 - given / n_items
    rest = (share.sum() - share) / (n_raters - 1)
    both = (share + rest * (n_raters - 1)) / n_raters
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (share - rest) / np.sqrt(both * (1 - both) * (1 + 1 / (n_raters - 1)) / n_items)
    p = pd.Series(two_sided(z))
    if (worst := worst_of(p, pd.Series(z).where(z > 0))) is not None:
        yield Caution(
            f"{one_line(humans[worst])} left out {100 * share[worst]:.0f} % of the "
            f"items, the others {100 * rest[worst]:.0f} % on average"
            f"{_what_is_missing(seen, humans[worst])}."
        )


def _what_is_missing(seen: Seen, who: Any) -> str:
    """Say of which category of others somebody left out more than of the rest, if that is shown.

    An item counts in part where others differ.
    """
    study, place = seen.asked.study, seen.asked.raters.index
    if not seen.asked.has_few_categories:
        return ""
    rows = study.rows.among_groups(study.groups.mean_weight).together().compressed
    people = [place(one) for one in seen.asked.humans if one != who]
    every = np.vstack([np.eye(rows.n_categories), np.zeros(rows.n_categories)])
    times = np.sum([every[rows.codes[one]].T for one in people], axis=0)
    given = times / np.maximum(times.sum(axis=0), 1)
    rest, gone = (times.sum(axis=0) > 0) - given, rows.codes[place(who)] < 0
    with np.errstate(divide="ignore", invalid="ignore"):  # a category that nobody else gave
        n = np.stack([given, rest]) @ rows.count
        shares = (np.stack([given, rest]) @ (gone * rows.count)) / n
        both = (shares * n).sum(axis=0) / n.sum(axis=0)  # of few items, all may be gone
        pull = (given / n[0, :, None] - rest / n[1, :, None]) * (gone - both[:, None])
        variance = variances(rows, np.nan_to_num(pull) * rows.n_items[0])[:, 0]
        z = (shares[0] - shares[1]) / np.sqrt(np.where(variance > 0, variance, np.nan))
    if (worst := worst_of(pd.Series(two_sided(z)), pd.Series(z))) is None:
        return ""
    label = one_line(study.coded.categories.labels[worst])
    own, other = (f"{100 * share[worst]:.0f} %" for share in shares)
    return f", and more of what these call {label} ({own}) than of the rest ({other})"


# Kinds of cautions, the warnings that were raised last.
CAUTIONS: dict[str, Callable[[Seen], Iterator[Caution]]] = {
    "constant rater": of_constant,
    "no joint item": of_disjoint,
    "few joint items": of_joint_items,
    "no shared label": of_strangers,
    "copy": of_copies,
    "raised mean": of_raised,
    "rare category": of_rare,
    "few items": of_few,
    "repeated item": of_repeats,
    "missing": of_missing,
    "warning": of_warnings,
}
