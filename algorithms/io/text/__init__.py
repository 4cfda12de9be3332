"""Reading and writing of delimited text files."""
