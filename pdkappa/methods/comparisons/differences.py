"""What all comparisons share: from options to coefficients, from tests to a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    RatingsError,
    check_choice,
    listing,
    shown,
)
from pdkappa.methods.comparisons.core.contrasts import equivalence, non_inferiority, t_test
from pdkappa.methods.estimates.options import check_label, is_number
from pdkappa.methods.estimates.pair_frames import SYNONYMS, remarks_of, warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.comparisons.core.contrasts import Contrast
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.options import Reading

PAIR = 2


def read_compared(
    data: pd.DataFrame | Counted, raters: Raters | None, reading: Reading, coefficient: str
) -> Study:
    """Check the coefficient, and read the ratings of those who are compared."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    study = read(data, raters, reading)
    study.warn_of_categories([coefficient])
    return study


def kappas_of(study: Study, pairs: Sequence[tuple[Label, Label]], coefficient: str) -> PairKappas:
    """Estimate the coefficients of some pairs of raters, in every group."""
    names = study.coded.raters
    places = [(names.index(a), names.index(b)) for a, b in pairs]
    return of_pairs(study.rows.compressed(), study.scale, COEFFICIENTS[coefficient], places)


def columns_named(given: Any, option: str, what: str) -> list[Label]:
    """Return the columns that the user listed, in order."""
    is_list = pd.api.types.is_list_like(given) and not isinstance(given, set | frozenset | dict)
    if not is_list:
        alone = isinstance(given, str) and what.startswith("a list")
        example = f"[{shown(given)}]" if alone else "('ann', 'bob')"
        message = f"{option} must be {what}, got {shown(given)}. Write {option}={example}."
        raise OptionError(message)
    names = list(given)
    for name in names:
        if name is pd.NA or not pd.api.types.is_hashable(name):
            message = f"{option} must hold column labels, got {shown(name)}. Name the columns."
            raise OptionError(message)
    return names


def check_different(names: Sequence[Label], option: str) -> None:
    """Make sure that no rater is paired with themselves."""
    twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if twice:
        message = f"{option} names {listing(twice)} more than once. Name different raters."
        raise DuplicateRatingError(message)


def measured_by(humans: Any, function: str, **given: list[Label]) -> list[Label]:
    """Return the raters that machines are measured by; these are `given` by the option's name."""
    [(option, machines)] = given.items()
    if not machines:
        message = f"{option} is an empty list. Name a rater, or several."
        raise OptionError(message)
    for machine in machines:
        check_label(option, machine)
    check_different(machines, option)
    names = columns_named(humans, "humans", "a list of columns")
    check_different(names, "humans")
    both = [machine for machine in machines if machine in names]
    if both:
        message = f"{option}={both[0]!r} is among the humans too. Leave it out of humans."
        raise DuplicateRatingError(message)
    if len(names) < PAIR:
        message = (
            f"{function} needs two humans or more, got {len(names)}: "
            "a machine is measured by how well they agree with each other."
        )
        raise RatingsError(message)
    return names


def check_margin(margin: object) -> None:
    """Refuse a margin that is no finite number, or negative."""
    if not is_number(margin) or not 0 <= margin < np.inf:
        message = (
            f"margin={margin!r} must be a number of zero or more: how much less agreement is "
            f"acceptable."
        )
        raise OptionError(message)


def tested(difference: Contrast, level: float) -> dict[str, FloatArray]:
    """Return the columns of a difference and its test."""
    test = t_test(difference, level)
    return {
        "difference": difference.estimate,
        "se": difference.se,
        "ci_low": test.low,
        "ci_high": test.high,
        "z": test.z,
        "p_value": test.p_value,
    }


def by_margin(difference: Contrast, margin: float | None) -> dict[str, FloatArray | float]:
    """Return the columns of the tests by a margin, none without one."""
    if margin is None:
        return {}
    return {
        "margin": float(margin),
        "p_non_inferior": non_inferiority(difference, margin),
        "p_equivalent": equivalence(difference, margin),
    }


def with_no_weight(no_weight: BoolArray, reason: ObjectArray) -> ObjectArray:
    """Say that there are no items because none has a weight, where that is why.

    `no_weight` is that of each group, of as many rows one below the other.
    """
    of_row = no_weight.repeat(len(reason) // max(len(no_weight), 1))
    return np.where(of_row & (reason == "no_items"), "zero_total_weight", reason)


def repeated(value: Any, times: int) -> Any:
    """Repeat a label as it is, be it a tuple."""
    return index_of([value]).repeat(times)


def by_group(study: Study, columns: dict[str, Any], figure: str) -> pd.DataFrame:
    """Put the columns into a frame, after the labels of the groups; warn of what is NaN.

    The last column says of which groups the test is weak, if it says nothing else yet.
    """
    groups = study.groups
    if "remark" not in columns:
        columns["remark"] = remarks_of(study.rows)
    columns["reason"] = with_no_weight(groups.no_weight, columns["reason"])
    frame = pd.DataFrame(columns)
    warn_if_undefined("comparison", frame[figure].isna(), frame["reason"], groups.name)
    return result(groups.label(frame), study.raters)
