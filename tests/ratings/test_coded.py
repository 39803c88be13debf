"""The boundary: every dtype, every way to be missing, groups, weights; nothing guessed."""

import datetime as dt
import enum
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import estimate, two
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.ratings.coded import encode
from pdkappa.ratings.counted_pairs import pair_tables
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
        lambda x: pd.Timestamp(2020, 1, x + 1, tz="Europe/Berlin"), "datetime64[ns, Europe/Berlin]"
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


WEIGHTED = [None, "quadratic", "ordinal", "ratio"]


def every_result(data, weights):
    """Return kappa under all the given weights, and all coefficients under one."""
    calls = {*product(COEFFICIENTS, weights[:2][-1:]), *product(["cohen"], weights)}
    calls = sorted(calls, key=str)
    return pd.concat([data.kappa.pairs(coefficient=c, weights=w) for c, w in calls])


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
    "make", [*TEXT.values(), *OTHER.values()], ids=[*(f"text {name}" for name in TEXT), *OTHER]
)
def test_labels_of_every_dtype_give_the_same_bits(make, reference):
    for missing in (False, True):
        data = frame_of(make, missing=missing)
        expected, obj = reference[missing, "nominal"], f"{missing=}"
        assert_frame_equal(every_result(data, [None]), expected, check_exact=True, obj=obj)
        numbers = frame_of(as_dtype("Int64"), missing=missing)
        tables = [one.kappa.confusion("ann", "bob").to_numpy() for one in (data, numbers)]
        assert tables[0].tolist() == tables[1].tolist(), obj


@pytest.mark.oracle
@pytest.mark.parametrize("makes", [NULLABLE, TEXT, OTHER], ids=["numbers", "text", "other"])
def test_the_crosscheck_reads_every_dtype_alike(makes):
    for name, make in {**makes, "Decimal tenths": each(lambda x: Decimal(x) / 10)}.items():
        check = frame_of(make, missing=True).kappa.crosscheck(["ann", "bob"])
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
        expected = bits.kappa.pairs(weights=weights, categories=[0, 1])
        found = data.kappa.pairs(weights=weights)
        assert_frame_equal(found, expected, check_exact=True, obj=str(weights))


def test_raters_may_differ_in_dtype():
    data = frame_of(as_dtype("int64"))
    mixed = data.assign(
        bob=data["bob"].astype("Float64"), eve=[Decimal(x) for x in data["eve"].tolist()]
    )
    for weights in WEIGHTS:
        expected = data.kappa.pairs(weights=weights)
        assert_frame_equal(mixed.kappa.pairs(weights=weights), expected, check_exact=True)


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
    assert data.kappa.confusion("a", "b").to_numpy().sum() == 3


def test_intervals_of_cut_keep_their_order():
    low_to_high = [pd.cut(x, [-1, 0, 1, 2, 3]) for x in (ANN, BOB)]
    expected = estimate(two(ANN, BOB), weights="quadratic")
    assert estimate(two(*low_to_high), weights="quadratic") == expected


BIG = 2**53


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "object", "int64[pyarrow]"])
def test_integers_beyond_the_floats_keep_identity_and_distance(dtype):
    small = two([0, 1, 3, 0], [1, 1, 3, 0])
    for start in (BIG, 2**62):
        large = (small + start).astype(dtype)
        labels = [start, start + 1, start + 3]
        assert large.kappa.confusion("a", "b").index.tolist() == labels
        for weights in set(WEIGHTS) - {"ratio"}:
            expected = pytest.approx(estimate(small, weights=weights))
            assert estimate(large, weights=weights) == expected, (start, weights)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
def test_large_numbers_beside_fractions_keep_identity():
    data = two([BIG, BIG + 1, BIG], series([BIG, BIG + 1, 0.25], "object"))
    labels = data.kappa.confusion("a", "b").index.tolist()
    assert labels == [0.25, BIG, BIG + 1]
    assert estimate(data) == by_definition([BIG, BIG + 1, BIG], [BIG, BIG + 1, Fraction(1, 4)])


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
        expected = data.kappa.pairs(weights=weights)
        assert_frame_equal((data * scale).kappa.pairs(weights=weights), expected, obj=weights)


def test_infinity_is_a_label_and_no_position():
    data = two([1, 2, np.inf], [1, 2, 3])
    assert estimate(data) == pytest.approx(4 / 7)
    assert estimate(data, weights="linear", categories={1: 1, 2: 2, 3: 3, np.inf: 4}) == estimate(
        two([1, 2, 4], [1, 2, 3]), weights="linear"
    )


def test_decimals_match_the_floats_that_are_written_alike():
    texts = ["0.1", "0.2", "2.50", "7"]
    data = two([Decimal(x) for x in texts], [float(x) for x in texts])
    assert estimate(data) == 1
    assert data.kappa.confusion("a", "b").index.tolist() == [0.1, 0.2, 2.5, 7]


@pytest.mark.parametrize("dtype", ["object", "str", "string", "string[pyarrow]", "category"])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
def test_texts_that_read_as_missing_are_labels(dtype):
    a = ["nan", "NA", "", "None", "<NA>", "NaT", "null", "x"]
    data = two(series(a, dtype), series([*a[:-1], "NA"], dtype))
    result = data.kappa.pairs().iloc[0]
    assert result["n_items"] == 8
    assert result["estimate"] == pytest.approx(by_definition(a, [*a[:-1], "NA"]))
    assert set(data.kappa.confusion("a", "b").index) == set(a)


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
        expected, obj = data.iloc[:3].kappa.pairs(), str(values)
        assert_frame_equal(data.kappa.pairs(), expected, check_exact=True, obj=obj)
        assert len(data.kappa.confusion("a", "b")) == len(set(values)), values


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
    result = two(column, [1, 1, 2, 3]).kappa.pairs().iloc[0]
    assert (result["n_items"], result["estimate"]) == (3, 1)


def test_listwise_keeps_the_items_that_all_rated():
    data = pd.DataFrame({"a": [1, 2, 3, 3, 9], "b": [1, 2, 2, nan, 9], "c": [1, 1, 3, 2, nan]})
    expected = data.dropna().kappa.pairs()
    assert_frame_equal(data.kappa.pairs(missing="listwise"), expected, check_exact=True)
    for coefficient in COEFFICIENTS:  # a category that only left out items hold is gone too
        options = {"coefficient": coefficient, "weights": "quadratic"}
        listwise = data.kappa.pairs(missing="listwise", **options)
        assert_frame_equal(listwise, data.dropna().kappa.pairs(**options), check_exact=True)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_raise_ignores_items_that_do_not_count():
    data = pd.DataFrame({"a": [1, 2, 3, 1], "b": [1, nan, 3, nan], "g": ["x", None, "x", "x"]})
    options = {"missing": "raise", "by": "g", "sample_weight": [1, 1, 1, 0]}
    assert data.kappa.pairs(**options)["n_items"].tolist() == [2]


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
        (pd.Series([0, False, 2], dtype=object), [0, 0, 2]),
        (pd.Series([1 + 0j, 2, 3], dtype=object), [1, 2, 3]),
        (np.array([1, 2, 3], dtype=np.complex64), [1, 2, 3]),
        ([[1], [2], [3]], [1, 2, 3]),
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
            data.kappa.pairs()


def test_the_same_instant_in_two_time_zones_matches():
    utc = pd.to_datetime(["2020", "2021", "2022"]).tz_localize("UTC")
    assert estimate(two(utc, utc.tz_convert("Asia/Tokyo"))) == 1
    assert estimate(two(utc.as_unit("s"), utc.as_unit("ns"))) == 1


def test_categoricals_are_matched_by_value():
    a, b = ["x", "y", "z", "x", "y"], ["x", "y", "z", "y", "z"]
    expected = estimate(two(a, b))
    for lists in product([["x", "y", "z"], ["z", "y", "x"], ["y", "unused", "z", "x"]], repeat=2):
        columns = [pd.Categorical(x, categories=c) for x, c in zip((a, b), lists, strict=True)]
        assert estimate(two(*columns)) == expected


def test_unused_declared_categories_belong_to_the_scale():
    plain = two(["x", "y", "x"], ["x", "y", "y"])
    declared = plain.astype(pd.CategoricalDtype(["x", "y", "unused"]))
    assert declared.kappa.confusion("a", "b").shape == (3, 3)
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
    result = data.kappa.pairs().iloc[0]
    assert (result["n_items"], result["estimate"]) == (3, pytest.approx(4 / 7))


SIZES = ["small", "medium", "large"]


def test_ordered_categoricals_bring_their_order():
    a, b = ["small", "medium", "large", "small"], ["small", "medium", "medium", "large"]
    ordered = two(a, b).astype(pd.CategoricalDtype(SIZES, ordered=True))
    numbers = two(a, b).map(SIZES.index) + 1
    for weights in WEIGHTS:
        expected = numbers.kappa.pairs(weights=weights, categories=[1, 2, 3])
        assert_frame_equal(ordered.kappa.pairs(weights=weights), expected, check_exact=True)


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


def test_raters_are_taken_in_the_order_given():
    for make in (list, tuple, np.array, pd.Index, pd.Series, iter, dict.fromkeys):
        assert raters_of(WIDE.kappa.pairs(make(["b", "a"]))) == [("b", "a")], make


def test_duplicate_columns():
    data = pd.DataFrame([[1, 2, 0, 0], [2, 2, 0, 0]], columns=["a", "b", "c", "c"])
    assert raters_of(data.kappa.pairs(["a", "b"])) == [("a", "b")]
    for options in ({"raters": ["a", "c"]}, {"raters": ["a", "b"], "by": "c"}, {}):
        with pytest.raises(errors.DuplicateRatingError, match="several columns 'c'"):
            data.kappa.pairs(**options)
    with pytest.raises(errors.DuplicateRatingError, match="several columns 'c'"):
        data.kappa.pairs(["a", "b"], sample_weight="c")


def test_columns_of_several_levels():
    levels = [("rater", "a"), ("rater", "b"), ("item", "group"), ("item", "times")]
    data = WIDE.set_axis(pd.MultiIndex.from_tuples(levels), axis=1)
    options = {"by": ("item", "group"), "sample_weight": ("item", "times")}
    result = data.kappa.pairs(**options)
    assert raters_of(result) == [(("rater", "a"), ("rater", "b"))] * 2
    expected = WIDE.kappa.pairs(by="group", sample_weight="times")
    assert_allclose(result["estimate"], expected["estimate"], rtol=0)
    square = data.kappa.pairwise(levels[:2])
    assert square.index.tolist() == square.columns.tolist() == levels[:2]
    with pytest.raises(errors.DuplicateRatingError):
        data.kappa.pairs(["rater", ("item", "times")])


@pytest.mark.parametrize("names", [[0, 1], [None, "b"], [1.5, "b"], [(1, 2), (3,)], [True, 2]])
def test_a_rater_may_have_any_name(names):
    data = pd.DataFrame(dict(zip(names, (ANN, BOB), strict=True)))
    data.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    assert data.kappa.pairs(names)["estimate"].item() == estimate(two(ANN, BOB))
    assert data.kappa.pairwise(names).shape == (2, 2)


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
            result = data.kappa.pairs(weights=weights).iloc[0]
        assert (result["n_items"], result["reason"]) == (0, "no_items"), weights
        assert np.isnan(result["estimate"]), weights


def test_one_row():
    row = two([1], [2]).kappa.pairs().iloc[0]
    assert (row["n_items"], row["estimate"], row["reason"]) == (1, 0, "n_lt_2")


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
    result = data.kappa.pairs(by="group")
    assert result["estimate"].tolist() == expected
    assert result.index.tolist() == data["group"].unique().tolist()
    assert data.kappa.pairs(by=["group"])["estimate"].tolist() == expected
    made = data.kappa.grouped("a", "b", by="group", weights=None)
    assert made.groups["estimate"].tolist() == expected
    assert data.kappa.pairwise(by="group").shape == (4, 2)
    assert data.kappa.confusion("a", "b", by="group").to_numpy().sum() == 6


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
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_items_without_a_group_are_left_out(groups):
    for dtype in ("int64", "str"):
        data = WIDE[["a", "b"]].astype(dtype).assign(group=groups)
        left = data[data["group"].notna()]
        for options in ({}, {"coefficient": "gwet"}, {"missing": "listwise"}):
            found, expected = (one.kappa.pairs(by="group", **options) for one in (data, left))
            assert_frame_equal(found, expected, check_exact=True, obj=f"{dtype} {options}")
        grouped = data.kappa.grouped("a", "b", by="group", weights=None)
        assert grouped.groups.shape[0] == 2, dtype


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_an_item_without_a_group_does_not_widen_the_scale():
    data = WIDE[["a", "b"]].assign(group=["x", "x", "x", "y", "y", None])
    data.loc[5, ["a", "b"]] = 99
    expected = data.iloc[:5].kappa.pairs(by="group", coefficient="gwet")
    result = data.kappa.pairs(by="group", coefficient="gwet")
    assert_frame_equal(result, expected, check_exact=True)
    assert 99 not in data.kappa.confusion("a", "b", by="group").columns


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_no_group_at_all():
    result = WIDE[["a", "b"]].assign(group=nan).kappa.pairs(by="group")
    assert result.empty
    assert list(result) == list(WIDE.kappa.pairs(["a", "b"], by="group"))
    assert WIDE[["a", "b"]].assign(group=nan).kappa.pairwise(by="group").shape == (0, 2)


def test_groups_of_a_categorical_are_those_observed_in_its_order():
    groups = pd.Categorical(WIDE["group"], categories=["unused", "y", "x"])
    result = WIDE[["a", "b"]].assign(group=groups).kappa.pairs(by="group")
    assert result.index.tolist() == ["y", "x"]


def test_weights_in_every_form():
    times, plain = WIDE["times"], WIDE["times"].tolist()
    expected = WIDE.kappa.pairs(["a", "b"], sample_weight="times")
    for weights in (
        *(plain, tuple(plain), times.to_numpy(), pd.arrays.SparseArray(plain)),
        *(times.astype(name) for name in ("uint8", "Int64", "int64[pyarrow]", "category")),
        *(times, times[::-1], pd.Series([Decimal(x) for x in plain])),
    ):
        result = WIDE.kappa.pairs(["a", "b"], sample_weight=weights)
        assert_frame_equal(result, expected, check_exact=True, obj=repr(weights))


@pytest.mark.parametrize(
    "weights",
    [
        [1, 1, nan, 1, 1, 1],
        [1, 1, np.inf, 1, 1, 1],
        [1, 1, 10**400, 1, 1, 1],
        pd.array([1, 1, None, 1, 1, 1], dtype="Int64"),
        pd.Series(["1"] * 6),
        pd.to_datetime(["2020"] * 6),
        pd.to_timedelta([1] * 6, "s"),
        [1j] * 6,
        [[1]] * 6,
        5,
        {0: 1},
        {1, 2, 3, 4, 5, 6},
        WIDE[["times"]],
    ],
)
def test_weights_that_are_none(weights):
    with pytest.raises(errors.WeightsError, match="sample_weight"):
        WIDE.kappa.pairs(["a", "b"], sample_weight=weights)


def test_a_series_of_weights_is_aligned_or_refused():
    for index in (list("abcdef"), [0, 0, 1, 2, 3, 4], range(1, 7)):
        with pytest.raises(errors.RatingsError, match="index differs"):
            WIDE.kappa.pairs(["a", "b"], sample_weight=WIDE["times"].set_axis(index))
    with pytest.raises(errors.RatingsError, match="index differs"):
        WIDE.kappa.pairs(["a", "b"], sample_weight=WIDE["times"][:5])
    twice = WIDE.set_axis([0] * 6)
    result = twice.kappa.pairs(["a", "b"], sample_weight=twice["times"])
    assert_frame_equal(result, WIDE.kappa.pairs(["a", "b"], sample_weight="times"))


@pytest.mark.parametrize("dtype", ["int64", "str"])
def test_items_of_weight_zero_vanish(dtype):
    data = WIDE[["a", "b"]].astype(dtype)
    stray = pd.DataFrame({"a": [[1], 5j, b"junk"], "b": [1, "x", 99]})
    data = pd.concat([data.astype(object), stray], ignore_index=True)
    weights = [1] * 6 + [0] * 3
    for coefficient in COEFFICIENTS:
        result = data.kappa.pairs(sample_weight=weights, coefficient=coefficient)
        expected = WIDE[["a", "b"]].astype(dtype).kappa.pairs(coefficient=coefficient)
        assert_frame_equal(result, expected)
    assert data.kappa.confusion("a", "b", sample_weight=weights).shape == (3, 3)


def test_zero_total_weight():
    with pytest.warns(errors.UndefinedKappaWarning, match="zero_total_weight"):
        result = WIDE.kappa.pairs(["a", "b"], sample_weight=[0] * 6)
    assert result["reason"].tolist() == ["zero_total_weight"]
    assert result["n_items"].tolist() == [0]


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
        [1, 1, "2", 2.5, "2", 1],
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


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
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


BALANCED = pd.DataFrame(
    {
        "a": [1, 2, 3, 1, 2, 3, 1, 2],
        "b": [1, 2, 2, 1, 3, 3, 2, 1],
        "group": ["x", "x", "x", "x", "y", "y", "y", "y"],
        "times": [1, 2, 1, 3, 1, 1, 1, 2],
    }
)


def test_results_pickle():
    grouped = BALANCED.kappa.grouped("a", "b", by="group", weights="linear")
    again = pickle.loads(pickle.dumps(grouped))  # noqa: S301
    assert_frame_equal(again.groups, grouped.groups, check_exact=True)
    assert float(again) == float(grouped)
    report = BALANCED.kappa.report(["a", "b"], by="group")
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
            data.kappa.pairs(weights="quadratic", **options).to_csv(),
            data.kappa.pairwise(weights="radical", **options).to_csv(),
            repr(data.kappa.grouped("a", "b", **options)),
            data.kappa.confusion("a", "b", **options).to_csv(),
            pdkappa.qwk(data["a"], data["b"]),
        ]

    alone = [work(data) for data in frames]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, frames * 4))
    assert together == alone * 4


def test_raters_who_never_agree_do_not_agree():
    """A cross-table of x, y by y, z has two rows and two columns, and its diagonal says nothing."""
    a, b = ["x", "y", "x", "y"], ["y", "z", "y", "z"]
    assert estimate(two(a, b)) == pytest.approx(by_definition(a, b))
    assert estimate(two(a, b)) < 0
    assert two(a, b).kappa.confusion("a", "b").shape == (3, 3)


@pytest.mark.parametrize(
    "coefficient", sorted(set(COEFFICIENTS) - {"brennan_prediger", "gwet", "percent"})
)
def test_constant_ratings_are_undefined_whatever_their_number(coefficient):
    for n in (1, 2, 3, 7, 10, 49, 1000):
        with pytest.warns(errors.UndefinedKappaWarning, match="constant_ratings"):
            assert np.isnan(estimate(two([3] * n, [3] * n), coefficient=coefficient)), n


@pytest.mark.parametrize("kind", TEXT)
def test_groups_of_every_type_of_text_are_groups(kind):
    """Pandas 2 makes no MultiIndex of an Arrow dictionary."""
    data = pd.DataFrame({"ann": [1, 2, 3, 1, 2, 2], "bob": [1, 2, 3, 3, 2, 1]})
    sites = ["4", "5", "4", "5", "4", "4"]
    found, expected = (
        data.assign(site=one).kappa.agreement(by="site", coefficients=["fleiss"])
        for one in (TEXT[kind](sites), sites)
    )
    assert found.index.tolist() == expected.index.tolist() == [("4", "fleiss"), ("5", "fleiss")]
    assert found["estimate"].tolist() == expected["estimate"].tolist()


@pytest.mark.parametrize("by", [None, "site"])
@pytest.mark.parametrize("sample_weight", [None, "times"])
def test_pairs_that_are_known_need_not_be_counted_again(by, sample_weight):
    """Each rater is counted with itself beside them, in the same order of tables and cells."""
    rng = np.random.default_rng(7)
    data = pd.DataFrame(rng.integers(0, 4, (50, 4)).astype(float)).mask(rng.random((50, 4)) < 0.2)
    data = data.set_axis([*"abcd"], axis=1).assign(site=rng.integers(0, 3, 50), times=2)
    coded = encode(data, [*"abcd"], Reading(by=by, sample_weight=sample_weight))
    once = pair_tables(coded, with_itself=True)
    twice = pair_tables(coded, with_itself=True, known=pair_tables(coded))
    for name, values in vars(once.counts).items():
        assert np.array_equal(getattr(twice.counts, name), values), name
