"""People and a machine: whether it can score, or judge, in their place, and where it is weak.

In: data, and which columns are machines and which are people.
Out: frames, and results such as `AltTest`, `Audit` and `Fairness`.
May import: `comparisons`, and `workbook` and below.
"""
