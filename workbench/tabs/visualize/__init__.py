"""The Visualize tab: what a model looks like."""
