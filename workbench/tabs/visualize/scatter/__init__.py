"""Records as points or lines: scatter plot, scatter matrix, parallel coordinates."""
