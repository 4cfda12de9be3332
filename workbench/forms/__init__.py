"""Parameters become widgets here: one declaration, one row in a form."""
