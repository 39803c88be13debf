"""A machine against the truth: scorecards, shifted classes, cut-points, decisions.

In: truth, predictions, probabilities or scores.
Out: frames, `Cutpoints`, labels.
May import: `workbook` and below; no other question.
"""
