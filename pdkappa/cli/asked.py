"""The options that say which ratings are read from a file, and how their agreement is measured."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.cli.parser import WEIGHTINGS, by_columns, typed, weights_named
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import KappaWarning, OptionError, check_choice, shown
from pdkappa.methods.estimates.options import INTERVAL_METHODS
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.weightings import AUTO_WEIGHTS, is_usual
from pdkappa.ratings.coded import MISSING
from pdkappa.ratings.options import WEIGHT_TYPES, Reading
from pdkappa.sources.evaluations import fields_named
from pdkappa.sources.logs import from_deepeval, from_inspect, from_lm_eval, from_promptfoo
from pdkappa.sources.whole import read_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    import pandas as pd

    from pdkappa._typing import Weights
    from pdkappa.cli.parser import Parser

LOGS: dict[str, Callable[..., Any]] = {
    "inspect": from_inspect,
    "promptfoo": from_promptfoo,
    "deepeval": from_deepeval,
    "lm_eval": from_lm_eval,
}
ENDINGS = {".eval": "inspect"}  # that say of which tool a log is
OF_LOGS = ("humans", "columns", "rating", "filter", "relabel")
MEASURED = (
    "raters",
    "by",
    "coefficient",
    "weights",
    "categories",
    "distance",
    "missing",
    "sample_weight",
    "weight_type",
    "cluster",
    "ci",
    "confidence_level",
    "rng",
)
READ = ("by", "weights", "categories", "missing", "sample_weight", "weight_type", "cluster")


class Asked(NamedTuple):
    """The ratings of a file, and the options of `pairs`."""

    data: pd.DataFrame
    options: dict[str, Any]


def add_options(parser: Parser) -> None:
    """List the file, and the options that every command about it shares."""
    usual = "; default: none; with --by, quadratic if the categories have an order"
    weights, column = ", ".join(WEIGHTINGS) + usual, "COLUMN"
    parser.add_argument("file", help="ratings, one row for each item; or a log of an evaluation")
    parser.add_argument("--raters", nargs="+", metavar=column, help="default: all other columns")
    parser.add_argument("--by", nargs="+", metavar=column, help="one result for each group")
    parser.add_argument("--coefficient", default="cohen", help=", ".join(COEFFICIENTS))
    parser.add_argument("--weights", type=weights_named, default=AUTO_WEIGHTS, help=weights)
    parser.add_argument("--categories", nargs="+", metavar="LABEL", help="in order")
    parser.add_argument("--distance", default="value", help="value, rank")
    parser.add_argument("--missing", default="pairwise", help=", ".join(MISSING))
    parser.add_argument("--sample-weight", metavar=column, help="how much each item counts")
    parser.add_argument("--weight-type", help=", ".join(WEIGHT_TYPES))
    parser.add_argument(
        "--cluster", metavar=column, help="items that belong together, for standard errors"
    )
    parser.add_argument("--ci", default="auto", help=", ".join(INTERVAL_METHODS))
    parser.add_argument("--confidence-level", type=float, default=0.95)
    parser.add_argument("--rng", type=int, metavar="SEED", help="for resampled limits")
    logs = parser.add_argument_group("logs of evaluations, in which raters are judges and people")
    logs.add_argument("--log", help=f"which tool wrote the file: {', '.join(LOGS)}")
    logs.add_argument("--humans", nargs="+", metavar="FIELD", help="what people said")
    logs.add_argument("--columns", nargs="+", metavar="FIELD", help="for --by and --cluster")
    logs.add_argument("--rating", help="pass, score; for lm_eval a metric")
    logs.add_argument("--filter", help="for lm_eval: which filter of the answers")
    logs.add_argument("--relabel", nargs="+", metavar="OLD=NEW", help="such as true=good")


def asked_for(args: argparse.Namespace) -> Asked:
    """Read the file, and the options as `pairs` takes them."""
    path = Path(args.file)
    options = {name: getattr(args, name) for name in MEASURED}
    options |= {"by": by_columns(args.by), "categories": typed(args.categories)}
    log = ENDINGS.get(path.suffix.lower()) if args.log is None else args.log
    if log is None:
        _check_no_log(args)
        data = read_whole(path)
    else:
        check_choice("log", log, LOGS)
        data = _read_log(path, log, args)
        kept = fields_named("columns", args.columns)
        options["raters"] = args.raters or [name for name in data if name not in kept]
    options["weights"] = _weights(data, options)
    return Asked(data, options)


def _check_no_log(args: argparse.Namespace) -> None:
    """Refuse options of logs where the file is none."""
    given = [name for name in OF_LOGS if getattr(args, name) is not None]
    if given:
        message = f"--{given[0]} is about logs of evaluations. Name the tool with --log."
        raise OptionError(message)


def _read_log(path: Path, tool: str, args: argparse.Namespace) -> pd.DataFrame:
    """Read a log, one row for each item."""
    given = {name: getattr(args, name) for name in OF_LOGS if getattr(args, name) is not None}
    if "relabel" in given:
        given["relabel"] = dict(map(_renamed, given["relabel"]))
    known = {"promptfoo": ("rating",), "deepeval": ("rating",), "lm_eval": ("rating", "filter")}
    for name in ("rating", "filter"):
        if name in given and name not in known.get(tool, ()):
            message = f"--{name} is no option of logs of {tool}. Leave it out."
            raise OptionError(message)
    wide: pd.DataFrame = LOGS[tool](path, **given).wide
    return wide


def _renamed(text: str) -> tuple[Any, str | None]:
    """Read a label and its other name; true, false and numbers are such."""
    old, sign, new = text.partition("=")
    if not sign:
        message = f"relabel must be OLD=NEW, got {shown(text)}."
        raise OptionError(message)
    try:
        label = json.loads(old)
    except json.JSONDecodeError:
        label = old
    return (label if isinstance(label, bool | int | float) else old), new or None


def _weights(data: pd.DataFrame, given: dict[str, Any]) -> Weights | None:
    """Name the weights asked for, or those that a report takes of itself."""
    if not is_usual(given["weights"]):
        weights: str | None = given["weights"]
        return weights
    reading = Reading(**{name: given[name] for name in READ})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)  # given with the pairs
        return read(data, given["raters"], reading, allows_em=True, warns=False).reading.weights
