"""Classify tab: learners, options, test methods and runs."""
