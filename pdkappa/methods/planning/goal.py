"""What a study is to show, and by which test: the options of planning, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pdkappa.coefficients.score_limits import ndtri
from pdkappa.errors import OptionError, check_choice, shown
from pdkappa.methods.estimates.options import check_level, is_number
from pdkappa.methods.planning.core.simulation import FEWEST

METHODS = ("simulation", "fisher", "wald", "worst_case", "goodness_of_fit")
OF_MANY = {"simulation": 50, "goodness_of_fit": 1000}  # raters at most
ALTERNATIVES = ("two-sided", "one-sided")


@dataclass(frozen=True)
class Test:
    """A method, and the limits of the interval that its test and precision are about.

    Attributes
    ----------
    method : str
        How power is computed.
    level : float
        Confidence level of both limits, also where only one of them matters.
    one_sided : bool
        Whether only one of them does.
    """

    method: str
    level: float
    one_sided: bool

    @classmethod
    def of(cls, method: str, alternative: str, level: object) -> Test:
        """Check the options; the lower limit of 90 % is held in 95 %."""
        check_choice("alternative", alternative, ALTERNATIVES)
        level, one_sided = check_level(level), alternative == "one-sided"
        both = 2 * level - 1 if one_sided else level
        if both <= 0:
            message = (
                f"confidence_level={level:g} leaves a one-sided limit on the wrong side of the "
                "estimate. Pass more than 0.5."
            )
            raise OptionError(message)
        return cls(method, both, one_sided)

    @property
    def quantile(self) -> float:
        """How many standard errors from the null a large-sample test rejects it."""
        return -float(ndtri((1 - self.level) / 2))


def check_goal(null: object, half_width: object) -> None:
    """Make sure that there is one question."""
    if (null is None) == (half_width is None):
        message = (
            "Pass either null=, the value to test against, or half_width=, the precision of the "
            "estimate."
        )
        raise OptionError(message)


def check_null(null: float | None) -> float:
    """Make sure that there is something to be told from."""
    if null is None:
        message = "Pass null=, the value to test against."
        raise OptionError(message)
    return null


def check_share(option: str, value: object) -> float:
    """Refuse what is no number between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        message = f"{option}={shown(value)} must lie between 0 and 1."
        raise OptionError(message)
    return float(value)


def rounded_up(exact: float) -> int:
    """Return a number of items; refuse one beyond all numbers."""
    if not math.isfinite(exact):
        message = (
            "The number of items is too large to compute. Pass a larger half_width or margin, or "
            "values that are farther apart."
        )
        raise OptionError(message)
    return max(math.ceil(exact), FEWEST)


def check_raters(n_raters: int, method: str) -> int:
    """Refuse more raters than a method is about, and a method that is not known."""
    check_choice("method", method, METHODS)
    n_raters = check_whole("n_raters", n_raters, max(OF_MANY.values()))
    if n_raters > 2 and method not in OF_MANY:  # noqa: PLR2004
        message = (
            f"method={method!r} is for two raters, got n_raters={n_raters}. "
            "Choose method='simulation' or 'goodness_of_fit', for two categories."
        )
        raise OptionError(message)
    if n_raters > OF_MANY.get(method, n_raters):
        message = (
            f"method={method!r} takes up to {OF_MANY[method]} raters, got n_raters={n_raters}. "
            "Choose method='goodness_of_fit'."
        )
        raise OptionError(message)
    return n_raters


def check_whole(option: str, value: object, most: int | None = None) -> int:
    """Refuse what is no whole number from 2 upwards, or more than `most`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    number = int(value) if whole else 0  # type: ignore[call-overload]  # an integer
    if number < FEWEST or (most is not None and number > most):
        end = "upwards" if most is None else f"to {most}"
        message = f"{option}={shown(value)} must be a whole number from {FEWEST} {end}."
        raise OptionError(message)
    return number
