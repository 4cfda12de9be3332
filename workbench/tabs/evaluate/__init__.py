"""Evaluate tab: how good a run is."""
