"""Exceptions and warnings: what went wrong, with which value and where, and what to do.

Every error derives from `KappaError` and from the builtin that a caller would catch.
"""

from __future__ import annotations

import difflib
import inspect
import os
import unicodedata
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

MOST_SHOWN = 5
LONGEST_SHOWN = 80
BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}")}  # of what holds values


class KappaError(Exception):
    """Base class of every error that pdkappa raises itself."""


class OptionError(KappaError, ValueError):
    """An option has a value that is not one of its choices or not in its range."""


class UnknownOptionError(KappaError, TypeError):
    """A function has no option of that name, got one twice, or lacks one that it needs."""


class RatingsError(KappaError, ValueError):
    """The ratings as a whole cannot be used: too few raters, no alignment, wrong shape."""


class RatingTypeError(KappaError, TypeError):
    """Ratings are of a type that cannot be compared: mixed kinds, complex, unhashable."""


class CategoryError(KappaError, ValueError):
    """The categories or their order are unknown, contradictory or incomplete."""


class WeightsError(KappaError, ValueError):
    """A weight matrix, or the weights of items or groups, cannot be used."""


class DuplicateRatingError(KappaError, ValueError):
    """A rater column, or the rating of an item by a rater, occurs more than once."""


class ColumnNotFoundError(KappaError, KeyError):
    """A named column is not in the frame."""

    def __str__(self) -> str:
        """Show the message as it is; `KeyError` would put it in quotes."""
        return str(self.args[0])


class TooLargeError(KappaError, MemoryError):
    """The computation would need more memory than pdkappa's documented limits."""


class ExportError(KappaError, ValueError):
    """A table does not fit the format of the file it should be written to."""


class MissingDependencyError(KappaError, ImportError):
    """An optional package is needed and not installed."""


@contextmanager
def needed_for(what: str, package: str, extra: str) -> Iterator[None]:
    """Say what needs a package that cannot be imported, and how to install it."""
    try:
        yield
    except ImportError as error:
        raise MissingDependencyError(
            f"{what} needs {package or error.name}, which is not installed. "
            f"Run: pip install {extra}"
        ) from error


class KappaWarning(UserWarning):
    """Base class of every warning that pdkappa gives."""


class UndefinedKappaWarning(KappaWarning):
    """Some statistics are undefined (NaN); the message counts and names them."""


class LookalikeLabelsWarning(KappaWarning):
    """Labels or columns look like a mistake in the data; nothing was changed."""


class LeftOutWarning(KappaWarning):
    """Some annotations, or ratings of a Series, are left out; the message counts them."""


class UnfinishedLogWarning(KappaWarning):
    """A log of an evaluation is unfinished or holds fewer samples than it announces."""


class ColumnsLeftOutWarning(KappaWarning):
    """Columns that cannot be ratings are left out, because no raters were named."""


class UndeclaredCategoriesWarning(KappaWarning):
    """A coefficient depends on the number of categories, of which groups use different ones."""


class CrudeKappaWarning(KappaWarning):
    """Agreement of all items together credits the raters with telling groups apart."""


class BiasedKappaWarning(KappaWarning):
    """Pairs of raters share too few items for a kappa each, of which the mean is biased."""


class FewClustersWarning(KappaWarning):
    """Standard errors come from few clusters, or from clusters of very unequal sizes."""


class MissingGlyphWarning(KappaWarning):
    """No installed font has some characters of a picture, which shows their codes instead."""


class NotConvergedWarning(KappaWarning):
    """An algorithm was stopped before it came to an end; its figures still change."""


def listing(values: Iterable[object]) -> str:
    """Show up to five values, and how many more there are.

    >>> listing("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    known = list(values)
    rest = len(known) - MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(map(shown, known[:MOST_SHOWN])) + more


def listing_at(
    values: Sequence[object], places: Iterable[int], where: Callable[[int], str] | None
) -> str:
    """Show up to five of some values, each with where it stands, and how many more there are."""
    each = [f"{shown(values[one])}{where(one) if where else ''}" for one in map(int, places)]
    rest = len(each) - MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return ("; " if where else ", ").join(each[:MOST_SHOWN]) + more


def reasons(found: Mapping[Any, str]) -> str:
    """Show values, each with what is said of it."""
    return "; ".join(f"{shown(value)} ({why})" for value, why in found.items())


def shown(value: object) -> str:
    """Show one value in one line, cut where it is as long as a whole essay.

    A value of NumPy is said as Python's. Sets are sorted, so that a message is the same in every
    process.

    >>> len(shown("essay" * 1000)), shown({"b", "a", "c"}), shown((np.int64(1), np.str_("x")))
    (80, "{'a', 'b', 'c'}", "(1, 'x')")
    """
    text = " ".join(line.strip() for line in as_python(value).splitlines())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def as_python(value: object) -> str:
    """Write a value as Python does, also one of NumPy and one within a list, tuple, set or dict."""
    if isinstance(value, np.bool | np.number):
        return str(value)
    if isinstance(value, dict):
        return (
            f"{{{', '.join(f'{as_python(key)}: {as_python(one)}' for key, one in value.items())}}}"
        )
    if not isinstance(value, list | tuple | set) or type(value) not in BRACKETS or not value:
        return repr(str(value) if isinstance(value, np.str_) else value)
    start, end = BRACKETS[type(value)]
    parts = [as_python(one) for one in value]
    last = "," if type(value) is tuple and len(parts) == 1 else ""
    return f"{start}{', '.join(sorted(parts) if start == '{' else parts)}{last}{end}"


def listing_pairs(pairs: list[tuple[Any, Any]]) -> str:
    """Show pairs of labels, in ASCII if they would look the same."""
    rest = len(pairs) - MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return "; ".join(" and ".join(_told_apart(*pair)) for pair in pairs[:MOST_SHOWN]) + more


def _told_apart(a: object, b: object) -> tuple[str, str]:
    """Show two labels so that they look different."""
    first, second = shown(a), shown(b)
    same = unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)
    return (ascii(a), ascii(b)) if same else (first, second)


def plural(number: float, one: str, many: str = "") -> str:
    """Choose the word for one thing, or that for several.

    >>> plural(1, "item"), plural(3, "item"), plural(0, "is", "are")
    ('item', 'items', 'are')
    """
    return one if number == 1 else many or f"{one}s"


def did_you_mean(value: object, choices: Iterable[object]) -> str:
    """Return a hint at the choice that is spelled almost alike, if there is one.

    >>> did_you_mean("wold", ["fisher", "wald"])
    " Did you mean 'wald'?"
    """
    names = [choice for choice in choices if isinstance(choice, str)]
    close = difflib.get_close_matches(value, names, n=1) if isinstance(value, str) else []
    return f" Did you mean {shown(close[0])}?" if close else ""


def check_choice(
    option: str, value: object, choices: Iterable[object], synonyms: dict[str, str] | None = None
) -> None:
    """Refuse a value that is none of an option's choices."""
    known = list(choices)
    if not isinstance(value, str | None) or value not in known:
        raise unknown_choice(option, value, known, synonyms)


def check_flag(option: str, value: object) -> None:
    """Refuse what is neither True nor False: ``"no"`` would count as True."""
    if not isinstance(value, bool | np.bool):
        raise OptionError(f"{option}={shown(value)} must be True or False.")


def unknown_choice(
    option: str, value: object, choices: Iterable[object], synonyms: dict[str, str] | None = None
) -> OptionError:
    """Build the error for a value that is none of an option's choices.

    >>> print(unknown_choice("ci", "wold", ["fisher", "wald"]))
    ci='wold' is not known. Did you mean 'wald'? Choose one of: 'fisher', 'wald'.
    """
    known = list(choices)
    if isinstance(value, str) and synonyms and value.lower() in synonyms:
        ours = synonyms[value.lower()]
        return OptionError(
            f"{option}={shown(value)} is not known here; it is called {ours} in pdkappa."
        )
    hint = did_you_mean(value, known)
    return OptionError(
        f"{option}={shown(value)} is not known.{hint} Choose one of: {', '.join(map(repr, known))}."
    )


HEARING: ContextVar[Any] = ContextVar("HEARING", default=None)  # what a call remembers
SPEAKING: ContextVar[Callable[[str], str]] = ContextVar("SPEAKING", default=str)  # the user's words


def check_text(labels: Iterable[object], where: str) -> None:
    """Refuse half of a surrogate pair, of which pandas 2 makes two labels and pandas 3 no text."""
    labels = getattr(labels, "categories", labels)
    dtype = getattr(labels, "dtype", np.dtype("O"))
    if dtype != np.dtype("O") and getattr(dtype, "storage", "") != "python":
        return  # numbers, or text of Arrow
    texts = [label for label in labels if isinstance(label, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        wrong = next(text for text in texts if text != text.encode(errors="ignore").decode())
        raise no_text(wrong, where) from error


def no_text(text: object, where: str) -> RatingTypeError:
    """Build the error for text with half of a surrogate pair, which no file can hold."""
    return RatingTypeError(
        f"{where}: the text {shown(text)} is not valid Unicode. Replace the characters from "
        "\\ud800 to \\udfff in it."
    )


def warn(message: str, category: type[KappaWarning]) -> None:
    """Warn once in a call, at the line of the code that called pdkappa; the result remembers it."""
    heard, message = HEARING.get(), SPEAKING.get()(message)
    if heard is not None:
        if message in heard.remarks:
            return
        heard.hear([message], [message] if category is CrudeKappaWarning else [])
    package = f"{Path(__file__).parent}{os.sep}"
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


__all__ = [
    name
    for name, one in globals().items()
    if inspect.isclass(one) and issubclass(one, KappaError | KappaWarning)
]


def __dir__() -> list[str]:
    """List the errors and warnings."""
    return __all__
