"""A ZIP archive of JSON -> the documents in it, by whichever method they are compressed."""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from pdkappa.errors import MissingDependencyError
from pdkappa.sources.text import readable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from zipfile import ZipInfo

ZSTANDARD = 93  # the number of the method, of which `zipfile` knows since Python 3.14
HEADER = 30  # bytes before the name of a member
LENGTHS = slice(26, 30)  # of the name and of what is extra


@dataclass(frozen=True)
class Archive:
    """An open archive.

    Attributes
    ----------
    path : Path
    file : ZipFile
    members : dict
        Its members by name; of one that was written again the last.
    """

    path: Path
    file: ZipFile
    members: dict[str, ZipInfo]

    def document(self, name: str) -> Any:
        """Return the JSON that a member holds."""
        member = self.members[name]
        if member.compress_type == ZSTANDARD:
            return json.loads(self._unpacked(member))
        return json.loads(self.file.read(member))

    def _unpacked(self, member: ZipInfo) -> bytes:
        """Return what a member holds that is compressed by Zstandard."""
        try:
            import pyarrow as pa
        except ImportError as error:
            message = (
                f"Reading {self.path.name!r} needs pyarrow, which is not installed. "
                "Run: pip install 'pdkappa[files]'"
            )
            raise MissingDependencyError(message) from error
        with self.path.open("rb") as file:
            file.seek(member.header_offset)
            file.seek(sum(struct.unpack("<HH", file.read(HEADER)[LENGTHS])), 1)
            packed = file.read(member.compress_size)
        content: bytes = pa.decompress(packed, member.file_size, codec="zstd", asbytes=True)
        if zlib.crc32(content) != member.CRC:
            message = f"Bad CRC-32 for file {member.filename!r}"
            raise BadZipFile(message)
        return content


@contextmanager
def archived(path: Path) -> Iterator[Archive]:
    """Open an archive."""
    with readable(path), ZipFile(path) as file:
        yield Archive(path, file, {member.filename: member for member in file.infolist()})
