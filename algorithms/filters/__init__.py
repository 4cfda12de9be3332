"""Filters: one file a family."""
