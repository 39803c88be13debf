"""What people would have said of all items: they labelled some of them, a machine all.

In: data and options.
Out: frames of corrected shares, means and coefficients.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
