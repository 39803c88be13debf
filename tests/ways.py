"""Nasty ratings, drawn from a seed, and every way in: the same numbers, or an error of ours.

`test_ways_in.py` draws some of them, `benchmarks/ways_in.py` thousands.
"""

import csv
import datetime as dt
import gzip
import io
import json
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import pdkappa
import pdkappa.dask
from pdkappa.cli import main
from pdkappa.sources.scan_files import read_whole

IN_DASK = {"scheduler": "synchronous", "dataframe.convert-string": False}
LONG = {"item": "item", "rater": "who", "rating": "how"}
OF_ALL = ["fleiss", "gwet", "krippendorff"]
NAN = float("nan")


LABELS: dict[str, list[Any]] = {  # typed, of which a frame of pandas is made
    "whole numbers": [1, 2, 3, 4],
    "fractions": [0.5, 1.0, 2.5],
    "beyond 2**53": [2**53, 2**53 + 1, 2**53 + 2],
    "beyond 2**63": [2**63, 2**63 + 1, 5],
    "huge": [-1e308, 1e308, 0.0],
    "tiny": [5e-324, 1e-310, 0.0],
    "zeros": [0.0, -0.0, 1.0],
    "infinite": [1.0, float("inf"), 2.0],
    "booleans": [True, False],
    "words": ["good", "bad", "so so"],
    "missing words": ["NA", "null", "good", "None"],
    "blanks": ["a", " a", "a "],
    "empty": ["", "a", "b"],
    "marks": ['a"b', "a,b", "a\nb", "#a", "a\\b"],
    "letters": ["é", "漢", "e\u0301", "\U0001f600"],
    "digits": ["007", "7", "7.0", "1e3"],
    "flags": ["t", "f", "true", "True"],
    "days as text": ["2024-01-05", "2024-1-5", "infinity"],
    "null byte": ["a\0b", "a", "b"],
    "times": [dt.datetime(2024, 1, 5), dt.datetime(2024, 1, 6)],  # noqa: DTZ001
    "days": [dt.date(2024, 1, 5), dt.date(2024, 1, 6)],
    "decimals": [Decimal("1.10"), Decimal("1.1"), Decimal(2)],
    "numbers and text": [1, "1", 2],
    "infinite words": ["inf", "-Infinity", "1", "1_000"],
    "other digits": ["٣", "3", "½", "0x10"],
    "commas": ["1,5", "1.5", "1;5"],
    "spaces": [" ", "a", "\t", "\u00a0"],
    "lists": [["x"], ["x", "y"], ["y"]],
}
NAMES = [
    *([["a", "b", "c", "d"]] * 3),
    ["rater [1]", "a*b", "x?", "rating=9"],
    ["ann,bob", 'q"q', " a", "#1"],
    ["1", "2", "True", "nan"],
    ["é", "漢", "how ", "n"],
    ["count", "index", "level_0", "value"],
    ["who", "rater_a", "estimate", "__index_level_0__"],
]
FILES = ["x", "x [1]", "x*y", "rating=9/x", "how=1/item=2/x", "é ?"]
ENCODINGS = ["utf-8"] * 6 + ["utf-8-sig", "utf-16", "latin-1"]
SPOILED = ["no row", "nothing", "short row", "long row", "open quote", "remark", "blank line"]
SPOILED += ["name twice", "no name", "ends in a separator", "null byte"]


CODED = ("words", "blanks", "whole numbers")  # kinds that may be Categoricals


class Case(NamedTuple):
    """Ratings of some items, and how they are written down."""

    seed: int
    kind: str  # which labels they are
    frame: pd.DataFrame  # columns item, g and those of the raters
    raters: list[str]
    file: str  # without its ending
    text: dict[str, Any] | None  # how a table is written; None for typed ratings

    @property
    def long(self) -> pd.DataFrame:
        """The same one below the other, of the type that all raters have."""
        whole = self.frame.astype({"g": object})
        parts = [
            whole[["item", "g"]].assign(who=name, how=whole[name]).astype({"who": object})
            for name in self.raters
        ]
        return pd.concat(parts, ignore_index=True)[["item", "who", "how", "g"]]


def drawn(seed: int) -> Case:
    """Draw ratings."""
    rng = np.random.default_rng([20261126, seed])
    kind = [*LABELS][int(rng.integers(len(LABELS)))]
    n_items = int(rng.choice([0, 1, 2, 6, 20], p=[0.04, 0.08, 0.08, 0.4, 0.4]))
    n_raters = int(rng.choice([1, 2, 3, 4], p=[0.05, 0.35, 0.4, 0.2]))
    raters = NAMES[int(rng.integers(len(NAMES)))][:n_raters]
    labels, missing = LABELS[kind], float(rng.choice([0, 0.2, 0.8], p=[0.5, 0.4, 0.1]))
    truth = rng.integers(len(labels), size=n_items)
    columns: dict[str, Any] = {"item": [*range(n_items)]}
    columns["g"] = [*(np.array(["x", "y"], dtype=object)[rng.integers(2, size=n_items)])]
    is_text = bool(rng.integers(2)) and kind not in ("lists", "times")
    for name in raters:
        at = np.where(rng.random(n_items) < 0.7, truth, rng.integers(len(labels), size=n_items))
        gone = rng.random(n_items) < missing
        values = [None if no else labels[one] for one, no in zip(at, gone, strict=True)]
        columns[name] = pd.Series(values, dtype=object if is_text else _type_of(kind, rng, values))
    frame = pd.DataFrame(columns)
    if not is_text and bool(rng.integers(4) == 0) and kind in CODED:
        unused = 9 if kind == "whole numbers" else "unused"
        order = pd.CategoricalDtype([*labels, unused], ordered=bool(rng.integers(2)))
        frame[raters] = frame[raters].astype(order)
    file = FILES[int(rng.integers(len(FILES)))] if rng.integers(2) else "x"
    text = {
        "encoding": ENCODINGS[int(rng.integers(len(ENCODINGS)))],
        "lineterminator": str(rng.choice(["\n", "\r\n", "\r"], p=[0.7, 0.2, 0.1])),
        "quoting": int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])),
        "spoiled": SPOILED[int(rng.integers(len(SPOILED)))] if rng.random() < 0.3 else "",
    }
    return Case(seed, kind, frame, raters, file, text if is_text else None)


def _type_of(kind: str, rng: np.random.Generator, values: list[Any]) -> Any:
    """Draw the type of a column of labels: that of NumPy, or objects."""
    if kind not in ("whole numbers", "fractions", "zeros", "booleans") or rng.integers(2):
        return object
    return "float64" if None in values and kind != "booleans" else None


def texts(case: Case, rows: pd.DataFrame, separator: str) -> bytes:
    """Write a table as its case says."""
    how = case.text or {}
    written = io.StringIO(newline="")
    out = csv.writer(
        written, delimiter=separator, quoting=how["quoting"], lineterminator=how["lineterminator"]
    )
    body = [
        ["" if one is None or one is pd.NA else str(one) for one in row]
        for row in rows.itertuples(index=False)
    ]
    names = [*map(str, rows.columns)]
    spoiled = how["spoiled"]
    if spoiled == "name twice":
        names[-1] = names[0]
    elif spoiled == "no name":
        names[-1] = ""
    if spoiled != "nothing":
        out.writerow([*names, *([""] * (spoiled == "ends in a separator"))])
    for number, row in enumerate([] if spoiled in ("no row", "nothing") else body):
        if number == 1 and spoiled == "short row":
            row = row[:-1]  # noqa: PLW2901
        if number == 1 and spoiled == "long row":
            row = [*row, "x"]  # noqa: PLW2901
        if number == 1 and spoiled in ("remark", "blank line"):
            written.write(("# a remark" if spoiled == "remark" else "") + how["lineterminator"])
        out.writerow([*row, *([""] * (spoiled == "ends in a separator"))])
    if spoiled == "open quote":
        written.write('"7')
    content = written.getvalue().encode(how["encoding"], "replace")
    return content + b"\0" * (spoiled == "null byte")


class Way(NamedTuple):
    """How somebody comes to ratings."""

    write: Callable[[Case, Path], Any]  # if it cannot, the way is not open to a case
    read: Callable[[Any], Any]
    of: str  # whose numbers it must give: "wide" or "long", of pandas, of "text" or not


def to_file(ending: str, *, long: bool = False) -> Callable[[Case, Path], Path]:
    """Write a table of text."""

    def write(case: Case, folder: Path) -> Path:
        path = folder / f"{case.file}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = texts(case, case.long if long else case.frame, "," if "csv" in ending else "\t")
        path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
        return path

    return write


def to_typed(ending: str, *, long: bool = False) -> Callable[[Case, Path], Path]:
    """Write a file that knows types."""

    def write(case: Case, folder: Path) -> Path:
        path, frame = folder / f"{case.file}.{ending}", case.long if long else case.frame
        path.parent.mkdir(parents=True, exist_ok=True)
        if ending == "parquet":
            frame.to_parquet(path)
        elif ending == "feather":
            frame.to_feather(path)
        elif ending == "xlsx":
            frame.to_excel(path, index=False, engine="openpyxl")
        elif ending == "json":
            path.write_text(json.dumps(records(frame)), "utf-8")
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in records(frame)), "utf-8")
        return path

    return write


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as JSON has them."""
    return [
        {name: None if _is_gone(one) else one for name, one in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def _is_gone(one: Any) -> bool:
    return one is None or (np.isscalar(one) and one != one)  # noqa: PLR0124


def as_pandas(case: Case, _: Path) -> pd.DataFrame:
    """Pass the frame."""
    return case.frame


def converted(
    make: Callable[[pd.DataFrame], Any], *, long: bool = False
) -> Callable[[Case, Path], Any]:
    """Convert the frame."""
    return lambda case, _: make(case.long if long else case.frame)


def in_duckdb(frame: pd.DataFrame) -> Any:
    """Make a relation of DuckDB."""
    return duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def in_dask(frame: pd.DataFrame) -> Any:
    """Make a frame of Dask."""
    return dd.from_pandas(frame, npartitions=2)


def long(source: Any) -> Any:
    """Read ratings one below the other."""
    return pdkappa.from_long(source, **LONG)


def scan_long(path: Path) -> Any:
    """Read a file of them."""
    return pdkappa.scan_long(path, **LONG)


def read_pandas(path: Path) -> Any:
    """Read a table as pandas does."""
    compression = "gzip" if path.suffix == ".gz" else None
    return pd.read_csv(path, sep="," if "csv" in path.name else "\t", compression=compression)


def nested(case: Case, _: Path) -> Any:
    """Put the ratings of each item into a record."""
    return [
        {"id": row["item"], "g": row["g"], "said": {who: row[who] for who in case.raters}}
        for row in records(case.frame)
    ]


def exported(rows: Callable[[Case], list[Any]]) -> Callable[[Case, Path], Path]:
    """Write records of a tool."""

    def write(case: Case, folder: Path) -> Path:
        path = folder / "export.json"
        path.write_text(json.dumps(rows(case)), "utf-8")
        return path

    return write


def annotated(item: str, who: str, label: str, **more: Any) -> Callable[[Case, Path], Path]:
    """Write one record for each rating."""
    return exported(
        lambda case: [
            {item: row["item"], who: row["who"], label: row["how"]} | more
            for row in records(case.long)
        ]
    )


def by_user(case: Case, folder: Path) -> Any:
    """Write a file for each rater."""
    paths = {}
    for number, who in enumerate(case.raters):
        paths[who] = folder / f"{number}.jsonl"
        rows = [{"id": row["item"], "label": row[who]} for row in records(case.frame)]
        paths[who].write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return paths


def responses(case: Case) -> list[Any]:
    """Put the responses to each item side by side, as Argilla does."""
    given = [[row[who] for who in case.raters] for row in records(case.frame)]
    sides = {"how.responses.users": case.raters, "how.responses.status": [None] * len(case.raters)}
    return [{"id": at, "how.responses": labels} | sides for at, labels in enumerate(given)]


def scored(case: Case, folder: Path) -> Path:
    """Write a log of Inspect AI."""
    samples = [
        {"id": row["item"], "epoch": 1, "g": row["g"]}
        | {"scores": {who: {"value": row[who]} for who in case.raters}}
        for row in records(case.frame)
    ]
    path = folder / "log.json"
    path.write_text(json.dumps({"status": "success", "samples": samples}), "utf-8")
    return path


def flat(case: Case, _: Path) -> Any:
    """Put them into fields of it."""
    return case.raters, [row | {"id": row["item"]} for row in records(case.frame)]


WAYS: dict[str, Way] = {
    "df.kappa": Way(as_pandas, lambda frame: frame.kappa, "wide"),
    "from_long(pandas)": Way(converted(lambda frame: frame, long=True), long, "wide"),
    "polars": Way(converted(pl.from_pandas), pdkappa.from_frame, "wide"),
    "polars, long": Way(converted(pl.from_pandas, long=True), long, "long"),
    "pyarrow": Way(converted(pa.Table.from_pandas), pdkappa.from_frame, "wide"),
    "pyarrow, long": Way(converted(pa.Table.from_pandas, long=True), long, "long"),
    "DuckDB": Way(converted(in_duckdb), pdkappa.from_frame, "wide"),
    "DuckDB, long": Way(converted(in_duckdb, long=True), long, "long"),
    "Dask": Way(converted(in_dask), lambda frame: frame.kappa, "wide"),
    "Dask, long": Way(converted(in_dask, long=True), long, "long"),
    "Parquet": Way(to_typed("parquet"), pdkappa.scan, "wide"),
    "Parquet, long": Way(to_typed("parquet", long=True), scan_long, "long"),
    "Feather": Way(to_typed("feather"), pdkappa.scan, "wide"),
    "JSON lines": Way(to_typed("jsonl"), pdkappa.scan, "wide"),
    "JSON lines, long": Way(to_typed("jsonl", long=True), scan_long, "long"),
    "from_votes": Way(nested, lambda rows: pdkappa.from_votes(rows, "said"), "wide"),
    "from_records": Way(
        flat, lambda made: pdkappa.from_records(made[1], made[0], columns="g"), "wide"
    ),
    "Label Studio": Way(
        annotated("id", "annotator", "how"),
        lambda path: pdkappa.tools.from_label_studio(path, "how"),
        "wide",
    ),
    "Prodigy": Way(
        annotated("_input_hash", "_session_id", "accept", answer="accept"),
        pdkappa.tools.from_prodigy,
        "wide",
    ),
    "doccano": Way(by_user, pdkappa.tools.from_doccano, "wide"),
    "Argilla": Way(
        exported(responses), lambda path: pdkappa.tools.from_argilla(path, "how"), "wide"
    ),
    "Inspect AI": Way(scored, lambda path: pdkappa.tools.from_inspect(path, columns="g"), "wide"),
    "Excel by pandas": Way(to_typed("xlsx"), lambda path: pd.read_excel(path).kappa, "Excel"),
    "Excel, whole": Way(to_typed("xlsx"), lambda path: read_whole(path).kappa, "Excel"),
    "JSON, whole": Way(to_typed("json"), lambda path: read_whole(path).kappa, "wide"),
    "Parquet, whole": Way(to_typed("parquet"), lambda path: read_whole(path).kappa, "wide"),
    "CSV by pandas": Way(to_file("csv"), lambda path: read_pandas(path).kappa, "text wide"),
    "CSV": Way(to_file("csv"), pdkappa.scan, "text wide"),
    "CSV, batches": Way(to_file("csv"), lambda path: pdkappa.scan(path, batch_rows=2), "text wide"),
    "CSV, whole": Way(to_file("csv"), lambda path: read_whole(path).kappa, "text wide"),
    "CSV, packed": Way(to_file("csv.gz"), pdkappa.scan, "text wide"),
    "TSV": Way(to_file("tsv"), pdkappa.scan, "text wide"),
    "CSV, long by pandas": Way(
        to_file("csv", long=True), lambda path: long(read_pandas(path)), "text long"
    ),
    "CSV, long": Way(to_file("csv", long=True), scan_long, "text long"),
    "TSV, long": Way(to_file("tsv", long=True), scan_long, "text long"),
    "command line": Way(to_file("csv"), lambda path: path, "text wide"),
    "command line, JSON lines": Way(to_typed("jsonl"), lambda path: path, "wide"),
    "command line, Excel": Way(to_typed("xlsx"), lambda path: path, "Excel"),
}
BASES = {  # whose numbers are those of others
    "df.kappa": "wide",
    "from_long(pandas)": "long",
    "Excel by pandas": "Excel",
    "CSV by pandas": "text wide",
    "CSV, long by pandas": "text long",
}


class Outcome(NamedTuple):
    """Figures by their names, or why there are none: `refused` by us, or a `raw` error."""

    word: str
    figures: dict[Any, float]
    told: str = ""


def outcome(call: Callable[[], dict[Any, float]]) -> Outcome:
    """Ask for figures."""
    try:
        found = call()
    except pdkappa.KappaError as error:
        return Outcome("refused", {}, str(error))
    except Exception as error:  # noqa: BLE001 (whatever it is)
        return Outcome("raw", {}, repr(error)[:200])
    return Outcome("figures", {name: one for name, one in found.items() if one == one})  # noqa: PLR0124


def of_pairs(ratings: Any, case: Case) -> dict[Any, float]:
    """Ask for pairs."""
    found = ratings.pairs(case.raters)
    both = zip(map(str, found["rater_a"]), map(str, found["rater_b"]), strict=True)
    keys = [tuple(sorted(pair)) for pair in both]
    return dict(zip(keys, found["estimate"], strict=True))


def of_agreement(ratings: Any, case: Case) -> dict[Any, float]:
    """Ask for all raters."""
    return ratings.agreement(case.raters, coefficients=OF_ALL)["estimate"].to_dict()


def of_grouped(ratings: Any, case: Case) -> dict[Any, float]:
    """Ask for groups, with quadratic weights where there are numbers."""
    weights = "quadratic" if isinstance(LABELS[case.kind][0], int | float) else None
    both = (case.raters * 2)[:2]
    found = ratings.grouped(*both, by="g", weights=weights)
    return found.groups["estimate"].to_dict() | {"mean": float(found)}


METHODS = {"pairs": of_pairs, "agreement": of_agreement, "grouped": of_grouped}


def typed(path: Path, case: Case, method: str) -> dict[Any, float]:
    """Ask on the command line."""
    out, told = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(told):
        status = main([str(path), "--raters", *case.raters, "--json"])
    if "Traceback" in told.getvalue():
        raise RuntimeError(told.getvalue()[-200:])
    if status:
        raise pdkappa.KappaError(told.getvalue())
    rows = json.loads(out.getvalue())
    if method == "pairs":
        pairs = [
            (tuple(sorted((row["rater_a"], row["rater_b"]))), row["estimate"])
            for row in rows["pairs"]
        ]
        return {pair: NAN if one is None else one for pair, one in pairs}
    found = {row["coefficient"]: row["estimate"] for row in rows["agreement"]}
    return {name: NAN if found[name] is None else found[name] for name in OF_ALL}


def fails_open(path: Path, case: Case, found: Outcome, method: str) -> bool:
    """Whether `check` says that all is well where not all raters could be compared."""
    of = "pairs" if method == "pairs" else "all"
    asked = ["--raters", *case.raters, "--on", "estimate", "--min", "-1", "--of", of]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        status = main(["check", str(path), *asked])
    n_pairs = len(case.raters) * (len(case.raters) - 1) // 2
    is_short = len(found.figures) < n_pairs if of == "pairs" else not found.figures
    return status == 0 and (is_short or bool(case.frame[case.raters].isna().all().any()))


def differs(found: Outcome, expected: Outcome) -> bool:
    """Whether two outcomes are not the same; an error of ours is as good as no number."""
    if found.figures.keys() != expected.figures.keys():
        return True
    pairs = [(found.figures[name], expected.figures[name]) for name in found.figures]
    return not all(abs(one - other) <= 1e-9 for one, other in pairs)


class Tried(NamedTuple):
    """One method of one case by one way, and what came of it."""

    case: Case
    way: str
    method: str
    word: str  # "same", "documented", "differs", "raw" or "fail-open"
    found: Outcome
    expected: Outcome
    difference: str = ""


def tried(case: Case, folder: Path) -> list[Tried]:
    """Send ratings through every way that is open to them."""
    result: list[Tried] = []
    bases: dict[tuple[str, str], Outcome] = {}
    open_ones = {name: way for name, way in WAYS.items() if ("text" in way.of) == bool(case.text)}
    for number, (name, way) in enumerate(open_ones.items()):
        inside = folder / str(number)
        inside.mkdir()
        with warnings.catch_warnings(), dask.config.set(IN_DASK):
            warnings.simplefilter("ignore")
            try:
                made = way.write(case, inside)
            except Exception:  # noqa: BLE001, S112 (no such file or frame can be made)
                continue
            for method in METHODS:
                if method == "grouped" and name in WITHOUT_GROUPS:
                    continue
                found = asked_by(name, made, case, method)
                expected = bases.get((way.of, method), found)
                if name in BASES:
                    bases[BASES[name], method] = found
                word, why = verdict(case, name, found, expected)
                if name.startswith("command line") and fails_open(made, case, found, method):
                    word = "fail-open"
                result.append(Tried(case, name, method, word, found, expected, why))
    return result


def asked_by(name: str, made: Any, case: Case, method: str) -> Outcome:
    """Read what was made, and ask."""
    if name.startswith("command line"):
        return outcome(lambda: typed(made, case, method))
    return outcome(lambda: METHODS[method](WAYS[name].read(made), case))


def verdict(case: Case, name: str, found: Outcome, expected: Outcome) -> tuple[str, str]:
    """Say in a word what came of it, and which documented difference explains it."""
    if found.word == "raw":  # of pandas itself, where it reads a table
        return ("same" if "by pandas" in name else "raw"), ""
    if not differs(found, expected):
        return "same", ""
    why = next((told for told, holds in DIFFERENCES.items() if holds(case, name, found)), "")
    return ("documented" if why else "differs"), why


def is_misread(case: Case, _: str, found: Outcome) -> bool:
    """Whether pandas changes a table that is refused."""
    spoiled = ("name twice", "no name", "null byte", "long row")
    is_so = case.text is not None and (case.text["spoiled"] in spoiled or case.kind == "null byte")
    return is_so and found.word == "refused"


def is_empty_text(case: Case, way: str, _: Outcome) -> bool:
    """Whether an empty text is a label in a frame, and none in the file."""
    return case.kind == "empty" and (way.startswith(OF_TOOLS) or "JSON" in way)


def is_no_label(case: Case, way: str, _: Outcome) -> bool:
    """Whether a label is none of what tools have."""
    return way in OF_TOOLS and case.kind in ("lists", "times", "days", "decimals")


def is_not_named(case: Case, way: str, found: Outcome) -> bool:
    """Whether DuckDB does not find a column by its name."""
    return way == "DuckDB" and found.word == "refused" and not "".join(case.raters).isalnum()


def is_kept_by_pandas(case: Case, _: str, __: Outcome) -> bool:
    """Whether pandas takes the empty text for a label, beside numbers that it cannot hold."""
    gone = case.frame[case.raters].isna().to_numpy().any()
    return case.kind == "beyond 2**63" and case.text is not None and bool(gone)


def is_unknown(case: Case, way: str, found: Outcome) -> bool:
    """Whether a rater without a rating is named, whom nobody knows."""
    rated = [not all(map(_is_gone, case.frame[name].astype(object))) for name in case.raters]
    return found.word == "refused" and not all(rated) and ("long" in way or way in OF_TOOLS)


def has_no_order(case: Case, way: str, _: Outcome) -> bool:
    """Whether a Categorical becomes text on the way."""
    dtype = case.frame.dtypes[case.raters[0]]
    is_of_numbers = case.kind == "whole numbers" and way.startswith("Parquet")
    return isinstance(dtype, pd.CategoricalDtype) and (way in AS_TEXT or is_of_numbers)


OF_TOOLS = ("from_votes", "from_records", "Label Studio", "Prodigy", "doccano", "Argilla")
OF_TOOLS += ("Inspect AI",)
AS_TEXT = ("polars", "polars, long", "DuckDB", "DuckDB, long", "JSON lines", "JSON lines, long")
AS_TEXT += (*OF_TOOLS, "JSON, whole", "command line, JSON lines")
WITHOUT_GROUPS = ("command line", "command line, JSON lines", "command line, Excel", "from_votes")
WITHOUT_GROUPS += ("Label Studio", "Prodigy", "doccano", "Argilla")
# What docs/reading.md tells; it may only become less.
DIFFERENCES: dict[str, Callable[[Case, str, Outcome], bool]] = {
    "A table that would be misread": is_misread,
    "An empty text": is_empty_text,
    "What can be a label in exports": is_no_label,
    "Names of columns in DuckDB": is_not_named,
    "Categoricals": has_no_order,
    "Raters who rated nothing": is_unknown,
    "Numbers of 2**63 and more in text": is_kept_by_pandas,
}
