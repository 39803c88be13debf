"""Read the files of annotation tools, and the logs of evaluations, as `pdkappa.Ratings`."""

from __future__ import annotations

from pdkappa.sources.annotation_tools import (
    from_argilla,
    from_doccano,
    from_label_studio,
    from_mturk,
    from_prodigy,
)
from pdkappa.sources.evaluation_logs import (
    from_deepeval,
    from_inspect,
    from_lm_eval,
    from_promptfoo,
)

__all__ = [
    "from_argilla",
    "from_deepeval",
    "from_doccano",
    "from_inspect",
    "from_label_studio",
    "from_lm_eval",
    "from_mturk",
    "from_prodigy",
    "from_promptfoo",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
