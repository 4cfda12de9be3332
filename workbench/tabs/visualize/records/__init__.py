"""Visualize: what is done with the records in view."""
