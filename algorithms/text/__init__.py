"""How numbers and names become text."""
