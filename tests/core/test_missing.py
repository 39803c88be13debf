"""The joint distribution of raters with missing ratings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.emsummary import summarise_many_missing, summarise_missing
from pdkappa.core.manysummary import summarise_many
from pdkappa.core.missing import joint_distribution, pair_tables_of, tabulate, without_one
from pdkappa.core.multirater import MULTIRATER
from pdkappa.core.rows import RatingRows
from pdkappa.core.weights import WEIGHTS, Scale


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


def log_likelihood(joint, tables):
    total = 0.0
    for missing, table in tables.items():
        margin = joint.sum(axis=tuple(rater + 1 for rater in missing), keepdims=True)
        seen = table > 0
        total += (table[seen] * np.log(margin[seen])).sum()
    return total


def test_complete_ratings_are_their_own_distribution(codes):
    tables = tabulate(rows_of(codes, 3))
    assert list(tables) == [()]
    assert_allclose(joint_distribution(tables), tables[()] / 80, atol=1e-12)


def test_two_raters_of_whom_one_rated_everything(codes):
    """The closed form: p(k) of all items times p(l | k) of the complete ones."""
    first, second = codes[0], np.where((codes[0] == 2) & (np.arange(80) % 3 > 0), -1, codes[1])
    table = np.zeros((3, 3))
    seen = second >= 0
    np.add.at(table, (first[seen], second[seen]), 1)
    expected = np.bincount(first) / 80
    expected = expected[:, None] * table / table.sum(axis=1, keepdims=True)
    found = joint_distribution(tabulate(rows_of([first, second], 3)))[0]
    assert_allclose(found, expected, atol=1e-8)


def test_it_is_a_maximum_of_the_likelihood(codes):
    rng = np.random.default_rng(1)
    codes[rng.random(codes.shape) < 0.3] = -1
    tables = tabulate(rows_of(codes, 3))
    joint = joint_distribution(tables)
    assert_allclose(joint.sum(), 1, atol=1e-12)
    best = log_likelihood(joint, tables)
    for _ in range(50):
        other = joint * np.exp(rng.normal(0, 0.05, joint.shape))
        assert log_likelihood(other / other.sum(), tables) <= best + 1e-6


def test_a_row_without_ratings_says_nothing(codes):
    padded = np.concatenate([codes, np.full((3, 4), -1)], axis=1)
    assert_allclose(
        joint_distribution(tabulate(rows_of(padded, 3))),
        joint_distribution(tabulate(rows_of(codes, 3))),
    )


def test_every_row_is_left_out_once(codes):
    codes[0, :20] = -1
    tables = tabulate(rows_of(codes, 3))
    times = np.concatenate([occurs for _, occurs in without_one(tables)])
    assert times.sum() == 80
    assert len(times) == sum((table > 0).sum() for table in tables.values())
    for changed, _ in without_one(tables):
        totals = sum(table.reshape(len(table), -1).sum(axis=1) for table in changed.values())
        assert_allclose(totals, 79)


def test_pairs_are_margins(codes):
    joint = joint_distribution(tabulate(rows_of(codes, 3)))
    tables = pair_tables_of(joint, [(0, 2), (1, 1)])[0]
    assert_allclose(tables[0], joint[0].sum(axis=1))
    assert_allclose(tables[1], np.diag(joint[0].sum(axis=(0, 2))))


@pytest.mark.parametrize("name", MULTIRATER)
def test_complete_ratings_give_the_usual_estimates(codes, name):
    rows, scale, models = rows_of(codes, 3), scale_of("linear", 3), {name: MULTIRATER[name]}
    options = {"by_items": True, "ci": "fisher", "level": 0.95}
    plain = summarise_many(rows, scale, models, **options)[name]
    found = summarise_many_missing(rows, scale, models, **options)[name]
    assert_allclose(found.estimate, plain.estimate, atol=1e-9)
    assert_allclose(found.se, plain.se, rtol=0.05)
    assert found.n_ratings == plain.n_ratings


def test_the_error_is_that_of_leaving_out_every_item(codes):
    rng = np.random.default_rng(3)
    codes = codes[:2, :30]
    codes[1, rng.random(30) < 0.3] = -1
    scale, cohen = scale_of("quadratic", 3), COEFFICIENTS["cohen"]
    options = {"ci": "fisher", "level": 0.95}
    found = summarise_missing(rows_of(codes, 3), scale, cohen, [(0, 1)], **options)
    left_out = np.array(
        [
            summarise_missing(
                rows_of(np.delete(codes, i, axis=1), 3), scale, cohen, [(0, 1)], **options
            ).estimate[0]
            for i in range(30)
        ]
    )
    expected = np.sqrt(29 / 30 * ((left_out - left_out.mean()) ** 2).sum())
    assert_allclose(found.se, expected, rtol=1e-3)


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
