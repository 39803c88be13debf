"""The public functions of cut-points on a score: options → items → cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import UndefinedKappaWarning, warn
from pdkappa.methods.estimates.options import check_rng, gate
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.predictions.core.cut_rules import AUTO
from pdkappa.methods.predictions.cutpoints_fit import CutOptions, fit
from pdkappa.methods.predictions.cutpoints_grouped import GroupedCutpoints
from pdkappa.methods.predictions.inputs import read_sequences
from pdkappa.ratings.coded import opened
from pdkappa.ratings.items import (
    column_of,
    columns_of_groups,
    item_weights,
    number_groups,
    warn_of_ungrouped,
)
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import (
        By,
        Categories,
        Distance,
        FloatArray,
        ItemWeights,
        Label,
        Seed,
        Weights,
    )
    from pdkappa.methods.predictions.cutpoints_result import Cutpoints
    from pdkappa.ratings.coded import Counted


@gate
def cutpoints(
    truth: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    weights: Weights | None = "quadratic",
    categories: Categories | None = None,
    distance: Distance = "value",
    method: str = AUTO,
    sample_weight: npt.ArrayLike | None = None,
    n_folds: int = 5,
    rng: Seed = 0,
) -> Cutpoints:
    """Find the cuts on a score that maximise kappa with the truth.

    Where should a real-valued prediction be cut into classes? Rounding it loses kappa, and general
    optimisers such as Nelder and Mead's do not find the best cuts.

    Parameters
    ----------
    truth : array-like, shape (N,)
        The true class of each item. The classes must have an order, whatever the weights:
        numbers, an ordered Categorical, or any labels with `categories`.
    score : array-like of float, shape (N,)
        The greater, the higher the class. Two Series are aligned on their index. Items whose
        truth or score is missing are left out.
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pairs`. A matrix may be
        asymmetric: its rows are the true classes and its columns the predicted ones.
    categories : list or dict, optional
        The classes in order, or their scores, as in `pairs`. Default: those that occur in the
        truth, or all of an ordered Categorical. A class that never occurs may be predicted if
        it is named here. Numbers are put in ascending order.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    method : {"auto", "exact", "isotonic", "fixed_point"}
        The rule that puts the cuts:

        - "exact": the greatest kappa that any cuts reach on these items;
        - "isotonic": the best cuts for the mean of isotonic regressions of the truth on 30
          bootstrap samples, which follow chance less;
        - "fixed_point": the best cuts for a cubic regression of the truth on the normal scores
          of `score`: steady with few items, wrong where the relation is not smooth;
        - "auto": of the three, the steadiest (the last here) whose cross-validated kappa is
          within one standard error of the greatest.
    sample_weight : array-like, shape (N,), optional
        Frequency weights. Whole numbers that add up to at most 4,194,304 are the same as
        repeated items, in folds and bootstrap samples, too; other weights stay with their item.
    n_folds : int, default 5
        Number of folds; 0 for no cross-validation, which the exact cuts need not have.
    rng : int, Generator or None, default 0
        For folds and bootstrap samples. By default the same data give the same cuts; None draws
        afresh.

    Returns
    -------
    Cutpoints
        ``cuts``, shape (K - 1,), ``estimate``, ``cv_estimate``, ``method``, ``predict(x)``,
        ``to_frame()``, ``profile()`` and ``plot()``. With a single true class every prediction
        is that class and `estimate` is NaN; the same with no item that has both.

    Raises
    ------
    CategoryError
        If the order of the classes is not known.
    RatingsError
        If the sequences differ in length, two Series in their labels, or a score is infinite.
    RatingTypeError
        If the scores are not numbers.
    OptionError
        If an option has a value that is not one of its choices.
    WeightsError
        If weights cannot be used, or those of the items are further apart than 1 to 1e12.
    TooLargeError
        If there are more than 2,000 classes.

    Warns
    -----
    UndefinedKappaWarning
        If `estimate` is NaN.

    See Also
    --------
    decide : Labels from class probabilities rather than from a score.
    cuts : How well raters agree at each cut of the scale.

    Notes
    -----
    Equal scores are never separated, and classes may stay empty. Kappa of the predictions p is
    ``1 - A(p) / B(p)``, where both are sums over items because the margins of the truth are
    given. Dinkelbach's iteration [1]_ for the ratio, each step of which is minimised exactly
    along the chain of cuts, ends at the greatest kappa in a few steps. With quadratic weights
    the step has a closed form: x gets the class nearest to ``mean + (m(x) - mean) / kappa``,
    where m is the isotonic regression of the truth on the score. A cut lies halfway
    between two scores.

    The exact cuts fit these items better than new ones, especially if there are few items.
    `cv_estimate` is kappa of all predictions for items left out, taken together. The standard
    error by which "auto" chooses is that of the difference of two such kappas. The kappa of a
    rule chosen by its kappa is too high, by .02 to .05 on average where 40 to 150 scores are
    mere noise. That of "auto" is therefore lowered by what the choice adds on average among
    1,000 draws of the kappas around themselves, with their covariances.

    References
    ----------
    .. [1] Dinkelbach, W. (1967). On nonlinear fractional programming. Management Science,
           13(7), 492-498. https://doi.org/10.1287/mnsc.13.7.492

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(1, 5, 300)
    >>> score = truth / 2 + rng.normal(size=300)
    >>> found = pdkappa.cutpoints(truth, score)
    >>> found
    Cut-points, quadratic weights, method fixed_point: kappa 0.587, cross-validated 0.577
    <BLANKLINE>
              lower  upper n_truth n_predicted n_correct
    category
    1          -inf  0.288      65          62        37
    2         0.288  1.152      81          71        27
    3         1.152  1.921      66          84        27
    4         1.921    inf      88          83        49
    >>> found.predict([-1, 1.2, 3])
    array([1, 3, 4])

    The best cuts on these items are not the best ones for others:

    >>> exact = pdkappa.cutpoints(truth, score, method="exact")
    >>> round(exact.estimate, 3), round(exact.cv_estimate, 3)
    (0.609, 0.57)
    """
    reading = Reading(weights=weights, categories=categories, distance=distance)
    options = CutOptions(reading, method, n_folds)
    check_rng(rng)
    kinds = {"truth": "classes", "score": "numbers"}
    true, scores, counts = read_sequences(truth, score, sample_weight, kinds)
    return _fit_one(true, scores, counts, options, rng)


@gate
def cutpoints_by(
    data: pd.DataFrame | Counted,
    truth: Label,
    score: Label,
    *,
    by: By | None = None,
    weights: Weights | None = "quadratic",
    categories: Categories | None = None,
    distance: Distance = "value",
    method: str = AUTO,
    sample_weight: ItemWeights | None = None,
    n_folds: int = 5,
    rng: Seed = 0,
) -> Cutpoints | GroupedCutpoints:
    """Find the cuts on a column of scores that maximise kappa with a column of true classes.

    With `by`, each group, such as an essay set, has its own cuts.

    Parameters
    ----------
    data : DataFrame
        One row for each item.
    truth, score : column label
        The true class, and the score to be cut.
    by : column label or list of them, optional
        The groups. Without `categories`, the classes of a group are the numbers that occur in
        it. Items without a group are left out.
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pdkappa.cutpoints`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pdkappa.cutpoints`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    method : {"auto", "exact", "isotonic", "fixed_point"}
        The rule that puts the cuts. See `pdkappa.cutpoints`.
    sample_weight : column label or array-like, shape (N,), optional
        Frequency weights.
    n_folds : int, default 5
        Number of folds; 0 for no cross-validation.
    rng : int, Generator or None, default 0
        Where folds and bootstrap samples are drawn from, a stream of its own for each group.

    Returns
    -------
    Cutpoints or GroupedCutpoints
        As `pdkappa.cutpoints` returns it; with `by`, a mapping from the group to its
        cut-points, with ``summary()``, ``to_frame()``, ``predict(frame)``, ``estimate`` and
        ``cv_estimate``.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some `estimate` is NaN.

    See Also
    --------
    pdkappa.cutpoints : The same for two sequences.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> df["mean"] = df[["human_2", "machine"]].mean(axis=1)
    >>> found = df.kappa.cutpoints("human_1", "mean", by="essay_set")
    >>> found.summary()[["n_items", "n_categories", "estimate", "cv_estimate"]].head(3).round(3)
               n_items  n_categories  estimate  cv_estimate
    essay_set
    1              300             9     0.774        0.770
    2              300             6     0.811        0.805
    3              260             4     0.739        0.739
    >>> found[4].cuts
    array([0.75, 1.25, 2.25])
    >>> found.predict(df).tail(3).tolist()
    [34, 27, 29]
    """
    data, sample_weight, categories = opened(data, sample_weight, categories)
    reading = Reading(weights=weights, categories=categories, distance=distance)
    options = CutOptions(reading, method, n_folds)
    check_rng(rng)
    true, scores = column_of(data, truth, "truth"), column_of(data, score, "score")
    counts = item_weights(data, sample_weight)
    true, scores = true.rename(str(truth)), scores.rename(str(score))
    if by is None:
        return _fit_one(true, scores, counts, options, rng)
    columns = columns_of_groups(data, by)
    number, index = number_groups(data, columns)
    if (number < 0).any():
        warn_of_ungrouped(data, columns)
    order = np.argsort(number, kind="stable")
    edges = np.searchsorted(number[order], np.arange(len(index) + 1))
    parts = {}
    for place, stream in enumerate(np.random.default_rng(rng).spawn(len(index))):
        here = order[edges[place] : edges[place + 1]]
        weight = None if counts is None else counts[here]
        parts[index[place]] = fit(true.iloc[here], scores.iloc[here], weight, options, stream)
    names = list(map(str, parts))
    reasons = pd.Series([part.reason for part in parts.values()], dtype=object)
    warn_if_undefined("estimate", reasons != "", reasons, names.__getitem__)
    return GroupedCutpoints(index, score, parts)


def _fit_one(
    truth: pd.Series, score: pd.Series, counts: FloatArray | None, options: CutOptions, rng: Seed
) -> Cutpoints:
    """Find the cuts of all items, and warn if their kappa is undefined."""
    found = fit(truth, score, counts, options, np.random.default_rng(rng))
    if found.reason:
        warn(
            f"The estimate of the cut-points is undefined (NaN): {found.reason}.",
            UndefinedKappaWarning,
        )
    return found
