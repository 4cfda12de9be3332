"""The viewer of rule sets."""
