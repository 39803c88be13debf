"""Arithmetic of agreement in the units of the scores, and in ranks.

In: rows of codes with counts, and the scores of the categories.
Out: arrays of figures, one for each group.
May import: `coefficients` and below; NumPy and SciPy only.
"""
