"""Every value from elsewhere is ours, too, and the page that says so is that of this code."""

import csv
import re
import sys
from pathlib import Path

import pytest

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
