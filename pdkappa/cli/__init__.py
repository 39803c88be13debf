"""The command line: the demo, a file of ratings, the essay-set scorer, and a check for CI.

In: what is typed.
Out: text or JSON on the streams, a workbook, a page.
May import: everything but other entry points, and of these `sources`.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from pdkappa import datasets
from pdkappa.cli.arguments import (
    complain,
    flush,
    heading,
    nowhere,
    one_line,
    records,
    say,
    say_json,
    summary,
    text_of,
)
from pdkappa.cli.commands import check, check_parser, ratings, ratings_parser, score, score_parser
from pdkappa.errors import SPEAKING, KappaError, KappaWarning, MissingDependencyError
from pdkappa.methods.agreement.crosscheck import crosscheck
from pdkappa.methods.agreement.pairs import pairwise
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.report.report import report
from pdkappa.present.labels import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa.cli.arguments import Parser
    from pdkappa.methods.report.write_up import Report

DEMO_RATERS = ["human_1", "human_2", "machine"]


def demo(parser: Parser, arguments: list[str]) -> int:  # noqa: ARG001
    """Show the main results on the packaged essay scores; return the exit status."""
    essays, by, share = datasets.load_essays(), "essay_set", "essay_weight"
    matrix = pairwise(essays[essays[by] == 1], DEMO_RATERS, weights="quadratic")
    result = grouped(essays, "human_1", "machine", by=by, group_weights=share)
    check = crosscheck(essays, DEMO_RATERS, by=by, weights="quadratic", group_weights=share)
    made = report(
        essays, DEMO_RATERS, by=by, machine="machine", weights="quadratic", group_weights=share
    )
    if arguments:
        paths, why_not = _demo_files(made)
        if why_not:
            complain(why_not)
        told = {
            "n_items": len(essays),
            "pairwise": records(matrix.rename_axis("rater").reset_index()),
        }
        told |= {"groups": records(result.groups), "fisher_mean": float(result)}
        say_json(told | {"crosscheck": records(check), "written": paths})
        return 0
    say(f"Simulated essay scores: {len(essays)} essays in eight sets, two humans and a machine.")
    heading("Quadratic weighted kappa of all raters on set 1: df.kappa.pairwise()")
    say(text_of(matrix))
    heading("human_1 with machine, set by set: df.kappa.grouped()")
    say(summary(result.to_frame()))
    say(f"Fisher-z weighted mean: {rounded(float(result), 4)}")
    heading("The same numbers from other packages: df.kappa.crosscheck()")
    _show_crosscheck(check, by)
    heading("What was found: df.kappa.report()")
    say(repr(made.findings))
    paths, why_not = _demo_files(made)
    say("\n".join(["", *(f"Wrote {path}" for path in paths), *([why_not] if why_not else [])]))
    return 0


def _demo_files(made: Report) -> tuple[list[str], str]:
    """Write a workbook and a page; return their names, and why there is no page."""
    workbook, page = _free_names()
    paths = [str(made.to_excel(workbook, overwrite=False))]
    try:
        return [*paths, str(made.to_html(page, overwrite=False))], ""
    except MissingDependencyError as error:
        return paths, f"Did not write {page}. {error}"


def _free_names() -> tuple[str, str]:
    """Name a workbook and a page that are not there yet: both might be the user's own."""
    for number in count(1):
        name = "agreement" if number == 1 else f"agreement-{number}"
        workbook, page = f"{name}.xlsx", f"{name}.html"
        if not any(Path(path).exists() or Path(path).is_symlink() for path in (workbook, page)):
            break
    return workbook, page


def _show_crosscheck(check: pd.DataFrame, by: str) -> None:
    """Show the cross-check of the first group and the means, and count the rest."""
    check = check.reset_index()
    human, _, machine = DEMO_RATERS
    one = (check["rater_a"] == human) & (check["rater_b"] == machine) & (check[by] == 1)
    rows = pd.concat([check[one], check[check["statistic"] == "fisher_mean"]])
    rows["agrees"] = rows["agrees"].map({True: "yes", False: "NO"}).fillna("see note")
    columns = [by, "rater_a", "rater_b", "statistic", "estimate", "reference", "package", "agrees"]
    say(rows[columns].to_string(index=False, float_format=lambda one: rounded(one, 6)))
    agree, compared = int(check["agrees"].sum()), int(check["agrees"].notna().sum())
    say(f"… {agree} of {compared} figures agree to 1e-9; all rows are in the workbook.")


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
