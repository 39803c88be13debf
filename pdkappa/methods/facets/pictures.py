"""Pictures of a generalizability study: components as bars, projections as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa.errors import OptionError
from pdkappa.present.plot_designs import draw_components, draw_projection
from pdkappa.present.text_markup import menu_of_methods, public_methods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from pdkappa._typing import Label


class StudyPlots:
    """Pictures of a generalizability study, as ``study.plot()``."""

    def __init__(self, study: Any) -> None:
        """Keep the study."""
        self._study = study

    def __repr__(self) -> str:
        """Show a menu of the pictures."""
        return f"Pictures of a study\n\n{menu_of_methods(public_methods(type(self)))}"

    def __call__(self, *, ax: Axes | None = None) -> Axes:
        """Draw the components.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            See `components`.
        """
        return self.components(ax=ax)

    def components(self, *, ax: Axes | None = None) -> Axes:
        """Draw the components of variance with their limits.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            With a bar for each effect (and group). Limits that are far away end in an arrow.
        """
        level = self._study.options["confidence_level"]
        return draw_components(self._study.components, level=level, ax=ax)

    def projection(
        self, facet: Label, sizes: Sequence[float] = tuple(range(1, 11)), *, ax: Axes | None = None
    ) -> Axes:
        """Draw g and phi against the number of levels of a facet.

        Parameters
        ----------
        facet : label
            Other facets keep their size.
        sizes : sequence of number, default 1 to 10
            The numbers of levels.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            With a line and a band for each coefficient.

        Raises
        ------
        OptionError
            If there is no such facet, or the study is of several groups.
        """
        if self._study.groups is not None:
            message = "The picture is of one study. Draw one group after the other, without by=."
            raise OptionError(message)
        frame = self._study.project({facet: list(sizes)})
        return draw_projection(frame, level=self._study.options["confidence_level"], ax=ax)
