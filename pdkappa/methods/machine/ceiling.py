"""How well machines can agree with people, and whether one does: `ceiling`, `qwk_ceiling`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import MOST_SHOWN, OptionError, plural, shown
from pdkappa.methods.comparisons.compare import (
    OfPairsOfRaters,
    contrast,
    in_turn,
    kappas_of,
    measured_by,
    non_inferiority,
    read_compared,
    shares,
    tested,
    with_no_weight,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, asks, option
from pdkappa.methods.estimates.options import check_by, is_number, number_that, with_adjusted
from pdkappa.methods.estimates.pair_frames import remarks_of, warn_if_undefined, whole
from pdkappa.present import schema
from pdkappa.present.labels import one_line
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from pdkappa._typing import BoolArray, FloatArray, Label, ObjectArray
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.comparisons.compare import Contrast
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted


class OfCeiling(has.HumansAndMachines, OfPairsOfRaters, has.Level, has.Margin, has.Adjusted):
    """Options of `ceiling`."""


@asks(OfCeiling, p_adjust="All machines (and groups) with a p-value are one family.")
def ceiling(data: pd.DataFrame | Counted, asked: OfCeiling) -> pd.DataFrame:
    """Compare a machine's agreement with humans to that of the humans with each other.

    Is the machine as good as one more human? The agreement of humans is the ceiling of what can be
    expected of it.

    Returns
    -------
    DataFrame
        One row for each ``machine`` (in each group): ``n_items, difference, se, ci_low, ci_high, z,
        p_value, p_adjusted, estimate_machine, estimate_humans, margin, p_non_inferior,
        non_inferior, n_machine_pairs, n_human_pairs, reason, remark``. The estimates are mean
        coefficients, of the machine with each human, and of all pairs of humans, as many as the
        last two columns say.
        `difference` is machine minus humans, `p_value` two-sided. `p_non_inferior` is
        the one-sided p-value of the hypothesis that the difference is ``-margin`` or less;
        `non_inferior` says whether the interval lies above ``-margin``, so that this p-value
        is below ``(1 - confidence_level) / 2``; <NA> where it is undefined, both without a margin.
        The `reason` explains
        NaN. The `remark` names the pairs that are left out because they carry no information:
        those without joint items, and, if there are others, those whose coefficient is 0/0 or 0
        whatever the other rater does (``constant_ratings, constant_rater``). It also says if a
        category is too rare, as in `compare`.

    See Also
    --------
    compare : Two pairs of raters.
    alt_test : Whether the machine is as close to the other humans as each human is.

    Notes
    -----
    A large p-value does not prove equality. To show that a machine is good enough, state the
    margin beforehand and use `non_inferior`, a one-sided test at the level .025 by default, as
    is usual [1]_. With a hundred items its error rate is about twice that level, since large
    differences come with small standard errors; with thousands of items it keeps the level.

    The standard error is that of a contrast of dependent coefficients, as in `compare`,
    averaged with those of the humans in the machine's place: otherwise a rater who by luck caused
    none of a few disagreements would have a standard error of zero. With m items of disagreement
    the others have the weight 10 against m, so that they hardly count if there are many. At the
    level .05, the error rate of the two-sided test is .03 to .07 in samples of 15 to 75 items with
    a kappa of .6, .10 with quadratic weights and rare categories at 15, and less if only a handful
    of items is disagreed on, as with a kappa of .9.

    References
    ----------
    .. [1] ICH E9 Expert Working Group, 1999

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df.kappa.machine.ceiling(
    ...     ["human_1", "human_2"], "machine", by="essay_set", weights="quadratic", margin=0.1
    ... )
    >>> found[["difference", "se", "p_value", "non_inferior"]].head(3).round(3)
                       difference     se  p_value  non_inferior
    essay_set machine
    1         machine       0.010  0.022    0.652          True
    2         machine      -0.040  0.021    0.051          True
    3         machine      -0.023  0.027    0.391          True
    """
    names = measured_by(asked.humans, "ceiling", machine=asked.machines)
    check_by(asked.by, {*schema.CEILING, "machine"})
    reading, name = asked.reading, asked.coefficient
    studies = (read_compared(data, [one, *names], reading, name) for one in asked.machines)
    found = [Compared.of(one, name) for one in studies]
    groups = found[0].study.groups
    frame = pd.concat([pd.DataFrame(one.columns(asked.margin, asked.level)) for one in found])
    order = np.arange(len(frame)).reshape(len(found), groups.n).T.reshape(-1)
    frame = frame.iloc[order].reset_index(drop=True)
    frame["reason"] = with_no_weight(groups.no_weight, frame["reason"].to_numpy())
    place = np.repeat(np.arange(groups.n), len(found))
    labels = index_of(asked.machines * groups.n, "machine")

    def named(row: int) -> str:
        return shown(labels[row]) + groups.at(place[row], " at ")

    warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"], named)
    frame = with_adjusted(frame, asked.p_adjust)[list(schema.CEILING)]
    return result(frame.set_axis(groups.index(place, [labels])), [*asked.machines, *names])


class Compared(NamedTuple):
    """A machine beside the humans in each group: their pairs, those of it first, and the mean."""

    study: Study
    pairs: list[tuple[Label, Label]]
    kappas: PairKappas
    n_humans: int

    @classmethod
    def of(cls, study: Study, coefficient: str) -> Self:
        """Estimate all pairs of a machine, the first of the raters, and the humans."""
        machine, *names = study.coded.raters
        pairs = [*((machine, human) for human in names), *combinations(names, 2)]
        return cls(study, pairs, kappas_of(study, pairs, coefficient), len(names))

    @property
    def of_humans(self) -> BoolArray:
        """Which of the pairs are of humans alone, shape (C,)."""
        return np.arange(len(self.pairs)) >= self.n_humans

    def columns(self, margin: float | None, level: float) -> dict[str, Any]:
        """Return the columns of the result."""
        kappas, of_humans = self.kappas, self.of_humans
        remarks = remarks_of(self.study.rows, self.study.scale)
        used = telling(kappas, of_humans, ~of_humans)
        difference = in_turn(kappas, used, self.pairs, self.study.coded.raters)
        return {
            "n_items": whole(kappas.rows.n_items),
            **tested(difference, level),
            "estimate_machine": contrast(kappas, shares(used, ~of_humans)).estimate,
            "estimate_humans": contrast(kappas, shares(used, of_humans)).estimate,
            **_non_inferior(difference, margin, level),
            "n_machine_pairs": used[~of_humans].sum(axis=0),
            "n_human_pairs": used[of_humans].sum(axis=0),
            "reason": difference.reason,
            "remark": with_left_out(remarks, kappas, self.pairs, used),
        }


def telling(kappas: PairKappas, *sides: BoolArray) -> BoolArray:
    """Whether a pair says how far its raters agree, shape (C, G).

    One with joint items does, unless a rater used a single category. Where that is true of all
    pairs of a side, such as those of humans, they are kept so that the reason is seen.
    """
    observed = kappas.n_items > 0
    found = observed & (kappas.reason != "constant_ratings") & (kappas.reason != "constant_rater")
    for side in sides:
        found[side] |= observed[side] & ~found[side].any(axis=0)
    return found


def with_left_out(
    remarks: ObjectArray, kappas: PairKappas, pairs: Sequence[tuple[Label, Label]], used: BoolArray
) -> ObjectArray:
    """Name the pairs that were left out in each group, with the reason, after other remarks."""
    found = remarks.copy()
    for group in np.flatnonzero(kappas.rows.n_items):
        lost = np.flatnonzero(~used[:, group])
        if len(lost):
            reasons = kappas.reason[lost, group]
            named = (
                f"{one_line(pairs[place][0])} with {one_line(pairs[place][1])} ({reason})"
                for place, reason in zip(lost[:MOST_SHOWN], reasons, strict=False)
            )
            rest = len(lost) - MOST_SHOWN
            more = f" and {rest} more {plural(rest, 'pair')}" if rest > 0 else ""
            texts = (remarks[group], f"left out: {', '.join(named)}{more}")
            found[group] = "; ".join(filter(None, texts))
    return found


def _non_inferior(difference: Contrast, margin: float | None, level: float) -> dict[str, Any]:
    """Return the columns of the test of non-inferiority; NaN without a margin."""
    given = np.nan if margin is None else float(margin)
    p_value = non_inferiority(difference, given)
    verdict = pd.array(p_value < (1 - level) / 2, dtype="boolean")
    verdict[np.isnan(p_value)] = pd.NA
    return {"margin": given, "p_non_inferior": p_value, "non_inferior": verdict}


def ceilings(reliability: float, n_humans: FloatArray) -> dict[str, FloatArray]:
    r"""Bound qwk of machines with the mean of k humans by test theory, each of shape (k,).

    The theory is the classical one, of scorers with equal means.

    Notes
    -----
    A human score is ``t + e`` with the reliability :math:`r = \text{var}(t) / \text{var}(t + e)`,
    that of the mean of k humans is :math:`r_k = k r / \{1 + (k - 1) r\}` (Spearman, Brown), and
    scorers with equal means and independent errors have :math:`\kappa = 2\,\text{cov} /
    (\text{var}_1 + \text{var}_2)`, so that scorers of the reliabilities r and s have
    :math:`2 / (1/r + 1/s)`. By the inequality of the two means, and as no machine correlates
    higher with the humans than true scores do, it never exceeds :math:`\sqrt{r_k}`.
    """
    of_mean = n_humans * reliability / (1 + (n_humans - 1) * reliability)
    return {
        "reliability": of_mean,
        "true_scores": 2 / (1 + 1 / of_mean),
        "greatest": np.sqrt(of_mean),
        "human": 2 / (1 / reliability + 1 / of_mean),
    }


class OfQwkCeiling(Asked):
    """Options of `qwk_ceiling`."""

    reliability: float = option(
        "Of a single human score: the part of its variance that is not error, in (0, 1]. The "
        "kappa of two humans with equal means and variances is one, as is an intraclass "
        "correlation; see `icc`.",
        "float",
        kw_only=False,
        check=number_that(
            lambda value: 0 < value <= 1,
            "be a number above 0 and up to 1: the part of the variance of human scores that is not "
            "error",
        ),
    )
    n_humans: int | Sequence[int] = option(
        "How many humans' mean the machine is compared with, from 1 upwards.",
        "int or list of int",
        default=(1, 2),
        kw_only=False,
    )


@asks(OfQwkCeiling)
def qwk_ceiling(asked: OfQwkCeiling) -> pd.DataFrame:
    """Compute the largest quadratic weighted kappa of a machine, given the reliability of humans.

    Is .75 far from what is possible? Even a machine that knew the true scores would disagree
    with humans, whose scores have errors.

    Returns
    -------
    DataFrame
        One row for each number of humans, ``n_humans``; all columns are in (0, 1]:

        - ``reliability``: of the mean of so many humans;
        - ``true_scores``: kappa of a machine that gives the true scores;
        - ``greatest``: the greatest kappa of any machine, which gives true scores spread as
          widely as human scores are;
        - ``human``: kappa of one more human.

    See Also
    --------
    attainable : What kappa the shares of the categories allow.
    prmse : How well a machine predicts true scores, which has no ceiling but 1.

    Notes
    -----
    Under classical test theory, with human scores of equal means, variances and reliabilities r,
    errors that are independent, and no rounding, kappa of a machine that gives the true scores is
    ``2 r / (1 + r)`` with one human; that of scorers of the reliabilities r and s is
    ``2 / (1 / r + 1 / s)``, and the greatest is the root of the reliability.

    Examples
    --------
    >>> pdkappa.plan.qwk_ceiling(0.7).round(3)
              reliability  true_scores  greatest  human
    n_humans
    1               0.700        0.824     0.837  0.700
    2               0.824        0.903     0.907  0.757

    A machine whose kappa with one human is .80 is near the end of what can be asked for.
    """
    given: Any = asked.n_humans
    numbers = list(given) if pd.api.types.is_list_like(given) else [given]
    for number in numbers:
        if not is_number(number) or not 1 <= number < np.inf or number != np.round(number):
            raise OptionError(
                f"n_humans={shown(asked.n_humans)} must hold whole numbers from 1 upwards."
            )
    found = ceilings(float(asked.reliability), np.array(numbers, dtype=np.float64))
    return pd.DataFrame(found, index=pd.Index(numbers, name="n_humans"))
