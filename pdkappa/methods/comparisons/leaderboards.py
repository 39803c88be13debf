"""How far submissions differ between a public and a private part of a test set."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import DuplicateRatingError, OptionError, RatingsError, shown
from pdkappa.estimation.checks import check_by
from pdkappa.estimation.gate import check_label, gate
from pdkappa.estimation.intervals import is_number
from pdkappa.estimation.labels import whole
from pdkappa.estimation.undefined import warn_if_undefined
from pdkappa.methods.comparisons.core.contrasts import contrast
from pdkappa.methods.comparisons.core.leaderboards import sd_between_parts, swap_probability
from pdkappa.methods.comparisons.differences import (
    check_different,
    columns_named,
    kappas_of,
    read_compared,
    repeated,
    with_no_weight,
)
from pdkappa.present import schema
from pdkappa.present.text.result import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import is_column
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        FloatArray,
        ItemWeights,
        Label,
        Missing,
        Weights,
    )
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.comparisons.core.contrasts import Contrast
    from pdkappa.ratings.groups import Groups

FEWEST_TO_SWAP = 2


@gate
def shake(
    data: pd.DataFrame | Counted,
    truth: Label,
    predictions: Label | list[Label],
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = "quadratic",
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    public: float = 0.3,
) -> pd.DataFrame:
    """Estimate how much a submission's public and private scores differ by chance alone.

    A leaderboard shows the score on a part of the test set, and the rest decides. How much of the
    difference is due to the random split?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        The whole test set: one row for each item. Never changed.
    truth : column label
        The true classes.
    predictions : column label or list of column labels
        The predictions of one submission, or of several, a column each.
    by : column label or list of column labels, optional
        One result for each group, each of which is split.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that a submission predicted, use those that all predicted, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    public : float or int, default 0.3
        The share of the items in the public part, or their number: 0.3 or 600.

    Returns
    -------
    DataFrame
        One row for each submission (and group): the columns of `by`, and

        - ``submission``: its column;
        - ``n_items``: items with truth and prediction;
        - ``n_public, n_private``: items in the two parts, with a true class and the
          prediction of any submission;
        - ``estimate``: the coefficient of all items;
        - ``sd_parts``: standard deviation, over random splits, of the public less the
          private estimate; 0 where no item has any influence, as for perfect predictions;
        - ``reason`` for NaN: as in `compare`, and ``empty_part`` where a part has no items.

    Raises
    ------
    OptionError
        If `public` is neither a share nor a number of items.
    DuplicateRatingError
        If a column is named twice.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some standard deviation is NaN.

    See Also
    --------
    swaps : Whether two submissions change places.
    compare : Whether two submissions differ beyond what chance does to the whole test set.

    Notes
    -----
    With influence values psi of n items, ``tau**2 = sum(psi**2) / (n - 1)``, and parts of
    n1 and n2 items, the standard deviation is ``tau * sqrt(1 / n1 + 1 / n2)``. That is exact
    for the mean of the influence values, and of the first order for the coefficient. About
    one split in twenty differs by more than twice as much.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.shake(df, "human_1", ["human_2", "machine"], by="essay_set")
    >>> found.drop(columns="reason").head(4).round(3)
              submission  n_items  estimate  sd_parts  n_public  n_private
    essay_set
    1            human_2      300     0.730     0.057        90        210
    1            machine      300     0.738     0.055        90        210
    2            human_2      300     0.804     0.043        90        210
    2            machine      300     0.777     0.050        90        210
    """
    names = _submissions(data, predictions, truth)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    groups, kappas = _read(data, [truth, *names], public, reading, coefficient)
    parts, tables = _parts(kappas, public), []
    for number, name in enumerate(names):
        one = contrast(kappas, np.eye(len(names))[number])
        columns = {
            "submission": repeated(name, groups.n),
            "n_items": kappas.n_items[number],
            **parts,
            "estimate": one.estimate,
            "sd_parts": sd_between_parts(one.se, *parts.values()),
            "reason": one.reason,
        }
        tables.append(columns)
    return result(_frame(groups, tables, schema.SHAKE), [truth, *names])


@gate
def swaps(
    data: pd.DataFrame | Counted,
    truth: Label,
    predictions: list[Label],
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = "quadratic",
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    public: float = 0.3,
) -> pd.DataFrame:
    """Estimate how likely two submissions change places between public and private part.

    How reliable is the public order of a leaderboard? Submissions for the same items are
    dependent, so they swap less often than their standard deviations suggest.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        The whole test set: one row for each item. Never changed.
    truth : column label
        The true classes.
    predictions : list of column labels
        The predictions of two submissions or more, a column each.
    by : column label or list of column labels, optional
        One result for each group, each of which is split.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that a submission predicted, use those that all predicted, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    public : float or int, default 0.3
        The share of the items in the public part, or their number: 0.3 or 600.

    Returns
    -------
    DataFrame
        One row for each two submissions (and group): the columns of `by`, and

        - ``first, second``: the columns of the two;
        - ``n_public, n_private``: as in `shake`;
        - ``estimate_first, estimate_second, difference``: the coefficients of all items,
          and first minus second;
        - ``sd_parts``: standard deviation, over random splits, of the public less the
          private difference;
        - ``p_swap``: probability that the better one in the public part is the worse one in
          the private part, in [0, 1]; 0 for two submissions with the same predictions;
        - ``reason`` for NaN, as in `shake`.

    Raises
    ------
    RatingsError
        If there are fewer than two submissions.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some probability is NaN.

    See Also
    --------
    shake : How far each submission's scores differ.
    compare : Whether two submissions differ beyond what chance does to the whole test set.

    Notes
    -----
    Let d be the difference of all n items, and tau the standard deviation of the differences of
    the influence values. The public difference is nearly normal around d with ``s = tau * sqrt(1 /
    n1 - 1 / n)``, and the private difference deviates from d in the opposite direction, n1 / n2
    times as much. So the probability is ``Phi(-abs(d) / s) + Phi(-abs(d) * n2 / (s * n1))``. It is
    about this test set, split at random: two submissions with equal scores on all of it always
    swap, unless they are the same.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.swaps(df, "human_1", ["human_2", "machine"], by="essay_set")
    >>> found[["difference", "sd_parts", "p_swap"]].head(4).round(3)
               difference  sd_parts  p_swap
    essay_set
    1              -0.009     0.052   0.695
    2               0.027     0.050   0.259
    3               0.028     0.071   0.380
    4               0.060     0.047   0.035
    """
    names = _submissions(data, predictions, truth)
    if len(names) < FEWEST_TO_SWAP:
        message = (
            f"swaps needs two submissions or more, got {len(names)}. For one, shake() tells how "
            "far its scores differ."
        )
        raise RatingsError(message)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    groups, kappas = _read(data, [truth, *names], public, reading, coefficient)
    parts, tables = _parts(kappas, public), []
    for pair in combinations(range(len(names)), 2):
        one = _difference(kappas, pair)
        columns = {
            "first": repeated(names[pair[0]], groups.n),
            "second": repeated(names[pair[1]], groups.n),
            **parts,
            "estimate_first": kappas.estimate[pair[0]],
            "estimate_second": kappas.estimate[pair[1]],
            "difference": one.estimate,
            "sd_parts": sd_between_parts(one.se, *parts.values()),
            "p_swap": swap_probability(one.estimate, one.se, *parts.values()),
            "reason": one.reason,
        }
        tables.append(columns)
    return result(_frame(groups, tables, schema.SWAPS), [truth, *names])


def _submissions(data: Any, predictions: Any, truth: Label) -> list[Label]:
    """Return the columns of the submissions: one label, or a list of them."""
    frame = data.frame if isinstance(data, Counted) else data
    is_label = isinstance(frame, pd.DataFrame) and is_column(frame, predictions)
    if is_label or not pd.api.types.is_list_like(predictions):
        check_label("predictions", predictions)
        names = [predictions]
    else:
        names = columns_named(predictions, "predictions", "a column or a list of columns")
    check_different(names, "predictions")
    if truth in names:
        message = f"truth={truth!r} is among the predictions too. Leave it out of them."
        raise DuplicateRatingError(message)
    return names


def _read(
    data: pd.DataFrame | Counted,
    columns: list[Label],
    public: object,
    reading: Reading,
    coefficient: str,
) -> tuple[Groups, PairKappas]:
    """Check the options, and estimate the agreement of the first column with all others."""
    if not is_number(public) or not (
        0 < public < 1 or (isinstance(public, int | np.integer) and public >= 1)
    ):
        message = (
            f"public={shown(public)} must be a share between 0 and 1, or a whole number of items "
            "from 1 upwards."
        )
        raise OptionError(message)
    check_by(reading.by, {*schema.SHAKE, *schema.SWAPS})
    study = read_compared(data, columns, reading, coefficient)
    truth, *names = columns
    return study.groups, kappas_of(study, [(truth, name) for name in names], coefficient)


def _parts(kappas: PairKappas, public: float) -> dict[str, FloatArray]:
    """Return the number of items of both parts, each of shape (G,)."""
    n = kappas.rows.n_items
    n_public = np.minimum(np.rint(n * public) if public < 1 else float(public), n)
    return {"n_public": n_public, "n_private": n - n_public}


def _difference(kappas: PairKappas, pair: tuple[int, int]) -> Contrast:
    """Subtract the coefficients of two submissions."""
    both = list(pair)
    two = replace(
        kappas,
        n_items=kappas.n_items[both],
        estimate=kappas.estimate[both],
        worst=kappas.worst[both],
        influence=kappas.influence[both],
        reason=kappas.reason[both],
    )
    return contrast(two, np.array([1.0, -1.0]))


def _frame(groups: Groups, tables: list[dict[str, Any]], names: tuple[str, ...]) -> pd.DataFrame:
    """Put one table after the other within each group, after its labels; warn of what is NaN."""
    order = np.arange(len(tables) * groups.n).reshape(len(tables), groups.n).T.reshape(-1)
    frame = pd.concat([pd.DataFrame(table, columns=names) for table in tables], ignore_index=True)
    frame = frame.iloc[order].reset_index(drop=True)
    unsplit = (frame["n_public"] <= 0) | (frame["n_private"] <= 0)
    unsplit &= frame["reason"].isin(["", "no_variance"])
    reason = np.where(unsplit, "empty_part", frame["reason"])
    frame["reason"] = with_no_weight(groups.no_weight, reason)
    for count in {"n_items", "n_public", "n_private"}.intersection(names):
        frame[count] = whole(frame[count].to_numpy())
    submissions = frame[[name for name in ("submission", "first", "second") if name in frame]]
    places = [" with ".join(map(repr, row)) for row in submissions.to_numpy(dtype=object)]
    warn_if_undefined(
        "comparison",
        frame["sd_parts"].isna(),
        frame["reason"],
        lambda row: places[row] + groups.at(row // len(tables), " at "),
    )
    return groups.label(frame)
