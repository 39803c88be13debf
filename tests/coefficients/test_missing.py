"""The joint distribution of raters with missing ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients import missing_by_em as missing
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import summarise_many
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing_by_em import (
    complete,
    joint_distribution,
    size_of,
    summarise_many_missing,
    summarise_missing,
    without_one,
)
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale

COHEN, OPTIONS = COEFFICIENTS["cohen"], {"ci": "fisher", "level": 0.95}


def rows_of(codes, k):
    codes = np.asarray(codes)
    n = codes.shape[1]
    return RatingRows(codes, np.ones(n), np.zeros(n, dtype=int), 1, k)


def scale_of(weights, k):
    return Scale(WEIGHTS[weights], np.arange(1.0, k + 1)[None], np.ones((1, k), dtype=bool))


@pytest.fixture
def codes():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, 80)
    return np.clip(truth + rng.integers(-1, 2, (3, 80)), 0, 2)


def agreeing(n_raters, n_items, k, share_missing, seed):
    """Ratings of a truth, one category off now and then, missing completely at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_items)
    ratings = np.clip(truth + rng.choice([-1, 0, 0, 1], (n_raters, n_items)), 0, k - 1)
    return np.where(rng.random(ratings.shape) < share_missing, -1, ratings)


def dense(joint, k):
    """Make the joint distribution a table with an axis for each rater."""
    table = np.zeros((k,) * len(joint.completions.codes))
    table[tuple(joint.completions.codes)] = joint.shares
    return table


class DenseEM:
    """The textbook: every item of its own, every combination of categories a cell."""

    def __init__(self, codes, k):
        cells = np.indices((k,) * len(codes)).reshape(len(codes), -1)
        self.rated = (codes >= 0).any(axis=0)
        known, fitting = codes[:, :, None] < 0, codes[:, :, None] == cells[:, None]
        self.fits = (known | fitting).all(axis=0)[self.rated].astype(float)
        shares = [np.bincount(one[one >= 0], minlength=k) / (one >= 0).sum() for one in codes]
        self.start = np.prod([own[cell] for own, cell in zip(shares, cells, strict=True)], axis=0)
        self.shape = (k,) * len(codes)

    def climb(self, times, start, tolerance):
        shares = start
        for _ in range(200_000):
            margin = self.fits @ shares
            weight = np.divide(times, margin, out=np.zeros(len(times)), where=times > 0)
            before, shares = shares, shares * (weight @ self.fits) / times.sum()
            if np.abs(shares - before).max() < tolerance:
                return shares
        raise AssertionError


def kappa_of(table):
    """Cohen's kappa with quadratic weights, of the first two raters."""
    square = table.sum(axis=tuple(range(2, table.ndim)))
    apart = np.subtract.outer(np.arange(len(square)), np.arange(len(square))) ** 2
    by_chance = np.outer(square.sum(axis=1), square.sum(axis=0))
    return 1 - (apart * square).sum() / (apart * by_chance).sum()


# --- the distribution ------------------------------------------------------------------------


def test_complete_ratings_are_their_own_distribution(codes):
    expected = np.zeros((3, 3, 3))
    np.add.at(expected, tuple(codes), 1 / 80)
    found = joint_distribution(complete(rows_of(codes, 3)))
    assert found.converged
    assert_allclose(dense(found, 3), expected, atol=1e-12)


def test_two_raters_of_whom_one_rated_everything(codes):
    """The closed form: p(k) of all items times p(l | k) of the complete ones."""
    first, second = codes[0], np.where((codes[0] == 2) & (np.arange(80) % 3 > 0), -1, codes[1])
    table = np.zeros((3, 3))
    seen = second >= 0
    np.add.at(table, (first[seen], second[seen]), 1)
    expected = np.bincount(first) / 80
    expected = expected[:, None] * table / table.sum(axis=1, keepdims=True)
    found = joint_distribution(complete(rows_of([first, second], 3)))
    assert_allclose(dense(found, 3), expected, atol=1e-8)


@each("n_raters", [2, 3, 4])
@each("seed", range(4))
def test_it_is_the_em_of_the_dense_table(n_raters, seed):
    codes = agreeing(n_raters, 60, 3, 0.25, seed)
    em = DenseEM(codes, 3)
    expected = em.climb(np.ones(em.rated.sum()), em.start, missing.TOLERANCE)
    found = joint_distribution(complete(rows_of(codes, 3)))
    assert_allclose(dense(found, 3).reshape(-1), expected, atol=1e-8)


def test_what_ratings_do_not_determine_keeps_to_the_start():
    """Category 2 of the first occurs in incomplete rows only."""
    first = np.array([0, 0, 1, 1, 0, 2, 2, 2])
    second = np.array([0, 1, 1, 1, 0, -1, -1, -1])
    found = dense(joint_distribution(complete(rows_of([first, second], 3))), 3)
    assert_allclose(found[2], np.array([2, 3, 0]) / 5 * 3 / 8, atol=1e-12)


@each("share_missing", [0.1, 0.25])
def test_six_raters_are_at_the_maximum_of_the_likelihood(share_missing):
    """Slopes at the maximum of a concave function: 1 where there is a share, else below."""
    completions = complete(rows_of(agreeing(6, 1000, 5, share_missing, 0), 5))
    found = joint_distribution(completions)
    assert found.converged
    assert_allclose(found.shares.sum(), 1, atol=1e-9)
    count = completions.rows.count
    per_share = count / (found.completions.fits @ found.shares) / count.sum()
    assert (completions.fits.T @ per_share).max() < 1 + 1e-3
    kept = found.completions.fits.T @ per_share
    assert_allclose(kept[found.shares > 1e-4], 1, atol=1e-3)


def test_a_row_without_ratings_says_nothing(codes):
    padded = np.concatenate([codes, np.full((3, 4), -1)], axis=1)
    found, plain = (joint_distribution(complete(rows_of(one, 3))) for one in (padded, codes))
    assert_allclose(found.shares, plain.shares)


def test_a_rater_without_ratings_is_left_missing(codes):
    absent = np.concatenate([codes, np.full((1, 80), -1)])
    found, plain = (joint_distribution(complete(rows_of(one, 3))) for one in (absent, codes))
    assert (found.completions.codes[3] == -1).all()
    assert_allclose(found.shares, plain.shares)


def test_hundreds_of_raters_do_not_underflow():
    """All 300 gave one item of twenty a category of its own: 1 / 20 to the power of 300."""
    codes = agreeing(300, 20, 4, 0.0, 0)
    codes[:, 0] = 4
    codes[0, :10] = -1
    found = joint_distribution(complete(rows_of(codes, 5)))
    assert_allclose(found.completions.fits @ found.shares, 1 / 20, atol=1e-9)


def test_the_size_is_that_of_the_list():
    codes = agreeing(4, 200, 4, 0.3, 1)
    codes[2, :100] = np.where(codes[2, :100] == 3, -1, codes[2, :100])
    group = np.repeat([0, 1], 100)
    n_rows, n_completions = size_of(RatingRows(codes, np.ones(200), group, 2, 4))
    for g in range(2):
        fits = complete(rows_of(codes[:, group == g], 4)).fits
        assert (n_rows[g], n_completions[g]) == (fits.shape[0], fits.nnz)


# --- the standard error ----------------------------------------------------------------------


def test_every_row_is_left_out_once(codes):
    codes[0, :20] = -1
    completions = complete(rows_of(codes, 3))
    blocks = list(without_one(completions))
    assert sum(len(one.part) for one in blocks) == len(completions.rows.count)
    for one in blocks:
        assert one.converged
        assert_allclose(one.part, 1)
        assert_allclose(one.shares.sum(axis=0), 1, atol=1e-9)
        assert not one.silent.any()


def test_blocks_make_no_difference(codes, monkeypatch):
    codes[0, :20] = -1
    rows, scale = rows_of(codes, 3), scale_of("quadratic", 3)
    whole = summarise_missing(rows, scale, COHEN, [(0, 1)], **OPTIONS)
    monkeypatch.setattr(missing, "BLOCK", 200)
    assert len(list(without_one(complete(rows)))) > 3
    blocks = summarise_missing(rows, scale, COHEN, [(0, 1)], **OPTIONS)
    assert_allclose(blocks.se, whole.se, rtol=1e-5)


def error_of_dense(codes, k):
    """Leave out every item in turn, and estimate the dense table as if it had never been."""
    n = codes.shape[1]
    left_out = np.empty(n)
    for i in range(n):
        em = DenseEM(np.delete(codes, i, axis=1), k)
        left_out[i] = kappa_of(em.climb(np.ones(n - 1), em.start, 1e-8).reshape(em.shape))
    return np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())


@each(("n_raters", "seed"), [(2, 0), (2, 1), (3, 2), (3, 3), (4, 4)])
def test_the_error_is_that_of_the_dense_jackknife(n_raters, seed):
    codes = agreeing(n_raters, 60, 3, 0.25, seed)
    codes = codes[:, (codes >= 0).any(axis=0)]
    scale = scale_of("quadratic", 3)
    found = summarise_missing(rows_of(codes, 3), scale, COHEN, [(0, 1)], **OPTIONS)
    assert_allclose(found.se, error_of_dense(codes, 3), rtol=5e-3)


@st.composite
def small(draw):
    """Few items of two to four raters, of two or three categories, some ratings missing."""
    n_raters, k = draw(st.integers(2, 4)), draw(st.integers(2, 3))
    item = st.lists(
        st.integers(-1, k - 1) | st.integers(0, k - 1), min_size=n_raters, max_size=n_raters
    ).filter(lambda ratings: max(ratings) >= 0)
    items = draw(st.lists(item, min_size=3, max_size=9))
    return np.array(items).T, k


@settings(max_examples=6)
@given(small(), st.sampled_from([None, "linear", "quadratic"]))
def test_the_error_is_that_of_calling_again_without_each_item(sample, weights):
    """For every coefficient, and NaN where one of these calls is."""
    codes, k = sample
    n, scale = codes.shape[1], scale_of(weights, k)
    options = {"by_items": True, **OPTIONS}

    def of_pairs(codes):
        return summarise_missing(rows_of(codes, k), scale, COHEN, [(0, 1)], **OPTIONS)

    def of_all(codes):
        return summarise_many_missing(rows_of(codes, k), scale, MULTIRATER, **options)

    without = [np.delete(codes, i, axis=1) for i in range(n)]
    pairs, many = [of_pairs(one) for one in without], [of_all(one) for one in without]
    found = {"pair": of_pairs(codes), **of_all(codes)}
    assume(all(one["percent"].reason[0] != "not_converged" for one in [found, *many]))
    for name, whole in found.items():
        each = pairs if name == "pair" else [one[name] for one in many]
        left_out = np.concatenate([one.estimate for one in each])
        expected = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
        if whole.reason[0] in {"", "no_variance", "undefined_without"}:
            assert np.isnan(expected) == (whole.reason[0] == "undefined_without")
            assert_allclose(whole.se[0], expected, rtol=0.02, atol=0.005)
        else:
            assert np.isnan(whole.se[0])


def test_what_one_item_said_is_forgotten_without_it():
    """Only the first says how the second rates where the first rater said 0."""
    codes = np.array([[0, 1, 1, 1, 0, 0, 0], [0, 1, 1, 0, -1, -1, -1]])
    found = summarise_missing(rows_of(codes, 2), scale_of(None, 2), COHEN, [(0, 1)], **OPTIONS)
    assert_allclose(error_of_dense(codes, 2), 0.677, atol=5e-4)
    assert_allclose(found.se, error_of_dense(codes, 2), rtol=1e-3)


@each("codes", [[[0, 1, 0, 0], [0, 1, 0, -1]], [[0, 1, 1], [0, 1, 1]]])
def test_without_one_item_there_is_nothing_to_tell_apart(codes):
    """Category 1, or 0, occurs once: without it kappa is 0/0, and percent agreement is not."""
    rows, scale = rows_of(codes, 2), scale_of(None, 2)
    pair = summarise_missing(rows, scale, COHEN, [(0, 1)], **OPTIONS)
    many = summarise_many_missing(rows, scale, MULTIRATER, by_items=True, **OPTIONS)
    for one in (pair, many["fleiss"], many["conger"], many["light"], many["krippendorff"]):
        assert_allclose(one.estimate, 1)
        assert np.isnan([one.se, one.ci_low, one.ci_high, one.z, one.p_value]).all()
        assert one.reason.tolist() == ["undefined_without"]
    assert many["percent"].se.tolist() == [0]
    assert many["gwet"].reason.tolist() == [""]


def test_perfect_agreement_has_no_error():
    """Not one of the tolerance of the EM algorithm; limits are those with a pseudo-item."""
    rows = rows_of([[0, 0, 1, 1, 0, -1], [0, 0, 1, 1, -1, 1]], 2)
    pair = summarise_missing(rows, scale_of(None, 2), COHEN, [(0, 1)], **OPTIONS)
    many = summarise_many_missing(rows, scale_of(None, 2), MULTIRATER, by_items=True, **OPTIONS)
    for name, one in {"pair": pair, **many}.items():
        assert (one.estimate.item(), one.se.item(), one.ci_high.item()) == (1, 0, 1)
        assert one.ci_low < 0.9
        assert np.isnan(one.p_value.item()) == (name == "percent")
        assert one.reason.tolist() == [""]


def test_a_rater_of_one_item_is_gone_without_it():
    """The pair is undefined then, and all raters are the other two."""
    codes = np.array([[0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1], [0, -1, -1, -1, -1, -1]])
    silent = np.concatenate([one.silent for one in without_one(complete(rows_of(codes, 2)))], 1)
    assert silent.sum(axis=1).tolist() == [0, 0, 1]
    scale = scale_of(None, 2)
    pairs = summarise_missing(rows_of(codes, 2), scale, COHEN, [(0, 1), (0, 2)], **OPTIONS)
    assert pairs.se[0] > 0
    assert pairs.reason.tolist() == ["", "constant_rater"]


def test_no_groups_have_no_figures():
    rows = RatingRows(np.zeros((2, 0), dtype=int), np.ones(0), np.zeros(0, dtype=int), 0, 2)
    scale = scale_of(None, 2).take(np.zeros(0, dtype=int))
    assert len(summarise_missing(rows, scale, COHEN, [(0, 1)], **OPTIONS).estimate) == 0
    many = summarise_many_missing(rows, scale, MULTIRATER, by_items=True, **OPTIONS)
    assert {len(one.estimate) for one in many.values()} == {0}


def test_six_raters_have_errors():
    """Few ratings missing for nothing: as from the items that both raters rated."""
    rows, scale = rows_of(agreeing(6, 300, 4, 0.05, 0), 4), scale_of("quadratic", 4)
    found = summarise_missing(rows, scale, COHEN, [(0, 1), (4, 5)], **OPTIONS)
    for number, pair in enumerate([[0, 1], [4, 5]]):
        both = rows.codes[pair][:, (rows.codes[pair] >= 0).all(axis=0)]
        plain = summarise_missing(rows_of(both, 4), scale, COHEN, [(0, 1)], **OPTIONS)
        assert_allclose(found.estimate[number], plain.estimate[0], atol=plain.se[0])
        assert_allclose(found.se[number], plain.se[0], rtol=0.1)


def test_no_more_is_left_out_than_there_is(codes):
    codes[1, ::4] = -1
    rows = RatingRows(codes, np.full(80, 0.4), np.zeros(80, dtype=int), 1, 3)
    completions = complete(rows)
    ((_, shares, part, _, _),) = without_one(completions)
    assert_allclose(part, np.minimum(completions.rows.count, 1))
    assert part.min() == 0.4
    assert shares.min() >= 0
    assert_allclose(shares.sum(axis=0), 1, atol=1e-9)


def test_less_than_an_item_is_left_out_in_proportion():
    """A row that counts less than one item is as much of an item as it counts."""
    codes, count = np.indices((3, 3)).reshape(2, -1), np.linspace(0.9, 0.3, 9)
    rows = RatingRows(codes, count, np.zeros(9, dtype=int), 1, 3)
    found = summarise_missing(rows, scale_of("quadratic", 3), COHEN, [(0, 1)], **OPTIONS)
    rest = [count * (np.arange(9) != i) for i in range(9)]
    left_out, whole = (
        [kappa_of(one.reshape(3, 3) / one.sum()) for one in x] for x in (rest, [count])
    )
    change = (np.array(left_out) - whole) / count
    n, mean = count.sum(), (count * change).sum() / count.sum()
    variance = (n - 1) / n * (count * (change - mean) ** 2).sum()
    assert_allclose(found.se, np.sqrt(variance), rtol=1e-6)


@pytest.mark.parametrize("tolerance", ["TOLERANCE", "TOLERANCE_OF_ERRORS"])
def test_figures_without_convergence_are_unknown(codes, monkeypatch, tolerance):
    """Neither the distribution of all items nor those without one may fail."""
    codes[np.random.default_rng(1).random(codes.shape) < 0.3] = -1
    monkeypatch.setattr(missing, "MOST_STEPS", 1000)
    monkeypatch.setattr(missing, tolerance, 0.0)
    rows, scale = rows_of(codes, 3), scale_of("linear", 3)
    options = {"ci": "fisher", "level": 0.95}
    found = summarise_missing(rows, scale, COEFFICIENTS["cohen"], [(0, 1)], **options)
    many = summarise_many_missing(
        rows, scale, {"gwet": MULTIRATER["gwet"]}, by_items=True, **options
    )["gwet"]
    for one in (found, many):
        assert np.isnan([one.estimate, one.se, one.ci_low, one.ci_high, one.p_value]).all()
        assert one.reason[0] == "not_converged"


@each("name", MULTIRATER)
def test_complete_ratings_give_the_usual_estimates(codes, name):
    rows, scale, models = rows_of(codes, 3), scale_of("linear", 3), {name: MULTIRATER[name]}
    options = {"by_items": True, "ci": "fisher", "level": 0.95}
    plain = summarise_many(rows, scale, models, **options)[name]
    found = summarise_many_missing(rows, scale, models, **options)[name]
    assert_allclose(found.estimate, plain.estimate, atol=1e-9)
    assert_allclose(found.se, plain.se, rtol=0.05)
    assert found.n_ratings == plain.n_ratings


def test_it_removes_the_bias_of_ratings_missing_at_random():
    """B is missing where A is high: complete items understate kappa, the joint does not."""
    rng = np.random.default_rng(12)
    z = rng.standard_normal(40_000)
    cuts = [-1.28, -0.52, 0.52, 1.28]
    noise = 0.6 * rng.standard_normal((2, 40_000))
    a, b = np.searchsorted(cuts, 0.8 * z + noise[0]), np.searchsorted(cuts, 0.8 * z + noise[1])
    dropped = (np.abs(a - 2) == 2) & (rng.random(40_000) < 0.8)
    scale, cohen = scale_of("quadratic", 5), COEFFICIENTS["cohen"]

    def estimate(second):
        codes = np.stack([a, second])
        options = {"ci": "wald", "level": 0.95}
        found = summarise_missing(rows_of(codes, 5), scale, cohen, [(0, 1)], **options)
        return found.estimate[0]

    truth, em = estimate(b), estimate(np.where(dropped, -1, b))
    complete = ~dropped
    pairwise = estimate_complete(a[complete], b[complete], scale, cohen)
    assert truth - pairwise > 0.05
    assert abs(truth - em) < 0.02


def estimate_complete(a, b, scale, coefficient):
    codes = np.stack([a, b])
    options = {"ci": "wald", "level": 0.95}
    return summarise_missing(rows_of(codes, 5), scale, coefficient, [(0, 1)], **options).estimate[0]
