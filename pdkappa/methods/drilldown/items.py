"""What each item does to agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from pandas.api.types import is_hashable

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.errors import OptionError, check_choice
from pdkappa.errors import shown as quoted
from pdkappa.methods.drilldown.core.items import LEAVE_ONE_OUT, item_parts
from pdkappa.methods.drilldown.frames import SYNONYMS, frame_of, unless_empty
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import check_columns
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        By,
        Categories,
        Distance,
        ItemWeights,
        Label,
        Missing,
        Raters,
        Weights,
    )
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.long_ratings import Listed


@gate
def items(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    id: Label | None = None,  # noqa: A002  # what a reader would call it
    columns: Raters | None = None,
    coefficient: str = "light",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show how each item affects agreement.

    Which items do the raters disagree about, and which ones are worth adjudicating first?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    id : column label, optional
        The column that names the items. Default: the index of `data`.
    columns : list of column labels, optional
        Columns to show with the figures, such as the text of each item. Unless `raters` names
        them, neither these columns nor the `id` hold ratings.
    coefficient : {"light", "percent", "brennan_prediger", "fleiss", "conger", "gwet", \
"krippendorff"}
        The coefficient of all raters that `effect` and `gain` are about, as in
        `agreement`. Light's is the mean of the pairwise kappas, and Cohen's kappa for two
        raters.
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
        Frequency weights: 2 counts an item twice.

    Returns
    -------
    DataFrame
        One row for each item that counts, labelled as in `data` or by its `id`; items without
        a group or a weight, or with missing ratings if these are left out, do not. After the
        `columns`:

        - ``n_ratings``: number of ratings of the item;
        - ``disagreement``: mean disagreement of the pairs of its ratings, in [0, 1], 1
          being the largest on the scale; NaN for fewer than two ratings;
        - ``share``: its part of the disagreement of all items (of its group), which adds
          up to one; NaN if there is no disagreement at all;
        - ``effect``: the coefficient minus its exact value without the item; below zero for an
          item that lowers agreement;
        - ``gain``: what the coefficient would gain if the ratings of this item agreed,
          while the category shares stayed; the gains add up to one minus the coefficient;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``constant_ratings``,
          ``undefined_without`` (only this item makes the coefficient defined), ``single_rating``,
          ``no_disagreement``.

    Raises
    ------
    OptionError
        If `id` or `columns` names no column, one twice, or one that is called as a figure.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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
    shown = beside(data, id, columns, by)
    reading = Reading(by, weights, categories, distance, missing, sample_weight, beside=shown.names)
    study = read(
        data, raters, reading, needs_identity=MULTIRATER[coefficient].of_persons, of_crowds=True
    )
    study.warn_of_categories([coefficient])
    frame = item_frame(study, coefficient=coefficient, shown=shown)
    frame.index = study.groups.of_items(frame.index)
    warn_if_undefined("effect", frame["effect"].isna(), frame["reason"])
    return result(frame, study.named_raters)


class Beside(NamedTuple):
    """Columns that are shown with the items: what names them, and what stands beside it."""

    id: Label | None = None
    columns: tuple[Label, ...] = ()

    @property
    def names(self) -> tuple[Label, ...]:
        """All of them; none is a rater unless it is named as one."""
        return self.columns if self.id is None else (self.id, *self.columns)


def beside(
    data: pd.DataFrame | Counted | Listed, name: Label | None, columns: Raters | None, by: By | None
) -> Beside:
    """Check the columns that are to be shown with the items."""
    if name is None and columns is None:
        return Beside()
    if isinstance(data, Counted):
        message = "id and columns are for ratings of single items, which counts do not have."
        raise OptionError(message)
    if isinstance(columns, str) or not pd.api.types.is_list_like(
        [] if columns is None else columns
    ):
        message = f"columns must be a list of columns, got {quoted(columns)}. Write columns=[...]."
        raise OptionError(message)
    found = Beside(name, () if columns is None else tuple(columns))
    if isinstance(data, pd.DataFrame):
        check_columns(data, [] if name is None else [name], "id")
        check_columns(data, list(found.columns), "shown")
    groups = [one for one in (by if isinstance(by, list) else [by]) if is_hashable(one)]
    taken = {*schema.ITEMS, *groups} - {None}
    for place, one in enumerate(found.names):
        if one in taken or one in found.names[:place]:
            message = (
                f"Column {one!r} of id or columns is in the result already. Name it once, or "
                "rename it with data.rename(columns=...)."
            )
            raise OptionError(message)
    return found


NOTHING = Beside()


def item_labels(study: Study, shown: Beside) -> pd.Index:
    """Name the items as the frame does, or as the column that names them."""
    if shown.id is None:
        return study.coded.items
    return pd.Index(study.frame[shown.id].iloc[study.coded.rows], name=shown.id)


def item_frame(study: Study, *, coefficient: str, shown: Beside = NOTHING) -> pd.DataFrame:
    """Return one row for each item, with what is shown beside it."""
    parts = item_parts(study.ratings, study.scale, coefficient)
    items = study.frame.iloc[study.coded.rows]
    frame = frame_of(parts._asdict(), item_labels(study, shown))
    frame["reason"] = unless_empty(study, study.ratings.group, frame["reason"].to_numpy())
    for place, name in enumerate(shown.columns):
        frame.insert(place, name, items[name].array)
    return frame
