"""A report on machines: three figures first, and items where all humans are against one."""

from __future__ import annotations

import numpy as np
import openpyxl
import pandas as pd
import pytest

import pdkappa

HUMANS = ["ann", "bob", "eve"]
MACHINES = ["gpt", "old"]
SHORT = {"confusion": False, "crosscheck": False}
UNKNOWN = (
    "includes 0: it shows neither who agrees more with humans, nor that both agree equally well."
)
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
    given = {"machines": MACHINES, "categories": CATEGORIES, "weights": "linear"}
    return data.kappa.report(raters, **given | SHORT | options)


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
    table = report(data, columns=["text"]).tables["against humans"]
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
    assert told in made.headline.sentences
    assert sheet.notes[1] == f"50 of {len(found)} items, those furthest apart first."


def test_groups_names_and_other_doors(tmp_path):
    data = study()
    plain = report(data).tables["against humans"]
    grouped = report(data, by="site", id="text").tables["against humans"]
    assert grouped.columns.tolist() == ["humans", "against", "n_humans", "site"]
    assert grouped.index.name == "text"
    assert (grouped["site"] == data.set_index("text").loc[grouped.index, "site"]).all()
    assert sorted(grouped["against"]) == sorted(plain["against"])
    path = data.kappa.to_excel(tmp_path / "a.xlsx", MACHINES + HUMANS, machines=MACHINES, **SHORT)
    book = openpyxl.load_workbook(path)
    assert "Against humans" in book.sheetnames
    first = [cell.value for cell in book["Cover"]["A"]]
    start = first.index("Result") + 1
    assert first[start : start + 3] == [
        "Humans with each other",
        "Machines with humans",
        "Machines less humans",
    ]
    long = data.reset_index().melt("name", HUMANS + MACHINES, "who", "label").dropna()
    ratings = pdkappa.from_long(
        long, item="name", rater="who", rating="label", categories=CATEGORIES
    )
    made = ratings.report(HUMANS + MACHINES, machines=MACHINES, weights="linear", **SHORT)
    listed = made.tables["against humans"]
    assert sorted(listed["against"]) == sorted(plain["against"])


def test_where_rows_are_counted_labels_take_the_place_of_items(tmp_path):
    data = study(240)
    found, _, n_asked = expected_of(data)
    data.to_csv(tmp_path / "ratings.csv", index=False)
    options = {"machines": MACHINES, "categories": CATEGORIES, "weights": "linear", **SHORT}
    made = pdkappa.scan(tmp_path / "ratings.csv").report(HUMANS + MACHINES, by="site", **options)
    listed = made.tables["against humans"]
    assert listed.columns.tolist() == ["humans", "against", "n_items", "site"]
    expected = pd.Series([(*found[name][:2], data["site"][name]) for name in found]).value_counts()
    rows = listed[["humans", "against", "site"]].itertuples(index=False, name=None)
    assert dict(zip(rows, listed["n_items"], strict=True)) == expected.to_dict()
    frame = report(data)
    for one in (made, frame):
        [told] = [text for text in one.headline.sentences if text.startswith("All humans")]
        assert f" of {n_asked['old']:,} (" in told
    assert told in made.headline.sentences


def test_three_figures_are_the_headline(tmp_path):
    """The same ones in the summary, on the page and in a line of a terminal."""
    made = report(study(), title="May a model rate?")
    names = ("Humans with each other", "Machines with humans", "Difference")
    assert tuple(name for name, _ in made.headline.compared) == names
    summary = made.tables["summary"].iloc[:3]
    for (_, figures), (_, row) in zip(made.headline.compared, summary.iterrows(), strict=True):
        assert figures == tuple(row[["estimate", "ci_low", "ci_high"]])
    assert made.headline.of_compared == "Mean over pairs of Cohen's kappa, linear weights"
    assert made.headline.sentences[0].startswith("Humans agree with each other at ")
    humans, machines, apart = (figures[0] for _, figures in made.headline.compared)
    assert f"Humans with each other {humans:.2f} [" in repr(made)
    page = made.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    header = page.split("<header>")[1].split("</header>")[0]
    for figure in (humans, machines, apart):
        assert f"<strong>{figure:.2f}</strong>" in header
    assert header.count('class="point"') == 2
    assert f'aria-label="Humans with each other {humans:.2f} [' in header
    by = report(study(), by="site").headline.of_compared
    assert by == "Mean over pairs and groups of Cohen's kappa, linear weights"


@pytest.mark.parametrize(
    ("noise", "told"),
    [
        ((0.1, 0.1, 0.2, 0.7, 0.7), "below 0: machines agree with humans less than humans do."),
        ((0.5, 0.5, 0.5, 0.0, 0.0), "above 0: machines agree with humans more than humans do."),
        ((0.2, 0.2, 0.2, 0.2, 0.2), UNKNOWN),
    ],
)
def test_what_the_interval_allows_to_say(noise, told):
    made = report(study(noise=noise), drilldown=False).headline
    assert made.sentences[1].removeprefix("The interval ").removeprefix("is ") == told
    sign = {"below": -1, "above": 1}.get(told.split()[0], 0)
    _, (_, low, high) = made.compared[-1]
    assert (np.sign(low) + np.sign(high)) / 2 == sign


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
    gap = (table["recall_humans"] - table["recall"])[table["recall_high"] < table["recall_humans"]]
    machine, category = gap.idxmax()
    [told] = [one for one in made.headline.sentences if "recalls" in one]
    row = table.loc[(machine, category)]
    assert told == (
        f"Of 6 recalls of a machine on a category, the one furthest below that of people is "
        f"{machine} "
        f"on {category}: {row['recall']:.2f} (95 % interval {row['recall_low']:.2f} to "
        f"{row['recall_high']:.2f}), where people's is {row['recall_humans']:.2f}."
    )
    alike = report(study(noise=(0.5, 0.5, 0.5, 0.1, 0.1)))
    assert not [one for one in alike.headline.sentences if "recalls" in one]


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
    pd.testing.assert_frame_equal(grouped.frame, report(data).tables["recall"])
    table = pdkappa.from_table(pd.crosstab(data["ann"], data["gpt"]))
    found = table.report(machines=["gpt"], **SHORT).tables["recall"]
    both = data[["ann", "gpt"]].dropna()
    low = both.loc[both["ann"] == "low", "gpt"].eq("low").mean()
    assert found.loc[("gpt", "low"), "recall"] == pytest.approx(low)
