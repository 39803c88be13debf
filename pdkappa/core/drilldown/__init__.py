"""What each rater, item, category, cut and cell does to agreement, by numbers alone.

Every part adds up exactly: the items to the disagreement, the categories to nominal agreement,
the cuts of a scale to linear agreement, the cells of a table to kappa.
"""
