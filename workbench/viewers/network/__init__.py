"""Viewers: network."""
