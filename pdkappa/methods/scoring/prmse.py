"""How well a machine predicts the scores that humans without errors would give: `prmse`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.resampling import has_whole_counts
from pdkappa.errors import OptionError, TooLargeError, shown
from pdkappa.methods.estimates.options import MOST_REDRAWN, IntervalOptions, gate, is_number
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.scoring.core.prmse import Prmse, prmse_figures
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, ItemWeights, Label, Seed, WeightType
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.resampling import Drawing
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted

LIMITS = "bca"


@gate
def prmse(
    data: pd.DataFrame | Counted,
    humans: Label | list[Label],
    machine: Label,
    *,
    error_variance: float | None = None,
    by: By | None = None,
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Estimate how well a machine predicts true scores: the proportional reduction in MSE.

    Human scores have errors, and agreement with them penalises a machine for these errors,
    especially if humans are unreliable. How well does the machine predict true scores, those
    without human error?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    humans : column label or list of column labels
        Human scores, whole or not; missing where a human did not score.
    machine : column label
        The machine's scores, any numbers.
    error_variance : float, optional
        Variance of the errors of a single human score, known from elsewhere: required if no item
        was scored by two humans. Default: estimated from the items that were.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student, which are drawn whole.
    confidence_level : float, default 0.95
        Between 0 and 1.
    n_resamples : int, default 2000
        Number of bootstrap samples of the items, or clusters.
    rng : None, int or numpy Generator, default 0
        Random number generator or seed, with a separate stream for each group. By default the same
        data give the same limits; None gives new ones each time.

    Returns
    -------
    DataFrame
        One row (for each group):

        - ``n_items``: items with a machine score and a human one;
        - ``n_raters``: humans who scored some of them;
        - ``prmse``: share of the variance of true scores that the machine predicts, at most 1
          but for chance; below 0 where their mean would predict better;
        - ``ci_low, ci_high``: limits by the bootstrap, corrected for bias and acceleration;
        - ``error_variance``: of single human scores, in squared points;
        - ``true_variance``: of true scores, likewise;
        - ``mse``: mean squared difference of machine and true scores; estimates of small ones may
          be negative;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no item has
          both), ``no_double_ratings``, ``n_lt_2``, ``no_true_variance`` (nothing but errors), and
          of limits ``undefined_resamples`` and ``one_sided_resamples``.

    Raises
    ------
    OptionError
        If `error_variance` is no number from 0 upwards, or weights are no whole numbers.
    RatingTypeError
        If scores are not numbers.
    TooLargeError
        If there are too many resamples of too many groups.
    KappaError
        If an option is not known, or the scores cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some PRMSE is NaN.

    See Also
    --------
    evaluation : Agreement of the machine with humans as they are.
    icc : How reliable humans are.

    Notes
    -----
    A human score is taken to be the true score and an error, independent of it, of the other
    errors and of the machine, with one variance [1]_. Items with more human scores count more.
    Limits at the level .95 miss the true value in .05 to .08 of samples of 100 items or more, and
    in .06 to .10 of samples of 20 to 50 items, and in up to .25 of 5 items; they are above it more
    often than below. A common requirement is a PRMSE of .80.

    References
    ----------
    .. [1] Loukina, A., Madnani, N., Cahill, A., Yao, L., Johnson, M. S., Riordan, B., &
           McCaffrey, D. F. (2020). Using PRMSE to evaluate automated scoring systems in the
           presence of label noise. Proceedings of BEA 15, 18-29.
           https://doi.org/10.18653/v1/2020.bea-1.2

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.prmse(df, ["human_1", "human_2"], "machine", by="essay_set")
    >>> found[["n_items", "prmse", "ci_low", "ci_high", "error_variance"]].head(3).round(2)
               n_items  prmse  ci_low  ci_high  error_variance
    essay_set
    1              300   0.76    0.68     0.82            0.79
    2              300   0.71    0.62     0.79            0.22
    3              260   0.60    0.46     0.70            0.22
    """
    interval = IntervalOptions(LIMITS, confidence_level, n_resamples, rng)
    check_variance(error_variance)
    check_by(by, set(schema.PRMSE))
    names = [*(humans if isinstance(humans, list) else [humans]), machine]
    scored = read_scores(
        data,
        names,
        Reading(by=by, sample_weight=sample_weight, weight_type=weight_type, cluster=cluster),
    )
    check_drawn(scored.rows, interval)
    found = found_of(scored, error_variance, interval.drawing)
    columns = found._asdict()
    columns["n_items"] = whole(found.n_items)
    frame = scored.coded.groups.label(pd.DataFrame(columns)[list(schema.PRMSE)])
    groups = scored.coded.groups
    warn_if_undefined("PRMSE", frame["prmse"].isna(), frame["reason"], groups.name)
    return result(frame, scored.coded.raters)


def found_of(scored: NumericRows, error_variance: float | None, drawing: Drawing) -> Prmse:
    """Estimate it for the scores of humans, and last of the machine, with the reasons."""
    found = prmse_figures(scored.rows, scored.scores, error_variance, drawing)
    return found._replace(reason=np.where(scored.empty == "", found.reason, scored.empty))


def check_drawn(rows: RatingRows, interval: IntervalOptions) -> None:
    """Refuse items that cannot be drawn anew, and more samples than there is time for."""
    if not has_whole_counts(rows):
        uneven = rows.count[rows.count != np.floor(rows.count)]
        value = uneven[0] if len(uneven) else rows.count.max()
        message = (
            "Limits of PRMSE resample items, so sample_weight must hold whole numbers that add up "
            f"to less than 2**53, got {value}. If they are shares of a sample, pass "
            "weight_type='probability'."
        )
        raise OptionError(message)
    if rows.n_groups * interval.n_resamples > MOST_REDRAWN:
        message = (
            f"{interval.n_resamples} resamples of {rows.n_groups} groups take too long; the limit "
            f"is {MOST_REDRAWN} in all. Use a smaller n_resamples, or fewer groups."
        )
        raise TooLargeError(message)


def check_variance(value: object) -> None:
    """Refuse what is no variance."""
    if value is not None and (not is_number(value) or not 0 <= value < np.inf):
        message = (
            f"error_variance={shown(value)} must be a number from 0 upwards, in squared points of "
            "the scale, or None."
        )
        raise OptionError(message)
