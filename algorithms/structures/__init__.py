"""Structures: the contents of models as flat arrays, one file for each kind."""
