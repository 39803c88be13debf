"""Does each rater repeat their ratings, and are they right? Attribute agreement analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER, basics_of
from pdkappa.coefficients.intervals import RaterFigures, with_standard_errors
from pdkappa.errors import (
    HEARING,
    DuplicateRatingError,
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    listing,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import IntervalOptions
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.categories import index_of, recode, unite
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import Groups, number, number_groups, read_columns
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.categories import CategorySet

FLEISS: dict[str, MultiraterModel] = {"fleiss": MULTIRATER["fleiss"]}
FEWEST_RANKED = 3  # items, and categories, that Kendall's coefficients have something to order of
Figures = dict[str, Any]


@dataclass(frozen=True)
class Repeated:
    """Ratings of N items by R raters in T trials, in G groups of items.

    `codes` has the shape (N, R, T) and `truth` (N,); -1 is missing.
    """

    codes: IntArray
    truth: IntArray
    groups: Groups
    raters: list[Label]
    categories: CategorySet
    level: float
    spread: None = None  # of weights, of which there are none

    @property
    def group(self) -> IntArray:
        """The group of each item, (N,)."""
        one = np.zeros(len(self.codes), dtype=np.int64)
        return one if self.groups.of_item is None else self.groups.of_item

    def n_trials(self, places: list[int]) -> int:
        """Count the trials of some raters."""
        return int((self.codes[:, places] >= 0).any(axis=(0, 1)).sum())

    def total(self, values: Any) -> FloatArray:
        """Sum a value of each item over the items of each group, shape (G,)."""
        return np.bincount(self.group, weights=values, minlength=self.groups.n).astype(np.float64)


def clopper_pearson(hits: Any, n: Any, level: float) -> tuple[FloatArray, FloatArray]:
    """Compute the exact limits of shares of n (Clopper & Pearson, 1934); NaN where n is 0."""
    from scipy import special

    tail = (1 - level) / 2
    low: FloatArray = special.betaincinv(hits, n - hits + 1, tail)
    high = special.betaincinv(hits + 1, n - hits, 1 - tail)
    return np.where((hits == 0) & (n > 0), 0.0, low), np.where((hits == n) & (n > 0), 1.0, high)


def share_of(some: Repeated, hits: FloatArray, cases: FloatArray) -> Figures:
    r"""Estimate the share of hits among the cases of all items, both of shape (N,).

    Notes
    -----
    The standard error is that of a ratio of sums over n items, :math:`r = \sum m_i / \sum n_i`,

    .. math:: s^2 = \frac{n}{n - 1} \sum (m_i - r n_i)^2 / \left(\sum n_i\right)^2,

    and the limits are those of Clopper and Pearson for as many cases as have this error, as Korn
    and Graubard (1998) have it; no fewer than items, no more than cases.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        n, m, used = some.total(cases), some.total(hits), some.total(cases > 0)
        r = m / n
        squares = some.total((hits - r[some.group] * cases) ** 2)
        worth = np.clip(np.nan_to_num(r * (1 - r) * n**2 / squares, posinf=np.inf), used, n)
        se = np.sqrt(used / (used - 1) * squares) / n
    low, high = clopper_pearson(r * worth, worth, some.level)
    nothing = {"p_value": np.nan, "reason": np.where(n > 0, "", "no_joint_items")}
    limits = {"ci_low": low, "ci_high": high}
    return {"n_items": used, "estimate": r, "se": se} | limits | nothing


def fleiss(some: Repeated, codes: IntArray) -> tuple[RaterFigures, FloatArray]:
    """Estimate Fleiss' kappa of columns of codes (N, C), with the influence of each item, (N,)."""
    study = _study(some, codes)
    found, _ = summarise_together(study, FLEISS, IntervalOptions(level=some.level))
    rows = study.ratings
    values = FLEISS["fleiss"](rows, study.scale, basics_of(rows, study.scale, by_items=False))
    return found["fleiss"], values.influence


def _study(some: Repeated, codes: Any) -> Study:
    """Read columns of codes (N, C) as the ratings of so many raters."""
    frame = pd.DataFrame(np.where(codes < 0, np.nan, codes))
    raters, by = list(frame), None
    if some.groups.labels is not None:
        frame[by := "group"] = some.group
    return read(frame, raters, Reading(by=by, categories=list(range(len(some.categories)))))


def kappa_of(figures: RaterFigures) -> Figures:
    """Take what a row shows of a coefficient."""
    names = ("n_items", "estimate", "se", "ci_low", "ci_high", "p_value", "reason")
    found = {name: getattr(figures, name) for name in names}
    found["reason"] = np.where(found["reason"] == "no_items", "no_joint_items", found["reason"])
    return found


def mean_kappa(some: Repeated, columns: IntArray, weights: FloatArray) -> Figures:
    """Average the kappas of columns (N, C), each with the truth, from the influence of the items.

    A single one has its own limits; the mean those of Fisher's z.
    """
    pairs: list[IntArray] = [np.stack([one, some.truth], axis=1) for one in columns.T]
    found = [
        fleiss(some, np.where((pair < 0).any(axis=1, keepdims=True), -1, pair)) for pair in pairs
    ]
    if len(found) == 1:
        return kappa_of(found[0][0])
    n = some.total((columns >= 0).any(axis=1) & (some.truth >= 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [values / one.n_items[some.group] for one, values in found]
        se = np.sqrt(n / (n - 1) * some.total(np.average(shares, axis=0, weights=weights) ** 2))
    mean = {
        name: np.average([getattr(one, name) for one, _ in found], axis=0, weights=weights)
        for name in ("estimate", "expected_agreement", "lowest")
    }
    reason = found[0][0].reason
    for one, _ in found[1:]:
        reason = np.where(reason == "", one.reason, reason)
    figures = replace(found[0][0], **mean, se=se, n_items=n, reason=reason)
    options: Any = {"tested": True, "ci": "fisher", "level": some.level}
    return kappa_of(with_standard_errors(figures, se, n, **options))


def mean_tau(some: Repeated, columns: IntArray, weights: FloatArray) -> Figures:
    """Average Kendall's tau-b of columns (N, C) with the truth."""
    from scipy import stats

    joint = (columns >= 0) & (some.truth >= 0)[:, None]
    n = some.total(joint.any(axis=1))
    estimate = np.full(len(n), np.nan)
    for group in np.flatnonzero(n):
        own = [
            (c[k], some.truth[k])
            for c, k in zip(columns.T, (joint.T & (some.group == group)), strict=True)
        ]
        taus = [stats.kendalltau(*pair).statistic for pair in own]
        estimate[group] = np.average(taus, weights=weights)
    return _ranked(n, estimate, np.full(len(n), np.nan))


def concordance_of(some: Repeated, columns: IntArray) -> Figures:
    """Estimate Kendall's W of columns (N, C) from Friedman's statistic, which allows for ties.

    Items that lack a rating are left out.
    """
    from scipy import stats

    whole_rows = (columns >= 0).all(axis=1)
    n = some.total(whole_rows)
    estimate, p_value = np.full((2, len(n)), np.nan)
    for group in np.flatnonzero(n >= FEWEST_RANKED):
        own = columns[whole_rows & (some.group == group)]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = stats.friedmanchisquare(*own)
        estimate[group] = found.statistic / (own.shape[1] * (len(own) - 1))
        p_value[group] = found.pvalue
    return _ranked(n, estimate, p_value)


def _ranked(n: FloatArray, estimate: FloatArray, p_value: FloatArray) -> Figures:
    """Say why there is nothing to order where a coefficient of Kendall's is undefined."""
    reason = np.select(
        [~np.isnan(estimate), n == 0, n < FEWEST_RANKED],
        ["", "no_joint_items", "few_items"],
        "constant_ratings",
    )
    return {"n_items": n, "estimate": estimate, "p_value": p_value, "reason": reason}


def figures_of(
    some: Repeated, places: list[int], *, with_truth: bool
) -> Iterator[tuple[str, Figures]]:
    """Compare all trials of some raters with each other, or with the truth."""
    codes, truth = some.codes[:, places], some.truth
    held = (codes >= 0).any(axis=0)
    columns = codes[:, held]
    rated = columns >= 0
    of_raters = (codes >= 0).any(axis=2).sum(axis=1)
    used = (rated.sum(axis=1) if len(places) == 1 else of_raters) > 1
    first = columns.max(axis=1, initial=-1)
    if with_truth:
        used, first = rated.any(axis=1) & (truth >= 0), truth
    same = ((columns == first[:, None]) | ~rated).all(axis=1)
    yield "matched", share_of(some, (used & same).astype(float), used.astype(float))
    columns = np.where(used[:, None], columns, -1)
    weights = (held / np.maximum(held.sum(axis=1, keepdims=True), 1))[held]
    if with_truth:
        yield "kappa", mean_kappa(some, columns, weights)
    else:
        yield "kappa", kappa_of(fleiss(some, columns)[0])
    occurring = np.unique(np.append(some.codes[some.codes >= 0], truth[truth >= 0]))
    if some.categories.scores is not None and len(occurring) >= FEWEST_RANKED:
        of_all = mean_tau(some, columns, weights) if with_truth else concordance_of(some, columns)
        yield "kendall", of_all


def rates_of(some: Repeated, place: int, conforming: int) -> Iterator[tuple[str, Figures]]:
    """Estimate how often a rater passes what is not conforming, rejects what is, and varies."""
    codes, is_good = some.codes[:, place], some.truth == conforming
    rated = (codes >= 0) & (some.truth >= 0)[:, None]
    passed = rated & (codes == conforming)
    n, n_passed = rated.sum(axis=1).astype(float), passed.sum(axis=1).astype(float)
    yield "miss_rate", share_of(some, ~is_good * n_passed, ~is_good * n)
    yield "false_alarm_rate", share_of(some, is_good * (n - n_passed), is_good * n)
    twice = n > 1
    if twice.any():
        lowest = np.where(rated, codes, np.iinfo(codes.dtype).max).min(axis=1)
        mixed = twice & (np.where(rated, codes, -1).max(axis=1) != lowest)
        yield "mixed_rate", share_of(some, mixed.astype(float), twice.astype(float))


class OfTrials(
    has.Item, has.Rater, has.Trial, has.Rating, has.Truth, has.By, has.Categories, has.Level
):
    """Options of `trials`."""

    figure = "agreement of trials, with each other and with the standard"

    conforming: Any = option(
        "The category of items that pass; adds the rates of `vs_truth` that quality engineers ask "
        "for.",
        "category",
        default=None,
    )


@asks(OfTrials, rating="Rows without one are left out.")
def trials(data: pd.DataFrame, asked: OfTrials) -> Result:
    """Analyse ratings that each rater gave more than once: attribute agreement analysis.

    Does a rater say the same when they see an item again, do the raters say the same, and are they
    right? The frame has one rating in each row.

    Returns
    -------
    DataFrame
        One row for each ``comparison, rater, figure`` (and group), which are its index. `rater` is
        missing where all of them are meant. Comparisons are

        - ``within``: the trials of a rater with each other, of items with two or more;
        - ``vs_truth``: the trials of a rater with the standard;
        - ``between``: all trials of all raters, of items with two raters or more;
        - ``all_vs_truth``: these with the standard.

        Figures are

        - ``matched``: the share of the items on which all that is compared is equal, in [0, 1];
        - ``kappa``: Fleiss' kappa of the trials, in [-1, 1]; with the standard the mean of that
          of each trial and the standard, and for all raters the mean of theirs;
        - ``kendall``: for more than two ordered categories Kendall's W, in [0, 1], and with the
          standard the mean of tau-b, in [-1, 1];
        - with `conforming`, ``miss_rate`` (ratings that pass an item that does not conform),
          ``false_alarm_rate`` (the reverse) and ``mixed_rate`` (items whose trials differ).

        The columns are ``n_items, n_trials, estimate, se, ci_low, ci_high, p_value, reason``.
        Only "kappa" and W have a `p_value`, of the hypothesis of chance; "kendall" has no limits.
        Reasons for NaN are ``no_joint_items``, ``constant_ratings``, ``few_items``, ``n_lt_2``.

    Raises
    ------
    DuplicateRatingError
        If a rater rated an item twice in a trial.
    RatingsError
        If an item has two standards.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.
    LookalikeLabelsWarning
        If there are more raters than items: the two look swapped.

    See Also
    --------
    generalizability : The same question of scores: gauge repeatability and reproducibility.

    Notes
    -----
    The limits of shares are those of Clopper and Pearson [1]_, two-sided at 100 %, too, where
    Minitab's are one-sided. The rates count all trials of an item; their limits are for as many
    ratings as have their standard error over the items. Kappas have the standard errors and
    limits of `agreement`; a mean of kappas has its own from the influence of the items. W is
    corrected for ties, with Friedman's test [2]_.

    References
    ----------
    .. [1] Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits
           illustrated in the case of the binomial. Biometrika, 26(4), 404-413.
           https://doi.org/10.1093/biomet/26.4.404
    .. [2] Kendall, M. G., & Babington Smith, B. (1939). The problem of m rankings. The Annals of
           Mathematical Statistics, 10(3), 275-287. https://doi.org/10.1214/aoms/1177732186
    .. [3] Automotive Industry Action Group (2010). Measurement Systems Analysis (4th ed.).

    Examples
    --------
    >>> df = pd.DataFrame({
    ...     "part": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "who": "eve",
    ...     "trial": [1, 2] * 4,
    ...     "grade": ["good", "good", "bad", "good", "bad", "bad", "good", "good"],
    ...     "standard": ["good", "good", "bad", "bad", "bad", "bad", "good", "good"],
    ... })
    >>> found = df.kappa.trials(
    ...     item="part", rater="who", trial="trial", rating="grade", truth="standard",
    ...     conforming="good",
    ... )
    >>> found["estimate"].round(2)
    comparison  rater  figure
    within      eve    matched             0.75
                       kappa               0.47
    vs_truth    eve    matched             0.75
                       kappa               0.73
                       miss_rate           0.25
                       false_alarm_rate    0.00
                       mixed_rate          0.25
    Name: estimate, dtype: float64
    """
    some = _read(data, asked)
    everyone = list(range(len(some.raters)))
    alone = [[place] for place in everyone]
    plan = [("within", own, False) for own in alone if some.n_trials(own) > 1]
    plan += [("vs_truth", own, True) for own in alone] * (asked.truth is not None)
    if len(everyone) > 1:
        plan += [("between", everyone, False)]
        plan += [("all_vs_truth", everyone, True)] * (asked.truth is not None)
    rows = []
    for comparison, own, with_truth in plan:
        figures = [*figures_of(some, own, with_truth=with_truth)]
        if comparison == "vs_truth" and asked.conforming is not None:
            figures += rates_of(some, own[0], some.categories.labels.index(asked.conforming))
        who = some.raters[own[0]] if comparison in ("within", "vs_truth") else None
        n_trials = {"n_trials": some.n_trials(own)}
        rows += [((comparison, who, name), values | n_trials) for name, values in figures]
    return _frame(some, rows)


def _read(data: object, asked: OfTrials) -> Repeated:
    """Read long ratings; number items, raters and trials, and code what was said of them."""
    named = {"item": asked.item, "rater": asked.rater, "trial": asked.trial}
    named |= {"rating": asked.rating} | ({"truth": asked.truth} if asked.truth is not None else {})
    frame, by = read_columns(data, "trials", named, by=asked.by)
    check_by(by, {"comparison", "rater", "figure"})
    frame = frame[frame[asked.rating].notna()]
    given = [asked.rating] if asked.truth is None else [asked.rating, asked.truth]
    columns = [code_column(frame[name], name) for name in given]
    categories = unite(columns, asked.categories, None)
    _check_conforming(asked, categories)
    codes, *known = recode(columns, categories).astype(np.int64)
    (item, items), (rater, raters), (trial, trials_) = (
        number(frame, names, role)
        for names, role in (
            ([*by, asked.item], "item"),
            ([asked.rater], "rater"),
            ([asked.trial], "trial"),
        )
    )
    _check_once(frame, asked, np.stack([item, rater, trial]))
    wide = np.full((len(items), len(raters), len(trials_)), -1)
    wide[item, rater, trial] = codes
    truth = np.full(len(items), -1)
    if known:
        _check_truth(asked.truth, items, item, known[0])
        np.maximum.at(truth, item, known[0])
    group, labels = number_groups(items.to_frame(index=False), by) if by else (None, None)
    if len(items) < len(raters):
        warn(
            f"There are {len(items)} items and {len(raters)} raters, more raters than items: are "
            f"item={asked.item!r} and rater={asked.rater!r} swapped?",
            LookalikeLabelsWarning,
        )
    groups, who = Groups.of(labels, group, None), raters.tolist()
    some = Repeated(wide, truth, groups, who, categories, asked.level)
    if heard := HEARING.get():
        heard.read(some, len(items), "item")
    return some


def _check_conforming(asked: OfTrials, categories: CategorySet) -> None:
    """Refuse a category that there is not, or that nothing is compared with."""
    if asked.conforming is None:
        return
    if asked.truth is None:
        message = (
            f"conforming={shown(asked.conforming)} needs the standard. Name its column: truth=..."
        )
        raise OptionError(message)
    if asked.conforming not in categories.labels:
        message = (
            f"conforming={shown(asked.conforming)} is none of the categories "
            f"{listing(categories.labels)}. Choose one of them."
        )
        raise OptionError(message)


def _check_once(frame: pd.DataFrame, asked: OfTrials, numbers: IntArray) -> None:
    """Make sure that no rater rated an item twice in a trial."""
    again = pd.DataFrame(numbers.T).duplicated().to_numpy()
    if again.any():
        names = [asked.item, asked.rater, asked.trial]
        first = frame[names].iloc[int(again.argmax())].tolist()
        message = (
            f"{again.sum()} rating(s) repeat the item, rater and trial of another one, such as "
            f"{listing(first)}. Number the trials: "
            f"data.groupby([{asked.item!r}, {asked.rater!r}]).cumcount()."
        )
        raise DuplicateRatingError(message)


def _check_truth(name: Label, items: pd.Index, item: IntArray, truth: IntArray) -> None:
    """Make sure that an item has one standard."""
    pairs = np.unique(np.stack([item, truth])[:, truth >= 0], axis=1)[0]
    twice = pairs[1:][pairs[1:] == pairs[:-1]]
    if len(twice):
        labels = items.take(np.unique(twice)).get_level_values(-1)
        message = (
            f"Column {name!r} has several standards for {len(labels)} item(s): {listing(labels)}. "
            "Give each item one."
        )
        raise RatingsError(message)


def _frame(some: Repeated, rows: list[tuple[tuple[str, Label, str], Figures]]) -> Result:
    """Make the frame, group by group."""
    n_groups = some.groups.n
    empty = {"se": np.nan, "ci_low": np.nan, "ci_high": np.nan, "remark": ""}
    parts = [pd.DataFrame(empty | values, index=range(n_groups)) for _, values in rows]
    order = np.arange(len(parts) * n_groups).reshape(len(parts), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order][list(schema.TRIALS)]
    frame["n_items"] = whole(frame["n_items"].to_numpy())
    comparison, who, figure = zip(*(key for key, _ in rows), strict=True)
    levels = [
        index_of(comparison, "comparison"),
        pd.Index(who, dtype=object, name="rater"),
        index_of(figure, "figure"),
    ]
    frame.index = some.groups.each(pd.MultiIndex.from_arrays(levels))
    warn_if_undefined("estimate", frame["estimate"].isna(), frame["reason"])
    return result(frame, some.raters)
