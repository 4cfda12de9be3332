"""Tables: schemas, columns, data sets, and what is done to their values."""
