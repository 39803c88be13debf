"""What a report says first: what is planted, nothing else, and the same in every output."""

import io
import re
import warnings
from functools import cache
from itertools import product

import numpy as np
import openpyxl
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.markers import MarkerStyle
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

import pdkappa
from conftest import each
from elsewhere.planted import CASES, FINDINGS, NAMES, named, reported, scans, without_data
from pdkappa.errors import ColumnNotFoundError, CrudeKappaWarning, KappaWarning
from pdkappa.methods.estimates.told import holm
from pdkappa.present.findings import Caution, Finding, Findings, signed
from pdkappa.present.html_strips import Axis, by_group, effects
from pdkappa.present.sheets import Sheet, lead_lines
from pdkappa.present.text_markup import escaped

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")


def test_something_is_planted_of_every_kind():
    assert not without_data()


MADE = {}


def reported_of(kind, *, planted=True):
    """Make the report, or audit, of something planted or not, once for the same ratings."""
    case = CASES[kind]
    data = case.data(0, planted=planted)
    key = data.to_csv(), str(data.dtypes), str(case.options), case.make
    if key not in MADE:
        MADE[key] = case.make(data, **case.options)
    return MADE[key]


MINUS = "\N{MINUS SIGN}"


def told_of(kind, of="", report=None):
    """Return the only finding of a kind, or of anybody who is named."""
    found = (report or reported_of(kind)).findings.findings
    [one] = [one for one in found if (one.kind == of if of else one.name)]
    return one


def data_of(kind):
    """Draw the ratings of what is planted."""
    return CASES[kind].data(0, planted=True)


def first_of(report):
    return [report.findings.headline, *(one.sentence for one in report.findings.told)]


@cache
def page_of(kind, *, planted=True):
    """Write the page of a report, once."""
    page = io.StringIO()
    reported_of(kind, planted=planted).to_html(page)
    return page.getvalue()


@each("kind", [*CASES])
def test_what_is_planted_is_named_and_nothing_else(kind):
    assert any(CASES[kind].name in one for one in named(reported_of(kind)))
    assert not named(reported_of(kind, planted=False))


@each("kind", [*CASES])
def test_every_output_begins_with_the_same(kind):
    report = reported_of(kind)
    found = report.findings
    lines = repr(report).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert 1 + len(found.told) + len(found.above) + len(found.below) <= 6
    told, text = first_of(report), " ".join(repr(report).split())
    assert all(one in text for one in told)
    assert all(escaped(one) in found.to_markdown() for one in told)
    assert found.to_markdown() in report.to_markdown()
    assert found.to_latex() in report.to_latex()
    if isinstance(report, pdkappa.results.Report):
        assert " ".join(told) in report.methods()
    assert found.to_frame()["sentence"].tolist() == [one.sentence for one in found.findings]


@each("kind", [*CASES][::4])
def test_the_workbook_and_the_page_begin_with_the_same(kind):
    report, book = reported_of(kind), io.BytesIO()
    report.to_excel(book)
    sheets = openpyxl.load_workbook(book, read_only=True)
    cells = {name: [*sheets[name].iter_rows(values_only=True)] for name in ("Summary", "Notes")}
    told, summary = first_of(report), " ".join(str(row[0]) for row in cells["Summary"])
    assert all(one in summary for one in told)
    assert {one.text for one in report.findings.cautions} <= {row[1] for row in cells["Notes"]}
    assert told[0].replace("'", "&#39;") in page_of(kind)


OF_REPORTS = [kind for kind, case in FINDINGS.items() if case.make is reported]


@each(("kind", "planted"), [*product(OF_REPORTS, [True]), *product(OF_REPORTS[::3], [False])])
def test_the_page_sets_apart_what_is_named_and_nothing_else(kind, planted):
    report = reported_of(kind, planted=planted)
    rows = re.findall(r'<tr class="apart".*?</tr>', page_of(kind, planted=planted), re.DOTALL)
    heads = [re.sub("<.*?>", " ", re.findall("<th.*?</th>", one)[0]) for one in rows]
    named = [row for one in report.findings.told for _, row in one.rows]
    assert len(heads) == len({*named})
    for row in named:
        labels = row if isinstance(row, tuple) else (row,)
        assert any(re.search(rf"\b{labels[-1]}\b", head) for head in heads)
    assert bool(named) <= planted


def test_the_example_sets_nobody_apart():
    report, page = ESSAYS.kappa.report(RATERS, by="essay_set", weights="quadratic"), io.StringIO()
    assert (report.tables["raters"]["effect_high"] < 0).any()
    report.to_html(page)
    assert "No rater is shown" in page.getvalue()
    assert '<tr class="apart"' not in page.getvalue()


@each(("kind", "by"), [("rater", None), ("rater in a group", "site")])
def test_a_picture_has_a_diamond_for_whom_the_report_names(kind, by):
    for planted in (True, False):
        data = FINDINGS[kind].data(0, planted=planted)
        named = [row for one in data.kappa.report(by=by).findings.told for _, row in one.rows]
        ax = data.kappa.plot.raters(by=by, order=False)
        labels = data.kappa.raters(by=by).index.tolist()
        at = [y for one in diamonds(ax) for _, y in one.get_offsets()]
        assert [labels[round(y)] for y in at] == named
        assert bool(named) == planted
        plt.close(ax.figure)


def test_who_is_off_in_one_small_group_is_named_there():
    data = scans(np.random.default_rng(5), 1, kind="small")
    first, *_ = data.kappa.report(by="site", weights="quadratic").findings.findings
    assert first.sentence.startswith("In Oslo Tobi agrees with the others at 0.")


def diamonds(ax):
    """Find the points that are diamonds."""
    marker = MarkerStyle("D")
    shape = marker.get_path().transformed(marker.get_transform()).vertices
    points = [one for one in ax.collections if isinstance(one, PathCollection)]
    return [one for one in points if np.array_equal(one.get_paths()[0].vertices, shape)]


def test_machines_are_orange_and_no_diamonds():
    data = data_of("rater")
    for machine, colours in ((None, {"#0072b2"}), (["Tobi"], {"#0072b2", "#d55e00"})):
        ax = data.kappa.plot.raters(machine=machine)
        points = [one for one in ax.collections if isinstance(one, PathCollection)]
        shown = [one for one in points if len(one.get_offsets())]
        assert {to_hex(one.get_facecolor()[0]) for one in shown} == colours
        assert sum(len(one.get_offsets()) for one in shown) == 5
        assert sum(len(one.get_offsets()) for one in diamonds(ax)) == (machine is None)
        plt.close(ax.figure)
    with pytest.raises(ColumnNotFoundError):
        data.kappa.plot.raters(machine="nobody")


def test_pooled_scales_are_void_above_the_headline_and_every_warning_is_a_caution():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        report = ESSAYS.drop(columns="essay_id").kappa.report(RATERS[:2], weights="quadratic")
    [crude] = [one for one in told if issubclass(one.category, CrudeKappaWarning)]
    assert report.cautions[0] == str(crude.message)
    assert report.findings.above[0].text == str(crude.message)
    assert report.findings.headline.startswith("Not valid as it stands: ")
    assert {str(one.message) for one in told} <= {*report.cautions}


def test_a_warning_that_is_an_error_is_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error", KappaWarning)
        with pytest.raises(CrudeKappaWarning):
            ESSAYS.drop(columns="essay_id").kappa.report(RATERS[:2], weights="quadratic")


# SciPy's t test of paired values is the outside value.
def test_the_leaning_of_a_machine_is_a_paired_t_test():
    table = ESSAYS.kappa.report(RATERS, by="essay_set", machine="machine").tables["leaning"]
    for (_, number), row in table.iterrows():
        data = ESSAYS[ESSAYS["essay_set"] == number]
        people = data[RATERS[:2]].mean(axis=1)
        test = stats.ttest_rel(data["machine"], people)
        limits = test.confidence_interval()
        assert_allclose(row["p_value"], test.pvalue, rtol=1e-9)
        assert_allclose([row["ci_low"], row["ci_high"]], limits, rtol=1e-9)
        spread = np.std(data[RATERS[:2]].to_numpy(), ddof=1)
        assert_allclose(row["smd"], (data["machine"] - people).mean() / spread, rtol=1e-12)


@pytest.mark.parametrize("machines", [["gpt"], ["gpt", "old"]])
@each(("by", "are_tuples"), [(None, False), (None, True), ("set", False), (["set", "half"], False)])
def test_a_machine_that_leans_is_named_with_and_without_groups(machines, by, are_tuples):
    rng, raters = np.random.default_rng(0), ["ana", "ben", *machines]
    truth, place = rng.integers(2, 5, 400), np.arange(400)
    data = pd.DataFrame({name: truth + rng.integers(-1, 2, 400) for name in raters})
    data = data.assign(gpt=np.minimum(data["gpt"] + 1, 5), set=place // 200, half=place % 2)
    if are_tuples:
        data.columns = pd.MultiIndex.from_product([data.columns, ["v1"]])
        raters, machines = ([(name, "v1") for name in names] for names in (raters, machines))
    report = data.kappa(by=by, weights="quadratic").report(raters, machine=machines)
    one = told_of("", "leaning", report)
    assert one.sentence.startswith(f"{machines[0]} scores ")
    assert " higher than people" in one.sentence
    assert (" in set " in one.sentence) == (by is not None)


def test_columns_that_are_tuples_head_groups_in_every_file():
    data = ESSAYS[[*RATERS, "essay_set"]].assign(half=ESSAYS.index % 2).query("essay_set < 3")
    data.columns = pd.MultiIndex.from_product([data.columns, ["v1"]])
    raters, by = [(name, "v1") for name in RATERS[:2]], [("essay_set", "v1"), ("half", "v1")]
    for result in (data.kappa(by=by).pairs(raters), data.kappa(by=by).report(raters)):
        for written in (result.to_html, result.to_excel):
            file = io.BytesIO() if written == result.to_excel else io.StringIO()
            written(file)
            assert file.tell() > 1000


@each("by", [None, "site"])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_a_machine_among_ratings_that_are_all_missing_is_a_report_without_a_figure(by):
    frame = pd.DataFrame({name: [np.nan] * 4 for name in "abm"}).assign(site=[0, 1] * 2)
    report = frame.kappa.report(list("abm"), machine="m", by=by)
    assert report.tables["pairs"]["estimate"].isna().all()
    assert "against humans" not in report.tables


def test_readers_who_split_the_items_are_named_once_whatever_the_groups():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 3, (80, 3)), columns=["lead", "one", "two"]).astype(float)
    frame.loc[:39, "one"] = frame.loc[40:, "two"] = np.nan
    frame["site"] = np.where(np.arange(80) % 2, "A", "B")
    somewhere = frame.assign(two=frame["two"].where(frame["site"] == "A", frame["lead"]))
    told = "one and two rated no item in common{}: the figure is that of the other pairs."
    for data, where in ((frame, ""), (somewhere, " in 1 of 2 groups")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KappaWarning)
            report = data.kappa.report(["lead", "one", "two"], by="site")
        texts = [one.text for one in report.findings.cautions]
        assert any(one.startswith(told.format(where)) for one in texts)


def test_a_page_without_a_figure_has_an_axis():
    data = pd.DataFrame({name: ["a", None, None] for name in ("ana", "ben", "gpt")})
    data, page = data.assign(gpt=list("aba"), set=list("xyy")), io.StringIO()
    report = data.kappa(by="set", missing="listwise").report(["ana", "ben", "gpt"], machine="gpt")
    report.to_html(page)
    assert "Machine minus humans" in page.getvalue()


def test_where_a_machine_may_be_below_people_is_told_but_no_group_is_named():
    frame = data_of("machine in groups").groupby("essay_set").head(40)
    report = frame.kappa(by="essay_set", weights="quadratic").report(machine="engine")
    one = told_of("", "machine in groups", report)
    assert (one.verdict, one.name) == ("cannot tell", "")
    said = "In essay set 2 engine may agree with people less than they do: -0.40 [-0.65, -0.14]"
    told = one.sentence.replace(MINUS, "-")
    assert told == f"{said}; that is not beyond doubt (adjusted p = 0.0089)."
    fewer = frame.groupby("essay_set").head(30).kappa(by="essay_set", weights="quadratic")
    one = told_of("", "machine in groups", fewer.report(machine="engine"))
    assert one.sentence.startswith("In no group is engine shown beyond doubt (adjusted p = ")


def test_a_group_that_may_be_below_the_others_is_in_the_sentence_but_not_named():
    few, more = (data_of("groups of many").groupby("site").head(n) for n in (57, 81))
    assert told_of("", "groups", few.kappa.report(by="site")).sentence == (
        "No group is shown beyond doubt (adjusted p = 0.0233) to be below the others: 0.19 to 0.54."
    )
    one = told_of("", "groups", more.kappa.report(by="site"))
    assert (one.name, one.verdict) == ("", "cannot tell")
    assert one.sentence.replace(MINUS, "-") == (
        "In site 4 agreement may be less, 0.18, -0.17 [-0.26, -0.08] from the mean of the others; "
        "that is not beyond doubt (adjusted p = 0.0021)."
    )


def test_of_several_machines_each_is_told_and_named():
    """One is as good as people, the other is worse and scores higher."""
    rng = np.random.default_rng(9)
    truth = rng.integers(1, 7, 500)
    spreads = {"h1": (0.5, 0), "h2": (0.5, 0), "good": (0.5, 0), "old": (1.1, 0.5)}
    scores = {x: truth + up + rng.normal(0, sd, 500) for x, (sd, up) in spreads.items()}
    frame = pd.DataFrame(scores).round().clip(1, 6)
    report = frame.kappa(weights="quadratic").report(machine=["good", "old"])
    assert report.findings.headline.endswith("); old alone is shown to agree less.")
    assert any(one.short.startswith("old scores 0.") for one in report.findings.findings)
    [one] = [one for one in report.findings.findings if one.kind == "machine"]
    own = report.tables["machines"].loc[["old", "good"], "difference"]
    said = [f"old {MINUS}{-own['old']:.2f} [", ", good "]
    assert one.sentence.startswith(f"Each minus people: {said[0]}")
    assert said[1] in one.sentence
    assert (one.verdict, one.name) == ("shown", "old")
    both = frame.kappa(weights="quadratic").report(machine=["good", "old"], margin=0.5)
    assert any("; they are not worse by 0.5 or" in one.sentence for one in both.findings.findings)
    lost = frame.assign(silent=np.nan).kappa.report(machine=["good", "silent"])
    [one] = [one for one in lost.findings.findings if one.kind == "machine" and "Each" in one[2]]
    assert one.sentence.endswith(", silent undefined.")


@pytest.mark.needs("jinja2")
def test_times_stand_in_their_order_on_the_page():
    drift = CASES["drift"].report(0, planted=False)
    page = drift.to_html()
    months = list(dict.fromkeys(re.findall(r">(\d{4}-\d\d)<", page)))
    assert months[:6] == sorted(months[:6])


def test_holm_is_that_of_statsmodels():
    p = np.random.default_rng(1).random((3, 7)) ** 4  # collects garbage each time
    for one in p:
        assert_allclose(holm(one), multipletests(one, method="holm")[1])


@pytest.mark.parametrize(
    ("margin", "noise", "verdict", "told"),
    [
        (None, 0.12, "cannot tell", "more items would tell"),
        (0.2, 0.12, "shown not", "it is not worse by 0.2 or more"),
        (0.05, 0.5, "shown", "it is worse by more than 0.05"),
        (0.05, 0.16, "cannot tell", "more items would tell"),
    ],
)
def test_a_difference_has_three_values(margin, noise, verdict, told):
    rng = np.random.default_rng(3)
    good = rng.random(400) < 0.5
    share = {"ann": 0.12, "bob": 0.12, "eve": 0.12, "model": noise}
    data = pd.DataFrame({name: good ^ (rng.random(400) < one) for name, one in share.items()})
    report = data.kappa.report(machine="model", margin=margin)
    one = told_of("", "machine", report)
    assert one.verdict == verdict
    assert told in one.sentence
    assert bool(one.name) == (verdict == "shown")


def test_ranks_and_room():
    findings = tuple(Finding("k", str(n), f"Finding {n}.", "t") for n in range(5))
    cautions = tuple(Caution(f"Caution {n}. More.", voids=n > 2) for n in (0, 0, 1, 2, 3, 4))
    found = Findings("Headline.", findings, cautions)
    assert [one.text[8] for one in found.cautions] == [*"34012"]
    assert [one.text[8] for one in found.above] == [*"34"]
    assert len(found.findings) == len(found.told) == 3
    assert (len(found.below), found.n_more) == (0, 3)
    assert "3 more in .cautions" in repr(found)
    assert [*lead_lines(found)][-1].endswith("3 more cautions: see Notes")
    fewer = Findings("Headline.", findings, cautions[3:])
    assert [*lead_lines(fewer)][-1].endswith("1 more caution: see Notes")
    assert "Caution 3." in repr(found)
    assert "More." not in repr(found)


def test_identifiers_and_texts_are_shown_with_the_items():
    data = pd.DataFrame(
        {
            "key": [f"k{n}" for n in range(30)],
            "said": [f"what somebody said about topic {n}, at length" for n in range(30)],
            "ann": ["yes", "no", "maybe"] * 10,
            "bob": ["yes", "no", "no"] * 10,
            "batch": np.repeat([1, 2, 3], 10),
        }
    )
    report = data.kappa.report()
    assert report.tables["pairs"]["rater_b"].tolist() == ["bob"]
    assert "'batch' (it shares no label with any other)" in " ".join(report.cautions)
    for one in (report, data.kappa.report(["ann", "bob"])):
        table = one.tables["to_discuss"]
        assert table.index.name == "key"
        assert list(table) == ["said", "votes", "decision"]
        assert table["votes"].iloc[0] == "ann: maybe, bob: no"


def test_a_small_p_that_names_nobody_is_told():
    """By Holm over the raters."""
    said = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth, noise = rng.integers(0, 3, 150), zip("abcd", [0.2, 0.2, 0.2, 0.42], strict=True)
        draws = {x: (rng.random(150) < share, rng.integers(0, 3, 150)) for x, share in noise}
        data = pd.DataFrame({x: np.where(at, other, truth) for x, (at, other) in draws.items()})
        raters = data.kappa.raters()
        lowest = raters["z"].to_numpy().argmin()
        p_value = holm(raters["p_value"].to_numpy())[lowest]
        doubt = f" beyond doubt (adjusted p = {p_value:.4f})" if p_value < 0.05 else ""
        found = data.kappa.report().findings
        if not any(one.name for one in found.findings):
            told = f"No rater is shown{doubt} to lower agreement"
            if p_value < 0.01:
                own, rest = raters.iloc[lowest][["estimate", "light_without"]]
                told = f"d may lower agreement, at {own:.2f} with the others, {rest:.2f} without"
                told += f" them; that is not{doubt}."
            assert told_of("", "rater", data.kappa.report()).sentence.startswith(told)
            said.add((p_value < 0.01, bool(doubt)))
    assert len(said) == 3


def test_limits_of_a_rater_over_groups_have_the_level_of_the_report():
    data = data_of("rater")
    data = data.assign(site=np.arange(len(data)) % 2)
    widths = []
    for level in (0.9, 0.95):
        report = data.kappa.report(by="site", confidence_level=level)
        [one] = [one for one in report.findings.findings if one.name == "Tobi"]
        size, low, high = one.figures
        assert_allclose((low + high) / 2, size)
        widths.append((high - low) / 2)
    expected = stats.norm.ppf(0.95) / stats.norm.ppf(0.975)
    assert_allclose(widths[0] / widths[1], expected)


def test_a_group_above_the_others_is_told_where_none_is_below():
    essays = pdkappa.datasets.load_essays()
    called = {"raters": ["human_1", "human_2"], "by": "essay_set", "weights": "quadratic"}
    report = essays.kappa.report(**called)
    one = told_of("", "groups", report)
    assert one.sentence.startswith("In essay set 4 agreement is 0.86, +0.13 [+0.08, +0.18] from")
    assert one.sentence.endswith("; no group is shown to be below them.")
    assert "least in" not in report.findings.headline
    [other] = essays.kappa.compare_groups(**called).findings.findings[:1]
    assert other.sentence == one.sentence


def test_three_groups_are_compared_by_the_limits_that_two_are():
    one = told_of("groups of many", "groups")
    each = (
        data_of("groups of many")
        .kappa.agreement(by="site", weights="quadratic")
        .xs("light", level="coefficient")
    )
    size, low, high = one.figures
    rest = each.drop(index="site 4")
    apart = each["estimate"]["site 4"] - rest["estimate"].mean()
    below = each["estimate"] - each["ci_low"]
    above = each["ci_high"] - each["estimate"]
    assert_allclose(size, apart)
    assert_allclose(
        low,
        apart - np.hypot(below["site 4"], np.sqrt((above[:4] ** 2).sum() + above.iloc[5] ** 2) / 5),
    )
    assert_allclose(
        high,
        apart + np.hypot(above["site 4"], np.sqrt((below[:4] ** 2).sum() + below.iloc[5] ** 2) / 5),
    )


def test_a_limit_next_to_zero_shows_its_side():
    assert signed(-0.03, -0.052, -0.0004) == "\u22120.0300 [\u22120.0520, \u22120.0004]"
    assert signed(0.1, 0.0, 0.2) == "+0.10 [0.00, +0.20]"
    assert signed(0.1, -1e-12, 0.2).startswith("+0.100000 [")


def test_machines_are_orange_among_the_raters_and_whoever_is_shown_is_marked():
    data = data_of("rater")
    page = io.StringIO()
    data.kappa.report(machine="Ravi").to_html(page)
    rows = page.getvalue().split('id="who"')[1].split("</table>")[0].split("<tr")[2:]
    colours = {
        re.search(r"<th[^>]*>(\w+)", row)[1]: 'g class="machine"' in row
        for row in rows
        if "<g" in row
    }
    assert colours == {name: name == "Ravi" for name in data}
    [marked] = [row for row in rows if row.startswith(' class="apart"')]
    assert ">Tobi<" in marked


def test_what_a_rater_takes_for_what_is_counted_by_hand():
    """A rater who guesses takes nothing for anything; of a confusion both shares are told."""
    data, one = data_of("confusion"), told_of("confusion", "rater")
    own, rest = [], []
    for name in data:
        threat = data[name] == "threat"
        for other in data.columns.drop(name):
            said = data[other][threat].dropna() == "insult"
            if name != "Tobi":
                (own if other == "Tobi" else rest).extend(said)
    of_own, of_rest = (f"{100 * np.mean(x):.0f} %" for x in (own, rest))
    assert f"Tobi says insult {of_own} of the time (they {of_rest})" in one.sentence
    guess = told_of("rater")
    assert guess.name == "Tobi"
    assert "of the time" not in guess.sentence


@each("site", [None, "Lyon", "Oslo"])
def test_how_far_a_rater_scores_below_the_others_is_counted_by_hand(site):
    """In standard deviations of their ratings: of one site, or the mean of both."""
    data, sizes = data_of("severity of a rater"), []
    data = data if site is None else data[data["site"] == site].drop(columns="site")
    for _, part in data.groupby("site") if site is None else [(site, data)]:
        others = part[[name for name in NAMES if name != "Tobi"]]
        apart = part["Tobi"] - others.mean(axis=1)
        sizes.append(apart.mean() / np.std(others.to_numpy(), ddof=1))
    one = told_of("", "rater", data.kappa.report(by=None if site else "site"))
    assert f"; Tobi scores {abs(np.mean(sizes)):.2f} SD lower than they do." in one.sentence


def test_who_left_out_much_is_told_among_people_who_share_items():
    """A machine that rated all makes nobody careless, and those of a crowd rated a few each."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.integers(0, 3, (900, 5)), columns=list("abcde")).astype(float)
    alike = frame.mask(rng.random(frame.shape) < 0.3).assign(e=frame["e"])
    assert not any("left out" in one for one in alike.kappa.report(machine="e").cautions)
    more = alike.assign(b=alike["b"].mask(rng.random(900) < 0.3))
    told = [one for one in more.kappa.report(machine="e").cautions if "left out" in one]
    shares = 100 * more[list("abcd")].isna().mean()
    rest = shares.drop("b").mean()
    assert told == [
        f"b left out {shares['b']:.0f} % of the items, the others {rest:.0f} % on average."
    ]
    data = data_of("missing of a kind")
    rest = data.drop(columns="Tobi")
    part = (rest == "threat").sum(axis=1) / rest.notna().sum(axis=1)
    own, other = (np.average(data["Tobi"].isna(), weights=x.fillna(0)) for x in (part, 1 - part))
    [told] = reported_of("missing of a kind").cautions
    shares = f"threat ({100 * own:.0f} %) than of the rest ({100 * other:.0f} %)."
    assert told.endswith(f", and more of what these call {shares}")
    crowd = pd.DataFrame(rng.integers(0, 3, (600, 30))).add_prefix("w").astype(float)
    crowd = crowd.mask(rng.random(crowd.shape) < np.linspace(0.8, 0.95, 30))
    assert not any("left out" in one for one in crowd.kappa.report().cautions)


def test_two_sites_are_compared_without_the_rater_who_is_named_too():
    data, one = (
        data_of("rater in a group").drop(columns="Tobi"),
        told_of("rater in a group", "groups"),
    )
    rest = data.kappa.compare_groups(by="site", weights="quadratic")["difference"][0]
    assert one.sentence.endswith(f"; without Tobi {signed(float(rest))}.")


def test_who_passes_what_people_fail_is_told():
    data, one = data_of("leaning of labels"), told_of("leaning of labels", "leaning")
    fails = data[["Ana", "Ben", "Cem"]].to_numpy() == "fail"
    share = (fails & (data[["model"]] == "pass").to_numpy()).sum() / fails.sum()
    assert f"where people say fail, model says pass {100 * share:.0f} % of the time" in one.sentence


def test_in_a_crowd_a_few_ratings_name_nobody_and_void_nothing():
    """Of annotators who are alike most rate a few items, with one category each; one says cat."""
    rng = np.random.default_rng(0)
    truth, often = rng.choice(["cat", "dog", "fox"], 600), 1 / np.arange(1, 301)
    ratings = [
        (item, who, truth[item] if rng.random() < 0.85 else rng.choice(["cat", "dog", "fox"]))
        for item in range(600)
        for who in rng.choice(300, 3, replace=False, p=often / often.sum())
    ]
    frame = pd.DataFrame(ratings, columns=["item", "who", "label"])
    report = pdkappa.from_long(frame, item="item", rater="who", rating="label").report()
    assert not [one for one in report.cautions if "single category" in one]
    assert not [one.name for one in report.findings.findings if one.name]
    assert not report.findings.headline.startswith("Not valid")
    frame.loc[frame["who"] == 1, "label"] = "cat"
    report = pdkappa.from_long(frame, item="item", rater="who", rating="label").report()
    told = "1 used a single category: kappa with them is 0 or undefined whatever the items are."
    assert report.cautions[0] == told
    assert report.findings.findings[0].name == "1"
    assert not report.findings.headline.startswith("Not valid")


def guessing(shares, n=300):
    """Draw labels of annotators who guess a share of them."""
    rng = np.random.default_rng(0)
    truth, said = rng.integers(0, 5, n), {}
    for name, share in zip(NAMES, shares, strict=False):
        said[name] = np.where(rng.random(n) < share, rng.integers(0, 5, n), truth)
    return pd.DataFrame(said)


def test_who_hides_behind_another_is_named_too():
    """Each of two who guess lowers the agreement of those who do not, so that one was named."""
    data = guessing([0.4, 0.4, 0.1, 0.1, 0.1])
    found = told_of("rater", report=data.kappa.report())
    left = data.drop(columns=found.name).kappa.raters()
    own, rest = left.loc[hidden := left["estimate"].idxmin(), ["estimate", "light_without"]]
    assert found.sentence.endswith(
        f"; without {found.name}, {hidden} agrees with the others at {own:.2f}, these at {rest:.2f}"
        "."
    )
    degrees = guessing([0.05, 0.15, 0.25, 0.35, 0.45], n=3000)  # one of whom is always the lowest
    assert "without" not in told_of("rater", report=degrees.kappa.report()).sentence


@each(
    ("shares", "changed", "ends"),
    [
        ([0.25] * 5, 0.03, "or do these two read the labels in a way of their own?"),
        ([0.25] * 3, 0.01, "or does Lena err?"),
        ([0.25] * 2, 0.01, None),
        ([0.03, 0.03, 0.4, 0.4, 0.4], None, None),  # experts agree more with novices, too
        ([0.03, 0.03, 0.4], None, None),
    ],
)
def test_who_copies_most_of_another_is_asked_after_and_experts_are_not(shares, changed, ends):
    data, rng = guessing(shares), np.random.default_rng(1)
    if changed is not None:
        other = rng.random(len(data)) < changed
        data["Tobi"] = data["Noor"].mask(other, rng.integers(0, 5, len(data)))
    differ, long = (data["Noor"] != data["Tobi"]).sum(), data.melt(ignore_index=False)
    listed = pdkappa.from_long(
        long.reset_index(), item="index", rater="variable", rating="value"
    ).report()
    study = data.assign(w=1.001).kappa(weight_type="frequency")
    weighted = study.report([*data], sample_weight="w")
    for found in (data.kappa.report().findings, listed.findings, weighted.findings):
        told = [one.text for one in found.cautions if "gave" in one.text]
        assert len(told) == (ends is not None)
        for one in told:
            assert one.startswith(f"Noor and Tobi gave different ratings to {differ} of 300 items")
            assert one.endswith(ends)


def test_raters_who_agree_by_chance_are_no_copies():
    frame = pd.DataFrame({"a": [1, 2, 3] * 12, "b": [1, 2, 3] * 12, "c": [1, 2, 3] * 12})
    frame.loc[::6, "c"] = 9
    for n, is_told in ((18, False), (36, False), (72, True)):
        some = pd.concat([frame] * 2, ignore_index=True)[:n]
        told = [one.text for one in some.kappa.report().findings.cautions]
        assert any("a and b gave the same rating to all" in one for one in told) == is_told


@pytest.mark.needs("jinja2", "openpyxl")
def test_ratings_that_are_all_the_same_are_told_of_once(tmp_path):
    """The page could not be made."""
    report = pd.DataFrame({name: [1] * 30 for name in "abc"}).kappa.report()
    assert report.findings.headline == (
        "Not valid as it stands: The agreement of each pair of a, b and c is undefined: Both "
        "raters used the same single category for every item: agreement expected by chance is "
        "perfect, and kappa is 0/0."
    )
    assert report.cautions[0] == (
        "a, b and c used a single category: kappa with them is 0 or undefined whatever the items "
        "are."
    )
    assert len(report.findings.above) == 1
    page = report.to_html()
    assert "Who pulls agreement down?" not in page
    assert "is undefined: the table of pairs says why." in page
    report.to_excel(tmp_path / "a.xlsx")


@pytest.mark.needs("jinja2")
def test_a_machine_that_says_one_thing_has_no_limits_and_no_verdict():
    data = data_of("leaning of labels").assign(model="pass")
    report = data.kappa.report(["Ana", "Ben", "Cem", "model"], machine="model")
    people = report.tables["machines"]["estimate_humans"].iloc[0]
    assert report.findings.headline == (
        "Not valid as it stands: model agrees with people, and they with each other: Cohen's "
        f"kappa 0.00 against {people:.2f} ({MINUS}{people:.2f}); the difference has no limits; it "
        "says pass too often."
    )
    assert [one.kind for one in report.findings.findings] == ["leaning"]
    assert people > 0.3
    assert "is undefined: the table" not in report.to_html()  # only the machine with itself is
    nothing = data.assign(Ana="pass", Ben="pass", Cem="pass")
    report = nothing.kappa.report(["Ana", "Ben", "Cem", "model"], machine="model")
    assert report.findings.headline == (
        "Not valid as it stands: The agreement of model with people is undefined."
    )


def test_one_who_agrees_perfectly_in_a_group_raises_the_mean():
    report = reported_of("raised mean")
    plain = report.tables["pairs"]["estimate"].mean()
    [told] = [one for one in report.cautions if "Fisher" in one]
    assert told == (
        "Tobi and Lena agree perfectly in Oslo, which Fisher's z takes for 0.999, and which raises "
        f"the mean: without Fisher's z it is {plain:.2f}."
    )
    assert told in " ".join(" ".join(report.findings.lines()).replace("  ", " ").split())
    data = data_of("raised mean")
    data["Noor"] = data["Noor"].where(data["site"] == "Rome", data["Tobi"])
    weights = {"Lyon": 1, "Oslo": 2, "Rome": 5}
    report = data.kappa.report(by="site", machine="Lena", group_weights=weights)
    pairs = report.tables["pairs"]
    people, machine = (pairs[(pairs["rater_b"] == "Lena") == one] for one in (False, True))
    means = [
        np.average(one["estimate"], weights=one.index.map(weights)) for one in (people, machine)
    ]
    told = [one for one in report.cautions if "Fisher" in one]
    raises = "which Fisher's z takes for 0.999, and which raises the mean of"
    assert told[0] == (
        f"Noor and Tobi agree perfectly in Lyon (and 1 more), {raises} people: without Fisher's z "
        f"it is {means[0]:.2f}."
    )
    assert len(told) == 2
    assert told[1] == (
        f"Noor and Lena agree perfectly in Oslo (and 1 more), {raises} machines with people: "
        f"without Fisher's z it is {means[1]:.2f}."
    )
    of_people, of_machine = (f" ({one:.2f} without Fisher's z) " for one in means)
    assert re.search(
        rf"{re.escape(of_machine)}against [0-9.]+{re.escape(of_people)}\(", report.findings.headline
    )


def test_the_plain_mean_stands_in_the_headline_too():
    report = reported_of("raised mean")
    plain = report.tables["pairs"]["estimate"].mean()
    assert (
        f" on average over three groups ({plain:.2f} without Fisher's z)"
        in report.findings.headline
    )
    assert "Fisher" not in reported_of("raised mean", planted=False).findings.headline


def test_a_mean_of_groups_that_are_far_apart_stands_beside_the_plain_one():
    """Without the rater it was lower than the mean of all, which Fisher's z had raised."""
    data = data_of("confusion").fillna("other").assign(half=np.arange(300) // 150)
    data["Ravi"] = data["Noor"].where(np.arange(300) % 40 > 0, "spam")
    report = data.kappa.report(by="half")
    pairs = report.tables["pairs"]["estimate"]
    mean = np.tanh(np.arctanh(pairs).mean())
    named = told_of("", "rater", report)
    assert mean - pairs.mean() > 0.03
    assert f"({pairs.mean():.2f} without Fisher's z)" in report.findings.headline
    own = re.search("agrees with the others at [0-9.]{4}", named.sentence)[0]
    assert report.findings.headline.endswith(f"; Tobi {own}.")
    [told] = [one for one in report.cautions if "Fisher" in one]
    assert told == (
        f"Coefficients go from {pairs.min():.2f} (Tobi and Lena in half 0) to {pairs.max():.2f} "
        "(Noor and Ravi in half 0), and the larger they are the more they count in a mean on "
        f"Fisher's z scale: without Fisher's z it is {pairs.mean():.2f}."
    )


def test_of_those_who_lower_agreement_too_it_is_said_how_and_where():
    """Who is named is not among those whom they are compared with."""
    rng, half = np.random.default_rng(7), np.arange(400) // 200
    truth, draws = rng.integers(0, 6, 400), rng.integers(0, 6, (7, 400))
    names, errs = [*NAMES, "Zoe", "Max"], rng.random((7, 400)) < 0.15
    own = dict(zip(names, np.where(errs, draws, truth), strict=True))
    own["Tobi"] = np.choose(own["Tobi"], [1, 0, 2, 3, 4, 5])
    own["Lena"] = np.where(half & (rng.random(400) < 0.7), 2, own["Lena"])
    own["Sam"] = np.where(rng.random(400) < 0.4, 3, own["Sam"])
    data = pd.DataFrame(own).replace(dict(enumerate("abcdef"))).assign(half=1 - half)
    sentence = told_of("", "rater", data.kappa.report(by="half")).sentence
    raters = data.kappa.raters(by="half")["estimate"]
    lena = f"Lena ({raters[0, 'Lena']:.2f} in half 0)"
    tobi = f"Tobi ({raters.xs('Tobi', level='rater').mean():.2f})"
    assert f"; {tobi}, {lena} lower agreement, too; where others say " in sentence
    rows = told_of("", "rater", data.kappa.report(by="half")).rows
    where = [(half, who) for half in (0, 1) for who in ("Tobi", "Sam", "Lena")]
    assert {label for _, label in rows} == {*where} - {(1, "Lena")}

    def share(who, given, instead):
        tries = [data[who][data[x] == given] == instead for x in ("Noor", "Ravi", "Zoe", "Max")]
        return f"{who} says {instead} {100 * pd.concat(tries).mean():.0f} % of the time"

    found = re.findall(r"say (.), (\w+) says (.) ", sentence)
    assert [(who, instead) for _, who, instead in found[1:]] == [("Tobi", "b"), ("Lena", "c")]
    for given, who, instead in found:
        assert share(who, given, instead) in sentence


def test_a_category_of_two_items_does_not_tell_why_readings_are_missing():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        truth = rng.choice([*"xyz"], 150, p=[0.5, 0.48, 0.02])
        errs = rng.random((150, 4)) < 0.2
        data = pd.DataFrame(
            np.where(errs, rng.choice([*"xy"], errs.shape), truth[:, None]), columns=[*"abcd"]
        )
        data["d"] = data["d"].where(rng.random(150) < 0.5)
        assert "of what these call" not in "".join(data.kappa.report().cautions)


@pytest.mark.filterwarnings("ignore:Constructing a DataFrame from a list of sequences")
def test_groups_may_be_tuples():
    data = CASES["machine"].data(0, planted=True)
    data["site"] = [(1, 2), (3, 4)] * (len(data) // 2)
    sentence = told_of(
        "", "machine in groups", data.kappa.report(machine="model", by="site")
    ).sentence
    assert sentence.startswith("Groups are not shown to differ in how far model is below people")
    data = data_of("rater in a group")
    data["site"] = [{"Lyon": (1, 2), "Oslo": (3, 4)}[one] for one in data["site"]]
    named = told_of("", "rater", data.kappa.report(weights="quadratic", by="site"))
    assert named.name == "Tobi"
    assert named.sentence.startswith("In site (3, 4) Tobi agrees")


def test_a_machine_below_people_everywhere_is_named_in_no_group():
    data = CASES["machine"].data(0, planted=True).assign(site=np.arange(400) % 2)
    report = data.kappa.report(machine="model", by="site")
    sizes = report.tables["machines"]["difference"]
    one = told_of("", "machine in groups", report)
    assert (one.verdict, one.name) == ("cannot tell", "")
    assert one.sentence.replace(MINUS, "-") == (
        f"Groups are not shown to differ in how far model is below people: {sizes.min():.2f} to "
        f"{sizes.max():.2f}."
    )
    assert "least in" not in report.findings.headline


def test_a_machine_that_is_not_worse_by_a_margin_is_told_so_in_the_headline():
    data = CASES["machine"].data(0, planted=False)
    report = data.kappa.report(machine="model", margin=0.2)
    assert report.findings.headline.startswith(
        "model agrees with people at most 0.2 less than they"
    )
    assert data.kappa.report(machine="model").findings.headline.startswith("Cannot tell whether")


def test_how_often_a_judge_says_what_in_a_group_is_counted_by_hand():
    data, one = data_of("leaning in groups"), told_of("leaning in groups")
    where = one.name.removeprefix("judge in ")
    part = data[data["longer"] == where].drop(columns="longer") == where[0]
    own, people = part["judge"].mean(), part[["Ana", "Ben", "Cem"]].to_numpy().mean()
    told = f"says {where[0]} more often than people: {100 * own:.0f} % against {100 * people:.0f} %"
    assert told in one.sentence
    assert_allclose(one.figures[0], own - people)
    frame = reported_of("leaning in groups").tables["leaning_in_groups"]
    assert frame.index.names == ["machine", "longer", "category"]
    assert_allclose(frame["difference"]["judge", where, where[0]], own - people)
    assert not [
        x for x in reported_of("leaning in groups").findings.findings if x.kind == "leaning"
    ]


def test_a_site_where_almost_nobody_is_ill_has_a_low_kappa_for_that():
    """Readers of it are as good as the others, and the site came last all the same."""
    data, told = data_of("rare category"), "the same errors lower kappa more where one is so common"
    [one] = [one for one in reported_of("rare category").cautions if told in one]
    clear = data.set_index("site").eq("clear").groupby(level="site").mean().mean(axis=1)
    assert one == (
        f"In Oslo {100 * clear['Oslo']:.0f} % of the ratings are clear, elsewhere "
        f"{50 * (clear['Lyon'] + clear['Rome']):.0f} % are of one category: the same errors lower "
        "kappa more where one is so common."
    )
    by_machine = data.kappa.report(by="site", machine="Lena").cautions
    assert any(told in one for one in by_machine)
    gwet = data.kappa.report(by="site", coefficient="gwet").cautions
    assert not any(told in one for one in gwet)


@pytest.mark.needs("jinja2")
def test_the_line_through_the_groups_is_the_figure_of_the_headline():
    report = reported_of("groups of many")
    lanes = by_group(
        Sheet("by group", report.tables["by_group"], ""), "", mean=report.findings.figures[0]
    )
    low = min(report.tables["by_group"]["ci_low"].min(), 0)
    assert lanes.line == Axis(low, 1.0).place(report.findings.figures[0])
    assert f'class="null" x1="{lanes.line}%"' in page_of("groups of many")


def test_an_axis_of_effects_is_as_wide_as_they_are():
    """That of 300 annotators, each of whom hardly matters, went to .1."""
    names = [f"r{one}" for one in range(3)]
    sides = {"effect_low": -0.004, "effect": -0.002, "effect_high": 0.001}
    frame = pd.DataFrame({**sides, "estimate": 0.5, "light_without": 0.5}, index=names)
    shown = effects(Sheet("raters", frame.rename_axis("rater"), ""))
    assert [text for _, text in shown.ticks] == ["-0.006", "-0.004", "-0.002", "0", "0.002"]
    none = effects(Sheet("raters", frame.iloc[:, :3].mul(0).join(frame.iloc[:, 3:]), ""))
    assert none.line == "50.00"
    assert len(none.ticks) > 2


def test_an_identifier_that_several_rows_have_asks_for_clusters():
    """It may stand in several groups, as numbers of essays do, and be missing."""
    data, options = data_of("repeated item"), CASES["repeated item"].options
    told = "300 rows have 150 values of 'comment': if rows of one belong together, pass "
    told += "cluster='comment', as limits take each row for an item of its own."
    assert [*reported_of("repeated item").cautions] == [told]
    halves = data.assign(site=np.arange(300) % 2)
    apart = data.assign(comment=np.where(np.arange(300) < 200, None, np.arange(300)))
    for other in (data.kappa(cluster="comment"), halves.kappa(by="site"), apart.kappa):
        assert not any("values of 'comment'" in one for one in other.report(**options).cautions)
