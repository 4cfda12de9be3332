"""Parameters as widgets."""
