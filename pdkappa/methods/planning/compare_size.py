"""The public functions of a study that compares two raters with a third, still to be done."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from pdkappa.errors import OptionError, TooLargeError, check_choice, shown
from pdkappa.methods.estimates.options import check_level, gate, is_number
from pdkappa.methods.planning.core.comparison import CLAIMS, Comparison, trinormal_table
from pdkappa.methods.planning.core.power import Binormal
from pdkappa.methods.planning.design import check_reach, read_design
from pdkappa.methods.planning.goal import check_share, check_whole, rounded_up
from pdkappa.methods.planning.size import SampleSize
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, Weights

Claim: TypeAlias = Literal["difference", "non_inferiority", "equivalence"]
MOST_CATEGORIES = 20
SAME = 1e-9  # numbers that a user types


@gate
def sample_size_compare(
    first: float,
    second: float,
    between: float | None = None,
    *,
    margins: npt.ArrayLike,
    claim: Claim = "difference",
    margin: float | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    confidence_level: float = 0.95,
    power: float = 0.8,
) -> SampleSize:
    """Find the number of items that a comparison of two kappas needs.

    How many items are needed to show that one model agrees better with a human than another one,
    or hardly less? Both are compared with the same rater on the same items, as in `compare`.

    Parameters
    ----------
    first, second : float
        The kappas to expect of the shared rater with either of the two who are compared.
    between : float, optional
        The kappa to expect of these two with each other: the larger, the fewer items.
        Default: what they have in common is what both share with the shared rater.
    margins : array-like, shape (K,) or (2, K)
        Shares of the categories, of all three raters, or of the shared one and of the two;
        only their ratios matter. See `sample_size`.
    claim : {"difference", "non_inferiority", "equivalence"}
        - ``difference``: the kappas differ, two-sided;
        - ``non_inferiority``: the first is less than the second by no more than `margin`;
        - ``equivalence``: they differ by less than `margin`.
    margin : float, optional
        The largest difference that does not matter, greater than zero; for the latter two.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores, as in `from_table`.
    confidence_level : float, default 0.95
        In (0, 1); the size of the test is 1 less it.
    power : float, default 0.8
        Probability that the study shows what is claimed, in (0, 1).

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number; ``.table`` is None.

    Raises
    ------
    OptionError
        If an option is out of its range, the kappas are not as claimed, or no three raters
        have them.
    TooLargeError
        If there are more than 20 categories.
    KappaError
        If an option is not known. See `pdkappa.errors`.

    See Also
    --------
    power_compare : The power of a given number of items.
    compare : The test itself.

    Notes
    -----
    The ratings are supposed to be three correlated normal variables, cut into categories, in
    their order; the correlations are those that give the kappas. Studies of three raters are
    drawn, seeded, and their difference is tested as by `compare`: by its linearised standard
    error and a t distribution; non-inferiority and equivalence by one-sided tests. For the
    search see `sample_size`.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> pdkappa.sample_size_compare(0.7, 0.6, 0.6, margins=shares, weights="quadratic")
    321 items to show difference of kappas 0.7 and 0.6 with power 0.8 (level 0.95, simulation)

    To show that a model is not much worse than another one takes fewer, if both are as good:

    >>> pdkappa.sample_size_compare(
    ...     0.7, 0.7, 0.7, margins=shares, weights="quadratic", claim="non_inferiority", margin=0.1
    ... ).n_items
    176
    """
    reading = Reading(weights=weights, categories=categories)
    level = check_level(confidence_level)
    study = _assume(
        first,
        second,
        between,
        margins=margins,
        reading=reading,
        claim=claim,
        margin=margin,
        level=level,
    )
    power = check_share("power", power)
    exact = study.items_for_power(power)
    settings = {
        "first": first,
        "second": second,
        "between": between,
        "claim": claim,
        "margin": margin,
        "confidence_level": level,
        "power": power,
    }
    return SampleSize(rounded_up(exact), exact, "simulation", None, None, settings)


@gate
def power_compare(
    n_items: int,
    first: float,
    second: float,
    between: float | None = None,
    *,
    margins: npt.ArrayLike,
    claim: Claim = "difference",
    margin: float | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    confidence_level: float = 0.95,
) -> float:
    """Compute the power of a comparison of two kappas with a number of items.

    It is the inverse of `sample_size_compare`.

    Parameters
    ----------
    n_items : int
        Number of items, from 2 upwards.
    first, second : float
        The kappas to expect of the shared rater with either of the two who are compared.
    between : float, optional
        The kappa to expect of these two with each other. See `sample_size_compare`.
    margins : array-like, shape (K,) or (2, K)
        Shares of the categories, of all three raters, or of the shared one and of the two.
    claim : {"difference", "non_inferiority", "equivalence"}
        What is to be shown. See `sample_size_compare`.
    margin : float, optional
        The largest difference that does not matter, greater than zero.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores, as in `from_table`.
    confidence_level : float, default 0.95
        In (0, 1).

    Returns
    -------
    float
        Probability that the study shows what is claimed, in [0, 1].

    Raises
    ------
    OptionError
        If an option is out of its range, the kappas are not as claimed, or no three raters
        have them.
    KappaError
        If an option is not known. See `pdkappa.errors`.

    See Also
    --------
    sample_size_compare : The number of items for a given power.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> found = pdkappa.power_compare(100, 0.7, 0.6, 0.6, margins=shares, weights="quadratic")
    >>> round(found, 2)
    0.34
    """
    n_items = check_whole("n_items", n_items)
    reading = Reading(weights=weights, categories=categories)
    level = check_level(confidence_level)
    study = _assume(
        first,
        second,
        between,
        margins=margins,
        reading=reading,
        claim=claim,
        margin=margin,
        level=level,
    )
    return study.power(n_items)


def _assume(
    first: object,
    second: object,
    between: float | None,
    *,
    margins: npt.ArrayLike,
    reading: Reading,
    claim: str,
    margin: object,
    level: float,
) -> Comparison:
    """Check what a study assumes, and find the table of three raters."""
    check_choice("claim", claim, CLAIMS)
    kappas = {"first": first, "second": second}
    kappas |= {} if between is None else {"between": between}
    for name, value in kappas.items():
        if not (is_number(value) and -1 < value < 1):
            message = f"{name}={shown(value)} must lie between -1 and 1."
            raise OptionError(message)
    far = _check_margin(claim, margin)
    _check_claim(claim, float(first) - float(second), far)  # type: ignore[arg-type]  # numbers
    design = read_design(margins, None, reading)
    shared, compared = design.shares.sum(axis=1), design.shares.sum(axis=0)
    if len(shared) > MOST_CATEGORIES:
        message = (
            f"There are {len(shared)} categories; for three raters the limit is "
            f"{MOST_CATEGORIES}. Merge some of them."
        )
        raise TooLargeError(message)
    with_shared = Binormal(shared, compared, design.scale)
    check_reach(with_shared.reach, first, second)  # type: ignore[arg-type]  # numbers
    rho = [with_shared.correlation(one) for one in (first, second)]  # type: ignore[arg-type]
    rho.append(_between(between, rho, Binormal(compared, compared, design.scale)))
    table = trinormal_table(shared, compared, np.array(rho))
    return Comparison(table, design.scale, claim, far, level)


def _check_margin(claim: str, margin: object) -> float:
    """Return the margin, zero for a difference; refuse one that does not fit the claim."""
    if claim == "difference":
        if margin is not None:
            message = (
                f"margin={shown(margin)} is about claim='non_inferiority' or 'equivalence'. "
                "Choose one of them, or leave margin= out."
            )
            raise OptionError(message)
        return 0.0
    if not (is_number(margin) and 0 < margin < 2):  # noqa: PLR2004
        message = (
            f"claim={claim!r} needs margin=, the largest difference that does not matter, between "
            f"0 and 2, got {shown(margin)}."
        )
        raise OptionError(message)
    return float(margin)


def _check_claim(claim: str, difference: float, margin: float) -> None:
    """Refuse to plan for what is not so."""
    is_so = {
        "difference": abs(difference) > SAME,
        "non_inferiority": difference > SAME - margin,
        "equivalence": abs(difference) < margin - SAME,
    }
    if not is_so[claim]:
        message = (
            f"With first - second = {difference:.4g} there is no {claim} to show"
            f"{f' by margin={margin:g}' if margin else ''}. Assume other kappas, or another margin."
        )
        raise OptionError(message)


def _between(between: float | None, rho: list[float], family: Binormal) -> float:
    """Find the correlation of the two raters who are compared, and refuse what cannot be."""
    middle = rho[0] * rho[1]
    if between is None:
        return middle
    check_reach(family.reach, between)
    room = math.sqrt((1 - rho[0] ** 2) * (1 - rho[1] ** 2)) * (1 - SAME)
    found = family.correlation(between)
    if not abs(found - middle) <= room:
        low, high = (family.kappa_of(middle + one) for one in (-room, room))
        message = (
            f"between={between:g} is beyond what three raters with such kappas have, from "
            f"{low:.4g} to {high:.4g}. Assume a value between these, or leave it out."
        )
        raise OptionError(message)
    return found
