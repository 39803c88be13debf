"""Agreement group by group and its mean: `grouped`, `fisher_mean`."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, overload

import numpy as np
import pandas as pd

from pdkappa._typing import Tau2Method
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import spans_groups
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.means_over_groups import (
    dependent_fisher_mean,
    weighted_fisher_mean,
    with_error,
)
from pdkappa.coefficients.pair_kappas import of_pairs as kappas_of
from pdkappa.coefficients.pair_kappas import variance_of_sum
from pdkappa.errors import (
    CategoryError,
    DuplicateRatingError,
    OptionError,
    WeightsError,
    listing,
    shown,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.methods.estimates.options import IntervalOptions, check_by, is_label
from pdkappa.methods.estimates.pair_frames import (
    check_clip,
    estimate,
    read_pairs,
    warn_if_undefined,
)
from pdkappa.methods.estimates.study import read
from pdkappa.methods.groups.grouped_results import GroupedAgreement, GroupedPairs, MeanOfPairs
from pdkappa.methods.groups.mean_over_groups import Averaging, Panels, Pooling, row_of
from pdkappa.methods.groups.strata import error_of_mean
from pdkappa.present import schema
from pdkappa.present.text_markup import call_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import align, check_weights
from pdkappa.ratings.raters import weights_of_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from pdkappa._typing import FloatArray, GroupWeights, Label
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.estimates.study import Study

P = ParamSpec("P")
Q = ParamSpec("Q")
PAIR = 2
NO_ORDER = "needs ordered categories"


class AskedOfGroups(has.MeanOfGroups):
    """What may be said of the groups, be they of two raters or of several pairs."""

    null: float | None = anew(
        has.Limits, "null", default=None, also="Each group and each mean is tested."
    )
    clip: float | None = option(
        "Estimates are clipped to [-clip, clip], within (-1, 1), before Fisher's z, so that a "
        "group with perfect agreement does not outweigh all others. None averages exactly.",
        "float or None",
        default=FISHER_CAP,
        check=lambda _, value: check_clip(value),
    )
    tau2_method: Tau2Method = option(
        "How the variance between groups is estimated for the random-effects mean.",
        choices=Tau2Method,
        default="paule_mandel",
    )


class TwoOfGroupBy(AskedOfGroups):
    """The options where two raters are named, and the groups are known."""

    rater_a: Label = anew(
        has.Pair, "rater_a", kw_only=False, also="Such as a human. Name both, or none but `pairs`."
    )
    rater_b: Label = anew(has.Pair, "rater_b", kw_only=False, also="Such as a machine.")


class SeveralOfGroupBy(AskedOfGroups):
    """The options where pairs of raters are listed, and the groups are known."""

    pairs: list[tuple[Label, Label]] = option(
        "Several pairs instead of two raters: human with human and each human with the machine, or "
        "one pair for each domain in which the essays are scored. Each pair is scored by itself, "
        "with the items and categories of its own two raters.",
        "list of pairs of column labels",
    )


class OfTwo(TwoOfGroupBy, has.ByGroups):
    """The options where two raters are named."""


class OfSeveral(SeveralOfGroupBy, has.ByGroups):
    """The options where pairs of raters are listed."""


class OfGroups(has.ByGroups, AskedOfGroups):
    """Options of `grouped`: of either way to name raters."""

    rater_a: Label | None = anew(TwoOfGroupBy, "rater_a", default=None, kw_only=False)
    rater_b: Label | None = anew(TwoOfGroupBy, "rater_b", default=None, kw_only=False)
    pairs: list[tuple[Label, Label]] | None = anew(SeveralOfGroupBy, "pairs", default=None)


class Grouped(Protocol[P, Q]):
    """A function whose result depends on how raters are named."""

    @overload
    def __call__(
        self, data: pd.DataFrame | Counted, /, *args: P.args, **kwargs: P.kwargs
    ) -> GroupedAgreement: ...
    @overload
    def __call__(
        self, data: pd.DataFrame | Counted, /, *args: Q.args, **kwargs: Q.kwargs
    ) -> GroupedPairs: ...


class GroupedMethod(Protocol[P, Q]):
    """The same as a method."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> GroupedAgreement: ...
    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> GroupedPairs: ...


def either(
    two: Callable[P, OfTwo],  # noqa: ARG001  # for type checkers
    several: Callable[Q, OfSeveral],  # noqa: ARG001
    **also: str,
) -> Callable[[Callable[[Any, OfGroups], Any]], Grouped[P, Q]]:
    """Ask for the options of either way to name raters."""
    return asks(OfGroups, **also)  # type: ignore[arg-type,return-value]


@either(
    OfTwo,
    OfSeveral,
    weights="Quadratic here, as essays are scored; pass None for categories without an order.",
)
def grouped(data: pd.DataFrame | Counted, asked: OfGroups) -> GroupedAgreement | GroupedPairs:
    """Estimate quadratic weighted kappa group by group, and its Fisher-z mean.

    This is the scorer of essay sets, each on its own scale, and the one method whose weights are
    quadratic by default; ``weights=None`` gives plain kappa. The result also has the figures of a
    meta-analysis of the groups, and tests of whether they differ.

    Returns
    -------
    GroupedAgreement or GroupedPairs
        For two raters ``.groups``, a frame with a row for each group; ``.pooled``, a frame
        with the rows ``fisher_mean``, ``fixed`` and ``random``; ``.heterogeneity``,
        ``.equality``, ``.stratified``, ``.within``, ``.crude``, ``.leave_one_out`` and
        ``.treated``; ``float(result)``, the Fisher-z weighted mean. It is NaN if no group
        with a positive weight has a defined estimate. Undefined groups are left out of the
        means, counted in ``n_undefined`` and named in ``.treated``.

        For `pairs`, one of these for each pair, and the mean over all pairs and groups: see
        `GroupedPairs`.

    Raises
    ------
    OptionError
        If there are neither two raters nor `pairs`, or both.
    WeightsError
        If a weight of a group is missing, negative, not finite or not constant, or all
        are zero.

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
    check_by(asked.by, set(schema.GROUPS))
    try:
        return _of_asked(data, asked)
    except CategoryError as error:
        if not (asked.is_quadratic_unasked and NO_ORDER in str(error)):
            raise
        message = f"{error} Or pass weights=None: those of grouped are quadratic by default."
        raise CategoryError(message) from None


def _of_asked(data: pd.DataFrame | Counted, asked: OfGroups) -> GroupedAgreement | GroupedPairs:
    """Estimate the groups of two raters, or of several pairs."""
    interval, reading = asked.interval, asked.reading
    averaging = Averaging(asked.clip, asked.tau2_method, asked.level, interval.null)
    coefficient = asked.coefficient
    ask = Ask(coefficient, interval, averaging, asked.group_weights)
    if asked.pairs is not None:
        results, each = {}, []
        for pair in _pairs(asked.pairs, asked.rater_a, asked.rater_b):
            one = read_pairs(data, list(pair), reading, coefficient, interval, warns=False)
            each.append(panels_of_study(one, estimate(one, coefficient, interval), ask))
            results[pair] = of_pair(one, pair, each[-1], 0, ask)
        raters = list(dict.fromkeys(rater for pair in results for rater in pair))
        found = of_pairs(read(data, raters, reading), results, each, ask)
        _warn_of_undefined(found.groups)
        return found
    if asked.rater_a is None or asked.rater_b is None:
        message = "grouped needs two raters, rater_a and rater_b, or pairs=[(rater_a, rater_b)]."
        raise OptionError(message)
    pair = (asked.rater_a, asked.rater_b)
    study = read_pairs(data, list(pair), reading, coefficient, interval)
    estimates = estimate(study, coefficient, interval)
    estimates.warn_if_undefined()
    estimates.warn_if_unsolved()
    return of_pair(study, pair, panels_of_study(study, estimates, ask), 0, ask)


class Ask(NamedTuple):
    """What is asked of the groups: a coefficient, its limits, and their mean."""

    coefficient: str
    interval: IntervalOptions
    averaging: Averaging
    group_weights: GroupWeights | None


def panels_of_study(study: Study, estimates: Estimates, ask: Ask) -> Panels:
    """Collect the coefficients of all pairs in all groups."""
    weight = weights_of_groups(study.frame, study.groups.labels, ask.group_weights)
    return Panels(estimates, weight, ask.coefficient, ask.averaging)


def of_pair(
    study: Study, pair: tuple[Label, Label], panels: Panels, place: int, ask: Ask
) -> GroupedAgreement:
    """Collect the groups of two raters, and what their means are made of."""
    reading, averaging = study.reading, ask.averaging
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
        "null": averaging.null,
    }
    estimates = panels.estimates.of_pair(place)
    pooling = Pooling(estimates, reading.weights, panels, place)
    call = _call(study, {"rater_a": pair[0], "rater_b": pair[1]}, options)
    return GroupedAgreement(pair, estimates, options, pooling, call)


def of_pairs(
    study: Study,
    results: dict[tuple[Label, Label], GroupedAgreement],
    each: Sequence[Panels],
    ask: Ask,
) -> GroupedPairs:
    """Average over all pairs and groups; the study is of all their raters."""
    mean = mean_of_pairs(study, list(results), each, ask)
    call = _call(study, {"rater_a": list(results)}, next(iter(results.values())).options)
    return GroupedPairs(results, mean, call)


def mean_of_pairs(
    study: Study, pairs: Sequence[tuple[Label, Label]], each: Sequence[Panels], ask: Ask
) -> MeanOfPairs:
    """Average over all pairs and groups, of which there are the panels of each, or of all."""

    def figure(name: str) -> FloatArray:
        return np.concatenate([getattr(one.summary, name) for one in each])

    estimates, se = figure("estimate"), figure("se_fisher_z")
    weight = np.concatenate([np.broadcast_to(one.weight, one.usable.shape) for one in each])
    places = [(study.raters.index(a), study.raters.index(b)) for a, b in pairs]
    counts = each[0].estimates.tables.counts if len(each) == 1 else None  # of the same study
    model = COEFFICIENTS[ask.coefficient]
    kappas = kappas_of(study.rows.compressed, study.scale, model, places, counts)
    clip, level = ask.averaging.clip, ask.averaging.level
    related = partial(variance_of_sum, kappas)
    unbiased_z = np.concatenate([one.unbiased_z for one in each])
    own = np.concatenate([one.own_errors for one in each])
    mean = dependent_fisher_mean(
        estimates, weight, own, related, unbiased_z=unbiased_z, clip=clip, level=level
    )
    if spans_groups(kappas.rows) and not np.isnan(mean.se_fisher_z):
        exact = np.where(figure("se") == 0, se, 0.0)
        error = error_of_mean(kappas.rows, kappas.influences(), estimates, weight, exact)
        apart = dependent_fisher_mean(estimates, weight, se, related, clip=clip, level=level)
        mean = with_error(mean, mean.se_fisher_z * error / apart.se_fisher_z, level)
    rough = next(filter(None, np.concatenate([one.rough for one in each])), "")
    return MeanOfPairs(
        mean,
        row_of(mean, ask.averaging.null, rough),
        n_items=float(kappas.rows.n_items.sum()),
        weight=float(weight[~np.isnan(estimates)].sum()),
    )


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
        message = f"pairs holds {shown(twice[0])} twice. Name it once."
        raise DuplicateRatingError(message)
    return pairs


def _warn_of_undefined(groups: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""
    by = groups.index.names[PAIR:]

    def name(row: int) -> str:
        a, b, *place = groups.index[row]
        where = ", ".join(f"{name}={value}" for name, value in zip(by, place, strict=True))
        return f"{shown(a)} with {shown(b)} at {where}"

    warn_if_undefined("coefficient", groups["estimate"].isna(), groups["reason"], name)


class OfMean(Asked):
    """Options of `fisher_mean`."""

    kappas: npt.ArrayLike = option(
        "Coefficients in [-1, 1]. NaN, an undefined coefficient, is left out.",
        "array-like of float, shape (G,)",
        kw_only=False,
    )
    group_weights: npt.ArrayLike | None = anew(
        has.GroupWeights,
        "group_weights",
        kind="array-like of float, shape (G,)",
        default=None,
        kw_only=False,
        also="None is negative and not all are zero; only their ratios matter.",
    )
    clip: float | None = anew(AskedOfGroups, "clip", default=FISHER_CAP)


@asks(OfMean)
def fisher_mean(asked: OfMean) -> float:
    """Average coefficients on Fisher's z scale, as `grouped` does.

    Returns
    -------
    float
        In [-1, 1]. NaN where no coefficient with a positive weight is defined, and, with
        ``clip=None``, where both 1 and -1 are among them.

    Raises
    ------
    OptionError
        If a coefficient lies outside [-1, 1].
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
    kappas, group_weights = asked.kappas, asked.group_weights
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
    return float(weighted_fisher_mean(values, w, clip=asked.clip).estimate)
