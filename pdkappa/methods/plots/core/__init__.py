"""What charts show of a table, and an order of raters, by numbers alone.

In: tables, matrices.
Out: sums, residuals, orders.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
