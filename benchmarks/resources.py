"""Files that unpack to more than memory, and frames of thousands of raters: time, peak, outcome.

    python benchmarks/resources.py                    # all of them, which takes minutes
    python benchmarks/resources.py --only eval line
    python benchmarks/resources.py --tree ../before   # the same by another copy of the package

Makes its own files, of a megabyte each. Every row runs in a process of its own, of at most 12 GB
of address space and 150 seconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    from collections.abc import Callable

GIGABYTE = 10**9
LONGEST = 150  # seconds
PIECE = b"x" * 10**6
LONG = 'item="item", rater="rater", rating="rating"'
ROWS_OF_TWO = [b"%d,%c,%d\n" % (item, who, item % 3) for item in range(9) for who in b"ab"]
FIRST = b"item,rater,rating\n" + b"".join(ROWS_OF_TWO)
READ = "from pdkappa.sources.scan_files import read_whole\nfrom pathlib import Path\n"

# name: what it is, the file, the code
ROWS = {
    "eval": ("`.eval` 1 MB -> 2 x 500 MB", "pdkappa_tool('from_inspect')('a.eval').pairs()"),
    "votes": ("`.json.gz` 1 MB -> 1 GB, votes", "pdkappa_tool('from_votes')('a.json.gz').pairs()"),
    "line": ("`.jsonl.gz` -> a line of 1 GB, scan", "pdkappa.scan('a.jsonl.gz').pairs()"),
    "field": ("`.csv.gz` -> a field of 1 GB, scan", "pdkappa.scan('field.csv.gz').pairs()"),
    "field-long": (
        "the field by `scan_long`",
        f"pdkappa.scan_long('field.csv.gz', {LONG}).pairs()",
    ),
    "quoted": (
        "`.csv.gz` -> a field of 1 GB of lines in quotes",
        "pdkappa.scan('quoted.csv.gz').pairs()",
    ),
    "header": ("`.csv.gz` -> header of 1 GB, `scan()`", "pdkappa.scan('header.csv.gz')"),
    "deep": ("JSON 200,000 deep", f"{READ}read_whole(Path('deep.json'))"),
    "wide": ("CSV of 50,000 columns, scan", "pdkappa.scan('wide.csv').agreement(['0', '1'])"),
    "report-100": ("report 100 raters", "frame(100).kappa.report()"),
    "report-200": ("report 200", "frame(200).kappa.report()"),
    "report-999": ("report 999", "frame(999).kappa.report()"),
    "report-1000": ("report 1,000", "frame(1000).kappa.report()"),
    "raters-1000": ("`raters()` 1,000", "frame(1000).kappa.raters()"),
    "raters-3000": ("`raters()` 3,000", "frame(3000).kappa.raters()"),
    "pairs-600": ("pairs 600", "frame(600).kappa.pairs()"),
    "agreement-600": ("agreement 600", "frame(600).kappa.agreement()"),
    "pairs-3000": ("pairs 3,000", "frame(3000).kappa.pairs()"),
    "pairwise-3000": ("pairwise 3,000", "frame(3000).kappa.pairwise()"),
    "pairs-10000": ("pairs 10,000", "frame(10000).kappa.pairs()"),
    "pairwise-10000": ("pairwise 10,000", "frame(10000).kappa.pairwise()"),
    "agreement-3000": ("agreement 3,000", "frame(3000).kappa.agreement()"),
    "usage-3000": ("usage 3,000", "frame(3000).kappa.usage()"),
}
ONE = """
import json, resource, sys, time, warnings
import numpy as np, pandas as pd
warnings.simplefilter("ignore")
import pdkappa, pdkappa.dask
resource.setrlimit(resource.RLIMIT_AS, (12 * 10**9, 12 * 10**9))

def pdkappa_tool(name):
    return getattr(pdkappa, name, None) or getattr(pdkappa.tools, name)

def frame(n_raters):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, (100, 1))
    drawn = np.clip(truth + rng.integers(-1, 2, (100, n_raters)), 0, 4)
    return pd.DataFrame(drawn).rename(columns=lambda name: f"rater {name}")

warm = frame(2).kappa.pairs()
started = time.perf_counter()
try:
{code}
    word = "answer"
except Exception as error:
    word = type(error).__name__ + ("" if isinstance(error, pdkappa.KappaError) else " (raw)")
    print(str(error)[:200], file=sys.stderr)
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps([seconds, peak, word]))
"""


def pack(path: Path, start: bytes, end: bytes, piece: bytes = PIECE) -> None:
    """Write a gigabyte that is packed to a megabyte."""
    with gzip.open(path, "wb") as file:
        file.write(start)
        for _ in range(GIGABYTE // len(piece)):
            file.write(piece)
        file.write(end)


def an_archive(path: Path) -> None:
    """Write a log of two samples of half a gigabyte."""
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"status": "success", "eval": {}}))
        for number in range(2):
            with file.open(f"samples/{number}_epoch_1.json", "w", force_zip64=True) as sample:
                score = {"value": "C"}
                start = json.dumps({"id": number, "epoch": 1, "scores": {"a": score, "b": score}})
                sample.write(start[:-1].encode() + b', "input": "')
                for _ in range(GIGABYTE // 2 // len(PIECE)):
                    sample.write(PIECE)
                sample.write(b'"}')


def deep_lists(path: Path) -> None:
    """Write lists in lists."""
    path.write_text("[" * 200_000 + "]" * 200_000, encoding="utf-8")


def many_columns(path: Path) -> None:
    """Write a header and two rows."""
    columns = ",".join(map(str, range(50_000)))
    row = ",".join(["1", "2"] * 25_000)
    path.write_text(f"{columns}\n{row}\n{row}\n", encoding="utf-8")


RECORD = b'{"id": 1, "annotators": {"a": 1, "b": 1}, "text": "'
LINES = b"xxxxxxxxx\n" * 10**5
FILES: dict[str, Callable[[Path], None]] = {
    "a.eval": an_archive,
    "a.json.gz": partial(pack, start=b"[" + RECORD, end=b'"}]'),
    "a.jsonl.gz": partial(pack, start=b'{"a": 1, "b": 1}\n{"a": "', end=b'", "b": 1}\n'),
    "field.csv.gz": partial(pack, start=FIRST + b"9,a,", end=b"\n9,b,x\n"),
    "quoted.csv.gz": partial(pack, start=FIRST + b'9,a,"', end=b'"\n9,b,x\n', piece=LINES),
    "header.csv.gz": partial(pack, start=b"item,rater,", end=b"\n1,2,3\n"),
    "deep.json": deep_lists,
    "wide.csv": many_columns,
}


def make_files(folder: Path, code: str) -> None:
    """Write what some code reads, unless it is there."""
    for name, make in FILES.items():
        if f"'{name}'" in code and not (folder / name).exists():
            make(folder / name)


def run(code: str, folder: Path, tree: Path) -> str:
    """Run a row in a process of its own; say how long it took, its peak, and what came of it."""
    program = ONE.replace("{code}", textwrap.indent(code, "    "))
    try:
        done = subprocess.run(  # noqa: S603 (this very interpreter)
            [sys.executable, "-c", program],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"> {LONGEST} s | | stopped"
    if done.returncode:
        return f"| | killed: {done.stderr[-100:]!r}"
    seconds, peak, word = json.loads(done.stdout.splitlines()[-1])
    return f"{seconds:.1f} s | {peak:.1f} GB | {word}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[*ROWS], choices=[*ROWS], metavar="ROW")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("| what | time | peak | outcome |\n|---|---:|---:|---|")
        for name in options.only:
            what, code = ROWS[name]
            make_files(Path(folder), code)
            print(f"| {what} | {run(code, Path(folder), options.tree.resolve())} |", flush=True)


if __name__ == "__main__":
    main()
