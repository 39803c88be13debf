"""Lists of items to adjudicate: who is on them, agreement after, groups, edges, messages."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, exactly
from pdkappa import errors
from pdkappa.present import schema

nan = float("nan")
undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
FRAME = pd.DataFrame(
    {
        "h1": [1, 2, 4, 3, 5, nan, 2, 2],
        "h2": [1, 4, 4, 4, nan, nan, 5, 3],
        "m": [1.5, 3.0, 1.0, 3.5, 3.5, 2.0, nan, 3.6],
        "g": list("xxxxyyyy"),
    },
    index=pd.Index(list("abcdefgh"), name="essay"),
)


@undefined
def test_who_is_on_the_list():
    """Worked out by hand; 1.1 points are too many, 1 is not."""
    found = FRAME.kappa.machine.adjudication(["h1", "h2"], "m")
    assert list(found.items) == list(schema.ADJUDICATION)
    assert found.items["why"].to_dict() == {
        "c": "machine",
        "g": "humans",
        "b": "humans",
        "e": "machine",
        "h": "machine",
    }
    assert_allclose(found.items["humans_apart"], [0, 3, 2, nan, 1])
    assert_allclose(found.items["machine_apart"], [3, nan, 0, 1.5, 1.1])
    assert found.n_items == 8
    assert repr(found).startswith("5 of 8 items to adjudicate")
    both = FRAME.assign(m=9.0).kappa.machine.adjudication(["h1", "h2"], "m").items
    assert both.loc["b", "why"] == "both"
    every = FRAME.kappa.machine.adjudication("h1", "m", machine_apart=0)
    assert every.items[["score_second", "humans_apart"]].isna().all(axis=None)
    assert every.items.index.tolist() == list("chebad")
    wide = FRAME.kappa.machine.adjudication(["h1", "h2"], "m", humans_apart=3, machine_apart=3)
    assert len(wide.items) == 0


@each("options", [{}, {"sample_weight": "times"}])
def test_agreement_is_that_of_other_methods(options):
    frame = FRAME.assign(times=[1, 2, 1, 3, 1, 1, 2, 1])
    found = frame.kappa.machine.adjudication(["h1", "h2"], "m", **options)
    listed = frame.index.isin(found.items.index)
    settled = frame.copy()
    for other in ("h2", "m"):
        there = listed & settled["h1"].notna() & settled[other].notna()
        settled.loc[there, other] = settled.loc[there, "h1"]
    for version, of in (("all", frame), ("without", frame[~listed]), ("settled", settled)):
        expected = of.kappa.machine.evaluate(["h1", "h2"], "m", **options).drop(index="difference")
        rows = found.agreement.xs(version, level="items")
        assert_allclose(rows[["n_items", "qwk"]], expected[["n_items", "qwk"]])


@undefined
def test_groups_and_words():
    found = FRAME.groupby("g").kappa.machine.adjudication(["h1", "h2"], "m")
    assert found.items.index.tolist() == [
        ("x", "c"),
        ("x", "b"),
        ("y", "g"),
        ("y", "e"),
        ("y", "h"),
    ]
    part = FRAME.query("g == 'x'").kappa.machine.adjudication(["h1", "h2"], "m")
    assert_frame_equal(found.agreement.loc["x"], part.agreement)
    words = pd.DataFrame({"ann": ["low", "mid", "high"], "gpt": ["high", "mid", "mid"]})
    found = words.kappa.machine.adjudication("ann", "gpt", categories=["low", "mid", "high"])
    assert found.items[["score_human", "score_machine"]].to_numpy().tolist() == [[1, 3]]


def test_reasons_and_messages(refuses):
    with pytest.warns(errors.UndefinedKappaWarning):
        found = FRAME.assign(h2=nan).kappa.machine.adjudication(["h1", "h2"], "m").agreement
    assert set(found["reason"]["consistency"]) == {"no_joint_items"}
    with pytest.warns(errors.UndefinedKappaWarning):
        found = FRAME.assign(h1=1, m=1).kappa.machine.adjudication("h1", "m").agreement
    assert set(found["reason"]) == {"constant_ratings"}
    for option in ("humans_apart", "machine_apart"):
        for wrong in (-1, nan, "1"):
            message = f"{option}={wrong!r} must be a number of points, from 0 upwards."
            with pytest.raises(errors.OptionError, match=exactly(message)):
                FRAME.kappa.machine.adjudication("h1", "m", **{option: wrong})
    table = pdkappa.from_table(np.array([[3, 1], [1, 3]]))
    with refuses():
        table.machine.adjudication("rater_a", "rater_b")
