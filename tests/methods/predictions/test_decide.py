"""Decisions from class probabilities, by the public functions: labels, order, prior, errors."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_series_equal
from scipy import stats
from scipy.stats import norm

import pdkappa
from conftest import each, exactly, raising
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.predictions.decide import best_labels, kappa_of_means, means_of
from pdkappa.methods.predictions.inputs import (
    EPSILON,
    LabelSets,
    Ranking,
    average_precision,
    label_scores,
    log_loss,
)
from pdkappa.methods.predictions.shift import Confusion, extremes

nan = float("nan")
FRAME = pd.DataFrame(
    {1: [0.6, 0.4, 0.0, 0.0], 2: [0.4, 0.6, 0.9, 0.6], 3: [0.0, 0.0, 0.1, 0.4]},
    index=["ann", "bob", "eve", "joe"],
)
TEXT = pd.DataFrame(
    [[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.3, 0.2, 0.5]], columns=["high", "low", "mid"]
)
ORDER = ["low", "mid", "high"]


def exact_kappa(values, prior, labels, matrix):
    """Average the observed disagreement over all truths, one by one."""
    n, k = values.shape
    observed = 0.0
    for truth in product(range(k), repeat=n):
        chance = np.prod(values[np.arange(n), truth])
        observed += chance * matrix[list(truth), labels].sum()
    return 1 - observed / (prior @ matrix[:, labels]).sum()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_expected_kappa_of_labels(weights):
    rng = np.random.default_rng(3)
    x = np.arange(1.0, 4)
    matrix = WEIGHTS[weights].disagreement(x[:, None], x, x[:1], x[-1:])
    for _ in range(5):
        values, labels = rng.dirichlet(np.ones(3), 5), rng.integers(3, size=5)
        frame = pd.DataFrame(values, columns=[1, 2, 3])
        found = pdkappa.expected_kappa(frame, labels + 1, weights=weights)
        expected = exact_kappa(values, values.mean(axis=0), labels, matrix)
        assert_allclose(found, expected, atol=1e-12)
        prior = rng.dirichlet(np.ones(3))
        found = pdkappa.expected_kappa(frame, labels + 1, weights=weights, prior=prior)
        assert_allclose(found, exact_kappa(values, prior, labels, matrix), atol=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_no_labels_are_expected_to_reach_more(weights):
    for with_prior in [False, True]:
        rng = np.random.default_rng(4)
        for _ in range(4):
            frame = pd.DataFrame(rng.dirichlet(np.ones(3), 4), columns=[1, 2, 5])
            options = {"weights": weights}
            if with_prior:
                options["prior"] = rng.dirichlet(np.ones(3))
            labels = pdkappa.decide(frame, **options)
            best = max(
                pdkappa.expected_kappa(frame, list(others), **options)
                for others in product([1, 2, 5], repeat=4)
            )
            found = pdkappa.expected_kappa(frame, labels, **options)
            assert_allclose(found, best, atol=1e-12, err_msg=f"{with_prior=}")


def test_the_score_of_many_items_is_what_was_expected():
    """A latent normal score in six classes, with noise; true classes drawn by probability."""
    rng = np.random.default_rng(5)
    score, cuts = rng.normal(size=40_000) * 0.8, np.array([-1.5, -0.8, 0, 0.8, 1.5])
    below = norm.cdf((cuts - score[:, None]) / 0.6)
    values = np.diff(below, axis=1, prepend=0, append=1)
    truth = (rng.random((len(values), 1)) > np.cumsum(values, axis=1)).sum(axis=1)
    rules = {
        "decide": pdkappa.decide(values, weights="quadratic"),
        "argmax": values.argmax(axis=1),
        "mean": np.rint(values @ np.arange(6)).astype(int),
    }
    reached = {name: pdkappa.qwk(truth, labels) for name, labels in rules.items()}
    for name, labels in rules.items():
        assert_allclose(
            pdkappa.expected_kappa(values, labels, weights="quadratic"), reached[name], atol=0.01
        )
    assert reached["decide"] > max(reached["argmax"], reached["mean"]) + 0.01


def test_the_index_is_kept():
    expected = pd.Series([1, 1, 2, 3], index=FRAME.index, name="decision")
    assert_series_equal(pdkappa.decide(FRAME, weights="quadratic"), expected)
    assert_series_equal(
        pdkappa.decide(FRAME.to_numpy(), categories=[1, 2, 3], weights="quadratic"),
        expected.reset_index(drop=True),
    )


def test_the_order_of_text_is_given():
    expected = ["low", "high", "mid"]
    assert pdkappa.decide(TEXT, categories=ORDER, weights="quadratic").tolist() == expected
    scores = {"high": 3, "mid": 2, "low": 1}
    assert pdkappa.decide(TEXT, categories=scores, weights="quadratic").tolist() == expected
    array = TEXT[ORDER].to_numpy()
    assert pdkappa.decide(array, categories=ORDER, weights="quadratic").tolist() == expected
    in_order_of_columns = {"high": 3, "low": 1, "mid": 2}
    assert (
        pdkappa.decide(
            TEXT.to_numpy(), categories=in_order_of_columns, weights="quadratic"
        ).tolist()
        == expected
    )


def test_an_ordered_categorical_index_brings_its_order_and_stays_one():
    dtype = pd.CategoricalDtype(["never", *ORDER], ordered=True)
    frame = TEXT.set_axis(pd.CategoricalIndex(TEXT.columns, dtype=dtype), axis=1)
    found = pdkappa.decide(frame, weights="quadratic")
    assert found.dtype == dtype
    assert found.tolist() == ["low", "high", "mid"]


def test_text_without_an_order():
    assert pdkappa.decide(TEXT, weights=None).isin(TEXT.columns).all()
    matrix = pd.DataFrame(1 - np.eye(3), index=ORDER, columns=ORDER)
    assert_series_equal(pdkappa.decide(TEXT, weights=matrix), pdkappa.decide(TEXT, weights=None))


def test_among_labels_that_are_as_good_the_likeliest_are_taken():
    """Kappa is expected to be 0.4 with 2 for the second item, too: 1 - .33 / .56, rounded."""
    found = pdkappa.decide(pd.DataFrame({1: [1, 0.6, 0.4], 2: [0, 0.4, 0.6]}), weights=None)
    assert found.tolist() == [1, 1, 2]


def test_an_item_without_probabilities_gets_no_label():
    frame = FRAME.copy()
    frame.loc["tom"] = nan
    found = pdkappa.decide(frame, weights="quadratic")
    assert np.isnan(found["tom"])
    assert found.drop("tom").tolist() == pdkappa.decide(FRAME, weights="quadratic").tolist()
    assert pdkappa.decide(frame.loc[["tom"]], weights="quadratic").isna().all()
    text = pdkappa.decide(TEXT.mask(TEXT["high"] == 0.1), categories=ORDER, weights="quadratic")
    assert text.isna().tolist() == [True, False, False]
    labels = [1, 1, 2, 3, 1]
    found = pdkappa.expected_kappa(frame, labels, weights="quadratic")
    assert found == pdkappa.expected_kappa(FRAME, labels[:4], weights="quadratic")


def test_a_class_without_a_column_is_never_certain_but_may_be_the_best():
    """Costs of 0, 1 and 4 between the first and the last class make the middle one cheap."""
    frame = pd.DataFrame({1: [0.5, 0.5, 0.9], 3: [0.5, 0.5, 0.1]})
    wider = frame.assign(**{"2": 0.0}).rename(columns={"2": 2})
    assert_series_equal(
        pdkappa.decide(frame, categories=[1, 2, 3], weights="quadratic"),
        pdkappa.decide(wider, weights="quadratic"),
        check_dtype=False,
    )


def test_the_prior_is_matched_by_class():
    expected = pdkappa.decide(FRAME, prior=[0.6, 0.3, 0.1], weights="quadratic")
    for prior in (pd.Series({3: 0.1, 2: 0.3, 1: 0.6}), {2: 0.3, 1: 0.6, 3: 0.1}):
        assert_series_equal(pdkappa.decide(FRAME, prior=prior, weights="quadratic"), expected)
        assert_series_equal(
            pdkappa.decide(FRAME[[2, 3, 1]], prior=prior, weights="quadratic"), expected
        )
    shuffled = pdkappa.decide(FRAME[[2, 3, 1]], prior=[0.3, 0.1, 0.6], weights="quadratic")
    assert_series_equal(shuffled, expected)
    assert_series_equal(
        pdkappa.decide(FRAME, prior={1: 1.0}, weights="quadratic"),
        pdkappa.decide(FRAME, prior=[1, 0, 0], weights="quadratic"),
    )


def test_labels_depend_on_what_else_there_is():
    """Alone, an item says nothing of what chance would give, and any label is worth nothing."""
    assert pdkappa.decide(FRAME, weights="quadratic")["joe"] == 3
    assert pdkappa.decide(FRAME.loc[["joe"]], weights="quadratic").item() == 2


def test_missing_a_disease_may_cost_more_than_a_false_alarm():
    frame = pd.DataFrame({"well": [0.9, 0.75, 0.2], "ill": [0.1, 0.25, 0.8]})
    costs = pd.DataFrame([[0, 1], [9, 0]], index=["well", "ill"], columns=["well", "ill"])
    assert pdkappa.decide(frame, weights=costs).tolist() == ["well", "ill", "ill"]
    assert pdkappa.decide(frame, weights=costs.T).tolist() == ["well", "well", "ill"]
    shuffled = costs.loc[["ill", "well"]]
    assert pdkappa.decide(frame, weights=shuffled).tolist() == ["well", "ill", "ill"]
    as_agreement = 1 - costs.to_numpy() / 9
    array = pdkappa.decide(frame, weights=as_agreement, categories=["well", "ill"])
    assert array.tolist() == ["well", "ill", "ill"]


def test_a_class_of_the_prior_without_a_share_changes_nothing():
    prior = {1: 0.2, 2: 0.3, 3: 0.5}
    expected = pdkappa.expected_kappa(FRAME, [1, 1, 2, 3], prior=prior, weights="quadratic")
    found = pdkappa.expected_kappa(
        FRAME, [1, 1, 2, 3], prior={**prior, 20: 0.0}, weights="quadratic"
    )
    assert found == expected
    with pytest.raises(pdkappa.errors.CategoryError, match="labels holds 20"):
        pdkappa.expected_kappa(FRAME, [1, 1, 2, 20], prior={**prior, 20: 0.0}, weights="quadratic")


def test_categories_may_name_a_class_of_the_prior_without_a_column():
    prior = {1: 0.2, 4: 0.8}
    declared = pdkappa.decide(FRAME, prior=prior, categories=[1, 2, 3, 4], weights="quadratic")
    dtype = pd.CategoricalDtype([1, 2, 3, 4], ordered=True)
    columns = pd.CategoricalIndex(FRAME.columns, dtype=dtype)
    by_columns = pdkappa.decide(FRAME.set_axis(columns, axis=1), prior=prior, weights="quadratic")
    assert by_columns.tolist() == declared.tolist()


@pytest.mark.parametrize(
    ("frame", "labels", "why"),
    [
        (pd.DataFrame({1: [1.0], 2: [0.0]}), [1], "no disagreement is expected by chance"),
        (FRAME, [nan] * 4, "no item has both"),
    ],
)
def test_undefined_is_nan_with_a_warning(frame, labels, why):
    message = f"The expected kappa of the labels is undefined (NaN): {why}."
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=exactly(message)):
        assert np.isnan(pdkappa.expected_kappa(frame, labels, weights="quadratic"))


def test_labels_are_aligned_on_the_index():
    labels = pdkappa.decide(FRAME, weights="quadratic")
    found = pdkappa.expected_kappa(FRAME, labels.iloc[::-1], weights="quadratic")
    assert found == pdkappa.expected_kappa(FRAME, labels, weights="quadratic")


ERRORS = {
    "one axis": lambda: pdkappa.decide([0.2, 0.8], weights="quadratic"),
    "no classes": lambda: pdkappa.decide(pd.DataFrame(index=[0, 1]), weights="quadratic"),
    "beyond 1": lambda: pdkappa.decide(FRAME.replace(0.9, 1.9), weights="quadratic"),
    "partly missing": lambda: pdkappa.decide(FRAME.replace(0.9, nan), weights="quadratic"),
    "sums": lambda: pdkappa.decide(FRAME.replace(0.9, 0.8), weights="quadratic"),
    "text": lambda: pdkappa.decide(TEXT.astype(str), weights="quadratic"),
    "no order": lambda: pdkappa.decide(TEXT, weights="quadratic"),
    "no order of an array": lambda: pdkappa.decide(TEXT, weights=1 - np.eye(3)),
    "numeric text": lambda: pdkappa.decide(FRAME.rename(columns=str), weights="quadratic"),
    "not among the categories": lambda: pdkappa.decide(
        FRAME, categories=[1, 2], weights="quadratic"
    ),
    "prior of others": lambda: pdkappa.decide(
        FRAME.to_numpy(), categories=[1, 2, 3], prior={1: 0.5, 4: 0.5}, weights="quadratic"
    ),
    "prior of a class without a column": lambda: pdkappa.decide(
        FRAME, prior={1: 0.2, 20: 0.8}, weights="quadratic"
    ),
    "prior of a class that an array does not have": lambda: pdkappa.expected_kappa(
        FRAME.to_numpy(), [0, 1, 2, 2], prior={1: 0.2, "2": 0.8}, weights="quadratic"
    ),
    "number of categories": lambda: pdkappa.decide(
        FRAME.to_numpy(), categories=[1, 2], weights="quadratic"
    ),
    "twice": lambda: pdkappa.decide(FRAME.set_axis([1, 2, 2], axis=1), weights="quadratic"),
    "missing label": lambda: pdkappa.decide(
        FRAME.set_axis([1, 2, nan], axis=1), weights="quadratic"
    ),
    "kinds": lambda: pdkappa.decide(FRAME.set_axis([1, 2, "c"], axis=1), weights="quadratic"),
    "shape of the prior": lambda: pdkappa.decide(
        FRAME, prior=[[0.2, 0.3, 0.5]], weights="quadratic"
    ),
    "prior of counts": lambda: pdkappa.decide(FRAME, prior=[2, 3, 5], weights="quadratic"),
    "number of labels": lambda: pdkappa.expected_kappa(FRAME, [1, 2], weights="quadratic"),
    "other labels": lambda: pdkappa.expected_kappa(FRAME, [1, 2, 3, 4], weights="quadratic"),
}


@raising("decide", ERRORS)
def test_the_whole_message(call, refused):
    with refused():
        call()


# A row for each item of how likely each class is, up to a constant; then whole-numbered costs.
def costs(weights, k):
    """Return the disagreement of K classes, by name or at random."""
    x = np.arange(k, dtype=float)
    if isinstance(weights, np.random.Generator):
        matrix = weights.uniform(0, 3, (k, k))
        return matrix - np.diag(matrix.diagonal())
    return WEIGHTS[weights].disagreement(x[:, None], x, x[:1], x[-1:])


def problem(rng, n, k):
    """Draw class probabilities, some of them certain."""
    values = rng.dirichlet(np.full(k, rng.choice([0.2, 1.0, 4.0])), n)
    certain = rng.random(n) < 0.2
    values[certain] = np.eye(k)[rng.integers(k, size=certain.sum())]
    return values


def greatest(apart, by_chance):
    """Try all labelings that can be wrong by chance."""
    n, k = apart.shape
    labels = np.array(list(product(range(k), repeat=n)))
    observed = apart[np.arange(n), labels].sum(axis=1)
    expected = by_chance[labels].sum(axis=1)
    return (1 - observed[expected > 0] / expected[expected > 0]).max()


def decided(*problem):
    """Return the best labels, and the kappa that they are expected to have."""
    labels = best_labels(*problem)
    return SimpleNamespace(labels=labels, estimate=kappa_of_means(*means_of(*problem, labels)))


@each("weights", [None, "linear", "quadratic", "radical", "costs"])
@each("with_prior", [False, True])
def test_no_labeling_is_better(weights, with_prior):
    """Of all K**N, in 60 problems of each sort: 600 in all."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        n, k = int(rng.integers(1, 7)), int(rng.integers(2, 5))
        values = problem(rng, n, k)
        matrix = costs(rng if weights == "costs" else weights, k)
        prior = rng.dirichlet(np.ones(k)) if with_prior else values.mean(axis=0)
        apart, by_chance = values @ matrix, prior @ matrix
        if not (by_chance > 0).all():
            continue
        found = decided(apart, by_chance)
        assert_allclose(found.estimate, greatest(apart, by_chance), rtol=0, atol=1e-12)


def test_a_prior_that_rules_out_what_is_certain():
    """Labels that chance would always get right are left alone, as others gain more."""
    values, matrix = np.eye(2)[[0, 0, 0]], costs(None, 2)
    found = decided(values @ matrix, np.array([0.0, 1.0]) @ matrix)
    assert found.labels.tolist() == [0, 0, 0]
    assert found.estimate == 1


def test_a_prior_under_which_no_label_beats_chance():
    """The greatest kappa is negative, and found all the same."""
    values, matrix = np.tile([0.5, 0.5], (3, 1)), costs(None, 2)
    by_chance = np.array([0.1, 0.9]) @ matrix
    uneven = by_chance * np.array([0.5, 0.5])
    found = decided(values @ matrix, uneven)
    assert_allclose(found.estimate, greatest(values @ matrix, uneven), atol=1e-15)
    assert found.estimate < 0


def test_a_label_that_chance_always_gets_right_but_the_items_do_not():
    """Its kappa is minus infinity; the search starts there and leaves."""
    apart, by_chance = np.array([[0.1, 0.9], [0.1, 0.9]]), np.array([0.0, 0.5])
    found = decided(apart, by_chance)
    assert_allclose(found.estimate, greatest(apart, by_chance))
    assert found.labels.tolist() != [0, 0]


def test_items_that_are_all_alike_get_the_label_that_costs_least():
    """Kappa is 0 whatever the labels are."""
    values, matrix = np.tile([0.5, 0.1, 0.4], (4, 1)), costs("quadratic", 3)
    found = decided(values @ matrix, values.mean(axis=0) @ matrix)
    assert found.labels.tolist() == [1, 1, 1, 1]
    assert_allclose(found.estimate, 0, atol=1e-15)


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
    for _ in range(40):
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
        assert_allclose(found["accuracy"][group], average([t == p for t, p, _ in mine], weights))
        assert_allclose(found["mean_f1"][group], average(by_item, weights))
        assert_allclose(found["macro_f1"][group], average(by_label, [1] * N_LABELS))
        assert_allclose(
            found["micro_f1"][group], f1(hits, sum(w * (len(t) + len(p)) for t, p, w in mine))
        )


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


def test_log_loss_is_finite_at_the_ends():
    assert log_loss(np.array([0.0])) == log_loss(np.array([EPSILON])) == -np.log(EPSILON)
    assert_allclose(log_loss(np.array([0.0])), 52 * np.log(2))
    assert 0 < log_loss(np.array([1.0])) < 3e-16
