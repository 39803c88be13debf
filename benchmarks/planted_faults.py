"""Plant faults in the package, one at a time, and see whether the tests notice.

    python benchmarks/planted_faults.py --jobs 2               # every fault of planted_faults.toml
    python benchmarks/planted_faults.py --only fisher-cap i-squared
    python benchmarks/planted_faults.py --jobs 2 --write       # and put the totals into README.md

A fault names no file: its text must stand once in the package, else nothing is run and the exit
status is 2. The suite runs once to find out which test executes which line; `--coverage FILE`
keeps what it found, and finds it again while the package is the same. A fault is then planted in a
copy of the tree, where the tests that execute its lines run until one fails: first those of files
that are called like the module, then the quickest of each file. Where a line runs on import only,
as a constant does, they are the tests that execute a line with one of its names.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from executing_tests import (
    Place,
    Recorder,
    Tests,
    forked,
    in_shares,
    measure,
    run_pytest,
    seconds_file,
)

ROOT = Path(__file__).parents[1]
FAULTS = Path(__file__).with_suffix(".toml")
FIRST = 30  # tests that run before the others, which may not be needed
MOST_MEMORY = 6 << 30  # bytes
NO_END = "(no end)"  # the process that runs the tests is stopped, or stops by itself
DEADLOCK = 20  # times as long by the clock
GRACE = 30  # seconds of the processor more, after which a test without an end is stopped
ENVIRONMENT = {"CI": "1", "OPENBLAS_NUM_THREADS": "1"}
# What is slow to import, imported once: each run of the tests is a fork of this process.
IMPORTED = ("pandas", "scipy.stats", "pyarrow", "xlsxwriter", "openpyxl", "hypothesis", "pytest")


class Fault(NamedTuple):
    topic: str
    name: str
    old: str
    new: str


class Outcome(NamedTuple):
    """The test that failed, if any, how many have run, and the seconds that they took."""

    test: str | None
    n_tests: int
    seconds: float


def main() -> int:
    options = _options()
    faults = [
        Fault(topic, name, *texts)
        for topic, named in tomllib.loads(FAULTS.read_text("utf-8")).items()
        for name, texts in named.items()
    ]
    sources = sources_of_package()
    places, wrong = {}, sorted(set(options.only) - {fault.name for fault in faults})
    if options.only:
        faults = [fault for fault in faults if fault.name in options.only]
    for fault in faults:
        held = [name for name, text in sources.items() for _ in range(text.count(fault.old))]
        if len(held) == 1:
            places[fault.name] = _place_of(held[0], sources[held[0]], fault.old)
        else:
            wrong.append(f"{fault.name} is found {len(held)} times: {fault.old!r} {held}")
    if wrong:
        print("These faults cannot be planted:", *wrong, sep="\n  ", file=sys.stderr)
        return 2
    prepare()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        pristine = copy_of_tree(Path(folder) / "tree")
        file = options.coverage or Path(folder) / "coverage.sqlite"
        if not seconds_file(file).exists():
            print("Running the suite once ...", flush=True)
            measure(pristine, file, options.jobs)
        tests = Tests(file, sources, pristine)
        found = plant_all(faults, places, tests, pristine, options)
    _report(faults, places, found, options)
    return 0


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--most", type=int, default=150, help="tests of a fault")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of the processor, for the tests of a fault"
    )
    parser.add_argument("--coverage", type=Path, help="file of what is known of the tests")
    parser.add_argument("--out", type=Path, help="file for the results, as JSON")
    parser.add_argument("--write", action="store_true", help="put the totals into README.md")
    return parser.parse_args()


# --- the tree ----------------------------------------------------------------------------------


def sources_of_package() -> dict[str, str]:
    """Read all modules of the package."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted((ROOT / "pdkappa").rglob("*.py"))
    }


def prepare() -> None:
    """Make this process one whose forks run tests."""
    os.environ.update(ENVIRONMENT)
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS"):
        os.environ.pop(name, None)
    sys.dont_write_bytecode = False
    for module in IMPORTED:
        importlib.import_module(module)


def copy_of_tree(folder: Path) -> Path:
    """Copy the files that git tracks, or all that are not hidden, and compile the package."""
    if (ROOT / ".git").exists():
        git = ["git", "ls-files", "-z"]
        listed = subprocess.run(git, cwd=ROOT, check=True, capture_output=True)  # noqa: S603
        for name in listed.stdout.decode().split("\0"):
            if name and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
    else:
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*"))
    collect = partial(run_pytest, folder, ["pdkappa", "tests", "--collect-only"], Recorder([], 0))
    os.waitpid(forked(collect), 0)  # which compiles all files
    return folder


def _place_of(file: str, text: str, old: str) -> Place:
    """Find the smallest statement around a text, and what it binds if it runs on import."""
    start = text.index(old)
    first, last = (text.count("\n", 0, end) + 1 for end in (start, start + len(old)))
    return place_at(file, text, first, last)


def place_at(file: str, text: str, first: int, last: int) -> Place:
    """Find the smallest statement around some lines."""
    within: list[ast.stmt] = []
    node: Any = ast.parse(text)
    while node is not None:
        inside = (one for one in ast.iter_child_nodes(node) if _holds(one, first, last))
        node = next(inside, None)
        within += [node] if isinstance(node, ast.stmt) else []
    body = getattr(within[-1], "body", None)
    stop = body[0].lineno if body else (within[-1].end_lineno or last) + 1
    lines = range(within[-1].lineno, max(stop, first + 1))
    outer = [one for one in within if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    if isinstance(within[-1], ast.FunctionDef):  # a default
        return Place(file, range(lines.start, (within[-1].end_lineno or last) + 1), ())
    if any(isinstance(one, ast.FunctionDef) for one in outer):
        return Place(file, lines, ())
    return Place(file, lines, tuple(one.name for one in outer) or _bound(within[-1]))


def _holds(node: ast.AST, first: int, last: int) -> bool:
    start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return start is not None and end is not None and start <= first and last <= end


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    stored = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
    return tuple(one.id for one in stored if isinstance(one.ctx, ast.Store))


# --- runs of tests -----------------------------------------------------------------------------


def _failing(
    tree: Path, tests: list[str], seconds: float, *, every: bool = False
) -> tuple[list[str], int]:
    """Run tests until one fails, or all of them: which have failed, and how many have run."""
    result = tree / "result.json"
    result.unlink(missing_ok=True)

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        signal.setitimer(signal.ITIMER_PROF, seconds + GRACE)
        signal.alarm(int(DEADLOCK * (seconds + GRACE)))
        recorder = Recorder(tests, seconds)
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        status = run_pytest(tree, [*files, *([] if every else ["-x"])], recorder)
        failed = recorder.failed or (["(import)"] if status not in (0, 2, 5) else [])
        result.write_text(json.dumps([failed, len(recorder.seconds)]), "utf-8")

    os.waitpid(forked(run), 0)
    failed, n_tests = json.loads(result.read_text("utf-8")) if result.exists() else ([NO_END], 0)
    return failed, n_tests


def plant_one(
    fault: Fault, place: Place, tests: list[str], pristine: Path, limit: float
) -> Outcome:
    """Plant one fault in a copy of the tree, and run tests until one notices."""
    folder, start = pristine.with_name(f"with-{fault.name}"), time.monotonic()
    tree = shutil.copytree(pristine, folder / "tree")
    file = tree / place.file
    file.write_text(file.read_text("utf-8").replace(fault.old, fault.new), "utf-8")
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
        compiled.unlink()
    failed: list[str] = []
    n_tests = 0
    for part in (tests[:FIRST], tests[FIRST:]):
        if part and not failed:
            failed, n_run = _failing(tree, part, limit)
            n_tests += n_run
    shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - start
    told = f"noticed by {failed[0]}" if failed else f"SURVIVES {n_tests} tests"
    print(f"{fault.name:28} {seconds:5.1f} s  {told}", flush=True)
    return Outcome(failed[0] if failed else None, n_tests, seconds)


def _share(pristine: Path, number: int) -> Path:
    return pristine.with_name(f"share-{number}.json")


def plant_all(
    faults: list[Fault],
    places: dict[str, Place],
    tests: Tests,
    pristine: Path,
    options: Any,
    *,
    until: float = float("inf"),
) -> dict[str, Outcome]:
    """Plant every fault while there is time; those again whose test fails without them, too."""
    found: dict[str, Outcome] = {}
    flawed: set[str] = set()
    waiting = faults
    while waiting:

        def plant(number: int, waiting: list[Fault] = waiting) -> None:
            own = {}
            for fault in waiting[number :: options.jobs]:
                if time.monotonic() > until:
                    break
                place = places[fault.name]
                chosen = [one for one in tests.of(place) if one not in flawed][: options.most]
                own[fault.name] = plant_one(fault, place, chosen, pristine, options.seconds)
            _share(pristine, number).write_text(json.dumps(own), "utf-8")

        in_shares(options.jobs, plant)
        for number in range(options.jobs):
            shares = json.loads(_share(pristine, number).read_text("utf-8"))
            found |= {name: Outcome(*one) for name, one in shares.items()}
        killers = [one.test for one in found.values() if one.test in tests.seconds]
        limit = options.seconds * len(killers)
        flawed.update({*_failing(pristine, killers, limit, every=True)[0]} & {*killers})
        waiting = [one for one in faults if one.name in found and found[one.name].test in flawed]
    return found


# --- results -----------------------------------------------------------------------------------


def _report(
    faults: list[Fault], places: dict[str, Place], found: dict[str, Outcome], options: Any
) -> None:
    alive = [fault for fault in faults if found[fault.name].test is None]
    lines = ["| faults in | planted | noticed |", "|---|---:|---:|"]
    for topic in dict.fromkeys(fault.topic for fault in faults):
        names = [fault.name for fault in faults if fault.topic == topic]
        n_noticed = sum(found[name].test is not None for name in names)
        lines.append(f"| {topic.replace('-', ' ')} | {len(names)} | {n_noticed} |")
    lines.append(f"| all | {len(faults)} | {len(faults) - len(alive)} |")
    print("", *lines, sep="\n")
    for fault in alive:
        n_tests = found[fault.name].n_tests
        print(f"survives {n_tests} tests: {fault.name} in {places[fault.name].file}: {fault.new!r}")
    if options.out:
        results = {
            fault.name: {"topic": fault.topic, "file": places[fault.name].file}
            | found[fault.name]._asdict()
            for fault in faults
        }
        options.out.write_text(json.dumps(results, indent=1), "utf-8")
    if options.write:
        import readme

        readme.put("planted faults", lines)


if __name__ == "__main__":
    sys.exit(main())
