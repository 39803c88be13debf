"""Pictures of groups and their means, as ``.plot`` of the result of `grouped`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.present.labels import titled
from pdkappa.present.plot_estimates import draw_forest

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GroupPlots:
    """Pictures of the agreement of raters by group.

    See Also
    --------
    pdkappa.grouped : The result that they show.
    """

    groups: pd.DataFrame
    pooled: pd.DataFrame
    title: str
    coefficient: str
    weights: str | None
    level: float

    def forest(self, ax: Axes | None = None) -> Axes:
        """Draw each group's coefficient with its interval, and the pooled means below.

        The larger a square, the more precise is its coefficient, and the more it counts in
        the fixed-effect mean; `group_weights` are not drawn.

        Means are diamonds as wide as their intervals. The thin line in the last row is the
        prediction interval for the true coefficient of one more group.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all groups.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        return draw_forest(
            self.groups,
            self.pooled,
            title=self.title,
            coefficient=titled(COEFFICIENTS[self.coefficient].spoken),
            level=self.level,
            weights=self.weights,
            ax=ax,
        )
