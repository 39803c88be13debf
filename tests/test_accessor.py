"""Entry points: `df.kappa`, `df.groupby(...).kappa` and `Ratings` are the functions, bound."""

import copy
import inspect
import re
from importlib import import_module
from operator import attrgetter

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import methods, raising
from pdkappa.accessor import ELSEWHERE, NAMESPACES
from pdkappa.methods.plots import KappaPlots


@pytest.fixture
def ratings():
    return pd.DataFrame(
        {
            "site": ["x", "y"] * 6,
            "sex": ["f", "f", "m"] * 4,
            "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 1],
            "bob": [1, 2, 3, 2, 2, 3, 1, 3, 3, 3, 2, 2],
            "eve": [1, 1, 3, 1, 2, 3, 2, 2, 3, 1, 2, 1],
        }
    )


def bound(name, entry):
    """Return a method of `entry`, or of one of its namespaces."""
    return attrgetter(name)(entry)


def entries(ratings):
    """Return what has the methods."""
    return [
        ratings.kappa,
        ratings.groupby("site").kappa,
        pdkappa.from_table([[3, 1], [1, 4]]),
        pdkappa.from_frame(ratings),
    ]


def test_every_method_has_the_options_of_its_function(ratings):
    for name, function in methods().items():
        for entry in entries(ratings):
            found = list(inspect.signature(bound(name, entry)).parameters.values())
            assert found == list(inspect.signature(function).parameters.values())[1:], name


def public_calls():
    """Return what can be called: functions, and methods of classes, of every public module."""
    found = {f"df.kappa.{name}": one for name, one in NAMESPACES.items()}
    found |= {"df.kappa.plot": KappaPlots, "s.kappa": pd.Series.kappa}
    modules = [import_module(f"pdkappa.{name}") for name in ("dask", "plan", "polars", "tools")]
    for module in (pdkappa, pdkappa.results, pdkappa.typing, *modules):
        names = getattr(module, "__all__", [name for name in dir(module) if "Kappa" in name])
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in names}
    of_classes = {
        f"{place}.{name}": getattr(one, name)
        for place, one in found.items()
        if inspect.isclass(one)
        for name in dir(one)
        if not name.startswith("_") or name in ("__init__", "__call__")
    }
    return {name: one for name, one in (found | of_classes).items() if inspect.isroutine(one)}


def test_no_call_has_more_than_sixteen_options():
    pytest.importorskip("polars")
    pytest.importorskip("dask.dataframe")
    lengths = {}
    for name, one in public_calls().items():
        if callable(one) and (getattr(one, "__module__", None) or "").startswith("pdkappa"):
            lengths[name] = len(inspect.signature(one).parameters.keys() - {"self", "data"})
    assert max(lengths.values()) == 16
    longest = {name for name, length in lengths.items() if length == 16}
    for place in ("KappaAccessor", "Ratings", "typing.KappaGroupBy", "polars.PolarsKappa"):
        assert f"pdkappa.{place}.report" in longest
    assert {"pdkappa.dask.DaskKappa.grouped", "df.kappa.machine.audit", "s.kappa.pair"} <= longest


def test_the_help_of_a_method_is_that_of_its_function_but_for_the_data():
    table = pdkappa.from_table([[3, 1], [1, 4]])
    for name, function in methods().items():
        found = inspect.cleandoc(bound(name, table).__doc__).splitlines()
        whole = inspect.cleandoc(function.__doc__).splitlines()
        assert not [line for line in found if line.startswith("data :")], name
        without = [line.removeprefix("data, ") for line in whole]
        assert set(found) <= set(without), name
        assert len(whole) - len(found) <= 4, name


def test_a_wrong_name_of_an_option_is_told_by_every_entry_point(ratings):
    for entry in entries(ratings):
        with pytest.raises(TypeError, match=r"Did you mean 'weights'\?$") as caught:
            entry.pairs(wieghts="quadratic")
        assert type(caught.value) is pdkappa.errors.UnknownOptionError


def test_the_accessor_keeps_the_frame_and_nothing_else(ratings):
    assert vars(ratings.kappa) == {"_data": ratings}
    assert "kappa" in dir(ratings)


RATERS = ["ann", "bob", "eve"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("by", ["site", ["site", "sex"]])
def test_groups_of_columns_are_by(ratings, by):
    grouped = ratings.drop(columns="sex").groupby("site") if by == "site" else ratings.groupby(by)
    assert_frame_equal(
        grouped.kappa.pairwise(weights="quadratic"),
        ratings.kappa.pairwise(RATERS, weights="quadratic", by=by),
    )


def test_selected_columns_are_the_raters(ratings):
    assert_frame_equal(
        ratings.groupby("site")[["ann", "bob"]].kappa.pairs(),
        ratings.kappa.pairs(["ann", "bob"], by="site"),
    )
    assert_frame_equal(
        ratings.groupby("site").kappa.pairs(["ann", "eve"]),
        ratings.kappa.pairs(["ann", "eve"], by="site"),
    )


def test_groups_are_sorted(ratings, refuses):
    backwards = ratings.iloc[::-1]
    for by in ("site", ["site", "sex"]):
        with refuses():
            backwards.groupby(by, sort=False)[RATERS].kappa.pairs()
    expected = ratings.kappa.pairs(RATERS, by="site")
    assert_frame_equal(backwards.groupby("site")[RATERS].kappa.pairs(), expected)
    assert_frame_equal(ratings.groupby("site", sort=False)[RATERS].kappa.pairs(), expected)
    ordered = backwards.assign(site=pd.Categorical(backwards["site"], categories=["y", "x"]))
    found = ordered.groupby("site", sort=False, observed=True)[RATERS].kappa.pairwise()
    assert found.index.get_level_values("site").tolist() == ["y"] * 3 + ["x"] * 3


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("name", ["pairs", "pairwise", "agreement"])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_groups_that_are_no_index_are_the_same_groups(ratings, name):
    ratings["size"] = ratings["site"]  # the name that pandas gives to numbers of rows
    for by in ("site", ["site", "sex"], "size"):
        expected = getattr(ratings.kappa, name)(RATERS, by=by)
        for as_index in (False, True):
            found = getattr(ratings.groupby(by, as_index=as_index)[RATERS].kappa, name)()
            assert_frame_equal(found, expected, obj=f"{by} {as_index}")


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("name", ["pairs", "pairwise", "agreement"])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_unused_categories_are_no_groups(ratings, observed, name):
    """Of one column, and of two, not all pairs of whose values occur."""
    ratings["site"] = pd.Categorical(ratings["site"], categories=["never", "y", "x"])
    ratings["sex"] = pd.Categorical(ratings["sex"].where(ratings["site"] == "x", "f"))
    groups = {"site": ["y", "x"], ("site", "sex"): [("y", "f"), ("x", "f"), ("x", "m")]}
    for columns, expected in groups.items():
        by = columns if isinstance(columns, str) else list(columns)
        found = getattr(ratings.groupby(by, observed=observed)[RATERS].kappa, name)()
        assert_frame_equal(found, getattr(ratings.kappa, name)(RATERS, by=by))
        labels = found.index if name == "pairs" else found.index.droplevel(-1)
        assert labels.unique().tolist() == expected


@pytest.mark.parametrize(
    "key",
    [
        lambda frame: frame["ann"] % 2,
        lambda _: lambda row: row % 2,
        lambda frame: frame["site"].str.upper(),
    ],
    ids=["series", "function", "series named as a column"],
)
def test_groups_that_are_no_columns_are_refused(ratings, key):
    with pytest.raises(pdkappa.errors.OptionError, match="Assign the groups to a column first"):
        ratings.groupby(key(ratings)).kappa.pairs(RATERS)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("kind", ["object", "category"])
@pytest.mark.parametrize("name", ["pairwise", "agreement"])
@pytest.mark.parametrize("by", ["site", ["sex", "site"]])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_items_without_a_group(ratings, by, name, kind, refuses):
    """They are left out; with dropna=False, they are to have a name first."""
    whole = ratings.groupby(by, dropna=False)[RATERS]
    assert_frame_equal(getattr(whole.kappa, name)(), getattr(ratings.kappa, name)(RATERS, by=by))
    ratings["site"] = ratings["site"].mask(ratings.index == 0).astype(kind)
    left = getattr(ratings.groupby(by, observed=True)[RATERS].kappa, name)()
    assert_frame_equal(left, getattr(ratings.iloc[1:].kappa, name)(RATERS, by=by))
    with refuses():
        ratings.groupby(by, dropna=False, observed=True).kappa.pairs(RATERS)
    named = ratings.astype({"site": object}).fillna({"site": "none"})
    found = getattr(named.groupby(by, dropna=False)[RATERS].kappa, name)()
    assert "none" in found.index.get_level_values("site")


def test_a_table_has_the_same_methods():
    table = pd.DataFrame([[20, 5], [10, 15]], index=["no", "yes"], columns=["no", "yes"])
    ratings = pdkappa.from_table(table)
    assert str(ratings) == "Ratings of 50 items by 'rater_a' and 'rater_b'"
    assert ratings.confusion("rater_a", "rater_b").to_numpy().tolist() == table.to_numpy().tolist()
    assert_frame_equal(ratings.pairs(), ratings.pairs())
    assert round(ratings.pairs()["estimate"].item(), 12) == 0.4
    assert ratings.pairwise().shape == (2, 2)
    assert ratings.crosscheck()["agrees"].all()


STUDY = {"raters": RATERS, "weights": "quadratic", "cluster": "sex", "missing": "listwise"}


@pytest.mark.filterwarnings("ignore::pdkappa.KappaWarning")
def test_options_that_are_held_are_those_that_are_passed(ratings):
    """By every entry point, and in the namespaces."""
    polars = pytest.importorskip("polars")
    dask = pytest.importorskip("dask.dataframe")
    import_module("pdkappa.polars")
    import_module("pdkappa.dask")
    table = pdkappa.from_table([[3, 1], [1, 4]])
    long = pdkappa.from_long(
        ratings.reset_index().melt("index", RATERS), item="index", rater="variable", rating="value"
    )
    for entry, held in [
        *((one, STUDY) for one in (ratings.kappa, pdkappa.from_frame(ratings))),
        *((one, STUDY | {"by": "site"}) for one in (ratings.kappa, pdkappa.from_frame(ratings))),
        (ratings.groupby("site").kappa, STUDY),
        (polars.from_pandas(ratings).kappa, STUDY | {"by": "site"}),
        (dask.from_pandas(ratings, npartitions=2).kappa, STUDY | {"by": "site"}),
        (table, {"weights": "linear"}),
        (long, {"weights": "linear", "missing": "listwise"}),
    ]:
        kept, study = repr(entry), entry(**held)
        assert type(study) is type(entry)
        assert_frame_equal(study.pairs(), entry.pairs(**held))
        assert_frame_equal(study.pairs(weights=None), entry.pairs(**held | {"weights": None}))
        again = entry(**{**held, "weights": None})(weights=held["weights"])
        assert_frame_equal(again.agreement(), entry.agreement(**held))
        assert repr(entry) == kept
        assert f"\nAll methods have: {next(iter(held))}=" in repr(study)
    study = ratings.kappa(raters=["ann", "bob"], by="site", missing="listwise")
    assert_frame_equal(
        study.scores.bland_altman("ann", "bob"),
        ratings.kappa.scores.bland_altman("ann", "bob", by="site", missing="listwise"),
    )


HELD = {
    "by name": lambda k: k("quadratic"),
    "no such option": lambda k: k(wieghts="quadratic"),
    "no such choice": lambda k: k(coefficient="kohen"),
    "groups twice": lambda k: k(by="site").pairs(by="sex"),
    "groups held twice": lambda k: k(by="site")(by="sex"),
    "groups of a groupby": lambda k: k._data.groupby("site").kappa(by="sex"),
    "a sample of a method": lambda k: k.pairs(["ann", "bob"], ci="bca", rng=0),
    "a sample of a method beside its own": lambda k: k.machine.audit(
        "ann", "bob", q=0.1, min_test_items=5
    ),
    "a sample of a picture": lambda k: k.plot.cutpoints("ann", "bob", weights=None, rng=1),
    "a sample of a file": lambda k: k.to_excel("x.xlsx", weight_type="frequency"),
    "a sample of a group": lambda k: k._data.groupby("site").kappa.pairs(min_items=2),
    "a method without": lambda k: k(weights="linear").scores.within(),
    "several coefficients": lambda k: k(coefficient="gwet").agreement(),
    "another rater": lambda k: k(raters=["ann", "bob"]).compare(("ann", "bob"), ("ann", "eve")),
}


@raising("held", HELD)
def test_what_cannot_be_held_is_told(ratings, call, refused):
    with refused():
        call(ratings.kappa)


def test_another_name_is_answered_with_the_call_that_does_it(ratings):
    told = {
        "qwk": 'pairs(weights="quadratic")',
        "cohen": "pairs()",
        "krippendorff": 'agreement(coefficients="krippendorff")',
        "fleiss": 'agreement(coefficients="fleiss")',
        "scott": 'pairs(coefficient="scott")',
        "audit": "machine.audit(...)",
    }
    for name, call in told.items():
        for entry in entries(ratings):
            with pytest.raises(AttributeError, match=re.escape(f"Write df.kappa.{call}.")):
                getattr(entry, name)
    with pytest.raises(AttributeError, match=r"^df.kappa has no 'pears'. Did you mean 'pairs'\?"):
        _ = ratings.kappa.pears
    with pytest.raises(AttributeError, match=r"^df.kappa has no 'mean'\.$"):
        _ = ratings.kappa.mean
    for call in ELSEWHERE.values():
        assert attrgetter(call.partition("(")[0])(ratings.kappa)


def test_the_menu_names_every_method_and_what_it_answers():
    df = pdkappa.datasets.load_anxiety()
    menu = repr(df.kappa)
    assert str(df.kappa) == "Inter-rater agreement in a DataFrame of 20 rows and 3 columns"
    assert menu.startswith(f"{df.kappa}\n\nHow well raters agree")
    assert max(map(len, menu.splitlines())) <= 100
    assert len(menu.splitlines()) <= 28
    names = re.findall(r"[a-z_.]+(?=,|\n|$)", "\n".join(re.findall(r"(?m)^    .*$", menu)))
    pictures = [f"plot.{name}" for name in dir(df.kappa.plot) if not name.startswith("_")]
    assert sorted(names) == sorted([*methods(), *pictures])


OF_TWO = (
    *("scores.bland_altman", "confusion", "cells", "predictions.scorecard", "predictions.shift"),
    *("machine.prevalence", "machine.mean_score"),
)
GIVEN = {
    **dict.fromkeys(OF_TWO, ("ann", "bob")),
    "compare": (("ann", "bob"), ("ann", "eve")),
    "machine.ceiling": (["bob", "eve"], "ann"),
    "machine.evaluate": (["ann", "bob"], "eve"),
    "machine.prediction_powered": ("ann", "bob", "eve"),
    "machine.prmse": (["ann", "bob"], "eve"),
    "machine.readiness": (["ann", "bob"], "eve"),
}
# no frame, or of groups themselves
OTHERS = {
    *("machine.adjudication", "machine.alt_test", "machine.audit", "grouped", "compare_groups"),
    *("predictions.cutpoints", "machine.fairness", "generalizability", "report", "trials"),
    *("to_excel", "to_html"),
}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_groups_are_the_outermost_levels_of_every_frame(ratings):
    """None of them is a column, and without `by` there is no such level."""
    raters = ["ann", "bob", "eve"]
    for name in [name for name in methods() if name not in OTHERS]:
        given = GIVEN.get(name, (raters,))
        for by in ([], ["site"], ["site", "sex"]):
            frame = bound(name, ratings.kappa)(*given, **({"by": by} if by else {}))
            plain = [one for one in frame.index.names if one in {"site", "sex"}]
            assert (plain, list(frame.index.names)[: len(by)]) == (by, by), name
            assert not {"site", "sex"} & set(map(str, frame.columns)), name


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_no_column_is_called_kappa_and_the_figure_comes_first(ratings):
    """`frame.kappa` is the accessor; `n_items`, `estimate` and its limits lead, `reason` ends."""
    head = ["estimate", "se", "ci_low", "ci_high"]
    for name in [name for name in methods() if name not in OTHERS]:
        frame = bound(name, ratings.kappa)(*GIVEN.get(name, (["ann", "bob", "eve"],)))
        columns = list(frame.columns)
        assert "kappa" not in columns, name
        if "reason" in columns:
            assert [one for one in columns if one != "remark"][-1] == "reason", name
        if {"estimate", "ci_low"} <= set(columns):
            place = columns.index("estimate")
            assert [one for one in columns[place : place + 4] if one in head] == [
                one for one in head if one in columns
            ], name
            labels = {"rater_a", "rater_b", "prior", "n_items", "n_ratings"}
            labels |= {"n_labelled", "n_unlabelled", "n_raters"}
            assert set(columns[:place]) <= labels, name


def test_groups_that_pandas_cannot_tell_apart(refuses):
    data = pd.DataFrame({"ann": [1, 2], "bob": [1, 2], "site": [[1], [2]]})
    with refuses():
        _ = data.groupby("site").kappa


def test_what_a_series_lacks_names_what_it_has(ratings):
    series = ratings.iloc[:, 0]
    with pytest.raises(AttributeError, match=r"^s1\.kappa has no 'qwk'\. Write s1\.kappa\.pair\("):
        _ = series.kappa.qwk
    assert copy.copy(series.kappa)._data.equals(series)
