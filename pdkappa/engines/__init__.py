"""One data source each, all giving the same additive counts."""
