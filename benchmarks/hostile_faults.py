"""Faults that `hostile.py` plants: in files, on the disk, in memory, by threads."""

from __future__ import annotations

import errno
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

import numpy as np
import pandas as pd
from hostile_draws import drawn_options, fingerprint
from hostile_sources import RECORDS, any_of

import pdkappa
from pdkappa.cli import main
from test_options import DRAWN, FUNCTIONS, ratings, usual

if TYPE_CHECKING:
    from collections.abc import Callable

LOGS = Path(__file__).parents[1] / "tests/data/logs"
NAMES = {"item": "i", "rater": "r", "rating": "v"}


# --- files -------------------------------------------------------------------------------------


def sound_files() -> dict[str, tuple[bytes, Callable[[Path], Any]]]:
    """Return the content of a file of each kind, and what reads it."""
    frame = ratings()
    long = frame.assign(i=frame.index).melt("i", ["a", "b", "c"], "r", "v")
    studio = [{"id": n, "mood": m, "annotator": n % 2} for n, m in enumerate(["good", "bad"] * 3)]
    prodigy = [
        {"_input_hash": n // 2, "_session_id": f"m-{n % 2}", "answer": "accept"} for n in range(6)
    ]
    turk = "HITId,WorkerId,Answer.x\nh1,w1,good\nh1,w2,bad\nh2,w1,bad\nh2,w2,bad\n"

    def lines(records: Any) -> bytes:
        return "".join(json.dumps(one) + "\n" for one in records).encode()

    def scanned(path: Path) -> Any:
        return pdkappa.scan(path).pairs(["a", "b"])

    def scanned_long(path: Path) -> Any:
        return pdkappa.scan_long(path, **NAMES).pairs()

    found: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
        "w.csv": (frame.to_csv(index=False).encode(), scanned),
        "w.tsv": (frame.to_csv(index=False, sep="\t").encode(), scanned),
        "w.parquet": (frame.to_parquet(), scanned),
        "w.feather": (of_feather(frame), scanned),
        "l.csv": (long.to_csv(index=False).encode(), scanned_long),
        "l.parquet": (long.to_parquet(), scanned_long),
        "s.json": (
            json.dumps(studio).encode(),
            lambda path: pdkappa.tools.from_label_studio(path, "mood").pairs(),
        ),
        "p.jsonl": (lines(prodigy), lambda path: pdkappa.tools.from_prodigy(path).pairs()),
        "d.jsonl": (
            lines({"id": n, "text": "x", "label": ["good"]} for n in range(4)),
            lambda path: pdkappa.tools.from_doccano({"ann": path, "bob": path}).pairs(),
        ),
        "m.csv": (turk.encode(), lambda path: pdkappa.tools.from_mturk(path, "Answer.x").pairs()),
    }
    for name, (records, *more) in RECORDS.items():
        found[f"{name}.jsonl"] = (
            lines(records),
            of_path(getattr(pdkappa, name, None) or getattr(pdkappa.tools, name), *more),
        )
    readers = {"inspect": pdkappa.tools.from_inspect, "deepeval": pdkappa.tools.from_deepeval}
    readers |= {"promptfoo": pdkappa.tools.from_promptfoo}
    for path in LOGS.glob("*.*"):
        found[path.name] = (path.read_bytes(), of_path(readers[path.stem.partition("_")[0]]))
    for path in LOGS.glob("toy-a/*"):
        found[path.name] = (path.read_bytes(), lambda one: pdkappa.tools.from_lm_eval({"a": one}))
    for ending in ("csv", "parquet", "xlsx"):
        content = of_excel(frame) if ending == "xlsx" else found[f"w.{ending}"][0]
        found[f"cli.{ending}"] = (content, on_command_line)
    return found


def of_path(read: Callable[..., Any], *more: Any) -> Callable[[Path], Any]:
    """Read a file."""
    return lambda path: read(path, *more)


def of_feather(frame: pd.DataFrame) -> bytes:
    """Return the content of a file of Feather."""
    import pyarrow as pa
    from pyarrow import feather

    sink = pa.BufferOutputStream()
    feather.write_feather(frame, sink)
    return sink.getvalue().to_pybytes()


def of_excel(frame: pd.DataFrame) -> bytes:
    """Return the content of a workbook."""
    from io import BytesIO

    held = BytesIO()
    frame.to_excel(held, index=False, engine="xlsxwriter")
    return held.getvalue()


def on_command_line(path: Path) -> Any:
    """Have the command line read a file: no traceback is shown."""
    said = StringIO()
    with redirect_stderr(said):
        status = main([str(path), "--raters", "a", "b"])
    assert "Traceback" not in said.getvalue(), said.getvalue()
    assert status in (0, 2)
    return status


SOUND: dict[str, tuple[bytes, Callable[[Path], Any]]] = {}


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Spoil some bytes, or leave some out, or repeat some."""
    found = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        if not found:
            break
        first, last = sorted(rng.integers(0, len(found) + 1, 2).tolist())
        kind = int(rng.integers(6))
        place = min(first, len(found) - 1)
        if kind == 0:
            del found[first:]
        elif kind == 1:
            del found[first : min(last, first + 200)]
        elif kind == 2:
            found[place] = int(rng.integers(256))
        elif kind == 3:
            found[place] ^= 1 << int(rng.integers(8))
        elif kind == 4:
            found[first:first] = found[first : min(last, first + 200)]
        else:
            spare = [b"\x00", b'"', b"\n", b",", b"\xff\xfe", b"{", b"9" * 400, b"[" * 3000, b"\r"]
            found[first:first] = any_of(spare, rng)
    return bytes(found)


def damaged_files(rng: np.random.Generator, folder: Path) -> tuple[str, Callable[[], Any]]:
    """Write a damaged file, and read it."""
    SOUND.update({} if SOUND else sound_files())
    name = str(rng.choice(sorted(SOUND)))
    content, read = SOUND[name]
    path = folder / name
    if rng.random() < 0.03:
        path.mkdir()
    elif rng.random() < 0.97:
        path.write_bytes(damaged(content, rng))
    return name, lambda: read(path)


# --- the disk ----------------------------------------------------------------------------------


def failing_disk(rng: np.random.Generator, folder: Path) -> tuple[str, Callable[[], Any]]:
    """Replace a file while a call of the system fails: the old file stays, or the new is whole."""
    kind = str(rng.choice(["xlsx", "html"]))
    path, old = folder / f"old.{kind}", b"what was there before"
    path.write_bytes(old)
    frame = ratings()
    options = {"detail": "brief", "raters": ["a", "b"]}
    number = any_of([errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EDQUOT], rng)
    broken = str(
        rng.choice(["os.fsync", "os.replace", "pathlib.Path.replace", "write", "interrupt"])
    )
    after, seconds = int(rng.integers(40)), float(rng.uniform(0.001, 0.4))

    def run() -> None:
        try:
            with ExitStack() as stack:
                plant(stack, broken, OSError(number, os.strerror(number)), after)
                if broken == "interrupt":
                    signal.signal(signal.SIGALRM, interrupt)
                    signal.setitimer(signal.ITIMER_REAL, seconds)
                write = FUNCTIONS["to_excel" if kind == "xlsx" else "to_html"]
                write(frame, path, **options)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            content = path.read_bytes()
            assert content == old or is_whole(content, kind), "the file is neither old nor new"
            left = [one.name for one in folder.iterdir() if one != path]
            assert not left, f"left behind: {left}"

    return f"{kind}, {broken} fails with {errno.errorcode[number]} after {after}, {seconds}", run


def interrupt(*_: object) -> None:
    """Do as Ctrl-C does."""
    raise KeyboardInterrupt


def plant(stack: ExitStack, broken: str, error: OSError, after: int) -> None:
    """Let a call of the system fail."""
    if broken == "write":
        stack.enter_context(patch("pathlib.Path.open", opening(error, after)))
    elif broken != "interrupt":
        stack.enter_context(patch(broken, side_effect=error))


def opening(error: OSError, after: int) -> Callable[..., Any]:
    """Return an `open` of files that fail after some writes."""
    real = Path.open

    def opened(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        handle: Any = real(self, mode, *args, **kwargs)
        if not set(mode) & set("wxa"):
            return handle
        return Failing(handle, error, after)

    return opened


class Failing:
    """A file on a disk that is full after some writes."""

    def __init__(self, handle: Any, error: OSError, after: int) -> None:
        self.handle, self.error, self.left = handle, error, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self.handle, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.close()

    def write(self, content: bytes) -> int:
        """Write half of it, and fail."""
        self.left -= 1
        if self.left < 0:
            self.handle.write(content[: len(content) // 2])
            raise self.error
        return int(self.handle.write(content))


def is_whole(content: bytes, kind: str) -> bool:
    """Whether a file is one that its program opens."""
    if kind == "html":
        return content.rstrip().endswith(b"</html>")
    return content[:2] == b"PK" and b"PK\x05\x06" in content[-64:]


# --- memory ------------------------------------------------------------------------------------

MAKERS = [
    *(
        "numpy.zeros",
        "numpy.empty",
        "numpy.ones",
        "numpy.full",
        "numpy.concatenate",
        "numpy.unique",
    ),
    *("numpy.bincount", "numpy.repeat", "numpy.lexsort", "numpy.stack", "numpy.arange"),
    *("pandas.DataFrame", "pandas.concat", "pandas.Series"),
]


def failing_memory(
    name: str, rng: np.random.Generator, options: dict[str, Any]
) -> tuple[str, Callable[[], Any], list[Any]]:
    """Let one of the calls that take memory fail; what comes nevertheless must be right."""
    frame = ratings()
    maker, after = str(rng.choice(MAKERS)), int(rng.geometric(0.05))
    module, _, what = maker.rpartition(".")
    holder = {"numpy": np, "pandas": pd}[module]
    real, count = getattr(holder, what), iter(range(1 << 30))

    def failing(*args: Any, **kwargs: Any) -> Any:
        if next(count) == after:
            raise MemoryError("planted")
        return real(*args, **kwargs)

    def run() -> Any:
        seeded = {"rng": 1} if "n_resamples" in options or name in DRAWN else {}
        if isinstance(real, type):  # a class must stay one
            own = patch.object(real, "__init__", _counted(real.__init__, failing_of(count, after)))
        else:
            own = patch.object(holder, what, failing)
        with own:
            found = FUNCTIONS[name](frame, **options, **seeded)
        again = FUNCTIONS[name](frame, **options, **seeded)
        if isinstance(found, pd.DataFrame) and name != "crosscheck":  # which notes it
            assert fingerprint(found) == fingerprint(again), "another result"
        return found

    return f"{name}: {maker} fails after {after}", run, [frame]


def failing_of(count: Any, after: int) -> Callable[[], None]:
    """Return what fails at one of its calls."""

    def fail() -> None:
        if next(count) == after:
            raise MemoryError("planted")

    return fail


def _counted(real: Callable[..., None], fail: Callable[[], None]) -> Callable[..., None]:
    """Let the making of an object fail."""

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        fail()
        real(self, *args, **kwargs)

    return made


# --- threads -----------------------------------------------------------------------------------


def of_threads(
    name: str, rng: np.random.Generator, folder: Path
) -> tuple[str, Callable[[], Any], list[Any]]:
    """Let four threads ask for the same, and compare what each gets with what one alone gets."""
    frame = ratings()
    path = {"path": folder / "x"} if "path" in FUNCTIONS[name].__annotations__ else {}
    options = drawn_options(name, rng, len(frame), {"data", "path", "progress"})
    options |= {"rng": 1} if "rng" in FUNCTIONS[name].__annotations__ else {}
    once = {key for key, value in options.items() if is_once(value)}
    options = {key: value for key, value in options.items() if key not in once}
    options |= {key: value for key, value in usual(name).items() if key in once}

    def ask(place: int = 0) -> str:
        own = {key: value.with_name(f"{place}.{ENDING[name]}") for key, value in path.items()}
        try:
            found = FUNCTIONS[name](frame, **options, **own)
        except pdkappa.KappaError as error:
            return f"{type(error)} {error}"
        return "" if path else fingerprint(found)

    def run() -> None:
        with ThreadPoolExecutor(4) as pool:
            found = {*pool.map(ask, range(4))}
        assert found == {ask()}, "threads differ"

    return f"{name}({options!r})", run, [frame]


ENDING = {"to_excel": "xlsx", "to_html": "html"}


def is_once(value: Any) -> bool:
    """Whether a value is used up by its first use."""
    return hasattr(value, "__next__") or hasattr(value, "read") or hasattr(value, "random")
