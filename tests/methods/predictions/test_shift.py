"""Kappa under another distribution of the classes, as the user meets it."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from conftest import each, raising, scale_of
from pdkappa import datasets, errors
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.predictions.shift import (
    Confusion,
    confusion_of,
    dirichlet_range,
    extremes,
    shift,
    shifted,
    slopes,
)
from pdkappa.present import schema

FIGURES = ["n_effective", "estimate_observed", "estimate", "se", "ci_low", "ci_high"]


@pytest.fixture(name="essays", scope="module")
def _essays():
    return datasets.load_essays()


@pytest.fixture(name="items")
def _items():
    """Return 200 items in two groups, predicted with errors, some of them not at all."""
    rng = np.random.default_rng(1)
    true = rng.choice([1, 2, 3, 4], 200, p=[0.4, 0.3, 0.2, 0.1])
    frame = pd.DataFrame({"true": true, "pred": np.clip(true + rng.integers(-1, 2, 200), 1, 4)})
    frame["pred"] = frame["pred"].mask(rng.random(200) < 0.1)
    frame["half"] = np.repeat(["x", "y"], 100)
    frame["times"] = rng.integers(0, 4, 200)
    return frame


EVEN = {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25}


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", "circular"])
def test_by_default_it_is_the_plain_kappa(essays, weights):
    found = shift(essays, "human_1", "machine", by="essay_set", weights=weights)
    plain = essays.kappa.pairs(["human_1", "machine"], by="essay_set", weights=weights)
    assert_allclose(found["estimate"], plain["estimate"], atol=1e-12)
    assert_allclose(found["estimate_observed"], plain["estimate"], atol=1e-12)
    assert_allclose(found["n_effective"], plain["n_items"])
    assert found.index.get_level_values("prior").tolist() == ["observed"] * 8
    assert list(found) == list(schema.SHIFT)


def test_it_is_the_kappa_of_items_that_are_weighted_by_class(items):
    known = items.dropna()
    weight = 0.25 / known["true"].map(known["true"].value_counts(normalize=True))
    study = known.kappa(sample_weight=weight.to_numpy(), weight_type="probability")
    expected = study.pairs(["true", "pred"], weights="quadratic")
    found = shift(items, "true", "pred", prior=EVEN, weights="quadratic")
    assert_allclose(found["estimate"], expected["estimate"], atol=1e-12)
    assert found["n_items"].item() == len(known)


def test_a_weight_counts_an_item_as_often(items):
    repeated = items.loc[items.index.repeat(items["times"])]
    options = {"by": "half", "prior": EVEN, "concentration": 90, "radius": 0.1, "rng": 3}
    found = shift(items, "true", "pred", sample_weight="times", **options)
    assert_frame_equal(found, shift(repeated, "true", "pred", **options))


def test_the_forms_of_a_prior(items):
    shares = {2: 0.5, 3: 0.5}
    series = pd.Series(shares, name="middle")
    frame = pd.DataFrame([EVEN, shares], index=["even", "middle"]).fillna(0)
    by_dict, by_series, by_frame = (
        shift(items, "true", "pred", prior=prior, weights="quadratic")
        for prior in (shares, series, frame)
    )
    assert by_dict.index.tolist() == ["new"]
    assert by_series.index.tolist() == ["middle"]
    assert by_frame.index.tolist() == ["even", "middle"]
    of_series = by_series[FIGURES]
    assert_frame_equal(by_dict[FIGURES].set_axis(of_series.index), of_series)
    assert_frame_equal(by_frame[FIGURES].tail(1), of_series)
    numbers = items["true"].value_counts(normalize=True)
    at_observed = shift(
        items[["true"]].assign(pred=items["true"] % 4 + 1),
        "true",
        "pred",
        prior=numbers,
        weights="quadratic",
    )
    assert_allclose(at_observed["estimate"], at_observed["estimate_observed"])


def test_limits_are_those_of_rows_with_half_an_item_more(items):
    found = shift(items, "true", "pred", prior=EVEN).iloc[0]
    assert found["remark"] == "if the items of each class stay as they are"
    table = pd.crosstab(items["true"], items["pred"]).to_numpy().astype(float)
    n, prior = table.sum(axis=1, keepdims=True), np.full(len(table), 1 / len(table))
    rows = (table + 0.5 * prior @ (table / n)) / (n + 0.5)
    apart = 1 - np.eye(len(prior))
    by_chance = prior @ apart @ (prior @ rows)
    kappa = 1 - prior @ (rows * apart).sum(axis=1) / by_chance
    slope = ((1 - kappa) * (prior @ apart) - apart) / by_chance
    mean = (rows * slope).sum(axis=1, keepdims=True)
    variance = (prior**2 / n[:, 0] * (rows * (slope - mean) ** 2).sum(axis=1)).sum()
    half = stats.t.ppf(0.975, found["n_effective"] - 1) * np.sqrt(variance) / (1 - kappa**2)
    limits = np.tanh(np.arctanh(kappa) + np.array([-half, half]))
    assert_allclose(found[["ci_low", "ci_high"]].astype(float), limits)


def test_ranges_are_there_where_they_are_asked_for(items):
    options = {"prior": EVEN, "rng": 5, "weights": "quadratic"}
    both = shift(items, "true", "pred", concentration=80, radius=0.1, **options)
    assert list(both) == list(schema.SHIFT)
    one = shift(items, "true", "pred", concentration=80, **options)
    balls = ["ball_low", "ball_high"]
    assert one[balls].isna().all(axis=None)
    assert_frame_equal(one.drop(columns=balls), both.drop(columns=balls))
    other = shift(items, "true", "pred", prior=EVEN, radius=0.1, weights="quadratic")
    drawn = ["dirichlet_low", "dirichlet_high"]
    assert other[drawn].isna().all(axis=None)
    assert_frame_equal(other.drop(columns=drawn), both.drop(columns=drawn))
    row = both.iloc[0]
    assert row["ball_low"] < row["dirichlet_low"] < row["estimate"] < row["dirichlet_high"]


def test_predictions_may_be_any_number(items):
    """The formula asks for the distances of classes and predictions only."""
    shifts = np.linspace(-0.3, 0.3, 200).round(2)
    scores = items.assign(pred=items["true"] + shifts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.LookalikeLabelsWarning)
        found = shift(scores, "true", "pred", prior=EVEN, weights="quadratic").iloc[0]
    weight = 0.25 / scores["true"].map(scores["true"].value_counts(normalize=True)) / 200
    x, y = scores["true"], scores["pred"]
    observed = (weight * (x - y) ** 2).sum()
    expected = (weight * x**2).sum() + (weight * y**2).sum()
    expected -= 2 * (weight * x).sum() * (weight * y).sum()
    assert_allclose(found["estimate"], 1 - observed / expected, atol=1e-12)


def test_a_class_without_items():
    data = pd.DataFrame({"true": [1, 1, 2, 2, 1], "pred": [1, 2, 2, 3, 1]})
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        found = shift(
            data,
            "true",
            "pred",
            prior={2: 0.5, 3: 0.5},
            concentration=9,
            radius=0.1,
            weights="quadratic",
        )
    assert [str(one.message) for one in caught] == [
        (
            "1 of 1 coefficient is undefined (NaN): 'new' (unseen_class). "
            "The column 'reason' says why."
        )
    ]
    assert found["reason"].tolist() == ["unseen_class"]
    assert found["estimate_observed"].notna().all()
    others = found.drop(columns=["n_items", "estimate_observed", "reason", "remark"])
    assert others.isna().all(axis=None)
    assert list(found) == list(schema.SHIFT)


def test_reasons_of_groups():
    data = pd.DataFrame(
        {
            "true": [1, 2, 1, 1, 1, 2, 1, None, 1, 2],
            "pred": [1, 2, 1, 1, None, None, 1, None, 2, 2],
            "set": list("aabbccddee"),
            "more": 1,
        }
    ).iloc[[0, 1, 2, 3, 4, 5, 7, 8, 9]]
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        found = shift(data, "true", "pred", by=["set", "more"], weights="quadratic")
    assert found["reason"].tolist() == [
        *("no_variance", "constant_ratings", "no_joint_items", "no_items", "constant_rater")
    ]
    assert found["n_items"].tolist() == [2, 2, 0, 0, 2]
    assert "'observed' at set=b at more=1 (constant_ratings)" in str(caught[0].message)
    assert found["estimate"].isna().tolist() == [False, True, True, True, False]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_class_that_does_not_count_makes_no_other_prediction():
    data = pd.DataFrame({"true": [1, 1, 2, 2, 3, 3], "pred": [1, 1, 1, 1, 3, 3]})
    found = shift(data, "true", "pred", prior={1: 0.5, 2: 0.5, 3: 0}, weights="quadratic")
    assert found["estimate"].tolist() == [0]
    assert found["reason"].tolist() == ["constant_rater"]
    assert found[["se", "ci_low", "ci_high"]].isna().all(axis=None)


def test_no_prior_that_is_drawn_is_defined():
    """A tiny concentration draws priors that are all in one class."""
    data = pd.DataFrame({"true": [1, 1, 2, 2, 2], "pred": [1, 1, 2, 2, 2]})
    found = shift(
        data, "true", "pred", concentration=1e-9, n_resamples=5, rng=1, weights="quadratic"
    )
    assert found["reason"].tolist() == ["no_variance"]
    data = pd.DataFrame({"true": [1, 1, 2, 2, 3, 3], "pred": [1, 1, 2, 2, 1, 3]})
    prior = {1: 0.5, 2: 0.49999, 3: 0.00001}
    found = shift(
        data,
        "true",
        "pred",
        prior=prior,
        concentration=1e-9,
        n_resamples=3,
        rng=1,
        weights="quadratic",
    )
    assert found[["dirichlet_low", "dirichlet_high"]].isna().all(axis=None)
    assert found["estimate"].notna().all()
    assert found["reason"].tolist() == ["undefined_resamples"]


TWO = pd.DataFrame({"true": [1, 2, 2], "pred": [1, 2, 1], "prior": [1, 1, 2]})
MESSAGES = {
    "a list": {"prior": [0.5, 0.5]},
    "twice": {"prior": pd.Series([0.5, 0.5], index=[1, 1])},
    "numbers of items": {"prior": {1: 30, 2: 20}},
    "missing": {"prior": pd.DataFrame({1: [0.5, 1.0], 2: [0.5, np.nan]})},
    "incomplete": {"prior": pd.DataFrame({1: [0.5, 0.5], 2: [0.5, 0.25]}, index=["a", "b"])},
    "no number": {"prior": {1: "half", 2: 0.5}},
    "unknown": {"prior": {1: 0.5, "2": 0.5, 7: 0.0}},
    "concentration": {"concentration": 0},
    "priors that are not drawn": {"n_resamples": 50},
    "radius": {"radius": 1.5},
    "name of a column": {"by": "prior"},
}


@raising("shift", MESSAGES)
def test_the_whole_message(call, refused):
    with refused():
        shift(TWO, "true", "pred", **call)


def test_too_many_classes(refuses):
    data = pd.DataFrame({"true": range(9000), "pred": range(9000)})
    with refuses():
        shift(data, "true", "pred", weights="quadratic")
    with refuses(1):
        shift(data[:129], "true", "pred", radius=0.1, weights="quadratic")


SHARES = np.array([0.12, 0.25, 0.3, 0.2, 0.1, 0.03])
OTHER = np.array([0.05, 0.15, 0.3, 0.25, 0.15, 0.1])
every_weighting = each("weights", WEIGHTS)


def binormal(rho, shares):
    """Cut a bivariate normal distribution at the quantiles of the shares, on both sides."""
    cuts = np.concatenate([[-9.0], stats.norm.ppf(np.cumsum(shares)[:-1]), [9.0]])
    normal = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
    below = np.array([[normal.cdf([x, y]) for y in cuts] for x in cuts])
    table = np.diff(np.diff(below, axis=0), axis=1)
    return table / table.sum()


def confusion_from(table, weights="quadratic"):
    """Rows of a table, a prediction for each class."""
    table = np.asarray(table, dtype=float)
    k = len(table)
    scale = scale_of(weights, k)
    row, column = (x.reshape(-1) for x in np.indices((k, k)))
    keep = table.reshape(-1) > 0
    rows = RatingRows(
        np.stack([row, column])[:, keep],
        table.reshape(-1)[keep],
        np.zeros(keep.sum(), dtype=int),
        1,
        k,
    )
    return confusion_of(rows, scale, 0)


def kappa_of(table, weights="quadratic"):
    """Cohen's kappa of a table, as `pairs` computes it."""
    counts, scale = PairCounts.from_tables(np.asarray(table)), scale_of(weights, len(table))
    return chance_corrected(counts, scale, COEFFICIENTS["cohen"]).estimate.item()


def tables(n_categories=4):
    """Tables with items in every class."""
    return arrays(np.int64, (n_categories, n_categories), elements=st.integers(0, 20)).map(
        lambda table: table + np.eye(n_categories, k=1, dtype=int) + np.eye(n_categories, dtype=int)
    )


def priors(n_categories=4):
    """Shares, some of them zero."""
    return arrays(np.float64, n_categories, elements=st.integers(0, 9).map(float)).map(
        lambda parts: (parts + (parts.sum() == 0)) / (parts + (parts.sum() == 0)).sum()
    )


# Figures of an earlier program of another make, for a binormal table with correlation .8.
@each(
    ("concentration", "low", "high"),
    [(50, 0.694, 0.794), (200, 0.727, 0.777), (1000, 0.743, 0.766)],
)
def test_known_ranges_of_uncertain_priors(concentration, low, high):
    confusion = confusion_from(1000 * binormal(0.8, SHARES))
    assert_allclose(shifted(confusion, SHARES, 0.9).estimate, 0.755, atol=0.0005)
    rng = np.random.default_rng(1)
    found = dirichlet_range(confusion, SHARES, concentration, 0.9, n_draws=100_000, rng=rng)
    assert_allclose(found, [low, high], atol=0.0012)


@given(table=tables(), prior=priors())
@every_weighting
def test_it_is_the_kappa_of_items_that_are_weighted_by_class_in_rows(weights, table, prior):
    confusion = confusion_from(table, weights)
    weighted = table * (prior / table.sum(axis=1))[:, None]
    found = shifted(confusion, prior, 0.95)
    assert_allclose(found.estimate, kappa_of(weighted, weights), atol=1e-12)


@every_weighting
def test_slopes_are_the_derivatives(weights):
    rng = np.random.default_rng(3)
    confusion = confusion_from(rng.integers(1, 30, (5, 5)), weights)
    prior, step = rng.dirichlet(np.ones(5)), 1e-6
    found = slopes(confusion, prior)
    for place in np.ndindex(5, 5):
        values = []
        for sign in (1, -1):
            rows = confusion.rows.copy()
            rows[place] += sign * step
            moved = Confusion(confusion.classes, confusion.n_items, rows, confusion.apart, 1.0)
            values.append(moved.kappa(prior[None])[0])
        assert_allclose(found[place], (values[0] - values[1]) / (2 * step), atol=1e-7)


def test_the_standard_error_and_the_limits_by_simulation():
    """Rows are drawn anew, with as many items of each class."""
    table = binormal(0.8, SHARES)
    truth = confusion_from(1000 * table).kappa(OTHER[None])[0]
    rng = np.random.default_rng(4)
    n_items = np.array([40, 80, 100, 70, 40, 20])
    rows = table / table.sum(axis=1, keepdims=True)
    found = []
    for _ in range(2000):
        drawn = rng.multinomial(n_items, rows)
        found.append(shifted(confusion_from(drawn), OTHER, 0.95)[1:5])
    estimate, se, low, high = np.array(found).T
    assert_allclose(np.sqrt((se**2).mean()), estimate.std(), rtol=0.07)
    assert_allclose(estimate.mean(), truth, atol=0.003)
    assert 0.94 < ((low <= truth) & (truth <= high)).mean() < 0.99


def test_the_range_of_two_classes_is_that_of_a_beta_distribution():
    confusion = confusion_from([[30, 10], [5, 45]], None)
    prior = np.array([0.3, 0.7])
    low, high = dirichlet_range(
        confusion, prior, 20, 0.9, n_draws=200_000, rng=np.random.default_rng(5)
    )
    share = stats.beta(6, 14).ppf((np.arange(100_000) + 0.5) / 100_000)
    kappa = confusion.kappa(np.stack([share, 1 - share], axis=1))
    assert_allclose([(kappa <= low).mean(), (kappa <= high).mean()], [0.05, 0.95], atol=0.002)


@each(("weights", "radius"), product([None, "linear", "quadratic", "circular"], [0.05, 0.3, 0.6]))
def test_the_extremes_within_a_radius_are_those_of_a_grid(weights, radius):
    """No prior of the grid is beyond them, and some are near."""
    prior, steps = np.array([0.4, 0.3, 0.2, 0.1]), 40
    grid = np.indices((steps + 1,) * 3).reshape(3, -1)
    grid = np.vstack([grid, steps - grid.sum(axis=0)]).T / steps
    away = np.maximum(grid - prior, 0).sum(axis=1)
    near = grid[(grid >= 0).all(axis=1) & (away <= radius + 1e-9)]
    for seed in range(4):
        table = np.random.default_rng(seed).integers(0, 12, (4, 4)) + 15 * np.eye(4)
        confusion = confusion_from(table, weights)
        kappa, found = confusion.kappa(near), extremes(confusion, prior, radius)
        low, high = np.nanmin(kappa), np.nanmax(kappa)
        assert found[0] <= low + 1e-9
        assert found[1] >= high - 1e-9
        assert_allclose(found, [low, high], atol=0.03)
