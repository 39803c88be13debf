"""Whether a machine can judge in place of people, and what its weaknesses are.

In: data, and which columns are machines and which are people.
Out: `AltTest`, with one row for each judge and one for each human.
May import: `comparisons`, and `workbook` and below. Its `core` is arithmetic.
"""
