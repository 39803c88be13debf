"""Whether a machine may judge in the place of people, and what is wrong with it.

In: data, and which columns are machines and which are people.
Out: `AltTest`, with one row for each judge and one for each human.
May import: `comparisons`, and `workbook` and below. Its `core` is arithmetic.
"""
