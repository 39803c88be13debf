"""Comparisons of coefficients: two pairs of raters, groups, all pairs, a machine and people."""

from __future__ import annotations

from pdkappa.comparing.ceilings import ceiling
from pdkappa.comparing.groups import compare_groups
from pdkappa.comparing.leaderboards import shake, swaps
from pdkappa.comparing.pairs import compare, homogeneity

__all__ = ["ceiling", "compare", "compare_groups", "homogeneity", "shake", "swaps"]
