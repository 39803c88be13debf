"""The boundary: every dtype, every way to be missing, groups, weights; nothing guessed."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.ratings.coded import encode
from pdkappa.ratings.options import Reading

nan = float("nan")

ANN = [0, 1, 2, 3, 1, 0, 2, 3, 3, 1, 0, 2]
BOB = [0, 1, 2, 3, 1, 1, 2, 2, 3, 0, 0, 1]
EVE = [0, 1, 2, 3, 3, 0, 1, 3, 2, 1, 1, 2]
GAPS = (2, 7, 9, 10)  # items that somebody did not rate


def gappy(ratings, first):
    """Return the ratings with every other one of the gaps missing."""
    return [None if i in GAPS[first::2] else x for i, x in enumerate(ratings)]


def frame_of(make, *, missing=False):
    """Return the ratings of three raters, each column made by `make`."""
    columns = {"ann": ANN, "bob": BOB, "eve": EVE}
    if missing:
        columns = {name: gappy(x, i % 2) for i, (name, x) in enumerate(columns.items())}
    return pd.DataFrame({name: make(x) for name, x in columns.items()})


def estimate(data, **options):
    """Return the coefficient of the only pair."""
    return pdkappa.pairs(data, **options)["estimate"].item()


def two(a, b):
    """Return a frame of two raters."""
    return pd.DataFrame({"a": a, "b": b})


def by_definition(a, b, distance=lambda x, y: x != y):
    """Compute kappa as it is defined, in exact arithmetic: 1 - D_o / D_e."""
    rated = [(x, y) for x, y in zip(a, b, strict=True) if not (pd.isna(x) or pd.isna(y))]
    observed = sum(Fraction(distance(x, y)) for x, y in rated) * len(rated)
    expected = sum(Fraction(distance(x, y)) for (x, _), (_, y) in product(rated, rated))
    return float(1 - observed / expected)


def squared(x, y):
    """Squared distance of two numbers."""
    return (Fraction(x) - Fraction(y)) ** 2


def series(values, dtype):
    """Return values as a Series of some dtype."""
    return pd.Series(values, dtype=dtype)


def as_dtype(dtype):
    """Return a maker of columns of one dtype."""
    return lambda values: pd.Series(values, dtype=dtype)


def each(convert, dtype="object"):
    """Return a maker of columns that converts every rating by itself."""
    return lambda values: pd.Series(
        [None if x is None else convert(x) for x in values], dtype=dtype
    )


def arrow(kind):
    """Return a maker of Arrow columns."""
    return as_dtype(pd.ArrowDtype(kind))


# --- every dtype -------------------------------------------------------------------------------

PLAIN = {
    name: as_dtype(name)
    for name in (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "longdouble", "object", "category"),
    )
}
NULLABLE = {
    **{name: as_dtype(name) for name in ("Int8", "Int64", "UInt8", "Float32", "Float64")},
    "floats": as_dtype("float64"),
    "singles": as_dtype("float32"),
    "objects": as_dtype("object"),
    "Categorical": lambda values: pd.Series(pd.Categorical(values)),
    "Categorical of floats": lambda values: pd.Series(pd.Categorical(pd.array(values, "Float64"))),
    "Sparse": lambda values: pd.Series(pd.arrays.SparseArray(pd.Series(values, dtype=float))),
    "arrow int8": arrow(pa.int8()),
    "arrow uint64": arrow(pa.uint64()),
    "arrow float": arrow(pa.float32()),
    "arrow double": arrow(pa.float64()),
    "arrow decimal": each(Decimal, pd.ArrowDtype(pa.decimal128(10, 2))),
    "Decimal": each(Decimal),
    "Decimal with zeros": each(lambda x: Decimal(f"{x}.00")),
    "Fraction": each(Fraction),
    "NumPy scalars": each(np.int8),
    "mixed NumPy scalars": each(lambda x: np.float32(x) if x % 2 else np.uint16(x)),
    "int and float": each(lambda x: float(x) if x % 2 else x),
}
TEXT = {
    "object": each(str),
    "str": each(str, "str"),
    "string": each(str, "string"),
    "string[python]": each(str, "string[python]"),
    "string[pyarrow]": each(str, "string[pyarrow]"),
    "arrow string": each(str, pd.ArrowDtype(pa.string())),
    "arrow large string": each(str, pd.ArrowDtype(pa.large_string())),
    "arrow dictionary": lambda values: pd.Series(
        pd.arrays.ArrowExtensionArray(
            pa.array([None if x is None else str(x) for x in values]).dictionary_encode()
        )
    ),
    "Categorical": lambda values: each(str)(values).astype("category"),
    "NumPy strings": each(np.str_),
}
OTHER = {
    "datetime": each(lambda x: pd.Timestamp(2020, 1, x + 1), "datetime64[ns]"),
    "datetime in seconds": each(lambda x: pd.Timestamp(2020, 1, x + 1), "datetime64[s]"),
    "datetime with zone": each(
        lambda x: pd.Timestamp(2020, 1, x + 1, tz="Europe/Berlin"),
        "datetime64[ns, Europe/Berlin]",
    ),
    "NumPy datetimes": each(lambda x: np.datetime64("2020-01-01") + np.timedelta64(int(x), "D")),
    "date": each(lambda x: dt.date(2020, 1, x + 1)),
    "timedelta": each(lambda x: pd.Timedelta(days=x), "timedelta64[ns]"),
    "time": each(dt.time),
    "Period": each(lambda x: pd.Period(f"{2020 + x}", freq="Y"), pd.PeriodDtype("Y-DEC")),
    "Interval": each(lambda x: pd.Interval(x, x + 1), pd.IntervalDtype("float64", "right")),
    "tuple": each(lambda x: (x, "x")),
    "bytes": each(lambda x: str(x).encode()),
    "arrow timestamp": each(
        lambda x: pd.Timestamp(2020, 1, x + 1), pd.ArrowDtype(pa.timestamp("ns"))
    ),
    "arrow timestamp with zone": each(
        lambda x: pd.Timestamp(2020, 1, x + 1, tz="UTC"), pd.ArrowDtype(pa.timestamp("us", "UTC"))
    ),
    "arrow date": each(lambda x: dt.date(2020, 1, x + 1), pd.ArrowDtype(pa.date32())),
    "arrow duration": each(lambda x: pd.Timedelta(days=x), pd.ArrowDtype(pa.duration("s"))),
    "arrow binary": each(lambda x: str(x).encode(), pd.ArrowDtype(pa.binary())),
}


WEIGHTED = [None, "quadratic", *(set(WEIGHTS) - {None, "quadratic"})]


def every_result(data, weights):
    """Return kappa under all the given weights, and all coefficients under one."""
    calls = {*product(COEFFICIENTS, weights[:2][-1:]), *product(["cohen"], weights)}
    calls = sorted(calls, key=str)
    return pd.concat([pdkappa.pairs(data, coefficient=c, weights=w) for c, w in calls])


@pytest.fixture(scope="module", name="reference")
def results_of_plain_numbers():
    """Return the results of int64, and of float64 where ratings are missing."""
    return {
        (missing, named): every_result(
            frame_of(as_dtype("float64" if missing else "int64"), missing=missing),
            WEIGHTED if named == "all" else [None],
        )
        for missing, named in product((False, True), ("all", "nominal"))
    }


@pytest.mark.parametrize("make", PLAIN.values(), ids=PLAIN)
def test_numbers_of_every_dtype_give_the_same_bits(make, reference):
    found = every_result(frame_of(make), WEIGHTED)
    assert_frame_equal(found, reference[False, "all"], check_exact=True)


@pytest.mark.parametrize("make", NULLABLE.values(), ids=NULLABLE)
def test_numbers_that_may_be_missing_give_the_same_bits(make, reference):
    for missing in (False, True):
        found = every_result(frame_of(make, missing=missing), WEIGHTED)
        expected, obj = reference[missing, "all"], f"{missing=}"
        assert_frame_equal(found, expected, check_exact=True, obj=obj)


@pytest.mark.parametrize(
    "make",
    [*TEXT.values(), *OTHER.values()],
    ids=[*(f"text {name}" for name in TEXT), *OTHER],
)
def test_labels_of_every_dtype_give_the_same_bits(make, reference):
    for missing in (False, True):
        data = frame_of(make, missing=missing)
        expected, obj = reference[missing, "nominal"], f"{missing=}"
        assert_frame_equal(every_result(data, [None]), expected, check_exact=True, obj=obj)
        numbers = frame_of(as_dtype("Int64"), missing=missing)
        tables = [pdkappa.confusion(one, "ann", "bob").to_numpy() for one in (data, numbers)]
        assert tables[0].tolist() == tables[1].tolist(), obj


@pytest.mark.oracle
@pytest.mark.parametrize("makes", [NULLABLE, TEXT, OTHER], ids=["numbers", "text", "other"])
def test_the_crosscheck_reads_every_dtype_alike(makes):
    for name, make in {**makes, "Decimal tenths": each(lambda x: Decimal(x) / 10)}.items():
        check = pdkappa.crosscheck(frame_of(make, missing=True), ["ann", "bob"])
        assert check["agrees"].eq(other=True).all(), name


@pytest.mark.parametrize(
    "make",
    [as_dtype("bool"), as_dtype("boolean"), arrow(pa.bool_()), each(bool), each(np.bool_)],
    ids=["bool", "boolean", "arrow", "object", "NumPy scalars"],
)
def test_booleans_are_the_numbers_0_and_1(make):
    bits = frame_of(lambda values: [int(x > 1) for x in values])
    data = frame_of(lambda values: make([x > 1 for x in values]))
    for weights in WEIGHTS:
        expected = pdkappa.pairs(bits, weights=weights, categories=[0, 1])
        found = pdkappa.pairs(data, weights=weights)
        assert_frame_equal(found, expected, check_exact=True, obj=str(weights))


def test_raters_may_differ_in_dtype():
    data = frame_of(as_dtype("int64"))
    mixed = data.assign(
        bob=data["bob"].astype("Float64"), eve=[Decimal(x) for x in data["eve"].tolist()]
    )
    for weights in WEIGHTS:
        expected = pdkappa.pairs(data, weights=weights)
        assert_frame_equal(pdkappa.pairs(mixed, weights=weights), expected, check_exact=True)


@pytest.mark.parametrize("other", [[1, 0, 1, 1], [1.0, 0.0, 1.0, 1.0], [Decimal(1), 0, 1, 1]])
def test_booleans_match_the_numbers_0_and_1(other):
    assert estimate(two([True, False, True, True], other)) == 1


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Name(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([Colour.RED, Colour.BLUE, Colour.RED], [Colour.RED, Colour.BLUE, Colour.BLUE]),
        ([Name.RED, Name.BLUE, Name.RED], ["red", "blue", "blue"]),
        ([Level.LOW, Level.HIGH, Level.LOW], [1, 2, 2]),
        ([frozenset("x"), frozenset(), frozenset("x")], [frozenset("x"), frozenset(), frozenset()]),
        ([True, False, True], [np.True_, np.False_, np.False_]),
    ],
    ids=["Enum", "StrEnum", "IntEnum", "frozenset", "NumPy bool"],
)
def test_values_that_can_be_hashed_are_labels(a, b):
    data = two(pd.Series(a, dtype=object), pd.Series(b, dtype=object))
    assert estimate(data) == pytest.approx(0.4)
    assert pdkappa.confusion(data, "a", "b").to_numpy().sum() == 3


def test_tuples_are_shown_as_they_are():
    table = pdkappa.confusion(two([(1, "x"), (2, "y")], [(1, "x"), (1, "x")]), "a", "b")
    assert table.index.tolist() == [(1, "x"), (2, "y")]
    assert table.index.name == "a"


def test_intervals_of_cut_keep_their_order():
    low_to_high = [pd.cut(x, [-1, 0, 1, 2, 3]) for x in (ANN, BOB)]
    expected = estimate(two(ANN, BOB), weights="quadratic")
    assert estimate(two(*low_to_high), weights="quadratic") == expected


# --- numbers -----------------------------------------------------------------------------------


def test_minus_zero_is_zero():
    data = two([-0.0, 0.0, 1.0, 1.0], [0.0, -0.0, 1.0, -0.0])
    for dtype in ("float64", "float32"):
        assert estimate(data.astype(dtype)) == 0.5
        assert str(pdkappa.confusion(data.astype(dtype), "a", "b").index[0]) == "0.0"


BIG = 2**53


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "object", "int64[pyarrow]"])
def test_integers_beyond_the_floats_keep_identity_and_distance(dtype):
    small = two([0, 1, 3, 0], [1, 1, 3, 0])
    for start in (BIG, 2**62):
        large = (small + start).astype(dtype)
        labels = [start, start + 1, start + 3]
        assert pdkappa.confusion(large, "a", "b").index.tolist() == labels
        for weights in set(WEIGHTS) - {"ratio"}:
            expected = pytest.approx(estimate(small, weights=weights))
            assert estimate(large, weights=weights) == expected, (start, weights)


def test_unsigned_integers_beyond_int64_keep_identity():
    top = 2**63
    data = two(series([top + 1, top + 5], "uint64"), series([top + 1, -1], "object"))
    assert pdkappa.confusion(data, "a", "b").index.tolist() == [-1, top + 1, top + 5]
    assert estimate(data) == pytest.approx(1 / 3)


@pytest.mark.filterwarnings("ignore::pdkappa.LookalikeLabelsWarning")
def test_large_numbers_beside_fractions_keep_identity():
    data = two([BIG, BIG + 1, BIG], series([BIG, BIG + 1, 0.25], "object"))
    labels = pdkappa.confusion(data, "a", "b").index.tolist()
    assert labels == [0.25, BIG, BIG + 1]
    assert estimate(data) == by_definition([BIG, BIG + 1, BIG], [BIG, BIG + 1, Fraction(1, 4)])


def test_numbers_that_a_float_cannot_tell_apart_are_no_distance_of_zero():
    data = pd.DataFrame({"a": [BIG, BIG + 1], "b": [BIG + 1, BIG], "c": [0, BIG]})
    with pytest.raises(errors.CategoryError, match="cannot tell"):
        pdkappa.pairs(data, weights="linear")
    assert pdkappa.pairs(data, weights="linear", distance="rank")["estimate"][0] == -1


def test_ratios_of_large_numbers_are_those_of_small_ones():
    small, large = two([1, 2, 4], [1, 4, 4]), two([2**53, 2**54, 2**55], [2**53, 2**55, 2**55])
    assert estimate(large, weights="ratio") == estimate(small, weights="ratio")


@pytest.mark.parametrize(
    ("dtype", "a", "b"),
    [
        ("uint8", [1, 2, 255, 0, 7], [2, 1, 250, 3, 7]),
        ("int8", [-128, 127, 0, 100, -100], [-127, 127, 100, 0, 100]),
        ("uint64", [2**63, 2**63 + 1, 2**63 + 9], [2**63 + 1, 2**63, 2**63 + 9]),
        ("int16", [-32768, 32767, 0, 1, 2], [32767, 32767, 1, 0, 2]),
    ],
)
def test_differences_do_not_wrap_around(dtype, a, b):
    data = two(series(a, dtype), series(b, dtype))
    assert estimate(data, weights="quadratic") == pytest.approx(by_definition(a, b, squared))
    scalars = two(*(pd.Series([x.dtype.type(y) for y in x], dtype=object) for _, x in data.items()))
    assert estimate(scalars, weights="quadratic") == estimate(data, weights="quadratic")


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600, 2.0**-1060])
def test_huge_and_tiny_numbers_do_not_overflow(scale):
    data = two([1, 2, 3, 5, 4], [1, 3, 3, 5, 5])
    for weights in ("linear", "quadratic", "radical", "ratio", "bipolar"):
        expected = pdkappa.pairs(data, weights=weights)
        assert_frame_equal(pdkappa.pairs(data * scale, weights=weights), expected, obj=weights)


def test_an_integer_beyond_every_float_is_a_label_and_no_position():
    a, b = [1, 10**400, 1], [1, 2, 2]
    data = two(pd.Series(a, dtype=object), b)
    assert estimate(data) == pytest.approx(by_definition(a, b))
    with pytest.raises(errors.CategoryError, match="needs finite ratings, got 1000"):
        estimate(data, weights="linear")


def test_infinity_is_a_label_and_no_position():
    data = two([1, 2, np.inf], [1, 2, 3])
    assert estimate(data) == pytest.approx(4 / 7)
    assert estimate(data, weights="linear", distance="rank") == estimate(
        two([1, 2, 4], [1, 2, 3]), weights="linear"
    )
    with pytest.raises(errors.CategoryError, match="needs finite ratings, got inf"):
        estimate(data, weights="quadratic")


def test_decimals_match_the_floats_that_are_written_alike():
    texts = ["0.1", "0.2", "2.50", "7"]
    data = two([Decimal(x) for x in texts], [float(x) for x in texts])
    assert estimate(data) == 1
    assert pdkappa.confusion(data, "a", "b").index.tolist() == [0.1, 0.2, 2.5, 7]


def test_decimals_beyond_the_floats_keep_identity():
    a = [Decimal("0.10000000000000000000001"), Decimal("0.1"), Decimal(12345678901234567890)]
    data = two(a, [a[1], a[1], a[2]])
    assert estimate(data) == pytest.approx(0.5)


# --- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["object", "str", "string", "string[pyarrow]", "category"])
@pytest.mark.filterwarnings("ignore::pdkappa.LookalikeLabelsWarning")
def test_texts_that_read_as_missing_are_labels(dtype):
    a = ["nan", "NA", "", "None", "<NA>", "NaT", "null", "x"]
    data = two(series(a, dtype), series([*a[:-1], "NA"], dtype))
    result = pdkappa.pairs(data).iloc[0]
    assert result["n_items"] == 8
    assert result["estimate"] == pytest.approx(by_definition(a, [*a[:-1], "NA"]))
    assert set(pdkappa.confusion(data, "a", "b").index) == set(a)


# --- missing -----------------------------------------------------------------------------------

NOTHING = {
    "None": None,
    "NaN": nan,
    "NumPy NaN": np.float32("nan"),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "NumPy NaT": np.datetime64("NaT", "s"),
    "Decimal NaN": Decimal("NaN"),
}


@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_whatever_is_missing_is_never_a_category(nothing):
    for values in ([1, 2, 3], ["x", "y", "z"], [1.5, 2, Decimal(3)], [True, False, True]):
        a, b = [*values, nothing, values[0]], [*values[:2], values[0], values[1], nothing]
        data = two(pd.Series(a, dtype=object), pd.Series(b, dtype=object))
        expected, obj = pdkappa.pairs(data.iloc[:3]), str(values)
        assert_frame_equal(pdkappa.pairs(data), expected, check_exact=True, obj=obj)
        assert len(pdkappa.confusion(data, "a", "b")) == len(set(values)), values


def test_all_sorts_of_missing_in_one_column():
    a = pd.Series([*NOTHING.values(), 1, 2], dtype=object)
    result = pdkappa.pairs(two(a, [1] * len(NOTHING) + [1, 2])).iloc[0]
    assert (result["n_items"], result["estimate"]) == (2, 1)


@pytest.mark.parametrize(
    "column",
    [
        pd.array([0.0, 1, 2, 3], "Float64") / pd.array([0.0, 1, 1, 1], "Float64"),
        pd.arrays.ArrowExtensionArray(pa.array([nan, 1.0, 2.0, 3.0])),
        pd.arrays.ArrowExtensionArray(pa.array([None, 1.0, 2.0, 3.0])),
        pd.arrays.SparseArray([nan, 1.0, 2.0, 3.0]),
    ],
    ids=["Float64", "arrow NaN", "arrow null", "Sparse"],
)
def test_not_a_number_is_missing_in_every_float(column):
    result = pdkappa.pairs(two(column, [1, 1, 2, 3])).iloc[0]
    assert (result["n_items"], result["estimate"]) == (3, 1)


def test_a_missing_rating_is_left_out_of_its_pairs_only():
    data = pd.DataFrame({"a": [1, 2, 3, 3, 1], "b": [1, 2, 3, nan, 1], "c": [1, nan, nan, 2, 2]})
    result = pdkappa.pairs(data)
    assert result["n_items"].tolist() == [4, 3, 2]
    for row in result.itertuples():
        complete = data[[row.rater_a, row.rater_b]].dropna()
        assert row.estimate == estimate(complete, categories=[1, 2, 3])


def test_listwise_keeps_the_items_that_all_rated():
    data = pd.DataFrame({"a": [1, 2, 3, 3, 9], "b": [1, 2, 2, nan, 9], "c": [1, 1, 3, 2, nan]})
    expected = pdkappa.pairs(data.dropna())
    assert_frame_equal(pdkappa.pairs(data, missing="listwise"), expected, check_exact=True)
    for coefficient in COEFFICIENTS:  # a category that only left out items hold is gone too
        options = {"coefficient": coefficient, "weights": "quadratic"}
        listwise = pdkappa.pairs(data, missing="listwise", **options)
        assert_frame_equal(listwise, pdkappa.pairs(data.dropna(), **options), check_exact=True)


def test_raise_refuses_a_missing_rating():
    data = two([1, 2, 3], [1, nan, 3])
    with pytest.raises(errors.RatingsError, match="'b' has 1 missing"):
        pdkappa.pairs(data, missing="raise")
    assert_frame_equal(pdkappa.pairs(data.dropna(), missing="raise"), pdkappa.pairs(data.dropna()))


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_raise_ignores_items_that_do_not_count():
    data = pd.DataFrame({"a": [1, 2, 3, 1], "b": [1, nan, 3, nan], "g": ["x", None, "x", "x"]})
    options = {"missing": "raise", "by": "g", "sample_weight": [1, 1, 1, 0]}
    assert pdkappa.pairs(data, **options)["n_items"].tolist() == [2]


@given(
    rows=st.lists(st.tuples(*[st.sampled_from([1, 2, 3, None])] * 2), min_size=1, max_size=12),
    weights=st.sampled_from([None, "linear", "quadratic"]),
)
def test_missing_is_the_same_as_left_out(rows, weights):
    data = pd.DataFrame(rows, columns=["a", "b"], dtype="Int64")
    options = {"weights": weights, "categories": [1, 2, 3]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.KappaWarning)
        whole = pdkappa.pairs(data, **options)
        complete = pdkappa.pairs(data.dropna(), **options)
    same = [name for name in whole if name != "reason"]
    assert_frame_equal(whole[same], complete[same], check_exact=True)


# --- kinds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 2, 3], ["1", "2", "3"]),
        ([True, False, True], ["True", "False", "True"]),
        ([True, False, True], [1, 0, 2]),
        ([True, False, True], [1, 0, 0.5]),
        ([b"x", b"y", b"x"], ["x", "y", "x"]),
        (pd.to_datetime(["2020", "2021", "2022"]), ["2020-01-01", "2021-01-01", "2022-01-01"]),
        (pd.to_datetime(["2020", "2021", "2022"]), [dt.date(2020, 1, 1)] * 3),
        (
            pd.to_datetime(["2020", "2021", "2022"]),
            pd.to_datetime(["2020", "2021", "2022"]).tz_localize("UTC"),
        ),
        (
            pd.PeriodIndex(["2020", "2021", "2022"], freq="Y"),
            pd.PeriodIndex(["2020-01", "2021-01", "2022-01"], freq="M"),
        ),
        (pd.to_timedelta([1, 2, 3], "D"), [1, 2, 3]),
        (pd.Categorical([1, 2, 3]), pd.Categorical(["1", "2", "3"])),
        (pd.Series([1, "x", 2], dtype=object), [1, 2, 3]),
        (pd.Series([1, True, 2], dtype=object), [1, 1, 2]),
        (pd.Series([0, False, 2], dtype=object), [0, 0, 2]),
        ([1j, 2, 3], [1, 2, 3]),
        (pd.Series([1 + 0j, 2, 3], dtype=object), [1, 2, 3]),
        (np.array([1, 2, 3], dtype=np.complex64), [1, 2, 3]),
        ([[1], [2], [3]], [1, 2, 3]),
        ([{"x": 1}] * 3, [1, 2, 3]),
        ([{1}, {2}, {3}], [1, 2, 3]),
        ([np.array([1])] * 3, [1, 2, 3]),
        (pd.array([[1], [2], [3]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))), [1, 2, 3]),
        (pd.array([{"x": 1}] * 3, dtype=pd.ArrowDtype(pa.struct([("x", pa.int64())]))), [1, 2, 3]),
        ([(1, nan), (2, 2), (1, nan)], [(1, nan), (2, 2), (1, nan)]),
    ],
)
def test_kinds_that_cannot_match_are_refused(a, b):
    for data in (two(a, b), two(b, a)):
        with pytest.raises(errors.RatingTypeError):
            pdkappa.pairs(data)


def test_the_same_instant_in_two_time_zones_matches():
    utc = pd.to_datetime(["2020", "2021", "2022"]).tz_localize("UTC")
    assert estimate(two(utc, utc.tz_convert("Asia/Tokyo"))) == 1
    assert estimate(two(utc.as_unit("s"), utc.as_unit("ns"))) == 1


# --- Categoricals ------------------------------------------------------------------------------


def test_categoricals_are_matched_by_value():
    a, b = ["x", "y", "z", "x", "y"], ["x", "y", "z", "y", "z"]
    expected = estimate(two(a, b))
    for lists in product([["x", "y", "z"], ["z", "y", "x"], ["y", "unused", "z", "x"]], repeat=2):
        columns = [pd.Categorical(x, categories=c) for x, c in zip((a, b), lists, strict=True)]
        assert estimate(two(*columns)) == expected


def test_a_categorical_matches_plain_values():
    assert estimate(two(pd.Categorical(["x", "y", "x"]), ["x", "y", "y"])) == pytest.approx(0.4)
    numbers = two(pd.Categorical([1, 2, 3]), [1.0, 2.0, 2.0])
    assert estimate(numbers, weights="quadratic") == pytest.approx(2 / 3)
    assert estimate(two(pd.Categorical([True, False, True]), [1, 0, 0])) == pytest.approx(0.4)


def test_unused_declared_categories_belong_to_the_scale():
    plain = two(["x", "y", "x"], ["x", "y", "y"])
    declared = plain.astype(pd.CategoricalDtype(["x", "y", "unused"]))
    assert pdkappa.confusion(declared, "a", "b").shape == (3, 3)
    for coefficient in ("cohen", "scott", "krippendorff", "percent"):
        assert estimate(declared, coefficient=coefficient) == estimate(
            plain, coefficient=coefficient
        )
    for coefficient in ("brennan_prediger", "gwet"):
        assert estimate(declared, coefficient=coefficient) == estimate(
            plain, coefficient=coefficient, categories=["x", "y", "unused"]
        )
        assert estimate(declared, coefficient=coefficient) != estimate(
            plain, coefficient=coefficient
        )


@pytest.mark.parametrize("n", [126, 127, 128, 129, 32766, 32767, 32768])
def test_codes_of_any_width(n):
    """Codes are int8, int16 or int32, just wide enough."""
    labels = [f"c{number}" for number in range(n)]
    codes = [0, n - 1, n // 2, -1, 1], [0, n - 1, 1, 1, -1]
    data = two(*(pd.Categorical.from_codes(x, labels) for x in codes))
    result = pdkappa.pairs(data).iloc[0]
    assert (result["n_items"], result["estimate"]) == (3, pytest.approx(4 / 7))


SIZES = ["small", "medium", "large"]


def test_ordered_categoricals_bring_their_order():
    a, b = ["small", "medium", "large", "small"], ["small", "medium", "medium", "large"]
    ordered = two(a, b).astype(pd.CategoricalDtype(SIZES, ordered=True))
    numbers = two(a, b).map(SIZES.index) + 1
    for weights in WEIGHTS:
        expected = pdkappa.pairs(numbers, weights=weights, categories=[1, 2, 3])
        assert_frame_equal(pdkappa.pairs(ordered, weights=weights), expected, check_exact=True)


def test_ordered_categoricals_of_numbers_are_positions():
    data = two([1, 2, 10, 1], [1, 10, 10, 2]).astype(pd.CategoricalDtype([1, 2, 10], ordered=True))
    positions = data.astype("int64").map({1: 1, 2: 2, 10: 3}.get)
    assert estimate(data, weights="linear") == estimate(positions, weights="linear")


@pytest.mark.parametrize("other", [["large", "small", "medium"], ["small", "large"]])
def test_ordered_categoricals_of_different_orders(other):
    data = two(
        pd.Categorical(["small", "large", "small"], categories=SIZES, ordered=True),
        pd.Categorical(["small", "large", "large"], categories=other, ordered=True),
    )
    for weights in WEIGHTS:
        if weights is None:
            assert estimate(data) == pytest.approx(0.4)
        else:
            with pytest.raises(errors.CategoryError, match="different categories"):
                estimate(data, weights=weights)
            assert np.isfinite(estimate(data, weights=weights, categories=SIZES))


def test_one_ordered_categorical_is_the_order_of_all():
    data = two(
        pd.Categorical(["small", "large", "small"], categories=SIZES, ordered=True),
        ["small", "large", "medium"],
    )
    expected = estimate(two([1, 3, 1], [1, 3, 2]), weights="linear")
    assert estimate(data, weights="linear") == expected
    with pytest.raises(errors.CategoryError, match="not in the ordered categories of 'a'"):
        estimate(data.replace({"b": {"medium": "huge"}}), weights="linear")


def test_an_unused_category_of_another_kind_is_refused():
    data = two(pd.Categorical([None, None], categories=["x"]), [1, 2])
    with pytest.raises(errors.RatingTypeError):
        pdkappa.pairs(data)


# --- raters ------------------------------------------------------------------------------------

WIDE = pd.DataFrame(
    {
        "a": [1, 2, 3, 1, 2, 3],
        "b": [1, 2, 2, 1, 3, 3],
        "group": ["x", "x", "x", "y", "y", "y"],
        "times": [1, 2, 1, 3, 1, 1],
    }
)


def raters_of(result):
    """Return the pairs of raters of a result."""
    return list(zip(result["rater_a"], result["rater_b"], strict=True))


def test_by_and_sample_weight_are_no_raters():
    result = pdkappa.pairs(WIDE, by="group", sample_weight="times")
    assert raters_of(result) == [("a", "b")] * 2
    assert raters_of(pdkappa.pairs(WIDE.drop(columns="group"))) == [
        *(("a", "b"), ("a", "times"), ("b", "times"))
    ]


def test_raters_are_taken_in_the_order_given():
    for make in (list, tuple, np.array, pd.Index, pd.Series, iter, dict.fromkeys):
        assert raters_of(pdkappa.pairs(WIDE, make(["b", "a"]))) == [("b", "a")], make


def test_columns_that_are_not_asked_for_are_not_looked_at():
    data = WIDE.assign(junk=[[1], {2}, 3j, "x", None, b""])
    expected = pdkappa.pairs(WIDE, ["a", "b"])
    assert_frame_equal(pdkappa.pairs(data, ["a", "b"]), expected, check_exact=True)


def test_duplicate_columns():
    data = pd.DataFrame([[1, 2, 0, 0], [2, 2, 0, 0]], columns=["a", "b", "c", "c"])
    assert raters_of(pdkappa.pairs(data, ["a", "b"])) == [("a", "b")]
    for options in ({"raters": ["a", "c"]}, {"raters": ["a", "b"], "by": "c"}, {}):
        with pytest.raises(errors.DuplicateRatingError, match="several columns 'c'"):
            pdkappa.pairs(data, **options)
    with pytest.raises(errors.DuplicateRatingError, match="several columns 'c'"):
        pdkappa.pairs(data, ["a", "b"], sample_weight="c")


def test_columns_of_several_levels():
    levels = [("rater", "a"), ("rater", "b"), ("item", "group"), ("item", "times")]
    data = WIDE.set_axis(pd.MultiIndex.from_tuples(levels), axis=1)
    options = {"by": ("item", "group"), "sample_weight": ("item", "times")}
    result = pdkappa.pairs(data, **options)
    assert raters_of(result) == [(("rater", "a"), ("rater", "b"))] * 2
    expected = pdkappa.pairs(WIDE, by="group", sample_weight="times")
    assert_allclose(result["estimate"], expected["estimate"], rtol=0)
    square = pdkappa.pairwise(data, levels[:2])
    assert square.index.tolist() == square.columns.tolist() == levels[:2]
    with pytest.raises(errors.DuplicateRatingError):
        pdkappa.pairs(data, ["rater", ("item", "times")])


@pytest.mark.parametrize("names", [[0, 1], [None, "b"], [1.5, "b"], [(1, 2), (3,)], [True, 2]])
def test_a_rater_may_have_any_name(names):
    data = pd.DataFrame(dict(zip(names, (ANN, BOB), strict=True)))
    data.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    assert estimate(data) == estimate(two(ANN, BOB))
    assert pdkappa.pairwise(data).shape == (2, 2)


# --- empty and small ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        two([], []),
        two(series([], "object"), series([], "object")),
        two(series([], "int64"), series([], "category")),
        two([nan] * 3, [None] * 3),
        two(series([None] * 3, pd.ArrowDtype(pa.null())), series([None] * 3, "Int64")),
    ],
    ids=["no rows", "objects", "mixed dtypes", "all missing", "nulls"],
)
def test_nothing_gives_nothing(data):
    of_scores = lambda s: np.abs(np.subtract.outer(s, s)) / s.max()  # noqa: E731
    for weights in (*WEIGHTS, [[0, 1], [1, 0]], of_scores):
        with pytest.warns(errors.UndefinedKappaWarning, match="no_items"):
            result = pdkappa.pairs(data, weights=weights).iloc[0]
        assert (result["n_items"], result["reason"]) == (0, "no_items"), weights
        assert np.isnan(result["estimate"]), weights


def test_nothing_gives_an_empty_confusion_table():
    for data in (two([], []), two([nan], [nan])):
        assert pdkappa.confusion(data, "a", "b").shape == (0, 0)


def test_one_row():
    row = pdkappa.pairs(two([1], [2])).iloc[0]
    assert (row["n_items"], row["estimate"], row["reason"]) == (1, 0, "n_lt_2")
    with pytest.warns(errors.UndefinedKappaWarning, match="constant_ratings"):
        assert np.isnan(estimate(two([1], [1])))


def test_one_rater_who_rated_nothing():
    with pytest.warns(errors.UndefinedKappaWarning, match="no_joint_items"):
        result = pdkappa.pairs(two([1, 2], [None, None])).iloc[0]
    assert (result["n_items"], result["reason"]) == (0, "no_joint_items")


def test_no_joint_item():
    with pytest.warns(errors.UndefinedKappaWarning, match="no_joint_items"):
        assert np.isnan(estimate(two([1, 2, nan, nan], [nan, nan, 1, 2])))


# --- groups ------------------------------------------------------------------------------------


def group_by_group(data, groups, **options):
    """Compute the estimates one group at a time."""
    return [estimate(data.loc[groups == group, ["a", "b"]], **options) for group in groups.unique()]


GROUPS = {
    "text": ["x", "x", "x", "y", "y", "y"],
    "ints": [1, 1, 1, 2, 2, 2],
    "negative": [-5, -5, -5, 7, 7, 7],
    "far": [1, 1, 1, 2**60, 2**60, 2**60],
    "floats": [0.5, 0.5, 0.5, 1.5, 1.5, 1.5],
    "bools": [False] * 3 + [True] * 3,
    "datetimes": pd.to_datetime(["2020"] * 3 + ["2021"] * 3),
    "tuples": [("x", 1)] * 3 + [("y", 2)] * 3,
    "sets": [frozenset("x")] * 3 + [frozenset("y")] * 3,
    "mixed": [1, 1, 1, "x", "x", "x"],
    "Int64": pd.array([1, 1, 1, 2, 2, 2], dtype="Int64"),
    "arrow": pd.array(list("xxxyyy"), dtype=pd.ArrowDtype(pa.string())),
    "Interval": pd.cut([1, 1, 1, 2, 2, 2], 2),
}


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_groups_are_computed_one_by_one(groups):
    data = WIDE[["a", "b"]].assign(group=groups)
    expected = group_by_group(data, data["group"])
    result = pdkappa.pairs(data, by="group")
    assert result["estimate"].tolist() == expected
    assert result.index.tolist() == data["group"].unique().tolist()
    assert pdkappa.pairs(data, by=["group"])["estimate"].tolist() == expected
    made = pdkappa.grouped(data, "a", "b", by="group", weights=None)
    assert made.groups["estimate"].tolist() == expected
    assert pdkappa.pairwise(data, by="group").shape == (4, 2)
    assert pdkappa.confusion(data, "a", "b", by="group").to_numpy().sum() == 6


@pytest.mark.parametrize(
    "groups",
    [
        ["x", "x", "x", None, "y", "y"],
        [1.0, 1.0, 1.0, nan, 2.0, 2.0],
        pd.array([1, 1, 1, None, 2, 2], dtype="Int64"),
        pd.to_datetime(["2020"] * 3 + [None] + ["2021"] * 2),
        pd.Categorical(["x", "x", "x", None, "y", "y"]),
    ],
    ids=["None", "NaN", "NA", "NaT", "code -1"],
)
@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.UndeclaredCategoriesWarning")
def test_items_without_a_group_are_left_out(groups):
    for dtype in ("int64", "str"):
        data = WIDE[["a", "b"]].astype(dtype).assign(group=groups)
        left = data[data["group"].notna()]
        for options in ({}, {"coefficient": "gwet"}, {"missing": "listwise"}):
            found, expected = (pdkappa.pairs(one, by="group", **options) for one in (data, left))
            assert_frame_equal(found, expected, check_exact=True, obj=f"{dtype} {options}")
        grouped = pdkappa.grouped(data, "a", "b", by="group", weights=None)
        assert grouped.groups.shape[0] == 2, dtype


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_an_item_without_a_group_does_not_widen_the_scale():
    data = WIDE[["a", "b"]].assign(group=["x", "x", "x", "y", "y", None])
    data.loc[5, ["a", "b"]] = 99
    expected = pdkappa.pairs(data.iloc[:5], by="group", coefficient="gwet")
    result = pdkappa.pairs(data, by="group", coefficient="gwet")
    assert_frame_equal(result, expected, check_exact=True)
    assert 99 not in pdkappa.confusion(data, "a", "b", by="group").columns


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_no_group_at_all():
    result = pdkappa.pairs(WIDE[["a", "b"]].assign(group=nan), by="group")
    assert result.empty
    assert list(result) == list(pdkappa.pairs(WIDE, ["a", "b"], by="group"))
    assert pdkappa.pairwise(WIDE[["a", "b"]].assign(group=nan), by="group").shape == (0, 2)


def test_several_group_columns():
    data = WIDE[["a", "b"]].assign(g=list("xxyyyy"), h=[1, 1, 2, 1, 2, 1])
    result = pdkappa.pairs(data, by=["g", "h"])
    assert result.index.tolist() == [("x", 1), ("y", 1), ("y", 2)]
    assert result["n_items"].tolist() == [2, 2, 2]
    assert pdkappa.pairwise(data, by=["g", "h"]).index.names == ["g", "h", "rater"]


def test_groups_of_a_categorical_are_those_observed_in_its_order():
    groups = pd.Categorical(WIDE["group"], categories=["unused", "y", "x"])
    result = pdkappa.pairs(WIDE[["a", "b"]].assign(group=groups), by="group")
    assert result.index.tolist() == ["y", "x"]


def test_the_index_may_be_named_like_the_group():
    data = WIDE.set_index("group", drop=False)
    expected = pdkappa.pairs(WIDE, ["a", "b"], by="group")
    assert_frame_equal(pdkappa.pairs(data, ["a", "b"], by="group"), expected)
    assert float(pdkappa.grouped(data, "a", "b", by="group")) == float(
        pdkappa.grouped(WIDE, "a", "b", by="group")
    )


@pytest.mark.parametrize(
    "groups",
    [
        [[1]] * 3 + [[2]] * 3,
        pd.array([[1]] * 3 + [[2]] * 3, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    ],
    ids=["lists", "arrow lists"],
)
def test_groups_that_cannot_be_labels(groups):
    with pytest.raises(errors.RatingTypeError, match="Column 'group' holds values that cannot"):
        pdkappa.pairs(WIDE[["a", "b"]].assign(group=groups), by="group")


@pytest.mark.filterwarnings("ignore::pdkappa.UndeclaredCategoriesWarning")
def test_numeric_groups_have_their_own_scale_and_texts_share_theirs():
    data = pd.DataFrame({"a": [1, 2, 1, 9, 9, 8], "b": [1, 2, 2, 9, 8, 8], "group": list("xxxyyy")})
    for coefficient in COEFFICIENTS:
        options = {"coefficient": coefficient, "weights": "quadratic"}
        expected = group_by_group(data, data["group"], **options)
        assert pdkappa.pairs(data, by="group", **options)["estimate"].tolist() == expected
    text = data.astype({"a": str, "b": str})
    shared = {"coefficient": "brennan_prediger", "categories": list("1289")}
    assert pdkappa.pairs(text, by="group", coefficient="brennan_prediger")[
        "estimate"
    ].tolist() == group_by_group(text, text["group"], **shared)


def test_the_index_does_not_matter():
    for index in ([0] * 6, list("fedcba"), pd.MultiIndex.from_product([[1, 2], list("abc")])):
        result = pdkappa.pairs(WIDE.set_axis(index), by="group", sample_weight="times")
        assert_frame_equal(result, pdkappa.pairs(WIDE, by="group", sample_weight="times"))


# --- sample weights ----------------------------------------------------------------------------


def test_a_weight_counts_an_item_again():
    repeated = WIDE.loc[WIDE.index.repeat(WIDE["times"]), ["a", "b"]]
    for coefficient, weights in product(COEFFICIENTS, WEIGHTS):
        options = {"coefficient": coefficient, "weights": weights}
        result = pdkappa.pairs(WIDE, ["a", "b"], sample_weight="times", **options)
        assert_frame_equal(result, pdkappa.pairs(repeated, **options))


def test_weights_in_every_form():
    times, plain = WIDE["times"], WIDE["times"].tolist()
    expected = pdkappa.pairs(WIDE, ["a", "b"], sample_weight="times")
    for weights in (
        *(plain, tuple(plain), times.to_numpy(), pd.arrays.SparseArray(plain)),
        *(times.astype(name) for name in ("uint8", "Int64", "int64[pyarrow]", "category")),
        *(times, times[::-1], pd.Series([Decimal(x) for x in plain])),
    ):
        result = pdkappa.pairs(WIDE, ["a", "b"], sample_weight=weights)
        assert_frame_equal(result, expected, check_exact=True, obj=repr(weights))


def test_booleans_select_items():
    keep = WIDE["group"] == "x"
    expected = pdkappa.pairs(WIDE[keep], ["a", "b"])
    assert_frame_equal(pdkappa.pairs(WIDE, ["a", "b"], sample_weight=keep), expected)


@pytest.mark.parametrize("size", [2**62, 2**70, 1e200, 1e-200, 1e-320, 0.1])
def test_weights_of_any_size(size):
    options = {"sample_weight": [size] * 6, "weight_type": "frequency"}
    for weights in (None, "quadratic"):
        plain = pdkappa.pairs(WIDE, ["a", "b"], weights=weights).iloc[0]
        result = pdkappa.pairs(WIDE, ["a", "b"], weights=weights, **options).iloc[0]
        assert result["n_items"] == pytest.approx(6 * float(size)), weights
        for name in ("estimate", "expected_agreement"):
            assert result[name] == pytest.approx(plain[name]), (name, weights)


def test_weights_of_very_different_sizes():
    weights = [1e200, 1e-320, 1, 1, 1e200, 1]
    expected = estimate(WIDE.loc[[0, 4], ["a", "b"]])
    options = {"sample_weight": weights, "weight_type": "frequency"}
    assert estimate(WIDE, raters=["a", "b"], **options) == pytest.approx(expected)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 1, -1, 1, 1, 1],
        [1, 1, nan, 1, 1, 1],
        [1, 1, np.inf, 1, 1, 1],
        [1, 1, 10**400, 1, 1, 1],
        pd.array([1, 1, None, 1, 1, 1], dtype="Int64"),
        pd.Series(["1"] * 6),
        pd.to_datetime(["2020"] * 6),
        pd.to_timedelta([1] * 6, "s"),
        [1j] * 6,
        [1, 2],
        [[1]] * 6,
        5,
        {0: 1},
        {1, 2, 3, 4, 5, 6},
        WIDE[["times"]],
    ],
)
def test_weights_that_are_none(weights):
    with pytest.raises(errors.WeightsError, match="sample_weight"):
        pdkappa.pairs(WIDE, ["a", "b"], sample_weight=weights)


def test_a_series_of_weights_is_aligned_or_refused():
    for index in (list("abcdef"), [0, 0, 1, 2, 3, 4], range(1, 7)):
        with pytest.raises(errors.RatingsError, match="index differs"):
            pdkappa.pairs(WIDE, ["a", "b"], sample_weight=WIDE["times"].set_axis(index))
    with pytest.raises(errors.RatingsError, match="index differs"):
        pdkappa.pairs(WIDE, ["a", "b"], sample_weight=WIDE["times"][:5])
    twice = WIDE.set_axis([0] * 6)
    result = pdkappa.pairs(twice, ["a", "b"], sample_weight=twice["times"])
    assert_frame_equal(result, pdkappa.pairs(WIDE, ["a", "b"], sample_weight="times"))


@pytest.mark.parametrize("dtype", ["int64", "str"])
def test_items_of_weight_zero_vanish(dtype):
    data = WIDE[["a", "b"]].astype(dtype)
    stray = pd.DataFrame({"a": [[1], 5j, b"junk"], "b": [1, "x", 99]})
    data = pd.concat([data.astype(object), stray], ignore_index=True)
    weights = [1] * 6 + [0] * 3
    for coefficient in COEFFICIENTS:
        result = pdkappa.pairs(data, sample_weight=weights, coefficient=coefficient)
        expected = pdkappa.pairs(WIDE[["a", "b"]].astype(dtype), coefficient=coefficient)
        assert_frame_equal(result, expected)
    assert pdkappa.confusion(data, "a", "b", sample_weight=weights).shape == (3, 3)


def test_zero_total_weight():
    with pytest.warns(errors.UndefinedKappaWarning, match="zero_total_weight"):
        result = pdkappa.pairs(WIDE, ["a", "b"], sample_weight=[0] * 6)
    assert result["reason"].tolist() == ["zero_total_weight"]
    assert result["n_items"].tolist() == [0]


# --- clusters ----------------------------------------------------------------------------------

STUDENTS = ["ada", "ada", "bo", "cy", "bo", "ada"]


def clusters_of(cluster, data=WIDE, **options):
    """Return the number of the cluster of each item."""
    return encode(data, ["a", "b"], Reading(cluster=cluster, **options)).clusters.tolist()


def test_clusters_in_every_form():
    for cluster in (
        *(make(STUDENTS) for make in (list, tuple, np.array, pd.Series, pd.Categorical, iter)),
        pd.Series(STUDENTS)[::-1],
        pd.array(STUDENTS, dtype="string"),
        pd.array(STUDENTS, dtype=pd.ArrowDtype(pa.string())),
        [1, 1, "1", 2.5, "1", 1],
        [("ada", 1), ("ada", 1), ("ada", 2), ("bo", 1), ("ada", 2), ("ada", 1)],
    ):
        assert clusters_of(cluster) == [0, 0, 1, 2, 1, 0], cluster


def test_clusters_are_numbered_in_their_own_order():
    assert clusters_of(["cy", "ada", "bo", "ada", "cy", "bo"]) == [2, 0, 1, 0, 2, 1]
    assert clusters_of([(2, "a"), (1, "b"), (1, "a"), (1, "a"), (1, "b"), (2, "a")]) == [
        *(2, 1, 0, 0, 1, 2)
    ]


def test_a_column_of_clusters_is_no_rater():
    data = WIDE.assign(student=STUDENTS)
    assert clusters_of("student", data) == [0, 0, 1, 2, 1, 0]
    coded = encode(data[["a", "b", "student"]], None, Reading(cluster="student"))
    assert coded.raters == ["a", "b"]


def test_a_cluster_in_two_groups_is_a_cluster_in_each():
    numbers = clusters_of(STUDENTS, by="group")
    groups = encode(WIDE, ["a", "b"], Reading(by="group")).groups.of_item.tolist()
    expected = pd.factorize(pd.Series(zip(groups, STUDENTS, strict=True)))[0]
    assert pd.factorize(np.array(numbers))[0].tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_only_items_that_count_need_a_cluster():
    gaps = [None, "ada", "bo", "cy", "bo", nan]
    assert clusters_of(gaps, sample_weight=[0, 1, 1, 1, 1, 0]) == [0, 1, 2, 1]
    data = WIDE.assign(group=[None, "x", "x", "y", "y", None])
    assert len(clusters_of(gaps, data, by="group")) == 4
    with pytest.raises(errors.RatingsError, match="cluster is missing for 1"):
        clusters_of(gaps, sample_weight=[0, 1, 1, 1, 1, 1])


@pytest.mark.parametrize(
    "cluster",
    [
        {1, 2, 3, 4, 5, 6},
        dict.fromkeys(range(6)),
        np.ones((6, 1)),
        [{}] * 6,
        WIDE[["group"]],
        pd.Series(STUDENTS, index=list("abcdef")),
        pd.array([[1]] * 6, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    ],
)
def test_what_are_no_clusters(cluster):
    with pytest.raises((errors.RatingsError, errors.RatingTypeError), match="cluster"):
        clusters_of(cluster)


# --- the input stays as it is ------------------------------------------------------------------


def everything(data):
    """Run every public function on a frame."""
    frames = [
        pdkappa.pairs(data, ["a", "b"], weights="quadratic", by="group", sample_weight="times"),
        pdkappa.pairwise(data, ["a", "b"], sample_weight=data["times"][::-1]),
        pdkappa.confusion(data, "a", "b", margins=True),
        pdkappa.crosscheck(data, ["a", "b"], weights="linear", sample_weight="times"),
        *pdkappa.report(data, ["a", "b"], by="group").tables.values(),
        pdkappa.grouped(data, "a", "b", by="group").groups,
        pd.DataFrame([pdkappa.qwk(data["a"], data["b"], sample_weight=data["times"])]),
    ]
    return [frame.to_csv() for frame in frames]


MADE = {
    "ints": lambda data: data,
    "floats": lambda data: data.astype({"a": "float64"}),
    "nullable": lambda data: data.convert_dtypes(),
    "arrow": lambda data: data.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda data: data.astype({"a": "category", "b": "category"}),
    "objects": lambda data: data.astype({"a": object, "b": object}),
}
BALANCED = pd.DataFrame(
    {
        "a": [1, 2, 3, 1, 2, 3, 1, 2],
        "b": [1, 2, 2, 1, 3, 3, 2, 1],
        "group": ["x", "x", "x", "x", "y", "y", "y", "y"],
        "times": [1, 2, 1, 3, 1, 1, 1, 2],
    }
)


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_the_input_is_never_changed(make):
    data = make(BALANCED).set_axis(list("hgfedcba"))
    data.attrs = {"source": "essays", "array": np.arange(3), "frame": BALANCED}
    data = data.set_flags(allows_duplicate_labels=False)
    data.index.name, data.columns.name = "item", "column"
    before = copy.deepcopy(data)
    everything(data)
    assert_frame_equal(data, before, check_exact=True, check_flags=True)
    assert data.index.identical(before.index)
    assert data.columns.identical(before.columns)
    assert data.attrs.keys() == before.attrs.keys()
    assert np.array_equal(data.attrs["array"], np.arange(3))


def read_only(data):
    """Return a frame whose buffers cannot be written to."""
    columns = {}
    for name, column in data.items():
        values = column.to_numpy().copy()
        values.flags.writeable = False
        columns[name] = pd.Series(values, copy=False)
    return pd.DataFrame(columns, copy=False)


def test_read_only_buffers_will_do():
    for make in (MADE["ints"], MADE["floats"], MADE["objects"]):
        data = read_only(make(BALANCED))
        assert not any(data[name].to_numpy().flags.writeable for name in ("a", "b", "times"))
        assert everything(data) == everything(make(BALANCED))
    weights = np.array(BALANCED["times"], dtype=np.float64)
    weights.flags.writeable = False
    pdkappa.pairs(BALANCED, ["a", "b"], sample_weight=weights)
    matrix = 1 - np.eye(3)
    matrix.flags.writeable = False
    pdkappa.pairs(BALANCED, ["a", "b"], weights=matrix)
    assert np.array_equal(matrix, 1 - np.eye(3))


def test_options_are_never_changed():
    raters, by, scores = ["a", "b"], ["group"], {3: 0, 1: 1, 2: 5}
    matrix, weights = [[0, 1, 2], [1, 0, 1], [2, 1, 0]], list(BALANCED["times"])
    options = {"by": by, "categories": scores, "sample_weight": weights}
    pdkappa.pairs(BALANCED, raters, weights=matrix, **options)
    pdkappa.report(BALANCED, raters, **options)
    assert (raters, by, scores) == (["a", "b"], ["group"], {3: 0, 1: 1, 2: 5})
    assert list(scores) == [3, 1, 2]
    assert matrix == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert weights == list(BALANCED["times"])


def test_results_share_no_memory_with_the_input():
    first = pdkappa.pairs(BALANCED, ["a", "b"], by="group")
    again = pdkappa.pairs(BALANCED, ["a", "b"], by="group")
    first.loc[:, "group"] = "changed"
    first.loc[:, "estimate"] = 0.0
    assert_frame_equal(pdkappa.pairs(BALANCED, ["a", "b"], by="group"), again)
    assert BALANCED["group"].tolist() == list("xxxxyyyy")


# --- the same bits, everywhere -----------------------------------------------------------------

SEEDED = """
import warnings, pandas as pd, pdkappa
warnings.simplefilter("ignore")
text = pd.DataFrame({
    "ann": ["yes", "no", "No", "maybe", "yes", "no ", "no", "yes"],
    "bob": ["yes", "no", "no", "maybe", "maybe", "no", "No", "yes"],
    "eve": pd.Categorical(["no", "no", "no", "yes", "yes", "no", "maybe", "yes"]),
})
sets = text[["ann", "bob"]].map(lambda x: frozenset([x]))
grouped = text.assign(group=[frozenset("x"), "y"] * 4)
print(pdkappa.pairs(grouped, by="group").to_csv())
print(pdkappa.pairwise(text, coefficient="gwet").to_csv())
print(pdkappa.confusion(text, "ann", "bob").to_csv())
print(pdkappa.confusion(sets, "ann", "bob").to_csv())
print([frame.to_csv() for frame in pdkappa.report(text, crosscheck=False).tables.values()])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pdkappa.pairs(text[["ann", "bob"]])
print([str(one.message) for one in caught])
mixed = pd.Series([1, "x", b"y", 2.5, None, (1,), True, "x"], dtype=object)
for data, options in (
    (text, {"categories": {"yes", "no", "maybe"}}),
    (text, {"categories": ["yes"]}),
    (text, {"weights": "linear"}),
    (text, {"raters": {"ann", "bob"}}),
    (text.assign(mixed=mixed), {}),
):
    try:
        pdkappa.pairs(data, **options)
    except pdkappa.KappaError as error:
        print(error)
"""


def test_the_hash_seed_does_not_matter():
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SEEDED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "1")
    ]
    ended = [run.communicate() for run in started]
    assert [run.returncode for run in started] == [0, 0], ended[0][1]
    assert ended[0][0] == ended[1][0]
    assert ended[0][0].count("\n") > 30


def test_results_pickle():
    grouped = pdkappa.grouped(BALANCED, "a", "b", by="group", weights="linear")
    again = pickle.loads(pickle.dumps(grouped))  # noqa: S301
    assert_frame_equal(again.groups, grouped.groups, check_exact=True)
    assert float(again) == float(grouped)
    report = pdkappa.report(BALANCED, ["a", "b"], by="group")
    again = pickle.loads(pickle.dumps(report))  # noqa: S301
    for name, table in report.tables.items():
        assert_frame_equal(again.tables[name], table, check_exact=True)
    ratings = pdkappa.from_table([[20, 5], [10, 15]])
    again = pickle.loads(pickle.dumps(ratings))  # noqa: S301
    assert_frame_equal(again.pairs(), ratings.pairs(), check_exact=True)
    missing = errors.ColumnNotFoundError("No rater column 'c'.")
    assert str(pickle.loads(pickle.dumps(missing))) == str(missing)  # noqa: S301


def test_many_threads_at_once():
    rng = np.random.default_rng(7)
    frames = [
        pd.DataFrame(rng.integers(0, 5, (40, 4)), columns=list("abcd")).assign(
            group=rng.integers(0, 3, 40), times=rng.integers(1, 4, 40)
        )
        for _ in range(6)
    ]

    def work(data):
        options = {"by": "group", "sample_weight": "times"}
        return [
            pdkappa.pairs(data, weights="quadratic", **options).to_csv(),
            pdkappa.pairwise(data, weights="radical", **options).to_csv(),
            repr(pdkappa.grouped(data, "a", "b", **options)),
            pdkappa.confusion(data, "a", "b", **options).to_csv(),
            pdkappa.qwk(data["a"], data["b"]),
        ]

    alone = [work(data) for data in frames]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, frames * 4))
    assert together == alone * 4


def test_threads_leave_the_warning_filters_alone():
    """Filters are shared by all threads, so nothing may set them for the time of a call."""
    pdkappa.report(BALANCED, ["a", "b"], by="group")  # importing other packages adds filters
    before = list(warnings.filters)

    def work(number):
        pdkappa.report(BALANCED, ["a", "b"], by="group" if number % 2 else None)
        return pdkappa.crosscheck(BALANCED, ["a", "b"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))
    assert list(warnings.filters) == before


class EditedFrame(RuleBasedStateMachine):
    """The accessor sees the frame as it is now, whatever was done to it in place."""

    @initialize(n=st.integers(0, 6))
    def start(self, n):
        self.data = two(series(range(n), "float64"), series(range(n), "float64"))
        self.accessor = self.data.kappa

    @rule(row=st.integers(0, 9), name=st.sampled_from("ab"), value=st.sampled_from([0, 1, 2, nan]))
    def set_a_rating(self, row, name, value):
        if row < len(self.data):
            self.data.iloc[row, self.data.columns.get_loc(name)] = value

    @rule(a=st.integers(0, 3), b=st.integers(0, 3))
    def add_an_item(self, a, b):
        new = {name: float(b if name == "b" else a) for name in self.data.columns}
        self.data.loc[max(self.data.index, default=-1) + 1] = new

    @precondition(lambda self: len(self.data))
    @rule()
    def forget_an_item(self):
        self.data.loc[self.data.index[0]] = nan

    @precondition(lambda self: self.data.shape[1] == 2)
    @rule()
    def add_a_rater(self):
        self.data.insert(1, "c", self.data["a"])

    @precondition(lambda self: self.data.shape[1] == 3)
    @rule()
    def remove_a_rater(self):
        del self.data["c"]

    @rule()
    def sort(self):
        self.data["a"] = sorted(self.data["a"])

    @rule()
    def relabel(self):
        self.data.index = range(10, 10 + len(self.data))

    @invariant()
    def the_accessor_sees_it(self):
        if not hasattr(self, "data"):
            return
        fresh = pd.DataFrame({name: self.data[name].to_list() for name in self.data}, dtype=float)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.KappaWarning)
            expected = pdkappa.pairs(fresh, weights="quadratic")
            assert_frame_equal(self.data.kappa.pairs(weights="quadratic"), expected)
            assert_frame_equal(self.accessor.pairs(weights="quadratic"), expected)
        rated = self.data.dropna()
        if len(set(rated["a"])) > 1 and self.data.shape[1] == 2:
            kappa = by_definition(rated["a"], rated["b"], squared)
            assert expected["estimate"].item() == pytest.approx(kappa, abs=1e-12)


TestEditedFrame = EditedFrame.TestCase
TestEditedFrame.settings = settings(
    max_examples=14,
    stateful_step_count=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


# --- what other packages get silently wrong ----------------------------------------------------


def test_raters_who_never_agree_do_not_agree():
    """A cross-table of x, y by y, z has two rows and two columns, and its diagonal says nothing."""
    a, b = ["x", "y", "x", "y"], ["y", "z", "y", "z"]
    assert estimate(two(a, b)) == pytest.approx(by_definition(a, b))
    assert estimate(two(a, b)) < 0
    assert pdkappa.confusion(two(a, b), "a", "b").shape == (3, 3)


def test_a_score_that_nobody_used_keeps_its_place():
    a, b = [0, 1, 4, 10, 60], [1, 1, 10, 4, 60]
    assert estimate(two(a, b), weights="quadratic") == pytest.approx(by_definition(a, b, squared))
    closed = two(*(pd.Categorical(x, categories=[0, 1, 4, 10, 60]).codes for x in (a, b)))
    assert estimate(closed, weights="quadratic") < estimate(two(a, b), weights="quadratic")


def test_the_alphabet_is_no_order():
    a, b = ["low", "mid", "high", "low"], ["low", "high", "high", "mid"]
    right = estimate(two(a, b), weights="quadratic", categories=["low", "mid", "high"])
    alphabet = estimate(two(a, b), weights="quadratic", categories=["high", "low", "mid"])
    assert right != alphabet
    with pytest.raises(errors.CategoryError):
        estimate(two(a, b), weights="quadratic")
    ordered = two(a, b).astype(pd.CategoricalDtype(["low", "mid", "high"], ordered=True))
    assert estimate(ordered, weights="quadratic") == right


def test_numbers_as_text_are_no_numbers():
    a, b = ["1", "2", "10", "9"], ["2", "1", "9", "10"]
    with pytest.raises(errors.CategoryError, match="to_numeric"):
        estimate(two(a, b), weights="quadratic")
    numbers = two(a, b).apply(pd.to_numeric)
    assert estimate(numbers, weights="quadratic") == pytest.approx(
        by_definition(numbers["a"], numbers["b"], squared)
    )


def test_half_points_are_not_truncated():
    a, b = [0.0, 0.5, 1.0, 0.5], [0.5, 0.5, 1.0, 0.0]
    kappa = estimate(two(a, b), weights="quadratic")
    assert kappa == pytest.approx(by_definition(a, b, squared))
    assert kappa == estimate(two(a, b) * 2, weights="quadratic")


@pytest.mark.parametrize(
    "coefficient", sorted(set(COEFFICIENTS) - {"brennan_prediger", "gwet", "percent"})
)
def test_constant_ratings_are_undefined_whatever_their_number(coefficient):
    for n in (1, 2, 3, 7, 10, 49, 1000):
        with pytest.warns(errors.UndefinedKappaWarning, match="constant_ratings"):
            assert np.isnan(estimate(two([3] * n, [3] * n), coefficient=coefficient)), n


def test_a_call_never_changes_the_next():
    """There is no state but the frame."""
    folder = Path(pdkappa.__file__).parent
    modules = [name for name in sys.modules if name.split(".")[0] == "pdkappa"]
    before = {name: dict(vars(sys.modules[name])) for name in modules}
    everything(BALANCED)
    for name, known in before.items():
        after = vars(sys.modules[name])
        changed = [key for key in known if known[key] is not after.get(key)]
        assert not changed, (folder, name, changed)
