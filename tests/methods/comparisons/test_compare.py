"""Comparisons of coefficients as the user meets them: frames, options, reasons, messages."""

import warnings
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

import pdkappa
from conftest import covariance, each, exactly, function_of, raising, rows_of, scale_of
from elsewhere.planted import FINDINGS
from pdkappa import datasets, errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import Moments
from pdkappa.coefficients.means_over_groups import (
    Mover,
    against_the_rest,
    all_groups_equal,
    along_a_line,
)
from pdkappa.coefficients.pair_kappas import of_pairs, worst
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.comparisons.compare import (
    all_equal,
    compare,
    compare_groups,
    contrast,
    homogeneity,
    non_inferiority,
    t_test,
)
from pdkappa.methods.machine.ceiling import ceiling
from pdkappa.present import schema

HUMANS, MACHINE = ("human_1", "human_2"), ("human_1", "machine")
TESTED = ["difference", "se", "ci_low", "ci_high", "z", "p_value"]
BY_MARGIN = [*TESTED, "p_adjusted", *schema.BY_MARGIN]


@pytest.fixture(name="essays", scope="module")
def _essays():
    return datasets.load_essays()


@pytest.fixture(name="gaps")
def _gaps():
    """Ratings of 120 items by four raters, with a fifth missing, groups, weights, clusters."""
    rng = np.random.default_rng(4)
    seen = np.clip(rng.integers(1, 6, (120, 1)) + rng.integers(-1, 2, (120, 4)), 1, 5)
    frame = pd.DataFrame(seen, columns=list("abcd")).mask(rng.random(seen.shape) < 0.2)
    frame["half"] = np.repeat(["x", "y"], [50, 70])
    frame["times"] = rng.integers(1, 4, 120)
    frame["pupil"] = rng.integers(0, 30, 120)
    return frame


def everything(data, **options):
    """Every comparison of some raters, as name and frame."""
    return {
        "compare": compare(data, ("a", "b"), ("a", "c"), **options),
        "homogeneity": homogeneity(data, list("abc"), **options),
        "ceiling": ceiling(data, ["b", "c"], "a", **options),
    }


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_estimates_are_those_of_pairs(gaps, coefficient):
    options = {"by": "half", "coefficient": coefficient, "weights": "linear"}
    names = list("abc")
    table = gaps.kappa.pairs(names, **options).set_index(["rater_a", "rater_b"], append=True)
    found = compare(gaps, ("a", "b"), ("c", "b"), **options)
    for row in found.itertuples():
        ab, bc = table.loc[(row.Index, "a", "b")], table.loc[(row.Index, "b", "c")]
        assert_allclose([row.estimate_first, row.estimate_second], [ab.estimate, bc.estimate])
        assert [row.n_first, row.n_second] == [ab.n_items, bc.n_items]
        assert_allclose(row.difference, ab.estimate - bc.estimate)


def test_the_difference_has_the_variance_of_the_covariances(gaps):
    """With all items rated, where the items of the pairs are those of all raters."""
    whole = gaps[list("abcd")].dropna()
    v = covariance(whole, weights="quadratic")
    row = compare(whole, ("a", "b"), ("c", "d"), weights="quadratic").iloc[0]
    one, other = ("a", "b"), ("c", "d")
    expected = v.loc[one, one] + v.loc[other, other] - 2 * v.loc[one, other]
    assert_allclose(row["se"] ** 2, expected)
    spread = np.sqrt(v.loc[one, one] * v.loc[other, other])
    assert_allclose(row["correlation"], v.loc[one, other] / spread)


def test_sides_swap(gaps):
    one = compare(gaps, ("a", "b"), ("c", "d")).iloc[0]
    other = compare(gaps, ("c", "d"), ("b", "a")).iloc[0]
    figures = ["difference", "z", "ci_low", "ci_high"]
    swapped = ["difference", "z", "ci_high", "ci_low"]
    assert_allclose(one[figures].tolist(), -other[swapped].to_numpy(float), atol=1e-12)
    assert_allclose(one["p_value"], other["p_value"])


@pytest.mark.parametrize("raters", ["ab", "abcd"])
@pytest.mark.parametrize("options", [{}, {"cluster": "pupil"}, {"sample_weight": "times"}], ids=str)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_limits_of_a_difference_are_made_of_those_of_both_groups(gaps, raters, options):
    """By Zou and Donner's formula; and p is the level at which they reach the hypothesis."""
    options = {"by": "half", "weights": "linear", **options}
    named = {} if len(raters) == 2 else {"coefficient": "fleiss"}
    row = compare_groups(gaps, list(raters), margin=0.4, **named, **options).iloc[0]
    table = (
        gaps.kappa.pairs(list(raters), **options)
        if len(raters) == 2
        else gaps.kappa.agreement(list(raters), coefficients="fleiss", **options)
    )
    k, se, low, high = table[["estimate", "se", "ci_low", "ci_high"]].to_numpy().T
    assert_allclose(row["difference"], k[0] - k[1])
    assert_allclose(row["se"], np.hypot(*se))
    assert_allclose(row["ci_low"], k[0] - k[1] - np.hypot(k[0] - low[0], high[1] - k[1]))
    assert_allclose(row["ci_high"], k[0] - k[1] + np.hypot(high[0] - k[0], k[1] - low[1]))
    for p_value, null in ((row["p_value"], 0), (2 * row["p_non_inferior"], -0.4)):
        if p_value == 1:  # guarded limits hold the difference at any level
            continue
        level = 1 - p_value
        there = compare_groups(gaps, list(raters), confidence_level=level, **named, **options)
        assert_allclose(there[["ci_low", "ci_high"]].sub(null).abs().min(axis=1), 0, atol=1e-4)


def test_groups_are_swapped_with_their_signs(gaps):
    one = compare_groups(gaps, ["a", "b"], by="half", margin=0.1).iloc[0]
    other = compare_groups(
        gaps.assign(half=gaps["half"].map({"x": "y", "y": "x"})), ["a", "b"], by="half"
    ).iloc[0]
    figures = ["difference", "z", "ci_low", "ci_high", "estimate_first"]
    swapped = ["difference", "z", "ci_high", "ci_low"]
    assert_allclose(one[figures[:4]].tolist(), -other[swapped].to_numpy(float), atol=1e-12)
    assert_allclose(
        [one["p_value"], one["estimate_first"]], [other["p_value"], other["estimate_second"]]
    )


def test_perfect_agreement_on_three_items_proves_nothing():
    """They have a standard error of zero, and limits from below zero up in `pairs`."""
    ours = [1, 2, 3] + [1, 2] * 50
    theirs = [1, 2, 3] + [1, 2] * 42 + [2, 1] * 8
    frame = pd.DataFrame({"site": [0] * 3 + [1] * 100, "a": ours, "b": theirs})
    row = compare_groups(frame, ["a", "b"], by="site").iloc[0]
    assert_allclose([row["estimate_first"], row["estimate_second"]], [1, 0.68])
    assert_allclose(row["difference"], 0.32)
    assert row["ci_low"] < 0 < row["ci_high"]
    assert row["p_value"] > 0.3
    assert not row["reason"]
    one, two = frame[frame["site"] == 0], frame[frame["site"] == 0].assign(site=2)
    both = compare_groups(pd.concat([one, two]), ["a", "b"], by="site").iloc[0]
    assert (both["difference"], both["p_value"], both["reason"]) == (0, 1, "")


def test_all_groups_together_are_tested(essays):
    """Equal groups are no find; a group of other ratings is."""
    options = {"by": "essay_set", "weights": "quadratic"}
    found = compare_groups(essays, [*HUMANS, "machine"], **options)
    assert found.attrs["all_groups"]["df"] == found.full.attrs["all_groups"]["df"] == 7
    assert len(found) == 28
    same = pd.concat([essays.query("essay_set == 1").assign(essay_set=k) for k in range(3)])
    test = compare_groups(same, list(HUMANS), **options).attrs["all_groups"]
    assert_allclose([test["q"], test["p_value"]], [0, 1], atol=1e-12)
    differ = same.assign(human_2=same["human_2"].where(same["essay_set"] < 2, 12 - same["human_2"]))
    assert compare_groups(differ, list(HUMANS), **options).attrs["all_groups"]["p_value"] < 1e-9


def test_two_humans_and_a_machine_are_a_contrast_of_three(gaps):
    """Of the covariances of all pairs."""
    whole = gaps[list("abcd")].dropna()
    v = covariance(whole, weights="quadratic").to_numpy()
    table = whole.kappa.pairs(weights="quadratic")
    machine = (table["rater_a"] == "a").to_numpy()
    weights = machine / 3 - ~machine / 3
    row = ceiling(whole, list("bcd"), "a", weights="quadratic").iloc[0]
    assert_allclose(row["difference"], weights @ table["estimate"])
    turns = np.array([table[["rater_a", "rater_b"]].eq(one).any(axis=1) for one in "abcd"])
    own = np.array([one @ v @ one for one in turns / 3 - ~turns / 3])
    assert_allclose(own[0], weights @ v @ weights)
    assert own[0] < row["se"] ** 2 < own.mean()
    assert_allclose(row["estimate_machine"], table["estimate"][machine].mean())
    assert_allclose(row["estimate_humans"], table["estimate"][~machine].mean())
    assert (row["n_machine_pairs"], row["n_human_pairs"]) == (3, 3)


def test_a_margin_shifts_the_one_sided_test(essays):
    one = essays[essays["essay_set"] == 2]
    for margin in (0.01, 0.02, 0.1):
        found = ceiling(one, list(HUMANS), "machine", margin=margin, weights="quadratic")
        row = found.iloc[0]
        t = (row["difference"] + margin) / row["se"]
        assert_allclose(row["p_non_inferior"], stats.t(row["n_items"] - 1).sf(t))
        assert row["margin"] == margin
        assert row["non_inferior"] == (row["p_non_inferior"] < 0.025) == (row["ci_low"] > -margin)


def test_few_disagreements_find_no_one_apart():
    """Of 15 items, five percent of samples would do; without the others' errors it was 15."""
    rng, n, times = np.random.default_rng(4), 15, 800
    truth, own = rng.integers(0, 3, n * times), rng.integers(0, 3, (4, n * times))
    ratings = np.where(rng.random(own.shape) < 0.775, truth, own)
    data = pd.DataFrame(ratings.T, columns=list("abcd"))
    data["sample"] = np.repeat(np.arange(times), n)
    alone = ceiling(data, list("bcd"), "a", by="sample")
    assert 0.01 < (alone["p_value"] < 0.05).mean() < 0.06
    found = data.kappa.raters(list("abcd"), by="sample").xs("a", level="rater")
    assert_allclose(found["p_value"], alone["p_value"], rtol=1e-9)


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.1])
def test_a_margin_adds_tests_that_agree_with_limits(essays, margin):
    """Of both comparisons, at the level .05 with limits at .90; equivalence within both margins."""
    found = [
        compare(essays, HUMANS, MACHINE, by="essay_set", margin=margin, confidence_level=0.9),
        compare_groups(essays, list(HUMANS), by="essay_set", margin=margin, confidence_level=0.9),
    ]
    for frame in found:
        assert [name for name in frame if name in BY_MARGIN] == BY_MARGIN
        assert_array_equal(frame["margin"], margin)
        low, high = frame["ci_low"], frame["ci_high"]
        assert_array_equal(frame["p_non_inferior"] < 0.05, low > -margin)
        assert_array_equal(frame["p_equivalent"] < 0.05, (low > -margin) & (high < margin))
    frame, df = found[0], found[0]["n_items"] - 1
    upper = stats.t(df).sf((margin - frame["difference"]) / frame["se"])
    assert_allclose(frame["p_equivalent"], np.maximum(upper, frame["p_non_inferior"]))


@pytest.mark.parametrize("order", list(permutations("abc")), ids="".join)
def test_the_order_of_raters_does_not_matter(gaps, order):
    one, other = homogeneity(gaps, list("abc")), homogeneity(gaps, list(order))
    assert_frame_equal(one, other)


def test_clusters_change_the_error_and_nothing_else(gaps):
    twice = pd.concat([gaps, gaps], ignore_index=True)
    for name, frame in everything(twice, cluster=np.tile(np.arange(120), 2)).items():
        alone = everything(gaps, cluster=np.arange(120))[name].drop(columns="n_items")
        counts = ["n_items", "n_first", "n_second"]
        kept = [column for column in alone if column not in counts]
        # The noise of clusters, not that of items, is averaged over raters: see `error_in_turn`.
        nearly = {"rtol": 5e-3} if name.startswith("ceiling") else {}
        assert_frame_equal(frame[kept], alone[kept], **nearly)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_each_item_alone_is_no_cluster(gaps):
    """Whatever rounding makes of the degrees of freedom."""
    for n in (7, 9, 12, 60, 120):
        some = gaps[:n].reset_index(drop=True)
        for call in (lambda d, **o: ceiling(d, ["b", "c"], "a", **o), function_of("raters")):
            alone = call(some[list("abc")])
            nested = call(some[list("abc")], cluster=np.arange(n))
            assert_frame_equal(nested, alone, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_a_pair_with_a_part_of_all_clusters_has_their_error():
    """Rater d rated half of the items of each of six clusters, which stay six."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 120)
    columns = {c: np.where(rng.random(120) < 0.7, truth, rng.integers(0, 3, 120)) for c in "abcd"}
    data = pd.DataFrame(columns).astype(float).assign(k=np.arange(120) // 20)
    data.loc[np.arange(120) % 2 == 0, "d"] = np.nan
    found = covariance(data, list("abcd"), cluster="k")
    for pair in (("a", "d"), ("b", "d")):
        own = covariance(data.dropna(), [*pair, "a" if "b" in pair else "b"], cluster="k")
        name = next(one for one in own.columns if set(one) == set(pair))
        assert_allclose(found.loc[pair, pair], own.loc[name, name], rtol=1e-9)


def test_renaming_categories_changes_nothing(gaps):
    names = dict(zip(range(1, 6), "vwxyz", strict=True))
    text = gaps.copy()
    text[list("abcd")] = text[list("abcd")].apply(lambda column: column.map(names))
    for name, frame in everything(gaps).items():
        assert_frame_equal(everything(text)[name], frame)


def test_a_pair_and_itself_do_not_differ(gaps):
    row = compare(gaps, ("a", "b"), ("b", "a")).iloc[0]
    assert (row["difference"], row["se"], row["reason"]) == (0, 0, "no_variance")
    assert row[["ci_low", "ci_high", "z", "p_value"]].isna().all()
    assert_allclose(row["correlation"], 1)


UNDEFINED = {
    "no_items": {"a": [None, None], "b": [None, None], "c": [None, None]},
    "no_joint_items": {"a": [1, None, 2], "b": [None, 1, None], "c": [1, 1, 2]},
    "constant_ratings": {"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 2, 1]},
}


@pytest.mark.parametrize("reason", UNDEFINED)
def test_what_is_undefined_is_nan_with_a_reason_and_a_warning(reason):
    frame = pd.DataFrame(UNDEFINED[reason], dtype="Int64")
    message = f"1 of 1 comparison is undefined (NaN): {reason}. The column 'reason' says why."
    with pytest.warns(errors.UndefinedKappaWarning, match=exactly(message)) as caught:
        row = compare(frame, ("a", "b"), ("a", "c")).iloc[0]
    assert len(caught) == 1
    assert row["reason"] == reason
    assert row[[*TESTED, "correlation"]].isna().all()
    with pytest.warns(errors.UndefinedKappaWarning, match=exactly(message)):
        row = homogeneity(frame).iloc[0]
    assert row[["f", "df1", "df2", "p_value"]].isna().all()


def test_a_constant_rater_has_a_difference_and_no_test():
    frame = pd.DataFrame({"a": [1, 2, 1, 2], "b": [1, 1, 1, 1], "c": [1, 2, 2, 2]})
    row = compare(frame, ("a", "b"), ("a", "c")).iloc[0]
    assert (row["estimate_first"], row["difference"]) == (0, -0.5)
    assert row["reason"] == "constant_rater"
    assert row[["se", "ci_low", "p_value", "correlation"]].isna().all()


def crossed():
    """Return a machine and four humans, of whom c and d share two items of one category."""
    rng = np.random.default_rng(3)
    seen = np.clip(rng.integers(1, 6, (90, 1)) + rng.integers(-1, 2, (90, 5)), 1, 5)
    seen[69:71, 3:] = 4
    seen[70, 2] = 3
    data = pd.DataFrame(seen, columns=list("mabcd"))
    rows = data.index
    b, c, d = (rows < 43) | (rows == 70), (rows >= 30) & (rows < 71), rows >= 69
    return data.where(np.column_stack([rows >= 0, rows >= 0, b, c, d]))


def test_a_pair_that_says_nothing_is_left_out_and_named():
    data = crossed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = ceiling(data, list("abcd"), "m", margin=0.5).iloc[0]
    with pytest.warns(errors.UndefinedKappaWarning):  # of the pair itself
        both = data.kappa.report(list("mabcd"), machine="m", detail="brief").tables["machines"]
    assert row["remark"] == "left out: b with d (constant_rater), c with d (constant_ratings)"
    assert (row["n_machine_pairs"], row["n_human_pairs"], row["reason"]) == (4, 4, "")
    assert pd.notna(row["non_inferior"])
    assert_allclose(both.loc["m", TESTED].astype(float), row[TESTED].astype(float))
    used = [data.kappa.pairs(list(pair))["estimate"][0] for pair in ("ab", "ac", "ad", "bc")]
    assert_allclose(row["estimate_humans"], np.mean(used))


def test_many_pairs_left_out_are_counted():
    row = ceiling(crossed().assign(za=None, zb=None, zc=None), ["a", "b", "za", "zb", "zc"], "m")
    row = row.iloc[0]
    assert row["remark"] == (
        "left out: m with za (no_joint_items), m with zb (no_joint_items), m with zc "
        "(no_joint_items), a with za (no_joint_items), a with zb (no_joint_items) and 7 more pairs"
    )


def test_one_group_does_not_end_the_others(gaps):
    """Of its twelve items, differences of some pairs have a variance of minus rounding error."""
    b, c = [1, 0, 0, 0, 1, 0, 2, 2, 0, 2, 0, 1], [1, 1, 0, 0, 1, 0, 2, 2, 0, 2, 0, 1]
    odd = pd.DataFrame({"a": [*b[:6], 0, *b[7:]], "b": b, "c": c, "d": b, "half": "odd"})
    found = homogeneity(pd.concat([gaps, odd]), list("abcd"), by="half", weights="quadratic")
    alone = homogeneity(gaps, list("abcd"), by="half", weights="quadratic")
    assert_frame_equal(found.loc[["x", "y"]], alone)
    assert found.loc["odd", "reason"] == ""
    assert 0 < found.loc["odd", "p_value"] < 1


AB, AC = ("a", "b"), ("a", "c")
MESSAGES = {
    "one column": lambda df: compare(df, "ab", AC),
    "a set": lambda df: compare(df, AB, {"a"}),
    "three columns": lambda df: compare(df, AB, ("a", "b", "c")),
    "no label": lambda df: compare(df, (["a"], "b"), AC),
    "a rater with himself": lambda df: compare(df, ("a", "a"), AC),
    "unknown column": lambda df: compare(df, AB, ("a", "e")),
    "coefficient": lambda df: compare(df, AB, AC, coefficient="alpha"),
    "missing": lambda df: compare(df, AB, AC, missing="drop"),
    "level": lambda df: compare(df, AB, AC, confidence_level=95),
    "same rater in groups": lambda df: compare_groups(df, ["a", "a"], by="half"),
    "one group": lambda df: compare_groups(df[:9], ["a", "b"], by="half"),
    "no group": lambda df: compare_groups(df, ["a", "b"], by=None),
    "two raters": lambda df: homogeneity(df, ["a", "b"]),
    "humans as text": lambda df: ceiling(df, "b", "a"),
    "one human": lambda df: ceiling(df, ["b"], "a"),
    "a human twice": lambda df: ceiling(df, ["b", "c", "b"], "a"),
    "a human machine": lambda df: ceiling(df, ["a", "b"], "a"),
    "margin": lambda df: ceiling(df, ["b", "c"], "a", margin=-0.1),
    "margin as text": lambda df: ceiling(df, ["b", "c"], "a", margin="10%"),
    "margin of two pairs": lambda df: compare(df, AB, AC, margin=-1),
    "coefficient of a pair": lambda df: compare_groups(
        df, list("abc"), by="half", coefficient="cohen"
    ),
    "coefficient of all": lambda df: compare_groups(
        df, ["a", "b"], by="half", coefficient="fleiss"
    ),
    "margin of groups": lambda df: compare_groups(df, ["a", "b"], by="half", margin=np.inf),
}


@raising("comparisons", MESSAGES)
def test_the_whole_message(gaps, call, refused):
    with refused():
        call(gaps)


@pytest.mark.parametrize("by", [None, "essay_set"])
def test_several_machines_are_as_many_calls(by):
    data = pdkappa.datasets.load_essays().query("essay_set in [3, 4]")
    data = data.assign(noisy=data["machine"].where(data.index % 3 > 0, 1))
    humans, machines = ["human_1", "human_2"], ["machine", "noisy"]
    found = data.kappa.machine.ceiling(humans, machines, by=by, weights="quadratic", margin=0.1)
    assert found.index.names == [*([by] if by else []), "machine"]
    for machine in machines:
        one = data.kappa.machine.ceiling(humans, machine, by=by, weights="quadratic", margin=0.1)
        part = found.xs(machine, level="machine") if by else found.loc[[machine]]
        assert_frame_equal(part.reset_index(drop=True), one.reset_index(drop=True))
    assert found.index.get_level_values("machine")[:2].tolist() == machines
    alone = data.kappa.machine.ceiling(humans, ["noisy"], by=by)
    assert len(alone) == (2 if by else 1)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_group_without_weight_says_so_beside_others_that_have_some():
    data = pd.DataFrame({name: [1, 2, 1, 2] * 4 for name in "abcd"}).assign(b=[1, 2, 2, 1] * 4)
    data = data.assign(g=["x", "y"] * 8, w=[0, 1] * 8)
    options = {"by": "g", "sample_weight": "w"}
    for found in (
        data.kappa.compare(("a", "b"), ("c", "d"), **options),
        data.kappa.homogeneity(list("abc"), **options),
        data.kappa.machine.ceiling(["b", "c"], "a", **options),
        data.kappa.machine.ceiling(["b", "c"], ["a", "d"], **options),
    ):
        is_empty = found.index.get_level_values("g") == "x"
        assert set(found["reason"][is_empty]) == {"zero_total_weight"}
        assert "zero_total_weight" not in set(found["reason"][~is_empty])
    assert data.kappa.compare_groups(["a", "b"], **options)["reason"].tolist() == [
        "zero_total_weight"
    ]


every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weighting", WEIGHTS)
seeds = st.integers(0, 2**32 - 1)
COHEN = COEFFICIENTS["cohen"]
MINUS = np.array([1.0, -1.0])
SHARED, APART = [(0, 1), (0, 2)], [(0, 1), (2, 3)]


def random_rows(seed, n=40, n_raters=4, missing=0.2, k=4):
    """Ratings around a truth, with some missing."""
    rng = np.random.default_rng(seed)
    codes = np.clip(rng.integers(0, k, n) + rng.integers(-1, 2, (n_raters, n)), 0, k - 1)
    codes[rng.random(codes.shape) < missing] = -1
    return rows_of(codes, k=k)


# Fifty rows of three columns with these means and this covariance of the means, in R 4.2.2:
# anova(lm(Y ~ 1), X = ~1, test = "Spherical"), its F, epsilon of Greenhouse and Geisser, and p
# with the epsilon of Huynh and Feldt.
MEANS, COVARIANCE = [0.3, 0.4, 0.5], [[10, 5, 7], [5, 15, 6], [7, 6, 50]]
SPHERICAL_F, EPSILON, SPHERICAL_P = 0.526315789468, 0.725871313673, 0.539901389528


def test_equality_is_the_f_test_of_repeated_measures():
    kappas = of_pairs(
        random_rows(0, 50, missing=0), scale_of(None, 4), COHEN, [(0, 1), (0, 2), (1, 2)]
    )
    kappas = replace(kappas, estimate=np.array(MEANS)[:, None])
    f = 2 * EPSILON
    corrected = (50 * f - 2) / (49 - f)
    cov, centre = np.array(COVARIANCE) / 1000, np.eye(3) - 1 / 3
    trace, square = np.trace(centre @ cov), np.trace(centre @ cov @ centre @ cov)
    of_normal_values = (corrected * square / trace**2 - 1) / (corrected - 1)
    found = all_equal(kappas, Moments(cov[None], np.array([of_normal_values])))
    assert_allclose([found.f[0], found.p_value[0]], [SPHERICAL_F, SPHERICAL_P], rtol=2e-11)
    assert_allclose([found.df1[0], found.df2[0]], [corrected, 49 * corrected], rtol=1e-11)


def test_equality_of_few_items_has_boxs_degrees_corrected():
    """No covariance need be inverted; here from the definition, with products of two items."""
    for n_items, n_raters in ((5, 4), (9, 6), (30, 5), (3, 8), (2, 3)):
        pairs = list(combinations(range(n_raters), 2))
        codes = random_rows(2, n_items, missing=0, n_raters=n_raters)
        kappas = of_pairs(codes, scale_of(None, 4), COHEN, pairs)
        found = all_equal(kappas)
        k, n = kappas.estimate[:, 0], n_items - 1
        apart = kappas.influence - kappas.influence.mean(axis=0)
        cov = apart @ apart.T / (n_items * n)
        box = np.trace(cov) ** 2 / np.trace(cov @ cov)
        most = max(min(len(pairs) - 1, 3 * n), box)
        products = (apart.T @ apart) ** 2
        sizes = np.outer((apart**2).sum(axis=0), (apart**2).sum(axis=0))
        two = ~np.eye(n_items, dtype=bool)
        normal = ((n + 1) * box - 2) / (n - box) if n > box + 1e-9 else most
        unbiased = sizes[two].sum() / products[two].sum() if products[two].sum() > 1e-9 else most
        df = np.sqrt(np.clip(normal, box, most) * np.clip(unbiased, box, most)) if n > 1 else box
        f = k @ (k - k.mean()) / np.trace(cov)
        assert_allclose([found.f[0], found.df1[0], found.df2[0]], [f, df, n * df])
        assert_allclose(found.p_value, stats.f(df, n * df).sf(f))


def test_differences_of_normal_means_are_those_of_the_z_test():
    """Symmetric limits give the root of the sum of squares, and its p; at any null."""
    rng = np.random.default_rng(3)
    k, se = rng.normal(0, 1, 5), rng.uniform(0.1, 1, 5)
    one, other = np.triu_indices(5, 1)

    def limits_at(level):
        half = stats.norm.ppf((1 + level) / 2) * se
        return k - half, k + half

    found = Mover(k, one, other, limits_at, 0.9)
    both = np.hypot(se[one], se[other])
    assert_allclose(found.limits()[0], k[one] - k[other] - stats.norm.ppf(0.95) * both)
    for null in (-0.4, 0.0, 2.0):
        assert_allclose(found.quantile(null), (k[one] - k[other] - null) / both, rtol=1e-5)
    q = all_groups_equal(k, limits_at, 0.9)
    mean = (k / se**2).sum() / (1 / se**2).sum()
    assert_allclose(q.q, (((k - mean) / se) ** 2).sum())
    assert_allclose(q.p_value, stats.chi2(4).sf(q.q))


def test_each_normal_mean_is_tested_against_the_mean_of_the_others():
    rng = np.random.default_rng(4)
    k, se = rng.normal(0, 1, 5), rng.uniform(0.1, 1, 5)

    def limits_at(level):
        half = stats.norm.ppf((1 + level) / 2) * se
        return k - half, k + half

    found = against_the_rest(k, limits_at, 0.9)
    for one in range(5):
        others = np.delete(np.arange(5), one)
        apart = k[one] - k[others].mean()
        error = np.sqrt(se[one] ** 2 + (se[others] ** 2).sum() / 16)
        assert_allclose(found.difference[one], apart)
        assert_allclose(found.limits()[1][one], apart + stats.norm.ppf(0.95) * error)
        assert_allclose(found.quantile(0.0)[one], apart / error, rtol=1e-5)


def test_the_slope_of_normal_means_is_that_of_weighted_least_squares():
    """As statsmodels has it, and with the error of a sum of independent means."""
    rng = np.random.default_rng(5)
    k, se, weight = rng.normal(0, 1, 7), rng.uniform(0.1, 1, 7), rng.uniform(20, 90, 7)

    def limits_at(level):
        half = stats.norm.ppf((1 + level) / 2) * se
        return k - half, k + half

    found = along_a_line(k, weight, limits_at, 0.9)
    design = sm.add_constant(np.arange(7.0))
    assert_allclose(found.difference, sm.WLS(k, design, weights=weight).fit().params[1])
    slopes = [sm.WLS(one, design, weights=weight).fit().params[1] for one in np.eye(7)]
    error = np.sqrt(((slopes * se) ** 2).sum())
    assert_allclose(found.limits()[0], found.difference - stats.norm.ppf(0.95) * error)
    assert_allclose(found.quantile(0.0), found.difference / error, rtol=1e-5)
    ends = along_a_line(k[:2], weight[:2], lambda level: [x[:2] for x in limits_at(level)], 0.9)
    two = Mover(k, np.array([1]), np.array([0]), limits_at, 0.9)
    assert_allclose(ends.limits(), two.limits())


@each(("coefficient", "of_pairs"), [("light", "cohen"), ("fleiss", "scott")])
def test_three_groups_and_a_report_by_them_have_one_answer(coefficient, of_pairs):
    for planted in (True, False):
        data = FINDINGS["groups of many"].data(0, planted=planted)
        options = {"by": "site", "weights": "quadratic"}
        found = data.kappa.compare_groups(coefficient=coefficient, **options)
        [said] = found.findings.findings
        report = data.kappa.report(coefficient=of_pairs, **options)
        [told] = [one for one in report.findings.findings if one.kind == "groups"]
        assert said == told
        assert said.name == ("site 4" if planted else "")
        own = found.attrs["from_the_rest"]["site 4"]["difference"]
        assert_allclose(said.figures[0], own if planted else np.nan)


def test_the_sentence_has_the_sign_of_its_row():
    data = pd.DataFrame({"ann": [*"aabbaabb" * 8], "bob": [*"aabbbabb" * 4, *"bbaabbab" * 4]})
    found = data.assign(site=["x"] * 32 + ["y"] * 32).kappa.compare_groups(by="site")
    assert found["difference"][0] > 0
    back = data.assign(site=["b"] * 32 + ["a"] * 32).kappa.compare_groups(by="site")
    assert (back["first"][0], back["difference"][0]) == ("a", -found["difference"][0])
    assert found.findings.headline.startswith("site x minus site y: +")
    assert back.findings.headline.startswith("site a minus site b: \N{MINUS SIGN}")


def test_a_difference_of_shares_is_newcombes():
    """As statsmodels 0.15.0 has them: ``confint_proportions_2indep(method="newcomb")``."""

    def limits_at(level):
        z = stats.norm.ppf((1 + level) / 2)
        share, n = np.array([56 / 70, 48 / 80]), np.array([70, 80])
        middle, half = (
            share + z**2 / (2 * n),
            z * np.sqrt(share * (1 - share) / n + (z / 2 / n) ** 2),
        )
        return (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)

    found = Mover(np.array([0.8, 0.6]), np.array([0]), np.array([1]), limits_at, 0.95)
    assert_allclose(np.ravel(found.limits()), [0.05243147240236498, 0.33387265403690614])


@given(seed=seeds)
@every_weighting
def test_two_coefficients_have_one_test(weighting, seed):
    """The test that two are equal is the t test of their difference."""
    kappas = of_pairs(random_rows(seed), scale_of(weighting, 4), COHEN, SHARED)
    of_two, of_all = t_test(contrast(kappas, MINUS), 0.95), all_equal(kappas)
    assert_allclose(of_all.f, of_two.z**2, atol=1e-20)
    assert_allclose(of_all.p_value, of_two.p_value, atol=1e-12)


@given(seed=seeds)
def test_the_order_of_the_pairs_does_not_matter(seed):
    rows, pairs = random_rows(seed), list(combinations(range(4), 2))
    one = all_equal(of_pairs(rows, scale_of("quadratic", 4), COHEN, pairs))
    other = all_equal(of_pairs(rows, scale_of("quadratic", 4), COHEN, pairs[::-1]))
    assert_allclose(one[:4], other[:4], rtol=1e-9)


@given(seed=seeds)
def test_equal_rows_may_be_merged(seed):
    rows = random_rows(seed, n=200, k=2)
    one, other = (
        of_pairs(some, scale_of(None, 2), COHEN, APART) for some in (rows, rows.compressed)
    )
    assert len(other.rows.count) < len(one.rows.count)
    assert_allclose(contrast(one, MINUS)[:3], contrast(other, MINUS)[:3], atol=1e-12)
    assert_allclose(all_equal(one)[:4], all_equal(other)[:4], atol=1e-9)


@given(seed=seeds, margin=st.floats(0, 1))
def test_non_inferiority_is_the_lower_limit(seed, margin):
    """It is shown at level a if the limit of the interval 1 - 2a lies above the margin."""
    found = contrast(of_pairs(random_rows(seed), scale_of(None, 4), COHEN, SHARED), MINUS)
    limit = t_test(found, 0.9).ci_low
    if abs(limit[0] + margin) > 1e-9:
        assert (non_inferiority(found, margin)[0] < 0.05) == (limit[0] > -margin)


@every_coefficient
@every_weighting
@each("pairs", [SHARED, APART])
def test_the_standard_error_is_the_derivative(coefficient, weighting, pairs):
    """The influence of each item on the difference, by changing its weight a little."""
    rows, scale = random_rows(5, n=24), scale_of(weighting, 4)
    model, step = COEFFICIENTS[coefficient], 1e-5

    def estimates(count):
        return of_pairs(replace(rows, count=count), scale, model, pairs).estimate[:, 0]

    joint = np.stack([(rows.codes[list(pair)] >= 0).all(axis=0) for pair in pairs])
    m = joint.sum(axis=1)  # each pair errs as its own items have it
    one = np.ones(rows.codes.shape[1])
    nudges = [step * np.eye(len(one))[item] for item in np.flatnonzero(joint.any(axis=0))]
    slopes = np.array([(estimates(one + by) - estimates(one - by)) / (2 * step) for by in nudges])
    expected = np.sqrt(np.sum(np.square(slopes * np.sqrt(m / (m - 1)) @ MINUS)))
    tolerance = 0.02 if coefficient == "krippendorff" else 1e-6  # its (N - 1) / N is held fixed
    assert_allclose(contrast(of_pairs(rows, scale, model, pairs), MINUS).se, expected, tolerance)


def test_equal_kappas_of_many_raters_are_no_find():
    """Five percent of samples would do; with an inverse of all covariances it was 51."""
    rng, shape = np.random.default_rng(1), (8, 400 * 75)
    truth, own = (rng.choice(3, size, p=[0.8, 0.15, 0.05]) for size in (shape[1], shape))
    codes = np.where(rng.random(shape) < 0.77, truth, own)
    rows = rows_of(codes, group=np.repeat(np.arange(400), 75), k=3)
    found = all_equal(of_pairs(rows, scale_of(None, 3), COHEN, list(combinations(range(8), 2))))
    assert 0.02 < np.mean(found.p_value < 0.05) < 0.08


def test_a_constant_rater_agrees_by_chance_exactly():
    """Not just up to rounding error, as one minus a ratio would be here."""
    rows = rows_of([[0, 3, 3], [1, 1, 1]], k=4)
    assert of_pairs(rows, scale_of("linear", 4), COHEN, [(0, 1)]).estimate[0, 0] == 0


def test_rounding_error_is_no_variance():
    """The second rater is one step above the first throughout: no item differs in influence."""
    first = np.repeat([0, 1], [3, 7])
    kappas = of_pairs(rows_of([first, first + 1], k=4), scale_of("linear", 4), COHEN, [(0, 1)])
    assert 0 < np.abs(kappas.influence).max() < 1e-12
    found = contrast(kappas, np.ones(1))
    assert_array_equal(found.se, 0)
    assert_array_equal(found.reason, "no_variance")


def test_one_cluster_has_no_standard_error():
    rows = replace(random_rows(1), cluster=np.zeros(40, dtype=int))
    found = contrast(of_pairs(rows, scale_of(None, 4), COHEN, SHARED), MINUS)
    assert_array_equal(found.reason, "n_lt_2")
    assert np.isfinite(found.estimate).all()
    assert np.isnan(found.se).all()


def test_the_gravest_reason_counts():
    reasons = np.array([["", "n_lt_2", "no_items"], ["", "constant_rater", ""]], dtype=object)
    assert worst(reasons).tolist() == ["", "constant_rater", "no_items"]
