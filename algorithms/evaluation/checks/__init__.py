"""Warnings about data and about the evaluation of a result."""
