"""The mean of scores that people gave to few items, and a machine to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.errors import check_choice
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.prevalence.core.means import Values, human_only, judge_only, ppi
from pdkappa.methods.prevalence.labels import (
    HUMAN,
    JUDGE,
    means_columns,
    means_frame,
    read_lambda,
    scaled,
    used_by,
    warn_of_unjudged,
)
from pdkappa.present import schema
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from pdkappa._typing import By, ItemWeights, Label, WeightType
    from pdkappa.methods.prevalence.core.means import Means
    from pdkappa.methods.prevalence.labels import Lam
    from pdkappa.ratings.coded import Counted

MethodOfScores: TypeAlias = Literal["ppi", "human_only", "judge_only"]
METHODS_OF_MEANS: dict[str, Callable[[Values, float | None, float], Means]] = {
    "ppi": ppi,
    "human_only": human_only,
    "judge_only": judge_only,
}


@gate
def mean_score(
    data: pd.DataFrame | Counted,
    human: Label,
    judge: Label,
    *,
    method: MethodOfScores = "ppi",
    lam: Lam = "tuned",
    by: By | None = None,
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Estimate the mean score that people would give, from few of their scores and a judge's.

    The judge scored all items, possibly on a different scale; the items that people scored, too,
    show its bias.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    human : column label
        The scores of people, any numbers, missing where there is none.
    judge : column label
        The scores of the judge, of all items.
    method : {"ppi", "human_only", "judge_only"}
        Prediction-powered, or the scores of either alone. See `prevalence`.
    lam : {"tuned"} or float
        How much the judge counts in ``ppi``. See `prevalence`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters. See `prevalence`.
    confidence_level : float, default 0.95
        Between 0 and 1.

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
    OptionError
        If `lam` is not a number, or given for a method other than ``ppi``.
    KappaError
        If an option is not known, or the scores cannot be read. See `pdkappa.errors`.

    Warns
    -----
    LeftOutWarning
        Once, if items with a human score have none by the judge.
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    prevalence : Shares of categories; formulas and sources.

    Notes
    -----
    The limits of ``ppi`` use normal quantiles, those of either alone t quantiles. A judge who gave
    every labelled item the same score as the human is assumed to do so for all others.

    Examples
    --------
    People scored every fifth of 2,000 essays, a machine all:

    >>> df = pdkappa.datasets.load_essays()[["essay_set", "human_1", "machine"]]
    >>> df["human_1"] = df["human_1"].where(df.index % 5 == 0)
    >>> found = df.kappa.mean_score("human_1", "machine", by="essay_set")
    >>> found[["n_labelled", "estimate", "ci_low", "ci_high", "human_only"]].head(2).round(2)
               n_labelled  estimate  ci_low  ci_high  human_only
    essay_set
    1                  60      8.44    8.13     8.74        8.82
    2                  60      3.26    3.06     3.46        3.18
    """
    level = check_level(confidence_level)
    check_choice("method", method, METHODS_OF_MEANS)
    weight = read_lambda(lam, method)
    check_by(by, {*schema.PREVALENCE})
    reading = Reading(by=by, sample_weight=sample_weight, weight_type=weight_type, cluster=cluster)
    scored = read_scores(data, [human, judge], reading)
    if method == "ppi":
        way_out = "Let the judge rate them, or use method='human_only'."
        warn_of_unjudged(data, scored.coded, (HUMAN,), JUDGE, way_out)
    rows = scored.rows.select(scored.rows.n_ratings > 0).compressed()
    unit, scores = in_units(rows, scored.scores)
    human_scores, judge_scores = (rows.lookup(scores[None], codes) for codes in rows.codes)
    has_label, has_judgement = rows.codes >= 0
    values = Values(rows, human_scores, judge_scores, has_label, has_judgement, of_shares=False)
    values = used_by(values, method)
    columns = means_columns(values, METHODS_OF_MEANS[method](values, weight, level), scored.empty)
    return means_frame([scaled(columns, unit)], scored.coded.groups, None, scored.coded.raters)
