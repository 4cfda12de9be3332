"""Committees of models: each member learns for itself, all decide together."""
