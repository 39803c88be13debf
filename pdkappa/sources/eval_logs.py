"""Logs that tools of evaluation write -> their records, each with what judges said of it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pdkappa.errors import OptionError, listing
from pdkappa.sources.archives import archived
from pdkappa.sources.evaluations import (
    FIELD,
    Judged,
    Verdict,
    Wanted,
    check_fields,
    files_of,
    gather,
    value_at,
)
from pdkappa.sources.records import (
    Annotations,
    Record,
    check_known,
    fields_of,
    names_of,
    read_file,
    records_in,
)
from pdkappa.sources.text import as_path, ending, read_document, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

RATINGS = {"pass": ("pass", "success"), "score": ("score", "score")}  # promptfoo, DeepEval
CASES = ("testCases", "conversationalTestCases")  # of DeepEval
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")  # a sample of Inspect
PARTS = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
LARGE = frozenset({"attachments", "events", "messages", "output", "store"})  # of Inspect
ANSWER = "answer"  # of a model of lm-evaluation-harness
FEWEST = 2  # choices
CONDITIONAL = "acc_mutual_info"  # asks about each choice a second time, without the question


def read_inspect(given: Any, wanted: Wanted) -> Annotations:
    """Read the scores of samples in logs of Inspect AI."""
    named = {path.split(FIELD)[0] for path in (*wanted.humans.values(), *wanted.columns.values())}
    large = LARGE.difference(named)
    return _read(given, wanted, lambda path: (_sample(one, large) for one in _samples(path)))


def _read(given: Any, wanted: Wanted, judged: Callable[[Path], Iterable[Judged]]) -> Annotations:
    """Read logs, one or by the names of judges."""
    files = files_of(given)
    logs = {}
    for name, path in files.items():
        with readable(path):
            logs[name] = list(judged(path))
    return gather(logs, names_of(files.values()), wanted)


def _samples(path: Path) -> Iterable[Record]:
    """Return the samples of a log of either format, of an archive one at a time."""
    if ending(path) == ".eval":
        return _archived(path)
    return _numbered("sample", Record(read_document(path), repr(path.name)), "samples")


def _archived(path: Path) -> Iterator[Record]:
    """Return the samples of an archive, each a document, or a folder of its parts."""
    with archived(path) as archive:
        for name in archive.members:
            place = f"{name} of {path.name!r}"
            if WHOLE.fullmatch(name):
                yield Record(archive.document(name), place)
            elif in_parts := PARTS.fullmatch(name):
                sample, metadata = archive.document(name), f"{in_parts[1]}/metadata.json"
                held = archive.document(metadata) if metadata in archive.members else {}
                yield Record({**sample, "metadata": held}, place)


def _numbered(what: str, log: Record, name: str) -> list[Record]:
    """Return the records that a log lists, with their numbers."""
    every = enumerate(log.records(name), 1)
    return [Record(one.held, f"{what} {number} of {log.place}") for number, one in every]


def _sample(record: Record, large: frozenset[str]) -> Judged:
    """Return the scores of a sample; each part of a score that has parts is one.

    What is large and has no name in the call is left out, as a log is mostly that.
    """
    kept = {name: value for name, value in record.held.items() if name not in large}
    found = Judged(Record(kept, record.place), (record.get("id"), record.get("epoch")))
    scores = Record(record.dict_of("scores"), f"the scores of {record.place}")
    for name in scores.held:
        value = scores.dict_of(name).get("value")
        parts = value if isinstance(value, dict) else {None: value}
        for part, label in parts.items():
            judge = name if part is None else f"{name}.{part}"
            found.verdicts.append(Verdict(judge, None, label))
    return found


def read_promptfoo(given: Any, rating: str, wanted: Wanted) -> Annotations:
    """Read the assertions about outputs in results of promptfoo."""
    field = RATINGS[rating][0]
    return _read(given, wanted, lambda path: [_result(one, field) for one in _results(path)])


def _results(path: Path) -> list[Record]:
    """Return the results of a file: one document, or one in each line."""
    if ending(path) != ".json":
        return read_file(path)
    log = Record(read_document(path), repr(path.name))
    inner = Record(log.dict_of("results"), log.place)
    return _numbered("result", inner, "results")


def _result(record: Record, field: str) -> Judged:
    """Return what assertions say of an output."""
    found = Judged(record, (record.get("testIdx"), record.get("promptIdx")))
    graded = Record(record.dict_of("gradingResult"), record.place)
    for part in graded.records("componentResults") if "componentResults" in graded.held else ():
        assertion = Record(part.dict_of("assertion"), part.place)
        judge = assertion.text("metric") or assertion.text("type")
        if judge is not None:  # a set of assertions stands there as well as each of them
            provider = assertion.get("provider")
            named = provider.get("id") if isinstance(provider, dict) else provider
            model = named if isinstance(named, str) else None
            found.verdicts.append(Verdict(judge, model, part.get(field)))
    return found


def read_deepeval(given: Any, rating: str, wanted: Wanted) -> Annotations:
    """Read the metrics of test cases in test runs of DeepEval."""
    field = RATINGS[rating][1]
    return _read(given, wanted, lambda path: [_case(one, field) for one in _cases(path)])


def _cases(path: Path) -> list[Record]:
    """Return the test cases of a run, which the latest one wraps once more."""
    log = Record(read_document(path), repr(path.name))
    run = Record(log.dict_of("testRunData") or log.held, log.place)
    lists = [name for name in CASES if run.list_of(name)] or CASES[:1]
    return [one for name in lists for one in _numbered("test case", run, name)]


def _case(record: Record, field: str) -> Judged:
    """Return what metrics say of a test case."""
    found = Judged(record, (record.get("name"), record.get("order")))
    for metric in record.records("metricsData") if record.list_of("metricsData") else ():
        label = None if metric.get("error") else metric.get(field)
        name, model = metric.text("name"), metric.text("evaluationModel")
        found.verdicts.append(Verdict(str(name), model, label))
    return found


def read_lm_eval(
    given: Any, rating: str | None, answers_of: str | None, wanted: Wanted
) -> Annotations:
    """Read the answers, or a metric, in samples of lm-evaluation-harness."""
    if isinstance(given, str | os.PathLike):
        given = {as_path(given).absolute().parent.name: given}
    return _read(given, wanted, lambda path: _models(path, rating, answers_of))


def _models(path: Path, rating: str | None, answers_of: str | None) -> Iterable[Judged]:
    """Return what the model of a file answered."""
    source = repr(path.name)
    records = _filtered(read_file(path), source, answers_of)
    known = fields_of(records)
    for field in ("doc_id", rating or "filtered_resps"):
        check_known(field, known, "field", source)
    return _answers(records, rating)


def _filtered(records: list[Record], source: str, chosen: str | None) -> list[Record]:
    """Return the samples of one filter, of which a file holds those of all."""
    filters = list(dict.fromkeys(str(one.get("filter")) for one in records))
    if chosen is None:
        if len(filters) > 1:
            message = f"{source} holds answers of several filters. Choose one by filter=: "
            raise OptionError(f"{message}{listing(filters)}.")
        return records
    check_known(chosen, filters, "filter", source)
    return [one for one in records if str(one.get("filter")) == chosen]


def _answers(records: list[Record], rating: str | None) -> Iterator[Judged]:
    """Return what a model answered, and beside it the target, both by the text of the choice.

    Choices that differ from document to document have numbers instead.
    """
    choices = [_choices(one) for one in records]
    are_named = len({tuple(one) for one in choices}) == 1
    for record, texts in zip(records, choices, strict=True):
        labels = texts if are_named else [*range(len(texts))]
        answer = _answer(record, labels) if rating is None else record.get(rating)
        target = record.get("target")
        if str(target).isdigit() and int(target) < len(labels):
            target = labels[int(target)]
        held = Record({**record.held, "target": target}, record.place)
        yield Judged(held, (record.get("doc_id"),), [Verdict(ANSWER, None, answer)])


def _choices(record: Record) -> list[str]:
    """Return the choices of a document; none if the model wrote its answer itself."""
    given, asked = record.list_of("filtered_resps"), record.get("arguments")
    if len(given) < FEWEST or not all(isinstance(one, list) for one in given):
        return []
    if isinstance(asked, dict):  # in older versions a list of lists
        asked = [[*one.values()] if isinstance(one, dict) else one for one in asked.values()]
    is_known = isinstance(asked, list) and len(asked) == len(given)
    if not is_known or not all(isinstance(one, list) and len(one) > 1 for one in asked):
        raise record.wrong("arguments", "a question and a choice for each of 'filtered_resps'")
    texts = [str(one[1]).strip() for one in asked]
    return texts[: len(texts) // 2] if CONDITIONAL in record.list_of("metrics") else texts


def _answer(record: Record, labels: list[Any]) -> Any:
    """Return the choice that the model found likeliest, or what it wrote."""
    given = record.list_of("filtered_resps")
    if labels:
        try:
            likely = [float(one[0]) for one in given[: len(labels)]]
        except (IndexError, TypeError, ValueError) as error:
            raise record.wrong("filtered_resps", "log-likelihoods, each first in a list") from error
        return labels[likely.index(max(likely))]
    answer = given[0] if len(given) == 1 else None
    return (
        None if isinstance(answer, list) else answer.strip() if isinstance(answer, str) else answer
    )


def read_records(given: Any, item: str, wanted: Wanted) -> Annotations:
    """Read fields of records, and fields of these, that hold ratings."""
    if isinstance(given, str | os.PathLike):
        file = as_path(given, "records")
        rows, source = read_file(file), names_of([file])
    else:
        rows, source = records_in(given), "the records"
    check_fields(rows, [item], source)
    return gather(
        {None: [Judged(row, (value_at(row.held, item),)) for row in rows]}, source, wanted
    )
