"""A net below the numbers: many calls with many options, and the figures that came out before.

    python tests/test_numbers.py             # says which calls of tests/numbers.txt give others now
    python tests/test_numbers.py --write     # writes what they give now; review every difference

It proves nothing. Other tests prove numbers, by values from elsewhere, laws and definitions; this
one holds what they have proved, so that no number moves unnoticed, not even where options meet that
no other test has together. Whoever moves a number on purpose says so in the commit. A line that is
added needs no figures: they are written.

A line is a call, below the name of its test, and a figure for each column of its frames: the sum of
the rows, each with a weight of its own. `~` counts the rows that are undefined, by their weights,
too; of words it is told where there are some, and others, not what they are.
"""

import atexit
import math
import sys
import tempfile
import warnings
from collections import defaultdict
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import pdkappa as pk
from elsewhere import designs
from pdkappa.coefficients import all_raters, pair_counts, pair_estimates, sparse_rows

FILE = Path(__file__).with_name("numbers.txt")
BETWEEN = "  ->  "
DIGITS = 10
CLOSE = 1e-8  # of the sizes: other versions of NumPy and SciPy differ in the last bits
SEARCHED = 1e-5  # where a search ends
LARGEST = 1e9


def ratings():
    """Return four raters, two with holes; one group has no disagreement, one a constant rater."""
    rng, n = np.random.default_rng(20261127), 46
    truth = rng.choice([1, 2, 3, 4], n, p=[0.4, 0.3, 0.25, 0.05])
    shares = {"a": [0.1, 0.7, 0.2, 0], "b": [0.2, 0.7, 0.05, 0.05]}
    shares |= {"c": [0.2, 0.4, 0.3, 0.1], "m": [0.05, 0.6, 0.3, 0.05]}
    near = {name: truth + rng.choice([-1, 0, 1, 2], n, p=share) for name, share in shares.items()}
    frame, group = pd.DataFrame(near).clip(1, 4), np.repeat(["w", "x", "y", "z"], [20, 12, 9, 5])
    frame.loc[group == "y", "b"] = frame["a"]
    frame.loc[group == "z", "a"] = 2
    frame["again"] = np.clip(frame["m"] + rng.integers(-1, 2, n) * (rng.random(n) < 0.4), 1, 4)
    frame["b"] = frame["b"].where(rng.random(n) > 0.15)
    frame["c"] = frame["c"].where(rng.random(n) > 0.3)
    frame.loc[7, ["a", "b", "c"]] = np.nan
    return frame.assign(
        g=group,
        h=np.where(np.arange(n) % 3, "u", "v"),
        k=np.repeat(np.arange(n), rng.integers(1, 6, n))[:n],
        w=np.arange(n) % 4,
        f=rng.uniform(0.4, 2.5, n),
        v=pd.Series(group).map({"w": 1.0, "x": 2.0, "y": 0.5, "z": 3.0}),
        s=np.round(truth + rng.normal(0, 0.6, n), 1),
        t=np.round(truth + rng.normal(0.2, 0.9, n), 2),
        **dict(zip(["p1", "p2", "p3", "p4"], rng.dirichlet([2, 1.5, 1, 0.5], n).T, strict=True)),
    )


def of_many():
    """Return eight raters in six categories; an item has ratings by none of them up to all."""
    rng, shape = np.random.default_rng(3), (18, 8)
    near = rng.integers(-2, 3, shape) * (rng.random(shape) < 0.6)
    rated = np.clip(rng.integers(0, 6, (18, 1)) + near, 0, 5).astype(float)
    rated[rng.random(shape) > rng.uniform(0.2, 1.1, (18, 1))] = np.nan
    frame = pd.DataFrame(rated, columns=[*"abcmdefi"])
    return frame.assign(k=np.arange(18) // 2, w=1 + np.arange(18) % 2, g=np.arange(18) % 2)


def repeated():
    """Return ratings and scores one below the other, of items by raters in trials."""
    rng = np.random.default_rng(8)
    item, rater, trial = (one.ravel() for one in np.indices((11, 3, 2)))
    truth = rng.integers(1, 5, 11)[item]
    rating = np.clip(truth + rng.integers(-1, 2, len(item)), 1, 4)
    frame = pd.DataFrame({"item": item, "rater": rater, "trial": trial, "truth": truth})
    frame = frame.assign(rating=rating, score=rating + rater / 4 + rng.normal(0, 0.5, len(item)))
    return frame.assign(task=trial + 2 * rater, g=item % 2)


def of_crowd():
    """Return one to five ratings of an item, by twelve raters, one below the other."""
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(25), rng.integers(1, 6, 25))
    rater = np.concatenate([rng.permutation(12)[:n] for n in np.bincount(item)])
    rating = np.clip(rng.integers(1, 4, 25)[item] + rng.integers(-1, 2, len(item)), 1, 3)
    long = pd.DataFrame({"item": item, "rater": rater, "rating": rating})
    return long.assign(g=item % 2, k=item // 3)


def laid():
    """Return spans of three texts by three raters, of which some overlap, some touch."""
    rng = np.random.default_rng(6)
    item, rater = np.repeat(np.indices((3, 3)).reshape(2, -1), 4, axis=1)
    start = np.tile([0, 12, 27, 40], 9) + rng.integers(0, 5, 36)
    long = pd.DataFrame({"item": item, "rater": rater, "start": start})
    return long.assign(end=start + rng.integers(2, 9, 36))[rng.random(36) < 0.8]


def tagged():
    """Return three raters who give each item a set of tags."""
    rng = np.random.default_rng(9)
    true = rng.random((20, 1, 3)) < 0.5
    has = true ^ (rng.random((20, 3, 3)) < 0.2)
    texts = [["|".join(np.array([*"xyz"])[one]) or None for one in item] for item in has]
    return pd.DataFrame(texts, columns=[*"abc"]).assign(k=np.arange(20) // 3)


def of_few():
    """Return seven items, three raters and a machine, two categories."""
    frame = pd.DataFrame({"a": [1, 1, 1, 1, 2, 2, 1], "b": [1, 1, 1, 2, 2, 1, 1]})
    return frame.assign(c=[2, 1, 2, 1, 2, 1, 1], m=[1, 1, 1, 2, 2, 2, 1], k=[0, 0, 0, 1, 1, 1, 2])


@cache
def names():
    """Return the names that calls may use."""
    listed, folder = (
        {one: one for one in ("item", "rater", "rating")},
        tempfile.TemporaryDirectory(),
    )
    atexit.register(folder.cleanup)
    of_crowd().to_csv(file := Path(folder.name) / "crowd.csv", index=False)
    spans = designs.read("spans_krippendorff2004")[0]
    of_spans = {one: one for one in ("item", "rater", "start", "end", "label")}
    data = ratings()
    return {
        "d": data.kappa,
        "few": of_few().kappa,
        "binary": (of_few()[[*"abcm"]] - 1).kappa,
        "many": of_many().kappa,
        "long": repeated().kappa,
        "jasp": designs.read("trials_jasp_binary")[0].kappa,
        "brennan": designs.read("g_brennan4")[0].kappa,
        "gaps": repeated().drop(index=[0, 5, 17, 40]).kappa,
        "crowd": pk.from_long(of_crowd(), **listed),
        "read": pk.scan_long(file, **listed),
        "yes": data.assign(
            **{one: (data[one] > 1).where(data[one].notna()) for one in "abcm"}
        ).kappa,
        "fine": data.assign(a=(data["s"] * 10).round(), b=(data["t"] * 10).round()).kappa,
        "table": pk.from_table([[9, 2, 0], [1, 5, 3], [2, 0, 7]]),
        "counts": pk.from_counts(
            pd.DataFrame({1: [3, 2, 0, 1, 3], 2: [0, 1, 3, 1, 0], 3: [0, 0, 0, 1, 0]})
        ),
        "spans": pk.from_spans(spans, **of_spans, length=300),
        "laid": pk.from_spans(
            laid(), item="item", rater="rater", start="start", end="end", length=60
        ),
        "tagged": tagged().kappa(raters=[*"abc"]),
        "chances": data[["p1", "p2", "p3", "p4"]].set_axis([1, 2, 3, 4], axis=1),
        "data": data,
        "cubed": np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** 3,
        "pk": pk,
        "plan": pk.plan,
        "pd": pd,
        "np": np,
    }


# --- What comes out -----------------------------------------------------------------------------


def figures(found):
    """Return the figures of a result by name: a sum, that of the sizes, what is undefined."""
    if isinstance(found, pd.DataFrame):
        tables = {"": found, **({"raters": found.raters} if hasattr(type(found), "raters") else {})}
    elif hasattr(found, "tables"):
        tables = found.tables or {"": found.to_frame()}
    elif isinstance(found, pk.results.SampleSize):
        tables = {"": pd.DataFrame({"": [found.n_items, found.exact]}), "table": found.table}
        tables |= {"null": found.null_table}
    elif isinstance(found, pd.Series):
        tables = {"": found.to_frame().T if found.dtype == object else found.to_frame()}
    else:
        tables = {"": pd.DataFrame({"": np.atleast_1d(found)})}
    return {
        f"{table} {place} {column}": figure(frame.iloc[:, place])
        for table, frame in tables.items()
        if frame is not None
        for place, column in enumerate(frame)
    }


def figure(column):
    """Return a sum of all rows, that of their sizes, and one of those that are undefined."""
    undefined = column.isna().to_numpy()
    weight = 1 + np.arange(len(column)) * math.sqrt(5) / 2 % 1
    given = column[~undefined]
    numbers = pd.to_numeric(given, errors="coerce") if given.dtype == object else given
    if not pd.api.types.is_numeric_dtype(numbers.dtype) or numbers.isna().any():
        words = given.astype(str).tolist()  # of which nothing but where they change is counted
        numbers = pd.Series(pd.factorize(np.array(["", *words], dtype=object))[0][1:])
    number = np.clip(numbers.to_numpy(dtype=float), -LARGEST, LARGEST)
    of_given = weight[~undefined]
    return tuple(map(float, (of_given @ number, of_given @ np.abs(number), weight @ undefined)))


def made(call):
    """Return the figures of a call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return figures(eval(call, dict(names())))  # noqa: S307


def written(found):
    """Write figures."""
    return " ".join(
        f"{total:.{DIGITS}g}" + (f"~{undefined:.4g}" if undefined else "")
        for total, _, undefined in found.values()
    )


def differing(call, expected):
    """Tell which figures of a call are not those that came out before."""
    found, before = made(call), expected.split()
    if len(found) != len(before):
        yield f"{call} has {len(found)} figures, not {len(before)}"
        return
    for (name, (total, sizes, undefined)), text in zip(found.items(), before, strict=True):
        figure, _, missing = text.partition("~")
        near = abs(total - float(figure)) <= tolerance(call) * max(sizes, 1e-3)
        if not near or f"{undefined:.4g}" != (missing or "0"):
            yield f"{call} {name}: {total:.{DIGITS}g}~{undefined:.4g}, not {text}"


def tolerance(call):
    """Return how close figures are: less where a search ends."""
    return SEARCHED if "reml" in call else CLOSE


def lines():
    """Return the figures of each call, below its heading."""
    found, heading = defaultdict(dict), ""
    for line in FILE.read_text("utf-8").splitlines():
        call, _, expected = line.partition(BETWEEN)
        if line.startswith("# "):
            heading = line.removeprefix("# ")
        elif call:
            found[heading][call] = expected
    return found


KNOWN = lines()
# Where one way becomes faster than another: what makes the other one be taken, or some at a time.
WAYS = {
    "sorted": {
        pair_counts: {"MOST_BINS": 0, "DENSE_PER_ITEM": 0},
        sparse_rows: {"PACKED": 0, "FEW_CELLS": 0, "MOST_JOINT": 8, "MANY_PAIRS": 0},
        pair_estimates: {"LARGEST_TABLE": 1},
        all_raters: {"BLOCK": 8},
    },
    "multiplied": {
        pair_counts: {"FEWEST_BITS": 0},
        all_raters: {"FEWEST_ROWS": 0, "PRODUCTS_OF_JOINT": 1 << 40},
        sparse_rows: {"MANY_PAIRS": 1 << 30},
        pair_estimates: {"FEWEST_CELLS": 0},
    },
}


@pytest.mark.parametrize("name", KNOWN)
def test_figures_are_those_of_before(name):
    """See how they are written again, if they are others on purpose."""
    assert [one for call, figures in KNOWN[name].items() for one in differing(call, figures)] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["agreement", "crowds"])
def test_figures_are_the_same_whichever_way_is_taken(name, way):
    with ExitStack() as changed:
        for module, values in WAYS[way].items():
            changed.enter_context(patch.multiple(module, **values))
        assert [one for call, known in KNOWN[name].items() for one in differing(call, known)] == []


if __name__ == "__main__":
    for calls in KNOWN.values():
        for known, before in calls.items():
            print(*differing(known, before), sep="\n")  # noqa: T201
    if "--write" in sys.argv:
        FILE.write_text(
            "\n".join(
                f"# {heading}\n" + "".join(f"{one}{BETWEEN}{written(made(one))}\n" for one in calls)
                for heading, calls in KNOWN.items()
            ),
            "utf-8",
        )
