"""The packaged frames: shapes, types, published totals, and the simulation that made one."""

import runpy
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdkappa import datasets

every_loader = pytest.mark.parametrize("name", datasets.__all__)


def test_diagnoses_have_the_totals_of_fleiss_1971():
    """Fleiss (1971), Table 1: the column totals of 180 assignments; six for each patient."""
    frame = datasets.load_psychiatric_diagnoses()
    totals = pd.concat([frame[rater].value_counts() for rater in frame], axis=1).sum(axis=1)
    assert totals.to_dict() == {
        "Depression": 26,
        "Personality Disorder": 26,
        "Schizophrenia": 30,
        "Neurosis": 55,
        "Other": 43,
    }
    assert (frame.count(axis=1) == 6).all()


def test_diagnoses_give_the_kappa_of_fleiss_1971():
    """Fleiss (1971) prints a mean proportion of agreement of .5556 and a kappa of .430."""
    frame = datasets.load_psychiatric_diagnoses()
    counts = np.stack([(frame == diagnosis).sum(axis=1) for diagnosis in datasets.DIAGNOSES], 1)
    observed = ((counts * (counts - 1)).sum(axis=1) / (6 * 5)).mean()
    expected = ((counts.sum(axis=0) / 180) ** 2).sum()
    assert observed == pytest.approx(0.5556, abs=5e-5)
    assert (observed - expected) / (1 - expected) == pytest.approx(0.430, abs=5e-4)


def test_reliability_data_have_the_values_by_units_of_krippendorff_2011():
    """Krippendorff (2011), section C: 40 pairable values, 9 ones, 13 twos, 10, 5 and 3."""
    frame = datasets.load_reliability_data()
    pairable = frame[frame.count(axis=1) > 1]
    values = pd.Series([value for rater in pairable for value in pairable[rater].dropna()])
    assert values.value_counts().sort_index().to_dict() == {1: 9, 2: 13, 3: 10, 4: 5, 5: 3}
    assert frame.loc[12].dropna().to_dict() == {"B": 3}


def test_cohen1968_has_the_published_margins_and_kappas():
    """Cohen (1968), Table 1: margins .60/.30/.10 and .50/.30/.20, kappa .492, weighted .348."""
    table = datasets.load_cohen1968()
    p = table.to_numpy() / 200
    assert p.sum() == pytest.approx(1)
    assert p.sum(axis=1) == pytest.approx([0.6, 0.3, 0.1])
    assert p.sum(axis=0) == pytest.approx([0.5, 0.3, 0.2])
    chance = np.outer(p.sum(axis=1), p.sum(axis=0))
    assert 1 - (1 - np.trace(p)) / (1 - np.trace(chance)) == pytest.approx(0.492, abs=5e-4)
    disagreement = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    weighted = 1 - (p * disagreement).sum() / (chance * disagreement).sum()
    assert weighted == pytest.approx(0.348, abs=5e-4)


def test_skin_condition_gives_back_the_published_table():
    """SAS/STAT User's Guide, The FREQ Procedure, Getting Started: Skin Condition Data."""
    frame = datasets.load_skin_condition()
    table = pd.crosstab(frame["dermatologist_1"], frame["dermatologist_2"])
    assert table.to_numpy().tolist() == [
        [10, 4, 1, 0],
        [5, 10, 12, 2],
        [2, 4, 12, 5],
        [0, 2, 6, 13],
    ]
    assert table.index.tolist() == ["terrible", "poor", "marginal", "clear"]


def test_anxiety_has_the_frequencies_of_the_irr_manual():
    """R irr 0.84.1, help(anxiety), apply(anxiety, 2, table)."""
    frame = datasets.load_anxiety()
    assert [frame[rater].value_counts().sort_index().to_dict() for rater in frame] == [
        {1: 2, 2: 6, 3: 5, 4: 2, 5: 4, 6: 1},
        {1: 1, 2: 5, 3: 8, 4: 4, 6: 2},
        {1: 7, 2: 5, 3: 5, 4: 2, 6: 1},
    ]


@every_loader
def test_every_call_returns_a_fresh_frame(name):
    loader = getattr(datasets, name)
    spoiled = loader()
    spoiled.iloc[0, 0] = spoiled.iloc[-1, 1]
    spoiled["extra"] = 0
    pd.testing.assert_frame_equal(loader(), loader())
    assert "extra" not in loader()


def test_simulating_the_essays_again_gives_the_packaged_file():
    """By the script that made it, byte for byte."""
    script = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "simulate_essays.py"))
    packaged = resources.files("pdkappa.datasets").joinpath("essays.csv").read_bytes()
    assert script["simulate"]().encode() == packaged
    assert script["TARGET"].read_bytes() == packaged


def test_essay_scores_agree_about_as_well_as_real_ones():
    essays = datasets.load_essays()
    for _, group in essays.groupby("essay_set"):
        a, b = group["human_1"], group["human_2"]
        covariance = np.cov(a, b, ddof=0)
        room = covariance[0, 0] + covariance[1, 1] + (a.mean() - b.mean()) ** 2
        assert 0.6 < 2 * covariance[0, 1] / room < 0.87
        assert group["machine"].std() < min(a.std(), b.std())
