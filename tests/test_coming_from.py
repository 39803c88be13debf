"""Numbers that other programs gave, for those who come from them, and ours beside them."""

import csv
import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
ROW = re.compile(r"^\| (.*) \| (-?\d[\d.]*) \| `(.*)` \|$", re.MULTILINE)
# Who returned the numbers of a section; those of the others are asked here.
SYSTEMS = {
    "R irr": ("R irr ",),
    "R irrCAC": ("R irrCAC ",),
    "R psych and vcd": ("R psych ", "R vcd "),
    "Stata": ("Stata ", "published: Stata "),
    "SPSS": ("SAS ", "published: SAS", "published: Shrout & Fleiss"),
    "SAS": ("SAS ", "published: SAS "),
    "RSMTool": ("RSMTool 12",),
    "Minitab and JASP": ("R jaspQualityControl", "R, by projections"),
    "gtheory, GeneralizIT and lme4": ("R, by projections", "R lme4"),
    "dkpro-statistics and seqeval": ("dkpro-statistics", "by hand"),
}
ASKED = {"scikit-learn", "statsmodels", "krippendorff"}


def sections():
    """Give the title of each section with the rows of its tables: theirs, number, ours."""
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        yield section.partition("\n")[0], ROW.findall(section)


def shown(value, number):
    """Write a value to the digits of a number."""
    return f"{float(getattr(value, 'item', lambda: value)()):.{len(number.partition('.')[2])}f}"


def whose(one):
    """Name all who returned a value."""
    return f"; {one['system']}; {one['confirmed_by']}"


@pytest.mark.needs("sklearn", "krippendorff")
@pytest.mark.oracle
def test_calls_give_the_numbers():
    names = {}
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    for example in doctest.DocTestParser().get_examples(text):
        exec(example.source, names)  # noqa: S102, an example of our own
    for title, rows in sections():
        assert rows, title
        for theirs, number, ours in rows:
            assert shown(eval(ours, names), number) == number, ours  # noqa: S307
            if title in ASKED:
                assert shown(eval(theirs.strip("`"), names), number) == number, theirs  # noqa: S307


def test_numbers_are_those_of_the_systems():
    with (DOCS / "validation.csv").open(encoding="utf-8", newline="") as lines:
        held = list(csv.DictReader(lines))
    for title, rows in sections():
        if title not in ASKED:
            values = [
                float(one["value"])
                for one in held
                if re.fullmatch(r"-?[\d.]+(e-?\d+)?", one["value"])
                and any(f"; {name}" in whose(one) for name in SYSTEMS[title])
            ]
            for theirs, number, _ in rows:
                assert number in {shown(value, number) for value in values}, (title, theirs)
