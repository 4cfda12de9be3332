"""Tables: schemas, columns and data sets, and the conversion and editing of their values."""
