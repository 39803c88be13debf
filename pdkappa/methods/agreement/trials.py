"""Does each rater repeat their ratings, and are they right? Attribute agreement analysis."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import Functional, of_pair
from pdkappa.coefficients.score_limits import clopper_pearson, ratio_of_sums
from pdkappa.errors import DuplicateRatingError, OptionError, RatingsError, listing
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import IntervalOptions, check_label
from pdkappa.methods.estimates.pair_frames import (
    check_by,
    stacked,
    warn_if_swapped,
    warn_if_undefined,
)
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.methods.estimates.told import hear_of
from pdkappa.present import schema
from pdkappa.present.findings import findings_in
from pdkappa.present.text_tables import Result, tidy
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import each_group, number, read_columns
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.methods.estimates.study import Study
    from pdkappa.present.findings import Findings

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
    """Ratings of N items in C columns, each a trial of a rater.

    `codes` has the shape (N, C) and `truth` (N,); -1 is missing. They are places in a scale of
    `k` categories, which have an order if they are `ranked`.
    """

    codes: IntArray
    truth: IntArray
    raters: pd.Index
    trials: pd.Index
    k: int
    ranked: bool
    level: float

    def of(self, rater: Label) -> Repeated:
        """Keep the columns of one rater."""
        own = self.raters == rater
        codes, raters, trials = self.codes[:, own], self.raters[own], self.trials[own]
        return self._replace(codes=codes, raters=raters, trials=trials)


def share_of(hits: FloatArray, cases: FloatArray, level: float) -> Row:
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


def kappa_of(study: Study, weights: Any, level: float) -> Row:
    """Estimate Fleiss' kappa of all columns; with weights the mean of each with the last one.

    A single one has its own limits; the mean those of Fisher's z.
    """
    is_mean = len(weights) > 1
    model: Any = partial(mean_with_last, weights=weights) if is_mean else MULTIRATER["fleiss"]
    interval = IntervalOptions("fisher" if is_mean else "auto", level)
    name = "light" if is_mean else "fleiss"  # whose pairs are kept apart
    figures = summarise_together(study, {name: model}, interval)[0][name]
    row = {name: getattr(figures, name)[0] for name in schema.TRIALS if hasattr(figures, name)}
    rated = (study.coded.codes >= 0).any(axis=1)
    is_none = np.isnan(row["estimate"]) and not (rated.all() if is_mean else rated.any())
    return row | ({"reason": "no_joint_items"} if is_none else {})


def mean_tau(codes: IntArray, weights: FloatArray, truth: IntArray) -> Row:
    """Average Kendall's tau-b of columns (N, C) with the truth."""
    from scipy.stats import kendalltau

    joint = (codes >= 0) & (truth >= 0)[:, None]
    pairs = [(own[k], truth[k]) for own, k in zip(codes.T, joint.T, strict=True)]
    taus = [kendalltau(*pair).statistic if len(pair[0]) > 1 else np.nan for pair in pairs]
    return ordered(int(joint.any(axis=1).sum()), float(np.average(taus, weights=weights)), np.nan)


def concordance(codes: IntArray) -> Row:
    """Estimate Kendall's W of columns (N, C) from Friedman's statistic, which allows for ties.

    Items that lack a rating are left out.
    """
    from scipy.stats import friedmanchisquare

    own = codes[(codes >= 0).all(axis=1)]
    if len(own) < FEWEST_RANKED:
        return ordered(len(own), np.nan, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Any = friedmanchisquare(*own)
    return ordered(len(own), found.statistic / (own.shape[1] * (len(own) - 1)), found.pvalue)


def ordered(n: int, estimate: float, p_value: float) -> Row:
    """Say why there is nothing to order where a coefficient of Kendall's is undefined."""
    few = "few_items" if n else "no_joint_items"
    reason = "" if not np.isnan(estimate) else few if n < FEWEST_RANKED else "constant_ratings"
    return {"n_items": n, "estimate": estimate, "p_value": p_value, "reason": reason}


def figures_of(some: Repeated, *, with_truth: bool) -> Iterator[tuple[str, Row]]:
    """Compare all columns with each other, or with the truth."""
    codes, truth, who = some.codes, some.truth, some.raters.factorize()[0]
    rated = codes >= 0
    sides = [rated[:, who == k].any(axis=1) for k in range(who.max() + 1)]
    used = (rated.sum(axis=1) if len(sides) == 1 else np.sum(sides, axis=0)) > 1
    first = codes.max(axis=1)
    if with_truth:
        used, first = rated.any(axis=1) & (truth >= 0), truth
    same = used & ((codes == first[:, None]) | ~rated).all(axis=1)
    yield "matched", share_of(same.astype(float), used.astype(float), some.level)
    codes, weights = np.where(used[:, None], codes, -1), 1 / np.bincount(who)[who]
    columns = np.column_stack([codes, np.where(used, truth, -1)]) if with_truth else codes
    frame = pd.DataFrame(np.where(columns < 0, np.nan, columns))
    study = read(frame, [*frame], Reading(categories=[*range(some.k)]))
    yield "kappa", kappa_of(study, weights if with_truth else [], some.level)
    if some.ranked:
        yield "kendall", mean_tau(codes, weights, truth) if with_truth else concordance(codes)


def rates_of(some: Repeated, conforming: int) -> Iterator[tuple[str, Row]]:
    """Estimate how often a rater passes what is not conforming, rejects what is, and varies."""
    codes, is_good = some.codes, some.truth == conforming
    rated = (codes >= 0) & (some.truth >= 0)[:, None]
    n, passed = (x.sum(axis=1).astype(float) for x in (rated, rated & (codes == conforming)))
    yield "miss_rate", share_of(~is_good * passed, ~is_good * n, some.level)
    yield "false_alarm_rate", share_of(is_good * (n - passed), is_good * n, some.level)
    if (n > 1).any():
        mixed = (rated & (codes != codes.max(axis=1, keepdims=True))).any(axis=1)
        yield "mixed_rate", share_of(mixed.astype(float), (n > 1).astype(float), some.level)


class OfTrials(
    has.Item, has.Rater, has.Trial, has.Rating, has.Truth, has.By, has.Categories, has.Level
):
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

        The columns are ``n_items, n_trials, estimate, se, ci_low, ci_high, p_value, reason``.
        Only "kappa" and W have a `p_value`, of the hypothesis of chance; "kendall" has no limits.
        Reasons for NaN are ``no_joint_items``, ``constant_ratings``, ``few_items``, ``n_lt_2``.

    Raises
    ------
    DuplicateRatingError
        If a rater rated an item twice in a trial.
    RatingsError
        If an item has two standards.

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
    columns = ("item", "rater", "trial", "rating", "truth")
    named = {name: asked.given[name] for name in columns if name in asked.given}
    frame, by = read_columns(data, "trials", named, by=asked.by)
    check_by(by, {*KEYS})
    frame = frame[frame[asked.rating].notna()]
    given = [code_column(frame[name], name) for name in [*named.values()][3:]]
    categories = unite(given, asked.categories, None)
    if asked.truth is None:
        asked.refuse("conforming", because="there is no standard", instead="Name it, truth=...")
    if asked.conforming not in (None, *categories.labels):
        known = listing(categories.labels)
        raise OptionError(f"conforming={asked.conforming!r} is no category. Choose among {known}.")
    conforming = [*categories.labels, None].index(asked.conforming)  # beyond all, if nothing does
    raters = number(frame, [asked.rater], "rater")[1].tolist()
    codes = recode(given, categories).astype(np.int64)
    truth = codes[1] if asked.truth in named.values() else np.full(len(frame), -1)
    ranked = categories.scores is not None and len(np.unique(codes[codes >= 0])) >= FEWEST_RANKED
    frames, n_items, parts = [], 0, each_group(frame, by)
    for rows in parts.rows:
        wide = _wide(frame.iloc[rows], asked, codes[0][rows], truth[rows])
        some = Repeated(*wide, len(categories), ranked, asked.level)
        frames.append(_table(some, asked, conforming))
        n_items += len(some.codes)
    found = stacked(frames, parts.labels)
    warn_if_undefined("estimate", found["estimate"].isna(), found["reason"])
    hear_of(n_items, raters=raters, groups=parts.labels, categories=categories)
    return tidy(found, raters)


def _wide(
    frame: pd.DataFrame, asked: OfTrials, codes: IntArray, known: IntArray
) -> tuple[IntArray, IntArray, pd.Index, pd.Index]:
    """Lay out codes by items and trials of raters; what is true of each item beside them."""
    item, items = number(frame, [asked.item], "item")
    column, columns = number(frame, [asked.rater, asked.trial], "trial of a rater")
    again = pd.Index(item * len(columns) + column).duplicated()
    if again.any():
        held = frame.loc[again, [asked.item, asked.rater, asked.trial]].iloc[0]
        raise DuplicateRatingError(
            f"{again.sum()} rating(s) repeat the item, rater and trial of another one, such as "
            f"{listing(held.tolist())}. Number the trials: "
            f"data.groupby([{asked.item!r}, {asked.rater!r}]).cumcount()."
        )
    wide, truth = np.full((len(items), len(columns)), -1), np.full(len(items), -1)
    wide[item, column] = codes
    np.maximum.at(truth, item, known)
    twice = items[np.unique(item[(known >= 0) & (known != truth[item])])]
    if len(twice):
        message = f"Column {asked.truth!r} has several standards for {len(twice)} item(s): "
        raise RatingsError(f"{message}{listing(twice)}. Give each item one.")
    raters, trials_ = (columns.get_level_values(level) for level in (0, 1))
    warn_if_swapped((asked.item, len(items)), (asked.rater, raters.nunique()))
    return wide, truth, raters, trials_


def _table(some: Repeated, asked: OfTrials, conforming: int) -> pd.DataFrame:
    """Make the rows of each rater, and those of all of them."""
    raters, rows = some.raters.unique(), list[Row]()
    plan = [(name, one, some.of(one)) for name in ("within", "vs_truth") for one in raters]
    plan += [(name, None, some) for name in ("between", "all_vs_truth") if len(raters) > 1]
    for comparison, rater, own in plan:
        with_truth = comparison.endswith("vs_truth")
        if asked.truth is None if with_truth else len(own.raters) == 1:
            continue
        figures = dict(figures_of(own, with_truth=with_truth))
        if comparison == "vs_truth" and asked.conforming is not None:
            figures |= rates_of(own, conforming)
        known = {"comparison": comparison, "rater": rater, "n_trials": own.trials.nunique()}
        rows += [known | {"figure": figure} | row for figure, row in figures.items()]
    if not rows:
        message = "One rater with one trial, and no standard, leave nothing to compare."
        raise OptionError(f"{message} Name the standard: truth=...")
    found = pd.DataFrame(rows).astype({"rater": object, "n_items": np.int64})
    return found.set_index(KEYS).reindex(columns=schema.TRIALS[:-1])
