"""The audit of judges: the figures of its parts, words, pages, workbooks, pictures, messages."""

import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy import stats

from conftest import function_of, raising
from pdkappa import errors
from pdkappa.methods.machine.verdicts import CONCLUSIONS, NOT_SAID, conclusion_of, findings_of
from pdkappa.methods.machine.verdicts import HUMANS as CEILING
from pdkappa.present import schema

DATA = Path(__file__).parents[2] / "data" / "judges"
HUMANS = ["ann", "bob", "eve"]
LISTS = {
    "machines": schema.AUDIT,
    "kappas": ("n_items", "estimate", "se", "ci_low", "ci_high", "reason", "remark"),
    "categories": schema.AUDIT_CLASSES,
    "humans": schema.ALT_HUMANS,
    "repeats": schema.AUDIT_REPEATS,
    "positions": schema.AUDIT_POSITIONS,
    "drift": schema.AUDIT_DRIFT,
}


def drawn(seed=0, n=240, missing=0.15):
    """Ratings of three humans and two judges, asked again, in the other order, over months."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (n, 1))
    seen = np.where(rng.random((n, 5)) < 0.75, truth, rng.integers(0, 3, (n, 5)))
    data = pd.DataFrame(seen, columns=[*HUMANS, "gpt", "mini"]).mask(rng.random((n, 5)) < missing)
    again = data["gpt"].where(rng.random(n) > 0.1, rng.integers(0, 3, n))
    swapped = data["gpt"].where(rng.random(n) > 0.2, 2)
    month = np.repeat(["2026-01", "2026-02", "2026-03"], n // 3)
    return data.assign(again=again, swapped=swapped, month=month, times=rng.integers(1, 4, n))


ASKED = {"again": {"gpt": "again"}, "swapped": {"gpt": "swapped"}, "by": "month", "margin": 0.1}


@pytest.fixture(name="audited", scope="module")
def _audited():
    return drawn().kappa.machine.audit(HUMANS, ["gpt", "mini"], **ASKED)


def test_the_figures_are_those_of_the_methods(audited):
    data = drawn()
    frame = audited.machines
    ceiling = data.kappa.machine.ceiling(HUMANS, ["gpt", "mini"], margin=0.1)
    for name, theirs in {"difference": "difference", "difference_low": "ci_low"}.items():
        assert_allclose(frame[name], ceiling[theirs])
    for name in ("estimate_humans", "p_non_inferior"):
        assert_allclose(frame[name], ceiling[name])
    assert_allclose(frame["estimate"], ceiling["estimate_machine"])
    assert (frame["non_inferior"].array == ceiling["non_inferior"].array).all()
    test = data.kappa.machine.alt_test(HUMANS, ["gpt", "mini"])
    for name in ("winning_rate", "advantage_probability", "n_humans", "replaces"):
        assert_series_equal(frame[name], test.machines[name])
    assert_frame_equal(audited.humans, test.humans)
    pairs = [data.kappa.pairs(list(pair))["estimate"][0] for pair in combinations(HUMANS, 2)]
    assert_allclose(audited.kappas.loc[CEILING, "estimate"], np.mean(pairs))
    months = data.groupby("month")
    ceilings = [one.kappa.machine.ceiling(HUMANS, "gpt").iloc[0] for _, one in months]
    for name, theirs in {"estimate": "machine", "estimate_humans": "humans"}.items():
        expected = [one[f"estimate_{theirs}"] for one in ceilings]
        assert_allclose(audited.drift.loc["gpt", name], expected)


def test_the_shares_of_the_categories_are_counts(audited):
    data = drawn()
    for judge in ("gpt", "mini"):
        rated = data[data[judge].notna() & data[HUMANS].notna().any(axis=1)]
        for category in (0, 1, 2):
            row = audited.categories.loc[(judge, category)]
            given = rated[HUMANS] == category
            hits = given.to_numpy().sum(axis=1) * (rated[judge] == category)
            others = (rated[HUMANS].notna() & ~given).sum(axis=1)
            assert row["n_ratings"] == given.to_numpy().sum()
            assert_allclose(row["recall"], hits.sum() / given.to_numpy().sum())
            rest = (others * (rated[judge] != category)).sum() / others.sum()
            assert_allclose(row["specificity"], rest)
            same = sum((given[a] & given[b]).sum() for a, b in combinations(HUMANS, 2))
            pairs = sum(
                (given[a] & rated[b].notna()).sum() for a in HUMANS for b in HUMANS if a != b
            )
            assert_allclose(row["recall_humans"], 2 * same / pairs)
            share = (given.sum(axis=1) / rated[HUMANS].notna().sum(axis=1)).mean()
            assert_allclose(row["excess"], (rated[judge] == category).mean() - share)
            for name in ("recall", "specificity", "excess"):
                assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


def test_answers_again_and_in_the_other_order(audited):
    data = drawn()
    both = data[["gpt", "again"]].dropna()
    flips = (both["gpt"] != both["again"]).mean()
    row = audited.repeats.loc[("gpt", "again")]
    assert_allclose([row["flip_rate"], audited.machines.loc["gpt", "flip_rate"]], flips)
    assert_allclose(row["estimate"], data.kappa.pairs(["gpt", "again"])["estimate"][0])
    assert audited.machines["flip_rate"].isna().tolist() == [False, True]
    row = audited.positions.loc[("gpt", "swapped", 2)]
    both = data[["gpt", "swapped"]].dropna()
    shares = [(both[name] == 2).mean() for name in ("gpt", "swapped")]
    assert_allclose(row[["share_given", "share_swapped"]].astype(float), shares)
    assert_allclose(row["shift"], shares[1] - shares[0])
    p_values = audited.positions.loc[("gpt", "swapped"), "p_value"]
    assert_allclose(audited.machines.loc["gpt", "p_position"], 3 * p_values.min())
    assert p_values.min() < 0.001
    same = drawn().assign(copy=lambda x: x["gpt"])
    copied = same.kappa.machine.audit(
        HUMANS, "gpt", again={"gpt": ["copy"]}, swapped={"gpt": "copy"}
    ).machines
    assert copied[["flip_rate", "p_position"]].to_numpy().tolist() == [[0.0, 1.0]]


def test_limits_of_a_mean_of_perfect_agreement_are_those_of_one_pair():
    """The pseudo-item does not grow with the number of pairs."""
    data = drawn(missing=0).assign(bob=lambda x: x["ann"], eve=lambda x: x["ann"])
    limits = [
        data.kappa.machine.audit(people, "gpt").kappas.loc[CEILING, "ci_low"]
        for people in (HUMANS[:2], HUMANS)
    ]
    assert_allclose(limits[0], limits[1])
    assert limits[0] < 1


def test_drift_is_seen_where_there_is_some():
    data = drawn(n=600, missing=0)
    worse = data["month"] == "2026-03"
    random = np.random.default_rng(1).integers(0, 3, len(data))
    data["gpt"] = data["gpt"].where(~worse, random)
    found = data.kappa.machine.audit(HUMANS, ["gpt", "mini"], by="month").machines
    assert found.loc["gpt", "p_drift"] < 0.001 < found.loc["mini", "p_drift"]
    assert "Its agreement differs by month (p < 0.0001)." in found.loc["gpt", "verdict"]
    assert (
        data.groupby("month").kappa.machine.audit(HUMANS, ["gpt"]).machines.loc["gpt", "p_drift"]
        < 0.001
    )


@pytest.mark.parametrize(
    ("limits", "margin", "name"),
    [
        ((0.02, 0.2), 0.1, "better"),
        ((-0.05, 0.1), 0.1, "as good"),
        ((-0.09, -0.01), 0.1, "nearly"),
        ((-0.3, -0.2), 0.1, "worse"),
        ((-0.3, 0.2), 0.1, "open"),
        ((-0.2, -0.05), 0.1, "lower"),
        ((0.02, 0.2), np.nan, "better"),
        ((-0.1, 0.1), np.nan, "untold"),
        ((-0.2, -0.1), np.nan, "below"),
    ],
)
def test_words_follow_the_interval(limits, margin, name):
    assert conclusion_of(*limits, margin) == name
    numbers = ("winning_rate", "flip_rate", "p_position", "p_drift", "estimate", "estimate_humans")
    row = dict.fromkeys(numbers, np.nan) | {
        "difference": np.mean(limits),
        "difference_low": limits[0],
        "difference_high": limits[1],
        "margin": margin,
        "non_inferior": pd.NA if np.isnan(margin) else limits[0] > -margin,
        "replaces": pd.NA,
        "reason": "",
    }
    found = findings_of(row, 0.95)
    assert found["agreement"].startswith(f"The machine {CONCLUSIONS[name]}: ")
    assert found["not said"].startswith(NOT_SAID[name][:12])
    assert "{" not in found["not said"]


def test_a_verdict_in_full():
    data = pd.read_csv(DATA / "lgbteen.csv", index_col="item")
    humans = [one for one in data if one.startswith("human_")]
    found = data.kappa.machine.audit(humans, "gpt-4o", margin=0.1)
    row = found.machines.loc["gpt-4o"]
    assert row["verdict"] == (
        "The machine agrees with humans less than they do with each other, by more than the "
        "margin: 0.36 with humans, 0.54 among them, difference -0.18 (95 % interval -0.25 to "
        "-0.12). By the alternative annotator test it may replace a human: it beats 3 of 4. That "
        "test asks a different question, with a different answer here."
    )
    assert row["not_said"] == (
        "The interval does not show that the machine is of no use: only that it agrees less "
        "by 0.12 or more, not what that costs."
    )
    told = (
        "gpt-4o agrees with humans less than they do with each other, by more than the margin "
        "(\N{MINUS SIGN}0.18 [\N{MINUS SIGN}0.25, \N{MINUS SIGN}0.12]): 0.36 [0.31, 0.40] against"
    )
    assert repr(found).replace("\n", " ").startswith(told)
    [replaces] = [x for x in found.findings.findings if x.kind == "replacement"]
    assert replaces.sentence in row["verdict"]
    bare = data.kappa.machine.audit(humans, "gpt-4o")
    assert "No margin was given" in repr(bare)
    row = bare.machines.loc["gpt-4o"]
    assert row["verdict"].startswith("The machine agrees with humans less than they do with each")
    assert row[["margin", "p_non_inferior", "non_inferior"]].isna().all()
    assert row["not_said"] == NOT_SAID["below"]


@pytest.mark.needs("matplotlib", "jinja2")
def test_a_picture_and_a_page_without_a_margin_and_of_a_judge_without_judgements():
    import matplotlib.pyplot as plt

    for frame, machines in ((drawn(), "gpt"), (drawn().assign(none=np.nan), ["gpt", "none"])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.UndefinedKappaWarning)
            found = frame.kappa.machine.audit(HUMANS, machines)
        plt.close(found.plot().figure)
        assert found.findings.headline in found.to_html()
    with pytest.warns(errors.UndefinedKappaWarning):
        drawn().head(0).kappa.machine.audit(HUMANS, "gpt", by="month").to_html()


def test_the_published_table_of_the_documentation():
    """Each row of docs/judges.md is what an audit says, as it is rounded there."""
    page = (Path(__file__).parents[3] / "docs" / "judges.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.count("|") == 9]
    table = {(row[0], row[1]): row[2:] for row in rows[2:]}
    expected = pd.read_csv(DATA / "expected.csv").groupby("dataset", sort=False)
    for name, judges in expected:
        data, first = pd.read_csv(DATA / f"{name}.csv", index_col="item"), judges.iloc[0]
        score = first["score"].removeprefix("neg_")
        options = {"score": score, "weights": "quadratic" if score == "rmse" else None}
        humans = [one for one in data if one.startswith("human_")]
        names = list(judges["judge"])
        found = data.kappa.machine.audit(
            humans, names, epsilon=first["epsilon"], margin=0.05, **options
        ).machines
        for judge, row in found.iterrows():
            limits = f"[{row['difference_low']:+.2f}, {row['difference_high']:+.2f}]"
            assert table.pop((name, judge)) == [
                f"{row['winning_rate']:.2f}",
                "yes" if row["replaces"] else "no",
                f"{row['estimate']:.2f}",
                f"{row['estimate_humans']:.2f}",
                f"{row['difference']:+.2f} {limits}",
                "yes" if row["non_inferior"] else "no",
            ]
    assert not table


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_difference_without_an_error_says_why():
    few = pd.DataFrame({"a": [4], "b": [1], "c": [1]})
    given = {"weights": "quadratic", "coefficient": "krippendorff"}
    found = few.kappa.machine.ceiling(["a", "b"], "c", **given).iloc[0]
    assert np.isnan(found["se"])
    assert found["reason"] == "n_lt_2"


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("rating", [np.nan, 1], ids=["none", "constant"])
def test_a_human_of_whom_no_pair_is_used_changes_nothing(rating):
    """Their turn in the place of the machine has no error, that of the machine has one."""
    frame = drawn().assign(dan=rating)
    alone, found = (
        frame.kappa.machine.ceiling(names, "gpt").iloc[0] for names in (HUMANS, [*HUMANS, "dan"])
    )
    figures = ["difference", "se", "ci_low", "ci_high", "p_value", "n_human_pairs"]
    assert_allclose(found[figures].astype(float), alone[figures].astype(float), rtol=1e-3)
    assert found["reason"] == ""


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_two_items_have_an_excess_with_limits_and_humans_without_any_in_common_have_none():
    two = pd.DataFrame({"m": [1, 2], "h": [1, 1], "i": [1, 2]})
    row = two.kappa.machine.audit(["h", "i"], "m").categories.loc[("m", 1)]
    mean, half = -0.25, stats.t.ppf(0.975, 1) * 0.25
    limits = [mean, max(mean - half, -1), min(mean + half, 1)]
    assert_allclose(row[["excess", "excess_low", "excess_high"]].astype(float), limits)
    apart = pd.DataFrame(
        {"m": [1, 2, 1, 2], "h": [1, 2, np.nan, np.nan], "i": [np.nan, np.nan, 1, 1]}
    )
    humans = apart.kappa.machine.audit(["h", "i"], "m").kappas.loc["humans with each other"]
    assert (humans["n_items"], humans["reason"]) == (0, "no_joint_items")


def test_a_judge_without_judgements_has_a_reason():
    data = drawn().assign(none=np.nan)
    with pytest.warns(errors.UndefinedKappaWarning) as told:
        found = data.kappa.machine.audit(
            HUMANS, ["gpt", "none"], by="month", again={"none": "again"}
        )
    [one] = told
    assert str(one.message) == (
        "1 of 2 comparisons is undefined (NaN): 'none' (no_joint_items). The column 'reason' "
        "says why."
    )
    row = found.machines.loc["none"]
    assert row["reason"] == "no_joint_items"
    assert row["verdict"] == (
        "It is undecided how the machine compares. No item was rated by both raters."
    )
    assert row["not_said"] == ""
    assert found.repeats["reason"].tolist() == ["no_joint_items"]
    assert set(found.categories.loc["none", "reason"]) == {"no_joint_items"}
    with pytest.warns(errors.UndefinedKappaWarning):
        empty = data.head(0).kappa.machine.audit(HUMANS, "gpt", by="month")
    assert empty.machines["reason"].tolist() == ["no_items"]
    assert {name: list(one) for name, one in empty.tables.items()} == {
        name: list(names) for name, names in LISTS.items()
    }


MESSAGES = {
    "no dict": {"again": "again"},
    "no machine": {"swapped": {"mini": "swapped"}},
    "itself": {"again": {"gpt": "gpt"}},
    "absent column": {"again": {"gpt": "agian"}},
    "margin": {"margin": -1},
    "one human": {"humans": ["ann"]},
}


@raising("audit", MESSAGES)
def test_the_whole_message(call, refused):
    with refused():
        drawn().kappa.machine.audit(**{"machine": "gpt", "humans": HUMANS} | call)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_drift_is_not_tested_without_a_batch_that_has_no_standard_error():
    """In the last one all are right: kappa is 1, and was below .2 before."""
    rng = np.random.default_rng(0)
    month, truth = np.repeat(["1", "2", "3"], 100), rng.integers(0, 2, 300)
    raters = {
        name: np.where((rng.random(300) < right) | (month == "3"), truth, 1 - truth)
        for name, right in {"ann": 0.9, "bob": 0.9, "gpt": 0.6}.items()
    }
    data = pd.DataFrame({"month": month, **raters})
    found = data.kappa.machine.audit(["ann", "bob"], "gpt", by="month")
    told = "drift is not tested: a group has no standard error"
    assert found.drift["remark"].tolist() == ["", "", told]
    assert told in found.machines["remark"].item()
    assert np.isnan(found.machines["p_drift"].item())
    assert "drift" not in found.machines["verdict"].item()
    [said] = [one.sentence for one in found.findings.findings if one.kind == "drift"]
    span = "The agreement of gpt with people by month is 1.00 (month 3) to 0.11 (month 2)"
    assert said == f"{span}; {told}."
    first = data[data["month"] < "3"].kappa.machine.audit(["ann", "bob"], "gpt", by="month")
    assert first.machines["p_drift"].item() > 0.05


def test_few_clusters_are_warned_of_once_for_all_machines():
    frame = drawn()
    with pytest.warns(errors.FewClustersWarning) as told:
        frame.kappa.machine.ceiling(HUMANS, ["gpt", "mini"], cluster=np.arange(len(frame)) // 9)
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_clusters_with_items_in_several_batches_are_one_each():
    """Batches are for drift alone; all else is of the ratings together."""
    data = drawn()
    asked = {"cluster": np.arange(len(data)) % 40, "again": {"gpt": "again"}, "margin": 0.1}
    asked["swapped"] = {"gpt": "swapped"}
    plain, batches = (
        function_of("machine.audit")(data, HUMANS, "gpt", **asked, **by)
        for by in ({}, {"by": "month"})
    )
    for name in ("kappas", "categories", "humans", "repeats", "positions"):
        assert_frame_equal(batches.tables[name], plain.tables[name])
    words = ["verdict", "remark"]
    assert_frame_equal(batches.machines.drop(columns=words), plain.machines.drop(columns=words))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_the_order_is_tested_as_often_as_there_are_clusters():
    """Two in which it always matters alike tell little, and one tells nothing."""
    data = pd.DataFrame({"ann": [0, 1] * 30, "bob": [0, 1] * 30, "gpt": 0})
    data["swapped"] = ([1] * 10 + [0] * 20) * 2
    asked = {"swapped": {"gpt": "swapped"}}
    for cluster in (np.arange(60) // 30, np.arange(60) // 6, np.arange(60) % 3):
        found = data.kappa.machine.audit(HUMANS[:2], "gpt", cluster=cluster, **asked)
        rows = found.positions
        excluded = rows["shift_low"] * rows["shift_high"] > 0  # 0, by limits
        assert (excluded | (rows["p_value"] >= 0.05)).all()
        assert found.machines["p_position"].item() == rows["p_value"].min()
    assert rows["p_value"].iloc[0] > 0.001
    one = data.kappa.machine.audit(HUMANS[:2], "gpt", cluster=np.zeros(60), **asked)
    assert one.positions[["shift_low", "p_value"]].isna().all(axis=None)
    assert set(one.positions["reason"]) == {"n_lt_2"} == set(one.categories["reason"])
    assert np.isnan(one.machines["p_position"].item())
    assert "order" not in one.machines["verdict"].item()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_category_that_stands_in_one_cluster_says_why_it_has_no_limits():
    data = drawn(missing=0)
    cluster = np.arange(len(data)) // 8
    data.loc[cluster == 0, [*HUMANS, "gpt"]] = 3
    data.loc[:1, "gpt"] = 0
    found = data.kappa.machine.audit(HUMANS, "gpt", cluster=cluster).categories
    row = found.loc[("gpt", 3)]
    assert row[["recall_low", "recall_high"]].isna().all()
    assert row["reason"] == "n_lt_2"
    assert set(found["reason"].iloc[:3]) == {""}
