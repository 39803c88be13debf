"""What the command line writes and prints: files that are safe, weights that are named, JSON."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdkappa import errors
from pdkappa.cli import main
from pdkappa.present.labels import weights_in_words

RATERS = ["ann", "bob", "eve"]
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(1, 6, 60)
FRAME = pd.DataFrame(
    {name: (TRUTH + RNG.integers(-1, 2, 60)).clip(1, 5) for name in RATERS}
    | {"site": ["x"] * 30 + ["y"] * 30, "class": np.arange(60) // 2}
)
LABELS = dict(enumerate(["awful", "poor", "fair", "good", "superb"], 1))


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Go to a folder with ratings."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("r.csv", index=False)
    FRAME.replace(LABELS).to_csv("text.csv", index=False)


@pytest.fixture
def call(capsys):
    """Run the command line; return its status and what it printed on both streams."""

    def call(*arguments):
        status = main([str(one) for one in arguments])
        return status, *capsys.readouterr()

    return call


THREE = ["--raters", *RATERS]


def test_the_ratings_are_not_replaced(call):
    """However they are called: nothing is computed, and they stay as they are."""
    FRAME[RATERS].to_excel("r.xlsx", index=False)
    Path("link.xlsx").symlink_to("r.xlsx")
    os.link("r.xlsx", "hard.xlsx")
    Path("link.html").symlink_to("r.csv")
    Path("sub").mkdir()
    for read, option, path in (
        ("r.xlsx", "excel", "r.xlsx"),
        ("r.xlsx", "excel", "./sub/../r.xlsx"),
        ("r.xlsx", "excel", Path("r.xlsx").absolute()),
        ("r.xlsx", "excel", "link.xlsx"),
        ("r.xlsx", "excel", "hard.xlsx"),
        ("link.xlsx", "excel", "r.xlsx"),
        ("r.csv", "html", "link.html"),
    ):
        before = Path(read).read_bytes()
        told = (
            f"pdkappa: --{option} {errors.shown(str(path))} is the file of the ratings, which "
            "would be replaced. Name another file.\n"
        )
        assert call(read, f"--{option}", path) == (2, "", told)
        assert Path(read).read_bytes() == before


@pytest.mark.parametrize(
    ("option", "path", "endings"),
    [
        ("html", "r.csv", ".html or .htm"),
        ("html", "new.xlsx", ".html or .htm"),
        ("html", "new", ".html or .htm"),
        ("excel", "new.html", ".xlsx"),
        ("excel", "new.xls", ".xlsx"),
    ],
)
def test_a_name_says_what_is_in_the_file(option, path, endings, call):
    before = Path("r.csv").read_bytes()
    told = f"pdkappa: --{option} {path!r} must end in {endings}.\n"
    assert call("r.csv", *THREE, f"--{option}", path) == (2, "", told)
    assert Path("r.csv").read_bytes() == before
    assert not list(Path().glob("new*"))


@pytest.mark.needs("jinja2")
def test_existing_files_are_kept_if_asked(call):
    for option, path in (("--excel", "out.xlsx"), ("--html", "out.htm")):
        status, out, told = call("r.csv", *THREE, option, path, "--no-overwrite")
        assert (status, told) == (0, "")
        assert out.endswith(f"\n\nWrote {path}\n")
        before = Path(path).read_bytes()
        status, out, told = call("r.csv", *THREE, option, path, "--no-overwrite")
        assert (status, out) == (2, "")
        assert told == f"pdkappa: [Errno 17] File exists: '{path}'\n"
        assert Path(path).read_bytes() == before


@pytest.mark.needs("jinja2")
def test_the_demo_keeps_what_is_there(call):
    own = [Path("agreement.html"), Path("agreement-2.xlsx")]
    for path in own:
        path.write_text("my own", encoding="utf-8")
    assert call()[1].endswith("\n\nWrote agreement-3.xlsx\nWrote agreement-3.html\n")
    assert [path.read_text(encoding="utf-8") for path in own] == ["my own"] * 2
    assert not Path("agreement.xlsx").exists()


def figures(call, *arguments):
    """Return what a call prints as JSON, and nothing else."""
    status, out, told = call(*arguments, "--json")
    assert (status, told) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=pytest.fail)


def test_weights_are_named_and_both_figures_shown(call):
    for weights, shown in {
        "none": ["estimate", "quadratic"],
        "quadratic": ["estimate", "unweighted"],
        "linear": ["estimate", "unweighted", "quadratic"],
    }.items():
        out = call("r.csv", *THREE, "--weights", weights)[1]
        typed = None if weights == "none" else weights
        for table in ("Agreement of each pair of raters", "Agreement of all raters together"):
            heading = f"{table}, {weights_in_words(typed)}\n\n"
            names = out.split(heading)[1].split("\n")[0].split()
            place = names.index("estimate")
            assert names[place : place + len(shown) + 1] == [*shown, "se"]


def test_two_categories_have_one_figure(call):
    """With weights it would be the same."""
    pd.DataFrame({"a": [1, 2, 1, 2, 2], "b": [1, 2, 2, 2, 1]}).to_csv("two.csv", index=False)
    for weights in ("none", "quadratic"):
        out = call("two.csv", "--weights", weights)[1]
        assert "Agreement of each pair" in out
        assert not re.search(r"^.*estimate +(unweighted|quadratic)", out, re.MULTILINE)


@pytest.mark.needs("openpyxl")
def test_a_workbook_has_the_detail_that_is_named(call):
    sheets = {}
    for detail in ("brief", "full"):
        status, out, _ = call("r.csv", *THREE, "--excel", f"{detail}.xlsx", "--detail", detail)
        assert (status, out.splitlines()[-1]) == (0, f"Wrote {detail}.xlsx")
        with pd.ExcelFile(f"{detail}.xlsx") as book:
            sheets[detail] = book.sheet_names
    assert len(sheets["full"]) > len(sheets["brief"])


def test_groups_have_the_weights_that_are_named(call):
    """None unless they are; text without an order can have no others."""
    by = [*THREE, "--by", "site"]
    scale = ["--categories", *LABELS.values()]
    for arguments, weights in (
        (["r.csv", *THREE], None),
        (["r.csv", *by], None),
        (["r.csv", *by, "--weights", "quadratic"], "quadratic"),
        (["text.csv", *by], None),
        (["text.csv", *by, *scale, "--weights", "quadratic"], "quadratic"),
    ):
        found = figures(call, *arguments)
        assert found["weights"] == weights
        assert f"raters, {weights_in_words(weights)}\n" in call(*arguments)[1]
        expected = FRAME.kappa.pairs(
            RATERS, weights=weights, by="site" if "--by" in arguments else None
        )
        estimates = [pair["estimate"] for pair in found["pairs"]]
        assert estimates == pytest.approx(expected["estimate"].tolist())
    status, out, told = call("text.csv", *by, "--weights", "quadratic")
    assert (status, out) == (2, "")
    assert told.startswith("pdkappa: --weights 'quadratic' needs ordered categories, but")


def test_the_layout_of_json(call):
    FRAME.assign(bob=FRAME["bob"].mask(TRUTH == 2)).to_csv("gaps.csv", index=False)
    found = figures(
        call, "gaps.csv", *THREE, "--by", "site", "--weights", "quadratic", "--excel", "out.xlsx"
    )
    assert list(found) == [
        *("raters", "by", "coefficient", "weights", "n_items", "n_missing", "headline"),
        *("findings", "cautions", "pairs", "agreement", "written"),
    ]
    assert found["raters"] == RATERS
    assert found["by"] == ["site"]
    assert (found["n_items"], found["n_missing"]) == (60, int((TRUTH == 2).sum()))
    assert found["written"] == ["out.xlsx"]
    data = pd.read_csv("gaps.csv")
    found_there = data.kappa.report(RATERS, by="site", weights="quadratic").findings
    assert found["headline"] == found_there.headline
    assert found["cautions"] == [one.text for one in found_there.cautions]
    for name, frame in {
        "pairs": data.kappa.pairs(RATERS, by="site", weights="quadratic"),
        "agreement": data.kappa.agreement(RATERS, by="site", weights="quadratic"),
    }.items():
        assert len(found[name]) == len(frame)
        assert {row["site"] for row in found[name]} == {"x", "y"}
        assert {*frame.columns, "unweighted", "quadratic"} <= found[name][0].keys()
        for row, (_, expected) in zip(found[name], frame.iterrows(), strict=True):
            assert row["estimate"] == row["quadratic"] == pytest.approx(expected["estimate"])
    plain = data.kappa.pairs(RATERS, by="site")["estimate"]
    assert [row["unweighted"] for row in found["pairs"]] == pytest.approx(plain.tolist())


def test_what_was_found_stands_first(call):
    FRAME.to_csv("r.csv", index=False)
    found = repr(pd.read_csv("r.csv").kappa.report(RATERS, by="site").findings)
    assert call("r.csv", *THREE, "--by", "site")[1].startswith(f"{found}\n\nAgreement of each pair")
    with_others = figures(call, "r.csv", *THREE, "--ci", "jackknife")
    assert (
        with_others["headline"]
        == pd.read_csv("r.csv").kappa.report(RATERS, ci="jackknife").findings.headline
    )


def test_what_is_undefined_is_null_in_json(call):
    pd.DataFrame({"a": [1, 1], "b": [1, 1]}).to_csv("same.csv", index=False)
    status, out, told = call("same.csv", "--json")
    assert (status, told.count("\n")) == (0, 1)
    (pair,) = json.loads(out, parse_constant=pytest.fail)["pairs"]
    assert (pair["estimate"], pair["reason"]) == (None, "constant_ratings")
    status, out, _ = call("text.csv", *THREE, "--json")
    assert json.loads(out)["pairs"][0]["quadratic"] is None


def test_any_label_can_be_printed():
    """A terminal need not know the letters of a label."""
    Path("odd.jsonl").write_text(
        '{"ann\\u2192": "\\u2713 x", "bob": "é"}\n{"ann\\u2192": "é", "bob": "é"}\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pdkappa", "odd.jsonl"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1:strict"},
    )
    assert done.returncode == 0, done.stderr
    assert "ann→".encode("latin-1", "backslashreplace") in done.stdout


def test_the_page_does_not_replace_the_workbook(call):
    Path("out.html").symlink_to("out.xlsx")
    status, out, told = call("r.csv", *THREE, "--excel", "out.xlsx", "--html", "out.html")
    assert (status, out) == (2, "")
    assert told == (
        "pdkappa: --html 'out.html' is the file of --excel, which would be replaced. Name another "
        "file.\n"
    )
    assert not Path("out.xlsx").exists()


def test_a_terminal_has_eighty_columns_and_a_pipe_has_all(monkeypatch, capsys):
    wide = ["r.csv", "--raters", *RATERS, "--by", "site"]
    main(wide)
    piped = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(wide)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    shown = " ".join(lines)
    for name in ("se", "p_value", "max_estimate", "n_ratings"):
        assert f" {name} " in piped
        assert f" {name} " not in shown.split("Also: ")[0]
        assert name in shown
    assert "(| cat, or --json)" in shown
