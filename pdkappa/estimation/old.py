"""For the way over: the old spelling of `read` and `estimate`, until nobody uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa.coefficients.pair_summary import EVERY_FIGURE
from pdkappa.estimation.estimate import estimate as estimate_study
from pdkappa.estimation.estimate import read_pairs
from pdkappa.estimation.intervals import IntervalOptions
from pdkappa.estimation.study import Study, read
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from pdkappa.estimation.estimates import Estimates

READING = {"by", "weights", "categories", "distance", "missing", "sample_weight", "cluster"}


def code_rows(
    data: Any,
    raters: Any,
    *,
    needs_order: Any = None,
    needs_identity: bool = True,
    allows_em: bool = False,
    quiet: bool = False,  # noqa: ARG001
    **options: Any,
) -> Study:
    """Read a study."""
    return read(
        data,
        raters,
        Reading(**options),
        needs_order=needs_order,
        needs_identity=needs_identity,
        allows_em=allows_em,
    )


def estimate(
    data: Any,
    raters: Any,
    *,
    coefficient: str = "cohen",
    ci: str = "fisher",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    progress: Any = False,
    with_itself: bool = False,
    needed: frozenset[str] = EVERY_FIGURE,
    quiet: bool = False,
    **options: Any,
) -> Estimates:
    """Read a study and estimate its pairs."""
    interval = IntervalOptions(ci, confidence_level, n_resamples, rng, progress)
    study = read_pairs(data, raters, Reading(**options), coefficient, interval)
    found = estimate_study(study, coefficient, interval, with_itself=with_itself, needed=needed)
    if not quiet:
        found.warn_if_undefined()
    return found
