"""The pages of the API reference, from the public names of the package and their docstrings.

Nothing is listed by hand but what is made or imported only when it is asked for: every method of
``df.kappa``, what is in ``pdkappa.__all__`` and its modules, and the classes that properties lead
to, has a page.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from textwrap import indent
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpydoc.docscrape_sphinx import SphinxDocString

import pdkappa
import pdkappa.dask  # which nothing else imports, and so with the next
import pdkappa.polars
from pdkappa.accessor import NAMESPACES, KappaMethods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

IN_BACKTICKS = re.compile(r"(?<![`:\w])`(?P<name>[A-Za-z_][\w.]*)`(?![`\w])")
SEE_ALSO = re.compile(r"(?<!:py):obj:`(?P<name>[\w.]+)`")
CITED = re.compile(r"\[(\d+)\](?=_|\s)")
ALONE = re.compile(r"(?<=^    )(?P<name>[A-Z]\w+)$", re.MULTILINE)
ON_REQUEST = {"KappaCuts", "dask", "polars"}
ERRORS = "Errors and warnings"
OPENED = ("errors", "plan", "results", "tools")  # modules of which each name has a page
GROUPED = "df.groupby(...).kappa"
ACCESSORS = {
    "df.kappa": pd.DataFrame.kappa,
    GROUPED: pd.api.typing.DataFrameGroupBy.kappa,
    "s.kappa": pd.Series.kappa,
}


def pages() -> dict[str, str]:
    """Return the text of every page by its file name; errors and warnings share one."""
    found = {
        f"{name}.rst": page(name, one) for name, one in public().items() if not is_exception(one)
    }
    return {
        "index.rst": overview(),
        "accessors.rst": accessors_page(),
        "errors.rst": errors_page(),
        **found,
    }


def is_exception(one: Any) -> bool:
    """Whether it is an error or a warning."""
    return inspect.isclass(one) and issubclass(one, Exception)


@cache
def public() -> dict[str, Any]:
    """Return all that is described: public names, and classes that only results lead to."""
    names = sorted({*pdkappa.__all__, *ON_REQUEST} - {"__version__", *OPENED}, key=str.lower)
    found = dict(every_method())
    found |= {f"pdkappa.{name}": getattr(pdkappa, name) for name in names}
    for module in OPENED:
        own = getattr(pdkappa, module)
        found |= {f"pdkappa.{module}.{name}": getattr(own, name) for name in own.__all__}
    found = {name: found[name] for name in found if name not in doubled(found)}
    classes = [one for one in found.values() if inspect.isclass(one)]
    classes += ACCESSORS.values()
    for owner in classes:  # which grows on the way
        for member in members(owner).values():
            result = returned(member)
            if inspect.isclass(result) and result not in classes:
                classes.append(result)
                found[full_name(result)] = result
    return found


def doubled(found: dict[str, Any]) -> set[str]:
    """Return the longer names of what has two."""
    return {
        name
        for name, one in found.items()
        if any(other is one and len(short) < len(name) for short, other in found.items())
    }


def every_method() -> Iterator[tuple[str, Any]]:
    """Yield the methods of ``df.kappa`` and of its namespaces, by the names they are called by."""
    for of, owner in {"": KappaMethods, **NAMESPACES}.items():
        for name, one in members(owner).items():
            if inspect.isfunction(one):
                yield ".".join(filter(None, ("df.kappa", of, name))), one


def members(owner: type) -> dict[str, Any]:
    """Return the public methods and properties of a class that are defined in the package."""
    found: dict[str, Any] = {}
    for ancestor in owner.__mro__:
        if ancestor.__module__.partition(".")[0] == "pdkappa":
            for name, made in vars(ancestor).items():
                one = getattr(ancestor, name) if callable(made) else made
                is_code = inspect.isfunction(one) or isinstance(one, property)
                if is_code and not name.startswith("_"):
                    found.setdefault(name, one)
    return dict(sorted(found.items()))


def returned(member: Any) -> Any:
    """Return the class of the package that a property gives, if any."""
    if not isinstance(member, property) or member.fget is None:
        return None
    hint = member.fget.__annotations__.get("return")
    found = getattr(sys.modules[member.fget.__module__], str(hint), None)
    if found in NAMESPACES.values():  # whose methods have pages
        return None
    return found if str(getattr(found, "__module__", "")).startswith("pdkappa") else None


def name_of(one: Any) -> str:
    """Return the name by which something is public, or else that where it is defined."""
    return next((name for name, other in public().items() if other is one), full_name(one))


def full_name(one: Any) -> str:
    """Return the dotted name of a class or function where it is defined."""
    return f"{one.__module__}.{one.__qualname__}"


@cache
def documented() -> dict[str, None]:
    """Return the dotted names of all that can be linked to."""
    found = list(public())
    for name, one in public().items():
        own = members(one) if inspect.isclass(one) else getattr(one, "__all__", [])
        found += [f"{name}.{member}" for member in own]
    return dict.fromkeys(found)


# --- pages -----------------------------------------------------------------------------------


def page(name: str, one: Any) -> str:
    """Write the page of a public name."""
    if name.startswith("df.kappa."):
        return heading(name) + accessor_entry(name, one)
    if inspect.ismodule(one):
        own = getattr(one, "__all__", [])
        listed = [member for member in own if inspect.isfunction(getattr(one, member))]
        functions = "".join(f".. autofunction:: {name}.{member}\n" for member in listed)
        return f"{heading(short(name))}.. automodule:: {name}\n\n{functions}"
    if inspect.isclass(one):
        own = members(one)
        is_entry = issubclass(one, KappaMethods)  # whose methods have pages
        listed = f"   :members: {', '.join(own)}\n" if own and not is_entry else ""
        return f"{heading(short(name))}.. autoclass:: {name}\n{listed}"
    return f"{heading(short(name))}.. autofunction:: {name}\n"


def errors_page() -> str:
    """Write the page of all errors and warnings."""
    names = [name for name, one in public().items() if is_exception(one)]
    names.sort(key=lambda name: name.endswith("Warning"))
    entries = [f".. autoexception:: {name}\n   :show-inheritance:\n" for name in names]
    return heading(ERRORS) + "\n".join(entries)


def accessors_page() -> str:
    """Write the page of frames, groups and Series, and of the options that they hold."""
    parts = [heading("df.kappa and its like")]
    parts += [f".. py:method:: df.kappa{signature(KappaMethods.__call__)}\n"]
    parts += [indent(rendered(KappaMethods.__call__), "   ")]
    for name, one in ACCESSORS.items():
        parts += [section(name), rendered(one)]
        new = {key: member for key, member in members(one).items() if name != GROUPED}
        new = {key: one for key, one in new.items() if f"df.kappa.{key}" not in public()}
        parts += [accessor_entry(f"{name}.{key}", member) for key, member in new.items()]
    return "\n".join(parts)


def accessor_entry(name: str, one: Any) -> str:
    """Describe a method or an attribute of an accessor."""
    if isinstance(one, property):
        text = f"{one.__doc__}\n\n{pointer(one)}"
        return f".. py:attribute:: {name}\n\n{indent(text, '   ')}\n"
    text = CITED.sub(rf"[{short(name)}-\1]", rendered(one))  # apart from those of other pages
    return f".. py:method:: {name}{signature(one)}\n\n{indent(text, '   ')}\n"


def overview() -> str:
    """Write the first page: every name with its summary, by kind."""
    kinds: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name, one in public().items():
        kinds[next(kind for kind, belongs in KINDS.items() if belongs(name, one))].append(name)
    modules = "".join(f".. py:module:: pdkappa.{name}\n\n" for name in OPENED)
    intro = (
        "Every public name, with its docstring, and :doc:`the methods of df.kappa <accessors>`.\n"
        "``pdkappa.__version__`` is the version.\n"
    )
    parts = [intro, toctree(["accessors"])]
    for kind, names in kinds.items():
        below = ["errors"] if kind == ERRORS else names
        parts += [section(kind), table(names), toctree(below)]
    return heading("Reference") + "\n".join([modules, *parts])


def is_reader(_name: str, one: Any) -> bool:
    """Whether a function makes `Ratings` of something."""
    return inspect.isfunction(one) and one.__annotations__.get("return") == "Ratings"


def is_result(_name: str, one: Any) -> bool:
    """Whether it is a class of what calls give, or another one."""
    return inspect.isclass(one) and not is_exception(one)


KINDS: dict[str, Callable[[str, Any], bool]] = {
    "Methods of df.kappa": lambda name, _: name.rpartition(".")[0] == "df.kappa",
    **{
        f"df.kappa.{of}": lambda name, _, of=of: name.startswith(f"df.kappa.{of}.")
        for of in NAMESPACES
    },
    "Ratings from elsewhere": is_reader,
    "Other functions": lambda _, one: inspect.isfunction(one),
    "Results and other classes": is_result,
    "Modules": lambda _, one: inspect.ismodule(one),
    ERRORS: lambda _, one: is_exception(one),
}


# --- words -----------------------------------------------------------------------------------


def heading(text: str) -> str:
    """Return the title of a page."""
    return f"{text}\n{'=' * len(text)}\n\n"


def section(text: str) -> str:
    """Return the title of a part of a page."""
    return f"{text}\n{'-' * len(text)}\n"


def rendered(one: Any) -> str:
    """Return a docstring as reStructuredText."""
    return linked(str(SphinxDocString(inspect.getdoc(one), config={})), one)


def short(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def table(names: Iterable[str]) -> str:
    """Return names with their summaries, as the rows of a table."""
    rows = [
        f"   * - :py:obj:`{short(name)} <{name}>`\n"
        f"     - {linked(summary(public()[name]), public()[name])}\n"
        for name in names
    ]
    return ".. list-table::\n   :class: names\n   :widths: auto\n\n" + "".join(rows)


def toctree(names: Iterable[str]) -> str:
    """Return names as the pages below this one, which only the sidebar shows."""
    return ".. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in names)


def summary(one: Any) -> str:
    """Return the first sentence of a docstring."""
    return " ".join((inspect.getdoc(one) or "").partition("\n\n")[0].split())


def pointer(one: property) -> str:
    """Say where the class is described that a property gives; empty if it gives none."""
    found = returned(one)
    return f"See :py:obj:`{name_of(found)}`." if found else ""


def signature(method: Any) -> str:
    """Return the parameters of a method without `self` and types."""
    found = inspect.signature(method)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in list(found.parameters.values())[1:]
    ]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def linked(text: str, one: Any, owner: str = "") -> str:
    """Link the names in a docstring to their pages; other names in backticks are code.

    Names stand in single backticks, as the role that numpydoc gives to those below "See
    Also", and alone in a line if they are raised or returned. In backticks, a parameter is
    meant rather than a function of the same name.
    """
    takes = callable(one) and not is_exception(one)
    own = set(inspect.signature(one).parameters) if takes else set()

    def link(match: re.Match[str]) -> str:
        name, full = match["name"], target(match["name"], owner)
        known = f":py:obj:`{name} <{full}>`" if full else ""
        if match[0].startswith("`"):
            return known if known and name not in own else f"``{name}``"
        return known or match[0]

    for pattern in (IN_BACKTICKS, SEE_ALSO, ALONE):
        text = pattern.sub(link, text)
    return text


def target(name: str, owner: str) -> str | None:
    """Return the full name of what a docstring means by a name, if it has a page."""
    exact = [f"pdkappa.{name}", name, f"{owner}.{name}"]
    known = [one for one in exact if one in documented()]
    known += [one for one in public() if one.endswith(f".{name}")]
    if "." in name:
        known += [one for one in documented() if one.endswith(f".{name}")]
    return known[0] if known else None
