"""Colours, sizes, and how figures and names are written."""
