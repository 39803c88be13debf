"""Tables of automated scoring, humans and a machine: `evaluate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.influence import cluster_of_all
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.pair_kappas import (
    DISTANCES,
    concordance_figures,
    from_lowest,
    has_one_score,
    joint_scores,
    moments,
)
from pdkappa.coefficients.score_limits import at_least
from pdkappa.errors import check_flag, plural
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_by
from pdkappa.methods.estimates.pair_frames import in_turns, warn_if_undefined
from pdkappa.methods.estimates.real_scores import (
    are_whole,
    as_in_pairs,
    check_can_be_rounded,
    check_on_scale,
    read_excluded,
    read_scale,
    read_scores,
    where_few,
    with_excluded,
)
from pdkappa.present import schema
from pdkappa.present.findings import Finding, Findings, part_of, with_minus
from pdkappa.present.labels import one_line, place_of, reach, rounded
from pdkappa.present.text_tables import result

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.items import Groups

SLACK = 1e-9  # how far two scores may be more than one point apart and still be adjacent
ADJACENT = 1.0


def compare_scores(
    rows: RatingRows, scores: FloatArray, rounded: FloatArray, *, pooled: bool, level: float
) -> dict[str, Any]:
    r"""Compare the scores of two raters.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    rounded : ndarray of float, shape (U,)
        Scores of the second rater for what counts equal scores.
    pooled : bool
        Whether the mean difference is standardised by both raters' standard deviations, or
        by that of the first.
    level : float
        Confidence level of the limits.

    Returns
    -------
    dict of ndarray, shape (G,)
        The columns of `evaluate`; the first rater is the one who is predicted.

    Notes
    -----
    With the scores h and m of the two raters and :math:`s^2` the variance divided by n - 1,

    .. math:: \text{SMD} = \frac{\bar m - \bar h}{s_h} \quad\text{or}\quad
              \frac{\bar m - \bar h}{\sqrt{(s_h^2 + s_m^2) / 2}}, \qquad
              R^2 = 1 - \frac{\sum (h - m)^2}{\sum (h - \bar h)^2}.
    """
    as_given, (scale, lowest, scores) = scores[rows.codes[0]], from_lowest(rows, scores)
    first, second = scores[rows.codes]
    found = concordance_figures(rows, scores, DISTANCES["quadratic"], ci="auto", level=level)
    spread, n = moments(rows, scores[None]), rows.n_items
    constant = [has_one_score(rows, one) for one in (first, second)]
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single one
        factor = np.sqrt(np.where(n > 1, n / (n - 1), np.nan))
        sd_a, sd_b = (
            np.where(fixed & (n > 1), 0.0, factor * sd)
            for fixed, sd in zip(constant, (spread.sd_a, spread.sd_b), strict=True)
        )
        unit = np.sqrt((sd_a**2 + sd_b**2) / 2) if pooled else sd_a
        error = rows.total((first - second) ** 2) / n
        variance = np.where(constant[0], np.nan, spread.sd_a**2)
        exact = rows.total(as_given == rounded) / n
        adjacent = rows.total(np.abs(as_given - rounded) <= ADJACENT + SLACK) / n
        smd = -found.difference / np.where(unit > 0, unit, np.nan)
        r2, rmse = 1 - error / variance, scale * np.sqrt(error)
    kappa = _nominal_kappa(rows, as_given, rounded)
    rounded_alike = np.isnan(kappa) & (found.reason == "constant_rater")
    return {
        "n_items": n,
        "mean_a": lowest + scale * spread.mean_a,
        "mean_b": lowest + scale * spread.mean_b,
        "sd_a": scale * sd_a,
        "sd_b": scale * sd_b,
        "smd": smd,
        "correlation": found.correlation,
        "qwk": found.estimate,
        "se_qwk": found.se,
        "qwk_low": found.ci_low,
        "qwk_high": found.ci_high,
        "cohen": kappa,
        "exact_agreement": exact,
        "adjacent_agreement": adjacent,
        "r2": r2,
        "rmse": rmse,
        "reason": np.where(rounded_alike, "constant_ratings", found.reason),
    }


def ranges(rows: RatingRows, scores: FloatArray) -> dict[str, FloatArray]:
    """Return the lowest and the highest score of each rater, each (G,); NaN without items."""
    counted, found = rows.count > 0, {}
    for name, values in zip("ab", scores[rows.codes], strict=True):
        for which, reduce in (("min", np.fmin), ("max", np.fmax)):
            found[f"{which}_{name}"] = np.full(rows.n_groups, np.nan)
            reduce.at(found[f"{which}_{name}"], rows.group[counted], values[counted])
    return found


def _nominal_kappa(rows: RatingRows, first: FloatArray, second: FloatArray) -> FloatArray:
    """Cohen's kappa of equal and unequal scores, shape (G,); NaN where all are equal."""
    rows = rows.in_units()
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    key = np.tile(rows.group, 2) * max(len(values), 1) + place
    used, slot = np.unique(key, return_inverse=True)
    row, col = (
        np.bincount(one, weights=rows.count, minlength=len(used)) for one in np.split(slot, 2)
    )
    by_chance = np.bincount(used // max(len(values), 1), weights=row * col, minlength=rows.n_groups)
    n, agree = rows.n_items, rows.total(first == second)
    undefined = has_one_score(rows, first) & has_one_score(rows, second) & (agree > 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        kappa = at_least(-1.0, (n * agree - by_chance) / (n**2 - by_chance))
    return np.where(undefined, np.nan, kappa)


def to_whole(used: FloatArray, values: FloatArray) -> FloatArray:
    """Round half up, within the whole numbers that the range of the scores used holds."""
    below = np.floor(values)
    nearest = below + (values - below >= 0.5)  # noqa: PLR2004
    low, high = np.ceil(used.min(initial=np.inf)), np.floor(used.max(initial=-np.inf))
    return np.clip(nearest, low, high)


def to_nearest(scale: FloatArray, values: FloatArray) -> FloatArray:
    """Return the nearest score of an ascending scale, the higher one of two, shape (U,)."""
    return scale[np.searchsorted((scale[:-1] + scale[1:]) / 2, values, side="right")]


class Standardised(NamedTuple):
    """Standardised difference of means in G groups; every field has shape (G,)."""

    estimate: FloatArray
    se: FloatArray


def difference_of_means(rows: RatingRows, scores: FloatArray) -> Standardised:
    r"""Compare the means of two raters in each group, both standardised by all groups.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.

    Returns
    -------
    Standardised
        Of the second rater less the first, with the standard error for independent items; NaN
        where a rater does not vary, and the error with a single item.

    Notes
    -----
    With the standard scores :math:`z_a, z_b` of an item, which both have mean 0 and variance 1
    over all items, and their means in group g, which is a share :math:`\pi` of the items,

    .. math:: \text{DSM}_g = \bar z_b - \bar z_a, \qquad
              \psi_i = \frac{[i \in g]}{\pi} (z_b - z_a - \text{DSM}_g) - (z_b - z_a)
              - \bar z_b \frac{z_b^2 - 1}{2} + \bar z_a \frac{z_a^2 - 1}{2},

    and the squared standard error is :math:`\sum \psi_i^2 / \{N (N - 1)\}` with N items in all, or
    that of sums over clusters, see `pdkappa.coefficients.influence.standard_error`.
    """
    _, _, scores = from_lowest(rows, scores)
    whole = rows.together()
    a, b = (_standard(whole, scores[codes]) for codes in rows.codes)
    n, total = rows.n_items, rows.n_items.sum()
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        mean_a, mean_b = rows.total(a) / n, rows.total(b) / n
        estimate = mean_b - mean_a
        # An influence is that of the group, `own`, and a sum of three that all items have.
        own, share = b - a - estimate[rows.group], n / total
        three = np.stack([b - a, (b**2 - 1) / 2, (a**2 - 1) / 2])
        times = np.stack([-np.ones(len(n)), -mean_b, mean_a], axis=1)
        products, crossed, squares = _products(rows, own, three)
        squared = ((times @ products + 2 * crossed / share[:, None]) * times).sum(axis=1)
        squared += squares / share**2
        # Standard deviations are divided by n - 1, which changes all by a factor.
        factor = np.sqrt(np.where(total > 1, 1 - 1 / total, np.nan))
        lost = 1 if rows.cluster is None else 0
        se = factor * np.sqrt(
            np.maximum(squared, 0) / total / np.where(n > 1, total - lost, np.nan)
        )
    return Standardised(factor * estimate, se)


def _products(
    rows: RatingRows, own: FloatArray, three: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sum products over items, or clusters: of three values, of `own` with them, and of `own`.

    They have the shapes (3, 3), (G, 3), with each group's own values, and (G,). Sums over clusters
    are divided by what is left without them; see `pdkappa.coefficients.influence`.
    """
    if rows.cluster is None:
        crossed = np.stack([rows.total(own * one) for one in three], axis=1)
        return (rows.count * three) @ three.T, crossed, rows.total(own**2)
    parents, place = np.unique(cluster_of_all(rows), return_inverse=True)
    cells, cell = np.unique(rows.cluster, return_inverse=True)
    of_parent, group = np.searchsorted(parents, cells // rows.n_groups), cells % rows.n_groups

    def total(values: FloatArray, by: IntArray, n: int) -> FloatArray:
        return sums_at(by, rows.count * values, n)

    size = total(np.ones(len(own)), place, len(parents))
    rest = np.sqrt(np.where(len(parents) > 1, 1 - size / rows.count.sum(), np.nan))
    every = np.stack([total(one, place, len(parents)) for one in three]) / rest
    some = total(own, cell, len(cells)) / rest[of_parent]
    with_own = [sums_at(group, some * one[of_parent], rows.n_groups) for one in every]
    own_squares = sums_at(group, some * some, rows.n_groups)
    return every @ every.T, np.stack(with_own, axis=1), own_squares


def _standard(whole: RatingRows, values: FloatArray) -> FloatArray:
    """Standardise values by their mean and standard deviation; NaN if they do not vary."""
    n = whole.n_items
    with np.errstate(divide="ignore", invalid="ignore"):
        away = values - whole.total(values) / n
        spread = np.sqrt(whole.total(away**2) / n)
        spread[has_one_score(whole, values)] = np.nan
        result: FloatArray = away / spread
    return result


HUMAN = 0
OF_PAIRS = {"qwk": "estimate", "se_qwk": "se", "qwk_low": "ci_low", "qwk_high": "ci_high"}


@dataclass(frozen=True)
class Scores:
    """Scores of a human, perhaps of a second one, and last of a machine."""

    every: NumericRows  # those that are excluded, too
    scored: NumericRows
    scale: FloatArray | None
    rounded: bool

    @property
    def last(self) -> int:
        """The machine."""
        return len(self.scored.rows.codes) - 1

    @property
    def pairs(self) -> dict[str, tuple[int, int]]:
        """Who is compared, by the name of the comparison."""
        of_machine = {"evaluation": (HUMAN, self.last)}
        return of_machine if self.last == 1 else {"consistency": (HUMAN, 1), **of_machine}

    def joint(self, name: str) -> tuple[RatingRows, FloatArray]:
        """Return the rows of a comparison, and the second rater's rounded scores, shape (U,)."""
        rows = joint_scores(self.scored.rows, self.pairs[name])
        given = self.scored.scores[rows.codes[1]]
        if not self.rounded or name != "evaluation":
            return rows, given
        return rows, self._rounded(given)

    def compared(self, name: str, level: float) -> dict[str, Any]:
        """Return the columns of a comparison, those that `pairs` has from there."""
        rows, values = self.joint(name)
        scores, groups, empty = self.scored.scores, self.scored.coded.groups, self.scored.empty
        table = compare_scores(rows, scores, values, pooled=name == "consistency", level=level)
        rounded = rows.total(values != scores[rows.codes[1]])
        table |= self.counts(self.pairs[name]) | {"n_rounded": rounded} | ranges(rows, scores)
        of_pairs = as_in_pairs(rows, scores, "quadratic", ci="auto", level=level)
        table = where_few(table, of_pairs, OF_PAIRS)
        table["dsm"] = np.full(groups.n, np.nan)
        if groups.labels is not None:
            among = rows.among_groups(groups.mean_weight)
            table["dsm"] = difference_of_means(among, scores).estimate
        table["reason"] = np.where(empty == "", table["reason"], empty)
        table["remark"] = np.full(groups.n, "", dtype=object)
        return table

    def counts(self, raters: tuple[int, ...]) -> dict[str, FloatArray]:
        """Count the items that some raters scored, and those with an excluded score."""
        rated, kept = (
            rows.total(np.logical_and.reduce(rows.codes[list(raters)] >= 0))
            for rows in (self.every.rows, self.scored.rows)
        )
        return {"n_items": kept, "n_excluded": rated - kept}

    def _rounded(self, values: FloatArray) -> FloatArray:
        """Round scores of the machine that are not on the scale, (U,), in all groups alike."""
        if self.scale is not None:
            return to_nearest(self.scale, values)
        *humans, machine = (self.scored.used_by(rater) for rater in range(self.last + 1))
        if are_whole(machine) or not are_whole(humans[HUMAN]):
            return values
        return to_whole(np.concatenate(humans), values)


DIFFERENCES = {
    *("qwk", "cohen", "correlation", "smd", "r2", "rmse"),
    *("exact_agreement", "adjacent_agreement"),
}


class OfScores(has.OneOrTwoHumansAndMachine, has.By, has.Categories, has.Units, has.Level):
    """Scores of one or two humans and of a machine, and their scale."""

    exclude: float | str | list[float] | list[str] | None = option(
        "Codes that are not scores, such as 0 for an essay off topic: an item to which one of the "
        'raters compared gave such a score is left out, and counted; with `missing="listwise"` one '
        "to which any rater gave it. A word need not be among `categories`. Default: none are.",
        "number, word or list of them",
        default=None,
    )
    rounded: bool = option(
        "Whether machine scores are rounded, halves up, and clipped to the scale, for exact and "
        "adjacent agreement and kappa of the rounded scores only.",
        "bool",
        default=True,
        check=check_flag,
    )

    @property
    def names(self) -> list[Label]:
        """The columns, humans first."""
        return [*self.people, self.machine]

    def read(self, data: pd.DataFrame | Counted, method: str) -> Scores:
        """Read them for a method, and make sure that the machine's can be rounded to the scale.

        That is the one that was declared, or that of words. Others need none to be compared.
        """
        scale, reading = read_scale(self.categories), replace(self.reading, categories=None)
        if scale is None and self.categories is not None:
            reading = replace(reading, categories=with_excluded(self.categories, self.exclude))
        needs_order = method if scale is None else None
        every = read_scores(data, self.names, reading, needs_order=needs_order)
        if scale is None and every.of_words:
            scale = every.scores
        excluded, last = read_excluded(self.exclude, every), len(self.people)
        scored = every.without(excluded, listwise=self.missing == "listwise")
        if scale is not None:
            check_on_scale(scored, list(range(last)), scale)
        elif self.rounded:
            check_can_be_rounded(scored, HUMAN, last)
        return Scores(every, scored, scale, self.rounded)


class OfEvaluate(OfScores):
    """Options of `evaluate`."""

    def found_in(self, made: Any) -> Findings | None:
        """Say how a machine agrees with people, beside people, and which way it errs."""
        own, humans = (part_of(made, comparison=name) for name in ("evaluation", "consistency"))
        if not len(own):  # no group
            return None
        who = one_line(self.machine)
        told = f"{who} agrees with {one_line(self.people[0])} at QWK {_span(own)}"
        if len(humans):
            told += f", people with each other at {_span(humans)}"
        found = []
        smd = own["smd"].dropna()
        if len(smd):
            size = float(smd.iloc[int(smd.abs().to_numpy().argmax())])
            where = f" in {place_of(own.index.names, smd.abs().idxmax())}" if len(own) > 1 else ""
            most = "at most " if len(own) > 1 else ""
            side = "higher" if size > 0 else "lower"
            told_apart = f"{most}{abs(size):.2f} SD {side}"
            said = f"{who} scores {told_apart} than {one_line(self.people[0])}{where}."
            found = [
                Finding("leaning", "", said, "evaluate", (size, np.nan, np.nan), "cannot tell")
            ]
        return Findings(f"{told}.", tuple(found), subject=f"Scores of {who}")


def _span(rows: pd.DataFrame) -> str:
    """Write QWK with its limits; of several groups the least and the largest."""
    known = rows["qwk"].dropna()
    if len(rows) > 1 and len(known):
        ends = reach(rounded(known.min()), rounded(known.max()))
        return f"{ends} in {len(known)} {plural(len(known), 'group')}"
    return with_minus(*(float(rows[x].iloc[0]) for x in ("qwk", "qwk_low", "qwk_high")))


SCALE = (
    "They are the scores to which the machine's are rounded; words of an ordered scale count as "
    "1, 2, 3, .... Default for numbers: whole numbers from the lowest to the highest score that "
    "a human gave in any group, unless all machine scores are whole. It does not depend on `by`; "
    "so where essay sets have scales of their own, a machine score beyond that of its set is "
    "rounded and remains a disagreement. Pass one set and its `categories` to clip to its scale."
)


@asks(OfEvaluate, categories=SCALE)
def evaluate(data: pd.DataFrame | Counted, asked: OfEvaluate) -> pd.DataFrame:
    """Compare automated scores with human scores, and with the agreement of humans.

    These are the usual tables of automated scoring: human with human, human with machine, and
    the difference.

    Returns
    -------
    DataFrame
        Rows ``consistency`` (human with second human) and ``difference``, if there is a
        second human, and ``evaluation`` (human with machine); of each group. The first human is
        rater a. Shares are fractions.

        - ``n_items, n_excluded``: items compared, and items left out because of `exclude`;
        - ``n_rounded``: machine scores that were rounded or clipped;
        - ``mean_a, mean_b, sd_a, sd_b``: standard deviations are divided by n - 1;
        - ``min_a, max_a, min_b, max_b``: lowest and highest scores, as they are;
        - ``smd``: mean of b minus that of a, divided by the standard deviation of the human,
          or, in ``consistency``, by the square root of the mean of both variances;
        - ``dsm``, NaN without `by`: difference of standardised means, b minus a, where each rater
          is standardised by the mean and standard deviation over all groups; `smd` exaggerates if a
          group's scores vary little;
        - ``correlation``: Pearson's, in [-1, 1];
        - ``disattenuated``, in ``evaluation`` with a second human: the correlation corrected for
          errors of human scores: that with the human, divided by the square root of that of the
          two humans; it may exceed 1 by chance, and is NaN if these do not correlate;
        - ``qwk, se_qwk, qwk_low, qwk_high``: quadratic weighted kappa of the scores as they are,
          its standard error and its limits;
        - ``cohen``: Cohen's, of the rounded scores, at most 1;
        - ``exact_agreement, adjacent_agreement``: shares of items whose rounded scores are
          equal, or differ by no more than 1;
        - ``r2``: share of the variance of a that b predicts, at most 1; below 0 if the mean of a
          predicts better. It is not the squared correlation;
        - ``rmse``: root of the mean squared difference;
        - ``reason`` for NaN, as in `concordance`, and ``remark``.

        ``difference`` is machine minus humans, ``evaluation`` less ``consistency``; its `n_items`
        are those that all three scored, its `n_rounded` that of ``evaluation``, and means,
        standard deviations, ranges, limits and ``dsm`` are NaN. `ceiling` tests it.

    Raises
    ------
    CategoryError
        If a human score is not among the categories, or nothing says what order words have.
    RatingsError
        If machine scores cannot be rounded, because human scores are no whole numbers and
        nothing says what the scale is.

    See Also
    --------
    concordance : Agreement of real-valued scores, for all pairs of raters.
    ceiling : A test of the machine's agreement against that of humans.
    prmse : How well the machine predicts true scores, with limits.
    fairness : Whether groups are scored alike, with tests and limits of ``dsm``.

    Notes
    -----
    Definitions are those of RSMTool from version 7 on, whose machine scores for kappa and
    agreement are trimmed and rounded, too. Agreement is in per cent there, and scores of 0
    are left out unless one asks for them. Williamson, Xi and Breyer [1]_, and earlier
    versions, standardise the mean difference by both standard deviations.

    References
    ----------
    .. [1] Williamson et al., 2012

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 4")
    >>> found = df.kappa.machine.evaluate(["human_1", "human_2"], "machine")
    >>> found[["n_items", "smd", "qwk", "exact_agreement", "r2"]].round(3)
                 n_items    smd    qwk  exact_agreement     r2
    comparison
    consistency      260 -0.037  0.856            0.750  0.705
    evaluation       260 -0.000  0.797            0.681  0.610
    difference       260  0.037 -0.060           -0.069 -0.095

    Scores of 0 count, unless they are excluded:

    >>> found = df.kappa.machine.evaluate("human_1", "machine", exclude=0)
    >>> found[["n_items", "n_excluded", "qwk"]].round(3)
                n_items  n_excluded   qwk
    comparison
    evaluation      210          50  0.75

    Words need an order:

    >>> said = pd.DataFrame({"ann": ["low", "mid", "high"], "gpt": ["low", "high", "high"]})
    >>> found = said.kappa.machine.evaluate("ann", "gpt", categories=["low", "mid", "high"])
    >>> found[["n_items", "qwk", "mean_a", "mean_b"]].round(3)
                n_items  qwk  mean_a  mean_b
    comparison
    evaluation        3  0.8     2.0   2.333
    """
    check_by(asked.by, {*schema.EVALUATION, "comparison"})
    read = asked.read(data, "evaluate")
    tables = {name: read.compared(name, asked.level) for name in read.pairs}
    groups = read.scored.coded.groups
    _warn_of_tables(groups, tables)
    _disattenuate(tables)
    if "consistency" in tables:
        tables["difference"] = _difference(tables) | read.counts((HUMAN, 1, read.last))
    inner = pd.Index(list(tables), name="comparison")
    frame = in_turns(list(tables.values()), schema.EVALUATION, groups, inner)
    return result(frame, asked.names)


def _disattenuate(tables: dict[str, dict[str, Any]]) -> None:
    """Free the correlation with the machine from the errors of the human (Spearman, 1904)."""
    unknown = np.full(len(tables["evaluation"]["qwk"]), np.nan)
    humans = tables["consistency"]["correlation"] if "consistency" in tables else unknown
    root = np.sqrt(np.where(humans > 0, humans, np.nan))
    for name, table in tables.items():
        divided = table["correlation"] / root
        table["disattenuated"] = divided if name == "evaluation" else unknown


def _difference(tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Take the figures of the humans from those of the machine."""
    consistency, evaluation = tables["consistency"], tables["evaluation"]
    unknown = np.full(len(evaluation["qwk"]), np.nan)
    differences = {
        name: evaluation[name] - consistency[name] if name in DIFFERENCES else unknown
        for name in evaluation
    }
    reason = np.where(evaluation["reason"] == "", consistency["reason"], evaluation["reason"])
    kept = {name: evaluation[name] for name in ("n_rounded", "remark")}
    return differences | kept | {"reason": reason}


def _warn_of_tables(groups: Groups, tables: dict[str, dict[str, Any]]) -> None:
    """Give one warning that counts the comparisons with an undefined kappa."""
    names = [f"{name}{groups.at(group)}" for name in tables for group in range(groups.n)]
    qwk, kappa, reason = (
        np.concatenate([table[column] for table in tables.values()])
        for column in ("qwk", "cohen", "reason")
    )
    undefined = np.isnan(qwk) | np.isnan(kappa)
    warn_if_undefined("comparison", undefined, pd.Series(reason), names.__getitem__)
