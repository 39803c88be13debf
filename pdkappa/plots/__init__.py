"""Pictures of ratings and of results: which frames go into which picture."""

from pdkappa.plots.of_groups import GroupPlots
from pdkappa.plots.of_ratings import KappaPlots

__all__ = ["GroupPlots", "KappaPlots"]
