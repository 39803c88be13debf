"""The gate: what holds, what falls short, what cannot be told, and the action around it."""

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import MESSAGES
from pdkappa.cli import main

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests/data/logs"
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 3, 60)
RATINGS = pd.DataFrame(
    {
        name: np.where(RNG.random(60) < share, TRUTH, RNG.integers(0, 3, 60))
        for name, share in (("ann", 0.9), ("bob", 0.9), ("gpt", 0.7))
    }
).assign(site=["x"] * 30 + ["y"] * 30, same=1)
RATERS = ("--raters", "ann", "bob", "gpt")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Go to a folder with a file of ratings."""
    monkeypatch.chdir(tmp_path)
    RATINGS.to_csv("r.csv", index=False)
    return tmp_path


@pytest.fixture
def check(capsys):
    """Run the gate; return its status and what it printed as JSON, or else on the error stream."""

    def check(*arguments):
        status = main(["check", *map(str, arguments), "--json"])
        streams = capsys.readouterr()
        if status == 2:
            assert streams.out == ""
            return status, streams.err.removeprefix("pdkappa: ").removesuffix("\n")
        assert streams.err == ""
        return status, json.loads(streams.out)

    return check


def test_every_pair_must_hold(check):
    frame = RATINGS.kappa.pairs(["ann", "bob", "gpt"])
    lowest = float(frame["ci_low"].min())
    status, told = check("r.csv", *RATERS, "--min", lowest)
    assert status == 0
    assert {name: told[name] for name in ("holds", "on", "min", "of", "n_checked", "n_short")} == {
        "holds": True,
        "on": "ci_low",
        "min": lowest,
        "of": "pairs",
        "n_checked": 3,
        "n_short": 0,
    }
    assert [row["ci_low"] for row in told["checked"]] == frame["ci_low"].tolist()
    status, told = check("r.csv", *RATERS, "--min", lowest + 1e-9)
    assert (status, told["holds"], told["n_short"]) == (1, False, 1)
    assert [row["holds"] for row in told["checked"]].count(False) == 1
    assert told["lowest"] == lowest
    for on in ("estimate", "ci_high"):
        edge = float(frame[on].min())
        assert check("r.csv", *RATERS, "--on", on, "--min", edge)[0] == 0
        assert check("r.csv", *RATERS, "--on", on, "--min", edge + 1e-9)[0] == 1


def test_all_together_in_groups_and_machines_with_humans(check):
    options = {"by": "site", "coefficients": ["gwet"]}
    lowest = float(RATINGS.kappa.agreement(["ann", "bob", "gpt"], **options)["estimate"].min())
    asked = [*RATERS, "--of", "all", "--by", "site", "--coefficient", "gwet", "--on", "estimate"]
    status, told = check("r.csv", *asked, "--min", lowest)
    assert (status, told["n_checked"], told["weights"]) == (0, 2, None)
    assert check("r.csv", *asked, "--min", lowest + 1e-9)[0] == 1
    status, told = check("r.csv", *RATERS, "--machines", "gpt", "--min", 0)
    pairs = [(row["rater_a"], row["rater_b"]) for row in told["checked"]]
    assert pairs == [("ann", "gpt"), ("bob", "gpt")]
    status, told = check("r.csv", *RATERS, "--machines", "gpt", "--min", 0, "--by", "site")
    assert [row["site"] for row in told["checked"]] == ["x", "x", "y", "y"]


def test_what_is_undefined_falls_short(capsys):
    """Of a rater who used one category nothing is known; no least value lets that through."""
    pd.DataFrame({"ann": [1, 1, 1], "bob": [1, 1, 1]}).to_csv("one.csv", index=False)
    assert main(["check", "one.csv", "--min=-1", "--on", "estimate", "--json"]) == 1
    streams = capsys.readouterr()
    told = json.loads(streams.out)
    assert (told["lowest"], told["checked"][0]["reason"]) == (None, "constant_ratings")
    assert streams.err.startswith("pdkappa: 1 of 1 coefficient is undefined (NaN)")


def test_text_and_rounding(capsys):
    """Agreement of 0.6 is at least 0.6, although no number of a computer is 0.6."""
    table = [("x", "x")] * 4 + [("y", "y")] * 4 + [("x", "y"), ("y", "x")]
    pd.DataFrame(table, columns=["ann", "bob"]).to_csv("six.csv", index=False)
    assert main(["check", "six.csv", "--min", "0.6", "--on", "estimate"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "Holds: estimate >= 0.6 for 1 of 1 pair; the lowest is 0.6000.\n\n"
        "What was checked: Cohen's kappa, unweighted\n"
    )
    assert main(["check", "six.csv", "--min", "0.6"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("NOT MET: ci_low >= 0.6 for 0 of 1 pair;")
    assert out.splitlines()[-1].endswith("NO")


def test_what_is_said_before_the_table_fits_a_terminal(capsys):
    names = [f"annotator {number}" for number in range(46)]
    table = {name: ["x", "y"] * 4 for name in names} | {f"{names[-1]} again": [None] * 8}
    pd.DataFrame(table).to_csv("many.csv", index=False)
    for of in ("pairs", "all"):
        assert main(["check", "many.csv", "--min", "0.65", "--on", "estimate", "--of", of]) == 2
        above = capsys.readouterr().out.partition("What was checked")[0]
        assert above.startswith("CANNOT TELL: estimate >= 0.65 for ")
        assert "rated nothing" in " ".join(above.split())
        assert max(map(len, above.splitlines())) <= 80


@pytest.mark.needs("pyarrow")
def test_logs_of_evaluations(check, capsys):
    labels = ["--relabel", "True=yes", "false=no"]
    asked = ["--log", "deepeval", "--humans", "metadata.human", *labels]
    raters = ["--raters", "human", "Polite (judge-b)"]
    status, told = check(LOGS / "deepeval.json", *asked, *raters, "--min", 0.6, "--on", "estimate")
    assert (status, told["checked"][0]["n_items"]) == (0, 6)
    assert told["lowest"] == pytest.approx(2 / 3)
    assert told["checked"][0]["rater_b"] == "Polite (judge-b)"
    # Of which tool a log is its name may say; columns beside ratings are no raters.
    asked = ["--humans", "metadata.ann", "--columns", "metadata.topic", "--by", "topic"]
    raters = ["--raters", "ann", "strict"]
    assert main([str(LOGS / "inspect.eval"), *asked, *raters, "--json"]) == 0
    streams = capsys.readouterr()
    assert [row["topic"] for row in json.loads(streams.out)["pairs"]] == ["a", "b"]
    assert streams.err.startswith("pdkappa: 1 of 30 annotations in 'inspect.eval' is left out")
    path = LOGS / "toy-a/mood.jsonl"
    asked = ["--log", "lm_eval", "--humans", "target", "--columns", "doc.text"]
    status, told = check(path, *asked, "--min", 0)
    assert [told["checked"][0][name] for name in ("rater_a", "rater_b")] == ["target", "toy-a"]


def test_bad_input(check):
    for typed, message in MESSAGES["checked"].values():
        assert check(*shlex.split(typed)) == (2, message), typed


def test_a_crash_is_no_verdict(monkeypatch, capsys):
    """Python exits with 1 on an error that nobody catches."""
    monkeypatch.setattr(sys.modules["pdkappa.cli.commands"], "pairs", lambda *_, **__: 1 / 0)
    assert main(["check", "r.csv", *RATERS, "--min", "0"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_a_verdict_counts_though_nobody_reads_it(monkeypatch):
    class Closed(io.StringIO):
        def write(self, _):
            raise BrokenPipeError

        flush = write

    monkeypatch.setattr(sys, "stdout", Closed())
    for least, status in (("1", 1), ("0", 0)):
        assert main(["check", "r.csv", *RATERS, "--min", least, "--json"]) == status
        sys.stdout.close()
        monkeypatch.setattr(sys, "stdout", Closed())


class Full(io.StringIO):
    """A stream on a device that is full."""

    def write(self, _):
        raise OSError(28, "No space left on device")


def test_a_verdict_is_no_error_of_the_streams(monkeypatch):
    """Python exits with 1, which is a verdict, where a message cannot be written."""
    for stream in (Full(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(["check", "nowhere.csv", "--min", "0"]) == 2
        for least, status in (("1", 1), ("0", 0)):
            monkeypatch.setattr(sys, "stderr", stream)
            monkeypatch.setattr(sys, "stdout", None)
            assert main(["check", "r.csv", *RATERS, "--min", least]) == status
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["check", "r.csv", *RATERS, "--min", "1"]) == 2


@pytest.mark.needs("jinja2")
def test_the_demo_as_json(capsys, monkeypatch):
    module, names = sys.modules["pdkappa.cli"], ["agreement.xlsx"]
    monkeypatch.setattr(module, "_demo_files", lambda _: (names, "Did not write agreement.html."))
    for slow in ("report", "crosscheck"):  # which other tests of the demo run
        monkeypatch.setattr(module, slow, lambda *_, **__: pd.DataFrame({"agrees": [True]}))
    assert main(["--json"]) == 0
    streams = capsys.readouterr()
    told = json.loads(streams.out)
    assert told["written"] == ["agreement.xlsx"]
    assert streams.err == "pdkappa: Did not write agreement.html.\n"
    assert [row["rater"] for row in told["pairwise"]] == ["human_1", "human_2", "machine"]
    essays = pdkappa.datasets.load_essays()
    grouped = essays.kappa.grouped(
        "human_1", "machine", by="essay_set", group_weights="essay_weight"
    )
    assert told["fisher_mean"] == float(grouped)
    assert len(told["groups"]) == 8
    assert told["crosscheck"] == [{"agrees": True}]


@pytest.mark.needs("yaml")
def test_the_action(folder):
    """Its script as it stands, with names that a shell would take for code."""
    from yaml import safe_load

    action = safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][1]
    given = {name: one.get("default") for name, one in action["inputs"].items()}
    assert {name for name, one in action["inputs"].items() if one.get("required")} == {
        "file",
        "min",
    }
    names = {"ann": "an n", "bob": "$(touch bad); `b`"}
    RATINGS.rename(columns=names).to_csv("r.csv", index=False)
    given |= {"file": "r.csv", "raters": "\n".join(names.values())}
    given |= {"options": "--coefficient\ngwet", "partial": "true"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    stub = folder / "python"
    told = 'printf "%s|" "$@" > words\nprintf "%s" "$TOLD"\nexit "$STATUS"\n'
    stub.write_text(f"#!/bin/sh\n{told}", "utf-8")
    stub.chmod(0o755)
    high, usage = '{"holds": true, "on"}', "usage: pdkappa check"
    for status, holds, python, told, ended in (
        (1, "false", sys.executable, "", 1),
        (0, "true", stub, high, 0),
        (0, "", stub, usage, 2),
        (2, "", stub, "", 2),
    ):
        values = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
        values |= {"${{ inputs.min }}": "0.99", "${{ inputs.python }}": str(python)}
        environment |= {name: values[one] for name, one in step["env"].items()}
        files = {"GITHUB_OUTPUT": folder / f"out{told}", "GITHUB_STEP_SUMMARY": folder / "sum"}
        files["GITHUB_OUTPUT"].unlink(missing_ok=True)
        environment |= {name: str(path) for name, path in files.items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607
            env=environment | {"STATUS": str(status), "TOLD": told},
            check=False,
            capture_output=True,
        )
        assert done.returncode == ended, done.stderr
        lines = files["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
        assert lines[0] == f"holds={holds}"
        if status == 1:
            assert json.loads(lines[1].removeprefix("json="))["coefficient"] == "gwet"
    assert not (folder / "bad").exists()
    words = "-m|pdkappa|check|r.csv|--min=0.99|--on=ci_low|--of=pairs|--json|--raters|an n|"
    more = "$(touch bad); `b`|--partial|--coefficient|gwet|"
    assert (folder / "words").read_text("utf-8") == words + more
    assert (folder / "sum").read_text("utf-8").splitlines() == [
        f"Agreement (`ci_low` at least 0.99): **{told}**"
        for told in ("false", "true", "cannot be told", "cannot be told")
    ]
