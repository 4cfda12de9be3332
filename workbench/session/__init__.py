"""The session: the document, the runs, and what follows from them."""
