"""The steps of every method: options -> study -> estimates -> frames.

In: data and options, as a user passes them.
Out: `Study`, then `Estimates`, then labelled frames; warnings of what is undefined.
May import: `ratings`, `coefficients`, `present` and below.
"""
