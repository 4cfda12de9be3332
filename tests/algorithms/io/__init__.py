"""Tests of reading and writing tables."""
