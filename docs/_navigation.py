"""The tree of pages beside each page, drawn once for each folder.

Sphinx copies and draws the whole tree for every page, which took a third of the build. It differs
between pages by where their folder is, and by the marks of the page and of those above it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

MARKED = re.compile(r'(?<=<ul) class="current"|(?<=toctree-l\d) current')
HERE = '<a class="current reference internal" href="#">'


def setup(app: Sphinx) -> dict[str, bool]:
    """Hand each page the tree of its folder, before the theme asks for one."""
    drawn: dict[str, str] = {}
    app.connect("html-page-context", partial(hand_over, drawn), priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def hand_over(
    drawn: dict[str, str], app: Sphinx, page: str, _name: str, context: dict[str, Any], _doc: Any
) -> None:
    """Take the tree of the folder instead of one that is drawn for this page."""
    if "toctree" in context:
        context["toctree"] = partial(tree, drawn, app, page, context["toctree"])


def tree(
    drawn: dict[str, str], app: Sphinx, page: str, draw: Callable[..., str], **options: Any
) -> str:
    """Return the tree of a page as the theme wants it."""
    folder = page.rpartition("/")[0]
    if folder not in drawn:
        own = app.builder.get_relative_uri(page, page) or page.rpartition("/")[2] + ".html"
        unmarked = MARKED.sub("", draw(**options))
        drawn[folder] = unmarked.replace(HERE, f'<a class="reference internal" href="{own}">')
    return marked(drawn[folder], app, page)


def marked(text: str, app: Sphinx, page: str) -> str:
    """Mark a page and those above it."""
    above = app.env.collect_relations()
    one: str | None = page
    while one in above:
        address = app.builder.get_relative_uri(page, one) or page.rpartition("/")[2] + ".html"
        entry = re.compile(rf'(toctree-l\d)("><a class=")(reference internal" href=")({address})"')
        here = r'\1 current\2current \3#"' if one == page else r'\1 current\2\3\4"'
        text = entry.sub(here, text, count=1)
        one = above[one][0]
    return text
