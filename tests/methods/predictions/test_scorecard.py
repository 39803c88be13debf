"""Predictions against the truth: published values, scikit-learn, laws, forms of input, edges."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from sklearn import metrics

import pdkappa
from pdkappa import errors
from pdkappa.present import schema

nan = float("nan")
some = settings(max_examples=30)

SCORES = [name for name in schema.SCORECARD if name not in ("n_items", "n_missing", "reason")]
LABEL_SCORES = ["accuracy", "mean_f1", "macro_f1", "micro_f1"]

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.LookalikeLabelsWarning")


def score(data, truth, prediction, **options):
    """Return a scorecard, undefined scores and all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.UndefinedKappaWarning)
        return pdkappa.scorecard(data, truth, prediction, **options)


# --- the worked examples of the article on these metrics, to the digits that it prints ---------

PROBABILITIES = [(0.68, 0.32, 0), (0, 0, 1), (0.60, 0.40, 0), (0, 0, 1), (0.28, 0.12, 0.60)]
LOSSES = pd.DataFrame(PROBABILITIES, columns=["p0", "p1", "p2"]).assign(y=[0, 2, 1, 2, 2])
OF_CLASS = {0: "p0", 1: "p1", 2: "p2"}

TRUE = ["a", "b", "c"]
PREDICTED = ["a_p", "b_p", "c_p"]
LABELS = pd.DataFrame(
    [
        (1, 1, 0, 1, 0, 1),
        (1, 0, 0, 0, 1, 0),
        (1, 1, 1, 1, 0, 1),
        (0, 1, 1, 0, 0, 1),
        (0, 0, 1, 0, 0, 1),
    ],
    columns=TRUE + PREDICTED,
)

RATINGS = pd.DataFrame({"truth": [1, 2, 3, 4, 3], "pred": [2, 2, 4, 4, 5]})

RANKED = pd.DataFrame(
    {
        "truth": [[1, 2], [1, 2], [4], [1, 2, 3, 4], [3, 4]],
        "pred": [[1, 2, 4], [4, 1, 2], [1, 4, 3], [1, 2, 3], [1, 2, 4]],
        "group": ["x", "x", "y", "y", "y"],
    }
)
PLACES = RANKED.join(pd.DataFrame(RANKED["pred"].tolist(), columns=["r1", "r2", "r3"]))


def test_log_loss_of_the_article():
    card = pdkappa.scorecard(LOSSES, "y", None, probabilities=OF_CLASS)
    assert_allclose(card["log_loss"], 0.3625557672904264, rtol=1e-15)
    assert_allclose(card["log_loss"], -np.log([0.68, 0.40, 0.60]).sum() / 5, rtol=2e-15)


def test_f1_of_the_article():
    card = pdkappa.scorecard(LABELS, TRUE, PREDICTED)
    assert card[["mean_f1", "macro_f1", "micro_f1"]].round(4).to_numpy().tolist() == [
        [0.5933, 0.5524, 0.6250]
    ]


def test_qwk_of_the_article():
    card = pdkappa.scorecard(RATINGS, "truth", "pred")
    assert card["qwk"].round(4).tolist() == [0.6154]
    assert card["qwk"].item() == pdkappa.qwk(RATINGS["truth"], RATINGS["pred"])


def test_map_of_the_article():
    card = pdkappa.scorecard(RANKED, "truth", None, ranked="pred", k=3)
    assert card["map_at_k"].round(4).tolist() == [0.6500]
    alone = [
        pdkappa.scorecard(RANKED.loc[[row]], "truth", None, ranked="pred", k=3)["map_at_k"].item()
        for row in range(5)
    ]
    assert np.round(alone[:2], 4).tolist() == [1.0000, 0.5833]
    assert_allclose(alone, [1, 7 / 12, 1 / 2, 1, 1 / 6])


# --- scikit-learn ------------------------------------------------------------------------------

rows = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)), min_size=2, max_size=25
)
bits = st.lists(
    st.tuples(*[st.integers(0, 1)] * 6, st.integers(1, 3)), min_size=2, max_size=20
).filter(lambda rows: any(any(row[:6]) for row in rows))


@pytest.mark.oracle
@some
@given(rows)
def test_labels_as_scikit_learn(items):
    data = pd.DataFrame(items, columns=["t", "p", "w"])
    t, p, w = (data[name].to_numpy() for name in "tpw")
    (card,) = score(data, "t", "p", sample_weight="w").to_dict("records")
    assert_allclose(card["accuracy"], metrics.accuracy_score(t, p, sample_weight=w))
    for average in ("macro", "micro"):
        theirs = metrics.f1_score(t, p, average=average, sample_weight=w, zero_division=np.nan)
        assert_allclose(card[f"{average}_f1"], theirs)
    assert_allclose(card["mean_f1"], card["accuracy"])
    if len(np.union1d(t, p)) > 1:
        for name, weights in (("cohen", None), ("qwk", "quadratic")):
            theirs = metrics.cohen_kappa_score(
                t, p, labels=range(1, 5), weights=weights, sample_weight=w
            )
            assert_allclose(card[name], theirs, atol=1e-12)


@pytest.mark.oracle
@some
@given(bits)
def test_several_labels_as_scikit_learn(items):
    data = pd.DataFrame(items, columns=[*TRUE, *PREDICTED, "w"])
    t, p, w = data[TRUE].to_numpy(), data[PREDICTED].to_numpy(), data["w"].to_numpy()
    (card,) = score(data, TRUE, PREDICTED, sample_weight="w").to_dict("records")
    assert_allclose(card["accuracy"], metrics.accuracy_score(t, p, sample_weight=w))
    names = {"mean_f1": "samples", "macro_f1": "macro", "micro_f1": "micro"}
    for name, average in names.items():
        theirs = metrics.f1_score(t, p, average=average, sample_weight=w, zero_division=np.nan)
        assert_allclose(card[name], theirs)


@pytest.mark.oracle
@some
@given(
    st.lists(
        st.tuples(st.integers(0, 2), *[st.integers(0, 5)] * 3, st.integers(1, 3)).filter(
            lambda row: sum(row[1:4]) > 0
        ),
        min_size=1,
        max_size=15,
    )
)
def test_log_loss_as_scikit_learn(items):
    data = pd.DataFrame(items, columns=["y", *OF_CLASS.values(), "w"])
    names = list(OF_CLASS.values())
    data[names] = data[names].div(data[names].sum(axis=1), axis=0)
    card = pdkappa.scorecard(data, "y", None, probabilities=OF_CLASS, sample_weight="w")
    theirs = metrics.log_loss(
        data["y"], data[names].to_numpy(), labels=[0, 1, 2], sample_weight=data["w"]
    )
    assert_allclose(card["log_loss"], theirs, atol=1e-15)


@pytest.mark.oracle
def test_average_precision_as_scikit_learn():
    """Where all labels are ranked and all count, it is that of label ranking."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, (50, 6))
    truth[:, 0] |= truth.sum(axis=1) == 0
    values = rng.permuted(np.tile(np.arange(6.0), (50, 1)), axis=1)
    data = pd.DataFrame(
        {
            "truth": [np.flatnonzero(row) for row in truth],
            "ranked": list(np.argsort(-values, axis=1)),
        }
    )
    card = pdkappa.scorecard(data, "truth", None, ranked="ranked")
    theirs = metrics.label_ranking_average_precision_score(truth, values)
    assert_allclose(card["map_at_k"], theirs)


# --- laws --------------------------------------------------------------------------------------

CLASSES = [1, 2, 3]
P_OF = {label: f"p{label}" for label in CLASSES}
everything = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from([*CLASSES, None]),
        st.sampled_from([*CLASSES, *CLASSES, None]),
        st.sampled_from([(0.5, 0.25, 0.25), (0, 0.25, 0.75), (0, 1, 0), (nan, nan, nan)]),
        st.permutations(CLASSES),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=25,
)
OPTIONS = {"probabilities": P_OF, "ranked": "ranked", "k": 2}


def frame_of(items):
    """Put items into a frame."""
    group, truth, pred, probabilities, ranked, times = zip(*items, strict=True)
    data = pd.DataFrame({"group": group, "times": times, "ranked": map(list, ranked)})
    data["truth"] = pd.array(truth, dtype="Int64")
    data["pred"] = pd.array(pred, dtype="Int64")
    data[list(P_OF.values())] = np.array(probabilities, dtype=float)
    return data


def assert_same(found, expected):
    """Frames are the same up to rounding error."""
    assert_frame_equal(found, expected, check_dtype=False, rtol=1e-11, atol=1e-12)


@some
@given(everything, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(items, random):
    data = frame_of(items)
    expected = score(data, "truth", "pred", by="group", **OPTIONS)
    order = list(range(len(items)))
    random.shuffle(order)
    assert_same(score(data.iloc[order], "truth", "pred", by="group", **OPTIONS), expected)


@some
@given(everything)
def test_weights_are_repeated_items(items):
    data = frame_of(items)
    found = score(data, "truth", "pred", by="group", sample_weight="times", **OPTIONS)
    repeated = data.loc[data.index.repeat(data["times"])]
    assert_same(found, score(repeated, "truth", "pred", by="group", **OPTIONS))


@some
@given(everything)
def test_a_group_is_scored_as_if_it_were_alone(items):
    data = frame_of(items)
    card = score(data, "truth", "pred", by="group", **OPTIONS)
    assert list(card.index) == [*sorted(data["group"].unique()), "pooled"]
    for group, mine in data.groupby("group"):
        alone = score(mine, "truth", "pred", **OPTIONS)
        assert_same(card.loc[[group]].set_axis(["pooled"]), alone)


@some
@given(everything)
def test_pooled_scores_are_those_of_all_items_but_for_kappa(items):
    data = frame_of(items)
    card = score(data, "truth", "pred", by="group", **OPTIONS)
    together = score(data, "truth", "pred", **OPTIONS)
    same = [name for name in schema.SCORECARD if name not in ("cohen", "qwk", "reason")]
    assert_same(card.loc[["pooled"], same].rename_axis(None), together[same])
    for name in ("cohen", "qwk"):
        of_groups = card[name].iloc[:-1]
        assert_allclose(card.loc["pooled", name], pdkappa.fisher_mean(of_groups))


def test_the_pooled_kappas_are_those_of_grouped():
    data = pdkappa.datasets.load_essays()
    weights = {group: group**2 for group in range(1, 9)}
    for options in ({}, {"group_weights": weights}):
        card = pdkappa.scorecard(data, "human_1", "machine", by="essay_set", **options)
        for name, kind in (("cohen", None), ("qwk", "quadratic")):
            expected = pdkappa.grouped(
                data, "human_1", "machine", by="essay_set", weights=kind, **options
            )
            assert card.loc["pooled", name] == float(expected)
            assert card[name].iloc[:-1].tolist() == expected.groups["estimate"].tolist()


def test_the_frame_is_left_as_it_was():
    data = PLACES.join(LABELS[TRUE]).assign(w=2.0)
    before = data.copy(deep=True)
    score(data, "truth", "pred", by="group", ranked=["r1", "r2", "r3"], sample_weight="w")
    score(data, TRUE, TRUE, by="group")
    assert_frame_equal(data, before)


# --- forms of input ----------------------------------------------------------------------------


def lists_of(frame, names):
    """Turn columns of 0 and 1 into lists of labels."""
    rows = frame[names].to_numpy()
    return [[label for label, x in zip(TRUE, row, strict=True) if x] for row in rows]


FORMS = {
    "lists": lambda x: x,
    "arrays": lambda x: [np.array(one, dtype=object) for one in x],
    "sets": lambda x: [set(one) for one in x],
    "frozensets": lambda x: [frozenset(one) for one in x],
    "repeated": lambda x: [one + one for one in x],
    "reversed": lambda x: [one[::-1] for one in x],
    "arrow": lambda x: pd.array(x, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_labels_in_lists_are_labels_in_columns(make):
    expected = pdkappa.scorecard(LABELS, TRUE, PREDICTED)
    data = pd.DataFrame({"t": make(lists_of(LABELS, TRUE)), "p": make(lists_of(LABELS, PREDICTED))})
    assert_frame_equal(pdkappa.scorecard(data, "t", "p"), expected)
    assert_frame_equal(pdkappa.scorecard(LABELS.join(data), TRUE, "p"), expected)
    assert_frame_equal(pdkappa.scorecard(data, "t", "p", categories=["c", "b", "a"]), expected)


def test_columns_of_zero_and_one_may_be_booleans():
    expected = pdkappa.scorecard(LABELS, TRUE, PREDICTED)
    for dtype in (bool, float, "Int64", "boolean"):
        assert_frame_equal(pdkappa.scorecard(LABELS.astype(dtype), TRUE, PREDICTED), expected)


def test_a_list_of_one_label_is_that_label():
    data = RATINGS.assign(
        t=RATINGS["truth"].map(lambda x: [x]), p=RATINGS["pred"].map(lambda x: {x})
    )
    same = [*LABEL_SCORES, "cohen"]
    found = pdkappa.scorecard(data, "t", "p")
    assert_frame_equal(found[same], pdkappa.scorecard(data, "truth", "pred")[same])
    assert found["reason"].tolist() == ["no_order"]


def test_kappa_of_several_labels_is_that_of_whole_sets():
    card = pdkappa.scorecard(LABELS, TRUE, PREDICTED)
    text = pd.DataFrame(
        {
            name: LABELS[columns].astype(str).agg("".join, axis=1)
            for name, columns in (("t", TRUE), ("p", PREDICTED))
        }
    )
    assert_allclose(card["cohen"], pdkappa.pairs(text)["estimate"])


def test_a_column_for_each_place_is_a_column_of_lists():
    expected = pdkappa.scorecard(RANKED, "truth", None, ranked="pred")
    for names in (["r1", "r2", "r3"], pd.Index(["r1", "r2", "r3"]), ("r1", "r2", "r3")):
        assert_frame_equal(pdkappa.scorecard(PLACES, "truth", None, ranked=names), expected)
    tuples = RANKED.assign(pred=RANKED["pred"].map(tuple))
    assert_frame_equal(pdkappa.scorecard(tuples, "truth", None, ranked="pred"), expected)


def test_a_place_may_be_empty():
    data = pd.DataFrame({"t": [1, 1], "r1": [nan, 2], "r2": [1, nan], "r": [[None, 1], [2]]})
    for ranked in (["r1", "r2"], "r"):
        assert pdkappa.scorecard(data, "t", None, ranked=ranked)["map_at_k"].tolist() == [0.25]


def test_k_is_the_length_of_the_longest_list():
    data = pd.DataFrame({"t": [[1, 2, 3], [1]], "r": [[1], [2, 1]]})
    found = [
        pdkappa.scorecard(data, "t", None, ranked="r", k=k)["map_at_k"].item()
        for k in (None, 1, 2, 3)
    ]
    assert_allclose(found, [(1 / 2 + 1 / 2) / 2, 1 / 2, 1 / 2, (1 / 3 + 1 / 2) / 2])


def test_labels_can_be_ranked_beside_a_single_true_one():
    data = pd.DataFrame({"t": ["a", "b"], "p": ["a", "a"], "r": [["a", "z"], ["z", "b"]]})
    card = pdkappa.scorecard(data, "t", "p", ranked="r")
    assert card[["accuracy", "map_at_k"]].to_numpy().tolist() == [[0.5, 0.75]]


def test_columns_called_as_the_classes():
    data = LOSSES.set_axis([2, 1, 0, "y"], axis=1)
    found = pdkappa.scorecard(data, "y", None, probabilities=[2, 1, 0])["log_loss"].item()
    expected = pdkappa.scorecard(LOSSES, "y", None, probabilities={2: "p0", 1: "p1", 0: "p2"})
    assert found == expected["log_loss"].item()


def test_columns_in_the_order_of_the_classes():
    expected = pdkappa.scorecard(LOSSES, "y", None, probabilities=OF_CLASS)
    columns = list(OF_CLASS.values())
    names = LOSSES["y"].map({0: "low", 1: "mid", 2: "high"})
    order = ["low", "mid", "high"]
    ordered = names.astype(pd.CategoricalDtype(order, ordered=True))
    for data, options in (
        (LOSSES, {}),
        (LOSSES.assign(y=ordered), {}),
        (LOSSES.assign(y=names), {"categories": order}),
        (LOSSES.assign(y=names), {"categories": {"high": 3, "low": 1, "mid": 2}}),
    ):
        found = pdkappa.scorecard(data, "y", None, probabilities=columns, **options)
        assert_frame_equal(found, expected)


def test_a_table_of_counts_can_be_scored():
    table = pd.DataFrame([[20, 5], [10, 15]], index=["no", "yes"], columns=["no", "yes"])
    card = pdkappa.from_table(table).scorecard("rater_a", "rater_b")
    assert card["n_items"].tolist() == [50]
    assert_allclose(card[["accuracy", "macro_f1", "cohen"]], [[0.7, (8 / 11 + 2 / 3) / 2, 0.4]])
    with pytest.raises(errors.OptionError, match="do not say who rated"):
        pdkappa.from_counts(pd.DataFrame({1: [1], 2: [1]})).scorecard("a", "b")


def test_the_doors():
    expected = pdkappa.scorecard(RANKED, "truth", "pred", ranked="pred", by="group")
    assert_frame_equal(RANKED.kappa.scorecard("truth", "pred", ranked="pred", by="group"), expected)
    by_group = RANKED.groupby("group").kappa.scorecard("truth", "pred", ranked="pred")
    assert_frame_equal(by_group, expected)


# --- the frame ---------------------------------------------------------------------------------


def test_columns_and_labels():
    data = RATINGS.assign(g=[1, 1, 2, 2, 2], h=list("ababa"))
    card = score(data, "truth", "pred")
    assert list(card.columns) == list(schema.SCORECARD)
    assert list(card.index) == ["pooled"]
    card = score(data, "truth", "pred", by="g")
    assert (list(card.index), card.index.name) == ([1, 2, "pooled"], "g")
    assert card["n_items"].tolist() == [2, 3, 5]
    card = score(data, "truth", "pred", by=["g", "h"])
    assert list(card.index) == [(1, "a"), (1, "b"), (2, "a"), (2, "b"), ("pooled", "")]
    assert list(card.index.names) == ["g", "h"]


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_rows_without_a_group_are_left_out():
    data = RATINGS.assign(g=["x", "x", None, "y", "y"])
    card = score(data, "truth", "pred", by="g")
    assert card["n_items"].tolist() == [2, 2, 4]
    assert card["n_missing"].tolist() == [0, 0, 0]


def test_whatever_is_missing_leaves_the_item_out_of_all_scores():
    data = pd.DataFrame(
        {
            "t": [1, 2, 1, 2, None, 1],
            "p": [1, 2, 1, None, 1, 2],
            "p1": [0.5, 0.5, nan, 0.5, 0.5, 0.5],
            "p2": [0.5, 0.5, nan, 0.5, 0.5, 0.5],
            "r": [[1], None, [2], [2], [2], [2]],
        }
    )
    options = {"probabilities": {1: "p1", 2: "p2"}, "ranked": "r"}
    card = pdkappa.scorecard(data, "t", "p", **options)
    assert card[["n_items", "n_missing"]].to_numpy().tolist() == [[2, 4]]
    assert card[["accuracy", "map_at_k"]].to_numpy().tolist() == [[0.5, 0.5]]
    expected = pdkappa.scorecard(data.loc[[0, 5]], "t", "p", **options)
    assert_frame_equal(card.drop(columns="n_missing"), expected.drop(columns="n_missing"))


def test_missing_lists_and_columns_of_zero_and_one():
    data = pd.DataFrame({"t": [["a"], None, ["b"]], "p": [["a"], ["a"], nan]})
    card = score(data, "t", "p")
    assert card[["n_items", "n_missing", "accuracy"]].to_numpy().tolist() == [[1, 2, 1]]
    bits = LABELS.astype(float)
    bits.loc[0, "a"] = nan
    card = pdkappa.scorecard(bits, TRUE, PREDICTED)
    assert card["n_missing"].tolist() == [1]
    expected = pdkappa.scorecard(LABELS.loc[1:], TRUE, PREDICTED)
    assert_frame_equal(card[LABEL_SCORES], expected[LABEL_SCORES])


def test_weights():
    data = RATINGS.assign(w=[2, 0.5, 0, 1, 1], g=["x", "x", "z", "y", "y"])
    card = score(data, "truth", "pred", sample_weight="w", by="g")
    assert card["n_items"].tolist() == [2.5, 2, 0, 4.5]
    assert_allclose(card["accuracy"], [0.2, 0.5, nan, 1.5 / 4.5])
    assert card.loc["z", "reason"] == "no_items"
    huge = score(data, "truth", "pred", sample_weight=data["w"] * 1e300, by="g")
    assert_allclose(huge[SCORES], card[SCORES])


def test_sums_of_huge_weights_stay_finite():
    data = pd.DataFrame({"y": [0, 1], "p0": [0.0, 0.0], "p1": [1.0, 1.0], "w": [3e307, 1e307]})
    card = pdkappa.scorecard(data, "y", None, probabilities={0: "p0", 1: "p1"}, sample_weight="w")
    assert_allclose(card["log_loss"], 0.75 * 52 * np.log(2))


# --- undefined ---------------------------------------------------------------------------------


def test_every_nan_has_its_reason():
    data = pd.DataFrame(
        {
            "g": ["both", "both", "constant", "constant", "missing", "missing"],
            "t": [1, 2, 3, 3, 1, None],
            "p": [1, 1, 3, 3, None, 1],
        }
    )
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        card = pdkappa.scorecard(data, "t", "p", by="g")
    assert [str(one.message) for one in caught] == [
        (
            "2 of 4 row(s) are undefined (NaN): 'constant' (constant_ratings), "
            "'missing' (no_joint_items). The column 'reason' says why."
        )
    ]
    assert caught[0].filename == __file__
    assert card["reason"].tolist() == [
        "",
        "constant_ratings",
        "no_joint_items",
        "",
    ]
    assert card["cohen"].isna().tolist() == [False, True, True, False]
    assert card["accuracy"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("data", "options", "reason"),
    [
        ({"t": [], "p": []}, {}, "no_items"),
        ({"t": [None, None], "p": [None, None]}, {}, "no_joint_items"),
        ({"t": [1, 2], "p": [1, 2]}, {"sample_weight": [0, 0]}, "zero_total_weight"),
        ({"t": [None, None], "p": [[1], [2]]}, {}, "no_joint_items"),
        ({"t": [[], []], "p": [[], []]}, {}, "no_labels, constant_ratings"),
    ],
)
def test_nothing_to_score(data, options, reason):
    with pytest.warns(errors.UndefinedKappaWarning, match="1 of 1 row"):
        card = pdkappa.scorecard(pd.DataFrame(data), "t", "p", **options)
    assert card["reason"].item().startswith(reason)
    assert card[["mean_f1", "macro_f1", "micro_f1", "cohen"]].isna().all(axis=None)


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_no_group_at_all():
    data = RATINGS.assign(g=None)
    with pytest.warns(errors.UndefinedKappaWarning, match="1 of 1 row"):
        card = pdkappa.scorecard(data, "truth", "pred", by="g")
    assert card["reason"].tolist() == ["no_items"]


def test_no_group_with_a_kappa():
    data = pd.DataFrame({"t": [1, 2], "p": [1, 2], "g": ["x", "y"]})
    with pytest.warns(errors.UndefinedKappaWarning, match="3 of 3 row"):
        card = pdkappa.scorecard(data, "t", "p", by="g")
    assert card.loc["pooled", "reason"].startswith("no_defined_group")
    assert card.loc["pooled", ["accuracy", "macro_f1"]].tolist() == [1, 1]


def test_an_item_without_labels_has_no_f1_and_no_average_precision():
    data = pd.DataFrame({"t": [["a"], [], []], "p": [["a"], [], ["b"]], "r": [["a"], ["a"], ["b"]]})
    card = pdkappa.scorecard(data, "t", "p", ranked="r")
    assert_allclose(
        card[[*LABEL_SCORES, "map_at_k"]], [[2 / 3, (1 + 0) / 2, (1 + 0) / 2, 2 / 3, 1]]
    )
    with pytest.warns(errors.UndefinedKappaWarning, match=r"'pooled' \(no_labels\)"):
        card = pdkappa.scorecard(data.loc[1:], "t", None, ranked="r")
    assert card["reason"].item() == "no_labels"


@pytest.mark.parametrize(
    ("dtype", "has_order"),
    [
        (object, False),
        (pd.CategoricalDtype(["low", "mid", "high"]), False),
        (pd.CategoricalDtype(["low", "mid", "high"], ordered=True), True),
    ],
    ids=["text", "unordered", "ordered"],
)
def test_the_order_of_text_is_never_guessed(dtype, has_order):
    data = pd.DataFrame({"t": ["low", "mid", "high"], "p": ["low", "high", "high"]}).astype(dtype)
    card = pdkappa.scorecard(data, "t", "p")
    assert card["qwk"].notna().tolist() == [has_order]
    assert card["reason"].str.contains("no_order").tolist() == [not has_order]
    found = pdkappa.scorecard(data, "t", "p", categories=["low", "mid", "high"])["qwk"].item()
    assert found == pdkappa.qwk([1, 2, 3], [1, 3, 3])


def test_orders_that_contradict_each_other_are_none():
    order = ["low", "mid", "high"]
    values = ["low", "mid", "high"]
    data = pd.DataFrame(
        {
            "t": pd.Categorical(values, order, ordered=True),
            "p": pd.Categorical(values, order[::-1], ordered=True),
        }
    )
    card = pdkappa.scorecard(data, "t", "p")
    assert card["reason"].tolist() == ["no_order"]
    assert card[["accuracy", "cohen"]].to_numpy().tolist() == [[1, 1]]


# --- errors ------------------------------------------------------------------------------------

FRAME = LOSSES.join(LABELS).assign(
    one=pd.Series(["u", "v", "u", "v", "u"], dtype=object),
    several=[["u"], ["v"], ["u", "v"], [], ["v"]],
    gap=[["u"], ["v", None], [], [], []],
    mixed=[["u"], "v", "u", ["v"], []],
    group=["x", "x", "y", "y", "pooled"],
    more=[1.2, 0, 0, 0, 0],
    odd=[0.3, 1, 1, 1, 1],
    broken=[0.32, nan, 0.4, 0, 0.12],
)
P = ["p0", "p1", "p2"]

CASES = {
    "nothing": (
        ("y", None, {}),
        errors.OptionError,
        "There is nothing to score. Pass prediction, probabilities or ranked.",
    ),
    "k is no number": (
        ("y", None, {"ranked": "several", "k": 0}),
        errors.OptionError,
        "k=0 must be a whole number from 1 upwards.",
    ),
    "k for nothing": (
        ("y", "y", {"k": 3}),
        errors.OptionError,
        "k=3 says how many ranked labels count, but none are ranked. Pass ranked.",
    ),
    "weights of no groups": (
        ("y", "y", {"group_weights": {"x": 1}}),
        errors.OptionError,
        "group_weights are for the mean over groups, and there are none. Pass by.",
    ),
    "group called pooled": (
        ("y", "y", {"by": "group"}),
        errors.OptionError,
        "by='group' has a group 'pooled', which is the name of the last row. Rename that group.",
    ),
    "absent truth": (
        ("why", "y", {}),
        errors.ColumnNotFoundError,
        ("No truth column 'why'. The frame has columns 'p0', 'p1', 'p2', 'y', 'a' and 13 more."),
    ),
    "empty list": (
        ([], "y", {}),
        errors.OptionError,
        "truth is an empty list. Name the columns, or pass None.",
    ),
    "column twice": (
        (["a", "a"], PREDICTED, {}),
        errors.DuplicateRatingError,
        "truth names 'a' more than once. Name each column once.",
    ),
    "other length": (
        (TRUE, PREDICTED[:2], {}),
        errors.OptionError,
        (
            "truth names 3 columns and prediction 2. Name one column for each label, in the "
            "same order."
        ),
    ),
    "not 0 or 1": (
        (["a", "y"], PREDICTED[:2], {}),
        errors.RatingsError,
        (
            "Column 'y' must hold 0 or 1, as one of several columns of truth, got 2.0 at index 1. "
            "Pass a single column for classes."
        ),
    ),
    "lists beside labels": (
        ("one", "several", {}),
        errors.RatingTypeError,
        (
            "Column 'one' holds one label for each item, such as 'u', beside lists of labels. Put "
            "it into lists too, or pass the lists as ranked."
        ),
    ),
    "mixed": (
        ("mixed", "several", {}),
        errors.RatingTypeError,
        (
            "Column 'mixed' must hold lists of labels, got 'v' (str) at index 1. Put the labels of "
            "each item into a list."
        ),
    ),
    "ranked without lists": (
        ("one", None, {"ranked": "one"}),
        errors.RatingTypeError,
        (
            "Column 'one' must hold lists of labels, got 'u' (str) at index 0. Put the labels of "
            "each item into a list."
        ),
    ),
    "gap": (
        ("several", "gap", {}),
        errors.RatingTypeError,
        (
            "Column 'gap' has missing labels in its lists, at index 1. Drop them from the lists, "
            "or set a whole list to missing."
        ),
    ),
    "ranked of another kind": (
        ("one", None, {"ranked": ["y"]}),
        errors.RatingTypeError,
        (
            "Raters 'one' and 'y' hold different kinds of ratings: text (object) such as 'u' and "
            "numbers (int64) such as 2, so that equal ratings may not match. Convert one with "
            "astype, or pass only the columns that hold ratings."
        ),
    ),
    "probabilities of several labels": (
        ("several", None, {"probabilities": P}),
        errors.OptionError,
        (
            "probabilities are those of the one true class of each item, but items have several "
            "labels. Leave them out."
        ),
    ),
    "probabilities of nothing": (
        ("y", None, {"probabilities": "p0"}),
        errors.OptionError,
        "probabilities must be a list of columns or a dict {class: column}, got 'p0'.",
    ),
    "which class": (
        ("one", None, {"probabilities": P}),
        errors.OptionError,
        (
            "Nothing says which column of probabilities belongs to which class: there are 3 "
            "columns, 'p0', 'p1', 'p2', and 2 classes, 'u', 'v'. Pass a dict {class: column}."
        ),
    ),
    "too many columns": (
        ("y", None, {"probabilities": [*P, "more"]}),
        errors.OptionError,
        (
            "Nothing says which column of probabilities belongs to which class: there are 4 "
            "columns, 'p0', 'p1', 'p2', 'more', and 3 classes, 0, 1, 2. "
            "Pass a dict {class: column}."
        ),
    ),
    "class without a column": (
        ("y", None, {"probabilities": {0: "p0", 1: "odd"}}),
        errors.RatingsError,
        (
            "probabilities must add up to 1 for each item, but 3 do not, at index 0, 2, 4; the "
            "first adds up to 0.98. Divide them by their sums, as with "
            "df[columns].div(df[columns].sum(axis=1), axis=0)."
        ),
    ),
    "true class without a column": (
        ("one", None, {"probabilities": {"u": "p0", "w": "p1", "x": "p2"}}),
        errors.RatingsError,
        (
            "Column 'one' holds 2 item(s) of class(es) 'v', which have no column in "
            "probabilities. Add a column for each class, with 0 if need be."
        ),
    ),
    "no probability": (
        ("y", None, {"probabilities": {0: "p0", 1: "p1", 2: "more"}}),
        errors.RatingsError,
        (
            "probabilities must lie between 0 and 1, got 1.2 in column 'more' at index 0. Set all "
            "of an item's probabilities to missing to leave it out."
        ),
    ),
    "one is missing": (
        ("y", None, {"probabilities": {0: "p0", 1: "broken", 2: "p2"}}),
        errors.RatingsError,
        (
            "probabilities must lie between 0 and 1, got nan in column 'broken' at index 1. Set "
            "all of an item's probabilities to missing to leave it out."
        ),
    ),
    "by a column of the result": (
        ("y", "y", {"by": "cohen"}),
        errors.OptionError,
        (
            "by='cohen' is a column of the result, too. Rename the column in data with "
            "data.rename(columns=...)."
        ),
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), CASES.values(), ids=CASES)
def test_the_whole_message(call, error, message):
    truth, prediction, options = call
    with pytest.raises(error) as caught:
        pdkappa.scorecard(FRAME, truth, prediction, **options)
    assert type(caught.value) is error
    assert str(caught.value) == message


def test_sums_may_be_off_by_rounding():
    data = pd.DataFrame({"y": [0, 1], "p0": [1 / 3, 0.5], "p1": [2 / 3, 0.5]}).astype("float32")
    card = pdkappa.scorecard(data, "y", None, probabilities={0: "p0", 1: "p1"})
    assert_allclose(card["log_loss"], (np.log(3) + np.log(2)) / 2, rtol=1e-6)
