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
    "n_trials": Column("count", "Number of trials, in which a rater rated items again."),
    "n_spans": Column("count", "Number of spans."),
    "n_spans_a": Column("count", "Number of spans of the first rater."),
    "n_spans_b": Column("count", "Number of spans of the second rater."),
    "n_matched": Column("count", "Number of spans that match, one to one."),
    "observed_disagreement": Column("label", "Disagreement of spans, D_o of alpha for units."),
    "expected_disagreement": Column("label", "The same if spans and gaps were put at random, D_e."),
    "component": Column("label", "What makes scores differ; its variance is the estimate."),
    "source": Column("label", "What makes measurements differ; its variance is the estimate."),
    "sd": Column("measure", "Standard deviation, the root of the variance."),
    "study_variation": Column("measure", "Standard deviation times the multiplier."),
    "share_of_study": Column("measure", "Standard deviation over that of the total."),
    "share_of_tolerance": Column("measure", "Study variation over the tolerance."),
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
        "agreement", "Agreement expected by chance, p_e, as the coefficient defines it."
    ),
    "effective_disagreements": Column(
        "count",
        "How many equal disagreements say as much: the squared sum of the disagreements over the "
        "sum of their squares.",
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
    "se_fisher_z": Column(
        "measure",
        "Standard error on the scale of fisher_z, with one pseudo-item where that of the estimate "
        "is zero.",
    ),
    "z": Column(
        "z", "Test statistic of the hypothesis, such as that agreement is no better than chance."
    ),
    "p_value": Column(
        "p",
        "Probability of a test statistic at least this large if the hypothesis is true; "
        "two-sided for z.",
    ),
    "p_adjusted": Column(
        "p", "The p-value adjusted for the number of tests in the frame, where asked for."
    ),
    "min_estimate": Column(
        "agreement", "Smallest estimate that the raters' marginal totals allow."
    ),
    "max_estimate": Column("agreement", "Largest estimate that the raters' marginal totals allow."),
    "share_of_max": Column(
        "agreement", "Part of the largest attainable estimate that was reached."
    ),
    "weight": Column("measure", "Weight in the mean over groups, categories or cuts."),
    "n_groups": Column("count", "Number of groups whose estimate is defined."),
    "n_clipped": Column("count", "Number of groups whose estimate was clipped before fisher_z."),
    "n_undefined": Column(
        "count",
        "Number of groups left out because their estimate, or its standard error where the mean "
        "needs it, is undefined.",
    ),
    "prediction_low": Column(
        "agreement", "Lower limit of the prediction interval for the true value of one more group."
    ),
    "prediction_high": Column(
        "agreement", "Upper limit of the prediction interval for the true value of one more group."
    ),
    "fisher_mean": Column(
        "agreement", "Mean of fisher_z weighted by the column weight, transformed back by tanh."
    ),
    "fixed": Column(
        "agreement", "Mean of unbiased fisher_z weighted by items: one true value for all groups."
    ),
    "random": Column(
        "agreement",
        "Mean of unbiased fisher_z over a population of groups whose true values differ; limits "
        "of Hartung and Knapp.",
    ),
    "q": Column("measure", "Cochran's Q: squared deviations of the groups from the fixed mean."),
    "df": Column("count", "Degrees of freedom."),
    "chi2": Column("measure", "Statistic with a chi-squared distribution if the hypothesis holds."),
    "i2": Column("measure", "Share of the variation between groups that is not due to chance."),
    "tau2": Column("measure", "Variance of the true values of fisher_z between groups."),
    "i2_low": Column("measure", "Lower confidence limit of i2, by its Q profile."),
    "i2_high": Column("measure", "Upper confidence limit of i2, by its Q profile."),
    "tau2_low": Column("measure", "Lower confidence limit of tau2, by its Q profile."),
    "tau2_high": Column("measure", "Upper confidence limit of tau2, by its Q profile."),
    "reason": Column("text", "Why a value in this row is undefined; see the reasons below."),
    "statistic": Column("label", "Name of the statistic that is compared."),
    "remark": Column(
        "text",
        "How a group was treated and why, that a figure is unreliable, or why two packages differ; "
        "empty if nothing is to be said.",
    ),
    "weights": Column("text", "Weighting of disagreements."),
    "reference": Column("agreement", "Value computed by the other package."),
    "package": Column("text", "Package that computed the reference."),
    "version": Column("text", "Version of that package."),
    "abs_difference": Column("difference", "Absolute difference of the two values."),
    "agrees": Column("flag", "Whether the two values are the same up to rounding error."),
    "kappa_with_others": Column(
        "agreement",
        "Agreement with the other raters from the sums of observed and of expected disagreement.",
    ),
    "light_without": Column("agreement", "Mean of the pairwise kappas of all other raters."),
    "effect": Column(
        "measure",
        "The coefficient minus its value without this rater or item: below 0, "
        "agreement is better without.",
    ),
    "se_effect": Column("measure", "Standard error of the effect."),
    "effect_low": Column("measure", "Lower limit of the confidence interval of the effect."),
    "effect_high": Column("measure", "Upper limit of the confidence interval of the effect."),
    "disagreement": Column(
        "agreement", "Mean disagreement of the ratings, 1 being the largest on the scale."
    ),
    "share": Column(
        "agreement", "Part of the disagreement of all items, or of the variance of scores."
    ),
    "gain": Column(
        "measure", "Gain of the coefficient if the ratings of the item agreed, at fixed shares."
    ),
    "prevalence": Column("agreement", "Share of the ratings, averaged over the raters."),
    "cohen": Column("agreement", "Cohen's kappa, without weights."),
    "n_missing": Column("count", "Number of items left out because something is missing."),
    "accuracy": Column("agreement", "Share of items whose predicted labels are the true ones."),
    "log_loss": Column("measure", "Mean of -ln of the probability of the true class."),
    "mean_f1": Column("agreement", "Mean over the items of the F1 of an item's labels."),
    "macro_f1": Column("agreement", "Mean over the labels of the F1 of a label."),
    "micro_f1": Column("agreement", "F1 of all pairs of an item and a label."),
    "qwk": Column("agreement", "Cohen's kappa with quadratic weights."),
    "se_qwk": Column("measure", "Standard error of qwk."),
    "qwk_low": Column("agreement", "Lower limit of qwk."),
    "qwk_high": Column("agreement", "Upper limit of qwk."),
    "map_at_k": Column(
        "agreement", "Mean over the items of the average precision of the first k ranked labels."
    ),
    "specific_agreement": Column(
        "agreement",
        "Given one rating in this category, the share of the other ratings that are in it, too.",
    ),
    "expected_items": Column("measure", "Number of items expected in the cell by chance."),
    "contribution": Column(
        "measure", "Contribution of the cell to kappa; the contributions sum to kappa."
    ),
    "bias": Column("measure", "Due to different shares of the category."),
    "correlation": Column("agreement", "Pearson's correlation of the scores."),
    "mean_a": Column("measure", "Mean score of the first rater."),
    "mean_b": Column("measure", "Mean score of the second rater."),
    "kappa_u": Column("agreement", "The estimate without most of its bias in small samples."),
    "se_kappa_u": Column("measure", "Standard error of kappa_u."),
    "lin_accuracy": Column(
        "agreement",
        "Factor by which different means and standard deviations reduce the correlation, Lin's "
        "C_b.",
    ),
    "n_excluded": Column("count", "Number of items left out because of an excluded score."),
    "n_rounded": Column("count", "Number of machine scores rounded or clipped to the scale."),
    "sd_a": Column("measure", "Standard deviation of the first rater, divided by n - 1."),
    "sd_b": Column("measure", "Standard deviation of the second rater, divided by n - 1."),
    "min_a": Column("measure", "Lowest score of the first rater."),
    "max_a": Column("measure", "Highest score of the first rater."),
    "min_b": Column("measure", "Lowest score of the second rater."),
    "max_b": Column("measure", "Highest score of the second rater."),
    "smd": Column("measure", "Mean difference, b minus a, in standard deviations."),
    "exact_agreement": Column("agreement", "Share of items with equal scores."),
    "adjacent_agreement": Column("agreement", "Share of items whose scores differ by at most 1."),
    "r2": Column("agreement", "Share of the variance that is predicted; may be negative."),
    "rmse": Column("measure", "Root of the mean squared difference of the scores."),
    "disattenuated": Column(
        "agreement", "Correlation with human scores corrected for their errors; may exceed 1."
    ),
    "threshold": Column(
        "measure", "Threshold that the estimate is compared with; missing if there is none."
    ),
    "bound": Column("text", "On which side of the threshold the estimate should be."),
    "score_human": Column("measure", "Score of the human."),
    "score_second": Column("measure", "Score of the second human."),
    "score_machine": Column("measure", "Score of the machine."),
    "humans_apart": Column("measure", "Points between the two humans."),
    "machine_apart": Column("measure", "Points between the machine and the mean of the humans."),
    "why": Column("text", "Who is too far apart."),
    "base": Column(
        "flag", "Whether this is the base, the largest group, with which the others are compared."
    ),
    "se_dsm": Column("measure", "Standard error of dsm."),
    "dsm_low": Column("measure", "Lower limit of dsm."),
    "dsm_high": Column("measure", "Upper limit of dsm."),
    "dsm": Column(
        "measure", "Mean of b minus that of a in the group, each standardised over all groups."
    ),
    "error_variance": Column("measure", "Variance of the errors of single human scores."),
    "true_variance": Column("measure", "Variance of the scores without their errors."),
    "mse": Column("measure", "Mean squared difference of machine and true scores."),
    "n_effective": Column("measure", "Effective number of items under the shares of the prior."),
    "estimate_observed": Column("agreement", "The estimate at the shares of the data."),
    "dirichlet_low": Column("agreement", "Lower limit of the estimate over uncertain priors."),
    "dirichlet_high": Column("agreement", "Upper limit of the estimate over uncertain priors."),
    "ball_low": Column("agreement", "Least estimate of all priors within the radius."),
    "ball_high": Column("agreement", "Greatest estimate of all priors within the radius."),
    "humans": Column("label", "Label that all humans gave who rated the item, two or more."),
    "n_humans": Column("count", "Number of humans who rated the item, or are compared."),
    "against": Column("text", "The machines that gave another label, and this label."),
    "result": Column("label", "What was estimated."),
    "first": Column("label", "What the difference compares."),
    "second": Column("label", "What is subtracted."),
    "estimate_first": Column("agreement", "Estimate of the first."),
    "estimate_second": Column("agreement", "Estimate of the second."),
    "difference": Column("measure", "Difference of the estimates, first minus second."),
    "n_machine_pairs": Column("count", "Number of pairs of the machine with a human."),
    "n_human_pairs": Column("count", "Number of pairs of humans."),
    "estimate_machine": Column("agreement", "Mean estimate of the machine with each human."),
    "estimate_humans": Column("agreement", "Mean estimate of all pairs of humans."),
    "votes": Column("text", "How often each label was given, the most frequent first."),
    "decision": Column("text", "Room for what you decide."),
    "mean_machine": Column("measure", "Mean score, or share, of the machine."),
    "mean_humans": Column("measure", "Mean score, or share, of the humans on the same items."),
    "estimate_machine_low": Column("agreement", "Lower limit of the machine's."),
    "estimate_machine_high": Column("agreement", "Upper limit of the machine's."),
    "estimate_humans_low": Column("agreement", "Lower limit of the humans'."),
    "estimate_humans_high": Column("agreement", "Upper limit of the humans'."),
    "n_first": Column("count", "Number of items of the first."),
    "n_second": Column("count", "Number of items of the second."),
    "margin": Column(
        "measure",
        "How much less agreement is acceptable; for a label, how much more probable it is than "
        "the next one.",
    ),
    "p_non_inferior": Column(
        "p", "One-sided probability of such a difference if the true one is -margin or less."
    ),
    "p_equivalent": Column(
        "p", "Probability of such a difference if the true one is as far from 0 as the margin."
    ),
    "non_inferior": Column("flag", "Whether the whole interval lies above -margin."),
    "n_pairs": Column("count", "Number of pairs of raters."),
    "f": Column("measure", "Statistic with an F distribution if the hypothesis holds."),
    "df1": Column("count", "Degrees of freedom of the numerator of F."),
    "df2": Column("count", "Degrees of freedom of the denominator of F."),
    "label": Column("label", "Label of the item, the most probable one."),
    "probability": Column("agreement", "Probability of the label; of votes, its share of them."),
    "tied": Column("flag", "Whether other labels are equally probable."),
    "agreement": Column(
        "agreement", "Share of the other ratings of the same items that are the same."
    ),
    "share_of_agreement": Column("agreement", "Part of all agreeing pairs of ratings."),
    "ratings_per_item": Column("measure", "Number of ratings of an item, their harmonic mean."),
    "n_labelled": Column("count", "Number of items labelled by people and by the machine."),
    "n_unlabelled": Column("count", "Number of items labelled only by the machine."),
    "lam": Column(
        "measure", "Weight of the machine: 0 means that only the labels of people count."
    ),
    "humans_only": Column("measure", "The same figure from the labels of people alone."),
    "se_humans_only": Column("measure", "Standard error of humans_only."),
    "machine_only": Column("measure", "The same figure from the machine alone, for all items."),
    "stand_in_only": Column("measure", "The same figure from the stand-in alone, for all items."),
    "winning_rate": Column("agreement", "Share of the humans whom the machine beats."),
    "advantage_probability": Column(
        "agreement",
        "Share of the items on which the machine is at least as close to the other humans as the "
        "human left out; the mean over all humans.",
    ),
    "replaces": Column("flag", "Whether the machine beats half of the humans or more."),
    "machine_nearer": Column(
        "agreement", "Share of the items on which the machine is closer to the other humans."
    ),
    "human_nearer": Column(
        "agreement", "Share of the items on which the human is closer to the other humans."
    ),
    "difference_low": Column("measure", "Lower limit of the difference."),
    "difference_high": Column("measure", "Upper limit of the difference."),
    "flip_rate": Column(
        "agreement",
        "Share of the items on which the machine gives another answer when asked again.",
    ),
    "flip_rate_low": Column("agreement", "Lower limit of flip_rate."),
    "flip_rate_high": Column("agreement", "Upper limit of flip_rate."),
    "p_position": Column("p", "P-value of the hypothesis that the order does not matter."),
    "p_drift": Column("p", "P-value of the hypothesis that agreement is the same in all groups."),
    "verdict": Column("text", "The verdict in words."),
    "not_said": Column("text", "What the interval of the difference does not show."),
    "recall": Column(
        "agreement",
        "Share of the humans' ratings in the category for which the machine gives it, too.",
    ),
    "recall_low": Column("agreement", "Lower limit of recall."),
    "recall_high": Column("agreement", "Upper limit of recall."),
    "recall_humans": Column(
        "agreement",
        "Share of the humans' ratings in the category for which another human gives it, too.",
    ),
    "specificity": Column(
        "agreement",
        "Share of the humans' ratings in other categories for which the machine does not give this "
        "one.",
    ),
    "specificity_low": Column("agreement", "Lower limit of specificity."),
    "specificity_high": Column("agreement", "Upper limit of specificity."),
    "share_machine": Column(
        "agreement", "Share of the machine's ratings that are in the category."
    ),
    "share_humans": Column("agreement", "Share of the humans' ratings of an item, on average."),
    "excess": Column("measure", "Share of the machine minus that of the humans: its bias."),
    "excess_low": Column("measure", "Lower limit of excess."),
    "excess_high": Column("measure", "Upper limit of excess."),
    "share_given": Column("agreement", "Share of the answers in the category, in the order given."),
    "share_swapped": Column(
        "agreement", "Share of the answers in the category, in the other order."
    ),
    "shift": Column("measure", "How much greater the share is in the other order."),
    "shift_low": Column("measure", "Lower limit of shift."),
    "shift_high": Column("measure", "Upper limit of shift."),
    "test": Column("text", "Which test it is."),
    "beaten": Column("flag", "Whether the machine beats the human, after the adjustment."),
}


def _order(names: str) -> tuple[str, ...]:
    """List the columns of a frame, from left to right."""
    return tuple(names.split())


TRIALS = _order("n_items n_trials estimate se ci_low ci_high p_value reason remark")

PAIRS = _order("""
    rater_a rater_b n_items estimate se ci_low ci_high z p_value observed_agreement
    expected_agreement max_estimate effective_disagreements reason remark
""")

ADJUSTED = _order("p_adjusted")
ADJUSTED_PAIRS = (*PAIRS[:9], *ADJUSTED, *PAIRS[9:])

ATTAINABLE = _order("""
    rater_a rater_b n_items estimate min_estimate max_estimate share_of_max reason remark
""")

ATTAINABLE_TOGETHER = _order("n_raters n_items estimate max_estimate share_of_max reason remark")

AGREEMENT = _order("""
    n_items estimate se ci_low ci_high z p_value interpretation n_raters n_ratings
    observed_agreement expected_agreement effective_disagreements reason remark
""")

GROUPS = _order("""
    n_items estimate se ci_low ci_high z p_value n_categories observed_agreement
    expected_agreement fisher_z se_fisher_z weight max_estimate effective_disagreements reason
    remark
""")

POOLED = _order("""
    n_groups estimate se_fisher_z ci_low ci_high z p_value prediction_low prediction_high
    n_clipped n_undefined reason remark
""")

HETEROGENEITY = _order("q df p_value i2 tau2 i2_low i2_high tau2_low tau2_high reason remark")

STRATIFIED = _order("n_groups estimate se ci_low ci_high reason remark")

EQUALITY = _order("chi2 df p_value n_groups reason remark")

CROSSCHECK = _order("""
    rater_a rater_b statistic weights estimate reference package version abs_difference agrees
    reason remark
""")

ITEMS = _order("n_ratings disagreement share effect gain reason remark")

CATEGORIES = _order("""
    n_ratings estimate se ci_low ci_high prevalence bias weight specific_agreement reason
    remark
""")

CONCORDANCE = _order("""
    rater_a rater_b n_items estimate se ci_low ci_high kappa_u se_kappa_u correlation
    lin_accuracy difference reason remark
""")

EVALUATION = _order("""
    n_items qwk se_qwk qwk_low qwk_high cohen correlation disattenuated smd dsm exact_agreement
    adjacent_agreement r2 rmse mean_a mean_b sd_a sd_b min_a max_a min_b max_b n_excluded
    n_rounded reason remark
""")

FAIRNESS = _order("n_items n_groups r2 f df1 df2 p_value reason remark")

FAIRNESS_GROUPS = _order("n_items estimate se ci_low ci_high p_value base reason remark")

DIFFERENCES = _order("n_items dsm se_dsm dsm_low dsm_high smd mean_a mean_b reason remark")

READINESS = _order("n_items estimate ci_low ci_high bound threshold verdict reason remark")

ADJUDICATION = _order("""
    score_human score_second score_machine humans_apart machine_apart why reason remark
""")

SETTLED = _order("n_items qwk reason remark")

PRMSE = _order("""
    n_items n_raters estimate ci_low ci_high error_variance true_variance mse reason remark
""")

SCORECARD = _order("""
    n_items cohen qwk accuracy log_loss mean_f1 macro_f1 micro_f1 map_at_k n_missing reason
    remark
""")

SPANS = _order("""
    rater_a rater_b n_items n_spans_a n_spans_b n_matched estimate se ci_low ci_high reason remark
""")

UNITS = _order("""
    n_items n_spans observed_disagreement expected_disagreement estimate se ci_low ci_high reason
    remark
""")

SHIFT = _order("""
    n_items estimate se ci_low ci_high estimate_observed dirichlet_low dirichlet_high
    ball_low ball_high n_effective reason remark
""")

SUMMARY = _order("result weights n_items estimate ci_low ci_high")

MACHINES = _order("""
    n_items difference se ci_low ci_high z p_value estimate_machine estimate_machine_low
    estimate_machine_high estimate_humans estimate_humans_low estimate_humans_high
    n_machine_pairs n_human_pairs reason
""")

BY_GROUP = _order("n_items estimate se ci_low ci_high")
BY_MACHINE = _order("""
    n_items estimate_humans estimate_humans_low estimate_humans_high estimate_machine
    estimate_machine_low estimate_machine_high difference ci_low ci_high
""")

DISCUSS = _order("votes decision")

LEANING = _order("""
    n_items mean_machine mean_humans difference se ci_low ci_high p_value smd
""")

RECALL = _order("n_ratings recall recall_low recall_high recall_humans reason")

AGAINST = _order("humans against n_humans")

BY_MARGIN = _order("margin p_non_inferior p_equivalent")

CEILING = _order("""
    n_items difference se ci_low ci_high z p_value p_adjusted estimate_machine estimate_humans
    margin p_non_inferior non_inferior n_machine_pairs n_human_pairs reason remark
""")

ALT_MACHINES = _order("winning_rate advantage_probability n_humans n_items replaces reason remark")

ALT_HUMANS = _order("""
    n_items advantage_probability machine_nearer human_nearer p_value p_adjusted test beaten
    reason remark
""")

AUDIT = _order("""
    n_items estimate se ci_low ci_high estimate_humans difference difference_low difference_high
    margin p_non_inferior non_inferior winning_rate advantage_probability n_humans replaces
    flip_rate p_position p_drift verdict not_said reason remark
""")

AUDIT_CLASSES = _order("""
    n_ratings recall recall_low recall_high recall_humans specificity specificity_low
    specificity_high share_machine share_humans excess excess_low excess_high reason remark
""")

AUDIT_REPEATS = _order("n_items flip_rate flip_rate_low flip_rate_high estimate reason remark")

AUDIT_POSITIONS = _order("""
    n_items flip_rate share_given share_swapped shift shift_low shift_high p_value reason remark
""")

AUDIT_DRIFT = _order("n_items estimate se ci_low ci_high estimate_humans reason remark")

BLAND_ALTMAN = _order("n_items estimate se ci_low ci_high p_value reason remark")

WITHIN = _order("rater_a rater_b n_items estimate se ci_low ci_high reason remark")

KENDALL_W = _order("n_items estimate chi2 df p_value n_raters reason remark")

ICC = _order("""
    n_items estimate se ci_low ci_high z df p_value f df1 df2 n_raters ratings_per_item reason
    remark
""")

PREVALENCE = _order("""
    n_labelled n_unlabelled estimate se ci_low ci_high lam humans_only machine_only reason
    remark
""")

PREDICTION_POWERED = _order("""
    n_labelled n_unlabelled estimate se ci_low ci_high lam correlation humans_only
    se_humans_only stand_in_only reason remark
""")

REASONS: dict[str, str] = {
    "no_items": "There are no items, or no ratings at all.",
    "no_joint_items": "No item was rated by both raters.",
    "constant_ratings": "Both raters used the same single category for every item: agreement "
    "expected by chance is perfect, and kappa is 0/0.",
    "constant_rater": "One rater used a single category: kappa is exactly 0 whatever the other "
    "rater did, and has no standard error.",
    "no_variance": "Nothing varies, by chance or among the items: there is no z and no p-value, or "
    "there are no limits.",
    "few_items": "There are no more ratings than items and raters together, or too few items for "
    "a slope.",
    "fewer_than_min_items": "There are fewer joint items than the required minimum.",
    "single_rating": "The item has fewer than two ratings.",
    "no_disagreement": "There is no disagreement to divide.",
    "few_raters": "With fewer than three raters, the variation between raters cannot be estimated.",
    "undefined_without": "The coefficient is undefined without the item; in jackknife limits, "
    "without some item (or cluster); in standard errors of vary='both', without some rater.",
    "undefined_resamples": "The coefficient is undefined in all resamples, so there are no limits.",
    "one_sided_resamples": "All resampled values are on one side of the estimate, so BCa limits "
    "are undefined.",
    "no_other_pair": "There is no other pair of raters to compare with.",
    "one_group": "With one group, the variation between groups cannot be estimated.",
    "not_binary": "The test is for two categories.",
    "clusters": "The test assumes independent items.",
    "clusters_span_groups": "Clusters have items in several groups, which are not independent.",
    "infinite_z": "A group agrees perfectly, and without clip its Fisher's z is infinite.",
    "impossible_counts": "The common kappa is so low that an expected number of items would be "
    "negative.",
    "not_converged": "The variances did not converge: the ratings hold too little information "
    "about them.",
    "n_lt_2": "With fewer than two items there is no standard error, and with a single rating no "
    "alpha.",
    "no_agreement_attainable": "The category shares allow no agreement beyond chance.",
    "too_many_programmes": "The weights need a linear programme for each row, and there are too "
    "many rows or categories.",
    "no_closed_form": "For three raters or more together, the largest estimate is known only for "
    "weights such as linear and quadratic.",
    "no_labels": "No item has a true label.",
    "no_reference": "The other package has no such figure, or was not called; see the remark.",
    "no_order": "The order of the categories is not known, so there is no quadratic weighted "
    "kappa.",
    "no_defined_group": "The coefficient is undefined in all groups that count.",
    "unseen_class": "A class with a positive share has no items, so it is not known how it is "
    "predicted.",
    "no_unlabelled": "All items have a human label, so the machine adds nothing.",
    "machine_at_chance": "Sensitivity and specificity of the machine add up to 1 or less, so the "
    "machine's share cannot be corrected.",
    "no_double_ratings": "No item was scored by two humans, so the error variance of human "
    "scores is unknown.",
    "no_shared_score": "The group has no human score in common with the base group, directly or "
    "through other groups, or no two groups have one.",
    "no_true_variance": "Human scores vary no more than their errors: there are no true scores to "
    "predict.",
    "zero_total_weight": "The weights of the items, or of the groups, add up to zero.",
}

LEAST_P = 0.0001  # of a smaller p-value it is only said that it is smaller

NUMBER_FORMATS: dict[Kind, str] = {
    "label": "General",
    "text": "General",
    "count": "#,##0",
    "agreement": "0.000",
    "measure": "0.000",
    "z": "0.00",
    "p": '[<0.0001]"<0.0001";0.0000',
    "difference": "0.0E+00",
    "flag": "General",
}


# What is printed by name only: errors, and what a figure is made of.
TECHNICAL: set[Hashable] = {
    *("se", "z", "remark", "observed_agreement", "expected_agreement", "max_estimate"),
    *("fisher_z", "se_fisher_z", "se_effect", "kappa_with_others", "light_without"),
    *("n_raters", "n_machine_pairs", "n_human_pairs", "n_clipped", "n_undefined"),
    *("n_first", "n_second", "correlation", "se_qwk", "se_dsm", "not_said"),
}
# What is printed even where others have no room.
TELLING: set[Hashable] = {
    *("n_items", "p_value", "reason", "verdict", "interpretation", "agrees", "replaces"),
    *("difference", "share_of_study", "share_of_tolerance"),
    *("estimate_machine", "estimate_humans", "estimate_first", "estimate_second"),
}


def technical(names: Iterable[Hashable]) -> set[Hashable]:
    """Tell which columns of a frame are not printed.

    >>> sorted(technical(["n_items", "n_ratings", "estimate", "ci_low", "se", "p_value"]))
    ['n_ratings', 'p_value', 'se']
    """
    present = set(names)
    found: set[Hashable] = TECHNICAL & present
    if {"n_items", "n_ratings"} <= present:
        found |= {"n_ratings"}
    if "ci_low" in present and not present & {"difference", "effect"}:
        found |= {"p_value"}
    return found


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
