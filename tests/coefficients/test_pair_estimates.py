"""Coefficients of two raters and their standard errors: outside values, laws, derivatives."""

from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats import inter_rater

import dense
from conftest import each, scale_of
from pdkappa.coefficients import chance
from pdkappa.coefficients import pair_counts as counts_module
from pdkappa.coefficients import pair_estimates as summary_module
from pdkappa.coefficients.chance import COEFFICIENTS, Agreement, chance_corrected, smoothed
from pdkappa.coefficients.pair_counts import PairCounts, count_pairs
from pdkappa.coefficients.pair_estimates import (
    EVERY_FIGURE,
    OF_MOMENTS,
    of_moments,
    summarise,
    with_errors_of_pairs,
)
from pdkappa.coefficients.rating_rows import taken
from pdkappa.coefficients.weights import WEIGHTS, Scale

every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weights", WEIGHTS)
distances = each("weights", [None, "linear", "quadratic"])
few = settings(max_examples=10)


class Drawn(NamedTuple):
    """A table of two raters and the scores of its categories."""

    table: np.ndarray
    scores: np.ndarray

    @property
    def k(self):
        return len(self.table)


@st.composite
def tables(draw, least=0, max_categories=5, largest=12):
    """Draw a K x K table, often with empty cells, and scores with gaps."""
    k = draw(st.integers(2, max_categories))
    table = draw(arrays(np.int64, (k, k), elements=st.integers(least, largest), fill=st.nothing()))
    gaps = draw(arrays(np.int64, k, elements=st.integers(1, 4)))
    return Drawn(table, np.cumsum(gaps).astype(float) - draw(st.integers(0, 1)))


def counts_of(table):
    """Return the counts of one table or of a stack of tables."""
    return PairCounts.from_tables(np.asarray(table))


def agree(coefficient, weights, table, scores=None):
    """Estimate a coefficient in one table or in a stack of tables."""
    table = np.asarray(table)
    scores = np.arange(1.0, table.shape[-1] + 1) if scores is None else scores
    return chance_corrected(counts_of(table), scale_of(weights, scores), COEFFICIENTS[coefficient])


def assert_same(found, expected, names=Agreement._fields[:-1], **tolerance):
    """Compare the figures of two results; what cells disagree by is in units of the scale.

    An error that is zero under chance is the root of a rounding error.
    """
    for name in names:
        close = {"rtol": 1e-9, "atol": 1e-7 if name == "se_null" else 1e-9} | tolerance
        one, other = getattr(found, name), getattr(expected, name)
        assert_allclose(one, other, err_msg=name, **close)


# Python irrCAC 0.4.4, table.CAC(table, weights=..., digits=9) of cont4x4diagnosis: values and
# standard errors in the order of COEFFICIENTS. Other weights: tests/data/outside.
DIAGNOSES = np.array([[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]])
IRRCAC = {
    "ordinal": (
        [0.390452898, 0.389264012, 0.272944694, 0.324068927, 0.390633376, 0.772795217],
        [0.061536141, 0.061802543, 0.075840616, 0.0685068, 0.061802543, 0.023700192],
    ),
    "radical": (
        [0.419424501, 0.418186783, 0.401204351, 0.417870373, 0.419491297, 0.673278833],
        [0.048335782, 0.04861336, 0.049898423, 0.04818441, 0.04861336, 0.027226101],
    ),
    "ratio": (
        [0.41318862, 0.41248942, 0.30955579, 0.35864722, 0.413806708, 0.786002958],
        [0.06334425, 0.063489506, 0.077127571, 0.06986329, 0.063489506, 0.023905005],
    ),
    "circular": (
        [0.445904401, 0.444207414, 0.470852018, 0.488439306, 0.445453585, 0.735426009],
        [0.048884239, 0.049364752, 0.046507353, 0.04547944, 0.049364752, 0.023253676],
    ),
    "bipolar": (
        [0.386926136, 0.385709411, 0.263780309, 0.315239056, 0.387086744, 0.768908819],
        [0.060838501, 0.061104494, 0.075417681, 0.0681652, 0.061104494, 0.023672772],
    ),
}


@each("weights", IRRCAC)
def test_diagnoses_have_the_values_of_irrcac(weights):
    """Its error of alpha is that of Scott's pi: it leaves the factor (2n - 1) / 2n out."""
    for coefficient, value, error in zip(COEFFICIENTS, *IRRCAC[weights], strict=True):
        result = agree(coefficient, weights, DIAGNOSES)
        n = 2 * result.n_items
        factor = n / (n - 1) if coefficient == "krippendorff" else 1
        assert_allclose(result.estimate, value, atol=1e-9)
        assert_allclose(factor * result.se, error, atol=1e-9)


def statsmodels_kappa(table, **options):
    """Ask statsmodels, where its formulas are defined; it divides by errors of zero."""
    assume(min((table.sum(axis=axis) > 0).sum() for axis in (0, 1)) > 1)
    with np.errstate(all="ignore"):
        return inter_rater.cohens_kappa(table, **options)


def assert_as_statsmodels(found, expected):
    """Compare the kappa and both of its variances."""
    assert_allclose(found.estimate, expected.kappa, atol=1e-12)
    assert_allclose(found.se**2, expected.var_kappa, rtol=1e-9, atol=1e-12)
    assert_allclose(found.se_null**2, expected.var_kappa0, rtol=1e-9, atol=1e-12)


@pytest.mark.oracle
@given(drawn=tables())
@every_weighting
def test_cohen_and_both_errors_are_those_of_statsmodels(weights, drawn):
    table, scores = drawn
    apart = scale_of(weights, scores).matrix()
    apart = apart / apart.max()
    found = agree("cohen", weights, table, scores)
    assert_as_statsmodels(found, statsmodels_kappa(table, weights=apart))
    assert_allclose(1 - found.observed, (apart * table).sum() / table.sum(), atol=1e-12)


@few
@given(drawn=tables(), factor=st.sampled_from([1e-6, 0.3, 40.0]))
@every_coefficient
@every_weighting
def test_only_ratios_of_disagreement_matter(coefficient, weights, drawn, factor):
    """A named weighting is its matrix, in any unit."""
    table, scores = drawn
    matrix = factor * scale_of(weights, scores).matrix()
    assert_same(agree(coefficient, matrix, table), agree(coefficient, weights, table, scores))


@settings(max_examples=3)
@given(
    scores=tables().map(lambda drawn: drawn.scores),
    in_use=arrays(np.bool_, (3, 5)),
    stack=arrays(np.int64, (3, 5, 5), elements=st.integers(0, 9)),
)
@every_coefficient
@every_weighting
def test_tables_of_a_stack_do_not_see_each_other(coefficient, weights, scores, in_use, stack):
    """Each table keeps to its own categories, as groups with their own scales do."""
    k = len(scores)
    in_use = in_use[:, :k].copy()
    in_use[:, [0, k - 1]] |= ~in_use.any(axis=1, keepdims=True)
    stack = stack[:, :k, :k] * (in_use[:, :, None] & in_use[:, None, :])
    own = COEFFICIENTS[coefficient]
    found = chance_corrected(counts_of(stack), scale_of(weights, scores, in_use), own)
    smooth = smoothed(counts_of(stack), scale_of(weights, scores, in_use), own)
    for number, used in enumerate(in_use):
        table, scale = stack[number][np.ix_(used, used)], scale_of(weights, scores[used])
        alone = chance_corrected(counts_of(table[None]), scale, own)
        assert_same(type(found)(*(field[number : number + 1] for field in found)), alone)
        one = smoothed(counts_of(table[None]), scale, own)
        assert_allclose([part[number] for part in smooth], np.ravel(one), rtol=1e-9, atol=1e-9)


def floor_of(coefficient, weights, scores):
    """Return the smallest value; where chance is even, that of total disagreement."""
    apart = scale_of(weights, scores).matrix()
    even = 1 - apart.max() / apart.mean()
    return {"percent": 0.0, "brennan_prediger": even, "gwet": even}.get(coefficient, -1.0)


@few
@given(drawn=tables(least=1, max_categories=4))
@every_coefficient
@every_weighting
def test_estimate_and_error_against_dense_formulas(coefficient, weights, drawn):
    """The analytic delta method equals a numerical one."""
    table, scores = drawn
    apart = scale_of(weights, scores).matrix()
    found = agree(coefficient, weights, table, scores)
    assert_allclose(found.estimate, dense.estimate_of(coefficient, apart, table), atol=1e-10)
    expected = dense.error_of(coefficient, apart, table)
    assert_allclose(found.se, expected, rtol=1e-6, atol=1e-9)


# The margins of raters who agree by chance alone; Gwet's coefficient has no such table, and
# is tested with its own error; percent agreement is not tested.
BY_CHANCE = {
    "cohen": lambda row, col: (row, col),
    "scott": lambda row, col: ((row + col) / 2, (row + col) / 2),
    "brennan_prediger": lambda row, col: (np.full(len(row), 1 / len(row)),) * 2,  # noqa: ARG005
    "gwet": None,
    "krippendorff": lambda row, col: ((row + col) / 2, (row + col) / 2),
    "percent": None,
}


@few
@given(drawn=tables(least=1))
@every_coefficient
@every_weighting
def test_error_under_chance_is_the_error_of_the_table_of_chance(coefficient, weights, drawn):
    table, scores = drawn
    found = agree(coefficient, weights, table, scores)
    n = table.sum()
    margins = BY_CHANCE[coefficient]
    if margins is None:
        expected = found.se if coefficient == "gwet" else np.nan
        assert_array_equal(found.se_null, expected)
        return
    null = n * np.outer(*margins(table.sum(axis=1) / n, table.sum(axis=0) / n))
    assert_allclose(found.se_null, agree(coefficient, weights, null, scores).se, rtol=1e-9)
    expected = dense.error_of(coefficient, scale_of(weights, scores).matrix(), null)
    assert_allclose(found.se_null, expected, rtol=1e-5, atol=1e-9)


ORDERS = np.array(list(permutations(range(6))))


@few
@given(
    ratings=arrays(np.int64, (2, 6), elements=st.integers(0, 3)),
    scores=tables(max_categories=4).map(lambda drawn: drawn.scores),
)
@every_weighting
def test_error_under_chance_is_that_of_all_permutations(weights, ratings, scores):
    """Exactly, but for the factor n / (n - 1) of sampling without replacement."""
    a, b = np.minimum(ratings, len(scores) - 1)
    assume(len(set(a)) > 1)
    assume(len(set(b)) > 1)
    stack = np.zeros((len(ORDERS), len(scores), len(scores)), dtype=int)
    np.add.at(stack, (np.arange(len(ORDERS))[:, None], a, b[ORDERS]), 1)
    found = agree("cohen", weights, stack, scores)
    assert_allclose(found.estimate.mean(), 0, atol=1e-12)
    variance = found.estimate.var() * 5 / 6
    assert_allclose(found.se_null**2, variance, rtol=1e-9, atol=1e-14)


@few
@example(drawn=Drawn(np.pad([[4, 2], [1, 5]], (0, 1)), np.arange(3.0)))  # who use two of three
@given(drawn=tables())
@every_coefficient
@every_weighting
def test_smoothing_adds_one_item_spread_over_the_table(coefficient, weights, drawn):
    table, scores = drawn
    n = table.sum()
    assume(n > 1)  # of two items, by rounding, there may be less
    used = (table + table.T).any(axis=0)
    half = 0.5 * (used if used.sum() > 1 else np.ones(drawn.k))
    row, col = ((table.sum(axis=axis) + half) / (n + half.sum()) for axis in (1, 0))
    explicit = agree(coefficient, weights, table + np.outer(row, col), scores)
    own = COEFFICIENTS[coefficient]
    estimate, error = smoothed(counts_of(table), scale_of(weights, scores), own)
    assert_allclose(estimate, explicit.estimate, rtol=1e-9, atol=1e-12)
    assert_allclose(error, explicit.se * np.sqrt((n + 1) / n), rtol=1e-7, atol=1e-10)


@each("weights", [None, "linear", "quadratic"])
def test_many_categories_need_no_matrix(weights):
    """Three thousand scores, as long ratings have them, against sorted ratings."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 3000, 800)
    y = np.clip(x + rng.integers(-400, 400, 800), 0, 2999)
    counts = count_pairs(np.stack([x, y]), 3000, pairs=[(0, 1)])
    found = chance_corrected(counts, scale_of(weights, np.arange(3000.0)), COEFFICIENTS["cohen"])
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    gap = abs(x[:, None] - y).astype(float)
    apart = np.where(gap > 0, gap**power, 0)
    expected = apart.mean()
    kappa = 1 - np.diag(apart).mean() / expected
    influence = (1 - kappa) * (apart.mean(axis=1) + apart.mean(axis=0)) - np.diag(apart)
    centred = apart - apart.mean(axis=1, keepdims=True) - apart.mean(axis=0) + expected
    assert_allclose(found.estimate, kappa, rtol=1e-10)
    assert_allclose(found.se, influence.std() / expected / np.sqrt(800), rtol=1e-9)
    assert_allclose(found.se_null, np.sqrt((centred**2).mean() / 800) / expected, rtol=1e-7)


# Where both raters use one and the same category: 0/0 unless chance is about categories.
CONSTANT = {
    "cohen": np.nan,
    "scott": np.nan,
    "brennan_prediger": 1.0,
    "gwet": 1.0,
    "krippendorff": np.nan,
    "percent": 1.0,
}


@every_coefficient
@each("in_use", [[True] * 3, [True, False, True], [False, True, False]])
def test_the_table_of_chance_is_one_of_shares(coefficient, in_use):
    """Of one category, too, whose coefficient is undefined."""
    scale = Scale(WEIGHTS["linear"], np.arange(3.0)[None], np.array([in_use]))
    row = np.array([in_use]) / np.sum(in_use)
    chance = COEFFICIENTS[coefficient].chance(row, row, scale, np.array([9.0]))
    for share in chance.null or ():
        assert_allclose(share.sum(axis=-1), 1, rtol=1e-12)
        assert (share[:, ~np.array(in_use)] == 0).all()


@every_coefficient
@every_weighting
@each("weight", [5, 0.1, 1 / 3, 1e300])
def test_both_raters_use_one_category(coefficient, weights, weight):
    table = np.zeros((3, 3))
    table[1, 1] = weight
    found = agree(coefficient, weights, table)
    assert_array_equal(found.estimate, CONSTANT[coefficient])
    assert found.observed == 1
    if np.isnan(CONSTANT[coefficient]) or weight < 2:
        assert np.isnan(found.se)
        assert np.isnan(found.se_null)
    else:
        assert found.se == 0


@few
@given(
    others=arrays(np.int64, 4, elements=st.integers(0, 9)),
    place=st.integers(0, 3),
    by_columns=st.booleans(),
)
@every_weighting
def test_a_constant_rater_makes_cohen_exactly_zero(weights, others, place, by_columns):
    assume((others > 0).sum() > 1 or (others.any() and not others[place]))
    table = np.zeros((4, 4), dtype=int)
    table[place] = others
    table = table.T if by_columns else table
    found = agree("cohen", weights, table)
    assert found.is_fixed
    assert found.estimate == 0
    assert np.isnan(found.se)
    assert np.isnan(found.se_null)


@every_coefficient
@every_weighting
def test_less_than_two_items_by_weight_have_no_error(coefficient, weights):
    found = agree(coefficient, weights, [DIAGNOSES * (1.9 / 223), DIAGNOSES * (2.1 / 223)])
    assert np.isnan(found.se[0])
    assert found.se[1] > 0
    assert not np.isnan(found.estimate).any()


@given(drawn=tables())
@every_coefficient
@distances
def test_estimates_lie_between_the_floor_and_one(coefficient, weights, drawn):
    found, own = agree(coefficient, weights, *drawn), COEFFICIENTS[coefficient]
    floor = floor_of(coefficient, weights, drawn.scores)
    assert_allclose(own.lowest(scale_of(weights, drawn.scores)), floor, rtol=1e-12)
    defined = ~np.isnan(found.estimate)
    assert (found.estimate >= floor - 1e-12)[defined].all()
    assert (found.estimate[defined] <= 1).all()


few_items = settings(max_examples=4)
# Six tables: two pairs of raters in three groups.
stacks = arrays(np.int64, (6, 3, 3), elements=st.integers(0, 6))
UNLIKE = np.array([[[3, 1, 0], [2, 4, 1], [0, 1, 5]], [[2, 0, 0], [0, 3, 0], [0, 0, 1]]])


def scale_in_use(weights, in_use=None):
    """Return the scale 1, 2, 4, or the scales of groups that use some of it."""
    in_use = np.ones((1, 3), dtype=bool) if in_use is None else in_use
    scores = np.array([[1.0, 2.0, 4.0]])
    if WEIGHTS[weights].ranks:
        scores = np.cumsum(in_use, axis=1, dtype=float)
    return Scale(WEIGHTS[weights], scores, in_use)


def summary(coefficient, weights, stack, in_use=None, *, ci="fisher"):
    """Summarise a stack of tables."""
    counts, scale = (PairCounts.from_tables(np.asarray(stack)), scale_in_use(weights, in_use))
    return summarise(counts, scale, COEFFICIENTS[coefficient], ci=ci, level=0.95)


def assert_same_summary(found, expected):
    """Compare every figure of two summaries; a null error of zero is a rounding error."""
    for name in EVERY_FIGURE:
        one, other = getattr(found, name), getattr(expected, name)
        if name == "reason":
            assert_array_equal(one, other)
        elif name not in ("z", "p_value"):
            assert_allclose(one, other, rtol=1e-7, atol=1e-7, err_msg=name)


@few_items
@given(stack=stacks, block=st.integers(1, 12), in_use=arrays(np.bool_, (3, 3)))
@every_coefficient
@every_weighting
def test_blocks_do_not_show(coefficient, weights, stack, block, in_use):
    """However many tables are worked on at a time, each group keeps its own scale."""
    in_use = in_use.copy()
    in_use[:, [0, 2]] |= ~in_use.any(axis=1, keepdims=True)
    stack = stack * np.repeat(in_use[:, :, None] & in_use[:, None, :], 2, axis=0)
    whole = summary(coefficient, weights, stack, in_use)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "BLOCK", block)
        assert_same_summary(summary(coefficient, weights, stack, in_use), whole)
    every = np.repeat(in_use, 2, axis=0)
    for one in (slice(1), slice(len(every) - 1, None)):
        alone = summary(coefficient, weights, stack[one], every[one])
        assert_same_summary(whole.at(one), alone)


@few_items
@given(stack=stacks)
@every_coefficient
@every_weighting
def test_the_error_of_fisher_z_is_the_delta_method(coefficient, weights, stack):
    """And that of the smoothed table where the standard error is zero."""
    found = summary(coefficient, weights, stack)
    inside = (abs(found.estimate) < 1) & (found.se > 0)
    expected = found.se[inside] / (1 - found.estimate[inside] ** 2)
    assert_allclose(found.se_fisher_z[inside], expected, rtol=1e-12)
    own = COEFFICIENTS[coefficient]
    kappa, se = smoothed(PairCounts.from_tables(stack), scale_in_use(weights), own)
    exact = (found.se == 0) & (abs(kappa) < 1)
    assert_allclose(found.centre[exact], kappa[exact], rtol=1e-12)
    expected = se[exact] / (1 - kappa[exact] ** 2)
    assert_allclose(found.se_fisher_z[exact], expected, rtol=1e-12)
    assert (found.se_fisher_z[exact] > 0).all()
    assert np.isnan(found.se_fisher_z[~inside & ~exact]).all()


TABLES = {
    "": [[5, 1, 0], [0, 4, 2], [1, 0, 3]],
    "constant_rater": [[5, 1, 2], [0, 0, 0], [0, 0, 0]],
    "constant_ratings": [[5, 0, 0], [0, 0, 0], [0, 0, 0]],
    "n_lt_2": [[0, 1, 0], [0, 0, 0], [0, 0, 0]],
    "no_joint_items": np.zeros((3, 3), dtype=int),
}


@every_weighting
def test_reasons(weights):
    found = summary("cohen", weights, list(TABLES.values()))
    assert found.reason.tolist() == list(TABLES)
    assert_array_equal(np.isnan(found.estimate), [False, False, True, False, True])
    assert_array_equal(np.isnan(found.se), [False, True, True, True, True])
    assert_array_equal(np.isnan(found.max_estimate), [False, False, True, False, True])


@every_coefficient
@every_weighting
def test_a_reason_for_whatever_is_undefined(coefficient, weights):
    found = summary(coefficient, weights, list(TABLES.values()))
    for name in ("estimate", "se", "ci_low", "ci_high", "max_estimate"):
        assert (found.reason[np.isnan(getattr(found, name))] != "").all(), name
    if COEFFICIENTS[coefficient].tested:
        assert_array_equal(found.reason != "", np.isnan(found.z) | np.isnan(found.se))


@every_weighting
def test_alpha_of_no_more_than_one_rating_has_too_few_items(weights):
    """A second rating cannot be drawn: the ratings are not constant for that."""
    tables = 0.1 * np.array([[[1, 2, 0], [0, 1, 0], [0, 0, 1]], [[5, 0, 0], [0] * 3, [0] * 3]])
    found = summary("krippendorff", weights, tables)
    assert found.reason.tolist() == ["n_lt_2", "n_lt_2"]
    assert np.isnan([found.estimate, found.se]).all()
    for coefficient in sorted({*COEFFICIENTS} - {"krippendorff", "percent"}):
        reasons = summary(coefficient, weights, tables).reason.tolist()
        assert reasons[0] == "n_lt_2"
        chance_is_shares = coefficient in ("cohen", "scott")
        assert reasons[1] == ("constant_ratings" if chance_is_shares else "n_lt_2")


def test_clusters_among_which_nothing_varies():
    """Perfect agreement: the test rests on a pseudo-item."""
    alone = summary("cohen", None, [np.diag([3, 2, 4])])
    assert (alone.reason, alone.z > 0) == ("", True)
    zero, units = np.zeros(1), np.array([4.0])
    own = {"ci": "fisher", "level": 0.95}
    found = with_errors_of_pairs(alone, zero, units, COEFFICIENTS["cohen"], **own)
    assert 0 < found.z < alone.z
    assert found.reason == [""]
    own["ci"] = "wald"
    none = with_errors_of_pairs(alone, zero, units, COEFFICIENTS["cohen"], **own)
    assert np.isnan(none.z)
    assert none.reason == ["no_variance"]
    again = with_errors_of_pairs(none, zero + 0.1, units, COEFFICIENTS["cohen"], **own)
    assert again.z == 10
    assert again.reason == [""]


@few_items
@given(table=arrays(np.int64, (2, 3), elements=st.integers(1, 9), fill=st.nothing()))
def test_one_rater_never_below_the_other(table):
    """Whoever rates what, the mean distance is that of the means: chance is not rejected."""
    both = np.zeros((5, 5), dtype=int)
    both[:2, 2:] = table
    scale = Scale(WEIGHTS["linear"], np.array([[0, 1, 3, 5, 6.0]]), np.ones((1, 5), dtype=bool))
    found = summarise(
        PairCounts.from_tables(both), scale, COEFFICIENTS["cohen"], ci="fisher", level=0.95
    )
    assert_allclose(found.estimate, 0, atol=1e-12)
    assert found.p_value > 0.5


@each("bias", [0, 10, 1e3, 1e4, 1e5, 1e7])
def test_a_test_across_a_great_distance_is_right_or_undefined(bias):
    """Raters whose scales lie far apart correlate as well as before."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 60)
    y = np.clip(x + rng.integers(-1, 2, 60), 0, 3)
    table = np.zeros((8, 8), dtype=int)
    np.add.at(table, (x, y + 4), 1)
    scores = np.array([[0, 1, 2, 3, bias + 3.5, bias + 4.5, bias + 5.5, bias + 6.5]])
    scale = Scale(WEIGHTS["quadratic"], scores, np.ones((1, 8), dtype=bool))
    found = summarise(
        PairCounts.from_tables(table), scale, COEFFICIENTS["cohen"], ci="fisher", level=0.95
    )
    if bias < 1e4 or found.se_null > 0:
        expected = np.sqrt(60) * np.corrcoef(x, y)[0, 1]
        assert_allclose(found.estimate / found.se_null, expected, rtol=1e-3)


@every_weighting
def test_many_tables_are_not_worth_a_programme_each(weights, monkeypatch):
    monkeypatch.setattr(summary_module, "MOST_PROGRAMMES", 1)
    table = np.arange(9).reshape(3, 3)
    one, two = summary("cohen", weights, [table]), summary("cohen", weights, [table, table])
    assert one.max_estimate >= one.estimate
    if WEIGHTS[weights].convex or not WEIGHTS[weights].ordered:
        assert_array_equal(two.max_estimate, one.max_estimate.repeat(2))
    elif weights in ("radical", "circular"):
        assert np.isnan(two.max_estimate).all()
    assert_allclose(two.estimate, one.estimate.repeat(2), rtol=1e-12)


@each("name", sorted(EVERY_FIGURE))
def test_a_figure_is_the_same_whatever_else_is_needed(name):
    counts, scale = PairCounts.from_tables(UNLIKE), scale_in_use("linear")
    options = {"ci": "fisher", "level": 0.95}
    every = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    alone = summarise(counts, scale, COEFFICIENTS["cohen"], **options, needed=frozenset([name]))
    assert_array_equal(getattr(alone, name), getattr(every, name))


@every_coefficient
@few
@given(
    codes=arrays(
        np.int8, st.tuples(st.integers(2, 5), st.integers(1, 9)), elements=st.integers(-1, 9)
    ),
    gaps=arrays(np.int64, 10, elements=st.sampled_from([1, 2, 7, 10**5])),
    together=st.integers(1, 9),
)
def test_moments_give_the_figures_of_tables(coefficient, codes, gaps, together):
    """Reasons are the same, too: a rater of one category, and two of the same."""
    scores = np.cumsum(gaps) - 5.0
    scale, model = scale_of("quadratic", scores), COEFFICIENTS[coefficient]
    sides = np.array(np.triu_indices(len(codes)))[:, ::-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chance, "TOGETHER", together)
        patch.setattr(summary_module, "FEWEST_CELLS", 0)
        found = of_moments(codes, sides, scale, model)
    if coefficient == "gwet":  # depends on the squares of the shares
        assert found is None
        return
    counts = count_pairs(codes, 10, pairs=list(zip(*sides.tolist(), strict=True)))
    expected = summarise(counts, scale, model, ci="fisher", level=0.95)
    for name in OF_MOMENTS:
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, atol=1e-13)
    undefined = np.isnan(expected.estimate)
    assert_array_equal(found.reason[undefined], expected.reason[undefined])
    assert (found.reason[expected.reason == "constant_rater"] == "constant_rater").all()
    assert (found.estimate[sides[0] == sides[1]] == 1)[~undefined[sides[0] == sides[1]]].all()
    assert {name for name in EVERY_FIGURE if name not in OF_MOMENTS} >= {"se", "z", "ci_low"}
    assert np.isnan([found.se, found.z, found.ci_low, found.max_estimate]).all()


def test_moments_are_taken_where_their_sums_are_exact():
    codes, sides = np.array([[0, 1, 2], [0, 2, 2]]), np.array([[0], [1]])
    cohen, limit = COEFFICIENTS["cohen"], 2**24
    for scores, is_exact in {
        (1, 2, 4): True,
        (-3.5, 1.5, 2.5): True,  # the middle is a whole number
        (0.25, 1.5, 2): True,
        (0.1, 1.2, 2): True,
        (0.125, 1.5, 2): False,
        (0.125, 0.25, 0.375): True,  # evenly spaced
        (0.1, 1.5, 0.1 + 2e-16): False,
        (0, 1, limit): True,
        (0, 1, 4 * limit): True,  # of which floats do not hold the products
        (0, 1, 8 * limit): False,
        (0, 1, 1e308): False,
        (-8e307, 0, 9e307): False,
    }.items():
        scale = scale_of("quadratic", np.array(scores, dtype=float))
        found = of_moments(codes, sides, scale, cohen)
        assert (found is not None) == is_exact, scores
        if is_exact:
            table = np.zeros((3, 3))
            np.add.at(table, tuple(codes), 1)
            expected = chance_corrected(counts_of(table), scale, cohen)
            assert_allclose(found.estimate, expected.estimate, rtol=1e-15)
    for weights in sorted({*WEIGHTS} - {"quadratic"}, key=str):
        assert of_moments(codes, sides, scale_of(weights, np.arange(3.0)), cohen) is None
    missing = np.where(codes == 0, -1, codes)  # few of which are counted more quickly
    scale = scale_of("quadratic", np.arange(3.0))
    assert of_moments(missing, sides, scale, cohen) is None
    assert of_moments(np.tile(missing, (25, 1)), sides, scale, cohen).estimate == 0


@each(
    ("scores", "is_even"),
    [
        ((1, 2, 3, 4, 5), True),
        ((-7, -5, -3, -1, 1), True),
        ((-0.5, 0, 0.5, 1, 1.5), True),
        ((0.1, 0.4, 0.7, 1.0, 1.3), True),  # in tenths
        ((0, 0.125, 0.25, 0.375, 0.5), True),
        ((9, 8, 7, 6, 5), True),
        ((1, 2, 4, 5, 6), False),
        ((-1, 0, 0.5, 1, 1.5), False),
        ((3, 3, 3, 3, 4), False),
        ((0, 1, 1, 2, 3), False),
    ],
)
def test_codes_are_the_scores_of_an_even_scale(scores, is_even, monkeypatch):
    """No other scale has them; a category that nobody used, as the third, leaves its gap."""
    summed = []

    def sums(codes, scores):
        summed.append(scores)
        return sums_of_scores(codes, scores)

    sums_of_scores = summary_module.sums_of_scores
    monkeypatch.setattr(summary_module, "sums_of_scores", sums)
    codes = np.array([[0, 1, 1, 3, 4, 4, 0, 3], [0, 1, 3, 3, 4, 3, 1, 1]])
    scale = scale_of("quadratic", np.array(scores, dtype=float))
    found = of_moments(codes, np.array([[0], [1]]), scale, COEFFICIENTS["cohen"])
    assert_array_equal((np.diff(summed[0]) == 1).all(), is_even)
    x, y = ([Fraction(str(scores[code])) for code in one] for one in codes)
    apart = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    by_chance = Fraction(sum((a - b) ** 2 for a in x for b in y), len(x))
    assert_allclose(found.estimate, float(1 - apart / by_chance), rtol=1e-15)


@pytest.mark.parametrize("weights", [None, "quadratic", "ordinal"])
def test_many_equal_tables_are_each_what_they_are_alone(monkeypatch, weights):
    rng = np.random.default_rng(3)
    few_items = rng.integers(0, 3, (6, 4, 4))
    number = rng.integers(0, 6, 60)
    counts = PairCounts.from_tables(few_items[number])
    in_use = (few_items.sum(axis=1) + few_items.sum(axis=2) > 0)[number]
    scale = Scale(WEIGHTS[weights], np.arange(4.0)[None], in_use)
    options = {"ci": "auto", "level": 0.95}
    alone = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    monkeypatch.setattr(summary_module, "MOST_PROGRAMMES", 1)
    seen = []
    monkeypatch.setattr(summary_module, "taken", lambda *x: seen.append(x) or taken(*x))
    found = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    assert seen
    for name in vars(alone).keys() - {"max_estimate"}:
        np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))


def test_sums_whose_products_integers_cannot_hold_are_not_taken():
    rated = np.array([[0, 1, *[20_000] * 4], [0, 0, 1, *[20_000] * 3]])
    few = pd.DataFrame(rated.T, columns=["a", "b"])
    many = pd.concat([few] * (1 << 18), ignore_index=True)
    expected, found = (x.kappa.pairwise(weights="quadratic").loc["a", "b"] for x in (few, many))
    assert found == pytest.approx(expected, rel=1e-12)
