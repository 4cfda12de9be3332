"""Delimited text files."""
