"""Classifiers that keep the training records and ask those that are nearest."""
