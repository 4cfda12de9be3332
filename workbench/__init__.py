"""Everything a person sees."""
