"""Agreement group by group and its mean: `grouped`, `fisher_mean`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, overload

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP, fisher_z
from pdkappa.coefficients.means_over_groups import (
    TAU2,
    dependent_fisher_mean,
    weighted_fisher_mean,
    with_error,
)
from pdkappa.coefficients.pair_kappas import correlations, joint_items
from pdkappa.coefficients.pair_kappas import of_pairs as kappas_of
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    WeightsError,
    check_choice,
    listing,
    shown,
)
from pdkappa.methods.estimates.options import IntervalOptions, gate, is_label
from pdkappa.methods.estimates.pair_frames import (
    check_by,
    check_clip,
    estimate,
    groups_frame,
    read_pairs,
    warn_if_undefined,
)
from pdkappa.methods.estimates.study import read
from pdkappa.methods.groups.grouped_results import GroupedAgreement, GroupedPairs
from pdkappa.methods.groups.mean_over_groups import Averaging, Pooling
from pdkappa.methods.groups.strata import clusters_span_groups, error_of_mean
from pdkappa.present import schema
from pdkappa.present.text_markup import call_of
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import align, check_weights
from pdkappa.ratings.options import Reading
from pdkappa.ratings.raters import weights_of_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        GroupWeights,
        Interval,
        ItemWeights,
        Label,
        Missing,
        Progress,
        Seed,
        Tau2Method,
        Weights,
        WeightType,
    )
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.estimates.study import Study

PAIR = 2


class OptionsOfGroups(TypedDict, total=False):
    """What may be said of the groups, be they of two raters or of several pairs."""

    coefficient: Coefficient
    weights: Weights | None
    categories: Categories | None
    missing: Missing
    sample_weight: ItemWeights | None
    weight_type: WeightType | None
    cluster: ItemWeights | None
    ci: Interval
    confidence_level: float
    null: float | None
    n_resamples: int
    rng: Seed
    progress: Progress
    group_weights: GroupWeights | None
    clip: float | None
    tau2_method: Tau2Method


@overload
def grouped(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By,
    pairs: None = None,
    **options: Unpack[OptionsOfGroups],
) -> GroupedAgreement: ...
@overload
def grouped(
    data: pd.DataFrame | Counted,
    rater_a: None = None,
    rater_b: None = None,
    *,
    by: By,
    pairs: Sequence[tuple[Label, Label]],
    **options: Unpack[OptionsOfGroups],
) -> GroupedPairs: ...
@gate
def grouped(
    data: pd.DataFrame | Counted,
    rater_a: Label | None = None,
    rater_b: Label | None = None,
    *,
    by: By,
    pairs: Sequence[tuple[Label, Label]] | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = "quadratic",
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float | None = None,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    group_weights: GroupWeights | None = None,
    clip: float | None = FISHER_CAP,
    tau2_method: Tau2Method = "paule_mandel",
) -> GroupedAgreement | GroupedPairs:
    """Estimate agreement group by group, and average over the groups.

    By default this is the metric of essay scoring: quadratic weighted kappa of each essay set on
    its own scale, and the mean of Fisher's z over the sets. The result also has the figures of a
    meta-analysis of the sets, and tests of whether they differ.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels, optional
        The two raters, such as a human and a machine; both, or none but `pairs`.
    by : column label or list of column labels
        What defines the groups. Rows with a missing group are left out.
    pairs : list of pairs of column labels, optional
        Several pairs instead of two raters: human with human and each human with the
        machine, or one pair for each domain in which the essays are scored. Each pair is
        scored by itself, with the items and categories of its own two raters.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights; see `pairs`.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, optional
        An agreement, between -1 and 1, that each group and each mean is tested to have: columns
        ``z, p_value`` of ``.groups`` and ``.pooled``. By default there are none.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    progress : bool or callable, default False
        Whether to show a progress bar of the resamples, or a function of ``(done, total)``.
    group_weights : column label or dict or Series, optional
        Weight of each group in the mean: a column that is constant within each group, or
        a mapping from group to weight. Default: all groups count the same.
    clip : float or None, default 0.999
        Estimates are clipped to [-clip, clip] before Fisher's z, so that a group with
        perfect agreement does not outweigh all others. None averages exactly.
    tau2_method : {"paule_mandel", "dersimonian_laird"}
        How the variance between groups is estimated for the random-effects mean.

    Returns
    -------
    GroupedAgreement or GroupedPairs
        For two raters ``.groups``, a frame with a row for each group; ``.pooled``, a frame
        with the rows ``fisher_mean``, ``fixed`` and ``random``; ``.heterogeneity``,
        ``.equality``, ``.stratified``, ``.within``, ``.crude``, ``.leave_one_out`` and
        ``.remarks``; ``float(result)``, the Fisher-z weighted mean. It is NaN if no group
        with a positive weight has a defined estimate. Undefined groups are left out of the
        means, counted in ``n_undefined`` and named in ``.remarks``.

        For `pairs`, one of these for each pair, and the mean over all pairs and groups: see
        `GroupedPairs`.

    Raises
    ------
    OptionError
        If there are neither two raters nor `pairs`, or both, or `tau2_method` is none of its
        choices.
    WeightsError
        If a weight of a group is missing, negative, not finite or not constant, or all
        are zero.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    fisher_mean : The mean alone.

    Notes
    -----
    The standard error of a group's z is ``se / (1 - estimate**2)``, not
    ``1 / sqrt(n - 3)``, which belongs to correlations of normal variables. Under perfect
    agreement it is that of the table with one pseudo-item (see `ci` in `pairs`).

    The other means, the tests and the limits of all means correct z for the bias of small tables,
    which the mean of many groups would keep. The fixed-effect mean weights each z by the
    reciprocal of its variance v, and the random-effects mean by that of v + tau2; v per item is
    the same in all groups, so that no group gets more weight because it happens to agree well.
    Paule and Mandel's tau2 solves Q(tau2) = G - 1; the interval is that of Hartung and Knapp, in
    which groups never differ less than by chance, and the prediction interval takes a t quantile
    with G - 2 degrees of freedom. A group without standard error is left out.

    The estimate of ``fisher_mean`` is that of the scorer, clipped and without correction. Its
    limits are for the mean of the true z of these groups, lie around the corrected mean, and reach
    to the estimate if it is beyond them, as where many small groups agree perfectly. Those of
    ``random`` are for the mean of the population of groups. In simulations with tau = 0, those of
    ``random`` are too wide for three to eight groups, and the prediction interval is too narrow
    for a tau of .1, which small groups hardly show. If a category is rare in groups of about
    twenty to sixty items, the coverage for thirty groups is somewhat too low, and tests are
    approximate. `remark` says if limits are wide, or a category is rare.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> result = df.kappa.grouped("human_1", "machine", by="essay_set")
    >>> result.groups[["n_items", "n_categories", "estimate"]].head(3).round(3)
               n_items  n_categories  estimate
    essay_set
    1              300             9     0.738
    2              300             6     0.777
    3              260             4     0.681
    >>> round(float(result), 4)
    0.7432
    """
    of_items = (sample_weight, weight_type, cluster)
    reading = Reading(by, weights, categories, missing, *of_items)
    at = 0.0 if null is None else null
    interval = IntervalOptions(ci, confidence_level, n_resamples, rng, progress, at)
    check_clip(clip)
    check_choice("tau2_method", tau2_method, TAU2)
    check_by(by, set(schema.GROUPS))
    at_null = None if null is None else interval.null
    averaging = Averaging(clip, tau2_method, interval.level, at_null)
    ask = Ask(coefficient, interval, averaging, group_weights)
    if pairs is not None:
        results = {}
        for pair in _pairs(pairs, rater_a, rater_b):
            one = read_pairs(data, list(pair), reading, coefficient, interval, warns=False)
            results[pair] = of_pair(one, pair, estimate(one, coefficient, interval), ask)
        raters = list(dict.fromkeys(rater for pair in results for rater in pair))
        found = of_pairs(read(data, raters, reading), results, ask)
        _warn_of_undefined(found.groups)
        return found
    if rater_a is None or rater_b is None:
        message = "grouped needs two raters, rater_a and rater_b, or pairs=[(rater_a, rater_b)]."
        raise OptionError(message)
    study = read_pairs(data, [rater_a, rater_b], reading, coefficient, interval)
    estimates = estimate(study, coefficient, interval)
    estimates.warn_if_undefined()
    estimates.warn_if_unsolved()
    return of_pair(study, (rater_a, rater_b), estimates, ask)


class Ask(NamedTuple):
    """What is asked of the groups: a coefficient, its limits, and their mean."""

    coefficient: str
    interval: IntervalOptions
    averaging: Averaging
    group_weights: GroupWeights | None


def of_pair(
    study: Study, pair: tuple[Label, Label], estimates: Estimates, ask: Ask
) -> GroupedAgreement:
    """Collect the groups of two raters, and what their means are made of."""
    reading, averaging = study.reading, ask.averaging
    labels = estimates.tables.groups.labels
    weight = weights_of_groups(study.frame, labels, ask.group_weights)
    groups = groups_frame(estimates, fisher_z(estimates.summary.estimate, averaging.clip), weight)
    if averaging.null is not None:
        place = list(groups.columns).index("ci_high") + 1
        groups.insert(place, "z", estimates.column("z"))
        groups.insert(place + 1, "p_value", estimates.column("p_value"))
    options = {
        "raters": list(pair),
        "by": reading.by,
        "coefficient": ask.coefficient,
        "weights": reading.weights,
        "missing": reading.missing,
        "ci": ask.interval.ci,
        "confidence_level": ask.interval.level,
        "clip": averaging.clip,
        "tau2_method": averaging.tau2_method,
        "group_weights": ask.group_weights,
    }
    if averaging.null is not None:
        options["null"] = averaging.null
    panel = Pooling(estimates, weight, ask.coefficient, reading.weights, averaging)
    call = _call(study, {"rater_a": pair[0], "rater_b": pair[1]}, options)
    return GroupedAgreement(result(groups, pair), pair, estimates, options, panel, call)


def of_pairs(
    study: Study, results: dict[tuple[Label, Label], GroupedAgreement], ask: Ask
) -> GroupedPairs:
    """Average over all pairs and groups; the study is of all their raters."""
    every = list(results.values())
    summaries = [one.estimates.summary for one in every]
    estimates, se = (
        np.stack([getattr(summary, name) for summary in summaries])
        for name in ("estimate", "se_fisher_z")
    )
    weight = np.stack([one.panel.weight for one in every])
    places = [(study.raters.index(a), study.raters.index(b)) for a, b in results]
    kappas = kappas_of(study.rows.compressed(), study.scale, COEFFICIENTS[ask.coefficient], places)
    clip, level = ask.averaging.clip, ask.averaging.level
    related = correlations(kappas)
    unbiased_z, own = (
        np.stack(part) for part in zip(*(one.panel.on_fisher_z for one in every), strict=True)
    )
    mean = dependent_fisher_mean(
        estimates, weight, own, related, unbiased_z=unbiased_z, clip=clip, level=level
    )
    if clusters_span_groups(kappas.rows) and not np.isnan(mean.se_fisher_z):
        exact = np.where([summary.se == 0 for summary in summaries], se, 0.0)
        error = error_of_mean(kappas.rows, kappas.influence, estimates, weight, exact)
        apart = dependent_fisher_mean(estimates, weight, se, related, clip=clip, level=level)
        mean = with_error(mean, mean.se_fisher_z * error / apart.se_fisher_z, level)
    call = _call(study, {"rater_a": list(results)}, every[0].options)
    return GroupedPairs(results, mean, joint_items(kappas.rows, places), call)


def _call(study: Study, raters: dict[str, Any], told: dict[str, Any]) -> str:
    """Write the call that makes a result again."""
    reading, names = study.reading, ("categories", "weight_type", "cluster")
    passed = raters | told | {name: getattr(reading, name) for name in names}
    weight = study.data.weight if isinstance(study.data, Counted) else reading.sample_weight
    del passed["raters"]
    bound = "ratings" if isinstance(study.data, Counted) else "df.kappa"
    return call_of(grouped, passed | {"sample_weight": weight}, bound)


def _pairs(given: Any, rater_a: Label | None, rater_b: Label | None) -> list[tuple[Label, Label]]:
    """Check a list of pairs of raters, beside which there are no others."""
    if rater_a is not None or rater_b is not None:
        message = "pairs= names the raters already. Leave out rater_a and rater_b."
        raise OptionError(message)
    listed = list(given) if isinstance(given, list | tuple) else []
    pairs = [tuple(pair) for pair in listed if isinstance(pair, tuple | list) and len(pair) == PAIR]
    if not listed or len(pairs) < len(listed) or not all(map(is_label, chain(*pairs))):
        message = (
            f"pairs={shown(given)} must be a list of pairs of column labels, such as "
            "[('human', 'machine')]."
        )
        raise OptionError(message)
    twice = [pair for place, pair in enumerate(pairs) if pair in pairs[:place]]
    if twice:
        message = f"pairs holds {twice[0]!r} twice. Name it once."
        raise DuplicateRatingError(message)
    return pairs


def _warn_of_undefined(groups: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""
    by = groups.index.names[PAIR:]

    def name(row: int) -> str:
        a, b, *place = groups.index[row]
        where = ", ".join(f"{name}={value}" for name, value in zip(by, place, strict=True))
        return f"{a!r} with {b!r} at {where}"

    warn_if_undefined("coefficient", groups["estimate"].isna(), groups["reason"], name)


@gate
def fisher_mean(
    kappas: npt.ArrayLike,
    group_weights: npt.ArrayLike | None = None,
    *,
    clip: float | None = FISHER_CAP,
) -> float:
    """Average coefficients on Fisher's z scale, as `grouped` does.

    Parameters
    ----------
    kappas : array-like of float, shape (G,)
        Coefficients in [-1, 1]. NaN, an undefined coefficient, is left out.
    group_weights : array-like of float, shape (G,), optional
        Weights, not negative and not all zero; only their ratios matter.
    clip : float or None, default 0.999
        Coefficients are clipped to [-clip, clip] first; None averages exactly.

    Returns
    -------
    float
        In [-1, 1]. NaN where no coefficient with a positive weight is defined, and, with
        ``clip=None``, where both 1 and -1 are among them.

    Raises
    ------
    OptionError
        If a coefficient lies outside [-1, 1], or `clip` outside (0, 1).
    WeightsError
        If the group weights are negative, not finite, all zero, or not one for each coefficient.

    See Also
    --------
    grouped : Compute the coefficients and their mean, with standard errors.

    Notes
    -----
    ``tanh(sum(w * atanh(kappa)) / sum(w))``, the evaluation metric of the essay-scoring
    competition of 2012 (B. Hamner, Metrics). A Series of weights is aligned on the index.

    Examples
    --------
    >>> round(pdkappa.fisher_mean([0.5, 0.8], [1, 0.5]), 6)
    0.624536

    Perfect agreement counts as 0.999:

    >>> round(pdkappa.fisher_mean([1.0, 1.0]), 6)
    0.999
    """
    check_clip(clip)
    if isinstance(kappas, pd.Series) and isinstance(group_weights, pd.Series):
        group_weights = align(group_weights, kappas.index, "group_weights")
    values = numbers_of(kappas, "kappas", OptionError)
    if values.ndim != 1:
        message = f"kappas must be one-dimensional, got shape {values.shape}. Pass a list of them."
        raise OptionError(message)
    outside = values[np.abs(values) > 1]
    if len(outside):
        message = (
            f"kappas must lie between -1 and 1, got {listing(outside.tolist())}. "
            "Other values have no Fisher z."
        )
        raise OptionError(message)
    w = np.ones(len(values))
    if group_weights is not None:
        w = check_weights(group_weights, "group_weights", len(values))
    if len(w) and not w.any():
        message = "group_weights are all zero. Give at least one coefficient a positive weight."
        raise WeightsError(message)
    return weighted_fisher_mean(values, w, clip=clip).estimate
