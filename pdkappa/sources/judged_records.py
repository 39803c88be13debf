"""Records with what judges and people said of them -> annotations: `from_records`, and logs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pandas.api.types import is_hashable

from pdkappa.errors import LookalikeLabelsWarning, OptionError, listing, plural, shown, warn
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.sources.annotation_tools import OfVotes, ratings_of
from pdkappa.sources.file_formats import as_path
from pdkappa.sources.records import Annotations, OfTool, Record, check_known, is_blank, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from pdkappa._typing import Fields, GivenCategories, PathLike
    from pdkappa.accessor import Ratings


class OfLog(OfTool):
    """What is read of a log beside its judges."""

    warns = {  # noqa: RUF012
        "UnfinishedLogWarning": "Once for each log that says that it is unfinished, or holds fewer "
        "records than it announces.",
        "LookalikeLabelsWarning": "Once, if items of one name were about something else in each of "
        "several logs, or `relabel` names what is no label.",
    }

    humans: Fields | None = anew(
        has.HumansAndMachine,
        "humans",
        kind="str, list of str or dict",
        default=None,
        check=None,
        also='Fields, such as ``"target"`` or ``"metadata.label"``, or ``{rater: field}``: a '
        "label, or a dict ``{rater: label}``.",
    )
    columns: Fields | None = anew(
        has.Columns,
        "columns",
        kind="str, list of str or dict",
        default=None,
        also="Fields, or ``{column: field}``; methods take them as `by`, `columns` and `cluster`.",
    )
    relabel: Mapping[Any, Any] | None = option(
        'Other names of labels, such as ``{True: "good", "I": "bad"}``; None for a label that is '
        "none. Names that are no label are warned of.",
        "dict",
        default=None,
    )


ITEM, RATER, LABEL = "item", "rater", "label"
ABSENT = object()
ASKED = ("input", "doc", "vars")  # by Inspect AI and DeepEval, lm-evaluation-harness, promptfoo
FIELD = "."  # between a field and one of what it holds


class Verdict(NamedTuple):
    """What one judge said of a record: its name, the model that it asked, and the label."""

    judge: str
    model: str | None
    label: Any


@dataclass
class Judged:
    """A record of a log with what judges said of it."""

    record: Record  # its fields, of which some may hold what people said
    item: tuple[Any, ...]  # what names it: the first part where that is enough, or else all
    verdicts: list[Verdict] = field(default_factory=list)  # what the judges said


@dataclass(frozen=True)
class Wanted:
    """What is asked of logs."""

    judges: list[str] | None  # judges to read; None for all
    humans: dict[str, str]  # fields of what people said, by their names
    columns: dict[str, str]  # fields to keep beside the ratings, by their names
    relabel: Mapping[Any, Any]  # other names of labels
    categories: GivenCategories | None  # those of the labels, in order
    seen: dict[Any, None] = field(default_factory=dict)  # labels by the names that they have

    @classmethod
    def of(cls, asked: OfLog | OfRecords) -> Wanted:
        """Check what is asked."""
        relabel: Any = asked.relabel
        judges = getattr(asked, "judges", None)
        people = "humans" if isinstance(asked, OfLog) else "raters"
        if relabel is not None and not isinstance(relabel, Mapping):
            raise OptionError(f"relabel must be a dict of labels, got {shown(relabel)}.")
        kept = fields_named("columns", asked.columns)
        taken = [name for name in kept if name in (ITEM, RATER, LABEL)]
        if taken:
            raise OptionError(
                f"columns names {listing(taken)}, which is taken. Pass a dict of other names and "
                "the fields."
            )
        return cls(
            None if judges is None else _listed("judges", judges),
            fields_named(people, getattr(asked, people)),
            kept,
            relabel or {},
            asked.categories,
        )

    def label(self, value: Any) -> list[Any]:
        """Return the labels in a value, by their other names."""
        values = value if isinstance(value, list) else [value]
        self.seen.update(dict.fromkeys(filter(is_hashable, [value, *values])))
        if is_hashable(value) and value in self.relabel:
            value = self.relabel[value]
            values = value if isinstance(value, list) else [value]
        named = [self.relabel.get(one, one) if is_hashable(one) else one for one in values]
        return [one for one in named if not is_blank(one)]

    def check_relabel(self, source: str) -> None:
        """Refuse to rename the text "1" where labels are the number 1; warn of other absent ones.

        Who renames both means whichever there is.
        """
        both = [label for label in self.relabel if label in self.seen]
        used = {text for label in both for text in (written(label), str(label))}
        absent = {text: x for x in self.relabel if (text := written(x)) not in used}
        known = [label for label in self.seen if not is_blank(label)]
        are_none = plural(len(absent), "is no label", "are no labels")
        message = (
            f"relabel names {listing(absent.values())}, which {are_none} in {source}. There is "
            f"{listing(known) or 'none'}."
        )
        if absent.keys() & {*map(written, known)}:
            raise OptionError(message)
        if absent:
            warn(message, LookalikeLabelsWarning)


def written(label: Any) -> str:
    """Write a label as JSON does, but text without quotes."""
    return label if isinstance(label, str) else json.dumps(label, default=str)


def _listed(option: str, given: Any) -> list[str]:
    """List names: one, or several."""
    names = [given] if isinstance(given, str) else given
    is_single = isinstance(names, bytes | Mapping) or getattr(names, "ndim", 1) == 0
    if isinstance(names, Iterable) and not is_single:
        names = list(names)
        if names and all(isinstance(name, str) and name for name in names):
            return names
    raise OptionError(f"{option} must be a name or a list of names, got {shown(given)}.")


def fields_named(option: str, given: Any) -> dict[str, str]:
    """Name fields after their last part, where it tells them apart, or as the user does."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        if given and all(isinstance(one, str) and one for pair in given.items() for one in pair):
            return dict(given)
        raise OptionError(f"{option} must be a dict of names and fields, got {shown(given)}.")
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
            raise OptionError(
                "path must name a file, got {} (dict). Pass a dict of names and files."
            )
        return {str(name): as_path(path) for name, path in given.items()}
    return {None: as_path(given)}


def gather(logs: dict[str | None, list[Judged]], source: str, wanted: Wanted) -> Ratings:
    """Collect what judges and people said of the records of logs."""
    found = Annotations(source, (ITEM, RATER, LABEL))
    every = [one for log in logs.values() for one in log]
    paths = [*wanted.humans.values(), *wanted.columns.values()]
    check_fields([one.record for one in every], paths, source)
    names = {key: _names(log) for key, log in logs.items()}
    chosen = _chosen(
        [both for log in names.values() for row in log for both in row], source, wanted
    )
    named = _items(logs.values())
    items, said = iter(named), dict[str, str | None]()
    for key, log in logs.items():
        for one, called in zip(log, names[key], strict=True):
            item = next(items)
            for (_, name), verdict in zip(called, one.verdicts, strict=True):
                if name in chosen:
                    rater = name if key is None else key if len(chosen) == 1 else f"{key}: {name}"
                    found.add(one.record, item, rater, wanted.label(verdict.label))
            for who, labels in _people(one.record, wanted):  # once from all logs
                if said.setdefault(repr((item, who, labels)), key) == key:
                    found.add(one.record, item, who, labels)
            for name, path in wanted.columns.items():
                found.beside[name].setdefault(item, _cell(value_at(one.record.held, path)))
    wanted.check_relabel(source)
    _warn_of_others(logs, iter(named), source)
    return ratings_of(found, wanted.categories)


def _warn_of_others(
    logs: dict[str | None, list[Judged]], items: Iterator[Any], source: str
) -> None:
    """Warn of items that have one name in several logs, in which something else was asked."""
    asked: dict[Any, tuple[str | None, str]] = {}
    others: dict[Any, None] = {}
    for key, log in logs.items():
        for one in log:
            text = repr([one.record.get(name) for name in ASKED])
            first, known = asked.setdefault(item := next(items), (key, text))
            if first != key and known != text:
                others[item] = None
    if others:
        n = len(others)
        warn(
            f"{n} {plural(n, 'item is', 'items are')} not the same in all of {source}, by what was "
            f"asked: {listing(others)}. Pass logs in which items of one name are the same.",
            LookalikeLabelsWarning,
        )


def check_fields(records: list[Record], paths: Iterable[str], source: str) -> None:
    """Make sure that each field is there in some record."""
    for path in paths:
        if all(value_at(one.held, path) is ABSENT for one in records):
            known = dict.fromkeys(leaf for one in records for leaf in _leaves(one.held))
            check_known([path], known, "field", source)


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
    check_known(wanted.judges, known, "judge", source)
    return {name for both in names for name in both[1:] if {*both} & {*wanted.judges}}


def _items(logs: Iterable[list[Judged]]) -> list[Any]:
    """Name items by the first part of their names if it tells those of a log apart, or by all."""
    logs = list(logs)
    is_enough = all(len({repr(one.item[0]) for one in log}) == len(log) for log in logs)
    parts = [one.item for log in logs for one in log]
    return [first if is_enough else "/".join(map(str, (first, *more))) for first, *more in parts]


def _people(record: Record, wanted: Wanted) -> Iterator[tuple[Any, list[Any]]]:
    """Return what people said: a label each, or a dict of them and their labels."""
    for name, path in wanted.humans.items():
        value = value_at(record.held, path)
        for who, label in value.items() if isinstance(value, dict) else [(name, value)]:
            yield who, [] if label is ABSENT else wanted.label(label)


def _cell(value: Any) -> Any:
    """Return what stands beside ratings: a value, or text."""
    if value is ABSENT or isinstance(value, str | int | float | None):
        return None if value is ABSENT else value
    return json.dumps(value, ensure_ascii=False)


class OfRecords(OfTool):
    """Options of `from_records`."""

    records: PathLike | Iterable[dict[str, Any]] | pd.DataFrame = anew(
        OfVotes, "records", kw_only=False
    )
    raters: Fields = anew(
        has.Raters,
        "raters",
        kind="str, list of str or dict",
        kw_only=False,
        also="Fields that hold ratings, with dots between a field and one of what it holds, such "
        'as ``"judge.verdict.label"`` or ``"votes.0.label"``, or ``{rater: field}``: a label, or '
        "a dict ``{rater: label}``.",
        more="",
    )
    item: str = anew(OfVotes, "item", default="id")
    columns: Fields | None = anew(OfLog, "columns", default=None)
    relabel: Mapping[Any, Any] | None = anew(OfLog, "relabel", default=None)


@asks(OfRecords)
def from_records(asked: OfRecords) -> Ratings:
    """Read records in which ratings are nested fields.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Raters are named after
        the last part of the field, where it tells them apart.

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
    wanted = Wanted.of(asked)
    rows, source = rows_of(asked.records)
    check_fields(rows, [asked.item], source)
    log = [Judged(row, (value_at(row.held, asked.item),)) for row in rows]
    return gather({None: log}, source, wanted)
