"""Labels of people and judgements of all items -> corrected figures, by numbers alone.

In: rows of codes, counts, influence values.
Out: estimates, standard errors and limits.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
