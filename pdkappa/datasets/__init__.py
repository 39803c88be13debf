"""Small frames for examples and tests: five well-known ones and two simulated.

The figures of published tables are facts; the simulated ratings are part of pdkappa.
Every call reads the file again, so you may change the frame.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import pandas as pd

__all__ = [
    "load_anxiety",
    "load_cohen1968",
    "load_essays",
    "load_psychiatric_diagnoses",
    "load_ratings",
    "load_reliability_data",
    "load_skin_condition",
]

DIAGNOSES = ["Depression", "Personality Disorder", "Schizophrenia", "Neurosis", "Other"]
SKIN_CONDITIONS = ["terrible", "poor", "marginal", "clear"]


def load_psychiatric_diagnoses() -> pd.DataFrame:
    """Load the diagnoses of 30 psychiatric patients, six for each patient.

    Returns
    -------
    DataFrame, shape (30, 6)
        Index ``patient`` (1 to 30); columns ``rater_1`` to ``rater_6``, unordered
        Categoricals of five diagnoses. Nothing is missing.

    Notes
    -----
    **The columns are not raters.** Each patient was seen by six of 43 psychiatrists, not the
    same six each time, and the table printed in [1]_ only counts diagnoses. The columns hold
    the six diagnoses of a patient in sorted order. Coefficients that do not ask who rated
    (Fleiss, Gwet, Krippendorff, Brennan-Prediger) are meaningful here; those that do (Cohen,
    Conger, Light, and anything about one rater) are exercises in arithmetic.

    A published table: its figures are facts.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.
           Psychological Bulletin, 76(5), 378-382. https://doi.org/10.1037/h0031619

    Examples
    --------
    >>> from pdkappa.datasets import load_psychiatric_diagnoses
    >>> load_psychiatric_diagnoses().melt()["value"].value_counts(sort=False).to_dict()
    {'Depression': 26, 'Personality Disorder': 26, 'Schizophrenia': 30, 'Neurosis': 55, 'Other': 43}
    """
    diagnosis = pd.CategoricalDtype(DIAGNOSES)
    return _read("psychiatric_diagnoses.csv", index_col="patient").astype(diagnosis)


def load_reliability_data() -> pd.DataFrame:
    """Load the ratings of 12 units by four observers, with missing ratings.

    Returns
    -------
    DataFrame, shape (12, 4)
        Index ``unit`` (1 to 12); columns ``A`` to ``D``, Int64 ratings from 1 to 5. Seven of
        the 48 ratings are missing, and unit 12 has a single one.

    Notes
    -----
    The worked example of [1]_, section C. A published table: its figures are facts.

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
           Pennsylvania. https://repository.upenn.edu/asc_papers/43

    Examples
    --------
    >>> from pdkappa.datasets import load_reliability_data
    >>> load_reliability_data().count().to_dict()
    {'A': 9, 'B': 11, 'C': 10, 'D': 11}
    """
    ratings = dict.fromkeys("ABCD", "Int64")
    return _read("reliability_data.csv", index_col="unit", dtype=ratings)


def load_cohen1968() -> pd.DataFrame:
    """Load the table of counts with which Cohen introduced weighted kappa.

    Returns
    -------
    DataFrame, shape (3, 3)
        Counts of 200 cases, which two judges diagnosed as personality disorder, neurosis or
        psychosis. Index ``judge_a``, columns ``judge_b``; made for `pdkappa.from_table`.

    Notes
    -----
    Table 1 of [1]_ prints judge B in the rows; here the first judge is. It goes with the
    disagreement weights 1 (personality disorder and neurosis), 3 (personality disorder and
    psychosis) and 6 (neurosis and psychosis), which give a weighted kappa of .348 against
    .492 without weights. A published table: its figures are facts.

    References
    ----------
    .. [1] Cohen, J. (1968). Weighted kappa: Nominal scale agreement provision for scaled
           disagreement or partial credit. Psychological Bulletin, 70(4), 213-220.
           https://doi.org/10.1037/h0026256

    Examples
    --------
    >>> from pdkappa.datasets import load_cohen1968
    >>> load_cohen1968().sum(axis="columns")
    judge_a
    personality disorder    120
    neurosis                 60
    psychosis                20
    dtype: int64
    """
    return _read("cohen1968.csv", index_col="judge_a").rename_axis(columns="judge_b")


def load_skin_condition() -> pd.DataFrame:
    """Load how two dermatologists judged the skin of 88 patients.

    Returns
    -------
    DataFrame, shape (88, 2)
        Index ``patient`` (1 to 88); columns ``dermatologist_1`` and ``dermatologist_2``,
        ordered Categoricals with terrible < poor < marginal < clear. Nothing is missing.

    Notes
    -----
    SkinCondition, the agreement study in the introduction to the FREQ procedure of [1]_. The
    source prints a table of counts: one row per patient was made from it, in the order of
    its columns. A published table: its figures are facts.

    References
    ----------
    .. [1] SAS Institute. SAS/STAT User's Guide, The FREQ Procedure, Getting Started,
           Agreement Study.

    Examples
    --------
    >>> from pdkappa.datasets import load_skin_condition
    >>> skin = load_skin_condition()
    >>> pd.crosstab(skin["dermatologist_1"], skin["dermatologist_2"]).loc["poor"].to_dict()
    {'terrible': 5, 'poor': 10, 'marginal': 12, 'clear': 2}
    """
    counts = _read("skin_condition.csv")
    cells = counts.melt("dermatologist_1", var_name="dermatologist_2", value_name="n_patients")
    patients = cells.loc[cells.index.repeat(cells.pop("n_patients"))]
    patients.index = pd.RangeIndex(1, len(patients) + 1, name="patient")
    return patients.astype(pd.CategoricalDtype(SKIN_CONDITIONS, ordered=True))


def load_anxiety() -> pd.DataFrame:
    """Load the anxiety ratings of 20 subjects by three raters.

    Returns
    -------
    DataFrame, shape (20, 3)
        Index ``subject`` (1 to 20); columns ``rater_1`` to ``rater_3``, integers from 1 (not
        anxious at all) to 6 (extremely anxious). Nothing is missing. Raters 2 and 3 never
        give a 5, so that the distance from 4 to 6 matters.

    Notes
    -----
    Artificial data, known as ``anxiety`` in the R package irr [1]_ and in the tests of
    statsmodels [2]_.

    References
    ----------
    .. [1] Gamer, M., Lemon, J., Fellows, I., & Singh, P. irr: Various coefficients of
           interrater reliability and agreement. https://cran.r-project.org/package=irr
    .. [2] statsmodels, statsmodels/stats/tests/test_inter_rater.py.

    Examples
    --------
    >>> from pdkappa.datasets import load_anxiety
    >>> load_anxiety().mean().to_dict()
    {'rater_1': 3.15, 'rater_2': 3.15, 'rater_3': 2.3}
    """
    return _read("anxiety.csv", index_col="subject")


def load_essays() -> pd.DataFrame:
    """Load simulated scores of 2000 essays in eight sets, by two humans and a machine.

    Returns
    -------
    DataFrame, shape (2000, 6)
        ``essay_id`` (1 to 2000), ``essay_set`` (1 to 8), ``essay_weight`` (.5 in set 2, else
        1), and the integer scores ``human_1``, ``human_2`` and ``machine``. Nothing is
        missing. The scales of the sets are 2-12, 1-6, 0-3, 0-3, 0-4, 0-4, 0-30 and 0-60.

    Notes
    -----
    **Simulated**: there are no essays, writers or raters behind these scores. The scales are
    those of the Automated Student Assessment Prize (2012), nothing else is. Every essay has
    a quality to which each scorer adds noise; the second human is a little more severe, and
    the machine keeps closer to the centre of the scale than the humans do. The script
    ``pdkappa/data/simulate_essays.py`` makes the file. Part of pdkappa, under its licence.

    Examples
    --------
    >>> from pdkappa.datasets import load_essays
    >>> load_essays().head(2)
       essay_id  essay_set  essay_weight  human_1  human_2  machine
    0         1          1           1.0        9       10        9
    1         2          1           1.0       10       10        9
    """
    return _read("essays.csv")


def load_ratings() -> pd.DataFrame:
    """Load simulated scores of 120 items by a team of six annotators.

    Returns
    -------
    DataFrame, shape (120, 6)
        Columns ``Ann, Bob, Carl, Dora, Eve, Finn``, scores from 1 to 5, with NaN where Finn
        rated nothing.

    Notes
    -----
    **Simulated**: there are no items or annotators behind these scores. Dora follows Carl, Eve is
    strict, and Finn is in a hurry and left out a third of the items. The script
    ``docs/pictures.py`` makes the file. Part of pdkappa, under its licence.

    Examples
    --------
    >>> from pdkappa.datasets import load_ratings
    >>> load_ratings().kappa.pairwise(weights="quadratic").loc["Ann"].round(2).to_dict()
    {'Ann': 1.0, 'Bob': 0.67, 'Carl': 0.66, 'Dora': 0.66, 'Eve': 0.63, 'Finn': 0.51}
    """
    return _read("ratings.csv")


def _read(name: str, **options: Any) -> pd.DataFrame:
    """Read a packaged CSV file, wherever the package is installed."""
    with resources.files("pdkappa.datasets").joinpath(name).open(encoding="utf-8") as file:
        return pd.read_csv(file, **options)
