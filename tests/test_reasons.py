"""No figure is missing in silence or outside of its limits, whatever the ratings are."""

import inspect
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdkappa
from conftest import methods
from test_options import FUNCTIONS, OF_REPORTS, usual

CORE = {"estimate", "se", "ci_low", "ci_high"} | {
    f"{name}{end}" for name in ("effect", "difference", "excess") for end in ("", "_low", "_high")
}
CHOICES = {"by": "g", "cluster": "k", "sample_weight": "w", "weights": "quadratic", "ci": "wald"}
COEFFICIENTS = ("light", "fleiss", "conger", "krippendorff", "cohen", "gwet", "scott", "percent")
DESIGNS = ("plain", "split", "holes", "a constant rater", "empty rows", "a constant group")


def designed(kind, rng):
    """Return three to five raters, of whom some are constant or have no item in common."""
    n, n_raters, k = rng.choice([3, 8, 30, 90]), rng.integers(3, 6), rng.integers(2, 5)
    truth = rng.integers(1, k + 1, n)
    right = rng.random((n, n_raters)) < rng.choice([0.5, 0.8, 1.0], n_raters)
    values = np.where(right, truth[:, None], rng.integers(1, k + 1, (n, n_raters))).astype(float)
    group = rng.integers(0, 3, n)
    if kind == "split":
        values[: n // 2, 0] = values[n // 2 :, 1] = np.nan
    if kind == "holes":
        values[rng.random(values.shape) < 0.5] = np.nan
    if kind == "a constant rater":
        values[:, rng.integers(n_raters)] = 1
    if kind == "empty rows":
        values[:2] = np.nan
    if kind == "a constant group":
        values[group == 2] = 1
    frame = pd.DataFrame(values, columns=list("abcde")[:n_raters])
    beside = {"g": group, "k": rng.integers(0, max(n // 3, 2), n), "w": rng.integers(1, 4, n)}
    return frame.assign(**beside, p=frame["a"].fillna(2) + rng.normal(size=n))


def frames_of(found):
    """Return the frames of a result that have a column of reasons."""
    held = {"": found} if isinstance(found, pd.DataFrame) else getattr(found, "tables", {})
    return {
        name: pd.DataFrame(one)
        for name, one in held.items()
        if isinstance(one, pd.DataFrame) and "reason" in one
    }


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(methods().keys() - OF_REPORTS - {"generalizability"}))
@settings(max_examples=12)
@given(st.sampled_from(DESIGNS), st.sets(st.sampled_from(sorted(CHOICES))), st.integers(0, 999))
def test_a_figure_says_why_it_is_undefined_and_lies_within_its_limits(name, kind, chosen, seed):
    rng, takes = np.random.default_rng(seed), inspect.signature(FUNCTIONS[name]).parameters
    options = {option: CHOICES[option] for option in chosen if option in takes}
    if "coefficient" in takes and seed % 2:
        options["coefficient"] = COEFFICIENTS[seed % len(COEFFICIENTS)]
    frame, options = designed(kind, rng), usual(name) | options
    try:
        found = FUNCTIONS[name](frame, **options)
    except pdkappa.KappaError:
        return
    for part, one in frames_of(found).items():
        silent = one[one["reason"].fillna("") == ""]
        for column in CORE.intersection(one):
            assert not silent[column].isna().any(), (part, column, options)
        if "n_resamples" in options:  # whose limits are percentiles
            continue
        for low in [str(column) for column in one if str(column).endswith("_low")]:
            high, middle = (low.removesuffix("_low") + end for end in ("_high", ""))
            middle = middle if middle in one else "estimate"
            ends = (low, middle, high) if middle in one else (low, high)
            for below, above in pairwise(one[[*ends]].to_numpy(dtype=float).T):
                assert not (below > above + 1e-12).any(), (part, ends, options)
