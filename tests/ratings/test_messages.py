"""Messages that name the column, the row and what to do, and kinds of values that do not mix."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdkappa
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS

TAIL = " They were taken literally."


def two(a, b):
    """Return a frame of two raters."""
    return pd.DataFrame({"a": a, "b": b})


def warned(call, category=errors.LookalikeLabelsWarning):
    """Return the only warning of a category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (found,) = (str(x.message) for x in caught if issubclass(x.category, category))
    return found


# --- disjoint labels ---------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.data())
def test_raters_without_a_common_label_agree_exactly_as_by_chance(data):
    n = data.draw(st.integers(2, 60))
    draw = [data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)) for _ in range(3)]
    frame = pd.DataFrame({f"r{place}": np.array(x) + 100 * place for place, x in enumerate(draw)})
    names = list(frame)
    vary = all(len(set(frame[name])) > 1 for name in names)
    with (
        pytest.warns(errors.LookalikeLabelsWarning, match="share no label")
        if vary
        else warnings.catch_warnings()
    ):
        warnings.simplefilter("ignore", errors.UndefinedKappaWarning)
        if not vary:  # one of the others may be told, or none
            warnings.simplefilter("ignore", errors.LookalikeLabelsWarning)
        matrix = pdkappa.pairwise(frame, names)
    off = ~np.eye(3, dtype=bool)
    assert np.isin(matrix.to_numpy()[off], 0.0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = pdkappa.agreement(frame, names, coefficients=["conger", "light"])
    assert (together["estimate"] == 0).all()


# --- kinds -------------------------------------------------------------------------------------


def test_bits_beside_numbers_are_told_apart():
    data = pd.DataFrame({"a": [1, True], "b": [1, 2]}, dtype=object)
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(data)
    assert str(caught.value) == (
        "Raters 'a' and 'b' hold different kinds of ratings: booleans and numbers (object) such as "
        "1 and numbers (object) such as 2, so that equal ratings may not match. Convert one with "
        "astype, or pass only the columns that hold ratings."
    )
    three = data.assign(b=[0, 1], c=[1, 2])
    with pytest.raises(errors.RatingTypeError, match="Raters 'a' and 'c' hold different kinds"):
        pdkappa.pairs(three)


ANYTHING = st.sampled_from(
    [
        *(0, 1, 2, True, False, np.True_, np.int8(1), 0.0, 1.0, 1.5, np.float32(2), 10**400),
        *("a", "1", "", b"a", "\ud800", None, np.nan, pd.NA, pd.NaT, np.inf, 1j),
        *(Decimal(1), Decimal("NaN"), Fraction(1, 2), (1, 2), (1, None), frozenset([1]), [1]),
        *(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), pd.Timestamp("2024", tz="UTC")),  # noqa: DTZ001
        *(dt.timedelta(1), pd.Period("2024", "Y"), np.datetime64("2024"), pd.Interval(0, 1)),
    ]
)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_mix_of_kinds_escapes_as_an_error_of_another(data):
    n, names = data.draw(st.integers(1, 4)), "abc"[: data.draw(st.integers(2, 3))]
    values = st.lists(ANYTHING, min_size=n, max_size=n)
    frame = pd.DataFrame({name: pd.Series(data.draw(values), dtype=object) for name in names})
    by = data.draw(st.sampled_from([None, "g"]))
    frame = frame.assign(g=pd.Series(data.draw(values), dtype=object)) if by else frame
    weights = data.draw(st.sampled_from([None, "quadratic", "ordinal"]))
    for raters in (None, list(names)):
        try:
            found = pdkappa.pairs(frame, raters, by=by, weights=weights)
        except errors.KappaError:
            continue
        assert isinstance(found, pd.DataFrame)


# --- the culprit -------------------------------------------------------------------------------


def test_a_number_column_that_is_spoiled_by_one_text():
    words = ["1", "2", "3", "five"]
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(two([1, 2, 3, 5], pd.Series(words, dtype=object)))
    assert str(caught.value) == (
        "Raters 'a' and 'b' hold different kinds of ratings: numbers (int64) such as 2 and text "
        "(object) because of 'five' at index 3, which is no number, so that equal ratings may not "
        "match. Convert one with astype, or pass only the columns that hold ratings."
    )
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(two([1, 2, 3, 5], [1, 2, 3, "five"]))
    assert str(caught.value) == (
        "Column 'b' mixes numbers and text, such as 1, 'five', so that equal ratings may not "
        "match. Convert all to one type. 'five' is at index 3."
    )
    with pytest.raises(errors.CategoryError) as caught:
        pdkappa.pairs(two(["1", "2", "3", "4"], words), weights="linear")
    assert str(caught.value) == (
        "weights='linear' needs ordered categories, but column 'b' holds text because of 'five' at "
        "index 3, which is no number. Pass categories=[...] in order, or make the columns ordered "
        "Categoricals."
    )


def test_infinite_ratings_have_a_column_and_rows():
    data = pd.DataFrame({"a": [1.0, np.inf, 2], "b": [1, 2, 2]}, index=list("xyz"))
    with pytest.raises(errors.CategoryError) as caught:
        pdkappa.pairs(data, weights="quadratic")
    assert str(caught.value) == (
        "weights='quadratic' needs finite ratings, got inf in column 'a', at index 'y'. Set them "
        "to missing, or pass categories={category: score}."
    )
    with pytest.raises(errors.CategoryError, match=r"needs finite ratings, got inf\. Set them"):
        pdkappa.from_frame(data).pairs(weights="quadratic")


def test_complex_numbers():
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(two([1 + 2j, 2], [1, 2]))
    assert str(caught.value) == (
        "Column 'a' holds complex numbers, which have no agreement scale. Pass their real parts."
    )


def test_weights_that_are_text():
    data = two([1, 2], [1, 2]).assign(w=["one", "two"])
    with pytest.raises(errors.WeightsError) as caught:
        pdkappa.pairs(data, ["a", "b"], sample_weight="w")
    assert str(caught.value) == (
        "sample_weight='w' must hold numbers, got 'one' (str). Convert it, as with pd.to_numeric."
    )


def test_a_rater_that_is_also_the_group():
    data = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    with pytest.raises(errors.OptionError) as caught:
        pdkappa.pairs(data, ["a", "b"], by="a")
    assert str(caught.value) == (
        "Column(s) 'a' cannot be a rater and the group, weight or cluster of the items at once. "
        "Leave it out of raters=['a', 'b'], or of the other option."
    )


LONG = {"item": [1, 1, 2, 2, 3, 3], "who": list("xyxyxy"), "score": [1, 2, 3, 3, 2, 2]}
FROM_LONG = "pdkappa.from_long(df, item='item', rater='who', rating='score')."


def test_a_long_frame_as_if_it_were_wide():
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(pd.DataFrame(LONG))
    assert str(caught.value) == (
        "Raters 'item' and 'who' hold different kinds of ratings: numbers (int64) such as 2 and "
        f"text ({pd.DataFrame(LONG)['who'].dtype}) such as 'x', so that equal ratings may not "
        "match. Convert one with astype, or pass only the columns that hold ratings. Each row "
        f"looks like one rating: 'who' of 'item'. If it is, use {FROM_LONG}"
    )
    numbers = pd.DataFrame({"item": np.repeat(range(10), 3), "who": [1, 2, 3] * 10})
    data = numbers.assign(score=np.arange(30) % 4)
    assert warned(lambda: pdkappa.pairs(data)) == (
        f"Each row looks like one rating: 'who' of 'item'. If it is, use {FROM_LONG}{TAIL}"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdkappa.pairs(data, list(data))


def test_blank_text():
    data = two(["x", " ", "y", "x"], ["x", "y", "", "x"])
    assert warned(lambda: pdkappa.pairs(data)).startswith(
        "Column(s) 'a', 'b' hold blank text such as ' '. Set it to missing with "
        r".replace(r'^\s*$', pd.NA, regex=True), if nothing was rated."
    )


# --- items without a group ---------------------------------------------------------------------

GROUPED = pd.DataFrame(
    {"a": [1, 2, 2, 1, 3, 1], "b": [1, 2, 3, 1, 3, 2], "g": ["x", None, "x", "y", "y", None]}
)
UNGROUPED = (
    "2 item(s) have no group and are left out: 'g' is missing, at index 1, 5. Fill it in to keep "
    "them as a group, as with df.fillna(...)."
)
CALLS = {
    "pairs": lambda data: pdkappa.pairs(data, by="g"),
    "grouped": lambda data: pdkappa.grouped(data, "a", "b", by="g"),
    "agreement": lambda data: pdkappa.agreement(data, by="g"),
    "concordance": lambda data: pdkappa.concordance(data, by="g"),
    "evaluation": lambda data: pdkappa.evaluation(data, "a", "b", by="g"),
    "scorecard": lambda data: pdkappa.scorecard(data, "a", "b", by="g"),
    "cutpoints": lambda data: data.kappa.cutpoints("a", "b", by="g", method="exact"),
    "groupby": lambda data: data.groupby("g").kappa.pairs(),
    "confusion": lambda data: pdkappa.confusion(data, "a", "b", by="g"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_items_without_a_group_are_counted(call):
    assert warned(lambda: call(GROUPED), errors.LeftOutWarning) == UNGROUPED


def test_items_without_a_group_are_counted_in_a_source():
    found = warned(lambda: pdkappa.from_frame(GROUPED).pairs(by="g"), errors.LeftOutWarning)
    assert found == (
        "2 item(s) have no group and are left out: 'g' is missing. Fill it in to keep them as a "
        "group, as with df.fillna(...)."
    )


def test_groups_that_cannot_be_sorted():
    data = two([1, 2], [1, 2]).assign(g=pd.Series([0, 1j], dtype=object))
    with pytest.raises(errors.RatingTypeError) as caught:
        pdkappa.pairs(data, ["a", "b"], by="g")
    assert str(caught.value) == (
        "Column(s) 'g' hold groups that cannot be sorted together. Convert them to text, "
        "as with astype(str)."
    )


def test_the_coefficients_of_the_number_of_categories():
    assert [name for name, row in COEFFICIENTS.items() if row.of_number] == [
        "brennan_prediger",
        "gwet",
    ]


def test_a_tuple_among_numbers_that_compare_with_it_element_by_element():
    """Numbers of NumPy beyond doubles stay what they are, and compare with tuples as arrays do."""
    column = pd.Series([*np.arange(3, dtype=np.longdouble), (1, 2)], dtype=object)
    message = (
        "Column 'a' mixes numbers and other values, such as np.longdouble('0.0'), (1, 2), so that "
        "equal ratings may not match. Convert all to one type. (1, 2) is at index 3."
    )
    with pytest.raises(pdkappa.RatingTypeError) as caught:
        pdkappa.pairs(pd.DataFrame({"a": column, "b": range(4)}))
    assert str(caught.value) == message
