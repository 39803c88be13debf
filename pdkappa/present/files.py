"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from pdkappa.errors import check_flag

if TYPE_CHECKING:
    from collections.abc import Callable

StrPath: TypeAlias = str | os.PathLike[str]


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
    path: StrPath,
    write: Callable[[BinaryIO], object],
    *,
    overwrite: bool = True,
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
        _fill(temporary, write)
        if old is not None:
            temporary.chmod(stat.S_IMODE(old.st_mode))
        destination(given, overwrite=overwrite)  # may have changed while the content was written
        temporary.replace(final)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(given)  # the name that the caller knows
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()
    return given


def _fill(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Create a file and bring its content safely to the disk."""
    with path.open("xb") as handle:
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
