"""The Visualize tab: models, their predictions and their records as pictures."""
