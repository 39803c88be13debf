"""Values and rows of several chunks -> the numbers of the distinct ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.rating_rows import LARGEST_KEY
from pdkappa.ratings.columns import code_without_hashing, factorize, is_plain, plain_values
from pdkappa.ratings.sets import with_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import IntArray


def code_values(values: pd.Series) -> IntArray:
    """Give each distinct value of a column a number from 0 up, shape (N,); -1 is missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy()
    coded = code_without_hashing(plain_values(values))
    if coded is not None:
        return coded[0]
    values = with_sets(values, f"Column {values.name!r}")
    codes = factorize(values, f"Column {values.name!r}")[0]
    if not is_plain(values) or values.dtype != object:
        return codes
    if pd.api.types.infer_dtype(values, skipna=True).startswith("mixed"):
        # True is the same label as 1; that both occur is told by who codes the ratings.
        is_bool = np.array([isinstance(value, bool | np.bool_) for value in values])
        return np.where(codes < 0, codes, 2 * codes + is_bool)
    return codes


def number_rows(codes: Sequence[IntArray], n_rows: int) -> tuple[IntArray, IntArray]:
    """Give each distinct row of some columns of codes a number, in order of first appearance.

    Return where each of the U distinct rows stands first, shape (U,), and the number of each row,
    shape (N,). Codes are at least -1.
    """
    key, n_keys = np.zeros(n_rows, dtype=np.int64), 1
    for column in codes:
        levels = int(column.max(initial=0)) + 2
        if n_keys * levels > LARGEST_KEY:
            key, known = pd.factorize(key)
            n_keys = len(known)
        key = key * levels
        key += column
        key += 1
        n_keys *= levels
    if n_keys <= n_rows:
        return _number_keys(key, n_keys)
    place, known = pd.factorize(key)
    first = np.empty(len(known), dtype=np.int64)
    first[place[::-1]] = np.arange(n_rows)[::-1]
    return first, place


def _number_keys(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Do the same with few keys, which need no hashing."""
    first_of = np.full(n_keys, len(key), dtype=np.int64)
    first_of[key[::-1]] = np.arange(len(key))[::-1]
    order = np.argsort(first_of)[: np.count_nonzero(first_of < len(key))]
    number = np.empty(n_keys, dtype=np.int64)
    number[order] = np.arange(len(order))
    return first_of[order], number[key]
