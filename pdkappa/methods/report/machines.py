"""Machines among the raters: people with each other, machines with them, the difference."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.influence import spans_groups, standard_error
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.means_over_groups import PooledMean, dependent_fisher_mean
from pdkappa.coefficients.pair_kappas import variance_of_sum
from pdkappa.coefficients.score_limits import half_width, two_sided
from pdkappa.errors import plural
from pdkappa.methods.comparisons.compare import contrast, in_turn, kappas_of, shares, t_test, tested
from pdkappa.methods.drilldown.items import item_labels
from pdkappa.methods.estimates.pair_frames import in_turns, whole
from pdkappa.methods.machine.ceiling import telling
from pdkappa.methods.machine.verdicts import classes_of, limited_mean
from pdkappa.methods.report.analysis import Line
from pdkappa.present import schema
from pdkappa.present.labels import one_line, parts_of, visible
from pdkappa.present.sheets import Sheet
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.comparisons.compare import Contrast
    from pdkappa.methods.report.analysis import Analysis

FEWEST_HUMANS = 2
MOST_ITEMS = 50
MOST_MACHINES = 6
N_ITEMS = "n_items"


class _Codes(NamedTuple):
    """What N items were given: by M machines, and by the humans if they all agree."""

    machines: IntArray  # codes, -1 for none, (M, N)
    label: IntArray  # the code that all humans gave, two or more, (N,)
    agreed: BoolArray  # whether there is such a code, (N,)
    n_humans: IntArray  # how many humans rated the item, (N,)
    # How many items each stands for: one, but where distinct rows were counted, (N,).
    n_items: FloatArray

    def size(self, items: BoolArray) -> float:
        """Count some of the items."""
        return float(self.n_items[items].sum())

    @property
    def against(self) -> BoolArray:
        """Which machine gave which item another label than all humans, (M, N)."""
        return self.agreed & (self.machines >= 0) & (self.machines != self.label)


def against_humans(asked: Analysis) -> Sheet | None:
    """List the items on which all humans agree against a machine; None if nobody can know.

    Where distinct rows were counted nobody knows the items, but how many each of the labels have.
    """
    study = asked.study
    humans = asked.humans
    is_counted = type(study.data) is Counted
    if not asked.machines or len(humans) < FEWEST_HUMANS or not len(study.coded.categories):
        return None
    if isinstance(study.data, Counted) and not is_counted:  # of a crowd, in parts
        return None
    codes = _codes(asked, humans)
    against, group = codes.against, study.rows.group
    found: IntArray = np.flatnonzero(against.any(axis=0))
    many = codes.n_humans[found].astype(np.float64)
    if is_counted:
        found, many = _alike(codes, group, found)
    apart = [study.scale.between(group, codes.label, one) for one in codes.machines]
    most = np.broadcast_to(study.scale.largest, study.n_groups)[group]  # sets have their scales
    furthest = np.where(against, apart, 0.0).max(axis=0) / most
    order = np.lexsort((-many, -against[:, found].sum(axis=0), -furthest[found]))[:MOST_ITEMS]
    shown, what = found[order], "Labels" if is_counted else "Items"
    listed = f"{len(shown)} of {len(found)} {'rows' if is_counted else 'items'}"
    on_scale = " for the scale of their group" if study.n_groups > 1 else ""
    return Sheet(
        "against humans",
        _frame(asked, codes, shown, many[order] if is_counted else None),
        f"{what} on which all humans agree, and a machine does not",
        notes=(_told(asked, codes), f"{listed}, those furthest apart{on_scale} first."),
        index=not is_counted,
    )


def _told(asked: Analysis, codes: _Codes) -> str:
    """Say on how many items all humans agree, and on how many of these machines differ."""
    each = [
        _share(name, codes.size(one), codes.size(codes.agreed & (theirs >= 0)))
        for name, one, theirs in zip(asked.machines, codes.against, codes.machines, strict=True)
    ]
    n_agreed, n_items = codes.size(codes.agreed), codes.n_items.sum()
    told = f"All humans, two or more, agree on {n_agreed:,.10g} of {n_items:,.10g} "
    told += f"{plural(n_items, 'item')}."
    more = [f"{len(each) - MOST_MACHINES} more"] if len(each) > MOST_MACHINES else []
    named = "; ".join([*each[:MOST_MACHINES], *more])
    return f"{told} Of these {named}." if n_agreed else told


def _alike(codes: _Codes, group: IntArray, found: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the first of the rows that show the same, and how many items they stand for."""
    given = np.where(codes.against, codes.machines, -1)
    shown = np.vstack([group, codes.label, given])[:, found]
    _, first, place = np.unique(shown, axis=1, return_index=True, return_inverse=True)
    n_items = np.bincount(place.ravel(), codes.n_items[found], len(first))
    return found[first], n_items.astype(np.float64, copy=False)


def _codes(asked: Analysis, humans: list[Label]) -> _Codes:
    """Collect the codes of all items."""
    place, codes = asked.raters.index, asked.study.rows.codes
    people = codes[[place(name) for name in humans]]
    n_humans, label = (people >= 0).sum(axis=0), people.max(axis=0)
    agreed = (n_humans >= FEWEST_HUMANS) & ((people == label) | (people < 0)).all(axis=0)
    is_counted = isinstance(asked.study.data, Counted)
    count = asked.study.rows.count if is_counted else np.ones(len(label))
    return _Codes(codes[[place(name) for name in asked.machines]], label, agreed, n_humans, count)


def _share(machine: Label, n_against: float, n_agreed: float) -> str:
    """Tell how many of these items a machine got wrong.

    >>> _share("gpt", 3, 40)
    'gpt differs on 3 of 40 (8 %)'
    """
    percent = f" ({100 * n_against / n_agreed:.0f} %)" if n_agreed else ""
    return visible(f"{machine} differs on {n_against:,.10g} of {n_agreed:,.10g}{percent}")


def _frame(
    asked: Analysis, codes: _Codes, shown: IntArray, n_items: FloatArray | None
) -> pd.DataFrame:
    """Show some items: what stands beside them, what all humans say, and what machines do.

    Of distinct rows, `n_items` are shown in their place.
    """
    study, beside = asked.study, asked.beside
    items = study.frame.iloc[study.coded.rows[shown]]
    labels = study.coded.categories.labels
    given = [
        ", ".join(
            f"{one_line(name)}: {one_line(labels[theirs[item]])}"
            for name, theirs, is_against in zip(
                asked.machines, codes.machines, codes.against, strict=True
            )
            if is_against[item]
        )
        for item in shown.tolist()
    ]
    groups = [] if study.groups.labels is None else list(study.groups.labels.names)
    columns_beside = beside.columns if n_items is None else ()
    names = [name for name in (*groups, *columns_beside) if name not in (*schema.AGAINST, N_ITEMS)]
    columns: dict[Any, Any] = {
        "humans": [labels[code] for code in codes.label[shown].tolist()],
        "against": given,
    }
    columns |= {"n_humans": codes.n_humans[shown]} if n_items is None else {N_ITEMS: whole(n_items)}
    columns |= {name: items[name].array for name in names}
    index = item_labels(study, beside)[shown] if n_items is None else None
    return pd.DataFrame(columns, index=index)


LIMITS = ["recall_low", "recall_high"]
OF_ITEMS = (
    "There are no limits: for recall they are not available with clusters or sampling weights."
)
TOGETHER = "Items of all groups are pooled."


def recall_of_machines(asked: Analysis) -> Sheet | None:
    """Show the recall of each machine on each category, with people's own; None without any."""
    study, level = asked.study, asked.interval.level
    if not asked.machines:
        return None
    humans = asked.humans
    frame = classes_of(study, asked.machines, humans, level)[list(schema.RECALL)]
    frame.index = frame.index.set_names("machine", level=0)
    notes = [TOGETHER] if asked.by_group else []
    if study.reading.cluster is not None or study.reading.weight_type == "probability":
        frame[LIMITS] = np.nan
        notes.append(OF_ITEMS)
    title = "Of the humans' ratings of a category, the share that a machine gives it, too"
    return Sheet("recall", frame, title, notes=tuple(notes))


def leanings(asked: Analysis) -> list[Sheet]:
    """Show where on the scale, or towards which category, machines lean; nothing without any.

    On scores: the mean of a machine less that of the humans on the same items, group by group.
    Without an order: how often a machine gives a category, less how often the humans do, unless
    there are too many, and the same group by group: who prefers long answers says A where it is
    longer, and B where that is.
    """
    study = asked.study
    rows, labels = study.rows, study.coded.categories.labels
    if not asked.machines or not len(labels):
        return []
    numbers, groups = study.coded.categories.numbers, study.groups.labels
    on_same = "on the same items: machine minus humans"
    if study.has_order and len(labels) > FEWEST_HUMANS:
        scores = np.arange(len(labels)) if numbers is None else numbers
        frame = _leaning_frame(asked, rows, np.asarray([scores], dtype=float), groups)
        return [Sheet("leaning", frame, f"Mean score of a machine and of the humans, {on_same}")]
    if not asked.has_few_categories:
        return []
    each, every = np.eye(len(labels)), study.coded.categories.index().rename("category")
    what = f"How often a machine and the humans give a category, {on_same}"
    whole = rows.among_groups(study.groups.mean_weight).together()
    sheets = [Sheet("leaning", _leaning_frame(asked, whole, each, every), what)]
    if groups is not None:
        names = [*groups.names, every.name]
        both = [(*parts_of(one, groups.names), label) for label in every for one in groups]
        frame = _leaning_frame(asked, rows, each, pd.MultiIndex.from_tuples(both, names=names))
        sheets.append(Sheet("leaning in groups", frame, f"{what}, in each group"))
    return sheets


def _leaning_frame(
    asked: Analysis, rows: RatingRows, scores: FloatArray, each: pd.Index | None
) -> pd.DataFrame:
    """Return the leaning of each machine by some scores, in the groups of rows, as rows `each`."""
    humans = [n for n, name in enumerate(asked.raters) if name not in asked.machines]
    parts = [
        _tested(leaning_of(rows, asked.raters.index(name), humans, one), asked.interval.level)
        for name in asked.machines
        for one in scores
    ]
    size = 1 if each is None else len(each)
    index = index_of([name for name in asked.machines for _ in range(size)], "machine")
    if each is not None:
        every = each.take(np.tile(np.arange(size), len(asked.machines)))
        levels = [every.get_level_values(n) for n in range(every.nlevels)]
        index = pd.MultiIndex.from_arrays([index, *levels])
    return pd.concat(parts)[list(schema.LEANING)].set_axis(index)


class Leaning(NamedTuple):
    """Means of a machine, or a rater, and of humans in G groups, the error of both apart, (G,)."""

    n_items: FloatArray
    machine: FloatArray
    humans: FloatArray
    se: FloatArray
    df: FloatArray
    sd: FloatArray


def leaning_of(rows: RatingRows, machine: int, humans: list[int], scores: FloatArray) -> Leaning:
    """Compare the scores of a machine, or a rater, with the mean of the humans, item by item.

    The influence of an item on the mean difference is its own less the mean; `sd` is that of all
    ratings of the humans.
    """
    found = np.append(scores, np.nan)[rows.codes]
    people, own = found[humans], found[machine]
    n_people = (~np.isnan(people)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(people, axis=0) / np.where(n_people, n_people, np.nan)
    known = ~np.isnan(own - mean)

    def total(values: FloatArray) -> FloatArray:
        weight = np.where(known, np.nan_to_num(values) * rows.count, 0.0)
        return np.bincount(rows.group, weight, rows.n_groups).astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        n = total(np.ones(len(known)))
        means = [total(one) / n for one in (own, mean)]
        share = (rows.n_items / n)[rows.group]
        influence = np.where(known, (own - mean - (means[0] - means[1])[rows.group]) * share, 0.0)
        ratings = total(n_people.astype(np.float64))
        square = np.nansum((people - (total(mean * n_people) / ratings)[rows.group]) ** 2, axis=0)
        sd = np.sqrt(total(square) / np.maximum(ratings - 1, 1))
    error = standard_error(rows, np.nan_to_num(influence))
    return Leaning(n, means[0], means[1], error, np.maximum(rows.units - 1, 1), sd)


def _tested(found: Leaning, level: float) -> pd.DataFrame:
    """Return the columns of a leaning, with limits and a test by a t distribution."""
    size, se = found.machine - found.humans, np.where(found.se > 0, found.se, np.nan)
    half = half_width(level, found.df) * se
    with np.errstate(divide="ignore", invalid="ignore"):
        smd = np.where(found.sd > 0, size / found.sd, np.nan)
    return pd.DataFrame(
        {
            "n_items": found.n_items,
            "mean_machine": found.machine,
            "mean_humans": found.humans,
            "difference": size,
            "se": se,
            "ci_low": size - half,
            "ci_high": size + half,
            "p_value": two_sided(size / se, found.df),
            "smd": smd,
        }
    )


ALL = "all machines"
ONE_HUMAN = "There is one human, so the agreement of humans with each other is unknown."
BY_GROUP = (
    "The rows of groups compare means of the coefficients in a group; the summary compares means "
    "on Fisher's z scale over the groups."
)


class Machines(NamedTuple):
    """The machines of a report: a sheet of all comparisons, and the lines of the summary."""

    sheet: Sheet
    lines: list[Line]


def compare_machines(asked: Analysis) -> Machines | None:
    """Compare machines with humans, by the mean coefficients of their pairs; None without any."""
    if not asked.machines:
        return None
    humans = asked.humans
    pairs = [*product(asked.machines, humans), *combinations(humans, 2)]
    kappas = kappas_of(asked.study, pairs, asked.coefficient)
    is_human = np.array([a not in asked.machines for a, _ in pairs])
    rows = {name: np.array([a == name for a, _ in pairs]) for name in asked.machines}
    if len(rows) > 1:
        rows[ALL] = ~is_human
    level = asked.interval.level
    apart = [_apart(kappas, pairs, [name], humans) for name in asked.machines]
    if len(rows) > 1:
        apart.append(_apart(kappas, pairs, asked.machines, humans))
    sides = [is_human, *(rows[name] for name in asked.machines)]
    parts = [
        _compared(kappas, own, sides, one, level)
        for own, one in zip(rows.values(), apart, strict=True)
    ]
    labels = index_of(list(rows), "machine")
    frame = in_turns(parts, schema.MACHINES, asked.study.groups, labels)
    notes = [] if len(humans) >= FEWEST_HUMANS else [ONE_HUMAN]
    notes += [BY_GROUP] if asked.by_group else []
    title = f"Machines with humans, and humans with each other: {asked.method}"
    sheet = Sheet("machines", frame, title, notes=tuple(notes))
    figures = _over_groups(asked, kappas, pairs, is_human) if asked.by_group else None
    if figures is None:
        figures = _overall(kappas, sides, apart[-1], level)
    names = ("Humans with each other", "Machines with humans", "Machine minus humans")
    n_items = float(kappas.rows.n_items.sum())
    lines = [
        Line(name, asked.weights, pd.Series({"n_items": n_items, **row}))
        for name, row in zip(names, figures, strict=True)
    ]
    return Machines(sheet, lines if len(humans) >= FEWEST_HUMANS else lines[1:2])


def _apart(
    kappas: PairKappas,
    pairs: list[tuple[Label, Label]],
    machines: Sequence[Label],
    humans: list[Label],
) -> Contrast:
    """Subtract the mean of humans from that of machines; for one of them as `ceiling` does."""
    is_human = np.array([a in humans for a, _ in pairs])
    used = _telling(
        kappas, [is_human, *(np.array([a == one for a, _ in pairs]) for one in machines)]
    )
    if len(machines) == 1:
        return in_turn(kappas, used, pairs, [*machines, *humans])
    return contrast(kappas, shares(used, ~is_human) - shares(used, is_human))


def _telling(kappas: PairKappas, sides: Sequence[BoolArray]) -> BoolArray:
    """Which pairs count, (C, G), if humans are the first side, and each machine is one.

    A machine that gave everything one category thus has its zero in the mean of several; one
    without a figure is left out where another has one.
    """
    used = telling(kappas, *sides)
    unknown = np.zeros_like(used)
    for own in sides[1:]:
        unknown[own] = (used[own] & np.isnan(kappas.estimate[own])).any(axis=0)
    machines = np.any(sides[1:], axis=0)
    some = (used & ~unknown)[machines].any(axis=0)
    used[machines] &= ~(unknown[machines] & some)
    return used


def _compared(
    kappas: PairKappas,
    of_machine: BoolArray,
    sides: Sequence[BoolArray],
    difference: Contrast,
    level: float,
) -> dict[str, Any]:
    """Compare a machine's pairs with those of humans in every group, as `ceiling` does."""
    used, is_human = _telling(kappas, sides), sides[0]
    machine, human = shares(used, of_machine), shares(used, is_human)
    columns: dict[str, Any] = {
        "n_items": kappas.rows.n_items,
        **tested(difference, level),
        **_limited(kappas, machine, level, "estimate_machine"),
        **_limited(kappas, human, level, "estimate_humans"),
        "n_machine_pairs": used[of_machine].sum(axis=0),
        "n_human_pairs": used[is_human].sum(axis=0),
        "reason": difference.reason,
    }
    if not is_human.any():
        reason = np.where(difference.reason == "", "no_other_pair", difference.reason)
        names = [*_limited(kappas, human, level, "estimate_humans"), *tested(difference, level)]
        columns |= dict.fromkeys(names, np.nan) | {"reason": reason}
    return columns


def _overall(
    kappas: PairKappas, sides: Sequence[BoolArray], apart: Contrast, level: float
) -> list[dict[str, float]]:
    """Return the means of humans and of machines, and their difference, without groups."""
    used, is_human = _telling(kappas, sides), sides[0]
    human, machine = shares(used, is_human), shares(used, ~is_human)
    test = t_test(apart, level)
    means = [limited_mean(kappas, one, level) for one in (human, machine)]
    return [
        _row(*(float(figure[0]) for figure in (one.estimate, one.se, low, high)))
        for one, low, high in (*means, (apart, test.ci_low, test.ci_high))
    ]


def _limited(
    kappas: PairKappas, weights: FloatArray, level: float, name: str
) -> dict[str, FloatArray]:
    """Return the columns of a mean with its limits."""
    one, low, high = limited_mean(kappas, weights, level)
    return {name: one.estimate, f"{name}_low": low, f"{name}_high": high}


def _over_groups(
    asked: Analysis, kappas: PairKappas, pairs: list[tuple[Label, Label]], is_human: BoolArray
) -> list[dict[str, float]]:
    """Return the Fisher-z means of humans and of machines over the groups, and the difference.

    Notes
    -----
    With ``m = tanh(sum(w z) / sum(w))`` for each kind, the difference moves by ``(1 - m**2) w /
    sum(w)`` with each z, by less that much with those of humans. The variance is the
    sum over the groups, which are independent, of these slopes and the covariances of the z.
    """
    panels, level = asked.panels, asked.interval.level
    variance_of = partial(variance_of_sum, kappas)
    known = {frozenset(pair): n for n, pair in enumerate(combinations(asked.raters, 2))}
    order = [known[frozenset(pair)] for pair in pairs]
    estimates, errors = panels.summary.estimate[order], panels.own_errors[order]
    unbiased: Any = {"unbiased_z": panels.unbiased_z[order], "clip": FISHER_CAP, "level": level}
    slopes, means = np.zeros(estimates.shape), list[PooledMean]()
    for sign, kind in ((-1.0, is_human), (1.0, ~is_human)):
        weights = np.where(kind[:, None], panels.weight, 0.0)
        mean = dependent_fisher_mean(estimates, weights, errors, variance_of, **unbiased)
        share = np.where(np.isnan(estimates), 0.0, weights)
        with np.errstate(divide="ignore", invalid="ignore"):  # no pair at all
            slopes[kind] = sign * (1 - mean.estimate**2) * share[kind] / share.sum()
        means.append(mean)
    size = means[1].estimate - means[0].estimate
    variance = variance_of(np.where(slopes == 0, 0.0, slopes * errors))
    se = np.nan if spans_groups(kappas.rows) else float(np.sqrt(variance))
    half = float(half_width(level)) * se
    rows = [_row(mean.estimate, np.nan, mean.ci_low, mean.ci_high) for mean in means]
    return [*rows, _row(size, se, size - half, size + half)]


def _row(estimate: float, se: float, low: float, high: float) -> dict[str, float]:
    """Name the figures of a line."""
    return {"estimate": estimate, "se": se, "ci_low": low, "ci_high": high}
