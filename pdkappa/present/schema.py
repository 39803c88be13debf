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
    "n_raters": Column("count", "Number of raters with any rating."),
    "n_ratings": Column("count", "Number of ratings."),
    "interpretation": Column("text", "Verbal label of the estimate, a convention."),
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
    "weight": Column("measure", "Weight in the mean over groups, categories or cuts."),
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
    "mean_kappa": Column("agreement", "Mean of Cohen's kappa with the other raters."),
    "se_mean_kappa": Column("measure", "Standard error of mean_kappa."),
    "kappa_with_others": Column(
        "agreement",
        "Agreement with the other raters from the sums of observed and of expected disagreement.",
    ),
    "light_without": Column("agreement", "Mean of the pairwise kappas of all other raters."),
    "effect": Column(
        "measure", "The coefficient less its value without this rater or item: below 0, it costs."
    ),
    "se_effect": Column("measure", "Standard error of the effect."),
    "outlier_z": Column("z", "Test statistic of the hypothesis of no effect."),
    "disagreement": Column(
        "agreement", "Mean disagreement of the ratings, 1 being the largest on the scale."
    ),
    "share": Column("agreement", "Part of the disagreement of all items."),
    "gain": Column(
        "measure", "Gain of the coefficient if the ratings of the item agreed, at fixed shares."
    ),
    "prevalence": Column("agreement", "Share of the ratings, averaged over the raters."),
    "kappa": Column("agreement", "Agreement on this against the rest."),
    "specific_agreement": Column(
        "agreement", "Given one rating here, the share of the other ratings that are here too."
    ),
    "expected_items": Column("measure", "Number of items expected in the cell by chance."),
    "contribution": Column("measure", "What the cell adds to kappa; the cells add up to it."),
    "one_minus_kappa": Column(
        "agreement", "One less quadratic weighted kappa: the sum of bias, scale and noise."
    ),
    "bias": Column("measure", "Due to different means, or different shares of the category."),
    "scale": Column("measure", "Due to different standard deviations."),
    "noise": Column("measure", "Due to a correlation below 1."),
    "correlation": Column("agreement", "Pearson's correlation of the scores."),
    "mean_a": Column("measure", "Mean score of the first rater."),
    "mean_b": Column("measure", "Mean score of the second rater."),
    "sd_a": Column("measure", "Standard deviation of the first rater, divided by n."),
    "sd_b": Column("measure", "Standard deviation of the second rater, divided by n."),
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

AGREEMENT: tuple[str, ...] = (
    "n_items",
    "n_raters",
    "n_ratings",
    "observed_agreement",
    "expected_agreement",
    "estimate",
    "se",
    "ci_low",
    "ci_high",
    "z",
    "p_value",
    "interpretation",
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

RATERS: tuple[str, ...] = (
    "n_ratings",
    "mean_kappa",
    "se_mean_kappa",
    "kappa_with_others",
    "light_without",
    "effect",
    "se_effect",
    "outlier_z",
    "p_value",
    "reason",
)

ITEMS: tuple[str, ...] = (
    "n_ratings",
    "disagreement",
    "share",
    "effect",
    "gain",
    "reason",
)

CATEGORIES: tuple[str, ...] = (
    "n_ratings",
    "prevalence",
    "bias",
    "kappa",
    "weight",
    "specific_agreement",
    "reason",
)

CELLS: tuple[str, ...] = (
    "n_items",
    "expected_items",
    "disagreement",
    "contribution",
    "reason",
)

SPLIT: tuple[str, ...] = (
    "n_items",
    "one_minus_kappa",
    "bias",
    "scale",
    "noise",
    "correlation",
    "mean_a",
    "mean_b",
    "sd_a",
    "sd_b",
    "reason",
)

REASONS: dict[str, str] = {
    "no_items": "There are no items, or no ratings at all.",
    "no_joint_items": "No item was rated by both raters.",
    "constant_ratings": "Both raters used one and the same category for every item: agreement by "
    "chance is complete, and kappa is 0/0.",
    "constant_rater": "One rater used a single category: kappa is exactly 0 whatever the other "
    "did, and it has no standard error.",
    "no_variance": "Nothing varies, by chance or among the items: there is no z and no p-value.",
    "few_items": "There are no more items (or clusters) than differences to test.",
    "fewer_than_min_items": "The pair has fewer joint items than were asked for.",
    "single_rating": "The item has fewer than two ratings.",
    "no_disagreement": "There is no disagreement to be shared out.",
    "undefined_without": "Without it the coefficient is undefined.",
    "no_other_pair": "There is no other pair of raters to compare with.",
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
