"""Every tutorial runs, and what it shows is what a fresh run shows.

``python tests/test_tutorials.py`` runs them all and writes their outputs anew; names of some, such
as ``06-gallery``, run these alone.
"""

import base64
import io
import re
import sys
import tempfile
from pathlib import Path

import nbformat
import PIL.Image
import pytest
from nbclient import NotebookClient

TUTORIALS = sorted(Path(__file__).parents[1].joinpath("tutorials").glob("*.ipynb"))
HEAVIEST = 250_000  # bytes
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d{3,}|\d{1,3}(?:,\d{3})+)(?!\w)")
VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")
CODE_OR_LINK = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
ELSEWHERE = {  # in pictures, and the number of resamples that is the default
    "03-annotation-team": {"2,000"},
    "06-gallery": {"0.145", "0.724", "0.773", "0.774"},
}
PALETTE = {  # enough for the shades of edges and of colour bars
    "colors": 192,
    "method": PIL.Image.Quantize.MAXCOVERAGE,
    "dither": PIL.Image.Dither.NONE,
}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed(notebook: nbformat.NotebookNode, folder: str | Path) -> nbformat.NotebookNode:
    """Run a copy of a notebook in a folder; keep nothing of the machine, nor of the time."""
    fresh = nbformat.from_dict({**notebook, "metadata": METADATA})
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(
        fresh, timeout=120, kernel_name="python3", resources=where, record_timing=False
    ).execute()
    fresh.metadata = nbformat.from_dict(METADATA)
    for cell in fresh.cells:
        cell.metadata = nbformat.NotebookNode()
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return fresh


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Put together what a cell printed; in how many pieces it came depends on the machine."""
    whole: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = whole[-1] if whole else {}
        if output.output_type == last.get("output_type") == "stream" and output.name == last.name:
            last.text += output.text
        else:
            whole.append(output)
    return whole


def shown(notebook: nbformat.NotebookNode) -> dict[str, list[str]]:
    """Return the text that each code cell shows, by the id of the cell."""
    return {
        cell.id: [text_of(output) for output in joined(cell.outputs)]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def text_of(output: nbformat.NotebookNode) -> str:
    """Return what an output says, whatever the versions of what runs it.

    Of a picture, whose size depends on fonts, it says that it is one.
    """
    if output.output_type != "stream" and "image/png" in output.data:
        return "picture"
    text = output.text if output.output_type == "stream" else output.data["text/plain"]
    return VERSION.sub("version", text)


@pytest.mark.notebook
@pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_the_outputs_are_those_of_a_fresh_run(path, tmp_path):
    committed = nbformat.read(path, as_version=4)
    assert shown(executed(committed, tmp_path)) == shown(committed)


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text, without their signs."""
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


@pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_figures_in_the_text_are_those_that_are_shown(path):
    """Those with three decimals or a comma; the gallery shows some in pictures only."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = numbers_in("\n".join(cell.source for cell in code))
    for texts in shown(notebook).values():
        found += numbers_in("\n".join(texts))
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    figures = {match.group() for match in FIGURE.finditer(CODE_OR_LINK.sub("", text))}
    assert figures or path.stem == "06-gallery"
    for figure in figures - ELSEWHERE.get(path.stem, set()):
        half = 0.5 * 10.0 ** -len(figure.partition(".")[2]) + 1e-9
        (value,) = numbers_in(figure)
        assert any(abs(value - one) <= half for one in found), figure


def test_tutorials_are_light():
    """They are read on GitHub and stay in the history of the project."""
    heavy = {path.stem: path.stat().st_size for path in TUTORIALS if path.stat().st_size > HEAVIEST}
    assert not heavy


def lighter(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Give the pictures a palette, which halves them."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                drawn = PIL.Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
                slim = io.BytesIO()
                drawn.convert("RGB").quantize(**PALETTE).save(slim, "png", optimize=True)
                output.data["image/png"] = base64.b64encode(slim.getvalue()).decode() + "\n"
    return notebook


def write_anew(names: list[str]) -> None:
    """Run every tutorial, or those named, and keep their outputs."""
    for path in [path for path in TUTORIALS if not names or path.stem.startswith(tuple(names))]:
        with tempfile.TemporaryDirectory() as folder:
            fresh = lighter(executed(nbformat.read(path, as_version=4), folder))
        path.write_text(nbformat.writes(fresh) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_anew(sys.argv[1:])
