"""Make the page that compares pdkappa with other systems: ``python docs/validation.py``.

It compares every value of another system that stands in ``tests`` (``tests/elsewhere``) with ours,
asks the packages that are installed, and writes ``validation.md`` and, with every single figure,
``validation.csv``. The suite does the same, and fails if the files would be others.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

import pdkappa  # noqa: E402
from elsewhere import Held, designs, many, pairs, parts, published, rsmtool, studies  # noqa: E402

PAGE, TABLE = HERE / "validation.md", HERE / "validation.csv"
HOSTILE = HERE.parent / "benchmarks" / "hostile.md"
KINDS = (pairs, many, parts, published, rsmtool, studies, designs)
FLOOR = 1e-10  # what is nearer is the same: rounding differs between machines
PRINTED = 1e-9  # figures that are known less exactly were printed
VERSION = re.compile(r"^(?P<system>.*?) (?P<version>v?\d[\w.-]*)(?P<rest>.*)$")
ARTICLES, ANSWERS = "articles", "definitions and answers"  # which are no systems
IN_PRINT = ("published: SAS", "published: Stata")
FIELDS = ("ci_low", "ci_high", "z", "p", "n")  # which nobody else has confirmed
HEADER = ("data", "figure", "system", "confirmed_by", "value", "ours", "difference", "allowed")

INTRODUCTION = """# Validation

The results of pdkappa {version} are compared with those of other systems for the same ratings,
with packages run in the same session, with simulations, and with its stated limits. This page can
be attached to an analysis. `python docs/validation.py` generates it, and so does the test suite:
the tests fail if a figure is wrong or differs from this page.

**pdkappa reproduces {n_values} figures of {n_systems} other systems, on {n_data} data sets**, to
the precision to which they are known. {n_computed} of them are known to at least eight digits, and
none of these differs by as much as {worst}; the others agree in all printed digits. Another
{n_only} systems returned some of the same figures and no others. The tables below also contain
{n_besides} figures from articles, definitions and known answers, which are not systems and are not
counted here, and {n_more} data sets that have only these.

| compared with | how | where |
|---|---|---|
| values of other systems | one by one | below, and [every figure](validation-values.md) |
| packages in the same run | in every run of the tests | [below](#packages-in-the-same-run) |
| simulations | coverage of intervals, size of tests | [intervals and tests](inference.md) |
| definitions | brute force, derivatives and laws, for every formula | [formulas](formulas.md) |
| planted faults | must be noticed | [here](../benchmarks/README.md#which-faults-the-tests-notice) |
| time and memory | next to other packages | [benchmarks](../benchmarks/README.md) |
| what pdkappa does not do | listed, with the reason | [below](#what-is-not-reached-and-why) |
"""
SYSTEMS = """## Systems

"Figures" are those that the system returned and pdkappa reproduces; "confirmed" are estimates and
standard errors listed for other systems that it also returned. Differences are absolute, or
relative for figures above 1; *printed* means equal in all printed digits.

{table}"""
DATA = """## Data

{table}"""
DIFFERS = """## What differs on purpose

If two definitions differ, one figure is converted to the other definition before they are
compared, or the difference itself is tested.

{table}"""
LIVE = """## Packages in the same run

`crosscheck` runs the installed packages on the ratings that come with pdkappa, with no, linear and
quadratic weights, and on the essays set by set. This table was made with {versions}; with the
oldest versions that pdkappa supports it is the same.

{table}
Limits of pdkappa end at -1 and 1, those of statsmodels do not: {n_beyond} that lie beyond are not
compared.

In addition, tests run statsmodels, scikit-learn, krippendorff and SciPy on random ratings, and, if
R is installed, psych, vcd, epiR, lme4 and metafor: standard errors and intervals of kappa,
limits of agreement, intraclass correlations with missing scores, fixed and random effects. They
agree to 1e-8 or better; variance components, which lme4 computes iteratively, to 1e-6.
"""
REST = """## Intervals and tests

```{include} ../benchmarks/inference.md
:start-after: <!-- summary -->
:end-before: <!-- end of summary -->
```

[How reliable are intervals and tests?](inference.md) describes the simulation. Another page has
[simulations](simulations.md) of machine scores and of few labels with many judgements.

## Time

```{include} ../benchmarks/README.md
:start-after: <!-- speed -->
:end-before: <!-- end of speed -->
```

[Benchmarks](../benchmarks/README.md) describes how this was measured.
"""
HOSTILE_RUN = """```{include} ../benchmarks/hostile.md
:heading-offset: 1
```
"""
LIMITS = """## What is not reached, and why

```{include} limits.md
:start-after: <!-- limits -->
```
"""


@cache
def everything() -> list[Held]:
    """Return every figure of another system beside ours."""
    return [one for kind in KINDS for one in kind.held()]


def system_of(text: str) -> tuple[str, str, str]:
    """Split what returned a value into system, version and function."""
    if text.startswith(("definition", "a printed")):
        return ANSWERS, "", ""
    if text.startswith("published: ") and not text.startswith(IN_PRINT):
        return ARTICLES, "", ""
    text = re.sub(r"^(published: |mean over pairs of )?(python )?", "", text)
    found = VERSION.match(text)
    system, function = re.match(r"(R [\w()]+|\w[\w-]*),?(.*)", text).groups()
    version = ""
    if found and found["system"] == system:
        version, function = found["version"], found["rest"]
    function = re.split(r"[($:]| per |, | r\(| printout|output ", function)[0].strip()
    return system, version or "not recorded", function


def confirmers(one: Held) -> Sequence[str]:
    """Return the systems that returned the same: estimates and standard errors only."""
    return () if one.figure.rpartition("; ")[2] in FIELDS else one.confirmed_by


def bound(difference: float) -> str:
    """Round a difference up to a power of ten, so that machines agree on it."""
    return f"1e{max(math.ceil(math.log10(max(difference, FLOOR))), -10):03d}"


def worst(found: list[Held]) -> str:
    """Say how far the figures are apart at most: those computed, or else that all were printed."""
    exact = [one.difference for one in found if one.tolerance <= PRINTED * 10]
    return f"< {bound(max(exact))}" if exact else "*printed*"


def table(header: list[str], rows: list[list[object]]) -> str:
    """Write a table; columns of numbers stand right."""
    numbers = [all(isinstance(row[i], int) for row in rows) for i in range(len(header))]
    rule = ["---:" if one else "---" for one in numbers]
    shown = [[f"{one:,}" if isinstance(one, int) else str(one) for one in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *shown]) + "\n"


def systems() -> list[list[object]]:
    """Return a row for each system."""
    grouped, confirmed = defaultdict(list), Counter()
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in everything():
        *key, function = system_of(one.system)
        grouped[tuple(key)].append(one)
        names[tuple(key)].add(function)
        for other in confirmers(one):
            *key, function = system_of(other)
            names[tuple(key)].add(function)
            confirmed[tuple(key)] += one.n_values
    return [
        [
            *key,
            sum(one.n_values for one in grouped[key]),
            confirmed[key],
            worst(grouped[key]) if grouped[key] else "",
            ", ".join(sorted(names[key] - {""})),
        ]
        for key in sorted(names, key=lambda key: (key[0].removeprefix("R ").lower(), key[1]))
    ]


def sources() -> dict[str, str]:
    """Say where the ratings of each data set come from."""
    found = dict(designs.ORIGINS | studies.ORIGINS | rsmtool.ORIGINS | published.ORIGINS)
    for kind in (pairs, parts, many):
        found |= {name: data["citation"] for name, data in kind.DATASETS.items()}
    return found


def datasets() -> list[list[object]]:
    """Return a row for each data set."""
    grouped = defaultdict(list)
    for one in everything():
        grouped[one.data].append(one)
    origin = sources()
    return [
        [
            f"`{name}`",
            origin[name],
            len({system_of(one.system)[0] for one in own}),
            sum(one.n_values for one in own),
            worst(own),
        ]
        for name, own in sorted(grouped.items(), key=lambda item: item[0].lower())
    ]


def differs() -> list[list[object]]:
    """Return what was done to figures, and which are left out."""
    done = Counter(one.remark for one in everything() if one.remark)
    rows: list[list[object]] = [[f"compared: {what}", n] for what, n in sorted(done.items())]
    what = "tested to be smaller: standard errors with missing ratings, see `agreement`"
    rows.append([what, len(list(many.smaller()))])
    for rule in pairs.LEFT_OUT.values():
        n = sum(
            field in entry and field in rule.fields and rule.applies(entry)
            for entry in pairs.ENTRIES
            for field in pairs.FIELDS
        )
        rows.append([f"left out: {rule.reason}", n])
    return rows


@cache
def live() -> pd.DataFrame:
    """Ask the installed packages about the ratings that come with pdkappa."""
    data = pdkappa.datasets
    small = (data.load_anxiety(), data.load_skin_condition(), data.load_reliability_data())
    found = [
        frame.kappa.crosscheck(weights=weights)
        for frame in small
        for weights in (None, "linear", "quadratic")
    ]
    options = {"raters": ["human_1", "human_2", "machine"], "by": "essay_set"}
    found.append(data.load_essays().kappa.crosscheck(weights="quadratic", **options))
    return pd.concat(found, ignore_index=True)


def beyond() -> pd.Series:
    """Tell which limits of other packages lie where ours have ended."""
    return live()["statistic"].isin(["ci_low", "ci_high"]) & (live()["reference"].abs() > 1)


def peers() -> list[list[object]]:
    """Return a row for each package and figure, of those that can be compared."""
    rows, compared = [], live()["agrees"].notna()
    for (package, statistic), own in live()[compared].groupby(["package", "statistic"]):
        apart = bound(float(own["abs_difference"].max()))
        rows.append([package, f"`{statistic}`", len(own), f"< {apart}"])
    return rows


def page() -> str:
    """Return the page."""
    found = [one for one in everything() if system_of(one.system)[0] not in {ARTICLES, ANSWERS}]
    exact = [one for one in found if one.tolerance <= PRINTED * 10]
    known = {system_of(one.system)[0] for one in found}
    others = {one[0] for one in systems()} - known - {ARTICLES, ANSWERS}
    of_systems = {one.data for one in found}
    n_values = sum(one.n_values for one in found)
    versions = live().drop_duplicates("package").sort_values("package")
    parts_of_page = [
        INTRODUCTION.format(
            version=pdkappa.__version__,
            n_values=f"{n_values:,}",
            n_systems=len(known),
            n_only=len(others),
            n_besides=sum(one.n_values for one in everything()) - n_values,
            n_more=len({one.data for one in everything()} - of_systems),
            n_data=len(of_systems),
            n_computed=f"{sum(one.n_values for one in exact):,}",
            worst=f"{bound(max(one.difference for one in exact))}",
        ),
        SYSTEMS.format(
            table=table(
                ["system", "version", "figures", "confirmed", "difference", "functions"], systems()
            )
        ),
        DATA.format(table=table(["data", "from", "systems", "figures", "difference"], datasets())),
        DIFFERS.format(table=table(["what", "figures"], differs())),
        LIVE.format(
            versions=", ".join(f"{one.package} {one.version}" for one in versions.itertuples()),
            table=table(["package", "figure", "compared", "difference"], peers()),
            n_beyond=int(beyond().sum()),
        ),
        REST,
        *([HOSTILE_RUN] if HOSTILE.exists() else []),
        LIMITS,
    ]
    return "\n".join(parts_of_page)


def shown(value: float | np.ndarray) -> str:
    """Write a figure to eight digits, or say how many there are."""
    if np.size(value) > 1:
        return f"{np.size(value)} figures"
    number = float(np.asarray(value).item())
    return "undefined" if math.isnan(number) else f"{number:.8g}"


def rows() -> list[list[str]]:
    """Return every figure: one row each, or one for an array of them."""
    return [
        [
            one.data,
            f"{one.figure} ({one.remark})" if one.remark else one.figure,
            re.sub("^python ", "", one.system),
            "; ".join(re.sub("^python ", "", other) for other in confirmers(one)),
            shown(one.value),
            shown(one.ours),
            bound(one.difference),
            f"{one.tolerance:.0e}",
        ]
        for one in everything()
    ]


def write_rows() -> str:
    """Return the table of every figure."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows()])
    return text.getvalue()


if __name__ == "__main__":
    wrong = [one for one in everything() if not one.holds]
    if wrong or not live()["agrees"].all():
        raise SystemExit(f"These are not the same: {wrong or live().query('not agrees')}")
    PAGE.write_text(page(), encoding="utf-8")
    TABLE.write_text(write_rows(), encoding="utf-8")
