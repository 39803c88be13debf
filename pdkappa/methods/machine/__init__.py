"""People and a machine: can it score, or judge, in their place, and what are its weaknesses?

In: data, and which columns are machines and which are people.
Out: frames, and results such as `AltTest`, `Audit` and `Fairness`.
May import: `comparisons`, and `workbook` and below.
"""
