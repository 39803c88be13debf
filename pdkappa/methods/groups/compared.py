"""Differences between the groups of two raters, and of several pairs: `differences`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.coefficients.intervals import INTERVALS
from pdkappa.methods.estimates.group_differences import differences_of_groups
from pdkappa.methods.estimates.options import check_adjustment, check_margin
from pdkappa.present.text_tables import result

if TYPE_CHECKING:
    from pdkappa._typing import Adjustment, Label
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.groups.mean_over_groups import Pooling


class Compared:
    """Groups of two raters, which can be compared."""

    raters: tuple[Label, Label]
    estimates: Estimates
    options: dict[str, Any]
    panel: Pooling

    def differences(
        self, *, margin: float | None = None, p_adjust: Adjustment | None = None
    ) -> pd.DataFrame:
        """Compare every two groups, as `compare_groups` does.

        Parameters
        ----------
        margin : float, optional
            The largest difference that does not matter, for tests of non-inferiority and
            equivalence.
        p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
            Adjust p-values for their number, in the column ``p_adjusted``.

        Returns
        -------
        DataFrame
            One row for every two groups; see `compare_groups`. Limits that were resampled are
            those of ``ci="auto"`` here.

        Examples
        --------
        >>> df = pdkappa.datasets.load_essays()
        >>> result = df.kappa.grouped("human_1", "machine", by="essay_set")
        >>> result.differences()[["first", "second", "difference", "p_value"]].head(2).round(3)
           first  second  difference  p_value
        0      1       2      -0.039    0.264
        1      1       3       0.057    0.169
        """
        panel, ci = self.panel, self.options["ci"]
        if margin is not None:
            check_margin(margin)
        check_adjustment("p_adjust", p_adjust)
        return differences_of_groups(
            partial(panel.figures_at, ci=ci if ci in INTERVALS else "auto"),
            self.estimates.tables.groups,
            list(self.raters),
            level=panel.averaging.level,
            margin=margin,
            p_adjust=p_adjust,
        )


class ComparedPairs:
    """Groups of several pairs of raters, which can be compared."""

    results: dict[tuple[Label, Label], Any]

    def differences(
        self, *, margin: float | None = None, p_adjust: Adjustment | None = None
    ) -> pd.DataFrame:
        """Compare every two groups of each pair: see `GroupedAgreement`.

        Parameters
        ----------
        margin, p_adjust : optional
            As for one pair.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b``. The p-values of each pair are a family.
        """
        found = {
            pair: one.differences(margin=margin, p_adjust=p_adjust)
            for pair, one in self.results.items()
        }
        frame = pd.concat(found, names=["rater_a", "rater_b", None]).droplevel(2)
        return result(frame, list(dict.fromkeys(name for pair in found for name in pair)))
