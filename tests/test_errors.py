"""Every error that a call can raise: its class, and the whole of its message."""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from dask.dataframe import from_pandas

import pdkappa
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing_by_em import MOST_COMPLETIONS, MOST_ROWS
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    ColumnsLeftOutWarning,
    CrudeKappaWarning,
    DuplicateRatingError,
    ExportError,
    FewClustersWarning,
    KappaError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    MissingDependencyError,
    MissingGlyphWarning,
    NotConvergedWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    UndeclaredCategoriesWarning,
    UndefinedKappaWarning,
    UnknownOptionError,
    WeightsError,
)
from pdkappa.methods.agreement.all_raters import ORDINAL_METRIC
from pdkappa.methods.estimates.options import INTERVAL_METHODS
from pdkappa.ratings.coded import MISSING

nan = float("nan")
PACKAGE = Path(pdkappa.__file__).parent
THREE = pd.DataFrame({"a": [1, 2, 1, 2], "b": [1, 2, 2, 2], "c": [1, 1, 1, 2]})


def two(a, b):
    """Return a frame of two raters."""
    return pd.DataFrame({"a": a, "b": b})


def objects(*values):
    """Return values as a column of objects."""
    return pd.Series(list(values), dtype=object)


NUMBERS = two([1, 2, 3, 1], [1, 3, 3, 2]).assign(
    group=["x", "x", "y", "y"], other=[5, 5, 7, 8], zero=0
)
TEXT = two(["low", "mid", "high"], ["low", "high", "mid"])
ANXIETY = pdkappa.datasets.load_anxiety()
TWICE = pd.DataFrame([[1, 2, 3], [2, 2, 3]], columns=["a", "b", "b"])
MANY = pd.DataFrame({"a": range(9000), "b": range(9000)})
LABELS = ["low", "mid", "high"]
MATRIX = pd.DataFrame(1 - np.eye(3), index=LABELS, columns=LABELS)
TABLE = pd.DataFrame([[20, 5], [10, 15]], index=["x", "y"], columns=["x", "y"])


def pairs(data=NUMBERS, raters=("a", "b"), **options):
    """Return a call of `pairs`."""
    return lambda: pdkappa.pairs(data, list(raters), **options)


def calls(function, *args, **options):
    """Return a call of any function."""
    return lambda: function(*args, **options)


# --- the ratings -------------------------------------------------------------------------------

RATINGS = {
    "no frame": (
        calls(pdkappa.pairs, [1, 2, 3]),
        RatingTypeError,
        (
            "data must be a pandas DataFrame with a column for each rater, got list. "
            "Make one with pandas.DataFrame(data); for two sequences use pdkappa.qwk."
        ),
    ),
    "a frame of polars": (
        calls(pdkappa.pairs, pl.DataFrame({"a": [1, 2]})),
        RatingTypeError,
        (
            "data must be a pandas DataFrame with a column for each rater, got DataFrame of "
            "polars. Pass pdkappa.from_frame(data)."
        ),
    ),
    "a frame of Dask": (
        calls(pdkappa.pairs, from_pandas(NUMBERS, npartitions=2)),
        RatingTypeError,
        (
            "data must be a pandas DataFrame with a column for each rater, got DataFrame of dask. "
            "Import pdkappa.dask, and call the methods of data.kappa."
        ),
    ),
    "an open file": (
        calls(pdkappa.pairs, io.BytesIO(b"a,b")),
        RatingTypeError,
        (
            "data must be a pandas DataFrame with a column for each rater, got BytesIO of io. "
            "Read it first, as with pandas.read_csv(data)."
        ),
    ),
    "a path": (
        calls(pdkappa.pairs, "ratings.csv"),
        RatingTypeError,
        (
            "data must be a pandas DataFrame with a column for each rater, got str. "
            "Pass pandas.read_csv(data), or pdkappa.scan(data) for what does not fit in memory."
        ),
    ),
    "one rater": (
        pairs(raters=["a"]),
        RatingsError,
        "Agreement needs two raters or more, got 1 in columns 'a'.",
    ),
    "no rater": (
        calls(pdkappa.pairs, pd.DataFrame()),
        RatingsError,
        "Agreement needs two raters or more, got 0.",
    ),
    "absent rater": (
        pairs(raters=["a", "groups"]),
        ColumnNotFoundError,
        (
            "No rater column 'groups'. Did you mean 'group'? "
            "The frame has columns 'a', 'b', 'group', 'other', 'zero'."
        ),
    ),
    "absent group": (
        pairs(by="essay set"),
        ColumnNotFoundError,
        "No group column 'essay set'. The frame has columns 'a', 'b', 'group', 'other', 'zero'.",
    ),
    "absent weight": (
        pairs(sample_weight="times"),
        ColumnNotFoundError,
        "No weight column 'times'. The frame has columns 'a', 'b', 'group', 'other', 'zero'.",
    ),
    "no column at all": (
        calls(pdkappa.confusion, pd.DataFrame(), "a", "b"),
        ColumnNotFoundError,
        "No rater column 'a'. The frame has no columns.",
    ),
    "several columns": (
        pairs(TWICE),
        DuplicateRatingError,
        "The frame has several columns 'b', so the rater is ambiguous. Rename or drop the others.",
    ),
    "rater twice": (
        pairs(raters=["a", "b", "a"]),
        DuplicateRatingError,
        "raters names 'a' more than once. Name each rater once.",
    ),
    "group twice": (
        pairs(by=["group", "group"]),
        DuplicateRatingError,
        "by names 'group' more than once. Name each column once.",
    ),
    "rater and group": (
        pairs(by="b"),
        OptionError,
        (
            "Column(s) 'b' cannot be a rater and the group, weight or cluster of the items at "
            "once. Leave it out of raters=['a', 'b'], or of the other option."
        ),
    ),
    "raters as text": (
        calls(pdkappa.pairs, NUMBERS, "a"),
        OptionError,
        "raters must be a list of columns, got 'a'. Write raters=['a', ...].",
    ),
    "raters as a number": (
        calls(pdkappa.pairs, NUMBERS, 3),
        OptionError,
        "raters must be a list of columns, got 3. Write raters=[3, ...].",
    ),
    "raters as a set": (
        calls(pdkappa.pairs, NUMBERS, {"a", "b"}),
        OptionError,
        "raters is a set, which has no order. Pass a list of columns.",
    ),
    "by as a Series": (
        pairs(by=NUMBERS["group"]),
        OptionError,
        (
            "by must be a column label or a list of them, got Series. "
            "Add the groups to the frame as a column and name it."
        ),
    ),
    "by nothing": (
        pairs(by=[]),
        OptionError,
        "by is an empty list. Name a column, or pass None for no groups.",
    ),
    "missing rating": (
        pairs(two([1, 2, nan], [nan, 2, 3]).set_axis(list("xyz")), missing="raise"),
        RatingsError,
        (
            "Column 'a' has 1 missing rating(s), at index 'z'. "
            "Pass missing='pairwise' or 'listwise' to leave them out."
        ),
    ),
    "unhashable": (
        pairs(two([{1: 2}, {2: 3}], [1, 2])),
        RatingTypeError,
        (
            "Column 'a' holds values that cannot be labels, such as {1: 2} (dict). "
            "Convert them to text, or use from_votes for dicts of raters."
        ),
    ),
    "unhashable group": (
        pairs(NUMBERS.assign(group=[{1: 2}] * 4), by="group"),
        RatingTypeError,
        (
            "Column 'group' holds values that cannot be labels, such as {1: 2} (dict). "
            "Convert them to text, or use from_votes for dicts of raters."
        ),
    ),
    "complex": (
        pairs(two([1j, 2], [1, 2])),
        RatingTypeError,
        "Column 'a' holds complex numbers, which have no agreement scale. Pass their real parts.",
    ),
    "missing in a tuple": (
        pairs(two([("x", None), ("x", 1)], [("x", 1), ("x", 1)])),
        RatingTypeError,
        (
            "Column 'a' holds a tuple with a missing value, ('x', None), which equals no other. "
            "Set the whole rating to missing."
        ),
    ),
    "mixed column": (
        pairs(two(objects(1, "x", 2.5), [1, 2, 3])),
        RatingTypeError,
        (
            "Column 'a' mixes numbers and text, such as 1, 'x', so that equal ratings may not "
            "match. Convert all to one type. 'x' is at index 1."
        ),
    ),
    "True for 1": (
        pairs(two(pd.Series([1, True, 2], dtype=object), [1, 2, 3])),
        RatingTypeError,
        (
            "Column 'a' mixes booleans and numbers, such as True, 1, so that equal ratings may not "
            "match. Convert all to one type."
        ),
    ),
    "mixed raters": (
        pairs(two(np.array([0, 1, 3], "int8"), objects("0", "1", "3"))),
        RatingTypeError,
        (
            "Raters 'a' and 'b' hold different kinds of ratings: numbers (int8) such as 3 and text "
            "(object) such as '0', so that equal ratings may not match. Convert one with astype, "
            "or pass only the columns that hold ratings."
        ),
    ),
    "booleans and scores": (
        pairs(two([True, False, True], np.array([1, 0, 2], "int16"))),
        RatingTypeError,
        (
            "Raters 'a' and 'b' hold different kinds of ratings: booleans (bool) such as False and "
            "numbers (int16) such as 2, so that equal ratings may not match. Convert one with "
            "astype, or pass only the columns that hold ratings."
        ),
    ),
    "time zones": (
        pairs(
            two(
                pd.to_datetime(["2020"]).as_unit("ns"),
                pd.to_datetime(["2020"]).as_unit("ns").tz_localize("UTC"),
            )
        ),
        RatingTypeError,
        (
            "Raters 'a' and 'b' hold different kinds of ratings: datetime values (datetime64[ns]) "
            "such as Timestamp('2020-01-01 00:00:00') and zoned datetime values (datetime64[ns, "
            "UTC]) such as Timestamp('2020-01-01 00:00:00+0000', tz='UTC'), so that equal "
            "ratings may not match. Convert one with astype, or pass only the columns that hold "
            "ratings."
        ),
    ),
}

# --- the categories ----------------------------------------------------------------------------

CATEGORIES = {
    "no order": (
        pairs(TEXT, weights="quadratic"),
        CategoryError,
        (
            "weights='quadratic' needs ordered categories, but column 'a' holds text. "
            "Pass categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "no order of datetimes": (
        pairs(
            two(pd.to_datetime(["2020", "2021"]), pd.to_datetime(["2020"] * 2)), weights="linear"
        ),
        CategoryError,
        (
            "weights='linear' needs ordered categories, but column 'a' holds datetime values. "
            "Pass categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "no order of tuples": (
        pairs(two([("x",), ("y",)], [("x",), ("y",)]), weights="linear"),
        CategoryError,
        (
            "weights='linear' needs ordered categories, but column 'a' holds values without an "
            "order. Pass categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "no order for an array": (
        pairs(TEXT, weights=1 - np.eye(3)),
        CategoryError,
        (
            "an array of weights needs ordered categories, but column 'a' holds text. "
            "Pass categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "no order for a callable": (
        pairs(TEXT, weights=lambda scores: scores),
        CategoryError,
        (
            "a callable as weights needs ordered categories, but column 'a' holds text. "
            "Pass categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "numeric text": (
        pairs(two(["1", "10", "2"], ["1", "2", "10"]), weights="linear"),
        CategoryError,
        (
            "weights='linear' needs ordered categories, but column 'a' holds text. "
            "Pass categories=[...] in order, or make the columns ordered Categoricals. "
            "All of it is numeric text, which would sort '10' before '2': "
            "convert the columns with pd.to_numeric."
        ),
    ),
    "different orders": (
        pairs(
            two(
                pd.Categorical(["low", "high"], LABELS, ordered=True),
                pd.Categorical(["low", "high"], LABELS[::-1], ordered=True),
            ),
            weights="linear",
        ),
        CategoryError,
        (
            "Raters 'a' and 'b' are ordered Categoricals with different categories: "
            "'low', 'mid', 'high' against 'high', 'mid', 'low'. "
            "Give both one order with .cat.set_categories, or pass categories=[...]."
        ),
    ),
    "outside": (
        pairs(two([1, 2, 9, 9], [1, 2, 7, 2]).set_axis(list("wxyz")), categories=[1, 2]),
        CategoryError,
        (
            "Column 'a' holds 2 rating(s) that are not in categories: 9, at index 'y', 'z'. "
            "Add them to the categories, or set those ratings to missing."
        ),
    ),
    "many outside": (
        pairs(two(range(10), range(10)), categories=[0]),
        CategoryError,
        (
            "Column 'a' holds 9 rating(s) that are not in categories: 1, 2, 3, 4, 5 and 4 more, "
            "at index 1, 2, 3, 4, 5 and 4 more. "
            "Add them to the categories, or set those ratings to missing."
        ),
    ),
    "outside a Categorical": (
        pairs(
            two(pd.Categorical(["low", "high"], LABELS, ordered=True), ["low", "top"]),
            weights="linear",
        ),
        CategoryError,
        (
            "Column 'b' holds 1 rating(s) that are not in the ordered categories of 'a': 'top', at "
            "index 1. Add them to the categories, or set those ratings to missing."
        ),
    ),
    "scores beside a Categorical": (
        lambda: two(pd.Categorical([1, 2, 2], ordered=True), [1.25, 2, 1]).kappa.readiness(
            "a", "b"
        ),
        CategoryError,
        (
            "Column 'b' holds 1 rating(s) that are not in the ordered categories of 'a': 1.25, at "
            "index 0. Add them to the categories, or set those ratings to missing. If they are "
            "scores, make the Categoricals numbers with astype(float)."
        ),
    ),
    "of another kind": (
        pairs(categories=["1", "2", "3"]),
        CategoryError,
        "categories holds text such as '1', but column 'a' numbers such as 1. Convert one of them.",
    ),
    "a string": (
        pairs(TEXT, categories="low"),
        CategoryError,
        (
            "categories must be an ordered list or a dict of scores, got 'low'. "
            "Pass a list such as ['low', 'mid', 'high']."
        ),
    ),
    "a set": (
        pairs(TEXT, categories=set(LABELS)),
        CategoryError,
        (
            "categories must be an ordered list or a dict of scores, got a set, which has no "
            "order. Pass a list such as ['low', 'mid', 'high']."
        ),
    ),
    "empty": (
        pairs(categories=[]),
        CategoryError,
        "categories is empty. Pass at least one category, or None to use the ratings.",
    ),
    "missing": (
        pairs(TEXT, categories=[*LABELS, None]),
        CategoryError,
        (
            "categories holds a missing value, which is never a category. "
            "Leave it out: missing ratings need no category."
        ),
    ),
    "twice": (
        pairs(TEXT, categories=[*LABELS, "mid", "low"]),
        CategoryError,
        "categories holds 'low', 'mid' more than once. Name each category once.",
    ),
    "neither up nor down": (
        pairs(categories=[1, 3, 2]),
        CategoryError,
        (
            "categories holds numbers that are neither ascending nor descending: 1, 3, 2. "
            "Sort them, or pass a dict of scores."
        ),
    ),
    "mixed categories": (
        pairs(categories=[1, "x"]),
        RatingTypeError,
        (
            "categories mixes numbers and text, such as 1, 'x', so that equal ratings may not "
            "match. Convert all to one type."
        ),
    ),
    "complex categories": (
        pairs(categories=[1j]),
        RatingTypeError,
        "categories holds complex numbers, which have no agreement scale. Pass their real parts.",
    ),
    "unhashable categories": (
        pairs(categories=[{1: 2}, {2: 3}]),
        RatingTypeError,
        (
            "categories holds values that cannot be labels, such as {1: 2} (dict). "
            "Convert them to text, or use from_votes for dicts of raters."
        ),
    ),
    "no score": (
        pairs(TEXT, categories={"low": 0, "mid": nan, "high": 1}),
        CategoryError,
        "categories gives 'mid' the score nan. Give every category a finite number.",
    ),
    "same score": (
        pairs(TEXT, categories={"low": 0, "mid": 1, "high": 0}),
        CategoryError,
        (
            "categories gives 'low' and 'high' the same score 0. "
            "Give each category its own, or merge them in the data."
        ),
    ),
    "infinite": (
        pairs(two([1, 2, np.inf], [1, 2, 2]), weights="linear"),
        CategoryError,
        (
            "weights='linear' needs finite ratings, got inf in column 'a', at index 2. "
            "Set them to missing, or pass categories={category: score}."
        ),
    ),
    "same float": (
        pairs(two([0, 2**53], [2**53 + 1, 0]), weights="linear"),
        CategoryError,
        (
            "weights='linear' cannot tell 9007199254740992 from 9007199254740993, which are the "
            "same float on a scale from 0 to 9007199254740993. "
            "Rescale the ratings, or pass categories={category: score}."
        ),
    ),
}

# --- weights -----------------------------------------------------------------------------------

SHAPES = (
    "weights must be a name, an array with a row and a column for each category, a DataFrame "
    "labelled with them, or a callable, got "
)
WEIGHTS = {
    "not known": (
        pairs(weights="cubic"),
        OptionError,
        (
            "weights='cubic' is not known. Choose one of: None, 'linear', 'quadratic', 'ordinal', "
            "'radical', 'ratio', 'circular', 'bipolar', 'jaccard', 'masi'."
        ),
    ),
    "known elsewhere": (
        pairs(weights="squared"),
        OptionError,
        "weights='squared' is not known here; it is called 'quadratic' in pdkappa.",
    ),
    "no matrix": (pairs(weights=[1, 2]), WeightsError, f"{SHAPES}[1, 2]."),
    "no matrix from a callable": (
        pairs(weights=lambda scores: scores),
        WeightsError,
        f"{SHAPES}array([1., 2., 3.]).",
    ),
    "shape": (
        pairs(weights=np.eye(2)),
        WeightsError,
        (
            "weights has shape (2, 2), but there are 3 categories: 1, 2, 3. Pass an array of shape "
            "(3, 3), or name the categories that it has with categories=[...]."
        ),
    ),
    "text": (
        pairs(weights=[["1"] * 3] * 3),
        WeightsError,
        "weights must hold numbers, got the type <U1. Convert it, as with pd.to_numeric.",
    ),
    "not finite": (
        pairs(weights=[[0, 1, nan], [1, 0, 1], [nan, 1, 0]]),
        WeightsError,
        "weights must be finite, got nan at [0, 2]. Give every two categories a number.",
    ),
    "negative": (
        pairs(weights=[[0, 1, -1], [1, 0, 1], [-1, 1, 0]]),
        WeightsError,
        "weights must not be negative, got -1.0 at [0, 2]. A disagreement counts 0 or more.",
    ),
    "asymmetric": (
        pairs(weights=[[0, 1, 2], [1, 0, 1], [3, 1, 0]]),
        WeightsError,
        (
            "weights must be symmetric, got 2.0 at [0, 2] and 3.0 at [2, 0]. "
            "A disagreement counts the same both ways."
        ),
    ),
    "diagonal": (
        pairs(weights=np.diag([0, 1, 0])),
        WeightsError,
        (
            "weights must have zeros on its diagonal (disagreement), or ones there and at most 1 "
            "elsewhere (agreement), got [0. 1. 0.] with a maximum of 1.0."
        ),
    ),
    "no disagreement": (
        pairs(weights=np.ones((3, 3))),
        WeightsError,
        (
            "weights counts no disagreement at all, so that no coefficient is defined. "
            "Give at least one pair of categories a weight other than that of agreement."
        ),
    ),
    "label twice": (
        pairs(TEXT, weights=MATRIX.set_axis(["low", "low", "high"])),
        WeightsError,
        "weights names 'low' twice in its index. Name each category once.",
    ),
    "label absent": (
        pairs(TEXT, weights=MATRIX[["low", "mid"]]),
        WeightsError,
        "weights has no 'high' in its columns. Label its rows and columns with the categories.",
    ),
    "ratio": (
        pairs(NUMBERS[["a", "b"]] - 2, weights="ratio"),
        WeightsError,
        (
            "weights='ratio' needs scores from zero upwards, got -1. "
            "Shift the ratings, or use 'quadratic'."
        ),
    ),
    "too large": (
        pairs(MANY, weights="radical"),
        TooLargeError,
        (
            "weights='radical' with 9000 categories would need a matrix of 9000 x 9000; the "
            "limit is 2000. Use 'quadratic', 'linear' or None, or merge categories."
        ),
    ),
    "too large for a callable": (
        pairs(MANY, weights=np.subtract.outer),
        TooLargeError,
        (
            "a callable as weights with 9000 categories would need a matrix of 9000 x 9000; the "
            "limit is 2000. Use 'quadratic', 'linear' or None, or merge categories."
        ),
    ),
}

SAMPLE_WEIGHTS = {
    "text": (
        pairs(sample_weight=["1", "1", "1", "1"]),
        WeightsError,
        "sample_weight must hold numbers, got the type <U1. Convert it, as with pd.to_numeric.",
    ),
    "text objects": (
        pairs(sample_weight=objects("1", "1", "1", "1")),
        WeightsError,
        "sample_weight must hold numbers, got '1' (str). Convert it, as with pd.to_numeric.",
    ),
    "ragged": (
        pairs(sample_weight=[[1], [1, 2]]),
        WeightsError,
        "sample_weight has rows of different lengths. Give each row as many numbers.",
    ),
    "shape": (
        pairs(sample_weight=[1, 2]),
        WeightsError,
        "sample_weight has shape (2,), but shape (4,) is needed: one weight for each.",
    ),
    "fractional": (
        pairs(sample_weight=[1, 2.5, 1, 1.5]),
        WeightsError,
        (
            "sample_weight is 2.5, at index 1, which is no number of items. Pass "
            "weight_type='probability' if it is a sampling weight, or weight_type='frequency' to "
            "use it as a number of items."
        ),
    ),
    "no weights of a sample": (
        pairs(weight_type="probability"),
        OptionError,
        (
            "weight_type='probability' without sample_weight: there are no weights of items. "
            "Pass sample_weight, or leave it out."
        ),
    ),
    "kind of weights": (
        pairs(weight_type="importance", sample_weight=[1, 2, 1, 1]),
        OptionError,
        "weight_type='importance' is not known. Choose one of: 'frequency', 'probability'.",
    ),
    "negative": (
        pairs(sample_weight=[1, 1, -0.5, 1]),
        WeightsError,
        (
            "sample_weight must be finite and not negative, got -0.5 at position 2. "
            "Set it to zero to leave it out."
        ),
    ),
    "missing": (
        pairs(sample_weight=[1, None, 1, 1]),
        WeightsError,
        (
            "sample_weight must be finite and not negative, got nan at position 1. "
            "Set it to zero to leave it out."
        ),
    ),
    "sum": (
        pairs(sample_weight=[1e308] * 4),
        WeightsError,
        "The sum of sample_weight is beyond the range of a float. Divide it by a constant.",
    ),
    "index": (
        pairs(sample_weight=pd.Series([1, 2, 3, 4], index=list("wxyz"))),
        RatingsError,
        (
            "sample_weight is a Series whose index differs from that of the data. "
            "Give it the same labels, or pass an array in the order of the rows."
        ),
    ),
    "table": (
        lambda: pdkappa.from_table([[20, 5], [10, 15]]).pairs(sample_weight=[1, 2, 3, 4]),
        OptionError,
        "sample_weight cannot be given for a table of counts, which are the weights.",
    ),
    "scales": (
        pairs(
            pd.DataFrame({"a": range(20_000), "b": range(20_000), "group": range(20_000)}),
            by="group",
            weights="linear",
        ),
        TooLargeError,
        (
            "20000 groups of 20000 categories have more than 268435456 places. Name fewer with "
            "categories=[...], round the ratings, or compute some groups at a time."
        ),
    ),
    "cluster missing": (
        pairs(cluster=["x", None, "y", "y"]),
        RatingsError,
        ("cluster is missing for 1 item(s), at index 1. Give a single item its own cluster."),
    ),
    "cluster length": (
        pairs(cluster=["x", "y"]),
        RatingsError,
        "cluster has 2 values, but there are 4 items. Give each item the label of its cluster.",
    ),
    "cluster of one value": (
        pairs(cluster=7),
        RatingTypeError,
        "cluster must be a sequence of labels, got 7 (int). Pass a list, an array or a Series.",
    ),
    "cluster of lists": (
        pairs(cluster=[[1]] * 4),
        RatingTypeError,
        (
            "cluster holds values that cannot be labels, such as [1] (list). "
            "Convert them to text or tuples."
        ),
    ),
    "cluster and rater": (
        pairs(cluster="b"),
        OptionError,
        (
            "Column(s) 'b' cannot be a rater and the group, weight or cluster of the items at "
            "once. Leave it out of raters=['a', 'b'], or of the other option."
        ),
    ),
}


def grouped(**options):
    """Return a call of `grouped`."""
    return lambda: pdkappa.grouped(NUMBERS, "a", "b", by="group", **options)


GROUP_WEIGHTS = {
    "list": (
        grouped(group_weights=[1, 2]),
        WeightsError,
        (
            "group_weights must be a column, or a dict or Series from group to weight: "
            "the order of a list says nothing about the groups."
        ),
    ),
    "absent": (
        grouped(group_weights={"x": 1}),
        WeightsError,
        "group_weights has no weight for group(s) 'y'.",
    ),
    "twice": (
        grouped(group_weights=pd.Series([1, 2, 3], index=["x", "y", "x"])),
        WeightsError,
        "group_weights has more than one weight for group(s) 'x'.",
    ),
    "not constant": (
        grouped(group_weights="other"),
        WeightsError,
        (
            "group_weights='other' is not constant in group(s) 'y'. "
            "A group has one weight; for weights of items use sample_weight."
        ),
    ),
    "zero": (
        grouped(group_weights="zero"),
        WeightsError,
        "group_weights are all zero. Give at least one group a positive weight.",
    ),
    "negative": (
        grouped(group_weights={"x": 1, "y": -1}),
        WeightsError,
        (
            "group_weights must be finite and not negative, got -1.0 at position 1. "
            "Set it to zero to leave it out."
        ),
    ),
    "absent column": (
        grouped(group_weights="weight"),
        ColumnNotFoundError,
        "No weight column 'weight'. The frame has columns 'a', 'b', 'group', 'other', 'zero'.",
    ),
}


def named(choices):
    """Return the choices of an option as a message names them."""
    return ", ".join(map(repr, choices))


# --- other options -----------------------------------------------------------------------------

OPTIONS = {
    "missing, an array": (
        pairs(missing=np.array([1, 2])),
        OptionError,
        f"missing=array([1, 2]) is not known. Choose one of: {named(MISSING)}.",
    ),
    "categories, an array of no axes": (
        pairs(categories=np.array("x")),
        CategoryError,
        (
            "categories must be an ordered list or a dict of scores, got array('x', dtype='<U1'). "
            "Pass a list such as ['low', 'mid', 'high']."
        ),
    ),
    "an option of another name": (
        pairs(wieghts="quadratic"),
        UnknownOptionError,
        "pairs has no option 'wieghts'. Did you mean 'weights'?",
    ),
    "an option of no such name": (
        calls(pdkappa.usage, NUMBERS, ["a", "b"], colour="red"),
        UnknownOptionError,
        ("usage has no option 'colour'. It has: raters, by, categories, missing, sample_weight."),
    ),
    "a flag": (
        calls(pdkappa.attainable, NUMBERS, ["a", "b"], together="no"),
        OptionError,
        "together='no' must be True or False.",
    ),
    "one rater in a list": (
        calls(pdkappa.compare_groups, NUMBERS, ["a"], "b", by="group"),
        OptionError,
        "rater_a must be one label, got ['a']. Write rater_a='a'.",
    ),
    "no groups": (
        calls(pdkappa.compare_groups, NUMBERS, "a", "b", by=None),
        OptionError,
        (
            "by=None, but this function compares groups. Name the column that defines them, or "
            "use pairs for all items together."
        ),
    ),
    "too many resamples": (
        pairs(n_resamples=10**12),
        OptionError,
        "n_resamples=1000000000000 is too many; the limit is 1000000.",
    ),
    "beyond floats": (
        calls(pdkappa.ceiling, NUMBERS, "a", ["b", "other"], margin=10**400),
        OptionError,
        "margin must not exceed the largest float, 1.798e+308.",
    ),
    "a name of no margins": (
        calls(pdkappa.confusion, NUMBERS, "a", "b", margins_name="Sum"),
        OptionError,
        "margins_name is for sums that are not shown. Pass margins=True, or leave it out.",
    ),
    "missing": (
        pairs(missing="drop"),
        OptionError,
        f"missing='drop' is not known. Choose one of: {named(MISSING)}.",
    ),
    "coefficient": (
        pairs(coefficient="cohens"),
        OptionError,
        (
            "coefficient='cohens' is not known. Did you mean 'cohen'? "
            f"Choose one of: {named(COEFFICIENTS)}."
        ),
    ),
    "coefficient from elsewhere": (
        pairs(coefficient="alpha"),
        OptionError,
        "coefficient='alpha' is not known here; it is called 'krippendorff' in pdkappa.",
    ),
    "coefficient as a list": (
        pairs(coefficient=["cohen"]),
        OptionError,
        f"coefficient=['cohen'] is not known. Choose one of: {named(COEFFICIENTS)}.",
    ),
    "ci": (
        pairs(ci="exact"),
        OptionError,
        f"ci='exact' is not known. Choose one of: {named(INTERVAL_METHODS)}.",
    ),
    "confidence_level": (
        pairs(confidence_level=95),
        OptionError,
        "confidence_level=95 must lie between 0 and 1. Did you mean 0.95?",
    ),
    "confidence_level of 1": (
        pairs(confidence_level=1),
        OptionError,
        "confidence_level=1 must lie between 0 and 1.",
    ),
    "stat": (
        calls(pdkappa.pairwise, NUMBERS, ["a", "b"], stat="kappa"),
        OptionError,
        "stat='kappa' is not known here; it is called 'estimate' in pdkappa.",
    ),
    "normalize": (
        calls(pdkappa.confusion, NUMBERS, "a", "b", normalize="rows"),
        OptionError,
        "normalize='rows' is not known. Choose one of: None, 'all', 'index', 'columns'.",
    ),
    "margins_name": (
        calls(pdkappa.confusion, NUMBERS, "a", "b", margins=True, margins_name=1),
        OptionError,
        "margins_name=1 is a category too. Choose another name.",
    ),
    "confusion": (
        calls(pdkappa.confusion, MANY, "a", "b"),
        TooLargeError,
        (
            "The confusion table would have 81000000 cells, from 9000 categories; the limit is "
            "4194304. Round the ratings or merge categories."
        ),
    ),
    "clip": (
        grouped(clip=1),
        OptionError,
        "clip=1 must lie between 0 and 1. Pass None to average without a cap.",
    ),
    "groupby": (
        lambda: NUMBERS.groupby(NUMBERS["group"].to_numpy()).kappa.pairs(["a", "b"]),
        OptionError,
        (
            "df.groupby(...).kappa needs groups that are the values of columns, with missing ones "
            "left out. Assign the groups to a column first, and pass by=."
        ),
    ),
    "groupby and by": (
        lambda: NUMBERS.groupby("group").kappa.pairs(["a", "b"], by="group"),
        OptionError,
        "by= cannot be given, since the frame is already grouped. Leave it out.",
    ),
    "items of counts": (
        lambda: pdkappa.from_table(pdkappa.datasets.load_cohen1968()).report(id="patient"),
        OptionError,
        "id and columns are for ratings of single items, which counts do not have.",
    ),
    "columns": (
        calls(pdkappa.items, ANXIETY, columns="ann"),
        OptionError,
        "columns must be a list of columns, got 'ann'. Write columns=[...].",
    ),
    "columns twice": (
        calls(pdkappa.items, ANXIETY, ["rater_1", "rater_2"], id="rater_1", columns=["rater_1"]),
        OptionError,
        (
            "Column 'rater_1' of id or columns is in the result already. Name it once, or rename "
            "it with data.rename(columns=...)."
        ),
    ),
    "title": (
        calls(pdkappa.report, ANXIETY, title=" "),
        OptionError,
        "title must be a text, got ' '. Leave it out for none.",
    ),
    "unknown machines": (
        calls(pdkappa.report, ANXIETY, ["rater_1", "rater_2"], machines=["gpt"]),
        ColumnNotFoundError,
        "machines names 'gpt', but the raters are 'rater_1', 'rater_2'.",
    ),
    "machines no list": (
        calls(pdkappa.report, ANXIETY, machines="rater_1"),
        OptionError,
        "machines must be a list of raters, got 'rater_1'. Write machines=['rater_1'].",
    ),
    "machines alone": (
        calls(pdkappa.report, ANXIETY, ["rater_1", "rater_2"], machines=["rater_1", "rater_2"]),
        OptionError,
        ("machines names 2 of 2 raters. Name those that are machines: one at least, and not all."),
    ),
    "machines and em": (
        calls(pdkappa.report, ANXIETY, ["rater_1", "rater_2"], machines=["rater_1"], missing="em"),
        OptionError,
        (
            "machines needs the influence of each item, which missing='em' does not give. "
            "Leave out machines, or pass missing='pairwise'."
        ),
    ),
}

# --- sequences and tables ----------------------------------------------------------------------

SEQUENCES = {
    "lengths": (
        calls(pdkappa.qwk, [1, 2, 3], [1, 2]),
        RatingsError,
        "y_true has 3 ratings and y_pred 2. Pass one of each for every item.",
    ),
    "index": (
        calls(pdkappa.qwk, pd.Series([1, 2]), pd.Series([1, 2], index=["x", "y"])),
        RatingsError,
        (
            "y_pred is a Series whose index differs from that of the data. "
            "Give it the same labels, or pass an array in the order of the rows."
        ),
    ),
    "text": (
        calls(pdkappa.qwk, [1, 2, 3], "123"),
        RatingTypeError,
        "y_pred must be a sequence of ratings, got '123' (str). Pass a list, an array or a Series.",
    ),
    "axes": (
        calls(pdkappa.qwk, np.ones((3, 1)), [1, 2, 3]),
        RatingsError,
        ("y_true must be one-dimensional, got shape (3, 1). Pass a single column of it."),
    ),
    "kappas outside": (
        calls(pdkappa.fisher_mean, [0.5, 1.5, -2]),
        OptionError,
        "kappas must lie between -1 and 1, got 1.5, -2.0. Other values have no Fisher z.",
    ),
    "kappas as text": (
        calls(pdkappa.fisher_mean, ["0.5"]),
        OptionError,
        "kappas must hold numbers, got the type <U3. Convert it, as with pd.to_numeric.",
    ),
    "one kappa": (
        calls(pdkappa.fisher_mean, 0.5),
        OptionError,
        "kappas must be one-dimensional, got shape (). Pass a list of them.",
    ),
    "weights of zero": (
        calls(pdkappa.fisher_mean, [0.5, 0.8], [0, 0]),
        WeightsError,
        "group_weights are all zero. Give at least one coefficient a positive weight.",
    ),
    "weights": (
        calls(pdkappa.fisher_mean, [0.5, 0.8], [1]),
        WeightsError,
        "group_weights has shape (1,), but shape (2,) is needed: one weight for each.",
    ),
}


def table(given, **options):
    """Return a call of `from_table`."""
    return lambda: pdkappa.from_table(given, **options)


TABLES = {
    "axes": (
        table([1, 2]),
        RatingsError,
        "table must have two axes, got 1. Give it a row and a column for each category.",
    ),
    "square": (
        table([[1, 2, 3], [4, 5, 6]]),
        RatingsError,
        (
            "table has shape (2, 3), but needs as many rows as columns. "
            "Give it a row and a column for each category, used or not."
        ),
    ),
    "categories": (
        table([[1, 2], [3, 4]], categories=["x", "y", "z"]),
        RatingsError,
        (
            "table has shape (2, 2), but there are 3 categories. "
            "Give it a row and a column for each category, used or not."
        ),
    ),
    "labels": (
        table(TABLE.set_axis(["x", "z"])),
        RatingsError,
        (
            "table must have the same categories in rows and columns, got 'x', 'z' and 'x', 'y'. "
            "Add the unused ones with table.reindex."
        ),
    ),
    "missing label": (
        table(TABLE.set_axis(["x", nan], axis=1)),
        RatingsError,
        (
            "table has a missing label in its columns, which is never a category. "
            "Drop it, as with pandas.crosstab(..., dropna=True)."
        ),
    ),
    "label twice": (
        table(TABLE.set_axis(["x", "x"])),
        RatingsError,
        "table names 'x' twice in its rows. Name each category once.",
    ),
    "levels": (
        table(TABLE.set_axis(pd.MultiIndex.from_tuples([("g", "x"), ("g", "y")]), axis=1)),
        RatingsError,
        (
            "table has 2 levels in its columns, but categories have one. "
            "Select one group at a time, as table.loc[group]."
        ),
    ),
    "counts": (
        table(TABLE - 10),
        WeightsError,
        (
            "table must hold finite counts, not negative, got -5.0 in row 'x', column 'y'. "
            "Where there is no item, the count is 0."
        ),
    ),
    "text": (
        table(TABLE.astype(str).astype(object)),
        WeightsError,
        "table must hold numbers, got '20' (str). Convert it, as with pd.to_numeric.",
    ),
}

COUNTS = pd.DataFrame([[3, 0], [1, 2], [0, 3]], columns=["x", "y"])


def counts(given, **options):
    """Return a call of `from_counts`."""
    return lambda: pdkappa.from_counts(given, **options)


COUNTED = {
    "array": (
        counts([[3, 0], [1, 2]]),
        RatingsError,
        (
            "counts must be a DataFrame with a column for each category, got [[3, 0], [1, 2]]. "
            "Pass pandas.DataFrame(counts, columns=categories)."
        ),
    ),
    "label twice": (
        counts(COUNTS.set_axis(["x", "x"], axis=1)),
        RatingsError,
        "counts names 'x' twice in its columns. Name each category once.",
    ),
    "fraction": (
        counts(COUNTS / 2),
        WeightsError,
        (
            "counts must be whole numbers of ratings, got 1.5 in row 0, column 'x'. "
            "Count each rating once."
        ),
    ),
    "negative": (
        counts(COUNTS - 1),
        WeightsError,
        (
            "counts must hold finite counts, not negative, got -1.0 in row 0, column 'y'. "
            "Where there is no item, the count is 0."
        ),
    ),
    "too many": (
        counts(COUNTS * 10_000),
        TooLargeError,
        ("counts has an item with 30000 ratings; the limit is 10000. Divide them by a constant."),
    ),
    "raters": (
        lambda: pdkappa.from_counts(COUNTS).pairs(),
        OptionError,
        (
            "Counts of categories do not say who rated, so raters cannot be compared. Use "
            "agreement() with percent, brennan_prediger, fleiss, gwet or krippendorff."
        ),
    ),
}

RESAMPLING = {
    "n_resamples": (
        pairs(ci="bca", n_resamples=0),
        OptionError,
        "n_resamples=0 must be a whole number from 1 upwards.",
    ),
    "rng": (
        pairs(ci="bca", rng="seed"),
        OptionError,
        (
            "rng must be None, a whole number from 0 upwards or a numpy Generator, got 'seed'. "
            "Make one with numpy.random.default_rng."
        ),
    ),
    "progress": (
        pairs(ci="bca", progress="bar"),
        OptionError,
        "progress must be True, False or a function of (done, total), got 'bar'.",
    ),
    "null": (
        pairs(null=1),
        OptionError,
        "null=1 must lie between -1 and 1. It is the coefficient that is tested.",
    ),
    "fractional weights": (
        pairs(ci="bca", n_resamples=10, sample_weight=[1, 1, 0.5, 1], weight_type="frequency"),
        OptionError,
        (
            "ci='bca' resamples items, so sample_weight must hold whole numbers that add up to "
            "less than 2**53, got 0.5. Use ci='auto', 'fisher' or 'wald'."
        ),
    ),
    "raters of resampled items": (
        lambda: pdkappa.agreement(THREE, vary="both", ci="bca"),
        OptionError,
        (
            "ci='bca' resamples items and not raters, so that vary='both' has no such limits. "
            "Use ci='auto', 'fisher' or 'wald'."
        ),
    ),
    "EM of raters": (
        lambda: pdkappa.agreement(THREE, vary="raters", missing="em"),
        OptionError,
        "missing='em' has no standard errors for vary='raters'. Use missing='pairwise'.",
    ),
    "two raters vary": (
        lambda: pdkappa.agreement(NUMBERS, ["a", "b"], vary="raters"),
        OptionError,
        (
            "vary='raters' leaves out one rater at a time, which needs three raters or more, got "
            "2. Pass more raters, or use vary='items'."
        ),
    ),
    "nobody varies": (
        lambda: pdkappa.from_counts(pd.DataFrame({"x": [1, 2], "y": [2, 1]})).agreement(
            vary="both"
        ),
        OptionError,
        (
            "Counts of categories do not say who rated, so vary='both' cannot leave out one "
            "rater at a time. Use vary='items'."
        ),
    ),
    "vary": (
        lambda: pdkappa.agreement(THREE, vary="rater"),
        OptionError,
        (
            "vary='rater' is not known. Did you mean 'raters'? "
            "Choose one of: 'items', 'raters', 'both'."
        ),
    ),
    "EM of clusters": (
        pairs(missing="em", cluster="group"),
        OptionError,
        (
            "missing='em' assumes independent items that count the same. Leave out cluster and "
            "weight_type='probability', or use 'pairwise'."
        ),
    ),
    "EM resampled": (
        pairs(missing="em", ci="bca"),
        OptionError,
        "missing='em' is not resampled by ci='bca'. Use ci='auto', 'fisher' or 'wald'.",
    ),
    "EM of too many": (
        pairs(MANY, missing="em"),
        TooLargeError,
        (
            "missing='em' would estimate how 9000 distinct rows of ratings are spread over 9000 "
            f"completions; the limits are {MOST_ROWS} and {MOST_COMPLETIONS}. Pass fewer raters, "
            "or leave out items with few ratings."
        ),
    ),
    "covariances of too many": (
        calls(pdkappa.covariance, pd.DataFrame(np.ones((2, 129)))),
        TooLargeError,
        (
            "8256 pairs of 129 raters in 1 group(s) have 68161536 covariances; the limit is "
            "67108864. Pass fewer raters."
        ),
    ),
    "metric of alpha": (
        calls(pdkappa.agreement, NUMBERS, ["a", "b"], weights=ORDINAL_METRIC),
        OptionError,
        (
            f"weights={ORDINAL_METRIC!r} belongs to Krippendorff's alpha alone, for which the "
            "metric depends on the ratings. Pass coefficients=['krippendorff']."
        ),
    ),
}

GROUPS = {
    "ratings": RATINGS,
    "categories": CATEGORIES,
    "weights": WEIGHTS,
    "sample_weight": SAMPLE_WEIGHTS,
    "group_weights": GROUP_WEIGHTS,
    "options": OPTIONS,
    "sequences": SEQUENCES,
    "tables": TABLES,
    "counts": COUNTED,
    "resampling": RESAMPLING,
}
CASES = {f"{group}-{name}": case for group, cases in GROUPS.items() for name, case in cases.items()}


@pytest.mark.parametrize(("call", "error", "message"), CASES.values(), ids=CASES)
def test_the_whole_message(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error is not KappaError
    assert str(caught.value) == message
    assert message.endswith((".", "?"))
    assert not re.search(r"[!\n]|\bplease\b|\bsorry\b|\bnp\.|\binvalid\b", message.lower())
    assert len(message) < 400


# --- all messages ------------------------------------------------------------------------------


@cache
def trees():
    """Parse all modules of the package."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


@cache
def functions():
    """Find all functions of the package by name, each with its module."""
    found = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append((node, tree))
    return found


def called(node):
    """Return the name of what is called, or of an attribute."""
    node = getattr(node, "func", node)
    return getattr(node, "id", getattr(node, "attr", ""))


def assigned(scope, name):
    """Find the values of a name in a function or a module."""
    for node in scope.body if isinstance(scope, ast.Module) else ast.walk(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value and name in {getattr(target, "id", "") for target in targets}:
                yield node.value


NO_TEXT = ast.Attribute | ast.Compare | ast.comprehension | ast.keyword


def texts_in(node, function, tree, seen):
    """Find the texts that an expression is made of, by way of variables and functions, too."""
    if id(node) in seen:
        return
    seen.add(id(node))
    parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, NO_TEXT)]
    further = [(part, function, tree) for part in parts]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield (node.value,)
    elif isinstance(node, ast.JoinedStr):
        yield tuple(part.value for part in parts if isinstance(part, ast.Constant))
        further = [one for one in further if isinstance(one[0], ast.FormattedValue)]
    elif isinstance(node, ast.Name):
        values = [*assigned(function, node.id)] or [*assigned(tree, node.id)]
        further = [(value, function, tree) for value in values]
    elif isinstance(node, ast.Call | ast.Attribute):
        named = functions().get(called(node), [])
        for other, home in [one for one in named if one[1] is tree] or named[: len(named) == 1]:
            made = [one for one in ast.walk(other) if isinstance(one, ast.Return | ast.Yield)]
            further += [(one.value, other, home) for one in made if one.value]
    for one in further:
        yield from texts_in(*one, seen)


def templates():
    """Find the texts of all errors and warnings: their constant parts, and the places."""
    seen = set()
    for path, tree in trees().items():
        for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
            for node in ast.walk(function):
                text = None
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "message":
                    text = node.value
                elif isinstance(node, ast.Call) and re.search(r"(Error|^warn)$", called(node)):
                    text = node.args[0] if node.args else None
                for parts in texts_in(text, function, tree, seen) if text else ():
                    if len(re.findall(r"\b[a-z]+\b", " ".join(parts))) > 2:
                        yield parts, f"{path.relative_to(PACKAGE)}:{node.lineno}"


def texts_of_all_tests():
    """Find every text in the tests but docstrings, and the messages of the table above."""
    yield from (message for _, _, message in CASES.values())
    folder = next(path for path in Path(__file__).parents if path.name == "tests")
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [getattr(part, "value", "") for part in ast.iter_child_nodes(node)]
                yield "".join(part if isinstance(part, str) else "?" for part in parts)
            elif isinstance(node, ast.Constant) and id(node) not in docstrings:
                yield str(node.value)


def holds(text, parts):
    """Whether the parts stand in a text, one after the other."""
    place = 0
    for part in parts:
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return True


def test_every_message_is_tested_whole():
    """Here, or beside the function that it belongs to; as it stands or as a pattern."""
    texts = {text for text in texts_of_all_tests() if " " in text}
    texts |= {re.sub(r"\\(.)", r"\1", text) for text in texts}
    known = dict(templates())
    assert len(known) > 250, "they are found in the source"
    longest = {parts: max(parts, key=len) for parts in known}
    untested = [
        f"{place} {'…'.join(parts)}"
        for parts, place in known.items()
        if not any(longest[parts] in text and holds(text, parts) for text in texts)
    ]
    assert untested == []


# --- classes -----------------------------------------------------------------------------------

BUILTINS = {
    OptionError: ValueError,
    UnknownOptionError: TypeError,
    RatingsError: ValueError,
    RatingTypeError: TypeError,
    CategoryError: ValueError,
    WeightsError: ValueError,
    DuplicateRatingError: ValueError,
    ColumnNotFoundError: KeyError,
    TooLargeError: MemoryError,
    ExportError: ValueError,
    MissingDependencyError: ImportError,
}


def test_every_error_is_also_the_builtin_that_a_caller_would_catch():
    for error, builtin in BUILTINS.items():
        assert issubclass(error, KappaError), error
        assert issubclass(error, builtin), error
        assert getattr(pdkappa, error.__name__) is error
        assert error.__name__ in pdkappa.__all__
        assert str(error("Something is wrong with 'x'.")) == "Something is wrong with 'x'."


def test_there_is_no_other_class():
    classes = [one for _, one in inspect.getmembers(errors, inspect.isclass)]
    known = {one for one in classes if one.__module__ == errors.__name__}
    warned = {
        KappaWarning,
        UndefinedKappaWarning,
        LookalikeLabelsWarning,
        CrudeKappaWarning,
        FewClustersWarning,
        ColumnsLeftOutWarning,
        LeftOutWarning,
        MissingGlyphWarning,
        NotConvergedWarning,
        UndeclaredCategoriesWarning,
    }
    assert known == {KappaError, *BUILTINS, *warned}
    assert all(issubclass(one, UserWarning) for one in warned)
    assert not issubclass(KappaError, ValueError | AttributeError)


def test_an_absent_column_is_shown_without_quotes_around_the_message():
    with pytest.raises(KeyError) as caught:
        pdkappa.pairs(NUMBERS, ["a", "z"])
    assert str(caught.value).startswith("No rater column 'z'.")


def test_an_absent_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError) as caught:
        pdkappa.pairs(NUMBERS, ["a", "b"], ci="bca", progress=True)
    assert type(caught.value) is MissingDependencyError
    message = (
        "progress=True needs tqdm, which is not installed. Run: pip install 'pdkappa[progress]'"
    )
    assert str(caught.value) == message


def test_the_cause_is_kept():
    with pytest.raises(RatingTypeError) as caught:
        pdkappa.pairs(two([{1: 2}, {2: 3}], [1, 2]))
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(WeightsError) as caught:
        pdkappa.pairs(NUMBERS, ["a", "b"], sample_weight=[[1], [1, 2]])
    assert isinstance(caught.value.__cause__, ValueError)


# --- warnings ----------------------------------------------------------------------------------


def test_the_warning_about_undefined_coefficients():
    data = NUMBERS[["a", "b"]].assign(c=[3] * 4, d=[3] * 4, e=[nan] * 4)
    with pytest.warns(UndefinedKappaWarning) as caught:
        pdkappa.pairs(data)
    assert [str(one.message) for one in caught] == [
        (
            "5 of 10 coefficient(s) are undefined (NaN): 'a' with 'e' (no_joint_items), "
            "'b' with 'e' (no_joint_items), 'c' with 'd' (constant_ratings), "
            "'c' with 'e' (no_joint_items), 'd' with 'e' (no_joint_items). "
            "The column 'reason' says why."
        )
    ]
    assert caught[0].filename == __file__


def test_at_most_five_are_named():
    with pytest.warns(UndefinedKappaWarning) as caught:
        pdkappa.pairwise(pd.DataFrame({name: [3, 3] for name in "abcde"}))
    (warning,) = caught
    assert str(warning.message).startswith("10 of 10 coefficient(s) are undefined (NaN): 'a' with")
    assert "'b' with 'c' (constant_ratings) and 5 more." in str(warning.message)


def test_groups_are_named():
    data = two([1, 1, 2, 3], [1, 1, 3, 2]).assign(group=list("xxyy"), more=[7, 7, 8, 8])
    with pytest.warns(UndefinedKappaWarning) as caught:
        pdkappa.pairs(data, ["a", "b"], by=["group", "more"])
    assert (
        "1 of 2 coefficient(s) are undefined (NaN): 'a' with 'b' at group=x, more=7 (cons"
        in str(caught[0].message)
    )


# --- helpers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], ""),
        ([1], "1"),
        (["x", 2.5, None], "'x', 2.5, None"),
        (range(5), "0, 1, 2, 3, 4"),
        (range(6), "0, 1, 2, 3, 4 and 1 more"),
        ((x for x in range(100)), "0, 1, 2, 3, 4 and 95 more"),
    ],
)
def test_listing(values, text):
    assert errors.listing(values) == text


def test_a_long_value_is_cut_and_stands_in_one_line():
    assert errors.shown("word " * 100) == f"'{'word ' * 15}w..."
    assert errors.shown(np.eye(3)) == "array([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]])"
    assert errors.shown("a  b\n") == r"'a  b\n'"
    essays = pd.DataFrame({"a": ["word " * 500] * 2, "b": ["other " * 500] * 2})
    with pytest.raises(CategoryError) as caught:
        pdkappa.pairs(essays, weights="linear", categories=["x"])
    assert len(str(caught.value)) < 300
