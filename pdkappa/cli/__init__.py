"""The command line: the demo, a file of ratings, and the essay-set scorer.

In: what is typed.
Out: text or JSON on the streams, a workbook, a page.
May import: everything but other doors, and of these `sources`.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

from pdkappa._version import __version__
from pdkappa.cli.demo import demo
from pdkappa.cli.ratings import ratings, ratings_parser
from pdkappa.cli.score import score, score_parser
from pdkappa.cli.shown import complain, one_line, say
from pdkappa.errors import KappaError, KappaWarning

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    parser = score_parser() if scores else ratings_parser()
    command = score if scores else ratings if given else demo

    def told(message: Warning | str, *_: object) -> None:
        complain(parser.in_flags(one_line(message)))

    if given == ["--version"]:
        say(f"pdkappa {__version__}")
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = told  # type: ignore[assignment]
            warnings.simplefilter("always", KappaWarning)
            command(parser, given[1:] if scores else given)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        return 0
    except KappaError as error:
        told(str(error))
        return 2
    except OSError as error:
        complain(one_line(error))
        return 2
    return 0
