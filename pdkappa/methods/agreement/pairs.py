"""Every pair of raters: `pairs`, `pairwise`, `confusion`, and `pair` of two Series."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa._typing import Normalize, Stat
from pdkappa.errors import (
    DuplicateRatingError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    check_flag,
    listing,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_label
from pdkappa.methods.estimates.pair_frames import (
    confusion_frame,
    estimate,
    estimate_square,
    matrix_frame,
    pairs_frame,
    read_pairs,
)
from pdkappa.methods.estimates.told import hear_of_joint
from pdkappa.present import schema
from pdkappa.present.labels import label_as_json
from pdkappa.ratings.coded import Counted, encode
from pdkappa.ratings.counted_pairs import pair_tables
from pdkappa.ratings.long_ratings import LARGEST_FRAME

if TYPE_CHECKING:
    from pdkappa._typing import Label
    from pdkappa.methods.estimates.study import Study
    from pdkappa.present.text_tables import Result
    from pdkappa.ratings.long_ratings import Listed


class OfPairs(has.OfStudy, has.Limits, has.Population, has.Adjusted, has.Sep, has.MinItems):
    """Options of `pairs`."""


@asks(
    OfPairs,
    p_adjust="All pairs (and groups) with a p-value are one family.",
    min_items="Of a crowd, `min_items` may leave out most pairs; ``attrs['n_left_out']`` of the "
    "result is their number.",
)
def pairs(data: pd.DataFrame | Counted | Listed, asked: OfPairs) -> Result:
    """Estimate the agreement of every pair of raters, with its standard error.

    Which raters agree, how far beyond chance, and how precisely is that known?

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, ``rater_a, rater_b,
        n_items, estimate, se, ci_low, ci_high, z, p_value, p_adjusted, observed_agreement,
        expected_agreement, max_estimate, effective_disagreements, reason, remark``. Agreements are
        in [0, 1], the estimate in (-inf, 1], or in [-1, 1] with distance weights. `max_estimate` is
        the largest value that the pair's category shares allow; weights without a closed form need
        a linear programme for it, and it is NaN, with a warning, if there are more than 1,000
        pairs (and groups) or 256 categories. `effective_disagreements` is ``sum(d)**2 /
        sum(d**2)`` over the items with the disagreement d, divided by the design effect of
        clusters if that is above 1. `p_value` is two-sided. That of chance, 0, is the published
        one; that of another `null` inverts the limits: it is less than .05 exactly where the
        limits at the level .95 exclude the null, which for 0 may differ where p is near .05.
        `z` is the statistic for 0, and the normal quantile of p for others; p of limits from
        resamples is at least 1 / (n_resamples + 1). Reasons for any other NaN:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``: nothing to compare;
        - ``constant_ratings``: both raters used one and the same category, 0/0;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa is 0
          whatever the items are, and has no standard error, though default limits and a test;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters), and no
          alpha from half an item, by weight, or less;
        - ``no_variance``: nothing varies, so that ``ci="wald"`` has no test;
        - ``undefined_without``, ``undefined_resamples``, ``one_sided_resamples``: there are
          no limits, because the jackknife meets a coefficient of 0/0, all resamples are 0/0,
          or all lie on one side of the estimate, where BCa is not defined.

        Percent agreement has no test against chance; no reason is given for that. `remark` is
        empty, or says that limits and test are approximate or unreliable: there are fewer than
        ten, or five, effective disagreements; fewer than ten, or five, of the joint items are
        expected outside the most frequent category; fewer than ten items agree, without weights;
        or there are fewer than 50 items.

    Raises
    ------
    CategoryError
        If distances are needed and the order is not known, or a rating is not among the
        categories.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN, and once, if some `max_estimate` is not computed.
    LookalikeLabelsWarning
        Once, if labels look like a mistake in the data, such as 'yes' beside 'yes ', or a
        column among the raters like groups of the items.
    ColumnsLeftOutWarning
        Once, if columns are left out because they cannot be ratings.
    LeftOutWarning
        Once, if items are left out because they have no group.
    CrudeKappaWarning
        Once, if the scale of the raters differs between the values of an unused column.
    UndeclaredCategoriesWarning
        Once, if groups use different categories and the coefficient depends on their number.

    See Also
    --------
    pairwise : The same as a square frame of one figure.
    grouped : Two raters in groups, and the mean over the groups.

    Notes
    -----
    With d the disagreement weights, p the shares of the cells of a pair's table, the coefficient
    is ``1 - D_o / D_e`` with ``D_o = sum(d * p)``; Cohen's expected disagreement is that of the
    product of the raters' own category shares [1]_, [2]_. Standard errors are those of Fleiss,
    Cohen and Everitt [3]_ and divide by n; z tests chance with their standard error under the
    null, as SAS and statsmodels do. Those of a sample from a finite population shrink [5]_.

    A sample without large disagreements does not say that raters make none. Default limits are
    those of Fisher's z, ``tanh(atanh(k) -/+ t * se / (1 - k**2))``, guarded by what is not in the
    data: the lower one is that of the table with one more item that is even over all L x L cells of
    the categories used, or, if greater, that of a rate with one more largest disagreement; the
    upper one is the greatest of those of the table, of this table, and of the one with one more
    item of agreement. The documentation derives and simulates them in a technical note.

    References
    ----------
    .. [1] Cohen, 1960
    .. [2] Cohen, 1968
    .. [3] Fleiss et al., 1969
    .. [4] Donner & Eliasziw, 1992
    .. [5] Gwet, 2014

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5], "eve": [1, 2, 2, 4, 3]})
    >>> df.kappa.pairs(weights="quadratic")[["rater_a", "rater_b", "n_items", "estimate"]]
      rater_a rater_b  n_items  estimate
    0     ann     bob        5  0.615385
    1     ann     eve        5  0.905660
    2     bob     eve        5  0.482759

    A rating that is missing is left out, not taken for a category:

    >>> df.loc[0, "bob"] = np.nan
    >>> df.kappa.pairs(weights="quadratic")["n_items"].tolist()
    [4, 5, 4]
    """
    interval = asked.interval
    study = read_pairs(data, asked.raters, asked.reading, asked.coefficient, interval)
    needed = frozenset(schema.PAIRS)
    estimates = estimate(
        study, asked.coefficient, interval, needed=needed, min_items=asked.min_items
    )
    estimates.warn_if_undefined(asked.min_items)
    found = pairs_frame(
        estimates, asked.min_items, columns=schema.ADJUSTED_PAIRS, p_adjust=asked.p_adjust
    )
    if asked.min_items > 0:
        found.attrs["n_left_out"] = study.tables.n_meant - len(found)
    return found


LIMITS = ("ci_low", "ci_high")
WITH_ERROR = ("se", *LIMITS, "z", "p_value", "reason")


class OfPairwise(has.OfStudy, has.Limits, has.MinItems, has.Sep):
    """Options of `pairwise`."""

    stat: Stat = option(
        "Which column of `pairs` to show.",
        choices=Stat,
        default="estimate",
        synonyms={"kappa": "'estimate'", "n": "'n_items'"},
    )


@asks(OfPairwise, min_items="Pairs with fewer than `min_items` are NaN.")
def pairwise(data: pd.DataFrame | Counted | Listed, asked: OfPairwise) -> Result:
    """Show the agreement of all pairs of raters as a square frame.

    It is to agreement what ``df.corr()`` is to correlation. Options of errors, limits and tests
    need a `stat` that shows one.

    Returns
    -------
    DataFrame, shape (R, R)
        Rows and columns are the raters, in their order in `data`. With `by`, the frames of
        the groups stand one below the other, and the rows are labelled by group and rater.
        The diagonal is the agreement of each rater with themselves by definition: 1, or NaN for
        a rater who used a single category. NaN is explained by ``stat="reason"``, as in
        `pairs`, or ``fewer_than_min_items``.

    See Also
    --------
    pairs : One row for each pair, with standard errors and limits.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5], "eve": [1, 2, 2, 4, 3]})
    >>> df.kappa.pairwise(weights="quadratic").round(3)
           ann    bob    eve
    ann  1.000  0.615  0.906
    bob  0.615  1.000  0.483
    eve  0.906  0.483  1.000

    The order of text is never guessed:

    >>> words = df.map(["", "bad", "poor", "fair", "good", "best"].__getitem__)
    >>> words.kappa.pairwise(weights="quadratic")
    Traceback (most recent call last):
        ...
    pdkappa.errors.CategoryError: weights='quadratic' needs ordered categories, but column \
'ann' holds text. Pass categories=[...] in order, or make the columns ordered Categoricals.
    """
    _refuse_unseen(asked)
    interval, reading = asked.interval, asked.reading
    if reading.sample_weight is not None and asked.stat not in WITH_ERROR:
        reading = replace(reading, weight_type="frequency")  # the same, whatever they are
    study = read_pairs(data, asked.raters, reading, asked.coefficient, interval)
    _check_square(study)
    estimates = estimate_square(study, asked.coefficient, interval, asked.stat)
    estimates.warn_if_undefined()
    return matrix_frame(estimates, asked.stat, asked.min_items)


def _refuse_unseen(asked: OfPairwise) -> None:
    """Refuse options of what is not shown."""
    stat, drawn = asked.stat, ("ci", "n_resamples", "rng", "progress")
    unseen: list[str] = []
    if stat not in WITH_ERROR:
        unseen += ["cluster", "weight_type"]
    if stat == "n_items":
        unseen.append("min_items")
    if stat not in ("z", "p_value"):
        unseen.append("null")
    if stat not in (*LIMITS, "z", "p_value", "reason"):
        unseen += drawn
    if stat not in LIMITS:
        unseen.append("confidence_level")
    because = f"stat={shown(stat)} does not depend on it"
    asked.refuse(*unseen, because=because, instead="Pass another stat, such as 'ci_low'")


def _check_square(study: Study) -> None:
    """Refuse more cells than a frame should have, before any pair is counted."""
    n_raters = len(study.raters)
    n_cells = study.n_groups * n_raters**2
    if n_cells > LARGEST_FRAME:
        message = (
            f"The square of {n_raters} raters has {n_cells} cells; the limit is {LARGEST_FRAME}. "
            "Pass fewer raters, or use pairs, which has a row for each two who share an item."
        )
        raise TooLargeError(message)


LARGEST_TABLE = 1 << 22


class OfConfusion(has.Pair, has.By, has.Categories, has.Missing, has.SampleWeight):
    """Options of `confusion`."""

    figure = "the joint ratings of two raters"

    normalize: Normalize | None = option(
        "Show counts, or shares of all items, of the items in a row or in a column; NaN where "
        "there is no such item.",
        choices=Normalize,
        default=None,
    )
    margins: bool = option(
        "Whether to add sums in a last row and column.", "bool", default=False, check=check_flag
    )
    margins_name: Label = option("Label of the sums.", "label", default="All", check=check_label)


@asks(OfConfusion, rater_a="It is in the rows.", rater_b="It is in the columns.")
def confusion(data: pd.DataFrame | Counted, asked: OfConfusion) -> Result:
    """Cross-tabulate two raters over all categories, used or not.

    Returns
    -------
    DataFrame, shape (K, K)
        The index is named after `rater_a`, the columns after `rater_b`. With `by`, the
        tables of the groups stand one below the other.

    Raises
    ------
    TooLargeError
        If the table would have more than 2**22 cells.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": ["yes", "no", "no"], "bob": ["yes", "yes", "no"]})
    >>> df.kappa.confusion("ann", "bob", margins=True)
    bob no yes All
    ann
    no   1   1   2
    yes  0   1   1
    All  1   2   3
    <BLANKLINE>
    Joint ratings of two raters · missing: pairwise · 3 items
    """
    if asked.margins_name != "All" and not asked.margins:
        message = "margins_name is for sums that are not shown. Pass margins=True, or leave it out."
        raise OptionError(message)
    coded = encode(data, [asked.rater_a, asked.rater_b], asked.reading)
    hear_of_joint(coded)
    n_cells = coded.n_groups * len(coded.categories) ** 2
    if n_cells > LARGEST_TABLE:
        message = (
            f"The confusion table would have {n_cells} cells, from {len(coded.categories)} "
            f"categories; the limit is {LARGEST_TABLE}. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    if asked.margins and asked.margins_name in coded.categories.labels:
        message = (
            f"margins_name={shown(asked.margins_name)} is a category too. Choose another name."
        )
        raise OptionError(message)
    tables = pair_tables(coded)
    return confusion_frame(
        tables, normalize=asked.normalize, margins=asked.margins, margins_name=asked.margins_name
    )


FIGURES = pd.Index(schema.ADJUSTED_PAIRS)  # whose views share what pandas looks names up in


class OfPair(has.Kappa, has.Missing, has.Sampled, has.Cluster, has.Limits, has.Sep):
    """Options of `pair`, of two Series, which no study holds."""

    other: pd.Series = option("The ratings of the other rater.", "Series", kw_only=False)


@asks(
    OfPair,
    missing="An item that only one of the two Series has is one that the other did not rate.",
    sample_weight="A Series with the labels of all items, or an array in the order of the items "
    "where both Series have the same index.",
    cluster="In the same form as `sample_weight`.",
)
def pair(data: pd.Series, asked: OfPair) -> pd.Series:
    """Estimate the agreement of two Series of ratings, aligned on their index.

    It is to agreement what ``s1.corr(s2)`` is to correlation, with the standard error.

    Returns
    -------
    Series
        The row of `pairs`, named after the coefficient: ``rater_a, rater_b, n_items,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        max_estimate, reason``. The raters are called as the Series are, or "self" and "other"
        where these names do not tell them apart. `n_items` counts the items that both rated.

    Raises
    ------
    DuplicateRatingError
        If the indexes differ, and one has a label more than once.
    RatingsError
        If they have no label in common.
    RatingTypeError
        If `other` is no Series.

    Warns
    -----
    LeftOutWarning
        If some items are left out because only one of the two Series has them.

    See Also
    --------
    pairs : The same for the columns of a frame.
    qwk : Quadratic weighted kappa as a number.

    Examples
    --------
    >>> ann = pd.Series([1, 2, 3, 4, 3], index=["a", "b", "c", "d", "e"], name="ann")
    >>> bob = pd.Series([5, 4, 4, 2, 2], index=["e", "d", "c", "b", "a"], name="bob")
    >>> found = ann.kappa.pair(bob, weights="quadratic")
    >>> print(f"{found['estimate']:.3f}, standard error {found['se']:.3f}")
    0.615, standard error 0.159
    """
    frame = _aligned(data, asked.other)
    interval = asked.interval
    study = read_pairs(frame, list(frame.columns), asked.reading, asked.coefficient, interval)
    estimates = estimate(study, asked.coefficient, interval, needed=frozenset(schema.PAIRS))
    estimates.warn_if_undefined()
    estimates.warn_if_unsolved()
    first, second = study.raters
    known = {"rater_a": first, "rater_b": second, "p_adjusted": np.float64(np.nan)}
    names = schema.ADJUSTED_PAIRS
    figures = [known[name] if name in known else estimates.column(name)[0] for name in names]
    found = pd.Series(figures, FIGURES.view(), dtype=object, name=asked.coefficient)
    found.attrs["raters"] = [label_as_json(one) for one in frame.columns]
    is_same = data.index.equals(asked.other.index)
    n_apart = 0 if is_same else len(frame) - data.index.isin(asked.other.index).sum()
    if n_apart:
        message = (
            f"{n_apart} of {len(frame)} items are left out: only one of the two Series has them. "
            "If that is unexpected, check the spelling of the labels in both indices."
        )
        warn(message, LeftOutWarning)
    return found


def _aligned(data: pd.Series, other: Any) -> pd.DataFrame:
    """Put two Series side by side by the labels of their indexes; what one lacks is missing."""
    if not isinstance(other, pd.Series):
        message = (
            f"other must be a Series, got {type(other).__name__}. Make one with the index of the "
            "items: pd.Series(values, index=...)."
        )
        raise RatingTypeError(message)
    both = [data, other]
    if not data.index.equals(other.index):
        for one, name in zip(both, ("the Series", "other"), strict=True):
            if not one.index.is_unique:
                again = one.index[one.index.duplicated()].unique()
                message = (
                    f"The index of {name} has {listing(again)} more than once, so that its items "
                    f"cannot be told apart. Give every item a unique label."
                )
                raise DuplicateRatingError(message)
        alike = data.index.nlevels == other.index.nlevels
        if not (alike and data.index.isin(other.index).any()):
            message = (
                "The two Series have no item in common: the index of one holds "
                f"{listing(data.index) or 'nothing'}, that of the other "
                f"{listing(other.index) or 'nothing'}. Give the same items the same labels."
            )
            raise RatingsError(message)
        index = data.index.append(other.index[~other.index.isin(data.index)])
        both = [_reindexed(one, index) for one in both]
    frame = pd.DataFrame(dict(enumerate(one.array for one in both)), index=both[0].index)
    names = pd.Index([data.name, other.name], dtype=object, tupleize_cols=False)
    is_apart = names.notna().all() and names.is_unique
    frame.columns = names if is_apart else pd.Index(["self", "other"], dtype=object)
    return frame


def _reindexed(values: pd.Series, index: pd.Index) -> pd.Series:
    """Put a Series in the order of an index; whole numbers stay what they are beside gaps."""
    if isinstance(values.dtype, np.dtype) and len(values) < len(index):
        values = values.astype(object)
    return values.reindex(index)
