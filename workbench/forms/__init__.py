"""Forms: widgets made from declared parameters."""
