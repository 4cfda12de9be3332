"""Experiments: data sets x learners x recipes x methods x seeds as a grid of cells in a file of their own."""
