"""Filters: preprocessing steps, learned on training records only."""
