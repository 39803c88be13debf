"""The page of a report in a real browser: it sorts, fits, prints, and needs nothing else."""

import base64
import json
import re
import shutil
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each

pytestmark = [pytest.mark.browser, pytest.mark.needs("jinja2", "selenium")]

ATTACK = "<script>document.title = 'taken'</script>"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESKTOP = (360, 740), (1280, 900)

# The least contrast of all text on the page with what is behind it, and the text.
CONTRAST = """
const part = (x) => (x /= 255, x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const light = (c) => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
const read = (text) => text.match(/[\\d.]+/g).map(Number);
const behind = (one) => {
  for (; one; one = one.parentElement) {
    const colour = read(getComputedStyle(one).backgroundColor);
    if (colour.length < 4 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
let least = [99, ""];
for (const one of document.body.querySelectorAll("*")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || one.closest("script")) continue;
  const style = getComputedStyle(one);
  const ink = one instanceof SVGElement ? style.fill : style.color;
  const [high, low] = [light(read(ink)), light(behind(one))].sort((a, b) => b - a);
  const contrast = (high + 0.05) / (low + 0.05);
  if (contrast < least[0]) least = [contrast, one.textContent.trim().slice(0, 40), one.className];
}
return least;
"""
# The heads of columns whose arrow stands in another line than the last word.
TORN = """
const middle = (box) => (box.top + box.bottom) / 2;
return [...document.querySelectorAll("thead button")].map((button) => {
  const range = document.createRange();
  range.selectNodeContents(button.previousSibling);
  return [button.closest("th"), range.getBoundingClientRect(), button.getBoundingClientRect()];
}).filter(([head, word, arrow]) => Math.abs(middle(word) - middle(arrow)) > word.height / 2
).map(([head]) => head.textContent);
"""
COLUMN = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Start a browser with a profile of its own."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Write a report with groups, missing ratings, and a rater with a hostile name."""
    essays = pdkappa.datasets.load_essays()
    data = essays.rename(columns={"human_2": ATTACK})
    data[ATTACK] = data[ATTACK].mask(data["essay_id"] % 7 == 0)
    raters = ["human_1", ATTACK, "machine"]
    report = data.kappa.report(raters, by="essay_set", weights="quadratic")
    return report.to_html(tmp_path_factory.mktemp("page") / "report.html").as_uri()


def visit(browser, address, size=DESKTOP, scheme="light", media=""):
    """Open the page in a window of a size, with a colour scheme or as on paper."""
    width, height = size
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.get(address)
    return browser


@contextmanager
def without_scripts(browser):
    """Run no script of the page."""
    command = "Emulation.setScriptExecutionDisabled"
    browser.execute_cdp_cmd(command, {"value": True})
    yield
    browser.execute_cdp_cmd(command, {"value": False})


def texts(browser, selector):
    return browser.execute_script(COLUMN, selector)


def test_it_opens_without_errors_and_fetches_nothing(browser, address):
    browser.get_log("browser")
    browser.get_log("performance")
    visit(browser, address)
    assert browser.get_log("browser") == []
    messages = [json.loads(one["message"])["message"] for one in browser.get_log("performance")]
    sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    assert {one["request"]["url"] for one in sent} <= {address, "data:,"}
    assert address in {one["request"]["url"] for one in sent}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_a_hostile_name_is_shown_as_text(browser, address):
    visit(browser, address)
    assert browser.title == f"Agreement of human_1, {ATTACK} and machine"
    assert ATTACK in browser.execute_script(
        "return [...document.querySelectorAll('.heat th')].map((one) => one.title)"
    )
    assert browser.execute_script("return document.scripts.length") == 1


def test_another_script_would_not_run(browser, address):
    visit(browser, address)
    browser.execute_script(
        "const one = document.createElement('script'); one.text = \"document.title = 'taken'\";"
        "document.body.append(one)"
    )
    assert browser.title != "taken"
    (message,) = browser.get_log("browser")
    assert "Content Security Policy" in message["message"]


def sorted_by(browser, press):
    """Sort the items by their group; return the column and the state of its header."""
    element = browser.find_element("css selector", "#discuss th:nth-child(3) button")
    assert element.accessible_name == "Sort by Essay set"
    press(element)
    values = texts(browser, "#discuss tbody td:nth-child(3)")
    state = browser.execute_script(
        "return [...document.querySelectorAll('#discuss th[aria-sort]')].map((one) =>"
        " [one.textContent.trim(), one.getAttribute('aria-sort')])"
    )
    return [float(one) for one in values], state


@pytest.mark.parametrize("key", ["", "\n", " "], ids=["click", "Enter", "space"])
def test_a_click_or_a_key_sorts_and_another_reverses(browser, address, key):
    visit(browser, address)
    before = texts(browser, "#discuss tbody tr")

    def press(element):
        element.send_keys(key) if key else browser.execute_script("arguments[0].click()", element)

    up, state = sorted_by(browser, press)
    assert state == [["Essay set", "ascending"]]
    assert up == sorted(up)
    assert len(set(up)) > 2
    said = browser.execute_script(
        "return document.querySelector('#discuss [role=status]').textContent"
    )
    assert said == "Sorted by Essay set, ascending."
    down, state = sorted_by(browser, press)
    assert state == [["Essay set", "descending"]]
    assert down == sorted(up, reverse=True)
    assert sorted(texts(browser, "#discuss tbody tr")) == sorted(before)


MISSING = pd.DataFrame(
    {
        "statistic": ["beta", "alpha", "item 10", "item 9"],
        "n_items": [1200, 30, 4, 500],
        "estimate": [0.5, None, -0.2, 0.50001],
    }
)


def test_numbers_text_and_what_is_missing(browser, tmp_path):
    from pdkappa.present.findings import Findings
    from pdkappa.present.html_page import page
    from pdkappa.present.sheets import Sheet

    line = Findings("a and b agree.", subject="a and b")
    totals = pd.DataFrame({"statistic": ["sum"], "n_items": [1734]}, index=["sum"])
    frame = pd.concat([MISSING, totals]).rename_axis("row")
    path = tmp_path / "a.html"
    path.write_text(page([Sheet("t", frame, "T", emphasis=("sum",))], line, ""), "utf-8")
    visit(browser, path.as_uri())

    def order(column):
        selector = f"thead th:nth-child({column}) button"
        browser.execute_script("document.querySelector(arguments[0]).click()", selector)
        return texts(browser, "tbody td:nth-child(2)")

    assert order(2) == ["alpha", "beta", "item 9", "item 10"]
    assert order(3) == ["item 10", "alpha", "item 9", "beta"]
    assert order(4) == ["item 10", "beta", "item 9", "alpha"]
    assert order(4) == ["item 9", "beta", "item 10", "alpha"]  # the missing one stays last
    assert texts(browser, "tfoot td:nth-child(2)") == ["sum"]
    assert len(browser.find_elements("css selector", "[aria-sort]")) == 1


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_only_tables_scroll_sideways(browser, address, size):
    visit(browser, address, size)
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width <= size[0]
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].map((one) => one.clientWidth)"
    )
    assert max(boxes) <= size[0]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_arrows_stand_beside_the_last_word(browser, address, size):
    visit(browser, address, size)
    assert len(texts(browser, "thead button")) > 20
    assert browser.execute_script(TORN) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(browser, address, scheme):
    visit(browser, address, scheme=scheme)
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) > 382) == (scheme == "light")
    contrast, *where = browser.execute_script(CONTRAST)
    assert contrast >= 4.5, where


SHUT = """
const rows = [...document.querySelectorAll("#discuss tbody tr")];
const shown = () => rows.filter((one) => one.checkVisibility()).length;
const columns = () => [...rows[0].cells].filter((one) => one.checkVisibility()).length;
const found = [document.querySelectorAll("button").length, shown(), columns()];
for (const one of document.querySelectorAll("details")) one.open = true;
const all = "section, tbody tr, tbody td:not(.items, .sum, .wide), pre";
const hidden = [...document.querySelectorAll(all)];
found.push(shown(), columns(), hidden.filter((one) => !one.checkVisibility()).length);
JSON.stringify(found)
"""


def test_without_scripts_everything_can_be_opened(browser, address):
    visit(browser, address, PHONE)
    with without_scripts(browser):
        browser.get(address)
        options = {"expression": SHUT, "returnByValue": True}
        found = browser.execute_cdp_cmd("Runtime.evaluate", options)
    n_buttons, *shut_and_open, n_hidden = json.loads(found["result"]["value"])
    assert (n_buttons, n_hidden) == (0, 0)
    assert shut_and_open == [10, 3, 50, 3]


# What is wider or higher than its box, or stands beyond the window.
CUT = """
const wide = (one) => one.scrollWidth > one.clientWidth + 1;
const high = (one) => one.scrollHeight > one.clientHeight + 1;
return [...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility()).filter(
  (one) => wide(one) || high(one) || one.getBoundingClientRect().right > innerWidth
).map((one) => one.getAttribute("aria-labelledby"));
"""


@pytest.mark.parametrize(("size", "most"), [(DESKTOP, 3000), (PHONE, 4000)], ids=["desk", "phone"])
def test_nothing_is_cut_and_a_third_of_the_height_is_left(browser, address, size, most):
    visit(browser, address, size)
    assert browser.execute_script(CUT) == []
    assert browser.execute_script("return document.documentElement.scrollHeight") < most


@each("size", [DESKTOP, PHONE])
def test_criteria_beside_long_names_are_not_cut(browser, tmp_path, size):
    names = ["Persuasive letter to the newspaper about computers", "The Mooring Mast: obstacles"]
    essays = pdkappa.datasets.load_essays().query("essay_set < 3")
    data = essays.assign(prompt=essays["essay_set"].map(dict(enumerate(names, 1))))
    raters = ["human_1", "human_2", "machine"]
    report = data.kappa.report(raters, by="prompt", machine="machine", weights="quadratic")
    visit(browser, report.to_html(tmp_path / "a.html", overwrite=True).as_uri(), size)
    assert "groups-1" not in browser.execute_script(CUT)


HEADS = "return [...document.querySelectorAll(`th[scope=col]`)].filter((x) => x.checkVisibility())"
HEADS += ".map((x) => x.innerText.trim().split(' ')[0])"


def test_on_a_phone_a_table_shows_its_figure_and_both_raters(browser, tmp_path):
    essays = pdkappa.datasets.load_essays()
    people = ["human_1", "human_2"]
    found = essays.kappa.machine.evaluate(people, "machine", by="essay_set")
    visit(browser, found.to_html(tmp_path / "a.html").as_uri(), PHONE)
    assert "QWK" in browser.execute_script(HEADS)
    spans = pd.DataFrame({"doc": [1, 1], "who": ["Ann", "Bea"], "start": 0, "end": [5, 6]})
    found = pdkappa.from_spans(spans, item="doc", rater="who", start="start", end="end")
    visit(browser, found.to_html(tmp_path / "b.html").as_uri(), PHONE)
    assert {"First", "Second", "Estimate"} <= {*browser.execute_script(HEADS)}


OPENED = """
for (const one of document.querySelectorAll("details.fold")) one.open = true;
return [document.documentElement.scrollWidth, [...document.querySelectorAll("th, td")].filter(
  (one) => one.checkVisibility() && one.clientWidth && one.scrollWidth > one.clientWidth + 1
).length];
"""


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_squares_of_many_columns_fit(browser, size, tmp_path):
    essays = pdkappa.datasets.load_essays()[["human_1", "machine"]]
    report = essays.kappa.report(weights="quadratic", detail=["counts"])
    visit(browser, report.to_html(tmp_path / "wide.html").as_uri(), size)  # 53 categories
    width, n_cut = browser.execute_script(OPENED)
    assert (width <= size[0], n_cut) == (True, 0)
    rng = np.random.default_rng(1)
    names = [f"annotator_{one}" for one in range(40)]
    crowd = pd.DataFrame(rng.integers(0, 2, (20, 40)), columns=names)
    report = crowd.kappa.report(detail=["counts"])
    visit(browser, report.to_html(tmp_path / "many.html").as_uri(), size)
    assert "matrix-1" not in browser.execute_script(CUT)


def test_figures_that_are_opened_fit_on_a_desk(browser, address):
    visit(browser, address)
    assert browser.execute_script(OPENED)[0] <= DESKTOP[0]
    cut = set(browser.execute_script(CUT))
    assert not {one for one in cut if one.startswith(("groups", "pairs", "agreement"))}


def test_references_and_the_checklist_are_printed(browser, address):
    visit(browser, address, media="print")
    shown = [one for one in texts(browser, ".fold.printed pre") if one]
    assert [one.split("\n")[0] for one in shown] == [
        "References",
        "Guidelines for Reporting Reliability and Agreement Studies (GRRAS)",
    ]
    heights = "return [...document.querySelectorAll('#paper pre')].map((one) => one.offsetHeight)"
    method, references, markdown, latex, checklist = browser.execute_script(heights)
    assert min(method, references, checklist) > 100
    assert max(markdown, latex) == 0


def test_it_prints_on_a_dozen_pages(browser, address):
    visit(browser, address, scheme="dark", media="print")
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    assert browser.execute_script(style, ".skip", "display") == "none"
    assert browser.execute_script(style, "body", "color") == "rgb(22, 32, 43)"  # not the dark one
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    document = base64.b64decode(printed["data"])
    assert document.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", document)) < 12


# The rows that each table shows at first, and what it says of them.
AT_FIRST = """
return [...document.querySelectorAll(".cut")].map((one) => {
  const said = one.querySelector(".more .shut").innerText.match(/^(\\d+) of (\\d+) rows/);
  const rows = [...one.querySelectorAll("tbody tr")];
  return said && [Number(said[1]), rows.filter((row) => row.checkVisibility()).length];
}).filter((one) => one);
"""


@each("size", [DESKTOP, PHONE])
def test_as_many_rows_are_shown_at_first_as_the_table_says(browser, tmp_path, size):
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 200)
    data = pd.DataFrame({"ann": truth, "bob": truth})
    data["gpt"] = np.where(rng.random(200) < 0.3, rng.integers(1, 6, 200), truth)
    data["ann"] = data["ann"].where(rng.random(200) > 0.1).clip(upper=4)
    path = data.kappa.report(machine="gpt").to_html(tmp_path / "page.html")
    found = visit(browser, path.as_uri(), size).execute_script(AT_FIRST)
    assert len(found) >= 2
    assert all(said == shown for said, shown in found), found
