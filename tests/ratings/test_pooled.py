"""Pooled scales: a column of groups that is not used, and silence on every other column."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pdkappa
from pdkappa import errors

ESSAYS = pdkappa.datasets.load_essays()
PAIR = ["human_1", "machine"]


def told(call):
    """Return the warnings of a call about pooled scales."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(x.message) for x in found if issubclass(x.category, errors.CrudeKappaWarning)]


def message(name):
    """Return the warning about a column."""
    return (
        f"Groups of {name!r} have different scales: agreement of all items together credits the "
        f"raters with telling the groups apart. Analyse each group with by={name!r}, or average "
        "within them with grouped."
    )


CALLS = {
    "pairs": lambda data: data.kappa.pairs(PAIR, weights="quadratic"),
    "pairwise": lambda data: data.kappa.pairwise(PAIR),
    "agreement": lambda data: data.kappa.agreement(PAIR),
    "concordance": lambda data: data.kappa.scores.concordance(PAIR),
    "evaluation": lambda data: data.kappa.machine.evaluate(*PAIR),
    "compare": lambda data: data.kappa.compare(("human_1", "machine"), ("human_1", "human_2")),
    "cells": lambda data: data.kappa.cells(*PAIR),
    "crosscheck": lambda data: data.kappa.crosscheck(PAIR),
    "attainable": lambda data: data.kappa.attainable(PAIR),
    "report": lambda data: data.kappa.report(PAIR),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_essays_of_all_sets_are_told_once(call):
    assert told(lambda: call(ESSAYS)) == [message("essay_set")]


def test_frames_of_which_items_are_left_out_are_not_looked_at():
    half = ESSAYS.assign(essay_weight=np.arange(len(ESSAYS)) % 2)
    assert not told(lambda: half.kappa.pairs(PAIR, sample_weight="essay_weight"))


def test_the_order_of_rows_and_the_kind_of_labels_do_not_matter():
    shuffled = ESSAYS.sample(frac=1, random_state=3).drop(columns=["essay_id", "essay_weight"])
    for name, column in {
        "essay_set": shuffled["essay_set"],
        "prompt": "set " + shuffled["essay_set"].astype(str),
        "topic": ("set " + shuffled["essay_set"].astype(str)).astype("category"),
    }.items():
        data = shuffled.drop(columns="essay_set").assign(**{name: column})
        assert told(lambda: data.kappa.pairs(PAIR)) == [message(name)]  # noqa: B023


def test_scales_without_a_common_score():
    rng = np.random.default_rng(2)
    truth = np.append(rng.integers(0, 4, 100), rng.integers(10, 61, 100))
    noise = rng.normal(0, np.where(truth > 9, 8, 0.6)[:, None], (200, 2))
    scores = (truth[:, None] + noise).round()
    low, high = np.where(truth > 9, 10, 0)[:, None], np.where(truth > 9, 60, 3)[:, None]
    data = pd.DataFrame(scores.clip(low, high), columns=["a", "b"])
    data["part"] = ["short"] * 100 + ["long"] * 100
    assert told(lambda: data.kappa.pairs(["a", "b"])) == [message("part")]


@pytest.mark.parametrize(("low", "is_told"), [(0, True), (1, False)])
def test_numbers_that_are_often_the_score_are_ratings(low, is_told):
    """Nearly half of the items have the score 1, and none 0."""
    rng = np.random.default_rng(2)
    truth = np.append(rng.choice([1, 2, 3, 4], 140, p=[0.7, 0.1, 0.1, 0.1]), rng.uniform(9, 60, 60))
    scores = truth[:, None] + rng.normal(0, np.where(truth >= 9, 10, 0.6)[:, None], (200, 2))
    ends = np.where(truth >= 9, 9, 1)[:, None], np.where(truth >= 9, 60, 4)[:, None]
    data = pd.DataFrame(scores.round().clip(*ends), columns=["a", "b"]).astype(int)
    data["part"] = np.where(truth >= 9, 20, low)
    assert told(lambda: data.kappa.pairs(["a", "b"])) == [message("part")] * is_told


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.3, 0.6, 1.0, 1.5])
@pytest.mark.parametrize("top", [6, 12, 100])
def test_what_is_no_group_is_passed_over(seed, noise, top):
    """Another rater, a band or a pass of the score, a flag, a site, a school year."""
    rng = np.random.default_rng(seed)
    n = 600
    ability = rng.normal(0, 1, n)
    site = rng.integers(0, 3, n)

    def rated(shift=0.0):
        z = ability + noise * rng.normal(0, 1, n) + shift
        return np.clip(np.rint((z / 4 + 0.5) * top), 0, top).astype(int)

    data = pd.DataFrame({"a": rated(), "b": rated(), "third": rated()})
    data["final"] = (data["a"] + data["b"]) // 2
    data["band"] = pd.cut(data["a"], 4, labels=list("DCBA")).astype(str)
    data["passed"] = data["a"] > np.quantile(data["a"], 0.8)
    data["flag"] = rng.random(n) < 0.1
    data["site"] = site
    data["year"] = np.clip(np.rint(6 + ability + rng.normal(0, 1, n)), 3, 9).astype(int)
    data["text"] = [f"essay {x}" for x in range(n)]
    assert told(lambda: data.kappa.pairs(["a", "b"])) == []
    sorted_by_rater = data.sort_values("third")
    assert told(lambda: sorted_by_rater.kappa.pairs(["a", "b"])) == []


def test_few_scores_text_and_groups_that_are_named_say_nothing():
    few = ESSAYS.query("essay_set in [3, 4]")
    assert told(lambda: few.kappa.pairs(PAIR)) == []
    assert told(lambda: ESSAYS.kappa.pairs(PAIR, by="essay_set")) == []
    assert told(lambda: ESSAYS.astype(dict.fromkeys(PAIR, str)).kappa.pairs(PAIR)) == []
    assert told(lambda: ESSAYS.kappa.pairs(PAIR, cluster="essay_set")) == []
    assert told(lambda: ESSAYS[PAIR].kappa.pairs(PAIR)) == []
    odd = ESSAYS[PAIR].assign(lists=[[1]] * len(ESSAYS), mixed=[1, "a"] * (len(ESSAYS) // 2))
    assert told(lambda: odd.kappa.pairs(PAIR)) == []
