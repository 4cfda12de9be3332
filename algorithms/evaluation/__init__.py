"""Judging: how good a classifier will be, and how sure that is."""
