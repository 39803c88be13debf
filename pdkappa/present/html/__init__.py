"""Sheets and a headline into one page that needs nothing else.

In: sheets.
Out: a file.
May import: what `present` may, `present.text` and `present.plots` included.
"""
