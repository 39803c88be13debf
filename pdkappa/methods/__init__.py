"""One room for each question of a user; `report` asks them all.

In: data and options.
Out: frames, results and pictures.
May import: `workbook` and below. Topics do not know each other; only `report` knows topics.
"""
