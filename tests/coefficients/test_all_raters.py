"""Coefficients of many raters, their influence values, and what comes from them."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from conftest import each, rows_of, scale_of
from pdkappa.coefficients.all_raters import MULTIRATER, basics_of, krippendorff_ordinal
from pdkappa.coefficients.all_raters_estimates import compute_many
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.influence import (
    covariance,
    disagreement_within,
    moments_of,
    moments_of_pairs,
    of_pair,
    standard_error,
)
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale

every_model = each("name", MULTIRATER)
every_weighting = each("weights", WEIGHTS)
both_margins = each("by_items", [True, False])
few = settings(max_examples=15)
OF_TWO = {
    "percent": "percent",
    "brennan_prediger": "brennan_prediger",
    "fleiss": "scott",
    "conger": "cohen",
    "light": "cohen",
    "gwet": "gwet",
    "krippendorff": "krippendorff",
}


def compute(name, rows, scale, *, by_items=True):
    model = MULTIRATER[name] if isinstance(name, str) else name
    return model(rows, scale, basics_of(rows, scale, by_items=by_items))


@st.composite
def drawn_codes(draw, *, missing=True, raters=(2, 5), items=(2, 20), most=5):
    k = draw(st.integers(2, most))
    r, n = draw(st.integers(*raters)), draw(st.integers(*items))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    codes = np.clip(truth + rng.integers(-1, 2, (r, n)), 0, k - 1)
    if missing:
        codes[rng.random((r, n)) < draw(st.sampled_from([0.0, 0.2, 0.5]))] = -1
    return codes, k


@few
@given(drawn=drawn_codes(raters=(2, 2), missing=False))
@every_model
@every_weighting
def test_two_raters_are_a_pair(name, weights, drawn):
    codes, k = drawn
    scale = scale_of(weights, k)
    counts = count_pairs(codes, k, pairs=[(0, 1)])
    pair = chance_corrected(counts, scale, COEFFICIENTS[OF_TWO[name]])
    many = compute(name, rows_of(codes, k=k), scale)
    assert_allclose(many.estimate, np.where(pair.is_fixed, many.estimate, pair.estimate), atol=1e-9)
    n = codes.shape[1]
    if not np.isnan(pair.se[0]):
        se = standard_error(rows_of(codes, k=k), many.influence)
        assert_allclose(se * np.sqrt((n - 1) / n), pair.se, atol=1e-9)


@few
@given(drawn=drawn_codes(items=(2, 10)), times=st.lists(st.integers(1, 3), min_size=10))
@every_model
@every_weighting
def test_counts_are_repeated_items(name, weights, drawn, times):
    codes, k = drawn
    scale = scale_of(weights, k)
    times = times[: codes.shape[1]]
    counted = rows_of(codes, count=times, k=k)
    repeated = rows_of(np.repeat(codes, times, axis=1), k=k)
    a, b = compute(name, counted, scale), compute(name, repeated, scale)
    assert_allclose(a.estimate, b.estimate, atol=1e-9)
    assert_allclose(np.repeat(a.influence, times), b.influence, atol=1e-8)
    assert_allclose(
        standard_error(counted, a.influence), standard_error(repeated, b.influence), atol=1e-9
    )
    squeezed = repeated.compressed
    assert squeezed.count.sum() == repeated.count.sum()
    assert_allclose(compute(name, squeezed, scale).estimate, a.estimate, atol=1e-9)


@few
@given(drawn=drawn_codes(missing=False))
@every_weighting
def test_complete_ratings_obey_the_textbook(weights, drawn):
    codes, k = drawn
    scale = scale_of(weights, k)
    rows = rows_of(codes, k=k)
    fleiss, conger = (compute(name, rows, scale) for name in ("fleiss", "conger"))
    alpha = compute("krippendorff", rows, scale).estimate
    n = codes.size
    assert_allclose(alpha, 1 - (1 - fleiss.estimate) * (n - 1) / n, atol=1e-9)
    cohen = COEFFICIENTS["cohen"]
    pairs = [of_pair(rows, scale, cohen, pair) for pair in combinations(range(len(codes)), 2)]
    observed, expected = (
        np.mean([np.nan_to_num(getattr(pair, part)) for pair in pairs])
        for part in ("observed", "expected")
    )
    if expected > 0:
        assert_allclose(conger.estimate, 1 - observed / expected, atol=1e-9)
    if not np.isnan(fleiss.estimate[0]) and weights in {None, "linear", "quadratic"}:
        assert fleiss.estimate[0] <= conger.estimate[0] + 1e-9


def derivative(name, rows, scale, *, by_items):
    """N times the change of the estimate by the weight of each row, alpha's factor held."""

    def estimate(count):
        changed = rows_of(rows.codes, count, rows.group, rows.n_groups, k=rows.n_categories)
        found = compute(name, changed, scale, by_items=by_items).estimate
        if name == "krippendorff" or callable(name):
            paired = changed.n_ratings > 1
            n = changed.total(np.where(paired, changed.n_ratings, 0))
            return (1 - found) * n / (n - 1), (n - 1) / n
        return 1 - found, 1.0

    factor = estimate(rows.count)[1]
    result = np.empty(len(rows.count))
    for i in range(len(result)):
        nudge = np.zeros(len(result))
        nudge[i] = 1e-5
        change = estimate(rows.count + nudge)[0] - estimate(rows.count - nudge)[0]
        result[i] = (-factor * change / 2e-5 * rows.n_items)[rows.group[i]]
    return result


@both_margins
@every_weighting
@each("name", [*MULTIRATER, krippendorff_ordinal])
def test_influence_is_the_derivative(name, weights, by_items):
    """With a quarter of the ratings missing, an item with one, two groups, and counts."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (4, 20))
    codes[rng.random(codes.shape) < 0.25] = -1
    codes[:, 0] = [2, -1, -1, -1]
    rows = rows_of(codes, rng.integers(1, 4, 20), rng.integers(0, 2, 20), 2, k=4)
    scale = scale_of("quadratic" if callable(name) else weights, 4)
    found = compute(name, rows, scale, by_items=by_items)
    rated = rows.n_ratings > 0
    expected = derivative(name, rows, scale, by_items=by_items)
    assert_allclose(found.influence[rated], expected[rated], atol=1e-7)


@every_weighting
@each("coefficient", COEFFICIENTS)
def test_influence_on_a_pair_is_the_derivative(coefficient, weights):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (3, 25))
    codes[rng.random(codes.shape) < 0.25] = -1
    scale, count = scale_of(weights, 3), rng.integers(1, 3, 25).astype(float)
    model = COEFFICIENTS[coefficient]

    def estimate(count):
        found = of_pair(rows_of(codes, count, k=3), scale, model, (0, 2))
        n = count[(codes[[0, 2]] >= 0).all(axis=0)].sum()
        factor = (2 * n - 1) / (2 * n) if coefficient == "krippendorff" else 1.0
        return (1 - found.estimate[0]) / factor, factor

    rows = rows_of(codes, count, k=3)
    found = of_pair(rows, scale, model, (0, 2))
    for i in range(25):
        nudge = np.zeros(25)
        nudge[i] = 1e-5
        change = (estimate(count + nudge)[0] - estimate(count - nudge)[0]) / 2e-5
        expected = -change * estimate(count)[1] * rows.n_items[0]
        if rows.n_ratings[i] > 0:
            assert_allclose(found.influence[i], expected, atol=1e-7)


@few
@given(drawn=drawn_codes(items=(4, 12), raters=(3, 4)))
def test_covariances_are_those_of_every_contrast(drawn):
    codes, k = drawn
    rows, scale = rows_of(codes, k=k), scale_of("linear", k)
    values = [compute(name, rows, scale).influence for name in ("fleiss", "conger", "light")]
    together = covariance(rows, values)[0]
    contrast = np.array([1.0, -2.0, 1.0])
    assert_allclose(
        contrast @ together @ contrast,
        standard_error(rows, contrast @ np.stack(values))[0] ** 2,
        atol=1e-9,
    )


def test_items_that_come_in_copies_count_once():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (3, 20))
    scale = scale_of(None, 3)
    alone = rows_of(codes, k=3, cluster=np.arange(20))
    once = compute("gwet", alone, scale).influence
    twice = rows_of(np.repeat(codes, 2, axis=1), k=3, cluster=np.repeat(np.arange(20), 2))
    influence = compute("gwet", twice, scale).influence
    assert_allclose(standard_error(twice, influence), standard_error(alone, once))


def test_many_categories_take_the_other_way():
    """Pairs of ratings one by one, rather than counts of categories."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 90, (4, 40))
    codes[rng.random(codes.shape) < 0.2] = -1
    for weights in WEIGHTS:
        scale = scale_of(weights, 90)
        found = disagreement_within(rows_of(codes, k=90), scale)
        apart = scale.matrix()
        for i in range(40):
            ratings = codes[codes[:, i] >= 0, i]
            assert_allclose(found[i], apart[np.ix_(ratings, ratings)].sum(), atol=1e-9)


@few
@given(drawn=drawn_codes(raters=(3, 8), items=(4, 20)))
@each("weights", [None, "linear"])
@each("clusters", [None, "few", "one for each item"])
def test_covariances_of_pairs_are_those_of_their_influence_values(weights, clusters, drawn):
    codes, k = drawn
    n = codes.shape[1]
    group = np.arange(n) % 2
    cluster = {None: None, "few": group + 2 * (np.arange(n) % 3), "one for each item": np.arange(n)}
    rows = rows_of(codes, group=group, n_groups=2, k=k, cluster=cluster[clusters])
    scale, cohen = scale_of(weights, k), COEFFICIENTS["cohen"]
    kappas = of_pairs(rows, scale, cohen, list(combinations(range(len(codes)), 2)))
    found = moments_of_pairs(kappas.rows, scale, cohen)
    expected = moments_of(kappas.rows, kappas.influence)
    unknown = np.isnan(kappas.estimate.T)
    expected.covariance[unknown[:, :, None] | unknown[:, None]] = np.nan
    assert_allclose(found.covariance, expected.covariance, atol=1e-12)
    known = ~unknown.any(axis=1)
    assert_allclose(found.concentration[known], expected.concentration[known], atol=1e-12)
    if clusters == "one for each item":  # the variance of a pair is that of its own items
        for pair, places in enumerate(combinations(range(len(codes)), 2)):
            both = rows.select((rows.codes[list(places)] >= 0).all(axis=0))
            alone = of_pairs(both, scale, cohen, [places])
            of_one = covariance(alone.rows, list(alone.influence))[:, 0, 0]
            several = (alone.n_items[0] > 1) & known
            assert_allclose(found.covariance[several, pair, pair], of_one[several], atol=1e-12)


def test_a_pair_without_joint_items_has_no_covariance():
    rows = rows_of([[0, 1, 0, 1, -1], [0, 1, 1, 1, -1], [-1, -1, -1, -1, 0]])
    found = moments_of_pairs(rows, scale_of(None, 2), COEFFICIENTS["cohen"]).covariance[0]
    assert found[0, 0] > 0
    assert np.isnan(found[1:]).all()
    assert np.isnan(found[:, 1:]).all()


def figures(codes, count=None, weights=None, scores=None):
    """Return the figures of every coefficient in one group."""
    codes = np.asarray(codes)
    n, k = codes.shape[1], int(codes.max()) + 1
    count = np.ones(n) if count is None else np.asarray(count, dtype=float)
    scores = np.arange(1.0, k + 1) if scores is None else np.asarray(scores, dtype=float)
    rows = RatingRows(codes, count, np.zeros(n, dtype=int), 1, k)
    scale = Scale(WEIGHTS[weights], scores[None], np.ones((1, k), dtype=bool))
    known = compute_many(rows, scale, MULTIRATER, by_items=True, ci="fisher")
    return known.summaries(ci="fisher", level=0.95)


@given(
    first=arrays(np.bool_, st.integers(2, 12)),
    low=st.floats(0, 10),
    step=st.floats(0.01, 10),
    count=arrays(np.float64, 12, elements=st.floats(0.1, 100)),
)
@every_weighting
def test_agreements_are_shares(weights, first, low, step, count):
    """To the last digit, even where all items are as far apart as can be."""
    codes = np.stack([first, ~first]).astype(int)
    found = figures(np.where(codes, codes, 0), count[: len(first)], weights, [low, low + step])
    for name, summary in found.items():
        assert 0 <= summary.observed_agreement <= 1e-14, name
        if name != "krippendorff":  # whose chance is that of drawing without putting back
            assert 0 <= summary.expected_agreement <= 1, name
    assert found["percent"].estimate == found["percent"].observed_agreement


@given(first=arrays(np.int64, st.integers(2, 12), elements=st.integers(0, 2)), data=st.data())
def test_total_disagreement_is_exactly_zero_without_weights(first, data):
    count = data.draw(arrays(np.float64, len(first), elements=st.floats(0.1, 100)))
    for summary in figures([first, (first + 1) % 3, (first + 2) % 3], count).values():
        assert summary.observed_agreement == 0


def test_two_constant_raters_at_both_ends_expect_no_agreement():
    """In floats, the disagreement expected is a little more than the largest."""
    for step in np.linspace(0.1, 9, 60):
        found = figures([[0] * 7, [1] * 7], None, "quadratic", [0.1, 0.1 + step])["conger"]
        assert found.expected_agreement == 0 or 0 < found.expected_agreement < 1e-14


def test_alpha_of_no_more_than_one_rating_has_too_few_items():
    """Items with one rating are none that alpha could pair."""
    codes, single = [[0, 1, 2], [0, 2, 2]], [[0] * 5, [-1] * 5]
    for extra in (0, 5):
        both = np.hstack([codes, np.array(single)[:, :extra]])
        found = figures(both, [0.1, 0.2, 0.2] + [1.0] * extra)
        assert np.isnan(found["krippendorff"].estimate)
        assert np.isnan(found["krippendorff"].expected_agreement)
        assert found["krippendorff"].reason == "n_lt_2"
        assert found["fleiss"].estimate < 1
    assert figures(codes, [0.2, 0.2, 0.2])["krippendorff"].estimate <= 1


def test_where_nothing_varies_the_test_rests_on_a_pseudo_item():
    found = figures(np.tile([0, 1, 2, 0], (3, 1)))
    for name, summary in found.items():
        assert summary.se == 0
        assert np.isnan(summary.p_value) == (name == "percent")
        assert name == "percent" or (summary.p_value < 0.05) == (summary.ci_low > 0)
        assert summary.reason == ""


def test_congers_margins_are_those_of_all_ratings():
    """A rater with one category on the joint items fixes Light's kappa, not Conger's."""
    found = figures([[0, 0, 0, 1, 1], [0, 0, 1, -1, -1]])
    expected = (3 * 2 + 2 * 1) / 15  # shares 3/5 and 2/5, 2/3 and 1/3
    assert_allclose(found["conger"].estimate, (2 / 3 - expected) / (1 - expected))
    assert found["conger"].se > 0
    assert found["conger"].reason == ""
    assert (found["light"].estimate, found["light"].reason) == (0, "constant_rater")
    complete = figures([[0, 0, 0], [0, 0, 1]])
    assert (complete["conger"].estimate, complete["conger"].reason) == (0, "constant_rater")
    lonely = figures([[0, 0, 0, -1], [0, 0, 1, -1]])  # an item that nobody rated is none
    assert lonely["conger"].reason == "constant_rater"


@each(
    ("codes", "weights", "scores"),
    [
        ([[0] * 10, [0] * 10, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]], None, None),
        ([[0, 1] * 7, [1, 2] * 7], "linear", [0.1, 0.3, 0.5]),
    ],
)
def test_rounding_error_is_no_standard_error(codes, weights, scores):
    found = figures(codes, None, weights, scores)
    for name in ("conger", "light"):
        assert found[name].estimate == 0, name
    for name in ("fleiss", "conger", "light", "krippendorff") if weights else ("conger", "light"):
        assert found[name].se == 0, name
        assert found[name].ci_high - found[name].ci_low > 0.1, name


def test_limits_reach_as_low_as_the_coefficient_can():
    """Gwet's floor is that of five categories that are used alike, whatever the shares here."""
    rows = np.array([[0, 1] * 6 + [0, 2], [1, 0] * 6 + [2, 0]])
    scores = np.arange(1.0, 6)
    in_five = RatingRows(rows, np.ones(14), np.zeros(14, dtype=int), 1, 5)
    scale = Scale(WEIGHTS[None], scores[None], np.ones((1, 5), dtype=bool))
    one = {"gwet": MULTIRATER["gwet"]}
    for level, lowest in ((0.95, None), (1 - 1e-12, -1 / 4)):
        known = compute_many(in_five, scale, one, by_items=True, ci="wald")
        found = known.summaries(ci="wald", level=level)["gwet"]
        expected = 2 * found.estimate - found.ci_high if lowest is None else lowest
        assert_allclose(found.ci_low, expected)


@each("count", [0.5, 0.6])
def test_less_than_two_items_have_no_standard_error(count):
    for summary in figures([[0, 1, 0], [0, 1, 1]], [count] * 3).values():
        figure = [summary.se, summary.ci_low, summary.ci_high, summary.z, summary.p_value]
        assert np.isnan(figure).all()
        assert summary.reason == "n_lt_2"


def test_z_of_chance_has_a_variance_of_one_where_ratings_are_missing():
    """Alpha weighs items by their ratings and Light's kappa by pairs: theirs was .5 to .8."""
    rng = np.random.default_rng(4)
    codes = rng.choice(3, (2000 * 60, 3), p=[0.6, 0.25, 0.15]).astype(float)
    codes[rng.random(codes.shape) < [0.1, 0.2, 0.4]] = np.nan
    data = pd.DataFrame(codes, columns=list("abc")).assign(sample=np.arange(2000).repeat(60))
    found = data.kappa.agreement(list("abc"), by="sample", categories=[0, 1, 2])
    spread = found["z"].groupby("coefficient").std()[["light", "conger", "fleiss", "krippendorff"]]
    assert_allclose(spread, 1, atol=0.06)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_lights_limits_hold_where_pairs_tell_little():
    """Eight raters of forty items with a category of .05: they held in .74 to .82 of samples."""
    rng = np.random.default_rng(7)
    shape = (400 * 40, 8)
    scores = np.sqrt(0.8) * rng.normal(size=(shape[0], 1)) + np.sqrt(0.2) * rng.normal(size=shape)
    data = pd.DataFrame(scores > 1.645, columns=list("abcdefgh")).astype(int)
    many = rng.normal(size=(2_000_000, 3)) * np.sqrt([0.8, 0.2, 0.2])
    pair = pd.DataFrame(many[:, :1] + many[:, 1:] > 1.645, columns=["a", "b"])
    true = pair.kappa.pairs()["estimate"].item()
    options = {"by": "sample", "categories": [0, 1], "coefficients": ["light"]}
    data["sample"] = np.arange(400).repeat(40)
    found = data.kappa.agreement(list("abcdefgh"), **options).dropna(subset=["estimate"])
    holds = (found["ci_low"] <= true) & (true <= found["ci_high"])
    assert holds.mean() > 0.93
