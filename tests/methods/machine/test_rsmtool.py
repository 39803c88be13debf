"""No figure of a whole evaluation by RSMTool is left out, and its columns mean something.

``elsewhere/rsmtool.py`` compares its figures, and ``test_validation.py`` holds them.
"""

from __future__ import annotations

from collections import Counter

from elsewhere import rsmtool
from elsewhere.rsmtool import FOLDER, SCALE, read, responses

INPUTS = {"pred_processed", "test_human_scores", "test_metadata"}


def test_no_figure_is_left_out():
    """Each cell of a table is compared once, whatever is in it."""
    held = Counter()
    for one in rsmtool.held():
        if one.data == "rsmtool":
            held[one.figure.partition(";")[0]] += one.n_values
    tables = {path.stem for path in FOLDER.glob("*.csv")} - INPUTS
    assert held == {name: read(name).select_dtypes("number").size for name in tables}


def test_columns_are_there_where_they_mean_something():
    frame = responses()
    alone = frame.kappa.machine.evaluate("h1", "scale")
    assert alone[["dsm", "disattenuated"]].isna().all(axis=None)
    assert frame.kappa.machine.evaluate("h1", "scale", by="L1")["dsm"].notna().all()
    found = frame.kappa.machine.evaluate(["h1", "h2"], "scale", categories=SCALE)
    assert found["disattenuated"].isna().tolist() == [True, False, True]
    none = frame.assign(h2=5 - frame["h1"])
    found = none.kappa.machine.evaluate(["h1", "h2"], "scale", categories=range(7))
    assert found["disattenuated"].isna().all()
