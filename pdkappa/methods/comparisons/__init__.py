"""Whether a difference is real: of pairs, groups, a machine and people, leaderboards.

In: data and options.
Out: frames of differences with their tests.
May import: `workbook` and below; no other topic. Its `core` is arithmetic.
"""
