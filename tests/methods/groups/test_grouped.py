"""`grouped`: the pooling panel, several pairs of raters, and what is told of single groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal

import pdkappa
from conftest import each, raising
from pdkappa.coefficients import means_over_groups as pooling
from pdkappa.coefficients.chance import COEFFICIENTS, smoothed
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.weights import NOMINAL, Scale
from pdkappa.methods.groups import strata as leave_one_out
from pdkappa.methods.groups.grouped import OfGroups, OfSeveral, OfTwo

ESSAYS = pdkappa.datasets.load_essays()
WEIGHT = "essay_weight"
BLOCKED = ESSAYS.assign(block=ESSAYS["essay_id"] // 3)
SMOOTHED = "one pseudo-item in its standard error"
HUMANS, MACHINE = ("human_1", "human_2"), ("human_1", "machine")


def set_of(number, low, high, n, seed):
    """One set of ratings on a scale of its own: noise around a common truth."""
    rng = np.random.default_rng(seed)
    truth = rng.normal((low + high) / 2, (high - low) / 4, n)
    noise = rng.normal(0, (high - low) / 5, (2, n))
    scores = np.clip(np.rint(truth + noise), low, high).astype(int)
    return pd.DataFrame({"set": number, "a": scores[0], "b": scores[1]})


@pytest.fixture
def panel():
    return ESSAYS.kappa.grouped(*MACHINE, by="essay_set", group_weights=WEIGHT)


@pytest.mark.parametrize(
    ("ours", "theirs", "rtol"), [("dersimonian_laird", "dl", 1e-9), ("paule_mandel", "pm", 1e-3)]
)
def test_the_panel_is_a_meta_analysis_of_fisher_z(ours, theirs, rtol):
    """The means and tests, from the z of the panel and statsmodels alone.

    Its Paule-Mandel estimate stops at a tolerance of 1e-5, and may start anew from zero with a
    smaller one.
    """
    from statsmodels.stats.meta_analysis import combine_effects

    panel = ESSAYS.kappa.grouped(*MACHINE, by="essay_set", tau2_method=ours)
    z, se = panel.panel.effects
    v = se**2
    assert_allclose(v * panel.groups["n_items"], v[0] * 300)
    assert_allclose(z, np.arctanh(panel.groups["estimate"]), atol=0.01)
    expected = combine_effects(z, v, method_re=theirs)
    pooled, found = panel.pooled, panel.heterogeneity.iloc[0]
    mean_z = np.arctanh(pooled["estimate"].to_numpy())
    assert_allclose(mean_z[1], expected.mean_effect_fe, rtol=1e-12)
    assert_allclose(pooled.loc["fixed", "se_fisher_z"], expected.sd_eff_w_fe, rtol=1e-12)
    assert_allclose(found[["q", "df", "i2"]].astype(float), [expected.q, 7, expected.i2], rtol=1e-9)
    assert_allclose(found["p_value"], expected.test_homogeneity().pvalue, rtol=1e-9)
    assert_allclose(found["tau2"], expected.tau2, rtol=rtol)
    assert_allclose(mean_z[2], expected.mean_effect_re, rtol=rtol)
    assert_allclose(pooled.loc["random", "se_fisher_z"], expected.sd_eff_w_re_hksj, rtol=rtol)
    assert list(pooled.index) == ["fisher_mean", "fixed", "random"]
    low, high = pooled.loc["random", ["prediction_low", "prediction_high"]]
    assert low < pooled.loc["random", "ci_low"] < pooled.loc["random", "ci_high"] < high


def test_leave_one_out_is_the_panel_without_the_group(panel):
    for number, row in panel.leave_one_out.iterrows():
        rest = ESSAYS[ESSAYS["essay_set"] != number]
        again = rest.kappa.grouped(*MACHINE, by="essay_set", group_weights=WEIGHT)
        assert_allclose(row["fisher_mean"], float(again), rtol=1e-12)
        # What corrects the z of small tables is that of all groups.
        assert_allclose(row, again.pooled["estimate"], rtol=3e-4)


def test_a_perfect_group_has_the_error_of_a_pseudo_item():
    ratings = [1, 1, 2, 2, 1, 2, 1, 2]
    other = [1, 2, 2, 2, 1, 1, 1, 2]
    data = pd.DataFrame({"a": ratings * 2, "b": ratings + other, "site": ["x"] * 8 + ["y"] * 8})
    found = data.kappa.grouped("a", "b", by="site")
    table = PairCounts.from_tables(np.array([[[4, 0], [0, 4]]]))
    scale = Scale(NOMINAL, np.array([[1.0, 2.0]]), np.ones((1, 2), dtype=bool))
    perfect = smoothed(table, scale, COEFFICIENTS["cohen"])[1].item()
    expected = np.hypot(perfect, found.groups.loc["y", "se"]) / 2
    assert_allclose(found.stratified.loc["equal", "se"], expected)


def test_stratified_means_and_equality_by_definition(panel):
    k, se, n = (panel.groups[name].to_numpy() for name in ("estimate", "se", "n_items"))
    found = panel.stratified
    assert_allclose(
        found.loc["equal", ["estimate", "se"]].tolist(), [k.mean(), np.sqrt((se**2).sum()) / 8]
    )
    assert_allclose(found.loc["size", "estimate"], np.average(k, weights=n))
    mean = np.average(k, weights=se**-2)
    assert_allclose(
        found.loc["inverse_variance", ["estimate", "se"]].tolist(), [mean, (se**-2).sum() ** -0.5]
    )
    unit = np.average(n * se**2 * n / (n - 1), weights=n)
    z, _ = panel.panel.effects
    apart = np.tanh(z) - np.average(np.tanh(z), weights=n)
    assert_allclose(panel.equality.loc["kappa", "chi2"], (n * apart**2).sum() / unit)
    assert_allclose(panel.equality.loc["fisher_z", "chi2"], panel.heterogeneity["q"].item())
    assert panel.equality.loc["donner_eliasziw_klar", "reason"] == "not_binary"


def test_binary_ratings_are_tested_by_donner_eliasziw_and_klar():
    tables = {"x": [[40, 9], [6, 25]], "y": [[30, 20], [15, 35]]}
    rows = [
        (group, a, b)
        for group, table in tables.items()
        for a in (0, 1)
        for b in (0, 1)
        for _ in range(table[a][b])
    ]
    data = pd.DataFrame(rows, columns=["set", "a", "b"])
    found = data.kappa.grouped("a", "b", by="set").equality.loc["donner_eliasziw_klar"]
    scott = data.kappa.grouped("a", "b", by="set", coefficient="scott").groups["estimate"]
    n, p = np.array([80, 100]), np.array([1 - (2 * 40 + 15) / 160, 1 - (2 * 30 + 35) / 200])
    mixed = n * p * (1 - p)
    k = (mixed * scott).sum() / mixed.sum()
    q = p * (1 - p)
    expected = n * np.array([(1 - p) ** 2 + k * q, 2 * q * (1 - k), p**2 + k * q])
    seen = np.array([[40, 30], [15, 35], [25, 35]])
    assert_allclose(found["chi2"], ((seen - expected) ** 2 / expected).sum(), rtol=1e-9)
    assert (found["df"], found["n_groups"], found["reason"]) == (1, 2, "")
    nested = data.assign(item=range(180)).kappa.grouped("a", "b", by="set", cluster="item")
    assert nested.equality.loc["donner_eliasziw_klar", "reason"] == "clusters"


def test_the_crude_kappa_warns_whoever_looks_at_it():
    sets = pd.concat([set_of(1, 0, 3, 200, 1), set_of(2, 2, 7, 200, 2), set_of(3, 10, 39, 200, 3)])
    result = sets.kappa.grouped("a", "b", by="set")
    with pytest.warns(
        pdkappa.errors.CrudeKappaWarning,
        match=r"^The kappa of all items together, 0\.93, exceeds that within the groups, 0\.61, "
        r"by more than 0\.1: it credits the raters with telling the groups apart\. "
        r"Report 'within' or one of the pooled means\.$",
    ):
        crude = result.crude
    assert_allclose(crude, sets.kappa.pairs(["a", "b"], weights="quadratic")["estimate"])
    assert result.within < result.groups["estimate"].max()


def test_crude_is_the_kappa_without_groups():
    sets, names = pd.concat([set_of(1, 0, 3, 80, 1), set_of(2, 2, 7, 80, 2)]), ["estimate", "se"]
    for weights in (None, "linear", "quadratic", "ordinal", "circular"):
        options = {"weights": weights}
        found = sets.kappa.grouped("a", "b", by="set", **options).stratified.loc["crude", names]
        expected = sets.kappa.pairs(["a", "b"], **options).loc[0, names]
        assert_allclose(found.tolist(), expected.tolist(), err_msg=str(weights))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")
def test_clusters_reach_every_row(panel):
    nested = BLOCKED.kappa.grouped(*MACHINE, by="essay_set", cluster="block")
    assert_allclose(nested.stratified["estimate"].iloc[3:], panel.stratified["estimate"].iloc[3:])
    assert (nested.stratified["se"] != panel.stratified["se"]).all()
    crude = BLOCKED.kappa.pairs([*MACHINE], weights="quadratic", cluster="block")["se"].iloc[0]
    n_clusters = BLOCKED["block"].nunique()
    assert_allclose(nested.stratified.loc["crude", "se"], crude, rtol=2 / n_clusters)


@pytest.fixture
def odd():
    """Make sets that are plain, perfect, constant in one rater, constant in both, and empty."""
    plain = set_of("plain", 0, 3, 60, 1), set_of("other", 0, 3, 60, 2)
    perfect = set_of("perfect", 0, 3, 30, 3).assign(b=lambda f: f["a"])
    fixed = set_of("fixed", 0, 3, 30, 4).assign(b=2)
    same = pd.DataFrame({"set": "same", "a": [1, 1, 1], "b": [1, 1, 1]})
    empty = pd.DataFrame({"set": "empty", "a": [1, 2, 3], "b": np.nan})
    return pd.concat([*plain, perfect, fixed, same, empty], ignore_index=True)


def test_odd_groups_are_named(odd):
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="^2 of 6"):
        result = odd.kappa.grouped("a", "b", by="set")
    of_few = "fewer than 5 effective disagreements"
    treated = result.treated.str.partition(of_few)[0].str.rstrip("; ")
    assert treated[treated != ""].to_dict() == {
        "empty": "left out: no_joint_items",
        "fixed": "left out of fixed, random and tests: constant_rater",
        "perfect": "clipped to 0.999 in fisher_mean; " + SMOOTHED,
        "same": "left out: constant_ratings",
    }
    assert result.pooled["n_groups"].tolist() == [4, 3, 3]
    assert result.pooled["n_clipped"].tolist() == [1, 0, 0]
    assert result.pooled["n_undefined"].tolist() == [2, 3, 3]
    assert result.pooled.loc["fisher_mean", "reason"] == "constant_rater"
    assert not result.pooled.loc["random", "reason"]
    found = result.findings
    assert found.headline.startswith(
        f"a and b agree at quadratic weighted kappa {float(result):.2f} on average"
    )
    assert "without limits. " in found.headline
    told = " ".join(one.text for one in found.cautions)
    for group, text in result.treated.items():
        assert f"{group}: {text}" in told


def test_a_perfect_group_counts_with_a_pseudo_item(odd):
    """Its z and standard error are finite, and those of its interval."""
    data = odd[odd["set"].isin(["plain", "other", "perfect"])]
    result = data.kappa.grouped("a", "b", by="set")
    se = result.groups.loc["perfect", "se_fisher_z"]
    assert 0 < se < np.inf
    rest = data[data["set"] != "perfect"].kappa.grouped("a", "b", by="set")
    assert result.pooled.loc["fixed", "estimate"] > rest.pooled.loc["fixed", "estimate"]
    nested = data.assign(item=range(len(data))).kappa.grouped("a", "b", by="set", cluster="item")
    assert SMOOTHED in nested.treated["perfect"]
    assert not nested.pooled["se_fisher_z"].isna().any()


def test_a_group_without_weight_counts_nowhere(odd):
    data = odd[odd["set"].isin(["plain", "other", "fixed"])]
    weights = {"plain": 1, "other": 1, "fixed": 0}
    result = data.kappa.grouped("a", "b", by="set", group_weights=weights)
    rest = data[data["set"] != "fixed"].kappa.grouped("a", "b", by="set")
    assert result.treated.to_dict() == {"fixed": "left out: weight 0"}
    assert_frame_equal(result.pooled, rest.pooled)
    assert_frame_equal(result.stratified, rest.stratified)
    assert_frame_equal(result.equality, rest.equality)
    assert_frame_equal(result.heterogeneity, rest.heterogeneity)
    assert list(result.leave_one_out.index) == ["other", "plain"]


def test_without_a_cap_a_perfect_group_has_no_limits():
    data = ESSAYS.assign(machine=ESSAYS["human_1"])
    result = data.kappa.grouped(*MACHINE, by="essay_set", clip=None)
    mean = result.pooled.loc["fisher_mean"]
    assert mean["estimate"] == 1
    assert mean[["se_fisher_z", "ci_low", "ci_high"]].isna().all()
    assert mean["reason"] == "infinite_z"
    assert np.isinf(result.to_frame().loc["fisher_mean", "fisher_z"])


def test_a_constant_rater_counts_in_the_plain_means(odd):
    data = odd[odd["set"].isin(["plain", "other", "fixed"])]
    result = data.kappa.grouped("a", "b", by="set")
    found = result.stratified
    assert found.loc["equal", "estimate"] == pytest.approx(result.groups["estimate"].mean())
    assert found["n_groups"].tolist() == [3, 3, 2, 3, 3]
    assert found["reason"].tolist() == ["constant_rater", "constant_rater", "", "", ""]


def test_groups_with_a_rare_category_are_named():
    """No method is good for them; the remark says so."""
    rng = np.random.default_rng(3)
    ratings = rng.random(90) < np.repeat([0.04, 0.5, 0.5], 30)
    data = pd.DataFrame({"set": np.repeat(["rare", "x", "y"], 30), "a": ratings.astype(int)})
    data["b"] = data["a"].where(rng.random(90) < 0.9, 1 - data["a"])
    data.loc[:29, "a"] = data.loc[:29, "b"] = [1] + [0] * 29
    data.loc[1, "b"] = 1
    found = data.kappa.grouped("a", "b", by="set")
    told = {"rare": "fewer than 10 items outside one category: tests are approximate"}
    assert found.treated["rare"].startswith(told["rare"])
    rough = "groups with fewer than 10 items outside one category: approximate"
    assert found.pooled["remark"].tolist() == [rough] * 3
    assert found.equality["remark"].tolist() == [rough] * 3
    apart = data.assign(w=data["set"].map({"rare": 0.0, "x": 1, "y": 1}))
    found = apart.kappa.grouped("a", "b", by="set", group_weights="w")
    assert rough not in set(found.equality["remark"])


def test_limits_that_are_wider_than_they_need_be_say_so():
    """By a t quantile of few groups, and by the guard against differences below chance."""
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"set": np.arange(2000) % 10, "a": rng.integers(0, 2, 2000)})
    data["b"] = data["a"].where(rng.random(2000) < 0.9, 1 - data["a"])
    few = data[data["set"] < 9].kappa.grouped("a", "b", by="set").pooled["remark"]
    assert few.to_dict() == {
        "fisher_mean": "",
        "fixed": "",
        "random": "fewer than 10 groups: limits are wide",
    }
    alike = data.kappa.grouped("a", "b", by="set")
    assert alike.heterogeneity["tau2"].item() == 0
    told = "groups differ no more than by chance: limits are wide"
    assert alike.pooled["remark"].tolist() == ["", "", told]
    rest = data["a"].where(rng.random(2000) < data["set"] / 10, data["b"])
    apart = data.assign(b=rest).kappa.grouped("a", "b", by="set")
    assert apart.heterogeneity["tau2"].item() > 0
    assert told not in set(apart.pooled["remark"])
    [one] = (
        data[data["set"] == 0].kappa.grouped("a", "b", by="set").pooled.loc[["random"], "remark"]
    )
    assert one == ""


def test_a_mean_says_that_groups_weigh_more_which_happen_to_agree_well():
    """As those with a small variance of their own do, so that the mean is too high."""
    rng = np.random.default_rng(1)
    share, n_groups = [0.4, 0.3, 0.2, 0.1], 20
    for n_items, leans in ((40, True), (2000, False)):
        data = pd.DataFrame({"set": np.arange(n_groups).repeat(n_items)})
        truth = rng.choice(4, len(data), p=share)
        for name in "ab":
            guess = rng.choice(4, len(data), p=share)
            data[name] = np.where(rng.random(len(data)) < 0.85, truth, guess)
        found = data.kappa.grouped("a", "b", by="set").stratified
        known = found["estimate"]
        beyond = (known["inverse_variance"] - known["size"]) / found.loc["inverse_variance", "se"]
        assert (beyond > 0.5) == leans
        told = "groups that happen to agree well weigh more: prefer size" if leans else ""
        assert found["remark"].to_dict() == dict.fromkeys(found.index, "") | {
            "inverse_variance": told
        }


@pytest.fixture
def students():
    """Make one set, and the same essays again as another set, each student in both."""
    one = ESSAYS[ESSAYS["essay_set"] == 3].assign(student=range(260))
    return pd.concat([one, one.assign(essay_set=4)], ignore_index=True)


def test_twice_the_same_essays_are_no_more_than_once(students):
    once = students[students["essay_set"] == 3]
    options = {"by": "essay_set", "cluster": "student"}
    alone, both = (data.kappa.grouped(*MACHINE, **options) for data in (once, students))
    for row in ("fisher_mean", "fixed"):
        names = ["estimate", "se_fisher_z"]
        assert_allclose(
            both.pooled.loc[row, names].astype(float), alone.pooled.loc[row, names].astype(float)
        )
    for row in ("within", "crude"):
        assert_allclose(both.stratified.loc[row, "se"], alone.stratified.loc[row, "se"])
    apart = students.kappa.grouped(*MACHINE, by="essay_set").pooled.loc["fisher_mean"]
    assert apart["se_fisher_z"] < 0.75 * both.pooled.loc["fisher_mean", "se_fisher_z"]
    pairs = students.kappa.grouped(pairs=[MACHINE, MACHINE[::-1]], **options)
    assert_allclose(pairs.mean.se_fisher_z, alone.pooled.loc["fisher_mean", "se_fisher_z"])


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_group_where_nothing_varies_leaves_the_error_of_the_others(students):
    """It is not in the mean, though clusters have items in it, too."""
    constant = students.assign(essay_set=0, **dict.fromkeys(MACHINE, 2))
    both = pd.concat([students, constant])
    names = ["estimate", "se_fisher_z", "ci_low", "ci_high"]
    alone, found = (
        one.kappa.grouped(*MACHINE, by="essay_set", cluster="student").pooled.loc["fisher_mean"]
        for one in (students, both)
    )
    assert_allclose(found[names].astype(float), alone[names].astype(float), rtol=1e-9)
    assert (found["reason"], found["n_undefined"]) == ("", 1)


def test_what_supposes_independent_groups_says_so(students):
    both = students.kappa.grouped(*MACHINE, by="essay_set", cluster="student")
    spans = "clusters_span_groups"
    assert both.pooled["reason"].tolist() == ["", "", spans]
    assert np.isnan(both.pooled.loc["random", "se_fisher_z"])
    assert both.equality["reason"].tolist()[:2] == [spans, spans]
    assert both.stratified["reason"].tolist() == [spans, spans, spans, "", ""]
    assert both.heterogeneity["p_value"].isna().item()
    assert both.heterogeneity["reason"].item() == spans
    nested = students.assign(student=students.index)
    apart = nested.kappa.grouped(*MACHINE, by="essay_set", cluster="student")
    assert not (apart.pooled["reason"] == spans).any()


def of_pair(frame, pair):
    """Rows of one pair of raters."""
    return frame[[label[:2] == pair for label in frame.index]]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_groups_whose_estimates_do_not_vary_have_a_wide_mean():
    """That of pseudo-items; errors that are zero but for rounding made it one without limits."""
    frame = pd.DataFrame({"g": list("xxyy"), "a": [2, 3, 2, 3], "b": [3, 4, 3, 4]})
    for weight in np.random.default_rng(1).uniform(0.5, 1.5, (20, 4)):
        given = frame.kappa(sample_weight=weight, weight_type="probability")
        mean = given.grouped("a", "b", by="g", weights="linear").pooled.loc["fisher_mean"]
        assert mean["estimate"] == 0
        assert mean["ci_low"] < -0.5 < 0.5 < mean["ci_high"]


def test_each_pair_has_its_own_panel():
    pairs = [HUMANS, MACHINE, ("human_2", "machine")]
    found = ESSAYS.kappa.grouped(pairs=pairs, by="essay_set", group_weights=WEIGHT)
    for pair in pairs:
        alone = ESSAYS.kappa.grouped(*pair, by="essay_set", group_weights=WEIGHT)
        assert_frame_equal(of_pair(found.groups, pair).droplevel([0, 1]), alone.groups)
        pooled = of_pair(found.pooled, pair).droplevel([0, 1])
        assert_frame_equal(pooled, alone.pooled, check_names=False)
        differs = of_pair(found.heterogeneity, pair).iloc[0]
        assert_series_equal(differs, alone.heterogeneity.iloc[0], check_names=False)
        assert_frame_equal(found[pair].groups, alone.groups)
    flat = found.groups
    assert float(found) == pytest.approx(pdkappa.fisher_mean(flat["estimate"], flat["weight"]))
    assert found.findings.figures[0] == float(found)
    assert "on average over eight groups" in found.findings.headline


def test_the_mean_over_pairs_knows_that_they_share_items():
    """A pair and itself are one; the error is that of one, not of two independent ones."""
    alone = ESSAYS.kappa.grouped(*HUMANS, by="essay_set")
    twice = ESSAYS.kappa.grouped(pairs=[HUMANS, HUMANS[::-1]], by="essay_set")
    names = ["estimate", "se_fisher_z", "ci_low", "ci_high"]
    found = twice.pooled.loc[("all pairs", "", "fisher_mean"), names].astype(float)
    assert_allclose(found, alone.pooled.loc["fisher_mean", names].astype(float), rtol=1e-9)


def test_the_error_over_pairs_is_that_of_the_bootstrap():
    """Items are drawn anew within each set."""
    data = ESSAYS[ESSAYS["essay_set"].isin([3, 4])]
    pairs = [HUMANS, MACHINE, ("human_2", "machine")]
    found = data.kappa.grouped(pairs=pairs, by="essay_set")
    rng = np.random.default_rng(7)
    z = []
    for _ in range(80):
        parts = [
            part.sample(frac=1, replace=True, random_state=rng)
            for _, part in data.groupby("essay_set")
        ]
        z.append(np.arctanh(float(pd.concat(parts).kappa.grouped(pairs=pairs, by="essay_set"))))
    assert_allclose(found.mean.se_fisher_z, np.std(z), rtol=0.17)


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_several_pairs_have_all_that_one_pair_has(panel):
    pairs = ESSAYS.kappa.grouped(pairs=[HUMANS, MACHINE], by="essay_set")
    own = {"raters", "estimates", "options", "panel", "is_crude_misleading", "crude_note"}
    assert {name for name in dir(panel) if name[0] != "_"} - own <= set(dir(pairs))
    one = pairs["human_1", "machine"]
    for name in ("equality", "stratified", "leave_one_out", "pooled"):
        found = getattr(pairs, name).loc[MACHINE]
        assert_frame_equal(found, getattr(one, name), check_names=False)
    assert pairs.within[MACHINE] == one.within
    assert pairs.tables.keys() == one.tables.keys()
    with pytest.warns(pdkappa.errors.CrudeKappaWarning) as caught:
        crude = pairs.crude
    assert len(caught) == 1
    assert list(crude.index) == [HUMANS, MACHINE]
    assert crude[HUMANS] > pairs.within[HUMANS] + 0.1


@pytest.mark.parametrize("options", [{}, {"cluster": "block"}, {"ci": "fisher"}], ids=str)
def test_differences_are_those_of_compare_groups(options):
    sets, asked = BLOCKED, {"margin": 0.05, "p_adjust": "holm"}
    panel = sets.kappa.grouped(*MACHINE, by="essay_set", **options)
    found = panel.differences(**asked)
    options = {"by": "essay_set", "weights": "quadratic", **options}
    expected = sets.kappa.compare_groups(list(MACHINE), **options, **asked)
    assert_frame_equal(found, expected)
    assert found.attrs["all_groups"] == expected.attrs["all_groups"]
    pairs = sets.kappa.grouped(pairs=[HUMANS, MACHINE], by="essay_set").differences(**asked)
    one = sets.kappa.grouped(*MACHINE, by="essay_set").differences(**asked)
    assert_frame_equal(pairs.loc[MACHINE].reset_index(drop=True), one)


def test_the_options_of_both_ways_to_call_are_those_of_the_function():
    both = {one.name for record in (OfTwo, OfSeveral) for one in record.options}
    assert both == {one.name for one in OfGroups.options}


REFUSED = {
    "one rater": {"rater_a": "human_1"},
    "no rater": {},
    "a rater and pairs": {"rater_b": "machine", "pairs": [MACHINE]},
    "no list of pairs": {"pairs": ["human_1", "machine"]},
    "no pair": {"pairs": []},
    "a missing label": {"pairs": [("human_1", pd.NA)]},
    "text": {"pairs": "machine"},
    "a pair twice": {"pairs": [MACHINE, MACHINE]},
}


@raising("grouped", REFUSED)
def test_pairs_are_checked(call, refused):
    with refused():
        ESSAYS.kappa.grouped(**call, by="essay_set")


def test_an_unknown_pair_is_named(refuses):
    found = ESSAYS.kappa.grouped(pairs=[HUMANS], by="essay_set")
    with refuses():
        found["human_1", "machine"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_hypothesis_is_rejected_exactly_outside_the_limits():
    """Of each group, and of each mean, of one pair and of several."""
    essays = pdkappa.datasets.load_essays()
    plain = essays.kappa.grouped("human_1", "machine", by="essay_set")
    assert plain.options["null"] == 0
    same = [one for one in plain.groups if one not in ("z", "p_value")]
    pairs = [("human_1", "machine"), ("human_2", "machine")]
    for null in (0.0, 0.68, 0.72, 0.76):
        found = essays.kappa.grouped("human_1", "machine", by="essay_set", null=null)
        several = essays.kappa.grouped(pairs=pairs, by="essay_set", null=null)
        for frame in (found.groups, found.pooled, several.groups, several.pooled):
            outside = (null < frame["ci_low"]) | (null > frame["ci_high"])
            assert ((frame["p_value"] < 0.05) == outside).all()
        if null:
            assert (found.groups["p_value"] > plain.groups["p_value"]).all()
        pd.testing.assert_frame_equal(found.groups[same], plain.groups[same])
        others = plain.pooled.drop(columns=["z", "p_value"])
        pd.testing.assert_frame_equal(found.pooled[[*others]], others)
    assert "0.76" in str(found.options["null"])


def test_a_group_at_the_cap_is_not_clipped(panel):
    highest = panel.groups["estimate"].max()
    again = ESSAYS.kappa.grouped(*MACHINE, by="essay_set", clip=highest)
    assert again.treated.empty


def test_weights_that_nobody_asked_for_are_told():
    """Text has no order, and 0, 1, 2 may be classes; scores from 1 on are scores."""
    text = pd.DataFrame({"a": list("xyxyzz"), "b": list("xyyxzz"), "g": [1, 1, 1, 2, 2, 2]})
    message = (
        "weights='quadratic' needs ordered categories, but column 'a' holds text. Pass "
        "categories=[...] in order, or make the columns ordered Categoricals."
    )
    with pytest.raises(pdkappa.errors.CategoryError) as caught:
        text.kappa.grouped("a", "b", by="g")
    hint = " Or pass weights=None: those of grouped are quadratic by default."
    assert str(caught.value) == message + hint
    with pytest.raises(pdkappa.errors.CategoryError) as caught:
        text.kappa.grouped("a", "b", by="g", weights="linear")
    assert str(caught.value) == message.replace("quadratic", "linear")
    numbers = {"x": 0, "y": 1, "z": 2}
    codes = text.assign(a=text["a"].map(numbers), b=text["b"].map(numbers))
    told = "class codes? weights=None"
    assert told in repr(codes.kappa.grouped("a", "b", by="g"))
    for weights in ("linear", "quadratic"):  # one who names them has been asked
        assert told not in repr(codes.kappa.grouped("a", "b", by="g", weights=weights))
        assert told not in repr(codes.kappa(weights=weights).grouped("a", "b", by="g"))
    scores = codes.assign(a=codes["a"] + 1, b=codes["b"] + 1)
    assert told not in repr(scores.kappa.grouped("a", "b", by="g"))


LEVEL = 0.95


def in_a_loop(pool, *groups):
    """Pool the figures of all groups but one, for each of them."""
    places = range(len(groups[0]))
    return np.array([pool(*(np.delete(figure, place) for figure in groups)) for place in places])


def random_effect(method):
    def pool(z, se):
        tau2 = pooling.TAU2[method](z, se)
        return pooling.random_effects(z, se, tau2, level=LEVEL).estimate

    return pool


def fixed_effect(z, se):
    return pooling.fixed_effect(z, se, level=LEVEL).estimate


@st.composite
def effects(draw, fewest=0):
    """Draw z and standard errors: alike or far apart, sometimes one of next to no error."""
    n = draw(st.integers(fewest, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    z = rng.normal(draw(st.integers(-4, 4)) / 2, draw(st.sampled_from([0, 0.01, 1])), n)
    se = np.exp(rng.normal(-1, draw(st.sampled_from([0, 0.1, 1])), n))
    if n and draw(st.booleans()):
        se[0] *= draw(st.sampled_from([1e-3, 1e3]))
        z[0] += draw(st.sampled_from([0, 3]))
    return z, se


@given(groups=effects())
@example(groups=(np.array([0.1, 0.9, 2.0]), np.array([0.1, 0.2, 0.3])))
def test_means_of_effects_are_those_of_a_loop(groups):
    found = leave_one_out.fixed_effects_without(*groups)
    assert_allclose(found, in_a_loop(fixed_effect, *groups), rtol=0, atol=1e-12)
    for method in pooling.TAU2:
        found = leave_one_out.random_effects_without(*groups, method)
        expected = in_a_loop(random_effect(method), *groups)
        assert_allclose(found, expected, rtol=0, atol=tolerance(method, groups))


def tolerance(method, groups):
    """Allow for the digits that the moments of Q lose where one group outweighs all others."""
    apart = np.ptp(np.log(groups[1])) if len(groups[1]) else 0.0
    return 1e-8 if method == "dersimonian_laird" and apart > 5 else 1e-12


@each("method", pooling.TAU2)
def test_a_group_of_next_to_no_error_takes_no_digits_from_tau2(method):
    """Its weight is 1e10 of the others': squares about any other point would drown them."""
    se = np.array([2.32913110e-05, 0.592383432, 2.93602729])
    z = np.array([3.48951993, 0.50874657, 0.49302394])
    found = leave_one_out.TAU2_WITHOUT_EACH[method](z, se)
    assert_allclose(found, in_a_loop(pooling.TAU2[method], z, se), rtol=1e-6)


@given(data=st.data(), clip=st.sampled_from([pooling.FISHER_CAP, None]))
def test_means_of_the_scorer_are_those_of_a_loop(data, clip):
    n = data.draw(st.integers(0, 12))
    kappa = st.floats(-1, 1) | st.sampled_from([np.nan, 1.0, -1.0])
    weight = st.floats(0, 10) | st.sampled_from([1e-300, 1e-5, 1e300])
    estimates, weights = (
        np.array(data.draw(st.lists(one, min_size=n, max_size=n)), dtype=float)
        for one in (kappa, weight)
    )

    def pool(estimate, weight):
        return pooling.weighted_fisher_mean(estimate, weight, clip=clip).estimate

    found = leave_one_out.fisher_means_without(estimates, weights, clip=clip)
    assert_allclose(found, in_a_loop(pool, estimates, weights), rtol=0, atol=1e-12)


def test_pairs_of_raters_that_are_tuples():
    """Pandas sorts no text after tuples, and warns that it will refuse to."""
    pooled = ESSAYS.kappa.grouped(pairs=[HUMANS, MACHINE], by="essay_set").pooled
    data = ESSAYS.set_axis(pd.MultiIndex.from_product([ESSAYS.columns, ["v1"]]), axis=1)
    pairs = [((a, "v1"), (b, "v1")) for a, b in (HUMANS, MACHINE)]
    found = data.kappa.grouped(pairs=pairs, by=("essay_set", "v1")).pooled
    assert found.index[-1] == pooled.index[-1] == ("all pairs", "", "fisher_mean")
    assert [a for (a, _), *_ in found.index[:-1]] == [a for a, *_ in pooled.index[:-1]]
    assert_frame_equal(found.reset_index(drop=True), pooled.reset_index(drop=True))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_groups_that_are_tuples_of_different_lengths():
    """They are sorted as tuples are, and means of a report stand below them."""
    names = {1: ("x",), 2: ("x", "y"), 3: ("z",)}
    some = ESSAYS[ESSAYS["essay_set"] < 4]
    data = some.assign(essay_set=some["essay_set"].map(names))
    raters = [*HUMANS, MACHINE[1]]
    for method in ("pairs", "agreement", "raters"):
        found, expected = (getattr(x.kappa, method)(raters, by="essay_set") for x in (data, some))
        assert_array_equal(found.select_dtypes("number"), expected.select_dtypes("number"))
    found, expected = (one.kappa.report(raters, by="essay_set").tables for one in (data, some))
    for table in ("groups", "agreement"):
        numbers = (one[table].select_dtypes("number").astype(float) for one in (found, expected))
        assert_array_equal(*numbers)
