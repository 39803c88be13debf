"""Fairness: RSMTool's tables, plain least squares, edges, reasons, messages."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from conftest import each
from elsewhere.rsmtool import read
from pdkappa import errors
from pdkappa.methods.machine import fairness as module
from pdkappa.methods.machine.evaluation import difference_of_means
from pdkappa.present import schema

undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
nan = float("nan")


@pytest.fixture
def essays():
    """Return made-up scores of unequal groups, with weights and holes."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"human": rng.integers(1, 6, 150), "group": rng.choice(list("aaaabc"), 150)}
    )
    frame["machine"] = frame["human"] * 0.8 + rng.normal(size=150) + (frame["group"] == "c")
    frame["times"] = rng.integers(1, 4, 150)
    frame.loc[::20, "machine"] = nan
    return frame


# --- Values from elsewhere ---------------------------------------------------------------------


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


@pytest.mark.oracle
def test_statsmodels(essays):
    """Weighted, unequal, with scores that some groups lack."""
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    essays.loc[(essays["group"] == "c") & (essays["human"] == 5), "human"] = 4
    essays["group"] = essays["group"].astype(str)
    whole = essays.loc[essays.index.repeat(essays["times"])].dropna()
    whole["error"] = whole["machine"] - whole["human"]
    null = smf.ols("error ~ C(human)", whole).fit()
    full = smf.ols("error ~ C(human) + C(group)", whole).fit()
    found = essays.kappa.machine.fairness("human", "machine", by="group", sample_weight="times")
    csd = found.tests.loc["csd"]
    assert_allclose(csd["r2"], full.rsquared_adj - null.rsquared_adj)
    assert_allclose(csd["p_value"], anova_lm(null, full)["Pr(>F)"].iloc[1])
    groups = found.groups.xs("csd", level="test").loc[["b", "c"]]
    names = ["C(group)[T.b]", "C(group)[T.c]"]
    assert_allclose(groups["estimate"], full.params[names])
    assert_allclose(groups["se"], full.bse[names])
    assert_allclose(groups[["ci_low", "ci_high"]], full.conf_int().loc[names])


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
        scored = module.read_scores(frame, ["h", "m"], module.Reading(by="g"))
        dsm[place], se[place] = difference_of_means(scored.rows, scored.scores)
    assert_allclose(se.mean(axis=0), dsm.std(axis=0), rtol=0.1)


# --- Laws and edges ----------------------------------------------------------------------------


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
    assert found.note().endswith("the base is group=a.")
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
    found = few.kappa.machine.fairness("h", "m", by="g")
    assert found.tests["reason"].tolist() == ["", "", "few_items"]
    assert found.groups["reason"]["b"].tolist() == ["", "", "no_shared_score"]
    assert found.differences["reason"].tolist() == ["", "n_lt_2"]
    same = few.assign(h=2).kappa.machine.fairness("h", "m", by="g").differences
    assert same["reason"].tolist() == ["constant_rater", "constant_rater"]
    empty = few.assign(h=nan, m=nan).kappa.machine.fairness("h", "m", by="g")
    assert set(empty.tests["reason"]) == {"no_items"}
    assert empty.base == "none"
    with pytest.warns(errors.UndefinedKappaWarning, match=r"'csd' \(few_items\)"):
        few.kappa.machine.fairness("h", "m", by="g")


def test_messages(essays):
    with pytest.raises(errors.OptionError, match=r"^by=None, but this function compares groups"):
        essays.kappa.machine.fairness("human", "machine", by=None)
    many = pd.DataFrame({"h": range(5000), "m": range(5000), "g": range(5000)})
    message = (
        "fairness of 5000 groups with 1 human scores takes more than 16777216 numbers. Name fewer "
        "groups, or round the human scores."
    )
    with pytest.raises(errors.TooLargeError, match=f"^{re.escape(message)}$"):
        many.kappa.machine.fairness("h", "m", by="g")
