"""Learners of rules: lists that are read from the top, and sets whose rules vote."""
