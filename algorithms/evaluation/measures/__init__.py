"""Measures of performance, with their intervals and workings."""
