"""What every test and doctest finds: names, a display width, Hypothesis profiles."""

from __future__ import annotations

import os
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
