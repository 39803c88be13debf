"""What the user passes as `progress` -> a function that reports progress, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.errors import MissingDependencyError, OptionError, shown

if TYPE_CHECKING:
    from collections.abc import Callable


def progress_of(progress: object, unit: str = "resample") -> Callable[[int, int], object] | None:
    """Return what is told how many of how many units are done.

    True draws a bar with tqdm.
    """
    if callable(progress):
        return progress
    if progress is False:
        return None
    if progress is not True:
        message = (
            f"progress must be True, False or a function of (done, total), got {shown(progress)}."
        )
        raise OptionError(message)
    try:
        from tqdm import tqdm
    except ImportError as error:
        message = (
            "progress=True needs tqdm, which is not installed. Run: pip install 'pdkappa[progress]'"
        )
        raise MissingDependencyError(message) from error
    bar = tqdm(unit=unit)

    def report(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return report
