"""Assumed tables into numbers of items, by numbers alone.

In: shares and kappas.
Out: numbers of items, power.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
