"""Disagreement weights: every matrix, and the closed forms that replace it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each, scale_of
from pdkappa.coefficients.weights import WEIGHTS, Scale, from_matrix

every_weighting = each("name", WEIGHTS)
closed_forms = each(
    "name", [name for name, weighting in WEIGHTS.items() if weighting.spread is not None]
)
both_powers = each("power", [1, 2])

# Positions that increase and are not negative, as the ratio needs them; gaps of 1 to 4.
scores_of = st.builds(
    lambda start, gaps: start + np.concatenate([[0.0], np.cumsum(gaps)]),
    st.integers(0, 3),
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
)


def agreement(scale, table=0):
    """Return weights of agreement, 1 for the same category and 0 for the farthest."""
    apart = scale.matrix(table)
    return 1 - apart / apart.max()


# Python irrCAC 0.4.4, Weights([1, 2, 4, 7]), to 8 digits: the upper triangle by rows.
IRRCAC_1247 = {
    None: [0, 0, 0, 0, 0, 0],
    "linear": [0.83333333, 0.5, 0, 0.66666667, 0.16666667, 0.5],
    "quadratic": [0.97222222, 0.75, 0, 0.88888889, 0.30555556, 0.75],
    "ordinal": [0.83333333, 0.5, 0, 0.83333333, 0.5, 0.83333333],
    "radical": [0.59175171, 0.29289322, 0, 0.42264973, 0.08712907, 0.29289322],
    "ratio": [0.80246914, 0.36, 0, 0.80246914, 0.45130316, 0.8677686],
    "circular": [0.80193774, 0, 0.80193774, 0.35689587, 0.35689587, 0],
    "bipolar": [0.90909091, 0.66666667, 0, 0.875, 0.28571429, 0.66666667],
}


@every_weighting
def test_a_gapped_scale_has_the_weights_of_irrcac(name):
    weights = agreement(scale_of(name, [1, 2, 4, 7]))
    assert_allclose(weights[np.triu_indices(4, 1)], IRRCAC_1247[name], atol=5e-9)
    assert_array_equal(weights, weights.T)


# The formulas of Gwet (2014), chapter 3, in weights of agreement, with loops.
def gwet_identity(k, m, s):  # noqa: ARG001
    return float(k == m)


def gwet_linear(k, m, s):
    return 1 - abs(s[k] - s[m]) / (max(s) - min(s))


def gwet_quadratic(k, m, s):
    return 1 - ((s[k] - s[m]) / (max(s) - min(s))) ** 2


def gwet_ordinal(k, m, s):
    pairs = sum(1 for i in range(min(k, m), max(k, m) + 1) for j in range(min(k, m), i))
    return 1 - pairs / sum(1 for i in range(len(s)) for j in range(i))


def gwet_radical(k, m, s):
    return 1 - abs(s[k] - s[m]) ** 0.5 / (max(s) - min(s)) ** 0.5


def gwet_ratio(k, m, s):
    if k == m:
        return 1.0
    ends = (max(s) - min(s)) / (max(s) + min(s))
    return 1 - ((s[k] - s[m]) / (s[k] + s[m]) / ends) ** 2


def gwet_circular(k, m, s):
    turn = np.pi / (max(s) - min(s) + 1)
    chords = [np.sin(turn * (x - y)) ** 2 for x in s for y in s]
    return 1 - np.sin(turn * (s[k] - s[m])) ** 2 / max(chords)


def gwet_bipolar(k, m, s):
    def apart(x, y):
        if x == y:
            return 0.0
        return (x - y) ** 2 / ((x + y - 2 * min(s)) * (2 * max(s) - x - y))

    return 1 - apart(s[k], s[m]) / max(apart(x, y) for x in s for y in s)


GWET = {
    None: gwet_identity,
    "linear": gwet_linear,
    "quadratic": gwet_quadratic,
    "ordinal": gwet_ordinal,
    "radical": gwet_radical,
    "ratio": gwet_ratio,
    "circular": gwet_circular,
    "bipolar": gwet_bipolar,
}


@given(scores=scores_of)
@every_weighting
def test_every_matrix_is_the_formula_of_gwet(name, scores):
    k = range(len(scores))
    expected = [[GWET[name](i, j, scores.tolist()) for j in k] for i in k]
    assert_allclose(agreement(scale_of(name, scores)), expected, atol=1e-12)


@given(scores=scores_of)
@every_weighting
def test_largest_is_the_maximum_of_the_matrix(name, scores):
    scale = scale_of(name, scores)
    assert_allclose(scale.largest, [scale.matrix().max()], rtol=1e-14)


@given(scores=scores_of)
@every_weighting
def test_what_is_called_convex_satisfies_the_monge_condition(name, scores):
    """Keeping the order of two pairs never costs more than crossing them."""
    d = scale_of(name, scores).matrix()
    kept, crossed = d[:-1, :-1] + d[1:, 1:], d[:-1, 1:] + d[1:, :-1]
    if WEIGHTS[name].convex:
        assert (kept <= crossed + 1e-12).all()


@given(
    scores=scores_of, share=st.floats(1e-3, 1e6), unit=st.floats(0.01, 100), place=st.integers(0, 6)
)
@every_weighting
@both_powers
def test_a_category_is_not_apart_from_itself(name, power, *, scores, share, unit, place):
    """Exactly zero: what decides whether a coefficient is 0/0 must not be rounding error."""
    place, shares = min(place, len(scores) - 1), np.zeros((1, len(scores)))
    shares[0, place] = share
    assert scale_of(name, scores * unit).spread(shares, power)[0, place] == 0


@st.composite
def shares_on(draw, n_tables, n_categories):
    """Draw shares of the categories, with empty ones, shape (S, K)."""
    counts = draw(arrays(np.int64, (n_tables, n_categories), elements=st.integers(0, 9)))
    counts[:, draw(st.integers(0, n_categories - 1))] += 1
    return counts / counts.sum(axis=1, keepdims=True)


@st.composite
def shared(draw):
    """Draw one scale for three tables, and shares."""
    scores = draw(scores_of)
    return scores, draw(shares_on(3, len(scores)))


@st.composite
def per_table(draw):
    """Draw three scales of the same length but with other categories in use, and shares."""
    scores = draw(scores_of)
    k = len(scores)
    in_use = draw(arrays(np.bool_, (3, k)))
    in_use[:, draw(st.integers(0, k - 1))] = True
    shares = np.where(in_use, draw(shares_on(3, k)) + 0.05, 0.0)
    stretch = draw(st.booleans())
    rows = np.stack([scores, scores * 2, scores + 1]) if stretch else scores[None]
    return rows, in_use, shares / shares.sum(axis=1, keepdims=True)


def mean_disagreement(d, shares, power):
    """Average with loops over both categories."""
    k = range(len(shares))
    return [sum(d[i, j] ** power * shares[j] for j in k) for i in k]


@given(drawn=shared())
@every_weighting
@both_powers
def test_spread_is_the_product_with_the_matrix(name, power, drawn):
    scores, shares = drawn
    scale = scale_of(name, scores)
    dense = [mean_disagreement(scale.matrix(), row, power) for row in shares]
    assert_allclose(scale.spread(shares, power), dense, rtol=1e-9, atol=1e-9)


@given(drawn=per_table())
@every_weighting
@both_powers
def test_spread_keeps_to_the_scale_of_each_table(name, power, drawn):
    scores, in_use, shares = drawn
    scale = scale_of(name, scores, in_use)
    spread = scale.spread(shares, power)
    assert spread.shape == shares.shape
    for table in range(3):
        used = in_use[table]
        own = scale_of(name, scores[table if len(scores) > 1 else 0][used])
        dense = mean_disagreement(own.matrix(), shares[table][used], power)
        assert_allclose(spread[table][used], dense, rtol=1e-9, atol=1e-9)


@given(drawn=per_table())
@every_weighting
def test_matrix_largest_and_between_keep_to_the_scale_of_each_table(name, drawn):
    scores, in_use, _ = drawn
    scale = scale_of(name, scores, in_use)
    assert_array_equal(scale.n_categories, in_use.sum(axis=1))
    for table in range(3):
        used = np.flatnonzero(in_use[table])
        own = scale_of(name, scores[table if len(scores) > 1 else 0][used])
        with np.errstate(all="ignore"):  # categories outside the scale may be anything
            matrix = scale.matrix(table)[np.ix_(used, used)]
        assert_allclose(matrix, own.matrix(), rtol=1e-12)
        assert_allclose(scale.largest[table], own.largest[0], rtol=1e-12)
        row, col = (side.reshape(-1) for side in np.meshgrid(used, used, indexing="ij"))
        cells = scale.between(np.full(len(row), table), row, col)
        assert_allclose(cells, own.matrix().reshape(-1), rtol=1e-12)


@given(drawn=per_table(), order=st.permutations([0, 1, 2]))
@every_weighting
def test_take_brings_the_scales_along(name, drawn, order):
    scores, in_use, shares = drawn
    scale = scale_of(name, scores, in_use)
    taken = scale.take(np.array(order[:2]))
    expected = scale.spread(shares)[order[:2]]
    used = in_use[order[:2]]
    assert_allclose(taken.spread(shares[order[:2]])[used], expected[used], rtol=1e-12, atol=1e-12)
    assert_array_equal(taken.largest, scale.largest[order[:2]])


@closed_forms
def test_closed_forms_do_without_the_matrix(name, monkeypatch):
    monkeypatch.setattr(Scale, "matrix", None)
    monkeypatch.setattr(Scale, "_from_category", None)
    scale = scale_of(name, np.arange(50_000.0))
    shares = np.full((1, 50_000), 1 / 50_000)
    assert scale.spread(shares).shape == (1, 50_000)
    expected = {None: 1, "linear": 49_999, "quadratic": 49_999**2}
    assert scale.largest == expected[name]


@given(
    d=arrays(np.float64, (4, 4), elements=st.floats(0, 10)),
    shares=shares_on(2, 4),
    power=st.sampled_from([1, 2]),
)
def test_a_given_matrix_is_looked_up(d, shares, power):
    d = np.triu(d, 1) + np.triu(d, 1).T
    scale = Scale(from_matrix(d), np.arange(4.0)[None], np.ones((1, 4), dtype=bool))
    assert_array_equal(scale.matrix(), d)
    dense = [mean_disagreement(d, row, power) for row in shares]
    assert_allclose(scale.spread(shares, power), dense, rtol=1e-12, atol=1e-12)
    assert scale.largest == (d.max() if d.any() else 1)


@every_weighting
@each("score", [0.0, 1.0, 7.0])
def test_one_category_never_disagrees(name, score):
    scale = scale_of(name, [score])
    assert_array_equal(scale.matrix(), [[0.0]])
    assert_array_equal(scale.largest, [1.0])
    assert_array_equal(scale.spread(np.ones((3, 1))), np.zeros((3, 1)))
    assert_array_equal(scale.n_categories, [1])
    assert scale.low == scale.high == scale.scores


@every_weighting
def test_a_table_without_any_category_in_use(name):
    in_use = np.array([[True, True, False], [False, False, False]])
    scale = scale_of(name, [1, 2, 3], in_use)
    spread = scale.spread(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    assert_array_equal(spread[1], np.zeros(3))
    assert_allclose(spread[0, :2], spread[0, 0])
    assert scale.largest[1] == 1
