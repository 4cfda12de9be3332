"""What models consist of, as flat arrays: one file for each structure."""
