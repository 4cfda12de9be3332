"""The table pane of Preprocess."""
