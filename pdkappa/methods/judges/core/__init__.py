"""Judges beside annotators, by numbers alone.

In: codes and scores of ratings.
Out: who is nearer to the others how often, and tests of it.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
