"""Automated scoring: a machine's scores compared with those of humans, as for an exam board.

In: scores of humans and of a machine.
Out: frames, `Fairness`.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
