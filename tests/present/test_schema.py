"""The vocabulary of columns: complete, ordered, formatted, explained."""

import re
from pathlib import Path

import pdkappa
from conftest import each
from pdkappa.present import schema

WORD = re.compile(r"\w+")
LISTS = {name: one for name, one in vars(schema).items() if name.isupper() and type(one) is tuple}


@each("names", LISTS.values())
def test_every_listed_column_is_described_once(names):
    assert len(set(names)) == len(names)
    assert set(names) <= schema.COLUMNS.keys()


def test_every_described_column_is_named_where_it_is_made():
    folder = Path(pdkappa.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    named = {word for text in texts if '"""Names, order' not in text for word in WORD.findall(text)}
    assert schema.COLUMNS.keys() <= named | set().union(*LISTS.values())


@each("line", [*(column.meaning for column in schema.COLUMNS.values()), *schema.REASONS.values()])
def test_meanings_are_one_sentence_on_one_line(line):
    assert line[0].isupper()
    assert line.endswith(".")
    assert "\n" not in line
    assert "  " not in line
