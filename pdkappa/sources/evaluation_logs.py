"""Logs of evaluations of language models, and nested records -> `Ratings`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pandas.api.types import is_hashable

from pdkappa.errors import (
    OptionError,
    check_choice,
    listing,
    shown,
)
from pdkappa.methods.estimates.options import gate
from pdkappa.sources.annotation_tools import ratings_of
from pdkappa.sources.file_formats import archived, as_path, ending, read_document, readable
from pdkappa.sources.source import (
    Annotations,
    End,
    Record,
    check_known,
    fields_of,
    is_blank,
    names_of,
    read_file,
    records_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pandas as pd

    from pdkappa._typing import Categories, Fields, PathLike
    from pdkappa.accessor import Ratings

ITEM, RATER, LABEL = "item", "rater", "label"
ABSENT = object()
FIELD = "."  # between a field and one of what it holds


class Verdict(NamedTuple):
    """What one judge said of a record: its name, the model that it asked, and the label."""

    judge: str
    model: str | None
    label: Any


@dataclass
class Judged:
    """A record of a log with what judges said of it.

    Attributes
    ----------
    record : Record
        Its fields, of which some may hold what people said.
    item : tuple
        What names it: the first part where that is enough, or else all.
    verdicts : list of Verdict
        What the judges said.
    """

    record: Record
    item: tuple[Any, ...]
    verdicts: list[Verdict] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """What is asked of logs.

    Attributes
    ----------
    judges : list of str or None
        Judges to read; None for all.
    humans : dict
        Fields of what people said, by their names.
    columns : dict
        Fields to keep beside the ratings, by their names.
    relabel : mapping
        Other names of labels.
    """

    judges: list[str] | None
    humans: dict[str, str]
    columns: dict[str, str]
    relabel: Mapping[Any, Any]

    @classmethod
    def of(cls, judges: Any, humans: Any, columns: Any, relabel: Any) -> Wanted:
        """Check what is asked."""
        if relabel is not None and not isinstance(relabel, Mapping):
            message = f"relabel must be a dict of labels, got {shown(relabel)}."
            raise OptionError(message)
        kept = fields_named("columns", columns)
        taken = [name for name in kept if name in (ITEM, RATER, LABEL)]
        if taken:
            message = (
                f"columns names {listing(taken)}, which is taken. Pass a dict of other names and "
                "the fields."
            )
            raise OptionError(message)
        return cls(
            None if judges is None else _listed("judges", judges),
            fields_named("humans", humans),
            kept,
            relabel or {},
        )

    def label(self, value: Any) -> list[Any]:
        """Return the labels in a value, by their other names."""
        if is_hashable(value) and value in self.relabel:
            value = self.relabel[value]
        values = value if isinstance(value, list) else [value]
        named = [self.relabel.get(one, one) if is_hashable(one) else one for one in values]
        return [one for one in named if not is_blank(one)]


def _listed(option: str, given: Any) -> list[str]:
    """List names: one, or several."""
    names = [given] if isinstance(given, str) else given
    if isinstance(names, Iterable) and not isinstance(names, bytes | Mapping):
        names = list(names)
        if names and all(isinstance(name, str) and name for name in names):
            return names
    message = f"{option} must be a name or a list of names, got {shown(given)}."
    raise OptionError(message)


def fields_named(option: str, given: Any) -> dict[str, str]:
    """Name fields after their last part, where it tells them apart, or as the user does."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        if given and all(isinstance(one, str) and one for pair in given.items() for one in pair):
            return dict(given)
        message = f"{option} must be a dict of names and fields, got {shown(given)}."
        raise OptionError(message)
    paths = _listed(option, given)
    last = Counter(path.split(FIELD)[-1] for path in dict.fromkeys(paths))
    return {end if last[end := path.split(FIELD)[-1]] == 1 else path: path for path in paths}


def value_at(held: Any, path: str) -> Any:
    """Return what stands in a field of a field, ABSENT if it is not there.

    >>> value_at({"meta": {"by.ann": ["good"]}}, "meta.by.ann.0")
    'good'
    """
    if path == "":
        return held
    parts = path.split(FIELD)
    if isinstance(held, list) and parts[0].isdigit() and int(parts[0]) < len(held):
        return value_at(held[int(parts[0])], FIELD.join(parts[1:]))
    if isinstance(held, dict):
        for n_parts in range(len(parts), 0, -1):  # names may have dots
            name = FIELD.join(parts[:n_parts])
            if name in held:
                return value_at(held[name], FIELD.join(parts[n_parts:]))
    return ABSENT


def files_of(given: Any) -> dict[str | None, Path]:
    """Return files by the names that are theirs; a single one needs none."""
    if isinstance(given, Mapping):
        if not given:
            message = "path must name a file, got {} (dict). Pass a dict of names and files."
            raise OptionError(message)
        return {str(name): as_path(path) for name, path in given.items()}
    return {None: as_path(given)}


def gather(logs: dict[str | None, list[Judged]], source: str, wanted: Wanted) -> Annotations:
    """Collect what judges and people said of the records of logs."""
    found = Annotations(source, (ITEM, RATER, LABEL))
    every = [one for log in logs.values() for one in log]
    paths = [*wanted.humans.values(), *wanted.columns.values()]
    check_fields([one.record for one in every], paths, source)
    names = {key: _names(log) for key, log in logs.items()}
    chosen = _chosen(
        [both for log in names.values() for row in log for both in row], source, wanted
    )
    items, said = iter(_items(logs.values())), set[str]()
    for key, log in logs.items():
        for one, called in zip(log, names[key], strict=True):
            item = next(items)
            for (_, name), verdict in zip(called, one.verdicts, strict=True):
                if name in chosen:
                    rater = name if key is None else key if len(chosen) == 1 else f"{key}: {name}"
                    found.add(one.record, item, rater, wanted.label(verdict.label))
            _add_people(found, one.record, item, wanted, said)
            for name, path in wanted.columns.items():
                found.beside[name].setdefault(item, _cell(value_at(one.record.held, path)))
    return found


def check_fields(records: list[Record], paths: Iterable[str], source: str) -> None:
    """Make sure that each field is there in some record."""
    for path in paths:
        if all(value_at(one.held, path) is ABSENT for one in records):
            known = dict.fromkeys(leaf for one in records for leaf in _leaves(one.held))
            check_known(path, known, "field", source)


def _leaves(held: dict[str, Any]) -> Iterable[str]:
    """Name the fields that hold no others."""
    for name, value in held.items():
        if isinstance(value, dict) and value:
            yield from (f"{name}{FIELD}{leaf}" for leaf in _leaves(value))
        else:
            yield str(name)


def _names(log: list[Judged]) -> list[list[tuple[str, str]]]:
    """Name the judges of each record, with the model if one of them asked several.

    A judge of which a record holds several verdicts of one model is numbered.
    """
    models: dict[str, set[str | None]] = defaultdict(set)
    for one in log:
        for verdict in one.verdicts:
            models[verdict.judge].add(verdict.model)
    named = []
    for one in log:
        seen: Counter[str] = Counter()
        row = []
        for judge, model, _ in one.verdicts:
            name = f"{judge} ({model})" if model and len(models[judge]) > 1 else judge
            seen[name] += 1
            row.append((judge, f"{name} #{seen[name]}" if seen[name] > 1 else name))
        named.append(row)
    return named


def _chosen(names: list[tuple[str, str]], source: str, wanted: Wanted) -> set[str]:
    """Return the names of the judges that are wanted: by these, or by what they have in common."""
    every = {name for _, name in names}
    if wanted.judges is None:
        return every
    known = dict.fromkeys(name for both in names for name in both)
    for name in wanted.judges:
        check_known(name, known, "judge", source)
    return {name for both in names for name in both[1:] if {*both} & {*wanted.judges}}


def _items(logs: Iterable[list[Judged]]) -> list[Any]:
    """Name items by the first part of their names if it tells those of a log apart, or by all."""
    logs = list(logs)
    is_enough = all(len({repr(one.item[0]) for one in log}) == len(log) for log in logs)
    parts = [one.item for log in logs for one in log]
    return [first if is_enough else "/".join(map(str, (first, *more))) for first, *more in parts]


def _add_people(
    found: Annotations, record: Record, item: Any, wanted: Wanted, said: set[str]
) -> None:
    """Add what people said: a label, or a dict of them and their labels; once from all logs."""
    for name, path in wanted.humans.items():
        value = value_at(record.held, path)
        for who, label in value.items() if isinstance(value, dict) else [(name, value)]:
            labels = [] if label is ABSENT else wanted.label(label)
            if (again := repr((item, who, labels))) not in said:
                said.add(again)
                found.add(record, item, who, labels)


def _cell(value: Any) -> Any:
    """Return what stands beside ratings: a value, or text."""
    if value is ABSENT or isinstance(value, str | int | float | None):
        return None if value is ABSENT else value
    return json.dumps(value, ensure_ascii=False)


RATINGS = {"pass": ("pass", "success"), "score": ("score", "score")}  # promptfoo, DeepEval
CASES = ("testCases", "conversationalTestCases")  # of DeepEval
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")  # a sample of Inspect
PARTS = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
LARGE = frozenset({"attachments", "events", "messages", "output", "store"})  # of Inspect
ANSWER = "answer"  # of a model of lm-evaluation-harness
SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-.+)\.jsonl")
FEWEST = 2  # choices
CONDITIONAL = "acc_mutual_info"  # asks about each choice a second time, without the question


def read_inspect(given: Any, wanted: Wanted) -> Annotations:
    """Read the scores of samples in logs of Inspect AI."""
    named = {path.split(FIELD)[0] for path in (*wanted.humans.values(), *wanted.columns.values())}
    large = LARGE.difference(named)
    return _read(
        given, wanted, lambda path, end: (_sample(one, large) for one in _samples(path, end))
    )


NO_HEADER = "no header.json"


def _read(
    given: Any, wanted: Wanted, judged: Callable[[Path, End], Iterable[Judged]]
) -> Annotations:
    """Read logs, one or by the names of judges."""
    files = files_of(given)
    logs, ends = {}, {}
    for name, path in files.items():
        ends[name] = End()
        with readable(path):
            logs[name] = list(judged(path, ends[name]))
    for name, path in files.items():
        ends[name].check(path, len(logs[name]))
    return gather(logs, names_of(files.values()), wanted)


def _samples(path: Path, end: End) -> Iterable[Record]:
    """Return the samples of a log of either format, of an archive one at a time."""
    if ending(path) == ".eval":
        return _archived(path, end)
    log = Record(read_document(path), repr(path.name))
    _end_of_inspect(log, end)
    return _numbered("sample", log, "samples")


def _end_of_inspect(log: Record, end: End) -> None:
    """Tell how a log ends by its header."""
    end.status = log.text("status") or end.status
    asked, results = Record(log.dict_of("eval"), log.place), log.dict_of("results")
    samples = Record(asked.dict_of("dataset"), log.place).list_of("sample_ids")
    n_epochs = asked.dict_of("config").get("epochs")
    planned = len(samples) * (n_epochs if isinstance(n_epochs, int) else 1)
    end.n_announced = _number(results.get("total_samples")) or planned
    completed = results.get("completed_samples")
    if isinstance(completed, int):
        end.n_failed = max(end.n_announced - completed, 0)


def _number(value: Any) -> int:
    """Return a count, 0 if there is none."""
    return value if isinstance(value, int) else 0


def _archived(path: Path, end: End) -> Iterator[Record]:
    """Return the samples of an archive, each a document, or a folder of its parts."""
    with archived(path) as archive:
        end.status = NO_HEADER
        for name in ("_journal/start.json", "header.json"):
            if name in archive.members:
                place = f"{name} of {path.name!r}"
                held = archive.document(name)
                end.status = "" if name == "header.json" else end.status
                _end_of_inspect(Record(held, place), end)
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
    return _read(
        given, wanted, lambda path, end: [_result(one, field) for one in _results(path, end)]
    )


def _results(path: Path, end: End) -> list[Record]:
    """Return the results of a file: one document, or one in each line."""
    if ending(path) != ".json":
        return read_file(path)
    log = Record(read_document(path), repr(path.name))
    inner = Record(log.dict_of("results"), log.place)
    stats = inner.dict_of("stats")
    end.n_failed = _number(stats.get("errors"))
    end.n_announced = sum(_number(stats.get(name)) for name in ("successes", "failures", "errors"))
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
    return _read(given, wanted, lambda path, end: [_case(one, field) for one in _cases(path, end)])


def _cases(path: Path, end: End) -> list[Record]:
    """Return the test cases of a run, which the latest one wraps once more."""
    log = Record(read_document(path), repr(path.name))
    run = Record(log.dict_of("testRunData") or log.held, log.place)
    end.n_announced = sum(_number(run.get(name)) for name in ("testPassed", "testFailed"))
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
    return _read(given, wanted, lambda path, end: _models(path, end, rating, answers_of))


def _models(path: Path, end: End, rating: str | None, answers_of: str | None) -> Iterable[Judged]:
    """Return what the model of a file answered; how many samples it had its results say."""
    source = repr(path.name)
    records = _filtered(read_file(path), source, answers_of)
    if named := SAMPLES.fullmatch(path.name):
        beside = path.with_name(f"results_{named['time']}.json")
        if beside.is_file():
            log = Record(read_document(beside), repr(beside.name))
            samples = Record(log.dict_of("n-samples"), log.place)
            end.n_announced = _number(samples.dict_of(named["task"]).get("effective"))
    known = fields_of(records)
    for name in ("doc_id", rating or "filtered_resps"):
        check_known(name, known, "field", source)
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


@gate
def from_inspect(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the scores that scorers gave to samples in logs of Inspect AI.

    Parameters
    ----------
    path : path or dict
        A log, ``.eval`` or ``.json``; or ``{name: path}`` of logs in which judges of these names
        scored the same samples.
    judges : str or list of str, optional
        Scorers to read; of one that gives several scores each is named as ``"rubric.tone"``.
        Default: all.
    humans : str, list of str or dict, optional
        Fields of a sample that contain human labels, such as ``"metadata.label"`` or
        ``"target"``, or ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a sample to keep beside its ratings, such as ``"input"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{"C": "good", "I": "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids of the
        samples, with epochs ``"id/epoch"``. Raters are the scorers, or the names of the logs,
        and people by the last part of the field. A label is the value of the score.

    Raises
    ------
    ColumnNotFoundError
        If there is no such scorer or field.
    DuplicateRatingError
        If two samples have one name.
    MissingDependencyError
        If a log is compressed by Zstandard, and there is no pyarrow.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no score, or the file is no such log.

    Warns
    -----
    UnfinishedLogWarning
        Once for each log that says that it is unfinished, or holds fewer records than it announces.
    LeftOutWarning
        Once, if scores are left out: those of samples that failed, or that are NaN or lists.

    Notes
    -----
    Tested with logs that inspect-ai 0.3.285 wrote.

    Examples
    --------
    >>> said = [("C", "C", "good"), ("I", "C", "bad"), ("I", "I", "bad"), ("C", "C", "good")]
    >>> samples = [
    ...     {
    ...         "id": number,
    ...         "epoch": 1,
    ...         "metadata": {"ann": ann},
    ...         "scores": {"strict": {"value": strict}, "mild": {"value": mild}},
    ...     }
    ...     for number, (strict, mild, ann) in enumerate(said)
    ... ]
    >>> pd.Series({"samples": samples}).to_json("log.json")
    >>> names = {"C": "good", "I": "bad"}
    >>> ratings = pdkappa.tools.from_inspect("log.json", humans="metadata.ann", relabel=names)
    >>> ratings.pairwise().round(3)
            ann  mild  strict
    ann     1.0   0.5     1.0
    mild    0.5   1.0     0.5
    strict  1.0   0.5     1.0
    """
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_inspect(path, wanted), categories)


@gate
def from_promptfoo(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    rating: Literal["pass", "score"] = "pass",
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the verdicts of assertions on outputs in results of promptfoo.

    Parameters
    ----------
    path : path or dict
        Results in JSON or JSON lines, as from ``promptfoo eval -o``; or ``{name: path}`` of
        results in which judges of these names graded the same outputs.
    judges : str or list of str, optional
        Assertions to read, by their metric, or else their type. Default: all.
    rating : {"pass", "score"}
        Whether a label is that the output passed, or its score.
    humans : str, list of str or dict, optional
        Fields of a result that contain human labels, such as ``"vars.label"``, or ``{rater:
        field}``: a label, or a dict ``{rater: label}``. What was rated in the viewer is an
        assertion of the type ``"human"``, which is read without being named here.
    columns : str, list of str or dict, optional
        Fields of a result to keep beside its ratings, such as ``"response.output"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the indices of
        the tests, with several prompts or providers ``"test/prompt"``. Raters are the
        assertions: with the provider that graded, as ``"correct (openai:gpt-5)"``, where one
        metric has several; numbered, as ``"llm-rubric #2"``, where a test has several of one
        name.

    Raises
    ------
    ColumnNotFoundError
        If there is no such assertion or field.
    DuplicateRatingError
        If two results have one name.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no assertion, or the file is no such result.

    Warns
    -----
    UnfinishedLogWarning
        Once for each log that says that it is unfinished, or holds fewer records than it announces.
    LeftOutWarning
        Once, if labels are missing.

    Notes
    -----
    Tested with files that promptfoo 0.121.20 wrote.

    Examples
    --------
    >>> def result(number, *passed):
    ...     named = zip(("strict", "mild"), passed)
    ...     parts = [{"pass": one, "assertion": {"metric": name}} for name, one in named]
    ...     return {"testIdx": number, "gradingResult": {"componentResults": parts}}
    >>> said = [(True, True), (False, True), (False, False)]
    >>> results = [result(number, *one) for number, one in enumerate(said)]
    >>> pd.DataFrame(results).to_json("out.jsonl", orient="records", lines=True)
    >>> pdkappa.tools.from_promptfoo("out.jsonl").pairs()["estimate"].round(3).item()
    0.4
    """
    check_choice("rating", rating, RATINGS)
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_promptfoo(path, rating, wanted), categories)


@gate
def from_deepeval(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    rating: Literal["pass", "score"] = "pass",
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the verdicts of metrics on test cases in test runs of DeepEval.

    Parameters
    ----------
    path : path or dict
        A test run in JSON, as in the folder ``DEEPEVAL_RESULTS_FOLDER``; or ``{name: path}`` of
        runs in which judges of these names graded the same test cases.
    judges : str or list of str, optional
        Metrics to read. Default: all.
    rating : {"pass", "score"}
        Whether a label is that the test case passed, or its score.
    humans : str, list of str or dict, optional
        Fields of a test case that contain human labels, such as ``"metadata.label"``, or
        ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a test case to keep beside its ratings, such as ``"actualOutput"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the names of
        the test cases, with their numbers if a name occurs twice: ``"name/order"``. Raters are
        the metrics: with the model that graded, as ``"Polite (gpt-5)"``, where a metric has
        several.

    Raises
    ------
    ColumnNotFoundError
        If there is no such metric or field.
    DuplicateRatingError
        If two test cases have one name and number.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no metric, or the file is no test run.

    Warns
    -----
    UnfinishedLogWarning
        Once for each log that says that it is unfinished, or holds fewer records than it announces.
    LeftOutWarning
        Once, if labels are missing, as those of metrics that failed.

    Notes
    -----
    Tested with files that deepeval 4.3.1 wrote.

    Examples
    --------
    >>> said = [(True, True), (False, True), (False, False)]
    >>> cases = [
    ...     {
    ...         "name": f"case {number}",
    ...         "metricsData": [
    ...             {"name": "Polite", "success": one, "evaluationModel": model}
    ...             for one, model in zip(pair, ("gpt-5", "claude"))
    ...         ],
    ...     }
    ...     for number, pair in enumerate(said)
    ... ]
    >>> pd.Series({"testCases": cases}).to_json("run.json")
    >>> ratings = pdkappa.tools.from_deepeval("run.json")
    >>> ratings.pairs()[["rater_a", "rater_b", "estimate"]].round(3)
              rater_a         rater_b  estimate
    0  Polite (claude)  Polite (gpt-5)       0.4
    """
    check_choice("rating", rating, RATINGS)
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_deepeval(path, rating, wanted), categories)


@gate
def from_lm_eval(
    path: PathLike | Mapping[str, PathLike],
    *,
    rating: str | None = None,
    filter: str | None = None,  # noqa: A002
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the answers of models in samples of lm-evaluation-harness.

    Parameters
    ----------
    path : path or dict
        The samples of a task, as from ``lm_eval --log_samples``; or ``{model: path}`` of models
        that answered the same documents.
    rating : str, optional
        A metric of each document to read, such as ``"acc"``. Default: the answer, which of
        several choices is the likeliest, and of text what the filter left of it.
    filter : str, optional
        The filter whose answers to read, where the samples are those of several.
    humans : str, list of str or dict, optional
        Fields of a sample that contain human labels, such as ``"target"`` or ``"doc.label"``,
        or ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a sample to keep beside its ratings, such as ``"doc.text"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{"[invalid]": None}`` for answers that the filter did not
        find.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the
        ``doc_id``, raters the models: that of a single file is named after its folder. Choices
        are named by their texts if these are the same for all documents, or else numbered from
        0, and so is a ``target`` that is the number of a choice.

    Raises
    ------
    ColumnNotFoundError
        If there is no such metric, filter or field.
    DuplicateRatingError
        If a document stands twice in a file.
    OptionError
        If an option has an invalid value, or a filter must be chosen.
    RatingsError
        If there is no answer, or the file holds no such samples.

    Warns
    -----
    UnfinishedLogWarning
        Once for each log that says that it is unfinished, or holds fewer records than it announces.
    LeftOutWarning
        Once, if labels are missing, as where a model gave several answers or none.

    Notes
    -----
    Tested with files that lm-eval 0.4.13 wrote.

    Examples
    --------
    >>> answers = {"a": ["good", "bad", "bad"], "b": ["good", "good", "bad"]}
    >>> for model, given in answers.items():
    ...     rows = [{"doc_id": at, "filtered_resps": [one]} for at, one in enumerate(given)]
    ...     pd.DataFrame(rows).to_json(f"{model}.jsonl", orient="records", lines=True)
    >>> ratings = pdkappa.tools.from_lm_eval({"small": "a.jsonl", "large": "b.jsonl"})
    >>> ratings.pairs()["estimate"].round(3).item()
    0.4
    """
    wanted = Wanted.of(None, humans, columns, relabel)
    return ratings_of(read_lm_eval(path, rating, filter, wanted), categories)


@gate
def from_records(
    records: PathLike | Iterable[dict[str, Any]] | pd.DataFrame,
    raters: Fields,
    *,
    item: str = "id",
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read records in which ratings are nested fields.

    Parameters
    ----------
    records : path, list of dict or DataFrame
        One record for each item, or a file of them: JSON lines, or a JSON list.
    raters : str, list of str or dict
        Fields that hold ratings, with dots between a field and one of what it holds, such as
        ``"judge.verdict.label"`` or ``"votes.0.label"``, or ``{rater: field}``: a label, or a
        dict ``{rater: label}``.
    item : str, default "id"
        The field that names the item.
    columns : str, list of str or dict, optional
        Fields to keep beside the ratings, such as ``"input.text"``, or ``{column: field}``;
        methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are named after
        the last part of the field, where it tells them apart.

    Raises
    ------
    ColumnNotFoundError
        If there is no such field.
    DuplicateRatingError
        If two records are about one item.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no label, or the file holds no records.

    Warns
    -----
    LeftOutWarning
        Once, if labels are missing, or are none.

    Examples
    --------
    >>> records = [
    ...     {"id": 1, "human": "good", "judge": {"label": "good"}},
    ...     {"id": 2, "human": "good", "judge": {"label": "bad"}},
    ...     {"id": 3, "human": "bad", "judge": {"label": "bad"}},
    ... ]
    >>> ratings = pdkappa.from_records(records, {"ann": "human", "gpt": "judge.label"})
    >>> ratings.pairs()["estimate"].round(3).item()
    0.4
    """
    return ratings_of(
        read_records(records, item, Wanted.of(None, raters, columns, relabel)), categories
    )
