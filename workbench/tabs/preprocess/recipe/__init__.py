"""The recipe pane of Preprocess."""
