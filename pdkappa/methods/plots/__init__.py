"""Pictures: the matrix, forests, tables of two raters, categories, raters, cut-points.

In: data and options.
Out: axes of matplotlib, drawn by `present.plots`.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
