"""Options of several methods, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import FEWEST_RATERS
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing_by_em import MOST_COMPLETIONS, MOST_ROWS, size_of
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import OptionError, TooLargeError
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.options import Reading

LARGEST_COVARIANCE = 1 << 26
MOST_PAIRS = 20_000
# What a coefficient is called elsewhere, and what one of all raters is for a pair.
SYNONYMS = {word: repr(name) for name, row in COEFFICIENTS.items() for word in row.synonyms} | {
    row.many: f"{name!r} for a pair of raters"
    for name, row in COEFFICIENTS.items()
    if row.many not in COEFFICIENTS
}
SYNONYMS_OF_MANY = {word: repr(name) for name, row in MULTIRATER.items() for word in row.synonyms}


def check_by(by: object, taken: set[str]) -> None:
    """Refuse to group by a column that is named as a column of the result."""
    for name in by if isinstance(by, list) else [by]:
        if isinstance(name, str) and name in taken:
            message = (
                f"by={name!r} is a column of the result, too. Rename the column in data with "
                "data.rename(columns=...)."
            )
            raise OptionError(message)


def check_joint(rows: RatingRows, ci: str) -> None:
    """Refuse a joint distribution that is too large, and what it cannot do."""
    if rows.cluster is not None:
        message = (
            "missing='em' assumes independent items that count the same. Leave out cluster and "
            "weight_type='probability', or use 'pairwise'."
        )
        raise OptionError(message)
    if ci in RESAMPLED:
        message = f"missing='em' is not resampled by ci={ci!r}. Use ci='auto', 'fisher' or 'wald'."
        raise OptionError(message)
    n_rows, n_completions = size_of(rows)
    too_large = (n_rows > MOST_ROWS) | (n_completions > MOST_COMPLETIONS)
    for distinct, completions in zip(n_rows[too_large], n_completions[too_large], strict=True):
        message = (
            f"missing='em' would estimate how {distinct} distinct rows of ratings are spread over "
            f"{completions:.7g} completions; the limits are {MOST_ROWS} and {MOST_COMPLETIONS}. "
            "Pass fewer raters, or leave out items with few ratings."
        )
        raise TooLargeError(message)


def check_raters_vary(vary: str, reading: Reading, data: object, n_raters: int) -> None:
    """Refuse raters as a sample where they cannot be left out one by one."""
    if vary == "items":
        return
    if reading.missing == "em":
        message = f"missing='em' has no standard errors for vary={vary!r}. Use missing='pairwise'."
        raise OptionError(message)
    if isinstance(data, Counted) and data.anonymous:
        message = (
            f"Counts of categories do not say who rated, so vary={vary!r} cannot leave out one "
            f"rater at a time. Use vary='items'."
        )
        raise OptionError(message)
    if n_raters < FEWEST_RATERS:
        message = (
            f"vary={vary!r} leaves out one rater at a time, which needs three raters or more, "
            f"got {n_raters}. Pass more raters, or use vary='items'."
        )
        raise OptionError(message)


def check_covariances(n_raters: int, n_groups: int = 1) -> None:
    """Refuse more raters than the covariances of all pairs leave room for."""
    n_pairs = n_raters * (n_raters - 1) // 2
    n_cells = n_pairs**2 * n_groups
    if n_cells > LARGEST_COVARIANCE:
        message = (
            f"{n_pairs} pairs of {n_raters} raters in {n_groups} group(s) have {n_cells} "
            f"covariances; the limit is {LARGEST_COVARIANCE}. Pass fewer raters."
        )
        raise TooLargeError(message)


def check_pairs(n_raters: int, function: str) -> None:
    """Refuse more pairs of raters than a function of every pair gets through in a minute."""
    n_pairs = n_raters * (n_raters - 1) // 2
    if n_pairs > MOST_PAIRS:
        message = (
            f"{function} takes a millisecond for each of the {n_pairs} pairs of {n_raters} raters; "
            f"the limit is {MOST_PAIRS} pairs. Pass fewer raters."
        )
        raise TooLargeError(message)


def check_clip(clip: object) -> None:
    """Refuse a cap that is neither None nor a number between 0 and 1."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, float | int) or not 0 < clip < 1:
        message = f"clip={clip!r} must lie between 0 and 1. Pass None to average without a cap."
        raise OptionError(message)
