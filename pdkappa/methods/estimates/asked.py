"""The options that methods share, each declared once; `asks` makes methods of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa._typing import Additive as AdditiveName
from pdkappa._typing import (
    Adjustment,
    Benchmark,
    ByFormula,
    GivenCategories,
    GivenRaters,
    GivenWeights,
    ItemWeights,
    Label,
    OfPairOrAll,
    Plain,
    Progress,
    Seed,
    Split,
    WeightName,
)
from pdkappa._typing import By as ByColumns
from pdkappa._typing import Coefficient as PairCoefficient
from pdkappa._typing import GroupWeights as WeightOfGroups
from pdkappa._typing import Interval as IntervalName
from pdkappa._typing import Missing as MissingName
from pdkappa._typing import OfAll as OfAllName
from pdkappa._typing import Population as PopulationSize
from pdkappa._typing import Vary as VaryName
from pdkappa._typing import WeightType as WeightTypeName
from pdkappa.errors import check_flag
from pdkappa.methods.estimates.asks import Asked, anew, column, held, option
from pdkappa.methods.estimates.options import (
    SYNONYMS,
    check_given,
    check_level,
    check_margin,
    check_null,
    check_number,
    check_one,
    check_one_or_two,
    check_rng,
    check_several,
    number_that,
    whole_from,
)
from pdkappa.methods.estimates.pair_frames import SYNONYMS as OF_PAIRS
from pdkappa.methods.estimates.pair_frames import SYNONYMS_OF_MANY
from pdkappa.ratings.options import check_separator

if TYPE_CHECKING:
    import numpy.typing as npt

ADDITIVE = SYNONYMS_OF_MANY | {
    "kappa": "'light' for the mean of the pairs, or 'conger'",
    "cohen": "'light', which is Cohen's kappa for two raters",
    "scott": "'fleiss', which is Scott's pi for two raters",
}

# --- how the ratings are read ------------------------------------------------------------------


class Raters(Asked):
    """Any number of raters."""

    raters: GivenRaters | None = option(
        "Who rated.",
        "list of column labels",
        default=None,
        kw_only=False,
        also="Two or more. Default: all columns that can be ratings.",
        more="Named columns are always used. The others are all columns except those named by "
        "`by`, `sample_weight` and `cluster`, and those that cannot be ratings: dates, free text, "
        "identifiers, numbers mostly beyond those of all others, and columns with one value in "
        "each group.",
    )


class Item(Asked):
    """Items of a frame with one rating in each row."""

    item: Label = column("What was rated.")


class Rater(Asked):
    """Raters of a frame with one rating in each row."""

    rater: Label = column("Who rated it.")


class Rating(Asked):
    """Ratings of a frame with one of them in each row."""

    rating: Label = column("How it was rated.")


class Trial(Item, Rater):
    """Ratings that a rater gave again."""

    trial: Label = column("The column that says which of a rater's ratings of an item it is.")


class Pair(Asked):
    """Two raters who are equals."""

    rater_a: Label = column("The first rater.", kw_only=False)
    rater_b: Label = column("The second rater.", kw_only=False)


class HumansAndMachine(Asked):
    """Any number of humans, of whom the first is the reference, and a machine."""

    humans: Label | list[Label] = option(
        "Human ratings, missing where there is none.",
        "column label or list of column labels",
        kw_only=False,
        check=check_several,
        also="Of several columns the first is the reference.",
    )
    machine: Label = column("The machine's ratings.", kw_only=False)

    @property
    def people(self) -> list[Label]:
        """The columns of the humans."""
        return self.humans if isinstance(self.humans, list) else [self.humans]


class HumanAndMachine(HumansAndMachine):
    """A human and a machine."""

    humans: Label = anew(
        HumansAndMachine, "humans", kind="column label", also="", kw_only=False, check=check_one
    )


class OneOrTwoHumansAndMachine(HumansAndMachine):
    """A human, or two, and a machine."""

    humans: Label | list[Label] = anew(
        HumansAndMachine,
        "humans",
        kind="column label or list of two",
        kw_only=False,
        check=check_one_or_two,
        also="Of two, the machine is compared with the first, the reference; the second may be "
        "there for some of the items.",
    )


class HumansAndMachines(Asked):
    """Humans by whom machines are measured, each separately."""

    humans: list[Label] = anew(
        HumansAndMachine,
        "humans",
        kind="list of column labels",
        kw_only=False,
        check=None,
        also="Two or more people, who need not have rated all items.",
    )
    machine: Label | list[Label] = anew(
        HumansAndMachine,
        "machine",
        kind="column label or list of column labels",
        kw_only=False,
        check=check_several,
        also="Of several, each is compared separately.",
    )

    @property
    def machines(self) -> list[Label]:
        """The columns of the machines."""
        return self.machine if isinstance(self.machine, list) else [self.machine]


class Predicted(Asked):
    """The truth, and what was predicted."""

    truth: Label = column("The true class of each item.", kw_only=False)
    predictions: Label = column("What was predicted.", kw_only=False)


class Truth(Asked):
    """A standard."""

    truth: Label | None = anew(
        Predicted, "truth", default=None, also="It is the same in all rows of an item."
    )


class By(Asked):
    """Groups of items, if they are asked for."""

    by: ByColumns | None = option(
        "One result for each group.",
        "column label or list of column labels",
        default=None,
        more="Rows with a missing group are left out. Categories are shared, unless `weights` are "
        "distances of numbers and no `categories` are declared: each group then has its own scale.",
    )


class ByGroups(Asked):
    """Groups of items, which a method is about."""

    by: ByColumns = anew(
        By, "by", check=check_given, also="Rows with a missing group are left out.", more=""
    )


class Weights(Asked):
    """How much disagreements count."""

    weights: GivenWeights | None = option(
        "How much each disagreement counts; None counts all equally.",
        "array or DataFrame or callable",
        choices=WeightName,
        default=None,
        more="An array of shape (K, K) with zeros on its diagonal is read as disagreement, with "
        "ones as agreement; a DataFrame is aligned by category; a callable gets the scores, shape "
        "(K,), or, if it needs two arguments, two labels at a time, as the distances of NLTK do. "
        "The last two names compare ratings that are sets of labels: sets, lists, tuples, or text "
        "with `sep`.",
    )


class Quadratic(Weights):
    """How much disagreements on a scale count."""

    weights: GivenWeights | None = anew(Weights, "weights", default="quadratic")


class Chosen(Weights):
    """How much disagreements count where this cannot be seen in the result."""

    weights: GivenWeights | None = anew(Weights, "weights")


class Categories(Asked):
    """The scale."""

    categories: GivenCategories | None = option(
        "The categories in order, or their scores ``{category: score}``.",
        "list or dict",
        default=None,
        more="Default: numbers are their own scores, and an ordered Categorical defines the order.",
    )


class Missing(Asked):
    """Ratings that are missing."""

    missing: MissingName = option(
        "Use the items that both raters of a pair rated, use those that all raters rated, or raise "
        "an error if a rating is missing.",
        choices=MissingName,
        default="pairwise",
        more="A missing rating is never a category.",
    )


class SampleWeight(Asked):
    """Items that count more than others."""

    sample_weight: ItemWeights | None = option(
        "How much each item counts; 2 counts an item twice, and zero leaves it out.",
        "column label or array of shape (N,)",
        default=None,
    )


class WeightType(SampleWeight):
    """What weights of items are."""

    weight_type: WeightTypeName | None = held(
        "Whether weights are numbers of items or sampling weights, of which only the proportions "
        "matter. None: numbers of items, if they are whole.",
        choices=WeightTypeName,
        default=None,
        more='"frequency": 2 counts an item twice, as if it occurred twice. "probability": '
        "such as the inverse of an item's probability of selection. Weights are scaled to a mean "
        "of 1, so that `n_items` is their sum, and each item is treated as a cluster: standard "
        "errors, limits and resamples are as with `cluster`, and limits are wider the more unequal "
        "the weights are.",
    )


class ArrayWeight(Asked):
    """Items that count more than others, where there is no frame."""

    sample_weight: npt.ArrayLike | None = anew(
        SampleWeight, "sample_weight", default=None, kind="array of shape (N,)"
    )


class Cluster(Asked):
    """Items that belong together."""

    cluster: ItemWeights | None = option(
        "Items are nested in clusters, such as the essays of one student. Estimates stay the "
        "same; standard errors, limits and tests count clusters.",
        "column label or array of shape (N,)",
        default=None,
        more="Standard errors are bias-reduced (CR2), with Satterthwaite degrees of freedom. "
        "Clusters equivalent to fewer than 30 of equal size give a `FewClustersWarning`.",
    )


class Units(Missing, WeightType, Cluster):
    """What is missing, how much each item counts, and which belong together."""


class Ratings(Categories, Missing, SampleWeight):
    """The scale, what is missing, and how much each item counts."""


class Weighted(Weights, Categories, Units):
    """How much disagreements count on which scale, and which items there are."""


class Sep(Asked):
    """Ratings that are sets of labels."""

    sep: str | None = option(
        'Ratings are sets of labels, written as text with this between them: "a|b" with "|".',
        "str",
        default=None,
        check=lambda _, value: check_separator(value),
    )


# --- what is estimated --------------------------------------------------------------------------


class Coefficient(Asked):
    """A coefficient of two raters."""

    coefficient: PairCoefficient = option(
        "How chance agreement is defined.",
        choices=PairCoefficient,
        default="cohen",
        synonyms=OF_PAIRS,
        more="With two raters, Scott's pi is Fleiss' kappa and Gwet's coefficient is AC1, or AC2 "
        "with weights.",
    )


class Kappa(Coefficient, Weights, Categories):
    """A coefficient of two raters, its weights and the scale."""


class PairOrAll(Asked):
    """A coefficient of two raters, or of all."""

    coefficient: OfPairOrAll | None = anew(
        Coefficient,
        "coefficient",
        choices=OfPairOrAll,
        default=None,
        also='Default: "cohen" for two raters, whose others are those of `pairs`, and "light" for '
        'more (or "conger" where pairs share few items), whose others are those of `agreement`.',
        more="",
    )


class OfAll(Asked):
    """A coefficient of all raters."""

    coefficient: OfAllName = anew(
        Coefficient,
        "coefficient",
        choices=OfAllName,
        default="light",
        synonyms=ADDITIVE,
        also="Light's is the mean of the pairwise kappas, and Cohen's kappa for two raters. It is "
        "biased where pairs share few items, of which a `BiasedKappaWarning` tells.",
        more="",
    )


class Additive(Asked):
    """A coefficient that is a mean over categories, or cuts of the scale."""

    coefficient: AdditiveName = anew(OfAll, "coefficient", choices=AdditiveName, default="light")
    kind: Split = option(
        "Which of two figures is meant.",
        choices=Split,
        default="category",
        also="The nominal coefficient is split into each category against all others; that with "
        "linear weights into the cuts of an ordered scale, between a category and the next.",
    )


class Interpretation(Asked):
    """Verbal labels."""

    interpretation: Benchmark = option(
        'The scheme of the verbal labels. "gwet" gives the level of Landis and Koch that is '
        "reached with 95 % probability. Labels are conventions: they take no account of the number "
        "of categories or of the consequences of an error.",
        choices=Benchmark,
        default="landis_koch",
    )


# --- how sure it is -----------------------------------------------------------------------------


class Level(Asked):
    """Limits."""

    confidence_level: float = option("Between 0 and 1.", "float", default=0.95, check=check_level)

    @property
    def level(self) -> float:
        """The same as a Python float."""
        return float(self.confidence_level)


class Draws(Asked):
    """Random numbers."""

    n_resamples: int = held(
        "Number of resamples for the limits that need them, up to 1,000,000.",
        "int",
        default=2000,
        check=check_number,
        more="Those that are 0/0 are left out, and a warning counts them.",
    )
    rng: Seed = held(
        "Random number generator or seed of the resamples; a number makes them reproducible.",
        "None, int or numpy Generator",
        default=None,
        check=check_rng,
    )


class Resamples(Draws):
    """Random numbers, and how many are drawn so far."""

    progress: Progress = held(
        "Whether to show a progress bar, or a function of ``(done, total)``.",
        "bool or callable",
        default=False,
    )


class Interval(Level, Resamples):
    """Limits that are computed in one of several ways."""

    ci: IntervalName = option(
        "How the limits are computed.",
        choices=IntervalName,
        default="auto",
        more="\"auto\": guarded limits on Fisher's z scale, see the notes; Wilson's of the share "
        "of disagreement where chance does not depend on how often raters used each category. "
        '"score": the values that a test with the standard error under the hypothesis does not '
        "reject, by a model of pdkappa's own; for two categories by goodness of fit, stretched "
        "where the raters' shares differ [4]_. \"fisher\": limits on Fisher's z scale after adding "
        'one pseudo-item. "wald": estimate plus and minus normal quantiles times the standard '
        'error. "percentile", "bca": quantiles from resampled items (or clusters), plain or '
        'corrected for bias and acceleration. "jackknife": estimate plus and minus t quantiles '
        "times the jackknife standard error. The "
        "documentation lists the coverage of each.",
    )


class Formula(Level):
    """Limits that are computed without resamples."""

    ci: ByFormula = anew(Interval, "ci", default="auto", choices=ByFormula)


class PlainLimits(Level):
    """Limits that are computed in the way of a method, or from the standard error alone."""

    ci: Plain = anew(Interval, "ci", default="auto", choices=Plain, more="")


class Limits(Interval):
    """Limits, and a test of the same hypothesis."""

    null: float | None = option(
        "The agreement that is tested, between -1 and 1. Default: 0, agreement by chance alone.",
        "float",
        default=None,
        check=check_null,
    )


class Population(Asked):
    """A finite population."""

    population: PopulationSize | None = held(
        "Number of items in the finite population from which those in `data` were sampled.",
        "number or dict or Series",
        default=None,
        more="One number for each group, if a dict or Series: standard errors shrink by ``sqrt(1 - "
        "n / N)``, to zero if every item is rated. Default: an infinite population.",
    )


class Vary(Asked):
    """What the sample is."""

    vary: VaryName = option(
        "What standard errors, limits and tests treat as a random sample: the items, with these "
        "raters fixed; the raters, with these items fixed; or both. Random raters need three or "
        'more; "auto" and "score" are then "fisher". See the notes.',
        choices=VaryName,
        default="items",
    )


class Adjusted(Asked):
    """Several tests."""

    p_adjust: Adjustment | None = option(
        "Adjust p-values for their number, in the column ``p_adjusted``, which is NaN without it.",
        choices=Adjustment,
        default=None,
        synonyms=SYNONYMS,
    )


class GroupWeights(Asked):
    """How much each group counts."""

    group_weights: WeightOfGroups | None = option(
        "Weight of each group in the mean. Default: all groups count the same.",
        "column label or dict or Series",
        default=None,
        also="A column is constant within each group; a mapping is from group to weight.",
    )


class MeanOfGroups(Coefficient, Quadratic, Categories, Units, Interval, GroupWeights):
    """A coefficient of two raters in groups, and its mean."""


class Margin(Asked):
    """A difference that does not matter."""

    margin: float | None = option(
        "The largest difference that does not matter, for tests that agreement is less by no more "
        "than this (non-inferiority), and that it differs by less (equivalence). Without it the "
        "difference is compared with zero.",
        "float",
        default=None,
        check=check_margin,
    )


# --- what is shown ------------------------------------------------------------------------------


MOST = 2**63  # of anything that is counted


class MinItems(Asked):
    """Pairs with few items."""

    min_items: float = held(
        "Pairs (in a group) with fewer joint items are left out.",
        "float",
        default=0,
        check=number_that(lambda value: 0 <= value < MOST, "be a number of items"),
    )


class MinTestItems(Asked):
    """Humans with few items."""

    min_test_items: int = held(
        "Humans with fewer items are left out of a test, unless all have fewer.",
        "int",
        default=30,
        check=whole_from(1, " of items"),
    )


class Columns(Asked):
    """What is shown of each item."""

    id: Label | None = column(
        "The column that names the items. Default: the index of `data`.", default=None
    )
    columns: GivenRaters | None = option(
        "What to keep beside the ratings, such as the text of each item.",
        "list of column labels",
        default=None,
        also="It is shown with the figures. Unless `raters` names them, neither these columns nor "
        "the `id` hold ratings.",
    )


class OfStudy(Raters, By, Kappa, Units):
    """The options of a study."""


class Together(Asked):
    """All raters at once."""

    together: bool = option(
        "Whether to treat all raters together rather than in pairs.",
        "bool",
        default=False,
        check=check_flag,
    )


class Tolerance(Asked):
    """Differences that do no harm."""

    tolerance: Any = option("How much difference is tolerated.", "float")


class Method(Asked):
    """One of several ways to compute something, which each method has by itself."""

    method: Any = option("How it is computed.")


class First(Asked):
    """Two who are compared."""

    first: Any = option("The first of the two that are compared.")
    second: Any = option("The second of them.")


class Table(Asked):
    """A contingency table."""

    table: Any = option(
        "Number of items for each category of the first rater (rows) and of the second (columns).",
        "DataFrame or array, shape (K, K)",
    )


class Path(Asked):
    """One file."""

    path: Any = option("The file.", "path", kw_only=False)


class Sampled(WeightType, Resamples, Population):
    """How a sample was drawn, and is resampled, where a call itself is told."""

    weight_type: WeightTypeName | None = anew(WeightType, "weight_type", default=None)
    n_resamples: int = anew(Draws, "n_resamples", default=2000)
    rng: Seed = anew(Draws, "rng", default=None)
    progress: Progress = anew(Resamples, "progress", default=False)
    population: PopulationSize | None = anew(Population, "population", default=None)


class Held(OfStudy, Sampled, MinItems, MinTestItems):
    """The options of a study, which ``df.kappa(...)`` holds for all its calls."""

    raters: GivenRaters | None = anew(Raters, "raters", default=None)
    coefficient: OfPairOrAll | None = anew(  # type: ignore[assignment]
        PairOrAll, "coefficient", default=None, also="None: as each method has it by default."
    )
    weight_type: WeightTypeName | None = anew(WeightType, "weight_type", default=None)
    min_items: float = anew(MinItems, "min_items", default=0)
    min_test_items: int = anew(MinTestItems, "min_test_items", default=30)
