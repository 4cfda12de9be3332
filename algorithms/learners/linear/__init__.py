"""Models that weigh all attributes in a sum: logistic regression and discriminants."""
