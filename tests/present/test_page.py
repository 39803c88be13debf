"""The page of a report: whole, safe, accessible, and with the figures of the frames."""

import base64
import hashlib
import io
import math
import re
import sys
from html.parser import HTMLParser
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each
from pdkappa.errors import ExportError
from pdkappa.present import html_drawings as cells
from pdkappa.present import html_drawings as fitting
from pdkappa.present import html_drawings as views
from pdkappa.present import html_page as html
from pdkappa.present import html_page as sections
from pdkappa.present import html_strips as squares
from pdkappa.present import html_strips as strips
from pdkappa.present import schema
from pdkappa.present.findings import Caution, Finding, Findings
from pdkappa.present.html_page import page
from pdkappa.present.labels import heading_of
from pdkappa.present.sheets import Sheet
from pdkappa.present.text_markup import UNDEFINED

pytestmark = pytest.mark.needs("jinja2")

nan = math.nan
ATTACK = "<script>alert(1)</script>"
HEADLINE = Findings("A sentence.", basis="Cohen's kappa", subject="Agreement of ann and bob")
CALL = "df.kappa.report(by='site')"


class Element:
    """An element with its attributes, its place in the tree and its text."""

    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children, self.text = [], ""

    def __getitem__(self, name):
        return self.attributes[name]

    def get(self, name, default=""):
        return self.attributes.get(name, default)

    def all(self, *tags):
        """Return the elements below, in the order of the page."""
        found = []
        for child in self.children:
            found += [child] * (child.tag in tags or not tags) + child.all(*tags)
        return found

    def words(self):
        """Return all text, in one line."""
        return " ".join(" ".join([self.text, *(one.words() for one in self.children)]).split())


class Reader(HTMLParser):
    """Read a page; refuse one that is not well-formed."""

    def __init__(self, text):
        super().__init__()
        self.root = self.place = Element("", {}, None)
        self.feed(text)
        self.close()
        assert self.place is self.root, f"<{self.place.tag}> is never closed"

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attrs), self.place)
        self.place.children.append(element)
        if tag not in {"meta", "link"}:
            self.place = element

    def handle_startendtag(self, tag, attrs):
        self.place.children.append(Element(tag, dict(attrs), self.place))

    def handle_endtag(self, tag):
        assert self.place.tag == tag, f"</{tag}> within <{self.place.tag}>"
        self.place = self.place.parent

    def handle_data(self, data):
        self.place.text += data


def read(text):
    return Reader(text).root


def ratings(n=60, raters=("ann", "bob", "eve"), sites=("x", "y"), seed=1):
    """Make ratings of some raters who agree more or less."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, n)
    columns = {name: (truth + rng.integers(-1, 2, n)).clip(1, 4) for name in raters}
    return pd.DataFrame({"site": np.resize(sites, n), **columns})


def sheets(data, raters=None, **options):
    """Make the sheets of a report."""
    names = raters or [name for name in data if name != "site"]
    return list(data.kappa.report(names, detail="full", **options).sheets)


@pytest.fixture(scope="module")
def grouped():
    """Make the page of three raters in two groups."""
    found = sheets(ratings(), by="site", weights="quadratic")
    return found, page(found, HEADLINE, CALL)


def tables(root):
    """Return the tables by caption."""
    return {one.all("caption")[0].words(): one for one in root.all("table")}


def body(table):
    """Return the rows of a table below its header."""
    return [row.children for part in table.all("tbody", "tfoot") for row in part.all("tr")]


def test_the_page_is_well_formed_and_has_its_parts(grouped):
    root = read(grouped[1])
    (top,) = root.all("html")
    assert grouped[1].startswith("<!DOCTYPE html>")
    assert top["lang"] == "en"
    assert root.all("title")[0].words() == "Agreement of ann and bob"
    metas = {one.get("name"): one.get("content") for one in root.all("meta")}
    assert metas["viewport"] == "width=device-width, initial-scale=1"
    assert [len(root.all(tag)) for tag in ("main", "header", "h1")] == [1, 1, 1]
    skip = root.all("a")[0]
    assert skip["href"] == "#" + root.all("main")[0]["id"]


def test_headings_go_down_by_single_steps(grouped):
    levels = [int(one.tag[1]) for one in read(grouped[1]).all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_identifiers_are_unique_and_every_reference_leads_somewhere(grouped):
    root = read(grouped[1])
    names = [one["id"] for one in root.all() if "id" in one.attributes]
    assert len(set(names)) == len(names)
    references = [one["href"][1:] for one in root.all("a") if one["href"].startswith("#")]
    references += [one["aria-labelledby"] for one in root.all() if one.get("aria-labelledby")]
    assert len(references) > 20
    assert set(references) <= set(names)


def test_every_table_has_a_caption_and_every_header_its_scope(grouped):
    for table in read(grouped[1]).all("table"):
        assert table.children[0].tag == "caption"
        assert table.children[0].words()
        heads = table.all("th")
        assert {one.get("scope") for one in heads} <= {"col", "row", "colgroup", "rowgroup"}
        assert all(one.words() for one in heads)
        assert all(row[0].tag == "th" for row in body(table) if row[0].words())
        (last,) = table.all("thead")[0].all("tr")[-1:]
        for row in body(table):
            widths = [int(one.get("colspan", "1")) for one in row]
            assert sum(widths) == len(last.children)


def test_every_picture_has_a_label_or_its_figures_beside_it(grouped):
    pictures = [one for one in read(grouped[1]).all("svg") if one.parent.tag != "svg"]
    assert len(pictures) > 10
    for one in pictures:
        if one.get("aria-hidden") == "true":
            assert re.search(rf"\d|{UNDEFINED}", one.parent.parent.children[-1].words())
        else:
            assert one["role"] == "img"
            assert one["aria-label"]


def test_nothing_is_fetched(grouped):
    root = read(grouped[1])
    assert not [one for one in root.all() if {"src", "srcset", "action"} & one.attributes.keys()]
    assert {one["href"] for one in root.all("link")} == {"data:,"}
    outside = {one["href"] for one in root.all("a") if not one["href"].startswith("#")}
    assert outside
    assert all(address.startswith("https://doi.org/10.") for address in outside)
    assert "@import" not in grouped[1]
    assert "url(" not in grouped[1]


def test_only_its_own_script_and_style_run(grouped):
    root = read(grouped[1])
    (policy,) = [one["content"] for one in root.all("meta") if one.get("http-equiv")]
    (script,), (style,) = root.all("script"), root.all("style")
    digests = [
        base64.b64encode(hashlib.sha256(one.text.encode()).digest()).decode()
        for one in (style, script)
    ]
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digests[0]}'; "
        f"script-src 'sha256-{digests[1]}'; base-uri 'none'; form-action 'none'"
    )
    names = {name for one in root.all() for name in one.attributes}
    assert not [name for name in names if name.startswith("on") or name == "style"]


def test_text_of_the_data_is_shown_as_text():
    other = '"><img src=x onerror=alert(2)>'
    data = ratings(raters=(ATTACK, other, "eve"), sites=(ATTACK, "y & z"))
    data = data.rename(columns={"site": "<b>site</b>"}).set_axis(
        [f"<i>{number}</i>" for number in range(len(data))]
    )
    labels = {1: "<u>low</u>", 2: "{{ 7 * 7 }}", 3: "&amp;", 4: "' onload='alert(3)"}
    names = [ATTACK, other, "eve"]
    data[names] = data[names].replace(labels)
    found = sheets(data, names, by="<b>site</b>")
    told = (Caution(ATTACK), Caution(ATTACK, voids=True))
    one = Findings(ATTACK, (Finding("k", ATTACK, ATTACK, "t"),), told, ATTACK, subject=ATTACK)
    text = page(found, one, ATTACK)
    root = read(text)
    assert len(root.all("script")) == 1
    assert not root.all("img", "b", "i", "u")
    assert root.all("h1")[0].words() == ATTACK
    assert root.all("pre")[-1].words() == ATTACK
    shown = {one.words() for one in root.all("th", "td")}
    assert {ATTACK, other, *labels.values(), "<b>site</b>", "<i>0</i>", "y & z"} <= shown
    allowed = {"class", "id", "scope", "title", "data-value", "role", "tabindex", "colspan"}
    for cell in root.all("th", "td", "caption", "p", "dd", "dt"):
        assert set(cell.attributes) <= allowed


def palettes():
    """Read the variables of the light and of the dark page."""
    css = html._file("report.css")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert len(blocks) == 2
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in blocks)
    assert light.keys() == dark.keys()
    return {"light": light, "dark": dark}


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(np.array(linear) * [0.2126, 0.7152, 0.0722])


def contrast(first, second):
    """Contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@each("mode", ["light", "dark"])
def test_text_can_be_read(mode):
    colours = palettes()[mode]
    text = list(product(("ink", "quiet", "link"), ("page", "card", "head", "code")))
    text += [(f"{step}-ink", step) for step in colours if f"{step}-ink" in colours]
    assert len(text) == 12 + squares.STEPS + squares.STEPS_BELOW
    for ink, ground in text:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for mark in ("mark", "machine", "link", "human"):
        assert contrast(colours[mark], colours["card"]) >= 3, mark


def test_every_colour_of_a_cell_is_in_the_style():
    css = html._file("report.css")
    used = {squares.shade(value) for value in np.linspace(-1, 1, 401)}
    assert len(used) == squares.STEPS + squares.STEPS_BELOW
    for name in used:
        assert f".{name} {{ background: var(--{name}); color: var(--{name}-ink); }}" in css


def test_shades_go_by_the_value():
    values = [-1, -0.8, -0.3, -0.01, 0, 0.1, 0.55, 0.95, 1, nan]
    assert " ".join(map(squares.shade, values)) == "m3 m3 m1 m0 h0 h1 h5 h9 h9 none"


def test_figures_are_rounded_for_show_only():
    found = views.number(0.123456789, "agreement")
    assert found == ("0.12", "0.123456789", "n", "0.123456789")
    kinds = ["count", "measure", "z", "p", "difference", "p", "p"]
    numbers = [1234567, -0.0001, 1.005, 0.05, 2.2e-16, 1e-9, 1e-4]
    texts = [views.number(*one).text for one in zip(numbers, kinds, strict=True)]
    assert texts == ["1,234,567", "0.000", "1.00", "0.0500", "2e-16", "<0.0001", "0.0001"]
    assert views.number(36.514689, "count") == ("36.51", "36.514689", "n", "36.514689")
    assert views.number(12.0, "count") == ("12", "", "n", "")
    assert views.number(nan, "z") == (UNDEFINED, "", "n none", "")
    assert views.number(math.inf, "z").text == "inf"
    near = [0.99999999, -0.99999999, -1e-7, 1.0, 1 - 1e-16]
    assert [views.number(one, "agreement").text for one in near] == [
        *(">0.99", "<-0.99", "0.00"),
        *("1.00", "1.00"),
    ]


def test_small_measures_keep_two_digits():
    frame = pd.DataFrame({"effect": [-0.00123, 0.0004, nan], "gain": [0.5, 0.1, 0.001]})
    table = views.plain_table(Sheet("items", frame.rename_axis("item"), "Items"))
    shown = [[cell.text for cell in row.cells] for row in table.rows]
    assert shown == [["-0.0012", "0.500"], ["0.0004", "0.100"], [UNDEFINED, "0.001"]]


def test_what_is_undefined_has_its_reason():
    data = pd.DataFrame({"ann": [1, 2, 1], "bob": [2, 2, 2], "eve": [2, 2, 2]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning):
        root = read(page(sheets(data), HEADLINE, CALL))
    found = tables(root)
    rows = body(found["Pairwise agreement: Cohen's kappa, unweighted"])
    [cell] = [one for row in rows for one in row if one.words() == UNDEFINED]
    assert cell["class"] == "n none"
    assert cell["title"].startswith("constant ratings: Both raters used the same single")
    notes = [one.words() for one in root.all("p") if one.get("class") == "note"]
    assert f"{UNDEFINED} is undefined: the table of pairs says why." in notes
    assert any(note.startswith("constant ratings: Both raters") for note in notes)
    terms = [one.words() for one in root.all("dt")]
    assert "constant ratings" in terms
    assert "no items" not in terms  # which occurs nowhere


def test_confusion_tables_are_coloured_by_count():
    counts = pd.DataFrame(
        [[5, 0, 5], [1, 4, 5], [6, 4, 10]],
        pd.Index([0, 1, "total"], name="ann"),
        pd.Index([0, 1, "total"], name="bob"),
    )
    sheet = Sheet("ann x bob", counts, "Counts", kind="confusion", emphasis=("total",))
    table = squares.confusion_table(sheet)
    classes = [[cell.css for cell in row.cells] for row in (*table.rows, *table.foot)]
    assert classes == [
        ["n h9 same", "n zero", "n sum"],
        ["n h2", "n h8 same", "n sum"],
        ["n sum", "n sum", "n sum"],
    ]
    root = read(page([sheet], HEADLINE, CALL))
    heads = [one.words() for one in root.all("thead")[0].all("th")]
    assert heads == ["bob", "ann", "0", "1", "total"]


def forest(estimates, low, high, index=None, **columns):
    frame = pd.DataFrame(
        {"n_items": 9, "estimate": estimates, "ci_low": low, "ci_high": high, "reason": ""}
        | {"se": 0.1}
        | columns,
        index=index,
        dtype=object,
    )
    return strips.forest("Forest", frame, "95 %", ("fisher_mean",))


@each(("estimate", "low", "high"), [(0.661, 0.6605, 0.6615), (-9.0, -29.0, 1.0)])
def test_an_axis_has_a_few_numbers(estimate, low, high):
    frame = pd.DataFrame(
        {
            "estimate": estimate,
            "ci_low": low,
            "ci_high": high,
            "se": 0.1,
            "n_items": 9,
            "reason": "",
        },
        index=pd.Index(["x"], name="site"),
    )
    assert 3 <= len(strips.forest("", frame, "95 %").ticks) <= 7


@each(
    ("low", "high", "is_shown"), [(0, 1, True), (-1, 0, True), (-0.5, 0.5, True), (0.1, 1, False)]
)
def test_chance_is_marked_wherever_it_is_on_the_axis(low, high, is_shown):
    plot = forest([low, high], [low, high], [low, high])
    assert bool(plot.zero) is is_shown
    assert not is_shown or (plot.zero, "0") in plot.ticks


def test_means_are_diamonds_and_squares_go_by_precision():
    index = pd.Index(["x", "y", "fisher_mean"], name="site")
    plot = forest([0.2, 0.4, 0.3], [-0.1, 0.3, 0.25], [0.5, 0.5, 0.4], index, se=[0.2, 0.1, 0.01])
    ((_, found),) = plot.blocks
    assert [one.size for one in found] == ["5.5", "11.0", ""]
    assert found[2].label.text == "Fisher-z mean"
    assert float(found[2].tip) == pytest.approx(100 / 3, abs=0.01)
    assert plot.zero != ""
    assert plot.header == "Site"


def test_a_group_called_as_a_mean_is_a_group():
    found = sheets(ratings(sites=("random", "x")), ["ann", "bob"], by="site")
    (groups,) = [one for one in found if one.name == "groups"]
    made = strips.forest("", groups.frame, "95 %", groups.emphasis)
    (strip, *_, mean) = made.blocks[0][1]
    assert (strip.label.text, mean.label.text) == ("random", "Random effects")
    assert strip.size
    assert not mean.size
    assert len(views.plain_table(groups).foot) == 3


def notes(root):
    return [one.words() for one in root.all("p") if one.get("class") == "note"][1:]  # the basis


def test_long_tables_are_cut_and_say_so():
    n = views.MOST_ROWS + 1
    frame = pd.DataFrame({"rater_a": "a", "rater_b": range(n), "n_items": 1, "estimate": 0.5})
    root = read(page([Sheet("other", frame, "Long")], HEADLINE, CALL))
    rows = body(tables(root)["Long"])
    assert [row[1].words() for row in rows] == [str(place) for place in range(views.MOST_ROWS)]
    assert notes(root) == [f"The first 500 of 501 rows are shown. {views.WHOLE}"]


def test_confusion_tables_are_left_out_where_nobody_could_read_them():
    def sheet(name, k):
        frame = pd.DataFrame(1, range(k), range(k))
        return Sheet(name, frame, name, kind="confusion", emphasis=("total",))

    found = [sheet(str(number), 2) for number in range(sections.MOST_CONFUSIONS + 2)]
    root = read(page([sheet("huge", sections.MOST_CATEGORIES + 1), *found], HEADLINE, CALL))
    assert len(root.all("table")) == 60
    assert notes(root) == [
        f"Not shown: 1 with more than 100 rows. {views.WHOLE}",
        f"Not shown: 2 after the first 60. {views.WHOLE}",
    ]


def test_a_reader_meets_no_names_of_options_columns_or_codes():
    data = ratings().assign(flat=1)
    data.loc[0, "ann"] = np.nan
    data.kappa.report(["ann", "bob", "flat"], by="site").to_html(written := io.BytesIO())
    (main,) = read(written.getvalue().decode()).all("main")
    told = " ".join(one.words() for one in main.all("h2", "p", "th", "td", "dt", "dd", "caption"))
    names = {*schema.COLUMNS, *schema.REASONS, "sample_weight", "confidence_level", "se_null"}
    codes = {name for name in names if "_" in name}
    assert not codes & set(re.findall(r"\w+", told))
    assert not re.search(r"\b(cohen|scott|weights none|none unweighted)\b", told, re.ASCII)


def test_the_file_holds_the_page(tmp_path):
    result, path = pdkappa.datasets.load_anxiety().kappa.pairs(), tmp_path / "a.html"
    assert result.to_html(path) == path
    text = result.to_html()
    assert path.read_text(encoding="utf-8") == text
    with pytest.raises(FileExistsError):
        result.to_html(path, overwrite=False)
    told = re.escape("The name of a page must end in '.html' or '.htm', got 'a.pdf'.")
    for write in (result.to_html, pdkappa.datasets.load_anxiety().kappa.to_html):
        with pytest.raises(ExportError, match=f"^{told}$"):
            write("a.pdf")
    assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == ["a.html"]


def test_a_missing_package(monkeypatch, tmp_path, refuses):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with refuses():
        pdkappa.datasets.load_anxiety().kappa.pairs().to_html(tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_long_tables_show_some_rows_at_first():
    frame = pd.DataFrame({"item": range(34), "effect": 0.5})
    (piece,) = [
        one
        for one in read(page([Sheet("items", frame, "Items", index=False)], HEADLINE, CALL)).all(
            "div"
        )
        if "piece" in one.get("class").split()
    ]
    assert "cut" in piece["class"].split()
    assert piece.all("table")[0]["class"].split() == ["sortable", "few"]
    assert len(body(piece.all("table")[0])) == 34
    (more,) = piece.all("details")
    assert more.words() == "15 of 34 rows : show all Show fewer"
    css = html._file("report.css")
    assert f"tr:nth-child(n + {cells.SHORT + 1}) {{ display: none; }}" in css
    short = views.plain_table(Sheet("items", frame.head(cells.MOST_SHORT), "Items", index=False))
    assert (short.more, short.is_long) == ("", False)


def test_a_column_has_one_name_on_the_page_and_in_a_workbook():
    frame = pd.DataFrame(0.5, pd.RangeIndex(2), [*schema.COLUMNS])
    header = views.plain_table(Sheet("t", frame, "T", index=False), "95 %").header
    shown = {one.text.split(" [")[0] for one in header}
    limits = {name for name in schema.COLUMNS if name.endswith(("_low", "_high"))}
    left_out = {"reason", "remark", *limits}
    assert {heading_of(name) for name in schema.COLUMNS if name not in left_out} <= shown


@each("n_columns", [3, 8, 30])
def test_the_columns_that_are_shown_fit_and_hold_what_matters(n_columns):
    names = ["n_items", "estimate", "ci_low", "ci_high", "z", "fisher_z"]
    extra = [f"reader number {one}" for one in range(n_columns)]
    frame = pd.DataFrame(0.123456, pd.Index(["a", "b"], name="group"), [*extra, *names])
    table = views.plain_table(Sheet("t", frame, "T"), "95% CI")
    shown = [one.text for one in table.header if "later" not in one.css.split()]
    phone = [one.text for one in table.header if not {"later", "wide"} & set(one.css.split())]
    assert phone[0] == shown[0] == "Group"
    assert "Estimate [95%\xa0CI]" in phone
    assert set(phone) <= set(shown)
    assert len(shown) <= fitting.MOST_SHOWN
    assert sum(fitting.width_of(one) for one in phone[1:]) < 2 * fitting.PHONE
    for row in table.rows:  # cells go with their headings
        every = [*row.labels, *row.cells]
        marked = [
            [{"later", "wide"} & set(one.css.split()) for one in line]
            for line in (every, table.header)
        ]
        assert marked[0] == marked[1]
    n = len(table.header)
    hides = len(shown) < n
    assert table.more == f"{len(shown)} of {n} columns" * hides
    assert table.on_phones == f"{len(phone)} of {n} columns" * (len(phone) < n)
