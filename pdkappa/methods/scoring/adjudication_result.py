"""The result of `adjudication`: items that somebody should look at, and what that would do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdkappa.present.text_tables import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Adjudication(Shown):
    """Items whose scores are too far apart to be accepted.

    Attributes
    ----------
    items : DataFrame
        One row for each item of the list; see `pdkappa.adjudication`.
    agreement : DataFrame
        Agreement of all items, without those of the list, and with these settled; see there.
    n_items : int
        Number of items in all.

    See Also
    --------
    pdkappa.adjudication : Compute it.
    """

    items: pd.DataFrame = field(repr=False)
    agreement: pd.DataFrame = field(repr=False)
    n_items: int

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The two frames by name."""
        return {"items": self.items, "agreement": self.agreement}

    def note(self) -> str:
        """Say how many items are to be looked at.

        Returns
        -------
        str
            One line.
        """
        return f"{len(self.items)} of {self.n_items} items to adjudicate; qwk before and after:"

    def _table(self) -> pd.DataFrame:
        """Return the agreement."""
        return self.agreement
