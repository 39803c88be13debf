"""What stands around the pairs in a report: summary, all raters together, and the drill-down."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import KappaWarning
from pdkappa.methods.estimates import study
from pdkappa.methods.estimates.options import USUAL_INTERVALS
from pdkappa.methods.estimates.pair_frames import estimate
from pdkappa.methods.estimates.study import read
from pdkappa.methods.report.overview import EXTREMES
from pdkappa.present import schema
from pdkappa.present.sheets import totals_in
from pdkappa.ratings.coded import encode
from pdkappa.ratings.options import Reading

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
ANXIETY = pdkappa.datasets.load_anxiety()


def tables_of(data, *args, **options):
    return pdkappa.report(data, *args, crosscheck=False, **options).tables


@pytest.fixture(scope="module")
def essays():
    return tables_of(ESSAYS, RATERS, by="essay_set", weights="quadratic")


@pytest.fixture(scope="module")
def anxiety():
    return tables_of(ANXIETY, weights="quadratic")


def test_the_tables(essays, anxiety):
    matrices = ["pairwise", "pairwise n_items", "pairwise observed_agreement", "pairwise se"]
    drilldown = ["raters", "categories", "items"]
    panel = ["groups", "pooled", "heterogeneity"]
    assert list(essays)[:13] == ["summary", *matrices, "pairs", "agreement", *panel, *drilldown]
    assert len(essays) == 13 + 24 + 1
    assert list(anxiety)[:10] == ["summary", *matrices, "pairs", "agreement", *drilldown]


@pytest.mark.filterwarnings("ignore::pdkappa.UndeclaredCategoriesWarning")
def test_the_tables_are_those_of_the_functions(essays, anxiety):
    options = {"by": "essay_set", "weights": "quadratic"}
    assert_frame_equal(essays["agreement"], ESSAYS.kappa.agreement(RATERS, **options))
    assert_frame_equal(essays["raters"], ESSAYS.kappa.raters(RATERS, **options))
    assert_frame_equal(essays["categories"], ESSAYS.kappa.categories(RATERS, by="essay_set"))
    for stat in ("n_items", "observed_agreement", "se"):
        expected = ANXIETY.kappa.pairwise(weights="quadratic", stat=stat)
        assert_frame_equal(anxiety[f"pairwise {stat}"], expected)


THIRD_ALONE = pd.DataFrame(
    {
        "site": ["x"] * 8 + ["y"] * 6,
        "author": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7],
        "ann": [1, 2, 2, 1, 3, 3, 1, 2, 1, 2, 1, None, 2, 2],
        "bob": [1, 2, 1, 1, 3, 2, 1, 2, 1, 2, 2, None, 2, 1],
        "eve": [1, 5, 2, 1, 3, 3, 1, None, 1, 4, 4, 1, 2, None],
    }
)


@pytest.mark.parametrize(
    "options",
    [
        {"coefficient": "gwet"},
        {"coefficient": "brennan_prediger", "weights": "linear"},
        {"weights": "quadratic", "cluster": "author"},
        {"missing": "listwise"},
        {"ci": "bca", "rng": 1, "n_resamples": 99},
    ],
)
@pytest.mark.filterwarnings("ignore::pdkappa.UndeclaredCategoriesWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.FewClustersWarning")
def test_groups_of_a_pair_have_the_items_and_categories_of_the_pairs(options):
    raters = ["ann", "bob", "eve"]
    data = pd.concat([THIRD_ALONE] * 4, ignore_index=True)
    found = tables_of(data, raters, by="site", drilldown=False, **options)
    groups = found["groups"].query("site in ['x', 'y']")
    pairs = (
        found["pairs"]
        .set_index(["rater_a", "rater_b"], append=True)
        .reorder_levels([1, 2, 0])
        .sort_index()
    )
    shared = [name for name in groups if name in pairs]
    assert_frame_equal(groups[shared], pairs[shared], check_dtype=False, check_index_type=False)
    assert len(shared) > 6


@pytest.mark.parametrize("cluster", [None, "author"])
@pytest.mark.filterwarnings("ignore::pdkappa.FewClustersWarning")
def test_one_pair_of_all_is_the_pair_by_itself_if_categories_are_declared(cluster):
    reading = Reading(by="site", categories=range(1, 6), cluster=cluster)

    def estimated(raters):
        return estimate(read(THIRD_ALONE, raters, reading), "cohen", USUAL_INTERVALS)

    every = estimated(["ann", "bob", "eve"])
    for number, raters in enumerate([["ann", "bob"], ["ann", "eve"], ["bob", "eve"]]):
        found, alone = every.of_pair(number), estimated(raters)
        assert found.tables.raters == raters
        assert found.tables.pairs == [(0, 1)]
        assert_array_equal(found.tables.counts.tables(), alone.tables.counts.tables())
        assert_array_equal(found.summary.estimate, alone.summary.estimate)
        if cluster is not None:
            assert_array_equal(found.rows.codes, alone.rows.codes)
            assert_array_equal(found.rows.count, alone.rows.count)


def test_limits_have_the_level_of_the_report():
    options = {"weights": "quadratic", "confidence_level": 0.8}
    found = tables_of(ANXIETY, **options)
    assert_frame_equal(found["raters"], ANXIETY.kappa.raters(**options))
    assert_frame_equal(found["agreement"], ANXIETY.kappa.agreement(**options))


@pytest.mark.needs("jinja2")
def test_raters_and_groups_may_be_called_as_our_columns(tmp_path):
    data = pd.DataFrame(
        {
            "estimate": ["a", "b", "b", "a", "c", "c"],
            "p_value": ["a", "b", "a", "a", "c", "b"],
            "agrees": pd.array([True, None, False, True, True, False], dtype="boolean"),
            "share": list("xxxyyy"),
        }
    )
    report = pdkappa.report(data, ["estimate", "p_value"], by="share")
    assert list(report.tables["items"]) == list(data.kappa.items(["estimate", "p_value"]))
    for name in report.tables:
        report.style(name)
    report.to_html(tmp_path / "a.html")
    report.to_excel(tmp_path / "a.xlsx")
    flags = data[["agrees"]].assign(n_items=data["agrees"])
    flags.kappa.report().to_html(tmp_path / "b.html")


@pytest.mark.needs("jinja2")
def test_without_any_group(tmp_path):
    data = pd.DataFrame({"ann": [1.0], "bob": [2.0], "eve": [1.0], "site": ["x"]}).head(0)
    report = pdkappa.report(data, ["ann", "bob", "eve"], by="site")
    assert not any(sheet.formulas for sheet in report.sheets)
    assert dict(report.headline.facts)["items"] == "0 with 0 ratings"
    report.to_html(tmp_path / "a.html")
    report.to_excel(tmp_path / "a.xlsx")


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.FewClustersWarning")
def test_no_kappa_at_all_with_clusters_in_several_groups():
    data = pd.DataFrame({"ann": [1] * 8, "bob": [1] * 8, "site": list("xxxxyyyy")})
    found = tables_of(data, ["ann", "bob"], by="site", cluster=[0, 1] * 4)
    assert found["pooled"]["estimate"].isna().all()


def test_what_cannot_be_compared_gives_no_warning_of_another_package():
    data = pd.DataFrame({"ann": ["a", "a", None], "bob": ["a", "a", "b"]})
    with pytest.warns(pdkappa.UndefinedKappaWarning):
        found = pdkappa.crosscheck(data)
    assert found["reference"].isna().all()


def test_weights_of_less_than_one_item_in_all():
    weights = np.full(len(ANXIETY), 0.01)
    found = tables_of(ANXIETY, sample_weight=weights, weight_type="frequency")
    assert_frame_equal(found["pairwise"], ANXIETY.kappa.pairwise())


@pytest.mark.parametrize("raters", [RATERS[:2], RATERS], ids=["two raters", "three raters"])
def test_groups_may_be_called_as_their_means(raters):
    names = dict(enumerate(["fisher_mean", "random", "fixed", "a", "b", "c", "d", "e"], 1))
    plain = {one: f"set {one}" for one in names}
    found, expected = (
        pdkappa.report(
            ESSAYS.assign(essay_set=ESSAYS["essay_set"].map(called)),
            raters,
            by="essay_set",
            confusion=False,
            crosscheck=False,
            drilldown=False,
        )
        for called in (names, plain)
    )
    means = [table.tables["summary"].iloc[:-2, :4] for table in (found, expected)]
    assert_frame_equal(means[0], means[1], rtol=1e-12)
    for report in (found, expected):
        (groups,) = [one for one in report.sheets if one.name == "groups"]
        n_groups = groups.frame["n_categories"].notna().sum()
        assert totals_in(groups.frame.index, groups.emphasis).sum() == len(groups.frame) - n_groups


@pytest.mark.needs("jinja2")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
def test_no_table_is_lost_where_raters_look_alike():
    data = ANXIETY.set_axis([1, "1", "bob"], axis=1)
    report = pdkappa.report(data, drilldown=False, crosscheck=False)
    names = ["1 x 1", "1 x bob", "1 x bob (2)"]
    assert [name for name in report.tables if " x " in name] == names
    assert len(report.tables) == len(report.sheets)
    assert report.tables["1 x bob (2)"].loc["total", "total"] == len(data)
    assert report.style("1 x bob (2)").caption == "1 against bob"


def test_a_category_called_total():
    data = pd.DataFrame({"ann": ["total", "x", "x"], "bob": ["total", "total of all", "x"]})
    report = pdkappa.report(data)
    table = report.tables["ann x bob"]
    assert table.columns.tolist() == ["total", "total of all", "x", "total of all of all"]
    assert "total of all of all" in report.to_markdown("ann x bob")
    (sheet,) = [one for one in report.sheets if one.kind == "confusion"]
    assert sheet.emphasis == ("total of all of all",)


@pytest.mark.needs("jinja2")
def test_a_page_shows_the_first_of_many_confusion_tables(tmp_path):
    data = pd.DataFrame({str(rater): [1, 2, 1] for rater in range(20)})
    report = pdkappa.report(data, crosscheck=False)
    assert sum(" x " in name for name in report.tables) == 190
    page = report.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Not shown: 130 after the first 60. All of it is in .tables of the report." in page


def test_options_of_many_values(tmp_path):
    weights = [0.5] * len(ANXIETY) * 400
    data = pd.concat([ANXIETY] * 400, ignore_index=True)
    options = {"sample_weight": weights, "weight_type": "frequency"}
    options |= {"drilldown": False, "crosscheck": False}
    report = pdkappa.report(data, rng=np.random.default_rng(1), **options)
    notes = report.tables["notes"].set_index("item")["text"]
    assert notes["sample_weight"] == "8,000 values"
    assert "rng" not in notes
    options["sample_weight"] = None
    report = pdkappa.report(ANXIETY, ci="bca", n_resamples=99, rng=np.random.default_rng(1))
    notes = report.tables["notes"].set_index("item")["text"]
    assert notes["rng"] == "a generator of NumPy"
    report.to_excel(tmp_path / "a.xlsx")


def test_the_items_that_cost_most(essays):
    every = ESSAYS.kappa.items(RATERS, by="essay_set", weights="quadratic")
    found = essays["items"]
    assert len(found) == 50
    assert found["effect"].tolist() == sorted(every["effect"])[:50]
    first = found.index[0]
    assert found.loc[first, RATERS].tolist() == ESSAYS.loc[first, RATERS].tolist()
    assert found.loc[first, "essay_set"] == ESSAYS.loc[first, "essay_set"]


@pytest.mark.parametrize(
    "data",
    [ANXIETY.set_axis(["effect", "share", "gain"], axis=1)],
    ids=["raters named as columns"],
)
def test_items_without_their_ratings(data):
    assert list(tables_of(data)["items"]) == list(schema.ITEMS)


def test_items_with_repeated_labels_have_their_own_ratings():
    found = tables_of(ANXIETY.set_axis([0] * len(ANXIETY)))["items"]
    expected = tables_of(ANXIETY)["items"]
    assert_array_equal(found.to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_items_and_summary_are_about_the_coefficient(coefficient):
    found = tables_of(ANXIETY, coefficient=coefficient, weights="linear")
    together = COEFFICIENTS[coefficient].together
    every = ANXIETY.kappa.items(coefficient=together, weights="linear")
    assert found["items"]["effect"].tolist() == every["effect"].sort_values().tolist()
    assert found["summary"]["estimate"][0] == found["agreement"]["estimate"][together]


def test_without_drilldown_and_where_there_is_none():
    found = tables_of(ANXIETY, drilldown=False)
    assert not {"raters", "categories", "items"} & set(found)
    counted = pdkappa.from_table(pdkappa.datasets.load_cohen1968()).report(crosscheck=False).tables
    assert "categories" in counted
    assert "items" not in counted


def test_the_summary_of_groups(essays):
    summary, groups, pairs = (essays[name] for name in ("summary", "groups", "pairs"))
    assert summary["result"].tolist() == [
        "Fisher-z mean of all pairs and groups",
        "Fisher-z mean of all pairs and groups",
        "Fisher-z mean of the groups: human_1, human_2",
        "Fisher-z mean of the groups: human_1, machine",
        "Fisher-z mean of the groups: human_2, machine",
        "Highest: human_1 with human_2, Essay set 4",
        "Lowest: human_1 with human_2, Essay set 8",
    ]
    means = groups[groups.index.get_level_values(-1) == "fisher_mean"]
    assert summary["weights"].tolist() == [
        *("quadratic weights", "unweighted"),
        *["quadratic weights"] * 5,
    ]
    first, _, *rest = summary["estimate"].tolist()
    assert [first, *rest[:3]] == [means["estimate"].iloc[-1], *means["estimate"][:3]]
    assert rest[3:] == [pairs["estimate"].max(), pairs["estimate"].min()]
    row = pairs.iloc[pairs["estimate"].argmin()]
    assert summary.iloc[-1][["n_items", "ci_low", "ci_high"]].tolist() == [
        row[name] for name in ("n_items", "ci_low", "ci_high")
    ]


@pytest.mark.filterwarnings("ignore::pdkappa.CrudeKappaWarning")
def test_the_notes_of_the_summary():
    def notes_of(raters, by=None):
        made = pdkappa.report(ESSAYS, raters, by=by, crosscheck=False, drilldown=False)
        return set(made.sheets[0].notes)

    assert EXTREMES in notes_of(RATERS, "essay_set") & notes_of(RATERS)
    assert EXTREMES not in notes_of(RATERS[:2])


@pytest.mark.filterwarnings("ignore::pdkappa.CrudeKappaWarning")
def test_each_item_counts_once():
    made = pdkappa.report(ESSAYS, RATERS, by="essay_set", crosscheck=False, drilldown=False)
    mean = made.tables["groups"].iloc[-1]
    assert mean.name[0] == "all pairs"
    assert mean["n_items"] == made.tables["summary"]["n_items"][0] == len(ESSAYS)


def test_what_is_undefined():
    data = pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 1, np.nan]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)
        found = tables_of(data)["summary"]
        assert found["reading"].tolist() == ["undefined"]
        found = tables_of(pd.DataFrame({"a": [1], "b": [2]}))["summary"]
    assert found["reading"].tolist() == ["slight (no interval)"]


def test_no_warning_is_given_twice():
    data = ANXIETY.assign(rater_1=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pdkappa.report(data, crosscheck=False)
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        data.kappa.pairs()
    assert [str(one.message) for one in caught] == [str(one.message) for one in expected]


def test_raters_without_number(anxiety):
    """Many raters are named up to a limit, in the summary as in its title."""
    many = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (20, 15)))
    report = pdkappa.report(many, confusion=False, crosscheck=False, drilldown=False)
    assert report.sheets[0].title == (
        "Agreement of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more: Cohen's kappa, unweighted"
    )
    assert not report.sheets[0].formulas
    assert anxiety["summary"]["result"][0] == "All raters: Light's kappa, the mean of the pairs"


@pytest.mark.parametrize("by", [None, "site"])
def test_a_report_codes_its_frame_once(monkeypatch, by):
    coded = []

    def counting(*args, **options):
        coded.append(args)
        return encode(*args, **options)

    monkeypatch.setattr(study, "encode", counting)
    THIRD_ALONE.kappa.report(["ann", "bob", "eve"], by=by, weights="quadratic")
    assert len(coded) == 1
