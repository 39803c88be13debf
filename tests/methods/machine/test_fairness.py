"""Fairness: RSMTool's tables, plain least squares, edges, reasons, messages."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.stats import f

from conftest import each, exactly
from elsewhere.rsmtool import read
from pdkappa import errors
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine import fairness as module
from pdkappa.methods.machine.evaluation import difference_of_means
from pdkappa.present import schema
from pdkappa.ratings.options import Reading

undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
nan = float("nan")


def made_up():
    """Return scores of unequal groups, with weights and holes."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"human": rng.integers(1, 6, 150), "group": rng.choice(list("aaaabc"), 150)}
    )
    frame["machine"] = frame["human"] * 0.8 + rng.normal(size=150) + (frame["group"] == "c")
    frame["times"] = rng.integers(1, 4, 150)
    frame.loc[::20, "machine"] = nan
    return frame


@pytest.fixture
def essays():
    """Return the same."""
    return made_up()


@each("by", ["L1", "QUESTION"])
def test_rsmtool(by):
    """Besides what ``elsewhere/rsmtool.py`` compares."""
    responses = read("pred_processed").join(read("test_metadata"))
    found = responses.kappa.machine.fairness("sc1", "scale", by=by)
    base = read(f"fairness_metrics_by_{by}")["base_category"].iloc[0]
    assert found.base == f"{by}={base}"
    assert (found.groups["base"] == (found.groups.index.get_level_values(by) == base)).all()
    expected = read(f"eval_by_{by}").drop(index="All data")
    for machine in ("scale_trim", "scale_trim_round"):
        found = responses.kappa.machine.fairness("sc1", machine, by=by).differences
        assert_allclose(found["dsm"], expected[f"DSM.{machine}"], rtol=1e-7)
        assert_allclose(found["mean_b"], expected[f"sys_mean.{machine}"], rtol=1e-7)
        assert_allclose(found[["n_items", "mean_a"]], expected[["N", "h_mean"]], rtol=1e-7)


FORMULAS = {
    "osa": "I(error ** 2) ~ C(group)",
    "osd": "error ~ C(group)",
    "csd": "error ~ C(human, Treatment({common})) + C(group)",
}
OTHERS = ["C(group)[T.b]", "C(group)[T.c]"]


def whole(essays):
    """Return an item for each time that it counts, with its error and group as text."""
    essays.loc[(essays["group"] == "c") & (essays["human"] == 5), "human"] = 4
    essays["group"] = essays["group"].astype(str)
    found = essays.loc[essays.index.repeat(essays["times"])].dropna()
    return found.assign(error=found["machine"] - found["human"])


@pytest.mark.oracle
@each("errors_are", ["hc3", "equal"])
@each("test", list(FORMULAS))
def test_statsmodels(errors_are, test):
    """Weighted, unequal, with scores that some groups lack."""
    import statsmodels.formula.api as smf

    frame = made_up()
    every = whole(frame)
    options = {"cov_type": "HC3", "use_t": True} if errors_are == "hc3" else {}
    formula = FORMULAS[test].format(common=every["human"].mode()[0])
    fit = smf.ols(formula, every).fit(**options)
    asked = {"by": "group", "sample_weight": "times", "errors": errors_are}
    found = frame.kappa.machine.fairness("human", "machine", **asked)
    row, f = found.tests.loc[test], fit.f_test(", ".join(f"{name} = 0" for name in OTHERS))
    expected = [f.fvalue, f.df_num, f.df_denom, f.pvalue]
    assert_allclose(row[["f", "df1", "df2", "p_value"]].astype(float), expected, rtol=1e-9)
    null = smf.ols(formula.replace(" + C(group)", "").replace("C(group)", "1"), every).fit()
    assert_allclose(row["r2"], fit.rsquared_adj - null.rsquared_adj)
    groups, names = found.groups.xs(test, level="test"), ["Intercept", *OTHERS]
    assert_allclose(groups["estimate"], fit.params[names])
    assert_allclose(groups["se"], fit.bse[names])
    assert_allclose(groups[["ci_low", "ci_high"]], fit.conf_int().loc[names])


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@each("test", list(FORMULAS))
def test_clusters_are_left_out_one_by_one(test):
    """The jackknife of whole clusters, some of which have items in several groups."""
    import statsmodels.formula.api as smf

    frame = made_up().dropna().assign(cluster=lambda df: df.index % 30)
    every = whole(frame.assign(times=1))
    formula = FORMULAS[test].format(common=every["human"].mode()[0])
    names = ["Intercept", *OTHERS]
    full = smf.ols(formula, every).fit().params[names]
    parts = [every[every["cluster"] != one] for one in range(30)]
    moved = np.array([smf.ols(formula, part).fit().params[names] - full for part in parts])
    cov, effects = (moved.T @ moved), full[OTHERS].to_numpy()
    found = every.kappa.machine.fairness("human", "machine", by="group", cluster="cluster")
    groups, row = found.groups.xs(test, level="test"), found.tests.loc[test]
    assert_allclose(groups["se"], np.sqrt(np.diag(cov)))
    assert_allclose(row["f"], effects @ np.linalg.solve(cov[1:, 1:], effects) / 2)
    assert row["df2"] == 29
    few = f.sf(row["f"], 2, 29)
    assert_allclose(row["p_value"], few)


def test_sizes_of_unequal_groups():
    """Of 800 samples of a small noisy and a small quiet group; equal errors reject half."""
    rng = np.random.default_rng(5)
    group = np.repeat([0, 1, 2], [120, 20, 20])
    spread = np.array([1.0, 3.0, 0.3])[group]
    rows = RatingRows(np.zeros((2, 160), int), np.ones(160), group, 3, 1)
    classes = [np.zeros(160, int), np.arange(160) % 4]
    values = rng.normal(size=(800, 160)) * spread
    for some, equal, low, high in product(classes, [True, False], [0], [1]):
        p = [module.model(rows, one, some, 0.95, equal=equal).p_value for one in values]
        size = np.mean(np.array(p) < 0.05)
        assert size > 0.15 if equal else 0.03 < size < 0.08, (low, high, size)


def test_the_error_of_dsm_is_that_of_new_samples():
    """Of 400 samples of 3 groups, one of which both raters score higher."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1, 2], [20, 30, 50])
    true = rng.normal(size=(400, 100)) + (group == 2)
    human, machine = (true + rng.normal(scale=0.6, size=true.shape) for _ in range(2))
    machine += 0.4 * (group == 0)
    dsm, se = np.zeros((2, 400, 3))
    for place in range(400):
        frame = pd.DataFrame({"h": human[place], "m": machine[place], "g": group})
        scored = module.read_scores(frame, ["h", "m"], Reading(by="g"))
        dsm[place], se[place] = difference_of_means(scored.rows, scored.scores)
    assert_allclose(se.mean(axis=0), dsm.std(axis=0), rtol=0.1)


def test_groups_and_options(essays):
    found = essays.groupby("group").kappa.machine.fairness(
        "human", "machine", sample_weight="times"
    )
    whole = essays.loc[essays.index.repeat(essays["times"])]
    again = (whole * 1).kappa.machine.fairness("human", "machine", by="group")
    for name, table in found.tables.items():
        assert_frame_equal(table, again.tables[name])
    assert list(found.tests) == list(schema.FAIRNESS)
    assert list(found.groups) == list(schema.FAIRNESS_GROUPS)
    assert list(found.differences) == list(schema.DIFFERENCES)
    scaled = essays.assign(human=essays["human"] * 1e-3, machine=essays["machine"] * 1e-3)
    tiny = scaled.kappa.machine.fairness("human", "machine", by="group", sample_weight="times")
    assert_allclose(tiny.tests["p_value"], found.tests["p_value"], rtol=1e-9)
    osa, osd = (tiny.groups.xs(name, level="test")["estimate"] for name in ("osa", "osd"))
    assert_allclose(osa, 1e-6 * found.groups.xs("osa", level="test")["estimate"], rtol=1e-9)
    assert_allclose(osd, 1e-3 * found.groups.xs("osd", level="test")["estimate"], rtol=1e-9)
    assert "the base is group=a." in repr(found).replace("\n", " ")
    assert "\ncsd " in repr(found)


@undefined
def test_reasons():
    few = pd.DataFrame({"h": [1, 2, 3], "m": [1.0, 2.5, 3], "g": list("aab")})
    frames = {
        ("no_joint_items", "no_joint_items"): few.assign(m=[nan] * 3),
        ("one_group", ""): few.assign(g="a"),
        ("no_variance", "no_variance"): few.assign(m=few["h"]),
    }
    for (of_test, of_group), frame in frames.items():
        found = frame.kappa.machine.fairness("h", "m", by="g")
        assert found.tests["reason"]["osd"] == of_test
        assert found.groups["reason"].loc[("a", "osd")] == of_group
    found = few.kappa.machine.fairness("h", "m", by="g", errors="equal")
    assert found.tests["reason"].tolist() == ["", "", "few_items"]
    assert found.groups["reason"]["b"].tolist() == ["", "", "no_shared_score"]
    assert found.differences["reason"].tolist() == ["", "n_lt_2"]
    same = few.assign(h=2).kappa.machine.fairness("h", "m", by="g", errors="equal").differences
    assert same["reason"].tolist() == ["constant_rater", "constant_rater"]
    empty = few.assign(h=nan, m=nan).kappa.machine.fairness("h", "m", by="g")
    assert set(empty.tests["reason"]) == {"no_items"}
    assert empty.base == "none"
    with pytest.warns(errors.UndefinedKappaWarning, match=r"'csd' \(few_items\)"):
        few.kappa.machine.fairness("h", "m", by="g", errors="equal")
    quiet = pd.DataFrame(
        {"h": [1, 2, 3] * 4, "m": [1, 2, 4] + [1, 2, 3] * 3, "g": list("aaabbbccc") + ["a"] * 3}
    )
    found = quiet.kappa.machine.fairness("h", "m", by="g")
    assert found.tests["reason"]["osd"] == "no_variance"
    assert found.tests["remark"]["osd"] == "fewer than 10 items: g=a, g=b, g=c"
    assert set(found.groups["remark"]) == {"fewer than 10 items"}


@undefined
@each("errors", ["hc3", "equal"])
def test_groups_that_no_scores_join_with_the_base_are_not_compared(errors):
    """The first is the base; the last two share a score, but not with it."""
    group, human = np.repeat(list("uvwx"), 12), np.repeat([1, 2, 3, 3], 12)
    human[:4], human[44:] = 4, 5
    machine = human + np.random.default_rng(0).integers(-1, 2, 48)
    data = pd.DataFrame({"h": human, "m": machine, "g": group})
    fair = data.kappa.machine.fairness("h", "m", by="g", errors=errors)
    groups, test = fair.groups, fair.tests.loc["csd"]
    alone = "not compared, no human score in common with others: "
    assert (test["df1"], test["remark"]) == (1, f"{alone}g=u, g=v")
    assert (fair.tests["remark"].iloc[:2] == "").all()
    four = data.assign(g=np.where(data.index % 2, data["g"], data["g"] + "2"))
    remark = four.kappa.machine.fairness("h", "m", by="g", errors=errors).tests.loc["csd", "remark"]
    assert remark.endswith(
        "; compared with some only, no human score in common with others: g=u, g=u2, g=v, g=v2, "
        "g=w and 3 more"
    )
    apart = data.assign(h=data["h"] + 10 * (data["g"] == "x"))
    apart = apart.kappa.machine.fairness("h", "m", by="g", errors=errors).tests.loc["csd"]
    assert (apart["df1"], apart["reason"], apart["remark"]) == (0, "no_shared_score", "")
    found = groups.xs("csd", level="test")
    assert (found["reason"] == "no_shared_score").all()
    assert found[["estimate", "se", "ci_low", "ci_high", "p_value"]].isna().all(axis=None)
    assert groups.drop(index="csd", level="test")["estimate"].notna().all()


def test_as_many_effects_as_items_leave_no_error():
    """Rounding is no error either: nothing is known of it, nor of what is explained."""
    group, classes = np.array([[0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 3]])
    rows = RatingRows(np.zeros((2, 7), int), np.ones(7), group, 4, 1)
    for values in np.random.default_rng(1).normal(size=(3, 7)):
        found = module.model(rows, values, classes, 0.95, equal=True)
        assert found.df2 == 0
        assert np.isnan([found.r2, found.f, found.p_value, *found.se]).all()


def test_messages(essays, refuses):
    with pytest.raises(errors.OptionError, match=r"^by=None, but this function compares groups"):
        essays.kappa.machine.fairness("human", "machine", by=None)
    few = pd.DataFrame(
        {"h": [1, 2, 1, 3], "m": [1.0, 2.5, 2, 3], "g": list("aaab"), "c": [1, 2, 3, 4]}
    )
    alone = (
        "g=b has a single item, so that nothing is known of its errors (osa). Merge it with "
        "another group, or leave it out, or pass errors='equal'."
    )
    with pytest.raises(errors.RatingsError, match=exactly(alone)):
        few.kappa.machine.fairness("h", "m", by="g")
    shared = few.assign(h=[1, 2, 3, 1], m=[1, 3, 3.5, 2], g=list("aaab"))
    shared = pd.concat([shared, shared.assign(h=4, g="b", c=5)], ignore_index=True)
    shared["m"] += [0, 0.1, 0.3, 0.2, 0, 0.4, 0, 0.6]
    alone = "g=a has a single item with a human score that other groups have, so that"
    with pytest.raises(errors.RatingsError, match=f"^{re.escape(alone)}"):
        shared.kappa.machine.fairness("h", "m", by="g")
    with refuses(1), pytest.warns(errors.FewClustersWarning):
        few.kappa.machine.fairness("h", "m", by="g", errors="equal", cluster="c")
    many = pd.DataFrame({"h": range(5000), "m": range(5000), "g": range(5000)})
    with refuses():
        many.kappa.machine.fairness("h", "m", by="g")


@undefined
def test_what_has_no_error_has_no_limits():
    """A group whose errors are all the same, up to rounding; standard scores that are the same."""
    data = pd.DataFrame({"h": [0.1, 0.7, 0.3] * 12, "g": np.repeat(["a", "b"], [21, 15])})
    data["m"] = data["h"] + np.where(data["g"] == "a", 0.2, np.arange(36) % 4 / 10)
    found = data.kappa.machine.fairness("h", "m", by="g").groups
    for test in ("osa", "osd"):
        row = found.loc[("a", test)]
        assert row[["se", "ci_low", "ci_high", "p_value"]].isna().all()
        assert row["reason"] == "no_variance"
        assert found.loc[("b", test), "reason"] == ""
    alike = data.assign(m=2 * data["h"]).kappa.machine.fairness("h", "m", by="g").differences
    assert alike[["dsm_low", "dsm_high"]].isna().all(axis=None)
    assert set(alike["reason"]) == {"no_variance"}


def test_whom_a_judge_favours_is_said_first():
    """It said what the rows are called."""
    rng = np.random.default_rng(3)
    good, long = rng.random(400) < 0.5, np.arange(400) % 2 == 0
    judge = np.where(long, good | (rng.random(400) < 0.6), good & (rng.random(400) < 0.5))
    data = pd.DataFrame({"Ana": good * 1, "judge": judge * 1})
    found = data.assign(answer=np.where(long, "long", "short")).kappa.machine.fairness(
        "Ana", "judge", by="answer"
    )
    low, high = found.differences["dsm"].agg(["min", "max"])
    assert found.sentence == (
        f"Machine minus human, both standardised over all groups: \N{MINUS SIGN}{-low:.2f} (short) "
        f"to {high:.2f} (long); test of a difference between groups (osd): p < 0.0001; the base is "
        "answer=long."
    )
