"""Growing decision trees."""
