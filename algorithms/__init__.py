"""Everything that computes: no Qt, no printing, no settings."""
