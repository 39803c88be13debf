"""The same numbers from other packages, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import TooLargeError
from pdkappa.methods.agreement.packages import (
    MOST_CATEGORIES,
    CheckRow,
    Question,
    ask_for_means,
    ask_packages,
)
from pdkappa.methods.estimates.options import USUAL_INTERVALS, gate
from pdkappa.methods.estimates.pair_frames import check_by, estimate, read_pairs
from pdkappa.present import schema
from pdkappa.present.labels import visible
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import plain_label
from pdkappa.ratings.items import item_weights
from pdkappa.ratings.options import Reading
from pdkappa.ratings.raters import check_grouped, weights_of_groups

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdkappa._typing import (
        By,
        Categories,
        Distance,
        FloatArray,
        GroupWeights,
        ItemWeights,
        Label,
        Missing,
        Raters,
        Weights,
    )
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.counted_pairs import PairTables

MOST_TABLES = 10_000  # some hundredths of a second each
TOLERANCE = 1e-9
TOLERANCE_OF_VARIANCE = 1e-14  # zero but for rounding, and yet a root of 1e-7
COMPARED = ("estimate", "se", "se_null", "max_estimate")
ESTIMATE = frozenset({"estimate"})

DROPPED = (
    "{n:.10g} item(s) with a missing rating were left out of the call: statsmodels would count "
    "them as a separate category."
)


@gate
def crosscheck(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    group_weights: GroupWeights | None = None,
) -> pd.DataFrame:
    """Compute the same numbers with other packages and put them side by side.

    The tables are counted by pandas and handed to ``cohens_kappa``, ``fleiss_kappa`` and
    ``combine_effects`` of statsmodels and, where they are installed, to
    ``cohen_kappa_score`` of scikit-learn and ``alpha`` of krippendorff.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pdkappa.pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pdkappa.pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pdkappa.pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pdkappa.pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error; or estimate by the EM algorithm. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    group_weights : column label or dict or Series, optional
        Weight of each group in the mean, which needs `by`. See `grouped`.

    Returns
    -------
    DataFrame
        One row for each figure of each package: the columns of `by` (empty for the means
        over groups), ``statistic, raters, weights, pdkappa, reference, package, version,
        abs_difference, agrees, note``. `agrees` is true where both values are the same up
        to 1e-9, and missing where the other package is known to compute something else on
        such data, or was not called; the note then says why. The statistics are

        - ``estimate``, ``se``, ``se_null``: Cohen's kappa, its standard error, and the one
          under agreement by chance;
        - ``max_estimate``: the greatest kappa under the given category shares;
        - ``scott``: Scott's pi, which is Fleiss' kappa of two raters;
        - ``krippendorff``: alpha of the two raters;
        - ``fisher_mean``: the weighted mean over groups on Fisher's z scale.

    Raises
    ------
    TooLargeError
        If there are more than 10,000 pairs of raters (times groups).
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> check = pdkappa.crosscheck(df, weights="quadratic")
    >>> bool(check["agrees"].all())
    True
    """
    check_by(by, set(schema.CROSSCHECK))
    check_grouped(by, group_weights)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    study = read_pairs(data, raters, reading, "cohen", USUAL_INTERVALS)
    n_tables = study.tables.counts.n_tables
    if n_tables > MOST_TABLES:
        message = (
            f"crosscheck runs other packages on every pair of raters (in every group), and "
            f"there are {n_tables}; the limit is {MOST_TABLES}. Pass fewer raters or groups."
        )
        raise TooLargeError(message)
    kappa = estimate(study, "cohen", USUAL_INTERVALS)
    kappa.warn_if_undefined()
    return result(compare_packages(study, kappa, group_weights), study.raters)


def compare_packages(
    study: Study,
    kappa: Estimates,
    group_weights: GroupWeights | None,
    *,
    tables: Collection[int] | None = None,
) -> pd.DataFrame:
    """Put the kappas of a study beside those of other packages, and what else these have.

    The `tables` are the numbers of those that are asked about; default: all of them.
    """
    scott = estimate(study.nominal(), "scott", USUAL_INTERVALS, needed=ESTIMATE)
    alpha = estimate(study, "krippendorff", USUAL_INTERVALS, needed=ESTIMATE)
    frame, reading = study.frame, study.reading
    weights, missing = reading.weights, reading.missing
    if isinstance(study.data, Counted):
        counts: FloatArray | None = study.data.counts
    else:
        counts = item_weights(frame, reading.sample_weight)
    counted = kappa.tables
    asked = range(counted.counts.n_tables) if tables is None else tables
    rows: list[tuple[dict[Label, Label], int, CheckRow]] = []
    for number in asked:
        group, pair = divmod(number, counted.n_pairs)
        ours = {name: float(getattr(kappa.summary, name)[number]) for name in COMPARED}
        ours["scott"] = float(scott.summary.estimate[number])
        ours["krippendorff"] = float(alpha.summary.estimate[number])
        items = _items(frame, counts, counted, number, missing)
        one = _count(items, kappa, group, pair)
        found = ask_packages(Question(*one, weights=weights, ours=ours))
        rows += [(counted.groups.values(group), pair, row) for row in found]
    if counted.groups.labels is not None:
        w = weights_of_groups(frame, counted.groups.labels, group_weights)
        pairs = sorted({number % counted.n_pairs for number in asked})
        rows += [({}, pair, row) for pair, row in ask_for_means(kappa, w, pairs)]
    return _frame(rows, counted, weights)


def _items(
    data: pd.DataFrame, counts: FloatArray | None, tables: PairTables, number: int, missing: str
) -> pd.DataFrame:
    """Return the ratings of one pair in one group, with their counts in a last column.

    Of all raters, if only items count that all of them rated.
    """
    group, pair = divmod(number, len(tables.pairs))
    listwise = missing == "listwise"
    raters = range(len(tables.raters)) if listwise else dict.fromkeys(tables.pairs[pair])
    rows = np.ones(len(data), dtype=bool) if counts is None else counts > 0
    for name, value in tables.groups.values(group).items():
        rows &= (data[name] == value).fillna(value=False).to_numpy(dtype=bool)
    places: Any = [data.columns.get_loc(tables.raters[rater]) for rater in raters]
    items = data.iloc[:, places].loc[rows].astype(object)
    items.columns = pd.Index(list(raters))
    items[len(tables.raters)] = 1.0 if counts is None else counts[rows]
    return items.dropna() if listwise else items


def _count(
    items: pd.DataFrame, kappa: Estimates, group: int, pair: int
) -> tuple[FloatArray, list[Any], FloatArray, FloatArray, str]:
    """Count one pair of raters with pandas; return the table, its scale, and a note."""
    tables = kappa.tables
    used = tables.in_use[group if len(tables.in_use) > 1 else 0]
    labels = tables.categories.restricted_to(used).labels
    if len(labels) > MOST_CATEGORIES:
        return np.zeros((0, 0)), labels, np.zeros(0), np.zeros((0, 0)), ""
    first, second = tables.pairs[pair]
    rated = items[[first, second]].notna().all(axis=1)
    place = {label: number for number, label in enumerate(labels)}
    coded = []
    for one in (first, second):
        codes, found = pd.factorize(items.loc[rated, one])
        coded.append(np.array([place[plain_label(label)] for label in found], dtype=int)[codes])
    times = items.loc[rated, len(tables.raters)].groupby(coded, sort=False).sum()
    table = np.zeros((len(labels), len(labels)))
    for cell, total in zip(times.index.tolist(), times, strict=True):
        table[cell] = total
    scale = kappa.scale.take(np.array([group]))
    left_out = items.loc[~rated, len(tables.raters)].sum()
    return (
        table,
        labels,
        scale.scores[0][used],
        scale.matrix()[np.ix_(used, used)],
        DROPPED.format(n=left_out) if left_out else "",
    )


def _frame(
    rows: list[tuple[dict[Label, Label], int, CheckRow]], tables: PairTables, weights: object
) -> pd.DataFrame:
    """Put the rows into a frame, with differences and verdicts."""
    from importlib.metadata import version

    raters = [visible(f"{tables.raters[a]} x {tables.raters[b]}") for a, b in tables.pairs]
    frame = pd.DataFrame([row for _, _, row in rows], columns=list(CheckRow._fields))
    frame["raters"] = [raters[pair] for _, pair, _ in rows]
    frame["weights"] = (
        "none" if weights is None else weights if isinstance(weights, str) else "custom"
    )
    versions = {package: version(package) for package in frame["package"].unique()}
    frame["version"] = frame["package"].map(versions).astype(object)
    frame["abs_difference"] = (frame["pdkappa"] - frame["reference"]).abs()
    undefined = frame["pdkappa"].isna() & frame["reference"].isna()
    is_error = frame["statistic"].isin(["se", "se_null"])
    squares = (frame["pdkappa"] ** 2 - frame["reference"] ** 2).abs()
    same = (frame["abs_difference"] <= TOLERANCE) | (is_error & (squares <= TOLERANCE_OF_VARIANCE))
    same = same.astype("boolean")
    frame["agrees"] = same.mask(~frame["comparable"] | undefined)
    frame = frame[list(schema.CROSSCHECK)]
    if tables.groups.labels is None:
        return frame
    levels = [
        pd.Index([place.get(name, "") for place, _, _ in rows], dtype=object, name=name)
        for name in tables.groups.labels.names
    ]
    frame.index = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
    return frame
