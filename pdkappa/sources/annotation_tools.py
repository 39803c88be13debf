"""What annotation tools export -> `Ratings`: `from_label_studio` and others.

Each reads the label of each item and rater, or the labels, which are sets then. What is none is
left out, with one warning that counts it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pandas.api.types import is_hashable

from pdkappa.errors import HEARING, DuplicateRatingError, OptionError, RatingsError, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.told import keep
from pdkappa.sources.file_formats import as_path, ending
from pdkappa.sources.ratings import CountedRatings, from_long
from pdkappa.sources.records import (
    NOBODY,
    Annotations,
    OfTool,
    Record,
    check_known,
    fields_of,
    is_blank,
    names_of,
    read_file,
    rows_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from pdkappa._typing import GivenCategories, PathLike
    from pdkappa.accessor import Ratings

# What the value of a control of Label Studio holds, and nothing beside it, if it is about the
# whole item: a choice about a part has the place of the part, too.
ANSWERS = ("choices", "taxonomy", "rating", "number", "selected", "datetime", "text")
STEP = "/"  # between a choice and one within it
DOCCANO = (".jsonl", ".json", ".csv")
LABELS_JOINED = "#"  # by doccano, in CSV
BY_HAND = "_manual"  # the end of the names of Prodigy's views in which parts are marked
DECISIONS = ("accept", "reject", "ignore")  # of Prodigy


def _read_tasks(found: Annotations, tasks: list[Record], control: str) -> None:
    """Read tasks of Label Studio with all annotations of each."""
    annotations = [
        (task, one, one.records("result")) for task in tasks for one in task.records("annotations")
    ]
    controls = dict.fromkeys(part.text("from_name") for *_, parts in annotations for part in parts)
    check_known([control], [name for name in controls if name], "control", found.source)
    for task, one, parts in annotations:
        if _is_true(one.get("was_cancelled")):
            found.left_out["cancelled"] += 1
            continue
        who = one.get("completed_by")
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        values = [part.get("value") for part in parts if part.get("from_name") == control]
        found.add(task, task.get("id"), who, _answers(values))


def _answers(value: Any) -> list[Any]:
    """Return the labels in what a control holds; what is no label of the item stays as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            return [value]
    values = value if isinstance(value, list) else [value]
    return [label for one in values for label in _held(one)]


def _held(value: Any) -> list[Any]:
    """Return the labels in one value of a control."""
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ANSWERS:
        (held,) = value.values()
        several = held if isinstance(held, list) else [held]
        return [STEP.join(map(str, one)) if isinstance(one, list) else one for one in several]
    return [] if is_blank(value) else [value]


def _add_answer(found: Annotations, record: Record) -> None:
    """Add one answer of Prodigy."""
    answer, who = record.choice("answer", DECISIONS), record.get("_session_id")
    is_choice = "options" in record.held or "accept" in record.held
    if answer == "ignore":
        found.left_out["ignored"] += 1
    elif is_choice and answer == "reject":
        found.left_out["rejected"] += 1
    elif is_choice:
        found.add(record, record.get("_input_hash"), who, _listed(record.get("accept")))
    elif str(record.get("_view_id")).endswith(BY_HAND):
        found.add(record, record.get("_input_hash"), who, record.list_of("spans"))
    else:
        found.add(record, record.get("_task_hash"), who, [answer])


def _by_user(paths: list[Path]) -> dict[str, Path]:
    """Name files after the users, as doccano does."""
    files: dict[str, Path] = {}
    for path in paths:
        user = path.stem
        if user in files:
            raise OptionError(
                f"Two files are named after the user {shown(user)}: {shown(str(files[user]))} and "
                f"{shown(str(path))}. Pass a dict of users and their files."
            )
        files[user] = path
    return files


def _check_once(rows: list[Record], item: str, source: str) -> None:
    """Make sure that all votes on an item stand in one record, as nobody says whose they are."""
    seen = Counter(row.get(item) for row in rows if is_hashable(row.get(item)))
    again = [name for name, times in seen.items() if times > 1]
    if again:
        raise DuplicateRatingError(
            f"Item {listing(again)} occurs more than once in {source}. Put all "
            "votes on an item into one record."
        )


def _votes_of(row: Record, votes: str, raters: str | None) -> Iterable[tuple[Any, Any]]:
    """Return who gave which label, or labels."""
    if raters is not None:
        return row.side_by_side([raters, votes])
    held = row.get(votes)
    if is_blank(held):
        return ()
    if isinstance(held, dict):
        return held.items()
    return ((NOBODY, label) for label in row.list_of(votes, "a dict of raters or a list of labels"))


def _files(paths: Any) -> list[Path]:
    """List the files that are named: one, or several."""
    several = isinstance(paths, list | tuple | set | frozenset) or hasattr(paths, "__next__")
    if several and not hasattr(paths, "read"):
        return [as_path(path) for path in paths]
    return [as_path(paths)]


def _listed(value: Any) -> list[Any]:
    """Return a list of what may be one label, several or none."""
    if isinstance(value, list):
        return value
    return [] if is_blank(value) else [value]


def _is_true(value: Any) -> bool:
    """Whether a cell of a file says yes."""
    return str(value).lower() in ("true", "1", "1.0")


class OfLabelStudio(OfTool):
    """Options of `from_label_studio`."""

    path: PathLike = anew(
        has.Path, "path", kw_only=False, also="Its format is CSV, JSON_MIN or JSON."
    )
    control: str = option(
        "The name of the control in the labeling interface, as in ``<Choices name=...>``: "
        "choices, a rating, a number, or any other that gives the whole task one answer.",
        "str",
        kw_only=False,
    )


@asks(OfLabelStudio)
def from_label_studio(asked: OfLabelStudio) -> Ratings:
    """Read the annotations of a control of Label Studio.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the tasks, raters the e-mail addresses of the annotators or else their ids. If an
        answer has several choices, all are sets of them; one of a taxonomy is its whole path,
        such as "animal/dog".

    Warns
    -----
    LeftOutWarning
        Once, if annotations are left out: cancelled ones, and those without an answer or with
        labels of parts, such as spans and boxes.

    Examples
    --------
    >>> table = {
    ...     "id": [1, 1, 2, 2, 3, 3],
    ...     "annotator": ["ann", "bob"] * 3,
    ...     "mood": ["good", "good", "bad", "good", "bad", "bad"],
    ... }
    >>> pd.DataFrame(table).to_csv("tasks.csv", index=False)
    >>> ratings = pdkappa.tools.from_label_studio("tasks.csv", "mood")
    >>> ratings.pairs()[["rater_a", "rater_b", "n_items", "estimate"]].round(3)
      rater_a rater_b  n_items  estimate
    0     ann     bob        3       0.4
    """
    file = as_path(asked.path)
    found = Annotations(names_of([file]), ("id", "annotator", asked.control))
    records = read_file(file)
    if any("annotations" in record.held for record in records):
        _read_tasks(found, records, asked.control)
        return ratings_of(found, asked.categories)
    known = fields_of(records)
    check_known((asked.control, "id", "annotator"), known, "field", found.source)
    for record in records:
        if _is_true(record.get("was_cancelled")):
            found.left_out["cancelled"] += 1
        else:
            labels = _answers(record.get(asked.control))
            found.add(record, record.get("id"), record.get("annotator"), labels)
    return ratings_of(found, asked.categories)


class OfProdigy(OfTool):
    """Options of `from_prodigy`."""

    path: PathLike | Iterable[PathLike] = anew(
        has.Path,
        "path",
        kind="path or list of paths",
        kw_only=False,
        also="JSON lines, as from ``prodigy db-out``.",
    )


@asks(OfProdigy)
def from_prodigy(asked: OfProdigy) -> Ratings:
    """Read the answers in datasets of Prodigy.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are the
        ``_session_id``. Where annotators chose from options, the rating is what they chose,
        and items are the ``_input_hash``. Where they accepted or rejected a suggestion, the
        rating is that answer, and items are the ``_task_hash``, of input and suggestion. If
        somebody chose several options, all ratings are sets of them.

    Warns
    -----
    LeftOutWarning
        Once, if answers are left out: ignored ones, rejected tasks with options, those with
        no option, and spans marked by hand.

    Notes
    -----
    Sessions have the names of annotators if these were given in the address of the app, as
    ``?session=ann``. Otherwise each start of the server is a session, and thus a rater.

    Examples
    --------
    >>> table = {
    ...     "_input_hash": [1, 1, 2, 2, 3, 3],
    ...     "_session_id": ["moods-ann", "moods-bob"] * 3,
    ...     "accept": [["good"], ["good"], ["bad"], ["good"], ["bad"], ["bad"]],
    ...     "answer": ["accept"] * 6,
    ... }
    >>> pd.DataFrame(table).to_json("moods.jsonl", orient="records", lines=True)
    >>> pdkappa.tools.from_prodigy("moods.jsonl").pairs()["estimate"].round(3).item()
    0.4
    """
    files = _files(asked.path)
    found = Annotations(names_of(files), ("_input_hash", "_session_id", "answer"))
    for path in files:
        records = read_file(path)
        check_known(
            ("_input_hash", "_session_id", "answer"), fields_of(records), "field", names_of([path])
        )
        for record in records:
            _add_answer(found, record)
    return ratings_of(found, asked.categories)


class OfDoccano(OfTool):
    """Options of `from_doccano`."""

    path: PathLike | Mapping[str, PathLike] | Iterable[PathLike] = anew(
        has.Path,
        "path",
        kind="path, list of paths, or dict",
        kw_only=False,
        also="Or the folder that was exported, its files (JSON lines, JSON or CSV), each named "
        "after its user, or ``{user: path}``.",
    )


@asks(OfDoccano)
def from_doccano(asked: OfDoccano) -> Ratings:
    """Read the labels that users of doccano gave to documents.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the examples. If an example has several labels (in CSV joined by #), all ratings
        are sets of them.

    Raises
    ------
    OptionError
        If two files are named after one user.

    Warns
    -----
    LeftOutWarning
        Once, if examples are left out: those without a label, or with spans.

    Notes
    -----
    A project in which users share annotations exports a single file, ``all``, that does not
    say who gave which label.

    Examples
    --------
    >>> labels = {"ann": ["good", "bad", "bad"], "bob": ["good", "good", "bad"]}
    >>> for user, given in labels.items():
    ...     frame = pd.DataFrame({"id": [1, 2, 3], "label": [[label] for label in given]})
    ...     frame.to_json(f"{user}.jsonl", orient="records", lines=True)
    >>> pdkappa.tools.from_doccano(["ann.jsonl", "bob.jsonl"]).pairs()["estimate"].round(3).item()
    0.4
    """
    paths = asked.path
    if isinstance(paths, str | os.PathLike) and as_path(paths).is_dir():
        paths = sorted(path for path in Path(paths).iterdir() if ending(path) in DOCCANO)
    if isinstance(paths, Mapping):
        files = {user: as_path(path) for user, path in paths.items()}
    else:
        files = _by_user(_files(paths))
    found = Annotations(names_of(files.values()), ("id", "user", "label"))
    for user, path in files.items():
        records = read_file(path)
        check_known(("id", "label"), fields_of(records), "field", names_of([path]))
        for record in records:
            labels = record.get("label")
            if ending(path) == ".csv" and isinstance(labels, str):
                labels = labels.split(LABELS_JOINED)
                if not all(labels) or sorted({*labels}) != labels:  # as doccano lists them
                    raise RatingsError(
                        f"{record.place[:1].upper()}{record.place[1:]} holds "
                        f"{shown(record.get('label'))}, but in "
                        "CSV '#' stands between labels in order. Export JSON lines of labels that "
                        "hold it."
                    )
            found.add(record, record.get("id"), user, _listed(labels))
    return ratings_of(found, asked.categories)


class OfArgilla(OfTool):
    """Options of `from_argilla`."""

    records: PathLike | Iterable[dict[str, Any]] = option(
        "One record for each item, or a file of them: JSON lines, or a JSON list.",
        "path or list of dict",
        kw_only=False,
        also="As ``dataset.records.to_list(flatten=True)`` gives them.",
    )
    question: str = option("The name of the question.", "str", kw_only=False)


@asks(OfArgilla)
def from_argilla(asked: OfArgilla) -> Ratings:
    """Read the responses to a question of Argilla.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the records, raters those of the users. If a response has several labels, all are
        sets of them.

    Warns
    -----
    LeftOutWarning
        Once, if responses are left out: drafts and discarded ones, and those with spans or
        ranks.

    Examples
    --------
    >>> records = [
    ...     {
    ...         "id": number,
    ...         "mood.responses": list(moods),
    ...         "mood.responses.users": ["ann", "bob"],
    ...         "mood.responses.status": ["submitted", "submitted"],
    ...     }
    ...     for number, moods in enumerate([("good", "good"), ("bad", "good"), ("bad", "bad")])
    ... ]
    >>> pdkappa.tools.from_argilla(records, "mood").pairs()["estimate"].round(3).item()
    0.4
    """
    rows, source = rows_of(asked.records)
    found = Annotations(source, ("id", "user", asked.question))
    known = fields_of(rows)
    questions = [name.removesuffix(".responses") for name in known if name.endswith(".responses")]
    check_known([asked.question], questions, "question", found.source)
    sides = [f"{asked.question}.responses{side}" for side in ("", ".users", ".status")]
    check_known(("id", *sides), known, "field", found.source)
    for row in rows:
        for value, user, status in row.side_by_side(sides):
            if is_blank(status) or (isinstance(status, str) and status == "submitted"):
                found.add(row, row.get("id"), user, _listed(value))
            else:
                found.left_out[str(status)] += 1
    return ratings_of(found, asked.categories)


class OfMturk(OfTool):
    """Options of `from_mturk`."""

    path: PathLike = anew(has.Path, "path", kw_only=False, also="It is the CSV of the results.")
    answer: str = option(
        'The column of the answer, such as ``"Answer.mood"``. If there are only columns '
        '``"Answer.mood.good"``, ``"Answer.mood.bad"``, ... of true and false, as from radio '
        "buttons, the rating is the one that is true.",
        "str",
        kw_only=False,
    )
    item: str = anew(
        has.Item,
        "item",
        kind="str",
        default="HITId",
        check=None,
        also='The column that tells the items apart, such as ``"Input.text"`` if a text is in '
        "several HITs.",
    )


@asks(OfMturk)
def from_mturk(asked: OfMturk) -> Ratings:
    """Read an answer of the workers in a batch of Mechanical Turk.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are the
        ``WorkerId``. If an answer has several columns that are true, all are sets of them.

    Warns
    -----
    LeftOutWarning
        Once, if assignments are left out: rejected ones, and those without an answer.

    Examples
    --------
    >>> table = {
    ...     "HITId": ["x", "x", "y", "y", "z", "z"],
    ...     "WorkerId": ["ann", "bob"] * 3,
    ...     "AssignmentStatus": ["Approved"] * 6,
    ...     "Answer.mood": ["good", "good", "bad", "good", "bad", "bad"],
    ... }
    >>> pd.DataFrame(table).to_csv("batch.csv", index=False)
    >>> pdkappa.tools.from_mturk("batch.csv", "Answer.mood").pairs()["estimate"].round(3).item()
    0.4
    """
    answer, item = asked.answer, asked.item
    file = as_path(asked.path)
    found = Annotations(names_of([file]), (item, "WorkerId", answer))
    rows = read_file(file)
    known = fields_of(rows)
    boxes = [name for name in known if name.startswith(f"{answer}.")]
    check_known((item, "WorkerId", *([] if boxes else [answer])), known, "column", found.source)
    for row in rows:
        if row.get("AssignmentStatus") == "Rejected":
            found.left_out["rejected"] += 1
            continue
        ticked = [name.removeprefix(f"{answer}.") for name in boxes if _is_true(row.get(name))]
        labels = ticked if answer not in known else _listed(row.get(answer))
        found.add(row, row.get(item), row.get("WorkerId"), labels)
    return ratings_of(found, asked.categories)


class OfVotes(OfTool):
    """Options of `from_votes`."""

    records: PathLike | Iterable[dict[str, Any]] | pd.DataFrame = anew(
        OfArgilla, "records", kind="path, list of dict or DataFrame", kw_only=False, also=""
    )
    votes: str = option(
        "The field of the ratings: a dict ``{annotator: label}``, or a list of labels.",
        "str",
        default="annotators",
        kw_only=False,
    )
    item: str = anew(
        has.Item, "item", kind="str", default="id", check=None, also="The field that names it."
    )
    raters: str | None = anew(
        has.Raters,
        "raters",
        kind="str",
        default=None,
        also="The field that lists who gave the labels, in their order.",
        more="",
    )


@asks(OfVotes)
def from_votes(asked: OfVotes) -> Ratings:
    """Read records of items that contain their ratings: of named annotators, or lists of votes.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`; of lists of votes, of
        which nobody says who gave them, as from `from_counts`. If some rating is a list of
        several labels, all ratings are sets.

    Raises
    ------
    DuplicateRatingError
        If two records are about one item: of one rater, or where raters have no names.

    Warns
    -----
    LeftOutWarning
        Once, if ratings are left out: those that are missing, or are neither labels nor lists
        of them.

    Examples
    --------
    >>> records = [
    ...     {"id": 1, "annotators": {"ann": "good", "bob": "good"}},
    ...     {"id": 2, "annotators": {"ann": "bad", "bob": "good"}},
    ...     {"id": 3, "annotators": {"ann": "bad", "bob": "bad"}},
    ... ]
    >>> pdkappa.from_votes(records).pairs()["estimate"].round(3).item()
    0.4
    >>> votes = [{"id": 1, "votes": ["good", "good", "bad"]}, {"id": 2, "votes": ["bad", "bad"]}]
    >>> pdkappa.from_votes(votes, "votes").consensus()["label"].tolist()
    ['good', 'bad']
    """
    votes, item, raters = asked.votes, asked.item, asked.raters
    rows, source = rows_of(asked.records)
    found = Annotations(source, (item, "rater", votes))
    known = fields_of(rows)
    check_known((item, votes, *([] if raters is None else [raters])), known, "field", source)
    kinds = {type(row.get(votes)) for row in rows if not is_blank(row.get(votes))}
    if kinds == {dict, list}:
        raise RatingsError(
            f"{shown(votes)} in {source} holds dicts of raters and lists of votes. Read them "
            "separately."
        )
    if raters is None and kinds == {list}:
        _check_once(rows, item, source)
    for row in rows:
        for who, label in _votes_of(row, votes, raters):
            found.add(row, row.get(item), who, [] if label is None else _listed(label))
    if not found.is_anonymous:
        return ratings_of(found, asked.categories)
    frame = found.side_by_side()
    found.warn()
    keep(frame, HEARING.get().remarks)
    return CountedRatings(frame, np.ones(len(frame)), asked.categories, anonymous=True)


def ratings_of(found: Annotations, categories: GivenCategories | None) -> Ratings:
    """Turn labels into ratings, and say what is left out."""
    frame = found.frame()
    found.warn()
    item, rater, rating = found.names
    keep(frame, HEARING.get().remarks)
    return from_long(frame, item=item, rater=rater, rating=rating, categories=categories)
