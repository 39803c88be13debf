"""What each item does to agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.coefficients.multirater import MULTIRATER
from pdkappa.errors import check_choice
from pdkappa.estimation.gate import gate
from pdkappa.estimation.study import read
from pdkappa.estimation.undefined import warn_if_undefined
from pdkappa.methods.drilldown.core.items import LEAVE_ONE_OUT, item_parts
from pdkappa.methods.drilldown.frames import SYNONYMS, frame_of, unless_empty
from pdkappa.present.text.result import result
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, Distance, ItemWeights, Missing, Raters, Weights
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.coded import Counted


@gate
def items(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Show what each item does to agreement.

    Which items do the raters disagree about, and which ones are worth adjudicating first?

    Parameters
    ----------
    data, raters, by
        As in `pairs`.
    coefficient : {"light", "percent", "brennan_prediger", "fleiss", "conger", "gwet", \
"krippendorff"}
        The coefficient of all raters that `effect` and `gain` are about, as in
        `agreement`. Light's is the mean of the pairwise kappas, and Cohen's kappa for two
        raters.
    weights, categories, distance, missing, sample_weight
        As in `pairs`.

    Returns
    -------
    DataFrame
        One row for each item that counts, labelled as in `data`; items without a group or
        a weight, or with missing ratings if these are left out, do not:

        - ``n_ratings``: number of ratings of the item;
        - ``disagreement``: mean disagreement of the pairs of its ratings, in [0, 1], 1
          being the largest on the scale; NaN for fewer than two ratings;
        - ``share``: its part of the disagreement of all items (of its group), which adds
          up to one; NaN if there is no disagreement at all;
        - ``effect``: the coefficient less its exact value without the item; below zero for
          an item that costs agreement;
        - ``gain``: what the coefficient would gain if the ratings of this item agreed,
          while the category shares stayed; the gains add up to one minus the coefficient;
        - ``reason`` for what is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings``, ``undefined_without`` (only this item makes the coefficient
          defined), ``single_rating``, ``no_disagreement``.

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some effect is NaN.

    Notes
    -----
    The effect is computed from the sums that the coefficient is made of, less those of the
    item: it costs no more than the coefficient itself and is no approximation. An item
    with a `sample_weight` leaves with its whole weight. The categories stay what they are
    when the only item in one of them leaves.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.items(df, weights="quadratic")
    >>> found.sort_values("effect").head(3).round(3)
             n_ratings  disagreement  share  effect   gain reason
    subject
    2                3         0.507  0.196  -0.080  0.162
    9                3         0.320  0.124  -0.035  0.095
    12               3         0.347  0.134  -0.031  0.106

    The gains add up to what is missing to perfect agreement:

    >>> kappas = pdkappa.pairs(df, weights="quadratic")["estimate"]
    >>> bool(np.isclose(found["gain"].sum(), 1 - kappas.mean()))
    True
    """
    check_choice("coefficient", coefficient, LEAVE_ONE_OUT, SYNONYMS)
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    study = read(data, raters, reading, needs_identity=MULTIRATER[coefficient].of_persons)
    frame = item_frame(study, coefficient=coefficient)
    frame.index = study.groups.of_items(frame.index)
    warn_if_undefined("effect", frame["effect"].isna(), frame["reason"])
    return result(frame, study.named_raters)


def item_frame(study: Study, *, coefficient: str) -> pd.DataFrame:
    """Return one row for each item."""
    parts = item_parts(study.rows, study.scale, coefficient)
    frame = frame_of(parts._asdict(), study.coded.items)
    frame["reason"] = unless_empty(study, study.rows.group, frame["reason"].to_numpy())
    return frame
