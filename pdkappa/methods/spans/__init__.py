"""Do they mark the same places? Spans of text or time.

In: a frame with one span in each row.
Out: `Spans`: frames of span F1 and of alpha for units, and pieces that `df.kappa` reads.
May import: `estimates` and below; no other question.
"""
