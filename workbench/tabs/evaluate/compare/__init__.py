"""The page of Evaluate about compare."""
