"""The same ratings by every way in: the same numbers, or an error of ours."""

import re
from pathlib import Path

import pytest

from ways import BASES, DIFFERENCES, WAYS, drawn, tried

DOCS = Path(__file__).parents[1] / "docs"
MOST_DIFFERENCES = 7  # which may only fall
SEEDS = (3, 26, 61, 105, 215)  # `python benchmarks/ways_in.py` draws thousands


@pytest.mark.parametrize("seed", SEEDS)
def test_every_way_gives_the_same(seed, tmp_path):
    found = tried(drawn(seed), tmp_path)
    assert len({one.way for one in found}) > 5
    told = [(one.way, one.method, one.word, one.found, one.expected) for one in found]
    assert not [one for one in told if one[2] not in ("same", "documented")]


def test_documented_differences_are_shown():
    text = (DOCS / "reading.md").read_text(encoding="utf-8")
    table = text.partition("| difference |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE) == [*DIFFERENCES]
    assert len(DIFFERENCES) <= MOST_DIFFERENCES


def test_every_way_has_a_base():
    assert {way.of for way in WAYS.values()} == {*BASES.values()}
    assert BASES.keys() <= WAYS.keys()
