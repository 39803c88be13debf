"""Calls for mypy, which is run on this file: it must report the wrong ones, and no right one.

A wrong method, option or choice is found before anything runs. An ignore that nothing needs any
more is an error, too.
"""

from __future__ import annotations

import pandas as pd

import pdkappa


def calls() -> None:
    """Call what is there, and what is not; never run."""
    df = pd.DataFrame({"a": [1, 2], "b": [1, 2], "g": [1, 1]})
    frame = pdkappa.KappaAccessor(df)
    groups = pdkappa.typing.KappaGroupBy(df.groupby("g"))
    ratings = pdkappa.from_table([[1, 2], [3, 4]])
    right: pd.DataFrame = ratings.pairs(weights="quadratic")
    frame.pairs(["a", "b"], by="g").round(2)
    frame.grouped("a", "b", by="g").within
    frame.grouped(pairs=[("a", "b")], by="g").results
    frame.plot.heatmap(["a", "b"])
    groups.pairs(["a", "b"])
    groups.grouped("a", "b").within
    groups.grouped(pairs=[("a", "b")]).results
    groups.compare_groups(["a", "b"], weights="linear")
    ratings.pears()  # type: ignore[attr-defined]
    ratings.pairs(wieghts="quadratic")  # type: ignore[call-arg]
    frame.pears()  # type: ignore[attr-defined]
    frame.pairs(wieghts="quadratic")  # type: ignore[call-arg]
    frame.pairs(coefficient="cohens")  # type: ignore[arg-type]
    frame.grouped("a", "b", by="g", wieghts=None)  # type: ignore[call-overload]
    frame.grouped("a", "b")  # type: ignore[call-overload]
    groups.pears()  # type: ignore[attr-defined]
    groups.pairs(wieghts=None)  # type: ignore[call-arg]
    groups.grouped("a", "b", wieghts=None)  # type: ignore[call-overload]
    number: int = frame.pairs()  # type: ignore[assignment]
    frame.machine.evaluate("a", "b", wieghts=None)  # type: ignore[call-arg]
    frame.scores.within(tolerence=1)  # type: ignore[call-arg]
