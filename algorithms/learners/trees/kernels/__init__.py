"""Compiled loops of decision trees."""
