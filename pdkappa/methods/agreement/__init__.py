"""How far raters agree: pairs, all of them together, and what other packages say.

In: data and options.
Out: frames of coefficients, of influence values and of tables.
May import: `workbook` and below; no other topic.
"""
