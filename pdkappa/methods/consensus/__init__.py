"""Which label each item gets, and how accurate each rater is.

In: data and options.
Out: `Consensus`, a frame with one row for each item that knows its raters.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
