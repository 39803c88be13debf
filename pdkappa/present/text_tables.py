"""Results as short tables, in a terminal, a notebook or a paper."""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, check_choice
from pdkappa.present.schema import PAIRS
from pdkappa.present.text_cells import as_html, as_text, cells_of, fold, matrix_cells, styler_of
from pdkappa.present.text_markup import TextCells, to_latex, to_markdown, usual

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas.io.formats.style import Styler

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
