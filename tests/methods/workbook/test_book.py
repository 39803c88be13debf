"""The workbook to read: its sheets, its cover, its charts."""

import io
import re
import textwrap
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa
from pdkappa.present.sheets import WIDE

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
UNCHECKED = ["drilldown", "counts", "confusion", "matrices", "notes"]  # by other packages


@pytest.fixture(scope="module")
def report():
    return ESSAYS.kappa.report(RATERS, by="essay_set", weights="quadratic", detail=UNCHECKED)


@pytest.fixture(scope="module")
def written(report):
    memory = io.BytesIO()
    report.to_excel(memory, detail="brief")
    return memory


@pytest.fixture(scope="module")
def book(written):
    return openpyxl.load_workbook(written)


def test_the_sheets_that_are_read(book, report):
    assert book.sheetnames == [
        *("Summary", "To discuss", "Raters", "Pairs", "Groups", "Notes", "Counts", "Chart data")
    ]
    assert [page.title for page in book if page.sheet_state == "hidden"] == ["Chart data"]
    memory = io.BytesIO()
    report.to_excel(memory, detail="full")
    names = openpyxl.load_workbook(memory).sheetnames
    assert {"Pairs", "All raters", "Means", "Categories", "1 human_1 x human_2"} <= {*names[1:-2]}
    assert book["Summary"]["A4"].value == textwrap.wrap(report.findings.headline, WIDE)[0]


def test_steps_to_figures_are_folded_away(book, report):
    page = book["Counts"]
    titles = [
        cell.row for cell in page["A"] if cell.value in {one.title for one in report.book.tables}
    ]
    assert len(titles) == 24
    rows = page.row_dimensions
    assert not any(rows[row].hidden for row in titles)
    folded = sum(row.hidden for row in rows.values())
    assert folded > page.max_row / 2
    assert all(row.outlineLevel == 1 for row in rows.values() if row.hidden)


def test_charts_are_drawn_from_cells(written, report):
    with zipfile.ZipFile(written) as archive:
        charts = [
            archive.read(name).decode() for name in archive.namelist() if "charts/chart" in name
        ]
    [forest] = charts
    assert "<c:scatterChart>" in forest
    assert forest.count('<c:errBarType val="both"/>') == 2  # the pairs, and the mean
    names = re.findall("<a:t>([^<]*)</a:t>", forest)
    assert {"human_1 with machine", "Mean of all pairs"} <= {*names}
    assert "Essay set 3" not in names, "27 groups of pairs are too many for the page"
    book = openpyxl.load_workbook(written, data_only=True)
    page = book["Chart data"]
    for one in charts:
        for left, top, right, low in re.findall(r"\$([A-Z]+)\$(\d+):\$([A-Z]+)\$(\d+)<", one):
            assert page[f"{left}{top}"] is not None
            assert int(low) <= page.max_row
            assert right <= "F"
    found = {row[0].value: row[1].value for row in page.iter_rows(min_row=4)}
    mean = report.tables["groups"]["estimate"].iloc[-1]
    assert_allclose(found["Mean of all pairs"], mean)


def test_pairs_with_a_machine_are_orange_and_no_mean_mixes_them_with_humans():
    few, memory = ESSAYS.query("essay_set <= 4"), io.BytesIO()
    few.kappa.report(RATERS, by="essay_set", machine="machine").to_excel(memory)
    with zipfile.ZipFile(memory) as archive:
        forest = archive.read("xl/charts/chart1.xml").decode()
    names = re.findall("<a:t>([^<]*)</a:t>", forest)
    assert {"human_1 with machine", "Essay set 3", "Mean"} <= {*names}
    assert "Mean of all pairs" not in names
    marks = re.findall(r'<c:symbol val="(\w+)"/>.*?srgbClr val="(\w+)"', forest)
    human, machine, mean = ("square", "0B5394"), ("circle", "A83E00"), ("diamond", "1A202C")
    assert marks[:6] == [human, mean, machine, mean, machine, mean]


def live_in(made):
    """List the columns that hold formulas, by sheet, and which coefficients and means are such."""
    found = {}
    for page in made.book.pages(made.findings, "full"):
        for one in [page] if page.kind != "lead" else page.parts:
            for row, column in one.formulas if page.kind != "confusion" else ():
                name = one.frame.columns[column]
                found.setdefault(one.name, set()).add(name)
                if one.name == "All raters" and name == "estimate":
                    found.setdefault("coefficients", set()).add(one.frame.index[row])
                if one.name in {"Groups", "Means"} and name == "estimate":
                    found.setdefault("means", set()).add(one.frame.index[row][-1])
    return found


@pytest.mark.parametrize("missing", [False, True])
def test_the_cover_tells_which_figures_follow_the_counts(missing):
    data = ESSAYS[RATERS].iloc[:60].astype("Int64").assign(site=np.resize([*"xy"], 60))
    data.loc[0, "machine"] = pd.NA if missing else 5
    full = {"detail": UNCHECKED}
    made = data.kappa.report(RATERS, weights="quadratic", machine="machine", **full)
    [told] = made.book.notes
    follows, stays = told.split(". ")
    live = live_in(made)
    assert len(live.pop("coefficients")) == (1 if missing else 7)
    assert "if no rating is missing, so are the other coefficients of all raters" in follows
    grouped = live_in(data.kappa.report(RATERS, by="site", **full))
    assert grouped.pop("means") <= {"x", "y", "Mean (Fisher z)"}
    for sheets in (live, grouped):
        assert sheets.pop("Categories") == {"specific_agreement"}
        assert not {"Raters", "Items", "Machines"} & sheets.keys()
        for name, columns in sheets.items():
            known = {"se", "ci_low", "ci_high", "z", "p_value", "interpretation"}
            assert not known & {*columns}, name
    for words in (
        "Standard errors, limits, z, p, fixed and random means",
        "the sheets Raters and To discuss do not change",
    ):
        assert words in stays
    summary = made.book.summary
    unweighted = summary.frame["weights"].tolist().index("unweighted")
    assert not [row for row, _ in summary.formulas if row in {0, 1, 2, unweighted}]
    assert (3, summary.frame.columns.tolist().index("estimate")) in summary.formulas


def ratings(n_raters, labels, n=240):
    """Draw ratings of items, most of them right."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, len(labels), n)
    return pd.DataFrame(
        {
            f"rater {r}": np.array(labels, dtype=object)[
                np.where(rng.random(n) < 0.7, true, rng.integers(0, len(labels), n))
            ]
            for r in range(n_raters)
        }
    )


def test_a_crowd_shows_raters_and_no_thousands_of_pairs():
    made = ratings(45, [0, 1, 2]).kappa.report()
    pages = made.book.pages(made.findings, "brief")
    names = [one.name for one in pages]
    assert names[:4] == ["Summary", "To discuss", "Raters", "Matrix"] or "Pairs" in names
    assert pages[-1].title == "The 18 lowest and the 18 highest of 45 raters"
    made = ratings(9, [0, 1, 2], 60).kappa.report()
    assert len(made.tables["pairs"]) == 36  # as many as fit
    assert not made.book.pages(made.findings, "brief")[-1].title.startswith("The 18 lowest")


def test_items_on_which_all_agree_are_not_listed():
    data = pd.DataFrame({"ann": [1, 1, 2, 2, 1, 2], "bob": [1, 2, 2, 1, 1, 2]})
    found = data.kappa.report().tables
    assert sorted(found["items"].index) == sorted(found["to_discuss"].index) == [1, 3]
    assert found["to_discuss"]["decision"].tolist() == ["", ""]
    agreed = data.assign(bob=data["ann"]).kappa.report()
    assert "to_discuss" not in agreed.tables


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_cover_of_less_than_two_pages_is_printed_on_one():
    """Of eight raters in as many groups; other sheets of several tables are shrunk less."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({f"r{i}": rng.integers(1, 3, 80) for i in range(8)})
    report = data.assign(site=np.arange(80) % 8).kappa.report([*data], by="site", detail=["notes"])
    memory = io.BytesIO()
    report.to_excel(memory, detail="brief")
    page = openpyxl.load_workbook(memory)["Summary"]
    assert page.page_setup.fitToHeight is None  # 1 by default


@pytest.mark.parametrize("name", ["Pairs!A1", "=cmd|' /C calc'!A0", "=Pairs!$B$2"])
def test_no_name_becomes_a_formula_of_a_chart(name):
    """A writer of workbooks takes what looks like a cell for one."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, 120)
    ratings = {
        one: np.where(rng.random(120) < 0.7, truth, rng.integers(1, 4, 120))
        for one in (name, *"bcd")
    }
    data = pd.DataFrame(ratings).assign(site=np.where(np.arange(120) % 2, name, "other"))
    memory = io.BytesIO()
    data.kappa.report([*ratings], by="site", detail=UNCHECKED).to_excel(memory, detail="brief")
    with zipfile.ZipFile(memory) as archive:
        charts = [archive.read(one).decode() for one in archive.namelist() if "charts/chart" in one]
    assert charts
    formulas = [one for chart in charts for one in re.findall("<c:f>(.*?)</c:f>", chart)]
    assert formulas
    assert not [one for one in formulas if not one.startswith("'Chart data'!$")]
