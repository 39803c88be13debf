"""The auditable workbook: recalculated by other programs, as it is and with changed counts."""

import io
import re
import shutil
import subprocess
import warnings
import zipfile
from functools import cache, lru_cache
from xml.etree import ElementTree as ET

import numpy as np
import openpyxl
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from openpyxl.utils import range_boundaries

import pdkappa
from conftest import function_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import KappaWarning
from pdkappa.methods.workbook.sheets import LINKED
from pdkappa.present.labels import heading_of

CLOSE = 1e-12
# Recalculate every workbook on load: by default only those of LibreOffice itself are.
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode"
oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
PAIR, RATERS = ["ann", "bob"], ["ann", "bob", "eve"]


def simulated(n=90, seed=1):
    """Draw ratings of 0 to 4 by three raters in three sites, the third one smaller."""
    rng = np.random.default_rng(seed)
    true = rng.normal(2, 1.2, n)
    scores = {name: np.clip(np.rint(true + rng.normal(0, 0.9, n)), 0, 4) for name in RATERS}
    site = np.repeat(["north", "south", "west"], [n // 2, n // 3, n - n // 2 - n // 3])
    return pd.DataFrame({name: score.astype(int) for name, score in scores.items()}).assign(
        site=site, class_=rng.integers(0, 15, n), weight=rng.uniform(0.2, 3, n)
    )


DATA = simulated()
HOLES = DATA.assign(
    ann=DATA["ann"].where(DATA.index % 5 > 0), bob=DATA["bob"].where(DATA.index % 7 > 0)
)
ODD = DATA.rename(columns={"ann": "=1+1", "bob": "O'Brien [x]: y/z", "eve": "e" * 40})
WEIGHED = {"weights": "radical", "sample_weight": "weight", "weight_type": "frequency"}
ODD_RATERS = ["=1+1", "O'Brien [x]: y/z", "e" * 40]
COSTS = np.array(
    [[0, 1, 3, 4, 9], [1, 0, 2, 4, 5], [3, 2, 0, 1, 2], [4, 4, 1, 0, 1], [9, 5, 2, 1, 0]]
)
NARROW = DATA.assign(
    **{name: DATA[name].where(DATA["site"] != "west", DATA[name].clip(0, 3)) for name in RATERS}
)  # where one site has fewer categories than a matrix of weights
FEW = pd.DataFrame(
    {
        "ann": [1, 1, 1, 1, 2, 2, 1, 2, np.nan],
        "bob": [1, 1, 1, 2, 2, 2, 1, 2, 1],
        "eve": [1, 1, 2, 2, 1, 2, 1, 1, 1],
        "site": list("aaabbbccd"),
    }
)


SAMPLE = np.where(DATA["site"] == "north", 5.5, 1) * np.arange(1, len(DATA) + 1)


LESS = {"detail": ["counts", "confusion", "matrices", "notes"]}  # what has formulas


def made(data, raters, **options):
    return function_of("report")(data, raters, **options, **LESS)


def of_pairs(**options):
    return DATA.kappa.grouped(pairs=[("ann", "bob"), ("eve", "ann")], by="site", **options)


CASES = {
    **{
        f"{name} weighted": lambda n=name: made(DATA, RATERS, coefficient=n, weights="linear")
        for name in [*COEFFICIENTS][1::2]
    },
    "plain": lambda: made(DATA, RATERS),
    **{
        f"{name} by site": lambda n=name: made(
            DATA, PAIR, coefficient=n, weights="quadratic", by="site"
        )
        for name in [*COEFFICIENTS][::2]
    },
    "three by site": lambda: made(DATA, RATERS, weights="quadratic", by="site"),
    "three by site, other scales": lambda: made(DATA, RATERS, weights="circular", by="site"),
    "costs": lambda: made(DATA, RATERS, weights=1 - COSTS / 9, categories=[0, 1, 2, 3, 4]),
    "costs by site": lambda: made(
        NARROW, RATERS, weights=1 - COSTS / 9, by="site", coefficient="brennan_prediger"
    ),
    "grouped costs": lambda: NARROW.kappa.grouped(*PAIR, by="site", weights=COSTS),
    "declared": lambda: made(DATA, PAIR, coefficient="gwet", categories=range(-2, 8)),
    "ranks": lambda: made(DATA, PAIR, weights="ordinal"),
    "ratio": lambda: made(DATA, RATERS, weights="ratio", coefficient="krippendorff"),
    "holes": lambda: made(HOLES, RATERS, weights="quadratic", by="site"),
    "listwise": lambda: made(HOLES, RATERS, missing="listwise", by="site"),
    "weights of items": lambda: made(DATA, RATERS, coefficient="krippendorff", **WEIGHED),
    "clusters": lambda: made(DATA, RATERS, weights="bipolar", cluster="class_"),
    "names": lambda: made(ODD, ODD_RATERS, weights="linear", by="site"),
    "undefined": lambda: made(FEW, PAIR, weights="linear", by="site"),
    "undefined, three": lambda: made(FEW, RATERS, by="site", coefficient="scott"),
    "undefined, gwet": lambda: made(FEW.query("site == 'a'"), PAIR, coefficient="gwet"),
    "a table": lambda: pdkappa.from_table(pdkappa.datasets.load_cohen1968()).report(**LESS),
    "grouped": lambda: DATA.kappa.grouped(
        *PAIR, by="site", group_weights={"north": 0, "south": 2, "west": 0.5}
    ),
    "grouped sample": lambda: DATA.kappa(weight_type="probability").grouped(
        *PAIR, by="site", sample_weight=SAMPLE
    ),
    "grouped, no cap": lambda: FEW.kappa.grouped(*PAIR, by="site", clip=None),
    "grouped pairs": of_pairs,
    "categories": lambda: HOLES.kappa.report(
        RATERS, by="site", detail=["drilldown", "counts", "confusion", "matrices", "notes"]
    ),
    "categories of many groups": lambda: DATA.kappa.report(
        PAIR, by="class_", detail=["drilldown", "counts", "confusion", "matrices", "notes"]
    ),
}


# The steps to the figures are the same in both: these have formulas of their own beside them.
IN_FULL = {"three by site", "grouped", "categories"}
DERIVED = ("Summary", "Chart data")  # of plain values, too: limits, and which pair is the highest


@pytest.fixture(autouse=True)
def _quiet():
    """Let the cases be as odd as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KappaWarning)
        yield


@cache
def content_of(name, detail="brief"):
    """Make the workbook of a case once in each process."""
    memory = io.BytesIO()
    CASES[name]().to_excel(memory, detail=detail)
    return memory.getvalue()


def written(folder, name, detail="brief"):
    """Write the workbook of a case into a folder."""
    path = folder / f"{name} {detail}.xlsx"
    path.write_bytes(content_of(name, detail))
    return path


def converted(paths, kind, folder):
    """Let LibreOffice compute all formulas anew; the same names in another folder, in order."""
    (folder / "profile" / "user").mkdir(parents=True)
    profile = folder / "profile" / "user" / "registrymodifications.xcu"
    profile.write_text(PROFILE, encoding="utf-8")
    command = ["soffice", f"-env:UserInstallation=file://{folder / 'profile'}", "--headless"]
    command += ["--convert-to", kind, "--outdir", str(folder / "out"), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return [folder / "out" / f"{path.stem}.{kind}" for path in paths]


def cells_of(path):
    """Read the cells of all sheets, a hundred times faster than openpyxl: formula and value."""
    return cells_in(path.read_bytes())


@lru_cache(maxsize=64)
def cells_in(content):
    """Read the cells of a workbook, of the same workbook once."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tree = ET.fromstring(archive.read("xl/sharedStrings.xml"))  # noqa: S314
        texts = ["".join(part.text or "" for part in one.iter(f"{space}t")) for one in tree]
        tree = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314
        for number, sheet in enumerate(tree.iter(f"{space}sheet"), 1):
            page = ET.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))  # noqa: S314
            for cell in page.iter(f"{space}c"):
                value = cell.findtext(f"{space}v") or None
                kind = cell.get("t", "n")
                if value is not None and kind in "ns":
                    value = float(value) if kind == "n" else texts[int(value)]
                found[sheet.get("name"), cell.get("r")] = cell.findtext(f"{space}f"), value
    return found


def formulas_of(path):
    """List the cells with formulas: sheet, cell, formula."""
    return [(*place, formula) for place, (formula, _) in cells_of(path).items() if formula]


def values_of(path):
    """Read the values of all cells, of formulas those that were computed."""
    return {place: value for place, (_, value) in cells_of(path).items()}


def is_same(found, expected):
    if found is None or expected is None or isinstance(found, str):
        return found is expected
    return abs(found - expected) <= CLOSE * max(1, abs(expected))


def differences(path, found, expected):
    """Name the cells with formulas whose values are others than expected."""
    cells = formulas_of(path)
    assert cells
    return [
        (path.name, sheet, cell, found[sheet, cell], expected[sheet, cell], formula[:100])
        for sheet, cell, formula in cells
        if not is_same(found[sheet, cell], expected[sheet, cell])
    ]


@pytest.mark.office
def test_libreoffice_finds_the_same_digits(tmp_path):
    """Of all cases as they are, and of those with changed counts; it starts but once."""
    paths = [written(tmp_path, name, "full" if name in IN_FULL else "brief") for name in CASES]
    for path in paths:
        check_written(path)
    parts = {check: [*make(tmp_path)] for make, check in WITH_CHANGED_COUNTS.items()}
    changed = [path for made in parts.values() for path in made]
    again = converted(paths + changed, "xlsx", tmp_path)
    wrong = []
    for path, one in zip(paths, again, strict=False):
        wrong += differences(path, values_of(one), values_of(path))
    assert not wrong
    for check, made in parts.items():
        check(made, tmp_path / "out")


@pytest.mark.needs("formulas")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["grouped", "gwet weighted"])
def test_another_package_finds_the_same_digits(tmp_path, name):
    from formulas import ExcelModel

    path = CASES[name]().to_excel(tmp_path / "a.xlsx")
    solution = ExcelModel().loads(str(path)).finish().calculate()
    found = {}
    for sheet, cell, _ in formulas_of(path):
        value = solution[f"'[a.xlsx]{sheet.upper()}'!{cell}"].value[0, 0]
        found[sheet, cell] = None if isinstance(value, str) and not value else float(value)
    assert not differences(path, found, values_of(path))


MORE = {"ann": 1, "bob": 3, "eve": 1, "site": "south", "weight": 2.5, "class_": 3}


def add_items(path, changed, raters, n):
    """Add n items to the cells of the confusion tables that they belong to."""
    book = openpyxl.load_workbook(path)
    for number, a in enumerate(raters):
        for b in raters[number + 1 :]:
            page, top = table_in(book, a, b)
            column = [cell.value for cell in page[top + 3]].index(MORE[b])
            row = [cell.value for cell in page["A"]].index(MORE[a], top + 3)
            page.cell(row + 1, column + 1).value += n
    book.save(changed)


def table_in(book, a, b):
    """Find the sheet, and the row of the title, of a confusion table in either workbook."""
    titles = {f"{a} against {b}, Site {MORE['site']}", f"{a} against {b}"}
    for page in book:
        for cell in page["A"]:
            if cell.value in titles:
                return page, cell.row
    raise AssertionError(titles)


def with_items(n):
    return pd.concat([DATA, pd.DataFrame([MORE] * n)], ignore_index=True)


CHANGED = {
    "pair": (PAIR, {"weights": "quadratic"}),
    "pair by site": (PAIR, {"by": "site", "weights": "quadratic"}),
    "three": (RATERS, {"coefficient": "krippendorff", "weights": "linear"}),
    "three by site": (RATERS, {"by": "site", "categories": [0, 1, 2, 3, 4]}),
    "gwet": (PAIR, {"by": "site", "coefficient": "gwet", "categories": [0, 1, 2, 3, 4]}),
    "percent": (PAIR, {"by": "site", "coefficient": "percent", "weights": "linear"}),
    "bars": (
        RATERS,
        {"by": "site", "categories": [0, 1, 2, 3, 4], "detail": ["drilldown", "counts"]},
    ),
}
BAR = "IF(SUM("  # begins the formula of a bar


def with_more_items(folder, n=6):
    """Write workbooks, those of more items, and change the counts of the former to the latter's."""
    for number, (raters, own) in enumerate(CHANGED.values()):
        is_full = number in (1, 4)
        options = (LESS if is_full else {"detail": ["counts"]}) | own
        path, _ = (
            data.kappa.report(raters, **options).to_excel(
                folder / f"{name}{number}.xlsx", detail="full" if is_full else "brief"
            )
            for name, data in (("old", DATA), ("new", with_items(n)))
        )
        add_items(path, folder / f"changed{number}.xlsx", raters, n)
        yield folder / f"changed{number}.xlsx"


def check_more_items(paths, out):
    """Find, formula by formula, the workbook of the changed ratings."""
    for path in paths:
        fresh, found = (
            path.with_name(path.name.replace("changed", "new")),
            values_of(out / path.name),
        )
        every = differences(fresh, found, values_of(fresh))
        assert not [
            one
            for one in every
            if one[1] not in DERIVED or one[2] == "A3" or one[-1].startswith(BAR)
        ]
        assert "A3" in {cell for sheet, cell, _ in formulas_of(fresh) if sheet == "Summary"}
        old = values_of(path.with_name(path.name.replace("changed", "old")))
        assert differences(fresh, found, old), "a change must be seen"


def with_one_more_count(folder):
    """Add to a count of a published table."""
    table = pdkappa.datasets.load_cohen1968()
    path = pdkappa.from_table(table).to_excel(folder / "table.xlsx", detail="full")
    book = openpyxl.load_workbook(path)
    page = book[next(name for name in book.sheetnames if " x " in name)]
    page["C5"] = table.iloc[0, 1] + 17
    book.save(path)
    yield path


def check_one_more_count(paths, out):
    """Ask `from_table`, without a word from the workbook's own figures."""
    [path] = paths
    table = pdkappa.datasets.load_cohen1968()
    table.iloc[0, 1] += 17
    expected = pdkappa.from_table(table).pairs()["estimate"]
    found = pd.read_excel(out / path.name, sheet_name="Pairs", header=2)["Estimate"]
    assert_allclose(found, expected, rtol=CLOSE)


FEW_COUNTS = {
    "none": np.zeros((3, 3)),
    "one cell": np.diag([7.0, 0, 0]),
    "half": np.diag([0.5, 0, 0]),
}


def with_next_to_nothing(folder):
    """Change the counts of a table to next to nothing."""
    for coefficient in ("cohen", "gwet", "krippendorff"):
        made = pdkappa.from_table(np.eye(3) + 1).report(coefficient=coefficient, **LESS)
        book = openpyxl.load_workbook(made.to_excel(folder / f"{coefficient}.xlsx", detail="full"))
        page, top = table_in(book, "rater_a", "rater_b")
        for name, table in FEW_COUNTS.items():
            for i, j in np.ndindex(table.shape):
                page.cell(top + 4 + i, 2 + j).value = table[i, j]
            book.save(folder / f"{coefficient}, {name}.xlsx")
            yield folder / f"{coefficient}, {name}.xlsx"


def check_next_to_nothing(paths, out):
    """Find no error where nothing is defined: an empty text, as Python has NaN."""
    for path in [out / path.name for path in paths]:
        assert not [one for one in values_of(path).values() if str(one).startswith(("#", "Err:"))]
        coefficient, name = path.stem.split(", ")
        changed = pdkappa.from_table(FEW_COUNTS[name])
        for sheet, frame in (
            ("Pairs", changed.pairs(coefficient=coefficient)),
            ("All raters", changed.agreement()),
        ):
            found = pd.read_excel(path, sheet_name=sheet, header=2)[[*map(heading_of, LINKED)]]
            found, expected = found.to_numpy(float), frame[list(LINKED)].to_numpy(float)
            assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)


WITH_CHANGED_COUNTS = {
    with_more_items: check_more_items,
    with_one_more_count: check_one_more_count,
    with_next_to_nothing: check_next_to_nothing,
}


def live_columns(path, name):
    """Name the columns of a sheet whose cells are formulas, each with their number."""
    headings = {
        re.sub(r"\d", "", cell): value
        for (sheet, cell), value in values_of(path).items()
        if sheet == name and re.fullmatch("[A-Z]+3", cell)
    }
    live = [re.sub(r"\d", "", cell) for sheet, cell, _ in formulas_of(path) if sheet == name]
    return {headings[column]: live.count(column) for column in live}


def headed(**columns):
    return {heading_of(name): number for name, number in columns.items()}


GROUPS_LIVE = headed(
    n_items=9 + 9 + 1,
    observed_agreement=9,
    expected_agreement=9,
    estimate=9 + 3 + 1,
    fisher_z=9 + 3 + 1,
    weight=3 + 1,
)


def test_every_kappa_is_live(tmp_path):
    path = DATA.kappa.to_excel(tmp_path / "a.xlsx", RATERS, by="site", detail="full")
    every = dict.fromkeys(LINKED, 9)
    assert live_columns(path, "Pairs") == headed(**every)
    assert live_columns(path, "Matrix") == {"ann": 6, "bob": 6, "eve": 6}
    assert live_columns(path, "Matrix of items") == {"ann": 6, "bob": 6, "eve": 6}
    assert live_columns(path, "Matrix of errors") == {}
    assert live_columns(path, "All raters") == headed(**dict.fromkeys(LINKED, 21))
    assert live_columns(path, "Groups") == GROUPS_LIVE
    assert live_columns(path, "Means") == headed(estimate=3 + 1)


def test_a_formula_longer_than_a_cell_is_a_value(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        rng.integers(0, 3, (30, 18)), columns=[f"{n} {'x' * 20}" for n in range(18)]
    )
    path = frame.kappa.report(**LESS).to_excel(tmp_path / "a.xlsx", detail="full")
    assert max(len(formula) for *_, formula in formulas_of(path)) <= 8192
    found = live_columns(path, "All raters")
    assert found["Estimate"] < 7
    values = values_of(path)
    [column] = [c[:-1] for (n, c), v in values.items() if (n, v) == ("All raters", "Estimate")]
    estimates = [values["All raters", f"{column}{row}"] for row in range(4, 11)]
    assert estimates == frame.kappa.agreement()["estimate"].tolist()


def test_without_counts_of_its_own_a_workbook_has_values(tmp_path):
    made = HOLES.kappa.report(PAIR, detail=["drilldown", "matrices", "crosscheck", "notes"])
    path = made.to_excel(tmp_path / "a.xlsx", detail="full")
    assert not formulas_of(path)
    assert not formulas_of(
        HOLES.kappa.report(PAIR, detail=["drilldown"]).to_excel(tmp_path / "b.xlsx")
    )
    assert any("There are no formulas" in str(value) for value in values_of(path).values())


@pytest.mark.parametrize("name", ["three by site", "grouped", "grouped pairs"])
def test_plain_values(tmp_path, name):
    made = CASES[name]()
    live, plain = (
        made.to_excel(tmp_path / "a.xlsx"),
        made.to_excel(tmp_path / "b.xlsx", formulas=False),
    )
    assert formulas_of(live)
    assert not formulas_of(plain)
    assert values_of(live) == values_of(plain)


@pytest.mark.parametrize("name", ["names", "undefined", "holes", "grouped pairs"])
def test_references_and_links_lead_to_cells(tmp_path, name):
    path = written(tmp_path, name)
    book = openpyxl.load_workbook(path)
    targets = [part for *_, formula in formulas_of(path) for part in references(formula)]
    n_links = 0
    for page in book:
        for row in page.iter_rows():
            for cell in row:
                if cell.hyperlink is not None:
                    assert cell.hyperlink.target is None
                    targets += references(cell.hyperlink.location)
                    n_links += 1
    assert n_links
    for sheet, cells in targets:
        right, low = range_boundaries(cells)[2:]
        assert right <= book[sheet].max_column
        assert low <= book[sheet].max_row


def references(text):
    """Find the references to other sheets in a formula or the place of a link."""
    found = re.findall(r"'((?:[^']|'')+)'!([A-Z]+\d+(?::[A-Z]+\d+)?)", text)
    return [(sheet.replace("''", "'"), cells) for sheet, cells in found]


def check_written(path):
    """Find no error, and no function of later versions."""
    assert not [value for value in values_of(path).values() if str(value).startswith("#")]
    with zipfile.ZipFile(path) as archive:
        sheets = [archive.read(one).decode() for one in archive.namelist() if "/sheet" in one]
    assert not [one for one in sheets if "_xlfn" in one or 't="array"' in one], path.name


@pytest.mark.skipif(bool(shutil.which("soffice")), reason="done where LibreOffice looks at them")
def test_no_error_and_no_function_of_later_versions(tmp_path):
    for name in CASES:
        check_written(written(tmp_path, name))


def test_a_matrix_cell_leads_to_its_confusion_table(tmp_path):
    book = openpyxl.load_workbook(DATA.kappa.to_excel(tmp_path / "a.xlsx", RATERS))
    page = book["Pairs"]
    assert page["C4"].hyperlink.location == page["B5"].hyperlink.location == "'Counts'!A6"
    assert book["Counts"]["A6"].value == "ann against bob"
    [(sheet, cell)] = references(page["C4"].value)
    assert book[sheet][cell].offset(column=1).value.startswith("Estimate: ")
    assert page["B4"].value is None
    assert page["B4"].fill.fgColor.rgb == "FFD9D9D9"
    assert page["B4"].hyperlink is None


OTHER_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include><selectfont>
<rejectfont><pattern><patelt name="family"><string>Carlito</string></patelt></pattern></rejectfont>
<rejectfont><pattern><patelt name="family"><string>Calibri</string></patelt></pattern></rejectfont>
</selectfont></fontconfig>
"""
A4_HEIGHT, SMALLEST = 841.89, 8.0  # points


def six_annotators():
    """Make a report of 400 labels by six people."""
    rng = np.random.default_rng(3)
    labels = np.array(["refund", "delivery", "damage", "praise"])
    truth, names = rng.integers(0, 4, 400), ["Ines", "Bodo", "Samira", "Georg", "Leila", "Ulrich"]
    said = {x: np.where(rng.random(400) < 0.2, rng.integers(0, 4, 400), truth) for x in names}
    return pd.DataFrame({name: labels[one] for name, one in said.items()}).kappa.report()


def eight_sets():
    """Make a report of eight essay sets by two people and a machine."""
    essays = pdkappa.datasets.load_essays()
    return essays.kappa.report(by="essay_set", machine="machine", weights="quadratic")


def five_sites():
    """Make a report of four readers at five sites, whose headings are long."""
    rng = np.random.default_rng(5)
    true = rng.normal(3, 1, 300)
    said = {f"reader {x}": np.clip(np.rint(true + rng.normal(0, 0.5, 300)), 1, 5) for x in "ABCD"}
    frame = pd.DataFrame(said).mask(rng.random((300, 4)) < 0.1)
    return frame.assign(
        site=np.repeat(["Bergen", "Cork", "Graz", "Lublin", "Porto"], 60)
    ).kappa.report(by="site", weights="quadratic")


def letters_on(pdf, page):
    """Return the words of a page of A4, and the sizes of its letters in points."""
    command = ["pdftohtml", "-xml", "-i", "-stdout", "-zoom", "8", "-f", str(page), "-l", str(page)]
    found = subprocess.run([*command, str(pdf)], check=True, capture_output=True, timeout=60)
    tree = ET.fromstring(found.stdout)  # noqa: S314
    [sheet] = tree.iter("page")
    point = float(sheet.get("height")) / A4_HEIGHT
    sizes = {one.get("id"): float(one.get("size")) / point for one in tree.iter("fontspec")}
    texts = [("".join(one.itertext()), sizes[one.get("font")]) for one in tree.iter("text")]
    return [words for words, _ in texts], [size for words, size in texts if words.strip()]


@pytest.mark.paper
def test_the_summary_is_one_page_that_can_be_read_whatever_the_fonts(tmp_path, monkeypatch):
    (tmp_path / "fonts.conf").write_text(OTHER_FONTS, encoding="utf-8")
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    books = [
        make().to_excel(tmp_path / f"{make.__name__}.xlsx")
        for make in (six_annotators, eight_sets, five_sites)
    ]
    for path in converted(books, "pdf", tmp_path):
        words, sizes = letters_on(path, 1)
        assert "Summary" in words, path.stem
        assert "Estimate with its interval" in " ".join(words), path.stem
        assert min(sizes) >= SMALLEST, path.stem
        assert "Summary" not in letters_on(path, 2)[0], path.stem
