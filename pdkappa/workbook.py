"""Frames -> the sheets of a workbook: names, titles and notes."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa._version import __version__
from pdkappa.errors import ExportError
from pdkappa.frames import confusion_frame
from pdkappa.present import schema
from pdkappa.present.sheets import Sheet

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdkappa.engines.base import PairTables

MOST_CONFUSION_SHEETS = 200
MOST_SHEET_CATEGORIES = 1000
PACKAGES = ("pandas", "numpy", "scipy", "statsmodels")

PANEL = {
    "pooled": "Means over the groups, on Fisher's z scale",
    "heterogeneity": "How far the groups differ beyond chance",
    "equality": "Tests that all groups have the same coefficient",
    "stratified": "Coefficients for all groups together, on their own scale",
    "leave_one_out": "The means without each group in turn",
    "remarks": "Groups that were treated in another way than the rest",
}
CRUDE = (
    "Where 'crude' exceeds 'within', it credits the raters with telling the groups apart: report "
    "'within' or one of the pooled means."
)
METHOD = {
    "coefficient": "1 - D_o / D_e: observed disagreement over that expected by chance.",
    "standard error": (
        "Delta method on the shares of the cells, divided by n (Fleiss, Cohen & Everitt, 1969)."
    ),
    "p_value": (
        "Two-sided, from the standard error under agreement by chance alone; from that of the "
        "estimate with clusters, missing='em' or Gwet's coefficient."
    ),
    "interval": (
        "'fisher': Fisher's z after one pseudo-item, t quantile; 'wald': normal quantiles."
    ),
    "mean of groups": (
        "tanh of the weighted mean of artanh(estimate), estimates clipped to [-0.999, 0.999] "
        "unless clip says otherwise."
    ),
    "fixed": "The same mean weighted by reciprocal variances: one true value for all groups.",
    "random": (
        "Weighted by 1 / (variance + tau2), tau2 by Paule and Mandel unless tau2_method says "
        "otherwise, with the limits of Hartung and Knapp and a prediction interval."
    ),
    "within, crude": (
        "1 - sum(n D_o) / sum(n D_e) within the groups, and of all items as if there were none. "
        "The crude one credits the raters with telling the groups apart."
    ),
    "missing ratings": "Never a category: an item counts for a pair that both rated.",
}
REFERENCES = {
    "1": (
        "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
        "Psychological Measurement, 20(1), 37-46. https://doi.org/10.1177/001316446002000104"
    ),
    "2": (
        "Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70(4), 213-220. "
        "https://doi.org/10.1037/h0026256"
    ),
    "3": (
        "Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of "
        "kappa and weighted kappa. Psychological Bulletin, 72(5), 323-327. "
        "https://doi.org/10.1037/h0028106"
    ),
}


def matrix_sheet(frame: pd.DataFrame, options: dict[str, Any]) -> Sheet:
    """Pairwise matrix, coloured by value."""
    return Sheet(
        "pairwise",
        frame,
        f"Pairwise agreement: {_method(options)}",
        notes=("Grey: undefined, or not compared. The sheet 'pairs' says why.",),
        kind="matrix",
    )


def pairs_sheet(frame: pd.DataFrame, options: dict[str, Any]) -> Sheet:
    """One row for each pair of raters."""
    return Sheet("pairs", frame, f"Agreement of each pair of raters: {_method(options)}")


def groups_sheet(frame: pd.DataFrame, options: dict[str, Any], notes: tuple[str, ...]) -> Sheet:
    """One row for each group, and the mean over the groups last."""
    title = f"Agreement by group, and the means of the groups: {_method(options)}"
    return Sheet("groups", frame, title, notes=notes, emphasis=("fisher_mean", "fixed", "random"))


def pooling_sheets(panel: dict[str, pd.DataFrame]) -> list[Sheet]:
    """Show the means over the groups, how far they differ, and what to make of it."""
    return [
        Sheet(name, frame, PANEL[name], notes=(CRUDE,) if name == "stratified" else ())
        for name, frame in panel.items()
        if len(frame)
    ]


def _method(options: dict[str, Any]) -> str:
    """Name the coefficient and its weights."""
    weights = options["weights"]
    shown = "none" if weights is None else weights if isinstance(weights, str) else "custom"
    return f"{options['coefficient']}, weights {shown}"


def crosscheck_sheet(frame: pd.DataFrame) -> Sheet:
    """Show the same numbers from other packages."""
    return Sheet("crosscheck", frame, "The same numbers from other packages")


def confusion_sheets(tables: PairTables) -> Iterator[Sheet]:
    """One sheet for each pair of raters in each group, over the categories in use there."""
    n_tables, k = tables.counts.n_tables, len(tables.categories)
    if n_tables > MOST_CONFUSION_SHEETS:
        message = (
            f"The workbook would have {n_tables} confusion sheets; the limit is "
            f"{MOST_CONFUSION_SHEETS}. Pass confusion=False, or fewer raters or groups."
        )
        raise ExportError(message)
    if k > MOST_SHEET_CATEGORIES:
        message = (
            f"A confusion sheet of {k} categories cannot be read; the limit is "
            f"{MOST_SHEET_CATEGORIES}. Pass confusion=False, or round the ratings."
        )
        raise ExportError(message)
    for number in range(n_tables):
        group, pair = divmod(number, len(tables.pairs))
        yield _confusion_sheet(tables, group, pair)


def _confusion_sheet(tables: PairTables, group: int, pair: int) -> Sheet:
    """Confusion table of one pair in one group."""
    one = tables.select(group, pair)
    frame = confusion_frame(one, normalize=None, margins=True, margins_name="total")
    first, second = one.raters
    place = tables.group_name(group)
    where = (
        " at " + ", ".join(f"{name} = {value}" for name, value in place.items()) if place else ""
    )
    name = " ".join([*map(str, place.values()), f"{first} x {second}"])
    return Sheet(
        name, frame, f"{first} against {second}{where}", kind="confusion", emphasis=("total",)
    )


def notes_sheet(columns: list[Hashable], options: dict[str, Any]) -> Sheet:
    """Options, method, meaning of the columns, reasons, versions and references."""
    sections: dict[str, list[tuple[str, str]]] = {
        "Options": [(name, _shown(value)) for name, value in options.items()],
        "Method": list(METHOD.items()),
        "Columns": schema.definitions(columns),
        "Reasons": list(schema.REASONS.items()),
        "Versions": [
            ("pdkappa", __version__),
            ("python", platform.python_version()),
            *((package, version(package)) for package in PACKAGES),
        ],
        "References": list(REFERENCES.items()),
    }
    rows: list[tuple[str, str]] = []
    for heading, lines in sections.items():
        rows += [(heading, ""), *lines]
    return Sheet(
        "notes", pd.DataFrame(rows, columns=["item", "text"]), "Notes", kind="text", index=False
    )


def _shown(value: object) -> str:
    """Show an option as the user typed it."""
    if isinstance(value, np.ndarray | pd.DataFrame):
        return f"{type(value).__name__} of shape {value.shape}"
    if callable(value):
        return getattr(value, "__name__", "a callable")
    return str(value) if isinstance(value, str) else repr(value)
