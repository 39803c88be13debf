"""The Fisher-z weighted mean: the essay-set scorer, meta-analysis, and its laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, stats
from statsmodels.stats import meta_analysis

from conftest import each, scale_of
from pdkappa.coefficients import means_over_groups as small_tables
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.means_over_groups import (
    dersimonian_laird,
    fixed_effect,
    heterogeneity,
    paule_mandel,
    random_effects,
    weighted_fisher_mean,
)
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.resampling import PairSample
from pdkappa.coefficients.weights import WEIGHTS

kappas_of = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1, 1))
weights_of = arrays(np.float64, 6, elements=st.floats(1e-3, 1e3))
inside = arrays(np.float64, st.integers(1, 6), elements=st.floats(-0.99, 0.99))


def mean_of(kappas, weights=None, **options):
    """Average, with equal weights if none are given."""
    kappas = np.asarray(kappas, dtype=float)
    weights = np.ones(len(kappas)) if weights is None else np.asarray(weights, dtype=float)
    return weighted_fisher_mean(kappas, weights[: len(kappas)], **options)


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


@given(kappas=kappas_of, weights=weights_of, clip=st.floats(0.5, 0.999))
def test_every_capped_group_is_counted(kappas, weights, clip):
    found = mean_of(kappas, weights, clip=clip)
    assert found.n_clipped == (abs(kappas) > clip).sum()
    assert abs(found.estimate) <= clip + 1e-12


@given(kappas=kappas_of, weights=weights_of, where=st.integers(0, 6))
def test_an_undefined_group_is_left_out(kappas, weights, where):
    where = min(where, len(kappas))
    more = np.insert(kappas, where, np.nan)
    shares = np.insert(weights[: len(kappas)], where, 5.0)
    error = np.full(len(more), 0.1)
    found = weighted_fisher_mean(more, shares, se_fisher_z=error)
    expected = mean_of(kappas, weights, se_fisher_z=error[1:])
    assert found == expected._replace(n_undefined=1)


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


LEVEL = 0.95
# Thirteen trials of the BCG vaccine (Colditz et al., 1994): cases and others, vaccinated and
# not. The effects are log risk ratios.
BCG = np.array(
    [
        [4, 119, 11, 128],
        [6, 300, 29, 274],
        [3, 228, 11, 209],
        [62, 13536, 248, 12619],
        [33, 5036, 47, 5761],
        [180, 1361, 372, 1079],
        [8, 2537, 10, 619],
        [505, 87886, 499, 87892],
        [29, 7470, 45, 7232],
        [17, 1699, 65, 1600],
        [186, 50448, 141, 27197],
        [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ]
).T


def log_risk_ratios():
    """Effects and standard errors of the trials."""
    cases, others, cases_0, others_0 = BCG
    treated, control = cases + others, cases_0 + others_0
    effect = np.log(cases / treated) - np.log(cases_0 / control)
    return effect, np.sqrt(1 / cases - 1 / treated + 1 / cases_0 - 1 / control)


@st.composite
def groups(draw, smallest=2):
    """Draw z of groups that differ more than by chance, or less, and their standard errors."""
    n = draw(st.integers(smallest, 9))
    se = draw(arrays(np.float64, n, elements=st.floats(0.02, 0.3)))
    z = draw(arrays(np.float64, n, elements=st.floats(-1.5, 2.5)))
    return z * draw(st.sampled_from([0.05, 1.0])), se


def q_of(z, se, tau2):
    """Cochran's Q with a variance between groups, written out."""
    w = [1 / (s * s + tau2) for s in se]
    mean = sum(a * b for a, b in zip(w, z, strict=True)) / sum(w)
    return sum(a * (b - mean) ** 2 for a, b in zip(w, z, strict=True))


def test_the_vaccine_trials():
    """R metafor, rma() with method="EE" and "DL", without and with test="knha": four digits.

    Figures of W. Viechtbauer's pages that redo Borenstein et al. (2009), and of metafor's tests
    against Stata. They have no Paule-Mandel estimate, which is held to its equation below.
    """
    effect, se = log_risk_ratios()
    tau2 = dersimonian_laird(effect, se)
    assert_allclose(tau2, 0.3088, atol=5e-5)
    fixed = fixed_effect(effect, se, level=LEVEL)
    assert_allclose([np.arctanh(fixed.estimate), fixed.se_fisher_z], [-0.4303, 0.0405], atol=5e-5)
    limits = np.arctanh([fixed.ci_low, fixed.ci_high])
    assert_allclose(limits, [-0.5097, -0.3509], atol=6e-5)
    found = heterogeneity(effect, se, tau2)
    assert_allclose([found.q, found.i2], [152.2330, 0.9212], atol=5e-5)
    # The Q profiles of metafor's confint(), whatever tau2 is estimated by.
    limits = [found.tau2_low, found.tau2_high, found.i2_low, found.i2_high]
    assert_allclose(limits, [0.1197, 1.1115, 0.8192, 0.9768], atol=5e-5)
    random = random_effects(effect, se, tau2, level=LEVEL)
    figures = [random.estimate, random.ci_low, random.ci_high]
    assert_allclose(np.arctanh(figures), [-0.7141, -1.1078, -0.3204], atol=6e-5)
    assert_allclose(random.se_fisher_z, 0.1807, atol=5e-5)


METAFOR = """
suppressMessages(library(metafor))
for (set in unique(groups$set)) {
    one <- groups[groups$set == set, ]
    fit <- function(...) rma(one$z, sei = one$se, ..., control = list(tol = 1e-12, maxiter = 1000))
    fixed <- fit(method = "EE")
    tell(paste0("fixed", set), fixed$b, fixed$se, fixed$ci.lb, fixed$ci.ub, fixed$QE, fixed$QEp)
    for (method in c("PM", "DL")) {
        found <- suppressWarnings(fit(method = method, test = "adhoc"))
        tell(paste0(method, set), found$tau2, found$b, found$se, found$ci.lb, found$ci.ub)
    }
    limits <- confint(found, control = list(tol = 1e-12))$random
    tell(paste0("limits", set), limits[1, 2:3], limits[3, 2:3] / 100)
}
"""


@pytest.mark.r
def test_metafor_pools_alike(run_r):
    """Groups that differ less than by chance, and more: the guard, Q profiles, both tau2."""
    rng = np.random.default_rng(8)
    sizes = (3, 8, 8, 30, 30, 30)
    sets = []
    for number, (n, tau) in enumerate(zip(sizes, (0, 0, 0.3, 0, 0.1, 0.3), strict=True)):
        se = rng.uniform(0.05, 0.3, n)
        z = 0.9 + rng.normal(0, np.hypot(se, tau) * (1 if tau else 0.7))
        sets.append(pd.DataFrame({"set": number, "z": z, "se": se}))
    theirs = run_r(METAFOR, groups=pd.concat(sets))
    for number, one in enumerate(sets):
        z, se = one["z"].to_numpy(), one["se"].to_numpy()
        fixed, found = fixed_effect(z, se, level=LEVEL), heterogeneity(z, se, 0.0)
        limits = np.arctanh([fixed.ci_low, fixed.ci_high])
        ours = [np.arctanh(fixed.estimate), fixed.se_fisher_z, *limits, found.q, found.p_value]
        assert_allclose(ours, theirs[f"fixed{number}"], rtol=1e-6)
        for method, estimator in (("PM", paule_mandel), ("DL", dersimonian_laird)):
            tau2 = estimator(z, se)
            mean = random_effects(z, se, tau2, level=LEVEL)
            figures = np.arctanh([mean.estimate, mean.ci_low, mean.ci_high])
            ours = [tau2, figures[0], mean.se_fisher_z, *figures[1:]]
            assert_allclose(ours, theirs[f"{method}{number}"], rtol=1e-6, atol=1e-9)
        ours = [found.tau2_low, found.tau2_high, found.i2_low, found.i2_high]
        assert_allclose(ours, theirs[f"limits{number}"], rtol=1e-5, atol=1e-7)


@pytest.mark.oracle
@given(groups=groups())
def test_statsmodels_combines_alike(groups):
    """To 1e-12 wherever statsmodels' tau2 is not negative, which it lets DerSimonian's be."""
    z, se = groups
    with np.errstate(divide="ignore", invalid="ignore"):  # the root of a negative variance
        theirs = meta_analysis.combine_effects(z, se**2, method_re="dl")
    ours = fixed_effect(z, se, level=LEVEL)
    assert_allclose(np.arctanh(ours.estimate), theirs.mean_effect_fe, rtol=1e-12, atol=1e-12)
    assert_allclose(ours.se_fisher_z, theirs.sd_eff_w_fe, rtol=1e-12)
    tau2 = dersimonian_laird(z, se)
    found = heterogeneity(z, se, tau2)
    assert_allclose(found.q, theirs.q, rtol=1e-9, atol=1e-9)
    # One less p grows with the root of Q, be Q a rounding error.
    assert_allclose(found.p_value, theirs.test_homogeneity().pvalue, rtol=1e-7, atol=1e-4)
    if theirs.tau2 < 0:
        assert tau2 == 0
        return
    assert_allclose(tau2, theirs.tau2, rtol=1e-9, atol=1e-12)
    random = random_effects(z, se, theirs.tau2, level=LEVEL)
    assert_allclose(np.arctanh(random.estimate), theirs.mean_effect_re, rtol=1e-12, atol=1e-12)
    error = max(theirs.sd_eff_w_re_hksj, theirs.sd_eff_w_re)  # the guard, which it lacks
    assert_allclose(random.se_fisher_z, error, rtol=1e-12)


@given(groups=groups())
def test_paule_mandel_solves_its_equation(groups):
    """It is the root of Q(tau2) = G - 1, or 0 where Q is below that already.

    statsmodels stops at a tolerance of 1e-5, and starts anew from 0 with a smaller one.
    """
    z, se = groups
    tau2 = paule_mandel(z, se)
    n = len(z)
    if q_of(z, se, 0.0) <= n - 1:
        assert tau2 == 0
        return
    root = optimize.brentq(lambda t: q_of(z, se, t) - (n - 1), 0, 100, xtol=1e-15, rtol=1e-14)
    assert_allclose(tau2, root, rtol=1e-9, atol=1e-13)


@given(groups=groups(smallest=3), tau2=st.floats(0, 2), level=st.sampled_from([0.8, 0.95]))
def test_the_definition_of_effects(groups, tau2, level):
    z, se = groups
    n, w = len(z), 1 / (se**2 + tau2)
    mean = (w * z).sum() / w.sum()
    found = random_effects(z, se, tau2, level=level)
    assert_allclose(np.arctanh(found.estimate), mean, rtol=1e-9, atol=1e-9)
    error = np.sqrt(max((w * (z - mean) ** 2).sum() / (n - 1), 1) / w.sum())
    assert_allclose(found.se_fisher_z, error, rtol=1e-9)
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    assert_allclose([found.ci_low, found.ci_high], np.tanh([mean - half, mean + half]), atol=1e-9)
    half = stats.t.ppf((1 + level) / 2, n - 2) * np.sqrt(tau2 + error**2)
    predicted = [found.prediction_low, found.prediction_high]
    assert_allclose(predicted, np.tanh([mean - half, mean + half]), atol=1e-9)


@given(groups=groups(), shift=st.floats(-1, 1))
@example(groups=(np.array([0.0, 4e-161]), np.array([0.1, 0.1])), shift=1.5e-145)  # Q is denormal
def test_a_common_shift_changes_no_difference(groups, shift):
    z, se = groups
    assert_allclose(paule_mandel(z + shift, se), paule_mandel(z, se), rtol=1e-6, atol=1e-9)
    q, moved = (heterogeneity(one, se, 0.0).q for one in (z, z + shift))
    assert_allclose(moved, q, rtol=1e-6, atol=1e-6)


@given(groups=groups())
def test_heterogeneity_is_a_share(groups):
    found = heterogeneity(*groups, paule_mandel(*groups))
    assert 0 <= found.i2 < 1
    assert 0 <= found.p_value <= 1
    assert (found.tau2 == 0) == (found.df >= found.q)
    assert 0 <= found.tau2_low <= found.tau2 <= found.tau2_high
    for tau2, share in ((found.tau2_low, 0.975), (found.tau2_high, 0.025)):
        q = stats.chi2.ppf(share, found.df)
        assert tau2 == 0 or q_of(*groups, tau2) == pytest.approx(q, rel=1e-6)
        assert tau2 > 0 or q_of(*groups, 0.0) <= q * (1 + 1e-9)


def test_one_group_says_nothing_of_differences():
    z, se = np.array([0.5]), np.array([0.1])
    found = random_effects(z, se, np.nan, level=LEVEL)
    assert found.estimate == np.tanh(0.5)
    assert np.isnan(found[1:4]).all()
    assert found.reason == "one_group"
    assert fixed_effect(z, se, level=LEVEL).se_fisher_z == pytest.approx(0.1)
    differs = heterogeneity(z, se, np.nan)
    assert differs.df == 0
    assert np.isnan([differs.q, differs.p_value, differs.i2, differs.tau2]).all()
    assert np.isnan([paule_mandel(z, se), dersimonian_laird(z, se)]).all()


def test_two_groups_predict_no_third():
    found = random_effects(np.array([0.5, 0.9]), np.array([0.1, 0.1]), 0.05, level=LEVEL)
    assert not np.isnan([found.ci_low, found.ci_high]).any()
    assert np.isnan([found.prediction_low, found.prediction_high]).all()


def test_no_group_has_neither_mean():
    nothing = np.array([])
    for found in (
        fixed_effect(nothing, nothing, level=LEVEL),
        random_effects(nothing, nothing, np.nan, level=LEVEL),
    ):
        assert np.isnan(found[:4]).all()
        assert (found.n_groups, found.reason) == (0, "no_items")


@each("times", [0.4, 0.8, 0.95, 1.05, 3.0])
def test_groups_that_differ_less_than_by_chance_are_expected_to_do_not_differ(times):
    """Q is `times` its degrees of freedom, between which the share begins."""
    z, se = np.array([0.1, 0.2, 0.4, 0.8]), np.full(4, 0.1)
    spread = np.sqrt(((z - z.mean()) ** 2).sum() / 3 / times)
    found = heterogeneity(z, se / 0.1 * spread, 0.0)
    assert_allclose([found.q, found.i2], [3 * times, max(1 - 1 / times, 0)], rtol=1e-12)


NEAR = np.array([[0.48, 0.05, 0.02, 0], [0.05, 0.12, 0.04, 0.01], [0, 0.05, 0.08, 0.03]])
SKEWED = np.vstack([NEAR, [0, 0.01, 0.02, 0.04]])
EVEN = 0.83 * np.eye(3) / 3 + 0.17 / 9


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


@each("name", [*COEFFICIENTS])
@each("weights", [*WEIGHTS, 1 - np.eye(4)])
def test_what_is_expected_of_cells_is_that_of_margins_of_one_category(name, weights):
    counts = PairCounts.from_tables(np.stack([SKEWED, SKEWED.T]) * 4000 // 1)
    scale, model, n = scale_of(weights, 4), COEFFICIENTS[name], counts.total
    apart = scale.between(counts.table, counts.row, counts.col)
    one = (np.eye(4)[side] for side in (counts.row, counts.col))
    expected = model.chance(*one, scale, n[counts.table]).expected
    found = small_tables.expected_of_cells(counts, apart, scale, model, n)
    assert_allclose(found, expected, rtol=1e-12)


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
    assert_allclose(effects.raw, effects.common * (1 - inner**2) ** 2)


def test_no_group_has_no_effect():
    nothing = np.array([])
    moments = small_tables.Moments(*[nothing] * 4)
    assert not len(small_tables.effects(nothing, nothing, nothing, nothing, moments).z)


@each("se", [np.nan, np.inf])
def test_groups_without_an_error_say_nothing_of_how_far_they_differ(se):
    """Beside others in one array, and alone."""
    z, errors = np.array([[0.5, 0.1], [0.2, 0.3]]), np.array([[0.1, 0.1], [se, se]])
    for found in (heterogeneity(z, errors, 0.0), heterogeneity(z[1], errors[1], 0.0)):
        unknown = [np.atleast_1d(one)[-1] for name, one in found._asdict().items() if name != "df"]
        assert np.isnan(np.array(unknown, dtype=float)).all()
    assert heterogeneity(z, errors, 0.0).q[0] == pytest.approx(8)
