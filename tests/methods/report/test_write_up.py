"""What a report says for a paper: true sentences, in three formats, with their sources."""

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each, function_of
from pdkappa._typing import Interval
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.resampling import QUANTILES
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.present.text_markup import REFERENCES, apa, cited_in
from pdkappa.ratings.coded import MISSING

RATERS = ["ann", "bob", "eve"]
INTERVALS = get_args(Interval)
QUICK = {"detail": ["counts"]}
CITED = re.compile(r"(?:[A-Z][\w-]+(?: & [A-Z]\w+| et al\.)?), (?:\d{4}, )*\d{4}(?=[;)])")
ROMAN = {0x0E: None, 0x0F: None}
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
DOCS = Path(__file__).parents[3] / "docs"


def ratings(n=36):
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 5, n)
    data = {name: (truth + rng.integers(-1, 2, n)).clip(1, 4) for name in RATERS}
    site, student = np.resize(["x", "y"], n), np.arange(n) // 3
    return pd.DataFrame({**data, "site": site, "student": student, "share": 1 + truth / 8})


def told(raters=RATERS, data=None, **options):
    """Write up a report of some raters, and return it with what it says."""
    drawn = {"n_resamples": 20, "rng": 1} if options.get("ci") in QUANTILES else {}
    options = QUICK | drawn | options
    made = function_of("report")(ratings() if data is None else data, raters, **options)
    return made, made.methods()


# Every coefficient, weighting and interval in some report, and `missing` where it may be.
CASES = [
    {
        "coefficient": [*COEFFICIENTS][n % len(COEFFICIENTS)],
        "weights": [*WEIGHTS][n % len(WEIGHTS)],
        "ci": INTERVALS[n % len(INTERVALS)],
        "missing": MISSING[n % len(MISSING)] if n % len(INTERVALS) < 3 else "pairwise",
    }
    for n in range(max(len(COEFFICIENTS), len(WEIGHTS), len(INTERVALS), 10))
]


def test_whatever_is_registered_has_a_name_a_formula_and_a_source():
    for name, row in COEFFICIENTS.items():
        together = MULTIRATER[row.together]
        assert name == "percent" or {row.source, together.source} <= REFERENCES.keys()
    for name, row in WEIGHTS.items():
        assert name is None or (row.formula and row.source in REFERENCES)


@each(("options", "shape"), [(one, n % 3) for n, one in enumerate(CASES)])
def test_figures_names_and_sources_of_every_option(options, shape):
    raters, by = (RATERS[:2], RATERS, RATERS)[shape], "site" if shape == 2 else None
    made, text = told(raters, by=by, **options)
    figures = "{}, 95% CI [{}, {}]".format(*map(apa, made.findings.figures))
    method, found, references = re.split("\n\n(?:Results|References)\n\n", text)
    first, found = found.split("\n\n")
    assert first.startswith(made.findings.headline)
    assert found.split(". ")[0].endswith(figures)
    row = COEFFICIENTS[options["coefficient"]]
    several = shape == 1 or (shape == 2 and by is None)
    assert (MULTIRATER[row.together].spoken if several else row.spoken)[:-1] in method
    weights = options["weights"]
    assert WEIGHTS[weights].formula in method
    assert ("without weights" in method) == (weights is None)
    sources = {"The pdkappa developers, 2026", *CITED.findall(method)}
    assert "".join(cited_in("; ".join(sources))).translate(ROMAN) == "".join(
        references.split("\n\n")
    )
    assert not re.search(r"\bnan|(?<!\d)0\.\d(?!\.)|None", found)
    assert "by the method" not in method  # which has no words


@pytest.mark.parametrize("by", [None, "essay_set"])
@pytest.mark.parametrize("ci", INTERVALS)
def test_tables_say_which_limits_they_have_where_a_method_lacks_those_asked_for(ci, by):
    essays = pdkappa.datasets.load_essays().query("essay_set < 3").groupby("essay_set").head(30)
    essays = essays if by else essays.query("essay_set == 1").drop(columns="essay_set")
    called = {"by": by, "machine": "machine", "weights": "quadratic", "ci": ci}
    three = ["human_1", "human_2", "machine"]
    drawn = {"n_resamples": 50, "rng": 0} if ci in QUANTILES else {}
    found = essays.kappa(**drawn).report(three, **called)
    assert found.findings.headline
    told = {name: frame.options.get("ci") for name, frame in found.tables.items()}
    if by is None:
        assert told["raters"] == ("wald" if ci == "wald" else "guarded")
        assert (told["pairs"] == ci) == (ci != "auto")


BOOKS = {"Brennan, 2001", "Burdick et al., 2005", "Gwet, 2014", "Krippendorff, 2004", "Kish, 1965"}
WITHOUT = {  # an address
    *("Automotive Industry Action Group, 2010", "Bell & McCaffrey, 2002", "Cantor, 1996"),
    *("Donner & Rotondi, 2010", "Flack et al., 1988", "Hoffman, 1963", "Lipton et al., 2018"),
    *("ICH E9 Expert Working Group, 1999", "Passonneau, 2006", "Schouten, 1980"),
    *("Walter et al., 1998", "The pdkappa developers, 2026"),
}
CODE = sorted(Path(pdkappa.__file__).parent.rglob("*.py"))
DOCUMENTED = [
    path for path in CODE if path.parent.name != "datasets"
]  # whose sources are elsewhere


def test_every_citation_is_a_reference_with_an_address():
    assert all(len(cited_in(key)) == 1 for key in REFERENCES)
    without = {key for key, text in REFERENCES.items() if "https://doi.org/10." not in text}
    assert without - BOOKS == WITHOUT
    known = "".join((DOCS / name).read_text() for name in ("formulas.md", "choosing.md"))
    listed = re.compile(r"^ +\.\. \[\d\] (?!The technical note)(.*)$", re.MULTILINE)
    docstrings = {key for path in DOCUMENTED for key in listed.findall(path.read_text())}
    assert docstrings <= REFERENCES.keys()
    for key in REFERENCES.keys() - docstrings:  # the documentation has the same addresses
        (address,) = re.findall(r"https://doi\.org/\S+", REFERENCES[key]) or ["formulas"]
        assert address in known, address


def incomplete():
    """Ratings of 40 items, of which ann left out three, bob one, and nobody rated the last."""
    data = ratings(41).astype(dict.fromkeys(RATERS[:2], "Int64"))
    data.loc[1:3, "ann"], data.loc[7, "bob"], data.loc[40, RATERS[:2]] = pd.NA, pd.NA, pd.NA
    return data


# By hand: 37 + 39 ratings of 40 items; with 1 or 2 for each in turn, 5 less of 60.
@each(
    ("options", "ratings_of", "missing"),
    [
        ({}, "76 ratings of 40", "4 of 80; 36 of 40"),
        ({"by": "site"}, "76 ratings of 40", "4 of 80; 36 of 40"),
        ({"sample_weight": "double"}, "115 ratings of 60", "5 of 120; 55 of 60"),
        (
            {"sample_weight": "double", "weight_type": "probability"},
            "76 ratings of 40",
            "4 of 80; 36 of 40",
        ),
    ],
)
def test_what_one_of_two_raters_left_out(options, ratings_of, missing):
    data = incomplete().assign(double=np.resize([2, 1], 41))
    made, text = told(RATERS[:2], data, **options)
    first, then = missing.split("; ")
    n, every = first.split(" of ")
    compared = f"{then} items, rated by both, were compared"
    assert f"(ann and bob), who gave {ratings_of} items" in text
    assert f"Of {every} possible ratings, {n} (" in text
    assert f"were missing; {compared}." in text
    assert "No rating was missing" not in text
    assert f"{first} ratings missing" in made.findings.basis
    assert f"at most one per rater and item. {compared}." in made.grras()


def readers(data, raters, folder):
    """Pass the same ratings as a frame, as a list and as a file."""
    long = data[raters].reset_index().melt("index", var_name="rater").dropna()
    data[raters].to_csv(folder / "a.csv", index=False)
    yield data[raters].kappa
    yield pdkappa.from_long(long, item="index", rater="rater", rating="value")
    yield pdkappa.scan(folder / "a.csv")


@each("raters", [RATERS[:2], RATERS])
def test_what_listwise_leaves_out(raters, tmp_path):
    data = incomplete()
    data["eve"] = data["eve"].where(data.index < 40)
    for reader in readers(data, raters, tmp_path):
        made = reader.report(missing="listwise", **QUICK)
        assert "; 4 of 40 items were left out." in made.methods()
        assert " 4 of 40 items were left out." in made.grras().split("\n\n")[11]
        assert "4 of 40 items were left out" in made.findings.basis
        assert " 4 (5%) were missing; 36 of" in reader.report(raters[:2], **QUICK).methods()
    made, text = told(RATERS, missing="listwise")
    assert "No rating was missing." in text
    assert "no rating missing" in made.findings.basis


@each(("weight_type", "items"), [("frequency", "5 of 60 items"), ("probability", "4 of 40 items")])
def test_what_listwise_leaves_out_counts_as_its_weight_says(weight_type, items):
    data = incomplete().assign(double=np.resize([2, 1], 41))
    options = {"sample_weight": "double", "weight_type": weight_type, "missing": "listwise"}
    assert f"; {items} were left out." in told(RATERS[:2], data, **options)[1]


def test_other_ways_in_say_the_same(tmp_path):
    data = ratings()[RATERS]
    text = data.kappa.report(**QUICK).methods()
    long = data.reset_index().melt("index", var_name="rater")
    listed = pdkappa.from_long(long, item="index", rater="rater", rating="value")
    data.to_csv(tmp_path / "a.csv", index=False)
    for ratings_ in (listed, pdkappa.scan(tmp_path / "a.csv")):
        assert ratings_.report(**QUICK).methods() == text
    table = pdkappa.from_table(pd.crosstab(data["ann"], data["bob"]))
    assert table.report(**QUICK).methods() == data.kappa.report(["ann", "bob"], **QUICK).methods()


HOSTILE = [r"a_1 & b%", r"$x^2$ {y}~\z", "#4 <b>*bold*</b> | `c`", "new\nline \x0e"]


def test_labels_are_escaped():
    data = ratings().rename(columns=dict(zip(RATERS, HOSTILE, strict=False)))
    report = data.kappa.report(HOSTILE[:3], **QUICK)
    latex, markdown = report.methods("latex"), report.methods("markdown")
    assert r"(a\_1 \& b\%, \$x\textasciicircum{}2\$ \{y\}\textasciitilde{}" in latex
    assert r"\#4 \textless{}b\textgreater{}*bold*\textless{}/b" in latex
    assert r"\$x^2\$ {y}\~\\z, and #4 \<b\>\*bold\*\</b\> \| \`c\`" in markdown
    known = re.sub(r"\\[&%$#_{}]|\$[-^2\\a-z]+\$|\\[a-z]+\*?(\{\}|(?=[{ ]))", "", latex)
    assert not re.search(r"[%$#_~^\\]|[^\x00-\x7f]", known)
    assert known.count("{") == known.count("}")
    assert r"[-5, 1]" not in markdown
    assert (
        "(new line \\x0e and bob)"
        in told([HOSTILE[3], "bob"], data=ratings().rename(columns={"ann": HOSTILE[3]}))[1]
    )


def test_three_formats(refuses):
    report, text = told(RATERS[:2], weights="quadratic")
    markdown, latex = report.methods("markdown"), report.methods(format="latex")
    assert text.startswith("Method\n\nAgreement was")
    assert markdown.startswith("## Method\n\nAgreement was")
    assert latex.startswith("\\subsection*{Method}\n\nAgreement was")
    assert "*Psychological Bulletin*, *70*(4), 213\N{EN DASH}220. https://doi.org/" in markdown
    assert r"\emph{Psychological Bulletin}, \emph{70}(4), 213--220. https://doi.org/" in latex
    assert r"(scores of the categories) is (\emph{x} $-$ \emph{y})$^2$." in latex
    with refuses():
        report.methods("html")
