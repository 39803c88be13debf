"""Ratings that are sets of labels: how they are read, how far apart they are, what is refused."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
import pdkappa.dask
from conftest import each, raising
from pdkappa.coefficients.weights import SETS, distances
from pdkappa.ratings.columns import LabelSet

# What two coders gave to eleven items, https://stats.stackexchange.com/questions/407453.
ELEVEN = """
l1|l2 l1, l1|l2 l1|l2, l1 l1, l3 l3, l3 l1|l3, l4 l4, l2 l4, l1|l2 l1, l1|l2 l1|l2|l3, l1 l1, l1 l1
"""
TEXT = pd.DataFrame([pair.split() for pair in ELEVEN.split(",")], columns=["a", "b"])
LISTS = TEXT.map(lambda text: text.split("|"))
# The pairs of DKPro's SetAnnotationsTest, of which the first are empty.
NINE = [("", ""), ("A", ""), ("A", "A"), ("A", "B"), ("AB", "A"), ("AB", "AC"), ("ABC", "ABC")]
NINE = pd.DataFrame([*NINE, ("C", "AC"), ("C", "AC")], columns=["u", "v"]).map(set)


def alpha(frame, weights, **options):
    """Return Krippendorff's alpha."""
    found = frame.kappa.agreement(weights=weights, coefficients="krippendorff", **options)
    return found["estimate"].item()


def test_alpha_of_nltk():
    """NLTK 3.10.4: AnnotationTask.alpha() with jaccard_distance, and with masi_distance."""
    assert_allclose(alpha(LISTS, "jaccard"), 0.6015625, rtol=1e-14)
    assert_allclose(alpha(LISTS, "masi"), 0.5403556771545828, rtol=1e-14)


def test_alpha_with_empty_sets():
    """DKPro 2.2 prints .186 for its set distance, which is one less Passonneau's M.

    Its MASI is another one, (1 - J) * (1 - M), .252.
    """

    def monotone(a, b):
        return 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0

    def share(a, b):
        return len(a & b) / len(a | b) if a | b else 1

    assert round(alpha(NINE, lambda a, b: 1 - monotone(a, b)), 3) == 0.186
    both = alpha(NINE, lambda a, b: (1 - share(a, b)) * (1 - monotone(a, b)))
    assert int(1000 * both) == 252
    assert round(alpha(NINE, "masi"), 5) == 0.27308
    by_hand = alpha(NINE, lambda a, b: 1 - share(a, b) * monotone(a, b))
    assert_allclose(alpha(NINE, "masi"), by_hand, rtol=1e-14)
    assert_allclose(alpha(NINE, "jaccard"), alpha(NINE, lambda a, b: 1 - share(a, b)), rtol=1e-14)


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=8, unique=True))
def test_laws_of_the_distances(sets):
    nominal = 1 - np.eye(len(sets))
    jaccard, masi = (distances(name, sets) for name in SETS)
    for found in (jaccard, masi):
        assert_allclose(found, found.T)
        assert (found.diagonal() == 0).all()
        assert (found <= nominal).all()
        assert ((found > 0) == (nominal > 0)).all()
    assert (jaccard <= masi).all()
    apart = [[1 - len(a & b) / len(a | b) if a | b else 0 for b in sets] for a in sets]
    assert_allclose(jaccard, apart, rtol=1e-14)


def test_every_way_to_write_a_set(tmp_path):
    expected = LISTS.kappa.pairs(weights="masi", ci="wald")
    lists = tmp_path / "lists.jsonl"
    LISTS.to_json(lists, orient="records", lines=True)
    polars = pl.from_pandas(LISTS)
    stored = polars.to_pandas(use_pyarrow_extension_array=True)
    long = LISTS.rename_axis("i").reset_index().melt("i")
    ways = {
        "sets": LISTS.map(set),
        "frozensets": LISTS.map(frozenset),
        "tuples": LISTS.map(tuple),
        "arrays": LISTS.map(np.array),
        "Arrow": stored,
        "Categorical": LISTS.map(frozenset).astype("category"),
        "repeated": LISTS.map(lambda labels: labels[::-1] + labels),
        "JSON lines": pdkappa.scan(lists),
        "polars": pdkappa.from_frame(polars),
        "an Arrow table": pdkappa.from_frame(polars.to_arrow()),
        "long": pdkappa.from_long(long, item="i", rater="variable", rating="value"),
    }
    for way, data in ways.items():
        pairs = data.kappa.pairs if isinstance(data, pd.DataFrame) else data.pairs
        found = pairs(weights="masi", ci="wald")
        assert_frame_equal(found, expected, obj=way)
    spaced = TEXT.map(lambda text: f" {text.replace('|', ' | ')} |")
    melted = TEXT.rename_axis("i").reset_index().melt("i")
    for data in (TEXT, TEXT.astype("category"), spaced, dd.from_pandas(TEXT, npartitions=2).kappa):
        pairs = data.pairs if hasattr(data, "pairs") else data.kappa.pairs
        assert_frame_equal(pairs(weights="masi", sep="|", ci="wald"), expected)
    listed = pdkappa.from_long(melted, item="i", rater="variable", rating="value", sep="|")
    assert_frame_equal(listed.pairs(weights="masi", ci="wald"), expected)
    matrix = TEXT.kappa.pairwise(weights="masi", sep="|")
    assert matrix.loc["a", "b"] == expected["estimate"].item()


def test_sets_are_labels_without_weights_too():
    joined = TEXT.kappa.pairs()["estimate"].item()
    np.testing.assert_allclose(LISTS.kappa.pairs()["estimate"].item(), joined, rtol=1e-14)
    found = TEXT.kappa.consensus(sep="|")
    assert found["label"][:2].tolist() == [{"l1"}, {"l1", "l2"}]
    assert found["tied"][:2].tolist() == [True, False]
    labels = LISTS.kappa.confusion("a", "b").columns.tolist()
    assert list(map(str, labels[:4])) == ["{'l1'}", "{'l2'}", "{'l3'}", "{'l4'}"]
    declared = [["l4"], ["l3"], ["l2"], ["l1"], ["l1", "l2"], ["l1", "l3"], ["l1", "l2", "l3"]]
    assert LISTS.kappa.confusion("a", "b", categories=declared).columns[0] == {"l4"}
    tuples = [tuple(one) for one in declared]
    for categories in (tuples, dict(zip(tuples, range(7), strict=True))):
        assert_allclose(alpha(LISTS, "masi", categories=categories), alpha(LISTS, "masi"))


@each("kind", [set, list, tuple])
@each("weights", ["jaccard", "masi"])
def test_sets_of_any_kind_are_checked_by_other_packages(kind, weights):
    drawn = np.random.default_rng(20261126).integers(1, 8, (30, 2))
    data = pd.DataFrame(
        [[kind("abc"[at] for at in range(3) if one >> at & 1) for one in row] for row in drawn],
        columns=["ann", "bob"],
    )
    found = data.kappa.crosscheck(weights=weights)
    assert found["agrees"].fillna(value=True).all()
    assert found["agrees"].notna().sum() > 2


def test_empty_text_is_the_empty_set_and_missing_is_not():
    frame = pd.DataFrame({"a": ["", "x|y", None, "x"], "b": ["", "y|x", "x", ""]})
    found = frame.kappa.consensus(sep="|")
    assert found["label"].tolist() == [set(), {"x", "y"}, {"x"}, set()]
    assert found["n_ratings"].tolist() == [2, 2, 1, 2]
    assert frame.kappa.pairs(weights="jaccard", sep="|")["n_items"].item() == 3


def test_the_labels_of_a_set_are_shown_in_order():
    assert repr(LabelSet(["b", 1])) == "{'b', 1}"


def test_categories_that_are_no_sets(refuses):
    with refuses():
        pdkappa.decide([[0.2, 0.8], [0.5, 0.5]], categories=["a", "b"], weights="masi")
    chosen = pdkappa.decide([[0.2, 0.8]], categories=[["a"], ["a", "b"]], weights="masi")
    assert chosen.tolist() == [{"a", "b"}]


def first(value):
    """Return a frame whose first rating is some value."""
    frame = LISTS.copy()
    frame["a"] = pd.Series([value, *frame["a"][1:]], dtype=object)
    return frame


def pairs(data, **options):
    return lambda: data.kappa.pairs(**options)


MIXED = first("l1").iloc[[1, 0, *range(2, 11)]].reset_index(drop=True)
REFUSED = {
    "text beside sets": pairs(TEXT, weights="jaccard"),
    "numbers to part": pairs(pd.DataFrame({"a": [1, 2], "b": [2, 2]}), weights="masi", sep="|"),
    "categories that are no sets": pairs(LISTS, weights="masi", categories=["l1"]),
    "an empty separator": pairs(LISTS, sep=""),
    "a missing label in a set": pairs(first(["l1", None])),
    "a set in a set": pairs(first(["l1", ["l2"]])),
    "sets and text": pairs(MIXED),
    "sets of numbers and of text": pairs(pd.DataFrame({"a": [[1], [2]], "b": [["1"], ["2"]]})),
    "numbers and text in sets": pairs(pd.DataFrame({"a": [[1], ["1"]], "b": [[], [1]]})),
    "a name that is nearly known": pairs(LISTS, weights="jacard"),
    "a callable that fails": pairs(TEXT, weights=lambda a, b: a - b),
}


@raising("sets", REFUSED)
def test_the_whole_message(call, refused):
    with refused():
        call()
