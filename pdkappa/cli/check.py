"""A gate: whether agreement in a file is as high as it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.cli.asked import add_options, asked_for
from pdkappa.cli.parser import Parser
from pdkappa.cli.shown import fields, heading, records, say, say_json, summary
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import ColumnNotFoundError, OptionError, check_choice, listing
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs
from pdkappa.present.labels import rounded, weights_in_words

if TYPE_CHECKING:
    import argparse

    import pandas as pd

    from pdkappa.cli.asked import Asked

FIGURES = ("estimate", "ci_low", "ci_high")
OF = ("pairs", "all")
FALLS_SHORT = 1
ROUNDING = 1e-12  # 3 / 5 agrees with 0.6
CHECK_EPILOG = """\
Exits with 0 if agreement is high enough, 1 if not, and 2 if it cannot be checked (an error).
An undefined value, such as the kappa of raters who used one category, is not high enough.
"""


def check_parser() -> Parser:
    """List the options of the gate."""
    parser = Parser(
        prog="pdkappa check",
        description="Check that the agreement in a file is high enough.",
        epilog=CHECK_EPILOG,
    )
    add_options(parser)
    gate = parser.add_argument_group("what is required")
    gate.add_argument("--min", type=float, required=True, metavar="VALUE", help="at least this")
    gate.add_argument("--on", default="ci_low", help=f"{', '.join(FIGURES)}; default: ci_low")
    gate.add_argument("--of", default="pairs", help="every pair of raters, or all together: all")
    gate.add_argument(
        "--machines",
        nargs="+",
        metavar="COLUMN",
        help="check only the pairs of a machine with a human",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    return parser


def check(parser: Parser, arguments: list[str]) -> int:
    """Compare the agreement in a file with the least that it must be; return the exit status."""
    args = parser.parse_args(arguments)
    check_choice("on", args.on, FIGURES)
    check_choice("of", args.of, OF)
    if not -1 <= args.min <= 1:
        message = f"--min {args.min} must be a number from -1 to 1."
        raise OptionError(message)
    if args.machines and args.of != "pairs":
        message = "--machines is about pairs of raters. Leave out --of all, or the machines."
        raise OptionError(message)
    asked = asked_for(args)
    found = _figures(asked, args)
    frame = found.assign(
        holds=found[args.on].to_numpy(float, na_value=np.nan) >= args.min - ROUNDING
    )
    if args.json:
        say_json(_check_as_json(frame, asked, args))
    else:
        _say(frame, asked, args)
    return 0 if frame["holds"].all() else FALLS_SHORT


def _figures(asked: Asked, args: argparse.Namespace) -> pd.DataFrame:
    """Compute what is compared, one row for each pair of raters and group."""
    data, options = asked.data, {**asked.options}
    if args.of == "all":
        check_choice("coefficient", options["coefficient"], COEFFICIENTS)
        together = COEFFICIENTS[options.pop("coefficient")].together
        return agreement(data, coefficients=[together], **options)
    frame = pairs(data, **options)
    if not args.machines:
        return frame
    known = list(dict.fromkeys([*frame["rater_a"], *frame["rater_b"]]))
    unknown = [name for name in args.machines if name not in map(str, known)]
    if unknown:
        message = f"machines names {listing(unknown)}, but the raters are {listing(known)}."
        raise ColumnNotFoundError(message)
    are_machines = [frame[name].map(str).isin(args.machines) for name in ("rater_a", "rater_b")]
    mixed: pd.DataFrame = frame[(are_machines[0] != are_machines[1]).to_numpy()]
    if mixed.empty:
        message = "machines names all raters. Name only those that are machines."
        raise OptionError(message)
    return mixed if any(mixed.index.names) else mixed.reset_index(drop=True)


def _check_as_json(frame: pd.DataFrame, asked: Asked, args: argparse.Namespace) -> dict[str, Any]:
    """Put the verdict, what it rests on, and each row."""
    return {
        "holds": bool(frame["holds"].all()),
        "on": args.on,
        "min": args.min,
        "of": args.of,
        "coefficient": asked.options["coefficient"],
        "weights": asked.options["weights"],
        "confidence_level": asked.options["confidence_level"],
        "n_checked": len(frame),
        "n_short": int((~frame["holds"]).sum()),
        **fields({"lowest": frame[args.on].min()}),
        "checked": records(frame),
    }


def _say(frame: pd.DataFrame, asked: Asked, args: argparse.Namespace) -> None:
    """Print the verdict, then each row."""
    n_rows, n_short = len(frame), int((~frame["holds"]).sum())
    noun = "figure" if args.of == "all" else "pair"
    what = f"{noun}{'' if n_rows == 1 else 's'} of {'all ' if args.of == 'all' else ''}raters"
    say(
        f"{'FALLS SHORT' if n_short else 'Holds'}: {args.on} is at least {args.min:g} for "
        f"{n_rows - n_short} of {n_rows} {what}; the lowest is {rounded(frame[args.on].min(), 4)}."
    )
    row = COEFFICIENTS[asked.options["coefficient"]]
    spoken = MULTIRATER[row.together].spoken if args.of == "all" else row.spoken
    heading(f"What was checked: {spoken}, {weights_in_words(asked.options['weights'])}")
    say(summary(frame.assign(holds=frame["holds"].map({True: "yes", False: "NO"}))))
