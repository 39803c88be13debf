"""Everything that is known of machines beside people: `audit`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.methods.comparisons.compare import measured_by, with_no_weight
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.methods.machine.alt_test import OfReplacement
from pdkappa.methods.machine.verdicts import (
    HUMANS,
    Answers,
    beside_humans,
    classes_of,
    columns_beside,
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
from pdkappa.present.labels import one_line
from pdkappa.present.text_tables import Bundle, result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from pdkappa._typing import (
        Label,
    )
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.machine.alt_test import AltTest
    from pdkappa.methods.machine.ceiling import Compared
    from pdkappa.ratings.coded import Counted


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Bundle):
    """Machines compared with people, with verdicts in words.

    Attributes
    ----------
    machines : DataFrame
        One row for each machine, with its ``verdict`` in words; see `audit`.
    kappas : DataFrame
        The mean coefficients of the humans with each other, and of each machine with them.
    categories : DataFrame
        One row for each machine and category: ``recall`` and ``specificity`` with the ratings of
        the humans for the truth, with their limits; ``recall_humans``, that of one human with
        another; ``share_machine, share_humans`` and ``excess``, the bias of the machine. Of more
        than 100 categories the most frequent. Reasons for NaN: ``unseen_class`` (no human gave it),
        ``no_joint_items``.
    humans : DataFrame
        One row for each machine and human; see `alt_test`.
    repeats : DataFrame
        One row for each machine and column of answers to the same question: ``flip_rate`` with its
        limits, and ``estimate``, the coefficient of the machine with itself.
    positions : DataFrame
        One row for each machine, column of answers to swapped options, and category: its share in
        both orders, the ``shift`` with its limits, and the exact test of McNemar.
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

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All frames by name; those that were not asked for are empty."""
        names = ("machines", "kappas", "categories", "humans", "repeats", "positions", "drift")
        return {name: getattr(self, name) for name in names}

    @property
    def sentence(self) -> str:
        """Say how many machines are as good as a human, by either test."""
        n, replaces = len(self.machines), int(self.machines["replaces"].sum())
        margin = self.options["margin"]
        passed = "no margin is given"
        if margin is not None:
            passed = (
                f"{int(self.machines['non_inferior'].sum())} not inferior by more than {margin:g}"
            )
        return (
            f"Audit of {n} machine(s) against {len(self.options['humans'])} humans: {passed}, "
            f"{replaces} may replace a human by the alternative annotator test. The column "
            "'verdict' says what this means."
        )

    @property
    def remarks(self) -> list[str]:
        """What there is to say of the figures: the verdict on each machine, then warnings.

        Returns
        -------
        list of str
            Sentences.
        """
        verdicts = self.machines[["verdict", "not_said"]].itertuples(name=None)
        said = [" ".join(filter(None, (f"{one_line(row[0])}:", *row[1:]))) for row in verdicts]
        return [*said, *super().remarks]

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
        level, below = (
            self.options["confidence_level"],
            "" if margin is None else "; dotted: margin",
        )
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
        found = [
            drift_of(self._beside(self.study, machine), self.asked.level)
            for machine in self.machines
        ]
        return pd.concat([frame for frame, _ in found]), [p_value for _, p_value in found]

    def _beside(self, study: Study, machine: Label) -> Compared:
        """Estimate the kappas of all pairs of a machine and the humans."""
        return beside_humans(study, machine, self.humans, self.asked.coefficient)

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
        remarks = zip(ceiling["remark"], self.test.machines["remark"], strict=True)
        frame["remark"] = ["; ".join(filter(None, both)) for both in remarks]
        records = frame.to_dict("records")
        said = [verdict_of(findings_of(row, self.asked.level)) for row in records]
        frame["verdict"], frame["not_said"] = ([one[place] for one in said] for place in (0, 1))
        return frame[list(schema.AUDIT)]


LABELS = {"machine", "human", "again", "swapped", "category"}


class OfAudit(OfReplacement, has.Coefficient, has.Weights, has.Categories, has.Level, has.Margin):
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
          test);
        - ``p_drift``: of Welch's test that the mean coefficient is the same in all batches;
        - ``verdict, not_said``: the same in words, and what the interval of the difference does
          not show;
        - ``reason, remark``: as in `ceiling` and `alt_test`.

        Its other frames are ``kappas, categories, humans, repeats, positions, drift``; see
        `Audit`.

    Raises
    ------
    OptionError
        If `margin`, `again` or `swapped` has an invalid value, or `again` names none of the
        machines.
    DuplicateRatingError
        If a rater is named twice.
    RatingsError
        If there are fewer than two humans.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some difference is NaN.

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
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical
           inference. Journal of the American Statistical Association, 22(158), 209-212.
           https://doi.org/10.1080/01621459.1927.10502953
    .. [2] Welch, B. L. (1951). On the comparison of several mean values: an alternative approach.
           Biometrika, 38(3/4), 330-336. https://doi.org/10.2307/2332579

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
