"""Array aliases used in signatures; shapes are given in the docstrings."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ObjectArray: TypeAlias = npt.NDArray[np.object_]

Label: TypeAlias = Hashable
PathLike: TypeAlias = str | os.PathLike[str]
Count: TypeAlias = Callable[[pd.DataFrame], Any]  # of a part of the rows
Add: TypeAlias = Callable[[Sequence[Any]], Any]  # of such counts
Fields: TypeAlias = str | Iterable[str] | Mapping[str, str]  # of records
Raters: TypeAlias = Sequence[Label] | pd.Index
By: TypeAlias = Label | list[Any]
WeightName: TypeAlias = Literal[
    "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar", "jaccard", "masi"
]
OfAlphaAlone: TypeAlias = Literal["krippendorff_ordinal"]  # of `agreement`
Weights: TypeAlias = (
    str | npt.ArrayLike | pd.DataFrame | Callable[[FloatArray], Any] | Callable[[Any, Any], Any]
)
Categories: TypeAlias = Sequence[Any] | Mapping[Any, float]
ItemWeights: TypeAlias = Label | npt.ArrayLike
GroupWeights: TypeAlias = Label | Mapping[Any, float] | pd.Series
CountArray: TypeAlias = npt.NDArray[Any]  # whole numbers, or floats where items have weights

# What callers may pass: no text where it would be taken for a list of letters.
GivenRaters: TypeAlias = list[Any] | tuple[Label, ...] | pd.Index
GivenCategories: TypeAlias = list[Any] | tuple[Any, ...] | range | Mapping[Any, float]
GivenWeights: TypeAlias = (
    WeightName
    | npt.NDArray[Any]
    | Sequence[Sequence[float]]
    | pd.DataFrame
    | Callable[[FloatArray], Any]
    | Callable[[Any, Any], Any]
)

Coefficient: TypeAlias = Literal[
    "cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"
]
OfAll: TypeAlias = Literal[
    "light", "percent", "brennan_prediger", "fleiss", "conger", "gwet", "krippendorff"
]
OfPairOrAll: TypeAlias = Literal[Coefficient, OfAll]
Additive: TypeAlias = Literal["light", "fleiss", "conger", "krippendorff"]
Benchmark: TypeAlias = Literal[
    "landis_koch", "krippendorff", "altman", "fleiss", "cicchetti", "gwet"
]
Split: TypeAlias = Literal["category", "cut"]
Normalize: TypeAlias = Literal["all", "index", "columns"]
Graded: TypeAlias = Literal["pass", "score"]  # of an output
Shares: TypeAlias = Literal["items", "ratings"]
Number: TypeAlias = Literal[
    "n_items",
    "observed_agreement",
    "expected_agreement",
    "estimate",
    "se",
    "ci_low",
    "ci_high",
    "z",
    "p_value",
    "max_estimate",
    "effective_disagreements",
]
Detail: TypeAlias = Literal["brief", "full"]
ReportPart: TypeAlias = Literal[
    "drilldown", "counts", "confusion", "matrices", "crosscheck", "notes"
]
Stat: TypeAlias = Literal[Number, "reason"]
Shown: TypeAlias = Literal["counts", "residuals"]
Missing: TypeAlias = Literal["pairwise", "listwise", "raise"]
Vary: TypeAlias = Literal["items", "raters", "both"]
Interval: TypeAlias = Literal["auto", "score", "fisher", "wald", "percentile", "bca", "jackknife"]
OfIcc: TypeAlias = Literal["auto", "f", "percentile", "bca"]
Plain: TypeAlias = Literal["auto", "wald"]
ByFormula: TypeAlias = Literal["auto", "score", "fisher", "wald"]
Adjustment: TypeAlias = Literal[
    "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by"
]
Population: TypeAlias = float | Mapping[Any, float] | pd.Series
WeightType: TypeAlias = Literal["frequency", "probability"]
Tau2Method: TypeAlias = Literal["paule_mandel", "dersimonian_laird"]
Seed: TypeAlias = int | np.random.Generator | None
Progress: TypeAlias = bool | Callable[[int, int], object]
