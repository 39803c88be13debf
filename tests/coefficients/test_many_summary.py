"""Figures of many raters together: shares within their bounds, and reasons for what is NaN."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import summarise_many
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale

every_weighting = each("weights", WEIGHTS)
some = settings(max_examples=25)


def figures(codes, count=None, weights=None, scores=None):
    """Return the figures of every coefficient in one group."""
    codes = np.asarray(codes)
    n, k = codes.shape[1], int(codes.max()) + 1
    count = np.ones(n) if count is None else np.asarray(count, dtype=float)
    scores = np.arange(1.0, k + 1) if scores is None else np.asarray(scores, dtype=float)
    rows = RatingRows(codes, count, np.zeros(n, dtype=int), 1, k)
    scale = Scale(WEIGHTS[weights], scores[None], np.ones((1, k), dtype=bool))
    return summarise_many(rows, scale, MULTIRATER, by_items=True, ci="fisher", level=0.95)


@some
@given(
    first=arrays(np.bool_, st.integers(2, 12)),
    low=st.floats(0, 10),
    step=st.floats(0.01, 10),
    count=arrays(np.float64, 12, elements=st.floats(0.1, 100)),
)
@every_weighting
def test_agreements_are_shares(weights, first, low, step, count):
    """To the last digit, even where all items are as far apart as can be."""
    codes = np.stack([first, ~first]).astype(int)
    found = figures(np.where(codes, codes, 0), count[: len(first)], weights, [low, low + step])
    for name, summary in found.items():
        assert 0 <= summary.observed_agreement <= 1e-14, name
        if name != "krippendorff":  # whose chance is that of drawing without putting back
            assert 0 <= summary.expected_agreement <= 1, name
    assert found["percent"].estimate == found["percent"].observed_agreement


@some
@given(first=arrays(np.int64, st.integers(2, 12), elements=st.integers(0, 2)), data=st.data())
def test_total_disagreement_is_exactly_zero_without_weights(first, data):
    count = data.draw(arrays(np.float64, len(first), elements=st.floats(0.1, 100)))
    for summary in figures([first, (first + 1) % 3, (first + 2) % 3], count).values():
        assert summary.observed_agreement == 0


def test_two_constant_raters_at_both_ends_expect_no_agreement():
    """In floats, the disagreement expected is a little more than the largest."""
    for step in np.linspace(0.1, 9, 60):
        found = figures([[0] * 7, [1] * 7], None, "quadratic", [0.1, 0.1 + step])["conger"]
        assert found.expected_agreement == 0 or 0 < found.expected_agreement < 1e-14


def test_alpha_of_no_more_than_one_rating_has_too_few_items():
    """Items with one rating are none that alpha could pair."""
    codes, single = [[0, 1, 2], [0, 2, 2]], [[0] * 5, [-1] * 5]
    for extra in (0, 5):
        both = np.hstack([codes, np.array(single)[:, :extra]])
        found = figures(both, [0.1, 0.2, 0.2] + [1.0] * extra)
        assert np.isnan(found["krippendorff"].estimate)
        assert np.isnan(found["krippendorff"].expected_agreement)
        assert found["krippendorff"].reason == "n_lt_2"
        assert found["fleiss"].estimate < 1
    assert figures(codes, [0.2, 0.2, 0.2])["krippendorff"].estimate <= 1


def test_where_nothing_varies_the_test_rests_on_a_pseudo_item():
    found = figures(np.tile([0, 1, 2, 0], (3, 1)))
    for name, summary in found.items():
        assert summary.se == 0
        assert np.isnan(summary.p_value) == (name == "percent")
        assert name == "percent" or (summary.p_value < 0.05) == (summary.ci_low > 0)
        assert summary.reason == ""


def test_congers_margins_are_those_of_all_ratings():
    """A rater with one category on the joint items fixes Light's kappa, not Conger's."""
    found = figures([[0, 0, 0, 1, 1], [0, 0, 1, -1, -1]])
    expected = (3 * 2 + 2 * 1) / 15  # shares 3/5 and 2/5, 2/3 and 1/3
    assert_allclose(found["conger"].estimate, (2 / 3 - expected) / (1 - expected))
    assert found["conger"].se > 0
    assert found["conger"].reason == ""
    assert (found["light"].estimate, found["light"].reason) == (0, "constant_rater")
    complete = figures([[0, 0, 0], [0, 0, 1]])
    assert (complete["conger"].estimate, complete["conger"].reason) == (0, "constant_rater")
    lonely = figures([[0, 0, 0, -1], [0, 0, 1, -1]])  # an item that nobody rated is none
    assert lonely["conger"].reason == "constant_rater"


@each(
    ("codes", "weights", "scores"),
    [
        ([[0] * 10, [0] * 10, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]], None, None),
        ([[0, 1] * 7, [1, 2] * 7], "linear", [0.1, 0.3, 0.5]),
    ],
)
def test_rounding_error_is_no_standard_error(codes, weights, scores):
    found = figures(codes, None, weights, scores)
    for name in ("conger", "light"):
        assert found[name].estimate == 0, name
    for name in ("fleiss", "conger", "light", "krippendorff") if weights else ("conger", "light"):
        assert found[name].se == 0, name
        assert found[name].ci_high - found[name].ci_low > 0.1, name


def test_limits_reach_as_low_as_the_coefficient_can():
    """Gwet's floor is that of five categories that are used alike, whatever the shares here."""
    rows = np.array([[0, 1] * 6 + [0, 2], [1, 0] * 6 + [2, 0]])
    scores = np.arange(1.0, 6)
    in_five = RatingRows(rows, np.ones(14), np.zeros(14, dtype=int), 1, 5)
    scale = Scale(WEIGHTS[None], scores[None], np.ones((1, 5), dtype=bool))
    one = {"gwet": MULTIRATER["gwet"]}
    for level, lowest in ((0.95, None), (1 - 1e-12, -1 / 4)):
        found = summarise_many(in_five, scale, one, by_items=True, ci="wald", level=level)["gwet"]
        expected = 2 * found.estimate - found.ci_high if lowest is None else lowest
        assert_allclose(found.ci_low, expected)


@each("count", [0.5, 0.6])
def test_less_than_two_items_have_no_standard_error(count):
    for summary in figures([[0, 1, 0], [0, 1, 1]], [count] * 3).values():
        figure = [summary.se, summary.ci_low, summary.ci_high, summary.z, summary.p_value]
        assert np.isnan(figure).all()
        assert summary.reason == "n_lt_2"


def test_z_of_chance_has_a_variance_of_one_where_ratings_are_missing():
    """Alpha weighs items by their ratings and Light's kappa by pairs: theirs was .5 to .8."""
    rng = np.random.default_rng(4)
    codes = rng.choice(3, (2000 * 60, 3), p=[0.6, 0.25, 0.15]).astype(float)
    codes[rng.random(codes.shape) < [0.1, 0.2, 0.4]] = np.nan
    data = pd.DataFrame(codes, columns=list("abc")).assign(sample=np.arange(2000).repeat(60))
    found = data.kappa.agreement(list("abc"), by="sample", categories=[0, 1, 2])
    spread = found["z"].groupby("coefficient").std()[["light", "conger", "fleiss", "krippendorff"]]
    assert_allclose(spread, 1, atol=0.06)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_lights_limits_hold_where_pairs_tell_little():
    """Eight raters of forty items with a category of .05: they held in .74 to .82 of samples."""
    rng = np.random.default_rng(7)
    shape = (400 * 40, 8)
    scores = np.sqrt(0.8) * rng.normal(size=(shape[0], 1)) + np.sqrt(0.2) * rng.normal(size=shape)
    data = pd.DataFrame(scores > 1.645, columns=list("abcdefgh")).astype(int)
    many = rng.normal(size=(2_000_000, 3)) * np.sqrt([0.8, 0.2, 0.2])
    pair = pd.DataFrame(many[:, :1] + many[:, 1:] > 1.645, columns=["a", "b"])
    true = pair.kappa.pairs()["estimate"].item()
    options = {"by": "sample", "categories": [0, 1], "coefficients": ["light"]}
    data["sample"] = np.arange(400).repeat(40)
    found = data.kappa.agreement(list("abcdefgh"), **options).dropna(subset=["estimate"])
    holds = (found["ci_low"] <= true) & (true <= found["ci_high"])
    assert holds.mean() > 0.93
