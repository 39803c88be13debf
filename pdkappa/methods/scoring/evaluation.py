"""Scores of humans and a machine: `evaluation`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import DISTANCES
from pdkappa.errors import check_choice
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.estimates.weightings import SYNONYMS
from pdkappa.methods.scoring.scores import HUMAN, Scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, ItemWeights, Label, Missing, WeightType
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.items import Groups

WEIGHTS = (None, *DISTANCES)
COMPARISONS = ("consistency", "evaluation", "degradation")
COUNTS = ("n_items", "n_excluded", "n_rounded")
DIFFERENCES = (
    "estimate",
    "qwk",
    "cohen",
    "correlation",
    "smd",
    "exact_agreement",
    "adjacent_agreement",
    "r2",
    "rmse",
)


@gate
def evaluation(
    data: pd.DataFrame | Counted,
    human: Label,
    machine: Label,
    second_human: Label | None = None,
    *,
    by: By | None = None,
    weights: Literal["quadratic", "linear"] | None = "quadratic",
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
    exclude: float | str | list[float] | list[str] | None = None,
    rounded: bool = True,
) -> pd.DataFrame:
    """Compare automated scores with human scores, and with the agreement of humans.

    These are the usual tables of automated scoring: human with human, human with machine, and
    the difference.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    human, machine : column labels
        The human scores, and the machine's, which may be any numbers.
    second_human : column label, optional
        Scores of a second human, for some or all of the items.
    by : column label or list of column labels, optional
        A table for each group, such as a prompt or a population. See `pairs`.
    weights : {"quadratic", "linear", None}
        What `estimate` and its limits are: kappa of the scores as they are, in which a
        difference counts by its square or by its size; or, as in `cohen`, kappa of the rounded
        scores, in which all differences count alike. No other column depends on it.
    categories : list or dict, optional
        The scores of the scale in order, to which machine scores are rounded; or the words of
        an ordered scale, which count as 1, 2, 3, ..., or their scores ``{word: score}``.
        Ordered Categoricals bring their order. Default for numbers:
        whole numbers from the lowest to the highest score that a human gave in any group,
        unless all machine scores are whole. It does not depend on `by`; so where essay
        sets have scales of their own, a machine score beyond that of its set is rounded and
        remains a disagreement. Pass one set and its `categories` to clip to its scale.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a comparison scored, use those that all scored, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student, which standard errors and
        limits account for.
    confidence_level : float, default 0.95
        Between 0 and 1.
    exclude : number, word or list of them, optional
        Codes that are not scores, such as 0 for an essay off topic: an item to which one of the
        raters compared gave such a score is left out, and counted. A word need not be among
        `categories`. Default: none are.
    rounded : bool, default True
        Whether machine scores are rounded, halves up, and clipped to the scale, for `cohen`,
        `exact_agreement` and `adjacent_agreement` only.

    Returns
    -------
    DataFrame
        Rows ``consistency`` (human with second human) and ``degradation``, if there is a
        second human, and ``evaluation`` (human with machine); of each group. The human is
        rater a. Shares are fractions.

        - ``n_items, n_excluded``: items compared, and items left out because of `exclude`;
        - ``n_rounded``: machine scores that were rounded or clipped;
        - ``mean_a, mean_b, sample_sd_a, sample_sd_b``: standard deviations are divided by
          n - 1;
        - ``min_a, max_a, min_b, max_b``: lowest and highest scores, as they are;
        - ``smd``: mean of b minus that of a, divided by the standard deviation of the human,
          or, in ``consistency``, by the square root of the mean of both variances;
        - ``dsm``, with `by`: difference of standardised means, b minus a, where each rater is
          standardised by the mean and standard deviation over all groups; `smd` exaggerates if a
          group's scores vary little;
        - ``correlation``: Pearson's, in [-1, 1];
        - ``disattenuated``, with a second human, in ``evaluation``: the correlation corrected for
          errors of human scores: that with the human, divided by the square root of that of the
          two humans; it may exceed 1 by chance, and is NaN if these do not correlate;
        - ``estimate, se, ci_low, ci_high``: kappa with `weights`, its standard error, and its
          limits on Fisher's z scale with the standard error of the jackknife;
        - ``qwk``: quadratic weighted kappa of the scores as they are;
        - ``cohen``: Cohen's, of the rounded scores, at most 1;
        - ``exact_agreement, adjacent_agreement``: shares of items whose rounded scores are
          equal, or differ by no more than 1;
        - ``r2``: share of the variance of a that b predicts, at most 1; below 0 if the mean of a
          predicts better. It is not the squared correlation;
        - ``rmse``: root of the mean squared difference;
        - ``reason`` for NaN, as in `concordance`.

        ``degradation`` is ``evaluation`` minus ``consistency``, from `smd` on; its `n_items`
        are those that all three scored, its `n_rounded` that of ``evaluation``, and means,
        standard deviations, ranges, limits and ``dsm`` are NaN. `ceiling` tests it.

    Raises
    ------
    CategoryError
        If a human score is not among the categories, or nothing says what order words have.
    RatingsError
        If machine scores cannot be rounded, because human scores are no whole numbers and
        nothing says what the scale is.
    KappaError
        If an option is not known, or the scores cannot be read.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some `qwk` or `cohen` of a comparison is NaN.

    See Also
    --------
    concordance : Agreement of real-valued scores, for all pairs of raters.
    ceiling : A test of the machine's agreement against that of humans.
    prmse : How well the machine predicts true scores, with limits.
    fairness : Whether groups are scored alike, with tests and limits of ``dsm``.

    Notes
    -----
    Definitions are those of RSMTool from version 7 on, whose machine scores for kappa and
    agreement are trimmed and rounded, too. Agreement is in per cent there, and scores of 0
    are left out unless one asks for them. Williamson, Xi and Breyer [1]_, and earlier
    versions, standardise the mean difference by both standard deviations.

    References
    ----------
    .. [1] Williamson, D. M., Xi, X., & Breyer, F. J. (2012). A framework for evaluation and
           use of automated scoring. Educational Measurement: Issues and Practice, 31(1),
           2-13. https://doi.org/10.1111/j.1745-3992.2011.00223.x

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 4")
    >>> found = pdkappa.evaluation(df, "human_1", "machine", "human_2")
    >>> found[["n_items", "smd", "qwk", "exact_agreement", "r2"]].round(3)
                 n_items    smd    qwk  exact_agreement     r2
    comparison
    consistency      260 -0.037  0.856            0.750  0.705
    evaluation       260  0.000  0.797            0.681  0.610
    degradation      260  0.037 -0.060           -0.069 -0.095

    Scores of 0 count, unless they are excluded:

    >>> found = pdkappa.evaluation(df, "human_1", "machine", exclude=0)
    >>> found[["n_items", "n_excluded", "qwk"]].round(3)
                n_items  n_excluded   qwk
    comparison
    evaluation      210          50  0.75

    Words need an order:

    >>> said = pd.DataFrame({"ann": ["low", "mid", "high"], "gpt": ["low", "high", "high"]})
    >>> found = pdkappa.evaluation(said, "ann", "gpt", categories=["low", "mid", "high"])
    >>> found[["n_items", "qwk", "mean_a", "mean_b"]].round(3)
                n_items  qwk  mean_a  mean_b
    comparison
    evaluation        3  0.8     2.0   2.333
    """
    check_level(confidence_level)
    check_choice("weights", weights, WEIGHTS, SYNONYMS)
    check_by(by, {*schema.EVALUATION, "comparison"})
    names = [human, machine] if second_human is None else [human, second_human, machine]
    reading = Reading(by, None, None, "value", missing, sample_weight, weight_type, cluster)
    read = Scores.read(
        data, names, reading, categories, exclude, rounded=rounded, method="evaluation"
    )
    shared = read.scored.as_in_pairs(data, reading, weights, ci="auto", level=confidence_level)
    tables = {name: read.compared(name, weights, confidence_level, shared) for name in read.pairs}
    groups = read.scored.coded.groups
    _warn_of_tables(groups, tables)
    if second_human is not None:
        _disattenuate(tables)
        tables["degradation"] = _degradation(tables) | read.counts((HUMAN, 1, len(names) - 1))
    return result(_tables_frame(groups, tables), names)


def _disattenuate(tables: dict[str, dict[str, Any]]) -> None:
    """Free the correlation with the machine from the errors of the human (Spearman, 1904)."""
    humans = tables["consistency"]["correlation"]
    root = np.sqrt(np.where(humans > 0, humans, np.nan))
    for name, table in tables.items():
        divided = table["correlation"] / root
        table["disattenuated"] = divided if name == "evaluation" else np.full(len(root), np.nan)


def _degradation(tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Take the human-human figures from the human-machine figures."""
    consistency, evaluation = tables["consistency"], tables["evaluation"]
    unknown = np.full(len(evaluation["qwk"]), np.nan)
    differences = {
        name: evaluation[name] - consistency[name] if name in DIFFERENCES else unknown
        for name in evaluation
    }
    reason = np.where(evaluation["reason"] == "", consistency["reason"], evaluation["reason"])
    return differences | {"n_rounded": evaluation["n_rounded"], "reason": reason}


def _tables_frame(groups: Groups, tables: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """Put one row for each comparison, in each group if there are groups."""
    names = [name for name in COMPARISONS if name in tables]
    columns = {
        column: np.stack([tables[name][column] for name in names], axis=1).reshape(-1)
        for column in schema.EVALUATION
        if column in tables["evaluation"]
    }
    for name in COUNTS:
        columns[name] = whole(columns[name])
    return pd.DataFrame(columns, index=groups.each(pd.Index(names, name="comparison")))


def _warn_of_tables(groups: Groups, tables: dict[str, dict[str, Any]]) -> None:
    """Give one warning that counts the comparisons with an undefined kappa."""
    names = [f"{name}{groups.at(group)}" for name in tables for group in range(groups.n)]
    qwk, kappa, reason = (
        np.concatenate([table[column] for table in tables.values()])
        for column in ("qwk", "cohen", "reason")
    )
    undefined = np.isnan(qwk) | np.isnan(kappa)
    warn_if_undefined("comparison", undefined, pd.Series(reason), names.__getitem__)
