"""What the tab adds to each kind of model's viewer: records in it, edits, step-by-step replays."""
