"""Numbers of items of an intraclass correlation: published ones, simulated power, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import pdkappa
from conftest import each, raising

FORMS = ["ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"]


# --- Values from elsewhere ---------------------------------------------------------------------


def walter(null, icc, n_raters, level=0.95, power=0.8):
    """Approximate the number of items (Walter, Eliasziw & Donner, 1998, equation 16)."""
    odds = [one / (1 - one) for one in (null, icc)]
    ratio = math.log((1 + n_raters * odds[0]) / (1 + n_raters * odds[1]))
    quantiles = stats.norm.ppf(level) + stats.norm.ppf(power)
    return 1 + 2 * quantiles**2 * n_raters / (ratio**2 * (n_raters - 1))


def bonett(icc, width, n_raters, level=0.95):
    """Approximate the number of items (Bonett, 2002, formula 3)."""
    z = stats.norm.ppf((1 + level) / 2)
    spread = (1 - icc) * (1 + (n_raters - 1) * icc)
    return 8 * z**2 * spread**2 / (n_raters * (n_raters - 1) * width**2) + 1


@each("icc", [0.7, 0.8, 0.9])
def test_power_is_that_of_walter_and_others(icc):
    for null in (0.2, 0.4, 0.6):
        for n_raters in (2, 3, 5, 10):
            exact = pdkappa.plan.sample_size_icc(
                icc, null=null, n_raters=n_raters, alternative="one-sided"
            ).exact
            assert exact == pytest.approx(walter(null, icc, n_raters), abs=2.5)


def test_published_numbers():
    """39 items (Walter et al., 1998); 55 and 20 (Bonett, 2002; 20 is his approximation)."""
    assert int(pdkappa.plan.sample_size_icc(0.8, null=0.6, alternative="one-sided")) == 39
    assert pdkappa.plan.sample_size_icc(0.8, half_width=0.1).exact == pytest.approx(55, abs=0.2)
    four = pdkappa.plan.sample_size_icc(0.85, half_width=0.1, n_raters=4)
    assert four.exact == pytest.approx(20, abs=1.5)


@pytest.mark.parametrize(("icc", "n_raters"), [(0.3, 3), (0.7, 5)])
def test_precision_is_that_of_bonett(icc, n_raters):
    exact = pdkappa.plan.sample_size_icc(icc, half_width=0.05, n_raters=n_raters).exact
    assert exact == pytest.approx(bonett(icc, 0.1, n_raters), rel=0.02)


# --- Simulation --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_the_power_and_width_are_those_of_simulated_studies(form):
    n_raters, icc, null, n_studies = 3, 0.75, 0.5, 4000
    found = pdkappa.plan.sample_size_icc(icc, null=null, n_raters=n_raters, form=form)
    single = icc / (n_raters - (n_raters - 1) * icc) if form.endswith("k)") else icc
    rng, n = np.random.default_rng(3), int(found)
    items = rng.normal(size=(n_studies, n, 1)) * math.sqrt(single / (1 - single))
    scores = items + rng.normal(size=(n_studies, n, n_raters))
    two_way = "C" in form
    raters = rng.normal(size=(n_studies, 1, n_raters)) if two_way else 0
    scores = scores + raters
    means = scores.mean(axis=2, keepdims=True)
    rest = scores - means
    if two_way:
        rest = rest - rest.mean(axis=1, keepdims=True)
    degrees = n - 1, (n - 1 if two_way else n) * (n_raters - 1)
    ratio = n_raters * means[..., 0].var(axis=1, ddof=1) / ((rest**2).sum((1, 2)) / degrees[1])
    one = 0 if form.endswith("k)") else n_raters - 1
    low, high = (
        (edge - 1) / (edge + one) for edge in (ratio / stats.f.ppf([[0.975], [0.025]], *degrees))
    )
    assert ((low > null) | (high < null)).mean() == pytest.approx(0.8, abs=0.02)
    half = ((high - low) / 2).mean()
    again = pdkappa.plan.sample_size_icc(icc, half_width=half, n_raters=n_raters, form=form)
    assert again.exact == pytest.approx(n, rel=0.03)


# --- Laws --------------------------------------------------------------------------------------


@each("form", FORMS)
def test_power_is_the_inverse(form):
    for null in (0.3, 0.9):
        for alternative in ("two-sided", "one-sided"):
            options = {"n_raters": 4, "form": form, "alternative": alternative}
            found = pdkappa.plan.sample_size_icc(0.7, null=null, power=0.9, **options)
            powers = [
                pdkappa.plan.power_icc(found.n_items - one, 0.7, null, **options) for one in (1, 0)
            ]
            assert powers[0] < 0.9 <= powers[1]


def test_a_mean_of_raters_is_tested_as_a_single_one():
    single = pdkappa.plan.sample_size_icc(0.5, null=0.25, n_raters=2).exact
    mean = pdkappa.plan.sample_size_icc(2 / 3, null=0.4, n_raters=2, form="ICC(1,k)").exact
    assert mean == pytest.approx(single)


# --- What is refused ---------------------------------------------------------------------------

REFUSED = {
    "no goal": {"icc": 0.5},
    "icc": {"icc": 1, "null": 0.2},
    "null": {"icc": 0.5, "null": -0.5, "n_raters": 3},
    "mean": {"icc": "x", "null": -0.5, "form": "ICC(C,k)"},
    "same": {"icc": 0.5, "null": 0.5},
    "raters": {"icc": 0.5, "null": 0.2, "n_raters": 1},
    "agreement": {"icc": 0.5, "null": 0.2, "form": "ICC(A,1)"},
    "too many": {"icc": 0.5, "null": 0.5 - 1e-8},
}


@raising("icc_size", REFUSED)
def test_the_whole_message(call, refused):
    with refused():
        pdkappa.plan.sample_size_icc(**call)
