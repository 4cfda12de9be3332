"""Reading and writing tables: one file a format."""
