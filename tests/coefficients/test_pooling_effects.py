"""Fixed and random effects of groups: published values, statsmodels, laws, numerical truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import optimize, stats
from statsmodels.stats import meta_analysis

from pdkappa.coefficients.means_over_groups import (
    dersimonian_laird,
    fixed_effect,
    heterogeneity,
    paule_mandel,
    random_effects,
)

some = settings(max_examples=60)
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


# --- Values from elsewhere ---------------------------------------------------------------


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
@some
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
    assert_allclose(found.p_value, theirs.test_homogeneity().pvalue, rtol=1e-7, atol=1e-12)
    if theirs.tau2 < 0:
        assert tau2 == 0
        return
    assert_allclose(tau2, theirs.tau2, rtol=1e-9, atol=1e-12)
    random = random_effects(z, se, theirs.tau2, level=LEVEL)
    assert_allclose(np.arctanh(random.estimate), theirs.mean_effect_re, rtol=1e-12, atol=1e-12)
    error = max(theirs.sd_eff_w_re_hksj, theirs.sd_eff_w_re)  # the guard, which it lacks
    assert_allclose(random.se_fisher_z, error, rtol=1e-12)


# --- Numerical truth ---------------------------------------------------------------------


@some
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


@some
@given(groups=groups(smallest=3), tau2=st.floats(0, 2), level=st.sampled_from([0.8, 0.95]))
def test_the_definition(groups, tau2, level):
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


# --- Laws --------------------------------------------------------------------------------


@some
@given(groups=groups(), shift=st.floats(-1, 1))
@example(groups=(np.array([0.0, 4e-161]), np.array([0.1, 0.1])), shift=1.5e-145)  # Q is denormal
def test_a_common_shift_changes_no_difference(groups, shift):
    z, se = groups
    assert_allclose(paule_mandel(z + shift, se), paule_mandel(z, se), rtol=1e-6, atol=1e-9)
    q, moved = (heterogeneity(one, se, 0.0).q for one in (z, z + shift))
    assert_allclose(moved, q, rtol=1e-6, atol=1e-6)


@some
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


# --- Edges -------------------------------------------------------------------------------


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


def test_no_group_has_no_mean():
    nothing = np.array([])
    for found in (
        fixed_effect(nothing, nothing, level=LEVEL),
        random_effects(nothing, nothing, np.nan, level=LEVEL),
    ):
        assert np.isnan(found[:4]).all()
        assert (found.n_groups, found.reason) == (0, "no_items")
