"""What is counted chunk by chunk is what the whole frame gives, to the last bit."""

import inspect
import itertools
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import exactly, function_of, methods
from every_call import CALLS, FRAMES, LABELS, OF_RATINGS, RATERS, assert_same
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    OptionError,
    RatingsError,
    RatingTypeError,
    WeightsError,
)
from pdkappa.ratings import counted_chunks as chunks
from pdkappa.ratings.counted_chunks import Adder, cells_of_rows, count_rows, merge, stack_all
from pdkappa.ratings.counted_pairs import as_counted
from pdkappa.sources import source as sources
from pdkappa.sources.source import Source, SourceRatings, check_room

nan = float("nan")


class Cut(Source):
    """A frame of which only some rows are seen at a time."""

    def __init__(self, frame, *starts):
        self.frame = frame
        self.ends = [0, *sorted(starts), len(frame)]
        self.counted, self.gathered, self.chunk = [], [], None

    @property
    def columns(self):
        return list(self.frame.columns)

    def count(self, columns, *, weight=None, of_pairs=None):
        assert weight is None or weight not in columns  # or a source would have to read it twice
        self.counted.append([*columns, *([] if weight is None else [weight])])
        self.chunk = super().count(columns, weight=weight, of_pairs=of_pairs)
        return self.chunk

    def total(self, columns, count, add):
        parts = itertools.pairwise(self.ends)
        return add([count(self.frame[columns].iloc[start:end]) for start, end in parts])

    def gather(self, columns, *, declared=()):  # noqa: ARG002
        self.gathered.append(columns)
        check_room(len(self.frame), columns)
        return self.frame[columns]

    def __str__(self):
        return "a frame in parts"


def cut(frame, *starts, categories=None):
    return SourceRatings(Cut(frame, *starts), categories)


# Some of the items have no site.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning"),
    pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning"),
]

OF_ROWS = (
    *("items", "consensus", "predictions.scorecard", "scores.concordance"),
    *("predictions.cutpoints", "machine.evaluate", "machine.readiness", "machine.adjudication"),
)
OF_NUMBERS = (
    *("scores.concordance", "predictions.cutpoints", "machine.evaluate", "icc"),
    *("scores.bland_altman", "scores.within", "machine.mean_score", "machine.fairness"),
    *("machine.prmse", "machine.readiness"),
)
OPTIONS = {
    "plain": {},
    "groups": {"by": "site"},
    "weights": {"sample_weight": "times"},
    "weights and groups": {"by": ["site"], "sample_weight": "times"},
    "listwise": {"missing": "listwise"},
}


def options_of(name, kind, options, own):
    """Return the options that a function takes; text is ordered where it must be."""
    parameters = inspect.signature(function_of(name)).parameters
    given = {option: value for option, value in options.items() if option in parameters} | own
    if given.pop("ranked", False) and kind == "text":
        given["categories"] = sorted(LABELS["text"])
    return given


def test_every_method_is_called():
    assert {*methods()} == {*CALLS, *OF_RATINGS, "to_excel", "to_html"}


def test_what_needs_a_row_of_each_rating_says_so(refuses):
    columns = {"rating": "ann", "item": "author"}
    beside = ({"rater": "site", "trial": "times"}, {"facets": ["site"]})
    for place, (name, more) in enumerate(zip(OF_RATINGS, beside, strict=True)):
        ratings = cut(FRAMES["numbers"], 9)
        with refuses(place):
            function_of(name)(ratings, **columns, **more)
        assert ratings.source.counted == ratings.source.gathered == []


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", CALLS)
def test_every_method_is_that_of_the_whole_frame(name):
    kinds = ["numbers"] * 3 if name in OF_NUMBERS else ["numbers", "text", "ordered"]
    cases = [*zip(kinds, ("plain", "weights and groups", "listwise"), strict=True)]
    seen = set()
    for (kind, options), (args, own) in itertools.product(cases, CALLS[name]):
        case = (kind, options, args, own)
        given = options_of(name, kind, OPTIONS[options], own)
        if (call := repr((kind, args, given))) in seen:  # it takes none of these options
            continue
        seen.add(call)
        ratings = cut(FRAMES[kind], 7, 7, 90)
        expected = function_of(name)(FRAMES[kind], *args, **given)
        assert_same(function_of(name)(ratings, *args, **given), expected, case)
        counted, gathered = ratings.source.counted, ratings.source.gathered
        assert (len(counted), len(gathered)) == ((0, 1) if name in OF_ROWS else (1, 0)), case
        read = {column for columns in (*counted, *gathered) for column in columns}
        asked = ("cluster" in given, "sample_weight" in given)
        assert ("author" in read, "times" in read) == asked, case


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", ["pairs", "pairwise", "agreement"])
def test_results_do_not_depend_on_the_chunks(name):
    """As rows or as counts of pairs; nor do chunks without any row."""
    frame = FRAMES["numbers"]
    for key in ("weights and groups", "listwise"):
        options = OPTIONS[key]
        expected = getattr(frame.kappa, name)(RATERS, **options)
        for fewest in (0, 1 << 12):
            with patch.object(chunks, "FEWEST_ROWS", fewest):
                for starts in ((), (150,), tuple(range(1, 100, 3)), (0, 300)):
                    found = getattr(cut(frame, *starts), name)(RATERS, **options)
                    assert_same(found, expected, (key, fewest, starts))


@pytest.fixture
def only_pairs():
    """Count pairs whatever room they take, and however few the rows are."""

    def forced(frame, count, raters, *, largest):  # noqa: ARG001
        return cells_of_rows(frame, count, raters)

    with patch.object(chunks, "FEWEST_ROWS", 0), patch.object(chunks, "cells_of_rows", forced):
        yield


@pytest.mark.usefixtures("only_pairs")
@pytest.mark.parametrize(
    ("by", "starts"),
    [(None, (200, 201, 600, 600, 900)), ("site", ()), (["sex", "site"], (200, 201, 600, 600, 900))],
)
def test_thirty_raters_of_many_categories(by, starts):
    """Whose rows never repeat; whole numbers with missing ones and without."""
    rng = np.random.default_rng(1)
    values = np.clip(rng.integers(0, 61, (1000, 1)) + rng.integers(-3, 4, (1000, 30)), 0, 60)
    frame = pd.DataFrame(values).add_prefix("r")
    for name in frame.columns[1:]:
        frame[name] = frame[name].mask(rng.random(1000) < 0.3)
    frame["site"] = rng.choice(np.array(["x", None, "y"], dtype=object), 1000)
    frame["sex"] = rng.choice([1, 2], 1000)
    raters, ratings = [*frame.columns[29::-1]], cut(frame, *starts)
    found = ratings.pairs(raters, by=by, weights="quadratic")
    assert ratings.source.chunk.cells is not None
    assert len(ratings.source.chunk.frame) == 0
    assert_same(found, frame.kappa.pairs(raters, by=by, weights="quadratic"))
    matrix = ratings.pairwise(raters, by=by, stat="n_items")
    assert_same(matrix, frame.kappa.pairwise(raters, by=by, stat="n_items"))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.usefixtures("only_pairs")
@pytest.mark.parametrize("kind", LABELS)
def test_fractional_weights_stand_beside_pairs(kind):
    """Rows of fractional weights stay rows, and their counts are added to those of the pairs."""
    frame = FRAMES[kind].assign(times=1.0)
    frame.loc[frame.index[-50:], "times"] = 0.5
    frame.loc[frame.index[-10:], "times"] = 0.0
    frame.loc[frame.index[-5:], "site"] = "z"
    ratings = cut(frame, 100, 250)
    options = {"by": "site", "sample_weight": "times", "weight_type": "frequency"}
    found = ratings(**options).pairs(RATERS)
    assert ratings.source.chunk.cells is not None
    assert len(ratings.source.chunk.frame)
    assert_same(found, frame.kappa(**options).pairs(RATERS))


def test_pairs_are_counted_where_that_takes_less_room():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(1, 4, (9000, 12))).add_prefix("r")
    ratings = cut(frame, 3000, 8500)
    for options, counts_pairs in [
        ({}, True),
        ({"raters": ["r0", "r1"]}, False),  # of which there are nine distinct rows
        ({"missing": "listwise"}, False),
        ({"missing": "raise"}, False),
        ({"cluster": "r11", "raters": [f"r{i}" for i in range(11)]}, False),
        ({"ci": "bca", "n_resamples": 20, "rng": 1}, False),
    ]:
        found = function_of("pairs")(ratings, **options)
        assert (ratings.source.chunk.cells is not None) == counts_pairs
        assert_same(found, function_of("pairs")(frame, **options))


values = st.one_of(st.none(), st.integers(0, 3))
rows_of_values = st.lists(st.tuples(values, values, values, st.integers(0, 3)), max_size=25)


@given(rows=rows_of_values, starts=st.lists(st.integers(0, 25), max_size=4), text=st.booleans())
def test_chunks_add_up_to_the_whole(rows, starts, text):
    """Distinct rows in the order of their first appearance, with whole counts."""
    frame = pd.DataFrame(rows, columns=["ann", "bob", "site", "times"], dtype=object)
    if text:
        frame = frame.map(lambda value: value if value is None else "abcd"[value])
        frame["times"] = 1
    columns = ["ann", "bob", "site"]
    ends = [0, *sorted(min(start, len(rows)) for start in starts), len(rows)]
    adder = Adder()
    with patch.object(chunks, "MOST_WAITING", 3):
        for start, end in itertools.pairwise(ends):
            adder.add(count_rows(frame.iloc[start:end], columns, weight="times"))
        found = adder.total()
    expected = {}
    for *row, weight in frame.itertuples(index=False, name=None):
        key = (*row, weight == 0)
        expected[key] = expected.get(key, 0) + weight
    known = [tuple(row) for row in found.frame.itertuples(index=False, name=None)]
    assert known == [key[:-1] for key in expected]
    assert found.weights.tolist() == list(expected.values())
    assert found.count.dtype == np.int64


def test_the_first_of_equal_values_is_kept():
    """An object may be equal to another and of another type."""
    found = chunks_of(*(pd.Series(part, dtype=object) for part in ([1, 2.0, 1.0], [2, 1])))
    assert [type(value) for value in found.frame["ann"]] == [int, float]


def test_sums_of_weights_do_not_depend_on_the_chunks():
    """Whole weights are summed as integers, equal fractions counted; the rest is rounding."""
    frame = FRAMES["numbers"]
    weights = np.random.default_rng(4).choice([0.1, 0.7, 1 / 3, 2.0, 1e20], len(frame))
    frame = frame.assign(times=np.where(frame["site"] == "x", weights, 3.0))
    for by in (None, "site"):
        for name in ("pairs", "agreement"):
            given = {"by": by, "sample_weight": "times", "weight_type": "frequency"}
            found = [
                function_of(name)(cut(frame, *starts), RATERS, **given)
                for starts in ((), (7, 50, 200), tuple(range(0, 300, 7)))
            ]
            assert_same(found[0], found[1])
            assert_same(found[0], found[2])
            expected = function_of(name)(frame, RATERS, **given)
            assert_same(found[0], expected, rtol=1e-12, atol=1e-15)


def chunks_of(*parts):
    """Count columns of one rater, and add them up."""
    return merge([count_rows(pd.DataFrame({"ann": part}), ["ann"]) for part in parts])


def categories_of(chunk, declared=()):
    """Return the categories of the only column, and whether they are ordered."""
    column = as_counted(chunk, None, declared).frame["ann"]
    return column.cat.categories.tolist(), column.cat.ordered, column.dropna().tolist()


def categorical(values, categories, *, ordered=True):
    return pd.Categorical(values, categories=categories, ordered=ordered)


def test_categoricals_share_their_categories():
    lower, whole = categorical(["mid"], ["low", "mid"]), categorical(["top"], ["low", "mid", "top"])
    expected = (["low", "mid", "top"], True)
    assert categories_of(chunks_of(lower, whole)) == (*expected, ["mid", "top"])
    assert categories_of(chunks_of(whole, [nan, nan], lower)) == (*expected, ["top", "mid"])
    names = [categorical([x[0]], x, ordered=False) for x in (["b", "a"], ["c", "a"])]
    assert categories_of(chunks_of(*names)) == (["b", "a", "c"], False, ["b", "c"])


@pytest.mark.parametrize(
    "second",
    [
        categorical(["low"], ["mid", "low"]),
        categorical(["low"], ["low", "top"]),
        categorical(["low"], ["low", "mid"], ordered=False),
    ],
    ids=["another order", "neither knows all", "no order"],
)
def test_orders_that_differ_are_refused(second):
    message = (
        "Column 'ann' is an ordered Categorical with different categories in two parts of the "
        "data: 'low', 'mid' against 'mid', 'low'. Give all parts one order with "
        ".cat.set_categories(..., ordered=True), or pass categories=[...]."
    )
    told = ", ".join(map(repr, second.categories)) + " without an order" * (not second.ordered)
    message = message.replace("'mid', 'low'", told)
    chunk = chunks_of(categorical(["low"], ["low", "mid"]), second)
    with pytest.raises(CategoryError, match=exactly(message)):
        as_counted(chunk, None, ())
    labels = list(dict.fromkeys(["low", "mid", *second.categories]))
    assert categories_of(chunk, ["ann"]) == (labels, False, ["low"])


def parts_of_orders(orders):
    """Make parts of a frame, each an ordered Categorical of its own."""
    rng = np.random.default_rng(20261120)
    return [
        pd.DataFrame(
            {name: categorical(rng.choice(order, 9), order) for name in ("ann", "bob")}
        ).assign(item=range(place * 9, place * 9 + 9))
        for place, order in enumerate(orders)
    ]


@pytest.mark.parametrize("name", ["pairs", "agreement", "items"])
def test_declared_categories_decide_between_orders(name):
    """As they do where two raters' columns are Categoricals of different orders."""
    parts = parts_of_orders([("a", "b"), ("b", "c"), ("c", "a")])
    options = {"raters": ["ann", "bob"], "weights": "quadratic", "categories": ["a", "b", "c"]}
    expected = getattr(pd.concat([part.astype(object) for part in parts]).kappa, name)(**options)
    found = getattr(dask_like(parts), name)(**options)
    assert_frame_equal(
        found.reset_index(drop=True), expected.reset_index(drop=True), check_exact=True
    )
    with pytest.raises(CategoryError, match=r"^Column 'ann' is an ordered Categorical with"):
        getattr(dask_like(parts), name)(**options | {"categories": None})
    groups = [part.assign(cat=part["ann"]) for part in parts]
    with pytest.raises(CategoryError, match=r"^Column 'cat' is an ordered Categorical with"):
        dask_like(groups).pairs(by="cat", **options)


def dask_like(parts):
    """Make ratings of frames that stand one below the other."""
    return SourceRatings(Parts(parts))


class Parts(Source):
    """Frames whose rows stand one below the other."""

    def __init__(self, frames):
        self.frames = frames

    @property
    def columns(self):
        return list(self.frames[0].columns)

    def total(self, columns, count, add):
        return add([count(frame[columns]) for frame in self.frames])

    def gather(self, columns, *, declared=()):
        return stack_all([frame[columns] for frame in self.frames], declared)


def test_categoricals_beside_other_values_are_refused(refuses):
    text = np.array(["low"], dtype=object)
    with refuses():
        chunks_of(categorical(["low"], ["low", "mid"]), pd.Series(text, dtype=object))


ALL_DIFFER = pd.DataFrame({"ann": range(300), "bob": range(300)})


def test_too_many_distinct_rows_are_refused(refuses):
    with patch.object(chunks, "LARGEST_CHUNK", 500), refuses():
        cut(ALL_DIFFER, 150).agreement()


@pytest.mark.usefixtures("only_pairs")
def test_too_many_cells_are_refused(refuses):
    with patch.object(chunks, "LARGEST_CHUNK", 500), refuses():
        cut(ALL_DIFFER, 150).pairs()


def test_too_many_rows_are_refused(refuses):
    with patch.object(sources, "LARGEST_FRAME", 1000), refuses():
        cut(FRAMES["numbers"]).items(RATERS)


def test_arrays_cannot_be_lined_up(refuses):
    for place, option in enumerate(("sample_weight", "cluster")):
        with refuses(place):
            cut(FRAMES["numbers"]).pairs(RATERS, **{option: np.ones(300)})


def error_of(call, *args, **kwargs):
    """Return the class and the message of the error of a call."""
    with pytest.raises(pdkappa.KappaError) as caught:
        call(*args, **kwargs)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("kind", "name", "args", "kwargs"),
    [
        (ColumnNotFoundError, "pairs", (["ann", "bod"],), {}),
        (ColumnNotFoundError, "pairs", (RATERS,), {"by": "sit"}),
        (ColumnNotFoundError, "agreement", (RATERS,), {"cluster": "autor"}),
        (ColumnNotFoundError, "confusion", ("ann", "bod"), {}),
        (ColumnNotFoundError, "items", (RATERS,), {"sample_weight": "weight"}),
        (ColumnNotFoundError, "compare", (("ann", "bob"), ("ann", "bod")), {}),
        (RatingsError, "pairs", (["ann"],), {}),
        (OptionError, "pairs", ("ann",), {}),
        (OptionError, "pairs", (RATERS,), {"by": []}),
        (OptionError, "pairs", (RATERS,), {"coefficient": "kapa"}),
        (WeightsError, "pairs", (RATERS,), {"sample_weight": "site"}),
    ],
)
def test_errors_are_those_of_the_frame(kind, name, args, kwargs):
    frame = FRAMES["numbers"]
    expected = error_of(getattr(frame.kappa, name), *args, **kwargs)
    assert expected[0] is kind
    assert error_of(getattr(cut(frame, 9), name), *args, **kwargs) == expected


@pytest.mark.parametrize("starts", [(), (3,)])
def test_true_is_not_counted_with_ones(starts):
    """The two are equal to Python, and the rows are otherwise the same."""
    frame = pd.DataFrame({"ann": [1, 2, 0, True], "bob": [1, 2, 0, 1]}, dtype=object)
    for data in (frame.kappa, cut(frame, *starts)):
        with pytest.raises(RatingTypeError, match=r"^Column 'ann' mixes booleans and numbers,"):
            data.pairs(["ann", "bob"])


def test_columns_may_be_called_anything():
    names = [0, None, ("x", 1), "n"]
    frame = FRAMES["numbers"][RATERS].set_axis(pd.Index(names, tupleize_cols=False), axis=1)
    assert_same(cut(frame, 9).pairs(names), frame.kappa.pairs(names))
    assert_same(cut(frame, 9).confusion(None, 0), frame.kappa.confusion(None, 0))
    assert_same(
        cut(frame, 9).items([("x", 1), None, "n"]), frame.kappa.items([("x", 1), None, "n"])
    )


def test_categories_are_declared_once_for_all():
    order, frame = sorted(LABELS["text"]), FRAMES["text"]
    ratings = cut(frame, 9, categories=order)
    expected = frame.kappa.pairs(RATERS, weights="quadratic", categories=order)
    assert_same(ratings.pairs(RATERS, weights="quadratic"), expected)
    scores = dict(zip(order, [1, 2, 4, 8, 16], strict=True))
    expected = frame.kappa.pairs(RATERS, weights="quadratic", categories=scores)
    assert_same(ratings.pairs(RATERS, weights="quadratic", categories=scores), expected)
    assert str(ratings) == "Ratings of a frame in parts"


@pytest.mark.needs("openpyxl")
def test_a_report_is_written(tmp_path):
    path = tmp_path / "agreement.xlsx"
    ratings = cut(FRAMES["numbers"], 9)
    assert ratings.to_excel(path, RATERS[:2]) == path
    with pd.ExcelFile(path) as written:
        assert "items" not in written.sheet_names
    assert (
        ratings.report(RATERS[:2], sample_weight="times")
        .tables["notes"]
        .isin(["times"])
        .any(axis=None)
    )
