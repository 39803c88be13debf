"""The command line: the demo, a file of ratings, the essay-set scorer, and a check for CI.

In: what is typed.
Out: text or JSON on the streams, a workbook, a page.
May import: everything but other entry points, and of these `sources`.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import TYPE_CHECKING

from pdkappa.cli.arguments import complain, flush, nowhere, one_line, say
from pdkappa.cli.commands import (
    check,
    check_parser,
    demo,
    ratings,
    ratings_parser,
    score,
    score_parser,
)
from pdkappa.errors import SPEAKING, KappaError, KappaWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {"check": (check_parser, check), "score": (score_parser, score)}
BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.

    Returns
    -------
    int
        0; 1 if what ``pdkappa check`` asks for does not hold, and never else; 2 if it cannot tell,
        for bad input, which is explained in one line on the error stream, and for whatever else
        goes wrong.
    """
    sys.stdout, sys.stderr = sys.stdout or nowhere(), sys.stderr or nowhere()  # closed streams
    given = list(sys.argv[1:] if arguments is None else arguments)
    usual = ratings_parser, demo if given in ([], ["--json"]) else ratings
    is_named = given[:1] and given[0] in COMMANDS
    make_parser, command = COMMANDS[given[0]] if is_named else usual
    parser = make_parser()

    def told(message: Warning | str, *_: object) -> None:
        complain(one_line(message))

    if given == ["--version"]:
        from importlib.metadata import version

        say(f"pdkappa {version('pdkappa')}")
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = told  # type: ignore[assignment]
            warnings.simplefilter("always", KappaWarning)
            speaking = SPEAKING.set(parser.in_flags)
            try:
                status = command(parser, given[1:] if is_named else given)
            finally:
                SPEAKING.reset(speaking)
        flush()
    except KappaError as error:
        complain(parser.in_flags(one_line(error)))
        return BAD_INPUT
    except OSError as error:
        complain(one_line(error))
        return BAD_INPUT
    except Exception:  # noqa: BLE001 - Python would exit with 1, which is a verdict here
        traceback.print_exc()
        return BAD_INPUT
    return status
