"""Logistic regression and discriminant analysis."""
