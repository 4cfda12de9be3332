"""Visualize: what is done with the explain in view."""
