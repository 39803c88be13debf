"""Accuracy, F1, log loss and average precision: brute force, laws, and edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.methods.predictions.inputs import (
    LabelSets,
    Ranking,
    average_precision,
    label_scores,
)

nan = float("nan")
N_LABELS = 4
SETS = [(), (0,), (1,), (3,), (0, 1), (1, 2), (0, 2, 3), (0, 1, 2, 3)]

weights_of_sets = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, len(SETS) - 1),
        st.integers(0, len(SETS) - 1),
        st.sampled_from([1.0, 2.0, 0.25]),
    ),
    min_size=1,
    max_size=12,
)


def sets_of(sets):
    """Put tuples of labels into one array."""
    start = np.concatenate([[0], np.cumsum([len(labels) for labels in sets], dtype=np.int64)])
    return LabelSets(start, np.array([x for labels in sets for x in labels], dtype=np.int64))


def counts_of(items):
    """Cross-tabulate items of two groups."""
    group, true, predicted, weight = (np.array(x) for x in zip(*items, strict=True))
    return count_pairs(
        np.stack([true, predicted]),
        len(SETS),
        pairs=[(0, 1)],
        groups=group,
        n_groups=2,
        weights=weight,
    )


def f1(hits, labels):
    """Return the F1, or NaN where it is 0/0."""
    return 2 * hits / labels if labels else nan


def average(values, weights):
    """Average what is not NaN."""
    pairs = [(v, w) for v, w in zip(values, weights, strict=True) if not np.isnan(v)]
    return sum(v * w for v, w in pairs) / sum(w for _, w in pairs) if pairs else nan


# --- labels ------------------------------------------------------------------------------------


@given(weights_of_sets)
def test_labels_by_brute_force(items):
    found = label_scores(counts_of(items), sets_of(SETS))
    for group in (0, 1):
        mine = [(set(SETS[t]), set(SETS[p]), w) for g, t, p, w in items if g == group]
        weights = [w for *_, w in mine]
        by_item = [f1(len(t & p), len(t) + len(p)) for t, p, _ in mine]
        by_label = [
            f1(
                sum(w for t, p, w in mine if label in t & p),
                sum(w * ((label in t) + (label in p)) for t, p, w in mine),
            )
            for label in range(N_LABELS)
        ]
        hits = sum(w * len(t & p) for t, p, w in mine)
        assert_allclose(found.accuracy[group], average([t == p for t, p, _ in mine], weights))
        assert_allclose(found.mean_f1[group], average(by_item, weights))
        assert_allclose(found.macro_f1[group], average(by_label, [1] * N_LABELS))
        assert_allclose(
            found.micro_f1[group], f1(hits, sum(w * (len(t) + len(p)) for t, p, w in mine))
        )


# --- probabilities -----------------------------------------------------------------------------


# --- rankings ----------------------------------------------------------------------------------

rankings = st.lists(
    st.tuples(st.integers(0, len(SETS) - 1), st.lists(st.integers(-1, N_LABELS - 1), max_size=6)),
    min_size=1,
    max_size=8,
)


def ranking_of(lists):
    """Put lists of labels one behind the other."""
    item = [number for number, labels in enumerate(lists) for _ in labels]
    place = [place for labels in lists for place in range(1, len(labels) + 1)]
    label = [label for labels in lists for label in labels]
    return Ranking(*(np.array(x, dtype=np.int64) for x in (item, place, label)))


def slow_average_precision(true, ranked, k):
    """Follow the definition with loops, as ml_metrics does."""
    if not true:
        return nan
    hits, score = 0, 0.0
    for place, label in enumerate(ranked[:k]):
        if label in true and label not in ranked[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(true), k)


@given(rankings, st.integers(1, 7))
def test_average_precision_by_brute_force(items, k):
    truth = np.array([true for true, _ in items])
    lists = [ranked for _, ranked in items]
    found = average_precision(sets_of(SETS), truth, ranking_of(lists), k, N_LABELS)
    expected = [slow_average_precision(SETS[t], ranked, k) for t, ranked in items]
    assert_allclose(found, expected)


# --- means -------------------------------------------------------------------------------------
