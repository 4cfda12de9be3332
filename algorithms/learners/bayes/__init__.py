"""Learners that ask how likely each class makes what a record shows."""
