"""Viewers: ensemble."""
