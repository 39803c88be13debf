"""One package or module for each question of a user; `report` asks them all.

In: data and options.
Out: frames, results and pictures.
May import: `ratings`, `coefficients`, `present` and below. `estimates` and `workbook` serve all
questions, which do not know each other; only `machine`, and `report`, know others.
"""
