"""Viewers: tree."""
