"""Performance measures, their confidence intervals and their worked formulas."""
