"""Tests of readers of files whose columns have types."""
