"""Confusion tables -> the figures below them, as formulas, and references to these figures.

Everything in a workbook that is a function of confusion tables refers to the cells below them:
a count that is changed there changes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.present.labels import heading_of, titled
from pdkappa.present.sheets import CellRange, Formula, Sheet, over
from pdkappa.workbook.core.steps import steps_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.ratings.counted_pairs import PairTables

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
        "SUMPRODUCT({counts},{weights})/{n_items}",
        "Mean over the items of the disagreement below.",
    ),
    "largest_disagreement": Step(
        "IF(MAX({weights})>0,MAX({weights}),1)", "Largest entry of the disagreement below."
    ),
    "even_disagreement": Step(
        "SUM({weights})/ROWS({weights})^2", "Mean entry: all categories are equally likely."
    ),
    "margins_ab": Step(
        "SUMPRODUCT({weights}*{rows}*{columns})/{n_items}^2",
        f"{DRAWN} the rows and the columns.",
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
