"""Planning a study: how many items it needs, and its power.

In: what is assumed of the study.
Out: `SampleSize`, and power.
May import: `workbook` and below; no other question.
"""
