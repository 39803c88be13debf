"""A file is written whole or not at all, whatever fails on the way."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import pdkappa
from pdkappa.errors import OptionError
from pdkappa.present.files import atomic_write, destination

POSIX = os.name == "posix"
ROOT = POSIX and os.geteuid() == 0

posix_only = pytest.mark.skipif(not POSIX, reason="permissions and links as on POSIX")
NOBODY = 65534


def write_new(handle):
    handle.write(b"new ")
    handle.write(b"content")


class Wrapped:
    """A path-like object that is no Path."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def untouched(old):
    """Whether a file is what it was, alone in its folder."""
    return old.read_bytes() == b"old content" and names_in(old.parent) == [old.name]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def old(tmp_path):
    """Make a file that must survive every failure, alone in its folder."""
    path = tmp_path / "old.bin"
    path.write_bytes(b"old content")
    return path


@pytest.fixture
def old_of_a_user():
    """Make the same file as a user for whom write protection holds; root becomes nobody."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "old.bin"
        path.write_bytes(b"old content")
        if ROOT:
            os.chown(path.parent, NOBODY, NOBODY)
            os.chown(path, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield path
        finally:
            if ROOT:
                os.setresuid(0, 0, 0)


@pytest.mark.parametrize("kind", [str, Path, os.fsencode, Wrapped])
@pytest.mark.parametrize("name", ["new.bin", "old.bin", "n" * 255])
def test_any_kind_of_path(old, kind, name):
    """There may be a file, and the longest name leaves room for the temporary one."""
    path = old.with_name(name)
    assert atomic_write(kind(path), write_new, overwrite=name == old.name) == path
    assert path.read_bytes() == b"new content"
    assert names_in(old.parent) == sorted({name, old.name})


def test_names_of_the_home_folder_and_of_the_current_one(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert atomic_write("~/new.bin", write_new) == tmp_path / "new.bin"
    assert atomic_write("other.bin", write_new) == Path("other.bin")
    assert (tmp_path / "other.bin").read_bytes() == b"new content"
    with pytest.raises(TypeError, match="int"):
        atomic_write(1, write_new)


@posix_only
@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_gets_the_usual_permissions(tmp_path, umask, expected):
    before = os.umask(umask)
    try:
        path = atomic_write(tmp_path / "new.bin", write_new)
    finally:
        os.umask(before)
    assert mode(path) == expected


@posix_only
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o664, 0o755])
def test_a_replaced_file_keeps_its_permissions(old, permissions):
    old.chmod(permissions)
    atomic_write(old, write_new)
    assert mode(old) == permissions


@posix_only
def test_a_private_file_is_private_while_it_is_replaced(old):
    old.chmod(0o600)

    def write(_):
        [temporary] = old.parent.glob(".*.tmp")
        assert mode(temporary) == 0o600

    atomic_write(old, write)
    assert mode(old) == 0o600


@posix_only
def test_the_target_of_a_link_is_replaced_or_made_and_not_the_link(old, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for target in (old, tmp_path / "new.bin"):
        link = folder / "link.bin"
        link.symlink_to(target)
        assert atomic_write(link, write_new, overwrite=target == old) == link
        assert link.readlink() == target
        assert target.read_bytes() == b"new content"
        assert names_in(folder) == [link.name]
        link.unlink()
    link.symlink_to(link)
    with pytest.raises(OSError, match=r"link\.bin") as caught:
        atomic_write(link, write_new)
    assert caught.value.errno == errno.ELOOP
    assert link.is_symlink()


@posix_only
def test_a_device_is_written_to_not_replaced():
    assert atomic_write(os.devnull, write_new) == Path(os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def never(handle):
    pytest.fail(f"nothing should be written to {handle}")


def test_overwrite_false_refuses_an_existing_file(old):
    with pytest.raises(FileExistsError) as caught:
        atomic_write(old, never, overwrite=False)
    assert str(caught.value) == f"[Errno {errno.EEXIST}] {os.strerror(errno.EEXIST)}: '{old}'"
    with pytest.raises(FileExistsError):
        destination(old, overwrite=np.False_)
    assert untouched(old)


def test_overwrite_false_refuses_a_file_that_came_in_the_meantime(tmp_path):
    path = tmp_path / "new.bin"

    def write(handle):
        handle.write(b"mine")
        path.write_bytes(b"theirs")

    with pytest.raises(FileExistsError):
        atomic_write(path, write, overwrite=False)
    assert path.read_bytes() == b"theirs"
    assert names_in(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("place", "error", "named"),
    [
        ("missing/new.bin", FileNotFoundError, "missing"),
        (".", IsADirectoryError, "."),
        ("old.bin/new.bin", NotADirectoryError if POSIX else OSError, None),
    ],
)
def test_a_folder_that_is_none_and_a_file_that_is_one(old, place, error, named):
    with pytest.raises(error) as caught:
        atomic_write(old.parent / place, never)
    assert named is None or caught.value.filename == str(old.parent / named)


def test_a_write_protected_file_is_refused(old, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError) as caught:
        destination(old)
    assert caught.value.filename == str(old)


@posix_only
@pytest.mark.parametrize(
    ("name", "of_folder", "of_file"),
    [("old.bin", 0o755, 0o444), ("old.bin", 0o555, 0o644), ("new.bin", 0o555, 0o644)],
)
def test_a_read_only_file_and_a_read_only_folder(old_of_a_user, name, of_folder, of_file):
    old = old_of_a_user
    old.chmod(of_file)
    old.parent.chmod(of_folder)
    try:
        with pytest.raises(PermissionError) as caught:
            atomic_write(old.with_name(name), never)
    finally:
        old.parent.chmod(0o755)
    assert caught.value.filename == str(old.with_name(name))
    assert untouched(old)


def test_an_error_names_the_file_that_was_asked_for(old, monkeypatch):
    def refuse(self, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.chdir(old.parent)
    for path in (old, Path(old.name)):
        with pytest.raises(PermissionError) as caught:
            atomic_write(path, never)
        assert caught.value.filename == str(path)


class Handle:
    """A handle whose n-th call of a method fails."""

    def __init__(self, handle, method, n, failure):
        self.handle, self.method, self.n, self.failure = handle, method, n, failure

    def __enter__(self):
        self.handle.__enter__()
        return self

    def __exit__(self, *args):
        self.handle.__exit__(*args)
        self.call("close")

    def call(self, method, *args):
        self.n -= method == self.method
        if method == self.method and self.n < 0:
            raise self.failure
        return getattr(self.handle, method)(*args)

    def write(self, data):
        return self.call("write", data)

    def flush(self):
        return self.call("flush")

    def fileno(self):
        return self.call("fileno")


FAILURES = [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), MemoryError()]
every_failure = pytest.mark.parametrize("failure", FAILURES, ids=lambda error: type(error).__name__)


@every_failure
@pytest.mark.parametrize(
    ("method", "n"), [("write", 0), ("write", 1), ("flush", 0), ("fileno", 0), ("close", 0)]
)
def test_a_failing_handle_leaves_no_trace(old, monkeypatch, method, n, failure):
    path_open = Path.open
    monkeypatch.setattr(Path, "open", lambda *args: Handle(path_open(*args), method, n, failure))
    with pytest.raises(type(failure)):
        atomic_write(old, write_new)
    monkeypatch.undo()
    assert untouched(old)


@every_failure
@pytest.mark.parametrize("name", ["fsync", "chmod", "replace", ""])
def test_a_failing_system_call_or_content_leaves_no_trace(old, monkeypatch, name, failure):
    def fail(*_, **__):
        raise failure

    if name:
        monkeypatch.setattr(os, name, fail)
    with pytest.raises(type(failure)):
        atomic_write(old, write_new if name else lambda handle: (write_new(handle), fail()))
    monkeypatch.undo()
    assert untouched(old)


@pytest.mark.parametrize("number", [5, 32])
def test_on_windows_a_file_that_is_open_is_not_replaced(old, monkeypatch, number):
    """As Windows has it: `os.replace` fails, and a temporary file that is open would stay."""
    replace, unlink, opened = os.replace, os.unlink, Path.open
    handles = []

    def watched(self, *args, **kwargs):
        handles.append(opened(self, *args, **kwargs))
        return handles[-1]

    def is_open(path):
        return any(not one.closed and str(one.name) == str(path) for one in handles)

    def of_windows(call):
        def run(*paths, **options):
            if any(map(is_open, paths)):
                error = PermissionError(errno.EACCES, "Access is denied", str(paths[0]))
                error.winerror = number
                raise error
            return call(*paths, **options)

        return run

    monkeypatch.setattr(Path, "open", watched)
    monkeypatch.setattr(os, "replace", of_windows(replace))
    monkeypatch.setattr(os, "unlink", of_windows(unlink))
    with old.open("rb"), pytest.raises(PermissionError) as caught:
        atomic_write(old, write_new)
    assert str(caught.value) == (
        "[Errno 13] Another program has the file open. Close it there, and write it again: "
        f"{str(old)!r}"
    )
    assert untouched(old)
    assert atomic_write(old, write_new).read_bytes() == b"new content"
    assert names_in(old.parent) == ["old.bin"]


def test_the_content_is_on_the_disk_before_it_takes_the_place(old, monkeypatch):
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *args, name=name, real=real: (calls.append(name), real(*args))
        )
    atomic_write(old, write_new)
    assert calls == ["fsync", "replace"]


@posix_only
def test_a_full_disk(old):
    """The system itself refuses the write half-way."""
    code = (
        "import resource, sys\n"
        "from pdkappa.present.files import atomic_write\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "atomic_write(sys.argv[1], lambda handle: handle.write(bytes(100_000)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(old)], capture_output=True, text=True, check=False
    )
    assert "OSError: [Errno 27] File too large" in run.stderr
    assert untouched(old)


@pytest.mark.parametrize("overwrite", ["no", 1])
def test_a_flag_is_true_or_false(old, overwrite):
    """The text "no" is true in Python, and would replace the file."""
    message = rf"^overwrite={overwrite!r} must be True or False\.$"
    frame = pdkappa.datasets.load_anxiety()
    report = frame.kappa.report()
    path = old.with_suffix(".xlsx")
    path.write_bytes(b"old content")
    for write in (
        lambda: atomic_write(old, write_new, overwrite=overwrite),
        lambda: report.to_excel(path, overwrite=overwrite),
        lambda: report.to_html(old, overwrite=overwrite),
        lambda: frame.kappa.to_excel(path, overwrite=overwrite),
    ):
        with pytest.raises(OptionError, match=message):
            write()
    assert old.read_bytes() == path.read_bytes() == b"old content"
    message = rf"^formulas={overwrite!r} must be True or False\.$"
    for write in (report.to_excel, frame.kappa.to_excel):
        with pytest.raises(OptionError, match=message):
            write(path, formulas=overwrite)
