"""Predictions against the truth: published values, scikit-learn, laws, forms of input, edges."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from sklearn import metrics

import pdkappa
from conftest import raising
from pdkappa import errors
from pdkappa.present import schema

nan = float("nan")

COUNTS = ("n_items", "n_missing", "reason", "remark")
SCORES = [name for name in schema.SCORECARD if name not in COUNTS]
LABEL_SCORES = ["accuracy", "mean_f1", "macro_f1", "micro_f1"]

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")


def score(data, truth, prediction, **options):
    """Return a scorecard, undefined scores and all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.UndefinedKappaWarning)
        return data.kappa.predictions.scorecard(truth, prediction, **options)


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
    card = LOSSES.kappa.predictions.scorecard("y", None, probabilities=OF_CLASS)
    assert_allclose(card["log_loss"], 0.3625557672904264, rtol=1e-15)
    assert_allclose(card["log_loss"], -np.log([0.68, 0.40, 0.60]).sum() / 5, rtol=2e-15)


def test_f1_of_the_article():
    card = LABELS.kappa.predictions.scorecard(TRUE, PREDICTED)
    assert card[["mean_f1", "macro_f1", "micro_f1"]].round(4).to_numpy().tolist() == [
        [0.5933, 0.5524, 0.6250]
    ]


def test_qwk_of_the_article():
    card = RATINGS.kappa.predictions.scorecard("truth", "pred")
    assert card["qwk"].round(4).tolist() == [0.6154]
    assert card["qwk"].item() == pdkappa.qwk(RATINGS["truth"], RATINGS["pred"])


def test_map_of_the_article():
    card = RANKED.kappa.predictions.scorecard("truth", None, ranked="pred", k=3)
    assert card["map_at_k"].round(4).tolist() == [0.6500]
    alone = [
        RANKED.loc[[row]]
        .kappa.predictions.scorecard("truth", None, ranked="pred", k=3)["map_at_k"]
        .item()
        for row in range(5)
    ]
    assert np.round(alone[:2], 4).tolist() == [1.0000, 0.5833]
    assert_allclose(alone, [1, 7 / 12, 1 / 2, 1, 1 / 6])


rows = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)), min_size=2, max_size=25
)
bits = st.lists(
    st.tuples(*[st.integers(0, 1)] * 6, st.integers(1, 3)), min_size=2, max_size=20
).filter(lambda rows: any(any(row[:6]) for row in rows))


@pytest.mark.oracle
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
    card = data.kappa.predictions.scorecard("y", None, probabilities=OF_CLASS, sample_weight="w")
    theirs = metrics.log_loss(
        data["y"], data[names].to_numpy(), labels=[0, 1, 2], sample_weight=data["w"]
    )
    assert_allclose(card["log_loss"], theirs, atol=1e-15)


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


@given(everything)
def test_a_group_is_scored_as_if_it_were_alone(items):
    data = frame_of(items)
    card = score(data, "truth", "pred", by="group", **OPTIONS)
    assert list(card.index) == [*sorted(data["group"].unique()), "pooled"]
    for group, mine in data.groupby("group"):
        alone = score(mine, "truth", "pred", **OPTIONS)
        assert_same(card.loc[[group]].set_axis(["pooled"]), alone)


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
        card = data.kappa.predictions.scorecard("human_1", "machine", by="essay_set", **options)
        for name, kind in (("cohen", None), ("qwk", "quadratic")):
            expected = data.kappa.grouped(
                "human_1", "machine", by="essay_set", weights=kind, **options
            )
            assert card.loc["pooled", name] == float(expected)
            assert card[name].iloc[:-1].tolist() == expected.groups["estimate"].tolist()


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
    expected = LABELS.kappa.predictions.scorecard(TRUE, PREDICTED)
    data = pd.DataFrame({"t": make(lists_of(LABELS, TRUE)), "p": make(lists_of(LABELS, PREDICTED))})
    assert_frame_equal(data.kappa.predictions.scorecard("t", "p"), expected)
    assert_frame_equal(LABELS.join(data).kappa.predictions.scorecard(TRUE, "p"), expected)
    assert_frame_equal(
        data.kappa.predictions.scorecard("t", "p", categories=["c", "b", "a"]), expected
    )


def test_columns_of_zero_and_one_may_be_booleans():
    expected = LABELS.kappa.predictions.scorecard(TRUE, PREDICTED)
    for dtype in (bool, float, "Int64", "boolean"):
        assert_frame_equal(
            LABELS.astype(dtype).kappa.predictions.scorecard(TRUE, PREDICTED), expected
        )


def test_a_column_for_each_place_is_a_column_of_lists():
    expected = RANKED.kappa.predictions.scorecard("truth", None, ranked="pred")
    for names in (["r1", "r2", "r3"], pd.Index(["r1", "r2", "r3"]), ("r1", "r2", "r3")):
        assert_frame_equal(
            PLACES.kappa.predictions.scorecard("truth", None, ranked=names), expected
        )
    tuples = RANKED.assign(pred=RANKED["pred"].map(tuple))
    assert_frame_equal(tuples.kappa.predictions.scorecard("truth", None, ranked="pred"), expected)


def test_columns_in_the_order_of_the_classes():
    expected = LOSSES.kappa.predictions.scorecard("y", None, probabilities=OF_CLASS)
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
        found = data.kappa.predictions.scorecard("y", None, probabilities=columns, **options)
        assert_frame_equal(found, expected)


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
    card = data.kappa.predictions.scorecard("t", "p", **options)
    assert card[["n_items", "n_missing"]].to_numpy().tolist() == [[2, 4]]
    assert card[["accuracy", "map_at_k"]].to_numpy().tolist() == [[0.5, 0.5]]
    expected = data.loc[[0, 5]].kappa.predictions.scorecard("t", "p", **options)
    assert_frame_equal(card.drop(columns="n_missing"), expected.drop(columns="n_missing"))


def test_scales_that_are_put_together_are_said():
    rng = np.random.default_rng(3)
    true = rng.integers(1, 7, 200)
    data = pd.DataFrame({"truth": true, "pred": np.clip(true + rng.integers(-1, 2, 200), 1, 6)})
    data = data.assign(set=["a"] * 100 + ["b"] * 100)
    data.loc[100:, ["truth", "pred"]] = 30 + 5 * data.loc[100:, ["truth", "pred"]]
    with pytest.warns(errors.CrudeKappaWarning, match="'set'"):
        card = score(data, "truth", "pred")
    assert card["remark"].tolist() == ["scales differ by 'set': pass by='set'"]
    assert set(score(data, "truth", "pred", by="set")["remark"]) == {""}


def test_weights():
    data = RATINGS.assign(w=[2, 0.5, 0, 1, 1], g=["x", "x", "z", "y", "y"])
    card = score(data, "truth", "pred", sample_weight="w", by="g")
    assert card["n_items"].tolist() == [2.5, 2, 0, 4.5]
    assert_allclose(card["accuracy"], [0.2, 0.5, nan, 1.5 / 4.5])
    assert card.loc["z", "reason"] == "no_items"
    huge = score(data, "truth", "pred", sample_weight=data["w"] * 1e300, by="g")
    assert_allclose(huge[SCORES], card[SCORES])


def test_every_nan_has_its_reason():
    data = pd.DataFrame(
        {
            "g": ["both", "both", "constant", "constant", "missing", "missing"],
            "t": [1, 2, 3, 3, 1, None],
            "p": [1, 1, 3, 3, None, 1],
        }
    )
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        card = data.kappa.predictions.scorecard("t", "p", by="g")
    assert [str(one.message) for one in caught] == [
        (
            "2 of 4 rows are undefined (NaN): 'constant' (constant_ratings), "
            "'missing' (no_joint_items). The column 'reason' says why."
        )
    ]
    assert caught[0].filename == __file__
    assert card["reason"].tolist() == ["", "constant_ratings", "no_joint_items", ""]
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
        card = pd.DataFrame(data).kappa.predictions.scorecard("t", "p", **options)
    assert card["reason"].item().startswith(reason)
    assert card[["mean_f1", "macro_f1", "micro_f1", "cohen"]].isna().all(axis=None)


def test_an_item_without_labels_has_no_f1_and_no_average_precision():
    data = pd.DataFrame({"t": [["a"], [], []], "p": [["a"], [], ["b"]], "r": [["a"], ["a"], ["b"]]})
    card = data.kappa.predictions.scorecard("t", "p", ranked="r")
    assert_allclose(
        card[[*LABEL_SCORES, "map_at_k"]], [[2 / 3, (1 + 0) / 2, (1 + 0) / 2, 2 / 3, 1]]
    )
    with pytest.warns(errors.UndefinedKappaWarning, match=r"'pooled' \(no_labels\)"):
        card = data.loc[1:].kappa.predictions.scorecard("t", None, ranked="r")
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
    card = data.kappa.predictions.scorecard("t", "p")
    assert card["qwk"].notna().tolist() == [has_order]
    assert card["reason"].str.contains("no_order").tolist() == [not has_order]
    found = data.kappa.predictions.scorecard("t", "p", categories=["low", "mid", "high"])[
        "qwk"
    ].item()
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
    card = data.kappa.predictions.scorecard("t", "p")
    assert card["reason"].tolist() == ["no_order"]
    assert card[["accuracy", "cohen"]].to_numpy().tolist() == [[1, 1]]


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
    "nothing": ("y", None, {}),
    "k is no number": ("y", None, {"ranked": "several", "k": 0}),
    "k for nothing": ("y", "y", {"k": 3}),
    "weights of no groups": ("y", "y", {"group_weights": {"x": 1}}),
    "group called pooled": ("y", "y", {"by": "group"}),
    "absent truth": ("why", "y", {}),
    "empty list": ([], "y", {}),
    "column twice": (["a", "a"], PREDICTED, {}),
    "other length": (TRUE, PREDICTED[:2], {}),
    "not 0 or 1": (["a", "y"], PREDICTED[:2], {}),
    "no numbers": (["a", "one"], PREDICTED[:2], {}),
    "lists beside labels": ("one", "several", {}),
    "mixed": ("mixed", "several", {}),
    "ranked without lists": ("one", None, {"ranked": "one"}),
    "gap": ("several", "gap", {}),
    "ranked of another kind": ("one", None, {"ranked": ["y"]}),
    "probabilities of several labels": ("several", None, {"probabilities": P}),
    "probabilities of nothing": ("y", None, {"probabilities": "p0"}),
    "which class": ("one", None, {"probabilities": P}),
    "too many columns": ("y", None, {"probabilities": [*P, "more"]}),
    "class without a column": ("y", None, {"probabilities": {0: "p0", 1: "odd"}}),
    "true class without a column": (
        "one",
        None,
        {"probabilities": {"u": "p0", "w": "p1", "x": "p2"}},
    ),
    "no probability": ("y", None, {"probabilities": {0: "p0", 1: "p1", 2: "more"}}),
    "one is missing": ("y", None, {"probabilities": {0: "p0", 1: "broken", 2: "p2"}}),
    "by a column of the result": ("y", "y", {"by": "cohen"}),
}


@raising("scorecard", CASES)
def test_the_whole_message(call, refused):
    truth, prediction, options = call
    with refused():
        FRAME.kappa.predictions.scorecard(truth, prediction, **options)


def test_a_missing_prediction_in_a_group_is_refused_where_it_is_asked_for():
    essays = pdkappa.datasets.load_essays().query("essay_set < 3")
    options, strict = {"by": "essay_set"}, {"missing": "raise"}
    told = (
        r"^Column 'machine' has 1 missing rating, at index 7\. Pass missing='pairwise' or "
        r"'listwise' to leave them out\.$"
    )
    gone = essays.assign(machine=essays["machine"].astype(float).mask(essays.index == 7))
    for name, more, held in (
        ("scorecard", {}, {}),
        ("cutpoints", {"weights": "linear"}, {"rng": 1}),
    ):
        plain = getattr(essays.kappa(**held).predictions, name)
        one, other = (plain("human_1", "machine", **options, **more, **x) for x in ({}, strict))
        assert_frame_equal(*(pd.DataFrame(getattr(x, "summary", x)) for x in (one, other)))
        with pytest.raises(errors.RatingsError, match=told):
            getattr(gone.kappa.predictions, name)("human_1", "machine", **options, **strict, **more)
