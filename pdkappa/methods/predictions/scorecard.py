"""Predictions against the truth: `scorecard` and `qwk`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.means_over_groups import weighted_fisher_mean
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.coefficients.weights import PARTS, WEIGHTS, Scale, dot
from pdkappa.errors import KappaError, OptionError, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import USUAL_INTERVALS, check_by, whole_from
from pdkappa.methods.estimates.pair_frames import estimate, warn_if_undefined, whole
from pdkappa.methods.estimates.study import read, warn_of_pooled
from pdkappa.methods.estimates.weightings import scale_of
from pdkappa.methods.predictions.decide import OfDecide
from pdkappa.methods.predictions.inputs import (
    average_precision,
    label_scores,
    log_loss,
    places_of_texts,
    read_answers,
    read_probabilities,
    read_ranking,
    read_sequences,
    weighted_mean,
    whole_numbers,
)
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import CategorySet
from pdkappa.ratings.coded import Coded, Codes, missing_error, opened
from pdkappa.ratings.columns import native
from pdkappa.ratings.counted_pairs import pair_tables
from pdkappa.ratings.items import (
    columns_of_groups,
    is_column,
    item_weights,
    read_items,
    warn_of_ungrouped,
)
from pdkappa.ratings.raters import weights_of_groups

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import BoolArray, Categories, FloatArray, GroupWeights, IntArray, Label
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Weighting
    from pdkappa.methods.predictions.inputs import Answers, LabelSets
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.ratings.items import Groups
    from pdkappa.ratings.options import Reading

POOLED = "pooled"
POOLED_SCALES = "scales differ by {0}: pass by={0}"
KAPPAS = {"cohen": None, "qwk": "quadratic"}


@dataclass(frozen=True)
class ScoredItems:
    """What is known about the items that are scored, in G groups."""

    groups: Groups  # groups of the N items
    group: IntArray  # group of each item, 0 where they are not grouped, (N,)
    weight: FloatArray  # (N,)
    no_weight: bool  # whether there were items, but all have the weight zero
    n_missing: FloatArray  # how many items were left out, (G,)
    of_items: dict[str, FloatArray]  # scores of the items that are averaged, each of shape (N,)
    sets: LabelSets
    remark: str = ""  # what is to be said of all figures
    counts: PairCounts | None = None  # truth by prediction in each group, over sets of labels
    # Coefficients of the groups, each of shape (G,).
    kappas: dict[str, FloatArray] = field(default_factory=dict)

    def pooled(self, group_weights: FloatArray) -> ScoredItems:
        """Put all items into one group, but average the coefficients of the groups."""
        counts = self.counts
        if counts is not None:  # cells of all tables into one: some are there twice
            counts = replace(counts, table=np.zeros_like(counts.table), n_tables=1)
        return replace(
            self,
            groups=self.groups.together(),
            group=np.zeros_like(self.group),
            n_missing=self.n_missing.sum(keepdims=True),
            counts=counts,
            kappas={
                name: np.array([weighted_fisher_mean(kappas, group_weights).estimate])
                for name, kappas in self.kappas.items()
            },
        )


def read_scored(data: pd.DataFrame, reading: Reading, asked: OfScorecard) -> ScoredItems:
    """Read the items, leave out those about which something is not known, and count."""
    weights = item_weights(data, reading.sample_weight)
    by = [] if reading.by is None else columns_of_groups(data, reading.by)
    items = read_items(data, by, weights, reading, None)
    if by and not isinstance(items.keep, slice):
        warn_of_ungrouped(data, by)
    _check_names(items.groups, reading.by)
    rows = data if isinstance(items.keep, slice) else data[items.keep]
    answers = read_answers(rows, asked.truth, asked.predictions, reading.categories)
    known = answers.truth >= 0
    if answers.prediction is not None:
        known &= answers.prediction >= 0
    of_items = {}
    if asked.probabilities is not None:
        of_true = read_probabilities(rows, asked.probabilities, answers, asked.truth)
        of_items["log_loss"] = log_loss(of_true)
        known &= ~np.isnan(of_items["log_loss"])
    if asked.ranked is not None:
        of_items["map_at_k"], is_ranked = _precision(rows, answers, reading.categories, asked)
        known &= is_ranked
    groups, n = items.groups, len(rows)
    group = np.zeros(n, dtype=np.int64) if groups.of_item is None else groups.of_item
    weight = np.ones(n) if items.weights is None else items.weights
    scored = ScoredItems(
        groups.take(known),
        group[known],
        weight[known],
        no_weight=weights is not None and len(weights) > 0 and not weights.any(),
        n_missing=sums_at(group[~known], weight[~known], groups.n),
        of_items={name: values[known] for name, values in of_items.items()},
        sets=answers.sets,
    )
    if reading.missing == "raise":
        _check_known(known, answers, (asked.truth, asked.predictions), rows.index)
    if answers.prediction is None:
        return scored
    codes = np.stack([answers.truth, answers.prediction])
    given = (asked.truth, asked.predictions, reading.sample_weight)
    return _counted(scored, answers, codes, known, given=given, rows=rows)


def _check_known(
    known: BoolArray, answers: Answers, names: tuple[Any, Any], index: pd.Index
) -> None:
    """Refuse items without a truth, or without what is predicted of them."""
    if not known.all():
        untrue = np.flatnonzero(answers.truth < 0)
        lost = untrue if len(untrue) else np.flatnonzero(~known)
        raise missing_error(names[not len(untrue)], lost, index)


def _counted(
    scored: ScoredItems,
    answers: Answers,
    codes: IntArray,
    known: BoolArray,
    *,
    given: tuple[Any, ...],
    rows: pd.DataFrame,
) -> ScoredItems:
    """Add counts and coefficients, and say which column tells pooled scales apart, if any."""
    tables = _tables(codes[:, known], answers, scored)
    scored = replace(scored, counts=tables.counts, kappas=_kappas(tables))
    if scored.groups.labels is not None or not answers.single:
        return scored
    named, weight = [name for name in given if is_column(rows, name)], np.ones(len(rows))
    held = Codes(codes, answers.labels)
    coded = Coded(held, named[:2], rows.index, scored.groups, weight, named=named)
    pooled = warn_of_pooled(rows, coded)
    return scored if pooled is None else replace(scored, remark=POOLED_SCALES.format(shown(pooled)))


def _precision(
    rows: pd.DataFrame, answers: Answers, categories: Any, asked: OfScorecard
) -> tuple[FloatArray, BoolArray]:
    """Return the average precision of each item, and which were ranked at all."""
    ranking, is_ranked = read_ranking(rows, asked.ranked, answers, categories)
    places = asked.k or int(ranking.place.max(initial=1))
    size = len(answers.labels)
    return average_precision(answers.sets, answers.truth, ranking, places, size), is_ranked


def _check_names(groups: Groups, by: Any) -> None:
    """Refuse a group that is called as the last row."""
    if groups.labels is not None and POOLED in groups.labels.get_level_values(0):
        raise OptionError(
            f"by={shown(by)} has a group {shown(POOLED)}, which is the name of the last row. "
            "Rename that group."
        )


def _tables(codes: IntArray, answers: Answers, scored: ScoredItems) -> PairTables:
    """Cross-tabulate truth and prediction in every group, over sets of labels."""
    labels = answers.labels
    if not answers.single:
        labels = CategorySet([*range(len(answers.sets))], None, declared=True)
    coded = Coded(
        Codes(codes, labels),
        ["truth", "prediction"],
        items=pd.RangeIndex(codes.shape[1]),
        groups=scored.groups,
        weights=scored.weight,
    )
    return pair_tables(coded)


def _kappas(tables: PairTables) -> dict[str, FloatArray]:
    """Estimate kappa in every group, and with quadratic weights if there is an order."""
    wanted = {"cohen": None} if tables.categories.scores is None else KAPPAS
    kappas = {}
    for name, weights in wanted.items():
        scale = scale_of(weights, tables.categories, tables.in_use)
        summary = summarise(tables.counts, scale, COEFFICIENTS["cohen"], ci="auto", level=0.95)
        kappas[name] = summary.estimate
    return kappas


UNTOLD = "no_order"  # a fact about the labels rather than about a row


class OfScorecard(has.By, has.Ratings):
    """Options of `scorecard`."""

    truth: Label | list[Label] = anew(
        has.Predicted,
        "truth",
        kind="column label or list of column labels",
        kw_only=False,
        check=None,
        also="A column with one label for each item, or a column with a list, set or array of "
        "labels for each (a tuple is one label), or several columns of 0 and 1, one for each "
        "label, which is then called as its column.",
    )
    predictions: Label | list[Label] | None = anew(
        has.Predicted,
        "predictions",
        kind="column label or list of column labels or None",
        kw_only=False,
        check=None,
        also="It is in the same form; columns of 0 and 1 in the same order as those of `truth`. "
        "None if there are only `probabilities` or `ranked`.",
    )
    probabilities: list[Label] | dict[Any, Label] | None = anew(
        OfDecide,
        "probabilities",
        kind="dict or list of column labels",
        default=None,
        also="``{class: column}``. A list is enough where the columns are called as the classes; "
        "or where there are as many columns as classes and the classes are numbers, or have a "
        "declared order, which is then that of the columns. Each row adds up to 1 within 1e-6.",
    )
    ranked: Label | list[Label] | None = option(
        "Labels from best to worst: a column of lists, or a column for each place.",
        "column label or list of column labels",
        default=None,
    )
    k: int | None = option(
        "How many of the ranked labels count, from 1 upwards. Default: as many as are ranked for "
        "any item.",
        "int",
        default=None,
        check=whole_from(1),
    )
    group_weights: GroupWeights | None = anew(
        has.GroupWeights,
        "group_weights",
        default=None,
        also="It is that of the pooled `cohen` and `qwk`; see `grouped`.",
    )


@asks(OfScorecard)
def scorecard(data: pd.DataFrame | Counted, asked: OfScorecard) -> pd.DataFrame:
    """Score predictions against the truth, group by group and pooled.

    How good is a classifier, by every usual measure at once, and where is it not?

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
          label to be found), ``no_defined_group`` (`cohen` or `qwk` is undefined in all groups);
        - ``remark`` where groups with different scales are put together.

        Of all groups together, `cohen` and `qwk` are Fisher-z weighted means of those of
        the groups, as in `grouped`. All other scores are those of all items.

    Raises
    ------
    CategoryError
        If a label is not among the categories.
    OptionError
        If it is unclear which probability belongs to which class, a group is called 'pooled', or
        there is nothing to score.
    RatingsError
        If probabilities are no distributions, or the true class has none.
    RatingTypeError
        If labels are of different kinds, such as text and numbers, or stand alone here and
        in lists there.

    Warns
    -----
    LookalikeLabelsWarning
        Once, if labels look like a mistake in the data, such as 'yes' beside 'yes '.
    CrudeKappaWarning
        Once, if groups with different scales are put together.

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
    >>> card = df.kappa.predictions.scorecard("human_1", "machine", by="essay_set")
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
    >>> pets.kappa.predictions.scorecard(true, pred)[["mean_f1", "macro_f1", "micro_f1"]].round(3)
            mean_f1  macro_f1  micro_f1
    pooled    0.433     0.489     0.545

    The classes of probabilities are never guessed from the alphabet:

    >>> df = pd.DataFrame({"is": ["low", "mid"], "p1": [0.9, 0.5], "p2": [0.1, 0.5]})
    >>> card = df.kappa.predictions.scorecard("is", None, probabilities={"low": "p1", "mid": "p2"})
    >>> card[["n_items", "log_loss", "reason"]].round(3)
            n_items  log_loss reason
    pooled        2     0.399
    """
    if asked.predictions is None and asked.probabilities is None and asked.ranked is None:
        raise OptionError("There is nothing to score. Pass predictions, probabilities or ranked.")
    if asked.k is not None and asked.ranked is None:
        raise OptionError(
            f"k={asked.k} says how many ranked labels count, but none are ranked. Pass ranked."
        )
    if asked.group_weights is not None and asked.by is None:
        raise OptionError(
            "group_weights are for the mean over groups, and there are none. Pass by."
        )
    check_by(asked.by, set(schema.SCORECARD))
    frame, weights, categories = opened(data, asked.sample_weight, asked.categories)
    frame = native(frame)
    reading = replace(asked.reading, categories=categories, sample_weight=weights)
    scored = read_scored(frame, reading, asked)
    parts, labels = [_rows(scored, "constant_ratings")], pd.Index([POOLED])
    if scored.groups.labels is not None:
        labels = scored.groups.labels
        pooled = scored.pooled(weights_of_groups(frame, labels, asked.group_weights))
        parts.append(_rows(pooled, "no_defined_group"))
        labels = _with_pooled(labels)
    card = pd.concat(parts, ignore_index=True).set_axis(labels)
    for name in ("n_items", "n_missing"):
        card[name] = whole(card[name].to_numpy())
    told = card["reason"].map(_undefined_ones)
    warn_if_undefined("row", told != "", told)
    sides = [one if isinstance(one, list) else [one] for one in (asked.truth, asked.predictions)]
    return result(card, [name for side in sides for name in side if name is not None])


def _rows(scored: ScoredItems, no_kappa: str) -> pd.DataFrame:
    """Score every group; `no_kappa` is the reason why a coefficient is undefined."""
    group, n_groups = scored.group, scored.groups.n
    weight = scored.weight / (scored.weight.max(initial=0) or 1)  # sums stay finite
    scores = {
        name: weighted_mean(values, group, n_groups, weight)
        for name, values in scored.of_items.items()
    }
    if scored.counts is not None:
        scores |= label_scores(scored.counts, scored.sets) | scored.kappas
    n_items = sums_at(group, scored.weight, n_groups)
    columns = dict.fromkeys(schema.SCORECARD, np.full(n_groups, np.nan)) | scores
    known = {
        "n_items": n_items,
        "n_missing": scored.n_missing,
        "reason": _reasons(scored, scores, n_items > 0, no_kappa),
        "remark": scored.remark,
    }
    return pd.DataFrame(columns | known)


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


LONGEST = 1 << 8  # categories from the lowest to the highest rating
EXACT_IN_FLOAT = 2**53


def kappa_of_plain(
    first: IntArray, second: IntArray, weighting: Weighting, weight: FloatArray | None = None
) -> float:
    """Estimate the kappa of two raters, or NaN where there may be something to warn of.

    There is not on a short scale, most categories of which were used by both and more than once.
    Items may have a positive weight, shape (N,).
    """
    low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
    k = high - low + 1
    if k > LONGEST or max(-low, high) >= EXACT_IN_FLOAT:
        return np.nan
    items = np.bincount(first * k + second - low * (k + 1), weight)
    cells = np.flatnonzero(items)
    row, col = np.divmod(cells, k)
    count = items[cells]
    by_row, by_col = (np.bincount(place, weights=count, minlength=k) for place in (row, col))
    used = by_row + by_col > 0
    n_row, n_col = np.count_nonzero(by_row), np.count_nonzero(by_col)
    n_shared = n_row + n_col - np.count_nonzero(used)
    if not n_shared or 2 * n_shared < min(n_row, n_col) or 2 * max(n_row, n_col) > len(first):
        return np.nan
    scores = np.arange(low, high + 1, dtype=np.float64)
    apart = weighting.disagreement(scores[row], scores[col], scores[:1], scores[-1:])
    n = len(first) if weight is None else count.sum()
    margins = by_row[used] / n, by_col[used] / n
    return _kappa(apart, count / n, margins, scores[used], weighting)


def _kappa(
    apart: FloatArray,
    shares: FloatArray,
    margins: tuple[FloatArray, FloatArray],
    scores: FloatArray,
    weighting: Weighting,
) -> float:
    """Estimate kappa from the disagreement and the share of each cell that occurs.

    Sums run in the same order as in `chance_corrected`, for the same number to the last bit.
    """
    row, col = margins
    scale = Scale(weighting, scores[None], np.ones((1, len(scores)), dtype=np.bool_))
    expected = dot(row[None], scale.spread(col[None])).item()
    if not expected > 0:
        return np.nan
    if 1 in (np.count_nonzero(row), np.count_nonzero(col)):
        return 0.0  # observed and expected disagreement are equal, though not always in floats
    observed = np.add.accumulate(shares * apart)[-1].item()
    estimate = 1 - observed / expected
    return 0.0 if abs(estimate) < ROUNDING else max(estimate, -1.0)


WITHOUT_MATRIX = [name for name, weighting in WEIGHTS.items() if weighting.spread]
OF_VALUES = (None, "linear", "quadratic")  # to which unused categories make no difference
LIGHT = 1e100  # what weights are far from, so that their sums are finite


class OfQwk(has.Quadratic, has.ArrayWeight):
    """Options of `qwk`."""

    y_true: npt.ArrayLike = option(
        "Ratings. Two Series are aligned on their index.", "array-like, shape (N,)", kw_only=False
    )
    y_pred: npt.ArrayLike = option(
        "Others of the same items.", "array-like, shape (N,)", kw_only=False
    )
    labels: Categories | None = anew(has.Categories, "categories", default=None)


@asks(OfQwk)
def qwk(asked: OfQwk) -> float:
    """Score predictions with quadratic weighted kappa.

    It fits ``sklearn.metrics.make_scorer`` and ``df.corr(method=pdkappa.qwk)``.

    Returns
    -------
    float
        At most 1. NaN where it is undefined: both sequences hold one and the same value,
        or no item has both.

    Raises
    ------
    RatingsError
        If the sequences differ in length, or two Series in their labels.

    Warns
    -----
    UndefinedKappaWarning
        If the result is NaN.

    Examples
    --------
    >>> round(pdkappa.qwk([1, 2, 3, 4, 3], [2, 2, 4, 4, 5]), 6)
    0.615385

    The distance of 1 and 4 is 3, even if nobody used 2 and 3:

    >>> round(pdkappa.qwk([1, 1, 4, 4, 5], [1, 4, 4, 5, 5]), 6)
    0.642857
    """
    plain = _of_plain(asked)
    if not np.isnan(plain):
        return plain
    kinds = {"y_true": "ratings", "y_pred": "ratings"}
    first, second, counts = read_sequences(asked.y_true, asked.y_pred, asked.sample_weight, kinds)
    frame = pd.DataFrame({one.name: one.reset_index(drop=True) for one in (first, second)})
    reading = replace(asked.reading, categories=asked.labels, sample_weight=counts)
    try:
        study = read(frame, ["y_true", "y_pred"], reading)
        found = estimate(study, "cohen", USUAL_INTERVALS, needed=frozenset(["estimate"]))
    except KappaError as error:  # which names the option as all other functions do
        raise type(error)(str(error).replace("categories=", "labels=")) from None
    found.warn_if_undefined()
    return float(found.summary.estimate[0])


def _of_plain(asked: OfQwk) -> float:
    """Score numbers in `PARTS`, or texts, without a frame; NaN where it takes more than that."""
    first: Any = asked.y_true
    second: Any = asked.y_pred
    weights, labels = asked.weights, asked.labels
    weight: Any = asked.sample_weight
    known = WITHOUT_MATRIX if labels is None else OF_VALUES
    if not (weights is None or isinstance(weights, str)) or weights not in known:
        return np.nan
    labelled = isinstance(first, pd.Series) and isinstance(second, pd.Series)
    if labelled and not first.index.equals(second.index):
        return np.nan
    if type(labels) is list and set(map(type, labels)) == {str}:
        one, other = (places_of_texts(texts, labels) for texts in (first, second))
        labels = None
    else:
        any_unit = labels is None and weights in OF_VALUES
        for parts in PARTS if any_unit else PARTS[:1]:
            one, other = whole_numbers(first, parts), whole_numbers(second, parts)
            if one is not None or other is not None:
                break
    if one is None or other is None or one.shape != other.shape:
        return np.nan
    if labels is not None and not _are_among(labels, one, other):
        return np.nan
    if weight is not None:
        plain = type(weight) is np.ndarray and weight.dtype == np.float64
        if not plain or weight.shape != one.shape or not 0 < weight.min() <= weight.max() < LIGHT:
            return np.nan
    return kappa_of_plain(one, other, WEIGHTS[weights], weight)


def _are_among(labels: Any, *sequences: IntArray) -> bool:
    """Whether ascending whole numbers have all those of some sequences among them."""
    if type(labels) not in (list, range) or set(map(type, labels)) != {int}:
        return False
    known = np.array(labels)
    low, k = known[0], known[-1] - known[0] + 1
    if known.dtype != np.int64 or (np.diff(known) <= 0).any() or k > LONGEST:
        return False
    is_known = np.zeros(k, dtype=np.bool_)
    is_known[known - low] = True
    return all(
        low <= one.min() and one.max() <= known[-1] and is_known[one - low].all()
        for one in sequences
    )
