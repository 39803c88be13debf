"""`df.kappa` and `df.groupby(...).kappa`: the public functions with the frame bound."""

from __future__ import annotations

import copy
import functools
import inspect
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    get_args,
    overload,
)

import pandas as pd

from pdkappa._typing import Coefficient, OfAll
from pdkappa.errors import OptionError, RatingTypeError, did_you_mean, listing, no_text, shown
from pdkappa.present.labels import one_line
from pdkappa.present.text_markup import as_options, menu_of_methods, menu_of_topics, public_methods
from pdkappa.ratings.options import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import BoundArguments

    from pandas.api.typing import DataFrameGroupBy

    from pdkappa._typing import GivenRaters, Label
    from pdkappa.methods.machine.fairness import Fairness
    from pdkappa.methods.plots import KappaPlots
    from pdkappa.present.text_tables import Result
P = ParamSpec("P")
P1 = ParamSpec("P1")
P2 = ParamSpec("P2")
Q1 = ParamSpec("Q1")
Q2 = ParamSpec("Q2")
R = TypeVar("R")


class Later:
    """A function of ours, or what calls make of one: imported and made when it is asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        """Keep what makes it."""
        self.make = make

    @cached_property
    def made(self) -> Any:
        """What it is, once somebody asks."""
        return self.make()

    def __call__(self, *args: Any, **kwargs: Any) -> Later:
        """Call it when the result is asked for."""
        return Later(
            lambda: self.made(
                *(one.made if isinstance(one, Later) else one for one in args), **kwargs
            )
        )

    def __get__(self, one: object, kind: type) -> Any:
        """Be the method of a class."""
        return self.made.__get__(one, kind)


def _imported(module: str, name: str) -> Any:
    """Return what a module of questions has."""
    return getattr(import_module(f"pdkappa.methods.{module}"), name)


if not TYPE_CHECKING:
    PLACES = {
        "agreement.all_raters": "agreement",
        "agreement.attainable": "attainable",
        "agreement.crosscheck": "crosscheck",
        "agreement.intraclass": "icc",
        "agreement.pairs": "confusion pair pairs pairwise",
        "agreement.trials": "trials",
        "comparisons.compare": "compare compare_groups homogeneity",
        "consensus": "consensus",
        "drilldown.categories": "categories",
        "drilldown.items": "cells items",
        "drilldown.raters": "raters usage",
        "estimates.asked": "Held",
        "estimates.asks": "asks",
        "facets.study": "generalizability",
        "groups.grouped": "GroupedMethod OfSeveral OfTwo SeveralOfGroupBy TwoOfGroupBy grouped",
        "machine.adjudication": "adjudication",
        "machine.alt_test": "alt_test",
        "machine.audit": "audit",
        "machine.ceiling": "ceiling",
        "machine.evaluation": "evaluate",
        "machine.fairness": "fairness",
        "machine.prediction_powered": "prediction_powered",
        "machine.prevalence": "mean_score prevalence",
        "machine.readiness": "prmse readiness",
        "predictions.cutpoints": "cutpoints_by",
        "predictions.scorecard": "scorecard",
        "predictions.shift": "shift",
        "report.report": "report to_excel to_html",
        "scores": "bland_altman concordance differences kendall_w within",
    }
    for _module, _names in PLACES.items():
        for _name in _names.split():
            globals()[_name] = Later(partial(_imported, _module, _name))
else:
    from pdkappa.methods.agreement.all_raters import agreement
    from pdkappa.methods.agreement.attainable import attainable
    from pdkappa.methods.agreement.crosscheck import crosscheck
    from pdkappa.methods.agreement.intraclass import icc
    from pdkappa.methods.agreement.pairs import confusion, pair, pairs, pairwise
    from pdkappa.methods.agreement.trials import trials
    from pdkappa.methods.comparisons.compare import compare, compare_groups, homogeneity
    from pdkappa.methods.consensus import consensus
    from pdkappa.methods.drilldown.categories import categories
    from pdkappa.methods.drilldown.items import cells, items
    from pdkappa.methods.drilldown.raters import raters, usage
    from pdkappa.methods.estimates.asked import Held
    from pdkappa.methods.estimates.asks import asks
    from pdkappa.methods.facets.study import generalizability
    from pdkappa.methods.groups.grouped import (
        GroupedMethod,
        OfSeveral,
        OfTwo,
        SeveralOfGroupBy,
        TwoOfGroupBy,
        grouped,
    )
    from pdkappa.methods.machine.adjudication import adjudication
    from pdkappa.methods.machine.alt_test import alt_test
    from pdkappa.methods.machine.audit import audit
    from pdkappa.methods.machine.ceiling import ceiling
    from pdkappa.methods.machine.evaluation import evaluate
    from pdkappa.methods.machine.fairness import fairness
    from pdkappa.methods.machine.prediction_powered import prediction_powered
    from pdkappa.methods.machine.prevalence import mean_score, prevalence
    from pdkappa.methods.machine.readiness import prmse, readiness
    from pdkappa.methods.predictions.cutpoints import cutpoints_by
    from pdkappa.methods.predictions.scorecard import scorecard
    from pdkappa.methods.predictions.shift import shift
    from pdkappa.methods.report.report import report, to_excel, to_html
    from pdkappa.methods.scores import bland_altman, concordance, differences, kendall_w, within


class Needs(Enum):
    """How much of the ratings a method needs, if they are not in a frame."""

    PAIR_COUNTS = "how often each pair of raters gave each pair of categories"
    COUNTS = "how often each distinct row occurs"
    ROWS = "every row, in order"
    LONG = "a pandas frame with one rating in each row"


@dataclass(frozen=True)
class Method:
    """A public function, how much it needs, and which of its options name raters."""

    function: Callable[..., Any]
    needs: Needs
    raters: tuple[str, ...]

    @cached_property
    def signature(self) -> inspect.Signature:
        """The parameters of the function, with those that only a study has."""
        call = vars(self.function).get("call")
        return call.signature(every=True) if call else inspect.signature(self.function)

    @cached_property
    def takes_lists(self) -> bool:
        """Whether it takes ratings one below the other, as the type of its data says."""
        data = next(iter(self.signature.parameters.values()))
        return "Listed" in str(data.annotation)

    def bind(self, data: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundArguments:
        """Put what was passed beside the data under its names; refuse what is no option, or wrong.

        Returns
        -------
        BoundArguments
            Of the function.
        """
        if call := vars(self.function).get("call"):
            call.ask(*args, **kwargs)  # before anything is read
        return self.signature.bind_partial(data, *args, **kwargs)


def _check_roles(method: Method, held: Any, passed: dict[str, Any]) -> None:
    """Refuse a rater who is none of those that the study holds."""
    known = pd.Index(held, dtype=object, tupleize_cols=False)
    named = [name for role in method.raters for name in labels_of(passed.get(role), known)]
    others = [name for name in named if name not in known]
    if others:
        raise OptionError(
            f"{listing(others)} is none of the raters that df.kappa(raters=[{listing(held)}]) "
            "holds. Name it there, too."
        )


def _refusal(method: Method, name: str) -> str:
    """Say that a method lacks an option that is held, and what to do."""
    several = f"{name}s" in method.signature.parameters
    return (
        f"{method.function.__name__} has no option {shown(name)}, which df.kappa(...) holds. "
        + (f"Pass {name}s= to the method." if several else "Leave it out there.")
    )


def _check_groups_once(held: dict[str, Any], passed: dict[str, Any]) -> None:
    """Refuse groups beside those that are held."""
    if "by" in held and passed.get("by") is not None:
        raise OptionError("by= is given twice: df.kappa(...) holds it already. Leave one out.")


def _bound(
    function: Callable[Concatenate[Any, P], R],
    needs: Needs = Needs.ROWS,
    raters: tuple[str, ...] = ("raters",),
) -> Callable[Concatenate[Any, P], R]:
    """Turn a public function into a method that passes the ratings of its object."""
    made: Any = Later(lambda: _method)(function, needs, raters)
    return made


def _method(
    function: Callable[..., Any], needs: Needs, raters: tuple[str, ...]
) -> Callable[..., Any]:
    """Make the method."""
    called: Method = Method(function, needs, raters)
    call: Any = vars(function).get("call")

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        entry = self._entry
        if call:
            call.refuse_held(args, kwargs, self._place)
        if needs is Needs.LONG and not isinstance(entry._data, pd.DataFrame):  # noqa: SLF001
            call.refuse_unknown(kwargs)
            raise OptionError(
                f"{function.__name__} reads {needs.value}, which these ratings are not. Call "
                f"df.kappa.{function.__name__}(...) of such a frame."
            )
        return entry._call(called, *args, **entry._with_held(called, args, kwargs))  # noqa: SLF001

    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = inspect.signature(function)
    parameters = [this, *list(own.parameters.values())[1:]]
    method.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    if call:
        method.__doc__ = call.docstring(data="")
    return method


class _Either(Protocol[P1, P2, Q1, Q2]):
    """A method whose result depends on its options, which depend on its object."""

    @overload
    def __get__(self, one: KappaGroupBy, kind: type) -> GroupedMethod[Q1, Q2]: ...
    @overload
    def __get__(self, one: KappaMethods, kind: type) -> GroupedMethod[P1, P2]: ...


def _either(
    records: tuple[Callable[P1, OfTwo], Callable[P2, OfSeveral]],  # noqa: ARG001
    of_groups: tuple[Callable[Q1, TwoOfGroupBy], Callable[Q2, SeveralOfGroupBy]],  # noqa: ARG001
    method: Any,
) -> _Either[P1, P2, Q1, Q2]:
    """Tell type checkers what the options of either way to name raters are."""
    return method


class _Entry:
    """Whatever has ratings, and calls public functions for them."""

    _data: Any
    _place = ""  # before the names of the methods
    _by: Any = None  # the columns of the groups, where the rows are grouped
    _held: dict[str, Any] = {}  # noqa: RUF012  # of a study: never changed

    @property
    def _entry(self) -> _Entry:
        """What is asked, as a namespace has it, too."""
        return self

    def _with_held(
        self, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Add the options of the study; what is passed to the method itself wins, but groups."""
        if not self._held:
            return kwargs
        names = [*method.signature.parameters][1:]
        passed = dict(zip(names, args, strict=False)) | kwargs
        _check_groups_once(self._held, passed)
        held = dict(self._held)
        if "raters" in held and "raters" not in names:
            _check_roles(method, held.pop("raters"), passed)
        for name in held:
            if name not in names:
                raise OptionError(_refusal(method, name))
        return kwargs | {name: one for name, one in held.items() if name not in passed}

    def __str__(self) -> str:
        """Say in one line whose methods these are."""
        rows, columns = self._data.shape[0], self._data.shape[1:]
        size = f"{rows} rows" + "".join(f" and {n} columns" for n in columns)
        return f"Inter-rater agreement in a {type(self._data).__name__} of {size}"

    def __repr__(self) -> str:
        """Show the options of the study and a menu of the methods."""
        study = f"\nAll methods have: {as_options(self._held)}" if self._held else ""
        return f"{self}{study}\n\n{menu_of_topics(self._menu())}"

    def _menu(self) -> dict[str, Callable[..., Any]]:
        """List the methods."""
        return public_methods(type(self))

    # `method` has no name for callers, because some functions have an option of that name.
    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a public function for the ratings."""
        return method.function(self._data, *args, **kwargs)


class Namespace:
    """Methods of one kind, for whatever holds ratings."""

    def __init__(self, entry: KappaMethods) -> None:
        """Keep what has the ratings and the options of the study."""
        self._entry = entry

    def __repr__(self) -> str:
        """Show a menu of the methods."""
        return f"{self._entry}\n\n{menu_of_methods(public_methods(type(self)))}"


class Scores(Namespace):
    """Scores that need not be whole numbers, as ``df.kappa.scores``."""

    _place = "scores."
    concordance = _bound(concordance, Needs.ROWS)
    bland_altman = _bound(bland_altman, Needs.COUNTS, raters=("rater_a", "rater_b"))
    within = _bound(within, Needs.COUNTS)
    kendall_w = _bound(kendall_w, Needs.COUNTS)
    _differences = _bound(differences, Needs.COUNTS, raters=("rater_a", "rater_b"))


class Machine(Namespace):
    """People and a machine that scores, or judges, in their place, as ``df.kappa.machine``."""

    _place = "machine."
    evaluate = _bound(evaluate, Needs.ROWS, raters=("humans", "machine"))
    readiness = _bound(readiness, Needs.ROWS, raters=("humans", "machine"))
    prmse = _bound(prmse, Needs.COUNTS, raters=("humans", "machine"))
    fairness = _bound(fairness, Needs.COUNTS, raters=("humans", "machine"))
    adjudication = _bound(adjudication, Needs.ROWS, raters=("humans", "machine"))
    audit = _bound(audit, Needs.COUNTS, raters=("humans", "machine", "again", "swapped"))
    alt_test = _bound(alt_test, Needs.COUNTS, raters=("humans", "machine"))
    ceiling = _bound(ceiling, Needs.COUNTS, raters=("humans", "machine"))
    prevalence = _bound(prevalence, Needs.COUNTS, raters=("humans", "machine"))
    mean_score = _bound(mean_score, Needs.COUNTS, raters=("humans", "machine"))
    prediction_powered = _bound(
        prediction_powered, Needs.COUNTS, raters=("humans", "machine", "stand_in")
    )


class Predictions(Namespace):
    """Predictions against the truth, as ``df.kappa.predictions``."""

    _place = "predictions."
    scorecard = _bound(
        scorecard, Needs.ROWS, raters=("truth", "predictions", "probabilities", "ranked")
    )
    cutpoints = _bound(cutpoints_by, Needs.ROWS, raters=("truth", "predictions"))
    shift = _bound(shift, Needs.COUNTS, raters=("truth", "predictions"))


NAMESPACES: dict[str, type[Namespace]] = {
    "scores": Scores,
    "machine": Machine,
    "predictions": Predictions,
}


class KappaMethods(_Entry):
    """The public functions as methods of whatever holds ratings.

    This is the table of all methods: each line says what one needs, for every kind of ratings.
    """

    @asks(Held)
    def __call__(self, asked: Held) -> Self:
        """Hold options of a study for all calls: ``df.kappa(weights="quadratic").pairs()``.

        An option that is passed to a method wins over one that is held, but `by` may be given once.

        Returns
        -------
        KappaAccessor, KappaGroupBy or Ratings
            The same as before, whose methods take these options where they are not passed.

        Raises
        ------
        OptionError
            By a method that lacks an option that is held.

        Examples
        --------
        >>> df = pdkappa.datasets.load_essays()
        >>> study = df.kappa(raters=["human_1", "human_2"], by="essay_set", weights="quadratic")
        >>> study.pairs()["estimate"].round(2).tolist()[:3]
        [0.73, 0.8, 0.71]
        """
        named = [one.name for one in asked.options if one.name in asked.named]
        passed = {name: getattr(asked, name) for name in named}
        grouped = {} if self._by is None else {"by": self._by}
        _check_groups_once(grouped | self._held, passed)
        held = copy.copy(self)
        object.__setattr__(held, "_held", self._held | passed)  # frozen, if it is of counts
        return held

    pairwise = _bound(pairwise, Needs.PAIR_COUNTS)
    pairs = _bound(pairs, Needs.PAIR_COUNTS)
    agreement = _bound(agreement, Needs.COUNTS)
    icc = _bound(icc, Needs.COUNTS)
    trials = _bound(trials, Needs.LONG, raters=())
    generalizability = _bound(generalizability, Needs.LONG, raters=())
    grouped = _either(
        (OfTwo, OfSeveral),
        (TwoOfGroupBy, SeveralOfGroupBy),
        _bound(grouped, Needs.COUNTS, raters=("rater_a", "rater_b", "pairs")),
    )
    compare = _bound(compare, Needs.COUNTS, raters=("first", "second"))
    compare_groups = _bound(compare_groups, Needs.COUNTS)
    homogeneity = _bound(homogeneity, Needs.COUNTS)
    attainable = _bound(attainable, Needs.COUNTS)
    raters = _bound(raters, Needs.COUNTS)
    usage = _bound(usage, Needs.COUNTS)
    items = _bound(items, Needs.ROWS)
    categories = _bound(categories, Needs.COUNTS)
    cells = _bound(cells, Needs.COUNTS, raters=("rater_a", "rater_b"))
    confusion = _bound(confusion, Needs.COUNTS, raters=("rater_a", "rater_b"))
    consensus = _bound(consensus, Needs.ROWS)
    crosscheck = _bound(crosscheck, Needs.COUNTS)
    report = _bound(report, Needs.COUNTS)
    to_excel = _bound(to_excel, Needs.COUNTS)
    to_html = _bound(to_html, Needs.COUNTS)

    if not TYPE_CHECKING:  # which would take any name for known

        def __getattr__(self, name: str) -> Any:
            """Say which call does what somebody looks for below another name."""
            instead = "" if name.startswith("__") else _instead_of(name)  # `copy` asks for some
            raise AttributeError(f"df.kappa has no {shown(name)}.{instead}", name=name, obj=self)

    def _menu(self) -> dict[str, Callable[..., Any]]:
        """List the methods, those of the namespaces and the pictures, as they are called."""
        from pdkappa.methods.plots import KappaPlots

        found = public_methods(type(self))
        for of, cls in {**NAMESPACES, "plot": KappaPlots}.items():
            found |= {f"{of}.{name}": one for name, one in public_methods(cls).items()}
        return found

    @property
    def scores(self) -> Scores:
        """Scores that need not be whole numbers."""
        return Scores(self)

    @property
    def machine(self) -> Machine:
        """People and a machine: whether it can score, or judge, in their place."""
        return Machine(self)

    @property
    def predictions(self) -> Predictions:
        """Predictions against the truth."""
        return Predictions(self)

    @property
    def plot(self) -> KappaPlots:
        """Pictures of agreement."""
        from pdkappa.methods.plots import KappaPlots

        return KappaPlots(self)


ELSEWHERE = {
    **{name: f'pairs(coefficient="{name}")' for name in get_args(Coefficient)},
    **{name: f'agreement(coefficients="{name}")' for name in get_args(OfAll)},
    "cohen": "pairs()",
    "kappa": "pairs()",
    "weighted": 'pairs(weights="quadratic")',
    "qwk": 'pairs(weights="quadratic")',
    "alpha": 'agreement(coefficients="krippendorff")',
    "ac1": 'agreement(coefficients="gwet")',
    "ac2": 'agreement(coefficients="gwet", weights="quadratic")',
    "pi": 'pairs(coefficient="scott")',
    "accuracy": "predictions.scorecard(truth, predictions)",
    "f1": "predictions.scorecard(truth, predictions)",
    "ccc": "scores.concordance()",
    "corr": "pairwise()",
    "crosstab": "confusion(rater_a, rater_b)",
    "cuts": 'categories(kind="cut")',
    "heatmap": "plot.heatmap()",
}


def _instead_of(name: str) -> str:
    """Name the call that does what somebody may look for below a name; empty if none is known."""
    called = ELSEWHERE.get(name.lower())
    for namespace, owner in NAMESPACES.items():
        called = f"{namespace}.{name}(...)" if name in vars(owner) else called
    known = (one for one in dir(KappaMethods) if not one.startswith("_"))
    return f" Write df.kappa.{called}." if called else did_you_mean(name, known)


@pd.api.extensions.register_dataframe_accessor("kappa")
class KappaAccessor(KappaMethods):
    """Inter-rater agreement of the columns of a frame, as ``df.kappa``.

    To show ``df.kappa`` lists its methods, each with the question that it answers.
    """

    def __init__(self, data: pd.DataFrame) -> None:
        """Keep the frame; everything is checked by the methods."""
        self._data = data


@pd.api.extensions.register_series_accessor("kappa")
class KappaSeriesAccessor(_Entry):
    """Agreement of two Series of ratings, as ``s1.kappa.pair(s2)``.

    It stands before a label of the index: the value at ``"kappa"`` is ``s["kappa"]``.
    """

    def __init__(self, data: pd.Series) -> None:
        """Keep the Series; everything is checked by the method."""
        self._data = data

    pair = _bound(pair)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Name the method that there is."""
            hint = "" if name.startswith("__") else " Write s1.kappa.pair(s2, ...)."
            raise AttributeError(f"s1.kappa has no {shown(name)}.{hint}", name=name, obj=self)


class KappaGroupBy(KappaMethods):
    """Inter-rater agreement group by group, as ``df.groupby(...).kappa``.

    Every method is that of ``df.kappa``, with the columns of the groups as `by`. Raters are the
    columns selected, if any are, as in ``df.groupby("site")[["ann", "bob"]].kappa``.

    Groups are those that occur, so ``observed`` makes no difference: an unused category is not a
    group. Nor does ``as_index``: the result is that with `by`. Groups are sorted,
    an ordered or unordered Categorical by its categories.
    """

    def __init__(self, grouped: DataFrameGroupBy[Any, Any]) -> None:
        """Find the columns that the groups are made of."""
        from pdkappa.ratings.items import is_of_numbers

        self._data = grouped.obj
        self._by = grouped.keys if is_of_numbers(grouped) else self._columns_of(grouped)
        names = self._by if isinstance(self._by, list) else [self._by]
        shown = list(grouped.head(0).columns)  # with those of the groups, if none are selected
        is_selected = not set(names) <= set(shown)
        self._raters = [name for name in shown if name not in names] if is_selected else None

    @staticmethod
    def _columns_of(grouped: DataFrameGroupBy[Any, Any]) -> Any:
        """Name the column, or columns, whose values are the groups; refuse other groups."""
        from pdkappa.ratings.items import check_groups

        indexed: Any = copy.copy(grouped)
        indexed.as_index = True
        try:
            sizes = indexed.size()
        except TypeError as error:  # of pandas, or of what the keys hold
            raise RatingTypeError(
                f"The rows cannot be grouped: {one_line(error)}. Group by values of one kind, such "
                "as text."
            ) from error
        except UnicodeEncodeError as error:
            raise no_text(error.object, "A column of the groups") from error
        names = list(sizes.index.names)
        frame: Any = grouped.obj
        by: Any = names[0] if len(names) == 1 else names
        check_groups(grouped, sizes[sizes > 0].index, frame, by)
        return by

    def __str__(self) -> str:
        """Say in one line whose methods these are, and by what."""
        by = self._by if isinstance(self._by, list) else [self._by]
        return f"{super().__str__()}, by {', '.join(map(one_line, by))}"

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the groups, and for the columns selected as its raters."""
        if "by" in kwargs:
            message = "by= cannot be given, since the frame is already grouped. Leave it out."
            raise OptionError(message)
        given = method.bind(self._data, args, {**kwargs, "by": self._by})
        if "raters" in method.raters and given.arguments.get("raters") is None:
            given.arguments["raters"] = self._raters
        return method.function(*given.args, **given.kwargs)

    if TYPE_CHECKING:  # what the groups are is known

        def compare_groups(self, raters: GivenRaters | None = None, **options: Any) -> Result:
            """See `compare_groups`."""

        def fairness(self, human: Label, machine: Label, **options: Any) -> Fairness:
            """See `fairness`."""


class _OfGroups:
    """Reach `KappaGroupBy` as an attribute; a column of the same name comes first."""

    def __get__(self, grouped: DataFrameGroupBy[Any, Any] | None, owner: type) -> Any:
        if grouped is None:
            return KappaGroupBy
        return grouped["kappa"] if "kappa" in grouped.obj.columns else KappaGroupBy(grouped)


pd.api.typing.DataFrameGroupBy.kappa = _OfGroups()  # type: ignore[attr-defined]


class Ratings(KappaMethods):
    """Ratings that are not a wide frame, with the same methods as ``df.kappa``.

    See Also
    --------
    pdkappa.from_long : Make one from a frame with one rating in each row.
    pdkappa.from_table : Make one from a contingency table.
    pdkappa.from_counts : Make one from counts of ratings.
    pdkappa.scan : Make one from files that need not fit in memory.
    pdkappa.scan_long : Make one from files with one rating in each row.
    pdkappa.from_frame : Make one from a frame of another package.
    """

    @property
    def _data(self) -> Any:
        """The ratings themselves."""
        return self
