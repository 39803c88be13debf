"""Files that annotation tools export -> one label for each item and rater."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import (
    ColumnNotFoundError,
    OptionError,
    RatingsError,
    did_you_mean,
    listing,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdkappa._typing import PathLike

# What the value of a control of Label Studio holds, and nothing beside it, if it is about the
# whole item: a choice about a part has the place of the part, too.
ANSWERS = ("choices", "rating", "number", "selected", "datetime", "text")
DOCCANO = (".jsonl", ".json", ".csv")
LABELS_JOINED = "#"  # by doccano, in CSV
BY_HAND = "_manual"  # the end of the names of Prodigy's views in which parts are marked


@dataclass
class Annotations:
    """What was read from files of a tool.

    Attributes
    ----------
    source : str
        Names the files.
    names : tuple of str
        What the tool calls item, rater and label.
    rows : list of tuple
        Item, rater and label.
    left_out : Counter
        How many annotations are left out, by the reason.
    """

    source: str
    names: tuple[str, str, str]
    rows: list[tuple[Any, Any, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, item: Any, rater: Any, labels: list[Any]) -> None:
        """Add an annotation if it is a single label of the whole item."""
        if not labels:
            self.left_out["without a label"] += 1
        elif len(labels) > 1 or not isinstance(labels[0], str | int | float):
            self.left_out["with several labels, or labels of parts"] += 1
        else:
            self.rows.append((item, rater, labels[0]))

    @property
    def remark(self) -> str:
        """How many annotations are left out and why."""
        n_left_out = self.left_out.total()
        reasons = ", ".join(f"{times} {reason}" for reason, times in self.left_out.items())
        return (
            f"{n_left_out} of {len(self.rows) + n_left_out} annotation(s) in {self.source} are "
            f"left out: {reasons or 'none'}."
        )

    def frame(self) -> pd.DataFrame:
        """Return one row for each label."""
        if not self.rows:
            message = f"There is no label of an item by a rater. {self.remark}"
            raise RatingsError(message)
        columns = dict(zip(self.names, zip(*self.rows, strict=True), strict=True))
        return pd.DataFrame({name: list(values) for name, values in columns.items()})


def read_label_studio(path: PathLike, control: str) -> Annotations:
    """Read what a control of Label Studio holds, in CSV, JSON_MIN or JSON."""
    found = Annotations(_named([path]), ("id", "annotator", control))
    records = _rows(path) if _is_csv(path) else _records(path)
    if records and "annotations" in records[0]:
        _read_tasks(found, records, control)
        return found
    known = _fields(records)
    for name in (control, "id", "annotator"):
        _check_known(name, known, "field", found.source)
    for record in records:
        if _is_true(record.get("was_cancelled")):
            found.left_out["cancelled"] += 1
        else:
            found.add(record.get("id"), record.get("annotator"), _answers(record.get(control)))
    return found


def _read_tasks(found: Annotations, tasks: list[dict[str, Any]], control: str) -> None:
    """Read tasks of Label Studio with all annotations of each."""
    annotations = [(task, one) for task in tasks for one in task.get("annotations") or []]
    controls = dict.fromkeys(
        part.get("from_name") for _, one in annotations for part in one.get("result") or []
    )
    _check_known(control, controls, "control", found.source)
    for task, one in annotations:
        if one.get("was_cancelled"):
            found.left_out["cancelled"] += 1
            continue
        who = one.get("completed_by")
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        parts = [part for part in one.get("result") or [] if part.get("from_name") == control]
        found.add(task.get("id"), who, _answers([part.get("value") for part in parts]))


def _answers(value: Any) -> list[Any]:
    """Return the labels in what a control holds; what is no label of the item stays as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return [value]
    if isinstance(value, list):
        return [label for one in value for label in _answers(one)]
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ANSWERS:
        (held,) = value.values()
        return held if isinstance(held, list) else [held]
    return [] if _is_blank(value) else [value]


def read_prodigy(paths: PathLike | Iterable[PathLike]) -> Annotations:
    """Read the choices, or the yes or no, in datasets of Prodigy."""
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found = Annotations(_named(files), ("_input_hash", "_session_id", "answer"))
    for path in files:
        records = _records(path)
        for name in ("_input_hash", "_session_id", "answer"):
            _check_known(name, _fields(records), "field", _named([path]))
        for record in records:
            _add_answer(found, record)
    return found


def _add_answer(found: Annotations, record: dict[str, Any]) -> None:
    """Add one answer of Prodigy."""
    answer, who = record.get("answer"), record.get("_session_id")
    is_choice = "options" in record or "accept" in record
    if answer == "ignore":
        found.left_out["ignored"] += 1
    elif is_choice and answer == "reject":
        found.left_out["rejected"] += 1
    elif is_choice:
        found.add(record.get("_input_hash"), who, _listed(record.get("accept")))
    elif str(record.get("_view_id")).endswith(BY_HAND):
        found.add(None, who, record.get("spans") or [])
    else:
        found.add(record.get("_task_hash"), who, _listed(answer))


def read_doccano(paths: PathLike | Mapping[str, PathLike] | Iterable[PathLike]) -> Annotations:
    """Read files of doccano, one for each user, whom the file or the key names."""
    if isinstance(paths, str | os.PathLike):
        paths = sorted(path for path in Path(paths).iterdir() if path.suffix in DOCCANO)
    files = dict(paths) if isinstance(paths, Mapping) else _by_user(paths)
    found = Annotations(_named(files.values()), ("id", "user", "label"))
    for user, path in files.items():
        records = _rows(path) if _is_csv(path) else _records(path)
        for name in ("id", "label"):
            _check_known(name, _fields(records), "field", _named([path]))
        for record in records:
            labels = record.get("label")
            if _is_csv(path) and isinstance(labels, str):
                labels = labels.split(LABELS_JOINED)
            found.add(record.get("id"), user, _listed(labels))
    return found


def _by_user(paths: Iterable[PathLike]) -> dict[str, PathLike]:
    """Name files after the users, as doccano does."""
    files: dict[str, PathLike] = {}
    for path in paths:
        user = Path(path).stem
        if user in files:
            message = (
                f"Two files are named after the user {user!r}: {shown(str(files[user]))} and "
                f"{shown(str(path))}. Pass a dict of users and their files."
            )
            raise OptionError(message)
        files[user] = path
    return files


def read_argilla(records: PathLike | Iterable[dict[str, Any]], question: str) -> Annotations:
    """Read the submitted responses to a question in flattened records of Argilla."""
    if isinstance(records, str | os.PathLike):
        rows, source = _records(records), _named([records])
    else:
        rows, source = list(records), "the records"
    found = Annotations(source, ("id", "user", question))
    known = _fields(rows)
    asked = [name.removesuffix(".responses") for name in known if name.endswith(".responses")]
    _check_known(question, asked, "question", found.source)
    sides = [f"{question}.responses{side}" for side in ("", ".users", ".status")]
    for name in ("id", *sides):
        _check_known(name, known, "field", found.source)
    for row in rows:
        for value, user, status in zip(*(row.get(side) or [] for side in sides), strict=True):
            if status in ("submitted", None):
                found.add(row.get("id"), user, _listed(value))
            else:
                found.left_out[status] += 1
    return found


def read_mturk(path: PathLike, answer: str, item: str) -> Annotations:
    """Read an answer of each assignment in a batch of Mechanical Turk."""
    found = Annotations(_named([path]), (item, "WorkerId", answer))
    rows = _rows(path)
    known = _fields(rows)
    boxes = [name for name in known if name.startswith(f"{answer}.")]
    for name in (item, "WorkerId", *([] if boxes else [answer])):
        _check_known(name, known, "column", found.source)
    for row in rows:
        if row.get("AssignmentStatus") == "Rejected":
            found.left_out["rejected"] += 1
            continue
        ticked = [name.removeprefix(f"{answer}.") for name in boxes if _is_true(row[name])]
        labels = ticked if answer not in known else _listed(row[answer])
        found.add(row[item], row["WorkerId"], labels)
    return found


def _listed(value: Any) -> list[Any]:
    """Return a list of what may be one label, several or none."""
    if isinstance(value, list):
        return value
    return [] if _is_blank(value) else [value]


def _is_blank(value: Any) -> bool:
    """Whether there is no value."""
    return value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124


def _is_true(value: Any) -> bool:
    """Whether a cell of a file says yes."""
    return str(value).lower() in ("true", "1", "1.0")


def _is_csv(path: PathLike) -> bool:
    """Whether a file holds a table."""
    return Path(path).suffix.lower() == ".csv"


def _rows(path: PathLike) -> list[dict[str, Any]]:
    """Read the rows of a table; no text but the empty one is missing, since "None" is a label."""
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    return frame.to_dict("records")  # type: ignore[return-value]


def _records(path: PathLike) -> list[dict[str, Any]]:
    """Read a JSON list of records, or one record in each line."""
    text = Path(path).read_text(encoding="utf-8-sig")
    try:
        if text.lstrip().startswith("["):
            records = json.loads(text)
        else:
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        message = (
            f"{shown(Path(path).name)} is neither a list in JSON nor JSON lines: {error}. "
            "Pass the file as it was exported."
        )
        raise RatingsError(message) from error
    for record in records:
        if not isinstance(record, dict):
            message = (
                f"{shown(Path(path).name)} must hold records, got {shown(record)}. "
                "Pass the file as it was exported."
            )
            raise RatingsError(message)
    return records


def _fields(records: list[dict[str, Any]]) -> list[str]:
    """Name the fields that occur in some record."""
    return list(dict.fromkeys(name for record in records for name in record))


def _check_known(name: str, known: Iterable[str], what: str, source: str) -> None:
    """Make sure that a field is there."""
    names = list(known)
    if name not in names:
        message = (
            f"No {what} {shown(name)} in {source}.{did_you_mean(name, names)} "
            f"There is {listing(names) or 'none'}."
        )
        raise ColumnNotFoundError(message)


def _named(paths: Iterable[PathLike]) -> str:
    """Name files in a message."""
    return listing(Path(path).name for path in paths)
