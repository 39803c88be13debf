"""The result of `fairness`: three tests, what each group has, and how far means are apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdkappa.present.text_tables import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Fairness(Shown):
    """Whether a machine scores groups of people alike.

    Attributes
    ----------
    tests : DataFrame
        The rows ``osa, osd, csd``; see `pdkappa.fairness`.
    groups : DataFrame
        One row for each group and test; see `pdkappa.fairness`.
    differences : DataFrame
        One row for each group; see `pdkappa.fairness`.
    base : str
        The largest group, which the others are compared with, in words.

    See Also
    --------
    pdkappa.fairness : Compute it.
    """

    tests: pd.DataFrame = field(repr=False)
    groups: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    base: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The three frames by name."""
        return {"tests": self.tests, "groups": self.groups, "differences": self.differences}

    def note(self) -> str:
        """Say what the rows are, and which group is the base.

        Returns
        -------
        str
            One line.
        """
        return (
            "Overall score accuracy (osa), overall and conditional score difference (osd, csd); "
            f"the base is {self.base}."
        )

    def _table(self) -> pd.DataFrame:
        """Return the tests."""
        return self.tests
