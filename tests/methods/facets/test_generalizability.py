"""Generalizability studies: components, coefficients, projections, gauge repeatability."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each, raising
from elsewhere import designs
from elsewhere.designs import read
from pdkappa.methods.facets.components import FIGURES, MOST_EXACT, Blocks, Fit

CALL = {"rating": "score", "item": "person", "facets": ["task", "rater"]}


def study(frame, **options):
    return frame.kappa.generalizability(**(CALL | options))


def crossed(n=(12, 3, 4), holes=0.0, seed=0, repeats=1):
    """Return scores of persons x tasks x raters, some of which are missing."""
    rng = np.random.default_rng(seed)
    person, task, rater, _ = (x.ravel() for x in np.indices((*n, repeats)))
    score = rng.normal(size=n[0])[person] + 0.6 * rng.normal(size=n[1])[task]
    score += 0.7 * rng.normal(size=n[:2])[person, task] + 0.4 * rng.normal(size=n[2])[rater]
    score += 0.8 * rng.normal(size=len(person))
    frame = pd.DataFrame({"person": person, "task": task, "rater": rater, "score": score})
    return frame[rng.random(len(frame)) >= holes]


def fit_of(frame, **options):
    """Return the design and components of a frame."""
    [fit] = study(frame, **options).fits
    return fit


def test_outside_values():
    held = [*designs.studies(), *designs.gauges()]
    assert [one for one in held if not one.holds] == []
    assert len(held) == 164


def test_a_gauge_has_the_units_of_the_scores():
    frame, known = read("gauge_houf")
    gauge = frame.kappa.generalizability(**known["call"]).gauge(tolerance=8)
    np.testing.assert_allclose(gauge["study_variation"], 6 * gauge["sd"])
    np.testing.assert_allclose(gauge["share_of_tolerance"], gauge["sd"] * 6 / 8)
    assert gauge.loc["total", "contribution"] == 1


def test_the_interaction_is_pooled_by_its_f_test_alone():
    frame, known = read("gauge_aiag")
    found = frame.kappa.generalizability(**known["call"])
    p = known["p_interaction"]
    assert "part x operator" in found.gauge(pool=p + 1e-6).index
    assert "part x operator" not in found.gauge(pool=p - 1e-6).index


@each("holes", [0.0, 0.3])
def test_what_components_add_to_sums_of_squares_is_a_trace(holes):
    """E y' A y is tr A V, with A the projection on the levels of an effect less the mean."""
    design = fit_of(crossed((5, 3, 4), holes)).design
    marks = [np.eye(int(one.level.max()) + 1)[one.level] for one in design.effects]
    for a, ours in zip(marks, design.expected, strict=True):
        project = a @ np.diag(1 / a.sum(axis=0)) @ a.T - 1 / design.n
        np.testing.assert_allclose(ours, [np.trace(project @ b @ b.T) for b in marks], atol=1e-9)


def test_the_restricted_likelihood_is_the_dense_one_and_so_are_its_slopes():
    fit = fit_of(crossed((6, 3, 4), 0.3))
    design, y = fit.design, fit.scores / fit.scores.std()
    one = np.ones((len(y), 1))
    marks = [np.eye(int(e.level.max()) + 1)[e.level] for e in design.effects]

    def dense(variances):
        v = sum(x * b @ b.T for x, b in zip(variances, marks, strict=True))
        inverse = np.linalg.inv(v)
        middle = one.T @ inverse @ one
        p = inverse - inverse @ one @ one.T @ inverse / middle
        logs = np.linalg.slogdet(v)[1] + np.log(middle.item())
        return (logs + y @ p @ y) / 2

    blocks, at = (
        Blocks(design, fit.scores),
        np.array([0.5, 0.3, 0.0, 0.2, 0.1, 0.4, 0.7])[: len(marks)],
    )
    at[-1] = 0.6
    value, slopes = blocks.deviance(at)
    assert value == pytest.approx(dense(at))
    steps = 1e-6 * np.eye(len(at))
    numeric = [(dense(at + step) - dense(at - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(slopes, numeric, rtol=1e-5, atol=1e-5)


@each("budget", [MOST_EXACT, 7000])
def test_the_variance_of_mean_squares_is_the_dense_one(budget, monkeypatch):
    """Var y'Qy is 2 tr QVQV; what effects of many levels have in it alone is left to samples."""
    monkeypatch.setattr("pdkappa.methods.facets.components.MOST_EXACT", budget)
    design = fit_of(crossed((6, 3, 4), 0.3)).design
    marks = [np.eye(int(one.level.max()) + 1)[one.level] for one in design.effects]
    means = [a @ np.diag(1 / a.sum(axis=0)) @ a.T - 1 / len(a) for a in marks]
    few = set(design.few.tolist())
    assert (len(few) == len(marks)) == (budget == MOST_EXACT)
    for row, ours in zip(design.solve, design.traces, strict=True):
        q = np.tensordot(row, means, 1)
        told = [[np.trace(q @ b @ b.T @ q @ c @ c.T) for c in marks] for b in marks]
        left = [[b in few or c in few for c in range(len(marks))] for b in range(len(marks))]
        np.testing.assert_allclose(ours, np.multiply(told, left), atol=1e-9)


def test_limits_hold_an_estimate_that_counts_components_below_zero_as_zero():
    """Raters who are no facet here make trials look more alike than the residual allows."""
    levels = {"part": [0, 1], "who": [0, 1, 2], "trial": [0, 1]}
    frame = pd.MultiIndex.from_product(levels.values(), names=levels).to_frame(index=False)
    frame["score"] = 2.0 * frame["part"] + frame["who"]
    study = frame.kappa.generalizability(rating="score", item="part", facets=["trial"])
    assert study.components["estimate"].min() < 0
    g, projected = study.coefficients.loc["g"], study.project(trial=5).iloc[0]
    for found in (g[["ci_low", "estimate", "ci_high"]], projected[["g_low", "g", "g_high"]]):
        low, middle, high = found
        assert low <= middle <= high
        assert middle < 1


def test_one_name_is_a_list_of_one():
    frame = crossed(holes=0.3)
    one = study(frame, facets="rater", fixed="rater", nested={"rater": "person"})
    several = study(frame, facets=["rater"], fixed=["rater"], nested={"rater": ["person"]})
    pd.testing.assert_frame_equal(one.coefficients, several.coefficients)
    assert [*one.components.index] == ["person", "rater:person", "residual"]


def test_one_lost_cell_leaves_the_degrees_of_freedom_about_those_that_are_counted():
    frame = crossed((30, 4, 5))
    fit, counted = fit_of(frame.iloc[1:], method="anova"), fit_of(frame).design.df
    assert not fit.design.is_balanced
    np.testing.assert_allclose(fit.df, counted, rtol=0.02)


def test_degrees_of_freedom_are_what_an_effect_spans_beyond_its_parts():
    """Counting levels would say 1, -1 or -24 where tables of two facets are not connected."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        frame = crossed(rng.integers(2, 6, 3), rng.uniform(0, 0.7), seed, 1 + seed % 2)
        if (frame.iloc[:, :3].nunique() < 2).any() or frame["person"].is_unique:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
            design = fit_of(frame, method="anova").design
        marks = [np.eye(int(one.level.max()) + 1)[one.level] for one in design.effects]
        for one, own, df in zip(design.effects, marks, design.df, strict=True):
            proper = [
                x
                for other, x in zip(design.effects, marks, strict=True)
                if other.factors < one.factors
            ]
            parts = np.hstack([np.ones((len(frame), 1)), *proper])
            whole = np.linalg.matrix_rank(np.hstack([parts, own]))
            assert df == whole - np.linalg.matrix_rank(parts), (seed, one.name)


def test_degrees_of_freedom_of_many_levels_are_not_said(monkeypatch):
    monkeypatch.setattr("pdkappa.methods.facets.components.MOST_COLUMNS", 10)
    found = study(crossed(holes=0.3), method="anova").components
    assert found["df"].isna().all()
    assert found[["estimate", "ci_low", "ci_high"]].notna().all(axis=None)


def test_fewer_scores_than_levels_of_interactions_are_enough():
    """The known figures are those of lmer, of lme4 1.1.31; 192 scores, some 220 such levels."""
    frame = crossed((40, 4, 4), 0.7, 1).round({"score": 3})
    known = [1.04030, 0.01908, 0.37399, 0.46543, 0.10411, 0.00935, 0.46539]
    found = study(frame).components
    np.testing.assert_allclose(found["estimate"], known, rtol=1e-3, atol=1e-3)
    assert found["df"].tolist() == [39, 3, 3, 84, 77, 9, 1]
    truth = [1, 0.36, 0.16, 0.49, 0, 0, 0.64]
    assert ((found["ci_low"] <= truth) & (truth <= found["ci_high"])).all()


def test_the_limits_of_few_raters_hold_where_cells_are_missing():
    """Their mean square may be small by chance; as a normal one its limits held in 87 %."""
    rng, hits = np.random.default_rng(5), []
    sizes, truth = (12, 3), [1, 0.3, 0.5, 0.5]
    item, rater = (x.ravel() for x in np.indices(sizes))
    while len(hits) < 100:
        frame = pd.DataFrame({"person": item, "rater": rater})
        frame = frame.loc[frame.index.repeat(rng.choice([0, 1, 1, 2], len(frame)))]
        parts = [rng.normal(size=12)[frame["person"]], rng.normal(size=3)[frame["rater"]]]
        parts += [
            rng.normal(size=sizes)[frame["person"], frame["rater"]],
            rng.normal(size=len(frame)),
        ]
        frame["score"] = sum(np.sqrt(x) * one for x, one in zip(truth, parts, strict=True))
        found = study(frame, facets=["rater"], method="anova").components
        hits.append((found["ci_low"] <= truth) & (truth <= found["ci_high"]))
    assert (np.mean(hits, axis=0) >= 0.92).all()


def test_the_mean_square_of_one_facet_is_no_difference_of_others():
    """It has 1.6 degrees of freedom here, and seven by its levels: it is small by chance."""
    fit = fit_of(crossed((15, 3, 8), 0.6, 5), method="anova")
    found = dict(zip(fit.design.names, fit.df, strict=True))
    assert found["rater"] == pytest.approx(1.5, abs=0.1)
    assert np.isnan(found["task x rater"])


def test_a_mean_square_that_is_a_difference_of_others_is_nearly_normal():
    """As a multiple of chi-squared with one degree it would reach hundreds of times as far."""
    fit = fit_of(crossed((40, 5, 4), 0.65), method="anova")
    place = fit.design.names.index("task x rater")
    assert np.isnan(fit.df).tolist() == [name == "task x rater" for name in fit.design.names]
    rng, positive = np.random.default_rng(0), fit.positive
    scores = sum(
        np.sqrt(one) * rng.normal(size=(int(n), 2000))[effect.level]
        for one, n, effect in zip(positive, fit.design.n_levels, fit.design.effects, strict=True)
    )
    squares = (fit.design.solve @ fit.design.sums_of_squares(scores))[place]
    assert fit.spread[place] == pytest.approx(squares.std(), rel=0.08)
    assert abs(((squares - squares.mean()) ** 3).mean() / squares.std() ** 3) < 0.7  # skewness
    away = squares.std() * np.array([-1.96, 1.96])
    found = fit.squares_at(np.array([[0.975, 0.025]]))[place] - fit.squares[place]
    np.testing.assert_allclose(found, away, rtol=0.08)
    components = fit.components()
    own = components.loc["task x rater"]
    assert own["ci_high"] < components["estimate"].sum()
    parts = np.linalg.inv(fit.design.factors)[place] ** 2
    of_others = np.delete(parts * 2 * fit.squares**2 / (fit.df + 2), place).sum()
    assert own["se"] == pytest.approx(np.sqrt(of_others + parts[place] * fit.spread[place] ** 2))


def test_the_error_of_components_is_that_of_brennan():
    """Of persons and raters, 2 MS**2 / (df + 2) of each mean square (2001, ch. 6)."""
    wide = crossed((12, 1, 4))["score"].to_numpy().reshape(12, 4)
    left = wide - wide.mean(axis=0) - wide.mean(axis=1)[:, None] + wide.mean()
    df = np.array([11, 3, 33])
    sizes = 4 * 12 * wide.mean(axis=1).var(), 12 * 4 * wide.mean(axis=0).var(), (left**2).sum()
    variance = 2 * (np.array(sizes) / df) ** 2 / (df + 2)
    told = [(variance[0] + variance[2]) / 16, (variance[1] + variance[2]) / 144, variance[2]]
    found = study(crossed((12, 1, 4)), facets=["rater"]).components
    np.testing.assert_allclose(found["se"], np.sqrt(told))


def test_levels_are_numbered_in_the_order_of_the_factors():
    """Samples of the model are drawn level by level, so that two sessions give the same limits."""
    frame = crossed((7, 3, 4), 0.3, repeats=2).assign(day=lambda df: df["person"] % 3 + df["rater"])
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        effects = fit_of(frame, facets=["task", "rater", "day"]).design.effects[:-1]
    assert len(effects) == 15
    for one in effects:
        names = [name for name in ("person", "task", "rater", "day") if name in one.factors]
        assert (one.level == frame.groupby(names).ngroup()).all(), one.name


def test_one_facet_is_the_intraclass_correlation():
    wide = pdkappa.datasets.load_anxiety()
    frame = wide.melt(var_name="rater", value_name="score", ignore_index=False)
    frame = frame.rename_axis("person").reset_index()
    found = study(frame, facets=["rater"]).project(rater=[1, 3])
    known = wide.kappa.icc()["estimate"]
    np.testing.assert_allclose(found["g"], known[["ICC(C,1)", "ICC(C,k)"]])
    np.testing.assert_allclose(found["phi"], known[["ICC(A,1)", "ICC(A,k)"]])


@each("holes", [0.0, 0.3])
def test_nothing_depends_on_the_order_of_rows_labels_or_the_unit(holes):
    frame = crossed(holes=holes)
    usual = study(frame)
    shuffled = study(frame.sample(frac=1, random_state=0))
    other = frame.assign(
        score=10 * frame["score"] + 50, rater=frame["rater"].map("dcab".__getitem__)
    )
    other = study(other)
    tolerance = 1e-9 if not holes else 2e-3
    for ours, factor in ((shuffled, 1), (other, 100)):
        names = ["estimate", "ci_low", "ci_high"]
        drawn = 0.05 if holes else 1e-9  # samples of the model follow the order of levels
        np.testing.assert_allclose(
            ours.components["estimate"],
            factor * usual.components["estimate"],
            rtol=tolerance,
            atol=1e-4,
        )
        np.testing.assert_allclose(
            ours.components[names],
            factor * usual.components[names],
            rtol=drawn,
            atol=0.05 * factor * bool(holes) + 1e-9,
        )
        np.testing.assert_allclose(
            ours.coefficients.loc["g", "estimate"],
            usual.coefficients.loc["g", "estimate"],
            rtol=tolerance,
        )


def test_labels_that_recur_are_nested_if_so_said_and_other_labels_by_themselves():
    frame, known = read("g_brennan_unbalanced")
    call = known["call"] | {"method": "anova"}
    told = frame.kappa.generalizability(**call)
    unique = frame.assign(i=frame["h"].astype(str) + frame["i"].astype(str))
    found = unique.kappa.generalizability(**(call | {"nested": None}))
    pd.testing.assert_frame_equal(found.components, told.components)
    assert "i:h" in told.components.index
    flat = frame.kappa.generalizability(**(call | {"nested": None}))
    assert "h x i" in flat.components.index


def test_a_layer_in_which_nothing_differs_adds_nothing():
    frame = crossed()
    outer = study(frame.assign(school=frame["rater"] % 2), facets=["task", "rater", "school"])
    assert "rater:school" in outer.components.index
    with_reml = study(
        frame.assign(school=frame["rater"] % 2), facets=["task", "rater", "school"], method="reml"
    )
    assert with_reml.components["estimate"].min() >= 0


def test_reml_of_balanced_scores_is_the_analysis_of_variance_if_none_is_below_zero():
    frame, known = read("g_brennan4")
    both = [frame.kappa.generalizability(**known["call"], method=m) for m in ("anova", "reml")]
    np.testing.assert_allclose(*(one.components["estimate"] for one in both), rtol=1e-5)


def test_estimates_below_zero_are_shown_and_count_as_zero():
    frame, known = read("gauge_aiag")
    found = frame.kappa.generalizability(**known["call"])
    components = found.components
    assert components.loc["part x operator", "estimate"] < 0
    assert components.loc["part x operator", "share"] == 0
    assert components["share"].sum() == pytest.approx(1)
    assert found.gauge().loc["part x operator", "estimate"] == 0


@each("seed", [0, 3, 4])
def test_an_estimate_below_zero_has_an_upper_limit_where_cells_are_missing(seed):
    """Two raters, some of whose scores are lost: their mean square is not that of nothing."""
    frame = crossed((20, 3, 2), 0.4, seed)
    components = study(frame, method="anova").components
    least = components["se"].min() / 100
    assert (components["ci_high"] > least).all()


def test_what_has_no_f_test_is_not_pooled():
    frame = crossed((60, 1, 8), 0.75, seed=1).assign(score=lambda df: df["score"] % 1)
    frame = pd.concat([frame, frame[::9]])
    fit = fit_of(frame, facets=["rater"], method="anova")
    fit.df = np.array([*fit.df[:2], np.nan, fit.df[3]])
    assert fit.pooled(1e-9) is fit


@each("name", designs.GAUGES)
def test_no_sum_of_variances_has_a_limit_below_its_parts(name):
    frame, known = read(name)
    gauge = frame.kappa.generalizability(**known["call"], method="anova").gauge()
    item = known["call"]["item"]
    parts = {"total_gauge": [*gauge.index.drop([item, "total", "total_gauge"])]}
    parts["total"] = [*gauge.index.drop("total")]
    for whole, some in parts.items():
        for end in ("ci_low", "ci_high"):
            assert gauge.loc[whole, end] >= gauge.loc[some, end].max()


@each("name", ["gauge_houf", "gauge_aiag"])
def test_a_gauge_has_the_modified_large_sample_limits_of_burdick_borror_and_montgomery(name):
    frame, known = read(name)
    gauge = frame.kappa.generalizability(**known["call"], method="anova").gauge()
    ours = gauge.loc["total_gauge", ["ci_low", "ci_high"]].to_numpy(dtype=float)
    np.testing.assert_allclose(ours, known["mls"]["total_gauge"], rtol=1e-9)


@each(
    ("size", "holes", "truth"),
    [
        ((20, 3, 2), 0.0, [1.0, 0.3, 0.2, 0.5, 0.3, 0.1, 1.0]),
        ((20, 3, 2), 0.2, [1.0, 0.3, 0.2, 0.5, 0.3, 0.1, 1.0]),
        ((25, 2, 2), 0.1, [0.6, 0.05, 0.02, 0.2, 0.1, 0.02, 1.5]),
    ],
)
def test_the_limits_of_a_total_hold_in_small_studies(size, holes, truth):
    """About a total of components none of which is below 0 they would hold in 78 % of the last.

    Draws of all mean squares together would hold in 92, 82 and 62 %.
    """
    rng, hits = np.random.default_rng(1), 0
    design = fit_of(crossed(size, holes), method="anova").design
    for _ in range(300):
        effects = zip(truth, design.effects, design.n_levels, strict=True)
        scores = sum(np.sqrt(x) * rng.normal(size=int(n))[one.level] for x, one, n in effects)
        fit = Fit(design, scores - scores.mean(), "anova", 0.95)
        low, high = fit.limits_of_sums(np.ones((1, 7)))[:, 0]
        hits += low <= sum(truth) <= high
    assert hits >= 276  # .92


def test_what_was_found_stands_first():
    pytest.importorskip("jinja2")
    frame, known = read("gauge_houf")
    found = frame.kappa.generalizability(**known["call"])
    assert found.findings.headline.startswith("part x operator: 10 part, 3 operator, 90 scores.")
    assert "g 0.99 [" in found.findings.top[1]
    gauge = found.gauge(tolerance=30)
    assert gauge.findings.headline == (
        "The gauge makes 19 % of the study variation and 27 % of the tolerance; "
        "classes that it tells apart: 7."
    )
    assert gauge.options["tolerance"] == 30
    for one in (found, gauge):
        assert repr(one).startswith(one.findings.headline[:50])
        assert one.findings.headline in one.to_html()
        assert one.remarks == []
    assert "by analysis of variance (Henderson, 1953)" in found.methods()
    for days in (["day"], ["day", "shift"]):
        twice = pd.concat([frame.assign(day=k, shift="a") for k in (1, 2)])
        grouped = twice.kappa.generalizability(**known["call"], by=days)
        assert "g 0.99 for ranks" in grouped.findings.top[1]
        assert "tells apart: 7." in grouped.gauge().findings.headline


@each("holes", [0.0, 0.3])
def test_a_projection_on_the_sizes_of_the_study_is_the_study(holes):
    found = study(crossed(holes=holes, repeats=2))
    same, sized = found.project().iloc[0], found.project(task=3, rater=4, repeats=2).iloc[0]
    assert sized["n_ratings"] == pytest.approx(24)
    for one in (same,) if holes else (same, sized):
        np.testing.assert_allclose([one[name] for name in FIGURES], found.coefficients["estimate"])
    assert (found.project(task=[1, 2, 9])["g"].diff().dropna() > 0).all()


def test_facets_that_are_not_named_keep_what_they_share_in_the_study():
    """Of effects without the facet that is named; the others are crossed with its levels."""
    fit = fit_of(crossed(holes=0.5, seed=3))
    design, shares = fit.design, fit.shares_of({"task": 6})
    known = dict(zip([one.factors for one in design.effects], design.shares, strict=True))
    for one, share in zip(design.effects, shares, strict=True):
        left = one.factors - {"task"}
        assert share == pytest.approx(known.get(left, 1.0) / (6 if left < one.factors else 1))


@each("holes", [0.0, 0.5])
def test_what_helps_most_is_said_of_the_study_itself(holes):
    """A facet that is fixed cannot have more levels, and what helps by nothing is not said."""
    frame = crossed((40, 3, 2), holes)
    found, fit = study(frame), fit_of(frame)
    twice = {}
    for name in ("task", "rater"):
        shares = [
            w / 2 if name in one.factors else w
            for one, w in zip(fit.design.effects, fit.design.shares, strict=True)
        ]
        twice[name] = fit.coefficients(np.array(shares)).loc["phi", "estimate"]
    best = max(twice, key=twice.get)
    told = f"- Twice as many levels of {best} help most: phi would be {twice[best]:.2f}."
    parts = found.components["estimate"]
    below = ", ".join(parts.index[parts < 0])
    assert [one for one in found.findings.top if "below" in one] == (
        [f"- Estimates below 0 count as 0: {below}."] if below else []
    )
    assert told in found.findings.top
    (other,) = {*twice} - {best}
    assert f"levels of {other} help" in " ".join(study(frame, fixed=best).findings.top)
    exact = frame.assign(score=frame["person"] * 1000.0 + frame["score"])
    assert len(study(exact).findings.top) == len(found.findings.top) - 1


def test_levels_are_compared_across_the_facet_that_items_are_in():
    frame, known = read("gauge_nested")
    frame["y"] += 10 * (frame["operator"] == "A")
    found = frame.kappa.generalizability(**known["call"])
    operator, part, error = found.components["estimate"]
    g, phi, relative, absolute, *_ = found.coefficients["estimate"]
    n = len(frame) / frame["part"].nunique()
    assert operator > 10
    np.testing.assert_allclose([relative**2, absolute**2], [error / n, error / n + operator])
    np.testing.assert_allclose([g, phi], [part / (part + x**2) for x in (relative, absolute)])


def test_a_nested_facet_that_is_not_named_keeps_its_size_in_each_level():
    frame, known = read("g_brennan4")
    found = frame.kappa.generalizability(**known["call"])
    for sizes in ({"task": 3}, {"rater": 4}):
        same = found.project(sizes).iloc[0]
        np.testing.assert_allclose([same[one] for one in FIGURES], found.coefficients["estimate"])
        assert same["n_ratings"] == pytest.approx(12)


def test_groups_are_as_alone():
    frame = pd.concat([crossed(seed=k).assign(year=k) for k in (1, 2)])
    found = study(frame, by="year")
    for year, own in frame.groupby("year"):
        alone = study(own)
        pd.testing.assert_frame_equal(found.components.loc[year], alone.components)
        pd.testing.assert_frame_equal(
            found.project(task=[2, 3]).loc[year], alone.project(task=[2, 3])
        )
        assert found.distinct_categories()[year] == alone.distinct_categories()
    assert found.distinct_categories().name == "distinct_categories"
    grouped = frame.groupby("year").kappa.generalizability(**CALL)
    pd.testing.assert_frame_equal(grouped.coefficients, found.coefficients)


def test_all_groups_have_one_method_which_is_told():
    """That of group 1 alone would be analysis of variance."""
    frame = pd.concat([crossed(holes=holes).assign(year=k) for k, holes in ((1, 0), (2, 0.3))])
    for some in (frame, frame[::-1]):
        found = study(some, by="year")
        assert found.findings.headline == (
            "person x task x rater, unbalanced: 2 groups. Components by REML."
        )
        assert "by restricted maximum likelihood" in found.methods()
        alone = study(frame[frame["year"] == 1], method="reml")
        np.testing.assert_allclose(
            found.components.loc[1, "estimate"], alone.components["estimate"], rtol=1e-4, atol=1e-5
        )


def test_what_cannot_be_told_apart_is_nan_with_its_reason():
    frame = crossed().assign(other=lambda df: df["rater"])
    found = warned_once(lambda: study(frame, facets=["task", "rater", "other"]), "15 of 15")
    for table in found.tables.values():
        assert table["estimate"].isna().all()
        assert (table["reason"] == "few_items").all()
    assert np.isnan(warned_once(found.distinct_categories, "18 of 18"))
    assert (warned_once(found.gauge, "18 of 18")["reason"] == "few_items").all()
    constant = warned_once(lambda: study(frame.assign(score=3)), "7 of 7")
    assert (constant.coefficients["reason"] == "constant_ratings").all()
    assert np.isnan(warned_once(constant.distinct_categories, "10 of 10"))
    assert warned_once(constant.gauge, "10 of 10")["estimate"].isna().all()
    assert warned_once(lambda: constant.project(task=[2, 3]), "2 of 2")["phi"].isna().all()


def warned_once(call, rows):
    """Return the result of a call that warns once, of so many rows that are undefined."""
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=f"^{rows} estimate") as told:
        found = call()
    assert len(told) == 1
    return found


SWAPPED = r"^There are 3 levels of 'operator' and 10 of 'part': are items and raters swapped\?$"


def test_items_and_facet_that_look_swapped():
    frame, known = read("gauge_aiag")
    call = known["call"] | {"item": "operator", "facets": ["part"]}
    found = frame.kappa.generalizability(**call)
    with pytest.warns(pdkappa.errors.LookalikeLabelsWarning, match=SWAPPED):
        found.gauge()


FRAME = crossed()
CALLS = {
    "one score an item": lambda: study(
        FRAME.groupby("person").sample(1, random_state=0), facets=["rater"]
    ),
    "one level": lambda: study(FRAME[FRAME["task"] == 0]),
    "one item": lambda: study(FRAME[FRAME["person"] == 0]),
    "no facet": lambda: study(FRAME, facets=[]),
    "nested as a list": lambda: study(FRAME, nested=["rater", "task"]),
    "a facet in a facet": lambda: study(FRAME, facets=[["rater"]]),
    "a facet twice": lambda: study(FRAME, facets=["rater", "rater"]),
    "the item as facet": lambda: study(FRAME, facets=["person"]),
    "a name that is taken": lambda: study(
        FRAME.rename(columns={"rater": "total"}), facets=["total"]
    ),
    "a group called as a column": lambda: study(FRAME.assign(figure=1), by="figure"),
    "a group called as a figure": lambda: study(FRAME.assign(g=1), by="g").project(),
    "no scores": lambda: study(FRAME.assign(score=np.nan)),
    "names that are one text": lambda: study(
        FRAME.rename(columns={"rater": 7}).assign(**{"7": 1}), facets=[7, "7"]
    ),
    "the name of an interaction": lambda: study(
        FRAME.rename(columns={"rater": "person x task"}), facets=["task", "person x task"]
    ),
    "the name of a figure": lambda: study(
        FRAME.rename(columns={"rater": "g_low"}), facets=["task", "g_low"]
    ),
    "one level in a group": lambda: study(
        FRAME.assign(year=FRAME["task"].eq(0)), facets=["rater", "task"], by="year"
    ),
    "a circle": lambda: study(FRAME, nested={"task": "rater", "rater": "task"}),
    "nested in nothing": lambda: study(FRAME, nested={"rater": "school"}),
    "fixed nothing": lambda: study(FRAME, fixed=["school"]),
    "no numbers": lambda: study(FRAME.assign(score="good")),
    "infinite": lambda: study(FRAME.assign(score=np.inf)),
    "no size": lambda: study(FRAME).project(task=0),
    "an empty list of sizes": lambda: study(FRAME).project(task=[]),
    "no group": lambda: study(FRAME.iloc[:0].assign(g=1), by="g"),
    "no facet to project": lambda: study(FRAME).project(tasks=2),
    "sizes of no facet": lambda: study(FRAME).project([2]),
    "repeats of nothing": lambda: study(FRAME).project(repeats=2),
    "no tolerance": lambda: study(FRAME).gauge(tolerance=-1),
    "pool too large": lambda: study(FRAME).gauge(pool=5),
    "pool of two facets": lambda: study(FRAME).gauge(pool=0.05),
    "a picture of groups": lambda: study(FRAME.assign(g=1), by="g").plot.projection("rater"),
    "too many cells": lambda: study(crossed((2, 1, 6000)), facets=["rater"], method="reml"),
    "too many columns": lambda: study(crossed((3, 1, 2100)), facets=["rater"], method="reml"),
}


@raising("generalizability", CALLS)
def test_errors(call, refused):
    with refused(), warnings.catch_warnings():
        warnings.simplefilter("error")
        call()
