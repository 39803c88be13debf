"""The least and greatest agreement that the raters' shares of categories allow: `attainable`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import compute_many
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import disagreement_within
from pdkappa.coefficients.pair_estimates import MOST_PROGRAMMES
from pdkappa.coefficients.pair_kappas import extreme_disagreement, is_monge
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import without_rounding
from pdkappa.errors import UndefinedKappaWarning, warn
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks
from pdkappa.methods.estimates.options import USUAL_INTERVALS, check_by
from pdkappa.methods.estimates.pair_frames import (
    estimate,
    read_pairs,
    warn_of_undefined_rows,
    whole,
)
from pdkappa.methods.estimates.study import read
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, result

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed


class OfAttainable(has.Raters, has.By, has.Coefficient, has.Weights, has.Ratings):
    """Options of `attainable`."""

    together: bool = anew(
        has.Together,
        "together",
        default=False,
        also='Conger\'s kappa for "cohen", Fleiss\' kappa for "scott"; only items that all of them '
        "rated count, beside raters who rated nothing.",
    )


@asks(OfAttainable)
def attainable(data: pd.DataFrame | Counted, asked: OfAttainable) -> Result:
    """Find the smallest and the largest agreement that the raters' category shares allow.

    Raters who use the categories in different proportions cannot agree perfectly. How much
    of the possible agreement did they reach, and how much is due to their proportions?

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, ``rater_a, rater_b, n_items,
        estimate, min_estimate, max_estimate, share_of_max, reason``. The bounds are those of
        all tables with the same category shares; `share_of_max` is ``estimate / max_estimate``, at
        most 1. With `together`, one row in all (or for each group): ``n_raters, n_items,
        estimate, max_estimate, share_of_max, reason``. Reasons for NaN:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``, ``constant_ratings``,
          ``n_lt_2``: there is no estimate, as in `pairs`;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa can only
          be 0 and there is no share_of_max;
        - ``no_agreement_attainable``: the greatest value is not above 0 for another reason;
        - ``too_many_programmes``: the weights need a linear programme for each row, and there
          are more than 1,000 rows or 256 categories;
        - ``no_closed_form``: for three raters or more together, the maximum is known only for
          weights such as "linear" and "quadratic" (see Notes).

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN, and once, if some bound is not computed.

    See Also
    --------
    confusion : The table whose margins they are.

    Notes
    -----
    The coefficient is ``1 - D_o / D_e``, and the shares fix D_e. Weights that satisfy the Monge
    condition, such as "linear" and "quadratic" on any scale, have the smallest D_o where both
    raters' items are paired in ascending order, and the greatest where they are paired in
    opposite orders [1]_; without weights, D_o lies between ``1 - sum(min(p, q))`` and
    ``1 - max(0, max(p + q) - 1)``. Other weights need a linear programme. With whole numbers of
    items, tables of whole numbers attain both.

    Several raters who are all paired in ascending order are paired so two by two, which is
    therefore the best for all of them together as well. No such form is known for the
    minimum.

    References
    ----------
    .. [1] Hoffman, 1963

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 2, 3, 3, 4], "bob": [1, 1, 2, 2, 3, 3]})
    >>> df.kappa.attainable(weights="quadratic").drop(columns=["reason", "remark"]).round(3)
      rater_a rater_b  n_items  estimate  min_estimate  max_estimate  share_of_max
    0     ann     bob        6     0.727        -0.727         0.727       1.0

    Bob is stricter than Ann by up to one class, but both rank the items in the same order: given
    how often each of them used each class, they could not have agreed more.

    >>> df = pdkappa.datasets.load_anxiety()
    >>> df.kappa.attainable(weights="quadratic", together=True).iloc[:, :5].round(3)
       n_raters  n_items  estimate  max_estimate  share_of_max
    0         3       20      0.19         0.791      0.24
    """
    check_by(asked.by, {*schema.ATTAINABLE, *schema.ATTAINABLE_TOGETHER})
    if asked.together:
        return _together(_read_complete(data, asked), asked.coefficient)
    estimates = estimate(
        read_pairs(data, asked.raters, asked.reading, asked.coefficient, USUAL_INTERVALS),
        asked.coefficient,
        USUAL_INTERVALS,
    )
    estimates.warn_if_undefined()
    estimates.warn_if_unsolved()
    summary, counts = estimates.summary, estimates.tables.counts
    low = smallest_estimates(
        counts,
        estimates.scale,
        summary.expected_agreement,
        programmes=counts.n_tables <= MOST_PROGRAMMES,
    )
    frame = estimates.frame(("rater_a", "rater_b", "n_items", "estimate"))
    figures = _figures(summary.estimate, low, summary.max_estimate, estimates.column("reason"))
    frame = frame.assign(**figures, remark="")[[*schema.ATTAINABLE]]
    return result(frame, estimates.tables.raters)


def _read_complete(data: pd.DataFrame | Counted | Listed, asked: OfAttainable) -> Study:
    """Keep the items that all rated who rated any."""
    if asked.missing == "raise":
        return read(data, asked.raters, asked.reading)
    who = read(data, asked.raters, replace(asked.reading, missing="pairwise")).named_raters
    raters = who if len(who) > 1 else asked.raters
    return read(data, raters, replace(asked.reading, missing="listwise"), warns=False)


def _figures(
    kappa: FloatArray, low: FloatArray | None, high: FloatArray, reason: ObjectArray
) -> dict[str, Any]:
    """Put bounds, shares and reasons together; nothing lies outside its bounds by rounding."""
    high = np.maximum(without_rounding(high), kappa)
    with np.errstate(divide="ignore", invalid="ignore"):
        share_of_max = np.where(high > 0, kappa / high, np.nan)
    bounded = {"max_estimate": high, "share_of_max": share_of_max}
    if low is not None:
        bounded["min_estimate"] = np.where(
            reason == "constant_rater", kappa, np.minimum(low, kappa)
        )
    of_bounds = np.where(reason == "constant_rater", reason, "no_agreement_attainable")
    missing = "too_many_programmes" if low is not None else "no_closed_form"
    of_bounds[np.isnan(high)] = missing
    of_bounds[~np.isnan(share_of_max)] = ""
    bounded["reason"] = np.where(np.isnan(kappa), reason, of_bounds)
    return bounded


def _together(found: Study, coefficient: str) -> Result:
    """Find the greatest agreement of all raters, in each group if there are groups."""
    rows, scale, name = found.rows.compressed, found.scale, COEFFICIENTS[coefficient].many
    known = compute_many(rows, scale, {name: MULTIRATER[name]}, by_items=True, ci="auto")
    summary = known.summaries(ci="auto", level=0.95)[name]
    margins = np.stack([rows.margin_of(codes, np.ones(codes.shape)) for codes in rows.codes])
    few = rows.n_groups <= MOST_PROGRAMMES
    least = least_disagreement_together(margins, scale, programmes=few)
    with np.errstate(divide="ignore", invalid="ignore"):
        high = 1 - least / ((1 - summary.expected_agreement) * scale.largest)
    why = found.groups.why_empty()
    reason = np.where(why == "", summary.reason, why)
    index = found.groups.labels
    frame = pd.DataFrame(
        {
            "n_raters": whole(summary.n_raters),
            "n_items": whole(summary.n_items),
            "estimate": summary.estimate,
            **_figures(summary.estimate, None, high, reason),
            "remark": "",
        },
        index=pd.Index(["all raters"]) if index is None else index,
    )[[*schema.ATTAINABLE_TOGETHER]]
    warn_of_undefined_rows(frame)
    if (frame["reason"] == "no_closed_form").any():
        warn(
            "max_estimate is not known (NaN) for three raters or more together with these "
            "weights, only with weights such as 'linear' and 'quadratic'. Leave out "
            "together=True for the pairs.",
            UndefinedKappaWarning,
        )
    return result(frame.reset_index(drop=True) if index is None else frame, found.raters)


def least_disagreement_together(
    margins: FloatArray, scale: Scale, *, programmes: bool = True
) -> FloatArray:
    """Smallest mean disagreement of all pairs of R raters of the same items, shape (G,).

    The margins, of shape (R, G, K), are the numbers of items that each rater puts into each
    category; the rest is as in `extreme_disagreement`. The result is in the units of the
    scale, and NaN for an empty group, and for three raters or more with weights that do not
    satisfy the Monge condition.

    Notes
    -----
    If all raters' items are paired in ascending order, so are those of every two raters:
    what is best for each pair is best for all of them at once.
    """
    n_raters, n_groups, _ = margins.shape
    n_items = margins[0].sum(axis=-1)
    if n_raters == 2:  # noqa: PLR2004
        with np.errstate(invalid="ignore"):  # an empty group has no shares
            row, col = margins / n_items[:, None]
        return extreme_disagreement(row, col, scale, programmes=programmes)
    if not is_monge(scale):
        return np.full(n_groups, np.nan)
    in_order = _rows_in_order(margins)
    apart = in_order.total(disagreement_within(in_order, scale)) / (n_raters * (n_raters - 1))
    with np.errstate(invalid="ignore"):
        result: FloatArray = apart / n_items
    return result


def smallest_estimates(
    counts: PairCounts, scale: Scale, expected: FloatArray, *, programmes: bool = True
) -> FloatArray:
    """Smallest chance-corrected coefficient that the margins of each table allow, shape (S,).

    The S tables lie group by group; `expected`, of shape (S,), is the agreement by chance,
    from the margins alone. The rest is as in `extreme_disagreement`.
    """
    parts = []
    for tables, block in counts.blocks():
        own = scale.of_tables(tables, counts.n_tables)
        most = extreme_disagreement(*block.margins(), own, greatest=True, programmes=programmes)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(1 - most / ((1 - expected[tables]) * own.largest))
    return np.concatenate(parts)


def _rows_in_order(margins: FloatArray) -> RatingRows:
    """Pair the items of R raters in ascending order; margins have the shape (R, G, K).

    Each step of any of the distribution functions is a row of ratings.
    """
    n_raters, n_groups, k = margins.shape
    ends = np.cumsum(margins, axis=-1)
    codes, counts = [np.empty((n_raters, 0), dtype=np.int64)], [np.empty(0)]
    for group in range(n_groups):
        steps = np.unique(np.append(ends[:, group], 0))
        middle = (steps[1:] + steps[:-1]) / 2
        places = [np.searchsorted(one, middle, side="right") for one in ends[:, group]]
        codes.append(np.minimum(places, k - 1))
        counts.append(np.diff(steps))
    return RatingRows(
        codes=np.concatenate(codes, axis=1),
        count=np.concatenate(counts),
        group=np.repeat(np.arange(n_groups), [len(count) for count in counts[1:]]),
        n_groups=n_groups,
        n_categories=k,
    )
