"""Ratings of crowds, which stay listed, say the same as a wide frame of all raters."""

from __future__ import annotations

from unittest.mock import PropertyMock, patch

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa.coefficients.multirater import MULTIRATER
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.drilldown.core.categories import ADDITIVE
from pdkappa.methods.drilldown.core.items import LEAVE_ONE_OUT
from pdkappa.ratings.long import Listed

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
COLUMNS = {"item": "essay", "rater": "who", "rating": "score"}


def long_frame(n_items=40, n_raters=7, share=0.45):
    """Return ratings of few raters an item, some of one, with columns of the items."""
    rng = np.random.default_rng(20261122)
    truth = rng.integers(1, 5, n_items)
    item, rater = np.nonzero(rng.random((n_items, n_raters)) < share)
    frame = pd.DataFrame({"essay": item, "who": rater})
    frame["score"] = np.clip(truth[item] + rng.integers(-1, 2, len(item)), 1, 4)
    for name, values in {
        "site": rng.choice(["x", "y"], n_items),
        "author": np.arange(n_items) // 3,
        "times": rng.integers(0, 4, n_items),
    }.items():
        frame[name] = values[item]
    return frame.sample(frac=1, random_state=1)


LONG = long_frame()
RATINGS = pdkappa.from_long(LONG, **COLUMNS)
WEIGHT = np.linspace(0.5, 2, len(RATINGS.item_labels))
OPTIONS = [
    {},
    {"by": "site"},
    {"sample_weight": "times", "by": "site"},
    {"sample_weight": WEIGHT, "raters": [5, 0, 2, 3], "weight_type": "frequency"},
    {"sample_weight": "times", "weight_type": "probability", "cluster": "author", "by": "site"},
    {"cluster": "author", "missing": "listwise", "raters": [1, 4]},
    {"cluster": "author", "vary": "both"},
    {"shares": "ratings", "vary": "raters", "ci": "wald"},
    {"ci": "percentile", "n_resamples": 20, "rng": 1},
]


def both(call):
    """Return what a method gives for the list, and for the wide frame."""
    found = []
    for is_crowd in (True, False):
        with patch.object(Listed, "is_crowd", new_callable=PropertyMock, return_value=is_crowd):
            found.append(call(RATINGS))
    return found


def assert_same(call):
    found, expected = both(call)
    assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected), rtol=1e-11, atol=1e-13)


def test_agreement_by_every_weighting_and_option():
    for weights in [*WEIGHTS, "krippendorff_ordinal"]:
        named = {"coefficients": ["krippendorff"]} if weights not in WEIGHTS else {}
        for options in OPTIONS[:5] if weights == "quadratic" else OPTIONS[4:5]:
            assert_same(lambda x, o=options, n=named, w=weights: x.agreement(weights=w, **n, **o))
    for options in OPTIONS[5:]:
        assert_same(lambda x, o=options: x.agreement(**o))


def test_every_method_of_a_coefficient():
    options = {"by": "site", "sample_weight": "times"}
    assert_same(lambda x: x.influence(weights="linear", **options))
    for name in LEAVE_ONE_OUT:
        assert_same(lambda x, n=name: x.items(coefficient=n, weights="linear", **options))
    for name in ADDITIVE:
        assert_same(lambda x, n=name: x.categories(coefficient=n, **options))
        assert_same(lambda x, n=name: x.cuts(coefficient=n, **options))
    assert set(LEAVE_ONE_OUT) == set(MULTIRATER)


def test_raters_and_what_they_use():
    for options in OPTIONS[:5]:
        assert_same(lambda x, o=options: x.raters(weights="quadratic", **o))
    assert_same(lambda x: x.usage(by="site", sample_weight="times"))
    assert_same(lambda x: x.items(columns=["site"], id="author"))
