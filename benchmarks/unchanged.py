"""Show that two versions of pdkappa do the same: record one, compare the other with it.

    python benchmarks/unchanged.py record FILE
    python benchmarks/unchanged.py compare FILE

Whatever pdkappa is importable is described by what a user can see of it: names, signatures and
docstrings, the calls in unchanged.txt and the examples of all docstrings, with every bit of their
results, warnings, errors and files. ``compare`` prints every difference, and fails if there is one.
"""

from __future__ import annotations

import argparse
import doctest
import gzip
import inspect
import io
import itertools
import json
import os
import re
import shlex
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

import pdkappa as pk
import pdkappa.cli
import pdkappa.dask
from pdkappa.accessor import NAMESPACES
from pdkappa.methods.predictions.cutpoints import cutpoints

mpl.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
from describe import clean, text_lines, timeless  # noqa: E402

CALL = "<call>"  # the file that a warning has to point at
NO_ARGUMENTS = ("note", "to_frame", "summary", "profile", "to_markdown", "to_latex", "style")
DEEPEST = 2  # results within results
SHOWN = 10  # places of one call that differ
AROUND = 60  # characters shown on either side of a difference
SEEN: Counter[str] = Counter()  # what has been compared, by kind
CHOICES = {
    "COEFFICIENT": "'cohen' | 'scott' | 'brennan_prediger' | 'gwet' | 'krippendorff' | 'percent'",
    "OF_MANY": "'light' | 'percent' | 'brennan_prediger' | 'fleiss' | 'conger' | 'gwet' | "
    "'krippendorff'",
    "SPLIT": "'light' | 'fleiss' | 'conger' | 'krippendorff'",
    "WEIGHTS": "None | 'linear' | 'quadratic' | 'ordinal' | 'radical' | 'ratio' | 'circular' | "
    "'bipolar'",
    "CI": "'fisher' | 'wald' | 'percentile' | 'bca' | 'jackknife'",
    "BENCHMARK": "'landis_koch' | 'krippendorff' | 'altman' | 'fleiss' | 'cicchetti' | 'gwet'",
}
nan = float("nan")


# --- What a value looks like, bit for bit: lines of "path: text" ---------------------------------


def describe(value, path="", depth=0):
    """Yield lines that say everything about a value that a user can see."""
    if isinstance(value, np.ndarray) and isinstance(next(value.flat, None), mpl.artist.Artist):
        value = value.flat[0]
    ways = (way for kinds, way in WAYS.items() if isinstance(value, kinds))
    if type(value).__module__.split(".")[0] == "pdkappa":
        yield from _of_result(value, path, depth)
    elif way := next(ways, None):
        yield from way(value, path)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from describe(item, f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, (list, tuple)):
        yield f"{path}: {type(value).__name__} of {len(value)}"
        for place, item in enumerate(value):
            yield from describe(item, f"{path}[{place}]", depth + 1)
    else:
        SEEN["floats"] += isinstance(value, float)
        yield f"{path}: {type(value).__name__} {clean(repr(value))}"


def _of_index(value, path):
    """Yield the labels, their names and types."""
    names, dtype = list(value.names), getattr(value, "dtypes", value.dtype)
    yield f"{path}: {type(value).__name__} {names} {dtype!r} {value.tolist()}"


def _of_array(value, path):
    """Yield all numbers."""
    SEEN["floats"] += value.size if value.dtype.kind == "f" else 0
    yield f"{path}: array {value.dtype} {value.shape} {value.tolist()}"


def _of_styler(value, path):
    """Yield the page."""
    yield from text_lines(value.set_uuid("u").to_html(), path)


def _of_picture(value, path):
    """Yield the drawing, without its date."""
    file = io.StringIO()
    SEEN["plots"] += 1
    value.get_figure().savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    yield from text_lines(file.getvalue(), path)


def _of_pandas(value, path):
    """Yield the labels, the types and the values, of which ``repr`` keeps every bit."""
    SEEN["frames"] += 1
    yield f"{path}: {type(value).__name__} {value.shape} attrs {value.attrs}"
    yield from describe(value.index, f"{path}.index")
    if isinstance(value, pd.Series):
        columns = [("", value)]
        yield f"{path}.name: {value.name!r}"
    else:
        columns = [(name, value.iloc[:, place]) for place, name in enumerate(value.columns)]
        yield from describe(value.columns, f"{path}.columns")
    for name, column in columns:
        SEEN["floats"] += column.size if pd.api.types.is_float_dtype(column.dtype) else 0
        yield f"{path}[{name!r}]: {column.dtype!r} {clean(repr(column.tolist()))}"


WAYS = {
    (pd.DataFrame, pd.Series): _of_pandas,
    pd.Index: _of_index,
    np.ndarray: _of_array,
    Styler: _of_styler,
    mpl.artist.Artist: _of_picture,
}


def _of_result(value, path, depth):
    """Yield the public attributes of a result, and the ways in which it shows itself."""
    kind = next((n for n in names_of("results") if type(value) is getattr(pk.results, n)), "")
    if not kind and not isinstance(value, pk.Ratings):
        yield f"{path}: <object>"
        return
    yield from text_lines(clean(repr(value)), f"{path} repr")
    yield from text_lines(clean(str(value)), f"{path} str")
    if not kind or depth > DEEPEST:
        return
    for name in sorted(n for n in dir(value) if not n.startswith("_")):
        if not callable(inspect.getattr_static(value, name)):
            yield from describe(getattr(value, name), f"{path}.{name}", depth + 1)
    for name in NO_ARGUMENTS:
        if hasattr(value, name):
            yield from describe(getattr(value, name)(), f"{path}.{name}()", depth + 1)
    if hasattr(value, "_repr_html_"):
        yield from text_lines(value._repr_html_(), f"{path} html")
    if hasattr(value, "__float__"):
        yield f"{path} float: {float(value)!r}"
    if isinstance(value, Mapping):
        yield from describe(dict(value), path, depth + 1)


def file_lines(path):
    """Yield what a file holds, the time and the version of pdkappa apart."""
    SEEN["files"] += 1
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            parts = {name: book.read(name) for name in book.namelist()}
    else:
        parts = {"": path.read_bytes()}
    for name, data in parts.items():
        text = timeless(data.decode("utf-8", "backslashreplace"))
        if len(name) > 0:  # members have few lines: one for each tag
            text = text.replace("><", ">\n<")
        yield from text_lines(text, f"file {path.name}/{name}")


# --- The surface ---------------------------------------------------------------------------------

MODULES = ("datasets", "errors", "plan", "results", "tools", "typing")


def names_of(module):
    """List the public names of a module."""
    return getattr(pk, module).__all__


def surface():
    """Return the public objects by name: functions, classes, their attributes, the accessors."""
    found = {name: getattr(pk, name) for name in [*pk.__all__, "KappaCuts"]}
    for module in MODULES:
        found |= {
            f"{module}.{name}": getattr(getattr(pk, module), name) for name in names_of(module)
        }
    found |= {"cli.main": pk.cli.main, "dask.DaskKappa": pk.dask.DaskKappa}
    found |= {"df.kappa": pd.DataFrame.kappa, "s.kappa": pd.Series.kappa} | NAMESPACES
    found["groupby.kappa"] = pd.api.typing.DataFrameGroupBy.kappa
    found["plot"] = type(pd.DataFrame([[1, 1]]).kappa.plot)
    result = pk.datasets.load_essays().kappa.grouped("human_1", "machine", by="essay_set")
    found["GroupedAgreement.plot"] = type(result.plot)
    for name, thing in list(found.items()):
        if inspect.isclass(thing):
            names = [n for n in dir(thing) if not n.startswith("_")]
            found |= {f"{name}.{n}": getattr(thing, n) for n in names}
    return found


def of_object(thing):
    """Yield the kind, the signature, the bases and the docstring of a public object."""
    yield f"kind: {type(thing).__name__}"
    if callable(thing):
        try:
            yield f"signature: {clean(str(inspect.signature(thing)))}"
        except ValueError:
            yield "signature: none"
    if inspect.isclass(thing):
        yield f"bases: {[c.__name__ for c in thing.__mro__ if 'pdkappa' not in c.__module__]}"
        yield f"public: {[c.__name__ for c in thing.__mro__ if c.__name__ in pk.__all__]}"
    if not isinstance(thing, (str, int, float, type(None), tuple, dict)):
        yield from text_lines(inspect.getdoc(thing), "doc")


# --- The calls -----------------------------------------------------------------------------------

FILES = {
    "bad.csv": "a;b\n1;2\n",
    "studio.json": """[
{"id": 1, "mood": "good", "annotator": 3}, {"id": 1, "mood": "bad", "annotator": 4},
{"id": 2, "mood": {"choices": ["bad", "good"]}, "annotator": 3},
{"id": 2, "mood": "bad", "annotator": 4}, {"id": 3, "annotator": 4}]""",
    "turk.csv": """HITId,task,WorkerId,AssignmentStatus,Answer.mood
x,1,ann,Approved,good\nx,1,bob,Approved,bad\ny,2,ann,Approved,bad\ny,2,bob,Rejected,bad
z,3,ann,Submitted,\nz,3,bob,Approved,good\n""",
    "x.jsonl": '{"id": 1, "label": ["good"]}\n{"id": 2, "label": ["bad", "good"]}\n',
    "y.jsonl": '{"id": 1, "label": ["bad"]}\n{"id": 2, "label": ["bad"]}\n',
    "moods.jsonl": """\
{"_input_hash": 1, "_session_id": "m-ann", "accept": ["good"], "answer": "accept"}
{"_input_hash": 1, "_session_id": "m-bob", "accept": ["good"], "answer": "accept"}
{"_input_hash": 2, "_session_id": "m-ann", "accept": ["bad"], "answer": "accept"}
{"_input_hash": 2, "_session_id": "m-bob", "accept": [], "answer": "ignore"}
{"_input_hash": 3, "_session_id": "m-bob", "accept": ["good", "bad"], "answer": "accept"}
""",
}


def two(a, b, **more):
    """Return ratings of two raters, and other columns."""
    return pd.DataFrame({"a": a, "b": b, **more})


def cli(line):
    """Run the command line."""
    return pk.cli.main(shlex.split(line))


def outside():
    """Return the data sets of ``tests/data``, those of pairs case by case, and their scales."""
    tables, wide, counts, scales = {}, {}, {}, {}
    for path in sorted((HERE.parent / "tests" / "data").rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        name, layout = f"{path.parent.name}/{path.stem}", data.get("layout")
        scales[name] = data.get("categories")
        if layout == "table":
            labels = pd.Index(scales[name])
            tables[name] = pd.DataFrame(data["rows"], index=labels, columns=labels)
        elif layout == "wide":
            frame = pd.DataFrame(data["rows"], columns=data.get("columns", data["raters"]))
            wide[name] = frame[data["raters"]]
        elif layout == "counts":
            counts[name] = pd.DataFrame(data["rows"], columns=data["columns"])[
                [str(label) for label in scales[name]]
            ]
        elif layout == "pairs":
            cases = {**data["cases"], **data.get("mean_cases", {})}
            for case, given in cases.items():
                lists = [v for v in given.values() if isinstance(v, list)] if given else []
                if len(lists) > 1 and len(lists[0]) == len(lists[1]):
                    wide[f"{name}/{case}"] = pd.DataFrame({"a": lists[0], "b": lists[1]})
                    scales[f"{name}/{case}"] = None
        elif "h1" in data.get("columns", ()):
            wide[name] = pd.DataFrame(data["rows"], columns=data["columns"])[
                ["h1", "machine", "h2"]
            ]
    return {"T": tables, "W": wide, "N": counts, "SCALE": scales}


def world():
    """Return the names that calls may use: the data, and the files in the folder ``in``."""
    essays = pk.datasets.load_essays()
    sets = essays[essays["essay_set"].isin([3, 4])].reset_index(drop=True).iloc[::4].copy()
    sets["w"] = np.arange(len(sets)) % 3
    sets["half"] = 0.5 + sets["w"]
    sets["block"] = np.arange(len(sets)) // 4
    sets["score"] = (sets["human_2"] + sets["machine"]) / 2 + np.arange(len(sets)) % 7 / 10
    holes = sets.mask(np.arange(sets.size).reshape(sets.shape) % 11 == 3)  # noqa: PLR2004
    holes["essay_set"] = sets["essay_set"]
    words = ["low", "mid", "high"]
    text = two(words * 4, ["low", "low", "high"] * 4, g=list("xxxyyyzzzzzz"))
    odd = two([1, 1, 2, 2, 3, 3, 3, nan, 1], [1, 2, 2, 2, 3, nan, 3, nan, 2]).assign(
        c=[2] * 9, d=[2] * 9, e=[nan] * 9, g=list("xxxxyyyzz"), h=[1, 1, 2] * 3, w=[0, 2] * 4 + [1]
    )
    long = sets.melt("essay_id", ["human_1", "human_2", "machine"], "who", "rating")
    names = {"cutpoints": cutpoints}
    names |= {
        "essays": essays,
        "sets": sets,
        "holes": holes,
        "text": text,
        "odd": odd,
        "long": long,
    }
    names["cats"] = text.assign(**{n: pd.Categorical(text[n], words, ordered=True) for n in "ab"})
    names["probs"] = pd.DataFrame(np.random.default_rng(1).dirichlet([1, 2, 3], 40))
    names["numbers"] = two([1, 2, 3, 1], [1, 3, 3, 2]).assign(
        group=list("xxyy"), other=[5, 5, 7, 8], zero=0
    )
    names["many"] = two(range(9000), range(9000))
    load = pk.datasets
    names |= {name.removeprefix("load_"): getattr(load, name)() for name in load.__all__}
    Path("in").mkdir()
    sets.to_csv("in/sets.csv", index=False)
    sets.to_parquet("in/sets.parquet")
    holes.to_csv("in/holes.tsv", index=False, sep="\t")
    text.to_csv("in/text.csv", index=False)
    sets[["essay_id", "essay_set", "essay_weight", "human_1"]].to_csv("in/true.csv", index=False)
    sets[["essay_id", "machine"]].iloc[:-2].to_csv("in/sent.csv", index=False)
    sets[["essay_id", "machine"]].to_csv("in/whole.csv", index=False)
    for name, content in FILES.items():
        Path("in", name).write_text(content, encoding="utf-8")
    return names | outside()


def expanded(line, names):
    """Yield a call for each choice: ``<<a | b>>`` lists them, ``<<W>>`` the keys of a table.

    What stands twice in one call is the same choice.
    """
    options = {}
    for inside in re.findall(r"<<(.*?)>>", line):
        keys = names.get(inside) if inside.isidentifier() else None
        options[inside] = [*map(repr, keys)] if keys else CHOICES.get(inside, inside).split(" | ")
    for chosen in itertools.product(*options.values()):
        filled = dict(zip(options, chosen, strict=True))
        yield re.sub(r"<<(.*?)>>", lambda found: filled[found[1]], line)  # noqa: B023


def run(source, names, *, keep=False):
    """Return all that a call does: value, output, warnings or error, and files, unless kept."""
    SEEN["calls"] += 1
    out, err, lines = io.StringIO(), io.StringIO(), []
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(out), redirect_stderr(err):
        warnings.simplefilter("always")
        try:
            try:
                code = compile(source, CALL, "eval")
            except SyntaxError:
                exec(compile(source, CALL, "exec"), names)  # noqa: S102
            else:
                lines += describe(eval(code, names))  # noqa: S307
        except (Exception, SystemExit) as error:  # noqa: BLE001
            SEEN["errors"] += 1
            bases = [c.__name__ for c in type(error).__mro__]
            lines.append(f"error: {bases} {clean(str(error))}")
    for one in caught:
        SEEN["warnings"] += 1
        place = "here" if one.filename in {CALL, __file__} else "elsewhere"
        lines.append(f"warning, {place}: {one.category.__name__} {clean(str(one.message))}")
    lines += text_lines(out.getvalue(), "out")
    lines += text_lines(err.getvalue(), "err")
    for path in [] if keep else sorted(Path().glob("*.*")):
        lines += file_lines(path)
        path.unlink()
    plt.close("all")
    return lines


def examples(found):
    """Yield the examples of the docstrings, each with a name and the names that it shares."""
    done = set()
    for name, thing in found.items():
        doc = inspect.getdoc(thing) or ""
        if doc in done or isinstance(thing, (str, int, float, tuple, type(None))):
            continue
        done.add(doc)
        names = {"pd": pd, "np": np, "pdkappa": pk}
        for number, example in enumerate(doctest.DocTestParser().get_examples(doc)):
            yield f"example {number} of {name}: {example.source.strip()}", example.source, names
        yield f"example of {name}: files", "None", names


def everything():
    """Return the lines that describe everything, by the name of what they describe."""
    found, names = surface(), world()
    record = {f"surface {name}": [*of_object(thing)] for name, thing in found.items()}
    record["surface"] = [f"all: {sorted(pk.__all__)}", f"dir: {dir(pk)}"]
    frames = {name: value for name, value in names.items() if isinstance(value, pd.DataFrame)}
    frames |= {f"W {name}": frame for name, frame in names["W"].items()}
    before = {name: [*describe(frame)] for name, frame in frames.items()}
    names |= {"pk": pk, "pd": pd, "np": np, "plt": plt, "cli": cli, "two": two, "nan": nan}
    for line in (HERE / "unchanged.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            for source in expanded(line, names):
                assert source not in record, f"twice: {source}"
                record[source] = run(source, names)
    after = {name: [*describe(frame)] for name, frame in frames.items()}
    record["frames that calls have changed"] = [n for n in frames if before[n] != after[n]]
    for name, source, own in examples(found):
        record[name] = run(source, own, keep=source != "None")
    return record


# --- The comparison ------------------------------------------------------------------------------


def differences(old, new):
    """Yield what is not the same in two records, in words."""
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            yield f"{name}\n    only {'before' if name in old else 'now'}"
        elif old[name] != new[name]:
            pairs = itertools.zip_longest(old[name], new[name], fillvalue="(nothing)")
            places = [(a, b) for a, b in pairs if a != b]
            shown = [f"    before {_cut(a, b)}\n    now    {_cut(b, a)}" for a, b in places[:SHOWN]]
            yield "\n".join([f"{name}\n  {len(places)} line(s) differ", *shown])


def _cut(text, other):
    """Show a line around its first difference from another."""
    equal = (a == b for a, b in zip(text, other, strict=False))
    place = sum(itertools.takewhile(bool, equal))
    path = text[: text.find(": ") + 2] if place > AROUND else ""
    return f"{path}…{text[max(0, place - AROUND) : place + AROUND]}" if path else text[: 2 * AROUND]


def main(action, file):
    """Record, or compare."""
    file, start = file.resolve(), time.process_time()
    mpl.rcParams.update({"svg.hashsalt": "pdkappa", "svg.fonttype": "none"})
    pd.set_option("display.width", 100, "display.max_columns", 20)
    os.environ["COLUMNS"] = "100"
    drawn = np.random.default_rng  # what has no seed draws the same
    np.random.default_rng = lambda seed=None: drawn(0 if seed is None else seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        record = everything()
        os.chdir(file.parent)
    seconds = time.process_time() - start
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(SEEN.items()))
    print(f"{Path(pk.__file__).parent}: {len(record):,} entries, {counts}, {seconds:.0f} s")
    if action == "record":
        file.write_bytes(gzip.compress(json.dumps(record).encode(), mtime=0))
        return 0
    found = [*differences(json.loads(gzip.decompress(file.read_bytes())), record)]
    for one in found:
        print(one)
    print(f"{len(found)} differences")
    return int(bool(found))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("action", choices=["record", "compare"])
    arguments.add_argument("file", type=Path)
    sys.exit(main(**vars(arguments.parse_args())))
