"""`from_frame`: frames of other packages say the same as those of pandas."""

import importlib
import inspect
import sys
import warnings
from itertools import pairwise
from operator import attrgetter
from unittest.mock import patch

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
import pdkappa.dask
import pdkappa.polars
from conftest import exactly, function_of, methods
from every_call import CALLS, FRAMES, LABELS, OF_RATINGS, PAIR, RATERS, assert_same
from pdkappa.errors import (
    ColumnNotFoundError,
    MissingDependencyError,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
)
from pdkappa.ratings import counted_chunks as chunks
from pdkappa.sources import other_frames as foreign
from pdkappa.sources import source as sources

nan = float("nan")
GRADES = LABELS["ordered"]


WORDS = FRAMES["ordered"][["ann", "bob"]].astype(object).fillna("fair")
FRAME = FRAMES["numbers"].assign(joe=WORDS["ann"], kim=WORDS["bob"])
ARROW = pa.Table.from_pandas(FRAME, preserve_index=False)
WAYS = {
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
    "pyarrow": lambda table: table,
    "pyarrow in pieces": lambda table: pa.concat_tables([table[:9], table[9:9], table[9:]]),
    "pandas": lambda table: table.to_pandas(),
}


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def in_partitions(table):
    """Make a Dask frame of partitions of any size."""
    frame = table.to_pandas()
    places = [0, 0, 1, 30, 30, 200, len(frame), len(frame)]
    parts = [frame[start:end] for start, end in pairwise(places)]
    return dd.from_map(lambda part: part, parts, meta=frame[:0])


READERS = WAYS | {"dask": in_partitions}
SOME = (  # which count, gather, or do both; `ratings/test_chunks.py` has every method
    *("pairs", "pairwise", "confusion", "grouped", "agreement", "items", "consensus"),
    *("categories", "compare", "machine.audit", "predictions.scorecard", "scores.concordance"),
)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", SOME)
def test_methods_are_those_of_the_pandas_frame(name):
    args, own = CALLS[name][0]
    parameters = inspect.signature(methods()[name]).parameters
    every = {"by": "site", "sample_weight": "times", "cluster": "author"}
    for options in ({}, every):
        given = own | {option: x for option, x in options.items() if option in parameters}
        expected = function_of(name)(FRAME, *args, **given)
        for way in READERS if options else ("polars", "duckdb", "pyarrow", "dask"):
            frame = READERS[way](ARROW)
            own_methods = hasattr(frame, "kappa") and way != "pandas"
            ratings = frame.kappa if own_methods else pdkappa.from_frame(frame)
            with dask.config.set(scheduler="synchronous"):
                found = function_of(name)(ratings, *args, **given)
                assert_same(found, expected, (way, given))


def test_designs_of_other_frames_are_refused(refuses):
    columns = {"rating": "ann", "item": "author"}
    beside = ({"rater": "site", "trial": "times"}, {"facets": ["site"]})
    for place, (name, more) in enumerate(zip(OF_RATINGS, beside, strict=True)):
        for way in ("polars", "duckdb", "pyarrow", "dask"):
            frame = READERS[way](ARROW)
            ratings = frame.kappa if hasattr(frame, "kappa") else pdkappa.from_frame(frame)
            with refuses(place):
                function_of(name)(ratings, **columns, **more)


def test_text_is_text(way):
    ratings = pdkappa.from_frame(way(ARROW), categories=GRADES)
    both = ["joe", "kim"]
    assert_same(ratings.pairs(both), FRAME.kappa.pairs(both, categories=GRADES))
    expected = FRAME.kappa.pairs(both, categories=GRADES[::-1], weights="linear")
    assert_same(ratings.pairs(both, categories=GRADES[::-1], weights="linear"), expected)
    expected = FRAME.kappa.confusion(*both)
    assert_same(pdkappa.from_frame(way(ARROW)).confusion(*both), expected)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_pairs_are_counted_one_by_one_if_rows_hardly_repeat(way):
    ratings = pdkappa.from_frame(way(ARROW))
    with (
        patch.object(foreign, "MOST_ROWS", 0),
        patch.object(foreign, "cells_of_tables", wraps=foreign.cells_of_tables) as counted,
    ):
        every = (None, RATERS), ("site", ["ida", "ann"]), (["author", "site"], RATERS)
        for by, raters in every:
            options, case = {"by": by, "weights": "quadratic"}, (by, raters)
            expected = FRAME.kappa.pairs(raters, **options)
            assert_same(ratings.pairs(raters, **options), expected, case)
            expected = FRAME.kappa.pairwise(raters, **options, stat="n_items")
            assert_same(ratings.pairwise(raters, **options, stat="n_items"), expected, case)
        of_pandas = isinstance(way(ARROW), pd.DataFrame)
        assert counted.call_count == (0 if of_pandas else 6)
        given = {"sample_weight": "times", "by": "site"}
        assert_same(ratings.pairs(RATERS, **given), FRAME.kappa.pairs(RATERS, **given))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_the_order_of_the_rows_makes_no_difference(way):
    """Nor does what an engine makes of it, such as the order in which clusters are met."""
    options = {"by": "site", "cluster": "author", "sample_weight": "times"}
    expected = FRAME.kappa.pairs(RATERS, **options)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(FRAME))
        assert_same(pdkappa.from_frame(way(ARROW.take(order))).pairs(RATERS, **options), expected)
        assert_same(FRAME.iloc[order].kappa.pairs(RATERS, **options), expected)


def test_null_and_nan_are_both_missing():
    first, second = [1.0, nan, None, 2.0, nan, 1.0, -0.0], [1.0, 1.0, 1.0, 2.0, None, 2.0, 0.0]
    frame = pl.DataFrame({"ann": first, "bob": second})
    table = pa.table({"ann": pa.array(first), "bob": pa.array(second)})
    expected = pd.DataFrame({"ann": first, "bob": second}, dtype=float)
    for one in (frame, frame.lazy(), table, duckdb.from_arrow(table)):
        ratings = pdkappa.from_frame(one)
        for most in (0, 1 << 17):
            with patch.object(foreign, "MOST_ROWS", most):
                assert_same(ratings.pairs(), expected.kappa.pairs())
        assert_same(ratings.confusion("ann", "bob"), expected.kappa.confusion("ann", "bob"))
        assert_same(ratings.items(), expected.kappa.items())


ORDERED = {
    "polars": pl.DataFrame(
        {name: pl.Series(FRAME[name].tolist(), dtype=pl.Enum(GRADES)) for name in ("joe", "kim")}
    ),
    "duckdb": duckdb.from_arrow(ARROW).project(
        ", ".join(
            f"{name}::ENUM({', '.join(map(repr, GRADES))}) AS {name}" for name in ("joe", "kim")
        )
    ),
    "pyarrow": pa.table(
        {
            name: pa.DictionaryArray.from_arrays(
                pa.array(map(GRADES.index, FRAME[name]), pa.int8()), pa.array(GRADES), ordered=True
            )
            for name in ("joe", "kim")
        }
    ),
}


@pytest.mark.parametrize("frame", ORDERED.values(), ids=ORDERED)
def test_an_enum_is_ordered(frame):
    expected = FRAME[["joe", "kim"]].astype(pd.CategoricalDtype(GRADES, ordered=True))
    ratings = pdkappa.from_frame(frame)
    assert_same(ratings.pairs(weights="quadratic"), expected.kappa.pairs(weights="quadratic"))
    assert_same(ratings.confusion("joe", "kim"), expected.kappa.confusion("joe", "kim"))
    assert_same(ratings.items(weights="linear"), expected.kappa.items(weights="linear"))
    groups = ratings.confusion("joe", "kim", by=None)
    assert groups.index.tolist() == GRADES


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_large_integers_beside_null_keep_their_digits(way):
    near = [2**60, 2**60 + 1, 2**60 + 2, None] * 75
    table = ARROW.append_column("big", pa.array(near))
    if isinstance(way(table), pd.DataFrame):
        return  # which has lost them
    found = pdkappa.from_frame(way(table)).pairs(["ann", "bob"], by="big")
    assert found.index.tolist() == [2**60, 2**60 + 1, 2**60 + 2]


def test_a_column_may_be_called_as_a_count():
    frame = FRAME[["ann", "bob"]].set_axis(["n", "n_"], axis=1)
    assert_same(pdkappa.from_frame(pl.from_pandas(frame)).pairs(), frame.kappa.pairs())


def test_too_many_distinct_rows_are_counted_and_not_fetched(way):
    if isinstance(way(ARROW), pd.DataFrame):
        return
    n_rows = len(FRAME[RATERS].drop_duplicates())
    message = (
        f"{n_rows} distinct rows of 4 columns are {4 * n_rows} cells; the limit is 100. Pass fewer "
        "raters, round the ratings, or leave out columns that tell items apart, such as cluster."
    )
    with (
        patch.object(chunks, "LARGEST_CHUNK", 100),
        patch.object(foreign, "MOST_ROWS", 10),
        patch.object(foreign, "as_frame", side_effect=AssertionError),
        pytest.raises(TooLargeError, match=exactly(message)),
    ):
        pdkappa.from_frame(way(ARROW)).agreement(RATERS)


def test_too_many_rows_are_counted_and_not_fetched(way, refuses):
    if isinstance(way(ARROW), pd.DataFrame):
        return
    with (
        patch.object(sources, "LARGEST_FRAME", 1000),
        patch.object(foreign, "as_frame", side_effect=AssertionError),
        refuses(),
    ):
        pdkappa.from_frame(way(ARROW)).items(RATERS)


def test_an_unknown_frame_is_told(refuses):
    with refuses():
        pdkappa.from_frame([1, 2])
    with refuses(1):
        pdkappa.from_frame(dd.from_pandas(FRAME, npartitions=2)["ann"])


def test_columns_of_pyarrow_have_names_of_their_own(refuses):
    with refuses():
        pdkappa.from_frame(ARROW.select(["ann", "bob"]).append_column("bob", ARROW["ann"]))


def test_pieces_of_pyarrow_may_have_categories_of_their_own():
    text = pa.Table.from_pandas(FRAME[["joe", "kim"]], preserve_index=False)
    pieces = [
        pa.table(
            {
                name: values.combine_chunks().dictionary_encode()
                for name, values in zip(part.column_names, part.columns, strict=True)
            }
        )
        for part in (text[5:9], text[:5], text[9:])
    ]
    found = pdkappa.from_frame(pa.concat_tables(pieces)).pairs()
    assert_frame_equal(found, pdkappa.from_frame(text).pairs())


def test_objects_of_polars_are_refused(refuses):
    """Equal ones are told apart by where they are in memory."""
    words = ["".join(letters) for letters in ("ab", "cd", "ab")]
    frame = pl.DataFrame(
        {"ann": pl.Series(words, dtype=pl.Object), "bob": words, "eve": ["cd", "cd", "ab"]}
    )
    ratings = pdkappa.from_frame(frame)
    for name in ("confusion", "predictions.scorecard"):
        with refuses():
            attrgetter(name)(ratings)("ann", "bob")
    assert ratings.pairs(["bob", "eve"])["n_items"].tolist() == [3]


def test_functions_say_what_to_do_with_another_frame(refuses):
    with refuses():
        pdkappa.KappaAccessor(pl.DataFrame({"ann": [1], "bob": [2]})).pairs()


@pytest.mark.parametrize("absent", ["narwhals", "pyarrow"])
def test_what_reads_frames_may_be_absent(monkeypatch, absent):
    frame = pl.DataFrame({"ann": [1, 2], "bob": [2, 2]})
    message = "{} needs {}, which is not installed. Run: pip install 'pdkappa[{}]'"
    monkeypatch.setitem(sys.modules, absent, None)
    for read, told in (
        (pdkappa.from_frame, message.format("from_frame", absent, "files")),
        (lambda one: one.kappa, message.format("pdkappa.polars", absent, "polars")),
    ):
        with pytest.raises(MissingDependencyError, match=exactly(told)):
            read(frame)
    assert str(pdkappa.from_frame(FRAME[RATERS[:2]])).startswith("Ratings of a pandas DataFrame")


def test_polars_may_be_absent(monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.delitem(sys.modules, "pdkappa.polars")
    with refuses():
        importlib.import_module("pdkappa.polars")


def test_the_namespace_of_polars_says_what_it_is_and_has_pictures(tmp_path):
    for frame in (pl.from_arrow(ARROW), pl.from_arrow(ARROW).lazy()):
        assert str(frame.kappa) == str(pdkappa.from_frame(frame))
        assert "plot.heatmap" in repr(frame.kappa)
        frame.kappa.to_excel(tmp_path / f"{type(frame).__name__}.xlsx", RATERS)
    assert len([*tmp_path.iterdir()]) == 2


def test_absent_columns_are_told(way):
    ratings = pdkappa.from_frame(way(ARROW))
    with pytest.raises(ColumnNotFoundError, match=r"^No rater column 'bod'"):
        ratings.pairs(["ann", "bod"])
    with pytest.raises(OptionError, match=r"^cluster must name a column, got list"):
        ratings.pairs(RATERS, cluster=[1, 2])


def test_what_cannot_name_a_column_is_refused_as_by_pandas(way):
    ratings = pdkappa.from_frame(way(ARROW))
    for call in (
        lambda one: one.compare(PAIR, np.array("x")),
        lambda one: one(weight_type=np.zeros(3)).compare(PAIR, ["bob", "eve"]),
        lambda one: one.machine.ceiling(["ann", "bob"], np.array("eve")),
        lambda one: one.items(RATERS, columns=pd.NA),
        lambda one: one.predictions.shift(
            "times", "ann", sample_weight="times", weights="quadratic"
        ),
    ):
        with pytest.raises(OptionError) as expected:
            call(FRAME.kappa)
        with pytest.raises(OptionError, match=exactly(str(expected.value))):
            call(ratings)


def test_what_an_engine_cannot_do_is_told():
    union = duckdb.sql("SELECT 1::UNION(n INT, s VARCHAR) AS ann, 1 AS bob")
    message = (
        r"^duckdb cannot count the columns: .*\. Convert them to types that it can group by, or "
        r"pass a frame of pandas\.$"
    )
    with pytest.raises(RatingTypeError, match=message):
        pdkappa.from_frame(union).pairs(["ann", "bob"])


def test_types_by_which_an_engine_cannot_group():
    labels = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", "y"]))
    runs = pa.table({"a": labels, "b": pa.array(["x", "y", "y"])})
    found = pdkappa.from_frame(runs).pairs(["a", "b"])["estimate"]
    expected = pd.DataFrame({"a": list("xxy"), "b": list("xyy")}).kappa.pairs()["estimate"]
    assert found.tolist() == expected.tolist()
    months = pd.DataFrame({"ann": pd.period_range("2020", periods=3, freq="M"), "bob": [1, 2, 3]})
    with pytest.raises(RatingTypeError) as told:
        months.kappa.pairs(["ann", "bob"])
    with pytest.raises(RatingTypeError, match=exactly(str(told.value))):
        pdkappa.from_frame(pa.Table.from_pandas(months)).pairs(["ann", "bob"])


def in_groups():
    """Return two raters of three sites, and a flag that is one in each site."""
    rng = np.random.default_rng(1)
    a, site = rng.integers(0, 2, 300), rng.choice(list("xyz"), 300)
    b = np.where(rng.random(300) < 0.7, a, rng.integers(0, 2, 300))
    flag = np.where(site == "x", 0, 1)
    return pd.DataFrame({"site": site, "a": a, "b": b, "flag": flag})


def adjudicated():
    """Return two raters, and the higher of their scores: 25 distinct rows."""
    rng = np.random.default_rng(1)
    a, other = rng.integers(1, 6, (2, 500))
    b = np.where(rng.random(500) < 0.4, a, other)
    return pd.DataFrame({"a": a, "b": b, "final": np.maximum(a, b)})


ALIKE = {
    "a flag of groups": (in_groups(), {"by": "site"}),
    "an adjudicated score": (adjudicated(), {}),
    "numbers that occur twice": (pd.DataFrame({"a": [*range(20)] * 2, "b": [1, 2] * 20}), {}),
    "a few half points": (
        adjudicated()[["a"]].assign(b=lambda d: d["a"] + 0.5 * (d.index < 30)),
        {},
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_columns_are_told_apart_by_items_and_not_by_distinct_rows(name):
    """What they are is asked of counted rows, in which no two are equal."""
    data, options = ALIKE[name]
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        pairs = data.kappa.pairs(**options)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = pdkappa.from_frame(pl.from_pandas(data)).pairs(**options)
    assert_frame_equal(found, pairs, check_exact=True)
    assert [str(one.message) for one in told] == [str(one.message) for one in expected]


def test_rows_that_are_counted_by_weights_do_not_tell_who_rated():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"a": rng.choice(["yes", "no"], 200), "site": rng.choice(["x", "y"], 200)})
    ratings = pdkappa.from_frame(pl.from_pandas(data.assign(b=data["a"], w=1)))
    with pytest.raises(RatingsError) as caught:
        ratings.agreement(sample_weight="w")
    assert str(caught.value) == (
        "Whether 'site' holds ratings is not known: rows are counted by the weights in 'w'. Name "
        "the raters: raters=[...]."
    )
    assert ratings.pairs(["a", "b"], sample_weight="w")["estimate"].item() == 1
