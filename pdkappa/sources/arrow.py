"""Tables of pyarrow -> frames that lose no digit of an integer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.ratings.columns import EXACT_IN_FLOAT, is_plain

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import pyarrow as pa

    from pdkappa._typing import FloatArray, Label

MASKED = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Turn a table into a frame; integers beside missing values are masked arrays."""
    import pyarrow as pa

    masked = {getattr(pa, name.lower())(): pd.api.types.pandas_dtype(name) for name in MASKED}
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # whose codes may be unsigned
            plain = pa.dictionary(pa.int32(), field.type.value_type, ordered=field.type.ordered)
            table = table.set_column(place, field.name, table.column(place).cast(plain))
    frame: pd.DataFrame = table.to_pandas(types_mapper=masked.get).reset_index(drop=True)
    wanted = table.slice(0, 0).to_pandas().dtypes
    changed: dict[str, Any] = {
        name: frame[name].to_numpy(dtype)
        for name, dtype in wanted.items()
        if isinstance(dtype, np.dtype) and dtype.kind in "iu" and not frame[name].hasnans
    }
    return frame.assign(**changed)


def as_floats(frame: pd.DataFrame, kept: AbstractSet[Label]) -> pd.DataFrame:
    """Turn integers beside missing values into floats, as pandas does, unless digits are lost.

    They are masked arrays in the frame; `kept` columns are so in the file already.
    """
    changed: dict[str, FloatArray] = {}
    for name, column in frame.items():
        if name in kept or is_plain(column) or column.dtype.kind not in "iuf":
            continue
        largest = column.abs().max()
        if column.dtype.kind == "f" or largest is pd.NA or largest <= EXACT_IN_FLOAT:
            changed[str(name)] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return frame.assign(**changed)
