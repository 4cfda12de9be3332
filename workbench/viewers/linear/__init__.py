"""Viewers: linear."""
