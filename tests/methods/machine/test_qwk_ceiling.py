"""Ceilings of qwk: their formulas, simulated scorers, messages."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa
from conftest import each, exactly
from pdkappa import errors


@each("reliability", [0.3, 0.7, 0.95, 1])
def test_formulas(reliability):
    r, r2 = reliability, 2 * reliability / (1 + reliability)
    found = pdkappa.plan.qwk_ceiling(reliability)
    assert_allclose(found["reliability"], [r, r2])
    assert_allclose(found["true_scores"], [2 * r / (1 + r), 2 * r2 / (1 + r2)])
    assert_allclose(found["human"], [r, 2 / (1 / r + 1 / r2)])
    assert (found["human"] <= found["true_scores"]).all()
    assert (found["true_scores"] <= found["greatest"]).all()


def test_simulated_scorers():
    """Of 100,000 items; a grid of spreads has its greatest kappa where it is said to be."""
    rng, n, r = np.random.default_rng(0), 100_000, 0.6
    true = rng.normal(size=n)
    humans = true + rng.normal(scale=np.sqrt(1 / r - 1), size=(4, n))
    for k in (1, 3):
        target = humans[:k].mean(axis=0)
        spreads = {f"spread {x:.2f}": x * true for x in np.linspace(0.8, 1.6, 41)}
        frame = pd.DataFrame({"target": target, "true": true, "human": humans[3], **spreads})
        qwk = {
            name: frame.kappa.scores.concordance(["target", name])["estimate"].item()
            for name in ("true", "human")
        }
        greatest = max(
            2 * np.cov(target, x)[0, 1] / (target.var() + x.var()) for x in spreads.values()
        )
        found = pdkappa.plan.qwk_ceiling(r, k).loc[k]
        expected = [found["true_scores"], found["human"], found["greatest"]]
        assert_allclose([qwk["true"], qwk["human"], greatest], expected, atol=0.01)


def test_messages():
    for wrong in (0, 1.2, "high", np.nan):
        message = (
            f"reliability={wrong!r} must be a number above 0 and up to 1: the part of the variance "
            "of human scores that is not error."
        )
        with pytest.raises(errors.OptionError, match=exactly(message)):
            pdkappa.plan.qwk_ceiling(wrong)
    for wrong in (0, 1.5, [1, "2"]):
        message = f"n_humans={wrong!r} must hold whole numbers from 1 upwards."
        with pytest.raises(errors.OptionError, match=exactly(message)):
            pdkappa.plan.qwk_ceiling(0.7, wrong)
