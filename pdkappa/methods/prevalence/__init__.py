"""What people would say about all items, if they labelled some and a machine all.

In: data and options.
Out: frames of corrected shares, means and coefficients.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
