"""Comparisons of coefficients as the user meets them: frames, options, reasons, messages."""

from __future__ import annotations

import re
import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

import pdkappa
from conftest import function_of, raising
from pdkappa import datasets, errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.agreement.all_raters import covariance
from pdkappa.methods.comparisons.compare import compare, compare_groups, homogeneity
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


# --- Values from elsewhere ---------------------------------------------------------------


# --- Laws ----------------------------------------------------------------------------------


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
    assert found.attrs["all_groups"]["df"] == 7
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


@pytest.mark.parametrize(
    "options",
    [
        {"weights": "quadratic"},
        {"missing": "listwise"},
        {"cluster": "pupil"},
        {"coefficient": "gwet", "weights": "linear", "categories": [1, 2, 3, 4, 5, 6]},
        {"categories": {1: 1, 2: 2, 3: 4, 4: 5, 5: 6, 6: 9}, "weights": "quadratic"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_a_group_is_a_frame_of_its_own(gaps, options):
    together = everything(gaps, by="half", **options)
    for k, (_, part) in enumerate(gaps.groupby("half")):
        for name, alone in everything(part, **options).items():
            row = together[name].iloc[[k]].reset_index(drop=True)
            assert_frame_equal(row, alone.reset_index(drop=True))


def test_weights_repeat_items(gaps):
    repeated = gaps.loc[gaps.index.repeat(gaps["times"])].reset_index(drop=True)
    for name, frame in everything(gaps, sample_weight="times").items():
        assert_frame_equal(frame, everything(repeated)[name])


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


# --- Frames ----------------------------------------------------------------------------------


# --- What is undefined -----------------------------------------------------------------------


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
    message = f"1 of 1 comparison(s) are undefined (NaN): {reason}. The column 'reason' says why."
    with pytest.warns(errors.UndefinedKappaWarning, match=f"^{re.escape(message)}$") as caught:
        row = compare(frame, ("a", "b"), ("a", "c")).iloc[0]
    assert len(caught) == 1
    assert row["reason"] == reason
    assert row[[*TESTED, "correlation"]].isna().all()
    with pytest.warns(errors.UndefinedKappaWarning, match=f"^{re.escape(message)}$"):
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


# --- Messages ----------------------------------------------------------------------------------

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


# --- several machines -----------------------------------------------------------------------


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
