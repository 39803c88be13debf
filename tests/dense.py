"""Coefficients of a dense table by definition, and the delta method by difference quotients."""

import numpy as np

# Disagreement expected by chance of shares p with disagreements d among n items. Alpha has that of
# Scott's pi, of drawing without putting back.
CHANCE = {
    "cohen": lambda p, d, n: p.sum(axis=1) @ d @ p.sum(axis=0),  # noqa: ARG005
    "scott": lambda p, d, n: pooled(p) @ d @ pooled(p),  # noqa: ARG005
    "brennan_prediger": lambda p, d, n: d.mean(),  # noqa: ARG005
    "gwet": lambda p, d, n: d.max() - room(d) * (pooled(p) * (1 - pooled(p))).sum(),  # noqa: ARG005
    "krippendorff": lambda p, d, n: pooled(p) @ d @ pooled(p) * 2 * n / (2 * n - 1),
    "percent": lambda p, d, n: d.max(),  # noqa: ARG005
}


def pooled(p):
    return (p.sum(axis=0) + p.sum(axis=1)) / 2


def room(d):
    """Return the sum of all agreement weights over q (q - 1), in the units of d."""
    return (d.max() - d).sum() / (len(d) * (len(d) - 1))


def estimate_of(coefficient, d, table):
    """Estimate a coefficient."""
    n = table.sum()
    return 1 - (table * d).sum() / n / CHANCE[coefficient](table / n, d, n)


def error_of(coefficient, d, table):
    """Return its standard error by the delta method with a numerical derivative."""
    k, n, step = len(table), table.sum(), 1e-5 * table.sum()
    gradient = np.empty((k, k))
    for cell in np.ndindex(k, k):
        nudge = np.zeros((k, k))
        nudge[cell] = step
        up, down = (estimate_of(coefficient, d, table + one) for one in (nudge, -nudge))
        gradient[cell] = (up - down) / (2 * step) * n
    p = table / n
    return np.sqrt((p * (gradient - (p * gradient).sum()) ** 2).sum() / n)
