"""What was found, in one object that print, page, workbook and paper take their top from."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import pandas as pd

from pdkappa.present.labels import one_line, parts_of, rounded
from pdkappa.present.text_markup import escaped, in_latex, with_interval

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

Verdict: TypeAlias = Literal["shown", "shown not", "cannot tell"]
Figures: TypeAlias = tuple[float, float, float]  # an estimate and its limits
NO_FIGURES: Figures = (math.nan, math.nan, math.nan)
WIDTH = 80  # of a terminal
MOST_FINDINGS, MOST_CAUTIONS, MOST_SENTENCES = 3, 3, 6
COLUMNS = ["kind", "name", "estimate", "ci_low", "ci_high", "verdict", "sentence", "table"]
LEAST_SHOWN, MOST_DIGITS = 0.005, 6  # with two decimals, and at all
VOID = "Not valid as it stands: "
END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z]{2}\.)\s+(?=[A-Z0-9'\"(])"
)


class Finding(NamedTuple):
    """One thing that was found."""

    kind: str  # what it is about: a name in the table of kinds
    name: str  # whom or what it names; empty where it is not shown that anybody stands out
    sentence: str  # what was found, in words
    table: str  # the table that proves it
    figures: Figures = NO_FIGURES  # the figure and its limits, NaN for none
    # Whether the data show it; "shown not" needs a margin, {"shown", "shown not", "cannot tell"}.
    verdict: Verdict = "shown"
    short: str = ""  # what the headline may add of it, without a verb of its own; empty for nothing
    rows: tuple[tuple[str, Hashable], ...] = ()  # the rows that it names, each with its table

    def rank(self) -> int:
        """Rank what is shown, or shown not, before what cannot be told, and that before nothing."""
        return (self.verdict == "cannot tell") + math.isnan(self.figures[0])


class Caution(NamedTuple):
    """What a reader must know before a figure is used: a text, and whether it voids the figure."""

    text: str
    voids: bool = False

    @property
    def called(self) -> str:
        """What stands before it."""
        return "Read this first" if self.voids else "Note"

    @property
    def first(self) -> str:
        """Its first sentence."""
        return END.split(self.text)[0]


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What was found: a headline, at most three findings, cautions, and what it rests on.

    See Also
    --------
    df.kappa.report : Compute them.
    """

    headline: str  # one sentence with the figure, its interval and its main reason
    findings: tuple[Finding, ...] = ()  # first those that change what the reader does
    cautions: tuple[Caution, ...] = ()  # first those that void the figure of the headline
    basis: str = ""  # coefficient, weights, limits, raters, items, missing ratings
    # The figure of the headline and its limits; NaN where there is none.
    figures: Figures = NO_FIGURES
    subject: str = ""  # what page and workbook are called: the title, or who agrees
    title: str = ""  # what stands above all, if somebody gave it
    words: str = ""  # what others call the size of the figure; empty for nothing

    def __post_init__(self) -> None:
        """Put the cautions that void the figure first, each once; rank and keep the findings."""
        every = dict.fromkeys(self.cautions)
        once = [x for x in every if not any(x.text in y.text for y in every if y is not x)]
        ranked = sorted(once, key=lambda one: not one.voids)
        object.__setattr__(self, "cautions", tuple(ranked))
        found = sorted(self.findings, key=Finding.rank)[:MOST_FINDINGS]
        object.__setattr__(self, "findings", tuple(found))
        if ranked and ranked[0].voids and not self.headline.startswith(VOID):
            object.__setattr__(self, "headline", f"{VOID}{self.headline}")

    @property
    def above(self) -> tuple[Caution, ...]:
        """The cautions that stand above the headline."""
        return tuple(one for one in self.cautions if one.voids)[:MOST_CAUTIONS]

    @property
    def below(self) -> tuple[Caution, ...]:
        """Those that stand below it, as many as there is room for beside the findings."""
        room = MOST_SENTENCES - 1 - len(self.findings) - len(self.above)
        rest = [one for one in self.cautions if one not in self.above]
        return tuple(rest[: max(room, MOST_CAUTIONS - len(self.above) - len(self.findings), 0)])

    @property
    def n_more(self) -> int:
        """How many cautions stand elsewhere."""
        return len(self.cautions) - len(self.above) - len(self.below)

    @property
    def told(self) -> tuple[Finding, ...]:
        """The findings that are told, so that there are at most six sentences in all."""
        return self.findings[: MOST_SENTENCES - 1 - len(self.above)]

    def named(self, table: str) -> set[Hashable]:
        """Return the rows of a table that are named, which are all that is set apart in it."""
        return {row for one in self.told for name, row in one.rows if name == table}

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each finding.

        Returns
        -------
        DataFrame
            ``kind, name, estimate, ci_low, ci_high, verdict, sentence, table``.
        """
        rows = [(x.kind, x.name, *x.figures, x.verdict, x.sentence, x.table) for x in self.findings]
        return pd.DataFrame(rows, columns=COLUMNS)

    @property
    def top(self) -> list[str]:
        """What stands above a table, each with its mark; nothing where nothing was found."""
        if not self.headline:
            return []
        more = [f"! {self.n_more} more in .cautions"] if self.n_more else []
        return [
            *(f"! {one.first}" for one in self.above),
            self.headline,
            *(f"- {one.sentence}" for one in self.told),
            *(f"! {one.first}" for one in self.below),
            *more,
        ]

    def to_markdown(self) -> str:
        """Write what stands above a table in Markdown, with all cautions in full."""
        cautions = [f"> **{one.called}:** {escaped(one.text)}\n" for one in self.cautions]
        found = [f"- {escaped(one.sentence)}" for one in self.told]
        head = [f"**{escaped(self.headline)}**", ""] if self.headline else []
        return "\n".join([*cautions, *head, *found]).strip()

    def to_latex(self) -> str:
        """Write the same as a paragraph of LaTeX."""
        texts = [*(one.text for one in self.cautions), self.headline]
        return in_latex(" ".join([*texts, *(one.sentence for one in self.told)]).strip())

    def lines(self) -> Iterator[str]:
        """Yield the lines that a terminal shows, at most 80 columns wide."""
        for text in (self.title, *self.top, self.basis):
            yield from folded(text)

    def __repr__(self) -> str:
        """Show all of it in a terminal."""
        return "\n".join(self.lines())


def folded(text: str) -> list[str]:
    """Break a text into lines, of which all but the first are indented below a mark."""
    indent = "  " if text.startswith(("! ", "- ")) else ""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def signed(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Write a difference with its sign and its limits, so that one next to zero has a side, too.

    >>> signed(0.031, -0.012, 0.074), signed(-0.25)
    ('+0.03 [\N{MINUS SIGN}0.01, +0.07]', '\N{MINUS SIGN}0.25')
    >>> signed(-0.03, -0.05, -0.002)
    '\N{MINUS SIGN}0.030 [\N{MINUS SIGN}0.050, \N{MINUS SIGN}0.002]'
    """
    digits = max(map(_digits_of, (low, high)))
    one, *sides = (f"{'+' * (value > 0)}{_minus(value, digits)}" for value in (value, low, high))
    return one if math.isnan(low) or math.isnan(high) else f"{one} [{', '.join(sides)}]"


def _digits_of(limit: float) -> int:
    """Count the decimals, two to six, with which a limit that is not zero does not look like it."""
    size = abs(limit)
    return min(math.ceil(-math.log10(2 * size)), MOST_DIGITS) if 0 < size < LEAST_SHOWN else 2


def _minus(value: float, digits: int = 2) -> str:
    """Write so many decimals, with a minus sign."""
    return rounded(value, digits).replace("-", "\N{MINUS SIGN}")


def with_minus(estimate: float, low: float = math.nan, high: float = math.nan) -> str:
    """Write an estimate with its limits as `with_interval`, with minus signs."""
    return with_interval(estimate, low, high).replace("-", "\N{MINUS SIGN}")


def range_of(figures: pd.Series, digits: int = 2) -> str:
    """Write the least and the greatest of figures, each with its row; one that is all without.

    >>> range_of(pd.Series({"ann": 0.5, "bob": 0.25})), range_of(pd.Series([0.5, 0.5]))
    ('0.25 (bob) to 0.50 (ann)', '0.50')
    """
    ends = []
    for label, one in figures.dropna().sort_values(kind="stable").items():
        names = tuple(one_line(x) for x in parts_of(label, figures.index.names) if x == x)  # noqa: PLR0124
        ends.append((_minus(one, digits), f" ({', '.join(filter(None, names))})"))
    if len({figure for figure, _ in ends}) < 2:  # noqa: PLR2004
        return ends[0][0] if ends else "undefined"
    return " to ".join(map("".join, (ends[0], ends[-1])))


def findings_in(
    frame: pd.DataFrame, keys: list[str], words: dict[tuple[str, str], str]
) -> Findings | None:
    """Say the figures of some rows, the first of which is the headline; several by their range.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``estimate, ci_low, ci_high``; the first and the last of `keys`, levels of
        its index, say what a figure is, and all other levels whose it is.
    words : dict
        The sentences, in which ``{}`` is the figure, by these two.
    """
    said = []
    for key, text in words.items():
        rows = part_of(frame[frame["estimate"].notna()], **{keys[0]: key[0], keys[-1]: key[1]})
        if len(rows):
            said.append(text.format(figure_of(rows)))
    found = tuple(Finding(keys[0], "", one, "") for one in said[1:])
    return Findings(said[0], found) if said else None


def part_of(frame: pd.DataFrame, **labels: Hashable) -> pd.DataFrame:
    """Keep the rows with a label of each of these levels; the other levels say whose they are.

    >>> index = pd.MultiIndex.from_product([["ann", "bob"], ["g", "phi"]], names=["who", "figure"])
    >>> part_of(pd.DataFrame({"estimate": [1, 2, 3, 4]}, index), figure="phi")
         estimate
    who
    ann         2
    bob         4
    """
    for level, label in labels.items():
        rows = frame[frame.index.get_level_values(level) == label]
        frame = rows.droplevel(level) if rows.index.nlevels > 1 else rows
    return frame


def figure_of(rows: pd.DataFrame) -> str:
    """Write the estimate of a single row with its limits, or the range of several."""
    if len(rows) > 1:
        return range_of(rows["estimate"])
    return with_minus(*rows[["estimate", "ci_low", "ci_high"]].iloc[0])
