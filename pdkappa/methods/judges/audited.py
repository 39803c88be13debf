"""Ratings of judges and people -> the frames of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.methods.comparisons.differences import with_no_weight
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.judges.asked_again import Answers, p_of_position, positions_of, repeats_of
from pdkappa.methods.judges.audit_result import Audit
from pdkappa.methods.judges.classes import classes_of
from pdkappa.methods.judges.kappas import (
    HUMANS,
    beside_humans,
    drift_of,
    mean_of_humans,
    mean_with_humans,
    of_raters,
    together,
)
from pdkappa.methods.judges.verdicts import findings_of, verdict_of
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from pdkappa._typing import Label
    from pdkappa.methods.comparisons.ceiling import Compared
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.judges.alt_result import AltTest
    from pdkappa.methods.judges.alt_test import Asked

OF_CEILING = {
    "difference": "difference",
    "difference_low": "ci_low",
    "difference_high": "ci_high",
    "p_non_inferior": "p_non_inferior",
    "non_inferior": "non_inferior",
}
OF_TEST = ("winning_rate", "advantage_probability", "n_annotators", "replaces")


@dataclass(frozen=True)
class Audited:
    """Judges and humans, and what is asked of them; the batches are the groups of the study."""

    study: Study
    judges: list[Label]
    humans: list[Label]
    answers: Answers
    asked: Asked
    coefficient: str
    margin: float
    level: float

    def result(self, told: dict[str, Any], call: str) -> Audit:
        """Compute everything; `told` are the options of the call."""
        frames = {
            "kappas": self._kappas(),
            "categories": classes_of(self.whole, self.judges, self.humans, self.level),
            "annotators": self.test.annotators,
            "repeats": self.repeats,
            "positions": self.positions,
            "drift": self.drift[0],
        }
        frame = self._frame(frames["kappas"])
        warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"])
        raters = [*self.judges, *self.humans]
        made = {name: result(one, raters) for name, one in {"frame": frame, **frames}.items()}
        return Audit(**made, options=told, call=call)

    @cached_property
    def whole(self) -> Study:
        """The ratings without their batches."""
        return together(self.study)

    @cached_property
    def compared(self) -> list[Compared]:
        """The kappas of all pairs of each judge and the humans."""
        return [self._beside(self.whole, judge) for judge in self.judges]

    @cached_property
    def test(self) -> AltTest:
        """The alternative annotator test."""
        some = of_raters(self.whole, [*self.humans, *self.judges])
        return self.asked.of(some, len(self.humans))

    @cached_property
    def repeats(self) -> pd.DataFrame:
        """How often judges that were asked again said something else."""
        return repeats_of(self.whole, self.answers.again, self.coefficient, self.level)

    @cached_property
    def positions(self) -> pd.DataFrame:
        """Shares of the categories in both orders."""
        return positions_of(self.whole, self.answers.swapped, self.level)

    @cached_property
    def drift(self) -> tuple[pd.DataFrame, list[float]]:
        """Agreement over batches, and the p-value of each judge; without batches nothing."""
        if self.study.groups.labels is None:
            return pd.DataFrame(columns=list(schema.AUDIT_DRIFT)), [np.nan] * len(self.judges)
        found = [drift_of(self._beside(self.study, judge), self.level) for judge in self.judges]
        return pd.concat([frame for frame, _ in found]), [p_value for _, p_value in found]

    def _beside(self, study: Study, judge: Label) -> Compared:
        """Estimate the kappas of all pairs of a judge and the humans."""
        return beside_humans(study, judge, self.humans, self.coefficient)

    def _kappas(self) -> pd.DataFrame:
        """Return the mean coefficients of the humans with each other, and of each judge."""
        means = [mean_of_humans(self.whole, self.humans, self.coefficient, self.level)]
        means += [mean_with_humans(one, self.level) for one in self.compared]
        parts = [pd.DataFrame(mean.columns) for mean in means]
        return pd.concat(parts).set_axis(index_of([HUMANS, *self.judges], "rater"))

    def _frame(self, means: pd.DataFrame) -> pd.DataFrame:
        """Return one row for each judge, with its verdict."""
        parts = [pd.DataFrame(one.columns(self.margin, self.level)) for one in self.compared]
        ceiling = pd.concat(parts, ignore_index=True)
        frame = means.iloc[1:].rename_axis("judge").drop(columns=["n_items", "reason"])
        frame.insert(0, "n_items", ceiling["n_items"].to_numpy())
        frame["estimate_humans"] = ceiling["estimate_humans"].to_numpy()
        for name, theirs in OF_CEILING.items():
            frame[name] = ceiling[theirs].array
        frame["margin"] = float(self.margin)
        for name in OF_TEST:
            frame[name] = self.test.judges[name].array
        flips = self.repeats["flip_rate"].groupby(level="judge").mean()
        frame["flip_rate"] = [float(flips.get(judge, np.nan)) for judge in self.judges]
        frame["p_position"] = [p_of_position(self.positions, judge) for judge in self.judges]
        frame["p_drift"] = self.drift[1]
        no_weight = self.whole.groups.no_weight
        frame["reason"] = with_no_weight(no_weight, ceiling["reason"].to_numpy())
        remarks = zip(ceiling["remark"], self.test.judges["remark"], strict=True)
        frame["remark"] = ["; ".join(filter(None, both)) for both in remarks]
        records = frame.to_dict("records")
        said = [verdict_of(findings_of(row, self.level)) for row in records]
        frame["verdict"], frame["not_said"] = ([one[place] for one in said] for place in (0, 1))
        return frame[list(schema.AUDIT)]
