"""Learners that decide by what mistakes cost, and probabilities that can be taken at their word."""
