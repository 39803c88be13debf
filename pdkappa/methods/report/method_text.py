"""An analysis -> the sentences of a methods section, and their references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP, is_binary
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import plural, shown
from pdkappa.methods.estimates.told import (
    EFFECTIVE,
    FIT,
    GUARDED,
    ON_Z,
    SCORE,
    WEIGHTED,
    cited,
    weighted_by,
)
from pdkappa.methods.report.analysis import numbers_of
from pdkappa.present.labels import as_rating, one_line
from pdkappa.present.text_markup import apa, counted, number_in_words, series
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdkappa._typing import Label, Weights
    from pdkappa.methods.report.analysis import Analysis, Numbers

PAIR = 2
MOST_CATEGORIES, LONGEST = 12, 120  # that are listed, and their characters
AT_HAND = "; they are for these groups, not for others like them"


def what_was_rated(asked: Analysis) -> Iterator[str]:
    """Say who rated what, and on which scale."""
    numbers = numbers_of(asked)
    study, raters = asked.study, asked.raters
    named = series(study.named_raters)
    who = counted(len(raters), "rater") + (f" ({named})" if named else "")
    between = "between" if len(raters) == PAIR else "among"
    groups = ""
    if asked.by_group:
        what = series(_columns(study.reading.by))
        groups = f", in {counted(study.n_groups, 'group')} ({what})"
    yield (
        f"Agreement was estimated {between} {who}, who gave "
        f"{counted(numbers.ratings, 'rating')} of {counted(numbers.items, 'item')}{groups}."
    )
    if asked.machines:
        machines, verb = counted(len(asked.machines), "rater"), "were machines"
        verb = "was a machine" if len(asked.machines) == 1 else verb
        of_machines = f" ({name})" if (name := series(asked.machines)) else ""
        yield f"{machines.capitalize()}{of_machines} {verb}; all others were human."
    yield _scale(asked)
    yield from _missing(numbers)
    yield from _counting(asked)


def how_measured(asked: Analysis, others: Sequence[Weights | None] = ()) -> Iterator[str]:
    """Say which coefficients were computed, with which weights, and what was averaged.

    `others` are weights with which the main figure was computed, too.
    """
    row = COEFFICIENTS[asked.coefficient]
    together = MULTIRATER[asked.together]
    source = row.source if asked.weights is None else WEIGHTED.get(row.source, row.source)
    pairs = cited(row.spoken, source)
    weights = weighted_by(asked.weights)
    if asked.is_mean:
        of_pair = "each pair of raters" if asked.several else "the raters"
        each = f"{of_pair}{' in each group' * (asked.study.n_groups > 1)}"
        yield f"The agreement of {each} was measured by {pairs}{weights}."
        yield from _averaged(asked)
    elif asked.several:
        every = cited(together.spoken, together.source)
        yield f"The agreement of all raters was measured by {every}{weights}."
        if together.spoken != row.spoken:
            yield f"That of each pair of raters was measured by {pairs}."
    else:
        yield f"Agreement was measured by {pairs}{weights}."
    if others:
        also = [
            f"with {one} weights ({WEIGHTS[one].source})" if isinstance(one, str) else "unweighted"
            for one in others
        ]
        yield f"The main figure was also computed {' and '.join(also)}."
    if asked.machines:
        yield from _machines(asked)


def how_sure(
    asked: Analysis, n_undefined: int, *, has_limits: bool, has_difference: bool
) -> Iterator[str]:
    """Say how confidence limits were computed, and what was not adjusted.

    `has_limits` tells whether the main figure has any, and `has_difference` whether that of
    machines and humans has.
    """
    n_coefficients, many = asked.estimates.tables.counts.n_tables, asked.several or asked.by_group
    of_any = bool((~np.isnan(asked.estimates.summary.ci_low)).any())
    yield from _limits(asked, of_any=of_any, has_limits=has_limits)
    if asked.machines and of_any and asked.several:
        yield from _limits_of_machines(asked, has_difference=has_difference)
    if n_undefined and many:
        every, were = counted(n_coefficients, "coefficient"), plural(n_undefined, "was", "were")
        yield (
            f"None of the {every} of pairs was defined."
            if n_undefined == n_coefficients
            else f"Of {every} of pairs, {number_in_words(n_undefined)} {were} undefined and left "
            "out of means."
        )
    if n_coefficients > 1 and of_any:
        yield "Intervals were not adjusted for multiplicity."


def _limits(asked: Analysis, *, of_any: bool, has_limits: bool) -> Iterator[str]:
    """Say how limits of pairs, and those of the main figure, were computed, if there are."""
    level = f"{100 * asked.interval.level:.10g}%"
    if asked.by_group and not asked.is_mean and has_limits:
        yield (
            f"The limits of the {level} confidence interval were computed from the standard error "
            "on Fisher's z scale with normal quantiles."
        )
        return
    many, apart = asked.several or asked.is_mean, asked.several and not asked.by_group
    of_pairs, of_all = limits_of_pairs(asked), limits_of_all(asked)
    apart = apart and (of_all != of_pairs or of_any != has_limits)
    of = " of the coefficients of groups" if many else ""
    if asked.several:
        of = f" of {'the coefficients of pairs' if asked.by_group or apart else 'all coefficients'}"
    if of_any:
        yield f"The limits of the {level} confidence interval{'s' * many}{of} were {of_pairs}."
    else:
        yield f"No {level} confidence interval{of * has_limits} could be computed."
    if apart and has_limits:
        yield f"Those of the coefficient of all raters were {of_all}."
    if many and of_any and not has_limits:
        main = "the mean" if asked.is_mean else "the coefficient of all raters"
        yield f"No {level} confidence interval of {main} could be computed."
    if asked.by_group and has_limits:
        shared = ", and allow for the items that pairs share" if asked.several else ""
        yield (
            "Those of the mean were computed from the standard errors of the coefficients on "
            f"Fisher's z scale with normal quantiles{shared}{AT_HAND * (asked.study.n_groups > 1)}."
        )


def limits_of_pairs(asked: Analysis) -> str:
    """Say how the limits of the coefficients of pairs are computed."""
    ci = asked.interval.ci
    linearised = asked.study.coded.clusters is not None
    if ci in ("auto", "score"):
        effective = EFFECTIVE * (asked.study.coded.clusters is not None)
        row = COEFFICIENTS[asked.coefficient]
        if not row.of_margins:
            return f"score limits of the share of disagreement (Wilson, 1927){effective}"
        if ci == "auto":
            return f"{GUARDED}{effective}"
        kinds = _kinds_of_tables(asked)
        if kinds == {True, False}:
            return f"{FIT} where two categories were used, and elsewhere {SCORE}{effective}"
        return f"{FIT if True in kinds else SCORE}{effective}"
    if ci == "fisher":
        return ON_Z + ("" if linearised else ", after one pseudo-item was added to each table")
    return _plain_limits(asked, "t" if linearised else "normal", _error(asked, of_all=False))


def limits_of_all(asked: Analysis) -> str:
    """Say how the limits of the coefficient of all raters together are computed."""
    row = MULTIRATER[asked.together]
    ci = asked.interval.ci
    if ci in ("auto", "score") and row.of_margins:
        of_pairs = limits_of_pairs(asked)  # which may have said what they are
        effective = EFFECTIVE * (asked.study.coded.clusters is not None)
        own = GUARDED if ci == "auto" else SCORE
        is_told = own in of_pairs and of_pairs != f"{own}{effective}"
        return "score limits" if is_told else f"{own}{effective}"
    if ci in ("auto", "score", "fisher"):
        return ON_Z
    return _plain_limits(asked, "t", _error(asked, of_all=True))


def _kinds_of_tables(asked: Analysis) -> set[bool]:
    """Tell whether the tables that have a coefficient are of two categories, or not, or both."""
    found: set[bool] = set()
    defined = ~np.isnan(asked.estimates.summary.estimate)
    for tables, block in asked.estimates.tables.counts.blocks():
        found |= set(is_binary(*block.margins())[defined[tables]].tolist())
    return found


def _error(asked: Analysis, *, of_all: bool) -> str:
    """Name the standard error of the coefficients of pairs, or that of all raters."""
    reading = asked.study.reading
    if asked.study.coded.clusters is not None:
        of = "clusters" if reading.cluster is not None else "weighted items"
        return f"standard error of {of} (Bell & McCaffrey, 2002)"
    is_theirs = asked.coefficient == "cohen" and not of_all
    how = "(Fleiss et al., 1969)" if is_theirs else "by the delta method"
    return f"large-sample standard error {how}"


def _plain_limits(asked: Analysis, quantile: str, error: str) -> str:
    """Describe limits around the estimate, and those of resamples."""
    ci, units = asked.interval.ci, "items" if asked.study.reading.cluster is None else "clusters"
    rng = asked.interval.rng
    seed = f", seed {rng}" if isinstance(rng, int | np.integer) else ""
    drawn = f"{asked.interval.n_resamples:,} bootstrap resamples of {units}{seed}"
    known = {
        "wald": f"the estimates plus and minus {quantile} quantiles times the {error}",
        "percentile": f"percentiles of {drawn}",
        "bca": f"bias-corrected and accelerated percentiles (Efron, 1987) of {drawn}",
        "jackknife": (
            "the estimates plus and minus quantiles of the t distribution times the standard "
            f"error of the jackknife over {units}"
        ),
    }
    return known.get(ci, f"computed by the method {shown(ci)} of the software")


def _scale(asked: Analysis) -> str:
    """Describe the categories."""
    coded = asked.study.coded
    labels = coded.categories.labels
    named = ", ".join(map(one_line, labels[:MOST_CATEGORIES]))
    shown = f" ({named})" if len(labels) <= MOST_CATEGORIES and len(named) <= LONGEST else ""
    if not shown and asked.study.has_order:
        shown = f" from {as_rating(labels[0])} to {as_rating(labels[-1])}"
    n = counted(len(labels), "category", "categories")
    own = " Each group had the scale of the categories that occur in it." * (len(coded.in_use) > 1)
    return f"The ratings used {n}{shown}.{own}"


def _missing(numbers: Numbers) -> Iterator[str]:
    """Say how many ratings are missing, and what was done about it."""
    if numbers.unrated:
        had = plural(numbers.unrated, "item had", "items had")
        yield f"{number_in_words(numbers.unrated).capitalize()} more {had} no rating."
    if numbers.of_left_out:
        yield f"Only items that all raters had rated were included; {numbers.of_left_out}."
        return
    missing, every = numbers.missing, numbers.possible
    if not missing:
        yield "No rating was missing."
    elif numbers.is_sparse:
        yield f"Each item had {numbers.ratings / numbers.items:.1f} ratings on average."
    else:
        share = f"{100 * missing / every:.0f}%" if missing >= every / 200 else "under 1%"
        were = plural(missing, "was", "were")
        both = f"; {numbers.of_joint}" if numbers.joint is not None else ""
        yield f"Of {every:,.10g} possible ratings, {missing:,.10g} ({share}) {were} missing{both}."
    if missing and numbers.joint is None:
        yield "Each pair of raters was compared on the items that both had rated."


def _counting(asked: Analysis) -> Iterator[str]:
    """Say how items were weighted, and what they are nested in."""
    study, reading = asked.study, asked.study.reading
    given = study.data.weight if isinstance(study.data, Counted) else reading.sample_weight
    if given is not None:
        yield (
            "Items were weighted by the numbers of items that they represent in the population"
            f"{_named(given)}, which standard errors take into account."
            if reading.is_sampled
            else f"Each item was counted as often as its weight says{_named(given)}."
        )
    if reading.cluster is not None and study.coded.clusters is not None:
        parts = np.unique(study.coded.clusters)  # of clusters in each group
        n = len(np.unique(parts // study.n_groups))
        nested = f"nested in {counted(n, 'cluster')}{_named(reading.cluster)}"
        nested += ", some with items in several groups" * (n < len(parts))
        how = "; standard errors and intervals take this into account (Bell & McCaffrey, 2002)"
        yield f"The items were {nested}{how}."


def _averaged(asked: Analysis) -> Iterator[str]:
    """Say how the coefficients of groups were averaged."""
    given = asked.group_weights
    weights = f"{'equal' if given is None else 'given'} weights of the groups{_named(given)}"
    cap = f"coefficients beyond \N{PLUS-MINUS SIGN}{apa(FISHER_CAP, 3)} set to it"
    if asked.study.n_groups == 1:
        yield f"Coefficients were averaged over pairs on Fisher's z scale, with {cap}."
        return
    over = "pairs and groups" if asked.several else "groups"
    yield f"Coefficients were averaged over {over} on Fisher's z scale, with {weights} and {cap}."
    if np.isnan(asked.estimates.summary.estimate).all():
        return
    where = "are in the tables of the report" if asked.several else "were also computed"
    of_pairs = " of each pair of raters" if asked.several else ""
    yield (
        f"Fixed- and random-effects means{of_pairs} {where} (variance between groups: Paule & "
        "Mandel, 1982; random-effects intervals: Hartung & Knapp, 2001)."
    )
    if not asked.several:
        yield (
            "Heterogeneity was tested by Cochran's Q (Cochran, 1954) and described by "
            "I\N{SUPERSCRIPT TWO} (Higgins & Thompson, 2002)."
        )


def _machines(asked: Analysis) -> Iterator[str]:
    """Say how machines were compared with humans."""
    if len(asked.humans) < PAIR:
        yield "With one human, the agreement of humans with each other could not be estimated."
        return
    yield (
        "The mean coefficient of machines with humans was compared with that of humans with each "
        "other; the standard error of the difference allows for the covariances of coefficients of "
        "the same items."
    )


def _limits_of_machines(asked: Analysis, *, has_difference: bool) -> Iterator[str]:
    """Say how limits of the comparison with humans were computed."""
    quantiles = "normal quantiles" if asked.by_group else "quantiles of the t distribution"
    difference = "; those of the difference are on its own scale" if has_difference else ""
    yield (
        f"Limits of the means of machines and humans were computed on Fisher's z scale with "
        f"{quantiles}{difference}."
    )


def _columns(by: object) -> Sequence[Label]:
    """Return the names of the columns of groups."""
    return by if isinstance(by, list) else [by]


def _named(option: object) -> str:
    """Name the column that an option is, in parentheses; empty for values and for none."""
    return f" ({one_line(option)})" if isinstance(option, str | int | float | tuple) else ""
