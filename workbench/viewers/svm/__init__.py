"""Viewers of support vector machines."""
