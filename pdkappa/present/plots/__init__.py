"""Frames into pictures.

In: frames arranged as they are drawn.
Out: axes of matplotlib.
May import: what `present` may.
"""
