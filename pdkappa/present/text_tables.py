"""Results as short tables, in a terminal, a notebook or a paper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import pandas as pd

from pdkappa.errors import OptionError, plural, shown
from pdkappa.present.files import check_target, deliver
from pdkappa.present.findings import WIDTH, Caution, Findings, folded
from pdkappa.present.labels import fold, heading_of, label_as_json, one_line
from pdkappa.present.sheets import lead_sheet, sheets_of
from pdkappa.present.text_cells import (
    as_html,
    as_text,
    brief,
    cells_of,
    in_plain_words,
    styler_of,
    window_of,
)
from pdkappa.present.text_markup import (
    Part,
    TextCells,
    cited_in,
    escaped,
    prose,
    software,
    to_latex,
    to_markdown,
    usual,
    with_caption,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pandas.io.formats.style import Styler

    from pdkappa.present.files import Target
    from pdkappa.present.html_page import Handout
    from pdkappa.present.sheets import Sheet

MOST_NAMED = 8
MOST_REMARKS = 3  # below a table
LABELS = ("rater_a", "rater_b", "rater", "first", "second", "machine", "submission")
Format = Literal["text", "markdown", "latex"]


class Told(NamedTuple):
    """What a result is, said by the call that made it.

    Attributes
    ----------
    method : str
        The name of the method.
    options : dict
        Its options as they were resolved, with what JSON has.
    line : str
        Coefficient, weights, limits and their level, missing ratings, items.
    hint : str
        What may have to be passed, which is shown on a terminal, and in no file or picture.
    remarks : tuple of str
        The warnings that were raised while it was made.
    sentences : tuple of str
        What a paper says of the method.
    sources : tuple of str
        Further publications, by author and year.
    found : Findings, optional
        What was found, which stands first.
    """

    method: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    line: str = ""
    hint: str = ""
    remarks: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    found: Findings | None = None

    def at_work(self, line: str) -> str:
        """Add the hint to a line."""
        return " \N{MIDDLE DOT} ".join(filter(None, (line, self.hint)))

    @property
    def level(self) -> float | None:
        """The confidence level of the limits."""
        return self.options.get("confidence_level")

    def of(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Let a frame say the same, as a table of this result."""
        if is_result(frame):
            object.__setattr__(frame, "_told", self)
            frame.attrs["kappa"] = dict(self.options)
        return frame


def say(found: Any, told: Callable[[bool], Told]) -> None:
    """Let what a method returns say what it is; `told` is asked whether it has limits."""
    if is_result(found):
        told(_has_limits(found)).of(found)
    elif isinstance(found, Bundle):
        _tell(found, told(True))  # noqa: FBT003  # its tables may not be made yet
    elif isinstance(found, pd.Series):
        found.attrs["kappa"] = dict(told("ci_low" in found.index).options)


def _tell(found: Bundle, told: Told) -> None:
    """Let a bundle, its frames and the bundles in it say what they are."""
    own = vars(found).get("options", {})  # of a report, any other name may be that of a table
    object.__setattr__(found, "_told", told)
    object.__setattr__(found, "options", {**own, **told.options})
    for one in vars(found).values():
        told._replace(found=None).of(one)
        for part in one.values() if isinstance(one, dict) else ():
            if isinstance(part, Bundle):
                _tell(part, told)


def is_result(found: object) -> bool:
    """Whether something is a frame as it was returned; see the class for why it is not asked."""
    return Result in type(found).__mro__


def line_of(found: Any) -> str:
    """Return the line of what a method returned; empty for what says nothing."""
    told: Told = getattr(found, "_told", Told()) if is_result(found) else Told()
    return told.line


def _has_limits(frame: pd.DataFrame) -> bool:
    """Whether a frame shows limits of some figure."""
    columns = frame.columns
    return "ci_low" in columns or any(str(name).endswith("_low") for name in columns.tolist())


class Says(ABC):
    """What says what it is: the same for a frame and for what has several."""

    _told = Told()
    _is_brief = True  # whether columns are left out of what is shown

    @abstractmethod
    def _frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name."""

    @abstractmethod
    def _main(self) -> pd.DataFrame:
        """Return the table that is shown."""

    @abstractmethod
    def _shown(self) -> tuple[TextCells, tuple[int, int], list[str]]:
        """Write the cells that are shown; give the shape, and the lines below them."""

    def __repr__(self) -> str:
        """Show figures as they are read, and what they are."""
        cells, shape, below = self._shown()
        width = self._width()
        notes = "\n".join(fold(line, width) for line in below if line)
        parts = [_above(self.findings), as_text(cells, width, shape), notes]
        return "\n\n".join(filter(None, parts))

    def _repr_html_(self) -> str | None:
        """Show the same in a notebook, in colours; nothing where pandas shows no HTML."""
        cells, shape, below = self._shown()
        cells = in_plain_words(cells, self._main(), self._told.options.get("by"))
        return as_html(cells, shape, above=self.findings.top, below=below)

    def _width(self) -> int:
        """Return the characters of a line."""
        return WIDTH

    def _first(self) -> str:
        """Return what was found in a sentence or two; nothing where a table says it."""
        return ""

    @property
    def findings(self) -> Findings:
        """What was found: what stands first in print, page, workbook and texts.

        Returns
        -------
        Findings
            Its headline is empty where the table says all there is to say.
        """
        told = self._told
        return told.found or Findings(
            self._first(),
            cautions=tuple(map(Caution, told.remarks)),
            basis=told.line,
            subject=heading_of(told.method),
        )

    def _rest(self) -> list[str]:
        """Return the remarks that are no cautions, which stand first."""
        told = [one.text for one in self.findings.cautions] if self.findings.headline else []
        return [one for one in self.remarks if one not in told]

    @property
    def remarks(self) -> list[str]:
        """What there is to say of the figures.

        Returns
        -------
        list of str
            The warnings that were raised while it was made, and the remarks on rows.
        """
        frame = self._main()
        on_rows = frame["remark"] if "remark" in frame else pd.Series(dtype=object)
        said = [one for one in on_rows if isinstance(one, str) and one]
        return [*dict.fromkeys((*self._told.remarks, *said))]

    def methods(self, format: Format = "text") -> str:  # noqa: A002
        """Write what a paper says of the method, with its sources.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default "text"
            Plain text, Markdown, or the body of a document in LaTeX.

        Returns
        -------
        str
            A paragraph, and the publications that it cites.
        """
        text = " ".join([*self._told.sentences, software()])
        references = cited_in("; ".join([text, *self._told.sources]))
        parts = [Part("Methods", (text,)), Part("References", references)]
        return prose(parts, format)

    @property
    def style(self) -> Styler:
        """The table with colours, in plain words, each estimate with its interval.

        Returns
        -------
        Styler
            Of pandas, with an estimate as "0.71 [0.65, 0.77]" on white where it is 0, on blue
            above and on orange below it, and the line of the result as its caption. All text is
            escaped for HTML.

        Raises
        ------
        MissingDependencyError
            If Jinja2 is not installed.
        """
        return styler_of(self._written(), self._told.line)

    def to_latex(self, *, digits: int = 2) -> str:
        """Write the table for LaTeX, in plain words, with its caption and remarks.

        Parameters
        ----------
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            What was found, if there is anything to say, and a ``table`` with the rules of the
            LaTeX package booktabs. All text is escaped.
        """
        found, table = self.findings, to_latex(self._written(digits).text)
        table = with_caption(table, found.basis, self._rest()[:MOST_REMARKS])
        return "\n\n".join(filter(None, [found.to_latex() if found.headline else "", table]))

    def to_markdown(self, *, digits: int = 2) -> str:
        """Write the table for Markdown, in plain words, with its remarks and its line.

        Parameters
        ----------
        digits : int, default 2
            Number of decimals of coefficients; standard errors have one more.

        Returns
        -------
        str
            What was found, if there is anything to say, and a table with pipes, as GitHub reads
            it. All text is escaped.
        """
        found = self.findings
        first = [found.to_markdown()] if found.headline else []
        notes = [escaped(one) for one in (*self._rest()[:MOST_REMARKS], found.basis) if one]
        return "\n\n".join([*first, to_markdown(self._written(digits).text), *notes])

    def to_excel(self, path: Target, *, overwrite: bool = True) -> Path | None:
        """Write all figures to a workbook, a sheet for each table, in plain words.

        The first sheet says what was found, if there is anything to say. The figures are not
        rounded, and the last sheet explains options and columns.

        Parameters
        ----------
        path : str, path-like or file object
            File to write, ending in ``.xlsx``; or one that is open for bytes.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path or None
            The file written; None for a file object.

        Raises
        ------
        ExportError
            If a table does not fit a worksheet, or a label cannot be written.
        FileExistsError
            If the file exists and `overwrite` is False.
        """
        from pdkappa.present.excel_writer import write_workbook

        found, sheets = self.findings, self._sheets()
        first = [lead_sheet(found)] if found.headline else []
        return write_workbook(path, [*first, *sheets], overwrite=overwrite, title=found.subject)

    def to_html(self, path: Target | None = None, *, overwrite: bool = True) -> str | Path | None:
        """Write all tables to one self-contained HTML page.

        The page says what was found, shows the tables in plain words, and folds up notes on the
        method and what few will ask for. It loads nothing from the network.

        Parameters
        ----------
        path : str, path-like or file object, optional
            File to write; or one that is open for text or bytes. Default: none.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        str, Path or None
            The page without `path`, the same for the same result; the file written; None for a
            file object.

        Raises
        ------
        ExportError
            If the name of the file does not end in ".html" or ".htm".
        FileExistsError
            If the file exists and `overwrite` is False.
        MissingDependencyError
            If Jinja2 is not installed.
        """
        from pdkappa.present.html_page import page

        if path is not None:
            check_target(path, overwrite=overwrite)
        level = self._confidence()
        shown = "CI" if level is None else f"{100 * level:.10g}% CI"
        made = page(self._sheets(), self.findings, self._call(), shown, self._handouts())
        if path is None:
            return made
        return deliver(path, made.encode(errors="backslashreplace"), overwrite=overwrite)

    def _sheets(self) -> list[Sheet]:
        """Return a sheet for each table, and one that explains them."""
        return sheets_of(self._frames(), self._told.line, self._rest(), self._told.options)

    def _confidence(self) -> float | None:
        """Return the confidence level of the limits."""
        return self._told.level

    def _call(self) -> str:
        """Return the code that makes the result again; empty where nobody noted it."""
        return ""

    def _handouts(self) -> tuple[Handout, ...]:
        """Return the texts that a reader may copy from the page."""
        return ()

    def _written(self, digits: int = 2) -> TextCells:
        """Write all cells of the main table, in plain words."""
        frame = self._main()
        cells = cells_of(frame, digits=check_digits(digits), level=self._told.level)
        cells = brief(cells, frame, WIDTH)[0] if self._is_brief else cells
        return in_plain_words(cells, frame, self._told.options.get("by"))


class Result(Says, pd.DataFrame):  # type: ignore[misc]
    """A frame as it was returned; anything computed from it is a plain DataFrame.

    It differs from one in how it is shown and written, and in that it says what it is: so every
    DataFrame counts as a Result, which is what ``pandas.testing.assert_frame_equal`` asks of the
    frame expected.
    """

    _metadata: ClassVar[list[str]] = ["_told"]  # what pandas pickles

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        """Make plain frames."""
        return pd.DataFrame

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        """Whether objects of another class count as results."""
        return issubclass(other, pd.DataFrame)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the call, with what defaults became, as JSON has them.

        Returns
        -------
        dict
            By name; a frame has it as ``attrs["kappa"]``, too. An array or a function is named by
            its type, or its name.
        """
        return dict(self._told.options)

    @property
    def full(self) -> pd.DataFrame:
        """The same figures, with all columns where it is printed.

        Returns
        -------
        DataFrame
            A `Result`, too.
        """
        found = Full(self)
        found.attrs.update(self.attrs)
        return self._told.of(found)

    def _frames(self) -> dict[str, pd.DataFrame]:
        """Return the frame by the name of its method."""
        return {self._told.method or "table": self._main()}

    def _main(self) -> pd.DataFrame:
        """Return the same as a plain frame."""
        plain = pd.DataFrame(self)
        plain.attrs = self.attrs
        return plain

    def _width(self) -> int:
        """Return the characters of a line."""
        return min(pd.get_option("display.width") or WIDTH, WIDTH)

    def _shown(self) -> tuple[TextCells, tuple[int, int], list[str]]:
        """Write the cells that are shown, and name the columns that are not; rows keep labels."""
        plain, rest = self._main(), list[str]()
        window = window_of(plain) if self._is_brief else usual()
        cells = cells_of(plain, labelled=False, level=self._told.level, window=window)
        if self._is_brief:
            cells, rest = brief(cells, plain, self._width())
        below = [*self._notes(rest), self._raters(cells), self._told.at_work(self._told.line)]
        return cells, self.shape, below

    def _notes(self, rest: list[str]) -> list[str]:
        """Say what the rows remark, and which columns are not shown."""
        more = f"Also: {', '.join(rest)} (.full)" if rest else ""
        frame = self._main()
        said = frame["remark"].value_counts() if "remark" in frame else pd.Series(dtype=int)
        said = said[[one for one in said.index if isinstance(one, str) and one]]
        what = plural(len(frame), "row")
        rows = [f"{n} of {len(frame)} {what}: {one}" for one, n in said.items()]
        return [*rows[:MOST_REMARKS], more]

    def _raters(self, cells: TextCells) -> str:
        """Name the raters, unless the table does."""
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


class Full(Result):
    """A frame that shows all its columns."""

    _is_brief = False


def result(frame: Any, raters: Iterable[Any], **labels: Any) -> Result:
    """Let a frame print well, and note whose ratings it is about.

    Parameters
    ----------
    frame : DataFrame, dict or ndarray
        What a public function found, its columns, or its cells.
    raters : iterable of labels
        Whose ratings were compared; none where they have no names.
    **labels : Index
        The `index`, and the `columns`, of what is no frame so far.

    Returns
    -------
    Result
        The same figures, with the raters as the list ``attrs["raters"]``, which JSON has.

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
    shown = Result(frame, **labels)
    shown.attrs["raters"] = [label_as_json(one) for one in raters]
    return shown


def tidy(frame: pd.DataFrame, raters: Iterable[Any]) -> Result:
    """Do the same, with ``reason`` and ``remark`` last; empty where there is nothing to say."""
    said = {name: frame.get(name, "") for name in ("reason", "remark")}
    return result(frame.drop(columns=[*said], errors="ignore").assign(**said), raters)


def _texts(labels: pd.Index) -> set[str]:
    """Write labels and the names of their levels as a table shows them."""
    own = [one for j in range(labels.nlevels) for one in labels.get_level_values(j)]
    return {one_line(one) for one in (*own, *labels.names)}


MOST_DIGITS = 15  # of a double, more or less


class Bundle(Says):
    """What has several tables.

    All bundles have the same ten names beside their own: ``tables``, ``to_frame``, ``options``,
    ``methods``, ``remarks``, ``style``, ``plot``, ``to_excel``, ``to_html``, and ``to_latex`` with
    ``to_markdown``.
    """

    options: dict[str, Any]  # of the call, with what defaults became, as JSON has them

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by name, each of which is an attribute, too."""
        every = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return {name: one for name, one in every.items() if isinstance(one, pd.DataFrame)}

    def to_frame(self) -> pd.DataFrame:
        """Return the main table.

        Returns
        -------
        DataFrame
            The first of `tables`.
        """
        return next(iter(self.tables.values()))

    @property
    def sentence(self) -> str:
        """What was found, in a sentence or two that stand above the table; empty for none."""
        return ""

    def _first(self) -> str:
        """Return the sentence."""
        return self.sentence

    def _frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name."""
        return self.tables

    def _main(self) -> pd.DataFrame:
        """Return the main table as a plain frame."""
        frame = self.to_frame()
        plain = pd.DataFrame(frame)
        plain.attrs = frame.attrs
        return plain

    def _shown(self) -> tuple[TextCells, tuple[int, int], list[str]]:
        """Write the cells that are shown of a table that may be long; what it is stands below."""
        table = self._main()
        cells = cells_of(table, level=self._told.level, window=window_of(table))
        cells = brief(cells, table, WIDTH)[0]
        shape = len(table), cells.text.shape[1]
        return cells, shape, [self._told.at_work(self.findings.basis)]


def _above(found: Findings) -> str:
    """Write what stands above a table."""
    return "\n".join(line for text in found.top for line in folded(text))


def check_digits(digits: Any) -> int:
    """Make sure that a number of decimals is one."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= MOST_DIGITS:
        raise OptionError(f"digits={shown(digits)} must be a whole number from 0 to {MOST_DIGITS}.")
    return digits


def check_frame(frame: Any) -> None:
    """Make sure that what is to be shown is a frame."""
    if not isinstance(frame, pd.DataFrame):
        raise OptionError(
            f"frame must be a DataFrame, got {type(frame).__name__}. Pass what pairs or pairwise "
            "returned; results have a `style` of their own."
        )


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
