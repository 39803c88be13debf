"""A report on machines: three figures first, and items where all humans are against one."""

import numpy as np
import openpyxl
import pandas as pd
import pytest

import pdkappa
from conftest import function_of

HUMANS = ["ann", "bob", "eve"]
MACHINES = ["gpt", "old"]
SHORT = {"detail": ["drilldown"]}
CATEGORIES = ["low", "mid", "high"]


def study(n=120, seed=1, noise=(0.1, 0.1, 0.2, 0.3, 0.6), missing=0.2):
    """Return items in two groups, rated by people and machines, some ratings missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {"text": [f"text {i}" for i in range(n)], "site": rng.choice(["x", "y"], n)}
    )
    for name, share in zip([*HUMANS, *MACHINES], noise, strict=True):
        codes = np.where(rng.random(n) < share, rng.integers(0, 3, n), truth)
        frame[name] = pd.Series(np.array(CATEGORIES, dtype=object)[codes]).where(
            rng.random(n) > missing
        )
    return frame.set_index(pd.Index([f"item {i}" for i in range(n)], name="name"))


def report(data, **options):
    raters = [*HUMANS, *MACHINES]
    given = {"machine": MACHINES, "categories": CATEGORIES, "weights": "linear"}
    return function_of("report")(data, raters, **given | SHORT | options)


def expected_of(data):
    """Look at each item by itself: its label, the machines against it, and how far they are."""
    found, n_agreed, n_asked = {}, 0, dict.fromkeys(MACHINES, 0)
    for name, row in data.iterrows():
        said = row[HUMANS].dropna()
        if len(said) < 2 or len({*said}) > 1:
            continue
        n_agreed += 1
        label = said.iloc[0]
        given = row[MACHINES].dropna()
        for machine in given.index:
            n_asked[machine] += 1
        other = given[given != label]
        if len(other):
            far = max(abs(CATEGORIES.index(one) - CATEGORIES.index(label)) for one in other)
            against = ", ".join(f"{machine}: {one}" for machine, one in other.items())
            found[name] = (label, against, len(said), -far, -len(other))
    return found, n_agreed, n_asked


def test_items_on_which_all_humans_agree_against_a_machine():
    data = study(240)
    table = report(data, columns=["text"]).tables["against_humans"]
    found, n_agreed, n_asked = expected_of(data)
    assert len(found) > 50
    assert len(table) == 50
    assert table.columns.tolist() == ["humans", "against", "n_humans", "text"]
    for name, row in table.iterrows():
        assert tuple(row[["humans", "against", "n_humans"]]) == found[name][:3]
        assert row["text"] == data.loc[name, "text"]
    ranks = [(far, n, -humans) for *_, humans, far, n in (found[name] for name in table.index)]
    every = sorted((far, n, -humans) for *_, humans, far, n in found.values())
    assert ranks == every[: len(table)]
    made = report(data)
    sheet = next(one for one in made.sheets if one.name == "against humans")
    wrong = {m: sum(f"{m}: " in one[1] for one in found.values()) for m in MACHINES}
    shares = "; ".join(
        f"{m} differs on {wrong[m]} of {n_asked[m]} ({100 * wrong[m] / n_asked[m]:.0f} %)"
        for m in MACHINES
    )
    told = f"All humans, two or more, agree on {n_agreed} of 240 items. Of these {shares}."
    assert sheet.notes[0] == told
    assert sheet.notes[1] == f"50 of {len(found)} items, those furthest apart first."


def test_the_furthest_apart_are_so_on_the_scale_of_their_group():
    """An engine is 8 of 60 points off in one set, and 3 of 3 in the other."""
    long, short = np.arange(0, 61, 4), np.arange(16) % 4
    data = pd.DataFrame({"essay_set": [8] * 16 + [3] * 16, "h1": [*long, *short]})
    data["engine"] = data["h2"] = data["h1"]
    data.loc[[5, 20], "engine"] = data.loc[5, "h1"] + 8, 3
    raters, options = ["h1", "h2", "engine"], {"by": "essay_set", "weights": "quadratic"}
    made = data.kappa.report(raters, machine="engine", **options)
    assert made.tables["against_humans"].index.tolist() == [20, 5]
    sheet = next(one for one in made.sheets if one.name == "against humans")
    assert (
        sheet.notes[1] == "2 of 2 items, those furthest apart for the scale of their group first."
    )


def test_groups_names_and_other_ways_in(tmp_path):
    data = study()
    plain = report(data).tables["against_humans"]
    grouped = report(data, by="site", id="text").tables["against_humans"]
    assert grouped.columns.tolist() == ["humans", "against", "n_humans", "site"]
    assert grouped.index.name == "text"
    assert (grouped["site"] == data.set_index("text").loc[grouped.index, "site"]).all()
    assert sorted(grouped["against"]) == sorted(plain["against"])
    made = data.kappa.report(MACHINES + HUMANS, machine=MACHINES, **SHORT)
    path = made.to_excel(tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(path)
    told = [cell.value for cell in book["To discuss"]["A"]]
    assert "Items on which all humans agree, and a machine does not" in told
    first = [cell.value for cell in book["Summary"]["A"]]
    start = first.index("Result") + 1
    assert first[start : start + 3] == [
        "Humans with each other",
        "Machines with humans",
        "Machine minus humans",
    ]
    long = data.reset_index().melt("name", HUMANS + MACHINES, "who", "label").dropna()
    ratings = pdkappa.from_long(
        long, item="name", rater="who", rating="label", categories=CATEGORIES
    )
    made = ratings.report(HUMANS + MACHINES, machine=MACHINES, weights="linear", **SHORT)
    listed = made.tables["against_humans"]
    assert sorted(listed["against"]) == sorted(plain["against"])


def test_where_rows_are_counted_labels_take_the_place_of_items(tmp_path):
    data = study(240)
    found, _, n_asked = expected_of(data)
    data.to_csv(tmp_path / "ratings.csv", index=False)
    options = {"machine": MACHINES, "categories": CATEGORIES, "weights": "linear", **SHORT}
    made = pdkappa.scan(tmp_path / "ratings.csv").report(HUMANS + MACHINES, by="site", **options)
    listed = made.tables["against_humans"]
    assert listed.columns.tolist() == ["humans", "against", "n_items", "site"]
    expected = pd.Series([(*found[name][:2], data["site"][name]) for name in found]).value_counts()
    rows = listed[["humans", "against", "site"]].itertuples(index=False, name=None)
    assert dict(zip(rows, listed["n_items"], strict=True)) == expected.to_dict()
    frame = report(data)
    told = [
        next(x for x in one.sheets if x.name == "against humans").notes[0] for one in (made, frame)
    ]
    assert f" of {n_asked['old']:,} (" in told[0]
    assert told[0] == told[1]


def test_recall_of_each_category_is_that_of_the_audit():
    """By hand, too: what share of the humans' ratings here a machine gives, and another human."""
    data = study(240)
    made = report(data)
    table = made.tables["recall"]
    audit = data.kappa.machine.audit(HUMANS, MACHINES, categories=CATEGORIES).categories
    expected = audit[table.columns].rename_axis(table.index.names)
    pd.testing.assert_frame_equal(table, expected.loc[MACHINES])
    for (machine, category), row in table.iterrows():
        given = data[HUMANS].eq(category) & data[[machine]].notna().to_numpy()
        assert row["n_ratings"] == given.to_numpy().sum()
        also = given & data[[machine]].eq(category).to_numpy()
        assert row["recall"] == pytest.approx(also.to_numpy().sum() / row["n_ratings"])
        others = given.sum(axis=1) * (data[HUMANS].notna().sum(axis=1) - 1)
        pairs = given.sum(axis=1) * (given.sum(axis=1) - 1)
        assert row["recall_humans"] == pytest.approx(pairs.sum() / others.sum())


def test_limits_of_a_recall_are_those_of_items():
    data = study().assign(author=np.arange(120) // 4, share=np.linspace(0.1, 2, 120))
    note = (
        "There are no limits: for recall they are not available with clusters or sampling weights."
    )
    weights = {"sample_weight": "share", "weight_type": "probability"}
    for options in ({"cluster": "author"}, weights):
        made = report(data, **options)
        sheet = next(one for one in made.sheets if one.name == "recall")
        assert sheet.notes == (note,)
        assert sheet.frame[["recall_low", "recall_high"]].isna().all(axis=None)
        assert sheet.frame["recall"].notna().all()
    grouped = next(one for one in report(data, by="site").sheets if one.name == "recall")
    assert grouped.notes == ("Items of all groups are pooled.",)
    pd.testing.assert_frame_equal(grouped.frame, report(data).tables["recall"][[*grouped.frame]])
    table = pdkappa.from_table(pd.crosstab(data["ann"], data["gpt"]))
    found = table.report(machine="gpt", **SHORT).tables["recall"]
    both = data[["ann", "gpt"]].dropna()
    low = both.loc[both["ann"] == "low", "gpt"].eq("low").mean()
    assert found.loc[("gpt", "low"), "recall"] == pytest.approx(low)
