"""The Fisher-z weighted mean: the essay-set scorer, meta-analysis, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats import meta_analysis

from conftest import each
from pdkappa.coefficients.means_over_groups import weighted_fisher_mean

some = settings(max_examples=40)

kappas_of = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1, 1))
weights_of = arrays(np.float64, 6, elements=st.floats(1e-3, 1e3))
inside = arrays(np.float64, st.integers(1, 6), elements=st.floats(-0.99, 0.99))


def mean_of(kappas, weights=None, **options):
    """Average, with equal weights if none are given."""
    kappas = np.asarray(kappas, dtype=float)
    weights = np.ones(len(kappas)) if weights is None else np.asarray(weights, dtype=float)
    return weighted_fisher_mean(kappas, weights[: len(kappas)], **options)


# --- Values from elsewhere ---------------------------------------------------------------

# R Metrics 0.1.4, MeanQuadraticWeightedKappa, its documentation (7 digits) and tests, and the
# same function of the Python ml_metrics 0.1.4.
SCORER = {
    "documented": ([0.3, 0.2, 0.2, 0.5, 0.1, 0.2], [1, 2.5, 1, 1, 2, 3], 0.2226148, 5e-8),
    "weighted": ([0.5, 0.8], [1, 0.5], 0.624536446425734, 1e-14),
    "perfect": ([1, 1], None, 0.999, 1e-14),
    "opposite": ([-1, 1], None, 0.0, 1e-14),
    "with zero": ([0.0, 0.5, 0.9], None, 0.587501385304757, 1e-14),
    "sizes": ([0.72, 0.81, 0.77, 0.85], [1783, 1800, 1726, 1772], 0.7924905924403179, 1e-14),
    "one group": ([0.041025641025641], None, 0.041025641025641, 1e-15),
}


@each(("kappas", "weights", "value", "tolerance"), SCORER.values())
def test_the_scorer_of_essay_sets(kappas, weights, value, tolerance):
    assert_allclose(mean_of(kappas, weights).estimate, value, atol=tolerance)


@pytest.mark.oracle
@some
@given(kappas=kappas_of, data=st.data())
def test_statsmodels_pools_alike(kappas, data):
    """The fixed effect of a meta-analysis: weights are reciprocals of the variances."""
    error = data.draw(arrays(np.float64, len(kappas), elements=st.floats(0.01, 2)))
    z = np.arctanh(np.clip(kappas, -0.999, 0.999))
    level = data.draw(st.sampled_from([0.8, 0.95]))
    with np.errstate(all="ignore"):  # a single group has no variance between groups
        expected = meta_analysis.combine_effects(z, error**2, method_re="chi2")
        low, high = expected.conf_int(alpha=1 - level)[0]
    found = mean_of(kappas, error**-2, se_fisher_z=error, level=level)
    assert_allclose(np.arctanh(found.estimate), expected.mean_effect_fe, rtol=1e-7, atol=1e-9)
    assert_allclose(found.se_fisher_z, expected.sd_eff_w_fe, rtol=1e-9)
    assert_allclose([found.ci_low, found.ci_high], np.tanh([low, high]), rtol=1e-6, atol=1e-9)


# --- Laws --------------------------------------------------------------------------------


@some
@given(kappas=kappas_of, weights=weights_of)
def test_between_the_smallest_and_the_largest(kappas, weights):
    mean = mean_of(kappas, weights).estimate
    low, high = np.clip([kappas.min(), kappas.max()], -0.999, 0.999)
    assert low - 1e-12 <= mean <= high + 1e-12


@some
@given(kappas=kappas_of, weights=weights_of, clip=st.floats(0.5, 0.999))
def test_every_capped_group_is_counted(kappas, weights, clip):
    found = mean_of(kappas, weights, clip=clip)
    assert found.n_clipped == (abs(kappas) > clip).sum()
    assert abs(found.estimate) <= clip + 1e-12


@some
@given(kappas=kappas_of, weights=weights_of, where=st.integers(0, 6))
def test_an_undefined_group_is_left_out(kappas, weights, where):
    where = min(where, len(kappas))
    more = np.insert(kappas, where, np.nan)
    shares = np.insert(weights[: len(kappas)], where, 5.0)
    error = np.full(len(more), 0.1)
    found = weighted_fisher_mean(more, shares, se_fisher_z=error)
    expected = mean_of(kappas, weights, se_fisher_z=error[1:])
    assert found == expected._replace(n_undefined=1)


@some
@given(kappas=kappas_of, weights=weights_of, where=st.integers(0, 6))
def test_a_group_without_weight_is_left_out(kappas, weights, where):
    """Even if it is perfect, or has no standard error."""
    where = min(where, len(kappas))
    more = np.insert(kappas, where, 1.0)
    shares = np.insert(weights[: len(kappas)], where, 0.0)
    error = np.insert(np.full(len(kappas), 0.1), where, np.nan)
    found = weighted_fisher_mean(more, shares, se_fisher_z=error, clip=None)
    expected = mean_of(kappas, weights, se_fisher_z=error[error > 0], clip=None)
    assert_array_equal(found, expected)


# --- Numerical truth ---------------------------------------------------------------------


@some
@given(kappas=inside, weights=weights_of, data=st.data())
def test_the_definition(kappas, weights, data):
    """The mean of independent z: variances add up with the squares of the weights."""
    error = data.draw(arrays(np.float64, len(kappas), elements=st.floats(0.01, 2)))
    shares = [w / sum(weights[: len(kappas)]) for w in weights[: len(kappas)]]
    z = sum(w * 0.5 * np.log((1 + k) / (1 - k)) for w, k in zip(shares, kappas, strict=True))
    se = sum((w * e) ** 2 for w, e in zip(shares, error, strict=True)) ** 0.5
    found = mean_of(kappas, weights, se_fisher_z=error, level=0.9)
    assert_allclose(found.estimate, np.tanh(z), atol=1e-12)
    assert_allclose(found.se_fisher_z, se, rtol=1e-9)
    half = stats.norm.ppf(0.95) * se
    assert_allclose([found.ci_low, found.ci_high], np.tanh([z - half, z + half]), atol=1e-9)
    assert found.n_groups == len(kappas)


# --- Edges -------------------------------------------------------------------------------


@each(
    ("kappas", "weights"),
    [([], []), ([np.nan, np.nan], [1, 2]), ([0.3, 0.4], [0, 0]), ([np.nan, 0.4], [1, 0])],
)
@each("clip", [0.999, None])
def test_no_group_has_no_mean(kappas, weights, clip):
    error = np.full(len(kappas), 0.1)
    found = mean_of(kappas, weights, se_fisher_z=error, clip=clip)
    assert np.isnan([found.estimate, found.se_fisher_z, found.ci_low, found.ci_high]).all()
    assert found.n_groups == found.n_clipped == 0
    assert found.n_undefined == np.isnan(kappas).sum()


def test_an_unknown_error_of_one_group_is_unknown_for_the_mean():
    found = mean_of([0.3, 0.4], se_fisher_z=np.array([0.1, np.nan]))
    assert not np.isnan(found.estimate)
    assert np.isnan([found.se_fisher_z, found.ci_low, found.ci_high]).all()


@each(("kappas", "expected"), [([1, 0.2], 1.0), ([-1, 0.2], -1.0), ([1, -1], np.nan), ([1], 1.0)])
def test_without_a_cap_one_perfect_group_decides(kappas, expected):
    found = mean_of(kappas, clip=None, se_fisher_z=np.full(len(kappas), 0.1))
    assert_array_equal(found.estimate, expected)
    assert found.n_clipped == 0
