"""The result of `alt_test`: which judges may replace people, and each human one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdkappa.present.text_tables import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class AltTest(Shown):
    """Which judges may stand in for human annotators, by the alternative annotator test.

    Attributes
    ----------
    judges : DataFrame
        One row for each judge (and group); see `pdkappa.alt_test`.
    annotators : DataFrame
        One row for each judge and human (and group); see `pdkappa.alt_test`.
    epsilon : float
        How much larger the share of items may be on which a human is closer to the other humans.
    q : float
        The false discovery rate over the humans.
    score : str
        How close a rating is to others: "accuracy", "rmse", or the name of a callable.

    See Also
    --------
    pdkappa.alt_test : Compute it.
    """

    judges: pd.DataFrame = field(repr=False)
    annotators: pd.DataFrame = field(repr=False)
    epsilon: float
    q: float
    score: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The two frames by name."""
        return {"judges": self.judges, "annotators": self.annotators}

    def note(self) -> str:
        """Say which test it was, and how many judges passed it.

        Returns
        -------
        str
            One line.
        """
        passed = int(self.judges["replaces"].sum())
        return (
            f"Alternative annotator test by {self.score}, epsilon {self.epsilon:g}, q {self.q:g}: "
            f"{passed} of {len(self.judges)} may replace an annotator."
        )

    def _table(self) -> pd.DataFrame:
        """Return the judges."""
        return self.judges
