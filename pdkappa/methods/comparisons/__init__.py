"""Whether a difference is real: between pairs, and between groups.

In: data and options.
Out: frames of differences with their tests.
May import: `workbook` and below; no other question.
"""
