"""Agreement group by group, and on average over the groups.

In: data and options, with `by`.
Out: `GroupedAgreement` and `GroupedPairs`, with their means, sheets and plots.
May import: `workbook` and below; no other question.
"""
