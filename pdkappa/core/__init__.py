"""Statistics on counts: NumPy and SciPy only, no labels, no validation."""
