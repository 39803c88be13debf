"""Frames that are returned: DataFrames in everything but how they are shown."""

import html
import io
import json
import pickle
import re
import warnings
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each, methods
from pdkappa.errors import UndefinedKappaWarning, warn
from pdkappa.methods.estimates.asks import Asked, asks
from pdkappa.present.text_cells import heat
from pdkappa.present.text_tables import Result, result
from test_sweep import FILES, FRAME, LONG, OF_LONG, ROLES, base_of

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]
FEW = pdkappa.datasets.load_anxiety()


def plain(frame):
    """Make a plain frame of a result."""
    return pd.DataFrame(frame)


@pytest.fixture(scope="module")
def told():
    """Call every method that returns a frame once, and keep its warnings."""
    made = {}
    for name in sorted(methods().keys() - FILES):
        frame = (LONG if name in OF_LONG else FRAME).copy()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found = attrgetter(name)(frame.kappa)(**base_of(name))
        if isinstance(found, pd.DataFrame):
            made[name] = found, [str(one.message) for one in heard]
    return made


def raters_of(name):
    """Return the columns of raters that a method was given."""
    given = [one for role, one in base_of(name).items() if role in {*ROLES, "stand_in"}]
    return sorted({*np.hstack(given)})


def test_every_frame_says_who_the_raters_were(told):
    for name, (frame, _) in told.items():
        assert isinstance(frame, Result), name
        assert sorted(frame.attrs["raters"]) == raters_of(name) or name in OF_LONG, name


def test_raters_of_other_sources():
    table = pdkappa.datasets.load_cohen1968()
    names = [table.index.name, table.columns.name]
    assert pdkappa.from_table(table).pairs().attrs["raters"] == names
    counts = FEW.apply(lambda row: row.value_counts(), axis=1).fillna(0)
    assert pdkappa.from_counts(counts).agreement().attrs["raters"] == []
    for method in ("items", "categories"):
        found = getattr(pdkappa.from_counts(counts), method)(coefficient="fleiss")
        assert found.attrs["raters"] == []
    long = FEW.rename_axis("index").reset_index().melt("index")
    ratings = pdkappa.from_long(long, item="index", rater="variable", rating="value")
    assert ratings.pairs().attrs["raters"] == ratings.agreement().attrs["raters"] == [*FEW]
    assert FEW.set_axis(np.arange(3), axis=1).kappa.pairs().attrs["raters"] == [0, 1, 2]
    of_groups = ESSAYS.groupby("essay_set")[RATERS].kappa.pairs()
    assert of_groups.attrs["raters"] == RATERS


def test_a_result_is_the_frame_that_it_holds(told):
    for frame, _ in told.values():
        assert isinstance(frame, pd.DataFrame)
        pd.testing.assert_frame_equal(frame, plain(frame))
        pd.testing.assert_frame_equal(plain(frame), frame)
        pd.testing.assert_frame_equal(frame, frame)
        assert frame.equals(plain(frame))
        assert plain(frame).equals(frame)


def test_what_is_computed_from_a_result_is_a_plain_frame():
    frame = FEW.kappa.pairs()
    assert "estimate [95% CI]" in repr(frame)
    for made in (
        *(frame[["estimate", "se"]], frame.head(2), frame.round(3), frame.copy(), frame.T),
        *(
            frame == frame.copy(),
            frame.assign(x=1),
            frame[frame["estimate"] > 0],
            frame.reset_index(),
        ),
        *(pd.concat([frame, frame]), frame.sort_values("estimate"), frame.set_index("rater_a")),
        *(frame.groupby("rater_a").first(), frame.merge(frame, on="rater_a"), plain(frame)),
    ):
        assert type(made) is pd.DataFrame
    assert type(frame["estimate"]) is pd.Series
    assert frame.to_csv() == plain(frame).to_csv()
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(plain(frame), frame.assign(more=0.0))


def test_a_result_shares_nothing_with_what_it_was_made_of():
    frame = pd.DataFrame({"x": [1]})
    made = result(frame, ["ann"])
    made["x"] = 2
    assert frame["x"].tolist() == [1]
    assert frame.attrs == {}


def test_raters_are_named_where_the_table_does_not():
    assert "Raters" not in repr(FEW.kappa.pairwise()) + repr(FEW.kappa.pairs())
    assert "\nRaters: rater_1, rater_2, rater_3\n" in repr(FEW.kappa.agreement())
    many = pd.concat([FEW] * 4, axis=1).set_axis([f"r{i}" for i in range(12)], axis=1)
    named = "Raters: r0, r1, r2, r3, r4, r5, r6, r7 and 4 more"
    assert named in repr(many.kappa.agreement())
    with pd.option_context("display.max_rows", 20):
        assert "Raters: r0" in repr(many.kappa.pairs()), "the middle is not shown"


@pytest.mark.needs("jinja2")
def test_a_notebook_shows_colours_and_no_formula():
    page = FEW.rename(columns={"rater_1": "$x$"}).kappa.pairwise()._repr_html_()
    assert page.startswith('<div class="tex2jax_ignore mathjax_ignore">')
    assert page.count("background-color") == 9
    with pd.option_context("display.notebook_repr_html", False):  # noqa: FBT003
        assert FEW.kappa.pairwise()._repr_html_() is None


@pytest.mark.needs("jinja2")
def test_a_long_and_a_wide_frame_are_shown_without_their_middle():
    wide = pd.DataFrame(np.eye(30), [f"r{i}" for i in range(30)], [f"r{i}" for i in range(30)])
    with pd.option_context("display.max_rows", 10, "display.min_rows", 6):
        page = result(wide, wide.columns)._repr_html_()
        text = repr(ESSAYS.kappa.items(RATERS))
    assert page.count("<tr") == 1 + 7
    assert page.count("<th ") == 1 + 21 + 7
    assert page.count(">r29<") == 2
    assert "<p>30 rows x 30 columns</p>" in page
    assert "[2000 rows x" in text
    by = ESSAYS.kappa.pairs(RATERS, by="essay_set")
    with pd.option_context("display.max_rows", 10, "display.min_rows", 4):
        assert by._repr_html_().count("<tr") == 2 + 5


def test_without_jinja2_a_notebook_shows_plain_cells(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    page = FEW.rename(columns={"rater_1": "<b>"}).kappa.pairs()._repr_html_()
    assert "background-color" not in page
    assert "&lt;b&gt;" in page
    assert "Estimate [95% CI]" in page


@each("label", ["\x1b[31mred", "a\x07b", "\u202eevil"])
def test_a_terminal_obeys_no_label(label):
    frame = FEW.rename(columns={"rater_1": label})
    shown = repr(frame.kappa.pairs()) + repr(frame.kappa.pairwise()) + repr(frame.kappa.agreement())
    assert not any(char in shown for char in "\x1b\x07\u202e")
    assert frame.kappa.pairwise().columns[0] == label, "the frame has the label as it is"


FILLED = r"td\.row(\d+)\.col(\d+) \{\s*background-color: (#[0-9a-f]{6})"


@pytest.mark.needs("jinja2")
@each("options", [{}, {"margins": True}, {"normalize": "all"}, {"normalize": "index", "by": "g"}])
def test_a_confusion_table_is_shaded_by_its_items(options):
    """Blue on the diagonal, orange beside it; white for nothing, and none for sums."""
    df = pd.DataFrame({"ann": [0, 0, 0, 0, 1], "bob": [0, 0, 0, 0, 0], "g": 7})
    frame = df.kappa.confusion("ann", "bob", **options)
    found = {(i, j): colour for i, j, colour in re.findall(FILLED, frame._repr_html_())}
    other = heat(-1) if options.get("normalize") == "index" else heat(-0.5)
    assert found == {("0", "0"): heat(1), ("1", "0"): other}


ORDERED = pd.DataFrame({"ann": [1, 2, 3, 3, 2], "bob": [1, 2, 3, 2, 2]})
HINT = 'scores? weights="quadratic"'


def test_the_line_is_that_of_the_options():
    quadratic = ESSAYS.kappa.pairs(RATERS, weights="quadratic", by="essay_set")
    assert repr(quadratic).endswith(
        "Cohen's kappa, quadratic weights \N{MIDDLE DOT} 95% CI (guarded Fisher z) "
        "\N{MIDDLE DOT} missing: pairwise\n2,000 items in 8 groups"
    )
    told = (
        ESSAYS.query("essay_set > 6")
        .kappa(n_resamples=20)
        .pairs(RATERS, ci="bca", confidence_level=0.9, cluster="essay_id", missing="listwise")
        ._told
    )
    assert told.at_work(told.line).split(" \N{MIDDLE DOT} ") == [
        "Cohen's kappa, unweighted",
        "90% CI (BCa, clusters: essay_id)",
        "missing: listwise",
        "360 items",
        HINT,
    ]


def test_who_has_scores_is_told_of_quadratic_weights():
    words = ORDERED.map({1: "low", 2: "mid", 3: "high"}.get)
    scale = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    for frame, is_told in {
        "numbers": (ORDERED, True),
        "an order": (words.astype(scale), True),
        "two categories": (ORDERED.clip(2, 3), False),
        "text": (words, False),
    }.values():
        assert (HINT in repr(frame.kappa.pairs())) == is_told
        assert (HINT in repr(frame.kappa.agreement())) == is_told
        assert "scores?" not in frame.kappa.pairs().to_latex() + frame.kappa.pairs().to_markdown()
    assert HINT not in repr(ORDERED.kappa.pairs(weights="linear"))
    assert HINT not in repr(ORDERED.kappa.usage())


def test_limits_are_named_where_they_are_shown():
    assert "CI" not in ORDERED.kappa.pairwise()._told.line
    assert (
        "99% CI (Fisher z)"
        in ORDERED.kappa.agreement(ci="fisher", confidence_level=0.99)._told.line
    )


def test_options_are_what_they_became(told):
    for name, (frame, _) in told.items():
        assert json.loads(json.dumps(frame.attrs["kappa"])) == frame.options, name
        assert frame.options.get("ci") != "auto", name
        assert sorted(frame.options.get("raters", raters_of(name))) == raters_of(name), name
    weights = np.ones((3, 3)) - np.eye(3)
    options = ORDERED.kappa.pairs(weights=weights).options
    assert [options[one] for one in ("weights", "categories", "ci")] == [
        "ndarray",
        [1, 2, 3],
        "guarded",
    ]


def test_warnings_stay_with_the_result(told):
    for name, (frame, heard) in told.items():
        on_rows = [one for one in frame.get("remark", ()) if one]
        assert frame.remarks == [*dict.fromkeys([*heard, *on_rows])], name
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning) as heard:
        frame = ORDERED.assign(bob=1, ann=1).kappa.pairs()
    assert frame.remarks[0] == str(heard[0].message)


def test_what_an_inner_call_warns_of_stays_with_the_outer():
    class OfNothing(Asked):
        """No options."""

    @asks(OfNothing)
    def inner(asked):
        warn("few", UndefinedKappaWarning)
        return result(pd.DataFrame({"n": [len(asked.options)]}), [])

    @asks(OfNothing)
    def outer(asked):
        inner()
        return result(pd.DataFrame({"n": [len(asked.options)]}), [])

    with pytest.warns(UndefinedKappaWarning):
        assert outer().remarks == ["few"]


def test_a_result_survives_what_pandas_does(told):
    for name, (frame, _) in told.items():
        again = pickle.loads(pickle.dumps(frame))  # noqa: S301
        assert type(again) is type(frame), name
        assert (again.options, again.remarks, repr(again)) == (
            frame.options,
            frame.remarks,
            repr(frame),
        )
        both = pd.concat([frame, frame])
        assert both.attrs["kappa"] == frame.head(1).attrs["kappa"] == frame.options
        assert isinstance(frame.full, Result)
        pd.testing.assert_frame_equal(frame.full, pd.DataFrame(frame))
        assert frame.full.attrs == frame.attrs


def test_all_outputs_say_the_same(told):
    """In plain words: no name of a column is left, but the line stands everywhere."""
    pytest.importorskip("jinja2")
    openpyxl = pytest.importorskip("openpyxl")
    for name, (frame, _) in told.items():
        line, file = frame._told.line, io.BytesIO()
        frame.to_excel(file)
        sheets = openpyxl.load_workbook(file, read_only=True).worksheets
        assert any(line in row for one in sheets for row in one.iter_rows(values_only=True)), name
        texts = [frame._repr_html_(), frame.to_html(), frame.style.to_html(), frame.to_latex()]
        for text in (*texts, frame.to_markdown()):
            said = html.unescape(text).replace(r"\textperiodcentered{}", "\N{MIDDLE DOT}")
            for raw in ("\\", "\n"):
                said = said.replace(raw, "")
            assert line in said, name
            assert "n_items" not in said, name


@each("method", ["pairs", "agreement", "icc", "scores.bland_altman", "scores.within", "categories"])
def test_every_source_of_a_sentence_is_listed(method):
    """Author and year of each citation stand in the references, too."""
    function = attrgetter(method)(ORDERED.kappa)
    call = ("ann", "bob") if "bland" in method else ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sentences, _, references = function(*call).methods().partition("References")
    cited = re.findall(r"([A-Z][\w-]+)(?: et al\.| & [A-Z][\w-]+)?, ((?:\d{4}(?:)?)+)", sentences)
    assert cited
    for author, years in cited:
        for year in re.findall(r"\d{4}", years):
            assert re.search(rf"{author}.*\({year}\)", references), (author, year)


@each("method", ["icc", "scores.within"])
def test_a_source_is_listed_once_and_in_order(method):
    """Of docstrings and sentences together."""
    references = attrgetter(method)(ORDERED.kappa)().methods().partition("References")[2]
    every = [one.removeprefix("The ").casefold() for one in references.strip().split("\n\n")]
    assert every == sorted({one[:20]: one for one in every}.values())
    assert len(every) > 1


def test_a_paper_is_told_the_sources():
    text = ORDERED.kappa.pairs(weights="quadratic").methods()
    assert "Cohen's kappa (Cohen, 1960, 1968) with quadratic weights (Fleiss & Cohen" in text
    assert "and guarded by one more item" in text
    assert "5 items were rated by ann, bob." in text
    assert "Cohen, J. (1968). Weighted kappa" in text.partition("References")[2]
    latex = ORDERED.kappa.scores.concordance().methods("latex")
    assert r"\subsection*{References}" in latex
    assert "Lin" in latex
