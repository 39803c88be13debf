"""Paragraphs in the style of the APA → text, Markdown or LaTeX, with every label escaped.

In a paragraph `ITALIC` and `ROMAN` stand around what is set in italics; no label holds them, as
what is no printable character is shown by its code.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from pdkappa.errors import check_choice
from pdkappa.present.labels import one_line, rounded
from pdkappa.present.text.markup import MARKDOWN, latex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ITALIC, ROMAN = "\x0e", "\x0f"
MINUS_SIGN = "\N{MINUS SIGN}"
FORMATS = ("text", "markdown", "latex")
IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LEAST_P = 0.001
MOST_IN_A_SENTENCE, LONGEST = 6, 90  # labels in a sentence, and their characters
LISTED = re.compile(r"(?m)^[#+-](?=\s)")  # what begins a list or a heading in Markdown

# Characters that LaTeX has in formulas only.
MATHEMATICAL = {
    MINUS_SIGN: "$-$",
    "\N{SUPERSCRIPT TWO}": "$^2$",
    "\N{SQUARE ROOT}": r"$\surd$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{GREEK SMALL LETTER PI}": r"$\pi$",
    "\N{GREEK SMALL LETTER TAU}": r"$\tau$",
    "\N{EN DASH}": "--",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
}


class Part(NamedTuple):
    """A heading with its paragraphs, which may be numbered, or a list of references."""

    heading: str
    paragraphs: tuple[str, ...]
    numbered: bool = False


def prose(parts: Sequence[Part], format: str) -> str:  # noqa: A002
    r"""Write parts in one of `FORMATS`.

    >>> part = Part("Results", (f"The mean of a_b was {ITALIC}M{ROMAN} = .5.",))
    >>> print(prose([part], "latex"))
    \subsection*{Results}
    <BLANKLINE>
    The mean of a\_b was \emph{M} = .5.
    """
    check_choice("format", format, FORMATS)
    return "\n\n".join(WRITERS[format](part) for part in parts)


def apa(value: float, digits: int = 2) -> str:
    """Write a number that cannot exceed 1, without a zero before the point.

    >>> apa(0.714), apa(0.99999), apa(1.0)
    ('.71', '> .99', '1.00')
    """
    text = rounded(value, digits).replace("-", MINUS_SIGN)
    return re.sub(r"(?<!\d)0\.", ".", text).replace(">", "> ").replace("<", "< ")


def apa_with_ci(estimate: float, low: float, high: float, level: str) -> str:
    """Write an estimate with its confidence interval.

    >>> apa_with_ci(0.74, 0.732, 0.76, "95%"), apa_with_ci(0.5, float("nan"), 1.0, "95%")
    ('.74, 95% CI [.73, .76]', '.50')
    """
    text = apa(estimate)
    if math.isnan(low) or math.isnan(high):
        return text
    return f"{text}, {level} CI [{apa(low)}, {apa(high)}]"


def apa_p(value: float) -> str:
    """Write a p-value.

    >>> [apa_p(one).replace(ITALIC, "").replace(ROMAN, "") for one in (0.0312, 1e-9)]
    ['p = .031', 'p < .001']
    """
    p = f"{ITALIC}p{ROMAN}"
    return f"{p} < .001" if value < LEAST_P else f"{p} = {apa(value, 3)}"


def counted(number: float, one: str, many: str = "") -> str:
    """Write a number with what is counted, in words below ten.

    >>> counted(1, "item"), counted(3, "category", "categories"), counted(2000, "item")
    ('one item', 'three categories', '2,000 items')
    """
    return f"{number_in_words(number)} {one if number == 1 else many or f'{one}s'}"


def number_in_words(number: float) -> str:
    """Write a number, in words below ten."""
    is_small = float(number).is_integer() and 0 <= number < len(IN_WORDS)
    return IN_WORDS[int(number)] if is_small else f"{number:,.10g}"


def series(labels: Sequence[object]) -> str:
    """List labels as a sentence does, with a comma before the last; empty if they are too many.

    >>> series(["ann", "bob"]), series(["ann", "bob", "eve"])
    ('ann and bob', 'ann, bob, and eve')
    """
    names = [one_line(one) for one in labels]
    if len(names) > MOST_IN_A_SENTENCE or sum(map(len, names)) > LONGEST:
        return ""
    if len(names) <= 2:  # noqa: PLR2004
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _text(part: Part) -> str:
    """Write plain text."""
    return "\n\n".join([part.heading, *_numbered(part, _without_italics)])


def _markdown_part(part: Part) -> str:
    """Write Markdown."""
    return "\n\n".join([f"## {part.heading}", *_numbered(part, _in_markdown)])


def _latex(part: Part) -> str:
    """Write LaTeX, for the body of a document."""
    heading = rf"\subsection*{{{_in_latex(part.heading)}}}"
    texts = [_in_latex(one) for one in part.paragraphs]
    if not part.numbered:
        return "\n\n".join([heading, *texts])
    items = [rf"\item {{}}{one}" for one in texts]
    return "\n".join([heading, "", r"\begin{enumerate}", *items, r"\end{enumerate}"])


def _numbered(part: Part, written: Callable[[str], str]) -> list[str]:
    """Write the paragraphs, with their numbers if they have some."""
    texts = [written(one) for one in part.paragraphs]
    return [f"{n}. {one}" for n, one in enumerate(texts, 1)] if part.numbered else texts


def _without_italics(text: str) -> str:
    """Leave the marks of italics out."""
    return text.replace(ITALIC, "").replace(ROMAN, "")


def _in_markdown(text: str) -> str:
    """Escape what Markdown would read."""
    escaped = LISTED.sub(r"\\\g<0>", MARKDOWN.sub(r"\\\g<0>", text))
    return escaped.replace(ITALIC, "*").replace(ROMAN, "*")


def _in_latex(text: str) -> str:
    """Escape what LaTeX would read."""
    escaped = "".join(MATHEMATICAL.get(char, char) for char in latex(text))
    return escaped.replace(ITALIC, r"\emph{").replace(ROMAN, "}")


WRITERS: dict[str, Callable[[Part], str]] = {
    "text": _text,
    "markdown": _markdown_part,
    "latex": _latex,
}
