"""Codes into counts that add up, whatever the data come from.

In: coded ratings of a frame, of a list, of chunks or of counted rows.
Out: `PairCounts` and `RatingRows`, the two additive statistics, with the labels they stand for.
May import: `ratings`, `present` and below; its `core` is arithmetic and imports NumPy only.
"""
