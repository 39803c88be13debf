"""The public functions of files that annotation tools export: `from_label_studio` and others.

Each reads the label of each item and rater, or the labels, which are sets then. What is none is
left out, with one warning that counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import LeftOutWarning, warn
from pdkappa.methods.estimates.options import gate
from pdkappa.sources.annotations import (
    read_argilla,
    read_doccano,
    read_label_studio,
    read_mturk,
    read_prodigy,
    read_votes,
)
from pdkappa.sources.ratings import CountedRatings, from_long

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from pdkappa._typing import Categories, PathLike
    from pdkappa.accessor import Ratings
    from pdkappa.sources.records import Annotations


@gate
def from_label_studio(
    path: PathLike, control: str, *, categories: Categories | None = None
) -> Ratings:
    """Read the annotations of a control of Label Studio.

    Parameters
    ----------
    path : path
        A file in one of the formats CSV, JSON_MIN and JSON.
    control : str
        The name of the control in the labeling interface, as in ``<Choices name=...>``:
        choices, a rating, a number, or any other that gives the whole task one answer.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the tasks, raters the e-mail addresses of the annotators or else their ids. If an
        answer has several choices, all are sets of them.

    Raises
    ------
    ColumnNotFoundError
        If there is no such control.
    DuplicateRatingError
        If an annotator annotated a task more than once.
    RatingsError
        If the file holds no answer, or is neither a table nor JSON.

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
    >>> ratings = pdkappa.from_label_studio("tasks.csv", "mood")
    >>> ratings.pairs()[["rater_a", "rater_b", "n_items", "estimate"]].round(3)
      rater_a rater_b  n_items  estimate
    0     ann     bob        3       0.4
    """
    return ratings_of(read_label_studio(path, control), categories)


@gate
def from_prodigy(
    path: PathLike | Iterable[PathLike], *, categories: Categories | None = None
) -> Ratings:
    """Read the answers in datasets of Prodigy.

    Parameters
    ----------
    path : path or list of paths
        JSON lines, as from ``prodigy db-out``.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are the
        ``_session_id``. Where annotators chose from options, the rating is what they chose,
        and items are the ``_input_hash``. Where they accepted or rejected a suggestion, the
        rating is that answer, and items are the ``_task_hash``, of input and suggestion. If
        somebody chose several options, all ratings are sets of them.

    Raises
    ------
    ColumnNotFoundError
        If a field of the format is absent.
    DuplicateRatingError
        If a session answered a task more than once.
    RatingsError
        If the files hold no answer, or are not JSON lines.

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
    >>> pdkappa.from_prodigy("moods.jsonl").pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(read_prodigy(path), categories)


@gate
def from_doccano(
    path: PathLike | Mapping[str, PathLike] | Iterable[PathLike],
    *,
    categories: Categories | None = None,
) -> Ratings:
    """Read the labels that users of doccano gave to documents.

    Parameters
    ----------
    path : path, list of paths, or dict
        The folder that was exported, its files (JSON lines, JSON or CSV), each named after
        its user, or ``{user: path}``.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the examples. If an example has several labels (in CSV joined by #), all ratings
        are sets of them.

    Raises
    ------
    ColumnNotFoundError
        If a field of the format is absent.
    DuplicateRatingError
        If a user's file holds an example more than once.
    OptionError
        If two files are named after one user.
    RatingsError
        If the files hold no label, or are neither tables nor JSON.

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
    >>> pdkappa.from_doccano(["ann.jsonl", "bob.jsonl"]).pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(read_doccano(path), categories)


@gate
def from_argilla(
    records: PathLike | Iterable[dict[str, Any]],
    question: str,
    *,
    categories: Categories | None = None,
) -> Ratings:
    """Read the responses to a question of Argilla.

    Parameters
    ----------
    records : path or list of dict
        What ``dataset.records.to_list(flatten=True)`` gives, or a file of it in JSON or JSON
        lines.
    question : str
        The name of the question.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids
        of the records, raters those of the users. If a response has several labels, all are
        sets of them.

    Raises
    ------
    ColumnNotFoundError
        If there is no response to such a question, or a field of the format is absent.
    DuplicateRatingError
        If a user responded to a record more than once.
    RatingsError
        If there is no submitted response, or the file is not JSON.

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
    >>> pdkappa.from_argilla(records, "mood").pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(read_argilla(records, question), categories)


@gate
def from_mturk(
    path: PathLike,
    answer: str,
    *,
    item: str = "HITId",
    categories: Categories | None = None,
) -> Ratings:
    """Read an answer of the workers in a batch of Mechanical Turk.

    Parameters
    ----------
    path : path
        The CSV file of the results.
    answer : str
        The column of the answer, such as ``"Answer.mood"``. If there are only columns
        ``"Answer.mood.good"``, ``"Answer.mood.bad"``, ... of true and false, as from radio
        buttons, the rating is the one that is true.
    item : str, default "HITId"
        The column that tells the items apart, such as ``"Input.text"`` if a text is in
        several HITs.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are the
        ``WorkerId``. If an answer has several columns that are true, all are sets of them.

    Raises
    ------
    ColumnNotFoundError
        If there is no such column.
    DuplicateRatingError
        If a worker rated an item more than once.
    RatingsError
        If the file holds no answer.

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
    >>> pdkappa.from_mturk("batch.csv", "Answer.mood").pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(read_mturk(path, answer, item), categories)


@gate
def from_votes(
    records: PathLike | Iterable[dict[str, Any]] | pd.DataFrame,
    votes: str = "annotators",
    *,
    item: str = "id",
    raters: str | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read records of items that contain their ratings: of named annotators, or lists of votes.

    Parameters
    ----------
    records : path, list of dict or DataFrame
        One record for each item, or a file of them: JSON lines, or a JSON list.
    votes : str, default "annotators"
        The field of the ratings: a dict ``{annotator: label}``, or a list of labels.
    item : str, default "id"
        The field that names the item.
    raters : str, optional
        The field that lists who gave the labels, in their order.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`; of lists of votes, of
        which nobody says who gave them, as from `from_counts`. If some rating is a list of
        several labels, all ratings are sets.

    Raises
    ------
    ColumnNotFoundError
        If there is no such field.
    DuplicateRatingError
        If two records are about one item: of one rater, or where raters have no names.
    RatingsError
        If there is no label, or a field does not hold what it must.

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
    found = read_votes(records, votes, item, raters)
    if not found.is_anonymous:
        return ratings_of(found, categories)
    frame = found.side_by_side()
    if found.left_out:
        warn(found.remark, LeftOutWarning)
    return CountedRatings(frame, np.ones(len(frame)), categories, anonymous=True)


def ratings_of(found: Annotations, categories: Categories | None) -> Ratings:
    """Turn labels into ratings, and say what is left out."""
    frame = found.frame()
    if found.left_out:
        warn(found.remark, LeftOutWarning)
    item, rater, rating = found.names
    return from_long(frame, item=item, rater=rater, rating=rating, categories=categories)
