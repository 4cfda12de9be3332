"""Tests of learners, a folder a family."""
