"""Pictures of records: scatter plot, scatter matrix, parallel coordinates."""
