"""Work beside the window: jobs, worker threads, pieces of work between events."""
