"""The answer to how many items a study takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdkappa.present.text_tables import as_html, cells_of, result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize:
    """The number of items that a study needs, and the assumptions behind it.

    Attributes
    ----------
    n_items : int
        Number of items, rounded up; at least 2. ``int(result)`` is the same.
    exact : float
        The number before rounding.
    method : str
        How it was found.
    table : DataFrame, shape (K, K), or None
        The assumed table of two raters, which adds up to 1; None for an ICC and for two kappas.
    null_table : DataFrame, shape (K, K), or None
        The table under the null hypothesis; None without one.
    settings : dict
        The other options, ``kappa`` among them, also where it is that of a table.

    See Also
    --------
    pdkappa.sample_size : Compute it for a kappa.
    pdkappa.sample_size_icc : Compute it for an intraclass correlation.
    pdkappa.sample_size_compare : Compute it for two kappas of the same items.
    """

    n_items: int
    exact: float
    method: str
    table: pd.DataFrame | None
    null_table: pd.DataFrame | None
    settings: dict[str, Any]

    def __int__(self) -> int:
        """Return the number of items."""
        return self.n_items

    def __repr__(self) -> str:
        """Say in one line how many items serve which purpose."""
        given = self.settings
        how = f"level {given['confidence_level']:g}, {self.method}"
        if "alternative" in given:
            how = f"{given['alternative']}, {how}"
        return f"{self.n_items} items to {self._goal} ({how})"

    @property
    def _goal(self) -> str:
        """Say what the items are for."""
        given = self.settings
        power = "" if given["power"] is None else f"with power {given['power']:g}"
        if "claim" in given:
            claim = given["claim"].replace("_", "-")
            what = f"show {claim} of kappas {given['first']:g} and {given['second']:g}"
            within = f" by margin {given['margin']:g}" if given["margin"] else ""
            return f"{what}{within} {power}"
        what = given.get("form", "kappa")
        value = given["icc" if "form" in given else "kappa"]
        if given["null"] is None:
            return f"estimate {what} {value:.4g} to within {given['half_width']:g}"
        return f"tell {what} {value:.4g} from {given['null']:g} {power}"

    def _repr_html_(self) -> str | None:
        """Show in a notebook the same, and the table that was assumed, shaded by its shares."""
        if self.table is None:
            return None
        names = ["rater_a", "rater_b"]
        table = result(self.table.rename_axis(index=names[0], columns=names[1]), names)
        return as_html(cells_of(table), table.shape, above=f"{self!r}. Assumed shares:")
