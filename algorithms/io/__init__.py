"""Reading and writing of tables, one module for each format."""
