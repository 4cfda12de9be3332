"""Ensembles: bagging, random forests, boosting, voting and stacking."""
