"""Opening and saving files, and using a model on one."""
