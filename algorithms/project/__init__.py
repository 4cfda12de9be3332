"""Project, model and recipe files."""
