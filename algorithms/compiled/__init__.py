"""Compiled loops: the decorator, their cache, and compiling ahead of time."""
