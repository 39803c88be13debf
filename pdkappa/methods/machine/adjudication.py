"""Which items need another look, and what that would do for agreement: `adjudication`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import DISTANCES, influence_of, joint_scores
from pdkappa.coefficients.score_limits import AT_FLOOR
from pdkappa.errors import OptionError, plural
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_by, number_that
from pdkappa.methods.estimates.pair_frames import in_turns, warn_if_undefined
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import Bundle, result
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows

ITEMS = ("all", "without", "settled")


class Apart(NamedTuple):
    """How far scores of each row are apart, NaN without two of them, and whether that is too far.

    Every field has shape (U,).
    """

    humans: FloatArray
    machine: FloatArray
    listed_for_humans: BoolArray
    listed_for_machine: BoolArray

    @property
    def listed(self) -> BoolArray:
        """Whether it is too far for either reason."""
        return self.listed_for_humans | self.listed_for_machine


def apart(rows: RatingRows, scores: FloatArray, humans: float, machine: float) -> Apart:
    """Find the rows whose humans, or machine and mean of the humans, are further apart than that.

    The last rater is the machine.
    """
    values = np.append(scores, np.nan)[rows.codes]
    known = rows.codes[:-1] >= 0
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore"):  # no human
        mean = np.where(known, values[:-1], 0.0).sum(axis=0) / np.where(n > 0, n, np.nan)
    spread = np.where(n > 1, np.ptp(np.where(known, values[:-1], mean), axis=0), np.nan)
    away = np.abs(values[-1] - mean)
    return Apart(spread, away, spread > humans + AT_FLOOR, away > machine + AT_FLOOR)


@dataclass(frozen=True, eq=False, repr=False)
class Adjudication(Bundle):
    """Items whose scores are too far apart to be accepted.

    Attributes
    ----------
    agreement : DataFrame
        Agreement of all items, without those of the list, and with these settled; see
        `df.kappa.machine.adjudication`.
    items : DataFrame
        One row for each item of the list; see there.
    n_items : int
        Number of items in all.

    See Also
    --------
    df.kappa.machine.adjudication : Compute it.
    """

    agreement: pd.DataFrame = field(repr=False)
    items: pd.DataFrame = field(repr=False)
    n_items: int

    @property
    def sentence(self) -> str:
        """Say how many items are to be looked at."""
        items = plural(self.n_items, "item")
        return f"{len(self.items)} of {self.n_items} {items} to adjudicate; qwk before and after:"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw quadratic weighted kappa before and after adjudication.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all rows.

        Returns
        -------
        Axes
            With kappa on the horizontal axis.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_figures, in_decimals

        frame, caption = self.agreement, "quadratic weighted kappa"
        columns = {"n": [f"{n:.10g}" for n in frame["n_items"]], "qwk": in_decimals(frame["qwk"])}
        return draw_figures(frame, ("qwk",), caption=caption, columns=columns, ax=ax)


POINTS = number_that(lambda value: 0 <= value < np.inf, "be a number of points, from 0 upwards")


class OfAdjudication(has.OneOrTwoHumansAndMachine, has.By, has.Ratings):
    """Options of `adjudication`."""

    humans_apart: float = option(
        "How many points the two humans may differ by.", "float", default=1.0, check=POINTS
    )
    machine_apart: float = option(
        "How many points the machine may differ by from the human, or the mean of both.",
        "float",
        default=1.0,
        check=POINTS,
    )


@asks(OfAdjudication, by="Agreement in each group, and the items labelled by theirs.")
def adjudication(data: pd.DataFrame | Counted, asked: OfAdjudication) -> Adjudication:
    """List the items whose scores are too far apart, and what settling them would change.

    Which essays does a third reader get, and is the effort worth it?

    Returns
    -------
    Adjudication
        Its ``items`` have one row for each item of the list, the furthest apart first (in its
        group), labelled as in `data`:

        - ``score_human, score_second, score_machine``: numbers, NaN where missing;
        - ``humans_apart, machine_apart``: points between them, NaN without two;
        - ``why``: "humans", "machine" or "both", who is too far apart.

        Its ``agreement`` has rows ``consistency`` (of the humans, if there are two) and
        ``evaluation`` (human and machine), each (in each group) for ``items``

        - ``all``: as they are;
        - ``without``: those that are not on the list;
        - ``settled``: all, if on those of the list both ended with the human's score: the most
          that settlement could bring;

        with ``n_items``, quadratic weighted kappa as ``qwk``, and the ``reason`` for NaN:
        ``no_joint_items``, ``constant_ratings``, ``no_items``, ``zero_total_weight``.

    Raises
    ------
    OptionError
        If the ratings are counts of no single items.

    See Also
    --------
    items : What each item does to agreement.

    Notes
    -----
    Agreement after settlement is no evidence for the machine: items were chosen because it was
    far off.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 1")
    >>> found = df.kappa.machine.adjudication(
    ...     ["human_1", "human_2"], "machine", machine_apart=2
    ... )
    >>> found
    72 of 300 items to adjudicate; qwk before and after:
    <BLANKLINE>
                         n_items   qwk
    comparison  items
    consistency all          300  0.73
                without      228  0.89
                settled      300  0.93
    evaluation  all          300  0.74
                without      228  0.79
                settled      300  0.86
    <BLANKLINE>
    Agreement before and after adjudication · missing: pairwise · 300 items
    >>> found.items[["score_human", "score_second", "score_machine", "why"]].head(3)
        score_human  score_second  score_machine     why
    31         12.0           9.0            9.0  humans
    46          5.0           8.0            6.0  humans
    47         10.0           7.0            9.0  humans
    """
    if len(asked.people) == 1:
        asked.refuse("humans_apart", because="there is one human", instead="Pass a second one")
    if isinstance(data, Counted):
        raise OptionError(
            "adjudication lists single items, which counts do not have. Pass the ratings."
        )
    check_by(asked.by, {*schema.ADJUDICATION, *schema.SETTLED, "comparison", "items"})
    names = [*asked.people, asked.machine]
    scored = read_scores(data, names, asked.reading, needs_order="adjudication")
    found = apart(scored.rows, scored.scores, asked.humans_apart, asked.machine_apart)
    agreement = _agreement(scored, found)
    rated = (scored.rows.codes >= 0).any(axis=0)
    warn_if_undefined("comparison", agreement["qwk"].isna(), agreement["reason"])
    return Adjudication(agreement, _items(scored, found), int(rated.sum()))


def _items(scored: NumericRows, found: Apart) -> pd.DataFrame:
    """Return the list, the furthest apart first in each group."""
    values = np.append(scored.scores, np.nan)[scored.rows.codes]
    furthest = np.fmax(found.humans, found.machine)
    listed = np.flatnonzero(found.listed)
    order = listed[np.lexsort((-furthest[listed], scored.rows.group[listed]))]
    alone = len(values) == 2  # noqa: PLR2004
    columns: dict[str, Any] = {
        "score_human": values[0],
        "score_second": np.nan if alone else values[1],
        "score_machine": values[-1],
        "humans_apart": found.humans,
        "machine_apart": found.machine,
        "why": np.where(
            found.listed_for_humans & found.listed_for_machine,
            "both",
            np.where(found.listed_for_humans, "humans", "machine"),
        ),
        "reason": "",
        "remark": "",
    }
    frame = pd.DataFrame(columns, index=scored.coded.groups.of_items(scored.coded.items))
    return result(frame.iloc[order], scored.coded.raters)


def _agreement(scored: NumericRows, found: Apart) -> pd.DataFrame:
    """Return qwk of the humans, and of human and machine, with and without the list."""
    rows, last = scored.rows, len(scored.rows.codes) - 1
    pairs = (
        {"evaluation": (0, last)} if last == 1 else {"consistency": (0, 1), "evaluation": (0, 2)}
    )
    parts: list[dict[str, Any]] = []
    for pair in pairs.values():
        both = (rows.codes[list(pair)] >= 0).all(axis=0)
        joint, listed = joint_scores(rows, pair), found.listed[both]
        first, second = joint.codes
        settled = joint.with_rows(codes=np.stack([first, np.where(listed, first, second)]))
        for some in (joint, joint.select(~listed), settled):  # as `ITEMS` are called
            n, (qwk, _) = some.n_items, influence_of(some, scored.scores, DISTANCES["quadratic"])
            why = np.where(n > 0, "constant_ratings", "no_joint_items")
            reason = np.where(np.isnan(qwk), np.where(scored.empty == "", why, scored.empty), "")
            parts.append({"n_items": n, "qwk": qwk, "reason": reason})
    inner = pd.MultiIndex.from_product([list(pairs), ITEMS], names=["comparison", "items"])
    frame = in_turns(parts, schema.SETTLED[:-1], scored.coded.groups, inner)
    return result(frame.assign(remark=""), scored.coded.raters)
