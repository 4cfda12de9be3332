"""Viewers of linear models."""
