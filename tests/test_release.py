"""What a release says of itself is the same everywhere, and true."""

import json
import re
import tomllib
from pathlib import Path

import pytest

import pdkappa

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OF_PYTHON = "Programming Language :: Python :: "


def text_of(name):
    """Read a file, which an sdist need not have."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"{name} is not packed")
    return path.read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere():
    assert f"\nversion: {pdkappa.__version__}\n" in text_of("CITATION.cff")
    assert f"pdkappa@v{pdkappa.__version__}" in text_of("action.yml")


def test_the_changelog_has_releases_with_dates_below_what_is_to_come():
    text = text_of("CHANGELOG.md")
    first, *dated = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert first == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", one) for one in dated)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        sections = re.findall(r"^### (.*)$", release, re.MULTILINE)
        assert set(sections) <= kinds
        assert len(set(sections)) == len(sections)


def test_workflows_run_every_python_that_is_claimed():
    """And the next one, which is claimed when it passes."""
    claimed = {
        one.removeprefix(OF_PYTHON) for one in PROJECT["classifiers"] if one.startswith(OF_PYTHON)
    }
    minor = sorted((one for one in claimed if one.startswith("3.")), key=lambda x: int(x[2:]))
    found = re.search(r"^ +python: (\[.*\])$", text_of(".github/workflows/tests.yml"), re.MULTILINE)
    assert json.loads(found[1])[:-1] == minor
    assert PROJECT["requires-python"] == f">={minor[0]}"
