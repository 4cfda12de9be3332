"""Why a tree is what it is."""
