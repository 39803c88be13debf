"""Frames of a report → its headline in plain words, and the call that makes it again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from pdkappa.present.html_drawings import count
from pdkappa.present.html_page import DIFFERENCE, Headline, with_limits
from pdkappa.present.labels import heading_of, rounded, weights_in_words
from pdkappa.present.schema import LEAST_P, REASONS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    import pandas as pd

    from pdkappa.present.sheets import Sheet

PAIR = 2
CONVENTION = (
    "Such words are conventions: they take no account of the number of categories or of what is at "
    "stake."
)
FISHER = "Means of coefficients are taken on Fisher's z scale."
AT_HAND = "The interval is for these groups, not for others like them."
SHARED = f"{AT_HAND} It allows for the items that the pairs share."
HALF_PERCENT = 0.005  # what is less would be rounded to 0 %
ROUNDING = 1e-9  # by which a sum of shares or weights may be off
SIGNIFICANT = 0.05  # a convention, for the choice of words only
MOST_NAMED = 6  # raters in a sentence
LONGEST = 90  # characters of their names


def headline(
    summary: Sheet,
    tables: Mapping[str, pd.DataFrame],
    options: Mapping[str, Any],
    *,
    name: str,
    corrected: bool,
    others: Sequence[Figure] = (),
    machines: Sequence[Figure] = (),
    of_pairs: str = "",
    details: Sequence[str] = (),
    remark: str = "",
    title: str = "",
) -> Headline:
    """Read out the main figure of a report.

    It is the coefficient of the pair, if there are two raters; that of all raters together, if
    there are more; and with groups the mean over them.

    Parameters
    ----------
    summary : Sheet
        Its first rows are the figures of machines, the next is the main figure; its first part
        lists what was analysed.
    tables : dict of DataFrame
        The others of the report: ``pairs``, with groups also ``groups``, ``pooled`` and
        ``heterogeneity``.
    options : dict
        Those of the report.
    name : str
        What the main figure is called in a sentence.
    corrected : bool
        Whether agreement by chance is taken off.
    others : sequence of figures
        The same with other weights.
    machines : sequence of figures
        The agreement of humans, that of machines with humans, and the difference; or only that
        of machines with the one human.
    of_pairs : str
        What the coefficient of a pair is called in a sentence.
    details : sequence of str
        More about machines.
    remark : str
        Why the limits of the main figure are unreliable; empty if nothing speaks against them.
    title : str
        The title of the page; by default it names the raters.
    """
    several, weights = len(options["raters"]) > PAIR, weights_in_words(options["weights"])
    mean = _mean_over(tables, options, several=several)
    has_main = len(summary.frame) > len(machines)
    row = summary.frame.iloc[len(machines)] if has_main else tables["pairs"].iloc[0]
    made = Headline(
        subject=_and([str(one) for one in options["raters"]]),
        measure=f"{f'Mean over {mean} of {name}' if mean else name}, {weights}",
        estimate=float(row["estimate"]),
        low=float(row["ci_low"]),
        high=float(row["ci_high"]),
        level=f"{100 * options['confidence_level']:.10g} %",
        sentences=(),
        facts=tuple(summary.parts[0].frame.itertuples(index=False, name=None)),
        title=title,
        others=tuple((weights_in_words(one.weights), _limits(one)) for one in others),
        **_compared(machines, f"{of_pairs}, {weights}", by_group=bool(mean)),
    )
    if options["by"] is not None:
        rest = list(_over_groups(tables, options, several=several))
    elif several:
        rest = [_range(tables["pairs"].set_index(["rater_a", "rater_b"]), "Pairs")]
    else:
        pair = tables["pairs"].iloc[0]
        rest = [_chance(pair, options) if corrected else "", _most(pair)]
    if math.isnan(made.estimate):
        main = [_undefined(made, tables, options)]
    else:
        where = _on_items(float(row["n_items"]), tables, options, several=several)
        figure = f"{name} {rounded(made.estimate)}{' on average' if mean else ''}"
        limits = f"{made.interval or 'no interval'}; {weights}"
        begin = f"{where}, the" if where else "The"
        spoken = f"{begin} agreement of {made.subject} is {figure} ({limits})."
        warned = f"{remark[0].upper()}{remark[1:]}." if remark else ""
        main = [spoken, warned, _in_words(row), _against_chance(made) if corrected else ""]
    told = [_of_machines(machines, made.level), _which_is_more(made), *details]
    main = [*told, *main] if made.compared else [*main, *told]
    every = [*main, _with_weights(made), *rest]
    return made._replace(sentences=tuple(one for one in every if one))


class Figure(Protocol):
    """A figure with its weights, and a row of numbers with the names of columns."""

    @property
    def weights(self) -> Any:
        """The weights as the user would pass them."""

    @property
    def row(self) -> pd.Series[Any]:
        """The estimate, its limits, and what else is known."""


def _limits(one: Figure) -> tuple[float, float, float]:
    """Return a figure and its limits."""
    low, high = float(one.row["ci_low"]), float(one.row["ci_high"])
    return float(one.row["estimate"]), low, high


def _with_weights(made: Headline) -> str:
    """Tell the same figure with other weights."""
    told = " and ".join(
        f"{'with ' * name.endswith('weights')}{name} it is {with_limits(*figures, made.level)}"
        for name, figures in made.others
        if not math.isnan(figures[0])
    )
    return f"{told[0].upper()}{told[1:]}." if told else ""


def _of_machines(figures: Sequence[Figure], level: str) -> str:
    """Tell how far machines agree with humans, and humans with each other."""
    if not figures:
        return ""
    told = [with_limits(*_limits(one), level) for one in figures]
    if len(figures) == 1:
        return (
            f"Machines agree with the one human at {told[0]}; there is no other human to compare "
            f"with."
        )
    error = float(figures[-1].row["se"])
    spread = "" if math.isnan(error) else f", with a standard error of {error:.3f}"
    return (
        f"Humans agree with each other at {told[0]}, machines with humans at {told[1]}. The "
        f"difference, machines less humans, is {told[2]}{spread}."
    )


def _compared(machines: Sequence[Figure], measure: str, *, by_group: bool) -> dict[str, Any]:
    """Name the three figures of humans, of machines, and of how far they are apart."""
    if len(machines) <= 1:
        return {}
    names = ("Humans with each other", "Machines with humans", DIFFERENCE)
    what = "pairs and groups" if by_group else "pairs"
    figures = tuple(zip(names, map(_limits, machines), strict=True))
    return {"compared": figures, "of_compared": f"Mean over {what} of {measure}"}


def _which_is_more(made: Headline) -> str:
    """Say what the interval of the difference allows to say."""
    if not made.compared:
        return ""
    _, (_, low, high) = made.compared[-1]
    if low > 0:
        return "The interval is above 0: machines agree with humans more than humans do."
    if high < 0:
        return "The interval is below 0: machines agree with humans less than humans do."
    if low <= 0 <= high:
        return (
            "The interval includes 0: it shows neither who agrees more with humans, nor that "
            "both agree equally well."
        )
    return ""


def _on_items(
    items: float, tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any], *, several: bool
) -> str:
    """Count the items, and the ratings where some are missing.

    Those of a mean over pairs of raters are counted once for each pair, and not named.
    """
    if not several:
        return f"On {count(items)} items"
    if options["by"] is not None:
        return ""
    given, every = float(tables["agreement"]["n_ratings"].iloc[0]), len(options["raters"]) * items
    if math.isclose(given, every, rel_tol=ROUNDING):
        ratings = ""
    elif given < every / 2:  # nobody meant to rate all items
        ratings = f" ({count(given)} ratings)"
    else:
        ratings = f" ({count(given)} of {count(every)} ratings)"
    return f"On {count(items)} items{ratings}"


def _mean_over(
    tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any], *, several: bool
) -> str:
    """Name what the main figure is a mean over; nothing if it is no mean of coefficients."""
    if options["by"] is None or tables["pooled"]["n_groups"].iloc[-1 if several else 0] < PAIR:
        return ""
    return "pairs and groups" if several else "groups"


def _undefined(
    made: Headline, tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]
) -> str:
    """Say why there is no figure."""
    source = tables["pairs" if options["by"] is None else "pooled"]
    reason = str(source["reason"].iloc[0])
    return f"The agreement of {made.subject} is undefined. {REASONS.get(reason, reason)}"


def _in_words(row: pd.Series[Any]) -> str:
    """Say what others call it."""
    words = row["reading"]
    return f"In the words of Landis and Koch (1977) that is {words}. {CONVENTION}" if words else ""


def _against_chance(made: Headline) -> str:
    """Tell where chance alone may explain everything."""
    if made.low <= 0 <= made.high:
        return "The interval includes 0: chance alone may explain the agreement."
    return ""


def _over_groups(
    tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any], *, several: bool
) -> Iterator[str]:
    """Say what the mean is over, what its interval is for, and how far the groups differ."""
    pooled = tables["pooled"]
    row = pooled.iloc[-1 if several else 0]
    n, undefined = int(row["n_groups"]), int(row["n_undefined"])
    if not n:
        return
    mean = "mean" if options["group_weights"] is None else "weighted mean"
    left_out = f" ({undefined} undefined and left out)" if undefined else ""
    if several:
        each = f"coefficients, one of each pair and group{left_out}"
        yield f"It is the {mean} of {n} {each}. {FISHER}"
    elif n == 1:
        yield f"It is that of one group{left_out}."
    else:
        yield f"It is the {mean} over {n} groups{left_out}. {FISHER}"
    if not math.isnan(row["ci_low"]):
        yield SHARED if several else AT_HAND
    if not several:
        yield _range(tables["groups"].iloc[: -len(pooled)], "Groups")
        yield _differ(tables["heterogeneity"].iloc[0])


def _chance(row: pd.Series[Any], options: Mapping[str, Any]) -> str:
    """Compare the observed agreement with that by chance."""
    observed, expected = float(row["observed_agreement"]), float(row["expected_agreement"])
    if math.isnan(observed):
        return ""
    how = "" if options["weights"] is None else ", near misses counted in part"
    return (
        f"Observed agreement is {_percent(observed)}{how}; by chance alone it would be "
        f"{_percent(expected)}."
    )


def _percent(share: float) -> str:
    """Write a share; nearly all is not all, and next to nothing is not nothing.

    >>> _percent(0.625), _percent(0.998), _percent(1.0)
    ('62 %', 'over 99 %', '100 %')
    """
    if ROUNDING < share < HALF_PERCENT:
        return "under 1 %"
    if HALF_PERCENT > 1 - share > ROUNDING:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def _most(row: pd.Series[Any]) -> str:
    """Tell how far the raters could have agreed."""
    most = float(row["max_estimate"])
    return "" if math.isnan(most) else f"Their category shares allow at most {rounded(most)}."


def _range(frame: pd.DataFrame, what: str) -> str:
    """Name the rows with the least and the greatest estimate."""
    known = frame["estimate"].dropna().sort_values(kind="stable")
    if len(known) < PAIR:
        return ""
    names = () if what == "Pairs" else tuple(map(heading_of, known.index.names))
    ends = [f"{rounded(known.iloc[end])} ({_name(known.index[end], names)})" for end in (0, -1)]
    return f"{what} range from {ends[0]} to {ends[1]}."


def _differ(test: pd.Series[Any]) -> str:
    """Tell whether the groups differ by more than chance."""
    p = float(test["p_value"])
    if math.isnan(p):
        return ""
    shown = f"p < {LEAST_P}" if p < LEAST_P else f"p = {p:.4f}"
    if p < SIGNIFICANT:
        return f"The groups differ by more than chance explains (Cochran's Q, {shown})."
    return f"Chance alone may explain how the groups differ (Cochran's Q, {shown})."


def _and(names: Sequence[str]) -> str:
    """List names as a sentence does, count those beyond the first few, or all if they are long."""
    if len(names) > PAIR and sum(map(len, names[:MOST_NAMED])) > LONGEST:
        return f"{len(names)} raters"
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _name(label: Hashable, names: Sequence[Hashable]) -> str:
    """Name a group by its columns and values, or a pair of raters."""
    values = label if isinstance(label, tuple) else (label,)
    if not names:
        return " and ".join(map(str, values))
    return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
