"""The types and mechanisms that every algorithm hangs on."""
