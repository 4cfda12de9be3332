"""What the program carries with it: data sets, icons, themes, help."""
