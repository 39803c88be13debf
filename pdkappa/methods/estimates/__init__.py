"""The way of every method: options into a study, a study into estimates and frames.

In: data and options, as a user passes them.
Out: `Study`, then `Estimates`, then labelled frames; warnings of what is undefined.
May import: `coefficients`, `counts`, `ratings`, `present` and below.
"""
