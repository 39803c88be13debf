"""Figures of groups -> what a page says of them first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.workbook.sheets import method_of
from pdkappa.present.labels import listed, spoken_by
from pdkappa.present.sheets import Sheet

if TYPE_CHECKING:
    from pdkappa.present.html_page import Headline

USED = {
    "pairwise": "of items that both raters of a pair rated",
    "listwise": "of items that all raters rated",
    "raise": "all",
    "em": "all, by the EM algorithm",
}


def headline_of(
    mean: pd.Series, n_groups: int, sheets: list[Sheet], told: dict[str, Any]
) -> Headline:
    """Read out the mean over the groups, a row with its limits."""
    from pdkappa.present.html_headline import headline

    raters, coefficient = told["raters"], told["coefficient"]
    facts = {
        "items": f"{float(mean['n_items']):,.10g}",
        "raters": f"{len(raters)}: {listed(raters)}",
        "groups": f"{n_groups:,}, by {spoken_by(told['by'])}",
        "coefficient": method_of(coefficient, told["weights"]),
        "ratings used": USED.get(told["missing"], told["missing"]),
    }
    analysed = Sheet("analysed", pd.DataFrame(list(facts.items())), "What was analysed")
    frame = mean.to_frame().T.assign(reading="")
    return headline(
        Sheet("summary", frame, "", parts=(analysed,)),
        {sheet.name: sheet.frame for sheet in sheets},
        told,
        name=COEFFICIENTS[coefficient].spoken,
        corrected=COEFFICIENTS[coefficient].tested,
    )
