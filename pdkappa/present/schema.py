"""Names, order, number formats and meanings of the columns of every tidy frame.

This is the one vocabulary that results and presentation share. A new column is one line in
`COLUMNS`; every exporter then shows it with its format and explains it in its notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Kind: TypeAlias = Literal[
    "label", "text", "count", "agreement", "measure", "z", "p", "difference", "flag"
]


class Column(NamedTuple):
    """What a column holds, and what it means in one line."""

    kind: Kind
    meaning: str


COLUMNS: dict[str, Column] = {
    "rater_a": Column("label", "First rater of the pair."),
    "rater_b": Column("label", "Second rater of the pair."),
    "n_items": Column("count", "Number of items rated by both raters."),
    "n_categories": Column(
        "count", "Number of categories: those declared, or the values that occur."
    ),
    "observed_agreement": Column(
        "agreement",
        "Agreement observed, p_o: the share of items on which the raters agree; with weights, "
        "near misses count in part.",
    ),
    "expected_agreement": Column(
        "agreement", "Agreement expected by chance, p_e, from the raters' marginal totals."
    ),
    "estimate": Column(
        "agreement",
        "Agreement beyond chance, (p_o - p_e) / (1 - p_e): 1 is perfect, 0 is chance, negative is "
        "worse than chance.",
    ),
    "se": Column("measure", "Large-sample standard error of the estimate."),
    "ci_low": Column("agreement", "Lower limit of the confidence interval of the estimate."),
    "ci_high": Column("agreement", "Upper limit of the confidence interval of the estimate."),
    "fisher_z": Column("measure", "Fisher's transform of the estimate, artanh(estimate)."),
    "se_fisher_z": Column("measure", "Standard error on the scale of fisher_z."),
    "z": Column("z", "Test statistic of the hypothesis that agreement is no better than chance."),
    "p_value": Column("p", "Two-sided p-value of z."),
    "max_estimate": Column("agreement", "Largest estimate that the raters' marginal totals allow."),
    "weight": Column("count", "Weight of the group in the mean over groups."),
    "n_groups": Column("count", "Number of groups whose estimate is defined."),
    "n_clipped": Column("count", "Number of groups whose estimate was clipped before fisher_z."),
    "n_undefined": Column(
        "count", "Number of groups left out because their estimate is undefined."
    ),
    "reason": Column("text", "Why a value in this row is undefined; see the reasons below."),
    "statistic": Column("label", "Name of the statistic that is compared."),
    "raters": Column("text", "Raters whose agreement is compared."),
    "weights": Column("text", "Weighting of disagreements."),
    "pdkappa": Column("agreement", "Value computed by pdkappa."),
    "reference": Column("agreement", "Value computed by the other package."),
    "package": Column("text", "Package that computed the reference."),
    "version": Column("text", "Version of that package."),
    "abs_difference": Column("difference", "Absolute difference of the two values."),
    "agrees": Column("flag", "Whether the two values are the same up to rounding error."),
    "note": Column("text", "Why the values differ, or why there is no reference."),
}

PAIRS: tuple[str, ...] = (
    "rater_a",
    "rater_b",
    "n_items",
    "observed_agreement",
    "expected_agreement",
    "estimate",
    "se",
    "ci_low",
    "ci_high",
    "z",
    "p_value",
    "max_estimate",
    "reason",
)

GROUPS: tuple[str, ...] = (
    "n_items",
    "n_categories",
    "observed_agreement",
    "expected_agreement",
    "estimate",
    "se",
    "ci_low",
    "ci_high",
    "fisher_z",
    "se_fisher_z",
    "weight",
    "max_estimate",
    "reason",
)

POOLED: tuple[str, ...] = (
    "estimate",
    "se_fisher_z",
    "ci_low",
    "ci_high",
    "n_groups",
    "n_clipped",
    "n_undefined",
)

CROSSCHECK: tuple[str, ...] = (
    "statistic",
    "raters",
    "weights",
    "pdkappa",
    "reference",
    "package",
    "version",
    "abs_difference",
    "agrees",
    "note",
)

REASONS: dict[str, str] = {
    "no_items": "There are no items, or no ratings at all.",
    "no_joint_items": "No item was rated by both raters.",
    "constant_ratings": "Both raters used one and the same category for every item: agreement by "
    "chance is complete, and kappa is 0/0.",
    "constant_rater": "One rater used a single category: kappa is exactly 0 whatever the other "
    "did, and it has no standard error.",
    "no_variance": "With the raters' own shares of the categories, chance leaves nothing to vary: "
    "there is no z and no p-value.",
    "n_lt_2": "With fewer than two items there is no standard error.",
    "zero_total_weight": "The weights of the items, or of the groups, add up to zero.",
}

NUMBER_FORMATS: dict[Kind, str] = {
    "label": "General",
    "text": "General",
    "count": "0",
    "agreement": "0.000",
    "measure": "0.000",
    "z": "0.00",
    "p": '[<0.0001]"<0.0001";0.0000',
    "difference": "0.0E+00",
    "flag": "General",
}


def kind_of(name: Hashable) -> Kind:
    """Tell what a column holds; what is not in the vocabulary is a label.

    >>> kind_of("p_value"), kind_of("essay_set")
    ('p', 'label')
    """
    column = COLUMNS.get(name) if isinstance(name, str) else None
    return column.kind if column else "label"


def definitions(names: Iterable[Hashable]) -> list[tuple[str, str]]:
    """List the columns of the vocabulary among some names, each once, with their meanings.

    >>> definitions(["essay_set", "se", "se"])
    [('se', 'Large-sample standard error of the estimate.')]
    """
    known = [name for name in names if isinstance(name, str) and name in COLUMNS]
    return [(name, COLUMNS[name].meaning) for name in dict.fromkeys(known)]
