"""The items that raters disagree about, and the cells of their table: `items`, `cells`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from pandas.api.types import is_hashable

from pdkappa.coefficients.all_raters import MULTIRATER, basics_of, sum_by_group
from pdkappa.coefficients.chance import hard_items, pooled_margins
from pdkappa.coefficients.influence import disagreement_within
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ROUNDING, positive
from pdkappa.coefficients.sparse_rows import counts_of_pairs, is_full, joints, wide
from pdkappa.coefficients.weights import NOMINAL, Scale
from pdkappa.errors import OptionError, check_text
from pdkappa.errors import shown as quoted
from pdkappa.methods.drilldown.categories import unless_empty, whether_defined
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks
from pdkappa.methods.estimates.pair_frames import framed, warn_if_undefined
from pdkappa.methods.estimates.study import check_cells, read
from pdkappa.methods.estimates.together import warn_if_biased
from pdkappa.methods.estimates.told import hear_of_joint
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, tidy
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import check_columns
from pdkappa.ratings.long_ratings import Listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, By, FloatArray, IntArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.chance import ChanceModel
    from pdkappa.coefficients.influence import Basics
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.sparse_rows import Joint
    from pdkappa.methods.estimates.study import Study


MOST_PLACES = 1 << 16  # of pairs of ratings that are looked up at a time


class JointTables(NamedTuple):
    """Cells of the tables of P pairs of raters in G groups, of rows that count all the same.

    It stands for a `Joint` where a value of a row goes by its two ratings alone.
    """

    raters: IntArray  # (2, P)
    group: IntArray  # (G x P,)
    rows: RatingRows  # the cells that occur; each table is a group of its own
    weight: float  # what each of the U rows of all raters counts
    whole: RatingRows

    def add_to(self, total: FloatArray, values: FloatArray) -> None:
        """Add a value of each cell to the rows whose two ratings are in it, shape (U,)."""
        if not values.any():
            return
        levels, n_pairs = self.rows.n_categories + 1, self.raters.shape[1]  # one is of no rating
        tables = np.zeros((self.rows.n_groups, levels, levels))
        tables[self.rows.group, *self.rows.codes] = values
        codes = self.whole.codes.astype(np.intp) % levels
        table = self.whole.group * n_pairs
        step = max(MOST_PLACES // max(len(total), 1), 1)
        for start in range(0, n_pairs, step):
            first, second = self.raters[:, start : start + step]
            place = (table + np.arange(start, start + len(first))[:, None]) * levels
            place = ((place + codes[first]) * levels) + codes[second]
            total += tables.reshape(-1)[place].sum(axis=0)

    def sum(self, values: FloatArray, n_groups: int) -> FloatArray:
        """Sum a value of each table, shape (G x P,), over the pairs of each group."""
        return sums_at(self.group, values, n_groups)


def joints_or_tables(rows: Rows) -> Iterator[Joint | JointTables]:
    """Return the cells of pairs of raters, some pairs at a time, or else the rows that they share.

    What is summed over the rows has to go by the two ratings and the weight of a row alone.
    """
    if not is_full(rows) or (rows.count != rows.count[:1]).any():
        yield from joints(rows)
        return
    own = wide(rows)
    for some, counts, each in counts_of_pairs(own):
        cells = RatingRows.of_cells(counts, each)
        group = np.arange(own.n_groups).repeat(len(some))
        yield JointTables(np.array(some).T, group, cells, each, own)


class Without(NamedTuple):
    """A coefficient (G,), its value without each row (U,), and the gain of each row (U,)."""

    estimate: FloatArray
    without: FloatArray
    gain: FloatArray


class LeaveOneOut(Protocol):
    """Compute a coefficient without each row in turn."""

    def __call__(self, rows: Rows, scale: Scale, basics: Basics) -> Without:
        """Take rows of ratings, their scale, and what is known of them already."""
        ...


def item_parts(rows: Rows, scale: Scale, name: str) -> dict[str, FloatArray | ObjectArray]:
    """Compute what each row does to a coefficient of ``LEAVE_ONE_OUT``.

    A row leaves with all its weight. The categories stay what they are, so that Gwet's and
    Brennan and Prediger's coefficients do not lose the one that only this row used. Each
    figure of the U rows has shape (U,):

    n_ratings : ndarray of float
    disagreement : ndarray of float
        Mean disagreement of the pairs of its ratings, in [0, 1]; NaN for fewer than two.
    share : ndarray of float
        Its part of the disagreement of all items of the group; they add up to one.
    effect : ndarray of float
        The coefficient, less its value without the row.
    gain : ndarray of float
        What the coefficient would gain if the ratings agreed and the expected disagreement
        stayed what it is; in a group they add up to one minus the coefficient.
    reason : ndarray of object
        Why something is NaN; empty where nothing is.
    """
    basics = basics_of(rows, scale)
    found = LEAVE_ONE_OUT[name](rows, scale, basics)
    apart, group = basics.each, rows.group
    with np.errstate(divide="ignore", invalid="ignore"):
        share = rows.count * apart / basics.sums[0][group]
    effect = found.estimate[group] - found.without
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))
    reason = np.full(group.shape, "", dtype=object)
    reason[np.isnan(share)] = "no_disagreement"
    reason[~basics.paired] = "single_rating"
    reason[np.isnan(found.without)] = "undefined_without"
    reason[np.isnan(found.estimate)[group]] = "constant_ratings"
    reason[(basics.n_paired == 0)[group]] = "no_joint_items"
    reason[rows.n_ratings == 0] = "no_items"
    return {
        "n_ratings": rows.n_ratings,
        "disagreement": np.where(basics.paired, apart / largest[group], np.nan),
        "share": share,
        "effect": effect,
        "gain": np.where(np.isnan(found.estimate)[group], np.nan, found.gain),
        "reason": reason,
    }


def _light_without(rows: Rows, scale: Scale, basics: Basics) -> Without:  # noqa: ARG001
    """Leave each row out of all pairs of raters; a pair that did not rate it stays the same."""
    total, n_pairs = np.zeros((2, rows.n_groups))
    change, fewer, gain = np.zeros((3, len(rows.count)))
    for joint in joints_or_tables(rows):
        one = _pair_without(joint.rows, scale.take(joint.group), joint.weight)
        group = joint.rows.group
        defined, left = ~np.isnan(one.estimate), ~np.isnan(one.without)
        kappa = np.where(defined, one.estimate, 0)
        total += joint.sum(kappa, rows.n_groups)
        n_pairs += joint.sum(defined, rows.n_groups)
        joint.add_to(change, np.where(left, one.without, 0) - kappa[group])
        joint.add_to(fewer, (defined[group] & ~left).astype(np.float64))
        joint.add_to(gain, np.where(defined[group], one.gain, 0))
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        without = (total[rows.group] + change) / (n_pairs[rows.group] - fewer)
        return Without(total / n_pairs, without, gain / n_pairs[rows.group])


def _pair_without(rows: RatingRows, scale: Scale, weight: FloatArray | float) -> Without:
    """Leave a row out of Cohen's kappa of two raters who rated all of them, one of each kind.

    It counts `weight`, and all of its kind as many as `rows` has.
    """
    weight, rows = weight / rows.unit, rows.in_units()
    (first, second), group = rows.codes, rows.group
    ones = np.ones(len(group))
    n = rows.total(ones)
    row, col = (rows.margin_of(codes, ones) for codes in (first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_row, by_col = (np.nan_to_num(scale.spread(margin)) for margin in (col, row))
        expected = (row * by_row).sum(axis=-1)
        apart = scale.between(group, first, second)
        observed = rows.total(apart)
        lost = weight * (rows.lookup(by_row, first) + rows.lookup(by_col, second))
        left = expected[group] - lost + weight**2 * apart
        left = positive(left, expected[group])
        ratio = (n[group] - weight) * (observed[group] - weight * apart) / left
        size = n / positive(expected)
        return Without(1 - observed * size, 1 - ratio, weight * apart * size[group])


def _ratio_without(rows: Rows, basics: Basics, expected: FloatArray, left: FloatArray) -> Without:
    """Leave each row out of the observed disagreement, given what is then expected, (U,)."""
    group, paired = rows.group, rows.count * basics.paired
    apart, observed = basics.each, basics.sums[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        known = basics.n_paired * positive(expected)
        n_left = basics.n_paired[group] - paired
        rest = (observed[group] - paired * apart) / n_left
        without = 1 - rest / positive(left, expected[group])
        without = np.where(n_left > ROUNDING * basics.n_paired[group], without, np.nan)
        return Without(1 - observed / known, without, paired * apart / known[group])


def _corrected_without(chance: ChanceModel) -> LeaveOneOut:
    """Leave each row out of a coefficient whose chance model is quadratic in the shares.

    Along the line from the shares of all items away from those of the row, the model is a
    parabola. Its value and slope at the one end and its value at the other determine it.
    """

    def model(rows: Rows, scale: Scale, basics: Basics) -> Without:
        group, rated = rows.group, rows.n_ratings > 0
        ratings = np.where(rated, rows.n_ratings, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = rows.margins(rated / ratings) / rows.n_items[:, None]
            found = chance(shares, shares, scale, rows.n_items)
            slope = found.by_row + found.by_col
            rise = rows.sum_of(slope) / ratings - (shares * slope).sum(axis=-1)[group]
            start = found.expected[group]
            end = _expected_of_rows(chance, rows, scale, basics, shares)
            weight = rows.count * rated
            step = weight / (rows.n_items[group] - weight)
            left = start - step * rise + step**2 * (end - start - rise)
            left = np.where(rated, left, start)
        return _ratio_without(rows, basics, found.expected, left)

    return model


def _expected_of_rows(
    chance: ChanceModel, rows: Rows, scale: Scale, basics: Basics, shares: FloatArray
) -> FloatArray:
    """Compute what would be expected if all items had the shares of the row, shape (U,)."""
    ratings = np.maximum(rows.n_ratings, 1)
    expected = chance(shares, shares, scale, rows.n_items).expected
    if chance is pooled_margins:
        return basics.apart / ratings**2
    if chance is hard_items:
        largest = np.broadcast_to(scale.largest, expected.shape)
        varied = (shares * (1 - shares)).sum(axis=-1)
        pull = np.divide(largest - expected, varied, out=np.zeros_like(varied), where=varied > 0)
        own = disagreement_within(rows, Scale(NOMINAL, scale.scores, scale.in_use)) / ratings**2
        return (largest[rows.group] - pull[rows.group] * own).astype(np.float64, copy=False)
    return expected[rows.group]  # of any shares the same


def _conger_without(rows: Rows, scale: Scale, basics: Basics) -> Without:
    """Leave each row out of the shares of every rater.

    Without a row, the shares p of a rater who gave it category c become
    ``(1 + step) p - step e_c``. The disagreement expected of two raters then changes by a
    term for each of them, and by one for both if both rated the row.
    """
    group = rows.group
    subject, cells = rows.by_rater.occurring()
    of_group, n_rated = subject // rows.n_raters, cells.total(cells.count)
    of_cell = replace(cells, count=cells.count / n_rated[cells.subject])
    shares = of_cell.dense()
    spread = scale.take(of_group).spread(shares)
    margin = Margin(subject, n_rated, shares, spread)
    others = scale.spread(sum_by_group(of_cell, of_group, rows.n_groups))[of_group] - spread
    of_rater = (shares * others).sum(axis=-1)
    total = np.bincount(of_group, weights=of_rater, minlength=rows.n_groups) / 2
    n_raters = np.bincount(of_group, minlength=rows.n_groups)
    left, n_left = total[group], n_raters[group].astype(np.float64)
    for rater, (row, code) in enumerate(rows.each_rater()):
        who = np.searchsorted(subject, group[row] * rows.n_raters + rater)
        step, kept = _step(rows.count[row], n_rated[who])
        left[row] += step * (of_rater[who] - kept * others[who, code])
        n_left[row] -= ~kept
    for joint in joints(rows):
        change = _of_both(joint, scale, margin, joint.group * rows.n_raters + joint.raters)
        joint.add_to(left, change)
    n_pairs = np.maximum(n_raters * (n_raters - 1) / 2, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _ratio_without(rows, basics, total / n_pairs, left / (n_left * (n_left - 1) / 2))


class Margin(NamedTuple):
    """What raters who rated in a group, S subjects in ascending order, have of each category."""

    subject: IntArray  # (S,)
    n_rated: FloatArray  # (S,)
    shares: FloatArray  # (S, K)
    spread: FloatArray  # (S, K), how far it is from their ratings


def _of_both(joint: Joint, scale: Scale, margin: Margin, subjects: IntArray) -> FloatArray:
    """Change of the disagreement expected of two raters that is due to both, shape (J,)."""
    rows, (first, second), group = joint.rows, joint.rows.codes, joint.rows.group
    if not len(group):
        return np.zeros(0)
    r, s = np.minimum(np.searchsorted(margin.subject, subjects), len(margin.subject) - 1)
    (a, a_kept), (b, b_kept) = (_step(rows.count, margin.n_rated[one][group]) for one in (r, s))
    change = np.einsum("sk,sk->s", margin.shares[r], margin.spread[s])[group]
    change -= b_kept * margin.spread[r[group], second] + a_kept * margin.spread[s[group], first]
    change += a_kept * b_kept * scale.between(joint.group[group], first, second)
    return a * b * change


def _step(weight: FloatArray, n_rated: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Weight of each row relative to all others that a rater rated, and whether there are any.

    Without others the step is -1, so that nothing remains of the shares of the rater.
    """
    others = n_rated - weight
    kept = others > ROUNDING * n_rated
    return np.divide(weight, others, out=np.full(weight.shape, -1.0), where=kept), kept


def _krippendorff_without(rows: Rows, scale: Scale, basics: Basics) -> Without:
    """Leave the pairable ratings of each row out of alpha."""
    one, rows = 1 / rows.unit, rows.in_units()
    group, weight = rows.group, rows.count * basics.paired
    paired = basics.paired.astype(np.float64)
    of_item = np.where(basics.paired, basics.apart / np.maximum(rows.n_ratings - 1, 1), 0.0)
    observed, n_ratings = rows.total(of_item), rows.total(paired * rows.n_ratings)
    margins = rows.margins(paired)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.nan_to_num(scale.spread(margins))
        expected = (margins * spread).sum(axis=-1)
        left = expected[group] - 2 * weight * rows.sum_of(spread) + weight**2 * basics.apart
        n_left = n_ratings[group] - weight * rows.n_ratings
        rest = (n_left - one) * (observed[group] - weight * of_item)
        size = (n_ratings - one) / positive(expected)
        without = 1 - rest / positive(left, expected[group])
        return Without(1 - observed * size, without, weight * of_item * size[group])


OTHERS: dict[str, LeaveOneOut] = {
    "conger": _conger_without,
    "light": _light_without,
    "krippendorff": _krippendorff_without,
}
LEAVE_ONE_OUT: dict[str, LeaveOneOut] = {
    name: OTHERS[name] if row.chance is None else _corrected_without(row.chance)
    for name, row in MULTIRATER.items()
}


class OfItems(has.Raters, has.By, has.Columns, has.OfAll, has.Weights, has.Ratings):
    """Options of `items`."""


@asks(OfItems, coefficient="`effect` and `gain` are about it.")
def items(data: pd.DataFrame | Counted | Listed, asked: OfItems) -> Result:
    """Show how each item affects agreement.

    Which items do the raters disagree about, and which ones are worth adjudicating first?

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

    Notes
    -----
    The effect is computed from the sums that the coefficient is made of, less those of the
    item: it costs no more than the coefficient itself and is no approximation. An item
    with a `sample_weight` leaves with its whole weight. The categories stay what they are
    when the only item in one of them leaves.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = df.kappa.items(weights="quadratic")
    >>> found.sort_values("effect").head(3).round(3)
             n_ratings  disagreement  share  effect   gain reason remark
    subject
    2                3         0.507  0.196  -0.080  0.162
    9                3         0.320  0.124  -0.035  0.095
    12               3         0.347  0.134  -0.031  0.106

    The gains add up to what is missing to perfect agreement:

    >>> kappas = df.kappa.pairs(weights="quadratic")["estimate"]
    >>> bool(np.isclose(found["gain"].sum(), 1 - kappas.mean()))
    True
    """
    shown = beside(data, asked.id, asked.columns, asked.by)
    reading, identity = asked.reading, MULTIRATER[asked.coefficient].of_persons
    reading = replace(reading, beside=shown.names)
    study = read(data, asked.raters, reading, needs_identity=identity, of_crowds=True)
    study.warn_of_categories([asked.coefficient])
    warn_if_biased(study, asked.coefficient)
    frame = item_frame(study, coefficient=asked.coefficient, shown=shown)
    frame.index = study.groups.of_items(frame.index)
    warn_if_undefined("effect", frame["effect"].isna(), frame["reason"])
    return tidy(frame, study.named_raters)


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
        raise OptionError(
            "id and columns are for ratings of single items, which counts do not have."
        )
    if isinstance(columns, str) or not pd.api.types.is_list_like(
        [] if columns is None else columns
    ):
        raise OptionError(
            f"columns must be a list of columns, got {quoted(columns)}. Write columns=[...]."
        )
    found = Beside(name, () if columns is None else tuple(columns))
    held = data.item_frame if isinstance(data, Listed) else data
    check_columns(held, [] if name is None else [name], "id")
    check_columns(held, list(found.columns), "shown")
    groups = [one for one in (by if isinstance(by, list) else [by]) if is_hashable(one)]
    taken = {*schema.ITEMS, *groups} - {None}
    for place, one in enumerate(found.names):
        if one in taken or one in found.names[:place]:
            raise OptionError(
                f"Column {quoted(one)} of id or columns is in the result already. Name it once, or "
                "rename it with data.rename(columns=...)."
            )
        check_text(held[one].to_numpy(), f"Column {quoted(one)}")
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
    frame = framed(parts, item_labels(study, shown))
    frame["reason"] = unless_empty(study, study.ratings.group, frame["reason"].to_numpy())
    for place, name in enumerate(shown.columns):
        frame.insert(place, name, items[name].array)
    return frame


def cell_parts(rows: RatingRows, scale: Scale) -> dict[str, FloatArray]:
    """Split Cohen's kappa of two raters into the cells of their table, all of shape (G, K, K).

    A contribution is the excess of expected over observed disagreement, relative to all that is
    expected: the cells of a table add up to kappa. It is NaN where none is expected.
    """
    first, second = rows.codes
    both = (first >= 0) & (second >= 0)
    k = rows.n_categories
    place = (rows.group[both].astype(np.int64) * k + first[both]) * k + second[both]
    unit = rows.unit  # so that products of counts neither overflow nor vanish
    flat = np.bincount(place, weights=rows.count[both] / unit, minlength=rows.n_groups * k * k)
    table = flat.astype(np.float64, copy=False).reshape(rows.n_groups, k, k)
    n = table.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / n
        expected = np.nan_to_num(expected)
        tables = range(rows.n_groups)
        apart = (
            np.broadcast_to(scale.matrix(), table.shape)
            if scale.is_shared
            else np.stack([scale.matrix(number) for number in tables])
        )
        total = (apart * expected).sum(axis=(1, 2), keepdims=True)
        contribution = apart * (expected - table) / positive(total) + 0.0  # no minus zero
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[:, None, None]
    return {
        "n_items": table * unit,
        "expected_items": expected * unit,
        "disagreement": apart / largest,
        "contribution": contribution,
    }


class OfCells(has.Pair, has.By, has.Weights, has.Ratings):
    """Options of `cells`."""

    figure = "the disagreement in each cell of the table"


@asks(OfCells, rater_a="It is in the rows.", rater_b="It is in the columns.")
def cells(data: pd.DataFrame | Counted, asked: OfCells) -> Result:
    """Split Cohen's kappa of two raters into the cells of their table.

    Which confusions cost most, and which are rarer than expected by chance?

    Returns
    -------
    DataFrame
        One row for each cell (and group), indexed by the categories of both raters; use
        ``frame["contribution"].unstack()`` for a table.

        - ``n_items``: items in the cell;
        - ``expected_items``: items expected by chance, given the raters' shares;
        - ``disagreement``: of the two categories, in [0, 1];
        - ``contribution``: the contributions sum to kappa, exactly; below zero for a confusion
          that is more frequent than by chance, and 0 on the diagonal;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``constant_ratings``.

    Raises
    ------
    TooLargeError
        If there would be more than 2**26 cells.

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
    >>> found = df.kappa.cells("rater_1", "rater_2", weights="linear")
    >>> found["contribution"].sort_values().head(2).round(3)
    rater_1  rater_2
    3        4         -0.068
    6        3         -0.061
    Name: contribution, dtype: float64
    >>> print(f"{found['contribution'].sum():.3f}")
    0.189
    """
    study = read(data, [asked.rater_a, asked.rater_b], asked.reading)
    check_cells(study)
    hear_of_joint(study.coded)
    parts = cell_parts(study.rows.compressed, study.scale)
    used = study.in_use
    groups, first, second = np.nonzero(used[:, :, None] & used[:, None, :])
    columns: dict[str, Any] = {
        name: values[groups, first, second] for name, values in parts.items()
    }
    undefined, n_joint = np.isnan(columns["contribution"]), parts["n_items"].sum(axis=(1, 2))
    columns["reason"] = whether_defined(study, groups, undefined, n_joint)
    labels = study.coded.categories.index()
    inner = [labels.take(first).rename(asked.rater_a), labels.take(second).rename(asked.rater_b)]
    frame = framed(columns, study.groups.index(groups, inner))
    warn_if_undefined("contribution", undefined, frame["reason"])
    return tidy(frame, study.raters)
