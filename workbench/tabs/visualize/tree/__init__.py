"""What the tab adds to the tree viewer: explained splits, replays, edits, records in nodes."""
