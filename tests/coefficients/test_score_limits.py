"""Score limits: where the statistic, with the variance of the hypothesis, meets a quantile."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import pdkappa
from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.intervals import GoodnessOfFit, agreeing_by
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.score_limits import (
    Agreeing,
    Proportion,
    design_effect,
    root_between,
    wilson,
)
from pdkappa.coefficients.weights import WEIGHTS, Scale

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


def test_the_variance_is_the_linearised_one_at_the_estimate_and_that_of_chance_at_zero():
    model = Agreeing(*one(1e9, 0.5, 0.8, 0.3, 0.2))
    own = {null: model.variance(null).item() for null in (-0.5, 0.0, 0.3, 0.6)}
    score = model.score(*one(0.6, 1.5 * np.sqrt(own[0.6] / 1e9)))
    ratios = [score.variance(null).item() / own[null] for null in own]
    assert_allclose(ratios, [1, 1, 1.5, 1.5**2], rtol=1e-6)


@each(("n", "varied"), [(20, 0.25), (10, 0.5), (500, 0.01)])
def test_of_five_disagreements_by_chance_half_of_the_misfit_is_believed(n, varied):
    model = Agreeing(*one(n, varied, 0.8, 0.3, 0.2))
    score = model.score(*one(0.6, np.sqrt(2 * model.variance(0.6).item() / n)))
    assert_allclose(score.fit, np.log(2) / 2, rtol=1e-12)


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


@each("weights", [None, "linear", "quadratic"])
def test_how_the_expected_disagreement_of_guessed_ratings_varies(weights):
    """By definition: that of a rating is its mean disagreement with those of the other rater."""
    table = np.array([[20, 3, 1], [5, 8, 2], [0, 2, 19]])
    counts = PairCounts.from_tables(table)
    scale = Scale(WEIGHTS[weights], np.arange(3.0)[None], np.ones((1, 3), dtype=bool))
    cohen = COEFFICIENTS["cohen"]
    model = agreeing_by(chance_corrected(counts, scale, cohen), counts, scale, cohen).model
    rows, columns, d = table.sum(axis=1) / 60, table.sum(axis=0) / 60, scale.matrix()
    chance = rows @ d @ columns
    of_ratings = rows @ (d @ columns - chance) ** 2 + columns @ (rows @ d - chance) ** 2
    assert_allclose(model.slope, of_ratings / chance**2, rtol=1e-12)
    assert_allclose(model.shared, 2 * model.slope)


@each("coefficient", ["cohen", "scott", "krippendorff"])
@each("weights", [None, "linear", "quadratic"])
def test_the_test_of_chance_is_the_published_one(coefficient, weights):
    """SAS, statsmodels and irr divide by the standard error at the table of chance."""
    ratings = pdkappa.datasets.load_essays().query("essay_set == 1")
    low = ratings["human_1"].min()
    other = ratings[["human_1", "human_2"]].apply(lambda one: one.clip(low + 2, low + 4) - low)
    found = other.kappa.pairs(coefficient=coefficient, weights=weights, ci="score").iloc[0]
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


counts = st.tuples(*[st.integers(0, 30)] * 4)


def chi_squared(table, kappa):
    """Compare the numbers of items in both, one and neither with those of a common kappa."""
    (both, first), (second, neither) = table
    n = both + first + second + neither
    share = (2 * both + first + second) / (2 * n)
    mixed = share * (1 - share)
    expected = n * np.array(
        [share**2 + kappa * mixed, 2 * mixed * (1 - kappa), (1 - share) ** 2 + kappa * mixed]
    )
    return ((np.array([both, first + second, neither]) - expected) ** 2 / expected).sum()


def ratings(table):
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(np.ravel(table), axis=1)
    return _frame(a, b).kappa.pairs(coefficient="scott", ci="score").iloc[0]


def _frame(a, b):
    import pandas as pd

    return pd.DataFrame({"a": a, "b": b})


@given(cells=counts)
def test_the_limits_of_scotts_pi_solve_the_equation(cells):
    table = np.reshape(cells, (2, 2))
    n = table.sum()
    share = (2 * table[0, 0] + table[0, 1] + table[1, 0]) / max(2 * n, 1)
    if n < 2 or share in (0, 1):
        return
    found = ratings(table)
    for limit in found[["ci_low", "ci_high"]]:
        if -1 < limit < 1 and abs(limit - found["estimate"]) > 1e-9:
            assert_allclose(chi_squared(table, limit), 3.841458820694124, rtol=1e-6)
    assert_allclose(found["z"] ** 2, chi_squared(table, 0.0), rtol=1e-9, atol=1e-9)


@given(cells=counts)
def test_a_raised_share_of_agreement_is_within_its_limits(cells):
    """Cohen's kappa and alpha lie above Scott's pi, and so do their limits."""
    table = np.reshape(cells, (2, 2))
    if table.sum() < 2 or ((table.sum(axis=0) > 0).sum() < 2 and (table.sum(axis=1) > 0).sum() < 2):
        return
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(np.ravel(table), axis=1)
    found = {
        c: _frame(a, b).kappa.pairs(coefficient=c, ci="score").iloc[0] for c in ("scott", "cohen")
    }
    for column in ("estimate", "ci_low", "ci_high"):
        if not np.isnan(found["cohen"][column]):
            assert found["cohen"][column] >= found["scott"][column] - 0.35
    assert found["cohen"]["ci_low"] <= found["cohen"]["estimate"] <= found["cohen"]["ci_high"]


@each(
    ("first", "second", "kappa", "n", "least"),
    [
        (0.1, 0.1, 0.33, 20, 0.96),
        (0.02, 0.02, 0.6, 75, 0.96),
        (0.02, 0.02, 0.2, 75, 0.93),
        (0.05, 0.15, 0.4, 20, 0.96),
        (0.3, 0.45, 0.5, 40, 0.93),
        (0.1, 0.6, 0.1, 400, 0.93),
    ],
)
def test_rare_categories_and_unequal_margins_are_covered(first, second, kappa, n, least):
    excess = kappa * (first * (1 - second) + second * (1 - first)) / 2
    both = first * second + excess
    p = [1 - first - second + both, second - both, first - both, both]
    tables = np.random.default_rng(7).multinomial(n, p, size=1500)
    kinds = np.tile(np.indices((2, 2)).reshape(2, -1), len(tables))
    frame = _frame(*kinds).assign(w=tables.ravel(), sample=np.arange(len(tables)).repeat(4))
    found = frame.kappa.pairs(["a", "b"], by="sample", sample_weight="w", ci="score")
    found = found[found["estimate"].notna()]
    covered = found["ci_low"].le(kappa) & found["ci_high"].ge(kappa)
    assert least < covered.mean() < 0.995


def test_the_least_possible_kappa_is_not_rejected_by_itself():
    """One rater used a single category: no table with these shares has a smaller kappa."""
    found = _frame([0, 0, 0, 0, 1], [0, 0, 0, 0, 0]).kappa.pairs(ci="score").iloc[0]
    assert (found["estimate"], found["ci_low"], found["z"], found["p_value"]) == (0, 0, 0, 1)
    assert found["reason"] == "constant_rater"


def test_an_impossible_kappa_is_rejected():
    """With a share of 1/2 every kappa is possible, with one of 1/10 none below -1/9."""
    some = GoodnessOfFit(*(np.array([x]) for x in (0.5, 0.09, 50.0, 1.0, 1.0)))
    assert some.test(-0.2)[1] == 0
    assert some.test(-0.1)[1] > 0
    low, high = some.limits(0.95)
    assert -1 / 9 < low < 0.5 < high < 1


def test_a_share_of_nothing_has_no_limits():
    assert np.isnan(wilson(np.array([0.0, 0.5, 1.0]), 0, 1.96)).all()


def test_where_there_is_no_error_clusters_are_worth_an_item():
    se, independent = np.array([[0.2, 0.0, 0.2, 0.0, 0.01], [0.1, 0.1, 0.0, 0.0, 0.1]])
    found = design_effect(se, independent, np.full(5, 60.0), np.full(5, 20.0))
    assert_allclose(found, [4, 3, 3, 3, 0.25])
    assert np.isnan(design_effect(se, independent, np.full(5, 60.0), np.full(5, 1.9))).all()
