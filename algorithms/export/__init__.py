"""Models written for other programs: as text, SQL, Python and PMML."""
