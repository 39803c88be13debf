"""The steps from a table to a coefficient, by numbers alone.

In: one table of two raters.
Out: every figure on the way.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
