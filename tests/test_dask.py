"""`ddf.kappa`: the bits of pandas for any partitions, on any scheduler, whatever workers do."""

import importlib
import os
import signal
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import pdkappa
import pdkappa.dask
from conftest import PATIENCE, until
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.resampling import QUANTILES
from pdkappa.dask import DaskFrame
from pdkappa.sources import source as sources

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")


def made(n_items, raters, seed):
    """Make up ratings with gaps, and columns of everything that items may have."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, n_items)
    columns = {
        "site": rng.choice(["north", "south", "west"], n_items),
        "sex": rng.choice(["f", "m"], n_items),
        "student": rng.integers(0, 25, n_items),
        "times": rng.integers(0, 4, n_items),
        "share": rng.random(n_items),
    }
    for place, rater in enumerate(raters):
        off = rng.integers(-1, 2, n_items) * (rng.random(n_items) < 0.3 + place / 50)
        columns[rater] = (truth + off).clip(1, 4)
    frame = pd.DataFrame(columns)
    frame.loc[rng.random(n_items) < 0.1, raters[1]] = np.nan
    return frame


RATERS = ["ann", "bob", "eve"]
FRAME = made(90, RATERS, 3).assign(machine=lambda df: df["ann"] + df["share"].round(1))


def cut(frame, *places):
    """Make a Dask frame of the parts of a frame between some places."""
    starts, ends = [0, *places], [*places, len(frame)]
    parts = [frame.iloc[start:end] for start, end in zip(starts, ends, strict=True)]
    return together(parts)


def together(parts):
    """Make a Dask frame of partitions that are given."""
    return dd.from_map(lambda part: part, parts, meta=parts[0].iloc[:0])


# Every other method is called in sources/test_frames.py.
CALLS = {
    "pairs": ([RATERS], {"by": "site", "sample_weight": "times", "cluster": "student"}),
    "agreement": (
        [RATERS],
        {"by": "site", "sample_weight": "times", "weights": "quadratic", "vary": "both"},
    ),
    "homogeneity": ([RATERS], {"by": "sex", "sample_weight": "times"}),
    "raters": ([RATERS], {"by": "site"}),
    "usage": ([RATERS], {"by": ["site", "sex"]}),
    "items": ([RATERS], {"weights": "quadratic"}),
    "cells": (["ann", "eve"], {"by": "site", "weights": "quadratic"}),
    "compare": ([("ann", "bob"), ("ann", "eve")], {"by": "sex", "sample_weight": "times"}),
}


def assert_same(found, expected):
    """Hold two results to be the same in every bit."""
    if isinstance(found, pdkappa.results.GroupedAgreement):
        found, expected = (pd.concat([one.groups, one.pooled]) for one in (found, expected))
    assert_frame_equal(found, expected, check_exact=True)


@pytest.fixture
def _here(tmp_path, monkeypatch):
    """Compute in this thread, and write into an empty folder."""
    monkeypatch.chdir(tmp_path)
    with dask.config.set(scheduler="synchronous"):
        yield


here = pytest.mark.usefixtures("_here")


@here
@pytest.mark.parametrize(
    "options",
    [
        *[{"coefficient": name} for name in COEFFICIENTS],
        {"missing": "listwise"},
        {"categories": {1: 1, 2: 2, 3: 4, 4: 5, 5: 9}, "weights": "linear"},
        {"ci": "wald", "confidence_level": 0.9},
        {"ci": "percentile"},
        {"ci": "bca", "by": "sex"},
        {"ci": "jackknife"},
    ],
    ids=str,
)
def test_every_option_gives_the_bits_of_pandas(options):
    study = {"n_resamples": 50, "rng": 1} if options.get("ci") in QUANTILES else {}
    expected = FRAME.kappa(**study).pairs(RATERS, **options)
    assert_same(cut(FRAME, 20, 25, 70).kappa(**study).pairs(RATERS, **options), expected)


@here
@settings(max_examples=12)
@given(
    places=st.lists(st.integers(0, len(FRAME)), max_size=9).map(sorted),
    name=st.sampled_from(["pairs", "agreement", "usage", "raters", "compare", "homogeneity"]),
    seed=st.integers(0, 50),
)
def test_no_partitions_make_a_difference(places, name, seed):
    frame = FRAME.sample(frac=1, random_state=seed, ignore_index=True)
    args, options = CALLS[name]
    found = getattr(cut(frame, *places).kappa, name)(*args, **options)
    assert_same(found, getattr(frame.kappa, name)(*args, **options))


@here
def test_fractional_weights_add_up_in_one_way_only():
    options = {"by": "sex", "sample_weight": "share", "weights": "linear"}
    for part in (FRAME, cut(FRAME)):
        with pytest.raises(
            pdkappa.errors.WeightsError, match=r"which is no number of items\. Pass"
        ):
            part.kappa.pairs(RATERS, **options)
    options["weight_type"] = "frequency"
    one, other = (
        cut(FRAME, *places).kappa(**options).pairs(RATERS) for places in ([], [13, 14, 50])
    )
    assert_same(one, other)
    assert_frame_equal(one, FRAME.kappa(**options).pairs(RATERS), rtol=1e-12)
    options["weight_type"] = "probability"
    assert_same(cut(FRAME, 13).kappa(**options).pairs(RATERS), FRAME.kappa(**options).pairs(RATERS))


WORDS = FRAME[[*RATERS, "site", "sex"]].assign(
    **{
        rater: FRAME[rater].map({1: "poor", 2: "fair", 3: "good", 4: "best"}).astype(object)
        for rater in RATERS
    }
)
ORDER = ["poor", "fair", "good", "best"]


def with_categories(part):
    """Make the ratings Categoricals of those words only that occur in each column."""
    words = {rater: part[rater].dropna().unique() for rater in RATERS}
    return part.assign(**{rater: pd.Categorical(part[rater], words[rater]) for rater in RATERS})


@here
@pytest.mark.parametrize("name", ["pairs", "usage", "cells", "items"])
def test_categories_that_differ_between_partitions_are_aligned(name):
    parts = [WORDS.iloc[:3], WORDS.iloc[3:4], WORDS.iloc[4:4], WORDS.iloc[4:60], WORDS.iloc[60:]]
    ddf = together([with_categories(part) for part in parts])
    assert len({tuple(part["ann"].cat.categories) for part in dask.compute(*ddf.to_delayed())}) > 2
    args, options = CALLS[name]
    options = options | {"categories": ORDER}
    options.pop("sample_weight", None)
    options.pop("cluster", None)
    expected = getattr(with_categories(WORDS).kappa, name)(*args, **options)
    assert_same(getattr(ddf.kappa, name)(*args, **options), expected)


@here
def test_categories_that_dask_does_not_know():
    ddf = dd.from_pandas(WORDS, npartitions=3).astype(dict.fromkeys(RATERS, "category"))
    assert not ddf["ann"].cat.known
    expected = WORDS.astype(dict.fromkeys(RATERS, "category")).kappa.pairs(RATERS, by="site")
    assert_same(ddf.kappa.pairs(RATERS, by="site"), expected)


@here
@pytest.mark.parametrize("by", [None, "site"])
def test_many_raters_whose_rows_hardly_repeat(by):
    raters = [f"rater {number}" for number in range(30)]
    frame = made(13_000, raters, 8)
    ddf = cut(frame, 5_000, 5_100, 9_999)
    columns = raters if by is None else [*raters, by]
    counted = DaskFrame(ddf).count(columns, of_pairs=raters)
    assert counted.cells is not None
    assert len(counted.frame) < 1_000
    options = {"by": by, "weights": "quadratic"}
    assert_same(ddf.kappa.pairs(raters, **options), frame.kappa.pairs(raters, **options))
    assert_same(ddf.kappa.pairwise(raters, **options), frame.kappa.pairwise(raters, **options))


GROUPS = {
    "category": FRAME["site"].astype("category"),
    "ordered": pd.Categorical(FRAME["site"], ["west", "north", "east", "south"], ordered=True),
    "number": FRAME["student"] / 4,
    "boolean": FRAME["sex"] == "f",
    "date": pd.Timestamp("2026-11-20") + pd.to_timedelta(FRAME["times"], unit="D"),
    "with gaps": FRAME["site"].where(FRAME["times"] > 0),
}


@here
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("kind", GROUPS)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_groups_are_labelled_as_by_pandas(kind):
    frame = FRAME[RATERS].assign(group=GROUPS[kind])
    for ddf in (dd.from_pandas(frame, npartitions=4), cut(frame, 0, 1, 50)):
        assert_same(ddf.kappa.pairs(RATERS, by="group"), frame.kappa.pairs(RATERS, by="group"))
        expected = frame.kappa.grouped("ann", "eve", by="group")
        assert_same(ddf.kappa.grouped("ann", "eve", by="group"), expected)


@here
def test_items_keep_the_labels_of_the_index():
    frame = FRAME.set_index(pd.Index([f"essay {number:03}" for number in range(90)], name="essay"))
    ddf = cut(frame, 0, 10, 33)
    assert_same(ddf.kappa.items(RATERS), ddf.compute().kappa.items(RATERS))
    assert list(ddf.kappa.items(RATERS).index) == list(frame.index)


def loaded(read):
    """Make a Dask frame of three partitions that tells which of its columns are read."""

    def load(start, columns=None, *, once):  # noqa: ARG001
        read.append(FRAME.columns if columns is None else columns)
        part = FRAME.iloc[start : start + 30]
        return part if columns is None else part[columns]

    # Two frames would be one for Dask, which compares functions by their code and data.
    return dd.from_map(load, [0, 30, 60], meta=FRAME.iloc[:0], once=uuid.uuid4().hex)


@here
def test_no_column_is_read_that_is_not_needed():
    read = []
    loaded(read).kappa.pairs(["ann", "eve"], by="site", sample_weight="times")
    assert sorted(map(sorted, read)) == [["ann", "eve", "site", "times"]] * 3
    read.clear()
    loaded(read).kappa.items(["ann", "eve"])
    assert sorted(map(sorted, read)) == [["ann"]] * 3 + [["ann", "eve"]] * 3


@here
def test_all_rows_are_refused_before_they_are_gathered(monkeypatch, refuses):
    monkeypatch.setattr(sources, "LARGEST_FRAME", 269)
    read = []
    with refuses():
        loaded(read).kappa.items(RATERS)
    assert list(map(list, read)) == [["ann"]] * 3
    monkeypatch.setattr(sources, "LARGEST_FRAME", 270)
    assert len(loaded(read).kappa.items(RATERS)) == 90


def test_the_accessor_computes_and_keeps_nothing(monkeypatch):
    ddf = dd.from_pandas(FRAME[RATERS], npartitions=3)
    monkeypatch.setattr(dask.base, "get_scheduler", lambda **_: pytest.fail("it was computed"))
    assert str(ddf.kappa) == (
        "Ratings of a Dask DataFrame in 3 partitions with columns 'ann', 'bob', 'eve'"
    )
    assert vars(ddf.kappa.source) == {"frame": ddf}


def test_threads_make_no_difference():
    ddf = cut(FRAME, *range(2, 90, 2))
    with dask.config.set(scheduler="threads", num_workers=4):
        found = [ddf.kappa.agreement(RATERS, by="site") for _ in range(3)]
    for one in found:
        assert_same(one, FRAME.kappa.agreement(RATERS, by="site"))


def test_text_that_is_no_unicode(refuses):
    column = pd.Series(["x", "\ud800"], dtype=object)
    frame = pd.DataFrame({"ann": column, "bob": column})
    ddf = dd.from_pandas(frame, npartitions=1)
    for name in ("pairs", "items"):
        with refuses():
            getattr(ddf.kappa, name)()


def test_without_dask(monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.setitem(sys.modules, "dask.base", None)
    monkeypatch.delitem(sys.modules, "pdkappa.dask")
    with refuses():
        importlib.import_module("pdkappa.dask")


def test_two_processes_give_the_bits_of_pandas(client):
    ddf = dd.from_pandas(FRAME, npartitions=10)
    for name in ("pairs", "agreement", "items"):
        args, options = CALLS[name]
        with client.as_current():
            found = getattr(ddf.kappa, name)(*args, **options)
        assert_same(found, getattr(FRAME.kappa, name)(*args, **options))


def test_an_error_of_a_worker_is_ours(client):
    frame = FRAME[RATERS].assign(ann=[{"a": 1}] * len(FRAME))
    with pytest.raises(pdkappa.errors.RatingTypeError) as expected:
        frame.kappa.pairs()
    with (
        client.as_current(),
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(pdkappa.errors.RatingTypeError) as caught,
    ):
        dd.from_pandas(frame, npartitions=2, sort=False).kappa.pairs()
    assert str(caught.value) == str(expected.value)


def held_up(folder):
    """Make a Dask frame whose partition 3 tells in a file who loads it, and waits for another."""
    parts = np.array_split(np.arange(len(FRAME)), 8)

    def load(number):
        if number == 3:
            (folder / f"by {os.getpid()}").touch()
            end = time.monotonic() + PATIENCE
            while not (folder / "go").exists() and time.monotonic() < end:
                time.sleep(0.02)
        return FRAME.iloc[parts[number]]

    return dd.from_map(load, range(8), meta=FRAME.iloc[:0])


def test_a_worker_that_is_killed_makes_no_difference(client, tmp_path):
    ddf = held_up(tmp_path)
    args, options = CALLS["agreement"]

    def run():
        with client.as_current():
            return ddf.kappa.agreement(*args, **options)

    def loading():
        return {int(path.name.removeprefix("by ")) for path in tmp_path.glob("by *")}

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        until(loading)
        (killed,) = loading()
        os.kill(killed, signal.SIGKILL)
        until(lambda: loading() - {killed})  # somebody else has begun the partition anew
        assert not running.done()
        (tmp_path / "go").touch()
        found = running.result(PATIENCE)
    assert_same(found, FRAME.kappa.agreement(*args, **options))


@pytest.mark.parametrize("call", [lambda own: own.pairs(RATERS), lambda own: own.items(RATERS)])
def test_a_partition_without_a_column_is_told(call, refuses):
    """Dask believes what it is told about the columns, or what the first partition has."""
    parts = [FRAME[:40], FRAME[40:].drop(columns="eve")]
    whole = dd.from_map(lambda part: part, parts, meta=FRAME.iloc[:0])
    with dask.config.set(scheduler="synchronous"), refuses():
        call(whole.kappa)
    assert call(dd.from_map(lambda part: part, parts[:1], meta=FRAME.iloc[:0]).kappa) is not None
