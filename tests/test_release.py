"""What a release says of itself is the same everywhere, and true."""

from __future__ import annotations

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


def test_the_changelog_has_releases_with_dates_below_what_is_to_come():
    text = text_of("CHANGELOG.md")
    releases = re.findall(r"^## (.*)$", text, re.MULTILINE)
    dated = releases[releases[0] == "[Unreleased]" :]
    assert all(re.fullmatch(r"\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d", one) for one in dated)
    assert f"[{pdkappa.__version__}]: {PROJECT['urls']['Source']}/releases/tag/v" in text
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


def test_the_conda_recipe_asks_for_the_same():
    text = text_of("conda/recipe.yaml")
    assert f'version: "{pdkappa.__version__}"' in text
    below = text.partition("\n  run:\n")[2].partition("\n\n")[0]
    needed = re.findall(r"- (\S+) (>=[\d.]+)$", below, re.MULTILINE)
    assert ["".join(one) for one in needed] == PROJECT["dependencies"]


def test_archives_describe_it_alike():
    zenodo, citation = json.loads(text_of(".zenodo.json")), text_of("CITATION.cff")
    title = re.search(r'^title: "(.*)"$', citation, re.MULTILINE)[1]
    words = re.findall(r"^  - (?!name)(.*)$", citation, re.MULTILINE)
    assert (zenodo["title"], zenodo["keywords"]) == (title, words)
    assert zenodo["license"] == PROJECT["license"]
    assert f'title: "{title}"' in text_of("paper/paper.md")


def test_the_paper_cites_what_its_bibliography_holds():
    cited = set(re.findall(r"@([a-z]+\d{4})", text_of("paper/paper.md")))
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", text_of("paper/paper.bib"), re.MULTILINE))
