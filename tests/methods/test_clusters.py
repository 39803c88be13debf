"""Laws of methods with clusters: single items change nothing, nor do items copied whole."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from conftest import each, function_of

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")

HUMANS = ["h1", "h2"]
PRIOR = {1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1}


def ratings() -> pd.DataFrame:
    """Return two humans and a machine, what it says again, groups and the number of the item."""
    rng = np.random.default_rng(0)
    n = 120
    true = rng.integers(1, 5, n)
    frame = pd.DataFrame({"h1": true})
    for name in ("h2", "m"):
        frame[name] = np.clip(true + rng.integers(-1, 2, n), 1, 4)
    frame["again"] = np.where(rng.random(n) < 0.2, rng.integers(1, 5, n), frame["m"])
    return frame.assign(g=rng.choice(list("aab"), n), item=range(n))


def audited(table: str) -> Any:
    """Return a table of an audit."""

    def found(frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
        asked = {"again": {"m": "again"}, "swapped": {"m": "again"}, **options}
        return getattr(frame.kappa.machine.audit(HUMANS, "m", **asked), table)

    return found


def fair(table: str) -> Any:
    """Return a table of the fairness of the machine."""
    return lambda frame, **options: getattr(
        function_of("machine.fairness")(frame, "h1", "m", by="g", **options), table
    )


METHODS: dict[str, Any] = {
    "within": lambda df, **k: function_of("scores.within")(df, ["h1", "m"], tolerance=0, **k),
    "together": lambda df, **k: function_of("scores.within")(
        df, [*HUMANS, "m"], together=True, **k
    ),
    "bland_altman": lambda df, **k: function_of("scores.bland_altman")(df, "h1", "m", **k),
    "shift": lambda df, **k: function_of("predictions.shift")(df, "h1", "m", prior=PRIOR, **k),
    "alt_test": lambda df, **k: df.kappa.machine.alt_test(HUMANS, "m", **k).humans,
    "tests": fair("tests"),
    "groups": fair("groups"),
    "differences": fair("differences"),
    "machines": audited("machines"),
    "categories": audited("categories"),
    "repeats": audited("repeats"),
    "positions": audited("positions"),
}
SD = ("sd", "lower_limit", "upper_limit")  # whose estimate divides by n - 1, not by clusters


@each("name", list(METHODS))
def test_a_cluster_of_one_item_or_of_its_copies_is_an_item(name):
    """Estimates and errors stay; limits and p-values get t quantiles of clusters less one."""
    frame, method = ratings(), METHODS[name]
    plain, own, copied = (
        method(one, **options).select_dtypes("number").drop(columns=["df2"], errors="ignore")
        for one, options in (
            (frame, {}),
            (frame, {"cluster": "item"}),
            (pd.concat([frame, frame]), {"cluster": "item"}),
        )
    )
    of_t = {x for x in plain if x.endswith(("low", "high")) or x.startswith("p_")}
    counts = {"n_items", "n_ratings"}
    exact = plain.columns.difference([*of_t, *counts])
    assert_allclose(own[exact], plain[exact], rtol=1e-9, equal_nan=True)
    assert_allclose(own[[*of_t]], plain[[*of_t]], atol=0.006, equal_nan=True)
    assert_allclose(copied[[*counts & {*plain}]], 2 * plain[[*counts & {*plain}]])
    rows = [row for row in plain.index if row not in SD]
    errors = [x for x in exact if x in {"f", "estimate", "n_effective"} or x == "se"]
    assert_allclose(copied.loc[rows, errors], plain.loc[rows, errors], rtol=1e-9, equal_nan=True)
    assert_allclose(copied[[*of_t]], plain[[*of_t]], atol=0.006, equal_nan=True)


@each("name", list(METHODS))
def test_weights_of_a_sample_are_clusters_of_items(name):
    """The scale of the weights is no matter, and equal ones are none but for the quantiles."""
    frame, method = ratings(), METHODS[name]
    if name in {"alt_test", "machines", "categories", "repeats", "positions"}:
        return  # which count items
    weight = np.random.default_rng(1).uniform(1, 3, len(frame))
    one, other = (
        method(frame.assign(w=times * weight), sample_weight="w", weight_type="probability")
        for times in (1.0, 7.5)
    )
    assert_allclose(one.select_dtypes("number"), other.select_dtypes("number"), rtol=1e-8)


def test_limits_of_a_share_in_clusters_are_those_of_t():
    df = ratings().assign(author=lambda one: one["item"] // 12)
    found = df.kappa.scores.within(["h1", "m"], tolerance=0, cluster="author", ci="wald").iloc[0]
    half = stats.t.ppf(0.975, 9) * found["se"]
    assert found["ci_high"] - found["estimate"] == pytest.approx(half)


def test_two_clusters_have_an_error_and_one_has_none():
    """Shares of 1 and .5 in two clusters of a size: half their difference."""
    df = pd.DataFrame({"a": [1, 1, 1, 1, 2, 2, 2, 2], "b": [1, 1, 1, 1, 2, 2, 1, 1]})
    clusters = [0] * 4 + [1] * 4
    found = df.kappa.pairs(cluster=clusters, coefficient="percent").iloc[0]
    assert (found["estimate"], found["se"]) == pytest.approx((0.75, 0.25))
    one = df.kappa.pairs(cluster=[0] * 8, coefficient="percent").iloc[0]
    assert (one["estimate"], one["reason"]) == (0.75, "n_lt_2")
    assert np.isnan(one["se"])


def test_a_share_in_clusters_has_the_error_of_percent_agreement():
    """Up to what few clusters change in one and not in the other."""
    rng = np.random.default_rng(3)
    df = pd.DataFrame({"a": rng.integers(1, 4, 60)})
    df["b"] = np.where(rng.random(60) < 0.7, df["a"], rng.integers(1, 4, 60))
    clusters = np.arange(60) // 5
    share = df.kappa.scores.within(["a", "b"], tolerance=0, cluster=clusters).iloc[0]
    percent = df.kappa.pairs(cluster=clusters, coefficient="percent").iloc[0]
    assert share["estimate"] == pytest.approx(percent["estimate"])
    assert share["se"] == pytest.approx(percent["se"], rel=0.03)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("design", [{"cluster": "writer"}, {"sample_weight": "weight", "weight_type": "probability"}])
def test_labels_of_all_groups_are_those_without_groups(design):
    """A cluster is one, whatever groups its items are in; weights are those of the whole sample."""
    rng, n = np.random.default_rng(0), 240
    own, writer = rng.integers(0, 3, n), rng.integers(0, 30, n)
    truth = np.where(rng.random(n) < 0.4, rng.integers(0, 3, 30)[writer], own)
    labels = np.array(["u", "v", "w"])
    data = pd.DataFrame({x: labels[np.where(rng.random(n) < 0.8, truth, own)] for x in "abm"})
    data = data.assign(writer=writer, set=rng.integers(0, 3, n)).rename(columns={"m": "gpt"})
    data["weight"] = (1 + rng.random(n)) * np.where(data["set"] == 1, 4, 1)
    plain, grouped = (
        data.kappa(**design, **by).report(["a", "b", "gpt"], machine="gpt")
        for by in ({}, {"by": "set"})
    )
    pd.testing.assert_frame_equal(grouped.tables["leaning"], plain.tables["leaning"])


@each("ci", ["auto", "fisher", "wald", "score"])
def test_clusters_of_copies_count_once(ci):
    """An item twice in a cluster says what it says once; without clusters limits are narrower."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 200)
    ratings = {x: np.where(rng.random(200) < 0.3, rng.integers(0, 3, 200), truth) for x in "abc"}
    single = pd.DataFrame(ratings).assign(own=np.arange(200))
    double = pd.concat([single, single], ignore_index=True)
    for name in ("pairs", "agreement"):
        plain, alone, twice, narrow = (
            getattr(data.kappa, name)(list("abc"), ci=ci, **more)[["ci_low", "ci_high"]]
            for data, more in (
                (single, {}),
                (single, {"cluster": "own"}),
                (double, {"cluster": "own"}),
                (double, {}),
            )
        )
        assert_allclose(alone, plain, atol=0.004)
        assert_allclose(twice, plain, atol=0.004)
        assert (np.diff(narrow) < 0.8 * np.diff(plain)).all()
