"""Where agreement is lost: by rater, item, category, cut of the scale, and cell of the table."""

from __future__ import annotations

from pdkappa.drilldown.by_category import categories, cuts
from pdkappa.drilldown.by_cell import cells, split
from pdkappa.drilldown.by_item import items
from pdkappa.drilldown.by_rater import raters, usage

__all__ = ["categories", "cells", "cuts", "items", "raters", "split", "usage"]
