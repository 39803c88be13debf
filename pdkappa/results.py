"""The classes of results, for annotations and ``isinstance``: nobody makes one by hand."""

from __future__ import annotations

from pdkappa.methods.consensus import Consensus
from pdkappa.methods.facets.study import Generalizability
from pdkappa.methods.groups.grouped_results import GroupedAgreement, GroupedPairs
from pdkappa.methods.machine.adjudication import Adjudication
from pdkappa.methods.machine.alt_test import AltTest
from pdkappa.methods.machine.audit import Audit
from pdkappa.methods.machine.fairness import Fairness
from pdkappa.methods.machine.prevalence import LabelSplit
from pdkappa.methods.planning.sample_size import SampleSize
from pdkappa.methods.predictions.cutpoints import Cutpoints, GroupedCutpoints
from pdkappa.methods.report.write_up import Report
from pdkappa.methods.spans import Spans

__all__ = [
    "Adjudication",
    "AltTest",
    "Audit",
    "Consensus",
    "Cutpoints",
    "Fairness",
    "Generalizability",
    "GroupedAgreement",
    "GroupedCutpoints",
    "GroupedPairs",
    "LabelSplit",
    "Report",
    "SampleSize",
    "Spans",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
