"""Small rating tables as CSV files; `pdkappa.datasets` reads them."""
