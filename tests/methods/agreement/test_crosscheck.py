"""The frame of the cross-check; that its numbers are right stands in `test_laws`."""

import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest

import pdkappa
from pdkappa.coefficients import pair_estimates as summary

RATINGS = pd.DataFrame({"a": [1, 2, 3, 1, 2], "b": [1, 3, 3, 2, 2], "c": [2, 2, 3, 1, 1]})


def test_a_maximum_that_was_not_computed_is_not_compared(monkeypatch):
    whole = RATINGS.kappa.crosscheck(weights="radical")
    monkeypatch.setattr(summary, "MOST_PROGRAMMES", 1)
    found = RATINGS.kappa.crosscheck(weights="radical")
    assert "max_estimate" in set(whole["statistic"])
    assert "max_estimate" not in set(found["statistic"])
    assert found["agrees"].dropna().all()


def test_limits_and_p_are_compared_too():
    """Limits beyond 1 are no kappas: statsmodels has them, and a note says so."""
    found = RATINGS.kappa.crosscheck(weights="radical")
    assert list(found)[:4] == ["rater_a", "rater_b", "statistic", "weights"]
    assert found["version"].tolist() == [*map(version, found["package"])]
    asked = found[found["rater_b"] == "c"].set_index(["rater_a", "statistic"])
    pairs = RATINGS.kappa.pairs(["b", "c"], weights="radical", ci="wald")
    for name in ("ci_low", "ci_high", "p_value"):
        ours = pairs if name != "p_value" else RATINGS.kappa.pairs(["b", "c"], weights="radical")
        assert asked.loc[("b", name), "estimate"] == ours[name].item()
        assert asked.loc[("b", name), "agrees"]
    beyond = asked.loc[("a", "ci_high")]
    assert (beyond["estimate"], beyond["reference"] > 1) == (1, True)
    assert pd.isna(beyond["agrees"])
    assert beyond["remark"] == (
        "With ci='wald', whose limits end at -1 and 1; those of statsmodels do not."
    )


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_test_without_an_error_is_not_compared():
    """It divides 0 by the root of a rounding error there: by 0, NaN or nearly 0."""
    alike = {"a": [2, 3, 4, 2], "b": [2, 3, 2, 4]}, {"a": [3, 4], "b": [3, 2]}
    for ratings in map(pd.DataFrame, alike):
        found = ratings.kappa.crosscheck(weights="linear").set_index("statistic")
        has_error = (found.loc[["se_null"], "estimate"] > 0).all()
        assert ("p_value" in found.index) == has_error
        assert found["agrees"].dropna().all()


def test_means_of_groups_of_unequal_size_are_those_of_statsmodels():
    rng = np.random.default_rng(0)
    first, other = rng.integers(0, 4, (2, 200))
    second = np.where(rng.random(200) < 0.7, first, other)
    frame = pd.DataFrame({"a": first, "b": second, "g": np.repeat(list("wxyz"), [20, 30, 60, 90])})
    found = frame.kappa.crosscheck(["a", "b"], by="g").set_index("statistic")
    means = found.loc[["fisher_mean", "fixed", "q"]]
    assert set(means["package"]) == {"statsmodels"}
    np.testing.assert_allclose(means["estimate"], means["reference"], rtol=1e-9)


def test_pairwise_refuses_options_of_what_it_does_not_show():
    """Each says which; with a `stat` that depends on it, it is obeyed."""
    unseen = {
        "ci": ("wald", "estimate", "ci_low"),
        "confidence_level": (0.9, "p_value", "ci_high"),
        "null": (0.2, "ci_low", "p_value"),
        "cluster": ([0, 0, 1, 1, 2], "estimate", "se"),
    }
    for name, (value, without, shown) in unseen.items():
        message = (
            f"{name}= has no effect: stat={without!r} does not depend on it. Pass another stat, "
            "such as 'ci_low', or leave it out."
        )
        with pytest.raises(pdkappa.errors.OptionError) as caught:
            RATINGS.kappa.pairwise(stat=without, **{name: value})
        assert str(caught.value) == message
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = RATINGS.kappa.pairwise(stat=shown, **{name: value})
            assert not found.equals(RATINGS.kappa.pairwise(stat=shown))
