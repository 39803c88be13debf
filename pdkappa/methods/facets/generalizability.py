"""What makes scores differ, and how many raters and tasks are needed: `generalizability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, RatingTypeError, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.facets.design import Design, closures, effects_of, name_of_effect, nested_in
from pdkappa.methods.facets.study import Fit, Generalizability
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import number_groups
from pdkappa.ratings.long_columns import number, read_columns

if TYPE_CHECKING:
    from pdkappa._typing import Label

Method: TypeAlias = Literal["anova", "reml"]
TAKEN = ("residual", "repeats", "total", "total_gauge", "repeatability", "reproducibility")


class OfGeneralizability(has.Rating, has.Item, has.By, has.Level):
    """Options of `generalizability`."""

    figure = "components of variance"

    facets: list[Label] = option(
        "The columns of what else may make scores differ, such as raters, tasks and occasions.",
        "list of column labels",
    )
    nested: dict[Label, Any] | None = option(
        'What each facet is nested in, ``{"rater": "task"}``, where labels recur: rater 1 of a '
        "task is not rater 1 of another. Nesting is found by itself where they do not.",
        "dict of column label or list of them",
        default=None,
    )
    fixed: list[Label] | tuple[Label, ...] = option(
        "Facets whose levels are all that there are, not a sample of them.",
        "list of column labels",
        default=(),
    )
    method: Method | None = option(
        "How components are estimated: analysis of variance or restricted maximum likelihood. "
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
    for option_, given in (("facets", asked.facets), ("fixed", asked.fixed)):
        if not pd.api.types.is_list_like(given) or (option_ == "facets" and not given):
            raise OptionError(f"{option_} must be a list of columns, got {shown(given)}.")
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
