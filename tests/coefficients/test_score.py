"""Score limits: where the statistic, with the variance of the hypothesis, meets a quantile."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import pdkappa
from conftest import each
from pdkappa.coefficients.score_limits import Agreeing, Proportion, root_between

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")


def one(*values):
    return (np.array([float(value)]) for value in values)


@given(
    n=st.integers(3, 500),
    varied=st.floats(0.05, 0.9),
    at_chance=st.floats(0.01, 2),
    slope=st.floats(0, 1),
    shared=st.floats(0, 2),
    estimate=st.floats(-0.4, 1),
    se=st.floats(0, 0.3),
)
def test_the_limits_enclose_what_is_not_rejected(
    n, varied, at_chance, slope, shared, *, estimate, se
):
    """Brute force: every coefficient on a fine grid is tested."""
    model = Agreeing(*one(n, varied, at_chance, slope, min(shared, 2 * slope)))
    score = model.score(*one(estimate, se))
    low, high = (limit.item() for limit in score.limits(0.95))
    grid = np.linspace(-3, 0.9999, 400)
    kept = np.array([score.test(null)[1].item() >= 0.05 for null in grid])
    near = (np.abs(grid - low) < 1e-6) | (np.abs(grid - high) < 1e-6)
    assert (kept == ((grid >= low) & (grid <= high)))[~near].all()
    for null in (low, high):
        if -1 < null < 0.9999 and abs(null - estimate) > 1e-6:
            assert_allclose(score.test(null)[1], 0.05, rtol=1e-4)


def test_roots_are_found_whatever_else_is_searched():
    def cubic(x, which):
        return x**3 - np.array([0.1, 0.5, 2.0])[which]

    inside, outside = np.zeros(3), np.full(3, 2.0)
    found = root_between(cubic, inside, outside)
    assert_allclose(found, np.cbrt([0.1, 0.5, 2.0]), rtol=1e-12)
    alone = root_between(lambda x, _: x**3 - 0.5, np.zeros(1), np.full(1, 2.0))
    assert alone[0] == found[1]


@given(share=st.floats(0.05, 0.95), kappa=st.floats(0, 0.99))
def test_two_categories_have_the_variance_of_bloch_and_kraemer(share, kappa):
    """Bloch, D. A., & Kraemer, H. C. (1989), Biometrics 45, 269: of the intraclass kappa."""
    mixed = share * (1 - share)
    slope = 2 * mixed * (1 - 2 * share) ** 2 / (2 * mixed) ** 2
    model = Agreeing(*one(1, 2 * mixed, 1, slope, 2 * slope))
    inner = (1 - kappa) * (1 - 2 * kappa) + kappa * (2 - kappa) / (2 * mixed)
    assert_allclose(model.variance(kappa), (1 - kappa) * inner, rtol=1e-9)


@each("n_raters", [2, 3, 5])
@each("weights", [None, "linear", "quadratic"])
def test_the_variance_is_that_of_raters_who_agree_or_guess(weights, n_raters):
    """Simulated: the spread of Fleiss' kappa over 4,000 samples of 150 items."""
    rng = np.random.default_rng(11)
    shares, n, samples = np.array([0.5, 0.3, 0.2]), 150, 1500
    for kappa in (0.0, 0.6):
        same = rng.choice(3, size=(samples * n, 1), p=shares)
        ratings = rng.choice(3, size=(samples * n, n_raters), p=shares)
        ratings = np.where(rng.random((samples * n, 1)) < kappa, same, ratings)
        names = list("abcde")[:n_raters]
        data = pd.DataFrame(ratings, columns=names).assign(s=np.arange(samples).repeat(n))
        options = {"by": "s", "coefficients": ["fleiss"], "ci": "score"}
        found = data.kappa.agreement(names, weights=weights, **options)
        covered = found["ci_low"].le(kappa) & found["ci_high"].ge(kappa)
        assert 0.93 < covered.mean() < 0.985


@each("coefficient", ["cohen", "scott", "krippendorff"])
@each("weights", [None, "linear", "quadratic"])
def test_the_test_of_chance_is_the_published_one(coefficient, weights):
    """SAS, statsmodels and irr divide by the standard error at the table of chance."""
    ratings = pdkappa.datasets.load_essays().query("essay_set == 1")
    low = ratings["human_1"].min()
    other = ratings[["human_1", "human_2"]].apply(lambda one: one.clip(low + 2, low + 4) - low)
    found = other.kappa.pairs(coefficient=coefficient, weights=weights, ci="score").iloc[0]
    from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import WEIGHTS, Scale

    counts = PairCounts.from_tables(pd.crosstab(*(other[name] for name in other)).to_numpy())
    scale = Scale(WEIGHTS[weights], np.arange(3.0)[None], np.ones((1, 3), dtype=bool))
    agreement = chance_corrected(counts, scale, COEFFICIENTS[coefficient])
    assert_allclose(found["z"], agreement.estimate / agreement.se_null, rtol=1e-12)


@given(n=st.integers(2, 300), wrong=st.integers(0, 300), level=st.sampled_from([0.8, 0.95]))
def test_percent_agreement_has_the_limits_of_wilson(n, wrong, level):
    from statsmodels.stats.proportion import proportion_confint

    wrong = min(wrong, n)
    data = pd.DataFrame({"a": np.zeros(n), "b": np.arange(n) < wrong}).astype(int)
    data.loc[n, :] = 1  # so that there are two categories
    found = data.kappa.pairs(coefficient="percent", confidence_level=level).iloc[0]
    expected = proportion_confint(n + 1 - wrong, n + 1, alpha=1 - level, method="wilson")
    assert_allclose(found[["ci_low", "ci_high"]].astype(float), expected, rtol=1e-9, atol=1e-12)


def test_an_impossible_share_is_rejected():
    some = Proportion.of(*one(0.8, 0.1, 50, 0.5))
    assert some.test(-1.5)[1] == 0
