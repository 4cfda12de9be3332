"""Small widgets that every tab uses."""
