"""The Classify tab: learners, their options, methods, runs."""
