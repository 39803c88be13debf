"""Files that are broken, by every reader: an error that names the file, or right numbers."""

import gzip
import importlib
import io
import os
import random
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import MESSAGES, each, exactly
from pdkappa.cli import main
from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
)
from pdkappa.sources.file_formats import MISSING_WORDS
from pdkappa.sources.scan_files import read_whole

FRAME = pd.DataFrame(
    {"ann": [1, 2, 3, 4, 3, 1], "bob": [2, 2, 3, 4, 3, 1], "eve": [1, 2, 4, 4, 3, 2]}
)
ROWS = FRAME.to_csv(index=False).splitlines()[1:]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Go to an empty folder."""
    monkeypatch.chdir(tmp_path)


def write(name, content):
    """Write a file as it is."""
    data = content.encode() if isinstance(content, str) else content
    with open(name, "wb") as file:  # noqa: PTH123
        file.write(gzip.compress(data) if name.endswith(".gz") else data)


def scanned(name):
    """Read a file in batches."""
    ratings = pdkappa.scan(name, batch_rows=2)
    return ratings.source.gather(ratings.source.columns)


READERS = {"whole": lambda name: read_whole(Path(name)), "scan": scanned}


@pytest.fixture(params=READERS)
def reader(request):
    """Return what reads a file: the command line's way, or that of `scan`."""
    return READERS[request.param]


def score(capsys, solution, submission):
    """Score a submission; return what is told on the error stream."""
    write("solution.csv", solution)
    write("submission.csv", submission)
    status = main(["score", "solution.csv", "submission.csv", "--by", "set", "--id", "id"])
    return status, capsys.readouterr().err


WIDE = "Name all columns, that of row names too, and quote text that holds ','."
TABLES = {
    "row names": "ann,bob,eve\n" + "\n".join(f"{at},{row}" for at, row in enumerate(ROWS)),
    "row names below a header of two lines": 'ann,"bob\nsmith"\n\n1,2,3\n',
    "some rows end in a comma": "ann,bob,eve\n1,2,1,\n2,2,2\n",
    "some rows have more": "ann,bob,eve\n1,2,1,\n2,2,2,9\n",
    "two commas": "ann,bob\n1,2,,\n2,2,,\n",
    "a later row": "ann,bob\n1,2\n2,2,3\n",
    "a name that is there twice": "ann,bob,ann\n1,2,3\n",
    "values without a name": "ann,bob,\n1,2,\n2,2,7\n",
    "UTF-16": "ann,bob\n1,2\n".encode("utf-16-le"),
    "semicolons": "ann;bob\n1,5;2,5\n",
    "names again": 'item,ann,2\n"a\nb",1,2\n\nc,2,2\nitem,ann,2\nd,1\n',
}


@each("name", TABLES)
@each("file", ["r.csv", "r.csv.gz"])
def test_a_table_that_would_be_misread_is_refused(name, file, reader, capsys):
    write(file, TABLES[name])
    error, message = MESSAGES["misread"][name]
    message = message.replace("'r.csv'", repr(file))
    with pytest.raises(KappaError) as caught:
        reader(file)
    assert str(caught.value) == message
    assert type(caught.value).__name__ == error
    assert main([file]) == 2
    assert capsys.readouterr() == ("", f"pdkappa: {message}\n")


def test_judges_may_be_labels(reader):
    write("r.csv", "gpt,eve\ngpt,eve\neve,eve\n")
    assert reader("r.csv")["gpt"].tolist() == ["gpt", "eve"]
    write("r.csv", "gpt,2\ngpt,3\neve,2\n")
    assert len(reader("r.csv")) == 2
    write("r.csv", "gpt,eve\neve,eve\neve,eve\ngpt,eve\n")  # also if a batch does not show it
    assert pdkappa.scan("r.csv", batch_rows=1).pairs()["n_items"].item() == 3


@pytest.mark.needs("openpyxl")
def test_names_again_in_a_workbook(tmp_path):
    pd.DataFrame({"ann": [1, 2, "ann", 1], "bob": [2, 2, "bob", 1]}).to_excel("r.xlsx", index=False)
    message = MESSAGES["misread"]["names again"][1]
    with pytest.raises(
        RatingsError, match=exactly(message.replace("Line 6", "Row 4").replace("r.csv", "r.xlsx"))
    ):
        read_whole(tmp_path / "r.xlsx")


SOLUTION = "id,set,truth\n1,x,1\n2,x,2\n3,x,3\n4,x,4\n"


def test_the_scorer_joins_on_no_shifted_column(capsys):
    """Ids would be those of the row names, which are ids as well."""
    good = "id,guess\n1,1\n2,2\n3,3\n4,4\n"
    assert score(capsys, SOLUTION, good)[0] == 0
    shifted = "id,guess\n1,4,1\n2,3,2\n3,2,3\n4,1,4\n"
    told = (
        f"Line 2 of 'submission.csv' has 3 fields, but its first row names 2: 'id', 'guess'. {WIDE}"
    )
    assert score(capsys, SOLUTION, shifted) == (2, f"pdkappa: {told}\n")
    shifted = "id,set,truth\n1,4,x,1\n2,3,x,2\n"
    told = (
        "Line 2 of 'solution.csv' has 4 fields, but its first row names 3: 'id', 'set', 'truth'. "
        f"{WIDE}"
    )
    assert score(capsys, shifted, good) == (2, f"pdkappa: {told}\n")


@pytest.mark.parametrize(
    "read",
    [
        lambda: pdkappa.tools.from_label_studio("r.csv", "mood"),
        lambda: pdkappa.tools.from_mturk("r.csv", "mood"),
        lambda: pdkappa.tools.from_doccano(["r.csv"]),
    ],
)
def test_no_table_of_a_tool_is_shifted(read):
    write("r.csv", "id,annotator,mood\n7,1,ann,good\n8,2,bob,good\n")
    with pytest.raises(RatingsError, match=r"^Line 2 of 'r\.csv' has 4 fields, but its first"):
        read()


HARMLESS = {
    "as it is": ["ann,bob,eve", *ROWS],
    "commas behind rows": ["ann,bob,eve", *(f"{row}," for row in ROWS)],
    "commas behind all": ["ann,bob,eve,", *(f"{row}," for row in ROWS)],
    "commas behind the header": ["ann,bob,eve,", *ROWS],
    "two commas behind all": ["ann,bob,eve,,", *(f"{row},," for row in ROWS)],
    "blank lines": ["", "ann,bob,eve", "", *ROWS, "", ""],
    "a byte order mark": ["\ufeffann,bob,eve", *ROWS],
    "a byte order mark, and commas": ['\ufeff"ann",bob,eve', *(f"{row}," for row in ROWS)],
    "quotes": ['"ann","bob","eve"', *ROWS],
}


@each("name", HARMLESS)
@each("end", ["\n", "\r\n"])
@each("file", ["r.csv", "r.tsv", "r.txt", "r.csv.gz", "r.tsv.gz"])
def test_what_is_harmless_is_read(name, end, file, reader):
    lines = HARMLESS[name]
    if not file.startswith("r.csv"):
        lines = [line.replace(",", "\t") for line in lines]
    write(file, end.join(lines) + end)
    assert_frame_equal(reader(file), FRAME)


@pytest.mark.needs("openpyxl")
@each("first", [0, 1])
def test_row_numbers_are_no_rater(first):
    """As pandas and R write them, without a name; other values may be anything."""
    numbered = FRAME.set_axis(range(first, first + len(FRAME)))
    for name, write_it in {"r.csv": numbered.to_csv, "r.xlsx": numbered.to_excel}.items():
        write_it(name)
        assert_frame_equal(read_whole(Path(name)), FRAME)
        write_it(name, header=["x", "y", "z"], index_label="ann")
        assert read_whole(Path(name)).columns.tolist() == ["ann", "x", "y", "z"]
    FRAME.set_axis([7, 3, 1, 2, 9, 8]).to_csv("r.csv")
    assert read_whole(Path("r.csv")).shape == (6, 4)


def test_words_for_missing_values_are_those_of_pandas():
    from pandas._libs.parsers import STR_NA_VALUES

    assert {"", *MISSING_WORDS} == STR_NA_VALUES


def test_text_in_quotes_may_hold_anything(reader):
    texts = ["a, b", 'say "so"', "two\nlines", "\u2028", "\x85", "é"]
    frame = FRAME.assign(**{"my, text": texts})[["my, text", *FRAME]]
    frame.to_csv("r.csv", index=False)
    assert_frame_equal(reader("r.csv"), frame)


def test_a_long_column_is_of_one_kind(reader):
    """Pandas reads a part at a time, and might take the first for numbers and others for text."""
    rows = ["1,1"] * 200_000 + ["x,1"]
    write("r.csv", "ann,bob\n" + "\n".join(rows))
    if reader is scanned:
        frame = pdkappa.scan("r.csv", batch_rows=1 << 18).source.gather(["ann", "bob"])
    else:
        frame = reader("r.csv")
    assert set(frame["ann"]) == {"1", "x"}


@pytest.mark.needs("openpyxl")
def test_cells_of_a_workbook_without_a_value(tmp_path):
    """Names that are numbers are text, as they are typed; a formula is unknown until calculated."""
    rows = [(1, 2.0, "3"), ("#DIV/0!", 1, 1), (2, None, "=A3"), (1, 1, 2)]
    pd.DataFrame(rows).to_excel("r.xlsx", index=False, header=False, engine="openpyxl")
    message = (
        "2 cells of 'r.xlsx' hold no value: 'A2 (#DIV/0!)', 'C3 (a formula without a result)'. "
        "Ratings there are missing. Mend the formulas, split merged cells, and save the file in a "
        "spreadsheet program."
    )
    with pytest.warns(LeftOutWarning, match=exactly(message)):
        found = read_whole(tmp_path / "r.xlsx")
    expected = {"1": [np.nan, 2, 1], "2": [1, np.nan, 1], "3": [1, np.nan, 2]}
    assert_frame_equal(found, pd.DataFrame(expected))


@pytest.mark.needs("openpyxl")
def test_merged_cells_and_a_hidden_sheet(tmp_path):
    """A spreadsheet program shows one value for all, and nothing of the sheet."""
    openpyxl = importlib.import_module("openpyxl")
    book = openpyxl.Workbook()
    for row in (("ann", "bob"), (1, 1), (2, 2), (3, 1)):
        book.active.append(row)
    for cells in ("B3:B4", "A2:A3", "A1:A1"):
        book.active.merge_cells(cells)
    book.save(tmp_path / "r.xlsx")
    message = (
        "2 cells of 'r.xlsx' hold no value: 'A3 (merged with another)', 'B4 (merged with another)'"
        ". Ratings there are missing. Mend the formulas, split merged cells, and save the file in "
        "a spreadsheet program."
    )
    with pytest.warns(LeftOutWarning, match=exactly(message)):
        found = read_whole(tmp_path / "r.xlsx")
    assert_frame_equal(found, pd.DataFrame({"ann": [1, np.nan, 3], "bob": [1, 2, np.nan]}))
    book.create_sheet("old", 0).sheet_state = "hidden"
    book.active = 1
    book.save(tmp_path / "r.xlsx")
    message = (
        "The first sheet of 'r.xlsx', 'old', is hidden. Show it, or move the sheet of the ratings "
        "to the front."
    )
    with pytest.raises(RatingsError, match=exactly(message)):
        read_whole(tmp_path / "r.xlsx")


@pytest.mark.needs("openpyxl")
@each("more", [["May"], ["May", "June"], []])
def test_more_sheets_of_the_same_columns_are_warned_of(more, tmp_path):
    with pd.ExcelWriter(tmp_path / "r.xlsx") as book:
        for name in ("April", *more):
            FRAME.to_excel(book, sheet_name=name, index=False)
        FRAME.iloc[:, :1].to_excel(book, sheet_name="Notes", index=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_whole(tmp_path / "r.xlsx")
    one = (
        "Only the first sheet of 'r.xlsx', 'April', is read: 'May' has the same columns. Put all "
        "ratings on one sheet."
    )
    two = one.replace("'May' has", "'May', 'June' have")
    told = {0: [], 1: [one], 2: [two]}[len(more)]
    assert [str(one.message) for one in caught] == told


@pytest.mark.needs("openpyxl")
@each("above", [(), ("Scores of 2024",)])
def test_the_first_sheet_is_that_of_the_ratings(above, tmp_path):
    with pd.ExcelWriter(tmp_path / "r.xlsx") as book:
        pd.DataFrame(columns=above).to_excel(book, sheet_name="Notes", index=False)
        FRAME.to_excel(book, sheet_name="Data", index=False)
    message = (
        "The first sheet of 'r.xlsx', 'Notes', which alone is read, has fewer than two columns. "
        "Move the sheet of the ratings to the front."
    )
    with pytest.raises(RatingsError, match=exactly(message)):
        read_whole(tmp_path / "r.xlsx")


@pytest.mark.needs("openpyxl")
def test_a_workbook_names_its_columns(capsys):
    for header, message in {
        ("ann", "bob", "ann"): MESSAGES["misread"]["a name that is there twice"][1],
        (
            "ann",
            "bob",
            None,
        ): "Column 3 of 'r.xlsx' has values and no name. Name it in the first row.",
    }.items():
        pd.DataFrame([header, (1, 2, 3)]).to_excel("r.xlsx", index=False, header=False)
        assert main(["r.xlsx"]) == 2
        assert capsys.readouterr().err == f"pdkappa: {message.replace('r.csv', 'r.xlsx')}\n"
    rows = [("ann", "bob", "eve", None), *FRAME.assign(empty=None).to_numpy().tolist()]
    pd.DataFrame(rows).to_excel("r.xlsx", index=False, header=False)
    assert_frame_equal(read_whole(Path("r.xlsx")), FRAME)


@each("file", ["r.jsonl", "r.ndjson", "r.jsonl.gz"])
def test_json_lines_end_at_the_end_of_a_line(file, reader):
    """Not at U+2028, U+2029 or U+0085, which are text."""
    frame = FRAME.assign(text=["a\u2028b", "c\u2029", "\x85", "\x1c", "\x0b", "é"])
    data = frame.to_json(orient="records", lines=True, force_ascii=False)
    write(file, data.replace("\\u2028", "\u2028").replace("\\u2029", "\u2029"))
    assert_frame_equal(reader(file), frame)


def test_fields_may_be_absent(reader):
    write("r.jsonl", '{"ann": 1}\n\n{"bob": 2, "ann": 2}\n{"eve": null, "bob": 3}\n')
    expected = pd.DataFrame({"ann": [1, 2, np.nan], "bob": [np.nan, 2, 3], "eve": [None] * 3})
    assert_frame_equal(reader("r.jsonl").astype(float), expected.astype(float))


def test_numbers_and_text_in_json_are_not_alike(reader):
    write("r.jsonl", '{"ann": 1, "bob": "1"}\n' * 3 + '{"ann": "x", "bob": "x"}\n')
    assert reader("r.jsonl")["ann"].tolist() == [1, 1, 1, "x"]
    assert reader("r.jsonl")["bob"].tolist() == ["1", "1", "1", "x"]


LINES = {
    "scalar": ('{"ann": 1}\n5\n', "'r.jsonl' must hold records, got 5 in line 2. "),
    "list": ("\n[1, 2]\n", None),
    "text": ('"ann"\n', "'r.jsonl' must hold records, got 'ann' in line 1. "),
    "broken": (
        '{"ann": 1}\n{"ann"\n',
        (
            "'r.jsonl' is neither a list in JSON nor JSON lines: Expecting ':' delimiter in line "
            "2, column 7. "
        ),
    ),
}


@each("name", LINES)
def test_a_line_without_a_record_is_named(name, reader):
    content, message = LINES[name]
    write("r.jsonl", content)
    with pytest.raises(RatingsError) as caught:
        reader("r.jsonl")
    if message is not None:
        assert str(caught.value) == f"{message}Pass the file as it was exported."


OF_COLUMNS = {"list": '{"ann": [1, 2, 3], "bob": [1, 2, 2]}'} | {
    orient: FRAME.to_json(orient=orient) for orient in ("columns", "index", "split", "table")
}


@each("orient", OF_COLUMNS)
def test_columns_in_json_are_no_record(orient):
    write("r.json", OF_COLUMNS[orient])
    message = (
        "'r.json' holds columns, or records in a field, where it must hold a record for each item. "
        "Write them as with df.to_json(path, orient='records')."
    )
    with pytest.raises(RatingsError, match=exactly(message)):
        read_whole(Path("r.json"))


def test_a_record_has_a_field_once(reader):
    record = '{"ann": 1, "bob": 2, "ann": 2}'
    told = (
        "Line 2 of 'r.jsonl' holds the field 'ann' more than once. Give each field a name of its "
        "own."
    )
    write("r.jsonl", f'{{"ann": 1, "bob": 1}}\n{record}\n')
    with pytest.raises(DuplicateRatingError, match=exactly(told)):
        reader("r.jsonl")
    write("r.json", f"[{{}},\n{record}]")
    in_whole = told.replace("Line 2", "Record 2").replace("jsonl", "json")
    with pytest.raises(DuplicateRatingError, match=exactly(in_whole)):
        read_whole(Path("r.json"))
    write("r.jsonl", '{"ann": 1, "bob": 1, "log": {"k": 1, "k": 2}}\n{"ann": 2, "bob": 2}\n')
    assert reader("r.jsonl")["ann"].tolist() == [1, 2]  # what no column holds may be anything


def as_bytes(kind):
    """Write a good file of a kind; return what it holds."""
    name = f"good.{kind}"
    writers = {
        "csv": lambda: FRAME.to_csv(name, index=False),
        "tsv": lambda: FRAME.to_csv(name, index=False, sep="\t"),
        "csv.gz": lambda: FRAME.to_csv(name, index=False),
        "jsonl": lambda: FRAME.to_json(name, orient="records", lines=True),
        "jsonl.gz": lambda: FRAME.to_json(name, orient="records", lines=True),
        "json": lambda: FRAME.to_json(name, orient="records"),
        "parquet": lambda: FRAME.to_parquet(name),
        "feather": lambda: FRAME.to_feather(name),
        "arrow": lambda: FRAME.to_feather(name),
        "xlsx": lambda: FRAME.to_excel(name, index=False),
    }
    writers[kind]()
    with open(name, "rb") as file:  # noqa: PTH123
        return file.read()


def without(data, part):
    """Leave one file out of a zip archive."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return b""
    new = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(new, "w") as kept:
        names = old.namelist()
        for name in names:
            if name != names[int(part * len(names))]:
                kept.writestr(name, old.read(name))
    return new.getvalue()


FAULTS = {
    "empty": lambda _, __: b"",
    "a line": lambda _, __: b"\n",
    "cut": lambda data, chance: data[: chance.randrange(len(data))],
    "cut in front": lambda data, chance: data[chance.randrange(len(data)) :],
    "garbage": lambda _, chance: chance.randbytes(chance.randrange(2000)),
    "zeros": lambda _, chance: bytes(chance.randrange(1, 300)),
    "twice": lambda data, _: data + data,
    "UTF-16": lambda data, _: data.decode("latin-1").encode("utf-16"),
    "a part less": lambda data, chance: without(data, chance.random()),
    "another kind": lambda _, chance: chance.choice(OTHERS),
}
OTHERS = [
    b"PK\x03\x04",
    b"PAR1PAR1",
    b"ARROW1\0\0",
    b"\x1f\x8b\x08\x00",
    b"[" * 100_000,
    b"[[1, 2], [3]]",
    b'[{"ann": 1}, 7, null]',
    b'{"ann": {"a": [1]}, "bob": [[2]]}\n',
    b'{"ann": ' + b"9" * 5000 + b"}\n",
    b'{"ann": 1e999, "bob": NaN}\n{"ann": -1e999, "bob": 2}',
    b'{"ann": true, "bob": "x"}\n{"ann": 1, "bob": 2}',
    b'{"": 1, "bob": 2}\n',
    b"ann,bob\n1e999,2\n",
    b'"ann,bob\n',
    b"ann\0bob,x\n1,2\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b",,,\n,,,\n",
    b"a,b,a\n",
    b"a\ta\n1\t2\t3\n",
    "a,b\nx\u2028,y\n".encode(),
    b"\r\r\r",
    b'{"a": "\\ud800", "b": "x"}\n',
]


def flipped(data, chance):
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 3, 30])):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


FAULTS["flipped"] = flipped
KINDS = ["csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "json", "parquet", "feather", "arrow", "xlsx"]


@pytest.mark.needs("pyarrow")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_only_our_errors_come_from_broken_files(kind, capsys):
    """Of 6 broken files for each fault; what is read nevertheless is a frame."""
    n_files = 3 if kind in ("tsv", "csv.gz", "jsonl.gz") else 6  # which others read
    good, chance = as_bytes(kind), random.Random(f"faults of {kind}")  # noqa: S311
    name = f"bad.{kind}"
    for fault, damage in FAULTS.items():
        for _ in range(1 if fault in ("empty", "a line") else n_files):
            with open(name, "wb") as file:  # noqa: PTH123
                file.write(content := damage(good, chance))
            for way in (lambda: pdkappa.scan(name).pairs(), lambda: main([name])):
                try:
                    way()
                except KappaError:
                    pass
                except BaseException as error:
                    error.add_note(f"{fault}: {content[:300]!r}")
                    raise
    capsys.readouterr()


@each("kind", KINDS)
def test_a_folder_and_an_absent_file_are_those_of_the_system(kind, capsys):
    os.mkdir(f"folder.{kind}")  # noqa: PTH102
    for name in (f"folder.{kind}", f"absent.{kind}"):
        assert main([name]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        try:
            pdkappa.scan(name)
        except (KappaError, OSError):
            continue
        pytest.fail(name)


NO_PATH = (
    "path must name a file, got <open file> (its type). Write what is not in a file yet to one."
)
READ = {
    "scan": (pdkappa.scan, "paths must be a path or a list of them, got <open file> (its type)."),
    "Label Studio": (lambda path: pdkappa.tools.from_label_studio(path, "mood"), NO_PATH),
    "Prodigy": (pdkappa.tools.from_prodigy, NO_PATH),
    "doccano": (pdkappa.tools.from_doccano, NO_PATH),
    "Argilla": (
        lambda path: pdkappa.tools.from_argilla(path, "mood"),
        "records must be a path or a list of dicts, got <open file>.",
    ),
    "Mechanical Turk": (lambda path: pdkappa.tools.from_mturk(path, "mood"), NO_PATH),
    "Inspect AI": (pdkappa.tools.from_inspect, NO_PATH),
    "promptfoo": (pdkappa.tools.from_promptfoo, NO_PATH),
    "DeepEval": (pdkappa.tools.from_deepeval, NO_PATH),
    "lm-evaluation-harness": (pdkappa.tools.from_lm_eval, NO_PATH),
    "records": (
        lambda path: pdkappa.from_records(path, "judge.label"),
        "records must be a path or a list of dicts, got <open file>.",
    ),
}


@each("name", READ)
def test_an_open_file_is_no_path(name):
    write("r.csv", "ann,bob\n1,2\n")
    read, message = READ[name]
    with open("r.csv", "rb") as file:  # noqa: PTH123
        for given in (io.BytesIO(b"ann,bob\n1,2\n"), io.StringIO("ann,bob\n"), file):
            with pytest.raises(OptionError) as caught:
                read(given)
            told = re.sub(r"<_io.*?>", "<open file>", str(caught.value))
            assert re.sub(r" \(\w+\)", " (its type)", told) == message


def big(n):
    """Return a table of n rows."""
    return "ann,bob\n" + "1,2\n2,2\n" * (n // 2)


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("change", ["shrinks", "grows", "is written anew"])
def test_a_file_that_changes_between_passes_is_refused(kind, change):
    name = f"r.{kind}"
    old, new = as_bytes(kind), pd.concat([FRAME] * 9)
    if change == "shrinks":
        new = FRAME[:2]
    write(name, old)
    ratings = pdkappa.scan(name)
    ratings.pairs()
    if change == "is written anew":
        write(name, old)
        os.utime(name, ns=(1, 1))
    elif kind == "csv":
        new.to_csv(name, index=False)
    elif kind == "jsonl":
        new.to_json(name, orient="records", lines=True)
    else:
        new.to_parquet(name)
    size = os.stat(name).st_size  # noqa: PTH116
    message = (
        f"{name!r} was changed after it was first read: it had {len(old)} bytes and has "
        f"{size}. Read it again when it is complete."
    )
    for method in ("pairs", "items"):
        with pytest.raises(RatingsError, match=exactly(message)):
            getattr(ratings, method)()
    assert pdkappa.scan(name).pairs() is not None


@pytest.mark.parametrize("change", ["shrinks", "grows"])
def test_a_file_that_changes_during_a_pass_is_refused(change):
    """As where a job still writes, or begins anew: half of the rows were counted as all."""
    write("r.csv", big(600_000))

    def disturb(done, total):
        if not disturbed:
            disturbed.append((done, total))
            if change == "shrinks":
                os.truncate("r.csv", 2_000_000)
            else:
                with open("r.csv", "a", encoding="utf-8") as file:  # noqa: PTH123
                    file.write("3,3\n" * 10)

    disturbed = []
    ratings = pdkappa.scan("r.csv", progress=disturb, batch_rows=1 << 16)
    size = len(big(600_000))
    with pytest.raises(RatingsError, match=f"first read: it had {size} bytes and has "):
        ratings.pairs()
    assert disturbed


@pytest.mark.needs("openpyxl")
def test_a_boolean_among_numbers_of_a_workbook_is_no_number(tmp_path):
    flags, first, later = [True, False, None, True], [2, True, 1, 2], [1, 2, True, None]
    data = pd.DataFrame({"ann": first, "bob": flags, "c": 1, "dan": pd.Series(later, dtype=object)})
    data.to_excel(tmp_path / "r.xlsx", index=False, engine="openpyxl")
    found = read_whole(tmp_path / "r.xlsx")
    assert found.map(type)["ann"].tolist() == [int, bool, int, int]
    assert found.map(type)["dan"].tolist()[:3] == [int, int, bool]
    assert found["bob"].dropna().tolist() == [True, False, True]
    with pytest.raises(RatingTypeError, match="Column 'ann' mixes booleans and numbers"):
        found.kappa.pairs(["ann", "c"])
