"""Which factors are crossed and nested, which effects there are, and how often levels meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray

RESIDUAL = "residual"
Factors = frozenset[str]


class Effect(NamedTuple):
    """An effect: its name, the factors that make its levels, and the level of each row, (N,)."""

    name: str
    factors: Factors
    level: IntArray


def closures(parents: dict[str, list[str]]) -> dict[str, Factors]:
    """Find what each factor is nested in, directly or not, and itself; none if in a circle."""
    found: dict[str, Factors] = {}
    while len(found) < len(parents):
        ready = [name for name in parents if name not in found and found.keys() >= {*parents[name]}]
        if not ready:
            return {}
        for name in ready:
            found[name] = frozenset({name}.union(*(found[one] for one in parents[name])))
    return {name: found[name] for name in parents}


def nested_in(levels: dict[str, IntArray], name: str) -> list[str]:
    """Find the factors in which one is nested: each of its levels has one of theirs, of fewer."""
    own = levels[name]
    n = own.max() + 1
    found = []
    for other, codes in levels.items():
        least, most = np.full(n, codes.max()), np.zeros(n, dtype=np.int64)
        np.minimum.at(least, own, codes)
        np.maximum.at(most, own, codes)
        if codes.max() + 1 < n and (least == most).all():
            found.append(other)
    return found


def effects_of(levels: dict[str, IntArray], closure: dict[str, Factors]) -> list[Effect]:
    """List all effects, the last of which is the residual: the distinct unions of closures."""
    order = [*levels]
    sets = {
        frozenset().union(*(closure[name] for name in some))
        for size in range(1, len(order) + 1)
        for some in combinations(order, size)
    }

    def places(one: Factors) -> tuple[int, list[int]]:
        return len(one), sorted(map(order.index, one))

    effects = []
    for one in sorted(sets, key=places):
        key = np.zeros(len(next(iter(levels.values()))), dtype=np.int64)
        for name_of_factor in one:
            codes = levels[name_of_factor]
            _, key = np.unique(key * (codes.max() + 1) + codes, return_inverse=True)
        effects.append(Effect(name_of_effect(one, closure), one, key))
    last = effects[-1]
    if last.level.max() + 1 == len(last.level):
        return [*effects[:-1], last._replace(name=RESIDUAL)]
    return [*effects, Effect(RESIDUAL, last.factors | {RESIDUAL}, np.arange(len(last.level)))]


def name_of_effect(factors: Factors, closure: dict[str, Factors]) -> str:
    """Name an effect by its own factors, each followed by what it is nested in, innermost first."""

    def nested(name: str) -> str:
        outer = sorted(closure[name] - {name}, key=lambda one: (-len(closure[one]), one))
        return ":".join([name, *outer])

    inner = {outer for name in factors for outer in closure[name] - {name}}
    return " x ".join(nested(name) for name in closure if name in factors - inner)


@dataclass(frozen=True)
class Design:
    """N scores, and the effects that may make them differ.

    Attributes
    ----------
    item : str
        The name of the effect of the items.
    effects : list of Effect
        The residual is the last.
    scores : ndarray of float, shape (N,)
        Less their mean.
    closure : dict
        What each factor is nested in, and itself.
    fixed : frozenset of str
        The factors whose levels are all that there are.
    title : str
        The design in words.
    whole : Design or None
        What it was before effects were left out: their levels still meet.
    """

    item: str
    effects: list[Effect]
    scores: FloatArray
    closure: dict[str, Factors]
    fixed: Factors
    title: str
    whole: Design | None = None

    @cached_property
    def names(self) -> list[str]:
        """The names of the E effects."""
        return [one.name for one in self.effects]

    @property
    def facets(self) -> list[str]:
        """The factors that are no items, in the order given."""
        return [name for name in self.closure if name != self.item]

    @cached_property
    def counts(self) -> list[FloatArray]:
        """How often each level of each effect occurs."""
        return [np.bincount(one.level).astype(np.float64) for one in self.effects]

    @cached_property
    def n_levels(self) -> FloatArray:
        """Number of levels of each effect, (E,)."""
        return np.array([len(one) for one in self.counts], dtype=np.float64)

    @cached_property
    def within(self) -> FloatArray:
        """Whether an effect (column) is one of the parts of another (row), or the same, (E, E)."""
        return np.array([[b.factors <= a.factors for b in self.effects] for a in self.effects])

    @cached_property
    def df(self) -> FloatArray:
        """Degrees of freedom, by counting levels, (E,)."""
        df = self.n_levels - 1
        for place, row in enumerate(self.within):
            df[place] -= df[:place][row[:place]].sum()
        return df

    @cached_property
    def meets(self) -> list[list[int]]:
        """The effect whose levels are the joint ones of two others, (E, E)."""
        place = {one.factors: number for number, one in enumerate(self.effects)}
        last = len(self.effects) - 1
        return [
            [place.get(a.factors | b.factors, last) for b in self.effects] for a in self.effects
        ]

    @cached_property
    def first(self) -> list[IntArray]:
        """A row of each level of each effect."""
        return [np.unique(one.level, return_index=True)[1] for one in self.effects]

    @cached_property
    def is_balanced(self) -> bool:
        """Whether all levels occur equally often, and meet all that they are crossed with."""
        if self.whole is not None:
            return self.whole.is_balanced
        size = {one.factors: n for one, n in zip(self.effects, self.n_levels, strict=True)}
        size[frozenset()] = 1.0
        even = all((one == one[0]).all() for one in self.counts)
        crossed = all(
            size.get(a | b, np.nan) * size.get(a & b, np.nan) == size[a] * size[b]
            for a, b in combinations([one.factors for one in self.effects], 2)
        )
        return even and crossed

    @cached_property
    def item_place(self) -> int:
        """Which effect is that of the items."""
        own = self.closure[self.item]
        return next(place for place, one in enumerate(self.effects) if one.factors == own)

    @cached_property
    def of_items(self) -> list[bool]:
        """Whether an effect is that of the items, or contains it, (E,)."""
        own = self.closure[self.item]
        return [own <= one.factors for one in self.effects]

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each effect in the mean of an item, mean of sum (n_ib / n_i)**2, (E,)."""
        if self.whole is not None:
            return self.whole.shares[self.kept]
        item = self.item_place
        n_items, own = self.n_levels[item], self.effects[item].level
        found = []
        for place in self.meets[item]:
            of_item = self.counts[item][own[self.first[place]]]
            found.append(((self.counts[place] / of_item) ** 2).sum() / n_items)
        return np.array(found)

    def without(self, name: str) -> Design:
        """Return the same without an effect, which becomes part of the residual."""
        return replace(self, effects=[one for one in self.effects if one.name != name], whole=self)

    @property
    def kept(self) -> list[int]:
        """Which effects of the whole design are left."""
        whole = self if self.whole is None else self.whole
        return [whole.names.index(name) for name in self.names]
