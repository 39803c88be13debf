"""Every value from elsewhere is ours, too, and the page that says so is that of this code."""

import csv
import math
import re
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from elsewhere import many
from elsewhere.pairs import (
    DATASETS,
    ENTRIES,
    FIELDS,
    LEFT_OUT,
    MATRICES,
    compared,
    dataset_of,
    fields_to_check,
    left_out,
    matrix,
    result_row,
)

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

import validation  # noqa: E402

AGAIN = "Make the page anew: python docs/validation.py"


def without_versions(text):
    """Leave out the versions of the packages that were asked; they are those of a machine."""
    return re.sub(r"made with .*? supports it is", "made with", text, flags=re.DOTALL)


def is_near(ours, committed):
    """Whether two cells are the same as far as machines agree on figures."""
    try:
        return float(ours) == pytest.approx(float(committed), rel=1e-6, abs=1e-10)
    except ValueError:  # words
        return ours == committed


@pytest.mark.needs("sklearn", "krippendorff")
@pytest.mark.oracle
def test_every_value_from_elsewhere_is_ours_and_so_says_the_page():
    assert [one for one in validation.everything() if not one.holds] == []
    agrees = validation.live()["agrees"]
    assert agrees.all()
    assert agrees.isna().tolist() == validation.beyond().tolist()
    page = validation.PAGE.read_text(encoding="utf-8")
    assert without_versions(page) == without_versions(validation.page()), AGAIN
    committed = list(csv.reader(validation.TABLE.read_text(encoding="utf-8").splitlines()))
    made = [list(validation.HEADER), *validation.rows()]
    assert len(committed) == len(made), AGAIN
    for ours, row in zip(made, committed, strict=True):
        assert [*ours[:5], *ours[6:]] == [*row[:5], *row[6:]], AGAIN
        assert is_near(ours[5], row[5]), AGAIN


def test_a_difference_is_found():
    one = next(validation.pairs.held())
    assert not one._replace(ours=one.ours + 10 * one.tolerance).holds
    assert not one._replace(ours=float("nan")).holds
    assert one._replace(ours=float("nan"), value=float("nan")).holds


PABAK = [entry for entry in ENTRIES if entry["coefficient"] == "pabak_2po_minus_1"]
DEGENERATE = DATASETS["degenerate_cases"]["expected"]

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


def test_matrices_are_whole():
    for entry in (entry for entry in ENTRIES if entry["raters"] == "matrix"):
        dataset = dataset_of(entry)
        result = matrix(dataset["name"], MATRICES[entry["coefficient"]], entry["weights"])
        assert result.index.tolist() == result.columns.tolist() == dataset["raters"], entry["id"]
        assert_array_equal(result, result.T)


def test_pabak_is_brennan_prediger_where_there_are_two_categories():
    for entry in PABAK:
        if entry["n_categories"] == 2:
            row = result_row(entry, coefficient="brennan_prediger")
            wanted = pytest.approx(entry["value"], abs=entry["tolerance"])
            assert row["estimate"] == wanted, entry["id"]


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
    for entry in ENTRIES:
        assert [field for field, *_ in compared(entry)] == fields_to_check(entry), entry["id"]
    outside = [entry for entry in ENTRIES if not fields_to_check(entry)]
    assert all(left_out(entry, "value") for entry in outside)
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


def test_standard_errors_that_are_smaller():
    """With missing ratings the share of items with two is not taken for fixed."""
    found = list(many.smaller())
    for entry, theirs, ours in found:
        alpha = entry["coefficient"] == "krippendorff_alpha"
        assert ours <= theirs + (0 if alpha else max(entry["tolerance"], 1e-10)), entry["id"]
    assert len(found) == 90


def test_every_entry_of_many_raters_is_compared():
    assert len(many.DATASETS) == 12
    assert len(many.ENTRIES) == 301
    errors = [one for one in many.held() if one.figure.endswith("; se")]
    assert len(errors) + len(list(many.smaller())) == len(many.WITH_SE) == 207
    kinds = {e["options"].get("se") for _, e in many.ENTRIES} - {
        many.LINEARIZED,
        many.SCHOUTEN,
        many.NULL,
        None,
    }
    assert not kinds
