"""Choosing settings and attributes inside the training records."""
