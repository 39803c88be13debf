"""Parts of the agreement, one category or one rater: every entry of ``tests/data/parts``."""

import json
import math
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd

import pdkappa
from elsewhere import DATA, Held, kappa_of

DATASETS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DATA / "parts").glob("*.json"))
}
ENTRIES = [(name, entry) for name, data in DATASETS.items() for entry in data["expected"]]


def source(name: str) -> Any:
    """Return the ratings of a data set."""
    data = DATASETS[name]
    categories = data["categories"]
    if data["layout"] == "table":
        table = pd.DataFrame(data["rows"], index=categories, columns=categories)
        table = table.rename_axis(index=data["raters"][0], columns=data["raters"][1])
        return pdkappa.from_table(table, categories=categories)
    frame = pd.DataFrame(data["rows"], columns=data["raters"], dtype=object)
    return frame if isinstance(categories[0], str) else frame.astype("Int64")


def ours(name: str, entry: dict[str, Any]) -> float:
    """Return what pdkappa says of the category or the rater of an entry."""
    chosen = None if entry["raters"] == "all" else entry["raters"]
    missing = "listwise" if entry["options"].get("missing") == "listwise" else "pairwise"
    options = {"categories": DATASETS[name]["categories"], "missing": missing}
    if entry["coefficient"] == "rater_vs_others_kappa":
        options["weights"] = None if entry["weights"] == "unweighted" else entry["weights"]
        frame, column = kappa_of(source(name)).raters(chosen, **options), "kappa_with_others"
    else:
        frame = kappa_of(source(name)).categories(chosen, coefficient="fleiss", **options)
        frame.index = frame.index.astype(str)
        of_kappa = entry["coefficient"] == "fleiss_kappa_category"
        column = "estimate" if of_kappa else "specific_agreement"
    return frame.loc[entry["category"], column]


def held() -> Iterator[Held]:
    """Give every entry."""
    for name, entry in ENTRIES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
            warnings.simplefilter("ignore", pdkappa.errors.LookalikeLabelsWarning)
            found = ours(name, entry)
        who = entry["raters"]
        who = "all raters" if who == "all" else " with ".join(map(str, who))
        weights = "" if entry["weights"] == "unweighted" else f", {entry['weights']}"
        yield Held(
            data=name,
            figure=f"{entry['coefficient']} of {entry['category']}{weights}; {who}",
            system=entry["from"],
            value=math.nan if entry["value"] is None else entry["value"],
            ours=found,
            tolerance=entry["tolerance"],
            confirmed_by=entry.get("confirmed_by", ()),
        )
