"""All results on the agreement of some raters, for a workbook or a page.

In: data and options.
Out: `Report`.
May import: every other question, and what they may import.
"""
