"""Frames into pictures: each draws on the `ax` it gets, or on a new one with room for everything.

In: frames arranged as they are drawn.
Out: axes of matplotlib, with the first row on top.
May import: what `present` may.
"""
