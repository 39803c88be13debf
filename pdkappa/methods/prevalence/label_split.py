"""How many items of each class to label, so that a judge's errors are known best."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from pdkappa.errors import OptionError, check_choice, shown
from pdkappa.methods.estimates.options import gate, is_number

Rule: TypeAlias = Literal["lee", "neyman"]
RULES = ("lee", "neyman")
FEWEST = 2  # one of each class


class LabelSplit(NamedTuple):
    """Numbers of items to label: outside the category, and in it."""

    negatives: int
    positives: int


@gate
def label_split(
    n_labels: int,
    *,
    judged: float,
    specificity: float,
    sensitivity: float,
    n_pilot: int = 10,
    rule: Rule = "lee",
) -> LabelSplit:
    """Split a budget of labels so that `prevalence` is most precise.

    For ``method="rogan_gladen"`` labelled items may be chosen by their class. How many should be
    in the category, and how many outside?

    Parameters
    ----------
    n_labels : int
        The budget, 2 or more.
    judged : float
        Share of all items that the judge puts into the category, between 0 and 1.
    specificity, sensitivity : float
        Shares of the items outside the category, and in it, that the judge classified correctly
        in a pilot; in [0, 1].
    n_pilot : int, default 10
        Number of pilot items of each class. Half a pseudo-item on either side keeps estimated
        shares away from 0 and 1.
    rule : {"lee", "neyman"}
        - ``lee``: negatives to positives as ``(1 / p - 1) * sqrt((1 - q0) / (1 - q1))`` to 1 [1]_,
          with p the share `judged`: for judges who err little, whatever the pilot is;
        - ``neyman``: as ``(1 - s) * sqrt(q0 (1 - q0))`` to ``s * sqrt(q1 (1 - q1))``, with s the
          corrected share: the least standard error if the pilot is right, for which it should
          have some dozens of items.

    Returns
    -------
    LabelSplit
        ``.negatives`` and ``.positives``, one or more each, which add up to `n_labels`.

    Raises
    ------
    OptionError
        If a number is out of its range, or with ``rule="neyman"`` specificity and sensitivity say
        that the judge is no better than chance.

    See Also
    --------
    prevalence : The estimate itself.

    References
    ----------
    .. [1] Lee, C., Zeng, T., Jeong, J., Sohn, J., & Lee, K. (2025). How to correctly report
           LLM-as-a-judge evaluations. https://doi.org/10.48550/arXiv.2511.21140

    Examples
    --------
    >>> pdkappa.label_split(200, judged=0.4, specificity=0.7, sensitivity=0.9)
    LabelSplit(negatives=136, positives=64)

    Where true positives are rare, nearly all errors are those of negatives:

    >>> pdkappa.label_split(
    ...     200, judged=0.4, specificity=0.7, sensitivity=0.9, n_pilot=100, rule="neyman"
    ... )
    LabelSplit(negatives=177, positives=23)
    """
    total = _whole("n_labels", n_labels, FEWEST)
    pilot = _whole("n_pilot", n_pilot, 1)
    check_choice("rule", rule, RULES)
    _check_share("judged", judged, inside=True)
    _check_share("specificity", specificity, inside=False)
    _check_share("sensitivity", sensitivity, inside=False)
    q0, q1 = ((pilot * one + 1) / (pilot + 2) for one in (specificity, sensitivity))
    if rule == "lee":
        ratio = (1 / judged - 1) * np.sqrt((1 - q0) / (1 - q1))
    else:
        share = _corrected(judged, q0, q1)
        of_negatives = (1 - share) * np.sqrt(q0 * (1 - q0))
        ratio = of_negatives / max(share * np.sqrt(q1 * (1 - q1)), np.finfo(float).tiny)
    positives = int(np.clip(round(total / (1 + ratio)), 1, total - 1))
    return LabelSplit(total - positives, positives)


def _corrected(judged: float, q0: float, q1: float) -> float:
    """Share of the items in the category, as far as the pilot knows."""
    if q0 + q1 <= 1:
        message = (
            f"specificity={q0:.3g} and sensitivity={q1:.3g}, with their pseudo-items, add up to "
            f"1 or less: the judge is no better than chance. Use rule='lee', or another judge."
        )
        raise OptionError(message)
    return float(np.clip((judged + q0 - 1) / (q0 + q1 - 1), 0.0, 1.0))


def _whole(option: str, value: object, least: int) -> int:
    """Return a whole number; refuse any other one, and one that is too small."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        message = f"{option}={shown(value)} must be a whole number from {least} upwards."
        raise OptionError(message)
    return int(value)  # type: ignore[call-overload]


def _check_share(option: str, value: object, *, inside: bool) -> None:
    """Refuse what is no share; 0 and 1 are some, unless it must lie inside."""
    if not is_number(value) or not 0 <= value <= 1 or (inside and value in (0, 1)):
        message = f"{option}={shown(value)} must lie between 0 and 1."
        raise OptionError(message)
