"""Which raters agree less than the others, and how they use the scale: `raters`, `usage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa._typing import Plain
from pdkappa.coefficients.all_raters import every_pair, is_dense, on_ratings, pairs_share_few
from pdkappa.coefficients.all_raters_estimates import guarded_light
from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS
from pdkappa.coefficients.influence import (
    apart_from_others,
    ddof_of,
    error_in_turn,
    of_joint,
    of_own_units,
    standard_error,
    units_of_joint,
    variances,
)
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ROUNDING, half_width, positive, two_sided
from pdkappa.coefficients.sparse_rows import joints, listed
from pdkappa.methods.drilldown.categories import shares_of_raters, unless_empty
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks
from pdkappa.methods.estimates.options import IntervalOptions, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    UNRELIABLE,
    estimate,
    framed,
    remarks_on_raters,
    warn_if_undefined,
)
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import of_two
from pdkappa.methods.estimates.told import HARDLY_BY_CHANCE, SURE, holm, worst_of
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed

COHEN = COEFFICIENTS["cohen"]
POOLED = "kappa of all joint ratings"
MOST_PAIRS = 1 << 21  # 2,000 raters, of a frame: half a minute, and 5 GB


class _Sums(NamedTuple):
    """Sums over the defined pairs of each rater, and of all of them in the last place."""

    pairs: FloatArray  # (R + 1, G)
    kappa: FloatArray  # (R + 1, G)
    observed: FloatArray  # (R + 1, G)
    expected: FloatArray  # (R + 1, G)
    joint: FloatArray  # (R + 1, G)


def rater_parts(rows: Rows, scale: Scale, level: float = 0.95, ci: str = "auto") -> dict[str, Any]:
    """Compare the agreement of each rater with all others to that among the others.

    Standard errors come from the influence values of the differences, so that they know
    of the correlation of kappas that share a rater, or just the items. Each figure of the R raters
    in G groups has shape (R, G):

    n_ratings : ndarray of float
        Number of ratings, or their total weight.
    estimate, se, ci_low, ci_high : ndarray of float
        Mean of Cohen's kappa with the other raters, over the pairs that are defined.
    kappa_with_others : ndarray of float
        One minus the sum of observed over the sum of expected disagreement with the others.
    light_without : ndarray of float
        Mean of the pairwise kappas of all others.
    effect, se_effect : ndarray of float
        The mean of all pairwise kappas, less that of all others.
    effect_low, effect_high : ndarray of float
        Limits of the effect, which hold 0 where the test below does not reject it.
    z, p_value : ndarray of float
        Test of ``estimate == light_without``, which is that of ``effect == 0``.
    reason : ndarray of object
        Why something is NaN; empty where nothing is.
    """
    found = (_pooled if pairs_share_few(rows) else _mean_of_pairs)(rows, scale)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        difference = found.mean - found.without
        se, df = error_in_turn(rows, found.of_difference(), ~np.isnan(difference))
        of_mean = _mean_of_each(rows, scale, found, level, ci)
        own = _units_of_each(rows, of_mean.n_joint) - 1
        z = difference / np.where((se > ROUNDING) & (own > 0), se, np.nan)
        df = np.maximum(np.minimum(df, own), np.inf if ci == "wald" else 1.0)
        half = half_width(level, df) * found.part * se
        half = np.where(np.isnan(z), np.nan, half)
        n_ratings = _of_raters(rows, rows.by_rater.total(rows.by_rater.count))
        return {
            "n_ratings": n_ratings,
            "estimate": found.mean,
            "se": of_mean.se,
            "ci_low": of_mean.low,
            "ci_high": of_mean.high,
            "kappa_with_others": found.with_others,
            "light_without": found.without,
            "effect": found.part * difference,
            "se_effect": found.part * se,
            "effect_low": found.part * difference - half,
            "effect_high": found.part * difference + half,
            "z": z,
            "p_value": two_sided(z, df),
            "reason": _reasons_of_raters(n_ratings, found, of_mean, own, z),
        }


def _units_of_each(rows: Rows, n_joint: FloatArray) -> FloatArray:
    """Count the items, or clusters, that each rater shares with others, shape (R, G)."""
    if rows.cluster is None:
        return n_joint
    n_clusters = int(rows.cluster.max(initial=-1)) + 1
    units = np.zeros(n_joint.shape)
    for rater, (row, _) in enumerate(rows.each_rater()):
        shared = row[rows.n_ratings[row] > 1]
        both = np.unique(rows.group[shared] * np.int64(n_clusters) + rows.cluster[shared])
        units[rater] = np.bincount(both // n_clusters, minlength=rows.n_groups)
    return units


class _Mean(NamedTuple):
    """The mean kappa of each rater, shape (R, G): its standard error and limits, and its items."""

    n_joint: FloatArray
    is_constant: BoolArray  # the rater, or all others, used one category: kappas are 0
    se: FloatArray
    low: FloatArray
    high: FloatArray


def _mean_of_each(rows: Rows, scale: Scale, found: _Compared, level: float, ci: str) -> _Mean:
    """Guard limits as those of Light's kappa, by the items that the rater shares."""
    n_joint, squares = apart_from_others(rows, scale)
    margins = rows.by_rater
    varies: BoolArray = _of_raters(rows, margins.total(np.ones(len(margins.count))) > 1)
    is_constant = ~varies | (varies.sum(axis=0) == varies)
    error = _errors_of_means(rows, found)
    se = np.where(is_constant | (n_joint < FEWEST_ITEMS), np.nan, error)
    if ci == "wald":
        half = np.where(se > ROUNDING, half_width(level) * se, np.nan)
        low, high = np.maximum(found.mean - half, -1.0), np.minimum(found.mean + half, 1.0)
        return _Mean(n_joint, is_constant, se, low, high)
    alone = error
    if rows.cluster is not None:
        alone = _errors_of_means(rows.with_rows(cluster=None, spread=None), found)
    each = (found.mean, found.expected, error, alone, n_joint, squares)
    mean, expected, both, of_items, n, apart = (one.reshape(-1) for one in each)
    about, errors = (mean, expected), (both, of_items)
    limits = guarded_light(rows, scale, about, errors, level, own=(n, apart))
    low, high = (one.reshape(n_joint.shape) for one in limits)
    return _Mean(n_joint, is_constant, se, low, high)


def _of_raters(rows: Rows, values: NDArray[Any]) -> NDArray[Any]:
    """Bring values of the raters of one group after the other into the shape (R, G)."""
    return values.reshape(rows.n_groups, rows.n_raters).T


def _errors_of_means(rows: Rows, found: _Compared) -> FloatArray:
    """Compute the standard errors of the means of the raters, (R, G), as those of all pairs."""
    se = [standard_error(rows, np.nan_to_num(x), ddof=ddof_of(rows)) for x in found.of_mean()]
    return np.where(np.isnan(found.mean), np.nan, se)


class _Compared(NamedTuple):
    """Each rater with the others, and these with each other, in every group, shape (R, G).

    `part` is how much of the difference a rater makes to the agreement of all. Influence values of
    an item on the first, and on the difference, are those of one rater after the other, (U,).
    """

    mean: FloatArray
    without: FloatArray
    with_others: FloatArray
    expected: FloatArray  # disagreement by chance, the mean over what `mean` is of
    part: FloatArray
    is_joint: BoolArray
    is_known: BoolArray
    of_mean: Callable[[], Iterator[FloatArray]]
    of_difference: Callable[[], Iterator[FloatArray]]


def _mean_of_pairs(rows: Rows, scale: Scale) -> _Compared:
    """Average the kappas of the pairs of each rater, and of all others."""
    sums, influence = _sums_over_pairs(rows, scale)
    rest = _Sums(*(values[-1] - values[:-1] for values in sums))
    own = _Sums(*(values[:-1] for values in sums))
    # What a row does to the sum of all pairs counts two raters each.
    group, total = _places(rows), sum(rows.of_raters(influence)) / 2

    def of_mean() -> Iterator[FloatArray]:
        for one, its_pairs in zip(rows.of_raters(influence), own.pairs, strict=True):
            yield one / its_pairs[group]

    def of_difference() -> Iterator[FloatArray]:
        per_pair = zip(rows.of_raters(influence), own.pairs, rest.pairs, strict=True)
        for one, its_pairs, other_pairs in per_pair:
            yield one / its_pairs[group] - (total - one) / other_pairs[group]

    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        return _Compared(
            own.kappa / own.pairs,
            rest.kappa / rest.pairs,
            1 - own.observed / positive(own.expected),
            own.expected / own.pairs,
            own.pairs / sums.pairs[-1],
            own.joint > 0,
            own.pairs > 0,
            of_mean,
            of_difference,
        )


def _places(rows: Rows) -> IntArray | slice:
    """Where the figure of each row's group stands; a single one is for all rows."""
    return slice(None) if rows.n_groups == 1 else rows.group


def _joint_sums(rows: Rows, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Add up the joint ratings of each rater, (3, R, G), and what each rating does to that, (4, P).

    First the disagreement, that expected by chance, and the number. Of each rating: how far it is
    apart from the others of the item; what it lets expect there by the shares of the others; what
    these let expect by its rater's, as far as an item moves their shares; and what is expected.
    """
    shape = rows.n_groups, rows.n_raters
    of_rater = np.arange(shape[0] * shape[1])
    margins = rows.by_rater.dense()
    given = margins.sum(axis=-1)
    shares = margins / positive(given)[:, None]
    spread = scale.take(of_rater // shape[1]).spread(np.nan_to_num(shares))
    sums, parts = np.zeros((3, len(of_rater))), np.zeros((4, rows.n_places))
    for joint in joints(rows):
        pair, codes, items = joint.rows.group, joint.rows.codes, joint.rows.n_items
        apart = scale.take(joint.group).between(pair, *codes)
        sides = joint.group * shape[1] + joint.raters
        by_chance = (shares[sides[0]] * spread[sides[1]]).sum(axis=-1)
        of_pair = np.stack([joint.rows.total(apart), items * by_chance, items], axis=1)
        for side, other in ((0, 1), (1, 0)):
            one, two = sides[side], sides[other]
            np.add.at(sums.T, one, of_pair)
            through = spread[one[pair], codes[other]] - by_chance[pair]
            through *= (items / given[two])[pair]
            of_rating = (apart, spread[two[pair], codes[side]], through, by_chance[pair])
            places = rows.places_of(joint.raters[side][pair], joint.places)
            for total, one in zip(parts, of_rating, strict=True):
                np.add.at(total, places, one)
    return sums.reshape(3, *shape).transpose(0, 2, 1), parts


def _pooled(rows: Rows, scale: Scale) -> _Compared:
    """Put all joint ratings of each rater, and of all others, together; see *Notes* of `raters`.

    Chance has the shares of all ratings of a rater.
    """
    rows = listed(rows)  # with no place for what is not rated
    group, n = rows.group, rows.n_items
    (observed, expected, n_joint), parts = _joint_sums(rows, scale)
    all_observed, all_expected = (one.sum(axis=0) / 2 for one in (observed, expected))
    known, others = positive(expected), positive(all_expected - expected)
    ratio, rest = observed / known, (all_observed - observed) / others
    apart, own, _, mean = (np.sum([*rows.of_raters(one)], axis=0) for one in parts)
    total, chance = apart / 2, own - mean / 2

    def centred(values: FloatArray) -> FloatArray:
        return (rows.total(values) / n)[group] - values

    def of_mean() -> Iterator[FloatArray]:
        each = zip(*map(rows.of_raters, parts), ratio, n / known, strict=True)
        for one, mine, through, _, own_ratio, factor in each:
            yield centred((one - own_ratio[group] * (mine + through)) * factor[group])

    def of_difference() -> Iterator[FloatArray]:
        each = zip(of_mean(), *map(rows.of_raters, parts), rest, n / others, strict=True)
        for of_own, one, mine, through, _, rest_ratio, factor in each:
            left = total - one - rest_ratio[group] * (chance - mine - through)
            yield of_own - centred(left * factor[group])

    return _Compared(
        1 - ratio,
        1 - rest,
        1 - ratio,
        expected / positive(n_joint),
        expected / positive(all_expected),
        n_joint > 0,
        expected > 0,
        of_mean,
        of_difference,
    )


def _sums_over_pairs(rows: Rows, scale: Scale) -> tuple[_Sums, FloatArray]:
    """Add up the defined kappas of each rater, and the influence of each rating on the sum."""
    n_raters, n_groups = rows.n_raters, rows.n_groups
    if isinstance(rows, RatingRows) and rows.cluster is None and is_dense(rows):
        return _by_products(rows, scale)
    sums = np.zeros((5, (n_raters + 1) * n_groups))
    influence, units = np.zeros(rows.n_places), rows.units
    for joint in joints(rows):
        pair = of_joint(joint, scale.take(joint.group), COHEN, rows.n_items[joint.group])
        defined = ~np.isnan(pair.estimate)
        of_pairs = (
            defined,
            np.where(defined, pair.estimate, 0),
            np.nan_to_num(pair.observed),
            np.nan_to_num(pair.expected),
            ~np.isnan(pair.observed),
        )
        grown = of_own_units(units[joint.group], units_of_joint(rows, joint))
        of_items = np.where(defined, grown, 0)[joint.rows.group] * np.nan_to_num(pair.influence)
        for rater in (*joint.raters, np.full(len(joint.group), n_raters)):
            place = rater * n_groups + joint.group
            np.add.at(sums.T, place, np.stack(of_pairs, axis=1))
        for rater in joint.raters:
            rating = rows.places_of(rater[joint.rows.group], joint.places)
            np.add.at(influence, rating, of_items)
    return _Sums(*sums.reshape(5, n_raters + 1, n_groups)), influence


def _by_products(rows: RatingRows, scale: Scale) -> tuple[_Sums, FloatArray]:
    """Do the same by a product of matrices for each group."""
    sums = np.zeros((5, rows.n_raters + 1, rows.n_groups))
    influence = np.zeros(rows.codes.shape)
    for number in range(rows.n_groups):
        own = np.flatnonzero(rows.group == number)
        part = rows.as_one_group(own)
        of_pairs, of_items = _of_group(part, scale.take(np.array([number])))
        if rows.n_groups == 1:  # no second array as large
            return _Sums(*of_pairs[..., None]), of_items.reshape(-1)
        sums[..., number], influence[:, own] = of_pairs, of_items
    return _Sums(*sums), influence.reshape(-1)


def _of_group(rows: RatingRows, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Add up the pairs of raters of one group, (5, R + 1), and their influence, (R, U)."""
    n_raters, n_rows = rows.codes.shape
    pairs = every_pair(rows, scale)
    at, estimate = pairs.at, pairs.estimate
    defined = ~np.isnan(estimate)
    figures = (defined, estimate, at.observed, at.expected, ~np.isnan(at.observed))
    of_pairs = np.nan_to_num(np.array(figures, dtype=np.float64))
    sums: FloatArray = np.zeros((5, n_raters + 1))
    for side in (pairs.first, pairs.second):
        sums += np.stack([np.bincount(side, one, n_raters + 1) for one in of_pairs])
    sums[:, -1] = of_pairs.sum(axis=1)
    factor = at.factor(rows.n_items) * of_own_units(rows.n_items, at.n)
    result: FloatArray = np.zeros(rows.codes.shape)
    start = 0
    for values in on_ratings(rows.codes, scale, pairs, factor, beside=True):
        flat = values.transpose(1, 0, 2).reshape(n_raters, -1)
        stop = min(start + flat.shape[1], n_rows)
        result[:, start:stop] = flat[:, : stop - start]
        start = stop
    return sums, result


def _reasons_of_raters(
    n_ratings: FloatArray, found: _Compared, of_mean: _Mean, df: FloatArray, z: FloatArray
) -> ObjectArray:
    """Say why a figure of a rater is NaN; later reasons outweigh earlier ones."""
    reason = np.full(n_ratings.shape, "", dtype=object)
    reason[np.isnan(z + of_mean.low)] = "no_variance"
    reason[of_mean.is_constant] = "constant_rater"
    reason[(df < 1) | (of_mean.n_joint < FEWEST_ITEMS)] = "n_lt_2"
    reason[np.isnan(found.mean - found.without)] = "no_other_pair"
    reason[~found.is_known] = "constant_ratings"
    reason[~found.is_joint] = "no_joint_items"
    reason[n_ratings == 0] = "no_items"
    return reason


class OfRaters(has.Raters, has.By, has.Weighted, has.Level, has.Adjusted):
    """Options of `raters`."""

    figure = "Light's kappa"

    ci: Plain = anew(
        has.Interval,
        "ci",
        default="auto",
        choices=Plain,
        also='"auto": those of the mean kappa are guarded, as in `pairs`; those of the effect, and '
        'its test, are from a t distribution. "wald": all from a normal one.',
        more="",
    )

    @property
    def other_limits(self) -> tuple[str, str]:
        """Where limits of effects come from, unless all are by Wald."""
        if self.ci == "wald":
            return "", ""
        return ", effects t", "Limits and tests of the effects are from a t distribution."


@asks(OfRaters, p_adjust="All raters (and groups) with a p-value are one family.")
def raters(data: pd.DataFrame | Counted | Listed, asked: OfRaters) -> Result:
    """Compare each rater with the others, and test who differs.

    Who agrees least with the others, is that more than chance, and what would agreement be
    without them?

    Returns
    -------
    DataFrame
        One row for each rater (and group):

        - ``n_ratings``;
        - ``estimate, se, ci_low, ci_high``: mean of Cohen's kappa with the other raters,
          over the pairs that are defined, at most 1, or, where pairs share few items, that of all
          joint ratings (see *Notes*); its limits are guarded, as in `pairs`;
        - ``kappa_with_others``: all these pairs as one, their observed and their expected
          disagreement added up (Schouten), at most 1;
        - ``light_without``: Light's kappa, the mean of the pairs, of the other raters;
        - ``effect, se_effect``: Light's kappa of all less `light_without`; below zero for
          a rater who lowers agreement;
        - ``effect_low, effect_high``: its limits, from the t distribution of its test;
        - ``z, p_value``: two-sided test of ``estimate == light_without``, or of
          no effect, which is the same, from a t distribution, whose degrees of freedom are at
          most the items, or clusters, that the rater shares with others, less one;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``constant_ratings`` (no kappa with
          any other is defined), ``no_other_pair`` (no kappa among the others is), ``n_lt_2`` (no
          standard error, or no test, as of a single item, or cluster), ``constant_rater`` (the
          rater, or all others, used one category: the kappas are 0, without a standard error),
          ``no_variance``;
        - ``remark``: empty, or that a rater is expected to put fewer than ten items, or five,
          outside the most frequent category, or gave fewer than fifty ratings: limits may
          then hold less often, and the test reject too often, or too rarely.

    See Also
    --------
    usage : How often each rater used each category.
    pairs : Every pair by itself.

    Notes
    -----
    Where all pairs are defined, the mean of `estimate` over the raters is Light's kappa, and the
    effects add up to zero. With R raters an effect is ``2 / R`` times the difference of `estimate`
    and `light_without`. The standard error is that of the difference, from influence values:
    kappas that share a rater, or just the items, go up and down together; where few items are
    disagreed on, it is averaged with that of the others, as in `ceiling`. At the level .05 the
    test errs in .03 to .07 of most samples, but where two categories are used and one of them is
    rare, in .2 to .4 of those of 20 or 40 items by eight raters; `remark` says so. Testing R
    raters, adjust for their number by `p_adjust`. Of 99 designs without a
    remark, with missing ratings, clusters or weights, the 95 % limits of `estimate` hold the true
    mean in .926 of the samples or more; of 75 with one in .726 or more, as it is biased there.

    Pairs may share too few items for a kappa each: fewer than 30 in harmonic mean, and less than
    half of all. One of a single item is 0 or undefined, however well raters agree. Then `estimate`,
    `kappa_with_others` and `light_without` are one minus the observed over the expected
    disagreement of all joint ratings of the rater, or of the others, added up over the pairs, where
    chance has the shares of all ratings of each; the line below the table says so. In simulations
    of crowds the test then errs in .02 to .09 of samples, and for raters of 4 to 20 items in .09 to
    .17, mostly by raters who are never wrong.

    One bad rater lowers the `light_without` of all others, so that good raters differ
    significantly, too, with an effect above zero: look at the lowest first, and test the others
    without them.

    References
    ----------
    .. [1] Schouten, 1980

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> columns = ["estimate", "light_without", "effect", "z", "p_value"]
    >>> df.kappa.raters(weights="quadratic")[columns].round(3)
             estimate  light_without  effect      z  p_value
    rater
    rater_1     0.183          0.230  -0.031 -0.261    0.797
    rater_2     0.263          0.070   0.129  1.110    0.281
    rater_3     0.150          0.297  -0.098 -0.830    0.417
    """
    study = read(data, asked.raters, asked.reading, of_crowds=True)
    if isinstance(study.ratings, RatingRows):  # of all raters side by side
        study.check_pairs(MOST_PAIRS)
    if pairs_share_few(study.ratings):
        vars(asked)["figure"] = POOLED
    frame = rater_frame(study, level=asked.level, ci=asked.ci)
    undefined = frame["estimate"].isna() | frame["light_without"].isna()
    warn_if_undefined("rater", undefined, frame["reason"])
    return with_adjusted(result(frame, study.raters), asked.p_adjust)


def rater_frame(study: Study, *, level: float, ci: str = "auto") -> pd.DataFrame:
    """Return one row for each rater, in each group if there are groups."""
    parts = rater_parts(study.ratings.compressed, study.scale, level, ci)
    if (two := of_two(study)) is not None:  # whose mean is the kappa of the pair
        own = estimate(two.study, "cohen", IntervalOptions(ci, level)).summary
        for name in ("se", "ci_low", "ci_high"):
            here = two.groups & ~np.isnan(parts[name])
            parts[name] = np.where(here, getattr(own, name), parts[name])
    columns = {name: values.T.reshape(-1) for name, values in parts.items()}
    groups = np.arange(study.n_groups).repeat(len(study.coded.raters))
    columns["reason"] = unless_empty(study, groups, columns["reason"])
    n_outside = columns["n_ratings"] * study.ratings.share_outside[groups]
    columns["remark"] = remarks_on_raters(n_outside, columns["n_ratings"])
    return framed(columns, _labels(study))


def over_groups(frame: pd.DataFrame, level: float) -> pd.DataFrame:
    """Average a frame of raters over groups, which are independent: one row for each rater."""
    columns = ["estimate", "light_without", "effect", "se_effect"]
    known = frame[columns].dropna().groupby(level=-1, sort=False)
    found = known.mean()
    n = known.size()
    found["se_effect"] = np.sqrt(known["se_effect"].apply(lambda one: (one**2).sum())) / n
    found["z"] = found["effect"] / found["se_effect"].where(found["se_effect"] > 0)
    found["p_value"] = two_sided(found["z"].to_numpy())
    half = half_width(level) * found["se_effect"]
    found["effect_low"], found["effect_high"] = found["effect"] - half, found["effect"] + half
    found["remark"] = frame["remark"].groupby(level=-1).min()  # empty if one is
    return found


class Lowers(NamedTuple):
    """Who lowers agreement most: their figures, in which group, None for all, and their rows.

    `others` are those who lower it everywhere, too: their estimates, or those in the one group
    where they lower it more than in the others, and this group.
    """

    row: pd.Series
    rater: Any
    group: Any
    labels: list[Any]
    others: dict[Any, tuple[float, Any]]


def who_lowers(frame: pd.DataFrame, level: float) -> Lowers | None:
    """Find who lowers agreement in a frame of raters, everywhere or in a group, if it is shown."""
    several, raters = frame.index.nlevels > 1, frame.index.get_level_values(-1)
    every = over_groups(frame, level) if several else frame
    place, lowest = (worst_of(*effects_below(one)) for one in (every, frame))
    if place is None:
        if lowest is None or not several:
            return None
        label = frame.index[lowest]
        return Lowers(frame.iloc[lowest], label[-1], group_of(label), [label], {})
    p_value, below = effects_below(every)
    is_sure = (holm(p_value.to_numpy(float)) < SURE) & (below > 0)
    rater = every.index[place]
    found = {rater: every.iloc[place]}
    found |= {
        one: row
        for one, row in every[is_sure].sort_values("estimate", kind="stable").iterrows()
        if one != rater
    }
    named: dict[Any, Any] = dict.fromkeys(found)
    for one in found if several else ():
        own = frame[raters == one]
        if (at := _only_in(own, level)) is not None:
            found[one], named[one] = own.iloc[at], group_of(own.index[at])
    labels = [
        one
        for one, who in zip(frame.index, raters, strict=True)
        if who in named and (named[who] is None or named[who] == group_of(one))
    ]
    row, group = found.pop(rater), named.pop(rater)
    others = {one: (float(found[one]["estimate"]), named[one]) for one in found}
    return Lowers(row, rater, group, labels, others)


def group_of(label: Any) -> Any:
    """Return the group of a row whose last level is a rater."""
    return label[0] if len(label) == len(("group", "rater")) else label[:-1]


def _only_in(own: pd.DataFrame, level: float) -> int | None:
    """Find the row of the one group where a rater lowers agreement, if others do not show it."""
    z = own["z"].to_numpy(float)
    if np.isnan(z).all():
        return None
    place = int(np.nanargmin(z))
    rest = over_groups(own[np.arange(len(own)) != place], level)
    is_lower = (rest["p_value"] < HARDLY_BY_CHANCE) & (rest["effect"] < 0)
    is_one = differs_in(own["effect"], own["se_effect"], own.index[place]) and not is_lower.any()
    return place if is_one else None


def effects_below(frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the p-values of raters, and how far each lowers agreement in standard errors.

    NaN where so few ratings are outside one category that the test is unreliable: of a crowd, those
    who rated one item have the smallest p-values.
    """
    reliable = is_reliable(frame)
    below = -frame["z"].where((frame["effect"] < 0) & reliable)
    return frame["p_value"].where(reliable), below


def is_reliable(frame: pd.DataFrame) -> pd.Series:
    """Whether enough ratings of a rater are outside one category for limits and test."""
    return ~frame["remark"].str.endswith(UNRELIABLE)


def differs_in(size: pd.Series, error: pd.Series, label: Any) -> bool:
    """Whether the figure of a rater, the last level, in a group is apart from those in the others.

    That is so where there are no others; the group was chosen.
    """
    known = pd.DataFrame({"size": size, "square": error**2}).dropna()
    own = known[known.index.get_level_values(-1) == label[-1]]
    here = np.array([one == label for one in own.index])
    one, rest = own[here].iloc[0], own[~here]
    n = len(rest)
    apart = one["size"] - rest["size"].sum() / max(n, 1)
    variance = one["square"] + rest["square"].sum() / max(n, 1) ** 2
    return not n or (n + 1) * float(two_sided(apart / np.sqrt(variance))) < HARDLY_BY_CHANCE


class Confusions(NamedTuple):
    """What a rater says where others say something else, each of shape (K, K).

    Attributes
    ----------
    own, rest : ndarray of float
        Where a person gives the category of the row, the share of it that is given the category of
        the column by the rater, and by another person.
    z, p_value : ndarray of float
        Test of the difference, where the rater says so more often, and in more than half of what
        they do not give the same; elsewhere z is NaN and p is 1.
    """

    own: FloatArray
    rest: FloatArray
    z: FloatArray
    p_value: FloatArray


def confusions(
    rows: RatingRows, raters: Sequence[int], people: list[int], group: int | None
) -> Confusions:
    """Compare what raters say in the place of a category with what people do, in a group or all.

    Items, or clusters, are independent, and ratings of an item need not be: the error of the
    difference of both shares is that of its influence values, or that of shares of as many items
    if this is larger, as where few items all say the same.
    """
    rows = rows.together() if group is None else rows.as_one_group(rows.group == group)
    rows = rows.compressed
    every = np.vstack([np.eye(rows.n_categories), np.zeros(rows.n_categories)])
    said = np.sum([every[rows.codes[one]].T for one in raters], axis=0)
    times = np.sum([every[rows.codes[one]].T for one in people], axis=0)
    others, weighted = times.sum(axis=0), times * rows.count
    tries = np.stack([said.sum(axis=0) * times, (others - 1) * times])
    n = tries @ rows.count
    hits = np.stack([weighted @ said.T, weighted @ times.T - np.diag(times @ rows.count)])
    with np.errstate(divide="ignore", invalid="ignore"):  # a category that nobody gave
        own, rest = shares = hits / n[:, :, None]
        each = times / np.maximum(others, 1)  # of the people who rated an item
        n_items = np.stack([(said.sum(axis=0) > 0) * each, (others > 1) * each]) @ rows.count
        both = (shares * n_items[:, :, None]).sum(axis=0) / n_items.sum(axis=0)[:, None]
        least = both * (1 - both) * (1 / n_items).sum(axis=0)[:, None]
    is_more = (own > rest) & (own > (1 - np.diag(own))[:, None] / 2)
    given, instead = np.nonzero(is_more & ~np.eye(len(own), dtype=bool))
    one = said[instead] * times[given] - own[given, instead, None] * tries[0, given]
    other = times[instead] * times[given] - rest[given, instead, None] * tries[1, given]
    moves = one / n[0, given, None] - other / n[1, given, None]
    z, p = np.full(own.shape, np.nan), np.ones(own.shape)
    p[np.eye(len(p), dtype=bool)] = np.nan
    if not len(given):
        return Confusions(own, rest, z, p)
    variance = variances(rows, moves * rows.n_items[0])[:, 0]
    se = np.sqrt(np.fmax(variance, least[given, instead]))
    z[given, instead] = (own - rest)[given, instead] / se
    p[given, instead] = two_sided(z[given, instead], np.maximum(rows.units - 1, 1))
    return Confusions(own, rest, z, p)


class OfUsage(has.Raters, has.By, has.Ratings):
    """Options of `usage`."""

    figure = "the share of ratings in each category"


@asks(OfUsage)
def usage(data: pd.DataFrame | Counted | Listed, asked: OfUsage) -> Result:
    """Show how often each rater used each category.

    Is a rater more severe than the others, or do they keep to the middle of the scale?

    Returns
    -------
    DataFrame, shape (R, K)
        Shares of the ratings of each rater, in [0, 1], that add up to one in each row (a
        row for each rater and group, with `by`). NaN for a rater who rated nothing.

    See Also
    --------
    categories : Agreement on each category.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> df.kappa.usage(categories=range(1, 7))
    category      1      2      3      4      5      6
    rater
    rater_1   0.100  0.300  0.250  0.100  0.200  0.050
    rater_2   0.050  0.250  0.400  0.200  0.000  0.100
    rater_3   0.350  0.250  0.250  0.100  0.000  0.050
    <BLANKLINE>
    Share of ratings in each category · missing: pairwise · 20 items
    """
    study = read(data, asked.raters, asked.reading, of_crowds=True)
    index = _labels(study)
    shares = np.full((len(index), len(study.coded.categories)), np.nan)
    subject, found = shares_of_raters(study.ratings.compressed)
    shares[subject] = found
    frame = pd.DataFrame(
        shares, index=index, columns=study.coded.categories.index().rename("category")
    )
    return result(frame, study.raters)


def _labels(study: Study) -> pd.Index:
    """Label a row for each rater, in each group if there are groups."""
    return study.groups.each(index_of(study.coded.raters, "rater"))
