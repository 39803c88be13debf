"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own, which scrolls where the page is narrow."""
    writer.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """Turn LaTeX into MathML; a command that is not known is a warning of the build."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except (SyntaxError, ValueError) as error:  # older and newer versions of docutils
        logger.warning("%s in %r", error, node.astext(), location=node)
        return ""
