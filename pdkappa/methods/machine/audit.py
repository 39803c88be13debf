"""Everything that is known of machines beside people: `audit`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import half_width, two_sided
from pdkappa.errors import DuplicateRatingError, OptionError, shown
from pdkappa.methods.comparisons.compare import check_different, measured_by, with_no_weight
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_by, check_label
from pdkappa.methods.estimates.pair_frames import joined, warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.told import SURE, holm, p_in_words, verdict_on, worst_of
from pdkappa.methods.machine.alt_test import OfReplacement
from pdkappa.methods.machine.ceiling import Compared
from pdkappa.methods.machine.verdicts import (
    CONCLUSIONS,
    HUMANS,
    NOT_ALLOWED,
    classes_of,
    conclusion_of,
    drift_of,
    findings_of,
    mean_of_humans,
    mean_with_humans,
    of_raters,
    p_of_position,
    positions_of,
    repeats_of,
    together,
    verdict_of,
)
from pdkappa.present import schema
from pdkappa.present.findings import NO_FIGURES, Finding, Findings, signed, with_minus
from pdkappa.present.labels import listed, one_line, place_of, rounded
from pdkappa.present.text_tables import Bundle, result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes

    from pdkappa._typing import Label
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.machine.alt_test import AltTest
    from pdkappa.present.findings import Figures, Verdict
    from pdkappa.ratings.coded import Counted


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Bundle):
    """Machines compared with people, with verdicts in words.

    Frames of what was not asked for are empty.

    Attributes
    ----------
    machines : DataFrame
        One row for each machine, with its ``verdict`` in words; see `audit`.
    kappas : DataFrame
        The mean coefficients of the humans with each other, and of each machine with them.
    categories : DataFrame
        One row for each machine and category: ``recall`` and ``specificity`` with the ratings of
        the humans for the truth, with their limits; ``recall_humans``, that of one human with
        another, NaN where no item has two; ``share_machine, share_humans`` and ``excess``, the bias
        of the machine. Of more than 100 categories the most frequent. Reasons for NaN:
        ``no_variance`` (`excess` is the same in all items), ``n_lt_2`` (there is one item, or
        cluster, or one in which the category stands), ``unseen_class`` (no human gave it, or none
        another), ``no_joint_items``.
    humans : DataFrame
        One row for each machine and human; see `alt_test`.
    repeats : DataFrame
        One row for each machine and column of answers to the same question: ``flip_rate`` with its
        limits, and ``estimate``, the coefficient of the machine with itself.
    positions : DataFrame
        One row for each machine, column of answers to swapped options, and category: its share in
        both orders, the ``shift`` with its limits, and the exact test of McNemar, of
        clusters no surer than the limits, and NaN of a single one (``n_lt_2``).
    drift : DataFrame
        One row for each machine and batch: the mean coefficient with the humans, and theirs.

    See Also
    --------
    df.kappa.machine.audit : Compute it.
    """

    machines: pd.DataFrame = field(repr=False)
    kappas: pd.DataFrame = field(repr=False)
    categories: pd.DataFrame = field(repr=False)
    humans: pd.DataFrame = field(repr=False)
    repeats: pd.DataFrame = field(repr=False)
    positions: pd.DataFrame = field(repr=False)
    drift: pd.DataFrame = field(repr=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how far each machine's agreement with humans differs from theirs with each other.

        Machines whose whole interval is right of the margin are blue dots, all others are red
        diamonds; without a margin, those whose whole interval is below 0.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all machines.

        Returns
        -------
        Axes
            With the difference on the horizontal axis, a line at 0 and one at the margin.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_figures, in_brackets, in_decimals

        frame, margin = self.machines, self.options["margin"]
        figure = ("difference", "difference_low", "difference_high")
        level = self.options["confidence_level"]
        below = "" if margin is None else "; dotted: margin"
        columns = {
            "estimate": in_decimals(frame["estimate"]),
            f"difference [{100 * level:g} %]": in_brackets(frame, figure),
            "humans beaten": in_decimals(frame["winning_rate"]),
        }
        good = frame["non_inferior"].fillna(value=False).to_numpy(dtype=bool)
        return draw_figures(
            frame,
            figure,
            caption=f"agreement with humans minus agreement among humans{below}",
            columns=columns,
            bad=frame["difference_high"] < 0 if margin is None else ~good,
            line=np.nan if margin is None else -margin,
            ax=ax,
        )


OF_CEILING = {
    "margin": "margin",
    "difference": "difference",
    "difference_low": "ci_low",
    "difference_high": "ci_high",
    "p_non_inferior": "p_non_inferior",
    "non_inferior": "non_inferior",
}
OF_TEST = ("winning_rate", "advantage_probability", "n_humans", "replaces")


class Answers(NamedTuple):
    """Columns of other answers of some machines, by machine."""

    again: dict[Label, list[Label]]
    swapped: dict[Label, list[Label]]

    @property
    def columns(self) -> list[Label]:
        """All of the columns."""
        return [column for given in self for columns in given.values() for column in columns]


def columns_beside(
    option: str, given: Any, machines: list[Label], humans: list[Label]
) -> dict[Label, list[Label]]:
    """Return the columns that hold other answers of some machines, which are named by the user."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(
            f"{option} must be a dict of machines and their columns, got {shown(given)}. Write "
            f"{option}={{{shown(machines[0])}: 'another column'}}."
        )
    found = {}
    for machine, columns in given.items():
        if machine not in machines:
            raise OptionError(
                f"{option} names {shown(machine)}, which is not one of the machines. Add it there."
            )
        found[machine] = columns if isinstance(columns, list) else [columns]
        for column in found[machine]:
            check_label(option, column)
            if column in [*machines, *humans]:
                raise DuplicateRatingError(
                    f"{option} has {shown(column)} as other answers of {shown(machine)}, but it is "
                    "a machine or a human itself. Name the column of the other answers."
                )
        check_different(found[machine], option)
    return found


@dataclass(frozen=True)
class Audited:
    """Machines and humans, and what is asked of them; the batches are the groups of the study."""

    study: Study
    machines: list[Label]
    humans: list[Label]
    answers: Answers
    asked: OfAudit

    def result(self) -> Audit:
        """Compute everything."""
        frames = {
            "kappas": self._kappas(),
            "categories": classes_of(self.whole, self.machines, self.humans, self.asked.level),
            "humans": self.test.humans,
            "repeats": self.repeats,
            "positions": self.positions,
            "drift": self.drift[0],
        }
        frame = self._frame(frames["kappas"])
        warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"])
        raters = [*self.machines, *self.humans]
        made = {name: result(one, raters) for name, one in {"machines": frame, **frames}.items()}
        return Audit(**made)

    @cached_property
    def whole(self) -> Study:
        """The ratings without their batches."""
        return together(self.study)

    @cached_property
    def compared(self) -> list[Compared]:
        """The kappas of all pairs of each machine and the humans."""
        return [self._beside(self.whole, machine) for machine in self.machines]

    @cached_property
    def test(self) -> AltTest:
        """The alternative annotator test."""
        some = of_raters(self.whole, [*self.humans, *self.machines])
        return self.asked.of(some, len(self.humans))

    @cached_property
    def repeats(self) -> pd.DataFrame:
        """How often machines that were asked again said something else."""
        return repeats_of(self.whole, self.answers.again, self.asked.coefficient, self.asked.level)

    @cached_property
    def positions(self) -> pd.DataFrame:
        """Shares of the categories in both orders."""
        return positions_of(self.whole, self.answers.swapped, self.asked.level)

    @cached_property
    def drift(self) -> tuple[pd.DataFrame, list[float]]:
        """Agreement over batches, and the p-value of each machine; without batches nothing."""
        if self.study.groups.labels is None:
            return pd.DataFrame(columns=list(schema.AUDIT_DRIFT)), [np.nan] * len(self.machines)
        beside = (self._beside(self.study, machine) for machine in self.machines)
        found = [drift_of(one, self.asked.level) for one in beside]
        return pd.concat([frame for frame, _ in found]), [p_value for _, p_value in found]

    def _beside(self, study: Study, machine: Label) -> Compared:
        """Estimate the kappas of all pairs of a machine and the humans."""
        some = of_raters(study, [machine, *self.humans])
        return Compared.of(some, self.asked.coefficient)

    def _kappas(self) -> pd.DataFrame:
        """Return the mean coefficients of the humans with each other, and of each machine."""
        means = [mean_of_humans(self.whole, self.humans, self.asked.coefficient, self.asked.level)]
        means += [mean_with_humans(one, self.asked.level) for one in self.compared]
        parts = [pd.DataFrame(mean.columns) for mean in means]
        return pd.concat(parts).set_axis(index_of([HUMANS, *self.machines], "rater"))

    def _frame(self, means: pd.DataFrame) -> pd.DataFrame:
        """Return one row for each machine, with its verdict."""
        parts = [
            pd.DataFrame(one.columns(self.asked.margin, self.asked.level)) for one in self.compared
        ]
        ceiling = pd.concat(parts, ignore_index=True)
        frame = means.iloc[1:].rename_axis("machine").drop(columns=["n_items", "reason", "remark"])
        frame.insert(0, "n_items", ceiling["n_items"].to_numpy())
        frame["estimate_humans"] = ceiling["estimate_humans"].to_numpy()
        for name, theirs in OF_CEILING.items():
            frame[name] = ceiling[theirs].array
        for name in OF_TEST:
            frame[name] = self.test.machines[name].array
        flips = self.repeats["flip_rate"].groupby(level="machine").mean()
        frame["flip_rate"] = [float(flips.get(machine, np.nan)) for machine in self.machines]
        frame["p_position"] = [p_of_position(self.positions, machine) for machine in self.machines]
        frame["p_drift"] = self.drift[1]
        no_weight = self.whole.groups.no_weight
        frame["reason"] = with_no_weight(no_weight, ceiling["reason"].to_numpy())
        drift = self.drift[0]["remark"].groupby(level=0).max().reindex(self.machines, fill_value="")
        frame["remark"] = joined(ceiling["remark"], self.test.machines["remark"], drift)
        records = frame.to_dict("records")
        by = listed(self.drift[0].index.names[1:])
        said = [verdict_of(findings_of(row, self.asked.level, by)) for row in records]
        frame["verdict"], frame["not_said"] = ([one[place] for one in said] for place in (0, 1))
        return frame[list(schema.AUDIT)]


LABELS = {"machine", "human", "again", "swapped", "category"}


class OfAudit(OfReplacement, has.Kappa, has.Level, has.Margin):
    """Options of `audit`."""

    again: Mapping[Label, Any] | None = option(
        "For machines that were asked again: the column of the other answers, or a list of them.",
        "dict",
        default=None,
    )
    swapped: Mapping[Label, Any] | None = option(
        "For machines that were asked with the options in the other order: the column of these "
        "answers, in which the same label means the same option.",
        "dict",
        default=None,
    )

    def found_in(self, made: Any) -> Findings:
        """Say how machines agree with people, beside people, and what else was found."""
        frame, people = made.machines, with_minus(*_figures(made.kappas.iloc[0]))
        who, main = listed([one_line(one) for one in frame.index], MOST_SHOWN), NO_FIGURES
        if len(frame) == 1:
            main = _figures(frame.iloc[0])
            headline = f"{_compared(frame.iloc[0], who)}: {with_minus(*main)} against {people}."
        else:
            ends = (with_minus(frame["estimate"].agg(end)) for end in ("min", "max"))
            headline = f"{who} agree with people at {' to '.join(ends)}, people at {people}."
        seen = Seen(made, self.level)
        found = tuple(one for kind in KINDS.values() for one in kind(seen))
        return Findings(headline, found, figures=main, subject=f"Audit of {who}")


class Seen(NamedTuple):
    """What was computed, and the confidence level."""

    made: Audit
    level: float


MOST_SHOWN = 3
APART = ("difference", "difference_low", "difference_high")
TINY = 1e-6


def _figures(row: Any, names: Sequence[str] = ("estimate", "ci_low", "ci_high")) -> Figures:
    """Return a figure and its limits."""
    estimate, low, high = (float(row[one]) for one in names)
    return estimate, low, high


def _compared(row: Any, who: str) -> str:
    """Say what the difference of a machine and people shows."""
    apart = _figures(row, APART)
    if np.isnan(apart[1]):
        return f"It is undecided how {who} compares with people"
    found = conclusion_of(apart[1], apart[2], float(row["margin"]))
    return f"{who} {CONCLUSIONS[found]} ({signed(*apart)})"


def of_agreement(seen: Seen) -> Iterator[Finding]:
    """Say of each of several machines how it compares with people."""
    frame = seen.made.machines
    for name, row in frame.iterrows() if len(frame) > 1 else ():
        apart = _figures(row, APART)
        said = f"{_compared(row, one_line(name))}."
        yield Finding("agreement", "", said, "machines", apart, verdict_on(*apart[1:]))


def of_leaning(seen: Seen) -> Iterator[Finding]:
    """Name the category that a machine gives too often, or too seldom, if that is shown."""
    frame = seen.made.categories.dropna(subset=["excess_low"])
    half = (frame["excess_high"] - frame["excess_low"]) / 2
    z = frame["excess"] / half.where(half > 0) * float(half_width(seen.level))
    worst = worst_of(pd.Series(two_sided(z.to_numpy())), z.abs() + TINY * (z > 0))
    if worst is None:
        return
    row, (machine, category) = frame.iloc[worst], map(one_line, frame.index[worst])
    often = "more" if row["excess"] > 0 else "less"
    own, people = (f"{100 * row[x]:.0f} %" for x in ("share_machine", "share_humans"))
    said = f"{machine} says {category} {often} often than people: {own} against {people}."
    figures = _figures(row, ("excess", "excess_low", "excess_high"))
    yield Finding("leaning", machine, said, "categories", figures)


def of_order(seen: Seen) -> Iterator[Finding]:
    """Tell how the order of the options moves each machine; name it if that is sure."""
    for machine, p in _adjusted(seen, "p_position"):
        own, name = seen.made.positions.xs(machine, level="machine"), one_line(machine)
        place = int(own["p_value"].to_numpy().argmin())
        row, label = own.iloc[place], one_line(own.index[place][-1])
        given, swapped = (f"{100 * row[x]:.0f} %" for x in ("share_given", "share_swapped"))
        moves = "moves" if p < 1 - seen.level else "is not shown to move"
        shares = f"it says {label} {given} of the time, and {swapped} with the options swapped"
        said = f"The order of the options {moves} {name}: {shares}"
        figures = _figures(row, ("shift", "shift_low", "shift_high"))
        who = name * (p < SURE)
        yield Finding(
            "order", who, f"{said}, {p_in_words(p)}.", "positions", figures, _by_p(p, seen)
        )


def of_drift(seen: Seen) -> Iterator[Finding]:
    """Tell how the agreement of each machine changes between batches; name it if that is sure.

    Where that is not tested, its agreement in the batches is told, and why.
    """
    tested = dict(_adjusted(seen, "p_drift"))
    for machine in seen.made.machines.index if len(seen.made.drift) else ():
        drift = seen.made.drift.xs(machine, level="machine")
        own, untested = drift["estimate"].dropna(), drift["remark"].max()
        if not len(own) or not (machine in tested or untested):
            continue
        name, p = one_line(machine), tested.get(machine, np.nan)
        ends = [own.index[int(one)] for one in (own.to_numpy().argmax(), own.to_numpy().argmin())]
        span = " to ".join(f"{rounded(own[x])} ({place_of(own.index.names, x)})" for x in ends)
        drifts = "differs" if p < 1 - seen.level else "is not shown to differ"
        about = f"The agreement of {name} with people"
        said = f"{about} {drifts} by {listed(own.index.names)}: {span}, {p_in_words(p)}."
        if machine not in tested:
            said = f"{about} by {listed(own.index.names)} is {span}; {untested}."
        figures = float(own.min() - own.max()), np.nan, np.nan
        who = name * (p < SURE)
        yield Finding("drift", who, said, "drift", figures, _by_p(p, seen))


def _adjusted(seen: Seen, column: str) -> Iterator[tuple[Any, float]]:
    """Yield the machines that were tested, with p-values that are adjusted for their number."""
    known = seen.made.machines[column].dropna()
    yield from zip(known.index, holm(known.to_numpy(dtype=float)).tolist(), strict=True)


def _by_p(p: float, seen: Seen) -> Verdict:
    """Say whether something is shown by a p-value."""
    return "shown" if p < 1 - seen.level else "cannot tell"


def of_the_rest(seen: Seen) -> Iterator[Finding]:
    """Tell who may replace a human, how often machines change their minds, what is not shown."""
    frame = seen.made.machines
    for name, row in zip(frame.index, frame.to_dict("records"), strict=True):
        told = findings_of(row, seen.level)
        before = f"{one_line(name)}: " if len(frame) > 1 else ""
        for kind in ("replacement", "asked again", NOT_ALLOWED):
            if kind in told:
                yield Finding(kind, "", f"{before}{told[kind]}", "machines", verdict="cannot tell")


# Kinds of findings, first those that change what the reader does.
KINDS: dict[str, Callable[[Seen], Iterator[Finding]]] = {
    "leaning": of_leaning,
    "order": of_order,
    "drift": of_drift,
    "agreement": of_agreement,
    "replacement": of_the_rest,
}


@asks(
    OfAudit,
    by="Batches, such as months or versions of a prompt, over which the machines may drift.",
)
def audit(data: pd.DataFrame | Counted, asked: OfAudit) -> Audit:
    """Audit machines that judge against people, with verdicts in words.

    Can a machine replace a human, on which categories does it err, does it give the same answer
    when it is asked again, does the order of the options matter, and does it drift?

    Returns
    -------
    Audit
        Its ``machines`` have one row for each machine:

        - ``n_items``: items that two of the machine and the humans rated;
        - ``estimate, se, ci_low, ci_high``: mean coefficient with each human;
        - ``estimate_humans``: that of the humans with each other;
        - ``difference, difference_low, difference_high, margin, p_non_inferior, non_inferior``:
          machine minus humans, as in `ceiling`; the last three need a margin;
        - ``winning_rate, advantage_probability, n_humans, replaces``: as in `alt_test`;
        - ``flip_rate``: share of the items with a different answer when asked again, NaN if it was
          not;
        - ``p_position``: the smallest p-value of McNemar's exact tests that the order does not
          affect how often a category is chosen, times the number of categories (two count as one
          test); of clusters no less than where the limits of the shift end at 0;
        - ``p_drift``: of Welch's test that the mean coefficient is the same in all batches; NaN
          if one has no standard error, or clusters have items in several, as `remark` says;
        - ``verdict, not_said``: the same in words, and what the interval of the difference does
          not show;
        - ``reason, remark``: as in `ceiling` and `alt_test`, and why drift is not tested.

        Its other frames are ``kappas, categories, humans, repeats, positions, drift``; see
        `Audit`.

    See Also
    --------
    ceiling : The difference from the humans alone.
    alt_test : The alternative annotator test alone.

    Notes
    -----
    All ratings share one scale. Recall and specificity use each rating of a human as the truth in
    turn, so compare them with those of one human with another; their limits are Wilson's [1]_, for
    the effective number of independent ratings that has their variance; at the level .95 they
    covered the true value in .92 to .98 of simulated samples of 40 to 600 items with three humans
    and categories of 5 to 60 %. The test of drift is Welch's [2]_ for independent batches with
    separate standard errors; at the level .05 its error rate is .05 to .08 in simulated samples of
    30 to 200 items per batch. With `cluster` all limits are those of sums over clusters, or of as
    many items as these are worth, with t quantiles; batches must not share clusters.

    References
    ----------
    .. [1] Wilson, 1927
    .. [2] Welch, 1951

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 3")
    >>> people = ["human_1", "human_2"]
    >>> found = df.kappa.machine.audit(people, "machine", weights="quadratic", margin=0.1)
    >>> found.machines[["estimate", "estimate_humans", "difference", "non_inferior"]].round(3)
             estimate  estimate_humans  difference  non_inferior
    machine
    machine     0.686            0.709      -0.023          True
    >>> print(found.machines.loc["machine", "not_said"])
    The interval includes 0, so it does not show which of the two agrees better.
    """
    asked.tell(score=asked.score_name)
    names = asked.machines
    people = measured_by(asked.humans, "audit", machine=names)
    check_by(asked.by, {*schema.AUDIT, *schema.AUDIT_DRIFT, *LABELS})
    answers = Answers(
        columns_beside("again", asked.again, names, people),
        columns_beside("swapped", asked.swapped, names, people),
    )
    raters = list(dict.fromkeys([*names, *people, *answers.columns]))
    study = read(data, raters, asked.reading, needs_order=asked.needs_order)
    return Audited(study, names, people, answers, asked).result()
