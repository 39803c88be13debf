"""Labels of raters, groups and categories as an index, whatever text they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdkappa._typing import Label


def index_of(labels: Sequence[Label], name: Hashable = None) -> pd.Index:
    r"""Make an index of labels, in which a tuple is one label.

    Half of a surrogate pair is no text to Arrow, in which pandas keeps text: such labels stay
    Python objects.

    >>> index_of(["ann", "half \ud83d"]).dtype
    dtype('O')
    """
    try:
        return pd.Index(labels, tupleize_cols=False, name=name)
    except UnicodeEncodeError:
        return pd.Index(labels, dtype=object, tupleize_cols=False, name=name)


def as_objects(key: pd.Series) -> pd.Series:
    """Make a Categorical of text that pandas cannot group by, in the order of the text."""
    codes, labels = pd.factorize(key.to_numpy(dtype=object), sort=True)
    ordered = pd.Index(labels, dtype=object)
    return pd.Series(pd.Categorical.from_codes(codes, ordered), name=key.name)


def without_categories(index: pd.Index) -> pd.Index:
    """Undo it in the labels of groups."""
    if isinstance(index, pd.MultiIndex):
        levels: list[Any] = [level.astype(object) for level in index.levels]
        return index.set_levels(levels)
    return index.astype(object)
