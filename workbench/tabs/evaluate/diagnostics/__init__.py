"""Diagnostics pages of the Evaluate tab."""
