"""What is larger than it should be is refused before it is read whole."""

import gzip
import json
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each, refused
from pdkappa.cli import main
from pdkappa.methods.drilldown import raters as of_raters
from pdkappa.methods.estimates import study
from pdkappa.methods.report import analysis
from pdkappa.sources import unpacking
from pdkappa.sources.records import read_file
from pdkappa.sources.scan_files import read_whole

LIMIT = 100_000
LONG = {"item": "item", "rater": "rater", "rating": "rating"}
TABLE = b"item,rater,rating\n1,ann,a\n1,bob,a\n2,ann,b\n2,bob,a\n"
LINE = b'{"item": 3, "rater": "ann", "rating": "%s"}\n'
FIRST = b'{"item": 1, "rater": "ann", "rating": "a"}\n'
WORDS = {
    "file": "unpacks to",
    "line": "has a line of",
    "field": "has a field in quotes of",
    "header": "has a first row, which names the columns, of",
}
FILES = {  # what is too large, and the content
    "rows.csv.gz": ("file", TABLE + b"".join(b"%d,eve,a\n" % at for at in range(40_000))),
    "rows.jsonl.gz": ("file", FIRST + LINE % b"a" * 10_000),
    "line.csv": ("line", TABLE + b"3,ann," + b"x" * 3 * LIMIT + b"\n"),
    "line.tsv": ("line", TABLE.replace(b",", b"\t") + b"3\tann\t" + b"x" * 3 * LIMIT),
    "line.jsonl": ("line", FIRST + LINE % (b"x" * 2 * LIMIT)),
    "field.csv": ("field", TABLE + b'3,ann,"' + b"x\n" * 4 * LIMIT + b'"\n'),
    "header.csv": ("header", b"item,rater,rating," + b"x" * 3 * LIMIT + TABLE[17:]),
}


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(unpacking, "MOST_BYTES", 2 * LIMIT)
    for name in ("MOST_OF_LINE", "MOST_OF_HEADER"):
        monkeypatch.setattr(unpacking, name, LIMIT)
    monkeypatch.setattr(unpacking, "MOST_TIMES", 1)
    monkeypatch.setattr(unpacking, "PIECE", 1 << 14)
    monkeypatch.chdir(tmp_path)


def too_large(name, what, limit):
    """Expect the error about a file."""
    return refused(
        "TooLargeError",
        f"{name!r} {what} more than {limit} bytes, the limit. If it is right so, set "
        "PDKAPPA_MOST_BYTES in the environment to a larger number.",
    )


@each("name", FILES)
def test_a_file_that_is_too_large(tmp_path, monkeypatch, name):
    what, content = FILES[name]
    packed = gzip.compress(content) if name.endswith(".gz") else content
    tmp_path.joinpath(name).write_bytes(packed)
    limit = 2 * LIMIT if what == "file" else LIMIT
    readers = [read_whole, lambda path: pdkappa.scan_long(path, **LONG).pairs()]
    readers += [] if "tsv" in name else [read_file]
    for read in readers:
        with too_large(name, WORDS[what], limit):
            read(tmp_path / name)
    monkeypatch.setenv(unpacking.VARIABLE, str(10 * LIMIT))
    assert len(read_whole(tmp_path / name)) > 1
    monkeypatch.delenv(unpacking.VARIABLE)


def test_what_is_long_and_right(tmp_path):
    """Many lines, quotes that open nothing, and a document on one line."""
    records = [{"id": at, "ann": "a", "bob": "a"} for at in range(4_000)]
    (tmp_path / "a.json").write_text(json.dumps(records), "utf-8")
    assert len(read_whole(tmp_path / "a.json")) == 4_000
    for text in ('5" pipe', '"""a"" b"', '"a\nb"', '""', 'a"b"'):
        row = f"1,{text}\n".encode()
        for more in range(3):  # so that pieces end anywhere
            content = b"a,b" + b"c" * more + b"\n" + row * (3 * LIMIT // len(row))
            (tmp_path / "a.csv").write_bytes(content)
            frame = read_whole(tmp_path / "a.csv")
            pd.testing.assert_frame_equal(frame, pd.read_csv(tmp_path / "a.csv"))


@pytest.mark.needs("pyarrow", "openpyxl")
def test_archives_are_measured_as_a_whole(tmp_path, capsys):
    sample = json.dumps({"id": 1, "scores": {}, "text": "x" * LIMIT})
    with ZipFile(tmp_path / "a.eval", "w", ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(f"samples/{number}_epoch_1.json", sample)
    with too_large("a.eval", WORDS["file"], 2 * LIMIT):
        pdkappa.tools.from_inspect("a.eval")
    pd.DataFrame({"ann": [1, 2] * 9_000, "bob": [1, 2] * 9_000}).to_excel("a.xlsx", index=False)
    with too_large("a.xlsx", WORDS["file"], 2 * LIMIT):
        read_whole(tmp_path / "a.xlsx")
    pd.DataFrame({"ann": [1] * LIMIT, "bob": [1] * LIMIT}).to_parquet("a.parquet")
    with too_large("a.parquet", WORDS["file"], 2 * LIMIT):
        read_whole(tmp_path / "a.parquet")
    assert main(["a.parquet"]) == 2
    assert "unpacks to more than 200000 bytes" in capsys.readouterr().err


def test_the_variable_is_a_number(tmp_path, monkeypatch):
    monkeypatch.setenv(unpacking.VARIABLE, "1 GB")
    (tmp_path / "a.csv").write_bytes(FILES["line.csv"][1])
    with refused(
        "OptionError",
        "PDKAPPA_MOST_BYTES='1 GB' must be a whole number of bytes, such as 1000000000.",
    ):
        read_whole(tmp_path / "a.csv")


@pytest.mark.needs("jinja2", "matplotlib")
def test_a_report_of_many_raters(monkeypatch):
    """Above some, pairs are left out of what is read; above others there is no report."""
    monkeypatch.setattr(analysis, "MOST_SHOWN_RATERS", 4)
    data = pd.DataFrame(np.arange(100).reshape(20, 5) ** 2 % 3).rename(columns=lambda at: f"r{at}")
    found = data.kappa.report()
    note = "Sheets and pictures of the 10 pairs of 5 raters are left out. Use pairs(), or name "
    assert f"{note}fewer raters." in found.to_html()
    found.to_excel("out.xlsx")
    assert not {"pairwise", "pairs"} & {sheet.name for sheet in found.sheets}
    assert found.to_frame().shape == (5, 5)
    assert len(found.tables["pairs"]) == 10
    wide = pd.DataFrame(np.arange(20_000).reshape(20, 1000) % 3).rename(columns=str)
    with refused(
        "TooLargeError",
        "A report of 1000 raters side by side takes too long; below 1000 it does not. Pass fewer "
        "raters, or use agreement, usage and pairs.",
    ):
        wide.kappa.report()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_report_of_a_crowd_of_many_raters(tmp_path):
    rater = np.random.default_rng(0).permuted(np.tile(np.arange(1000), (400, 1)), axis=1)[:, :5]
    item, label = np.repeat(np.arange(400), 5), np.arange(2000) * 7 % 10 // 4
    data = pd.DataFrame({"item": item, "rater": rater.ravel(), "label": label})
    data.to_csv(tmp_path / "crowd.csv", index=False)
    names = {"item": "item", "rater": "rater", "rating": "label"}
    held = pdkappa.from_long(data, **names)
    for ratings in (held, pdkappa.scan_long(tmp_path / "crowd.csv", **names)):
        found = ratings.report().tables["agreement"].loc["fleiss", ["estimate", "se"]]
        expected = held.agreement().loc["fleiss", ["estimate", "se"]]
        np.testing.assert_allclose(found.tolist(), expected.tolist(), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each("method", ["pairs", "pairwise", "raters"])
def test_too_many_raters_are_refused_at_once(method, monkeypatch):
    """Those of a frame; of a crowd only the pairs who share an item are counted."""
    assert (of_raters.MOST_PAIRS, study.MOST_PAIRS) == (1 << 21, 1 << 23)
    monkeypatch.setattr(of_raters, "MOST_PAIRS", 300)
    monkeypatch.setattr(study.Study.check_pairs, "__defaults__", (300,))
    with refused(
        "TooLargeError",
        "26 raters are 325 pairs, which take too much time and memory; the limit is 300. Pass "
        "fewer raters, or use agreement for all of them together; of raters who share few items, "
        "read the ratings by from_long.",
    ):
        getattr(
            pd.DataFrame(np.arange(520).reshape(20, 26) % 3).rename(columns=str).kappa, method
        )()
    monkeypatch.undo()
    n_raters = 2_100 if method == "raters" else 4_200
    crowd = pd.DataFrame({"item": range(2 * n_raters), "rater": range(2 * n_raters)})
    crowd = pd.concat([crowd, crowd.assign(item=crowd["item"] // 2 * 2)]).drop_duplicates()
    crowd["rating"] = crowd["rater"] // 2 % 2
    if method == "pairwise":
        with refused(
            "TooLargeError",
            "The square of 8400 raters has 70560000 cells; the limit is 67108864. Pass fewer "
            "raters, or use pairs, which has a row for each two who share an item.",
        ):
            pdkappa.from_long(crowd, **LONG).pairwise()
    else:
        assert len(getattr(pdkappa.from_long(crowd, **LONG), method)()) > 0
