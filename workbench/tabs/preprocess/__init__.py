"""The Preprocess tab: the table, its attributes, the recipe."""
