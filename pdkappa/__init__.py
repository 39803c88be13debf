"""Inter-rater agreement for pandas: ``df.kappa.pairwise()`` as ``df.corr()``.

>>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
>>> df.kappa.pairwise(weights="quadratic").round(3)
       ann    bob
ann  1.000  0.615
bob  0.615  1.000
"""

from __future__ import annotations

from typing import Any

from pdkappa import datasets
from pdkappa._version import __version__
from pdkappa.accessor import Ratings, from_counts, from_long, from_table
from pdkappa.api import confusion, pairs, pairwise
from pdkappa.attaining import attainable, attainable_margins
from pdkappa.comparing import ceiling, compare, compare_groups, homogeneity, shake, swaps
from pdkappa.crosscheck import crosscheck
from pdkappa.cut_results import Cutpoints, GroupedCutpoints
from pdkappa.cutting import cutpoints
from pdkappa.deciding import decide, expected_kappa
from pdkappa.drilldown import categories, cells, cuts, items, raters, split, usage
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    CrudeKappaWarning,
    DuplicateRatingError,
    ExportError,
    KappaError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    MissingDependencyError,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    UndefinedKappaWarning,
    WeightsError,
)
from pdkappa.evaluating import concordance, evaluation
from pdkappa.exports import (
    from_argilla,
    from_doccano,
    from_label_studio,
    from_mturk,
    from_prodigy,
)
from pdkappa.foreign import from_frame
from pdkappa.group_results import GroupedAgreement, GroupedPairs
from pdkappa.grouping import grouped
from pdkappa.multirater import agreement, covariance, influence
from pdkappa.planning import SampleSize, power, sample_size
from pdkappa.reporting import report, to_excel
from pdkappa.results import Report
from pdkappa.scanning import scan
from pdkappa.scorecards import scorecard
from pdkappa.scoring import fisher_mean, qwk
from pdkappa.shifting import shift
from pdkappa.showing import style

__all__ = [
    "CategoryError",
    "ColumnNotFoundError",
    "CrudeKappaWarning",
    "Cutpoints",
    "DuplicateRatingError",
    "ExportError",
    "GroupedAgreement",
    "GroupedCutpoints",
    "GroupedPairs",
    "KappaError",
    "KappaWarning",
    "LeftOutWarning",
    "LookalikeLabelsWarning",
    "MissingDependencyError",
    "OptionError",
    "RatingTypeError",
    "Ratings",
    "RatingsError",
    "Report",
    "SampleSize",
    "TooLargeError",
    "UndefinedKappaWarning",
    "WeightsError",
    "__version__",
    "agreement",
    "attainable",
    "attainable_margins",
    "categories",
    "ceiling",
    "cells",
    "compare",
    "compare_groups",
    "concordance",
    "confusion",
    "covariance",
    "crosscheck",
    "cutpoints",
    "cuts",
    "datasets",
    "decide",
    "evaluation",
    "expected_kappa",
    "fisher_mean",
    "from_argilla",
    "from_counts",
    "from_doccano",
    "from_frame",
    "from_label_studio",
    "from_long",
    "from_mturk",
    "from_prodigy",
    "from_table",
    "grouped",
    "homogeneity",
    "influence",
    "items",
    "pairs",
    "pairwise",
    "power",
    "qwk",
    "raters",
    "report",
    "sample_size",
    "scan",
    "scorecard",
    "shake",
    "shift",
    "split",
    "style",
    "swaps",
    "to_excel",
    "usage",
]


def __dir__() -> list[str]:
    """List the names, that of `KappaCuts` included."""
    return [*globals(), "KappaCuts"]


def __getattr__(name: str) -> Any:
    """Find `KappaCuts`, which is made when it is first asked for: it needs scikit-learn."""
    if name == "KappaCuts":
        from pdkappa import estimators

        return estimators.KappaCuts
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
