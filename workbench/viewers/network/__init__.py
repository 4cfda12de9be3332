"""The viewer of Bayesian networks."""
