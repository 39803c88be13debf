"""Whatever a method returns is printed in one block of 80 columns, with what it is about last.

The methods are found by themselves, and so are the tables of what has several.
"""

import re
import warnings
from operator import attrgetter

import pandas as pd
import pytest

from conftest import each, methods
from pdkappa.present.text_tables import is_result, line_of
from test_sweep import FILES, FRAME, LONG, OF_LONG, base_of

WIDTH = 80
CALLED = sorted(methods().keys() - FILES)


def made(name):
    """Call a method."""
    frame = (LONG if name in OF_LONG else FRAME).copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attrgetter(name)(frame.kappa)(**base_of(name))


def frames(found):
    """Yield a result, and the tables in it."""
    yield found
    if not isinstance(found, pd.DataFrame):
        yield from (one for one in found.tables.values() if is_result(one))
    if hasattr(found, "project"):
        yield found.project(rater=[1, 2, 3], trial=[1, 2])
        yield found.gauge(tolerance=4)


@each("name", CALLED)
def test_a_result_is_one_block_of_80_columns_and_its_line_is_last(name):
    with pd.option_context("display.width", WIDTH):
        for found in frames(made(name)):
            text = repr(found)
            assert max(map(len, text.splitlines())) <= WIDTH, text
            assert "\\\n" not in text, text
            if is_result(found) and (line := line_of(found)):
                assert text.splitlines()[-1] in found._told.at_work(line)
            if hasattr(found, "full"):
                assert max(map(len, repr(found.full).splitlines())) <= WIDTH


@pytest.mark.needs("jinja2")
@each("name", CALLED)
def test_every_output_begins_with_what_was_found(name):
    """Print, page, notebook and Markdown: headline first, the same for all."""
    found = made(name)
    headline = found.findings.headline
    if not headline:
        assert isinstance(found, pd.DataFrame)
        return
    first = " ".join(repr(found).split())
    assert headline in first[: len(headline) + 2]
    assert found.to_html().count("<h1>") == 1
    assert found.to_markdown().startswith(("**", "> "))


def test_whole_numbers_have_no_decimals_though_a_reading_is_missing():
    ratings = pd.DataFrame({"ann": [1, 2, 3, 4, None] * 4, "bob": [1, 2, 3, 3, 2] * 4})
    of_two = [getattr(ratings.kappa, name)("ann", "bob") for name in ("confusion", "cells")]
    for found in (*of_two, ratings.kappa.categories(), ratings.kappa.usage()):
        assert not re.search(r"\b[1-4]\.0\b", repr(found))
