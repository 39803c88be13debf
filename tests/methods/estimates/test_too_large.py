"""What would take hours is refused before it starts."""

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import function_of
from pdkappa.methods.estimates import options as intervals
from pdkappa.methods.estimates import pair_frames as checks

RNG = np.random.default_rng(2)
DATA = pd.DataFrame(RNG.integers(0, 3, (40, 5)), columns=list("abcde"))


def said(function, *args, **options):
    with pytest.raises(pdkappa.errors.TooLargeError) as caught:
        function(DATA, *args, **options)
    return str(caught.value)


def test_functions_of_every_pair(monkeypatch):
    monkeypatch.setattr(checks, "MOST_PAIRS", 9)
    for name, options in {"scores.concordance": {}, "scores.within": {"tolerance": 1}}.items():
        assert said(function_of(name), **options) == (
            f"{name[7:]} takes a millisecond for each of the 10 pairs of 5 raters; "
            "the limit is 9 pairs. Pass fewer raters."
        )
        function_of(name)(DATA, list("abcd"), **options)


def test_resamples(monkeypatch):
    monkeypatch.setattr(intervals, "MOST_REDRAWN", 800)
    monkeypatch.setattr(intervals, "MOST_LEFT_OUT", 100)
    for method, n in ((function_of("pairs"), 10), (function_of("agreement"), 7)):
        assert said(method, ci="percentile", n_resamples=200) == (
            f"200 resamples of {n} coefficients take too long; the limit is 800 in all. "
            "Use ci='auto', fewer raters or a smaller n_resamples."
        )
        method(DATA, ci="percentile", n_resamples=80, rng=1)
    n = len(DATA.drop_duplicates()) ** 2 * 5
    assert said(function_of("agreement"), ci="jackknife") == (
        f"ci='jackknife' leaves out one item at a time and counts the others, {n} ratings in all, "
        "which takes too long; the limit is 100. Use ci='auto'."
    )
    monkeypatch.setattr(intervals, "MOST_LEFT_OUT", 5 * 2 * 40)
    with pytest.warns(pdkappa.errors.FewClustersWarning):  # two of them, of 40 items by 5 raters
        function_of("agreement")(DATA, ci="jackknife", cluster=np.arange(40) // 20)
    DATA.kappa.pairs(ci="jackknife")
