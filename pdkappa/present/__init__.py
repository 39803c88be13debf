"""Tidy frames in; text, workbooks and pictures out. No statistics."""
