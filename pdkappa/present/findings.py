"""What was found, in one object that print, page, workbook and paper take their top from."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import pandas as pd

from pdkappa.present.labels import rounded
from pdkappa.present.text_markup import with_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

Verdict: TypeAlias = Literal["shown", "shown not", "cannot tell"]
Figures: TypeAlias = tuple[float, float, float]  # an estimate and its limits
NO_FIGURES: Figures = (math.nan, math.nan, math.nan)
WIDTH = 80  # of a terminal
MOST_FINDINGS, MOST_CAUTIONS, MOST_SENTENCES = 3, 3, 6
COLUMNS = ["kind", "name", "estimate", "ci_low", "ci_high", "verdict", "sentence", "table"]
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z'\"(])")


class Finding(NamedTuple):
    """One thing that was found.

    Attributes
    ----------
    kind : str
        What it is about: a name in the table of kinds.
    name : str
        Whom or what it names; empty where it is not shown that anybody stands out.
    sentence : str
        What was found, in words.
    table : str
        The table that proves it.
    figures : tuple of float
        The figure and its limits, NaN for none.
    verdict : {"shown", "shown not", "cannot tell"}
        Whether the data show it; "shown not" needs a margin.
    short : str
        What the headline may add of it, without a verb of its own; empty for nothing.
    """

    kind: str
    name: str
    sentence: str
    table: str
    figures: Figures = NO_FIGURES
    verdict: Verdict = "shown"
    short: str = ""


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

    Attributes
    ----------
    headline : str
        One sentence with the figure, its interval and its main reason.
    findings : tuple of Finding
        First those that change what the reader does.
    cautions : tuple of Caution
        First those that void the figure of the headline.
    basis : str
        Coefficient, weights, limits, raters, items, missing ratings.
    figures : tuple of float
        The figure of the headline and its limits; NaN where there is none.
    subject : str
        What stands above all: the title, or who agrees.
    words : str
        What others call the size of the figure; empty for nothing.

    See Also
    --------
    df.kappa.report : Compute them.
    """

    headline: str
    findings: tuple[Finding, ...] = ()
    cautions: tuple[Caution, ...] = ()
    basis: str = ""
    figures: Figures = NO_FIGURES
    subject: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        """Put the cautions that void the figure first, each once; keep the first findings."""
        ranked = sorted(dict.fromkeys(self.cautions), key=lambda one: not one.voids)
        object.__setattr__(self, "cautions", tuple(ranked))
        object.__setattr__(self, "findings", self.findings[:MOST_FINDINGS])

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

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each finding.

        Returns
        -------
        DataFrame
            ``kind, name, estimate, ci_low, ci_high, verdict, sentence, table``.
        """
        rows = [(x.kind, x.name, *x.figures, x.verdict, x.sentence, x.table) for x in self.findings]
        return pd.DataFrame(rows, columns=COLUMNS)

    def to_markdown(self) -> str:
        """Write all of it in Markdown."""
        cautions = (
            f"> **{'Read this first' * one.voids or 'Note'}:** {one.text}\n"
            for one in self.cautions
        )
        found = (f"- {one.sentence}" for one in self.told)
        return "\n".join([*cautions, f"**{self.headline}**", "", *found, "", self.basis]).strip()

    def to_latex(self) -> str:
        """Write all of it as a paragraph of LaTeX."""
        from pdkappa.present.text_markup import latex

        texts = [*(one.text for one in self.cautions), self.headline]
        return latex(" ".join([*texts, *(one.sentence for one in self.told), self.basis]))

    def lines(self) -> Iterator[str]:
        """Yield the lines that a terminal shows, at most 80 columns wide."""
        yield from _folded(self.subject)
        for one in self.above:
            yield from _folded(f"! {one.first}", "  ")
        yield from _folded(self.headline)
        for found in self.told:
            yield from _folded(f"- {found.sentence}", "  ")
        for one in self.below:
            yield from _folded(f"! {one.first}", "  ")
        if self.n_more:
            yield f"! {self.n_more} more in .cautions"
        yield from _folded(self.basis)

    def __repr__(self) -> str:
        """Show all of it in a terminal."""
        return "\n".join(self.lines())


def _folded(text: str, indent: str = "") -> list[str]:
    """Break a text into lines, of which all but the first are indented."""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def signed(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Write a difference with its sign and its limits.

    >>> signed(0.031, -0.012, 0.074), signed(-0.25)
    ('+0.03 [\N{MINUS SIGN}0.01, +0.07]', '\N{MINUS SIGN}0.25')
    """
    one, *sides = (
        f"{'+' * (value > 0)}{rounded(value)}".replace("-", "\N{MINUS SIGN}")
        for value in (value, low, high)
    )
    return one if math.isnan(low) or math.isnan(high) else f"{one} [{', '.join(sides)}]"


def with_minus(estimate: float, low: float = math.nan, high: float = math.nan) -> str:
    """Write an estimate with its limits as `with_interval`, with minus signs."""
    return with_interval(estimate, low, high).replace("-", "\N{MINUS SIGN}")
