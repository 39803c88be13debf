"""One figure for all raters: `agreement`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa._typing import GivenWeights, OfAll, OfAlphaAlone, Shares, WeightName
from pdkappa.coefficients.all_raters import MULTIRATER, krippendorff_ordinal
from pdkappa.errors import (
    LeftOutWarning,
    OptionError,
    UndefinedKappaWarning,
    check_choice,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import with_adjusted
from pdkappa.methods.estimates.pair_frames import agreement_frame, warn_of_undefined_rows
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import SYNONYMS_OF_ALL, summarise_together
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import Weights
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.long_ratings import Listed

ORDINAL_METRIC = "krippendorff_ordinal"
MOST_RATERS_OF_LIGHT = 200


def read_together(
    data: pd.DataFrame | Counted | Listed, asked: OfAgreement, models: dict[str, MultiraterModel]
) -> Study:
    """Read the ratings for coefficients of all raters; an ordinal metric needs the order alone."""
    reading, needs_order = asked.reading, None
    if _is_ordinal_metric(reading.weights):
        needs_order = f"weights={shown(reading.weights)}"
        reading = replace(reading, weights=None)
    identity: Any = {"needs_identity": any(MULTIRATER[name].of_persons for name in models)}
    study = read(data, asked.raters, reading, needs_order=needs_order, of_crowds=True, **identity)
    study.warn_of_categories(models)
    return study


def _listed(coefficients: Any) -> list[str]:
    """Return the coefficients that the user listed, at least one."""
    listed = [coefficients] if isinstance(coefficients, str) else coefficients
    names = list(listed) if pd.api.types.is_list_like(listed) else []
    if not names:
        message = (
            f"coefficients must be None or a list of one coefficient or more, got "
            f"{shown(coefficients)}. Choose some of: {', '.join(map(repr, MULTIRATER))}."
        )
        raise OptionError(message)
    return names


def without_light(
    models: dict[str, MultiraterModel], n_raters: int, named: Sequence[str] | None
) -> dict[str, MultiraterModel]:
    """Leave out the mean over all pairs where raters are many, unless the user named it."""
    if named is not None or n_raters <= MOST_RATERS_OF_LIGHT or "light" not in models:
        return models
    warn(
        f"'light' is left out: {n_raters} raters are {n_raters * (n_raters - 1) // 2} pairs, many "
        "of which share few items or none. By default it is computed for up to "
        f"{MOST_RATERS_OF_LIGHT} raters; name it in coefficients=[...] to include it.",
        LeftOutWarning,
    )
    return {name: model for name, model in models.items() if name != "light"}


def _is_ordinal_metric(weights: Weights | None) -> bool:
    """Whether the weights are Krippendorff's ordinal metric."""
    return isinstance(weights, str) and weights == ORDINAL_METRIC


def models_of(
    data: pd.DataFrame | Counted | Listed, asked: OfAgreement
) -> dict[str, MultiraterModel]:
    """Return the coefficients of all raters that the user wants."""
    anonymous = isinstance(data, Counted) and data.anonymous
    known = [name for name, row in MULTIRATER.items() if not (anonymous and row.of_persons)]
    names = known if asked.coefficients is None else _listed(asked.coefficients)
    for name in names:
        check_choice("coefficients", name, MULTIRATER, SYNONYMS_OF_ALL)
    if not _is_ordinal_metric(asked.weights):
        return {name: MULTIRATER[name] for name in names}
    if names != ["krippendorff"]:
        message = (
            f"weights={shown(ORDINAL_METRIC)} belongs to Krippendorff's alpha alone, for which the "
            "metric depends on the ratings. Pass coefficients=['krippendorff']."
        )
        raise OptionError(message)
    return {"krippendorff": krippendorff_ordinal}


class OfMetrics(has.Raters, has.By):
    """Some coefficients of all raters, and how much disagreements count, also for alpha alone."""

    coefficients: OfAll | Sequence[OfAll] | None = option(
        "Some of ``percent, brennan_prediger, fleiss, conger, light, gwet, krippendorff``; "
        'default: all of them, except "light" for more than 200 raters, most pairs of whom share '
        "few items.",
        "list of str",
        default=None,
    )
    weights: GivenWeights | OfAlphaAlone | None = anew(
        has.Weights,
        "weights",
        default=None,
        choices=WeightName | OfAlphaAlone,
        kind=has.Weights.known["weights"].kind,
    )


class OfRatings(
    OfMetrics, has.Categories, has.Missing, has.WeightType, has.Population, has.Cluster
):
    """The ratings of any number of raters, and how their items were drawn."""


class OfAgreement(OfRatings, has.Vary, has.Limits, has.Interpretation, has.Adjusted, has.Sep):
    """Options of `agreement`."""

    figure = "the agreement of all raters"
    shares: Shares | None = option(
        "Whether category shares are averaged over items, so that an item with many ratings counts "
        "no more than one with few (Gwet), or over the ratings of all items with two or more. "
        'Without effect on "conger", "light" and "krippendorff", and if all items have the same '
        'number of ratings. By default "items", except for two raters, where items with a single '
        "rating are then ignored as in `pairs`.",
        choices=Shares,
        default=None,
    )


@asks(
    OfAgreement,
    raters='They need not be the same for all items, except for "conger" and "light", which '
    "compare raters as persons.",
    weights='"krippendorff_ordinal" is Krippendorff\'s own ordinal metric, for that '
    'coefficient alone; it is not the "ordinal" of Gwet, and depends on how often each category '
    "was used.",
    ci='"auto": guarded limits on Fisher\'s z scale for coefficients whose chance agreement '
    'depends on the category shares, and plain ones for the others. "score": score limits of the '
    'former, by a model of pdkappa\'s own. "fisher": plain limits for all. '
    '"wald": estimate plus and minus t quantiles times the standard error.',
    interpretation='"percent" has none: the schemes are for coefficients that correct for chance.',
    p_adjust="All coefficients (and groups) with a p-value are one family.",
)
def agreement(data: pd.DataFrame | Counted | Listed, asked: OfAgreement) -> Result:
    """Estimate the agreement of all raters together, with every coefficient.

    How well do the raters agree as a group, beyond chance, and how precisely is that known? Missing
    ratings and unequal numbers of raters are part of the definition of each coefficient.

    Returns
    -------
    DataFrame
        One row for each coefficient (and group): ``n_items, n_raters, n_ratings,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        p_adjusted, interpretation, effective_disagreements, reason, remark``. The estimate is at
        most 1; with missing ratings, and for "gwet" and "brennan_prediger", it may be less than -1.
        `p_value` is two-sided, and inverts the limits as in `pairs`. Reasons for NaN:

        - ``no_items``, ``no_joint_items``: there are no ratings, or no item has two;
        - ``constant_ratings``: only one category was used, 0/0;
        - ``constant_rater``: one of two raters used a single category for their joint
          items, so that "light" and "conger" are 0 whatever the items are, and have no
          standard error;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters), and no
          "krippendorff" from no more than one rating, by weight, that can be paired;
        - ``no_variance``: the standard error is zero, so that ``ci="wald"`` has no test;
        - ``few_raters``: with `vary` "raters" or "both", fewer than three raters rated;
        - ``undefined_without``, ``undefined_resamples``, ``one_sided_resamples``: there are
          no limits, as in `pairs`, or no coefficient without some rater where raters vary.

        "percent" has no test against chance; no reason is given for that. `remark` is as in
        `pairs`; that of Light's kappa depends on the mean number of items that two raters share.

    Warns
    -----
    LeftOutWarning
        If "light" is left out of the default, for more than 200 raters.

    See Also
    --------
    pairs : Agreement of each pair of raters.

    Notes
    -----
    Every coefficient but "light" is ``1 - D_o / D_e``. Observed disagreement is the mean, over
    items with two ratings or more, of the disagreement of their pairs of ratings; for
    Krippendorff's alpha every rating of such an item has the same weight. Expected disagreement
    depends on the chance model: pooled category shares (fleiss), each rater's shares (conger [2]_),
    equal shares (brennan_prediger), Gwet's model, or two ratings drawn without replacement
    (krippendorff; [3]_, chapter 11). "light", its observed and its expected agreement are the means
    over the pairs of raters whose kappa is defined; others are left out without a warning.

    Who rated nothing, here or in a group, is none of its raters. With two raters each row equals
    that of `pairs`, to the last bit: fleiss is Scott's pi, and conger and light are Cohen's kappa.
    With more raters, an item with one rating counts in the category shares of fleiss, conger and
    gwet [1]_; with two raters, it does if `shares` is "items".

    Standard errors come from influence values. As in `pairs` they divide by n squared where no item
    has more than two ratings, whoever gave them, and else by n (n - 1), n being the number of items
    with a rating. With missing ratings they differ from
    those of Gwet's book, which treats the share of items with two ratings as fixed [1]_.

    These standard errors treat the raters as fixed. For a population of raters, limits need
    ``vary="both"``. As in Gwet's book (section 5.4) and Stata's kappaetc [4]_, the variance over R
    raters is that of the jackknife, ``(R - 1) / R * sum((t - mean(t))**2)`` with t the coefficient
    without one of them, and is added to that over the items. The degrees of freedom of the sum are
    Satterthwaite's, R - 1 for the raters alone, where kappaetc has n - 1 for either. In
    simulations with 3, 5, 8 and 15 raters of 100 items, whose bias and noise vary, 95 % limits
    cover the population's value in .93 to .96 of samples, and those with fixed raters in .39 to
    .78. The same jackknife is used for "conger" and "light". Every coefficient is computed again
    without each rater, which is slow for hundreds of raters.

    References
    ----------
    .. [1] Gwet, 2014
    .. [2] Conger, 1980
    .. [3] Krippendorff, 2004
    .. [4] Klein, 2018

    Examples
    --------
    >>> df = pdkappa.datasets.load_reliability_data()
    >>> df.kappa.agreement()[["n_items", "n_ratings", "estimate", "se"]].round(3)
                      n_items  n_ratings  estimate     se
    coefficient
    percent                12         41     0.818  0.101
    brennan_prediger       12         41     0.773  0.127
    fleiss                 12         41     0.761  0.135
    conger                 12         41     0.762  0.133
    light                  12         41     0.700  0.151
    gwet                   12         41     0.775  0.125
    krippendorff           12         41     0.743  0.141
    """
    interval = asked.interval
    models = models_of(data, asked)
    study = read_together(data, asked, models)
    n_raters = int(study.ratings.compressed.n_active.max(initial=0))
    models = without_light(models, n_raters, asked.coefficients)
    summaries, lost = summarise_together(study, models, interval, shares=asked.shares)
    if lost:
        warn(lost, UndefinedKappaWarning)
    frame = agreement_frame(summaries, study.groups, asked.interpretation)
    warn_of_undefined_rows(frame)
    return with_adjusted(result(frame, study.named_raters), asked.p_adjust)
