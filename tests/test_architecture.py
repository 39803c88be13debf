"""The house: imports point down, the package stays light, whole and free of asserts."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from importlinter.cli import lint_imports

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pdkappa"
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in MODULES
}
CORE = [
    path
    for path in MODULES
    if path.parent.name == "core" or path.is_relative_to(PACKAGE / "coefficients")
]

# Options of `pairs`, which other functions share.
SHARED = {*list(inspect.signature(pdkappa.pairs).parameters)[1:]}
OPTIONAL = {
    *("dask", "distributed", "duckdb", "jinja2", "krippendorff", "matplotlib", "narwhals"),
    *("openpyxl", "polars", "sklearn"),
}
HEAVY = OPTIONAL | {"scipy.stats", "statsmodels", "xlsxwriter"}


def test_the_import_contracts_hold(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


def imports_of(path: Path) -> set[str]:
    """Modules of the package that a file names, for types and within functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def test_the_house_has_few_doors():
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert len(entries) <= 19, sorted(entries)


def functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function of the package, with its file."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def test_options_are_spelt_once_at_the_door():
    """Behind the public functions they are one `Reading` and one `IntervalOptions`."""
    doors = {*pdkappa.__all__, "cutpoints_by", "pair", "__init__"}
    for path, node in functions():
        given = {one.arg: one for one in (*node.args.args, *node.args.kwonlyargs)}
        assert len(given.keys() & SHARED) < 4 or node.name in doors, (path, node.name)
        assert "quiet" not in given, (path, node.name)
        if "options" in given and not path.is_relative_to(PACKAGE / "present"):
            annotation = given["options"].annotation
            assert "dict" not in ast.unparse(annotation), (path, node.name)


def test_bricks_stay_small():
    """40 lines of code without signature and docstring, 400 of a file but the schema."""
    for path, node in functions():
        first = node.body[min(ast.get_docstring(node) is not None, len(node.body) - 1)]
        assert node.end_lineno - first.lineno < 40, (path, node.name)
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = [path for path, size in sizes.items() if size > 400 and path.name != "schema.py"]
    assert not long


def test_arithmetic_of_a_topic_is_used_by_it():
    """By no other, and by it at all: what two topics use is in `coefficients`."""
    for path in PACKAGE.glob("methods/*/core/*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        users = {
            user.parts[-2] for user in path.parents[1].rglob("*.py") if name in imports_of(user)
        }
        assert users or path.name == "__init__.py", name


def test_the_core_imports_numpy_and_scipy_only():
    assert CORE
    for path in CORE:
        imported = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
        asserts = [one.lineno for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Assert)]
        assert not asserts, f"validation by assert is gone under python -O, {path}"
        assert not {"TODO", "FIXME", "XXX"} & set(re.findall(r"\w+", text)), path


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


def test_import_loads_nothing_heavy():
    assert loaded_after("import pdkappa", HEAVY) == set()


def test_import_loads_no_room_that_only_draws_or_writes():
    """They are entered when somebody asks for a picture, a workbook or a page."""
    later = {
        f"pdkappa.{name}"
        for name in (
            *("methods.plots", "methods.planning", "methods.groups.plots", "sources.files"),
            *("present.plots", "present.html", "present.excel.writer"),
        )
    }
    registered = "import pandas; pandas.DataFrame().kappa, pandas.Series().kappa"
    assert loaded_after(f"import pdkappa; {registered}", later | {"importlib.metadata"}) == set()


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
    page = {
        f"pdkappa/present/html/templates/report.{ending}" for ending in ("html.j2", "css", "js")
    }
    assert page <= wheel
    assert {path.split("/")[0] for path in wheel} == {"pdkappa"}


def test_the_sdist_holds_what_it_takes_to_test():
    sdist = packed(SdistBuilder)
    assert {"pdkappa/py.typed", "conftest.py", "README.md", "LICENSE"} <= sdist
    assert {f"tests/{Path(__file__).name}", "pyproject.toml", "CHANGELOG.md"} <= sdist
    assert not [path for path in sdist if "/." in path or path.startswith(".")]
