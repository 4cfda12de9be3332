"""Explanations of one record's prediction."""
