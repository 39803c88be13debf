"""Fractions get labels when a method asks for them: what is found, and said, is the same."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdkappa
from conftest import each, function_of
from pdkappa.ratings.coded import Reals
from pdkappa.ratings.columns import Column

NAN = float("nan")
POOLS = {
    "halves": [0.5, 1.0, 1.5, 2.0, 2.5],
    "few": [0.5, 1.25],
    "tenths": [x / 10 for x in range(40)],
    "close": [0.3, 0.1 + 0.2, 0.1, 0.5, 0.7],
    "signed": [0.0, -0.0, 0.5, -0.5],
    "huge": [1e308, -1e308, 0.5, 1e200],
    "tiny": [5e-324, 1e-310, 0.0, 0.25],
    "infinite": [float("inf"), -float("inf"), 0.5, 2.0],
    "far apart": [1e6, 2e6, 3e7, 2e9],  # which are whole, but no small range
    "none": [NAN],
}
DTYPES = ["float64"] * 4 + ["float32", "Float64", "object", "Int64", "str", "category"]
METHODS = {
    "icc": {},
    "icc by F": {"ci": "f"},
    "agreement": {"weights": "quadratic"},
    "pairs": {"weights": "linear"},
    "usage": {},
    "scores.concordance": {},
    "scores.kendall_w": {},
}


def outcome(call):
    """Return the frame, or the error, and what is warned of and told."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except pdkappa.KappaError as error:
            return None, [type(error).__name__, str(error)]
        said = [str(one.message) for one in caught]
        return pd.DataFrame(found), [*said, repr(found)]


@st.composite
def frames(draw):
    """Draw ratings of some raters, mostly fractions, and what stands beside them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_items = draw(st.sampled_from([0, 1, 2, 5, 12, 45, 90]))
    pool = POOLS[draw(st.sampled_from([*POOLS]))]
    frame = pd.DataFrame()
    for name in "abcd"[: draw(st.integers(2, 4))]:
        own = draw(st.sampled_from([pool, pool, pool, *POOLS.values()]))
        values = pd.Series(rng.choice(own, n_items).astype(float))
        if draw(st.integers(0, 3)) == 0:
            values += rng.normal(size=n_items)
        values = values.mask(rng.random(n_items) < draw(st.sampled_from([0.0, 0.0, 0.2])))
        dtype = draw(st.sampled_from(DTYPES))
        values = values.clip(-1e9, 1e9).round() if dtype == "Int64" else values
        with np.errstate(over="ignore"):
            frame[name] = values.astype(dtype)
    options = {"missing": draw(st.sampled_from(["pairwise", "listwise", "raise"]))}
    if draw(st.booleans()):
        frame["site"] = rng.choice(["x", "y"], n_items)
        options[draw(st.sampled_from(["by", "cluster"]))] = "site"
    if draw(st.integers(0, 3)) == 0:
        frame["w"] = rng.integers(0, 3, n_items)
        options["sample_weight"] = "w"
        options["weight_type"] = draw(st.sampled_from(["frequency", "probability"]))
    if draw(st.booleans()):
        options["raters"] = [name for name in frame if name not in ("site", "w")]
    return frame, options


@settings(max_examples=20)
@given(frames())
@each(("name", "more"), METHODS.items())
def test_labels_change_nothing(name, more, drawn):
    frame, options = drawn
    method = function_of(name.split(" ")[0])
    known = {**options, **more}
    if "weight_type" in known and name in {"scores.kendall_w", "usage"}:
        del known["weight_type"]
    if name == "icc by F" and "cluster" in known:
        del known["cluster"]

    def call():
        return method(frame, **known)

    before = frame.copy()
    found, said = outcome(call)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Column, "reals", None)
        expected, told = outcome(call)
    assert said == told
    if expected is not None:
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12, atol=1e-13)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_rater_without_ratings_in_groups():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2))).assign(c=NAN, site="x")
    assert frame.kappa.icc(by="site")["estimate"].notna().all()


def test_scores_are_read_without_labels(monkeypatch):
    """No method of scores alone, and no check, asks for the labels of real ratings."""

    def refuse(reals):
        raise AssertionError(reals)

    def labels(column):
        assert column.reals is None
        return column.held[2]

    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    holes, site = frame.mask(rng.random(frame.shape) < 0.1), np.arange(300) % 30
    monkeypatch.setattr(Reals, "_coded", property(refuse))
    monkeypatch.setattr(Column, "labels", property(labels))
    for data in (frame, holes):
        for options in ({}, {"missing": "listwise"}, {"cluster": site}):
            data.kappa.icc(**options)
        data.assign(site=site).kappa.icc(by="site")
