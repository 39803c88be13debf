"""`cutpoints`: what users pass, what they get, and every message."""

import re
from functools import partial
from itertools import combinations_with_replacement
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy.optimize import isotonic_regression
from scipy.stats import norm

import pdkappa
from conftest import each, raising
from pdkappa.methods.predictions import cutpoint_search as core
from pdkappa.methods.predictions.cutpoint_search import (
    MOST_ITEMS,
    RULES,
    Bins,
    Costs,
    Scored,
    cuts_at,
    draw_folds,
    exact_ends,
    find_cuts,
    kappa_of,
    profile,
)
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


def test_very_large_whole_weights_are_weights():
    truth, score = sample(60)
    one = cutpoints(truth, score, method="exact", weights="quadratic")
    large = np.full(60, MOST_ITEMS)
    other = cutpoints(truth, score, sample_weight=large, method="exact", weights="quadratic")
    assert_array_equal(one.cuts, other.cuts)
    assert_allclose(one.cv_estimate, other.cv_estimate)
    assert other.classes["n_truth"].sum() == 60 * MOST_ITEMS


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


def by_set(frame):
    """Find the cuts of each set."""
    study = frame.kappa(rng=0)
    return study.predictions.cutpoints(
        "truth", "score", by="set", method="exact", weights="quadratic"
    )


def test_each_group_has_its_own_cuts(frame):
    found = by_set(frame)
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
    found = by_set(frame)
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
        .kappa(rng=0)
        .predictions.cutpoints("truth", "score", weights="quadratic")
        .summary,
        frame.kappa(rng=0)
        .predictions.cutpoints("truth", "score", by=["site", "set"], weights="quadratic")
        .summary,
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


FRAME = pd.DataFrame({"truth": [1, 2, 1, 2], "score": [1.0, 2.0, 1.5, 3.0], "set": list("aabb")})


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
    "unknown group": lambda: by_set(FRAME).predict([1.0, 2.0], ["a", "c"]),
    "too few groups": lambda: by_set(FRAME).predict([1.0, 2.0], ["a"]),
    "no groups": lambda: by_set(FRAME).predict([1.0, 2.0]),
    "one score": lambda: by_set(FRAME)["a"].predict(2.0),
    "axes": lambda: by_set(FRAME)["a"].plot(ax=[1]),
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


KINDS = ("quadratic", "linear", "nominal", "asymmetric")
every_kind = each("kind", KINDS)


def costs_of(kind, scores, rng):
    """Disagreement of every two classes; the asymmetric one is drawn."""
    apart = scores[:, None] - scores
    k = len(scores)
    if kind == "asymmetric":
        return Costs(rng.random((k, k)) * (1 - np.eye(k)))
    matrix = {"quadratic": apart**2, "linear": np.abs(apart), "nominal": 1.0 - np.eye(k)}[kind]
    return Costs(matrix, scores if kind == "quadratic" else None)


def kappa(truth, predicted, weight, matrix):
    """Kappa from the definition, pair of items by pair of items."""
    observed = (weight * matrix[truth, predicted]).sum() / weight.sum()
    together = weight[:, None] * weight
    expected = (together * matrix[np.ix_(truth, predicted)]).sum() / together.sum()
    return 1 - observed / expected if expected > 0 else -np.inf


def problem(rng, kind):
    """Few items with ties, weights and uneven scores of the classes."""
    n, k = rng.integers(2, 10), rng.integers(2, 5)
    score = rng.integers(0, rng.integers(2, 12), n).astype(float)
    truth = rng.integers(0, k, n)
    truth[:2] = rng.permutation(k)[:2]
    weight = rng.integers(1, 5, n).astype(float) if rng.random() < 0.5 else rng.random(n) + 0.1
    gaps = rng.random(k) + 0.1 if rng.random() < 0.5 else np.ones(k)
    return score, truth, weight, costs_of(kind, np.cumsum(gaps), rng)


def large(rng, n=1500, k=5, noise=0.8):
    """Draw many items whose scores follow their classes."""
    z = rng.normal(size=n)
    truth = np.clip(np.round(z * 1.2 + (k - 1) / 2), 0, k - 1).astype(int)
    return np.round(z + noise * rng.normal(size=n), 3), truth


def best(items, costs):
    """Kappa of the exact cuts."""
    return kappa_of(items.table(items.predicted(exact_ends(items, costs))), costs)


@every_kind
def test_no_monotone_assignment_is_better(kind):
    """150 problems of each kind, 600 together."""
    rng = np.random.default_rng([1, *kind.encode()])
    for _ in range(150):
        score, truth, weight, costs = problem(rng, kind)
        k = len(costs.matrix)
        values, group = np.unique(score, return_inverse=True)
        most = max(
            kappa(truth, np.searchsorted(ends, group, side="right"), weight, costs.matrix)
            for ends in combinations_with_replacement(range(len(values) + 1), k - 1)
        )
        items = Scored.of(score, truth, weight, k)
        ends = exact_ends(items, costs)
        assert abs(best(items, costs) - most) <= 1e-12
        predicted = np.searchsorted(cuts_at(ends, values, values), score, side="right")
        assert abs(kappa(truth, predicted, weight, costs.matrix) - most) <= 1e-12


def test_the_closed_form_is_the_chain():
    """Squared distances have both, of uneven scores and many classes, too."""
    rng = np.random.default_rng(2)
    for k in (2, 3, 6, 20, 61):
        score, truth = large(rng, k=k)
        scores = np.cumsum(rng.random(k) + 0.1)
        items = Scored.of(score, truth, rng.random(len(score)) + 0.01, k)
        squared = (scores[:, None] - scores) ** 2
        closed, chain = best(items, Costs(squared, scores)), best(items, Costs(squared))
        assert abs(closed - chain) <= 1e-12


@given(seed=st.integers(0, 10**6))
@every_kind
def test_laws(kind, seed):
    """Order of the items, repeated items, monotone scores and scaled costs change nothing."""
    rng = np.random.default_rng(seed)
    score, truth, weight, costs = problem(rng, kind)
    k = len(costs.matrix)
    items = Scored.of(score, truth, weight, k)
    found = best(items, costs)
    assert -1e-12 <= found <= 1
    order = rng.permutation(len(score))
    again = Scored.of(score[order], truth[order], weight[order], k)
    assert_array_equal([again.truth, again.count], [items.truth, items.count])  # ties, too
    assert_array_equal(exact_ends(again, costs), exact_ends(items, costs))
    for other in (
        Scored.of(np.exp(score) - 7, truth, weight, k),
        Scored.of(np.tile(score, 3), np.tile(truth, 3), np.tile(weight, 3), k),
        Scored.of(score, truth, 8 * weight, k),
    ):
        assert_allclose(best(other, costs), found, atol=1e-12)
    scaled = Costs(4 * costs.matrix, None if costs.scores is None else 2 * costs.scores + 1)
    assert_allclose(best(items, scaled), found, atol=1e-12)


@every_kind
def test_costs_that_are_computed_again_each_time_are_the_same(kind):
    rng = np.random.default_rng([6, *kind.encode()])
    score, truth = large(rng)
    costs = Costs(costs_of(kind, np.arange(5.0), rng).matrix)
    items = Scored.of(score, truth, rng.integers(1, 4, len(score)).astype(float), 5)
    ends = exact_ends(items, costs)
    step = core._steps(items, costs)
    kept = [step(j) for j in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "MOST_CELLS", 0)
        assert_allclose([core._steps(items, costs)(j) for j in range(4)], kept, atol=1e-9)
        assert_array_equal(exact_ends(items, costs), ends)


TINY = np.finfo(float).smallest_subnormal
HUGE = np.finfo(float).max


@each(
    ("low", "high"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (np.nextafter(1.0, 0.0), 1.0),
        (0.0, TINY),
        (-TINY, 0.0),
        (-HUGE, HUGE),
        (HUGE / 2, HUGE),
        (2.0**60, 2.0**60 + 256),
        (0.0, 1.0),
    ],
)
def test_a_cut_separates_any_two_floats(low, high):
    cut = cuts_at(np.array([1]), np.array([low, high]), np.array([low, high]))
    assert low < cut <= high
    assert_array_equal(np.searchsorted(cut, [low, high], side="right"), [0, 1])


@every_kind
def test_the_profile_is_kappa_with_one_cut_moved(kind):
    rng = np.random.default_rng([9, *kind.encode()])
    score, truth = large(rng, n=120)
    costs = costs_of(kind, np.arange(5.0), rng)
    items = Scored.of(score, truth, np.ones(len(score)), 5)
    ends = exact_ends(items, costs)
    cuts = cuts_at(ends, items.score, items.score)
    for j in range(4):
        places, found = profile(items, costs, cuts, j)
        assert (np.diff(places) > 0).all()
        assert_array_equal(places[[0, -1]], [-np.inf, *cuts, np.inf][j : j + 3 : 2])
        assert cuts[j] in places
        assert np.nanmax(found) <= best(items, costs) + 1e-12
        for place, value in zip(places, found, strict=True):
            moved = np.where(np.arange(4) == j, place, cuts)
            table = items.table(items.predicted(items.ends(moved)))
            assert_allclose(value, kappa_of(table, costs), atol=1e-12)


@every_kind
def test_without_any_relation_there_is_one_class(kind):
    """Here high scores go with low classes: no cut does better than chance."""
    costs = costs_of(kind, np.arange(3.0), np.random.default_rng(7))
    items = Scored.of(np.arange(9.0), np.repeat([2, 1, 0], 3), np.ones(9), 3)
    constant = Scored.of(np.zeros(9), np.repeat([2, 1, 0], 3), np.ones(9), 3)
    for one in (items, constant):
        found = exact_ends(one, costs)
        assert kappa_of(one.table(one.predicted(found)), costs) == best(one, costs) >= 0
    if kind != "asymmetric":
        assert best(constant, costs) == 0
        assert set(constant.predicted(exact_ends(constant, costs))) == {1 if kind[0] != "n" else 0}


def test_costs_of_zero_are_no_disagreement():
    """Too high a prediction costs nothing: the highest class is no error, but no merit either."""
    costs = Costs(np.array([[0.0, 0.0], [1.0, 0.0]]))
    items = Scored.of(np.arange(4.0), np.array([0, 1, 0, 1]), np.ones(4), 2)
    assert best(items, costs) == 1
    assert_array_equal(exact_ends(items, costs), [1])
    free = Costs(np.zeros((2, 2)))
    assert np.isnan(best(items, free))


def test_a_score_at_a_cut_is_above_it():
    items = Scored.of(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1]), np.ones(3), 2)
    assert_array_equal(items.ends(np.array([2.0])), [1])


def test_one_predicted_class_has_kappa_zero_to_the_last_digit():
    rng = np.random.default_rng(11)
    costs = costs_of("quadratic", np.arange(4.0), rng)
    tables = [np.outer(rng.random(4), [0, 1, 0, 0]) for _ in range(50)]
    assert {kappa_of(table, costs) for table in tables} == {0.0}


SCORES = np.arange(6.0)
APART = SCORES[:, None] - SCORES
QUADRATIC = Costs(APART**2, SCORES)
COSTS = {
    "quadratic": QUADRATIC,
    "linear": Costs(np.abs(APART)),
    "nominal": Costs(1 - np.eye(6)),
    "asymmetric": Costs(np.where(APART > 0, 3 * APART, -APART)),
}
every_cost = each("costs", COSTS.values())
every_rule = each("rule", RULES)


def drawn(rng, n, *, ties=False):
    """Draw normal scores and classes with the correlation .75."""
    z = rng.normal(size=n)
    truth = np.searchsorted([-1.2, -0.35, 0.45, 1.2, 1.9], z)
    score = 0.75 * z + np.sqrt(1 - 0.75**2) * rng.normal(size=n)
    return Scored.of(np.floor(4 * score) if ties else score, truth, np.ones(n), 6)


def kappa_at(items, cuts, costs):
    """Kappa of the predictions by some cuts."""
    return kappa_of(items.table(items.predicted(items.ends(cuts))), costs)


def test_the_cubic_is_a_weighted_regression_on_normal_scores():
    rng = np.random.default_rng(1)
    items = drawn(rng, 300, ties=True)
    bins = Bins.of(items)
    middle = (np.cumsum(items.mass) - items.mass / 2) / 300
    powers = np.polynomial.Polynomial.fit(norm.ppf(middle)[items.group], items.truth, 3)
    found = core._cubic(bins, SCORES[:, None], rng)[:, 0]
    assert_allclose(found, powers(norm.ppf(middle)), atol=1e-9)


def test_bags_average_isotonic_regressions(monkeypatch):
    """With the sample itself in every bag, it is the isotonic regression."""
    items = drawn(np.random.default_rng(2), 200, ties=True)

    class Same:
        def multinomial(self, n, share):
            return n * share

    fit = isotonic_regression(items.sums(SCORES) / items.mass, weights=items.mass).x
    found = core._bagged(Bins.of(items), SCORES[:, None], Same())[:, 0]
    assert_allclose(found, fit, atol=1e-9)
    monkeypatch.setattr(core, "N_BAGS", 400)
    found = core._bagged(Bins.of(items), SCORES[:, None], np.random.default_rng(3))[:, 0]
    assert (np.diff(found) >= -1e-12).all()
    assert_allclose(found, fit, atol=0.4)


def test_bins_hold_about_the_same_weight_and_never_split_ties(monkeypatch):
    monkeypatch.setattr(core, "MOST_BINS", 50)
    rng = np.random.default_rng(4)
    score = np.round(rng.exponential(size=2000), 2)
    items = Scored.of(score, rng.integers(0, 6, 2000), np.ones(2000), 6)
    bins = Bins.of(items)
    assert 30 <= len(bins.lowest) <= 50
    assert (bins.lowest <= bins.highest).all()
    assert (bins.highest[:-1] < bins.lowest[1:]).all()
    assert_array_equal(bins.table.sum(axis=0), items.margin)
    for low, high, mass in zip(bins.lowest, bins.highest, bins.mass, strict=True):
        assert ((score >= low) & (score <= high)).sum() == mass
    assert bins.mass.max() <= 2000 / 50 + items.mass.max()


@every_cost
@every_rule
def test_every_rule_comes_near_the_best_with_many_items(rule, costs):
    rng = np.random.default_rng(6)
    known, fresh = drawn(rng, 20_000), drawn(rng, 100_000)
    most = kappa_at(fresh, RULES["exact"](fresh, costs, rng), costs)
    cuts = RULES[rule](known, costs, rng)
    assert (np.diff(cuts) >= 0).all()
    assert most - 0.012 <= kappa_at(fresh, cuts, costs) <= most + 1e-12


@every_rule
def test_smooth_rules_by_the_chain_are_those_of_the_closed_form(rule):
    """The cubic of the mean is that of the probabilities, where none has to be cut off."""
    rng = np.random.default_rng(7)
    items = drawn(rng, 5000, ties=True)
    closed = RULES[rule](items, QUADRATIC, np.random.default_rng(8))
    chain = RULES[rule](items, Costs(QUADRATIC.matrix), np.random.default_rng(8))
    assert abs(kappa_at(items, closed, QUADRATIC) - kappa_at(items, chain, QUADRATIC)) < 0.003


@each("n_folds", [2, 5, 10])
def test_folds_share_every_class_evenly(n_folds):
    rng = np.random.default_rng(10)
    truth = np.sort(rng.integers(0, 4, 203))
    fold = draw_folds(truth, n_folds, rng)
    counts = np.array([np.bincount(fold[truth == k], minlength=n_folds) for k in range(4)])
    assert (np.ptp(counts, axis=1) <= 1).all()
    assert np.ptp(counts.sum(axis=0)) <= 1
    assert (fold != draw_folds(truth, n_folds, rng)).any()


@every_rule
def test_the_cross_validated_estimate_is_kappa_of_items_left_out(rule):
    """The same by hand: predict every fold from the others."""
    items = drawn(np.random.default_rng(11), 97, ties=True)
    found = find_cuts(items, QUADRATIC, method=rule, n_folds=5, rng=np.random.default_rng(12))
    folds, _, *streams = np.random.default_rng(12).spawn(7)
    fold = draw_folds(items.truth, 5, folds)
    score, predicted = items.score[items.group], np.empty(97, dtype=int)
    for number, stream in enumerate(streams):
        here = fold == number
        known = Scored.of(score[~here], items.truth[~here], np.ones((~here).sum()), 6)
        cuts = RULES[rule](known, QUADRATIC, stream)
        predicted[here] = np.searchsorted(cuts, score[here], side="right")
    expected = kappa_of(items.table(predicted), QUADRATIC)
    assert found.cv_estimates == {rule: pytest.approx(expected)}


def test_choosing_a_rule_makes_noise_no_better():
    """Of 40 items, the kappa of the rule chosen is .05 above the mean of all three."""
    rng = np.random.default_rng(2)
    found = [
        find_cuts(
            Scored.of(rng.normal(size=40), rng.integers(0, 4, 40), np.ones(40), 4),
            Costs(QUADRATIC.matrix[:4, :4], QUADRATIC.scores[:4]),
            method="auto",
            n_folds=5,
            rng=rng,
        )
        for _ in range(80)
    ]
    rules = [np.mean(list(one.cv_estimates.values())) for one in found]
    chosen = [one.cv_estimates[one.method] for one in found]
    assert np.subtract(chosen, rules).mean() > 0.03
    assert np.subtract([one.cv_estimate for one in found], rules).mean() < 0.025


def test_auto_allows_one_standard_error():
    """That of the difference of two kappas, which 4,000 bootstrap samples find as well."""
    rng = np.random.default_rng(16)
    items = drawn(rng, 400)
    good = RULES["exact"](items, QUADRATIC, rng)
    a = items.predicted(items.ends(good))
    b = np.clip(a + (rng.random(400) < 0.03) * rng.choice([-1, 1], 400), 0, 5)
    kappas = {name: kappa_of(items.table(p), QUADRATIC) for name, p in (("a", a), ("b", b))}
    draws = rng.multinomial(400, np.full(400, 1 / 400), size=4000)
    resampled = [
        np.subtract(
            *(
                kappa_of(Scored(items.score, items.group, items.truth, w, 6).table(p), QUADRATIC)
                for p in (a, b)
            )
        )
        for w in draws.astype(float)
    ]
    error = np.std(resampled)
    for distance, expected in ((0.8 * error, "b"), (1.25 * error, "a")):
        estimates = {"a": kappas["b"] + distance, "b": kappas["b"]}
        found, optimism = core._steadiest(items, QUADRATIC, {"a": a, "b": b}, estimates, rng)
        assert found == expected
        assert 0 < optimism < error
