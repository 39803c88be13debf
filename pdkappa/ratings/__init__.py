"""A frame -> coded ratings -> counts: every check of the input.

In: frames, lists and tables of a user.
Out: ratings as codes, and counts of them that add up.
May import: `coefficients`, `errors` and `_typing`.
"""
