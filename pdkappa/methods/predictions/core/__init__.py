"""Predictions against the truth, by numbers alone.

In: codes, scores, probabilities, counts.
Out: cuts, labels, scores and coefficients.
May import: NumPy, SciPy, `coefficients` and `counts.core`.
"""
