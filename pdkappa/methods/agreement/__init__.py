"""How well raters agree: in pairs, all together, and according to other packages.

In: data and options.
Out: frames of coefficients, of influence values and of tables.
May import: `workbook` and below; no other question.
"""
