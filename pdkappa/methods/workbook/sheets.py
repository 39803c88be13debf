"""Frames -> the sheets of a workbook: names, titles and notes."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import Scale, from_matrix
from pdkappa.methods.estimates.pair_frames import confusion_frame
from pdkappa.present import schema
from pdkappa.present.labels import group_in_words, heading_of, titled, weights_in_words
from pdkappa.present.sheets import CellRange, Formula, Sheet, over
from pdkappa.present.text_markup import in_plain_text, in_words, version_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from pdkappa._typing import CountArray, FloatArray, Weights
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.ratings.counted_pairs import PairTables


class Steps(NamedTuple):
    """Figures of one table, NaN where it is empty or nothing is defined.

    With the shares a and b of the categories of both raters, and the disagreement W of the
    categories, ``margins_ab`` is ``a @ W @ b`` and ``same_ab`` is ``a @ b``.

    Attributes
    ----------
    n_items : float
        Sum of the counts.
    largest_disagreement, even_disagreement : float
        Largest and mean entry of W; 1 for the former where all are zero.
    observed_disagreement, expected_disagreement : float
        Their ratio is one less the coefficient.
    margins_ab, margins_aa, margins_bb : float
        Disagreement of ratings drawn from the margins of both raters, or twice of one.
    same_ab, same_aa, same_bb : float
        Probability that two such ratings are in one category.
    cohen_kappa : float
        One less the observed disagreement over ``margins_ab``.
    """

    n_items: float
    largest_disagreement: float
    even_disagreement: float
    observed_disagreement: float
    margins_ab: float
    margins_aa: float
    margins_bb: float
    same_ab: float
    same_aa: float
    same_bb: float
    expected_disagreement: float
    cohen_kappa: float


def steps_of(counts: CountArray, disagreement: FloatArray, coefficient: Coefficient) -> Steps:
    """Compute the steps of a table, given its counts and disagreement, both of shape (K, K)."""
    k, n = len(counts), float(counts.sum())
    largest = float(disagreement.max(initial=0.0)) or 1.0
    share = np.asarray(counts / n if n > 0 else np.full((k, k), np.nan), dtype=np.float64)
    a, b = share.sum(axis=1), share.sum(axis=0)
    places: FloatArray = np.arange(k, dtype=np.float64)[None]
    scale = Scale(from_matrix(disagreement), places, np.ones((1, k), dtype=bool))
    chance = coefficient.chance(a[None], b[None], scale, np.array([n]))
    observed, across = float((share * disagreement).sum()), float(a @ disagreement @ b)
    return Steps(
        n_items=n,
        largest_disagreement=largest,
        even_disagreement=float(disagreement.sum()) / max(k, 1) ** 2,
        observed_disagreement=observed,
        margins_ab=across,
        margins_aa=float(a @ disagreement @ a),
        margins_bb=float(b @ disagreement @ b),
        same_ab=float(a @ b),
        same_aa=float(a @ a),
        same_bb=float(b @ b),
        expected_disagreement=float(chance.expected[0]) if n > 0 else np.nan,
        cohen_kappa=1 - observed / across if across > 0 else np.nan,
    )


STEPS_PART, WEIGHTS_PART = 1, 2
LARGEST_TOTAL = 1e100  # its square, and that of its reciprocal, is a number in a cell


class Step(NamedTuple):
    """The formula of a figure, and what it is in words.

    The names are those of other figures, and ``counts, rows, columns, total`` for the table and
    its totals, ``weights`` for the disagreement of the categories.
    """

    formula: str
    meaning: str


DRAWN = "Disagreement of two ratings drawn from the totals of"
TWICE = "Probability that two ratings drawn from the totals of"

STEPS: dict[str, Step] = {
    "n_items": Step("{total}", "Sum of the counts."),
    "observed_agreement": Step(
        "1-{observed_disagreement}/{largest_disagreement}",
        "1 less the observed disagreement, in units of the largest.",
    ),
    "expected_agreement": Step(
        "1-{expected_disagreement}/{largest_disagreement}",
        "1 less the expected disagreement, in units of the largest.",
    ),
    "estimate": Step(
        "1-{observed_disagreement}/{expected_disagreement}",
        "1 less the observed over the expected disagreement.",
    ),
    "observed_disagreement": Step(
        "SUMPRODUCT({counts},{weights})/{n_items}", "Mean over the items of the disagreement below."
    ),
    "largest_disagreement": Step(
        "IF(MAX({weights})>0,MAX({weights}),1)", "Largest entry of the disagreement below."
    ),
    "even_disagreement": Step(
        "SUM({weights})/ROWS({weights})^2", "Mean entry: all categories are equally likely."
    ),
    "margins_ab": Step(
        "SUMPRODUCT({weights}*{rows}*{columns})/{n_items}^2", f"{DRAWN} the rows and the columns."
    ),
    "margins_aa": Step(
        "SUMPRODUCT(MMULT({weights},{rows}),{rows})/{n_items}^2", f"{DRAWN} the rows, both."
    ),
    "margins_bb": Step(
        "SUMPRODUCT(MMULT({columns},{weights}),{columns})/{n_items}^2",
        f"{DRAWN} the columns, both.",
    ),
    "same_ab": Step(
        "SUMPRODUCT(MMULT({columns},{rows}))/{n_items}^2",
        f"{TWICE} the rows and the columns are the same.",
    ),
    "same_aa": Step("SUMSQ({rows})/{n_items}^2", f"{TWICE} the rows are the same."),
    "same_bb": Step("SUMSQ({columns})/{n_items}^2", f"{TWICE} the columns are the same."),
    "cohen_kappa": Step("1-{observed_disagreement}/{margins_ab}", "Cohen's, for Light's kappa."),
}

# Names of `Expected`, for a table of two raters; the others are figures.
CATEGORIES = "ROWS({weights})"
OF_PAIR = {
    "n_raters": "2",
    "n_categories": CATEGORIES,
    "own_margins": "{margins_ab}",
    "pooled_margins": "({margins_aa}+2*{margins_ab}+{margins_bb})/4",
    "pooled_same": "({same_aa}+2*{same_ab}+{same_bb})/4",
}

# What must hold for a figure to be defined.
DEFINED = {
    "estimate": "N({expected_disagreement})>0",
    "expected_agreement": "ISNUMBER({expected_disagreement})",
    "cohen_kappa": "N({margins_ab})>0",
}
ALWAYS = {"n_items", "largest_disagreement", "even_disagreement"}
LINKED = ("n_items", "observed_agreement", "expected_agreement", "estimate")


def formula(text: str, cells: Mapping[str, CellRange]) -> Formula:
    """Make a formula of a text, with those of some cells that it names."""
    return Formula(text, {name: one for name, one in cells.items() if f"{{{name}}}" in text})


def guarded(condition: str, text: str) -> str:
    """Show an empty text where a figure is not defined; without a condition it always is."""
    return f'IF({condition},{text},"")' if condition else text


def filled(text: str, names: Mapping[str, str]) -> str:
    """Write texts for some of the names in a formula; the others stay."""
    for name, one in names.items():
        text = text.replace(f"{{{name}}}", one)
    return text


@dataclass(frozen=True)
class Live:
    """The confusion tables of a workbook, each with its figures."""

    estimates: Estimates
    coefficient: str  # a key of `COEFFICIENTS`
    name: Hashable = None  # tells the tables from others in the same workbook

    @property
    def model(self) -> Coefficient:
        """The row of the coefficient in the registry."""
        return COEFFICIENTS[self.coefficient]

    @property
    def _is_cohen(self) -> bool:
        """Whether the mean over the pairs is Light's kappa."""
        return self.model.mean is not None

    @cached_property
    def steps(self) -> dict[str, Step]:
        """The figures below each table, with their formulas."""
        steps = dict(STEPS)
        if self._is_cohen:  # it is the estimate
            del steps["cohen_kappa"]
        if self.model.floor == 0:  # nothing but rounding leads below it
            text, meaning = steps["estimate"]
            steps["estimate"] = Step(f"MAX({text},0)", meaning)
        text, meaning, _ = self.model.expected
        expected = {"expected_disagreement": Step(filled(text, OF_PAIR), meaning)}
        names = list(steps)
        place = names.index("observed_disagreement") + 1
        return {n: (steps | expected)[n] for n in [*names[:place], *expected, *names[place:]]}

    def figure(self, number: int, name: str) -> CellRange:
        """Refer to a figure below a table."""
        row = list(self.steps).index(name)
        return CellRange(self.key(number), (row, row), (0, 0), STEPS_PART)

    def cohen(self, number: int) -> CellRange:
        """Refer to Cohen's kappa of a table."""
        return self.figure(number, "estimate" if self._is_cohen else "cohen_kappa")

    def key(self, number: int) -> Hashable:
        """Return the key of the sheet of a table."""
        return ("table", self.name, number)

    def has_figures(self, number: int) -> bool:
        """Tell whether a table has any category, and totals whose squares a cell can hold."""
        in_use, total = self.estimates.scale.in_use, self.estimates.summary.n_items[number]
        group = number // self.estimates.tables.n_pairs
        is_usual = total == 0 or 1 / LARGEST_TOTAL < total < LARGEST_TOTAL
        return bool(is_usual and in_use[group if len(in_use) > 1 else 0].any())

    def disagreement(self, number: int) -> FloatArray:
        """Return the disagreement of the categories in use of a table."""
        scale = self.estimates.scale
        group = number // self.estimates.tables.n_pairs
        place = group if max(len(scale.scores), len(scale.in_use)) > 1 else 0
        used = scale.in_use[place if len(scale.in_use) > 1 else 0]
        return scale.matrix(place)[np.ix_(used, used)]

    def weights(self, number: int) -> CellRange:
        """Refer to the disagreement of the categories of a table."""
        inner = (0, len(self.disagreement(number)) - 1)
        return CellRange(self.key(number), inner, inner, WEIGHTS_PART)

    @cached_property
    def known(self) -> list[dict[str, float]]:
        """The figures of every table, as computed from it."""
        tables, summary, found = self.estimates.on_scale, self.estimates.summary, []
        for number in range(tables.counts.n_tables):
            apart = self.disagreement(number)
            counts = tables.select(*divmod(number, tables.n_pairs)).counts
            steps = steps_of(counts.only(0) * counts.unit, apart, self.model)._asdict()
            found.append(steps | {name: float(getattr(summary, name)[number]) for name in LINKED})
        return found

    def parts(self, number: int, one: PairTables) -> tuple[Sheet, ...]:
        """Show the figures of a table, and the disagreement of its categories, below it."""
        apart, labels = self.disagreement(number), one.categories.index()
        steps, known = self.steps, self.known[number]
        figures = pd.DataFrame(
            {
                "value": [known[name] for name in steps],
                "meaning": [f"{heading_of(name)}: {step.meaning}" for name, step in steps.items()],
            },
            index=pd.Index(list(steps), name="figure"),
        )
        cells = self._cells(number, len(labels))
        formulas = {(row, 0): formula(self._text(name), cells) for row, name in enumerate(steps)}
        first, second = one.raters
        weights = pd.DataFrame(
            apart + 0.0, index=labels.rename(first), columns=labels.rename(second)
        )
        return (
            Sheet(
                "figures",
                figures,
                f"Figures of this table: {titled(self.model.spoken)}",
                kind="list",
                index=False,
                emphasis=("estimate",),
                formulas=formulas,
            ),
            Sheet("weights", weights, "Disagreement of two categories", kind="confusion"),
        )

    def _text(self, name: str) -> str:
        """Write the formula of a figure, empty where it is not defined."""
        text = self.steps[name].formula
        if name in ALWAYS:
            return text
        if name == "expected_disagreement":
            text = guarded(filled(self.model.expected.needs, OF_PAIR), text)
        return guarded(DEFINED.get(name, "{n_items}>0"), text)

    def _cells(self, number: int, k: int) -> Mapping[str, CellRange]:
        """Name the cells of a table of K categories, and of what stands below it."""
        key, inner, total = self.key(number), (0, k - 1), (k, k)
        return {name: self.figure(number, name) for name in self.steps} | {
            "counts": CellRange(key, inner, inner),
            "rows": CellRange(key, inner, total),
            "columns": CellRange(key, total, inner),
            "total": CellRange(key, total, total),
            "weights": self.weights(number),
        }


def totals(key: Hashable, k: int) -> dict[tuple[int, int], Formula]:
    """Sum the rows, the columns, and all of a table of K categories."""
    formulas = {}
    for place in range(k):
        formulas[place, k] = over("SUM", [CellRange(key, (place, place), (0, k - 1))])
        formulas[k, place] = over("SUM", [CellRange(key, (0, k - 1), (place, place))])
    formulas[k, k] = over("SUM", [CellRange(key, (0, k - 1), (0, k - 1))])
    return formulas if k else {}


OF_AUDITS = ("Method", "Formulas", "Versions", "References")
PACKAGES = ("pandas", "numpy", "scipy", "statsmodels")

PANEL = {
    "pooled": "Means over the groups, on Fisher's z scale",
    "heterogeneity": "How much the groups differ beyond chance",
    "equality": "Tests that all groups have the same coefficient",
    "stratified": "Coefficients for all groups together, on their own scale",
    "leave_one_out": "The means without each group in turn",
    "treated": "Groups that were treated in another way than the rest",
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
        "McCaffrey (2002)."
    ),
    "p_value": (
        "Two-sided, from the standard error under agreement by chance alone; from that of the "
        "estimate with clusters or Gwet's coefficient."
    ),
    "interval": (
        "'auto': values that a test with their own standard error does not reject; 'fisher': "
        "Fisher's z after one pseudo-item, t quantile; 'wald': normal quantiles, or those of t "
        "with clusters."
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
        "There are no formulas: without confusion tables, no figure in this workbook can be "
        "computed from counts in it."
    )
}
CITED = ("Cohen, 1960", "Cohen, 1968", "Fleiss et al., 1969", "Landis & Koch, 1977")


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


def groups_sheet(frame: pd.DataFrame, method: str) -> Sheet:
    """One row for each group, and the mean over the groups last."""
    title = f"Agreement by group, and the means of the groups: {method}"
    return Sheet("groups", frame, title, emphasis=("fisher_mean", "fixed", "random"))


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
        yield confusion_sheet(tables, number, live)


def confusion_sheet(tables: PairTables, number: int, live: Live | None) -> Sheet:
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
    frames = [sheet.frame for sheet in sheets]
    ours = [one.frame for one in sheets if one.kind not in {"matrix", "confusion"}]
    columns = [name for frame in ours for name in (*frame.index.names, *frame.columns)]
    reasons = {code for frame in frames if "reason" in frame for code in frame["reason"].dropna()}
    sections: dict[str, list[tuple[str, str]]] = {
        "Left out": [("confusion tables", left_out)] if left_out else [],
        "Options": [(name, _spoken(name, value)) for name, value in options.items()],
        "Method": list(METHOD.items()),
        "Formulas": list((FORMULAS if live else NO_FORMULAS).items()),
        "Columns": schema.definitions(columns),
        "Reasons": [item for item in schema.REASONS.items() if item[0] in reasons or not brief],
        "Versions": [
            ("pdkappa", version_of("pdkappa")),
            ("python", platform.python_version()),
            *((package, version_of(package)) for package in PACKAGES),
        ],
        "References": [(str(n), in_plain_text(key)) for n, key in enumerate(CITED, 1)],
    }
    rows: list[tuple[str, str]] = []
    for heading, lines in sections.items():
        if lines and not (brief and heading in OF_AUDITS):
            rows += [(heading, ""), *lines]
    frame = pd.DataFrame(rows, columns=["item", "text"], dtype=object)
    return Sheet("notes", frame, "Notes", kind="text", index=False)
