"""Bytes of a file, unpacked; what is larger than it should be is refused before it is read whole.

A small file may unpack to more than memory holds, and a line, or a field in quotes, that does not
end is read whole by every parser.
"""

from __future__ import annotations

import gzip
import os
import re
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedIOBase
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile

from pdkappa.errors import OptionError, TooLargeError, needed_for, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from zipfile import ZipFile, ZipInfo

MOST_BYTES = 256 << 20
MOST_TIMES = 200  # the packed size
MOST_OF_LINE = 16 << 20
MOST_OF_HEADER = 2 << 20
PIECE = 1 << 18
VARIABLE = "PDKAPPA_MOST_BYTES"
CLOSING = re.compile(rb'(?:[^"]+|"")*+"')


def most(usual: int) -> int:
    """Return a limit, which a variable of the environment may raise."""
    given = os.environ.get(VARIABLE, "0")
    if not given.isdecimal():
        raise OptionError(
            f"{VARIABLE}={shown(given)} must be a whole number of bytes, such as 1000000000."
        )
    return max(usual, int(given))


def check_size(path: Path, what: str, size: int, usual: int) -> None:
    """Refuse something of a file that is larger than it should be."""
    if size > usual and size > (limit := most(usual)):
        raise TooLargeError(
            f"{shown(path.name)} {what} more than {limit} bytes, the limit. If it is right so, set "
            f"{VARIABLE} in the environment to a larger number."
        )


def check_members(path: Path, file: ZipFile) -> None:
    """Refuse an archive whose members together are too large, by the sizes that it lists."""
    size = sum(member.file_size for member in file.infolist())
    check_size(path, "unpacks to", size, usual_of(path))


def usual_of(path: Path) -> int:
    """Return how many bytes a file may unpack to."""
    return max(MOST_BYTES, MOST_TIMES * path.stat().st_size)


class Unpacked(BufferedIOBase):
    """What a file holds, counted as it is read.

    Attributes
    ----------
    path : Path
        The file, for messages.
    packed : file object
        What is read.
    fields : str or None
        What stands between the fields of a table, whose first line is a header; None for a
        document, of which only lines that are asked for are held to the limit of a line.
    """

    def __init__(self, path: Path, packed: IO[bytes], fields: str | None = None) -> None:
        """Start before the first byte."""
        self.path, self.packed = path, packed
        self.file: Any = gzip.GzipFile(fileobj=packed) if path.suffix.lower() == ".gz" else packed
        self.usual, self.n_bytes = usual_of(path), 0
        self.n_pending, self.n_ends, self.is_open, self.last = 0, 0, False, b"\n"
        self.outside = None
        if fields is not None:
            start = rb"[" + re.escape(fields.encode()) + rb"\r\n]"
            field = rb'(?<=%b)"(?:[^"]+|"")*+"' % start
            self.outside = re.compile(rb'(?:[^"]+|%b|(?<!%b)")*+' % (field, start))

    @cached_property
    def most_of_line(self) -> int:
        """How many bytes a line may have; the environment is asked once, and not for each line."""
        return most(MOST_OF_LINE)

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, all of them by default."""
        if size is not None and size >= 0:
            return self.read1(size)
        return b"".join(iter(self.read1, b""))

    def read1(self, size: int = -1) -> bytes:
        """Return some of the next bytes."""
        piece: bytes = self.file.read(PIECE if size < 0 else min(size, PIECE))
        self._count(piece)
        if self.outside is not None:
            self._measure(piece, self.outside)
        return piece

    def readline(self, size: int | None = -1) -> bytes:  # noqa: ARG002
        """Return the next line."""
        line: bytes = self.file.readline(self.most_of_line + 1)
        check_size(self.path, "has a line of", len(line), MOST_OF_LINE)
        self._count(line)
        return line

    def _count(self, piece: bytes) -> None:
        """Count bytes."""
        self.n_bytes += len(piece)
        check_size(self.path, "unpacks to", self.n_bytes, self.usual)

    def _measure(self, piece: bytes, outside: re.Pattern[bytes]) -> None:
        """Measure how long the line is, or the field in quotes, by the end of a piece."""
        text, at, end = self.last + piece, 1, len(piece) + 1
        if self.is_open:
            closing = CLOSING.match(text, 1)
            at = end if closing is None else closing.end()
            self.is_open = closing is None
        if not self.is_open and text.find(b'"', at) >= 0:
            end = outside.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing, too
            self.is_open = end < len(text)
        stop = max(text.rfind(b"\n", at, end), text.rfind(b"\r", at, end))
        self.n_pending = self.n_pending + len(piece) if stop < 0 else len(text) - stop - 1
        self.n_ends += stop >= 0
        self.last = text[-1:]
        if self.n_ends:
            what = "has a field in quotes of" if self.is_open else "has a line of"
            check_size(self.path, what, self.n_pending, MOST_OF_LINE)
        else:
            check_size(
                self.path,
                "has a first row, which names the columns, of",
                self.n_pending,
                MOST_OF_HEADER,
            )


@contextmanager
def opened(path: Path, fields: str | None = None) -> Iterator[Unpacked]:
    """Open a file of text, compressed or not."""
    with path.open("rb") as file:
        yield Unpacked(path, file, fields)


ZSTANDARD = 93  # the number of the method, of which `zipfile` knows since Python 3.14
HEADER = 30  # bytes before the name of a member
LENGTHS = slice(26, 30)  # of the name and of what is extra


@dataclass(frozen=True)
class Archive:
    """An open archive."""

    path: Path
    file: ZipFile
    members: dict[str, ZipInfo]  # its members by name; of one that was written again the last

    def content(self, name: str) -> bytes:
        """Return what a member holds."""
        member = self.members[name]
        is_known = member.compress_type != ZSTANDARD
        return self.file.read(member) if is_known else self._unpacked(member)

    def _unpacked(self, member: ZipInfo) -> bytes:
        """Return what a member holds that is compressed by Zstandard."""
        with needed_for(f"Reading {shown(self.path.name)}", "pyarrow", "'pdkappa[files]'"):
            import pyarrow as pa
        with self.path.open("rb") as file:
            file.seek(max(member.header_offset, 0))  # of a damaged archive
            file.seek(sum(struct.unpack("<HH", file.read(HEADER)[LENGTHS])), 1)
            packed = file.read(member.compress_size)
        content: bytes = pa.decompress(packed, member.file_size, codec="zstd", asbytes=True)
        if zlib.crc32(content) != member.CRC:
            raise BadZipFile(f"Bad CRC-32 for file {shown(member.filename)}")
        return content
