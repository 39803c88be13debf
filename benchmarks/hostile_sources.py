"""Ways by which `hostile.py` comes to ratings: readers of frames, and lists of anything."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from hostile_draws import CELLS, COLUMNS, choices, drawn_frame

import pdkappa
from test_options import hostile, ratings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORDS = {
    "from_argilla": (
        [
            {
                "id": f"r{place}",
                "mood.responses": ["good", "bad"],
                "mood.responses.users": ["u1", "u2"],
                "mood.responses.status": ["submitted", None],
            }
            for place in range(3)
        ],
        "mood",
    ),
    "from_records": ([{"id": 1, "m": {"a": 1, "b": 2}}, {"id": 2, "m": {"a": 2, "b": 2}}], "m"),
    "from_votes": ([{"id": 1, "annotators": {"a": 1, "b": 2}}, {"id": 2, "annotators": [1]}],),
}
IN_FILES = {  # what tools write, and nothing but files is read
    "from_label_studio": (
        [{"id": n // 2, "mood": "good", "annotator": n % 2} for n in range(6)],
        "mood",
    ),
    "from_prodigy": (
        [
            {"_input_hash": n // 2, "_session_id": n % 2, "accept": ["good"], "answer": "accept"}
            for n in range(6)
        ],
    ),
    "from_doccano": ([{"id": n, "label": ["good"]} for n in range(3)],),
    "from_inspect": (
        {
            "status": "success",
            "eval": {"dataset": {"sample_ids": [1, 2]}, "config": {"epochs": 1}},
            "samples": [
                {"id": n, "epoch": 1, "scores": {"s": {"value": "C"}, "t": {"value": n}}}
                for n in (1, 2)
            ],
        },
    ),
    "from_deepeval": (
        {
            "testPassed": 2,
            "testCases": [
                {"name": f"t{n}", "metricsData": [{"name": m, "success": True, "score": 0.5}]}
                for n in range(2)
                for m in "uv"
            ],
        },
    ),
    "from_promptfoo": (
        {
            "results": {
                "stats": {"successes": 2},
                "results": [
                    {
                        "testIdx": n,
                        "promptIdx": 0,
                        "gradingResult": {
                            "componentResults": [
                                {"pass": True, "score": 1, "assertion": {"type": kind}}
                                for kind in ("contains", "llm-rubric")
                            ]
                        },
                    }
                    for n in range(2)
                ],
            }
        },
    ),
}


def any_of(values: list[Any], rng: np.random.Generator) -> Any:
    """Draw one of some values of any kind."""
    return values[int(rng.integers(len(values)))]


# --- readers -------------------------------------------------------------------------------------


def in_pandas(frame: pd.DataFrame, _: np.random.Generator, __: Path) -> Callable[[], Any]:
    """Reach a frame by its accessor."""
    return lambda: frame.kappa


def in_groups(frame: pd.DataFrame, rng: np.random.Generator, _: Path) -> Callable[[], Any]:
    """Reach the groups of a frame."""
    keys = any_of(["g", ["g"], ["g", "w"], lambda i: i, pd.Grouper(key="g")], rng)
    raters = any_of([None, ["a", "b"], ["a"]], rng)
    grouped = frame.groupby(keys, dropna=bool(rng.integers(2)), observed=bool(rng.integers(2)))
    chosen: Any = grouped if raters is None else grouped[raters]
    return lambda: chosen.kappa


def as_foreign(frame: pd.DataFrame, _: np.random.Generator, __: Path) -> Callable[[], Any]:
    """Reach a frame of pandas as one of another package."""
    return lambda: pdkappa.from_frame(frame)


def in_polars(frame: pd.DataFrame, rng: np.random.Generator, _: Path) -> Callable[[], Any]:
    """Reach a frame of polars by its namespace."""
    import polars as pl

    import_module("pdkappa.polars")
    own: Any = pl.from_pandas(frame)
    found = own.lazy() if rng.integers(2) else own
    return lambda: found.kappa


def in_arrow(frame: pd.DataFrame, _: np.random.Generator, __: Path) -> Callable[[], Any]:
    """Reach a table of pyarrow."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    return lambda: pdkappa.from_frame(table)


def in_duckdb(frame: pd.DataFrame, _: np.random.Generator, __: Path) -> Callable[[], Any]:
    """Reach a relation of DuckDB."""
    import duckdb

    relation = duckdb.from_df(frame)
    return lambda: pdkappa.from_frame(relation)


def in_dask(frame: pd.DataFrame, rng: np.random.Generator, _: Path) -> Callable[[], Any]:
    """Reach a frame of Dask, in pieces."""
    import dask
    import dask.dataframe as dd

    import_module("pdkappa.dask")
    dask.config.set(scheduler="synchronous")
    ddf = dd.from_pandas(frame.reset_index(drop=True), npartitions=int(rng.integers(1, 4)))
    return lambda: ddf.kappa


def in_files(frame: pd.DataFrame, rng: np.random.Generator, folder: Path) -> Callable[[], Any]:
    """Scan files, in batches."""
    ending = any_of([".csv", ".parquet", ".feather"], rng)
    cut = int(rng.integers(len(frame) + 1))
    for place, part in enumerate((frame[:cut], frame[cut:])):
        path = folder / f"{place}{ending}"
        if ending == ".csv":
            part.to_csv(path, index=False)
        elif ending == ".parquet":
            part.to_parquet(path, index=False)
        else:
            part.reset_index(drop=True).to_feather(path)
    rows = int(rng.integers(1, 30))
    return lambda: pdkappa.scan(f"{folder}/*{ending}", batch_rows=rows)


def as_list(frame: pd.DataFrame, _: np.random.Generator, __: Path) -> Callable[[], Any]:
    """Reach ratings one below the other."""
    beside = [name for name in ("g", "w", "p") if name in frame]
    wide = frame.assign(item=np.arange(len(frame)))
    long = wide.melt(["item", *beside], var_name="rater", value_name="rating")
    return lambda: pdkappa.from_long(long, item="item", rater="rater", rating="rating")


READERS = {
    "df.kappa": in_pandas,
    "groupby": in_groups,
    "from_frame": as_foreign,
    "polars": in_polars,
    "pyarrow": in_arrow,
    "duckdb": in_duckdb,
    "dask": in_dask,
    "scan": in_files,
    "from_long": as_list,
}


def opened(
    frame: pd.DataFrame, rng: np.random.Generator, folder: Path
) -> tuple[str, Callable[[], Any]]:
    """Draw a reader; what the other package does not take goes in as it was before."""
    reader = str(rng.choice([*READERS]))
    for one in (frame, ratings()):
        with suppress(Exception):
            return reader, READERS[reader](one, rng, folder)
    return "df.kappa", lambda: frame.kappa


# --- lists -------------------------------------------------------------------------------------


def spoil(record: Any, rng: np.random.Generator) -> Any:
    """Put a value of any kind somewhere into nested lists and dicts."""
    if rng.random() < 0.15 or not isinstance(record, dict | list) or not record:
        return any_of([*CELLS, [], {}, [[]], {"a": {}}], rng)
    if isinstance(record, list):
        place = int(rng.integers(len(record)))
        return [*record[:place], spoil(record[place], rng), *record[place + 1 :]]
    key = str(rng.choice([*record]))
    if rng.random() < 0.1:
        return {name: value for name, value in record.items() if name != key}
    return record | {key: spoil(record[key], rng)}


def of_records(rng: np.random.Generator, folder: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Read records that are not as they should be."""
    name = str(rng.choice([*RECORDS, *IN_FILES]))
    records, *more = (RECORDS | IN_FILES)[name]
    for _ in range(int(rng.integers(1, 4))):
        records = spoil(records, rng)
    given = [records] if isinstance(records, str) else records  # which would name a file
    if rng.random() < 0.1:
        more = [any_of(hostile(), rng)]
    read = getattr(pdkappa, name, None) or getattr(pdkappa.tools, name)
    if name in IN_FILES or rng.integers(4) == 0:
        given = folder / "records.json"
        given.write_text(json.dumps(records, default=str, skipkeys=True), "utf-8")
    return f"{name}({records!r}, *{more!r})", lambda: read(given, *more).pairs(), [records]


def of_tables(rng: np.random.Generator, _: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Read tables and counts of anything."""
    table: Any = pd.DataFrame(rng.integers(0, 5, (3, 3)), columns=[1, 2, 3])
    table = table.set_axis([1, 2, 3]) if rng.integers(2) else table
    for _ in range(int(rng.integers(3))):
        with suppress(Exception):
            column = table.columns[int(rng.integers(3))]
            table = table.assign(**{column: any_of(COLUMNS, rng)(table[column], rng)})
    table = any_of(
        [table, table.to_numpy(), table.to_numpy().tolist(), any_of(hostile(), rng)], rng
    )
    name = str(rng.choice(["from_table", "from_counts"]))
    options = {"categories": any_of(hostile(), rng)} if rng.integers(2) else {}
    method = str(rng.choice(["pairs", "agreement", "categories", "report"]))
    read = getattr(pdkappa, name)
    told = f"{name}({table!r}, **{options!r}).{method}()"

    def run() -> Any:
        return getattr(read(table, **options), method)()

    return told, run, [table, options]


def of_series(rng: np.random.Generator, _: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Compare two columns of two frames."""
    first, second = (drawn_frame(rng).set_flags(allows_duplicate_labels=True) for _ in range(2))
    options = {}
    if rng.integers(2):
        option = str(rng.choice(["weights", "ci", "coefficient", "categories", "sample_weight"]))
        options = {option: any_of([*choices("pairs", option), *hostile()], rng)}
    columns = first.iloc[:, 0], second.iloc[:, -1 if rng.integers(2) else 0]
    told = f"s1.kappa.pair(s2, **{options!r})"
    return told, lambda: columns[0].kappa.pair(columns[1], **options), [*columns, options]


def of_lists(rng: np.random.Generator, _: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Read ratings one below the other, of which some are spoiled."""
    frame = ratings().assign(item=lambda df: df.index % 30)
    long = frame.melt(["item", "g", "w"], ["a", "b", "c"], "rater", "rating")
    for _ in range(int(rng.integers(3))):
        with suppress(Exception):
            column = long.columns[int(rng.integers(5))]
            long = long.assign(**{column: any_of(COLUMNS, rng)(long[column], rng)})
    if rng.integers(2):
        with suppress(TypeError, ValueError):  # of what cannot be hashed
            long = long.drop_duplicates(["item", "rater"])
    names = {name: any_of([name] * 8 + [*long.columns, *hostile()], rng) for name in NAMES}
    by = any_of([None, None, "g", "w"], rng)
    method = str(rng.choice(["pairs", "agreement", "pairwise", "usage", "items", "icc"]))
    takes_by = {} if by is None else {"by": by}
    told = f"from_long(…, **{names!r}).{method}(**{takes_by!r})"
    return (
        told,
        lambda: getattr(pdkappa.from_long(long, **names), method)(**takes_by),
        [long, names],
    )


def of_estimator(rng: np.random.Generator, _: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Fit cuts on scores of anything, and predict."""
    frame = drawn_frame(rng).set_flags(allows_duplicate_labels=True)
    options: dict[str, Any] = {"weights": "quadratic"}
    if rng.integers(2):
        option = str(rng.choice(["weights", "method", "n_folds", "categories"]))
        options[option] = any_of([*hostile(), "quadratic", 2, None], rng)
    scores, truth = frame.iloc[:, -1], frame.iloc[:, 0]
    told = f"KappaCuts(**{options!r}).fit(…).predict(…)"
    return (
        told,
        lambda: pdkappa.KappaCuts(**options).fit(scores, truth).predict(scores),
        [frame, options],
    )


def of_spans(rng: np.random.Generator, _: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Compare spans of texts, of which some are spoiled."""
    n = 30
    start = rng.integers(0, 40, n)
    spans = pd.DataFrame(
        {
            "item": rng.integers(0, 5, n),
            "rater": rng.choice(["a", "b", "c"], n),
            "start": start,
            "end": start + rng.integers(1, 9, n),
            "label": rng.choice(["x", "y"], n),
        }
    )
    for _ in range(int(rng.integers(3))):
        with suppress(Exception):
            column = spans.columns[int(rng.integers(5))]
            spans = spans.assign(**{column: any_of(COLUMNS, rng)(spans[column], rng)})
    required = ("item", "rater", "start", "end")
    names = {name: any_of([name] * 200 + hostile(), rng) for name in required}
    names |= {"length": any_of([None] * 9 + [50] * 20 + hostile(), rng)}
    names |= {"label": any_of([None, "label", "label"], rng)}
    method = str(rng.choice(["pairs", "agreement", "categories", "units"]))
    told = f"from_spans(…, **{names!r}).{method}()"

    def run() -> Any:
        return getattr(pdkappa.from_spans(spans, **names), method)()

    return told, run, [spans, names]


NAMES = ("item", "rater", "rating")
LISTS = [of_records, of_tables, of_series, of_lists, of_spans, of_estimator]


def listed(rng: np.random.Generator, folder: Path) -> tuple[str, Callable[[], Any], list[Any]]:
    """Draw one of these ways."""
    return any_of(LISTS, rng)(rng, folder)
