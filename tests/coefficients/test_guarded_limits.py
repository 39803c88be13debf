"""Guarded limits: against their definition on dense tables, laws, and what the note promises."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import stats

import pdkappa
from conftest import each, scale_of
from pdkappa.coefficients import all_raters_estimates
from pdkappa.coefficients.all_raters import MULTIRATER, agreeing, basics_of
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.guarded_limits import Drawn, OfInfluence
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.intervals import INTERVALS, Limits
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.rating_rows import RatingRows

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
OF_MARGINS = [name for name, row in COEFFICIENTS.items() if row.of_margins]
few = settings(max_examples=12)
tables = st.integers(2, 4).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 12)))


def limits(table, coefficient="cohen", weights=None, level=0.95, ci="auto"):
    """Limits of one table, inside the range."""
    counts, scale = PairCounts.from_tables(np.asarray(table)), scale_of(weights, len(table))
    own = COEFFICIENTS[coefficient]
    agreement = chance_corrected(counts, scale, own)
    pivot = INTERVALS[ci](agreement, counts, scale, own)
    found = Limits(*pivot.limits(level)).around(agreement.estimate, own.lowest(scale))
    return float(found.low[0]), float(found.high[0])


def expected(p, d, coefficient, n):
    row, col = p.sum(axis=1), p.sum(axis=0)
    if coefficient == "cohen":
        return row @ d @ col
    mean = (row + col) / 2
    return mean @ d @ mean * (2 * n / (2 * n - 1) if coefficient == "krippendorff" else 1)


def kappa_and_error(table, d, coefficient, n):
    """Kappa and its standard error, by small steps in each cell; n is that of alpha's factor."""
    total, step = table.sum(), 1e-6
    p = table / total

    def kappa(p):
        return 1 - (p * d).sum() / expected(p, d, coefficient, n)

    slope = np.empty_like(p)
    for cell in np.ndindex(p.shape):
        unit = np.zeros_like(p)
        unit[cell] = 1
        moved = [(1 - s) * p + s * unit for s in (step, -step)]
        slope[cell] = (kappa(moved[0]) - kappa(moved[1])) / (2 * step)
    return kappa(p), np.sqrt((p * slope**2).sum() / total)


def by_definition(table, d, coefficient, level):
    """Compute the limits of the technical note."""
    used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    table, d = table[np.ix_(used, used)].astype(float), d[np.ix_(used, used)]
    n, size = table.sum(), len(used)
    t, alpha = stats.t.ppf((1 + level) / 2, n - 1), 1 - level

    def on_z(kappa, se, side):
        if abs(kappa) >= 1 - 1e-12:
            return kappa
        return np.tanh(np.arctanh(kappa) + side * t * se / (1 - kappa**2))

    plain = kappa_and_error(table, d, coefficient, n)
    even = kappa_and_error(table + 1 / size**2, d, coefficient, n + 1)
    agreed = kappa_and_error(table + np.eye(size) / size, d, coefficient, n + 1)
    chance = expected(table / n, d, coefficient, n)
    rate, square, most = (table * d).sum(), (table * d**2).sum(), d.max()
    ratio, squares, more = rate / n / chance, square / (n * chance) ** 2, most / (n * chance)
    worth = (ratio + more) ** 2 / (squares + more**2)
    top = n * (ratio + more) * stats.beta.ppf(1 - alpha / 2, worth, (n - 1) * worth + 1)
    low = max(on_z(*even, -1), 1 - top)
    high = max(on_z(*one, 1) for one in (plain, even, agreed))
    return max(min(low, plain[0]), -1), min(max(high, plain[0]), 1)


@few
@given(table=tables, level=st.sampled_from([0.8, 0.95]))
@each("coefficient", OF_MARGINS)
@each("weights", [None, "linear", "quadratic"])
def test_the_limits_are_those_of_the_note(coefficient, weights, table, level):
    used = table.sum(axis=0) + table.sum(axis=1) > 0
    if table.sum() < 2 or used.sum() < 2:
        return
    d = scale_of(weights, len(table)).matrix()
    found = limits(table, coefficient, weights, level)
    assert_allclose(found, by_definition(table, d, coefficient, level), rtol=2e-5, atol=2e-6)


@each("weights", [None, "linear", "quadratic"])
def test_a_share_of_pairs_mixed_into_items_is_a_population_of_both(weights):
    """Each item, and each pair of even categories, is a point with its weight."""
    scale, (first, second) = scale_of(weights, 4), np.indices((4, 4)).reshape(2, -1)
    d = scale.between(np.zeros(16, dtype=int), first, second).reshape(4, 4)
    p, even, share = np.array([0.6, 0.3, 0.1, 0.0]), np.array([1, 1, 1, 0]) / 3, 0.15
    estimate, spread = 0.45, 0.7
    old = p @ d @ p
    new = (1 - share) * p + share * even
    slope, expected = d @ new, new @ d @ new
    items = (1 - estimate) * old + spread * old * np.array([-1, 1])
    single = (np.array([float(one)]) for one in (estimate, spread**2, old))
    found = OfInfluence(*single, Drawn(p[None], scale)).mixed(np.array([share]))
    mixed = (found.independent, np.outer(even, even)), (found.same, np.diag(even))
    for one, pairs in mixed:
        weight = np.concatenate([[(1 - share) / 2] * 2, share * pairs.reshape(-1)])
        observed = np.concatenate([items, d.reshape(-1)])
        ratio = weight @ observed / expected
        each_slope = np.concatenate([[2 * p @ slope] * 2, (slope[:, None] + slope).reshape(-1)])
        value = ratio * each_slope - observed
        variance = weight @ (value - weight @ value) ** 2 / expected**2
        assert_allclose([*one.centre, *one.variance], [1 - ratio, variance], rtol=1e-12)


@each("weights", [None, "linear", "quadratic"])
def test_of_many_raters_one_more_item_agrees_throughout_or_half_a_one_is_even(weights):
    """Fleiss' kappa of four raters, with every way to rate these items as a row of its own."""
    rng, k, scale = np.random.default_rng(1), 3, scale_of(weights, 3)
    codes = np.where(rng.random((4, 12)) < 0.6, rng.integers(0, k, 12), rng.integers(0, k, (4, 12)))

    def fleiss(more, total):
        every = np.concatenate([codes, more], axis=1)
        count = np.append(np.ones(12), np.full(more.shape[1], total / max(more.shape[1], 1)))
        rows = RatingRows(every, count, np.zeros(len(count), dtype=int), 1, k)
        return rows, MULTIRATER["fleiss"](rows, scale, basics_of(rows, scale))

    rows, found = fleiss(codes[:, :0], 0)
    basics, about = basics_of(rows, scale), (found.estimate, found.expected)
    drawn = Drawn(rows.shares_by_items, scale)
    guard = all_raters_estimates._guarded(
        agreeing(rows, drawn, basics),
        rows,
        drawn,
        basics,
        about=about,
        se=standard_error(rows, found.influence),
    )
    even, agreed = np.indices((k,) * 4).reshape(4, -1), np.tile(np.arange(k), (4, 1))
    expected = [fleiss(even, 2 / 4)[1].estimate, fleiss(agreed, 1)[1].estimate, found.estimate]
    assert_allclose(guard._on_z.centre, expected, rtol=1e-12)


@few
@given(table=tables, seed=st.integers(0, 99))
@each("coefficient", list(COEFFICIENTS))
@each("ci", list(INTERVALS))
def test_neither_labels_nor_raters_nor_unused_categories_move_limits(coefficient, ci, table, seed):
    """Without weights any order will do; with weights the scale may be read from its other end."""
    k, rng = len(table), np.random.default_rng(seed)
    order = rng.permutation(k)
    first = limits(table, coefficient, ci=ci)
    assert_allclose(limits(table[np.ix_(order, order)], coefficient, ci=ci), first, atol=1e-9)
    assert_allclose(limits(table.T, coefficient, ci=ci), first, atol=1e-9)
    for weights in ("linear", "quadratic"):
        ahead = limits(table, coefficient, weights, ci=ci)
        assert_allclose(limits(table[::-1, ::-1], coefficient, weights, ci=ci), ahead, atol=1e-9)
        if COEFFICIENTS[coefficient].of_margins:
            longer = np.pad(table, (0, 3))
            assert_allclose(limits(longer, coefficient, weights, ci=ci), ahead, atol=1e-9)


def test_raters_who_never_agree_have_limits_whatever_the_labels_are():
    """The upper limit of Gwet's AC1 was .23 or .99999."""
    table = np.zeros((4, 4), dtype=int)
    table[[0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 3, 0]] = 1
    for coefficient in COEFFICIENTS:
        for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
            found = limits(table[np.ix_(order, order)], coefficient)
            assert_allclose(found, limits(table, coefficient), atol=1e-9)
            assert found[1] < 0.9


@few
@given(table=tables)
@each("coefficient", ["cohen", "scott"])
def test_where_no_item_is_missing_limits_are_within_those_of_the_others(coefficient, table):
    """A thousand times as many items need no guard: the limits are those of Fisher's z."""
    table = 1000 * (table + np.eye(len(table), dtype=int))
    agreement = chance_corrected(
        PairCounts.from_tables(table), scale_of(None, len(table)), COEFFICIENTS[coefficient]
    )
    k, se = agreement.estimate[0], agreement.se[0]
    if not se > 0 or abs(k) > 0.999:
        return
    half = stats.norm.ppf(0.975) * se / (1 - k**2)
    plain = np.tanh(np.arctanh(k) + np.array([-1, 1]) * half)
    assert_allclose(limits(table, coefficient), plain, atol=4e-3)


@each("n", [2, 3, 5, 10, 30, 1000])
@each("shares", [(1, 1), (9, 1), (1, 1, 1), (6, 3, 1), (1,) * 13])
def test_without_a_disagreement_the_lower_limit_is_the_exact_one(n, shares):
    table = np.diag(np.bincount(np.resize(np.arange(len(shares)).repeat(shares), n)))
    share = stats.beta.ppf(0.025, n, 1)
    chance = 1 - np.sum((np.diag(table) / n) ** 2)
    if chance == 0:
        return
    low, high = limits(table)
    assert high == 1
    exact = max(1 - (1 - share) / chance, -1)
    assert exact - 1e-9 <= low
    assert 1 - low >= 0.85 * (1 - exact)


@each("n", [5, 10, 30])
def test_a_small_disagreement_moves_the_lower_limit_little(n):
    """There is no jump between none at all and the smallest."""
    ends = np.resize([0, 100], n)
    found = [
        limits(
            np.histogram2d(ends, ends + step, bins=102, range=[[0, 102]] * 2)[0], "scott", "linear"
        )
        for step in (0, np.arange(n) == 0, 2 * (np.arange(n) == 0))
    ]
    first, second, third = (low for low, _ in found)
    assert first >= second >= third >= first - 0.02


def test_two_ratings_of_an_item_have_one_standard_error():
    """From columns, from counts, and beside a group with a gap: the divisor is n."""
    frame = pd.DataFrame({"a": [0, 1, 2, 0, 1, 2, 0, 1, 2, 2], "b": [0, 1, 2, 0, 2, 2, 1, 1, 2, 0]})
    expected = frame.kappa.pairs(coefficient="scott").iloc[0]
    counts = frame.apply(lambda row: row.value_counts(), axis=1).fillna(0).astype(int)
    of_counts = pdkappa.from_counts(counts).agreement(coefficients=["fleiss"]).iloc[0]
    gap = frame.assign(b=frame["b"].astype(float).mask(frame.index == 0))
    both = pd.concat([frame.assign(g=0), gap.assign(g=1)])
    beside = both.kappa.agreement(["a", "b"], by="g", coefficients=["fleiss"], shares="items").iloc[
        0
    ]
    for found in (of_counts, beside):
        assert_allclose(found["se"], expected["se"], rtol=1e-12)
        limits = found[["ci_low", "ci_high"]].astype(float)
        assert_allclose(limits, expected[["ci_low", "ci_high"]].astype(float), atol=0.02)


def test_two_raters_are_all_raters():
    table = np.array([[40, 6, 1], [4, 30, 5], [0, 3, 20]])
    rows = np.indices(table.shape).reshape(2, -1).repeat(table.ravel(), axis=1)
    frame = pd.DataFrame(rows.T, columns=["a", "b"]).assign(c=np.nan)
    many = frame.kappa.agreement(["a", "b", "c"], coefficients=["fleiss"]).iloc[0]
    assert_allclose(many[["ci_low", "ci_high"]].astype(float), limits(table, "scott"), atol=2e-3)


def test_a_few_ratings_far_away_are_remarked_on():
    """Slips next to the most frequent category are many, but weigh next to nothing."""
    frame = pd.DataFrame(
        {"a": [0] * 80 + [1] * 15 + [20] * 3 + [0] * 2, "b": [0] * 95 + [20] * 3 + [1] * 2}
    )
    for weights, is_told in ((None, False), ("quadratic", True)):
        remark = frame.kappa.pairs(weights=weights)["remark"].item()
        assert ("outside one category" in remark) is is_told


@each(("steps", "m"), [((1,) * 20, 20.0), ((1, 1, 1, 1, 2, 2), 64 / 12)])
def test_effective_disagreements_are_counted(steps, m):
    frame = pd.DataFrame({"a": [0, 4, *[0] * len(steps)], "b": [0, 4, *steps]})
    found = frame.kappa.pairs(weights="linear")["effective_disagreements"].item()
    assert found == pytest.approx(m)
    assert frame.kappa.agreement(weights="linear")["effective_disagreements"].iloc[0] == found


def test_a_constant_rater_has_limits_and_a_reason():
    for other in ([0, 0, 1], [0, 1, 2]):
        row = pd.DataFrame({"a": other * 8, "b": 0}).kappa.pairs().iloc[0]
        assert row["reason"] == "constant_rater"
        assert row["ci_low"] < row["estimate"] == 0 < row["ci_high"]
        assert (row["z"], row["p_value"]) == (0, 1)
        assert np.isnan(row["se"])


@each(("a", "b", "why"), [([1, 1], [1, 1], "constant_ratings"), ([1], [2], "n_lt_2")])
def test_what_has_no_limits_says_why(a, b, why):
    row = pd.DataFrame({"a": a, "b": b}).kappa.pairs(categories=[1, 2]).iloc[0]
    assert row[["ci_low", "ci_high"]].isna().all()
    assert row["reason"] == why


def test_a_census_has_no_doubt():
    frame = pd.DataFrame({"a": [0, 1, 1, 0, 1], "b": [0, 1, 0, 0, 1]})
    row = frame.kappa(population=5).pairs().iloc[0]
    assert_allclose([row["ci_low"], row["ci_high"]], row["estimate"])


@each("weights", [None, "linear", "quadratic"])
@each("share", [0.0, 0.05, 0.3])
def test_items_that_stand_three_times_are_worth_one_each(weights, share):
    """Where no error adds to it, clusters of copies have the limits of what was copied."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 60)
    second = np.where(rng.random(60) < share, rng.integers(0, 4, 60), first)
    alone = pd.DataFrame({"ann": first, "bob": second})
    copies = pd.concat([alone] * 3).assign(of=np.tile(np.arange(60), 3))
    raters, names = ["ann", "bob"], ["estimate", "ci_low", "ci_high"]
    found = copies.kappa.pairs(raters, weights=weights, cluster="of")[names]
    expected = alone.kappa.pairs(raters, weights=weights)[names]
    assert_allclose(found, expected, rtol=1e-9 if share == 0 else 0.01)
