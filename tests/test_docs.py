"""Docstrings are whole, tutorials fit to be read, and every place states the same version."""

import ast
import inspect
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import nbformat
import pytest
from numpydoc.validate import validate

import pdkappa
from conftest import methods
from pdkappa import _typing, accessor
from pdkappa.cli import main
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "tutorials").glob("*.ipynb"))
every_tutorial = pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])

STUMBLED = re.compile(
    r"\b(?:he|him|his|himself|see to them|will do:|hangs on|held against|at hand|knows? nothing"
    r"|never a silent wrong|which is right too|takes no look|the limits are \w+ and"
    r"|answers another question|What you have got|does not allow to|cohen, weights"
    r"|of one mind|counts all alike|What is NaN has|for what is NaN|hold less than they promise"
    r"|mistrust|who is off|Who is off)\b"
)

NOT_REQUIRED = {
    "GL01": "the summary stands on the line of the opening quotes",
    "ES01": "one sentence may say it all",
    "SA01": "not everything has relatives",
}
NOT_REQUIRED_OF_A_CLASS = {
    "EX01": "the functions that return its objects show them",
    "PR01": "a result lists attributes; nobody but pdkappa builds it",
}


def public_names() -> list[str]:
    """Dotted names of all that a user can reach: functions, classes, methods."""
    found = [getattr(pdkappa, name) for name in pdkappa.__all__ if not name.startswith("__")]
    modules = [one for one in found if isinstance(one, ModuleType)]
    own = [getattr(module, name) for module in modules for name in module.__all__]
    found += [one for one in own if getattr(one, "__module__", "").startswith("pdkappa")]
    found += [one for one in vars(accessor).values() if is_ours(one, accessor.__name__)]
    classes = [one for one in found if inspect.isclass(one)]
    functions = [one for one in found if inspect.isfunction(one)]
    functions += [one for owner in classes for _, one in inspect.getmembers(owner, is_ours)]
    return sorted({f"{one.__module__}.{one.__qualname__}" for one in [*classes, *functions]})


def is_ours(one: object, module: str = "pdkappa") -> bool:
    """Whether this is a public function or class, and defined in the module or below it."""
    is_code = inspect.isfunction(one) or inspect.isclass(one)
    return is_code and one.__module__.startswith(module) and not one.__name__.startswith("_")


def test_every_docstring_is_whole():
    wrong = []
    for name in public_names():
        found = validate(name)
        is_function = found["type"] == "function" and name.rpartition(".")[0] in sys.modules
        allowed = NOT_REQUIRED | ({} if is_function else NOT_REQUIRED_OF_A_CLASS)
        wrong += [(name, *error) for error in found["errors"] if error[0] not in allowed]
    assert wrong == []


def test_every_option_says_what_it_means():
    """No option, and no error, is described by the name of another function alone."""
    wrong = []
    for name, one in methods().items():
        text = inspect.getdoc(one) or ""
        wrong += [
            (name, line) for line in re.findall(r"^ +(?:\w+ : a|A)s in `.*$", text, re.MULTILINE)
        ]
    assert wrong == []


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """All that the cells of a notebook gave; errors and warnings must not be among it."""
    found = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [one for one in found if one.output_type == "error" or one.get("name") == "stderr"]
    return found


@every_tutorial
def test_the_tutorial_is_fit_to_be_read(path):
    """It was committed with its outputs, and without anybody's folders."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert outputs(notebook)
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"/(?:home|root|tmp|work|Users|opt)/|\b[A-Z]:\\", text)


@pytest.mark.parametrize("folder", ["docs", "pdkappa", "tutorials"])
def test_words_are_plain(folder):
    """People are they, and phrases that readers stumbled over do not come back."""
    kinds = {".md", ".py", ".ipynb", ".j2", ".js"}
    copies = ROOT / "docs" / "tutorials"  # of which a build of the documentation leaves some
    found = [*(ROOT / folder).rglob("*"), *(ROOT.glob("*.md") if folder == "docs" else [])]
    for path in [one for one in found if one.suffix in kinds]:
        if copies in path.parents:
            continue
        text = " ".join(path.read_text(encoding="utf-8").replace("\\n", " ").split())
        assert not STUMBLED.findall(text), path


def test_the_map_shows_every_package():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    root = ROOT / "pdkappa"
    packages = {path.parent.relative_to(root).as_posix() for path in root.glob("*/**/__init__.py")}
    assert set(re.findall(r"^\| `([\w/]+)/`", text, re.MULTILINE)) == packages


def test_a_change_opens_three_files_at_most():
    """Those that the table names exist, and hold the dict that gets a row."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("### Where does a change go?")[2].partition("\n### ")[0]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 20
    for change, named, written in rows:
        names = re.findall(r"`([\w/*]+\.(?:py|toml))`", named)
        assert len(re.split(r", | or ", named)) <= 3, change
        held = ""
        for name in names:
            places = [*ROOT.glob(name), *(ROOT / "pdkappa").glob(name)]
            assert places, (change, name)
            held += "".join(place.read_text(encoding="utf-8") for place in places)
        for table_name in re.findall(r"`([A-Z_]{3,})`", written):
            assert re.search(rf"^{table_name}\b.* = ", held, re.MULTILINE), (change, table_name)


def test_every_package_says_what_it_takes_and_gives():
    for path in (ROOT / "pdkappa").glob("*/**/__init__.py"):
        if path.parent.name == "datasets":
            continue  # which holds its functions itself
        lines = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n")
        starts = [line.split(":")[0] for line in lines[2:5]]
        assert starts == ["In", "Out", "May import"], path


def links(name):
    """List where a page leads and the pictures that it shows, without anchors."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"\]\(([^)#]+)|\bsrc=\"([^\"]+)\"", text)
    return {"".join(pair) for pair in found}


def test_links_of_the_readme_work_everywhere():
    """Here they are relative; where the package is built, they name the documentation or a file."""
    from hatch_build import absolute

    found = links("README.md")
    assert [one for one in found if "://" not in one and not (ROOT / one).exists()] == []
    assert all((ROOT / one).exists() for one in links("CONTRIBUTING.md") if "://" not in one)
    text = absolute((ROOT / "README.md").read_text(encoding="utf-8"))
    built = set(re.findall(r"\]\(([^)#]+)|\bsrc=\"([^\"]+)\"", text))
    assert len(built) == len(found)
    assert all("".join(pair).startswith("https://") for pair in built)
    assert "https://pdkappa.readthedocs.io/en/latest/choosing.html" in text
    assert "https://raw.githubusercontent.com/pdkappa/pdkappa/main/docs/pictures/matrix.png" in text


@pytest.mark.needs("jinja2", "matplotlib")
def test_the_command_of_the_readme_works(tmp_path, monkeypatch, capsys):
    """With the ratings that the README reads."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    options = re.search(r"^`pdkappa (ratings\.csv .*?)`", text, re.MULTILINE)[1].split()
    shutil.copy(ROOT / "pdkappa" / "datasets" / "ratings.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(options) == 0
    assert "Ann" in capsys.readouterr().out
    assert (tmp_path / options[-1]).exists()


def headings(path):
    """List the anchors that GitHub gives the headings of a page."""
    text = re.sub(
        r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in titles}


def test_links_of_the_documentation_work_in_the_repository():
    """Those with an anchor lead to a heading there, not to one that a build brings."""
    for path in (ROOT / "docs").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        here = {one for one in links(path) if not re.match("https?:|mailto:", one)}
        assert {one for one in here if not (path.parent / one).exists()} == set(), path
        for page, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
            assert anchor in headings(path.parent / page if page else path), (path, page, anchor)


def test_the_readme_is_short_and_shows_its_pictures():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    shown = re.findall(r"docs/pictures/(\w+)\.png\"", text)
    assert shown == ["matrix", "forest", "report"]


def test_every_function_answers_a_question():
    """What can be called stands on the page of questions."""
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    own = {name for name in pdkappa.__all__ if inspect.isfunction(getattr(pdkappa, name))}
    own |= {*pdkappa.plan.__all__, *pdkappa.tools.__all__}
    own |= {name.rpartition(".")[2] for name in methods()}
    assert own - set(re.findall(r"\w+", text)) == set()


@pytest.mark.parametrize(
    ("heading", "names"), [("What chance is", COEFFICIENTS), ("More than two raters", MULTIRATER)]
)
def test_the_formula_of_every_coefficient_stands_in_the_documentation(heading, names):
    text = (ROOT / "docs" / "formulas.md").read_text(encoding="utf-8")
    section = text.partition(f"## {heading}\n")[2].partition("\n#")[0]
    _, *rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(names)


def test_words_of_the_glossary_are_in_order():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^(.+)\n: ", text, re.MULTILINE)
    assert len(words) > 40
    assert words == sorted(words, key=str.casefold)


def test_recipes_are_short():
    """Twenty questions, each answered in ten lines of code at most."""
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^## (\d+)\. (.*)\n([^#]*)", text, re.MULTILINE)
    assert [int(number) for number, *_ in recipes] == list(range(1, 21))
    assert [title for _, title, _ in recipes if not title.endswith("?")] == []
    code = [len(re.findall(r"^(?:>>>|\.\.\.) ", body, re.MULTILINE)) for *_, body in recipes]
    assert 0 < min(code) <= max(code) <= 10


def test_formulas_fit_a_phone():
    """On 390 pixels none of its lines has to be pushed aside; that was looked at in a browser."""
    text = (ROOT / "docs" / "formulas.md").read_text(encoding="utf-8")
    shown = re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL)
    assert [one for one in shown if len(one) > 135 or (len(one) > 80 and r"\qquad" in one)] == []


def test_every_coefficient_is_a_choice_of_the_option():
    assert get_args(_typing.Coefficient) == tuple(COEFFICIENTS)
    listed = ", ".join(f'"{name}"' for name in COEFFICIENTS)
    assert f"coefficient : {{{listed}}}" in pdkappa.KappaAccessor.pairs.__doc__


def test_the_page_of_intervals_lists_what_each_method_can_be_asked_for():
    text = (ROOT / "docs" / "your-interval.md").read_text(encoding="utf-8")
    rows = text.partition("## Which limits can I ask for?")[2].partition("\n\n`")[0].split("\n")[4:]
    told = {}
    for row in rows:
        calls, _, choices = (re.findall(r"`([^`]*)`", cell) for cell in row.split("|")[1:-1])
        assert not told.keys() & set(calls)
        told |= dict.fromkeys(calls, choices)
    options = {
        name: {x.name: x for x in vars(one)["call"].record.options}
        for name, one in methods().items()
    }
    limits = {name: one.get("ci") for name, one in options.items() if "confidence_level" in one}
    assert all(one.default == "auto" for one in limits.values() if one)
    assert told == {
        name: [x for x in one.choices if x != "auto"] if one else [] for name, one in limits.items()
    }
