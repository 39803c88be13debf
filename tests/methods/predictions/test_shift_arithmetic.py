"""Kappa under another distribution of the classes: the formula, its error and its range."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import stats

from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.predictions.shift import (
    Confusion,
    confusion_of,
    dirichlet_range,
    shifted,
    slopes,
)

SHARES = np.array([0.12, 0.25, 0.3, 0.2, 0.1, 0.03])
OTHER = np.array([0.05, 0.15, 0.3, 0.25, 0.15, 0.1])
every_weighting = each("weights", WEIGHTS)


def binormal(rho, shares):
    """Cut a bivariate normal distribution at the quantiles of the shares, on both sides."""
    cuts = np.concatenate([[-9.0], stats.norm.ppf(np.cumsum(shares)[:-1]), [9.0]])
    normal = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
    below = np.array([[normal.cdf([x, y]) for y in cuts] for x in cuts])
    table = np.diff(np.diff(below, axis=0), axis=1)
    return table / table.sum()


def scale_of(weights, n_categories):
    """Return a scale of the categories 1, 2, 3 and so on."""
    shape = (1, n_categories)
    return Scale(WEIGHTS[weights], np.arange(1.0, n_categories + 1)[None], np.ones(shape, bool))


def confusion_from(table, weights="quadratic"):
    """Rows of a table, a prediction for each class."""
    table = np.asarray(table, dtype=float)
    k = len(table)
    scale = scale_of(weights, k)
    row, column = (x.reshape(-1) for x in np.indices((k, k)))
    keep = table.reshape(-1) > 0
    rows = RatingRows(
        np.stack([row, column])[:, keep],
        table.reshape(-1)[keep],
        np.zeros(keep.sum(), dtype=int),
        1,
        k,
    )
    return confusion_of(rows, scale, 0)


def kappa_of(table, weights="quadratic"):
    """Cohen's kappa of a table, as `pairs` computes it."""
    counts, scale = PairCounts.from_tables(np.asarray(table)), scale_of(weights, len(table))
    return chance_corrected(counts, scale, COEFFICIENTS["cohen"]).estimate.item()


def tables(n_categories=4):
    """Tables with items in every class."""
    return arrays(np.int64, (n_categories, n_categories), elements=st.integers(0, 20)).map(
        lambda table: table + np.eye(n_categories, k=1, dtype=int) + np.eye(n_categories, dtype=int)
    )


def priors(n_categories=4):
    """Shares, some of them zero."""
    return arrays(np.float64, n_categories, elements=st.integers(0, 9).map(float)).map(
        lambda parts: (parts + (parts.sum() == 0)) / (parts + (parts.sum() == 0)).sum()
    )


# --- Values from elsewhere ---------------------------------------------------------------

# Figures of an earlier program of another make, for a binormal table with correlation .8.


@each(
    ("concentration", "low", "high"),
    [(50, 0.694, 0.794), (200, 0.727, 0.777), (1000, 0.743, 0.766)],
)
def test_known_ranges_of_uncertain_priors(concentration, low, high):
    confusion = confusion_from(1000 * binormal(0.8, SHARES))
    assert_allclose(shifted(confusion, SHARES, 0.9).estimate, 0.755, atol=0.0005)
    rng = np.random.default_rng(1)
    found = dirichlet_range(confusion, SHARES, concentration, 0.9, n_draws=100_000, rng=rng)
    assert_allclose(found, [low, high], atol=0.0012)


# --- Laws --------------------------------------------------------------------------------


@given(table=tables(), prior=priors())
@every_weighting
def test_it_is_the_kappa_of_items_that_are_weighted_by_class(weights, table, prior):
    confusion = confusion_from(table, weights)
    weighted = table * (prior / table.sum(axis=1))[:, None]
    found = shifted(confusion, prior, 0.95)
    assert_allclose(found.estimate, kappa_of(weighted, weights), atol=1e-12)


# --- Numerical truth ---------------------------------------------------------------------


@every_weighting
def test_slopes_are_the_derivatives(weights):
    rng = np.random.default_rng(3)
    confusion = confusion_from(rng.integers(1, 30, (5, 5)), weights)
    prior, step = rng.dirichlet(np.ones(5)), 1e-6
    found = slopes(confusion, prior)
    for place in np.ndindex(5, 5):
        values = []
        for sign in (1, -1):
            rows = confusion.rows.copy()
            rows[place] += sign * step
            moved = Confusion(confusion.classes, confusion.n_items, rows, confusion.apart, 1.0)
            values.append(moved.kappa(prior[None])[0])
        assert_allclose(found[place], (values[0] - values[1]) / (2 * step), atol=1e-7)


def test_the_standard_error_and_the_limits_by_simulation():
    """Rows are drawn anew, with as many items of each class."""
    table = binormal(0.8, SHARES)
    truth = confusion_from(1000 * table).kappa(OTHER[None])[0]
    rng = np.random.default_rng(4)
    n_items = np.array([40, 80, 100, 70, 40, 20])
    rows = table / table.sum(axis=1, keepdims=True)
    found = []
    for _ in range(2000):
        drawn = rng.multinomial(n_items, rows)
        found.append(shifted(confusion_from(drawn), OTHER, 0.95)[1:5])
    estimate, se, low, high = np.array(found).T
    assert_allclose(np.sqrt((se**2).mean()), estimate.std(), rtol=0.07)
    assert_allclose(estimate.mean(), truth, atol=0.003)
    assert 0.94 < ((low <= truth) & (truth <= high)).mean() < 0.99


def test_the_range_of_two_classes_is_that_of_a_beta_distribution():
    confusion = confusion_from([[30, 10], [5, 45]], None)
    prior = np.array([0.3, 0.7])
    low, high = dirichlet_range(
        confusion, prior, 20, 0.9, n_draws=200_000, rng=np.random.default_rng(5)
    )
    share = stats.beta(6, 14).ppf((np.arange(100_000) + 0.5) / 100_000)
    kappa = confusion.kappa(np.stack([share, 1 - share], axis=1))
    assert_allclose([(kappa <= low).mean(), (kappa <= high).mean()], [0.05, 0.95], atol=0.002)


# --- Edges -------------------------------------------------------------------------------
