"""`scan`: files in batches say the same as the frames that pandas reads from them."""

import os
import sys
from itertools import permutations
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet

import every_call
import pdkappa
from conftest import exactly
from pdkappa.errors import CategoryError, OptionError, RatingsError
from pdkappa.sources import scan_files as scanning
from pdkappa.sources import source as sources
from pdkappa.sources.scan_files import read_whole

READERS = {
    "parquet": pd.read_parquet,
    "feather": pd.read_feather,
    "arrow": pd.read_feather,
    "csv": pd.read_csv,
    "tsv": lambda path: pd.read_csv(path, sep="\t"),
    "txt": lambda path: pd.read_csv(path, sep="\t"),
    "csv.gz": pd.read_csv,
    "jsonl": read_whole,
    "ndjson.gz": read_whole,
}
RATERS = ["ann", "bob", "eve"]


def write(frame, path):
    """Write a file of the kind that its name says."""
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix in (".feather", ".arrow"):
        frame.to_feather(path)
    elif "json" in path.name:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="," if ".csv" in path.name else "\t")
    return path


def drawn():
    """Return whole numbers, some missing, text, ordered labels, and booleans."""
    frame = every_call.drawn("numbers", 500)
    passed = frame.pop("ida") > 2
    frame[["ann", "eve"]] = frame[["ann", "eve"]].fillna(3).astype(int)
    words = every_call.drawn("ordered", 500)[["eve", "ida"]].astype(object).fillna("fair")
    frame[["joe", "ida"]] = words
    return frame.assign(passed=passed.astype(object).mask(frame["bob"] == 1), failed=~passed)


@pytest.fixture(params=READERS)
def files(request, tmp_path):
    """Write three files of a kind; return their folder and what pandas reads from them."""
    frame = drawn()
    paths = [
        write(frame[start:end].reset_index(drop=True), tmp_path / f"{start:03}.{request.param}")
        for start, end in ((0, 201), (201, 202), (202, 500))
    ]
    whole = pd.concat([READERS[request.param](path) for path in paths], ignore_index=True)
    return tmp_path, whole


OWN_READERS = ("parquet", "csv", "jsonl")  # those of the other kinds are one of these


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_results_are_those_of_the_whole_frame(files):
    folder, whole = files
    [kind] = {path.name.partition(".")[2] for path in folder.iterdir()}
    sizes = (17, 1 << 17) if kind in OWN_READERS else (60,)
    calls = [
        lambda own: own.pairs(RATERS, weights="quadratic"),
        lambda own: own.pairs(RATERS, by="site", sample_weight="times"),
        lambda own: own.pairs(["joe", "ida"]),
        lambda own: own.pairs(["passed", "failed"]),
        lambda own: own.confusion("bob", "ann", by="site"),
        lambda own: own.confusion("joe", "ida"),
        lambda own: own.agreement(RATERS, weights="linear"),
        lambda own: own.items(RATERS),
        lambda own: own.scores.concordance(RATERS, by="site"),
    ]
    scans = {rows: pdkappa.scan(folder, batch_rows=rows) for rows in sizes}
    for call in calls:
        expected = call(whole.kappa)
        for rows, ratings in scans.items():
            obj = f"{rows} rows at once"
            assert_frame_equal(call(ratings), expected, check_exact=True, obj=obj)


def test_paths_may_be_given_in_every_way(tmp_path):
    frame = drawn()[[*RATERS]]
    below = tmp_path / "more"
    below.mkdir()
    paths = [write(frame[:100], tmp_path / "1.csv"), write(frame[100:], below / "2.csv")]
    (tmp_path / "_SUCCESS.csv").write_text("", encoding="utf-8")
    (tmp_path / "notes.md").write_text("", encoding="utf-8")
    expected = frame.kappa.pairs()
    for given in (paths, map(str, paths), tmp_path, str(tmp_path / "**" / "[12].csv"), [tmp_path]):
        assert_frame_equal(pdkappa.scan(given).pairs(), expected, check_exact=True)
    only = pdkappa.scan(str(paths[0]))
    assert_frame_equal(only.pairs(), frame[:100].kappa.pairs(), check_exact=True)
    assert str(only) == "Ratings of 1 file with columns 'ann', 'bob', 'eve'"


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("ordered", [True, False])
def test_categoricals_keep_their_order(tmp_path, kind, ordered):
    labels = ["poor", "never", "fair", "good", "very good", "superb"]
    dtype = pd.CategoricalDtype(labels, ordered=ordered)
    frame = drawn()[["joe", "ida"]].astype(dtype)
    for start in (0, 250):
        write(frame[start : start + 250].reset_index(drop=True), tmp_path / f"{start}.{kind}")
    ratings = pdkappa.scan(tmp_path, batch_rows=30)
    assert_frame_equal(
        ratings.confusion("joe", "ida"), frame.kappa.confusion("joe", "ida"), check_exact=True
    )
    options = {"weights": "quadratic", "categories": None if ordered else labels}
    found, expected = ratings.pairs(**options), frame.kappa.pairs(**options)
    assert_frame_equal(found, expected, check_exact=True)
    other = frame[["joe"]].assign(ida=frame["ida"].cat.set_categories(labels[::-1]))
    write(other, tmp_path / f"9.{kind}")
    if ordered:
        with pytest.raises(CategoryError, match=r"^Column 'ida' is an ordered Categorical with"):
            pdkappa.scan(tmp_path).pairs()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_large_integers_beside_missing_ones_keep_their_digits(tmp_path):
    """Two clusters that are one as floats."""
    near = [2**60, 2**60 + 1, 2**60 + 2, None] * 30
    frame = drawn()[:120][RATERS].assign(big=pd.array(near, dtype="Int64"))
    path = tmp_path / "big.parquet"
    frame[["ann", "eve"]].assign(big=frame["big"]).to_parquet(path)
    found = pdkappa.scan(path, batch_rows=50).pairs(["ann", "eve"], by="big")
    assert found.index.tolist() == [2**60, 2**60 + 1, 2**60 + 2]
    table = pa.table({"ann": frame["ann"], "eve": frame["eve"], "big": near, "bob": [1, None] * 60})
    parquet.write_table(table, path)
    found = pdkappa.scan(path, batch_rows=50)
    assert found.pairs(["ann", "eve"], by="big").index.tolist() == [2**60, 2**60 + 1, 2**60 + 2]
    read = pd.read_parquet(path)
    assert read["bob"].dtype == np.float64
    expected = read.kappa.confusion("ann", "bob")
    assert_frame_equal(found.confusion("ann", "bob"), expected, check_exact=True)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
@pytest.mark.parametrize("order", [*permutations(["plain", "masked", "holes"])])
def test_groups_are_as_whole_as_in_one_frame(tmp_path, order):
    """One file with a type for whole numbers beside missing ones gives it to all, wherever."""
    kinds = {"plain": [1, 2, 2, 1], "masked": pd.array([1, 2, 2, 1], dtype="Int64")}
    kinds["holes"] = pd.array([1, 2, None, 1], dtype="Int64")
    parts = [
        pd.DataFrame({"ann": [1, 1, 2, 2], "bob": [1, 2, 2, 2], "of": kinds[x]}) for x in order
    ]
    for place, part in enumerate(parts):
        write(part, tmp_path / f"{place}.parquet")
        whole, ratings = pd.concat(parts[: place + 1]), pdkappa.scan(tmp_path)
        found, expected = (x.agreement(["ann", "bob"], by="of") for x in (ratings, whole.kappa))
        assert_frame_equal(found, expected)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
@pytest.mark.parametrize("word", ["x", "True"])
def test_a_column_of_numbers_with_a_word_below_is_text(tmp_path, word):
    """As for pandas, which sees the whole column; equal text such as 02 and 2 differs."""
    path = tmp_path / "words.csv"
    rows = ["1,1,0", "02,2,0", "1,2,1", ",1,1"] * 10 + [f"{word},{word},1", "2,2,1"]
    path.write_text("ann,bob,eve\n" + "\n".join(rows), encoding="utf-8")
    whole, ratings = pd.read_csv(path), pdkappa.scan(path, batch_rows=4)
    for name, call in {"confusion": ("ann", "bob"), "items": (["ann", "bob"],)}.items():
        expected = getattr(whole.kappa, name)(*call)
        assert_frame_equal(getattr(ratings, name)(*call), expected, check_exact=True)


def test_empty_files_have_no_items(tmp_path):
    for kind in ("csv", "parquet"):
        frame = drawn()[RATERS]
        write(frame[:0], tmp_path / f"empty.{kind}")
        ratings = pdkappa.scan(tmp_path / f"empty.{kind}")
        with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
            found = ratings.pairs()
        assert found["reason"].tolist() == ["no_items"] * 3
        write(frame, tmp_path / f"full.{kind}")
        both = pdkappa.scan([tmp_path / f"empty.{kind}", tmp_path / f"full.{kind}"])
        assert_frame_equal(both.pairs(), frame.kappa.pairs(), check_exact=True)


@pytest.mark.parametrize("kind", ["csv", "parquet", "csv.gz", "jsonl", "jsonl.gz"])
def test_progress_is_told_in_bytes(tmp_path, kind):
    paths = [write(drawn(), tmp_path / f"{number}.{kind}") for number in range(2)]
    told = []
    ratings = pdkappa.scan(paths, batch_rows=100, progress=lambda *done: told.append(done))
    assert not told
    ratings.pairs(RATERS)
    total = sum(path.stat().st_size for path in paths)
    assert {one[1] for one in told} == {total}
    done = [one[0] for one in told]
    assert done == sorted(done)
    assert done[-1] == total
    assert len(set(done)) > (2 if kind == "parquet" else 1)  # text is read ahead
    with patch("tqdm.tqdm") as bar:
        pdkappa.scan(paths, progress=True)
    bar.assert_called_once_with(unit="byte")


def test_no_file_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    message = (
        "No file to read was found in '*.csv'. Files are known by their ending: .parquet, "
        ".feather, .arrow, .csv, .tsv, .txt, .jsonl, .ndjson."
    )
    for given, shown in (("*.csv", "'*.csv'"), (".", "'.'"), ([], "[]")):
        with pytest.raises(RatingsError, match=exactly(message.replace("'*.csv'", shown))):
            pdkappa.scan(given)
    for absent in ("absent.csv", "absent.parquet"):
        with pytest.raises(FileNotFoundError):
            pdkappa.scan(absent)


def test_an_unknown_ending_is_told(refuses):
    with refuses():
        pdkappa.scan("ratings.xls")


@pytest.mark.parametrize("batch_rows", [0, 1.5, True, "all"])
def test_batches_have_rows(tmp_path, batch_rows):
    path = write(drawn(), tmp_path / "a.csv")
    message = "batch_rows=0 must be a whole number of rows from 1 upwards."
    with pytest.raises(OptionError, match=exactly(message.replace("0", repr(batch_rows)))):
        pdkappa.scan(path, batch_rows=batch_rows)


def test_a_missing_column_is_told_with_the_file(tmp_path, refuses):
    write(drawn()[RATERS], tmp_path / "1.csv")
    for place, columns in enumerate((["ann", "eve"], [*RATERS, "ida"])):
        write(drawn()[columns], tmp_path / "2.csv")
        with refuses(place):
            pdkappa.scan(tmp_path)


def test_another_type_is_told_with_the_file(tmp_path, refuses):
    frame = drawn()[RATERS]
    for place, kind in enumerate(("csv", "parquet")):
        for number, one in enumerate((frame, frame.assign(bob=np.nan), frame.assign(bob="good"))):
            write(one, tmp_path / f"{number}.{kind}")
        with refuses(place):
            pdkappa.scan(str(tmp_path / f"*.{kind}")).pairs()


def test_too_many_rows_are_refused_before_they_are_read(tmp_path, refuses):
    """Of files that say how many they have; of others once there are too many."""
    for place, kind in enumerate(("csv", "parquet")):
        ratings = pdkappa.scan(write(drawn()[RATERS], tmp_path / f"1.{kind}"), batch_rows=100)
        with patch.object(sources, "LARGEST_FRAME", 1000), refuses(place):
            ratings.items()
        assert len(ratings.items()) == 500


def test_pyarrow_may_be_absent(tmp_path, refuses):
    path = write(drawn()[RATERS], tmp_path / "1.parquet")
    with patch.dict(sys.modules, {"pyarrow": None, "pyarrow.dataset": None}), refuses():
        pdkappa.scan(path)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("1.parquet", b"no such thing", ""),
        ("1.csv", b"", "No columns to parse from file"),
        ("1.csv", "ann,bob\né,é\n".encode("latin-1"), "'utf-8' codec can't decode byte 0xe9"),
    ],
)
def test_a_broken_file_is_told(tmp_path, name, content, why):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RatingsError) as caught:
        pdkappa.scan(tmp_path)
    told = str(caught.value.__cause__)
    assert told.startswith(why)
    message = (
        "'1.csv' cannot be read: No columns to parse from file. Write it anew, text as UTF-8 with "
        "the names of the columns in its first row."
    )
    message = message.replace("1.csv", name)
    message = message.replace("No columns to parse from file", told.removesuffix("."))
    if name == "1.parquet":
        message = message.replace(
            ", text as UTF-8 with the names of the columns in its first row", ""
        )
    assert str(caught.value) == message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes, which Windows lacks")
@pytest.mark.parametrize("name", ["1.csv", "1.jsonl", "1.parquet", "1.xlsx"])
def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    message = f"'{name}' is a pipe, which is read only once. Save it as a file."
    for read in (read_whole, *([] if name == "1.xlsx" else [pdkappa.scan])):
        with pytest.raises(RatingsError, match=exactly(message)):
            read(tmp_path / name)


@pytest.mark.parametrize("raters", [None, ["ann", "bob"]])
def test_a_row_of_too_many_fields_is_not_cut(tmp_path, raters):
    (tmp_path / "1.csv").write_text("ann,bob,eve\n1,2,3\n2,1,9,3\n", encoding="utf-8")
    with pytest.raises(RatingsError, match=r"Expected 3 fields in line 3, saw 4\. Write it anew"):
        pdkappa.scan(tmp_path).pairs(raters)


def test_rows_with_a_field_more_than_names_are_not_shifted(tmp_path, refuses):
    """As R writes them, with the names of the rows before all others."""
    (tmp_path / "1.csv").write_text('"ann","bob"\n"1",4,2\n"2",3,3\n', encoding="utf-8")
    with refuses():
        pdkappa.scan(tmp_path)


@pytest.mark.parametrize("paths", [None, 5, b"1.csv", [None]])
def test_what_is_no_path_is_told(paths):
    one = paths[0] if isinstance(paths, list) else paths
    message = "paths must be a path or a list of them, got None (NoneType)."
    message = message.replace("NoneType", type(one).__name__).replace("None", repr(one))
    with pytest.raises(OptionError, match=exactly(message)):
        pdkappa.scan(paths)


@pytest.mark.parametrize("pattern", ["", "*.parquet", "**", "**/*.parquet"])
def test_no_file_is_read_twice(tmp_path, pattern):
    """Spark and Dask write folders that are called as a file."""
    frame = drawn()[RATERS]
    for part in range(2):
        folder = tmp_path / f"{part}.parquet"
        folder.mkdir()
        write(frame[part::2], folder / "part.parquet")
    found = pdkappa.scan(tmp_path / pattern)
    assert str(found) == "Ratings of 2 files with columns 'ann', 'bob', 'eve'"
    assert_frame_equal(found.pairs(), frame.kappa.pairs(), check_exact=True)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_small_files_are_read_twice_and_counted_together(tmp_path, monkeypatch, kind):
    parts = [pd.DataFrame({"ann": [1, 2, i % 4], "bob": [1, i % 3, 3]}) for i in range(12)]
    parts[5]["bob"] = parts[5]["bob"].astype(float)  # which waits for no other type
    for number, part in enumerate(parts):
        write(part, tmp_path / f"{number:02}.{kind}")
    reads, counts = [], []
    read_csv, count = pd.read_csv, scanning.count_rows
    monkeypatch.setattr(pd, "read_csv", lambda *a, **o: reads.append(1) or read_csv(*a, **o))
    monkeypatch.setattr(scanning, "count_rows", lambda *a, **o: counts.append(1) or count(*a, **o))
    found = pdkappa.scan(tmp_path).pairs()
    assert_frame_equal(found, pd.concat(parts).kappa.pairs(), check_exact=True)
    assert len(counts) == 3
    assert len(reads) == (24 if kind == "csv" else 0)
