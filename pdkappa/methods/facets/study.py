"""What makes scores differ, and how many raters and tasks are needed: `generalizability`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, check_choice, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.methods.estimates.options import check_by, check_several, is_label, number_that
from pdkappa.methods.estimates.pair_frames import tabled, warn_if_swapped, whole
from pdkappa.methods.estimates.real_scores import check_sizes
from pdkappa.methods.facets.components import FIGURES, REPEATS, RESIDUAL, SOURCES, Fit, design_of
from pdkappa.present.findings import Finding, Findings, figure_of, part_of, range_of
from pdkappa.present.labels import listed
from pdkappa.present.text_markup import Pictures
from pdkappa.present.text_tables import Bundle, Result, line_of
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import each_group, read_columns, where_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from pdkappa._typing import Label

OF_GAUGE = {"share_of_study": "study variation", "share_of_tolerance": "tolerance"}
ABOVE = number_that(lambda value: 0 < value < np.inf, "be a number above 0")
LEAST_GAIN = 0.005  # of phi, that is worth a line
DIGITS = 9  # of a number of ratings that is computed
SIZE = number_that(lambda value: 1 <= value < np.inf, "be a number from 1 upwards")
TAKEN = {RESIDUAL, REPEATS, "total", *SOURCES, "n_ratings", "reason"}
PROJECTED = [f"{name}{end}" for name in FIGURES for end in ("", "_low", "_high")]
TAKEN |= {*PROJECTED}
OF_TABLES = {"component", "figure", "source", "df", "estimate", "se", "ci_low", "ci_high", "share"}
OF_TABLES |= {"contribution", "sd", "study_variation", *OF_GAUGE, "reason"}


def _of_each(
    fits: list[Fit], groups: pd.Index | None, frame: Any, figure: str = "estimate"
) -> Result:
    """Put the frames of the groups one below the other; note of how many items they are."""
    n_items = sum(float(fit.design.n_levels[fit.design.item_place]) for fit in fits)
    frames = [frame(fit).assign(reason=fit.reason) for fit in fits]
    return tabled(frames, n_items, groups=groups, figure=figure)


def _projected(fit: Fit, *, sizes: dict[str, list[float]]) -> pd.DataFrame:
    """One row for each combination of sizes."""
    rows = []
    for one in product(*sizes.values()):
        wanted = dict(zip(sizes, one, strict=True))
        shares = fit.shares_of(wanted)  # of the residual it is one over the ratings of an item
        figures = dict(zip(PROJECTED, fit.coefficients(shares).to_numpy().ravel(), strict=True))
        rows.append(wanted | {"n_ratings": round(1 / shares[-1], DIGITS)} | figures)
    frame = pd.DataFrame(rows)
    frame["n_ratings"] = whole(frame["n_ratings"].to_numpy())
    return frame.set_index([*sizes]) if sizes else frame


def _classes(gauge: pd.DataFrame) -> pd.Series:
    """Count the classes of items that a gauge tells apart; NaN without components."""
    own, total = (part_of(gauge, source=name)["estimate"] for name in ("total_gauge", "total"))
    with np.errstate(divide="ignore"):
        found = np.sqrt(2 * (total.to_numpy() - own) / own)
    return np.floor(found).clip(lower=1).rename("distinct_categories")


class OfGauge(Asked):
    """Options of the gauge."""

    figure = "gauge repeatability and reproducibility"

    tolerance: float | None = anew(
        has.Tolerance, "tolerance", also="Width of the specification.", default=None, check=ABOVE
    )
    multiplier: float = option(
        "Standard deviations in the study variation.", "float", default=6, check=ABOVE
    )
    pool: float | None = option(
        "With one facet, the interaction becomes part of the repeatability if its F test has a "
        "larger p-value; Minitab has 0.05. Default: never.",
        "float",
        default=None,
        check=number_that(lambda value: 0 < value < 1, "lie between 0 and 1, such as 0.05"),
    )

    def found_in(self, made: Any) -> Findings:
        """Say how much of the variation is the gauge's own, and how many classes it tells apart."""
        own = part_of(made, source="total_gauge")
        known = [name for name in OF_GAUGE if own[name].notna().any()]
        said = [f"{range_of(100 * own[name], 0)} % of the {OF_GAUGE[name]}" for name in known]
        told = f"The gauge makes {' and '.join(said)}" if said else "Nothing is known of the gauge"
        return Findings(f"{told}; classes that it tells apart: {range_of(_classes(made), 0)}.")


@dataclass(frozen=True, repr=False, eq=False)
class Generalizability(Bundle):
    """Components of variance of scores, and what follows from them.

    Attributes
    ----------
    components : DataFrame
        One row for each effect (and group), with its limits and its share of the total. An estimate
        may be below 0, which counts as 0 in `share` and in all other figures.
    coefficients : DataFrame
        One row for each figure of the mean of an item (and group), with its limits. ``g`` and
        ``phi`` are in [0, 1]; ``sem_relative``, ``sem_absolute`` and the smallest detectable
        changes ``sdc_relative``, ``sdc_absolute`` have the unit of the scores.
    fits : list of Fit
        The components of each group, and their design.
    groups : Index or None
        The labels of the groups.

    See Also
    --------
    df.kappa.generalizability : Compute it.
    """

    components: pd.DataFrame
    coefficients: pd.DataFrame
    fits: list[Fit]
    groups: pd.Index | None

    def project(
        self, sizes: dict[Label, Any] | None = None, *, repeats: Any = None, **named: Any
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
            Facets that are not named keep the size that they have in the study; each item meets
            each combination of these with the sizes that are named.

        Returns
        -------
        DataFrame
            One row for each combination (and group), with the sizes as index: ``n_ratings`` of an
            item, the figures of `coefficients`, each with ``_low`` and ``_high``, and ``reason``.

        Raises
        ------
        OptionError
            If a facet is not known, a size is below 1, or groups are called as a column.

        Warns
        -----
        UndefinedKappaWarning
            Once, if the figures are NaN.

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
        1             1  0.89  0.83
        3             3  0.96  0.94
        6             6  0.98  0.97
        """
        if not isinstance(sizes, dict | None):
            raise OptionError("sizes must be a dict, such as {'rater': 2}.")
        given: dict[Any, Any] = {**(sizes or {}), **named}
        given |= {} if repeats is None else {"repeats": repeats}
        wanted = dict[str, list[float]]()
        for name, size in given.items():
            check_choice("facet", str(name), self.fits[0].usual)
            wanted[str(name)] = [*size] if pd.api.types.is_list_like(size) else [size]
            for one in wanted[str(name)] or [size]:
                SIZE(str(name), one)
        if self.groups is not None:
            check_by([*self.groups.names], TAKEN)
        frame = _of_each(self.fits, self.groups, partial(_projected, sizes=wanted), FIGURES[0])
        return self._told._replace(found=None).of(frame)

    @asks(OfGauge)
    def gauge(self, asked: OfGauge) -> pd.DataFrame:
        """Show the components as a study of gauge repeatability and reproducibility.

        Returns
        -------
        DataFrame
            Rows ``total_gauge, repeatability, reproducibility``, each effect, the items and
            ``total``: the variance `estimate`, none below 0, with limits, its ``contribution`` to
            the total, ``sd, study_variation, share_of_study, share_of_tolerance``, and ``reason``.

        Raises
        ------
        OptionError
            If a number is not above 0, or `pool` is asked of another design.

        Warns
        -----
        LookalikeLabelsWarning
            If there are fewer items than levels of the only facet: the two look swapped.

        Notes
        -----
        Sums of components have modified large-sample limits [1]_, no lower than those of their
        parts; single ones have the limits of `components`.

        References
        ----------
        .. [1] Burdick et al., 2005
        .. [2] Automotive Industry Action Group, 2010
        """
        asked.tell(confidence_level=self.fits[0].level)
        for design in [fit.design for fit in self.fits]:
            if design.title.split(" x ") == design.names[:2]:  # a single facet, and no nesting
                warn_if_swapped(*zip(design.names[:2], design.n_levels[:2], strict=True))
        fits = self.fits if asked.pool is None else [fit.pooled(asked.pool) for fit in self.fits]
        gauge = partial(Fit.gauge, tolerance=asked.tolerance, multiplier=asked.multiplier)
        return _of_each(fits, self.groups, gauge)

    def distinct_categories(self, pool: float | None = None) -> float | pd.Series:
        """Count the classes of items that the gauge tells apart, 1.41 sd of items over its own.

        Parameters
        ----------
        pool : float, optional
            As of `gauge`.

        Returns
        -------
        int or Series
            From 1 upwards; one for each group. NaN where there are no components.
        """
        found = _classes(self.gauge(pool=pool))
        one = found.iloc[0]
        return found if self.groups is not None else int(one) if np.isfinite(one) else one

    @property
    def plot(self) -> StudyPlots:
        """The components as bars; ``plot.projection(facet)`` as a curve."""
        return StudyPlots(self)


class StudyPlots(Pictures):
    """Pictures of a generalizability study, as ``study.plot()``."""

    _subject = "a study"

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

        frame = self._of.components
        return draw_components(frame, level=self._of.fits[0].level, line=line_of(frame), ax=ax)

    __call__ = components

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
        if self._of.groups is not None:
            told = "The picture is of one study. Draw one group after the other, without by=."
            raise OptionError(told)
        frame = self._of.project({facet: list(sizes)})
        from pdkappa.present.plot_estimates import draw_projection

        return draw_projection(frame, level=self._of.fits[0].level, line=line_of(frame), ax=ax)


Method: TypeAlias = Literal["anova", "reml"]


def _check_nested(option: str, value: Any) -> None:
    """Refuse what does not say of columns which others they are in."""
    if not isinstance(value, dict):
        raise OptionError(f"{option} must be a dict, such as {{'rater': 'task'}}.")


def _listed(names: Any) -> list[Any]:
    """Return one label, or several, as a list."""
    return [*names] if isinstance(names, list | tuple) else [names]


class OfGeneralizability(has.Rating, has.Item, has.By, has.Level):
    """Options of `generalizability`."""

    figure = "components of variance"

    facets: Label | list[Label] = option(
        "The columns of what else may make scores differ, such as raters, tasks and occasions.",
        "column label or list of column labels",
        check=check_several,
    )
    nested: dict[Label, Any] | None = option(
        'What each facet is nested in, ``{"rater": "task"}``, where labels recur: rater 1 of a '
        "task is not rater 1 of another. Nesting is found by itself where they do not.",
        "dict of column label or list of them",
        default=None,
        check=_check_nested,
    )
    fixed: Label | list[Label] = option(
        "Facets whose levels are all that there are, not a sample of them.",
        "column label or list of column labels",
        default=(),
    )
    method: Method | None = anew(
        has.Method,
        "method",
        also="By analysis of variance or restricted maximum likelihood. "
        'None: "anova" if the design, of all groups, is balanced, else "reml".',
        choices=Method,
        default=None,
    )

    def found_in(self, made: Any) -> Findings:
        """Say what the design is, how well an item is known, and what would help most."""
        fits, [fit, *others] = made.fits, made.fits
        title = " or ".join(dict.fromkeys(one.design.title for one in fits))
        levels = zip(fit.design.names[:-1], fit.design.n_levels[:-1], strict=True)
        sizes = ", ".join(f"{n:.0f} {name}" for name, n in levels if " x " not in name)
        size = f"{len(fits)} groups" if others else f"{sizes}, {fit.design.n} scores"
        how = "REML" if fit.method == "reml" else "analysis of variance"
        kind = "" if all(one.design.is_balanced for one in fits) else ", unbalanced"
        is_known = not all(one.reason for one in fits)
        g, phi = (figure_of(part_of(made.coefficients, figure=one)) for one in FIGURES[:2])
        said = [
            f"The mean of {fit.design.item} is known with g {g} for ranks and phi {phi} for levels."
        ]
        gains = {fit.phi_of_twice(name): name for name in fit.usual if name not in fit.design.fixed}
        if gains and not others and max(gains) - fit.phi_of_twice("") >= LEAST_GAIN:
            best, phi = gains[max(gains)], f"{max(gains):.2f}"
            said.append(f"Twice as many levels of {best} help most: phi would be {phi}.")
        below = made.components.index[made.components["estimate"] < 0].get_level_values(-1).unique()
        if len(below):
            said.append(f"Estimates below 0 count as 0: {listed([*below])}.")
        return Findings(
            f"{title}{kind}: {size}. Components by {how}.",
            tuple(Finding("study", "", one, "coefficients") for one in said if is_known),
            subject=f"Variance of {title}",
        )


@asks(OfGeneralizability, rating="The scores, which are numbers. Rows without one are left out.")
def generalizability(data: pd.DataFrame, asked: OfGeneralizability) -> Generalizability:
    """Estimate what makes scores differ, and how well the mean of an item would be known.

    How much of the variance of scores is due to items, raters, tasks, and to all of them together?
    How many raters and tasks are needed? The frame has one score in each row.

    Returns
    -------
    Generalizability
        Its ``components``, ``coefficients``, ``project(rater=[1, 2], task=3)`` and ``gauge()``, in
        which ``reason`` says why figures are NaN: ``few_items`` (effects cannot be told apart), or
        ``constant_ratings``.

    Raises
    ------
    RatingsError
        If every item has one score, so that nothing tells items from errors.
    TooLargeError
        If REML would need more memory than is sensible.

    See Also
    --------
    icc : Raters alone, with a test.
    trials : The same question of categories.

    Notes
    -----
    Effects are all unions of factors with what they are nested in. With one score in each cell the
    last one is the residual. "anova" is Henderson's method I, the analogous analysis of variance
    of [1]_, which in balanced designs is that of textbooks; an estimate below 0 is shown, and
    counts as 0. "reml" starts there, and has none below 0. ``df`` is the number of dimensions that
    the levels of an effect add to those of its parts.

    ``g`` and ``phi`` are the shares of true variance in the mean of an item, for decisions by rank
    and by level. Numbers of levels are harmonic means where they differ. Where items lie in a facet
    (parts in operators), ranks are those within one level of it, and levels those across.

    All limits are generalized confidence limits [2]_: quantiles of the figure when each mean
    square is drawn as its degrees of freedom have it. In unbalanced designs these come from samples
    of the fitted model on the same cells.

    References
    ----------
    .. [1] Brennan, 2001
    .. [2] Burdick et al., 2005

    Examples
    --------
    >>> scores = pd.DataFrame({
    ...     "person": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "task": ["a", "b", "c"] * 4,
    ...     "score": [3, 4, 4, 5, 7, 6, 1, 3, 2, 6, 6, 8],
    ... })
    >>> study = scores.kappa.generalizability(rating="score", item="person", facets=["task"])
    >>> study.components[["df", "estimate", "share"]].round(2)
              df  estimate  share
    component
    person     3      4.44   0.83
    task       2      0.39   0.07
    residual   6      0.53   0.10
    """
    names = [asked.item, *_listed(asked.facets)]
    roles = {f"facet {place}" if place else "item": name for place, name in enumerate(names)}
    check_by(asked.by, OF_TABLES)
    frame, by = read_columns(data, "generalizability", {"score": asked.rating} | roles, by=asked.by)
    given = {name: _listed(outer) for name, outer in (asked.nested or {}).items()}
    parents = {name: list[Any]() for name in names} | given
    fixed = _listed(asked.fixed)
    nested = [*parents, *chain(*parents.values())]
    for some, allowed, message in (
        (names, {*names} - TAKEN, "{} is a row of the result, too. Rename the column."),
        (fixed, {*names[1:]}, "fixed= names {}, which is no facet."),
        (nested, {*names}, "nested= names {}, which is no item and no facet."),
    ):
        if wrong := [one for one in some if not (is_label(one) and one in allowed)]:
            raise OptionError(message.format(listing(wrong)))
    scores = numbers_of(frame[asked.rating], f"Column {shown(asked.rating)}")
    frame, scores = frame[~np.isnan(scores)], scores[~np.isnan(scores)]
    check_sizes(scores, lambda rows: f"{listing(scores[rows])}{where_in(frame.index, rows)}")
    parts = each_group(frame, by)
    if frame.empty:
        raise RatingsError(f"Column {shown(asked.rating)} holds no scores.")
    designs = []
    for k, rows in enumerate(parts.rows):
        try:
            designs.append(design_of(frame[rows], parents, fixed))
        except (OptionError, RatingsError) as error:
            if parts.labels is None:
                raise
            raise type(error)(f"In group {listing(parts.labels[[k]].tolist())}: {error}") from error
    method = asked.method or ("anova" if all(one.is_balanced for one in designs) else "reml")
    asked.tell(method=method)
    fits = [
        Fit(design, scores[rows] - scores[rows].mean(), method, asked.level)
        for design, rows in zip(designs, parts.rows, strict=True)
    ]
    made = partial(_of_each, fits, parts.labels)
    return Generalizability(made(Fit.components), made(Fit.coefficients, ""), fits, parts.labels)
