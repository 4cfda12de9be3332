"""Costs of mistakes, and decision rules."""
