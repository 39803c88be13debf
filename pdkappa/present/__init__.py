"""Tidy frames into text, workbooks, pages and pictures; no statistics.

In: frames, and sheets of them.
Out: text, files, axes.
May import: `errors` and `_typing`.
"""
