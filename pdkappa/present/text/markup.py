"""Cells of text -> a table in LaTeX or Markdown, with every label escaped."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from pdkappa.present.labels import one_line
from pdkappa.present.text.figures import UNDEFINED, has_default_rows

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    UNDEFINED: "--",
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
    lines = [[_markdown(cell) for cell in row] for row in (grid.header, *grid.rows)]
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
    names = [None if name is None else latex(one_line(name)) for name in labels.names]
    levels = [
        [latex(one_line(one)) for one in labels.get_level_values(j)] for j in range(labels.nlevels)
    ]
    if isinstance(labels, pd.MultiIndex):
        return pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Index(levels[0], dtype=object, name=names[0])


def _markdown(text: str) -> str:
    """Escape what Markdown would read."""
    return MARKDOWN.sub(r"\\\g<0>", text)
