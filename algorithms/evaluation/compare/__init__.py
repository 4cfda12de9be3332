"""Comparison of learners: significance tests, corrections, rankings."""
