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

from pdkappa import datasets as datasets, errors as errors
from pdkappa.accessor import KappaAccessor as KappaAccessor, Ratings as Ratings
from pdkappa.errors import KappaError as KappaError, KappaWarning as KappaWarning

if TYPE_CHECKING:
    from pdkappa import plan as plan, results as results, tools as tools, typing as typing
    from pdkappa.methods.groups.grouped import fisher_mean as fisher_mean
    from pdkappa.methods.planning.sample_size import power as power, sample_size as sample_size
    from pdkappa.methods.predictions.decide import (
        decide as decide,
        expected_kappa as expected_kappa,
    )
    from pdkappa.methods.predictions.scorecard import qwk as qwk
    from pdkappa.methods.spans import from_spans as from_spans
    from pdkappa.present.text_tables import style as style
    from pdkappa.sources.annotation_tools import from_votes as from_votes
    from pdkappa.sources.judged_records import from_records as from_records
    from pdkappa.sources.other_frames import from_frame as from_frame
    from pdkappa.sources.ratings import (
        from_counts as from_counts,
        from_long as from_long,
        from_table as from_table,
    )
    from pdkappa.sources.scan_files import scan as scan, scan_long as scan_long

__version__ = "0.1.0"

LATER = {  # imported when one of its names is first asked for, as the methods of `df.kappa` are
    "methods.groups.grouped": "fisher_mean",
    "methods.planning.sample_size": "power sample_size",
    "methods.predictions.decide": "decide expected_kappa",
    "methods.predictions.scorecard": "qwk",
    "methods.spans": "from_spans",
    "present.text_tables": "style",
    "methods.predictions.kappa_cuts": "KappaCuts",  # whose class needs scikit-learn
    "sources.annotation_tools": "from_votes",
    "sources.judged_records": "from_records",
    "sources.other_frames": "from_frame",
    "sources.ratings": "from_counts from_long from_table",
    "sources.scan_files": "scan scan_long",
}
MODULES = ("datasets", "errors", "plan", "results", "tools", "typing")
WITH_EXTRAS = {"KappaCuts", "dask", "polars"}  # which need other packages

_names = [name for name, one in globals().items() if "pdkappa." in getattr(one, "__module__", "")]
_names += ["__version__", *MODULES, *" ".join(LATER.values()).split()]
__all__ = [*sorted({*_names} - WITH_EXTRAS)]


def __dir__() -> list[str]:
    """List the public names, those that are imported later included."""
    return sorted({*__all__, *WITH_EXTRAS})


def __getattr__(name: str) -> Any:
    """Import what is imported later."""
    if name in {*MODULES, "dask", "polars"}:
        return import_module(f"{__name__}.{name}")
    for module, names in LATER.items():
        if name in names.split():
            globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), name)
            return found
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
