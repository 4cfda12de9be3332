"""Learners that make one decision among many classes out of decisions between two."""
