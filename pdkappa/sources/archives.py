"""A ZIP archive of JSON -> the documents in it, by whichever method they are compressed."""

from __future__ import annotations

import json
import struct
import zlib
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


def documents(path: Path, folder: str) -> Iterator[tuple[str, Any]]:
    """Return the documents in a folder of an archive, with their names."""
    with readable(path), ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename.startswith(f"{folder}/") and member.filename.endswith(".json"):
                yield member.filename, json.loads(_content(path, archive, member))


def _content(path: Path, archive: ZipFile, member: ZipInfo) -> bytes:
    """Return what a member holds."""
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    try:
        import pyarrow as pa
    except ImportError as error:
        message = (
            f"Reading {path.name!r} needs pyarrow, which is not installed. "
            "Run: pip install 'pdkappa[files]'"
        )
        raise MissingDependencyError(message) from error
    with path.open("rb") as file:
        file.seek(member.header_offset)
        file.seek(sum(struct.unpack("<HH", file.read(HEADER)[LENGTHS])), 1)
        packed = file.read(member.compress_size)
    content: bytes = pa.decompress(packed, member.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(content) != member.CRC:
        message = f"Bad CRC-32 for file {member.filename!r}"
        raise BadZipFile(message)
    return content
