"""Automated scoring: a machine's scores beside those of humans, as an exam board judges them.

In: scores of humans and of a machine.
Out: frames, `Fairness`.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
