"""The frame that a public function returns: a DataFrame that knows its raters and prints well."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdkappa.present.text.window import TextCells

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
        from pdkappa.present.text.printed import as_text, fold

        width = pd.get_option("display.width") or WIDTH_OF_FRAMES
        cells = self._cells()
        table, raters = as_text(cells, width, self.shape), self._raters(cells)
        return f"{table}\n\n{fold(raters, width)}" if raters else table

    def _repr_html_(self) -> str | None:
        """Show the same in a notebook, in colours; nothing where pandas shows no HTML."""
        from pdkappa.present.text.printed import as_html

        cells = self._cells()
        return as_html(cells, self.shape, below=self._raters(cells))

    def _cells(self) -> TextCells:
        """Write the cells that are shown; rows keep their labels."""
        from pdkappa.present.text.compact import cells_of
        from pdkappa.present.text.window import usual

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
