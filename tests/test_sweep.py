"""Every method: its options are obeyed or refused, and laws hold that no method is exempt from.

Methods and options are found by themselves; an option without another value here is a failure.
"""

import json
import re
import warnings
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import function_of, held, methods, takes
from pdkappa.methods.estimates.asked import Held

N = 60


def ratings():
    """Return raters who often agree, one with holes, a score, groups, clusters and weights."""
    rng = np.random.default_rng(7)
    truth = rng.integers(1, 5, N)
    data = {name: np.clip(truth + rng.integers(-1, 2, N), 1, 4) for name in "abcm"}
    frame = pd.DataFrame(data).assign(c=lambda one: one["c"].where(rng.random(N) < 0.8))
    frame["a"] = frame["a"].where(frame.index != 1)
    frame.loc[2 * N // 3 :, ["b", "c"]] = rng.integers(1, 5, (N // 3, 2))  # a group agrees less
    return frame.assign(
        g=np.repeat(["x", "y", "z"], N // 3),
        h=np.tile(["u", "v"], N // 2),
        k=np.arange(N) // 4,
        w=1 + np.arange(N) % 3,
        f=np.linspace(0.5, 1.5, N),
        v=pd.Series(np.repeat([1.0, 2, 3], N // 3)),
        s=truth + rng.normal(0, 0.6, N),
        label=[f"item {number}" for number in range(N)],
        again=np.clip(data["m"] + rng.integers(0, 2, N), 1, 4),
        **dict(zip("pqrt", rng.dirichlet([2] * 4, N).T, strict=True)),
    )


def repeated():
    """Return ratings one below the other, of items by raters in two trials each."""
    rng = np.random.default_rng(8)
    item, rater, trial = (one.ravel() for one in np.indices((20, 3, 2)))
    truth = rng.integers(1, 5, 20)[item]
    names = {"item": item, "rater": rater, "trial": trial, "truth": truth, "g": item % 2}
    rating = np.clip(truth + rng.integers(-1, 2, len(item)), 1, 4)
    other = np.clip(rating + rng.integers(0, 2, len(item)), 1, 4)
    return pd.DataFrame({**names, "rating": rating, "other": other, "task": trial + 2 * rater})


class Any(tuple):
    """Values of which one at least must change something."""

    __slots__ = ()

    def __new__(cls, *values):
        return super().__new__(cls, values)


FRAME, LONG = ratings(), repeated()
OF_LONG = {"trials", "generalizability"}
# Another value than the default, for all methods that have the option.
VALUES = {
    "by": "g",
    "weights": "linear",
    "categories": [1, 2, 3],
    "missing": "raise",
    "sample_weight": "w",
    "weight_type": "probability",
    "cluster": "k",
    "ci": "wald",
    "confidence_level": 0.9,
    "n_resamples": 30,
    "rng": 1,
    "errors": "equal",
    "null": 0.3,
    "population": 100,
    "p_adjust": "bonferroni",  # for others statsmodels collects garbage
    "min_items": Any(1000, 57, 50, 18, 100, 110),
    "coefficients": ["fleiss"],
    "interpretation": "fleiss",
    "vary": "raters",
    "shares": "ratings",
    "margin": 0.1,
    "together": True,
    "id": "label",
    "columns": ["s"],
    "kind": "cut",
    "normalize": "index",
    "margins": True,
    "margins_name": "sum",
    "method": "dawid_skene",
    "max_iter": 2,
    "tol": 0.5,
    "group_weights": "v",
    "clip": 0.1,
    "tau2_method": "dersimonian_laird",
    "tolerance": 2,
    "exclude": 1,
    "rounded": False,
    "error_variance": 0.3,
    "thresholds": {"qwk": 0.2},
    "humans_apart": 2,
    "machine_apart": 3,
    "score": Any("rmse", "accuracy"),
    "epsilon": 0.1,
    "q": 1e-9,
    "min_test_items": Any(57, 50, 40, 18, 100, 110),
    "again": {"m": "again"},
    "swapped": {"m": "again"},
    "lam": 0.3,
    "category": 2,
    "probabilities": {1: "p", 2: "q", 3: "r", 4: "t"},
    "ranked": ["b"],
    "k": 1,
    "conforming": 2,
    "nested": {"trial": "rater"},
    "fixed": ["trial"],
    "n_folds": 3,
    "prior": {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4},
    "concentration": 20,
    "radius": 0.1,
    "detail": "full",
}
OWN = {  # of some methods
    ("icc", "ci"): "jackknife",
    ("icc", "null"): 0.9,
    ("consensus", "method"): "dawid_skene",
    ("machine.prevalence", "method"): "rogan_gladen",
    ("machine.mean_score", "method"): "humans_only",
    ("predictions.cutpoints", "method"): Any("fixed_point", "isotonic", "exact"),
    ("scores.concordance", "ci"): "wald",
    ("scores.concordance", "kind"): "linear",
    ("predictions.cutpoints", "score"): "p",
    ("predictions.cutpoints", "predictions"): "p",
    ("scores.concordance", "weights"): "linear",
    ("agreement", "population"): 100,
    ("scores.kendall_w", "categories"): {1: 1, 2: 5, 3: 2, 4: 4},
    ("trials", "rater"): "task",
    ("trials", "truth"): "truth",
    ("generalizability", "method"): "reml",
    ("usage", "categories"): [1, 2, 3, 4, 5],
    **{(name, "by"): "h" for name in ("grouped", "compare_groups", "machine.fairness")},
}
OTHER = {  # another value for what names a rater, or what the usual ones cannot show
    "raters": ["a", "b"],
    "rater_a": "m",
    "rater_b": "m",
    "first": ("b", "c"),
    "second": ("b", "c"),
    "pairs": [("a", "b")],
    "human": "b",
    "humans": ["b", "c"],
    "second_human": "c",
    "machine": "again",
    "machines": ["m"],
    "judges": "again",
    "judge": "again",
    "rater": "c",
    "truth": "b",
    "prediction": "again",
    "predictions": "again",
    "stat": "se",
    "sep": "|",
    "coefficient": "krippendorff",
    "stand_in": "again",
    "item": "task",
    "trial": "task",
    "rating": "other",
    "facets": ["rater"],
}
ROLES = {
    "raters": ["a", "b", "c"],
    "rater_a": "a",
    "rater_b": "c",
    "first": ("a", "b"),
    "second": ("a", "c"),
    "human": "c",
    "humans": ["a", "c"],
    "machine": "m",
    "judges": "m",
    "judge": "m",
    "rater": "b",
    "truth": "a",
    "prediction": "m",
    "predictions": "m",
}
USUAL = {
    "grouped": {"by": "g"},
    "compare_groups": {"by": "g"},
    "machine.fairness": {"humans": "c", "by": "g"},
    "machine.prevalence": {"humans": "c"},
    "machine.mean_score": {"humans": "c"},
    "machine.prediction_powered": {"humans": "c", "stand_in": "b"},
    "machine.alt_test": {"humans": ["a", "b", "c"]},
    "machine.audit": {"humans": ["a", "b", "c"]},
    "predictions.cutpoints": {"score": "s", "predictions": "s", "weights": None},
    "machine.evaluate": {"machine": "s"},
    "machine.readiness": {"machine": "s"},
    "trials": {"item": "item", "rater": "rater", "trial": "trial", "rating": "rating"},
    "generalizability": {"item": "item", "rating": "rating", "facets": ["rater", "trial"]},
}
# Beside these each option is tried again, where the method has them.
BESIDE = (
    {"by": "g"},
    {"weights": "quadratic"},
    {"weights": None},
    {"ci": "bca", "n_resamples": 20, "rng": 5},
    {"ci": "jackknife"},
    {"ci": "fisher"},
    {"cluster": "k"},
    {"sample_weight": "w"},
    {"sample_weight": "f", "weight_type": "probability"},
    {"missing": "listwise"},
    {"vary": "both"},
    {"coefficient": "gwet"},
    {"coefficients": ["krippendorff"]},
    {"categories": [1, 2, 3, 4]},
    {"stat": "p_value"},
    {"stat": "n_items"},
    {"concentration": 20, "n_resamples": 20, "rng": 5},
    {"second_human": "c"},
    {"method": "dawid_skene"},
    {"margin": 0.2},
    {"together": True},
    {"kind": "cut"},
)
FILES = {"to_excel", "to_html"}  # which write what `report` has
OF_FILES = {"path", "overwrite", "formulas", "title"}
DRAWN = {"machine.prmse", "machine.readiness", "predictions.cutpoints"}  # with rng=None by default
# A count needs neither a coefficient nor weights, which one forgets to take out; if no rating is
# missing, the two kinds of shares are one.
ALLOWED = {("pairwise", option, "stat=n_items") for option in ("coefficient", "weights")}
ALLOWED |= {("agreement", "shares", "missing=listwise")}
# Items that all rated are as many for each human: all have enough of them, or none has.
ALLOWED |= {(f"machine.{x}", "min_test_items", "missing=listwise") for x in ("audit", "alt_test")}


def called(name, options, **study):
    """Return what a call shows, in numbers and words, or that it is refused or warns."""
    frame, ticks = (LONG if name in OF_LONG else FRAME).copy(), []
    if "sep" in options:
        frame[list("abcm")] = frame[list("abcm")].astype(object).map(lambda x: f"{x}|{x}")
    if options.get("progress"):
        options = options | {"progress": lambda done, total: ticks.append((done, total))}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            study |= {one: options[one] for one in held(name) if one in options}
            passed = {one: x for one, x in options.items() if one not in study}
            found = attrgetter(name)(frame.kappa(**study))(**passed)
        except pdkappa.KappaError as error:
            return f"{type(error).__name__}: {error}"
    said = sorted({str(one.message) for one in told})
    return [*shown(found), *said, *ticks[:1]]


def shown(found):
    """List the figures and words of a result."""
    if isinstance(found, pd.DataFrame):
        beside = [found.raters] if hasattr(type(found), "raters") else []
        return [*map(cells_of, (found, *beside))]
    tables = dict(getattr(found, "tables", {}))  # of which to_frame() is made
    if hasattr(found, "to_frame") and not tables:
        tables[""] = found.to_frame()
    told = [str(getattr(found, name, "")) for name in ("cv_estimate", "remarks")]
    return [f"{name}:{cells_of(one)}" for name, one in tables.items()] + told


def cells_of(frame):
    """Write all of a frame, quicker than a file of it is made."""
    return repr([frame.index.tolist(), [*frame], frame.to_numpy(object).tolist()])


def base_of(name):
    """Return the roles that a method needs, and what it needs beside."""
    having = takes(name)
    needs = {"raters", "rater_a", "rater_b"} | {
        n for n, p in having.items() if p.default is p.empty
    }
    base = {role: one for role, one in ROLES.items() if role in having and role in needs}
    return base | {option: one for option, one in USUAL.get(name, {}).items() if option in having}


def other_value(name, option):
    """Return another value of an option than that by default."""
    if option == "progress":
        return True
    return OWN.get((name, option), OTHER.get(option) or VALUES[option])


def silent(name):
    """List the options of a method that change nothing, with what stands beside them."""
    having = takes(name)
    base, found, known = base_of(name), [], {}

    def ask(options):  # once: an option may be asked for beside another, and the other way round
        key = repr(sorted((base | options).items()))
        if key not in known:
            known[key] = called(name, base | options)
        return known[key]

    beside = [{}] if name == "report" else [{}, *BESIDE]
    contexts = [
        one
        for one in beside
        if one.keys() <= having.keys() and all(having[key].default != x for key, x in one.items())
    ]
    usual = [*map(ask, contexts)]
    for option in [*having][1:]:
        value = other_value(name, option)
        own = {"sample_weight": "f"} if option == "weight_type" else {}
        for one, plain in zip(contexts, usual, strict=True):
            if option in one or isinstance(plain, str):
                continue
            expected = ask(own | one) if own else plain
            every = value if isinstance(value, Any) else (value,)
            if all(ask(own | one | {option: x}) == expected for x in every):
                place = ", ".join(f"{key}={x}" for key, x in list(one.items())[:1])
                found.append((name, option, place))
    return found


@pytest.mark.parametrize("name", sorted(methods().keys() - FILES))
def test_every_option_is_obeyed_or_refused(name):
    assert not isinstance(called(name, base_of(name)), str)
    assert set(silent(name)) <= ALLOWED


# Two raters have the coefficients of a pair, and more those of all; the others say which it is.
ELSEWHERE = {("compare_groups", "coefficient", one) for one in ("cohen", "scott")}


@pytest.mark.parametrize("name", sorted(methods().keys() - FILES))
def test_no_value_that_an_option_lists_is_refused_as_unknown(name):
    known = vars(methods()[name])["call"].record.known
    listed = [(option, x) for option, one in known.items() for x in one.choices if x is not None]
    less = {"detail": ["counts"]} if name == "report" else {}
    for option, value in listed:
        found = called(name, base_of(name) | less | {option: value})
        refused = isinstance(found, str) and "not known" in found
        assert refused == ((name, option, value) in ELSEWHERE), found


def test_what_is_written_has_the_options_of_the_report():
    report = takes("report")
    for name in FILES:
        having = takes(name)
        assert having.keys() - report.keys() <= OF_FILES
        with pytest.raises(pdkappa.errors.UnknownOptionError) as caught:
            attrgetter(name)(FRAME.kappa)("never.html", ci="wald")
        assert str(caught.value) == (
            f"{name} has no option 'ci'. Write report(ci=...).to_html(path) or .to_excel(path)."
        )


@pytest.mark.parametrize("name", sorted(methods().keys() - FILES))
def test_what_is_held_is_what_is_passed(name):
    having, base = takes(name), base_of(name)
    base |= {"rng": 5} if name in DRAWN else {}
    for option in {one.name for one in Held.options} & having.keys() - base.keys():
        value = other_value(name, option)
        expected = called(name, base | {option: value})
        assert called(name, base, **{option: value}) == expected, option


# What is listed item by item, and what is drawn for all groups in turn or knows all of them.
OF_ITEMS = {"items", "consensus", "machine.adjudication"}
OF_ALL_GROUPS = {*DRAWN, "machine.audit", "machine.evaluate", "predictions.scorecard", "report"}
LAWFUL = (
    {"weights": "quadratic"},
    {"coefficient": "gwet"},
    {"cluster": "k"},
    {"kind": "cut"},
    {"together": True},
    {"missing": "listwise"},
)
NEAR = {"rtol": 1e-6, "atol": 1e-8, "check_names": False}
NEAR |= {"check_dtype": False, "check_index_type": False}


def assert_law(name, whole, expected, part=lambda table: table, beside=LAWFUL):
    """Compare all tables of two calls that should say the same, each a frame and options.

    They are compared `beside` other options, too.
    """
    having = takes(name)
    usual = base_of(name) | ({"rng": 5} if name in DRAWN else {})
    usual |= {"detail": ["drilldown", "counts"]} if name == "report" else {}
    way = other_value(name, "method") if "method" in having else ()
    ways = [{"method": one} for one in (way if isinstance(way, Any) else (way,) if way else ())]
    for own in ({}, *beside, *ways):
        if own.keys() <= having.keys() and own.keys().isdisjoint(usual):
            found, alone = (
                tables_of(name, frame, usual | own | options)
                for frame, options in (whole, expected)
            )
            assert found.keys() == alone.keys(), own
            for table in found.keys() - {"items", "to_discuss", "notes"}:
                one, other = part(found[table]), alone[table]
                assert_frame_equal(one, other, obj=f"{table} {own}", **NEAR)


def tables_of(name, frame, options):
    """Return the frames of a result, by name; none where an option is refused."""
    try:
        found = function_of(name)(frame, **options)
    except pdkappa.errors.OptionError:
        return {}
    if isinstance(found, pd.DataFrame):
        return {"": pd.DataFrame(found)}
    whole = {"": found.to_frame()} if hasattr(found, "to_frame") else {}
    return dict(getattr(found, "tables", {})) | whole


def with_option(option, *, but=()):
    """List the methods that have an option."""
    having = {name for name in methods() if option in takes(name)}
    return sorted(having - FILES - {*but})


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(methods().keys() - FILES))
def test_the_order_of_the_rows_does_not_matter(name):
    frame = LONG if name in OF_LONG else FRAME
    shuffled = frame.sample(frac=1, random_state=1)
    part = pd.DataFrame.sort_index if name in {"items", "consensus"} else lambda table: table
    assert_law(name, (shuffled, {}), (frame, {}), part)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", with_option("sample_weight", but=OF_ITEMS))
def test_whole_weights_are_repeated_rows(name):
    repeated = FRAME.loc[FRAME.index.repeat(FRAME["w"])]
    assert_law(name, (FRAME, {"sample_weight": "w"}), (repeated, {}))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", with_option("weight_type"))
def test_of_weights_of_a_sample_the_proportions_count(name):
    """Sums that are rounded decide nothing: neither a reason nor a remark."""
    weights = np.random.default_rng(16).uniform(0.5, 1.5, N)
    frame = FRAME.assign(c=FRAME["c"].fillna(2))  # of which all are complete
    beside = [{"by": "g"}] if "by" in takes(name) and "by" not in base_of(name) else []
    for factor in (0.1, 1 / 3, 7 / 3):
        calls = (
            (frame.assign(w=weights * one), {"sample_weight": "w", "weight_type": "probability"})
            for one in (factor, 1)
        )
        assert_law(name, *calls, beside=beside)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", with_option("by", but=OF_ALL_GROUPS))
def test_a_group_is_what_it_is_alone(name):
    if "by" in base_of(name):
        assert name in USUAL  # it compares groups
        return
    frame = LONG if name in OF_LONG else FRAME
    having = takes(name)
    scale = {"categories": [1, 2, 3, 4]} if "categories" in having else {}
    group = frame["g"].max()

    def part(table):
        own = table.loc[[group]]
        return own.droplevel(0) if own.index.nlevels > 1 else own.reset_index(drop=True)

    assert_law(name, (frame, scale | {"by": "g"}), (frame[frame["g"] == group], scale), part)


SEVERAL = {"raters": ([*"ab"], [*"abm"]), "humans": ([*"ab"], [*"abc"])}
# Beside these an item that somebody did not rate counts for nothing: of the empty rater's, each.
PAIRWISE = [one for one in LAWFUL if "missing" not in one]
PAIRWISE += [{"shares": "ratings"}, {"ci": "wald"}, {"ci": "jackknife"}, {"sample_weight": "w"}]
PAIRWISE += [{"coefficient": "krippendorff"}]
# Two of these compare all pairs, and the scores of all raters, and say why they cannot; the others
# take two people.
ALL_OR_NONE = {"homogeneity", "scores.kendall_w"}
OF_TWO = {"machine.adjudication", "machine.evaluate", "machine.readiness"}


def several(*, but=()):
    """List the methods that take a list of raters or of people."""
    having = {name for name in methods() if SEVERAL.keys() & takes(name)}
    return sorted(having - FILES - OF_LONG - ALL_OR_NONE - {*but})


def without(rater):
    """Make what leaves out the rows, columns and remarks about a rater."""

    def part(table):
        rows = np.ones(len(table), dtype=bool)
        for level in range(table.index.nlevels):
            rows &= table.index.get_level_values(level) != rater
        for column in {"rater_a", "rater_b", "rater"} & {*table.columns}:
            rows &= table[column].to_numpy() != rater
        kept = table[rows].drop(columns=rater, errors="ignore")
        if "remark" in kept:  # of a mean, what it leaves out
            told = kept["remark"].astype(object).str.replace("left out: [^;]*", "", regex=True)
            told = told.str.strip("; ")
            kept = kept.assign(remark=told)
        return kept.reset_index(drop=True) if isinstance(table.index, pd.RangeIndex) else kept

    return part


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", several(but=OF_TWO))
def test_a_rater_who_rated_nothing_changes_no_figure(name):
    frame = FRAME.assign(e=np.nan)
    [(role, lists)] = [(x, lists) for x, lists in SEVERAL.items() if x in takes(name)]
    for others in lists:
        for place in (0, len(others)):
            raters = [*others[:place], "e", *others[place:]]
            calls = (frame, {role: raters}), (FRAME, {role: others})
            assert_law(name, *calls, without("e"), PAIRWISE)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", several(but=OF_TWO | OF_ITEMS | OF_ALL_GROUPS))
def test_nor_does_one_who_rated_nothing_in_a_group(name):
    """A group of which two of three rated has the figures of the pair."""
    having = takes(name)
    if "by" not in having or "by" in base_of(name):
        return
    [role] = SEVERAL.keys() & having.keys()
    scale = {"categories": [1, 2, 3, 4]} if "categories" in having else {}
    for lost in "abc":
        frame = FRAME.assign(**{lost: FRAME[lost].where(FRAME["g"] != "x")})
        others = [one for one in "abc" if one != lost]

        def part(table, lost=lost):
            own = table.loc[["x"]]
            return without(lost)(
                own.droplevel(0) if own.index.nlevels > 1 else own.reset_index(drop=True)
            )

        whole = frame, scale | {"by": "g", role: [*"abc"]}
        alone = frame[frame["g"] == "x"], scale | {role: others}
        beside = [one for one in PAIRWISE if "together" not in one]  # which is of complete items
        assert_law(name, whole, alone, part, beside)


# Frames of which the columns are raters, categories or means, and what a report says in words.
WIDE = {"confusion", "usage", "pairwise", "leave_one_out"}
WORDS = {"summary", "to_discuss", "worst_pair", "notes"}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(methods().keys() - FILES))
def test_every_table_says_what_it_is_and_why(name):
    """By name an attribute, with options that JSON has; reason and remark stand last."""
    frame = (LONG if name in OF_LONG else FRAME).copy()
    found = attrgetter(name)(frame.kappa)(**base_of(name))
    tables = {name: found} if isinstance(found, pd.DataFrame) else found.tables
    for key, one in tables.items():
        assert json.loads(json.dumps(one.attrs))["kappa"] == one.attrs["kappa"] != {}
        if one is not found:
            pd.testing.assert_frame_equal(getattr(found, key), one)
        if key not in WIDE | WORDS:
            assert [*one.columns[-2:]] == ["reason", "remark"], key


OURS = dict(zip("abcm", ("r2", "se", "sd", "df"), strict=True))  # names of columns of results
THEIRS = dict(zip(OURS, ("xa", "xb", "xc", "xm"), strict=True))


def said_of(name, names):
    """Return what a method shows of raters with other names, as text with names of their own."""

    def named(value):
        if isinstance(value, list | tuple):
            return type(value)(map(named, value))
        return names.get(value, value) if isinstance(value, str) else value

    having = takes(name)
    base = base_of(name) | ({"raters": [*"abcm"]} if "raters" in having else {})
    held_too = {"rng": 5} if name in DRAWN else {}
    roles = {
        option: named(x) if option in {*ROLES, "stand_in"} else x for option, x in base.items()
    }
    found = attrgetter(name)(FRAME.rename(columns=names).kappa(**held_too))(**roles)
    shown = [str(found), found._repr_html_()]
    for one in found._sheets():
        shown += [one.frame.to_csv(), str(one.headings)]
    if name == "report":
        shown += [found.to_html(), found.tables["to_discuss"].to_csv()]
    text = re.sub(r"rating of |T_[0-9a-f]{12}", "", " ".join(shown))
    return re.sub(rf"\b({'|'.join(OURS.values())})\b", lambda x: BACK[x[0]], text)


BACK = dict(zip(OURS.values(), THEIRS.values(), strict=True))


@pytest.mark.needs("jinja2")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(methods().keys() - FILES - OF_LONG))
def test_a_rater_is_not_taken_for_a_column_of_ours(name):
    assert said_of(name, OURS) == said_of(name, THEIRS)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize(
    "beside", [{"id": "r2"}, {"columns": ["r2"]}, {"columns": ["rating of r2"]}]
)
def test_ratings_are_shown_once_whatever_stands_beside_items(beside):
    frame = FRAME.rename(columns=OURS | {"label": "rating of r2"})
    votes = frame.kappa.report([*OURS.values()], **beside).tables["to_discuss"]["votes"]
    is_id = "id" in beside  # whose ratings name the items
    assert votes.str.startswith("se: " if is_id else "r2: ").any()
    assert votes.str.count(": ").max() == (3 if is_id else 4)
