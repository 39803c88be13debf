"""Pieces of files that are read in turn -> frames of enough rows, however small the files are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.ratings.columns import is_plain
from pdkappa.sources.formats import UNKNOWN, format_of
from pdkappa.sources.text import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pandas as pd

    from pdkappa._typing import Label
    from pdkappa.sources.formats import Format, Wanted


class Piece(NamedTuple):
    """Rows as a format reads them, frames or tables of pyarrow."""

    rows: Any
    form: Format
    path: Path

    def is_like(self, other: Piece) -> bool:
        """Whether this piece and another one may become one frame."""
        return self.form == other.form and self.form.are_alike(self.rows, other.rows)


def framed(pieces: list[Piece]) -> pd.DataFrame:
    """Make one frame of pieces that are alike."""
    form = pieces[0].form
    try:
        return form.frame([piece.rows for piece in pieces])
    except Exception:
        for piece in pieces:  # the file that is broken is named
            with readable(piece.path):
                form.frame([piece.rows])
        raise


@dataclass
class Waiting:
    """Pieces that are alike, until they are enough rows: small files cost no more than large."""

    most: int
    pieces: list[Piece] = field(default_factory=list)
    n_rows: int = 0

    def batches(self, pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
        """Take more pieces; return those that were enough, or unlike the next one."""
        for piece in pieces:
            if self.pieces and not piece.is_like(self.pieces[-1]):
                yield self.taken()
            self.pieces.append(piece)
            self.n_rows += len(piece.rows)
            if self.n_rows >= self.most:
                yield self.taken()

    def taken(self) -> list[Piece]:
        """Give up what waits."""
        result, self.pieces, self.n_rows = self.pieces, [], 0
        return result


class Masked:
    """Which columns are masked arrays in a file of no row, which files of one schema share."""

    def __init__(self) -> None:
        """Start without a file."""
        self.last: Piece | None = None
        self.names: set[Label] = set()

    def of(self, empty: Piece) -> set[Label]:
        """Look at a piece without rows, unless the last one was alike."""
        if self.last is None or not empty.is_like(self.last):
            frame = framed([empty])
            self.names = {name for name in frame if not is_plain(frame[name])}
        self.last = empty
        return self.names


class Reading:
    """One file as it is read: what its columns turn out to be."""

    def __init__(self, path: Path, wanted: Wanted, of_empty: Masked) -> None:
        """Keep what is to be read."""
        self.path, self.wanted, self.of_empty = path, wanted, of_empty
        self.kinds: dict[Label, str] = {}
        self.mixed: set[Label] = set()
        self.masked: set[Label] = set()

    def pieces(self, tell: Callable[[float], object]) -> Iterator[Piece]:
        """Read the file until its end, or until a column is numbers and text."""
        form = format_of(self.path)
        for rows, share in form.read(self.path, self.wanted):
            piece = Piece(rows, form, self.path)
            if not len(rows):
                self.masked |= self.of_empty.of(piece)
            for name, kind in form.kinds_of(rows).items():
                if self.kinds.get(name, UNKNOWN) not in (kind, UNKNOWN):
                    self.mixed.add(name)
                self.kinds[name] = kind
            if self.mixed:
                return
            yield piece
            tell(share)
