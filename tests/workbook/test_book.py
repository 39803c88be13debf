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
from pdkappa.errors import OptionError

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
        *("Cover", "Matrix", "Groups", "Raters", "Items", "Counts", "Notes", "Chart data")
    ]
    assert [page.title for page in book if page.sheet_state == "hidden"] == ["Chart data"]
    memory = io.BytesIO()
    report.to_excel(memory, detail="full")
    names = openpyxl.load_workbook(memory).sheetnames
    assert names[:5] == book.sheetnames[:5]
    assert {"Pairs", "All raters", "Means", "Categories", "1 human_1 x human_2"} <= {*names[5:-2]}


def test_a_detail_that_is_not_known(report):
    message = "detail='short' is not known. Choose one of: 'brief', 'full'."
    for write in (report.to_excel, ESSAYS.kappa.to_excel):
        with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
            write(io.BytesIO(), detail="short")


def test_the_cover(book, report):
    page = book["Cover"]
    texts = [cell.value for cell in page["A"] if cell.value is not None]
    assert texts[0] == "Agreement of human_1, human_2 and machine"
    assert page["A3"].value.startswith("=D")
    assert page["A3"].font.sz == 28
    for sentence in report.headline.sentences:
        assert sentence.split()[0] in " ".join(map(str, texts))
    facts = {row[0].value: row[1].value for row in page.iter_rows() if row[0].value}
    assert facts["Categories"].startswith("Essay set 1: 3 to 12; 2: 1 to 6; 3: 0 to 3; ")
    assert "more" not in facts["Categories"]
    row = next(row for row in page.iter_rows(values_only=True) if row[0] == "Result")
    assert row[2:6] == ("Items", "Estimate", "Lower limit", "Upper limit")


def test_headings_are_words_and_the_notes_name_their_columns(book):
    headings = {cell.value for name in ("Groups", "Raters", "Items") for cell in book[name][3]} - {
        None,
        *RATERS,
    }
    assert {"Essay set", "Observed agreement", "First rater"} <= headings
    assert not [one for one in headings if "_" in one or one[0].islower()] or headings >= {"p"}
    notes = {row[0]: row[1] for row in book["Notes"].iter_rows(values_only=True) if row[0]}
    assert notes["Observed agreement"].startswith("observed_agreement: ")
    for page in book:
        assert not [
            n for n, row in page.row_dimensions.items() if n == 3 and (row.height or 0) > 39
        ]


def test_columns_of_a_grid_are_even_and_the_diagonal_is_grey(book):
    page = book["Matrix"]
    assert page.column_dimensions["C"].max == 5  # C to E at once
    assert page["C4"].value is None
    assert page["C4"].fill.fgColor.rgb == page["D5"].fill.fgColor.rgb == "FFD9D9D9"
    assert page["D4"].fill.fill_type is None


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


def test_many_groups_and_many_raters_have_charts_that_can_be_read():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 600)
    data = pd.DataFrame(
        {
            f"rater {n}": np.where(rng.random(600) < 0.7, true, rng.integers(0, 3, 600))
            for n in range(10)
        }
    ).assign(site=np.arange(600) // 10)
    two = data.kappa.report(["rater 0", "rater 1"], by="site", crosscheck=False, drilldown=False)
    ten = data.kappa.report([f"rater {n}" for n in range(10)], crosscheck=False)
    for made, n_rows, title in (
        (two, 40 + 1, "The 40 of 60 groups with most items, and the mean"),
        (ten, 10, "Each rater with all others"),
    ):
        [data] = [one for one in made.book.pages(made.headline, "brief") if one.hidden]
        assert len(data.frame) <= n_rows
        assert data.title == title


def test_the_frame_of_pairs_is_that_of_each_pair():
    result = ESSAYS.kappa.grouped(pairs=[RATERS[:2], RATERS[1:]], by="essay_set")
    frame = result.to_frame()
    assert frame["n_items"].iloc[-1] == len(ESSAYS)
    each = pd.concat([one.to_frame() for one in result.results.values()])
    assert_allclose(
        frame.iloc[:-1][["n_items", "estimate", "weight", "fisher_z"]].astype(float).to_numpy(),
        each[["n_items", "estimate", "weight", "fisher_z"]].astype(float).to_numpy(),
    )
    assert [label[-1] for label in frame.index[:-1]] == [*each.index]


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
        assert not {"Raters", "Categories", "Items", "Machines"} & sheets.keys()
        for name, columns in sheets.items():
            known = {"se", "ci_low", "ci_high", "z", "p_value", "interpretation", "reading"}
            assert not known & {*columns}, name
    for words in (
        "Standard errors, limits, z, p, words, fixed and random means",
        "Items do not change",
    ):
        assert words in stays
    summary = made.book.summary
    unweighted = summary.frame["weights"].tolist().index("unweighted")
    assert not [row for row, _ in summary.formulas if row in {0, 1, 2, unweighted}]
    assert (3, summary.frame.columns.tolist().index("estimate")) in summary.formulas
