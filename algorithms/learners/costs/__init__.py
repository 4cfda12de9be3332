"""Cost-sensitive learners, the threshold optimizer, and calibrated classifiers."""
