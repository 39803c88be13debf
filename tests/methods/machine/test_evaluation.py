"""Concordance and evaluation: RSMTool's figures, options, groups, messages, reasons."""

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal

import conftest
from conftest import each, raising, two
from pdkappa import errors
from pdkappa.datasets import load_anxiety, load_essays
from pdkappa.methods.machine.evaluation import compare_scores, to_nearest, to_whole

nan = float("nan")


@pytest.fixture
def essays():
    """Human scores of three essay sets, and unrounded predictions, some of all missing."""
    frame = load_essays().query("essay_set in [3, 4, 5]").reset_index(drop=True)
    noise = np.random.default_rng(2).normal(scale=0.3, size=len(frame))
    frame["machine"] = frame["machine"] + noise
    frame["student"] = np.arange(len(frame)) % 200
    frame["weight"] = np.arange(len(frame)) % 3 + 1
    frame["human_2"] = frame["human_2"].astype("Int64")
    frame.loc[::9, "human_2"] = pd.NA
    frame.loc[::11, "machine"] = nan
    return frame


@pytest.mark.parametrize(("kind", "weights"), [("ccc", "quadratic"), ("linear", "linear")])
@pytest.mark.parametrize(
    "options", [{}, {"by": "essay_set"}, {"sample_weight": "weight"}, {"missing": "listwise"}]
)
def test_whole_scores_are_as_in_pairs(essays, kind, weights, options):
    raters = ["human_1", "human_2"]
    found = essays.kappa.scores.concordance(raters, kind=kind, ci="wald", **options)
    expected = essays.kappa.pairs(raters, weights=weights, ci="wald", **options)
    same = [name for name in expected if name in found and name not in ("reason", "remark")]
    assert_frame_equal(found[same], expected[same], rtol=1e-10)
    usual = essays.kappa.scores.concordance(raters, kind=kind, **options)
    expected = essays.kappa.pairs(raters, weights=weights, **options)
    assert_frame_equal(usual[same], expected[same], rtol=1e-10)


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.astype("Float64"),
        lambda x: x.astype("double[pyarrow]"),
        lambda x: x.map(lambda one: Decimal(str(one))),
        lambda x: x.astype("category"),
    ],
    ids=["Float64", "Arrow", "Decimal", "category"],
)
def test_numbers_of_every_sort(make):
    frame = two([1, 2, 4, 4, 3], [1.6, 2.2, 3.4, 3.1, 2.9])
    found = frame.assign(b=make(frame["b"])).kappa.scores.concordance()
    assert_frame_equal(found, frame.kappa.scores.concordance())


def test_reasons_of_concordance(refuses):
    frame = pd.DataFrame(
        {
            "g": ["none", "one", "flat", "flat", "same", "same", "fine", "fine", "fine"],
            "a": [nan, 1, 2, 2, 5, 5, 1, 2, 3.5],
            "b": [nan, 2, 1, 3, 5, 5, 2, 1, 3.0],
        }
    )
    with refuses():
        found = frame.kappa.scores.concordance(["a", "b"], by="g")
    assert found["reason"].to_dict() == {
        "none": "no_items",
        "one": "n_lt_2",
        "flat": "constant_rater",
        "same": "constant_ratings",
        "fine": "",
    }
    assert found.loc["flat", "estimate"] == 0
    assert found["difference"].isna().tolist() == [False, False, True, False, False]


def test_the_difference_is_machine_minus_humans(essays):
    found = essays.kappa.machine.evaluate(["human_1", "human_2"], "machine")
    names = [
        *("qwk", "cohen", "correlation", "smd", "exact_agreement", "adjacent_agreement", "r2"),
        "rmse",
    ]
    difference = found.loc["evaluation", names] - found.loc["consistency", names]
    assert_series_equal(found.loc["difference", names], difference, check_names=False)
    lost = found.loc["difference", ["mean_a", "sd_b", "se_qwk", "qwk_low", "qwk_high"]]
    assert lost.isna().all()
    all_three = essays[["human_1", "human_2", "machine"]].dropna()
    assert found.loc["difference", "n_items"] == len(all_three)
    listwise = essays.kappa.machine.evaluate(["human_1", "human_2"], "machine", missing="listwise")
    assert listwise["n_items"].tolist() == [len(all_three)] * 3


@pytest.mark.parametrize(
    "options",
    [{"categories": range(5)}, {"categories": range(5), "exclude": [0, 4]}, {"rounded": False}],
)
def test_a_group_is_itself(essays, options):
    raters = (["human_1", "human_2"], "machine")
    whole = essays.kappa.machine.evaluate(*raters, by="essay_set", **options)
    for label, part in essays.groupby("essay_set"):
        alone = part.kappa.machine.evaluate(*raters, **options)
        assert_frame_equal(
            whole.drop(columns="dsm").loc[label], alone.drop(columns="dsm"), rtol=1e-9
        )


def test_kappa_and_agreement_of_rounded_scores(essays):
    part = essays.query("essay_set == 5").dropna(subset=["machine"])
    rounded = np.floor(part["machine"] + 0.5).clip(0, 4)
    expected = part.assign(rounded=rounded).kappa.pairs(["human_1", "rounded"])
    found = part.kappa.machine.evaluate("human_1", "machine").loc["evaluation"]
    assert_allclose(found["cohen"], expected["estimate"])
    assert_allclose(found["exact_agreement"], expected["observed_agreement"])
    assert found["n_rounded"] == (rounded != part["machine"]).sum() > 0
    qwk = part.kappa.scores.concordance(["human_1", "machine"]).iloc[0]
    names = {"qwk": "estimate", "se_qwk": "se", "qwk_low": "ci_low", "qwk_high": "ci_high"}
    for ours, theirs in names.items():
        assert found[ours] == qwk[theirs]


@pytest.mark.parametrize("groups", ["narrow", "some are whole", "second human"])
def test_groups_share_the_range_to_which_scores_are_clipped(groups):
    """A subgroup with low scores is judged as if the scale were declared."""
    human = [1, 2, 3, 1, 2, 3, 4, 5, 6, 4]
    machine = [1.4, 2.6, 3.8, 4.2, 3.7, 2.9, 4.4, 5.2, 6.8, 3.1]
    frame = two(human, machine).assign(g=["low"] * 6 + ["high"] * 4)
    humans = ["a"]
    if groups == "some are whole":
        frame.loc[frame["g"] == "high", "b"] = [7, 5, 6, 3]
    if groups == "second human":
        frame["c"] = frame["a"].replace({1: 2, 6: 8})
        humans = ["a", "c"]
    found = frame.kappa.machine.evaluate(humans, "b", by="g")
    scale = range(1, 9 if len(humans) > 1 else 7)
    expected = frame.kappa.machine.evaluate(humans, "b", by="g", categories=scale)
    assert_frame_equal(found, expected)
    low = found.loc[("low", "evaluation")]
    assert low[["n_rounded", "exact_agreement"]].tolist() == [6, 2 / 6]


def test_sets_with_scales_of_their_own():
    """A score beyond the scale of its set is rounded, and a disagreement; it is no match."""
    frame = two([0, 3, 3, 0, 60, 30], [0.2, 3.6, 2.9, 1, 60, 29.7]).assign(g=list("sssbbb"))
    found = frame.kappa.machine.evaluate("a", "b", by="g").xs("evaluation", level="comparison")
    assert found["exact_agreement"].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert found["adjacent_agreement"].tolist() == [1, 1]
    assert found["n_rounded"].tolist() == [1, 3]
    small = frame[frame["g"] == "s"]
    alone = small.kappa.machine.evaluate("a", "b", categories=range(4)).loc["evaluation"]
    assert alone["exact_agreement"] == 1


def test_humans_are_not_rounded():
    frame = two([1, 2, 3, 2], [1.0, 2.5, 4.5, 3.0]).assign(c=[1.0, 1.5, 3.0, 2.5])
    found = frame.kappa.machine.evaluate(["a", "c"], "b")
    assert found["n_rounded"].tolist() == [0, 2, 2]
    assert found["exact_agreement"].tolist() == [0.5, 0.5, 0]


def test_half_points_need_a_scale(refuses):
    frame = two([1, 1.5, 3, 2.5], [1.2, 1.4, 2.8, 2.6])
    with refuses():
        frame.kappa.machine.evaluate("a", "b")
    scale = [1, 1.5, 2, 2.5, 3]
    found = frame.kappa.machine.evaluate("a", "b", categories=scale).loc["evaluation"]
    assert found[["n_rounded", "exact_agreement", "cohen"]].tolist() == [4, 1, 1]
    assert frame.kappa.machine.evaluate("a", "b", rounded=False)["exact_agreement"].item() == 0
    on_scale = two([1, 1.5, 3, 2.5], [1, 3, 2.5, 1.5])
    assert on_scale.kappa.machine.evaluate("a", "b")["n_rounded"].item() == 0


def test_excluded_scores(essays):
    found = essays.kappa.machine.evaluate(["human_1", "human_2"], "machine", exclude=0)
    kept = essays.replace({"human_1": {0: nan}, "human_2": {0: pd.NA}})
    expected = kept.kappa.machine.evaluate(["human_1", "human_2"], "machine")
    assert_frame_equal(found.drop(columns="n_excluded"), expected.drop(columns="n_excluded"))
    every = essays.kappa.machine.evaluate(["human_1", "human_2"], "machine")
    assert (every["n_excluded"] == 0).all()
    assert (found["n_items"] + found["n_excluded"]).tolist() == every["n_items"].tolist()
    assert found["n_excluded"].min() > 0
    for same in ([0], np.array([0]), (0.0,), {0}):
        assert_frame_equal(found, essays.kappa.machine.evaluate(*found_raters(), exclude=same))


def found_raters():
    """Return the raters of `test_excluded_scores`."""
    return ["human_1", "human_2"], "machine"


def test_reasons_of_evaluation(refuses):
    frame = pd.DataFrame(
        {
            "g": [1, 1, 2, 2, 3],
            "h": [2, 2, 1, 2, nan],
            "m": [2, 2, 1.4, 1.6, 3],
            "h2": [2, 2, 1, 2, 1],
        }
    )
    with refuses():
        found = frame.kappa.machine.evaluate(["h", "h2"], "m", by="g")
    why = ["constant_ratings"] * 3 + [""] * 3 + ["no_joint_items"] * 3
    assert found["reason"].tolist() == why
    assert found.loc[2, "cohen"].tolist() == [1, 1, 0]
    with pytest.warns(errors.UndefinedKappaWarning):
        found = frame.assign(h2=nan).kappa.machine.evaluate(["h", "h2"], "m", by="g")
    assert found.loc[2, "reason"].tolist() == ["no_joint_items", "", "no_joint_items"]
    with pytest.warns(errors.UndefinedKappaWarning):
        found = two([nan], [nan]).kappa.machine.evaluate("a", "b", exclude=0)
    assert found["reason"].tolist() == ["no_items"]
    with pytest.warns(errors.UndefinedKappaWarning, match=r"^1 of 1 comparison is"):
        two([1, 1], [1, 1]).kappa.machine.evaluate("a", "b")


WORDS = ["low", "mid", "high"]
SAID = two(
    ["low", "mid", "high", "mid", "low", "high", "high", "mid"],
    ["low", "high", "high", "mid", "mid", "high", "mid", "mid"],
).astype(pd.CategoricalDtype(WORDS, ordered=True))
LIMITED = {"qwk": "estimate", "se_qwk": "se", "qwk_low": "ci_low", "qwk_high": "ci_high"}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")
@pytest.mark.parametrize("by", [None, "essay_set"])
def test_limits_are_those_of_pairs(by):
    frame = load_essays()
    found = frame.kappa.machine.evaluate("human_1", "machine", by=by)
    expected = frame.kappa.pairs(["human_1", "machine"], weights="quadratic", by=by)
    for ours, theirs in LIMITED.items():
        assert_allclose(found[ours], expected[theirs], rtol=1e-12)
    cohen = frame.kappa.pairs(["human_1", "machine"], by=by)["estimate"]
    assert_allclose(found["cohen"], cohen, rtol=1e-12, atol=1e-12)


def test_words_count_as_their_ranks():
    ranks = SAID.apply(lambda column: column.cat.codes + 1)
    expected = ranks.kappa.machine.evaluate("a", "b")
    declared = SAID.astype(str).kappa.machine.evaluate("a", "b", categories=WORDS)
    assert_frame_equal(SAID.kappa.machine.evaluate("a", "b"), expected)
    assert_frame_equal(declared, expected)
    assert_allclose(declared["qwk"], SAID.kappa.pairs(weights="quadratic")["estimate"], rtol=1e-12)


@pytest.mark.parametrize("categories", [WORDS, [*WORDS, "off topic"]])
@pytest.mark.parametrize("exclude", ["off topic", ["off topic"], {"off topic"}])
def test_words_are_excluded(categories, exclude):
    said = SAID.astype(str)
    said.loc[0, "a"] = said.loc[3, "b"] = "off topic"
    found = said.kappa.machine.evaluate("a", "b", categories=categories, exclude=exclude)
    expected = SAID.drop(index=[0, 3]).kappa.machine.evaluate("a", "b")
    assert found["n_excluded"].item() == 2
    assert_frame_equal(found.assign(n_excluded=0), expected)


SCORES = two([1, 2, 4, 4], [1.5, 2.2, 3.1, 4.0]).assign(g=1, qwk=1)
ORDERED = pd.CategoricalDtype([1, 2, 4], ordered=True)
MESSAGES = {
    "text": two(["low", "mid"], ["mid", "mid"]).kappa.scores.concordance,
    "ordered": SCORES[["a"]].assign(b=[1, 2, 4, 2]).astype(ORDERED).kappa.scores.concordance,
    "infinite": two([1, 2, np.inf], [1, 2, 2.5]).kappa.scores.concordance,
    "inexact": two([2**53, 2**53 + 1], [2**53, 2**53 + 2]).kappa.scores.within,
    "kind": lambda: SCORES.kappa.scores.concordance(["a", "b"], kind="ordinal"),
    "missing": lambda: SCORES.kappa.scores.concordance(["a", "b"], missing="drop"),
    "ci": lambda: SCORES.kappa.scores.concordance(["a", "b"], ci="bca"),
    "level": lambda: SCORES.kappa.machine.evaluate("a", "b", confidence_level=95),
    "group": lambda: SCORES.kappa.machine.evaluate("a", "b", by="qwk"),
    "exclude": lambda: SCORES.kappa.machine.evaluate("a", "b", exclude=True),
    "excluded text": lambda: SCORES.kappa.machine.evaluate("a", "b", exclude=["off"]),
    "text as categories": lambda: SCORES.kappa.machine.evaluate(
        "a", "b", categories=["low", "high"]
    ),
    "words without an order": lambda: SAID.astype(str).kappa.machine.evaluate("a", "b"),
    "excluded word": lambda: SAID.kappa.machine.evaluate("a", "b", exclude="of topic"),
    "excluded number": lambda: SAID.astype(str).kappa.machine.evaluate(
        "a", "b", categories=WORDS, exclude=0
    ),
    "numbers for words": lambda: SAID.kappa.machine.evaluate("a", "b", categories=range(3)),
    "beside the categories": lambda: SCORES.kappa.machine.evaluate("a", "b", categories=[1, 2, 3]),
}


@raising("evaluation", MESSAGES)
def test_the_whole_message(call, refused):
    with refused():
        call()


def test_the_intraclass_correlations_of_published_ratings():
    """Pairwise ICC(A,1) of the anxiety ratings, by the mean squares of two-way anova."""
    frame = load_anxiety()
    found = frame.kappa.scores.concordance()
    for row in found.itertuples():
        table = frame[[row.rater_a, row.rater_b]].to_numpy(dtype=float)
        n = len(table)
        rows = 2 * table.mean(axis=1).var(ddof=1)
        cols = n * table.mean(axis=0).var(ddof=1)
        rest = (table.var(axis=1, ddof=1).sum() - cols) / (n - 1)
        assert_allclose(row.kappa_u, (rows - rest) / (rows + rest + 2 * (cols - rest) / n))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_ranges_are_of_the_items_that_count():
    frame = pd.DataFrame({"h1": [1, 2, 9, 4, 5], "m": [0.5, 7.25, -3, 2, None], "g": list("aaabc")})
    options = {"by": "g", "sample_weight": [1, 2, 0, 1, 1], "categories": range(10)}
    found = frame.assign(h2=frame["h1"]).kappa.machine.evaluate(["h1", "h2"], "m", **options)
    ranges = found[["min_a", "max_a", "min_b", "max_b"]].xs("evaluation", level="comparison")
    assert ranges.loc["a"].tolist() == [1, 2, 0.5, 7.25]
    assert ranges.loc["b"].tolist() == [4, 4, 2, 2]
    assert ranges.loc["c"].isna().all()
    lost = found.xs("difference", level="comparison")
    assert lost[["min_a", "max_b"]].isna().all(axis=None)


def rows_of(x, y, count=None, group=None):
    """Put the scores of two raters into rows, with what their codes stand for."""
    scores, codes = np.unique(np.array([x, y], dtype=float), return_inverse=True)
    codes = codes.reshape(2, -1)
    return conftest.rows_of(codes, count, group, k=len(scores)), scores


def figures(x, y, rounded=None, *, pooled=False, **options):
    """Evaluate the scores of two raters; one value for each group."""
    rows, scores = rows_of(x, y, **options)
    values = np.asarray(y if rounded is None else rounded, dtype=float)
    return SimpleNamespace(**compare_scores(rows, scores, values, pooled=pooled, level=0.95))


NUMBERS = [name for name in vars(figures([1, 2], [1, 2])) if name != "reason"]


@pytest.fixture
def scored():
    rng = np.random.default_rng(5)
    human = rng.integers(1, 7, size=120).astype(float)
    machine = 0.7 * human + 1 + rng.normal(scale=0.8, size=120)
    return human, machine, np.clip(np.rint(machine), 1, 6)


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
def test_scikit_learn(scored):
    from sklearn import metrics

    human, machine, rounded = scored
    weight = np.arange(120) % 4 + 0.5
    found = figures(*scored, count=weight)
    assert_allclose(found.r2, metrics.r2_score(human, machine, sample_weight=weight))
    error = metrics.mean_squared_error(human, machine, sample_weight=weight)
    assert_allclose(found.rmse, np.sqrt(error))
    labels = human.astype(int), rounded.astype(int)
    kappa = metrics.cohen_kappa_score(*labels, sample_weight=weight)
    assert_allclose(found.cohen, kappa, rtol=1e-12)
    whole = figures(human, rounded, count=weight)
    quadratic = metrics.cohen_kappa_score(
        *labels, labels=np.arange(1, 7), weights="quadratic", sample_weight=weight
    )
    assert_allclose(whole.qwk, quadratic, rtol=1e-12)


@each("exponent", [-1000, -660, 240])
def test_the_unit_of_the_scores_does_not_matter(scored, exponent):
    """But for what is in that unit, and for what is within a point."""
    unit = 2.0**exponent
    found, other = figures(*scored), figures(*(one * unit for one in scored))
    for name in set(NUMBERS) - {"adjacent_agreement"}:
        factor = unit if name in {"mean_a", "mean_b", "sd_a", "sd_b", "rmse"} else 1
        assert_array_equal(getattr(other, name), getattr(found, name) * factor, err_msg=name)


def test_halves_go_up_and_the_range_is_kept():
    human = [1, 2, 3, 4, 3, 2, 1]
    machine = np.array([-3.2, 0.5, 1.4999, 2.5, 3.5, 8.1, 0.49999999999999994])
    assert_array_equal(to_whole(np.array(human, dtype=float), machine), [1, 1, 1, 3, 4, 4, 1])


def test_a_scale_with_half_points():
    scale = np.array([1.0, 1.5, 2.0, 4.0])
    values = np.array([0.0, 1.24, 1.25, 1.75, 2.9, 3.0, 9.0])
    assert_array_equal(to_nearest(scale, values), [1, 1, 1.5, 2, 2, 4, 4])
    assert_array_equal(to_nearest(np.array([3.0]), values), [3] * 7)


EDGES = {
    "nothing": ([], [], "no_joint_items", set(NUMBERS) - {"n_items"}),
    "one item": (
        [2],
        [3],
        "n_lt_2",
        {"sd_a", "sd_b", "smd", "correlation", "r2"} | {"se_qwk", "qwk_low", "qwk_high"},
    ),
    "constant human": (
        [0.1, 0.1, 0.1],
        [0.1, 0.2, 0.3],
        "constant_rater",
        {"smd", "correlation", "r2", "se_qwk", "qwk_low", "qwk_high"},
    ),
    "constant machine": (
        [0.1, 0.2, 0.3],
        [0.1, 0.1, 0.1],
        "constant_rater",
        {"correlation", "se_qwk", "qwk_low", "qwk_high"},
    ),
    "all the same": (
        [0.1, 0.1, 0.1],
        [0.1, 0.1, 0.1],
        "constant_ratings",
        {"smd", "correlation", "r2", "qwk", "cohen", "se_qwk", "qwk_low", "qwk_high"},
    ),
}


@each(("x", "y", "reason", "undefined"), EDGES.values())
def test_edges(x, y, reason, undefined):
    found = figures(x, y)
    assert {name for name in NUMBERS if np.isnan(getattr(found, name)[0])} == undefined
    assert found.reason.tolist() == [reason]


def test_no_rows_in_no_group_have_no_figures():
    frame = two([], []).assign(g=[]).kappa.machine.evaluate("a", "b", by="g")
    assert frame.empty
    assert "0 items in 0 groups" in repr(frame)
