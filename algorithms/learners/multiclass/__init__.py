"""Reductions of multiclass problems to binary ones."""
