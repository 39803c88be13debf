"""Frames -> the sheets of a workbook: names, titles and notes."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from pdkappa._version import __version__
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.estimates.pair_frames import confusion_frame
from pdkappa.present import schema
from pdkappa.present.labels import group_in_words, weights_in_words
from pdkappa.present.sheets import Sheet
from pdkappa.present.text_markup import in_words
from pdkappa.workbook.figures import totals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pdkappa._typing import Weights
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.workbook.figures import Live

OF_AUDITS = ("Method", "Formulas", "Versions", "References")
PACKAGES = ("pandas", "numpy", "scipy", "statsmodels")

PANEL = {
    "pooled": "Means over the groups, on Fisher's z scale",
    "heterogeneity": "How much the groups differ beyond chance",
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
        "Delta method on the shares of the cells, divided by n: of Cohen's kappa the formula of "
        "Fleiss, Cohen & Everitt (1969). With clusters, or weights of a sample, that of Bell & "
        "McCaffrey (2002); with missing='em', the jackknife over items."
    ),
    "p_value": (
        "Two-sided, from the standard error under agreement by chance alone; from that of the "
        "estimate with clusters, missing='em' or Gwet's coefficient."
    ),
    "interval": (
        "'auto': values that a test with their own standard error does not reject; 'fisher': "
        "Fisher's z after one pseudo-item, t quantile; 'wald': normal quantiles, or those of t "
        "with clusters or missing='em'."
    ),
    "mean of groups": (
        "tanh of the weighted mean of artanh(estimate), estimates clipped to [-0.999, 0.999] "
        "unless clip says otherwise."
    ),
    "fixed": (
        "The same mean, of z without the bias of small tables, weighted by items: one true value "
        "for all groups."
    ),
    "random": (
        "Weighted by 1 / (variance + tau2), where variance is that of an item in all groups over "
        "the number of items, tau2 by Paule and Mandel unless tau2_method says otherwise, with "
        "the limits of Hartung and Knapp, guarded, and a prediction interval."
    ),
    "within, crude": (
        "1 - sum(n D_o) / sum(n D_e) within the groups, and of all items as if there were none. "
        "The crude one credits the raters with telling the groups apart."
    ),
    "missing ratings": "Never a category: an item counts for a pair that both rated.",
}
MATRICES = {
    "n_items": "numbers of items",
    "observed_agreement": "observed agreement",
    "se": "standard errors",
}
FORMULAS = {
    "formulas": (
        "Every kappa of a pair, of a group and of all raters, and every Fisher-z mean, is a "
        "formula over the confusion tables, unless it was written with formulas=False. Change a "
        "count in a confusion table, and all of them follow."
    ),
    "plain values": (
        "Standard errors, limits, tests, the largest attainable estimates, the fixed and random "
        "means, 'inverse_variance', readings, the drill-down except specific_agreement, and the "
        "cross-check do not change; nor does the diagonal of a matrix."
    ),
    "all raters": (
        "With missing ratings, only Light's kappa is a function of the confusion tables; other "
        "coefficients of all raters are then plain values."
    ),
}
NO_FORMULAS = {
    "plain values": (
        "There are no formulas: with missing='em', or without confusion tables, no figure in "
        "this workbook can be computed from counts in it."
    )
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
    "4": (
        "Landis, J. R., & Koch, G. G. (1977). The measurement of observer agreement for "
        "categorical data. Biometrics, 33(1), 159-174. https://doi.org/10.2307/2529310"
    ),
}


def matrix_sheet(frame: pd.DataFrame, method: str, stat: str = "estimate") -> Sheet:
    """Pairwise matrix of one figure, coloured by value."""
    first = stat == "estimate"
    return Sheet(
        "pairwise" if first else f"pairwise {stat}",
        frame,
        f"Pairwise {'agreement' if first else MATRICES[stat]}: {method}",
        notes=("Grey: undefined, or not compared. The sheet 'pairs' says why.",),
        kind="matrix",
        stat=stat,
    )


def pairs_sheet(frame: pd.DataFrame, method: str) -> Sheet:
    """One row for each pair of raters."""
    return Sheet("pairs", frame, f"Agreement of each pair of raters: {method}")


def groups_sheet(frame: pd.DataFrame, method: str, notes: tuple[str, ...]) -> Sheet:
    """One row for each group, and the mean over the groups last."""
    title = f"Agreement by group, and the means of the groups: {method}"
    return Sheet("groups", frame, title, notes=notes, emphasis=("fisher_mean", "fixed", "random"))


def pooling_sheets(panel: dict[str, pd.DataFrame]) -> list[Sheet]:
    """Show the means over the groups, how far they differ, and what to make of it."""
    return [
        Sheet(name, frame, PANEL[name], notes=(CRUDE,) if name == "stratified" else ())
        for name, frame in panel.items()
        if len(frame)
    ]


def method_of(coefficient: str, weights: Weights | None) -> str:
    """Say which coefficient it is, and with which weights.

    >>> method_of("cohen", "quadratic"), method_of("scott", None)
    ("Cohen's kappa, quadratic weights", "Scott's pi, unweighted")
    """
    return f"{COEFFICIENTS[coefficient].spoken}, {weights_in_words(weights)}"


def crosscheck_sheet(frame: pd.DataFrame) -> Sheet:
    """Show the same numbers from other packages."""
    return Sheet("crosscheck", frame, "The same numbers from other packages")


def confusion_sheets(estimates: Estimates, live: Live | None) -> Iterator[Sheet]:
    """One sheet for each pair of raters in each group, over the categories in use there.

    With `live`, the figures of each table stand below it, as formulas.
    """
    tables = estimates.on_scale
    for number in range(tables.counts.n_tables):
        yield _confusion_sheet(tables, number, live)


def _confusion_sheet(tables: PairTables, number: int, live: Live | None) -> Sheet:
    """Confusion table of one pair in one group."""
    group, pair = divmod(number, tables.n_pairs)
    one = tables.select(group, pair)
    total = "total"
    while total in one.categories.labels:
        total = f"{total} of all"
    frame = confusion_frame(one, normalize=None, margins=True, margins_name=total)
    first, second = one.raters
    place = tables.groups.values(group)
    where = group_in_words([*place], tuple(place.values()))
    name = " ".join([*map(str, place.values()), f"{first} x {second}"])
    sheet = Sheet(
        name,
        frame,
        f"{first} against {second}, {where}" if where else f"{first} against {second}",
        kind="confusion",
        emphasis=(total,),
        group=where,
    )
    if live is None:
        return sheet
    key = live.key(number)
    parts = live.parts(number, one) if live.has_figures(number) else ()
    return replace(sheet, key=key, formulas=totals(key, len(frame) - 1), parts=parts)


def _spoken(name: str, value: object) -> str:
    """Say what an option is set to, a coefficient by the name that people call it by."""
    known = COEFFICIENTS.get(value) if name == "coefficient" and isinstance(value, str) else None
    return known.spoken if known else in_words(name, value)


def notes_sheet(
    sheets: Sequence[Sheet],
    options: Mapping[str, object],
    *,
    live: bool,
    left_out: str = "",
    brief: bool = False,
) -> Sheet:
    """Options, method, formulas, meaning of the columns, reasons, versions and references.

    A brief one has what it takes to read the sheets.
    """
    from importlib.metadata import version

    frames = [sheet.frame for sheet in sheets]
    columns = [name for frame in frames for name in (*frame.index.names, *frame.columns)]
    reasons = {code for frame in frames if "reason" in frame for code in frame["reason"].dropna()}
    sections: dict[str, list[tuple[str, str]]] = {
        "Left out": [("confusion tables", left_out)] if left_out else [],
        "Options": [(name, _spoken(name, value)) for name, value in options.items()],
        "Method": list(METHOD.items()),
        "Formulas": list((FORMULAS if live else NO_FORMULAS).items()),
        "Columns": schema.definitions(columns),
        "Reasons": [item for item in schema.REASONS.items() if item[0] in reasons or not brief],
        "Versions": [
            ("pdkappa", __version__),
            ("python", platform.python_version()),
            *((package, version(package)) for package in PACKAGES),
        ],
        "References": list(REFERENCES.items()),
    }
    rows: list[tuple[str, str]] = []
    for heading, lines in sections.items():
        if lines and not (brief and heading in OF_AUDITS):
            rows += [(heading, ""), *lines]
    frame = pd.DataFrame(rows, columns=["item", "text"], dtype=object)
    return Sheet("notes", frame, "Notes", kind="text", index=False)
