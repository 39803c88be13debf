"""Coefficients for all groups together: definitions, derivatives, tests of equality."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from conftest import each, scale_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import covariance, of_pair, spans_groups
from pdkappa.coefficients.pair_kappas import of_pairs, variance_of_sum
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.groups.strata import (
    across_groups,
    donner_eliasziw_klar,
    error_of_mean,
    same_mean,
    within_groups,
)

COHEN = COEFFICIENTS["cohen"]
WEIGHTED = [None, "linear", "quadratic"]


def rows_of(tables, cluster=None):
    """Every cell of (G, K, K) tables as a row."""
    group, row, col = np.indices(tables.shape).reshape(3, -1)
    return RatingRows(
        codes=np.stack([row, col]),
        count=tables.reshape(-1).astype(float),
        group=group,
        n_groups=len(tables),
        n_categories=tables.shape[-1],
        cluster=cluster,
    ).select(tables.reshape(-1) > 0)


@st.composite
def tables(draw, k=None, fewest=0):
    k = draw(st.integers(2, 4)) if k is None else k
    n = draw(st.integers(2, 4))
    cells = draw(st.lists(st.integers(fewest, 20), min_size=n * k * k, max_size=n * k * k))
    return np.array(cells).reshape(n, k, k)


def parts_of(table, weights):
    """Count items, and sum observed and expected disagreement of one table, by definition."""
    k, n = len(table), table.sum()
    power = {None: None, "linear": 1, "quadratic": 2}[weights]
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    apart = (apart > 0).astype(float) if power is None else apart**power
    p = table / n
    return n, (p * apart).sum(), p.sum(1) @ apart @ p.sum(0)


@given(tables=tables(fewest=1))
@each("weights", WEIGHTED)
def test_within_is_the_ratio_of_all_disagreement(weights, tables):
    parts = [parts_of(table, weights) for table in tables]
    observed, expected = (sum(part[0] * part[which] for part in parts) for which in (1, 2))
    scale = scale_of(weights, tables.shape[-1])
    found = within_groups(rows_of(tables), scale, COHEN)
    assert_allclose(found.estimate, 1 - observed / expected, rtol=1e-12, atol=1e-12)


@given(tables=tables(fewest=1))
@each("weights", WEIGHTED)
def test_across_is_the_coefficient_of_the_summed_table(weights, tables):
    _, observed, expected = parts_of(tables.sum(axis=0), weights)
    scale = scale_of(weights, tables.shape[-1])
    found = across_groups(rows_of(tables), scale, COHEN)
    assert_allclose(found.estimate, 1 - observed / expected, rtol=1e-12, atol=1e-12)


@each("name", ["cohen", "scott", "gwet", "brennan_prediger"])
@each("weights", WEIGHTED)
def test_the_standard_error_within_is_that_of_the_derivative(name, weights):
    """The shares of the cells are multinomial within each group, whose sizes are fixed."""
    tables = np.random.default_rng(1).integers(1, 15, (3, 3, 3))
    scale, coefficient = scale_of(weights, 3), COEFFICIENTS[name]

    def estimate(cells):
        return within_groups(rows_of(cells), scale, coefficient).estimate

    variance, step = 0.0, 1e-4
    for group, table in enumerate(tables):
        n, slope = table.sum(), np.zeros((3, 3))
        for cell in np.ndindex(3, 3):
            mass = np.zeros((3, 3))
            mass[cell] = 1
            toward = mass - table / n  # keeps the size of the group
            up, down = tables.astype(float), tables.astype(float)
            up[group] += step * toward
            down[group] -= step * toward
            slope[cell] = (estimate(up) - estimate(down)) / (2 * step)
        variance += (table * slope**2).sum()
    found = within_groups(rows_of(tables), scale, coefficient)
    assert_allclose(found.se, np.sqrt(variance), rtol=1e-6)


def test_clusters_that_span_groups_are_one():
    """Every item of the first group again in the second: both together know as much as one."""
    table = np.array([[6, 2], [1, 7]])
    once, twice = rows_of(table[None]), rows_of(np.stack([table, table]))
    first, second = np.repeat(once.codes, once.count.astype(int), axis=1)
    n = len(first)
    both = RatingRows(
        codes=np.tile([first, second], 2),
        count=np.ones(2 * n),
        group=np.repeat([0, 1], n),
        n_groups=2,
        n_categories=2,
        cluster=2 * np.tile(np.arange(n), 2) + np.repeat([0, 1], n),
    )
    assert spans_groups(both)
    factor = np.sqrt(n / (n - 1))
    plain = across_groups(once, scale_of(None, 2), COHEN)
    for one in (within_groups, across_groups):
        assert_allclose(one(both, scale_of(None, 2), COHEN), (plain.estimate, plain.se * factor))
        independent = one(twice, scale_of(None, 2), COHEN)
        assert_allclose(independent.se, plain.se / np.sqrt(2))
    influence = of_pair(both, scale_of(None, 2), COHEN, (0, 1)).influence[None]
    kappa = np.full((1, 2), plain.estimate)
    ones = np.ones((1, 2))
    found = error_of_mean(both, influence, kappa, ones, 0 * ones)
    assert_allclose(found, plain.se * factor / (1 - plain.estimate**2))
    half = error_of_mean(both, influence, kappa, ones, np.array([[0, 0.3]]))
    assert_allclose(half**2, found**2 / 4 + 0.15**2)


def test_a_sum_of_pairs_varies_as_the_matrix_of_their_correlations_says():
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, 3, (4, 120))
    codes[3, :60] = 1  # constant in the first group: correlated with no other
    rows = RatingRows(
        codes=codes,
        count=rng.integers(1, 4, 120).astype(float),
        group=np.repeat([0, 1], 60),
        n_groups=2,
        n_categories=3,
    )
    for own in (rows, rows.with_rows(cluster=2 * (np.arange(120) % 9) + rows.group)):
        found = of_pairs(own, scale_of(None, 3), COHEN, [(0, 1), (0, 2), (1, 2), (2, 3)])
        parts = rng.random((4, 2))
        expected = 0.0
        for part, cov in zip(parts.T, covariance(found.rows, list(found.influence)), strict=True):
            size = np.sqrt(np.diagonal(cov))
            both = np.outer(size, size)
            related = np.divide(cov, both, out=np.eye(4), where=both > 1e-12)
            expected += part @ related @ part
        assert_allclose(variance_of_sum(found, parts), expected)


@given(kappa=st.lists(st.floats(-0.5, 0.9), min_size=2, max_size=6), data=st.data())
def test_the_chi_squared_test_by_definition(kappa, data):
    kappa = np.array(kappa)
    se = np.array(
        data.draw(st.lists(st.floats(0.02, 0.3), min_size=len(kappa), max_size=len(kappa)))
    )
    found = same_mean(kappa, se)
    mean = np.average(kappa, weights=1 / se**2)
    q = (((kappa - mean) / se) ** 2).sum()
    assert_allclose(found.chi2, q, rtol=1e-9, atol=1e-12)
    assert_allclose(found.p_value, stats.chi2.sf(q, len(kappa) - 1), rtol=1e-9, atol=1e-12)
    assert (found.df, found.n_groups, found.reason) == (len(kappa) - 1, len(kappa), "")


@given(tables=tables(k=2, fewest=1))
def test_donner_eliasziw_and_klar_by_definition(tables):
    """The goodness of fit of the common correlation model, written out group by group."""
    found = donner_eliasziw_klar(tables)
    groups = []
    for (a, b), (c, d) in tables:
        n = a + b + c + d
        p = (2 * a + b + c) / (2 * n)
        groups.append((n, p, a, b + c, d, 1 - (b + c) / (2 * n * p * (1 - p))))
    total = sum(n * p * (1 - p) for n, p, *_ in groups)
    k = sum(n * p * (1 - p) * kappa for n, p, *_, kappa in groups) / total
    statistic = 0.0
    for n, p, both, one, neither, _ in groups:
        q = p * (1 - p)
        for seen, share in (
            (both, p * p + k * q),
            (one, 2 * q * (1 - k)),
            (neither, (1 - p) ** 2 + k * q),
        ):
            if share < 0:
                assert found.reason == "impossible_counts"
                return
            statistic += (seen - n * share) ** 2 / (n * share)
    assert_allclose(found.chi2, statistic, rtol=1e-9, atol=1e-9)
    assert_allclose(found.p_value, stats.chi2.sf(statistic, len(tables) - 1), rtol=1e-6, atol=1e-12)


def test_groups_that_agree_throughout_are_as_expected():
    found = donner_eliasziw_klar(np.array([[[3, 0], [0, 5]], [[9, 0], [0, 1]], [[2, 0], [0, 2]]]))
    assert_allclose([found.chi2, found.p_value], [0, 1], atol=1e-12)
    assert (found.df, found.reason) == (2, "")


def test_a_group_with_one_category_is_left_out():
    tables = np.array([[[20, 5], [5, 10]], [[9, 0], [0, 0]], [[10, 4], [6, 10]]])
    assert donner_eliasziw_klar(tables) == donner_eliasziw_klar(tables[[0, 2]])
    alone = donner_eliasziw_klar(tables[[0, 1]])
    assert (alone.df, alone.n_groups, alone.reason) == (0, 1, "one_group")
    assert donner_eliasziw_klar(tables[[1]]).reason == "no_items"


def test_the_mean_of_one_group_or_none_is_compared_with_nothing():
    for n, reason in enumerate(["no_items", "one_group"]):
        found = same_mean(np.full(n, 0.4), np.full(n, 0.1))
        assert (found.df, found.n_groups, found.reason) == (0, n, reason)
