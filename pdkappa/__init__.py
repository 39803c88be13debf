"""Inter-rater agreement for pandas: ``df.kappa.pairwise()`` as ``df.corr()``.

>>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
>>> df.kappa.pairwise(weights="quadratic").round(3)
       ann    bob
ann  1.000  0.615
bob  0.615  1.000
"""

from __future__ import annotations

import itertools
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdkappa import datasets
from pdkappa.accessor import KappaAccessor, KappaGroupBy, Ratings
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    ColumnsLeftOutWarning,
    CrudeKappaWarning,
    DuplicateRatingError,
    ExportError,
    FewClustersWarning,
    KappaError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    MissingDependencyError,
    MissingGlyphWarning,
    NotConvergedWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    UndeclaredCategoriesWarning,
    UndefinedKappaWarning,
    UnfinishedLogWarning,
    UnknownOptionError,
    WeightsError,
)
from pdkappa.methods.agreement.all_raters import agreement, covariance, influence
from pdkappa.methods.agreement.attainable import attainable
from pdkappa.methods.agreement.crosscheck import crosscheck
from pdkappa.methods.agreement.intraclass import icc
from pdkappa.methods.agreement.pairs import confusion, pairs, pairwise
from pdkappa.methods.comparisons.compare import compare, compare_groups, homogeneity
from pdkappa.methods.consensus import Consensus, consensus
from pdkappa.methods.drilldown.categories import categories, cuts
from pdkappa.methods.drilldown.items import cells, items
from pdkappa.methods.drilldown.raters import raters, usage
from pdkappa.methods.groups.grouped import fisher_mean, grouped
from pdkappa.methods.groups.grouped_results import GroupedAgreement, GroupedPairs
from pdkappa.methods.machine.adjudication import Adjudication, adjudication
from pdkappa.methods.machine.alt_test import AltTest, alt_test
from pdkappa.methods.machine.audit import Audit, audit
from pdkappa.methods.machine.ceiling import ceiling
from pdkappa.methods.machine.evaluation import evaluation
from pdkappa.methods.machine.fairness import Fairness, fairness
from pdkappa.methods.machine.prediction_powered import prediction_powered
from pdkappa.methods.machine.prevalence import mean_score, prevalence
from pdkappa.methods.machine.readiness import prmse, qwk_ceiling, readiness
from pdkappa.methods.predictions.cutpoints import Cutpoints, GroupedCutpoints, cutpoints
from pdkappa.methods.predictions.scorecard import qwk, scorecard
from pdkappa.methods.predictions.shift import shift
from pdkappa.methods.report.report import report, to_excel, to_html
from pdkappa.methods.report.write_up import Report
from pdkappa.methods.scores import bland_altman, concordance, kendall_w, within
from pdkappa.present.text_tables import style
from pdkappa.sources.ratings import from_counts, from_long, from_table

if TYPE_CHECKING:
    from pdkappa.methods.machine.prevalence import LabelSplit, label_split
    from pdkappa.methods.planning.sample_size import SampleSize, power, sample_size
    from pdkappa.methods.planning.sample_size_compare import (
        power_compare,
        power_icc,
        sample_size_compare,
        sample_size_icc,
    )
    from pdkappa.methods.predictions.decide import decide, expected_kappa
    from pdkappa.sources.annotation_tools import (
        from_argilla,
        from_doccano,
        from_label_studio,
        from_mturk,
        from_prodigy,
        from_votes,
    )
    from pdkappa.sources.evaluation_logs import (
        from_deepeval,
        from_inspect,
        from_lm_eval,
        from_promptfoo,
        from_records,
    )
    from pdkappa.sources.other_frames import from_frame
    from pdkappa.sources.scan_files import scan, scan_long

__version__ = "0.1.0"

__all__ = [
    "Adjudication",
    "AltTest",
    "Audit",
    "CategoryError",
    "ColumnNotFoundError",
    "ColumnsLeftOutWarning",
    "Consensus",
    "CrudeKappaWarning",
    "Cutpoints",
    "DuplicateRatingError",
    "ExportError",
    "Fairness",
    "FewClustersWarning",
    "GroupedAgreement",
    "GroupedCutpoints",
    "GroupedPairs",
    "KappaAccessor",
    "KappaError",
    "KappaGroupBy",
    "KappaWarning",
    "LabelSplit",
    "LeftOutWarning",
    "LookalikeLabelsWarning",
    "MissingDependencyError",
    "MissingGlyphWarning",
    "NotConvergedWarning",
    "OptionError",
    "RatingTypeError",
    "Ratings",
    "RatingsError",
    "Report",
    "SampleSize",
    "TooLargeError",
    "UndeclaredCategoriesWarning",
    "UndefinedKappaWarning",
    "UnfinishedLogWarning",
    "UnknownOptionError",
    "WeightsError",
    "__version__",
    "adjudication",
    "agreement",
    "alt_test",
    "attainable",
    "audit",
    "bland_altman",
    "categories",
    "ceiling",
    "cells",
    "compare",
    "compare_groups",
    "concordance",
    "confusion",
    "consensus",
    "covariance",
    "crosscheck",
    "cutpoints",
    "cuts",
    "datasets",
    "decide",
    "evaluation",
    "expected_kappa",
    "fairness",
    "fisher_mean",
    "from_argilla",
    "from_counts",
    "from_deepeval",
    "from_doccano",
    "from_frame",
    "from_inspect",
    "from_label_studio",
    "from_lm_eval",
    "from_long",
    "from_mturk",
    "from_prodigy",
    "from_promptfoo",
    "from_records",
    "from_table",
    "from_votes",
    "grouped",
    "homogeneity",
    "icc",
    "influence",
    "items",
    "kendall_w",
    "label_split",
    "mean_score",
    "pairs",
    "pairwise",
    "power",
    "power_compare",
    "power_icc",
    "prediction_powered",
    "prevalence",
    "prmse",
    "qwk",
    "qwk_ceiling",
    "raters",
    "readiness",
    "report",
    "sample_size",
    "sample_size_compare",
    "sample_size_icc",
    "scan",
    "scan_long",
    "scorecard",
    "shift",
    "style",
    "to_excel",
    "to_html",
    "usage",
    "within",
]

LATER = {  # imported when one of its names is first asked for: `df.kappa` does without
    "methods.planning.sample_size_compare": (
        "power_compare",
        "sample_size_compare",
        "power_icc",
        "sample_size_icc",
    ),
    "methods.planning.sample_size": ("power", "sample_size", "SampleSize"),
    "methods.predictions.decide": ("decide", "expected_kappa"),
    "methods.predictions.kappa_cuts": ("KappaCuts",),  # whose class needs scikit-learn
    "methods.machine.prevalence": ("LabelSplit", "label_split"),
    "sources.scan_files": ("scan", "scan_long"),
    "sources.other_frames": ("from_frame",),
    "sources.evaluation_logs": (
        "from_deepeval",
        "from_inspect",
        "from_lm_eval",
        "from_promptfoo",
        "from_records",
    ),
    "sources.annotation_tools": (
        "from_argilla",
        "from_doccano",
        "from_label_studio",
        "from_mturk",
        "from_prodigy",
        "from_votes",
    ),
}


def __dir__() -> list[str]:
    """List the names, those that are imported later included."""
    return sorted({*__all__, *itertools.chain(*LATER.values())})


def __getattr__(name: str) -> Any:
    """Import what is imported later."""
    for module, names in LATER.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
