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


def test_reason_codes():
    assert set(schema.REASONS) == {
        "no_items",
        "no_joint_items",
        "constant_ratings",
        "constant_rater",
        "no_variance",
        "n_lt_2",
        "one_group",
        "not_binary",
        "clusters",
        "clusters_span_groups",
        "infinite_z",
        "impossible_counts",
        "not_converged",
        "no_unlabelled",
        "machine_at_chance",
        "few_items",
        "few_raters",
        "fewer_than_min_items",
        "single_rating",
        "no_disagreement",
        "undefined_without",
        "undefined_resamples",
        "one_sided_resamples",
        "no_other_pair",
        "no_agreement_attainable",
        "too_many_programmes",
        "no_closed_form",
        "no_labels",
        "no_reference",
        "no_order",
        "no_defined_group",
        "unseen_class",
        "no_double_ratings",
        "no_shared_score",
        "no_true_variance",
        "zero_total_weight",
    }
