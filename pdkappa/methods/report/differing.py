"""Ratings of somebody beside those of people -> how they differ, as part of a sentence."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import two_sided
from pdkappa.errors import plural
from pdkappa.methods.drilldown.raters import confusions, effects_below, over_groups, rater_parts
from pdkappa.methods.estimates.pair_frames import remarks_on_raters
from pdkappa.methods.estimates.told import worst_of
from pdkappa.methods.report.cautions import PAIR, Seen, joined
from pdkappa.methods.report.machines import leaning_of
from pdkappa.present.findings import with_minus
from pdkappa.present.labels import one_line, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa.methods.drilldown.raters import Confusions

MOST_TABLES, MOST_LABELS = 500, 50  # that are looked through for what is taken for what
MOST_TOLD = 2  # raters beside the one who lowers agreement most, of whom it is said how
NEARLY = 0.75  # of the gap between the first one and the rest


class Confused(NamedTuple):
    """Who gives a category in the place of another, how often, and how often people do."""

    raters: tuple[Any, ...]  # one, or two who do the same
    given: str
    instead: str
    own: float
    rest: float
    se: float

    @property
    def says(self) -> str:
        """What they say."""
        return f"{plural(len(self.raters), 'says', 'say')} {self.instead}"

    def told(self, others: str) -> str:
        """Say it as a part of a sentence."""
        return (
            f"where {others} say {self.given}, {joined(self.raters)} {self.says} "
            f"{100 * self.own:.0f} % of the time (they {100 * self.rest:.0f} %)"
        )


def worst_confusion(
    seen: Seen, whom: Sequence[Any], among: Sequence[Any], group: int | None = None
) -> Confused | None:
    """Find what some raters say for another category more often than people, if that is shown.

    Two who both swapped two labels hide each other, and are looked for as a pair.
    """
    study = seen.asked.study
    rows = study.rows if group is not None else study.rows.among_groups(study.groups.mean_weight)
    labels, place = study.coded.categories.labels, study.raters.index

    def tested(who: Sequence[Any], but: Sequence[Any]) -> Confusions:
        rest = [place(one) for one in among if one not in but]
        return confusions(rows, [place(one) for one in who], rest, group)

    each = [*((one,) for one in whom), *_pairs_with(seen, whom, among)]
    if len(labels) > MOST_LABELS or len(each) * len(study.raters) > MOST_TABLES:
        return None
    found = [tested(one, one) for one in each]
    own, rest, z, p = (np.stack(one) for one in zip(*found, strict=True))
    for _ in range(PAIR):
        best = worst_of(pd.Series(p.ravel()), pd.Series(z.ravel()))
        if best is None:
            return None
        who, row, column = (int(x) for x in np.unravel_index(best, own.shape))
        sizes = [tested([one], each[who]).own[row, column] for one in each[who]]
        if min(sizes) > max(sizes) / 2:
            break
        z[len(whom) :] = np.nan  # what one of a pair does
    size, usual, quantile = (float(one[who, row, column]) for one in (own, rest, z))
    given, instead = (one_line(labels[x]) for x in (row, column))
    return Confused(each[who], given, instead, size, usual, (size - usual) / quantile)


def _pairs_with(seen: Seen, whom: Sequence[Any], among: Sequence[Any]) -> list[tuple[Any, ...]]:
    """List pairs with one of some people, if others are more than the pair, and not too many."""
    people, n_raters = [*dict.fromkeys([*whom, *among])], len(seen.asked.raters)
    pairs = [one for one in combinations(people, PAIR) if {*one} & {*whom}]
    few = (len(whom) + len(pairs)) * n_raters <= MOST_TABLES
    is_known = len(people) > 2 * PAIR and {*whom} <= {*seen.asked.humans}
    return pairs if few and is_known else []


def _scored(seen: Seen, who: Any, group: int | None, among: list[Any], called: str) -> str:
    """Say how far somebody scores above or below people, in a group or on average, if shown."""
    study, rows = seen.asked.study, seen.asked.study.rows
    people = [one for one in among if one != who]
    scores = study.coded.categories.numbers
    if scores is None or len(scores) <= PAIR:
        return ""
    if group is not None:
        rows = rows.as_one_group(np.flatnonzero(rows.group == group))
    sides = study.raters.index(who), [study.raters.index(one) for one in people]
    lean = leaning_of(rows, *sides, scores)
    known = (lean.se > 0) & (lean.sd > 0)
    sd, df = lean.sd[known], lean.df[known] if known.sum() == 1 else np.inf
    sizes, errors = (lean.machine - lean.humans)[known] / sd, lean.se[known] / sd
    z = sizes.sum(keepdims=True) / np.sqrt((errors**2).sum() or np.nan)
    if worst_of(pd.Series(two_sided(z, df)), pd.Series(np.abs(z))) is None:
        return ""
    side = "higher" if z > 0 else "lower"
    return f"; {one_line(who)} scores {rounded(abs(sizes.mean()))} SD {side} than {called} do"


def confused(seen: Seen, who: Any, group: int | None, others: str, among: list[Any]) -> str:
    """Say which category somebody gives for another more often than people do, if that is shown."""
    found = worst_confusion(seen, [who], among, group)
    return "" if found is None else f"; {found.told(others)}"


def apart_from(seen: Seen, named: set[Any]) -> list[Any]:
    """List the people who are not named, if these are two or more; or else all."""
    rest = [one for one in seen.asked.humans if one not in named]
    return rest if len(rest) >= PAIR else seen.asked.humans


def told_of(seen: Seen, who: Any, group: int | None, people: list[Any], called: str) -> str:
    """Say how somebody differs from some people, in a group or on average, if that is shown."""
    return _scored(seen, who, group, people, called) or confused(seen, who, group, called, people)


def hidden_by(seen: Seen, named: Sequence[Any], gap: float) -> str:
    """Say who lowers agreement without those who are named, one after the other, if that is shown.

    Who agrees with nobody lowers the agreement of all others, too, so that several hide each other.
    The gap must be nearly that of the first: of those who differ by degrees one is always lowest.
    """
    asked, study = seen.asked, seen.asked.study
    if asked.machines or asked.shares_few:
        return ""
    rows, left, gone, told = study.ratings.compressed, [*asked.raters], [*named], ""
    for _ in range(MOST_TOLD):
        if len(left) - len(gone) <= PAIR:
            break
        for one in gone:
            rows = rows.without(left.index(one))
            left.remove(one)
        columns = rater_parts(rows, study.scale, seen.level)
        index = pd.MultiIndex.from_product([range(rows.n_groups), left])
        frame = pd.DataFrame({name: x.T.reshape(-1) for name, x in columns.items()}, index=index)
        outside = frame["n_ratings"] * rows.share_outside.repeat(len(left))
        frame["remark"] = remarks_on_raters(outside.to_numpy(), frame["n_ratings"].to_numpy())
        frame = over_groups(frame, seen.level) if asked.by_group else frame.droplevel(0)
        worst = worst_of(*effects_below(frame))
        row = frame.iloc[worst or 0]
        if worst is None or row["light_without"] - row["estimate"] < NEARLY * gap:
            break
        gone = [frame.index[worst]]
        own, rest = (with_minus(float(row[x])) for x in ("estimate", "light_without"))
        names = joined([one for one in asked.raters if one not in left])
        who = one_line(gone[0])
        told += f"; without {names}, {who} agrees with the others at {own}, these at {rest}"
    return told
