"""Where raters disagree: by rater, item, category, cut of the scale and cell of the table.

In: data and options.
Out: frames with one row for each part.
May import: `workbook` and below; no other question.
"""
