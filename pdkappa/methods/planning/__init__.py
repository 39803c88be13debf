"""A study still to be done: how many items it needs, and what power it has.

In: what is assumed of the study.
Out: `SampleSize`, and power.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
