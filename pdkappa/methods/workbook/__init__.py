"""Estimates into the sheets of a workbook, with formulas over its confusion tables.

In: estimates, and frames made of them.
Out: `Sheet`s, ready to be written.
May import: `estimates` and below.
"""
