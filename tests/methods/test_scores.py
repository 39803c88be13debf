"""Kappa of scores: other formulas for the same number, brute force, simulation, edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import conftest
import pdkappa
from conftest import each, exactly
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.pair_kappas import DISTANCES, Concordance, concordance_figures
from pdkappa.coefficients.weights import WEIGHTS, Scale

every_distance = each("name", DISTANCES)
POWER = {"linear": 1, "quadratic": 2}


def rows_of(x, y, count=None, group=None, cluster=None):
    """Put the scores of two raters into rows, with what their codes stand for."""
    scores, codes = np.unique(np.array([x, y], dtype=float), return_inverse=True)
    codes = codes.reshape(2, -1)
    return conftest.rows_of(codes, count, group, k=len(scores), cluster=cluster), scores


def measured(x, y, name="quadratic", *, ci="fisher", level=0.95, **options):
    """Estimate from the scores of two raters; one value for each group."""
    rows, scores = rows_of(x, y, **options)
    return concordance_figures(rows, scores, DISTANCES[name], ci=ci, level=level)


def drawn(n, seed=0, rho=0.7):
    """Draw correlated scores, all different."""
    x, e = np.random.default_rng(seed).normal(size=(2, n))
    return x, 0.3 + 0.8 * (rho * x + np.sqrt(1 - rho**2) * e)


few_scores = st.integers(2, 12).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.integers(-4, 4).map(lambda k: k / 3))
)


def test_quadratic_is_lins_concordance_of_population_moments():
    x, y = drawn(200)
    found = measured(x, y)
    apart = (x.mean() - y.mean()) ** 2
    expected = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + apart)
    assert_allclose(found.estimate, expected, rtol=1e-13)
    assert_allclose(found.correlation, stats.pearsonr(x, y).statistic, rtol=1e-13)
    assert_allclose(found.correlation * found.lin_accuracy, found.estimate, rtol=1e-13)
    ratio, shift = x.std() / y.std(), (x.mean() - y.mean()) / np.sqrt(x.std() * y.std())
    assert_allclose(found.lin_accuracy, 2 / (ratio + 1 / ratio + shift**2), rtol=1e-13)
    assert_allclose(found.difference, (x - y).mean(), rtol=1e-13)


@each("n", [3, 10, 200])
def test_corrected_quadratic_is_the_intraclass_correlation(n):
    """ICC(A,1) from the mean squares of a two-way analysis of variance."""
    x, y = drawn(n, seed=n)
    table = np.stack([x, y], axis=1)
    grand, by_row, by_col = table.mean(), table.mean(axis=1), table.mean(axis=0)
    rows = 2 * ((by_row - grand) ** 2).sum() / (n - 1)
    cols = n * ((by_col - grand) ** 2).sum()
    rest = ((table - by_row[:, None] - by_col + grand) ** 2).sum() / (n - 1)
    icc = (rows - rest) / (rows + rest + 2 * (cols - rest) / n)
    assert_allclose(measured(x, y).kappa_u, icc, rtol=1e-12)


@every_distance
def test_correction_compares_different_items_only(name):
    x, y = drawn(30)
    apart = np.abs(x[:, None] - y) ** POWER[name]
    others = apart[~np.eye(30, dtype=bool)].mean()
    assert_allclose(measured(x, y, name).kappa_u, 1 - apart.diagonal().mean() / others, rtol=1e-13)


def test_standard_error_is_that_of_the_formula():
    x, y = drawn(100)
    found = measured(x, y)
    k = found.estimate
    expected = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    reach = (x - y.mean()) ** 2 + y.var() + (y - x.mean()) ** 2 + x.var()
    psi = ((1 - k) * (reach - expected) - (x - y) ** 2) / expected
    assert_allclose(psi.mean(), 0, atol=1e-14)
    assert_allclose(found.se, np.sqrt((psi**2).sum()) / 100, rtol=1e-12)
    slope = 100 * 99 / (99 + k) ** 2
    assert_allclose(found.se_kappa_u, slope * found.se, rtol=1e-12)


@given(few_scores)
@every_distance
def test_the_same_as_from_tables(name, values):
    rows, scores = rows_of(*values)
    counts = count_pairs(rows.codes, len(scores), pairs=[(0, 1)])
    scale = Scale(WEIGHTS[name], scores[None], np.ones((1, len(scores)), dtype=bool))
    table = summarise(counts, scale, COEFFICIENTS["cohen"], ci="wald", level=0.9)
    found = measured(*values, name, ci="wald", level=0.9)
    assert_allclose(found.estimate, table.estimate, rtol=1e-9, atol=1e-12)
    for field in ("se", "ci_low", "ci_high"):
        assert_allclose(getattr(found, field), getattr(table, field), rtol=1e-7, atol=1e-7)
    known = table.reason != "no_variance"  # which is about a test that is not made here
    assert_array_equal(found.reason[known], table.reason[known])


@every_distance
def test_all_pairs_of_items(name):
    x, y = drawn(40)
    y[:10] = x[:10]
    weight = np.arange(40) % 3 + 0.5
    apart = np.abs(x[:, None] - y) ** POWER[name]
    share = weight / weight.sum()
    expected = 1 - (share @ apart.diagonal()) / (share @ apart @ share)
    found = measured(x, y, name, count=weight)
    assert_allclose(found.estimate, expected, rtol=1e-13)
    assert_allclose(found.n_items, weight.sum())


@every_distance
def test_limits_come_from_leaving_out_every_item(name):
    x, y = drawn(15)
    found = measured(x, y, name, level=0.9)
    without = [measured(np.delete(x, i), np.delete(y, i), name).estimate[0] for i in range(15)]
    k = found.estimate[0]
    se = np.sqrt(14 / 15 * np.sum((np.array(without) - k) ** 2))
    half = stats.t.ppf(0.95, 14) * se / (1 - k**2)
    assert_allclose(found.ci_low, np.tanh(np.arctanh(k) - half), rtol=1e-9)
    assert_allclose(found.ci_high, np.tanh(np.arctanh(k) + half), rtol=1e-9)


def test_limits_cover():
    """Nominally 95%; 400 samples, all at once as groups, put the share within 0.92 to 0.975."""
    for n, rho in ((10, 0.9), (20, 0.5)):
        z = np.random.default_rng(n).normal(size=(2, 400 * n))
        y = rho * z[0] + np.sqrt(1 - rho**2) * z[1]
        found = measured(z[0], y, group=np.arange(400 * n) // n)
        inside = (found.ci_low < rho) & (rho < found.ci_high)
        assert 0.92 < inside.mean() < 0.975


@every_distance
@each("exponent", [-1000, -660, -250, 240])
def test_tiny_and_huge_units_do_not_matter(name, exponent):
    """The squares of the first two are no longer floats; in powers of two nothing is rounded."""
    x, y = drawn(30)
    found, other = (measured(x * unit, y * unit, name) for unit in (1.0, 2.0**exponent))
    for field in Concordance._fields:
        unit = 2.0**exponent if field == "difference" else 1.0
        plain = getattr(found, field)
        assert_array_equal(getattr(other, field), plain if field == "reason" else plain * unit)


@given(few_scores)
@every_distance
def test_ranges_and_symmetry(name, values):
    found, swapped = measured(*values, name), measured(*values[::-1], name)
    for field in Concordance._fields:
        if field in ("difference", "reason"):
            continue
        assert_allclose(getattr(found, field), getattr(swapped, field), rtol=1e-7, atol=1e-7)
    assert_allclose(found.difference, -swapped.difference, atol=1e-12)
    if not np.isnan(found.estimate[0]):
        assert -1 - 1e-9 <= found.estimate[0] <= 1
    if not np.isnan(found.se[0]):
        assert -1 <= found.ci_low[0] <= found.estimate[0] <= found.ci_high[0] <= 1
        assert found.ci_low[0] < found.ci_high[0]


def test_clusters_that_repeat_items():
    """Two copies of each item are no more than one."""
    x, y = drawn(50)
    plain = measured(x, y, cluster=np.arange(50))
    twice = measured(
        np.tile(x, 2), np.tile(y, 2), cluster=np.tile(np.arange(50), 2), count=np.full(100, 1.0)
    )
    assert_allclose(twice.se, plain.se, rtol=1e-12)
    assert_allclose([twice.ci_low, twice.ci_high], [plain.ci_low, plain.ci_high], rtol=1e-12)


EDGES = {
    "nothing": ([], [], np.nan, "no_joint_items"),
    "one item, equal": ([2.5], [2.5], np.nan, "constant_ratings"),
    "one item, unequal": ([2.5], [3.5], 0.0, "n_lt_2"),
    "all the same": ([0.1] * 3, [0.1] * 3, np.nan, "constant_ratings"),
    "both constant": ([0.1] * 7, [0.3] * 7, 0.0, "constant_rater"),
    "one constant": ([0.1, 0.1, 0.1], [0.1, 0.2, 0.3], 0.0, "constant_rater"),
    "perfect": ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 1.0, ""),
    "opposite": ([1, 2], [2, 1], -1.0, ""),
}


@every_distance
@each(("x", "y", "estimate", "reason"), EDGES.values())
def test_edges(name, x, y, estimate, reason):
    found = measured(np.array(x, dtype=float), np.array(y, dtype=float), name)
    assert_array_equal(found.estimate, [estimate])
    assert found.reason.tolist() == [reason]
    assert np.isnan(found.se[0]) == bool(reason)
    assert np.isnan(found.ci_low[0]) == np.isnan(found.ci_high[0]) == bool(reason)
    assert np.isnan(found.correlation[0]) == np.isnan(found.lin_accuracy[0]) == bool(reason)


def test_correction_where_no_two_items_differ():
    """Two items with exchanged scores: nothing is to be expected by chance."""
    assert np.isnan(measured(np.array([1.0, 2.0]), np.array([2.0, 1.0])).kappa_u[0])


nan = float("nan")


def simulated(n_items, seed=0):
    """Return the scores of two raters, of whom the second is stricter."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(5, 2, n_items)
    return pd.DataFrame({name: truth + rng.normal(size=n_items) for name in "ab"}).assign(
        b=lambda frame: frame["b"] - 0.5
    )


def test_exact_limits_cover_where_approximate_ones_do_not():
    """Of 4,000 samples of ten items, 95% of the limits of the upper limit hold the true one."""
    frame = simulated(40_000).assign(sample=np.repeat(np.arange(4000), 10))
    found = frame.kappa.scores.bland_altman("a", "b", by="sample").xs("upper_limit", level="figure")
    true = 0.5 + 1.959963984540054 * np.sqrt(2)
    missed = [(found["ci_low"] > true).mean(), (found["ci_high"] < true).mean()]
    assert missed == pytest.approx([0.025, 0.025], abs=0.007)
    plain = found["estimate"] + 2.262 * found["se"]  # of Bland and Altman
    assert (plain < true).mean() > 0.05


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_few_clusters_have_limits_wide_enough():
    """Of 1,000 samples of 15 clusters of four items that share half of the variance."""
    rng, n = np.random.default_rng(6), 1000 * 60
    shared, own = rng.normal(size=(2, n // 4)).repeat(4, axis=1), rng.normal(size=(2, n))
    apart, middle = np.sqrt(0.5) * (shared + own)
    frame = pd.DataFrame({"a": middle + apart / 2, "b": middle - apart / 2})
    frame = frame.assign(sample=np.arange(n) // 60, cluster=np.arange(n) // 4)
    found = frame.kappa.scores.bland_altman("a", "b", by="sample", cluster="cluster")
    z = stats.norm.ppf(0.975)
    truth = {"bias": 0, "sd": 1, "lower_limit": -z, "upper_limit": z, "slope": 0}
    for figure, value in truth.items():
        rows = found.xs(figure, level="figure")
        inside = (rows["ci_low"] <= value) & (value <= rows["ci_high"])
        assert inside.mean() == pytest.approx(0.945, abs=0.03), figure


def test_order_and_units():
    frame = simulated(30)[["a", "b"]]
    one, turned, wide = (
        data.kappa.scores.bland_altman(*names)["estimate"]
        for data, names in ((frame, "ab"), (frame, "ba"), (1000 * frame, "ab"))
    )
    np.testing.assert_allclose(one[["bias", "slope"]], -turned[["bias", "slope"]])
    np.testing.assert_allclose(wide, one * [1000, 1000, 1000, 1000, 1])


@each("kind", ["ccc", "linear"])
def test_scores_of_a_group_are_compared_as_if_there_were_no_other(kind):
    frame = simulated(300).assign(g=np.arange(300) // 7 % 3)  # over a hundred scores in each
    frame["b"] += 100 * frame["g"]
    found = frame.kappa.scores.concordance(["a", "b"], by="g", kind=kind)
    for group, own in frame.groupby("g"):
        alone = own.kappa.scores.concordance(["a", "b"], kind=kind)
        assert_frame_equal(found.loc[[group]].reset_index(drop=True), alone, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("kind", ["ccc", "linear"])
@each("cluster", [None, "cluster"])
def test_limits_of_a_pair_depend_on_nothing_else(kind, cluster):
    """Neither on other raters, nor on other groups, one of which has more scores than `pairs`."""
    frame = simulated(240).round().assign(g=np.arange(240) // 80, cluster=np.arange(240) // 4)
    frame["c"] = simulated(240, seed=1)["a"]
    frame.loc[:79, "b"] = frame["c"]
    raters, options = ["a", "b", "c"], {"kind": kind, "cluster": cluster}
    found = frame.kappa.scores.concordance(raters, by="g", **options).reset_index()
    for group, own in frame.groupby("g"):
        for a, b in ("ab", "ac", "bc"):
            alone = own.kappa.scores.concordance([a, b], **options)
            row = found[(found["g"] == group) & (found["rater_a"] == a) & (found["rater_b"] == b)]
            assert_frame_equal(row[list(alone)].reset_index(drop=True), alone)
    weights = {"ccc": "quadratic", "linear": "linear"}[kind]
    pair = frame.kappa.pairs(["a", "b"], by="g", weights=weights, cluster=cluster).iloc[1:]
    own = found[found["rater_b"] == "b"].iloc[1:]
    figures = ["estimate", "se", "ci_low", "ci_high"]
    assert_frame_equal(own[figures].reset_index(drop=True), pair[figures].reset_index(drop=True))


def test_limits_of_agreement_have_the_error_of_a_mean_and_of_a_standard_deviation():
    apart = (frame := simulated(30))["a"] - frame["b"]
    found = frame.kappa.scores.bland_altman("a", "b", cluster=range(30))
    variance = apart.var() * (1 / 30 + stats.norm.ppf(0.975) ** 2 / (2 * 29))
    assert_allclose(found.loc[["lower_limit", "upper_limit"], "se"], np.sqrt(variance), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each(
    ("a", "b", "estimates", "reason"),
    [
        ([1, nan], [nan, 2], [nan] * 5, "no_joint_items"),
        ([1], [3], [-2, nan, nan, nan, nan], "n_lt_2"),
        ([1, 2, 4], [2, 3, 5], [-1, 0, -1, -1, 0], "no_variance"),
        ([0.1, 0.2, 0.3], [0.3, 0.4, 0.5], [-0.2, 0, -0.2, -0.2, 0], "no_variance"),
    ],
)
def test_what_is_undefined_has_a_reason(a, b, estimates, reason):
    found = pd.DataFrame({"a": a, "b": b}, dtype=float).kappa.scores.bland_altman("a", "b")
    np.testing.assert_allclose(found["estimate"], estimates, atol=1e-12)
    assert found[["se", "ci_low", "ci_high", "p_value"]].isna().all(axis=None)
    assert set(found["reason"]) == {reason}


def test_two_items_have_no_error_of_the_slope():
    found = pd.DataFrame({"a": [1, 2], "b": [2, 4]}).kappa.scores.bland_altman("a", "b")
    assert found["reason"].tolist() == ["", "", "", "", "few_items"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each(
    ("a", "b", "slope"),
    [
        (range(1, 13), range(12, 0, -1), nan),  # all means are the same
        (range(1, 13), [3] * 12, 2),  # an identity, whatever the scores are
        ([0.1, 0.2, 0.4, 0.8], [0.2, 0.4, 0.8, 1.6], -2 / 3),
    ],
)
def test_a_slope_without_anything_beside_the_line_has_no_limits(a, b, slope):
    found = pd.DataFrame({"a": a, "b": b}).kappa.scores.bland_altman("a", "b")
    assert found["reason"].tolist() == ["", "", "", "", "no_variance"]
    assert_allclose(found.loc["slope", "estimate"], slope)
    assert found.loc["slope", ["se", "ci_low", "ci_high", "p_value"]].isna().all()


@each(("n", "size"), [(50, 2.0**41), (200_000, 2.0**42)])
def test_large_scores_have_the_limits_of_small_ones(n, size):
    """As times in milliseconds since 1970 are; their means have more digits than a float."""
    rng = np.random.default_rng(0)
    small = pd.DataFrame(rng.integers(-9000, 9000, (n, 2)) / 1024, columns=["a", "b"])
    names = "a", "b"
    found, expected = (one.kappa.scores.bland_altman(*names) for one in (small + size, small))
    assert_frame_equal(found, expected, rtol=1e-9, atol=1e-12)
    both = pd.concat([small.assign(g=1), (small * 2.0**50 + size).assign(g=2)])
    of_group = both.kappa.scores.bland_altman(*names, by="g").loc[1]
    assert_frame_equal(of_group, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.needs("matplotlib")
def test_the_picture_shows_every_item_once():
    from matplotlib import pyplot as plt

    frame = pdkappa.datasets.load_essays().query("essay_set == 1")
    ax = frame.kappa.plot.bland_altman("machine", "human_1", confidence_level=0.9)
    dots = ax.collections[0]
    apart = pd.DataFrame(
        {"d": frame["machine"] - frame["human_1"], "m": frame[["machine", "human_1"]].mean(axis=1)}
    )
    counts = apart.value_counts()
    assert len(dots.get_offsets()) == len(counts)
    largest = dots.get_offsets()[np.argmax(dots.get_sizes())]
    assert tuple(largest[::-1]) == counts.index[0]
    figures = frame.kappa.scores.bland_altman("machine", "human_1", confidence_level=0.9)
    assert [text.get_text() for text in ax.texts] == [
        "lower limit \N{MINUS SIGN}2.31",
        "bias \N{MINUS SIGN}0.04",
        "upper limit 2.23",
    ]
    drawn = [line.get_ydata()[0] for line in ax.get_lines()[1:]]
    np.testing.assert_allclose(
        drawn, figures["estimate"].loc[["lower_limit", "bias", "upper_limit"]]
    )
    assert ax.get_ylabel() == "machine minus human_1"
    plt.close(ax.figure)


def simulated_shares(holes=0.0):
    """Return four raters of sixty items in two sets, in whole scores with many ties."""
    rng = np.random.default_rng(3)
    values = np.clip(rng.normal(3, 1, (60, 1)) + rng.normal(size=(60, 4)), 1, 5).round()
    frame = pd.DataFrame(values, columns=list("abcd")).mask(rng.random((60, 4)) < holes)
    return frame.assign(set=np.repeat(["x", "y"], 30))


@pytest.mark.oracle
@each("holes", [0.0, 0.2])
def test_shares_by_hand_and_wilsons_limits(holes):
    frame = simulated_shares(holes)
    found = frame.kappa.scores.within(list("abcd"), by="set", confidence_level=0.9)
    assert found.index.tolist() == ["x"] * 6 + ["y"] * 6
    for name, row in zip(found.index, found.to_dict("records"), strict=True):
        part = frame.loc[frame["set"] == name, [row["rater_a"], row["rater_b"]]].dropna()
        near = part.diff(axis=1).iloc[:, 1].abs() <= 1
        limits = proportion_confint(near.sum(), len(part), 0.1, "wilson")
        se = np.sqrt(near.mean() * (1 - near.mean()) / len(part))
        expected = [len(part), near.mean(), se, *limits]
        ours = [row[key] for key in ("n_items", "estimate", "se", "ci_low", "ci_high")]
        assert ours == pytest.approx(expected)
    several = frame[list("abcd")].loc[lambda part: part.notna().sum(axis=1) > 1]
    apart = several.max(axis=1) - several.min(axis=1)
    every = frame.kappa.scores.within(list("abcd"), tolerance=2, together=True)
    assert every["estimate"].item() == pytest.approx((apart <= 2).mean())
    assert every[["rater_a", "rater_b"]].isna().all(axis=None)


def test_decimals_that_are_one_step_apart_are_within_it():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.3], "b": [0.2, 0.3, 0.2, 0.5]})
    assert frame.kappa.scores.within(tolerance=0.1)["estimate"].item() == 0.75
    assert frame.kappa.scores.within(tolerance=0)["estimate"].item() == 0
    limits = frame.kappa.scores.within(tolerance=9)[["se", "ci_low", "ci_high"]].to_numpy()
    np.testing.assert_allclose(limits, [[0, 0.51010916, 1]])


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_what_is_no_share():
    frame = pd.DataFrame({"a": [1, nan], "b": [nan, 2]})
    for together in (False, True):
        found = frame.kappa.scores.within(together=together)
        assert found["reason"].tolist() == ["no_joint_items"]
        assert found[["estimate", "se", "ci_low", "ci_high"]].isna().all(axis=None)
    for tolerance in (-1, nan, "1", True):
        message = f"tolerance={tolerance!r} must be a number from 0 upwards."
        with pytest.raises(pdkappa.errors.OptionError, match=exactly(message)):
            frame.kappa.scores.within(tolerance=tolerance)


def test_kendall_is_friedmans_test_turned():
    """With ties, in groups, with missing ratings left out."""
    frame = simulated_shares(0.1)
    found = frame.kappa.scores.kendall_w(list("abcd"), by="set")
    for name, part in frame.groupby("set"):
        complete = part[list("abcd")].dropna()
        chi2, p_value = stats.friedmanchisquare(*complete.to_numpy())
        row = found.loc[name]
        assert row[["n_items", "df"]].tolist() == [len(complete), len(complete) - 1]
        assert row[["chi2", "p_value"]].tolist() == pytest.approx([chi2, p_value])
        assert row["estimate"] == pytest.approx(chi2 / (4 * (len(complete) - 1)))


def test_only_the_order_counts():
    frame = simulated_shares().drop(columns="set")
    found = frame.kappa.scores.kendall_w()
    assert_frame_equal(np.exp(frame).kappa.scores.kendall_w(), found)
    words = frame.replace(dict(enumerate(["", "e", "d", "c", "b", "a"])))
    assert_frame_equal(words.kappa.scores.kendall_w(categories=list("edcba")), found)
    twice = pd.concat([frame, frame])
    counted = frame.assign(w=2).kappa.scores.kendall_w(list("abcd"), sample_weight="w")
    assert_frame_equal(counted, twice.kappa.scores.kendall_w(), check_dtype=False)
    spearman = frame.assign(e=frame["a"].rank(method="first"))[["e"]]
    spearman = spearman.assign(f=np.random.default_rng(0).permutation(60))
    rho = spearman.corr("spearman").loc["e", "f"]
    assert spearman.kappa.scores.kendall_w()["estimate"].item() == pytest.approx((1 + rho) / 2)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each(
    ("rows", "estimate", "reason"),
    [
        ([[nan, nan], [nan, nan]], nan, "no_items"),
        ([[1, nan], [nan, 2]], nan, "no_items"),
        ([[1, 2]], nan, "n_lt_2"),
        ([[2, 3], [2, 3]], nan, "constant_ratings"),
        ([[1, 1], [2, 2]], 1, ""),
        ([[1, 2], [2, 1]], 0, ""),
    ],
)
def test_edges_of_kendall(rows, estimate, reason):
    found = pd.DataFrame(rows, columns=["a", "b"], dtype=float).kappa.scores.kendall_w(["a", "b"])
    np.testing.assert_equal(found["estimate"].item(), estimate)
    assert found["reason"].item() == reason
