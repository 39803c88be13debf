"""Ratings that are not one wide frame: files, other packages' frames, what tools export.

In: paths, frames of other packages, counts, lists.
Out: `Ratings`, with the methods of ``df.kappa``.
May import: the accessor and below.
"""
