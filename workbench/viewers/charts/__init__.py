"""Viewers: charts."""
