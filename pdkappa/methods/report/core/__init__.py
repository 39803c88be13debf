"""Arithmetic of the report.

In: numbers.
Out: numbers.
May import: NumPy, `coefficients/`, `counts/core/`.
"""
