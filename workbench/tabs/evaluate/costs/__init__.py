"""The page of Evaluate about costs."""
