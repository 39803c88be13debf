"""What a report shows at the first call: weights, items, machines, files, and its limits."""

import io
import re
import tempfile
import zipfile
from itertools import combinations

import numpy as np
import openpyxl
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa
from conftest import each, function_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import ExportError, OptionError, TooLargeError
from pdkappa.methods.agreement import crosscheck as packages
from pdkappa.methods.groups.mean_over_groups import Pooling
from pdkappa.methods.report import analysis
from pdkappa.methods.report import report as collect
from pdkappa.methods.workbook import live_formulas as limits

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")
nan = np.nan

ESSAYS = pdkappa.datasets.load_essays()
TWO_SETS = ESSAYS[ESSAYS["essay_set"].isin([3, 4])]
ANXIETY = pdkappa.datasets.load_anxiety()
RATERS = ["human_1", "human_2", "machine"]
SHORT = {"detail": ["counts"]}
TEXT = pd.DataFrame(
    {
        "ann": ["yes", "no", "maybe", "yes", "no", "yes", "maybe", "no"] * 3,
        "bob": ["yes", "no", "yes", "yes", "maybe", "no", "maybe", "no"] * 3,
        "site": list("xxxxyyyyxyxyxyxyxxyyyxxy"),
    }
)
ORDERED = TEXT.assign(
    **{
        name: pd.Categorical(TEXT[name], ["no", "maybe", "yes"], ordered=True)
        for name in ("ann", "bob")
    }
)
WORDS = TEXT[["ann", "bob"]]
CODED = TEXT.assign(**WORDS.apply(lambda one: one.map({"no": 0, "maybe": 1, "yes": 3})))
BINARY = TEXT.assign(**WORDS.apply(lambda one: one.map({"no": 0, "maybe": 1, "yes": 1})))


@each(
    ("data", "raters", "options"),
    [
        (ESSAYS, ["human_1", "machine"], {"by": "essay_set"}),
        (ESSAYS, ["human_1", "machine"], {"by": "essay_set", "weights": None}),
        (ESSAYS, ["human_1", "machine"], {"by": "essay_set", "weights": "linear"}),
        (ESSAYS, ["human_1", "human_2"], {"by": "essay_set", "group_weights": "essay_weight"}),
        (ESSAYS, ["human_1", "human_2"], {"by": "essay_set", "coefficient": "gwet"}),
        (ORDERED, ["ann", "bob"], {"by": "site"}),
        (CODED, ["ann", "bob"], {"by": "site"}),
        (CODED, ["ann", "bob"], {"by": ["site"], "missing": "listwise"}),
        (BINARY, ["ann", "bob"], {"by": "site"}),
        (TEXT, ["ann", "bob"], {"by": "site", "categories": ["no", "maybe", "yes"]}),
        (TEXT, ["ann", "bob"], {"by": "site", "weights": None}),
    ],
)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_the_same_arguments_give_the_number_of_grouped(data, raters, options):
    expected = data.kappa.grouped(*raters, **options)
    report = data.kappa.report(raters, **{"weights": "quadratic"} | options, **SHORT)
    assert report.findings.figures[0] == float(expected)
    mean = expected.pooled.loc["fisher_mean"]
    summary = report.tables["summary"].iloc[0]
    assert summary[["estimate", "ci_low", "ci_high"]].tolist() == [
        mean[name] for name in ("estimate", "ci_low", "ci_high")
    ]


def test_several_raters_have_the_number_of_grouped():
    pairs = list(combinations(RATERS, 2))
    report = ESSAYS.kappa.report(RATERS, by="essay_set", weights="quadratic", **SHORT)
    expected = float(ESSAYS.kappa.grouped(pairs=pairs, by="essay_set"))
    assert report.findings.figures[0] == pytest.approx(expected, rel=1e-12)


def test_groups_of_text_are_unweighted_and_say_so():
    report = TEXT.kappa.report(by="site", **SHORT)
    expected = TEXT.kappa.grouped("ann", "bob", by="site", weights=None)
    assert report.findings.figures[0] == float(expected)
    assert "Mean of Cohen's kappa, unweighted" in report.findings.basis
    assert report.tables["summary"]["weights"].eq("unweighted").all()


@each(
    ("options", "main", "others"),
    [
        ({}, "unweighted", ["quadratic weights"]),
        ({"weights": "quadratic"}, "quadratic weights", ["unweighted"]),
        ({"weights": "linear"}, "linear weights", ["unweighted", "quadratic weights"]),
        ({"weights": 1 - np.eye(6)}, "custom weights", ["unweighted", "quadratic weights"]),
    ],
)
def test_an_ordered_scale_has_both_figures(options, main, others):
    report = ANXIETY.kappa.report(**options, **SHORT)
    assert main in report.findings.basis
    summary = report.tables["summary"].set_index("weights")
    for name in others:
        weights = None if name == "unweighted" else "quadratic"
        light = ANXIETY.kappa.agreement(weights=weights).loc["light"]
        found = summary.loc[[name], ["estimate", "ci_low", "ci_high"]].iloc[0]
        assert found.tolist() == light[["estimate", "ci_low", "ci_high"]].tolist()
    assert ("with quadratic weights (QWK) 0.20 [" in report.findings.headline) == (not options)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_both_figures_of_two_raters(coefficient):
    options = {"coefficient": coefficient}
    report = ORDERED.kappa.report(["ann", "bob"], **options, **SHORT)
    expected = ORDERED.kappa.pairs(["ann", "bob"], weights="quadratic", **options)
    assert report.tables["summary"]["estimate"][1] == expected["estimate"][0]


def test_nothing_in_a_report_by_group_pools_scales_but_crude():
    report = ESSAYS.kappa.report(RATERS[:2], by="essay_set", weights="quadratic", detail="full")
    panel = {"pooled", "heterogeneity", "equality", "stratified", "summary", "notes", "remarks"}
    for sheet in report.sheets:
        if sheet.kind == "confusion" or sheet.name in panel:
            continue
        assert "essay_set" in [*sheet.frame.index.names, *sheet.frame.columns], sheet.name
    [whole] = [one for one in report.sheets if one.name.startswith("all ")]
    assert "credits the raters with telling the groups apart" in whole.notes[0]


def test_options_that_would_be_ignored():
    message = "group_weights without by: there are no groups to weight. Pass by, or leave it out."
    for function in (function_of("report"), function_of("crosscheck")):
        with pytest.raises(OptionError, match=f"^{message}$"):
            function(ESSAYS, RATERS, group_weights="essay_weight")


NAMED = pd.DataFrame(
    {
        "essay": [f"e{n}" for n in range(12)],
        "text": [f"Essay {n}: " + "on and on " * 80 for n in range(12)],
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3],
        "bob": [1, 2, 3, 2, 2, 3, 1, 1, 3, 1, 2, 2],
    }
).set_axis([0] * 12)


def test_items_have_the_name_and_the_columns_asked_for():
    found = NAMED.kappa.items(id="essay", columns=["text"])
    assert found.index.name == "essay"
    assert found.index.tolist() == NAMED["essay"].tolist()
    assert list(found)[:2] == ["text", "n_ratings"]
    assert found["text"].tolist() == NAMED["text"].tolist()
    plain = NAMED[["ann", "bob"]].kappa.items()
    assert_allclose(found["effect"], plain["effect"])
    assert max(map(len, repr(found).splitlines())) < 200
    chosen = NAMED.kappa.items(["ann", "bob"], id="essay", columns=["ann", "text"])
    assert list(chosen)[:2] == ["ann", "text"]


@pytest.mark.needs("jinja2")
@each("text", [["a", "b"], np.array([1, 2]), {"said": "x"}, {1, 2}, ("a", 1), None])
def test_what_stands_beside_items_may_be_anything(text):
    """As the turns of a chat, which JSON and Parquet have."""
    texts = pd.Series([text] * len(NAMED), index=NAMED.index, dtype=object)
    page = io.StringIO()
    NAMED.assign(text=texts).kappa.report(["ann", "bob"], columns=["text"]).to_html(page)
    assert "</html>" in page.getvalue()


def test_items_that_do_not_count_are_left_out_with_what_stands_beside_them():
    data = NAMED.assign(bob=NAMED["bob"].where(NAMED["essay"] != "e3"), w=[0.0, *[1.0] * 11])
    found = data.kappa.items(
        id="essay", columns=["text"], missing="listwise", sample_weight="w", weights="linear"
    )
    assert found.index.tolist() == [f"e{n}" for n in range(12) if n not in (0, 3)]
    assert [text.split(":")[0] for text in found["text"]] == [f"Essay {n[1:]}" for n in found.index]


def test_the_sheet_of_items_says_how_many_of_them_are_shown():
    """Those on which all agree are not, unless there are no others."""
    scores = {"ann": [1, 2, 3, 1, 2, 3], "bob": [1, 2, 3, 1, 1, 2]}
    for other, title in (("bob", "The 2 items"), ("ann", "Items, those first")):
        data = pd.DataFrame({"ann": scores["ann"], "eve": scores[other]})
        [title_of_items] = [one.title for one in data.kappa.report().sheets if one.name == "items"]
        assert title_of_items.startswith(f"{title} that cost most agreement")


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_pair_without_joint_items_is_listed():
    shared, alone = [1, 2, 1, 2, nan, nan], [*[nan] * 4, 1, 2]
    report = pd.DataFrame(
        {"ann": shared, "bob": [1, 2, 2, 2, nan, nan], "eve": alone}
    ).kappa.report()
    assert report.tables["pairs"]["reason"].tolist() == ["", "no_joint_items", "no_joint_items"]


def test_score_limits_of_two_and_of_more_categories_are_told_apart():
    two, three = [1, 2, 1, 1, 2, 1, 2, 2], [1, 2, 3, 1, 2, 3, 1, 2]
    for data, told in (
        ({"ann": two, "bob": two[::-1]}, False),
        ({"ann": two, "bob": two[::-1], "eve": three}, True),
        ({"ann": three, "eve": three[::-1]}, False),
    ):
        methods = str(pd.DataFrame(data).kappa.report(ci="score").methods())
        assert ("where two categories were used, and elsewhere" in methods) == told


def machines_of(data, **options):
    report = data.kappa.report(RATERS, machine="machine", weights="quadratic", **SHORT, **options)
    summary = report.tables["summary"].set_index("result")
    return report, summary


def test_a_machine_is_compared_with_humans_as_ceiling_does():
    data = ESSAYS[ESSAYS["essay_set"] == 1]
    report, summary = machines_of(data)
    expected = data.kappa.machine.ceiling(RATERS[:2], "machine", weights="quadratic").iloc[0]
    found = report.tables["machines"].iloc[0]
    shared = [name for name in found.index if name in expected.index]
    assert len(shared) > 9
    assert_allclose(found[shared[:-2]].astype(float), expected[shared[:-2]].astype(float))
    estimate = summary["estimate"]
    assert estimate["Humans with each other"] == pytest.approx(expected["estimate_humans"])
    assert estimate["Machines with humans"] == pytest.approx(expected["estimate_machine"])
    difference = summary.loc["Machine minus humans"]
    assert_allclose(
        difference[["estimate", "ci_low", "ci_high"]].tolist(),
        expected[["difference", "ci_low", "ci_high"]].tolist(),
    )
    pair = data.kappa.pairs(RATERS[:2], weights="quadratic").iloc[0]
    limits = summary.loc["Humans with each other", ["ci_low", "ci_high"]]
    assert_allclose(limits.tolist(), pair[["ci_low", "ci_high"]].tolist(), atol=0.015)


def test_whole_scores_beside_missing_ones_have_no_decimals_in_lists():
    scores = {"ann": [1.0, 2, 3, np.nan], "bob": [1.0, 2, 3, 1], "gpt": [3.0, 2, 1, 1]}
    report = pd.DataFrame(scores).kappa.report(machine="gpt", weights="quadratic")
    assert report.tables["against_humans"]["against"].tolist() == ["gpt: 3", "gpt: 1"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_items_that_do_not_count_leave_a_machine_without_a_leaning():
    frame = pd.DataFrame({"ann": [1, 2, 3], "bob": [1, 2, 2], "robot": [2, 2, 3]})
    found = frame.kappa.report(machine="robot", sample_weight=[0, 0, 0])
    assert "leaning" not in found.tables


def test_machines_by_group_are_compared_on_the_scale_of_the_main_figure():
    report, summary = machines_of(ESSAYS, by="essay_set")
    of_humans = ESSAYS.kappa.grouped("human_1", "human_2", by="essay_set").pooled
    of_machine = ESSAYS.kappa.grouped(
        pairs=[("human_1", "machine"), ("human_2", "machine")], by="essay_set"
    ).mean
    columns = ["estimate", "ci_low", "ci_high"]
    first = summary.loc["Humans with each other", columns].tolist()
    assert_allclose(first, of_humans.loc["fisher_mean", columns].tolist(), rtol=1e-12)
    second = summary.loc["Machines with humans", columns].tolist()
    assert_allclose(second, [getattr(of_machine, name) for name in columns], rtol=1e-9)
    frame = report.tables["machines"]
    assert frame.index.names == ["essay_set", "machine"]
    expected = ESSAYS.kappa.machine.ceiling(
        RATERS[:2], "machine", by="essay_set", weights="quadratic"
    )
    assert_allclose(frame["se"], expected["se"])


# The bootstrap of items within sets is the outside value of the standard error.
def test_the_error_of_the_difference_over_groups_is_that_of_resamples():
    rng = np.random.default_rng(1)
    places = [np.flatnonzero(ESSAYS["essay_set"] == one) for one in range(1, 9)]
    ratings = ESSAYS[RATERS].to_numpy()

    def difference(rows):
        z = np.zeros(3)
        for some in rows:
            a, b, c = ratings[some].T
            pairs = ((a, b), (a, c), (b, c))
            z += np.arctanh([pdkappa.qwk(*pair) for pair in pairs])
        humans, first, second = z / len(rows)
        return np.tanh((first + second) / 2) - np.tanh(humans)

    draws = [difference([rng.choice(p, len(p)) for p in places]) for _ in range(80)]
    _, summary = machines_of(ESSAYS, by="essay_set")
    found = summary.loc["Machine minus humans"]
    error = (found["ci_high"] - found["ci_low"]) / 2 / 1.959964
    assert found["estimate"] == pytest.approx(difference(places))
    assert error == pytest.approx(np.std(draws), rel=0.25)


def test_a_title_stands_everywhere_and_is_escaped(tmp_path):
    title = 'Round <2> & "more"'
    report = ANXIETY.kappa.report(**SHORT).titled(title)
    page = report.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    escaped = "Round &lt;2&gt; &amp; &#34;more&#34;"
    assert f"<title>{escaped}</title>" in page
    assert "<2>" not in page
    book = openpyxl.load_workbook(report.to_excel(tmp_path / "a.xlsx"))
    assert book.properties.title == title
    assert book["Summary"]["A1"].value == title
    assert repr(report).startswith(title)


def links_of(path):
    """Find the sheets that a workbook has, and those that its links and formulas name."""
    book = openpyxl.load_workbook(path)
    named = set()
    for page in book:
        for row in page.iter_rows():
            for cell in row:
                if cell.hyperlink is not None:
                    named.add(cell.hyperlink.location.partition("!")[0].strip("'"))
                if isinstance(cell.value, str) and cell.value.startswith("="):
                    named |= set(re.findall(r"'([^']+)'!", cell.value))
    return set(book.sheetnames), named


@each("by", [None, "essay_set"])
def test_a_brief_report_has_no_broken_link(by):
    report = TWO_SETS.kappa.report(RATERS, by=by, detail="brief", machine="machine")
    with tempfile.TemporaryDirectory() as folder:
        sheets, named = links_of(report.to_excel(f"{folder}/a.xlsx"))
    assert named <= sheets
    front = {"Summary", "To discuss", "Raters", "Pairs", "Groups", "Notes", "Counts"}
    assert sheets == front | {"Chart data"}
    message = (
        "detail='full' needs all tables, and this report was made without some. "
        "Make it with detail='full'."
    )
    with pytest.raises(OptionError, match=f"^{message}$"):
        report.to_excel(io.BytesIO(), detail="full")
    headings = report.tables["notes"].query("text == ''")["item"].tolist()
    assert headings[:2] == ["Options", "Columns"]
    assert not {"Method", "Formulas", "Versions", "References"} & set(headings)
    full = TWO_SETS.kappa.report(
        RATERS,
        by=by,
        machine="machine",
        detail=["drilldown", "counts", "confusion", "matrices", "notes"],
    )
    assert repr(report.findings) == repr(full.findings)


@each(
    "make",
    [
        lambda: ANXIETY.kappa.report(**SHORT),
        lambda: TWO_SETS.kappa.grouped("human_1", "machine", by="essay_set"),
        lambda: TWO_SETS.kappa.grouped(pairs=list(combinations(RATERS, 2)), by="essay_set"),
    ],
)
def test_results_go_into_file_objects(make, refuses):
    result = make()
    memory, text, raw = io.BytesIO(), io.StringIO(), io.BytesIO()
    assert result.to_excel(memory) is None
    assert zipfile.ZipFile(memory).testzip() is None
    assert result.to_html(text) is None
    assert result.to_html(raw) is None
    assert raw.getvalue().decode() == text.getvalue()
    assert text.getvalue().startswith("<!DOCTYPE html>")
    with tempfile.TemporaryDirectory() as folder:
        path = result.to_html(f"{folder}/a.html")
        assert path.read_bytes() == raw.getvalue()
        with open(f"{folder}/b.xlsx", "wb") as handle:  # noqa: PTH123
            handle.write(b"")
            result.to_excel(handle)
            assert not handle.closed
        assert zipfile.is_zipfile(f"{folder}/b.xlsx")
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder) as handle:
            result.to_html(handle)
    with refuses():
        result.to_excel(io.StringIO())
    with refuses(1):
        result.to_html(io.StringIO(), overwrite=False)


def test_too_many_confusion_tables_are_left_out_with_a_remark(tmp_path):
    data = pd.DataFrame({str(rater): [1, 2, 1] for rater in range(21)})
    report = data.kappa.report(detail=["drilldown", "counts", "confusion", "matrices", "notes"])
    assert [one.name for one in report.sheets if one.kind == "confusion"] == ["worst pair"]
    assert not any(sheet.formulas for sheet in report.sheets)
    remark = (
        "Left out: 210 confusion tables: at most 200 can be read. confusion(rater_a, rater_b) "
        "gives any of them, and a report of fewer raters or groups has them. Without them, figures "
        "are plain values."
    )
    assert report.tables["notes"].iloc[:2].to_numpy().tolist() == [
        ["Left out", ""],
        ["confusion tables", remark],
    ]
    assert remark in report.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    sheets, named = links_of(report.to_excel(tmp_path / "a.xlsx"))
    assert named <= sheets


def test_what_no_worksheet_holds_is_refused_before_anything_is_computed(monkeypatch, refuses):
    def never(*_, **__):
        raise AssertionError

    data = pd.DataFrame({"ann": [1, 2] * 80, "bob": [1, 2, 2, 1] * 40})
    data["site"] = np.repeat(range(40), 4)
    result = data.kappa.grouped("ann", "bob", by="site")
    monkeypatch.setattr(limits, "MAX_ROWS", 50)
    monkeypatch.setattr(limits, "MAX_COLUMNS", 100)
    monkeypatch.setattr(analysis, "estimate", never)
    monkeypatch.setattr(Pooling, "leave_one_out", property(never))
    for write in (
        lambda: data.kappa.to_excel(io.BytesIO(), ["ann", "bob"], by="site"),
        lambda: result.to_excel(io.BytesIO()),
    ):
        with refuses():
            write()
    monkeypatch.setattr(limits, "MAX_ROWS", 10**9)
    many = pd.DataFrame({str(rater): [1, 2, 1] for rater in range(99)})
    with pytest.raises(ExportError, match=r"^A workbook of 99 raters .* about 101 col"):
        many.kappa.to_excel(io.BytesIO())


def test_some_of_many_tables_are_checked_and_a_note_says_which():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 60)
    data = pd.DataFrame({f"r{n}": (true + (rng.random(60) < 0.2)) % 3 for n in range(10)})
    data["site"] = np.repeat([0, 1], 30)
    report = data.kappa.report(
        [f"r{n}" for n in range(10)], by="site", weights="quadratic", detail=["crosscheck"]
    )
    [sheet] = [one for one in report.sheets if one.name == "crosscheck"]
    frame = sheet.frame.reset_index()
    of_pairs = frame[frame["site"].isin([0, 1])]
    checked = of_pairs[["site", "rater_a", "rater_b"]].drop_duplicates()
    assert len(checked) == 23
    assert set(checked["site"]) == {0, 1}
    note = (
        "23 of 90 confusion tables were checked, one in 4 from the first on, each of one pair of "
        "raters in one group. crosscheck() checks all of them."
    )
    assert sheet.notes == (note,)
    whole = data.kappa.crosscheck(
        [f"r{n}" for n in range(10)], by="site", weights="quadratic"
    ).reset_index()
    key = ["site", "rater_a", "rater_b", "statistic", "package"]
    merged = of_pairs.merge(whole, on=key)
    assert len(merged) == len(of_pairs)
    assert_allclose(merged["estimate_x"], merged["estimate_y"])
    assert collect.MOST_CHECKED == 40


@each("name", ["_krippendorff", "_statsmodels", "_scikit_learn"])
def test_a_check_without_memory_is_noted_and_ends_nothing(name):
    def hungry(question):
        raise MemoryError
        yield question

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packages, name, hungry)
        frame = ANXIETY.kappa.report(detail=["crosscheck"]).tables["crosscheck"]
    why = "Left out: there is not enough memory for what the other package does."
    noted = frame[frame["remark"] == why]
    assert len(noted) == 3
    assert noted["agrees"].isna().all()
    assert frame["agrees"].sum() > 3


def test_a_check_that_would_take_much_memory_is_left_out():
    scores = np.random.default_rng(1).integers(0, 50, (10_000, 2))
    frame = pd.DataFrame(scores, columns=["ann", "bob"]).kappa.crosscheck(weights="quadratic")
    [note] = frame.loc[frame["package"] == "krippendorff", "remark"]
    assert note == "Left out: the other package would take more than 128 MiB."


def test_long_texts_are_cut_where_they_are_shown_and_whole_where_they_are_kept(tmp_path):
    report = NAMED.kappa.report(id="essay", columns=["text"])
    first = report.tables["items"]["text"].iloc[0].strip()
    page = report.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    assert f'title="{first}"' in page
    assert f">{first[:240].rstrip()} …</td>" in page
    book = openpyxl.load_workbook(report.to_excel(tmp_path / "a.xlsx"))
    heights = [one.height for one in book["To discuss"].row_dimensions.values() if one.height]
    assert max(heights) == 6 * 13.5


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_crowd_is_called_by_its_door_and_warned_of_pairs_that_are_averaged():
    rng = np.random.default_rng(5)
    rows = [(item, f"w{rater}") for item in range(60) for rater in rng.choice(12, 3, replace=False)]
    long = pd.DataFrame(rows, columns=["item", "rater"])
    long["label"] = rng.choice(["cat", "dog", "bird"], len(long))
    crowd = pdkappa.from_long(long, item="item", rater="rater", rating="label")
    made = crowd.report(detail=["counts"])
    assert made._code == "ratings.report(detail=['counts'])"
    assert not made.cautions  # most pairs of a crowd share no item, and the figure is not theirs
    assert "Conger" in made.methods()
    told = "are undefined (NaN): 'w0' with"
    long = long.assign(site=long["item"] % 2)
    crowd = pdkappa.from_long(long, item="item", rater="rater", rating="label")
    assert any(told in one for one in crowd.report(by="site").cautions)


def test_more_groups_of_pairs_than_there_is_time_for():
    data = pd.DataFrame(np.ones((2_000, 50), dtype=int)).add_prefix("r").assign(group=range(2_000))
    message = (
        r"^A report of 50 raters in 2000 groups takes too long; in 815 it does not\. Pass fewer "
        r"raters or groups, or use grouped, or pairs with by\.$"
    )
    for write in (data.kappa.report, lambda by: data.kappa.to_html(io.BytesIO(), by=by)):
        with pytest.raises(TooLargeError, match=message):
            write(by="group")


def test_every_table_says_what_it_is_of():
    """Even if a rater has the name of another table; nobody is asked what was named."""
    data = pd.DataFrame(
        {name: np.resize([0, 1, 2, one], 40) for one, name in enumerate(["items", "b", "m"])}
    )
    data["m"] = data["m"].where(np.arange(40) % 7 > 0, 0)
    data["site"] = np.resize([*"xy"], 40)
    asked = {"by": "site", "weights": "quadratic"}
    report = data.kappa.report(list(data)[:3], machine="m", detail="full", **asked)
    start = {
        name: one._told.line.split(" \N{MIDDLE DOT} ")[0] for name, one in report.tables.items()
    }
    assert start["pairs"] == start["machines"] == "Cohen's kappa, quadratic weights"
    assert start["items"] == "Light's kappa, quadratic weights"
    assert start["leaning"] == "Means of machines and of humans"
    assert start["recall"] == "Shares of the humans' ratings that a machine gives, too"
    assert start["to_discuss"] == "What was said of the items to discuss"
    assert start["x_items_x_b"] == "Joint ratings of two raters"
    assert "95% CI (Wilson)" in report.recall._told.line
    assert "95% CI (t quantiles)" in report.leaning._told.line
    assert "CI" not in report.to_discuss._told.line
    plain = data.kappa.report(list(data)[:3], **asked)
    assert plain.by_group._told.line.startswith("Light's kappa, quadratic weights")
    pair = data.kappa.report(["items", "b"], **asked)
    assert pair.groups._told.line.startswith("Cohen's kappa, quadratic weights")
    assert not any("weights=" in one._told.line for one in pair.tables.values())


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize(("n", "is_told"), [(100, False), (101, True)])
def test_more_than_200_categories_have_no_table_that_nobody_can_read(tmp_path, n, is_told):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(n, 2)), columns=list("ab"))
    made = frame.kappa.report(detail="full")
    of_texts = frame.astype(str).kappa.report(machine="b")
    assert ("leaning" in of_texts.tables) is not is_told
    assert ("categories" in made.tables) is not is_told
    told = "more than 200 categories, which nobody can read"
    page = made.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert (told in page) is is_told
    book = openpyxl.load_workbook(made.to_excel(tmp_path / "book.xlsx"), read_only=True)
    cells = [str(cell) for page in book for row in page.iter_rows(values_only=True) for cell in row]
    assert any(told in one for one in cells) is is_told


@pytest.mark.needs("jinja2", "openpyxl")
@pytest.mark.parametrize(
    ("by", "n", "title", "folded"),
    [
        (None, 26, "Which categories are hard to tell apart?", "Pairs of raters"),
        ("site", 60, "Group by group", "52 more groups"),
    ],
)
def test_many_categories_and_groups_are_all_there(by, n, title, folded):
    """Each has a row before the fold; what nobody can read at once is folded up."""
    rng, size = np.random.default_rng(0), 30 * n
    which = np.array([f"no. {one}" for one in range(n)]).repeat(30)
    labels = which if by is None else rng.choice(["x", "y", "z"], size)
    said = {x: np.where(rng.random(size) < 0.3, rng.permutation(labels), labels) for x in "abc"}
    report = pd.DataFrame({**said, "site": which}).kappa.report([*"abc"], by=by)
    front, rest = report.to_html().split("Everything else", 1)
    table = front.split(title)[1].split("</table>")[0]
    assert all(len(re.findall(rf">no\. {one}<", table)) == 1 for one in range(n))
    assert folded in re.findall("<summary>(.*?)</summary>", rest)
    book = io.BytesIO()
    report.to_excel(book)
    sheets = openpyxl.load_workbook(book, read_only=True)
    rows = [*sheets["Raters" if by is None else "Groups"].iter_rows(values_only=True)]
    assert {f"no. {one}" for one in range(n)} <= {row[0] for row in rows}
    counts = [row for row in sheets["Counts"].iter_rows(values_only=True) if row[0] == "total"]
    assert len(counts) == 3 * (1 if by is None else n)
    assert {len(row) for row in counts} == {n + 2 if by is None else 5}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_machine_of_one_category_counts_among_several():
    """Its kappa is 0 with and without groups, in which the others said more than one thing."""
    rng = np.random.default_rng(11)
    truth, site = rng.random(120) < 0.4, np.repeat(["x", "y"], 60)
    ratings = {
        name: np.where(rng.random(120) < 0.1, ~truth, truth) for name in ("ann", "bob", "gpt")
    }
    frame = pd.DataFrame({**ratings, "site": site, "lazy": True})
    frame["mini"] = frame["gpt"] | (site == "y")
    own = np.mean([frame["gpt"].kappa.pair(frame[human])["estimate"] for human in ("ann", "bob")])
    report = frame.drop(columns="site").kappa.report(
        machine=["gpt", "lazy"], raters=["ann", "bob", "gpt", "lazy"]
    )
    found = report.tables["machines"]
    assert_allclose(found["estimate_machine"], [own, 0, own / 2])
    assert found["difference"].loc["all machines"] == pytest.approx(found["difference"][:2].mean())
    assert "lazy used a single category" in report.cautions[0]
    report = frame.kappa.report(["ann", "bob", "gpt", "mini"], machine=["gpt", "mini"], by="site")
    found = report.tables["machines"]["difference"]
    for site in ("x", "y"):
        one = found.xs(site, level="site")
        assert one["all machines"] == pytest.approx(one[["gpt", "mini"]].mean())
    told = (
        "In site y mini used a single category: kappa with them is 0 or undefined there, and has "
        "no standard error."
    )
    assert report.cautions[0] == told
    frame["site"] = np.arange(120) // 30
    report = frame.kappa.report(["ann", "bob", "gpt", "mini"], machine=["gpt", "mini"], by="site")
    told = "In 2 of 4 groups, such as site 2, mini used a single category: kappa with"
    assert report.cautions[0].startswith(told)


def test_each_of_two_machines_is_compared_with_people_alone():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, (80, 1))
    values = np.where(rng.random((80, 5)) < 0.7, truth, rng.integers(0, 3, (80, 5)))
    frame = pd.DataFrame(values, columns=["ann", "bob", "eve", "gpt", "mini"])
    found = frame.kappa.report(machine=["gpt", "mini"]).tables["machines"]
    expected = frame.kappa.machine.ceiling(["ann", "bob", "eve"], ["gpt", "mini"])
    for name in ("difference", "se", "ci_low", "ci_high", "p_value"):
        assert_allclose(found[name].iloc[:2], expected[name], rtol=1e-9)


def test_a_report_leaves_out_who_rated_nothing(refuses):
    """But a machine, whose agreement is undefined, and says of whom all else is."""
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 4, 60)
    frame = pd.DataFrame({name: np.clip(truth + rng.integers(0, 2, 60), 1, 3) for name in "abm"})
    frame["none"] = np.nan
    for others, machine in (([*"ab"], None), (["a", "m"], "m"), ([*"abm"], "m")):
        options = {"machine": machine, "detail": []}
        with refuses():
            found = frame.kappa.report([others[0], "none", *others[1:]], **options)
        expected = frame.kappa.report(others, **options)
        assert found.findings.headline == expected.findings.headline
        assert found.methods() == expected.methods()
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        empty = frame.kappa.report(["a", "b", "none"], machine="none", detail=[])
    assert empty.findings.headline == "The agreement of none with people is undefined."


def test_who_rated_nothing_is_not_said_to_have_rated():
    frame = pd.DataFrame({"a": [1, 2, 2], "e": np.nan, "b": [1, 2, 1]})
    found = frame.kappa.agreement()
    assert "3 items were rated by a, b." in found.methods()
    assert "Raters: a, b\n" in str(found)
    assert found.attrs["kappa"]["raters"] == ["a", "e", "b"]  # as they were read
