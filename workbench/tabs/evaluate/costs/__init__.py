"""Cost page of the Evaluate tab."""
