"""Every value in ``tests/data/outside`` against the public functions.

The values were returned by independent systems; ``tests/data/README.md`` says by which. Each
field of each entry is compared, or `LEFT_OUT` says why it cannot be.
"""

from __future__ import annotations

import functools
import json
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = dict[str, Any]

FIELDS = ("value", "se", "ci_low", "ci_high", "z", "p", "n")
FILES = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(Path(__file__).with_name("data").joinpath("outside").glob("*.json"))
]
DATASETS: dict[str, dict[str, Any]] = {file["name"]: file for file in FILES}
ENTRIES: list[Entry] = [entry for file in FILES for entry in file["expected"]]
PABAK = [entry for entry in ENTRIES if entry["coefficient"] == "pabak_2po_minus_1"]
DEGENERATE = DATASETS["degenerate_cases"]["expected"]

COEFFICIENTS = {
    "cohen_kappa": "cohen",
    "scott_pi": "scott",
    "gwet_ac": "gwet",
    "brennan_prediger": "brennan_prediger",
    "krippendorff_alpha": "krippendorff",
    "percent_agreement": "percent",
}
DERIVED: dict[str, Callable[[pd.Series], float]] = {
    "kappa_max": lambda row: row["max_estimate"],
    "kappa_over_kappa_max": lambda row: row["estimate"] / row["max_estimate"],
    "expected_agreement_cohen": lambda row: row["expected_agreement"],
    "pabak_2po_minus_1": lambda row: 2 * row["observed_agreement"] - 1,
}
MATRICES = {"cohen_kappa_matrix": "estimate", "cohen_kappa_se_matrix": "se"}
WEIGHTS = {"unweighted": None, "metric:nominal": None, "linear": "linear", "quadratic": "quadratic"}

REASONS = {
    ("both_constant_same", "cohen_kappa"): "constant_ratings",
    ("both_constant_same", "scott_pi"): "constant_ratings",
    ("both_constant_same_3cats", "cohen_kappa"): "constant_ratings",
    ("both_constant_same_3cats", "scott_pi"): "constant_ratings",
    ("one_constant", "cohen_kappa"): "constant_rater",
    ("constant_but_different", "cohen_kappa"): "constant_rater",
    ("single_item_agree", "cohen_kappa"): "constant_ratings",
    ("single_item_agree", "scott_pi"): "constant_ratings",
    ("all_but_one_missing", "cohen_kappa"): "constant_ratings",
    ("all_but_one_missing", "scott_pi"): "constant_ratings",
    ("no_overlap", "cohen_kappa"): "no_joint_items",
    ("no_overlap", "scott_pi"): "no_joint_items",
    ("no_overlap", "gwet_ac"): "no_joint_items",
    ("no_overlap", "brennan_prediger"): "no_joint_items",
    ("no_overlap", "percent_agreement"): "no_joint_items",
}


# --- What cannot be compared -------------------------------------------------------------


class LeftOut(NamedTuple):
    """Fields that the public functions do not return for some entries, and why."""

    applies: Callable[[Entry], bool]
    fields: tuple[str, ...]
    reason: str


LEFT_OUT = {
    "specific agreement": LeftOut(
        lambda entry: entry["coefficient"] == "specific_agreement",
        FIELDS,
        "agreement on a single category is no coefficient of `pairs`",
    ),
    "two-by-two indices": LeftOut(
        lambda entry: entry["coefficient"] in {"prevalence_index", "bias_index", "mcnemar_chi2"},
        FIELDS,
        "descriptions of the margins of a two-by-two table are no coefficients of agreement",
    ),
    "asymmetric weights": LeftOut(
        lambda entry: entry["weights"] == "cohen1968_asymmetric",
        FIELDS,
        "asymmetric weights are an error, which another test expects",
    ),
    "t interval": LeftOut(
        lambda entry: entry["options"].get("ci") == "t df=n-1",
        ("ci_low", "ci_high"),
        "no interval of `pairs` takes the quantiles of t with n - 1 degrees of freedom",
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


# --- From an entry to the public functions -----------------------------------------------


def dataset_of(entry: Entry) -> dict[str, Any]:
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
    vectors = DATASETS[name]["cases"][case]
    return pd.DataFrame({rater: vectors[rater] for rater in "ab"}, dtype="Int64")


@functools.cache
def table_ratings(name: str) -> Any:
    dataset = DATASETS[name]
    first, second = dataset["raters"]
    categories = dataset["categories"]
    table = pd.DataFrame(dataset["rows"], index=categories, columns=categories)
    table = table.rename_axis(index=first, columns=second)
    return pdkappa.from_table(table, categories=categories)


def weights_for(name: str, weights: str) -> Any:
    custom = DATASETS[name].get("custom_weights", {})
    return np.array(custom[weights]["matrix"]) if weights in custom else WEIGHTS[weights]


def quiet() -> None:
    """Undefined results and raters that share no label are wanted here."""
    warnings.simplefilter("ignore", pdkappa.UndefinedKappaWarning)
    warnings.simplefilter("ignore", pdkappa.LookalikeLabelsWarning)


@functools.cache
def pairs(
    name: str, case: str | None, coefficient: str, weights: str, level: float
) -> pd.DataFrame:
    """Return the result frame that the entries with these options share.

    Others test chance with the standard error at chance, and have limits with that of the
    estimate, which need not agree with each other.
    """
    options = {
        "coefficient": coefficient,
        "weights": weights_for(name, weights),
        "confidence_level": level,
    }
    plain = pairs_of(name, case, ci="wald", **options)
    if coefficient == "gwet":
        return plain
    return plain.assign(**pairs_of(name, case, **options)[["z", "p_value"]])


def pairs_of(name: str, case: str | None, **options: Any) -> pd.DataFrame:
    """Estimate the pairs of a data set, of whatever layout."""
    dataset = DATASETS[name]
    with warnings.catch_warnings():
        quiet()
        if dataset["layout"] == "table":
            return table_ratings(name).pairs(**options)
        if case is not None:
            categories = dataset["cases"][case]["categories"]
            return pdkappa.pairs(case_frame(name, case), categories=categories, **options)
        return pdkappa.pairs(wide(name), categories=dataset["categories"], **options)


@functools.cache
def matrix(name: str, stat: str, weights: str) -> pd.DataFrame:
    return pdkappa.pairwise(
        wide(name),
        stat=stat,
        weights=weights_for(name, weights),
        categories=DATASETS[name]["categories"],
    )


def pairs_with_observed_categories(entry: Entry) -> pd.DataFrame:
    """Let only the categories count that occur among the items rated by both."""
    frame = wide(dataset_of(entry)["name"])[entry["raters"]].dropna()
    categories = sorted(set(frame.to_numpy().ravel()))
    assert len(categories) == entry["options"]["q"]
    coefficient = COEFFICIENTS[entry["coefficient"]]
    return pdkappa.pairs(frame, coefficient=coefficient, categories=categories)


def result_row(entry: Entry, coefficient: str | None = None) -> pd.Series:
    """Return the one row that pdkappa gives for the pair of an entry."""
    if "q" in entry["options"]:
        frame = pairs_with_observed_categories(entry)
    else:
        frame = pairs(
            dataset_of(entry)["name"],
            entry.get("case"),
            coefficient or COEFFICIENTS.get(entry["coefficient"], "cohen"),
            entry["weights"],
            entry.get("ci_level", 0.95),
        )
    first, second = entry["raters"]
    (row,) = frame[(frame["rater_a"] == first) & (frame["rater_b"] == second)].index
    return frame.loc[row]


def close(entry: Entry, expected: float) -> Any:
    return pytest.approx(expected, rel=entry["tolerance"], abs=entry["tolerance"])


def small_sample_factor(n_items: float) -> float:
    """Return what turns the error of Scott's pi into the error of alpha.

    With two raters 1 - alpha is (1 - pi) times this factor, and so is the standard error.
    The system that these errors come from, irrCAC, leaves the factor out.
    """
    return (2 * n_items - 1) / (2 * n_items)


def found(entry: Entry, row: pd.Series, field: str) -> float:
    """Return what pdkappa has to say about a field of an entry."""
    if field == "value":
        return DERIVED.get(entry["coefficient"], lambda row: row["estimate"])(row)
    if field == "se" and entry["options"]["se"] == "null":
        return row["estimate"] / row["z"]
    if field == "se" and entry["coefficient"] == "krippendorff_alpha":
        return row["se"] / small_sample_factor(row["n_items"])
    return row[{"p": "p_value", "n": "n_items"}.get(field, field)]


def wanted(entry: Entry, field: str) -> Any:
    """Return what an entry says about a field, cut to the range of kappa for a limit."""
    expected = entry[field]
    if expected is None:
        return pytest.approx(math.nan, nan_ok=True)
    if field in {"ci_low", "ci_high"}:
        expected = min(max(expected, -1), 1)
    return close(entry, expected)


# --- The tests ---------------------------------------------------------------------------


def checked(*, matrices: bool, means: bool = False) -> list[Entry]:
    return [
        entry
        for entry in ENTRIES
        if fields_to_check(entry)
        and (entry["raters"] == "matrix") == matrices
        and (entry["coefficient"] == "fisher_z_mean") == means
    ]


@pytest.mark.parametrize("name", DATASETS)
def test_pairs(name):
    for entry in checked(matrices=False):
        if dataset_of(entry)["name"] == name:
            row, fields = result_row(entry), fields_to_check(entry)
            expected = {field: wanted(entry, field) for field in fields}
            assert {field: found(entry, row, field) for field in fields} == expected, entry["id"]


def test_matrices():
    for entry in checked(matrices=True):
        name = dataset_of(entry)["name"]
        result = matrix(name, MATRICES[entry["coefficient"]], entry["weights"])
        raters = dataset_of(entry)["raters"]
        assert result.index.tolist() == result.columns.tolist() == raters, entry["id"]
        values = pd.DataFrame(entry["value"], index=raters, columns=raters, dtype=float).to_numpy()
        apart = ~np.eye(len(raters), dtype=bool)
        compared = apart | (entry["options"]["diagonal"] is not None)
        found = result.to_numpy(dtype=float)[compared]
        assert found == close(entry, values[compared]), entry["id"]
        n_items = matrix(name, "n_items", entry["weights"]).to_numpy(dtype=float)
        expected = np.array(entry["n"], dtype=float)
        assert n_items[apart].tolist() == expected[apart].tolist(), entry["id"]


def test_fisher_means():
    for entry in checked(matrices=False, means=True):
        case = dataset_of(entry)["mean_cases"][entry["case"]]
        mean = pdkappa.fisher_mean(case["kappas"], case.get("weights"))
        assert mean == close(entry, entry["value"]), entry["id"]


def test_pabak_is_brennan_prediger_where_there_are_two_categories():
    for entry in PABAK:
        if entry["n_categories"] == 2:
            row = result_row(entry, coefficient="brennan_prediger")
            assert row["estimate"] == close(entry, entry["value"]), entry["id"]


def test_degenerate_cases_have_their_reasons():
    for entry in DEGENERATE:
        row = result_row(entry)
        key = (entry["case"], entry["coefficient"])
        reasons = {REASONS.get(key)} if key in REASONS else {"n_lt_2", "constant_rater"}
        if key not in REASONS and entry["n"] >= 2:
            reasons = {"", "no_variance"}
        else:
            assert math.isnan(row["se"]), entry["id"]
        assert row["reason"] in reasons, entry["id"]


def test_undefined_values_are_announced():
    constant = case_frame("degenerate_cases", "both_constant_same")
    with pytest.warns(pdkappa.UndefinedKappaWarning):
        result = pdkappa.pairs(constant, categories=[1, 2])
    assert result["estimate"].isna().all()


def test_asymmetric_weights_are_an_error():
    asymmetric = weights_for("cohen1968_3x3", "cohen1968_asymmetric")
    with pytest.raises(pdkappa.WeightsError):
        table_ratings("cohen1968_3x3").pairs(weights=asymmetric)


# --- Nothing is skipped silently ---------------------------------------------------------


def test_all_values_are_here():
    assert len(DATASETS) == 25
    assert len(ENTRIES) == 875
    assert len({entry["id"] for entry in ENTRIES}) == 875


def test_every_field_is_compared_or_left_out_for_one_reason():
    figures = {"pa", "pe", *FIELDS}
    known = {"id", "coefficient", "weights", "category", "raters", "case", "options"}
    known |= {"ci_level", "ci_clipped", "n_categories", "tolerance", "from", "confirmed_by"}
    for entry in ENTRIES:
        assert set(entry) <= known | figures
        assert set(entry) & figures <= set(FIELDS)
        for field in set(entry) & figures:
            assert len(left_out(entry, field)) + (field in fields_to_check(entry)) == 1


def test_every_entry_is_compared_or_left_out():
    compared = [entry["id"] for entry in ENTRIES if fields_to_check(entry)]
    tested = [
        entry["id"]
        for group in (
            checked(matrices=False),
            checked(matrices=True),
            checked(matrices=False, means=True),
        )
        for entry in group
    ]
    assert sorted(tested) == sorted(compared)
    outside = [entry for entry in ENTRIES if not fields_to_check(entry)]
    assert all(left_out(entry, "value") for entry in outside)
    assert len(compared) + len(outside) == len(ENTRIES)
    assert len(outside) == 98


def test_every_reason_for_leaving_out_is_used():
    used = {kind for entry in ENTRIES for field in FIELDS for kind in left_out(entry, field)}
    assert used == set(LEFT_OUT)


def test_the_declared_categories_are_those_of_the_values():
    for entry in ENTRIES:
        if "n_categories" in entry:
            dataset = dataset_of(entry)
            source = dataset["cases"][entry["case"]] if "case" in entry else dataset
            assert len(source["categories"]) == entry["n_categories"]
