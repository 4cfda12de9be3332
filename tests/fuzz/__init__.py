"""Fuzzers for everything the program reads: ``python -m tests.fuzz --list``."""
