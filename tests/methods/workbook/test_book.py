"""The workbook to read: its sheets, its cover, its charts."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]


@pytest.fixture(scope="module")
def report():
    return ESSAYS.kappa.report(RATERS, by="essay_set", crosscheck=False)


@pytest.fixture(scope="module")
def written(report):
    memory = io.BytesIO()
    report.to_excel(memory)
    return memory


@pytest.fixture(scope="module")
def book(written):
    return openpyxl.load_workbook(written)


def test_the_sheets_that_are_read(book, report):
    assert book.sheetnames == [
        *("Cover", "Matrix", "Groups", "Raters", "Items", "Notes", "Counts", "Chart data")
    ]
    assert [page.title for page in book if page.sheet_state == "hidden"] == ["Chart data"]
    memory = io.BytesIO()
    report.to_excel(memory, detail="full")
    names = openpyxl.load_workbook(memory).sheetnames
    assert names[:5] == book.sheetnames[:5]
    assert {"Pairs", "All raters", "Means", "Categories", "1 human_1 x human_2"} <= {*names[5:-2]}


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
    forest, bars = charts
    assert "<c:scatterChart>" in forest
    assert forest.count('<c:errBarType val="both"/>') == 3 + 3 + 1 - 1  # the last two means in one
    assert "<c:barChart>" in bars
    assert set(re.findall("<a:t>([^<]*)</a:t>", forest)) >= {
        *("human_1 with machine", "Essay set 3", "Mean", "Mean of all pairs"),
    }
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


def live_in(made):
    """List the columns that hold formulas, by sheet, and which coefficients and means are such."""
    found = {}
    for page in made.book.pages(made.headline, "full"):
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
    made = data.kappa.report(RATERS, weights="quadratic", machines=["machine"], crosscheck=False)
    (told,) = [one for one in made.book.summary.notes if "formulas" in one]
    follows, stays = told.split(". ")
    live = live_in(made)
    assert len(live.pop("coefficients")) == (1 if missing else 7)
    assert "if no rating is missing, so are the other coefficients of all raters" in follows
    grouped = live_in(data.kappa.report(RATERS, by="site", crosscheck=False))
    assert grouped.pop("means") <= {"x", "y", "Mean (Fisher z)"}
    for sheets in (live, grouped):
        assert sheets.pop("Categories") == {"specific_agreement"}
        assert not {"Raters", "Items", "Machines"} & sheets.keys()
        for name, columns in sheets.items():
            known = {"se", "ci_low", "ci_high", "z", "p_value", "interpretation", "reading"}
            assert not known & {*columns}, name
    for words in (
        "Standard errors, limits, z, p, words, fixed and random means",
        "the sheets Raters and Items, and most of Categories do not change",
    ):
        assert words in stays
    summary = made.book.summary
    unweighted = summary.frame["weights"].tolist().index("unweighted")
    assert not [row for row, _ in summary.formulas if row in {0, 1, 2, unweighted}]
    assert (3, summary.frame.columns.tolist().index("estimate")) in summary.formulas


# --- charts ------------------------------------------------------------------------------------

LONG = [f"Disorder of the {name} system, not specified" for name in "abcdefghijkl"]


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


def drawn(data, **options):
    """Write a brief workbook; return its charts as they are in the file, and the table of each."""
    made, memory = data.kappa.report(**options, crosscheck=False), io.BytesIO()
    made.to_excel(memory)
    with zipfile.ZipFile(memory) as archive:
        charts = [
            archive.read(name).decode()
            for name in sorted(archive.namelist())
            if "charts/chart" in name
        ]
        told = archive.read("xl/drawings/drawing1.xml").decode()
    [hidden] = [one for one in made.book.pages(made.headline, "brief") if one.hidden]
    return charts, [hidden, *hidden.parts], told


def test_bars_lie_where_their_names_are_long():
    (forest, bars), (_, data), told = drawn(ratings(2, LONG))
    assert '<c:barDir val="bar"/>' in bars
    assert bars.count('<c:orientation val="maxMin"/>') == 1
    names = data.frame["Category"].tolist()
    assert len(set(names)) == 12
    assert max(map(len, names)) <= 28
    assert "Both raters" in forest
    assert forest.count("<a:bodyPr") == len(re.findall('<a:bodyPr[^>]* ?wrap="none"/>', forest)) > 0
    for title in ("The agreement of both raters", "Other raters who give the same category"):
        assert f": {title}. The sheet Chart data, which is hidden, has its figures." in told


def test_groups_of_bars_have_room_or_are_taken_together():
    data = ratings(2, ["no", "yes"]).assign(site=np.resize([*"xyz"], 240))
    (_, bars), (_, found), _ = drawn(data, raters=["rater 0", "rater 1"], by="site")
    assert found.frame["Group"].tolist() == ["x", "", "y", "", "z", ""]
    assert "Category, by site" in bars
    data = ratings(2, LONG).assign(site=np.resize([*"xyz"], 240))
    _, (_, found), _ = drawn(data, raters=["rater 0", "rater 1"], by="site")
    assert [*found.frame.columns] == ["Category", "Others who agree"]
    whole = data.kappa.categories(["rater 0", "rater 1"])["specific_agreement"]
    assert_allclose(found.frame["Others who agree"], whole)
    assert len(found.formulas) == len(found.frame) == 12
    _, (_, found), _ = drawn(data[data["site"] == "x"], raters=["rater 0", "rater 1"], by="site")
    assert "Group" not in found.frame


def test_a_crowd_shows_raters_and_no_thousands_of_pairs():
    made = ratings(45, [0, 1, 2]).kappa.report(crosscheck=False)
    pages = made.book.pages(made.headline, "brief")
    assert [one.name for one in pages][:5] == ["Cover", "Matrix", "All raters", "Raters", "Items"]
    assert pages[-1].title == "The 20 lowest and the 20 highest of 45 raters"
    full = [one.name for one in made.book.pages(made.headline, "full")]
    assert full.index("Pairs") > full.index("Items")


# --- cover and items ---------------------------------------------------------------------------


def test_items_on_which_all_agree_are_not_listed():
    data = pd.DataFrame({"ann": [1, 1, 2, 2, 1, 2], "bob": [1, 2, 2, 1, 1, 2]})
    items = data.kappa.report(crosscheck=False).tables["items"]
    assert sorted(items.index) == [1, 3]
    agreed = data.assign(bob=data["ann"]).kappa.report(crosscheck=False)
    assert len(agreed.tables["items"]) == 6
    for detail in ("brief", "full"):
        names = [one.name for one in agreed.book.pages(agreed.headline, detail)]
        assert ("Items" in names) == (detail == "full")
