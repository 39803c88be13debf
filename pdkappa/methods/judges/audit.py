"""Everything that is known of judges beside people: `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import check_choice
from pdkappa.methods.comparisons.differences import check_margin, measured_by
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import SYNONYMS, check_by
from pdkappa.methods.estimates.study import read
from pdkappa.methods.judges.alt_test import Asked
from pdkappa.methods.judges.asked_again import Answers, columns_beside
from pdkappa.methods.judges.audited import Audited
from pdkappa.present import schema
from pdkappa.present.text_markup import call_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        ItemWeights,
        Label,
        Raters,
        Weights,
    )
    from pdkappa.methods.judges.audit_result import Audit

LABELS = {"judge", "annotator", "again", "swapped", "category"}


@gate
def audit(
    data: pd.DataFrame | Counted,
    judges: Label | list[Label],
    humans: Raters,
    *,
    margin: float = 0.05,
    again: Mapping[Label, Any] | None = None,
    swapped: Mapping[Label, Any] | None = None,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    sample_weight: ItemWeights | None = None,
    score: str | Callable[[Any, list[Any]], float] = "accuracy",
    epsilon: float = 0.2,
    q: float = 0.05,
    min_items: int = 30,
    confidence_level: float = 0.95,
) -> Audit:
    """Audit machine judges against people, with verdicts in words.

    Can a judge replace a human, on which categories does it err, does it give the same answer
    when it is asked again, does the order of the options matter, and does it drift?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    judges : column label or list of column labels
        The judge, such as a language model, or several.
    humans : list of column labels
        The people they are compared with, two or more; they need not have rated all items.
    margin : float, default 0.05
        How much less agreement is acceptable, for the test of non-inferiority. State it before you
        see the data.
    again : dict, optional
        For judges that were asked again: the column of the other answers, or a list of them.
    swapped : dict, optional
        For judges that were asked with the options in the other order: the column of these
        answers, in which the same label means the same option.
    by : column label or list of column labels, optional
        Batches, such as months or versions of a prompt, over which the judges may drift.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights, whole numbers: 2 counts an item twice.
    score : {"accuracy", "rmse"} or callable, default "accuracy"
        How close a rating is to others, for the alternative annotator test. See `alt_test`.
    epsilon : float, default 0.2
        How much larger the share of items may be on which a human is closer. See `alt_test`.
    q : float, default 0.05
        The false discovery rate over the humans. See `alt_test`.
    min_items : int, default 30
        Humans with fewer items are left out of that test. See `alt_test`.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    Audit
        Its ``frame`` has one row for each judge:

        - ``n_items``: items that two of the judge and the humans rated;
        - ``estimate, se, ci_low, ci_high``: mean coefficient with each human;
        - ``estimate_humans``: that of the humans with each other;
        - ``difference, difference_low, difference_high, margin, p_non_inferior, non_inferior``:
          judge minus humans, as in `ceiling`;
        - ``winning_rate, advantage_probability, n_annotators, replaces``: as in `alt_test`;
        - ``flip_rate``: share of the items with a different answer when asked again, NaN if it was
          not;
        - ``p_position``: the smallest p-value of McNemar's exact tests that the order does not
          affect how often a category is chosen, times the number of categories (two count as one
          test);
        - ``p_drift``: of Welch's test that the mean coefficient is the same in all batches;
        - ``verdict, not_said``: the same in words, and what the interval of the difference does
          not show;
        - ``reason, remark``: as in `ceiling` and `alt_test`.

        Its other frames are ``kappas, categories, annotators, repeats, positions, drift``; see
        `Audit`. It has ``.to_html(path)``, ``.to_excel(path)`` and ``.plot()``.

    Raises
    ------
    OptionError
        If `margin`, `again` or `swapped` has an invalid value, or `again` names none of the
        judges.
    DuplicateRatingError
        If a rater is named twice.
    RatingsError
        If there are fewer than two humans.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some difference is NaN.

    See Also
    --------
    ceiling : The difference from the humans alone.
    alt_test : The alternative annotator test alone.

    Notes
    -----
    All ratings share one scale. Recall and specificity use each rating of a human as the truth in
    turn, so compare them with those of one human with another; their limits are Wilson's [1]_, for
    the effective number of independent ratings that has their variance; at the level .95 they
    covered the true value in .92 to .98 of simulated samples of 40 to 600 items with three humans
    and categories of 5 to 60 %. The test of drift is Welch's [2]_ for independent batches with
    separate standard errors; at the level .05 its error rate is .05 to .08 in simulated samples of
    30 to 200 items per batch. Items are assumed to be independent.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical
           inference. Journal of the American Statistical Association, 22(158), 209-212.
           https://doi.org/10.1080/01621459.1927.10502953
    .. [2] Welch, B. L. (1951). On the comparison of several mean values: an alternative approach.
           Biometrika, 38(3/4), 330-336. https://doi.org/10.2307/2332579

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 3")
    >>> found = df.kappa.audit("machine", ["human_1", "human_2"], weights="quadratic", margin=0.1)
    >>> found.frame[["estimate", "estimate_humans", "difference", "non_inferior"]].round(3)
             estimate  estimate_humans  difference  non_inferior
    judge
    machine     0.686            0.709      -0.023          True
    >>> print(found.frame.loc["machine", "not_said"])
    The interval includes 0, so it does not show which of the two agrees better.
    """
    asked = Asked(score, epsilon, q, min_items)
    check_margin(margin)
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    names = judges if isinstance(judges, list) else [judges]
    people = measured_by(humans, "audit", judges=names)
    check_by(by, {*schema.AUDIT, *schema.AUDIT_DRIFT, *LABELS})
    answers = Answers(
        columns_beside("again", again, names, people),
        columns_beside("swapped", swapped, names, people),
    )
    raters = list(dict.fromkeys([*names, *people, *answers.columns]))
    reading = Reading(by, weights, categories, distance, sample_weight=sample_weight)
    level = check_level(confidence_level)
    study = read(data, raters, reading, needs_order=asked.needs_order)
    told = {
        "judges": judges,
        "humans": people,
        "margin": margin,
        "again": again,
        "swapped": swapped,
        "by": by,
        "coefficient": coefficient,
        "weights": weights,
        "categories": categories,
        "distance": distance,
        "sample_weight": sample_weight,
        "score": score,
        "epsilon": epsilon,
        "q": q,
        "min_items": min_items,
        "confidence_level": level,
    }
    call = call_of(audit, told, "ratings" if isinstance(data, Counted) else "df.kappa")
    return Audited(study, names, people, answers, asked, coefficient, margin, level).result(
        told, call
    )
