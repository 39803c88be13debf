"""Limits from redrawn counts: against all resamples, rows drawn one by one, and leave-one-out."""

import inspect
import tracemalloc
from collections import Counter
from functools import partial
from itertools import product
from math import factorial, prod

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy import stats

import conftest
from conftest import each, scale_of
from pdkappa.coefficients import resampling as samples_module
from pdkappa.coefficients.all_raters import MULTIRATER, basics_of
from pdkappa.coefficients.all_raters_estimates import compute_many
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts, count_pairs
from pdkappa.coefficients.resampling import (
    RESAMPLED,
    Drawing,
    PairSample,
    ResampledLimits,
    RowSample,
    has_whole_counts,
    resampled_limits,
    resampled_limits_of_many,
)

rows_of = partial(conftest.rows_of, k=3)
every_coefficient = each("coefficient", COEFFICIENTS)
every_method = each("method", RESAMPLED)
every_model = each("name", MULTIRATER)
TAILS = [0.025, 0.975]
TABLE = np.array([[11, 3, 1], [4, 9, 2], [0, 3, 7]])
PAIR = np.array([[0, 1, 2, 1, 0, 2, 2, 1], [0, 1, 1, 1, 2, 2, 0, 1]])
STACK = np.stack([TABLE, TABLE.T, TABLE + 1, np.diag([5, 6, 7]), 0 * TABLE])


def limits_of(tables, *, method="percentile", weights="quadratic", coefficient="cohen", **options):
    """Limits of a table or a stack of tables."""
    counts = tables if isinstance(tables, PairCounts) else PairCounts.from_tables(tables)
    scale, own = scale_of(weights, counts.n_categories), COEFFICIENTS[coefficient]
    options = {"level": 0.95, "n_resamples": 199, "rng": 1} | options
    agreement = chance_corrected(counts, scale, own)
    n_all = options.pop("n_all", None)
    drawing = Drawing(method, **options)
    return resampled_limits(agreement, counts, scale, own, drawing, n_all=n_all)


def sample_of(table, *, weights="quadratic", coefficient="cohen", rest=0):
    """Items of one table."""
    counts = PairCounts.from_tables(np.asarray(table))
    return PairSample(counts, scale_of(weights, len(table)), COEFFICIENTS[coefficient], rest)


def estimate_of(table, weights="quadratic", coefficient="cohen"):
    """Coefficient of one table, or of a stack."""
    counts = PairCounts.from_tables(np.asarray(table))
    scale = scale_of(weights, counts.n_categories)
    return chance_corrected(counts, scale, COEFFICIENTS[coefficient]).estimate


def simulated(n=40, n_raters=4, k=3, missing=0.15, seed=5):
    """Ratings of the same truth with errors of a step, some of them missing."""
    rng = np.random.default_rng(seed)
    seen = rng.integers(0, k, n) + rng.integers(-1, 2, (n_raters, n))
    return np.where(rng.random(seen.shape) < missing, -1, np.clip(seen, 0, k - 1))


def many_limits(rows, names=tuple(MULTIRATER), *, method="percentile", by_items=True, **options):
    """Limits of the coefficients of many raters, each a `ResampledLimits` of its own."""
    scale, models = scale_of("linear", rows.n_categories), {one: MULTIRATER[one] for one in names}
    found = compute_many(rows, scale, models, by_items=by_items, ci="wald")
    found = found.summaries(ci="wald", level=0.95)
    options = {"level": 0.95, "n_resamples": 199, "rng": 1} | options
    limits = resampled_limits_of_many(
        rows,
        scale,
        list(models.values()),
        np.stack([one.estimate for one in found.values()], axis=1),
        np.stack([one.se for one in found.values()], axis=1),
        by_items=by_items,
        drawing=Drawing(method, **options),
    )
    return {
        name: ResampledLimits(*(field[:, m] for field in limits)) for m, name in enumerate(names)
    }


def model_of(rows, name):
    """Coefficient of many raters in each group, by its definition."""
    scale = scale_of("linear", rows.n_categories)
    return MULTIRATER[name](rows, scale, basics_of(rows, scale)).estimate


@every_coefficient
def test_bca_is_that_of_scipy(coefficient):
    """The limits of `scipy.stats.bootstrap` from the same items and the same resamples."""
    first, second = np.nonzero(TABLE)[0], np.nonzero(TABLE)[1]
    times = TABLE[first, second]
    codes = np.repeat(np.stack([first, second]), times, axis=1)

    def statistic(a, b, axis=-1):  # noqa: ARG001
        flat = np.zeros((*a.shape[:-1], 9), dtype=np.int64)
        for cell in range(9):
            flat[..., cell] = (a.astype(int) * 3 + b.astype(int) == cell).sum(axis=-1)
        result = estimate_of(flat.reshape(-1, 3, 3), coefficient=coefficient)
        return result.reshape(a.shape[:-1])[()]

    seed = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
    theirs = stats.bootstrap(
        tuple(codes), statistic, paired=True, vectorized=True, n_resamples=499, **{seed: 3}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "pdkappa.coefficients.resampling._draw",
            lambda *_: theirs.bootstrap_distribution[:, None],
        )
        ours = limits_of(TABLE, method="bca", coefficient=coefficient)
    interval = theirs.confidence_interval
    assert_allclose([ours.low[0], ours.high[0]], [interval.low, interval.high], atol=1e-12)


@every_method
def test_one_call_for_all_tables_is_one_call_for_each(method):
    """With the same streams; a table without a standard error has no limits."""
    together = limits_of(STACK, method=method)
    for table in range(4):
        rng = np.random.default_rng(1)
        rng.spawn(table)
        alone = limits_of(STACK[table], method=method, rng=rng)
        assert_array_equal([one[table] for one in together], np.ravel(alone))
    assert np.isnan([together.low[4], together.high[4]]).all()


def test_a_generator_goes_on_and_none_is_always_new():
    rng = np.random.default_rng(8)
    assert limits_of(TABLE, rng=rng).low != limits_of(TABLE, rng=rng).low
    assert limits_of(TABLE, rng=None).low != limits_of(TABLE, rng=None).low


@every_method
def test_blocks_change_no_bit(method):
    rows = rows_of(simulated(), group=np.arange(40) % 2)
    whole = limits_of(STACK, method=method), many_limits(rows, method=method)
    for block in (3, 700):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(samples_module, "BLOCK", block)
            parts = limits_of(STACK, method=method), many_limits(rows, method=method)
        assert_array_equal(whole[0], parts[0])
        assert_array_equal(list(whole[1].values()), list(parts[1].values()))


def test_memory_is_bounded():
    """2,000 resamples of the 3,721 cells of a 0-60 scale would hold 7 million counts."""
    table = np.random.default_rng(2).multinomial(40_000, np.full(3721, 1 / 3721))
    tracemalloc.start()
    limits_of(table.reshape(61, 61), method="bca", n_resamples=2000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20


def test_weights_must_be_whole_numbers():
    counts = PairCounts.from_tables(TABLE * 1.0)
    assert has_whole_counts(counts)
    assert not has_whole_counts(PairCounts.from_tables(TABLE / 2))
    assert not has_whole_counts(PairCounts.from_tables(TABLE * 2.0**50))
    keys = counts.keys, counts.count
    scaled = PairCounts.from_keys(*keys, 1, 3)
    object.__setattr__(scaled, "unit", 1e300)
    assert not has_whole_counts(scaled)
    halves = np.full(8, 0.5)
    assert not has_whole_counts(rows_of(PAIR, count=halves))
    assert has_whole_counts(rows_of(PAIR, count=halves, cluster=np.arange(8) // 2))


@every_method
def test_frequencies_are_rows(method):
    count = np.random.default_rng(3).integers(1, 5, 40)
    codes = simulated()
    weighted = many_limits(rows_of(codes, count=count), method=method)
    repeated = many_limits(rows_of(np.repeat(codes, count, axis=1)), method=method)
    for name in MULTIRATER:
        assert_allclose(weighted[name], repeated[name], atol=1e-12)
    plain = limits_of(TABLE, method=method)
    assert_array_equal(plain, limits_of(TABLE * 1.0, method=method))


def test_counts_have_the_law_of_all_resamples():
    """All 5 ** 5 resamples of five items against the multinomial weights of their counts."""
    codes = PAIR[:, :5]
    kinds, which = np.unique(codes, axis=1, return_inverse=True)
    times = np.bincount(which.ravel())
    seen = Counter(
        tuple(np.bincount(which.ravel()[list(drawn)], minlength=len(times)))
        for drawn in product(range(5), repeat=5)
    )
    draws = np.array(list(seen))
    weight = [
        factorial(5) / prod(map(factorial, one)) * prod((times / 5) ** one)
        for one in draws.tolist()
    ]
    assert_allclose(np.array(list(seen.values())) / 5**5, weight, atol=1e-15)
    sample = PairSample(
        count_pairs(codes, 3, pairs=[(0, 1)]), scale_of("linear", 3), COEFFICIENTS["cohen"]
    )
    dense = np.zeros((len(draws), 3, 3), dtype=np.int64)
    dense[:, kinds[0], kinds[1]] = draws
    assert_allclose(sample.estimates(draws)[:, 0], estimate_of(dense, "linear"), atol=1e-15)


def test_percentile_limits_are_quantiles_of_the_stream():
    sample, n = sample_of(TABLE), TABLE.sum()
    stream = np.random.default_rng(1).spawn(1)[0]
    drawn = sample.estimates(stream.multinomial(n, sample.times / n, size=199))
    found = limits_of(TABLE)
    assert_allclose([found.low[0], found.high[0]], np.quantile(drawn, TAILS), rtol=1e-12)


def test_items_not_rated_by_both_are_drawn_too():
    """The number of joint items is binomial; the jackknife counts every item."""
    rest, n = 30, int(TABLE.sum())
    sample = sample_of(TABLE, rest=rest)
    assert_array_equal(sample.times, [*TABLE[TABLE > 0], rest])
    values = np.array([*sample_of(TABLE).left_out()[:, 0], estimate_of(TABLE)[0]])
    every = np.repeat(values, sample.times)
    half = stats.t.ppf(0.975, n + rest - 1) * np.sqrt((n + rest - 1) * every.var())
    found = limits_of(TABLE, method="jackknife", n_all=np.array([n + rest]))
    assert_allclose([found.low[0], found.high[0]], estimate_of(TABLE)[0] + half * np.array([-1, 1]))
    stream = np.random.default_rng(1).spawn(1)[0]
    draws = stream.multinomial(n + rest, sample.times / (n + rest), size=199)
    assert draws[:, :-1].sum(axis=1).std() > 2
    found = limits_of(TABLE, n_all=np.array([n + rest]))
    drawn = sample.estimates(draws)[:, 0]
    assert_allclose([found.low[0], found.high[0]], np.quantile(drawn, TAILS), rtol=1e-12)
    same = limits_of(TABLE, n_all=np.array([n]))
    assert_array_equal(same, limits_of(TABLE))


@every_coefficient
def test_the_jackknife_is_that_of_the_textbook(coefficient):
    """Estimate -/+ t sqrt((n - 1) / n sum of squares), item by item."""
    first, second = np.nonzero(TABLE)
    codes = np.repeat(np.stack([first, second]), TABLE[first, second], axis=1)
    n = codes.shape[1]
    values = np.empty(n)
    for item in range(n):
        left = np.zeros((3, 3), dtype=np.int64)
        np.add.at(left, tuple(np.delete(codes, item, axis=1)), 1)
        values[item] = estimate_of(left, coefficient=coefficient)[0]
    se = np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, n - 1) * se
    found = limits_of(TABLE, method="jackknife", coefficient=coefficient)
    estimate = estimate_of(TABLE, coefficient=coefficient)[0]
    assert_allclose([found.low[0], found.high[0]], [estimate - half, estimate + half])


@every_model
@each("clustered", [False, True])
def test_the_jackknife_of_many_raters_is_leave_one_out(name, clustered):
    codes = simulated()
    cluster = np.arange(40) // 3 if clustered else np.arange(40)
    rows = rows_of(codes, cluster=cluster if clustered else None)
    units = np.unique(cluster)
    values = np.array([model_of(rows.select(cluster != one), name)[0] for one in units])
    m = len(units)
    half = stats.t.ppf(0.975, m - 1) * np.sqrt((m - 1) * values.var())
    found = many_limits(rows, [name], method="jackknife")[name]
    estimate = model_of(rows, name)[0]
    assert_allclose([found.low[0], found.high[0]], [estimate - half, estimate + half], rtol=1e-9)


@every_model
@each("clustered", [False, True])
def test_units_are_drawn_whole(name, clustered):
    """Draws of counts give what the repeated rows give."""
    codes = simulated()
    cluster = np.arange(40) // 4 if clustered else None
    rows = rows_of(codes, cluster=cluster).select((codes >= 0).any(axis=0)).compressed
    scale = scale_of("linear", 3)
    sample = RowSample.of(rows, scale, [MULTIRATER[name]], by_items=True)
    n = sample.times.sum()
    assert n == (10 if clustered else rows.n_items[0])
    draws = np.random.default_rng(4).multinomial(n, sample.times / n, size=5)
    for drawn, estimate in zip(draws, sample.estimates(draws)[:, 0], strict=True):
        times = drawn[np.unique(rows.cluster, return_inverse=True)[1]] if clustered else drawn
        times = times * rows.count.astype(int) if clustered else times
        repeated = rows_of(np.repeat(rows.codes, times, axis=1))
        assert_allclose(estimate, model_of(repeated, name)[0], rtol=1e-12)


def test_two_raters_are_a_pair():
    """Conger's is Cohen's kappa: the same jackknife, and bootstraps that differ by chance."""
    codes = simulated(n=80, n_raters=2, missing=0)
    counts = count_pairs(codes, 3, pairs=[(0, 1)])
    for method, atol in (("jackknife", 1e-12), ("percentile", 0.01), ("bca", 0.01)):
        one = limits_of(counts, method=method, weights="linear", n_resamples=20_000)
        many = many_limits(rows_of(codes), ["conger"], method=method, n_resamples=20_000)
        assert_allclose(many["conger"][:2], one[:2], atol=atol)


@every_model
def test_influence_values_stand_for_the_jackknife(name):
    codes = simulated(n=400, missing=0.1)
    rows = rows_of(codes).compressed
    sample = RowSample.of(rows, scale_of("linear", 3), [MULTIRATER[name]], by_items=True)
    pulls, left_out = sample.pulls()[:, 0], sample.left_out()[:, 0]
    n = sample.times.sum()
    mean = (sample.times * left_out).sum() / n
    assert_allclose(pulls, (n - 1) * (mean - left_out), atol=0.05)


def test_the_level_of_a_null_is_that_whose_quantile_it_is():
    drawn = np.array([0.1, 0.15, 0.3, 0.7, 0.8])
    for null in (0.11, 0.2, 0.5, 0.79):
        for [level] in samples_module._tails_of(drawn[::-1, None], null):
            assert_allclose(np.quantile(drawn, level), null, rtol=1e-12)


def test_agreement_in_percent_is_tested_against_a_null_alone():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (40, 2)), columns=["a", "b"])
    cohen, percent = (
        frame.kappa(coefficient=name, n_resamples=99, rng=1) for name in ("cohen", "percent")
    )
    assert cohen.pairs(ci="percentile")["p_value"].item() > 0
    assert np.isnan(percent.pairs(ci="percentile")["p_value"].item())
    assert percent.pairs(ci="percentile", null=0.5)["p_value"].item() < 0.2


def test_undefined_resamples_are_counted():
    """A resample without the one item of the second category is 0/0."""
    table = np.array([[9, 0], [0, 1]])
    found = limits_of(table, n_resamples=4000)
    assert_allclose(found.n_undefined[0] / 4000, 0.9**10 + 0.1**10, atol=0.03)
    assert_array_equal([found.low[0], found.high[0]], [1, 1])


def test_an_item_that_must_stay_leaves_the_jackknife_without_limits():
    found = limits_of(np.array([[9, 0], [0, 1]]), method="jackknife")
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert found.n_undefined[0] == 1
    bca = limits_of(np.array([[9, 0], [0, 1]]), method="bca")
    assert_array_equal([bca.low[0], bca.high[0]], [1, 1])


@every_method
@each("table", [np.zeros((2, 2), dtype=int), [[1, 0], [0, 0]], [[5, 0], [0, 0]], [[5, 0], [3, 0]]])
def test_no_limits_without_a_standard_error(method, table):
    found = limits_of(np.array(table), method=method)
    assert np.isnan([found.low[0], found.high[0]]).all()


@every_method
def test_perfect_agreement_has_limits_at_one(method):
    found = limits_of(np.diag([5, 6, 7]), method=method)
    assert_array_equal([found.low[0], found.high[0]], [1, 1])


def test_all_resamples_on_one_side_leave_bca_without_limits(monkeypatch):
    monkeypatch.setattr("pdkappa.coefficients.resampling._draw", lambda *_: np.full((9, 1), -0.5))
    found = limits_of(TABLE, method="bca")
    assert np.isnan([found.low[0], found.high[0]]).all()


RATERS = [f"r{i}" for i in range(5)]
CATEGORIES = [0, 1, 2]


@pytest.fixture(name="team", scope="module")
def five_raters():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 60)
    frame = pd.DataFrame(
        {name: np.where(rng.random(60) < 0.8, truth, rng.integers(0, 3, 60)) for name in RATERS}
    ).astype("Int64")
    frame = frame.mask(rng.random(frame.shape) < 0.15)
    return frame.assign(times=rng.integers(1, 4, 60), author=np.arange(60) // 2, site="x")


@each(
    "options",
    [
        {},
        {"weights": "quadratic", "sample_weight": "times", "null": 0.3},
        {"cluster": "author", "shares": "ratings", "ci": "wald"},
        {
            "weights": "krippendorff_ordinal",
            "coefficients": ["krippendorff"],
            "missing": "listwise",
        },
    ],
)
def test_errors_are_those_of_leaving_out_each_rater(team, options):
    """As in kappaetc, Gwet (2014, 5.4.4), but for the degrees of freedom."""

    def found(raters, **further):
        return team.kappa.agreement(raters, categories=CATEGORIES, **options, **further)

    items, raters, both = (found(RATERS, vary=vary) for vary in ("items", "raters", "both"))
    complete = team.dropna() if "missing" in options else team
    given = {name: value for name, value in options.items() if name != "missing"}
    without = [
        complete.kappa.agreement(
            [one for one in RATERS if one != out], categories=CATEGORIES, **given
        )["estimate"]
        for out in RATERS
    ]
    of_raters = 4 / 5 * 5 * np.var(without, axis=0)
    assert_frame_equal(items, found(RATERS))
    assert_series_equal(both["estimate"], items["estimate"])
    assert_allclose(raters["se"] ** 2, of_raters)
    assert_allclose(both["se"] ** 2, items["se"] ** 2 + of_raters)
    # The distance of the limits, on Fisher's z or not, in standard errors: t quantiles.
    scale = (lambda x: x) if options.get("ci") == "wald" else np.arctanh
    slope = 1 if options.get("ci") == "wald" else 1 - raters["estimate"] ** 2

    def quantile(result):
        width = scale(result["ci_high"]) - scale(result["ci_low"])
        return (width / 2 * slope / result["se"]).to_numpy()

    assert_allclose(quantile(raters), stats.t.ppf(0.975, 4))
    n = len(complete) - 1
    if "cluster" in options:
        n = 29
    elif "sample_weight" in options:
        n = team["times"].sum() - 1
    df = both["se"] ** 4 / (items["se"] ** 4 / n + of_raters**2 / 4)
    assert_allclose(quantile(both), stats.t.ppf(0.975, df), rtol=1e-6)


def test_limits_hold_the_value_of_the_population_of_raters():
    """Eight raters of varied bias and noise, 100 items, 300 samples; .93 in a long run."""
    rng, cuts = np.random.default_rng(11), [-0.5, 0.5]

    def draw(n_samples, n, n_raters):
        score, size = rng.normal(size=(n_samples, n)), (n_samples, 1)
        noise = [0.7 * np.exp(0.6 * rng.normal(size=size)) for _ in range(n_raters)]
        bias = [0.5 * rng.normal(size=size) for _ in range(n_raters)]
        seen = [
            score + b + s * rng.normal(size=score.shape) for b, s in zip(bias, noise, strict=True)
        ]
        return pd.DataFrame({f"r{i}": np.searchsorted(cuts, x.ravel()) for i, x in enumerate(seen)})

    one = {"coefficients": "krippendorff"}
    truth = np.mean([draw(1, 1000, 100).kappa.agreement(**one)["estimate"] for _ in range(3)])
    samples = draw(300, 100, 8).assign(sample=np.repeat(np.arange(300), 100))

    def coverage(vary):
        found = samples.kappa.agreement(by="sample", vary=vary, **one)
        return found["ci_low"].le(truth).mul(found["ci_high"].ge(truth)).mean()

    assert coverage("items") < 0.8
    assert 0.9 <= coverage("both") <= 0.98


def test_groups_are_alone_and_need_three_raters(team):
    """Whoever did not rate in a group is none of its raters."""
    data = pd.concat([team.assign(site=site) for site in "xyz"], ignore_index=True)
    for rater in RATERS[2:]:
        gone = data["site"] == "y"
        data[rater] = data[rater].mask(gone | ((data["site"] == "z") & (rater == RATERS[4])))
    four = data[data["site"] == "z"].reset_index(drop=True)
    options = {"categories": CATEGORIES, "vary": "both"}
    found = data.kappa.agreement(RATERS, by="site", **options)
    for site, frame, raters in (("x", team, RATERS), ("z", four, RATERS[:4])):
        assert_frame_equal(found.loc[site], frame.kappa.agreement(raters, **options))
    assert found.loc["y", "estimate"].notna().all()
    assert found.loc["y", ["se", "ci_low", "ci_high", "z", "p_value"]].isna().all(axis=None)
    assert set(found.loc["y", "reason"]) == {"few_raters"}


def test_a_coefficient_that_hangs_on_one_rater():
    """Without r2 all ratings are the same."""
    frame = pd.DataFrame({"r0": [1, 1, 1, 1], "r1": [1, 1, 1, 1], "r2": [1, 1, 2, 2]})
    found = frame.kappa.agreement(coefficients=["fleiss", "percent"], vary="both")
    assert found["reason"].tolist() == ["undefined_without", ""]
    assert_allclose(found["se"], [np.nan, np.sqrt(1 / 27 + 2 / 3 * (1 / 6))])


def test_raters_who_never_disagree():
    """Nothing varies: their limits are those of the items."""
    ratings = [1, 2, 1, 2, 2]
    frame = pd.DataFrame({"a": ratings, "b": ratings, "c": ratings})
    both, items = (frame.kappa.agreement(vary=vary) for vary in ("both", "items"))
    assert_frame_equal(both, frame.kappa.agreement(ci="fisher"))
    assert (both["se"] == 0).all()
    assert (both["ci_low"] < 1).all()
    assert_series_equal(both["estimate"], items["estimate"])


@each(("method", "of_table"), [("percentile", 20), ("bca", 20), ("jackknife", 1)])
def test_progress_counts_resamples_or_tables(method, of_table):
    told = []
    limits_of(STACK, method=method, n_resamples=20, progress=lambda *done: told.append(done))
    assert {total for _, total in told} == {5 * of_table}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {of_table * number for number in range(1, 6)} <= {done for done, _ in told}
