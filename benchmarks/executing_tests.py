"""Find out which tests execute which lines of the package; `planted_faults.py` asks for it."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import traceback
from collections import Counter, defaultdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coverage import Coverage, CoverageData
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEFT_OUT = "not notebook and not site and not office and not browser"
IMPORTED_BEFORE = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
NO_TESTS = "ignore:cannot collect test class:pytest.PytestCollectionWarning"  # of the package
OPTIONS = ["-q", "-p", "no:cacheprovider", "-m", LEFT_OUT, "-W", IMPORTED_BEFORE, "-W", NO_TESTS]
FEW_EXAMPLES = 5  # of a property, while it is found out which lines it executes
AT_ONCE = 50  # tests that follow each other, where the suite is run in shares


class Place(NamedTuple):
    """Where the text of a fault stands: its file, the lines that run, and the names they bind."""

    file: str
    lines: range
    names: tuple[str, ...]


class Tests:
    """Which tests execute a line of the package, and how long they take."""

    def __init__(self, file: Path, sources: dict[str, str], tree: Path) -> None:
        self.sources = sources
        self.text_of = cache(lambda file: (tree / file).read_text("utf-8"))
        self.seconds: dict[str, float] = json.loads(seconds_file(file).read_text("utf-8"))
        self.of_lines: dict[str, dict[int, set[str]]] = defaultdict(dict)
        data = CoverageData(str(file))
        data.read()
        for path in data.measured_files():  # at once: a fork would erase the data
            name = next((one for one in sources if Path(path).as_posix().endswith(f"/{one}")), "")
            for line, tests in data.contexts_by_lineno(path).items():
                self.of_lines[name][line] = set(tests) & self.seconds.keys()

    def execute(self, place: Place) -> set[str]:
        """Return the tests that execute a line of a fault."""
        known = self.of_lines[place.file]
        return set().union(*(known.get(line, set()) for line in place.lines))

    def of(self, place: Place) -> list[str]:
        """List the tests that can see a fault, those first that are likely to fail soon."""
        known, found = self.of_lines[place.file], self.execute(place)
        if place.names:
            named = re.compile(rf"\b({'|'.join(place.names)})\b")
            for file, text in self.sources.items():
                for number, line in enumerate(text.splitlines(), 1):
                    if named.search(line):
                        found |= self.of_lines[file].get(number, set())
            for test in self.seconds:
                file = test.partition("::")[0]
                if _distance(file, place.file) == 0 or named.search(self.text_of(file)):
                    found.add(test)
        near = set().union(*known.values()) - found
        return [test for tier in (found, near) for test in self._in_turn(tier, place.file)]

    def _in_turn(self, tests: set[str], module: str) -> list[str]:
        """Sort tests: the quickest of each file, then the second of each, those near by first."""
        rank: Counter[str] = Counter()
        order = []
        for test in sorted(tests, key=self.seconds.__getitem__):
            file = test.partition("::")[0]
            order.append((_distance(file, module), rank[file], self.seconds[test], test))
            rank[file] += 1
        return [test for *_, test in sorted(order)]


# --- runs of pytest ---------------------------------------------------------------------------


class Recorder:
    """A plugin of pytest that runs some tests in their order, and keeps what became of them."""

    def __init__(self, tests: list[str], seconds: float) -> None:
        self.place = {test: number for number, test in enumerate(tests)}
        self.end = time.process_time() + seconds
        self.failed: list[str] = []
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_sessionstart(self, session: Any) -> None:
        self.session = session

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.place]
        items.sort(key=lambda item: self.place[item.nodeid])

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(f"{report.nodeid} (import)")

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)
        if time.process_time() > self.end:
            self.session.shouldstop = "no time left"


class Watcher(Recorder):
    """The same for a share of all tests, with the lines that each of them executes."""

    def __init__(self, tree: Path, file: str, share: tuple[int, int]) -> None:
        super().__init__([], float("inf"))
        self.share, self.file = share, file
        self.cover = Coverage(file, source=[str(tree / "pdkappa")], config_file=False)
        self.cover.start()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        number, n_shares = self.share
        items[:] = [item for i, item in enumerate(items) if i // AT_ONCE % n_shares == number]

    def pytest_sessionstart(self, session: Any) -> None:
        super().pytest_sessionstart(session)
        settings.register_profile("few", settings.get_profile("ci"), max_examples=FEW_EXAMPLES)
        settings.load_profile("few")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.cover.switch_context(nodeid)

    def save(self) -> None:
        self.cover.stop()
        self.cover.save()
        passed = {test: of for test, of in self.seconds.items() if test not in self.failed}
        seconds_file(self.file).write_text(json.dumps(passed), "utf-8")


WHOLE = ("pdkappa", "tests")


def measure(tree: Path, file: Path, jobs: int, paths: Sequence[str] = WHOLE) -> None:
    """Run tests, and keep which lines each one executes and the times of those that pass."""

    def run(number: int) -> None:
        watcher = Watcher(tree, f"{file.resolve()}.{number}", (number, jobs))
        run_pytest(tree, [*paths], watcher)
        watcher.save()

    in_shares(jobs, run)
    whole, seconds = CoverageData(str(file)), {}
    for number in range(jobs):
        part = CoverageData(f"{file}.{number}")
        part.read()
        whole.update(part)
        seconds |= json.loads(seconds_file(part.data_filename()).read_text("utf-8"))
    seconds_file(file).write_text(json.dumps(seconds), "utf-8")


def run_pytest(tree: Path, arguments: list[str], recorder: Recorder) -> int:
    """Run pytest on a tree in this process, which must not have imported the package before."""
    output = os.open(f"{tree}-{os.getpid()}.txt", os.O_RDWR | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.chdir(tree)
    sys.path[0] = os.environ["PYTHONPATH"] = str(tree)
    import pytest

    folder = f"--basetemp={tree}-{os.getpid()}"
    return int(pytest.main([*OPTIONS, folder, *arguments], plugins=[recorder]))


def in_shares(jobs: int, work: Callable[[int], object]) -> None:
    """Do the shares of some work in forks of this process, and wait for all of them."""
    processes = [forked(partial(work, number)) for number in range(jobs)]
    for process in processes:
        os.waitpid(process, 0)


def forked(work: Callable[[], object]) -> int:
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    try:
        work()
    except BaseException:  # noqa: BLE001  # what is left of the parent must not go on
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


# --- names ------------------------------------------------------------------------------------


def seconds_file(file: Path | str) -> Path:
    return Path(f"{file}.json")


def _distance(test: str, module: str) -> int:
    """How far the name of a file of tests is from that of a module: 0, 1 or 2."""
    of_test, of_module = (
        [word for part in Path(name).with_suffix("").parts[1:] for word in part.split("_")]
        for name in (test, module)
    )
    names = {word.rstrip("s") for word in of_test if word != "test"}
    if test == module or {of_module[-1].rstrip("s")} == names - {"core", "present"}:
        return 0
    return 1 if names & {word.rstrip("s") for word in of_module} else 2
