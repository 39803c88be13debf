"""A file of true scores and one of predictions -> one frame, joined on the id of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from pdkappa.errors import (
    ColumnNotFoundError,
    OptionError,
    RatingsError,
    listing,
)

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
    )


@dataclass(frozen=True)
class Joined:
    """True and predicted scores of the same items.

    Attributes
    ----------
    frame : DataFrame, shape (N, ...)
        The items of the solution, with their sets and the weights of these.
    truth, prediction : str
        Columns of the scores, named otherwise than those of the sets and weights.
    counts : dict
        How many items are scored, how many are left out and why, and how many are in another
        set according to the submission.
    left_out, contradiction : str
        The same in words; empty where there is nothing to say.
    """

    frame: pd.DataFrame
    truth: str
    prediction: str
    counts: dict[str, int]
    left_out: str
    contradiction: str


def join(
    solution: pd.DataFrame,
    submission: pd.DataFrame,
    item: str,
    truth: str,
    prediction: str,
    *,
    by: list[str],
    group_weights: str | None,
) -> Joined:
    """Join both files on the id; every item of the solution must have a prediction."""
    _check_ids(solution, item, truth, "solution")
    _check_ids(submission, item, prediction, "submission")
    known, sent = pd.Index(solution[item]), pd.Index(submission[item])
    _check_predictions(submission, known, sent, prediction)
    answers = submission.set_index(item).reindex(known)
    kept = list(dict.fromkeys([*by, *([] if group_weights is None else [group_weights])]))
    first, second = (_free(name, kept) for name in ("truth", "prediction"))
    frame = solution[kept].copy()
    frame[first], frame[second] = solution[truth], answers[prediction].to_numpy()
    untrue, unset = frame[first].isna(), frame[by].isna().any(axis=1)
    extra = sent[~sent.isin(known)]
    moved = known[_contradicts(frame, answers, [name for name in by if name != prediction])]
    counts = {
        "n_items": int((~untrue & ~unset).sum()),
        "n_extra_ids": len(extra),
        "n_without_truth": int(untrue.sum()),
        "n_without_set": int(unset.sum()),
        "n_other_set": len(moved),
    }
    contradiction = (
        f"The submission puts {len(moved)} id(s) into another set than the solution, whose sets "
        f"are used: {listing(moved)}."
    )
    return Joined(
        frame[~unset],
        first,
        second,
        counts,
        _left_out(counts, extra),
        contradiction if len(moved) else "",
    )


def _left_out(counts: dict[str, int], extra: pd.Index) -> str:
    """Say what is not scored, and why."""
    texts = {
        "n_extra_ids": f"id(s) of the submission are not in the solution: {listing(extra)}.",
        "n_without_truth": "item(s) without a true score are left out.",
        "n_without_set": "item(s) without a set are left out.",
    }
    return " ".join(f"{counts[name]} {text}" for name, text in texts.items() if counts[name])


def _check_ids(frame: pd.DataFrame, item: str, score: str, name: str) -> None:
    """Make sure that a file has both columns, and every id once."""
    for column in (item, score):
        if column not in frame.columns:
            message = f"The {name} has no column {column!r}, only {listing(frame.columns)}."
            raise ColumnNotFoundError(message)
    twice = frame.loc[frame[item].duplicated(), item]
    if len(twice):
        message = f"The {name} has {len(twice)} repeated id(s) in {item!r}: {listing(twice)}."
        raise RatingsError(message)


def _check_predictions(
    submission: pd.DataFrame, known: pd.Index, sent: pd.Index, prediction: str
) -> None:
    """Make sure that every item of the solution has a prediction."""
    missing = known[~known.isin(sent)]
    if len(missing):
        message = f"The submission lacks {len(missing)} id(s): {listing(missing)}."
        if known.dtype != sent.dtype and len(missing) == len(known):
            message += f" Ids are {known.dtype} in the solution and {sent.dtype} in the submission."
        raise RatingsError(message)
    blank = sent[submission[prediction].isna() & sent.isin(known)]
    if len(blank):
        message = f"The submission has no prediction for {len(blank)} id(s): {listing(blank)}."
        raise RatingsError(message)


def _contradicts(frame: pd.DataFrame, answers: pd.DataFrame, by: list[str]) -> BoolArray:
    """Whether the submission names another set for an item, shape (N,)."""
    differs = pd.Series(data=False, index=answers.index)
    for name in by:
        if name in answers.columns:
            ours = pd.Series(frame[name].array, index=answers.index, dtype=object)
            theirs = answers[name].astype(object)
            differs |= ours.notna() & theirs.notna() & (ours != theirs)
    result: BoolArray = differs.to_numpy(dtype=bool)
    return result


def _free(name: str, taken: list[str]) -> str:
    """Return a name that no column has."""
    while name in taken:
        name += "_"
    return name


def only_shared(solution: pd.DataFrame, submission: pd.DataFrame, by: list[str]) -> str:
    """Return the id column where there is no choice."""
    shared = [c for c in solution.columns if c in submission.columns and c not in by]
    if len(shared) != 1:
        message = f"Name the id column with --id; both files have {listing(shared) or 'none'}."
        raise OptionError(message)
    return str(shared[0])


def only_other(frame: pd.DataFrame, known: list[str | None], option: str, file: str) -> str:
    """Return the column of scores where there is no choice."""
    others = [column for column in frame.columns if column not in known]
    if len(others) != 1:
        message = (
            f"Name the column of scores with {option}; {file!r} has {listing(others) or 'none'}."
        )
        raise OptionError(message)
    return str(others[0])
