"""`scan_long` and `from_long` of other frames: the bits of one frame of pandas, part by part."""

import json
import pickle
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, function_of, raising
from every_call import LONG, NAMES, RATINGS
from pdkappa.errors import (
    ColumnNotFoundError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
)
from pdkappa.ratings import counted_chunks as chunks
from pdkappa.ratings import crowds
from pdkappa.sources import other_frames, scan_files, source

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
COUNTED = ["percent", "brennan_prediger", "fleiss", "conger", "gwet", "krippendorff"]
CALLS = {
    "agreement": [
        {"coefficients": COUNTED},
        {"coefficients": COUNTED, "by": "site", "weights": "quadratic"},
        {"coefficients": ["conger", "gwet"], "raters": ["w09", "w01", "w30", "w17", "w44"]},
        {"coefficients": ["light", "fleiss"]},
        {"coefficients": "conger", "categories": [4, 3, 2, 1, 0], "shares": "ratings"},
    ],
    "pairs": [{"by": "site"}, {"weights": "linear", "min_items": 3}, {"ci": "jackknife"}],
    "pairwise": [{"coefficient": "gwet"}],
    "usage": [{}],
    "items": [{"coefficient": "fleiss"}],
}


def file(data, path):
    """Write a file of the kind that its name says."""
    if path.suffix == ".parquet":
        data.to_parquet(path)
    elif path.suffix == ".jsonl":
        data.to_json(path, orient="records", lines=True)
    else:
        data.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


def relation(data, path):
    return duckdb.sql(f"SELECT * FROM '{file(data, path / 'r.parquet')}'")  # noqa: S608


READERS = {
    "polars": lambda data, _: pdkappa.from_long(pl.DataFrame(data), **NAMES),
    "lazy": lambda data, _: pdkappa.from_long(pl.LazyFrame(data), **NAMES),
    "arrow": lambda data, _: pdkappa.from_long(pl.DataFrame(data).to_arrow(), **NAMES),
    "duckdb": lambda data, path: pdkappa.from_long(relation(data, path), **NAMES),
} | {
    kind: lambda data, path, kind=kind: pdkappa.scan_long(file(data, path / f"f.{kind}"), **NAMES)
    for kind in ("parquet", "csv", "tsv", "jsonl")
}


@pytest.mark.parametrize("reader", READERS)
def test_every_method_gives_the_bits_of_one_frame(reader, tmp_path):
    ratings = READERS[reader](LONG, tmp_path)
    for name, calls in CALLS.items():
        for options in calls if reader == "parquet" else calls[:1]:
            found, expected = (function_of(name)(one, **options) for one in (ratings, RATINGS))
            assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected), check_exact=True)
            assert found.attrs == expected.attrs
    if reader not in ("polars", "lazy", "duckdb"):  # narwhals 1.24 cannot pickle those of polars
        again = pickle.loads(pickle.dumps(ratings))  # noqa: S301
        assert_frame_equal(again.pairwise(), RATINGS.pairwise())


@pytest.mark.parametrize("held", [70, 1 << 20])
def test_parts_change_no_bit(held, tmp_path):
    """Items as numbers or text, held or read again, in parts of a few ratings."""
    files = [file(part, tmp_path / f"{place}.parquet") for place, part in LONG.groupby("site")]
    files[0] = file(LONG[LONG["site"] == "north"].astype({"essay": float}), tmp_path / "n.jsonl")
    with (
        patch.object(source, "MOST_HELD", held),
        patch.object(other_frames, "ROWS_OF_PART", 40),
        patch.object(scan_files, "BATCH_ROWS", 40),
        patch.object(crowds, "WORD", 63 if held > len(LONG) else 3),
        patch.object(crowds, "MOST_SUMS", 2),
        patch.object(chunks, "MOST_WAITING", 20),
    ):
        for data in (files, pl.DataFrame(LONG.astype({"essay": str}))):
            reader = pdkappa.scan_long if data is files else pdkappa.from_long
            ratings = reader(data, **NAMES)
            for name, (options, *_) in CALLS.items():
                if name != "items":
                    found, expected = (getattr(x, name)(**options) for x in (ratings, RATINGS))
                    assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))


@pytest.mark.parametrize("size", [len(LONG) - 1, len(LONG), len(LONG) + 1])
def test_the_last_part_may_be_of_a_single_row(size):
    with patch.object(other_frames, "ROWS_OF_PART", size):
        found = pdkappa.from_long(pl.DataFrame(LONG), **NAMES).agreement(coefficients=COUNTED)
    assert_frame_equal(found, RATINGS.agreement(coefficients=COUNTED))


def test_light_is_left_out_unless_it_is_named():
    ratings = pdkappa.from_long(pl.DataFrame(LONG), **NAMES)
    with pytest.warns(LeftOutWarning) as caught:
        found = ratings.agreement()
    assert str(caught[0].message) == (
        "'light' is left out: its standard error needs every rating at once. Name it in "
        "coefficients=[...] to have all ratings read into memory."
    )
    assert list(found.index) == COUNTED


@pytest.mark.parametrize("held", [70, 1 << 20])
def test_raters_who_are_not_asked_for_and_items_without_a_group_are_left_out(held):
    data = LONG.assign(site=LONG["site"].where(LONG["essay"] % 3 > 0))
    asked = {"raters": [f"w{number:02}" for number in (59, 9, 1, 30, 17, 44, 3, 50, 21, 33)]}
    with patch.object(source, "MOST_HELD", held), patch.object(other_frames, "ROWS_OF_PART", 70):
        ratings = pdkappa.from_long(pl.DataFrame(data), **NAMES)
        whole = pdkappa.from_long(data, **NAMES)
        for options in (asked, {"by": "site"}, asked | {"by": "site"}):
            for name, own in {"agreement": {"coefficients": COUNTED}, "pairs": {}}.items():
                found, expected = (getattr(x, name)(**options, **own) for x in (ratings, whole))
                assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))


@pytest.mark.parametrize("held", [70, 1 << 20])
def test_columns_may_have_any_name(held):
    """Quotes and blanks are a part of it, and words of SQL."""
    called = {"essay": 'the "item"', "who": "select", "score": 'a "b', "site": "by, where"}
    data, names = LONG.rename(columns=called), {role: called[name] for role, name in NAMES.items()}
    with patch.object(source, "MOST_HELD", held):
        ratings = pdkappa.from_long(pl.DataFrame(data), **names)
        found = ratings.pairs(by="by, where")
        together = ratings.agreement(coefficients=COUNTED)
    expected = RATINGS.pairs(by="site").rename_axis(index={"site": "by, where"})
    assert_frame_equal(found.rename(columns=called), expected.rename(columns=called))
    assert_frame_equal(together, RATINGS.agreement(coefficients=COUNTED))


TWICE = pd.concat([LONG, LONG[LONG["essay"] == 5].assign(score=1)[:1]], ignore_index=True)
ERRORS = {
    "a rater twice": TWICE,
    "no rater": LONG.assign(who=LONG["who"].where(LONG.index > 1)),
    "no item": LONG.assign(essay=LONG["essay"].where(LONG.index > 0)),
    "no rating": LONG.assign(score=np.nan),
    "no such column": LONG.rename(columns={"who": "rater"}),
}


@raising("crowds", ERRORS)
def test_bad_ratings_are_told(call, refused):
    for held in (40, 1 << 20):
        with patch.object(source, "MOST_HELD", held), refused():
            pdkappa.from_long(pl.DataFrame(call), **NAMES).agreement(coefficients="fleiss")


def test_a_row_without_an_item_and_a_rating_is_left_out():
    nothing = LONG[:1].assign(essay=np.nan, who=None, score=np.nan)
    found = pdkappa.from_long(pl.DataFrame(pd.concat([LONG, nothing])), **NAMES)
    assert_frame_equal(found.pairs(), RATINGS.pairs())


def test_an_item_in_two_groups_message():
    site = LONG["site"].where(LONG.index > 0, "west")
    ratings = pdkappa.from_long(pl.DataFrame(LONG.assign(site=site)), **NAMES)
    with pytest.raises(OptionError) as caught:
        ratings.pairs(by="site")
    assert str(caught.value) == (
        "by=['site'] must be the same in all ratings of an item, and is not in those of item "
        f"{LONG['essay'][0]}. Name columns of the items."
    )


def test_without_narwhals_message(monkeypatch, refuses):
    monkeypatch.setitem(__import__("sys").modules, "narwhals", None)
    with refuses():
        pdkappa.from_long(pl.DataFrame(LONG), **NAMES)
    with pytest.raises(RatingTypeError, match="got list"):  # whatever is installed
        pdkappa.from_long([1], **NAMES)


def test_too_many_counts_message(monkeypatch, refuses):
    monkeypatch.setattr("pdkappa.ratings.crowds.LARGEST_MARGINS", 10)
    with refuses():
        pdkappa.from_long(pl.DataFrame(LONG), **NAMES).usage()


def test_items_of_two_columns_message(refuses):
    with refuses():
        pdkappa.from_long(pl.DataFrame(LONG), **NAMES | {"item": ["essay", "site"]})


def test_columns_of_text_files_are_found_by_name(tmp_path, refuses):
    first = pd.DataFrame({"i": [1, 1, 2, 2], "w": [11, 12, 11, 12], "l": [1, 2, 2, 2]})
    second = pd.DataFrame({"w": [11, 12, 11, 12], "i": [3, 3, 4, 4], "l": [1, 1, 2, 1], "x": 0})
    for name, part in {"1.csv": first, "2.csv": second}.items():
        part.to_csv(tmp_path / name, index=False)
    names = {"item": "i", "rater": "w", "rating": "l"}
    found = pdkappa.scan_long(tmp_path, **names).pairs()
    whole = pdkappa.from_long(pd.concat([first, second]), **names)
    assert_frame_equal(found, whole.pairs())
    second.drop(columns="l").to_csv(tmp_path / "3.csv", index=False)
    with refuses():
        pdkappa.scan_long(tmp_path, **names)


HEAD = "essay,who,score\n"
TEXTS = {
    "words for no rating": "1,a,x\n1,b,NA\n1,c,x\n2,a,null\n2,b,y\n2,c,y\n",
    "t and f": "1,a,t\n1,b,f\n2,a,t\n2,b,t\n",
    "dates": "1,a,2024-01-05\n1,b,2024-1-5\n2,a,2024-01-05\n2,b,2024-01-05\n",
    "infinity": "1,a,infinity\n1,b,2024-01-05\n2,a,2024-01-05\n2,b,2024-01-05\n",
    "times": "1,a,1:00\n1,b,01:00:00\n2,a,1:00\n2,b,1:00\n",
    "zeros before": "1,a,007\n1,b,7\n2,a,08\n2,b,7\n",
    "items of text and numbers": "1,a,1\n1,b,2\nx,a,1\nx,b,1\n01,a,2\n01,b,2\n",
    "a remark": "#1,a,1\n#1,b,2\n2,a,2\n2,b,2\n",
    "short rows": "1,a,1\n1,b\n1,c,1\n2,a,2\n2,b,2\n2,c,1\n",
    "quotes": '1,"a ""b""",1\n1,b,2\n2,"a ""b""",2\n2,b,2\n',
    "blanks": "1, a,1\n1,a,2\n2, a,2\n2,a,2\n",
}


def test_text_is_read_as_pandas_reads_it(tmp_path):
    """Whatever a database would make of it; `scan` does so, too."""
    path = tmp_path / "f.csv"
    for name, rows in TEXTS.items():
        path.write_text(HEAD + rows, encoding="utf-8")
        found = pdkappa.scan_long(path, **NAMES)
        expected = pdkappa.from_long(pd.read_csv(path), **NAMES)
        assert_frame_equal(found.pairs(), expected.pairs(), check_exact=True, obj=name)
        assert list(found.usage().index) == list(expected.usage().index), name


@each("rows", [HEAD + '1,a,"1\n1,b,2\n', HEAD + "1,a,\0\n", "who,who,score\n1,2,3\n", "1\n1\n"])
def test_broken_text_is_refused_as_by_scan(rows, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(rows, encoding="utf-8")
    told = []
    for read in (pdkappa.scan, lambda path: pdkappa.scan_long(path, **NAMES)):
        with pytest.raises(pdkappa.KappaError) as caught:
            read(path).pairs()
        told.append((type(caught.value), str(caught.value)))
    named = told[0][0] is not ColumnNotFoundError and told[1][0] is not ColumnNotFoundError
    assert told[0] == told[1] or not named


def test_the_names_of_files_are_no_patterns(tmp_path):
    """Nor do folders name a column."""
    file(LONG.assign(score=1), tmp_path / "f1.csv")
    folder = tmp_path / "score=9"
    folder.mkdir()
    for path in (tmp_path / "f[1].csv", tmp_path / "f*.csv", folder / "f.parquet"):
        found = pdkappa.scan_long(file(LONG, path), **NAMES).pairs()
        assert_frame_equal(found, RATINGS.pairs(), check_exact=True)


def lines(*records):
    return "\n".join(records) + "\n"


def test_records_hold_what_json_says(tmp_path):
    """Text that looks like a date is text, whole numbers of any size differ, "" is missing."""
    path, row = tmp_path / "f.jsonl", '{{"essay": {}, "who": {}, "score": {}}}'.format
    for one, other in (('"2024-01-05"', '"2024-1-5"'), (2**63, 2**63 + 1), ('" "', '"a"')):
        cells = [(1, 1, one), (1, 2, other), (2, 1, one), (2, 2, one), (3, 1, other), (3, 2, one)]
        path.write_text(lines(*(row(*cell) for cell in cells)), encoding="utf-8")
        found = pdkappa.scan_long(path, **NAMES).pairs(coefficient="percent")
        assert found["estimate"].tolist() == [pytest.approx(1 / 3)], one
    path.write_text(path.read_text().replace('" "', '""'), encoding="utf-8")
    assert pdkappa.scan_long(path, **NAMES).pairs().empty
    for other, message in (
        ("true", "numbers.*so that equal|booleans.*so that equal"),
        ('"1"', "mixes numbers and text"),
    ):
        path.write_text(lines(row(1, 1, 2), row(1, 2, other), row(2, 1, 1)), encoding="utf-8")
        whole = pd.DataFrame(map(json.loads, path.read_text().splitlines()))
        for found in (pdkappa.scan_long(path, **NAMES), pdkappa.from_long(whole, **NAMES)):
            with pytest.raises(RatingTypeError, match=message):
                found.pairs()


def test_items_beyond_the_integers_of_numpy(tmp_path):
    data = pd.DataFrame({"essay": np.array([2**63, 2**64 - 1], dtype="uint64").repeat(2)})
    data = data.assign(who=["a", "b"] * 2, score=[1, 2, 2, 2])
    expected = pdkappa.from_long(data, **NAMES).pairs()
    for found in (
        pdkappa.scan_long(file(data, tmp_path / "f.parquet"), **NAMES),
        pdkappa.from_long(pl.from_pandas(data), **NAMES),
    ):
        assert_frame_equal(found.pairs(), expected, check_exact=True)


def test_lists_are_sets_in_every_frame(tmp_path):
    sets = [["a"], ["b", "a"], ["a", "b"], ["c"]]
    data = LONG.assign(score=[sets[score - 1] for score in LONG["score"]])
    expected = pdkappa.from_long(data, **NAMES).pairs()
    for found in (
        pdkappa.from_long(pl.DataFrame(data), **NAMES),
        pdkappa.scan_long(file(data, tmp_path / "f.jsonl"), **NAMES),
        pdkappa.scan_long(file(data, tmp_path / "f.parquet"), **NAMES),
    ):
        assert_frame_equal(found.pairs(), expected, check_exact=True)


def test_a_file_that_is_written_to_is_told(tmp_path):
    path = file(LONG, tmp_path / "f.csv")
    ratings = pdkappa.scan_long(path, **NAMES)
    file(LONG[:50], path)
    with pytest.raises(RatingsError, match=r"'f\.csv' was changed"):
        ratings.pairs()
