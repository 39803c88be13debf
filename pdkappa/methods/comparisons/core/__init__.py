"""Differences of coefficients, by numbers alone.

In: coefficients with their influence values.
Out: contrasts, tests and limits.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
