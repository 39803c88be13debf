"""Results as short tables, in a terminal, a notebook or a paper."""

from __future__ import annotations

import functools
import hashlib
import html
import importlib.util
import math
import numbers
import textwrap
from abc import ABC, ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import MissingDependencyError, OptionError, check_choice
from pdkappa.present import schema
from pdkappa.present.labels import groups_of, one_line, rounded, visible
from pdkappa.present.schema import PAIRS
from pdkappa.present.text_markup import (
    GAP,
    UNDEFINED,
    WHOLE,
    TextCells,
    Window,
    has_default_rows,
    latex,
    latex_labels,
    plain,
    to_latex,
    to_markdown,
    usual,
    with_gaps,
    with_interval,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from pandas.io.formats.style import Styler

    from pdkappa._typing import FloatArray, Label

ROUNDING = 1e-9  # by which a diagonal may miss 1

# Limits that are written behind what they are the limits of, in the same cell.
LIMITS: dict[Label, tuple[str, str]] = {
    "estimate": ("ci_low", "ci_high"),
    "difference": ("ci_low", "ci_high"),
    "effect": ("effect_ci_low", "effect_ci_high"),
}


def cells_of(
    frame: pd.DataFrame,
    *,
    digits: int = 2,
    level: float | None = None,
    labelled: bool = True,
    window: Window = WHOLE,
) -> TextCells:
    """Write the cells of a frame, each column as its kind is written.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
        A frame of the schema, or a square of all raters as `pairwise` gives it.
    digits : int, default 2
        Number of decimals of coefficients; standard errors and the like have one more.
    level : float, optional
        Confidence level of the limits, for the heading.
    labelled : bool, default True
        Whether columns of labels on the left become labels of the rows, if these have none.
    window : Window, optional
        How much of a long or wide table is written. Default: all.

    Returns
    -------
    TextCells
        Limits stand in the cell of what they belong to. Columns of the schema that are
        wholly empty, such as ``reason`` where there is none to give, are left out.

    Examples
    --------
    >>> frame = pd.DataFrame({"estimate": [0.714], "ci_low": [0.648], "ci_high": [0.771]})
    >>> cells_of(frame, level=0.95).text
       estimate [95% CI]
    0  0.71 [0.65, 0.77]
    """
    if is_matrix(frame):
        return matrix_cells(frame, digits=digits, window=window)
    if labelled:
        frame = _with_labels(frame)
    names, shades = set(frame.columns), shades_of(frame)
    limits = {name: pair for name, pair in LIMITS.items() if {name, *pair} <= names}
    if "estimate" in limits:
        limits.pop("difference", None)
    interval = "CI" if level is None else f"{100 * level:.10g}% CI"
    shown = _shown_columns(frame, limits)
    rows, places = window.rows(len(frame)), window.columns(len(shown))
    shown = [shown[place] for place in places]
    frame = frame if len(rows) == len(frame) else frame.iloc[rows]
    header = frame.columns[shown]
    labels: list[Hashable] = []
    texts, heat = [], []
    for place in shown:
        name, column = frame.columns[place], frame.iloc[:, place]
        heat.append(_numbers(column) if name == "estimate" else np.full(len(frame), np.nan))
        if name in limits:
            figures = [_numbers(frame[one]) for one in (name, *limits[name])]
            labels.append(f"{name} [{interval}]")
            decimals = digits + (name != "estimate")  # those of a measure
            texts.append([with_interval(*r, digits=decimals) for r in zip(*figures, strict=True)])
        else:
            labels.append(name)
            is_share = header.name is not None and pd.api.types.is_float_dtype(column.dtype)
            kind = "measure" if is_share else schema.kind_of(name)
            named = _pairs_named(column, frame.attrs.get("raters", ()))
            texts.append([written(value, kind, digits) for value in named])
    if limits:
        header = pd.Index(labels, dtype=object, tupleize_cols=False, name=header.name)
    colours = np.reshape(heat, (len(heat), len(frame))).T
    if shades is not None:
        colours = shades[rows][:, shown]
    return with_gaps(TextCells(_labelled(texts, frame.index, header), colours), rows, places)


def _pairs_named(column: pd.Series, raters: Sequence[Label]) -> list[Any]:
    """Name pairs of raters "ann x bob"; a tuple that is itself a rater stays.

    >>> column = pd.Series([("ann", "bob"), ("x", 1)], name="first")
    >>> _pairs_named(column, ["ann", "bob", "eve"])
    ['ann x bob', ('x', 1)]
    """
    if column.name not in {"first", "second"}:
        return list(column)
    known = set(raters)
    return [
        " x ".join(map(one_line, value))
        if isinstance(value, tuple) and value not in known and known.issuperset(value)
        else value
        for value in column
    ]


def _shown_columns(frame: pd.DataFrame, limits: dict[Label, tuple[str, str]]) -> list[int]:
    """Find the columns without the limits, and without those that are wholly empty.

    The first figure of a frame stays: that it is undefined is what there is to say.
    """
    left_out = {side for pair in limits.values() for side in pair}
    kinds = [schema.kind_of(name) for name in frame.columns]
    first = next((j for j, kind in enumerate(kinds) if kind in {"agreement", "measure"}), None)
    return [
        j
        for j, name in enumerate(frame.columns)
        if name not in left_out and (j == first or not _is_empty(frame.iloc[:, j], kinds[j]))
    ]


def _is_empty(column: pd.Series, kind: schema.Kind) -> bool:
    """Whether a column of the schema has nothing in it; figures of no rows are something."""
    if column.name not in schema.COLUMNS or (column.empty and kind != "text"):
        return False
    known = column[column.notna()]
    return bool(known.empty or (kind == "text" and (known == "").all()))


def shades_of(frame: pd.DataFrame) -> FloatArray | None:
    """Shade the cells of a confusion table by the items in them; None for any other frame.

    The diagonal has the colours of agreement, all other cells those of disagreement: the square
    root of what a cell is of the fullest in its group. Sums and zeros have none.

    >>> df = pd.DataFrame({"ann": [0, 0, 0, 0, 1], "bob": [0, 0, 0, 0, 0]})
    >>> shades_of(df.kappa.confusion("ann", "bob", margins=True))
    array([[ 1. ,  nan,  nan],
           [-0.5,  nan,  nan],
           [ nan,  nan,  nan]])
    """
    raters, k = frame.attrs.get("raters"), frame.shape[1]
    if [frame.index.names[-1], frame.columns.name] != raters or not k or len(frame) % k:
        return None
    n = k - ("margins_name" in frame.attrs)
    counts = np.nan_to_num(frame.to_numpy(dtype=np.float64)).reshape(-1, k, k)[:, :n, :n]
    fullest = counts.max(axis=(1, 2), keepdims=True, initial=np.finfo(float).tiny)
    shades, sides = np.full((len(counts), k, k), np.nan), np.where(np.eye(n), 1.0, -1.0)
    shades[:, :n, :n] = np.where(counts > 0, sides * np.sqrt(counts / fullest), np.nan)
    return shades.reshape(-1, k)


def is_matrix(frame: pd.DataFrame) -> bool:
    """Whether a frame is a square of raters, as `pairwise` gives it, or several of them."""
    raters = list(frame.columns)
    rows = list(frame.index.get_level_values(-1))
    squares = len(rows) // max(len(raters), 1)
    return frame.columns.name is None and bool(rows) and rows == raters * squares


def matrix_cells(
    matrix: pd.DataFrame,
    pairs: pd.DataFrame | None = None,
    *,
    digits: int = 2,
    window: Window = WHOLE,
) -> TextCells:
    """Write the cells of a square of raters, with limits where the pairs are given too.

    Parameters
    ----------
    matrix : DataFrame, shape (R, R)
        As `pairwise` gives it; with groups, their squares stand one below the other.
    pairs : DataFrame, optional
        As `pairs` gives it, of the same raters and groups.
    digits : int, default 2
        Number of decimals.
    window : Window, optional
        How much of a long or wide table is written. Default: all.

    Returns
    -------
    TextCells
        With colours if each rater agrees with themselves, as a coefficient has it; the squares of
        standard errors, numbers of items and the like have none.
    """
    are_coefficients = _has_coefficients(matrix)
    kept = window.rows(len(matrix)), window.columns(matrix.shape[1])
    matrix = matrix.iloc[kept]
    labels = pd.Index(matrix.columns, dtype=object, tupleize_cols=False)
    if not are_coefficients:
        texts = [[written(value, "label", digits) for value in matrix[name]] for name in matrix]
        cells = TextCells(_labelled(texts, matrix.index, labels), np.full(matrix.shape, np.nan))
        return with_gaps(cells, *kept)
    values = matrix.to_numpy(dtype=np.float64)
    limits = {} if pairs is None else _limits_of(pairs)
    rows = [label if matrix.index.nlevels > 1 else (label,) for label in matrix.index]
    texts = [
        [
            with_interval(value, *limits.get((*row, column), ()), digits=digits)
            for row, value in zip(rows, figures, strict=True)
        ]
        for column, figures in zip(matrix.columns, values.T, strict=True)
    ]
    return with_gaps(TextCells(_labelled(texts, matrix.index, labels), values), *kept)


def written(value: Any, kind: schema.Kind, digits: int = 2) -> str:
    """Write one value of a column of some kind.

    >>> [written(*one) for one in [(0.00001, "p"), (3.0, "count"), (-0.0001, "measure")]]
    ['<0.0001', '3', '0.000']
    """
    is_label = kind in {"label", "text"}
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "" if is_label else UNDEFINED
    if kind == "flag":
        return "yes" if value else "no"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return one_line(value)
    return (
        str(value) if isinstance(value, numbers.Integral) else _number(float(value), kind, digits)
    )


def _number(value: float, kind: schema.Kind, digits: int) -> str:
    """Write a number that need not be whole."""
    if kind == "p" and value < schema.LEAST_P:
        return f"<{schema.LEAST_P:.4f}"
    if kind == "agreement":
        return rounded(value, digits)
    is_common = 10**-digits <= abs(value) < math.inf
    formats: dict[schema.Kind, str] = {
        "count": ".10g",
        "measure": f".{digits + 1}f",
        "z": ".2f",
        "p": ".4f",
        "difference": ".1e",
        "label": f".{digits + 1}f" if is_common else ".4g",
    }
    return f"{value:z{formats.get(kind, '.4g')}}"


def _with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Make labels of the rows out of the columns on the left that are labels."""
    labels, is_bare = [], has_default_rows(frame)
    for name, dtype in list(frame.dtypes.items())[:-1]:
        if not is_bare and name not in schema.COLUMNS:
            break  # such as a category of a table of two
        if schema.kind_of(name) != "label" or pd.api.types.is_float_dtype(dtype):
            break
        labels.append(name)
    return frame.set_index(labels, append=not is_bare) if labels else frame


def _has_coefficients(matrix: pd.DataFrame) -> bool:
    """Whether the diagonals of all squares are 1, or undefined."""
    if not all(pd.api.types.is_float_dtype(dtype) for dtype in matrix.dtypes):
        return False
    own = np.diagonal(matrix.to_numpy().reshape(-1, matrix.shape[1], matrix.shape[1]), 0, 1, 2)
    return bool((np.isnan(own) | (np.abs(own - 1) < ROUNDING)).all())


def _numbers(values: pd.Series) -> FloatArray:
    """Read a column of figures, NaN where there is none."""
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _limits_of(pairs: pd.DataFrame) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Find the limits of each cell of a square: by group, rater in the row and in the column."""
    sides = zip(groups_of(pairs), pairs["rater_a"], pairs["rater_b"], strict=True)
    limits = list(zip(pairs["ci_low"], pairs["ci_high"], strict=True))
    found = {}
    for (group, first, second), pair in zip(sides, limits, strict=True):
        found[*group, first, second] = found[*group, second, first] = pair
    return found


def _labelled(columns: Iterable[Sequence[str]], index: pd.Index, names: pd.Index) -> pd.DataFrame:
    """Put columns of text side by side."""
    texts = np.array([list(column) for column in columns], dtype=object)
    return pd.DataFrame(texts.reshape(len(names), len(index)).T, index=index, columns=names)


# White is chance; on the way to perfect agreement it turns into the sky blue of Okabe and Ito
# (2008), below chance into their orange. Both are told apart with any colour vision, and black
# text on them is easy to read.
WHITE, BLUE, ORANGE = (255, 255, 255), (86, 180, 233), (230, 159, 0)

UNIQUE = 12  # characters of the name of a table
NO_MATHS = "tex2jax_ignore mathjax_ignore"  # for a notebook, in which $ begins a formula

IN_LATEX = {"hrules": True, "multirow_align": "naive", "multicol_align": "naive-r"}

LAYOUT = (
    ("caption", "caption-side: top; text-align: left; padding: 0.3em 0.6em"),
    ("th", "text-align: left; vertical-align: top; padding: 0.2em 0.6em"),
    ("th.col_heading", "text-align: right; white-space: nowrap"),
    ("td", "text-align: right; white-space: nowrap; padding: 0.2em 0.6em"),
    ("td", "font-variant-numeric: tabular-nums"),
)


def heat(value: float) -> str:
    """Find the colour behind a coefficient, on which text is black.

    Parameters
    ----------
    value : float
        The coefficient; below -1 it has the colour of -1.

    Returns
    -------
    str
        In hexadecimal: from white for 0 to blue for 1, and to orange for -1. The contrast of
        black text is at least 9 to 1.

    Examples
    --------
    >>> heat(0.0), heat(0.5), heat(-1.0)
    ('#ffffff', '#aadaf4', '#e69f00')
    """
    end, share = (BLUE if value > 0 else ORANGE), min(abs(value), 1.0)
    parts = [round(white + share * (full - white)) for white, full in zip(WHITE, end, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def styler_of(cells: TextCells, caption: str = "") -> Styler:
    """Show cells as a table with colours.

    Parameters
    ----------
    cells : TextCells
        The cells.
    caption : str, optional
        A line above the table.

    Returns
    -------
    Styler
        Its HTML and its LaTeX have all text of the data escaped.

    Raises
    ------
    MissingDependencyError
        If Jinja2 is not installed.
    """
    check_jinja2()
    text = cells.text.set_axis(plain(cells.text.index), axis=0)
    text = text.set_axis(plain(cells.text.columns), axis=1)
    styler = (
        text.style.set_uuid(_name_of(text)).format(escape="html").set_caption(html.escape(caption))
    )
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    if has_default_rows(cells.text):
        styler = styler.hide(axis="index")
    styler = styler.set_table_attributes(f'class="dataframe {NO_MATHS}"')
    rules = [{"selector": selector, "props": props} for selector, props in LAYOUT]
    for i, line in enumerate(cells.heat):
        for j, value in enumerate(line):
            if not math.isnan(value):
                props = f"background-color: {heat(value)}; color: #000000"
                rules.append({"selector": f"td.row{i}.col{j}", "props": props})
    styler.to_latex = functools.partial(_latex_of, cells)  # type: ignore[method-assign]
    return styler.set_table_styles(rules)  # type: ignore[arg-type]


def _latex_of(cells: TextCells, buf: Any = None, **options: Any) -> Any:
    """Write LaTeX with the colours of the cells; the rules of HTML would not compile."""
    filled = [
        [_fill(value) + latex(one) for one, value in zip(*line, strict=True)]
        for line in zip(cells.text.to_numpy(dtype=object), cells.heat, strict=True)
    ]
    labels = latex_labels(cells.text.index), latex_labels(cells.text.columns)
    text, n_labels = pd.DataFrame(filled, *labels), cells.text.index.nlevels
    styler: Any = text.style
    if has_default_rows(cells.text):
        styler, n_labels = styler.hide(axis="index"), 0
    sides = {"column_format": "l" * n_labels + "r" * text.shape[1]}
    return styler.to_latex(buf, **(IN_LATEX | sides | options))


def _fill(value: float) -> str:
    """Write the colour behind a coefficient for the package xcolor."""
    return "" if math.isnan(value) else rf"\cellcolor[HTML]{{{heat(value)[1:].upper()}}} "


def _name_of(text: pd.DataFrame) -> str:
    """Name a table after its content, so that the same table has the same HTML."""
    return hashlib.sha256(text.to_csv().encode(errors="backslashreplace")).hexdigest()[:UNIQUE]


def check_jinja2() -> None:
    """Make sure that Jinja2 is installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        message = "Styling needs Jinja2, which is not installed. Run: pip install 'pdkappa[report]'"
        raise MissingDependencyError(message) from error


def as_text(cells: TextCells, width: int, shape: tuple[int, int]) -> str:
    """Show a table as text; of a part of one, say what shape it has."""
    text = cells.text.set_axis(_seen(cells.text.index), axis=0)
    table: str = text.set_axis(_seen(cells.text.columns), axis=1).to_string(
        max_rows=len(text) or None,
        max_colwidth=pd.get_option("display.max_colwidth"),
        line_width=width,
    )
    return f"{table}\n\n[{_size(shape)}]" if is_part(cells) else table


def as_html(
    cells: TextCells, shape: tuple[int, int], *, above: str = "", below: str = ""
) -> str | None:
    """Show a table in a notebook, with colours if Jinja2 is there; None if HTML is not wanted."""
    if not pd.get_option("display.notebook_repr_html"):
        return None
    table = styler_of(cells).to_html() if importlib.util.find_spec("jinja2") else None
    table = cells.text.to_html() if table is None else table
    lines = [above, _size(shape) if is_part(cells) else "", below]
    above, *rest = (f"<p>{html.escape(line)}</p>" if line else "" for line in lines)
    return f'<div class="{NO_MATHS}">{above}{table}{"".join(rest)}</div>'


def is_part(cells: TextCells) -> bool:
    """Whether rows or columns of a table were left out."""
    return any(GAP in labels.get_level_values(0) for labels in cells.text.axes)


def fold(text: str, width: int) -> str:
    """Break a sentence into lines."""
    return textwrap.fill(text, width)


def _size(shape: tuple[int, int]) -> str:
    """Say how many rows and columns there are."""
    return f"{shape[0]} rows x {shape[1]} columns"


def _seen(labels: pd.Index) -> pd.Index:
    """Show as codes what a terminal would obey."""
    names = [visible(name) if isinstance(name, str) else name for name in labels.names]
    levels = [labels.get_level_values(j) for j in range(labels.nlevels)]
    shown = [[_visible(x) for x in level] for level in levels]
    if isinstance(labels, pd.MultiIndex):
        return pd.MultiIndex.from_arrays(shown, names=names)
    if labels.dtype.kind != "O":  # numbers and dates
        return labels.set_names(names)
    return pd.Index(shown[0], dtype=object, tupleize_cols=False, name=names[0])


def _visible(label: Any) -> Any:
    """Write text, and sets as they write themselves."""
    return visible(str(label)) if isinstance(label, str | frozenset) else label


WIDTH_OF_FRAMES = 80  # characters of a line, if pandas' option display.width is None
MOST_NAMED = 8
LABELS = ("rater_a", "rater_b", "rater", "first", "second", "machine", "submission")


class Result(pd.DataFrame, metaclass=ABCMeta):
    """A frame as it was returned; anything computed from it is a plain DataFrame.

    It differs from one in nothing but how it is shown, so that every DataFrame counts as a
    Result: this is what ``pandas.testing.assert_frame_equal`` asks of the frame expected.
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        """Make plain frames."""
        return pd.DataFrame

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        """Whether objects of another class count as results."""
        return issubclass(other, pd.DataFrame)

    def __repr__(self) -> str:
        """Show figures as they are read, and who the raters were."""
        width = pd.get_option("display.width") or WIDTH_OF_FRAMES
        cells = self._cells()
        table, raters = as_text(cells, width, self.shape), self._raters(cells)
        return f"{table}\n\n{fold(raters, width)}" if raters else table

    def _repr_html_(self) -> str | None:
        """Show the same in a notebook, in colours; nothing where pandas shows no HTML."""
        cells = self._cells()
        return as_html(cells, self.shape, below=self._raters(cells))

    def _cells(self) -> TextCells:
        """Write the cells that are shown; rows keep their labels."""
        from pdkappa.present.text_markup import usual

        plain = pd.DataFrame(self)
        plain.attrs = self.attrs
        return cells_of(plain, labelled=False, window=usual())

    def _raters(self, cells: TextCells) -> str:
        """Name the raters, unless the table does."""
        from pdkappa.present.labels import one_line

        named = [one_line(rater) for rater in self.attrs.get("raters", ())]
        text = cells.text
        seen = {*_texts(text.columns), *_texts(text.index)}
        for name in LABELS:
            if name in text:
                seen.update(part for one in text[name] for part in (one, *one.split(" x ")))
        if seen.issuperset(named):
            return ""
        more = len(named) - MOST_NAMED
        return f"Raters: {', '.join(named[:MOST_NAMED])}{f' and {more} more' if more > 0 else ''}"


def result(frame: pd.DataFrame, raters: Iterable[Any]) -> pd.DataFrame:
    """Let a frame print well, and note whose ratings it is about.

    Parameters
    ----------
    frame : DataFrame
        What a public function found.
    raters : iterable of labels
        Whose ratings were compared; none where they have no names.

    Returns
    -------
    DataFrame
        The same figures, with the raters as the list ``attrs["raters"]``.

    Examples
    --------
    >>> frame = result(pd.DataFrame({"n_items": [20], "p_value": [1e-9]}), ["ann", "bob"])
    >>> frame
       n_items  p_value
    0       20  <0.0001
    <BLANKLINE>
    Raters: ann, bob
    >>> frame.attrs["raters"], type(frame.copy()) is pd.DataFrame
    (['ann', 'bob'], True)
    """
    shown = Result(frame)
    shown.attrs["raters"] = [one.item() if isinstance(one, np.generic) else one for one in raters]
    return shown


def _texts(labels: pd.Index) -> set[str]:
    """Write labels and the names of their levels as a table shows them."""
    from pdkappa.present.labels import one_line

    own = [one for j in range(labels.nlevels) for one in labels.get_level_values(j)]
    return {one_line(one) for one in (*own, *labels.names)}


WIDTH = 100  # characters of a line
MOST_DIGITS = 15  # of a double, more or less
MOST_NAMED = 8
SHOWN_PAIRS = {"rater_a", "rater_b", "n_items", "estimate", "ci_low", "ci_high", "se", "reason"}


class Shown(ABC):
    """What has a short table of itself."""

    @abstractmethod
    def note(self) -> str:
        """Say in a sentence or two what it is."""

    @abstractmethod
    def _table(self) -> pd.DataFrame:
        """Return what is shown of it."""

    def style(self, *, digits: int = 2) -> Styler:
        """Show the table with colours, and each estimate with its interval.

        Parameters
        ----------
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        Styler
            Of pandas, with an estimate as "0.71 [0.65, 0.77]" on white where it is 0, on blue
            above and on orange below it. All text is escaped for HTML.

        Raises
        ------
        MissingDependencyError
            If Jinja2 is not installed.
        """
        return styler_of(self._cells(digits), self.note())

    def to_latex(self, *, digits: int = 2) -> str:
        """Write the table for LaTeX.

        Parameters
        ----------
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            A ``tabular`` with the rules of the LaTeX package booktabs. All text is escaped.
        """
        return to_latex(self._cells(digits).text)

    def to_markdown(self, *, digits: int = 2) -> str:
        """Write the table for Markdown.

        Parameters
        ----------
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            A table with pipes, as GitHub reads it. All text is escaped.
        """
        return to_markdown(self._cells(digits).text)

    def __repr__(self) -> str:
        """Show the note and the table as text, a long table without its middle."""
        return _with_note(self.note(), *self._short())

    def _repr_html_(self) -> str | None:
        """Show the note and the table in a notebook; nothing where pandas shows no HTML."""
        return as_html(*self._short(), above=self.note())

    def _cells(self, digits: int = 2) -> TextCells:
        """Write the cells of the table."""
        return cells_of(self._table(), digits=check_digits(digits), level=self._level())

    def _short(self) -> tuple[TextCells, tuple[int, int]]:
        """Write the cells that are shown of a table that may be long, and give its shape."""
        table = self._table()
        cells = cells_of(table, level=self._level(), window=usual())
        return cells, (len(table), cells.text.shape[1])

    def _level(self) -> float | None:
        """Return the confidence level of the limits, if there are limits and it is known."""
        return None


class ShownTables(ABC):
    """What has several tables, of which the pairs are shown."""

    @property
    @abstractmethod
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name."""

    @abstractmethod
    def _title(self, table: str) -> str:
        """Say in one line what a table shows."""

    def _level(self) -> float | None:
        """Return the confidence level of the limits, if it is known."""
        return None

    def style(self, table: str = "pairwise", *, digits: int = 2) -> Styler:
        """Show one table with colours, and each estimate with its interval.

        Parameters
        ----------
        table : str, default "pairwise"
            Its name among `tables`.
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        Styler
            Of pandas, with an estimate as "0.71 [0.65, 0.77]" on white where it is 0, on blue
            above and on orange below it. All text is escaped for HTML.

        Raises
        ------
        OptionError
            If there is no such table.
        MissingDependencyError
            If Jinja2 is not installed.

        Examples
        --------
        >>> report = pdkappa.datasets.load_anxiety().kappa.report(weights="quadratic")
        >>> report.style().data
                            rater_1             rater_2             rater_3
        rater_1                1.00  0.30 [-0.14, 0.60]  0.07 [-0.30, 0.37]
        rater_2  0.30 [-0.14, 0.60]                1.00  0.23 [-0.13, 0.60]
        rater_3  0.07 [-0.30, 0.37]  0.23 [-0.13, 0.60]                1.00
        """
        return styler_of(self._cells(table, digits), self._title(table))

    def to_latex(self, table: str = "pairwise", *, digits: int = 2) -> str:
        """Write one table for LaTeX.

        Parameters
        ----------
        table : str, default "pairwise"
            Its name among `tables`.
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            A ``tabular`` with the rules of the LaTeX package booktabs. All text is escaped.

        Raises
        ------
        OptionError
            If there is no such table.
        """
        return to_latex(self._cells(table, digits).text)

    def to_markdown(self, table: str = "pairwise", *, digits: int = 2) -> str:
        """Write one table for Markdown.

        Parameters
        ----------
        table : str, default "pairwise"
            Its name among `tables`.
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            A table with pipes, as GitHub reads it. All text is escaped.

        Raises
        ------
        OptionError
            If there is no such table.
        """
        return to_markdown(self._cells(table, digits).text)

    def __repr__(self) -> str:
        """Name the tables, and show the pairs as text."""
        return _with_note(self._summary(), *self._pairs())

    def _repr_html_(self) -> str | None:
        """Name the tables, and show the pairs; nothing where pandas shows no HTML."""
        return as_html(*self._pairs(), above=self._summary())

    def _summary(self) -> str:
        """Name the tables with their shapes."""
        shapes = [f"{name} ({len(t)} x {t.shape[1]})" for name, t in self.tables.items()]
        more = f" and {len(shapes) - MOST_NAMED} more" if len(shapes) > MOST_NAMED else ""
        return f"Report of {len(shapes)} tables: {', '.join(shapes[:MOST_NAMED])}{more}."

    def _pairs(self) -> tuple[TextCells, tuple[int, int]]:
        """Write the cells of the pairs, of the most telling columns, and give their shape."""
        pairs = self.tables["pairs"]
        rest = [name for name in PAIRS if name not in SHOWN_PAIRS]
        cells = cells_of(pairs.drop(columns=rest), level=self._level(), window=usual())
        return cells, (len(pairs), cells.text.shape[1])

    def _cells(self, table: str, digits: int) -> TextCells:
        """Write the cells of a table; those of the matrix have their intervals."""
        check_choice("table", table, self.tables)
        check_digits(digits)
        if table == "pairwise":
            return matrix_cells(self.tables[table], self.tables["pairs"], digits=digits)
        return cells_of(self.tables[table], digits=digits, level=self._level())


def _with_note(note: str, cells: TextCells, shape: tuple[int, int]) -> str:
    """Show a note and a table as text."""
    return f"{fold(note, WIDTH)}\n\n{as_text(cells, WIDTH, shape)}"


def check_digits(digits: Any) -> int:
    """Make sure that a number of decimals is one."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= MOST_DIGITS:
        message = f"digits={digits!r} must be a whole number from 0 to {MOST_DIGITS}."
        raise OptionError(message)
    return digits


def check_frame(frame: Any) -> None:
    """Make sure that what is to be shown is a frame."""
    if not isinstance(frame, pd.DataFrame):
        message = (
            f"frame must be a DataFrame, got {type(frame).__name__}. Pass what pairs or pairwise "
            "returned; results have a method style() of their own."
        )
        raise OptionError(message)


def style(frame: pd.DataFrame, *, digits: int = 2) -> Styler:
    """Show a frame of pdkappa with colours, and each estimate with its interval.

    Parameters
    ----------
    frame : DataFrame
        What `pairs`, `pairwise` or any other function returned, or rows of it. Never changed.
    digits : int, default 2
        Number of decimals of coefficients; standard errors have one more.

    Returns
    -------
    Styler
        Of pandas, with an estimate as "0.71 [0.65, 0.77]" on white where it is 0, on blue
        above and on orange below it. All text is escaped for HTML. A square of all
        raters has colours if its diagonal is 1, as that of a coefficient is.

    Raises
    ------
    OptionError
        If it is not a frame.
    MissingDependencyError
        If Jinja2 is not installed.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> frame = df.kappa.pairs(weights="quadratic")[["rater_a", "rater_b", "estimate", "se"]]
    >>> pdkappa.style(frame).data
                    estimate     se
    rater_a rater_b
    rater_1 rater_2     0.30  0.157
            rater_3     0.07  0.123
    rater_2 rater_3     0.23  0.191
    """
    check_frame(frame)
    return styler_of(cells_of(frame, digits=check_digits(digits)))
