"""Numbers of items and power: values from elsewhere, laws, simulated power, and refusals."""

import math
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import pdkappa
from conftest import each, raising
from elsewhere.studies import IMPOSSIBLE, PLANS, options_of
from pdkappa.errors import CategoryError, KappaWarning, OptionError
from pdkappa.methods.planning.sample_size_compare import FORMS as STUDY_FORMS
from pdkappa.methods.planning.sample_size_compare import IccStudy, trinormal_table

some = settings(max_examples=15)
SHARES = [0.1, 0.2, 0.4, 0.2, 0.1]
SKEWED = [0.55, 0.2, 0.12, 0.08, 0.05]
QWK = {"margins": SHARES, "weights": "quadratic"}
EVEN = {"margins": [1, 1]}
LARGE = {"method": "fisher"}  # formulas of large samples
PILOT = pd.DataFrame([[18, 4, 1], [3, 12, 5], [0, 6, 11]], index=[1, 2, 3], columns=[1, 2, 3])


def test_a_notebook_shows_a_plan_in_one_line():
    plan = pdkappa.sample_size(0.65, null=0.5, **QWK)
    assert f"<p>{plan!r}. Assumed shares:</p>" in plan._repr_html_()


def test_numbers_for_tables_that_cannot_be():
    """All other numbers are compared by ``elsewhere/studies.py``."""
    impossible = [entry for entry in PLANS if entry["id"] in IMPOSSIBLE]
    for entry in impossible:
        with pytest.raises(OptionError, match=r"A kappa of 0\.8 is outside the range"):
            pdkappa.sample_size(**options_of(entry))
    assert (len(PLANS), len(impossible)) == (13, 1)


@pytest.mark.parametrize(
    ("method", "goal", "n_items"),
    [
        ("fisher", {"null": 0.5}, 153),
        ("wald", {"null": 0.5}, 169),
        ("fisher", {"half_width": 0.08}, 199),
        ("wald", {"half_width": 0.08}, 199),
    ],
)
def test_quadratic_weights(method, goal, n_items):
    """Computed apart from pdkappa, from the tables of two normal variables."""
    assert pdkappa.sample_size(0.65, **goal, **QWK, method=method).n_items == n_items


def limits_of_studies(table, n_items, weights=None, n_studies=1500):
    """Draw studies apart from the planning, and return what `pairs` says of each."""
    shares, k = table.to_numpy().ravel(), len(table)
    drawn = np.random.default_rng(7).multinomial(n_items, shares / shares.sum(), size=n_studies)
    study, cell = np.nonzero(drawn)
    ratings = {"a": cell // k, "b": cell % k, "n": drawn[study, cell], "study": study}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)  # raters who are constant
        return pd.DataFrame(ratings).kappa.pairs(
            ["a", "b"], by="study", sample_weight="n", weights=weights, categories=list(range(k))
        )


@pytest.mark.parametrize(
    ("kappa", "null", "options"),
    [
        (0.9, 0.8, EVEN),
        (0.6, 0.2, {"margins": [0.98, 0.02]}),
        (0.65, 0.5, {"margins": SKEWED, "weights": "quadratic"}),
        (0.8, 0.6, {"margins": np.ones(8)}),
    ],
    ids=["even", "rare", "quadratic", "eight categories"],
)
def test_so_many_studies_tell_the_null_from_kappa(kappa, null, options):
    found = pdkappa.sample_size(kappa, null=null, **options)
    studies = limits_of_studies(found.table, found.n_items, options.get("weights"))
    rejected = ((studies["ci_low"] > null) | (studies["ci_high"] < null)).mean()
    power = pdkappa.power(found.n_items, kappa, null, **options)
    assert rejected == pytest.approx(power, abs=0.025)
    assert 0.795 < power < 0.83  # the next step up, where few disagreements are whole numbers


@pytest.mark.parametrize(
    ("kappa", "half_width", "margins"), [(0.9, 0.15, [1, 1, 1]), (0.5, 0.2, [0.95, 0.05])]
)
def test_limits_are_so_close_on_average(kappa, half_width, margins):
    found = pdkappa.sample_size(kappa, half_width=half_width, margins=margins)
    studies = limits_of_studies(found.table, found.n_items)
    half = (studies["ci_high"] - studies["ci_low"]) / 2
    assert half.mean() == pytest.approx(half_width, rel=0.02)


def test_many_raters_have_the_limits_of_fleiss():
    found = pdkappa.sample_size(0.6, null=0.3, margins=[0.8, 0.2], n_raters=3)
    rng = np.random.default_rng(8)
    shape = (500, found.n_items)
    agree, together = rng.random(shape) < 0.6, rng.random(shape) < 0.2
    votes = np.where(agree, together, rng.random((3, *shape)) < 0.2).reshape(3, -1)
    ratings = pd.DataFrame(votes.astype(int).T, columns=list("abc"))
    study = np.repeat(np.arange(500), found.n_items)
    rows = ratings.assign(study=study).kappa.agreement(["a", "b", "c"], by="study")
    fleiss = rows[rows.index.get_level_values("coefficient") == "fleiss"]
    assert (fleiss["ci_low"] > 0.3).mean() == pytest.approx(0.8, abs=0.05)


margins_of_any = st.lists(st.integers(1, 20), min_size=2, max_size=5)
methods = st.sampled_from(["fisher", "wald", "worst_case"])
weightings = st.sampled_from([None, "linear", "quadratic", "ordinal", "radical", "bipolar"])


@st.composite
def studies(draw):
    """Draw the options of a study whose kappas the margins allow."""
    kappas = draw(st.lists(st.integers(1, 18), min_size=2, max_size=2, unique=True))
    options = {
        "margins": draw(margins_of_any),
        "method": draw(st.sampled_from(["fisher", "wald", "worst_case", "goodness_of_fit"])),
        "alternative": draw(st.sampled_from(["two-sided", "one-sided"])),
        "confidence_level": draw(st.sampled_from([0.99, 0.95, 0.8])),
    }
    if options["method"] == "goodness_of_fit":
        options |= {"margins": options["margins"][:2], "n_raters": draw(st.integers(2, 8))}
    else:
        options["weights"] = draw(weightings)
    return kappas[0] / 20, kappas[1] / 20, options


@some
@given(study=studies(), asked=st.sampled_from([0.3, 0.6, 0.8, 0.9, 0.99]))
def test_power_is_the_inverse(study, asked):
    kappa, null, options = study
    found = pdkappa.sample_size(kappa, null=null, power=asked, **options)
    assert pdkappa.power(found.n_items, kappa, null, **options) >= asked - 1e-9
    if found.n_items > 2:
        assert pdkappa.power(found.n_items - 1, kappa, null, **options) < asked
    assert found.n_items >= found.exact


@some
@given(margins=margins_of_any, weights=weightings, kappa=st.integers(1, 9))
def test_no_table_takes_more_items_than_the_worst(margins, weights, kappa):
    options = {"margins": margins, "weights": weights, "half_width": 0.1}
    plain, worst = (
        pdkappa.sample_size(kappa / 10, method=method, **options)
        for method in ("wald", "worst_case")
    )
    assert plain.exact <= worst.exact * (1 + 1e-6)
    if len(margins) == 2:
        assert plain.exact == pytest.approx(worst.exact, rel=1e-5)


@some
@given(margins=margins_of_any, weights=weightings, method=methods, kappa=st.integers(1, 9))
def test_the_tables_are_what_was_assumed(margins, weights, method, kappa):
    kappa, null = kappa / 10, 0.95
    found = pdkappa.sample_size(kappa, null=null, margins=margins, weights=weights, method=method)
    for table, one in ((found.table, kappa), (found.null_table, null)):
        assert table.to_numpy().sum() == pytest.approx(1)
        assert (table.to_numpy() >= 0).all()
        shares = np.array(margins) / sum(margins)
        assert_allclose(table.sum(axis=0), shares, atol=1e-7)
        assert_allclose(table.sum(axis=1), shares, atol=1e-7)
        pair = pdkappa.from_table(table.to_numpy() * 1000).pairs(weights=weights).iloc[0]
        assert pair["estimate"] == pytest.approx(one, abs=1e-6)
    assert found.settings["kappa"] == kappa


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_a_pilot_study_gives_kappa_and_spread(weights):
    pair = pdkappa.from_table(PILOT).pairs(weights=weights).iloc[0]
    found = pdkappa.sample_size(table=PILOT, half_width=0.1, weights=weights, **LARGE)
    assert found.settings["kappa"] == pytest.approx(pair["estimate"])
    expected = (1.959963985 * pair["se"] / 0.1) ** 2 * pair["n_items"]
    assert found.exact == pytest.approx(expected, rel=1e-8)
    assert_allclose(found.table, PILOT / PILOT.to_numpy().sum())
    assert found.null_table is None
    for null in (0.2, 0.9):
        under_null = pdkappa.sample_size(
            table=PILOT, null=null, weights=weights, **LARGE
        ).null_table
        again = pdkappa.from_table(under_null * 1000).pairs(weights=weights)["estimate"].item()
        assert again == pytest.approx(null)
        assert_allclose(under_null.sum(axis=0), PILOT.sum(axis=0) / 60)
        assert_allclose(under_null.sum(axis=1), PILOT.sum(axis=1) / 60)


def test_a_pilot_study_of_text_has_its_order_and_raters():
    names = ["low", "mid", "high"]
    pilot = pd.DataFrame(PILOT.to_numpy(), names, names).rename_axis(index="ann", columns="bob")
    with pytest.raises(CategoryError, match="weights='linear' needs ordered categories"):
        pdkappa.sample_size(table=pilot, half_width=0.1, weights="linear")
    shuffled = pilot.loc[["mid", "high", "low"], ["high", "low", "mid"]]
    options = {"half_width": 0.1, "weights": "linear"} | LARGE
    found = pdkappa.sample_size(table=shuffled, categories=names, **options)
    assert found.exact == pytest.approx(pdkappa.sample_size(table=PILOT, **options).exact)
    assert list(found.table.index) == list(found.table.columns) == names
    assert (found.table.index.name, found.table.columns.name) == ("ann", "bob")


def test_margins_that_are_a_series_name_the_categories():
    margins = pd.Series(SKEWED, index=[1, 2, 4, 5, 9])
    options = {"null": 0.5, "weights": "quadratic"} | LARGE
    found = pdkappa.sample_size(0.65, margins=margins, **options)
    scores = dict(zip(range(5), margins.index, strict=True))
    same = pdkappa.sample_size(0.65, margins=SKEWED, categories=scores, **options)
    assert found.exact == pytest.approx(same.exact)
    assert found.exact != pytest.approx(pdkappa.sample_size(0.65, margins=SKEWED, **options).exact)
    assert list(found.table.index) == list(margins.index)
    assert_allclose(found.table.sum(), margins)
    down = pdkappa.sample_size(0.65, margins=margins[::-1], **options)
    assert down.exact == pytest.approx(found.exact)


@pytest.mark.parametrize("method", ["fisher", "wald", "worst_case", "goodness_of_fit"])
@pytest.mark.parametrize("share", [1.1e-6, 1e-4])
def test_a_rare_category_is_exact(share, method):
    """Two categories leave nothing to assume; so few ratings of one are still not lost."""
    found = pdkappa.sample_size(0.6, null=0.4, margins=[share, 1 - share], method=method)
    kappas, p = np.array([0.4, 0.6]), share * (1 - share)
    if method == "goodness_of_fit":
        votes = [np.array([share**2 + k * p, 2 * p * (1 - k)]) for k in kappas]
        votes = [np.append(one, 1 - one.sum()) for one in votes]
        needed, distance = 2.801585218, np.sqrt(((votes[1] - votes[0]) ** 2 / votes[0]).sum())
    else:
        # The variance of kappa of two categories with equal margins (Bloch & Kraemer, 1989).
        variance = (1 - kappas) * ((1 - kappas) * (1 - 2 * kappas) + kappas * (2 - kappas) / 2 / p)
        fisher = method == "fisher"
        spread = np.sqrt(variance) / (1 - kappas**2 if fisher else 1)
        needed = 1.959963985 * spread[0] + 0.841621234 * spread[1]
        distance = np.diff(np.arctanh(kappas) if fisher else kappas).item()
    assert found.exact == pytest.approx((needed / distance) ** 2, rel=1e-4)


def test_the_result():
    found = pdkappa.sample_size(0.65, null=0.5, n_raters=np.int64(2), **QWK)
    assert int(found) == found.n_items
    assert type(found.n_items) is int
    assert type(found.exact) is float
    assert found.method == "simulation"
    assert found.settings == {
        "kappa": 0.65,
        "null": 0.5,
        "half_width": None,
        "n_raters": 2,
        "alternative": "two-sided",
        "confidence_level": 0.95,
        "power": 0.8,
    }
    assert type(pdkappa.power(153, 0.65, 0.5, **QWK)) is float
    end = "items to tell kappa 0.65 from 0.5 with power 0.8 (two-sided, level 0.95, simulation)"
    assert repr(found) == f"{found.n_items} {end}"
    found = pdkappa.sample_size(0.65, half_width=0.08, confidence_level=0.9, method="wald", **QWK)
    assert (
        repr(found)
        == "140 items to estimate kappa 0.65 to within 0.08 (two-sided, level 0.9, wald)"
    )


def test_the_farther_limit_counts():
    """Where a category is rare and kappa small, the upper limit is the farther one."""
    options = {"margins": [0.9, 0.1], "method": "goodness_of_fit"}
    both, lower = (
        pdkappa.sample_size(
            0.1, half_width=0.05, alternative=alternative, confidence_level=level, **options
        )
        for alternative, level in (("two-sided", 0.95), ("one-sided", 0.975))
    )
    votes = {k: np.array([0.81, 0.18, 0.01]) + k * 0.09 * np.array([1, -2, 1]) for k in (0.1, 0.15)}
    chi_squared = ((votes[0.1] - votes[0.15]) ** 2 / votes[0.15]).sum()
    assert both.exact == pytest.approx(1.959963985**2 / chi_squared)
    assert both.exact > lower.exact * 1.1
    assert_allclose(both.table.sum(), [0.9, 0.1])


def size(*args, **options):
    """Return a call of `sample_size`."""
    return lambda: pdkappa.sample_size(*args, **options)


REFUSED = {
    "no goal": size(0.5, **EVEN),
    "two goals": size(0.5, null=0.2, half_width=0.1, **EVEN),
    "nothing assumed": size(0.5, null=0.2),
    "no kappa": size(null=0.2, **EVEN),
    "twice a kappa": size(0.5, null=0.2, table=PILOT),
    "twice margins": size(0.5, null=0.2, table=PILOT, **EVEN),
    "kappa": size(1, null=0.2, **EVEN),
    "no number": size("0.5", null=0.2, **EVEN),
    "null": size(0.5, null=-1.0, **EVEN),
    "kappa of the table": size(table=np.diag([5, 5]), null=0.2),
    "same": size(0.5, null=0.5, **EVEN),
    "beyond the margins": size(0.8, null=0.2, margins=[[0.5, 0.5], [0.7, 0.3]]),
    "beyond all tables": size(0.5, null=-0.8, margins=[0.2, 0.8], method="worst_case"),
    "beyond votes": size(0.5, null=-0.6, margins=[0.5, 0.5], n_raters=3, method="goodness_of_fit"),
    "power": size(0.5, null=0.2, power=80, **EVEN),
    "alpha": size(0.5, null=0.2, confidence_level=0, **EVEN),
    "half width": size(0.5, half_width=0.0, **EVEN),
    "raters": size(0.5, null=0.2, n_raters=2.5, **EVEN),
    "too many raters": size(0.5, null=0.2, n_raters=1001, **EVEN),
    "raters of the method": size(0.5, null=0.2, n_raters=3, method="fisher", **EVEN),
    "raters to simulate": size(0.5, null=0.2, n_raters=51, **EVEN),
    "one limit": size(0.5, half_width=0.2, alternative="one-sided", confidence_level=0.5, **EVEN),
    "three categories of three raters": size(0.5, null=0.2, margins=[1, 1, 1], n_raters=3),
    "three categories": size(0.5, null=0.2, margins=[1, 1, 1], method="goodness_of_fit"),
    "different margins": size(0.5, null=0.2, margins=[[1, 1], [1, 2]], method="goodness_of_fit"),
    "a table": size(null=0.2, table=[[5, 1], [1, 5]], method="goodness_of_fit"),
    "shape": size(0.5, null=0.2, margins=[[1, 1], [1, 1], [1, 1]]),
    "a number": size(0.5, null=0.2, margins=0.3),
    "negative": size(0.5, null=0.2, margins=[1.5, -0.5]),
    "one category": size(0.5, null=0.2, margins=[[1, 0], [1, 1]]),
    "no share": size(0.5, null=0.2, margins=[0, 0]),
    "empty table": size(null=0.2, table=np.zeros((2, 2))),
    "one category in nearly all": size(0.6, null=0.4, margins=[1e-300, 1]),
    "one category in nearly all of a table": size(null=0.4, table=[[1e9, 1], [1, 5]]),
    "too many items": size(0.6, half_width=1e-300, **EVEN),
    "too many items of the method": size(0.6, half_width=1e-17, method="goodness_of_fit", **EVEN),
    "no disagreement counts": size(
        0.5, null=0.2, margins=[1, 1, 0], weights=[[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    ),
    "method": size(0.5, null=0.2, method="fishers", **EVEN),
    "alternative": size(0.5, null=0.2, alternative="greater", **EVEN),
    "items": lambda: pdkappa.power(1, 0.5, 0.2, **EVEN),
    "digits of the items": lambda: pdkappa.power(10**400, 0.6, 0.4, margins=[0.3, 0.7]),
    "digits of the raters": lambda: pdkappa.power(
        10, 0.6, 0.4, n_raters=10**5000, margins=[0.3, 0.7]
    ),
    "part of an item": lambda: pdkappa.power(99.5, 0.5, 0.2, **EVEN),
    "no null": lambda: pdkappa.power(100, 0.5, **EVEN),
}


@raising("sample_size", REFUSED)
def test_the_whole_message(call, refused):
    with refused():
        call()


def test_too_many_categories(refuses):
    with refuses():
        pdkappa.sample_size(0.5, null=0.2, margins=np.ones(300))


def test_limits_of_studies_may_all_be_at_the_estimate():
    """As where a category is rare and the level is low: such studies are precise enough."""
    level = {"alternative": "one-sided", "confidence_level": 0.6}
    found = pdkappa.sample_size(0.6, half_width=0.3, margins=[1e-4, 1 - 1e-4], **level)
    assert found.n_items >= 2


@pytest.mark.parametrize("null", [0.4, 0.8])
def test_one_side_has_the_limit_of_a_narrower_interval(null):
    one = {"alternative": "one-sided", "confidence_level": 0.975}
    kappa, margins = 0.6, [0.7, 0.3]
    power = pdkappa.power(100, kappa, null, margins=margins, **one)
    both = pdkappa.power(100, kappa, null, margins=margins)
    assert power == pytest.approx(both, abs=1e-3)


plan = partial(pdkappa.plan.sample_size_icc, ci="f")
FORMS = ["ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"]


def walter(null, icc, n_raters, level=0.95, power=0.8):
    """Approximate the number of items (Walter, Eliasziw & Donner, 1998, equation 16)."""
    odds = [one / (1 - one) for one in (null, icc)]
    ratio = math.log((1 + n_raters * odds[0]) / (1 + n_raters * odds[1]))
    quantiles = stats.norm.ppf(level) + stats.norm.ppf(power)
    return 1 + 2 * quantiles**2 * n_raters / (ratio**2 * (n_raters - 1))


def bonett(icc, width, n_raters, level=0.95):
    """Approximate the number of items (Bonett, 2002, formula 3)."""
    z = stats.norm.ppf((1 + level) / 2)
    spread = (1 - icc) * (1 + (n_raters - 1) * icc)
    return 8 * z**2 * spread**2 / (n_raters * (n_raters - 1) * width**2) + 1


@each("icc", [0.7, 0.8, 0.9])
def test_power_is_that_of_walter_and_others(icc):
    for null in (0.2, 0.4, 0.6):
        for n_raters in (2, 3, 5, 10):
            exact = plan(icc, null=null, n_raters=n_raters, alternative="one-sided").exact
            assert exact == pytest.approx(walter(null, icc, n_raters), abs=2.5)


def test_published_numbers():
    """39 items (Walter et al., 1998); 55 and 20 (Bonett, 2002; 20 is his approximation)."""
    assert int(plan(0.8, null=0.6, alternative="one-sided")) == 39
    assert plan(0.8, half_width=0.1).exact == pytest.approx(55, abs=0.2)
    four = plan(0.85, half_width=0.1, n_raters=4)
    assert four.exact == pytest.approx(20, abs=1.5)


@pytest.mark.parametrize(("icc", "n_raters"), [(0.3, 3), (0.7, 5)])
def test_precision_is_that_of_bonett(icc, n_raters):
    exact = plan(icc, half_width=0.05, n_raters=n_raters).exact
    assert exact == pytest.approx(bonett(icc, 0.1, n_raters), rel=0.02)


@pytest.mark.parametrize("form", FORMS)
def test_the_power_and_width_are_those_of_simulated_studies(form):
    n_raters, icc, null, n_studies = 3, 0.75, 0.5, 4000
    found = plan(icc, null=null, n_raters=n_raters, form=form)
    single = icc / (n_raters - (n_raters - 1) * icc) if form.endswith("k)") else icc
    rng, n = np.random.default_rng(3), int(found)
    items = rng.normal(size=(n_studies, n, 1)) * math.sqrt(single / (1 - single))
    scores = items + rng.normal(size=(n_studies, n, n_raters))
    two_way = "C" in form
    raters = rng.normal(size=(n_studies, 1, n_raters)) if two_way else 0
    scores = scores + raters
    means = scores.mean(axis=2, keepdims=True)
    rest = scores - means
    if two_way:
        rest = rest - rest.mean(axis=1, keepdims=True)
    degrees = n - 1, (n - 1 if two_way else n) * (n_raters - 1)
    ratio = n_raters * means[..., 0].var(axis=1, ddof=1) / ((rest**2).sum((1, 2)) / degrees[1])
    one = 0 if form.endswith("k)") else n_raters - 1
    low, high = (
        (edge - 1) / (edge + one) for edge in (ratio / stats.f.ppf([[0.975], [0.025]], *degrees))
    )
    assert ((low > null) | (high < null)).mean() == pytest.approx(0.8, abs=0.02)
    half = ((high - low) / 2).mean()
    again = plan(icc, half_width=half, n_raters=n_raters, form=form)
    assert again.exact == pytest.approx(n, rel=0.03)


@each("form", FORMS)
@each("n_items", [8, 40])
def test_default_limits_are_those_of_icc(form, n_items):
    """Of the studies that are drawn, one by one."""
    rng, n_raters, n_studies = np.random.default_rng(n_items), 3, 20
    scores = rng.normal(size=(n_raters, n_studies, n_items)) + rng.normal(size=(n_studies, n_items))
    frame = pd.DataFrame(dict(zip("abc", scores.reshape(n_raters, -1), strict=True)))
    frame["study"] = np.arange(n_studies).repeat(n_items)
    expected = frame.kappa.icc(list("abc"), by="study").xs(form, level="form")
    study = IccStudy(STUDY_FORMS[form], 0.5, n_raters, 0.95, one_sided=False, ci="auto")
    found = np.transpose(study.limits(scores))
    assert_allclose(found, expected[["ci_low", "ci_high", "estimate"]].to_numpy(), rtol=1e-9)


def test_the_default_takes_more_items_and_has_the_power():
    """A fifth of 300 studies of the planned number of items do not tell it from the null."""
    size = pdkappa.plan.sample_size_icc(0.9, null=0.6, n_raters=2)
    assert size.method == "simulation"
    assert int(plan(0.9, null=0.6)) < size.n_items
    rng, shape = np.random.default_rng(4), (300, size.n_items, 1)
    scores = 3 * rng.normal(size=shape) + rng.normal(size=(*shape[:2], 2))
    frame = pd.DataFrame(scores.reshape(-1, 2), columns=["a", "b"])
    frame["study"] = np.arange(300).repeat(size.n_items)
    found = frame.kappa.icc(["a", "b"], by="study").xs("ICC(1,1)", level="form")
    told = (found["ci_low"] > 0.6) | (found["ci_high"] < 0.6)
    assert told.mean() == pytest.approx(0.8, abs=0.055)


@each("form", FORMS)
@each("alternative", ["two-sided", "one-sided"])
def test_power_is_the_inverse_of_icc_size(form, alternative):
    options = {"n_raters": 4, "form": form, "alternative": alternative}
    drawn = [("auto", 0.3, 0.01)] * (form == "ICC(C,k)")
    for ci, null, noise in (("f", 0.3, 0), ("f", 0.9, 0), *drawn):
        found = pdkappa.plan.sample_size_icc(0.7, null=null, power=0.9, ci=ci, **options)
        fewer, enough = (
            pdkappa.plan.power_icc(found.n_items - one, 0.7, null, ci=ci, **options)
            for one in (1, 0)
        )
        assert fewer < 0.9 + noise
        assert enough >= 0.9 - noise


def test_studies_whose_scores_agree_as_little_as_they_can_have_limits():
    options = {"n_raters": 2, "form": "ICC(1,k)", "alternative": "one-sided", "power": 0.2}
    assert pdkappa.plan.sample_size_icc(0.5, null=0.9, **options).n_items > 1


def test_a_mean_of_raters_is_tested_as_a_single_one():
    single = plan(0.5, null=0.25, n_raters=2).exact
    mean = plan(2 / 3, null=0.4, n_raters=2, form="ICC(1,k)").exact
    assert mean == pytest.approx(single)


REFUSED_ICC = {
    "no goal": {"icc": 0.5},
    "icc": {"icc": 1, "null": 0.2},
    "null": {"icc": 0.5, "null": -0.5, "n_raters": 3},
    "mean": {"icc": "x", "null": -0.5, "form": "ICC(C,k)"},
    "same": {"icc": 0.5, "null": 0.5},
    "raters": {"icc": 0.5, "null": 0.2, "n_raters": 1},
    "agreement": {"icc": 0.5, "null": 0.2, "form": "ICC(A,1)"},
    "too many": {"icc": 0.5, "null": 0.5 - 1e-8},
}


@raising("icc_size", REFUSED_ICC)
def test_the_whole_message_of_icc(call, refused):
    with refused():
        pdkappa.plan.sample_size_icc(**call)


def correlation(kappa):
    """Return the correlation of two normal variables, cut in the middle, with this kappa."""
    return np.sin(np.pi / 2 * kappa)


def compared(kappas, n_items, level, n_studies=2000):
    """Draw studies of normal variables, cut in the middle, and compare the pairs in each."""
    rho = np.eye(3)
    for place, kappa in zip([(0, 1), (0, 2), (1, 2)], kappas, strict=True):
        rho[place] = rho[place[::-1]] = correlation(kappa)
    drawn = np.random.default_rng(2026).multivariate_normal(np.zeros(3), rho, n_items * n_studies)
    ratings = pd.DataFrame((drawn > 0).astype(int), columns=["human", "one", "two"])
    return ratings.assign(study=np.repeat(np.arange(n_studies), n_items)).kappa.compare(
        ("human", "one"), ("human", "two"), by="study", confidence_level=level
    )


def test_so_many_studies_show_a_difference():
    found = pdkappa.plan.sample_size_compare(0.8, 0.6, 0.6, **EVEN)
    studies = compared([0.8, 0.6, 0.6], found.n_items, 0.95)
    assert (studies["p_value"] < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_so_many_studies_show_what_a_margin_says():
    """Limits of 90 % lie on the side that they should."""
    options = {"claim": "non_inferiority", "margin": 0.15} | EVEN
    found = pdkappa.plan.sample_size_compare(0.7, 0.7, 0.6, **options)
    low = compared([0.7, 0.7, 0.6], found.n_items, 0.9)["ci_low"]
    assert (low > -0.15).mean() == pytest.approx(0.8, abs=0.03)
    options["claim"] = "equivalence"
    both = pdkappa.plan.power_compare(found.n_items, 0.7, 0.7, 0.6, **options)
    assert both == pytest.approx(2 * 0.8 - 1, abs=0.03)


def test_the_table_is_that_of_three_normal_variables():
    rho = np.array([0.7, 0.4, 0.5])
    shared, others = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    table = trinormal_table(shared, others, rho)
    for axis, margin in enumerate([shared, others, others]):
        rest = tuple({0, 1, 2} - {axis})
        np.testing.assert_allclose(table.sum(axis=rest), margin, atol=1e-5)
    cov = np.array([[1, 0.7, 0.4], [0.7, 1, 0.5], [0.4, 0.5, 1]])
    ends = stats.norm.ppf([0.5, 0.2, 0.5])  # below the first two categories of the last rater
    below = stats.multivariate_normal.cdf(ends, cov=cov, abseps=1e-8)
    assert table[:1, :1, :2].sum() == pytest.approx(below, abs=1e-5)


def test_raters_who_are_alike_take_fewer_items():
    far, near = (pdkappa.plan.sample_size_compare(0.7, 0.5, b, **EVEN) for b in (0.35, 0.7))
    assert near.n_items < far.n_items
    unnamed = pdkappa.plan.power_compare(100, 0.7, 0.5, **EVEN)
    product = correlation(0.7) * correlation(0.5)
    named = pdkappa.plan.power_compare(100, 0.7, 0.5, 2 / np.pi * np.arcsin(product), **EVEN)
    assert named == pytest.approx(unnamed, abs=0.01)


def test_the_number_and_the_power_are_inverse():
    found = pdkappa.plan.sample_size_compare(0.7, 0.5, 0.6, power=0.9, **QWK)
    assert pdkappa.plan.power_compare(found.n_items, 0.7, 0.5, 0.6, **QWK) == pytest.approx(
        0.9, abs=0.015
    )
    assert pdkappa.plan.power_compare(10**10, 0.7, 0.69999, **QWK) < 1
    assert pdkappa.plan.power_compare(10**12, 0.7, 0.6999, **QWK) == pytest.approx(1)


REFUSED_COMPARE = {
    "first": {"first": 1, "second": 0.5},
    "between": {"first": 0.7, "second": 0.5, "between": "x"},
    "beyond": {"first": 0.7, "second": 0.6, "between": -0.6},
    "no difference": {"first": 0.6, "second": 0.6},
    "inferior": {"first": 0.5, "second": 0.6, "claim": "non_inferiority", "margin": 0.05},
    "margin": {"first": 0.6, "second": 0.5, "margin": 0.1},
    "no margin": {"first": 0.6, "second": 0.5, "claim": "equivalence"},
    "claim": {"first": 0.6, "second": 0.5, "claim": "better"},
}


@raising("compare_size", REFUSED_COMPARE)
def test_the_whole_message_of_compare(call, refused):
    with refused():
        pdkappa.plan.sample_size_compare(**call, **EVEN)


def test_too_many_categories_of_compare(refuses):
    with refuses():
        pdkappa.plan.sample_size_compare(0.6, 0.5, margins=np.ones(21))


def test_against_chance_the_power_is_that_of_the_test_of_pairs():
    """Against any other kappa it is that of the limits, which reject less often."""
    rng, margins = np.random.default_rng(1), np.array([0.3, 0.7])
    cells = 0.6 * np.diag(margins) + 0.4 * np.outer(margins, margins)
    drawn = rng.choice(4, (600, 20), p=cells.ravel()).ravel()
    data = pd.DataFrame({"a": drawn // 2, "b": drawn % 2, "draw": np.arange(600).repeat(20)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
        found = data.kappa.pairs(by="draw", categories=[0, 1])
    for null, is_hit in ((0, found["p_value"] < 0.05), (0.001, found["ci_low"] > 0)):
        power = float(pdkappa.power(20, 0.6, null=null, margins=margins))
        assert_allclose(power, is_hit.mean(), atol=0.05)
    assert pdkappa.sample_size(0.6, null=0, margins=margins).n_items == pytest.approx(21, abs=2)
