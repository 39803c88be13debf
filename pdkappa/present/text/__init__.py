"""Frames into short tables: a terminal, a notebook, LaTeX, Markdown, code.

In: frames.
Out: text.
May import: what `present` may.
"""
