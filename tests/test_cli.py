"""The command line: the demo, files of ratings, the essay-set scorer, and every bad input."""

import io
import json
import re
import shlex
import subprocess
import sys

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import MESSAGES, function_of
from pdkappa.cli import DEMO_RATERS, main
from pdkappa.cli.commands import ratings_parser, score_parser
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS

RATERS = ["ann", "bob", "eve"]
RNG = np.random.default_rng(1)
ANN = RNG.integers(1, 5, 32)
RATINGS = pd.DataFrame(
    {
        "site": ["x"] * 16 + ["y"] * 16,
        "round": ([1] * 8 + [2] * 8) * 2,
        "times": RNG.integers(1, 4, 32),
        "ann": ANN,
        "bob": (ANN + RNG.integers(-1, 2, 32)).clip(1, 4),
        "eve": pd.Series((ANN + RNG.integers(-1, 2, 32)).clip(1, 4)).mask(ANN == 1),
    }
)
LEVELS = {1: "low", 2: "mid", 3: "high", 4: "top"}
TEXT = RATINGS[["ann", "bob"]].replace(LEVELS)
SOLUTION = pd.DataFrame(
    {
        "id": range(1, 13),
        "set": ["p"] * 6 + ["q"] * 6,
        "weight": [1.0] * 6 + [0.5] * 6,
        "human": [1, 2, 3, 4, 3, 1, 10, 20, 30, 20, 10, 30],
    }
)
SUBMISSION = pd.DataFrame(
    {"id": range(1, 13), "model": [1, 3, 3, 4, 2, 1, 10, 20, 20, 30, 10, 30]}
).iloc[::-1]
TRUTH = SOLUTION.assign(model=SUBMISSION.set_index("id")["model"].reindex(SOLUTION["id"]).array)

WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "CSV": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "txt": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "ndjson": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "tsv.gz": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "jsonl.gz": lambda frame, path: frame.to_json(path, orient="records", lines=True),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Go to a folder with the files that most tests read."""
    monkeypatch.chdir(tmp_path)
    frames = {"r": RATINGS, "text": TEXT, "solution": SOLUTION, "submission": SUBMISSION}
    for name, frame in frames.items():
        frame.to_csv(f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command line; it must succeed. Return what it printed on both streams."""

    def run(*arguments):
        status = main(list(arguments))
        streams = capsys.readouterr()
        assert status == 0, streams.err
        return streams

    return run


@pytest.fixture
def refused(capsys):
    """Run the command line; it must refuse in one line. Return the line."""

    def refused(*arguments):
        status = main(list(arguments))
        lines = capsys.readouterr().err.splitlines()
        assert status == 2
        assert len(lines) == 1
        assert lines[0].startswith("pdkappa: ")
        return lines[0].removeprefix("pdkappa: ")

    return refused


def table(printed, heading):
    """Read the table below a heading back from the text."""
    block = printed.split(heading)[1].split("\n\n", 1)[1].split("\n\n")[0]
    return pd.read_fwf(io.StringIO(block))


def agree(shown, expected):
    """Whether figures with four decimals are those expected."""
    return list(shown) == pytest.approx(list(expected), abs=5.1e-5, nan_ok=True)


def test_the_demo_prints_three_tables_and_writes_a_workbook(run, folder):
    shown = run()
    assert shown.err == ""
    assert "Simulated" in shown.out.splitlines()[0]
    essays = pdkappa.datasets.load_essays()

    first = essays[essays["essay_set"] == 1]
    matrix = first.kappa.pairwise(DEMO_RATERS, weights="quadratic")
    for rater in DEMO_RATERS:
        figures = "  ".join(f"{value:.4f}".rjust(7) for value in matrix.loc[rater])
        assert f"{rater}   {figures}".split() in [line.split() for line in shown.out.splitlines()]

    options = {"by": "essay_set", "group_weights": "essay_weight"}
    result = essays.kappa.grouped("human_1", "machine", **options)
    for name, row in result.groups.iterrows():
        start = rf"^{name} +{row['n_items']} +{row['estimate']:.4f} "
        assert re.search(start, shown.out, re.MULTILINE)
    assert f"Fisher-z weighted mean: {float(result):.4f}" in shown.out

    agrees, compared = re.search(r"(\d+) of (\d+) figures agree", shown.out).groups()
    assert agrees == compared
    assert shown.out.endswith("\n\nWrote agreement.xlsx\nWrote agreement.html\n")
    assert (folder / "agreement.html").stat().st_size > 100_000
    sheets = openpyxl.load_workbook(folder / "agreement.xlsx").sheetnames
    assert sheets[:3] == ["Summary", "To discuss", "Raters"]
    assert sheets[-3:] == ["Notes", "Counts", "Chart data"]


def test_the_demo_without_the_page(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run().out.endswith(
        "\n\nWrote agreement.xlsx\nDid not write agreement.html. An HTML report needs Jinja2, "
        "which is not installed. Run: pip install 'pdkappa[report]'\n"
    )
    assert not (folder / "agreement.html").exists()


def test_an_error_of_a_module_run_is_one_line_and_status_2():
    done = subprocess.run(
        [sys.executable, "-m", "pdkappa", "nowhere.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"pdkappa: .*nowhere\.csv.*\n", done.stderr)


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"]], ids=["ratings", "score"])
def test_help_shows_every_option(arguments, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(arguments)
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: {' '.join(['pdkappa', *arguments[:-1]])} ")
    named = [name for name in WEIGHTS if name]
    assert all(name in shown for name in named)
    assert arguments[0] == "score" or all(name in shown for name in COEFFICIENTS)


OPTIONS = {
    "nothing": ([], {}),
    "two raters": (["--raters", "eve", "ann"], {"raters": ["eve", "ann"]}),
    "by": (["--by", "site"], {"by": "site"}),
    "by two": (["--by", "site", "round"], {"by": ["site", "round"]}),
    "categories": (["--categories", *"54321"], {"categories": [5, 4, 3, 2, 1]}),
    "missing": (["--missing", "listwise"], {"missing": "listwise"}),
    "sample weight": (["--sample-weight", "times"], {"sample_weight": "times"}),
    "weight type": (
        ["--sample-weight", "times", "--weight-type", "probability"],
        {"sample_weight": "times", "weight_type": "probability"},
    ),
    "wald": (["--ci", "wald"], {"ci": "wald"}),
    "jackknife": (["--ci", "jackknife"], {"ci": "jackknife"}),
    "level": (["--confidence-level", "0.8"], {"confidence_level": 0.8}),
    "resampled": (["--ci", "percentile", "--rng", "1"], {"ci": "percentile", "rng": 1}),
}
OF_LIMITS = ("weight_type", "cluster", "ci", "confidence_level", "rng")
OPTIONS |= {name: (["--coefficient", name], {"coefficient": name}) for name in COEFFICIENTS}
OPTIONS |= {name: (["--weights", name], {"weights": name}) for name in WEIGHTS if name}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_does_what_it_does_in_python(name, run):
    arguments, options = OPTIONS[name]
    if "--raters" not in arguments:
        arguments, options = ["--raters", *RATERS, *arguments], {"raters": RATERS, **options}
    shown = run("r.csv", *arguments)
    assert shown.err == ""
    pairs = table(shown.out, "Agreement of each pair of raters")
    expected = function_of("pairs")(RATINGS, **options)
    assert pairs["rater_a"].tolist() == expected["rater_a"].tolist()
    for column in ("n_items", "estimate", "se", "ci_low", "ci_high"):
        assert agree(pairs[column], expected[column])

    of_figures = {name: value for name, value in options.items() if name not in OF_LIMITS}
    matrix = RATINGS.kappa.pairwise(**of_figures)
    below = shown.out.split("Pairwise matrix\n\n")[1].splitlines()[-len(matrix) :]
    found = [float(figure) for line in below for figure in line.split()[-matrix.shape[1] :]]
    assert agree(found, matrix.to_numpy().ravel())

    if "weights" not in options and options.get("coefficient") != "percent":
        quadratic = function_of("pairs")(RATINGS, **options, weights="quadratic")
        assert agree(pairs["quadratic"], quadratic["estimate"])


def test_clusters_are_no_raters_and_matter_to_the_limits_only(run):
    twice = pd.concat([RATINGS[RATERS]] * 2).assign(pupil=[*range(len(RATINGS))] * 2)
    twice.to_csv("twice.csv", index=False)
    shown = run("twice.csv", "--cluster", "pupil")
    pairs = table(shown.out, "Agreement of each pair of raters")
    for column in ("estimate", "se", "ci_low", "ci_high"):
        assert agree(pairs[column], twice.kappa.pairs(cluster="pupil")[column])
    assert agree(pairs["quadratic"], RATINGS.kappa.pairs(RATERS, weights="quadratic")["estimate"])
    assert shown.out.split("Pairwise matrix\n\n")[1].split("\n")[0].split() == RATERS


def test_limits_of_resamples_that_are_not_drawn_are_refused(refused):
    assert refused("r.csv", "--rng", "1") == (
        "--rng has no effect: --ci 'auto' draws no resamples. "
        "Pass --ci 'bca' or --ci 'percentile', or leave it out."
    )


def test_all_other_columns_are_raters_by_default(run):
    RATINGS[RATERS].to_csv("only.csv", index=False)
    assert run("only.csv").out == run("r.csv", "--raters", *RATERS).out


def test_categories_of_which_some_are_numbers_are_text(run, capsys):
    labels = ["1", "2", "3 or more"]
    data = pd.DataFrame({"ann": labels * 4, "bob": [*labels, *labels[::-1]] * 2})
    data.to_csv("mixed.csv", index=False)
    shown = run("mixed.csv", "--weights", "linear", "--categories", *labels)
    estimate = table(shown.out, "Agreement of each pair of raters")["estimate"]
    assert agree(estimate, data.kappa.pairs(weights="linear", categories=labels)["estimate"])
    pd.DataFrame({"ann": [1, 2], "bob": [2, 1]}).to_csv("numbers.csv", index=False)
    assert main(["numbers.csv", "--categories", *labels]) == 2
    assert "holds text such as '1', but column 'ann' numbers such as 1." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("labels", "weights"),
    [((False, True), "linear"), (("1", "2", "10"), "quadratic"), ((1, 2, 10), "quadratic")],
    ids=["booleans", "text", "numbers"],
)
def test_categories_are_of_the_kind_of_the_ratings(run, labels, weights):
    """What is typed is text; JSON has text that looks like numbers, and CSV booleans."""
    data = pd.DataFrame({"ann": [*labels] * 6, "bob": [*labels, *labels[::-1]] * 3})
    data.to_json("typed.json", orient="records")
    typed = ["--weights", weights, "--categories", *(str(one).lower() for one in labels)]
    told = json.loads(run("typed.json", *typed, "--json").out)
    expected = data.kappa.pairs(weights=weights, categories=[*labels])["estimate"]
    assert told["pairs"][0]["estimate"] == pytest.approx(expected.item())
    if labels[0] == "1":  # beside a column of numbers that is left out
        data.assign(id=range(18)).to_json("typed.json", orient="records")
        assert json.loads(run("typed.json", *typed, "--json").out)["pairs"] == told["pairs"]


def test_items_without_any_group(capsys):
    RATINGS[["ann", "bob"]].assign(site=None).to_csv("none.csv", index=False)
    assert main(["none.csv", "--raters", "ann", "bob", "--by", "site"]) == 2
    message = "pdkappa: --by 'site' names no group of any item. Fill groups in."
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith(". Fill it in to keep them as a group.")
    assert told[1:] == [message]


def test_no_weights_may_be_typed_as_in_python(run):
    assert run("r.csv", "--raters", *RATERS, "--weights", "None") == run(
        "r.csv", "--raters", *RATERS
    )


def test_an_undefined_pair_is_explained_twice(run):
    pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [1, 2]}).to_csv("same.csv", index=False)
    shown = run("same.csv")
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("pdkappa: 1 of 3 coefficients is undefined (NaN): 'a' with 'b'")
    assert "constant_ratings" in shown.out


def test_the_page_is_that_of_the_report(run, folder):
    options = ["--raters", *RATERS, "--by", "site", "--weights", "linear"]
    shown = run("r.csv", *options, "--html", "out.html")
    assert shown.out.endswith("\n\nWrote out.html\n")
    read = pd.read_csv("r.csv")
    report = read.kappa.report(RATERS, by="site", weights="linear")
    expected = report.to_html("again.html").read_text(encoding="utf-8")
    assert (folder / "out.html").read_text(encoding="utf-8") == expected
    both = run("r.csv", *options, "--html", "out.html", "--excel", "out.xlsx")
    assert both.out.endswith("\n\nWrote out.xlsx\nWrote out.html\n")


def test_every_kind_of_file_gives_the_same(run):
    arguments = ["--raters", *RATERS, "--by", "site", "--weights", "quadratic"]
    expected = run("r.csv", *arguments)
    for ending, write in WRITERS.items():
        write(RATINGS, f"again.{ending}")
        assert run(f"again.{ending}", *arguments) == expected, ending


def test_a_byte_order_mark_is_no_part_of_a_name(run):
    RATINGS[RATERS].to_csv("bom.csv", index=False, encoding="utf-8-sig")
    assert run("bom.csv") == run("r.csv", "--raters", *RATERS)


@pytest.mark.parametrize(("ending", "package"), [("parquet", "pyarrow"), ("xlsx", "openpyxl")])
def test_a_package_that_is_not_installed_is_named(ending, package, refused, monkeypatch):
    WRITERS[ending](RATINGS, f"r.{ending}")
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    line = refused(f"r.{ending}")
    assert line == f"Reading 'r.{ending}' needs {package}. Run: pip install 'pdkappa[all]'"


SCORE = ["score", "solution.csv", "submission.csv", "--by", "set"]
WEIGHTED = [*SCORE, "--group-weights", "weight"]


def mean_of(shown):
    """Return the mean that was printed."""
    return float(re.search(r"Fisher-z weighted mean: (\S+)", shown.out).group(1))


def expected_mean(**options):
    """Compute the mean from both files put together by hand."""
    options = {"by": "set", "group_weights": "weight", **options}
    return pytest.approx(float(TRUTH.kappa.grouped("human", "model", **options)), abs=5.1e-7)


def test_scores_are_joined_on_the_id_in_whatever_order(run):
    shown = run(*WEIGHTED)
    assert shown.err == ""
    assert shown.out.startswith("12 items joined on 'id'.\n")
    groups = TRUTH.kappa.grouped("human", "model", by="set").groups
    for name, estimate in groups["estimate"].items():
        assert re.search(rf"^{name} +6 +{estimate:.4f} ", shown.out, re.MULTILINE)
    assert mean_of(shown) == expected_mean()


def test_the_weights_of_the_sets_count(run):
    alike = mean_of(run(*SCORE, "--truth", "human"))
    assert alike == expected_mean(group_weights=None)
    assert alike != expected_mean()


def test_disagreements_may_be_weighted_otherwise(run):
    assert mean_of(run(*WEIGHTED, "--weights", "linear")) == expected_mean(weights="linear")
    assert mean_of(run(*WEIGHTED, "--weights", "none")) == expected_mean(weights=None)
    ratings = ["r.csv", "--raters", *RATERS]
    assert run(*ratings, "--weights", "none") == run(*ratings)


def test_sets_may_be_those_of_two_columns(run):
    half = [1, 1, 1, 2, 2, 2] * 2
    SOLUTION.assign(half=half).to_csv("solution.csv", index=False)
    expected = TRUTH.assign(half=half).kappa.grouped("human", "model", by=["set", "half"])
    found = mean_of(run(*SCORE, "half", "--truth", "human"))
    assert found == pytest.approx(float(expected), abs=5.1e-7)


COUNTED = ("n_items", "n_extra_ids", "n_without_truth", "n_without_set", "n_other_set")


def test_what_was_left_out_is_in_the_json_and_on_the_error_stream(run):
    lacking = SOLUTION.assign(
        human=SOLUTION["human"].where(SOLUTION["id"] != 2),
        set=SOLUTION["set"].where(~SOLUTION["id"].isin([2, 7, 8])),
    )
    lacking.to_csv("solution.csv", index=False)
    extra = pd.DataFrame({"id": [99, 98], "model": [1, None]})
    pd.concat([extra, SUBMISSION]).to_csv("submission.csv", index=False)
    left_out = (
        "Ids of the submission are not in the solution: 99, 98. Items without a true score are "
        "left out: 1. Items without a set are left out: 3."
    )
    assert run(*SCORE, "--truth", "human").out.startswith(f"12 items joined on 'id'. {left_out}\n")
    shown = run(*WEIGHTED, "--json")
    assert shown.err == f"pdkappa: {left_out}\n"
    found = json.loads(shown.out)
    assert [found[name] for name in COUNTED] == [9, 2, 1, 3, 0]


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
def test_a_submission_that_has_other_sets_is_told(more, run):
    named = [*SCORE, "--truth", "human", "--id", "id", *more]
    other = SUBMISSION.assign(set=SUBMISSION["id"].map(SOLUTION.set_index("id")["set"]))
    other.to_csv("submission.csv", index=False)
    same = run(*named)
    assert same.err == ""
    moved = {3: "q", 7: "p", 8: None}
    other.assign(set=other["set"].where(~other["id"].isin(moved), other["id"].map(moved))).to_csv(
        "submission.csv", index=False
    )
    shown = run(*named)
    assert shown.err == (
        "pdkappa: The submission puts 3, 7 into another set than the solution, whose sets are "
        "used.\n"
    )
    if more:
        found = json.loads(shown.out)
        assert found.pop("n_other_set") == 2
        assert found == {k: v for k, v in json.loads(same.out).items() if k != "n_other_set"}
    else:
        assert shown.out == same.out


@pytest.mark.parametrize("name", ["truth", "prediction"])
def test_sets_may_have_any_name(name, run):
    SOLUTION.rename(columns={"set": name}).to_csv("solution.csv", index=False)
    arguments = ["score", "solution.csv", "submission.csv", "--by", name]
    assert mean_of(run(*arguments, "--group-weights", "weight")) == expected_mean()
    SOLUTION.rename(columns={"weight": name}).to_csv("solution.csv", index=False)
    assert mean_of(run(*SCORE, "--group-weights", name)) == expected_mean()


def test_json_holds_the_mean_and_what_it_was_made_of(run):
    shown = run(*WEIGHTED, "--json")
    assert shown.err == ""
    found = json.loads(shown.out)
    assert found["n_groups"] == 2
    result = TRUTH.kappa.grouped("human", "model", by="set", group_weights="weight")
    expected = {name: row.to_dict() for name, row in result.pooled.iterrows()}
    expected["heterogeneity"] = result.heterogeneity.iloc[0].to_dict()
    found["fisher_mean"] = {name: found.pop(name) for name in result.pooled.columns}
    counted = {name: found.pop(name) for name in COUNTED}
    assert counted == dict.fromkeys(COUNTED, 0) | {"n_items": 12}
    assert found.pop("remarks") == [f"{name}: {text}" for name, text in result.treated.items()]
    assert found.pop("weights") == "quadratic"
    groups = pd.DataFrame(found.pop("groups")).set_index("set")
    assert_frame_equal(groups, result.groups, check_dtype=False)
    assert found.keys() == expected.keys()
    for name, row in expected.items():
        assert found[name].pop("reason", None) == row.pop("reason", None)
        known = {key: np.nan if value is None else value for key, value in found[name].items()}
        assert known == pytest.approx(row, nan_ok=True)


def test_a_set_without_a_number_is_left_out_and_named(run):
    first = SOLUTION["set"] == "p"
    SOLUTION.assign(human=SOLUTION["human"].mask(first, 3)).to_csv("solution.csv", index=False)
    same = SUBMISSION["model"].mask(SUBMISSION["id"] < 7, 3)
    SUBMISSION.assign(model=same).to_csv("submission.csv", index=False)
    shown = run(*WEIGHTED)
    assert shown.err.count("\n") == 1
    assert "at set=p (constant_ratings)" in shown.err
    only = TRUTH[~first].kappa.grouped("human", "model", by="set")
    assert mean_of(shown) == pytest.approx(float(only), abs=5.1e-7)
    assert json.loads(run(*WEIGHTED, "--json").out)["n_undefined"] == 1


def test_json_has_no_nan(capsys):
    """And what has no mean is no success."""
    SOLUTION.assign(human=1).to_csv("solution.csv", index=False)
    SUBMISSION.assign(model=1).to_csv("submission.csv", index=False)
    assert main([*WEIGHTED, "--json"]) == 2
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["estimate"] is None
    assert (found["n_groups"], found["n_undefined"]) == (0, 2)


BROKEN = {
    "empty.csv": "",
    "ragged.csv": "a,b\n1,2\n1,2,3\n",
    "quote.csv": 'a,b\n"1,2\n3,4\n',
    "one.csv": "a\n1\n2\n",
    "semicolons.csv": "a;b\n1;2\n",
    "bad.jsonl": '{"a": 1, "b": 2}\n{oops}\n',
    "lists.jsonl": '{"a": [1], "b": 2}\n{"a": [2], "b": 2}\n',
    "bad.parquet": "no parquet",
    "bad.xlsx": "no workbook",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_gets_one_line(name, refused, folder):
    (folder / name).write_text(BROKEN[name], encoding="utf-8")
    told = refused(name)
    if name.startswith(("quote", "bad")):
        assert told.startswith((f"{name!r} cannot be read: ", f"{name!r} is neither "))
    if name == "semicolons.csv":
        assert told == (
            "'semicolons.csv' has a single column, 'a;b'. Separate columns by commas in a .csv "
            "file, and by tabs in .tsv and .txt."
        )


def test_an_unknown_encoding_gets_one_line(refused):
    RATINGS.rename(columns={"ann": "änn"}).to_csv("latin.csv", index=False, encoding="latin-1")
    told = re.sub(r"position \d+", "position", refused("latin.csv"))  # in which part: pandas' own
    assert told == (
        "'latin.csv' cannot be read: 'utf-8' codec can't decode byte 0xe4 in position: invalid "
        "continuation byte. Write it anew, text as UTF-8 with the names of the columns in its "
        "first row."
    )


def test_no_p_value_is_shown_as_0(run):
    pd.DataFrame({"ann": [1, 2, 3] * 20, "bob": [1, 2, 3] * 20}).to_csv("alike.csv", index=False)
    (row,) = table(run("alike.csv").out, "Agreement of each pair").to_dict("records")
    assert (row["p_value"], row["max_estimate"]) == ("<0.0001", 1.0)
    both = pd.DataFrame({"id": range(200), "set": np.repeat(["x", "y"], 100)})
    both.assign(truth=[0, 1] * 100).to_csv("solution.csv", index=False)
    both["guess"] = [0, 1] * 45 + [0, 0] * 5 + [0, 0, 1, 1] * 25
    both[["id", "guess"]].to_csv("submission.csv", index=False)
    shown = run("score", "solution.csv", "submission.csv", "--by", "set").out
    assert ", p = <0.0001, I2" in shown


@pytest.mark.parametrize(("text", "expected"), MESSAGES["flags"].items())
def test_options_are_named_as_they_are_typed(text, expected):
    assert ratings_parser().in_flags(text) == expected


def test_labels_may_be_negative():
    typed = ["log.json", "--relabel", "-1=bad", "1=good", "-.5=so", "--categories", "-1", "1"]
    args = ratings_parser().parse_args(typed)
    assert (args.relabel, args.categories) == (["-1=bad", "1=good", "-.5=so"], ["-1", "1"])


def test_what_is_warned_of_is_said_in_flags_everywhere(run, folder):
    """On the page and in JSON as on the error stream."""
    notes = [f"essay number {k}, which is long" for k in range(len(RATINGS))]
    RATINGS[RATERS].assign(note=notes).to_csv("long.csv", index=False)
    shown = run("long.csv", "--html", "out.html", "--json")
    said = "Pass --raters ann bob eve to say so, or name others there."
    assert said in shown.err
    assert said in json.loads(shown.out)["cautions"][-1]
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert said in page
    assert "raters=[" not in page


def test_only_options_of_the_command_are_named_so():
    text = "group_weights are all zero, and sample_weight='w' has no effect."
    score = "--group-weights are all zero, and sample_weight='w' has no effect."
    assert score_parser().in_flags(text) == score
    ratings = "group_weights are all zero, and --sample-weight 'w' has no effect."
    assert ratings_parser().in_flags(text) == ratings


def dropped(frame, *ids):
    """Leave some ids out."""
    return frame[~frame["id"].isin(ids)]


def repeated(frame, *ids):
    """Give some ids twice."""
    return pd.concat([frame, frame[frame["id"].isin(ids)]])


FILES = {
    "missing ids": {"submission": dropped(SUBMISSION, 2, 11)},
    "many missing ids": {"submission": SUBMISSION.tail(5)},
    "ids of another type": {"submission": SUBMISSION.assign(id="e" + SUBMISSION["id"].astype(str))},
    "ids that look alike": {
        "solution": SOLUTION.assign(id="E" + SOLUTION["id"].astype(str)),
        "submission": SUBMISSION.assign(
            id=np.where(SUBMISSION["id"] > 6, "E", "e") + SUBMISSION["id"].astype(str) + " "
        ),
    },
    "no rows": {"r": RATINGS.head(0)},
    "no item with a weight": {"r": RATINGS.assign(times=0)},
    "no item of two raters": {"r": pd.DataFrame({"ann": [1, np.nan], "bob": [np.nan, 2]})},
    "no predictions of some": {
        "submission": SUBMISSION.assign(model=SUBMISSION["model"].mask(SUBMISSION["id"] > 10))
    },
    "twice in the submission": {"submission": repeated(SUBMISSION, 4)},
    "twice in the solution": {"solution": repeated(SOLUTION, 3, 4)},
    "an item without an id": {
        "solution": SOLUTION.assign(id=SOLUTION["id"].where(SOLUTION["id"] > 2)),
        "submission": SUBMISSION.assign(id=SUBMISSION["id"].where(SUBMISSION["id"] > 1)),
    },
    "a prediction without an id": {
        "submission": SUBMISSION.assign(id=SUBMISSION["id"].where(SUBMISSION["id"] > 1))
    },
    "no id": {"submission": SUBMISSION.rename(columns={"id": "item"})},
    "two ids": {"submission": SUBMISSION.assign(human=1)},
    "two truths": {"solution": SOLUTION.assign(other=1)},
    "two predictions": {"submission": SUBMISSION.assign(other=1)},
    "no prediction": {"submission": SUBMISSION[["id"]]},
    "uneven weights": {"solution": SOLUTION.assign(weight=range(12))},
    "negative weights": {"solution": SOLUTION.assign(weight=-1)},
    "zero weights": {"solution": SOLUTION.assign(weight=0)},
    "sets for a prediction": {"submission": SUBMISSION.assign(set="p")},
    "scores of one name": {"submission": SUBMISSION[["id"]].assign(human="good")},
    "text against numbers": {"submission": SUBMISSION.assign(model="good")},
}


@pytest.mark.parametrize("name", MESSAGES["typed"])
def test_what_is_wrong_gets_one_line(name, refused, folder):
    for file, frame in FILES.get(name, {}).items():
        frame.to_csv(f"{file}.csv", index=False)
    typed, line = MESSAGES["typed"][name]
    text = "str" if pd.__version__ >= "3" else "object"
    expected = line.replace("TEXT", text).replace("FOLDER", str(folder))
    assert refused(*shlex.split(typed)) == expected
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize("lost", ["human", "set"])
def test_no_score_is_no_success(lost, capsys):
    SOLUTION.assign(**{lost: None}).to_csv("solution.csv", index=False)
    typed = ["score", "solution.csv", "submission.csv", "--by", "set", "--group-weights", "weight"]
    assert main([*typed, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["n_items"] == 0
    assert main(typed) == 2


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
@example(["[...]", "a [...]"])
def test_a_hint_can_be_pasted(names):
    """A shell reads the names that a hint of Python has."""
    printable = [name for name in names if name.isprintable()]
    hint = ratings_parser().in_flags(f"Pass raters={printable} to say so.")
    if printable:
        assert shlex.split(hint) == ["Pass", "--raters", *printable, "to", "say", "so."]
