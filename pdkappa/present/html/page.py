"""Sheets of tables, and what is said about them → one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdkappa._version import __version__
from pdkappa.errors import MissingDependencyError
from pdkappa.present.files import check_target, deliver
from pdkappa.present.html.sections import sections
from pdkappa.present.html.strips import Axis
from pdkappa.present.labels import rounded
from pdkappa.present.text.figures import with_interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from jinja2 import Template

    from pdkappa.present.excel.sheets import Sheet
    from pdkappa.present.files import Target
    from pdkappa.present.html.sections import Handout

# The browser fetches nothing, and runs what has these hashes.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
)

MIDDLE, BESIDE = (16,), (10, 22)  # where marks stand on a gauge, in pixels from above
DIFFERENCE = "Difference"

Figures: TypeAlias = tuple[float, float, float]  # an estimate and its limits


class Headline(NamedTuple):
    """What a report says first; a figure that is undefined is NaN."""

    subject: str  # whose agreement it is
    measure: str  # which coefficient it is, and of what
    estimate: float
    low: float
    high: float
    level: str  # in words, such as "95 %"
    sentences: tuple[str, ...]  # the same in plain words
    facts: tuple[tuple[str, str], ...]  # what was rated, by whom and how
    title: str = ""  # what stands above all; empty for the subject
    others: tuple[tuple[str, Figures], ...] = ()  # the same with other weights
    compared: tuple[tuple[str, Figures], ...] = ()  # humans, machines, and their difference
    of_compared: str = ""  # which coefficient these are of
    verdict: str = ""  # what stands in the place of the figure, which then is NaN

    @property
    def figures(self) -> str:
        """The coefficient and its interval as text."""
        return with_interval(self.estimate, self.low, self.high)

    @property
    def interval(self) -> str:
        """The interval in words; empty if there is none."""
        return interval(self.low, self.high, self.level)

    @property
    def heading(self) -> str:
        """What stands above the page."""
        return self.title or f"Agreement of {self.subject}"

    @property
    def in_short(self) -> str:
        """The figures with all weights in one line, after those of humans and machines."""
        both = [f"{name} {with_interval(*figures)}" for name, figures in self.compared]
        rest = [f"{weights} {with_interval(*figures)}" for weights, figures in self.others]
        return "; ".join([*both, f"{self.measure}: {self.figures}", *rest])


def interval(low: float, high: float, level: str) -> str:
    """Write an interval in words; empty if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{level} interval {rounded(low)} to {rounded(high)}"


def with_limits(estimate: float, low: float, high: float, level: str) -> str:
    """Write a figure in a sentence, with its interval if there is one.

    >>> with_limits(0.5, 0.4, 0.61, "95 %"), with_limits(float("nan"), 0, 0, "95 %")
    ('0.50 (95 % interval 0.40 to 0.61)', 'undefined')
    """
    if math.isnan(estimate):
        return "undefined"
    limits = interval(low, high, level)
    return f"{rounded(estimate)} ({limits})" if limits else rounded(estimate)


class Mark(NamedTuple):
    """Where a figure stands on a scale, in per cent of its width; empty for what is undefined."""

    low: str
    middle: str
    high: str
    y: int  # from above, in pixels


class Gauge(NamedTuple):
    """Where the headline's figure stands on its scale, or those of humans and machines."""

    marks: list[Mark]
    ticks: list[tuple[str, str]]  # places of round numbers, and the numbers
    says: str  # the same in words


def write_page(
    path: Target,
    sheets: Sequence[Sheet],
    headline: Headline,
    call: str,
    *,
    handouts: Sequence[Handout] = (),
    overwrite: bool = True,
) -> Path | None:
    """Write the page to a file, whole or not at all, or to a file object."""
    check_target(path, overwrite=overwrite)
    content = page(sheets, headline, call, handouts).encode(errors="backslashreplace")
    return deliver(path, content, overwrite=overwrite)


def page(
    sheets: Sequence[Sheet], headline: Headline, call: str, handouts: Sequence[Handout] = ()
) -> str:
    """Lay out all sheets on one page, which fetches nothing and runs no script but its own.

    The `call` is the code that makes the report again, and `handouts` are texts to copy. The same
    report gives the same HTML.
    """
    template = _template()
    style, script = _file("report.css"), _file("report.js")
    return template.render(
        policy=POLICY.format(style=_digest(style), script=_digest(script)),
        style=style,
        script=script,
        version=__version__,
        headline=headline,
        figure=headline.verdict or with_interval(headline.estimate),
        interval=headline.interval,
        compared=[
            (name, _signed(figures[0], name), interval(*figures[1:], headline.level))
            for name, figures in headline.compared
        ],
        gauge=_gauge(headline),
        sections=sections(sheets, headline.level, call, handouts),
    )


def _template() -> Template:
    """Return the page to be filled in."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        message = (
            "An HTML report needs Jinja2, which is not installed. "
            "Run: pip install 'pdkappa[report]'"
        )
        raise MissingDependencyError(message) from error
    return _compiled()


@cache
def _compiled() -> Template:
    """Compile the template, which takes longer than to fill it in, and escapes all data."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_file("report.html.j2"))


def _file(name: str) -> str:
    """Read a file of the page."""
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Name a text by its hash, so that a browser runs this script and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _signed(figure: float, name: str) -> str:
    """Write a figure, a difference with its sign."""
    if math.isnan(figure):
        return "undefined"
    return f"{'+' if name == DIFFERENCE and figure > 0 else ''}{rounded(figure)}"


def _gauge(headline: Headline) -> Gauge | None:
    """Place the figure, or those of humans and machines, on a scale that ends in 1.

    None if one is undefined.
    """
    one = [(headline.estimate, headline.low, headline.high)]
    shown = [figures for _, figures in headline.compared[:-1]] or one
    if any(math.isnan(estimate) for estimate, *_ in shown):
        return None
    least = min([0.0, *(one for figures in shown for one in figures if not math.isnan(one))])
    axis = Axis(math.floor(5 * least) / 5, 1.0)
    names = [f"{name} " for name, _ in headline.compared[:-1]] or [""]
    said = "; ".join(
        f"{name}{with_interval(*figures)}" for name, figures in zip(names, shown, strict=True)
    )
    rows = MIDDLE if len(shown) == 1 else BESIDE
    return Gauge(
        [
            Mark(axis.place(low), axis.place(estimate), axis.place(high), y)
            for (estimate, low, high), y in zip(shown, rows, strict=True)
        ],
        ticks=axis.ticks(),
        says=f"{said} on a scale from {axis.low:g} to 1",
    )
