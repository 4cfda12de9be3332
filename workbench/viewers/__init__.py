"""Viewers of models and records."""
