"""Estimates into the sheets of a workbook, with formulas over its confusion tables.

In: estimates, and frames made of them.
Out: `Sheet`s, ready for `present.excel`.
May import: `estimation` and below; its `core` is arithmetic.
"""
