"""The program: its start, its window, and what stands around the tabs."""
