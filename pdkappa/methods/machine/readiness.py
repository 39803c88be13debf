"""Can a machine score? `readiness`, with `prmse`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.guarded_limits import Around
from pdkappa.coefficients.influence import standard_error, worth_of
from pdkappa.coefficients.intervals import Limits, fisher_of_many
from pdkappa.coefficients.pair_kappas import DISTANCES, from_lowest, in_units, influence_of, moments
from pdkappa.coefficients.pair_kappas import joint_scores as joint_rows
from pdkappa.coefficients.resampling import TotalsSample, by_content, limits_of_all
from pdkappa.coefficients.score_limits import ROUNDING, degrees_of, half_width, positive, wilson
from pdkappa.errors import OptionError, TooLargeError, did_you_mean, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import (
    MOST_REDRAWN,
    IntervalOptions,
    check_by,
    check_whole_items,
    is_number,
    number_that,
)
from pdkappa.methods.estimates.pair_frames import in_turns, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.machine.evaluation import ADJACENT, SLACK, OfScores, Scores
from pdkappa.methods.machine.verdicts import FAIL, PASS, UNKNOWN, of_criterion, those
from pdkappa.present import schema
from pdkappa.present.findings import Findings
from pdkappa.present.labels import one_line
from pdkappa.present.text_tables import result

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.resampling import Drawing
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted

    OfTotals = Callable[[FloatArray], FloatArray]


N_TOTALS = 7


class Prmse(NamedTuple):
    """How well true scores are predicted in G groups; every field has shape (G,)."""

    n_items: FloatArray
    n_raters: FloatArray
    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    error_variance: FloatArray
    true_variance: FloatArray
    mse: FloatArray
    reason: ObjectArray


def prmse_of(scored: NumericRows, error_variance: float | None, drawing: Drawing) -> Prmse:
    """Estimate the proportional reduction in mean squared error by the last rater, the machine.

    Parameters
    ----------
    scored : NumericRows
        Scores of the humans, and last of the machine, in G groups, with whole counts or clusters.
    error_variance : float or None
        That of single human ratings; None estimates it.
    drawing : Drawing
        How items, or clusters, are drawn for the limits.

    Returns
    -------
    Prmse
        One value for each group.
    """
    rows = scored.rows
    known = (rows.codes[-1] >= 0) & (rows.codes[:-1] >= 0).any(axis=0)
    merged = rows.select(known).compressed
    unit, scores = in_units(merged, scored.scores)
    given = None if error_variance is None else error_variance / unit**2

    def of_totals(totals: FloatArray) -> FloatArray:
        return figures_of(totals, given)[:, -1:]

    order = np.argsort(merged.group, kind="stable")
    starts = np.searchsorted(merged.group[order], np.arange(rows.n_groups))
    parts = [by_content(merged.as_one_group(some)) for some in np.split(order, starts)[1:]]
    samples = [sample_of(part, scores, of_totals) for part in parts]
    every = np.array([one.times @ one.added for one in samples]).reshape(-1, N_TOTALS)
    found = figures_of(every, given)
    several = np.array([one.times.sum() > 1 for one in samples], dtype=bool)
    defined = ~np.isnan(found[:, -1]) & several
    low, high, _, lost = limits_of_all(
        (one if is_defined else None for one, is_defined in zip(samples, defined, strict=True)),
        found[:, -1:],
        drawing,
    )[..., 0]
    alike = high - low < ROUNDING  # as where nobody ever errs
    low, high = (np.where(defined & ~alike, one, np.nan) for one in (low, high))
    raters = np.array([(part.codes[:-1] >= 0).any(axis=1).sum() for part in parts])
    reason = _reasons(every, found, several)
    lost = np.where(lost < drawing.n_resamples, "one_sided_resamples", "undefined_resamples")
    lost = np.where(alike, "no_variance", lost)
    reason = np.where((reason == "") & np.isnan(low), lost, reason)
    reason = np.where(scored.empty == "", reason, scored.empty)
    n = np.array([part.count.sum() for part in parts], dtype=np.float64)
    error, true, mse = unit**2 * found[:, :-1].T
    return Prmse(n, raters, found[:, -1], low, high, error, true, mse, reason)


def sample_of(rows: RatingRows, scores: FloatArray, of_totals: OfTotals) -> TotalsSample:
    """Return what each item, or each cluster of items, adds to the totals.

    These are, with the n ratings h of an item, their mean, and the machine's score m: 1, n, n
    squared, the sum of h, n times the squared mean, the squared deviations of h from their mean,
    and n times the squared difference of m from it. Scores are taken from about the humans' mean.
    """
    given = scores[rows.codes[:-1][rows.codes[:-1] >= 0]]
    middle = given.sum() / max(len(given), 1)
    values = np.append(scores - middle, np.nan)[rows.codes]
    human, machine = values[:-1], values[-1]
    n = (rows.codes[:-1] >= 0).sum(axis=0).astype(np.float64)
    total = np.nansum(human, axis=0)
    mean = total / n
    apart = np.nansum((human - mean) ** 2, axis=0)
    columns = [np.ones(len(n)), n, n**2, total, n * mean**2, apart, n * (machine - mean) ** 2]
    added = np.stack(columns, axis=1)
    if rows.cluster is None:
        return TotalsSample(added, np.rint(rows.count).astype(np.int64), of_totals)
    _, place = np.unique(rows.cluster, return_inverse=True)
    sums = np.zeros((place.max(initial=-1) + 1, added.shape[1]))
    np.add.at(sums, place.reshape(-1), rows.count[:, None] * added)
    return TotalsSample(sums, np.ones(len(sums), dtype=np.int64), of_totals)


def figures_of(totals: FloatArray, given: float | None) -> FloatArray:
    r"""Compute the variances of errors and true scores, the MSE and PRMSE, shape (B, 4).

    Parameters
    ----------
    totals : ndarray of float, shape (B, 7)
        As in `sample_of`.
    given : float or None
        The variance of errors, if it is known.

    Notes
    -----
    With :math:`n_i` ratings of item i, their mean :math:`\bar h_i`, the machine's score
    :math:`m_i`, N items and :math:`n = \sum n_i` ratings of mean :math:`\bar h` (Loukina et al.,
    2020),

    .. math:: V_e = \frac{\sum_i \sum_j (h_{ij} - \bar h_i)^2}{n - N}, \qquad
              V_T = \frac{\sum_i n_i (\bar h_i - \bar h)^2 - (N - 1) V_e}{n - \sum n_i^2 / n},

    .. math:: \text{MSE} = \frac{\sum_i n_i (m_i - \bar h_i)^2 - N V_e}{n}, \qquad
              \text{PRMSE} = 1 - \text{MSE} / V_T.
    """
    items, n, squares, total, of_means, within, to_machine = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or one
        error = within / positive(n - items, n) if given is None else np.full(n.shape, given)
        between = of_means - total**2 / n
        true = (between - (items - 1) * error) / positive(n - squares / n, n)
        mse = (to_machine - items * error) / n
        # What is left of nothing by rounding is no variance, nor where all means are alike.
        estimate = 1 - mse / np.where(true > ROUNDING * (of_means / n + error), true, np.nan)
    return np.stack([error, true, mse, estimate], axis=1)


def _reasons(totals: FloatArray, found: FloatArray, several: BoolArray) -> ObjectArray:
    """Say why an estimate is NaN; empty text where none is."""
    error, estimate = found[:, 0], found[:, -1]
    cases = {
        "no_joint_items": totals[:, 0] == 0,
        "no_double_ratings": np.isnan(error),
        "n_lt_2": ~several,
        "no_true_variance": np.isnan(estimate),
    }
    return np.select([*cases.values()], [*cases], "").astype(object)


LIMITS = "bca"
FEW = 20  # items, by simulation


class _OfPrmse(has.Draws):
    """How PRMSE is estimated."""

    ci = LIMITS  # always

    error_variance: float | None = option(
        "Variance of the errors of a single human score, known from elsewhere: required if no item "
        "was scored by two humans; 0 or more. Default: estimated from the items that were.",
        "float",
        default=None,
        check=number_that(
            lambda value: 0 <= value < np.inf,
            "be a number from 0 upwards, in squared points of the scale, or None",
        ),
    )


class OfPrmse(has.HumansAndMachine, has.By, has.Units, has.Level, _OfPrmse):
    """Options of `prmse`."""


@asks(OfPrmse, cluster="They are drawn whole.", rng="Each group has a stream of `rng` of its own.")
def prmse(data: pd.DataFrame | Counted, asked: OfPrmse) -> pd.DataFrame:
    """Estimate how well a machine predicts true scores: the proportional reduction in MSE.

    Human scores have errors, and agreement with them penalises a machine for these errors,
    especially if humans are unreliable. How well does the machine predict true scores, those
    without human error?

    Returns
    -------
    DataFrame
        One row (for each group):

        - ``n_items``: items with a machine score and a human one;
        - ``n_raters``: humans who scored some of them;
        - ``estimate``: PRMSE, the share of the variance of true scores that the machine predicts,
          at most 1 but for chance; below 0 where their mean would predict better;
        - ``ci_low, ci_high``: limits by the bootstrap, corrected for bias and acceleration;
        - ``error_variance``: of single human scores, in squared points;
        - ``true_variance``: of true scores, likewise;
        - ``mse``: mean squared difference of machine and true scores; estimates of small ones may
          be negative;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no item has
          both), ``no_double_ratings``, ``n_lt_2``, ``no_true_variance`` (nothing but errors), and
          of limits ``undefined_resamples``, ``one_sided_resamples`` and ``no_variance`` (all
          resamples are alike, as where neither humans nor the machine ever err);
        - ``remark`` where fewer than 20 items are known to make the limits too hopeful.

    Raises
    ------
    OptionError
        If weights are no whole numbers.
    RatingTypeError
        If scores are not numbers.
    TooLargeError
        If there are too many resamples of too many groups.

    See Also
    --------
    evaluate : Agreement of the machine with humans as they are.
    icc : How reliable humans are.

    Notes
    -----
    A human score is taken to be the true score and an error, independent of it, of the other
    errors and of the machine, with one variance [1]_. Items with more human scores count more.
    Limits at the level .95 miss the true value in .05 to .08 of samples of 100 items or more, and
    in .06 to .10 of samples of 20 to 50 items, and in up to .25 of 5 items; they are above it more
    often than below. A common requirement is a PRMSE of .80.

    References
    ----------
    .. [1] Loukina et al., 2020

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df.kappa(rng=0).machine.prmse(
    ...     ["human_1", "human_2"], "machine", by="essay_set",
    ... )
    >>> found[["n_items", "estimate", "ci_low", "ci_high", "error_variance"]].head(3).round(2)
               n_items  estimate  ci_low  ci_high  error_variance
    essay_set
    1              300      0.76    0.68     0.82            0.79
    2              300      0.71    0.62     0.79            0.22
    3              260      0.60    0.46     0.70            0.22
    """
    interval = asked.interval
    check_by(asked.by, set(schema.PRMSE))
    scored = read_scores(data, [*asked.people, asked.machine], asked.reading)
    check_drawn(scored.rows, interval)
    found = prmse_of(scored, asked.error_variance, interval.drawing)
    columns = found._asdict()
    columns["n_items"] = whole(found.n_items)
    few = (found.n_items > 0) & (found.n_items < FEW - 1e-9)
    columns["remark"] = np.where(few, f"fewer than {FEW} items: limits are too hopeful", "")
    frame = scored.coded.groups.label(pd.DataFrame(columns)[list(schema.PRMSE)])
    groups = scored.coded.groups
    warn_if_undefined("PRMSE", frame["estimate"].isna(), frame["reason"], groups.name)
    return result(frame, scored.coded.raters)


def check_drawn(rows: RatingRows, interval: IntervalOptions) -> None:
    """Refuse items that cannot be drawn anew, and more samples than there is time for."""
    instead = "If they are shares of a sample, pass weight_type='probability'."
    check_whole_items(rows, "Limits of PRMSE resample items", instead)
    if rows.n_groups * interval.n_resamples > MOST_REDRAWN:
        raise TooLargeError(
            f"{interval.n_resamples} resamples of {rows.n_groups} groups take too long; the limit "
            f"is {MOST_REDRAWN} in all. Use a smaller n_resamples, or fewer groups."
        )


class Bounded(NamedTuple):
    """A figure of G groups with its limits; every field has shape (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray


def correlation(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    r"""Correlate two raters who both rated all rows; limits on Fisher's z scale, with a t quantile.

    Notes
    -----
    The influence of an item is that of the jackknife, ``n - 1`` times what r loses without it, so
    that scores need not be normal. With standard scores z, the sums of squares and products
    without it are those of all less :math:`z_a^2, z_b^2, z_a z_b` times ``n / (n - 1)``. Where
    nothing varies without an item, it has the derivative of r, :math:`z_a z_b - r (z_a^2 + z_b^2)
    / 2`.
    """
    a, b, r = _standard(rows, scores)
    of_row, n = r[rows.group], rows.n_items[rows.group]
    with np.errstate(divide="ignore", invalid="ignore"):  # two items, or one score but for one item
        left = n / (n - 1)
        squares = positive(n - left * a**2, n) * positive(n - left * b**2, n)
        without = (n * of_row - left * a * b) / np.sqrt(squares)
        by_slope = a * b - of_row * (a**2 + b**2) / 2
        influence = np.where(np.isnan(without), by_slope, (n - 1) * (of_row - without))
    se = standard_error(rows, influence)
    pivot = fisher_of_many(r, se, rows.units, np.ones(len(r)))
    limits = Limits(*pivot.limits(level)).around(r, np.full(len(r), -1.0))
    return Bounded(rows.n_items, r, *_known(se, *limits))


def mean_difference(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    r"""Standardise the difference of means, second less first, by the first's standard deviation.

    Notes
    -----
    With the standard scores z of the first and differences d in units of its standard deviation,
    an item has the influence :math:`d - \bar d - \bar d (z^2 - 1) / 2`.
    """
    _, _, scores = from_lowest(rows, scores)
    spread, n = moments(rows, scores[None]), rows.n_items
    first, second = scores[rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):  # a single item
        sd = spread.sd_a * np.sqrt(np.where(n > 1, n / (n - 1), np.nan))
        sd = np.where(sd > 0, sd, np.nan)
        value = (spread.mean_b - spread.mean_a) / sd
        away = (second - first) / sd[rows.group] - value[rows.group]
        z = (first - spread.mean_a[rows.group]) / spread.sd_a[rows.group]
        influence = away - value[rows.group] * (z**2 - 1) / 2
    return _around(rows, value, influence, level)


def degradation(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    """Subtract the first rater's qwk with the last, the machine, from that with the second."""
    total, value = np.zeros(rows.codes.shape[1]), np.zeros(rows.n_groups)
    for sign, pair in ((1, (0, 1)), (-1, (0, len(rows.codes) - 1))):
        both = np.flatnonzero((rows.codes[list(pair)] >= 0).all(axis=0))
        joint = joint_rows(rows, pair)
        estimate, influence = influence_of(joint, scores, DISTANCES["quadratic"])
        with np.errstate(divide="ignore", invalid="ignore"):  # no items
            total[both] += sign * influence * (rows.n_items / joint.n_items)[joint.group]
        value += sign * estimate
    every: BoolArray = np.logical_and.reduce(rows.codes >= 0, axis=0)
    return _around(rows, value, total, level)._replace(n_items=rows.total(every))


def share(rows: RatingRows, holds: BoolArray, level: float) -> Bounded:
    """Estimate a share of the items, with Wilson's limits for as many items as they are worth."""
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        value = rows.total(holds) / rows.n_items
        worth = worth_of(rows, holds - np.nan_to_num(value)[rows.group])
    df = None if rows.cluster is None else positive(worth.df)
    return Bounded(rows.n_items, value, *wilson(value, worth.n, half_width(level, df)))


def verdicts(low: FloatArray, high: FloatArray, threshold: float, bound: str) -> ObjectArray:
    """Say whether the limits are on the right side of a threshold, the wrong one, or on both."""
    if bound == "at least":
        passes, fails = low >= threshold, high < threshold
    elif bound == "at most":
        passes, fails = high <= threshold, low > threshold
    else:
        passes = (low >= -threshold) & (high <= threshold)
        fails = (low > threshold) | (high < -threshold)
    return np.select([passes, fails], [PASS, FAIL], UNKNOWN).astype(object)


def _standard(rows: RatingRows, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Standardise the scores of two raters in each group, (U,), and correlate them, (G,)."""
    _, _, scores = from_lowest(rows, scores)
    spread = moments(rows, scores[None])
    first, second = scores[rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = (first - spread.mean_a[rows.group]) / spread.sd_a[rows.group]
        b = (second - spread.mean_b[rows.group]) / spread.sd_b[rows.group]
        r = np.clip(rows.total(a * b) / rows.n_items, -1, 1)
    return a, b, r


def _around(rows: RatingRows, value: FloatArray, influence: FloatArray, level: float) -> Bounded:
    """Take t quantiles of the standard error that influence values give."""
    se = standard_error(rows, influence)
    low, high = Around(value, se, degrees_of(rows.units), on_z=False).limits(level)
    return Bounded(rows.n_items, value, *_known(se, low, high))


def _known(se: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Hide limits where there is no standard error."""
    return np.where(np.isnan(se), np.nan, low), np.where(np.isnan(se), np.nan, high)


BOUNDS = {
    "qwk": "at least",
    "correlation": "at least",
    "degradation": "at most",
    "smd": "within",
    "prmse": "at least",
    "exact_agreement": "at least",
    "adjacent_agreement": "at least",
}
THRESHOLDS: dict[str, float | None] = {
    "qwk": 0.7,
    "correlation": 0.7,
    "degradation": 0.1,
    "smd": 0.15,
    "smd_subgroup": 0.1,
    "prmse": 0.8,
    "exact_agreement": None,
    "adjacent_agreement": None,
}


class OfReadiness(OfScores, _OfPrmse):
    """Options of `readiness`."""

    thresholds: Mapping[str, float | None] | None = option(
        "Thresholds that replace the defaults; None shows a figure without a verdict. Defaults: "
        '``{"qwk": 0.7, "correlation": 0.7, "degradation": 0.1, "smd": 0.15, "smd_subgroup": 0.1, '
        '"prmse": 0.8, "exact_agreement": None, "adjacent_agreement": None}``.',
        "dict",
        default=None,
        check=lambda _, value: _check_thresholds(value),
    )

    def found_in(self, made: Any) -> Findings:
        """Say which criteria are failed and passed, and of how many it cannot be told."""
        asked, who = made[made["verdict"] != ""], one_line(self.machine)
        names = asked.index.get_level_values("criterion")
        rows = {name: asked[names == name] for name in dict.fromkeys(names)}
        share = {name: (one["verdict"] == FAIL).mean() for name, one in rows.items()}
        failed = sorted((name for name in rows if share[name] > 0), key=lambda one: -share[one])
        passed = [name for name, one in rows.items() if (one["verdict"] == PASS).all()]
        rest = [name for name in rows if name not in (*failed, *passed)]
        spoken = (("fails", failed), ("passes", passed))
        told = [f"{verb} {those(some)}" for verb, some in spoken if some]
        if told and rest:
            told.append(f"of {len(rest)} of {len(rows)} criteria it cannot be told")
        headline = f"{who} {'; '.join(told)}." if told else ""
        if rest and not told:
            headline = f"It cannot be told of any of {len(rows)} criteria whether {who} passes."
        is_void = (made["remark"] != "").all()  # scales that differ
        named = () if is_void else (*failed, *rest)
        found = tuple(of_criterion(name, rows[name], self.level) for name in named)
        return Findings(headline, found, subject=f"Readiness of {who}")


@asks(
    OfReadiness,
    humans="`degradation` needs two, `prmse` two or `error_variance`.",
    by="Its mean difference is compared with ``smd_subgroup`` rather than ``smd``, as groups "
    "of writers are.",
    categories="See `evaluate`.",
    n_resamples="Resamples are those of ``prmse``.",
)
def readiness(data: pd.DataFrame | Counted, asked: OfReadiness) -> pd.DataFrame:
    """Compare a machine's scores with the thresholds of an exam board: pass, fail, cannot tell.

    A figure may be on the right side of its threshold by chance. It passes if its whole
    interval is on that side, fails if none of it is, and otherwise there are too few items to tell.

    Returns
    -------
    DataFrame
        One row for each ``criterion`` (in each group):

        - ``qwk``, ``exact_agreement``, ``adjacent_agreement``, ``correlation`` and ``smd`` as
          the row ``evaluation`` of `evaluate` has them;
        - ``degradation``, with two humans: qwk of the humans minus that of the machine with the
          first, so that what is lost is positive; `evaluate` has it as ``difference``, with the
          other sign;
        - ``prmse``, with two humans or `error_variance`: see there.

        The columns are ``n_items, estimate, ci_low, ci_high``, the ``threshold`` and its ``bound``
        ("at least", "at most", or "within" for a mean difference of either sign), the ``verdict``
        ("pass", "fail", "cannot tell"; empty without a threshold), the ``reason`` for NaN, as
        in `evaluate` and `prmse`; ``no_variance`` where all items say the same of a figure, as
        where the machine always has the human's score, so that it has no limits; and a ``remark``.
        Items of groups with different scales pass nothing together: the remark names the column
        to pass as `by`.

    Warns
    -----
    CrudeKappaWarning
        Once, if items with different scales are put together.

    See Also
    --------
    evaluate, prmse : The figures, and more of them.
    fairness : Tests whether groups are scored alike.
    pdkappa.plan.qwk_ceiling : What qwk the reliability of humans allows.

    Notes
    -----
    The thresholds are those of Williamson, Xi and Breyer [1]_, and .80 for PRMSE; they are
    conventions. A machine that is just not good enough passes a criterion in .02 to .05
    of samples of 100 items or more at the level .95, and all criteria no more often, so there is no
    adjustment for their number. With few items, a machine that is good enough does not pass either;
    only PRMSE is too hopeful with fewer than 20 items, where it passes in .05 to .15.

    Limits of ``qwk`` are those of `evaluate`; of ``correlation``, those of Fisher's z with an error
    for scores that need not be normal; of ``degradation`` and ``smd``, from influence values and t
    quantiles, the first two by the jackknife; of shares, Wilson's. In samples of 20 to 200 items,
    limits of these three miss the true value in .025 to .08; for PRMSE see there.

    References
    ----------
    .. [1] Williamson et al., 2012

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 5")
    >>> panel = df.kappa(rng=0).machine.readiness(["human_1", "human_2"], "machine")
    >>> panel[["estimate", "ci_low", "ci_high", "bound", "threshold", "verdict"]].round(2)
                        estimate  ci_low  ci_high     bound  threshold      verdict
    criterion
    qwk                     0.71    0.64     0.77  at least       0.70  cannot tell
    correlation             0.72    0.65     0.77  at least       0.70  cannot tell
    degradation            -0.00   -0.05     0.05   at most       0.10         pass
    smd                    -0.03   -0.12     0.06    within       0.15         pass
    prmse                   0.69    0.58     0.78  at least       0.80         fail
    exact_agreement         0.57    0.51     0.63  at least        NaN
    adjacent_agreement      0.99    0.97     1.00  at least        NaN

    A board may ask for more, or for less:

    >>> asked = {"prmse": 0.5, "adjacent_agreement": 0.95}
    >>> panel = df.kappa(rng=0).machine.readiness(
    ...     ["human_1", "human_2"], "machine", thresholds=asked,
    ... )
    >>> panel.loc[["prmse", "adjacent_agreement"], ["estimate", "threshold", "verdict"]].round(2)
                        estimate  threshold verdict
    criterion
    prmse                   0.69       0.50    pass
    adjacent_agreement      0.99       0.95    pass
    """
    interval, named, alone = asked.interval, asked.thresholds or {}, len(asked.people) == 1
    with_prmse = not alone or asked.error_variance is not None
    if not with_prmse:
        asked.refuse(
            "n_resamples",
            "rng",
            because="there is no prmse, whose limits alone are resampled",
            instead="Pass a second human or error_variance",
        )
    _check_compared(named, asked)
    thresholds = {**THRESHOLDS, **named}
    check_by(asked.by, {*schema.READINESS, "criterion"})
    read = asked.read(data, "readiness")
    tables = {name: read.compared(name, interval.level) for name in read.pairs}
    found = _limits(read, tables["evaluation"], interval.level)
    why = tables["evaluation"]["reason"]
    reasons = dict.fromkeys(found, why)
    if not alone:
        reasons["degradation"] = np.where(why == "", tables["consistency"]["reason"], why)
    if with_prmse:
        check_drawn(read.scored.rows, interval)
        one = prmse_of(read.scored, asked.error_variance, interval.drawing)
        found["prmse"] = Bounded(one.n_items, one.estimate, one.ci_low, one.ci_high)
        reasons["prmse"] = one.reason
    groups = read.scored.coded.groups
    rows = [name for name in BOUNDS if name in found]
    parts = [
        _columns(name, found[name], reasons[name], thresholds, asked.by is not None)
        for name in rows
    ]
    frame = in_turns(parts, schema.READINESS, groups, pd.Index(rows, name="criterion"))
    if read.scored.pooled is not None:
        frame["verdict"] = frame["verdict"].replace([PASS, FAIL], UNKNOWN)
        frame["remark"] = (
            f"scales differ by {shown(read.scored.pooled)}: pass by={shown(read.scored.pooled)}"
        )
    warn_if_undefined("row", frame["estimate"].isna(), frame["reason"])
    return result(frame, asked.names)


def _limits(read: Scores, table: dict[str, Any], level: float) -> dict[str, Bounded]:
    """Return the figures that `evaluate` has, with limits."""
    scores = read.scored.scores
    rows, rounded = read.joint("evaluation")
    n, apart = table["n_items"], np.abs(scores[rows.codes[0]] - rounded)
    found = {
        "qwk": Bounded(n, table["qwk"], table["qwk_low"], table["qwk_high"]),
        "correlation": correlation(rows, scores, level)._replace(estimate=table["correlation"]),
        "smd": mean_difference(rows, scores, level)._replace(estimate=table["smd"]),
        "exact_agreement": share(rows, apart == 0, level),
        "adjacent_agreement": share(rows, apart <= ADJACENT + SLACK, level),
    }
    if "consistency" in read.pairs:
        found["degradation"] = degradation(read.scored.rows, scores, level)
    return found


def _columns(
    name: str,
    found: Bounded,
    reason: ObjectArray,
    asked: dict[str, float | None],
    of_groups: bool,  # noqa: FBT001
) -> dict[str, Any]:
    """Return the columns of a criterion, with a row for each group."""
    limit = asked["smd_subgroup" if name == "smd" and of_groups else name]
    alike = found.ci_high - found.ci_low < ROUNDING
    known = ~np.isnan(found.estimate) & ~alike
    low, high = (np.where(known, x, np.nan) for x in (found.ci_low, found.ci_high))
    lost, otherwise = np.isnan(low), np.where(alike, "no_variance", "constant_rater")
    columns: dict[str, Any] = found._asdict()
    columns |= {"ci_low": low, "ci_high": high}
    columns["threshold"] = np.nan if limit is None else float(limit)
    columns["bound"] = BOUNDS[name]
    columns["verdict"] = "" if limit is None else verdicts(low, high, limit, BOUNDS[name])
    columns["reason"] = np.where(lost, np.where(reason == "", otherwise, reason), "")
    return columns | {"remark": ""}


def _check_thresholds(thresholds: object) -> None:
    """Refuse thresholds of what is no criterion, and such that are no numbers."""
    if not isinstance(thresholds, Mapping):
        raise OptionError(
            f"thresholds must be a dict such as {{'qwk': 0.75}}, got {shown(thresholds)}. Name "
            f"some of: {', '.join(THRESHOLDS)}."
        )
    for name, value in thresholds.items():
        if name not in THRESHOLDS:
            hint = did_you_mean(name, THRESHOLDS) or f" Name some of: {', '.join(THRESHOLDS)}."
            raise OptionError(f"thresholds has {listing([name])}, which is no criterion.{hint}")
        if value is not None:
            _check_reachable(name, value)


def _check_reachable(name: str, value: object) -> None:
    """Refuse what no figure is compared with, such as per cent of a share."""
    bound = BOUNDS[name.removesuffix("_subgroup")]
    if not is_number(value) or not np.isfinite(value):
        asked = "a finite number, or None"
    elif bound == "at least" and value > 1:
        asked = "at most 1, as the figure is"
    elif bound == "within" and value < 0:
        asked = "0 or more: it bounds differences of either sign"
    else:
        return
    raise OptionError(f"thresholds[{shown(name)}]={shown(value)} must be {asked}.")


def _check_compared(thresholds: Mapping[str, float | None], asked: OfReadiness) -> None:
    """Refuse thresholds with which nothing would be compared."""
    alone, by = len(asked.people) == 1, asked.by
    known = not alone or asked.error_variance is not None
    needed = {
        "degradation": "a second human" if alone else "",
        "prmse": "" if known else "a second human or error_variance",
    }
    for name, needs in needed.items():
        if needs and thresholds.get(name) is not None:
            raise OptionError(
                f"thresholds names {shown(name)}, which needs {needs}. Pass {needs}, or leave out "
                f"{shown(name)}."
            )
    if by is not None and "smd" in thresholds and "smd_subgroup" not in thresholds:
        raise OptionError(
            "thresholds names 'smd', which is for all items together. With by, name "
            "'smd_subgroup', with which the groups are compared."
        )
    if by is None and "smd_subgroup" in thresholds and "smd" not in thresholds:
        raise OptionError(
            "thresholds names 'smd_subgroup', which is for groups. Pass by, or name 'smd', with "
            "which all items together are compared."
        )
