"""Visualize: what is done with the rules in view."""
