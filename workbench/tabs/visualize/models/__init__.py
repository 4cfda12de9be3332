"""Visualize: what is done with the models in view."""
