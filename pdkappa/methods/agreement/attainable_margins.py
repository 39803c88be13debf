"""What agreement two distributions of categories allow: `attainable_margins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.attainable import (
    extreme_disagreement,
)
from pdkappa.coefficients.chance import COEFFICIENTS
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
from pdkappa.estimation.checks import SYNONYMS
from pdkappa.estimation.gate import gate
from pdkappa.present.text.result import result
from pdkappa.ratings.items import check_weights
from pdkappa.ratings.shares import in_one_order, read_numbers

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import (
        Categories,
        Coefficient,
        Distance,
        FloatArray,
        Weights,
    )
    from pdkappa.coefficients.weights import Scale

BY_ITEMS = {"krippendorff"}  # depend on the number of items, beside the shares
SLACK = 1e-9  # relative difference of the sums of two margins
MANY_MARGINS = 2  # axes


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
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.

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
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some bound is NaN.

    See Also
    --------
    attainable : The same for ratings, with what was reached.

    Notes
    -----
    The limits are those of `attainable`. "krippendorff" depends on the number of items: pass
    counts, not shares.

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
