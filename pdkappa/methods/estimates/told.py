"""What a call says of its result: one line, the options as they were resolved, the sentences."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.score_limits import half_width
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import HEARING, plural
from pdkappa.present.findings import Caution, Finding, signed, with_minus
from pdkappa.present.labels import listed, reach, titled, weights_in_words
from pdkappa.present.schema import LEAST_P
from pdkappa.present.text_markup import ITALIC, ROMAN
from pdkappa.present.text_tables import Told
from pdkappa.ratings.categories import CategorySet
from pdkappa.ratings.items import Groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd

    from pdkappa._typing import FloatArray, Weights
    from pdkappa.coefficients.weights import Weighting
    from pdkappa.present.findings import Verdict

WEIGHTED = {"Cohen, 1960": "Cohen, 1960, 1968"}  # where the coefficient was given weights
SETS = {
    "jaccard": (
        "one minus the Jaccard index of two sets of labels (their intersection over their union)",
        "Jaccard, 1912",
    ),
    "masi": ("the distance MASI of two sets of labels", "Passonneau, 2006"),
}
GUARDED = (
    "computed on Fisher's z scale, as for concordance coefficients (Lin, 1989; Lin et al., 2002), "
    "of which weighted kappa is one (King & Chinchilli, 2001), with quantiles of the t "
    "distribution, and guarded by one more item, even over the table (Perks, 1947; Agresti & "
    "Hitchcock, 2005), of agreement, or of the largest disagreement (motivated by Fay & Feuer, "
    "1997; of no disagreement exact, Clopper & Pearson, 1934), as the technical note of the "
    "software derives (The pdkappa developers, 2026)"
)
SCORE = (
    "score limits, the values that a test does not reject whose variance under the hypothesis is "
    "that of a model of the software (The pdkappa developers, 2026)"
)
FIT = (
    "goodness-of-fit limits (Donner & Eliasziw, 1992), stretched by the software where the shares "
    "of the two raters differ (The pdkappa developers, 2026)"
)
EFFECTIVE = ", for the effective number of items (Kish, 1965) and with t quantiles"
ON_Z = "computed on Fisher's z scale with quantiles of the t distribution"

SURE = 0.0002  # of an adjusted p: a name in the first line is worth more than one error in twenty
SURE_OF_ONE = 0.001  # where nothing was chosen
LIKELY = 0.01  # of whom a sentence says what may be
HARDLY_BY_CHANCE = 0.05  # a p that is told where it names nobody
MOST_LISTED = 100  # raters and categories that the options name
FEWEST_SCORES = 3
MOST_CODES = 10
AS_CODES = "class codes? weights=None"
AS_SCORES = 'scores? weights="quadratic"'
IN_SHORT = {
    "guarded": "guarded Fisher z",
    "wilson": "Wilson",
    "score": "score",
    "fisher": "Fisher z",
    "exact": "exact",
    "wald": "Wald",
    "t": "t quantiles",
    "percentile": "percentile",
    "bca": "BCa",
    "jackknife": "jackknife",
    "f": "F",
    "log_f": "jackknife of log F",
}
OF_METHODS = {"within": "wilson", "bland_altman": "exact", "compare": "t", "raters": "guarded"}
IN_SENTENCES = {
    "guarded": GUARDED,
    "wilson": "score limits of the share of disagreement (Wilson, 1927)",
    "score": SCORE,
    "fisher": ON_Z,
    "exact": "exact for normal differences (Carkeet, 2015)",
    "wald": "the estimates plus and minus quantiles times the large-sample standard error",
    "t": "the estimates plus and minus quantiles of the t distribution times the standard error",
    "percentile": "percentiles of {n_resamples:,} bootstrap resamples",
    "bca": "bias-corrected and accelerated percentiles (Efron, 1987) of {n_resamples:,} bootstrap "
    "resamples",
    "jackknife": "the estimates plus and minus quantiles of the t distribution times the jackknife "
    "standard error",
    "f": "those of the F distribution (McGraw & Wong, 1996)",
    "log_f": "computed on the scale of log F (Ukoumunne et al., 2003) by the jackknife over items, "
    "with the degrees of freedom of a variance (Satterthwaite, 1946)",
}
FIGURES = {  # of methods without a coefficient of their own
    "concordance": "Lin's concordance correlation",
    "bland_altman": "limits of agreement of two raters' scores",
    "within": "the share of items with scores close to each other",
    "kendall_w": "Kendall's W",
    "consensus": "the label that each item gets",
    "scorecard": "figures of predictions",
    "shift": "kappa under other shares of the classes",
    "evaluate": "figures of automated scoring",
    "readiness": "criteria of automated scoring",
    "prmse": "the proportional reduction in mean squared error",
    "fairness": "differences between groups in a machine's errors",
    "adjudication": "agreement before and after adjudication",
    "alt_test": "the alternative annotator test",
    "prevalence": "shares of categories, corrected for a machine's errors",
    "mean_score": "a mean score, corrected for a machine's errors",
}
ESTIMATED = {
    "anova": " by analysis of variance (Henderson, 1953)",
    "reml": " by restricted maximum likelihood (Patterson & Thompson, 1971)",
}
OF_MISSING = {
    "pairwise": "Each pair of raters was compared on the items that both had rated.",
    "listwise": "Only items that all raters had rated were included.",
    "raise": "No rating was missing.",
}


@dataclass
class Heard:
    """What is said and read while a result is made."""

    remarks: list[str] = field(default_factory=list)  # the warnings, each once
    voids: list[str] = field(default_factory=list)  # those that void the figures
    # The ratings that were read first, and how many items, or what `unit` says, they are.
    ratings: Any = None
    number: float = 0.0
    unit: str = "item"

    def read(self, ratings: Any, number: float, unit: str) -> None:
        """Note what was read, unless something was before."""
        if self.ratings is None:
            self.ratings, self.number, self.unit = ratings, number, unit

    def hear(self, remarks: Iterable[str], voids: Iterable[str] = ()) -> None:
        """Add warnings that are new."""
        self.remarks += [one for one in remarks if one not in self.remarks]
        self.voids += voids


@contextmanager
def hearing(remarks: Iterable[str] = ()) -> Iterator[Heard]:
    """Hear what is said while something is made or read, beside what was said before."""
    around, heard = HEARING.get(), Heard([*remarks])
    token = HEARING.set(heard)
    try:
        yield heard
    finally:
        HEARING.reset(token)
    if around is not None:
        around.hear(heard.remarks, heard.voids)


REMARKS = "kappa_remarks"


def keep(frame: pd.DataFrame, remarks: Sequence[str]) -> None:
    """Let a frame that was read from a file remember what was said of it, for its results."""
    if remarks:
        frame.attrs[REMARKS] = [*remarks]


def kept(data: Any) -> list[str]:
    """Return what was said of a frame, or of the ratings in one, when they were read."""
    if not hasattr(type(data), "attrs"):  # whoever asks ratings for what they lack, is told more
        own = getattr(data, "__dict__", {})
        data = own.get("data", own.get("frame"))
    remarks: list[str] = getattr(data, "attrs", {}).get(REMARKS, [])
    return remarks


class Long(NamedTuple):
    """What is said of data with one rating, score or span in each row."""

    named_raters: list[Any]
    groups: Groups
    categories: CategorySet


NO_CATEGORIES = CategorySet([], None, declared=False)


def hear_of(
    n: float,
    unit: str = "item",
    *,
    raters: Iterable[Any] = (),
    groups: pd.Index | None = None,
    categories: CategorySet = NO_CATEGORIES,
) -> None:
    """Note of how many items such data are, for the line of the result of a call."""
    if (heard := HEARING.get()) is not None:
        heard.read(Long([*raters], Groups.of(groups, None, None), categories), n, unit)


def hear_of_joint(coded: Any) -> None:
    """Note that the result holds none but the items that all raters rated."""
    if (heard := HEARING.get()) is not None:
        heard.number = coded.size(np.logical_and.reduce(coded.held.rated))


def told(
    asked: Any, heard: Heard, method: str, sources: tuple[str, ...], made: Any, *, limits: bool
) -> Told:
    """Say what a result is, and what it found; `limits` tells whether it shows any."""
    options = asked.resolved(**_became(asked, heard))
    line = " \N{MIDDLE DOT} ".join(_parts(asked, heard, options, limits=limits))
    found = asked.found_in(made)
    if found is not None:
        cautions = tuple(Caution(one, one in heard.voids) for one in heard.remarks)
        found = replace(found, cautions=cautions, basis=line)
    return Told(
        method=method,
        options=options,
        found=found,
        line=line,
        hint=_hint(asked, heard),
        remarks=tuple(heard.remarks),
        sentences=tuple(_sentences(asked, heard, options, limits=limits)),
        sources=sources,
    )


def _became(asked: Any, heard: Heard) -> dict[str, Any]:
    """Say what defaults became when the ratings were read."""
    coded = heard.ratings
    became: dict[str, Any] = {}
    if coded is not None:
        named = coded.named_raters and getattr(coded, "raters", coded.named_raters)
        if getattr(asked, "raters", 0) is None and named and len(named) <= MOST_LISTED:
            became["raters"] = list(named)
        if getattr(asked, "categories", 0) is None and len(coded.categories) <= MOST_LISTED:
            became["categories"] = list(coded.categories.labels)
        if getattr(asked, "sample_weight", None) is not None and hasattr(asked, "weight_type"):
            became["weight_type"] = "frequency" if coded.spread is None else "probability"
    if getattr(asked, "null", 0.0) is None:
        became["null"] = 0.0
    if getattr(asked, "ci", None) == "auto":
        became["ci"] = _auto(asked)
    return became | asked.became


def _auto(asked: Any) -> str:
    """Name the limits that ``ci="auto"`` became."""
    if asked.called in OF_METHODS:
        return OF_METHODS[asked.called]
    if hasattr(asked, "coefficient"):
        row = COEFFICIENTS.get(asked.coefficient)
        return "wilson" if row is not None and not row.of_margins else "guarded"
    return "guarded" if getattr(asked, "vary", "") == "items" else "fisher"


def _parts(asked: Any, heard: Heard, became: dict[str, Any], *, limits: bool) -> Iterator[str]:
    """Yield the parts of the line: figure, limits, missing ratings, items."""
    figure = _figure(asked)
    if figure:
        yield re.sub(r" \([^)]*, \d{4}\)", "", titled(figure)) + (
            f", {weights_in_words(asked.weights)}" if hasattr(asked, "weights") else ""
        )
    if limits and "confidence_level" in became:
        how = IN_SHORT.get(became.get("ci", ""), "") + asked.other_limits[0]
        if isinstance(became.get("cluster"), str):
            how = f"{how}, clusters: {became['cluster']}".removeprefix(", ")
        yield _level(became) + f" CI{f' ({how})' if how else ''}"
    if "missing" in became:
        yield f"missing: {became['missing']}"
    if heard.ratings is not None and heard.unit:
        yield _number(heard)


def _hint(asked: Any, heard: Heard) -> str:
    """Say what may have to be passed, to who is at work; empty if nothing."""
    if getattr(asked, "weights", "none") is None and is_of_scores(heard):
        return AS_SCORES
    return AS_CODES if asked.is_quadratic_unasked and is_of_codes(heard) else ""


def is_of_scores(heard: Heard) -> bool:
    """Whether ratings that were read have an order, and more than two categories."""
    categories = None if heard.ratings is None else heard.ratings.categories
    return (
        categories is not None
        and categories.scores is not None
        and len(categories) >= FEWEST_SCORES
    )


def is_of_codes(heard: Heard) -> bool:
    """Whether ratings are 0, 1, 2 and so on, as codes of classes are."""
    categories = None if heard.ratings is None else heard.ratings.categories
    if categories is None or not FEWEST_SCORES <= len(categories) <= MOST_CODES:
        return False
    return bool(list(categories.labels) == list(range(len(categories))))


def _figure(asked: Any) -> str:
    """Name what is estimated, as a sentence does."""
    name = asked.became.get("coefficient", getattr(asked, "coefficient", None))
    if isinstance(name, str):
        return str(_row(name).spoken)
    how = ESTIMATED.get(asked.became.get("method", ""), "")
    return f"{asked.figure or FIGURES.get(asked.called, '')}{how}"


def _row(name: str) -> Any:
    """Find a coefficient of two raters, or of all."""
    return COEFFICIENTS.get(name) or MULTIRATER[name]


def _level(became: dict[str, Any]) -> str:
    """Write the confidence level."""
    return f"{100 * became['confidence_level']:.10g}%"


def _number(heard: Heard) -> str:
    """Say how many items were read, and in how many groups."""
    of = heard.ratings.groups
    groups = f" in {of.n:,} {plural(of.n, 'group')}" if of.labels is not None else ""
    return f"{heard.number:,.10g} {plural(heard.number, heard.unit)}{groups}"


def _sentences(asked: Any, heard: Heard, became: dict[str, Any], *, limits: bool) -> Iterator[str]:
    """Yield what a paper says of the method."""
    name, weights = became.get("coefficient"), getattr(asked, "weights", None)
    weighted = weighted_by(weights) if hasattr(asked, "weights") else ""
    if isinstance(name, str):
        row = _row(name)
        source = row.source if weights is None else WEIGHTED.get(row.source, row.source)
        yield f"Agreement was measured by {cited(row.spoken, source)}{weighted}."
    elif figure := _figure(asked):
        yield f"The figures are {figure}{weighted}."
    if limits and "confidence_level" in became:
        how = IN_SENTENCES.get(became.get("ci", ""), "").format(**became)
        of = f"{_level(became)} confidence intervals"
        yield f"The limits of the {of} were {how}." if how else f"Limits are those of {of}."
        if asked.other_limits[1]:
            yield asked.other_limits[1]
    if heard.ratings is not None and heard.unit:
        raters = heard.ratings.named_raters
        by = f" by {listed(raters)}" if raters else ""
        yield f"{_number(heard)} were rated{by}."
    if "missing" in became:
        yield OF_MISSING[became["missing"]]


POWER = 0.8416  # normal quantile of .80
MOST_TIMES = 20  # as many items, beyond which nobody will collect them


def verdict_on(low: float, high: float, margin: float | None = None) -> Verdict:
    """Say whether a difference is shown; with a margin, whether it is below minus that."""
    if margin is None:
        return "shown" if low > 0 or high < 0 else "cannot tell"
    return "shown" if high < -margin else "shown not" if low > -margin else "cannot tell"


def more_items(size: float, se: float, n_items: float, level: float) -> str:
    """Say how many more items would tell a difference of this size, with a power of 80 %."""
    if not (se > 0 and size) or math.isnan(size):
        return ""
    times = ((float(half_width(level)) + POWER) * se / abs(size)) ** 2
    if times > MOST_TIMES:
        return f"; one of this size would take more than {MOST_TIMES} times the items"
    more = max(times - 1, 0.0) * n_items
    digits = max(len(str(int(more))) - 2, 0)
    return f"; about {round(more, -digits):,.0f} more items would tell" if more >= 1 else ""


def of_two_groups(row: Any, names: Sequence[str], level: float) -> Finding:
    """Tell a row of `compare_groups`: the first group minus the second, and which is lower."""
    size, low, high = (float(row[x]) for x in ("difference", "ci_low", "ci_high"))
    (first, second), lower = names, names[size > 0]
    verdict, p = verdict_on(low, high), float(row["p_value"])
    more = more_items(size, float(row["se"]), float(row["n_items"]), level)
    more = "" if verdict == "shown" else f"; not shown to differ{more}"
    said = f"{first} minus {second}: {signed(size, low, high)}, {p_in_words(p)}{more}."
    name, short = (lower, f"lower in {lower}") if p < SURE_OF_ONE else ("", "")
    return Finding("groups", name, said, "by group", (size, low, high), verdict, short)


def of_many_groups(frame: pd.DataFrame, place: Callable[[Any], str]) -> Finding:
    """Name the group that is furthest below the mean of the others, or above, if that is shown.

    The frame holds the differences of the groups from it; `place` names a group in a sentence.
    """
    p_value, z, difference = (frame[name] for name in ("p_value", "z", "difference"))
    below, above = (p_value, -z.where(difference < 0)), (p_value, z.where(difference > 0))
    worst, best, (likely, doubt) = worst_of(*below), worst_of(*above), beyond_doubt(*below)
    one = next((x for x in (worst, best, likely) if x is not None), None)
    if one is None:
        ends = reach(*map(with_minus, frame["estimate"].agg(["min", "max"])))
        said = f"No group is shown{doubt} to be below the others: {ends}."
        return Finding("groups", "", said, "by group", verdict="cannot tell")
    where, row = place(frame.index[one]), frame.iloc[one]
    size, low, high = (float(row[x]) for x in ("difference", "ci_low", "ci_high"))
    told = f"{with_minus(row['estimate'])}, {signed(size, low, high)} from the mean of the others"
    said, figures = f"In {where} agreement is {told}", (size, low, high)
    if worst is best is None:
        said = f"In {where} agreement may be less, {told}; that is not{doubt}."
        return Finding("groups", "", said, "by group", verdict="cannot tell")
    if worst is None:
        said += "; no group is shown to be below them."
        return Finding("groups", where, said, "by group", figures)
    rows, short = (("by group", frame.index[one]),), f"least in {where}"
    return Finding("groups", where, f"{said}.", "by group", figures, short=short, rows=rows)


def called_with(spoken: str, weights: Weights | None) -> str:
    """Name a coefficient with its weights in a sentence.

    >>> called_with("Cohen's kappa", "quadratic"), called_with("Gwet's AC1", "linear")
    ('quadratic weighted kappa', "Gwet's AC1 with linear weights")
    """
    is_qwk = isinstance(weights, str) and weights == "quadratic"
    spoken = re.sub(r" \(.*\)", "", spoken)
    if is_qwk and spoken in {"Cohen's kappa", "Light's kappa"}:
        return "quadratic weighted kappa"
    return spoken if weights is None else f"{spoken} with {weights_in_words(weights)}"


def p_in_words(value: float) -> str:
    """Write a p-value."""
    return f"p < {LEAST_P}" if value < LEAST_P else f"p = {value:.4f}"


def holm(p_value: FloatArray) -> FloatArray:
    """Adjust p-values for their number as Holm does; NaN are no tests.

    >>> holm(np.array([0.01, np.nan, 0.04, 0.03])).tolist()
    [0.03, nan, 0.06, 0.06]
    """
    adjusted, known = np.full(len(p_value), np.nan), np.flatnonzero(~np.isnan(p_value))
    order = known[np.argsort(p_value[known])]
    times = np.arange(len(order), 0, -1) * p_value[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(times), 1.0)
    return adjusted


def worst_of(p_value: pd.Series, z: pd.Series) -> int | None:
    """Find the row with the largest z, if its p-value is small after adjustment; None if not."""
    place, p = _largest(p_value, z)
    return place if p < SURE else None


def beyond_doubt(p_value: pd.Series, z: pd.Series) -> tuple[int | None, str]:
    """Say how small the p-value of the largest z is, and in which row if that may be told."""
    place, p = _largest(p_value, z)
    doubt = f" beyond doubt (adjusted {p_in_words(p)})" if p < HARDLY_BY_CHANCE else ""
    return place if p < LIKELY else None, doubt


def _largest(p_value: pd.Series, z: pd.Series) -> tuple[int, float]:
    """Return the row with the largest z, and its p-value by Holm; that is 1 if there is none."""
    adjusted, size = holm(p_value.to_numpy(dtype=float)), z.to_numpy(dtype=float)
    if np.isnan(size).all():
        return 0, 1.0
    place = int(np.nanargmax(size))
    return place, float(adjusted[place])


def weighted_by(weights: Weights | None) -> str:
    """Name the weights with their formula, as the end of a sentence."""
    if weights is None:
        return ", without weights: all disagreements count equally"
    if not isinstance(weights, str):
        name = getattr(weights, "__name__", "") if callable(weights) else ""
        given = f"by the function {name}" if name.isidentifier() else "for each two categories"
        return f", with weights of disagreement that were given {given}"
    if weights in SETS:
        formula, source = SETS[weights]
        return f", where two ratings disagree by {formula} ({source})"
    if weights not in WEIGHTS:
        return f" with {weights} weights"
    row = WEIGHTS[weights]
    source = f" ({row.source})" if row.source else ""
    return f" with {weights} weights{source}{FORMULAS[weights]}"


def _formula_of(row: Weighting) -> str:
    """Tell the disagreement of two ratings, with letters for them; empty if nobody wrote it."""
    stand = "ranks of the categories" if row.ranks else "scores of the categories"
    told = f": the disagreement of ratings x and y ({stand}) is {row.formula}"
    return re.sub(r"\b[mxy]\b", rf"{ITALIC}\g<0>{ROMAN}", told) if row.formula else ""


FORMULAS = {name: _formula_of(row) for name, row in WEIGHTS.items()}


def cited(spoken: str, source: str) -> str:
    """Put the source behind a name, or into the parentheses that it ends with.

    >>> cited("Scott's pi", "Scott, 1955"), cited("Light's kappa (a mean)", "Light, 1971")
    ("Scott's pi (Scott, 1955)", "Light's kappa (a mean; Light, 1971)")
    """
    if not source:
        return spoken
    return f"{spoken[:-1]}; {source})" if spoken.endswith(")") else f"{spoken} ({source})"
