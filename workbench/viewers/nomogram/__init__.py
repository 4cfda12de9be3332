"""The viewer of naive Bayes."""
