"""Logs of evaluations that each tool's own writer made: the labels read, and what is refused."""

import json
import random
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import exactly
from pdkappa.cli import main
from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    RatingsError,
    UnfinishedLogWarning,
)
from pdkappa.methods.estimates.told import kept

LOGS = Path(__file__).parents[1] / "data/logs"
PASSED = {True: "pass", False: "fail"}


def read(function, *args, **options):
    """Return the wide frame, and the text of the only warning, empty where there is none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ratings = function(*args, **options)
    assert [one.category for one in caught] in ([], [LeftOutWarning])
    assert all(one.filename == __file__ for one in caught)
    assert isinstance(ratings, pdkappa.Ratings)
    return ratings.wide, "".join(str(one.message) for one in caught)


def labels(frame):
    """Return the labels of each column, "-" where there is none."""
    return {name: "".join(map(str, column.fillna("-"))) for name, column in frame.items()}


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("name", ["inspect.eval", "inspect_chunked.eval", "inspect.json"])
def test_inspect_in_all_formats(name):
    """Archives are compressed by Zstandard; a sample is a document, or a folder of its parts."""
    columns = {"topic": "metadata.topic", "asked": "input"}
    judges = ["strict", "mild"]
    frame, remark = read(
        pdkappa.tools.from_inspect, LOGS / name, judges, humans="metadata.ann", columns=columns
    )
    assert frame.index.tolist() == [1, 2, 3, 4, 5, 6]
    found = labels(frame[["ann", "strict", "mild", "topic"]])
    assert found == {"ann": "CCICIP", "strict": "CICICI", "mild": "CCCIC-", "topic": "bababa"}
    assert frame.loc[2, "asked"] == "question 2"
    assert remark == f"1 of 18 annotations in {name!r} is left out: 1 without a label."


@pytest.mark.needs("pyarrow")
def test_inspect_of_scores_with_parts_in_epochs():
    judges = ["rubric.tone", "rubric.depth"]
    frame, _ = read(pdkappa.tools.from_inspect, LOGS / "inspect_epochs.eval", judges)
    assert frame.index.tolist() == [f"{item}/{epoch}" for item in range(1, 7) for epoch in (1, 2)]
    assert labels(frame) == {"rubric.depth": "23" * 6, "rubric.tone": "112200112200"}


@pytest.mark.needs("pyarrow")
def test_logs_by_the_names_of_judges():
    """What people said stands in both logs, and counts once."""
    logs = {"gpt": LOGS / "inspect.eval", "claude": str(LOGS / "inspect.json")}
    said = {"humans": {"one": "metadata.ann", "key": "target"}, "relabel": {"P": None}}
    frame, remark = read(pdkappa.tools.from_inspect, logs, "strict", **said)
    alike = "CICICI"
    assert labels(frame) == {"one": "CCICI-", "claude": alike, "gpt": alike, "key": "C" * 6}
    assert remark == (
        "1 of 24 annotations in 'inspect.eval', 'inspect.json' is left out: 1 without a label."
    )
    frame, _ = read(pdkappa.tools.from_inspect, logs, ["strict", "mild"])
    assert frame.columns.tolist() == ["claude: mild", "claude: strict", "gpt: mild", "gpt: strict"]


def test_inspect_without_pyarrow(monkeypatch, tmp_path, refuses):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refuses():
        pdkappa.tools.from_inspect(LOGS / "inspect.eval")
    path = tmp_path / "deflated.eval"  # as older versions wrote them
    samples = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))["samples"]
    del samples[3]["scores"]["mild"], samples[4]["scores"]  # which failed
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    frame, remark = read(pdkappa.tools.from_inspect, path, ["strict", "mild"])
    assert labels(frame) == {"strict": "CICII", "mild": "CCC--"}
    assert remark == "4 of 12 annotations in 'deflated.eval' are left out: 4 without a label."


SCORE = {
    "once": '"s": {"value": "C"}, "m": {"value": "C"}',
    "a score": '"s": {"value": "C"}, "s": {"value": "I"}, "m": {"value": "C"}',
    "a part": '"m": {"value": {"x": 1, "x": 2, "y": 1}}',
}
ONCE = "holds the field {} more than once. Give each field a name of its own."


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_score_that_a_sample_holds_twice(ending, tmp_path):
    """The last one would count; where nobody looks, it may stand."""
    path, said = tmp_path / f"log.{ending}", {}
    for name, scores in SCORE.items():
        metadata = '"metadata": {"k": 1, "k": 2, "ann": {"eve": "C", "eve": "I"}}'
        samples = [f'{{"id": {at}, "epoch": 1, "scores": {{{scores}}}, {metadata}}}' for at in "12"]
        if ending == "json":
            path.write_text(f'{{"samples": [{", ".join(samples)}]}}', "utf-8")
        else:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("header.json", "{}")
                for at, one in enumerate(samples):
                    archive.writestr(f"samples/{at}_epoch_1.json", one)
        for fields in (None, "metadata.k", "metadata.ann"):
            try:
                pdkappa.tools.from_inspect(path, humans=fields)
            except DuplicateRatingError as error:
                said[name, fields] = str(error)
    of_file = f"A record of 'log.{ending}' "
    of_scores = {"a score": "'s'", "a part": "'x'"}
    assert said.pop(("once", "metadata.k")) == f"{of_file}{ONCE.format(repr('k'))}"
    assert said.pop(("once", "metadata.ann")) == f"{of_file}{ONCE.format(repr('eve'))}"
    assert said == {
        (name, fields): f"{of_file}{ONCE.format(field)}"
        for name, field in of_scores.items()
        for fields in (None, "metadata.k", "metadata.ann")
    }


@pytest.mark.needs("pyarrow")
def test_a_damaged_archive(tmp_path, refuses):
    path = tmp_path / "log.eval"
    content = bytearray((LOGS / "inspect.eval").read_bytes())
    content[content.index(b"samples/1_epoch_1.json", -3000) - 30] ^= 255  # its check sum
    path.write_bytes(bytes(content))
    with pytest.raises(RatingsError, match=r"^'log.eval' cannot be read: Bad CRC-32 for file '"):
        pdkappa.tools.from_inspect(path)
    end = content.rindex(b"PK\x05\x06")  # of the archive, where it says how far its list is
    content[end + 19] = 1
    path.write_bytes(bytes(content))
    with pytest.raises(RatingsError, match=r"^'log.eval' cannot be read: "):
        pdkappa.tools.from_inspect(path)
    path.write_bytes(b"no archive")
    with refuses():
        pdkappa.tools.from_inspect(path)


def test_promptfoo():
    frame, remark = read(
        pdkappa.tools.from_promptfoo,
        LOGS / "promptfoo.json",
        ["strict", "mild", "icontains"],
        humans=["vars.ann", "metadata.bob"],
        columns={"said": "response.output"},
        relabel=PASSED,
    )
    assert remark == ""
    assert frame.pop("said").tolist() == [
        "Say please sit",
        "Say thank you",
        "Say go away",
        "Say no",
    ]
    said = {name: [one[0] for one in column] for name, column in frame.items()}
    assert frame.index.tolist() == [0, 1, 2, 3]
    assert {name: "".join(one) for name, one in said.items()} == {
        "ann": "ppff",
        "bob": "ppff",
        "strict": "pfff",
        "mild": "ppff",
        "icontains": "pfff",
        "icontains #2": "pfff",
    }


def test_promptfoo_of_two_prompts_and_scores():
    frame, _ = read(
        pdkappa.tools.from_promptfoo,
        LOGS / "promptfoo_prompts.jsonl",
        "mild",
        rating="score",
        humans="metadata.bob",
    )
    assert frame.index.tolist() == [f"{test}/{prompt}" for test in range(4) for prompt in (0, 1)]
    assert labels(frame) == {"bob": "11110000", "mild": "42311414"}


def graded(number, *parts):
    """Return a result of promptfoo."""
    return {"testIdx": number, "gradingResult": {"componentResults": list(parts)}}


def part(passed, kind="llm-rubric", **more):
    """Return what an assertion of promptfoo says."""
    return {"pass": passed, "score": 1, "assertion": {"type": kind, **more}}


def test_promptfoo_of_people_and_of_several_providers(tmp_path):
    """Written after the format: its viewer adds a person's rating to those of assertions."""
    path = tmp_path / "out.jsonl"
    results = [
        graded(
            number,
            part(gpt, metric="correct", provider="openai:gpt-5"),
            part(claude, metric="correct", provider={"id": "anthropic:claude", "config": {}}),
            part(ann, "human"),
        )
        for number, (gpt, claude, ann) in enumerate([(1, 1, 1), (0, 1, 0), (0, 0, 1)])
    ]
    results.append({"testIdx": 3, "gradingResult": None, "error": "timeout"})
    path.write_text("\n".join(map(json.dumps, results)), encoding="utf-8")
    frame, _ = read(pdkappa.tools.from_promptfoo, path)
    assert labels(frame) == {
        "human": "101",
        "correct (anthropic:claude)": "110",
        "correct (openai:gpt-5)": "100",
    }
    frame, _ = read(pdkappa.tools.from_promptfoo, path, ["human", "correct (openai:gpt-5)"])
    assert frame.columns.tolist() == ["correct (openai:gpt-5)", "human"]


@pytest.mark.parametrize("name", ["deepeval.json", "deepeval_latest.json"])
def test_deepeval(name):
    options = {"humans": "metadata.human", "relabel": {True: "yes", False: "no"}}
    frame, remark = read(pdkappa.tools.from_deepeval, LOGS / name, "Polite", **options)
    assert remark == ""
    assert frame.index.tolist() == [f"case {number}" for number in range(6)]
    assert {name: "".join(one[0] for one in column) for name, column in frame.items()} == {
        "human": "yynyyn",
        "Polite (judge-a)": "yynyyn",
        "Polite (judge-b)": "yynnyn",
    }
    frame, _ = read(
        pdkappa.tools.from_deepeval, LOGS / name, ["Short", "Polite (judge-a)"], rating="score"
    )
    assert frame["Short"].tolist() == [0.5, 0.5, 0.5, 0.5, 1, 1]
    assert frame["Polite (judge-a)"].tolist() == [1, 1, 0, 1, 1, 0]


def test_deepeval_of_names_that_occur_twice_and_failed_metrics(tmp_path):
    """Written after the format."""
    path = tmp_path / "run.json"
    cases = [
        {
            "name": "case",
            "order": order,
            "metricsData": [
                {"name": "Polite", "success": order > 0},
                {"name": "Short", "success": False, "error": "timeout" if order == 1 else None},
            ],
        }
        for order in range(3)
    ]
    run = {"testCases": cases[:2], "conversationalTestCases": cases[2:]}
    path.write_text(json.dumps(run), encoding="utf-8")
    frame, remark = read(pdkappa.tools.from_deepeval, path, relabel={True: "y", False: "n"})
    assert frame.index.tolist() == ["case/0", "case/1", "case/2"]
    assert labels(frame) == {"Polite": "nyy", "Short": "n-n"}
    assert remark == "1 of 6 annotations in 'run.json' is left out: 1 without a label."


def test_lm_eval_of_choices():
    """Which choice is the likeliest, by its text; the target is the number of one."""
    files = {name: LOGS / f"toy-{name}/mood.jsonl" for name in "ab"}
    frame, _ = read(
        pdkappa.tools.from_lm_eval, files, humans=["target", "doc.annotators"], columns="doc.text"
    )
    assert frame.index.tolist() == [0, 1, 2, 3, 4]
    assert frame.pop("text").tolist() == ["fine", "poor", "great", "awful", "so so"]
    assert {name: "".join(one[0] for one in column) for name, column in frame.items()} == {
        "a": "bbgbg",
        "b": "bbbgg",
        "target": "gbgbb",
        "ann": "gbgbg",
        "bob": "gggbb",
    }
    frame, _ = read(pdkappa.tools.from_lm_eval, files, rating="acc")
    assert labels(frame) == {"a": "0.01.01.01.00.0", "b": "0.01.00.00.00.0"}


def test_lm_eval_of_text_that_a_filter_left(refuses):
    path = LOGS / "toy-a/verdict.jsonl"
    said = {"humans": "target"}
    frame, remark = read(pdkappa.tools.from_lm_eval, path, filter="strict", **said)
    assert frame["target"].tolist() == ["good", "bad", "good", "bad", "bad"]
    assert frame["toy-a"].tolist() == ["[invalid]", "[invalid]", "good", "bad", "good"]
    none = {"[invalid]": None}
    frame, remark = read(pdkappa.tools.from_lm_eval, path, filter="strict", relabel=none, **said)
    assert remark == "2 of 10 annotations in 'verdict.jsonl' are left out: 2 without a label."
    for place, options in enumerate(({}, {"filter": "stric"})):
        with refuses(place):
            pdkappa.tools.from_lm_eval(path, **options)


def test_lm_eval_of_choices_that_differ_and_of_several_answers(tmp_path):
    """Written after the format of older versions, whose arguments are lists."""

    def row(number, choices, likely, target):
        asked = [["question", one] for one in choices]
        return {
            "doc_id": number,
            "target": target,
            "arguments": asked * 2,
            "filtered_resps": [[one, False] for one in likely] + [[9.0, True]] * len(choices),
            "metrics": ["acc", "acc_mutual_info"],
        }

    path = tmp_path / "samples.jsonl"
    rows = [row(0, ["x", "y"], [-2, -1], 1), row(1, ["v", "w"], [-1, -2], "1")]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    frame, _ = read(pdkappa.tools.from_lm_eval, {"toy": path}, humans="target")
    assert labels(frame) == {"target": "11", "toy": "10"}
    texts = [["good", "bad"], ["bad"], [" good\n"]]
    rows = [{"doc_id": at, "filtered_resps": one, "doc": "g"} for at, one in enumerate(texts)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    frame, remark = read(pdkappa.tools.from_lm_eval, {"toy": path}, humans="doc")
    assert frame["toy"].dropna().tolist() == ["bad", "good"]
    assert remark == "1 of 6 annotations in 'samples.jsonl' is left out: 1 without a label."


NESTED = [
    {"meta": {"id": 1}, "said": {"by.ann": "x", "by": {"bob": "y"}}, "gpt": [{"label": "x"}]},
    {"meta": {"id": 2}, "said": {"by.ann": "y", "by": {"bob": "y"}}, "gpt": [{"label": "x"}]},
    {"meta": {"id": 3}, "said": {"by.ann": "y", "by": {}}, "gpt": []},
]


def test_records(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, NESTED)), encoding="utf-8")
    fields = {"ann": "said.by.ann", "people": "said.by", "gpt": "gpt.0.label"}
    for given in (path, NESTED, pd.DataFrame(NESTED)):
        frame, remark = read(
            pdkappa.from_records, given, fields, item="meta.id", columns={"kept": "gpt"}
        )
        assert labels(frame[["ann", "bob", "gpt"]]) == {"ann": "xyy", "bob": "yy-", "gpt": "xx-"}
        assert frame["kept"].tolist()[-1] == "[]"
        assert "1 of 8 annotations" in remark
    frame, _ = read(pdkappa.from_records, NESTED, ["said.by.ann", "said.by.bob"], item="meta.id")
    assert frame.columns.tolist() == ["ann", "bob"]
    again = [{"id": 1, "a": {"label": "x"}, "b": {"label": "y"}}]
    frame, _ = read(pdkappa.from_records, again, ["a.label", "b.label"])
    assert frame.columns.tolist() == ["a.label", "b.label"]


def test_what_is_said_of_a_log_is_a_caution_of_what_is_made_of_it(tmp_path, capsys):
    """It is told once, when the log is read, and stands in each report, which is passed on."""
    log = json.loads((LOGS / "deepeval.json").read_text("utf-8"))
    log["testCases"].pop()
    path = tmp_path / "run.json"
    path.write_text(json.dumps(log), "utf-8")
    with pytest.warns(UnfinishedLogWarning) as caught:
        ratings = pdkappa.tools.from_deepeval(path, "Polite")
    said = str(caught[0].message)
    for data in (ratings, ratings.wide.kappa):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UnfinishedLogWarning)
            made = data.report()
        assert said in made.cautions
    typed = [str(path), "--log", "deepeval", "--raters", *ratings.rater_labels]
    assert main([*typed, "--json"]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out)["cautions"].count(said) == 1
    assert streams.err.count(said) == 1
    votes = [{"id": 1, "votes": ["x", "y", None]}, {"id": 2, "votes": ["x", "x"]}]
    with pytest.warns(LeftOutWarning) as caught:
        ratings = pdkappa.from_votes(votes, "votes")
    assert kept(ratings) == [str(caught[0].message)]


@pytest.mark.needs("pyarrow")
def test_what_is_asked_for_is_checked(refuses):
    calls = [
        *({"judges": one} for one in ("rubric", 3, np.array(3))),
        *({"humans": one} for one in ("metadata.anne", [])),
        *({"columns": one} for one in ({"text": 3}, ["input", "metadata.item"])),
        {"relabel": "C"},
    ]
    for place, options in enumerate(calls):
        with refuses(place):
            pdkappa.tools.from_inspect(LOGS / "inspect.eval", **options)
    with refuses(8):
        pdkappa.tools.from_inspect({})
    for name in ("promptfoo", "deepeval"):
        with refuses(9):
            getattr(pdkappa.tools, f"from_{name}")(LOGS / f"{name}.json", rating="passed")


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.str_])
def test_records_may_hold_what_numpy_has(kind):
    """As rows of a frame do: numbers that are labels and names, arrays, and tuples."""
    said = [[kind(a), kind(b)] for a, b in ((1, 1), (2, 2), (1, 2), (2, 2))]
    rows = [{"id": np.int64(at), "ann": a, "gpt": b} for at, (a, b) in enumerate(said)]
    named = [{"id": at, "votes": {np.int8(7): a, np.int8(8): b}} for at, (a, b) in enumerate(said)]
    for ratings in (pdkappa.from_records(rows, ["ann", "gpt"]), pdkappa.from_votes(named, "votes")):
        assert ratings.pairs()["estimate"].item() == 0.5
    for make in (np.array, tuple):
        votes = [{"id": at, "votes": make(both)} for at, both in enumerate(said)]
        found = pdkappa.from_votes(votes, "votes").agreement(coefficients=["percent"])
        assert found["estimate"].item() == 0.75
    dates = [{"id": 1, "ann": np.datetime64("2026-01-01", "ns"), "gpt": pd.NaT}]
    with pytest.raises(RatingsError, match=r"1 with labels of parts, 1 without a label"):
        pdkappa.from_records(dates, ["ann", "gpt"])


def test_logs_of_other_samples_are_told(tmp_path):
    """Numbers name samples of any task, and would be compared."""
    for name, asked in (("a", "What is 2 + 2?"), ("b", "Who was first?")):
        inputs = [asked, "Same?", "Same!"]
        samples = [
            {"id": at, "epoch": 1, "input": one, "scores": {"s": {"value": "CIC"[at]}}}
            for at, one in enumerate(inputs)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps({"samples": samples}), "utf-8")
    logs = {name: tmp_path / f"{name}.json" for name in "ab"}
    told = (
        "1 item is not the same in all of 'a.json', 'b.json', by what was asked: 0. Pass logs in "
        "which items of one name are the same."
    )
    with pytest.warns(LookalikeLabelsWarning, match=exactly(told)):
        ratings = pdkappa.tools.from_inspect(logs)
    assert ratings.pairs()["n_items"].item() == 3
    assert read(pdkappa.tools.from_inspect, {"a": logs["a"], "c": logs["a"]})[1] == ""


def test_two_records_of_one_name_are_never_one():
    """Also if what they say is the same, which several logs may repeat."""
    rows = [{"id": 1, "ann": "good", "gpt": "good"}] * 2
    with pytest.raises(DuplicateRatingError, match="such as item '1' by 'ann'"):
        pdkappa.from_records([*rows, {"id": 2, "ann": "bad", "gpt": "bad"}], ["ann", "gpt"])


def test_labels_to_rename_must_be_some(refuses):
    """The text "true" is not the label True, and a label that is not there may be a slip."""
    path = LOGS / "deepeval.json"
    with refuses(0):
        pdkappa.tools.from_deepeval(path, "Polite", relabel={"true": "yes", False: "no"})
    both = {"true": "yes", True: "yes", "no": "yes", 1.5: None}
    with refuses(1):
        frame = pdkappa.tools.from_deepeval(path, "Polite", relabel=both).wide
    assert {*frame.to_numpy().ravel()} == {"yes", False}


def test_files_that_are_none_of_the_tool(tmp_path, refuses):
    row = '{"doc_id": 0, "filtered_resps": [[-1], [%s]], "arguments": %s}'
    calls = {
        row % (-2, '[["q", "a"]]'): "lm_eval",
        row % ("null", '[["q", "a"], ["q", "b"]]'): "lm_eval",
        '{"eval": {}}': "inspect",
        '{"results": {"version": 3}}': "promptfoo",
        '{"a": 1}': "deepeval",
        '[{"a": 1}]': "lm_eval",
        '{"samples": [{"id": 1, "scores": ["C"]}]}': "inspect",
        '{"samples": [}': "inspect",
        "[]": "inspect",
    }
    path = tmp_path / "log.json"
    for place, (content, tool) in enumerate(calls.items()):
        path.write_text(content, encoding="utf-8")
        with refuses(place):
            getattr(pdkappa.tools, f"from_{tool}")(path)


def test_a_sample_twice(tmp_path):
    path = tmp_path / "log.json"
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    log["samples"].append({**log["samples"][0], "id": 2})
    path.write_text(json.dumps(log), encoding="utf-8")
    with pytest.raises(DuplicateRatingError, match="2/1"):
        pdkappa.tools.from_inspect(path, "strict", humans="target")


JUNK = [None, "", "x", 3, -1.5, True, float("nan"), [], {}, [[]], [{}], {"a": []}, 10**30]
GOOD = {
    "inspect.json": lambda path: pdkappa.tools.from_inspect(path, humans="metadata.ann"),
    "promptfoo.json": lambda path: pdkappa.tools.from_promptfoo(path, humans="vars.ann"),
    "deepeval.json": pdkappa.tools.from_deepeval,
    "toy-a/mood.jsonl": lambda path: pdkappa.tools.from_lm_eval(path, humans=["target", "doc"]),
}


def mutated(value, chance, rate):
    """Replace some parts of a document by junk, or drop them."""
    if chance.random() < rate:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        kept = [name for name in value if chance.random() > rate]
        return {name: mutated(value[name], chance, rate) for name in kept}
    if isinstance(value, list):
        return [mutated(one, chance, rate) for one in value]
    return value


def test_only_our_errors_come_from_malformed_logs(tmp_path):
    chance, n_read = random.Random("mutants of logs"), 0  # noqa: S311
    for name, read_it in GOOD.items():
        text, path = (LOGS / name).read_text(encoding="utf-8"), tmp_path / Path(name).name
        is_lines = name.endswith(".jsonl")
        documents = list(map(json.loads, text.splitlines() if is_lines else [text]))
        for _ in range(30):
            made = [mutated(one, chance, chance.choice([0.001, 0.01, 0.03])) for one in documents]
            path.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KappaWarning)
                try:
                    ratings = read_it(path)
                    n_read += 1
                    ratings.pairs()
                except KappaError:
                    pass
    assert n_read > 15
