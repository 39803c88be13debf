"""Numbers of items that a comparison of two kappas takes: simulated power, laws, refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdkappa
from conftest import raising
from pdkappa.errors import TooLargeError
from pdkappa.methods.planning.sample_size_compare import trinormal_table

SHARES = [0.1, 0.2, 0.4, 0.2, 0.1]
QWK = {"margins": SHARES, "weights": "quadratic"}
EVEN = {"margins": [1, 1]}


def correlation(kappa):
    """Return the correlation of two normal variables, cut in the middle, with this kappa."""
    return np.sin(np.pi / 2 * kappa)


# --- Simulation --------------------------------------------------------------------------------


def compared(kappas, n_items, level, n_studies=2000):
    """Draw studies of normal variables, cut in the middle, and compare the pairs in each."""
    rho = np.eye(3)
    for place, kappa in zip([(0, 1), (0, 2), (1, 2)], kappas, strict=True):
        rho[place] = rho[place[::-1]] = correlation(kappa)
    drawn = np.random.default_rng(2026).multivariate_normal(np.zeros(3), rho, n_items * n_studies)
    ratings = pd.DataFrame((drawn > 0).astype(int), columns=["human", "one", "two"])
    return ratings.assign(study=np.repeat(np.arange(n_studies), n_items)).kappa.compare(
        ("human", "one"), ("human", "two"), by="study", confidence_level=level
    )


def test_so_many_studies_show_a_difference():
    found = pdkappa.plan.sample_size_compare(0.8, 0.6, 0.6, **EVEN)
    studies = compared([0.8, 0.6, 0.6], found.n_items, 0.95)
    assert (studies["p_value"] < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_so_many_studies_show_what_a_margin_says():
    """Limits of 90 % lie on the side that they should."""
    options = {"claim": "non_inferiority", "margin": 0.15} | EVEN
    found = pdkappa.plan.sample_size_compare(0.7, 0.7, 0.6, **options)
    low = compared([0.7, 0.7, 0.6], found.n_items, 0.9)["ci_low"]
    assert (low > -0.15).mean() == pytest.approx(0.8, abs=0.03)
    options["claim"] = "equivalence"
    both = pdkappa.plan.power_compare(found.n_items, 0.7, 0.7, 0.6, **options)
    assert both == pytest.approx(2 * 0.8 - 1, abs=0.03)


# --- Numerical truth ---------------------------------------------------------------------------


def test_the_table_is_that_of_three_normal_variables():
    rho = np.array([0.7, 0.4, 0.5])
    shared, others = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    table = trinormal_table(shared, others, rho)
    for axis, margin in enumerate([shared, others, others]):
        rest = tuple({0, 1, 2} - {axis})
        np.testing.assert_allclose(table.sum(axis=rest), margin, atol=1e-5)
    cov = np.array([[1, 0.7, 0.4], [0.7, 1, 0.5], [0.4, 0.5, 1]])
    ends = stats.norm.ppf([0.5, 0.2, 0.5])  # below the first two categories of the last rater
    below = stats.multivariate_normal.cdf(ends, cov=cov, abseps=1e-8)
    assert table[:1, :1, :2].sum() == pytest.approx(below, abs=1e-5)


# --- Laws --------------------------------------------------------------------------------------


def test_raters_who_are_alike_take_fewer_items():
    far, near = (pdkappa.plan.sample_size_compare(0.7, 0.5, b, **EVEN) for b in (0.35, 0.7))
    assert near.n_items < far.n_items
    unnamed = pdkappa.plan.power_compare(100, 0.7, 0.5, **EVEN)
    product = correlation(0.7) * correlation(0.5)
    named = pdkappa.plan.power_compare(100, 0.7, 0.5, 2 / np.pi * np.arcsin(product), **EVEN)
    assert named == pytest.approx(unnamed, abs=0.01)


def test_the_number_and_the_power_are_inverse():
    found = pdkappa.plan.sample_size_compare(0.7, 0.5, 0.6, power=0.9, **QWK)
    assert pdkappa.plan.power_compare(found.n_items, 0.7, 0.5, 0.6, **QWK) == pytest.approx(
        0.9, abs=0.015
    )
    assert pdkappa.plan.power_compare(10**10, 0.7, 0.69999, **QWK) < 1
    assert pdkappa.plan.power_compare(10**12, 0.7, 0.6999, **QWK) == pytest.approx(1)


# --- What is refused ---------------------------------------------------------------------------

REFUSED = {
    "first": {"first": 1, "second": 0.5},
    "between": {"first": 0.7, "second": 0.5, "between": "x"},
    "beyond": {"first": 0.7, "second": 0.6, "between": -0.6},
    "no difference": {"first": 0.6, "second": 0.6},
    "inferior": {"first": 0.5, "second": 0.6, "claim": "non_inferiority", "margin": 0.05},
    "margin": {"first": 0.6, "second": 0.5, "margin": 0.1},
    "no margin": {"first": 0.6, "second": 0.5, "claim": "equivalence"},
    "claim": {"first": 0.6, "second": 0.5, "claim": "better"},
}


@raising("compare_size", REFUSED)
def test_the_whole_message(call, refused):
    with refused():
        pdkappa.plan.sample_size_compare(**call, **EVEN)


def test_too_many_categories():
    with pytest.raises(TooLargeError) as caught:
        pdkappa.plan.sample_size_compare(0.6, 0.5, margins=np.ones(21))
    message = "There are 21 categories; for three raters the limit is 20. Merge some of them."
    assert str(caught.value) == message
