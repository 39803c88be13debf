"""Agreement where the classes are distributed otherwise: `shift`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import FEWEST_ITEMS
from pdkappa.coefficients.influence import worth_of
from pdkappa.coefficients.intervals import Limits, fisher_of_many
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.score_limits import ROUNDING, without_rounding
from pdkappa.errors import TooLargeError, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, held_anew, option
from pdkappa.methods.estimates.options import check_by, number_that
from pdkappa.methods.estimates.pair_frames import warn_if_undefined, whole
from pdkappa.methods.estimates.study import read
from pdkappa.methods.predictions.decide import OfDecide
from pdkappa.methods.predictions.inputs import read_priors
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.study import Study
    from pdkappa.methods.predictions.inputs import Priors
    from pdkappa.ratings.coded import Counted

BLOCK = 1 << 20
HALF_ITEM = 0.5


@dataclass(frozen=True)
class Confusion:
    """How the items of T true classes are predicted, in J ways."""

    classes: IntArray  # codes of the true classes that have items, ascending, (T,)
    n_items: FloatArray  # number of items of each class, (T,)
    # Shares of the predictions among the items of a class; each row adds up to 1, (T, J).
    rows: FloatArray
    apart: FloatArray  # disagreement of each class and prediction, (T, J)
    largest: float  # largest disagreement on the scale
    nested: Nested | None = None  # the clusters of the items, if there are any

    @property
    def prior(self) -> FloatArray:
        """Observed shares of the classes, shape (T,)."""
        return self.n_items / self.n_items.sum()

    @cached_property
    def observed(self) -> FloatArray:
        """Mean disagreement of each class with its predictions, shape (T,)."""
        return (self.rows * self.apart).sum(axis=1)

    @cached_property
    def expected(self) -> FloatArray:
        """Mean disagreement of each class with the predictions of each class, shape (T, T)."""
        return self.apart @ self.rows.T

    def kappa(self, priors: FloatArray) -> FloatArray:
        """Kappa under some priors of shape (P, T); NaN where no disagreement is possible, (P,)."""
        expected = ((priors @ self.expected) * priors).sum(axis=1)
        return 1 - (priors @ self.observed) / np.where(expected > 0, expected, np.nan)


class Nested(NamedTuple):
    """Rows of items in clusters, with the class and the prediction of each, both (U,)."""

    rows: RatingRows
    row: IntArray
    column: IntArray

    def effect(self, confusion: Confusion, slope: FloatArray) -> float:
        """Compute the design effect on a sum whose slopes at the shares are known, (T, J).

        The squared sums of clusters in units of those of single items.
        """
        away = slope - (confusion.rows * slope).sum(axis=1, keepdims=True)
        away = (away / confusion.n_items[:, None])[self.row, self.column]
        return float((self.rows.n_items / worth_of(self.rows, away).n)[0])

    @property
    def units(self) -> float:
        """How many clusters of equal size they are worth."""
        return float(self.rows.units[0])


class Shifted(NamedTuple):
    """Kappa under one prior, with its standard error and limits.

    `n_effective` is the number of items of the new prior that say as much about the
    confusion rows; `reason` says why something is NaN.
    """

    n_effective: float
    estimate: float
    se: float
    ci_low: float
    ci_high: float
    reason: str


def confusion_of(rows: RatingRows, scale: Scale, group: int) -> Confusion:
    """Cross-tabulate truth and prediction, the two raters of the rows, in one group."""
    truth, prediction = rows.codes
    some = np.flatnonzero((rows.group == group) & (truth >= 0) & (prediction >= 0))
    classes, row = np.unique(truth[some], return_inverse=True)
    predictions, column = np.unique(prediction[some], return_inverse=True)
    shape = (len(classes), len(predictions))
    cell = row * shape[1] + column
    table = sums_at(cell, rows.count[some], shape[0] * shape[1]).reshape(shape)
    n_items = table.sum(axis=1)
    first, second = (x.reshape(-1) for x in np.meshgrid(classes, predictions, indexing="ij"))
    apart = scale.between(np.full(first.shape, group), first, second).reshape(shape)
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[group]
    nested = None
    if rows.cluster is not None:
        merged = rows.as_one_group(some).compressed
        truth, prediction = merged.codes
        row, column = np.searchsorted(classes, truth), np.searchsorted(predictions, prediction)
        nested = Nested(merged, row, column)
    return Confusion(classes, n_items, table / n_items[:, None], apart, float(largest), nested)


def size_of(rows: RatingRows, group: int) -> tuple[int, int]:
    """Count the true classes and the different predictions of one group."""
    some = (rows.group == group) & (rows.codes >= 0).all(axis=0)
    truth, prediction = rows.codes[:, some]
    return len(np.unique(truth)), len(np.unique(prediction))


def shifted(confusion: Confusion, prior: FloatArray, level: float) -> Shifted:
    r"""Compute kappa under another prior, with the confusion rows held.

    Parameters
    ----------
    confusion : Confusion
        How the items of T classes are predicted.
    prior : ndarray of float, shape (T,)
        Shares of the classes, which add up to 1.
    level : float
        Confidence level.

    Returns
    -------
    Shifted
        The estimate is NaN where prior and predictions are all in one class.

    Notes
    -----
    With shares :math:`\pi`, rows :math:`C` and disagreement :math:`d`,

    .. math:: \kappa(\pi) = 1 - \frac{\pi' e}{\pi' M \pi}, \qquad
              e_k = \sum_j C_{kj} d_{kj}, \qquad M_{kl} = \sum_j d_{kj} C_{lj}.

    The rows are independent multinomials, and the prior is known. The limits are those of
    Fisher's z for as many items as the sample is worth, :math:`1 / \sum \pi_k^2 / n_k`,
    which is n at the observed prior; and for rows with half an item more, spread as all
    predictions under the prior are, since few items that are predicted alike say little. Items in
    clusters are worth as many fewer as sums over clusters vary more than items do.
    """
    used = prior > 0
    n = float(1 / (prior[used] ** 2 / confusion.n_items[used]).sum())
    kappa = float(confusion.kappa(prior[None])[0])
    if np.isnan(kappa):
        return Shifted(n, np.nan, np.nan, np.nan, np.nan, "constant_ratings")
    if used.sum() == 1 or (prior @ confusion.rows > 0).sum() == 1:
        return Shifted(n, 0.0, np.nan, np.nan, np.nan, "constant_rater")
    if n < FEWEST_ITEMS:
        return Shifted(n, kappa, np.nan, np.nan, np.nan, "n_lt_2")
    at, nested = np.array([kappa]), confusion.nested
    effect = 1.0 if nested is None else nested.effect(confusion, slopes(confusion, prior))
    units = n if nested is None else min(n, nested.units)
    if units < FEWEST_ITEMS:
        return Shifted(n, kappa, np.nan, np.nan, np.nan, "n_lt_2")
    se = np.sqrt(effect) * standard_error(confusion, prior)
    smoothed = _smoothed(confusion, prior, HALF_ITEM * effect)
    worst = confusion.largest / (prior @ smoothed.expected @ prior)
    pivot = fisher_of_many(
        smoothed.kappa(prior[None]),
        np.sqrt(effect) * standard_error(smoothed, prior),
        np.array([units]),
        np.array([worst]),
    )
    limits = Limits(*pivot.limits(level)).within(at, se, np.array([-1.0]))
    reason = "" if se[0] > 0 else "no_variance"
    low, high = float(limits.low[0]), float(limits.high[0])
    return Shifted(n / effect, kappa, float(se[0]), low, high, reason)


def standard_error(confusion: Confusion, prior: FloatArray) -> FloatArray:
    """Compute the standard error of kappa under a prior, shape (1,)."""
    slope = slopes(confusion, prior)
    mean = (confusion.rows * slope).sum(axis=1, keepdims=True)
    variance = (confusion.rows * (slope - mean) ** 2).sum(axis=1) / confusion.n_items
    return without_rounding(np.sqrt(variance.sum(keepdims=True)))


def _smoothed(confusion: Confusion, prior: FloatArray, more: float) -> Confusion:
    """Add so much of an item to each class, spread as all predictions under the prior are."""
    n_items = confusion.n_items[:, None]
    rows = (n_items * confusion.rows + more * (prior @ confusion.rows)) / (n_items + more)
    return replace(confusion, rows=rows)


def slopes(confusion: Confusion, prior: FloatArray) -> FloatArray:
    """Differentiate kappa under a prior with respect to each share of the rows, shape (T, J)."""
    expected = prior @ confusion.expected @ prior
    ratio = (prior @ confusion.observed) / expected
    return prior[:, None] * (ratio * (prior @ confusion.apart) - confusion.apart) / expected


def dirichlet_range(
    confusion: Confusion,
    prior: FloatArray,
    concentration: float,
    level: float,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Draw priors around a prior, and return the central quantiles of kappa under them.

    Parameters
    ----------
    confusion, prior, level
        As in `shifted`; classes without a share never get one.
    concentration : float
        Sum of the parameters of the Dirichlet distribution whose mean is the prior: a
        share p has the variance ``p * (1 - p) / (concentration + 1)``.
    n_draws : int
        Number of priors.
    rng : Generator
        Where they are drawn from.

    Returns
    -------
    tuple of float
        NaN where kappa is undefined under all priors drawn; where under some, they are
        left out.
    """
    used = np.flatnonzero(prior > 0)
    step = max(1, BLOCK // max(len(prior), 1))
    values = []
    for start in range(0, n_draws, step):
        drawn = np.zeros((min(step, n_draws - start), len(prior)))
        drawn[:, used] = rng.dirichlet(concentration * prior[used], len(drawn))
        values.append(confusion.kappa(drawn))
    kappa = np.concatenate(values)
    kappa = kappa[~np.isnan(kappa)]
    if not len(kappa):
        return np.nan, np.nan
    low, high = np.quantile(kappa, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


MOST_STARTS, FEWEST_STARTS = 32, 8
BLOCK_OF_STARTS = 1 << 16
MOST_STEPS = 10_000
TOLERANCE = 1e-13  # of the ratio of disagreements: a smaller gain is rounding error
VANISHING = 1e-13  # part of the expected disagreement below which the ratio is 0/0


def extremes(confusion: Confusion, prior: FloatArray, radius: float) -> tuple[float, float]:
    """Find the least and the greatest kappa in a ball of priors.

    Parameters
    ----------
    confusion : Confusion
        How the items of T classes are predicted.
    prior : ndarray of float, shape (T,)
        Centre of the ball.
    radius : float
        The largest total variation distance, the share that may move from some classes to
        others, in (0, 1].

    Returns
    -------
    tuple of float
        NaN if kappa is undefined under all priors that were tried. Where all items may get
        into a class that is never predicted wrongly, the limits of kappa there count; one is
        minus infinity if no disagreement with other classes counts, but their own does.

    Notes
    -----
    Kappa is one minus a ratio of a linear to a quadratic form of the prior, and priors move
    in the ball by carrying shares from one class to another: all directions are mixtures of
    such moves. From a start, the best of these moves, of the best size, is repeated until
    none gains any more. A ratio of quadratic forms may have several local optima; the
    search starts from the prior and from the corners of the ball that are best.
    """
    starts = _starts(confusion, prior, radius)
    limits = _limits(confusion, prior, radius)
    found = [
        np.append(_improved(confusion, prior, radius, starts, sign), limits) for sign in (1.0, -1.0)
    ]
    least, greatest = (ratio[~np.isnan(ratio)] for ratio in found)
    if not len(least):
        return np.nan, np.nan
    return float(1 - greatest.max()), float(1 - least.min())


def _starts(confusion: Confusion, prior: FloatArray, radius: float) -> FloatArray:
    """Return the prior, and corners of the ball, shape (S, T).

    In a corner one class has got all that may move, and others gave all they had, in the
    order of the classes or of how well they are predicted, or the reverse.
    """
    n_classes = len(prior)
    orders = [np.arange(n_classes), np.argsort(confusion.observed, kind="stable")]
    starts = [prior]
    for order in (*orders, *(order[::-1] for order in orders)):
        for gaining in range(n_classes):
            given = np.where(order == gaining, 0.0, prior[order])
            given = np.diff(np.minimum(np.cumsum(given), radius), prepend=0.0)
            corner = prior.copy()
            corner[order] -= given
            corner[gaining] += given.sum()
            starts.append(np.maximum(corner, 0.0))
    return np.stack(starts)


def _limits(confusion: Confusion, prior: FloatArray, radius: float) -> FloatArray:
    """Return the limits of the ratio where all items get into one class and the ratio is 0/0.

    That is so in each of the C classes in the ball that are never predicted wrongly. Close to
    one of them, observed and expected disagreement are both linear in the shares of the other
    classes, so that the extremes are the limits with a single one of these, shape (C * T,).
    NaN for the class itself.
    """
    in_reach = 1 - prior <= radius + ROUNDING
    alone = np.flatnonzero(in_reach & (np.diag(confusion.expected) == 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = confusion.observed / (confusion.expected + confusion.expected.T)[alone]
    return ratio.reshape(-1)


def _improved(
    confusion: Confusion, prior: FloatArray, radius: float, starts: FloatArray, sign: float
) -> FloatArray:
    """Improve the best starts until no move between two classes does, shape (S,).

    Returns the ratios of observed to expected disagreement, which are to be small for the
    sign 1 and large for -1; NaN where a start has none.
    """
    ratio = 1 - confusion.kappa(starts)
    n_kept = np.clip(BLOCK_OF_STARTS // len(prior) ** 2, FEWEST_STARTS, MOST_STARTS)
    best = np.argsort(sign * ratio[1:], kind="stable")[:n_kept] + 1  # NaN comes last
    keep = np.append(0, best)
    place, ratio = starts[keep], ratio[keep]
    every = np.arange(len(place))
    for _ in range(MOST_STEPS):
        size, value = _moves(confusion, prior, radius, place, sign)
        move = np.argmin(value.reshape(len(place), -1), axis=1)
        giving, gaining = np.divmod(move, len(prior))
        gain = sign * ratio - value[every, giving, gaining]
        better = gain > TOLERANCE * np.maximum(np.abs(ratio), 1.0)
        if not better.any():
            break
        step = np.where(better, size[every, giving, gaining], 0.0)
        place[every, giving] = np.maximum(place[every, giving] - step, 0.0)
        place[every, gaining] += step
        ratio = np.where(better, 1 - confusion.kappa(place), ratio)
    return ratio


def _moves(
    confusion: Confusion, prior: FloatArray, radius: float, place: FloatArray, sign: float
) -> tuple[FloatArray, FloatArray]:
    """Find the best share to move from each class to each, and what it gives, each (S, T, T).

    The second is the ratio after the move, times `sign`; infinite where nothing can move.
    """
    above, below = np.maximum(place - prior, 0.0), np.maximum(prior - place, 0.0)
    spare = np.maximum(radius - above.sum(axis=1), 0.0)
    most = np.minimum(place[:, :, None], above[:, :, None] + (below + spare[:, None])[:, None])
    both = confusion.expected + confusion.expected.T
    own = np.diag(confusion.expected)
    observed = (place @ confusion.observed)[:, None, None]
    slope = place @ both
    expected = (place * slope).sum(axis=1)[:, None, None] / 2
    # Moving x changes the ratio to (observed + a x) / (expected + b x + c x^2).
    a = confusion.observed - confusion.observed[:, None]
    b = slope[:, None] - slope[:, :, None]
    c = own + own[:, None] - both
    with np.errstate(divide="ignore", invalid="ignore"):
        # Its derivative is zero where a c x^2 + 2 c observed x + b observed - a expected is.
        half, rest = c * observed, b * observed - a * expected
        root = -(half + np.copysign(np.sqrt(half**2 - a * c * rest), half))
        sizes = np.stack([most, root / (a * c), rest / root])
        sizes = np.where((sizes > 0) & (sizes <= most), sizes, 0.0)
        after = expected + b * sizes + c * sizes**2
        values = sign * (observed + a * sizes) / after
        values = np.where((sizes > 0) & (after > VANISHING * expected), values, np.inf)
    which = np.argmin(values, axis=0)[None]
    return (
        np.take_along_axis(sizes, which, axis=0)[0],
        np.take_along_axis(values, which, axis=0)[0],
    )


LARGEST_TABLE = 1 << 24
MOST_CLASSES = 128


class OfShift(has.Predicted, has.By, has.Weighted, has.Level, has.Draws):
    """Options of `shift`."""

    predictions: Label = anew(
        has.Predicted,
        "predictions",
        also="It may be any number where the classes are numbers. Items "
        "without a class or a prediction are left out.",
        kw_only=False,
    )
    n_resamples: int = held_anew(has.Draws, "n_resamples", default=10_000)
    prior: dict[Any, float] | pd.Series | pd.DataFrame | None = anew(
        OfDecide,
        "prior",
        kind="dict or Series or DataFrame",
        default=None,
        also="Classes that are not named have none. A DataFrame has a column for each class and a "
        "row for each of several priors. Shares add up to 1 within 1e-6. Default: those of the "
        "data.",
    )
    concentration: float | None = option(
        "Ask how kappa varies if the prior is uncertain: shares have the Dirichlet distribution "
        "with the mean `prior` and this sum of its parameters, as from a sample of so many items. "
        "The variance of a share p is ``p * (1 - p) / (concentration + 1)``.",
        "float",
        default=None,
        check=number_that(lambda value: 0 < value < np.inf, "be a number above 0, or None"),
    )
    radius: float | None = option(
        "Ask for the least and the greatest kappa if no more than this share of the items, in "
        "(0, 1], is in other classes than by `prior` (total variation distance).",
        "float",
        default=None,
        check=number_that(
            lambda value: 0 < value <= 1, "be a number above 0 and at most 1, or None"
        ),
    )

    def refuse_draws(self) -> None:
        """Refuse what is about priors where none are drawn."""
        if self.concentration is None:
            because, instead = "no prior is drawn", "Pass concentration"
            self.refuse("n_resamples", "rng", because=because, instead=instead)

    def around(
        self, confusion: Confusion, prior: FloatArray, stream: np.random.Generator
    ) -> dict[str, float]:
        """Return the limits of kappa under the other priors that are asked about."""
        limits, n = dict[str, float](), int(self.n_resamples)
        if self.concentration is not None:
            limits["dirichlet_low"], limits["dirichlet_high"] = dirichlet_range(
                confusion, prior, self.concentration, self.level, n_draws=n, rng=stream
            )
        if self.radius is not None:
            limits["ball_low"], limits["ball_high"] = extremes(confusion, prior, self.radius)
        return limits


@asks(
    OfShift,
    confidence_level="Also the part of the priors between the limits by `concentration`.",
    n_resamples="Resamples are priors, drawn for `concentration`, by default 10,000.",
)
def shift(data: pd.DataFrame | Counted, asked: OfShift) -> pd.DataFrame:
    """Compute kappa under a different distribution of the true classes.

    What would kappa be if the easy classes were rarer, and how far could it fall? The
    distribution of the predictions within each true class is kept fixed.

    Returns
    -------
    DataFrame
        One row for each prior (and group), called ``prior``: as the row of a DataFrame or the
        Series, else "new", or "observed" for the default; and the columns

        - ``n_items``: items with truth and prediction;
        - ``n_effective``: number of items of the new prior that would say as much,
          ``1 / sum(prior**2 / n)`` for n items of each class;
        - ``estimate_observed, estimate``: kappa under the prior of the data and under the
          new one, at most 1;
        - ``se, ci_low, ci_high``: of the latter, given the prior;
        - ``dirichlet_low, dirichlet_high``: with `concentration`, central limits of kappa over the
          priors drawn, without the error of the sample;
        - ``ball_low, ball_high``: with `radius`, the least and the greatest kappa;
        - ``remark``: of the assumption, see the notes;
        - ``reason`` for NaN: ``unseen_class`` (a class with a share has no items, so that nothing
          says how it is predicted), ``no_items``, ``no_joint_items``, ``zero_total_weight``,
          ``constant_ratings`` (prior and predictions in one class, 0/0), ``constant_rater`` (one
          of them in a single class: kappa is 0 and has no standard error), ``n_lt_2``
          (`n_effective` is below 2), ``undefined_resamples`` (kappa is undefined under all priors
          drawn); and ``no_variance`` where the standard error is 0, as for predictions without
          error.

    Raises
    ------
    CategoryError
        If `prior` names a class that neither columns nor categories have.
    TooLargeError
        If a group has more than 2**24 pairs of a class and a prediction, or more than 128
        classes where `radius` is given.

    See Also
    --------
    cells : Which confusions cost agreement in the data as they are.

    Notes
    -----
    With shares p of the classes, shares C of the predictions within each class, and
    disagreement weights d, ``kappa = 1 - p'e / p'Mp`` with ``e[k] = sum_j C[k, j] d[k, j]``
    and ``M[k, l] = sum_j d[k, j] C[l, j]``. That C stays as it is, is the assumption of
    label shift [1]_, [2]_. It is plausible where the class causes what is observed, as with
    diseases and symptoms, but not if the items of a class become harder.

    The standard error is the delta method for independent multinomial rows of C: at the observed
    prior that of a test set with fixed numbers of items of each class, not that of `pairs`. It is
    too small where a class with a large share has few items, and a class whose few items are all
    predicted alike adds nothing to it. The limits allow for that: they are those of Fisher's z,
    with t quantiles of ``n_effective - 1`` degrees of freedom, of rows to each of which half an
    item is added, spread as all predictions are. In simulations of 60 to 1000 items in two to six
    classes they covered the true value in .92 to .99 of the samples at the level .95, and without
    the addition in .75 to .96. With 40 items the coverage is .91 to .95, and the standard error .8
    to .97 of the actual one. Ten to 60 clusters of four items held it in .95 to .97. The estimate
    plus and minus quantiles of `se` are no limits: in 10, 15, 25 and 60 clusters they hold the true
    value in .82, .88, .89 and .93, as they take no account of how skewed estimates are.

    The extremes within `radius` are over the classes that have items. They are found by
    moving shares from one class to another, by the best amount, from many starts, until no
    move gains; and where all items may get into a class that is predicted without error, so
    that kappa becomes 0/0, its limits there count. Neither fine grids nor random
    searches found any beyond them; with dozens of classes they may miss the exact extremes by a
    small amount.

    References
    ----------
    .. [1] Saerens et al., 2002
    .. [2] Lipton et al., 2018

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> df = df[df["essay_set"] == 3]
    >>> found = df.kappa.predictions.shift(
    ...     "human_1", "machine", weights="quadratic", prior={0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}
    ... )
    >>> found[["estimate_observed", "estimate", "se", "ci_low", "ci_high"]].round(3)
           estimate_observed  estimate     se  ci_low  ci_high
    prior
    new                0.681     0.741  0.029   0.662    0.788

    The same predictions agree better or worse with the truth, as more or fewer items are at
    the ends of the scale:

    >>> priors = pd.DataFrame(
    ...     {0: [0.25, 0.05], 1: [0.25, 0.45], 2: [0.25, 0.45], 3: [0.25, 0.05]},
    ...     index=["even", "middle"],
    ... )
    >>> found = df.kappa.predictions.shift(
    ...     "human_1", "machine", weights="quadratic", prior=priors, radius=0.1
    ... )
    >>> found[["estimate", "ball_low", "ball_high"]].round(3)
            estimate  ball_low  ball_high
    prior
    even       0.753     0.708      0.780
    middle     0.563     0.421      0.655
    """
    check_by(asked.by, {"prior", *schema.SHIFT})
    study = read(data, [asked.truth, asked.predictions], asked.reading)
    priors = read_priors(asked.prior, study.coded.categories)
    asked.refuse_draws()
    frame = _frame(list(_rows(study, priors, asked)))
    frame.index = study.groups.each(index_of(priors.names, "prior"))

    def name(row: int) -> str:
        group, prior = divmod(row, len(priors.names))
        return shown(priors.names[prior]) + study.groups.at(group, " at ")

    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], name)
    return result(frame, study.raters)


def _rows(study: Study, priors: Priors, asked: OfShift) -> Iterator[dict[str, Any]]:
    """Compute one row of the result after the other, group by group."""
    n_priors = len(priors.names)
    streams = iter(np.random.default_rng(asked.rng).spawn(study.n_groups * n_priors))
    empty = study.groups.why_empty()
    for group in range(study.n_groups):
        _check_size(study, group, asked.radius)
        confusion = confusion_of(study.rows, study.scale, group)
        for number, name in enumerate(priors.names):
            stream = next(streams)
            row = {"prior": name, "n_items": confusion.n_items.sum()}
            if not len(confusion.classes):
                yield {**row, "reason": empty[group] or "no_joint_items"}
                continue
            shares = None if priors.shares is None else priors.shares[number]
            yield row | _figures(confusion, shares, asked, stream)


def _check_size(study: Study, group: int, radius: float | None) -> None:
    """Refuse more classes and predictions than fit into memory."""
    n_classes, n_predictions = size_of(study.rows, group)
    truth, prediction = study.coded.raters
    if n_classes * n_predictions > LARGEST_TABLE:
        raise TooLargeError(
            f"There would be a table of {n_classes} values of {shown(truth)} by {n_predictions} of "
            f"{shown(prediction)}; the limit is {LARGEST_TABLE} cells. Round the values or merge "
            "classes."
        )
    if radius is not None and n_classes > MOST_CLASSES:
        raise TooLargeError(
            f"{shown(truth)} has {n_classes} classes, and radius takes up to {MOST_CLASSES}. Merge "
            "classes, or use concentration."
        )


def _figures(
    confusion: Confusion, shares: FloatArray | None, asked: OfShift, stream: np.random.Generator
) -> dict[str, Any]:
    """Compute the columns of one prior over all K categories, or of the observed one."""
    at_observed = shifted(confusion, confusion.prior, asked.level)
    figures: dict[str, Any] = {"estimate_observed": at_observed.estimate}
    if shares is None:
        prior, found = confusion.prior, at_observed
    elif np.delete(shares, confusion.classes).any():
        return figures | {"reason": "unseen_class"}
    else:
        prior = shares[confusion.classes]
        found = shifted(confusion, prior, asked.level)
    figures |= found._asdict() | asked.around(confusion, prior, stream)
    if np.isnan(figures.get("dirichlet_low", 0.0)) and not np.isnan(found.estimate):
        figures["reason"] = found.reason or "undefined_resamples"
    return figures


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Put the rows into a frame."""
    moved = np.array([row.pop("prior") != "observed" for row in rows], dtype=bool)
    frame = pd.DataFrame(rows, columns=list(schema.SHIFT))
    frame["n_items"] = whole(frame["n_items"].to_numpy(dtype=np.float64))
    moved &= frame["reason"].isin(["", "no_variance"])
    frame["remark"] = np.where(moved, "if the items of each class stay as they are", "")
    return frame
