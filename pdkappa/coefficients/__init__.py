"""Counts into coefficients, their errors and their intervals.

In: counts, rows of codes, and the scale of the categories; no labels, and no checks of them.
Out: tuples of arrays with one figure for each table, and a code for what is undefined.
May import: NumPy, SciPy and `counts`. What only one topic of `methods` uses is in its `core`.
"""
