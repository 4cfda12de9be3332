"""The attributes pane of Preprocess."""
