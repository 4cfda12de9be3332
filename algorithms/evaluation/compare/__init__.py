"""Comparing learners: tests, corrections, rankings."""
