"""Standard errors of clusters: values, laws, how often limits hold, and edges."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, function_of, scale_of
from pdkappa.coefficients import influence
from pdkappa.coefficients import pair_estimates as clustered_pairs
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import error_in_turn, standard_error
from pdkappa.coefficients.intervals import clustered
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import Proportion, half_width

UNEQUAL = np.repeat(np.arange(8), [2, 20] * 4)


def nested(cluster, reps, seed):
    """Draw two raters whose errors belong to the cluster, in frames one below the other."""
    rng = np.random.default_rng(seed)
    n, m = len(cluster), cluster.max() + 1

    def of_clusters(sd):
        return rng.normal(0, sd, (reps, m))[:, cluster]

    truth, hard = of_clusters(0.55) + rng.normal(0, 0.84, (reps, n)), np.exp(of_clusters(0.5))
    ratings = {
        name: np.searchsorted(
            [-0.43, 0.43], truth + of_clusters(0.24) + 0.6 * hard * rng.normal(size=(reps, n))
        ).ravel()
        for name in "ab"
    }
    return pd.DataFrame(ratings | {"rep": np.repeat(range(reps), n), "c": np.tile(cluster, reps)})


def test_errors_are_cr2_and_satterthwaite_of_a_weighted_mean():
    """Written with the matrices of Bell & McCaffrey (2002), the design a column of ones."""
    rng = np.random.default_rng(1)
    y, count = rng.normal(size=12), rng.integers(1, 4, 12)
    cluster = np.array([0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 4, 4])
    value, of_item = np.repeat(y, count), np.repeat(cluster, count)
    n = len(value)
    residual = np.eye(n) - 1 / n  # I - H
    variance = np.zeros((n, n))
    for c in range(5):
        own = of_item == c
        values, vectors = np.linalg.eigh(residual[np.ix_(own, own)])
        adjusted = vectors / np.sqrt(values) @ vectors.T  # its inverse square root
        row = adjusted.sum(axis=0) @ residual[own] / n
        variance += np.outer(row, row)
    codes = np.zeros((2, 12), dtype=int)
    rows = RatingRows(codes, count.astype(float), np.zeros(12, dtype=int), 1, 1, cluster)
    se = standard_error(rows, y - value.mean())
    assert_allclose(se**2, value @ variance @ value)
    df = np.trace(variance) ** 2 / np.trace(variance @ variance)
    assert_allclose(rows.units, df + 1)
    # That of clusters in units of that of items is a ratio: less varies than in the first alone.
    of_items = residual / (n * (n - 1))
    apart = variance - of_items * np.trace(variance) / np.trace(of_items)
    df = np.trace(variance) ** 2 / np.trace(apart @ apart)
    pivot = Proportion.of(*(np.array([x]) for x in (0.5, 0.1, float(n), 0.5)))
    given = clustered(pivot, se, se / 1.5, rows.n_items, rows.units)
    assert_allclose(given.df, df)
    fewer = clustered(pivot, se, se / 1.5, np.array([2.5]), rows.units)
    assert_allclose(fewer.df, rows.units - 1)  # items by weight than clusters
    single = clustered(pivot, se, se, rows.n_items, rows.n_items)
    assert_allclose(half_width(0.95, single.df), half_width(0.95))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@each("n", [5, 9, 40])
def test_each_item_alone_is_as_without_clusters(n):
    """Also the quantiles of guarded limits; a pair has its published error, of n squared."""
    rng = np.random.default_rng(n)
    data = pd.DataFrame(rng.integers(0, 3, (n, 3)), columns=list("abc"))
    data = data.mask(rng.random(data.shape) < 0.15).assign(item=range(n))
    for method in ("agreement", "raters", "categories"):
        call = getattr(data.kappa, method)
        alone, nested = call(list("abc")), call(list("abc"), cluster="item")
        same = ["estimate", "ci_low", "ci_high"]
        assert_allclose(nested[same], alone[same], rtol=1e-9, err_msg=method)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_limits_of_eight_unequal_clusters_hold_the_true_kappa():
    """With m / (m - 1) and m - 1 degrees of freedom, they did in .90 of the samples."""
    true = nested(np.repeat(range(20_000), 11), 1, 1).kappa.pairs(["a", "b"])["estimate"][0]
    found = nested(UNEQUAL, 800, 2).kappa.pairs(["a", "b"], by="rep", cluster="c")
    holds = (found["ci_low"] <= true) & (true <= found["ci_high"])
    assert 0.94 < holds.mean() < 0.985


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_chance_is_rejected_as_rarely_as_it_should_be_where_a_category_is_rare():
    """Limits on Fisher's z, whose error is next to zero without luck, rejected it in half."""
    rng, cluster = np.random.default_rng(3), np.repeat(np.arange(30), [2, 20] * 15)
    lot = rng.normal(size=(2, 400, 30))[:, :, cluster]
    scores = np.sqrt(0.3) * lot + np.sqrt(0.7) * rng.normal(size=lot.shape)
    data = pd.DataFrame(dict(zip("ab", (scores > 1.645).astype(int).reshape(2, -1), strict=True)))
    data = data.assign(rep=np.repeat(range(400), 330), c=np.tile(cluster, 400))
    options = {"by": "rep", "cluster": "c", "categories": [0, 1]}
    pair = data.kappa.pairs(["a", "b"], **options)
    of_all = data.kappa.agreement(["a", "b"], **options).xs("conger", level="coefficient")
    assert_allclose(of_all["p_value"], pair["p_value"])
    assert 0.02 < (pair["p_value"] < 0.05).mean() < 0.08


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_pairs_by_cell_and_by_row_are_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.integers(0, 4, (300, 3)), columns=list("abc"))
    data = data.mask(rng.random(data.shape) < 0.2)
    data = data.assign(
        nest=rng.integers(0, 40, 300), g=rng.integers(0, 3, 300), w=rng.integers(1, 4, 300)
    )
    options = {"by": "g", "cluster": "nest", "sample_weight": "w", "weights": "quadratic"}
    found = data.kappa.pairs(list("abc"), **options)
    monkeypatch.setattr(clustered_pairs, "LARGEST_TABLE", 0)
    assert_frame_equal(found, data.kappa.pairs(list("abc"), **options))
    for place, pair in enumerate(["ab", "ac", "bc"]):
        alone = data.kappa.pairs(list(pair), **options)
        assert_frame_equal(found.iloc[place::3], alone)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_one_cluster_has_no_error_and_two_have_one_degree_of_freedom():
    group = np.array([0, 0, 0, 1, 1, 1, 1])
    codes = np.zeros((2, 7), dtype=int)
    cluster = np.array([0, 0, 0, 1, 1, 1, 3])
    rows = RatingRows(codes, np.ones(7), group, 2, 1, cluster)
    assert_allclose(rows.units, [1, 2])
    assert_allclose(
        standard_error(rows, np.array([1, -1, 0, 1, 1, 1, -3.0])), [np.nan, np.sqrt(48) / 4]
    )


def test_few_clusters_are_announced():
    data = nested(UNEQUAL, 1, 3)
    with pytest.warns(pdkappa.errors.FewClustersWarning) as caught:
        data.kappa.agreement(["a", "b"], cluster="c")
    told = (
        "Standard errors come from few clusters: 8, equivalent to 4.8 of equal size. Below 30, "
        "limits and p-values are approximate; collect more clusters, or report this."
    )
    assert [str(one.message) for one in caught] == [told]
    data = nested(np.repeat(range(30), 4), 1, 3).assign(set=lambda d: d["c"] // 12)
    with pytest.warns(pdkappa.errors.FewClustersWarning) as caught:
        data.kappa.scores.concordance(["a", "b"], by="set", cluster="c")
    told = (
        "Standard errors at set=2 and 2 more come from few clusters: 6, equivalent to "
        "6 of equal size. Below 30, limits and p-values are approximate; collect more clusters, or "
        "report this."
    )
    assert [str(one.message) for one in caught] == [told]
    data.kappa.pairs(["a", "b"], cluster="c")


def test_items_of_large_weights_leave_fewer_clusters():
    data = nested(np.repeat(range(40), 3), 1, 3).assign(w=lambda d: np.where(d["c"] < 10, 5, 1))
    data.kappa.pairs(["a", "b"], cluster="c")
    with pytest.warns(pdkappa.errors.FewClustersWarning, match="40, equivalent to 22.9 of equal"):
        data.kappa.pairs(["a", "b"], cluster="c", sample_weight="w")


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_clusters_whose_items_a_pair_did_not_rate_do_not_count():
    a, b = [1, 2, 1, 2] * 3, [1, 2, 2, 2, *[np.nan] * 8]
    data = pd.DataFrame({"a": a, "b": b, "c": np.arange(12) // 4})
    found = data.kappa.pairs(["a", "b"], cluster="c").iloc[0]
    assert (found["n_items"], found["estimate"], found["reason"]) == (4, 0.5, "n_lt_2")
    assert np.isnan(found["se"])


def test_items_that_stand_twice_in_a_cluster_widen_the_limits():
    """By the root of two, whichever pivot they come from."""
    rng = np.random.default_rng(5)
    for k, weights in ((2, None), (4, "quadratic")):
        first = rng.integers(0, k, 80)
        other = [np.where(rng.random(80) < 0.6, first, rng.integers(0, k, 80)) for _ in range(2)]
        once = pd.DataFrame({"a": first, "b": other[0], "d": other[1], "c": np.arange(80)})
        twice, known = pd.concat([once, once]), {"weights": weights}
        for method in (function_of("pairs"), function_of("agreement")):
            plain, nested = (
                method(twice, list("abd"), **known, **o) for o in ({}, {"cluster": "c"})
            )
            wider = (nested["ci_high"] - nested["ci_low"]) / (plain["ci_high"] - plain["ci_low"])
            assert ((wider > 1.36) & (wider < 1.48)).all()


@each("sizes", [(5, 5), (3, 3, 2, 2), (1,) * 10])
def test_items_of_clusters_are_worth_as_many_as_have_their_variance(sizes):
    rng, n = np.random.default_rng(1), 10
    away = rng.normal(size=n) + np.repeat(rng.normal(size=len(sizes)), sizes)
    away -= away.mean()
    cluster = np.repeat(range(len(sizes)), sizes)
    rows = RatingRows(np.zeros((2, n), int), np.ones(n), np.zeros(n, int), 1, 1, cluster)
    sums, share = np.bincount(cluster, away), np.divide(sizes, n)
    variance = (sums**2 / (1 - share)).sum() / n**2
    expected = min(1 + (away**2).sum() / n / variance, 4 * n)
    assert_allclose(influence.worth_of(rows, away).n, expected, rtol=1e-12)
    assert_allclose(influence.worth_of(rows, np.zeros(n)).n, rows.units)


@each(
    ("n_values", "n_units", "n_groups"), [(4, 30, 4), (4, 30, 1), (1, 30, 1), (4, 1, 1), (1, 9, 2)]
)
def test_products_of_values_are_those_of_each_two(n_values, n_units, n_groups):
    rng = np.random.default_rng(1)
    values, weight = rng.normal(size=(n_values, n_units)), rng.integers(1, 4, n_units).astype(float)
    group = rng.integers(0, max(n_groups - 1, 1), n_units)
    found = influence._products(values, weight, group, n_groups)
    assert found.shape == (n_groups, n_values, n_values)
    for g in range(n_groups):
        own = group == g
        assert_allclose(found[g], (values[:, own] * weight[own]) @ values[:, own].T, atol=1e-12)


INFLUENCE = np.array(
    [[1.0, -1, 0.5, 0, 0, -0.5], [0, 1, -1, 0.25, 0, -0.25], [-1, 0, 0.5, 0, 0, 0]]
)
COUNT = np.array([1.0, 2, 1, 3, 5, 1])
EVERYWHERE = np.ones((3, 1), dtype=bool)


def rows_of(count, cluster=None):
    """Rows of one group, whose codes do not matter."""
    n = len(count)
    codes, group = np.zeros((3, n), dtype=int), np.zeros(n, dtype=int)
    return RatingRows(codes, np.asarray(count), group, 1, 2, cluster)


def by_hand(values):
    """Of one value for each rater and item (or cluster sum), with n of them."""
    n = values.shape[1]
    own = [sum(x * x for x in one) / (n * (n - 1)) for one in values]
    h = [sum(x * x for x in item) / 3 for item in values.T]
    m = sum(h) ** 2 / sum(x * x for x in h)
    return [np.sqrt((m * v + 10 * sum(own) / 3) / (m + 10)) for v in own]


def test_the_error_follows_its_definition():
    found = error_in_turn(rows_of(COUNT), INFLUENCE, EVERYWHERE).se[:, 0]
    assert_allclose(found, by_hand(INFLUENCE.repeat(COUNT.astype(int), axis=1)))


def test_the_average_has_more_degrees_of_freedom_than_each():
    """What clusters add to the noise of each variance, with the weights of independent ones."""
    cluster = np.array([0, 0, 1, 1, 2, 3])
    found = error_in_turn(rows_of(np.ones(6), cluster), INFLUENCE, EVERYWHERE).df[:, 0]
    sums = np.stack([INFLUENCE[:, cluster == one].sum(axis=1) for one in range(4)], axis=1)
    h = (sums**2).mean(axis=0)
    m = h.sum() ** 2 / (h**2).sum()
    weights = np.array([m / (m + 10) + 10 / (m + 10) / 3, *[10 / (m + 10) / 3] * 2])
    f = rows_of(np.ones(6), cluster).units[0] - 1
    expected = 1 / (1 / 5 + (1 / f - 1 / 5) * (weights**2).sum())
    assert_allclose(found, expected)
    assert f < expected < 5
    for alone in (rows_of(COUNT), rows_of(np.ones(13), np.arange(13))):
        influence = INFLUENCE.repeat(COUNT.astype(int), axis=1)[:, : len(alone.count)]
        influence = INFLUENCE if alone.cluster is None else influence
        assert_allclose(error_in_turn(alone, influence, EVERYWHERE).df, 12)
    one = rows_of(np.ones(6), cluster)
    assert_allclose(error_in_turn(one, INFLUENCE[:1], EVERYWHERE[:1]).df, f)


@each("n_categories", [3, 60_000])
def test_influence_by_cells_is_that_of_the_rows(n_categories):
    """Cells are numbered beyond 32 bits, whatever the type of the groups and codes."""
    rng, n, k = np.random.default_rng(4), 40, n_categories
    codes = np.where(rng.random((3, n)) < 0.5, k - 1, rng.integers(-1, k, (3, n))).astype(np.int32)
    group = rng.integers(0, 2, n).astype(np.int32)
    rows, scale = RatingRows(codes, np.ones(n), group, 2, k), scale_of("quadratic", k)
    cohen, pairs = COEFFICIENTS["cohen"], [(0, 1), (2, 0)]
    found = of_pairs(rows.select((codes >= 0).all(axis=0)), scale, cohen, pairs)
    for pair, values in zip(found.pairs, found.influences(), strict=True):
        assert_allclose(values, influence.of_pair(found.rows, scale, cohen, pair).influence)
