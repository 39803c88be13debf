"""The vocabulary of columns: complete, ordered, formatted, explained."""

from conftest import each
from pdkappa.present import schema

LISTS = {name: one for name, one in vars(schema).items() if name.isupper() and type(one) is tuple}


@each("names", LISTS.values())
def test_every_listed_column_is_described_once(names):
    assert len(set(names)) == len(names)
    assert set(names) <= schema.COLUMNS.keys()


def test_every_described_column_is_in_a_list():
    assert set().union(*LISTS.values()) == schema.COLUMNS.keys()


@each("line", [*(column.meaning for column in schema.COLUMNS.values()), *schema.REASONS.values()])
def test_meanings_are_one_sentence_on_one_line(line):
    assert line[0].isupper()
    assert line.endswith(".")
    assert "\n" not in line
    assert "  " not in line
