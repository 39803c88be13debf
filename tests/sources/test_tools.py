"""Files of annotation tools: the labels that are read, and what is left out."""

import copy
import json
import random
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import MESSAGES
from pdkappa.errors import DuplicateRatingError, KappaError, LeftOutWarning, LookalikeLabelsWarning


def write(path, text):
    """Write a file and return its path."""
    path.write_text(text, encoding="utf-8")
    return path


def lines(path, records):
    """Write JSON lines."""
    return write(path, "".join(json.dumps(record) + "\n" for record in records))


def exported(path, content):
    """Write text, or records as the ending of the path has it."""
    if isinstance(content, str):
        return write(path, content)
    if path.suffix == ".csv":  # as far as it goes
        rows = [one if isinstance(one, dict) else {"x": one} for one in content]
        return write(path, pd.DataFrame(rows).to_csv(index=False))
    return lines(path, content) if path.suffix == ".jsonl" else write(path, json.dumps(content))


# The readers of files, each of a path.
MOOD = partial(pdkappa.tools.from_label_studio, control="mood")
PRODIGY, VOTES = pdkappa.tools.from_prodigy, pdkappa.from_votes
TURK = partial(pdkappa.tools.from_mturk, answer="Answer.x")
ARGILLA = partial(pdkappa.tools.from_argilla, question="mood")


def doccano(path):
    """Read the only file of a user."""
    return pdkappa.tools.from_doccano([path])


def labels(ratings):
    """Return the label of each rater and item, without the missing ones."""
    return {rater: column.dropna().to_dict() for rater, column in ratings.wide.items()}


def read(function, *args, **options):
    """Return the labels, and what is said of those left out and of words for missing ones."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ratings = function(*args, **options)
    assert {one.category for one in caught} <= {LeftOutWarning, LookalikeLabelsWarning}
    assert all(one.filename == __file__ for one in caught)
    assert len(caught) <= 2
    assert isinstance(ratings, pdkappa.Ratings)
    return labels(ratings), " ".join(str(one.message) for one in caught)


def of_words(number, source, words):
    """Say that labels are words for missing values."""
    return (
        f" Words for missing values are labels in {source!r}, {number} in all: {words}. In tables "
        "that pandas or scan reads they are not. If they are none, leave them out of the file."
    )


CSV = """\
"annotation_id","annotator","created_at","id","lead_time","mood","stars","text","was_cancelled"
11,"ann@x.org","2024-01-01T00:00:00Z",1,3.5,"None","[{""rating"": 4}]","fine",False
12,"bob@x.org","2024-01-01T00:00:00Z",1,2.5,"good","[{""rating"": 5}]","fine",False
13,"ann@x.org","2024-01-01T00:00:00Z",2,1.5,"{""choices"": [""good"", ""bad""]}","","poor",False
14,"bob@x.org","2024-01-01T00:00:00Z",2,1.5,"bad","[{""rating"": 1}]","poor",False
15,"ann@x.org","2024-01-01T00:00:00Z",3,1.5,"","","none",True
16,"bob@x.org","2024-01-01T00:00:00Z",3,1.5,"","[{""rating"": 2}]","none",False
17,"ann@x.org","2024-01-01T00:00:00Z",4,1.5,"[bad","[{""rating"": 2}]","none",False
"""


def test_label_studio_csv(tmp_path):
    path = write(tmp_path / "tasks.csv", CSV)
    found, remark = read(pdkappa.tools.from_label_studio, path, "mood")
    assert found == {
        "ann@x.org": {1: {"None"}, 2: {"good", "bad"}, 4: {"[bad"}},
        "bob@x.org": {1: {"good"}, 2: {"bad"}},
    }
    assert remark == (
        "2 of 7 annotations in 'tasks.csv' are left out: 1 cancelled, 1 without a label."
        + of_words(1, "tasks.csv", "'None'")
    )
    found, remark = read(pdkappa.tools.from_label_studio, str(path), "stars")
    assert found == {"ann@x.org": {1: 4, 4: 2}, "bob@x.org": {1: 5, 2: 1, 3: 2}}
    assert remark == (
        "2 of 7 annotations in 'tasks.csv' are left out: 1 without a label, 1 cancelled."
    )


MINIMAL = [
    {"text": "fine", "id": 1, "mood": "good", "annotator": 3, "annotation_id": 11},
    {"text": "fine", "id": 1, "mood": "bad", "annotator": 4, "annotation_id": 12},
    {"text": "poor", "id": 2, "mood": {"choices": ["bad", "good"]}, "annotator": 3},
    {"text": "poor", "id": 2, "mood": [{"start": 0, "end": 4, "labels": ["X"]}], "annotator": 4},
    {"text": "none", "id": 3, "annotator": 4, "annotation_id": 15},
]


def test_label_studio_json_min(tmp_path):
    path = write(tmp_path / "min.json", "\ufeff" + json.dumps(MINIMAL))
    found, remark = read(pdkappa.tools.from_label_studio, path, "mood")
    assert found == {3: {1: {"good"}, 2: {"good", "bad"}}, 4: {1: {"bad"}}}
    assert remark == (
        "2 of 5 annotations in 'min.json' are left out: 1 with labels of parts, 1 without a label. "
        "Spans of text, one in each row of a frame, go to pdkappa.from_spans."
    )


def choice(*chosen, name="mood", **place):
    """Return a result of Label Studio."""
    value = {"choices": list(chosen), **place}
    return {"from_name": name, "to_name": "text", "type": "choices", "value": value}


def annotation(who, *results, cancelled=False):
    """Return an annotation of Label Studio."""
    return {"completed_by": who, "was_cancelled": cancelled, "result": list(results)}


ANN, BOB = {"id": 3, "email": "ann@x.org"}, {"id": 4}
RATING = {"from_name": "stars", "type": "rating", "value": {"rating": 4}}
SPAN = choice("good", start=0, end=4)
TASKS = [
    {
        "id": 1,
        "data": {"text": "fine"},
        "annotations": [annotation(ANN, choice("good"), RATING), annotation(BOB, choice("good"))],
    },
    {
        "id": 2,
        "annotations": [
            annotation(ANN, choice("bad", "good")),
            annotation(BOB, RATING),
            annotation({"id": 5}, SPAN),
            annotation({"id": 6}, choice("bad"), choice("bad")),
            annotation({"id": 7}, choice("bad"), cancelled=True),
        ],
    },
    {"id": 3, "annotations": []},
    {"id": 4, "annotations": [annotation(BOB, choice("bad"))]},
]


def test_label_studio_json(tmp_path):
    path = write(tmp_path / "tasks.json", json.dumps(TASKS, indent=1))
    found, remark = read(pdkappa.tools.from_label_studio, path, "mood")
    assert found == {
        "ann@x.org": {1: {"good"}, 2: {"good", "bad"}},
        4: {1: {"good"}, 4: {"bad"}},
        6: {2: {"bad"}},
    }
    assert remark == (
        "3 of 8 annotations in 'tasks.json' are left out: 1 without a label, 1 with labels of "
        "parts, 1 cancelled. Spans of text, one in each row of a frame, go to pdkappa.from_spans."
    )
    found, _ = read(pdkappa.tools.from_label_studio, path, "stars")
    assert found == {"ann@x.org": {1: 4}, 4: {2: 4}}


def test_label_studio_taxonomy(tmp_path):
    """A choice of a taxonomy is the way to it, which all of an export are lists of."""
    paths = [["animal", "dog"]], [["animal"], ["plant", "oak"]]
    values = [{"taxonomy": one} for one in paths]
    whole = [annotation(3, {"from_name": "kind", "type": "taxonomy", "value": x}) for x in values]
    short = [{"id": 1, "annotator": 3, "kind": [one]} for one in values]
    for tasks in (
        [{"id": at, "annotations": [one]} for at, one in enumerate(whole)],
        [{**one, "id": at} for at, one in enumerate(short)],
    ):
        path = write(tmp_path / "tasks.json", json.dumps(tasks))
        found, _ = read(pdkappa.tools.from_label_studio, path, "kind")
        assert found == {3: {0: {"animal/dog"}, 1: {"animal", "plant/oak"}}}


def task(number, who, answer="accept", **more):
    """Return an answer of Prodigy."""
    hashes = {"_input_hash": number, "_task_hash": 10 * number}
    return {"text": "...", **hashes, "_session_id": f"moods-{who}", "answer": answer, **more}


def chosen(number, who, *accept, answer="accept"):
    """Return an answer of Prodigy where there are options."""
    options = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]
    return task(number, who, answer, options=options, accept=list(accept), _view_id="choice")


def test_prodigy_choices(tmp_path):
    answers = [
        chosen(1, "ann", "good"),
        chosen(1, "bob", "bad"),
        chosen(2, "ann", "good", "bad"),
        chosen(2, "bob"),
        chosen(3, "ann", "good", answer="reject"),
        chosen(3, "bob", "good", answer="ignore"),
        chosen(4, "bob", "good"),
    ]
    path = lines(tmp_path / "moods.jsonl", answers)
    found, remark = read(pdkappa.tools.from_prodigy, path)
    assert found == {
        "moods-ann": {1: {"good"}, 2: {"good", "bad"}},
        "moods-bob": {1: {"bad"}, 4: {"good"}},
    }
    assert remark == (
        "3 of 7 annotations in 'moods.jsonl' are left out: 1 without a label, 1 rejected, 1 "
        "ignored."
    )


def test_prodigy_yes_or_no(tmp_path):
    """One file for each annotator, and suggestions that spans belong to."""
    span = {"spans": [{"start": 0, "end": 4, "label": "X"}]}
    ann = [task(1, "ann", label="X"), task(2, "ann", "reject", **span), task(3, "ann", "ignore")]
    bob = [task(1, "bob", "reject"), task(2, "bob", "reject", **span)]
    bob.append(task(3, "bob", _view_id="ner_manual", **span))
    paths = [lines(tmp_path / "ann.jsonl", ann), lines(tmp_path / "bob.jsonl", bob)]
    found, remark = read(pdkappa.tools.from_prodigy, paths)
    assert found == {
        "moods-ann": {10: "accept", 20: "reject"},
        "moods-bob": {10: "reject", 20: "reject"},
    }
    assert remark == (
        "2 of 6 annotations in 'ann.jsonl', 'bob.jsonl' are left out: 1 ignored, 1 with labels "
        "of parts. Spans of text, one in each row of a frame, go to pdkappa.from_spans."
    )


def test_an_answer_without_a_session(tmp_path, refuses):
    path = lines(tmp_path / "moods.jsonl", [{**chosen(1, "ann", "good"), "_session_id": None}])
    with refuses():
        pdkappa.tools.from_prodigy(path)


DOCCANO = {
    "ann": [
        {"id": 1, "text": "fine", "label": ["good"], "Comments": []},
        {"id": 2, "text": "poor", "label": ["bad", "good"], "Comments": []},
        {"id": 3, "text": "none", "label": [], "Comments": []},
    ],
    "bob": [
        {"id": 1, "text": "fine", "label": ["bad"], "Comments": []},
        {"id": 2, "text": "poor", "label": [[0, 4, "X"]], "Comments": []},
        {"id": 3, "text": "none", "label": ["bad"], "Comments": []},
    ],
}


def test_doccano_json_lines(tmp_path):
    write(tmp_path / "README.md", "not one of the files")
    paths = [lines(tmp_path / f"{user}.jsonl", records) for user, records in DOCCANO.items()]
    for given in (paths, tmp_path, str(tmp_path), {"ann": paths[0], "bob": paths[1]}):
        found, remark = read(pdkappa.tools.from_doccano, given)
        assert found == {"ann": {1: {"good"}, 2: {"good", "bad"}}, "bob": {1: {"bad"}, 3: {"bad"}}}
        assert remark == (
            "2 of 6 annotations in 'ann.jsonl', 'bob.jsonl' are left out: 1 without a label, 1 "
            "with labels of parts. Spans of text, one in each row of a frame, go to "
            "pdkappa.from_spans."
        )


def test_doccano_csv_and_json(tmp_path):
    ann = write(tmp_path / "ann.csv", "id,text,label\n1,fine,good\n2,poor,bad#good\n3,none,\n")
    bob = write(tmp_path / "bob.json", json.dumps([{"id": 1, "label": ["good"]}]))
    found, remark = read(pdkappa.tools.from_doccano, [ann, bob])
    assert found == {"ann": {1: {"good"}, 2: {"good", "bad"}}, "bob": {1: {"good"}}}
    assert remark == ("1 of 4 annotations in 'ann.csv', 'bob.json' is left out: 1 without a label.")


def test_a_label_that_is_given_twice_is_no_set(tmp_path):
    records = [{"id": 1, "label": ["good"] * 2}, {"id": 2, "label": ["bad"]}]
    paths = [lines(tmp_path / f"{user}.jsonl", records) for user in ("ann", "bob")]
    found = pdkappa.tools.from_doccano(paths).confusion("ann", "bob")
    assert found.index.tolist() == ["bad", "good"]


def test_two_files_of_one_user(refuses):
    with refuses():
        pdkappa.tools.from_doccano(["a/ann.jsonl", "b/ann.csv"])


def record(number, moods, users, status):
    """Return a flattened record of Argilla."""
    sides = {"": moods, ".users": users, ".status": status}
    held = {f"mood.responses{side}": values for side, values in sides.items()}
    return {"id": number, "text": "...", "mood.suggestion": "good", **held}


def test_argilla(tmp_path):
    done = ["submitted"] * 2
    records = [
        record("r1", ["good", "bad"], ["u1", "u2"], done),
        record("r2", ["good", None], ["u1", "u2"], ["draft", "discarded"]),
        record("r3", [["good", "bad"], ["bad"]], ["u1", "u2"], ["submitted", None]),
        record("r4", None, None, None),
    ]
    remark = "2 of 6 annotations in {} are left out: 1 draft, 1 discarded."
    labels = {"u1": {"r1": {"good"}, "r3": {"good", "bad"}}, "u2": {"r1": {"bad"}, "r3": {"bad"}}}
    assert read(ARGILLA, records) == (labels, remark.format("the records"))
    for name in ("records.json", "records.jsonl"):
        found = read(ARGILLA, exported(tmp_path / name, records))
        assert found == (labels, remark.format(repr(name)))


BATCH = pd.DataFrame(
    {
        "HITId": ["h1", "h1", "h2", "h2", "h3", "h3"],
        "WorkerId": ["w1", "w2"] * 3,
        "AssignmentStatus": ["Approved"] * 2 + ["Submitted", "Rejected"] + ["Approved"] * 2,
        "Input.text": ["fine", "fine", "poor", "poor", "none", "none"],
        "Answer.mood": ["NA", "bad", "bad", "bad", "good", None],
        "Answer.tone.good": [True, False, True, True, False, True],
        "Answer.tone.bad": [False, True, False, False, False, True],
    }
)


def test_mturk(tmp_path):
    path = tmp_path / "batch.csv"
    BATCH.to_csv(path, index=False)
    found, remark = read(pdkappa.tools.from_mturk, path, "Answer.mood")
    assert found == {"w1": {"h1": "NA", "h2": "bad", "h3": "good"}, "w2": {"h1": "bad"}}
    assert remark == (
        "2 of 6 annotations in 'batch.csv' are left out: 1 rejected, 1 without a label."
        + of_words(1, "batch.csv", "'NA'")
    )
    found, remark = read(pdkappa.tools.from_mturk, path, "Answer.tone", item="Input.text")
    assert found == {
        "w1": {"fine": {"good"}, "poor": {"good"}},
        "w2": {"fine": {"bad"}, "none": {"good", "bad"}},
    }
    assert remark == (
        "2 of 6 annotations in 'batch.csv' are left out: 1 rejected, 1 without a label."
    )


def test_boxes_with_blanks_are_floats(tmp_path):
    boxes = {"Answer.tone.good": [1, 0, 1, 1, 0, None], "Answer.tone.bad": [0, 1, 0, 0, None, 1]}
    path = tmp_path / "batch.csv"
    BATCH.assign(**boxes).to_csv(path, index=False)
    found, _ = read(pdkappa.tools.from_mturk, path, "Answer.tone")
    assert found == {"w1": {"h1": "good", "h2": "good"}, "w2": {"h1": "bad", "h3": "bad"}}


NESTED = [
    {"id": 1, "text": "...", "annotators": {"ann": "good", "bob": "good", "eve": None}},
    {"id": 2, "text": "...", "annotators": {"ann": "bad", "bob": "good"}},
    {"id": 3, "text": "..."},
]


def test_annotators_inside_of_their_items(tmp_path):
    path = lines(tmp_path / "items.jsonl", NESTED)
    expected = {"ann": {1: "good", 2: "bad"}, "bob": {1: "good", 2: "good"}}
    source = "1 of 5 annotations in {} is left out: 1 without a label."
    for given, name in (
        (path, "'items.jsonl'"),
        (NESTED, "the records"),
        (pd.DataFrame(NESTED), "the records"),
    ):
        assert read(pdkappa.from_votes, given) == (expected, source.format(name))
    several = [{"id": 1, "who": {"ann": ["x", "y"], "bob": "x"}}, {"id": 2, "who": {"ann": "y"}}]
    found, _ = read(pdkappa.from_votes, several, "who")
    assert found == {"ann": {1: {"x", "y"}, 2: {"y"}}, "bob": {1: {"x"}}}
    spans = [{"id": 1, "who": {"ann": [{"start": 0}], "bob": "x"}}]
    found, remark = read(pdkappa.from_votes, spans, "who")
    assert found == {"bob": {1: "x"}}
    assert remark.startswith("1 of 2 annotations in the records is left out: 1 with labels of p")


def test_lists_of_votes(tmp_path):
    """Of raters whom another field lists; without it, nobody knows who they are."""
    records = [
        {"text": "fine", "votes": [1, 1, 0], "workers": ["u", "v", "w"]},
        {"text": "poor", "votes": [0, None], "workers": ["v", "w"]},
        {"text": "none", "votes": [], "workers": []},
    ]
    path = lines(tmp_path / "votes.jsonl", records)
    options = {"votes": "votes", "item": "text"}
    found, _ = read(pdkappa.from_votes, path, raters="workers", **options)
    assert found == {"u": {"fine": 1}, "v": {"fine": 1, "poor": 0}, "w": {"fine": 0}}
    with pytest.warns(LeftOutWarning, match="1 of 5 .* 1 without a label"):
        ratings = pdkappa.from_votes(path, **options)
    consensus = ratings.consensus()
    assert consensus["label"].to_dict() == {"fine": 1, "poor": 0}
    assert consensus["n_ratings"].tolist() == [3, 1]
    votes = {"x": [2, 0, 1], "y": [1, 3, 1]}
    counts = pdkappa.from_counts(pd.DataFrame(votes))
    records = [
        {"id": at, "annotators": ["x"] * x + ["y"] * y}
        for at, (x, y) in enumerate(zip(*votes.values(), strict=True))
    ]
    same = pdkappa.from_votes(records)
    assert same.agreement()["estimate"].equals(counts.agreement()["estimate"])
    sets = [{"id": 1, "annotators": [["x", "y"], ["x"], ["y", "x"]]}]
    assert pdkappa.from_votes(sets).consensus()["label"].tolist() == [{"x", "y"}]


def test_nothing_is_read_twice(tmp_path):
    path = lines(tmp_path / "moods.jsonl", [chosen(1, "ann", "good")] * 2)
    with pytest.raises(DuplicateRatingError, match="such as item 1 by 'moods-ann'"):
        pdkappa.tools.from_prodigy(path)


# A reader, the name of a file, and what is in it; or the records themselves.
REFUSED = {
    "control": (partial(MOOD, control="moods"), "t.csv", CSV),
    "control of tasks": (partial(MOOD, control="tone"), "t.json", TASKS),
    "session": (PRODIGY, "a.jsonl", [{"_input_hash": 1}]),
    "label": (doccano, "ann.jsonl", [{"id": 1}]),
    "no row": (MOOD, "t.csv", "id,annotator,mood\n"),
    "nothing": (PRODIGY, "a.jsonl", "\n"),
    "question": (ARGILLA, None, [{"id": 1, "text": "..."}]),
    "status": (ARGILLA, None, [{"id": 1, "mood.responses": [], "mood.responses.users": []}]),
    "no name": (partial(VOTES, votes=np.array([])), None, NESTED),
    "votes": (partial(VOTES, votes="annotator"), None, NESTED),
    "worker": (TURK, "b.csv", "HITId,Answer.x\n1,2\n"),
    "tasks without annotations": (MOOD, "t.json", [TASKS[0], {"id": 2}]),
    "annotations that are text": (MOOD, "t.json", [{"id": 1, "annotations": ["good"]}]),
    "a control without a name": (
        *(MOOD, "t.json"),
        [{"id": 1, "annotations": [{"result": [{"from_name": ["mood"]}]}]}],
    ),
    "no annotator": (
        *(MOOD, "t.json"),
        [{"id": 1, "annotations": [annotation(None, choice("good"))]}],
    ),
    "a row without an item": (TURK, "b.csv", "HITId,WorkerId,Answer.x\nh,w,1\n,w,2\n"),
    "no decision": (PRODIGY, "a.jsonl", [task(1, "ann", "yes")]),
    "fewer users than responses": (
        *(ARGILLA, None),
        [record(1, ["good", "bad"], ["u"], ["draft"] * 2)],
    ),
    "a response that is no list": (ARGILLA, None, [record(1, "good", "user", "done")]),
    "votes that are text": (VOTES, None, [{"id": 1, "annotators": "x,y"}]),
    "votes of both kinds": (VOTES, None, [NESTED[0], {"id": 2, "annotators": ["x"]}]),
    "fewer raters than votes": (
        *(partial(VOTES, votes="v", raters="r"), None),
        [{"id": 1, "v": ["x", "y"], "r": ["u"]}],
    ),
    "votes on no item": (VOTES, None, [{"id": None, "annotators": ["x"]}]),
    "records that are none": (ARGILLA, None, [record(1, ["a"], ["u"], [None]), 7]),
    "one record": (ARGILLA, None, 5),
    "no JSON": (doccano, "ann.jsonl", "id,label\n"),
    "no records": (doccano, "ann.jsonl", "[1, 2]"),
    "a label that holds the sign between labels": (
        *(doccano, "ann.csv"),
        "id,label\n1,C#Java\n2,C#\n",
    ),
    "a label with the sign within it": (doccano, "ann.csv", "id,label\n1,F# major\n"),
    "no file": (pdkappa.tools.from_doccano, None, []),
    "a workbook": (doccano, "ann.xlsx", "PK"),
    "no label": (doccano, "ann.jsonl", '{"id": 1, "label": []}\n'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_tool_did_not_write_is_refused(tmp_path, name):
    error, message = MESSAGES["tools"][name]
    reader, file, content = REFUSED[name]
    with pytest.raises(KappaError) as caught:
        reader(content if file is None else exported(tmp_path / file, content))
    assert (type(caught.value).__name__, str(caught.value)) == (error, message)


def test_lines_of_a_tool_end_at_the_end_of_a_line(tmp_path):
    """JSON may hold U+2028, U+2029 and U+0085 as they are, below a byte order mark."""
    answers = [chosen(1, "ann", "go\u2028od"), chosen(1, "bob", "\x85bad\u2029")]
    path = tmp_path / "moods.jsonl"
    text = "\r\n".join(json.dumps(one, ensure_ascii=False) for one in answers)
    path.write_bytes(text.encode("utf-8-sig"))
    found, _ = read(pdkappa.tools.from_prodigy, path)
    assert found == {"moods-ann": {1: "go\u2028od"}, "moods-bob": {1: "\x85bad\u2029"}}


def test_votes_on_an_item_stand_together(refuses):
    records = [{"id": 1, "annotators": ["x"]}, {"id": 1, "annotators": ["y", "y"]}]
    with refuses():
        pdkappa.from_votes(records)
    twice = [{"id": 1, "annotators": {"ann": "x"}}, {"id": 1, "annotators": {"ann": "y"}}]
    with pytest.raises(DuplicateRatingError, match="such as item 1 by 'ann'"):
        pdkappa.from_votes(twice)


STRANGE = [
    *(None, "", "x", 0, -1.5, 1e999, True, [], {}, [[]], [None], {"a": 1}, [{"a": []}]),
    *("[[[", 10**30),
]


def places(value, path=()):
    """List the places of all values in nested data."""
    yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, one in value.items() if isinstance(value, dict) else ():
        yield from places(one, (*path, key))


def mutated(records, chance):
    """Drop a key, change a type, nest or repeat something, once or a few times."""
    records = copy.deepcopy(records)
    for _ in range(chance.choice([1, 1, 2, 5])):
        *path, key = chance.choice([path for path in places(records) if path])
        holder = records
        for one in path:
            holder = holder[one]
        old = holder[key]
        change = chance.randrange(5)
        if change == 0:
            del holder[key]
        elif change == 1:
            holder[key] = copy.deepcopy(chance.choice(STRANGE))
        elif change == 2:
            holder[key] = [old]
        elif change == 3:
            holder[key] = {"choices": old}
        else:
            holder[key] = str(old)
        if not records:
            break
    return records


ANSWERS = [chosen(n, who, mood) for n in (1, 2) for who, mood in (("ann", "good"), ("bob", "bad"))]
SPANS = [task(1, "ann", _view_id="ner_manual", spans=[{"start": 0, "label": "X"}]), task(2, "bob")]
RESPONSES = [record(f"r{n}", ["good", "bad"], ["u1", "u2"], ["submitted"] * 2) for n in (1, 2)]
LISTS = [{"id": at, "votes": ["x", "y", ["x"]], "who": ["u", "v", "w"]} for at in range(2)]


def lists_of_votes(path):
    """Read lists of votes without and with those who gave them."""
    VOTES(path, "votes").consensus()
    return VOTES(path, "votes", raters="who")


GOOD = {
    "Label Studio": (MOOD, "t.json", TASKS),
    "Label Studio, short": (MOOD, "t.json", MINIMAL),
    "Label Studio, CSV": (MOOD, "t.csv", MINIMAL),
    "Prodigy": (PRODIGY, "a.jsonl", ANSWERS),
    "Prodigy, spans": (PRODIGY, "a.jsonl", SPANS),
    "doccano": (doccano, "bob.jsonl", DOCCANO["bob"]),
    "doccano, CSV": (doccano, "bob.csv", DOCCANO["bob"]),
    "Argilla": (ARGILLA, "r.json", RESPONSES),
    "Argilla, lines": (ARGILLA, "r.jsonl", RESPONSES),
    "votes": (VOTES, "v.jsonl", NESTED),
    "lists of votes": (lists_of_votes, "v.json", LISTS),
    **{
        f"Mechanical Turk, {answer}": (
            *(partial(TURK, answer=f"Answer.{answer}"), "b.csv"),
            BATCH.to_dict("records"),
        )
        for answer in ("mood", "tone")
    },
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", GOOD)
def test_only_our_errors_come_from_malformed_exports(tool, tmp_path):
    """What is read nevertheless gives agreement, or an error of ours again."""
    reader, name, records = GOOD[tool]
    chance, path, n_read = random.Random(f"mutants of {tool}"), tmp_path / name, 0  # noqa: S311
    for _ in range(40):
        content = mutated(records, chance)
        try:
            ratings = reader(exported(path, content))
            n_read += 1
            ratings.pairs()
        except KappaError:
            pass
        except BaseException as error:
            error.add_note(f"{content}")
            raise
    assert n_read > 8


def test_votes_of_a_parquet_file_are_arrays():
    lists = pd.DataFrame({"id": [1, 2], "votes": [["a", "b"], ["a", "a"]]})
    arrays = lists.assign(votes=[np.array(one, dtype=object) for one in lists["votes"]])
    expected = pdkappa.from_votes(lists, "votes").agreement(coefficients=["fleiss"])
    found = pdkappa.from_votes(arrays, "votes").agreement(coefficients=["fleiss"])
    pd.testing.assert_frame_equal(found, expected)


def test_text_that_is_no_unicode(refuses):
    records = [{"id": i, "annotators": {"ann": "\ud800", "bob": "x"}} for i in range(2)]
    with refuses():
        pdkappa.from_votes(records)
