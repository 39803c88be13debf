"""What articles print beyond ``elsewhere/published.py``: names, formulas, matrices."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.published import QUIZ, QUIZ_KAPPAS, cohen_1968, doctors, only, quiz
from pdkappa.datasets import load_skin_condition


def test_the_names_of_a_table_are_those_of_the_raters():
    plain = only(doctors("far").pairs())
    assert (plain["rater_a"], plain["rater_b"], plain["n_items"]) == ("doctor A", "doctor B", 100)
    plain = only(cohen_1968().pairs())
    assert (plain["rater_a"], plain["rater_b"]) == ("judge_a", "judge_b")
    assert only(load_skin_condition().kappa.pairs())["n_items"] == 88


def test_fleiss_nee_landis_1979():
    """Fleiss, Nee and Landis (1979), the standard error under chance, for two raters."""
    skin = load_skin_condition()
    shares = pd.concat([skin[rater] for rater in skin]).value_counts(normalize=True)
    p, n, m = shares.to_numpy(), len(skin), 2
    spread = (p * (1 - p)).sum()
    skew = (p * (1 - p) * (1 - 2 * p)).sum()
    variance = 2 * (spread**2 - skew) / (spread**2 * n * m * (m - 1))
    scott = only(skin.kappa.pairs(coefficient="scott"))
    assert scott["estimate"] / scott["z"] == pytest.approx(variance**0.5, rel=1e-12)


def test_brennan_prediger_1981():
    """Under uniform chance the number of agreements is binomial with probability 1 / K."""
    skin = load_skin_condition()
    n, k = len(skin), 4
    bennett = only(skin.kappa.pairs(coefficient="brennan_prediger"))
    assert bennett["estimate"] / bennett["z"] == pytest.approx((n * (k - 1)) ** -0.5, rel=1e-12)


def test_small_vectors():
    first = pd.DataFrame({"a": [2, 0, 2, 2, 0, 1], "b": [0, 0, 2, 2, 0, 2]})
    assert first.kappa.pairwise().loc["a", "b"] == pytest.approx(3 / 7)


def test_quiz_pairs():
    result = quiz().kappa.pairs()
    assert result["estimate"].mean() == pytest.approx(-0.0128, abs=5e-5)
    assert (result["n_items"] == 5).all()


def test_quiz_matrix():
    matrix = quiz().kappa.pairwise()
    assert matrix.index.tolist() == matrix.columns.tolist() == list(QUIZ)
    assert np.diag(matrix).tolist() == [1.0] * 6
    for pair, kappa in QUIZ_KAPPAS.items():
        first, second = pair
        assert matrix.loc[first, second] == matrix.loc[second, first]
        assert matrix.loc[first, second] == pytest.approx(kappa, abs=0.005)
