"""Everything that is known of judges beside people: `audit`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.comparisons.differences import measured_by, with_no_weight
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_margin
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
    sentences_of,
    together,
    told,
    verdict_of,
)
from pdkappa.methods.workbook.book import Book, Exported
from pdkappa.methods.workbook.sheets import notes_sheet
from pdkappa.present import schema
from pdkappa.present.findings import NO_FIGURES, Finding, Findings, signed, with_minus
from pdkappa.present.labels import listed, weights_in_words
from pdkappa.present.sheets import Sheet
from pdkappa.present.text_markup import call_of
from pdkappa.present.text_tables import Shown, result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from pdkappa._typing import (
        Label,
    )
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.machine.alt_test import AltTest
    from pdkappa.methods.machine.ceiling import Compared

OF_JUDGES = (
    *("n_items", "estimate", "estimate_humans", "difference", "difference_low", "difference_high"),
    *("margin", "p_non_inferior", "non_inferior", "reason", "remark"),
)
OF_TESTS = (
    *("winning_rate", "advantage_probability", "n_annotators", "replaces"),
    *("flip_rate", "p_position", "p_drift"),
)
MOST_TOLD = 6  # verdicts above the page
TITLES = {
    "kappas": "Judges with humans, and humans with each other",
    "judges": "Each judge compared with the humans",
    "tests": "The alternative annotator test, answers asked again, order and drift",
    "annotators": "The alternative annotator test, human by human",
    "classes": "Recall, specificity and bias of each judge, by category",
    "repeats": "The same question asked again",
    "positions": "The same question with the options in the other order",
    "drift": "Agreement over the batches",
}
NOTES = {
    "judges": (
        "Difference: mean coefficient of the judge with the humans, minus that of the humans "
        "with each other. Not inferior: the whole interval is above minus the margin."
    ),
    "annotators": (
        "Each human in turn is compared with the judge: who is closer to the other humans?"
    ),
    "classes": (
        "Each rating of a human is used as the truth in turn: compare the recall with the recall "
        "of humans, which is that of one human with another."
    ),
    "positions": "p: exact test of McNemar, not adjusted for the number of categories.",
}
NAMES = {"categories": "classes"}  # those of the sheets, where others have the name
METHOD = {
    "difference": (
        "A difference of dependent coefficients of the same items; its standard error is "
        "averaged with those of the humans in the judge's place."
    ),
    "alternative annotator test": (
        "One-sided tests that the share of items on which a human is closer to the others "
        "exceeds the judge's by less than epsilon: t tests, or exact tests below 30 items, "
        "adjusted by the method of Benjamini and Yekutieli. "
        "Calderon, Reichart and Dror (2025), https://doi.org/10.48550/arXiv.2501.10970"
    ),
    "recall, specificity, flip rate": "Limits are Wilson's.",
    "drift": "Welch's test of one mean coefficient in all batches.",
}


def sheets_of(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> list[Sheet]:
    """Show the verdicts first, then all frames that have rows, and notes."""
    sheets = book_of(tables, options).sheets
    notes = notes_sheet(sheets[1:], options, live=False, brief=True)
    method = pd.DataFrame([("Method", ""), *METHOD.items()], columns=list(notes.frame))
    whole = pd.concat([method, notes.frame], ignore_index=True)
    return [*sheets, Sheet("notes", whole, "Notes", kind="text", index=False)]


def book_of(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> Book:
    """Collect the verdicts first, then all frames that have rows."""
    frame = tables["frame"]
    words = told(frame, options["confidence_level"])
    verdicts = Sheet("verdicts", words, "The verdict on each judge, and what the data do not show")
    shown = {
        "kappas": tables["kappas"],
        "judges": frame[[*OF_JUDGES]],
        "tests": frame[[*OF_TESTS]].dropna(axis=1, how="all"),
    }
    shown |= {
        NAMES.get(name, name): table
        for name, table in tables.items()
        if name not in ("frame", "kappas") and len(table)
    }
    sheets = [
        Sheet(
            name,
            table,
            TITLES[name],
            notes=tuple(filter(None, [NOTES.get(name)])),
            emphasis=(HUMANS,),
        )
        for name, table in shown.items()
    ]
    return Book((verdicts, *sheets), options, method=tuple(METHOD.items()))


def found_in(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> Findings:
    """Say how a single judge differs from humans, or how many judges pass, and the verdicts."""
    frame, kappas = tables["frame"], tables["kappas"]
    spoken = COEFFICIENTS[options["coefficient"]].spoken
    figures = [_figures(row, ("estimate", "ci_low", "ci_high")) for _, row in kappas.iterrows()]
    humans, main, who = with_minus(*figures[0]), NO_FIGURES, listed(list(frame.index), 3)
    if len(frame) == 1:
        main = figures[1]
        apart = _figures(frame.iloc[0], ("difference", "difference_low", "difference_high"))
        against = f"{with_minus(*main)}, people with each other at {humans}: {signed(*apart)}"
        headline = f"{who} agrees with people at {against}."
    else:
        n = int(frame["non_inferior"].sum())
        margin = f"{options['margin']:g}"
        headline = (
            f"{n} of {len(frame)} judges are not inferior to people by more than {margin}, who "
            f"agree with each other at {humans}."
        )
    sentences = sentences_of(frame, options["confidence_level"], MOST_TOLD)
    basis = (
        f"Mean of {spoken}, {weights_in_words(options['weights'])} \N{MIDDLE DOT} "
        f"{100 * options['confidence_level']:.10g} % limits \N{MIDDLE DOT} "
        f"{len(options['humans'])} humans, {float(kappas['n_items'].iloc[0]):,.10g} items "
        f"\N{MIDDLE DOT} margin {options['margin']:g}, epsilon {options['epsilon']:g}"
    )
    return Findings(
        headline,
        tuple(Finding("audit", "", one, "verdicts") for one in sentences),
        basis=basis,
        figures=main,
        subject=f"Audit of {who}",
    )


def _figures(row: pd.Series[Any], names: tuple[str, str, str]) -> tuple[float, float, float]:
    """Return a figure and its limits."""
    estimate, low, high = (float(row[name]) for name in names)
    return estimate, low, high


SHOWN = (
    *("n_items", "estimate", "ci_low", "ci_high", "estimate_humans", "difference"),
    *("difference_low", "difference_high", "non_inferior", "winning_rate", "replaces"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Exported, Shown):
    """Machine judges compared with people, with verdicts in words.

    Attributes
    ----------
    frame : DataFrame
        One row for each judge, with its ``verdict`` in words; see `df.kappa.machine.audit`.
    kappas : DataFrame
        The mean coefficients of the humans with each other, and of each judge with them.
    categories : DataFrame
        One row for each judge and category: ``recall`` and ``specificity`` with the ratings of the
        humans for the truth, with their limits; ``recall_humans``, that of one human with another;
        ``share_judge, share_humans`` and ``excess``, the bias of the judge. Of more than 100
        categories the most frequent. Reasons for NaN: ``unseen_class`` (no human gave it),
        ``no_joint_items``.
    annotators : DataFrame
        One row for each judge and human; see `df.kappa.machine.alt_test`.
    repeats : DataFrame
        One row for each judge and column of answers to the same question: ``flip_rate`` with its
        limits, and ``estimate``, the coefficient of the judge with itself.
    positions : DataFrame
        One row for each judge, column of answers to swapped options, and category: its share in
        both orders, the ``shift`` with its limits, and the exact test of McNemar.
    drift : DataFrame
        One row for each judge and batch: the mean coefficient with the humans, and theirs.
    options : dict
        The options of the call.
    call : str
        The code that reproduces the audit.

    See Also
    --------
    df.kappa.machine.audit : Compute it.
    """

    frame: pd.DataFrame = field(repr=False)
    kappas: pd.DataFrame = field(repr=False)
    categories: pd.DataFrame = field(repr=False)
    annotators: pd.DataFrame = field(repr=False)
    repeats: pd.DataFrame = field(repr=False)
    positions: pd.DataFrame = field(repr=False)
    drift: pd.DataFrame = field(repr=False)
    options: dict[str, Any] = field(repr=False)
    call: str = field(repr=False, default="")

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All frames by name; those that were not asked for are empty."""
        names = ("frame", "kappas", "categories", "annotators", "repeats", "positions", "drift")
        return {name: getattr(self, name) for name in names}

    def note(self) -> str:
        """Say how many judges are as good as a human, by either test.

        Returns
        -------
        str
            One or two sentences.
        """
        judges, passed = len(self.frame), int(self.frame["non_inferior"].sum())
        replaces = int(self.frame["replaces"].sum())
        return (
            f"Audit of {judges} judge(s) against {len(self.options['humans'])} humans: {passed} "
            f"not "
            f"inferior by more than {self.options['margin']:g}, {replaces} may replace a human by "
            "the alternative annotator test. The column 'verdict' says what this means."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how far each judge's agreement with humans differs from theirs with each other.

        Judges whose whole interval is right of the margin are blue dots, all others are red
        diamonds.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all judges.

        Returns
        -------
        Axes
            With the difference on the horizontal axis, a line at 0 and one at the margin.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_judges

        return draw_judges(self.frame, level=self.options["confidence_level"], ax=ax)

    def _table(self) -> pd.DataFrame:
        """Return the figures of the judges without the words."""
        return self.frame[[*SHOWN]]

    def _level(self) -> float | None:
        """Return the confidence level of the limits."""
        return float(self.options["confidence_level"])

    def _sheets(self) -> list[Sheet]:
        """Show all tables that have rows."""
        return sheets_of(self.tables, self.options)

    def _book(self) -> Book:
        """Return what the workbook is made of."""
        return book_of(self.tables, self.options)

    def _findings(self) -> Findings:
        """Say the verdicts."""
        return found_in(self.tables, self.options)

    def _call(self) -> str:
        """Return the code that makes the audit again."""
        return self.call


OF_CEILING = {
    "difference": "difference",
    "difference_low": "ci_low",
    "difference_high": "ci_high",
    "p_non_inferior": "p_non_inferior",
    "non_inferior": "non_inferior",
}
OF_TEST = ("winning_rate", "advantage_probability", "n_annotators", "replaces")


@dataclass(frozen=True)
class Audited:
    """Judges and humans, and what is asked of them; the batches are the groups of the study."""

    study: Study
    judges: list[Label]
    humans: list[Label]
    answers: Answers
    asked: OfAudit

    def result(self, told: dict[str, Any], call: str) -> Audit:
        """Compute everything; `told` are the options of the call."""
        frames = {
            "kappas": self._kappas(),
            "categories": classes_of(self.whole, self.judges, self.humans, self.asked.level),
            "annotators": self.test.annotators,
            "repeats": self.repeats,
            "positions": self.positions,
            "drift": self.drift[0],
        }
        frame = self._frame(frames["kappas"])
        warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"])
        raters = [*self.judges, *self.humans]
        made = {name: result(one, raters) for name, one in {"frame": frame, **frames}.items()}
        return Audit(**made, options=told, call=call)

    @cached_property
    def whole(self) -> Study:
        """The ratings without their batches."""
        return together(self.study)

    @cached_property
    def compared(self) -> list[Compared]:
        """The kappas of all pairs of each judge and the humans."""
        return [self._beside(self.whole, judge) for judge in self.judges]

    @cached_property
    def test(self) -> AltTest:
        """The alternative annotator test."""
        some = of_raters(self.whole, [*self.humans, *self.judges])
        return self.asked.of(some, len(self.humans))

    @cached_property
    def repeats(self) -> pd.DataFrame:
        """How often judges that were asked again said something else."""
        return repeats_of(self.whole, self.answers.again, self.asked.coefficient, self.asked.level)

    @cached_property
    def positions(self) -> pd.DataFrame:
        """Shares of the categories in both orders."""
        return positions_of(self.whole, self.answers.swapped, self.asked.level)

    @cached_property
    def drift(self) -> tuple[pd.DataFrame, list[float]]:
        """Agreement over batches, and the p-value of each judge; without batches nothing."""
        if self.study.groups.labels is None:
            return pd.DataFrame(columns=list(schema.AUDIT_DRIFT)), [np.nan] * len(self.judges)
        found = [
            drift_of(self._beside(self.study, judge), self.asked.level) for judge in self.judges
        ]
        return pd.concat([frame for frame, _ in found]), [p_value for _, p_value in found]

    def _beside(self, study: Study, judge: Label) -> Compared:
        """Estimate the kappas of all pairs of a judge and the humans."""
        return beside_humans(study, judge, self.humans, self.asked.coefficient)

    def _kappas(self) -> pd.DataFrame:
        """Return the mean coefficients of the humans with each other, and of each judge."""
        means = [mean_of_humans(self.whole, self.humans, self.asked.coefficient, self.asked.level)]
        means += [mean_with_humans(one, self.asked.level) for one in self.compared]
        parts = [pd.DataFrame(mean.columns) for mean in means]
        return pd.concat(parts).set_axis(index_of([HUMANS, *self.judges], "rater"))

    def _frame(self, means: pd.DataFrame) -> pd.DataFrame:
        """Return one row for each judge, with its verdict."""
        parts = [
            pd.DataFrame(one.columns(self.asked.margin, self.asked.level)) for one in self.compared
        ]
        ceiling = pd.concat(parts, ignore_index=True)
        frame = means.iloc[1:].rename_axis("judge").drop(columns=["n_items", "reason"])
        frame.insert(0, "n_items", ceiling["n_items"].to_numpy())
        frame["estimate_humans"] = ceiling["estimate_humans"].to_numpy()
        for name, theirs in OF_CEILING.items():
            frame[name] = ceiling[theirs].array
        frame["margin"] = float(self.asked.margin)
        for name in OF_TEST:
            frame[name] = self.test.judges[name].array
        flips = self.repeats["flip_rate"].groupby(level="judge").mean()
        frame["flip_rate"] = [float(flips.get(judge, np.nan)) for judge in self.judges]
        frame["p_position"] = [p_of_position(self.positions, judge) for judge in self.judges]
        frame["p_drift"] = self.drift[1]
        no_weight = self.whole.groups.no_weight
        frame["reason"] = with_no_weight(no_weight, ceiling["reason"].to_numpy())
        remarks = zip(ceiling["remark"], self.test.judges["remark"], strict=True)
        frame["remark"] = ["; ".join(filter(None, both)) for both in remarks]
        records = frame.to_dict("records")
        said = [verdict_of(findings_of(row, self.asked.level)) for row in records]
        frame["verdict"], frame["not_said"] = ([one[place] for one in said] for place in (0, 1))
        return frame[list(schema.AUDIT)]


LABELS = {"judge", "annotator", "again", "swapped", "category"}


class OfAudit(OfReplacement, has.Coefficient, has.Weights, has.Categories, has.Level):
    """Options of `audit`."""

    margin: float = option(
        "How much less agreement is acceptable, for the test of non-inferiority. State it before "
        "you see the data.",
        "float",
        default=0.05,
        check=lambda _, value: check_margin(value),
    )
    again: Mapping[Label, Any] | None = option(
        "For judges that were asked again: the column of the other answers, or a list of them.",
        "dict",
        default=None,
    )
    swapped: Mapping[Label, Any] | None = option(
        "For judges that were asked with the options in the other order: the column of these "
        "answers, in which the same label means the same option.",
        "dict",
        default=None,
    )


@asks(
    OfAudit,
    by="Batches, such as months or versions of a prompt, over which the judges may drift.",
)
def audit(data: pd.DataFrame | Counted, asked: OfAudit) -> Audit:
    """Audit machine judges against people, with verdicts in words.

    Can a judge replace a human, on which categories does it err, does it give the same answer
    when it is asked again, does the order of the options matter, and does it drift?

    Returns
    -------
    Audit
        Its ``frame`` has one row for each judge:

        - ``n_items``: items that two of the judge and the humans rated;
        - ``estimate, se, ci_low, ci_high``: mean coefficient with each human;
        - ``estimate_humans``: that of the humans with each other;
        - ``difference, difference_low, difference_high, margin, p_non_inferior, non_inferior``:
          judge minus humans, as in `ceiling`;
        - ``winning_rate, advantage_probability, n_annotators, replaces``: as in `alt_test`;
        - ``flip_rate``: share of the items with a different answer when asked again, NaN if it was
          not;
        - ``p_position``: the smallest p-value of McNemar's exact tests that the order does not
          affect how often a category is chosen, times the number of categories (two count as one
          test);
        - ``p_drift``: of Welch's test that the mean coefficient is the same in all batches;
        - ``verdict, not_said``: the same in words, and what the interval of the difference does
          not show;
        - ``reason, remark``: as in `ceiling` and `alt_test`.

        Its other frames are ``kappas, categories, annotators, repeats, positions, drift``; see
        `Audit`. It has ``.to_html(path)``, ``.to_excel(path)`` and ``.plot()``.

    Raises
    ------
    OptionError
        If `margin`, `again` or `swapped` has an invalid value, or `again` names none of the
        judges.
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
    30 to 200 items per batch. Items are assumed to be independent.

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
    >>> found = df.kappa.machine.audit(
    ...     "machine", ["human_1", "human_2"], weights="quadratic", margin=0.1
    ... )
    >>> found.frame[["estimate", "estimate_humans", "difference", "non_inferior"]].round(3)
             estimate  estimate_humans  difference  non_inferior
    judge
    machine     0.686            0.709      -0.023          True
    >>> print(found.frame.loc["machine", "not_said"])
    The interval includes 0, so it does not show which of the two agrees better.
    """
    names = asked.tested
    people = measured_by(asked.humans, "audit", judges=names)
    check_by(asked.by, {*schema.AUDIT, *schema.AUDIT_DRIFT, *LABELS})
    answers = Answers(
        columns_beside("again", asked.again, names, people),
        columns_beside("swapped", asked.swapped, names, people),
    )
    raters = list(dict.fromkeys([*names, *people, *answers.columns]))
    study = read(data, raters, asked.reading, needs_order=asked.needs_order)
    told = {one.name: getattr(asked, one.name) for one in asked.options}
    told |= {"humans": people, "confidence_level": asked.level}
    bound = "ratings" if isinstance(data, Counted) else "df.kappa"
    call = call_of(audit, told, f"{bound}.machine")
    return Audited(study, names, people, answers, asked).result(told, call)
