"""Labels and numbers as people read them: one line, wrapped, rounded, drawable."""

from __future__ import annotations

import functools
import re
import textwrap
import unicodedata
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import MissingGlyphWarning, listing, warn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import pandas as pd
    from matplotlib.artist import Artist

    from pdkappa._typing import Label, Weights

HEADINGS: dict[str, str] = {
    "excess": "Share, machine minus people",
    "not_said": "Not shown",
    "by": "Groups",
    "ci": "Interval",
    "rng": "Random numbers",
    "n_resamples": "Resamples",
    "rater_a": "First rater",
    "rater_b": "Second rater",
    "n_items": "Items",
    "n_raters": "Raters",
    "n_ratings": "Ratings",
    "n_categories": "Categories",
    "n_trials": "Trials",
    "n_spans": "Spans",
    "n_spans_a": "Spans of the first",
    "n_spans_b": "Spans of the second",
    "n_matched": "Spans that match",
    "sd": "Standard deviation",
    "n_groups": "Groups",
    "n_pairs": "Pairs",
    "n_humans": "Humans who rated",
    "n_machine_pairs": "Pairs with a human",
    "n_human_pairs": "Pairs of humans",
    "interpretation": "In words",
    "reading": "In words",
    "se": "Standard error",
    "ci_low": "Lower limit",
    "ci_high": "Upper limit",
    "z": "z",
    "p_value": "p",
    "p_adjusted": "Adjusted p",
    "fisher_z": "Fisher's z",
    "se_fisher_z": "Error of z",
    "fisher_mean": "Fisher-z mean",
    "max_estimate": "Largest possible",
    "min_estimate": "Smallest possible",
    "prediction_low": "Prediction from",
    "prediction_high": "Prediction to",
    "n_clipped": "Clipped",
    "n_undefined": "Undefined",
    "reason": "Why undefined",
    "q": "Cochran's Q",
    "df": "Degrees of freedom",
    "chi2": "Chi-squared",
    "i2": "I\N{SUPERSCRIPT TWO}",
    "tau2": "Tau\N{SUPERSCRIPT TWO}",
    "i2_low": "I\N{SUPERSCRIPT TWO} from",
    "i2_high": "I\N{SUPERSCRIPT TWO} to",
    "tau2_low": "Tau\N{SUPERSCRIPT TWO} from",
    "tau2_high": "Tau\N{SUPERSCRIPT TWO} to",
    "kappa_with_others": "With all others",
    "light_without": "Others without this rater",
    "effect": "Effect on agreement",
    "se_effect": "Error of effect",
    "effect_low": "Effect from",
    "effect_high": "Effect to",
    "share": "Share of the total",
    "prevalence": "Share of ratings",
    "specific_agreement": "Others who agree",
    "humans": "All humans say",
    "against": "Machines say",
    "n_annotators": "Annotators",
    "qwk": "QWK",
    "r2": "R\N{SUPERSCRIPT TWO}",
    "df1": "Degrees of freedom",
    "df2": "of the error",
    "agrees": "Same",
    "recall_humans": "Recall of humans",
    "recall_low": "Recall from",
    "recall_high": "Recall to",
    "estimate_machine": "Machine with humans",
    "estimate_humans": "Humans with humans",
    "difference_low": "Difference from",
    "difference_high": "Difference to",
    "non_inferior": "Not inferior",
    "p_non_inferior": "p, not inferior",
    "p_position": "p of the order",
    "p_drift": "p of drift",
    "abs_difference": "Absolute difference",
    "mean_a": "Mean of the first",
    "mean_b": "Mean of the second",
    "sd_a": "SD of the first",
    "sd_b": "SD of the second",
    "smd": "Mean difference in SD",
    "dsm": "Difference of standardised means",
    "se_dsm": "Error of the difference",
    "dsm_low": "Difference from",
    "dsm_high": "Difference to",
    "margins_ab": "By chance, rows with columns",
    "margins_aa": "By chance, rows twice",
    "margins_bb": "By chance, columns twice",
    "same_ab": "The same, rows and columns",
    "same_aa": "The same, rows twice",
    "same_bb": "The same, columns twice",
}


# What rows are called, and the levels of an index that call them so.
OF_ROWS = ("coefficient", "mean", "criterion", "comparison", "figure", "source", "test")
ROWS: dict[Hashable, str] = {
    "fisher_mean": "Fisher-z mean",
    "fixed": "Fixed effect",
    "random": "Random effects",
    "percent": "percent agreement",
    "brennan_prediger": "Brennan-Prediger coefficient",
    "fleiss": "Fleiss' kappa",
    "conger": "Conger's kappa",
    "light": "Light's kappa",
    "gwet": "Gwet's coefficient",
    "krippendorff": "Krippendorff's alpha",
    "scott": "Scott's pi",
    "se_null": "Standard error without agreement",
    "qwk": "QWK",
    "correlation": "Correlation",
    "degradation": "Loss of QWK against people",
    "smd": "Mean difference in SD",
    "prmse": "PRMSE",
    "exact_agreement": "Exact agreement",
    "adjacent_agreement": "Adjacent agreement",
    "consistency": "People with each other",
    "evaluation": "Machine with people",
    "difference": "Machine minus people",
    "vs_truth": "with the standard",
    "all_vs_truth": "all with the standard",
    "miss_rate": "miss rate",
    "false_alarm_rate": "false alarm rate",
    "mixed_rate": "mixed rate",
    "sem_relative": "SEM, relative",
    "sem_absolute": "SEM, absolute",
    "sdc_relative": "Smallest detectable change, relative",
    "sdc_absolute": "Smallest detectable change, absolute",
    "osa": "squared error (osa)",
    "osd": "error (osd)",
    "csd": "error given the human score (csd)",
    "total_gauge": "total gauge",
    "lower_limit": "lower limit",
    "upper_limit": "upper limit",
}


def heading_of(name: Hashable) -> str:
    """Say what stands above a column, or before the value of a group.

    >>> heading_of("n_items"), heading_of("observed_agreement"), heading_of("essay_set")
    ('Items', 'Observed agreement', 'Essay set')
    """
    text = str(name)
    return HEADINGS.get(text) or text[:1].upper() + text[1:].replace("_", " ")


def lowered(heading: str, name: Hashable) -> str:
    """Write a heading within a sentence, but capital letters of the user as they are.

    >>> lowered("Essay set 2", "essay_set"), lowered("LLM A", "LLM")
    ('essay set 2', 'LLM A')
    """
    return heading if str(name)[:1].isupper() else f"{heading[0].lower()}{heading[1:]}"


def spoken_by(by: Hashable | list[Any]) -> str:
    """Name the columns that groups come from.

    >>> spoken_by("essay_set"), spoken_by(["site", "year"])
    ('Essay set', 'Site, Year')
    """
    return ", ".join(map(heading_of, by if isinstance(by, list) else [by]))


PLACEHOLDERS = "Last Resort"  # a font with the same box for many characters


def drawable(text: str) -> str:
    r"""Replace characters that no installed font has by their codes, such as \u65e5.

    Matplotlib would warn, and draw the same box for all of them.
    """
    lost = _found(text)[1]
    return "".join(
        one.encode("ascii", "backslashreplace").decode() if one in lost else one for one in text
    )


def warn_of_lost(texts: Iterable[str]) -> None:
    """Give one warning that names the characters for which there is no font."""
    whole = "".join(texts)
    lost = _found(whole)[1]
    if lost:
        found = [one for one in dict.fromkeys(whole) if one in lost]
        warn(
            f"No installed font has {listing(found)}; the picture shows codes instead, such as "
            f"{drawable(found[0])}. Install a font that has them, such as one of Google's Noto "
            "fonts, and load it: matplotlib.font_manager.fontManager.addfont(path).",
            MissingGlyphWarning,
        )


def give_fonts(artist: Artist) -> None:
    """Let all text of an artist use other installed fonts for characters that its own lack."""
    from matplotlib.text import Text

    for one in artist.findobj(lambda it: isinstance(it, Text)):
        if isinstance(one, Text):
            families, own = _found(one.get_text())[0], one.get_fontfamily()
            if not set(families) <= set(own):
                one.set_fontfamily(list(dict.fromkeys([*own, *families])))


def _found(text: str) -> tuple[list[str], frozenset[str]]:
    """Find families for what the user's own fonts lack, and what no other font has either."""
    if text.isascii():
        return [], frozenset()
    from matplotlib import rcParams
    from matplotlib.font_manager import fontManager

    characters = frozenset(one for one in text if one.isprintable())
    return _search(characters, len(fontManager.ttflist), *rcParams["font.family"])


@functools.lru_cache(maxsize=4096)
def _search(
    characters: frozenset[str], n_fonts: int, *own: str
) -> tuple[list[str], frozenset[str]]:
    """Do the same for the characters of a text, and the families of the user's settings.

    The number of fonts is there to look again once one is added.
    """
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    def without(path: str) -> frozenset[str]:
        font = get_font(path)
        return frozenset(one for one in lost if not font.get_char_index(ord(one)))

    lost = characters
    for family in own:
        lost = without(findfont(FontProperties(family=[family])))
    families = []
    for font in fontManager.ttflist[:n_fonts]:
        if not lost:
            break
        if not font.name.startswith(PLACEHOLDERS):
            rest = without(font.fname)
            if rest != lost:
                families.append(font.name)
            lost = rest
    return families, lost


SHORT = 1e-12  # by which 1 may be missed: an error of rounding
MOST_NAMED = 12
LONGEST_LINE = 40  # characters of a label before it goes on in a new line

# Kinds of Unicode that act on a terminal or belong to no text: control characters, lone halves
# of surrogate pairs; and the marks that turn the direction of what follows.
UNSEEN = {"Cc", "Cs"}
TURNS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def titled(spoken: str) -> str:
    """Make a label of what a coefficient is called in a sentence.

    >>> titled("the Brennan-Prediger coefficient"), titled("Light's kappa (a mean)")
    ('Brennan-Prediger coefficient', "Light's kappa")
    """
    name = spoken.removeprefix("the ").partition(" (")[0]
    return name[:1].upper() + name[1:]


def name_of(weights: Weights | None) -> str | None:
    """Name a weighting for the label of an axis."""
    return weights if weights is None or isinstance(weights, str) else "custom"


def weighted(weights: str | None) -> str:
    """Add the name of a weighting to that of a coefficient, if there is one."""
    return f", {weights} weights" if weights else ""


def weights_in_words(weights: Weights | None) -> str:
    """Say which weights a figure has, as part of a sentence.

    >>> weights_in_words("quadratic"), weights_in_words(None)
    ('quadratic weights', 'unweighted')
    """
    return "unweighted" if weights is None else f"{name_of(weights)} weights"


def listed(labels: Sequence[Label], most: int = MOST_NAMED) -> str:
    """List some labels, and say how many more there are.

    >>> listed(["ann", "bob", "eve"], 2)
    'ann, bob and 1 more'
    """
    shown = ", ".join(map(one_line, labels[:most]))
    more = len(labels) - most
    return f"{shown} and {more} more" if more > 0 else shown


def shortened(labels: Sequence[str], most: int, *, distinct: bool = True) -> list[str]:
    """Shorten long labels in the middle, or at an end, but none so that it could be another.

    Where that cannot be done they stay as they are, unless they need not be `distinct`.

    >>> [one[:-1] for one in shortened(["reader 1 of Basel", "reader 2 of Basel"], 12)]
    ['reader 1 of', 'reader 2 of']
    >>> [one[-5:] for one in shortened(["reader of Basel 1", "reader of Basel 2"], 12)]
    ['sel 1', 'sel 2']
    >>> [one[1:5] for one in shortened(["state of Ohio, north", "state of Utah, north"], 8)]
    ['Ohio', 'Utah']
    """
    dots, half, rest = "\N{HORIZONTAL ELLIPSIS}", (most - 1) // 2, most - 1
    start = len(commonprefix(list(labels)))  # noqa: RUF071  # of characters, not of paths
    ways = (
        [one[:rest].rstrip() + dots for one in labels],
        [one[:half].rstrip() + dots + one[len(one) - half :].lstrip() for one in labels],
        [dots + one[len(one) - rest :].lstrip() for one in labels],
        [dots + one[start:][: rest - 1].strip() + dots for one in labels],
    )
    cuts = [
        [one if len(one) <= most else short for one, short in zip(labels, way, strict=True)]
        for way in ways
    ]
    apart = (cut for cut in cuts if len(set(cut)) == len(set(labels)))
    return next(apart, list(labels) if distinct else cuts[1])


TIME = re.compile(r"\d{4}-?([WQ]\d+|\d\d(-?\d\d)?)$")  # years alone may be anything


def are_times(labels: pd.Index) -> bool:
    """Whether groups are times: dates, periods, or texts such as 2026-01.

    >>> import pandas as pd
    >>> are_times(pd.Index(["2026-01", "2026-02"])), are_times(pd.Index(["2026", "2027"]))
    (True, False)
    """
    if labels.inferred_type in {"datetime64", "period"}:
        return True
    return labels.nlevels == 1 and all(isinstance(x, str) and TIME.match(x) for x in labels)


def groups_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the group of each row: its labels, none where the rows are only counted.

    >>> frame = pd.DataFrame({"n": [4, 5]})
    >>> groups_of(frame), groups_of(frame.set_axis(pd.Index(["x", "y"], name="site")))
    ([(), ()], [('x',), ('y',)])
    """
    labels = frame.index
    if not any(name is not None for name in labels.names):
        return [()] * len(labels)
    return labels.tolist() if labels.nlevels > 1 else [(label,) for label in labels.tolist()]


def group_in_words(names: Sequence[Any], group: tuple[Any, ...]) -> str:
    """Name a group by what it is grouped by.

    >>> group_in_words(["site", "year"], ("x", 2024.0))
    'Site x, Year 2024'
    """
    named = zip(names, group, strict=False)
    return ", ".join(f"{one_line(heading_of(a))} {one_line(b)}" for a, b in named)


def parts_of(label: Any, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Return what a label of an index has at each of some levels; that of one may be a tuple.

    >>> parts_of("Oslo", ["site"]), parts_of(("ann", 2), ["rater", "set"])
    (('Oslo',), ('ann', 2))
    >>> parts_of(("ann", 2), ["rater"])
    (('ann', 2),)
    """
    return label if len(levels) > 1 else (label,)


LONGEST_CODE = 2  # characters of a label that needs the name of its column beside it


def place_of(names: Sequence[Any], label: Any) -> str:
    """Name a group, or a row, within a sentence.

    >>> place_of(["site"], "Oslo"), place_of(["essay_set"], 2), place_of(["prompt"], "F")
    ('Oslo', 'essay set 2', 'prompt F')
    """
    group = parts_of(label, names)
    is_code = len(group) == 1 and len(str(group[0])) <= LONGEST_CODE
    if all(isinstance(one, str) for one in group) and not is_code:
        return ", ".join(filter(None, map(one_line, group)))
    return lowered(group_in_words(names, group), names[0])


def one_line(value: object) -> str:
    """Write a label in one line, a whole number without decimals; None is no label.

    >>> one_line(3.0), one_line(" "), one_line(None)
    ('3', "' '", '')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value)
    if text.isspace():
        return repr(text)
    return "" if value is None else visible(" ".join(text.split()))


def as_rating(value: object) -> str:
    """Write a rating in one line, a measured score with six digits.

    >>> as_rating(27.443172308999078), as_rating(1234567.0), as_rating("spam")
    ('27.4432', '1234567', 'spam')
    """
    is_measured = isinstance(value, float) and not value.is_integer()
    return f"{value:.6g}" if is_measured else one_line(value)


def drawn(value: object) -> str:
    """Write a label in one line for a picture, whose fonts may lack some of its characters."""
    return drawable(one_line(value))


def reason_in_words(reason: object) -> str:
    """Write the code of a reason for people.

    >>> reason_in_words("no_joint_items"), reason_in_words("n_lt_2")
    ('no joint items', 'n < 2')
    """
    return str(reason).replace("_lt_", " < ").replace("_", " ")


def visible(text: str) -> str:
    r"""Show as codes what a terminal would obey, and what is no character.

    >>> visible("\x1b[31mred"), visible("half \ud83d"), visible("Zo\xeb")
    ('\\x1b[31mred', 'half \\ud83d', 'Zoë')
    """
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode()
        if unicodedata.category(one) in UNSEEN or one in TURNS
        else one
        for one in text
    )


def wrapped(label: str) -> str:
    """Break a long label into lines."""
    return textwrap.fill(drawable(visible(label)), LONGEST_LINE)


def fold(text: str, width: int) -> str:
    """Break a sentence into lines; a line of parts between them."""
    dot = " \N{MIDDLE DOT} "
    lines = [""]
    for part in text.split(dot):
        joined = f"{lines[-1]}{dot}{part}" if lines[-1] else part
        lines = [*lines[:-1], joined] if len(joined) <= width or not lines[-1] else [*lines, part]
    return "\n".join(textwrap.fill(line, width) for line in lines)


def rounded(value: float, digits: int = 2) -> str:
    """Write so many decimals; what is short of 1 or -1 is not rounded to it, nor has 0 a sign.

    >>> rounded(0.714), rounded(0.99999), rounded(1.0), rounded(-0.99999, 3), rounded(-0.0001)
    ('0.71', '>0.99', '1.00', '<-0.999', '0.00')
    """
    short = 1 - abs(value)
    if digits and SHORT < short <= 0.5 * 10**-digits:
        most = f"{1 - 10**-digits:.{digits}f}"
        return f">{most}" if value > 0 else f"<-{most}"
    return f"{value:z.{digits}f}"


def reach(low: str, high: str) -> str:
    """Write from where to where figures reach, or the one that they are.

    >>> reach("0.50", "0.62"), reach("0.62", "0.62")
    ('0.50 to 0.62', '0.62')
    """
    return low if low == high else f"{low} to {high}"


def two_decimals(value: float) -> str:
    """Write two decimals, with the minus sign of the user's fonts."""
    return decimals(value, 2)


def decimals(value: float, digits: int) -> str:
    """Write so many decimals, with the minus sign of the user's fonts."""
    from matplotlib.ticker import Formatter

    return Formatter.fix_minus(rounded(value, digits))


def label_as_json(label: Any) -> Any:
    """Write a label with what JSON has.

    >>> label_as_json("ann"), label_as_json(("ann", 1)), label_as_json(np.int64(3))
    ('ann', "('ann', 1)", 3)
    """
    return str(label) if isinstance(label, tuple) else as_json(label)


def as_json(value: Any) -> Any:
    """Write a value with what JSON has; what is too much by its type."""
    if value is None or isinstance(value, str | int | float | bool):
        return str(value) if isinstance(value, float) and not np.isfinite(value) else value
    if isinstance(value, dict):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple | range):
        return [as_json(one) for one in value]
    if getattr(value, "ndim", None) == 0:
        return as_json(value.item())
    if callable(value) or hasattr(value, "ndim") or isinstance(value, np.random.Generator):
        return getattr(value, "__name__", type(value).__name__)
    return str(value)
