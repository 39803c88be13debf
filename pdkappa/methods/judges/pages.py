"""Frames of an audit -> the sheets of its workbook and page, and what these say first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.judges.kappas import HUMANS
from pdkappa.methods.judges.verdicts import sentences_of, told
from pdkappa.methods.workbook.book import Book
from pdkappa.methods.workbook.sheets import notes_sheet
from pdkappa.present.labels import listed, weights_in_words
from pdkappa.present.sheets import Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdkappa.present.html_page import Figures, Headline

OF_JUDGES = (
    *("n_items", "estimate", "estimate_humans", "difference", "difference_low", "difference_high"),
    *("margin", "p_non_inferior", "non_inferior", "reason", "remark"),
)
OF_TESTS = (
    *("winning_rate", "advantage_probability", "n_annotators", "replaces"),
    *("flip_rate", "p_position", "p_drift"),
)
MOST_TOLD = 6  # verdicts above the page
TITLES = {
    "kappas": "Judges with humans, and humans with each other",
    "judges": "Each judge compared with the humans",
    "tests": "The alternative annotator test, answers asked again, order and drift",
    "annotators": "The alternative annotator test, human by human",
    "classes": "Recall, specificity and bias of each judge, by category",
    "repeats": "The same question asked again",
    "positions": "The same question with the options in the other order",
    "drift": "Agreement over the batches",
}
NOTES = {
    "judges": (
        "Difference: mean coefficient of the judge with the humans, minus that of the humans "
        "with each other. Not inferior: the whole interval is above minus the margin."
    ),
    "annotators": (
        "Each human in turn is compared with the judge: who is closer to the other humans?"
    ),
    "classes": (
        "Each rating of a human is used as the truth in turn: compare the recall with the recall "
        "of humans, which is that of one human with another."
    ),
    "positions": "p: exact test of McNemar, not adjusted for the number of categories.",
}
NAMES = {"categories": "classes"}  # those of the sheets, where others have the name
METHOD = {
    "difference": (
        "A difference of dependent coefficients of the same items; its standard error is "
        "averaged with those of the humans in the judge's place."
    ),
    "alternative annotator test": (
        "One-sided tests that the share of items on which a human is closer to the others "
        "exceeds the judge's by less than epsilon: t tests, or exact tests below 30 items, "
        "adjusted by the method of Benjamini and Yekutieli. "
        "Calderon, Reichart and Dror (2025), https://doi.org/10.48550/arXiv.2501.10970"
    ),
    "recall, specificity, flip rate": "Limits are Wilson's.",
    "drift": "Welch's test of one mean coefficient in all batches.",
}


def sheets_of(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> list[Sheet]:
    """Show the verdicts first, then all frames that have rows, and notes."""
    sheets = book_of(tables, options).sheets
    notes = notes_sheet(sheets[1:], options, live=False, brief=True)
    method = pd.DataFrame([("Method", ""), *METHOD.items()], columns=list(notes.frame))
    whole = pd.concat([method, notes.frame], ignore_index=True)
    return [*sheets, Sheet("notes", whole, "Notes", kind="text", index=False)]


def book_of(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> Book:
    """Collect the verdicts first, then all frames that have rows."""
    frame = tables["frame"]
    words = told(frame, options["confidence_level"])
    verdicts = Sheet("verdicts", words, "The verdict on each judge, and what the data do not show")
    shown = {
        "kappas": tables["kappas"],
        "judges": frame[[*OF_JUDGES]],
        "tests": frame[[*OF_TESTS]].dropna(axis=1, how="all"),
    }
    shown |= {
        NAMES.get(name, name): table
        for name, table in tables.items()
        if name not in ("frame", "kappas") and len(table)
    }
    sheets = [
        Sheet(
            name,
            table,
            TITLES[name],
            notes=tuple(filter(None, [NOTES.get(name)])),
            emphasis=(HUMANS,),
        )
        for name, table in shown.items()
    ]
    return Book((verdicts, *sheets), options, method=tuple(METHOD.items()))


def headline_of(tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> Headline:
    """Say how a single judge differs from humans, or how many judges pass, and the verdicts."""
    from pdkappa.present.html_page import DIFFERENCE, Headline, with_limits

    frame, kappas = tables["frame"], tables["kappas"]
    spoken = COEFFICIENTS[options["coefficient"]].spoken
    measure = f"mean of {spoken}, {weights_in_words(options['weights'])}"
    figures = [_figures(row, ("estimate", "ci_low", "ci_high")) for _, row in kappas.iterrows()]
    level = f"{100 * options['confidence_level']:.10g} %"
    compared: list[tuple[str, Figures]] = []
    main, told, verdict = (math.nan,) * 3, f"Difference, judge less humans: {measure}", ""
    if len(frame) == 1:
        main = _figures(frame.iloc[0], ("difference", "difference_low", "difference_high"))
        names = ("Humans with each other", "The judge with humans", DIFFERENCE)
        compared = list(zip(names, [*figures, main], strict=True))
        sentences: tuple[str, ...] = ()
    else:
        verdict = f"{int(frame['non_inferior'].sum())} of {len(frame)}"
        told = f"judges not inferior to humans by more than {options['margin']:g}: {measure}"
        sentences = (f"Humans agree with each other at {with_limits(*figures[0], level)}.",)
    facts = {
        "items": f"{float(kappas['n_items'].iloc[0]):,.10g}",
        "judges": f"{len(frame)}: {listed(list(frame.index))}",
        "humans": f"{len(options['humans'])}: {listed(options['humans'])}",
        "margin": f"{options['margin']:g}",
        "epsilon": f"{options['epsilon']:g}",
    }
    return Headline(
        listed(list(frame.index)),
        told,
        *main,
        level=level,
        sentences=(*sentences, *sentences_of(frame, options["confidence_level"], MOST_TOLD)),
        facts=tuple(facts.items()),
        title=f"Audit of {listed(list(frame.index), 3)}",
        compared=tuple(compared),
        of_compared=f"{measure[0].upper()}{measure[1:]}",
        verdict=verdict,
    )


def _figures(row: pd.Series[Any], names: tuple[str, str, str]) -> Figures:
    """Return a figure and its limits."""
    estimate, low, high = (float(row[name]) for name in names)
    return estimate, low, high
