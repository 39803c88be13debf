"""The essay-set scorer: a solution and a submission -> QWK of each set, and their mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdkappa.cli.parser import WEIGHTINGS, Parser, by_columns, weights_named
from pdkappa.cli.shown import complain, fields, p_value, records, say, say_json, summary
from pdkappa.methods.groups.grouped import grouped
from pdkappa.methods.predictions.scorecard import join, only_other, only_shared
from pdkappa.present.labels import rounded, weights_in_words
from pdkappa.ratings.items import column_of
from pdkappa.sources.whole import read_whole

if TYPE_CHECKING:
    from pdkappa.methods.groups.grouped_results import GroupedAgreement
    from pdkappa.methods.predictions.scorecard import Joined


def score_parser() -> Parser:
    """List the options of the essay-set scorer."""
    parser = Parser(
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
    names = ", ".join(WEIGHTINGS)
    parser.add_argument("--weights", type=weights_named, default="quadratic", help=names)
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    return parser


def score(parser: Parser, arguments: list[str]) -> int:
    """Score a submission against a solution, set by set; return the exit status."""
    args = parser.parse_args(arguments)
    solution, submission = (read_whole(Path(p)) for p in (args.solution, args.submission))
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
        complain(joined.contradiction)
    result = grouped(
        joined.frame,
        joined.truth,
        joined.prediction,
        by=by_columns(args.by),
        weights=args.weights,
        group_weights=args.group_weights,
    )
    if args.json:
        if joined.left_out:
            complain(joined.left_out)
        say_json(_score_as_json(result, joined, args.weights))
        return 0
    say(f"{len(solution)} items joined on {item!r}. {joined.left_out}".rstrip())
    say(f"Kappa of {truth!r} with {prediction!r}, {weights_in_words(args.weights)}")
    _say_result(result)
    return 0


def _say_result(result: GroupedAgreement) -> None:
    """Print the sets, how far they differ, what was done to single sets, and last the mean."""
    say(summary(result.to_frame()))
    say(
        "Q = {q:.3f}, df = {df:g}, p = {p}, I2 = {i2:.3f}, tau2 = {tau2:.4f}".format(
            p=p_value(result.heterogeneity["p_value"]), **result.heterogeneity
        )
    )
    for remark in _remarks(result):
        say(remark)
    say(f"Fisher-z weighted mean: {rounded(float(result), 6)}")


def _remarks(result: GroupedAgreement) -> list[str]:
    """Say what was done to single sets."""
    return [f"{group}: {remark}" for group, remark in result.remarks.items()]


def _score_as_json(result: GroupedAgreement, joined: Joined, weights: str | None) -> dict[str, Any]:
    """Put the Fisher-z mean, and below it the other means, how far groups differ, and counts."""
    rows = [*(row for _, row in result.pooled.iterrows()), result.heterogeneity]
    mean, *others = map(fields, rows)
    below = dict(zip(("fixed", "random", "heterogeneity"), others, strict=True))
    told = {"weights": weights, "groups": records(result.groups), "remarks": _remarks(result)}
    return mean | below | joined.counts | told
