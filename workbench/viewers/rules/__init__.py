"""Viewers: rules."""
