"""Counts by numbers alone.

In: arrays of codes.
Out: counts of pairs of ratings, and rows with how often each occurs.
May import: NumPy and SciPy.
"""
