"""Sheets into one workbook: cells, names, formulas, looks.

In: sheets.
Out: a file.
May import: what `present` may.
"""
