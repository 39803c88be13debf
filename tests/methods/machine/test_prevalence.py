"""Shares and means from labels and judgements, as the user meets them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import proportion_confint

import pdkappa
from conftest import each, exactly, raising
from pdkappa import datasets
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine.prevalence import METHODS, label_split, mean_score, prevalence
from pdkappa.methods.machine.verdicts import (
    all_equal,
    mcnemar,
    mean_of,
    rate,
    ratio,
    shift_of_share,
)
from pdkappa.present import schema

FIGURES = ["estimate", "ci_low", "ci_high"]


def counted(**cells):
    """Make a frame of counts of labels by judgements, such as ``yn=3``; "u" is no label."""
    letters = {"y": "yes", "n": "no", "u": None}
    rows = [(letters[name[0]], letters[name[1]], number) for name, number in cells.items()]
    return pd.DataFrame(rows, columns=["human", "judge", "times"])


def drawn(seed, n_items=400, share=0.2):
    """Labels of some items of three classes by a human, judgements of all, and scores."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([1, 2, 3], n_items, p=[0.5, 0.3, 0.2])
    judge = np.where(rng.random(n_items) < 0.75, truth, rng.integers(1, 4, n_items))
    human = np.where(rng.random(n_items) < share, truth, np.nan)
    frame = pd.DataFrame({"human": human, "judge": judge})
    frame["site"], frame["talk"] = rng.choice(["x", "y"], n_items), np.arange(n_items) // 4
    return frame.assign(times=rng.integers(1, 4, n_items))


# 600 labelled answers and 3,400 others; ppi_py 0.2.3 and truescore 0.7.4, to the digits shown.
ANSWERS = counted(yy=416, ny=90, yn=15, nn=79, uy=2847, un=553)
# Every fifth essay of the first set; ppi_py 0.2.3 (ppi) and truescore 0.7.4 (either alone).
ESSAYS = datasets.load_essays().query("essay_set == 1").reset_index(drop=True)
ESSAYS["human_1"] = ESSAYS["human_1"].where(ESSAYS.index % 5 == 0)
SCORES = {
    "tuned": (8.436369370971615, 8.131779240192373, 8.740959501750858),
    1: (8.362499999999999, 8.04708184131777, 8.677918158682228),
    0.5: (8.589583333333334, 8.260028824176826, 8.91913784248984),
    "humans_only": (8.816666666666666, 8.349465029175798, 9.283868304157535),
}


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({"lam": 1}, (0.7123529411764706, 0.67808541, 0.74662048)),
        ({}, (0.7150522052783987, 0.68372548, 0.74637893)),
    ],
)
def test_shares_of_the_reference_implementation(options, values):
    row = prevalence(
        ANSWERS, "human", "judge", category="yes", sample_weight="times", **options
    ).loc["yes"]
    assert_allclose(row[FIGURES].astype(float), values, atol=5.1e-9, rtol=0)
    assert_allclose(row["estimate"], values[0], rtol=1e-14)
    assert (row["n_labelled"], row["n_unlabelled"], row["reason"]) == (600, 3400, "")
    assert_allclose([row["humans_only"], row["machine_only"]], [431 / 600, 3353 / 4000])


def test_shares_of_rows_are_those_of_counts_and_either_alone_has_limits_of_wilson():
    rows = ANSWERS.loc[ANSWERS.index.repeat(ANSWERS["times"]), ["human", "judge"]]
    rows = rows.reset_index(drop=True)
    for method in METHODS:
        found = prevalence(rows, "human", "judge", method=method)
        expected = prevalence(ANSWERS, "human", "judge", method=method, sample_weight="times")
        assert_frame_equal(found, expected, rtol=1e-12)
    row = prevalence(rows, "human", "judge", method="humans_only").loc["yes", FIGURES]
    assert_allclose(row.astype(float), [0.7183, 0.6810, 0.7528], atol=6e-5)
    options = {"category": 8, "confidence_level": 0.9}
    row = prevalence(ESSAYS, "human_1", "machine", lam=1, **options).loc[8, FIGURES]
    assert_allclose(row.astype(float), [0.2375, 0.1214414356441952, 0.3535585643558048])
    row = prevalence(ESSAYS, "human_1", "machine", method="machine_only", category=[8]).loc[8]
    values = [0.27666666666666667, 0.22911058318108624, 0.32986994396587765]
    assert_allclose(row[FIGURES].astype(float), values)


def test_a_share_in_clusters_has_the_limits_of_as_many_items_as_they_are_worth():
    rows = ESSAYS.assign(human_1=ESSAYS["human_1"].ffill(), pupil=ESSAYS.index // 5)
    options = {"method": "humans_only", "category": [8], "cluster": "pupil"}
    row = prevalence(rows, "human_1", "machine", **options).loc[8]
    p, t = row["estimate"], stats.t.ppf(0.975, rows["pupil"].nunique() - 1)
    worth = p * (1 - p) / row["se"] ** 2
    assert worth < len(rows) / 4  # all five have the label of one
    expected = proportion_confint(p * worth, worth, 2 * stats.norm.sf(t), "wilson")
    assert_allclose(row[["ci_low", "ci_high"]].astype(float), expected, rtol=1e-9)


@each(("option", "values"), SCORES.items())
def test_mean_scores_of_the_reference_implementation(option, values):
    given = {"method": option} if option == "humans_only" else {"lam": option}
    row = mean_score(ESSAYS, "human_1", "machine", **given).iloc[0]
    assert_allclose(row[FIGURES].astype(float), values, rtol=1e-12)


# Lee et al. (2025): p, q0, q1 of n, m0, m1 items; by the code of the paper.
LEE = {
    "many": (
        counted(ny=60, nn=140, yy=180, yn=20, uy=400, un=600),
        (0.1666666666666668, 0.05635072484160894, 0.2627330257859588),
    ),
    "few": (
        counted(ny=10, nn=30, yy=78, yn=2, uy=320, un=80),
        (0.7586206896551724, 0.6728784257941293, 0.8413686046538776),
    ),
}


@each("case", LEE)
def test_corrected_shares_of_the_paper(case):
    frame, values = LEE[case]
    options = {"method": "rogan_gladen", "sample_weight": "times"}
    found = prevalence(frame, "human", "judge", **options)
    assert_allclose(found.loc["yes", FIGURES].astype(float), values, rtol=1e-12)
    other = found.loc["no", FIGURES].astype(float)
    assert_allclose(other, 1 - np.array(values)[[0, 2, 1]], rtol=1e-12)


def corrected(frame, **options):
    """Corrected shares of the first class."""
    options = {"category": 1, "method": "rogan_gladen", **options}
    return prevalence(frame, "human", "judge", **options).iloc[0]


@each("whole", [False, True])
def test_corrected_shares_of_clusters_err_as_the_jackknife_says(whole):
    """Be all items of a cluster labelled, or some."""
    rng = np.random.default_rng(5)
    talk = np.repeat(np.arange(150), 6)
    of_talk = rng.standard_normal((3, 150))[:, talk]
    truth = of_talk[0] + rng.standard_normal(900) < -0.5
    judge = np.where(of_talk[1] + rng.standard_normal(900) < 1.3, truth, ~truth)
    has_label = (of_talk[2] if whole else rng.standard_normal(900)) < -0.2
    frame = pd.DataFrame({"human": np.where(has_label, truth, np.nan), "judge": judge * 1.0})
    frame["talk"] = talk
    found = corrected(frame, cluster="talk")
    left_out = [corrected(frame[frame["talk"] != one])["estimate"] for one in range(150)]
    assert_allclose(found["se"], np.sqrt(149 * np.var(left_out)), rtol=0.03)
    assert found["se"] > 1.1 * corrected(frame)["se"]
    assert found["ci_high"] - found["ci_low"] > 2 * stats.t.ppf(0.975, 149) * found["se"] * 0.95


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_corrected_shares_of_twins_are_those_of_one_of_them():
    frame = drawn(4)
    options = {"cluster": "talk", "confidence_level": 0.9}
    alone = corrected(frame.assign(talk=range(400)), **options)
    twins = pd.concat([frame.assign(talk=range(400))] * 2)
    figures = ["estimate", "se", "ci_low", "ci_high"]
    assert_allclose(*(one[figures].astype(float) for one in (corrected(twins, **options), alone)))
    options = {"sample_weight": np.full(400, 3.5), "weight_type": "probability"}
    weighted = corrected(frame, **options, confidence_level=0.9)
    assert_allclose(*(one[figures].astype(float) for one in (weighted, alone)))
    frame["talk"] = frame["human"].isna() * 1
    assert corrected(frame, cluster="talk")["reason"] == "n_lt_2"
    for one in (frame["human"].isna(), frame["human"].notna()):
        frame["talk"] = np.where(one, 0, range(1, 401))
        assert corrected(frame, cluster="talk")["reason"] == "n_lt_2"


def test_the_best_split_of_the_paper_and_the_one_with_the_least_error():
    assert label_split(200, judged=0.4, specificity=0.7, sensitivity=0.9) == (136, 64)
    given = {"judged": 0.4, "specificity": 0.7, "sensitivity": 0.9}
    found = label_split(200, **given, n_pilot=10**9, rule="neyman")

    def variance(positives):
        share = (0.4 + 0.7 - 1) / (0.7 + 0.9 - 1)
        of_negatives = (1 - share) ** 2 * 0.7 * 0.3 / (200 - positives)
        return of_negatives + share**2 * 0.9 * 0.1 / positives

    assert found.positives == min(range(1, 200), key=variance)
    assert sum(found) == 200
    assert label_split(2, judged=1e-9, specificity=0, sensitivity=1) == (1, 1)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.5]))
def test_laws(seed, share):
    df = drawn(seed, 120, share)
    for method in METHODS:
        found = prevalence(df, "human", "judge", method=method)
        known = found.dropna(subset=["estimate"])
        assert known["estimate"].between(0, 1).all()
        assert (known["ci_low"] <= known["ci_high"]).all()
        order = prevalence(df.sample(frac=1, random_state=1), "human", "judge", method=method)
        assert_frame_equal(found, order, rtol=1e-9)
        words = {1: "c", 2: "a", 3: "b"}
        named = df.assign(human=df["human"].map(words), judge=df["judge"].map(words))
        other = prevalence(named, "human", "judge", method=method).loc[["c", "a", "b"]]
        assert_frame_equal(found, other.set_axis(found.index), rtol=1e-9)
    two = df[["human", "judge"]].where(df[["human", "judge"]] != 3, 2)
    one, rest = (prevalence(two, "human", "judge").loc[place] for place in (1, 2))
    assert_allclose(one["estimate"], 1 - rest["estimate"])
    assert_allclose(one[["se", "lam"]].astype(float), rest[["se", "lam"]].astype(float))
    assert_allclose(one["ci_low"], 1 - rest["ci_high"], atol=1e-12)


def test_means_move_and_stretch_with_the_scores():
    found = mean_score(ESSAYS, "human_1", "machine")
    moved = ESSAYS.assign(human_1=ESSAYS["human_1"] * 1e-9 + 5, machine=ESSAYS["machine"] * 2e-9)
    other = mean_score(moved, "human_1", "machine")
    assert_allclose(other[FIGURES], found[FIGURES] * 1e-9 + 5, rtol=1e-12)
    assert_allclose(other["se"], found["se"] * 1e-9, rtol=1e-6)
    assert_allclose(other["lam"], found["lam"] / 2, rtol=1e-6)


@each("cluster", [None, "talk"])
def test_standard_errors_are_those_of_the_bootstrap(cluster):
    """Conversations of four answers, of which some have labels for a part only."""
    df, rng = drawn(8, 1200, 0.4), np.random.default_rng(1)
    whole = np.repeat(rng.choice([1.0, 2.0, 3.0], 300, p=[0.5, 0.3, 0.2]), 4)
    if cluster:
        df["human"] = np.where(df["human"].notna() & (rng.random(1200) < 0.7), whole, df["human"])
        df["judge"] = np.where(rng.random(1200) < 0.5, whole, df["judge"])
    y, f, has = (df["human"] == 1).to_numpy(), (df["judge"] == 1).to_numpy(), df["human"].notna()
    sums = pd.DataFrame({"y": y, "h": has, "fh": f & has, "f": f & ~has, "r": ~has}).astype(float)
    units = sums.groupby(df["talk"]).sum() if cluster else sums
    times = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), 3000)
    drawn_anew = pd.DataFrame(times @ units.to_numpy(), columns=units.columns)
    of_y, of_f = drawn_anew["y"] / drawn_anew["h"], drawn_anew["f"] / drawn_anew["r"]
    for lam in (0.6, 1):
        estimates = of_y + lam * (of_f - drawn_anew["fh"] / drawn_anew["h"])
        row = prevalence(df, "human", "judge", category=1, lam=lam, cluster=cluster).iloc[0]
        assert_allclose(row["se"], np.std(estimates), rtol=0.05)


def test_limits_hold_the_share_where_the_judge_hardly_errs():
    """Without pseudo-items they did in .87 of the samples."""
    rng, share, n, n_groups = np.random.default_rng(2), 0.1, 50, 600
    truth = (rng.random(n_groups * 550) < share).astype(float)
    judge = np.where(rng.random(truth.size) < 0.02, 1 - truth, truth)
    df = pd.DataFrame({"g": np.arange(truth.size) // 550, "judge": judge, "human": truth})
    df["human"] = df["human"].where(np.arange(truth.size) % 550 < n)
    found = prevalence(df, "human", "judge", category=1, by="g")
    holds = (found["ci_low"] <= share) & (share <= found["ci_high"])
    assert 0.92 < holds.mean() < 0.98


def test_pseudo_items_add_what_their_definition_says():
    """A single disagreement: half an item more in each cell, of residuals 0, 0, 1 and -1."""
    labelled = [(0, 0)] * 12 + [(1, 1)] * 7 + [(1, 0)]
    human, judge = zip(*labelled, *[(np.nan, 0)] * 18, *[(np.nan, 1)] * 12, strict=True)
    df = pd.DataFrame({"human": human, "judge": judge})
    row = prevalence(df, "human", "judge", category=1, lam=1).iloc[0]
    spread = 2 / 22 - (1 / 22) ** 2
    assert row["se"] ** 2 == pytest.approx(spread / 22 + 0.4 * 0.6 / 30)


NAN = np.nan
NONE = [None] * 4
REASONS = {
    "no_items": ({"human": NONE, "judge": NONE}, {}),
    "no_joint_items": ({"human": NONE, "judge": [1, 2, 1, 2]}, {}),
    "n_lt_2": ({"human": [1, None, None, None], "judge": [1, 2, 1, 2]}, {}),
    "no_unlabelled": ({"human": [1, 2, 1, 2], "judge": [1, 2, 1, 2]}, {"lam": 1}),
    "unseen_class": (
        {"human": [1, 1, None, None], "judge": [1, 2, 1, 2]},
        {"method": "rogan_gladen"},
    ),
    "machine_at_chance": (
        {"human": [1, 2, None, None], "judge": [2, 1, 1, 2]},
        {"method": "rogan_gladen"},
    ),
}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("reason", REASONS)
def test_reasons(reason):
    columns, options = REASONS[reason]
    found = prevalence(pd.DataFrame(columns), "human", "judge", **options)
    assert list(found.columns) == list(schema.PREVALENCE)
    assert set(found["reason"]) <= {reason}
    assert found[["se", "ci_low", "ci_high"]].isna().all(axis=None)
    assert (found["estimate"].isna() | (found["reason"] == "n_lt_2")).all()
    if "method" not in options and reason != "no_unlabelled":
        means = mean_score(pd.DataFrame(columns, dtype=float), "human", "judge", **options)
        assert means["reason"].tolist() == [reason]


def test_all_labelled_is_the_labels_alone_and_no_weight_says_so():
    df = pd.DataFrame({"human": [1, 2, 1, 2], "judge": [1, 2, 2, 2], "w": 0})
    row = prevalence(df, "human", "judge", category=1).iloc[0]
    assert (row["estimate"], row["lam"], row["reason"]) == (0.5, 0, "")
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        found = prevalence(df, "human", "judge", method="rogan_gladen")
    assert set(found["reason"]) == {"no_unlabelled"}
    message = (
        r"^2 of 2 estimates are undefined \(NaN\): 1 \(zero_total_weight\), 2 "
        r"\(zero_total_weight\)\. The column 'reason' says why\.$"
    )
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=message):
        found = prevalence(df, "human", "judge", categories=[1, 2], sample_weight="w")
    assert set(found["reason"]) == {"zero_total_weight"}


@each("category", [frozenset("ab"), {"a", "b"}, frozenset()])
def test_a_set_of_labels_is_one_category(category):
    sets = [frozenset("ab"), frozenset("a"), frozenset()] * 10
    df = pd.DataFrame({"human": sets, "judge": sets[::-1]})
    df.loc[:5, "human"] = None
    found = prevalence(df, "human", "judge", category=category)
    assert found.index.tolist() == [frozenset(category)]
    every = prevalence(df, "human", "judge")
    assert_frame_equal(found, every.loc[[frozenset(category)]])
    both = prevalence(df, "human", "judge", category=[frozenset("ab"), frozenset()])
    assert both.index.tolist() == [frozenset("ab"), frozenset()]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_single_item_without_a_label_or_scores_that_are_all_the_same():
    df = pd.DataFrame({"human": [1, 2, 1, 2, None], "judge": [1, 2, 1, 1, 2]})
    row = prevalence(df, "human", "judge", category=np.array([1])).iloc[0]
    assert (row["lam"], row["estimate"], row["reason"]) == (0, 0.5, "")
    row = prevalence(df, "human", "judge", category=1, lam=0.5).iloc[0]
    assert (row["reason"], np.isnan(row["se"]), np.isnan(row["estimate"])) == (
        "n_lt_2",
        True,
        False,
    )
    for method in ("ppi", "humans_only"):
        same = df.assign(human=[3, 3, 3, 3, None])
        row = mean_score(same, "human", "judge", method=method).iloc[0]
        assert (row["estimate"], row["se"], row["reason"]) == (3, 0, "no_variance")
        assert np.isnan([row["ci_low"], row["ci_high"]]).all()


def test_no_limits_of_width_zero():
    """Labels and judgements all alike tell little of the next item."""
    df = pd.DataFrame({"human": [0.0] * 20 + [NAN] * 80, "judge": 0.0})
    for method in ("ppi", "humans_only", "machine_only"):
        row = prevalence(df, "human", "judge", categories=[0, 1], method=method).loc[1]
        assert (row["estimate"], row["ci_low"]) == (0, 0)
        assert method != "ppi" or row["lam"] == 0  # such a judge is not heard
        assert row["ci_high"] > 0.01
    nested = df.assign(talk=np.arange(100) // 2)
    row = prevalence(
        nested, "human", "judge", categories=[0, 1], method="humans_only", cluster="talk"
    ).loc[1]
    assert row["ci_high"] > 0.1


def test_labels_without_a_judgement_are_counted_and_left_out():
    df = pd.DataFrame({"human": [1, 2, 1, 2, None, None], "judge": [1, 2, None, None, 1, 2]})
    message = (
        "What 'judge' did not rate is left out: 2 items with a rating by 'human', at index 2, 3. "
        "Let the machine rate them, or use method='humans_only'."
    )
    with pytest.warns(pdkappa.errors.LeftOutWarning, match=exactly(message)):
        found = prevalence(df, "human", "judge", category=1)
    assert found["n_labelled"].tolist() == [2]
    assert prevalence(df, "human", "judge", method="humans_only")["n_labelled"].tolist() == [4, 4]
    message = message.replace(", at index 2, 3", "")
    table = pdkappa.from_frame(df.assign(times=1), categories=[1, 2])
    with pytest.warns(pdkappa.errors.LeftOutWarning, match=exactly(message)):
        table.machine.mean_score("human", "judge", sample_weight="times")


MANY = pd.DataFrame({"human": range(1001), "judge": range(1001)})
ERRORS = {
    "method": lambda df: prevalence(df, "human", "judge", method="PPI"),
    "lam": lambda df: prevalence(df, "human", "judge", lam="best"),
    "lam again": lambda df: mean_score(df, "human", "judge", lam=np.inf),
    "lam again again": lambda df: prevalence(df, "human", "judge", lam=0.5, method="humans_only"),
    "category": lambda df: prevalence(df, "human", "judge", category=4),
    "category again": lambda df: prevalence(df, "human", "judge", category=[]),
    "prevalence": lambda _: prevalence(MANY, "human", "judge"),
    "by": lambda df: prevalence(df, "human", "judge", by="category"),
    "n_labels": lambda _: label_split(1, judged=0.4, specificity=0.7, sensitivity=0.9),
    "judged": lambda _: label_split(20, judged=0, specificity=0.7, sensitivity=0.9),
    "specificity": lambda _: label_split(
        20, judged=0.4, specificity=0.2, sensitivity=0.3, rule="neyman"
    ),
}


@raising("prevalence", ERRORS)
def test_the_whole_message(call, refused):
    with refused():
        call(drawn(10))


def test_a_category_in_one_cluster_warns():
    """Limits of the level .95 held .92 of 600 samples then, and .95 with two clusters or more."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(80), 8)
    truth = np.where(np.isin(cluster, [0, 50, 51]), "yes", "no")
    judge = np.where(rng.random(640) < 0.85, truth, np.where(truth == "yes", "no", "yes"))
    frame = pd.DataFrame({"human": pd.Series(truth).where(cluster < 40), "judge": judge})
    options = {"method": "rogan_gladen", "cluster": cluster}
    with pytest.warns(pdkappa.errors.FewClustersWarning) as told:
        frame.kappa.machine.prevalence("human", "judge", **options)
    [one] = told
    assert str(one.message) == (
        "Of category 'no' (and 1 more), the labelled items in it, or those outside, come "
        "from one cluster, so that differences of the machine's errors between clusters are "
        "unknown: limits may be too narrow. Label items of more clusters."
    )
    frame.kappa.machine.prevalence("human", "judge", cluster=cluster)  # any warning is an error
    frame.loc[cluster == 1, "human"] = "yes"
    frame.kappa.machine.prevalence("human", "judge", **options)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_machine_at_chance_is_undefined_in_clusters_too():
    frame = pd.DataFrame({"human": list("yynn") + [None] * 4, "judge": list("ynynyyyn")})
    options = {"method": "rogan_gladen", "category": "y"}
    plain = frame.kappa.machine.prevalence("human", "judge", **options)
    nested = frame.kappa.machine.prevalence("human", "judge", cluster=[0, 1, 2, 3] * 2, **options)
    assert plain["reason"].tolist() == nested["reason"].tolist() == ["machine_at_chance"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("n_clusters", [2, 3, 6])
def test_limits_of_few_clusters_hold_the_estimate(n_clusters):
    """Whose quantile of t is far beyond the numbers of items that pseudo-items stand for."""
    known = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        truth = rng.random(10 * n_clusters) < 0.3
        judge = np.where(rng.random(len(truth)) < 0.85, truth, ~truth)
        human = pd.Series(truth.astype(float)).where(rng.random(len(truth)) < 0.4)
        frame = pd.DataFrame({"human": human, "judge": judge.astype(float)})
        options = {"category": 1, "categories": [0, 1], "cluster": np.arange(len(truth)) // 10}
        kappa = frame.kappa.machine
        found = kappa.prevalence("human", "judge", method="rogan_gladen", **options).iloc[0]
        if not np.isnan(found["ci_low"]):
            known += 1
            assert found["ci_low"] <= found["estimate"] <= found["ci_high"]
            assert found["ci_low"] < found["ci_high"]
    assert known > 10


seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_limits_and_tests_are_those_of_other_packages(seed):
    rng = np.random.default_rng(seed)
    n, hits = 40, int(rng.integers(0, 41))
    expected = proportion_confint(hits, n, method="wilson")
    assert_allclose(rate(hits / n, n, 0.95)[1:], np.clip(expected, 0, 1), atol=1e-12)
    values = (np.arange(n) < hits).astype(float)
    once = ratio(values, np.ones(n), np.ones(n), 0.95)
    assert_allclose(once, (hits / n, *np.clip(expected, 0, 1)), atol=1e-12)
    gained, lost = rng.integers(0, 12, 2)
    table = of_statsmodels([[3, gained], [lost, 4]], exact=True)
    assert_allclose(mcnemar(gained, lost), table.pvalue)
    groups = [rng.normal(rng.normal(), size, 20) for size in (1.0, 2.0, 0.5)]
    welch = anova_oneway(groups, use_var="unequal", welch_correction=True).pvalue
    se = np.array([stats.sem(one) for one in groups])
    assert_allclose(
        all_equal(np.array([one.mean() for one in groups]), se, np.full(3, 19.0)), welch, rtol=1e-7
    )
    low, high = stats.t.interval(0.9, 19, groups[0].mean(), se[0])
    rows = RatingRows(np.zeros((1, 20), int), np.ones(20), np.zeros(20, int), 1, 1)
    assert_allclose(mean_of(rows, groups[0], 0.9), (groups[0].mean(), low, high))


def test_limits_of_a_shift_are_those_of_agresti_and_min():
    """Wald's, of a table with half an item more in each of its four cells."""
    gained, lost, n = 14, 6, 60
    table = np.array([[30.0, lost], [gained, 10.0]]) + 0.5
    share = table / table.sum()
    middle = share[1, 0] - share[0, 1]
    half = stats.norm.ppf(0.975) * np.sqrt((share[1, 0] + share[0, 1] - middle**2) / table.sum())
    expected = ((gained - lost) / n, middle - half, middle + half)
    assert_allclose(shift_of_share(gained, lost, n, 0.95)[0], expected)
