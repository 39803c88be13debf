"""The workbook, read back with another package: values, types, looks, and failures."""

import datetime as dt
import io
import re
import sys
import zipfile
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from conftest import each
from pdkappa.errors import ExportError
from pdkappa.present import schema
from pdkappa.present.excel_writer import Sheet, sheet_names, workbook_bytes, write_workbook
from pdkappa.present.sheets import ILLEGAL

RATERS = ["human", "model 1", "model 2"]
MATRIX = pd.DataFrame([[1, 0.4, np.nan], [0.4, 1, -0.1], [np.nan, -0.1, 1]], RATERS, RATERS)
PAIRS = pd.DataFrame(
    [
        ["a", "b", 10, 0.8, 0.5, 0.6, 1 / 3, -0.05, 0.9, 1.8, 0.07, 0.95, 5.0, None, None],
        ["a", "c", 0, *[np.nan] * 10, "no_joint_items", None],
    ],
    columns=schema.PAIRS,
)
GROUPS = pd.DataFrame(
    {"n_items": [3, 4, 7], "estimate": [0.1, 0.2, 0.15]},
    pd.Index([1, 2, "fisher_mean"], name="essay_set"),
)
COUNTS = pd.DataFrame(
    [[5, 0, 5], [1, 4, 5], [6, 4, 10]],
    pd.Index([0, 1, "total"], name="human"),
    pd.Index([0, 1, "total"], name="machine"),
)
CHECKS = pd.DataFrame(
    {
        "statistic": ["cohen", "fleiss", "alpha"],
        "abs_difference": [1e-16, 0.02, None],
        "agrees": [True, False, pd.NA],
    }
)
NOTES = pd.DataFrame([["Options", ""], ["weights", "linear"], ["missing", "pairwise " * 30]])

SHEETS = (
    Sheet("pairwise", MATRIX, "Pairwise agreement", ("Grey: undefined.",), kind="matrix"),
    Sheet("pairs", PAIRS, "Pairs", ("A note.", "Another.")),
    Sheet("groups", GROUPS, "Groups", emphasis=("fisher_mean",)),
    Sheet("human x machine", COUNTS, "Counts", kind="confusion", emphasis=("total",)),
    Sheet("crosscheck", CHECKS, "Other packages"),
    Sheet("notes", NOTES, "Notes", kind="text"),
)


def read(*sheets):
    return openpyxl.load_workbook(io.BytesIO(workbook_bytes(sheets)))


def read_one(frame, kind="table", **options):
    """Read back a workbook of one sheet."""
    return read(Sheet("S", frame, "Title", kind=kind, **options)).worksheets[0]


@pytest.fixture(scope="module")
def book():
    return read(*SHEETS)


def test_pandas_reads_it_back():
    data = io.BytesIO(workbook_bytes(SHEETS))
    found = pd.read_excel(data, sheet_name="pairs", header=2, nrows=len(PAIRS))
    numbers = PAIRS.columns.drop(["reason", "remark"])
    pd.testing.assert_frame_equal(found[numbers], PAIRS[numbers], check_dtype=False)
    assert found["reason"].tolist()[1] == "no_joint_items"
    assert np.isnan(found["reason"].tolist()[0])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_any_number_keeps_all_its_digits(numbers):
    page = read_one(pd.DataFrame({"estimate": numbers}))
    assert [cell.value for cell in page["A"][3:]] == numbers


@given(
    st.lists(
        st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\r"),
            min_size=1,
            max_size=7,
        )
        .filter(lambda text: not ILLEGAL.search(text))
        .filter(lambda text: "x005F_" not in text)  # openpyxl drops it wherever it stands
        .filter(lambda text: text != "rater_a"),  # the other column of the table below
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_any_text_comes_back(labels):
    labels = pd.Index(labels, dtype=object)
    frame = pd.DataFrame(np.ones((len(labels), len(labels))), labels, labels)
    confusion = frame.rename_axis(index=labels[0], columns=labels[-1])
    pairs = pd.DataFrame({"rater_a": labels, labels[0]: labels})
    wanted = [f"{label} {number}" for number in range(3) for label in labels]
    sheets = [
        Sheet(wanted[0], frame, labels[0], tuple(labels), kind="matrix"),
        Sheet(wanted[1 % len(wanted)], confusion, labels[-1], kind="confusion"),
        Sheet(wanted[-1], pairs, "T"),
    ]
    book = read(*sheets)
    assert book.sheetnames == sheet_names([sheet.name for sheet in sheets])
    matrix, counts, table = book.worksheets
    n = len(labels)
    assert matrix["A1"].value == labels[0]
    assert [cell.value for cell in matrix["A"][3 : 3 + n]] == list(labels)
    assert [cell.value for cell in matrix[3][1 : n + 1]] == list(labels)
    assert [cell.value for cell in matrix["A"][-n:]] == list(labels)
    assert counts["A4"].value == f"Rows: {labels[0]}"
    assert counts["B3"].value == f"Columns: {labels[-1]}"
    assert [cell.value for cell in table["B"][2:]] == [labels[0], *labels]


LIVE = [
    "=1+1",
    '=HYPERLINK("http://a.b","x")',
    "{=1+1}",
    "+1",
    "-1",
    "@SUM(A1)",
    "http://a.b",
    "mailto:a@b.c",
    "internal:Sheet1!A1",
    "1",
    "1e5",
    "TRUE",
    "2024-01-01",
    "#N/A",
    "<r>",
    "<r></r>",
    "<r><t>x</t></r>",
    "<r><unclosed</r>",
    "&amp; <b> \" '",
    " spaces ",
    "nan",
    "NA",
]


@each("text", LIVE)
def test_text_stays_text(text):
    """As value, row label, column label, index name, title, note and name of the sheet."""
    frame = pd.DataFrame({text: [text]}, index=pd.Index([text], name=text))
    page = read(Sheet(text, frame, text, (text,))).worksheets[0]
    cells = [page[name] for name in ("A1", "A3", "B3", "A4", "B4", "A6")]
    assert [cell.value for cell in cells] == [text] * 6
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.hyperlink is None for cell in cells)
    assert page["B4"].number_format == "@", "typing into the cell must not bring it to life"


def strings_in(data):
    """Read the texts of a workbook by the letter of the format, escapes included."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        tree = ET.fromstring(archive.read("xl/sharedStrings.xml"))  # noqa: S314
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    return ["".join(decoded(part.text or "") for part in item.iter(f"{space}t")) for item in tree]


def decoded(text):
    return re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text)


@each("text", ["a\rb", "a\r\nb", "_x0041_", "_x005F_", "<r>_x0041_</r>"])
def test_escapes(text):
    assert text in strings_in(workbook_bytes([Sheet("S", pd.DataFrame({"x": [text]}), "T")]))


@each(
    ("value", "expected", "number_format"),
    [
        (2**53 + 1, "9007199254740993", "@"),
        (999_999_999_999_999, 999_999_999_999_999, "General"),
        (np.inf, "inf", "@"),
        (None, None, "General"),
        (pd.Timestamp("2024-02-29 13:30"), dt.datetime(2024, 2, 29, 13, 30), "yyyy-mm-dd hh:mm:ss"),  # noqa: DTZ001
        (dt.date(2024, 2, 29), dt.datetime(2024, 2, 29), "yyyy-mm-dd"),  # noqa: DTZ001
        (pd.Timestamp("2024-02-29", tz="UTC"), "2024-02-29T00:00:00+00:00", "@"),
        (True, "True", "@"),
        ("x" * 255, "x" * 255, "@"),
        ("x" * 256, "x" * 256, "General"),
    ],
)
def test_values_of_other_types(value, expected, number_format):
    cell = read_one(pd.DataFrame({"x": pd.Series([value], dtype=object)}))["A4"]
    assert cell.value == expected
    assert type(cell.value) is type(expected)
    assert cell.number_format == number_format


def test_integers_and_floats_keep_their_type():
    page = read_one(pd.DataFrame({"x": pd.Series([3, 3.0], dtype=object)}))
    assert [type(cell.value) for cell in page["A"][3:]] == [int, float]


def number_rules(page):
    """List the number formats that hold for values between two limits."""
    return [
        (area, *map(float, rule.formula), rule.dxf.numFmt.formatCode)
        for area, rule in rules_of(page)
        if rule.operator == "between"
    ]


def test_what_is_short_of_1_is_not_shown_as_1_nor_zero_with_a_sign():
    """A rule holds for a live number too, whatever becomes of it."""
    page = read_one(pd.DataFrame({"estimate": [0.99999999, -1e-7], "z": 1.0, "n_items": -1}))
    short = 1 - 1e-12
    assert number_rules(page) == [
        ("A4:A5", -0.0005, -1e-300, "0.000;0.000"),
        ("A4:A5", 0.9995, short, '">0.999"'),
        ("A4:A5", -short, -0.9995, '"";"<-0.999"'),
        ("B4:B5", -0.005, -1e-300, "0.00;0.00"),
    ]
    assert [page[f"A{row}"].number_format for row in (4, 5)] == ["0.000", "0.000"]
    assert [page[f"A{row}"].value for row in (4, 5)] == [0.99999999, -1e-7]


def rules_of(page):
    return [(str(area.sqref), rule) for area in page.conditional_formatting for rule in area.rules]


@each(("n_rows", "buttons"), [(20, None), (21, "A3:B24")])
def test_long_tables_have_filter_buttons(n_rows, buttons):
    page = read_one(pd.DataFrame({"rater_a": ["x"] * n_rows, "estimate": [0.5] * n_rows}))
    assert page.auto_filter.ref == buttons
    assert page.row_dimensions[3].height is None


def test_no_warning_triangles():
    sheet = Sheet("S", pd.DataFrame({"x": ["1", "2"]}), "T")
    with zipfile.ZipFile(io.BytesIO(workbook_bytes([sheet]))) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
    assert '<ignoredError sqref="A1:A5" numberStoredAsText="1"/>' in xml


def test_a_column_is_folded_where_all_tables_of_the_sheet_can_do_without():
    """The second table shows a category where the first has a count that few will read."""
    wide = pd.DataFrame({"x": [1], "n_ratings": [2], "se": [0.1]}, pd.Index(["ann"], name="rater"))
    keys = pd.MultiIndex.from_tuples([("ann", "c")], names=["rater", "category"])
    part = Sheet("", pd.DataFrame({"recall": [0.5]}, keys), "Part")
    page = read(Sheet("S", wide, "Title", parts=(part,), folded_columns=(0, 2))).worksheets[0]
    assert not page.column_dimensions["B"].hidden
    assert page.column_dimensions["D"].hidden


@pytest.mark.parametrize("n", range(3, 9))
def test_no_table_is_cut_in_print(n):
    """Pages of at most 33 rows across, of tables of many heights."""
    rows = [str(row) for row in range(n)]
    one = pd.DataFrame(0, pd.Index(rows, name="ann"), pd.Index(rows, name="bob"))
    parts = tuple(Sheet("", one, f"Table {k}", kind="confusion", folded=k > 9) for k in range(12))
    page = read(Sheet("S", MATRIX, "Title", kind="matrix", parts=parts)).worksheets[0]
    breaks = [one.id for one in page.row_breaks.brk]
    starts = [cell.row for cell in page["A"] if str(cell.value).startswith("Table ")][:10]
    assert {row + 1 for row in breaks} <= {*starts}
    most = 49 if page.page_setup.orientation == "portrait" else 33
    ends = [0, *breaks, starts[-1] + n + 3]
    assert breaks
    assert max(low - high for high, low in pairwise(ends)) <= most


@each("name", ["A1", "set1", "R1C1", "1", "it's", "2024", "x!y", "é", "a,b", "TRUE"])
def test_names_that_look_like_references(name):
    page = read(Sheet(name, pd.DataFrame({"x": [1]}), "T")).worksheets[0]
    assert page.title == name
    assert page.print_title_rows == "$1:$3"


@each("kind", ["table", "matrix", "confusion", "text"])
@each("frame", [pd.DataFrame(), pd.DataFrame({"agrees": []}), pd.DataFrame(index=[1])])
def test_empty_frames(frame, kind):
    assert read_one(frame, kind)["A1"].value == "Title"


def test_the_file_is_returned_and_alone(tmp_path):
    path = tmp_path / "agreement.xlsx"
    assert write_workbook(str(path), SHEETS) == path
    assert path.read_bytes() == workbook_bytes(SHEETS)
    assert list(tmp_path.iterdir()) == [path]


def test_no_sheet(refuses):
    with refuses():
        workbook_bytes([])


@each("name", ["a.xls", "a.csv", "a", "a.xlsx.bak"])
def test_other_formats_are_refused(name):
    with pytest.raises(ExportError) as caught:
        write_workbook(name, SHEETS)
    assert str(caught.value) == (
        f"The name of a workbook must end in '.xlsx', got '{name}'. "
        "For a text file, use the to_csv of a frame."
    )
    assert not Path(name).exists()


def test_a_missing_package(monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with refuses():
        workbook_bytes(SHEETS)


@pytest.fixture
def old(tmp_path):
    """Make a workbook that must survive every failure, alone in its folder."""
    path = tmp_path / "old.xlsx"
    path.write_bytes(b"old content")
    return path


def untouched(path):
    return path.read_bytes() == b"old content" and list(path.parent.iterdir()) == [path]


def test_overwrite_false_refuses_before_anything_is_built(old):
    def sheets():
        pytest.fail("no sheet should be asked for")
        yield

    with pytest.raises(FileExistsError):
        write_workbook(old, sheets(), overwrite=False)
    assert untouched(old)


def test_characters_that_no_workbook_can_hold_are_written_as_codes():
    index = pd.Index(["\ud800"], dtype=object)
    frame = pd.DataFrame({"a\x01": ["\x1b[31mred"]}, index=index)
    page = read(Sheet("S\x00", frame, "T\x0c", index=True, notes=("\uffff",)))["S_"]
    found = [cell.value for row in page.iter_rows() for cell in row if cell.value is not None]
    assert found == [r"T\x0c", r"a\x01", r"\ud800", r"\x1b[31mred", r"\uffff"]


def test_a_text_that_fits_no_cell_is_found_before_the_first_byte(old, monkeypatch):
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("no file should be opened"))
    bad = Sheet("bad", pd.DataFrame({"rater_a": ["x" * 32_768]}), "T")
    with pytest.raises(ExportError):
        write_workbook(old, [*SHEETS, bad])
    monkeypatch.undo()
    assert untouched(old)


METHODS = [
    *((Worksheet, name) for name in vars(Worksheet) if name.startswith(("write_", "set_"))),
    (Worksheet, "conditional_format"),
    (Worksheet, "fit_to_pages"),
    (Workbook, "add_worksheet"),
    (Workbook, "add_format"),
    (Workbook, "close"),
    (zipfile.ZipFile, "writestr"),
]


@pytest.mark.parametrize(
    ("failure", "n"),
    [
        *((OSError("disk"), n) for n in (0, 1, 7)),
        *((failure, n) for n, failure in enumerate((KeyboardInterrupt(), MemoryError()))),
    ],
    ids=repr,
)
def test_any_call_may_fail_and_the_old_file_stays(old, monkeypatch, failure, n):
    """The n-th call of every method of the writer fails in turn."""
    for owner, name in METHODS:
        calls = iter(range(1000))
        real = getattr(owner, name)

        def fail(*args, calls=calls, real=real, **options):
            if next(calls) == n:
                raise failure
            return real(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            caught = None
            try:
                write_workbook(old, SHEETS)
            except BaseException as error:  # noqa: BLE001 - an interrupt as well
                caught = error
        if next(calls) > n:  # the writer may wrap an OSError in an error of its own
            assert failure in {caught, caught.__context__}, name
            assert untouched(old), name
        else:
            assert caught is None, name
            old.write_bytes(b"old content")
