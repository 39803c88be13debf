"""An analysis -> the sentences of a methods section, and their references."""

from __future__ import annotations

import platform
import re
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP, is_binary
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.report.analysis import numbers_of
from pdkappa.present.labels import one_line
from pdkappa.present.text_markup import ITALIC, ROMAN, apa, counted, number_in_words, series
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from pdkappa._typing import Label, Weights
    from pdkappa.methods.report.analysis import Analysis, Numbers

SOFTWARE = "The pdkappa developers, 2026"
VERSION = "Version that runs"
EN_DASH = "\N{EN DASH}"
EDPSY = "*Educational and Psychological Measurement*"
BULLETIN = "*Psychological Bulletin*"
JASA = "*Journal of the American Statistical Association*"


def cited_in(text: str) -> tuple[str, ...]:
    """Return the references of all citations in a text, in order of the authors."""
    from importlib.metadata import version

    found = [key for key in REFERENCES if _citation(key).search(text)]
    found.sort(key=lambda key: key.removeprefix("The ").casefold())
    every = [REFERENCES[key].replace(VERSION, f"Version {version('pdkappa')}") for key in found]
    return tuple(re.sub(r"\*(.*?)\*", rf"{ITALIC}\1{ROMAN}", text) for text in every)


def _citation(key: str) -> re.Pattern[str]:
    """Find the author and year in a text, where other years may stand between.

    >>> bool(_citation("Cohen, 1968").search("(Cohen, 1960, 1968)"))
    True
    """
    author, year = key.rsplit(", ", 1)
    return re.compile(rf"{re.escape(author)}, (?:\d{{4}}, )*{year}")


def _article(start: str, journal: str, volume: str, pages: str, doi: str = "") -> str:
    """Write the reference of an article; the volume stands with its issue in parentheses."""
    number, issue = volume.split("(") if "(" in volume else (volume, "")
    where = f"{journal}, *{number}*{issue and f'({issue}'}, {pages.replace('-', EN_DASH)}."
    return f"{start} {where}" + (f" https://doi.org/{doi}" if doi else "")


REFERENCES: dict[str, str] = {
    "Agresti & Hitchcock, 2005": _article(
        "Agresti, A., & Hitchcock, D. B. (2005). Bayesian inference for categorical data analysis.",
        "*Statistical Methods & Applications*",
        "14(3)",
        "297-330",
        "10.1007/s10260-005-0121-y",
    ),
    "Bell & McCaffrey, 2002": _article(
        "Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear "
        "regression with multi-stage samples.",
        "*Survey Methodology*",
        "28(2)",
        "169-181",
    ),
    "Brennan & Prediger, 1981": _article(
        "Brennan, R. L., & Prediger, D. J. (1981). Coefficient kappa: Some uses, misuses, and "
        "alternatives.",
        EDPSY,
        "41(3)",
        "687-699",
        "10.1177/001316448104100307",
    ),
    "Cicchetti & Allison, 1971": _article(
        "Cicchetti, D. V., & Allison, T. (1971). A new procedure for assessing reliability of "
        "scoring EEG sleep recordings.",
        "*American Journal of EEG Technology*",
        "11(3)",
        "101-110",
        "10.1080/00029238.1971.11080840",
    ),
    "Cochran, 1954": _article(
        "Cochran, W. G. (1954). The combination of estimates from different experiments.",
        "*Biometrics*",
        "10(1)",
        "101-129",
        "10.2307/3001666",
    ),
    "Cohen, 1960": _article(
        "Cohen, J. (1960). A coefficient of agreement for nominal scales.",
        EDPSY,
        "20(1)",
        "37-46",
        "10.1177/001316446002000104",
    ),
    "Cohen, 1968": _article(
        "Cohen, J. (1968). Weighted kappa: Nominal scale agreement provision for scaled "
        "disagreement or partial credit.",
        BULLETIN,
        "70(4)",
        "213-220",
        "10.1037/h0026256",
    ),
    "Conger, 1980": _article(
        "Conger, A. J. (1980). Integration and generalization of kappas for multiple raters.",
        BULLETIN,
        "88(2)",
        "322-328",
        "10.1037/0033-2909.88.2.322",
    ),
    "Donner & Eliasziw, 1992": _article(
        "Donner, A., & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for "
        "the kappa statistic.",
        "*Statistics in Medicine*",
        "11(11)",
        "1511-1519",
        "10.1002/sim.4780111109",
    ),
    "Efron, 1987": _article(
        "Efron, B. (1987). Better bootstrap confidence intervals.",
        JASA,
        "82(397)",
        "171-185",
        "10.1080/01621459.1987.10478410",
    ),
    "Fay & Feuer, 1997": _article(
        "Fay, M. P., & Feuer, E. J. (1997). Confidence intervals for directly standardized rates: "
        "A method based on the gamma distribution.",
        "*Statistics in Medicine*",
        "16(7)",
        "791-801",
        "10.1002/(SICI)1097-0258(19970415)16:7%3C791::AID-SIM500%3E3.0.CO;2-%23",
    ),
    "Fleiss, 1971": _article(
        "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.",
        BULLETIN,
        "76(5)",
        "378-382",
        "10.1037/h0031619",
    ),
    "Fleiss & Cohen, 1973": _article(
        "Fleiss, J. L., & Cohen, J. (1973). The equivalence of weighted kappa and the intraclass "
        "correlation coefficient as measures of reliability.",
        EDPSY,
        "33(3)",
        "613-619",
        "10.1177/001316447303300309",
    ),
    "Fleiss et al., 1969": _article(
        "Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of kappa "
        "and weighted kappa.",
        BULLETIN,
        "72(5)",
        "323-327",
        "10.1037/h0028106",
    ),
    "Gwet, 2008": _article(
        "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of "
        "high agreement.",
        "*British Journal of Mathematical and Statistical Psychology*",
        "61(1)",
        "29-48",
        "10.1348/000711006X126600",
    ),
    "Gwet, 2014": "Gwet, K. L. (2014). *Handbook of inter-rater reliability* (4th ed.). "
    "Advanced Analytics.",
    "Hartung & Knapp, 2001": _article(
        "Hartung, J., & Knapp, G. (2001). On tests of the overall treatment effect in "
        "meta-analysis with normally distributed responses.",
        "*Statistics in Medicine*",
        "20(12)",
        "1771-1782",
        "10.1002/sim.791",
    ),
    "Higgins & Thompson, 2002": _article(
        "Higgins, J. P. T., & Thompson, S. G. (2002). Quantifying heterogeneity in a "
        "meta-analysis.",
        "*Statistics in Medicine*",
        "21(11)",
        "1539-1558",
        "10.1002/sim.1186",
    ),
    "Jaccard, 1912": _article(
        "Jaccard, P. (1912). The distribution of the flora in the alpine zone.",
        "*New Phytologist*",
        "11(2)",
        "37-50",
        "10.1111/j.1469-8137.1912.tb05611.x",
    ),
    "Kottner et al., 2011": _article(
        "Kottner, J., Audigé, L., Brorson, S., Donner, A., Gajewski, B. J., Hróbjartsson, A., "
        "Roberts, C., Shoukri, M., & Streiner, D. L. (2011). Guidelines for reporting reliability "
        "and agreement studies (GRRAS) were proposed.",
        "*Journal of Clinical Epidemiology*",
        "64(1)",
        "96-106",
        "10.1016/j.jclinepi.2010.03.002",
    ),
    "King & Chinchilli, 2001": _article(
        "King, T. S., & Chinchilli, V. M. (2001). A generalized concordance correlation "
        "coefficient for continuous and categorical data.",
        "*Statistics in Medicine*",
        "20(14)",
        "2131-2147",
        "10.1002/sim.845",
    ),
    "Kish, 1965": "Kish, L. (1965). *Survey sampling*. Wiley.",
    "Krippendorff, 1970": _article(
        "Krippendorff, K. (1970). Estimating the reliability, systematic error and random error of "
        "interval data.",
        EDPSY,
        "30(1)",
        "61-70",
        "10.1177/001316447003000105",
    ),
    "Krippendorff, 2004": "Krippendorff, K. (2004). *Content analysis: An introduction to its "
    "methodology* (2nd ed.). Sage.",
    "Light, 1971": _article(
        "Light, R. J. (1971). Measures of response agreement for qualitative data: Some "
        "generalizations and alternatives.",
        BULLETIN,
        "76(5)",
        "365-377",
        "10.1037/h0031643",
    ),
    "Lin, 1989": _article(
        "Lin, L. I.-K. (1989). A concordance correlation coefficient to evaluate reproducibility.",
        "*Biometrics*",
        "45(1)",
        "255-268",
        "10.2307/2532051",
    ),
    "Lin et al., 2002": _article(
        "Lin, L., Hedayat, A. S., Sinha, B., & Yang, M. (2002). Statistical methods in assessing "
        "agreement: Models, issues, and tools.",
        JASA,
        "97(457)",
        "257-270",
        "10.1198/016214502753479392",
    ),
    "Passonneau, 2006": "Passonneau, R. (2006). Measuring agreement on set-valued items (MASI) for "
    "semantic and pragmatic annotation. In *Proceedings of the Fifth International Conference on "
    "Language Resources and Evaluation* (pp. 831\N{EN DASH}836). European Language Resources "
    "Association.",
    "Paule & Mandel, 1982": _article(
        "Paule, R. C., & Mandel, J. (1982). Consensus values and weighting factors.",
        "*Journal of Research of the National Bureau of Standards*",
        "87(5)",
        "377-385",
        "10.6028/jres.087.022",
    ),
    "Perks, 1947": _article(
        "Perks, W. (1947). Some observations on inverse probability including a new indifference "
        "rule.",
        "*Journal of the Institute of Actuaries*",
        "73(2)",
        "285-334",
    ),
    "Scott, 1955": _article(
        "Scott, W. A. (1955). Reliability of content analysis: The case of nominal scale coding.",
        "*Public Opinion Quarterly*",
        "19(3)",
        "321-325",
        "10.1086/266577",
    ),
    SOFTWARE: "The pdkappa developers. (2026). *pdkappa: Inter-rater agreement for pandas* "
    f"({VERSION}) [Computer software]. https://pdkappa.readthedocs.io",
    "Wilson, 1927": _article(
        "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
        "inference.",
        JASA,
        "22(158)",
        "209-212",
        "10.1080/01621459.1927.10502953",
    ),
}


PAIR = 2
MOST_CATEGORIES, LONGEST = 12, 120  # that are listed, and their characters
WEIGHTED = {"Cohen, 1960": "Cohen, 1960, 1968"}  # where the coefficient was given weights
SETS = {
    "jaccard": (
        "one minus the Jaccard index of two sets of labels (their intersection over their union)",
        "Jaccard, 1912",
    ),
    "masi": ("the distance MASI of two sets of labels", "Passonneau, 2006"),
}
GUARDED = (
    "computed on Fisher's z scale (Lin, 1989; Lin et al., 2002; of weighted kappa King & "
    "Chinchilli, 2001) with quantiles of the t distribution, and guarded by one more item, even "
    "over the table (Perks, 1947; Agresti & Hitchcock, 2005), of agreement, or of the largest "
    "disagreement (motivated by Fay & Feuer, 1997), as the technical note of the software derives "
    "(The pdkappa developers, 2026)"
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
AT_HAND = "; they are for these groups, not for others like them"
ON_Z = "computed on Fisher's z scale with quantiles of the t distribution"


def what_was_rated(asked: Analysis, agreement: pd.DataFrame) -> Iterator[str]:
    """Say who rated what, and on which scale; `agreement` has the numbers of items and ratings."""
    numbers = numbers_of(asked, agreement)
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
    together = MULTIRATER[row.together]
    source = row.source if asked.weights is None else WEIGHTED.get(row.source, row.source)
    pairs = _cited(row.spoken, source)
    weights = _weighted(asked.weights)
    if asked.is_mean:
        of_pair = "each pair of raters" if asked.several else "the raters"
        each = f"{of_pair}{' in each group' * (asked.study.n_groups > 1)}"
        yield f"The agreement of {each} was measured by {pairs}{weights}."
        yield from _averaged(asked)
    elif asked.several:
        every = _cited(together.spoken, together.source)
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
        every, were = counted(n_coefficients, "coefficient"), "was" if n_undefined == 1 else "were"
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


def software() -> str:
    """Cite the software, with the versions it ran on."""
    from importlib.metadata import version

    others = " and ".join(f"{name} {version(name)}" for name in ("NumPy", "pandas"))
    return (
        f"The analysis was made with pdkappa {version('pdkappa')} ({SOFTWARE}) in Python "
        f"{platform.python_version()} with {others}."
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
    row = MULTIRATER[COEFFICIENTS[asked.coefficient].together]
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
    return known.get(ci, f"computed by the method {ci!r} of the software")


def _scale(asked: Analysis) -> str:
    """Describe the categories."""
    coded = asked.study.coded
    labels = coded.categories.labels
    named = ", ".join(map(one_line, labels[:MOST_CATEGORIES]))
    shown = f" ({named})" if len(labels) <= MOST_CATEGORIES and len(named) <= LONGEST else ""
    if not shown and asked.study.has_order:
        shown = f" from {one_line(labels[0])} to {one_line(labels[-1])}"
    n = counted(len(labels), "category", "categories")
    own = " Each group had the scale of the categories that occur in it." * (len(coded.in_use) > 1)
    return f"The ratings used {n}{shown}.{own}"


def _missing(numbers: Numbers) -> Iterator[str]:
    """Say how many ratings are missing, and what was done about it."""
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
        were = "was" if missing == 1 else "were"
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


def _weighted(weights: Weights | None) -> str:
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
    row = WEIGHTS[weights]
    stand = "ranks of the categories" if row.ranks else "scores of the categories"
    formula = ""
    if row.formula:
        told = f": the disagreement of ratings x and y ({stand}) is {row.formula}"
        formula = re.sub(r"\b[mxy]\b", rf"{ITALIC}\g<0>{ROMAN}", told)
    source = f" ({row.source})" if row.source else ""
    return f" with {weights} weights{source}{formula}"


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
    if _has_one_human(asked):
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


def _has_one_human(asked: Analysis) -> bool:
    """Whether no two humans can be compared."""
    return len(asked.raters) - len(asked.machines) < PAIR


def _cited(spoken: str, source: str) -> str:
    """Put the source behind a name, or into the parentheses that it ends with.

    >>> _cited("Scott's pi", "Scott, 1955"), _cited("Light's kappa (a mean)", "Light, 1971")
    ("Scott's pi (Scott, 1955)", "Light's kappa (a mean; Light, 1971)")
    """
    if not source:
        return spoken
    return f"{spoken[:-1]}; {source})" if spoken.endswith(")") else f"{spoken} ({source})"


def _columns(by: object) -> Sequence[Label]:
    """Return the names of the columns of groups."""
    return by if isinstance(by, list) else [by]


def _named(option: object) -> str:
    """Name the column that an option is, in parentheses; empty for values and for none."""
    return f" ({one_line(option)})" if isinstance(option, str | int | float | tuple) else ""
