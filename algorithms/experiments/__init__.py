"""Experiments: data sets x learners x recipes x methods x seeds as a grid of cells in a file of their own."""

from typing import Final

SUFFIX: Final = ".coppice-experiment"
"""The suffix of the file of an experiment."""
