"""Warnings about data and about how a result was tested."""
