"""A Styler whose LaTeX compiles; imported where Jinja2 is installed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.io.formats.style import Styler

from pdkappa.present.labels import one_line
from pdkappa.present.text.figures import has_default_rows
from pdkappa.present.text.markup import latex
from pdkappa.present.text.styler import heat

if TYPE_CHECKING:
    from pdkappa.present.text.compact import TextCells

USUAL = {
    "hrules": True,
    "convert_css": True,
    "multirow_align": "naive",
    "multicol_align": "naive-r",
}


class LatexStyler(Styler):
    """A Styler that writes LaTeX of its own, because what it shows in HTML is no LaTeX."""

    cells: TextCells | None = None

    def to_latex(self, buf: Any = None, **options: Any) -> Any:
        """Write a tabular with the rules of booktabs and the colours of ``xcolor[table]``.

        Parameters
        ----------
        buf : str, path or file, optional
            Where to write. Default: the text is returned.
        **options
            Those of ``pandas.io.formats.style.Styler.to_latex``.

        Returns
        -------
        str or None
            All text of the data is escaped.
        """
        if self.cells is None:  # a copy, of which nothing is known but what it shows
            return super().to_latex(buf, **options)
        shown, values = self.cells
        text = shown.map(latex)
        text.index, text.columns = _escaped(shown.index), _escaped(shown.columns)
        colours = [
            ["" if math.isnan(one) else f"background-color: {heat(one)}" for one in row]
            for row in values
        ]
        styles = pd.DataFrame(colours, index=text.index, columns=text.columns)
        plain = Styler(text).apply(lambda _: styles, axis=None)
        n_labels = shown.index.nlevels
        if has_default_rows(shown):
            plain, n_labels = plain.hide(axis="index"), 0
        sides = "l" * n_labels + "r" * shown.shape[1]
        return plain.to_latex(buf, **(USUAL | {"column_format": sides} | options))


def _escaped(labels: pd.Index) -> pd.Index:
    """Escape labels and their names."""
    names = [None if name is None else latex(one_line(name)) for name in labels.names]
    if isinstance(labels, pd.MultiIndex):
        levels = [
            [latex(one_line(one)) for one in labels.get_level_values(j)]
            for j in range(labels.nlevels)
        ]
        return pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Index([latex(one_line(one)) for one in labels], dtype=object, name=names[0])
