"""Every table of a whole evaluation by RSMTool, to 1e-7."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pdkappa
from conftest import each

FOLDER = Path(__file__).parents[2] / "data" / "scoring" / "eval_with_h2"
# what RSMTool calls otherwise; its agreement is in per cent
BOTH = {"corr": "correlation", "wtkappa": "qwk", "kappa": "cohen", "SMD": "smd"}
BOTH |= {"exact_agr": "exact_agreement", "adj_agr": "adjacent_agreement", "DSM": "dsm"}
BOTH |= {"N": "n_items", "R2": "r2", "RMSE": "rmse"}
OF_MACHINE = BOTH | {"h_mean": "mean_a", "h_sd": "sample_sd_a"}
OF_MACHINE |= {"sys_mean": "mean_b", "sys_sd": "sample_sd_b"}
OF_HUMANS = BOTH | {"h1_mean": "mean_a", "h1_sd": "sample_sd_a"}
OF_HUMANS |= {"h2_mean": "mean_b", "h2_sd": "sample_sd_b"}
PER_CENT = ("exact_agr", "adj_agr")
RANGES = ("h_min", "h_max", "sys_min", "sys_max", "h1_min", "h1_max", "h2_min", "h2_max")
ELSEWHERE = {  # tables that the tests of `fairness` and `prmse` hold
    "estimates_csd_by_L1",
    "estimates_osa_by_L1",
    "estimates_osd_by_L1",
    "fairness_metrics_by_L1",
    "fairness_metrics_by_QUESTION",
    "true_score_eval",
}
HERE = {
    "confMatrix",
    "consistency",
    "consistency_by_L1",
    "degradation",
    "disattenuated_correlations",
    "disattenuated_correlations_by_L1",
    "eval",
    "eval_by_L1",
    "eval_by_QUESTION",
    "eval_short",
}
INPUTS = {"pred_processed", "test_human_scores", "test_metadata"}
SCALE = range(1, 7)


def read(name):
    """Read one of RSMTool's tables."""
    assert name in HERE | INPUTS
    table = pd.read_csv(FOLDER / f"{name}.csv", index_col=0)
    return table.rename(columns=lambda column: str(column).strip())


@pytest.fixture(scope="module")
def responses():
    humans = read("test_human_scores").rename(columns={"sc1": "h1", "sc2": "h2"})
    return humans.join(read("pred_processed").drop(columns="sc1")).join(read("test_metadata"))


def evaluated(responses, machine, **options):
    """Evaluate a version of the machine's scores beside two humans, on the scale of RSMTool."""
    return pdkappa.evaluation(responses, "h1", machine, "h2", **{"categories": SCALE, **options})


def compare(found, expected, names):
    """Hold each figure of a row of RSMTool to ours."""
    for name, value in expected.items():
        if name not in RANGES:
            ours = found[names[name]] * (100 if name in PER_CENT else 1)
            assert_allclose(ours, value, rtol=1e-7, atol=1e-12, err_msg=name)


def of_versions(table, found_of, names):
    """Compare rows or columns such as `scale_trim`; agreement of `scale` is without rounding."""
    for version, row in table.iterrows():
        plain = version != "scale_trim_round"
        shares = [name for name in row.index if name in PER_CENT]
        compare(found_of(version), row.drop(shares), names)
        compare(found_of(version, rounded=not plain), row[shares], names)


def test_evaluation(responses):
    def row(version, **options):
        return evaluated(responses, version, **options).loc["evaluation"]

    of_versions(read("eval"), row, OF_MACHINE)
    short = read("eval_short").iloc[0]
    for name, value in short.items():
        figure, _, version = name.partition(".")
        compare(row(version or "scale_trim"), {figure: value}, OF_MACHINE)


def test_consistency_and_degradation(responses):
    def row(version, **options):
        return evaluated(responses, version, **options).loc["degradation"]

    compare(
        evaluated(responses, "scale").loc["consistency"], read("consistency").iloc[0], OF_HUMANS
    )
    of_versions(read("degradation"), row, OF_MACHINE)


def test_disattenuated_correlations(responses):
    def check(found, row):
        of_humans, of_machine = found.loc["consistency"], found.loc["evaluation"]
        assert_allclose(of_machine["correlation"], row["corr_HM"], rtol=1e-7)
        assert_allclose(of_humans["correlation"], row["corr_HH"], rtol=1e-7)
        assert_allclose(of_humans["correlation"] ** 0.5, row["sqrt_HH"], rtol=1e-7)
        assert_allclose(of_machine["disattenuated"], row["corr_disattenuated"], rtol=1e-7)
        assert found["disattenuated"].isna().tolist() == [True, False, True]

    for version, row in read("disattenuated_correlations").iterrows():
        check(evaluated(responses, version), row)
    by_language = evaluated(responses, "scale", by="L1")
    for language, row in read("disattenuated_correlations_by_L1").iterrows():
        whole = evaluated(responses, "scale")
        check(whole if language == "All data" else by_language.loc[language], row)


@each("by", ["L1", "QUESTION"])
def test_groups(responses, by):
    table = read(f"eval_by_{by}").drop(index="All data")
    found = {
        version: evaluated(responses, version, by=by).xs("evaluation", level="comparison")
        for version in ("scale_trim", "scale_trim_round")
    }
    for group, row in table.iterrows():
        for name, value in row.items():
            figure, _, version = name.partition(".")
            compare(found[version or "scale_trim"].loc[group], {figure: value}, OF_MACHINE)


def test_humans_in_groups(responses):
    found = evaluated(responses, "scale", by="L1").xs("consistency", level="comparison")
    for language, row in read("consistency_by_L1").drop(index="All data").iterrows():
        compare(found.loc[language], row, OF_HUMANS)


def test_ranges_and_confusion(responses):
    table = read("confMatrix")
    found = responses.kappa.confusion("h1", "scale_trim_round", categories=range(1, 6))
    assert_array_equal(found, table)
    row = read("eval").loc["scale"]
    assert_allclose(responses["scale"].agg(["min", "max"]), row[["sys_min", "sys_max"]], rtol=1e-7)


def test_no_table_is_left_out():
    assert {path.stem for path in FOLDER.glob("*.csv")} == HERE | INPUTS | ELSEWHERE


def test_columns_are_there_where_they_mean_something(responses):
    alone = pdkappa.evaluation(responses, "h1", "scale")
    assert not {"dsm", "disattenuated"} & set(alone)
    assert "dsm" in pdkappa.evaluation(responses, "h1", "scale", by="L1")
    none = responses.assign(h2=5 - responses["h1"])
    assert evaluated(none, "scale", categories=range(7))["disattenuated"].isna().all()
