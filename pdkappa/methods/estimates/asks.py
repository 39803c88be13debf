"""What a call asks: each option declared once, and a method made of those that it has."""

from __future__ import annotations

import copy
import functools
import inspect
import re
import textwrap
from dataclasses import dataclass, replace
from itertools import chain
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    overload,
)

from pdkappa.coefficients.resampling import QUANTILES, RESAMPLED
from pdkappa.errors import (
    OptionError,
    UnknownOptionError,
    check_choice,
    did_you_mean,
    listing,
    shown,
)
from pdkappa.methods.estimates.options import IntervalOptions, check_by, check_label
from pdkappa.methods.estimates.told import hearing, kept, told
from pdkappa.present.labels import as_json
from pdkappa.present.text_markup import as_code, as_options, in_plain_text
from pdkappa.present.text_tables import say
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Concatenate

    from pdkappa.present.findings import Findings

P = ParamSpec("P")
A = TypeVar("A", bound="Asked")
D = TypeVar("D")
R = TypeVar("R")
A_co = TypeVar("A_co", bound="Asked", covariant=True)
INDENT = " " * 4
WIDTH = 96
COLUMN = "column label"  # the kind of an option that names one
DATA = """\
data : DataFrame, shape (N, ...)
    One row for each item, one column for each rater. Never changed."""
FULL = ("pairs", "df.kappa")  # which say all there is to say of their options
UNKNOWN = "If an option is not known, or cannot have its value. See `pdkappa.errors`."
UNREADABLE = UNKNOWN.replace("value.", "value, or the data cannot be read.")
UNDEFINED = "Once, if some figure is NaN."
CITED = re.compile(r"^(\.\. \[\d+\] )(.+)$", re.MULTILINE)
FIRST = ("", "Parameters", "Returns", "Raises", "Warns")
HEADING = re.compile(
    r"^(Parameters|Returns|Raises|Warns|See Also|Notes|References|Examples)\n-+\n", re.MULTILINE
)


class Required:
    """Where an option has no default."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option: its name, type and default, and what is known of it beside."""

    words: str
    kind: str
    choices: tuple[Any, ...]
    default: Any
    kw_only: bool
    check: Callable[[str, Any], object] | None = None
    synonyms: dict[str, str] | None = None
    also: str = ""
    more: str = ""
    name: str = ""
    annotation: Any = None
    held: bool = False
    told_by: str = FULL[0]

    def __set_name__(self, owner: type[Asked], name: str) -> None:
        """Be called and typed as the class of options has it."""
        vars(self).update(name=name, annotation=inspect.get_annotations(owner)[name])

    def hold(self, value: Any) -> None:
        """Refuse a value that the option cannot have."""
        if self.choices and not self.kind:
            check_choice(self.name, value, self.choices, self.synonyms)
        if self.check is not None:
            self.check(self.name, value)

    def entry(self, method: str, also: str) -> str:
        """Describe the option as *Parameters* do."""
        named = ", ".join('"' + x + '"' if isinstance(x, str) else str(x) for x in self.choices)
        kind = " or ".join(filter(None, (f"{{{named}}}" if self.choices else "", self.kind)))
        if self.default is None and not self.choices:
            kind += ", optional"
        elif self.default is not Required and self.default is not None:
            kind += f", default {_quoted(self.default)}"
        more = "" if not self.more else self.more if method in FULL else f"See `{self.told_by}`."
        text = " ".join(filter(None, (self.words, self.also, also, more)))
        return f"{self.name} : {kind}\n{_filled(text)}"


def _filled(text: str, start: str = INDENT, indent: str = INDENT) -> str:
    """Break a text into indented lines, as `textwrap.fill` does in many times the time.

    >>> print(_filled("How much " * 14))
        How much How much How much How much How much How much How much How much How much How much
        How much How much How much How much
    """
    lines, line, gap = list[str](), start, ""
    for word in text.split():
        if len(line) + len(word) >= len(INDENT) + WIDTH:
            lines.append(line)
            line, gap = indent, ""
        line, gap = f"{line}{gap}{word}", " "
    return "\n".join([*lines, line])


def _sections(doc: str) -> dict[str, str]:
    r"""Take a docstring apart, into what its headings stand above; "" stands above the rest.

    >>> _sections("See.\n\nReturns\n-------\nint\n")
    {'': 'See.', 'Returns': 'int'}
    """
    parts = ["", *HEADING.split(doc)]
    return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _in_full(cited: re.Match[str]) -> str:
    """Write out a reference, of which docstrings name author and year."""
    return _filled(in_plain_text(cited[2]), cited[1], " " * len(cited[1]))


def _is_one_of(value: object, choices: tuple[Any, ...]) -> bool:
    """Whether a text is a choice; arrays would be compared element by element."""
    return isinstance(value, str) and value in choices


def _quoted(value: object) -> str:
    """Write a default as the docstrings do, with double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def option(
    words: str,
    kind: str = "",
    *,
    choices: Any = None,
    default: Any = Required,
    kw_only: bool = True,
    **known: Any,
) -> Any:
    """Declare an option, as the one field of a class.

    Parameters
    ----------
    words : str
        What it means, in every docstring of a method that has it.
    kind : str, optional
        Its type in words, or what it can be beside its `choices`.
    choices : Literal, optional
        All values that it can have, unless it has a `kind`; None is one more where it is the
        default.
    default : object, optional
        Without one, it has to be passed.
    kw_only : bool, default True
        Whether it is passed by name alone.
    **known
        `check`: a callable that gets the name and the value, and raises an error of ours.
        `synonyms`: a dict of what those choose who know another word; see `check_choice`.
        `also`: what is said beside, and otherwise where the option is taken `anew`.
        `more`: what the docstring of `pairs` says beside; the others refer to it.
    """
    values = _all_of(choices, default)
    return Option(words=words, kind=kind, choices=values, default=default, kw_only=kw_only, **known)


def column(words: str, **known: Any) -> Any:
    """Declare an option that names a column; see `option`."""
    return option(words, COLUMN, check=check_label, **known)


def _all_of(choices: Any, default: object) -> tuple[Any, ...]:
    """List the values of one Literal, or of several; None is one more where it is the default."""
    every = [get_args(one) or (one,) for one in get_args(choices)]
    known = tuple(dict.fromkeys(chain.from_iterable(every)))
    return (None, *known) if known and default is None else known


def anew(
    record: type[Asked],
    name: str,
    *,
    default: Any = Required,
    choices: Any = None,
    kw_only: bool = True,
    **other: Any,
) -> Any:
    """Take an option of another class, as another method has it; its words stand there.

    Parameters
    ----------
    record : type
        The class that has it.
    name : str
        The option.
    default, choices, kw_only : optional
        As of `option`: the default of this method, and what it allows.
    **other : object
        Another `kind`, `check`, `synonyms`, `also` or `more`.
    """
    one = record.known[name]
    if choices is not None:
        other = {"kind": "", "choices": _all_of(choices, default)} | other
    return replace(one, default=default, kw_only=kw_only, held=False, **other)


def held(words: str, kind: str = "", *, init: Literal[False] = False, **known: Any) -> Any:
    """Declare an option that ``df.kappa(...)`` holds, and that no call takes beside.

    Parameters
    ----------
    words, kind, **known
        As of `option`.
    init : False
        It tells type checkers that a call does not take it.
    """
    return replace(option(words, kind, **known), held=not init, told_by=FULL[1])


def held_anew(record: type[Asked], name: str, *, init: Literal[False] = False, **other: Any) -> Any:
    """Take an option anew that ``df.kappa(...)`` holds; see `anew` and `held`."""
    return replace(anew(record, name, **other), held=not init)


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(option, column, anew, held, held_anew),
)
class Asked:
    """The options of a call, checked: the fields of the classes that a method's own is made of."""

    known: ClassVar[dict[str, Option]] = {}  # as the classes list them
    options: ClassVar[tuple[Option, ...]] = ()  # as they are passed
    named: ClassVar[set[str]] = set()  # of a call: what was passed, be it the default
    figure = ""  # what is estimated, as a sentence names it, where there is no coefficient
    became: ClassVar[dict[str, Any]] = {}
    called: ClassVar[str] = ""  # the method that has these options
    beyond: ClassVar[dict[str, str]] = {}  # what to write instead of options that it has not
    raises: ClassVar[dict[str, str]] = {}  # errors of methods with such options, and when
    warns: ClassVar[dict[str, str]] = {}  # the same of warnings

    def __init_subclass__(cls) -> None:
        """Gather the options, in the order in which the classes list them."""
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Option)}
        above: list[Any] = [*cls.__bases__, *reversed(cls.__mro__[1:-1])]  # places, then options
        cls.known = {name: one for base in above for name, one in base.known.items()} | own
        cls.options = tuple(sorted(cls.known.values(), key=_place))
        for name in own:
            delattr(cls, name)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keep what is passed, and the defaults of what is not."""
        first = [one.name for one in self.options if not one.kw_only]
        passed = dict(zip(first, args, strict=False)) | kwargs
        if len(passed) < len(args) + len(kwargs):
            message = f"{self.called} got an option twice, by its place and by its name."
            raise UnknownOptionError(message)
        missing = [x for x in self.options if x.default is Required and x.name not in passed]
        if missing:
            names = " and ".join(one.name for one in missing)
            told = "; ".join(f"{x.name}=..., {x.words[0].lower()}{x.words[1:-1]}" for x in missing)
            raise UnknownOptionError(f"{self.called} needs {names}. Pass {told}.")
        vars(self).update({one.name: one.default for one in self.options} | passed)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Hold each option to what is said of it."""
        for one in self.options:
            value = getattr(self, one.name)
            if value is not one.default:
                one.hold(value)

    @property
    def given(self) -> dict[str, Any]:
        """The options that are not what they are by default."""
        return {one.name: getattr(self, one.name) for one in self.options if self._has_given(one)}

    def _has_given(self, one: Option) -> bool:
        """Whether an option is not what it is by default."""
        value, usual = getattr(self, one.name), one.default
        return not (value is usual or (type(value) is type(usual) and value == usual))

    @property
    def named_columns(self) -> dict[str, Any]:
        """The columns that options name by one label each, by the options; None is a label, too."""
        some = [one for one in self.options if one.kind == COLUMN]
        named = {one.name: (getattr(self, one.name), one.default) for one in some}
        return {name: label for name, (label, usual) in named.items() if label is not usual}

    @property
    def is_quadratic_unasked(self) -> bool:
        """Whether the weights are quadratic because nobody said what they are."""
        one = self.known.get("weights")
        usual = one is not None and one.default == "quadratic"
        return usual and "weights" not in {*self.given, *self.named}

    @property
    def other_limits(self) -> tuple[str, str]:
        """Where limits of other figures come from, in short and as a sentence."""
        return "", ""

    @property
    def reading(self) -> Reading:
        """How the ratings are to be read."""
        return Reading(**_those_of(self, Reading))

    @property
    def interval(self) -> IntervalOptions:
        """How limits and tests are to be computed."""
        self.refuse_draws()
        known = _those_of(self, IntervalOptions)
        if known.get("null", 0.0) is None:  # nothing is tested
            del known["null"]
        return IntervalOptions(**known)

    def refuse_draws(self) -> None:
        """Refuse what is about resamples where none are drawn."""
        if not hasattr(self, "ci"):
            return
        ci = self.ci
        drawn = ci in QUANTILES
        because, instead = f"ci={shown(ci)} draws no resamples", "Pass ci='bca' or ci='percentile'"
        named = () if drawn else ("n_resamples", "rng", "progress")[: 2 if ci in RESAMPLED else 3]
        self.refuse(*named, because=because, instead=instead)

    def but(self, **other: Any) -> Self:
        """Ask the same with other values of some options."""
        found = copy.copy(self)
        vars(found).update(other)
        return found

    def found_in(self, made: Any) -> Findings | None:  # noqa: ARG002
        """Say what was found in a result; None where its table says all there is to say."""
        return None

    def check_by(self, made: Any) -> None:
        """Refuse groups that have the name of a column of the result, or of what names its rows."""
        by: Any = getattr(self, "by", None)
        if by is not None and hasattr(made, "columns"):
            names = [*made.index.names, *made.columns]
            given = by if isinstance(by, list) else [by]
            check_by(by, {name for name in given if names.count(name) > 1})

    def tell(self, **became: Any) -> None:
        """Note what an option became, for `resolved`."""
        vars(self)["became"] = self.became | became

    def refuse(self, *names: str, because: str, instead: str) -> None:
        """Refuse options that would change nothing; `instead` says what to pass."""
        for name in names:
            if name in self.known and self._has_given(self.known[name]):
                raise OptionError(f"{name}= has no effect: {because}. {instead}, or leave it out.")

    def resolved(self, **became: Any) -> dict[str, Any]:
        """Return all options as JSON has them, with what some of them became."""
        found = {one.name: getattr(self, one.name) for one in self.options}
        return {name: as_json(value) for name, value in (found | self.became | became).items()}


def _place(one: Option) -> tuple[bool, bool]:
    """Tell where an option stands: by place before by name, and there what has to be passed."""
    return one.kw_only, not one.kw_only and one.default is not Required


def _those_of(asked: Asked, record: Any) -> dict[str, Any]:
    """Return the options that a record has, too."""
    known = {name: getattr(asked, name, Required) for name in record.__match_args__}
    return {name: value for name, value in known.items() if value is not Required}


class Asks(Protocol[P, A_co]):
    """Make a method of a function of the data and a record, or of a record alone."""

    @overload
    def __call__(self, function: Callable[[A_co], R]) -> Callable[P, R]: ...
    @overload
    def __call__(self, function: Callable[[D, A_co], R]) -> Callable[Concatenate[D, P], R]: ...


def asks(record: Callable[P, A], /, **also: str) -> Asks[P, A]:
    """Let a function be called with the options of a record, and hand it the record.

    The signature, the *Parameters* of the docstring and the checks are those of the options.

    Parameters
    ----------
    record : type
        A class of options.
    **also : str
        What the docstring says beside of an option, by its name.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        call = Call(function, record, also)  # type: ignore[arg-type]

        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            data, options = call.split(args, kwargs)
            return call.made(data, call.ask(*options, **kwargs))

        asked.__signature__ = call.signature()  # type: ignore[attr-defined]
        asked.__annotations__ = {"return": function.__annotations__.get("return")} | {
            name: one.annotation for name, one in call.signature().parameters.items()
        }
        asked.__doc__ = call.docstring()
        vars(asked)["call"] = call
        return asked

    return decorate


class Call:
    """A function, its record of options, and what its docstring says beside of some of them."""

    def __init__(
        self, function: Callable[..., Any], record: type[Asked], also: dict[str, str]
    ) -> None:
        """Find the options; refuse words about what is none."""
        self.function, self.record, self.also = function, record, also
        self.name = function.__name__.replace("__call__", "df.kappa").removesuffix("_by")
        *self.data, _ = inspect.signature(function).parameters.values()
        self.is_picture = [one.name for one in self.data] == ["self"]
        self.held = {one.name: one for one in record.options if one.held}
        kept = [one for one in record.options if not (one.held and self.is_picture)]
        self.names = {one.name: None for one in kept}  # which the function is handed
        if not also.keys() <= self.names.keys():
            raise TypeError(f"{self.name} has no option {sorted(also.keys() - self.names.keys())}.")
        record.called = self.name

    def split(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Tell the data from the options; they may have been passed by name."""
        if self.data and not args:
            name = self.data[0].name
            if name not in kwargs:
                self.refuse_unknown(kwargs)
                raise TypeError(
                    f"{self.name}() missing 1 required positional argument: {shown(name)}"
                )
            return (kwargs.pop(name),), ()
        return args[: len(self.data)], args[len(self.data) :]

    def ask(self, *args: Any, **kwargs: Any) -> Asked:
        """Make the record; an option that is not there is refused first."""
        if self.is_picture:
            self.refuse_held(args, kwargs, "plot.")
        self.refuse_unknown(kwargs)
        self.refuse_unnamed(args)
        asked = self.record(*args, **kwargs)
        vars(asked)["named"] = {*tuple(self.names)[: len(args)], *kwargs}
        return asked

    def made(self, data: tuple[Any, ...], asked: Asked) -> Any:
        """Call the function, and let its result say what it is."""
        with hearing(text for one in data[:1] for text in kept(one)) as heard:
            found = self.function(*data, asked)
            asked.check_by(found)
        words = asked, heard, self.name, self.sources, found
        say(found, lambda limits: told(*words, limits=limits))
        return found

    @functools.cached_property
    def sources(self) -> tuple[str, ...]:
        """Those whom the docstring cites, unless the options cite them themselves."""
        if "coefficient" in self.names:
            return ()
        said = _sections(inspect.getdoc(self.function) or "")
        return tuple(key for _, key in CITED.findall(said.get("References", "")))

    def refuse_held(self, args: tuple[Any, ...], passed: dict[str, Any], place: str = "") -> None:
        """Refuse an option that only a study has; `place` is the namespace of the method."""
        of_study = {name: value for name, value in passed.items() if name in self.held}
        if of_study:
            called = f"{place}{self.name}"
            own = {name: value for name, value in passed.items() if name not in of_study}
            options = ", ".join(filter(None, (", ".join(map(as_code, args)), as_options(own))))
            raise OptionError(
                f"{called} takes {next(iter(of_study))}= from its study alone. "
                f"Write df.kappa({as_options(of_study)}).{called}({options})."
            )

    def refuse_unknown(self, kwargs: Iterable[str]) -> None:
        """Refuse an option that the function does not have."""
        for name in kwargs:
            if name not in self.names:
                instead = self.record.beyond.get(name)
                hint = f" {instead}" if instead else did_you_mean(name, self.names)
                hint = hint or f" It has: {', '.join(self.names)}."
                raise UnknownOptionError(f"{self.name} has no option {shown(name)}.{hint}")

    def refuse_unnamed(self, args: tuple[Any, ...]) -> None:
        """Refuse options beyond those that may be passed without their names."""
        first = [one.name for one in self.record.options if not one.kw_only]
        if first == ["raters"] and len(args) > 1 and isinstance(args[0], str):
            raise UnknownOptionError(
                f"{self.name} takes raters as one list. Write {self.name}([{listing(args)}])."
            )
        for value in args[len(first) :]:
            known = {one.name: one.choices for one in self.record.options}
            usual = next((name for name in known if name not in first), "...")
            name = next(
                (name for name, all_of in known.items() if _is_one_of(value, all_of)), usual
            )
            beside = f" but {', '.join(first)}" if first else ""
            raise UnknownOptionError(
                f"{self.name} takes all options{beside} by name. "
                f"Write {self.name}({', '.join([*first, f'{name}={shown(value)}'])})."
            )

    def signature(self, *, every: bool = False) -> inspect.Signature:
        """Return the signature that callers see; with `every` what the function is handed."""
        options = [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY
                if one.kw_only
                else inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if one.default is Required else one.default,
                annotation=one.annotation,
            )
            for one in self.record.options
            if every or not one.held
        ]
        own = inspect.signature(self.function)
        return own.replace(parameters=[*self.data, *options])

    def _of_study(self) -> str:
        """Name the options that only a study has, and what is said of them beside."""
        names = ", ".join(f"`{name}`" for name in self.held)
        said = [self.also[name] for name in self.held if name in self.also]
        text = f"``df.kappa(...)`` takes its further options: {names}."
        return textwrap.fill(" ".join([text, *said]), WIDTH)

    def _every(self, returned: str) -> dict[str, dict[str, str]]:
        """Tell what such methods raise, and that they warn of NaN, of which there are reasons."""
        reads = "ax" in self.names or [one.name for one in self.data] == ["data"]
        warned = {"UndefinedKappaWarning": UNDEFINED} if self.data and "reason" in returned else {}
        return {
            "Raises": self.record.raises | {"KappaError": UNREADABLE if reads else UNKNOWN},
            "Warns": warned | self.record.warns,
        }

    def docstring(self, data: str = DATA) -> str:
        """Return the docstring, with the options as its *Parameters*, and what all methods say."""
        said = _sections(inspect.getdoc(self.function) or "")
        of_frame = [one for one in self.data if one.name != "self"]
        passed = [one for one in self.record.options if not one.held]
        every = [data] if data and of_frame else []
        every += [one.entry(self.name, self.also.get(one.name, "")) for one in passed]
        said |= {"": "\n\n".join([said[""], *([self._of_study()] if self.held else [])])}
        said |= {"Parameters": "\n".join(every)}
        said |= {"References": CITED.sub(_in_full, said.get("References", ""))}
        for heading, entries in self._every(said.get("Returns", "")).items():
            own = said.get(heading, "").split("\n")
            more = [f"{one}\n{_filled(text)}" for one, text in entries.items() if one not in own]
            said[heading] = "\n".join([*own, *more]).strip()
        order = dict.fromkeys([*FIRST, *said])
        parts = [(name, said[name]) for name in order if said.get(name)]
        headed = [f"{name}\n{'-' * len(name)}\n{text}" if name else text for name, text in parts]
        return "\n\n".join(headed) + "\n"
