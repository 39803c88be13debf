"""How common a category is, and a mean score, with a machine: `prevalence`, `mean_score`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.errors import (
    CategoryError,
    FewClustersWarning,
    OptionError,
    TooLargeError,
    listing,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.methods.estimates.options import check_by, check_share, number_that, whole_from
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.estimates.study import read
from pdkappa.methods.machine.judged_means import (
    HUMAN,
    JUDGE,
    NO_DRIFT,
    OfPowered,
    Values,
    has_one_cluster,
    humans_only,
    machine_only,
    means_columns,
    means_frame,
    ppi,
    read_lambda,
    rogan_gladen,
    scaled,
    used_by,
    warn_of_unjudged,
)
from pdkappa.present import schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.machine.judged_means import Means
    from pdkappa.ratings.coded import Counted

Method: TypeAlias = Literal["ppi", "rogan_gladen", "humans_only", "machine_only"]
MOST_CATEGORIES = 1000
CORRECTED = ("ppi", "rogan_gladen")  # which need labels and judgements of the same items
WAY_OUT = "Let the machine rate them, or use method='humans_only'."
METHODS: dict[str, Callable[[Values, float | None, float], Means]] = {
    "ppi": ppi,
    "rogan_gladen": rogan_gladen,
    "humans_only": humans_only,
    "machine_only": machine_only,
}


class OfPrevalence(OfPowered, has.Categories):
    """Options of `prevalence`."""

    category: Any = option(
        "The categories to estimate. Default: all, at most a thousand.",
        "label or list of labels",
        default=None,
    )
    method: Method = anew(
        has.Method,
        "method",
        also='"ppi": prediction-powered inference [1]_ [2]_. The labelled items are a random '
        "sample of all. Valid however bad the machine is, if that is the same for both, and more "
        'precise the better the machine. "rogan_gladen": the machine\'s share among the '
        "unlabelled items, corrected by the machine's sensitivity and specificity on the "
        "labelled ones [3]_, with limits that account for the error of these estimates [4]_. "
        "The labelled items may be chosen by their labels: it is enough that the machine errs "
        'as often on the others. "humans_only": the labels alone. "machine_only": the machine '
        "alone, as if it never erred.",
        choices=Method,
        default="ppi",
    )


@asks(
    OfPrevalence,
    cluster="Limits account for it whether all items of a cluster are labelled, some or none.",
)
def prevalence(data: pd.DataFrame | Counted, asked: OfPrevalence) -> pd.DataFrame:
    """Estimate how common each category is, from few human labels and many of a machine.

    What share would people find if they labelled all items? A machine that labelled all is biased;
    the items that both labelled show by how much.

    Returns
    -------
    DataFrame
        One row for each category (in each group), named ``category``:

        - ``n_labelled, n_unlabelled``: items that both labelled, and that the machine alone did;
          for ``humans_only`` all items with a human label;
        - ``estimate, se, ci_low, ci_high``: the share, its standard error and limits, in [0, 1];
        - ``lam``: the one that was used; NaN for other methods than ``ppi``;
        - ``humans_only, machine_only``: the share among the labels, and among all judgements;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (none has
          both labels), ``n_lt_2`` (one item, or cluster, has no error), ``no_unlabelled`` (all
          items have a human label, so that there is nothing to correct; with ``lam="tuned"`` these
          are the estimate), and for ``rogan_gladen`` ``unseen_class`` (no labelled item is in, or
          outside, the category) and ``machine_at_chance`` (sensitivity and specificity add up to 1
          or less).

    Raises
    ------
    CategoryError
        If `category` is not among the categories.
    TooLargeError
        If there are more than a thousand categories, and none is named.

    Warns
    -----
    LeftOutWarning
        Once, if items with a human label have none by the machine.
    FewClustersWarning
        Once, if the clusters are few, and, with ``rogan_gladen``, if the labelled items in some
        category, or outside, are of one: limits at .95 then held .92.

    See Also
    --------
    mean_score : The same of scores.
    prediction_powered : The same of a coefficient of agreement.
    label_split : How many items of each class to label.

    Notes
    -----
    ``ppi`` and its lambda are those of the reference implementation (`ppi_py` 0.2.3), whose limits
    are normal. Where a cell of labels by judgements holds fewer than five items, each cell gains
    half a pseudo-item for error and limits [5]_: without a disagreement among 50 items a machine is
    not known to make none. Limits at the level .95 hold .93 to .98 for shares of .05 to .5 and 50
    labels or more, and up to .996 with a machine that hardly errs (`benchmarks/simulations.md`).
    With clusters, quantiles are those of t, and ``rogan_gladen`` counts as many items as its error
    in clusters is worth. Limits of either rater alone are Wilson's.

    All but either rater alone assume that the machine errs on the unlabelled items as on the
    labelled ones, which the `remark` says. With 200 labels of 2,000 items, 30 % of them in the
    category, and a sensitivity of .9 that is .8 among the unlabelled ones, limits at the level .95
    held .84; .7, .44.

    Shares of several categories are estimated one by one, and need not add up to 1.

    References
    ----------
    .. [1] Angelopoulos, Bates, et al., 2023
    .. [2] Angelopoulos, Duchi, et al., 2023
    .. [3] Rogan & Gladen, 1978
    .. [4] Lee et al., 2025
    .. [5] Agresti & Min, 2005

    Examples
    --------
    Of 4,000 answers 600 were checked by people:

    >>> cells = [("yes", "yes", 416), ("no", "yes", 90), ("yes", "no", 15), ("no", "no", 79)]
    >>> cells += [(None, "yes", 2847), (None, "no", 553)]
    >>> df = pd.DataFrame(cells, columns=["human", "model", "answers"])
    >>> found = df.kappa.machine.prevalence(
    ...     "human", "model", category="yes", sample_weight="answers"
    ... )
    >>> found[["estimate", "ci_low", "ci_high", "lam", "humans_only", "machine_only"]].round(3)
              estimate  ci_low  ci_high    lam  humans_only  machine_only
    category
    yes          0.715   0.684    0.746  0.549       0.718       0.838

    The machine's own .838 lies far outside; the limits of the 600 labels alone are wider:

    >>> found = df.kappa.machine.prevalence(
    ...     "human", "model", category="yes", method="humans_only", sample_weight="answers"
    ... )
    >>> found[["estimate", "ci_low", "ci_high"]].round(3)
              estimate  ci_low  ci_high
    category
    yes          0.718   0.681    0.753
    """
    level, method = asked.level, asked.method
    weight = read_lambda(asked.lam, method)
    check_by(asked.by, {*schema.PREVALENCE, "category"})
    study = read(data, [*asked.people, asked.machine], asked.reading)
    places = _places(study, asked.category)
    if method in CORRECTED:
        warn_of_unjudged(data, study.coded, (HUMAN,), JUDGE, WAY_OUT)
    parts, empty, alone = [], study.groups.why_empty(), []
    rows = study.rows.select(study.rows.n_ratings > 0).compressed
    for place in places:
        values = used_by(_of_category(rows, place), method)
        means = METHODS[method](values, weight, level)
        parts.append(means_columns(values, means, empty))
        if method == "rogan_gladen":
            parts[-1]["remark"] = np.where(np.isnan(means.estimate), "", NO_DRIFT)
        if method == "rogan_gladen" and asked.cluster is not None:
            alone.append(has_one_cluster(values) & ~np.isnan(means.ci_low))
    labels = [study.coded.categories.labels[place] for place in places]
    _warn_of_one_cluster(study, labels, alone)
    return means_frame(parts, study.groups, labels, study.raters)


def _warn_of_one_cluster(study: Study, labels: list[Any], alone: list[BoolArray]) -> None:
    """Say once that a sensitivity, or specificity, is known from a single cluster."""
    found = np.argwhere(np.array(alone).reshape(len(alone), study.n_groups))
    if not len(found):
        return
    place, group = found[0].tolist()
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    warn(
        f"Of category {shown(labels[place])}{study.groups.at(group)}{others}, the labelled items "
        "in it, or those outside, come from one cluster, so that differences of the machine's "
        "errors between clusters are unknown: limits may be too narrow. Label items of more "
        "clusters.",
        FewClustersWarning,
    )


def _of_category(rows: RatingRows, place: int) -> Values:
    """Say of each item whether either rater puts it into a category."""
    human, judge = ((codes == place).astype(float) for codes in rows.codes)
    has_label, has_judgement = rows.codes >= 0
    return Values(rows, human, judge, has_label, has_judgement, of_shares=True)


def _places(study: Study, category: Any) -> list[int]:
    """Find the places of the categories in question."""
    labels = study.coded.categories.labels
    if category is None:
        if len(labels) > MOST_CATEGORIES:
            raise TooLargeError(
                f"prevalence takes its time for each of the {len(labels)} categories; the limit is "
                f"{MOST_CATEGORIES}. Name some of them with category=[...], or use mean_score."
            )
        return list(range(len(labels)))
    places = {label: place for place, label in enumerate(labels)}
    category = frozenset(category) if isinstance(category, set) else category
    is_one = pd.api.types.is_hashable(category) and category in places  # it may be a set of labels
    several = pd.api.types.is_list_like(category) and not isinstance(category, tuple)
    wanted = list(category) if several and not is_one else [category]
    if not wanted:
        raise OptionError("category is an empty list. Name a category, or several.")
    unknown = [one for one in wanted if not (pd.api.types.is_hashable(one) and one in places)]
    if unknown:
        raise CategoryError(
            f"category={shown(unknown[0])} is not among the categories: {listing(labels)}. Name "
            "one of them, or a list of some."
        )
    return [places[one] for one in wanted]


MethodOfScores: TypeAlias = Literal["ppi", "humans_only", "machine_only"]


class OfMeanScore(OfPowered):
    """Options of `mean_score`."""

    method: MethodOfScores = anew(
        OfPrevalence,
        "method",
        also="Prediction-powered, or by the scores of either alone. See `prevalence`.",
        choices=MethodOfScores,
        default="ppi",
    )


@asks(OfMeanScore)
def mean_score(data: pd.DataFrame | Counted, asked: OfMeanScore) -> pd.DataFrame:
    """Estimate the mean score that people would give, from few of their scores and a machine's.

    The machine scored all items, possibly on a different scale; the items that people scored, too,
    show its bias.

    Returns
    -------
    DataFrame
        One row (for each group) with the columns of `prevalence`, in the units of the scores.
        Reasons for NaN are ``no_items``, ``zero_total_weight``, ``no_joint_items``, ``n_lt_2``,
        ``no_unlabelled`` or ``no_variance`` (all scores are the same, so that there are no
        limits).

    Raises
    ------
    RatingTypeError
        If the scores are not numbers.

    Warns
    -----
    LeftOutWarning
        Once, if items with a human score have none by the machine.
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    prevalence : Shares of categories; formulas and sources.

    Notes
    -----
    The limits of ``ppi`` use normal quantiles, those of either alone t quantiles. A machine that
    gave every labelled item the same score as the human is assumed to do so for all others.

    Examples
    --------
    People scored every fifth of 2,000 essays, a machine all:

    >>> df = pdkappa.datasets.load_essays()[["essay_set", "human_1", "machine"]]
    >>> df["human_1"] = df["human_1"].where(df.index % 5 == 0)
    >>> found = df.kappa.machine.mean_score("human_1", "machine", by="essay_set")
    >>> found[["n_labelled", "estimate", "ci_low", "ci_high", "humans_only"]].head(2).round(2)
               n_labelled  estimate  ci_low  ci_high  humans_only
    essay_set
    1                  60      8.44    8.13     8.74        8.82
    2                  60      3.26    3.06     3.46        3.18
    """
    weight = read_lambda(asked.lam, asked.method)
    check_by(asked.by, {*schema.PREVALENCE})
    scored = read_scores(data, [*asked.people, asked.machine], asked.reading)
    if asked.method == "ppi":
        warn_of_unjudged(data, scored.coded, (HUMAN,), JUDGE, WAY_OUT)
    rows = scored.rows.select(scored.rows.n_ratings > 0).compressed
    unit, scores = in_units(rows, scored.scores)
    human_scores, judge_scores = (rows.lookup(scores[None], codes) for codes in rows.codes)
    has_label, has_judgement = rows.codes >= 0
    values = Values(rows, human_scores, judge_scores, has_label, has_judgement, of_shares=False)
    values = used_by(values, asked.method)
    means = METHODS[asked.method](values, weight, asked.level)
    columns = means_columns(values, means, scored.empty)
    return means_frame([scaled(columns, unit)], scored.coded.groups, None, scored.coded.raters)


Rule: TypeAlias = Literal["lee", "neyman"]
FEWEST = 2  # one of each class


class LabelSplit(NamedTuple):
    """Numbers of items to label: outside the category, and in it."""

    negatives: int
    positives: int


class OfLabelSplit(Asked):
    """Options of `label_split`."""

    n_labels: int = option("The budget, 2 or more.", "int", kw_only=False, check=whole_from(FEWEST))
    judged: float = option(
        "Share of all items that the machine puts into the category, between 0 and 1.",
        "float",
        check=check_share,
    )
    specificity: float = option(
        "Share of the items outside the category that the machine classified correctly in a pilot; "
        "in [0, 1].",
        "float",
        check=number_that(lambda value: 0 <= value <= 1, "lie between 0 and 1"),
    )
    sensitivity: float = option(
        "The same of the items in the category.",
        "float",
        check=number_that(lambda value: 0 <= value <= 1, "lie between 0 and 1"),
    )
    n_pilot: int = option(
        "Number of pilot items of each class. Half a pseudo-item on either side keeps estimated "
        "shares away from 0 and 1.",
        "int",
        default=10,
        check=whole_from(1),
    )
    rule: Rule = option(
        '"lee": negatives to positives as ``(1 / p - 1) * sqrt((1 - q0) / (1 - q1))`` to 1 [1]_, '
        "with p the share `judged`: for machines that err little, whatever the pilot is. "
        '"neyman": as ``(1 - s) * sqrt(q0 (1 - q0))`` to ``s * sqrt(q1 (1 - q1))``, with s the '
        "corrected share: the least standard error if the pilot is right, for which it should "
        "have some dozens of items.",
        choices=Rule,
        default="lee",
    )


@asks(OfLabelSplit)
def label_split(asked: OfLabelSplit) -> LabelSplit:
    """Split a budget of labels so that `prevalence` is most precise.

    For ``method="rogan_gladen"`` labelled items may be chosen by their class. How many should be
    in the category, and how many outside?

    Returns
    -------
    LabelSplit
        ``.negatives`` and ``.positives``, one or more each, which add up to `n_labels`.

    Raises
    ------
    OptionError
        If specificity and sensitivity say that the machine is no better than chance, with
        ``rule="neyman"``.

    See Also
    --------
    prevalence : The estimate itself.

    References
    ----------
    .. [1] Lee et al., 2025

    Examples
    --------
    >>> pdkappa.plan.label_split(200, judged=0.4, specificity=0.7, sensitivity=0.9)
    LabelSplit(negatives=136, positives=64)

    Where true positives are rare, nearly all errors are those of negatives:

    >>> pdkappa.plan.label_split(
    ...     200, judged=0.4, specificity=0.7, sensitivity=0.9, n_pilot=100, rule="neyman"
    ... )
    LabelSplit(negatives=177, positives=23)
    """
    total, pilot = int(asked.n_labels), int(asked.n_pilot)
    q0, q1 = ((pilot * one + 1) / (pilot + 2) for one in (asked.specificity, asked.sensitivity))
    if asked.rule == "lee":
        ratio = (1 / asked.judged - 1) * np.sqrt((1 - q0) / (1 - q1))
    else:
        share = _corrected(asked.judged, q0, q1)
        of_negatives = (1 - share) * np.sqrt(q0 * (1 - q0))
        ratio = of_negatives / max(share * np.sqrt(q1 * (1 - q1)), np.finfo(float).tiny)
    positives = int(np.clip(round(total / (1 + ratio)), 1, total - 1))
    return LabelSplit(total - positives, positives)


def _corrected(judged: float, q0: float, q1: float) -> float:
    """Share of the items in the category, as far as the pilot knows."""
    if q0 + q1 <= 1:
        raise OptionError(
            f"specificity={q0:.3g} and sensitivity={q1:.3g}, with their pseudo-items, add up to "
            f"1 or less: the machine is no better than chance. Use rule='lee', or another machine."
        )
    return float(np.clip((judged + q0 - 1) / (q0 + q1 - 1), 0.0, 1.0))
