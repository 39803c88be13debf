"""The parts of agreement: laws of what adds up, brute force, simulation, edges.

Values from elsewhere are in ``tests/methods/drilldown/test_drilldown.py``.
"""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from conftest import each
from pdkappa.coefficients.all_raters import MULTIRATER, basics_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import of_pair
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.drilldown import items as of_items
from pdkappa.methods.drilldown import raters as of_raters
from pdkappa.methods.drilldown.categories import (
    ADDITIVE,
    gaps_of,
    scale_parts,
)
from pdkappa.methods.drilldown.items import LEAVE_ONE_OUT

SCORES = np.array([1.0, 2.0, 4.0, 7.0])
every_coefficient = each("name", MULTIRATER)
additive = each("name", ADDITIVE)
every_weighting = each("weights", WEIGHTS)
some = settings(max_examples=25)
few = settings(max_examples=10)


def item_parts(*given):
    return SimpleNamespace(**of_items.item_parts(*given))


def cell_parts(*given):
    return SimpleNamespace(**of_items.cell_parts(*given))


def rater_parts(*given):
    return SimpleNamespace(**of_raters.rater_parts(*given))


def scale_of(weights):
    scores = np.arange(1.0, 5) if WEIGHTS[weights].ranks else SCORES
    return Scale(WEIGHTS[weights], scores[None], np.ones((1, 4), dtype=bool))


def rows_of(codes, count=None, group=None, n_groups=1, cluster=None):
    codes = np.asarray(codes)
    n = codes.shape[1]
    return RatingRows(
        codes,
        np.ones(n) if count is None else np.asarray(count, dtype=float),
        np.zeros(n, dtype=int) if group is None else np.asarray(group),
        n_groups,
        4,
        cluster,
    )


@st.composite
def ratings(draw, raters=(2, 4), groups=2, least=-1):
    """Draw ratings of some raters in some groups, with missing ones and weights."""
    n_raters, n = draw(st.integers(*raters)), draw(st.integers(1, 9))
    codes = draw(arrays(np.int64, (n_raters, n), elements=st.integers(least, 3)))
    count = draw(arrays(float, n, elements=st.sampled_from([1.0, 2.0, 1.5, 3.0])))
    group = draw(arrays(np.int64, n, elements=st.integers(0, groups - 1)))
    return rows_of(codes, count, group, groups)


def estimate(rows, scale, name):
    return MULTIRATER[name](rows, scale, basics_of(rows, scale)).estimate


# --- What adds up --------------------------------------------------------------------------


@few
@given(rows=ratings())
@every_coefficient
@every_weighting
def test_shares_and_gains_of_items_add_up(name, weights, rows):
    scale = scale_of(weights)
    parts = item_parts(rows, scale, name)
    found = estimate(rows, scale, name)
    defined = ~np.isnan(found)
    gains = np.bincount(rows.group, weights=parts.gain, minlength=2)
    assert_allclose(gains[defined], 1 - found[defined], rtol=1e-12, atol=1e-12)
    shares = np.bincount(rows.group, weights=parts.share, minlength=2)
    apart = rows.total(np.nan_to_num(parts.disagreement))
    assert_allclose(shares[apart > 0], 1, rtol=1e-12)
    assert np.isnan(shares[(apart == 0) & (rows.n_items > 0)]).all()


@some
@given(rows=ratings())
@additive
def test_categories_add_up_to_nominal_and_cuts_to_linear_agreement(name, rows):
    for weights, gaps in ((None, None), ("linear", gaps_of(scale_of("linear"), 2))):
        parts = scale_parts(rows, name, gaps, cumulative=gaps is not None)
        found = estimate(rows, scale_of(weights), name)
        defined = ~np.isnan(found)
        mean = (np.nan_to_num(parts.estimate) * np.nan_to_num(parts.weight)).sum(axis=-1)
        assert_allclose(mean[defined], found[defined], atol=1e-12)
        assert_allclose(parts.weight.sum(axis=-1)[defined], 1, atol=1e-12)
        assert_array_equal(np.isnan(parts.weight).all(axis=-1), ~defined)


@few
@given(rows=ratings(raters=(2, 2)))
@every_weighting
def test_cells_add_up_to_kappa(weights, rows):
    scale = scale_of(weights)
    parts = cell_parts(rows, scale)
    kappa = of_pair(rows, scale, COEFFICIENTS["cohen"], (0, 1)).estimate
    assert_allclose(parts.contribution.sum(axis=(1, 2)), kappa, atol=1e-12)
    assert_allclose(parts.n_items.sum(axis=(1, 2)), parts.expected_items.sum(axis=(1, 2)))
    assert (parts.disagreement <= 1 + 1e-12).all()


@some
@given(rows=ratings(raters=(3, 4), groups=1))
def test_raters_average_to_light_and_their_effects_cancel(rows):
    scale = scale_of("linear")
    pairs = [
        of_pair(rows, scale, COEFFICIENTS["cohen"], pair).estimate[0]
        for pair in combinations(range(len(rows.codes)), 2)
    ]
    if np.isnan(pairs).any():
        return
    parts = rater_parts(rows, scale)
    assert_allclose(parts.estimate.mean(), np.mean(pairs), atol=1e-12)
    assert_allclose(parts.effect.sum(), 0, atol=1e-12)
    assert_allclose(parts.effect, np.mean(pairs) - parts.light_without, atol=1e-12)
    factor = 2 / len(rows.codes)
    assert_allclose(parts.effect, factor * (parts.estimate - parts.light_without), atol=1e-12)


# --- Brute force ---------------------------------------------------------------------------


@few
@given(rows=ratings())
@every_coefficient
@every_weighting
def test_the_effect_of_an_item_is_exact(name, weights, rows):
    scale = scale_of(weights)
    effect = item_parts(rows, scale, name).effect
    everything = estimate(rows, scale, name)
    for item, group in enumerate(rows.group):
        rest = rows.select(np.arange(len(rows.group)) != item)
        expected = everything[group] - estimate(rest, scale, name)[group]
        if abs(expected) < 1e3:  # not where next to nothing is expected by chance
            assert_allclose(effect[item], expected, atol=1e-9)


def random_ratings(rng, n, n_raters, agree=0.6):
    """Raters who copy a true category with some probability."""
    truth = rng.integers(0, 4, n)
    copies = rng.random((n_raters, n)) < agree
    codes = np.where(copies, truth, rng.integers(0, 4, (n_raters, n)))
    return rows_of(codes)


@each("with_clusters", [False, True])
def test_the_standard_error_is_that_of_the_jackknife(with_clusters):
    rng = np.random.default_rng(2)
    rows = random_ratings(rng, 400, 4)
    cluster = np.arange(400) // 2 if with_clusters else np.arange(400)
    scale = scale_of("linear")
    parts = rater_parts(rows_of(rows.codes, cluster=cluster if with_clusters else None), scale)
    left_out = [
        rater_parts(rows.select(cluster != one), scale).effect[:, 0] for one in np.unique(cluster)
    ]
    n = len(left_out)
    jackknife = np.sqrt((n - 1) / n * ((left_out - np.mean(left_out, axis=0)) ** 2).sum(axis=0))
    assert_allclose(parts.se_effect[:, 0], jackknife, rtol=0.02)
    # The variances of several raters are averaged: fewer clusters lose less.
    fewest, most = (199, 399) if with_clusters else (399, 399)
    half = parts.effect_ci_high - parts.effect
    assert_allclose(parts.effect - parts.effect_ci_low, half, rtol=1e-12)
    assert (half <= stats.t.ppf(0.975, fewest) * parts.se_effect * (1 + 1e-12)).all()
    assert (half >= stats.t.ppf(0.975, most) * parts.se_effect * (1 - 1e-12)).all()


def test_limits_touch_zero_at_the_level_of_the_test():
    rows = random_ratings(np.random.default_rng(5), 60, 3)
    scale = scale_of("quadratic")
    for rater, p_value in enumerate(rater_parts(rows, scale).p_value[:, 0]):
        parts = rater_parts(rows, scale, 1 - p_value)
        limits = parts.effect_ci_low[rater, 0], parts.effect_ci_high[rater, 0]
        assert_allclose(min(np.abs(limits)), 0, atol=1e-12)
        assert max(np.abs(limits)) > 0


def test_specific_agreement_counts_pairs_of_ratings():
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, 4, (4, 30))
    times = np.stack([(codes == k).sum(axis=0) for k in range(4)])
    n = times.sum(axis=0)
    expected = (times * (times - 1)).sum(axis=1) / (times * (n - 1)).sum(axis=1)
    for name in ADDITIVE:
        assert_allclose(scale_parts(rows_of(codes), name).specific_agreement[0], expected)


# --- Simulation ----------------------------------------------------------------------------


def latent_ratings(rng, n, n_raters, clicks=0.0):
    """Raters of one normal quality, correlated by .7; the first clicks at random at times."""
    quality = np.sqrt(0.7) * rng.normal(size=n) + np.sqrt(0.3) * rng.normal(size=(n_raters, n))
    codes = np.digitize(quality, [-0.7, 0, 0.7])
    codes[0] = np.where(rng.random(n) < clicks, rng.integers(0, 4, n), codes[0])
    return rows_of(codes)


def test_the_test_for_outliers_keeps_its_level_and_has_power():
    """Six raters, 300 items: size about .05, and some power for 15 % random clicks.

    A prototype of the formula had size .056, and power .68 at the level .05 / 6, on a finer
    scale; 400 and 200 samples leave about .02 and .07 of noise.
    """
    rng = np.random.default_rng(5)
    scale = scale_of("quadratic")
    honest = [rater_parts(latent_ratings(rng, 300, 6), scale) for _ in range(400)]
    assert 0.03 < np.mean([parts.p_value[0, 0] < 0.05 for parts in honest]) < 0.09
    clicking = [rater_parts(latent_ratings(rng, 300, 6, clicks=0.15), scale) for _ in range(200)]
    found = [parts.p_value[0, 0] < 0.05 / 6 and parts.outlier_z[0, 0] < 0 for parts in clicking]
    assert 0.4 < np.mean(found) < 0.95


# --- Edges ---------------------------------------------------------------------------------


def test_ratings_without_disagreement():
    rows = rows_of([[0, 1, 2], [0, 1, 2], [0, 1, 2]])
    scale = scale_of(None)
    items = item_parts(rows, scale, "light")
    assert_array_equal(items.gain, 0)
    assert_array_equal(items.effect, 0)
    assert np.isnan(items.share).all()
    assert set(items.reason) == {"no_disagreement"}
    raters = rater_parts(rows, scale)
    assert_array_equal(raters.estimate, 1)
    assert np.isnan(raters.outlier_z).all()
    assert set(raters.reason.ravel()) == {"no_variance"}
    categories = scale_parts(rows, "light")
    assert_array_equal(categories.estimate[0, :3], 1)
    assert np.isnan(categories.estimate[0, 3])
    assert categories.weight[0, 3] == 0


def test_an_item_without_which_nothing_varies():
    rows = rows_of([[0, 0, 0, 1], [0, 0, 0, 1]])
    parts = item_parts(rows, scale_of(None), "light")
    assert list(parts.reason) == ["no_disagreement"] * 3 + ["undefined_without"]
    assert np.isnan(parts.effect[3])


def test_missing_ratings():
    rows = rows_of([[0, 1, 2, -1], [1, 1, -1, -1], [0, 2, -1, -1]])
    for name in LEAVE_ONE_OUT:
        parts = item_parts(rows, scale_of("linear"), name)
        assert list(parts.reason[2:]) == ["single_rating", "no_items"]
        assert_array_equal(parts.gain[2:], 0)
        assert np.isnan(parts.disagreement[2:]).all()


def test_gaps_skip_categories_that_are_not_in_use():
    in_use = np.array([[True, False, True, True], [False, True, True, False]])
    scale = Scale(WEIGHTS["linear"], SCORES[None], in_use)
    assert_array_equal(gaps_of(scale, 2), [[3, 0, 3, 0], [0, 2, 0, 0]])
