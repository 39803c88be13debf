"""What stands around the pairs in a report: summary, all raters together, and the drill-down."""

import warnings

import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import function_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.estimates import study
from pdkappa.methods.estimates.options import USUAL_INTERVALS
from pdkappa.methods.estimates.pair_frames import estimate
from pdkappa.methods.estimates.study import read
from pdkappa.ratings.coded import encode
from pdkappa.ratings.options import Reading

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
ANXIETY = pdkappa.datasets.load_anxiety()


def tables_of(data, *args, **options):
    options = {"detail": ["drilldown", "counts", "confusion", "matrices", "notes"]} | options
    return function_of("report")(data, *args, **options).tables


@pytest.fixture(scope="module")
def essays():
    return tables_of(ESSAYS, RATERS, by="essay_set", weights="quadratic")


@pytest.fixture(scope="module")
def anxiety():
    return tables_of(ANXIETY, weights="quadratic")


def test_the_tables(essays, anxiety):
    matrices = ["pairwise", "pairwise_n_items", "pairwise_observed_agreement", "pairwise_se"]
    drilldown = ["raters", "categories", "items", "to_discuss"]
    panel = ["groups", "pooled", "heterogeneity"]
    both = ["pairs", "agreement"]
    assert list(essays)[:15] == ["summary", *matrices, *both, *panel, *drilldown, "by_group"]
    assert len(essays) == 15 + 24 + 1
    assert list(anxiety)[:12] == ["summary", *matrices, *both, *drilldown, "worst_pair"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_the_tables_are_those_of_the_functions(essays, anxiety):
    options = {"by": "essay_set", "weights": "quadratic"}
    for name, expected in (
        ("agreement", ESSAYS.kappa.agreement(RATERS, **options)),
        ("raters", ESSAYS.kappa.raters(RATERS, **options)),
        ("categories", ESSAYS.kappa.categories(RATERS, by="essay_set")),
    ):
        assert_frame_equal(essays[name], pd.DataFrame(expected)[[*essays[name]]])
    for stat in ("n_items", "observed_agreement", "se"):
        expected = ANXIETY.kappa.pairwise(weights="quadratic", stat=stat)
        assert_frame_equal(anxiety[f"pairwise_{stat}"], expected)


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
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_groups_of_a_pair_have_the_items_and_categories_of_the_pairs(options):
    raters = ["ann", "bob", "eve"]
    data = pd.concat([THIRD_ALONE] * 4, ignore_index=True)
    found = tables_of(data, raters, by="site", detail=["counts"], **options)
    groups = found["groups"].query("site in ['x', 'y']")
    pairs = (
        found["pairs"]
        .set_index(["rater_a", "rater_b"], append=True)
        .reorder_levels([1, 2, 0])
        .sort_index()
    )
    shared = [name for name in groups if name in pairs and name != "remark"]
    assert_frame_equal(groups[shared], pairs[shared], check_dtype=False, check_index_type=False)
    assert len(shared) > 6


@pytest.mark.parametrize("cluster", [None, "author"])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
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


def test_the_items_that_cost_most(essays):
    every = ESSAYS.kappa.items(RATERS, by="essay_set", weights="quadratic")
    found = essays["items"]
    assert len(found) == 50
    assert found["effect"].tolist() == sorted(every["effect"])[:50]
    assert found.index.name == "essay_id"  # which is recognised
    columns = [*RATERS, "essay_set"]
    named = ESSAYS.set_index("essay_id").loc[found.index, columns]
    assert_frame_equal(found[columns], named, check_dtype=False, check_column_type=False)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_items_and_summary_are_about_the_coefficient(coefficient):
    found = tables_of(ANXIETY, coefficient=coefficient, weights="linear")
    together = COEFFICIENTS[coefficient].together
    every = ANXIETY.kappa.items(coefficient=together, weights="linear")
    assert found["items"]["effect"].tolist() == every["effect"].sort_values().tolist()
    assert found["summary"]["estimate"][0] == found["agreement"]["estimate"][together]


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


def test_no_warning_is_given_twice():
    data = ANXIETY.assign(rater_1=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data.kappa.report()
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        data.kappa.pairs()
    assert [str(one.message) for one in caught] == [str(one.message) for one in expected]


@pytest.mark.parametrize("by", [None, "site"])
def test_a_report_codes_its_frame_once(monkeypatch, by):
    coded = []

    def counting(*args, **options):
        coded.append(args)
        return encode(*args, **options)

    monkeypatch.setattr(study, "encode", counting)
    THIRD_ALONE.kappa.report(["ann", "bob", "eve"], by=by, weights="quadratic")
    assert len(coded) == 1
