"""What a report is about: ratings that were read once, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pdkappa.estimation.estimate import estimate, read_pairs
from pdkappa.estimation.intervals import IntervalOptions
from pdkappa.ratings.coded import Counted
from pdkappa.workbook.sheets import method_of

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import GroupWeights, Label, Raters
    from pdkappa.estimation.estimates import Estimates
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.reading import Reading

PAIR = 2


@dataclass(frozen=True)
class Analysis:
    """A study with the coefficient, the limits and the weights of groups that are asked for."""

    study: Study
    estimates: Estimates
    coefficient: str
    interval: IntervalOptions
    group_weights: GroupWeights | None
    named: Raters | None  # the raters as the user passed them

    @property
    def raters(self) -> list[Label]:
        """Names of the raters."""
        return self.study.raters

    @property
    def several(self) -> bool:
        """Whether there are more than two raters."""
        return len(self.raters) > PAIR

    @property
    def by_group(self) -> bool:
        """Whether items are grouped."""
        return self.study.groups.labels is not None

    @property
    def method(self) -> str:
        """The coefficient and its weights, in words."""
        return method_of(self.coefficient, self.study.reading.weights)

    @property
    def fisher(self) -> IntervalOptions:
        """The same without resampling."""
        one = self.interval
        return IntervalOptions("fisher", one.level, one.n_resamples, one.rng)

    def options(self) -> dict[str, object]:
        """Return the options of the call, as the notes and the headline tell them."""
        reading, interval = self.study.reading, self.interval
        told = {field.name: getattr(reading, field.name) for field in fields(reading)}
        del told["cluster"]
        if isinstance(self.study.data, Counted):
            told["sample_weight"] = self.study.data.weight
        found = {
            "raters": self.raters,
            **told,
            "coefficient": self.coefficient,
            "cluster": reading.cluster,
            "ci": interval.ci,
            "confidence_level": interval.level,
            "n_resamples": interval.n_resamples,
            "rng": interval.rng,
        }
        return found | ({"group_weights": self.group_weights} if self.by_group else {})


def analyse(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    reading: Reading,
    coefficient: str,
    interval: IntervalOptions,
    *,
    group_weights: GroupWeights | None,
) -> Analysis:
    """Read the ratings, estimate all pairs, and warn of what is undefined."""
    study = read_pairs(data, raters, reading, coefficient, interval)
    estimates = estimate(study, coefficient, interval)
    estimates.warn_if_undefined()
    return Analysis(study, estimates, coefficient, interval, group_weights, raters)
