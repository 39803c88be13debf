"""Figures printed in articles, manuals, questions and test suites; they stand here only."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import pdkappa
from elsewhere import Held
from pdkappa.datasets import load_anxiety, load_cohen1968, load_skin_condition

TOOLS = "python statsmodels 0.15.0 cohens_kappa"
CONFIRMED = ("R vcd 1.4.11 Kappa", "R irrCAC 1.4 kappa2.table")
ORIGINS = {
    "two doctors, far": "two tables of 100 patients in an article, with far disagreements",
    "two doctors, near": "the same with near disagreements",
    "Cohen (1968)": "Weighted kappa. Psychol Bull 70:213-220, Table 1",
    "Fleiss, Cohen & Everitt (1969)": "Psychol Bull 72:323-327, Table 1, categories 0 to 2",
    "Shrout & Fleiss (1979)": "Intraclass correlations. Psychol Bull 86:420-428, Table 2",
    "depression (Vanbelle & Albert 2008)": "50 patients, three diagnoses (lava 1.8.2)",
    "skin condition (SAS/STAT User's Guide, PROC FREQ)": "88 patients, as it comes with pdkappa",
    "short vectors": "vectors in the tests of metrics, and means of kappas",
    "quiz": "six students answer five questions",
}


def counts(rows: list[list[int]], names: tuple[str, str] = ("first", "second")) -> pd.DataFrame:
    """Return a square table of counts whose categories are 0, 1, 2 and so on."""
    scale = range(len(rows))
    table = pd.DataFrame(rows, index=scale, columns=scale)
    return table.rename_axis(index=names[0], columns=names[1])


def only(frame: pd.DataFrame) -> pd.Series:
    """Return the one row of a result, with the standard error at chance."""
    (label,) = frame.index
    row = frame.loc[label]
    return pd.concat([row, pd.Series({"se at chance": row["estimate"] / row["z"]})])


def figures(
    data: str, what: str, system: str, row: pd.Series, tolerance: float, **theirs: float
) -> Iterator[Held]:
    """Give the printed figures of a row; a double underscore stands for a space."""
    for name, value in theirs.items():
        column = name.replace("__", " ")
        confirmed = CONFIRMED if system == TOOLS else ()
        yield Held(data, f"{what}; {column}", system, value, row[column], tolerance, confirmed)


# Two doctors grade 100 patients; the far and the near disagreements have the same counts, so
# that kappa hardly differs and quadratic weights do. The article prints kappa 0.77 and 0.77,
# weighted 0.51 and 0.89. The 0.51 does not follow from its own formula: 0.646 does.
DOCTORS = {
    "far": ([[32, 0, 5], [0, 19, 1], [9, 0, 34]], 0.7650007833, 0.6462264151),
    "near": ([[32, 5, 0], [0, 19, 1], [0, 9, 34]], 0.7744700045, 0.8977086743),
}

# Cohen (1968), Table 1, kappa .492 and weighted kappa .348 with his disagreement weights.
# Standard errors by Fleiss, Cohen and Everitt (1969).
COHEN_DISAGREEMENT = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])

# Fleiss, Cohen and Everitt (1969), Table 1, with their weights of agreement, as in the help of
# R psych's cohen.kappa.
FLEISS_COHEN_EVERITT = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
SIMILARITY = np.array([[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]])


def doctors(kind: str) -> Any:
    """Return the ratings of the two doctors."""
    return pdkappa.from_table(counts(DOCTORS[kind][0], ("doctor A", "doctor B")))


def cohen_1968() -> Any:
    """Return the ratings of the table, whose text categories keep its order."""
    table = load_cohen1968()
    return pdkappa.from_table(table, categories=list(table.index))


def articles() -> Iterator[Held]:
    """Give what articles print."""
    for kind, (_, kappa, qwk) in DOCTORS.items():
        for weights, value in ((None, kappa), ("quadratic", qwk)):
            row = only(doctors(kind).pairs(weights=weights))
            what, system = f"cohen_kappa, {weights}", "definition (exact arithmetic)"
            yield from figures(f"two doctors, {kind}", what, system, row, 5e-11, estimate=value)
    plain = {"estimate": 0.491525, "se": 0.051002}
    weighted = {"estimate": 0.347826, "se": 0.075504, "se__at__chance": 0.059720}
    for what, weights, theirs in (
        ("unweighted", None, plain),
        ("his disagreement", COHEN_DISAGREEMENT, weighted),
        ("the same as agreement", 1 - COHEN_DISAGREEMENT / 6, weighted),
    ):
        row = only(cohen_1968().pairs(weights=weights))
        yield from figures("Cohen (1968)", f"cohen_kappa, {what}", TOOLS, row, 5e-7, **theirs)
    plain = {"estimate": 0.428571, "se": 0.053711, "se__at__chance": 0.055512}
    weighted = {"estimate": 0.507070, "se": 0.056994, "se__at__chance": 0.065336}
    ratings = pdkappa.from_table(counts(FLEISS_COHEN_EVERITT))
    data = "Fleiss, Cohen & Everitt (1969)"
    for what, weights, theirs in (
        ("unweighted", None, plain),
        ("their agreement", SIMILARITY, weighted),
    ):
        row = only(ratings.pairs(weights=weights))
        yield from figures(data, f"cohen_kappa, {what}", TOOLS, row, 5e-7, **theirs)


# Shrout and Fleiss (1979), Table 2: six targets, four judges; and what pingouin 0.7.0 gives.
TARGETS = pd.DataFrame(
    {"ann": [9, 6, 8, 7, 10, 6], "bob": [2, 1, 4, 1, 5, 2], "eve": [5, 3, 6, 2, 6, 4]}
).assign(joe=[8, 2, 8, 6, 9, 7])
ICC_PRINTED = [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
ICC = {
    "estimate": [
        *(0.165741768405, 0.289763779528, 0.714840714841),
        *(0.442797133679, 0.620050547599, 0.909315542377),
    ],
    "f": [1.794678492239, 11.027247956403, 11.027247956403] * 2,
    "df1": [5] * 6,
    "df2": [18, 15, 15] * 2,
    "p_value": [0.164768808345, 0.000134566516, 0.000134566516] * 2,
}
ICC_LIMITS = {
    "ci_low": [-0.13, 0.02, 0.34, -0.88, 0.07, 0.68],
    "ci_high": [0.72, 0.76, 0.95, 0.91, 0.93, 0.99],
}


def intraclass() -> Iterator[Held]:
    """Give the six intraclass correlations of Shrout and Fleiss."""
    found, data = TARGETS.kappa.icc(ci="f"), "Shrout & Fleiss (1979)"
    for form, value in zip(found.index, ICC_PRINTED, strict=True):
        ours = found.loc[form, "estimate"]
        yield Held(data, form, "published: Shrout & Fleiss (1979), Table 4", value, ours, 0.005)
    for theirs, tolerance in ((ICC, 1e-11), (ICC_LIMITS, 0.005)):
        for name, values in theirs.items():
            for form, value in zip(found.index, values, strict=True):
                ours = found.loc[form, name]
                yield Held(data, f"{form}; {name}", "pingouin 0.7.0", value, ours, tolerance)


# Fifty patients (Vanbelle & Albert, 2008), counts as in deprdiag of R lava 1.8.2; figures of
# R multiagree 3.01, delta.pair, whose variances divide by n squared.
DEPRESSION = pd.DataFrame(
    {
        "diagnosis": [1, 0, 0, 1, 0, 1, 0],
        "beck": [1, 1, 1, 0, 0, 0, 0],
        "questionnaire": [1, 1, 0, 1, 1, 0, 0],
        "patients": [7, 1, 1, 4, 2, 2, 33],
    }
)


def comparison() -> Iterator[Held]:
    """Give the comparison of two dependent kappas."""
    first, second = ("diagnosis", "beck"), ("diagnosis", "questionnaire")
    found = DEPRESSION.kappa.compare(first, second, sample_weight="patients").iloc[0]
    row = pd.concat([found, pd.Series({"chi2": found["z"] ** 2 * 50 / 49})])
    data, system = "depression (Vanbelle & Albert 2008)", "R multiagree 3.01 delta.pair"
    theirs = {"estimate_first": 0.538106, "estimate_second": 0.746450, "correlation": 0.397594}
    yield from figures(data, "compare", system, row, 5e-7, **theirs)
    yield from figures(data, "compare", system, row, 5e-11, chi2=2.24817260793)


# The first two raters: z and p.
IRR_TESTS = {
    None: (1.1637622287, 0.2445203831),
    "linear": (1.41565885, 0.1568754119),
    "quadratic": (1.3404987733, 0.1800832429),
}
# The weights are the disagreement of categories 0, 1, 2 … steps apart: kappa, z and p.
IRR_STEPS = {
    "far apart only": ([0, 0, 0, 1, 1, 1], 0.1891892, 0.5079002, 0.6115233),
    "in twos": ([0, 0, 1, 1, 2, 2], 0.2820513, 1.257410, 0.2086053),
}
# Neither rater gives a 5, and irr then takes 6 for the neighbour of 4: distances are of ranks.
IRR_RANKS = {
    None: (-0.006289308, -0.0604067, 0.9518317),
    "linear": (0.1459075, 1.282472, 0.1996772),
    "quadratic": (0.2520325, 1.437451, 0.1505898),
}
IRR = "R irr 0.84 kappa2 (as printed in statsmodels 0.15.0)"


def manuals() -> Iterator[Held]:
    """Give what manuals and test suites print."""
    skin, data = load_skin_condition(), "skin condition (SAS/STAT User's Guide, PROC FREQ)"
    theirs = {"estimate": 0.3449, "se": 0.0724, "ci_low": 0.2030, "ci_high": 0.4868}
    row = only(skin.kappa.pairs(ci="wald"))
    yield from figures(data, "cohen_kappa, unweighted", "SAS PROC FREQ", row, 5e-5, **theirs)
    row = only(skin.kappa.pairs())
    yield from figures(data, "cohen_kappa, unweighted", TOOLS, row, 5e-5, z=5.6366)
    row = only(skin.kappa.pairs(weights="linear"))
    yield from figures(data, "cohen_kappa, linear", TOOLS, row, 5e-5, estimate=0.5082)
    scale = {"categories": list(range(1, 7))}
    for weights, theirs in IRR_TESTS.items():
        row = only(load_anxiety()[["rater_1", "rater_2"]].kappa.pairs(weights=weights, **scale))
        for name, value in zip(("z", "p_value"), theirs, strict=True):
            what, system = f"cohen_kappa, {weights}; {name}", "R irr 0.84.1 kappa2"
            yield Held("anxiety", what, system, value, row[name], 5e-9)
    for what, (steps, *theirs) in IRR_STEPS.items():
        apart = np.array(steps)[abs(np.subtract.outer(range(6), range(6)))]
        row = only(load_anxiety()[["rater_1", "rater_2"]].kappa.pairs(weights=apart, **scale))
        yield from of_irr(f"cohen_kappa, {what}", row, theirs)
    for weights, theirs in IRR_RANKS.items():
        chosen = load_anxiety()[["rater_2", "rater_3"]]
        ranks = {1: 1, 2: 2, 3: 3, 4: 4, 6: 5}
        row = only(chosen.kappa.pairs(weights=weights, categories=ranks))
        yield from of_irr(f"cohen_kappa, {weights}, by ranks", row, theirs)


def of_irr(what: str, row: pd.Series, theirs: list[float]) -> Iterator[Held]:
    """Give kappa, z and p of irr."""
    for name, value, tolerance in zip(
        ("estimate", "z", "p_value"), theirs, (5e-8, 5e-7, 5e-8), strict=True
    ):
        yield Held("anxiety", f"{what}; {name}", IRR, value, row[name], tolerance)


ML_METRICS = "python ml_metrics 0.1.4 mean_quadratic_weighted_kappa"
MEANS = {
    "weighted": ([0.5, 0.8], [1, 0.5], 0.624536446425734, 1e-14),
    "six weighted": ([0.3, 0.2, 0.2, 0.5, 0.1, 0.2], [1, 2.5, 1, 1, 2, 3], 0.2226148, 5e-8),
    "perfect": ([1, 1], None, 0.999, 1e-14),
    "opposite": ([-1, 1], None, 0.0, 1e-14),
}
ELEVEN = [[1, 4, 2, 2, 5, 2, 5, 4, 5, 3, 1], [3, 4, 4, 4, 4, 4, 6, 7, 8, 9, 10]]

# Six students answer five questions right (1) or wrong (0): do they answer alike?
QUIZ = {"A": "11100", "B": "10011", "C": "10010", "D": "11010", "E": "10011", "F": "01100"}
QUIZ_KAPPAS = {
    "AB": -0.67, "AC": -0.15, "AD": 0.17, "AE": -0.67, "AF": 0.62,
    "BC": 0.62, "BD": 0.17, "BE": 1.00, "BF": -0.92,
    "CD": 0.62, "CE": 0.62, "CF": -0.67,
    "DE": 0.17, "DF": -0.15,
    "EF": -0.92,
}  # fmt: skip


def quiz() -> pd.DataFrame:
    """Return the answers, a column for each student."""
    return pd.DataFrame({student: [int(x) for x in answers] for student, answers in QUIZ.items()})


def questions() -> Iterator[Held]:
    """Give what questions and the tests of metrics print."""
    qwk, exact = pdkappa.qwk, "definition (exact arithmetic)"
    scale = {"labels": list(range(1, 7))}
    metrics = "R Metrics 0.1.4 ScoreQuadraticWeightedKappa"
    gapped = [1, 3, 3, 5], [2, 4, 5, 6]
    first = [2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]
    vectors = [
        ("0 to 2", exact, 6 / 11, qwk(*first), 1e-12),
        ("1 to 5", exact, 8 / 13, qwk([1, 2, 3, 4, 3], [2, 2, 4, 4, 5]), 1e-12),
        ("with a gap", metrics, 0.6956521739130435, qwk(*gapped), 1e-12),
        ("declared", exact, 16 / 23, qwk(*gapped, **scale), 1e-12),
        ("eleven", ML_METRICS, 0.041025641025641, qwk(*ELEVEN), 1e-14),
    ]
    for what, system, value, ours, tolerance in vectors:
        yield Held("short vectors", f"qwk, {what}", system, value, ours, tolerance)
    for what, (kappas, weights, value, tolerance) in MEANS.items():
        ours = pdkappa.fisher_mean(kappas, weights)
        figure, system = f"fisher_mean, {what}", "R Metrics 0.1.4 MeanQuadraticWeightedKappa"
        yield Held("short vectors", figure, system, value, ours, tolerance, [ML_METRICS])
    found = quiz().kappa.pairs()
    names = found["rater_a"] + found["rater_b"]
    for pair, ours in zip(names, found["estimate"], strict=True):
        printed = "a printed answer to a question"
        yield Held("quiz", f"cohen_kappa; {pair}", printed, QUIZ_KAPPAS[pair], ours, 0.005)


def held() -> Iterator[Held]:
    """Give all of them."""
    for kind in (articles, intraclass, comparison, manuals, questions):
        yield from kind()
