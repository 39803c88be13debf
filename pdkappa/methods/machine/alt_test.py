"""Whether a machine may replace people: the alternative annotator test, `alt_test`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.score_limits import ROUNDING, stdtr
from pdkappa.errors import MOST_SHOWN, OptionError, WeightsError, check_choice, shown
from pdkappa.methods.comparisons.compare import measured_by
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_by, is_number, number_that
from pdkappa.methods.estimates.pair_frames import warn_if_undefined, whole
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.weightings import check_finite
from pdkappa.present import schema
from pdkappa.present.labels import one_line
from pdkappa.present.text_tables import Bundle, result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import where_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.study import Study

FEWEST_HUMANS = 2
ROUNDINGS = 8  # that a sum of squares goes through, more or less


class Nearness(NamedTuple):
    """How near two ratings of U items are to those of all humans but one, each of shape (H, U).

    They differ by more than the `tolerance`, or are equal but for errors of rounding.
    """

    of_machine: FloatArray
    of_human: FloatArray
    tolerance: float = 0.0


class Wins(NamedTuple):
    """Of the items that a machine and each human rated: their number, and whose rating was nearer.

    Each of shape (H, G): H humans in G groups. A tie is in none of `machine` and `human`. Where
    items are nested in clusters, `se` is the error of the difference of the two shares.
    """

    n_items: FloatArray
    machine: FloatArray
    human: FloatArray
    se: FloatArray | None = None
    df: FloatArray | None = None


def same_labels(humans: IntArray, machine: IntArray, n_categories: int) -> Nearness:
    """Count the other humans with the same label as a machine, and as the human left out.

    Parameters
    ----------
    humans : ndarray of int, shape (H, U)
        Codes of the humans; -1 where a rating is missing.
    machine : ndarray of int, shape (U,)
        Codes of the machine.
    n_categories : int
        K.

    Returns
    -------
    Nearness
        Without meaning where one of the two ratings is missing.
    """
    places = np.arange(humans.shape[1], dtype=np.int64) * n_categories
    rated = humans >= 0
    cells, times = np.unique((places + humans)[rated], return_counts=True)

    def number(of: IntArray) -> FloatArray:
        wanted = places + of
        found = np.searchsorted(cells, wanted)
        known = np.append(cells, -1)[found] == wanted
        return np.where(known, np.append(times, 0)[found], 0).astype(np.float64)

    return Nearness(number(machine) - (humans == machine), number(humans) - 1.0)


def square_distances(humans: FloatArray, machine: FloatArray) -> Nearness:
    """Sum the squared differences from the scores of the other humans, with a minus sign.

    The order is that of minus the root of their mean. Scores have the shapes of `same_labels`,
    and are NaN where a rating is missing.
    """
    rated = ~np.isnan(humans)
    lowest = humans[rated].min(initial=np.inf)
    known = np.where(rated, humans - lowest, 0.0)  # integers stay exact
    n, total, squares = rated.sum(axis=0), known.sum(axis=0), (known**2).sum(axis=0)

    def away(of: FloatArray) -> FloatArray:
        return 2 * of * total - n * of**2 - squares + (of - known) ** 2

    given = np.where(np.isnan(machine), 0.0, machine - lowest)
    widest = max(known.max(initial=0.0), np.abs(given).max(initial=0.0))
    largest = widest + abs(lowest) if rated.any() else 0.0
    tolerance = ROUNDINGS * np.finfo(float).eps * n.max(initial=0) * widest * largest
    return Nearness(away(np.broadcast_to(given, humans.shape)), away(known), float(tolerance))


def weighted_distances(
    humans: IntArray, machine: IntArray, group: IntArray, scale: Scale
) -> Nearness:
    """Sum the disagreements with the other humans, with a minus sign.

    Codes are those of `same_labels`; `group` tells of each item which table of the `scale` it is
    in, shape (U,).
    """
    sums, largest = np.zeros((2, *humans.shape)), 0.0
    for other, own in enumerate(humans):
        items = np.flatnonzero(own >= 0)
        rest = np.delete(np.arange(len(humans)), other)
        for of, codes in zip(sums, (machine[None], humans[rest]), strict=True):
            apart = scale.between(group[items], codes[:, items], own[items])
            apart = np.where(codes[:, items] >= 0, apart, 0.0)
            of[np.ix_(rest, items)] -= apart
            largest = max(largest, apart.max(initial=0.0))
    return Nearness(sums[0], sums[1], ROUNDING * len(humans) * largest)


def count_wins(rows: RatingRows, n_humans: int, machine: int, near: Nearness) -> Wins:
    """Count the items on which a machine, or each human, is nearer to the other humans.

    Items with a rating of the machine and of two humans or more count, for the humans who rated
    them; the humans are the first raters.
    """
    humans = rows.codes[:n_humans] >= 0
    used = humans & (humans.sum(axis=0) >= FEWEST_HUMANS) & (rows.codes[machine] >= 0)
    ahead = near.of_machine - near.of_human
    some = (used, used & (ahead > near.tolerance), used & (ahead < -near.tolerance))
    wins = Wins(*(np.stack([rows.total(human) for human in one]) for one in some))
    if rows.cluster is None:
        return wins
    with np.errstate(divide="ignore", invalid="ignore"):  # a human without items
        mean = np.nan_to_num((wins.human - wins.machine) / wins.n_items)
    errors, df = [], []
    for place, own in enumerate(used):
        away = some[2][place] * 1.0 - some[1][place] - mean[place][rows.group]
        errors.append(standard_error(rows.select(own), away[own]))
        df.append(rows.select(own).units - 1)
    return wins._replace(se=np.stack(errors), df=np.stack(df))


def n_beside(rows: RatingRows, n_humans: int, machine: int) -> FloatArray:
    """Count the items with a rating of the machine and of two humans or more, shape (G,)."""
    humans = (rows.codes[:n_humans] >= 0).sum(axis=0)
    return rows.total((humans >= FEWEST_HUMANS) & (rows.codes[machine] >= 0))


FEWEST_FOR_T = 30
GRID = 1001  # distributions over which the exact test looks for the greatest probability


class Replacement(NamedTuple):
    """Tests of a machine against each of H humans in G groups, each of shape (H, G)."""

    tested: BoolArray  # which humans count
    exact: BoolArray  # of whom there are too few items for a t test
    # NaN for those who do not count.
    p_value: FloatArray
    p_adjusted: FloatArray
    reason: ObjectArray  # why the p-value of somebody who counts is NaN


def replacement(wins: Wins, epsilon: float, min_items: float) -> Replacement:
    """Test that a human is less than `epsilon` more often nearer to the others than a machine.

    Parameters
    ----------
    wins : Wins
        Of shape (H, G).
    epsilon : float
        In [0, 1).
    min_items : float
        Humans with fewer do not count, unless this is true of all.

    Notes
    -----
    With d = 1, 0 or -1 where the human, neither or the machine is nearer, the hypothesis is that
    the mean of d is `epsilon` or more. It is tested by t where there are 30 items, and else
    exactly; clusters likewise, as items, if d does not vary, see `t_test`. P-values are adjusted as
    by Benjamini and Yekutieli, over the humans of a group.
    """
    n, df = wins.n_items, degrees_of(wins)
    units = units_of(wins)
    enough = n >= min_items
    tested = np.where(enough.any(axis=0), enough, n > 0)
    exact = tested & (units < FEWEST_FOR_T)
    if wins.df is not None:
        exact &= is_constant(wins) & (df > 0)
    p_value = np.where(tested, t_test(wins, epsilon), np.nan)
    for size in np.unique(units[exact]):
        same = exact & (units == size)
        shares = (one[same] * (size / n[same]) for one in (wins.machine, wins.human))
        machine, human = (np.rint(one).astype(np.int64) for one in shares)
        p_value[same] = exact_tests(round(size), epsilon)[machine, human]
    lost = np.where(df > 0, "no_variance", "n_lt_2")
    reason = np.where(tested & np.isnan(p_value), lost, "").astype(object)
    return Replacement(tested, exact, p_value, adjusted(p_value), reason)


def degrees_of(wins: Wins) -> FloatArray:
    """Degrees of freedom of the t test, (H, G)."""
    return wins.n_items - 1 if wins.df is None else wins.df


def units_of(wins: Wins) -> FloatArray:
    """Count the items, or the equal clusters that they are worth, (H, G)."""
    return wins.n_items if wins.df is None else np.floor(wins.df + 1 + 1e-9)


def is_constant(wins: Wins) -> BoolArray:
    """Whether one rating is nearer on all items, or neither on any, (H, G)."""
    n, machine, human = wins[:3]
    return (human == n) | (machine == n) | (human + machine == 0)


def t_test(wins: Wins, epsilon: float) -> FloatArray:
    """One-sided p-value of the t test that the mean of d is below `epsilon`, shape (H, G).

    Where d does not vary in any of the items, or clusters, it is the probability that
    the machine is nearer in all, or the human in none, at most; 1 if d is not below. NaN where
    there is no error of it: of a single item or cluster, or of clusters whose sums are alike.
    """
    n, df, constant = wins.n_items, degrees_of(wins), is_constant(wins)
    chance = np.where(wins.machine == n, (1 - epsilon) / 2, 1 - epsilon) ** units_of(wins)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (wins.human - wins.machine) / n
        variance = ((wins.human + wins.machine) / n - mean**2) * n / (n - 1)
        se = np.sqrt(variance / n) if wins.se is None else wins.se
        t = (mean - epsilon) / se
    known = ~constant & (df > 0) & (se > 0)
    p_value = np.where(known, stdtr(np.where(known, df, 1.0), np.where(known, t, 0.0)), np.nan)
    return np.where(constant & (df > 0), np.where(mean < epsilon, chance, 1.0), p_value)


def exact_tests(n: int, epsilon: float) -> FloatArray:
    """p-values of the exact test of the same, for every outcome of n items.

    Returns
    -------
    ndarray of float, shape (n + 1, n + 1)
        By the number of items on which the machine is nearer, and on which the human is; NaN where
        there are more than n together.

    Notes
    -----
    Outcomes are put in order by the score statistic ``(mean(d) - epsilon) / se``, whose standard
    error is that of the most likely distribution with the mean `epsilon`. The p-value is the
    greatest probability, over the distributions with that mean, of an outcome as low or lower;
    distributions with a greater mean give lower ones.
    """
    places = np.indices((n + 1, n + 1)).reshape(2, -1)
    machine, human = places[:, places.sum(axis=0) <= n].astype(np.float64)
    order, new = _ordered(_score(n, machine, human, epsilon))
    machine, human = machine[order], human[order]
    # The probability that the machine is nearer.
    low = np.linspace(0.0, (1 - epsilon) / 2, GRID)[:, None]
    counts = (machine, human, n - machine - human)
    shares = (low, low + epsilon, np.maximum(1 - 2 * low - epsilon, 0.0))
    logs = scipy.special.gammaln(n + 1) + sum(
        scipy.special.xlogy(count, share) - scipy.special.gammaln(count + 1)
        for count, share in zip(counts, shares, strict=True)
    )
    tail = np.cumsum(np.exp(logs), axis=1).max(axis=0)
    found = np.full((n + 1, n + 1), np.nan)
    last = np.append(np.flatnonzero(new)[1:], len(tail)) - 1  # of those that are equally low
    found[machine.astype(int), human.astype(int)] = np.minimum(tail[last][np.cumsum(new) - 1], 1.0)
    return found


def _score(n: int, machine: FloatArray, human: FloatArray, epsilon: float) -> FloatArray:
    """Score statistic of the hypothesis that the mean of d is `epsilon`, as Tango (1998) has it."""
    linear = (machine + human) * (1 - epsilon) - 2 * epsilon * (n - human)
    root = np.sqrt(linear**2 + 8 * n * machine * epsilon * (1 - epsilon))
    likely = (linear + root) / (4 * n)  # probability that the machine is nearer
    variance = n * (2 * likely + epsilon - epsilon**2)
    with np.errstate(invalid="ignore"):  # no item differs, and epsilon is 0
        score = (human - machine - n * epsilon) / np.sqrt(variance)
    return np.where(variance > 0, score, 0.0)


def _ordered(score: FloatArray) -> tuple[IntArray, BoolArray]:
    """Put scores in ascending order; tell which are greater than the one before."""
    order = np.argsort(score, kind="stable")
    new: BoolArray = np.diff(score[order], prepend=-np.inf) > ROUNDING
    return order, new


def adjusted(p_value: FloatArray) -> FloatArray:
    """Adjust p-values for their number in each column, under any dependence; shape (H, G).

    Of m p-values in ascending order, ``min over k >= i of p_k m (1 + 1/2 + ... + 1/m) / k``.
    Missing ones stay so and do not count.
    """
    m = (~np.isnan(p_value)).sum(axis=0)
    order = np.argsort(p_value, axis=0, kind="stable")  # the missing ones last
    rank = np.arange(1, len(p_value) + 1)[:, None]
    harmonic = np.append(0.0, np.cumsum(1 / rank))[m]
    scaled = np.take_along_axis(p_value, order, axis=0) * (m * harmonic) / rank
    lowest = np.fmin.accumulate(scaled[::-1], axis=0)[::-1]
    found = np.empty_like(p_value)
    np.put_along_axis(found, order, np.minimum(lowest, 1.0), axis=0)
    return np.where(np.isnan(p_value), np.nan, found)


@dataclass(frozen=True, eq=False, repr=False)
class AltTest(Bundle):
    """Which machines may stand in for human annotators, by the alternative annotator test.

    Attributes
    ----------
    machines : DataFrame
        One row for each machine (and group); see `alt_test`.
    humans : DataFrame
        One row for each machine and human (and group); see `alt_test`.
    epsilon : float
        How much larger the share of items may be on which a human is closer to the other humans.
    q : float
        The false discovery rate over the humans.
    score : str
        How close a rating is to others: "accuracy", "rmse", the name of weights or of a callable.

    See Also
    --------
    df.kappa.machine.alt_test : Compute it.
    """

    machines: pd.DataFrame = field(repr=False)
    humans: pd.DataFrame = field(repr=False)
    epsilon: float
    q: float
    score: str

    @property
    def sentence(self) -> str:
        """Say which test it was, and how many machines passed it."""
        passed = int(self.machines["replaces"].sum())
        return (
            f"Alternative annotator test by {self.score}, epsilon {self.epsilon:g}, q {self.q:g}: "
            f"{passed} of {len(self.machines)} may replace an annotator."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how much more often a machine is closer to the others than each human is.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all humans.

        Returns
        -------
        Axes
            With the difference of both shares on the horizontal axis, and a line at minus epsilon;
            humans who are not beaten are red diamonds.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_figures, in_decimals

        lead = self.humans["machine_nearer"] - self.humans["human_nearer"]
        frame = self.humans.assign(lead=lead)
        return draw_figures(
            frame,
            ("lead",),
            caption="machine closer minus human closer; dotted: minus epsilon",
            columns={"lead": in_decimals(lead), "p": in_decimals(frame["p_adjusted"])},
            bad=~frame["beaten"].fillna(value=False).to_numpy(dtype=bool),
            line=-self.epsilon,
            ax=ax,
        )


SCORES = ("auto", "accuracy", "rmse")
SYNONYMS = {"neg_rmse": "'rmse'", "exact": "'accuracy'", "mse": "'rmse'"}


class Nearby:
    """A score, asked for the ratings of one machine after the other.

    Parameters
    ----------
    score : str or callable
        As `OfReplacement.nearness` has it.
    study : Study
        The ratings, whose codes are compared.
    """

    def __init__(self, score: str | Callable[[Any, list[Any]], float], study: Study) -> None:
        """Keep what was told by a callable, which is asked once for the same ratings."""
        self._score = score
        self._labels = study.coded.categories.labels
        if not callable(score) and score != "accuracy":
            self._scale = (study.weighted("quadratic") if score == "rmse" else study).scale
        self._told: dict[tuple[int, ...], float] = {}

    def of(self, humans: IntArray, machine: IntArray, group: IntArray) -> Nearness:
        """Compare codes of shapes (H, U) and (U,), -1 where a rating is missing, by groups (U,)."""
        if callable(self._score):
            return self._asked(humans, machine)
        if self._score == "accuracy":
            return same_labels(humans, machine, len(self._labels))
        if self._score == "rmse":
            scores = np.append(self._scale.scores[0], np.nan)
            return square_distances(scores[humans], scores[machine])
        return weighted_distances(humans, machine, group, self._scale)

    def _asked(self, humans: IntArray, machine: IntArray) -> Nearness:
        """Ask the callable of each rating and the list of the others' ratings of the item."""
        near = np.zeros((2, *humans.shape))
        for item in np.flatnonzero(machine >= 0).tolist():
            rated = np.flatnonzero(humans[:, item] >= 0).tolist()
            for human in rated if len(rated) > 1 else []:
                others = [int(humans[other, item]) for other in rated if other != human]
                for of, code in zip(near, (machine[item], humans[human, item]), strict=True):
                    of[human, item] = self._tell(int(code), *others)
        return Nearness(near[0], near[1])

    def _tell(self, code: int, *others: int) -> float:
        """Return what the callable says, of the same ratings what it said before."""
        key = (code, *others)
        if key not in self._told:
            label, *rest = (self._labels[one] for one in key)
            try:
                value = self._score(label, rest)  # type: ignore[operator]
            except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
                raise OptionError(
                    f"score fails for {shown(label)} beside {shown(rest)}: {shown(error)}."
                ) from error
            if not is_number(value) or np.isnan(value):
                raise OptionError(
                    f"score returned {shown(value)} for {shown(label)} beside {shown(rest)}. It "
                    f"must return a number that is larger the closer a rating is to the others."
                )
            self._told[key] = float(value)
        return self._told[key]


HALF = 0.5
OF_WEIGHTS = {None: "accuracy", "quadratic": "rmse"}  # scores that give the same order


def _check_score(name: str, score: object) -> None:
    """Refuse what is neither a score by name nor a callable."""
    if not callable(score):
        check_choice(name, score, SCORES, SYNONYMS)


class OfReplacement(
    has.HumansAndMachines, has.By, has.Missing, has.SampleWeight, has.Cluster, has.MinTestItems
):
    """Machines beside people, and the test whether they may replace them."""

    score: str | Callable[[Any, list[Any]], float] = option(
        "How close a rating is to those of the other humans: the share of them that are the same, "
        "or minus the root mean squared difference, which needs numbers or ordered categories. "
        '"auto": minus the mean disagreement by `weights`, which puts ratings in the order of the '
        "first without weights, and in that of the second if they are quadratic. A callable gets a "
        "rating and the list of the others, and returns a number that is larger the closer they "
        "are.",
        '{"auto", "accuracy", "rmse"} or callable',
        default="auto",
        check=_check_score,
    )
    epsilon: float = option(
        "How much larger the share of items may be on which the human is closer, in [0, 1). The "
        "authors of the test use 0.2 for experts, 0.15 for skilled annotators and 0.1 for a crowd.",
        "float",
        default=0.2,
        check=number_that(
            lambda value: 0 <= value < 1,
            "be a number from 0 to less than 1: the additional share of items on which a human may "
            "be closer, such as 0.2 for experts and 0.1 for a crowd",
        ),
    )
    q: float = option(
        "The false discovery rate over the humans, between 0 and 1.",
        "float",
        default=0.05,
        check=number_that(
            lambda value: 0 < value < 1, "lie between 0 and 1. It is the false discovery rate"
        ),
    )

    @property
    def named_weights(self) -> str | None:
        """The weights by name."""
        weights = getattr(self, "weights", None)
        return weights if weights is None or isinstance(weights, str) else "given"

    @property
    def nearness(self) -> str | Callable[[Any, list[Any]], float]:
        """The score, with what "auto" becomes: "weights" unless they give one that has a name."""
        own = OF_WEIGHTS.get(self.named_weights, "weights")
        return own if self.score == "auto" else self.score

    @property
    def needs_order(self) -> str | None:
        """The score that needs an order, as the user typed it; None if none does."""
        return "score='rmse'" if self.score == "rmse" else None

    def of(self, study: Study, n_humans: int) -> AltTest:
        """Test all raters but the first ones, who are the humans."""
        _check_whole(study)
        if self.score == "rmse":
            check_finite("score='rmse'", study.coded.categories, study.where)
        found = _Found.of(study, n_humans, Nearby(self.nearness, study), self)
        epsilon, q = float(self.epsilon), float(self.q)
        return AltTest(found.machines(q), found.humans(q), epsilon, q, self.score_name)

    @property
    def score_name(self) -> str:
        """What the score is called."""
        score = self.nearness
        if callable(score):
            return getattr(score, "__name__", "a callable")
        return f"{self.named_weights} weights" if score == "weights" else score


class OfAltTest(OfReplacement, has.Weights, has.Categories):
    """Options of `alt_test`."""


@asks(OfAltTest)
def alt_test(data: pd.DataFrame | Counted, asked: OfAltTest) -> AltTest:
    r"""Test whether a machine may replace human annotators: the alternative annotator test.

    Each human in turn is compared with the machine: whose ratings are closer to those of the
    other humans? Since a human costs more than a machine, the human may be closer a little more
    often.

    Returns
    -------
    AltTest
        Its ``machines`` have one row for each machine (and group):

        - ``winning_rate``: share of the humans whom the machine beats, in [0, 1];
        - ``advantage_probability``: probability that the machine is at least as close as a human,
          in [0, 1], the mean over the humans;
        - ``n_humans``: humans who are compared, with a p-value;
        - ``n_items``: items with the machine and two humans or more;
        - ``replaces``: whether the winning rate is one half or more; <NA> where it is NaN;
        - ``reason`` for NaN: ``no_joint_items`` (no item has the machine and two humans),
          ``no_items``, ``zero_total_weight``, ``n_lt_2`` (a single cluster), ``no_variance``
          (clusters whose sums are alike);
        - ``remark``: who was left out, and who was tested exactly.

        Its ``humans`` have one row for each machine and human (and group):

        - ``n_items``: items with the machine, the human and another one;
        - ``advantage_probability``: share of them on which the machine is at least as close;
        - ``machine_nearer, human_nearer``: shares on which one is closer than the other;
        - ``p_value, p_adjusted``: one-sided, for the hypothesis that ``human_nearer`` exceeds
          ``machine_nearer`` by `epsilon` or more; adjusted over the humans;
        - ``test``: "t", or "exact" below 30 items that are independent, or clusters in which one
          is always closer, or neither ever;
        - ``beaten``: whether the hypothesis is rejected; <NA> for humans who are left out;
        - ``remark``, and ``reason`` for NaN: also ``fewer_than_min_items``.

    Raises
    ------
    WeightsError
        If `sample_weight` is no whole number.

    See Also
    --------
    ceiling : Whether the kappa of a machine with humans is below theirs with each other.

    Notes
    -----
    With :math:`d_i` = 1, 0 or -1 where the human, neither or the machine is closer on item
    :math:`i`, the hypothesis about a human is that the mean of :math:`d` is `epsilon` or more. A t
    test rejects it [1]_, and below 30 items an exact one [2]_: its p-value is the largest
    probability, over all distributions of :math:`d` with that mean, of a score statistic as low as
    the one observed or lower. From 30 items on, where one is always closer, or neither ever, p is
    the probability of that. At the level .05 its error rate is .00 to .04 in samples of
    10 to 29 items, that of the t test .04 to .17. The p-values of the humans are adjusted by the
    method of Benjamini and Yekutieli [3]_. If no human has `min_test_items`, all who share items
    with others are tested rather than left out.

    Of items in clusters the t test has the error of sums over clusters. The machine is compared
    with single humans, and a machine close to the majority beats most of them even if its kappa is
    lower than theirs: `ceiling` answers a different question, and the two may disagree.

    References
    ----------
    .. [1] Calderon et al., 2025
    .. [2] Hsueh et al., 2001
    .. [3] Benjamini & Yekutieli, 2001

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 3")
    >>> people = ["human_1", "human_2"]
    >>> found = df.kappa.machine.alt_test(people, "machine", score="rmse", epsilon=0.1)
    >>> found.machines[["winning_rate", "advantage_probability", "n_items", "replaces"]].round(3)
             winning_rate  advantage_probability  n_items  replaces
    machine
    machine           1.0                  0.802      260      True

    Of twenty items the same is asked exactly, and cannot be told:

    >>> few = df.head(20).kappa.machine.alt_test(people, "machine", score="rmse")
    >>> few.humans[["n_items", "machine_nearer", "human_nearer", "p_value", "test"]].round(3)
                     n_items  machine_nearer  human_nearer  p_value   test
    machine human
    machine human_1       20            0.30           0.2    0.035  exact
            human_2       20            0.15           0.2    0.206  exact
    """
    if asked.score != "auto":
        asked.refuse(
            "weights", because="score= says how ratings are compared", instead="Leave score out"
        )
    asked.tell(score=asked.score_name)
    names = asked.machines
    people = measured_by(asked.humans, "alt_test", machine=names)
    check_by(asked.by, {*schema.ALT_MACHINES, *schema.ALT_HUMANS, "machine", "human"})
    study = read(data, [*people, *names], asked.reading, needs_order=asked.needs_order)
    found = asked.of(study, len(people))
    frame = found.machines

    def named(row: int) -> str:
        return shown(names[row % len(names)]) + study.groups.at(row // len(names))

    warn_if_undefined("machine", frame["winning_rate"].isna(), frame["reason"], named)
    return found


class _Found(NamedTuple):
    """What is known of J machines and H humans in G groups."""

    study: Study
    wins: list[Wins]  # (H, G) of each machine
    tests: list[Replacement]
    n_items: list[Any]  # (G,) of each machine

    @classmethod
    def of(cls, study: Study, n_humans: int, score: Nearby, asked: OfReplacement) -> _Found:
        """Compare each machine with each human."""
        rows = study.rows if study.rows.cluster is None else study.rows.compressed
        machines = range(n_humans, len(study.raters))
        codes = rows.codes[:n_humans].astype(np.int64)
        wins = []
        for machine in machines:
            near = score.of(codes, rows.codes[machine].astype(np.int64), rows.group)
            wins.append(count_wins(rows, n_humans, machine, near))
        tests = [replacement(one, asked.epsilon, asked.min_test_items) for one in wins]
        return cls(study, wins, tests, [n_beside(rows, n_humans, machine) for machine in machines])

    @property
    def names(self) -> tuple[list[Label], list[Label]]:
        """The machines and the humans."""
        n_humans = len(self.wins[0].n_items)
        return self.study.raters[n_humans:], self.study.raters[:n_humans]

    def machines(self, q: float) -> pd.DataFrame:
        """Return one row for each machine in each group."""
        groups, tests = self.study.groups, self.tests
        machines, _ = self.names
        tested = np.stack([one.tested for one in tests], axis=-1)  # (H, G, J)
        beaten = np.stack([one.p_adjusted <= q for one in tests], axis=-1)
        human = np.stack([one.human for one in self.wins], axis=-1)
        n = np.stack([one.n_items for one in self.wins], axis=-1)
        lost = np.stack([one.reason for one in tests], axis=-1)
        counted, known = tested.sum(axis=0), tested & (lost == "")
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = (beaten & known).sum(axis=0) / known.sum(axis=0)
            advantage = np.where(tested, 1 - human / n, 0.0).sum(axis=0) / counted
        replaces = pd.array(rate.reshape(-1) >= HALF, dtype="boolean")
        replaces[np.isnan(rate.reshape(-1))] = pd.NA
        why = np.broadcast_to(groups.why_empty()[:, None], rate.shape)
        untold = np.where((lost == "n_lt_2").any(axis=0), "n_lt_2", "no_variance")
        untold = np.where(counted > 0, untold, np.where(why == "", "no_joint_items", why))
        reason = np.where(known.any(axis=0), "", untold)
        columns = {
            "winning_rate": rate.reshape(-1),
            "advantage_probability": advantage.reshape(-1),
            "n_humans": whole(known.sum(axis=0).reshape(-1)),
            "n_items": whole(np.stack(self.n_items, axis=-1).reshape(-1)),
            "replaces": replaces,
            "reason": reason.reshape(-1),
            "remark": np.stack(list(map(self._remarks, range(len(machines)))), axis=-1).reshape(-1),
        }
        frame = pd.DataFrame(columns, index=groups.each(index_of(machines, "machine")))
        return result(frame, self.study.raters)

    def humans(self, q: float) -> pd.DataFrame:
        """Return one row for each machine and human in each group."""
        machines, humans = self.names

        def flat(of: list[Any]) -> Any:
            return np.stack(of).transpose(2, 0, 1).reshape(-1)  # (J, H, G) by group

        n, machine, human = (
            flat(list(one)) for one in zip(*(one[:3] for one in self.wins), strict=True)
        )
        tested, exact, p_value, p_adjusted, untold = (
            flat(list(x)) for x in zip(*self.tests, strict=True)
        )
        beaten = pd.array(p_adjusted <= q, dtype="boolean")
        beaten[~tested | np.isnan(p_value)] = pd.NA
        few = np.where(n > 0, "fewer_than_min_items", "no_joint_items")
        why = self.study.groups.why_empty().repeat(len(machines) * len(humans))
        with np.errstate(divide="ignore", invalid="ignore"):
            columns = {
                "n_items": whole(n),
                "advantage_probability": 1 - human / n,
                "machine_nearer": machine / n,
                "human_nearer": human / n,
                "p_value": p_value,
                "p_adjusted": p_adjusted,
                "test": np.where(tested, np.where(exact, "exact", "t"), ""),
                "beaten": beaten,
                "reason": np.where(tested, untold, np.where(why == "", few, why)),
                "remark": "",
            }
        each = pd.MultiIndex.from_product(
            [index_of(machines, "machine"), index_of(humans, "human")]
        )
        return result(pd.DataFrame(columns, index=self.study.groups.each(each)), self.study.raters)

    def _remarks(self, machine: int) -> ObjectArray:
        """Say of each group who was left out, and who was tested exactly, shape (G,)."""
        test, n = self.tests[machine], self.wins[machine].n_items
        humans = self.names[1]
        found = np.full(n.shape[1], "", dtype=object)
        for group in range(n.shape[1]):
            lists = {
                "left out, too few items": (n > 0) & ~test.tested,
                f"exact test, fewer than {FEWEST_FOR_T} items": test.exact,
            }
            found[group] = "; ".join(
                f"{text}: {_named([humans[place] for place in np.flatnonzero(of[:, group])])}"
                for text, of in lists.items()
                if of[:, group].any()
            )
        return found


def _named(raters: list[Label]) -> str:
    """Name some raters, and count the rest of many."""
    rest = len(raters) - MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(map(one_line, raters[:MOST_SHOWN])) + more


def _check_whole(study: Study) -> None:
    """Refuse weights that are no numbers of items, which the tests count."""
    weights = study.coded.weights
    if weights is None or (weights == np.rint(weights)).all():
        return
    wrong = np.flatnonzero(weights != np.rint(weights))[:1]
    index = None if isinstance(study.data, Counted) else study.coded.items
    raise WeightsError(
        f"sample_weight is {weights[wrong[0]]:.15g}{where_in(index, wrong)}, which is no number of "
        "items. alt_test counts items: pass whole numbers, or leave it out."
    )
