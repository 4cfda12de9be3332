"""Readers of files whose columns have types: databases, and the formats of data frames and statistics programs."""
