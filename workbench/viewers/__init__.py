"""Viewers, one file each."""
