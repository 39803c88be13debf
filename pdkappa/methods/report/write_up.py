"""The result of `report`, and its paragraphs for a paper."""

from __future__ import annotations

import copy
import html
import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import plural, shown
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.crosscheck import crosscheck
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.drilldown.categories import additive, categories
from pdkappa.methods.drilldown.items import items
from pdkappa.methods.drilldown.raters import POOLED, raters
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.told import told
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.report.analysis import check_title, numbers_of
from pdkappa.methods.report.method_text import how_measured, how_sure, what_was_rated
from pdkappa.methods.workbook.book import NAMES, Exported
from pdkappa.present.labels import reach, visible, weights_in_words
from pdkappa.present.schema import REASONS
from pdkappa.present.text_cells import matrix_cells
from pdkappa.present.text_markup import (
    ITALIC,
    ROMAN,
    Part,
    apa,
    apa_p,
    apa_with_ci,
    cited_in,
    counted,
    prose,
    software,
)
from pdkappa.present.text_tables import check_digits, result, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from pdkappa.methods.estimates.asks import Asked, Call
    from pdkappa.methods.estimates.told import Heard
    from pdkappa.methods.report.analysis import Analysis, Line, OfReport
    from pdkappa.methods.workbook.book import Book
    from pdkappa.present.findings import Findings
    from pdkappa.present.html_page import Handout
    from pdkappa.present.sheets import Sheet
    from pdkappa.present.text_markup import TextCells
    from pdkappa.present.text_tables import Told

DIFFERENCE = "Machine minus humans"  # a line of the summary
TO_BE_STATED = "[to be stated]"
REST = ".findings .cautions .tables .methods() .to_html(path) .to_excel(path)"

# The items of Kottner et al. (2011), and of what those are filled that an analysis knows.
GRRAS = (
    "Title and abstract: reliability or agreement was investigated",
    "The diagnostic or measurement device",
    "The population of the items",
    "The population of the raters",
    "What is already known, and why the study was made",
    "How the sample size was chosen; the intended numbers of raters, items, and replicates",
    "How raters and items were sampled",
    "The process of rating: time between ratings, what raters knew, blinding",
    "Whether ratings were made independently",
    "Statistical analysis",
    "The actual numbers of raters, items, and replicates",
    "Characteristics of raters and items",
    "Estimates of reliability and agreement, with their uncertainty",
    "Practical relevance of the results",
    "Detailed results",
)


class WriteUp(NamedTuple):
    """Texts about a report: parts of a paper, and a checklist."""

    paper: tuple[Part, ...]
    checklist: tuple[Part, ...]


def write_up(
    asked: Analysis, sheets: Sequence[Sheet], lines: Sequence[Line], call: str, found: Findings
) -> WriteUp:
    """Put the facts of an analysis into sentences.

    `sheets` are those of the report, `lines` the figures of the summary: those of machines first,
    then the main one. `call` is the code that reproduces it; the results begin with what was
    `found`.
    """
    tables = {sheet.name: sheet.frame for sheet in sheets}
    n_undefined = int(tables["pairs"]["estimate"].isna().sum())
    rated = " ".join(what_was_rated(asked))
    sure = how_sure(
        asked, n_undefined, has_limits=_has_limits(lines), has_difference=_has_difference(lines)
    )
    measured = how_measured(asked, [line.weights for line in _of_main(lines)[1:]])
    computed = _in_italics(" ".join([*measured, *sure, software()]))
    results = " ".join(_results(asked, tables, lines))
    first = " ".join([found.headline, *(one.sentence for one in found.told)])
    counts = numbers_of(asked)
    who, what = counted(counts.n_raters, "rater"), counted(counts.items, "item")
    numbers = (
        f"{who}, {what}, and {counted(counts.ratings, 'rating')}, at most one per rater and item"
    )
    known = {
        6: f"{TO_BE_STATED} The study has {numbers}.",
        10: computed,
        11: _sentences(numbers, counts.of_joint, counts.of_left_out, _of_pairs(tables["pairs"])),
        13: f"{first} {results}",
        15: _details(sheets, call),
    }
    items = tuple(
        f"{what}: {known.get(number, TO_BE_STATED)}" for number, what in enumerate(GRRAS, 1)
    )
    paper = (Part("Method", (rated, computed)), Part("Results", (first, results)))
    return WriteUp(
        (*paper, Part("References", cited_in(f"{rated} {computed} {results}"))),
        (
            Part(
                "Guidelines for Reporting Reliability and Agreement Studies (GRRAS)",
                items,
                numbered=True,
            ),
            Part("References", cited_in(f"{' '.join(items)} Kottner et al., 2011")),
        ),
    )


def _sentences(*texts: str) -> str:
    """Make sentences of texts, but of empty ones."""
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in texts if one)


def _has_limits(lines: Sequence[Line]) -> bool:
    """Whether the main figure, or one with other weights, has limits."""
    return any(not math.isnan(line.figures[2]) for line in _of_main(lines))


def _of_main(lines: Sequence[Line]) -> list[Line]:
    """Find the main figure, and after it the same with other weights; nothing if all is NaN."""
    figures = [line for line in lines if line.name not in MACHINES]
    return [line for line in figures if line.name == figures[0].name]


def _in_italics(text: str) -> str:
    """Set the symbols of statistics in italics, as the APA does."""
    symbols = (
        r"(?<=Fisher's )z\b|\bt(?= (?:distribution|quantiles)\b)|(?<=Cochran's )Q\b"
        "|I(?=\N{SUPERSCRIPT TWO})"
    )
    return re.sub(symbols, rf"{ITALIC}\g<0>{ROMAN}", text)


def _has_difference(lines: Sequence[Line]) -> bool:
    """Whether machines are compared with humans, with limits."""
    return any(line.name == DIFFERENCE and not math.isnan(line.figures[2]) for line in lines)


def _details(sheets: Sequence[Sheet], call: str) -> str:
    """Name the tables of a report, and the call that makes it again."""
    kinds = ("confusion", "text")
    names = [_in_words(sheet.name) for sheet in sheets if sheet.kind not in kinds]
    if n_confusions := sum(sheet.kind == "confusion" for sheet in sheets):
        names.append(counted(n_confusions, "confusion table"))
    line = re.sub(r"\n\s*", " ", call.replace("(\n    ", "(").replace(",\n)", ")"))
    return f"Tables of the report: {', '.join(names)}. The report is reproduced by {line}"


def _in_words(table: str) -> str:
    """Say what a table shows.

    >>> _in_words("pairwise se"), _in_words("pooled")
    ('matrix of standard errors', 'means')
    """
    return visible(TABLES.get(table, NAMES.get(table, table).lower()))


def _results(
    asked: Analysis, tables: Mapping[str, pd.DataFrame], lines: Sequence[Line]
) -> Iterator[str]:
    """Tell the main figures with their intervals."""
    level = f"{100 * asked.interval.level:.10g}%"
    of_machines = [line for line in lines if line.name in MACHINES]
    for line in of_machines if asked.several else ():  # of two raters the main figure is the same
        yield f"{MACHINES[line.name]} {_figure(line, level)}."
    if not _of_main(lines):
        reason = next((one for one in tables["pairs"]["reason"] if one), "")
        yield f"The coefficient is undefined. {REASONS.get(reason, '')}".strip()
        return
    main, *others = _of_main(lines)
    yield f"{_name(asked)} was {_figure(main, level)}."
    if math.isnan(main.figures[1]):
        yield REASONS.get(str(main.row.get("reason", "")), "")
    for line in others:
        weights = weights_in_words(line.weights)
        begin = weights.capitalize() if line.weights is None else f"With {weights}"
        yield f"{begin}, it was {_figure(line, level)}."
    if asked.is_mean and not asked.several:
        yield from _modelled(tables["pooled"], level)
        yield from _heterogeneity(tables["heterogeneity"].iloc[0])
    elif not asked.several and not asked.by_group:
        yield from _shares(asked, tables["pairs"].iloc[0])
    if len(tables["pairs"]) > 1:
        yield from _range(tables["pairs"], asked)
    if main.remark:
        yield f"{main.remark[0].upper()}{main.remark[1:]}."


def _name(asked: Analysis) -> str:
    """Name the main figure at the beginning of a sentence."""
    row = COEFFICIENTS[asked.coefficient]
    is_one = asked.several and not asked.by_group
    spoken = MULTIRATER[asked.together].spoken if is_one else row.spoken
    name = f"The mean of {spoken}" if asked.is_mean else f"{spoken[0].upper()}{spoken[1:]}"
    return f"{name} ({weights_in_words(asked.weights)})".replace(") (", "; ")


def _figure(line: Line, level: str) -> str:
    """Write a figure of the summary with its interval."""
    return "undefined" if math.isnan(line.limits[0]) else apa_with_ci(*line.limits, level)


def _shares(asked: Analysis, pair: pd.Series) -> Iterator[str]:
    """Tell the observed agreement of two raters, and that by chance."""
    observed, expected = float(pair["observed_agreement"]), float(pair["expected_agreement"])
    if COEFFICIENTS[asked.coefficient].tested and not math.isnan(observed):
        partly = "" if asked.weights is None else ", with near misses counted in part,"
        by_chance = f"chance alone would give {apa(expected)}"
        yield f"Observed agreement{partly} was {apa(observed)}; {by_chance}."


def _modelled(pooled: pd.DataFrame, level: str) -> Iterator[str]:
    """Tell the means over groups of two raters by two models."""
    figures = pooled[["estimate", "ci_low", "ci_high"]].to_numpy(dtype=float).tolist()
    told = {
        name: apa_with_ci(estimate, low, high, level)
        for name, (estimate, low, high) in zip(pooled.index, figures, strict=True)
        if name in {"fixed", "random"} and not math.isnan(estimate)
    }
    if told:
        each = [f"{figures} ({name} effects)" for name, figures in told.items()]
        yield f"By other models, the mean was {' and '.join(each)}."


def _heterogeneity(row: pd.Series) -> Iterator[str]:
    """Tell how far groups differ."""
    q, p = float(row["q"]), float(row["p_value"])
    if not math.isnan(p):
        statistic = f"Cochran's {ITALIC}Q{ROMAN}({row['df']:.0f}) = {q:.2f}, {apa_p(p)}"
        i2 = f"{ITALIC}I{ROMAN}\N{SUPERSCRIPT TWO} = {100 * float(row['i2']):.0f}%"
        yield f"Heterogeneity of the groups: {statistic}, {i2}."


def _range(pairs: pd.DataFrame, asked: Analysis) -> Iterator[str]:
    """Tell the least and the greatest coefficient."""
    known = pairs["estimate"].dropna()
    if len(known) > 1:
        several = asked.by_group and asked.study.n_groups > 1
        what = "groups" if not asked.several else "pairs and groups" if several else "pairs"
        yield (
            f"Coefficients of {what} ranged from {apa(float(known.min()))} to "
            f"{apa(float(known.max()))}."
        )


def _of_pairs(pairs: pd.DataFrame) -> str:
    """Tell on how many items pairs of raters were compared."""
    least, most = float(pairs["n_items"].min()), float(pairs["n_items"].max())
    if len(pairs) <= 1:
        return ""
    span = reach(f"{least:,.10g}", f"{most:,.10g}")
    return f"each coefficient of a pair is based on {visible(span)} {plural(most, 'item')}"


# What tables are called in a sentence, where it is not the name of their sheet in a workbook.
TABLES = {
    "pairwise": "matrix of coefficients",
    "pairwise n_items": "matrix of numbers of items",
    "pairwise observed_agreement": "matrix of observed agreement",
    "pairwise se": "matrix of standard errors",
    "agreement": "all raters together",
    "stratified": "coefficients for all groups together",
    "leave_one_out": "means without each group",
    "crosscheck": "figures of other packages",
}

# Whose figures the tables hold, by the first word of their names.
OF_PAIRS = {"pairs", "pairwise", "grouped", "crosscheck"}
MADE_BY: dict[str, Any] = {
    **dict.fromkeys(("groups", "pooled", "heterogeneity", "equality", "stratified"), grouped),
    "leave_one_out": grouped,
    "treated": grouped,
    "pairs": pairs,
    "pairwise": pairwise,
    "agreement": agreement,
    "raters": raters,
    "categories": categories,
    "items": items,
    "crosscheck": crosscheck,
}

# What the figures of those are that no method makes, and how their limits are computed.
COUNTED = "the joint ratings of two raters"
FIGURES = {
    "leaning": ("means of machines and of humans", "t"),
    "leaning in groups": ("shares of a category by machines and by humans", "t"),
    "recall": ("shares of the humans' ratings that a machine gives, too", "wilson"),
    "against humans": ("labels on which all humans agree, and those of machines", ""),
    "to discuss": ("what was said of the items to discuss", ""),
}


class OfTable(has.Raters, has.By, has.Units, has.Level):
    """What is told of a table that no method makes."""


# How the figures of machines begin a sentence, by their names in the summary.
MACHINES = {
    "Humans with each other": "The mean coefficient of humans with each other was",
    "Machines with humans": "The mean coefficient of machines with humans was",
    DIFFERENCE: "The difference, machine minus humans, was",
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(Exported):
    """Tables on the agreement of some raters, ready to be exported.

    Attributes
    ----------
    tables : dict of DataFrame
        The tables by name, in the order of the workbook.
    confidence_level : float or None
        That of the limits in the tables.
    book : Book
        What the workbook is made of.
    write_up : WriteUp
        What `methods` and `grras` write.

    See Also
    --------
    df.kappa.report : Compute it.
    """

    confidence_level: float | None = None
    _found: Findings = field(repr=False, kw_only=True)
    _code: str = field(repr=False, kw_only=True)
    book: Book = field(repr=False, kw_only=True)
    write_up: WriteUp = field(repr=False, kw_only=True)
    _asked: OfReport = field(repr=False, kw_only=True)
    _together: str = field(repr=False, kw_only=True)
    _heard: Heard = field(repr=False, kw_only=True)

    @property
    def findings(self) -> Findings:
        """What was found: the headline, at most three findings, cautions, and the basis."""
        return self._found

    def titled(self, title: str | None) -> Report:
        r"""Give terminal, page and workbook a title; by default they name the raters.

        Parameters
        ----------
        title : str or None
            The title. None leaves it as it is.

        Returns
        -------
        Report
            The same tables below another title.

        Raises
        ------
        OptionError
            If it is no text.

        Examples
        --------
        >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
        >>> print(repr(df.kappa.report().titled("Round 2")).partition("\n")[0])
        Round 2
        """
        check_title(title)
        if title is None:
            return self
        summary = self.book.summary and replace(self.book.summary, title=title)
        made, found = copy.copy(self), replace(self._found, subject=title, title=title)
        vars(made).pop("sheets", None)
        vars(made).update(_found=found, book=replace(self.book, summary=summary))
        return made

    @property
    def cautions(self) -> list[str]:
        """Every warning that was raised, and what else a reader must know; the worst first."""
        return [one.text for one in self.findings.cautions]

    def methods(self, format: Literal["text", "markdown", "latex"] = "text") -> str:  # noqa: A002
        r"""Write the methods and results of a paper in APA style.

        The raters, items and categories, missing ratings, the coefficient with its weights and
        intervals, how it was averaged, and the software; the main figures; and the publications
        that these sentences cite.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default "text"
            Plain text, without line breaks in a paragraph; Markdown; or the body of a document
            in LaTeX that needs no package except one for the letters of the labels.

        Returns
        -------
        str
            Headings and paragraphs, with numbers in the style of the APA: none that cannot
            exceed 1 has a zero before the point.

        Raises
        ------
        OptionError
            If the format is not known.

        See Also
        --------
        grras : The checklist of a guideline.

        Examples
        --------
        >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
        >>> text = df.kappa.report(weights="quadratic", detail="brief").methods()
        >>> print(text.split("\n\n")[1].replace(". ", ".\n"))
        Agreement was estimated between two raters (ann and bob), who gave 10 ratings of five items.
        The ratings used five categories (1, 2, 3, 4, 5).
        No rating was missing.
        """
        return prose(self.write_up.paper, format)

    def grras(self, format: Literal["text", "markdown", "latex"] = "text") -> str:  # noqa: A002
        r"""Fill in the Guidelines for Reporting Reliability and Agreement Studies.

        Items 10, 11, 13 and 15, and the numbers of item 6, are filled in from the analysis. The
        other ten and the rest of item 6, which only you know, are "[to be stated]". The guidelines
        are those of Kottner et al. (2011), https://doi.org/10.1016/j.jclinepi.2010.03.002.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default "text"
            As for `methods`.

        Returns
        -------
        str
            The 15 items in order, and the publications that they cite.

        Raises
        ------
        OptionError
            If the format is not known.

        Examples
        --------
        >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
        >>> items = df.kappa.report(detail="brief").grras().split("\n\n")
        >>> items[9], items[11]  # doctest: +ELLIPSIS
        ('9. Whether ratings were made independently: [to be stated]', '11. ... Two raters, ...')
        """
        return prose(self.write_up.checklist, format)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name, each an attribute, too; a name that is taken is numbered."""
        found: dict[str, pd.DataFrame] = {}
        for sheet in [*self.sheets, *self.book.unshown]:
            own = re.sub(r"\W+", "_", sheet.name)
            name = next(one for n in count(1) if (one := own + f"_{n}" * (n > 1)) not in found)
            as_table = tidy if "reason" in sheet.frame and sheet.kind != "confusion" else result
            frame = as_table(sheet.frame, sheet.frame.attrs.get("raters", ()))
            found[name] = self._own(sheet, frame).of(frame)
        return found

    if TYPE_CHECKING:  # those of every report, and of most
        summary: ClassVar[pd.DataFrame]
        pairwise: ClassVar[pd.DataFrame]
        pairs: ClassVar[pd.DataFrame]
        agreement: ClassVar[pd.DataFrame]
        groups: ClassVar[pd.DataFrame]
        pooled: ClassVar[pd.DataFrame]
        raters: ClassVar[pd.DataFrame]
        categories: ClassVar[pd.DataFrame]
        items: ClassVar[pd.DataFrame]
        notes: ClassVar[pd.DataFrame]

    else:

        def __getattr__(self, name: str) -> pd.DataFrame:
            """Return a table by its name."""
            if not name.startswith("_") and (frame := self.tables.get(name)) is not None:
                return frame
            known = ", ".join([] if name.startswith("_") else self.tables)
            raise AttributeError(f"This report has no {shown(name)}; its tables: {known}.")

    def __dir__(self) -> list[str]:
        """List the tables, too."""
        return [*super().__dir__(), *self.tables]

    def _own(self, sheet: Sheet, frame: pd.DataFrame) -> Told:
        """Let a table say what it is of: as its method says, or what its figures are."""
        known = (COUNTED, "") if sheet.kind == "confusion" else FIGURES.get(sheet.name)
        method = None if known else MADE_BY.get(sheet.name.partition(" ")[0])
        limits = any(str(one).endswith("_low") for one in frame)
        if method is not None:
            call: Call = vars(method)["call"]
            asked = self._as(call.record, coefficient=self._coefficient(call))
            if call.name == "raters" and self._together == "conger":
                asked = asked.but(figure=POOLED)
            return told(asked, self._heard, call.name, call.sources, frame, limits=limits)
        if known is not None:
            asked = self._as(OfTable).but(figure=known[0])
            asked.tell(**{"ci": known[1]} if limits else {})
            return told(asked, self._heard, self._told.method, (), frame, limits=limits)
        if sheet.name == "by group" and self._asked.machine is None:  # those of all raters
            own = self._asked.but(coefficient=self._together)
            return told(own, self._heard, self._told.method, (), frame, limits=limits)
        return self._told

    def _as(self, record: type[Asked], **other: Any) -> Asked:
        """Ask what the report asks with the options of another record, if it has such limits."""
        given = {one: x for one, x in (vars(self._asked) | other).items() if one in record.known}
        if "ci" in given and given["ci"] not in record.known["ci"].choices:
            del given["ci"]
        asked = record(**given)
        vars(asked)["named"] = {*given}
        return asked

    def _coefficient(self, call: Call) -> str:
        """Name the coefficient of two raters, or of all, as a method has it."""
        together = self._asked.coefficient if call.name in OF_PAIRS else self._together
        return additive(together) if call.name == "categories" else together

    @property
    def remarks(self) -> list[str]:
        """The cautions: what a reader must know, the worst first."""
        return self.cautions

    def to_frame(self) -> pd.DataFrame:
        """Return the matrix of all raters.

        Returns
        -------
        DataFrame, shape (R, R)
            Of the coefficient; with groups their matrices one below the other.
        """
        return self.tables["pairwise"]

    def plot(self, ax: Any | None = None) -> Any:
        """Draw the agreement of all pairs of raters as a heat map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; with groups, as many as these. Default: a new figure.

        Returns
        -------
        Axes, or ndarray of Axes, shape (G,)
            As of ``df.kappa.plot.heatmap``.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.methods.plots import heatmap_of

        return heatmap_of(self.tables["pairs"], self.options, line=self._told.line, ax=ax)

    def _written(self, digits: int = 2) -> TextCells:
        """Write the matrix with the limits of the pairs."""
        tables = self.tables
        return matrix_cells(tables["pairwise"], tables["pairs"], digits=check_digits(digits))

    @cached_property
    def sheets(self) -> list[Sheet]:
        """All tables, confusion tables, those of other packages and notes behind the figures."""
        summary = [self.book.summary] if self.book.summary else []
        return [*summary, *self.book.every()]

    def _sheets(self) -> list[Sheet]:
        """Return all tables."""
        return self.sheets

    def __repr__(self) -> str:
        """Say what was found, and where the rest is."""
        return f"{self.findings!r}\n{REST}"

    def _repr_html_(self) -> str:
        """Say the same in a notebook."""
        return f"<pre>{html.escape(repr(self))}</pre>"

    def _handouts(self) -> tuple[Handout, ...]:
        """Return what was done and found, in three formats, and the checklist."""
        from pdkappa.present.html_page import Handout

        return (
            Handout("Method and results", prose(self.write_up.paper[:-1], "text")),
            Handout("References", prose(self.write_up.paper[-1:], "text"), printed=True),
            Handout("In Markdown", self.methods("markdown")),
            Handout("In LaTeX", self.methods("latex")),
            Handout(
                "GRRAS: the 15 items of a checklist; the analysis fills in five",
                self.grras(),
                printed=True,
            ),
        )

    def _book(self) -> Book:
        """Return what the workbook is made of."""
        return self.book
