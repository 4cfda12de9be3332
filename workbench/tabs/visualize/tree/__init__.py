"""Visualize: what is done with the tree in view."""
