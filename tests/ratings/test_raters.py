"""Raters when none are named: what is left out, what is doubted, and silence on honest data."""

import datetime as dt
import importlib
import inspect
import warnings
from itertools import product
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, function_of
from pdkappa import datasets, errors
from pdkappa.accessor import KappaMethods
from pdkappa.present.text_markup import public_methods

ESSAYS = datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
LEFT_OUT = "Columns that cannot be ratings are left out: "
NEVER_TWICE = "identifiers, no value occurs twice"


def caught(call):
    """Return what a call gives, and its warnings about columns and scales."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    kept = (errors.ColumnsLeftOutWarning, errors.LookalikeLabelsWarning, errors.CrudeKappaWarning)
    return result, [str(x.message) for x in found if issubclass(x.category, kept)]


def taken(data, **options):
    """Return the raters that `pairwise` takes, and its warnings."""
    result, messages = caught(lambda: data.kappa.pairwise(**options))
    return list(result), messages


def raters_of(n, rng=None, scale=5, agree=0.7):
    """Draw two raters who agree on a scale."""
    rng = rng or np.random.default_rng(7)
    truth = rng.integers(1, scale + 1, n)
    columns = {
        name: np.where(rng.random(n) < agree, truth, rng.integers(1, scale + 1, n))
        for name in ("ann", "bob")
    }
    return pd.DataFrame(columns)


OF_ESSAYS = (
    f"{LEFT_OUT}'essay_id' ({NEVER_TWICE}); 'essay_weight' (it has one value in each group). "
    "Pass raters=['human_1', 'human_2', 'machine'] to say so, or name others there."
)
BY = {"by": "essay_set"}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
@pytest.mark.parametrize("method", ["pairs", "pairwise", "agreement", "scores.concordance"])
def test_the_raters_of_the_essays_are_found(method):
    options = {} if method == "pairwise" else BY
    data = ESSAYS.drop(columns=["essay_set", "essay_weight"]) if method == "pairwise" else ESSAYS
    function = function_of(method)
    found, messages = caught(lambda: function(data, **options))
    assert len(messages) == 1
    assert messages[0].startswith(f"{LEFT_OUT}'essay_id'")
    expected, _ = caught(lambda: function(data, RATERS, **options))
    assert_frame_equal(found, expected)
    if options:
        assert messages == [OF_ESSAYS]
        again, messages = caught(attrgetter(method)(data.groupby("essay_set").kappa))
        assert messages == [OF_ESSAYS]
        assert_frame_equal(again, expected)


@pytest.mark.parametrize("method", ["report", "to_excel"])
def test_a_report_of_the_essays_is_one_of_their_raters(method, tmp_path):
    path = [tmp_path / "agreement.xlsx"] if method == "to_excel" else []
    found, messages = caught(lambda: getattr(ESSAYS.kappa, method)(*path, **BY))
    assert messages == [OF_ESSAYS]
    if method == "report":
        assert set(found.pairs["rater_a"]) == set(RATERS[:2])


LOOKS = (
    f"{LEFT_OUT}'essay_id' ({NEVER_TWICE}); 'essay_set' (the scale of the others differs by it); "
    "'essay_weight' (one value in each 'essay_set'). Pass raters=['human_1', 'human_2', 'machine'] "
    "to say so, or name 'essay_set', 'essay_weight', which look like groups or weights, there, too."
)


def test_groups_beside_scores_are_left_out():
    names, messages = taken(ESSAYS)
    assert names == RATERS
    assert messages[0] == LOOKS
    assert taken(ESSAYS, raters=["essay_set", *RATERS])[0] == ["essay_set", *RATERS]
    result, (again, *_) = caught(ESSAYS.kappa.scores.concordance)
    assert again == LOOKS
    assert len(result) == 3


def test_weights_are_known_by_their_name():
    rng = np.random.default_rng(1)
    data = raters_of(60).assign(item_weight=rng.choice([0.5, 1, 2], 60))
    names, messages = taken(data)
    assert names == ["ann", "bob"]
    assert "'item_weight' (weights, by its name)" in messages[0]
    alike = data.assign(item_weight=data["ann"])
    assert taken(alike)[0] == ["ann", "bob", "item_weight"]


@pytest.mark.needs("dask", "polars", "pyarrow")
def test_every_source_finds_the_same_raters(tmp_path):
    ESSAYS.to_csv(tmp_path / "essays.csv", index=False)
    import dask.dataframe as dd
    import polars as pl

    import pdkappa.dask

    options = BY | {"weights": "quadratic", "coefficients": ["conger", "krippendorff"]}
    expected = ESSAYS.kappa.agreement(RATERS, **options)
    sources = {
        "scan": pdkappa.scan(tmp_path / "essays.csv", batch_rows=300),
        "polars": pdkappa.from_frame(pl.from_pandas(ESSAYS)),
        "pandas": pdkappa.from_frame(ESSAYS),
        "dask": dd.from_pandas(ESSAYS, npartitions=3).kappa,
    }
    for name, source in sources.items():
        found, messages = caught(lambda one=source: one.agreement(**options))
        assert messages == [OF_ESSAYS], name
        assert_frame_equal(found, expected)
        names, (told, *_) = taken_by(source)
        assert (names, told) == (RATERS, LOOKS), name


def taken_by(ratings):
    """Return the raters that `pairwise` of ratings takes, and its warnings."""
    result, messages = caught(ratings.pairwise)
    return list(result), messages


N = 12
IDENTIFIERS = {
    "row numbers": range(N),
    "from one": range(1, N + 1),
    "shuffled": np.random.default_rng(1).permutation(N) + 1,
    "large": [90210 + 17 * x for x in range(N)],
    "texts": [f"essay-{x}" for x in range(N)],
    "numeric texts": [str(1000 + x) for x in range(N)],
    "objects": np.array(range(N), dtype=object),
    "nullable": pd.array(range(N), dtype="Int64"),
    "Categorical": pd.Categorical([f"essay-{x}" for x in range(N)]),
}


@pytest.mark.parametrize("ids", IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_identifiers_are_left_out(ids):
    data = raters_of(N)
    for ratings in (data, data.astype(str)):
        names, messages = taken(ratings.assign(item=ids))
        assert names == ["ann", "bob"]
        assert messages == [
            (
                f"{LEFT_OUT}'item' ({NEVER_TWICE}). Pass raters=['ann', 'bob'] to say so, or name "
                "others there."
            )
        ]


@pytest.mark.parametrize("n", [3, 5, 10, 30, 20_000])
def test_identifiers_are_known_at_any_size(n):
    data = pd.DataFrame({"ann": np.arange(n) % 2 + 1, "bob": np.arange(n) // 2 % 2 + 1})
    for ids in (np.arange(n) + 1000, [f"essay-{x}" for x in range(n)]):
        assert taken(data.assign(item=ids))[0] == ["ann", "bob"], n


COLUMNS = {
    "dates": (pd.date_range("2024-01-01", periods=N), "dates"),
    "zoned": (pd.date_range("2024-01-01", periods=N, tz="UTC"), "dates"),
    "days": ([dt.date(2024, 1, 1 + x % 5) for x in range(N)], "dates"),
    "periods": (pd.period_range("2024-01", periods=N, freq="M"), "dates"),
    "written": ([f"2024-01-{1 + x % 5:02d} 10:20" for x in range(N)], "dates"),
    "written otherwise": ([f"{1 + x % 5}.1.2024" for x in range(N)], "dates"),
    "durations": (pd.to_timedelta(np.arange(N) % 5, unit="s"), "durations"),
    "free text": ([f"this is what I think of essay {min(x, 10)}" for x in range(N)], "free text"),
}


@pytest.mark.parametrize(("column", "why"), COLUMNS.values(), ids=COLUMNS)
def test_dates_and_free_text_are_left_out(column, why):
    names, messages = taken(raters_of(N).assign(x=column))
    assert names == ["ann", "bob"]
    assert messages[0].startswith(f"{LEFT_OUT}'x' ({why}). ")


def test_a_column_without_name_and_values_is_left_out():
    data = raters_of(N).assign(**{"Unnamed: 2": np.nan})
    names, messages = taken(data)
    assert names == ["ann", "bob"]
    assert messages == [
        (
            "Columns that cannot be ratings are left out: 'Unnamed: 2' (neither a name nor "
            "values). Pass raters=['ann', 'bob'] to say so, or name others there."
        )
    ]
    assert "Unnamed: 2" in data.assign(**{"Unnamed: 2": data["ann"]}).kappa.pairwise()


@pytest.mark.parametrize("name", ["Unnamed: 0", "", " ", "column0", float("nan")])
def test_row_numbers_are_no_ratings(name, tmp_path):
    """Not if they repeat, as where two frames are put together, and not beside a single rater."""
    data = raters_of(N)
    numbered = pd.concat([data, data]).reset_index(names=[name])
    told = (
        f"{LEFT_OUT}{name!r} (it has no name). Pass raters=['ann', 'bob'] to say so, or name "
        "others there."
    )
    assert taken(numbered) == (["ann", "bob"], [told])
    assert numbered.kappa.pairwise([name, "ann"]).shape == (2, 2)
    alone = (
        "Agreement needs two raters or more, got 1 in columns 'ann', without "
        f"{name!r} (it has no name). Pass raters=[...] with the columns of two or more; ratings "
        "one below the other go to pdkappa.from_long."
    )
    with pytest.raises(errors.RatingsError) as error:
        numbered[[name, "ann"]].kappa.pairs()
    assert str(error.value) == alone
    with pytest.raises(errors.RatingsError) as error:
        data.set_axis([name, "bob"], axis=1).assign(ann=data["ann"]).kappa.pairs()
    assert str(error.value) == (
        f"Column {name!r} has no name, and holds nothing but labels of other columns. Pass "
        "raters=[...], with it or without."
    )
    numbered.set_axis(["", *numbered.columns[1:]], axis=1).to_csv(tmp_path / "r.csv", index=False)
    scanned = pdkappa.scan(tmp_path / "r.csv")
    assert_frame_equal(caught(scanned.pairwise)[0], caught(numbered.kappa.pairwise)[0])


def test_columns_that_duckdb_numbers_are_raters():
    """As it does where no column has a name."""
    data = raters_of(N).set_axis(["column0", "column1"], axis=1)
    assert taken(data) == (["column0", "column1"], [])


@pytest.mark.needs("narwhals", "polars", "pyarrow")
@pytest.mark.parametrize("lazy", [False, True])
def test_row_numbers_that_polars_reads_are_no_ratings(lazy, tmp_path):
    """Polars leaves the column without a name, which narwhals takes for an expression."""
    data = raters_of(N)
    data.to_csv(tmp_path / "r.csv")
    polars = importlib.import_module("polars")
    frame = (polars.scan_csv if lazy else polars.read_csv)(tmp_path / "r.csv")
    found, messages = caught(pdkappa.from_frame(frame).pairwise)
    assert_frame_equal(found, data.kappa.pairwise())
    assert messages[0].startswith(f"{LEFT_OUT}'' (it has no name). ")


def test_columns_that_are_named_are_always_taken():
    data = raters_of(40).assign(id=range(40))
    names = ["ann", "id"]
    found, messages = caught(lambda: data.kappa.pairwise(names))
    assert list(found) == names
    assert not any(message.startswith(LEFT_OUT) for message in messages)
    found, again = caught(data.assign(g=1).groupby("g")[["ann", "bob", "id"]].kappa.pairs)
    assert (len(found), again) == (3, messages)


def test_two_columns_are_always_raters():
    for data in (
        pd.DataFrame({"a": range(20), "b": np.arange(20) % 3}),
        pd.DataFrame(
            {"a": pd.date_range("2024", periods=4), "b": pd.date_range("2024", periods=4)}
        ),
    ):
        assert taken(data)[0] == ["a", "b"]


def test_numbers_beyond_those_of_all_others_are_left_out():
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.choice([1, 3, 5], (90, 3)), columns=["ann", "bob", "eve"])
    for values, is_beyond in (([2, 4], False), ([0, 9], False), ([-2, -1], True), ([7, 8], True)):
        names, _ = taken(data.assign(other=rng.choice(values, 90)))
        assert names == ["ann", "bob", "eve", "other"][: 4 - is_beyond]


HONEST = {
    "four items, four scores": [[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, 4]],
    "one of them repeats": [[1, 2, 3, 4], [1, 2, 3, 3], [2, 2, 3, 4]],
    "two of them repeat": [[1, 2, 3, 4, 5], [1, 2, 3, 3, 4], [2, 2, 3, 4, 5]],
    "rankings": [list(range(1, 13)), [2, 1, *range(3, 13)], [*range(1, 11), 12, 11]],
    "rankings with ties": [list(range(1, 13)), [1, 1, *range(3, 13)], [*range(1, 11), 11, 11]],
    "percentages": [[88, 61, 70, 95, 52], [85, 66, 71, 90, 55], [80, 61, 75, 95, 52]],
    "a harsh rater": [[70, 61, 70, 95, 82], [85, 66, 71, 85, 75], [40, 31, 45, 52, 38]],
    "binary": [[0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 1]],
    "one category": [[1, 2, 3, 4], [3, 3, 3, 3], [1, 2, 3, 3]],
    "floats": [[0.5, 1.5, 2.5, 3.5], [0.5, 1.5, 1.5, 3.5], [0.5, 0.5, 1.5, 3.5]],
    "distinct texts": [list("abcd"), list("abdc"), list("bacd")],
    "some distinct texts": [list("abcd"), list("abcc"), list("aabd")],
    "long labels": [
        ["neither agree nor disagree", "strongly disagree", "strongly agree"],
        ["neither agree nor disagree", "strongly disagree", "strongly disagree"],
        ["strongly disagree", "strongly disagree", "strongly agree"],
    ],
}


@pytest.mark.parametrize("columns", HONEST.values(), ids=HONEST)
def test_honest_raters_are_taken_without_a_word(columns):
    data = pd.DataFrame(dict(zip("abcde", columns, strict=False)))
    names, messages = taken(data)
    assert names == list(data)
    assert not any(message.startswith(LEFT_OUT) for message in messages)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [5, 10, 40, 300])
def test_drawn_raters_are_taken(n, seed):
    rng = np.random.default_rng(seed)
    for scale in (2, 5, 10, 101):
        truth = rng.integers(0, scale, n)
        noise = rng.normal(0, scale / 8, (n, 10)).round().astype(int)
        data = pd.DataFrame((truth[:, None] + noise).clip(0, scale - 1)).add_prefix("r")
        for n_raters in (3, 10):
            names, messages = taken(data.iloc[:, :n_raters])
            assert len(names) == n_raters
            assert messages == []


@given(st.data())
def test_a_column_of_floats_or_of_repeated_numbers_is_never_left_out(data):
    n = data.draw(st.integers(1, 12))
    values = st.lists(st.integers(-3, 60), min_size=n, max_size=n)
    frame = pd.DataFrame({f"r{x}": data.draw(values) for x in range(data.draw(st.integers(3, 5)))})
    names, _ = taken(frame)
    never = [name for name in frame if frame[name].duplicated().any()]
    assert set(never) <= set(names)
    assert len(names) >= 2
    assert taken(frame.astype(float))[0] == list(frame)
    assert caught(lambda: frame.kappa.pairwise(list(frame)))[0].shape == (len(frame.T),) * 2


def test_a_column_with_one_value_in_each_group_is_left_out():
    data = raters_of(60).assign(site=np.arange(60) // 20, size=np.arange(60) // 20 * 10 + 0.5)
    found, messages = caught(lambda: data.kappa.pairs(by="site"))
    assert len(found) == 3
    assert "'size' (it has one value in each group)" in messages[0]
    data["size"] = np.where(np.arange(60) == 3, 1.0, data["size"])
    assert len(caught(lambda: data.kappa.pairs(by="site"))[0]) == 9


OPTIONAL = [
    name
    for name, method in public_methods(KappaMethods).items()
    if "raters" in (options := inspect.signature(method).parameters)
    and "by" in options
    and options["by"].default is None
]


@pytest.mark.filterwarnings("ignore")
@each("name", [name for name in OPTIONAL if name not in {"to_excel", "to_html"}])
def test_every_method_finds_them_and_warns_once(name):
    data = ESSAYS.groupby("essay_set").head(25).reset_index(drop=True)
    data["site"] = np.where(np.arange(len(data)) % 2, "x", "y")
    for options in ({}, {"by": "site"}):
        chosen = data if options else data.drop(columns="site")
        _, messages = caught(lambda: getattr(chosen.kappa, name)(**options))  # noqa: B023
        assert len([x for x in messages if x.startswith(LEFT_OUT)]) == 1, messages
        assert all("different scales" in x for x in messages[1:]), messages


def test_numbers_of_patients_who_come_again_are_no_scores(tmp_path):
    """Most are beyond the scale; a rater with another unit follows the others."""
    why = "'patient' (most of its numbers are beyond those of all others)"
    said = [f"{LEFT_OUT}{why}. Pass raters=['ann', 'bob'] to say so, or name others there."]
    for start, kind in product((0, 1), ("int64", "float64", "Int64")):
        patient = pd.Series(np.repeat(np.arange(40) + start, 3), dtype=kind)
        data = raters_of(120).assign(patient=patient.where(patient != 7))
        assert taken(data) == (["ann", "bob"], said)
        assert taken(data, raters=["ann", "bob", "patient"])[0] == ["ann", "bob", "patient"]
    data.to_csv(tmp_path / "r.csv", index=False)
    read, messages = caught(pdkappa.scan(tmp_path / "r.csv").pairwise)
    assert (list(read), messages) == (["ann", "bob"], said)
    tenfold = 10 * data["ann"] - 10 + np.arange(120) % 13
    assert taken(data.assign(patient=tenfold))[0] == ["ann", "bob", "patient"]
    assert taken(data.assign(patient=data["patient"] + 0.5))[0] == ["ann", "bob", "patient"]
    assert taken(data.assign(patient=data["patient"] % 10))[0] == ["ann", "bob", "patient"]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({7: "Total"}, ", as 'Total' makes text of its numbers"),
        ({3: "n.a.", 7: "?"}, ", as 'n.a.', '?' make text of its numbers"),
        ({}, ", though its '5' looks like 5 of 'ann'"),
    ],
)
def test_a_rater_whose_numbers_are_text_is_left_out_with_the_text_that_did_it(texts, why):
    data = raters_of(60).assign(bea=lambda df: df["bob"], eve=lambda df: df["ann"].astype(str))
    data["eve"] = data["eve"].where(~data.index.isin([*texts]), data.index.map(texts))
    names, (message,) = taken(data)
    assert names == ["ann", "bob", "bea"]
    assert message.startswith(f"{LEFT_OUT}'eve' (it shares no label with any other{why}). Pass ")
