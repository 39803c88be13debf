"""The commands: a file of ratings, `check`, and `score`."""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.cli.arguments import (
    CANNOT_TELL,
    WEIGHTINGS,
    Parser,
    Verdict,
    add_options,
    asked_for,
    by_columns,
    complain,
    fields,
    heading,
    is_empty,
    join,
    p_value,
    records,
    say,
    say_json,
    summary,
    text_of,
    verdict_of,
    weights_named,
)
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import (
    ColumnNotFoundError,
    KappaError,
    KappaWarning,
    OptionError,
    RatingsError,
    TooLargeError,
    check_choice,
    listing,
    plural,
    shown,
)
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.estimates.told import kept
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.report.report import report
from pdkappa.methods.workbook.book import DETAILS
from pdkappa.present.files import destination
from pdkappa.present.findings import Findings, folded
from pdkappa.present.labels import rounded, weights_in_words
from pdkappa.ratings.items import column_of
from pdkappa.sources.scan_files import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from pdkappa.cli.arguments import Asked, Joined
    from pdkappa.methods.groups.grouped_results import GroupedAgreement
    from pdkappa.methods.report.write_up import Report

RATINGS_EPILOG = """\
Without any argument, pdkappa shows what it does on simulated essay scores and writes
agreement.xlsx and agreement.html into the current folder, numbered if the files exist.
To score essay sets: pdkappa score --help
To require a minimum of agreement: pdkappa check --help
"""
ENDINGS = {"excel": (".xlsx",), "html": (".html", ".htm")}
BINARY = 2
OF_LIMITS = ("weight_type", "cluster", "ci", "confidence_level", "rng")
BOTH = {"unweighted": None, "quadratic": "quadratic"}


def ratings_parser() -> Parser:
    """List the options for a file of ratings."""
    parser = Parser(
        prog="pdkappa",
        description="Agreement of the raters in a file: CSV, TSV, Parquet, Excel, JSON lines.",
        epilog=RATINGS_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument("--excel", metavar="FILE", help="write a workbook, .xlsx")
    parser.add_argument(
        "--detail",
        choices=DETAILS,
        default="brief",
        help="the main sheets of the workbook, or all that an audit needs; default: brief",
    )
    parser.add_argument("--html", metavar="FILE", help="write an HTML report, .html")
    parser.add_argument("--no-overwrite", action="store_true", help="do not replace existing files")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    return parser


def ratings(parser: Parser, arguments: list[str]) -> int:
    """Compute the agreement of the raters in a file; return the exit status."""
    args = parser.parse_args(arguments)
    _check_outputs(args)
    data, asked, _ = asked_for(args)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", KappaWarning)
        table = pairs(data, **asked)
    if not table.empty and is_empty(table).all():
        rows = f"{len(data)} {plural(len(data), 'row')}"
        weight = " and a weight above 0" * (args.sample_weight is not None)
        raise RatingsError(
            f"Nothing to compare: no item of {shown(args.file)}, which has {rows}, has ratings of "
            f"two raters{weight}. Fill them in, or name the columns that hold them with --raters."
        )
    for one in told:
        warnings.warn(one.message, stacklevel=2)
    if args.by and table.empty:
        raise RatingsError(f"--by {listing(args.by)} names no group of any item. Fill groups in.")
    found = data[list(dict.fromkeys([*table["rater_a"], *table["rater_b"]]))]
    named = asked | {"raters": found.columns.tolist()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)  # given with the pairs
        figures = {
            "pairs": _both(table, pairs, data, named),
            "agreement": _both(_together(data, **asked), _together, data, asked),
        }
        matrix = pairwise(data, **{one: named[one] for one in named if one not in OF_LIMITS})
        made = _reported(data, asked, args)
        findings, paths = (made.findings, _written(made, args)) if made else (Findings(""), [])
    if args.json:
        _say_json(figures, found, asked, findings, paths)
        return 0
    if findings.headline:
        say(repr(findings))
    _say_figures(figures, found, asked)
    heading("Pairwise matrix")
    say(text_of(matrix))
    if paths:
        say("\n".join(["", *(f"Wrote {path}" for path in paths)]))
    return 0


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, or would replace what is read or written as well."""
    if args.detail != "brief" and args.excel is None:
        raise OptionError("--detail has no effect without a workbook. Pass --excel, too.")
    if args.no_overwrite and args.excel is None and args.html is None:
        raise OptionError("--no-overwrite has no effect without a file. Pass --excel or --html.")
    kept = {"the ratings": Path(args.file)}
    for option, endings in ENDINGS.items():
        if (given := getattr(args, option)) is None:
            continue
        if Path(given).suffix.lower() not in endings:
            raise OptionError(f"--{option} {shown(given)} must end in {' or '.join(endings)}.")
        path = destination(given, overwrite=not args.no_overwrite)
        for what, other in kept.items():
            if path.resolve() == other.resolve() or _is_same_file(path, other):
                raise OptionError(
                    f"--{option} {shown(given)} is the file of {what}, which would be replaced. "
                    "Name another file."
                )
        kept[f"--{option}"] = path


def _is_same_file(path: Path, other: Path) -> bool:
    """Whether two names lead to one file, as links do, and letters of another case may."""
    return path.exists() and other.exists() and path.samefile(other)


def _together(data: pd.DataFrame, *, coefficient: str, **asked: Any) -> pd.DataFrame:  # noqa: ARG001
    """Compute the agreement of all raters, by every coefficient."""
    return agreement(data, **asked)


def _both(
    frame: pd.DataFrame,
    call: Callable[..., pd.DataFrame],
    data: pd.DataFrame,
    asked: dict[str, Any],
) -> pd.DataFrame:
    """Put the unweighted and the quadratic figure beside the estimate, NaN without an order."""
    place, made = frame.columns.tolist().index("estimate"), frame.copy()
    for number, (name, weights) in enumerate(BOTH.items(), 1):
        values = frame["estimate"].to_numpy()
        if weights != asked["weights"]:
            try:
                other = asked | {"weights": weights, "ci": "auto", "rng": None}
                values = call(data, **other)["estimate"].to_numpy()
            except KappaError:
                values = np.full(len(frame), np.nan)
        made.insert(place + number, name, values)
    return made


def _say_figures(
    figures: dict[str, pd.DataFrame], found: pd.DataFrame, asked: dict[str, Any]
) -> None:
    """Print the tables; the figure with other weights only on a scale of three or more."""
    labels = asked["categories"] or {one for name in found for one in found[name].dropna()}
    left_out = [name for name, same in BOTH.items() if same == asked["weights"]]
    if len(labels) <= BINARY or figures["pairs"]["quadratic"].isna().all():
        left_out = [*BOTH]
    titles = ("Agreement of each pair of raters", "Agreement of all raters together")
    for title, frame in zip(titles, figures.values(), strict=True):
        heading(f"{title}, {weights_in_words(asked['weights'])}")
        say(summary(frame.drop(columns=left_out)))


def _say_json(
    figures: dict[str, pd.DataFrame],
    found: pd.DataFrame,
    asked: dict[str, Any],
    findings: Findings,
    paths: list[str],
) -> None:
    """Print the same for programs."""
    by = asked["by"]
    told = {
        "headline": findings.headline or None,
        "findings": [one.sentence for one in findings.told],
        "cautions": [one.text for one in findings.cautions],
    }
    basis = {
        "raters": found.columns.tolist(),
        "by": [] if by is None else [by] if isinstance(by, str) else by,
        "coefficient": asked["coefficient"],
        "weights": asked["weights"],
        "n_items": len(found),
        "n_missing": int(found.isna().to_numpy().sum()),
    }
    tables = {name: records(frame) for name, frame in figures.items()}
    say_json(basis | told | tables | {"written": paths})


def _reported(data: pd.DataFrame, asked: dict[str, Any], args: argparse.Namespace) -> Report | None:
    """Make the report; where there are too many raters for one, only what is written needs it."""
    try:
        return report(data, detail=args.detail, **asked)
    except TooLargeError as error:
        if args.excel is not None or args.html is not None:
            raise
        complain(str(error))
        return None


def _written(made: Report, args: argparse.Namespace) -> list[str]:
    """Write the files asked for, and return their names."""
    writers: dict[str, Callable[..., str | Path | None]] = {
        "excel": partial(made.to_excel, detail=args.detail),
        "html": made.to_html,
    }
    return [
        str(write(path, overwrite=not args.no_overwrite))
        for option, write in writers.items()
        if (path := getattr(args, option)) is not None
    ]


FIGURES = ("estimate", "ci_low", "ci_high")
OF = ("pairs", "all")
ROUNDING = 1e-12  # 3 / 5 agrees with 0.6
CHECK_EPILOG = """\
Exits with 0 if agreement is high enough, 1 if not, and 2 if it cannot be told: an error, nothing to
compare, items without a group, or a log that is not whole. An undefined value, such as the kappa of
raters who used one category, is not high enough.
"""


def check_parser() -> Parser:
    """List the options of `check`."""
    parser = Parser(
        prog="pdkappa check",
        description="Check that the agreement in a file is high enough.",
        epilog=CHECK_EPILOG,
    )
    add_options(parser)
    required = parser.add_argument_group("what is required")
    required.add_argument("--min", type=float, required=True, metavar="VALUE", help="at least this")
    required.add_argument("--on", default="ci_low", help=f"{', '.join(FIGURES)}; default: ci_low")
    required.add_argument(
        "--of", default="pairs", help="every pair of raters, or all together: all"
    )
    required.add_argument(
        "--machines",
        nargs="+",
        metavar="COLUMN",
        help="check only the pairs of a machine with a human",
    )
    parser.add_argument("--partial", action="store_true", help="allow a log that is not whole")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    return parser


def check(parser: Parser, arguments: list[str]) -> int:
    """Compare the agreement in a file with the least that it must be; return the exit status."""
    args = parser.parse_args(arguments)
    check_choice("on", args.on, FIGURES)
    check_choice("of", args.of, OF)
    if not -1 <= args.min <= 1:
        raise OptionError(f"--min {args.min} must be a number from -1 to 1.")
    if args.machines and args.of != "pairs":
        raise OptionError(
            "--machines is about pairs of raters. Leave out --of all, or the machines."
        )
    asked = asked_for(args)
    found = _figures(asked, args)
    frame = found.assign(
        holds=found[args.on].to_numpy(float, na_value=np.nan) >= args.min - ROUNDING
    )
    verdict = verdict_of(frame, asked, is_whole=asked.is_whole or args.partial)
    if args.json:
        say_json(_check_as_json(frame, verdict, asked, args))
    else:
        _say(frame, verdict, asked, args)
    return verdict.status


def _figures(asked: Asked, args: argparse.Namespace) -> pd.DataFrame:
    """Compute what is compared, one row for each pair of raters and group."""
    data, options = asked.data, {**asked.options}
    if args.of == "all":
        check_choice("coefficient", options["coefficient"], COEFFICIENTS)
        together: Any = COEFFICIENTS[options.pop("coefficient")].together
        return agreement(data, coefficients=together, **options)
    frame = pairs(data, **options)
    if not args.machines:
        return frame
    known = list(dict.fromkeys([*frame["rater_a"], *frame["rater_b"]]))
    unknown = [name for name in args.machines if name not in map(str, known)]
    if unknown:
        raise ColumnNotFoundError(
            f"machines names {listing(unknown)}, but the raters are {listing(known)}. Name "
            "machines among the raters, too."
        )
    are_machines = [frame[name].map(str).isin(args.machines) for name in ("rater_a", "rater_b")]
    mixed: pd.DataFrame = frame[(are_machines[0] != are_machines[1]).to_numpy()]
    if mixed.empty:
        raise OptionError("machines names all raters. Name only those that are machines.")
    return mixed if any(mixed.index.names) else mixed.reset_index(drop=True)


def _check_as_json(
    frame: pd.DataFrame, verdict: Verdict, asked: Asked, args: argparse.Namespace
) -> dict[str, Any]:
    """Put the verdict, what it rests on, and each row."""
    return {
        "holds": verdict.holds,
        "cannot_tell": verdict.why_not,
        "on": args.on,
        "min": args.min,
        "of": args.of,
        "coefficient": asked.options["coefficient"],
        "weights": asked.options["weights"],
        "confidence_level": asked.options["confidence_level"],
        "n_checked": len(frame),
        "n_short": int((~frame["holds"] & ~is_empty(frame)).sum()),
        "n_empty": int(is_empty(frame).sum()),
        "n_without_group": verdict.n_ungrouped,
        **fields({"lowest": frame[args.on].min()}),
        "cautions": kept(asked.data),
        "checked": records(frame),
    }


def _say(frame: pd.DataFrame, verdict: Verdict, asked: Asked, args: argparse.Namespace) -> None:
    """Print the verdict, then each row."""
    n_rows = len(frame)
    what = f"{plural(n_rows, 'figure' if args.of == 'all' else 'pair')}"
    say(
        f"{verdict.word}: {args.on} >= {args.min:g} for {int(frame['holds'].sum())} of "
        f"{n_rows} {what}; the lowest is {rounded(frame[args.on].min(), 4)}."
    )
    if verdict.why_not:
        say("\n".join(folded(f"Not told: {'; '.join(verdict.why_not)}.")))
    if frame.empty:
        return
    row = COEFFICIENTS[asked.options["coefficient"]]
    spoken = MULTIRATER[row.together].spoken if args.of == "all" else row.spoken
    heading(f"What was checked: {spoken}, {weights_in_words(asked.options['weights'])}")
    say(summary(frame.assign(holds=frame["holds"].map({True: "yes", False: "NO"}))))


def score_parser() -> Parser:
    """List the options of the essay-set scorer."""
    parser = Parser(
        prog="pdkappa score",
        description="QWK of each set and their Fisher-z weighted mean, joined on the item's id.",
        epilog="Exits with 0, or with 2 for an error and where there is no mean, as of no item.",
    )
    parser.add_argument("solution", help="file with ids, groups and true scores")
    parser.add_argument("submission", help="file with ids and predicted scores")
    parser.add_argument("--by", nargs="+", required=True, metavar="COLUMN", help="sets")
    parser.add_argument("--id", metavar="COLUMN", help="default: the only column in both files")
    parser.add_argument("--truth", metavar="COLUMN", help="default: the only other column")
    parser.add_argument("--prediction", metavar="COLUMN", help="default: the only other column")
    parser.add_argument("--group-weights", metavar="COLUMN", help="constant within each set")
    names = ", ".join(WEIGHTINGS)
    parser.add_argument("--weights", type=weights_named, default="quadratic", help=names)
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    return parser


def score(parser: Parser, arguments: list[str]) -> int:
    """Score a submission against a solution, set by set; return the exit status."""
    args = parser.parse_args(arguments)
    files = (read_whole(Path(path)) for path in (args.solution, args.submission))
    solution, submission = (one.dropna(how="all") for one in files)
    for column in (*args.by, args.group_weights):
        if column is not None:
            column_of(solution, column, "group" if column in args.by else "weight")
    item = args.id or _only_shared(solution, submission, args.by)
    known = [item, *args.by, args.group_weights]
    truth = args.truth or _only_other(solution, known, "--truth", args.solution)
    prediction = args.prediction or _only_other(submission, known, "--prediction", args.submission)
    joined = join(
        solution, submission, item, truth, prediction, by=args.by, group_weights=args.group_weights
    )
    if joined.contradiction:
        complain(joined.contradiction)
    result = grouped(
        joined.frame,
        joined.truth,
        joined.prediction,
        by=by_columns(args.by),
        weights=args.weights,
        group_weights=args.group_weights,
    )
    status = CANNOT_TELL if np.isnan(float(result)) else 0
    if args.json:
        if joined.left_out:
            complain(joined.left_out)
        say_json(_score_as_json(result, joined, args.weights))
        return status
    size = f"{len(solution)} {plural(len(solution), 'item')}"
    say(f"{size} joined on {shown(item)}. {joined.left_out}".rstrip())
    say(f"Kappa of {shown(truth)} with {shown(prediction)}, {weights_in_words(args.weights)}")
    _say_result(result)
    return status


def _only_shared(solution: pd.DataFrame, submission: pd.DataFrame, by: list[str]) -> str:
    """Return the id column where there is no choice."""
    shared = [c for c in solution.columns if c in submission.columns and c not in by]
    if len(shared) != 1:
        raise OptionError(
            f"Name the id column with --id; both files have {listing(shared) or 'none'}."
        )
    return str(shared[0])


def _only_other(frame: pd.DataFrame, known: list[str | None], option: str, file: str) -> str:
    """Return the column of scores where there is no choice."""
    others = [column for column in frame.columns if column not in known]
    if len(others) != 1:
        raise OptionError(
            f"Name the column of scores with {option}; {shown(file)} has "
            f"{listing(others) or 'none'}."
        )
    return str(others[0])


def _say_result(result: GroupedAgreement) -> None:
    """Print the sets, how far they differ, what was done to single sets, and last the mean."""
    say(summary(result.to_frame()))
    row = result.heterogeneity.iloc[0]
    said = "Q = {q:.3f}, df = {df:g}, p = {p}, I2 = {i2:.3f}, tau2 = {tau2:.4f}"
    say(said.format(p=p_value(row["p_value"]), **row))
    for remark in _remarks(result):
        say(remark)
    say(f"Fisher-z weighted mean: {rounded(float(result), 6)}")


def _remarks(result: GroupedAgreement) -> list[str]:
    """Say what was done to single sets."""
    return [f"{group}: {remark}" for group, remark in result.treated.items()]


def _score_as_json(result: GroupedAgreement, joined: Joined, weights: str | None) -> dict[str, Any]:
    """Put the Fisher-z mean, and below it the other means, how far groups differ, and counts."""
    rows = [row for frame in (result.pooled, result.heterogeneity) for _, row in frame.iterrows()]
    mean, *others = map(fields, rows)
    below = dict(zip(("fixed", "random", "heterogeneity"), others, strict=True))
    told = {"weights": weights, "groups": records(result.groups), "remarks": _remarks(result)}
    return mean | below | joined.counts | told
