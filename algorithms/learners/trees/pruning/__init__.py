"""Pruning decision trees."""
