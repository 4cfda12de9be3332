"""The page of Evaluate about diagnostics."""
