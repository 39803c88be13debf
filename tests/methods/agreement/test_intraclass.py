"""Intraclass correlations: printed values, other packages, laws, holes and edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

import pdkappa
from conftest import each, exactly, function_of
from elsewhere.published import TARGETS
from pdkappa.coefficients import intraclass_limits
from pdkappa.coefficients.intraclass_limits import Ratings, Squares
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.agreement import intraclass as core

nan = float("nan")
FORMS = ["ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"]
FIGURES = ["estimate", "se", "ci_low", "ci_high", "f", "df1", "df2", "p_value"]


def simulated(n_items, n_raters, holes=0.0, seed=0, spread=(1.0, 0.5, 1.0)):
    """Return scores made of items, raters and errors with these standard deviations."""
    rng = np.random.default_rng(seed)
    sizes = (n_items, 1), (1, n_raters), (n_items, n_raters)
    values = sum(sd * rng.normal(size=size) for sd, size in zip(spread, sizes, strict=True))
    return pd.DataFrame(values, columns=[f"r{i}" for i in range(n_raters)]).mask(
        rng.random(sizes[2]) < holes
    )


IN_R = """
suppressMessages({library(psych); library(lme4)})
for (data in list(list("targets", targets), list("few", few), list("worse", worse))) {
    found <- ICC(data[[2]], lmer = FALSE)$results
    tell(data[[1]], t(found[c("ICC", "lower bound", "upper bound", "F", "df1", "df2", "p")]))
}
exact <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
long <- function(wide) {
    wide <- as.matrix(wide)
    rows <- data.frame(y = c(wide), i = c(row(wide)), j = c(col(wide)))
    rows[!is.na(rows$y), ]
}
variances <- function(formula, data) {
    found <- as.data.frame(VarCorr(lmer(formula, data, control = exact)))$vcov
    c(found, sum(found))
}
for (data in list(list("holes", holes), list("zero", zero), list("large", large))) {
    rows <- long(data[[2]])
    tell(paste0("one_", data[[1]]), variances(y ~ 1 + (1 | i), rows))
    tell(paste0("two_", data[[1]]), variances(y ~ 1 + (1 | i) + (1 | j), rows))
}
"""


@pytest.mark.r
def test_it_is_what_psych_and_lme4_give(run_r):
    complete = {
        "targets": TARGETS,
        "few": simulated(9, 2),
        "worse": simulated(30, 5, spread=(0, 0, 1)),
    }
    holes = {
        "holes": simulated(40, 4, 0.3),
        "zero": simulated(25, 3, 0.2, 6, (1, 0, 2)),
        "large": simulated(3000, 8, 0.6),
    }
    theirs = run_r(IN_R, **complete, **holes)
    for name, frame in complete.items():
        ours = frame.kappa.icc(ci="f")[[one for one in FIGURES if one != "se"]]
        np.testing.assert_allclose(ours, theirs[name].reshape(6, 7), atol=1e-8, err_msg=name)
    for name, frame in holes.items():
        alone, (items, raters, _, whole) = theirs[f"one_{name}"], theirs[f"two_{name}"]
        expected = [alone[0] / alone[2], items / whole, items / (whole - raters)]
        ours = frame.kappa.icc()["estimate"].head(3)
        np.testing.assert_allclose(ours, expected, atol=1e-6, err_msg=name)
    assert theirs["two_zero"][1] < 1e-9  # of the raters


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("ci", ["auto", "f", "percentile"])
def test_scores_that_agree_as_little_as_they_can(ci):
    frame = pd.DataFrame({"ann": [1.0, 2, 3, 4, 5, 7], "bob": [7.0, 6, 5, 4, 3, 1]})
    options = {"ci": ci} | ({"rng": 0} if ci == "percentile" else {})
    found = function_of("icc")(frame, **options)
    assert found["estimate"].tolist() == pytest.approx([-1, -1.4, -1, *3 * [np.nan]], nan_ok=True)
    assert not np.isinf(found[["se", "ci_low", "ci_high"]]).any(axis=None)
    three = function_of("icc")(frame.assign(eve=[1.0, 2, 1, 1, 2, 1]), **options)
    assert three.loc["ICC(1,k)", "estimate"] < -1


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@settings(max_examples=6)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 10_000))
@each("holes", [0.0, 0.2])
def test_order_and_units(n_items, n_raters, seed, holes):
    frame = simulated(n_items, n_raters, holes, seed)
    names = list(frame.columns)
    moved = 3 * frame.sample(frac=1, random_state=seed) + 100
    for options in ({"ci": "f"}, {}):
        found = frame.kappa.icc(names, **options)
        turned = moved.kappa.icc(names[::-1], **options)
        assert_frame_equal(found, turned, rtol=1e-5, atol=1e-5)
    known = found.dropna()
    assert (known["ci_low"] <= known["estimate"]).all()
    assert (known["estimate"] <= known["ci_high"]).all()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each("missing", ["pairwise", "listwise"])
def test_no_ratings_at_all(missing):
    found = pd.DataFrame(np.full((3, 2), np.nan)).kappa.icc(missing=missing)
    assert set(found["reason"]) == {"no_items"}


def test_complete_ratings_are_a_special_case_of_those_with_holes():
    """Mean squares are REML where no variance is negative; and a hole hardly matters."""
    values = simulated(40, 4).to_numpy()
    values = values - values.mean()
    rated, count = np.ones(values.T.shape, dtype=bool), np.ones(40)
    rows = RatingRows(rated.astype(int) - 1, count, np.zeros(40, dtype=int), 1, 1)
    found = core.analyse(rows, values.T)
    by_reml = core._with_holes(values.T, rated, count)
    for squares, others in zip((found.one_way, found.two_way), by_reml, strict=True):
        kept = squares if squares is found.two_way else squares._replace(raters=squares.error)
        np.testing.assert_allclose(
            np.ravel(kept)[[0, 2, 3, 5, 7]], np.array(others)[[0, 2, 3, 5, 7]]
        )
    frame = pd.DataFrame(values)
    holed = frame.mask((frame.index.to_numpy()[:, None] == 0) & (frame.columns == 0))
    for option in FIGURES[:4]:
        apart = frame.kappa.icc()[option] - holed.kappa.icc()[option]
        assert apart.abs().max() < 0.05, option


def test_the_test_of_a_null_is_the_interval_turned_round():
    """At the estimate F is 1, and at the lower limit p is .025.

    The degrees of freedom of ICC(A,1) are those of the null in a test, and of the estimate in an
    interval.
    """
    found = TARGETS.kappa.icc(ci="f", null=0.0)
    for form in FORMS:
        row = found.loc[form]
        at_estimate = TARGETS.kappa.icc(ci="f", null=row["estimate"]).loc[form]
        assert at_estimate["f"] == pytest.approx(1), form
        if row["ci_low"] > 0 and "A" not in form:
            p = TARGETS.kappa.icc(ci="f", null=row["ci_low"]).loc[form, "p_value"]
            assert p == pytest.approx(0.025, abs=1e-9), form
    wide = TARGETS.kappa.icc(ci="f", confidence_level=0.99)
    assert (wide["ci_low"] < found["ci_low"]).all()
    assert (wide["ci_high"] > found["ci_high"]).all()


def test_the_errors_are_those_of_large_samples():
    """Standard errors match the spread of estimates, and limits of 95% their share."""
    n_samples, n_items = 300, 60
    frame = simulated(n_samples * n_items, 3, 0, 1, (1, 0, 1))
    bias = np.random.default_rng(2).normal(size=(n_samples, 3)).repeat(n_items, axis=0) * 0.2
    frame["sample"] = np.repeat(np.arange(n_samples), n_items)
    names = list(frame.columns[:3])
    alone, biased = (
        one.kappa.icc(names, by="sample").swaplevel()
        for one in (frame, frame.assign(**(frame[names] + bias)))
    )
    for form, truth in {"ICC(1,1)": 1 / 2, "ICC(A,1)": 1 / 2.04, "ICC(C,1)": 1 / 2}.items():
        one = (alone if "1,1" in form else biased).loc[form]
        assert 0.9 < one["se"].mean() / one["estimate"].std() < 1.1, form
        covered = ((one["ci_low"] < truth) & (truth < one["ci_high"])).mean()
        assert 0.92 < covered < 0.98, form


def by_hand(frame, options, k):
    """Leave out item by item, and compute limits of ICC(1,1) and ICC(C,1) from pseudo-values."""
    forms = ["ICC(1,1)", "ICC(C,1)"]

    def theta(some, part):
        rho = some.kappa.icc(list("abc"), ci="f", **part).loc[forms, "estimate"].to_numpy()
        return np.log((1 + (k - 1) * rho) / (1 - rho))

    parts = [frame.drop(index=i) for i in frame.index]
    without = np.array([theta(one, {n: one[n] for n in options}) for one in parts])
    whole, n = theta(frame, {n: frame[n] for n in options}), len(frame)
    return forms, whole, n, whole - without


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_limits_come_from_the_ratings_without_each_item(holes):
    """As in the definition; with holes the likelihood is nearly solved without each."""
    frame = simulated(30, 3, holes, 5).set_axis(list("abc"), axis=1)
    found = frame.kappa.icc()
    k = found.loc["ICC(1,1)", "ratings_per_item"]
    forms, whole, n, apart = by_hand(frame, [], k)
    pseudo = whole + (n - 1) * apart
    centre, se = pseudo.mean(axis=0), pseudo.std(axis=0, ddof=1) / np.sqrt(n)
    kurtosis = stats.kurtosis(apart, axis=0, fisher=False)
    df = np.minimum(2 * n / (kurtosis - 1), n - 1)
    low = np.exp(centre - stats.t(df).ppf(0.975) * se)
    close = {"rtol": 1e-9 if holes == 0 else 0.02}
    np.testing.assert_allclose(found.loc[forms, "df"], df, **close)
    np.testing.assert_allclose(found.loc[forms, "ci_low"], (low - 1) / (low + k - 1), **close)
    p_value = stats.t(df).sf(centre / se)
    np.testing.assert_allclose(found.loc[forms, "p_value"], p_value, rtol=close["rtol"] * 20)
    # Items that belong together: sums of what each does.
    cluster = np.arange(n) // 2
    nested = frame.kappa.icc(cluster=cluster)
    sums = np.add.reduceat(apart - apart.mean(axis=0), np.arange(0, n, 2)) * (n - 1) / n
    se = np.sqrt(15 / 14 * (sums**2).sum(axis=0))
    df = np.minimum(2 * 15 / (15 * (sums**4).sum(axis=0) / (sums**2).sum(axis=0) ** 2 - 1), 14)
    low = np.exp(centre - stats.t(df).ppf(0.975) * se)
    np.testing.assert_allclose(nested.loc[forms, "ci_low"], (low - 1) / (low + k - 1), **close)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_equal_fractions_count_as_often_as_they_occur_in_any_order():
    """Complete ones are not sorted, but for resamples, which are drawn by their places."""
    fractions = pd.DataFrame(np.random.default_rng(8).normal(size=(12, 3)))
    times = [1, 2, 3] * 4
    every = fractions.loc[fractions.index.repeat(times)].sample(frac=1, random_state=1)
    found = every.kappa.icc()
    weighted = fractions.kappa.icc(sample_weight=times)
    assert_frame_equal(found, weighted, rtol=1e-9, check_dtype=False)
    twice, half = pd.concat([fractions, fractions]), np.full(24, 0.5)
    halves = twice.kappa(weight_type="frequency").icc(sample_weight=half)
    assert_frame_equal(halves, fractions.kappa.icc(), rtol=1e-9, check_dtype=False)
    drawn = (one.kappa(n_resamples=99, rng=1).icc(ci="percentile") for one in (every, every[::-1]))
    assert_frame_equal(*drawn)


def test_items_that_stand_twice_are_one_cluster():
    """Their limits are those of the items; and so are those of items with sampling weights of 1."""
    frame = simulated(40, 3, 0, 5)
    twice, names = pd.concat([frame, frame], ignore_index=True), list(frame.columns)
    columns = ["estimate", "ci_low", "ci_high", "df"]
    once, nested = frame.kappa.icc(), twice.kappa.icc(cluster=np.tile(np.arange(40), 2))
    np.testing.assert_allclose(nested[columns], once[columns], rtol=0.03, atol=0.01)
    sampled = frame.assign(w=1.0).kappa(weight_type="probability").icc(names, sample_weight="w")
    assert_frame_equal(sampled[columns], once[columns], rtol=1e-9)


@each("ci", ["auto", "f", "bca"])
def test_p_is_the_level_at_which_the_lower_limit_is_the_null(ci):
    frame = simulated(25, 3, 0, 2)
    options = {"ci": ci} | ({"rng": 1} if ci == "bca" else {})
    for null in (0.0, 0.3, 0.7):
        found = function_of("icc")(frame, null=null, **options)
        for form in set(FORMS) - ({"ICC(A,1)", "ICC(A,k)"} if ci == "f" else set()):
            p_value = found.loc[form, "p_value"]
            if 1e-3 < p_value < 0.5:
                level = 1 - 2 * p_value
                there = function_of("icc")(frame, confidence_level=level, **options).loc[
                    form, "ci_low"
                ]
                assert there == pytest.approx(null, abs=2e-3 if ci == "bca" else 1e-6), form


@each("form", FORMS)
def test_a_limit_is_the_null_that_is_rejected_at_its_level(form):
    """Of one side: the lower limit of the level .8 has p = .1, the upper one .9."""
    frame = simulated(25, 3, spread=(2, 1, 1))
    limits = frame.kappa.icc(confidence_level=0.8).loc[form, ["ci_low", "ci_high"]]
    found = [frame.kappa.icc(null=null).loc[form, "p_value"] for null in limits]
    np.testing.assert_allclose(found, [0.1, 0.9], rtol=1e-6)


def test_long_tails_and_raters_who_differ():
    """F covers .87 and .8 of samples here; limits from the items hold, also those of A."""
    rng, n_samples, n = np.random.default_rng(3), 200, 60
    items = np.repeat(rng.lognormal(0, 0.5, (n_samples * n, 1)), 3, axis=1)
    items = (items - np.exp(0.125)) / np.sqrt((np.exp(0.25) - 1) * np.exp(0.25))
    errors, raters = rng.normal(size=items.shape), rng.normal(size=(n_samples, 3))
    frame = pd.DataFrame(items + errors, columns=list("abc"))
    frame["sample"] = np.repeat(np.arange(n_samples), n)
    apart = frame.copy()
    apart[list("abc")] += 0.7 * raters.repeat(n, axis=0)
    for form, data, truth in (("ICC(1,1)", frame, 1 / 2), ("ICC(A,1)", apart, 1 / 2.49)):
        covered = {}
        for ci in ("auto", "f"):
            found = data.kappa.icc(list("abc"), by="sample", ci=ci).xs(form, level="form")
            covered[ci] = ((found["ci_low"] < truth) & (truth < found["ci_high"])).mean()
        assert covered["f"] < 0.91 < covered["auto"] < 0.985, (form, covered)


def test_groups_are_as_if_alone():
    """Complete ones, one by other raters than the rest, one with holes, and one without ratings."""
    frame = simulated(60, 4).assign(set=np.repeat(["a", "b", "c", "d"], 15))
    names = list(frame.columns[:4])
    frame.loc[frame["set"] == "b", names[:2]] = nan
    frame.loc[31:36, names[1]] = nan
    frame.loc[frame["set"] == "d", names] = nan
    with pytest.warns(
        pdkappa.errors.UndefinedKappaWarning, match=r"^6 of 24 .*ICC\(1,1\) at d \(no_items"
    ):
        found = frame.kappa.icc(names, by="set")
    assert found.index.names == ["set", "form"]
    for one, part in frame[frame["set"] != "d"].groupby("set"):
        expected = part[names].dropna(axis=1, how="all").kappa.icc()
        assert_frame_equal(found.loc[one], expected, rtol=1e-9)
    assert found["n_raters"].tolist() == [4] * 6 + [2] * 6 + [4] * 6 + [0] * 6
    per_item = found["ratings_per_item"].iloc[[0, 6, 12]]
    assert per_item.round(3).tolist() == [4, 2, 15 / (9 / 4 + 6 / 3)] or per_item.iloc[2] < 4
    assert set(found.loc["d", "reason"]) == {"no_items"}


ALIKE = [[1, 1, 1], [2, 2, 2], [4, 4, 4]]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each(
    ("rows", "estimates", "reasons"),
    [
        ([[1, 2]], [nan] * 3, ["n_lt_2"] * 3),
        ([[1, nan], [nan, 2], [3, nan]], [nan] * 3, ["no_joint_items"] * 3),
        ([[2, 2], [2, 2]], [nan] * 3, ["constant_ratings"] * 3),
        ([[2, 2], [2, 2], [2, nan]], [nan] * 3, ["constant_ratings"] * 3),
        ([[1, 2], [1, 2], [1, 2]], [-1, 0, nan], ["no_variance"] * 3),
        ([[1, 3], [2, 2], [3, 1]], [-1, -3, -1], ["no_variance"] * 3),
        (
            [[1.1, 4.4], [2.2, 3.3], [3.3, 2.2], [4.4, 1.1]],
            [-1, -2, -1],
            ["no_variance"] * 3,
        ),  # by rounding
        ([[1, 3, nan], [2, nan, 4]], [0, nan, nan], ["", "few_items", "few_items"]),
        (ALIKE, [1, 1, 1], ["no_variance"] * 3),
        ([*ALIKE, [3, nan, 3]], [1, 1, 1], ["no_variance"] * 3),
        ([[1, 2], [2, 3], [4, 5]], [25 / 31, 14 / 17, 1], ["", "no_variance", "no_variance"]),
        ([[1, 2, 4], [2, 3, 5], [4, nan, 7]], [0.308, 0.5, 1], ["", "no_variance", "no_variance"]),
    ],
)
def test_what_is_undefined_has_a_reason(rows, estimates, reasons):
    frame = pd.DataFrame(rows, columns=list("abc")[: len(rows[0])], dtype=float)
    found = frame.kappa.icc(list(frame.columns), ci="f")
    assert found["reason"].tolist() == reasons * 2
    np.testing.assert_allclose(found["estimate"].head(3), estimates, atol=1e-3)
    has_limits = (found["reason"] == "").to_numpy()
    assert (found[FIGURES].notna().all(axis=1).to_numpy() == has_limits).all()


def test_remarks_and_what_has_no_limits():
    """A single item that differs, two raters, and an item that holds all of the variance."""
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7], "b": [1, 2, 3, 4, 5, 6, 9]})
    found = frame.kappa.icc()
    assert set(found["reason"]) == {"undefined_without"}
    assert found[["ci_low", "p_value", "df"]].isna().all(axis=None)
    assert found["f"].notna().all()
    two = simulated(200, 2, 0, 3).kappa.icc()["remark"]
    told = "two raters say little of how raters differ: limits and test are approximate"
    assert two.to_list() == ["", told, ""] * 2
    far = simulated(200, 3, 0, 3)
    far.iloc[0] += 30
    told = (
        "fewer than 10 degrees of freedom: a few items decide, and limits and test are approximate"
    )
    assert set(far.kappa.icc()["remark"]) == {told}


def test_few_degrees_of_skewed_items_have_a_remark():
    rng = np.random.default_rng(5)
    means = np.round(2 * rng.lognormal(0, 0.5, 120), 1)
    frame = pd.DataFrame({rater: means + rng.normal(size=120) for rater in "abc"})
    found = frame.kappa.icc(list("abc"))
    assert found["df"].between(10, 20).all()
    assert stats.skew(frame.mean(axis=1)) > 0.5
    frame["text"] = np.arange(120)
    told = (
        "fewer than 20 degrees of freedom of skewed items: a few decide, and limits and test are "
        "approximate"
    )
    assert set(found["remark"]) == {told}
    assert set(frame.kappa.icc(list("abc"), cluster="text")["remark"]) == {told}
    assert set((-frame[list("abc")]).kappa.icc()["remark"]) == {told}
    assert set(frame.kappa.icc(list("abc"), ci="f")["remark"]) == {""}
    normal = simulated(60, 3, 0, 3).kappa.icc()
    assert set(normal["remark"]) == {""}


def test_skewness_is_that_of_means_of_items_or_of_clusters():
    rng = np.random.default_rng(5)
    scores, rated = rng.exponential(size=(3, 40)), rng.random((3, 40)) < 0.8
    rated[0] = True
    scores, count = np.where(rated, scores, 0.0), rng.integers(1, 4, 40).astype(float)
    mean = scores.sum(axis=0) / rated.sum(axis=0)
    of_items = Ratings(scores, rated, count, None).skewness
    assert of_items == pytest.approx(stats.skew(np.repeat(mean, count.astype(int))))
    cluster = np.arange(40) // 5
    by_cluster = [np.average(mean[cluster == c], weights=count[cluster == c]) for c in range(8)]
    of_clusters = Ratings(scores, rated, count, cluster).skewness
    assert of_clusters == pytest.approx(stats.skew(by_cluster))


def test_what_is_refused(refuses):
    frame = TARGETS.assign(site="x")
    for null in (1, -0.1, "0", nan):
        message = f"null={null!r} must be at least 0 and below 1."
        with pytest.raises(pdkappa.errors.OptionError, match=exactly(message)):
            frame.kappa.icc(null=null)
    with pytest.raises(pdkappa.errors.RatingTypeError, match=r"^Scores must be numbers, got 'no'"):
        pd.DataFrame({"a": ["no", "yes"], "b": ["no", "no"]}).kappa.icc()
    with pytest.raises(pdkappa.errors.RatingsError, match="missing rating"):
        frame.mask(frame == 9).kappa.icc(list(TARGETS.columns), missing="raise")
    crowd = pd.DataFrame(np.eye(3, 301)).mask(np.eye(3, 301) == 1)
    with refuses():
        crowd.kappa.icc(list(crowd.columns))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_a_single_cluster_has_an_estimate_and_no_limits():
    frame = simulated(12, 3, 0, 5)
    found = frame.kappa.icc(cluster=np.ones(12))
    np.testing.assert_array_equal(found["estimate"], frame.kappa.icc()["estimate"])
    assert found[["se", "ci_low", "ci_high", "p_value"]].isna().to_numpy().all()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_rater_who_rated_nothing_in_a_group_is_none_of_its_raters():
    frame = simulated(40, 4, 0.2, 5).assign(site=np.repeat(["x", "y"], 20))
    names = [name for name in frame.columns if name != "site"]
    frame.loc[frame["site"] == "y", names[0]] = np.nan
    found = frame.kappa.icc(names, by="site").xs("y", level="site")
    alone = frame[frame["site"] == "y"].kappa.icc(names[1:])
    assert_frame_equal(found, alone, check_names=False, rtol=1e-9)


@each("holes", [0.0, 0.2])
def test_what_limits_are_made_of_are_the_estimates(holes):
    frame = simulated(30, 3, holes, spread=(2, 1, 1)).dropna(how="all")
    rated = frame.notna().to_numpy().T
    scores = np.where(rated, frame.to_numpy().T - np.nanmean(frame), 0.0)
    ratings = Ratings(scores, rated, np.ones(len(frame)), None)
    found = ratings.correlations(ratings.added.sum(axis=0)[None])[0]
    np.testing.assert_allclose(found, frame.kappa.icc().loc[FORMS[:3], "estimate"], rtol=1e-4)


def test_parts_of_many_items_count_them_as_often_as_they_occur(monkeypatch):
    monkeypatch.setattr(intraclass_limits, "LARGEST", 1)
    rng = np.random.default_rng(4)
    count, rated = rng.integers(1, 5, 100).astype(float), rng.random((3, 100)) < 0.8
    ratings = Ratings(rng.normal(size=(3, 100)), rated, count, None)
    merged, times, _ = ratings.by_parts()
    assert len(merged) < 100
    np.testing.assert_allclose(times @ merged, count @ ratings.added)


def test_parts_of_many_items_cut_no_cluster(monkeypatch):
    monkeypatch.setattr(intraclass_limits, "LARGEST", 1)
    rng = np.random.default_rng(3)
    cluster = rng.permutation(np.repeat(np.arange(50), 2))
    rated = rng.random((3, 100)) < 0.8
    ratings = Ratings(rng.normal(size=(3, 100)), rated, np.ones(100), cluster)
    merged, count, parts = ratings.by_parts()
    assert 1 < len(merged) <= 50
    np.testing.assert_array_equal(parts, np.arange(len(merged)))
    np.testing.assert_allclose(count @ merged, ratings.count @ ratings.added)
    order, name = rng.permutation(100), rng.permutation(50)
    other = Ratings(ratings.scores[:, order], rated[:, order], np.ones(100), name[cluster[order]])
    assert_allclose(other.by_parts()[0], merged, atol=1e-12)


def test_parts_hold_whole_clusters(monkeypatch):
    """Both scores of cluster c are 3**c, so that the digits of a sum say what it is made of."""
    monkeypatch.setattr(intraclass_limits, "LARGEST", 1)
    cluster = np.repeat(np.arange(30), 2)
    rated = np.ones((3, 60), dtype=bool)
    rated[2, 0] = False
    scores = np.where(rated, 3.0**cluster, 0.0)
    totals = Ratings(scores, rated, np.ones(60), cluster).by_parts()[0][:, -4].astype(int)
    digits = [np.base_repr(one, 3) for one in totals]
    assert len(digits) == 20
    assert set("".join(digits)) <= {"0", "2"}
    assert "".join(digits).count("2") == 30


@each("in_clusters", [False, True])
def test_parts_err_as_items_do(monkeypatch, in_clusters):
    """Parts of items that are alike erred several times as much."""
    frame = simulated(600, 6, 0.3, spread=(2, 1, 1)).dropna(how="all")
    cluster = {"cluster": np.arange(len(frame)) // 2} if in_clusters else {}
    whole = frame.kappa.icc(**cluster)["se"]
    monkeypatch.setattr(intraclass_limits, "LARGEST", 100 * 220)
    assert_allclose(frame.kappa.icc(**cluster)["se"], whole, rtol=0.2)


def test_what_raters_who_differ_add_to_the_error():
    """By a difference quotient: their variance is a chi-squared variable of three degrees."""
    items, raters, error, k, n = 9.0, 40.0, 1.5, 3.5, 20.0
    beyond, step = raters - error, 1e-5

    def theta(variance):
        return np.log1p(k * (items - error) / (k * error + k / n * variance))

    squares = Squares(items, raters, error, k, n, n_raters=4.0)
    slope = (theta(beyond * (1 + step)) - theta(beyond * (1 - step))) / (2 * step)
    assert squares.variance == pytest.approx(slope**2 * 2 / 3, rel=1e-7)
    for tail in (0.025, 0.975):
        other = beyond * 3 / stats.chi2.isf(tail, 3)
        assert squares.away(tail) == pytest.approx(abs(theta(beyond) - theta(other)), rel=1e-12)


def test_a_single_degree_of_freedom_tells_errors_from_items_and_raters():
    """By the mean squares of two items by two raters, centred at zero."""
    scores = np.array([[-3.0, 2.0], [-2.2, 3.2]])
    within = (scores[0] - scores[1] - (scores[0] - scores[1]).mean()) ** 2
    error = within.sum() / 2
    items = 2 * scores.mean(axis=0).var(ddof=1)
    raters = 2 * scores.mean(axis=1).var(ddof=1)
    expected = [error, (items - error) / 2, (raters - error) / 2]
    sums = intraclass_limits.sums_of(scores, np.ones((2, 2), dtype=bool))
    whole = sums.like(sums.flat().sum(axis=0)[None])
    [found] = intraclass_limits.components(whole, of_raters=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@each("form", [core.consistency, core.absolute])
def test_errors_of_normal_scores_are_those_of_the_delta_method(form):
    """By difference quotients: the variance of a mean square is twice its square over its df."""
    squares = core.MeanSquares(*np.array([9.0, 14.0, 1.5, 4.0, 20.0, 19.0, 3.0, 57.0])[:, None])
    none, variance = np.zeros(1), 0.0
    for name in ("items", "raters", "error"):
        value, df = getattr(squares, name), getattr(squares, f"df_{name}")
        high, low = (
            form(squares._replace(**{name: value * (1 + step)}), none, 0.95).estimate
            for step in (1e-5, -1e-5)
        )
        variance += ((high - low) / 2e-5) ** 2 * 2 / df
    np.testing.assert_allclose(form(squares, none, 0.95).se ** 2, variance, rtol=1e-7)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each("unit", [1, 10, 0.1, 1 / 3])
def test_items_that_do_not_vary_without_one_of_them_have_no_limits_in_any_unit(unit):
    """Rounding leaves some variance of them in some units, and none in others."""
    scores = pd.DataFrame([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]])
    found = (scores * unit).kappa.icc()
    assert found.loc["ICC(1,1)", "reason"] == "undefined_without"
    assert found.loc["ICC(1,1)", ["se", "ci_low", "ci_high", "p_value"]].isna().all()


@each("seed", range(30))
def test_weights_whose_sums_are_rounded_leave_complete_ratings_complete(seed):
    """Of which ICC may be below zero, where variances of ratings with holes are not."""
    rng = np.random.default_rng(seed)
    scores = rng.permuted(np.tile([1.0, 2, 4], (20, 1)), axis=1) + rng.normal(0, 0.3, (20, 1))
    weights = rng.uniform(0.5, 1.5, 20)
    options = {"sample_weight": weights, "weight_type": "probability"}
    found = function_of("icc")(pd.DataFrame(scores, columns=list("abc")), **options)
    items, raters = scores.mean(axis=1), np.average(scores, axis=0, weights=weights)
    apart = scores - items[:, None] - raters + raters.mean()
    between = 3 * np.average((items - raters.mean()) ** 2, weights=weights) * 20 / 19
    error = np.average(apart**2, axis=0, weights=weights).sum() * 20 / 38
    expected = (between - error) / (between + 2 * error)
    assert expected < 0
    assert_allclose(found["estimate"]["ICC(C,1)"], expected, atol=1e-9)
