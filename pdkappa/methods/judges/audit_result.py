"""The result of `audit`: frames of judges beside people, with ways to a page and a workbook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdkappa.methods.judges.pages import book_of, headline_of, sheets_of
from pdkappa.methods.workbook.book import Exported
from pdkappa.present.text_tables import Shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa.methods.workbook.book import Book
    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Sheet

SHOWN = (
    *("n_items", "estimate", "ci_low", "ci_high", "estimate_humans", "difference"),
    *("difference_low", "difference_high", "non_inferior", "winning_rate", "replaces"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown, Exported):
    """Machine judges compared with people, with verdicts in words.

    Attributes
    ----------
    frame : DataFrame
        One row for each judge, with its ``verdict`` in words; see `pdkappa.audit`.
    kappas : DataFrame
        The mean coefficients of the humans with each other, and of each judge with them.
    categories : DataFrame
        One row for each judge and category: ``recall`` and ``specificity`` with the ratings of the
        humans for the truth, with their limits; ``recall_humans``, that of one human with another;
        ``share_judge, share_humans`` and ``excess``, the bias of the judge. Of more than 100
        categories the most frequent. Reasons for NaN: ``unseen_class`` (no human gave it),
        ``no_joint_items``.
    annotators : DataFrame
        One row for each judge and human; see `pdkappa.alt_test`.
    repeats : DataFrame
        One row for each judge and column of answers to the same question: ``flip_rate`` with its
        limits, and ``estimate``, the coefficient of the judge with itself.
    positions : DataFrame
        One row for each judge, column of answers to swapped options, and category: its share in
        both orders, the ``shift`` with its limits, and the exact test of McNemar.
    drift : DataFrame
        One row for each judge and batch: the mean coefficient with the humans, and theirs.
    options : dict
        The options of the call.
    call : str
        The code that reproduces the audit.

    See Also
    --------
    pdkappa.audit : Compute it.
    """

    frame: pd.DataFrame = field(repr=False)
    kappas: pd.DataFrame = field(repr=False)
    categories: pd.DataFrame = field(repr=False)
    annotators: pd.DataFrame = field(repr=False)
    repeats: pd.DataFrame = field(repr=False)
    positions: pd.DataFrame = field(repr=False)
    drift: pd.DataFrame = field(repr=False)
    options: dict[str, Any] = field(repr=False)
    call: str = field(repr=False, default="")

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All frames by name; those that were not asked for are empty."""
        names = ("frame", "kappas", "categories", "annotators", "repeats", "positions", "drift")
        return {name: getattr(self, name) for name in names}

    def note(self) -> str:
        """Say how many judges are as good as a human, by either test.

        Returns
        -------
        str
            One or two sentences.
        """
        judges, passed = len(self.frame), int(self.frame["non_inferior"].sum())
        replaces = int(self.frame["replaces"].sum())
        return (
            f"Audit of {judges} judge(s) against {len(self.options['humans'])} humans: {passed} "
            f"not "
            f"inferior by more than {self.options['margin']:g}, {replaces} may replace a human by "
            "the alternative annotator test. The column 'verdict' says what this means."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how far each judge's agreement with humans differs from theirs with each other.

        Judges whose whole interval is right of the margin are blue dots, all others are red
        diamonds.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all judges.

        Returns
        -------
        Axes
            With the difference on the horizontal axis, a line at 0 and one at the margin.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_ratings import draw_judges

        return draw_judges(self.frame, level=self.options["confidence_level"], ax=ax)

    def _table(self) -> pd.DataFrame:
        """Return the figures of the judges without the words."""
        return self.frame[[*SHOWN]]

    def _level(self) -> float | None:
        """Return the confidence level of the limits."""
        return float(self.options["confidence_level"])

    def _sheets(self) -> list[Sheet]:
        """Show all tables that have rows."""
        return sheets_of(self.tables, self.options)

    def _book(self) -> Book:
        """Return what the workbook is made of."""
        return book_of(self.tables, self.options)

    def _headline(self, sheets: list[Sheet]) -> Headline:  # noqa: ARG002
        """Say the verdicts."""
        return headline_of(self.tables, self.options)

    def _call(self) -> str:
        """Return the code that makes the audit again."""
        return self.call
