"""The tabs of the window."""
