"""Coefficients of two raters: every entry of ``tests/data/outside``, or why it is left out."""

import functools
import json
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pdkappa
from elsewhere import DATA, Held, kappa_of

Entry = dict[str, Any]
Row = dict[str, Any]
Rows = dict[tuple[str, str], Row]

FIELDS = ("value", "se", "ci_low", "ci_high", "z", "p", "n")
FILES = [
    json.loads(path.read_text(encoding="utf-8")) for path in sorted((DATA / "outside").glob("*"))
]
DATASETS: dict[str, dict[str, Any]] = {file["name"]: file for file in FILES}
ENTRIES: list[Entry] = [entry for file in FILES for entry in file["expected"]]

COEFFICIENTS = {
    "cohen_kappa": "cohen",
    "scott_pi": "scott",
    "gwet_ac": "gwet",
    "brennan_prediger": "brennan_prediger",
    "krippendorff_alpha": "krippendorff",
    "percent_agreement": "percent",
}
DERIVED: dict[str, Callable[[Row], float]] = {
    "kappa_max": lambda row: row["max_estimate"],
    "kappa_over_kappa_max": lambda row: row["estimate"] / row["max_estimate"],
    "expected_agreement_cohen": lambda row: row["expected_agreement"],
    "pabak_2po_minus_1": lambda row: 2 * row["observed_agreement"] - 1,
}
MATRICES = {"cohen_kappa_matrix": "estimate", "cohen_kappa_se_matrix": "se"}
WEIGHTS = {"unweighted": None, "metric:nominal": None, "linear": "linear", "quadratic": "quadratic"}


class LeftOut(NamedTuple):
    """Fields that the public functions do not return for some entries, and why."""

    applies: Callable[[Entry], bool]
    fields: tuple[str, ...]
    reason: str


LEFT_OUT = {
    "specific agreement": LeftOut(
        lambda entry: entry["coefficient"] == "specific_agreement",
        FIELDS,
        "agreement on a single category is no coefficient of `pairs`; that of `categories` is held",
    ),
    "two-by-two indices": LeftOut(
        lambda entry: entry["coefficient"] in {"prevalence_index", "bias_index", "mcnemar_chi2"},
        FIELDS,
        "descriptions of the margins of a two-by-two table are no coefficients of agreement",
    ),
    "asymmetric weights": LeftOut(
        lambda entry: entry["weights"] == "cohen1968_asymmetric",
        FIELDS,
        "asymmetric weights are an error",
    ),
    "t interval": LeftOut(
        lambda entry: entry["options"].get("ci") == "t df=n-1",
        ("ci_low", "ci_high"),
        "`ci='wald'` of two raters takes the normal distribution, not t with n - 1 degrees",
    ),
    "t test": LeftOut(
        lambda entry: entry["options"].get("p") == "t df=n-1",
        ("p",),
        "`p_value` rests on the standard error under the null and the normal distribution",
    ),
}


def left_out(entry: Entry, field: str) -> list[str]:
    """Name the kinds of `LEFT_OUT` that a field of an entry falls under."""
    return [kind for kind, rule in LEFT_OUT.items() if field in rule.fields and rule.applies(entry)]


def fields_to_check(entry: Entry) -> list[str]:
    """List the fields of an entry that are compared."""
    return [field for field in FIELDS if field in entry and not left_out(entry, field)]


def dataset_of(entry: Entry) -> dict[str, Any]:
    """Return the file that an entry stands in."""
    return DATASETS[entry["id"].partition("#")[0]]


@functools.cache
def wide(name: str) -> pd.DataFrame:
    """Return the frame of a wide dataset, a column per rater."""
    dataset = DATASETS[name]
    frame = pd.DataFrame(dataset["rows"], columns=dataset["raters"], dtype=object)
    text = isinstance(dataset["categories"][0], str)
    return frame if text else frame.astype("Int64")


@functools.cache
def case_frame(name: str, case: str) -> pd.DataFrame:
    """Return the two short vectors of a case."""
    vectors = DATASETS[name]["cases"][case]
    return pd.DataFrame({rater: vectors[rater] for rater in "ab"}, dtype="Int64")


@functools.cache
def table_ratings(name: str) -> Any:
    """Return the ratings of a table of counts."""
    dataset = DATASETS[name]
    first, second = dataset["raters"]
    categories = dataset["categories"]
    table = pd.DataFrame(dataset["rows"], index=categories, columns=categories)
    table = table.rename_axis(index=first, columns=second)
    return pdkappa.from_table(table, categories=categories)


def weights_for(name: str, weights: str) -> Any:
    """Return weights as pdkappa takes them."""
    custom = DATASETS[name].get("custom_weights", {})
    return np.array(custom[weights]["matrix"]) if weights in custom else WEIGHTS[weights]


def quiet() -> None:
    """Undefined results and raters that share no label are wanted here."""
    warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
    warnings.simplefilter("ignore", pdkappa.errors.LookalikeLabelsWarning)


@functools.cache
def pairs(  # noqa: PLR0917
    name: str, case: str | None, coefficient: str, weights: str, level: float, ci: str
) -> Rows:
    """Return the rows that the entries with these options share."""
    options = {"coefficient": coefficient, "confidence_level": level, "ci": ci}
    return rows_of(pairs_of(name, case, weights=weights_for(name, weights), **options))


def rows_of(frame: pd.DataFrame) -> Rows:
    """Return the rows of a result by their pair."""
    return {(row["rater_a"], row["rater_b"]): row for row in frame.to_dict("records")}


def pairs_of(name: str, case: str | None, **options: Any) -> pd.DataFrame:
    """Estimate the pairs of a data set, of whatever layout."""
    dataset = DATASETS[name]
    with warnings.catch_warnings():
        quiet()
        if dataset["layout"] == "table":
            return table_ratings(name).pairs(**options)
        if case is not None:
            categories = dataset["cases"][case]["categories"]
            return kappa_of(case_frame(name, case)).pairs(categories=categories, **options)
        return kappa_of(wide(name)).pairs(categories=dataset["categories"], **options)


@functools.cache
def matrix(name: str, stat: str, weights: str) -> pd.DataFrame:
    """Return the square table that the entries with these options share."""
    return kappa_of(wide(name)).pairwise(
        stat=stat, weights=weights_for(name, weights), categories=DATASETS[name]["categories"]
    )


@functools.cache
def with_observed_categories(name: str, raters: tuple[str, str], coefficient: str) -> Rows:
    """Let only the categories count that occur among the items rated by both."""
    frame = wide(name)[list(raters)].dropna()
    categories = sorted(set(frame.to_numpy().ravel()))
    return rows_of(kappa_of(frame).pairs(coefficient=coefficient, categories=categories, ci="wald"))


def result_row(entry: Entry, coefficient: str | None = None, ci: str = "auto") -> Row:
    """Return the one row that pdkappa gives for the pair of an entry."""
    name, pair = dataset_of(entry)["name"], tuple(entry["raters"])
    coefficient = coefficient or COEFFICIENTS.get(entry["coefficient"], "cohen")
    if "q" in entry["options"]:
        return with_observed_categories(name, pair, coefficient)[pair]
    level = entry.get("ci_level", 0.95)
    return pairs(name, entry.get("case"), coefficient, entry["weights"], level, ci)[pair]


def interval_of(entry: Entry, field: str) -> str:
    """Return the interval whose call has a field.

    Others test chance with the standard error at chance, and have limits with that of the
    estimate, which need not agree with each other.
    """
    of_chance = field in {"z", "p"} or (field == "se" and entry["options"].get("se") == "null")
    return "auto" if of_chance and entry["coefficient"] != "gwet_ac" else "wald"


def small_sample_factor(n_items: float) -> float:
    """Return what turns the error of Scott's pi into the error of alpha.

    With two raters 1 - alpha is (1 - pi) times this factor, and so is the standard error.
    The system that these errors come from, irrCAC, leaves the factor out.
    """
    return (2 * n_items - 1) / (2 * n_items)


def found(entry: Entry, row: Row, field: str) -> float:
    """Return what pdkappa has to say about a field of an entry."""
    if field == "value":
        return DERIVED.get(entry["coefficient"], lambda row: row["estimate"])(row)
    if field == "se" and entry["options"]["se"] == "null":
        return row["estimate"] / row["z"]
    if field == "se" and entry["coefficient"] == "krippendorff_alpha":
        return row["se"] / small_sample_factor(row["n_items"])
    return row[{"p": "p_value", "n": "n_items"}.get(field, field)]


def wanted(entry: Entry, field: str) -> float:
    """Return what an entry says about a field, cut to the range of kappa for a limit."""
    expected = entry[field]
    if expected is None:
        return math.nan
    return min(max(expected, -1), 1) if field in {"ci_low", "ci_high"} else expected


def square(entry: Entry, field: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of a square table that are compared, theirs and ours."""
    stat = MATRICES[entry["coefficient"]] if field == "value" else "n_items"
    ours = matrix(dataset_of(entry)["name"], stat, entry["weights"]).to_numpy(dtype=float)
    own = field == "value" and entry["options"]["diagonal"] is not None
    compared = ~np.eye(len(ours), dtype=bool) | own
    return np.array(entry[field], dtype=float)[compared], ours[compared]


def compared(entry: Entry) -> Iterator[tuple[str, Any, Any]]:
    """Give the fields of an entry that are compared: what it says, and what pdkappa says."""
    fields = fields_to_check(entry)
    if entry["raters"] == "matrix":
        yield from ((field, *square(entry, field)) for field in fields)
    elif entry["coefficient"] == "fisher_z_mean":
        case = dataset_of(entry)["mean_cases"][entry["case"]]
        yield "value", entry["value"], pdkappa.fisher_mean(case["kappas"], case.get("weights"))
    elif fields:
        for field in fields:
            row = result_row(entry, ci=interval_of(entry, field))
            yield field, wanted(entry, field), found(entry, row, field)


def remark(entry: Entry, field: str) -> str:
    """Say what was done to a figure before it was compared."""
    if field == "se" and entry["coefficient"] == "krippendorff_alpha":
        return "ours without its small-sample factor"
    return "cut at 1" if field in {"ci_low", "ci_high"} and abs(entry[field]) > 1 else ""


def named(entry: Entry, field: str) -> str:
    """Say what a field of an entry is."""
    who = entry.get("case") or entry["raters"]
    who = who if isinstance(who, str) else " with ".join(map(str, who))
    weights = "" if entry["weights"] == "unweighted" else f", {entry['weights']}"
    kind = " at chance" if field == "se" and entry["options"].get("se") == "null" else ""
    return f"{entry['coefficient']}{weights}; {who}; {field}{kind}"


def held() -> Iterator[Held]:
    """Give every field of every entry that is compared."""
    for entry in ENTRIES:
        for field, value, ours in compared(entry):
            yield Held(
                data=dataset_of(entry)["name"],
                figure=named(entry, field),
                system=entry["from"],
                value=value,
                ours=ours,
                tolerance=0 if field == "n" else entry["tolerance"],
                confirmed_by=entry.get("confirmed_by", ()),
                remark=remark(entry, field),
            )
