"""Votes as numbers -> labels, their probabilities, and what they say of the raters.

In: who put which item into which category, as integers.
Out: sparse probabilities of items by categories, and figures of raters.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
