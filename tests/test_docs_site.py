"""The documentation builds without a warning, whole, and needs nothing from elsewhere.

Every link within it leads somewhere. Whether pages of others exist, DOIs among them, is not
asked, since that takes a network; their addresses are well-formed.
"""

import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import pdkappa
from pdkappa.accessor import KappaAccessor
from pdkappa.present.schema import REASONS

ROOT = Path(__file__).parents[1]
SOURCES = ["docs", "tutorials", "benchmarks", "CHANGELOG.md"]
WRITTEN = shutil.ignore_patterns("_build", "reference", "tutorials")
DOI = re.compile(r"/10\.\d{4,9}/\S+")
IN_CSS = re.compile(r"(?:@import|url\()\s*['\"]?((?:https?:)?//[^'\")\s]*)")
WITHOUT_EXAMPLE = {"not_converged"}  # small problems converge


class Page(HTMLParser):
    """What a page defines, where it leads, and what a browser fetches to show it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.add(found["href"])
        elif tag == "link" and found.get("rel") not in {"next", "prev", "index", "search"}:
            self.fetched.add(found["href"])
        elif found.get("src"):
            self.fetched.add(found["src"])


def problems(site: Path) -> list[str]:
    """List links that lead nowhere, and what would be fetched from elsewhere."""
    read = cache(lambda path: Page(path.read_text(encoding="utf-8")))
    found = []
    for path in sorted(site.rglob("*.html")):
        page = read(path)
        name = path.relative_to(site).as_posix()
        found += [f"{name} fetches {address}" for address in page.fetched if is_elsewhere(address)]
        here = [one for one in page.links | page.fetched if not is_elsewhere(one)]
        found += [f"{name} links {one}" for one in here if not leads_somewhere(path, one, read)]
        away = [one for one in page.links if is_elsewhere(one)]
        found += [f"{name} links {one}" for one in away if not is_well_formed(one)]
    for path in sorted(site.rglob("*.css")):
        fetched = IN_CSS.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site).as_posix()} fetches {address}" for address in fetched]
    return sorted(found)


def is_elsewhere(address: str) -> bool:
    """Whether it is not a part of the site; what an address holds itself is one."""
    return not address.startswith("data:") and bool(re.match(r"[a-z]+:|//", address))


def leads_somewhere(path: Path, address: str, read) -> bool:
    """Whether the file exists, and the anchor in it."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return False
    return not parts.fragment or unquote(parts.fragment) in read(target).ids


def is_well_formed(address: str) -> bool:
    """Whether it could be the address of a page, and that of a DOI a DOI."""
    parts = urlsplit(address)
    is_page = parts.scheme == "https" and "." in parts.netloc and not re.search(r"\s", address)
    return is_page and (parts.netloc != "doi.org" or bool(DOI.fullmatch(unquote(parts.path))))


@pytest.mark.site
def test_the_site_is_whole(tmp_path):
    for name in SOURCES:
        path = ROOT / name
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, tmp_path / name, **({"ignore": WRITTEN} if name == "docs" else {}))
    site = tmp_path / "docs" / "_build" / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "-b", "html", "docs", str(site)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert problems(site) == []
    pages = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    reference = [Page(path.read_text()) for name, path in pages.items() if "reference" in name]
    entries = set().union(*(page.ids for page in reference))
    names = {f"pdkappa.{name}" for name in pdkappa.__all__ if name != "__version__"}
    names |= {f"df.kappa.{name}" for name in dir(KappaAccessor) if not name.startswith("_")}
    assert names - entries - {name.removeprefix("module-") for name in entries} == set()
    marked = {name for name, path in pages.items() if "current-page" in path.read_text()}
    assert set(pages) - marked == {"genindex.html", "index.html", "search.html"}
    tutorials = {f"tutorials/{path.stem}.html" for path in (ROOT / "tutorials").glob("*.ipynb")}
    assert tutorials <= pages.keys()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="other.html">', None),
        ('<a href="other.html#there">', None),
        ('<p id="here"><a href="#here">', None),
        ('<a href="https://doi.org/10.1037/h0026256">', None),
        ('<img src="data:image/png;base64,AA==">', None),
        ('<a href="none.html">', "page.html links none.html"),
        ('<a href="other.html#here">', "page.html links other.html#here"),
        ('<a href="#there">', "page.html links #there"),
        ('<img src="none.png">', "page.html links none.png"),
        (
            '<a href="http://doi.org/10.1037/h0026256">',
            "page.html links http://doi.org/10.1037/h0026256",
        ),
        ('<a href="https://doi.org/h0026256">', "page.html links https://doi.org/h0026256"),
        ('<a href="https://nowhere/">', "page.html links https://nowhere/"),
        ('<script src="https://a.org/b.js">', "page.html fetches https://a.org/b.js"),
        ('<img src="//a.org/b.png">', "page.html fetches //a.org/b.png"),
        (
            '<link rel="stylesheet" href="https://a.org/b.css">',
            "page.html fetches https://a.org/b.css",
        ),
    ],
)
def test_problems_are_found(body, problem, tmp_path):
    (tmp_path / "page.html").write_text(body)
    (tmp_path / "other.html").write_text('<p id="there">')
    assert problems(tmp_path) == ([problem] if problem else [])


@pytest.mark.parametrize("rule", ["@import '//a.org/b.css'", "p { src: url(https://a.org/b) }"])
def test_style_sheets_are_read_too(rule, tmp_path):
    (tmp_path / "site.css").write_text(rule)
    assert len(problems(tmp_path)) == 1


def test_every_reason_is_shown():
    """With a section of its own, and an example that gives it."""
    text = (ROOT / "docs" / "nan.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (.*)\n([^#]*)", text, re.MULTILINE)
    assert {one for title, _ in sections for one in title.split(", ")} == {*REASONS}
    for reason in REASONS:
        found = [body for title, body in sections if reason in title.split(", ")]
        assert len(found) == 1, f"docs/nan.md has no section on {reason!r}"
        shown = [line for line in found[0].splitlines() if not line.startswith((">>>", "..."))]
        examples = re.search(rf"\b{reason}\b", "\n".join(shown))
        assert examples or reason in WITHOUT_EXAMPLE, f"docs/nan.md has no example of {reason!r}"
