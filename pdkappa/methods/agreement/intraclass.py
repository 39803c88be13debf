"""Scores that are numbers, of all raters together: intraclass correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.errors import OptionError, TooLargeError, shown
from pdkappa.methods.agreement.core.intraclass import FORMS, Analysis, analyse, intraclass
from pdkappa.methods.estimates.options import check_level, gate, is_number
from pdkappa.methods.estimates.pair_frames import check_by, warn_of_undefined_rows, whole
from pdkappa.methods.estimates.real_scores import NumericRows, read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, FloatArray, IntArray, ItemWeights, Missing, ObjectArray, Raters
    from pdkappa.ratings.coded import Counted

MOST_RATERS = 300  # with holes, whose variances take a matrix of raters for each number of ratings


@gate
def icc(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
    null: float = 0.0,
) -> pd.DataFrame:
    """Estimate the intraclass correlations of all raters, in all six forms.

    How much of the variance of scores is due to the items, and how reliable is one rating, or the
    mean of all? The forms are 1, if each item has different raters, so that differences between
    raters are unknown; A, for absolute agreement, if the raters are the same and their differences
    count; C, for consistency, if it does not matter that some are stricter.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, whose ratings must be numbers. Default: all columns that can be ratings.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use all ratings, use only the items that all raters rated, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0.0
        The correlation that is tested against larger ones, at least 0 and below 1.

    Returns
    -------
    DataFrame
        Six rows (for each group), named ``form``: ``ICC(1,1), ICC(A,1), ICC(C,1)`` of one rating,
        and ``ICC(1,k), ICC(A,k), ICC(C,k)`` of the mean of k ratings; and the columns

        - ``n_items``, those with any rating;
        - ``estimate, se, ci_low, ci_high``: at most 1; below 0 if items differ less than expected
          by chance, and unbounded below for means;
        - ``f, df1, df2, p_value``: the one-sided test of `null`;
        - ``n_raters``, and ``ratings_per_item``, which is k;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no item has
          two ratings), ``n_lt_2``, ``constant_ratings``, ``few_items`` (no ratings are left to
          tell errors from items and raters), ``not_converged``, or ``no_variance`` (the raters
          agree without any error, which has no limits, or nothing else varies).

    Raises
    ------
    RatingTypeError
        If the ratings are not numbers.
    TooLargeError
        If there are more than 300 raters, and not all of them rated all items.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    concordance : Lin's coefficient, which is ICC(A,1) for pairs but for a factor of n / (n - 1).
    agreement : Krippendorff's alpha with quadratic weights is near ICC(1,1).

    Notes
    -----
    Shrout and Fleiss [2]_ call the forms ICC(1,1), ICC(2,1) and ICC(3,1), and ICC(1,k), ICC(2,k)
    and ICC(3,k). With mean squares of items, raters and errors, and within items,

    - ICC(1,1) is ``(MSR - MSW) / (MSR + (k - 1) MSW)``, and ICC(C,1) the same with MSE for MSW;
    - ICC(A,1) is ``(MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)``;
    - of means, ``k r / (1 + (k - 1) r)`` of each.

    Limits and tests are those of [1]_, exact for normal scores but for A, which has Satterthwaite's
    degrees of freedom (those of 0 where the estimate is negative); `se` is that of large samples.

    Where ratings are missing, the variances of items, raters and errors are estimated by restricted
    maximum likelihood, none below zero; k and n are harmonic means of the numbers of ratings of
    items and of raters, and limits those of the mean squares that complete ratings with these
    variances had. In samples of 20 to 100 items with 20 to 60% missing, limits of 95% covered 91 to
    97% where items differ, and 99% where they do not.

    Limits of ICC(1,1) assume that every item has raters of its own: where all have the same three,
    who differ, they covered 90 to 93%.

    References
    ----------
    .. [1] McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass
           correlation coefficients. Psychological Methods, 1(1), 30-46.
           https://doi.org/10.1037/1082-989X.1.1.30
    .. [2] Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
           reliability. Psychological Bulletin, 86(2), 420-428.
           https://doi.org/10.1037/0033-2909.86.2.420

    Examples
    --------
    Four judges and six targets, of Shrout and Fleiss:

    >>> df = pd.DataFrame(
    ...     {
    ...         "ann": [9, 6, 8, 7, 10, 6],
    ...         "bob": [2, 1, 4, 1, 5, 2],
    ...         "eve": [5, 3, 6, 2, 6, 4],
    ...         "joe": [8, 2, 8, 6, 9, 7],
    ...     }
    ... )
    >>> df.kappa.icc()[["estimate", "ci_low", "ci_high", "f", "p_value"]].round(2)
              estimate  ci_low  ci_high      f  p_value
    form
    ICC(1,1)      0.17   -0.13     0.72   1.79     0.16
    ICC(A,1)      0.29    0.02     0.76  11.03     0.00
    ICC(C,1)      0.71    0.34     0.95  11.03     0.00
    ICC(1,k)      0.44   -0.88     0.91   1.79     0.16
    ICC(A,k)      0.62    0.07     0.93  11.03     0.00
    ICC(C,k)      0.91    0.68     0.99  11.03     0.00

    Bob is strict, which A counts and C does not. Ratings may be missing:

    >>> df.mask(df == 9).kappa.icc()["estimate"].round(2).head(3).tolist()
    [0.09, 0.28, 0.68]
    """
    level = check_level(confidence_level)
    _check_null(null)
    check_by(by, set(schema.ICC))
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, raters, reading)
    rows = scored.rows.compressed()
    _check_raters(rows.codes, scored)
    found = analyse(rows, in_units(rows, scored.scores)[1])
    forms = intraclass(found, null, level)
    parts = []
    for form, figures in forms.items():
        squares = found.one_way if form.startswith("ICC(1") else found.two_way
        columns: dict[str, Any] = {
            **figures._asdict(),
            "n_items": whole(found.n_items),
            "n_raters": whole(found.n_raters),
            "ratings_per_item": squares.k,
            "reason": _reasons(found, squares.df_error, figures.estimate, figures.p_value),
        }
        columns["reason"] = np.where(scored.empty == "", columns["reason"], scored.empty)
        parts.append(pd.DataFrame(columns)[list(schema.ICC)])
    order = np.arange(len(FORMS) * rows.n_groups).reshape(len(FORMS), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order]
    frame.index = scored.coded.groups.each(pd.Index(FORMS, name="form"))
    warn_of_undefined_rows(frame)
    return result(frame, scored.coded.raters)


def _check_null(null: object) -> None:
    """Refuse what is no correlation that could be tested."""
    if not is_number(null) or not 0 <= null < 1:
        message = f"null={shown(null)} must be at least 0 and below 1."
        raise OptionError(message)


def _check_raters(codes: IntArray, scored: NumericRows) -> None:
    """Refuse more raters than the variances of ratings with holes leave room for."""
    if len(codes) > MOST_RATERS and (codes < 0).any():
        message = (
            f"icc with missing ratings takes up to {MOST_RATERS} raters, got "
            f"{len(scored.coded.raters)}. Pass fewer raters, or missing='listwise'."
        )
        raise TooLargeError(message)


def _reasons(
    found: Analysis, df_error: FloatArray, estimate: FloatArray, p_value: FloatArray
) -> ObjectArray:
    """Say why a figure is NaN; empty text where none is."""
    reason = np.where(np.isnan(p_value), "no_variance", "").astype(object)
    reason[np.isnan(estimate) & np.isnan(found.two_way.error)] = "not_converged"
    reason[~(df_error >= 1)] = "few_items"
    reason[~found.varies] = "constant_ratings"
    reason[found.n_items < 2] = "n_lt_2"  # noqa: PLR2004
    reason[~found.joint] = "no_joint_items"
    return reason
