"""Viewers: neighbors."""
