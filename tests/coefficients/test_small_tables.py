"""Fisher's z of small tables: the numerical truth of its bias, and what intervals are worth."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients import means_over_groups as small_tables
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.means_over_groups import (
    fixed_effect,
    heterogeneity,
    paule_mandel,
    random_effects,
    weighted_fisher_mean,
)
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.resampling import PairSample
from pdkappa.coefficients.weights import WEIGHTS, Scale

LEVEL = 0.95
NEAR = np.array([[0.48, 0.05, 0.02, 0], [0.05, 0.12, 0.04, 0.01], [0, 0.05, 0.08, 0.03]])
SKEWED = np.vstack([NEAR, [0, 0.01, 0.02, 0.04]])
EVEN = 0.83 * np.eye(3) / 3 + 0.17 / 9


def scale_of(weights, k):
    return Scale(WEIGHTS[weights], np.arange(float(k))[None], np.ones((1, k), dtype=bool))


def pooled(table, weights, n_groups, n_samples, rng):
    """Draw samples of groups of 20 to 60 items: true z, effects and estimates of each."""
    scale, cohen = scale_of(weights, len(table)), COEFFICIENTS["cohen"]
    needed = frozenset({"centre", "se_fisher_z"})
    truth = summarise(PairCounts.from_tables(table), scale, cohen, ci="wald", level=LEVEL)
    sizes = np.tile(np.linspace(20, 60, n_groups).astype(int), n_samples)
    counts = rng.multinomial(sizes, table.ravel() / table.sum()).reshape(-1, *table.shape)
    pairs = PairCounts.from_tables(counts)
    found = summarise(pairs, scale, cohen, ci="wald", level=LEVEL, needed=needed)
    moments = small_tables.moments(pairs, scale, cohen)
    for sample in np.arange(len(sizes)).reshape(n_samples, n_groups):
        own = (getattr(found, name)[sample] for name in ("estimate", "se", "n_items", "worst"))
        parts = small_tables.Moments(*(one[sample] for one in moments))
        effects = small_tables.effects(*own, parts)
        yield float(truth.estimate[0]), effects, found.estimate[sample]


@each("name", [name for name in COEFFICIENTS if name != "krippendorff"])
def test_the_bias_is_that_of_the_jackknife(name):
    """Alpha has a factor of its own for small samples, which is held fixed."""
    table = np.rint(SKEWED * 4000).astype(int)
    for weights in (None, "quadratic"):
        scale, counts = scale_of(weights, 4), PairCounts.from_tables(table)
        sample = PairSample(counts, scale, COEFFICIENTS[name])
        n, estimate = table.sum(), sample.estimates(counts.count[None]).item()
        left = np.average(sample.left_out()[:, 0] - estimate, weights=counts.count)
        found = small_tables.moments(counts, scale, COEFFICIENTS[name])
        assert_allclose(found.bias, n * (n - 1) * left, rtol=2e-3, atol=1e-6)
        se = summarise(counts, scale, COEFFICIENTS[name], ci="wald", level=LEVEL).se
        assert_allclose(found.variance, n * se**2, rtol=1e-9)


@each(("table", "weights"), [(EVEN, None), (SKEWED, "quadratic")])
def test_thirty_small_groups_are_covered_and_equal(table, weights):
    """Each of these fell short by far with variances that depend on the group's own estimate."""
    hits = []
    for kappa, effects, estimate in pooled(table, weights, 30, 300, np.random.default_rng(5)):
        z, se = effects.z, np.sqrt(effects.common)
        tau2, ones = paule_mandel(z, se), np.ones(30)
        own = np.sqrt(effects.variance)
        means = (
            fixed_effect(z, se, level=LEVEL),
            random_effects(z, se, tau2, level=LEVEL),
            weighted_fisher_mean(estimate, ones, se_fisher_z=own, unbiased_z=z, level=LEVEL),
        )
        p = heterogeneity(z, se, tau2).p_value
        hits.append([*(one.ci_low <= kappa <= one.ci_high for one in means), p > 0.05])
    assert (np.mean(hits, axis=0) > 0.92).all()


def test_groups_that_all_agree_have_finite_z():
    """They are taken to miss half of the largest disagreement."""
    table = np.diag([10, 6, 4])[None]
    counts, scale = PairCounts.from_tables(np.repeat(table, 2, axis=0)), scale_of(None, 3)
    found = summarise(counts, scale, COEFFICIENTS["cohen"], ci="wald", level=LEVEL)
    moments = small_tables.moments(counts, scale, COEFFICIENTS["cohen"])
    figures = found.estimate, found.se, found.n_items, found.worst
    effects = small_tables.effects(*figures, moments)
    one = 1 / (1 - found.expected_agreement[0])
    inner = 20 / (20 + one)
    left = one / 2 * inner / (1 - inner**2) / 20
    assert_allclose(effects.z, np.arctanh(20 / (20 + one / 2)) + left)
    assert_allclose(effects.variance, (one / 20) ** 2 / (1 - inner**2) ** 2)
    assert_allclose(effects.common, effects.variance)
    assert (effects.raw > 0).all()


def test_no_group_has_no_effect():
    nothing = np.array([])
    moments = small_tables.Moments(*[nothing] * 4)
    assert not len(small_tables.effects(nothing, nothing, nothing, nothing, moments).z)
