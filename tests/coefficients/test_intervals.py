"""Intervals and tests: against dense formulas, statsmodels, and a simulation of coverage."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats import inter_rater

import dense
from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.intervals import INTERVALS, fisher_z, infer, limits, with_pseudo_item
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.weights import WEIGHTS, Scale, from_matrix

every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weights", WEIGHTS)
every_interval = each("method", INTERVALS)


def inferred(coefficient, weights, table, *, method="auto", level=0.95, null=0.0):
    """Estimate, limits and test of some tables."""
    agreement, _ = interval(coefficient, weights, table)
    counts = PairCounts.from_tables(np.asarray(table))
    scale, own = scale_of(weights, np.shape(table)[-1]), COEFFICIENTS[coefficient]
    pivot = INTERVALS[method](agreement, counts, scale, own)
    found = infer(pivot, agreement.estimate, own.lowest(scale), level=level, null=null)
    return agreement.estimate, found


def z_of(agreement):
    """Test chance as published, by the standard error at the table of chance."""
    z = agreement.estimate / agreement.se_null
    return z, 2 * stats.norm.sf(np.abs(z))


few = settings(max_examples=10)
some = settings(max_examples=14)

tables = st.integers(2, 4).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 12)))
levels = st.sampled_from([0.5, 0.8, 0.95, 0.99])


def scale_of(weights, k, gap=1):
    """Return the scale 1 to K with a gap in its middle, or that of a matrix."""
    if isinstance(weights, np.ndarray):
        weighting, scores = from_matrix(weights), np.arange(float(k))
    else:
        weighting, scores = WEIGHTS[weights], np.arange(1.0, k + 1)
        scores[k // 2 :] += 0 if weighting.ranks else gap
    return Scale(weighting, scores[None], np.ones((1, k), dtype=bool))


def interval(coefficient, weights, table, *, method="fisher", level=0.95, gap=1):
    """Estimate and limits in one table or in a stack of tables."""
    table = np.asarray(table)
    counts, scale = PairCounts.from_tables(table), scale_of(weights, table.shape[-1], gap)
    own = COEFFICIENTS[coefficient]
    agreement = chance_corrected(counts, scale, own)
    return agreement, limits(agreement, counts, scale, own, method=method, level=level)


def floor_of(coefficient, agreement, scale):
    """Return the lowest limit: none for an estimate that is lower already.

    Where chance is even, it is that of total disagreement of raters who use all categories
    alike, whatever these raters did.
    """
    apart = scale.matrix()
    even = 1 - apart.max() / apart.mean()
    floor = {"percent": 0.0, "brennan_prediger": even, "gwet": even}.get(coefficient, -1.0)
    return np.where(agreement.estimate < floor - 1e-9, -np.inf, floor)


@pytest.mark.oracle
@some
@given(table=tables)
@each("weights", [None, "linear", "quadratic"])
def test_wald_and_p_are_those_of_statsmodels(weights, table):
    """But for the limits, which statsmodels lets run beyond the range of kappa."""
    assume(min((table.sum(axis=axis) > 0).sum() for axis in (0, 1)) > 1)
    apart = scale_of(weights, len(table)).matrix()
    with np.errstate(all="ignore"):
        expected = inter_rater.cohens_kappa(table, weights=apart / apart.max())
    if min(expected.var_kappa, expected.var_kappa0) <= 1e-12:
        return
    agreement, (low, high) = interval("cohen", weights, table, method="wald")
    z, p = z_of(agreement)
    assert_allclose(low, max(expected.kappa_low, -1), atol=1e-9)
    assert_allclose(high, min(expected.kappa_upp, 1), atol=1e-9)
    assert_allclose(z, expected.z_value, rtol=1e-6, atol=1e-9)
    assert_allclose(p, expected.pvalue_two_sided, rtol=1e-5, atol=1e-12)


@few
@example(table=np.array([[8, 0], [2, 8]]), level=0.99)  # by Wald beyond either end
@example(table=np.array([[0, 3], [3, 1]]), level=0.99)
@given(table=tables, level=levels)
@every_coefficient
@every_weighting
@every_interval
def test_limits_contain_the_estimate_and_stay_in_range(coefficient, weights, method, table, level):
    agreement, (low, high) = interval(coefficient, weights, table, method=method, level=level)
    # Limits that are guarded, or of two categories, exist where a rater used one category, too.
    asked = ~agreement.is_fixed | (method not in {"auto", "score"})
    assert_array_equal(np.isnan(low) & asked, np.isnan(agreement.se) & asked)
    assert_array_equal(np.isnan(high), np.isnan(low))
    known = ~np.isnan(low)
    estimate = agreement.estimate[known]
    assert (low[known] <= estimate).all()
    assert (estimate <= high[known]).all()
    assert (high[known] <= 1).all()
    floor = floor_of(coefficient, agreement, scale_of(weights, len(table)))
    assert (low >= floor - 1e-12)[known].all()


@few
@given(table=tables, few_items=st.integers(2, 5))
@every_coefficient
@every_weighting
def test_perfect_agreement_has_an_interval_below_one(coefficient, weights, table, few_items):
    perfect = np.diag(np.diag(table))
    perfect[0, 0] += few_items
    perfect[1, 1] += 1
    agreement, (low, high) = interval(coefficient, weights, [perfect, 30 * perfect])
    assert_array_equal(agreement.estimate, [1, 1])
    assert_array_equal(high, [1, 1])
    assert (low < 1).all()
    assert low[1] > low[0]  # more items say more


@few
@given(table=tables)
@every_coefficient
@every_weighting
@every_interval
def test_more_confidence_is_a_wider_interval(coefficient, weights, method, table):
    _, narrow = interval(coefficient, weights, table, method=method, level=0.8)
    agreement, wide = interval(coefficient, weights, table, method=method, level=0.99)
    known = ~np.isnan(agreement.se)
    assert (wide.low[known] <= narrow.low[known] + 1e-12).all()
    assert (narrow.high[known] <= wide.high[known] + 1e-12).all()
    if (method == "fisher") and (abs(agreement.estimate[known]) < 1).all():
        assert (wide.high - wide.low > narrow.high - narrow.low)[known].all()


@few
@example(table=np.array([[0, 0], [1, 1]]), null=-0.75, level=0.5)  # lower than is possible
@example(table=np.array([[1, 1], [0, 0]]), null=-0.05, level=0.95)  # nor a share below zero
@given(table=tables, null=st.floats(-0.9, 0.95), level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@every_coefficient
@every_weighting
@every_interval
def test_p_is_small_exactly_where_the_limits_exclude_the_null(
    coefficient, weights, method, table, *, null, level
):
    estimate, found = inferred(coefficient, weights, table, method=method, level=level, null=null)
    if np.isnan(found.p_value).any() or min(abs(null - one) for one in found[:2]) < 1e-9:
        return
    outside = not found.low <= null <= found.high
    published = method == "auto" and null == 0 and COEFFICIENTS[coefficient].of_margins
    assert published or (found.p_value < 1 - level) == outside
    assert found.z * (estimate - null) >= 0


@some
@given(kappa=st.floats(-1, 1), clip=st.floats(0.5, 0.9999))
def test_fisher_z_is_capped(kappa, clip):
    z = fisher_z(np.array([kappa]), clip)
    assert abs(z) <= np.arctanh(clip)
    if abs(kappa) <= clip:
        assert_allclose(np.tanh(z), kappa, atol=1e-12)


def test_fisher_z_without_a_cap():
    assert_array_equal(
        fisher_z(np.array([-1.0, 0.0, 1.0, np.nan]), None), [-np.inf, 0, np.inf, np.nan]
    )
    assert_allclose(fisher_z(np.array([-1.0, 1.0])), [-3.8002, 3.8002], atol=5e-5)


def dense_fisher(coefficient, d, table, level):
    """Compute the default limits of one table from their definition, derivative by steps."""
    n, k = table.sum(), len(table)
    used = (table + table.T).any(axis=0)
    half = 0.5 * (used if used.sum() > 1 else np.ones(k))
    row, col = ((table.sum(axis=axis) + half) / (n + half.sum()) for axis in (1, 0))
    smooth = table + np.outer(row, col)
    kappa, error = (one(coefficient, d, smooth) for one in (dense.estimate_of, dense.error_of))
    if abs(kappa) >= 1:
        return None
    half = stats.t.ppf((1 + level) / 2, n - 1) * error * np.sqrt((n + 1) / n) / (1 - kappa**2)
    return np.tanh(np.arctanh(kappa) - half), np.tanh(np.arctanh(kappa) + half)


@few
@given(table=tables, level=levels)
@every_coefficient
@every_weighting
def test_the_default_against_its_definition(coefficient, weights, table, level):
    assume(table.sum() > 1)
    scale = scale_of(weights, len(table))
    agreement, (low, high) = interval(coefficient, weights, table, level=level)
    expected = dense_fisher(coefficient, scale.matrix(), table, level)
    if np.isnan(agreement.se) or expected is None:
        return
    below = max(min(expected[0], agreement.estimate[0]), floor_of(coefficient, agreement, scale)[0])
    assert_allclose(low, below, rtol=1e-6, atol=1e-7)
    assert_allclose(high, max(expected[1], agreement.estimate[0]), rtol=1e-6, atol=1e-7)


@few
@given(table=tables, level=levels)
@every_coefficient
@every_weighting
def test_wald_is_the_estimate_and_normal_quantiles(coefficient, weights, table, level):
    agreement, (low, high) = interval(coefficient, weights, table, method="wald", level=level)
    half = stats.norm.ppf((1 + level) / 2) * agreement.se
    floor = floor_of(coefficient, agreement, scale_of(weights, len(table)))
    below = np.maximum(agreement.estimate - half, floor)
    assert_allclose(low, below, rtol=1e-9, atol=1e-12)
    assert_allclose(high, np.minimum(agreement.estimate + half, 1), rtol=1e-9, atol=1e-12)


def binormal_table(rho, cuts):
    """Cut a bivariate normal distribution into cells."""
    edges = np.concatenate([[-8], cuts, [8]])
    both = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    grid = np.array([[both.cdf([x, y]) for y in edges] for x in edges])
    return np.diff(np.diff(grid, axis=0), axis=1)


@each(("rho", "n"), [(0.4, 50), (0.7, 50), (0.9, 50), (0.7, 30)])
def test_nineteen_of_twenty_limits_hold_the_truth(rho, n):
    """Quadratic weights, five classes of (.1, .2, .4, .2, .1), two thousand samples."""
    p = binormal_table(rho, stats.norm.ppf([0.1, 0.3, 0.7, 0.9]))
    p /= p.sum()
    samples = np.random.default_rng(20).multinomial(n, p.ravel(), size=2000).reshape(-1, 5, 5)
    agreement, (low, high) = interval("cohen", "quadratic", [1e6 * p])
    truth = agreement.estimate[0]
    agreement, (low, high) = interval("cohen", "quadratic", samples)
    covered = (low <= truth) & (truth <= high)
    assert 0.93 < covered.mean() < 0.97
    spread = agreement.estimate.std()
    assert_allclose(agreement.se.mean(), spread, rtol=0.1)


def test_one_in_twenty_tests_rejects_chance():
    """Two thousand samples of raters who agree by chance alone."""
    shares = np.array([0.2, 0.5, 0.3])
    p = np.outer(shares, shares[::-1])
    samples = np.random.default_rng(3).multinomial(60, p.ravel(), size=2000).reshape(-1, 3, 3)
    for coefficient in ("cohen", "scott"):
        agreement, _ = interval(coefficient, "linear", samples)
        z, _ = z_of(agreement)
        p_value = inferred(coefficient, "linear", samples)[1].p_value
        if coefficient == "cohen":
            assert 0.035 < (p_value < 0.05).mean() < 0.065
            assert_allclose(z.std(), 1, atol=0.06)
        else:  # whose hypothesis says that the raters have the same shares, too
            assert z.mean() < -0.1


@every_coefficient
@every_weighting
@every_interval
def test_fewer_than_two_items_have_no_limits(coefficient, weights, method):
    """None, one with and one without agreement, one and a half."""
    few_items = [np.zeros((3, 3)), np.diag([1, 0, 0]), np.eye(3, k=1) * [0, 0, 1], np.eye(3) / 2]
    _, (low, high) = interval(coefficient, weights, few_items, method=method)
    assert np.isnan([low, high]).all()


@each("coefficient", ["scott", "gwet", "krippendorff"])
def test_an_error_of_rounding_is_zero(coefficient):
    """All items are one step apart: nothing varies but the last digits."""
    for scores in ([0.1, 0.3, 0.5], [0.7, 1.1, 1.5], [1.1, 2.4, 3.7]):
        scale = Scale(WEIGHTS["linear"], np.array([scores]), np.ones((1, 3), dtype=bool))
        counts = PairCounts.from_tables(np.array([[0, 7, 0], [0, 0, 7], [0, 0, 0]]))
        agreement = chance_corrected(counts, scale, COEFFICIENTS[coefficient])
        assert_array_equal(agreement.se, 0)


@every_coefficient
@every_weighting
@every_interval
def test_total_disagreement_has_limits_on_the_scale(coefficient, weights, method):
    """Where the estimate is its floor but for rounding, the limits have that floor too."""
    stack = np.zeros((3, 4, 4), dtype=int)
    stack[:, 0, 3], stack[:, 3, 0] = [1, 2, 5], [4, 8, 3]
    agreement, (low, _) = interval(coefficient, weights, stack, method=method, gap=0)
    assert (low >= floor_of(coefficient, agreement, scale_of(weights, 4, 0)) - 1e-12).all()


def test_the_range_does_not_depend_on_the_ratings():
    """Five categories, of which no item agrees on one: Gwet's coefficient may be -1/4."""
    table = np.zeros((5, 5), dtype=int)
    table[0, 1] = table[1, 0] = 6
    table[0, 2] = table[2, 0] = 1
    agreement, (low, high) = interval("gwet", None, table, method="wald", gap=0)
    half = stats.norm.ppf(0.975) * agreement.se
    assert_allclose([low, high], [agreement.estimate - half, agreement.estimate + half])
    _, (low, _) = interval("gwet", None, table, method="wald", level=1 - 1e-15, gap=0)
    assert_allclose(low, -1 / 4)


@every_interval
def test_far_below_minus_one_the_range_has_no_floor(method):
    """Weights that are no distances: the limits lie around the estimate, not above it."""
    apart = np.array([[0, 1, 0.01], [1, 0, 0.01], [0.01, 0.01, 0]])
    agreement, (low, high) = interval(
        "cohen", apart, [[0, 4, 0], [4, 0, 0], [0, 0, 92]], method=method
    )
    assert low < agreement.estimate < high < 1
    assert agreement.estimate < -8


def test_a_pseudo_item_is_one_more_that_disagrees_by_chance():
    """Beside 7 items without disagreement, wholly with probability 1 / 2.5, or not at all."""
    n, worst = np.array([7.0]), 2.5
    apart, shares = np.append(np.zeros(7), [worst, 0]), np.append(np.ones(7), [0.4, 0.6]) / 8
    mean = shares @ apart
    spread = shares @ (apart - mean) ** 2
    found = with_pseudo_item(np.ones(1), np.zeros(1), n, np.array([worst]))
    assert_allclose(np.ravel(found), [1 - mean, np.sqrt(spread / n[0])])
