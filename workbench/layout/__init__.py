"""Pure geometry, without Qt."""
