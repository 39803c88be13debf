"""Imports point down; the package stays light, whole and free of asserts."""

import ast
import inspect
import io
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import pandas as pd
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from importlinter.cli import lint_imports

import pdkappa
from conftest import function_of, methods

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pdkappa"
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in MODULES
}
NUMBERS = [path for path in MODULES if path.is_relative_to(PACKAGE / "coefficients")]

# Options of `pairs`, which other functions share.
SHARED = {*list(inspect.signature(function_of("pairs")).parameters)[1:]}
OPTIONAL = {
    *("dask", "distributed", "duckdb", "jinja2", "krippendorff", "matplotlib", "narwhals"),
    *("openpyxl", "polars", "sklearn"),
}
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef
OF_NUMBERS = re.compile(
    r"\b(?:Float|Int|Bool|Count|Code|Object)Array\b|\b(?:RatingRows|PairCounts|Scale)\b"
)
OF_FRAMES = re.compile(r"\bpd\.|Frame|Series|Labelled|Answers|Cells")
MOST_ASKED = 41
HEAVY = OPTIONAL | {"scipy.stats", "statsmodels", "xlsxwriter"}


def test_the_import_contracts_hold(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """List what a module is made of, once for all tests."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def imports_of(path: Path) -> set[str]:
    """Modules of the package that a file names, for types and within functions too."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pdkappa"):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (whole & NAMES.keys()) or {node.module}
    return found & NAMES.keys()


def test_no_circle_of_imports():
    """Not even of those for types: every module can be read before those that use it."""
    left = {name: imports_of(path) for name, path in NAMES.items()}
    while ready := {name for name, needed in left.items() if not needed & left.keys()}:
        left = {name: needed for name, needed in left.items() if name not in ready}
    assert not left


def test_few_entries_at_the_top():
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__", "py.typed"}
    assert len(entries) <= 18, sorted(entries)
    assert len(MODULES) < 150


def functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function of the package, with its file."""
    for path in MODULES:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def test_options_are_spelt_once():
    """Behind the public functions they are one `Reading` and one `IntervalOptions`."""
    public = {one.__name__ for one in methods().values()} | {"cutpoints", "pair", "__init__"}
    public |= {*pdkappa.__all__, *pdkappa.plan.__all__}
    for path, node in functions():
        given = {one.arg: one for one in (*node.args.args, *node.args.kwonlyargs)}
        assert len(given.keys() & SHARED) < 4 or node.name in public, (path, node.name)
        assert "quiet" not in given, (path, node.name)
        if "options" in given and not path.is_relative_to(PACKAGE / "present"):
            annotation = given["options"].annotation
            assert "dict" not in ast.unparse(annotation), (path, node.name)


# Shares of categories in planning; pandas' word for the sums of a table elsewhere.
HOMONYMS = {"margins"}


def test_options_are_declared_once():
    """A method that allows less, or has another default, takes the option `anew`."""
    found = [
        one.target.id
        for path in MODULES
        for one in nodes_of(path)
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.value, ast.Call)
        and ast.unparse(one.value.func) == "option"
    ]
    assert len(found) > 100
    assert {name for name in found if found.count(name) > 1} <= HOMONYMS


def code_lines(path: Path) -> int:
    """Lines that are no docstring, comment or blank."""
    text = path.read_text(encoding="utf-8")
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in nodes_of(path):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            lines -= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    return len(lines)


def test_modules_and_functions_stay_small():
    """450 lines of code a module, 40 a function, both without docstrings."""
    for path, node in functions():
        first = node.body[min(ast.get_docstring(node) is not None, len(node.body) - 1)]
        assert node.end_lineno - first.lineno < 40, (path, node.name)
    long = {path: lines for path in MODULES if (lines := code_lines(path)) > 450}
    assert {path.name for path in long} <= {"schema.py"}, long


def test_engines_are_told_apart_in_one_place():
    """Whose a frame is, is asked by `source_of`; all others know sources, and frames of pandas."""
    asked = []
    for path, node in functions():
        text = ast.unparse(node)
        asks_type = re.search(r"type\(\w+\)\.__module__|\.implementation\b|is_polars", text)
        names = re.search(r"isinstance\([^()]*(Source|PandasFrame|Foreign|DaskFrame|Files)\b", text)
        if asks_type or names:
            asked.append(path.relative_to(PACKAGE).as_posix())
    assert set(asked) == {"sources/other_frames.py", "ratings/coded.py"}  # the latter to say so


def test_how_ratings_are_held_is_asked_no_more_often():
    """Lists, counts and crowds are told apart by `Study`; the number of other places may fall."""
    held = {"Counted", "Listed", "Crowd", "CodedList", "CountedPairs"}
    asked = 0
    for path in MODULES:
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked += not held.isdisjoint(ast.unparse(node.args[1]).split(" | "))
    assert 0 < asked <= MOST_ASKED


def test_arithmetic_of_a_question_knows_no_pandas():
    """What takes arrays or counts and gives no frame stays with numbers, wherever it stands."""
    found = 0
    for path, node in functions():
        if not path.is_relative_to(PACKAGE / "methods"):
            continue
        arguments = (*node.args.args, *node.args.kwonlyargs)
        given = " ".join(ast.unparse(one.annotation) for one in arguments if one.annotation)
        result = ast.unparse(node.returns) if node.returns else ""
        if OF_NUMBERS.search(given) and not OF_FRAMES.search(f"{given} {result}"):
            found += 1
            body = " ".join(map(ast.unparse, node.body))
            assert not re.search(r"\bpd\.", body), (path, node.name)
    assert found > 200


def test_the_coefficients_import_numpy_and_scipy_only():
    assert NUMBERS
    for path in NUMBERS:
        imported = set()
        for node in nodes_of(path):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"imports are absolute, {path}"
                imported.add(node.module.split(".")[0])
        assert imported - sys.stdlib_module_names <= {"numpy", "scipy", "pdkappa"}, path


def test_no_assert_and_nothing_left_to_do():
    assert MODULES
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        asserts = [one.lineno for one in nodes_of(path) if isinstance(one, ast.Assert)]
        assert not asserts, f"validation by assert is gone under python -O, {path}"
        # Dask shuffles in its own way, which needs its asserts.
        assert "__debug__" not in text or path.name == "dask.py", path
        assert not {"TODO", "FIXME", "XXX"} & set(re.findall(r"\w+", text)), path


def test_no_text_leaves_it_open_whether_things_are_one_or_several():
    for path in MODULES:
        texts = [one.value for one in nodes_of(path) if isinstance(one, ast.Constant)]
        assert not [one for one in texts if re.search(r"[a-z]{2}\((s|es)\)", str(one))], path


def test_texts_say_a_value_as_errors_do():
    """`repr` names the types of NumPy; what is drawn and computed knows its own types."""
    for path in MODULES:
        values = [one for one in nodes_of(path) if isinstance(one, ast.FormattedValue)]
        said = [ast.unparse(one.value) for one in values if one.conversion == ord("r")]
        known = path.name in {"html_drawings.py", "live_formulas.py"}
        assert known or all(one.startswith("self") for one in said), (path, said)


def test_asserts_of_tests_are_alive():
    """Under python -O as well, because pytest rewrites them."""
    with pytest.raises(AssertionError):
        assert not ROOT


def loaded_after(code: str, watched: set[str]) -> set[str]:
    """Which of the watched modules a fresh interpreter holds after running some code."""
    code += f"\nimport sys; print(*({watched!r} & sys.modules.keys()))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_each_planted_fault_finds_its_text_once():
    texts = [path.read_text(encoding="utf-8") for path in MODULES]
    topics = tomllib.loads((ROOT / "benchmarks/planted_faults.toml").read_text(encoding="utf-8"))
    faults = {name: text for named in topics.values() for name, (text, _) in named.items()}
    assert len(faults) == sum(map(len, topics.values())) > 400
    found = {name: sum(one.count(text) for one in texts) for name, text in faults.items()}
    assert {name: n for name, n in found.items() if n != 1} == {}


def test_import_loads_nothing_heavy_and_nothing_that_only_draws_or_writes():
    """It is imported when somebody asks for a picture, a workbook or a page."""
    later = {
        f"pdkappa.{name}"
        for name in (
            *("methods.plots", "methods.planning.power", "sources.scan_files"),
            *("present.plot_drawing", "present.html_page", "present.excel_writer"),
        )
    }
    code = "import pdkappa, pandas; pandas.DataFrame().kappa, pandas.Series().kappa"
    assert loaded_after(code, HEAVY | later | {"importlib.metadata"}) == set()


def test_no_module_needs_an_optional_package():
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES]
    names = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    for own in ("dask", "polars"):  # imported by those who have it, and by nobody inside
        names.remove(f"pdkappa.{own}")
    assert loaded_after("\n".join(f"import {name}" for name in names), OPTIONAL) == set()


def packed(builder: type) -> set[str]:
    """Paths of the files that a build would pack."""
    return {file.distribution_path for file in builder(str(ROOT)).recurse_included_files()}


def test_the_wheel_holds_the_package_and_nothing_else():
    wheel = packed(WheelBuilder)
    assert {"pdkappa/py.typed", "pdkappa/__init__.py", "pdkappa/datasets/essays.csv"} <= wheel
    page = {f"pdkappa/present/templates/report.{ending}" for ending in ("html.j2", "css", "js")}
    assert page <= wheel
    assert {path.split("/")[0] for path in wheel} == {"pdkappa"}


def test_the_sdist_holds_what_it_takes_to_test():
    sdist = packed(SdistBuilder)
    assert {"pdkappa/py.typed", "conftest.py", "README.md", "LICENSE"} <= sdist
    assert {f"tests/{Path(__file__).name}", "pyproject.toml", "CHANGELOG.md"} <= sdist
    assert not [path for path in sdist if "/." in path or path.startswith(".")]


def way_of(call: Callable[[], object]) -> list[str]:
    """List the files of ratings whose functions others call, without those called in a row.

    What a record says of itself, by its methods, is no way of the data.
    """
    folder = str(PACKAGE / "ratings") + os.sep
    way: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code, caller = frame.f_code, frame.f_back
        here = code.co_filename
        if event != "call" or not here.startswith(folder) or "." in code.co_qualname:
            return
        if caller is not None and caller.f_code.co_filename != here:
            name = Path(here).stem
            if way[-1:] != [name]:
                way.append(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return way


def test_data_go_one_way():
    """Columns, items, raters, categories, codes, counts, frames: nothing goes back and forth."""
    data = pdkappa.datasets.load_anxiety()
    data = pd.concat([data] * 3, ignore_index=True)
    data.kappa.pairs()  # what is imported late
    way = way_of(data.kappa.pairs)
    assert {"columns", "items", "raters", "categories", "coded", "counted_pairs"} <= {*way}
    assert max(map(way.count, way)) <= 2, way
    after = way[way.index("suspicious_labels") :]
    assert not {"columns", "items", "raters"} & {*after}, way
