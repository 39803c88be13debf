"""Options -> what they are in words, for readers who do not write Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any, cast

import numpy as np
import pandas as pd

MOST_IN_A_LIST = 40
NONE = {
    "by": "no groups",
    "weights": "unweighted: every disagreement counts the same",
    "categories": "those of the ratings",
    "sample_weight": "every item counts once",
    "cluster": "none: items are independent",
    "group_weights": "all groups count the same",
    "rng": "not set: different resamples each time",
    "clip": "no cap",
    "id": "the row",
}


def in_words(name: str, value: Any) -> str:
    """Say what an option is set to.

    >>> in_words("categories", None), in_words("raters", ["ann", 2]), in_words("live", True)
    ('those of the ratings', 'ann, 2', 'yes')
    >>> in_words("group_weights", {"a": 1, "b": 0.5}), in_words("weights", np.eye(3))
    ('a: 1, b: 0.5', 'an array of 3 x 3')
    """
    if value is None:
        return NONE.get(name, "none")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series):
        kind = "an array" if isinstance(value, np.ndarray) else "a frame"
        return f"{kind} of {' x '.join(map(str, value.shape))}"
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    return "a generator of NumPy" if isinstance(value, np.random.Generator) else _listed(value)


def _listed(value: Any) -> str:
    """List some values; a label, be it a tuple, is one."""
    if not isinstance(value, Sized) or isinstance(value, str | tuple):
        return str(value)
    if len(value) > MOST_IN_A_LIST:
        return f"{len(value):,} values"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items())
    return ", ".join(map(str, cast("Iterable[Any]", value))) or "none"
