"""The alternative annotator test: the values of its paper, its definition, laws, messages."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

from conftest import each, function_of, raising
from elsewhere.studies import JUDGES, published
from pdkappa import errors
from pdkappa.methods.machine.alt_test import Wins, adjusted, exact_tests, square_distances, t_test

HUMANS = ["ann", "bob", "eve", "ida"]
seeds = st.integers(0, 2**32 - 1)


def drawn(seed, n=80, missing=0.3, step=1):
    """Ratings of four humans and two judges on a scale of five, with some missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, (n, 1))
    seen = np.clip(truth + rng.integers(-1, 2, (n, 6)), 0, 4) * step
    data = pd.DataFrame(seen, columns=[*HUMANS, "gpt", "mini"]).mask(rng.random((n, 6)) < missing)
    return data.assign(site=rng.choice(["x", "y"], n), times=rng.integers(0, 4, n))


@pytest.mark.parametrize("name", JUDGES["dataset"].unique())
def test_the_data_of_the_paper(name):
    """A ceiling for every judge; ``elsewhere/studies.py`` compares what the paper has."""
    data, humans = published(name)
    rows = JUDGES[JUDGES["dataset"] == name].set_index("judge")
    ceilings = data.kappa.machine.ceiling(humans, list(rows.index), margin=0.1)
    assert ceilings["non_inferior"].notna().all()
    assert (rows["n_humans"] == len(humans)).all()
    n_pairs = len(humans) * (len(humans) - 1) // 2
    missing = n_pairs - ceilings["n_human_pairs"]
    assert (ceilings["remark"].str.count("no_joint_items") == missing).all()


def by_definition(data, judge, score, epsilon, q):
    """Return the paper's figures, item by item."""
    p_values, advantages = [], []
    for human in HUMANS:
        judged, own = [], []
        for _, row in data[[*HUMANS, judge]].iterrows():
            others = [row[one] for one in HUMANS if one != human and pd.notna(row[one])]
            if others and pd.notna(row[judge]) and pd.notna(row[human]):
                of_judge, of_human = score(row[judge], others), score(row[human], others)
                judged.append(of_judge >= of_human - 1e-9)
                own.append(of_human >= of_judge - 1e-9)
        d = np.array(own, dtype=float) - np.array(judged, dtype=float)
        p_values.append(stats.ttest_1samp(d, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(judged))
    rejected = stats.false_discovery_control(p_values, method="by") <= q
    return rejected.mean(), np.mean(advantages)


def share(label, others):
    return float(np.mean([label == other for other in others]))


def minus_rmse(label, others):
    return -float(np.sqrt(np.mean([(label - other) ** 2 for other in others])))


@settings(max_examples=3)
@given(seeds)
@each("score", [("accuracy", share, 1), ("rmse", minus_rmse, 0.1)])
def test_it_is_what_the_paper_defines(seed, score):
    """By name and by a callable; of scores in tenths, distances are equal but for rounding."""
    name, function, step = score
    data = drawn(seed, missing=0.15, step=step)
    for asked in (name, lambda label, others: round(function(label, others), 9)):
        found = (
            data.kappa(min_test_items=1)
            .machine.alt_test(HUMANS, ["gpt", "mini"], score=asked)
            .machines
        )
        for judge in ("gpt", "mini"):
            expected = by_definition(data, judge, function, 0.2, 0.05)
            row = found.loc[judge, ["winning_rate", "advantage_probability"]]
            assert_allclose(row.astype(float), expected, atol=1e-12)


def chord(one, other):
    """Disagreement of two of five hours on a clock."""
    return np.sin(np.pi * (one - other) / 5) ** 2


BY_WEIGHTS = {
    "linear": ("linear", lambda one, other: abs(one - other), "linear weights"),
    "circular": ("circular", chord, "circular weights"),
    "array": (np.abs(np.subtract.outer(range(5), range(5))) ** 3, None, "given weights"),
    "callable": (lambda one, other: abs(one - other) ** 3, None, "given weights"),
    "frame": (
        pd.DataFrame(np.abs(np.subtract.outer(range(5), range(5))) ** 3),
        None,
        "given weights",
    ),
    "nominal": (1 - np.eye(5), lambda one, other: one != other, "given weights"),
}


@settings(max_examples=2)
@given(seeds)
@each("weights", BY_WEIGHTS)
def test_weights_say_how_close_ratings_are(seed, weights):
    """Whatever they are; in groups, too, and beside kappas."""
    given_as, apart, name = BY_WEIGHTS[weights]
    apart = apart or (lambda one, other: abs(one - other) ** 3)
    data, options = drawn(seed, missing=0.15), {"by": "site", "epsilon": 0.1}

    def score(label, others):
        return -round(float(np.mean([apart(label, other) for other in others])), 9)

    machines = HUMANS, ["gpt", "mini"]
    expected = function_of("machine.alt_test")(data, *machines, score=score, **options)
    found = function_of("machine.alt_test")(data, *machines, weights=given_as, **options)
    assert found.score == name
    assert_frame_equal(found.humans, expected.humans)
    audited = function_of("machine.audit")(data, *machines, weights=given_as, epsilon=0.1)
    expected = function_of("machine.alt_test")(data, *machines, score=score, epsilon=0.1)
    assert_frame_equal(audited.humans, expected.humans)


def test_sets_are_as_close_as_the_labels_that_they_share():
    sets = {"ann": {"a", "b"}, "bob": {"a", "b"}, "gpt": {"a"}, "mini": {"c"}}
    data = pd.DataFrame({name: [frozenset(one)] * 40 for name, one in sets.items()})
    data.loc[0, "bob"] = frozenset("c")  # of which mini is nearer to bob than ann is
    found = data.kappa.machine.alt_test(["ann", "bob"], ["gpt", "mini"], weights="jaccard")
    assert found.humans["human_nearer"].tolist() == [39 / 40, 39 / 40, 39 / 40, 39 / 40]
    half = data.assign(ann=data["gpt"], gpt=data["bob"])
    assert half.kappa.machine.alt_test(["ann", "bob"], "gpt", weights="jaccard").humans[
        "human_nearer"
    ].tolist() == [0, 0]


@each("weights", [None, "quadratic", "ordinal"])
def test_the_root_mean_square_is_of_the_scores_whatever_the_weights_of_kappa(weights):
    """Not of their places on the scale."""
    data = drawn(7).replace({3: 9, 4: 40})
    alone = function_of("machine.alt_test")(data, HUMANS, "gpt", score="rmse")
    found = function_of("machine.audit")(data, HUMANS, "gpt", score="rmse", weights=weights)
    assert_frame_equal(found.humans, alone.humans)


@settings(max_examples=2)
@given(seeds)
def test_laws(seed):
    """Of labels, their scale, and the order of everything."""
    data = drawn(seed)
    options = {"epsilon": 0.1, "min_test_items": 5}
    for score in ("accuracy", "rmse"):
        plain = function_of("machine.alt_test")(
            data, HUMANS, ["gpt", "mini"], score=score, **options
        )
        turned = function_of("machine.alt_test")(
            data[::-1], HUMANS[::-1], ["mini", "gpt"], score=score, **options
        )
        for name, table in turned.tables.items():
            expected = plain.tables[name].drop(columns="remark", errors="ignore")  # in their order
            assert_frame_equal(table.loc[expected.index, list(expected)], expected)
        raters = [*HUMANS, "gpt", "mini"]
        scaled = data.assign(**{one: 7.3 - 0.1 * data[one] for one in raters})
        alone = function_of("machine.alt_test")(scaled, HUMANS, "mini", score=score, **options)
        assert_frame_equal(alone.machines, plain.machines.loc[["mini"]])


def test_a_copy_of_a_human_and_a_random_judge():
    data = drawn(5, n=300, missing=0)
    rng = np.random.default_rng(1)
    data = data.assign(copy=data["ann"], random=rng.integers(0, 5, len(data)))
    found = data.kappa.machine.alt_test(HUMANS, ["copy", "random"])
    row = found.humans.loc["copy", "ann"]
    assert (row["machine_nearer"], row["human_nearer"]) == (0, 0)
    assert_allclose(row["p_value"], 0.8**300)
    assert found.machines["winning_rate"].tolist() == [1.0, 0.0]
    assert found.machines["replaces"].tolist() == [True, False]
    assert repr(found).startswith(
        "Alternative annotator test by accuracy, epsilon 0.2, q 0.05: 1 of 2 may replace"
    )


def test_fewer_than_thirty_items():
    """Who has fewer is left out beside others; if all have, they are tested exactly."""
    data = drawn(2, n=60, missing=0)
    data.loc[20:, "ida"] = None
    beside = data.kappa.machine.alt_test(HUMANS, "gpt")
    assert beside.machines.loc["gpt", "remark"] == "left out, too few items: ida"
    assert beside.humans["test"].tolist() == ["t", "t", "t", ""]
    beaten = beside.humans["beaten"]
    assert beaten.any()
    assert beside.machines.loc["gpt", "winning_rate"] == beaten.sum() / 3
    last = beside.humans.loc["gpt", "ida"]
    assert (last["n_items"], last["reason"], last["beaten"]) == (20, "fewer_than_min_items", pd.NA)
    few = data.head(25).kappa.machine.alt_test(HUMANS, "gpt")
    assert few.machines.loc["gpt", "remark"] == (
        "exact test, fewer than 30 items: ann, bob, eve, ida"
    )
    assert few.humans["test"].unique() == ["exact"]
    lower = data.kappa(min_test_items=20).machine.alt_test(HUMANS, "gpt")
    assert lower.machines.loc["gpt", "remark"] == "exact test, fewer than 30 items: ida"
    crowd = [f"h{one}" for one in range(7)]
    many = pd.DataFrame(dict.fromkeys([*crowd, "gpt"], range(3))).kappa.machine.alt_test(
        crowd, "gpt"
    )
    assert many.machines.loc["gpt", "remark"] == (
        "exact test, fewer than 30 items: h0, h1, h2, h3, h4 and 2 more"
    )


def test_missing_judgements_are_left_out_and_none_at_all_has_its_reason():
    data = drawn(3, n=90, missing=0).assign(none=np.nan)
    data.loc[40:, "mini"] = None
    with pytest.warns(errors.UndefinedKappaWarning) as told:
        found = data.kappa.machine.alt_test(HUMANS, ["gpt", "mini", "none"])
    assert str(told[0].message) == (
        "1 of 3 machines is undefined (NaN): 'none' (no_joint_items). The column 'reason' says why."
    )
    assert found.machines["n_items"].tolist() == [90, 40, 0]
    none = found.machines.loc["none"]
    assert none["reason"] == "no_joint_items"
    assert none["replaces"] is pd.NA
    assert set(found.humans.loc["none", "reason"]) == {"no_joint_items"}
    only = data.head(40).kappa.machine.alt_test(HUMANS, "mini").machines
    assert_frame_equal(found.machines.loc[["mini"]], only)
    empty = data.assign(site="x").astype({"site": object})
    empty.loc[50:, [*HUMANS, "gpt"]], empty.loc[50:, "site"] = None, "z"
    with pytest.warns(errors.UndefinedKappaWarning, match=r"'gpt' at site=z \(no_items\)"):
        reason = empty.kappa.machine.alt_test(HUMANS, "gpt", by="site").machines["reason"]
    assert reason.tolist() == ["", "no_items"]


def test_order_is_declared_and_unknown_labels_are_named(refuses):
    data = drawn(4)[[*HUMANS, "gpt"]].replace(dict(enumerate(["a", "e", "c", "d", "b"])))
    order = ["a", "e", "c", "d", "b"]
    expected = drawn(4).kappa.machine.alt_test(HUMANS, "gpt", score="rmse").machines
    found = data.kappa.machine.alt_test(HUMANS, "gpt", score="rmse", categories=order).machines
    assert_frame_equal(found, expected)
    data.loc[[3, 5], "gpt"] = "unsure"
    with refuses():
        data.kappa.machine.alt_test(HUMANS, "gpt", categories=order)


def returns(value):
    """Return a score that always says the same."""
    return lambda _label, _others: value


MESSAGES = {
    "score": {"score": "f1"},
    "the name of the paper": {"score": "neg_rmse"},
    "a callable that fails": {"score": lambda label, others: label + str(others)},
    "no number": {"score": returns("near")},
    "epsilon": {"epsilon": 20},
    "q": {"q": 5},
    "min_test_items": {"min_test_items": 0},
    "absent machine": {"machine": ["gpt", "claude"]},
    "no machine": {"machine": []},
    "a machine twice": {"machine": ["gpt", "gpt"]},
    "a machine among humans": {"machine": "ann"},
    "one human": {"humans": ["ann"]},
    "weights": {"sample_weight": "half"},
    "group": {"by": "machine"},
}


@raising("alt_test", MESSAGES)
def test_the_whole_message(call, refused):
    data = drawn(6, missing=0).assign(half=1.0)
    data.loc[1, "half"] = 0.5
    with refused():
        function_of("machine.alt_test")(data, **{"machine": "gpt", "humans": HUMANS} | call)


def test_what_is_infinite_has_no_distance(refuses):
    """It would make every two ratings as near as any others."""
    data = drawn(6)
    data.loc[3, "bob"] = np.inf
    with refuses():
        data.kappa.machine.alt_test(HUMANS, "gpt", score="rmse")
    data.loc[[1, 4], HUMANS[0]] = -np.inf
    with refuses(1):  # each where it stands
        data.kappa.machine.alt_test(HUMANS, "gpt", score="rmse")
    with refuses(2):
        data.kappa.icc(HUMANS)


def test_text_has_no_distance_by_the_weights_that_were_named(refuses):
    data = drawn(6)[[*HUMANS, "gpt"]].replace(dict(enumerate("abcde")))
    with refuses():
        data.kappa.machine.alt_test(HUMANS, "gpt", weights="quadratic")


def wins(*columns):
    """Return the counts of some humans, each as items, judge, human."""
    return Wins(*np.array(columns, dtype=float).T[:, :, None])


@given(seeds)
def test_the_t_test_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(-1, 2, (5, rng.integers(3, 60)))
    d[:, :3] = -1, 0, 1
    judge, human = ((d == side).sum(axis=1) for side in (-1, 1))
    counts = wins(*zip(np.full(5, d.shape[1]), judge, human, strict=True))
    epsilon = float(rng.uniform(0, 0.5))
    expected = stats.ttest_1samp(d, epsilon, axis=1, alternative="less").pvalue
    assert_allclose(t_test(counts, epsilon)[:, 0], expected, rtol=1e-9)


@each("epsilon", [0.01, 0.05, 0.2])
def test_who_never_differs_is_tested_exactly(epsilon):
    """A t test of what does not vary would be sure, whatever epsilon and the number of items."""
    found = t_test(wins((40, 0, 0), (40, 40, 0), (40, 0, 40)), epsilon)[:, 0]
    assert_allclose(found, [(1 - epsilon) ** 40, ((1 - epsilon) / 2) ** 40, 1])
    few = t_test(wins((20, 0, 0), (20, 20, 0)), epsilon)[:, 0]
    exact = exact_tests(20, epsilon)
    assert (few <= [exact[0, 0] * (1 + 1e-9), exact[20, 0] * (1 + 1e-9)]).all()
    if epsilon < 0.2:  # all outcomes that are as low are of this kind
        assert_allclose(few, [exact[0, 0], exact[20, 0]])
    assert t_test(wins((40, 0, 0)), 0.0).item() == 1.0


@given(seeds)
def test_adjusted_p_values_are_those_of_scipy(seed):
    p = np.random.default_rng(seed).random((6, 3)) ** 3
    assert_allclose(adjusted(p), stats.false_discovery_control(p, axis=0, method="by"))
    p[2:4, 0] = p[0, 1] = np.nan
    found = adjusted(p)
    for column, own in zip(p.T, found.T, strict=True):
        known = ~np.isnan(column)
        expected = stats.false_discovery_control(column[known], method="by")
        assert_allclose(own[known], expected)
        assert np.isnan(own[~known]).all()


def test_the_exact_test_is_what_it_says():
    """Of seven items, by searching for the most likely and the least favourable distribution."""
    n, epsilon = 7, 0.15
    low = np.linspace(0, (1 - epsilon) / 2, 4001)
    shares = np.stack([low, low + epsilon, 1 - 2 * low - epsilon], axis=1)
    outcomes = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]
    chance = np.stack([stats.multinomial.pmf(one, n, np.abs(shares)) for one in outcomes])
    likely = low[chance.argmax(axis=1)]
    spread = np.sqrt(n * (2 * likely + epsilon - epsilon**2))
    score = np.array([(human - judge) - n * epsilon for judge, human, _ in outcomes]) / spread
    found = exact_tests(n, epsilon)
    for (judge, human, _), one in zip(outcomes, score, strict=True):
        expected = chance[score <= one + 1e-3].sum(axis=0).max()
        assert_allclose(found[judge, human], min(expected, 1), rtol=1e-3)


def test_without_a_price_as_many_wins_as_losses_prove_nothing():
    """Among items of which next to none differ, next to all outcomes are such."""
    assert_allclose(np.diag(exact_tests(8, 0.0))[:5], 1, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_exact_test_holds_its_level_whatever_the_share_of_ties(epsilon):
    """Of all outcomes of 11 items, by their probabilities under many true hypotheses."""
    n = 11
    p_value = exact_tests(n, epsilon)
    judge, human = np.nonzero(~np.isnan(p_value))
    for nearer in np.linspace(0, (1 - epsilon) / 2, 8):
        for extra in (0.0, 0.1, 0.4):
            other = min(nearer + epsilon + extra, 1 - nearer)
            shares = [nearer, other, max(1 - nearer - other, 0.0)]
            counts = np.stack([judge, human, n - judge - human], axis=1)
            chance = stats.multinomial(n, shares).pmf(counts)
            for level in (0.01, 0.05, 0.2):
                assert chance[p_value[judge, human] <= level].sum() <= level + 1e-4


def test_the_tolerance_of_squared_distances_has_their_unit():
    """A power of two divides scores without any rounding."""
    rng = np.random.default_rng(1)
    humans, machine = rng.normal(size=(3, 20)), rng.normal(size=20)
    humans[rng.random((3, 20)) < 0.2] = np.nan
    plain, tiny = (square_distances(humans / by, machine / by) for by in (1.0, 2.0**100))
    for one, other in zip(plain, tiny, strict=True):
        assert_array_equal(one, np.multiply(other, 2.0**200))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_few_clusters_prove_no_more_than_as_many_items():
    """Clusters in which the ratings are always alike are asked as single items would be."""
    data = pd.DataFrame({name: [1, 2, 1] for name in ("ann", "bob", "gpt")}).assign(c=[0, 1, 2])
    alone, nested = (
        function_of("machine.alt_test")(data, HUMANS[:2], "gpt", **cluster)
        for cluster in ({}, {"cluster": "c"})
    )
    assert_frame_equal(nested.humans, alone.humans)
    twice = pd.concat([data, data])
    found = function_of("machine.alt_test")(twice, HUMANS[:2], "gpt", cluster="c")
    assert_allclose(found.humans["p_value"], alone.humans["p_value"])
    assert (found.humans["test"] == "exact").all()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@each("n_clusters", [1, 2, 40])
def test_without_an_error_of_clusters_nothing_is_known(n_clusters):
    """In a single one, or where in each a human is nearer on one item of five."""
    data = pd.DataFrame({"ann": 1, "bob": 1, "gpt": [2, 1, 1, 1, 1] * n_clusters})
    reason = "n_lt_2" if n_clusters == 1 else "no_variance"
    for epsilon in (0.2, 0.21):
        with pytest.warns(errors.UndefinedKappaWarning):
            found = function_of("machine.alt_test")(
                data.assign(c=np.arange(len(data)) // 5),
                HUMANS[:2],
                "gpt",
                cluster="c",
                epsilon=epsilon,
            )
        assert found.humans[["p_value", "p_adjusted", "beaten"]].isna().all(axis=None)
        assert (found.humans["reason"] == reason).all()
        machine = found.machines.iloc[0]
        assert (machine["reason"], machine["n_humans"]) == (reason, 0)
        assert pd.isna([machine["winning_rate"], machine["replaces"]]).all()
