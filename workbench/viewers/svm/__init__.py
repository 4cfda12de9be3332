"""Viewers: svm."""
