"""Counts, and what follows from them by numbers alone: coefficients, errors, limits.

In: arrays of codes, counts and scores, trusted.
Out: arrays and records of arrays.
May import: NumPy, SciPy and `_typing`; labels, frames and checks of the input are elsewhere.
"""
