"""How results show themselves: in a terminal, in a notebook, in colours, for a paper."""

import io
import json
import pickle
import re
from functools import cache

import pandas as pd
import pytest

import pdkappa
from conftest import exactly
from pdkappa.errors import OptionError
from pdkappa.methods.predictions.cutpoints import cutpoints

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
BY_SET = {"by": "essay_set", "weights": "quadratic"}
EVIL = "<script>alert(1)</script>"


def grouped(data=ESSAYS, by="essay_set"):
    """Agreement by group."""
    return data.kappa.grouped("human_1", "machine", by=by)


def cuts_of(**options):
    """Cut-points of the machine."""
    return ESSAYS.kappa.predictions.cutpoints(
        "human_1", "machine", method="exact", n_folds=0, weights="quadratic", **options
    )


RESULTS = {
    "grouped": grouped,
    "pairs": lambda: ESSAYS.kappa.grouped(
        pairs=[("human_1", "machine"), ("human_2", "machine")], by="essay_set"
    ),
    "report": lambda: ESSAYS.kappa.report(RATERS, detail=["drilldown"], **BY_SET),
    "cutpoints": cuts_of,
    "cutpoints by": lambda: cuts_of(by="essay_set"),
}


@cache
def made(name):
    """Make a result once."""
    return RESULTS[name]()


@pytest.fixture(params=RESULTS)
def result(request):
    """Each result in turn."""
    return made(request.param)


TEN = ("tables", "to_frame", "options", "methods", "remarks", "style", "plot")
TEN += ("to_excel", "to_html", "to_latex", "to_markdown")  # two of a kind


@pytest.mark.needs("jinja2")
def test_results_of_several_tables_have_the_same_ten_names(result):
    """And they work."""
    assert all(hasattr(result, name) for name in TEN)
    assert callable(result.plot)
    assert json.loads(json.dumps(result.options)) == result.options
    assert result.to_html().startswith("<!DOCTYPE html>")
    result.to_excel(io.BytesIO())
    assert result.methods("markdown").startswith("## ")
    assert all(isinstance(one, str) for one in result.remarks)
    assert all(
        isinstance(one, pd.DataFrame) for one in [*result.tables.values(), result.to_frame()]
    )


def test_a_table_that_a_report_does_not_have_is_told_with_those_it_has():
    with pytest.raises(AttributeError) as caught:
        made("report").tabels  # noqa: B018
    names = ", ".join(made("report").tables)
    assert str(caught.value) == f"This report has no 'tabels'; its tables: {names}."


def test_long_labels_and_long_notes_go_on_in_new_lines():
    essays = ESSAYS.assign(essay_set=ESSAYS["essay_set"].map("{} of a long name ".format) * 9)
    assert max(map(len, repr(grouped(essays)).splitlines())) <= 100
    constant = ESSAYS.assign(human_1=1, machine=1)
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        result = grouped(constant)
    assert len(result.findings.headline) > 80
    assert max(map(len, repr(result).splitlines())) <= 100
    assert pdkappa.present.schema.REASONS["constant_ratings"][:40] in " ".join(repr(result).split())


@pytest.mark.parametrize("n_rows", [10, 20])
def test_a_long_result_is_shown_without_its_middle(n_rows):
    essays = ESSAYS.assign(tenth=ESSAYS.index // 20)
    with pd.option_context("display.max_rows", n_rows, "display.min_rows", 10):
        result = grouped(essays, "tenth")
        lines = repr(result).splitlines()
        page = result._repr_html_()
    assert sum(line.startswith("...") for line in lines) == 1
    end = next(n for n, line in enumerate(lines) if line.startswith("[103 rows x "))
    means = [line.split()[0] for line in lines[end - 4 : end - 1]]
    assert means == ["fisher_mean", "fixed", "random"]
    assert page.count("<tr") < 15


def evil_results():
    """Make results with a script in the labels of raters, groups and classes."""
    raters = ESSAYS[["human_1", "machine"]].set_axis([EVIL, f"{EVIL}2"], axis=1)
    frame = raters.assign(**{f"{EVIL}by": ESSAYS["essay_set"].astype(str) + EVIL})
    by = {"by": f"{EVIL}by"}
    few = frame.iloc[-100:]
    yield frame.kappa.grouped(EVIL, f"{EVIL}2", **by)
    yield frame.kappa.grouped(pairs=[(EVIL, f"{EVIL}2")], **by)
    yield frame.kappa.report(detail=["drilldown"], **by)
    few_cuts = {"method": "exact", "n_folds": 0, "weights": "quadratic"}
    yield frame.kappa.predictions.cutpoints(EVIL, f"{EVIL}2", **few_cuts, **by)
    classes = few[EVIL].astype(str) + EVIL
    order = list(classes[few[EVIL].sort_values().index].unique())
    yield cutpoints(classes, few[f"{EVIL}2"], categories=order, method="exact", weights="quadratic")


@pytest.mark.needs("jinja2")
def test_no_label_becomes_code():
    for result in evil_results():
        for page in (result._repr_html_(), result.style.to_html()):
            assert "<script" not in page
            assert "&lt;script&gt;" in page
            assert "&amp;lt;" not in page
        assert "<" not in result.to_latex()
        assert re.search(r"(?<!\\)<", result.to_markdown()) is None
        assert result.to_markdown().count(r"\<script\>") > 0


@pytest.mark.parametrize("digits", [-1, 16, 2.0, True, "2", None])
def test_digits_that_are_no_number_of_decimals(digits):
    message = "digits=-1 must be a whole number from 0 to 15.".replace("-1", repr(digits), 1)
    calls = [
        lambda: grouped().to_latex(digits=digits),
        lambda: made("report").to_markdown(digits=digits),
        lambda: pdkappa.style(ESSAYS.kappa.pairs(RATERS), digits=digits),
    ]
    for call in calls:
        with pytest.raises(OptionError, match=exactly(message)):
            call()


@pytest.mark.needs("jinja2")
def test_frames_can_be_styled():
    for pairs in (ESSAYS.kappa.pairs(RATERS), pd.DataFrame(ESSAYS.kappa.pairs(RATERS))):
        before = pairs.copy()
        page = pdkappa.style(pairs).to_html()
        assert "estimate [CI]" in page
        assert page.count("background-color") == len(pairs)
        pd.testing.assert_frame_equal(pairs, before)
    assert pdkappa.style(ESSAYS.kappa.pairwise(RATERS)).to_html().count("background-color") == 9


def test_what_is_no_frame_cannot_be_styled(refuses):
    with refuses():
        pdkappa.style(made("grouped"))


def test_what_is_shown_survives_a_pickle(result):
    again = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert repr(again) == repr(result)


SPECIAL = r"a_1 & 50% #{x}^~\<|>$"


def latex_results():
    """Make frames and results whose labels LaTeX would read."""
    few = ESSAYS[ESSAYS["essay_set"] > 6].rename(columns={"human_1": SPECIAL, "essay_set": "s_t"})
    raters = [SPECIAL, "human_2", "machine"]
    yield pdkappa.style(few.kappa.pairs(raters))
    yield pdkappa.style(few.kappa.pairs(raters, by="s_t"))
    yield pdkappa.style(few.kappa.pairwise(raters))
    yield pdkappa.style(few.kappa.pairwise(raters, by="s_t"))
    yield pdkappa.style(few.kappa.confusion(SPECIAL, "human_2"))
    yield pdkappa.style(few.kappa.agreement(raters))
    yield few.kappa.grouped(SPECIAL, "machine", by="s_t")
    yield few.kappa.grouped(SPECIAL, "machine", by="s_t").style
    yield few.kappa.report(raters, detail=["drilldown"]).style


@pytest.mark.needs("jinja2")
def test_latex_of_what_is_styled_holds_no_html_and_no_raw_label():
    for made in latex_results():
        text = made.to_latex()
        assert r"\begin{tabular}{" in text
        assert SPECIAL not in text
        assert re.search(r"\\th(?!e)|\\td|caption-side|&amp;|text-align", text) is None
        assert re.search(r"(?<!\\)[_#^~$%]", text.replace("$-$", "").replace("[HTML]", "")) is None
        assert r"\multirow" not in text
        for colour in re.findall(r"\\cellcolor(.*?) ", text):
            assert re.fullmatch(r"\[HTML\]\{[0-9A-F]{6}\}", colour)
