"""What the methods of this topic share: options, labels beside judgements, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.errors import LeftOutWarning, OptionError, shown, warn
from pdkappa.methods.estimates.options import is_number
from pdkappa.methods.estimates.pair_frames import warn_if_undefined, whole
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import how_many, index_of, where_in

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, Label
    from pdkappa.methods.prevalence.core.means import Means, Values
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.items import Groups

Lam: TypeAlias = float | Literal["tuned"]
HUMAN, JUDGE = 0, 1


def read_lambda(lam: object, method: str = "ppi") -> float | None:
    """Return a lambda, None if it is to be tuned; refuse what is neither, or has no use."""
    if isinstance(lam, str) and lam == "tuned":
        return None
    if method != "ppi":
        message = f"lam is for method='ppi', and method={method!r} has none. Leave it out."
        raise OptionError(message)
    if not is_number(lam) or not np.isfinite(lam):
        message = f"lam={shown(lam)} must be a finite number, or 'tuned'."
        raise OptionError(message)
    return float(lam)


def warn_of_unjudged(
    data: object, coded: Coded, raters: tuple[int, ...], judge: int, way_out: str
) -> None:
    """Say once that items are left out because the judge did not rate them."""
    rated: BoolArray = np.logical_and.reduce(coded.codes[list(raters)] >= 0)
    rows = np.flatnonzero(rated & (coded.codes[judge] < 0))
    if not len(rows):
        return
    counts, where = None, where_in(coded.items, rows)
    if isinstance(data, Counted):
        counts, where = coded.weights, ""
    names = " and ".join(repr(coded.raters[rater]) for rater in raters)
    warn(
        f"{how_many(rows, counts)} item(s) with a rating by {names} have none by "
        f"{coded.raters[judge]!r}{where}: they are left out. {way_out}",
        LeftOutWarning,
    )


def used_by(values: Values, method: str) -> Values:
    """Return the items that a method uses: all that have a label, or those with a judgement."""
    return values if method == "human_only" else values.judged()


def means_columns(values: Values, found: Means, empty: Any) -> dict[str, Any]:
    """Return the columns of a frame of means, those of the group's items and of either rater."""
    total, label, judged = values.rows.total, values.has_label, values.has_judgement
    figures = found._asdict()
    return figures | {
        "n_labelled": total(label),
        "n_unlabelled": total(judged & ~label),
        "human_only": values.mean(values.human, label),
        "judge_only": values.mean(values.judge, judged),
        "reason": np.where(empty == "", found.reason, empty),
    }


def means_frame(
    parts: list[dict[str, Any]], groups: Groups, inner: list[Any] | None, raters: list[Label]
) -> pd.DataFrame:
    """Put the columns of each part into rows, in each group if there are groups; warn of NaN.

    A part is about a category each, if there are `inner` labels.
    """

    def column(name: str) -> Any:
        each = [one[name] for one in parts] or [np.empty(0)]
        return np.stack(each, axis=1).reshape(-1)

    columns: dict[str, Any] = {name: column(name) for name in schema.PREVALENCE}
    for count in ("n_labelled", "n_unlabelled"):
        columns[count] = whole(columns[count])
    frame = pd.DataFrame(columns)
    if inner is None:
        frame = groups.label(frame)
    else:
        frame = frame.set_axis(groups.each(index_of(inner).rename("category")))

    def name(row: int) -> str:
        group, place = divmod(row, len(parts))
        return groups.name(row) if inner is None else repr(inner[place]) + groups.at(group)

    warn_if_undefined("mean", frame["estimate"].isna(), frame["reason"], name)
    return result(frame, raters)


def scaled(columns: dict[str, FloatArray], unit: float) -> dict[str, FloatArray]:
    """Give means and their errors the unit of the scores."""
    of_scores = ("estimate", "se", "ci_low", "ci_high", "human_only", "judge_only")
    return {name: one * unit if name in of_scores else one for name, one in columns.items()}
