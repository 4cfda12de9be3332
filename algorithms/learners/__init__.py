"""Learners: a folder for each family, and what families share."""
