"""`pl.DataFrame.kappa`: the methods of ``df.kappa`` for polars, registered when this is imported.

Frames may be eager or lazy. They are counted by polars; only the distinct rows with their counts
become a pandas frame.

Examples
--------
>>> import polars as pl
>>> import pdkappa.polars
>>> df = pl.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, None]})
>>> df.kappa.pairwise(weights="quadratic").round(3)
     ann  bob
ann  1.0  0.8
bob  0.8  1.0
>>> df.lazy().kappa.agreement(coefficients=["fleiss", "conger"])["estimate"].round(3)
coefficient
fleiss    0.273
conger    0.333
Name: estimate, dtype: float64
"""

from __future__ import annotations

from pdkappa.errors import needed_for
from pdkappa.sources.other_frames import known_source
from pdkappa.sources.source import SourceRatings

with needed_for("pdkappa.polars", "polars", "'pdkappa[polars]'"):
    import polars as pl


@pl.api.register_dataframe_namespace("kappa")
@pl.api.register_lazyframe_namespace("kappa")
class PolarsKappa(SourceRatings):
    """Inter-rater agreement of the columns of a polars frame, as ``df.kappa``.

    Every method is that of ``df.kappa``, and takes the same options; `by`, `cluster` and
    `sample_weight` name columns. Results are frames of pandas. The rest is as `from_frame` says,
    which is the same without the namespace.
    """

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        """Keep the frame; everything is checked by the methods."""
        super().__init__(known_source(frame, "pdkappa.polars", "polars"))
