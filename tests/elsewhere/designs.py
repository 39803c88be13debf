"""Data sets of a measurement study, of trials and of spans, with what other systems give."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parents[1] / "data" / "designs"


def read(name):
    """Return a data set, as a frame, and all that is known of it."""
    known = json.loads(FOLDER.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return pd.DataFrame(known["rows"], columns=known["columns"]), known
