"""Charts -> native charts of a workbook, which follow the cells that they are drawn from."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pdkappa.present.excel.addresses import area
from pdkappa.present.excel.cells import display_width
from pdkappa.present.excel.charts import ABOVE, BELOW, BESIDE, HEAD, MEAN, OF_DIGIT, POINT
from pdkappa.present.excel.looks import DARK, LINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook
    from xlsxwriter.chart import Chart as Drawn

    from pdkappa.present.excel.addresses import Places
    from pdkappa.present.excel.charts import Chart
    from pdkappa.present.excel.grids import SheetGrid

WIDEST_NAMES = 250  # pixels
SMALLEST, SMALL, TITLE = 7, 9, 12  # sizes of letters
POINTS = {POINT: ("square", "#2B6CB0"), MEAN: ("diamond", "#1A202C")}


def draw(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw a chart over the cells of its data."""
    drawn = FORMS[chart.kind](book, chart, places)
    drawn.set_title({"name": chart.title, "overlay": False, "name_font": {"size": TITLE}})
    drawn.set_legend({"none": True})
    drawn.show_hidden_data()
    drawn.set_size({"width": chart.width, "height": chart.height})
    drawn.set_chartarea({"border": {"color": LINE}})
    return drawn


def _forest(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw points with limits, means in another colour, and the names to the left."""
    drawn = _unbroken(book.add_chart({"type": "scatter"}))
    n, grid = len(chart.names), places[chart.source, 0]
    for kind, run in groupby(range(n), key=chart.kinds.__getitem__):
        rows = list(run)
        if kind != HEAD:
            drawn.add_series(_points(chart.names[rows[0]], kind, grid, (rows[0], rows[-1])))
    drawn.add_series(_names(chart, grid))
    low, high = chart.axis
    drawn.set_x_axis(_values(chart) | {"min": low, "max": high, "crossing": low})
    drawn.set_y_axis(
        {"min": 0.5, "max": n + 0.5, "visible": False, "major_gridlines": {"visible": False}}
    )
    wide = min(max(map(display_width, chart.names)) * OF_DIGIT, WIDEST_NAMES) + BESIDE
    layout = {
        "x": wide / chart.width,
        "y": ABOVE / chart.height,
        "width": (chart.width - wide - BESIDE) / chart.width,
        "height": (chart.height - ABOVE - BELOW) / chart.height,
    }
    drawn.set_plotarea({"layout": layout})
    return drawn


def _points(name: str, kind: str, grid: SheetGrid, rows: tuple[int, int]) -> dict[str, Any]:
    """Describe some rows of a forest: where the points are, and how far their limits."""
    shape, colour = POINTS[kind]
    estimate, minus, plus, place = (
        "=" + area(grid, rows, (column, column)) for column in range(1, 5)
    )
    limits = {"minus_values": minus, "plus_values": plus, "line": {"color": colour}}
    return {
        "name": name,
        "categories": estimate,
        "values": place,
        "line": {"none": True},
        "marker": _marker(shape, colour),
        "x_error_bars": {"type": "custom", **limits},
    }


def _names(chart: Chart, grid: SheetGrid) -> dict[str, Any]:
    """Describe the names of a forest: of points at the left end that are not seen."""
    place, end = (
        "=" + area(grid, (0, len(chart.names) - 1), (column, column)) for column in (4, 5)
    )
    names = [
        {"value": name, "font": {"size": SMALL, "bold": kind != POINT}}
        for name, kind in zip(chart.names, chart.kinds, strict=True)
    ]
    return {
        "name": chart.title,
        "categories": end,
        "values": place,
        "line": {"none": True},
        "marker": {"type": "none"},
        "data_labels": {"value": True, "position": "left", "custom": names},
    }


def _marker(shape: str, colour: str) -> dict[str, Any]:
    """Describe a point."""
    return {"type": shape, "size": 7, "fill": {"color": colour}, "border": {"color": colour}}


def _unbroken(drawn: Drawn) -> Drawn:
    """Keep the names on one line, for which the writer has no option; programs break long ones."""
    write = drawn._xml_empty_tag  # noqa: SLF001

    def tag(name: str, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        more = [("wrap", "none")] if name == "a:bodyPr" else []
        write(name, [*(attributes or ()), *more])

    drawn._xml_empty_tag = tag  # noqa: SLF001
    return drawn


def _bars(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw a column for each row, or a bar from the left where the names are long."""
    is_flat = chart.form == "flat"
    drawn = book.add_chart({"type": "bar" if is_flat else "column"})
    grid, rows, last = places[chart.source, 0], (0, len(chart.names) - 1), chart.n_labels
    drawn.add_series(
        {
            "name": chart.title,
            "categories": "=" + area(grid, rows, (0, last - 1)),
            "values": "=" + area(grid, rows, (last, last)),
            "fill": {"color": POINTS[POINT][1]},
            "gap": 40,
        }
    )
    small = {"size": SMALLEST if chart.form == "wide" else SMALL}
    name = {"name": chart.of_labels, "name_font": {"size": SMALL, "bold": False}}
    names = {**name, "num_font": small, "line": {"color": DARK}, "interval_unit": 1}
    values = _values(chart) | {"min": chart.axis[0], "max": chart.axis[1]}
    if is_flat:  # from above, and the values still below
        drawn.set_x_axis(values)
        drawn.set_y_axis(names | {"reverse": True, "crossing": "max"})
    else:
        drawn.set_x_axis(names)
        drawn.set_y_axis(values)
    return drawn


def _values(chart: Chart) -> dict[str, Any]:
    """Describe the axis of the values."""
    return {
        "name": chart.unit,
        "name_font": {"size": SMALL, "bold": False},
        "num_font": {"size": SMALL},
        "num_format": "0.0",
        "major_unit": chart.step,
        "major_gridlines": {"visible": True, "line": {"color": LINE}},
        "line": {"color": DARK},
    }


FORMS = {"forest": _forest, "bars": _bars}
