"""What each rater, item, category, cut and cell does to agreement, by numbers alone.

In: rows of ratings.
Out: parts that add up exactly: items to the disagreement, cells to kappa, cuts to linear kappa.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
