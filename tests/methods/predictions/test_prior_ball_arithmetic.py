"""The least and the greatest kappa of all priors within some distance of one."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from conftest import each
from pdkappa.methods.predictions.shift import Confusion, extremes

KINDS = {
    "nominal": lambda apart: (apart > 0).astype(float),
    "linear": lambda apart: apart,
    "quadratic": lambda apart: apart**2,
}
every_kind = each("kind", KINDS)
radii = each("radius", [0.05, 0.3, 0.8])


def confusion_from(rows, kind="quadratic", n_items=None):
    """Rows of shares, a prediction for each class."""
    rows = np.asarray(rows, dtype=float)
    k = len(rows)
    apart = KINDS[kind](np.abs(np.arange(k)[:, None] - np.arange(k)).astype(float))
    n_items = np.full(k, 10.0) if n_items is None else n_items
    return Confusion(np.arange(k), n_items, rows, apart, apart.max())


def drawn(rng, k, kind):
    """Confusion rows, good or bad, with any shares of the classes."""
    rows = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])), k)
    if rng.random() < 0.6:
        rows = 0.5 * rows + 0.5 * np.eye(k)
    return confusion_from(rows, kind), rng.dirichlet(np.full(k, 2.0))


def distance(priors, prior):
    """Total variation distance."""
    return 0.5 * np.abs(priors - prior).sum(axis=-1)


# --- Values from elsewhere ---------------------------------------------------------------


@each(("radius", "low", "high"), [(0.05, 0.707, 0.793), (0.1, 0.666, 0.817), (0.2, 0.557, 0.848)])
def test_known_extremes(radius, low, high):
    """Of a binormal table with correlation .8, by an earlier program of another make."""
    shares = np.array([0.12, 0.25, 0.3, 0.2, 0.1, 0.03])
    cuts = np.concatenate([[-9.0], stats.norm.ppf(np.cumsum(shares)[:-1]), [9.0]])
    normal = stats.multivariate_normal(cov=[[1, 0.8], [0.8, 1]])
    below = np.array([[normal.cdf([x, y]) for y in cuts] for x in cuts])
    table = np.diff(np.diff(below, axis=0), axis=1)
    confusion = confusion_from(table / table.sum(axis=1, keepdims=True))
    assert_allclose(extremes(confusion, shares, radius), [low, high], atol=0.0005)


# --- Numerical truth ---------------------------------------------------------------------


@every_kind
@radii
def test_three_classes_by_a_fine_grid(kind, radius):
    """No point of the grid lies beyond the extremes, and some lie close to them."""
    share = np.linspace(0, 1, 601)
    a, b = (x.reshape(-1) for x in np.meshgrid(share, share))
    grid = np.stack([a, b, 1 - a - b], axis=1)[a + b <= 1]
    rng = np.random.default_rng(2)
    for _ in range(5):
        confusion, prior = drawn(rng, 3, kind)
        kappa = confusion.kappa(grid[distance(grid, prior) <= radius])
        low, high = extremes(confusion, prior, radius)
        assert low - 1e-12 <= kappa.min()
        assert kappa.max() <= high + 1e-12
        assert_allclose([low, high], [kappa.min(), kappa.max()], atol=0.01)


@every_kind
@radii
def test_five_classes_by_random_search(kind, radius):
    """Priors in the ball and at its edge, sparse ones included, are not beyond."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        confusion, prior = drawn(rng, 5, kind)
        low, high = extremes(confusion, prior, radius)
        for spread in (0.05, 0.3, 1.0):
            priors = rng.dirichlet(np.full(5, spread), 4000)
            within = np.minimum(1, radius / distance(priors, prior))
            within *= np.where(rng.random(4000) < 0.7, 1, rng.random(4000))
            kappa = confusion.kappa(prior + (priors - prior) * within[:, None])
            assert low - 1e-12 <= np.nanmin(kappa)
            assert np.nanmax(kappa) <= high + 1e-12


@every_kind
def test_classes_without_error_by_random_search(kind):
    """Priors near a single class as well, where kappa is next to 0/0."""
    rng = np.random.default_rng(8)
    for _ in range(150):
        k = int(rng.integers(2, 6))
        confusion, prior = drawn(rng, k, kind)
        without_error = rng.random(k) < 0.5
        rows = np.where(without_error[:, None], np.eye(k), confusion.rows)
        confusion = confusion_from(rows, kind)
        prior = 0.3 * prior + 0.7 * np.eye(k)[rng.integers(k)]
        radius = rng.choice([0.3, 0.5, 0.8, 1.0])
        low, high = extremes(confusion, prior, radius)
        far = 10.0 ** -rng.uniform(0, 5, (2000, 1))
        near = (1 - far) * np.eye(k)[rng.integers(k, size=2000)]
        priors = near + far * rng.dirichlet(np.full(k, 0.5), 2000)
        within = np.minimum(1, radius / distance(priors, prior))[:, None]
        priors = np.maximum(prior + (priors - prior) * within, 0)
        disagreement = ((priors @ confusion.expected) * priors).sum(axis=1)
        kappa = confusion.kappa(priors[disagreement > 1e-9])
        assert low - 1e-9 <= kappa.min()
        assert kappa.max() <= high + 1e-9


# --- Laws and edges ----------------------------------------------------------------------


@each(
    ("rows", "kind", "prior", "radius", "at_limit"),
    [
        ([[0.75, 0.25], [0, 1]], "nominal", [0.25, 0.75], 0.7, 6 / 7),
        ([[1, 0], [1 / 7, 6 / 7]], "linear", [0.7, 0.3], 0.3, 12 / 13),  # 1 - 0.7 > 0.3
    ],
)
def test_the_limit_at_a_class_without_error(rows, kind, prior, radius, at_limit):
    """With one item in n of the other class, wrong with probability w: 1 - w / (2 - w)."""
    confusion = confusion_from(rows, kind)
    assert_allclose(extremes(confusion, np.array(prior), radius)[1], at_limit, atol=1e-12)
    beyond = extremes(confusion, np.array(prior), min(prior) - 0.01)[1]
    assert beyond < at_limit - 1e-4  # where the class is out of reach


def test_kappa_may_have_no_least_value():
    """The second class is predicted as the third, from which the first counts as equal."""
    apart = np.array([[0.0, 0.0], [0.0, 1.0]])  # classes 1 and 2, predicted as 1 and 3
    confusion = Confusion(np.arange(2), np.array([5.0, 5.0]), np.eye(2), apart, 1.0)
    for share in (0.5, 0.01):
        assert_allclose(confusion.kappa(np.array([[1 - share, share]])), 1 - 1 / share)
    assert extremes(confusion, np.array([0.5, 0.5]), 0.5)[0] == -np.inf
    assert_allclose(extremes(confusion, np.array([0.5, 0.5]), 0.25)[0], -3)
