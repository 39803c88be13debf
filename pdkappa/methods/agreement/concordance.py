"""Scores that are numbers: agreement of real-valued scores, and of humans with a machine."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import INTERVALS
from pdkappa.coefficients.pair_kappas import DISTANCES, concordance_figures, joint_scores
from pdkappa.errors import check_choice
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by, check_pairs, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.estimates.weightings import SYNONYMS
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, ItemWeights, Missing, Raters, WeightType
    from pdkappa.ratings.coded import Coded, Counted


@gate
def concordance(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    weights: Literal["quadratic", "linear"] = "quadratic",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Literal["auto", "fisher", "wald"] = "auto",
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Estimate the agreement of every pair of raters whose scores need not be whole numbers.

    How well do unrounded predictions, or measurements, agree with each other and with whole
    scores? There are no categories, and nothing is rounded.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, whose ratings must be numbers. Default: all columns that can be ratings.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    weights : {"quadratic", "linear"}
        Whether a difference of scores counts by its square or by its size.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald"}
        Up to a hundred distinct scores, the limits of `pairs`. Of more, limits on Fisher's z
        scale, with t quantiles of the standard error of the jackknife; or estimate plus and
        minus normal quantiles of `se`. With `cluster` both use t quantiles of `se`.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, and

        - ``rater_a, rater_b, n_items``;
        - ``estimate, se, ci_low, ci_high``: kappa in [-1, 1], which is Lin's concordance
          correlation for quadratic weights;
        - ``kappa_u, se_kappa_u``: the same without most of its bias in small samples, in
          (-inf, 1]; for quadratic weights the intraclass correlation ICC(A,1);
        - ``correlation``: Pearson's, in [-1, 1];
        - ``lin_accuracy``: Lin's C_b in (0, 1], the factor by which different means and standard
          deviations reduce the correlation; for quadratic weights the estimate is their product;
        - ``mean_difference``: mean of the second rater minus that of the first;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``zero_total_weight``,
          ``constant_ratings``, ``constant_rater`` (kappa is 0 and has no standard error; no
          correlation, no accuracy), ``n_lt_2``.

    Raises
    ------
    RatingTypeError
        If the ratings are not numbers.
    RatingsError
        If a score is infinite.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    pairs : The same estimate, where scores are categories, with p-values.

    Notes
    -----
    For quadratic weights, with the moments of the sample divided by n, the estimate is
    ``2 cov / (var_a + var_b + (mean_a - mean_b)**2)`` [1]_. Up to a hundred distinct scores
    the estimate, its error and its limits are those of `pairs`; of more, the estimate equals
    that of `pairs` to the last digits, at less cost. The
    correction is ``kappa_u = n kappa / (n - 1 + kappa)``: among the pairs of scores that say
    what to expect by chance, it leaves out those of one and the same item. It assumes
    independent items.

    The jackknife leaves out every item exactly. In samples from normal distributions with
    correlations of 0.5 and 0.9, intervals of 95% cover 94% for 10 items and 95% for 20 or
    more; for lognormal scores, which are very skewed, 87% for 20 and 91% for 200. With a
    correlation of 0.5 and 20 items the bias is -0.031, and that of `kappa_u` -0.020.

    References
    ----------
    .. [1] Lin, L. I.-K. (1989). A concordance correlation coefficient to evaluate
           reproducibility. Biometrics, 45(1), 255-268. https://doi.org/10.2307/2532051
    .. [2] McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass
           correlation coefficients. Psychological Methods, 1(1), 30-46.
           https://doi.org/10.1037/1082-989X.1.1.30

    Examples
    --------
    >>> df = pd.DataFrame({"human": [1, 2, 4, 4, 3], "machine": [1.6, 2.2, 3.4, 3.1, 2.9]})
    >>> pdkappa.concordance(df)[["n_items", "estimate", "kappa_u", "correlation"]].round(3)
       n_items  estimate  kappa_u  correlation
    0        5     0.826    0.855        0.982

    Rounding first is another question:

    >>> pdkappa.concordance(df.round())[["estimate", "kappa_u", "correlation"]].round(3)
       estimate  kappa_u  correlation
    0     0.634    0.684         0.91
    """
    check_choice("weights", weights, DISTANCES, SYNONYMS)
    check_choice("ci", ci, INTERVALS)
    check_level(confidence_level)
    check_by(by, set(schema.CONCORDANCE))
    reading = Reading(
        by=by,
        missing=missing,
        sample_weight=sample_weight,
        weight_type=weight_type,
        cluster=cluster,
    )
    scored = read_scores(data, raters, reading)
    check_pairs(len(scored.coded.raters), "concordance")
    distance, names = DISTANCES[weights], scored.coded.raters
    shared = scored.as_in_pairs(data, reading, weights, ci=ci, level=confidence_level)
    parts = []
    for first, second in combinations(range(len(names)), 2):
        rows = joint_scores(scored.rows, (first, second))
        of_scores = concordance_figures(
            rows, scored.scores, distance, ci=ci, level=confidence_level
        )._asdict()
        of_scores["reason"] = np.where(scored.empty == "", of_scores["reason"], scored.empty)
        of_scores |= shared.get((first, second), {})
        parts.append({"rater_a": names[first], "rater_b": names[second], **of_scores})
    return _pairs_frame(scored.coded, parts)


def _pairs_frame(coded: Coded, parts: list[dict[str, Any]]) -> pd.DataFrame:
    """Put one row for each pair, in each group if there are groups, and warn of NaN."""
    groups, n_pairs = coded.groups, len(parts)
    columns: dict[str, Any] = {
        name: np.stack([part[name] for part in parts], axis=1).reshape(-1)
        for name in schema.CONCORDANCE
        if not name.startswith("rater_")
    }
    columns["n_items"] = whole(columns["n_items"])
    for name in ("rater_a", "rater_b"):
        columns[name] = index_of([part[name] for part in parts] * coded.n_groups)
    frame = pd.DataFrame(columns)[list(schema.CONCORDANCE)]

    def pair(row: int) -> str:
        a, b = frame.loc[row, ["rater_a", "rater_b"]]
        return f"{a!r} with {b!r}{groups.at(row // n_pairs)}"

    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], pair)
    return result(groups.label(frame), coded.raters)
