"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from pdkappa.errors import ExportError, OptionError, check_flag, shown

if TYPE_CHECKING:
    from collections.abc import Callable

StrPath: TypeAlias = str | os.PathLike[str]
Target: TypeAlias = StrPath | IO[bytes] | IO[str]
# Before the umask; while a file is written, as it may replace a private one.
USUAL, PRIVATE = 0o666, 0o600
PAGES, WORKBOOKS = (".html", ".htm"), (".xlsx",)  # ends of names
HELD_OPEN = (5, 32)  # what Windows says of a file that shall be replaced, such as one in Excel


def is_handle(target: Target) -> bool:
    """Tell an open file from the name of one."""
    return hasattr(target, "write")


def takes_text(handle: Any) -> bool:
    """Tell whether text is written to an open file, rather than bytes.

    >>> takes_text(io.StringIO()), takes_text(io.BytesIO())
    (True, False)
    """
    if isinstance(handle, io.IOBase):
        return isinstance(handle, io.TextIOBase)
    mode = getattr(handle, "mode", "b")
    return isinstance(mode, str) and "b" not in mode


def check_target(target: Target, *, overwrite: bool = True, text: bool = True) -> None:
    """Check that something can be written to a file, before any work is done for it.

    Parameters
    ----------
    target : str, path-like or file object
        As in `deliver`.
    overwrite : bool, default True
        Whether an existing file may be replaced; must be True for a file object.
    text : bool, default True
        Whether what is to be written is text.

    Raises
    ------
    OptionError
        If the file object takes text and that is none, or `overwrite` means nothing for it.
    OSError
        As `destination`.
    ExportError
        If the end of the name is that of another kind of file.
    """
    if not is_handle(target):
        name = cast("StrPath", target)
        destination(name, overwrite=overwrite)
        if Path(name).suffix.lower() not in (PAGES if text else WORKBOOKS):
            what = "page must end in '.html' or '.htm'" if text else "workbook must end in '.xlsx'"
            more = "" if text else " For a text file, use the to_csv of a frame."
            raise ExportError(f"The name of a {what}, got {shown(str(target))}.{more}")
        return
    check_flag("overwrite", overwrite)
    if not overwrite:
        raise OptionError(
            "overwrite=False is for the name of a file: a file object is written to where it "
            "stands. Leave it out."
        )
    if takes_text(target) and not text:
        raise OptionError(
            "A workbook is no text, and the file object takes text. Open the file with mode 'wb', "
            "or pass an io.BytesIO."
        )


def deliver(target: Target, content: bytes, *, overwrite: bool = True) -> Path | None:
    """Write content to a file whole or not at all, or to a file object from where it stands.

    Parameters
    ----------
    target : str, path-like or file object
        The name of a file, or an open one. It is left open.
    content : bytes
        UTF-8 if the file object takes text.
    overwrite : bool, default True
        Whether an existing file may be replaced.

    Returns
    -------
    Path or None
        The file written; None for a file object.
    """
    if not is_handle(target):
        path = cast("StrPath", target)
        return atomic_write(path, lambda handle: handle.write(content), overwrite=overwrite)
    handle: Any = target
    handle.write(content.decode() if takes_text(handle) else content)
    return None


def destination(path: StrPath, *, overwrite: bool = True) -> Path:
    """Check that a file may be written, before any work is done for it.

    Parameters
    ----------
    path : str or path-like
        The file. A leading ``~`` is the home folder, as in pandas.
    overwrite : bool, default True
        Whether an existing file may be replaced.

    Returns
    -------
    Path
        The path, with the home folder spelt out.

    Raises
    ------
    OptionError
        If `overwrite` is neither True nor False.
    OSError
        `FileExistsError` if the file exists and `overwrite` is False, `PermissionError` if it is
        write-protected, `IsADirectoryError` if it is a folder, and whatever the file system
        reports of the folder, `FileNotFoundError` if it is missing.
    """
    check_flag("overwrite", overwrite)
    # Unlike Path.expanduser, this one leaves a name alone that belongs to nobody.
    given = Path(os.path.expanduser(os.fsdecode(path)))  # noqa: PTH111
    old = _status(given)
    if old is None:
        given.resolve().parent.stat()
    elif stat.S_ISDIR(old.st_mode):
        raise _os_error(errno.EISDIR, given)
    elif not overwrite:
        raise _os_error(errno.EEXIST, given)
    elif not os.access(given, os.W_OK):
        raise _os_error(errno.EACCES, given)
    return given


def atomic_write(
    path: StrPath, write: Callable[[BinaryIO], object], *, overwrite: bool = True
) -> Path:
    """Write a file whole or not at all.

    The content goes to a temporary file in the same folder, which then takes the place of the
    old file in one step. Whatever fails on the way, an interrupt included, leaves the old file
    as it was and no temporary one behind.

    Parameters
    ----------
    path : str or path-like
        The file. A symbolic link is followed: its target is replaced, not the link. A new file
        gets the usual permissions, a replaced one keeps those of the old.
    write : callable
        Called with a binary handle, to which it writes the content.
    overwrite : bool, default True
        Whether an existing file may be replaced.

    Returns
    -------
    Path
        The path, with the home folder spelt out.

    Raises
    ------
    OSError
        As `destination`, before `write` is called; and whatever the file system reports.
        `PermissionError` on Windows if another program has the old file open.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = atomic_write(f"{folder}/a.txt", lambda handle: handle.write(b"all of it"))
    ...     path.read_bytes()
    b'all of it'
    """
    given = destination(path, overwrite=overwrite)
    old = _status(given)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with given.open("wb") as handle:  # a device or a pipe holds nothing that could be lost
            write(handle)
        return given
    final = given.resolve()
    temporary = final.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        _fill(temporary, write, USUAL if old is None else PRIVATE)
        if old is not None:
            temporary.chmod(stat.S_IMODE(old.st_mode))
        destination(given, overwrite=overwrite)  # may have changed while the content was written
        temporary.replace(final)
    except OSError as error:
        if getattr(error, "winerror", None) in HELD_OPEN:
            what = "Another program has the file open. Close it there, and write it again"
            raise PermissionError(errno.EACCES, what, str(given)) from error
        if error.filename == str(temporary):
            error.filename = str(given)  # the name that the caller knows
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()
    return given


def _fill(path: Path, write: Callable[[BinaryIO], object], mode: int) -> None:
    """Create a file and bring its content safely to the disk."""
    path.touch(mode, exist_ok=False)
    with path.open("wb") as handle:
        write(handle)
        handle.flush()
        os.fsync(handle.fileno())


def _status(path: Path) -> os.stat_result | None:
    """Look at what a path leads to; None if there is nothing."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _os_error(number: int, path: Path) -> OSError:
    """Build the error that the operating system itself would give."""
    return OSError(number, os.strerror(number), str(path))
