"""Every error that a call can raise: its class, and the whole of its message."""

import ast
import datetime as dt
import inspect
import io
import re
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdkappa
from conftest import MESSAGES, function_of, two
from pdkappa import errors
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    DuplicateRatingError,
    ExportError,
    KappaError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    MissingDependencyError,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    UndefinedKappaWarning,
    UnknownOptionError,
    WeightsError,
)
from pdkappa.methods.agreement.all_raters import ORDINAL_METRIC

nan = float("nan")
PACKAGE = Path(pdkappa.__file__).parent
THREE = pd.DataFrame({"a": [1, 2, 1, 2], "b": [1, 2, 2, 2], "c": [1, 1, 1, 2]})


def objects(*values):
    """Return values as a column of objects."""
    return pd.Series(list(values), dtype=object)


NUMBERS = two([1, 2, 3, 1], [1, 3, 3, 2]).assign(
    group=["x", "x", "y", "y"], other=[5, 5, 7, 8], zero=0
)
TEXT = two(["low", "mid", "high"], ["low", "high", "mid"])
ANXIETY = pdkappa.datasets.load_anxiety()
TWICE = pd.DataFrame([[1, 2, 3], [2, 2, 3]], columns=["a", "b", "b"])
MANY = pd.DataFrame({"a": range(9000), "b": range(9000)})
LABELS = ["low", "mid", "high"]
MATRIX = pd.DataFrame(1 - np.eye(3), index=LABELS, columns=LABELS)
TABLE = pd.DataFrame([[20, 5], [10, 15]], index=["x", "y"], columns=["x", "y"])


def pairs(data=NUMBERS, raters=("a", "b"), **options):
    """Return a call of `pairs`."""
    return calls(function_of("pairs"), data, list(raters), **options)


def calls(function, *args, **options):
    """Return a call of any function."""
    return lambda: function(*args, **options)


RATINGS = {
    "no frame": calls(function_of("pairs"), [1, 2, 3]),
    "a frame of polars": lambda: pdkappa.KappaAccessor(
        import_module("polars").DataFrame({"a": [1, 2]})
    ).pairs(),
    "a frame of Dask": lambda: pdkappa.KappaAccessor(
        import_module("dask.dataframe").from_pandas(NUMBERS, npartitions=2)
    ).pairs(),
    "an open file": calls(function_of("pairs"), io.BytesIO(b"a,b")),
    "a path": calls(function_of("pairs"), "ratings.csv"),
    "one rater": pairs(raters=["a"]),
    "no rater": calls(function_of("pairs"), pd.DataFrame()),
    "absent rater": pairs(raters=["a", "groups"]),
    "absent rater of NumPy": pairs(raters=["a", np.int64(9)]),
    "absent group of NumPy": pairs(by=np.str_("essay set")),
    "rater of NumPy twice": pairs(
        NUMBERS.set_axis(range(5), axis=1), [0, np.int64(1), np.int64(1)]
    ),
    "absent group": pairs(by="essay set"),
    "a group in the index": pairs(NUMBERS.set_index("group"), by="group"),
    "absent weight": pairs(sample_weight="times"),
    "no column at all": calls(function_of("confusion"), pd.DataFrame(), "a", "b"),
    "several columns": pairs(TWICE),
    "rater twice": pairs(raters=["a", "b", "a"]),
    "group twice": pairs(by=["group", "group"]),
    "rater and group": pairs(by="b"),
    "raters as text": calls(function_of("pairs"), NUMBERS, "a"),
    "raters as a number": calls(function_of("pairs"), NUMBERS, 3),
    "raters as a set": calls(function_of("pairs"), NUMBERS, {"a", "b"}),
    "by as a Series": pairs(by=NUMBERS["group"]),
    "by nothing": pairs(by=[]),
    "missing rating": pairs(two([1, 2, nan], [nan, 2, 3]).set_axis(list("xyz")), missing="raise"),
    "unhashable": pairs(two([{1: 2}, {2: 3}], [1, 2])),
    "unhashable group": pairs(NUMBERS.assign(group=[{1: 2}] * 4), by="group"),
    "complex": pairs(two([1j, 2], [1, 2])),
    "missing in a tuple": pairs(two([("x", None), ("x", 1)], [("x", 1), ("x", 1)])),
    "mixed column": pairs(two(objects(1, "x", 2.5), [1, 2, 3])),
    "True for 1": pairs(two(pd.Series([1, True, 2], dtype=object), [1, 2, 3])),
    "mixed raters": pairs(two(np.array([0, 1, 3], "int8"), objects("0", "1", "3"))),
    "mixed raters beside an empty one": calls(
        function_of("pairs"), two([1.5, 1.5, 2.0, 2.5, 0.5], objects(*"xyxyx")).assign(c=nan)
    ),
    "booleans and scores": pairs(two([True, False, True], np.array([1, 0, 2], "int16"))),
    "time zones": pairs(
        two(
            pd.to_datetime(["2020"]).as_unit("ns"),
            pd.to_datetime(["2020"]).as_unit("ns").tz_localize("UTC"),
        )
    ),
}


CATEGORIES = {
    "no order": pairs(TEXT, weights="quadratic"),
    "no order of datetimes": pairs(
        two(pd.to_datetime(["2020", "2021"]), pd.to_datetime(["2020"] * 2)), weights="linear"
    ),
    "no order of tuples": pairs(two([("x",), ("y",)], [("x",), ("y",)]), weights="linear"),
    "no order for an array": pairs(TEXT, weights=1 - np.eye(3)),
    "no order for a callable": pairs(TEXT, weights=lambda scores: scores),
    "numeric text": pairs(two(["1", "10", "2"], ["1", "2", "10"]), weights="linear"),
    "different orders": pairs(
        two(
            pd.Categorical(["low", "high"], LABELS, ordered=True),
            pd.Categorical(["low", "high"], LABELS[::-1], ordered=True),
        ),
        weights="linear",
    ),
    "outside": pairs(two([1, 2, 9, 9], [1, 2, 7, 2]).set_axis(list("wxyz")), categories=[1, 2]),
    "many outside": pairs(two(range(10), range(10)), categories=[0]),
    "outside a Categorical": pairs(
        two(pd.Categorical(["low", "high"], LABELS, ordered=True), ["low", "top"]), weights="linear"
    ),
    "scores beside a Categorical": lambda: two(
        pd.Categorical([1, 2, 2], ordered=True), [1.25, 2, 1]
    ).kappa.machine.readiness("a", "b"),
    "of another kind": pairs(categories=["1", "2", "3"]),
    "a string": pairs(TEXT, categories="low"),
    "a set": pairs(TEXT, categories=set(LABELS)),
    "empty": pairs(categories=[]),
    "missing": pairs(TEXT, categories=[*LABELS, None]),
    "twice": pairs(TEXT, categories=[*LABELS, "mid", "low"]),
    "neither up nor down": pairs(categories=[1, 3, 2]),
    "mixed categories": pairs(categories=[1, "x"]),
    "complex categories": pairs(categories=[1j]),
    "unhashable categories": pairs(categories=[{1: 2}, {2: 3}]),
    "no score": pairs(TEXT, categories={"low": 0, "mid": nan, "high": 1}),
    "same score": pairs(TEXT, categories={"low": 0, "mid": 1, "high": 0}),
    "infinite": pairs(two([1, 2, np.inf], [1, 2, 2]), weights="linear"),
    "same float": pairs(two([0, 2**53], [2**53 + 1, 0]), weights="linear"),
}


WEIGHTS = {
    "not known": pairs(weights="cubic"),
    "chosen by nobody": pairs(weights="auto"),
    "known elsewhere": pairs(weights="squared"),
    "no matrix": pairs(weights=[1, 2]),
    "no matrix from a callable": pairs(weights=lambda scores: scores),
    "shape": pairs(weights=np.eye(2)),
    "text": pairs(weights=[["1"] * 3] * 3),
    "not finite": pairs(weights=[[0, 1, nan], [1, 0, 1], [nan, 1, 0]]),
    "negative": pairs(weights=[[0, 1, -1], [1, 0, 1], [-1, 1, 0]]),
    "asymmetric": pairs(weights=[[0, 1, 2], [1, 0, 1], [3, 1, 0]]),
    "diagonal": pairs(weights=np.diag([0, 1, 0])),
    "no disagreement": pairs(weights=np.ones((3, 3))),
    "label twice": pairs(TEXT, weights=MATRIX.set_axis(["low", "low", "high"])),
    "label absent": pairs(TEXT, weights=MATRIX[["low", "mid"]]),
    "ratio": pairs(NUMBERS[["a", "b"]] - 2, weights="ratio"),
    "too large": pairs(MANY, weights="radical"),
    "too large for a callable": pairs(MANY, weights=np.subtract.outer),
}

SAMPLE_WEIGHTS = {
    "text": pairs(sample_weight=["1", "1", "1", "1"]),
    "text objects": pairs(sample_weight=objects("1", "1", "1", "1")),
    "ragged": pairs(sample_weight=[[1], [1, 2]]),
    "shape": pairs(sample_weight=[1, 2]),
    "fractional": pairs(sample_weight=[1, 2.5, 1, 1.5]),
    "no weights of a sample": pairs(weight_type="probability"),
    "kind of weights": pairs(weight_type="importance", sample_weight=[1, 2, 1, 1]),
    "negative": pairs(sample_weight=[1, 1, -0.5, 1]),
    "missing": pairs(sample_weight=[1, None, 1, 1]),
    "sum": pairs(sample_weight=[1e308] * 4),
    "index": pairs(sample_weight=pd.Series([1, 2, 3, 4], index=list("wxyz"))),
    "table": lambda: pdkappa.from_table([[20, 5], [10, 15]]).pairs(sample_weight=[1, 2, 3, 4]),
    "scales": pairs(
        pd.DataFrame({"a": range(20_000), "b": range(20_000), "group": range(20_000)}),
        by="group",
        weights="linear",
    ),
    "cluster missing": pairs(cluster=["x", None, "y", "y"]),
    "cluster length": pairs(cluster=["x", "y"]),
    "cluster of one value": pairs(cluster=7),
    "cluster of lists": pairs(cluster=[[1]] * 4),
    "cluster and rater": pairs(cluster="b"),
}


def grouped(**options):
    """Return a call of `grouped`."""
    return lambda: NUMBERS.kappa.grouped("a", "b", by="group", **options)


GROUP_WEIGHTS = {
    "list": grouped(group_weights=[1, 2]),
    "absent": grouped(group_weights={"x": 1}),
    "twice": grouped(group_weights=pd.Series([1, 2, 3], index=["x", "y", "x"])),
    "not constant": grouped(group_weights="other"),
    "zero": grouped(group_weights="zero"),
    "negative": grouped(group_weights={"x": 1, "y": -1}),
    "absent column": grouped(group_weights="weight"),
}


OPTIONS = {
    "missing, an array": pairs(missing=np.array([1, 2])),
    "categories, an array of no axes": pairs(categories=np.array("x")),
    "an option of another name": pairs(wieghts="quadratic"),
    "an option of no such name": calls(function_of("usage"), NUMBERS, ["a", "b"], colour="red"),
    "a flag": calls(function_of("attainable"), NUMBERS, ["a", "b"], together="no"),
    "one rater in a list": calls(function_of("cells"), NUMBERS, ["a"], "b"),
    "no groups": calls(function_of("compare_groups"), NUMBERS, ["a", "b"], by=None),
    "too many resamples": pairs(n_resamples=10**12),
    "beyond floats": calls(
        function_of("machine.ceiling"), NUMBERS, "a", ["b", "other"], margin=10**400
    ),
    "a name of no margins": calls(function_of("confusion"), NUMBERS, "a", "b", margins_name="Sum"),
    "missing": pairs(missing="drop"),
    "coefficient": pairs(coefficient="cohens"),
    "coefficient from elsewhere": pairs(coefficient="alpha"),
    "coefficient as a list": pairs(coefficient=["cohen"]),
    "ci": pairs(ci="exact"),
    "confidence_level": pairs(confidence_level=95),
    "confidence_level of NumPy": pairs(confidence_level=np.float64(95)),
    "confidence_level of 1": pairs(confidence_level=1),
    "stat": calls(function_of("pairwise"), NUMBERS, ["a", "b"], stat="kappa"),
    "normalize": calls(function_of("confusion"), NUMBERS, "a", "b", normalize="rows"),
    "margins_name": calls(
        function_of("confusion"), NUMBERS, "a", "b", margins=True, margins_name=1
    ),
    "confusion": calls(function_of("confusion"), MANY, "a", "b"),
    "clip": grouped(clip=1),
    "groupby": lambda: NUMBERS.groupby(NUMBERS["group"].to_numpy()).kappa.pairs(["a", "b"]),
    "groupby and by": lambda: NUMBERS.groupby("group").kappa.pairs(["a", "b"], by="group"),
    "items of counts": lambda: pdkappa.from_table(pdkappa.datasets.load_cohen1968()).report(
        id="patient"
    ),
    "columns": calls(function_of("items"), ANXIETY, columns="ann"),
    "columns twice": calls(
        function_of("items"), ANXIETY, ["rater_1", "rater_2"], id="rater_1", columns=["rater_1"]
    ),
    "title": lambda: ANXIETY.kappa.report().titled(" "),
    "unknown machines": calls(
        function_of("report"), ANXIETY, ["rater_1", "rater_2"], machine="gpt"
    ),
    "machines alone": calls(
        function_of("report"), ANXIETY, ["rater_1", "rater_2"], machine=["rater_1", "rater_2"]
    ),
}


SEQUENCES = {
    "lengths": calls(pdkappa.qwk, [1, 2, 3], [1, 2]),
    "index": calls(pdkappa.qwk, pd.Series([1, 2]), pd.Series([1, 2], index=["x", "y"])),
    "text": calls(pdkappa.qwk, [1, 2, 3], "123"),
    "axes": calls(pdkappa.qwk, np.ones((3, 1)), [1, 2, 3]),
    "kappas outside": calls(pdkappa.fisher_mean, [0.5, 1.5, -2]),
    "kappas as text": calls(pdkappa.fisher_mean, ["0.5"]),
    "one kappa": calls(pdkappa.fisher_mean, 0.5),
    "weights of zero": calls(pdkappa.fisher_mean, [0.5, 0.8], [0, 0]),
    "weights": calls(pdkappa.fisher_mean, [0.5, 0.8], [1]),
}


def table(given, **options):
    """Return a call of `from_table`."""
    return lambda: pdkappa.from_table(given, **options)


TABLES = {
    "axes": table([1, 2]),
    "square": table([[1, 2, 3], [4, 5, 6]]),
    "categories": table([[1, 2], [3, 4]], categories=["x", "y", "z"]),
    "labels": table(TABLE.set_axis(["x", "z"])),
    "missing label": table(TABLE.set_axis(["x", nan], axis=1)),
    "label twice": table(TABLE.set_axis(["x", "x"])),
    "levels": table(TABLE.set_axis(pd.MultiIndex.from_tuples([("g", "x"), ("g", "y")]), axis=1)),
    "counts": table(TABLE - 10),
    "text": table(TABLE.astype(str).astype(object)),
}

COUNTS = pd.DataFrame([[3, 0], [1, 2], [0, 3]], columns=["x", "y"])


def counts(given, **options):
    """Return a call of `from_counts`."""
    return lambda: pdkappa.from_counts(given, **options)


COUNTED = {
    "array": counts([[3, 0], [1, 2]]),
    "label twice": counts(COUNTS.set_axis(["x", "x"], axis=1)),
    "fraction": counts(COUNTS / 2),
    "negative": counts(COUNTS - 1),
    "too many": counts(COUNTS * 10_000),
    "raters": lambda: pdkappa.from_counts(COUNTS).pairs(),
}

RESAMPLING = {
    "n_resamples": pairs(ci="bca", n_resamples=0),
    "rng": pairs(ci="bca", rng="seed"),
    "progress": pairs(ci="bca", progress="bar"),
    "null": pairs(null=1),
    "fractional weights": pairs(
        ci="bca", n_resamples=10, sample_weight=[1, 1, 0.5, 1], weight_type="frequency"
    ),
    "raters of resampled items": lambda: THREE.kappa.agreement(vary="both", ci="bca"),
    "two raters vary": lambda: NUMBERS.kappa.agreement(["a", "b"], vary="raters"),
    "nobody varies": lambda: pdkappa.from_counts(
        pd.DataFrame({"x": [1, 2], "y": [2, 1]})
    ).agreement(vary="both"),
    "vary": lambda: THREE.kappa.agreement(vary="rater"),
    "covariances of too many": calls(function_of("homogeneity"), pd.DataFrame(np.ones((2, 129)))),
    "metric of alpha": calls(function_of("agreement"), NUMBERS, ["a", "b"], weights=ORDINAL_METRIC),
}


LONG = pd.DataFrame(
    {"item": [1, 1, 2, 2, 3, 3], "who": list("xyxyxy"), "score": [1, 2, 3, 3, 2, 2]}
)
SPOILED = objects("1", "2", "3", "five")
INFINITE = pd.DataFrame({"a": [1.0, np.inf, 2], "b": [1, 2, 2]}, index=list("xyz"))
BITS = pd.DataFrame({"a": [1, True], "b": [1, 2]}, dtype=object)
KINDS = {
    "bits beside numbers": pairs(BITS),
    "bits beside numbers, the third": pairs(BITS.assign(b=[0, 1], c=[1, 2]), "abc"),
    "numbers beside text because of one": pairs(two([1, 2, 3, 5], SPOILED)),
    "numbers spoiled by one text": pairs(two([1, 2, 3, 5], [1, 2, 3, "five"])),
    "no order because of one": pairs(two(["1", "2", "3", "4"], SPOILED), weights="linear"),
    "infinite": pairs(INFINITE, weights="quadratic"),
    "infinite in a source": calls(pdkappa.from_frame(INFINITE).pairs, weights="quadratic"),
    "complex numbers": pairs(two([1 + 2j, 2], [1, 2])),
    "weights that are text": pairs(two([1, 2], [1, 2]).assign(w=["one", "two"]), sample_weight="w"),
    "a long frame as if it were wide": calls(function_of("pairs"), LONG.astype({"who": object})),
    # Which pandas fills up to sort them, and warns that it will not do that for ever.
    "tuples beside text as groups": pairs(
        two([1, 2, 1], [1, 2, 2]).assign(g=[("x",), ("x", "y"), "z"]), by="g"
    ),
    "groups that cannot be sorted": pairs(two([1, 2], [1, 2]).assign(g=objects(0, 1j)), by="g"),
    # Numbers of NumPy beyond doubles stay what they are, and compare with tuples as arrays do.
    "a tuple among numbers": pairs(two(objects(*np.arange(3, dtype="g"), (1, 2)), range(4))),
}

TABLES_OF_CALLS = {
    "ratings": RATINGS,
    "categories": CATEGORIES,
    "weights": WEIGHTS,
    "sample_weight": SAMPLE_WEIGHTS,
    "group_weights": GROUP_WEIGHTS,
    "options": OPTIONS,
    "sequences": SEQUENCES,
    "tables": TABLES,
    "counts": COUNTED,
    "resampling": RESAMPLING,
    "kinds": KINDS,
}
NEEDED = {"a frame of polars": "polars", "a frame of Dask": "dask"}
CASES = [
    pytest.param(
        call,
        *MESSAGES[group].get(name, ("", "")),
        id=f"{group}-{name}",
        marks=[pytest.mark.needs(NEEDED[name])] if name in NEEDED else [],
    )
    for group, made in TABLES_OF_CALLS.items()
    for name, call in made.items()
]


def test_every_call_has_a_message():
    assert {group: [*made] for group, made in TABLES_OF_CALLS.items()} == {
        group: [*MESSAGES[group]] for group in TABLES_OF_CALLS
    }


@pytest.mark.parametrize(("call", "error", "message"), CASES)
def test_the_whole_message(call, error, message):
    with pytest.raises(KappaError) as caught:
        call()
    assert type(caught.value) is getattr(errors, error) is not KappaError
    assert str(caught.value) == message
    assert message.endswith((".", "?"))
    assert not re.search(r"[!\n]|\bplease\b|\bsorry\b|\binvalid\b", message.lower())
    assert len(message) < 400


@cache
def trees():
    """Parse all modules of the package."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


OF_INTEREST = ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Call
OF_INTEREST |= ast.Return | ast.Yield


@cache
def within(node):
    """List what is defined, assigned, called and returned in a function or a module, once."""
    return [one for one in ast.walk(node) if isinstance(one, OF_INTEREST)]


@cache
def functions():
    """Find all functions of the package by name, each with its module."""
    found = {}
    for tree in trees().values():
        for node in within(tree):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append((node, tree))
    return found


def called(node):
    """Return the name of what is called, or of an attribute."""
    node = getattr(node, "func", node)
    return getattr(node, "id", getattr(node, "attr", ""))


def assigned(scope, name):
    """Find the values of a name in a function or a module."""
    for node in scope.body if isinstance(scope, ast.Module) else within(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value and name in {getattr(target, "id", "") for target in targets}:
                yield node.value


NO_TEXT = ast.Attribute | ast.Compare | ast.comprehension | ast.keyword


def texts_in(node, function, tree, seen):
    """Find the texts that an expression is made of, by way of variables and functions, too."""
    if id(node) in seen:
        return
    seen.add(id(node))
    parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, NO_TEXT)]
    further = [(part, function, tree) for part in parts]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield (node.value,)
    elif isinstance(node, ast.JoinedStr):
        yield tuple(part.value for part in parts if isinstance(part, ast.Constant))
        further = [one for one in further if isinstance(one[0], ast.FormattedValue)]
    elif isinstance(node, ast.Name):
        values = [*assigned(function, node.id)] or [*assigned(tree, node.id)]
        further = [(value, function, tree) for value in values]
    elif isinstance(node, ast.Call | ast.Attribute):
        named = functions().get(called(node), [])
        for other, home in [one for one in named if one[1] is tree] or named[: len(named) == 1]:
            made = [one for one in within(other) if isinstance(one, ast.Return | ast.Yield)]
            further += [(one.value, other, home) for one in made if one.value]
    for one in further:
        yield from texts_in(*one, seen)


def templates():
    """Find the texts of all errors and warnings: their constant parts, and the places."""
    seen = set()
    for path, tree in trees().items():
        for function in (one for one in within(tree) if isinstance(one, ast.FunctionDef)):
            for node in within(function):
                text = None
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "message":
                    text = node.value
                elif isinstance(node, ast.Call) and re.search(r"(Error|^warn)$", called(node)):
                    text = node.args[0] if node.args else None
                for parts in texts_in(text, function, tree, seen) if text else ():
                    if len(re.findall(r"\b[a-z]+\b", " ".join(parts))) > 2:
                        yield parts, f"{path.relative_to(PACKAGE)}:{node.lineno}"


def texts_of_all_tests():
    """Find every text in the tests but docstrings, and the messages of the table above."""
    tables = [*MESSAGES.values(), *MESSAGES["methods"].values()]
    yield from (told[1] for table in tables for told in table.values() if isinstance(told, list))
    for table in MESSAGES["tests"].values():
        yield from (told[1] for several in table.values() for told in several)
    folder = next(path for path in Path(__file__).parents if path.name == "tests")
    for path in folder.rglob("*.py"):
        docstrings = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr):
                docstrings.add(id(node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = [getattr(part, "value", "") for part in ast.iter_child_nodes(node)]
                yield "".join(part if isinstance(part, str) else "?" for part in parts)
            elif isinstance(node, ast.Constant) and id(node) not in docstrings:
                yield str(node.value)


def holds(text, parts):
    """Whether the parts stand in a text, one after the other."""
    place = 0
    for part in parts:
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return True


def test_every_message_is_tested_whole():
    """Here, or beside the function that it belongs to; as it stands or as a pattern."""
    texts = {text for text in texts_of_all_tests() if text.count(" ") > 1}
    texts |= {re.sub(r"\\(.)", r"\1", text) for text in texts}
    known = dict(templates())
    assert len(known) > 250, "they are found in the source"
    longest = {parts: max(parts, key=len) for parts in known}
    untested = [
        f"{place} {'…'.join(parts)}"
        for parts, place in known.items()
        if not any(longest[parts] in text and holds(text, parts) for text in texts)
    ]
    assert untested == []


def test_what_is_told_has_its_test():
    for topic, told in MESSAGES["tests"].items():
        files = Path(__file__).parent.rglob(f"test_{topic}.py")
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        assert all(re.search(rf"def test_{name}\([^)]*\brefuses\b", text) for name in told), topic


BUILTINS = {
    OptionError: ValueError,
    UnknownOptionError: TypeError,
    RatingsError: ValueError,
    RatingTypeError: TypeError,
    CategoryError: ValueError,
    WeightsError: ValueError,
    DuplicateRatingError: ValueError,
    ColumnNotFoundError: KeyError,
    TooLargeError: MemoryError,
    ExportError: ValueError,
    MissingDependencyError: ImportError,
}


def test_every_error_is_also_the_builtin_that_a_caller_would_catch():
    for error, builtin in BUILTINS.items():
        assert issubclass(error, KappaError), error
        assert issubclass(error, builtin), error
        assert getattr(errors, error.__name__) is error
        assert error.__name__ in errors.__all__
        assert str(error("Something is wrong with 'x'.")) == "Something is wrong with 'x'."


def test_there_is_no_other_class():
    classes = [one for _, one in inspect.getmembers(errors, inspect.isclass)]
    known = {one for one in classes if one.__module__ == errors.__name__}
    warned = known - {KappaError, *BUILTINS}
    assert all(issubclass(one, KappaWarning) for one in warned)
    assert issubclass(KappaWarning, UserWarning)
    assert not issubclass(KappaError, ValueError | AttributeError)


def test_an_absent_column_is_shown_without_quotes_around_the_message():
    with pytest.raises(KeyError) as caught:
        NUMBERS.kappa.pairs(["a", "z"])
    assert str(caught.value).startswith("No rater column 'z'.")


def test_an_absent_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError) as caught:
        NUMBERS.kappa(progress=True).pairs(["a", "b"], ci="bca")
    assert type(caught.value) is MissingDependencyError
    message = (
        "progress=True needs tqdm, which is not installed. Run: pip install 'pdkappa[progress]'"
    )
    assert str(caught.value) == message


def test_the_cause_is_kept():
    with pytest.raises(RatingTypeError) as caught:
        two([{1: 2}, {2: 3}], [1, 2]).kappa.pairs()
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(WeightsError) as caught:
        NUMBERS.kappa.pairs(["a", "b"], sample_weight=[[1], [1, 2]])
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_warning_about_undefined_coefficients():
    data = NUMBERS[["a", "b"]].assign(c=[3] * 4, d=[3] * 4, e=[nan] * 4)
    with pytest.warns(UndefinedKappaWarning) as caught:
        data.kappa.pairs()
    assert [str(one.message) for one in caught] == [
        (
            "5 of 10 coefficients are undefined (NaN): 'a' with 'e' (no_joint_items), "
            "'b' with 'e' (no_joint_items), 'c' with 'd' (constant_ratings), "
            "'c' with 'e' (no_joint_items), 'd' with 'e' (no_joint_items). "
            "The column 'reason' says why."
        )
    ]
    assert caught[0].filename == __file__


def test_at_most_five_are_named():
    with pytest.warns(UndefinedKappaWarning) as caught:
        pd.DataFrame({name: [3, 3] for name in "abcde"}).kappa.pairwise()
    (warning,) = caught
    assert str(warning.message).startswith("10 of 10 coefficients are undefined (NaN): 'a' with")
    assert "'b' with 'c' (constant_ratings) and 5 more." in str(warning.message)


def test_groups_are_named():
    data = two([1, 1, 2, 3], [1, 1, 3, 2]).assign(group=list("xxyy"), more=[7, 7, 8, 8])
    with pytest.warns(UndefinedKappaWarning) as caught:
        data.kappa.pairs(["a", "b"], by=["group", "more"])
    assert "1 of 2 coefficients is undefined (NaN): 'a' with 'b' at group=x, more=7 (cons" in str(
        caught[0].message
    )


def warned(call, category=LookalikeLabelsWarning):
    """Return the only warning of a category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (found,) = (str(x.message) for x in caught if issubclass(x.category, category))
    return found


def test_a_long_frame_of_numbers_is_refused(refuses):
    numbers = pd.DataFrame({"item": np.repeat(range(10), 3), "who": [1, 2, 3] * 10})
    data = numbers.assign(score=np.arange(30) % 4)
    with refuses():
        data.kappa.pairs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data.kappa.pairs(list(data))


def test_a_long_frame_of_a_crowd_is_refused():
    rng = np.random.default_rng(0)
    who = np.concatenate([rng.choice(25, 5, replace=False) for _ in range(60)])
    crowd = pd.DataFrame({"item": np.repeat(range(60), 5), "who": who, "label": who % 4})
    for data in (
        crowd,
        crowd.astype(str),
        crowd.assign(label=crowd["label"].map("abcd".__getitem__)),
    ):
        with pytest.raises(KappaError, match="item='item', rater='who', rating='label'"):
            data.kappa.pairwise()
    levels = rng.integers(0, 40, 300)  # of which three raters give many, and no two always others
    apart = pd.DataFrame({name: levels + rng.integers(0, 3, 300) for name in "abc"})
    assert len(apart.kappa.pairs()) == 3


def test_blank_text():
    data = two(["x", " ", "y", "x"], ["x", "y", "", "x"])
    assert warned(data.kappa.pairs).startswith(
        "Blank text such as ' ' is a label of 'a', 'b'. Set it to missing with "
        r".replace(r'^\s*$', pd.NA, regex=True), if nothing was rated."
    )


def test_missing_values_that_became_text():
    told = (
        "Missing values written as text, such as 'None', are labels of 'a', 'b'. Set them to "
        "missing with .replace(['None', 'nan'], pd.NA), or name them in categories=[...] if they "
        "are labels. Nothing was changed."
    )
    data = two(["x", "None", "y", "x", "y"], ["x", "y", "nan", "x", "y"])
    assert warned(data.kappa.pairs) == told
    data.kappa.pairs(categories=["None", "nan", "x", "y"])
    data.replace(["None", "nan"], pd.NA).kappa.pairs()


GROUPED = pd.DataFrame(
    {"a": [1, 2, 2, 1, 3, 1], "b": [1, 2, 3, 1, 3, 2], "g": ["x", None, "x", "y", "y", None]}
)
UNGROUPED = (
    "Items without a group are left out: 'g' is missing for 2 items, at index 1, 5. Fill it in to "
    "keep them as a group, as with df.fillna(...)."
)
GROUPED_CALLS = {
    "pairs": lambda data: data.kappa.pairs(by="g"),
    "grouped": lambda data: data.kappa.grouped("a", "b", by="g"),
    "agreement": lambda data: data.kappa.agreement(by="g"),
    "concordance": lambda data: data.kappa.scores.concordance(by="g"),
    "evaluation": lambda data: data.kappa.machine.evaluate("a", "b", by="g"),
    "scorecard": lambda data: data.kappa.predictions.scorecard("a", "b", by="g"),
    "cutpoints": lambda data: data.kappa.predictions.cutpoints(
        "a", "b", by="g", method="exact", weights="quadratic"
    ),
    "groupby": lambda data: data.groupby("g").kappa.pairs(),
    "confusion": lambda data: data.kappa.confusion("a", "b", by="g"),
}


@pytest.mark.parametrize("call", GROUPED_CALLS.values(), ids=GROUPED_CALLS)
def test_items_without_a_group_are_counted(call):
    assert warned(lambda: call(GROUPED), LeftOutWarning) == UNGROUPED


def test_items_without_a_group_are_counted_in_a_source():
    found = warned(lambda: pdkappa.from_frame(GROUPED).pairs(by="g"), LeftOutWarning)
    assert found == (
        "Items without a group are left out: 'g' is missing for 2 items. Fill it in to keep them "
        "as a group, as with df.fillna(...)."
    )


@given(st.data())
def test_raters_without_a_common_label_agree_exactly_as_by_chance(data):
    n = data.draw(st.integers(2, 60))
    draw = [data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)) for _ in range(3)]
    frame = pd.DataFrame({f"r{place}": np.array(x) + 100 * place for place, x in enumerate(draw)})
    names = list(frame)
    vary = all(len(set(frame[name])) > 1 for name in names)
    with (
        pytest.warns(LookalikeLabelsWarning, match="is shared with")
        if vary
        else warnings.catch_warnings()
    ):
        warnings.simplefilter("ignore", UndefinedKappaWarning)
        if not vary:  # one of the others may be told, or none
            warnings.simplefilter("ignore", LookalikeLabelsWarning)
        matrix = frame.kappa.pairwise(names)
    off = ~np.eye(3, dtype=bool)
    assert np.isin(matrix.to_numpy()[off], 0.0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = frame.kappa.agreement(names, coefficients=["conger", "light"])
    assert (together["estimate"] == 0).all()


ANYTHING = st.sampled_from(
    [
        *(0, 1, 2, True, False, np.True_, np.int8(1), 0.0, 1.0, 1.5, np.float32(2), 10**400),
        *("a", "1", "", b"a", "\ud800", None, np.nan, pd.NA, pd.NaT, np.inf, 1j),
        *(Decimal(1), Decimal("NaN"), Fraction(1, 2), (1, 2), (1, None), frozenset([1]), [1]),
        *(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), pd.Timestamp("2024", tz="UTC")),  # noqa: DTZ001
        *(dt.timedelta(1), pd.Period("2024", "Y"), np.datetime64("2024"), pd.Interval(0, 1)),
    ]
)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150)
@given(st.data())
def test_no_mix_of_kinds_escapes_as_an_error_of_another(data):
    n, names = data.draw(st.integers(1, 4)), "abc"[: data.draw(st.integers(2, 3))]
    values = st.lists(ANYTHING, min_size=n, max_size=n)
    frame = pd.DataFrame({name: pd.Series(data.draw(values), dtype=object) for name in names})
    by = data.draw(st.sampled_from([None, "g"]))
    frame = frame.assign(g=pd.Series(data.draw(values), dtype=object)) if by else frame
    weights = data.draw(st.sampled_from([None, "quadratic", "ordinal"]))
    for raters in (None, list(names)):
        try:
            found = frame.kappa.pairs(raters, by=by, weights=weights)
        except KappaError:
            continue
        assert isinstance(found, pd.DataFrame)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], ""),
        ([1], "1"),
        (["x", 2.5, None], "'x', 2.5, None"),
        (range(5), "0, 1, 2, 3, 4"),
        (range(6), "0, 1, 2, 3, 4 and 1 more"),
        ((x for x in range(100)), "0, 1, 2, 3, 4 and 95 more"),
    ],
)
def test_listing(values, text):
    assert errors.listing(values) == text


def test_a_long_value_is_cut_and_stands_in_one_line():
    assert errors.shown("word " * 100) == f"'{'word ' * 15}w..."
    assert errors.shown({"a": [np.True_, (np.str_("x"),)]}) == "{'a': [True, ('x',)]}"
    assert errors.shown(np.eye(3)) == "array([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]])"
    assert errors.shown("a  b\n") == r"'a  b\n'"
    essays = pd.DataFrame({"a": ["word " * 500] * 2, "b": ["other " * 500] * 2})
    with pytest.raises(CategoryError) as caught:
        essays.kappa.pairs(weights="linear", categories=["x"])
    assert len(str(caught.value)) < 300
