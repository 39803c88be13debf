"""P-values adjusted for their number."""

import inspect

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from conftest import each, function_of, methods
from pdkappa.methods.estimates.options import with_adjusted

P_VALUES = [0.001, np.nan, 0.012, 0.03, 0.031, 0.2]
# R 4.2.2, stats::p.adjust(c(.001, .012, .03, .031, .2), method), 10 digits.
OF_R = {
    "bonferroni": [0.005, 0.06, 0.15, 0.155, 1.0],
    "holm": [0.005, 0.048, 0.09, 0.09, 0.2],
    "simes-hochberg": [0.005, 0.048, 0.062, 0.062, 0.2],
    "hommel": [0.005, 0.04133333333, 0.06, 0.062, 0.2],
    "fdr_bh": [0.005, 0.03, 0.03875, 0.03875, 0.2],
    "fdr_by": [0.01141666667, 0.0685, 0.08847916667, 0.08847916667, 0.45666666667],
}
CALLS = {
    "agreement": {"raters": list("abc"), "coefficients": ["percent", "fleiss", "gwet"]},
    "machine.ceiling": {"machine": ["a", "d"], "humans": ["b", "c"], "by": "g"},
    "compare": {"first": ("a", "b"), "second": ("a", "c"), "by": "g"},
    "compare_groups": {"raters": ["a", "b"], "by": "g"},
    "homogeneity": {"raters": list("abc"), "by": "g"},
    "pairs": {"by": "g"},
    "raters": {"by": "g"},
}


def ratings():
    """Return raters who agree more or less, in three groups; in the last, a is constant."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    frame = pd.DataFrame({name: np.where(rng.random(60) < 0.6, truth, 1) for name in "abcd"})
    frame.loc[40:, "a"] = 1
    return frame.assign(g=np.repeat(["x", "y", "z"], 20))


@each(("method", "expected"), OF_R.items())
def test_adjusted_p_values_are_those_of_r(method, expected):
    frame = with_adjusted(pd.DataFrame({"p_value": P_VALUES, "reason": ""}), method)
    assert list(frame) == ["p_value", "p_adjusted", "reason"]
    expected = [expected[0], np.nan, *expected[1:]]
    np.testing.assert_allclose(frame["p_adjusted"], expected, rtol=1e-9)


def test_every_family_of_tests_can_be_adjusted():
    takes = {
        name for name, one in methods().items() if "p_adjust" in inspect.signature(one).parameters
    }
    assert takes == CALLS.keys()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("name", CALLS)
def test_the_family_are_all_rows_that_have_a_test(name):
    options = CALLS[name]
    plain = function_of(name)(ratings(), **options)
    found = function_of(name)(ratings(), **options, p_adjust="holm-sidak")
    assert list(found).index("p_adjusted") == list(found).index("p_value") + 1
    assert found.attrs["raters"] == plain.attrs["raters"]
    adjusted = found.pop("p_adjusted")
    assert plain.pop("p_adjusted").isna().all()
    assert_frame_equal(found, plain)
    family = np.sort(plain["p_value"].dropna())
    sidak = 1 - (1 - family) ** np.arange(len(family), 0, -1)
    expected = np.minimum(np.maximum.accumulate(sidak), 1)
    np.testing.assert_allclose(np.sort(adjusted.dropna()), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(adjusted.isna(), plain["p_value"].isna())


def test_frames_without_a_test_have_nothing_to_adjust():
    found = ratings().kappa.agreement(list("abc"), coefficients="percent", p_adjust="holm")
    assert found["p_adjusted"].isna().all()


def test_a_method_that_is_not_known_is_told(refuses):
    with refuses():
        ratings().kappa.pairs(p_adjust="BH")
