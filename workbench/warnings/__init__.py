"""Warnings about data and results, and their remedies."""
