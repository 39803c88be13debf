"""Call everything with anything, spoil files, disk and memory: a result, or an error of ours.

    python benchmarks/hostile.py                   # all parts; a block that is done stays done
    python benchmarks/hostile.py functions disk    # these parts
    python benchmarks/hostile.py --blocks 2        # two blocks of each part
    python benchmarks/hostile.py --write           # put the table into benchmarks/hostile.md, too
    python benchmarks/hostile.py --again           # forget what is done
    python benchmarks/hostile.py functions --block 17 --call 203    # one call, with its traceback

Blocks of calls are drawn from a seed each, so that any call can be repeated alone. What is done
is kept in `.cache/hostile.jsonl`. Warnings other than those of pdkappa count as errors. After
each call, the frame that was passed and all options must be what they were.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
import pandas as pd
from hostile_draws import (
    drawn_frame,
    drawn_options,
    fingerprint,
    is_ours,
    on_two_levels,
    planted_frame,
)
from hostile_faults import damaged_files, failing_disk, failing_memory, of_threads
from hostile_sources import listed, opened

import pdkappa
from conftest import held, methods
from pdkappa.methods.estimates.asked import Held
from test_options import FUNCTIONS, OF_FILES, usual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 20261123
LONGEST = 60.0  # seconds of a call
DONE = ROOT / ".cache" / "hostile.jsonl"
PAGE = ROOT / "benchmarks" / "hostile.md"
SLOW = {"report", "to_excel", "to_html", "crosscheck"}  # drawn less often
BLOCK = 250
OWN = sorted(FUNCTIONS.keys() - OF_FILES)
METHODS = [name for name in OWN if name in methods()]
HELD = {one.name for one in Held.options}  # by ``df.kappa(...)``
OF_DATA = [name for name in METHODS if "data" in FUNCTIONS[name].__annotations__]

OF_RESULTS = ("full", "methods", "options", "remarks", "sentence", "style", "tables", "to_frame")
OF_RESULTS += ("to_html", "to_latex", "to_markdown")


class HungError(BaseException):
    """A call took too long."""


class Call(NamedTuple):
    """Something that is about to be done.

    Attributes
    ----------
    said : str
        What it is, for whoever repeats it.
    run : callable
        What does it, and raises an `AssertionError` if something was lost.
    watched : list
        What must not be changed.
    allowed : tuple of exception types
        Beside errors of ours: the very fault that was planted.
    """

    said: str
    run: Callable[[], Any]
    watched: list[Any]
    allowed: tuple[type[BaseException], ...] = ()


@contextmanager
def patience() -> Iterator[None]:
    """Raise after a while."""

    def stop(*_: object) -> None:
        raise HungError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def outcome(call: Call) -> tuple[str, str]:
    """Do it, and say in a word what came of it, and the error."""
    before = [fingerprint(one) for one in call.watched]
    drawn = np.random.get_state()[1].tobytes()  # noqa: NPY002 (that of everybody)
    word, told = "result", ""
    with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", pdkappa.KappaWarning)
        try:
            with patience():
                repr(call.run())
        except HungError:
            word = "hung"
        except call.allowed as error:
            word, told = ("ours" if is_ours(error) else "planted"), repr(error)
        except AssertionError as error:
            word, told = "lost", traceback.format_exc() + str(error)
        except Exception as error:  # noqa: BLE001 (whatever it is)
            word = "ours" if is_ours(error) else "raw"
            told = traceback.format_exc() if word == "raw" else str(error)
    same_draws = np.random.get_state()[1].tobytes() == drawn  # noqa: NPY002
    if word != "raw" and not (before == [fingerprint(one) for one in call.watched] and same_draws):
        word = "changed"
    return word, told


# --- parts -------------------------------------------------------------------------------------


def name_of(rng: np.random.Generator, names: list[str]) -> str:
    """Draw a function; what is slow is drawn less often."""
    chances = np.array([0.2 if name in SLOW else 1.0 for name in names])
    return str(rng.choice(names, p=chances / chances.sum()))


def said(name: str, options: dict[str, Any]) -> str:
    """Write a call down."""
    return f"{name}({', '.join(f'{key}={str(value)[:80]!r}' for key, value in options.items())})"


def into(folder: Path, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Give what writes a file a path of its own."""
    ending = {"to_excel": "xlsx", "to_html": "html"}.get(name)
    return options | ({"path": folder / f"x.{ending}"} if ending else {})


def shower(rng: np.random.Generator) -> Callable[[Any], Any]:
    """Ask a result for one of the things that results have, if it has it."""
    name = str(rng.choice(OF_RESULTS))

    def show(found: Any) -> Any:
        one = getattr(found, name, None)
        asks_more = isinstance(found, pdkappa.Ratings)
        return found, one() if callable(one) and not asks_more else one

    return show


def functions(rng: np.random.Generator, folder: Path) -> Call:
    """Call a function with any options, of any frame."""
    name = name_of(rng, OWN)
    takes_data = "data" in FUNCTIONS[name].__annotations__
    frame = drawn_frame(rng)
    options = drawn_options(name, rng, len(frame), {"data", "path"})
    given = into(folder, name, options) | ({"data": frame} if takes_data else {})
    show = shower(rng)
    return Call(
        said(name, options), lambda: show(FUNCTIONS[name](**given)), [frame, *options.values()]
    )


def planted(rng: np.random.Generator, folder: Path) -> Call:
    """Call a method of clean ratings in which something is off, with options somebody means."""
    name, frame = str(rng.choice(OF_DATA)), planted_frame(rng)
    drawn = drawn_options(name, rng, len(frame), {"data", "path"}, wrong=0.02)
    options = into(folder, name, drawn)
    raters = [one for one in frame.columns if one in "abcd"]
    if "raters" in FUNCTIONS[name].__annotations__:
        options.setdefault("raters", raters)
    if "machine" in FUNCTIONS[name].__annotations__ and rng.random() < 0.5:
        options["machine"] = raters[int(rng.integers(len(raters)))]
    names = set(frame.columns)
    if rng.random() < 0.25:
        options = {key: on_two_levels(value, names) for key, value in options.items()}
        frame = frame.set_axis(pd.MultiIndex.from_product([["x"], frame.columns]), axis=1)
    of_study = {key: options.pop(key) for key in held(name) & options.keys()}
    show = shower(rng)

    def run() -> Any:
        source = frame.kappa(**of_study) if of_study else frame.kappa
        return show(attrgetter(name)(source)(**options))

    return Call(said(name, of_study | options), run, [frame, *options.values()])


def readers(rng: np.random.Generator, folder: Path) -> Call:
    """Call a method of any frame that is reached in any other way."""
    name = name_of(rng, METHODS)
    frame = drawn_frame(rng)
    reader, ratings = opened(frame, rng, folder)
    options = drawn_options(name, rng, len(frame), {"data", "path"})
    given = into(folder, name, options)
    names = HELD & given.keys() if rng.integers(3) == 0 else held(name) & given.keys()
    of_study = {key: given.pop(key) for key in names}
    show = shower(rng)

    def run() -> Any:
        source = ratings()(**of_study) if of_study else ratings()
        return show(attrgetter(name)(source)(**given))

    return Call(
        said(f"{reader}({of_study or ''}): {name}", options), run, [frame, *options.values()]
    )


def lists(rng: np.random.Generator, folder: Path) -> Call:
    """Read records, tables, counts, Series and arrays of anything."""
    told, run, watched = listed(rng, folder)
    return Call(told, run, watched)


def files(rng: np.random.Generator, folder: Path) -> Call:
    """Read a file of which some bytes are wrong, by a function or on the command line."""
    told, run = damaged_files(rng, folder)
    return Call(told, run, [], (FileNotFoundError, IsADirectoryError, PermissionError))


def disk(rng: np.random.Generator, folder: Path) -> Call:
    """Write over a file while the disk fails, or somebody interrupts."""
    told, run = failing_disk(rng, folder)
    return Call(told, run, [], (OSError, KeyboardInterrupt))


def memory(rng: np.random.Generator, folder: Path) -> Call:
    """Run out of memory on the way."""
    name = name_of(rng, OF_DATA)
    told, run, watched = failing_memory(name, rng, into(folder, name, usual(name)))
    return Call(told, run, watched, (MemoryError,))


def threads(rng: np.random.Generator, folder: Path) -> Call:
    """Let four threads ask for the same of one frame: each gets what one alone gets."""
    told, run, watched = of_threads(name_of(rng, OF_DATA), rng, folder)
    return Call(told, run, watched)


PARTS: dict[str, tuple[Callable[[np.random.Generator, Path], Call], int, str]] = {
    "functions": (functions, 80, "any options of any function, any frame"),
    "readers": (readers, 16, "the same by `df.kappa`, groups, polars, Arrow, DuckDB, Dask, files"),
    "lists": (lists, 16, "records, tables, counts, Series, arrays of anything"),
    "files": (files, 12, "damaged files, read by functions and on the command line"),
    "disk": (disk, 2, "a disk that is full or fails, a file held open, an interrupt"),
    "memory": (memory, 4, "memory that is at its end, at any step"),
    "threads": (threads, 2, "four threads at once, of one frame"),
    "processes": (functions, 2, "other hash seeds, with `-O` and without: the same outcome"),
    "planted": (planted, 16, "clean ratings in which a rater, a site, a label or a machine is off"),
}


def block(part: str, number: int, only: int | None = None) -> dict[str, Any]:
    """Do one block of calls, and count what came of them."""
    counts: Counter[str] = Counter()
    faults, digest = [], []
    draw = PARTS[part][0]
    for place in range(BLOCK) if only is None else [only]:
        rng = np.random.default_rng([SEED, [*PARTS].index(part), number, place])
        with tempfile.TemporaryDirectory() as folder:
            call = draw(rng, Path(folder))
            started = time.process_time()
            word, told = outcome(call)
        spent = time.process_time() - started
        counts[word] += 1
        digest.append(f"{place} {word} {told if word == 'ours' else ''}")
        if word not in ("result", "ours", "planted") or only is not None:
            faults.append(f"{part} {number} {place}: {word}\n{call.said}\n{told}")
        elif spent > LONGEST / 6:
            faults.append(f"{part} {number} {place}: {spent:.0f} s\n{call.said}")
    return {"part": part, "block": number, "counts": counts, "faults": faults, "digest": digest}


def processes(number: int) -> dict[str, Any]:
    """Do one block in several processes, which must come to the same."""
    found = []
    places = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    for seed, flag in (("1", []), ("2", ["-O"]), ("77", ["-O"])):
        done = subprocess.run(  # noqa: S603 (this very interpreter)
            [sys.executable, *flag, "-c", ONE_BLOCK, str(number)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": places},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        found.append(json.loads(done.stdout))
    first, *others = found
    counts = sum((Counter(one["counts"]) for one in found), Counter())
    for other in others:
        pairs = zip(first["digest"], other["digest"], strict=True)
        for one, two in ((one, two) for one, two in pairs if one != two and " 0x" not in one):
            counts["differs"] += 1
            first["faults"].append(f"processes {number}: differs\n{one}\n{two}")
    return first | {"counts": counts}


ONE_BLOCK = """
import json, sys
import hostile
print(json.dumps(hostile.block("processes", int(sys.argv[1]))))
"""


def done_before() -> dict[tuple[str, int], dict[str, Any]]:
    """Read what is done."""
    if not DONE.exists():
        return {}
    lines = map(json.loads, DONE.read_text(encoding="utf-8").splitlines())
    return {(one["part"], one["block"]): one for one in lines}


def page(done: dict[tuple[str, int], dict[str, Any]]) -> str:
    """Write the table."""
    columns = ["result", "ours", "planted"]
    head = "| | calls | result | error of ours | the fault itself | anything else |"
    rows = []
    total: Counter[str] = Counter()
    for part, (_, _, what) in PARTS.items():
        counts = sum((Counter(x["counts"]) for key, x in done.items() if key[0] == part), Counter())
        total += counts
        if counts:
            rows.append(row(f"`{part}`: {what}", counts, columns))
    table = "\n".join([head, "|---|---:|---:|---:|---:|---:|", *rows, row("all", total, columns)])
    return f"{INTRODUCTION}\n{table}\n"


def row(what: str, counts: Counter[str], columns: list[str]) -> str:
    """Write a row of the table."""
    known = [counts[name] for name in columns]
    cells = [counts.total(), *known, counts.total() - sum(known)]
    return f"| {what} | {' | '.join(f'{cell:,}' for cell in cells)} |"


INTRODUCTION = f"""# A hostile run

Every public function is called with random combinations of options, of which one in seven is what
nobody should pass, on frames with values, types, names and indices of all kinds; files are
damaged, the disk fails while a file is replaced, memory ends on the way, threads share a frame.
What comes of a call must be a result or an error of ours, and a warning of others counts as an
error; what was passed must be unchanged; a file that was there must be there as it was, or whole
and new. "The fault itself" is the error of the disk, the interrupt or the end of memory that was
planted, and reached the caller.
"Anything else" is what must not be: a raw error, a changed frame, a lost file, a call of more than
{LONGEST:.0f} seconds, another result in another thread or process.

Before it ended like this it found thirty raw errors and warnings, each of which is a test now.
Seed {SEED}; made by `python benchmarks/hostile.py --write`, which repeats any call alone.
"""


def asked() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Call everything with anything.")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--blocks", type=int, help="at most so many blocks of each part")
    parser.add_argument("--block", type=int, help="only this block, without keeping it")
    parser.add_argument("--call", type=int, help="only this call of the block")
    parser.add_argument("--again", action="store_true", help="forget what is done")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    return parser.parse_args()


def main() -> None:
    """Do what is not done yet."""
    args = asked()
    with suppress(AttributeError):  # Windows has no such thing
        os.nice(max(0, 19 - os.nice(0)))
    if args.block is not None:
        print(*block(args.parts[0], args.block, args.call)["faults"], sep="\n\n")
        return
    DONE.parent.mkdir(exist_ok=True)
    if args.again:
        DONE.unlink(missing_ok=True)
    for part in args.parts or PARTS:
        for number in range(args.blocks or PARTS[part][1]):
            if (part, number) in done_before():
                continue
            started = time.perf_counter()
            found = processes(number) if part == "processes" else block(part, number)
            del found["digest"]
            with DONE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
            print(part, number, dict(found["counts"]), f"{time.perf_counter() - started:.0f} s")
            print(*found["faults"], sep="\n\n", flush=True)
    text = page(done_before())
    print(text)
    if args.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
