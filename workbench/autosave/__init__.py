"""The journal of everything done, and recovery from it."""
