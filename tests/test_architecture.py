"""The house: imports point down, the package stays light, whole and free of asserts."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pdkappa"
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = sorted((PACKAGE / "core").rglob("*.py"))

OPTIONAL = {"dask", "distributed", "jinja2", "krippendorff", "matplotlib", "openpyxl", "sklearn"}
HEAVY = OPTIONAL | {"scipy.stats", "statsmodels", "xlsxwriter"}


def test_the_import_contracts_hold(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


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


def test_no_module_needs_an_optional_package():
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES]
    names = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    names.remove("pdkappa.dask")  # imported by those who have Dask, and by nobody inside
    assert loaded_after("\n".join(f"import {name}" for name in names), OPTIONAL) == set()


def packed(builder: type) -> set[str]:
    """Paths of the files that a build would pack."""
    return {file.distribution_path for file in builder(str(ROOT)).recurse_included_files()}


def test_the_wheel_holds_the_package_and_nothing_else():
    wheel = packed(WheelBuilder)
    assert {"pdkappa/py.typed", "pdkappa/__init__.py", "pdkappa/data/essays.csv"} <= wheel
    page = {f"pdkappa/present/templates/report.{ending}" for ending in ("html.j2", "css", "js")}
    assert page <= wheel
    assert {path.split("/")[0] for path in wheel} == {"pdkappa"}


def test_the_sdist_holds_what_it_takes_to_test():
    sdist = packed(SdistBuilder)
    assert {"pdkappa/py.typed", "conftest.py", "README.md", "LICENSE"} <= sdist
    assert {f"tests/{Path(__file__).name}", "pyproject.toml", "CHANGELOG.md"} <= sdist
    assert not [path for path in sdist if "/." in path or path.startswith(".")]
