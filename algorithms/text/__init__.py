"""Conversion of numbers, names and counts to text."""
