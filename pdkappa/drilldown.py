"""Where agreement is lost: by rater, item, category, cut of the scale, and cell of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa import weighting
from pdkappa.core.drilldown import (
    ADDITIVE,
    LEAVE_ONE_OUT,
    cell_parts,
    gaps_of,
    is_constant,
    item_parts,
    moments,
    rater_parts,
    scale_parts,
    shares_of_raters,
    split_parts,
)
from pdkappa.engines.pandas import rating_rows
from pdkappa.errors import TooLargeError, UndefinedKappaWarning, check_choice, unknown_choice, warn
from pdkappa.estimation import DISTANCES
from pdkappa.ratings import Counted, encode

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        Distance,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Missing,
        ObjectArray,
        Raters,
        Weights,
    )
    from pdkappa.core.drilldown import ScaleParts
    from pdkappa.core.rows import RatingRows
    from pdkappa.core.weights import Scale
    from pdkappa.ratings import Coded

MISSING = ("pairwise", "listwise", "raise")
NEED_IDENTITY = ("light", "conger")
LARGEST_TABLE = 1 << 26
MOST_NAMED = 5
COUNTS = ("n_items", "n_ratings")
SYNONYMS = {
    "kappa": "'light' for the mean of the pairs, or 'conger'",
    "cohen": "'light', which is Cohen's kappa for two raters",
    "scott": "'fleiss', which is Scott's pi for two raters",
    "randolph": "'brennan_prediger'",
    "alpha": "'krippendorff'",
    "ac1": "'gwet'",
    "ac2": "'gwet'",
}


@dataclass(frozen=True)
class _Coded:
    """Coded ratings as rows with counts, and their scale."""

    coded: Coded
    rows: RatingRows
    scale: Scale

    @property
    def n_groups(self) -> int:
        """G; 1 without groups."""
        return self.rows.n_groups

    @property
    def in_use(self) -> BoolArray:
        """Categories on the scale of each group, shape (G, K)."""
        shape = (self.n_groups, self.rows.n_categories)
        return np.broadcast_to(self.coded.in_use, shape)

    def index(self, groups: IntArray, inner: list[pd.Index]) -> pd.Index:
        """Label rows by their groups, if there are groups, and by some indices."""
        outer = self.coded.group_index
        if outer is None and len(inner) == 1:
            return inner[0]
        levels = [] if outer is None else [outer.get_level_values(i) for i in range(outer.nlevels)]
        taken = [level.take(groups) for level in levels] + inner
        return pd.MultiIndex.from_arrays(taken, names=[level.name for level in taken])

    def no_ratings(self) -> ObjectArray:
        """Say of each group why it has no ratings; empty where it has some, shape (G,)."""
        reason = np.full(self.n_groups, "", dtype=object)
        empty = "zero_total_weight" if self.coded.no_weight else "no_items"
        reason[~self.coded.has_ratings()] = empty
        return reason


def raters(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
) -> pd.DataFrame:
    """Compare each rater with the others, and test who stands apart.

    Who agrees least with the others, is it more than chance, and what would agreement be
    without him?

    Parameters
    ----------
    data, raters, by, weights, categories, distance, missing, sample_weight
        As in `pairs`.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors
        count by cluster. The estimates are the same.

    Returns
    -------
    DataFrame
        One row for each rater (and group):

        - ``n_ratings``;
        - ``mean_kappa, se_mean_kappa``: mean of Cohen's kappa with the other raters, over
          the pairs that are defined, at most 1;
        - ``kappa_with_others``: all these pairs as one, their observed and their expected
          disagreement added up (Schouten), at most 1;
        - ``light_without``: Light's kappa, the mean of the pairs, of the other raters;
        - ``effect, se_effect``: Light's kappa of all less `light_without`; below zero for
          a rater who costs agreement;
        - ``outlier_z, p_value``: two-sided test of ``mean_kappa == light_without``, or of
          no effect, which is the same, from a t distribution;
        - ``reason`` for what is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings`` (no kappa with any other is defined), ``no_other_pair`` (no
          kappa among the others is), ``n_lt_2`` (no standard error), ``no_variance``.

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some `mean_kappa` or `light_without` is NaN.

    See Also
    --------
    usage : How often each rater used each category.
    pairs : Every pair by itself.

    Notes
    -----
    Where all pairs are defined, the mean of `mean_kappa` over the raters is Light's kappa,
    and the effects add up to zero. With R raters an effect is ``2 / R`` times the
    difference of `mean_kappa` and `light_without`. The standard error is that of the
    difference, from influence values: kappas that share a rater, or just the items, go up
    and down together. Testing R raters, compare `p_value` with a level divided by R.

    References
    ----------
    .. [1] Schouten, H. J. A. (1980). Measuring pairwise agreement among many observers.
           Biometrical Journal, 22(6), 497-504.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> columns = ["mean_kappa", "light_without", "effect", "outlier_z", "p_value"]
    >>> pdkappa.raters(df, weights="quadratic")[columns].round(3)
             mean_kappa  light_without  effect  outlier_z  p_value
    rater
    rater_1       0.183          0.230  -0.031     -0.255    0.801
    rater_2       0.263          0.070   0.129      1.140    0.268
    rater_3       0.150          0.297  -0.098     -0.828    0.418
    """
    found = _coded(
        data,
        raters,
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    parts = rater_parts(found.rows.compressed(), found.scale)
    names = pd.Index(found.coded.raters, tupleize_cols=False, name="rater")
    groups, places = _every(found.n_groups, len(names))
    empty = found.no_ratings()[groups]
    columns = {name: values.T.reshape(-1) for name, values in parts._asdict().items()}
    columns["reason"] = np.where(empty == "", columns["reason"], empty)
    frame = _frame(columns, found.index(groups, [names.take(places)]))
    _warn_of_undefined(frame, frame["mean_kappa"].isna() | frame["light_without"].isna(), "rater")
    return frame


def usage(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show how often each rater used each category.

    Is a rater more severe than the others, or does he keep to the middle of the scale?

    Parameters
    ----------
    data, raters, by, categories, missing, sample_weight
        As in `pairs`.

    Returns
    -------
    DataFrame, shape (R, K)
        Shares of the ratings of each rater, in [0, 1], that add up to one in each row (a
        row for each rater and group, with `by`). NaN for a rater who rated nothing.

    Raises
    ------
    KappaError
        As in `pairs`.

    See Also
    --------
    categories : Agreement on each category.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> pdkappa.usage(df, categories=range(1, 7))
    category     1     2     3    4    5     6
    rater
    rater_1   0.10  0.30  0.25  0.1  0.2  0.05
    rater_2   0.05  0.25  0.40  0.2  0.0  0.10
    rater_3   0.35  0.25  0.25  0.1  0.0  0.05
    """
    found = _coded(
        data,
        raters,
        by=by,
        categories=categories,
        missing=missing,
        sample_weight=sample_weight,
    )
    shares = shares_of_raters(found.rows)
    names = pd.Index(found.coded.raters, tupleize_cols=False, name="rater")
    groups, places = _every(found.n_groups, len(names))
    return pd.DataFrame(
        shares.transpose(1, 0, 2).reshape(len(groups), -1),
        index=found.index(groups, [names.take(places)]),
        columns=found.coded.categories.index().rename("category"),
    )


def items(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show what each item does to agreement.

    Which items do the raters disagree about, and which ones are worth adjudicating first?

    Parameters
    ----------
    data, raters, by
        As in `pairs`.
    coefficient : {"light", "percent", "brennan_prediger", "fleiss", "conger", "gwet", \
"krippendorff"}
        The coefficient of all raters that `effect` and `gain` are about, as in
        `agreement`. Light's is the mean of the pairwise kappas, and Cohen's kappa for two
        raters.
    weights, categories, distance, missing, sample_weight
        As in `pairs`.

    Returns
    -------
    DataFrame
        One row for each item that counts, labelled as in `data`; items without a group or
        a weight, or with missing ratings if these are left out, do not:

        - ``n_ratings``: number of ratings of the item;
        - ``disagreement``: mean disagreement of the pairs of its ratings, in [0, 1], 1
          being the largest on the scale; NaN for fewer than two ratings;
        - ``share``: its part of the disagreement of all items (of its group), which adds
          up to one; NaN if there is no disagreement at all;
        - ``effect``: the coefficient less its exact value without the item; below zero for
          an item that costs agreement;
        - ``gain``: what the coefficient would gain if the ratings of this item agreed,
          while the category shares stayed; the gains add up to one minus the coefficient;
        - ``reason`` for what is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings``, ``undefined_without`` (only this item makes the coefficient
          defined), ``single_rating``, ``no_disagreement``.

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some effect is NaN.

    Notes
    -----
    The effect is computed from the sums that the coefficient is made of, less those of the
    item: it costs no more than the coefficient itself and is no approximation. An item
    with a `sample_weight` leaves with its whole weight. The categories stay what they are
    when the only item in one of them leaves.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.items(df, weights="quadratic")
    >>> found.sort_values("effect").head(3).round(3)
             n_ratings  disagreement  share  effect   gain reason
    subject
    2                3         0.507  0.196  -0.080  0.162
    9                3         0.320  0.124  -0.035  0.095
    12               3         0.347  0.134  -0.031  0.106

    The gains add up to what is missing to perfect agreement:

    >>> kappas = pdkappa.pairs(df, weights="quadratic")["estimate"]
    >>> bool(np.isclose(found["gain"].sum(), 1 - kappas.mean()))
    True
    """
    check_choice("coefficient", coefficient, LEAVE_ONE_OUT, SYNONYMS)
    found = _coded(
        data,
        raters,
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        needs_identity=coefficient in NEED_IDENTITY,
    )
    parts = item_parts(found.rows, found.scale, coefficient)
    frame = _frame(parts._asdict(), found.coded.items)
    empty = found.no_ratings()[found.rows.group]
    frame["reason"] = np.where(empty == "", frame["reason"], empty)
    _warn_of_undefined(frame, frame["effect"].isna(), "effect")
    return frame


def categories(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show how far the raters agree on each category against the rest.

    Which categories do the raters tell apart, and which do they confuse?

    Parameters
    ----------
    data, raters, by
        As in `pairs`.
    coefficient : {"light", "fleiss", "conger", "krippendorff"}
        The coefficient that is split. Light's is the mean of the pairwise kappas, and
        Cohen's kappa for two raters.
    categories, missing, sample_weight
        As in `pairs`.

    Returns
    -------
    DataFrame
        One row for each category (and group):

        - ``n_ratings``;
        - ``prevalence``: the share of the category, averaged over the raters;
        - ``bias``: for two raters, the share of the first less that of the second; for
          more, the largest share less the smallest; NaN where nobody knows who rated, as in
          `from_counts`, where `prevalence` is the share of all ratings;
        - ``kappa``: agreement on this category against all others together, at most 1;
        - ``weight``: its part of the disagreement expected by chance; these add up to one,
          and the mean of `kappa` with them is the nominal coefficient, exactly;
        - ``specific_agreement``: of the pairs of ratings of one item of which one is in
          the category, weighted by how many are, the share that agree, in [0, 1];
        - ``reason`` for a kappa that is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings`` (nobody used the category, or nobody another one).

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some kappa is NaN.

    See Also
    --------
    cuts : The same for ordered categories, split between neighbours.
    cells : Which two categories are confused.

    Notes
    -----
    With ``n[k, k]`` items on which two raters agree, specific agreement is
    ``2 n[k, k] / (n[k, .] + n[., k])``, which is F1; for more raters, or missing ratings,
    both sums run over all pairs of raters. Light's kappa is split within each pair of
    raters, and `kappa` is the mean over the pairs with the weights of the category in
    each.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.
           Psychological Bulletin, 76(5), 378-382. https://doi.org/10.1037/h0031619

    Examples
    --------
    >>> df = pdkappa.datasets.load_psychiatric_diagnoses()
    >>> found = pdkappa.categories(df, coefficient="fleiss")
    >>> found[["prevalence", "kappa", "weight", "specific_agreement"]].round(3)
                          prevalence  kappa  weight  specific_agreement
    category
    Depression                 0.144  0.245   0.158               0.354
    Personality Disorder       0.144  0.245   0.158               0.354
    Schizophrenia              0.167  0.520   0.178               0.600
    Neurosis                   0.306  0.471   0.272               0.633
    Other                      0.239  0.566   0.233               0.670

    The weighted mean is Fleiss' kappa:

    >>> print(f"{(found['kappa'] * found['weight']).sum():.3f}")
    0.430
    """
    _check_additive(coefficient)
    found = _coded(
        data,
        raters,
        by=by,
        categories=categories,
        missing=missing,
        sample_weight=sample_weight,
        needs_identity=coefficient in NEED_IDENTITY,
    )
    parts = scale_parts(found.rows.compressed(), coefficient)
    return _scale_frame(found, _nameless(data, parts), found.in_use, "category")


def cuts(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show how far the raters agree on each cut of an ordered scale.

    Where on the scale do the raters disagree: about what passes, or about what excels?

    Parameters
    ----------
    data, raters, by
        As in `pairs`.
    coefficient : {"light", "fleiss", "conger", "krippendorff"}
        The coefficient that is split. Light's is the mean of the pairwise kappas, and
        Cohen's kappa for two raters.
    categories, distance, missing, sample_weight
        As in `pairs`; the categories must be ordered.

    Returns
    -------
    DataFrame
        One row for each category but the highest (and group), with what holds for the
        ratings up to this category against those above: ``n_ratings, prevalence, bias,
        kappa, weight, specific_agreement, reason``, as in `categories`. The mean of
        `kappa` with the weights is the coefficient with linear weights, exactly.

    Raises
    ------
    CategoryError
        If nothing says what the order of the categories is.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some kappa is NaN.

    See Also
    --------
    categories : Each category against all others.

    References
    ----------
    .. [1] Vanbelle, S., & Albert, A. (2009). A note on the linearly weighted kappa
           coefficient for ordinal scales. Statistical Methodology, 6(2), 157-163.
           https://doi.org/10.1016/j.stamet.2008.06.001

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.cuts(df, ["rater_1", "rater_2"])
    >>> found[["prevalence", "bias", "kappa", "weight"]].round(3)
         prevalence  bias  kappa  weight
    cut
    1         0.075  0.05  0.643   0.095
    2         0.350  0.10  0.565   0.311
    3         0.675 -0.05 -0.023   0.297
    4         0.825 -0.15 -0.167   0.203
    5         0.925  0.05 -0.071   0.095
    """
    _check_additive(coefficient)
    found = _coded(
        data,
        raters,
        by=by,
        weights="linear",
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        needs_identity=coefficient in NEED_IDENTITY,
    )
    gaps = gaps_of(found.scale, found.n_groups)
    parts = scale_parts(found.rows.compressed(), coefficient, gaps, cumulative=True)
    return _scale_frame(found, _nameless(data, parts), found.in_use & (gaps > 0), "cut")


def cells(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Split Cohen's kappa of two raters into the cells of their table.

    Which confusions cost most, and which are rarer than chance would have them?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The raters in the rows and in the columns of the table.
    by, weights, categories, distance, missing, sample_weight
        As in `pairs`.

    Returns
    -------
    DataFrame
        One row for each cell (and group), indexed by the categories of both raters; use
        ``frame["contribution"].unstack()`` for a table.

        - ``n_items``: items in the cell;
        - ``expected_items``: items that the raters' own shares give by chance;
        - ``disagreement``: of the two categories, in [0, 1];
        - ``contribution``: the cells add up to kappa, exactly; below zero for a confusion
          that is more frequent than by chance, and 0 on the diagonal;
        - ``reason`` for what is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings``.

    Raises
    ------
    TooLargeError
        If there would be more than 2**26 cells.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if the contributions of a group are NaN.

    See Also
    --------
    confusion : The counts alone.

    Notes
    -----
    With disagreement weights d, cell shares P and margins p and q, a cell contributes
    ``d * (p * q - P) / sum(d * p * q)``.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.cells(df, "rater_1", "rater_2", weights="linear")
    >>> found["contribution"].sort_values().head(2).round(3)
    rater_1  rater_2
    3        4         -0.068
    6        3         -0.061
    Name: contribution, dtype: float64
    >>> print(f"{found['contribution'].sum():.3f}")
    0.189
    """
    found = _coded(
        data,
        [rater_a, rater_b],
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
    )
    k = found.rows.n_categories
    if found.n_groups * k**2 > LARGEST_TABLE:
        message = (
            f"There would be {found.n_groups * k**2} cells, from {k} categories; the limit is "
            f"{LARGEST_TABLE}. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    parts = cell_parts(found.rows, found.scale)
    used = found.in_use
    groups, first, second = np.nonzero(used[:, :, None] & used[:, None, :])
    labels = found.coded.categories.index()
    inner = [labels.take(first).rename(rater_a), labels.take(second).rename(rater_b)]
    columns: dict[str, Any] = {
        name: values[groups, first, second] for name, values in parts._asdict().items()
    }
    columns["reason"] = _reasons(
        found, groups, np.isnan(columns["contribution"]), parts.n_items.sum(axis=(1, 2))
    )
    frame = _frame(columns, found.index(groups, inner))
    _warn_of_undefined(frame, frame["contribution"].isna(), "contribution")
    return frame


def split(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Split what quadratic weighted kappa lacks into bias, scale and noise.

    Does a rater or a machine score too high, use the scale too widely or too narrowly, or
    rank the items differently? The first two can be mended by rescaling, noise cannot.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The two raters.
    by, categories, distance, missing, sample_weight
        As in `pairs`; the categories must be numbers, ordered, or have scores.

    Returns
    -------
    DataFrame
        One row (for each group, which is the index then):

        - ``n_items``: items rated by both;
        - ``one_minus_kappa``: one less quadratic weighted kappa, the sum of the next three;
        - ``bias``: due to different means; at least 0, as are the other two;
        - ``scale``: due to different standard deviations;
        - ``noise``: due to a correlation below one;
        - ``correlation``: Pearson's, in [-1, 1];
        - ``mean_a, mean_b, sd_a, sd_b``: of the scores; variances are divided by n;
        - ``reason`` for what is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings`` (no disagreement is possible by chance), ``constant_rater``
          (there is no correlation).

    Raises
    ------
    CategoryError
        If nothing says what the order of the categories is.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if `one_minus_kappa` is NaN.

    Notes
    -----
    Quadratic weighted kappa is Lin's concordance correlation with variances divided by n.
    With means m, standard deviations s and correlation r, one minus kappa is
    ``((m_a - m_b)**2 + (s_a - s_b)**2 + 2 * s_a * s_b * (1 - r)) / D`` with
    ``D = s_a**2 + s_b**2 + (m_a - m_b)**2``.

    References
    ----------
    .. [1] Lin, L. I. (1989). A concordance correlation coefficient to evaluate
           reproducibility. Biometrics, 45(1), 255-268. https://doi.org/10.2307/2532051

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.split(df, "human_1", "machine", by="essay_set")
    >>> found[["one_minus_kappa", "bias", "scale", "noise", "correlation"]].head(3).round(3)
               one_minus_kappa   bias  scale  noise  correlation
    essay_set
    1                    0.262  0.000  0.016  0.246        0.750
    2                    0.223  0.003  0.006  0.214        0.784
    3                    0.319  0.001  0.003  0.315        0.684
    """
    found = _coded(
        data,
        [rater_a, rater_b],
        by=by,
        weights="quadratic",
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
    )
    rows = found.rows.compressed()
    scaled = moments(rows, found.scale.scores)
    values = found.coded.categories.scores
    plain = scaled if distance == "rank" or values is None else moments(rows, values[None])
    parts = split_parts(scaled)
    groups = np.arange(found.n_groups)
    constant = is_constant(rows)
    undefined = np.isnan(parts.one_minus_kappa)
    reason = _reasons(found, groups, undefined, scaled.n_items)
    reason[(reason == "") & constant.any(axis=0)] = "constant_rater"
    columns = {
        "n_items": scaled.n_items,
        **parts._asdict(),
        **{name: getattr(plain, name) for name in ("mean_a", "mean_b", "sd_a", "sd_b")},
        "reason": reason,
    }
    index = found.coded.group_index
    frame = _frame(columns, pd.RangeIndex(1) if index is None else index)
    _warn_of_undefined(frame, frame["one_minus_kappa"].isna(), "kappa")
    return frame


def _check_additive(coefficient: str) -> None:
    """Refuse a coefficient that is no weighted mean of those of its categories."""
    check_choice("coefficient", coefficient, ADDITIVE, SYNONYMS)


def _coded(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    *,
    by: By | None,
    weights: Weights | None = None,
    categories: Categories | None,
    distance: str = "value",
    missing: str,
    sample_weight: ItemWeights | None,
    cluster: ItemWeights | None = None,
    needs_identity: bool = True,
) -> _Coded:
    """Check the ratings, and put them into rows with their scale."""
    check_choice("distance", distance, DISTANCES)
    if missing == "em":  # which estimates a joint distribution, not what items do
        raise unknown_choice("missing", missing, MISSING)
    coded = encode(
        data,
        raters,
        by=by,
        categories=categories,
        needs_order=weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        needs_identity=needs_identity,
    )
    scale = weighting.scale_of(weights, coded.categories, distance, coded.in_use)
    return _Coded(coded, rating_rows(coded), scale)


def _every(n_groups: int, n_places: int) -> tuple[IntArray, IntArray]:
    """Pair every group with every place, group by group."""
    return (
        np.repeat(np.arange(n_groups), n_places),
        np.tile(np.arange(n_places), n_groups),
    )


def _nameless(data: pd.DataFrame | Counted, parts: ScaleParts) -> dict[str, FloatArray]:
    """Drop what compares raters where nobody knows who rated."""
    if isinstance(data, Counted) and data.anonymous:
        named = parts.specific_agreement.shape
        parts = parts._replace(prevalence=parts.pooled_share, bias=np.full(named, np.nan))
    return {name: values for name, values in parts._asdict().items() if name != "pooled_share"}


def _scale_frame(
    found: _Coded, parts: dict[str, FloatArray], keep: BoolArray, name: str
) -> pd.DataFrame:
    """Show what holds for each category, or cut, of the scale of each group."""
    groups, places = np.nonzero(keep)
    columns: dict[str, Any] = {column: values[groups, places] for column, values in parts.items()}
    columns["reason"] = _reasons(
        found, groups, np.isnan(columns["kappa"]), found.rows.total(found.rows.n_ratings > 1)
    )
    labels = found.coded.categories.index().rename(name)
    frame = _frame(columns, found.index(groups, [labels.take(places)]))
    _warn_of_undefined(frame, frame["kappa"].isna(), "kappa")
    return frame


def _reasons(
    found: _Coded, groups: IntArray, undefined: BoolArray, n_joint: FloatArray
) -> ObjectArray:
    """Say why a row has no coefficient; empty text where it has one."""
    reason = np.full(groups.shape, "", dtype=object)
    reason[undefined] = "constant_ratings"
    reason[undefined & (n_joint == 0)[groups]] = "no_joint_items"
    empty = found.no_ratings()[groups]
    return np.where(empty == "", reason, empty)


def _frame(columns: dict[str, Any], index: pd.Index) -> pd.DataFrame:
    """Put columns into a frame, counts as integers where they are whole."""
    for name in COUNTS:
        if name in columns and (columns[name] == np.floor(columns[name])).all():
            columns[name] = columns[name].astype(np.int64)
    return pd.DataFrame(columns, index=index)


def _warn_of_undefined(frame: pd.DataFrame, undefined: pd.Series, what: str) -> None:
    """Give one warning that counts the undefined figures and names the first."""
    rows = np.flatnonzero(undefined)
    if not len(rows):
        return
    reasons = frame["reason"].iloc[rows[:MOST_NAMED]]
    shown = [f"{label!r} ({reason})" for label, reason in reasons.items()]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    warn(
        f"{len(rows)} of {len(frame)} {what}(s) are undefined (NaN): {', '.join(shown)}{more}. "
        "The column 'reason' says why.",
        UndefinedKappaWarning,
    )
