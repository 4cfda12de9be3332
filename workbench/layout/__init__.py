"""Layouts, pure: no Qt."""
