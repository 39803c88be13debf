"""What is passed as an option: every public function, every option, any value."""

import inspect
import io

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import function_of, methods

FUNCTIONS = {name: function_of(name) for name in methods()} | {
    name: getattr(module, name)
    for module in (pdkappa, pdkappa.plan, pdkappa.tools)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
LONG = pd.DataFrame({"i": [1, 1, 2, 2], "r": ["u", "v"] * 2, "v": [1, 2, 2, 2]})
USUAL = {
    "raters": ["a", "b", "c"],
    "rater_a": "a",
    "rater_b": "b",
    "machine": "c",
    "humans": ["a", "b"],
    "stand_in": "b",
    "truth": "a",
    "predictions": "b",
    "n_resamples": 20,
}
OWN = {
    "compare": {"first": ("a", "b"), "second": ("a", "c")},
    "compare_groups": {"by": "g"},
    "predictions.cutpoints": {"predictions": "p", "weights": "quadratic"},
    "decide": {"probabilities": [[0.2, 0.8], [0.5, 0.5]], "weights": "linear"},
    "expected_kappa": {
        "probabilities": [[0.2, 0.8], [0.5, 0.5]],
        "labels": [0, 1],
        "weights": "linear",
    },
    "machine.fairness": {"humans": "a", "by": "g"},
    "machine.mean_score": {"humans": "a"},
    "machine.prediction_powered": {"humans": "a"},
    "machine.prevalence": {"humans": "a"},
    "fisher_mean": {"kappas": [0.3, 0.4]},
    "from_counts": {"counts": pd.DataFrame({"x": [1, 2], "y": [2, 1]})},
    "from_frame": {"frame": LONG[["i", "v"]]},
    "from_table": {"table": [[3, 1], [1, 4]]},
    "generalizability": {"rating": "p", "item": "i", "facets": ["r", "t"]},
    "grouped": {"by": "g"},
    "label_split": {"n_labels": 50, "judged": 0.3, "specificity": 0.8, "sensitivity": 0.7},
    "power_compare": {"n_items": 50, "first": 0.6, "second": 0.4, "margins": [0.5, 0.5]},
    "power_icc": {"n_items": 50, "icc": 0.5, "null": 0.2},
    "power": {"n_items": 50, "kappa": 0.5, "null": 0.2, "margins": [0.5, 0.5]},
    "qwk": {"y_true": [1, 2, 3], "y_pred": [1, 2, 2]},
    "qwk_ceiling": {"reliability": 0.7},
    "report": {"detail": ["counts"]},
    "sample_size": {"kappa": 0.5, "null": 0.2, "margins": [0.5, 0.5]},
    "sample_size_compare": {"first": 0.6, "second": 0.2, "margins": [0.5, 0.5]},
    "sample_size_icc": {"icc": 0.5, "null": 0.2},
    "style": {"frame": LONG[["i", "v"]]},
    "trials": {"item": "i", "rater": "r", "trial": "t", "rating": "a", "truth": None},
}
OF_FILES = {name for name in FUNCTIONS if name.startswith("from_")} - OWN.keys() | {
    "scan",
    "scan_long",
}
FREE = {"path", "data", "raters_", "_"}  # a path may be anything that names a file
PER_OPTION = 10
PER_OPTION_OF_FILES = 3
OF_REPORTS = {"report", "crosscheck", "to_excel", "to_html"}
LONG_NAMES = {"item": "item", "rater": "who", "rating": "how"}


def ratings():
    """Return three raters who often agree, with groups, weights and chances."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 5, 40)
    raters = {name: np.clip(truth + rng.integers(-1, 2, 40), 1, 5) for name in "abc"}
    others = {"g": np.repeat(["x", "y"], 20), "w": rng.integers(1, 3, 40), "p": rng.random(40)}
    place = np.arange(40)
    others |= {"i": place // 4, "r": place // 2 % 2, "t": place % 2}
    return pd.DataFrame({**raters, **others})


def of_two(a, b):
    """Return a distance of two labels, as NLTK has them."""
    return float(a != b)


def hostile():
    """Return values that somebody may pass as an option."""
    nan = float("nan")
    return [
        *(None, True, False, np.True_, "spam", "", "\ud800", b"a", 0, -1, 2, 0.5, 10**7, 10**12),
        *(10**400, nan, float("inf"), 1j, np.int8(2), pd.NA, pd.NaT, pd.Timestamp("2020")),
        *(np.datetime64("2020"), object(), int, ValueError, slice(None), range(3), io.BytesIO()),
        *([], [None], ["a", "b"], ("a", "b"), [["a"], ["b"]], [[[1]]], [[1], [1, 2]], {"a", "b"}),
        *(["a", pd.NA], ["a", nan], ["a", {"b"}], (pd.NA,), {}, {"a": 1}, {"a": {1}}, {None: 1}),
        *(np.array("x"), np.array([]), np.arange(3.0), np.ones((2, 2)), np.array([1j]), np.eye(3)),
        *(np.array(["a", "b"]), np.array([1, 2], dtype=">i8"), np.full(40, nan), -np.ones(40)),
        *(np.repeat("a", 40), np.arange(40), pd.Series([1, 2]), pd.DataFrame({"a": [1]})),
        *(of_two, lambda x: x, lambda *_: "x", (x for x in "ab")),
    ]


DRAWN = {"machine.readiness", "machine.prmse", "predictions.cutpoints"}
OF_REPORTS = {"report", "to_excel", "to_html"}
UNDRAWN = {"machine.readiness", "predictions.shift", *OF_REPORTS}


def usual(name):
    """Return the options that a function needs, and a little less work than by default."""
    takes = inspect.signature(FUNCTIONS[name]).parameters
    planned = name.startswith(("power", "sample_size"))
    shared = {} if planned else USUAL
    known = {option: value for option, value in shared.items() if option in takes}
    if name in UNDRAWN or "ci" in takes:  # whose default draws nothing
        known.pop("n_resamples", None)
    return known | OWN.get(name, {})


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OF_FILES))
def test_whatever_an_option_is_ends_in_a_result_or_an_error_of_ours(name, tmp_path, capsys):
    seed = np.random.default_rng([ord(letter) for letter in name])
    takes = inspect.signature(FUNCTIONS[name]).parameters
    path = tmp_path / ("x.html" if name == "to_html" else "x.xlsx")
    base = usual(name) | ({"path": path} if "path" in takes else {})
    unchanged = ratings()
    most = PER_OPTION_OF_FILES if name in OF_REPORTS else PER_OPTION
    for option in sorted(takes.keys() - FREE):
        values, data = hostile(), ratings()
        for place in seed.permutation(len(values))[:most]:
            given = {"data": data} if "data" in takes else {}
            said = ""
            try:
                FUNCTIONS[name](**given | base | {option: values[place]})
            except (pdkappa.KappaError, FileExistsError) as error:
                said = str(error)
            except Exception as error:
                told = f"{name}({option}={values[place]!r}) ends in {error!r}"
                raise AssertionError(told) from error
            assert len(said) < 600, (option, values[place])
        assert_frame_equal(data, unchanged, obj=option)
    capsys.readouterr()  # bars of progress


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("name", sorted(methods().keys() - OF_REPORTS))
def test_and_so_it_does_where_the_ratings_are_no_frame(name, capsys):
    seed = np.random.default_rng([ord(letter) for letter in name])
    frame = ratings().rename(columns={"i": "essay"}).assign(item=range(40))
    long = frame.melt(["item", "g", "w", "p", "essay"], ["a", "b", "c"], "who", "how")
    ways = [pdkappa.from_frame(ratings()), pdkappa.from_long(long, **LONG_NAMES)]
    takes = inspect.signature(FUNCTIONS[name]).parameters
    for option in sorted(takes.keys() - FREE):
        values = hostile()
        for place in seed.permutation(len(values))[:2]:
            for way in ways:
                told, said = f"{name}({option}={values[place]!r}) of {way}", ""
                try:
                    FUNCTIONS[name](way, **usual(name) | {option: values[place]})
                except pdkappa.KappaError as error:
                    said = str(error)
                except Exception as error:
                    raise AssertionError(f"{told} ends in {error!r}") from error
                assert len(said) < 600, told
    capsys.readouterr()  # bars of progress


def test_what_is_wrong_is_told_before_anything_is_read():
    """An array among words, an unknown column, and nothing at all, where rows are not in memory."""
    arrow = pytest.importorskip("pyarrow")
    frame = ratings()
    ratings_of = pdkappa.from_frame(arrow.Table.from_pandas(frame))
    told = r"^grouped needs by\. Pass by=\.\.\., one result for each group\.$"
    with pytest.raises(TypeError, match=told):
        ratings_of.grouped()
    long = frame.assign(item=range(40), at=1).melt(["item", "g"], ["a", "b"], "who", "how")
    listed = pdkappa.from_long(arrow.Table.from_pandas(long), **LONG_NAMES)
    for call in (
        lambda: listed.agreement(coefficients=[np.ones(2)]),
        lambda: listed.pairs(missing=np.ones(3)),
        lambda: listed(min_items=10**400).pairs(),
    ):
        with pytest.raises(pdkappa.errors.OptionError):
            call()
    for call in (lambda: listed.items(id="q"), lambda: listed.items(columns=[["g"]])):
        with pytest.raises(pdkappa.errors.ColumnNotFoundError, match=r"^No (id|shown) column "):
            call()


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"style"}))
def test_a_wrong_name_of_an_option_is_told(name):
    with pytest.raises(pdkappa.errors.UnknownOptionError, match=r"^\w+ has no option 'catgories'"):
        FUNCTIONS[name](catgories=[1, 2])


def test_a_distance_of_two_labels_is_a_weight():
    data = ratings().replace({1: "one", 2: "two", 3: "three", 4: "four", 5: "five"})
    found = data.kappa.pairs(["a", "b", "c"], weights=of_two)
    expected = data.kappa.pairs(["a", "b", "c"])
    assert_frame_equal(found, expected, rtol=1e-12)
    found = ratings().kappa.pairs(["a", "b"], weights=lambda a, b: (a - b) ** 2)
    expected = ratings().kappa.pairs(["a", "b"], weights="quadratic")
    assert_frame_equal(found, expected, rtol=1e-9)
    found = ratings().kappa.pairs(["a", "b"], weights=np.not_equal)
    assert found["estimate"].item() == pytest.approx(
        ratings().kappa.pairs(["a", "b"])["estimate"].item()
    )


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_numbers_of_the_other_byte_order():
    """They come from files of astronomy and of old programs; pandas itself cannot group them."""
    data = ratings().drop(columns="g").assign(g=np.repeat([1, 10**9], 20))
    swapped = data.astype({**dict.fromkeys("abcwg", ">i8"), "p": ">f8"})
    for name, function in FUNCTIONS.items():
        takes = inspect.signature(function).parameters
        if "data" not in takes or name in {*OF_FILES, "to_excel", "to_html", "from_long"}:
            continue
        options = {"by": "g", "sample_weight": "w", "cluster": "p"}
        options = {option: value for option, value in options.items() if option in takes}
        if name in ("scores.concordance", "report", "pairwise"):
            options.pop("cluster", None)
        drawn = {"rng": 1} if name in DRAWN else {}
        found, expected = (
            function(one, **usual(name) | options, **drawn) for one in (swapped, data)
        )
        if isinstance(found, pd.DataFrame):
            assert_frame_equal(found, expected, check_index_type=False, check_dtype=False)
    long = LONG.astype({"i": ">i8", "v": ">i4"})
    names = {"item": "i", "rater": "r", "rating": "v"}
    assert_frame_equal(
        pdkappa.from_long(long, **names).pairs(), pdkappa.from_long(LONG, **names).pairs()
    )


def test_of_several_wrong_options_the_first_is_told():
    """In the order of the call, whatever the order of a set is in this process."""
    frame, wrong = pd.DataFrame({"a": [1, 2], "b": [1, 2]}), {"title": 3, "formulas": 3}
    for given in (wrong, dict(reversed(wrong.items()))):
        with pytest.raises(pdkappa.errors.OptionError) as caught:
            frame.kappa.to_excel("never.xlsx", ["a", "b"], **given)
        assert str(caught.value).startswith("title")
