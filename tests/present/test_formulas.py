"""Formulas and links in a workbook: what stands in the cells, by the letter of the file."""

import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd

from conftest import each
from pdkappa.present.excel_grids import LONGEST, written
from pdkappa.present.excel_writer import Sheet, workbook_bytes
from pdkappa.present.sheets import CellRange, Formula, over, same_as

COUNTS = pd.DataFrame([[5, 1], [2, 4]], index=["x", "y"], columns=["x", "y"])
KEY = ("table", 0)
TOTAL = over("SUM", [CellRange(KEY, (0, 1), (0, 1))])


def read(*sheets, values=False, **options):
    data = io.BytesIO(workbook_bytes(sheets, **options))
    return openpyxl.load_workbook(data, data_only=values)


def counts(name="counts", **options):
    return Sheet(name, COUNTS, "Counts", key=KEY, **options)


def total(formula=TOTAL, value=12.0, **options):
    frame = pd.DataFrame({"label": ["all"], "n_items": [value]})
    return Sheet("total", frame, "Total", formulas={(0, 1): formula}, **options)


def test_a_formula_has_its_value_beside_it():
    assert read(total(), counts())["total"]["B4"].value == "=SUM('counts'!B4:C5)"
    assert read(total(), counts(), values=True)["total"]["B4"].value == 12


def test_an_undefined_value_is_an_empty_text():
    page = read(total(value=np.nan), counts())["total"]
    assert page["B4"].value == "=SUM('counts'!B4:C5)"
    assert read(total(value=np.nan), counts(), values=True)["total"]["B4"].value is None


@each("name", ["O'Brien x b", "=1+1", "a!b", "2024", "A1", "[a]", "x" * 40, "é 作文", "FILTER(x)"])
def test_names_of_sheets_are_quoted(name):
    book = read(total(), counts(name, links={(0, 0): "total"}))
    page = book.worksheets[1]
    wanted = page.title.replace("'", "''")
    assert book["total"]["B4"].value == f"=SUM('{wanted}'!B4:C5)"
    assert page["B4"].hyperlink.location == "'total'!A1"


def test_references_go_to_the_sheet_that_got_the_name():
    """Of two sheets of one name the second is numbered; keys tell them apart."""
    other = Sheet("counts", COUNTS * 2, "Twice")
    page = read(other, counts(), total())["total"]
    assert page["B4"].value == "=SUM('counts (2)'!B4:C5)"


def test_references_within_a_sheet_and_to_its_parts():
    part = Sheet("part", COUNTS, "Part", kind="confusion", formulas={(1, 1): TOTAL})
    below = Formula("{part}*2", {"part": CellRange(KEY, (1, 1), (0, 0), part=1)})
    page = read(counts(parts=(part,), formulas={(0, 0): below}))["counts"]
    assert page["A7"].value == "Part"
    assert [page.cell(row, 1).value for row in (10, 11, 12)] == ["Rows", "x", "y"]
    assert page["B4"].value == "=B12*2"
    assert page["C12"].value == "=SUM(B4:C5)"


def test_a_formula_that_is_too_long_is_a_value():
    many = over("SUM", [CellRange(KEY, (0, 0), (0, 0))] * (LONGEST // len("'counts'!B4,") + 1))
    assert read(total(many), counts())["total"]["B4"].value == 12
    few = over("SUM", [CellRange(KEY, (0, 0), (0, 0))] * 600)
    assert len(read(total(few), counts())["total"]["B4"].value) == 600 * len("'counts'!B4,") + 5


def test_the_longest_formula():
    assert len(written(Formula("x" * (LONGEST - 1), {}), {}, "")) == LONGEST
    assert written(Formula("x" * LONGEST, {}), {}, "") is None


def test_links_keep_what_the_cell_holds():
    frame = pd.DataFrame({"name": ["go"], "estimate": [0.25], "se": [np.nan]})
    links = {(0, column): KEY for column in range(3)}
    formula = {(0, 1): same_as(CellRange(KEY, (0, 0), (0, 0)))}
    page = read(Sheet("S", frame, "T", links=links, formulas=formula), counts())["S"]
    assert [cell.value for cell in page[4]] == ["go", "='counts'!B4", None]
    assert [cell.hyperlink and cell.hyperlink.location for cell in page[4]] == [
        "'counts'!A1",
        "'counts'!A1",
        None,
    ], "an empty cell leads nowhere"
    assert (page["A4"].font.u, page["A4"].font.color.rgb) == ("single", "FF0563C1")
    assert page["B4"].font.u is None


def test_excel_has_no_doubts_about_sums():
    data = workbook_bytes([total(), counts()])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = [archive.read(f"xl/worksheets/sheet{number}.xml").decode() for number in (1, 2)]
    assert 'formula="1"' in xml[0]
    assert 'formulaRange="1"' in xml[0]
    assert 'formulaRange="1"' not in xml[1]
