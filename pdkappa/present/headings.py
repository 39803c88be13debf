"""Names of columns -> the headings that people read above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

HEADINGS: dict[str, str] = {
    "by": "Groups",
    "ci": "Interval",
    "rng": "Random numbers",
    "n_resamples": "Resamples",
    "rater_a": "First rater",
    "rater_b": "Second rater",
    "n_items": "Items",
    "n_raters": "Raters",
    "n_ratings": "Ratings",
    "n_categories": "Categories",
    "n_groups": "Groups",
    "n_pairs": "Pairs",
    "n_humans": "Humans who rated",
    "n_machine_pairs": "Pairs with a human",
    "n_human_pairs": "Pairs of humans",
    "interpretation": "In words",
    "reading": "In words",
    "se": "Standard error",
    "ci_low": "Lower limit",
    "ci_high": "Upper limit",
    "z": "z",
    "p_value": "p",
    "p_adjusted": "Adjusted p",
    "fisher_z": "Fisher's z",
    "se_fisher_z": "Error of z",
    "fisher_mean": "Fisher-z mean",
    "max_estimate": "Largest possible",
    "min_estimate": "Smallest possible",
    "prediction_low": "Prediction from",
    "prediction_high": "Prediction to",
    "n_clipped": "Clipped",
    "n_undefined": "Undefined",
    "reason": "Why undefined",
    "q": "Cochran's Q",
    "df": "Degrees of freedom",
    "chi2": "Chi-squared",
    "i2": "I\N{SUPERSCRIPT TWO}",
    "tau2": "Tau\N{SUPERSCRIPT TWO}",
    "i2_low": "I\N{SUPERSCRIPT TWO} from",
    "i2_high": "I\N{SUPERSCRIPT TWO} to",
    "tau2_low": "Tau\N{SUPERSCRIPT TWO} from",
    "tau2_high": "Tau\N{SUPERSCRIPT TWO} to",
    "kappa_with_others": "With all others",
    "light_without": "Others without this rater",
    "effect": "Effect on agreement",
    "se_effect": "Error of effect",
    "effect_ci_low": "Effect from",
    "effect_ci_high": "Effect to",
    "outlier_z": "z of effect",
    "share": "Share of disagreement",
    "prevalence": "Share of ratings",
    "specific_agreement": "Others who agree",
    "humans": "All humans say",
    "against": "Machines say",
    "n_annotators": "Annotators",
    "agrees": "Same",
    "recall_humans": "Recall of humans",
    "recall_low": "Recall from",
    "recall_high": "Recall to",
    "estimate_machine": "Machine with humans",
    "estimate_humans": "Humans with humans",
    "difference_low": "Difference from",
    "difference_high": "Difference to",
    "non_inferior": "Not inferior",
    "p_non_inferior": "p of being inferior",
    "p_position": "p of the order",
    "p_drift": "p of drift",
    "pdkappa": "pdkappa",
    "abs_difference": "Absolute difference",
    "margins_ab": "By chance, rows with columns",
    "margins_aa": "By chance, rows twice",
    "margins_bb": "By chance, columns twice",
    "same_ab": "The same, rows and columns",
    "same_aa": "The same, rows twice",
    "same_bb": "The same, columns twice",
}


def heading_of(name: Hashable) -> str:
    """Say what stands above a column, or before the value of a group.

    >>> heading_of("n_items"), heading_of("observed_agreement"), heading_of("essay_set")
    ('Items', 'Observed agreement', 'Essay set')
    """
    text = str(name)
    return HEADINGS.get(text) or text[:1].upper() + text[1:].replace("_", " ")


def spoken_by(by: Hashable | list[Any]) -> str:
    """Name the columns that groups come from.

    >>> spoken_by("essay_set"), spoken_by(["site", "year"])
    ('Essay set', 'Site, Year')
    """
    return ", ".join(map(heading_of, by if isinstance(by, list) else [by]))
