"""A frame into coded ratings of all raters: every check of the input.

In: what a user passes as data, raters, groups, weights and clusters of the items.
Out: `Coded`, integer codes with categories, items and groups, or an error with what to do.
May import: `present`, `errors`, `_typing`; no counts, no statistics.
"""
