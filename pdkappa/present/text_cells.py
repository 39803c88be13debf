"""The cells of a short table, written as their columns ask; as text, HTML or a Styler."""

from __future__ import annotations

import functools
import hashlib
import html
import importlib.util
import math
import numbers
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import needed_for
from pdkappa.present import schema
from pdkappa.present.labels import (
    OF_ROWS,
    ROWS,
    groups_of,
    heading_of,
    label_as_json,
    one_line,
    rounded,
    visible,
)
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
    relabelled,
    usual,
    with_gaps,
    with_interval,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from pandas.io.formats.style import Styler

    from pdkappa._typing import FloatArray, Label

MOST_WEIGHED = 1000  # items whose number has a decimal
ROUNDING = 1e-9  # by which a diagonal may miss 1


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
    limits, shades = limits_in(set(frame.columns)), shades_of(frame)
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
            figures = zip(*(_numbers(frame[one]) for one in (name, *limits[name])), strict=True)
            labels.append(f"{name} [{interval}]")
            decimals = digits + (schema.kind_of(name) != "agreement")  # those of a measure
            texts.append([with_interval(*one, digits=decimals) for one in figures])
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


def limits_in(names: AbstractSet[Any]) -> dict[Any, tuple[str, str]]:
    """Find the columns that have limits beside them; those of the interval belong to one.

    >>> limits_in({"difference", "ci_low", "ci_high", "recall"})
    {'difference': ('ci_low', 'ci_high')}
    """
    main = next((name for name in ("estimate", "difference") if name in names), "")
    stems = [*((name, f"{name}_") for name in names), (main, "ci_")]
    sides = [(name, (f"{stem}low", f"{stem}high")) for name, stem in stems]
    return {name: pair for name, pair in sides if {name, *pair} <= names}


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
        if isinstance(value, tuple)
        and label_as_json(value) not in known
        and known.issuperset(map(label_as_json, value))
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
    both = [label_as_json(one) for one in (frame.index.names[-1], frame.columns.name)]
    if both != raters or not k or len(frame) % k:
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
    are_coefficients = has_coefficients(matrix)
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

    >>> [written(*one) for one in [(0.00001, "p"), (3.0, "label"), (-0.0001, "measure")]]
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
    if kind == "label" and value.is_integer():
        return one_line(value)
    if kind == "count" and not value.is_integer() and value < MOST_WEIGHED:
        return f"{value:.1f}"
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


def has_coefficients(matrix: pd.DataFrame) -> bool:
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
        _style_of(text)
        .set_uuid(_name_of(text))
        .format(escape="html")
        .set_caption(html.escape(caption))
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


def _style_of(text: pd.DataFrame) -> Styler:
    """Style rows that have no names of fields: Python takes two Unicode forms of one for equal."""
    text.itertuples = functools.partial(text.itertuples, name=None)  # type: ignore[method-assign]
    return text.style


def _latex_of(cells: TextCells, buf: Any = None, **options: Any) -> Any:
    """Write LaTeX with the colours of the cells; the rules of HTML would not compile."""
    filled = [
        [_fill(value) + latex(one) for one, value in zip(*line, strict=True)]
        for line in zip(cells.text.to_numpy(dtype=object), cells.heat, strict=True)
    ]
    labels = latex_labels(cells.text.index), latex_labels(cells.text.columns)
    text, n_labels = pd.DataFrame(filled, *labels), cells.text.index.nlevels
    styler: Any = _style_of(text)
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
    with needed_for("Styling", "Jinja2", "'pdkappa[report]'"):
        import jinja2  # noqa: F401


def as_text(cells: TextCells, width: int, shape: tuple[int, int]) -> str:
    """Show a table as text; of a part of one, say what shape it has."""
    if not len(cells.text):
        named = ", ".join(map(visible, map(str, cells.text.columns)))
        return "\n".join(textwrap.wrap(f"No rows of: {named}", width))
    text = cells.text.set_axis(_seen(cells.text.index), axis=0)
    table: str = text.set_axis(_seen(cells.text.columns), axis=1).to_string(
        max_rows=len(text) or None,
        max_colwidth=pd.get_option("display.max_colwidth"),
        line_width=width,
    )
    return f"{table}\n\n[{_size(shape)}]" if is_part(cells) else table


def as_html(
    cells: TextCells, shape: tuple[int, int], *, above: Sequence[str], below: Sequence[str] = ()
) -> str | None:
    """Show a table in a notebook, with colours if Jinja2 is there; None if HTML is not wanted."""
    if not pd.get_option("display.notebook_repr_html"):
        return None
    table = styler_of(cells).to_html() if importlib.util.find_spec("jinja2") else None
    table = cells.text.to_html() if table is None else table
    below = [_size(shape) if is_part(cells) else "", *below]
    first, last = (
        "".join(f"<p>{html.escape(line)}</p>" for line in lines if line) for lines in (above, below)
    )
    return f'<div class="{NO_MATHS}">{first}{table}{last}</div>'


def brief(cells: TextCells, frame: pd.DataFrame, width: int) -> tuple[TextCells, list[str]]:
    """Leave out columns, so that a table is one block of lines; name those that are left out.

    Labels and the main figure stay. Squares and tables of two raters are left as they are.
    """
    if frame.columns.name is not None or frame.columns.nlevels > 1 or is_matrix(frame):
        return cells, []
    text = cells.text
    names = [_base(label) for label in text.columns]
    technical = schema.technical(frame.columns)
    kept = [j for j, name in enumerate(names) if name not in technical] or [*range(len(names))]
    widths = [max(map(len, (str(one), *text.iloc[:, j]))) + 2 for j, one in enumerate(text.columns)]
    free = width - _width_of(text.index)
    figures = {x for x, dtype in frame.dtypes.items() if pd.api.types.is_float_dtype(dtype)}
    figures -= schema.COLUMNS.keys()
    kinds = [
        "measure" if name != label or name in figures else schema.kind_of(name)
        for name, label in zip(names, text.columns, strict=True)
    ]
    may_go = [j for j in kept if kinds[j] != "label"]
    known = [j for j in may_go if kinds[j] in {"agreement", "measure"}]
    main = next((j for j in known if names[j] == "estimate"), known[0] if known else None)
    may_go.sort(key=lambda j: (j != main, names[j] in schema.TELLING, -j))
    while len(may_go) > 1 and sum(widths[j] for j in kept) > free:
        kept.remove(may_go.pop(int(may_go[0] == main)))
    if len(kept) == len(names):
        return cells, []
    hidden = [name for j, name in enumerate(names) if j not in kept and name != "remark"]
    return cells._replace(text=text.iloc[:, kept], heat=cells.heat[:, kept]), hidden


def window_of(frame: pd.DataFrame) -> Window:
    """Show as much as pandas does, but a list of figures with all columns: `brief` chooses."""
    window = usual()
    is_list = frame.columns.name is None and not is_matrix(frame)
    return window._replace(max_columns=None) if is_list else window


def _base(label: Hashable) -> str:
    """Return the name of a column without what stands for its limits."""
    return str(label).partition(" [")[0]


def _width_of(index: pd.Index) -> int:
    """Return the characters that labels of rows take."""
    levels = [index.get_level_values(j) for j in range(index.nlevels)]
    return sum(
        max((len(str(one)) for one in (*level, level.name)), default=0) + 1 for level in levels
    )


def in_plain_words(cells: TextCells, frame: pd.DataFrame, by: Any = None) -> TextCells:
    """Head columns of the vocabulary, and groups, as people call them; raters as they are."""
    text, groups = cells.text, by if isinstance(by, list) else [by]
    raters = frame.attrs.get("raters", ())

    def spoken(label: Any) -> Any:
        name = _base(label)
        known = label in groups or name in schema.COLUMNS
        return f"{heading_of(name)}{str(label)[len(name) :]}" if known else label

    if text.columns.name is None and text.columns.nlevels == 1 and not is_matrix(frame):
        columns = pd.Index([spoken(one) for one in text.columns], dtype=object, tupleize_cols=False)
        text = text.set_axis(columns, axis=1)
    named = text.columns.name is not None  # then the rows are called as their rater is
    kept = [named or one is None or one in raters for one in text.index.names]
    names = [n if as_is else heading_of(n) for n, as_is in zip(text.index.names, kept, strict=True)]
    index = spoken_rows(text.index).set_names(names)
    return cells._replace(text=text.set_axis(index, axis=0))


def spoken_rows(labels: pd.Index) -> pd.Index:
    """Call rows as people do, where they are called by names of ours."""
    if not set(OF_ROWS) & {*labels.names}:
        return labels
    levels = [
        [ROWS.get(one, one) for one in labels.get_level_values(j)]
        if name in OF_ROWS
        else labels.get_level_values(j)
        for j, name in enumerate(labels.names)
    ]
    if labels.nlevels == 1:
        return pd.Index(levels[0], dtype=object, name=labels.name)
    return pd.MultiIndex.from_arrays(levels, names=labels.names)


def is_part(cells: TextCells) -> bool:
    """Whether rows or columns of a table were left out."""
    return any(GAP in labels.get_level_values(0) for labels in cells.text.axes)


def _size(shape: tuple[int, int]) -> str:
    """Say how many rows and columns there are."""
    return f"{shape[0]} rows x {shape[1]} columns"


def _seen(labels: pd.Index) -> pd.Index:
    """Show as codes what a terminal would obey, and whole numbers without decimals."""
    named = labels.set_names([visible(x) if isinstance(x, str) else x for x in labels.names])
    is_own = not isinstance(labels, pd.MultiIndex) and labels.dtype.kind not in "Of"
    return named if is_own else relabelled(named, _visible, lambda name: name)


def _visible(label: Any) -> Any:
    """Write text, and sets as they write themselves; nothing for a label that is missing."""
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return ""
    if isinstance(label, float) and label.is_integer():
        return int(label)
    return visible(str(label)) if isinstance(label, str | frozenset) else label
