"""What `hostile.py` passes: frames that nobody would call clean, and values of options."""

from __future__ import annotations

import datetime as dt
import inspect
import re
import typing
from collections import abc
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import pdkappa
from pdkappa import _typing
from test_options import FUNCTIONS, hostile, of_two, ratings, usual

LONG_TEXT = "essay " * 50
CELLS = [
    *(None, float("nan"), pd.NA, pd.NaT, True, False, 0, 1, 2, 1.0, 2.5, -0.0, 5e-324, 1e308),
    *(float("inf"), -float("inf"), 1j, 2**53 + 1, 2**63, 10**30, "1", "a", "A ", "", "\x00"),
    *("\ud800", "nan", LONG_TEXT, b"a", Decimal("1.0"), Decimal("NaN"), Fraction(1, 3), [1], ()),
    *({1}, {"a": 1}, (1, 2), frozenset("ab"), object, dt.date(2020, 1, 1), np.int8(1)),
    *(dt.datetime(2020, 1, 1, tzinfo=dt.UTC), pd.Timestamp("2020"), np.str_("a")),
    *(pd.Timedelta(1), pd.Period("2020"), pd.Interval(0, 1), np.float16(1), np.longdouble(1)),
]
TYPES = [
    *("int8", "uint64", "float16", "float32", "longdouble", "complex128", "bool", "object", "str"),
    *("Int8", "UInt64", "Float32", "boolean", "string", "category", "datetime64[ns, UTC]"),
    *("timedelta64[s]", "period[D]", "Sparse[int]", "int64[pyarrow]", "double[pyarrow]", ">i4"),
    *("string[pyarrow]", "bool[pyarrow]", "interval", "S1", "datetime64[s]"),
]


class Frame(pd.DataFrame):
    """A frame of somebody's own."""

    @property
    def _constructor(self) -> type[Frame]:
        return Frame


def of_type(column: pd.Series, rng: np.random.Generator) -> Any:
    """Give a column another type, if it takes it."""
    return column.astype(rng.choice(TYPES))


def categorical(column: pd.Series, rng: np.random.Generator) -> Any:
    """Make a column a Categorical, of which some categories may be unused or absent."""
    values = [*pd.unique(column.dropna()), "unused"][int(rng.integers(2)) :]
    order = [values[place] for place in rng.permutation(len(values))]
    return pd.Categorical(column, categories=order, ordered=bool(rng.integers(2)))


def spoiled(column: pd.Series, rng: np.random.Generator) -> Any:
    """Put some values of any kind into a column."""
    values = column.astype(object).tolist()
    for _ in range(int(rng.integers(1, 4))):
        if values:
            values[int(rng.integers(len(values)))] = CELLS[int(rng.integers(len(CELLS)))]
    return pd.Series(values, dtype=object, index=column.index)


def constant(column: pd.Series, rng: np.random.Generator) -> Any:
    """Fill a column with one value of any kind."""
    value = CELLS[int(rng.integers(len(CELLS)))]
    return pd.Series([value] * len(column), dtype=object, index=column.index)


def inferred(column: pd.Series, rng: np.random.Generator) -> Any:
    """Fill a column with one value of the type that it has in pandas."""
    return constant(column, rng).infer_objects()


def holed(column: pd.Series, rng: np.random.Generator) -> Any:
    """Take many values away."""
    return column.mask(rng.random(len(column)) < rng.choice([0.1, 0.5, 1.0]))


def scaled(column: pd.Series, rng: np.random.Generator) -> Any:
    """Make numbers very large, very small, negative or apart by nothing."""
    number = pd.to_numeric(column, errors="coerce")
    return number * rng.choice([1e300, 1e-310, -1.0, 2.0**60, 0.1]) + rng.choice([0.0, 1e15])


COLUMNS = [of_type, categorical, spoiled, constant, inferred, holed, scaled]


def few_rows(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Keep none, one or few rows."""
    return frame.iloc[: int(rng.choice([0, 1, 2, 3, 7]))]


def other_index(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Give the rows other labels."""
    n = len(frame)
    return frame.set_axis(
        [
            pd.Index(np.zeros(n)),
            pd.Index([None] * n, dtype=object),
            pd.Index(["a"] * n, name="a"),
            pd.date_range("2020", periods=n, tz="UTC"),
            pd.MultiIndex.from_arrays([np.arange(n) % 2, np.arange(n)], names=["g", "g"]),
            pd.Index(np.arange(n)[::-1], name="g"),
        ][int(rng.integers(6))],
        axis=0,
    )


def other_names(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Name columns twice, by no text, or on two levels."""
    names: list[Any] = list(frame.columns)
    place = int(rng.integers(len(names)))
    names[place] = [names[0], 0, None, float("nan"), ("a", "b"), "", "estimate", "\ud800", True][
        int(rng.integers(9))
    ]
    columns: Any = pd.Index(names, dtype=object, tupleize_cols=False)
    if rng.random() < 0.1:
        columns = pd.MultiIndex.from_product([["x"], frame.columns])
    return frame.set_axis(columns, axis=1)


def alike(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Let two raters agree perfectly, or never."""
    other = [frame["a"], frame["a"].shift(1), 6 - frame["a"]][int(rng.integers(3))]
    return frame.assign(b=other)


def of_class(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Make a frame one of a subclass, with attributes, without repeated labels."""
    found = Frame(frame.copy())
    found.attrs = {"note": [1, {2}]}
    return found.set_flags(allows_duplicate_labels=bool(rng.integers(2)))


WHOLE = [few_rows, other_index, other_names, alike, of_class]


def drawn_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Draw ratings with none to three faults."""
    frame = ratings()
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.55, 0.25, 0.15, 0.05]))):
        with suppress(Exception):  # a fault that does not fit is none
            if rng.random() < 0.7:
                name = frame.columns[int(rng.integers(frame.shape[1]))]
                fault = COLUMNS[int(rng.integers(len(COLUMNS)))]
                frame = frame.assign(**{name: fault(frame[name], rng)})
            else:
                frame = WHOLE[int(rng.integers(len(WHOLE)))](frame, rng)
    with suppress(Exception):  # labels that it forbids, so that pandas cannot even copy it
        return frame.copy()
    return ratings()


def planted_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Draw clean ratings of any size in which a rater, a site, a label or a machine is off."""
    n, k = int(rng.choice([2, 5, 12, 40, 150])), int(rng.integers(2, 7))
    shares = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    truth, site = rng.choice(k, n, p=shares), rng.integers(0, int(rng.integers(1, 5)), n)
    raters = {}
    for name in "abcd"[: int(rng.integers(3, 5))]:
        errs = rng.random(n) < rng.choice([0.0, 0.1, 0.3, 0.8])
        given = np.where(errs, rng.integers(0, k, n), truth)
        given = given + rng.choice([0, 0, 0, 1, -1]) * (rng.random(n) < 0.5)
        raters[name] = np.clip(given + (site == 1) * rng.integers(0, 2), 0, k - 1).astype(float)
    frame = pd.DataFrame(raters).mask(rng.random((n, len(raters))) < rng.choice([0.0, 0.0, 0.2]))
    kind = rng.integers(4)
    if kind == 0:
        frame = frame.astype("Int64")
    elif kind > 1:
        words = {float(one): f"level {one}" for one in range(k)}
        frame = frame.replace(words).astype(pd.CategoricalDtype([*words.values()], kind == 2))
    place = np.arange(n)
    others = {"g": pd.Series(site).map(lambda one: f"site {one}"), "w": rng.integers(1, 4, n)}
    return frame.assign(**others, p=rng.random(n), i=place // 4, r=place // 2 % 2, t=place % 2)


def on_two_levels(value: Any, names: set[str]) -> Any:
    """Name columns by tuples, in options as in frames."""
    if isinstance(value, str) and value in names:
        return ("x", value)
    if isinstance(value, list):
        return [on_two_levels(one, names) for one in value]
    if isinstance(value, dict):
        return {on_two_levels(key, names): on_two_levels(one, names) for key, one in value.items()}
    return value


def fingerprint(value: Any) -> str:
    """Return a text that is another one if a value was changed."""
    if isinstance(value, pd.DataFrame):
        free = value.set_flags(allows_duplicate_labels=True)  # which makes columns that repeat them
        columns = [repr(list(free.iloc[:, place])) for place in range(free.shape[1])]
        about = list(value.columns), list(value.dtypes), list(value.index), value.index.names
        return repr((type(value), about, columns, value.attrs, value.flags))
    if isinstance(value, pd.Series):
        return repr((value.name, value.dtype, list(value), list(value.index), value.attrs))
    if isinstance(value, np.ndarray):
        return repr((value.dtype, value.shape, value.tolist()))
    if isinstance(value, np.random.Generator):
        return "a generator, which draws"
    return repr(value)


# --- options -----------------------------------------------------------------------------------

NAMES = {**vars(typing), **vars(abc), **vars(_typing), "pd": pd, "np": np, "npt": npt}
QUOTED = re.compile(r"'([^']+)'")


def literals(annotation: Any) -> list[Any]:
    """Return the choices that an annotation spells out."""
    if typing.get_origin(annotation) is typing.Literal:
        return list(typing.get_args(annotation))
    return [one for part in typing.get_args(annotation) for one in literals(part)]


@cache
def choices(name: str, option: str) -> list[Any]:
    """Return the choices of an option, from its annotation and from what an error says."""
    found: list[Any] = []
    with suppress(Exception):
        found = literals(eval(FUNCTIONS[name].__annotations__[option], dict(NAMES)))  # noqa: S307
    given = {"data": ratings()} if "data" in inspect.signature(FUNCTIONS[name]).parameters else {}
    try:
        FUNCTIONS[name](**given | usual(name) | {option: "spamspamspam"})
    except Exception as error:  # noqa: BLE001 (what it is matters in `hostile.py`)
        found += QUOTED.findall(str(error).partition("Choose one of:")[2])
    return [*dict.fromkeys(found)]


def plausible(name: str, option: str, n_items: int) -> list[Any]:
    """Return values of an option that somebody could mean."""
    annotation = str(FUNCTIONS[name].__annotations__[option])
    kinds: dict[str, list[Any]] = {
        "bool": [True, False],
        "int": [1, 2, 5, 20],
        "float": [0.0, 0.05, 0.2, 0.5, 0.9, 0.99, 1.0, 3.0],
        "Label": ["a", "b", "c", "g", "w", "p"],
        "Raters": [["a", "b"], ["c", "a", "b"], ["a"], ["a", "b", "c", "p"]],
        "By": ["g", ["g"], ["g", "w"], "w", []],
        "ItemWeights": ["w", "p", np.arange(1.0, n_items + 1), np.ones(n_items)],
        "Weights": [np.eye(5), np.ones((5, 5)), of_two, lambda a, b: (a - b) ** 2],
        "Categories": [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], range(7), {1: 0.0, 2: 1.0, 3: 5.0}],
        "GroupWeights": [{"x": 1, "y": 2}, pd.Series({"x": 1.0, "y": 0.0}), "w"],
        "Population": [{"x": 100, "y": 50}, 1000, 45.5],
        "Mapping": [{"a": "b"}, {"c": "b"}, {"x": 1, "y": 2}, {}],
        "Seed": [0, 1, np.random.default_rng(1)],
        "Progress": [True, lambda *_: None],
        "ArrayLike": [[1, 2, 3], [0.5, 0.5], [[0.2, 0.8], [0.5, 0.5]], np.eye(2), [3, 4, 5]],
    }
    words = set(re.findall(r"\w+", annotation))
    found = [one for kind, values in kinds.items() if kind in words for one in values]
    return [*found, *choices(name, option), *([None] if "None" in words else [])]


def drawn_options(
    name: str, rng: np.random.Generator, n_items: int, leave: set[str], wrong: float = 0.15
) -> dict[str, Any]:
    """Draw values of one to five options of a function, and what it needs.

    Of these, the share `wrong` is what nobody should pass.
    """
    takes = [one for one in inspect.signature(FUNCTIONS[name]).parameters if one not in leave]
    base = usual(name)
    if not takes:
        return base
    n_chosen = min(len(takes), int(rng.choice([1, 2, 3, 4, 5], p=[0.35, 0.3, 0.2, 0.1, 0.05])))
    chosen = rng.choice(takes, n_chosen, replace=False)
    wild = hostile()
    for option in map(str, chosen):
        values = plausible(name, option, n_items)
        if not values or rng.random() < wrong:
            values = wild
        base[option] = values[int(rng.integers(len(values)))]
    return base


def is_ours(error: BaseException) -> bool:
    """Whether an error is one that pdkappa promises."""
    return isinstance(error, pdkappa.KappaError | FileExistsError)
