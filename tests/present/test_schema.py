"""The vocabulary of columns: complete, ordered, formatted, explained."""

from __future__ import annotations

from typing import get_args

from conftest import each
from pdkappa.present import schema

LISTS = {
    "PAIRS": schema.PAIRS,
    "ADJUSTED": schema.ADJUSTED,
    "GROUPS": schema.GROUPS,
    "POOLED": schema.POOLED,
    "REMARKS": schema.REMARKS,
    "MEANS": schema.MEANS,
    "HETEROGENEITY": schema.HETEROGENEITY,
    "STRATIFIED": schema.STRATIFIED,
    "EQUALITY": schema.EQUALITY,
    "CROSSCHECK": schema.CROSSCHECK,
    "ATTAINABLE": schema.ATTAINABLE,
    "ATTAINABLE_TOGETHER": schema.ATTAINABLE_TOGETHER,
    "AGREEMENT": schema.AGREEMENT,
    "RATERS": schema.RATERS,
    "ITEMS": schema.ITEMS,
    "CATEGORIES": schema.CATEGORIES,
    "CELLS": schema.CELLS,
    "CONCORDANCE": schema.CONCORDANCE,
    "EVALUATION": schema.EVALUATION,
    "PREVALENCE": schema.PREVALENCE,
    "PREDICTION_POWERED": schema.PREDICTION_POWERED,
    "FAIRNESS": schema.FAIRNESS,
    "FAIRNESS_GROUPS": schema.FAIRNESS_GROUPS,
    "DIFFERENCES": schema.DIFFERENCES,
    "READINESS": schema.READINESS,
    "ADJUDICATION": schema.ADJUDICATION,
    "SETTLED": schema.SETTLED,
    "PRMSE": schema.PRMSE,
    "SCORECARD": schema.SCORECARD,
    "SHIFT": schema.SHIFT,
    "SUMMARY": schema.SUMMARY,
    "MACHINES": schema.MACHINES,
    "RECALL": schema.RECALL,
    "AGAINST": schema.AGAINST,
    "COMPARE": schema.COMPARE,
    "COMPARE_GROUPS": schema.COMPARE_GROUPS,
    "CEILING": schema.CEILING,
    "ALT_JUDGES": schema.ALT_JUDGES,
    "ALT_ANNOTATORS": schema.ALT_ANNOTATORS,
    "AUDIT": schema.AUDIT,
    "AUDIT_KAPPAS": schema.AUDIT_KAPPAS,
    "AUDIT_CLASSES": schema.AUDIT_CLASSES,
    "AUDIT_REPEATS": schema.AUDIT_REPEATS,
    "AUDIT_POSITIONS": schema.AUDIT_POSITIONS,
    "AUDIT_DRIFT": schema.AUDIT_DRIFT,
    "BLAND_ALTMAN": schema.BLAND_ALTMAN,
    "WITHIN": schema.WITHIN,
    "KENDALL_W": schema.KENDALL_W,
    "ICC": schema.ICC,
    "HOMOGENEITY": schema.HOMOGENEITY,
    "CONSENSUS": schema.CONSENSUS,
    "RATERS_OF_CONSENSUS": schema.RATERS_OF_CONSENSUS,
    "BY_MARGIN": schema.BY_MARGIN,
}


@each("names", LISTS.values())
def test_every_listed_column_is_described_once(names):
    assert len(set(names)) == len(names)
    assert set(names) <= schema.COLUMNS.keys()


def test_every_described_column_is_in_a_list():
    assert set().union(*LISTS.values()) == schema.COLUMNS.keys()


def test_order_of_the_columns():
    assert {key: " ".join(names) for key, names in LISTS.items()} == {
        "PAIRS": "rater_a rater_b n_items estimate se ci_low ci_high z p_value "
        "observed_agreement expected_agreement max_estimate reason remark",
        "ADJUSTED": "p_adjusted",
        "GROUPS": "n_items estimate se ci_low ci_high n_categories observed_agreement "
        "expected_agreement fisher_z se_fisher_z weight max_estimate reason",
        "POOLED": "n_groups estimate se_fisher_z ci_low ci_high prediction_low "
        "prediction_high n_clipped n_undefined reason remark",
        "REMARKS": "remark",
        "MEANS": "fisher_mean fixed random",
        "HETEROGENEITY": "q df p_value i2 tau2 i2_low i2_high tau2_low tau2_high",
        "STRATIFIED": "n_groups estimate se ci_low ci_high reason",
        "EQUALITY": "chi2 df p_value n_groups reason remark",
        "CROSSCHECK": "statistic raters weights pdkappa reference package version "
        "abs_difference agrees note",
        "ATTAINABLE": "rater_a rater_b n_items estimate min_estimate max_estimate "
        "share_of_max reason",
        "ATTAINABLE_TOGETHER": "n_raters n_items estimate max_estimate share_of_max reason",
        "AGREEMENT": "n_items estimate se ci_low ci_high z p_value interpretation n_raters "
        "n_ratings observed_agreement expected_agreement reason remark",
        "RATERS": "n_ratings estimate se ci_low ci_high effect se_effect effect_ci_low "
        "effect_ci_high outlier_z p_value kappa_with_others light_without "
        "reason remark",
        "ITEMS": "n_ratings disagreement share effect gain reason",
        "CATEGORIES": "n_ratings estimate se ci_low ci_high prevalence bias weight "
        "specific_agreement reason",
        "CELLS": "n_items expected_items disagreement contribution reason",
        "CONCORDANCE": "rater_a rater_b n_items estimate se ci_low ci_high kappa_u se_kappa_u "
        "correlation lin_accuracy mean_difference reason",
        "EVALUATION": "n_items estimate se ci_low ci_high qwk cohen correlation "
        "disattenuated smd dsm exact_agreement adjacent_agreement r2 rmse mean_a mean_b "
        "sample_sd_a sample_sd_b min_a max_a min_b max_b n_excluded n_rounded reason",
        "PREVALENCE": "n_labelled n_unlabelled estimate se ci_low ci_high lam human_only "
        "judge_only reason",
        "PREDICTION_POWERED": "n_labelled n_unlabelled estimate se ci_low ci_high lam correlation "
        "human_only se_human_only judge_only reason remark",
        "FAIRNESS": "n_items n_groups r2 f df1 df2 p_value reason",
        "FAIRNESS_GROUPS": "n_items estimate se ci_low ci_high p_value base reason",
        "DIFFERENCES": "n_items dsm se ci_low ci_high smd mean_a mean_b reason",
        "READINESS": "n_items value ci_low ci_high bound threshold verdict reason",
        "ADJUDICATION": "score_human score_second score_machine humans_apart machine_apart why",
        "SETTLED": "n_items qwk reason",
        "PRMSE": "n_items n_raters prmse ci_low ci_high error_variance true_variance mse reason",
        "SCORECARD": "n_items cohen qwk accuracy log_loss mean_f1 macro_f1 micro_f1 map_at_k "
        "n_missing reason",
        "SHIFT": "prior n_items estimate se ci_low ci_high estimate_observed "
        "dirichlet_low dirichlet_high ball_low ball_high n_effective reason",
        "SUMMARY": "result weights n_items estimate ci_low ci_high reading",
        "MACHINES": "n_items difference se ci_low ci_high z p_value estimate_machine "
        "estimate_humans n_machine_pairs n_human_pairs reason",
        "RECALL": "n_ratings recall recall_low recall_high recall_humans reason",
        "AGAINST": "humans against n_humans",
        "COMPARE": "first second n_items difference se ci_low ci_high z p_value estimate_first "
        "estimate_second correlation n_first n_second reason remark",
        "COMPARE_GROUPS": "first second n_items difference se ci_low ci_high z p_value "
        "estimate_first estimate_second n_first n_second reason remark",
        "CEILING": "n_items difference se ci_low ci_high z p_value estimate_machine "
        "estimate_humans margin p_non_inferior non_inferior n_machine_pairs n_human_pairs reason "
        "remark",
        "BLAND_ALTMAN": "n_items estimate se ci_low ci_high p_value reason",
        "WITHIN": "rater_a rater_b n_items estimate se ci_low ci_high reason",
        "KENDALL_W": "n_items estimate chi2 df p_value n_raters reason",
        "ICC": "n_items estimate se ci_low ci_high f df1 df2 p_value n_raters ratings_per_item "
        "reason",
        "CONSENSUS": "label probability n_ratings margin tied",
        "RATERS_OF_CONSENSUS": "n_ratings accuracy agreement share_of_agreement reason",
        "HOMOGENEITY": "n_items f df1 df2 p_value n_pairs reason remark",
        "ALT_JUDGES": "winning_rate advantage_probability n_annotators n_items replaces reason "
        "remark",
        "ALT_ANNOTATORS": "n_items advantage_probability judge_nearer human_nearer p_value "
        "p_adjusted test beaten reason",
        "AUDIT": "n_items estimate se ci_low ci_high estimate_humans difference difference_low "
        "difference_high margin p_non_inferior non_inferior winning_rate advantage_probability "
        "n_annotators replaces flip_rate p_position p_drift verdict not_said reason remark",
        "AUDIT_KAPPAS": "n_items estimate se ci_low ci_high reason",
        "AUDIT_CLASSES": "n_ratings recall recall_low recall_high recall_humans specificity "
        "specificity_low specificity_high share_judge share_humans excess excess_low excess_high "
        "reason",
        "AUDIT_REPEATS": "n_items flip_rate flip_low flip_high estimate reason",
        "AUDIT_POSITIONS": "n_items flip_rate share_given share_swapped shift shift_low "
        "shift_high p_value",
        "AUDIT_DRIFT": "n_items estimate se ci_low ci_high estimate_humans reason",
        "BY_MARGIN": "margin p_non_inferior p_equivalent",
    }


def test_every_kind_has_a_number_format():
    assert schema.NUMBER_FORMATS.keys() == set(get_args(schema.Kind))


@each(
    ("name", "expected"),
    [
        ("n_items", "#,##0"),
        ("estimate", "0.000"),
        ("se", "0.000"),
        ("ci_low", "0.000"),
        ("fisher_z", "0.000"),
        ("max_estimate", "0.000"),
        ("z", "0.00"),
        ("p_value", '[<0.0001]"<0.0001";0.0000'),
        ("abs_difference", "0.0E+00"),
        ("rater_a", "General"),
        ("essay_set", "General"),
    ],
)
def test_number_format(name, expected):
    assert schema.NUMBER_FORMATS[schema.kind_of(name)] == expected


@each("name", [0, ("essay_set", 1), None, float("nan"), "Estimate"])
def test_what_is_not_in_the_vocabulary_is_a_label(name):
    assert schema.kind_of(name) == "label"


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
        "judge_at_chance",
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
        "no_order",
        "no_defined_group",
        "unseen_class",
        "no_double_ratings",
        "no_shared_score",
        "no_true_variance",
        "zero_total_weight",
    }


def test_definitions_keep_the_order_and_skip_the_unknown():
    found = schema.definitions(["z", 1, "essay_set", "se", "z"])
    assert found == [("z", schema.COLUMNS["z"].meaning), ("se", schema.COLUMNS["se"].meaning)]
