"""Pictures of agreement: which frames go into which picture.

In: data and options.
Out: axes of matplotlib, drawn by `present.plots`.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
