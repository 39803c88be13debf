"""Groups on their own scale, by numbers alone.

In: estimates and standard errors of groups.
Out: means and tests of equality.
May import: NumPy, SciPy and `coefficients`.
"""
