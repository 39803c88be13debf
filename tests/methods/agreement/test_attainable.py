"""What agreement category shares allow, by the public functions: bounds, share_of_max, reasons."""

import warnings
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.optimize import linprog

import pdkappa
from conftest import each, function_of, scale_of
from pdkappa.coefficients import pair_kappas
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_kappas import extreme_disagreement, least_disagreement
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.agreement.attainable import least_disagreement_together, smallest_estimates

weightings = st.sampled_from(list(WEIGHTS))
nan = float("nan")
BANDS = [[20, 10, 0, 0], [0, 20, 10, 0], [0, 0, 20, 10], [0, 0, 0, 20]]
RATINGS = pd.DataFrame(
    {
        "site": ["x"] * 6 + ["y"] * 6,
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 2, 1],
        "bob": [1, 2, 3, 2, 2, 4, 1, 3, 3, 4, 2, 2],
        "eve": [1, 1, 3, 1, 2, 3, 2, 2, 4, 4, 2, 1],
    }
)
frames = arrays(
    np.int64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.integers(1, 4)
).map(lambda values: pd.DataFrame(values, columns=["ann", "bob", "eve"]))
few_items = arrays(np.int64, (4, 2), elements=st.integers(1, 4)).map(
    lambda values: pd.DataFrame(values, columns=["ann", "bob"])
)


def quiet(function, *args, **kwargs):
    """Call without the warnings about what was drawn on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.KappaWarning)
        return function(*args, **kwargs)


def test_a_table_of_bands_reaches_its_maximum():
    """The estimate and maximum of SciPy's linear programme, 4 digits."""
    row = pdkappa.from_table(BANDS).attainable(weights="quadratic").iloc[0]
    assert_allclose([row["estimate"], row["max_estimate"]], 0.8842, atol=5e-5)
    assert row["share_of_max"] == 1
    assert_allclose(pdkappa.from_table(BANDS).attainable()["max_estimate"], 0.8791, atol=5e-5)


def test_predictions_of_essay_scores():
    """SciPy 1.17.1, linprog over all tables with these margins, 3 digits."""
    truth = [0.10, 0.20, 0.30, 0.25, 0.10, 0.05]
    predicted = {
        "to the centre": ([0.01, 0.14, 0.50, 0.30, 0.05, 0], 0.807),
        "uniform": ([1 / 6] * 6, 0.886),
        "one class higher": ([0, 0.10, 0.20, 0.30, 0.25, 0.15], 0.762),
        "constant": ([0, 0, 1, 0, 0, 0], 0.0),
    }
    for name, (shares, known) in predicted.items():
        table = pdkappa.from_table(np.rint(6000 * np.outer(truth, shares)))
        row = table.attainable(weights="quadratic").iloc[0]
        assert row["max_estimate"] == pytest.approx(known, abs=5e-4), name
    assert row["max_estimate"] == row["min_estimate"] == 0


@settings(max_examples=8 * len(WEIGHTS))
@given(weights=weightings, frame=frames)
def test_the_estimate_lies_between_its_bounds(weights, frame):
    found = quiet(function_of("attainable"), frame, weights=weights)
    known = found[found["estimate"].notna()]
    assert (known["min_estimate"] <= known["estimate"]).all()
    assert (known["estimate"] <= known["max_estimate"]).all()
    assert (known["max_estimate"] <= 1).all()
    assert (known["share_of_max"].dropna() <= 1).all()
    pairs = quiet(function_of("pairs"), frame, weights=weights)
    assert_allclose(found["max_estimate"], pairs["max_estimate"], atol=1e-12)
    assert_array_equal(found["estimate"], pairs["estimate"])


@pytest.mark.parametrize("coefficient", ["cohen", "gwet", "krippendorff"])
@settings(max_examples=3 * len(WEIGHTS))
@given(weights=weightings, frame=few_items)
def test_bounds_are_reached_by_some_order_of_the_items(coefficient, weights, frame):
    """All 24 of them."""
    options = {"weights": weights, "coefficient": coefficient, "categories": [1, 2, 3, 4]}
    found = quiet(function_of("attainable"), frame, ["ann", "bob"], **options).iloc[0]
    orders = [frame["bob"].to_numpy()[list(order)] for order in permutations(range(4))]
    distinct = pd.DataFrame({"ann": frame["ann"]} | dict(enumerate(np.unique(orders, axis=0))))
    values = quiet(function_of("pairwise"), distinct, **options).loc["ann"].drop("ann")
    expected = [values.min(), values.max()]
    assert_allclose([found["min_estimate"], found["max_estimate"]], expected, atol=1e-9)


def test_all_raters_together_reach_the_maximum_in_ascending_order():
    raters = RATINGS.drop(columns="site")
    for coefficient, weights in product(COEFFICIENTS, ("linear", "quadratic", "ordinal")):
        options = {"weights": weights, "categories": [1, 2, 3, 4]}
        found = raters.kappa.attainable(coefficient=coefficient, together=True, **options)
        name, case = COEFFICIENTS[coefficient].many, f"{coefficient}, {weights}"
        for frame, column in ((raters, "estimate"), (raters.apply(np.sort), "max_estimate")):
            expected = frame.kappa.agreement(coefficients=[name], **options)["estimate"].item()
            assert_allclose(found[column], expected, rtol=1e-12, err_msg=case)
        assert found["n_raters"].item() == 3, case


@given(frame=frames)
def test_no_order_of_many_raters_is_better(frame):
    """The items of the second and third rater, shuffled."""
    found = quiet(function_of("attainable"), frame, weights="linear", together=True).iloc[0]
    rng = np.random.default_rng(6)
    for _ in range(5):
        other = frame.assign(bob=rng.permutation(frame["bob"]), eve=rng.permutation(frame["eve"]))
        kappa = quiet(function_of("agreement"), other, coefficients=["conger"], weights="linear")
        if np.isnan(found["estimate"]):
            assert np.isnan(kappa["estimate"].item())
        else:
            assert kappa["estimate"].item() <= found["max_estimate"] + 1e-12


@pytest.mark.parametrize("weights", [None, "linear", "radical"])
def test_two_raters_together_are_a_pair(weights):
    pair = RATINGS.kappa.attainable(["ann", "bob"], weights=weights).iloc[0]
    both = RATINGS.kappa.attainable(["ann", "bob"], weights=weights, together=True).iloc[0]
    names = ["n_items", "estimate", "max_estimate", "share_of_max"]
    assert_allclose(both[names].astype(float), pair[names].astype(float), rtol=1e-12)


def test_together_uses_the_items_that_all_rated():
    gaps = RATINGS.drop(columns="site").astype(float)
    gaps.loc[3, "eve"] = nan
    found = gaps.kappa.attainable(weights="linear", together=True)
    assert_frame_equal(found, gaps.dropna().kappa.attainable(weights="linear", together=True))
    with pytest.raises(pdkappa.errors.RatingsError, match="missing rating"):
        gaps.kappa.attainable(weights="linear", together=True, missing="raise")


def test_reasons_of_pairs():
    df = pd.DataFrame(
        {"a": [1, 2, 1, 2], "b": [1, 1, 1, 1], "c": [1, 1, 1, 1], "d": [nan] * 4, "e": [2, 1, 2, 2]}
    )
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=r"^5 of 10 coefficients"):
        found = df.kappa.attainable().set_index(["rater_a", "rater_b"])
    assert found["reason"].to_dict() == {
        ("a", "b"): "constant_rater",
        ("a", "c"): "constant_rater",
        ("a", "d"): "no_joint_items",
        ("a", "e"): "",
        ("b", "c"): "constant_ratings",
        ("b", "d"): "no_joint_items",
        ("b", "e"): "constant_rater",
        ("c", "d"): "no_joint_items",
        ("c", "e"): "constant_rater",
        ("d", "e"): "no_joint_items",
    }
    bounds = found[["min_estimate", "estimate", "max_estimate"]]
    assert (bounds[found["reason"] == "constant_rater"] == 0).all(axis=None)
    assert bounds[found["estimate"].isna()].isna().all(axis=None)
    assert found["share_of_max"].isna().equals(found["reason"] != "")


def test_no_agreement_beyond_chance_may_be_attainable():
    """Scott's pi of two raters who share no category is below 0 at best."""
    df = pd.DataFrame({"a": [1, 1, 2], "b": [3, 3, 3]})
    row = df.kappa.attainable(coefficient="scott").iloc[0]
    assert row["max_estimate"] < 0
    assert np.isnan(row["share_of_max"])
    assert row["reason"] == "no_agreement_attainable"


def test_no_unit_makes_agreement_attainable():
    """Which rounding decided: the greatest value is 0 where nobody rates higher than Ann."""
    frame = pd.DataFrame({"ann": [3, 3, 2, 3, 3], "bob": [1, 1, 2, 1, 2]})
    for scores in (frame, frame * 3 - 1, frame / 7):
        [row] = scores.kappa.attainable(weights="linear").full.to_dict("records")
        assert (row["max_estimate"], row["reason"]) == (0, "no_agreement_attainable")


def test_too_many_programmes(monkeypatch):
    monkeypatch.setattr(pair_kappas, "LARGEST_PROGRAMME", 2)
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="^max_estimate is not computed"):
        found = RATINGS.kappa.attainable(["ann", "bob"], weights="radical").iloc[0]
    assert not np.isnan(found["estimate"])
    assert np.isnan([found["min_estimate"], found["max_estimate"], found["share_of_max"]]).all()
    assert found["reason"] == "too_many_programmes"


def test_many_raters_without_a_closed_form():
    message = (
        r"^max_estimate is not known \(NaN\) for three raters or more together with these weights, "
        r"only with weights such as 'linear' and 'quadratic'\. "
        r"Leave out together=True for the pairs\.$"
    )
    for weights in (None, "radical"):
        with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=message):
            found = RATINGS.kappa.attainable(
                ["ann", "bob", "eve"], weights=weights, together=True
            ).iloc[0]
        assert not np.isnan(found["estimate"])
        assert np.isnan([found["max_estimate"], found["share_of_max"]]).all()
        assert found["reason"] == "no_closed_form"


def test_reasons_of_all_raters_together():
    df = pd.DataFrame({"g": list("xyz"), "a": [1, 1, nan], "b": [1, 2, nan], "c": [1, 2, nan]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=r"x \(constant_ratings\)"):
        found = df.kappa.attainable(by="g", weights="linear", together=True)
    assert found["reason"].tolist()[0] == "constant_ratings"
    assert found["reason"].tolist()[2] == "no_items"


every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weights", WEIGHTS)
few = settings(max_examples=10)
some_tables = settings(max_examples=12)
# Margins that add up to the same number of items, as lists of categories.
ratings = st.integers(2, 5).flatmap(
    lambda k: st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(k), arrays(np.int64, (2, n), elements=st.integers(0, k - 1)))
    )
)
scores_of = arrays(np.int64, 5, elements=st.integers(1, 4)).map(lambda gaps: np.cumsum(gaps) - 1.0)


def cross(k, a, b):
    """Count two lists of categories in a table."""
    table = np.zeros((k, k), dtype=int)
    np.add.at(table, (a, b), 1)
    return table


def at_chance(row, col):
    """Return a table with two margins; which table does not matter."""
    return np.outer(row, col) / np.sum(row)


def greatest(weights, row, col, scores=None):
    """Return the greatest Cohen's kappa that two margins allow."""
    scores = np.arange(1.0, len(row) + 1) if scores is None else scores
    counts, scale = PairCounts.from_tables(at_chance(row, col)), scale_of(weights, scores)
    p, q = np.array(row) / np.sum(row), np.array(col) / np.sum(col)
    return 1 - least_disagreement(counts, scale)[0] / (p @ scale.matrix() @ q)


def greatest_disagreement(counts, scale, **options):
    """Return the greatest observed disagreement that margins allow."""
    return extreme_disagreement(*counts.margins(), scale, greatest=True, **options)


def by_linear_programme(d, row, col, sign=1):
    """Solve the transportation problem of two margins in full; the other way with sign -1."""
    k = len(d)
    sums = np.concatenate([np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))])
    bounds = np.concatenate([row, col]) / np.sum(row)
    solution = linprog(sign * d.ravel(), A_eq=sums[:-1], b_eq=bounds[:-1], method="highs")
    assert solution.success
    return sign * solution.fun


def together_by_linear_programme(d, margins):
    """Spread the items over all K**R rows of ratings so that the pairs disagree least."""
    n_raters, k = margins.shape
    cells = np.array(list(product(range(k), repeat=n_raters)))
    pairs = list(combinations(range(n_raters), 2))
    cost = np.mean([d[cells[:, a], cells[:, b]] for a, b in pairs], axis=0)
    sums = [cells[:, r] == c for r in range(n_raters) for c in range(k)]
    bounds = (margins / margins.sum(axis=1, keepdims=True)).ravel()
    solution = linprog(cost, A_eq=np.array(sums, dtype=float), b_eq=bounds, method="highs")
    assert solution.success
    return solution.fun


@few
@given(drawn=ratings, scores=scores_of)
@every_coefficient
@each("weights", [None, "linear", "quadratic", "ordinal"])
def test_no_estimate_is_greater_or_less(coefficient, weights, drawn, scores):
    k, (a, b) = drawn
    counts, scale = PairCounts.from_tables(cross(k, a, b)), scale_of(weights, scores[:k])
    found = chance_corrected(counts, scale, COEFFICIENTS[coefficient])
    expected = (1 - found.expected) * scale.largest
    if expected <= 0:
        return
    maximum = 1 - least_disagreement(counts, scale) / expected
    assert found.estimate <= maximum + 1e-12 <= 1 + 2e-12
    assert smallest_estimates(counts, scale, found.expected) <= found.estimate + 1e-12


@few
@given(drawn=ratings, scores=scores_of, in_use=arrays(np.bool_, (3, 5)))
@every_weighting
def test_tables_of_a_stack_keep_to_their_own_scales(weights, drawn, scores, in_use):
    k, (a, b) = drawn
    scores = scores[:k]
    tables, in_use = [], in_use[:, :k].copy()
    in_use[:, [0, k - 1]] |= ~in_use.any(axis=1, keepdims=True)
    for used in in_use:
        place = np.flatnonzero(used)
        tables.append(cross(k, place[a % len(place)], place[b % len(place)]))
    counts = PairCounts.from_tables(np.stack(tables))
    for disagreement in (least_disagreement, greatest_disagreement):
        found = disagreement(counts, scale_of(weights, scores, in_use))
        for number, used in enumerate(in_use):
            alone = PairCounts.from_tables(tables[number][np.ix_(used, used)][None])
            expected = disagreement(alone, scale_of(weights, scores[used]))
            assert_allclose(found[number], expected[0], rtol=1e-9, atol=1e-9)


@some_tables
@given(drawn=ratings, scores=scores_of)
@every_weighting
def test_closed_forms_solve_the_transportation_problem(weights, drawn, scores):
    k, (a, b) = drawn
    table, scale = cross(k, a, b), scale_of(weights, scores[:k])
    counts, margins = PairCounts.from_tables(table), (table.sum(axis=1), table.sum(axis=0))
    found = least_disagreement(counts, scale)
    assert_allclose(found, by_linear_programme(scale.matrix(), *margins), atol=1e-9)
    found = greatest_disagreement(counts, scale)
    assert_allclose(found, by_linear_programme(scale.matrix(), *margins, sign=-1), atol=1e-9)


@each("weights", [None, "linear", "quadratic"])
def test_closed_forms_of_any_shares(weights):
    """Of 60 pairs of margins, up to the rounding of either."""
    rng = np.random.default_rng(17)
    for _ in range(60):
        k = int(rng.integers(2, 7))
        row, col = rng.dirichlet(np.ones(k), 2)
        scale = scale_of(weights, np.cumsum(rng.uniform(0.5, 1.5, k)))
        top = scale.largest[0]
        for greatest, sign in ((False, 1), (True, -1)):
            found = extreme_disagreement(row[None], col[None], scale, greatest=greatest)
            expected = by_linear_programme(scale.matrix(), row, col, sign)
            assert_allclose(found / top, expected / top, rtol=0, atol=2e-14)


@each("weights", ["linear", "quadratic", "ordinal"])
def test_all_raters_together_against_a_programme_over_all_rows(weights):
    rng = np.random.default_rng(18)
    for _ in range(25):
        n_raters, k = int(rng.integers(3, 5)), int(rng.integers(2, 5))
        margins = rng.multinomial(20, rng.dirichlet(np.ones(k)), n_raters).astype(float)
        scale = scale_of(weights, np.cumsum(rng.uniform(0.5, 1.5, k)))
        found = least_disagreement_together(margins[:, None], scale)
        expected = together_by_linear_programme(scale.matrix(), margins)
        assert_allclose(found, expected, rtol=0, atol=1e-12)


@some_tables
@given(
    d=arrays(np.float64, (4, 4), elements=st.integers(1, 9)),
    row=arrays(np.int64, 4, elements=st.integers(0, 5)),
    col=arrays(np.int64, 4, elements=st.integers(0, 5)),
)
def test_any_matrix_solves_the_transportation_problem(d, row, col):
    assume(row.any() and col.any())
    d = np.triu(d, 1) + np.triu(d, 1).T
    row, col = row * col.sum(), col * row.sum()
    counts, scale = PairCounts.from_tables(at_chance(row, col)), scale_of(d, [0] * 4)
    found = least_disagreement(counts, scale)
    assert_allclose(found, by_linear_programme(d, row, col), atol=1e-9)
    found = greatest_disagreement(counts, scale)
    assert_allclose(found, by_linear_programme(d, row, col, sign=-1), atol=1e-9)


@each("unit", [1e-12, 1e20, 1e100])
def test_the_unit_of_a_matrix_does_not_matter(unit):
    """The solver has absolute tolerances, and takes 1e20 for infinite."""
    d = np.array([[0, 3, 1, 2], [3, 0, 2, 5], [1, 2, 0, 4], [2, 5, 4, 0]], dtype=float)
    row, col = [1, 2, 3, 4], [4, 1, 3, 2]
    counts = PairCounts.from_tables(at_chance(row, col))
    found = least_disagreement(counts, scale_of(unit * d, [0] * 4))
    assert_allclose(found / unit, by_linear_programme(d, row, col), rtol=1e-12)
    found = greatest_disagreement(counts, scale_of(unit * d, [0] * 4))
    assert_allclose(found / unit, by_linear_programme(d, row, col, sign=-1), rtol=1e-12)


def test_long_scales_need_no_programme(monkeypatch):
    """Sixty classes of a thousand items in a hundred tables, paired in order of size."""
    monkeypatch.setattr(pair_kappas, "_transport", None)
    a, b = np.random.default_rng(5).integers(0, 60, (2, 100, 1000))
    b //= 2
    tables = np.stack([cross(60, x, y) for x, y in zip(a, b, strict=True)])
    counts = PairCounts.from_tables(tables)
    gaps = abs(np.sort(a, axis=1) - np.sort(b, axis=1)).astype(float)
    for weights, power in {"linear": 1, "quadratic": 2}.items():
        found = least_disagreement(counts, scale_of(weights, np.arange(60.0)))
        assert_allclose(found, (gaps**power).mean(axis=1), rtol=1e-10)


def test_a_matrix_of_distances_needs_no_programme(monkeypatch):
    """A given matrix that is convex in the distance is recognised as such."""
    monkeypatch.setattr(pair_kappas, "_transport", None)
    d = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0))) ** 3
    greatest(d, [1, 2, 3, 4], [4, 3, 2, 1])


@each("weights", ["linear", "quadratic"])
def test_all_raters_together_are_the_mean_of_the_pairs(weights):
    """In each group on a scale of its own, and however many raters there are."""
    rng = np.random.default_rng(19)
    for n_raters in (2, 3, 40):
        margins = np.zeros((n_raters, 2, 5))
        margins[:, 0, :4] = rng.multinomial(30, [0.4, 0.3, 0.2, 0.1], n_raters)
        margins[:, 1, 1:] = rng.multinomial(17, [0.1, 0.1, 0.4, 0.4], n_raters)
        in_use = np.array([[True] * 4 + [False], [False] + [True] * 4])
        scale = scale_of(weights, [0, 1, 3, 4, 9], in_use)
        pairs = [
            extreme_disagreement(a / a.sum(axis=1)[:, None], b / b.sum(axis=1)[:, None], scale)
            for a, b in combinations(margins, 2)
        ]
        found = least_disagreement_together(margins, scale)
        assert_allclose(found, np.mean(pairs, axis=0), rtol=1e-12)


def test_all_raters_together_without_items():
    margins = np.zeros((3, 2, 3))
    margins[:, 1] = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    found = least_disagreement_together(margins, scale_of("linear", [1, 2, 3]))
    assert np.isnan(found[0])
    assert_allclose(found[1], 4 / 3)
    assert least_disagreement_together(margins[:, :0], scale_of("linear", [1, 2, 3])).shape == (0,)


@every_weighting
@each("place", [0, 1, 2])
def test_a_constant_rater_in_a_group_with_a_shorter_scale(weights, place):
    """Categories of other groups may be infinitely far from those of this one."""
    in_use = np.array([[True] * 3 + [False] * 3, [False] + [True] * 5])
    tables = np.zeros((2, 6, 6), dtype=int)
    tables[0, place, :3], tables[1, 1:, 1:] = [1, 2, 1], np.eye(5)
    scale = scale_of(weights, np.arange(1.0, 7.0), in_use)
    counts = PairCounts.from_tables(tables)
    found = least_disagreement(counts, scale)
    alone = scale_of(weights, [1, 2, 3]).matrix()
    assert_allclose(found, [alone[place] @ [0.25, 0.5, 0.25], 0], atol=1e-12)
    assert_allclose(greatest_disagreement(counts, scale)[0], found[0], atol=1e-12)


@each("weights", ["radical", "circular"])
def test_too_many_categories_for_a_programme(weights, monkeypatch):
    monkeypatch.setattr(pair_kappas, "LARGEST_PROGRAMME", 3)
    row, col = [1, 2, 3, 4], [4, 3, 2, 1]
    assert np.isnan(greatest(weights, row, col))
    assert not np.isnan(greatest(weights, row[:3], [2, 2, 2]))
    assert not np.isnan(greatest("quadratic", row, col))


@every_weighting
def test_programmes_that_are_not_wanted(weights):
    """What has a closed form has it anyway."""
    counts = PairCounts.from_tables(np.arange(16).reshape(4, 4))
    scale = scale_of(weights, [1, 2, 4, 7])
    found = least_disagreement(counts, scale, programmes=False)
    if WEIGHTS[weights].convex or not WEIGHTS[weights].ordered:
        assert_array_equal(found, least_disagreement(counts, scale))
    elif weights in ("radical", "circular"):
        assert np.isnan(found)
        assert np.isnan(greatest_disagreement(counts, scale, programmes=False))
