"""Laws of agreement that hold for any frame, through the public functions."""

import copy
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

import pdkappa
from conftest import function_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS

# Undefined values and frames that look like mistakes are drawn on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")

coefficients = st.sampled_from(list(COEFFICIENTS))
distances = st.sampled_from([None, "linear", "quadratic"])
few = settings(max_examples=10)
some = settings(max_examples=15)
many = settings(max_examples=3 * len(COEFFICIENTS))

# Coefficients whose chance comes from the margins alone, and weightings whose disagreement of
# two values does not depend on what other values there are.
OF_MARGINS = ("cohen", "scott", "krippendorff")
OF_VALUES = (None, "linear", "quadratic", "radical")


class Case(NamedTuple):
    """A frame of ratings, its scale, and weights that it may be given."""

    frame: pd.DataFrame
    scale: list[int]
    weights: str | None

    def pairs(self, frame=None, **options):
        """Estimate all pairs of the frame, or of another."""
        frame = self.frame if frame is None else frame
        return function_of("pairs")(frame, **{"weights": self.weights} | options)


@st.composite
def cases(draw, *, raters=(2, 5), weights=tuple(WEIGHTS), missing=True, gaps=True):
    """Draw raters who agree more than by chance on a whole-numbered scale with gaps."""
    name = draw(st.sampled_from(weights))
    lowest = 0 if name == "ratio" else -5
    if gaps:
        values = st.sets(st.integers(lowest, 20), min_size=1, max_size=6)
    else:
        values = st.integers(1, 6).map(lambda k: range(lowest + 5, lowest + 5 + k))
    scale = sorted(draw(values))
    shape = draw(st.integers(1, 30)), draw(st.integers(*raters))
    place = st.integers(0, len(scale) - 1)
    truth = draw(arrays(np.int8, (shape[0], 1), elements=place, fill=st.nothing()))
    noise = draw(arrays(np.int8, shape, elements=st.sampled_from([0, 0, 0, -1, 1, 2])))
    frame = pd.DataFrame(
        np.array(scale)[np.clip(truth + noise, 0, len(scale) - 1)],
        columns=list("abcde")[: shape[1]],
    )
    if missing and draw(st.booleans()):
        frame = frame.mask(draw(arrays(np.bool_, shape)))
    return Case(frame, scale, name)


def assert_same(found, expected, ignore=(), case=""):
    """Compare results; an error that is zero under chance is the root of a rounding error."""
    assert found.columns.tolist() == expected.columns.tolist()
    certain = (found["se"].to_numpy() > 1e-6) & (expected["se"].to_numpy() > 1e-6)
    for name in found.columns.difference(ignore, sort=False):
        one, other = found[name].to_numpy(), expected[name].to_numpy()
        where = f"{name} {case}"
        if one.dtype == object or name.startswith("rater"):
            assert_array_equal(one, other, err_msg=where)
        elif name in ("z", "p_value"):
            assert_allclose(one[certain], other[certain], rtol=1e-6, atol=1e-9, err_msg=where)
        else:
            assert_allclose(one, other, rtol=1e-7, atol=1e-7, err_msg=where)


@many
@given(coefficient=coefficients, case=cases(raters=(2, 3)), data=st.data())
def test_the_order_of_the_raters(coefficient, case, data):
    order = data.draw(st.permutations(list(case.frame.columns)))
    options = {"weights": case.weights, "coefficient": coefficient}
    for stat in ("estimate", "se", "max_estimate"):
        found = case.frame[order].kappa.pairwise(stat=stat, **options)
        expected = case.frame.kappa.pairwise(stat=stat, **options).loc[order, order]
        assert found.index.tolist() == found.columns.tolist() == order
        assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@many
@given(coefficient=coefficients, case=cases(), rows=st.integers(1, 5))
def test_items_that_nobody_rated(coefficient, case, rows):
    empty = pd.DataFrame(np.nan, index=range(rows), columns=case.frame.columns)
    longer = pd.concat([empty, case.frame.astype(float), empty], ignore_index=True)
    assert_same(case.pairs(longer, coefficient=coefficient), case.pairs(coefficient=coefficient))


@many
@given(coefficient=coefficients, case=cases(raters=(2, 2)))
def test_items_that_one_of_two_rated(coefficient, case):
    complete = case.frame.dropna()
    options = {"coefficient": coefficient, "categories": case.scale}
    found, expected = case.pairs(**options), case.pairs(complete, **options)
    assert_same(found, expected, ignore=["reason"])
    assert found["n_items"].item() == len(complete)


@pytest.mark.parametrize("coefficient", OF_MARGINS)
@few
@given(case=cases(weights=OF_VALUES))
def test_categories_that_a_pair_did_not_use(coefficient, case):
    """Neither those of the items left out, nor those of other raters, nor declared ones."""
    estimates = ["n_items", "estimate", "se", "ci_low", "ci_high"]
    found = case.pairs(coefficient=coefficient).set_index(["rater_a", "rater_b"])
    declared = case.pairs(coefficient=coefficient, categories=[-9, *case.scale, 25])
    assert_allclose(declared[estimates[:3]], found[estimates[:3]], rtol=1e-7, atol=1e-7)
    for a, b in combinations(case.frame.columns, 2):
        alone = case.pairs(case.frame[[a, b]].dropna(), coefficient=coefficient)
        assert_allclose(
            alone[estimates[:3]].iloc[0], found.loc[(a, b), estimates[:3]].astype(float), atol=1e-7
        )


@many
@given(
    coefficient=coefficients,
    case=cases(weights=("linear", "quadratic")),
    factor=st.sampled_from([-2, 3, 10, 0.5, 0.25, 0.1]),
)
def test_another_unit_of_the_scale(coefficient, case, factor):
    found = case.pairs(case.frame * factor + 7, coefficient=coefficient)
    assert_same(found, case.pairs(coefficient=coefficient))


@many
@given(coefficient=coefficients, case=cases(weights=("ordinal",)))
def test_ordinal_weights_know_the_order_of_the_scale_alone(coefficient, case):
    places = {value: place for place, value in enumerate(case.scale)}
    ranked = case.frame.map(places.get, na_action="ignore")
    assert_same(case.pairs(ranked, coefficient=coefficient), case.pairs(coefficient=coefficient))


@many
@given(coefficient=coefficients, case=cases(weights=(None,)), data=st.data())
def test_other_names_of_the_categories(coefficient, case, data):
    words = data.draw(st.permutations(["ja", "nein", "später", "π", "x y", "0"]))
    names = dict(zip(case.scale, words, strict=False))
    words = case.frame.map(names.get, na_action="ignore").astype(object)
    assert_same(case.pairs(words, coefficient=coefficient), case.pairs(coefficient=coefficient))


@many
@given(coefficient=coefficients, case=cases(), data=st.data())
def test_a_weight_counts_an_item_several_times(coefficient, case, data):
    weights = data.draw(arrays(np.int64, len(case.frame), elements=st.integers(0, 4)))
    assume(weights.any())
    repeated = case.frame.loc[case.frame.index.repeat(weights)]
    found = case.pairs(case.frame.assign(w=weights), coefficient=coefficient, sample_weight="w")
    assert_same(found, case.pairs(repeated, coefficient=coefficient))
    given_as_array = case.pairs(coefficient=coefficient, sample_weight=weights)
    pd.testing.assert_frame_equal(given_as_array, found)


@many
@given(
    coefficient=coefficients,
    case=cases(),
    data=st.data(),
    factor=st.sampled_from([2.0**-40, 0.1, 7.0, 2.0**70, 1e200]),
)
def test_another_unit_of_the_weights(coefficient, case, data, factor):
    """Agreement stays; alpha and the errors know how many items there are."""
    weights = data.draw(arrays(np.float64, len(case.frame), elements=st.integers(1, 9)))
    names = ["observed_agreement"]
    if coefficient != "krippendorff":
        names += ["expected_agreement", "estimate", "max_estimate"]
    options = {"coefficient": coefficient, "weight_type": "frequency"}
    found = case.pairs(sample_weight=weights * factor, **options)
    expected = case.pairs(coefficient=coefficient, sample_weight=weights)
    assert_allclose(found[names], expected[names], rtol=1e-7, atol=1e-7)
    assert_allclose(found["n_items"], expected["n_items"] * factor, rtol=1e-12)
    table, scaled = (
        case.frame.kappa.confusion("a", "b", sample_weight=weights * unit) for unit in (1, factor)
    )
    assert_allclose(scaled, table * factor, rtol=1e-12)
    if factor == 7:
        part = np.sqrt(factor)
        if coefficient == "krippendorff":
            n = 2 * expected["n_items"]
            part = part / ((7 * n - 1) / (7 * (n - 1)))
        both = (found["n_items"] >= 2) & (expected["n_items"] >= 2)
        assert_allclose((found["se"] * part)[both], expected["se"][both], rtol=1e-7, atol=1e-7)


@many
@given(coefficient=coefficients, case=cases(missing=False), times=st.integers(2, 5))
def test_every_item_several_times(coefficient, case, times):
    once = case.pairs(coefficient=coefficient)
    found = case.pairs(pd.concat([case.frame] * times), coefficient=coefficient)
    n = 2 * once["n_items"]
    part = (times * n - 1) / (times * (n - 1)) if coefficient == "krippendorff" else 1.0
    assert_allclose(1 - found["estimate"], (1 - once["estimate"]) * part, rtol=1e-9, atol=1e-9)
    errors = (once["se"] * part / np.sqrt(times))[once["n_items"] > 1]
    assert_allclose(found["se"][once["n_items"] > 1], errors, rtol=1e-9, atol=1e-9)


@many
@given(coefficient=coefficients, case=cases())
def test_everything_in_its_range(coefficient, case):
    found = case.pairs(coefficient=coefficient)
    defined = found["estimate"].notna()
    assert (found["observed_agreement"].dropna().between(-1e-12, 1)).all()
    assert (found["estimate"] <= found["max_estimate"] + 1e-9)[defined].all()
    assert (found["max_estimate"] <= 1 + 1e-9)[defined].all()
    if coefficient in OF_MARGINS and case.weights in (None, "linear", "quadratic"):
        assert (found["estimate"] >= -1 - 1e-12)[defined].all()
    limits = found[found["se"].notna()]
    assert (limits["ci_low"] <= limits["estimate"]).all()
    assert (limits["estimate"] <= limits["ci_high"]).all()
    assert found["p_value"].dropna().between(0, 1).all()


@many
@given(coefficient=coefficients, case=cases())
def test_what_is_undefined_has_a_reason(coefficient, case):
    found = case.pairs(coefficient=coefficient)
    unknown = found["se"].isna()
    tested = COEFFICIENTS[coefficient].tested
    assert_array_equal(found["reason"] != "", unknown | (found["z"].isna() & tested))
    assert (found["estimate"].notna() | unknown).all()
    bare = unknown & (found["reason"] != "constant_rater")  # who has limits all the same
    assert (found["ci_low"].isna() == bare).all()
    assert (found["ci_high"].isna() == bare).all()
    assert (
        found["n_items"] == [case.frame[[*pair]].dropna().shape[0] for pair in names(found)]
    ).all()


def names(found):
    """Return the raters of each row."""
    return zip(found["rater_a"], found["rater_b"], strict=True)


@many
@given(coefficient=coefficients, case=cases(missing=False))
def test_one_if_and_only_if_identical(coefficient, case):
    found = case.pairs(coefficient=coefficient)
    same = [case.frame[a].equals(case.frame[b]) for a, b in names(found)]
    defined = found["estimate"].notna()
    assert_array_equal((found["estimate"] == 1)[defined], np.array(same)[defined])


@many
@given(coefficient=coefficients, case=cases(), unit=st.sampled_from([1, 0.5]))
def test_the_matrix_shows_the_pairs(coefficient, case, unit):
    options = {"weights": case.weights, "coefficient": coefficient}
    frame = case.frame * unit
    found = case.pairs(frame, coefficient=coefficient)
    for stat in ("n_items", "estimate", "se", "ci_high", "reason"):
        matrix = frame.kappa.pairwise(stat=stat, **options)
        assert matrix.index.tolist() == matrix.columns.tolist() == frame.columns.tolist()
        for row in found.to_dict("records"):
            for cell in ((row["rater_a"], row["rater_b"]), (row["rater_b"], row["rater_a"])):
                if stat == "reason":
                    assert matrix.loc[cell] == row[stat]
                else:
                    assert_allclose(matrix.loc[cell], row[stat], rtol=1e-7, atol=1e-9)


@many
@given(coefficient=coefficients, case=cases())
def test_the_diagonal_is_a_rater_with_himself(coefficient, case):
    matrix = case.frame.kappa.pairwise(weights=case.weights, coefficient=coefficient)
    declared = sorted({value for column in case.frame for value in case.frame[column].dropna()})
    for rater in case.frame if declared else []:
        twice = pd.DataFrame({"one": case.frame[rater], "two": case.frame[rater]})
        alone = case.pairs(twice, coefficient=coefficient, categories=declared)
        assert_allclose(matrix.loc[rater, rater], alone["estimate"].item(), rtol=1e-12)
        assert matrix.loc[rater, rater] == 1 or np.isnan(matrix.loc[rater, rater])


@many
@given(coefficient=coefficients, case=cases(raters=(2, 3)), data=st.data())
def test_groups_of_numbers_are_separate_calls(coefficient, case, data):
    """Each group has the scale of its own ratings; without weights, all share the categories."""
    used = sorted({value for column in case.frame for value in case.frame[column].dropna()})
    shared = used if case.weights is None and used else None
    labels = data.draw(arrays(np.int64, len(case.frame), elements=st.integers(0, 2)))
    found = case.pairs(case.frame.assign(group=labels), by="group", coefficient=coefficient)
    assert_array_equal(found.index.unique(), np.unique(labels))
    for label, rows in found.groupby("group"):
        own = case.frame[labels == label]
        alone = case.pairs(own, coefficient=coefficient, categories=shared)
        assert_same(rows.reset_index(drop=True), alone)


def test_groups_of_numbers_keep_their_own_scales():
    """Also where a group leaves out what lies between its own values."""
    rng = np.random.default_rng(1)
    scales = {"low": [1, 2, 3, 5], "wide": [1, 5, 9], "high": [3, 8, 9]}
    frames = {
        group: pd.DataFrame(np.repeat(rng.choice(scale, (30, 1)), 3, axis=1), columns=list("abc"))
        for group, scale in scales.items()
    }
    for group, frame in frames.items():
        frame["b"] = frame["b"].where(rng.random(30) < 0.6, rng.choice(scales[group], 30))
        frame["c"] = frame["c"].where(rng.random(30) < 0.3, rng.choice(scales[group], 30))
    together = pd.concat(frames, names=["group"]).reset_index("group")
    for options in product(("cohen", "gwet"), WEIGHTS):
        given = dict(zip(("coefficient", "weights"), options, strict=True))
        found = together.kappa.pairs(by="group", **given)
        shared = None if options[1] else sorted(set().union(*scales.values()))
        for group, rows in found.groupby("group"):
            alone = frames[group].kappa.pairs(categories=shared, **given)
            assert_same(rows.reset_index(drop=True), alone, case=options)


@many
@given(coefficient=coefficients, case=cases(raters=(2, 3), weights=(None,)), data=st.data())
def test_groups_of_text_share_their_categories(coefficient, case, data):
    words = case.frame.map(lambda value: f"grade {value:g}", na_action="ignore").astype(object)
    everything = sorted({value for column in words for value in words[column].dropna()})
    assume(everything)
    labels = data.draw(arrays(np.int64, len(words), elements=st.integers(0, 2)))
    named = {"raters": list(words), "coefficient": coefficient}
    found = case.pairs(words.assign(group=labels), by="group", **named)
    for label, rows in found.groupby("group"):
        alone = case.pairs(words[labels == label], categories=everything, **named)
        assert_same(rows.reset_index(drop=True), alone)


@many
@given(coefficient=coefficients, case=cases(raters=(2, 2)), data=st.data())
def test_grouped_is_the_pairs_and_their_mean(coefficient, case, data):
    labels = data.draw(arrays(np.int64, len(case.frame), elements=st.integers(0, 3)))
    weight = {label: data.draw(st.sampled_from([0.5, 1, 2, 7])) for label in range(4)}
    frame = case.frame.assign(group=labels)
    options = {"by": "group", "weights": case.weights, "coefficient": coefficient}
    result = frame.kappa.grouped("a", "b", group_weights=weight, **options)
    found = frame.kappa.pairs(["a", "b"], **options)
    shared = [name for name in result.groups if name in found and name != "remark"]
    assert {"n_items", "estimate", "se", "ci_low", "max_estimate", "reason"} <= set(shared)
    for name in shared:
        assert_array_equal(result.groups[name], found[name], err_msg=name)
    given_weights = [weight[label] for label in found.index]
    assert_array_equal(result.groups["weight"], given_weights)
    defined = found["estimate"].notna().to_numpy()
    if defined.any() and (found["estimate"][defined].abs() <= 1).all():
        mean = pdkappa.fisher_mean(found["estimate"][defined], np.array(given_weights)[defined])
        assert_allclose(float(result), mean, rtol=1e-12, atol=1e-15)
    assert np.isnan(float(result)) == (not defined.any())


@many
@given(coefficient=coefficients, case=cases(raters=(2, 2)), data=st.data())
def test_a_contingency_table_is_as_good_as_its_items(coefficient, case, data):
    options = {"coefficient": coefficient, "weights": case.weights}
    table = case.frame.kappa.confusion("a", "b", categories=case.scale)
    assert table.to_numpy().sum() == len(case.frame.dropna())
    if data.draw(st.booleans()):
        table, expected = (
            table.T,
            case.pairs(case.frame[["b", "a"]], categories=case.scale, **options),
        )
    else:
        expected = case.pairs(categories=case.scale, **options)
    found = pdkappa.from_table(table).pairs(**options)
    assert_same(found, expected, ignore=["reason"])


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
@given(weights=distances, case=cases(raters=(2, 3)), data=st.data())
def test_scikit_learn_with_all_values_of_the_range(weights, case, data):
    from sklearn import metrics

    item_weights = data.draw(arrays(np.float64, len(case.frame), elements=st.integers(1, 9)))
    found = case.frame.kappa.pairs(weights=weights, sample_weight=item_weights)
    for row in found.to_dict("records"):
        both = case.frame[[row["rater_a"], row["rater_b"]]].dropna().astype(int)
        if both.to_numpy().size == 0 or both.to_numpy().min() == both.to_numpy().max():
            assert np.isnan(row["estimate"])
            continue
        labels = range(both.to_numpy().min(), both.to_numpy().max() + 1)
        expected = metrics.cohen_kappa_score(
            both.iloc[:, 0],
            both.iloc[:, 1],
            labels=labels,
            weights=weights,
            sample_weight=item_weights[both.index],
        )
        assert_allclose(row["estimate"], expected, atol=1e-9)


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
@given(weights=distances, case=cases(raters=(2, 2), missing=False))
def test_scikit_learn_closes_the_gaps_as_ranks_do(weights, case):
    from sklearn import metrics

    a, b = case.frame["a"], case.frame["b"]
    assume(len({*a, *b}) > 1)
    ranks = {label: rank for rank, label in enumerate(sorted({*a, *b}))}
    found = case.frame.kappa.pairs(weights=weights, categories=ranks)["estimate"].item()
    assert_allclose(found, metrics.cohen_kappa_score(a, b, weights=weights), atol=1e-9)


@pytest.mark.oracle
@pytest.mark.needs("krippendorff")
@pytest.mark.parametrize(("weights", "level"), [(None, "nominal"), ("quadratic", "interval")])
@some
@given(case=cases(raters=(2, 3)))
def test_krippendorff_with_missing_ratings(weights, level, case):
    import krippendorff

    frame = case.frame.astype(float)
    found = frame.kappa.pairs(weights=weights, coefficient="krippendorff")
    for row in found.to_dict("records"):
        both = frame[[row["rater_a"], row["rater_b"]]]
        rated = both.dropna().to_numpy()
        if rated.size == 0 or rated.min() == rated.max():
            assert np.isnan(row["estimate"])
            continue
        expected = krippendorff.alpha(
            reliability_data=both.to_numpy().T, level_of_measurement=level
        )
        assert_allclose(row["estimate"], expected, atol=1e-9)


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
@few
@given(case=cases(raters=(2, 3), missing=False, gaps=False, weights=(None, "linear", "quadratic")))
def test_the_cross_check_finds_no_difference(case):
    found = case.frame.kappa.crosscheck(weights=case.weights)
    assert found["agrees"].dropna().all()


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_the_cross_check_finds_no_difference_under_perfect_agreement(weights):
    """Where other packages take the roots of rounding errors."""
    for ratings in ([0, 0, 0, 0, 1, 2], [2, 0, 1, 1, 1, 1], [0], [1, 1]):
        frame = pd.DataFrame({"a": ratings, "b": ratings})
        assert frame.kappa.crosscheck(weights=weights)["agrees"].dropna().all(), ratings


CALLS = {
    "pairs": lambda data, **o: data.kappa.pairs(["a", "b"], **o),
    "pairs by group": lambda data, **o: data.kappa.pairs(["a", "b"], by="g", **o),
    "pairwise": lambda data, **o: data.kappa(weight_type="frequency").pairwise(
        ["b", "a"], stat="ci_low", sample_weight="w", **o
    ),
    "grouped": lambda data, **o: data.kappa.grouped("a", "b", by="g", group_weights="u", **o),
    "confusion": lambda data, weights: data.kappa.confusion("a", "b", by="g"),  # noqa: ARG005
    "crosscheck": lambda data, **o: data.kappa.crosscheck(["a", "b"], by="g", **o),
    "report": lambda data, **o: data.kappa.report(["a", "b"], **o),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@settings(max_examples=10)
@given(case=cases(raters=(2, 2), weights=(None, "linear", "quadratic")), data=st.data())
def test_the_frame_is_never_changed(call, case, data):
    items = len(case.frame)
    index = pd.Index(data.draw(st.permutations(range(items))), name="item")
    frame = case.frame.set_axis(index).assign(g=np.arange(items) % 2, w=1.5, u=2.0)
    frame = frame.astype({"a": data.draw(st.sampled_from(["float64", "Float64", "object"]))})
    frame.attrs["source"] = ["kept"]
    frame = frame.set_flags(allows_duplicate_labels=False)
    before, attributes = frame.copy(deep=True), copy.deepcopy(frame.attrs)
    for values in (frame[name].to_numpy() for name in frame):
        values.setflags(write=False)
    call(frame, weights=case.weights)
    pd.testing.assert_frame_equal(frame, before, check_exact=True, check_flags=True)
    assert frame.attrs == attributes
    assert frame.flags.allows_duplicate_labels is False
    assert frame.index is index or frame.index.equals(index)
    assert frame.index.name == "item"


@few
@given(case=cases(), data=st.data())
def test_the_same_call_gives_the_same_bits(case, data):
    coefficient = data.draw(st.sampled_from(list(COEFFICIENTS)))
    first, second = (case.pairs(coefficient=coefficient) for _ in range(2))
    pd.testing.assert_frame_equal(first, second, check_exact=True)
