"""No table of a whole evaluation by RSMTool is left out, and its columns mean something.

``elsewhere/rsmtool.py`` compares its figures, and ``test_validation.py`` holds them.
"""

from __future__ import annotations

from numpy.testing import assert_allclose

import pdkappa
from elsewhere import rsmtool
from elsewhere.rsmtool import FOLDER, SCALE, read, responses

INPUTS = {"pred_processed", "test_human_scores", "test_metadata"}


def test_ranges():
    row = read("eval").loc["scale"]
    found = responses()["scale"].agg(["min", "max"])
    assert_allclose(found, row[["sys_min", "sys_max"]], rtol=1e-7)


def test_no_table_is_left_out():
    held = {one.figure.partition(";")[0] for one in rsmtool.held() if one.data == "rsmtool"}
    assert {path.stem for path in FOLDER.glob("*.csv")} == held | INPUTS


def test_columns_are_there_where_they_mean_something():
    frame = responses()
    alone = pdkappa.evaluation(frame, "h1", "scale")
    assert not {"dsm", "disattenuated"} & set(alone)
    assert "dsm" in pdkappa.evaluation(frame, "h1", "scale", by="L1")
    found = pdkappa.evaluation(frame, "h1", "scale", "h2", categories=SCALE)
    assert found["disattenuated"].isna().tolist() == [True, False, True]
    none = frame.assign(h2=5 - frame["h1"])
    found = pdkappa.evaluation(none, "h1", "scale", "h2", categories=range(7))
    assert found["disattenuated"].isna().all()
