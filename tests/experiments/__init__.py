"""The book's experiments with trees, one command each: ``python -m tests.experiments size FOLDER``."""
