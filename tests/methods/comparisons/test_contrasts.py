"""Differences and contrasts of dependent coefficients: outside values, laws, derivatives."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import Moments
from pdkappa.coefficients.means_over_groups import Mover, all_groups_equal
from pdkappa.coefficients.pair_kappas import of_pairs, worst
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.comparisons.compare import (
    all_equal,
    contrast,
    non_inferiority,
    t_test,
)

every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weighting", WEIGHTS)
seeds = st.integers(0, 2**32 - 1)

COHEN = COEFFICIENTS["cohen"]
MINUS = np.array([1.0, -1.0])
SHARED, APART = [(0, 1), (0, 2)], [(0, 1), (2, 3)]


def scale_of(n_categories, weighting=None):
    """Return a scale from 1 to K that all groups share."""
    scores = np.arange(1.0, n_categories + 1)[None]
    return Scale(WEIGHTS[weighting], scores, np.ones((1, n_categories), dtype=bool))


def rows_of(codes, count=None, group=None, cluster=None, k=4):
    """Put codes of shape (R, N) into rows."""
    codes = np.asarray(codes)
    n = codes.shape[1]
    return RatingRows(
        codes=codes,
        count=np.ones(n) if count is None else np.asarray(count, dtype=float),
        group=np.zeros(n, dtype=np.int64) if group is None else np.asarray(group),
        n_groups=1 if group is None else int(np.max(group)) + 1,
        n_categories=k,
        cluster=None if cluster is None else np.asarray(cluster),
    )


def random_rows(seed, n=40, n_raters=4, missing=0.2, k=4):
    """Ratings around a truth, with some missing."""
    rng = np.random.default_rng(seed)
    codes = np.clip(rng.integers(0, k, n) + rng.integers(-1, 2, (n_raters, n)), 0, k - 1)
    codes[rng.random(codes.shape) < missing] = -1
    return rows_of(codes, k=k)


# --- Values from elsewhere ---------------------------------------------------------------

# Fifty patients (Vanbelle & Albert, 2008): diagnosis, Beck's inventory, health questionnaire.
# The counts are those of deprdiag in R lava 1.8.2; the figures are those of R multiagree
# 3.01, delta.pair(..., "unweighted", multilevel = FALSE), whose variances divide by n squared.


# Fifty rows of three columns with these means and this covariance of the means, in R 4.2.2:
# anova(lm(Y ~ 1), X = ~1, test = "Spherical"), its F, epsilon of Greenhouse and Geisser, and p
# with the epsilon of Huynh and Feldt.
MEANS, COVARIANCE = [0.3, 0.4, 0.5], [[10, 5, 7], [5, 15, 6], [7, 6, 50]]
SPHERICAL_F, EPSILON, SPHERICAL_P = 0.526315789468, 0.725871313673, 0.539901389528


def test_equality_is_the_f_test_of_repeated_measures():
    kappas = of_pairs(random_rows(0, 50, missing=0), scale_of(4), COHEN, [(0, 1), (0, 2), (1, 2)])
    kappas = replace(kappas, estimate=np.array(MEANS)[:, None])
    f = 2 * EPSILON
    corrected = (50 * f - 2) / (49 - f)
    cov, centre = np.array(COVARIANCE) / 1000, np.eye(3) - 1 / 3
    trace, square = np.trace(centre @ cov), np.trace(centre @ cov @ centre @ cov)
    of_normal_values = (corrected * square / trace**2 - 1) / (corrected - 1)
    found = all_equal(kappas, Moments(cov[None], np.array([of_normal_values])))
    assert_allclose([found.f[0], found.p_value[0]], [SPHERICAL_F, SPHERICAL_P], rtol=2e-11)
    assert_allclose([found.df1[0], found.df2[0]], [corrected, 49 * corrected], rtol=1e-11)


def test_equality_of_few_items_has_boxs_degrees_corrected():
    """No covariance need be inverted; here from the definition, with products of two items."""
    for n_items, n_raters in ((5, 4), (9, 6), (30, 5), (3, 8), (2, 3)):
        pairs = list(combinations(range(n_raters), 2))
        codes = random_rows(2, n_items, missing=0, n_raters=n_raters)
        kappas = of_pairs(codes, scale_of(4), COHEN, pairs)
        found = all_equal(kappas)
        k, n = kappas.estimate[:, 0], n_items - 1
        apart = kappas.influence - kappas.influence.mean(axis=0)
        cov = apart @ apart.T / (n_items * n)
        box = np.trace(cov) ** 2 / np.trace(cov @ cov)
        most = max(min(len(pairs) - 1, 3 * n), box)
        products = (apart.T @ apart) ** 2
        sizes = np.outer((apart**2).sum(axis=0), (apart**2).sum(axis=0))
        two = ~np.eye(n_items, dtype=bool)
        normal = ((n + 1) * box - 2) / (n - box) if n > box + 1e-9 else most
        unbiased = sizes[two].sum() / products[two].sum() if products[two].sum() > 1e-9 else most
        df = np.sqrt(np.clip(normal, box, most) * np.clip(unbiased, box, most)) if n > 1 else box
        f = k @ (k - k.mean()) / np.trace(cov)
        assert_allclose([found.f[0], found.df1[0], found.df2[0]], [f, df, n * df])
        assert_allclose(found.p_value, stats.f(df, n * df).sf(f))


def test_differences_of_normal_means_are_those_of_the_z_test():
    """Symmetric limits give the root of the sum of squares, and its p; at any null."""
    rng = np.random.default_rng(3)
    k, se = rng.normal(0, 1, 5), rng.uniform(0.1, 1, 5)
    one, other = np.triu_indices(5, 1)

    def limits_at(level):
        half = stats.norm.ppf((1 + level) / 2) * se
        return k - half, k + half

    found = Mover(k, one, other, limits_at, 0.9)
    both = np.hypot(se[one], se[other])
    assert_allclose(found.limits()[0], k[one] - k[other] - stats.norm.ppf(0.95) * both)
    for null in (-0.4, 0.0, 2.0):
        assert_allclose(found.quantile(null), (k[one] - k[other] - null) / both, rtol=1e-5)
    q = all_groups_equal(k, limits_at, 0.9)
    mean = (k / se**2).sum() / (1 / se**2).sum()
    assert_allclose(q.q, (((k - mean) / se) ** 2).sum())
    assert_allclose(q.p_value, stats.chi2(4).sf(q.q))


def test_a_difference_of_shares_is_newcombes():
    """As statsmodels 0.15.0 has them: ``confint_proportions_2indep(method="newcomb")``."""

    def limits_at(level):
        z = stats.norm.ppf((1 + level) / 2)
        share, n = np.array([56 / 70, 48 / 80]), np.array([70, 80])
        middle, half = (
            share + z**2 / (2 * n),
            z * np.sqrt(share * (1 - share) / n + (z / 2 / n) ** 2),
        )
        return (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)

    found = Mover(np.array([0.8, 0.6]), np.array([0]), np.array([1]), limits_at, 0.95)
    assert_allclose(np.ravel(found.limits()), [0.05243147240236498, 0.33387265403690614])


# --- Laws ----------------------------------------------------------------------------------


@given(seed=seeds)
@every_weighting
def test_two_coefficients_have_one_test(weighting, seed):
    """The test that two are equal is the t test of their difference."""
    kappas = of_pairs(random_rows(seed), scale_of(4, weighting), COHEN, SHARED)
    of_two, of_all = t_test(contrast(kappas, MINUS), 0.95), all_equal(kappas)
    assert_allclose(of_all.f, of_two.z**2, atol=1e-20)
    assert_allclose(of_all.p_value, of_two.p_value, atol=1e-12)


@given(seed=seeds)
def test_the_order_of_the_pairs_does_not_matter(seed):
    rows, pairs = random_rows(seed), list(combinations(range(4), 2))
    one = all_equal(of_pairs(rows, scale_of(4, "quadratic"), COHEN, pairs))
    other = all_equal(of_pairs(rows, scale_of(4, "quadratic"), COHEN, pairs[::-1]))
    assert_allclose(one[:4], other[:4], rtol=1e-9)


@given(seed=seeds)
def test_equal_rows_may_be_merged(seed):
    rows = random_rows(seed, n=200, k=2)
    one, other = (of_pairs(some, scale_of(2), COHEN, APART) for some in (rows, rows.compressed()))
    assert len(other.rows.count) < len(one.rows.count)
    assert_allclose(contrast(one, MINUS)[:3], contrast(other, MINUS)[:3], atol=1e-12)
    assert_allclose(all_equal(one)[:4], all_equal(other)[:4], atol=1e-9)


@given(seed=seeds, margin=st.floats(0, 1))
def test_non_inferiority_is_the_lower_limit(seed, margin):
    """It is shown at level a if the limit of the interval 1 - 2a lies above the margin."""
    found = contrast(of_pairs(random_rows(seed), scale_of(4), COHEN, SHARED), MINUS)
    limit = t_test(found, 0.9).low
    if abs(limit[0] + margin) > 1e-9:
        assert (non_inferiority(found, margin)[0] < 0.05) == (limit[0] > -margin)


# --- Numerical truth ---------------------------------------------------------------------


@every_coefficient
@every_weighting
@each("pairs", [SHARED, APART])
def test_the_standard_error_is_the_derivative(coefficient, weighting, pairs):
    """The influence of each item on the difference, by changing its weight a little."""
    rows, scale = random_rows(5, n=24), scale_of(4, weighting)
    model, step = COEFFICIENTS[coefficient], 1e-5

    def estimates(count):
        return of_pairs(replace(rows, count=count), scale, model, pairs).estimate[:, 0]

    joint = np.stack([(rows.codes[list(pair)] >= 0).all(axis=0) for pair in pairs])
    m = joint.sum(axis=1)  # each pair errs as its own items have it
    one = np.ones(rows.codes.shape[1])
    nudges = [step * np.eye(len(one))[item] for item in np.flatnonzero(joint.any(axis=0))]
    slopes = np.array([(estimates(one + by) - estimates(one - by)) / (2 * step) for by in nudges])
    expected = np.sqrt(np.sum(np.square(slopes * np.sqrt(m / (m - 1)) @ MINUS)))
    tolerance = 0.02 if coefficient == "krippendorff" else 1e-6  # its (N - 1) / N is held fixed
    assert_allclose(contrast(of_pairs(rows, scale, model, pairs), MINUS).se, expected, tolerance)


def test_equal_kappas_of_many_raters_are_no_find():
    """Five percent of samples would do; with an inverse of all covariances it was 51."""
    rng, shape = np.random.default_rng(1), (8, 400 * 75)
    truth, own = (rng.choice(3, size, p=[0.8, 0.15, 0.05]) for size in (shape[1], shape))
    codes = np.where(rng.random(shape) < 0.77, truth, own)
    rows = rows_of(codes, group=np.repeat(np.arange(400), 75), k=3)
    found = all_equal(of_pairs(rows, scale_of(3), COHEN, list(combinations(range(8), 2))))
    assert 0.02 < np.mean(found.p_value < 0.05) < 0.08


# --- Edges ---------------------------------------------------------------------------------


def test_a_constant_rater_agrees_by_chance_exactly():
    """Not just up to rounding error, as one minus a ratio would be here."""
    rows = rows_of([[0, 3, 3], [1, 1, 1]])
    assert of_pairs(rows, scale_of(4, "linear"), COHEN, [(0, 1)]).estimate[0, 0] == 0


def test_rounding_error_is_no_variance():
    """The second rater is one step above the first throughout: no item differs in influence."""
    first = np.repeat([0, 1], [3, 7])
    kappas = of_pairs(rows_of([first, first + 1]), scale_of(4, "linear"), COHEN, [(0, 1)])
    assert 0 < np.abs(kappas.influence).max() < 1e-12
    found = contrast(kappas, np.ones(1))
    assert_array_equal(found.se, 0)
    assert_array_equal(found.reason, "no_variance")


def test_one_cluster_has_no_standard_error():
    rows = replace(random_rows(1), cluster=np.zeros(40, dtype=int))
    found = contrast(of_pairs(rows, scale_of(4), COHEN, SHARED), MINUS)
    assert_array_equal(found.reason, "n_lt_2")
    assert np.isfinite(found.estimate).all()
    assert np.isnan(found.se).all()


def test_the_gravest_reason_counts():
    reasons = np.array([["", "n_lt_2", "no_items"], ["", "constant_rater", ""]], dtype=object)
    assert worst(reasons).tolist() == ["", "constant_rater", "no_items"]
