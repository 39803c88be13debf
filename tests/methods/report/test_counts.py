"""Counts of items and ratings agree, wherever a report tells them."""

import re
import warnings

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

import pdkappa  # noqa: F401  # whose methods frames have
from pdkappa.present.text_markup import number_in_words


@given(
    st.integers(0, 10**6),
    st.sampled_from([(2, "listwise"), (3, "listwise"), *((n, "pairwise") for n in (2, 3, 4))]),
    st.booleans(),
)
def test_items_without_any_rating_used_and_left_out_are_those_of_the_file(seed, how, is_empty):
    """Also where the last rater rated nothing, who is left out of the report."""
    n_raters, missing = how
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 40))
    data = pd.DataFrame(rng.integers(1, 4, (n, n_raters)), columns=[*"abcd"[:n_raters]])
    data = data.mask(rng.random(data.shape) < rng.choice([0.0, 0.1, 0.4])).astype("Int64")
    data.iloc[: rng.integers(0, 4)] = pd.NA
    if is_empty and n_raters > 2 and missing == "pairwise":
        data[data.columns[-1]] = pd.NA
        n_raters -= 1
    given_ = data.notna().sum(axis=1)
    every = given_ == n_raters
    assume((given_ > 1).sum() > 5 and (missing == "pairwise" or every.sum() > 5))
    used = every if missing == "listwise" else given_ > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = data.kappa.report(missing=missing, detail=["counts"])
        line = data.kappa.pairs(missing=missing)._told.line
    n_used, n_unrated, n_ratings = (
        int(used.sum()),
        int((given_ == 0).sum()),
        int(given_[used].sum()),
    )
    basis, methods = report.findings.basis, report.methods()
    assert f"{n_raters} raters, {n_used} items" in basis
    assert re.search(r"(\d+) more without any rating", f"{basis} 0 more without any rating")[
        1
    ] == str(n_unrated)
    assert (
        f"who gave {number_in_words(n_ratings)} ratings of {number_in_words(n_used)} item"
        in methods
    )
    if n_unrated:
        assert f"{number_in_words(n_unrated).capitalize()} more item" in methods
    if missing == "listwise":
        n_left_out = int(((given_ > 0) & ~every).sum())
        assert n_used + n_left_out + n_unrated == n
        assert (f"{n_left_out} of {n_used + n_left_out} items" in basis) == bool(n_left_out)
        assert (f"{n_left_out} of {n_used + n_left_out} items" in methods) == bool(n_left_out)
    else:
        possible = n_used * n_raters
        told = f"{possible - n_ratings} of {possible} ratings missing"
        is_sparse = possible - n_ratings > possible / 2
        assert (told in basis) == (possible - n_ratings > 0 and not is_sparse)
        assert n_used + n_unrated == n
    assert f"{n_used} items" in line
    together = report.tables["agreement"]
    assert set(together["n_ratings"]) == {n_ratings}
    if data.notna().any().sum() > 2:
        assert set(together["n_items"]) == {n_used}
