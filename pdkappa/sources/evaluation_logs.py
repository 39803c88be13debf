"""Logs of evaluations of language models -> `Ratings`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pdkappa._typing import Graded
from pdkappa.errors import OptionError, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.sources.file_formats import (
    archived,
    as_path,
    document_in,
    ending,
    read_document,
    readable,
)
from pdkappa.sources.judged_records import FIELD, Judged, OfLog, Verdict, Wanted, files_of, gather
from pdkappa.sources.records import End, Record, check_known, fields_of, names_of, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pdkappa._typing import PathLike
    from pdkappa.accessor import Ratings

RATINGS = {"pass": ("pass", "success"), "score": ("score", "score")}  # promptfoo, DeepEval
CASES = ("testCases", "conversationalTestCases")  # of DeepEval
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")  # a sample of Inspect
PARTS = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
LARGE = frozenset({"attachments", "events", "messages", "output", "store"})  # of Inspect
ANSWER = "answer"  # of a model of lm-evaluation-harness
SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-.+)\.jsonl")
FEWEST = 2  # choices
CONDITIONAL = "acc_mutual_info"  # asks about each choice a second time, without the question
NO_HEADER = "no header.json"


def _read(given: Any, wanted: Wanted, judged: Callable[[Path, End], Iterable[Judged]]) -> Ratings:
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
                place = f"{name} of {shown(path.name)}"
                held = document_in(archive, name)
                end.status = "" if name == "header.json" else end.status
                _end_of_inspect(Record(held, place), end)
        for name in archive.members:
            place = f"{name} of {shown(path.name)}"
            if WHOLE.fullmatch(name):
                yield Record(document_in(archive, name), place)
            elif in_parts := PARTS.fullmatch(name):
                sample, metadata = document_in(archive, name), f"{in_parts[1]}/metadata.json"
                held = document_in(archive, metadata) if metadata in archive.members else {}
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


def _of_all(samples: list[Judged]) -> list[Judged]:
    """Add what a sample lacks of the scores of the others, so that it counts as left out."""
    every = dict.fromkeys(
        verdict.judge for one in samples for verdict in one.verdicts if verdict.label is not None
    )
    for one in samples:
        said = {verdict.judge for verdict in one.verdicts}
        one.verdicts += [Verdict(name, None, None) for name in every if name not in said]
    return samples


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
    check_known(("doc_id", rating or "filtered_resps"), known, "field", source)
    return _answers(records, rating)


def _filtered(records: list[Record], source: str, chosen: str | None) -> list[Record]:
    """Return the samples of one filter, of which a file holds those of all."""
    filters = list(dict.fromkeys(str(one.get("filter")) for one in records))
    if chosen is None:
        if len(filters) > 1:
            message = f"{source} holds answers of several filters. Choose one by filter=: "
            raise OptionError(f"{message}{listing(filters)}.")
        return records
    check_known([chosen], filters, "filter", source)
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


class OfInspect(OfLog):
    """Options of `from_inspect`."""

    path: PathLike | Mapping[str, PathLike] = anew(
        has.Path,
        "path",
        kind="path or dict",
        kw_only=False,
        also="Or ``{name: path}`` of logs in which judges of these names judged the same.",
    )
    judges: str | Iterable[str] | None = option(
        "Those to read. Default: all.", "str or list of str", default=None, kw_only=False
    )


@asks(
    OfInspect,
    path="``.eval`` or ``.json``.",
    judges='Of a scorer that gives several scores each is named as ``"rubric.tone"``.',
)
def from_inspect(asked: OfInspect) -> Ratings:
    """Read the scores that scorers gave to samples in logs of Inspect AI.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids of the
        samples, with epochs ``"id/epoch"``. Raters are the scorers, or the names of the logs,
        and people by the last part of the field. A label is the value of the score.

    Raises
    ------
    MissingDependencyError
        If a log is compressed by Zstandard, and there is no pyarrow.

    Warns
    -----
    LeftOutWarning
        Once, if scores are left out: those that a sample lacks, as where it failed, and those that
        are NaN or lists.

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
    wanted = Wanted.of(asked)
    named = {path.split(FIELD)[0] for path in (*wanted.humans.values(), *wanted.columns.values())}
    large = LARGE.difference(named)
    return _read(
        asked.path,
        wanted,
        lambda path, end: _of_all([_sample(one, large) for one in _samples(path, end)]),
    )


class OfVerdicts(OfInspect):
    """Options of `from_promptfoo` and `from_deepeval`."""

    rating: Graded = anew(
        has.Rating,
        "rating",
        choices=Graded,
        default="pass",
        check=None,
        also="Whether a label is that the output passed, or its score.",
    )


@asks(
    OfVerdicts,
    path="JSON or JSON lines, as from ``promptfoo eval -o``.",
    judges="Assertions, by their metric, or else their type.",
    humans='What was rated in the viewer is an assertion of the type ``"human"``, which is read '
    "without being named here.",
)
def from_promptfoo(asked: OfVerdicts) -> Ratings:
    """Read the verdicts of assertions on outputs in results of promptfoo.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the indices of
        the tests, with several prompts or providers ``"test/prompt"``. Raters are the
        assertions: with the provider that graded, as ``"correct (openai:gpt-5)"``, where one
        metric has several; numbered, as ``"llm-rubric #2"``, where a test has several of one
        name.

    Warns
    -----
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
    field = RATINGS[asked.rating][0]
    return _read(
        asked.path,
        Wanted.of(asked),
        lambda path, end: [_result(one, field) for one in _results(path, end)],
    )


@asks(OfVerdicts, path="JSON, as in the folder ``DEEPEVAL_RESULTS_FOLDER``.", judges="Metrics.")
def from_deepeval(asked: OfVerdicts) -> Ratings:
    """Read the verdicts of metrics on test cases in test runs of DeepEval.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the names of
        the test cases, with their numbers if a name occurs twice: ``"name/order"``. Raters are
        the metrics: with the model that graded, as ``"Polite (gpt-5)"``, where a metric has
        several.

    Warns
    -----
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
    field = RATINGS[asked.rating][1]
    return _read(
        asked.path,
        Wanted.of(asked),
        lambda path, end: [_case(one, field) for one in _cases(path, end)],
    )


class OfLmEval(OfLog):
    """Options of `from_lm_eval`."""

    path: PathLike | Mapping[str, PathLike] = anew(OfInspect, "path", kw_only=False)
    rating: str | None = anew(
        has.Rating,
        "rating",
        kind="str",
        default=None,
        check=None,
        also='A metric of each document to read, such as ``"acc"``. Default: the answer, which of '
        "several choices is the likeliest, and of text what the filter left of it.",
    )
    filter: str | None = option(
        "The filter whose answers to read, where the samples are those of several.",
        "str",
        default=None,
    )


@asks(
    OfLmEval,
    path="The samples of a task, as from ``lm_eval --log_samples``.",
    relabel='For answers that the filter did not find ``{"[invalid]": None}``.',
)
def from_lm_eval(asked: OfLmEval) -> Ratings:
    """Read the answers of models in samples of lm-evaluation-harness.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the
        ``doc_id``, raters the models: that of a single file is named after its folder. Choices
        are named by their texts if these are the same for all documents, or else numbered from
        0, and so is a ``target`` that is the number of a choice.

    Raises
    ------
    OptionError
        If a filter must be chosen.

    Warns
    -----
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
    given: Any = asked.path
    if isinstance(given, str | os.PathLike):
        given = {as_path(given).absolute().parent.name: given}
    return _read(
        given, Wanted.of(asked), lambda path, end: _models(path, end, asked.rating, asked.filter)
    )
