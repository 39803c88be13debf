"""Rules for cut-points that are steadier than the best, and the choice among them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import isotonic_regression
from scipy.stats import norm

from conftest import each
from pdkappa.methods.predictions import cutpoint_search as cutrules
from pdkappa.methods.predictions.cutpoint_search import (
    RULES,
    Bins,
    Costs,
    Scored,
    draw_folds,
    find_cuts,
    kappa_of,
)

SCORES = np.arange(6.0)
APART = SCORES[:, None] - SCORES
QUADRATIC = Costs(APART**2, SCORES)
COSTS = {
    "quadratic": QUADRATIC,
    "linear": Costs(np.abs(APART)),
    "nominal": Costs(1 - np.eye(6)),
    "asymmetric": Costs(np.where(APART > 0, 3 * APART, -APART)),
}
every_cost = each("costs", COSTS.values())
every_rule = each("rule", RULES)


def drawn(rng, n, *, ties=False):
    """Draw normal scores and classes with the correlation .75."""
    z = rng.normal(size=n)
    truth = np.searchsorted([-1.2, -0.35, 0.45, 1.2, 1.9], z)
    score = 0.75 * z + np.sqrt(1 - 0.75**2) * rng.normal(size=n)
    return Scored.of(np.floor(4 * score) if ties else score, truth, np.ones(n), 6)


def kappa_at(items, cuts, costs):
    """Kappa of the predictions by some cuts."""
    return kappa_of(items.table(items.predicted(items.ends(cuts))), costs)


# --- curves ------------------------------------------------------------------------------------


def test_the_cubic_is_a_weighted_regression_on_normal_scores():
    rng = np.random.default_rng(1)
    items = drawn(rng, 300, ties=True)
    bins = Bins.of(items)
    middle = (np.cumsum(items.mass) - items.mass / 2) / 300
    powers = np.polynomial.Polynomial.fit(norm.ppf(middle)[items.group], items.truth, 3)
    found = cutrules._cubic(bins, SCORES[:, None], rng)[:, 0]
    assert_allclose(found, powers(norm.ppf(middle)), atol=1e-9)


def test_bags_average_isotonic_regressions(monkeypatch):
    """With the sample itself in every bag, it is the isotonic regression."""
    items = drawn(np.random.default_rng(2), 200, ties=True)

    class Same:
        def multinomial(self, n, share):
            return n * share

    fit = isotonic_regression(items.sums(SCORES) / items.mass, weights=items.mass).x
    found = cutrules._bagged(Bins.of(items), SCORES[:, None], Same())[:, 0]
    assert_allclose(found, fit, atol=1e-9)
    monkeypatch.setattr(cutrules, "N_BAGS", 400)
    found = cutrules._bagged(Bins.of(items), SCORES[:, None], np.random.default_rng(3))[:, 0]
    assert (np.diff(found) >= -1e-12).all()
    assert_allclose(found, fit, atol=0.4)


def test_bins_hold_about_the_same_weight_and_never_split_ties(monkeypatch):
    monkeypatch.setattr(cutrules, "MOST_BINS", 50)
    rng = np.random.default_rng(4)
    score = np.round(rng.exponential(size=2000), 2)
    items = Scored.of(score, rng.integers(0, 6, 2000), np.ones(2000), 6)
    bins = Bins.of(items)
    assert 30 <= len(bins.lowest) <= 50
    assert (bins.lowest <= bins.highest).all()
    assert (bins.highest[:-1] < bins.lowest[1:]).all()
    assert_array_equal(bins.table.sum(axis=0), items.margin)
    for low, high, mass in zip(bins.lowest, bins.highest, bins.mass, strict=True):
        assert ((score >= low) & (score <= high)).sum() == mass
    assert bins.mass.max() <= 2000 / 50 + items.mass.max()


# --- rules -------------------------------------------------------------------------------------


@every_cost
@every_rule
def test_every_rule_comes_near_the_best_with_many_items(rule, costs):
    rng = np.random.default_rng(6)
    known, fresh = drawn(rng, 20_000), drawn(rng, 100_000)
    most = kappa_at(fresh, RULES["exact"](fresh, costs, rng), costs)
    cuts = RULES[rule](known, costs, rng)
    assert (np.diff(cuts) >= 0).all()
    assert most - 0.012 <= kappa_at(fresh, cuts, costs) <= most + 1e-12


@every_rule
def test_smooth_rules_by_the_chain_are_those_of_the_closed_form(rule):
    """The cubic of the mean is that of the probabilities, where none has to be cut off."""
    rng = np.random.default_rng(7)
    items = drawn(rng, 5000, ties=True)
    closed = RULES[rule](items, QUADRATIC, np.random.default_rng(8))
    chain = RULES[rule](items, Costs(QUADRATIC.matrix), np.random.default_rng(8))
    assert abs(kappa_at(items, closed, QUADRATIC) - kappa_at(items, chain, QUADRATIC)) < 0.003


# --- cross-validation --------------------------------------------------------------------------


@each("n_folds", [2, 5, 10])
def test_folds_share_every_class_evenly(n_folds):
    rng = np.random.default_rng(10)
    truth = np.sort(rng.integers(0, 4, 203))
    fold = draw_folds(truth, n_folds, rng)
    counts = np.array([np.bincount(fold[truth == k], minlength=n_folds) for k in range(4)])
    assert (np.ptp(counts, axis=1) <= 1).all()
    assert np.ptp(counts.sum(axis=0)) <= 1
    assert (fold != draw_folds(truth, n_folds, rng)).any()


@every_rule
def test_the_cross_validated_estimate_is_kappa_of_items_left_out(rule):
    """The same by hand: predict every fold from the others."""
    items = drawn(np.random.default_rng(11), 97, ties=True)
    found = find_cuts(items, QUADRATIC, method=rule, n_folds=5, rng=np.random.default_rng(12))
    folds, _, *streams = np.random.default_rng(12).spawn(7)
    fold = draw_folds(items.truth, 5, folds)
    score, predicted = items.score[items.group], np.empty(97, dtype=int)
    for number, stream in enumerate(streams):
        here = fold == number
        known = Scored.of(score[~here], items.truth[~here], np.ones((~here).sum()), 6)
        cuts = RULES[rule](known, QUADRATIC, stream)
        predicted[here] = np.searchsorted(cuts, score[here], side="right")
    expected = kappa_of(items.table(predicted), QUADRATIC)
    assert found.cv_estimates == {rule: pytest.approx(expected)}


def test_choosing_a_rule_makes_noise_no_better():
    """Of 40 items, the kappa of the rule chosen is .05 above the mean of all three."""
    rng = np.random.default_rng(2)
    found = [
        find_cuts(
            Scored.of(rng.normal(size=40), rng.integers(0, 4, 40), np.ones(40), 4),
            Costs(QUADRATIC.matrix[:4, :4], QUADRATIC.scores[:4]),
            method="auto",
            n_folds=5,
            rng=rng,
        )
        for _ in range(80)
    ]
    rules = [np.mean(list(one.cv_estimates.values())) for one in found]
    chosen = [one.cv_estimates[one.method] for one in found]
    assert np.subtract(chosen, rules).mean() > 0.03
    assert np.subtract([one.cv_estimate for one in found], rules).mean() < 0.025


def test_auto_allows_one_standard_error():
    """That of the difference of two kappas, which 4,000 bootstrap samples find as well."""
    rng = np.random.default_rng(16)
    items = drawn(rng, 400)
    good = RULES["exact"](items, QUADRATIC, rng)
    a = items.predicted(items.ends(good))
    b = np.clip(a + (rng.random(400) < 0.03) * rng.choice([-1, 1], 400), 0, 5)
    kappas = {name: kappa_of(items.table(p), QUADRATIC) for name, p in (("a", a), ("b", b))}
    draws = rng.multinomial(400, np.full(400, 1 / 400), size=4000)
    resampled = [
        np.subtract(
            *(
                kappa_of(Scored(items.score, items.group, items.truth, w, 6).table(p), QUADRATIC)
                for p in (a, b)
            )
        )
        for w in draws.astype(float)
    ]
    error = np.std(resampled)
    for distance, expected in ((0.8 * error, "b"), (1.25 * error, "a")):
        estimates = {"a": kappas["b"] + distance, "b": kappas["b"]}
        found, optimism = cutrules._steadiest(items, QUADRATIC, {"a": a, "b": b}, estimates, rng)
        assert found == expected
        assert 0 < optimism < error
