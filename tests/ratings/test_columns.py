"""Coding one column: whatever the way, each rating gets the slot of its label."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdkappa
from conftest import each
from pdkappa.errors import ColumnNotFoundError, RatingTypeError
from pdkappa.ratings import columns
from pdkappa.ratings.columns import code_column, code_without_hashing, plain_values

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
DTYPES = (*INTEGERS, "float16", "float32", "float64", "Int64", "UInt8", "Float64")


def decoded(column):
    """Return the ratings that the codes stand for; None where there is none."""
    labels = dict(zip(column.slots.tolist(), column.labels, strict=True))
    return [labels.get(code) for code in column.codes.tolist()]


def hashed(series):
    """Code a column as if it held no whole numbers of a small range."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "code_without_hashing", lambda _: None)
        return code_column(series, "a")


def assert_codes_as_hashed(series):
    """Compare ratings, their types and kinds; the column stays as it was."""
    before = series.copy()
    column, expected = code_column(series, "a"), hashed(series)
    pd.testing.assert_series_equal(series, before)
    assert decoded(column) == decoded(expected)
    assert (column.codes[pd.isna(series).to_numpy()] == -1).all()
    assert list(map(type, decoded(column))) == list(map(type, decoded(expected)))
    assert sorted(column.labels) == sorted(expected.labels)
    assert column.kinds == expected.kinds
    assert len(column.codes) == len(series)


@st.composite
def whole_numbers(draw):
    """Draw columns of whole numbers near the ends of their type and around the thresholds."""
    dtype = draw(st.sampled_from(DTYPES))
    plain = np.dtype(dtype.lower())
    if plain.kind == "f":
        ends = {"float16": 2**11, "float32": 2**24, "float64": 2**53}[plain.name]
        low, high = -ends, ends
    else:
        low, high = np.iinfo(plain).min, np.iinfo(plain).max
    span = draw(st.sampled_from([0, 1, 4, 126, 127, 128, 255, 300, 32_767, 32_768, 70_000]))
    start = draw(st.sampled_from([low, high - span, 0, 1, -1, -60, 2**53 - 1]))
    start = min(max(start, low), max(high - span, low))
    values = draw(st.lists(st.integers(start, min(start + span, high)), min_size=1, max_size=30))
    values += [start, min(start + span, high)]
    if plain == dtype and plain.kind in "iu":
        return pd.Series(values, dtype=dtype)
    missing = draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    ratings = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    return pd.Series(ratings, dtype=dtype)


@settings(max_examples=150)
@given(series=whole_numbers())
def test_whole_numbers_of_every_type_are_coded_as_if_hashed(series):
    assert_codes_as_hashed(series)


FLOATS = {
    "halves": [1.0, 1.5, 2.0],
    "quarters": [-0.25, np.nan, 7.0, -0.0],
    "tenths": [0.3, -0.7, np.nan, 1.1],
    "tenths, one of which is not": [0.3, 0.1 + 0.2, 1.1],
    "eighths": [1.0, 1.125, 2.0],
    "eighths at the end": [0.5] * 200 + [7.125],
    "halves, and the largest": [0.5] * 200 + [1e38, 6e4],
    "a fraction at the end": [*map(float, range(200)), 7.25],
    "minus zero": [-0.0, 0.0, 1.0, np.nan],
    "infinite": [1.0, np.inf, 2.0],
    "infinite below": [1.0, -np.inf, np.nan],
    "none at all": [np.nan, np.nan],
    "one": [np.nan, 3.0],
    "large": [2.0**53, 2.0**53 + 2, np.nan],
    "far apart": [0.0, 1e6, np.nan],
}


@pytest.mark.parametrize("values", FLOATS.values(), ids=FLOATS)
def test_other_floats_are_coded_as_if_hashed(values):
    for dtype in ("float64", "float32", "Float64"):
        assert_codes_as_hashed(pd.Series(values, dtype=dtype))


def test_nullable_integers_too_large_for_floats_keep_their_digits():
    for last in (2**53, 2**53 + 2, -(2**53), -(2**53) - 2):
        values = [2**53 + 1 if last > 0 else -(2**53) - 1, None, last]
        assert decoded(code_column(pd.Series(values, dtype="Int64"), "a")) == values


ARROW = pytest.mark.needs("pyarrow")


@pytest.mark.parametrize(
    "dtype",
    [
        "bool",
        "boolean",
        *(pytest.param(f"{kind}[pyarrow]", marks=ARROW) for kind in ("int64", "double")),
    ],
)
def test_other_types_are_coded_as_if_hashed(dtype):
    absent = [] if dtype == "bool" else [None]
    assert_codes_as_hashed(pd.Series([1, 0, 1, *absent, 1], dtype=dtype))


def test_halves_quarters_and_tenths_are_coded_as_whole_numbers_are():
    every = [k / 10 for k in range(-120, 120)]
    for values in ([0.5, 3.0, 0.5], [0.25, -1.5], [0.1, 7.3], every):
        column = code_column(pd.Series(values), "a")
        assert column.reals is None
        assert decoded(column) == values
    thousands = [k / 10 for k in range(-3000, 3000)]  # quicker as they are
    for values in ([0.125, 1.0], [0.1, 0.25], [0.1 + 0.2, 0.3], np.float32([0.1, 0.2]), thousands):
        assert code_column(pd.Series(values), "a").reals is not None


def test_whole_numbers_are_not_hashed(monkeypatch):
    monkeypatch.setattr(columns, "factorize", None)
    for dtype in DTYPES:
        assert decoded(code_column(pd.Series([3, 1, 2], dtype=dtype), "a")) == [3, 1, 2], dtype
    for make in (int, float, np.int8, np.float32):
        objects = pd.Series(list(map(make, [3, 1, 2])), dtype=object)
        column = code_column(objects, "a")
        assert (decoded(column), column.kinds) == ([3, 1, 2], {"number"}), make


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_integers_beside_missing_objects_are_not_hashed(missing):
    values = plain_values(pd.Series([3, missing, 5], dtype=object, index=[7, 8, 9]))
    assert values.dtype == "Int64"
    assert values.index.tolist() == [7, 8, 9]
    assert code_without_hashing(values)[2] == [3, 5]


HALF = "half \ud83d"  # of a surrogate pair
TEXTS = pd.DataFrame(
    {"ann": ["x", "y"] * 4, "bob": ["x", "x", "y", "y"] * 2, "site": ["p", "q"] * 4}, dtype=object
)


def with_half(name):
    values = [HALF if value in "xp" else value for value in TEXTS[name]]
    return TEXTS.assign(**{name: pd.Series(values, dtype=object)})


def long():
    data = TEXTS.reset_index().melt("index", ["ann", "bob"], "rater", "label").astype(object)
    data["rater"] = pd.Series(
        [HALF if name == "bob" else name for name in data["rater"]], dtype=object
    )
    return data


@each(
    "call",
    [
        lambda: with_half("bob").kappa.pairs(["ann", "bob"]),
        lambda: with_half("site").kappa.pairs(["ann", "bob"], by="site"),
        lambda: with_half("site").assign(day=1).kappa.pairs(["ann", "bob"], by=["day", "site"]),
        lambda: with_half("site").groupby("site").kappa.pairs(["ann", "bob"]),
        lambda: with_half("site").kappa.pairs(["ann", "bob"], cluster="site"),
        lambda: with_half("site").kappa.items(["ann", "bob"], columns=["site"]),
        lambda: with_half("site").kappa.report(["ann", "bob"], id="site"),
        lambda: TEXTS.set_axis(pd.Index(["ann", HALF, "g"], dtype=object), axis=1).kappa.pairs(
            ["ann", HALF]
        ),
        lambda: TEXTS.kappa.pairs(["ann", "bob"], categories=["x", "y", HALF]),
        lambda: TEXTS.assign(
            ann=pd.Categorical(TEXTS["ann"], categories=pd.Index(["x", "y", HALF], dtype=object))
        ).kappa.pairs(["ann", "bob"]),
        lambda: pdkappa.from_long(long(), item="index", rater="rater", rating="label"),
    ],
)
def test_half_of_a_surrogate_pair_is_no_label(call):
    """Of one pandas 2 makes several labels, in silence; the texts of pandas 3 cannot hold it."""
    with pytest.raises(RatingTypeError, match=r"the text 'half \\ud83d' is not valid Unicode"):
        call()


def test_what_columns_on_levels_refuse_to_look_up_is_no_column():
    """Pandas raises for what can be walked through once, such as an open file."""
    data = pd.DataFrame({("x", "ann"): [1, 2, 1], ("x", "bob"): [1, 2, 2]})
    with pytest.raises(ColumnNotFoundError, match=r"No group column <_io\.StringIO"):
        data.kappa.pairs(by=StringIO())
