"""Can a machine score? The criteria of an exam board, one row each: `readiness`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.errors import OptionError, did_you_mean, listing, shown
from pdkappa.methods.estimates.options import IntervalOptions, gate, is_number
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.scoring.core.readiness import (
    Bounded,
    correlation,
    degradation,
    mean_difference,
    share,
    verdicts,
)
from pdkappa.methods.scoring.prmse import LIMITS, check_drawn, check_variance, found_of
from pdkappa.methods.scoring.scores import Scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        By,
        Categories,
        FloatArray,
        ItemWeights,
        Label,
        Missing,
        ObjectArray,
        Seed,
        WeightType,
    )
    from pdkappa.ratings.coded import Counted

BOUNDS = {
    "qwk": "at least",
    "correlation": "at least",
    "degradation": "at most",
    "smd": "within",
    "prmse": "at least",
    "exact_agreement": "at least",
    "adjacent_agreement": "at least",
}
THRESHOLDS: dict[str, float | None] = {
    "qwk": 0.7,
    "correlation": 0.7,
    "degradation": 0.1,
    "smd": 0.15,
    "smd_subgroup": 0.1,
    "prmse": 0.8,
    "exact_agreement": None,
    "adjacent_agreement": None,
}


@gate
def readiness(
    data: pd.DataFrame | Counted,
    human: Label,
    machine: Label,
    second_human: Label | None = None,
    *,
    thresholds: Mapping[str, float | None] | None = None,
    error_variance: float | None = None,
    by: By | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
    exclude: float | str | list[float] | list[str] | None = None,
    rounded: bool = True,
    n_resamples: int = 2000,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Compare a machine's scores with the thresholds of an exam board: pass, fail, cannot tell.

    A figure may be on the right side of its threshold by chance. It passes if its whole
    interval is on that side, fails if none of it is, and otherwise there are too few items to tell.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    human, machine : column labels
        The human scores, and the machine's, which may be any numbers.
    second_human : column label, optional
        Scores of a second human, for some or all of the items, which `degradation` and `prmse`
        need.
    thresholds : dict, optional
        Thresholds that replace the defaults; None shows a figure without a verdict. Defaults:
        ``{"qwk": 0.7, "correlation": 0.7, "degradation": 0.1, "smd": 0.15, "smd_subgroup": 0.1,
        "prmse": 0.8, "exact_agreement": None, "adjacent_agreement": None}``.
    error_variance : float, optional
        Variance of the errors of a single human score, for ``prmse`` without a second human.
    by : column label or list of column labels, optional
        A panel for each group, whose mean difference is compared with ``smd_subgroup`` rather
        than ``smd``, as groups of writers are. See `pairs`.
    categories : list or dict, optional
        The scores of the scale. See `evaluation`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items available for each figure, use those that all scored, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student, which limits account for.
    confidence_level : float, default 0.95
        Between 0 and 1.
    exclude : number, word or list of them, optional
        Codes that are not scores, such as 0 for an essay off topic. See `evaluation`.
    rounded : bool, default True
        Whether machine scores are rounded for exact and adjacent agreement. See `evaluation`.
    n_resamples : int, default 2000
        Number of bootstrap samples for the limits of ``prmse``.
    rng : None, int or numpy Generator, default 0
        Where they are drawn from; see `prmse`.

    Returns
    -------
    DataFrame
        One row for each ``criterion`` (in each group):

        - ``qwk``, ``exact_agreement``, ``adjacent_agreement``, ``correlation`` and ``smd`` as
          the row ``evaluation`` of `evaluation` has them;
        - ``degradation``, with a second human: qwk of the two humans minus that of the human and
          the machine, which `evaluation` has with the opposite sign;
        - ``prmse``, with a second human or `error_variance`: see there.

        The columns are ``n_items, value, ci_low, ci_high``, the ``threshold`` and its ``bound``
        ("at least", "at most", or "within" for a mean difference of either sign), the ``verdict``
        ("pass", "fail", "cannot tell"; empty without a threshold), and the ``reason`` for NaN, as
        in `evaluation` and `prmse`; ``no_variance`` where all items say the same of a figure, as
        where the machine always has the human's score, so that it has no limits.

    Raises
    ------
    OptionError
        If `thresholds` names no criterion, or one that the call does not show, or holds what can be
        no threshold of it.
    KappaError
        If an option is not known, or the scores cannot be read. See `evaluation` and `prmse`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some value is NaN.

    See Also
    --------
    evaluation, prmse : The figures, and more of them.
    fairness : Tests whether groups are scored alike.
    pdkappa.qwk_ceiling : What qwk the reliability of humans allows.

    Notes
    -----
    The thresholds are those of Williamson, Xi and Breyer [1]_, and .80 for PRMSE; they are
    conventions. A machine that is just not good enough passes a criterion in .02 to .05
    of samples of 100 items or more at the level .95, and all criteria no more often, so there is no
    adjustment for their number. With few items, a machine that is good enough does not pass either;
    only PRMSE is too hopeful with fewer than 20 items, where it passes in .05 to .15.

    Limits of ``qwk`` are those of `evaluation`; of ``correlation``, those of Fisher's z with an
    error for scores that need not be normal; of ``degradation`` and ``smd``, from influence values
    and t quantiles, the first two by the jackknife; of shares, Wilson's, which take clusters for
    single items. In samples of 20 to 200 items, limits of these three miss the true value in .025
    to .08; for PRMSE see there.

    References
    ----------
    .. [1] Williamson, D. M., Xi, X., & Breyer, F. J. (2012). A framework for evaluation and
           use of automated scoring. Educational Measurement: Issues and Practice, 31(1),
           2-13. https://doi.org/10.1111/j.1745-3992.2011.00223.x

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 5")
    >>> panel = pdkappa.readiness(df, "human_1", "machine", "human_2")
    >>> panel[["value", "ci_low", "ci_high", "bound", "threshold", "verdict"]].round(2)
                    value  ci_low  ci_high     bound  threshold      verdict
    criterion
    qwk                  0.71    0.64     0.77  at least       0.70  cannot tell
    correlation          0.72    0.65     0.77  at least       0.70  cannot tell
    degradation         -0.00   -0.05     0.05   at most       0.10         pass
    smd                 -0.03   -0.12     0.06    within       0.15         pass
    prmse                0.69    0.58     0.78  at least       0.80         fail
    exact_agreement      0.57    0.51     0.63  at least        NaN
    adjacent_agreement   0.99    0.97     1.00  at least        NaN

    A board may ask for more, or for less:

    >>> asked = {"prmse": 0.5, "adjacent_agreement": 0.95}
    >>> panel = pdkappa.readiness(df, "human_1", "machine", "human_2", thresholds=asked)
    >>> panel.loc[["prmse", "adjacent_agreement"], ["value", "threshold", "verdict"]].round(2)
                        value  threshold verdict
    criterion
    prmse                0.69       0.50    pass
    adjacent_agreement   0.99       0.95    pass
    """
    interval = IntervalOptions(LIMITS, confidence_level, n_resamples, rng)
    named = _checked(thresholds)
    check_variance(error_variance)
    _check_compared(named, second_human, error_variance, by)
    asked = {**THRESHOLDS, **named}
    check_by(by, {*schema.READINESS, "criterion"})
    names = [human, machine] if second_human is None else [human, second_human, machine]
    reading = Reading(by, None, None, "value", missing, sample_weight, weight_type, cluster)
    read = Scores.read(
        data, names, reading, categories, exclude, rounded=rounded, method="readiness"
    )
    shared = read.scored.as_in_pairs(data, reading, "quadratic", ci="auto", level=interval.level)
    tables = {name: read.compared(name, "quadratic", interval.level, shared) for name in read.pairs}
    found = _limits(read, tables["evaluation"], interval.level)
    why = tables["evaluation"]["reason"]
    reasons = dict.fromkeys(found, why)
    if second_human is not None:
        reasons["degradation"] = np.where(why == "", tables["consistency"]["reason"], why)
    if second_human is not None or error_variance is not None:
        check_drawn(read.scored.rows, interval)
        one = found_of(read.scored, error_variance, interval.drawing)
        found["prmse"] = Bounded(one.n_items, one.prmse, one.ci_low, one.ci_high)
        reasons["prmse"] = one.reason
    groups = read.scored.coded.groups
    rows = [name for name in BOUNDS if name in found]
    frames = [_frame(name, found[name], reasons[name], asked, by is not None) for name in rows]
    order = np.arange(len(rows) * groups.n).reshape(len(rows), -1).T.reshape(-1)
    frame = pd.concat(frames).iloc[order][list(schema.READINESS)]
    frame.index = groups.each(pd.Index(rows, name="criterion"))
    warn_if_undefined("criterion", frame["value"].isna(), frame["reason"])
    return result(frame, names)


def _limits(read: Scores, table: dict[str, Any], level: float) -> dict[str, Bounded]:
    """Return the figures that `evaluation` has, with limits."""
    scores = read.scored.scores
    rows, _ = read.joint("evaluation")
    n = table["n_items"]
    found = {
        "qwk": Bounded(n, table["estimate"], table["ci_low"], table["ci_high"]),
        "correlation": correlation(rows, scores, level)._replace(value=table["correlation"]),
        "smd": mean_difference(rows, scores, level)._replace(value=table["smd"]),
    }
    for name in ("exact_agreement", "adjacent_agreement"):
        found[name] = share(rows, table[name], level)
    if "consistency" in read.pairs:
        found["degradation"] = degradation(read.scored.rows, scores, level)
    return found


def _frame(
    name: str,
    found: Bounded,
    reason: ObjectArray,
    asked: dict[str, float | None],
    of_groups: bool,  # noqa: FBT001
) -> pd.DataFrame:
    """Return the rows of a criterion, one for each group."""
    limit = asked["smd_subgroup" if name == "smd" and of_groups else name]
    alike = found.ci_high - found.ci_low < ROUNDING
    known = ~np.isnan(found.value) & ~alike
    limits: list[FloatArray] = [np.where(known, x, np.nan) for x in (found.ci_low, found.ci_high)]
    lost, otherwise = np.isnan(limits[0]), np.where(alike, "no_variance", "constant_rater")
    columns: dict[str, Any] = found._asdict()
    columns |= dict(zip(("ci_low", "ci_high"), limits, strict=True))
    columns["n_items"] = whole(found.n_items)
    columns["threshold"] = np.nan if limit is None else float(limit)
    columns["bound"] = BOUNDS[name]
    bounded = Bounded(found.n_items, found.value, *limits)
    columns["verdict"] = "" if limit is None else verdicts(bounded, limit, BOUNDS[name])
    columns["reason"] = np.where(lost, np.where(reason == "", otherwise, reason), "")
    return pd.DataFrame(columns)


def _checked(thresholds: object) -> Mapping[str, float | None]:
    """Refuse thresholds of what is no criterion, and such that are no numbers."""
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        message = (
            f"thresholds must be a dict such as {{'qwk': 0.75}}, got {shown(thresholds)}. Name "
            f"some of: {', '.join(THRESHOLDS)}."
        )
        raise OptionError(message)
    for name, value in thresholds.items():
        if name not in THRESHOLDS:
            hint = did_you_mean(name, THRESHOLDS) or f" Name some of: {', '.join(THRESHOLDS)}."
            message = f"thresholds has {listing([name])}, which is no criterion.{hint}"
            raise OptionError(message)
        if value is not None:
            _check_reachable(name, value)
    return thresholds


def _check_reachable(name: str, value: object) -> None:
    """Refuse what no figure is compared with, such as per cent of a share."""
    bound = BOUNDS[name.removesuffix("_subgroup")]
    if not is_number(value) or not np.isfinite(value):
        asked = "a finite number, or None"
    elif bound == "at least" and value > 1:
        asked = "at most 1, as the figure is"
    elif bound == "within" and value < 0:
        asked = "0 or more: it bounds differences of either sign"
    else:
        return
    message = f"thresholds[{name!r}]={shown(value)} must be {asked}."
    raise OptionError(message)


def _check_compared(
    thresholds: Mapping[str, float | None],
    second_human: Label | None,
    error_variance: float | None,
    by: By | None,
) -> None:
    """Refuse thresholds with which nothing would be compared."""
    alone = second_human is None
    needed = {
        "degradation": "second_human" if alone else "",
        "prmse": "second_human or error_variance" if alone and error_variance is None else "",
    }
    for name, option in needed.items():
        if option and thresholds.get(name) is not None:
            message = (
                f"thresholds names {name!r}, which needs {option}. Pass {option}, or leave out "
                f"{name!r}."
            )
            raise OptionError(message)
    if by is not None and "smd" in thresholds and "smd_subgroup" not in thresholds:
        message = (
            "thresholds names 'smd', which is for all items together. With by, name "
            "'smd_subgroup', with which the groups are compared."
        )
        raise OptionError(message)
