"""Ratings, a call of every method, and a crowd, by which every way in is held to be the same."""

import numpy as np
import pandas as pd
from pandas.testing import assert_frame_equal

import pdkappa

RATERS = ["ann", "bob", "eve", "ida"]
LABELS = {
    "numbers": [1, 2, 3, 4, 5],
    "text": ["e", "b", "d", "a", "c"],
    "ordered": ["poor", "fair", "good", "very good", "superb"],
}


def drawn(kind="numbers", n_items=300):
    """Draw ratings by four raters, with columns that belong to the items."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, 5, n_items)
    codes = {name: np.clip(truth + rng.integers(-1, 2, n_items), 0, 4) for name in RATERS}
    frame = pd.DataFrame(codes).replace(dict(enumerate(LABELS[kind])))
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    if kind == "ordered":
        frame = frame.astype(pd.CategoricalDtype(LABELS[kind], ordered=True))
    site = rng.choice(np.array(["y", "x", None], dtype=object), n_items, p=[0.5, 0.4, 0.1])
    return frame.assign(
        site=site,
        author=rng.integers(0, 40, n_items),
        times=rng.integers(0, 4, n_items),
        share=pd.Series(site).map({"x": 1.0, "y": 3.0}),
    )


FRAMES = {kind: drawn(kind) for kind in LABELS}
PAIR = ("ann", "bob")
TWO = (("ann", "bob"), ("eve", "ida"))
CALLS = {
    "pairs": [((RATERS,), {}), ((["ida", "ann"],), {"cluster": "author"})],
    "pairwise": [((RATERS,), {"stat": "se"})],
    "confusion": [(PAIR, {}), (("ida", "bob"), {"margins": True, "normalize": "all"})],
    "grouped": [
        (PAIR, {"by": "site", "weights": None, "group_weights": "share"}),
        ((), {"pairs": [*TWO], "by": "site", "weights": None, "cluster": "author"}),
        ((), {"pairs": [PAIR, ("ann", "eve")], "by": "site", "weights": None}),
    ],
    "agreement": [((RATERS,), {}), ((RATERS,), {"cluster": "author"})],
    "raters": [((RATERS,), {}), ((RATERS,), {"cluster": "author"})],
    "usage": [((RATERS,), {})],
    "items": [((RATERS,), {})],
    "consensus": [((RATERS,), {}), ((RATERS,), {"method": "dawid_skene"})],
    "categories": [((RATERS,), {}), ((RATERS,), {"kind": "cut", "ranked": True})],
    "cells": [(PAIR, {})],
    "compare": [((PAIR, ("ann", "eve")), {}), (TWO, {"cluster": "author"})],
    "compare_groups": [((PAIR,), {"by": "site"}), ((PAIR,), {"by": "site", "cluster": "author"})],
    "homogeneity": [((RATERS,), {}), ((RATERS,), {"cluster": "author"})],
    "machine.ceiling": [((["ann", "bob"], "ida"), {}), ((RATERS[:3], "ida"), {"margin": 0.05})],
    "machine.alt_test": [((RATERS[:3], "ida"), {"min_test_items": 10})],
    "machine.audit": [((RATERS[:3], "ida"), {"by": "site"})],
    "predictions.scorecard": [(PAIR, {})],
    "predictions.cutpoints": [
        (PAIR, {"weights": "quadratic", "rng": 1}),
        (PAIR, {"weights": None, "rng": 1}),
    ],
    "predictions.shift": [(PAIR, {"weights": None})],
    "attainable": [((RATERS,), {}), ((RATERS,), {"together": True})],
    "scores.concordance": [((RATERS,), {})],
    "machine.evaluate": [((["ann", "bob"], "ida"), {})],
    "machine.prevalence": [(PAIR, {}), (PAIR, {"cluster": "author"})],
    "machine.mean_score": [(PAIR, {})],
    "machine.prediction_powered": [(("eve", *PAIR), {}), (("eve", *PAIR), {"cluster": "author"})],
    "machine.fairness": [(PAIR, {"by": "site"})],
    "machine.readiness": [((["ann", "bob"], "ida"), {"n_resamples": 50, "rng": 1})],
    "machine.adjudication": [((["ann", "bob"], "ida"), {"ranked": True})],
    "machine.prmse": [
        ((["ann", "bob"], "ida"), {"n_resamples": 50, "rng": 1}),
        (
            (["ann"], "ida"),
            {"n_resamples": 50, "rng": 1, "error_variance": 0.2, "cluster": "author"},
        ),
    ],
    "icc": [((RATERS,), {})],
    "scores.bland_altman": [(PAIR, {})],
    "scores.within": [((RATERS,), {})],
    "scores.kendall_w": [((RATERS,), {"ranked": True})],
    "crosscheck": [((RATERS,), {})],
    "report": [((RATERS[:3],), {"by": "site", "group_weights": "share"})],
}
OF_RATINGS = ("trials", "generalizability")  # of which each has a row of its own
OF_SINGLE_ITEMS = ("items", "to_discuss")


def tables_of(result):
    """Return every frame that a result holds, but those about single items."""
    if isinstance(result, pd.DataFrame):
        return {"": result}
    if isinstance(result, pdkappa.results.Cutpoints | pdkappa.results.GroupedCutpoints):
        return {"": result.to_frame()}
    tables = {name: table for name, table in result.tables.items() if name not in OF_SINGLE_ITEMS}
    if "notes" in tables:  # which explain the columns of the items, too
        tables["notes"] = tables["notes"].loc[tables["notes"]["item"] == "sample_weight"]
        tables["notes"] = tables["notes"].reset_index(drop=True)
    return tables


def assert_same(found, expected, case="", **tolerance):
    """Compare every frame of two results, bit for bit."""
    if hasattr(found, "__float__"):
        assert float(found) == float(expected), case
    one, other = tables_of(found), tables_of(expected)
    assert list(one) == list(other), case
    for name, table in one.items():
        options = tolerance or {"check_exact": True}
        assert_frame_equal(table, other[name], obj=f"{name} of {case}", **options)


NAMES = {"item": "essay", "rater": "who", "rating": "score"}


def crowd(n_items=120, n_raters=60):
    """Return ratings of one to five of many raters an item, in random order."""
    rng = np.random.default_rng(20261123)
    times = rng.integers(1, 6, n_items)
    item = np.repeat(np.arange(n_items), times)
    rater = np.concatenate([rng.choice(n_raters, size, replace=False) for size in times])
    truth, site = rng.integers(1, 5, n_items), rng.integers(0, 2, n_items)
    score = np.clip(truth[item] + rng.integers(-1, 2, len(item)), 1, 4)
    columns = {"essay": item, "who": [f"w{number:02}" for number in rater], "score": score}
    frame = pd.DataFrame(columns).assign(site=np.where(site, "north", "south")[item])
    return frame.sample(frac=1, random_state=1, ignore_index=True)


LONG = crowd()
RATINGS = pdkappa.from_long(LONG, **NAMES)
