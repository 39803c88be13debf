"""Whether a difference is real: between pairs, groups, machine and people.

In: data and options.
Out: frames of differences with their tests.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
