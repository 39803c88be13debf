"""Sentences, figures, code and menus -> text, Markdown or LaTeX, every label escaped.

The end has the publications that sentences and docstrings cite, and the software.
In a paragraph `ITALIC` and `ROMAN` stand around what is set in italics; no label holds them, as
what is no printable character is shown by its code.
"""

from __future__ import annotations

import html
import inspect
import math
import platform
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sized
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pdkappa.errors import as_python, check_choice, plural
from pdkappa.present.labels import SHORT, one_line, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdkappa._typing import FloatArray, IntArray

UNDEFINED = "\N{EN DASH}"


def with_interval(
    estimate: float, low: float = math.nan, high: float = math.nan, *, digits: int = 2
) -> str:
    """Write an estimate with its confidence interval, as in "0.71 [0.65, 0.77]".

    Parameters
    ----------
    estimate : float
        The estimate. A dash stands for NaN.
    low, high : float, optional
        Limits of its interval. Where one is NaN, the estimate stands alone.
    digits : int, default 2
        Number of decimals.

    Returns
    -------
    str
        Numbers are rounded as pandas rounds what it shows: to the nearest, from the double
        itself, and to the even digit in a tie such as 0.125. No zero has a minus sign, and
        what is short of 1 is ">0.99", unless limits beyond 1 show that it may be more.

    Examples
    --------
    >>> with_interval(0.714, 0.648, 0.771)
    '0.71 [0.65, 0.77]'
    >>> with_interval(0.99999), with_interval(-0.001), with_interval(math.nan) == UNDEFINED
    ('>0.99', '0.00', True)
    >>> with_interval(0.998, 0.99, 1.0), with_interval(0.998, 0.99, 1.006)
    ('>0.99 [0.99, 1.00]', '1.00 [0.99, 1.01]')
    """
    if math.isnan(estimate):
        return UNDEFINED
    if math.isnan(low) or math.isnan(high):
        return rounded(estimate, digits)
    if high > 1 + SHORT:  # it is no coefficient: to be short of 1 means nothing
        return f"{estimate:z.{digits}f} [{low:z.{digits}f}, {high:z.{digits}f}]"
    return f"{rounded(estimate, digits)} [{rounded(low, digits)}, {rounded(high, digits)}]"


def has_default_rows(frame: pd.DataFrame) -> bool:
    """Whether the rows have numbers that say nothing, rather than labels."""
    return isinstance(frame.index, pd.RangeIndex) and frame.index.name is None


def relabelled(
    labels: pd.Index, write: Callable[[Any], Any], name: Callable[[Any], Any]
) -> pd.Index:
    """Write every label in some way, and in another the names of their levels that have one."""
    names = [None if one is None else name(one) for one in labels.names]
    levels = [list(map(write, labels.get_level_values(j))) for j in range(labels.nlevels)]
    if isinstance(labels, pd.MultiIndex):
        return pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Index(levels[0], dtype=object, tupleize_cols=False, name=names[0])


def plain(labels: pd.Index) -> pd.Index:
    """Write labels as text, and their names as HTML, which a Styler does not escape."""
    return relabelled(labels, one_line, lambda name: html.escape(one_line(name)))


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    UNDEFINED: "--",
    "\N{MIDDLE DOT}": r"\textperiodcentered{}",
}
MINUS = re.compile(r"(?:^|(?<=[\[ ]))-(?=\d)")

# What Markdown would read in a cell: code, emphasis, tags, mathematics, the end of the cell,
# links and entities. An underscore within a word is one.
MARKDOWN = re.compile(r"[\\`*<>$~|]|\](?=\()|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")


class TextGrid(NamedTuple):
    """A table of text: the first columns are labels, the others figures."""

    header: list[str]
    rows: list[list[str]]
    n_labels: int


def to_latex(text: pd.DataFrame) -> str:
    r"""Write a tabular in the manner of the LaTeX package booktabs.

    >>> print(to_latex(pd.DataFrame({"50 %": ["0.71"]}, index=pd.Index(["a_1"], name="item"))))
    \begin{tabular}{lr}
    \toprule
    item & 50 \% \\
    \midrule
    a\_1 & 0.71 \\
    \bottomrule
    \end{tabular}
    """
    grid = _grid(text)
    lines = [" & ".join(map(latex, row)) + r" \\" for row in (grid.header, *grid.rows)]
    columns = "l" * grid.n_labels + "r" * (len(grid.header) - grid.n_labels)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def to_markdown(text: pd.DataFrame) -> str:
    r"""Write a table with pipes, as GitHub and Jupyter read it.

    >>> print(to_markdown(pd.DataFrame({"kappa": ["0.71"]}, index=["a|b"])))
    |      | kappa |
    |:-----|------:|
    | a\|b |  0.71 |
    """
    grid = _grid(text)
    lines = [[escaped(cell) for cell in row] for row in (grid.header, *grid.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = [
        ":" + "-" * (width + 1) if j < grid.n_labels else "-" * (width + 1) + ":"
        for j, width in enumerate(widths)
    ]
    padded = [
        " | ".join(
            cell.ljust(width) if j < grid.n_labels else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    header, *rows = [f"| {line} |" for line in padded]
    return "\n".join([header, f"|{'|'.join(rule)}|", *rows])


def with_caption(tabular: str, caption: str, notes: Sequence[str]) -> str:
    """Put a tabular with its caption and notes into a table of LaTeX."""
    below = [rf"\par\smallskip {latex(one)}" for one in notes]
    above = [rf"\caption{{{latex(caption)}}}"] if caption else []
    return "\n".join([r"\begin{table}", r"\centering", *above, tabular, *below, r"\end{table}"])


def _grid(text: pd.DataFrame) -> TextGrid:
    """Put the labels of the rows before the figures, unless they are mere numbers."""
    several = text.columns.nlevels > 1
    header = [" ".join(map(one_line, name if several else (name,))) for name in text.columns]
    rows = [[one_line(cell) for cell in row] for row in text.to_numpy(dtype=object)]
    if has_default_rows(text):
        return TextGrid(header, rows, 0)
    levels, above = text.index.nlevels, text.columns.name
    names = [*map(one_line, text.index.names)]
    if above is not None:  # of the columns: the second rater of a table of two
        names[-1] = " / ".join(filter(None, [names[-1], one_line(above)]))
    labels = [label if levels > 1 else (label,) for label in text.index]
    return TextGrid(
        [*names, *header],
        [[*map(one_line, label), *row] for label, row in zip(labels, rows, strict=True)],
        levels,
    )


def latex(text: str) -> str:
    """Escape what LaTeX would read, and give numbers their minus sign."""
    escaped = "".join(LATEX.get(char, char) for char in text)
    if escaped.startswith(("[", "*")):  # which the end of the line before would take for its own
        escaped = f"{{{escaped[0]}}}{escaped[1:]}"
    return MINUS.sub("$-$", escaped)


def latex_labels(labels: pd.Index) -> pd.Index:
    """Escape labels and their names."""

    def written(one: object) -> str:
        return latex(one_line(one))

    return relabelled(labels, written, written)


def escaped(text: str) -> str:
    """Escape what Markdown would read."""
    return MARKDOWN.sub(r"\\\g<0>", text)


GAP = "..."  # stands for what is left out
MOST_COLUMNS = 20  # where pandas leaves it to the width of a terminal


class TextCells(NamedTuple):
    """A frame as it is shown."""

    # What stands in each cell; the labels of the rows are those of the frame, (N, M).
    text: pd.DataFrame
    # The coefficient that a cell shows, which gives it its colour; NaN for all others, (N, M).
    heat: FloatArray


class Window(NamedTuple):
    """The most rows and columns that are shown, and how many rows of a longer table."""

    max_rows: int | None = None
    min_rows: int | None = None
    max_columns: int | None = None

    def rows(self, n: int) -> IntArray:
        """Find the rows that are shown of so many."""
        return _ends(n, self.max_rows, self.min_rows)

    def columns(self, n: int) -> IntArray:
        """Find the columns that are shown of so many."""
        return _ends(n, self.max_columns, None)


WHOLE = Window()


def usual() -> Window:
    """Show as much as pandas does."""
    return Window(
        pd.get_option("display.max_rows"),
        pd.get_option("display.min_rows"),
        pd.get_option("display.max_columns") or MOST_COLUMNS,
    )


def with_gaps(cells: TextCells, rows: IntArray, columns: IntArray) -> TextCells:
    """Mark where rows and columns were left out."""
    texts, heat = cells.text.to_numpy(dtype=object), cells.heat
    labels = []
    for axis, (kept, own) in enumerate(((rows, cells.text.index), (columns, cells.text.columns))):
        gap = np.flatnonzero(np.diff(kept) > 1) + 1
        texts, heat = np.insert(texts, gap, GAP, axis), np.insert(heat, gap, np.nan, axis)
        labels.append(_labels(own, int(gap[0])) if len(gap) else own)
    index, header = labels
    return cells._replace(text=pd.DataFrame(texts, index=index, columns=header), heat=heat)


def _ends(n: int, most: int | None, few: int | None) -> IntArray:
    """Find the first and the last ones of n, or all if they are few."""
    if not most or n <= most:
        return np.arange(n)
    shown = min(few or most, most)
    return np.r_[: (shown + 1) // 2, n - shown // 2 : n]


def _labels(labels: pd.Index, gap: int) -> pd.Index:
    """Put a label where some were left out."""
    shown = list(labels)
    if isinstance(labels, pd.MultiIndex):
        shown.insert(gap, (GAP,) * labels.nlevels)
        return pd.MultiIndex.from_tuples(shown, names=labels.names)
    shown.insert(gap, GAP)
    return pd.Index(shown, dtype=object, tupleize_cols=False, name=labels.name)


WIDTH = 100  # characters of a line
INDENT = "    "


def menu_of_topics(methods: Mapping[str, Callable[..., Any]]) -> str:
    """List methods below the question that they answer.

    Parameters
    ----------
    methods : dict
        Public functions or methods bound from them, by name; in this order.

    Returns
    -------
    str
        For each question the first line of its docstring, and the names below.
    """
    topics: dict[str, list[str]] = {}
    for name, method in methods.items():
        package, _, module = method.__module__.rpartition(".")
        alone = package.endswith(".methods")  # a question in one module
        topics.setdefault(f"{package}.{module}" if alone else package, []).append(name)
    lines = []
    for topic, names in topics.items():
        listed = textwrap.wrap(", ".join(names), WIDTH - len(INDENT))
        lines += [first_line(sys.modules[topic]), *(f"{INDENT}{line}" for line in listed)]
    return "\n".join(lines)


def menu_of_methods(methods: Mapping[str, Callable[..., Any]]) -> str:
    """List methods with what each of them does.

    >>> df = pd.DataFrame()
    >>> print(menu_of_methods({"pairs": df.kappa.pairs, "usage": df.kappa.usage}))
    pairs  Estimate the agreement of every pair of raters, with its standard error.
    usage  Show how often each rater used each category.
    """
    widest = max(map(len, methods))
    return "\n".join(f"{name:{widest}}  {first_line(one)}" for name, one in methods.items())


class Pictures:
    """Methods that draw pictures of what is passed."""

    _subject = "agreement"

    def __init__(self, of: Any) -> None:
        """Keep what is drawn, or has it."""
        self._of = of

    def __repr__(self) -> str:
        """Show a menu of the pictures."""
        return f"Pictures of {self._subject}\n\n{menu_of_methods(public_methods(type(self)))}"


def public_methods(cls: type) -> dict[str, Callable[..., Any]]:
    """List the methods of a class and of those that it is made of, in the order of their lines."""
    own = [one for kind in reversed(cls.__mro__) for one in vars(kind).items()]
    return {name: getattr(cls, name) for name, one in own if callable(one) and name[0] != "_"}


def first_line(documented: object) -> str:
    """Give the first line of a docstring, which ``python -OO`` leaves out."""
    return (documented.__doc__ or "").partition("\n")[0]


LONGEST_CALL = 90  # characters
LONGEST_OPTION = 10_000


def call_of(function: Callable[..., Any], options: Mapping[str, Any], bound: str) -> str:
    """Write the call of a function, with the options that are not its defaults.

    Parameters
    ----------
    function : callable
        The function that was called; its first argument is the data.
    options : dict
        What was passed, by name.
    bound : str
        What has the function as a method, such as ``"df.kappa"``.

    Returns
    -------
    str
        Code. What cannot be written as code, such as an array, is described in angle brackets.

    Examples
    --------
    >>> call_of(pd.DataFrame().kappa.report, {"raters": ["ann", "bob"], "by": None}, "df.kappa")
    "df.kappa.report(raters=['ann', 'bob'])"
    """
    parameters = _parameters(function)
    of_study = {name: one for name, one in options.items() if name not in parameters}
    if of_study:  # which the call does not take
        bound += f"({as_options(of_study)})"
    passed = [
        f"{name}={as_code(value)}"
        for name, value in options.items()
        if name in parameters and not _is_same(value, parameters[name].default)
    ]
    start, line = f"{bound}.{function.__name__}(", ", ".join(passed)
    if len(start) + len(line) < LONGEST_CALL:
        return f"{start}{line})"
    return "\n".join([start, *(f"    {one}," for one in passed), ")"])


@cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function by name."""
    return inspect.signature(function).parameters


def as_code(value: object) -> str:
    """Write an option as code, or, in angle brackets, what it is.

    >>> as_code(["ann", "bob"]), as_code(np.ones(3)), as_code([0.5] * 10_000)
    ("['ann', 'bob']", '<ndarray of shape (3,)>', '<list of length 10000>')
    """
    kind = type(value).__name__
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series):
        return f"<{kind} of shape {value.shape}>"
    if callable(value):
        return f"<{getattr(value, '__name__', kind)}>"
    text = as_python(value)
    if len(text) > LONGEST_OPTION and isinstance(value, Sized):
        return f"<{kind} of length {len(value)}>"
    return f"<{kind}>" if text.startswith("<") or " at 0x" in text else text


def as_options(options: Mapping[str, object]) -> str:
    """Write options as a call has them.

    >>> as_options({"weights": "linear", "rng": 0})
    "weights='linear', rng=0"
    """
    return ", ".join(f"{name}={as_code(value)}" for name, value in options.items())


def _is_same(value: object, default: object) -> bool:
    """Whether an option is its default; an array never is."""
    return value is default or (isinstance(value, str | float | int) and value == default)


MOST_IN_A_LIST = 40
NONE = {
    "by": "no groups",
    "weights": "unweighted: every disagreement counts the same",
    "categories": "those of the ratings",
    "sample_weight": "every item counts once",
    "cluster": "none: items are independent",
    "group_weights": "all groups count the same",
    "rng": "not set: different resamples each time",
    "clip": "no cap",
    "id": "the row",
}


def in_words(name: str, value: Any) -> str:
    """Say what an option is set to.

    >>> in_words("categories", None), in_words("raters", ["ann", 2]), in_words("live", True)
    ('those of the ratings', 'ann, 2', 'yes')
    >>> in_words("group_weights", {"a": 1, "b": 0.5}), in_words("weights", np.eye(3))
    ('a: 1, b: 0.5', 'an array of 3 x 3')
    """
    if value is None:
        return NONE.get(name, "none")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series):
        kind = "an array" if isinstance(value, np.ndarray) else "a frame"
        return f"{kind} of {' x '.join(map(str, value.shape))}"
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    return "a generator of NumPy" if isinstance(value, np.random.Generator) else _listed(value)


def _listed(value: Any) -> str:
    """List some values; a label, be it a tuple, is one."""
    if not isinstance(value, Sized) or isinstance(value, str | tuple):
        return str(value)
    if len(value) > MOST_IN_A_LIST:
        return f"{len(value):,} values"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items())
    return ", ".join(map(str, cast("Iterable[Any]", value))) or "none"


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
    return f"{number_in_words(number)} {plural(number, one, many)}"


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
    heading = rf"\subsection*{{{in_latex(part.heading)}}}"
    texts = [in_latex(one) for one in part.paragraphs]
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


def in_latex(text: str) -> str:
    """Escape what LaTeX would read."""
    escaped = "".join(MATHEMATICAL.get(char, char) for char in latex(text))
    return escaped.replace(ITALIC, r"\emph{").replace(ROMAN, "}")


WRITERS: dict[str, Callable[[Part], str]] = {
    "text": _text,
    "markdown": _markdown_part,
    "latex": _latex,
}


SOFTWARE = "The pdkappa developers, 2026"
VERSION = "Version that runs"
EN_DASH = "\N{EN DASH}"


def cited_in(text: str) -> tuple[str, ...]:
    """Return the references of all citations in a text, in order of the authors."""
    found = [key for key in REFERENCES if _citation(key).search(text)]
    found.sort(key=lambda key: key.removeprefix("The ").casefold())
    every = [REFERENCES[key].replace(VERSION, f"Version {version_of('pdkappa')}") for key in found]
    return tuple(re.sub(r"\*(.*?)\*", rf"{ITALIC}\1{ROMAN}", text) for text in every)


def _citation(key: str) -> re.Pattern[str]:
    """Find the author and year in a text, where other years may stand between.

    >>> bool(_citation("Cohen, 1968").search("(Cohen, 1960, 1968)"))
    True
    """
    author, year = key.rsplit(", ", 1)
    return re.compile(rf"{re.escape(author)}, (?:\d{{4}}, )*{year}")


def in_plain_text(key: str) -> str:
    """Return a reference as terminals and worksheets show it.

    >>> in_plain_text("Kish, 1965")
    'Kish, L. (1965). Survey sampling. Wiley.'
    """
    return REFERENCES[key].replace("*", "").replace(EN_DASH, "-")


def _read() -> Iterator[tuple[str, str]]:
    """Read what the citations of a text stand for, and the references, with *italics*."""
    text = resources.files(__package__).joinpath("references.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        key, _, reference = line.partition(" | ")
        yield key, reference


REFERENCES = dict(_read())


@cache
def version_of(package: str) -> str:
    """Return the version of a package, which takes milliseconds to find out."""
    from importlib.metadata import version

    return version(package)


def software() -> str:
    """Cite the software, with the versions it ran on."""
    others = " and ".join(f"{name} {version_of(name)}" for name in ("NumPy", "pandas"))
    return (
        f"The analysis was made with pdkappa {version_of('pdkappa')} ({SOFTWARE}) in Python "
        f"{platform.python_version()} with {others}."
    )
