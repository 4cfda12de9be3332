"""Evaluation of classifiers: performance estimates and their uncertainty."""
