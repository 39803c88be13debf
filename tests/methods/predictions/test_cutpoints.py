"""`cutpoints`: what users pass, what they get, and every message."""

from __future__ import annotations

import re
from functools import partial
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal

import pdkappa
from conftest import raising
from pdkappa.methods.predictions.cutpoint_search import MOST_ITEMS
from pdkappa.methods.predictions.cutpoints import Rule
from pdkappa.methods.predictions.cutpoints import cutpoints as at_random

cutpoints = partial(at_random, rng=0)

nan = np.nan
every_method = pytest.mark.parametrize("method", get_args(Rule))
ASYMMETRIC = np.array([[0, 1, 2, 3], [4, 0, 1, 2], [8, 4, 0, 1], [12, 8, 4, 0]])


def sample(n=200, seed=1, k=4):
    """Classes from 1 to k, and scores that follow them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, k + 1, n)
    return truth, truth / 2 + rng.normal(size=n)


@pytest.fixture(name="frame")
def essays():
    """Three sets of essays with scales of their own."""
    parts = []
    for number, k in enumerate((3, 5, 9)):
        truth, score = sample(90, number, k)
        parts.append(pd.DataFrame({"set": number, "truth": truth, "score": score}))
    return pd.concat(parts, ignore_index=True).sample(frac=1, random_state=0)


# --- estimates ---------------------------------------------------------------------------------


@every_method
def test_the_estimate_is_kappa_of_the_predictions(method):
    truth, score = sample()
    for weights in (None, "linear", "quadratic", "radical", "ordinal"):
        found = cutpoints(truth, score, weights=weights, method=method)
        predicted = found.predict(score)
        kappa = pdkappa.qwk(truth, predicted, weights=weights)
        assert_allclose(found.estimate, kappa, atol=1e-12, err_msg=str(weights))
        assert set(predicted) <= {1, 2, 3, 4}, weights
        assert len(found.cuts) == 3, weights
        assert (np.diff(found.cuts) >= 0).all(), weights
        optimism = found.cv_estimates[found.method] - found.cv_estimate
        assert 0 <= optimism < (0.05 if method == "auto" else 1e-15), weights
        exact = cutpoints(truth, score, weights=weights, method="exact")
        assert found.cv_estimate < exact.estimate, weights


def test_distances_are_those_of_the_scale():
    """Scores of the classes matter, and so do ranks instead."""
    truth, score = sample(400)
    steps = {1: 1, 2: 2, 3: 9, 4: 10}
    apart = np.subtract.outer(list(steps.values()), list(steps.values())) ** 2
    by_dict = cutpoints(truth, score, categories=steps, method="exact", weights="quadratic")
    by_array = cutpoints(truth, score, weights=apart, method="exact")
    assert_allclose(by_dict.estimate, by_array.estimate, atol=1e-12)
    gaps = pd.Series(truth).map(steps)
    by_value = cutpoints(gaps, score, method="exact", weights="quadratic")
    assert_allclose(by_value.estimate, by_dict.estimate, atol=1e-12)
    ranks = cutpoints(
        gaps, score, categories={1: 1, 2: 2, 9: 3, 10: 4}, method="exact", weights="quadratic"
    )
    plain = cutpoints(truth, score, method="exact", weights="quadratic")
    assert_array_equal(ranks.cuts, plain.cuts)
    assert not np.array_equal(ranks.cuts, by_value.cuts)


def test_asymmetric_costs_have_the_truth_in_rows():
    """Too low a prediction costs four times as much, so that cuts move down."""
    truth, score = sample(2000)
    found = cutpoints(truth, score, weights=ASYMMETRIC, method="exact")
    turned = cutpoints(truth, score, weights=ASYMMETRIC.T, method="exact")
    middle = cutpoints(truth, score, weights="linear", method="exact")
    assert found.cuts.mean() < middle.cuts.mean() < turned.cuts.mean()
    table = pd.crosstab(truth, found.predict(score)).reindex(columns=[1, 2, 3, 4], fill_value=0)
    shares = table.to_numpy() / 2000
    by_chance = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    kappa = 1 - (shares * ASYMMETRIC).sum() / (by_chance * ASYMMETRIC).sum()
    assert_allclose(found.estimate, kappa, atol=1e-12)
    assert found.weights == "custom"
    labelled = pd.DataFrame(ASYMMETRIC, index=[1, 2, 3, 4], columns=[1, 2, 3, 4])
    again = cutpoints(truth, score, weights=labelled.iloc[::-1], method="exact")
    assert_array_equal(again.cuts, found.cuts)


# --- items -------------------------------------------------------------------------------------


@every_method
def test_the_order_of_the_items_makes_no_difference(method):
    truth, score = sample()
    score = score.round(1)
    order = np.random.default_rng(2).permutation(len(truth))
    one = cutpoints(truth, score, method=method, weights="quadratic")
    other = cutpoints(truth[order], score[order], method=method, weights="quadratic")
    assert_array_equal(one.cuts, other.cuts)
    assert one.cv_estimates == other.cv_estimates


@every_method
def test_missing_items_are_left_out(method):
    truth, score = sample()
    holes = pd.Series(truth, dtype="Int64").mask(np.arange(200) % 7 == 0)
    gaps = np.where(np.arange(200) % 5 == 0, nan, score)
    keep = holes.notna().to_numpy() & ~np.isnan(gaps)
    one = cutpoints(holes, gaps, method=method, weights="quadratic")
    other = cutpoints(truth[keep], score[keep], method=method, weights="quadratic")
    assert_array_equal(one.cuts, other.cuts)
    assert one.cv_estimate == other.cv_estimate
    assert one.classes["n_truth"].sum() == keep.sum()


@every_method
def test_whole_weights_are_repeated_items(method):
    truth, score = sample(120)
    times = np.random.default_rng(3).integers(0, 4, 120)
    one = cutpoints(truth, score, sample_weight=times, method=method, weights="quadratic")
    other = cutpoints(truth.repeat(times), score.repeat(times), method=method, weights="quadratic")
    assert_array_equal(one.cuts, other.cuts)
    assert one.cv_estimates == other.cv_estimates
    assert_frame_equal(one.classes, other.classes)


def test_very_large_whole_weights_are_weights():
    truth, score = sample(60)
    one = cutpoints(truth, score, method="exact", weights="quadratic")
    large = np.full(60, MOST_ITEMS)
    other = cutpoints(truth, score, sample_weight=large, method="exact", weights="quadratic")
    assert_array_equal(one.cuts, other.cuts)
    assert_allclose(one.cv_estimate, other.cv_estimate)
    assert other.classes["n_truth"].sum() == 60 * MOST_ITEMS


# --- random numbers ----------------------------------------------------------------------------


# --- classes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "truth",
    [
        pd.Series(["b", "a", "c", "a"] * 9).astype(
            pd.CategoricalDtype(["a", "b", "c", "d"], ordered=True)
        ),
        pd.Series(["b", "a", "c", "a"] * 9),
    ],
    ids=["categorical", "text"],
)
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_labels_with_an_order(truth, weights):
    named = None if truth.dtype == "category" else ["a", "b", "c", "d"]
    score = np.tile([2.0, 1.0, 3.0, 1.5], 9)
    found = cutpoints(truth, score, categories=named, weights=weights, method="exact")
    assert found.estimate == 1
    assert found.categories == ["a", "b", "c", "d"]
    assert_array_equal(found.cuts, [1.75, 2.5, np.inf])
    assert found.predict([1, nan, 2, 99]).tolist()[::2] == ["a", "b"]
    assert pd.isna(found.predict([nan])[0])


def test_numbers_are_put_in_ascending_order():
    truth, score = sample(seed=6)
    up = cutpoints(truth, score, categories=[1, 2, 3, 4], weights=ASYMMETRIC)
    down = cutpoints(truth, score, categories=[4, 3, 2, 1], weights=ASYMMETRIC[::-1, ::-1])
    assert down.categories == [1, 2, 3, 4]
    assert_array_equal(up.cuts, down.cuts)
    for weights in ("quadratic", "linear"):
        one = cutpoints(truth, score, weights=weights)
        other = cutpoints(truth, score, categories=[4, 3, 2, 1], weights=weights)
        assert_array_equal(one.cuts, other.cuts)


def test_a_class_that_is_named_may_be_predicted():
    """Between 1 and 3 there is nothing to say which: 2 is the best guess."""
    truth, score = [1] * 6 + [1, 3] * 5 + [3] * 6, [0] * 6 + [5] * 10 + [9] * 6
    without = cutpoints(truth, score, method="exact", weights="quadratic")
    found = cutpoints(truth, score, categories=[1, 2, 3], method="exact", weights="quadratic")
    assert found.predict([5]).tolist() == [2]
    assert found.estimate > without.estimate


# --- predictions and tables --------------------------------------------------------------------


def test_predict():
    found = cutpoints(
        [1, 2, 4, 1, 2, 4], [1.0, 2.0, 4.0, 1.0, 2.0, 4.0], method="exact", weights="quadratic"
    )
    assert_array_equal(found.cuts, [1.5, 3.0])
    assert found.predict([1.5, 3, 2.9, -np.inf, np.inf]).tolist() == [2, 4, 2, 1, 4]
    assert found.predict(np.array([], dtype=float)).tolist() == []
    held = found.predict(pd.Series([9, None, 0], index=["x", "y", "z"]))
    assert_series_equal(held, pd.Series([4.0, nan, 1.0], index=["x", "y", "z"], name="prediction"))
    whole = found.predict(pd.Series([9, 0], dtype="Int8"))
    assert whole.dtype == np.int64


def test_no_place_in_the_profile_is_better_than_the_exact_cuts():
    truth, score = sample()
    found = cutpoints(truth, score, method="exact", weights="quadratic")
    profile = found.profile()
    assert profile.columns.tolist() == ["category", "cut", "estimate"]
    assert profile["category"].unique().tolist() == [2, 3, 4]
    most = profile.groupby("category")["estimate"].max()
    assert_allclose(most, found.estimate, atol=1e-12)
    for category, cut in zip([2, 3, 4], found.cuts, strict=True):
        at = profile[(profile["category"] == category) & (profile["cut"] == cut)]
        assert_allclose(at["estimate"], [found.estimate], atol=1e-12)


# --- undefined ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@every_method
def test_a_single_true_class_is_predicted(method):
    found = cutpoints(
        [2, 2, 2], [1, 2, 3], categories=[1, 2, 3], method=method, weights="quadratic"
    )
    assert np.isnan([found.estimate, found.cv_estimate]).all()
    assert found.reason == "constant_ratings"
    assert found.predict([0, 9]).tolist() == [2, 2]
    alone = cutpoints([2, 2, 2], [1, 2, 3], method=method, weights="quadratic")
    assert len(alone.cuts) == 0
    assert alone.predict([0, nan]).tolist()[0] == 2
    assert "(constant_ratings)" in repr(alone)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_without_items_there_are_no_cuts():
    found = cutpoints([1, None], [None, 3.0], categories=[1, 2, 3], weights="quadratic")
    assert found.reason == "no_joint_items"
    assert_array_equal(found.cuts, [nan, nan])
    assert np.isnan(found.predict([1.0, 2.0])).all()
    assert found.classes["lower"].isna().all()
    assert len(found.profile()) == 0
    none = cutpoints([None, None], [1, 2], weights=ASYMMETRIC)
    assert len(none.cuts) == len(none.classes) == 0
    assert pd.isna(none.predict([1.0])).all()
    weightless = cutpoints([1, 2], [1, 2], sample_weight=[0, 0], weights="quadratic")
    assert weightless.reason == "zero_total_weight"


def test_undefined_estimates_give_a_warning():
    message = "The estimate of the cut-points is undefined (NaN): constant_ratings."
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=re.escape(message)):
        cutpoints([2, 2, 2], [1, 2, 3], weights="quadratic")


# --- groups ------------------------------------------------------------------------------------


def test_each_group_has_its_own_cuts(frame):
    found = frame.kappa.predictions.cutpoints(
        "truth", "score", by="set", method="exact", weights="quadratic", rng=0
    )
    assert list(found) == [0, 1, 2]
    assert len(found) == 3
    for number, part in frame.groupby("set"):
        alone = cutpoints(part["truth"], part["score"], method="exact", weights="quadratic")
        assert_array_equal(found[number].cuts, alone.cuts)
        assert found.estimate[number] == alone.estimate
        assert len(found[number].categories) == (3, 5, 9)[number]
    summary = found.summary
    assert summary["n_items"].tolist() == [90, 90, 90]
    assert_series_equal(summary["cv_estimate"], found.cv_estimate)
    classes = found.classes
    assert classes.index.names == ["set", "category"]
    assert len(classes) == 3 + 5 + 9
    with pytest.raises(KeyError):
        found[7]


def test_groups_predict_each_by_its_cuts(frame):
    found = frame.kappa.predictions.cutpoints(
        "truth", "score", by="set", method="exact", weights="quadratic", rng=0
    )
    predicted = found.predict(frame)
    assert_array_equal(predicted.index, frame.index)
    assert predicted.dtype == np.int64
    for number, part in frame.groupby("set"):
        assert_array_equal(predicted[part.index], found[number].predict(part["score"]))
    again = found.predict(frame["score"], frame["set"].sample(frac=1, random_state=3))
    assert_series_equal(again, predicted)
    plain = found.predict(frame["score"].tolist(), frame["set"].to_numpy())
    assert_array_equal(plain, predicted)
    holes = frame.assign(set=frame["set"].mask(np.arange(len(frame)) < 5))
    held = found.predict(holes)
    assert held.isna().sum() == 5
    assert_array_equal(held[5:], predicted[5:])


def test_groups_of_several_columns(frame):
    frame = frame.assign(site=np.where(np.arange(len(frame)) % 2, "x", "y"))
    found = frame.kappa.predictions.cutpoints(
        "truth", "score", by=["site", "set"], method="exact", weights="quadratic"
    )
    assert next(iter(found)) == ("x", 0)
    predicted = found.predict(frame)
    one = frame.query("site == 'x' and set == 2")
    assert_array_equal(predicted[one.index], found["x", 2].predict(one["score"]))
    assert found.classes.index.names == ["site", "set", "category"]
    labels = list(zip(frame["site"], frame["set"], strict=True))
    assert_array_equal(found.predict(frame["score"], labels), predicted)
    assert_frame_equal(
        frame.groupby(["site", "set"])
        .kappa.predictions.cutpoints("truth", "score", weights="quadratic", rng=0)
        .summary,
        frame.kappa.predictions.cutpoints(
            "truth", "score", by=["site", "set"], weights="quadratic", rng=0
        ).summary,
    )


LETTERS = np.array(list("abc"))
DAYS = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(np.arange(3), "D")
LABELS = {
    "Int64": pd.array([4, 5, 6], dtype="Int64"),
    "float": np.array([0.5, 1, 1.5]),
    "text": LETTERS,
    "categorical": pd.Categorical(LETTERS, categories=list("cbza")),
    "date": pd.DatetimeIndex(DAYS),
    "boolean": pd.array([True, False, True], dtype="boolean"),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_groups_of_any_kind_are_found_again(frame, labels):
    group = pd.Series(labels)[frame["set"]].set_axis(frame.index).mask(frame["truth"] == 1)
    frame = frame.assign(group=group, site=np.where(np.arange(len(frame)) % 2, "x", "y"))
    for by in ("group", ["site", "group"]):
        found = frame.kappa.predictions.cutpoints(
            "truth", "score", by=by, method="exact", weights="quadratic"
        )
        predicted = found.predict(frame)
        assert_array_equal(predicted.isna(), group.isna(), err_msg=f"{by}")
        for label, part in frame.dropna().groupby(by, observed=True):
            expected = found[label].predict(part["score"])
            assert_array_equal(predicted[part.index], expected, err_msg=f"{by} {label}")


# --- messages ----------------------------------------------------------------------------------

FRAME = pd.DataFrame({"truth": [1, 2, 1, 2], "score": [1.0, 2.0, 1.5, 3.0], "set": list("aabb")})


def by_sets():
    """Cut-points of two groups."""
    return FRAME.kappa.predictions.cutpoints(
        "truth", "score", by="set", method="exact", weights="quadratic", rng=0
    )


MESSAGES = {
    "lengths": lambda: cutpoints([1, 2, 3], [1, 2], weights="quadratic"),
    "folds": lambda: cutpoints([1, 2], [1, 2], n_folds=1, weights="quadratic"),
    "auto without folds": lambda: cutpoints([1, 2], [1, 2], n_folds=0, weights="quadratic"),
    "method": lambda: cutpoints([1, 2], [1, 2], method="exakt", weights="quadratic"),
    "order": lambda: cutpoints(["low", "high"], [1, 2], weights=None),
    "infinite score": lambda: cutpoints([1, 2], [1, np.inf], weights="quadratic"),
    "text as score": lambda: cutpoints([1, 2], ["x", "y"], weights="quadratic"),
    "too many classes": lambda: cutpoints(np.arange(2001), np.arange(2001.0), weights="quadratic"),
    "stray class": lambda: cutpoints([1, 5], [1, 2], categories=[1, 2], weights="quadratic"),
    "absent column": lambda: FRAME.kappa.predictions.cutpoints(
        "truth", "scores", weights="quadratic"
    ),
    "unknown group": lambda: by_sets().predict([1.0, 2.0], ["a", "c"]),
    "too few groups": lambda: by_sets().predict([1.0, 2.0], ["a"]),
    "no groups": lambda: by_sets().predict([1.0, 2.0]),
    "one score": lambda: by_sets()["a"].predict(2.0),
    "axes": lambda: by_sets()["a"].plot(ax=[1]),
}


@raising("cutpoints", MESSAGES)
def test_the_whole_message(call, refused):
    with refused():
        call()


@pytest.mark.parametrize(
    "weight", [[1e16, 1, 1, 1.5], [1e200, 1e-150, 1, 1], [1e300, *[1e-300] * 3]]
)
def test_weights_that_are_too_far_apart(weight):
    with pytest.raises(pdkappa.errors.WeightsError) as caught:
        cutpoints(
            [0, 1, 1, 0], [1.0, 2, 3, 4], sample_weight=weight, n_folds=2, weights="quadratic"
        )
    assert str(caught.value) == (
        f"sample_weight reaches from {min(weight):g} to {max(weight):g}, too far apart for one "
        "fit. Leave out items that hardly count."
    )
