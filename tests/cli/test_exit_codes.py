"""What `check` says of every kind of file: the table of exit codes in the documentation."""

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import pdkappa
from pdkappa.cli import main

GOOD = "1,1,x\n2,2,x\n1,1,x\n2,2,y\n1,1,y\n2,2,y\n"
LOW = "1,2,x\n2,1,x\n1,2,x\n2,1,x\n"
FILES = {
    "all groups are high": ("0", GOOD, True, {}),
    "one is low": ("1", GOOD + LOW, False, {"n_short": 1}),
    "one is undefined": ("1", GOOD + "1,1,z\n1,1,z\n", False, {"n_short": 1}),
    "no rows": ("2", "", None, {"n_checked": 0, "cannot_tell": ["nothing was compared"]}),
    "no group at all": ("2", "1,1,\n2,2,\n", None, {"n_checked": 0, "n_without_group": 2}),
    "items without a group": ("2", GOOD + "1,2,\n", None, {"n_without_group": 1, "n_short": 0}),
    "an empty group": ("2", GOOD + "1,,z\n,2,z\n", None, {"n_empty": 1, "n_short": 0}),
    "a rater who rated nothing": ("2", ",1,x\n,2,x\n", None, {"n_empty": 1, "n_short": 0}),
    "low, and items without a group": (
        "1",
        GOOD + LOW + "1,1,\n",
        False,
        {"cannot_tell": ["items without a group: 1"]},
    ),
}
COMMON = ("--weights", "none", "--on", "estimate", "--min", "0.5", "--json")
pytestmark = pytest.mark.filterwarnings("error::Warning")


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_a_file(tmp_path, capsys, case):
    code, rows, holds, told = case
    path = tmp_path / "r.csv"
    path.write_text(f"ann,bob,site\n{rows}", "utf-8")
    assert main(["check", str(path), "--by", "site", *COMMON]) == int(code)
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is holds
    assert {name: found[name] for name in told} == told
    assert bool(found["cannot_tell"]) >= (holds is None)


def test_no_rows_without_groups(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("ann,bob\n", "utf-8")
    assert main(["check", str(path), "--min", "0"]) == 2
    assert capsys.readouterr().out.startswith(
        "CANNOT TELL: ci_low >= 0 for 0 of 1 pair; the lowest is nan.\n"
        "Not told: 1 of 1 have no item to compare.\n"
    )
    assert main(["check", str(path), "--min", "0", "--of", "all"]) == 2


def test_a_rater_who_rated_nothing_is_missed_among_all_together(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("ann,bob,eve\n1,1,\n2,2,\n1,1,\n", "utf-8")
    for named in ([], ["--raters", "ann", "bob", "eve"]):
        assert main(["check", str(path), "--of", "all", *named, *COMMON]) == 2
        assert json.loads(capsys.readouterr().out)["cannot_tell"] == ["'eve' rated nothing"]
    assert main(["check", str(path), "--of", "all", "--raters", "ann", "bob", *COMMON]) == 0


def test_a_column_without_a_name_is_not_left_out_in_silence(tmp_path, capsys):
    """Where it counts the rows, it is."""
    path = tmp_path / "r.csv"
    for first, status in (("0123456789", 0), ("0123401234", 2)):
        rows = [f"{one},{k % 2 + 7},{k % 2 + 7}\n" for k, one in enumerate(first)]
        path.write_text(f",ann,bob\n{''.join(rows)}", "utf-8")
        assert main(["check", str(path), *COMMON]) == status
        streams = capsys.readouterr()
        told = ["a column without a name is left out: name --raters"] if status else []
        found = json.loads(streams.out)
        assert (found["cannot_tell"], found["cautions"]) == (told, [])
        assert ("'Unnamed: 0' (it has no name)" in streams.err) == bool(status)
    path.write_text(",ann\n0,7\n1,8\n", "utf-8")
    assert main(["check", str(path), *COMMON]) == 2
    assert ", got 1 in columns 'ann', without 'Unnamed: 0' (it has no name). " in (
        capsys.readouterr().err
    )


def test_a_rater_with_labels_of_another_spelling_is_not_left_out_in_silence(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("ann,bob,eve\n" + "yes,yes,Yes\nno,no,No\n" * 9, "utf-8")
    call = ["check", str(path), *COMMON]
    assert main(call) == 2
    streams = capsys.readouterr()
    told = ["no label of the others is in 'eve': name --raters"]
    assert json.loads(streams.out)["cannot_tell"] == told
    assert "left out: 'eve'" in streams.err
    assert main([*call, "--raters", "ann", "bob"]) == 0
    assert main([*call, "--raters", "ann", "bob", "eve"]) == 1


def test_numbers_beyond_those_of_the_others_are_not_left_out_in_silence(tmp_path, capsys):
    path = tmp_path / "r.csv"
    rows = [f"{at % 2},{at % 2},{at // 3}\n" for at in range(60)]
    path.write_text("ann,bob,patient\n" + "".join(rows), "utf-8")
    call = ["check", str(path), *COMMON]
    assert main(call) == 2
    told = ["most numbers of 'patient' are beyond the others: name --raters"]
    assert json.loads(capsys.readouterr().out)["cannot_tell"] == told
    assert main([*call, "--raters", "ann", "bob"]) == 0


SAMPLES = [
    {"id": at, "epoch": 1, "metadata": {"ann": said}, "scores": {"strict": {"value": said}}}
    for at, said in enumerate("CICICI")
]
HEADER = {"status": "success", "eval": {"dataset": {"sample_ids": [*range(6)]}}}


def archive(path, header, n_samples):
    """Write a log of Inspect."""
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("_journal/start.json", json.dumps({"eval": HEADER["eval"]}))
        if header is not None:
            file.writestr("header.json", json.dumps(header))
        for one in SAMPLES[:n_samples]:
            file.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))


LOGS = {
    "whole": (HEADER, 6, ""),
    "started": (HEADER | {"status": "started"}, 4, "its status is 'started', it holds 4 of 6 "),
    "error": (HEADER | {"status": "error"}, 6, "its status is 'error', it holds 6 of 6 "),
    "cancelled": (HEADER | {"status": "cancelled"}, 5, "its status is 'cancelled', it holds 5 of "),
    "no header": (None, 6, "its status is 'no header.json', it holds 6 of 6 announced "),
    "few": (HEADER, 5, "it holds 5 of 6 announced records. Run the evaluation to its end"),
    "failed": (
        HEADER | {"results": {"total_samples": 6, "completed_samples": 4}},
        6,
        "it holds 6 of 6 announced records, 2 of them failed.",
    ),
}


@pytest.mark.parametrize(("header", "n_samples", "said"), LOGS.values(), ids=LOGS)
def test_a_log(tmp_path, capsys, header, n_samples, said):
    path = tmp_path / "run.eval"
    archive(path, header, n_samples)
    call = ["check", str(path), "--humans", "metadata.ann", *COMMON]
    assert main(call) == (2 if said else 0)
    streams = capsys.readouterr()
    assert json.loads(streams.out)["holds"] is (None if said else True)
    if said:
        assert streams.err.startswith(f"pdkappa: 'run.eval' is not the whole log: {said}")
    assert main([*call, "--partial"]) == 0
    assert capsys.readouterr().err == streams.err
    stricter = [{"0.5": "1", "estimate": "ci_low"}.get(word, word) for word in call]
    assert main([*stricter, "--partial"]) == 1


def test_other_logs_that_are_not_whole(tmp_path):
    def refused(reader, name, document, said, **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
        with pytest.warns(pdkappa.errors.UnfinishedLogWarning) as caught:
            reader(path, **options)
        message = (
            f"{path.name!r} is not the whole log: {said}. Run the evaluation to its end, or take "
            "the figures for a part of it."
        )
        assert [str(one.message) for one in caught] == [message]

    folder = Path(__file__).parents[1] / "data/logs"
    log = json.loads((folder / "promptfoo.json").read_text("utf-8"))
    log["results"]["stats"] |= {"errors": 2}
    said = "it holds 4 of 6 announced records, 2 of them failed"
    refused(pdkappa.tools.from_promptfoo, "p.json", log, said)
    log = json.loads((folder / "deepeval.json").read_text("utf-8"))
    log["testCases"].pop()
    refused(pdkappa.tools.from_deepeval, "d.json", log, "it holds 5 of 6 announced records")
    time = "2026-11-23T05-00-00"
    results = {"n-samples": {"mood": {"original": 9, "effective": 9}}}
    (tmp_path / f"results_{time}.json").write_text(json.dumps(results), "utf-8")
    text = (folder / "toy-a/mood.jsonl").read_text("utf-8")
    n_found = len(text.splitlines())
    said = f"it holds {n_found} of 9 announced records"
    refused(pdkappa.tools.from_lm_eval, f"samples_mood_{time}.jsonl", text, said, humans="target")


def test_the_documented_table():
    """Each case above has its row in the documentation, with the same status."""
    text = (Path(__file__).parents[2] / "docs/command-line.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    documented = {row[0]: row[1] for row in rows if len(row) == 3 and row[1] in {"0", "1", "2"}}
    assert {name: documented.get(name) for name in FILES} == {
        name: one[0] for name, one in FILES.items()
    }
    assert documented["a log that is not whole"] == "2"
