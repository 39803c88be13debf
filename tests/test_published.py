"""Figures printed in articles, questions and manuals, through the public functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pdkappa
from pdkappa.datasets import load_anxiety, load_cohen1968, load_skin_condition


def counts(rows, names=("first", "second")):
    """Return a square table of counts whose categories are 0, 1, 2 and so on."""
    scale = range(len(rows))
    table = pd.DataFrame(rows, index=scale, columns=scale)
    return table.rename_axis(index=names[0], columns=names[1])


def only(frame):
    """Return the one row of a result."""
    (label,) = frame.index
    return frame.loc[label]


# --- Articles ----------------------------------------------------------------------------

# Two doctors grade 100 patients; the far and the near disagreements have the same counts, so
# that kappa hardly differs and quadratic weights do. The article prints kappa 0.77 and 0.77,
# weighted 0.51 and 0.89. The 0.51 does not follow from its own formula: 0.646 does.
DOCTORS = {
    "far": ([[32, 0, 5], [0, 19, 1], [9, 0, 34]], 0.7650007833, 0.6462264151),
    "near": ([[32, 5, 0], [0, 19, 1], [0, 9, 34]], 0.7744700045, 0.8977086743),
}


@pytest.mark.parametrize(("rows", "kappa", "qwk"), DOCTORS.values(), ids=DOCTORS)
def test_two_doctors(rows, kappa, qwk):
    ratings = pdkappa.from_table(counts(rows, ("doctor A", "doctor B")))
    plain = only(ratings.pairs())
    weighted = only(ratings.pairs(weights="quadratic"))
    assert (plain["rater_a"], plain["rater_b"]) == ("doctor A", "doctor B")
    assert plain["n_items"] == 100
    assert plain["estimate"] == pytest.approx(kappa, abs=5e-11)
    assert weighted["estimate"] == pytest.approx(qwk, abs=5e-11)


# Cohen (1968), Table 1, kappa .492 and weighted kappa .348 with his disagreement weights.
# Standard errors by Fleiss, Cohen and Everitt (1969): statsmodels 0.15.0, R vcd, R irrCAC.
COHEN_DISAGREEMENT = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])


def cohen_1968():
    """Return the ratings of the table, whose text categories keep its order."""
    table = load_cohen1968()
    return pdkappa.from_table(table, categories=list(table.index))


def test_cohen_1968():
    ratings = cohen_1968()
    plain = only(ratings.pairs())
    weighted = only(ratings.pairs(weights=COHEN_DISAGREEMENT))
    assert (plain["rater_a"], plain["rater_b"]) == ("judge_a", "judge_b")
    assert plain["estimate"] == pytest.approx(0.491525, abs=5e-7)
    assert plain["se"] == pytest.approx(0.051002, abs=5e-7)
    assert weighted["estimate"] == pytest.approx(0.347826, abs=5e-7)
    assert weighted["se"] == pytest.approx(0.075504, abs=5e-7)
    assert weighted["estimate"] / weighted["z"] == pytest.approx(0.059720, abs=5e-7)


def test_cohen_1968_with_agreement_weights():
    """1 - v / 6 says the same as the disagreement v."""
    weighted = only(cohen_1968().pairs(weights=1 - COHEN_DISAGREEMENT / 6))
    assert weighted["estimate"] == pytest.approx(0.347826, abs=5e-7)
    assert weighted["se"] == pytest.approx(0.075504, abs=5e-7)


# Fleiss, Cohen and Everitt (1969), Table 1, with their weights of agreement, as in the help of
# R psych's cohen.kappa; figures of statsmodels 0.15.0, R vcd and R irrCAC.
FLEISS_COHEN_EVERITT = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
SIMILARITY = np.array([[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]])


def test_fleiss_cohen_everitt_1969():
    ratings = pdkappa.from_table(counts(FLEISS_COHEN_EVERITT))
    plain = only(ratings.pairs())
    weighted = only(ratings.pairs(weights=SIMILARITY))
    assert plain["estimate"] == pytest.approx(0.428571, abs=5e-7)
    assert plain["se"] == pytest.approx(0.053711, abs=5e-7)
    assert plain["estimate"] / plain["z"] == pytest.approx(0.055512, abs=5e-7)
    assert weighted["estimate"] == pytest.approx(0.507070, abs=5e-7)
    assert weighted["se"] == pytest.approx(0.056994, abs=5e-7)
    assert weighted["estimate"] / weighted["z"] == pytest.approx(0.065336, abs=5e-7)


def test_fleiss_nee_landis_1979():
    """Fleiss, Nee and Landis (1979), the standard error under chance, for two raters."""
    skin = load_skin_condition()
    shares = pd.concat([skin[rater] for rater in skin]).value_counts(normalize=True)
    p, n, m = shares.to_numpy(), len(skin), 2
    spread = (p * (1 - p)).sum()
    skew = (p * (1 - p) * (1 - 2 * p)).sum()
    variance = 2 * (spread**2 - skew) / (spread**2 * n * m * (m - 1))
    scott = only(pdkappa.pairs(skin, coefficient="scott"))
    assert scott["estimate"] / scott["z"] == pytest.approx(variance**0.5, rel=1e-12)


def test_brennan_prediger_1981():
    """Under uniform chance the number of agreements is binomial with probability 1 / K."""
    skin = load_skin_condition()
    n, k = len(skin), 4
    bennett = only(pdkappa.pairs(skin, coefficient="brennan_prediger"))
    assert bennett["estimate"] / bennett["z"] == pytest.approx((n * (k - 1)) ** -0.5, rel=1e-12)


# --- Manuals -----------------------------------------------------------------------------


# SAS/STAT User's Guide, The FREQ Procedure, Getting Started: SkinCondition. Figures of
# statsmodels 0.15.0, R vcd 1.4.11 and R irrCAC 1.4 for that table.
def test_skin_condition():
    plain = only(pdkappa.pairs(load_skin_condition(), ci="wald"))
    assert plain["n_items"] == 88
    assert plain["estimate"] == pytest.approx(0.3449, abs=5e-5)
    assert plain["se"] == pytest.approx(0.0724, abs=5e-5)
    assert plain["ci_low"] == pytest.approx(0.2030, abs=5e-5)
    assert plain["ci_high"] == pytest.approx(0.4868, abs=5e-5)
    assert only(pdkappa.pairs(load_skin_condition()))["z"] == pytest.approx(5.6366, abs=5e-5)
    weighted = only(pdkappa.pairs(load_skin_condition(), weights="linear"))
    assert weighted["estimate"] == pytest.approx(0.5082, abs=5e-5)


# R irr 0.84, kappa2(anxiety[, 1:2], c(0, 0, 0, 1, 1, 1)) and the like, as printed in
# statsmodels 0.15.0, stats/tests/test_inter_rater.py: kappa, z and p.
# The weights are the disagreement of categories 0, 1, 2 … steps apart.
IRR_STEPS = {
    "far apart only": ([0, 0, 0, 1, 1, 1], 0.1891892, 0.5079002, 0.6115233),
    "in twos": ([0, 0, 1, 1, 2, 2], 0.2820513, 1.257410, 0.2086053),
}


@pytest.mark.parametrize(("steps", "kappa", "z", "p"), IRR_STEPS.values(), ids=IRR_STEPS)
def test_r_irr_own_weights(steps, kappa, z, p):
    apart = np.array(steps)[abs(np.subtract.outer(range(6), range(6)))]
    raters = ["rater_1", "rater_2"]
    result = only(
        pdkappa.pairs(load_anxiety(), raters, weights=apart, categories=list(range(1, 7))),
    )
    assert result["estimate"] == pytest.approx(kappa, abs=5e-8)
    assert result["z"] == pytest.approx(z, abs=5e-7)
    assert result["p_value"] == pytest.approx(p, abs=5e-8)


# R irr 0.84, kappa2(anxiety[, 2:3], …), from the same place. Neither rater gives a 5, and irr
# then takes 6 for the neighbour of 4: distances are those of ranks.
IRR_WEIGHTS = {
    None: (-0.006289308, -0.0604067, 0.9518317),
    "linear": (0.1459075, 1.282472, 0.1996772),
    "quadratic": (0.2520325, 1.437451, 0.1505898),
}


@pytest.mark.parametrize("weights", IRR_WEIGHTS)
def test_r_irr_ranks(weights):
    kappa, z, p = IRR_WEIGHTS[weights]
    raters = ["rater_2", "rater_3"]
    result = only(pdkappa.pairs(load_anxiety(), raters, weights=weights, distance="rank"))
    assert result["estimate"] == pytest.approx(kappa, abs=5e-8)
    assert result["z"] == pytest.approx(z, abs=5e-7)
    assert result["p_value"] == pytest.approx(p, abs=5e-8)


# --- Questions and test suites -----------------------------------------------------------


def test_small_vectors():
    first = pd.DataFrame({"a": [2, 0, 2, 2, 0, 1], "b": [0, 0, 2, 2, 0, 2]})
    assert pdkappa.pairwise(first).loc["a", "b"] == pytest.approx(3 / 7)
    assert pdkappa.qwk(first["a"], first["b"]) == pytest.approx(6 / 11)
    assert pdkappa.qwk([1, 2, 3, 4, 3], [2, 2, 4, 4, 5]) == pytest.approx(8 / 13)


# R Metrics 0.1.4, tests: ScoreQuadraticWeightedKappa(c(1, 3, 3, 5), c(2, 4, 5, 6), 1, 6).
def test_r_metrics_gapped_scale():
    assert pdkappa.qwk([1, 3, 3, 5], [2, 4, 5, 6]) == pytest.approx(0.6956521739130435)
    labels = list(range(1, 7))
    assert pdkappa.qwk([1, 3, 3, 5], [2, 4, 5, 6], labels=labels) == pytest.approx(16 / 23)


def test_eleven_scores():
    """Scores whose ranges overlap only in part; as the essay-set scorer gives it."""
    a, b = [1, 4, 2, 2, 5, 2, 5, 4, 5, 3, 1], [3, 4, 4, 4, 4, 4, 6, 7, 8, 9, 10]
    assert pdkappa.qwk(a, b) == pytest.approx(0.041025641025641, abs=1e-14)


# ml_metrics and R Metrics, MeanQuadraticWeightedKappa.
MEANS = {
    "weighted": ([0.5, 0.8], [1, 0.5], 0.624536446425734, 1e-14),
    "six weighted": ([0.3, 0.2, 0.2, 0.5, 0.1, 0.2], [1, 2.5, 1, 1, 2, 3], 0.2226148, 5e-8),
    "perfect": ([1, 1], None, 0.999, 1e-14),
    "opposite": ([-1, 1], None, 0.0, 1e-14),
}


@pytest.mark.parametrize(("kappas", "weights", "mean", "tolerance"), MEANS.values(), ids=MEANS)
def test_fisher_mean(kappas, weights, mean, tolerance):
    assert pdkappa.fisher_mean(kappas, weights) == pytest.approx(mean, abs=tolerance)


# Six students answer five questions right (1) or wrong (0): do they answer alike?
QUIZ = {"A": "11100", "B": "10011", "C": "10010", "D": "11010", "E": "10011", "F": "01100"}
QUIZ_KAPPAS = {
    "AB": -0.67, "AC": -0.15, "AD": 0.17, "AE": -0.67, "AF": 0.62,
    "BC": 0.62, "BD": 0.17, "BE": 1.00, "BF": -0.92,
    "CD": 0.62, "CE": 0.62, "CF": -0.67,
    "DE": 0.17, "DF": -0.15,
    "EF": -0.92,
}  # fmt: skip


def quiz():
    return pd.DataFrame({student: [int(x) for x in answers] for student, answers in QUIZ.items()})


def test_quiz_pairs():
    result = pdkappa.pairs(quiz())
    kappas = dict(zip(result["rater_a"] + result["rater_b"], result["estimate"], strict=True))
    assert kappas == pytest.approx(QUIZ_KAPPAS, abs=0.005)
    assert result["estimate"].mean() == pytest.approx(-0.0128, abs=5e-5)
    assert (result["n_items"] == 5).all()


def test_quiz_matrix():
    matrix = pdkappa.pairwise(quiz())
    assert matrix.index.tolist() == matrix.columns.tolist() == list(QUIZ)
    assert np.diag(matrix).tolist() == [1.0] * 6
    for pair, kappa in QUIZ_KAPPAS.items():
        first, second = pair
        assert matrix.loc[first, second] == matrix.loc[second, first]
        assert matrix.loc[first, second] == pytest.approx(kappa, abs=0.005)
