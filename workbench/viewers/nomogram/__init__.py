"""Viewers: nomogram."""
