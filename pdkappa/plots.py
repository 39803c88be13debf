"""Pictures of results: which frames go into which picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdkappa.errors import OptionError
from pdkappa.present.attainable import draw_attainable
from pdkappa.present.forest import draw_forest

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import Label, Raters, Weights


@dataclass(frozen=True)
class GroupPlots:
    """Pictures of the agreement of two raters by group.

    See Also
    --------
    pdkappa.grouped : The result that they show.
    """

    groups: pd.DataFrame
    pooled: pd.DataFrame
    raters: tuple[Label, Label]
    options: dict[str, Any]

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
        a, b = self.raters
        return draw_forest(
            self.groups,
            self.pooled,
            title=f"{a} with {b}",
            coefficient=self.options["coefficient"],
            level=self.options["confidence_level"],
            weights=_name_of(self.options["weights"]),
            ax=ax,
        )


@dataclass(frozen=True)
class KappaPlots:
    """Pictures of the agreement of raters, as ``df.kappa.plot``.

    See Also
    --------
    pdkappa.attainable : The figures of the first of them.
    """

    methods: Any  # whatever has the ratings, with the methods of `df.kappa`

    def attainable(
        self, raters: Raters | None = None, *, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draw what each pair of raters reached within the range of what it could reach.

        A bar goes from the least to the greatest agreement that the raters' category shares
        allow, and the dot on it is their agreement.

        Parameters
        ----------
        raters : list of column labels, optional
            As in `pdkappa.attainable`.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all pairs.
        **options
            Other options of `pdkappa.attainable` but `together`: ``by, coefficient, weights,
            categories, distance, missing, sample_weight``.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis.

        Raises
        ------
        OptionError
            If all raters are to be taken together, who have no least agreement.
        MissingDependencyError
            If Matplotlib is not installed.
        """
        if options.get("together"):
            message = (
                "together=True has no picture: nobody knows the least agreement of all raters. "
                "Leave it out to draw the pairs."
            )
            raise OptionError(message)
        return draw_attainable(
            self.methods.attainable(raters=raters, **options),
            coefficient=options.get("coefficient", "cohen"),
            weights=_name_of(options.get("weights")),
            ax=ax,
        )


def _name_of(weights: Weights | None) -> str | None:
    """Name a weighting for the label of an axis."""
    return weights if weights is None or isinstance(weights, str) else "custom"
