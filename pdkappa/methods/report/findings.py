"""An analysis and its frames -> what was found: a headline, findings, cautions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from pdkappa._typing import ByFormula
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.score_limits import half_width, two_sided
from pdkappa.errors import plural
from pdkappa.methods.drilldown.raters import (
    differs_in,
    effects_below,
    is_reliable,
    over_groups,
    who_lowers,
)
from pdkappa.methods.estimates.group_differences import (
    differences_from_the_rest,
    differences_of_groups,
    drift_of_groups,
)
from pdkappa.methods.estimates.together import at_levels
from pdkappa.methods.estimates.told import (
    SURE,
    beyond_doubt,
    called_with,
    holm,
    more_items,
    of_many_groups,
    of_two_groups,
    p_in_words,
    verdict_on,
    worst_of,
)
from pdkappa.methods.report.analysis import numbers_of
from pdkappa.methods.report.cautions import (
    CAUTIONS,
    MACHINES,
    PAIR,
    PEOPLE,
    Seen,
    basis_of,
    figure_of,
    joined,
    without_z,
    words_of,
)
from pdkappa.methods.report.differing import (
    MOST_TABLES,
    MOST_TOLD,
    apart_from,
    confused,
    hidden_by,
    told_of,
    worst_confusion,
)
from pdkappa.present.findings import NO_FIGURES, Finding, Findings, signed, with_minus
from pdkappa.present.labels import are_times, listed, one_line, parts_of, reach
from pdkappa.present.schema import REASONS
from pdkappa.present.text_markup import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from pdkappa.coefficients.intervals import RaterFigures
    from pdkappa.methods.drilldown.raters import Lowers
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.items import Groups

TINY, SIDES = 1e-6, ("ci_low", "ci_high")


def findings_of(seen: Seen) -> Findings:
    """Say what was found: findings that are shown first, in the order of their kinds."""
    found = [one for kind in KINDS.values() for one in kind(seen)]
    ranked = sorted(found, key=Finding.rank)
    cautions = [one for kind in CAUTIONS.values() for one in kind(seen)]
    figure = figure_of(seen)
    row = NO_FIGURES if figure is None else figure.limits
    return Findings(
        _headline(seen, ranked),
        tuple(ranked),
        tuple(cautions),
        basis_of(seen),
        row,
        subject=f"Agreement of {joined(seen.asked.raters)}",
        words=words_of(seen, row),
    )


# --- the headline ------------------------------------------------------------------------------


def _headline(seen: Seen, found: Sequence[Finding]) -> str:
    """Write the figure, its interval, and the main reason: first, which of the machines it is."""
    shown = [one for one in found if one.short and one.verdict == "shown"]
    reason = min(shown, key=lambda one: one.kind != "machine").short if shown else ""
    said = _of_machines(seen) if seen.machines else _of_raters(seen)
    return f"{said}; {reason}." if reason else f"{said}."


def _of_raters(seen: Seen) -> str:
    """Tell the main figure, with quadratic weights, too, if they were not asked about."""
    if seen.main is None or math.isnan(seen.main.figures[1]):
        frame = seen.frames["pairs" if not seen.asked.by_group else "pooled"]
        reason = next((one for one in frame["reason"] if one), "")
        who, why = joined(seen.asked.raters), REASONS.get(reason, reason)
        each = "each pair of " * seen.asked.several
        return f"The agreement of {each}{who} is undefined: {why}".rstrip(".")
    figures = seen.main.limits
    groups = f" on average over {_groups(seen)}" if seen.asked.is_mean else ""
    groups += without_z(seen, PEOPLE)
    who = joined(seen.asked.raters, begins=True)
    said = f"{who} agree at {_name(seen)} {with_minus(*figures)}{groups}{_quadratic(seen)}"
    is_chance = COEFFICIENTS[seen.asked.coefficient].tested and figures[1] <= 0 <= figures[2]
    return f"{said}; chance alone may explain it" if is_chance else said


def _quadratic(seen: Seen) -> str:
    """Tell the quadratic figure beside one whose weights nobody named."""
    if seen.asked.weights is not None:
        return ""
    known = [x for x in seen.others if isinstance(x.weights, str) and not math.isnan(x.figures[1])]
    return "".join(f", with quadratic weights (QWK) {with_minus(*x.limits)}" for x in known)


def _of_machines(seen: Seen) -> str:
    """Tell how machines agree with people, beside people with each other."""
    *_, last = seen.machines
    one, agrees = seen.machine, plural(len(seen.asked.machines), "agrees", "agree")
    own = seen.machines[len(seen.machines) > 1].limits
    if len(seen.machines) == 1:
        [human] = seen.asked.humans
        return f"{one} {agrees} with {one_line(human)} at {_name(seen)} {with_minus(*own)}"
    people = seen.machines[0].limits
    each = zip((own, people), (without_z(seen, x) for x in (MACHINES, PEOPLE)), strict=True)
    size = " against ".join(f"{with_minus(one[0])}{plain}" for one, plain in each)
    size += f" ({signed(*last.limits)})"
    beside = [line.limits for line in seen.quadratic]
    if len(beside) > 1 and not math.isnan(beside[1][0]):
        apart = f"{with_minus(beside[1][0])} against {with_minus(beside[0][0])}"
        size += f", with quadratic weights (QWK) {apart} ({signed(*beside[-1])})"
    told = f"{one} {agrees} with people {{}} they do with each other: {_name(seen)} {size}"
    _, low, high = last.limits
    if math.isnan(own[0]):
        return f"The agreement of {one} with people is undefined"
    if math.isnan(low):
        both = f"{one} {agrees} with people, and they with each other"
        return f"{both}: {_name(seen)} {size}; the difference has no limits"
    if low > 0 or high < 0:
        return told.format("more than" if low > 0 else "less than")
    margin = seen.asked.given.margin
    if margin is not None and verdict_on(low, high, margin) == "shown not":
        return told.format(f"at most {margin:g} less than")
    return f"Cannot tell whether {told.format('as well as')}"


def _name(seen: Seen) -> str:
    """Name the coefficient in a sentence."""
    row, asked = COEFFICIENTS[seen.asked.coefficient], seen.asked
    several = asked.several and not asked.by_group and not seen.machines
    return called_with(MULTIRATER[asked.together].spoken if several else row.spoken, asked.weights)


def _groups(seen: Seen) -> str:
    """Count what the mean is over."""
    groups = seen.asked.study.n_groups
    return counted(groups, "group") if groups > 1 else "all pairs"


# --- kinds of findings -------------------------------------------------------------------------


def of_machine(seen: Seen) -> Iterator[Finding]:
    """Hold the difference of machines and humans against a margin, or against 0."""
    if len(seen.machines) <= 1:
        return
    row, margin, who = seen.machines[-1].row, seen.asked.given.margin, seen.machine
    estimate, low, high = (float(row[name]) for name in ("estimate", "ci_low", "ci_high"))
    if math.isnan(low):  # as the headline says
        return
    told = f"{who} minus people: {signed(estimate, low, high)}"
    verdict = verdict_on(low, high, margin)
    if margin is None:
        more = "" if verdict == "shown" else _more(estimate, row, seen)
        said = "shown" if verdict == "shown" else f"no difference is shown{more}"
    else:
        it_is = "it is" if len(seen.asked.machines) == 1 else "they are"
        said = {
            "shown": f"{it_is} worse by more than {margin:g}",
            "shown not": f"{it_is} not worse by {margin:g} or more",
            "cannot tell": f"it cannot be told whether {it_is} worse by {margin:g} or more"
            + _more(estimate + margin, row, seen),
        }[verdict]
    if margin is not None or verdict != "shown":
        name, figures = who if verdict == "shown" else "", (estimate, low, high)
        whom = () if seen.asked.by_group or not name else seen.asked.machines
        rows, said = tuple(("raters", one) for one in whom), f"{told}; {said}."
        yield Finding("machine", name, said, "machines", figures, verdict, rows=rows)
    if len(seen.asked.machines) > 1 and not seen.asked.by_group:
        yield _each_machine(seen.frames["machines"].iloc[: len(seen.asked.machines)])


def _each_machine(frame: pd.DataFrame) -> Finding:
    """Tell each machine's difference from people, and name those below if not all are."""
    own = frame.sort_values("difference")
    each = zip(own.index, *(own[x] for x in ("difference", "ci_low", "ci_high")), strict=True)
    sizes = [(one, "undefined" if math.isnan(x) else signed(x, *ends)) for one, x, *ends in each]
    told = listed([f"{one_line(one)} {size}" for one, size in sizes])
    is_below = (holm(own["p_value"].to_numpy(float)) < SURE) & (own["difference"] < 0)
    below = [] if is_below.all() else [*own.index[is_below]]
    name, are = joined(below), plural(len(below), "is", "are")
    short = f"{name} alone {are} shown to agree less" if below else ""
    verdict = verdict_on(float(own["ci_low"].max()), float(own["ci_high"].min()))
    said, rows = f"Each minus people: {told}.", tuple(("raters", one) for one in below)
    return Finding("machine", name, said, "machines", verdict=verdict, short=short, rows=rows)


def _more(size: float, row: pd.Series, seen: Seen) -> str:
    """Say how many more items would tell a difference of this size."""
    n_items = numbers_of(seen.asked).items
    return more_items(size, float(row["se"]), n_items, seen.level)


def of_leaning(seen: Seen) -> Iterator[Finding]:
    """Say which way a machine errs: where on the scale, or towards which category."""
    frame = seen.frames.get("leaning")
    if frame is None or not len(frame):
        return
    z = frame["difference"] / frame["se"]
    worst = worst_of(frame["p_value"], z.abs() + TINY * (z > 0))  # of two categories the over-used
    if worst is None:
        return
    (name, *what), row = parts_of(frame.index[worst], frame.index.names), frame.iloc[worst]
    machine = one_line(name)
    who = machine if len(seen.asked.machines) > 1 else "it"
    rows: tuple[tuple[str, Any], ...] = ()
    size, low, high = (float(row[x]) for x in ("difference", "ci_low", "ci_high"))
    if "category" in frame.index.names:
        often = "more" if size > 0 else "less"
        own, people = (f"{100 * row[x]:.0f} %" for x in ("mean_machine", "mean_humans"))
        said = f"says {one_line(what[0])} {often} often than people: {own} against {people}"
        said += confused(seen, name, None, "people", seen.asked.humans)
        rows = () if seen.asked.by_group else _rows_of_machine(seen, name)
        short = f"{who} says {one_line(what[0])} too {'often' if size > 0 else 'seldom'}"
    else:
        higher = "higher" if size > 0 else "lower"
        where = f" in {seen.place(tuple(what) if len(what) > 1 else what[0])}" if what else ""
        spread = f"{abs(row['smd']):.2f} SD"
        rows = _rows_of_machine(seen, *what, name)
        said = f"scores {spread} {higher} than people{where}, by {signed(size, low, high)} points"
        short = f"{who} scores {spread} {higher}{where}"
    said, figures = f"{machine} {said}.", (size, low, high)
    yield Finding("leaning", machine, said, "leaning", figures, short=short, rows=rows)


def of_leaning_in_groups(seen: Seen) -> Iterator[Finding]:
    """Say which category a machine gives too often or too seldom in a group, unlike elsewhere."""
    frame = seen.frames.get("leaning in groups")
    if frame is None:
        return
    z = frame["difference"] / frame["se"]
    worst = worst_of(frame["p_value"], z.abs() + TINY * (z > 0))
    if worst is None:
        return
    name, *group, category = frame.index[worst]
    own, row = frame.xs(name, level=0), frame.iloc[worst]
    if not differs_in(own["difference"], own["se"], (*group, category)):
        return
    label: Any = group[0] if len(group) == 1 else tuple(group)
    where, (size, low, high) = seen.place(label), (row[x] for x in ("difference", *SIDES))
    shares = " against ".join(f"{100 * row[x]:.0f} %" for x in ("mean_machine", "mean_humans"))
    machine, often = one_line(name), "more" if size > 0 else "less"
    said = f"In {where} {machine} says {one_line(category)} {often} often than people: {shares}"
    groups: Any = seen.asked.study.groups.labels
    said += confused(seen, name, groups.get_loc(label), "people", seen.asked.humans)
    who = machine if len(seen.asked.machines) > 1 else "it"
    short = f"in {where} {who} says {one_line(category)} too {'often' if size > 0 else 'seldom'}"
    yield Finding(
        "leaning in groups",
        f"{machine} in {where}",
        f"{said}.",
        "leaning_in_groups",
        (float(size), float(low), float(high)),
        short=short,
        rows=_rows_of_machine(seen, *group, name),
    )


def _rows_of_machine(seen: Seen, *label: Any) -> tuple[tuple[str, Any], ...]:
    """Find the row of a group and a machine, which is not in it if it is the only one."""
    if not seen.asked.by_group:
        return (("raters", label[-1]),)
    row = label if len(seen.asked.machines) > 1 else label[:-1]
    return (("by group", row if len(row) > 1 else row[0]),)


def of_machine_in_groups(seen: Seen) -> Iterator[Finding]:
    """Name the group where a machine is furthest below people, if that is shown."""
    frame = seen.frames.get("machines")
    if frame is None or not seen.asked.by_group or len(seen.machines) <= 1:
        return
    below = (frame["difference"] / frame["se"]).where(frame["difference"] < 0)
    worst = worst_of(frame["p_value"], -below)
    likely, doubt = beyond_doubt(frame["p_value"], -below)
    one = likely if worst is None else worst
    if one is None:
        ends = reach(*map(signed, frame["difference"].agg(["min", "max"])))
        less = f"to agree with people less than they do: {ends}"
        said = f"In no group is {seen.machine} shown{doubt} {less}."
        if doubt:
            yield Finding("machine in groups", "", said, "machines", verdict="cannot tell")
        return
    row, label = frame.iloc[one], frame.index[one]
    where, who = seen.place(label[:-1] if len(label) > PAIR else label[0]), one_line(label[-1])
    size, low, high = (float(row[name]) for name in ("difference", "ci_low", "ci_high"))
    if worst is None:
        said = (
            f"In {where} {who} may agree with people less than they do: {signed(size, low, high)}"
        )
        said += f"; that is not{doubt}."
        yield Finding("machine in groups", "", said, "machines", verdict="cannot tell")
        return
    _, _, highest = seen.machines[-1].limits
    if highest < 0 and not differs_in(frame["difference"], frame["se"], label):
        own = frame["difference"][frame.index.get_level_values(-1) == label[-1]]
        ends = reach(*map(signed, own.agg(["min", "max"])))
        said = f"Groups are not shown to differ in how far {who} is below people: {ends}."
        yield Finding("machine in groups", "", said, "machines", verdict="cannot tell")
        return
    said = f"In {where} {who} agrees with people less than they do: {signed(size, low, high)}."
    name, short = f"{who} in {where}", f"least in {where}"
    figures, rows = (size, low, high), _rows_of_machine(seen, *label)
    yield Finding("machine in groups", name, said, "machines", figures, short=short, rows=rows)


def of_rater(seen: Seen) -> Iterator[Finding]:
    """Name the rater who lowers agreement most, everywhere or in a group, if that is shown."""
    frame = _people(seen)
    if frame is None:
        return
    named = who_lowers(frame, seen.level)
    if named is not None:
        yield _named_rater(seen, named)
        return
    every = over_groups(frame, seen.level) if seen.asked.by_group else frame
    if not (every["estimate"].isna().all() or seen.machines):
        likely, doubt = beyond_doubt(*effects_below(every))
        known = every["estimate"][is_reliable(every)]
        few = f"; that leaves out {len(every) - len(known):,} with too few ratings to tell"
        ends = f": {reach(*map(with_minus, (known.min(), known.max())))}" if len(known) else ""
        said = (
            f"No rater is shown{doubt} to lower agreement{ends}{few * (len(known) < len(every))}."
        )
        if likely is not None:
            row, who = every.iloc[likely], one_line(every.index[likely])
            own, rest = (with_minus(float(row[x])) for x in ("estimate", "light_without"))
            said = f"{who} may lower agreement, at {own} with the others, {rest} without them"
            said += f"; that is not{doubt}."
        yield Finding("rater", "", said, "raters", verdict="cannot tell")


def _people(seen: Seen) -> pd.DataFrame | None:
    """Return the frame of raters without machines; None where there is no third person."""
    frame = seen.frames.get("raters")
    if frame is None or len(seen.asked.humans) <= PAIR:
        return None
    return frame[~frame.index.get_level_values(-1).isin(seen.asked.machines)]


def _named_rater(seen: Seen, lowers: Lowers) -> Finding:
    """Say whom the others agree better without, and what they take for what."""
    row, rater, place, labels, others = lowers
    name, where, group = one_line(rater), "", None
    if place is not None:
        groups: Any = seen.asked.study.groups.labels
        where, group = f"in {seen.place(place)} ", groups.get_loc(place)
    own, rest = (with_minus(float(row[name])) for name in ("estimate", "light_without"))
    effect, low, high = (float(row[x]) for x in ("effect", "effect_low", "effect_high"))
    opening = f"I{where[1:]}{name}" if where else name
    said = f"{opening} agrees with the others at {own}, these with each other at {rest}"
    short = f"{where}at {rest} without {name}" if where else f"without {name} at {rest}"
    without = round(float(row["light_without"]), 2)  # as it is shown
    if not where and seen.main is not None and without <= round(seen.main.figures[1], 2):
        short = f"{name} agrees with the others at {own}"  # of very many, or a mean by Fisher's z
    people = apart_from(seen, {rater, *others})
    said += told_of(seen, rater, group, people, "they")
    if others:
        every = [
            f"{one_line(x)} ({with_minus(size)}{'' if own is None else f' in {seen.place(own)}'})"
            for x, (size, own) in others.items()
        ]
        said += f"; {listed(every)} {plural(len(others), 'lowers', 'lower')} agreement, too"
        each = [told_of(seen, one, None, people, "others") for one in [*others][:MOST_TOLD]]
        said += "".join(each)
    if not where:
        said += hidden_by(seen, [rater, *others], row["light_without"] - row["estimate"])
    figures, rows = (effect, low, high), tuple(("raters", one) for one in labels)
    return Finding("rater", name, f"{said}.", "raters", figures, short=short, rows=rows)


def of_confusion(seen: Seen) -> Iterator[Finding]:
    """Name who takes a category for another, if that is shown and nobody lowers agreement.

    On a scale of numbers raters may be more or less severe.
    """
    frame, labels = _people(seen), seen.asked.study.coded.categories
    is_scale = labels.numbers is not None and len(labels) > PAIR
    if frame is None or is_scale or who_lowers(frame, seen.level) is not None:
        return
    found = worst_confusion(seen, seen.asked.humans, seen.asked.humans)
    if found is None:
        return
    name, size, half = joined(found.raters), found.own - found.rest, half_width(seen.level)
    figures = size, size - half * found.se, min(size + half * found.se, 1.0)
    rows = frame.index[frame.index.get_level_values(-1).isin(found.raters)]
    short = f"{name} {found.says} where others say {found.given}"
    said, named = f"W{found.told('others')[1:]}.", tuple(("raters", one) for one in rows)
    yield Finding("confusion", name, said, "raters", figures, short=short, rows=named)


def _tables(study: Study) -> Iterator[tuple[int, list[int], list[int], Any]]:
    """Yield the tables of pairs of raters: the group, both raters, the categories, the counts."""
    tables, labels = study.tables, study.coded.categories.labels
    for number in range(min(tables.counts.n_tables, MOST_TABLES)):
        group, pair = divmod(number, tables.n_pairs)
        one = tables.select(group, pair)
        known = [labels.index(name) for name in one.categories.labels]
        yield group, tables.sides[:, pair].tolist(), known, one.counts.only(0)


def of_groups(seen: Seen) -> Iterator[Finding]:
    """Tell the difference of two groups, or name one below the others, if that is shown."""
    if seen.machines or not seen.asked.by_group:
        return
    labels = _with_limits(seen)
    if len(labels) == PAIR:
        yield _of_two_groups(seen)
    elif len(labels) > PAIR and are_times(labels):
        yield _of_drift(seen)
    elif len(labels) > PAIR:
        frame = differences_from_the_rest(*_compared(seen), level=seen.level)
        yield of_many_groups(frame, seen.place)


def _of_two_groups(seen: Seen) -> Finding:
    """Compare two groups as `compare_groups` does."""
    apart = differences_of_groups(*_compared(seen), seen.asked.raters, level=seen.level)
    one = apart[apart["difference"].notna()].iloc[0]
    found = of_two_groups(one, [seen.place(one[x]) for x in ("first", "second")], seen.level)
    lower = one["second" if one["difference"] > 0 else "first"]
    found = found._replace(rows=(("by group", lower),) if found.name else ())
    frame = _people(seen)
    named = None if frame is None else who_lowers(frame, seen.level)
    if frame is None or named is None or seen.asked.coefficient != "cohen":
        return found
    rest = frame["light_without"].xs(named.rater, level=-1)
    size = signed(float(rest[one["first"]] - rest[one["second"]]))
    return found._replace(
        sentence=f"{found.sentence[:-1]}; without {one_line(named.rater)} {size}."
    )


def _compared(seen: Seen) -> tuple[Callable[[float], RaterFigures], Groups]:
    """Return what gives the figures of the groups that are compared, and the groups."""
    asked, row = seen.asked, COEFFICIENTS[seen.asked.coefficient]
    ci = asked.interval.ci if asked.interval.ci in get_args(ByFormula) else "auto"
    name = asked.together if asked.several else row.many
    return at_levels(asked.study, name, ci), asked.study.groups


def _of_drift(seen: Seen) -> Finding:
    """Tell how agreement drifts: a line through the groups."""
    row = drift_of_groups(*_compared(seen), level=seen.level).iloc[0]
    slope, low, high, p = (float(row[x]) for x in ("difference", "ci_low", "ci_high", "p_value"))
    [name] = seen.asked.study.groups.labels.names  # type: ignore[union-attr]
    verdict, what = verdict_on(low, high), one_line(name)
    moves = ("falls" if slope < 0 else "rises") if verdict == "shown" else "is not shown to drift"
    ends = (f"{with_minus(row[f'estimate_{x}'])} ({one_line(row[x])})" for x in ("first", "last"))
    steps = f"{signed(slope, low, high)} from one {what} to the next, {p_in_words(p)}"
    said = f"Agreement {moves} over time: {' to '.join(ends)}, {steps}."
    name, short = (what, f"it {moves} over time") if p < SURE else ("", "")
    return Finding("drift", name, said, "by group", (slope, low, high), verdict, short)


def _with_limits(seen: Seen) -> pd.Index:
    """Return the groups in which the figure of all raters has limits."""
    frame = seen.frames["agreement"]
    is_shown = frame.index.get_level_values("coefficient") == seen.asked.together
    every = frame[is_shown].droplevel("coefficient")
    return every.index[every["ci_low"].notna()]


def of_categories(seen: Seen) -> Iterator[Finding]:
    """Name the category that people tell apart worst, if that is shown, and what it is taken for.

    The standard errors of two categories are added up: nothing is assumed of their correlation.
    """
    frame, study = seen.frames.get("categories"), seen.asked.study
    if frame is None or frame.index.nlevels > 1 or study.has_order:
        return
    frame = frame[["estimate", "se"]].astype(float).dropna()
    if len(frame) <= PAIR:
        return
    ranked = frame.sort_values("estimate", kind="stable")
    lowest, second = ranked.index[0], ranked.iloc[1]
    size = float(second["estimate"] - ranked.iloc[0]["estimate"])
    error = float(second["se"] + ranked.iloc[0]["se"])
    if not error > 0 or len(frame) * float(two_sided(size / error)) >= SURE:
        return
    row = seen.frames["categories"].loc[lowest]
    estimate, low, high = (float(row[x]) for x in ("estimate", "ci_low", "ci_high"))
    name, other = one_line(lowest), _taken_for(seen, lowest)
    figure = with_minus(estimate, low, high) + (f", and taken for {other}" if other else "")
    rest = f"the others at {with_minus(second['estimate'])} or more"
    said = f"{name} is told apart worst, at {figure}; {rest}."
    figures, short = (estimate, low, high), f"{name} is told apart worst"
    rows = (("categories", lowest),)
    yield Finding("categories", name, said, "categories", figures, short=short, rows=rows)


def _taken_for(seen: Seen, label: Any) -> str:
    """Name the category that others give most often where one rater gives this one."""
    study = seen.asked.study
    labels = study.coded.categories.labels
    own, counts = labels.index(label), np.zeros(len(labels))
    for _, _, known, table in _tables(study):
        if own in known:
            counts[known] += (table + table.T)[known.index(own)]
    counts[own] = 0
    return one_line(labels[int(counts.argmax())]) if counts.any() else ""


# Kinds of findings, first those that change what the reader does.
KINDS: dict[str, Callable[[Seen], Iterator[Finding]]] = {
    "leaning": of_leaning,
    "leaning in groups": of_leaning_in_groups,
    "machine": of_machine,
    "machine in groups": of_machine_in_groups,
    "rater": of_rater,
    "confusion": of_confusion,
    "groups": of_groups,
    "categories": of_categories,
}
