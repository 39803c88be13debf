"""`from_long` of a Dask frame: the bits of one frame, whatever the partitions and the workers."""

import os
import signal
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed.scheduler import KilledWorker
from pandas.testing import assert_frame_equal

import pdkappa
import pdkappa.dask
from conftest import PATIENCE, function_of, until
from pdkappa import dask as ours
from pdkappa.errors import RatingsError, listing

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
NAMES = {"item": "item", "rater": "rater", "rating": "label"}


def crowd(n_items=150, n_raters=50):
    """Return ratings of one to four of many raters an item, in random order."""
    rng = np.random.default_rng(20261123)
    times = rng.integers(1, 5, n_items)
    item = np.repeat(np.arange(n_items), times)
    rater = np.concatenate([rng.choice(n_raters, size, replace=False) for size in times])
    label = np.clip(rng.integers(0, 4, n_items)[item] + rng.integers(-1, 2, len(item)), 0, 3)
    frame = pd.DataFrame({"item": item, "rater": rater, "label": label, "site": item % 3})
    return frame.sample(frac=1, random_state=1, ignore_index=True)


LONG = crowd()
RATINGS = pdkappa.from_long(LONG, **NAMES)
CALLS = {
    "agreement": {"coefficients": ["fleiss", "conger", "krippendorff"], "by": "site"},
    "pairs": {"min_items": 2, "weights": "linear"},
    "pairwise": {},
    "usage": {"by": "site"},
    "items": {"coefficient": "gwet"},
}


def assert_same(ratings, names=CALLS):
    for name in names:
        found, expected = (function_of(name)(one, **CALLS[name]) for one in (ratings, RATINGS))
        assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected), check_exact=True)
        assert found.attrs == expected.attrs


def test_columns_may_have_any_name():
    """Whole numbers beside missing ones are masked arrays in some partitions."""
    data = LONG.set_axis([0, 1, 2, 3], axis=1).astype({2: "Int64"})
    names = {"item": 0, "rater": 1, "rating": 2}
    for by in (None, 3):
        found = pdkappa.from_long(dd.from_pandas(data, npartitions=2), **names).pairs(by=by)
        assert_frame_equal(
            pd.DataFrame(found), pd.DataFrame(pdkappa.from_long(data, **names).pairs(by=by))
        )


def test_ratings_without_an_item_are_counted_in_all_partitions():
    lost = LONG.assign(item=LONG["item"].where(LONG.index % 100 > 0))
    ratings = pdkappa.from_long(dd.from_pandas(lost, npartitions=5), **NAMES)
    n, told = -(-len(LONG) // 100), "^Column 'item' must name the item .* is missing for {}[.] "
    with pytest.raises(RatingsError, match=told.format(n)):
        ratings.pairs()


@pytest.mark.parametrize("labels", [int, str])
def test_partitions_change_no_bit(labels):
    """Some partitions are empty, and items are cut by others; text of Dask is text of Arrow."""
    data = LONG.assign(item=LONG["item"].astype(labels))
    parts = [data[:1], data[1:1], data[1:200], data[200:]]
    ddf = dd.from_map(lambda part: part, parts, meta=data.iloc[:0])
    with dask.config.set(scheduler="synchronous"):
        assert_same(pdkappa.from_long(ddf, **NAMES), CALLS if labels is int else ["agreement"])


@pytest.mark.parametrize("kind", ["text", "objects", "categories"])
@pytest.mark.parametrize("scheduler", ["synchronous", "processes"])
def test_items_that_look_alike_are_told_once_wherever_they_are(scheduler, kind):
    """Two in each partition, of which no partition holds both; workers tell the caller."""
    names = [f"i{number}" for number in range(40)]
    parts = [pd.DataFrame({"item": names, "rater": "ann", "label": 1})]
    parts.append(parts[0].assign(item=parts[0]["item"] + " ", rater="bob"))
    data = pd.concat(parts, ignore_index=True)
    data = data.astype({"item": "category"} if kind == "categories" else {"item": object})
    with dask.config.set({"dataframe.convert-string": kind == "text"}):
        ddf = dd.from_pandas(data, npartitions=4, sort=False)
    told = listing([(name, f"{name} ") for name in sorted(names)])
    message = (
        f"Column 'item' holds names that look alike: {told}. Make them one with .str.strip(), if "
        "they are. Nothing was changed."
    )
    text = {"dataframe.convert-string": kind == "text", "scheduler": scheduler, "num_workers": 1}
    with dask.config.set(text), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = pdkappa.from_long(ddf, **NAMES).pairs()
    assert found.empty
    assert [str(one.message) for one in said] == [message]


def test_equal_items_of_any_kind_are_in_one_partition():
    """Numbers are equal that are not written alike."""
    items = [1, 1.0, True, Decimal(1), 2, 2.0, "x", "x"]
    data = pd.DataFrame({"item": pd.Series(items, dtype=object), "label": 1})
    data["rater"] = [*"abcd", *"ab" * 2]
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        ddf = dd.from_pandas(data, npartitions=6, sort=False)
        found = pdkappa.from_long(ddf, **NAMES).pairs()
    expected = pdkappa.from_long(data, **NAMES).pairs()
    assert found["n_items"].tolist() == expected["n_items"].tolist() == [3, 1, 1, 1, 1, 1]


def test_it_is_shuffled_once_for_all_methods():
    loads = []

    def load(part):
        loads.append(1)
        return LONG[part::3]

    ddf = dd.from_map(load, range(3), meta=LONG.iloc[:0])
    with dask.config.set(scheduler="synchronous"):
        ratings = pdkappa.from_long(ddf, **NAMES)
        ratings.agreement(coefficients="conger")
        ratings.pairs()
        ratings.usage()
    assert len(loads) == 6  # to look for the labels, and to shuffle


def test_workers_lost_for_good_message(monkeypatch, refuses):
    def lost(*_):
        raise KilledWorker("count", None, 3)

    monkeypatch.setattr(ours, "compute", lost)
    with refuses():
        pdkappa.from_long(dd.from_pandas(LONG, npartitions=2), **NAMES).pairs()


def test_a_worker_that_is_killed_while_it_counts_makes_no_difference(client, tmp_path):
    """It holds shuffled ratings, which somebody else has to shuffle anew."""
    parts = np.array_split(np.arange(len(LONG)), 6)

    def load(number):
        return LONG.iloc[parts[number]]

    def held_up(part):
        (tmp_path / f"by {os.getpid()}").touch()
        end = time.monotonic() + PATIENCE
        while not (tmp_path / "go").exists() and time.monotonic() < end:
            time.sleep(0.02)
        return len(part.row)

    def counting():
        return {int(path.name.removeprefix("by ")) for path in tmp_path.glob("by *")}

    with client.as_current():
        ratings = pdkappa.from_long(dd.from_map(load, range(6), meta=LONG.iloc[:0]), **NAMES)
        assert_same(ratings, ["pairwise"])

    def run():
        with client.as_current():
            return ratings._crowds[()].parts.total(held_up, sum)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        until(lambda: len(counting()) == 2)
        os.kill(min(counting()), signal.SIGKILL)
        (tmp_path / "go").touch()
        assert running.result(PATIENCE) == len(LONG)
    with client.as_current():
        assert_same(ratings, ["pairs", "agreement"])
