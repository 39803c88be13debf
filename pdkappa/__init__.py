"""Inter-rater agreement for pandas: ``df.kappa.pairwise()`` as ``df.corr()``.

>>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
>>> df.kappa.pairwise(weights="quadratic").round(3)
       ann    bob
ann  1.000  0.615
bob  0.615  1.000
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdkappa import datasets as datasets
from pdkappa.accessor import (
    KappaAccessor as KappaAccessor,
    KappaGroupBy as KappaGroupBy,
    Ratings as Ratings,
)
from pdkappa.errors import (
    CategoryError as CategoryError,
    ColumnNotFoundError as ColumnNotFoundError,
    ColumnsLeftOutWarning as ColumnsLeftOutWarning,
    CrudeKappaWarning as CrudeKappaWarning,
    DuplicateRatingError as DuplicateRatingError,
    ExportError as ExportError,
    FewClustersWarning as FewClustersWarning,
    KappaError as KappaError,
    KappaWarning as KappaWarning,
    LeftOutWarning as LeftOutWarning,
    LookalikeLabelsWarning as LookalikeLabelsWarning,
    MissingDependencyError as MissingDependencyError,
    MissingGlyphWarning as MissingGlyphWarning,
    NotConvergedWarning as NotConvergedWarning,
    OptionError as OptionError,
    RatingsError as RatingsError,
    RatingTypeError as RatingTypeError,
    TooLargeError as TooLargeError,
    UndeclaredCategoriesWarning as UndeclaredCategoriesWarning,
    UndefinedKappaWarning as UndefinedKappaWarning,
    UnfinishedLogWarning as UnfinishedLogWarning,
    UnknownOptionError as UnknownOptionError,
    WeightsError as WeightsError,
)
from pdkappa.methods.agreement.all_raters import (
    agreement as agreement,
    covariance as covariance,
    influence as influence,
)
from pdkappa.methods.agreement.attainable import attainable as attainable
from pdkappa.methods.agreement.crosscheck import crosscheck as crosscheck
from pdkappa.methods.agreement.intraclass import icc as icc
from pdkappa.methods.agreement.pairs import (
    confusion as confusion,
    pairs as pairs,
    pairwise as pairwise,
)
from pdkappa.methods.comparisons.compare import (
    compare as compare,
    compare_groups as compare_groups,
    homogeneity as homogeneity,
)
from pdkappa.methods.consensus import Consensus as Consensus, consensus as consensus
from pdkappa.methods.drilldown.categories import categories as categories, cuts as cuts
from pdkappa.methods.drilldown.items import cells as cells, items as items
from pdkappa.methods.drilldown.raters import raters as raters, usage as usage
from pdkappa.methods.groups.grouped import fisher_mean as fisher_mean, grouped as grouped
from pdkappa.methods.groups.grouped_results import (
    GroupedAgreement as GroupedAgreement,
    GroupedPairs as GroupedPairs,
)
from pdkappa.methods.machine.adjudication import (
    Adjudication as Adjudication,
    adjudication as adjudication,
)
from pdkappa.methods.machine.alt_test import AltTest as AltTest, alt_test as alt_test
from pdkappa.methods.machine.audit import Audit as Audit, audit as audit
from pdkappa.methods.machine.ceiling import ceiling as ceiling
from pdkappa.methods.machine.evaluation import evaluate as evaluate
from pdkappa.methods.machine.fairness import Fairness as Fairness, fairness as fairness
from pdkappa.methods.machine.prediction_powered import prediction_powered as prediction_powered
from pdkappa.methods.machine.prevalence import mean_score as mean_score, prevalence as prevalence
from pdkappa.methods.machine.readiness import (
    prmse as prmse,
    qwk_ceiling as qwk_ceiling,
    readiness as readiness,
)
from pdkappa.methods.predictions.cutpoints import (
    Cutpoints as Cutpoints,
    GroupedCutpoints as GroupedCutpoints,
    cutpoints as cutpoints,
)
from pdkappa.methods.predictions.scorecard import qwk as qwk, scorecard as scorecard
from pdkappa.methods.predictions.shift import shift as shift
from pdkappa.methods.report.report import report as report, to_excel as to_excel, to_html as to_html
from pdkappa.methods.report.write_up import Report as Report
from pdkappa.methods.scores import (
    bland_altman as bland_altman,
    concordance as concordance,
    kendall_w as kendall_w,
    within as within,
)
from pdkappa.present.text_tables import style as style
from pdkappa.sources.ratings import (
    from_counts as from_counts,
    from_long as from_long,
    from_table as from_table,
)

if TYPE_CHECKING:
    from pdkappa.methods.machine.prevalence import (
        LabelSplit as LabelSplit,
        label_split as label_split,
    )
    from pdkappa.methods.planning.sample_size import (
        SampleSize as SampleSize,
        power as power,
        sample_size as sample_size,
    )
    from pdkappa.methods.planning.sample_size_compare import (
        power_compare as power_compare,
        power_icc as power_icc,
        sample_size_compare as sample_size_compare,
        sample_size_icc as sample_size_icc,
    )
    from pdkappa.methods.predictions.decide import (
        decide as decide,
        expected_kappa as expected_kappa,
    )
    from pdkappa.sources.annotation_tools import (
        from_argilla as from_argilla,
        from_doccano as from_doccano,
        from_label_studio as from_label_studio,
        from_mturk as from_mturk,
        from_prodigy as from_prodigy,
        from_votes as from_votes,
    )
    from pdkappa.sources.evaluation_logs import (
        from_deepeval as from_deepeval,
        from_inspect as from_inspect,
        from_lm_eval as from_lm_eval,
        from_promptfoo as from_promptfoo,
        from_records as from_records,
    )
    from pdkappa.sources.other_frames import from_frame as from_frame
    from pdkappa.sources.scan_files import scan as scan, scan_long as scan_long

__version__ = "0.1.0"

LATER = {  # imported when one of its names is first asked for: `df.kappa` does without
    "methods.planning.sample_size_compare": "power_compare sample_size_compare power_icc "
    "sample_size_icc",
    "methods.planning.sample_size": "power sample_size SampleSize",
    "methods.predictions.decide": "decide expected_kappa",
    "methods.predictions.kappa_cuts": "KappaCuts",  # whose class needs scikit-learn
    "methods.machine.prevalence": "LabelSplit label_split",
    "sources.scan_files": "scan scan_long",
    "sources.other_frames": "from_frame",
    "sources.evaluation_logs": "from_deepeval from_inspect from_lm_eval from_promptfoo "
    "from_records",
    "sources.annotation_tools": "from_argilla from_doccano from_label_studio from_mturk "
    "from_prodigy from_votes",
}

_names = [name for name, one in globals().items() if "pdkappa." in getattr(one, "__module__", "")]
_names += ["__version__", "datasets", *" ".join(LATER.values()).split()]
__all__ = [*sorted({*_names} - {"KappaCuts"})]


def __dir__() -> list[str]:
    """List the names, those that are imported later included."""
    return [*__all__, "KappaCuts"]


def __getattr__(name: str) -> Any:
    """Import what is imported later."""
    for module, names in LATER.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
