"""What makes scores differ, and how many raters and tasks are needed? Generalizability studies.

In: a frame with one score in each row.
Out: a study: components of variance, coefficients, projections, gauge repeatability.
May import: `estimates` and below; no other question.
"""
