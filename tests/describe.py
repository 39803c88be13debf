"""What results look like, as lines of text: the golden files, and `benchmarks/unchanged.py`.

    python tests/describe.py            # says which file of tests/golden is not what is shown now
    python tests/describe.py --write    # writes them all; read the difference before you commit it

A golden file holds what a reader sees, with the digits that are shown: it is the same with the
lowest and the newest version of every package, of which the versions are left out. All digits are
held by the tests of the methods.
"""

import io
import platform
import re
import sys
import warnings
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import matplotlib as mpl
import numpy as np
import openpyxl
import pandas as pd
from matplotlib import pyplot as plt

import pdkappa as pk
from elsewhere import designs
from pdkappa.methods.predictions.cutpoints import cutpoints
from pdkappa.present import schema
from pdkappa.present.excel_writer import workbook_bytes
from pdkappa.present.plot_drawing import About
from pdkappa.present.plot_estimates import draw_forest
from pdkappa.present.sheets import Sheet

nan = np.nan
GOLDEN = Path(__file__).parent / "golden"
DIGITS = 3  # of a number with more decimals than anything shows
MANY = re.compile(r"(?<![\w./])-?(?:\d+\.\d{4,}(?:e-?\d+)?|\d+(?:\.\d+)?e-\d+)(?!\w)")
PACKAGES = ("pdkappa", "pandas", "numpy", "scipy", "statsmodels")  # in the notes of a report
VERSIONS = "|".join(
    map(re.escape, [platform.python_version(), pk.__version__, *map(version, PACKAGES)])
)
VERSIONS = re.compile(rf"(?<![\d.])({VERSIONS})(?![\d.]\d)")
ROUNDING = 1e-9  # nothing but the last bits of another version of a package


def text_lines(text, path):
    """Yield the lines of a text."""
    for number, line in enumerate(str(text).splitlines(), 1):
        yield f"{path}:{number}: {line}"


def clean(text):
    """Leave out places in memory and on the disk."""
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace(str(Path.cwd()), "FOLDER")


def timeless(text):
    """Leave out the time and the version of pdkappa."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    return re.sub(rf"(pdkappa[^\d<]{{0,20}}){re.escape(pk.__version__)}", r"\1VERSION", text)


def rounded(text):
    """Round each number that has more decimals than anything shows."""
    text = f"{text:.9f}" if isinstance(text, float) else timeless(str(text))

    def short(found):
        value = float(found[0])
        return "0" if abs(value) < ROUNDING else f"{value:.{DIGITS}g}"

    return MANY.sub(short, VERSIONS.sub("VERSION", text))


class _Page(HTMLParser):
    """The texts of a page, a line for each row of a table, with what is said beside them."""

    SAID = ("id", "href", "title", "aria-label", "style", "x1", "x2", "cx", "points")

    def __init__(self, text):
        super().__init__()
        self.lines, self.row, self.within = [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        said = [f"{name}={rounded(value)}" for name, value in attrs if name in self.SAID]
        if tag == "tr":
            self.row = []
        self._say(f"<{' '.join([tag, *said])}>" if said or tag in {"h1", "h2", "h3"} else "")
        self.within.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.within.pop()

    def handle_endtag(self, tag):
        self.within.pop()
        if tag == "tr":
            self.lines.append(f"  | {' | '.join(self.row)}")
            self.row = None

    def handle_data(self, data):
        if not {"script", "style"} & {*self.within}:
            for line in data.splitlines():
                self._say(rounded(" ".join(line.split())))

    def _say(self, text):
        if text:
            (self.lines if self.row is None else self.row).append(text)


def of_page(text):
    """Yield the texts of a page; a void tag has no end."""
    yield from _Page(re.sub(r"<(meta|link|br|input)\b([^>]*?)/?>", r"<\1\2/>", text)).lines


def of_workbook(data):
    """Yield the sheets of a workbook: values, formulas, rules, and which cells look alike."""
    book = openpyxl.load_workbook(io.BytesIO(data))
    cached = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    for page, values in zip(book, cached, strict=True):
        setup, looks, rules = page.page_setup, {}, {}
        yield f"[{page.title}] frozen at {page.freeze_panes}, filter {page.auto_filter.ref}"
        yield (
            f"  {setup.orientation}, {setup.fitToWidth} x {setup.fitToHeight}, titles "
            f"{page.print_title_rows}, {len(page._charts)} chart(s), {page.sheet_state}"
        )
        widths = [round(one.width) for one in page.column_dimensions.values()]
        printed = page.oddFooter.left.text, page.oddFooter.right.text, setup.paperSize
        yield f"  widths {widths}, printed {printed}, grid {page.sheet_view.showGridLines}"
        for row in page.iter_rows():
            kept = [one for one in row if one.value is not None or one.fill.fill_type]
            for cell in kept:
                looks.setdefault(_looks(cell), []).append(cell.coordinate)
            texts = [f"{one.column_letter} {_value(one, values)}" for one in kept]
            if texts:
                yield f"  {row[0].row}: {' | '.join(texts)}"
        for area in page.conditional_formatting:
            for one in area.rules:
                says = f"{one.type} {one.operator} {one.formula} {_of_rule(one)}"
                rules.setdefault(says, []).append(str(area.sqref))
        for kind, cells in {"look": looks, "rule": rules}.items():
            for says, places in sorted(cells.items()):  # other packages, other order
                if says:
                    yield f"  {kind} {says}: {' '.join(sorted(places, key=_place))}"


def _of_rule(rule):
    """Say how a rule shows what it finds."""
    if rule.colorScale:
        points = [f"{one.type} {one.val}" for one in rule.colorScale.cfvo]
        return " ".join([*points, *(one.rgb for one in rule.colorScale.color)])
    fill, number = getattr(rule.dxf, "fill", None), getattr(rule.dxf, "numFmt", None)
    return f"{fill.bgColor.rgb if fill else ''} {number.formatCode if number else ''}".strip()


def _place(area):
    """Sort by column, then by row."""
    letters, row = re.match(r"([A-Z]+)(\d+)", area).groups()
    return len(letters), letters, int(row)


def _value(cell, values):
    """Write a value, and that of a formula behind it."""
    live = f" -> {rounded(values[cell.coordinate].value)}" if cell.data_type == "f" else ""
    return f"{rounded('' if cell.value is None else cell.value)}{live}".replace("\n", "/")


def _looks(cell):
    """Say how a cell looks, and where its link leads."""
    looks = [cell.number_format] if cell.number_format not in {"General", "@"} else []
    looks += ["bold"] * bool(cell.font.b)
    looks += [f"fill {cell.fill.fgColor.rgb}"] * bool(cell.fill.fill_type)
    sides = [name for name in ("left", "top", "bottom") if getattr(cell.border, name).style]
    looks += [f"line {' '.join(sides)}"] * bool(sides)
    looks += ["wrapped"] * bool(cell.alignment.wrap_text)
    looks += [cell.alignment.horizontal] if cell.alignment.horizontal else []
    looks += [f"to {cell.hyperlink.location}"] if cell.hyperlink else []
    return "; ".join(looks)


def of_picture(ax):
    """Yield the texts and the marks of a picture, where the data place them."""
    for place, one in enumerate(ax.get_figure().axes):
        yield f"axes {place}: x {one.get_xlabel()!r}, y {one.get_ylabel()!r}"
        yield f"  title {one.get_title()!r} {one.get_title(loc='left')!r}"
        for axis in (one.xaxis, one.yaxis):
            yield f"  labels {[label.get_text() for label in axis.get_ticklabels()]}"
        for artist in one.get_children():
            yield from _of_artist(artist, one)
        for bar in one.child_axes:
            yield f"  bar {' '.join(bar.get_ylabel().split())!r} {_points(bar.get_ylim())}"


def _of_artist(artist, ax):
    if isinstance(artist, mpl.text.Text):
        if text := " ".join(artist.get_text().split()):  # where a line ends, the font decides
            yield f"  text {text!r} {artist.get_color()}"
    elif isinstance(artist, mpl.lines.Line2D):
        yield f"  line {_points(artist.get_xydata())} {artist.get_marker()} {artist.get_color()}"
    elif isinstance(artist, mpl.collections.PathCollection):
        colours = sorted({mpl.colors.to_hex(one) for one in artist.get_facecolor()})
        areas = np.round(artist.get_sizes() / max(artist.get_sizes(), default=1), 2).tolist()
        yield f"  marks {_points(artist.get_offsets())} {colours} areas {areas}"
    elif isinstance(artist, mpl.collections.PatchCollection):
        boxes = [path.get_extents() for path in artist.get_paths()]
        yield f"  hatched {artist.get_hatch()} {[_points(one.get_points()) for one in boxes]}"
    elif isinstance(artist, mpl.collections.LineCollection):
        yield f"  lines {[_points(one) for one in artist.get_segments()]}"
    elif isinstance(artist, mpl.image.AxesImage | mpl.collections.QuadMesh):
        yield f"  colours {_points(np.ma.filled(artist.get_array(), np.nan))}"
    elif isinstance(artist, mpl.patches.Polygon):
        yield f"  diamond {_points(artist.get_xy())} {mpl.colors.to_hex(artist.get_facecolor())}"
    elif isinstance(artist, mpl.patches.Rectangle) and artist is not ax.patch:
        place = _points([artist.get_xy(), [artist.get_width(), artist.get_height()]])
        yield f"  {type(artist).__name__} {place} {mpl.colors.to_hex(artist.get_facecolor())}"


def _points(values):
    return (np.round(np.asarray(values, dtype=float), 2) + 0.0).tolist()


def ratings():
    """Make ratings of two groups: an interval, a rater of few items, a machine, a score."""
    rng = np.random.default_rng(7)
    truth = rng.integers(1, 4, 24)
    names = ("ann", "bob", "eve", "model")
    near = {name: (truth + rng.integers(-1, 2, 24) * (rng.random(24) < 0.4)) for name in names}
    frame = pd.DataFrame(near).clip(1, 3).assign(site=["x", "y"] * 12, unit=np.arange(24) // 3)
    frame["eve"] = frame["eve"].astype(float).mask(rng.random(24) < 0.3)
    frame["score"] = frame["model"] + np.round(rng.normal(0, 0.3, 24), 2)
    return frame


HUMANS = ["ann", "bob", "eve"]


def frames_of_sheets():
    """Make sheets of every kind."""
    raters = ["human", "model 1", "model 2"]
    matrix = pd.DataFrame([[1, 0.4, nan], [0.4, 1, -0.1], [nan, -0.1, 1]], raters, raters)
    pairs = pd.DataFrame(
        [
            ["a", "b", 10, 0.8, 0.5, 0.6, 1 / 3, -0.05, 0.9, 1.8, 0.07, 0.95, 5.0, None, None],
            ["a", "c", 0, *[nan] * 10, "no_joint_items", None],
        ],
        columns=schema.PAIRS,
    )
    groups = pd.DataFrame(
        {"n_items": [3, 4, 7], "estimate": [0.1, 0.2, 0.15]},
        pd.Index([1, 2, "fisher_mean"], name="essay_set"),
    )
    scores = [pd.Index([0, 1, "total"], name=name) for name in ("human", "machine")]
    counts = pd.DataFrame([[5, 0, 5], [1, 4, 5], [6, 4, 10]], *scores)
    checks = pd.DataFrame(
        {"abs_difference": [0.5, 0.02, None], "agrees": [True, False, pd.NA]},
        pd.Index(["cohen", "fleiss", "alpha"], name="statistic"),
    )
    text = pd.DataFrame([["Options", ""], ["weights", "linear"], ["missing", "pairwise " * 30]])
    by_group = pd.concat({1: counts, 2: counts}, names=["essay_set"])
    return (
        Sheet("pairwise", matrix, "Pairwise agreement", ("Grey: undefined.",), kind="matrix"),
        Sheet("pairs", pairs, "Pairs", ("A note.", "Another.")),
        Sheet("groups", groups, "Groups", emphasis=("fisher_mean",)),
        Sheet("human x machine", counts, "Counts", kind="confusion", emphasis=("total",)),
        Sheet("by group", by_group, "Counts", kind="confusion", emphasis=("total",)),
        Sheet("crosscheck", checks, "Other packages"),
        Sheet("notes", text, "Notes", kind="text"),
    )


def forest():
    """Draw a forest plot with a group that is undefined, one without limits, and such a mean."""
    estimate = np.array([0.7, nan, -0.2, -0.001])
    columns = {"n_items": [30, 31, 32, 1_000_000], "estimate": estimate, "ci_low": estimate - 0.1}
    columns |= {"ci_high": [0.8, nan, nan, 0.099], "se_fisher_z": [0.1, nan, 0.2, 0.4]}
    columns["reason"] = ["", "constant_ratings", "n_lt_2", ""]
    groups = pd.DataFrame(columns, pd.Index([1, 2, 3, 4], name="essay_set"))
    means = pd.DataFrame(
        {
            "estimate": [0.5, 0.52, 0.48],
            "ci_low": [0.4, nan, 0.3],
            "ci_high": [0.6, nan, 0.66],
            "prediction_low": [nan, nan, 0.1],
            "prediction_high": [nan, nan, 0.9],
            "n_groups": [8, 1, 8],
            "reason": ["", "one_group", ""],
        },
        index=["fisher_mean", "fixed", "random"],
    )
    return draw_forest(groups, means, "a with b", About("Cohen's kappa", level=0.95))


def written_up():
    """Make reports of many kinds, of which the words are described."""
    n, rng = 36, np.random.default_rng(3)
    truth = rng.integers(1, 5, n)
    data = {name: (truth + rng.integers(-1, 2, n)).clip(1, 4) for name in HUMANS}
    d = pd.DataFrame({**data, "site": np.resize(["x", "y"], n), "student": np.arange(n) // 3})
    d["share"] = 1 + truth / 8
    yes = d.assign(**{name: np.where(d[name] > 2, "yes", "no") for name in HUMANS})
    holes = d.astype(dict.fromkeys(HUMANS, "Int64"))
    holes.loc[1:3, "ann"] = holes.loc[7, "bob"] = holes.loc[40, HUMANS] = pd.NA
    holes.loc[:5, "eve"] = pd.NA
    flat = d.assign(**dict.fromkeys(HUMANS, 1))
    part = d.assign(
        ann=d["ann"].where(d["site"] == "x", 1), bob=d["bob"].where(d["site"] == "x", 1)
    )
    apart = pd.DataFrame({"ann": [1, 2] * 20, "bob": [2, 1] * 20})
    nearly = pd.DataFrame({"ann": [1] * 398 + [2, 2], "bob": [1] * 399 + [2]})
    hardly = pd.DataFrame({"ann": [*range(300)], "bob": [0, *range(2, 300), 1]})
    many = pd.DataFrame({f"r{number}": truth for number in range(8)})
    two, by = HUMANS[:2], {"by": "site"}
    population = {"sample_weight": "share", "weight_type": "probability"}
    made = [
        (d, two, {}),
        (d, two, {"ci": "wald"}),
        (d, two, {"ci": "wald", "coefficient": "gwet"}),
        (d, two, {"coefficient": "gwet"}),
        (d, two, {"coefficient": "percent", "confidence_level": 0.999}),
        (d, two, {"ci": "wald", "cluster": "student"}),
        (d, two, {"ci": "bca", "cluster": "student", "n_resamples": 20, "rng": 1}),
        (d, two, {"cluster": "student", **by}),
        (d, two, {"sample_weight": "student"}),
        (d, two, {"ci": "wald", **population}),
        (d, two, {"weights": np.eye(4) * -1 + 1}),
        (d, two, {"group_weights": {"x": 1, "y": 2}, **by}),
        (d, two, {"machine": "bob"}),
        (d, HUMANS, {"machine": "eve"}),
        (d, HUMANS, {"machine": "eve", "cluster": "site", **by}),
        (d, HUMANS, {"machine": ["bob", "eve"], **by}),
        (d, HUMANS, by),
        (yes, two, {}),
        (yes, HUMANS, {}),
        (yes.assign(eve=yes["eve"].where(yes.index % 5 > 0, "else")), HUMANS, {}),
        (holes, HUMANS, {}),
        (holes, HUMANS, {"missing": "listwise"}),
        (holes, two, by),
        (holes.assign(double=np.resize([2, 1], n + 1)), two, {"sample_weight": "double"}),
        (flat, two, {}),
        (flat, two, by),
        (flat, HUMANS, {"machine": "eve"}),
        (d.assign(eve=1, bob=1), HUMANS, {}),
        (part, two, by),
        (part, HUMANS, by),
        (d[d["site"] == "x"], two, by),
        (apart, two, {}),
        (nearly, two, {}),
        (hardly, two, {"detail": []}),
        (many, [*many], {"detail": []}),
    ]
    for frame, raters, options in made:
        named = {
            name: one if isinstance(one, str | list) else "..." for name, one in options.items()
        }
        of_study = options.keys() & {"weight_type", "n_resamples", "rng"}
        own = {"detail": ["counts"]} | {x: options[x] for x in options if x not in of_study}
        report = frame.kappa(**{x: options[x] for x in of_study}).report(raters, **own)
        yield f"--- {', '.join(raters)} {named}"
        yield from report.findings.lines()
        yield from (
            report.methods().partition("\n\nReferences\n")[0].replace(". ", ".\n").split("\n")
        )


TRIALS = {one: one for one in ("item", "rater", "trial", "rating", "truth")}
FACETS = {"rating": "score", "item": "person", "facets": ["task", "rater"]}
JASP, BRENNAN = designs.read("trials_jasp_binary")[0], designs.read("g_brennan4")[0]
OF_SPANS = {one: one for one in ("item", "rater", "start", "end", "label")}
SPANS = pk.from_spans(designs.read("spans_krippendorff2004")[0], **OF_SPANS, length=300)


def results():
    """Give a function that makes each result, by name."""
    d = ratings()
    two, w = ("ann", "bob"), {"weights": "quadratic"}
    one = pd.DataFrame({"a": [1, 1, 2, 2, 1], "b": [1] * 5, "c": [1, 2, 2, 2, 1]})
    return {
        "pairs": lambda: d.kappa.pairs(HUMANS, **w),
        "pairs_by": lambda: d.kappa.pairs(HUMANS, by="site", ci="wald"),
        "pairs_undefined": one.kappa.pairs,
        "pairwise": lambda: d.kappa.pairwise(HUMANS, **w),
        "agreement": lambda: d.kappa.agreement(HUMANS, **w),
        "agreement_undefined": lambda: one.kappa.agreement(interpretation="landis_koch"),
        "confusion": lambda: d.kappa.confusion(*two, margins=True),
        "cells": lambda: d.kappa.cells(*two),
        "categories": lambda: d.kappa.categories(HUMANS),
        "cuts": lambda: d.kappa.categories(HUMANS, kind="cut"),
        "raters": lambda: d.kappa.raters(HUMANS),
        "items": lambda: d.kappa.items(HUMANS),
        "usage": lambda: d.kappa.usage(HUMANS),
        "homogeneity": lambda: d.kappa.homogeneity(HUMANS),
        "compare": lambda: d.kappa.compare(two, ("ann", "model")),
        "compare_groups": lambda: d.kappa.compare_groups([*two], by="site"),
        "ceiling": lambda: d.kappa.machine.ceiling(list(two), "model"),
        "attainable": lambda: d.kappa.attainable(HUMANS),
        "concordance": lambda: d.kappa.scores.concordance([*two, "score"]),
        "icc": lambda: d.kappa.icc(HUMANS),
        "grouped": lambda: d.kappa.grouped(*two, by="site", **w),
        "grouped_pairs": lambda: d.kappa.grouped(by="site", pairs=[two, ("ann", "model")]),
        "evaluation": lambda: d.kappa.machine.evaluate(["ann", "bob"], "score"),
        "scorecard": lambda: d.kappa.predictions.scorecard(*two),
        "cutpoints": lambda: cutpoints(d["ann"], d["score"], rng=1, **w),
        "shift": lambda: d.kappa.predictions.shift(*two, weights="quadratic"),
        "sample_size": lambda: pk.sample_size(0.6, null=0.4, margins=[0.5, 0.3, 0.2]),
        "power": lambda: pk.power(80, 0.6, 0.4, margins=[0.5, 0.5]),
        "adjudication": lambda: d.kappa.machine.adjudication(["ann", "bob"], "model"),
        "consensus": lambda: d.kappa.consensus(HUMANS),
        "audit": lambda: d.kappa.machine.audit(list(two), "model"),
        "alt_test": lambda: d.kappa.machine.alt_test(HUMANS, "model"),
        "fairness": lambda: d.kappa.machine.fairness("ann", "score", by="site"),
        "readiness": lambda: d.kappa(n_resamples=20, rng=1).machine.readiness(
            ["ann", "bob"], "score"
        ),
        "report_brief": lambda: d.kappa.report(HUMANS, detail="brief", **w),
        "report_by": lambda: d.kappa.report(HUMANS, by="site", **w),
        "report_machine": lambda: d.kappa.report([*two, "model"], machine="model"),
        "words": lambda: [*map(rounded, written_up())],
        "report_undefined": one.kappa.report,
        "sheets": lambda: workbook_bytes(frames_of_sheets()),
        "trials": lambda: JASP.kappa.trials(**TRIALS, conforming="Yes"),
        "generalizability": lambda: BRENNAN.kappa.generalizability(**FACETS),
        "projection": lambda: BRENNAN.kappa.generalizability(**FACETS).project(task=[3, 6]),
        "gauge": lambda: BRENNAN.kappa.generalizability(**FACETS).gauge(tolerance=8),
        "spans": lambda: SPANS.pairs(0.5),
        "alpha_of_spans": SPANS.categories,
        "plot_trials": lambda: JASP.kappa.plot.trials(**TRIALS),
        "plot_components": lambda: BRENNAN.kappa.generalizability(**FACETS).plot(),
        "plot_forest_of_reasons": forest,
        "plot_heatmap_undefined": lambda: one.kappa.plot.heatmap(stat="n_items"),
        "plot_heatmap": lambda: d.kappa.plot.heatmap(HUMANS),
        "plot_heatmap_by": lambda: d.kappa.plot.heatmap([*HUMANS, "model"], by="site"),
        "plot_heatmap_in_order": lambda: d.kappa.plot.heatmap(
            HUMANS, order=False, weights="linear", coefficient="scott"
        ),
        "plot_forest": lambda: d.kappa.plot.forest(*two, by="site"),
        "plot_confusion": lambda: d.kappa.plot.confusion(*two),
        "plot_confusion_counts": lambda: d.kappa.plot.confusion(
            *two, sample_weight=np.full(24, 0.5), show="counts"
        ),
        "plot_categories": lambda: d.kappa.plot.categories(HUMANS),
        "plot_cuts": lambda: d.kappa.plot.categories(
            HUMANS, kind="cut", coefficient="fleiss", confidence_level=0.9
        ),
        "plot_raters": lambda: d.kappa.plot.raters(HUMANS),
        "plot_raters_by": lambda: d.kappa.plot.raters(
            HUMANS, by="site", weights="linear", confidence_level=0.99
        ),
        "plot_attainable": lambda: d.kappa.plot.attainable(HUMANS),
        "plot_cutpoints": lambda: d.kappa(rng=1).plot.cutpoints("ann", "score", **w),
    }


def shown(make):
    """Return what a result shows: on a terminal, as mark-up, as a page, as a workbook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = make()
        made = made[0] if isinstance(made, np.ndarray) else made  # of one figure
        if isinstance(made, bytes):
            parts = {"workbook": [*of_workbook(made)]}
        elif isinstance(made, list):
            parts = {"words": made}
        elif hasattr(made, "get_figure"):
            parts = {"picture": [*of_picture(made)]}
            plt.close(made.get_figure())
        else:
            parts = {"terminal": [rounded(made)]}
            if hasattr(made, "to_markdown") and not isinstance(made, pd.DataFrame):
                parts["markdown"] = [rounded(made.to_markdown())]
                parts["latex"] = [rounded(made.to_latex())]
            parts |= _files(made)
    return "\n".join(line for name, part in parts.items() for line in [f"=== {name}", *part]) + "\n"


def _files(made):
    """Return what is in the files that a result writes."""
    if not isinstance(
        made, pk.results.Report | pk.results.GroupedAgreement | pk.results.GroupedPairs
    ):
        return {}
    book, found = io.BytesIO(), {}
    made.to_excel(book)
    found["workbook"] = [*of_workbook(book.getvalue())]
    if isinstance(made, pk.results.Report):
        page = io.StringIO()
        made.to_html(page)
        found["page"] = [*of_page(page.getvalue())]
    return found


def stale():
    """Yield the name of each result that is not shown as its golden file says, and what is."""
    for name, make in results().items():
        file, text = GOLDEN / f"{name}.txt", shown(make)
        if not file.exists() or file.read_text("utf-8") != text:
            yield file, text


if __name__ == "__main__":
    mpl.use("Agg")
    pd.set_option("display.width", 100, "display.max_columns", 20)
    for golden, now in stale():
        print(golden)  # noqa: T201
        if "--write" in sys.argv:
            golden.write_text(now, "utf-8")
