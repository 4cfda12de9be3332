"""Selection of parameters and attributes inside the training records."""
