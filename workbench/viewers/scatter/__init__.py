"""Viewers: scatter."""
