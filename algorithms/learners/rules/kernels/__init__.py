"""Compiled loops of rule learners."""
