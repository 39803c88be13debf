"""The public functions of what agreement margins allow: `attainable`, `attainable_margins`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.attainable import (
    extreme_disagreement,
    least_disagreement_together,
    smallest_estimates,
)
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.many_summary import summarise_many
from pdkappa.coefficients.multirater import MULTIRATER
from pdkappa.coefficients.pair_summary import MOST_PROGRAMMES
from pdkappa.coefficients.pairwise import FEWEST_ITEMS
from pdkappa.coefficients.rounding import one_minus
from pdkappa.errors import (
    OptionError,
    RatingsError,
    UndefinedKappaWarning,
    WeightsError,
    check_choice,
    shown,
    warn,
)
from pdkappa.estimation import weights as weighting
from pdkappa.estimation.checks import SYNONYMS, check_by
from pdkappa.estimation.estimate import estimate, read_pairs
from pdkappa.estimation.gate import gate
from pdkappa.estimation.intervals import USUAL
from pdkappa.estimation.labels import whole
from pdkappa.estimation.study import WITHOUT_EM, read
from pdkappa.estimation.undefined import warn_of_undefined_rows
from pdkappa.present import schema
from pdkappa.present.text.result import result
from pdkappa.ratings.items import check_weights
from pdkappa.ratings.reading import Reading
from pdkappa.ratings.shares import in_one_order, read_numbers

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        FloatArray,
        ItemWeights,
        Missing,
        ObjectArray,
        Raters,
        Weights,
    )
    from pdkappa.coefficients.weights import Scale
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.coded import Counted

BY_ITEMS = {"krippendorff"}  # depend on the number of items, beside the shares
SLACK = 1e-9  # relative difference of the sums of two margins
MANY_MARGINS = 2  # axes


@gate
def attainable(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    together: bool = False,
) -> pd.DataFrame:
    """Find the least and the greatest agreement that the raters' category shares allow.

    Raters who use the categories in different proportions cannot agree perfectly. How much
    of what was possible did they reach, and how much is a matter of their proportions?

    Parameters
    ----------
    data, raters, by, coefficient, weights, categories, distance, missing
        As in `pairs`; `missing` is not "em".
    sample_weight : column label or array of shape (N,), optional
        As in `pairs`.
    together : bool, default False
        Whether to treat all raters together rather than in pairs: Conger's kappa for "cohen",
        Fleiss' kappa for "scott". Only items that all of them rated count.

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, ``rater_a, rater_b, n_items,
        estimate, min_estimate, max_estimate, share_of_max, reason``. The bounds are those of
        all tables with the same category shares; `share_of_max` is ``estimate / max_estimate``, at
        most 1. With `together`, one row in all (or for each group): ``n_raters, n_items,
        estimate, max_estimate, share_of_max, reason``. What is NaN has its reason:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``, ``constant_ratings``,
          ``n_lt_2``: there is no estimate, as in `pairs`;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa can only
          be 0 and there is no share_of_max;
        - ``no_agreement_attainable``: the greatest value is not above 0 for another reason;
        - ``too_many_programmes``: the weights need a linear programme for each row, and there
          are more than 1,000 rows or 256 categories;
        - ``no_closed_form``: for three raters or more together, the maximum is known only for
          weights such as "linear" and "quadratic" (see Notes).

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN, and once, if some bound is not computed.

    See Also
    --------
    attainable_margins : The same from the numbers of items per category, without ratings.
    split : What bias and spread cost quadratic weighted kappa, and what noise costs.

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
    .. [1] Hoffman, A. J. (1963). On simple linear programming problems. Proceedings of
           Symposia in Pure Mathematics, 7, 317-327.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 2, 3, 3, 4], "bob": [1, 1, 2, 2, 3, 3]})
    >>> pdkappa.attainable(df, weights="quadratic").drop(columns="reason").round(3)
      rater_a rater_b  n_items  estimate  min_estimate  max_estimate  share_of_max
    0     ann     bob        6     0.727        -0.727         0.727       1.0

    Bob is stricter than Ann by up to one class, but ranks the items as she does: given how
    often each of them used each class, they could not have agreed more.

    >>> df = pdkappa.datasets.load_anxiety()
    >>> pdkappa.attainable(df, weights="quadratic", together=True).drop(columns="reason").round(3)
       n_raters  n_items  estimate  max_estimate  share_of_max
    0         3       20      0.19         0.791      0.24
    """
    check_choice("missing", missing, WITHOUT_EM)
    check_by(by, {*schema.ATTAINABLE, *schema.ATTAINABLE_TOGETHER})
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    if together:
        complete = "raise" if missing == "raise" else "listwise"
        return _together(read(data, raters, replace(reading, missing=complete)), coefficient)
    estimates = estimate(read_pairs(data, raters, reading, coefficient, USUAL), coefficient, USUAL)
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
    frame = frame.assign(**figures)[[*schema.ATTAINABLE]]
    return result(estimates.tables.groups.label(frame), estimates.tables.raters)


@gate
def attainable_margins(
    first: npt.ArrayLike | pd.Series | pd.DataFrame | dict[Any, float],
    second: npt.ArrayLike | pd.Series | pd.DataFrame | dict[Any, float],
    *,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
) -> pd.DataFrame:
    """Find the least and the greatest agreement that two distributions of ratings allow.

    What could a machine reach that predicts the classes in these proportions, if it put
    every item in the right order?

    Parameters
    ----------
    first, second : Series, dict, DataFrame or array, shape (K,) or (S, K)
        Number of items in each category, or its share: of the truth, say, and of the
        predictions. Each row of a frame or of an array with two axes is a case of its own; one
        that has a single row is compared with every row of the other. Series, dicts and frames
        name their categories, and the two are matched by them; those of arrays are `categories`
        in the order given, or 0 to K - 1.
    coefficient, weights, categories, distance
        As in `pairs`.

    Returns
    -------
    DataFrame, shape (S, 3)
        ``min_estimate, max_estimate, reason``, a row for each case, with the index of the frame
        that has S rows. NaN has its reason, as in `attainable`: ``no_items``,
        ``constant_ratings``, ``too_many_programmes``, or ``n_lt_2`` ("krippendorff" with
        sums below 2, such as those of shares).

    Raises
    ------
    RatingsError
        If the two differ in their numbers of rows.
    WeightsError
        If a number is negative or not finite, or the two do not add up to the same.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some bound is NaN.

    See Also
    --------
    attainable : The same for ratings, with what was reached.

    Notes
    -----
    As in `attainable`. "krippendorff" depends on the number of items: pass counts, not shares.

    Examples
    --------
    Three true classes of 30, 40 and 30 items, of which X, 70 - X and 30 are predicted. All can
    be right for X = 30 only:

    >>> x = np.arange(0, 71, 10)
    >>> predicted = pd.DataFrame({"low": x, "mid": 70 - x, "high": 30}, index=x)
    >>> truth = {"low": 30, "mid": 40, "high": 30}
    >>> curve = pdkappa.attainable_margins(
    ...     truth, predicted, weights="quadratic", categories=["low", "mid", "high"]
    ... )
    >>> curve["max_estimate"].round(4).to_dict()
    {0: 0.6667, 10: 0.8, 20: 0.9091, 30: 1.0, 40: 0.9231, 50: 0.8571, 60: 0.8, 70: 0.75}

    ``curve["max_estimate"].plot()`` draws it.
    """
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    check_choice("distance", distance, weighting.DISTANCES)
    tables = [read_numbers(first, "first"), read_numbers(second, "second")]
    if (tables[0].labels is None) != (tables[1].labels is None):
        message = (
            "One of first and second names its categories and the other does not, so that they "
            "cannot be matched. Pass two Series, frames or dicts, or two arrays."
        )
        raise OptionError(message)
    needs_order = weighting.needs_order(weights)
    found, (row, col) = in_one_order(tables, categories, needs_order)
    row, col, n = _shares(row, col)
    scale = weighting.scale_of(weights, found, distance, np.ones((1, len(found)), dtype=bool))
    model = COEFFICIENTS[coefficient]
    expected = model.chance(row, col, scale, n).expected
    few = (n < FEWEST_ITEMS) & (coefficient in BY_ITEMS)
    known = np.where((expected > 0) & ~few, expected, np.nan)
    bounds = _bounds(row, col, scale, known, fixed=model.keeps_margins)
    reason = np.select(
        [n == 0, few, ~(expected > 0), np.isnan(bounds["max_estimate"])],
        ["no_items", "n_lt_2", "constant_ratings", "too_many_programmes"],
        default="",
    ).astype(object)
    framed = [
        x.index for x in (first, second) if isinstance(x, pd.DataFrame) and len(x) == len(row)
    ]
    frame = pd.DataFrame({**bounds, "reason": reason}, index=framed[-1] if framed else None)
    _warn_of_undefined(frame)
    return result(frame, ())


def _bounds(
    row: FloatArray, col: FloatArray, scale: Scale, expected: FloatArray, *, fixed: bool
) -> dict[str, FloatArray]:
    """Return the least and the greatest coefficient of each case.

    Where it is `fixed` by a rater who uses a single category, both are zero.
    """
    programmes = len(row) <= MOST_PROGRAMMES
    constant = fixed & (((row > 0).sum(axis=1) == 1) | ((col > 0).sum(axis=1) == 1))
    bounds = {}
    for name, greatest in {"min_estimate": True, "max_estimate": False}.items():
        apart = extreme_disagreement(row, col, scale, greatest=greatest, programmes=programmes)
        bounds[name] = np.where(constant & ~np.isnan(expected), 0.0, one_minus(apart / expected))
    return bounds


def _figures(
    kappa: FloatArray, low: FloatArray | None, high: FloatArray, reason: ObjectArray
) -> dict[str, Any]:
    """Put bounds, shares and reasons together; nothing lies outside its bounds by rounding."""
    high = np.maximum(high, kappa)
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


def _together(found: Study, coefficient: str) -> pd.DataFrame:
    """Find the greatest agreement of all raters, in each group if there are groups."""
    rows, scale, name = found.rows.compressed(), found.scale, COEFFICIENTS[coefficient].many
    summary = summarise_many(
        rows, scale, {name: MULTIRATER[name]}, by_items=True, ci="fisher", level=0.95
    )[name]
    margins = np.stack([rows.margin_of(codes, np.ones(codes.shape)) for codes in rows.codes])
    few = rows.n_groups <= MOST_PROGRAMMES
    least = least_disagreement_together(margins, scale, programmes=few)
    with np.errstate(divide="ignore", invalid="ignore"):
        high = 1 - least / ((1 - summary.expected_agreement) * scale.largest)
    why = found.no_ratings()
    reason = np.where(why == "", summary.reason, why)
    index = found.groups.labels
    frame = pd.DataFrame(
        {
            "n_raters": whole(summary.n_raters),
            "n_items": whole(summary.n_items),
            "estimate": summary.estimate,
            **_figures(summary.estimate, None, high, reason),
        },
        index=pd.Index(["all raters"]) if index is None else index,
    )[[*schema.ATTAINABLE_TOGETHER]]
    warn_of_undefined_rows(frame)
    if (frame["reason"] == "no_closed_form").any():
        warn(
            "max_estimate is not known (NaN) for three raters or more together with these weights, "
            "only with such as 'linear' and 'quadratic'. Leave out together=True for the pairs.",
            UndefinedKappaWarning,
        )
    return result(frame.reset_index(drop=True) if index is None else frame, found.raters)


def _shares(row: FloatArray, col: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turn margins into shares, a row for each of S cases, and count the items of these."""
    for values, option in ((row, "first"), (col, "second")):
        if values.ndim > MANY_MARGINS:
            message = (
                f"{option} has {values.ndim} axes. Give it a number for each category, or a row of "
                "them for each case."
            )
            raise RatingsError(message)
        check_weights(values.reshape(-1), option, values.size)
    row, col = np.atleast_2d(row), np.atleast_2d(col)
    if len(row) != len(col) and 1 not in (len(row), len(col)):
        message = (
            f"first has {len(row)} rows and second {len(col)}. Give them as many, or one of them "
            "a single row."
        )
        raise RatingsError(message)
    row, col = np.broadcast_arrays(row, col)
    sums = row.sum(axis=1), col.sum(axis=1)
    other = np.flatnonzero(~np.isclose(*sums, rtol=SLACK, atol=0))
    if len(other):
        message = (
            f"first and second must be distributions of the same items, but add up to "
            f"{shown(float(sums[0][other[0]]))} and {shown(float(sums[1][other[0]]))} in row "
            f"{other[0]}. Divide each by its sum to compare shares."
        )
        raise WeightsError(message)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        return row / sums[0][:, None], col / sums[1][:, None], sums[0]


def _warn_of_undefined(frame: pd.DataFrame) -> None:
    """Give one warning that counts the cases without bounds."""
    undefined = frame.loc[frame["max_estimate"].isna(), "reason"]
    if len(undefined):
        warn(
            f"{len(undefined)} of {len(frame)} case(s) have no bounds (NaN): "
            f"{', '.join(dict.fromkeys(undefined))}. The column 'reason' says why.",
            UndefinedKappaWarning,
        )
