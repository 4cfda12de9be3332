"""The viewer of decision trees."""
