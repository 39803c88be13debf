"""What each item does to the coefficients of all raters: `influence`, `covariance`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import basics_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import moments_of_pairs
from pdkappa.coefficients.sparse_rows import each_joint
from pdkappa.errors import check_choice
from pdkappa.methods.agreement.together import (
    SHARES,
    models_of,
    read_together,
    without_light,
)
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import check_covariances
from pdkappa.methods.estimates.study import read
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        ItemWeights,
        Missing,
        Raters,
        Weights,
        WeightType,
    )
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed


@gate
def influence(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficients: Sequence[str] | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    shares: str = "items",
) -> pd.DataFrame:
    """Show the influence of each item on the coefficients of all raters.

    The influence of an item is n times the derivative of a coefficient with respect to
    the weight of the item: leaving it out changes the coefficient by about minus its
    influence divided by n.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficients : list of str, optional
        Which coefficients, by their names in `agreement`. Default: those of `agreement`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use all ratings, use only the items that all raters rated, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    shares : {"items", "ratings"}
        Whether category shares are averaged over items or over ratings. See `agreement`.

    Returns
    -------
    DataFrame, shape (N, number of coefficients)
        One row for each item that counts, with its label in `data`: not those without a
        group, without weight, or, with ``missing="listwise"``, without all ratings. An
        item without any rating has no influence, 0. The weighted mean over the items of a
        group is 0. NaN where the coefficient is undefined.

    Raises
    ------
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    See Also
    --------
    covariance : Covariances of the pairwise coefficients, from the same values.

    Notes
    -----
    The squared standard error of a coefficient is the sum of the squared influences of n
    items, divided by n (n - 1). The small-sample factor of Krippendorff's alpha is held
    fixed.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> values = pdkappa.influence(df, weights="quadratic")
    >>> n = len(values)
    >>> se = (values**2).sum() ** 0.5 / (n * (n - 1)) ** 0.5
    >>> bool(np.isclose(se["fleiss"], pdkappa.agreement(df, weights="quadratic").se["fleiss"]))
    True
    """
    check_choice("shares", shares, SHARES)
    models = models_of(data, coefficients, weights)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    found = read_together(data, raters, reading, models)
    models = without_light(models, len(found.raters), coefficients)
    rows, scale = found.ratings, found.scale
    basics = basics_of(rows, scale, by_items=shares == "items")
    columns = {name: model(rows, scale, basics).influence for name, model in models.items()}
    frame = pd.DataFrame(columns, index=found.groups.of_items(found.coded.items))
    return result(frame, found.named_raters)


@gate
def covariance(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
) -> pd.DataFrame:
    """Estimate the covariances of all pairwise coefficients.

    They share items, and often a rater, so they are not independent. Any contrast of them, such as
    the mean of some minus that of others, has the variance ``c @ V @ c``.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.

    Returns
    -------
    DataFrame, shape (P, P)
        Rows and columns are the pairs of raters, in the order of `pairs`; with `by`, one
        such square for each group, one below the other. NaN where a
        coefficient is undefined, and for Cohen's kappa with a rater who used a single
        category, which is 0 whatever the items are. The diagonal holds squared standard
        errors; they divide by n (n - 1) with n the number of items with any rating, and so
        are a little larger than those of `pairs`, which divide by n.

    Raises
    ------
    TooLargeError
        If there would be more than 2**26 covariances, as of 129 raters or more.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> v = pdkappa.covariance(df, weights="quadratic")
    >>> v.shape
    (3, 3)
    """
    check_choice("coefficient", coefficient, COEFFICIENTS)
    found = read(
        data,
        raters,
        Reading(by, weights, categories, distance, missing, sample_weight, weight_type, cluster),
    )
    found.warn_of_categories([coefficient])
    check_covariances(len(found.coded.raters), found.n_groups)
    sides = zip(*combinations(range(len(found.coded.raters)), 2), strict=True)
    labels = index_of(found.coded.raters)
    columns = pd.MultiIndex.from_arrays(
        [labels.take(list(side)) for side in sides], names=["rater_a", "rater_b"]
    )
    model, rows, n_pairs = COEFFICIENTS[coefficient], found.rows.compressed(), len(columns)
    values = moments_of_pairs(rows, found.scale, model).covariance
    if model.keeps_margins:
        fixed = np.stack(
            [joint.rows.is_constant((0, 1)).any(axis=0) for joint in each_joint(rows)], axis=1
        )
        values[fixed[:, :, None] | fixed[:, None]] = np.nan
    groups, places = np.divmod(np.arange(found.n_groups * n_pairs), n_pairs)
    inner = [columns.get_level_values(level).take(places) for level in range(columns.nlevels)]
    frame = pd.DataFrame(
        values.reshape(-1, n_pairs), index=found.groups.index(groups, inner), columns=columns
    )
    return result(frame, found.raters)
