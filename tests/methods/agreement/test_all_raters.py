"""`agreement`, `influence`, `covariance` and `from_counts`, and their options."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, function_of, raising
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.present import schema

COLUMNS = [*schema.AGREEMENT]


@pytest.fixture(name="reliability")
def reliability_data():
    return pdkappa.datasets.load_reliability_data()


@pytest.fixture(name="team")
def six_raters():
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, 120)
    frame = pd.DataFrame(
        {f"r{i}": np.clip(truth + rng.integers(-1, 2, 120), 1, 5) for i in range(4)}
    ).astype("Int64")
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    return frame.assign(site=np.repeat(["x", "y"], 60), author=np.arange(120) // 3)


RATERS = [f"r{i}" for i in range(4)]


def test_krippendorffs_own_example(reliability):
    """Krippendorff (2011): nominal .743, ordinal .815, interval .849, ratio .797."""
    printed = {None: 0.743, "krippendorff_ordinal": 0.815, "quadratic": 0.849, "ratio": 0.797}
    for weights, expected in printed.items():
        found = reliability.kappa.agreement(coefficients="krippendorff", weights=weights)
        assert_allclose(found["estimate"], expected, atol=5e-4)


@each(
    ("options", "weights"),
    [
        *product([{}, {"by": "site"}], WEIGHTS),
        *product(
            [
                {"ci": "wald", "confidence_level": 0.9},
                {"ci": "percentile", "n_resamples": 99, "rng": 1},
                {"cluster": "author"},
            ],
            [None, "quadratic", "circular"],
        ),
    ],
)
def test_two_raters_give_the_numbers_of_the_pair(team, weights, options):
    """To the last bit of estimate, error, limits, z and p, also beside a column without any."""
    data = team.dropna(subset=["r0", "r1"]).assign(none=np.nan)
    many = function_of("agreement")(data, ["r0", "r1"], weights=weights, **options)
    beside = function_of("agreement")(data, ["r0", "none", "r1"], weights=weights, **options)
    assert_frame_equal(beside, many, check_exact=True)
    with pytest.raises(pdkappa.errors.OptionError, match="three raters or more, got 2"):
        function_of("agreement")(data, ["r0", "none", "r1"], vary="both")
    names = {"fleiss": "scott", "conger": "cohen", "light": "cohen"}
    same = ["n_items", "estimate", "se", "ci_low", "ci_high", "z", "p_value", "reason"]
    for name in MULTIRATER:
        coefficient = names.get(name, name)
        pair = function_of("pairs")(
            data, ["r0", "r1"], coefficient=coefficient, weights=weights, **options
        )
        rows = many[many.index.get_level_values(-1) == name]
        assert_frame_equal(
            rows[same].reset_index(drop=True), pair[same].reset_index(drop=True), check_exact=True
        )


def test_clusters_change_errors_and_not_estimates(team):
    plain = team.kappa.agreement(RATERS)
    nested = team.kappa.agreement(RATERS, cluster="author")
    alone = team.kappa.agreement(RATERS, cluster=np.arange(120))
    assert_allclose(nested["estimate"], plain["estimate"])
    assert (nested["se"] != plain["se"]).all()
    assert_allclose(alone["se"], plain["se"])
    pair = team.kappa.pairs(RATERS[:2], cluster="author")
    assert_allclose(pair["estimate"], team.kappa.pairs(RATERS[:2])["estimate"])


@pytest.mark.parametrize("ci", ["percentile", "bca", "jackknife"])
def test_resampled_limits_hold_the_estimate_and_repeat(team, ci):
    options = {"weights": "quadratic", "ci": ci}
    options |= {} if ci == "jackknife" else {"n_resamples": 200, "rng": 7}
    for call in (function_of("agreement"), function_of("pairs")):
        found, again = (call(team, RATERS, **options) for _ in range(2))
        assert_frame_equal(found, again)
        assert (found["ci_low"] < found["estimate"]).all()
        assert (found["estimate"] < found["ci_high"]).all()
        plain = call(team, RATERS, weights="quadratic")
        assert_allclose(found["se"], plain["se"])
    grouped = function_of("grouped")(team, "r0", "r1", by="site", **options)
    assert (grouped.groups["ci_low"] < grouped.groups["ci_high"]).all()
    nested = function_of("pairs")(team, RATERS, cluster="author", **options)
    assert (nested["ci_low"] < nested["ci_high"]).all()


@pytest.mark.parametrize("ci", ["auto", "percentile", "jackknife"])
def test_no_chance_is_behind_the_share_of_agreement(team, ci):
    """It is tested where the user says against what; the others are against 0, too."""
    drawn = {"n_resamples": 20, "rng": 7} if ci == "percentile" else {}
    for null in ({}, {"null": 0.4}):
        found = team.kappa(**drawn).agreement(RATERS, ci=ci, **null)["p_value"]
        assert found.index[found.isna()].tolist() == ["percent"] * (not null)


def test_undefined_resamples_are_announced():
    data = pd.DataFrame({"a": [1, 1, 1, 1, 1, 2], "b": [1, 1, 1, 1, 1, 2]})
    message = (
        r"^ci='percentile' leaves resamples that are 0/0 out of the limits of 1 of 1 coefficient: "
        r"up to \d+ of 100\. 'auto' does not need them\.$"
    )
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=message):
        data.kappa(n_resamples=100, rng=0).pairs(ci="percentile")


def test_the_jackknife_says_why_it_has_no_limits():
    data = pd.DataFrame({"a": [1, 1, 1, 1, 2], "b": [1, 1, 1, 1, 2]})
    names = ["fleiss", "gwet"]
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning) as told:
        found = data.kappa.agreement(coefficients=names, ci="jackknife", categories=[1, 2])
    assert len(told) == 1
    assert str(told[0].message) == (
        "ci='jackknife' finds no limits (NaN) for 1 of 1 coefficient: leaving out one item, or "
        "cluster, gives 0/0, for up to 1 of them. 'fisher' leaves out none."
    )
    assert found["ci_low"].isna().tolist() == [True, False]
    assert found["reason"].tolist() == ["undefined_without", "no_variance"]
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        assert data.kappa.pairs(ci="jackknife")["reason"].item() == "undefined_without"


def test_bca_says_why_it_has_no_limits():
    """A single resample lies on one side, or is 0/0."""
    data = pd.DataFrame({"a": [1, 2, 1, 2, 1], "b": [1, 2, 1, 2, 2]})
    found = [data.kappa(n_resamples=1, rng=seed).pairs(ci="bca") for seed in range(6)]
    found = pd.concat(found).query("ci_low.isna()", engine="python")
    assert len(found)
    assert set(found["reason"]) == {"one_sided_resamples"}
    rare = pd.DataFrame({"a": [1] * 40 + [2], "b": [1] * 40 + [2]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="up to 1 of 1. 'auto'"):
        found = pd.concat(
            [rare.kappa(n_resamples=1, rng=seed).pairs(ci="percentile") for seed in range(20)]
        )
    lost = found["ci_low"].isna()
    assert lost.any()
    assert set(found.loc[lost, "reason"]) == {"undefined_resamples"}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@pytest.mark.parametrize("case", ["clusters", "many raters", "groups"])
def test_resampled_limits_do_not_depend_on_the_order_of_the_rows(team, case):
    rng = np.random.default_rng(5)
    names, options = RATERS, {"ci": "bca", "n_resamples": 60, "rng": 3}
    if case == "many raters":
        wide = pd.DataFrame(rng.integers(1, 4, (50, 45))).add_prefix("r")
        team, names = wide, list(wide)
    else:
        options["cluster"] = "author"
    if case == "groups":
        options["by"] = "site"
    call = {"raters": names, "coefficients": ["fleiss", "gwet"], **options}
    found = function_of("agreement")(team, **call)
    mixed = function_of("agreement")(team.sample(frac=1, random_state=1), **call)
    assert_frame_equal(found, mixed, check_exact=False, rtol=1e-9)


@pytest.mark.needs("tqdm")
def test_a_bar_is_drawn(team, capsys):
    team.kappa(n_resamples=50, progress=True).agreement(RATERS, ci="percentile")
    assert "resample" in capsys.readouterr().err


def test_counts_give_the_numbers_of_the_ratings(reliability):
    counts = pd.DataFrame(
        {k: (reliability == k).sum(axis=1) for k in range(1, 6)}, index=reliability.index
    )
    names = [name for name in MULTIRATER if name not in {"conger", "light"}]
    found = pdkappa.from_counts(counts).agreement(weights="quadratic")
    expected = reliability.kappa.agreement(coefficients=names, weights="quadratic")
    columns = [c for c in COLUMNS if c != "n_raters"]
    assert_frame_equal(found[columns], expected[columns])
    assert found.options["raters"] is None  # nobody knows who they are
    assert "\n\nRaters: " not in str(found)
    assert "12 items were rated. " in str(found.methods())
    assert str(pdkappa.from_counts(counts)) == "Ratings of 12 items by up to 4 raters"


def test_fleiss_example_as_statsmodels_takes_it():
    from statsmodels.stats.inter_rater import fleiss_kappa

    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.multinomial(5, [0.5, 0.3, 0.2], 30), columns=list("abc"))
    found = pdkappa.from_counts(counts).agreement(coefficients="fleiss")["estimate"].item()
    assert_allclose(found, fleiss_kappa(counts.to_numpy()))


def test_one_rating_alone_varies_for_conger():
    """The first rater is constant but for an item that the second did not rate."""
    data = pd.DataFrame({"a": [1, 1, 1, 1, 2], "b": [1, 2, 1, 2, None]})
    found = data.kappa.agreement(coefficients=["conger", "light"], shares="items")
    assert found["reason"].tolist() == ["", "constant_rater"]
    as_pair = data.kappa.agreement(coefficients=["conger", "light"])
    assert as_pair["reason"].tolist() == ["constant_rater"] * 2


def test_the_bounds_of_the_schemes():
    from pdkappa.coefficients.score_limits import interpret

    for scheme, estimate, label in [
        ("landis_koch", -0.1, "poor"),
        ("landis_koch", 0.0, "slight"),
        ("landis_koch", -1e-16, "slight"),
        ("landis_koch", 0.2, "slight"),
        ("landis_koch", 0.1 + 0.2 - 0.1 + 1e-16, "slight"),
        ("landis_koch", 0.6, "moderate"),
        ("landis_koch", 0.61, "substantial"),
        ("krippendorff", 0.8, "reliable"),
        ("krippendorff", 0.7, "tentative conclusions"),
        ("krippendorff", 2 / 3 - 3e-16, "tentative conclusions"),
        ("fleiss", 0.39, "poor"),
        ("fleiss", 0.4, "fair to good"),
        ("fleiss", 0.75, "fair to good"),
        ("fleiss", 0.76, "excellent"),
        ("cicchetti", 0.59, "fair"),
        ("altman", 0.8, "good"),
    ]:
        found = interpret(np.array([estimate]), np.array([0.1]), scheme)
        assert found == label, (scheme, estimate)


def test_gwets_label_needs_certainty():
    from pdkappa.coefficients.score_limits import interpret

    estimates, errors = np.array([0.85, 0.85, 0.85, np.nan]), np.array([0.001, 0.1, 0.4, np.nan])
    found = interpret(estimates, errors, "gwet").tolist()
    assert found == ["almost perfect", "substantial", "slight", ""]
    # irrCAC 1.0, vignette "benchmarking": AC1 .775 with the error .14295 is Moderate.
    assert interpret(np.array([0.77544]), np.array([0.14295]), "gwet").tolist() == ["moderate"]
    assert interpret(np.array([0.8, 0.0, 0.81]), np.zeros(3), "gwet").tolist() == [
        "substantial",
        "slight",
        "almost perfect",
    ]


ERRORS = {
    "coefficients": {"coefficients": ["cohen"]},
    "no list": {"coefficients": 5},
    "an empty list": {"coefficients": []},
    "a list of lists": {"coefficients": [["fleiss"]]},
    "shares": {"shares": "rating"},
    "ordinal metric": {"weights": "krippendorff_ordinal"},
    "n_resamples": {"ci": "bca", "n_resamples": 0},
    "rng": {"ci": "bca", "rng": -1},
    "fractions": {"ci": "bca", "sample_weight": np.full(120, 0.5), "weight_type": "frequency"},
    "progress": {"ci": "bca", "progress": "yes"},
}


@raising("all_raters", ERRORS)
def test_the_whole_message(team, call, refused):
    with refused():
        function_of("agreement")(team, RATERS, **call)


def test_a_bar_needs_tqdm(team, monkeypatch, refuses):
    monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    with refuses():
        team.kappa(progress=True).pairs(RATERS, ci="bca")


NAMES = {
    "pairs": ((RATERS,), ["estimate", "rater_a", "rater"]),
    "agreement": ((RATERS,), ["coefficient", "estimate", "n_raters"]),
    "raters": ((RATERS,), ["rater", "estimate"]),
    "usage": ((RATERS,), ["rater"]),
    "items": ((RATERS,), ["disagreement"]),
    "categories": ((RATERS,), ["category", "prevalence"]),
    "cells": (RATERS[:2], ["n_items"]),
    "consensus": ((RATERS,), ["label"]),
    "icc": ((RATERS,), ["form", "estimate"]),
    "compare": ((RATERS[:2], RATERS[1:3]), ["difference", "n_items"]),
    "homogeneity": ((RATERS,), ["p_value"]),
    "report": ((RATERS,), ["coefficient", "effect", "estimate"]),
}


@each("method", NAMES)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_group_is_not_named_as_a_result(team, method):
    args, names = NAMES[method]
    for name in names:
        data = team.rename(columns={"site": name})
        with pytest.raises(pdkappa.errors.OptionError) as caught:
            getattr(data.kappa, method)(*args, by=name)
        assert str(caught.value) == (
            f"by='{name}' is a column of the result, too. Rename the column in data with "
            "data.rename(columns=...)."
        ), name


def test_a_number_of_items_message(team, refuses):
    with refuses():
        team.kappa(min_items="x").pairwise(RATERS)


@pytest.mark.parametrize("second", [np.nan, 2.0])
def test_without_two_raters_nothing_is_expected_of_their_shares(second):
    """A group that one rater rated, or none, has no pair of raters."""
    df = pd.DataFrame(
        {"ann": [1, 2, np.nan, second], "bob": [1, 2, np.nan, np.nan], "site": [1, 1, 2, 2]}
    )
    options = {"coefficients": ["conger", "gwet"], "categories": [1, 2]}
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        found = df.kappa.agreement(by="site", **options).loc[2]
    assert found["expected_agreement"].isna().all()
    assert found["reason"].isin(["no_items", "no_joint_items"]).all()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_single_category_is_the_reason_where_chance_agrees_as_well():
    alike = pd.DataFrame({name: [1, 1, 1] for name in "abc"})
    found = alike.kappa.agreement(categories=[1, 2])
    undefined = ["fleiss", "conger", "light", "krippendorff"]
    assert found.index[found["estimate"].isna()].tolist() == undefined
    assert (found.loc[undefined, "reason"] == "constant_ratings").all()


@pytest.mark.parametrize("method", ["agreement", "raters", "categories"])
def test_errors_of_a_group_know_its_own_ratings_alone(method):
    """Two ratings an item by three raters divide by n squared, beside three by n (n - 1)."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (120, 1))
    frame = pd.DataFrame(
        np.where(rng.random((120, 3)) < 0.7, truth, 1 - truth), columns=list("abc")
    )
    few = frame.mask(np.arange(3) == np.arange(120)[:, None] % 3)
    both = pd.concat([few, frame], keys=["few", "all"], names=["of"]).reset_index("of")
    found = function_of(method)(both, list("abc"), by="of", categories=[0, 1])
    alone = function_of(method)(few, list("abc"), categories=[0, 1])
    assert_frame_equal(found.loc["few"], alone, rtol=1e-9)


def test_groups_of_many_raters_are_what_each_is_alone():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, (n := 900, 1))
    codes = np.where(rng.random((n, 14)) < 0.6, truth, rng.integers(0, 3, (n, 14)))
    frame = pd.DataFrame(codes).add_prefix("r").assign(site=np.repeat(list("xyz"), n // 3))
    options = {"categories": [0, 1, 2], "coefficients": [*MULTIRATER]}
    found = frame.kappa.agreement(by="site", **options)
    for site, part in frame.groupby("site"):
        alone = part.drop(columns="site").kappa.agreement(**options)
        assert_frame_equal(found.xs(site, level="site"), alone, rtol=1e-9)
