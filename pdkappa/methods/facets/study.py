"""What makes scores differ, and how many raters and tasks are needed: `generalizability`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import fdtrc, ndtri
from pdkappa.errors import (
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    did_you_mean,
    listing,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import is_label, is_number
from pdkappa.methods.facets.components import (
    RESIDUAL,
    Design,
    Draws,
    anova,
    closures,
    effects_of,
    name_of_effect,
    nested_in,
    quantiles,
    reml,
)
from pdkappa.present.text_markup import menu_of_methods, public_methods, with_interval
from pdkappa.present.text_tables import Bundle, line_of, tidy
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import number, number_groups, read_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, Label


FIGURES = ("g", "phi", "sem_relative", "sem_absolute", "sdc_relative", "sdc_absolute")
SHOWN = ("estimate", "ci_low", "ci_high")
WITHIN = 0.975  # quantile of the difference of two scores that is error alone


def six_figures(design: Design, components: FloatArray, shares: FloatArray) -> FloatArray:
    r"""Compute the coefficients of the mean of an item from components (E, ...), (6, ...).

    Parameters
    ----------
    design : Design
    components : ndarray of float, shape (E,) or (E, draws)
    shares : ndarray of float, shape (E,)
        Share of each effect in the mean, one over the number of its levels.

    Notes
    -----
    :math:`\tau` is the component of the items, with those of items and fixed facets alone,
    :math:`\delta` all others of which the item is a part, and :math:`\Delta` adds the rest but
    that of fixed facets alone; each times its share (Brennan, 2001, p. 97-132), no sum below 0.

    .. math:: g = \tau / (\tau + \delta), \quad \phi = \tau / (\tau + \Delta), \quad
              SEM = \sqrt\delta, \sqrt\Delta, \quad SDC = z_{.975} \sqrt 2\, SEM.
    """
    own = design.closure[design.item]
    fixed = np.array([one.factors - own <= design.fixed for one in design.effects])
    fixed[-1] = False
    true = fixed & design.of_items
    relative = ~true & design.of_items
    rest = ~true & ~relative & ~fixed
    tau, delta, more = (
        np.maximum(np.tensordot(some * shares, components, 1), 0.0)
        for some in (true, relative, rest)
    )
    sem = np.sqrt([delta, delta + more])
    whole = np.array([tau + delta, tau + delta + more])
    ratios = np.divide(tau, whole, out=np.zeros_like(whole), where=whole != 0)
    return np.concatenate([ratios, sem, ndtri(WITHIN) * np.sqrt(2) * sem])


@dataclass(frozen=True)
class Fit:
    """A design and its components, estimated in one of two ways."""

    design: Design
    method: str
    level: float

    @cached_property
    def estimates(self) -> FloatArray:
        """The components, (E,), below 0 too; NaN where they cannot be told apart."""
        design = self.design
        if not np.ptp(design.scores):
            return np.full(len(design.effects), np.nan)
        return (
            reml(design) if self.method == "reml" else anova(design, design.scores[:, None])[:, 0]
        )

    @cached_property
    def positive(self) -> FloatArray:
        """The components, none below 0."""
        return np.maximum(self.estimates, 0.0)

    @property
    def reason(self) -> str:
        """Why there are none; empty where there are."""
        if not np.ptp(self.design.scores):
            return "constant_ratings"
        return "few_items" if np.isnan(self.estimates).any() else ""

    @cached_property
    def draws(self) -> Draws:
        """What they may be."""
        return Draws(self.design, self.estimates)

    def limits(self, figure: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Find the limits of figures of components, (2, figures)."""
        if self.reason:
            return np.full((2, len(figure(self.positive))), np.nan)
        return quantiles(figure(self.draws.components_drawn), self.level)

    def components(self) -> pd.DataFrame:
        """One row for each effect."""
        low, high = self.limits(lambda drawn: drawn)
        se = np.sqrt(self.draws.variances) if not self.reason else low
        columns = {
            "df": self.design.df.astype(np.int64),
            "estimate": self.estimates,
            "se": se,
            "ci_low": low,
            "ci_high": high,
            "share": self.positive / self.positive.sum(),
            "reason": self.reason,
        }
        return pd.DataFrame(columns, index=pd.Index(self.design.names, name="effect"))

    def coefficients(self) -> pd.DataFrame:
        """One row for each figure of the study as it is."""
        columns = zip(SHOWN, self.figures(self.design.shares), strict=True)
        index = pd.Index(FIGURES, name="figure")
        return pd.DataFrame(dict(columns), index).assign(reason=self.reason)

    def figures(self, shares: FloatArray) -> list[FloatArray]:
        """Return the six figures and their limits, (3, 6)."""
        estimate = six_figures(self.design, self.positive, shares)
        return [estimate, *self.limits(lambda some: six_figures(self.design, some, shares))]

    def findings(self) -> list[str]:
        """Say how well the mean of an item is known, and what would help most."""
        design, told = self.design, self.coefficients()
        if self.reason:
            return []
        g, phi = (with_interval(*told.loc[name, list(SHOWN)]) for name in ("g", "phi"))
        known = f"g {g} for ranks and phi {phi} for levels"
        found = [f"The mean of {design.item} is known with {known}."]
        gains = {}
        for name, inverse in self.usual.items():
            shares = self.shares_of({name: 2 / inverse})
            gains[name] = six_figures(design, self.positive, shares)[1]
        if RESIDUAL in gains:
            gains["repeats"] = gains.pop(RESIDUAL)
        best = max(gains, key=lambda name: gains[name], default="")
        if best:
            more = f"phi would be {gains[best]:.2f}"
            found.append(f"Twice as many levels of {best} help most: {more}.")
        return found

    def shares_of(self, sizes: dict[str, float]) -> FloatArray:
        """Return the share of each effect in the mean of an item with some other sizes, (E,)."""
        inverse = self.usual | {name: 1 / size for name, size in sizes.items()}
        return np.array(
            [
                np.prod([inverse.get(name, 1.0) for name in one.factors])
                for one in self.design.effects
            ]
        )

    @cached_property
    def usual(self) -> dict[str, float]:
        """One over the levels of each facet in the study, within a level of what it is in."""
        design = self.design
        shares = {one.factors: w for one, w in zip(design.effects, design.shares, strict=True)}
        own = design.closure[design.item]
        found = {}
        for name, closure in design.closure.items():
            if name not in own:
                outer = shares.get(closure - {name}, 1.0)
                found[name] = shares[closure] / outer
        full = frozenset(design.closure)
        if full in shares and design.effects[-1].factors != full:
            found[RESIDUAL] = design.shares[-1] / shares[full]
        return found

    def projected(self, sizes: dict[str, float]) -> dict[str, Any]:
        """Compute the six figures, and their limits, with other sizes."""
        inverse = self.usual | {name: 1 / size for name, size in sizes.items()}
        row: dict[str, Any] = {"n_ratings": 1 / np.prod([*inverse.values()])}
        for name, *figure in zip(FIGURES, *self.figures(self.shares_of(sizes)), strict=True):
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), figure, strict=True))
        return row | {"reason": self.reason}

    def pooled(self, p: float) -> Fit:
        """Drop the interaction of items and the facet where its F test has a larger p-value."""
        design = self.design
        names = [name for name in design.names if " x " in name]
        if len(design.facets) != 1 or not names:
            message = (
                f"pool={p!r} drops the interaction of the items and the only facet, which "
                f"{design.title} does not have apart from the residual. Leave it out."
            )
            raise OptionError(message)
        place, draws = design.names.index(names[0]), self.draws
        f = draws.squares[place] / draws.squares[-1]
        if self.reason or fdtrc(draws.df[place], draws.df[-1], f) <= p:
            return self
        return Fit(design.without(names[0]), self.method, self.level)

    def gauge(self, tolerance: float | None, multiplier: float) -> pd.DataFrame:
        """One row for each source of variation: the gauge, its parts, the items, and the total."""
        design = self.design
        n, item = len(design.effects), design.item_place
        one = np.eye(n)
        gauge = 1.0 - one[item]
        names = ["total_gauge", "repeatability", "reproducibility"]
        rows = [gauge, one[-1], gauge - one[-1]]
        for place in range(n - 1):
            if place != item:
                names.append(design.names[place])
                rows.append(one[place])
        parts, names = np.array([*rows, one[item], np.ones(n)]), [*names, design.item, "total"]
        estimate = parts @ self.positive
        low, high = self.limits(lambda some: parts @ some)
        sd = np.sqrt(estimate)
        columns = {
            "estimate": estimate,
            "ci_low": low,
            "ci_high": high,
            "contribution": estimate / estimate[-1],
            "sd": sd,
            "study_variation": multiplier * sd,
            "share_of_study": sd / sd[-1],
            "share_of_tolerance": multiplier * sd / (tolerance or np.nan),
            "reason": self.reason,
        }
        return pd.DataFrame(columns, index=pd.Index(names, name="source"))


@dataclass(frozen=True, repr=False, eq=False)
class Generalizability(Bundle):
    """Components of variance of scores, and what follows from them.

    See Also
    --------
    df.kappa.generalizability : Compute it.
    """

    fits: list[Fit]
    groups: pd.Index | None

    def _each(self, frame: Callable[[Fit], pd.DataFrame]) -> pd.DataFrame:
        """Put the frames of the groups one below the other."""
        frames = [frame(fit) for fit in self.fits]
        if self.groups is not None:
            frames = [pd.concat(frames, keys=self.groups, names=self.groups.names)]
        return self._told.of(tidy(frames[0], []))

    @cached_property
    def components(self) -> pd.DataFrame:
        """One row for each effect (and group), with its limits and its share of the total.

        An estimate may be below 0, which counts as 0 in `share` and in all other figures.
        """
        return self._each(Fit.components)

    @cached_property
    def coefficients(self) -> pd.DataFrame:
        """One row for each figure of the mean of an item (and group), with its limits.

        ``g`` and ``phi`` are in [0, 1]; ``sem_relative``, ``sem_absolute`` and the smallest
        detectable changes ``sdc_relative``, ``sdc_absolute`` have the unit of the scores.
        """
        return self._each(Fit.coefficients)

    def project(
        self,
        sizes: dict[Label, Any] | None = None,
        *,
        repeats: Any = None,
        **named: Any,
    ) -> pd.DataFrame:
        """Compute the coefficients that other numbers of levels would give: a D study.

        Parameters
        ----------
        sizes : dict, optional
            Sizes of facets by name, where a name is no word of Python.
        repeats : number or list, optional
            How often each cell is rated, if the study has several ratings of some.
        **named : number or list
            Size of each facet, from 1 upwards; of a nested one in each level of what it is in.
            Facets that are not named keep the size that they have in the study.

        Returns
        -------
        DataFrame
            One row for each combination (and group), with the sizes as index: ``n_ratings`` of an
            item, and the figures of `coefficients`, each with ``_low`` and ``_high``.

        Raises
        ------
        OptionError
            If a facet is not known, or a size is below 1.

        Examples
        --------
        >>> scores = pd.DataFrame({
        ...     "person": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "task": ["a", "b", "c"] * 4,
        ...     "score": [3, 4, 4, 5, 7, 6, 1, 3, 2, 6, 6, 8],
        ... })
        >>> study = scores.kappa.generalizability(rating="score", item="person", facets=["task"])
        >>> study.project(task=[1, 3, 6])[["n_ratings", "g", "phi"]].round(2)
              n_ratings     g   phi
        task
        1           1.0  0.89  0.83
        3           3.0  0.96  0.94
        6           6.0  0.98  0.97
        """
        wanted = {str(name): size for name, size in ((sizes or {}) | named).items()}
        known = [name for name in self.fits[0].usual if name != RESIDUAL]
        for name in wanted:
            if name not in known:
                hint = did_you_mean(name, known) or f" Choose among {listing(known)}."
                raise OptionError(f"project has no facet {name!r}.{hint}")
        if repeats is not None:
            if RESIDUAL not in self.fits[0].usual:
                message = (
                    f"repeats={shown(repeats)} has no effect: no cell has two ratings, so that "
                    "nothing is known of their differences. Leave it out."
                )
                raise OptionError(message)
            wanted[RESIDUAL] = repeats
        values = [_sizes(name, size) for name, size in wanted.items()]
        names = [name if name != RESIDUAL else "repeats" for name in wanted]

        def frame(fit: Fit) -> pd.DataFrame:
            combinations = [*product(*values)]
            rows = [fit.projected(dict(zip(wanted, one, strict=True))) for one in combinations]
            if not names:
                return pd.DataFrame(rows)
            levels = [*zip(*combinations, strict=True)]
            index = pd.MultiIndex.from_arrays(levels, names=names)
            return pd.DataFrame(rows, index.get_level_values(0) if len(names) == 1 else index)

        return self._each(frame)

    def gauge(
        self,
        tolerance: float | None = None,
        pool: float | None = None,
        multiplier: float = 6,
    ) -> pd.DataFrame:
        """Show the components as a study of gauge repeatability and reproducibility.

        Parameters
        ----------
        tolerance : float, optional
            Width of the specification, for ``share_of_tolerance``.
        pool : float, optional
            With one facet, the interaction becomes part of the repeatability if its F test has a
            larger p-value; Minitab has 0.05. Default: never.
        multiplier : float, default 6
            Standard deviations in the study variation.

        Returns
        -------
        DataFrame
            Rows ``total_gauge, repeatability, reproducibility``, each effect, the items and
            ``total``: the variance `estimate`, none below 0, with limits, its ``contribution`` to
            the total, ``sd, study_variation, share_of_study, share_of_tolerance``.

        Raises
        ------
        OptionError
            If a number is not above 0, or `pool` is asked of another design.

        Warns
        -----
        LookalikeLabelsWarning
            If there are fewer items than levels of the only facet: the two look swapped.
        """
        for name, value in (("tolerance", tolerance), ("multiplier", multiplier)):
            if value is not None and not (is_number(value) and 0 < value < np.inf):
                raise OptionError(f"{name}={shown(value)} must be a number above 0.")
        for design in [fit.design for fit in self.fits if len(fit.design.facets) == 1]:
            [facet] = design.facets
            n_items, n_levels = design.n_levels[:2]
            if n_items < n_levels and facet not in design.closure[design.item]:
                warn(
                    f"There are {n_items:.0f} levels of {design.item!r} and {n_levels:.0f} of "
                    f"{facet!r}: are items and facet swapped?",
                    LookalikeLabelsWarning,
                )
        return self._each(lambda fit: self._pooled(fit, pool).gauge(tolerance, multiplier))

    def distinct_categories(self, pool: float | None = None) -> float | pd.Series:
        """Count the classes of items that the gauge tells apart, 1.41 sd of items over its own.

        Parameters
        ----------
        pool : float, optional
            See `gauge`.

        Returns
        -------
        int or Series
            From 1 upwards; one for each group. NaN where there are no components.
        """
        found = []
        for fit in self.fits:
            sd = self._pooled(fit, pool).gauge(None, 6)["sd"]
            ratio = np.sqrt(2) * sd[fit.design.item] / sd["total_gauge"]
            found.append(max(1, int(ratio)) if np.isfinite(ratio) else np.nan)
        return found[0] if self.groups is None else pd.Series(found, self.groups)

    def _pooled(self, fit: Fit, pool: float | None) -> Fit:
        """Pool the interaction if that is asked for."""
        if pool is None:
            return fit
        if not (is_number(pool) and 0 < pool < 1):
            raise OptionError(f"pool={shown(pool)} must lie between 0 and 1, such as 0.05.")
        return fit.pooled(pool)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames by name."""
        return {"components": self.components, "coefficients": self.coefficients}

    @property
    def sentence(self) -> str:
        """The design, and of a single study what was found."""
        found = self.fits[0].findings() if self.groups is None else []
        return " ".join([self._design(), *found])

    def _design(self) -> str:
        """Say what the design is, how large, and how its components were estimated."""
        design = self.fits[0].design
        sizes = [
            f"{n:.0f} {name}"
            for name, n in zip(design.names[:-1], design.n_levels[:-1], strict=True)
            if " x " not in name
        ]
        how = "REML" if self.fits[0].method == "reml" else "analysis of variance"
        kind = "" if design.is_balanced else ", unbalanced"
        n_scores = len(design.scores)
        return f"{design.title}{kind}: {', '.join(sizes)}, {n_scores} scores. Components by {how}."

    @property
    def plot(self) -> StudyPlots:
        """The components as bars; ``plot.projection(facet)`` as a curve."""
        return StudyPlots(self)


def _sizes(name: str, given: Any) -> list[float]:
    """Return sizes of a facet, as a list."""
    sizes: Iterable[Any] = given if pd.api.types.is_list_like(given) else [given]
    values = list(sizes)
    for size in values:
        if not is_number(size) or not 1 <= size < np.inf:
            name = "repeats" if name == RESIDUAL else name
            raise OptionError(f"{name}={shown(size)} must be a number from 1 upwards.")
    return values


class StudyPlots:
    """Pictures of a generalizability study, as ``study.plot()``."""

    def __init__(self, study: Any) -> None:
        """Keep the study."""
        self._study = study

    def __repr__(self) -> str:
        """Show a menu of the pictures."""
        return f"Pictures of a study\n\n{menu_of_methods(public_methods(type(self)))}"

    def __call__(self, *, ax: Axes | None = None) -> Axes:
        """Draw the components.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            See `components`.
        """
        return self.components(ax=ax)

    def components(self, *, ax: Axes | None = None) -> Axes:
        """Draw the components of variance with their limits.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            With a bar for each effect (and group). Limits that are far away end in an arrow.
        """
        from pdkappa.present.plot_estimates import draw_components

        level = self._study.options["confidence_level"]
        line = line_of(self._study.components)
        return draw_components(self._study.components, level=level, line=line, ax=ax)

    def projection(
        self, facet: Label, sizes: Sequence[float] = tuple(range(1, 11)), *, ax: Axes | None = None
    ) -> Axes:
        """Draw g and phi against the number of levels of a facet.

        Parameters
        ----------
        facet : label
            Other facets keep their size.
        sizes : sequence of number, default 1 to 10
            The numbers of levels.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            With a line and a band for each coefficient.

        Raises
        ------
        OptionError
            If there is no such facet, or the study is of several groups.
        """
        if self._study.groups is not None:
            message = "The picture is of one study. Draw one group after the other, without by=."
            raise OptionError(message)
        frame = self._study.project({facet: list(sizes)})
        from pdkappa.present.plot_estimates import draw_projection

        level = self._study.options["confidence_level"]
        return draw_projection(frame, level=level, line=line_of(frame), ax=ax)


Method: TypeAlias = Literal["anova", "reml"]
TAKEN = ("residual", "repeats", "total", "total_gauge", "repeatability", "reproducibility")


def _check_columns(option: str, value: object) -> None:
    """Refuse what is no list of columns."""
    if not isinstance(value, list | tuple) or not all(map(is_label, value)):
        raise OptionError(f"{option} must be a list of columns, got {shown(value)}.")


def _check_nested(option: str, value: Any) -> None:
    """Refuse what does not say of columns which others they are in."""
    if not isinstance(value, dict):
        message = f"{option} must be a dict such as {{'rater': 'task'}}, got {shown(value)}."
        raise OptionError(message)
    for name, outer in value.items():
        _check_columns(f"{option}[{shown(name)}]", outer if isinstance(outer, list) else [outer])


class OfGeneralizability(has.Rating, has.Item, has.By, has.Level):
    """Options of `generalizability`."""

    figure = "components of variance"

    facets: list[Label] = option(
        "The columns of what else may make scores differ, such as raters, tasks and occasions.",
        "list of column labels",
        check=_check_columns,
    )
    nested: dict[Label, Any] | None = option(
        'What each facet is nested in, ``{"rater": "task"}``, where labels recur: rater 1 of a '
        "task is not rater 1 of another. Nesting is found by itself where they do not.",
        "dict of column label or list of them",
        default=None,
        check=_check_nested,
    )
    fixed: list[Label] | tuple[Label, ...] = option(
        "Facets whose levels are all that there are, not a sample of them.",
        "list of column labels",
        default=(),
        check=_check_columns,
    )
    method: Method | None = anew(
        has.Method,
        "method",
        also="By analysis of variance or restricted maximum likelihood. "
        'None: "anova" if the design is balanced, else "reml".',
        choices=Method,
        default=None,
    )


@asks(OfGeneralizability, rating="The scores, which are numbers. Rows without one are left out.")
def generalizability(data: pd.DataFrame, asked: OfGeneralizability) -> Generalizability:
    """Estimate what makes scores differ, and how well the mean of an item would be known.

    How much of the variance of scores is due to items, raters, tasks, and to all of them together?
    How many raters and tasks are needed? The frame has one score in each row.

    Returns
    -------
    Generalizability
        Its ``components``, ``coefficients``, ``project(rater=[1, 2], task=3)`` and ``gauge()``.

    Raises
    ------
    RatingTypeError
        If scores are not numbers.
    RatingsError
        If every item has one score, so that nothing tells items from errors.
    TooLargeError
        If REML would need more memory than is sensible.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    See Also
    --------
    icc : Raters alone, with a test.
    trials : The same question of categories.

    Notes
    -----
    Effects are all unions of factors with what they are nested in. With one score in each cell the
    last one is the residual. "anova" is Henderson's method I, the analogous analysis of variance
    of [1]_, which in balanced designs is that of textbooks; an estimate below 0 is shown, and
    counts as 0. "reml" starts there, and has none below 0.

    ``g`` and ``phi`` are the shares of true variance in the mean of an item, for decisions by rank
    and by level. Numbers of levels are harmonic means where they differ.

    All limits are generalized confidence limits [2]_: quantiles of the figure when each mean
    square is drawn as its degrees of freedom have it. In unbalanced designs these come from samples
    of the fitted model on the same cells.

    References
    ----------
    .. [1] Brennan, R. L. (2001). Generalizability theory. Springer.
           https://doi.org/10.1007/978-1-4757-3456-0
    .. [2] Burdick, R. K., Borror, C. M., & Montgomery, D. C. (2005). Design and analysis of gauge
           R&R studies. SIAM. https://doi.org/10.1137/1.9780898718379

    Examples
    --------
    >>> scores = pd.DataFrame({
    ...     "person": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "task": ["a", "b", "c"] * 4,
    ...     "score": [3, 4, 4, 5, 7, 6, 1, 3, 2, 6, 6, 8],
    ... })
    >>> study = scores.kappa.generalizability(rating="score", item="person", facets=["task"])
    >>> study.components[["df", "estimate", "share"]].round(2)
              df  estimate  share
    effect
    person     3      4.44   0.83
    task       2      0.39   0.07
    residual   6      0.53   0.10
    """
    names = _names(asked)
    frame, by = read_columns(data, "generalizability", {"score": asked.rating} | names, by=asked.by)
    scores = numbers_of(frame[asked.rating], f"Column {asked.rating!r}", RatingTypeError)
    frame, scores = frame[~np.isnan(scores)], scores[~np.isnan(scores)]
    if not np.isfinite(scores).all():
        where = listing(frame.index[~np.isfinite(scores)])
        message = (
            f"Column {asked.rating!r} holds an infinite score, at index {where}. Drop that row."
        )
        raise RatingsError(message)
    if not by:
        return Generalizability([_fit(frame, scores, asked)], None)
    group, groups = number_groups(frame, by)
    places = [group == k for k in range(len(groups))]
    return Generalizability([_fit(frame[k], scores[k], asked) for k in places], groups)


def _names(asked: OfGeneralizability) -> dict[str, Label]:
    """Check the names of facets, what they are nested in, and which are fixed."""
    if not asked.facets:
        raise OptionError("facets is an empty list. Name the columns of raters, tasks or others.")
    names = [asked.item, *asked.facets]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        message = f"item and facets name {listing(twice)} more than once. Name each column once."
        raise OptionError(message)
    if taken := [name for name in names if name in TAKEN]:
        message = (
            f"{listing(taken)} is a row of the result, too. Rename the column in data with "
            "data.rename(columns=...)."
        )
        raise OptionError(message)
    for name in asked.fixed:
        if name not in asked.facets:
            message = f"fixed={shown(name)} is none of the facets {listing(asked.facets)}."
            raise OptionError(message)
    for name in [
        *(asked.nested or {}),
        *(one for some in _parents(asked).values() for one in some),
    ]:
        if name not in names:
            message = f"nested= names {shown(name)}, which is neither the item nor a facet."
            raise OptionError(message)
    return {f"facet {name}" if name != asked.item else "item": name for name in names}


def _parents(asked: OfGeneralizability) -> dict[Label, list[Label]]:
    """Return what the user says that each factor is nested in."""
    given = asked.nested or {}
    return {name: one if isinstance(one, list) else [one] for name, one in given.items()}


def _fit(frame: pd.DataFrame, scores: Any, asked: OfGeneralizability) -> Fit:
    """Find the levels of each factor, and what it is nested in; set up the design."""
    names, parents = [asked.item, *asked.facets], _parents(asked)
    told = closures({str(one): [str(x) for x in parents.get(one, [])] for one in names})
    if not told:
        raise OptionError(f"nested={asked.nested!r} goes in a circle. Say which facet is in which.")
    levels = {}
    for name in names:
        own = [one for one in names if str(one) in told[str(name)]]
        levels[str(name)] = number(frame, own, "level of " + str(name))[0]
        if len(frame) and not levels[str(name)].any():
            if name == asked.item:
                raise RatingsError(f"Column {name!r} holds a single item. Two or more are needed.")
            raise OptionError(f"facets names {name!r}, which has one level. Leave it out.")
    if not len(frame) or levels[str(asked.item)].max() + 1 == len(frame):
        message = (
            f"Column {asked.item!r} has one score for each item, so that nothing tells items from "
            "errors. Pass all scores, one in each row."
        )
        raise RatingsError(message)
    closure = closures({one: [*told[one] - {one}, *nested_in(levels, one)] for one in levels})
    effects, fixed = effects_of(levels, closure), frozenset(map(str, asked.fixed))
    title = name_of_effect(frozenset(levels), closure)
    design = Design(str(asked.item), effects, scores - scores.mean(), closure, fixed, title)
    method = asked.method or ("anova" if design.is_balanced else "reml")
    asked.tell(method=method)
    fit = Fit(design, method, asked.level)
    fit.estimates.setflags(write=False)  # computed here, so that a call raises its errors
    return fit
