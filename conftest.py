"""What every test and doctest finds: names, a display width, Hypothesis profiles."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

import pdkappa

if TYPE_CHECKING:
    from pathlib import Path

# How fast a machine is must not decide whether a law holds.
settings.register_profile(
    "local", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


# Programs that pip does not install: the marker of the tests that run them, and their names.
PROGRAMS = {"office": ("soffice",), "browser": ("chromium", "chromedriver")}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs are not there, unless PDKAPPA_ALL_PROGRAMS asks for them all."""
    for marker, programs in PROGRAMS.items():
        missing = [name for name in programs if shutil.which(name) is None]
        if missing and item.get_closest_marker(marker):
            message = f"This test runs {' and '.join(missing)}, which is not installed."
            if os.environ.get("PDKAPPA_ALL_PROGRAMS"):
                pytest.fail(message, pytrace=False)
            pytest.skip(message)


@pytest.fixture(scope="session", autouse=True)
def _display() -> None:
    """Print frames alike in every terminal."""
    pd.set_option("display.width", 100, "display.max_columns", 20)


@pytest.fixture(autouse=True)
def _doctest(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give doctests the usual names, and an empty folder to write into."""
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace.update(np=np, pd=pd, pdkappa=pdkappa)
        folder: Path = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
