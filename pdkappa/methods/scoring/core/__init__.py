"""Scores and counts -> figures of automated scoring.

In: coded scores with counts, and what the codes stand for.
Out: estimates with errors and limits.
May import: `coefficients` and below, NumPy and SciPy.
"""
