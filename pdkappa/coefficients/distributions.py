"""Normal, t, chi-squared and F distributions: SciPy's, imported when they are first needed.

SciPy's special functions take longer to import than all of pdkappa.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def ndtr(x: Any) -> Any:
    """Share of a standard normal distribution below `x`."""
    from scipy import special

    return special.ndtr(x)


def ndtri(p: Any) -> Any:
    """Find the quantile `p` of a standard normal distribution."""
    from scipy import special

    return special.ndtri(p)


def two_sided(z: Any, df: Any = None) -> Any:
    """Share of a normal distribution at least as far from zero; of a t distribution with `df`."""
    return 2 * (ndtr(-np.abs(z)) if df is None else stdtr(df, -np.abs(z)))


def half_width(level: float, df: Any = None) -> Any:
    """Find how far from zero the share `level` of a normal, or a t, distribution reaches."""
    return ndtri((1 + level) / 2) if df is None else stdtrit(df, (1 + level) / 2)


def stdtr(df: Any, t: Any) -> Any:
    """Share of a t distribution with `df` degrees of freedom below `t`."""
    from scipy import special

    return special.stdtr(df, t)


def stdtrit(df: Any, p: Any) -> Any:
    """Find the quantile `p` of a t distribution with `df` degrees of freedom, each of them once.

    It takes a microsecond, and few of a million pairs differ in their degrees of freedom.
    """
    from scipy import special

    if np.ndim(df) != 1:
        return special.stdtrit(df, p)
    known, where = np.unique(df, return_inverse=True)
    return special.stdtrit(known, p)[where]


def fdtri(df1: Any, df2: Any, p: Any) -> Any:
    """Find the quantile `p` of an F distribution."""
    from scipy import special

    return special.fdtri(df1, df2, p)


def fdtrc(df1: Any, df2: Any, x: Any) -> Any:
    """Share of an F distribution above `x`."""
    from scipy import special

    return special.fdtrc(df1, df2, x)


def nctdtrit(df: Any, centre: Any, p: Any) -> Any:
    """Find the quantile `p` of noncentral t distributions, each of them once."""
    from scipy import stats

    known, where = np.unique(df, return_inverse=True)
    of_known = np.empty(known.shape)
    of_known[where] = centre
    return np.asarray(stats.nct.ppf(p, known, of_known))[where]


def chdtri(df: Any, p: Any) -> Any:
    """Find the quantile above which there is the share `p` of a chi-squared distribution."""
    from scipy import special

    return special.chdtri(df, p)


def chdtrc(df: Any, x: Any) -> Any:
    """Share of a chi-squared distribution above `x`."""
    from scipy import special

    return special.chdtrc(df, x)
