"""The public functions of a study still to be done: how many items, and with which power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pdkappa.methods.estimates.options import gate
from pdkappa.methods.planning.design import assume
from pdkappa.methods.planning.goal import (
    Test,
    check_goal,
    check_null,
    check_share,
    check_whole,
    rounded_up,
)
from pdkappa.methods.planning.size import SampleSize
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from pdkappa._typing import Categories, Weights

Method: TypeAlias = Literal["simulation", "fisher", "wald", "worst_case", "goodness_of_fit"]
Alternative: TypeAlias = Literal["two-sided", "one-sided"]


@gate
def sample_size(
    kappa: float | None = None,
    *,
    null: float | None = None,
    half_width: float | None = None,
    margins: npt.ArrayLike | None = None,
    table: npt.ArrayLike | pd.DataFrame | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    n_raters: int = 2,
    method: Method = "simulation",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    power: float = 0.8,
) -> SampleSize:
    r"""Find the number of items that a study of agreement needs.

    How many items are needed to tell a kappa from another one (`null`), or to estimate it
    precisely enough (`half_width`)? The answer depends on an assumed table of the raters.

    Parameters
    ----------
    kappa : float
        The kappa to expect, in (-1, 1). Left out with `table`, which has its own.
    null : float, optional
        The kappa under the null hypothesis, in (-1, 1).
    half_width : float, optional
        Half the width of the confidence interval of level `confidence_level`. Pass this or `null`.
    margins : array-like, shape (K,) or (2, K)
        Shares of the categories, of both raters or of each; only their ratios matter. The
        index of a Series names the categories, which are 0 to K - 1 otherwise.
    table : DataFrame or array, shape (K, K), optional
        Instead of `kappa` and `margins`: an assumed table, or the counts of a pilot study,
        as in `from_table`. Only ratios matter.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores, as in `from_table`.
    n_raters : int, default 2
        Number of raters; more than two for two categories only, whose shares are the same
        for all of them.
    method : {"simulation", "fisher", "wald", "worst_case", "goodness_of_fit"}
        - ``simulation``: draw studies, and count those whose limits in `pairs` leave `null`
          out; for more than two raters, those of Fleiss' kappa in `agreement`;
        - ``fisher``: the formula of large samples, on Fisher's z scale;
        - ``wald``: on the scale of kappa, as in Cantor [1]_;
        - ``worst_case``: ``wald`` for those tables, among all with these margins and
          kappas, that take most items (Flack et al. [2]_);
        - ``goodness_of_fit``: test of the numbers of raters who choose one of two
          categories (Donner & Eliasziw [3]_), in large samples.
    alternative : {"two-sided", "one-sided"}
        Whether kappa may differ from `null` either way, or only on the side where `kappa`
        lies; and whether `half_width` is about both limits, or about the lower one alone,
        which is that of an interval of level ``2 * confidence_level - 1``.
    confidence_level : float, default 0.95
        Of the interval, in (0, 1), and above 0.5 if one-sided; the size of the test is 1
        less it.
    power : float, default 0.8
        Probability that the test rejects `null`, in (0, 1). Without effect on `half_width`.

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number, ``.table`` and ``.null_table`` are the
        tables it was computed for.

    Raises
    ------
    OptionError
        If an option is out of its range, no assumed table has such a kappa, all but a share
        below 1e-6 of a rater's ratings are in one category, or the number of items is too
        large to compute.
    TooLargeError
        If there are more than 256 categories.
    KappaError
        If an option is not known, or a table cannot be read. See `pdkappa.errors`.

    See Also
    --------
    power : The power of a given number of items.

    Notes
    -----
    By default, thousands of studies of each number of items are drawn from the assumed table,
    fewer if it has hundreds of cells. Power is the share of them in which `null` is outside
    the limits that `pairs` gives by default, and `half_width` the mean of the distance of the
    limits from their middle (one-sided: of the lower limit from the estimate). A study without
    limits, such as one with a constant rater, rejects nothing, and has no width. A straight
    line through probits of the power says about which number of items to try. Power does not
    rise with every item: disagreements come in whole numbers, so that with few of them it goes
    up and down by a few hundredths, and the answer is a number near the line that has the
    power. Draws are seeded, so that the same question has the same answer, within .005 of the
    power or so. Beyond a billion items the formula of large samples serves.

    All other methods are formulas of large samples. The tests and intervals that they plan
    are not quite those of `pairs`, so that its power is often less than they promise: with
    kappa .9 against .8 and two even categories, .73 instead of .80. With tau the standard deviation
    of the influence values of kappa, which is that of Fleiss, Cohen and Everitt (see
    `pairs`), at the table assumed for each kappa,

    .. math:: n = \left(\frac{z_{1-\alpha/2}\,\tau_0 + z_{power}\,\tau_1}
              {\kappa_1 - \kappa_0}\right)^2, \qquad
              n = \left(\frac{z_{1-\alpha/2}\,\tau_1}{half\_width}\right)^2.

    On Fisher's z scale each tau is divided by :math:`1 - \kappa^2`, and the kappas are
    replaced by their atanh; for `half_width`, ``fisher`` and ``wald`` are the same.
    Goodness of fit has 1 for each tau, and for the difference of the kappas the root of

    .. math:: \sum_{l=0}^{R} \frac{[P_l(\kappa_1) - P_l(\kappa_0)]^2}{P_l(\kappa_0)}, \quad
              P_l(\kappa) = (1 - \kappa)\,\mathrm{Bin}(l; R, p)
              + \kappa\,[p\,1_{l=R} + (1 - p)\,1_{l=0}],

    where the limits of the interval take the place of the null (Donner & Rotondi [4]_).
    These formulas do not count a rejection on the wrong side as power.

    Tables are assumed as follows. With weights that need an order, two correlated normal
    variables are cut into the categories. Without weights, and with a frame of them, raters
    agree wherever they can on some items, and by chance alone on the others. A `table` is
    mixed with that of chance, or with that of most agreement, until its kappa is `null`. For
    two categories all these are the same: margins and kappa determine the table. More than
    two raters all agree on some items, and choose by chance alone on the others.

    References
    ----------
    .. [1] Cantor, A. B. (1996). Sample-size calculations for Cohen's kappa. Psychological
           Methods, 1(2), 150-153.
    .. [2] Flack, V. F., Afifi, A. A., Lachenbruch, P. A., & Schouten, H. J. A. (1988). Sample
           size determinations for the two rater kappa statistic. Psychometrika, 53, 321-325.
    .. [3] Donner, A., & Eliasziw, M. (1992). A goodness-of-fit approach to inference
           procedures for the kappa statistic: confidence interval construction,
           significance-testing and sample size estimation. Statistics in Medicine, 11,
           1511-1519.
    .. [4] Donner, A., & Rotondi, M. A. (2010). Sample size requirements for interval estimation
           of the kappa statistic for interobserver agreement studies with a binary outcome
           and multiple raters. International Journal of Biostatistics, 6, 31.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> found = pdkappa.sample_size(0.65, null=0.5, margins=shares, weights="quadratic")
    >>> found
    171 items to tell kappa 0.65 from 0.5 with power 0.8 (two-sided, level 0.95, simulation)
    >>> found.n_items
    171

    To estimate it to within 0.08 takes more:

    >>> pdkappa.sample_size(0.65, half_width=0.08, margins=shares, weights="quadratic")
    217 items to estimate kappa 0.65 to within 0.08 (two-sided, level 0.95, simulation)

    More raters take fewer items, though not in proportion:

    >>> for n_raters in (2, 3, 6):
    ...     found = pdkappa.sample_size(0.6, null=0.4, margins=[0.7, 0.3], n_raters=n_raters)
    ...     print(n_raters, int(found))
    2 182
    3 114
    6 84
    """
    check_goal(null, half_width)
    reading = Reading(weights=weights, categories=categories)
    test = Test.of(method, alternative, confidence_level)
    plan = assume(
        kappa, null, margins=margins, table=table, reading=reading, n_raters=n_raters, test=test
    )
    power = check_share("power", power)
    if null is not None:
        exact = plan.items_for_power(null, power)
    else:
        exact = plan.items_for_precision(check_share("half_width", half_width))
    settings = {
        "kappa": plan.kappa,
        "null": null,
        "half_width": half_width,
        "n_raters": n_raters,
        "alternative": alternative,
        "confidence_level": confidence_level,
        "power": None if null is None else power,
    }
    return SampleSize(
        n_items=rounded_up(exact),
        exact=exact,
        method=method,
        table=plan.frame(plan.kappa),
        null_table=None if null is None else plan.frame(null),
        settings=settings,
    )


@gate
def power(
    n_items: int,
    kappa: float | None = None,
    null: float | None = None,
    *,
    margins: npt.ArrayLike | None = None,
    table: npt.ArrayLike | pd.DataFrame | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    n_raters: int = 2,
    method: Method = "simulation",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> float:
    """Compute the power to tell one kappa from another with a number of items.

    It is the inverse of `sample_size`.

    Parameters
    ----------
    n_items : int
        Number of items, from 2 upwards.
    kappa : float
        The kappa to expect, in (-1, 1). Left out with `table`, which has its own.
    null : float
        The kappa under the null hypothesis, in (-1, 1).
    margins : array-like, shape (K,) or (2, K)
        Shares of the categories, of both raters or of each. See `sample_size`.
    table : DataFrame or array, shape (K, K), optional
        Instead of `kappa` and `margins`: an assumed table, or the counts of a pilot study.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `sample_size`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `sample_size`.
    n_raters : int, default 2
        Number of raters; more than two for two categories only.
    method : {"simulation", "fisher", "wald", "worst_case", "goodness_of_fit"}
        The test, or a formula for it. See `sample_size`.
    alternative : {"two-sided", "one-sided"}
        Whether the test is of both sides of the null hypothesis.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    float
        Probability that the test rejects `null`, in [0, 1].

    Raises
    ------
    OptionError
        If an option is out of its range, or no assumed table has such a kappa.
    KappaError
        If an option is not known, or a table cannot be read. See `pdkappa.errors`.

    See Also
    --------
    sample_size : The number of items for a given power.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> for n_items in (50, 100, 200):
    ...     found = pdkappa.power(n_items, 0.65, 0.5, margins=shares, weights="quadratic")
    ...     print(n_items, round(found, 3))
    50 0.246
    100 0.537
    200 0.868
    """
    n_items = check_whole("n_items", n_items)
    null = check_null(null)
    reading = Reading(weights=weights, categories=categories)
    test = Test.of(method, alternative, confidence_level)
    plan = assume(
        kappa, null, margins=margins, table=table, reading=reading, n_raters=n_raters, test=test
    )
    return plan.power(n_items, null)
