"""Large input takes memory in proportion to what was observed, or is refused beforehand."""

import tracemalloc
from contextlib import contextmanager, nullcontext

import numpy as np
import pandas as pd
import pytest

from conftest import estimate, function_of, two
from pdkappa import errors
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.ratings import coded as ratings

MEGABYTE = 1 << 20


@contextmanager
def at_most(megabytes):
    """Fail if what is inside needs more memory."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < megabytes * MEGABYTE


N = 30_000


@pytest.fixture(scope="module", name="many")
def many_labels():
    """Return many items with as many labels, two thirds of them agreed upon."""
    rng = np.random.default_rng(2)
    a = rng.permutation(N)
    b = np.where(rng.random(N) < 2 / 3, a, rng.permutation(N))
    return two(a, b)


def nominal_kappa(data):
    """Compute kappa from the shares of the labels."""
    shares = [data[name].value_counts(normalize=True) for name in data]
    observed = (data["a"] == data["b"]).mean()
    expected = shares[0].mul(shares[1], fill_value=0).sum()
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("weights", [name for name, known in WEIGHTS.items() if known.spread])
def test_many_numbers(many, weights):
    with at_most(70):
        kappa = estimate(many, weights=weights)
    x, y = many["a"].to_numpy(float), many["b"].to_numpy(float)
    if weights == "quadratic":
        covariance = np.mean((x - x.mean()) * (y - y.mean()))
        concordance = 2 * covariance / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
        assert kappa == pytest.approx(concordance)
    elif weights == "linear":
        order = np.sort(y)
        below = np.searchsorted(order, x)
        sums = np.concatenate([[0], np.cumsum(order)])
        spread = x * below - sums[below] + sums[-1] - sums[below] - x * (N - below)
        assert kappa == pytest.approx(1 - np.abs(x - y).mean() / (spread.mean() / N))
    else:
        assert kappa == pytest.approx(nominal_kappa(many))


@pytest.mark.parametrize(
    "dtype",
    ["object", "category", pytest.param("string[pyarrow]", marks=pytest.mark.needs("pyarrow"))],
)
def test_many_texts(many, dtype):
    text = many.astype(str).radd("label ").astype(dtype)
    free_text = pytest.warns(errors.LookalikeLabelsWarning, match="up to 30000 distinct texts")
    with at_most(70), free_text:
        kappa = estimate(text)
    assert kappa == pytest.approx(nominal_kappa(many))


def test_many_declared_texts(many):
    text = many.astype(str).radd("label ")
    with at_most(70):
        kappa = estimate(text, weights="quadratic", categories=[f"label {i}" for i in range(N)])
    assert kappa == estimate(many, weights="quadratic")


def test_many_labels_in_groups(many):
    data = many.assign(group=np.arange(N) % 10)
    with at_most(90):
        result = data.kappa.pairs(by="group", weights="quadratic")
    one = many[data["group"] == 9]
    assert result["estimate"].iloc[-1] == pytest.approx(estimate(one, weights="quadratic"))


def test_a_far_outlier_costs_nothing():
    data = two([1, 2, 3, 10**9, 2**62], [1, 2, 2, 10**9, 2**62])
    with at_most(5):
        assert np.isfinite(estimate(data))
        assert np.isfinite(estimate(data, weights="quadratic"))


def test_the_crosscheck_leaves_out_what_would_take_a_dense_table(many):
    with at_most(100):
        check = many.kappa.crosscheck()
    assert check["agrees"].isna().all()
    assert check["remark"].str.contains("more than").all()


@pytest.mark.parametrize(("weights", "share"), [(None, 1), ("quadratic", 0.2), ("ordinal", 1)])
def test_three_hundred_raters(weights, share):
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.integers(1, 6, (50, 300)).astype(float))
    data = data.where(rng.random(data.shape) < share)
    options = {"weights": weights, "categories": [1, 2, 3, 4, 5]}
    undefined = pytest.warns(errors.UndefinedKappaWarning) if share < 1 else nullcontext()
    with at_most(300), undefined:
        square = data.kappa.pairwise(**options)
    assert square.shape == (300, 300)
    one = data[[17, 203]].dropna()
    assert square.loc[17, 203] == pytest.approx(estimate(one, **options))


SPARSE = {
    "agreement": function_of("agreement"),
    "agreement by ordinal weights": lambda data: data.kappa.agreement(weights="ordinal"),
    "pairs": function_of("pairs"),
    "pairwise": function_of("pairwise"),
    "raters": function_of("raters"),
    "categories": function_of("categories"),
    "items": function_of("items"),
    "items by conger": lambda data: data.kappa.items(coefficient="conger"),
}


def sparse(n_items, n_raters):
    """Return ratings of which four fifths are missing, so that few items are shared."""
    rng = np.random.default_rng(7)
    values = rng.integers(1, 6, (n_items, n_raters)).astype(float)
    return pd.DataFrame(np.where(rng.random(values.shape) < 0.8, np.nan, values))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.BiasedKappaWarning")
@pytest.mark.parametrize("name", SPARSE)
def test_raters_who_share_few_items(name):
    SPARSE[name](sparse(500, 4))  # imports what is needed
    data = sparse(20_000, 40)
    with at_most(4 * data.size * 8 / MEGABYTE):
        SPARSE[name](data)


def test_covariances_of_raters_who_share_few_items():
    sparse(500, 4).kappa.homogeneity()
    data = sparse(20_000, 20)
    with at_most(4 * data.size * 8 / MEGABYTE):
        assert 185 < data.kappa.homogeneity()["df1"].item() <= 189


def test_many_items():
    rng = np.random.default_rng(4)
    data = pd.DataFrame(rng.integers(0, 5, (300_000, 4), dtype=np.int8), columns=list("abcd"))
    with at_most(60):
        result = data.kappa.pairs(weights="quadratic")
    assert result["n_items"].tolist() == [300_000] * 6


@pytest.fixture(scope="module", name="measured")
def measurements():
    """Return 3,000 continuous scores of two raters, half of them equal."""
    rng = np.random.default_rng(6)
    x = rng.normal(50, 10, 3000)
    return x, np.where(rng.random(3000) < 0.5, x, x + rng.normal(0, 5, 3000))


@pytest.mark.parametrize(
    ("weights", "distance"),
    [
        (None, lambda x, y: x != y),
        ("linear", lambda x, y: np.abs(x - y)),
        ("quadratic", lambda x, y: (x - y) ** 2),
    ],
)
def test_measurements_follow_the_definition(measured, weights, distance):
    x, y = measured
    with at_most(50):
        kappa = estimate(two(x, y), weights=weights)
    expected = 1 - distance(x, y).mean() / distance(x[:, None], y).mean()
    assert kappa == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "weights",
    [*(name for name, known in WEIGHTS.items() if not known.spread), np.subtract.outer],
    ids=lambda x: x if isinstance(x, str) else "callable",
)
def test_a_matrix_that_would_be_too_large(weights):
    data = two(range(10_000), range(10_000))
    with at_most(10), pytest.raises(errors.TooLargeError, match="the limit is 2000"):
        data.kappa.pairs(weights=weights)


def test_more_pairs_of_raters_than_there_is_room_for_are_refused(refuses):
    """Raters in groups of their own: each pair is a table in every group."""
    data = pd.DataFrame(np.ones((3000, 100), dtype=np.int8)).assign(group=np.arange(3000))
    with at_most(60), refuses():
        data.kappa.pairs(by="group")


def test_a_confusion_table_that_would_be_too_large(many):
    with at_most(60), pytest.raises(errors.TooLargeError, match="confusion table would have"):
        many.kappa.confusion("a", "b")
    groups = pd.DataFrame({"a": range(3000), "b": range(3000), "group": range(3000)})
    with at_most(60), pytest.raises(errors.TooLargeError, match="confusion table would have"):
        groups.kappa.confusion("a", "b", by="group", categories=range(3000))


def test_covariances_that_would_be_too_large():
    data = sparse(50, 129)
    with at_most(5), pytest.raises(errors.TooLargeError, match="8256 pairs of 129 raters"):
        data.kappa.homogeneity()


def test_groups_whose_scales_would_be_too_large(many):
    data = many.assign(group=np.arange(N) // 2)
    with at_most(60), pytest.raises(errors.TooLargeError, match="15000 groups of "):
        data.kappa.pairs(by="group")
    assert ratings.LARGEST_SCALES < N * N / 2


def test_a_memory_error_is_what_a_caller_would_catch():
    with pytest.raises(MemoryError):
        two(range(3000), range(3000)).kappa.pairs(weights="radical")
