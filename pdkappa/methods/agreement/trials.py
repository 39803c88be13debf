"""Does each rater repeat their ratings, and are they right? Attribute agreement analysis."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER, concord
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import Functional, of_pair
from pdkappa.coefficients.score_limits import clopper_pearson, ratio_of_sums
from pdkappa.errors import DuplicateRatingError, OptionError, RatingsError, listing, plural, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import IntervalOptions, check_by, check_label
from pdkappa.methods.estimates.pair_frames import remarks_on_limits, tabled, warn_if_swapped
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.present import schema
from pdkappa.present.findings import findings_in
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import each_group, number, read_columns
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.methods.estimates.study import Study
    from pdkappa.present.findings import Findings
    from pdkappa.present.text_tables import Result

FEWEST_RANKED = 3  # items, and categories, that Kendall's coefficients have something to order of
KEYS = ["comparison", "rater", "figure"]
WORDS = {  # what is found, first what says most
    ("all_vs_truth", "matched"): "All trials of all raters match the standard on {} of the items.",
    ("vs_truth", "matched"): "All trials of a rater match the standard on {} of the items.",
    ("vs_truth", "miss_rate"): "Ratings pass what does not conform in {} of the cases.",
    ("vs_truth", "false_alarm_rate"): "Ratings reject what conforms in {} of the cases.",
    ("within", "matched"): "All trials of a rater match each other on {} of the items.",
    ("between", "matched"): "All trials of all raters match each other on {} of the items.",
}
Row = dict[str, Any]


class Repeated(NamedTuple):
    """Ratings of N items in C columns, each a trial of a rater; the standard may be the last one.

    `codes` has the shape (N, C); -1 is missing. `rater` and `trial`, of shape (C,), are the numbers
    of those whose columns they are, of the standard -1.
    """

    codes: IntArray
    rater: IntArray
    trial: IntArray

    def take(self, columns: BoolArray) -> Repeated:
        """Keep some of the columns."""
        return Repeated(self.codes[:, columns], self.rater[columns], self.trial[columns])

    @property
    def has_truth(self) -> bool:
        """Whether the last column is the standard."""
        return bool(self.rater[-1] < 0)

    @property
    def sides(self) -> IntArray:
        """Who is compared: ratings and standard, or raters, or the trials of a single one, (C,)."""
        among = self.rater if np.ptp(self.rater) else self.trial
        return np.minimum(self.rater, 0) if self.has_truth else among


def share_of(hits: Any, cases: Any, level: float) -> Row:
    """Estimate the share of hits among the cases of all items, both of shape (N,).

    Its limits are those of Clopper and Pearson for as many cases as have the standard error of a
    ratio over the items, as Korn and Graubard (1998) have it; no fewer than items, no more than
    cases.
    """
    used = float((cases > 0).sum())
    share, se = ratio_of_sums(hits, cases, used)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = share * (1 - share) / (se**2 * (used - 1) / used)
    worth = np.clip(np.nan_to_num(worth, posinf=np.inf), used, cases.sum())
    low, high = map(float, clopper_pearson(share * worth, worth, level))
    row = {"n_items": used, "estimate": share, "se": se, "ci_low": low, "ci_high": high}
    return row | {"reason": "" if used else "no_joint_items"}


def mean_with_last(rows: Any, scale: Any, _: object, weights: FloatArray) -> Functional:
    """Average the kappas of each rater with the last one, who holds the truth."""
    pairs = [(one, rows.n_raters - 1) for one in range(rows.n_raters - 1)]
    every = [of_pair(rows, scale, COEFFICIENTS["scott"], pair) for pair in pairs]
    return Functional(*(np.average(x, axis=0, weights=weights) for x in zip(*every, strict=True)))


def kappa_of(study: Study, weights: FloatArray, level: float) -> Row:
    """Estimate Fleiss' kappa of all columns; with weights the mean of each with the last one.

    A single one has its own limits; the mean those of Fisher's z.
    """
    is_mean = len(weights) > 1
    model: Any = partial(mean_with_last, weights=weights) if is_mean else MULTIRATER["fleiss"]
    interval = IntervalOptions("fisher" if is_mean else "auto", level)
    name = "light" if is_mean else "fleiss"  # whose pairs are kept apart
    figures = summarise_together(study, {name: model}, interval)[0][name]
    row = {name: values[0] for name, values in vars(figures).items()}
    row["remark"] = remarks_on_limits(figures, figures.n_joint)[0]
    rated = (study.coded.codes >= 0).any(axis=1)
    is_none = np.isnan(row["estimate"]) and not (rated.all() if is_mean else rated.any())
    return row | ({"reason": "no_joint_items"} if is_none else {})


def kendall_of(study: Study, weights: FloatArray) -> Row:
    """Estimate Kendall's W of all columns; with weights the mean tau-b of each with the last one.

    W is that of the items that lack no rating.
    """
    rows, frame, p_value = study.rows, study.frame, np.nan
    if len(weights):
        *trials, truth = (frame[name] for name in frame)
        n, n_least = int(truth.count()), min(one[truth.notna()].count() for one in trials)
        taus = [one.corr(truth, method="kendall", min_periods=FEWEST_RANKED) for one in trials]
        estimate = float(np.average(taus, weights=weights))
    else:
        whole = rows.select(rows.n_ratings == rows.n_raters)
        found = concord(whole, np.arange(rows.n_categories, dtype=np.float64))
        n = n_least = int(whole.n_items[0])
        figures = found["estimate"][0], found["p_value"][0]
        estimate, p_value = figures if n >= FEWEST_RANKED else (np.nan, np.nan)
    few = "few_items" if n_least else "no_joint_items"
    few = few if n_least < FEWEST_RANKED else "constant_ratings"
    reason = few if np.isnan(estimate) else ""
    return {"n_items": n, "estimate": estimate, "p_value": p_value, "reason": reason}


def figures_of(some: Repeated, level: float, *, ranked: bool) -> Iterator[tuple[str, Row]]:
    """Compare all columns with each other, or ratings with the standard."""
    codes, rated, sides, who = some.codes, some.codes >= 0, some.sides, some.rater
    used = np.sum([rated[:, sides == one].any(axis=1) for one in np.unique(sides)], axis=0) > 1
    same = used & ((codes == codes.max(axis=1, keepdims=True)) | ~rated).all(axis=1)
    yield "matched", share_of(same, used, level)
    codes = np.where(used[:, None], codes, -1)
    frame = pd.DataFrame(np.where(codes < 0, np.nan, codes))
    study = read(frame, [*frame], Reading(), warns=False)
    weights = 1 / np.bincount(who[:-1])[who[:-1]] if some.has_truth else np.empty(0)
    yield "kappa", kappa_of(study, weights, level)
    if ranked:
        yield "kendall", kendall_of(study, weights)


def rates_of(codes: IntArray, conforming: int, level: float) -> Iterator[tuple[str, Row]]:
    """Estimate how often a rater passes what is not conforming, rejects what is, and varies.

    The last column is the standard.
    """
    codes, truth = codes[:, :-1], codes[:, -1]
    rated, is_good = (codes >= 0) & (truth >= 0)[:, None], truth == conforming
    n, passed = (x.sum(axis=1) for x in (rated, rated & (codes == conforming)))
    yield "miss_rate", share_of(~is_good * passed, ~is_good * n, level)
    yield "false_alarm_rate", share_of(is_good * (n - passed), is_good * n, level)
    if (n > 1).any():
        mixed = (rated & (codes != codes.max(axis=1, keepdims=True))).any(axis=1)
        yield "mixed_rate", share_of(mixed, n > 1, level)


class OfTrials(has.Trial, has.Rating, has.Truth, has.By, has.Categories, has.Level):
    """Options of `trials`."""

    figure = "agreement of trials, with each other and with the standard"

    conforming: Any = option(
        "The category of items that pass; adds three rates to `vs_truth`.",
        "category",
        default=None,
        check=check_label,
    )

    def found_in(self, made: Any) -> Findings | None:
        """Say whether the ratings are right, and repeat each other: of all raters, and of each."""
        return findings_in(made, KEYS, WORDS)


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

        The columns are ``n_items, n_trials, estimate, se, ci_low, ci_high, p_value, reason,
        remark``. Only "kappa" and W have a `p_value`, of the hypothesis of chance; "kendall" has no
        limits. `remark` is on the limits of "kappa", as in `agreement`. Reasons for NaN are
        ``no_joint_items``, ``constant_ratings``, ``few_items`` (Kendall's coefficients need three),
        ``n_lt_2``.

    Raises
    ------
    DuplicateRatingError
        If a rater rated an item twice in a trial.
    RatingsError
        If there are no ratings, or an item has two standards.

    Warns
    -----
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
    .. [1] Clopper & Pearson, 1934
    .. [2] Kendall & Babington Smith, 1939
    .. [3] Automotive Industry Action Group, 2010

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
    frame, by = read_columns(data, "trials", asked.named_columns, by=asked.by)
    check_by(by, {*KEYS})
    frame = frame[frame[asked.rating].notna()]
    if frame.empty:
        raise RatingsError(f"Column {shown(asked.rating)} holds no ratings.")
    rated = [one for one in (asked.rating, asked.truth) if one is not None]
    given = [code_column(frame[one], one) for one in rated]
    categories = unite(given, asked.categories, None)
    if asked.truth is None:
        asked.refuse("conforming", because="there is no standard", instead="Name it, truth=...")
    if asked.conforming not in (None, *categories.labels):
        known = listing(categories.labels)
        raise OptionError(
            f"conforming={shown(asked.conforming)} is no category. Choose among {known}."
        )
    conforming = [*categories.labels, None].index(asked.conforming)  # beyond all, if nothing does
    raters = number(frame, [asked.rater], "rater")[1].tolist()
    codes = recode(given, categories).astype(np.int64)
    ranked = categories.scores is not None and len(np.unique(codes[codes >= 0])) >= FEWEST_RANKED
    parts = each_group(frame, by)
    wide = [_wide(frame.iloc[rows], asked, codes[:, rows]) for rows in parts.rows]
    n_items = sum(len(some.codes) for some, _ in wide)
    tables = (_table(*one, asked, conforming, ranked=ranked) for one in wide)
    return tabled(tables, n_items, raters=raters, groups=parts.labels, categories=categories)


def _wide(frame: pd.DataFrame, asked: OfTrials, codes: IntArray) -> tuple[Repeated, pd.Index]:
    """Lay out codes by items and trials of raters, the standard of each item beside them."""
    item, items = number(frame, [asked.item], "item")
    column, columns = number(frame, [asked.rater, asked.trial], "trial of a rater")
    again = pd.Index(item * len(columns) + column).duplicated()
    if n_again := again.sum():
        held = frame.loc[again, [asked.item, asked.rater, asked.trial]].iloc[0]
        raise DuplicateRatingError(
            f"{n_again} {plural(n_again, 'rating repeats', 'ratings repeat')} the item, rater and "
            f"trial of another one, such as {listing(held.tolist())}. Number the trials: "
            f"data.groupby([{shown(asked.item)}, {shown(asked.rater)}]).cumcount()."
        )
    rating, *truth = codes
    wide = np.full((len(items), len(columns) + len(truth)), -1)
    wide[item, column] = rating
    for known in truth:
        np.maximum.at(wide[:, -1], item, known)
        twice = items[np.unique(item[(known >= 0) & (known != wide[item, -1])])]
        if len(twice):
            raise RatingsError(
                f"Column {shown(asked.truth)} has several standards for {len(twice)} "
                f"{plural(len(twice), 'item')}: {listing(twice)}. Give each item one."
            )
    (rater, names), (trial, _) = (columns.get_level_values(k).factorize() for k in (0, 1))
    warn_if_swapped((asked.item, len(items)), (asked.rater, len(names)))
    whose = np.pad([rater, trial], [(0, 0), (0, len(truth))], constant_values=-1)
    return Repeated(wide, *whose), pd.Index(names)


def _table(
    some: Repeated, names: pd.Index, asked: OfTrials, conforming: int, *, ranked: bool
) -> pd.DataFrame:
    """Make the rows of each rater, and those of all of them."""
    truth, rows = some.rater < 0, list[Row]()
    each = [(name, some.rater == number) for number, name in enumerate(names)]
    every = [(None, ~truth)] if len(names) > 1 else []
    plan = {"within": each, "vs_truth": each, "between": every, "all_vs_truth": every}
    for comparison, (rater, columns) in ((name, one) for name in plan for one in plan[name]):
        with_truth = comparison.endswith("vs_truth")
        own = some.take(columns | truth if with_truth else columns)
        if own.has_truth != with_truth or len(own.rater) == 1:
            continue
        figures = dict(figures_of(own, asked.level, ranked=ranked))
        if comparison == "vs_truth" and asked.conforming is not None:
            figures |= rates_of(own.codes, conforming, asked.level)
        n_trials = len(np.unique(own.trial[own.rater >= 0]))
        known = {"comparison": comparison, "rater": rater, "n_trials": n_trials}
        rows += [known | {"figure": figure} | row for figure, row in figures.items()]
    if not rows:
        message = "One rater with one trial, and no standard, leave nothing to compare."
        raise OptionError(f"{message} Name the standard: truth=...")
    found = pd.DataFrame(rows).astype({"rater": object, "n_items": np.int64})
    return found.fillna({"remark": ""}).set_index(KEYS).reindex(columns=schema.TRIALS)
