"""Small widgets that all tabs use."""
