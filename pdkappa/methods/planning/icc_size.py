"""The public functions of a study of an intraclass correlation, still to be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pdkappa.errors import OptionError, check_choice, shown
from pdkappa.methods.estimates.options import gate, is_number
from pdkappa.methods.planning.core.icc import FORMS, IccStudy, first_above
from pdkappa.methods.planning.goal import (
    Test,
    check_goal,
    check_null,
    check_share,
    check_whole,
    rounded_up,
)
from pdkappa.methods.planning.size import SampleSize

if TYPE_CHECKING:
    from pdkappa.methods.planning.sample_size import Alternative

IccForm: TypeAlias = Literal["ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"]
SAME = 1e-9  # numbers that a user types
MOST_RATERS = 1000


@gate
def sample_size_icc(
    icc: float,
    *,
    null: float | None = None,
    half_width: float | None = None,
    n_raters: int = 2,
    form: IccForm = "ICC(1,1)",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    power: float = 0.8,
) -> SampleSize:
    r"""Find the number of items that a study of an intraclass correlation needs.

    How many items, each scored by a given number of raters, are needed to tell an ICC from another
    one (`null`), or to estimate it precisely enough (`half_width`)?

    Parameters
    ----------
    icc : float
        The ICC to expect, below 1.
    null : float, optional
        The ICC under the null hypothesis.
    half_width : float, optional
        Half the width of the confidence interval of level `confidence_level`, on average.
        Pass this or `null`.
    n_raters : int, default 2
        Number of raters who score each item, up to 1,000.
    form : {"ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"}
        Other raters for each item (1), or the same ones for all, whose means may differ (C);
        of the scores of one rater, or of the means of all of them (k).
    alternative : {"two-sided", "one-sided"}
        Whether the ICC may differ from `null` either way, or only on the side where `icc`
        lies; and whether `half_width` is about both limits, or about the lower one alone.
    confidence_level : float, default 0.95
        Of the interval, in (0, 1), and above 0.5 if one-sided; the size of the test is 1
        less it.
    power : float, default 0.8
        Probability that the test rejects `null`, in (0, 1). Without effect on `half_width`.

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number; ``.table`` is None.

    Raises
    ------
    OptionError
        If an option is out of its range, or the number of items is too large to compute.

    See Also
    --------
    power_icc : The power of a given number of items.
    sample_size : The same for kappa.

    Notes
    -----
    Scores are supposed to be normal. With n items and R raters the ratio of the mean squares
    of items and of error, divided by its expectation :math:`\theta`, has an F distribution
    with n - 1 and, in this order of the forms, n(R - 1) or (n - 1)(R - 1) degrees of freedom.
    The test and the limits of McGraw and Wong [1]_ rest on this ratio alone:

    .. math:: \theta = \frac{1 + (R - 1)\rho}{1 - \rho} = \frac{1}{1 - \rho_k}, \qquad
              \mathrm{power} = P\left(F > \frac{\theta_0}{\theta_1} F_{1-\alpha/2}\right)
              + P\left(F < \frac{\theta_0}{\theta_1} F_{\alpha/2}\right),

    of which a one-sided test has one summand, with :math:`\alpha` for :math:`\alpha/2`. Power
    is thus exact, and so is the mean width of the limits, an integral over F. Walter et al.
    [2]_ and Bonett [3]_ approximate both.

    ICC(A,1) and ICC(A,k) are not here: their limits depend on the variance of the raters, about
    whom further items say little. Plan these for more raters instead.

    References
    ----------
    .. [1] McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass
           correlation coefficients. Psychological Methods, 1(1), 30-46.
           https://doi.org/10.1037/1082-989X.1.1.30
    .. [2] Walter, S. D., Eliasziw, M., & Donner, A. (1998). Sample size and optimal designs for
           reliability studies. Statistics in Medicine, 17, 101-110.
    .. [3] Bonett, D. G. (2002). Sample size requirements for estimating intraclass correlations
           with desired precision. Statistics in Medicine, 21, 1331-1335.
           https://doi.org/10.1002/sim.1108

    Examples
    --------
    >>> pdkappa.sample_size_icc(0.8, null=0.6)
    50 items to tell ICC(1,1) 0.8 from 0.6 with power 0.8 (two-sided, level 0.95, exact)
    >>> pdkappa.sample_size_icc(0.85, half_width=0.1, n_raters=4, form="ICC(C,1)")
    22 items to estimate ICC(C,1) 0.85 to within 0.1 (two-sided, level 0.95, exact)

    More raters take fewer items:

    >>> for n_raters in (2, 3, 6):
    ...     print(n_raters, int(pdkappa.sample_size_icc(0.8, null=0.6, n_raters=n_raters)))
    2 50
    3 33
    6 23
    """
    check_goal(null, half_width)
    study = _assume_icc(
        icc, null, n_raters, form=form, alternative=alternative, confidence_level=confidence_level
    )
    power = check_share("power", power)
    if null is not None:
        exact = first_above(lambda n_items: study.power(n_items, null) - power)
    else:
        half = check_share("half_width", half_width)
        exact = first_above(lambda n_items: half - study.half_width(n_items))
    settings = {
        "icc": study.icc,
        "null": null,
        "half_width": half_width,
        "form": form,
        "n_raters": study.n_raters,
        "alternative": alternative,
        "confidence_level": confidence_level,
        "power": None if null is None else power,
    }
    return SampleSize(rounded_up(exact), exact, "exact", None, None, settings)


@gate
def power_icc(
    n_items: int,
    icc: float,
    null: float,
    *,
    n_raters: int = 2,
    form: IccForm = "ICC(1,1)",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> float:
    """Compute the power to tell one ICC from another with a number of items.

    It is the inverse of `sample_size_icc`.

    Parameters
    ----------
    n_items : int
        Number of items, from 2 upwards.
    icc : float
        The ICC to expect, below 1.
    null : float
        The ICC under the null hypothesis.
    n_raters : int, default 2
        Number of raters who score each item, up to 1,000.
    form : {"ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"}
        Which ICC. See `sample_size_icc`.
    alternative : {"two-sided", "one-sided"}
        Whether the test is of both sides of the null hypothesis.
    confidence_level : float, default 0.95
        Between 0 and 1, and above 0.5 if one-sided.

    Returns
    -------
    float
        Probability that the test rejects `null`, in [0, 1].

    Raises
    ------
    OptionError
        If an option is out of its range.

    See Also
    --------
    sample_size_icc : The number of items for a given power.

    Examples
    --------
    >>> for n_items in (20, 40, 80):
    ...     print(n_items, round(pdkappa.power_icc(n_items, 0.8, 0.6), 3))
    20 0.414
    40 0.712
    80 0.949
    """
    n_items = check_whole("n_items", n_items)
    null = check_null(null)
    study = _assume_icc(
        icc, null, n_raters, form=form, alternative=alternative, confidence_level=confidence_level
    )
    return study.power(n_items, null)


def _assume_icc(
    icc: object,
    null: object,
    n_raters: object,
    *,
    form: str,
    alternative: str,
    confidence_level: object,
) -> IccStudy:
    """Check what a study assumes."""
    check_choice("form", form, FORMS)
    raters = check_whole("n_raters", n_raters, MOST_RATERS)
    test = Test.of("exact", alternative, confidence_level)
    lowest = FORMS[form].lowest(raters)
    for name, value in (("icc", icc), ("null", null)):
        if value is None and name == "null":
            continue
        if not (is_number(value) and lowest < value < 1):
            message = f"{name}={shown(value)} of {form} must lie between {lowest:.4g} and 1."
            raise OptionError(message)
    if is_number(icc) and is_number(null) and abs(icc - null) < SAME:
        message = f"icc and null are both {null:g}, which no number of items can tell apart."
        raise OptionError(message)
    return IccStudy(FORMS[form], float(icc), raters, test.level, test.one_sided)  # type: ignore[arg-type]
