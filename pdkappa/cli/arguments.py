"""Arguments of the command line -> options of methods, and results -> text or JSON."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import math
import re
import shlex
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import (
    ColumnNotFoundError,
    KappaWarning,
    OptionError,
    RatingsError,
    UnfinishedLogWarning,
    check_choice,
    listing,
    listing_pairs,
    shown,
)
from pdkappa.methods.agreement.pairs import pairs
from pdkappa.methods.estimates.options import check_by
from pdkappa.methods.estimates.told import keep
from pdkappa.present.findings import WIDTH
from pdkappa.present.labels import fold, rounded
from pdkappa.present.text_cells import as_text, brief, cells_of, written
from pdkappa.ratings.options import OF_SETS
from pdkappa.ratings.raters import BEYOND, STRANGER, UNNAMED, left_out, rater_names
from pdkappa.sources.evaluation_logs import (
    OfLmEval,
    OfVerdicts,
    from_deepeval,
    from_inspect,
    from_lm_eval,
    from_promptfoo,
)
from pdkappa.sources.judged_records import fields_named
from pdkappa.sources.scan_files import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from typing import TextIO

    from pdkappa._typing import BoolArray
    from pdkappa.methods.estimates.asks import Option


@dataclass(frozen=True)
class Joined:
    """True and predicted scores of the same items.

    Attributes
    ----------
    frame : DataFrame, shape (N, ...)
        The items of the solution, with their sets and the weights of these.
    truth, prediction : str
        Columns of the scores.
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
    taken = {item: "its id"} | dict.fromkeys(by, "a column of sets")
    of_sets = {} if group_weights is None else {group_weights: "the weight of its set"}
    _check_scores(solution, item, truth, of_sets | taken, "solution")
    _check_scores(submission, item, prediction, taken, "submission")
    known, sent = pd.Index(solution[item]), pd.Index(submission[item])
    _check_predictions(submission, known, sent, prediction)
    answers = submission.set_index(item).reindex(known)
    frame = solution[[*dict.fromkeys([*by, *of_sets, truth])]].copy()
    guess = f"{prediction} of the submission" if prediction in frame else prediction
    frame[guess] = answers[prediction].to_numpy()
    untrue, unset = frame[truth].isna(), frame[by].isna().any(axis=1)
    extra = sent[~sent.isin(known)]
    moved = known[_contradicts(frame, answers, by)]
    counts = {
        "n_items": int((~untrue & ~unset).sum()),
        "n_extra_ids": len(extra),
        "n_without_truth": int(untrue.sum()),
        "n_without_set": int(unset.sum()),
        "n_other_set": len(moved),
    }
    contradiction = (
        f"The submission puts {listing(moved)} into another set than the solution, whose sets are "
        "used."
    )
    return Joined(
        frame[~unset],
        truth,
        guess,
        counts,
        _left_out(counts, extra),
        contradiction if len(moved) else "",
    )


def _left_out(counts: dict[str, int], extra: pd.Index) -> str:
    """Say what is not scored, and why."""
    texts = {
        "n_extra_ids": f"Ids of the submission are not in the solution: {listing(extra)}.",
        "n_without_truth": f"Items without a true score are left out: {counts['n_without_truth']}.",
        "n_without_set": f"Items without a set are left out: {counts['n_without_set']}.",
    }
    return " ".join(text for name, text in texts.items() if counts[name])


def _check_scores(
    frame: pd.DataFrame, item: str, score: str, taken: dict[str, str], name: str
) -> None:
    """Make sure that a file has both columns, and every id once; what is missing is none.

    Columns that are `taken` for something else are no scores.
    """
    for column in (item, score):
        if column not in frame.columns:
            raise ColumnNotFoundError(
                f"The {name} has no column {shown(column)}, only {listing(frame.columns)}."
            )
    if score in taken:
        raise OptionError(
            f"{shown(score)} of the {name} is {taken[score]}. Name the column of scores."
        )
    rows = np.flatnonzero(frame[item].isna())
    if len(rows):
        raise RatingsError(
            f"The {name} must name each item, and has no {shown(item)} in {len(rows)} of "
            f"{len(frame)} rows: {listing((rows + 1).tolist())}. Fill in the ids, or leave these "
            "rows out."
        )
    twice = frame.loc[frame[item].duplicated(), item]
    if len(twice):
        raise RatingsError(
            f"The {name} must hold each id once, and repeats {listing(twice)} in {shown(item)}."
        )


def _check_predictions(
    submission: pd.DataFrame, known: pd.Index, sent: pd.Index, prediction: str
) -> None:
    """Make sure that every item of the solution has a prediction."""
    missing = known[~known.isin(sent)]
    if len(missing):
        message = f"The submission must hold each id of the solution, and lacks {listing(missing)}."
        if known.dtype != sent.dtype and len(missing) == len(known):
            message += f" Ids are {known.dtype} in the solution and {sent.dtype} in the submission."
        plain = {_plain_id(one): one for one in sent}
        alike = [(one, plain[_plain_id(one)]) for one in missing if _plain_id(one) in plain]
        if alike:
            message += f" Some look alike: {listing_pairs(alike)}. Make them equal in both files."
        raise RatingsError(message)
    blank = sent[submission[prediction].isna() & sent.isin(known)]
    if len(blank):
        raise RatingsError(
            f"The submission must predict each item, and has no prediction for {listing(blank)}."
        )


def _plain_id(value: object) -> str:
    """Write an id without what is easily overlooked: blanks around it, and capitals."""
    return str(value).strip().casefold()


def _contradicts(frame: pd.DataFrame, answers: pd.DataFrame, by: list[str]) -> BoolArray:
    """Whether the submission names another set for an item, shape (N,)."""
    differs = pd.Series(data=False, index=answers.index)
    for name in by:
        if name in answers.columns:
            ours = pd.Series(frame[name].array, index=answers.index, dtype=object)
            theirs = answers[name].astype(object)
            differs |= ours.notna() & theirs.notna() & (ours != theirs)
    return differs.to_numpy(dtype=bool)


class Once(argparse.Action):
    """Keep what is typed after a flag, of which argparse would take the last in silence."""

    def __call__(self, _: object, known: argparse.Namespace, values: Any, flag: Any = None) -> None:
        """Refuse a flag that was there before."""
        given = vars(known).setdefault("given", set())
        if flag is not None and self.dest in given:
            raise OptionError(
                f"{flag} is given more than once. Give it once, with all of its values."
            )
        given.add(self.dest)
        setattr(known, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Report wrong usage in one line, as every other error, in the words of the command line."""

    def __init__(self, **options: Any) -> None:
        """Let each flag be typed once, and labels begin with a minus: ``--relabel -1=bad``."""
        super().__init__(**options)
        self._negative_number_matcher = re.compile(r"-\.?\d")
        self.register("action", None, Once)

    def in_flags(self, text: str) -> str:
        """Name options as they are typed here: ``--sample-weight``, not ``sample_weight=``.

        A bare name is taken for an option where it begins the message or has an underscore;
        elsewhere it is a word, and within quotes a label.
        """
        for ours, theirs in OF_FILES.items():
            text = text.replace(ours, theirs)
        first, *rest = CALL.split(text, maxsplit=1)
        if rest:  # a call of Python stays as it is
            call, last = rest
            return f"{self.in_flags(first)}{call}{self.in_flags(last)}"
        names = [action.dest for action in self._actions if action.option_strings]
        for name in names:
            flag = f"--{name.replace('_', '-')}"
            text = re.sub(rf"(?<![\w'\"]){name}=(?!\{{) ?", f"{flag} ", text)
            text = re.sub(rf"^{name}\b(?!=)", flag, text)
            if "_" in name:
                text = re.sub(rf"(?<![\w'\"]){name}(?![\w'\"=])", flag, text)
        text = re.sub(rf"({TEXT})|\[\.{{3}}\]", lambda found: found[1] or "...", text)
        text = re.sub(r"(one of: |called )None\b", r"\1'none'", text)
        return TYPED.sub(_as_typed, text)

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage."""
        raise OptionError(f"{message}. Try: {self.prog} --help")


OF_FILES = {  # what is said of a frame, and what of a file
    "The frame has ": "The file has ",
    "Rename the column in data with data.rename(columns=...).": "Rename the column in the file.",
    "as a group, as with df.fillna(...)": "as a group",
}
TEXT = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
CALL = re.compile(rf"([\w.]+\((?:{TEXT}|[^()'\"])*\))")
TYPED = re.compile(rf"(--[a-z-]+) (\[{TEXT}(?:, {TEXT})*\]|{TEXT})")


def _as_typed(found: re.Match[str]) -> str:
    """Write a name, or a list of them, as a shell reads it: ``--raters ann 'eve b'``."""
    flag, code = found.groups()
    value = ast.literal_eval(code)
    if isinstance(value, list):
        return f"{flag} {shlex.join(value)}"
    return found[0] if code == f"'{value}'" else f"{flag} {shlex.quote(value)}"


def by_columns(columns: list[str] | None) -> str | list[str] | None:
    """Group by one column itself, or by several as a list."""
    return columns[0] if columns is not None and len(columns) == 1 else columns


def weights_named(name: str) -> str | None:
    """Read the name of weights; Python has None for none."""
    return None if name.lower() == "none" else name


def typed(labels: list[str] | None, ratings: pd.DataFrame) -> list[Any] | None:
    """Read categories as the ratings are: booleans, or numbers if all of them are, or else text."""
    if labels is None:
        return None
    kinds = {pd.api.types.infer_dtype(column.astype(object)) for _, column in ratings.items()}
    if "boolean" in kinds and {label.lower() for label in labels} <= {"true", "false"}:
        return [label.lower() == "true" for label in labels]
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    is_text = "string" in kinds and kinds <= {"string", "empty", "boolean"}
    return labels if is_text or numbers.isna().any() else numbers.tolist()


WEIGHTINGS = [name or "none" for name in WEIGHTS]
LOGS: dict[str, Callable[..., Any]] = {
    "inspect": from_inspect,
    "promptfoo": from_promptfoo,
    "deepeval": from_deepeval,
    "lm_eval": from_lm_eval,
}
ENDINGS = {".eval": "inspect"}  # that say of which tool a log is
MEASURED = (
    "raters",
    "by",
    "coefficient",
    "weights",
    "categories",
    "missing",
    "sample_weight",
    "weight_type",
    "cluster",
    "ci",
    "confidence_level",
    "rng",
)
OF_LOGS = {
    one.name: one
    for record in (OfVerdicts, OfLmEval)
    for one in record.options
    if one.name in ("humans", "columns", "relabel", "rating", "filter")
}


class Asked(NamedTuple):
    """The ratings of a file, the options of `pairs`, and whether a log is whole."""

    data: pd.DataFrame
    options: dict[str, Any]
    is_whole: bool


def add_fields(parser: Any, options: Iterable[Option], **other: Any) -> None:
    """Make flags of options, with their words, choices and defaults."""
    for one in options:
        words = re.sub(r"`+", "", one.words).replace("%", "%%")
        choices = [*filter(None, one.choices)]
        choices = [*WEIGHTINGS, *OF_SETS] if one.name == "weights" else choices
        usual = f" Default: {one.default}." if one.default is not None else ""
        kinds = {"weights": weights_named, "confidence_level": float, "rng": int}
        shape = {"nargs": "+"} if "list" in one.kind or one.kind == "dict" else {}
        names = {"column": "COLUMN", "list or": "LABEL", "str": "FIELD", "dict": "OLD=NEW"}
        parser.add_argument(
            f"--{one.name.replace('_', '-')}",
            default=other.get("default", one.default),
            type=kinds.get(one.name),
            metavar=next((name for kind, name in names.items() if kind in one.kind), None),
            help=f"{words} {', '.join(choices)}{'.' * bool(choices)}{usual}".strip(),
            **shape,
        )


def options_of(method: Callable[..., Any], names: Container[str]) -> list[Option]:
    """Return some of the options that a method has."""
    return [one for one in vars(method)["call"].record.options if one.name in names]


def add_options(parser: Parser) -> None:
    """List the file, and the options that every command about it shares."""
    parser.add_argument("file", help="ratings, one row for each item; or a log of an evaluation")
    add_fields(parser, options_of(pairs, MEASURED))
    logs = parser.add_argument_group("logs of evaluations, in which raters are judges and people")
    logs.add_argument("--log", help=f"which tool wrote the file: {', '.join(LOGS)}")
    add_fields(logs, OF_LOGS.values(), default=None)


def asked_for(args: argparse.Namespace) -> Asked:
    """Read the file, and the options as `pairs` takes them."""
    check_by(args.by, {"holds", "unweighted", "quadratic"})  # columns that are made here
    path = Path(args.file)
    options = {name: getattr(args, name) for name in MEASURED}
    options["by"] = by_columns(args.by)
    if args.weight_type is not None and args.sample_weight is None:
        raise OptionError("--weight-type has no effect without weights. Pass --sample-weight, too.")
    log = ENDINGS.get(path.suffix.lower()) if args.log is None else args.log
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", KappaWarning)
        if log is None:
            _check_no_log(args)
            data = read_whole(path)
        else:
            check_choice("log", log, LOGS)
            data = _read_log(path, log, args)
            kept = fields_named("columns", args.columns)
            options["raters"] = args.raters or [name for name in data if name not in kept]
    for one in told:
        warnings.warn(one.message, stacklevel=2)
    beside = [*(args.by or []), args.cluster, args.sample_weight]
    raters = [name for name in options["raters"] or data if name in data and name not in beside]
    never = left_out(data, raters) if args.categories and not options["raters"] else {}
    options["categories"] = typed(args.categories, data[raters].drop(columns=[*never]))
    ours = [one for one in told if issubclass(one.category, KappaWarning)]
    keep(data, [str(one.message) for one in ours])
    is_whole = not any(issubclass(one.category, UnfinishedLogWarning) for one in ours)
    return Asked(data, options, is_whole)


def _check_no_log(args: argparse.Namespace) -> None:
    """Refuse options of logs where the file is none."""
    given = [name for name in OF_LOGS if getattr(args, name) is not None]
    if given:
        raise OptionError(f"--{given[0]} is about logs of evaluations. Name the tool with --log.")


def _read_log(path: Path, tool: str, args: argparse.Namespace) -> pd.DataFrame:
    """Read a log, one row for each item."""
    given = {name: getattr(args, name) for name in OF_LOGS if getattr(args, name) is not None}
    if "relabel" in given:
        given["relabel"] = _renamed(given["relabel"])
    for name in given:
        if not options_of(LOGS[tool], [name]):
            raise OptionError(f"--{name} is no option of logs of {tool}. Leave it out.")
    return LOGS[tool](path, **given).wide


def _renamed(given: list[str]) -> dict[Any, str | None]:
    """Read labels and their other names; what may be a number, true or false is text as well."""
    names: dict[Any, str | None] = {}
    for text in given:
        old, sign, new = text.partition("=")
        if not sign or old in names:
            why = "names a label more than once" if sign else "must be OLD=NEW"
            raise OptionError(f"relabel {why}, got {shown(text)}.")
        names[old] = new or None
        with contextlib.suppress(json.JSONDecodeError):
            if isinstance(label := json.loads(old.lower()), bool | int | float):
                names[label] = new or None
    return names


LEFT_OUT = ("observed_agreement", "expected_agreement", "z", "fisher_z", "se_fisher_z")


def say(text: str) -> None:
    """Print a line."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """Print a line on the error stream; where that is full, what was found still counts."""
    try:
        _write(sys.stderr, f"pdkappa: {text}")
    except OSError:
        sys.stderr = nowhere()


def flush() -> None:
    """Write what was printed."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _no_reader()


def _write(stream: TextIO, text: str) -> None:
    """Write a line; what the terminal cannot show is escaped."""
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(f"{text.encode(encoding, 'backslashreplace').decode(encoding)}\n")
    except BrokenPipeError:
        _no_reader()


def _no_reader() -> None:
    """Print no more, as the reader, such as head, has seen enough; what was found still counts."""
    sys.stdout = nowhere()


def nowhere() -> TextIO:
    """Return a stream that nobody reads."""
    return io.StringIO()


def heading(text: str) -> None:
    """Print a heading."""
    say(f"\n{text}\n")


def one_line(error: BaseException | str) -> str:
    """Message without line breaks."""
    return " ".join(str(error).split())


def summary(frame: pd.DataFrame) -> str:
    """Show the columns that a reader looks for first."""
    left_out = [*LEFT_OUT]
    if "reason" in frame and not frame["reason"].any():
        left_out.append("reason")
    shown = frame.drop(columns=left_out, errors="ignore")
    shown = shown.reset_index() if "rater_a" in shown and any(shown.index.names) else shown
    return text_of(shown, index=not isinstance(shown.index, pd.RangeIndex))


def _in_a_terminal(frame: pd.DataFrame) -> str:
    """Show one block of lines, as printed frames are; say how to see the rest."""
    cells, rest = brief(cells_of(frame), frame, WIDTH)
    said = frame.get("remark", pd.Series(dtype=object)).value_counts()
    remarks = [f"{n} of {len(frame)} rows: {one}" for one, n in said.items() if one != ""]
    more = [f"Also: {', '.join(rest)} (| cat, or --json)"] if rest else []
    below = "\n".join(fold(one, WIDTH) for one in (*remarks, *more))
    return f"{as_text(cells, WIDTH, frame.shape)}\n\n{below}".rstrip()


def text_of(frame: pd.DataFrame, *, index: bool = True) -> str:
    """Show a frame whole, with four decimals, and nothing where a value is missing.

    A terminal has one block of lines.
    """
    if sys.stdout.isatty():
        return _in_a_terminal(frame)
    if "n_categories" in frame:  # pandas shows <NA> in it, whatever na_rep is
        known = frame["n_categories"].notna()
        frame = frame.assign(n_categories=frame["n_categories"].astype(object).where(known, ""))
    decimals, formatters = lambda one: rounded(one, 4), {"p_value": p_value}
    return frame.to_string(index=index, float_format=decimals, formatters=formatters, na_rep="")


def p_value(value: float) -> str:
    """Show a p-value, a tiny one as what it is less than."""
    return "" if math.isnan(value) else written(value, "p")


def say_json(result: dict[str, Any]) -> None:
    """Print a result for programs."""
    say(json.dumps(result, allow_nan=False))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows for JSON, with what names them."""
    plain = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
    return [fields(row) for row in plain.to_dict("records")]


def fields(row: Any) -> dict[str, Any]:
    """Return what a row holds for JSON."""
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """Convert a value for JSON, which has no NaN and no infinity."""
    if isinstance(value, str | bool):
        return value
    if pd.isna(value):
        return None
    if isinstance(value, np.bool):
        return bool(value)
    if not isinstance(value, int | float | np.number):
        return str(value)
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


FALLS_SHORT = 1
CANNOT_TELL = 2


class Verdict(NamedTuple):
    """What is known of the agreement in a file."""

    holds: bool | None  # whether it is high enough; None if that cannot be told
    why_not: list[str]  # why it cannot be told
    n_ungrouped: int  # how many items have no group

    @property
    def status(self) -> int:
        """The exit status."""
        return CANNOT_TELL if self.holds is None else 0 if self.holds else FALLS_SHORT

    @property
    def word(self) -> str:
        """The verdict."""
        return {None: "CANNOT TELL", False: "NOT MET", True: "Holds"}[self.holds]


def verdict_of(frame: pd.DataFrame, asked: Asked, *, is_whole: bool) -> Verdict:
    """Judge what was found: what is too low counts first, then what nobody can know."""
    data, options, _ = asked
    by = [options["by"]] if isinstance(options["by"], str) else options["by"] or []
    n_ungrouped = int(data[by].isna().any(axis=1).sum())
    beside = [*by, options["cluster"], options["sample_weight"]]
    raters = rater_names(data, options["raters"], beside, 0)
    silent = [name for name in raters if len(data) and data[name].isna().all()]
    never = left_out(data, raters) if options["raters"] is None else {}
    doubtful = [name for name, why in never.items() if why.startswith(STRANGER)]
    beyond = [name for name, why in never.items() if why == BEYOND]
    empty = is_empty(frame)
    why_not = [
        text
        for is_so, text in (
            (frame.empty, "nothing was compared"),
            (empty.any(), f"{empty.sum()} of {len(frame)} have no item to compare"),
            (silent, f"{listing(silent)} rated nothing"),
            (UNNAMED in never.values(), "a column without a name is left out: name --raters"),
            (doubtful, f"no label of the others is in {listing(doubtful)}: name --raters"),
            (beyond, f"most numbers of {listing(beyond)} are beyond the others: name --raters"),
            (n_ungrouped, f"items without a group: {n_ungrouped}"),
            (not is_whole, "the log is not whole, which --partial allows"),
        )
        if is_so
    ]
    if not frame["holds"][~empty].all():
        return Verdict(holds=False, why_not=why_not, n_ungrouped=n_ungrouped)
    return Verdict(holds=None if why_not else True, why_not=why_not, n_ungrouped=n_ungrouped)


def is_empty(frame: pd.DataFrame) -> pd.Series:
    """Tell which figures rest on no item at all."""
    return frame["n_items"].fillna(0) == 0
