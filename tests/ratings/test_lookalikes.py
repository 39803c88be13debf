"""Warnings about what looks like a mistake: each finding, and silence on ordinary data."""

import re
import unicodedata
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each, two
from pdkappa import datasets, errors


def warned(data, raters=None, **options):
    """Return the only warning of a call, None if there is none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data.kappa.pairs(raters, **options)
    found = [x for x in caught if issubclass(x.category, errors.LookalikeLabelsWarning)]
    assert len(found) <= 1
    return str(found[0].message) if found else None


TAIL = " Nothing was changed."
STRIP, JOIN, FOLD = ".str.strip()", ".str.split().str.join(' ')", ".str.casefold()"
NARROW = r".str.replace('[\u00ad\u200b-\u200d\u2060\ufeff]', '', regex=True)"
REMEDIES = {
    "white space before": STRIP,
    "white space behind": STRIP,
    "line end": STRIP,
    "white space inside": JOIN,
    "tab": JOIN,
    "no-break space": JOIN,
    "case": FOLD,
    "case folding": FOLD,
    "composed": ".str.normalize('NFC')",
    **dict.fromkeys(["zero-width space", "zero-width joiner"], NARROW),
    **dict.fromkeys(["byte order mark", "soft hyphen"], NARROW),
}


def remedy(*ways):
    """Return the advice of a warning about labels that look alike."""
    return f" Make them one with {', '.join(ways)}, if they are."


COFFEE = "café"
ALIKE = {
    "white space before": ("yes", " yes"),
    "white space behind": ("yes", "yes "),
    "white space inside": ("not sure", "not  sure"),
    "tab": ("not sure", "not\tsure"),
    "line end": ("yes", "yes\n"),
    "no-break space": ("not sure", "not\u00a0sure"),
    "case": ("yes", "Yes"),
    "case folding": ("strasse", "straße"),
    "composed": (unicodedata.normalize("NFC", COFFEE), unicodedata.normalize("NFD", COFFEE)),
    "zero-width space": ("yes", "y\u200bes"),
    "zero-width joiner": ("yes", "yes\u200d"),
    "byte order mark": ("yes", "\ufeffyes"),
    "soft hyphen": ("yes", "y\u00ades"),
    "1 and 1.0": ("1", "1.0"),
    "1 and 01": ("1", "01"),
    "0.5 and .5": ("0.5", ".5"),
    "-1 and -1.0": ("-1", "-1.0"),
    "1000 and 1e3": ("1000", "1e3"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_labels_that_look_alike(name):
    one, other = ALIKE[name]
    advice = remedy(REMEDIES.get(name, "pd.to_numeric"))
    show = (
        ascii if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other) else repr
    )
    for dtype in ("object", "string", "category"):
        if dtype == "category":  # whose labels are sorted
            one, other = sorted([one, other])
        message = f"Labels that look alike: {show(one)} and {show(other)}.{advice}{TAIL}"
        beside = two([one, one, "no"], [one, other, "no"])
        inside = two([one, other, "no"], [one, other, "no"])
        for data in (beside.astype(dtype), inside.astype(dtype)):
            assert warned(data) == message, dtype
            table = data.astype(object).kappa.confusion("a", "b", categories=[one, other, "no"])
            assert len(table) == 3, dtype


def test_labels_in_sets_that_look_alike():
    """What makes texts one does not work on sets, and is not named."""
    data = two([["no", "yes"], ["no"], ["yes"]], [["no", "yes "], ["no"], ["yes "]])
    assert warned(data) == f"Labels that look alike: 'yes' and 'yes '.{TAIL}"


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        ([0.1 + 0.2, 0.5, 0.7], [0.3, 0.5, 0.7], "0.3 and 0.30000000000000004"),
        ([3, 2, 1], [3.0000000001, 2, 1], "3.0 and 3.0000000001"),
    ],
)
def test_numbers_that_are_too_close(a, b, close):
    assert warned(two(a, b)).endswith(f"Numbers closer than 1e-9: {close}.{TAIL}")


@pytest.mark.needs("pyarrow")
def test_single_beside_double_precision():
    data = two(np.array([0.1, 0.2, 0.5], dtype="float32"), [0.1, 0.2, 0.5])
    assert warned(data) == (
        "Numbers that differ by the precision of column 'a' (float32): "
        f"0.10000000149011612 and 0.1; 0.20000000298023224 and 0.2.{TAIL}"
    )
    for dtype in ("Float32", "float[pyarrow]"):
        other = warned(data.assign(a=data["a"].astype(dtype)))
        assert other.startswith("Numbers that differ by the precision of column 'a' (float32): ")
    assert warned(data.assign(b=data["a"].astype("float64"))) is None
    assert warned(data.astype("float32")) is None


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
def test_numbers_beyond_single_precision():
    data = two(np.array([0.1, 0.2, 0.5], dtype="float32"), [0.3, 1e300, 2.0])
    assert len(data.kappa.pairs()) == 1


@pytest.mark.needs("pyarrow")
def test_unrounded_predictions_beside_whole_scores():
    data = two([1, 2, 3, 4], [1.2, 2.0, 2.71, 4.0])
    held = "Column 'b' holds fractions such as 1.2 beside the whole scores of 'a'"
    advice = (
        "Round predictions first if they stand for scores, name the scale with categories=[...] "
        "if it has such scores, or use concordance."
    )
    expected = f"{held}, to which they are never equal. {advice}{TAIL}"
    for make in (float, Decimal, Fraction):
        exact = data.assign(b=[make(str(x)) for x in data["b"]])
        assert warned(exact) == expected
    for dtype in ("Float64", "double[pyarrow]"):
        assert warned(data.astype({"a": "Int64", "b": dtype})) == expected
    assert warned(data.assign(a=data["a"].astype(float)), weights="quadratic") == (
        f"{held}. Cohen's kappa with quadratic or linear weights uses their values, as "
        f"concordance does; coefficients and weights that count or rank "
        f"categories, such as Gwet's coefficient or ordinal weights, do not. {advice}{TAIL}"
    )
    assert warned(data.round()) is None


STEPS = {
    "half points": ([1, 2, 3, 4], [1, 2.5, 3.5, 4], 2.5, "whole scores of 'a'"),
    "quarters": ([1, 2, 3, 4], [1, 2.25, 3, 4], 2.25, "whole scores of 'a'"),
    "quarters beside halves": ([1, 2, 3.5], [1.5, 2.25, 3.75], 2.25, "multiples of 0.5 of 'a'"),
    "tenths beside halves": ([1, 2.5, 3, 4], [1.2, 2.5, 2.9, 4], 1.2, "multiples of 0.5 of 'a'"),
    "tenths beside quarters": ([0.25, 0.5], [0.3, 0.5], 0.3, "multiples of 0.25 of 'a'"),
    "hundredths beside tenths": ([0.3, 0.7], [0.33, 0.71], 0.33, "multiples of 0.1 of 'a'"),
    "a single mean": ([1, 2] * 20, [1, 2] * 19 + [1, 1.47], 1.47, "whole scores of 'a'"),
    "more than a tenth": ([1, 2] * 9, [1, 2] * 8 + [1.5, 2.5], 1.5, "whole scores of 'a'"),
    "single precision": (
        np.array([0.1, 0.7, 0.9], dtype="float32"),
        np.array([0.12, 0.7, 0.9], dtype="float32"),
        float(np.float32(0.12)),
        "multiples of 0.1 of 'a'",
    ),
}


@pytest.mark.parametrize(("a", "b", "score", "beside"), STEPS.values(), ids=STEPS)
def test_scores_between_those_of_another_rater(a, b, score, beside):
    held = f"Column 'b' holds fractions such as {score!r} beside the {beside}"
    for weights in (None, "quadratic"):
        assert warned(two(a, b), weights=weights).startswith(held)
    scale = sorted({*two(a, b)["a"], *two(a, b)["b"]})
    assert warned(two(a, b), categories=scale) is None


UNROUNDED = two([1, 2, 3, 4, 2, 3], [1.2, 2.0, 2.71, 4.0, 1.5, 3.1]).assign(g=[0, 0, 0, 1, 1, 1])
CATEGORICAL = {
    "pairs": lambda df, **options: df.kappa.pairs(["a", "b"], **options),
    "pairwise": lambda df, **options: df.kappa.pairwise(["a", "b"], **options),
    "agreement": lambda df, **options: df.kappa.agreement(["a", "b"], **options),
    "grouped": lambda df, **options: df.kappa.grouped("a", "b", by="g", **options),
    "qwk": lambda df, **options: pdkappa.qwk(df["a"].array, df["b"].array, **options),
}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("call", CATEGORICAL.values(), ids=CATEGORICAL)
def test_every_categorical_function_warns_of_unrounded_predictions(call):
    for weights, advice in ((None, "never equal"), ("quadratic", "uses their values")):
        with pytest.warns(errors.LookalikeLabelsWarning, match=advice):
            call(UNROUNDED, weights=weights)


APART = {
    "a five-point scale": ([1, 2, 5, 99], [1, 3, -9, 2], "1 to 5", "-9, 99"),
    "fractions": ([1.5, 2, -999.0], [1.5, 2.5, 3], "1.5 to 3", "-999"),
    "one label": ([1, 1, 99], [1, 1, 1], "1 to 1", "99"),
}


@each("name", APART)
def test_codes_for_missing_ratings(name):
    """Two raters who gave none would agree."""
    a, b, others, codes = APART[name]
    told = (
        "Numbers stand apart from the others, 1 to 5, as codes for missing ratings do: -9, 99. Set "
        "them to missing with .replace([-9, 99], pd.NA), or name them in categories=[...] if they "
        "are ratings."
    )
    told = told.replace("1 to 5", others).replace("-9, 99", codes)
    assert told in warned(two(a, b), ["a", "b"])
    assert warned(two(a, b), categories=sorted({*a, *b})) is None


@each("scores", [[98, 99], [99, 100], [-9, -8]])
def test_scores_that_are_next_to_a_code_are_scores(scores):
    assert "stand apart" not in (warned(two(scores * 3, scores[::-1] * 3), ["a", "b"]) or "")


def test_raters_who_share_no_label():
    data = pd.DataFrame(
        {"a": ["yes", "no", "yes"], "b": ["no", "no", "yes"], "c": ["ja", "nein", "ja"]}
    )
    assert warned(data) == f"No label of 'c' is shared with any other rater.{TAIL}"
    only = warned(data, ["a", "c"])
    assert only == f"No label of 'a', 'c' is shared with any other rater.{TAIL}"
    for numbers in (two([1, 2, 3, 1], [11, 12, 13, 11]), two([0.5, 1.5], [7.25, 9.5])):
        for weights in (None, "quadratic"):
            assert "is shared with" in warned(numbers, weights=weights)


@pytest.mark.parametrize(
    "ids",
    [
        range(1000, 1030),
        [float(x) for x in range(1000, 1030)],
        [f"essay-{x}" for x in range(30)],
        range(30),
    ],
    ids=["numbers", "floats", "texts", "row numbers"],
)
def test_a_column_of_identifiers(ids):
    rng = np.random.default_rng(5)
    ratings = pd.DataFrame({"a": rng.integers(1, 5, 30), "b": rng.integers(1, 5, 30)})
    ratings = ratings.astype(str) if isinstance(ids, list) and isinstance(ids[0], str) else ratings
    message = warned(ratings.assign(item=list(ids)), ["a", "b", "item"])
    assert "No value occurs twice in 'item', as in a column of identifiers." in message
    assert warned(ratings.assign(item=list(ids)), ["a", "b"]) is None


@pytest.mark.parametrize(("n", "is_told"), [(9, False), (10, True)])
def test_the_fewest_identifiers(n, is_told):
    scores = np.arange(n) % 4
    data = pd.DataFrame({"a": scores, "b": scores[::-1], "item": np.arange(n) + 1000})
    message = warned(data, list(data))
    assert ("column of identifiers" in (message or "")) == is_told


def test_a_row_that_is_the_names_of_the_columns():
    data = two(["1", "2", "a", "1"], ["1", "1", "b", "2"])
    assert warned(data) == f"A row names the columns: 'a', 'b'. Leave it out.{TAIL}"
    assert "A row names" not in (warned(two(["a", "1", "2"], ["1", "b", "2"])) or "")
    assert warned(two(["a", "b", "a"], ["b", "b", "a"])) is None
    assert warned(pd.DataFrame({0: [0, 1, 2, 1, 2], 1: [1, 2, 2, 0, 2]})) is None  # no heading
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        long = {"item": [*range(20)] * 2, "who": ["ann"] * 20 + ["bob"] * 20}
        toxic = pd.DataFrame({**long, "toxic": ["toxic", "not"] * 20})  # a label called so
        pdkappa.from_long(toxic, item="item", rater="who", rating="toxic").pairwise()


def test_rows_of_words_above_numbers():
    """Which a survey writes below the names of the columns: anywhere, never one that repeats."""
    heads, codes = (["How good?", "{id: 1}"], ["How fair?", "{id: 2}"]), ["1", " 2.5", "-3"] * 3
    data = two(*([*head, *codes] for head in heads))
    told = (
        "All columns have words such as 'How good?' in 2 of 11 rows, and numbers elsewhere, as "
        "below the headings of a survey. Leave these rows out, and make the others numbers with "
        f"pd.to_numeric.{TAIL}"
    )
    assert warned(data) == warned(data[::-1]).replace("{id: 1}", "How good?") == told
    assert warned(two([*codes, "?", "?"], [*codes, "?", "?"])) is None
    assert warned(two([*codes, "?", "!", "1"], [*codes, "?", "1", "!"])) is None
    assert warned(two([*codes, *"abcd"], [*codes, *"abcd"])) is None


def test_one_warning_says_it_all():
    data = pd.DataFrame(
        {
            "a": ["yes", "no", "yes ", "1", "1.0"],
            "b": ["yes", "No", "yes", "1", "1"],
            "c": ["ja", "nein", "ja", "ja", "nein"],
        }
    )
    assert warned(data) == (
        "Labels that look alike: 'yes' and 'yes '; '1' and '1.0'; 'no' and 'No'."
        f"{remedy(STRIP, 'pd.to_numeric', FOLD)} "
        f"No label of 'c' is shared with any other rater.{TAIL}"
    )


CALLS = {
    "pairs": lambda data: data.kappa.pairs(weights=None),
    "pairwise": lambda data: data.kappa.pairwise(weights=None),
    "confusion": lambda data: data.kappa.confusion("a", "b"),
    "grouped": lambda data: data.assign(g=[1, 1, 1, 1, 2, 2, 2, 2]).kappa.grouped(
        "a", "b", by="g", weights=None
    ),
    "crosscheck": lambda data: data.kappa.crosscheck(weights=None),
    "report": lambda data: data.kappa.report(weights=None),
    "report by": lambda data: data.assign(g=[1, 1, 1, 1, 2, 2, 2, 2]).kappa.report(by="g"),
    "qwk": lambda data: pdkappa.qwk(data["a"], data["b"], weights=None),
    "accessor": lambda data: data.kappa.pairwise(),
    "report of the accessor": lambda data: data.kappa.report(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_call_warns_once_and_at_the_line_of_the_caller(call):
    a = ["yes", "no", "yes", "no", "yes", "no", "Yes", "no"]
    data = two(a, ["yes", "no", "no", "no", "yes", "yes", "yes", "no"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(data)
    (warning,) = caught
    assert issubclass(warning.category, errors.LookalikeLabelsWarning)
    assert Path(warning.filename) == Path(__file__)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert re.search(r"pdkappa\.|\.kappa\.", lines[warning.lineno - 1])


@pytest.mark.parametrize("n", [1000, 1001])
def test_thousands_of_texts_are_no_scale(n):
    texts = [f"answer {number}" for number in range(n)] + ["answer 0"]
    told = warned(two(texts, texts))
    assert told == (
        None
        if n == 1000
        else "There are up to 1001 distinct texts in 'a', 'b', each a category of its own. Leave "
        f"free text out of raters=[...].{TAIL}"
    )


def test_declared_categories_are_as_meant():
    labels = ["yes", "Yes", "yes "]
    assert warned(two(labels, labels), categories=labels) is None
    assert warned(two([0.1 + 0.2, 0.3], [0.3, 0.3]), categories=[0.3, 0.1 + 0.2]) is None
    assert warned(two([1, 2, 1], [1.3, 1.3, 2]), categories=[1, 1.3, 2]) is None
    assert warned(two(["p", "q"], ["x", "y"]), categories=["p", "q", "x", "y"]) is None
    ids = two(range(30), [1, 2] * 15)
    assert warned(ids, categories=range(30)) is None


@pytest.mark.parametrize("name", [x for x in datasets.__all__ if x.startswith("load_")])
def test_the_packaged_data_are_ordinary(name):
    data = getattr(datasets, name)()
    if data.shape[0] == data.shape[1]:
        pdkappa.from_table(data, categories=list(data.index)).pairs()
        return
    groups = [column for column in data if data[column].dtype == object or "set" in str(column)]
    if name == "load_essays":
        raters = ["human_1", "human_2", "machine"]
        for options in ({}, {"by": "essay_set"}, {"weights": "quadratic"}):
            assert warned(data, raters, **options) is None
        return
    assert warned(data.drop(columns=groups)) is None


ORDINARY = {
    "5-point scale": lambda rng: rng.integers(1, 6, (40, 3)),
    "half points": lambda rng: rng.integers(2, 11, (40, 3)) / 2,
    "whole beside a few half points": lambda rng: np.column_stack(
        [rng.integers(1, 6, 40), np.append(rng.integers(1, 6, 36), [1.5, 2.5, 2.5, 4.5])]
    ),
    "half points beside a few quarters": lambda rng: np.column_stack(
        [np.arange(40) % 9 / 2, np.append(rng.integers(0, 9, 38) / 2, [0.75, 1.25])]
    ),
    "0 to 60": lambda rng: rng.integers(0, 61, (25, 2)),
    "0 to 1000": lambda rng: rng.integers(0, 1001, (25, 2)),
    "percent": lambda rng: rng.integers(0, 101, (500, 4)),
    "tenths": lambda rng: rng.integers(0, 11, (40, 2)) / 10,
    "hundredths": lambda rng: rng.integers(0, 101, (400, 2)) / 100,
    "yes and no": lambda rng: rng.choice(["yes", "no"], (20, 3)),
    "words": lambda rng: rng.choice(["cat", "dog", "cow", "bird", "none"], (60, 3)),
    "letters": lambda rng: rng.choice(list("ABCDEF"), (60, 3)),
    "grades": lambda rng: rng.choice(["A", "A-", "B+", "B", "B-", "C"], (60, 3)),
    "signs": lambda rng: rng.choice(["+", "-", "0", "+1", "-1"], (60, 2)),
    "versions": lambda rng: rng.choice(["1.1", "1.10.0", "2", "10"], (60, 2)),
    "booleans": lambda rng: rng.integers(0, 2, (20, 3)).astype(bool),
    "all in nines": lambda rng: rng.choice([99, 999], (20, 2)),
    "up to 99": lambda rng: np.vstack([rng.integers(0, 60, (20, 2)), [99, 99]]),
    "balances": lambda rng: np.vstack([rng.integers(-50, 60, (20, 2)), [-99, 0]]),
    "one who always says the same": lambda rng: np.column_stack(
        [rng.integers(1, 4, 20), np.full(20, 9)]
    ),
    "odd and even": lambda rng: 2 * rng.integers(0, 50, (30, 2)) + [0, 1],
    "distinct in one column only": lambda rng: np.column_stack(
        [rng.permutation(200)[:30], rng.integers(0, 200, 30)]
    ),
}


@pytest.mark.parametrize("make", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_ratings_give_no_warning(make):
    for seed in range(3):
        data = pd.DataFrame(make(np.random.default_rng(seed))).add_prefix("rater_")
        data = data.convert_dtypes() if data.dtypes.eq(object).all() else data
        assert warned(data) is None, seed


def test_measurements_give_no_warning():
    rng = np.random.default_rng(11)
    for n in (50, 3000, 100_000):
        x = rng.normal(50, 10, n)
        assert warned(two(x, x)) is None
        assert warned(two(x, x + rng.normal(0, 1, n)), weights="quadratic") is None
        assert warned(two(x / 1e15, x / 1e15)) is None
        assert warned(two(x.astype("float32"), x.astype("float32"))) is None


def test_rows_without_weight_are_not_looked_at():
    data = two(["yes", "no", "no", "Yes"], ["yes", "no", "yes", "yes"])
    assert warned(data, sample_weight=[1, 1, 1, 0]) is None
    assert warned(data, sample_weight=[1, 1, 1, 1]) is not None


def test_margins_of_a_table():
    ratings = two(list("xxyyzz"), list("xyyzzz"))
    table = pd.crosstab(ratings["a"], ratings["b"], margins=True)
    message = (
        "The last row and column of the table, 'All', are the sums of the others, as margins are. "
        "Nothing was changed."
    )
    with pytest.warns(errors.LookalikeLabelsWarning) as caught:
        pdkappa.from_table(table)
    assert [str(warning.message) for warning in caught] == [message]
    assert caught[0].filename == __file__
    without = table.drop(index="All", columns="All")
    assert pdkappa.from_table(without).pairs()["n_items"].item() == 6


@each(
    ("labels", "told"),
    [
        (["1,5", "2", "2,5", "3"], True),
        (["1,2,3", "1,3", "2", "3"], False),
        (["1.5", "2.0", "2.5", "3.0"], False),
        (["a,b", "1,5", "2", "3"], False),
    ],
)
def test_numbers_with_a_decimal_comma_are_text(labels, told):
    message = (
        "Numbers with a decimal comma, such as '1,5', are text. Read them with "
        "pd.read_csv(decimal=','), or write points, if they are scores."
    )
    data = pd.DataFrame({"ann": labels * 9, "bob": [*labels[::-1], *labels * 8]})
    assert warned(data) == (f"{message}{TAIL}" if told else None)
