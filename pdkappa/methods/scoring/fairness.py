"""Whether a machine scores groups of people alike: `fairness`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import degrees_of
from pdkappa.coefficients.pair_kappas import in_units, joint_scores, moments
from pdkappa.coefficients.score_limits import half_width
from pdkappa.errors import TooLargeError
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.methods.scoring.core.fairness import errors_of, model
from pdkappa.methods.scoring.core.population import difference_of_means
from pdkappa.methods.scoring.fairness_result import Fairness
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, FloatArray, ItemWeights, Label, Missing, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.methods.scoring.core.fairness import Model
    from pdkappa.ratings.coded import Counted

MODELS = ("osa", "osd", "csd")
LARGEST = 1 << 24  # numbers in a table of groups by groups and human scores


@gate
def fairness(
    data: pd.DataFrame | Counted,
    human: Label,
    machine: Label,
    *,
    by: By,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> Fairness:
    r"""Test whether a machine scores groups of people alike.

    Is it equally accurate for all of them, does it favour some, and does it do so at equal human
    scores?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    human, machine : column labels
        The human scores, and the machine's, which may be any numbers.
    by : column label or list of column labels
        The groups, such as the first language of the writers. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both scored (the first two choices are the same), or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    Fairness
        Its ``tests`` have the rows ``osa`` (overall score accuracy: the squared error, machine
        less human), ``osd`` (overall score difference: the error) and ``csd`` (conditional score
        difference: the error, given the human score), with

        - ``n_items, n_groups``: items with both scores, and groups with such items;
        - ``r2``: share of its variance that the groups explain, adjusted, at most 1; about 0 if
          they do not differ;
        - ``f, df1, df2, p_value``: of the hypothesis that they do not;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items``,
          ``one_group``, ``few_items`` (no more than groups and human scores), ``no_variance``
          (the model leaves no error).

        Its ``groups`` have one row for each group and ``test``: ``n_items, estimate, se, ci_low,
        ci_high, p_value, base, reason``. The estimate of the `base`, the largest group or the
        first of several, is its mean, for ``csd`` at the most frequent human score; those of
        others are differences from it. Reasons are those above, and ``no_shared_score``.

        Its ``differences`` have one row for each group:

        - ``n_items``, and ``mean_a, mean_b``: means of human and machine;
        - ``dsm, se, ci_low, ci_high``: standardised difference of means, each scorer standardised
          by the mean and the standard deviation of all groups;
        - ``smd``: mean of the machine minus that of the human, by the human's standard deviation
          within the group;
        - ``reason``: also ``constant_rater`` and ``n_lt_2``.

    Raises
    ------
    OptionError
        If `by` is None.
    RatingTypeError
        If scores are not numbers.
    TooLargeError
        If there are too many groups and human scores.
    KappaError
        If an option is not known, or the scores cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if the p-value of some test is NaN.

    See Also
    --------
    evaluation : Agreement in each group.
    compare_groups : Whether agreement differs between groups.

    Notes
    -----
    Each is a linear model by least squares with the groups as a category [1]_; ``csd`` has the
    human scores as a category, too, and its `r2` and F are those beyond the model of these alone.
    Items are taken to be independent, with one variance of errors in all groups. `se` of ``dsm``
    is by influence values; it counts means and standard deviations of all groups as estimates.

    A large p-value does not prove fairness: look at the limits. Nor does a small one prove that
    the machine is unfair, since human scores may be.

    References
    ----------
    .. [1] Loukina, A., Madnani, N., & Zechner, K. (2019). The many dimensions of algorithmic
           fairness in educational applications. Proceedings of BEA 14, 1-10.
           https://doi.org/10.18653/v1/W19-4401

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set in [3, 4, 5]")
    >>> found = pdkappa.fairness(df, "human_1", "machine", by="essay_set")
    >>> found.tests[["n_items", "r2", "f", "p_value"]].round(3)
          n_items     r2       f  p_value
    test
    osa       780  0.007   3.567    0.029
    osd       780 -0.001   0.528    0.590
    csd       780  0.024  12.527    0.000

    The machine favours no set by much:

    >>> found.differences[["n_items", "dsm", "ci_low", "ci_high", "smd"]].round(3)
               n_items    dsm  ci_low  ci_high    smd
    essay_set
    3              260  0.020  -0.046    0.086  0.031
    4              260 -0.025  -0.084    0.035  0.000
    5              260  0.005  -0.055    0.064 -0.033
    """
    level = check_level(confidence_level)
    check_by(by, {*schema.FAIRNESS, *schema.FAIRNESS_GROUPS, *schema.DIFFERENCES, "test"})
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, [human, machine], reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed()
    unit, scores = in_units(rows, scored.scores)
    models: dict[str, Model | None] = dict.fromkeys(MODELS)
    if len(rows.count):
        for name, (values, classes) in errors_of(rows, scores).items():
            _check_size(rows.n_groups, int(classes.max()) + 1)
            models[name] = model(rows, values, classes, level)
    tests = _tests(scored, rows, models)
    base = int(np.argmax(rows.n_items)) if rows.n_groups else 0
    found = Fairness(
        tests,
        _groups(scored, rows, models, unit),
        _differences(scored, rows, level),
        scored.coded.groups.name(base) if rows.n_items.any() else "none",
    )
    warn_if_undefined("test", tests["p_value"].isna(), tests["reason"])
    return found


def _check_size(n_groups: int, n_classes: int) -> None:
    """Refuse groups that would take too long."""
    if n_groups * (n_groups + n_classes) > LARGEST:
        message = (
            f"fairness of {n_groups} groups with {n_classes} human scores takes more than "
            f"{LARGEST} numbers. Name fewer groups, or round the human scores."
        )
        raise TooLargeError(message)


def _tests(scored: NumericRows, rows: RatingRows, models: dict[str, Model | None]) -> pd.DataFrame:
    """Return one row for each model."""
    n_groups = int((rows.n_items > 0).sum())
    records: list[dict[str, Any]] = []
    for one in models.values():
        if one is None:
            empty = scored.empty
            reason = empty[0] if len(empty) and (empty != "").all() else "no_joint_items"
            found = dict.fromkeys(("r2", "f", "df1", "df2", "p_value"), np.nan)
        else:
            found = {name: getattr(one, name) for name in ("r2", "f", "df1", "df2", "p_value")}
            lost = "few_items" if one.df2 <= 0 else "no_variance"
            reason = "one_group" if n_groups == 1 else lost
        records.append(found | {"reason": reason if np.isnan(found["p_value"]) else ""})
    frame = pd.DataFrame(records, index=pd.Index(MODELS, name="test"))
    frame["n_items"] = whole(np.full(len(frame), rows.n_items.sum()))
    frame["n_groups"] = n_groups
    for name in ("df1", "df2"):
        frame[name] = whole(frame[name].to_numpy())
    return result(frame[list(schema.FAIRNESS)], scored.coded.raters)


def _groups(
    scored: NumericRows, rows: RatingRows, models: dict[str, Model | None], unit: float
) -> pd.DataFrame:
    """Return one row for each group and model."""
    parts = []
    for name, one in models.items():
        scale = unit**2 if name == "osa" else unit
        unknown = np.full(rows.n_groups, np.nan)
        figures = {
            field: unknown if one is None else scale * getattr(one, field)
            for field in ("estimate", "se", "ci_low", "ci_high")
        }
        columns: dict[str, Any] = {"n_items": whole(rows.n_items), **figures}
        columns["p_value"] = unknown if one is None else one.p_of_group
        columns["base"] = np.arange(rows.n_groups) == (-1 if one is None else one.base)
        columns["reason"] = _why(scored, rows, one)
        parts.append(pd.DataFrame(columns))
    order = np.arange(len(parts) * rows.n_groups).reshape(len(parts), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order][list(schema.FAIRNESS_GROUPS)]
    frame.index = scored.coded.groups.each(pd.Index(MODELS, name="test"))
    return result(frame, scored.coded.raters)


def _why(scored: NumericRows, rows: RatingRows, one: Model | None) -> ObjectArray:
    """Say why a group has no p-value, shape (G,)."""
    empty = np.where(scored.empty == "", "no_joint_items", scored.empty)
    if one is None:
        return empty
    cases = [rows.n_items == 0, ~np.isnan(one.p_of_group), ~one.joined, one.df2 <= 0]
    found: ObjectArray = np.select(
        cases, [empty, "", "no_shared_score", "few_items"], "no_variance"
    ).astype(object)
    return found


def _differences(scored: NumericRows, rows: RatingRows, level: float) -> pd.DataFrame:
    """Return one row for each group: how far the means are apart."""
    found = difference_of_means(rows, scored.scores)
    unit, scores = in_units(rows, scored.scores)
    spread, n = moments(rows, scores[None]), rows.n_items
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or one
        half = half_width(level, degrees_of(n)) * found.se
        sd = np.sqrt(n / (n - 1)) * spread.sd_a
        smd = (spread.mean_b - spread.mean_a) / np.where((n > 1) & (sd > 0), sd, np.nan)
    cases: list[Any] = [scored.empty != "", n == 0, np.isnan(found.estimate)]
    why: list[Any] = [scored.empty, "no_joint_items", "constant_rater"]
    few = np.where(np.isnan(half) | (n < 2), "n_lt_2", "")  # noqa: PLR2004
    columns: dict[str, FloatArray | ObjectArray] = {
        "n_items": whole(n),
        "dsm": found.estimate,
        "se": found.se,
        "ci_low": found.estimate - half,
        "ci_high": found.estimate + half,
        "smd": smd,
        "mean_a": unit * spread.mean_a,
        "mean_b": unit * spread.mean_b,
        "reason": np.select([*cases, np.isnan(smd) & (few == "")], [*why, "constant_rater"], few),
    }
    frame = pd.DataFrame(columns)[list(schema.DIFFERENCES)]
    return result(scored.coded.groups.label(frame), scored.coded.raters)
