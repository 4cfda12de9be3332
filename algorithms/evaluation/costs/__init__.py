"""Misclassification costs and decision rules."""
