"""The panel of a board: figures of other methods, limits, verdicts, thresholds, messages."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.special import stdtrit

import pdkappa
from conftest import each, exactly, function_of, raising
from elsewhere import DATA, rsmtool
from elsewhere.rsmtool import FOLDER, SCALE, read, responses
from pdkappa import errors
from pdkappa.coefficients.pair_kappas import DISTANCES, influence_of
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine import readiness as core
from pdkappa.methods.machine.evaluation import OfScores
from pdkappa.methods.machine.readiness import BOUNDS, THRESHOLDS
from pdkappa.present import schema

nan = float("nan")
undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")


def made(n, groups=1, seed=0, *, machine=0.5):
    """Make scores of 1 to 6 by two humans and a machine, in groups of n."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=n * groups)
    frame = pd.DataFrame(
        {name: true + rng.normal(scale=0.6, size=len(true)) for name in ("h1", "h2")}
    )
    frame = (1.2 * frame + 3.5).round().clip(1, 6)
    frame["m"] = 1.2 * (0.95 * true + rng.normal(scale=machine, size=len(true))) + 3.56
    return frame.assign(g=np.arange(len(frame)) % groups)


def panel(frame, *humans, **options):
    """Judge the machine with few resamples."""
    few = {"n_resamples": 40, "rng": 0} if humans or "error_variance" in options else {}
    return function_of("machine.readiness")(frame, ["h1", *humans], "m", **few | options)


@each(
    "options",
    [
        *({}, {"by": "g"}, {"exclude": 1}, {"missing": "listwise"}),
        *({"categories": range(7)}, {"rounded": False}),
    ],
)
def test_figures_are_those_of_other_methods(options):
    frame = made(60, 2)
    frame.loc[::7, "h2"] = nan
    found = panel(frame, "h2", **options)
    assert list(found) == list(schema.READINESS)
    assert found.index.unique("criterion").tolist() == list(BOUNDS)
    table = frame.kappa.machine.evaluate(["h1", "h2"], "m", **options)

    def of(name, comparison="evaluation"):
        criteria = found.index.get_level_values("criterion")
        comparisons = table.index.get_level_values("comparison")
        return found[criteria == name], table[comparisons == comparison]

    for name in ("qwk", "correlation", "smd", "exact_agreement", "adjacent_agreement"):
        rows, expected = of(name)
        assert_allclose(rows["estimate"], expected[name], rtol=1e-12)
        assert_allclose(rows["n_items"], expected["n_items"])
        assert ((rows["ci_low"] <= rows["estimate"]) & (rows["estimate"] < rows["ci_high"])).all()
    rows, expected = of("qwk")
    assert_allclose(rows[["ci_low", "ci_high"]], expected[["qwk_low", "qwk_high"]])
    rows, expected = of("degradation", "difference")
    assert_allclose(rows["estimate"], -expected["qwk"], atol=1e-12)
    if not {"exclude", "missing", "categories", "rounded"} & set(options):
        rows, _ = of("prmse")
        expected = frame.kappa(n_resamples=40, rng=0).machine.prmse(["h1", "h2"], "m", **options)
        names = ["ci_low", "ci_high"]
        assert_allclose(rows["estimate"], expected["estimate"])
        assert_allclose(rows[names], expected[names])


@each("missing", ["pairwise", "listwise"])
def test_an_excluded_score_is_as_one_that_is_missing(missing):
    """Listwise, an item without one is in no row."""
    frame = made(120)[["h1", "h2", "m"]].round()
    low = frame[["h1", "h2"]].min(axis=None)
    cleaned = frame.mask(frame == low)
    study = {"n_resamples": 40, "rng": 0}
    found, expected = (
        one.kappa(**study).machine.readiness(["h1", "h2"], "m", missing=missing, **exclude)
        for one, exclude in ((frame, {"exclude": low}), (cleaned, {}))
    )
    assert_frame_equal(found, expected)
    tables = [
        one.kappa.machine.evaluate(["h1", "h2"], "m", missing=missing, **exclude)
        for one, exclude in ((frame, {"exclude": low}), (cleaned, {}))
    ]
    assert (tables[0]["n_excluded"] > 0).all()
    assert_frame_equal(*(one.drop(columns="n_excluded") for one in tables))
    if missing == "listwise":
        assert len(set(found["n_items"])) == len(set(tables[0]["n_items"])) == 1


def test_rows_that_there_is_something_for():
    frame = made(30)
    few = [name for name in BOUNDS if name not in ("degradation", "prmse")]
    assert panel(frame).index.tolist() == few
    assert "prmse" in panel(frame, error_variance=0.3).index
    assert panel(frame.head(0), "h2", by="g").empty
    by_group = panel(frame.assign(g=1), by="g")
    assert by_group.loc[(1, "smd"), "threshold"] == THRESHOLDS["smd_subgroup"]
    assert_frame_equal(frame.groupby("g").kappa.machine.readiness("h1", "m"), panel(frame, by="g"))


def test_limits_hold_the_true_value_as_often_as_they_say():
    """In 800 samples of 40 items, at the level .9: 5 standard errors around it."""
    frame, whole = made(40, 800, seed=3), made(200_000, seed=4)

    def figures(frame, **options):
        scores = OfScores(humans=["h1", "h2"], machine="m", **options).read(frame, "readiness")
        both, _ = scores.joint("evaluation")
        values = scores.scored.scores
        return [
            core.correlation(both, values, 0.9),
            core.mean_difference(both, values, 0.9),
            core.degradation(scores.scored.rows, values, 0.9),
        ]

    for found, true in zip(figures(frame, by="g"), figures(whole), strict=True):
        held = (found.ci_low <= true.estimate[0]) & (true.estimate[0] <= found.ci_high)
        assert 0.85 < held.mean() < 0.95


def test_errors_are_those_of_the_jackknife():
    """Of correlation and degradation, each item left out in turn; 7 items lack the second human."""
    frame = made(50)
    frame.loc[::8, "h2"] = nan

    def figures(some):
        qwk = some.kappa.machine.evaluate(["h1", "h2"], "m")["qwk"]
        return np.array([some["h1"].corr(some["m"]), qwk["consistency"] - qwk["evaluation"]])

    r, lost = figures(frame)
    left = np.array([figures(frame.drop(index=item)) for item in frame.index])
    n = np.array([50, 50])
    se = np.sqrt((n - 1) / n * ((left - [r, lost]) ** 2).sum(axis=0))
    t = stdtrit(49, 0.975)
    found = panel(frame, "h2")
    expected = np.tanh(np.arctanh(r) + np.array([-1, 1]) * t * se[0] / (1 - r**2))
    assert_allclose(found.loc["correlation", ["ci_low", "ci_high"]].astype(float), expected)
    expected = lost + np.array([-1, 1]) * t * se[1]
    assert_allclose(
        found.loc["degradation", ["ci_low", "ci_high"]].astype(float), expected, rtol=0.02
    )


def test_clusters_of_one_item_and_clusters_of_copies():
    frame = made(50).assign(item=np.arange(50))
    options = {"n_resamples": 200}
    figures = ["estimate", "ci_low", "ci_high"]
    single, plain = (panel(frame, "h2", **x)[figures] for x in ({"cluster": "item"}, {}))
    of_t = ["qwk", "exact_agreement", "adjacent_agreement"]  # instead of normal quantiles
    assert_allclose(single.drop(index=of_t), plain.drop(index=of_t), rtol=1e-9)
    assert_allclose(single, plain, atol=0.01)
    copies = pd.concat([frame] * 4)
    found, expected = panel(copies, "h2", cluster="item", **options), panel(frame, "h2", **options)
    width, usual = (x["ci_high"] - x["ci_low"] for x in (found, expected))
    assert_allclose(width / usual, 1, rtol=0.15)


def test_where_two_scores_are_swapped_they_agree_where_they_did_not():
    frame = made(120).assign(h1=np.arange(120) % 2, item=np.arange(120) // 3)
    frame["m"] = np.where(frame["item"] % 5 < 3, frame["h1"], 1 - frame["h1"])
    frame.loc[::7, "m"] = 1
    columns = ["estimate", "ci_low", "ci_high"]
    found, swapped = (
        panel(one, cluster="item").loc["exact_agreement", columns].astype(float)
        for one in (frame, frame.assign(m=1 - frame["m"]))
    )
    assert_allclose(swapped, 1 - found[["estimate", "ci_high", "ci_low"]], rtol=1e-9)


@each(
    ("bound", "limits", "expected"),
    [
        ("at least", (0.7, 0.8), "pass"),
        ("at least", (0.5, 0.6999), "fail"),
        ("at least", (0.69, 0.7), "cannot tell"),
        ("at most", (0.2, 0.7), "pass"),
        ("at most", (0.71, 0.8), "fail"),
        ("at most", (0.7, 0.8), "cannot tell"),
        ("within", (-0.7, 0.7), "pass"),
        ("within", (-0.9, -0.71), "fail"),
        ("within", (0.71, 0.9), "fail"),
        ("within", (-0.8, 0.1), "cannot tell"),
        ("at least", (nan, nan), "cannot tell"),
    ],
)
def test_verdicts(bound, limits, expected):
    low, high = np.array(limits)[:, None]
    assert core.verdicts(low, high, 0.7, bound).tolist() == [expected]


@each("n", [2, 3, 40])
def test_items_that_are_all_alike_pass_nothing_by_limits_without_width(n):
    frame = made(n).assign(h1=np.arange(n) % 6 + 1)
    frame = frame.assign(h2=frame["h1"], m=frame["h1"])
    found = panel(frame, "h2").loc[["degradation", "smd", "prmse"]]
    assert found["estimate"].tolist() == [0, 0, 1]
    assert found[["ci_low", "ci_high"]].isna().all(axis=None)
    assert set(found["verdict"]) == {"cannot tell"}
    assert set(found["reason"]) == {"no_variance"}


@undefined
def test_reasons():
    frame = made(8)
    constant = panel(frame.assign(h1=3), "h2")
    assert set(constant["reason"]) == {"constant_rater", "", "no_true_variance"}
    assert constant["verdict"]["correlation"] == "cannot tell"
    assert panel(frame.head(1))["reason"]["qwk"] == "n_lt_2"
    nobody = panel(frame.assign(h2=nan), "h2")["reason"]
    assert nobody[["qwk", "degradation", "prmse"]].tolist() == [
        "",
        "no_joint_items",
        "no_double_ratings",
    ]
    with pytest.warns(errors.UndefinedKappaWarning, match="'degradation'"):
        panel(frame.assign(h2=nan), "h2")


def test_scales_that_are_put_together_pass_nothing():
    """What is right set by set is not what is shown for all together."""
    parts = {"a": made(100).drop(columns="g"), "b": 30 + 5 * made(100, seed=2).drop(columns="g")}
    frame = pd.concat(parts, names=["set"]).round().reset_index("set").reset_index(drop=True)
    with pytest.warns(errors.CrudeKappaWarning, match="'set'"):
        found = panel(frame, "h2")
    judged = found["threshold"].notna()
    assert set(found["verdict"][judged]) == {"cannot tell"}
    assert set(found["remark"]) == {"scales differ by 'set': pass by='set'"}
    apart = panel(frame, "h2", by="set", thresholds={"qwk": 0.1, "smd_subgroup": 2})
    assert set(apart.xs("qwk", level="criterion")["verdict"]) == {"pass"}
    assert set(apart["remark"]) == {""}


GROUPED = made(30).assign(group=["a", "b"] * 15)
MESSAGES = {
    "no dict": {"thresholds": 0.7},
    "no such criterion": {"thresholds": {"qkw": 0.7}},
    "no name": {"thresholds": {3: 0.7}},
    "text": {"thresholds": {"smd": "low"}},
    "nan": {"thresholds": {"smd": nan}},
    "too large": {"thresholds": {"exact_agreement": 70}},
    "negative": {"thresholds": {"smd_subgroup": -0.1}},
    "no second human": {"thresholds": {"prmse": 0.8}},
    "no other human": {"thresholds": {"degradation": 0.1}, "error_variance": 0.3},
    "of all items": {"thresholds": {"smd": 0.5}, "by": "group"},
    "of groups": {"thresholds": {"smd_subgroup": 0.5}},
}


@raising("readiness", MESSAGES)
def test_the_whole_message(call, refused):
    with refused():
        panel(GROUPED, **call)


def test_a_threshold_that_nothing_is_compared_with():
    words = made(5).assign(h1=list("abcab"), m=list("abbab"))
    with pytest.raises(errors.CategoryError, match=r"^readiness needs ordered categories, but "):
        panel(words)
    every = {"prmse": 0.8, "degradation": 0.1, "smd": 0.5, "smd_subgroup": 0.4}
    grouped = panel(GROUPED, "h2", thresholds=every, by="group").loc["a", "threshold"]
    assert grouped[["prmse", "degradation", "smd"]].tolist() == [0.8, 0.1, 0.4]
    none = {"prmse": None, "degradation": None}
    assert not {*none} & {*panel(GROUPED, thresholds=none).index}


HUMANS = ["h1", "h2", "h3", "h4"]
FIGURES = ["error_variance", "true_variance", "mse", "estimate"]


def made_ratings(n, seed=0, *, error=0.4):
    """Make true scores of variance 1, two humans, and a machine with a PRMSE of .79."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=n)
    humans = true + rng.normal(scale=error**0.5, size=(2, n))
    machine = 0.9 * true + rng.normal(scale=0.2**0.5, size=n)
    return pd.DataFrame({"a": humans[0], "b": humans[1], "machine": machine})


def figures(frame, humans=("a", "b"), machine="machine", **options):
    """Estimate with few resamples."""
    return function_of("machine.prmse")(
        frame, list(humans), machine, **{"n_resamples": 40, "rng": 0, **options}
    )


def test_ten_thousand_responses_of_johnson():
    """Whose figures ``elsewhere/rsmtool.py`` compares."""
    frame = pd.read_csv(DATA / "scoring" / "prmse_johnson.csv.gz")
    found = figures(frame, HUMANS, "system").iloc[0]
    assert found["ci_low"] < found["estimate"] < found["ci_high"]
    assert found["n_raters"] == 4


def test_true_values_of_many_items():
    """Also with holes, of one human where the variance of errors is known, and of a machine."""
    frame = made_ratings(20_000)
    expected = [0.4, 1.0, 0.1**2 + 0.2, 1 - 0.21]
    holes = frame.assign(b=frame["b"].where(np.arange(len(frame)) % 3 == 0))
    for found in (
        figures(frame, n_resamples=2),
        figures(holes, n_resamples=2),
        figures(frame, ["a"], error_variance=0.4, n_resamples=2),
    ):
        assert_allclose(found[FIGURES].iloc[0].astype(float), expected, atol=0.03)


def test_a_few_items_by_the_formulas():
    """Those of Loukina and others (2020), of items with one, two and three ratings."""
    human = np.array([[1, 2, np.nan], [4, 3, 5], [2, np.nan, np.nan], [5, 5, 4], [3, 1, 2]])
    machine = np.array([1.5, 4.0, 2.5, 4.5, 2.0])
    each_n, mean = (~np.isnan(human)).sum(axis=1), np.nanmean(human, axis=1)
    n = each_n.sum()
    error = np.nansum((human - mean[:, None]) ** 2) / (n - 5)
    between = (each_n * (mean - np.nanmean(human)) ** 2).sum()
    true = (between - 4 * error) / (n - (each_n**2).sum() / n)
    mse = ((each_n * (machine - mean) ** 2).sum() - 5 * error) / n
    frame = pd.DataFrame(human, columns=["h1", "h2", "h3"]).assign(machine=machine)
    found = figures(frame, HUMANS[:3])[FIGURES].iloc[0].astype(float)
    assert_allclose(found, [error, true, mse, 1 - mse / true], rtol=1e-9)


def test_no_human_error_is_r_squared():
    """One human without errors: PRMSE is 1 - MSE / variance, as `evaluation` has it but for n."""
    frame = made_ratings(50)
    found = figures(frame, ["a"], error_variance=0).iloc[0]
    apart = (frame["a"] - frame["machine"]) ** 2
    assert_allclose(found["mse"], apart.mean())
    assert_allclose(found["true_variance"], frame["a"].var())


def test_limits_hold_the_true_value_as_often_as_they_say_of_the_truth():
    """In 300 samples of 100 items, at the level .8: 3.5 standard errors around it."""
    frame = made_ratings(100 * 300, seed=5).assign(group=np.arange(30_000) % 300)
    found = figures(frame, by="group", n_resamples=150, confidence_level=0.8)
    held = (found["ci_low"] <= 0.79) & (found["ci_high"] >= 0.79)
    assert 0.72 < held.mean() < 0.88


def test_a_machine_in_other_units_leaves_true_scores_as_they_are():
    found, far = (
        figures(made_ratings(50)),
        figures(made_ratings(50).assign(machine=lambda one: one["machine"] + 1e9)),
    )
    assert_allclose(far["true_variance"], found["true_variance"])
    assert far["reason"].item() == ""


@each(
    "change",
    [
        lambda one: one * 1e-80,
        lambda one: one + 1e6,
        lambda one: one.iloc[::-1],
        lambda one: one.loc[one.index.repeat(1 + np.arange(len(one)) % 2)],
    ],
)
def test_laws(change):
    """Units and the place of zero make no difference, nor do the order of items, or weights."""
    frame = made_ratings(40).round(4)
    weights = pd.Series(1 + np.arange(40) % 2, frame.index)
    changed = change(frame)
    if len(changed) > len(frame):
        expected = figures(frame.assign(times=weights), sample_weight="times")
    else:
        expected = figures(frame)
    names = ["estimate", "ci_low", "ci_high"]
    assert_allclose(figures(changed)[names], expected[names], rtol=1e-6)


def test_groups_clusters_and_streams():
    frame = made_ratings(90).assign(site=list("xyz") * 30, student=np.arange(90) // 9)
    found = figures(frame, by="site")
    assert list(found.columns) == list(schema.PRMSE)
    assert_frame_equal(
        frame.groupby("site").kappa(n_resamples=40, rng=0).machine.prmse(["a", "b"], "machine"),
        found,
    )
    alone = figures(frame.query("site == 'y'"))
    assert_allclose(found.loc["y", FIGURES].astype(float), alone[FIGURES].iloc[0].astype(float))
    # as many clusters as items
    own = figures(frame.assign(item=np.arange(90)), cluster="item")
    assert_frame_equal(own, figures(frame))
    with pytest.warns(errors.FewClustersWarning):
        nested = figures(frame, cluster="student")
    assert_allclose(nested["estimate"], own["estimate"])
    assert nested["ci_low"].item() != own["ci_low"].item()
    assert not figures(frame, rng=1).equals(figures(frame))
    assert_frame_equal(figures(frame, rng=0), figures(frame))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_reasons_of_prmse():
    reasons = {
        "no_items": pd.DataFrame({"a": [nan], "b": [nan], "machine": [nan]}),
        "no_joint_items": pd.DataFrame({"a": [1, nan], "b": [2, nan], "machine": [nan, 1.0]}),
        "no_double_ratings": pd.DataFrame({"a": [1, nan], "b": [nan, 2], "machine": [1.0, 2]}),
        "n_lt_2": pd.DataFrame({"a": [1], "b": [2], "machine": [1.0]}),
        "no_true_variance": pd.DataFrame({"a": [1, 2], "b": [2, 1], "machine": [1.0, 2]}),
    }
    for reason, frame in reasons.items():
        found = figures(frame).iloc[0]
        assert found["reason"] == reason
        assert found[["estimate", "ci_low", "ci_high"]].isna().all()
    for n in (2, 40):  # nobody ever errs
        perfect = pd.DataFrame(dict.fromkeys(["a", "b", "machine"], np.arange(n) % 5))
        found = figures(perfect).iloc[0]
        assert (found["estimate"], found["reason"]) == (1, "no_variance")
        assert found[["ci_low", "ci_high"]].isna().all()
    alike = made_ratings(30).round(2).assign(a=0.1, b=0.1, group=np.arange(30) % 4)
    for far in (0, 1e9):  # a mean that rounding moves off them, and a machine in other units
        found = figures(alike.assign(machine=alike["machine"] + far), by="group")
        assert set(found["reason"]) == {"no_true_variance"}
    none = reasons["no_items"].assign(group="x").head(0)
    assert figures(none, by="group").empty
    few = pd.DataFrame({"a": [1, 3], "b": [1, 3], "machine": [1.0, 2]})
    assert figures(few, n_resamples=1)["reason"].item() == "undefined_resamples"
    assert figures(few, n_resamples=2, rng=5)["estimate"].notna().all()
    with pytest.warns(errors.UndefinedKappaWarning, match=r"^1 of 1 PRMSE is undefined"):
        figures(reasons["n_lt_2"])


def test_messages_of_prmse(refuses):
    frame = made_ratings(5)
    for wrong in (-1, nan, "0.5", True):
        message = (
            f"error_variance={wrong!r} must be a number from 0 upwards, in squared points of the "
            "scale, or None."
        )
        with pytest.raises(errors.OptionError, match=exactly(message)):
            figures(frame, error_variance=wrong)
    with refuses():
        figures(frame, sample_weight=[0.5, 1, 1, 1, 1], weight_type="frequency")
    with refuses(1):
        figures(frame, sample_weight=[2.0**54, 1, 1, 1, 1], weight_type="frequency")
    with refuses(2):
        figures(made_ratings(200).assign(g=range(200)), by="g", n_resamples=1_000_000)


INPUTS = {"pred_processed", "test_human_scores", "test_metadata"}


def test_no_figure_is_left_out():
    """Each cell of a table is compared once, whatever is in it."""
    held = Counter()
    for one in rsmtool.held():
        if one.data == "rsmtool":
            held[one.figure.partition(";")[0]] += one.n_values
    tables = {path.stem for path in FOLDER.glob("*.csv")} - INPUTS
    assert held == {name: read(name).select_dtypes("number").size for name in tables}


def test_columns_are_there_where_they_mean_something():
    frame = responses()
    alone = frame.kappa.machine.evaluate("h1", "scale")
    assert alone[["dsm", "disattenuated"]].isna().all(axis=None)
    assert frame.kappa.machine.evaluate("h1", "scale", by="L1")["dsm"].notna().all()
    found = frame.kappa.machine.evaluate(["h1", "h2"], "scale", categories=SCALE)
    assert found["disattenuated"].isna().tolist() == [True, False, True]
    none = frame.assign(h2=5 - frame["h1"])
    found = none.kappa.machine.evaluate(["h1", "h2"], "scale", categories=range(7))
    assert found["disattenuated"].isna().all()


@pytest.mark.parametrize("of_correlation", [True, False])
def test_without_an_item_nothing_varies_and_its_influence_is_the_derivative(of_correlation):
    """The others are left out one by one, those that occur several times, too."""
    first, second = np.array([[0.0, 0.0, 0.0, 2.0], [1.0, 1.0, 1.0, 3.0]])
    if of_correlation:
        first = np.array([0.0, 1.0, 3.0, 2.0])
    else:
        second = np.array([0.0, 0.0, 0.0, 1.0])
    weight = np.array([2.0, 1.0, 4.0, 1.0])

    def value(weight):
        p = weight / weight.sum()
        (a, b), square = (one - p @ one for one in (first, second)), p @ (first - second) ** 2
        covariance, variances = p @ (a * b), (p @ a**2, p @ b**2)
        if of_correlation:
            return covariance / np.sqrt(np.prod(variances))
        return 1 - square / (sum(variances) + (p @ (first - second)) ** 2)

    n, one = weight.sum(), np.eye(4)
    left = [(n - 1) * (value(weight) - value(weight - one[i])) for i in range(3)]
    step = 1e-6 * one[3]
    slope = n * (value(weight + step) - value(weight - step)) / 2e-6
    scores, codes = np.unique([first, second], return_inverse=True)
    rows = RatingRows(codes.reshape(2, 4), weight, np.zeros(4, dtype=int), 1, len(scores))
    if of_correlation:
        found = core.correlation(rows, scores, 0.95)
        se = np.sqrt((weight @ np.append(left, slope) ** 2) / n / (n - 1))
        half = stdtrit(n - 1, 0.975) * se / (1 - value(weight) ** 2)
        assert_allclose(found.ci_low, np.tanh(np.arctanh(value(weight)) - half))
    else:
        assert_allclose(influence_of(rows, scores, DISTANCES["quadratic"])[1], [*left, slope])


def test_the_few_items_that_vary_are_left_out_one_by_one():
    """Kappa without each of three among 10^8 that are alike, in whole numbers."""
    weight, cells = np.array([10**8, 1, 1, 1]), [(0, 0), (0, 1), (1, 0), (1, 1)]

    def kappa(weight):
        n, items = int(weight.sum()), [*zip(weight.tolist(), cells, strict=True)]
        apart = sum(w for w, (a, b) in items if a != b)
        first, second = (sum(w for w, cell in items if cell[i]) for i in (0, 1))
        by_chance = first * (n - second) + second * (n - first)
        return 1 - Fraction(apart * n, by_chance)

    n = int(weight.sum())
    expected = [(n - 1) * (kappa(weight) - kappa(weight - one)) for one in np.eye(4, dtype=int)]
    rows = RatingRows(np.array(cells).T, weight.astype(float), np.zeros(4, dtype=int), 1, 2)
    found = influence_of(rows, np.array([0.0, 1.0]), DISTANCES["quadratic"])[1]
    assert_allclose(found, [float(one) for one in expected], rtol=1e-6, atol=1e-6)


def test_the_only_group_that_fails_is_named_in_words():
    """It was ('b',), as Python writes it."""
    essays = pdkappa.datasets.load_essays().query("essay_set < 4").copy()
    names = {1: "A letter to the paper", 2: "The mooring mast", 3: "A story of patience"}
    essays["prompt"] = essays["essay_set"].map(names)
    moved = (essays["machine"] + 2).clip(upper=6)
    data = essays.assign(machine=essays["machine"].where(essays["essay_set"] != 2, moved))
    found = data.kappa.machine.readiness(["human_1", "human_2"], "machine", by="prompt")
    told = [one.sentence for one in found.findings.findings]
    assert any("in The mooring mast: " in one for one in told)
    assert not any("(" in one for one in told)
