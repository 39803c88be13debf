"""A file of ratings -> agreement of pairs and of all raters, a workbook, a page."""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.cli.asked import add_options, asked_for
from pdkappa.cli.parser import Parser
from pdkappa.cli.shown import heading, records, say, say_json, summary, text_of
from pdkappa.errors import KappaError, KappaWarning, OptionError
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.report.report import report
from pdkappa.methods.workbook.book import DETAILS
from pdkappa.present.files import destination
from pdkappa.present.labels import weights_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from pdkappa._typing import FloatArray

RATINGS_EPILOG = """\
Without any argument, pdkappa shows what it does on simulated essay scores and writes
agreement.xlsx and agreement.html into the current folder, numbered if the files exist.
To score essay sets: pdkappa score --help
To require a minimum of agreement: pdkappa check --help
"""
ENDINGS = {"excel": (".xlsx",), "html": (".html", ".htm")}
BINARY = 2
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
    data, asked = asked_for(args)
    table = pairs(data, **asked)
    found = data[list(dict.fromkeys([*table["rater_a"], *table["rater_b"]]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)  # given with the pairs
        figures = {
            "pairs": _both(table, _of_pairs, data, asked),
            "agreement": _both(_together(data, **asked), _of_all, data, asked),
        }
        if args.json:
            paths = _written(data, asked, args)
            _say_json(figures, found, asked, paths)
            return 0
        _say_figures(figures, found, asked)
        heading("Pairwise matrix")
        say(text_of(pairwise(data, **asked)))
        paths = _written(data, asked, args)
    if paths:
        say("\n".join(["", *(f"Wrote {path}" for path in paths)]))
    return 0


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse what cannot be written, or would replace what is read or written as well."""
    kept = {"the ratings": Path(args.file)}
    for option, endings in ENDINGS.items():
        if (given := getattr(args, option)) is None:
            continue
        path = destination(given, overwrite=not args.no_overwrite)
        if path.suffix.lower() not in endings:
            message = f"--{option} {given!r} must end in {' or '.join(endings)}."
            raise OptionError(message)
        for what, other in kept.items():
            if path.resolve() == other.resolve() or _is_same_file(path, other):
                message = (
                    f"--{option} {given!r} is the file of {what}, which would be replaced. "
                    "Name another file."
                )
                raise OptionError(message)
        kept[f"--{option}"] = path


def _is_same_file(path: Path, other: Path) -> bool:
    """Whether two names lead to one file, as links do, and letters of another case may."""
    return path.exists() and other.exists() and path.samefile(other)


def _together(data: pd.DataFrame, *, coefficient: str, **asked: Any) -> pd.DataFrame:  # noqa: ARG001
    """Compute the agreement of all raters, by every coefficient."""
    return agreement(data, **asked)


def _of_all(data: pd.DataFrame, asked: dict[str, Any]) -> FloatArray:
    """Compute the estimates of all raters."""
    estimates: FloatArray = _together(data, **asked)["estimate"].to_numpy()
    return estimates


def _of_pairs(data: pd.DataFrame, asked: dict[str, Any]) -> FloatArray:
    """Compute the estimates of pairs, in their order."""
    matrix = pairwise(data, **asked)
    n_raters = matrix.shape[1]
    first, second = np.triu_indices(n_raters, 1)
    return matrix.to_numpy().reshape(-1, n_raters, n_raters)[:, first, second].ravel()


def _both(
    frame: pd.DataFrame,
    estimate: Callable[[pd.DataFrame, dict[str, Any]], FloatArray],
    data: pd.DataFrame,
    asked: dict[str, Any],
) -> pd.DataFrame:
    """Put the unweighted and the quadratic figure beside the estimate, NaN without an order."""
    place, made = frame.columns.tolist().index("estimate"), frame.copy()
    for number, (name, weights) in enumerate(BOTH.items(), 1):
        values = frame["estimate"].to_numpy()
        if weights != asked["weights"]:
            try:
                values = estimate(data, asked | {"weights": weights, "ci": "auto"})
            except KappaError:
                values = np.full(len(frame), np.nan)
        made.insert(place + number, name, values)
    return made


def _say_figures(
    figures: dict[str, pd.DataFrame], found: pd.DataFrame, asked: dict[str, Any]
) -> None:
    """Print the tables; the figure with other weights only on a scale of three or more."""
    n_missing = int(found.isna().to_numpy().sum())
    if n_missing:
        say(f"{n_missing} of {found.size} ratings are missing (empty, NA, nan, None).")
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
    paths: list[str],
) -> None:
    """Print the same for programs."""
    by = asked["by"]
    told = {
        "raters": found.columns.tolist(),
        "by": [] if by is None else [by] if isinstance(by, str) else by,
        "coefficient": asked["coefficient"],
        "weights": asked["weights"],
        "n_items": len(found),
        "n_missing": int(found.isna().to_numpy().sum()),
    }
    tables = {name: records(frame) for name, frame in figures.items()}
    say_json(told | tables | {"written": paths})


def _written(data: pd.DataFrame, asked: dict[str, Any], args: argparse.Namespace) -> list[str]:
    """Write the files asked for, and return their names."""
    if args.excel is None and args.html is None:
        return []
    made = report(data, **asked)
    writers: dict[str, Callable[..., Path | None]] = {
        "excel": partial(made.to_excel, detail=args.detail),
        "html": made.to_html,
    }
    return [
        str(write(path, overwrite=not args.no_overwrite))
        for option, write in writers.items()
        if (path := getattr(args, option)) is not None
    ]
