"""Command line: the demo, a file of ratings, and the essay-set scorer."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import pandas as pd

from pdkappa import datasets
from pdkappa._version import __version__
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import (
    KappaError,
    KappaWarning,
    MissingDependencyError,
    OptionError,
    RatingsError,
)
from pdkappa.estimation.intervals import METHODS
from pdkappa.methods.agreement.crosscheck import crosscheck
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.predictions.join import join, only_other, only_shared
from pdkappa.methods.report.report import report
from pdkappa.present.files import destination
from pdkappa.present.text.compact import written
from pdkappa.ratings.coded import MISSING
from pdkappa.ratings.items import column_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa.methods.groups.results import GroupedAgreement
    from pdkappa.methods.predictions.join import Joined

EPILOG = """\
Without any argument, pdkappa shows what it does on simulated essay scores and writes
agreement.xlsx and agreement.html into the current folder.
"""
READERS: dict[str, tuple[str, dict[str, Any]]] = {
    ".csv": ("read_csv", {}),
    ".tsv": ("read_csv", {"sep": "\t"}),
    ".txt": ("read_csv", {"sep": "\t"}),
    ".parquet": ("read_parquet", {}),
    ".xlsx": ("read_excel", {}),
    ".jsonl": ("read_json", {"lines": True}),
    ".ndjson": ("read_json", {"lines": True}),
}
NEEDED_FOR = {".parquet": "pyarrow", ".xlsx": "openpyxl"}
NAMED = [name or "none" for name in WEIGHTS]
OF_FILES = ("file", "excel", "html")
DEMO_RATERS = ["human_1", "human_2", "machine"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.

    Returns
    -------
    int
        0, or 2 for bad input, which is explained in one line on the error stream.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    scores = given[:1] == ["score"]
    parser = _score_parser() if scores else _ratings_parser()
    command = _score if scores else _ratings if given else _demo

    def say(message: Warning | str, *_: object) -> None:
        _complain(parser.in_flags(_one_line(message)))

    if given == ["--version"]:
        _say(f"pdkappa {__version__}")
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = say  # type: ignore[assignment]
            warnings.simplefilter("always", KappaWarning)
            command(parser, given[1:] if scores else given)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        return 0
    except KappaError as error:
        say(str(error))
        return 2
    except OSError as error:
        _complain(_one_line(error))
        return 2
    return 0


def _demo(parser: _Parser, arguments: list[str]) -> None:  # noqa: ARG001
    """Show the main results on the packaged essay scores."""
    essays = datasets.load_essays()
    _say(f"Simulated essay scores: {len(essays)} essays in eight sets, two humans and a machine.")
    _heading("Quadratic weighted kappa of all raters on set 1: df.kappa.pairwise()")
    _say(_text(pairwise(essays[essays["essay_set"] == 1], DEMO_RATERS, weights="quadratic")))
    _heading("human_1 with machine, set by set: df.kappa.grouped()")
    result = grouped(essays, "human_1", "machine", by="essay_set", group_weights="essay_weight")
    _say(_summary(result.to_frame()))
    _say(f"Fisher-z weighted mean: {float(result):z.4f}")
    _heading("The same numbers from other packages: df.kappa.crosscheck()")
    by, share = "essay_set", "essay_weight"
    check = crosscheck(essays, DEMO_RATERS, by=by, weights="quadratic", group_weights=share)
    _show_crosscheck(check, by)
    made = report(essays, DEMO_RATERS, by=by, weights="quadratic", group_weights=share)
    _say(f"\nWrote {made.to_excel('agreement.xlsx')}")
    try:
        _say(f"Wrote {made.to_html('agreement.html')}")
    except MissingDependencyError as error:
        _say(f"Did not write agreement.html. {error}")


def _ratings_parser() -> _Parser:
    """List the options for a file of ratings."""
    parser = _Parser(
        prog="pdkappa",
        description="Agreement of the raters in a file: CSV, TSV, Parquet, Excel, JSON lines.",
        epilog=EPILOG + "Essay sets are scored with: pdkappa score --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="ratings, one row for each item")
    parser.add_argument("--raters", nargs="+", metavar="COLUMN", help="default: all other columns")
    parser.add_argument("--by", nargs="+", metavar="COLUMN", help="one result for each group")
    parser.add_argument("--coefficient", default="cohen", help=", ".join(COEFFICIENTS))
    parser.add_argument("--weights", type=_weights, help=", ".join(NAMED) + "; default: none")
    parser.add_argument("--categories", nargs="+", metavar="LABEL", help="in order")
    parser.add_argument("--distance", default="value", help="value, rank")
    parser.add_argument("--missing", default="pairwise", help=", ".join(MISSING))
    parser.add_argument("--sample-weight", metavar="COLUMN", help="frequency weights")
    parser.add_argument("--ci", default="fisher", help=", ".join(METHODS))
    parser.add_argument("--confidence-level", type=float, default=0.95)
    parser.add_argument("--excel", metavar="FILE", help="write a workbook")
    parser.add_argument("--html", metavar="FILE", help="write a page for a browser")
    return parser


def _ratings(parser: _Parser, arguments: list[str]) -> None:
    """Compute the agreement of the raters in a file."""
    args = parser.parse_args(arguments)
    for path in (args.excel, args.html):
        if path is not None:
            destination(path)
    data = read_ratings(Path(args.file))
    _say_what_is_missing(data, args)
    args.by, args.categories = args.by and _by(args.by), _typed(args.categories)
    options = {name: value for name, value in vars(args).items() if name not in OF_FILES}
    table = pairs(data, **options)
    _heading("Agreement of each pair of raters")
    _say(_summary(table))
    _heading("Pairwise matrix")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)  # given with the pairs
        _say(_text(pairwise(data, **options)))
        if args.excel is None and args.html is None:
            return
        made = report(data, **options)
    _say("")
    for path, write in ((args.excel, made.to_excel), (args.html, made.to_html)):
        if path is not None:
            _say(f"Wrote {write(path)}")


def _score_parser() -> _Parser:
    """List the options of the essay-set scorer."""
    parser = _Parser(
        prog="pdkappa score",
        description="QWK of each set and their Fisher-z weighted mean, joined on the item's id.",
    )
    parser.add_argument("solution", help="file with ids, groups and true scores")
    parser.add_argument("submission", help="file with ids and predicted scores")
    parser.add_argument("--by", nargs="+", required=True, metavar="COLUMN", help="sets")
    parser.add_argument("--id", metavar="COLUMN", help="default: the only column in both files")
    parser.add_argument("--truth", metavar="COLUMN", help="default: the only other column")
    parser.add_argument("--prediction", metavar="COLUMN", help="default: the only other column")
    parser.add_argument("--group-weights", metavar="COLUMN", help="constant within each set")
    parser.add_argument("--weights", type=_weights, default="quadratic", help=", ".join(NAMED))
    parser.add_argument("--json", action="store_true", help="print means and counts as JSON")
    return parser


def _score(parser: _Parser, arguments: list[str]) -> None:
    """Score a submission against a solution, set by set."""
    args = parser.parse_args(arguments)
    solution, submission = (read_ratings(Path(p)) for p in (args.solution, args.submission))
    for column in (*args.by, args.group_weights):
        if column is not None:
            column_of(solution, column, "group" if column in args.by else "weight")
    item = args.id or only_shared(solution, submission, args.by)
    known = [item, *args.by, args.group_weights]
    truth = args.truth or only_other(solution, known, "--truth", args.solution)
    prediction = args.prediction or only_other(submission, known, "--prediction", args.submission)
    joined = join(
        solution, submission, item, truth, prediction, by=args.by, group_weights=args.group_weights
    )
    if joined.contradiction:
        _complain(joined.contradiction)
    result = grouped(
        joined.frame,
        joined.truth,
        joined.prediction,
        by=_by(args.by),
        weights=args.weights,
        group_weights=args.group_weights,
    )
    if args.json:
        if joined.left_out:
            _complain(joined.left_out)
        _say(json.dumps(_as_json(result, joined)))
        return
    _say(f"{len(solution)} items joined on {item!r}. {joined.left_out}".rstrip())
    _say(_summary(result.to_frame()))
    _say(
        "Q = {q:.3f}, df = {df:g}, p = {p}, I2 = {i2:.3f}, tau2 = {tau2:.4f}".format(
            p=_p_value(result.heterogeneity["p_value"]), **result.heterogeneity
        )
    )
    for remark in _remarks(result):
        _say(remark)
    _say(f"Fisher-z weighted mean: {float(result):z.6f}")


def _remarks(result: GroupedAgreement) -> list[str]:
    """Say what was done to single sets."""
    return [f"{group}: {remark}" for group, remark in result.remarks.items()]


def _as_json(result: GroupedAgreement, joined: Joined) -> dict[str, Any]:
    """Put the Fisher-z mean, and below it the other means, how far groups differ, and counts."""
    rows = [*(row for _, row in result.pooled.iterrows()), result.heterogeneity]
    mean, *others = ({str(key): _plain(value) for key, value in row.items()} for row in rows)
    below = dict(zip(("fixed", "random", "heterogeneity"), others, strict=True))
    return mean | below | joined.counts | {"remarks": _remarks(result)}


def read_ratings(path: Path) -> pd.DataFrame:
    """Read a file of ratings by its extension.

    Text such as "NA" and "nan" is taken for a missing rating, as pandas does.
    """
    kind = path.suffix.lower()
    if kind not in READERS:
        message = f"Cannot tell what {path.name!r} is. Use one of: {', '.join(READERS)}."
        raise OptionError(message)
    name, options = READERS[kind]
    try:
        data: pd.DataFrame = getattr(pd, name)(path, **options)
    except ImportError as error:
        package = NEEDED_FOR.get(kind, "another package")
        message = f"Reading {path.name!r} needs {package}. Run: pip install 'pdkappa[all]'"
        raise MissingDependencyError(message) from error
    except UnicodeDecodeError as error:
        message = f"Cannot read {path.name!r} as UTF-8 ({error.reason}). Save it as UTF-8."
        raise RatingsError(message) from error
    except (ValueError, BadZipFile) as error:
        message = f"Cannot read {path.name!r} as {path.suffix}: {error}"
        raise RatingsError(message) from error
    only = str(data.columns[0]) if len(data.columns) == 1 else ""
    if kind in {".csv", ".tsv", ".txt"} and set(only) & set(",;\t|"):
        message = (
            f"{path.name!r} has a single column, {only!r}. Separate columns by commas in a .csv "
            "file, and by tabs in .tsv and .txt."
        )
        raise RatingsError(message)
    return data.drop(columns=[name for name in data.columns if _is_saved_index(data[name])])


def _is_saved_index(column: pd.Series) -> bool:
    """Whether a column is the row number that pandas writes into a file without a name."""
    return str(column.name) == "Unnamed: 0" and column.tolist() == list(range(len(column)))


def _say_what_is_missing(data: pd.DataFrame, args: argparse.Namespace) -> None:
    """Say how many ratings are missing: texts such as NA and None are read so, too."""
    other = [*(args.by or []), args.sample_weight]
    raters = args.raters or [name for name in data.columns if name not in other]
    ratings = data[[name for name in raters if name in data.columns]]
    n_missing = int(ratings.isna().to_numpy().sum())
    if n_missing:
        _say(f"{n_missing} of {ratings.size} ratings are missing (empty, NA, nan, None).")


def _show_crosscheck(check: pd.DataFrame, by: str) -> None:
    """Show the cross-check of the first group and the means, and count the rest."""
    check = check.reset_index()
    one = (check["raters"] == f"{DEMO_RATERS[0]} x {DEMO_RATERS[2]}") & (check[by] == 1)
    rows = pd.concat([check[one], check[check["statistic"] == "fisher_mean"]])
    rows["agrees"] = rows["agrees"].map({True: "yes", False: "NO"}).fillna("see note")
    columns = [by, "statistic", "raters", "pdkappa", "reference", "package", "agrees"]
    _say(rows[columns].to_string(index=False, float_format="{:z.6f}".format))
    agree, compared = int(check["agrees"].sum()), int(check["agrees"].notna().sum())
    _say(f"… {agree} of {compared} figures agree to 1e-9; all rows are in the workbook.")


class _Parser(argparse.ArgumentParser):
    """Report wrong usage in one line, as every other error, in the words of the command line."""

    def in_flags(self, text: str) -> str:
        """Name options as they are typed here: ``--sample-weight``, not ``sample_weight=``.

        A bare name is taken for an option where it begins the message or has an underscore;
        elsewhere it is a word, and within quotes a label.
        """
        names = [action.dest for action in self._actions if action.option_strings]
        for name in names:
            flag = f"--{name.replace('_', '-')}"
            text = re.sub(rf"(?<![\w'\"]){name}=(?!\{{)", f"{flag} ", text)
            text = re.sub(rf"^{name}\b(?!=)", flag, text)
            if "_" in name:
                text = re.sub(rf"(?<![\w'\"]){name}(?![\w'\"=])", flag, text)
        return text.replace("[...]", "...").replace("The frame has ", "The file has ")

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage."""
        text = f"{message}. Try: {self.prog} --help"
        raise OptionError(text)


def _by(columns: list[str]) -> str | list[str]:
    """Group by one column itself, or by several as a list."""
    return columns[0] if len(columns) == 1 else columns


def _weights(name: str) -> str | None:
    """Read the name of weights; Python has None for none."""
    return None if name == "none" else name


def _typed(labels: list[str] | None) -> list[Any] | None:
    """Read categories as numbers if all of them are."""
    if labels is None:
        return None
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    return labels if numbers.isna().any() else numbers.tolist()


def _summary(frame: pd.DataFrame) -> str:
    """Show the columns that a reader looks for first."""
    left_out = ["observed_agreement", "expected_agreement", "z", "fisher_z", "se_fisher_z"]
    if "reason" in frame and not frame["reason"].any():
        left_out.append("reason")
    shown = frame.drop(columns=left_out, errors="ignore")
    shown = shown.reset_index() if "rater_a" in shown and any(shown.index.names) else shown
    return _text(shown, index=not isinstance(frame.index, pd.RangeIndex))


def _text(frame: pd.DataFrame, *, index: bool = True) -> str:
    """Show a frame whole, with four decimals, and nothing where a value is missing."""
    if "n_categories" in frame:  # pandas shows <NA> in it, whatever na_rep is
        known = frame["n_categories"].notna()
        frame = frame.assign(n_categories=frame["n_categories"].astype(object).where(known, ""))
    decimals, formatters = "{:z.4f}".format, {"p_value": _p_value}
    return frame.to_string(index=index, float_format=decimals, formatters=formatters, na_rep="")


def _p_value(value: float) -> str:
    """Show a p-value, a tiny one as what it is less than."""
    return "" if math.isnan(value) else written(value, "p")


def _heading(text: str) -> None:
    """Print a heading."""
    _say(f"\n{text}\n")


def _say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def _complain(text: str) -> None:
    """Print a line on the error stream."""
    sys.stderr.write(f"pdkappa: {text}\n")


def _plain(value: Any) -> float | int | str | None:
    """Convert a number or a text for JSON, which has no NaN."""
    if isinstance(value, str):
        return value
    return None if pd.isna(value) else int(value) if float(value).is_integer() else float(value)


def _one_line(error: BaseException | str) -> str:
    """Message without line breaks."""
    return " ".join(str(error).split())
