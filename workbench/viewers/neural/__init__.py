"""Viewers: neural."""
