"""Export of trained models as text, SQL, Python and PMML."""
