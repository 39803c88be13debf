"""Predictions against the truth, group by group and pooled: `scorecard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, shown
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.predictions.core.scores import add_up, label_scores, weighted_mean
from pdkappa.methods.predictions.scored import POOLED, read_scored
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import opened
from pdkappa.ratings.options import Reading
from pdkappa.ratings.raters import weights_of_groups

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        FloatArray,
        GroupWeights,
        ItemWeights,
        Label,
    )
    from pdkappa.methods.predictions.scored import ScoredItems
    from pdkappa.ratings.coded import Counted

UNTOLD = "no_order"  # a fact about the labels rather than about a row


@gate
def scorecard(
    data: pd.DataFrame | Counted,
    truth: Label | list[Label],
    prediction: Label | list[Label] | None,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    sample_weight: ItemWeights | None = None,
    probabilities: list[Label] | dict[Any, Label] | None = None,
    ranked: Label | list[Label] | None = None,
    k: int | None = None,
    group_weights: GroupWeights | None = None,
) -> pd.DataFrame:
    """Score predictions against the truth, group by group and pooled.

    How good is a classifier, by every usual measure at once, and where is it not?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    truth : column label or list of column labels
        The true classes: a column with one label for each item, or a column with a list,
        set or array of labels for each (a tuple is one label), or several columns of 0 and
        1, one for each label, which is then called as its column.
    prediction : column label or list of column labels or None
        The predicted classes, in the same form; columns of 0 and 1 in the same order as
        those of `truth`. None if there are only `probabilities` or `ranked`.
    by : column label or list of column labels, optional
        One row for each group. Rows with a missing group are left out.
    categories : list or dict, optional
        The classes in order, or their scores, as in `pairs`.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    probabilities : dict or list of column labels, optional
        For each class the column of its probability, ``{class: column}``. A list is enough
        where the columns are called as the classes; or where there are as many columns as
        classes and the classes are numbers, or have a declared order, which is then that of
        the columns. Each row adds up to 1 within 1e-6.
    ranked : column label or list of column labels, optional
        Labels from best to worst: a column of lists, or a column for each place.
    k : int, optional
        How many of the ranked labels count. Default: as many as are ranked for any item.
    group_weights : column label or dict or Series, optional
        Weight of each group in the pooled `cohen` and `qwk`, as in `grouped`.

    Returns
    -------
    DataFrame
        One row for each group, labelled by group, and a last row ``pooled``, which is the
        only one without `by`:

        - ``n_items``: number of items that are scored, the same for all scores;
        - ``n_missing``: number of items left out because truth, prediction, probabilities
          or ranking are missing;
        - ``accuracy``: share of items whose predicted label, or set of labels, is the true
          one, in [0, 1];
        - ``log_loss``: mean of ``-ln(p)`` of the true class, in [0, 36.04];
        - ``mean_f1, macro_f1, micro_f1``: mean over items of the F1 of an item's labels,
          mean over labels of the F1 of a label, and the F1 of all pairs of an item and a
          label, in [0, 1]. With one label for each item, the first and the last are the
          accuracy;
        - ``cohen, qwk``: Cohen's kappa, unweighted (a set of labels is a category) and with
          quadratic weights, at most 1;
        - ``map_at_k``: mean over items of the average precision of the first k ranked
          labels, in [0, 1];
        - ``reason`` for NaN, separated by commas; empty where all that was asked for is defined,
          as scores of what was not passed are not: ``no_order`` (no `qwk`, because nothing says
          what the order is), ``no_items``, ``no_joint_items``, ``zero_total_weight`` (nothing to
          score), ``constant_ratings`` (`cohen` and `qwk` are 0/0), ``no_labels`` (no item has a
          label to be found), ``no_defined_group`` (`cohen` or `qwk` is undefined in all groups).

        Of all groups together, `cohen` and `qwk` are Fisher-z weighted means of those of
        the groups, as in `grouped`. All other scores are those of all items.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    CategoryError
        If a label is not among the categories.
    OptionError
        If it is unclear which probability belongs to which class, `k` is no number from 1
        upwards, a group is called 'pooled', or there is nothing to score.
    RatingsError
        If probabilities are no distributions, or the true class has none.
    RatingTypeError
        If labels are of different kinds, such as text and numbers, or stand alone here and
        in lists there.
    WeightsError
        If a weight is negative or not finite.

    Warns
    -----
    UndefinedKappaWarning
        Once, if a score that was asked for is undefined in some row.
    LookalikeLabelsWarning
        Once, if labels look like a mistake in the data, such as 'yes' beside 'yes '.

    See Also
    --------
    grouped : Kappa by group and pooled, with standard errors, limits and tests.

    Notes
    -----
    Kappa of all items together would credit a classifier with telling groups apart. The
    pooled one is a mean on Fisher's z scale instead, ``tanh(sum(w * atanh(kappa)) / sum(w))``
    with kappa clipped to [-0.999, 0.999], over the groups where it is defined.

    F1 is ``2 h / (t + p)`` for t true labels, p predicted ones, and h that are both. Where
    there are neither true nor predicted ones it is 0/0 and left out of the mean, as by
    ``zero_division=nan`` of scikit-learn; the macro F1 is over the labels that occur.
    Probabilities are clipped to [eps, 1 - eps] with eps = 2.2e-16, as scikit-learn clips
    double precision. Average precision is the sum of the precisions at the places among the
    first k that hold a true label, divided by the number of true labels, or by k if that is
    less, as by the package ml_metrics of B. Hamner, but that an item without true labels has
    none. A label that is ranked twice counts where it comes first.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> card = pdkappa.scorecard(df, "human_1", "machine", by="essay_set")
    >>> card[["n_items", "accuracy", "macro_f1", "cohen", "qwk"]].round(3)
               n_items  accuracy  macro_f1  cohen    qwk
    essay_set
    1              300     0.333     0.302  0.188  0.738
    2              300     0.577     0.531  0.415  0.777
    3              260     0.600     0.563  0.406  0.681
    4              260     0.681     0.692  0.544  0.797
    5              260     0.573     0.531  0.376  0.713
    6              260     0.627     0.579  0.467  0.770
    7              220     0.095     0.057  0.038  0.756
    8              140     0.064     0.052  0.019  0.694
    pooled        2000     0.474     0.145  0.318  0.743

    Several labels for each item, in columns of 0 and 1:

    >>> true, pred = ["cat", "dog", "owl"], ["cat_p", "dog_p", "owl_p"]
    >>> pets = pd.DataFrame(
    ...     [[1, 1, 0, 1, 0, 1], [1, 0, 0, 0, 1, 0], [1, 1, 1, 1, 0, 1]], columns=true + pred
    ... )
    >>> pdkappa.scorecard(pets, true, pred)[["mean_f1", "macro_f1", "micro_f1"]].round(3)
            mean_f1  macro_f1  micro_f1
    pooled    0.433     0.489     0.545

    The classes of probabilities are never guessed from the alphabet:

    >>> df = pd.DataFrame({"is": ["low", "mid"], "p1": [0.9, 0.5], "p2": [0.1, 0.5]})
    >>> card = pdkappa.scorecard(df, "is", None, probabilities={"low": "p1", "mid": "p2"})
    >>> card[["n_items", "log_loss", "reason"]].round(3)
            n_items  log_loss reason
    pooled        2     0.399
    """
    if prediction is None and probabilities is None and ranked is None:
        message = "There is nothing to score. Pass prediction, probabilities or ranked."
        raise OptionError(message)
    _check_k(k, ranked)
    if group_weights is not None and by is None:
        message = "group_weights are for the mean over groups, and there are none. Pass by."
        raise OptionError(message)
    check_by(by, set(schema.SCORECARD))
    frame, weights, categories = opened(data, sample_weight, categories)
    reading = Reading(by=by, categories=categories, sample_weight=weights)
    scored = read_scored(
        frame, reading, truth, prediction, probabilities=probabilities, ranked=ranked, k=k
    )
    parts, labels = [_rows(scored, "constant_ratings")], pd.Index([POOLED])
    if scored.groups.labels is not None:
        labels = scored.groups.labels
        pooled = scored.pooled(weights_of_groups(frame, labels, group_weights))
        parts.append(_rows(pooled, "no_defined_group"))
        labels = _with_pooled(labels)
    card = pd.concat(parts, ignore_index=True).set_axis(labels)
    for name in ("n_items", "n_missing"):
        card[name] = whole(card[name].to_numpy())
    told = card["reason"].map(_undefined_ones)
    warn_if_undefined("row", told != "", told)
    sides = [one if isinstance(one, list) else [one] for one in (truth, prediction)]
    return result(card, [name for side in sides for name in side if name is not None])


def _check_k(k: object, ranked: object) -> None:
    """Refuse a number of ranked labels that is none, or that nothing is ranked for."""
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        message = f"k={shown(k)} must be a whole number from 1 upwards."
        raise OptionError(message)
    if ranked is None:
        message = f"k={k} says how many ranked labels count, but none are ranked. Pass ranked."
        raise OptionError(message)


def _rows(scored: ScoredItems, no_kappa: str) -> pd.DataFrame:
    """Score every group; `no_kappa` is the reason why a coefficient is undefined."""
    group, n_groups = scored.group, scored.groups.n
    weight = scored.weight / (scored.weight.max(initial=0) or 1)  # sums stay finite
    scores = {
        name: weighted_mean(values, group, n_groups, weight)
        for name, values in scored.of_items.items()
    }
    if scored.counts is not None:
        scores |= label_scores(scored.counts, scored.sets)._asdict() | scored.kappas
    n_items = add_up(group, scored.weight, n_groups)
    columns = dict.fromkeys(schema.SCORECARD, np.full(n_groups, np.nan)) | scores
    return pd.DataFrame(
        columns
        | {
            "n_items": n_items,
            "n_missing": scored.n_missing,
            "reason": _reasons(scored, scores, n_items > 0, no_kappa),
        }
    )


def _reasons(
    scored: ScoredItems, scores: dict[str, FloatArray], some: BoolArray, no_kappa: str
) -> list[str]:
    """Say of each group why scores are undefined, as far as they were asked for."""

    def undefined(names: tuple[str, ...]) -> BoolArray:
        nan = [np.isnan(scores[name]) for name in names if name in scores]
        return some & np.logical_or.reduce([np.zeros_like(some), *nan])

    left_out, no_weight = scored.n_missing > 0, scored.no_weight
    holds = {
        "zero_total_weight": ~some & no_weight,
        "no_joint_items": ~some & left_out,
        "no_items": ~some & ~left_out & (not no_weight),
        "no_labels": undefined(("mean_f1", "map_at_k")),
        no_kappa: undefined(("cohen", "qwk")),
        "no_order": some & ("cohen" in scores and "qwk" not in scores),
    }
    codes, rows = list(holds), np.array(list(holds.values())).T
    return [", ".join(codes[place] for place in np.flatnonzero(row)) for row in rows]


def _undefined_ones(reason: str) -> str:
    """Leave out what no warning is due for."""
    return ", ".join(code for code in reason.split(", ") if code != UNTOLD)


def _with_pooled(groups: pd.Index) -> pd.Index:
    """Label the rows of the groups, and the last one."""
    levels = [groups.get_level_values(level).astype(object) for level in range(groups.nlevels)]
    labels = [POOLED] + [""] * (len(levels) - 1)
    arrays = [
        level.append(pd.Index([label], dtype=object))
        for level, label in zip(levels, labels, strict=True)
    ]
    if groups.nlevels == 1:
        return arrays[0].rename(groups.name)
    return pd.MultiIndex.from_arrays(arrays, names=groups.names)
