"""How far apart two sets of labels are: distances of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray


def jaccard(both: IntArray, size: IntArray) -> FloatArray:
    """One minus the share of the labels of either set that both have (Jaccard, 1912)."""
    return 1 - _shares(both, size)


def masi(both: IntArray, size: IntArray) -> FloatArray:
    """Measuring agreement on set-valued items, one minus J times M (Passonneau, 2006).

    J is Jaccard's share, and M is 1 for equal sets, 2/3 where one holds the other, 1/3 where
    they overlap and 0 where they do not.
    """
    smaller = np.minimum(size[:, None], size)
    equal = (both == size[:, None]) & (both == size)
    monotone = np.select([equal, both == smaller, both > 0], [1, 2 / 3, 1 / 3], 0.0)
    return 1 - _shares(both, size) * monotone


def _shares(both: IntArray, size: IntArray) -> FloatArray:
    """Share of the labels of either set that both have, 1 for two empty sets."""
    either = size[:, None] + size - both
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def distances(name: str, sets: list[frozenset[object]]) -> FloatArray:
    """Return the distances of K sets, shape (K, K).

    >>> distances("masi", [frozenset("ab"), frozenset("a"), frozenset("bc")]).round(3)
    array([[0.   , 0.667, 0.889],
           [0.667, 0.   , 1.   ],
           [0.889, 1.   , 0.   ]])
    """
    from scipy.sparse import csr_array

    place = {
        label: number for number, label in enumerate(dict.fromkeys(x for s in sets for x in s))
    }
    size = np.array([len(one) for one in sets], dtype=np.int64)
    member = np.array([place[label] for one in sets for label in one], dtype=np.int64)
    pointers = np.append(0, np.cumsum(size))
    shape = (len(sets), max(len(place), 1))
    holds = csr_array((np.ones(len(member), dtype=np.int64), member, pointers), shape=shape)
    return SETS[name]((holds @ holds.T).toarray(), size)


# Each takes how many labels every two sets have in common, (K, K), and how many each has, (K,).
SETS: dict[str, Callable[[IntArray, IntArray], FloatArray]] = {"jaccard": jaccard, "masi": masi}
