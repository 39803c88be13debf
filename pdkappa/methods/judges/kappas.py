"""How far judges agree with people, and people with each other: kappas and their differences."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import fisher_of_many
from pdkappa.methods.comparisons.ceiling import Compared, shares, telling
from pdkappa.methods.comparisons.differences import contrast, kappas_of
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.methods.judges.core.rates import all_equal
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, Label, ObjectArray
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.estimates.study import Study

HUMANS = "humans with each other"


class Mean(NamedTuple):
    """A mean of coefficients in G groups with its limits, each of shape (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    df: FloatArray
    reason: ObjectArray

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of a frame."""
        return {
            "n_items": whole(self.n_items),
            "estimate": self.estimate,
            "se": self.se,
            "ci_low": self.low,
            "ci_high": self.high,
            "reason": self.reason,
        }


def of_raters(study: Study, names: Sequence[Label]) -> Study:
    """Ask the ratings of some of the raters on the scale of all."""
    coded = study.coded
    codes = coded.codes[[coded.raters.index(name) for name in names]]
    some = replace(coded, raters=list(names), codes=codes, groups=coded.groups.rated_by(codes))
    return replace(study, coded=some)


def together(study: Study) -> Study:
    """Ask the same ratings as if they were not grouped."""
    coded = replace(study.coded, groups=study.coded.groups.together())
    return replace(study, coded=coded, reading=replace(study.reading, by=None))


def beside_humans(
    study: Study, judge: Label, humans: Sequence[Label], coefficient: str
) -> Compared:
    """Estimate all pairs of a judge and the humans."""
    return Compared.of(of_raters(study, [judge, *humans]), coefficient)


def mean_with_humans(found: Compared, level: float) -> Mean:
    """Average the coefficients of a judge with each human."""
    is_own = ~found.of_humans
    return _mean(found.kappas, shares(telling(found.kappas, is_own), is_own), level)


def mean_of_humans(study: Study, humans: Sequence[Label], coefficient: str, level: float) -> Mean:
    """Average the coefficients of all pairs of humans."""
    kappas = kappas_of(of_raters(study, humans), list(combinations(humans, 2)), coefficient)
    every = np.ones(len(kappas.estimate), dtype=bool)
    return _mean(kappas, shares(telling(kappas, every), every), level)


def _mean(kappas: PairKappas, weights: FloatArray, level: float) -> Mean:
    """Average coefficients, with limits on Fisher's z scale."""
    one = contrast(kappas, weights)
    worst = np.where(weights > 0, weights * kappas.worst, 0.0).sum(axis=0)
    low, high = fisher_of_many(one.estimate, one.se, kappas.units, worst).limits(level)
    rated = ((weights > 0) & (kappas.n_items > 0)).any(axis=0)
    n_items = np.where(rated, kappas.rows.n_items, 0.0)
    reason = np.where(one.reason == "no_variance", "", one.reason).astype(object)
    return Mean(n_items, one.estimate, one.se, low, high, one.df, reason)


def drift_of(found: Compared, level: float) -> tuple[pd.DataFrame, float]:
    """Follow a judge's agreement with the humans, and theirs, over batches; test that it stays."""
    mean, study = mean_with_humans(found, level), found.study
    columns, why = mean.columns, study.groups.why_empty()
    reason = np.where(why != "", why, columns.pop("reason"))
    of_humans = shares(telling(found.kappas, found.of_humans), found.of_humans)
    columns["estimate_humans"] = contrast(found.kappas, of_humans).estimate
    columns["reason"] = reason
    names = index_of([study.raters[0]], "judge").repeat(study.n_groups)
    batches: Any = study.groups.labels
    levels = [batches.get_level_values(place) for place in range(batches.nlevels)]
    index = pd.MultiIndex.from_arrays([names, *levels])
    return pd.DataFrame(columns, index=index), all_equal(mean.estimate, mean.se, mean.df)
