"""How Sphinx builds the documentation, without network, from what the project holds.

The pages of the reference and those of the tutorials are written before each build, into
folders that git ignores.
"""

from __future__ import annotations

import builtins
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import _reference  # noqa: E402

import pdkappa  # noqa: E402

gc.disable()  # looking for garbage among millions of nodes took a fifth of the build

project = "pdkappa"
author = "The pdkappa developers"
version = release = pdkappa.__version__

extensions = ["_mathml", "_navigation", "_values", "myst_nb", "numpydoc", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "pictures", "README.md"]
smartquotes = False  # of the names of options
nitpicky = True
nitpick_ignore = [("py:class", name) for name in dir(builtins)]

html_theme = "furo"
html_title = "pdkappa"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_domain_indices = False
html_math_renderer = "mathml"
pygments_dark_style = "monokai"

autodoc_typehints = "none"
numpydoc_show_class_members = False
add_module_names = False

myst_enable_extensions = ["dollarmath", "deflist", "html_image"]
myst_heading_anchors = 3
nb_execution_mode = "off"


# Pages link what is there without a build, too, which GitHub shows.
IN_THE_BUILD = {
    "../tutorials/": "tutorials/",
    "../benchmarks/README.md": "benchmarks.md",
    "../benchmarks/simulations.md": "simulations.md",
    "../docs/": "",
    "https://pdkappa.readthedocs.io/en/latest/reference/index.html": "reference/index.rst",
}


def setup(app: Sphinx) -> None:
    """Write pages before the build, and link the names in docstrings."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", link_copies)
    app.connect("include-read", link_copies)
    app.connect("autodoc-process-docstring", link_names, priority=600)  # after numpydoc
    app.connect("autodoc-process-signature", hide_constructor)
    app.connect("doctree-read", trim_code)


def write_pages(_app: Sphinx) -> None:
    """Write the pages of the reference and of the tutorials."""
    bring(HERE / "reference", _reference.pages())
    tutorials = sorted((ROOT / "tutorials").glob("*.ipynb"))
    elsewhere = ("../benchmarks/README.md", "../benchmarks.md")
    texts = {path.name: path.read_text(encoding="utf-8") for path in tutorials}
    bring(HERE / "tutorials", {name: text.replace(*elsewhere) for name, text in texts.items()})


def link_copies(_app: Sphinx, *of_source: Any) -> None:
    """Link the pages of this build, where a page links what it is in the repository."""
    source: list[str] = of_source[-1]
    for elsewhere, here in IN_THE_BUILD.items():
        source[0] = source[0].replace(f"]({elsewhere}", f"]({here}")


def bring(folder: Path, texts: dict[str, str]) -> None:
    """Make a folder hold these files, touching only those that change."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def link_names(
    _app: Sphinx, _what: str, name: str, one: Any, _options: Any, lines: list[str]
) -> None:
    """Link the names in a docstring, and the class that a property gives."""
    owner = name if name in _reference.public() else name.rpartition(".")[0]
    text = _reference.linked("\n".join(lines), one, owner)
    if isinstance(one, property):
        text += f"\n\n{_reference.pointer(one)}"
    lines[:] = [*text.split("\n"), ""]


def hide_constructor(_app: Sphinx, what: str, _name: str, one: Any, *_rest: Any) -> Any:
    """Hide the parameters of a class that are not described: only pdkappa makes such objects."""
    is_result = what == "class" and "Attributes\n" in (one.__doc__ or "")
    return ("", "") if is_result else None


def trim_code(_app: Sphinx, tree: nodes.document) -> None:
    """Leave out the blank line that doctests in Markdown need at the end of a block."""
    for block in tree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip()
        block[:] = [nodes.Text(block.rawsource)]
