"""Raters, items, categories, cuts, and cells: outside values, pandas, reasons."""

import math
import re
from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

import conftest
import pdkappa
from conftest import each, function_of, without_each
from elsewhere.parts import DATASETS, ENTRIES
from pdkappa.coefficients import sparse_rows
from pdkappa.coefficients.all_raters import MULTIRATER, basics_of, pairs_share_few
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import apart_from_others, of_pair
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.datasets import load_anxiety, load_essays
from pdkappa.methods.drilldown import categories as scale_limits
from pdkappa.methods.drilldown import items as of_items
from pdkappa.methods.drilldown import raters as of_raters
from pdkappa.methods.drilldown.categories import ADDITIVE, gaps_of, scale_parts
from pdkappa.methods.drilldown.items import LEAVE_ONE_OUT

undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
biased = pytest.mark.filterwarnings("ignore::pdkappa.errors.BiasedKappaWarning")


def test_all_outside_values_are_here():
    """Which ``test_validation.py`` holds to ours."""
    assert len(DATASETS) == 23
    assert len({entry["id"] for _, entry in ENTRIES}) == len(ENTRIES) == 208


@st.composite
def frames(draw):
    n = draw(st.integers(3, 12))
    rating = st.sampled_from([1.0, 2.0, 3.0, 5.0, math.nan])
    frame = pd.DataFrame({name: draw(st.lists(rating, min_size=n, max_size=n)) for name in "abc"})
    frame["site"] = draw(st.lists(st.sampled_from("xy"), min_size=n, max_size=n))
    return frame


def total(series):
    """Sum by group; NaN where a group has nothing but NaN."""
    return series.groupby(level=0).sum(min_count=1)


@undefined
@given(frame=frames())
@biased
def test_all_parts_add_up_by_group(frame):
    options = {"by": "site", "categories": [1, 2, 3, 5]}
    two = frame[["a", "b", "site"]].kappa.pairs(weights="linear", **options)
    kappa = two["estimate"]

    def agree(found, expected):
        joined = pd.concat([found, expected], axis=1, keys=["found", "expected"]).astype(float)
        joined = joined[joined["expected"].notna()]
        assert_allclose(joined["found"], joined["expected"], atol=1e-12)

    cells = frame.kappa.cells("a", "b", weights="linear", **options)
    agree(total(cells["contribution"]), kappa)
    cuts = frame.kappa.categories(["a", "b"], **options, kind="cut")
    agree(total(cuts["estimate"].fillna(0) * cuts["weight"]), kappa)
    nominal = frame[["a", "b", "site"]].kappa.pairs(**options)["estimate"]
    categories = frame.kappa.categories(["a", "b"], **options)
    agree(total(categories["estimate"].fillna(0) * categories["weight"]), nominal)
    of_raters = ["prevalence", "bias"]  # shares, which cuts add up
    below = categories[of_raters].groupby("site").cumsum().rename_axis(cuts.index.names)
    assert_frame_equal(cuts[of_raters], below.loc[cuts.index], atol=1e-12)
    items = frame.kappa.items(list("abc"), weights="linear", **options)
    light = frame.kappa.pairs(list("abc"), weights="linear", **options)
    light = light.groupby("site")["estimate"].mean()
    agree(items["gain"].groupby("site").sum(min_count=1), 1 - light)


@undefined
@biased
@settings(max_examples=15)
@given(frame=frames())
def test_the_effect_of_an_item_is_that_of_dropping_it(frame):
    chosen = {"raters": list("abc"), "weights": "quadratic", "categories": [1, 2, 3, 5]}
    items = frame.kappa.items(**chosen)
    whole = frame.kappa.pairs(**chosen)["estimate"].mean()
    rest = without_each(frame, frame.index).kappa.pairs(**chosen, by="left")["estimate"]
    assert_allclose(items["effect"], whole - rest.groupby("left").mean(), atol=1e-10)


def test_the_effect_of_a_rater_is_that_of_dropping_his_column():
    df = load_anxiety()
    found = df.kappa.raters(weights="quadratic")
    whole = df.kappa.pairs(weights="quadratic")["estimate"].mean()
    for name in df:
        rest = df.drop(columns=name)
        rest = rest.kappa.pairs(weights="quadratic", categories=range(1, 7))["estimate"].mean()
        assert_allclose(found.loc[name, "light_without"], rest)
        assert_allclose(found.loc[name, "effect"], whole - rest)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_rater_who_rated_nothing_changes_nothing_for_the_others():
    data = drawn_ratings()
    found = data.assign(nobody=np.nan).kappa.raters([*data, "nobody"])
    assert_frame_equal(found.iloc[:-1], data.kappa.raters(), rtol=1e-9)
    assert found["reason"].iloc[-1] == "no_items"


def test_items_keep_the_labels_of_the_items_that_count():
    df = pd.DataFrame(
        {"a": [1, 2, 3, 1, 2], "b": [1, 2, 2, 1, 3], "n": [1, 0, 2, 1, 1]}, index=list("vwxyz")
    )
    before = df.copy()
    found = df.kappa.items(weights="linear", sample_weight="n")
    assert list(found.index) == list("vxyz")
    assert found["share"].sum() == pytest.approx(1)
    pd.testing.assert_frame_equal(df, before)
    twice = df.loc[list("vxxyz"), ["a", "b"]].kappa.items(weights="linear")
    assert found.loc["x", "gain"] == pytest.approx(twice.loc["x", "gain"].sum())


def test_usage_shows_unused_categories_and_groups():
    df = pd.DataFrame({"a": ["no", "yes"], "b": ["no", "no"], "site": [1, 2]})
    found = df.kappa.usage(by="site", categories=["no", "yes", "maybe"])
    assert list(found.columns) == ["no", "yes", "maybe"]
    assert found.index.names == ["site", "rater"]
    assert found.loc[(2, "a")].tolist() == [0, 1, 0]


def test_numbers_have_the_scale_of_their_group():
    essays = load_essays()
    cuts = essays.kappa.categories(["human_1", "machine"], by="essay_set", kind="cut")
    assert cuts.index.names == ["essay_set", "cut"]
    used = essays.melt("essay_set", ["human_1", "machine"]).groupby("essay_set")["value"].nunique()
    assert (cuts.groupby(level="essay_set").size() == used - 1).all()


def test_cells_without_disagreement_are_a_plain_zero():
    cells = load_anxiety().kappa.cells("rater_1", "rater_3", categories=range(1, 8))
    assert (cells["contribution"] == 0).any()
    assert not np.signbit(cells.loc[cells["contribution"] == 0, "contribution"]).any()


def test_counts_without_raters_have_categories_but_no_bias():
    df = pdkappa.datasets.load_psychiatric_diagnoses()
    counts = df.apply(lambda row: row.value_counts(), axis=1).fillna(0)
    nameless = pdkappa.from_counts(counts)
    found = nameless.categories(coefficient="fleiss")
    expected = df.kappa.categories(coefficient="fleiss").loc[found.index]
    assert_allclose(found["estimate"], expected["estimate"])
    assert_allclose(found["prevalence"], expected["prevalence"])
    assert found["bias"].isna().all()
    assert nameless.items(coefficient="gwet")["share"].sum() == pytest.approx(1)
    for function in (function_of("categories"), function_of("items"), function_of("raters")):
        with pytest.raises(pdkappa.errors.OptionError, match="who rated"):
            function(nameless)


def test_two_raters_have_no_others():
    df = pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="2 of 2 rater"):
        found = df.kappa.raters()
    assert set(found["reason"]) == {"no_other_pair"}
    assert found["estimate"].notna().all()


@undefined
@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ({"a": [1.0, 1], "b": [1.0, 1]}, "constant_ratings"),
        ({"a": [1, None], "b": [None, 2.0]}, "no_joint_items"),
        ({"a": [None, None], "b": [None, None]}, "no_items"),
    ],
)
def test_reasons(frame, reason):
    df = pd.DataFrame(frame, dtype=float)
    declared = [1, 2]
    assert set(df.kappa.raters(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.items(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.categories(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.categories(categories=declared, kind="cut")["reason"]) == {reason}
    assert set(df.kappa.cells("a", "b", categories=declared)["reason"]) == {reason}


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_without_groups_nobody_used_anything(rows):
    df = pd.DataFrame({"a": [1, 2], "b": [1, 2], "site": [np.nan, np.nan]})[:rows]
    assert df.kappa.usage(by="site").shape == (0, 0)
    assert df.kappa.usage(by="site", categories=[1, 2, 3]).shape == (0, 3)


def test_a_table_that_is_too_large(refuses):
    df = pd.DataFrame({"a": np.arange(9000), "b": np.arange(9000)})
    for call in (partial(df.kappa.cells, "a", "b"), df.kappa.categories):
        with refuses():
            call()


SCORES = np.array([1.0, 2.0, 4.0, 7.0])
scale_of, rows_of = partial(conftest.scale_of, scores=SCORES), partial(conftest.rows_of, k=4)
every_coefficient = each("name", MULTIRATER)
additive = each("name", ADDITIVE)
every_weighting = each("weights", WEIGHTS)
few = settings(max_examples=10)


def item_parts(*given):
    return SimpleNamespace(**of_items.item_parts(*given))


def cell_parts(*given):
    return SimpleNamespace(**of_items.cell_parts(*given))


def rater_parts(*given):
    return SimpleNamespace(**of_raters.rater_parts(*given))


@st.composite
def ratings(draw, raters=(2, 4), groups=2, least=-1):
    """Draw ratings of some raters in some groups, with missing ones and weights."""
    n_raters, n = draw(st.integers(*raters)), draw(st.integers(1, 9))
    codes = draw(arrays(np.int64, (n_raters, n), elements=st.integers(least, 3)))
    count = draw(arrays(float, n, elements=st.sampled_from([1.0, 2.0, 1.5, 3.0])))
    group = draw(arrays(np.int64, n, elements=st.integers(0, groups - 1)))
    return rows_of(codes, count, group, groups)


def estimate(rows, scale, name):
    return MULTIRATER[name](rows, scale, basics_of(rows, scale)).estimate


@few
@given(rows=ratings())
@every_coefficient
@every_weighting
def test_shares_and_gains_of_items_add_up(name, weights, rows):
    scale = scale_of(weights)
    parts = item_parts(rows, scale, name)
    found = estimate(rows, scale, name)
    defined = ~np.isnan(found)
    gains = np.bincount(rows.group, weights=parts.gain, minlength=2)
    assert_allclose(gains[defined], 1 - found[defined], rtol=1e-12, atol=1e-12)
    shares = np.bincount(rows.group, weights=parts.share, minlength=2)
    apart = rows.total(np.nan_to_num(parts.disagreement))
    assert_allclose(shares[apart > 0], 1, rtol=1e-12)
    assert np.isnan(shares[(apart == 0) & (rows.n_items > 0)]).all()


@given(rows=ratings())
@additive
def test_categories_add_up_to_nominal_and_cuts_to_linear_agreement(name, rows):
    for weights, gaps in ((None, None), ("linear", gaps_of(scale_of("linear"), 2))):
        parts = scale_parts(rows, name, gaps, cumulative=gaps is not None)
        found = estimate(rows, scale_of(weights), name)
        defined = ~np.isnan(found)
        mean = (np.nan_to_num(parts.estimate) * np.nan_to_num(parts.weight)).sum(axis=-1)
        assert_allclose(mean[defined], found[defined], atol=1e-12)
        assert_allclose(parts.weight.sum(axis=-1)[defined], 1, atol=1e-12)
        assert_array_equal(np.isnan(parts.weight).all(axis=-1), ~defined)


@few
@given(rows=ratings(raters=(2, 2)))
@every_weighting
def test_cells_add_up_to_kappa(weights, rows):
    scale = scale_of(weights)
    parts = cell_parts(rows, scale)
    kappa = of_pair(rows, scale, COEFFICIENTS["cohen"], (0, 1)).estimate
    assert_allclose(parts.contribution.sum(axis=(1, 2)), kappa, atol=1e-12)
    assert_allclose(parts.n_items.sum(axis=(1, 2)), parts.expected_items.sum(axis=(1, 2)))
    assert (parts.disagreement <= 1 + 1e-12).all()


@given(rows=ratings(raters=(3, 4), groups=1))
def test_raters_average_to_light_and_their_effects_cancel(rows):
    scale = scale_of("linear")
    pairs = [
        of_pair(rows, scale, COEFFICIENTS["cohen"], pair).estimate[0]
        for pair in combinations(range(len(rows.codes)), 2)
    ]
    if np.isnan(pairs).any() or pairs_share_few(rows):
        return
    parts = rater_parts(rows, scale)
    assert_allclose(parts.estimate.mean(), np.mean(pairs), atol=1e-12)
    assert_allclose(parts.effect.sum(), 0, atol=1e-12)
    assert_allclose(parts.effect, np.mean(pairs) - parts.light_without, atol=1e-12)
    factor = 2 / len(rows.codes)
    assert_allclose(parts.effect, factor * (parts.estimate - parts.light_without), atol=1e-12)


@few
@given(rows=ratings())
@every_coefficient
@every_weighting
def test_the_effect_of_an_item_is_exact(name, weights, rows):
    scale = scale_of(weights)
    effect = item_parts(rows, scale, name).effect
    everything = estimate(rows, scale, name)
    for item, group in enumerate(rows.group):
        rest = rows.select(np.arange(len(rows.group)) != item)
        expected = everything[group] - estimate(rest, scale, name)[group]
        if abs(expected) < 1e3:  # not where next to nothing is expected by chance
            assert_allclose(effect[item], expected, atol=1e-9)


def random_ratings(rng, n, n_raters, agree=0.6):
    """Raters who copy a true category with some probability."""
    truth = rng.integers(0, 4, n)
    copies = rng.random((n_raters, n)) < agree
    codes = np.where(copies, truth, rng.integers(0, 4, (n_raters, n)))
    return rows_of(codes)


@each("with_clusters", [False, True])
def test_the_standard_error_is_that_of_the_jackknife(with_clusters):
    rng = np.random.default_rng(2)
    rows = random_ratings(rng, 400, 4)
    cluster = np.arange(400) // 2 if with_clusters else np.arange(400)
    scale = scale_of("linear")
    parts = rater_parts(rows_of(rows.codes, cluster=cluster if with_clusters else None), scale)
    left_out = [
        rater_parts(rows.select(cluster != one), scale).effect[:, 0] for one in np.unique(cluster)
    ]
    n = len(left_out)
    jackknife = np.sqrt((n - 1) / n * ((left_out - np.mean(left_out, axis=0)) ** 2).sum(axis=0))
    assert_allclose(parts.se_effect[:, 0], jackknife, rtol=0.02)
    # The variances of several raters are averaged: fewer clusters lose less.
    fewest, most = (199, 399) if with_clusters else (399, 399)
    half = parts.effect_high - parts.effect
    assert_allclose(parts.effect - parts.effect_low, half, rtol=1e-12)
    assert (half <= stats.t.ppf(0.975, fewest) * parts.se_effect * (1 + 1e-12)).all()
    assert (half >= stats.t.ppf(0.975, most) * parts.se_effect * (1 - 1e-12)).all()


@given(ratings(raters=(3, 4)))
def test_what_is_said_for_what_is_counted_by_hand(rows):
    people = list(range(1, len(rows.codes)))
    for group in (None, 0):
        counts = np.zeros((2, 4, 4))
        for codes, count, own in zip(rows.codes.T, rows.count, rows.group, strict=True):
            for one in people:
                for other in (0, *people):
                    known = one != other and min(codes[one], codes[other]) >= 0
                    if known and group in {None, own}:
                        counts[int(other > 0), codes[one], codes[other]] += count
        found = of_raters.confusions(rows, [0], people, group)
        with np.errstate(invalid="ignore"):
            shares = counts / counts.sum(axis=2, keepdims=True)
        assert_allclose([found.own, found.rest], shares)
        mostly = shares[0] > (1 - np.diag(shares[0]))[:, None] / 2
        shown = mostly & (shares[0] > shares[1]) & ~np.eye(4, dtype=bool)
        assert (np.isfinite(found.z) <= shown).all()
        assert (found.p_value[~shown & ~np.eye(4, dtype=bool)] == 1).all()


def confused(rng, n, share, copies=1):
    """Five raters, of whom the first takes 1 for 2 in a share of the items; some are copied."""
    rows = random_ratings(rng, n, 5, agree=0.8)
    codes = rows.codes.copy()
    codes[0] = np.where((codes[0] == 1) & (rng.random(n) < share), 2, codes[0])
    return rows_of(codes.repeat(copies, axis=1), cluster=np.arange(n).repeat(copies))


def test_the_error_of_what_is_said_for_what_is_that_of_the_jackknife():
    rows = confused(np.random.default_rng(6), 300, 0.6, copies=3)

    def apart(rows):
        found = of_raters.confusions(rows, [0], [1, 2, 3, 4], None)
        return (found.own - found.rest)[1, 2], found.z[1, 2], found.p_value[1, 2]

    size, z, p_value = apart(rows)
    left_out = [apart(rows.select(rows.cluster != one))[0] for one in range(300)]
    assert_allclose(size / z, np.sqrt(299 / 300 * ((left_out - size) ** 2).sum()), rtol=0.02)
    assert_allclose(p_value, 2 * stats.t.sf(z, 299), rtol=1e-6)


def test_items_that_all_say_the_same_prove_no_more_than_so_many_coins():
    codes = np.array([[2] * 12 + [0] * 40, [1] * 12 + [0] * 40, [1] * 12 + [0] * 40])
    found = of_raters.confusions(rows_of(codes), [0], [1, 2], None)
    assert (found.own[1, 2], found.rest[1, 2]) == (1, 0)
    assert_allclose(found.z[1, 2], 1 / np.sqrt(0.25 * (1 / 12 + 1 / 12)))


def test_what_is_said_for_what_is_seldom_named_by_chance():
    """In copies of items, which count once, nor where all raters confuse the same."""
    rng, least = np.random.default_rng(7), []
    for _ in range(200):
        found = of_raters.confusions(confused(rng, 60, 0.0, copies=4), [0], [1, 2, 3, 4], None)
        least.append(np.nanmin(found.p_value))
    assert np.mean(np.array(least) < 0.05 / 12) < 0.05
    shown = of_raters.confusions(confused(rng, 300, 0.9), [0], [1, 2, 3, 4], None)
    assert 12 * shown.p_value[1, 2] < 1e-6


def test_limits_touch_zero_at_the_level_of_the_test():
    rows = random_ratings(np.random.default_rng(5), 60, 3)
    scale = scale_of("quadratic")
    for rater, p_value in enumerate(rater_parts(rows, scale).p_value[:, 0]):
        parts = rater_parts(rows, scale, 1 - p_value)
        limits = parts.effect_low[rater, 0], parts.effect_high[rater, 0]
        assert_allclose(min(np.abs(limits)), 0, atol=1e-12)
        assert max(np.abs(limits)) > 0


def test_specific_agreement_counts_pairs_of_ratings():
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, 4, (4, 30))
    times = np.stack([(codes == k).sum(axis=0) for k in range(4)])
    n = times.sum(axis=0)
    expected = (times * (times - 1)).sum(axis=1) / (times * (n - 1)).sum(axis=1)
    for name in ADDITIVE:
        assert_allclose(scale_parts(rows_of(codes), name).specific_agreement[0], expected)


def latent_ratings(rng, n, n_raters, clicks=0.0):
    """Raters of one normal quality, correlated by .7; the first clicks at random at times."""
    quality = np.sqrt(0.7) * rng.normal(size=n) + np.sqrt(0.3) * rng.normal(size=(n_raters, n))
    codes = np.digitize(quality, [-0.7, 0, 0.7])
    codes[0] = np.where(rng.random(n) < clicks, rng.integers(0, 4, n), codes[0])
    return rows_of(codes)


def test_the_test_for_outliers_keeps_its_level_and_has_power():
    """Six raters, 300 items: size about .05, and some power for 15 % random clicks.

    A prototype of the formula had size .056, and power .68 at the level .05 / 6, on a finer
    scale; 400 and 200 samples leave about .02 and .07 of noise.
    """
    rng = np.random.default_rng(5)
    scale = scale_of("quadratic")
    honest = [rater_parts(latent_ratings(rng, 300, 6), scale) for _ in range(400)]
    assert 0.03 < np.mean([parts.p_value[0, 0] < 0.05 for parts in honest]) < 0.09
    clicking = [rater_parts(latent_ratings(rng, 300, 6, clicks=0.15), scale) for _ in range(200)]
    found = [parts.p_value[0, 0] < 0.05 / 6 and parts.z[0, 0] < 0 for parts in clicking]
    assert 0.4 < np.mean(found) < 0.95


def test_ratings_without_disagreement():
    rows = rows_of([[0, 1, 2], [0, 1, 2], [0, 1, 2]])
    scale = scale_of(None)
    items = item_parts(rows, scale, "light")
    assert_array_equal(items.gain, 0)
    assert_array_equal(items.effect, 0)
    assert np.isnan(items.share).all()
    assert set(items.reason) == {"no_disagreement"}
    raters = rater_parts(rows, scale)
    assert_array_equal(raters.estimate, 1)
    assert np.isnan(raters.z).all()
    assert set(raters.reason.ravel()) == {"no_variance"}
    categories = scale_parts(rows, "light")
    assert_array_equal(categories.estimate[0, :3], 1)
    assert np.isnan(categories.estimate[0, 3])
    assert categories.weight[0, 3] == 0


def test_an_item_without_which_nothing_varies():
    rows = rows_of([[0, 0, 0, 1], [0, 0, 0, 1]])
    parts = item_parts(rows, scale_of(None), "light")
    assert list(parts.reason) == ["no_disagreement"] * 3 + ["undefined_without"]
    assert np.isnan(parts.effect[3])


def test_missing_ratings():
    rows = rows_of([[0, 1, 2, -1], [1, 1, -1, -1], [0, 2, -1, -1]])
    for name in LEAVE_ONE_OUT:
        parts = item_parts(rows, scale_of("linear"), name)
        assert list(parts.reason[2:]) == ["single_rating", "no_items"]
        assert_array_equal(parts.gain[2:], 0)
        assert np.isnan(parts.disagreement[2:]).all()


def test_gaps_skip_categories_that_are_not_in_use():
    in_use = np.array([[True, False, True, True], [False, True, True, False]])
    scale = Scale(WEIGHTS["linear"], SCORES[None], in_use)
    assert_array_equal(gaps_of(scale, 2), [[3, 0, 3, 0], [0, 2, 0, 0]])


FIGURES = ["estimate", "se", "ci_low", "ci_high"]


def drawn_ratings(*, missing=False):
    """Return four raters who often agree, of 90 items in two groups of unequal size."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 5, 90)
    data = pd.DataFrame({name: np.clip(truth + rng.integers(-1, 2, 90), 1, 4) for name in "abcd"})
    return data.astype(float).mask(rng.random(data.shape) < 0.15) if missing else data


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_two_raters_have_the_limits_of_pairs_of_what_is_dichotomised(level):
    data = drawn_ratings()[["a", "b"]]
    found = data.kappa.categories(confidence_level=level)
    cuts = data.kappa.categories(confidence_level=level, kind="cut")
    for label in range(1, 5):
        expected = (data == label).kappa.pairs(confidence_level=level)[FIGURES].loc[0]
        assert_allclose(found.loc[label, FIGURES].astype(float), expected, rtol=1e-12)
        if label < 4:
            expected = (data <= label).kappa.pairs(confidence_level=level)[FIGURES].loc[0]
            assert_allclose(cuts.loc[label, FIGURES].astype(float), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@undefined
def test_cuts_are_the_same_from_both_ends_of_the_scale():
    """Whatever the weights: rounding told a pair on both sides of a cut from one on one side."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        data = pd.DataFrame(rng.choice(4, (20, 4), p=[0.6, 0.3, 0.05, 0.05]), columns=list("abcd"))
        options = {"sample_weight": rng.random(20), "weight_type": "probability"}
        found, turned = (
            one.kappa(**options).categories(kind="cut")[FIGURES] for one in (data, -data)
        )
        assert_allclose(found, turned[::-1], atol=1e-9)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_two_items_are_enough_whatever_their_weights():
    """Which add up to two, though not in floats."""
    one = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 2], "d": [3, 2]})
    data = pd.concat([one.assign(g=g) for g in "xy"], ignore_index=True)
    for weight in np.random.default_rng(5).uniform(0.5, 1.5, (50, 4)):
        given = data.kappa(sample_weight=weight, weight_type="probability")
        assert set(given.categories(by="g")["reason"]) == {""}


@pytest.mark.parametrize(
    ("kind", "coefficient", "missing"),
    [("cut", ADDITIVE[0], False), *(("category", one, True) for one in ADDITIVE)],
)
def test_the_error_of_more_raters_is_that_of_the_jackknife(kind, coefficient, missing):
    data = drawn_ratings(missing=missing)
    found = data.kappa.categories(kind=kind, coefficient=coefficient)
    left = without_each(data, data.index).kappa.categories(
        list("abcd"), kind=kind, coefficient=coefficient, by="left"
    )
    of_each = left["estimate"].groupby(level=-1)
    jackknife = np.sqrt(of_each.var(ddof=0) * (len(data) - 1))
    assert_allclose(found["se"], jackknife, rtol=0.05)
    assert (found["ci_low"] < found["estimate"]).all()
    assert (found["estimate"] < found["ci_high"]).all()


@pytest.mark.parametrize("coefficient", ADDITIVE)
@pytest.mark.parametrize("kind", ["category", "cut"])
def test_blocks_change_nothing(kind, coefficient, monkeypatch):
    data = drawn_ratings().assign(g=np.repeat(["x", "y"], [30, 60]))
    options = {"kind": kind, "coefficient": coefficient, "by": "g"}
    found = data.kappa.categories(list("abcd"), **options)
    monkeypatch.setattr(scale_limits, "LARGEST_BLOCK", 1)
    assert_frame_equal(data.kappa.categories(list("abcd"), **options), found)


@pytest.mark.parametrize("kind", ["category", "cut"])
def test_pair_after_pair_says_what_products_of_matrices_do(kind, monkeypatch):
    data = drawn_ratings(missing=True).assign(g=np.repeat(["x", "y"], [30, 60]))
    found = data.kappa.categories(list("abcd"), kind=kind, by="g")
    monkeypatch.setattr(scale_limits, "is_dense", lambda _: False)
    assert_frame_equal(data.kappa.categories(list("abcd"), kind=kind, by="g"), found, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_clusters_are_those_of_what_is_dichotomised():
    """Errors and limits are those of pairs, which count the cells of tables, and here ratings."""
    data, cluster = drawn_ratings()[["a", "b"]], np.arange(90) // 3
    for kind, parts in (("category", data.eq), ("cut", data.le)):
        found = data.kappa.categories(kind=kind, cluster=cluster)
        for label in (1, 2, 3):
            expected = parts(label).kappa.pairs(cluster=cluster).loc[0]
            k, se = found.loc[label, ["estimate", "se"]]
            assert_allclose([k, se], expected[["estimate", "se"]].astype(float), rtol=1e-9)
            ends = ["ci_low", "ci_high"]
            limits = found.loc[label, ends].astype(float)
            assert_allclose(limits, expected[ends].astype(float), atol=1e-3)


@each("cluster", [None, np.arange(90) // 3])
def test_more_raters_have_limits_like_those_of_agreement(cluster):
    """Where pairs weigh alike, as of raters who all agree, they are the same."""
    ends = ["ci_low", "ci_high"]
    data = drawn_ratings()
    alike = pd.DataFrame(dict.fromkeys("abc", data["a"]))
    for frame, off in ((data, 0.01), (alike, 1e-12)):
        found = frame.kappa.categories(cluster=cluster)
        for label in (1, 2, 3):
            two = frame.eq(label).kappa.agreement(coefficients=["light"], cluster=cluster).iloc[0]
            limits = found.loc[label, ends].astype(float)
            assert_allclose(limits, two[ends].astype(float), atol=off)


def test_raters_who_share_no_item_leave_the_limits_of_the_others():
    """As in a study whose items are split between two of its readers."""
    data = drawn_ratings().astype(float)
    data.loc[:44, "a"] = data.loc[45:, "b"] = np.nan
    found = data.kappa.categories()
    for label in (1, 2, 3):
        two = data.eq(label).where(data.notna()).kappa.agreement(coefficients=["light"]).iloc[0]
        names = ["estimate", "se", "ci_low", "ci_high"]
        assert_allclose(found.loc[label, names].astype(float), two[names].astype(float), atol=0.02)


@biased
@pytest.mark.parametrize("options", [{}, {"by": "g"}, {"cluster": "c"}, {"ci": "wald"}], ids=str)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_wide_frame_that_is_nearly_empty_says_what_a_full_array_does(options, monkeypatch):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, (150, 1))
    values = np.where(rng.random((150, 30)) < 0.7, truth, rng.integers(0, 3, (150, 30)))
    frame = pd.DataFrame(np.where(rng.random((150, 30)) < 0.1, values, np.nan)).add_prefix("w")
    names = list(frame)
    frame = frame.assign(g=np.arange(150) % 2, c=np.arange(150) // 3)

    def every():
        yield frame.kappa.items(names)
        for name in ("agreement", "raters", "pairs"):
            yield getattr(frame.kappa, name)(names, **options)
        for coefficient in ("light", "conger"):
            yield frame.kappa.categories(names, coefficient=coefficient, **options)

    listed = list(every())
    monkeypatch.setattr(sparse_rows, "FULLEST", 1e9)
    for one, other in zip(listed, every(), strict=True):
        assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), rtol=1e-9)


def test_a_binary_scale_has_one_error():
    """Of two categories, each is the other against the rest, and both are the coefficient."""
    data = (drawn_ratings() > 2).astype(int)
    for coefficient in ("fleiss", "conger", "krippendorff"):
        whole = data.kappa.agreement(coefficients=[coefficient])
        for row in data.kappa.categories(coefficient=coefficient)[FIGURES].to_numpy():
            assert_allclose(row, whole.loc[coefficient, FIGURES].astype(float), rtol=1e-9)


def test_what_has_no_error_says_why():
    one = pd.DataFrame({"a": [1], "b": [2]})
    assert one.kappa.categories()["reason"].tolist() == ["n_lt_2", "n_lt_2"]
    constant = pd.DataFrame({"a": [1, 1, 1], "b": [1, 2, 1]})
    found = constant.kappa.categories()
    assert found["reason"].tolist() == ["constant_rater"] * 2
    assert found["se"].isna().all()
    alone = pd.DataFrame({"a": [np.nan, np.nan], "b": [2, np.nan], "c": [0, 1]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        found = alone.kappa.categories(list("abc"), coefficient="krippendorff")
    assert found["ci_low"].isna().all()
    assert found["reason"].tolist() == ["n_lt_2", "constant_ratings", "n_lt_2"]
    alike = pd.DataFrame({name: [1, 2, 1, 2] for name in "abc"})
    for coefficient in ADDITIVE:
        found = alike.kappa.categories(coefficient=coefficient)
        assert (found["se"] == 0).all()
        assert (found["ci_low"] < 1).all()
        assert (found["ci_high"] == 1).all()
    with pytest.raises(pdkappa.errors.OptionError, match=r"^confidence_level=95 must lie between"):
        alike.kappa.categories(confidence_level=95, kind="cut")


RATERS = ["rater_1", "rater_2", "rater_3"]
PAIRS = tuple(RATERS[:2]), tuple(RATERS[1:])


@pytest.mark.parametrize(
    ("call", "figure", "normal"),
    [
        (lambda kappa, **ci: kappa.raters(**ci), "estimate", True),
        (lambda kappa, **ci: kappa.raters(**ci), "effect", True),
        (lambda kappa, **ci: kappa.compare(*PAIRS, **ci), "difference", True),
        (lambda kappa, **ci: kappa.categories(RATERS[:2], **ci), "estimate", True),
        (lambda kappa, **ci: kappa.categories(**ci), "estimate", False),
        (lambda kappa, **ci: kappa.categories(coefficient="fleiss", **ci), "estimate", False),
    ],
)
def test_limits_by_the_standard_error_are_those_of_scipy(call, figure, normal):
    """Which knows the quantiles; only the limits and the test are others than by default."""
    kappa = load_anxiety().kappa
    plain, found = call(kappa), call(kappa, ci="wald", confidence_level=0.9)
    low, high = ("ci_low", "ci_high") if figure != "effect" else ("effect_low", "effect_high")
    se = found["se_effect" if figure == "effect" else "se"]
    quantile = stats.norm.ppf(0.95) if normal else stats.t.ppf(0.95, 19)
    assert_allclose(found[high], np.minimum(found[figure] + quantile * se, 1))
    assert_allclose(found[low], np.maximum(found[figure] - quantile * se, -1))
    assert_allclose(found[figure], plain[figure])
    assert found.options["ci"] == "wald"
    if "z" in found:
        assert_allclose(found["p_value"], 2 * stats.norm.sf(np.abs(found["z"])))
        assert (found["p_value"] < plain["p_value"]).all()
        assert plain.options["ci"] == ("guarded" if "effect" in plain else "t")


@undefined
@biased
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@given(
    frame=frames(), weights=st.sampled_from([None, "linear"]), level=st.sampled_from([0.8, 0.99])
)
def test_limits_of_one_of_two_raters_are_those_of_light(frame, weights, level):
    """Whose one pair is that of the rater: by groups, in clusters, with missing ratings."""
    frame, n = frame.dropna(), int(frame.notna().all(axis=1).sum())
    frame = frame.reindex([*frame.index, -1]).assign(site=[*frame["site"], "z"])
    frame = frame.assign(patient=np.arange(1, n + 2) // 2, elsewhere=[*[math.nan] * n, 1.0])
    options = {"by": "site", "weights": weights, "cluster": "patient", "confidence_level": level}
    options |= {"raters": ["a", "b", "elsewhere"], "categories": [1, 2, 3, 5]}
    light = frame.kappa.agreement(coefficients="light", **options).droplevel("coefficient")
    found, limits = frame.kappa.raters(**options), ["ci_low", "ci_high"]
    for rater in "ab":
        own = found.xs(rater, level="rater")
        assert_allclose(own[limits], light[limits], atol=1e-9)
        assert_allclose(own["se"].fillna(light["se"]), light["se"], atol=1e-9)


@undefined
@biased
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@given(frame=frames(), options=st.sampled_from([{}, {"cluster": "patient"}, {"ci": "wald"}]))
def test_each_of_two_raters_has_the_error_and_limits_of_the_pair(frame, options):
    frame = frame.assign(patient=np.arange(len(frame)) // 2, nobody=math.nan)
    options = {"by": "site", "weights": "linear", "categories": [1, 2, 3, 5], **options}
    pair = frame.kappa.pairs(["a", "b"], **options)
    for raters in (["a", "b"], ["a", "nobody", "b"]):
        found = frame.kappa.raters(raters, **options).drop("nobody", level="rater", errors="ignore")
        for name in ("se", "ci_low", "ci_high"):
            known = found[name].dropna()
            assert_array_equal(known, pair[name].reindex(known.index, level="site"))


@given(
    frame=frames(),
    weights=st.sampled_from([None, "quadratic"]),
    is_listed=st.booleans(),
    k=st.sampled_from([4, 80]),
)
def test_squares_of_a_rater_are_those_of_the_items_shared_with_others(frame, weights, is_listed, k):
    labels, groups = [1.0, 2.0, 3.0, 5.0], (frame["site"] == "y").to_numpy(int)
    codes = frame[list("abc")].apply(lambda one: one.map(labels.index, na_action="ignore"))
    rows = rows_of(codes.fillna(-1).to_numpy(int).T, k=k, group=groups)
    each_group = np.ones((rows.n_groups, 1))
    scale = Scale(WEIGHTS[weights], each_group * np.arange(float(k)), each_group * np.ones(k) > 0)
    n_joint, squares = apart_from_others(sparse_rows.listed(rows) if is_listed else rows, scale)
    apart = scale.take(np.array([0])).matrix()
    for rater, name in enumerate("abc"):
        expected = np.zeros((2, rows.n_groups))
        for group, own, rest in zip(
            groups, codes[name], codes.drop(columns=name).to_numpy(), strict=True
        ):
            others = rest[~np.isnan(rest)].astype(int)
            if not np.isnan(own) and others.size:
                expected[:, group] += 1, apart[int(own), others].mean() ** 2
        assert_allclose([n_joint[rater], squares[rater]], expected, atol=1e-12)


def test_limits_of_raters_hold_where_one_category_is_rare():
    """Symmetric ones held the mean kappa of a rater in .80 of such samples."""
    rng, n, n_samples = np.random.default_rng(12), 100, 300
    kind, guess = rng.random(n * n_samples) < 0.1, rng.random((6, n * n_samples)) < 0.1
    codes = np.where(rng.random(guess.shape) < 0.7, kind, guess).astype(int)
    frame = pd.DataFrame(codes.T, columns=list("abcdef")).assign(sample=np.arange(len(kind)) // n)
    found = frame.kappa.raters(by="sample")
    held = (found["ci_low"] <= 0.49) & (found["ci_high"] >= 0.49)  # .7 squared
    assert held.groupby(level="rater").mean().between(0.93, 0.995).all()


def test_a_rater_of_one_joint_item_has_no_limits():
    frame = pd.DataFrame({"a": [1, 2, 2, 1], "b": [1, 2, 2, 1], "c": [1, *[math.nan] * 3]})
    found = frame.kappa.raters().loc["c"]
    assert np.isnan(found["ci_low"])
    assert found["reason"] == "n_lt_2"


@undefined
def test_kappas_of_raters_are_0_where_one_or_all_others_used_one_category():
    frame = pd.DataFrame({"a": [1, 2, 2, 1], "b": [1, 2, 1, 1], "c": [1, 1, 1, 1]})
    for columns, constant in (("abc", ["c"]), ("acd", ["a", "c", "d"])):
        found = frame.assign(d=2)[list(columns)].kappa.raters()
        of_one = found["reason"].isin(["constant_rater", "no_other_pair"])
        assert found.index[of_one].tolist() == constant
        assert_array_equal(found["se"].isna(), of_one)
        assert_allclose(found["estimate"][of_one], 0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"by": "g"}, {"sample_weight": "w"}])
def test_the_line_below_a_table_counts_what_the_table_does(options):
    rng = np.random.default_rng(4)
    data = pd.DataFrame(rng.integers(1, 4, (30, 2)), columns=["a", "b"]).astype(float)
    data = data.mask(rng.random(data.shape) < 0.2).assign(g=[*"xyz"] * 10, w=range(30))
    for table in (data.kappa.cells("a", "b", **options), data.kappa.confusion("a", "b", **options)):
        n = int(table.get("n_items", table).to_numpy().sum())
        assert re.search(r"(^|\n| )(\d+) items", str(table)).group(2) == str(n)
