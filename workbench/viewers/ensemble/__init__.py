"""Viewers of ensembles and their members."""
